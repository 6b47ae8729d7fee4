//! Positions to measure speed on, with their known counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::count::{CountError, Counter, Depth};
use crate::positions::NAMED;

/// A position to count.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The name in reports.
    pub name: &'static str,
    /// The position.
    pub fen: &'static str,
    /// The depth.
    pub depth: Depth,
    /// The count.
    pub nodes: u64,
}

/// A named position, counted to a depth.
const fn named(name: &'static str, depth: Depth, nodes: u64) -> Work {
    let mut index = 0;
    while !same(NAMED[index].name, name) {
        index += 1;
    }
    Work { name, fen: NAMED[index].fen, depth, nodes }
}

/// Equality of strings, in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Positions of several kinds: open and closed, with many and with few pieces, with promotions
/// at once, and a start position of Chess960. Cozy-chess agrees with the counts.
pub const WORK: [Work; 9] = [
    named("startpos", 6, 119_060_324),
    named("kiwipete", 5, 193_690_690),
    named("position3", 7, 178_633_661),
    named("position4", 6, 706_045_033),
    named("position5", 5, 89_941_194),
    named("position6", 5, 164_075_551),
    named("endgame", 6, 849_167_880),
    named("promotions", 6, 71_179_139),
    Work {
        name: "chess960",
        fen: "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1",
        depth: 6,
        nodes: 124_580_514,
    },
];

/// The reason why a position has no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BenchError {
    /// The count is wrong.
    #[error("{name} at depth {depth}: {got} nodes, not {expected}")]
    WrongCount {
        /// The name of the position.
        name: &'static str,
        /// The depth.
        depth: Depth,
        /// The count.
        got: u128,
        /// The known count.
        expected: u64,
    },
    /// The count failed.
    #[error(transparent)]
    Count(#[from] CountError),
}

impl Work {
    /// The position.
    pub fn board(&self) -> Board {
        self.fen.parse().expect("positions to measure on are legal")
    }

    /// Counts once and returns the time.
    ///
    /// # Errors
    /// If the count is wrong, or fails.
    pub fn measure(&self, counter: &Counter) -> Result<Duration, BenchError> {
        let board = black_box(self.board());
        let start = Instant::now();
        let got = counter.count(&board, self.depth)?;
        let elapsed = start.elapsed();
        let Self { name, depth, nodes: expected, .. } = *self;
        if got == u128::from(expected) {
            Ok(elapsed)
        } else {
            Err(BenchError::WrongCount { name, depth, got, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_is_an_error() {
        let work = Work { depth: 3, nodes: 8_902, ..WORK[0] };
        assert!(work.measure(&Counter::new()).is_ok());
        let wrong = Work { nodes: 8_903, ..work };
        let error = wrong.measure(&Counter::new()).unwrap_err();
        assert_eq!(error.to_string(), "startpos at depth 3: 8902 nodes, not 8903");
    }

    #[test]
    fn a_count_that_fails_has_no_nodes() {
        let work = Work { depth: 4, nodes: 197_281, ..WORK[0] };
        let error = work.measure(&Counter::new().limit(100)).unwrap_err();
        assert_eq!(error, BenchError::Count(CountError::LimitExceeded(100)));
    }
}

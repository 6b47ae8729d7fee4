//! Positions to measure speed on, each with the count that must come out.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::perft::{Depth, Engine};
use crate::positions::{NAMED, STARTPOS};
use crate::types::Variant;

/// A position to count.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What reports call it.
    pub name: &'static str,
    /// The position.
    pub fen: &'static str,
    /// How its castling rights are written.
    pub variant: Variant,
    /// How deep it is counted.
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
    Work { name, fen: NAMED[index].fen, variant: Variant::Standard, depth, nodes }
}

/// Comparison of texts in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Positions of several kinds: open and closed, with many and with few men, with promotions
/// at once, and an array of Chess960. Cozy-chess agrees with the counts.
pub const WORK: [Work; 9] = [
    Work {
        name: "startpos",
        fen: STARTPOS,
        variant: Variant::Standard,
        depth: 6,
        nodes: 119_060_324,
    },
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
        variant: Variant::Chess960,
        depth: 6,
        nodes: 124_580_514,
    },
];

/// A count that did not come out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} at depth {depth}: {got} nodes, not {expected}")]
pub struct WrongCount {
    /// Which position.
    pub name: &'static str,
    /// How deep.
    pub depth: Depth,
    /// What was counted.
    pub got: u128,
    /// What is right.
    pub expected: u64,
}

impl Work {
    /// The position.
    pub fn board(&self) -> Board {
        Board::from_fen(self.fen, self.variant).expect("positions to measure on are legal")
    }

    /// Counts once and returns the time that it took.
    ///
    /// # Errors
    /// If the count is wrong.
    pub fn measure(&self, engine: &Engine) -> Result<Duration, WrongCount> {
        let board = black_box(self.board());
        let start = Instant::now();
        // None of these counts comes near an overflow.
        let got = engine.count(&board, self.depth).unwrap_or(u128::MAX);
        let elapsed = start.elapsed();
        let Self { name, depth, nodes: expected, .. } = *self;
        if got == u128::from(expected) {
            Ok(elapsed)
        } else {
            Err(WrongCount { name, depth, got, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_is_seen() {
        let work = Work { depth: 3, nodes: 8_902, ..WORK[0] };
        assert!(work.measure(&Engine::default()).is_ok());
        let wrong = Work { nodes: 8_903, ..work };
        let error = wrong.measure(&Engine::default()).unwrap_err();
        assert_eq!(error.to_string(), "startpos at depth 3: 8902 nodes, not 8903");
    }
}

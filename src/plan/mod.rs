//! Counts too deep for one machine, cut into units of work.
//!
//! A [`Plan`] is the distinct positions after some plies, each with its multiplicity: the number of
//! lines that lead to it. The units can be counted in any order, anywhere, by [`work()`]; the sum of
//! their counts, each times its multiplicity, is the count of the root.
//!
//! Plans and results are lines of JSON (`lines`) in files and pipes
//! (`reader`). A `journal` takes results so that a kill loses no more than one, `verify` merges
//! results and adds them up, and a `checkpoint` is all of this for one count on one machine.
//! `unique` has the lines of counts of different positions.
//!
//! ```
//! use perft_core::Board;
//! use perft_cli::plan::{self, Plan};
//!
//! let made = Plan::new(&Board::startpos(), 5, 3, |_, _| {})?;
//! // 8,902 lines lead to 5,362 positions.
//! assert_eq!((made.units.len(), made.multiplicity()), (5_362, 8_902));
//! let counts = made.units.iter().map(|unit| {
//!     perft_core::perft(&made.board(unit), made.rest()).map(|nodes| (nodes, unit.multiplicity))
//! });
//! let counts: Vec<_> = counts.collect::<Result<_, _>>()?;
//! assert_eq!(plan::total(counts)?, 4_865_609);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod checkpoint;
pub mod journal;
pub mod lines;
pub mod reader;
pub mod unique;
pub mod verify;
mod work;

pub use work::{work, work_with};

use perft_core::board::{Board, PackedBoard};
use perft_core::{CountError, Depth, distinct_positions};

/// A count cut into units.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The position to count from.
    pub root: Board,
    /// The depth of the whole count.
    pub depth: Depth,
    /// The ply of the cut.
    pub ply: Depth,
    /// The distinct positions there, sorted.
    pub units: Vec<Unit>,
}

/// A position of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The position.
    pub position: PackedBoard,
    /// The number of lines that lead to it.
    pub multiplicity: u64,
}

/// The reason why a plan cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Nothing would be left to count.
    #[error("ply {0} is not below the depth, {1}")]
    TooDeep(Depth, Depth),
    /// Multiplicities might not fit into 64 bits.
    #[error("ply {0} is above {max}, and no memory holds so many positions", max = Plan::MAX_PLY)]
    TooManyPositions(Depth),
    /// The memory does not hold the positions of a ply.
    #[error("the memory does not hold the positions after {0} plies; cut earlier")]
    NoMemory(Depth),
    /// A multiplicity does not fit into 64 bits.
    #[error("the lines to one position after {0} plies exceed 2^64; cut earlier")]
    Overflow(Depth),
}

impl PlanError {
    /// The reason why the positions after some plies could not be made.
    fn new(error: &CountError, ply: Depth) -> Self {
        match error {
            CountError::Overflow => Self::Overflow(ply),
            _ => Self::NoMemory(ply),
        }
    }
}

impl Plan {
    /// The highest ply of a cut. A position of a game has at most 218 moves, so that multiplicities
    /// fit into 64 bits; with more pieces than a game has they are checked.
    pub const MAX_PLY: Depth = 8;

    /// Plays out the first plies and merges equal positions. Calls `on_progress` with the ply and
    /// the share of it that is done.
    ///
    /// # Errors
    /// If the cut is too deep, or there is not the memory for it.
    pub fn new(
        root: &Board,
        depth: Depth,
        ply: Depth,
        on_progress: impl FnMut(Depth, f64),
    ) -> Result<Self, PlanError> {
        if ply >= depth {
            return Err(PlanError::TooDeep(ply, depth));
        }
        if ply > Self::MAX_PLY {
            return Err(PlanError::TooManyPositions(ply));
        }
        let units = distinct_positions(root, ply, on_progress)
            .map_err(|error| PlanError::new(&error, ply))?;
        let units =
            units.into_iter().map(|(position, multiplicity)| Unit { position, multiplicity });
        Ok(Self { root: *root, depth, ply, units: units.collect() })
    }

    /// The depth to which each unit is counted.
    pub const fn rest(&self) -> Depth {
        self.depth.saturating_sub(self.ply)
    }

    /// The position of a unit.
    pub fn board(&self, unit: &Unit) -> Board {
        unit.position.unpack(self.root.castling_mode())
    }

    /// The sum of the multiplicities: the count of the root at the ply of the cut.
    pub fn multiplicity(&self) -> u128 {
        self.units.iter().map(|unit| u128::from(unit.multiplicity)).sum()
    }
}

/// The count of the whole, from the count and the multiplicity of each unit.
///
/// # Errors
/// If it does not fit into 128 bits.
pub fn total(units: impl IntoIterator<Item = (u128, u64)>) -> Result<u128, CountError> {
    let mut units = units.into_iter();
    let total = units.try_fold(0_u128, |sum, (nodes, multiplicity)| {
        nodes.checked_mul(multiplicity.into()).and_then(|product| sum.checked_add(product))
    });
    total.ok_or(CountError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overflow_is_not_called_a_lack_of_memory() {
        let error = PlanError::new(&CountError::Overflow, 7);
        assert_eq!(
            error.to_string(),
            "the lines to one position after 7 plies exceed 2^64; cut earlier"
        );
        assert_eq!(PlanError::new(&CountError::OutOfMemory, 7), PlanError::NoMemory(7));
    }

    /// The numbers of different positions after so many plies, as published.
    #[test]
    fn equal_positions_are_merged_exactly() {
        for (ply, units, multiplicity) in
            [(0, 1, 1), (1, 20, 20), (2, 400, 400), (3, 5_362, 8_902), (4, 72_078, 197_281)]
        {
            let plan = Plan::new(&Board::startpos(), 9, ply, |_, _| {}).unwrap();
            assert_eq!((plan.units.len(), plan.multiplicity()), (units, multiplicity), "ply {ply}");
        }
    }
}

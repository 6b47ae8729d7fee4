//! Counting the leaves of the tree of legal moves.
//!
//! `perft(board, depth)` is the number of lines of `depth` legal moves from `board`; at depth 0
//! there is one, the empty line. Lines that end early in mate or stalemate contribute 0.
//!
//! A [`Counter`] is the one way in. It splits the tree into tasks (`split`, which merges equal
//! positions), runs them on threads, and walks each (`walk`) down to a kernel: [`two_ply`], for
//! eight positions at once `batch`, or the plain counting of moves. `target` is what kernels are
//! compiled for.

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
mod batch;
mod counter;
mod distinct;
mod estimator;
mod kernel;
mod lanes;
mod layers;
mod merge;
mod passes;
mod split;
mod stats;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod two_ply;
mod unique;
mod walk;

pub use counter::{Counter, Progress};
pub use estimator::{Estimate, EstimateError, Estimator};
pub use kernel::{Backend, Kernel, SliderChoice};
pub use merge::{Merge, Usage};
pub use passes::{Pass, PassError, Passes};
pub use split::distinct_positions;
pub use stats::Stats;
pub use table::{Table, TableError};
pub use unique::{
    EnPassant, Unique, UniqueCount, UniqueError, UniqueNeed, UniquePart, UniqueProgress,
};

use crate::board::Board;
use crate::types::Move;

/// A number of plies.
pub type Depth = u8;

/// The reason why a count has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The total does not fit.
    #[error("the count exceeds 2^128")]
    Overflow,
    /// The total passes a limit that was given.
    #[error("the count exceeds {0}")]
    LimitExceeded(u128),
    /// The count was cancelled. `divide`, and `count` on several threads, bring the root moves
    /// that are finished.
    #[error("interrupted")]
    Cancelled(Divide),
    /// [`Counter::stats`] was cancelled; the rows of the depths that are finished.
    #[error("interrupted")]
    CancelledStats(Vec<Stats>),
    /// The memory does not hold the distinct positions of a ply.
    #[error("not enough memory for the positions of the first plies")]
    OutOfMemory,
}

/// The number of leaves, counted with one thread and without a table.
///
/// ```
/// use perft_core::{Board, perft};
///
/// let board = Board::startpos();
/// assert_eq!(perft(&board, 4)?, 197_281);
/// assert_eq!(perft(&board, 0)?, 1);
/// # Ok::<(), perft_core::CountError>(())
/// ```
///
/// # Errors
/// If the total does not fit into 128 bits.
pub fn perft(board: &Board, depth: Depth) -> Result<u128, CountError> {
    Counter::new().count(board, depth)
}

/// A root move and the number of leaves behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// The leaves behind it.
    pub nodes: u128,
}

/// The count of each root move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divide {
    /// The root moves, sorted by their UCI notation.
    pub branches: Vec<Branch>,
    /// The sum.
    pub nodes: u128,
}

/// A rough number of leaves: as if every ply had as many moves as the first two or, where those are
/// few, as the next two.
pub fn estimate(board: &Board, depth: Depth) -> f64 {
    /// Positions with fewer leaves after two plies are not like those that follow: a king in a
    /// corner, or a check.
    const FEW: u128 = 50;
    let leaves = |plies| perft(board, plies).unwrap_or(u128::MAX);
    let mut two_plies = leaves(2);
    if depth > 2 && (1..FEW).contains(&two_plies) {
        two_plies = two_plies.max(leaves(4) / two_plies);
    }
    // JSON has no infinity.
    (two_plies as f64).sqrt().powi(depth.into()).min(1e300)
}

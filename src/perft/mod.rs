//! Counting the leaves of the tree of legal moves.
//!
//! `perft(board, depth)` is the number of ways to play `depth` legal moves from `board`;
//! at depth 0 there is one way, to do nothing. Mates and stalemates before the last ply
//! have no ways on and count nothing.

mod engine;
mod memo;
mod memory;
mod parallel;
mod report;
mod serial;
mod stats;
mod table;
mod two_ply;
mod workers;

pub use engine::{Engine, Kernel, UnknownKernel};
pub use memo::perft_memo;
pub use memory::available_memory;
pub(crate) use memory::free_address_space;
pub use parallel::{Counted, Job, Progress};
pub use report::{Report, TableUse};
pub use stats::{Stats, stats};
pub use table::{Table, TableError};
pub use workers::Workers;

use crate::board::Board;
use crate::types::{Move, Variant};

/// How many plies to look ahead.
pub type Depth = u8;

/// Why a count has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PerftError {
    /// The total does not fit.
    #[error("the count passes 2^128")]
    Overflow,
    /// The total passes a limit that was given.
    #[error("the count passes {0}")]
    Above(u128),
}

/// The number of leaves, counted with one thread and without a table.
///
/// ```
/// use perft::{Board, perft};
///
/// let board = Board::startpos();
/// assert_eq!(perft(&board, 4)?, 197_281);
/// assert_eq!(perft(&board, 0)?, 1);
/// # Ok::<(), perft::PerftError>(())
/// ```
///
/// # Errors
/// If the total does not fit into 128 bits.
pub fn perft(board: &Board, depth: Depth) -> Result<u128, PerftError> {
    Engine::default().count(board, depth)
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divide {
    /// The root moves, sorted as text in the variant they were asked for.
    pub branches: Vec<Branch>,
    /// The sum.
    pub nodes: u128,
}

/// Counts the leaves behind each root move; at depth 0 there is none.
///
/// ```
/// use perft::{Board, Variant};
///
/// let divide = perft::divide(&Board::startpos(), 3, Variant::Standard)?;
/// assert_eq!(divide.branches[0].mv.uci(Variant::Standard), "a2a3");
/// assert_eq!(divide.branches[0].nodes, 380);
/// assert_eq!(divide.nodes, 8_902);
/// # Ok::<(), perft::PerftError>(())
/// ```
///
/// # Errors
/// If the total does not fit into 128 bits.
pub fn divide(board: &Board, depth: Depth, variant: Variant) -> Result<Divide, PerftError> {
    Engine::default().divide(board, depth, variant)
}

/// [`divide`] with another way to count what is behind a move.
///
/// # Errors
/// What the counter returns, and an overflow of the sum.
pub fn divide_with(
    board: &Board,
    depth: Depth,
    variant: Variant,
    mut count: impl FnMut(&Board, Depth) -> Result<u128, PerftError>,
) -> Result<Divide, PerftError> {
    let Some(rest) = depth.checked_sub(1) else {
        return Ok(Divide { branches: Vec::new(), nodes: 1 });
    };
    let mut moves = board.legal_moves();
    moves.sort_by_cached_key(|mv| mv.uci(variant));
    let mut nodes = 0_u128;
    let mut branches = Vec::with_capacity(moves.len());
    for mv in moves {
        let mut child = *board;
        let _ = child.make(mv);
        let branch = Branch { mv, nodes: count(&child, rest)? };
        nodes = nodes.checked_add(branch.nodes).ok_or(PerftError::Overflow)?;
        branches.push(branch);
    }
    Ok(Divide { branches, nodes })
}

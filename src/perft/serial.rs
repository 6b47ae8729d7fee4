//! One thread, no table: walk the tree and count.

use super::{Depth, PerftError};
use crate::board::Board;
use crate::movegen;
use crate::sliders::Sliders;
use crate::types::{Black, Color, MoveList, Side, White};

/// Up to this depth no count can pass 64 bits: a position has at most 218 moves, and
/// 218^8 < 2^63.
const DEPTH_IN_64_BITS: Depth = 8;

/// Whether the moves of the last ply are only counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bulk {
    /// The last ply is counted without making its moves.
    #[default]
    Yes,
    /// Every move is made and taken back, down to the leaves: slow, and a test of making
    /// moves.
    No,
}

/// The number of leaves, with a choice of slider system.
///
/// # Errors
/// If the total does not fit into 128 bits.
pub fn count<S: Sliders>(board: &Board, depth: Depth, bulk: Bulk) -> Result<u128, PerftError> {
    if depth == 0 {
        return Ok(1);
    }
    if depth > DEPTH_IN_64_BITS {
        let mut nodes = 0_u128;
        for mv in movegen::legal_moves::<S>(board) {
            let mut child = *board;
            let _ = child.make(mv);
            let below = count::<S>(&child, depth - 1, bulk)?;
            nodes = nodes.checked_add(below).ok_or(PerftError::Overflow)?;
        }
        return Ok(nodes);
    }
    let nodes = match (board.side_to_move(), bulk) {
        (Color::White, Bulk::Yes) => bulk_count::<S, White>(board, depth),
        (Color::Black, Bulk::Yes) => bulk_count::<S, Black>(board, depth),
        (Color::White, Bulk::No) => full_count::<S, White>(&mut board.clone(), depth),
        (Color::Black, Bulk::No) => full_count::<S, Black>(&mut board.clone(), depth),
    };
    Ok(nodes.into())
}

/// Counts with the last ply in bulk. Copying the board is cheaper than taking moves back.
fn bulk_count<S: Sliders, Us: Side>(board: &Board, depth: Depth) -> u64 {
    if depth == 1 {
        return movegen::count_moves::<S, Us>(board).into();
    }
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    for mv in moves {
        let mut child = *board;
        let _ = child.make_as::<S, Us>(mv);
        nodes += bulk_count::<S, Us::Them>(&child, depth - 1);
    }
    nodes
}

/// Makes and takes back every move down to the leaves.
fn full_count<S: Sliders, Us: Side>(board: &mut Board, depth: Depth) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    for mv in moves {
        let undo = board.make_as::<S, Us>(mv);
        nodes += full_count::<S, Us::Them>(board, depth - 1);
        board.unmake(mv, undo);
    }
    nodes
}

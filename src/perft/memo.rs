//! Perft with an unbounded, exact table: an oracle for everything that hashes.

use rustc_hash::FxHashMap;

use super::{Depth, PerftError};
use crate::board::{Board, Identity};
use crate::movegen;
use crate::sliders::Fancy;

/// The number of leaves, each position counted once for each depth.
///
/// Positions are compared whole, not by key, so there are no false hits. Memory grows with
/// the number of different positions.
///
/// # Errors
/// If the total does not fit into 128 bits.
pub fn perft_memo(board: &Board, depth: Depth) -> Result<u128, PerftError> {
    Memo::default().count(board, depth)
}

#[derive(Default)]
struct Memo(FxHashMap<(Identity, Depth), u128>);

impl Memo {
    fn count(&mut self, board: &Board, depth: Depth) -> Result<u128, PerftError> {
        match depth {
            0 => return Ok(1),
            1 => return Ok(movegen::count_legal_moves::<Fancy>(board).into()),
            _ => {}
        }
        let place = (board.identity(), depth);
        if let Some(&nodes) = self.0.get(&place) {
            return Ok(nodes);
        }
        let mut nodes = 0_u128;
        for mv in board.legal_moves() {
            let mut child = *board;
            let _ = child.make(mv);
            nodes =
                nodes.checked_add(self.count(&child, depth - 1)?).ok_or(PerftError::Overflow)?;
        }
        self.0.insert(place, nodes);
        Ok(nodes)
    }
}

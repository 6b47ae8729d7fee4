//! The kernel for eight positions, for the test of all kernels in `two_ply`.

use std::cell::Cell;

use super::super::two_ply::tests::{Subject, by_making};
use super::words::LANES;
use super::{Batch, Sink, Total};
use crate::board::{Board, BoardBuilder};
use crate::sys::Cpu;
use crate::sys::cpu::Avx512;
use crate::types::{Bitboard, Color, Move, MoveKind, Square};

thread_local! {
    /// The origin and the target of the only move that counts, in each lane.
    pub(super) static ONLY: Cell<Option<[[u64; LANES]; 2]>> = const { Cell::new(None) };
}

/// The kernel for eight positions.
pub(in crate::perft) struct EightPositions(pub Avx512);

impl EightPositions {
    fn batch<S: Sink>(&self, board: &Board, sink: S) -> Box<Batch<S>> {
        Batch::new(self.0, board, board.side_to_move(), sink)
    }
}

impl Subject for EightPositions {
    fn level(&self) -> Cpu {
        Cpu::Avx512
    }

    /// One move in each lane. En passant is not part of the sums: it is always made.
    fn replies(&self, board: &Board) -> Vec<(Vec<Move>, u64)> {
        let mut groups: Vec<Vec<Move>> = Vec::new();
        let mut replies = Vec::new();
        for mv in board.legal_moves() {
            let is_same = |other: &Move| (other.from(), other.to()) == (mv.from(), mv.to());
            if mv.kind() == MoveKind::EnPassant {
                replies.push((vec![mv], by_making(board, mv)));
            } else if let Some(group) = groups.iter_mut().find(|group| is_same(&group[0])) {
                group.push(mv);
            } else {
                groups.push(vec![mv]);
            }
        }
        let plain = BoardBuilder::from(board).en_passant(None).build().expect("it is legal");
        for moves in groups.chunks(LANES) {
            let mut batch = self.batch(&plain, vec![0; LANES]);
            let mut only = [[0; LANES]; 2];
            for (lane, group) in moves.iter().enumerate() {
                batch.add(&plain, lane as u64);
                only[0][lane] = relative(board, group[0].from());
                only[1][lane] = relative(board, group[0].to());
            }
            ONLY.set(Some(only));
            let counts = batch.finish();
            ONLY.set(None);
            replies.extend(moves.iter().cloned().zip(counts.iter().copied()));
        }
        replies
    }

    fn count(&self, board: &Board) -> u64 {
        let mut batch = self.batch(board, Total::new(self.0));
        batch.add(board, 1);
        batch.finish().take().expect("it fits") as u64
    }
}

/// The bit of a square as the side to move sees it.
fn relative(board: &Board, square: Square) -> u64 {
    let Bitboard(bit) = square.bitboard();
    if board.side_to_move() == Color::White { bit } else { bit.swap_bytes() }
}

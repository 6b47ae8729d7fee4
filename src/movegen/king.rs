//! The king's steps, and castling under Chess960's rules.

use super::{Generator, Sink};
use crate::attacks;
use crate::board::castled_squares;
use crate::sliders::Sliders;
use crate::types::{Move, MoveKind, Side};

impl<S: Sliders, Us: Side> Generator<'_, S, Us> {
    #[inline(always)]
    pub(super) fn king_steps(&self, sink: &mut impl Sink) {
        let king = self.board.king(Us::COLOR);
        sink.piece(MoveKind::King, king, attacks::king(king) - self.us() - self.masks.danger);
    }

    /// King and rook go to fixed squares from wherever they stand. All squares that either
    /// passes or lands on must be empty but for the two themselves, and the king must not
    /// start, pass or land under attack. A rook that shields its king along the back rank
    /// is pinned, and castling would lift the shield.
    #[inline(always)]
    pub(super) fn castling(&self, sink: &mut impl Sink) {
        let rooks = self.board.castling().rooks_of(Us::COLOR);
        if rooks.is_empty() || !self.masks.checkers.is_empty() {
            return;
        }
        let king = self.board.king(Us::COLOR);
        for rook in rooks - self.masks.pin_orthogonal {
            let (king_to, rook_to) = castled_squares(Us::COLOR, king, rook);
            let king_path = attacks::between(king, king_to) | king_to.bitboard();
            let rook_path = attacks::between(rook, rook_to) | rook_to.bitboard();
            let others = self.board.occupied() - king.bitboard() - rook.bitboard();
            let blocked = others.meets(king_path | rook_path);
            if !blocked && !self.masks.danger.meets(king_path) {
                sink.single(Move::new(king, rook, MoveKind::Castle));
            }
        }
    }
}

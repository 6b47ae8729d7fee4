//! King steps, and castling under Chess960's rules.

use super::{Generator, MoveSink};
use crate::attacks::{self, Sliders};
use crate::board::{Board, CastlingPath};
use crate::types::{Bitboard, Move, MoveKind, Side};

impl<S: Sliders, Us: Side> Generator<'_, S, Us> {
    #[inline(always)]
    pub(super) fn king_steps(&self, sink: &mut impl MoveSink) {
        let king = self.board.king(Us::COLOR);
        sink.piece(MoveKind::King, king, attacks::king(king) - self.us() - self.masks.danger);
    }

    #[inline(always)]
    pub(super) fn castling(&self, sink: &mut impl MoveSink) {
        if self.masks.checkers.is_empty() {
            let (pinned, danger) = (self.masks.pin_orthogonal, self.masks.danger);
            castling::<Us>(self.board, pinned, danger, |mv| sink.single(mv));
        }
    }
}

/// Finds the castling moves of a side that is not in check. The king must not cross or land on an
/// attacked square, and the squares of both pieces must be free. A rook that shields its king along
/// the back rank is pinned: castling would expose the king.
#[inline(always)]
pub(crate) fn castling<Us: Side>(
    board: &Board,
    pinned: Bitboard,
    danger: Bitboard,
    mut found: impl FnMut(Move),
) {
    let king = board.king(Us::COLOR);
    for rook in board.castling().rooks_of(Us::COLOR) - pinned {
        // King and rook pass each other, so one of them crosses each square between them.
        if attacks::between(king, rook).intersects(board.occupied()) {
            continue;
        }
        let path = CastlingPath::new(Us::COLOR, king, rook);
        let others = board.occupied() - king.bitboard() - rook.bitboard();
        if !others.intersects(path.empty) && !danger.intersects(path.safe) {
            found(Move::new(king, rook, MoveKind::Castle));
        }
    }
}

//! Pawns, all at once: a set of pawns moves by a shift.

use super::{Generator, MoveSink};
use crate::attacks::{self, Sliders};
use crate::types::{Bitboard, Move, MoveKind, Piece, Side, Square};

impl<S: Sliders + Copy, Us: Side> Generator<'_, S, Us> {
    /// A pawn pinned on a file may push, one pinned on a diagonal may capture along it. It is
    /// enough that the step ends on some pin line of that kind: a pawn's step from one line of
    /// the king never ends on another of the same kind.
    #[inline(always)]
    pub(super) fn pawns(&self, sink: &mut impl MoveSink) {
        let us = Us::COLOR;
        let masks = &self.masks;
        let pawns = self.ours(Piece::Pawn);
        let empty = !self.board.occupied();
        let promotion_rank = Bitboard::rank(us.promotion_rank());

        let pushers = pawns - masks.pin_diagonal;
        let free = (pushers - masks.pin_orthogonal).forward(us);
        let pinned = (pushers & masks.pin_orthogonal).forward(us) & masks.pin_orthogonal;
        let single = (free | pinned) & empty;
        let double = (single & Bitboard::rank(us.third_rank())).forward(us) & empty;
        let single = single & masks.targets;
        sink.pawns(MoveKind::Pawn, single - promotion_rank, us.up());
        sink.promotions(single & promotion_rank, us.up());
        sink.pawns(MoveKind::DoublePush, double & masks.targets, 2 * us.up());

        let capturers = pawns - masks.pin_orthogonal;
        let (free, pinned) = (capturers - masks.pin_diagonal, capturers & masks.pin_diagonal);
        let victims = self.them() & masks.targets;
        let (free, pinned) = (free.forward(us), pinned.forward(us));
        let east = free.east() | (pinned.east() & masks.pin_diagonal);
        let west = free.west() | (pinned.west() & masks.pin_diagonal);
        for (reach, delta) in [(east, Square::EAST), (west, -Square::EAST)] {
            let captures = reach & victims;
            sink.pawns(MoveKind::Pawn, captures - promotion_rank, us.up() + delta);
            sink.promotions(captures & promotion_rank, us.up() + delta);
        }

        self.en_passant(sink);
    }

    #[inline(always)]
    pub(super) fn en_passant(&self, sink: &mut impl MoveSink) {
        let us = Us::COLOR;
        if let Some(to) = self.board.en_passant() {
            for from in attacks::pawn(!us, to) & self.ours(Piece::Pawn) {
                if self.board.en_passant_is_legal(self.sliders, us, from, to) {
                    sink.single(Move::new(from, to, MoveKind::EnPassant));
                }
            }
        }
    }
}

//! Replies to a check. They are few, and found without making the move.

use super::super::target::Target;
use super::context::Context;
use crate::attacks;
use crate::types::{Bitboard, Piece, Side, Square};

impl<T: Target, Us: Side> Context<'_, T, Us> {
    /// The number of replies to a move that gives check. It is neither castling nor en passant, and
    /// allows no en passant; a promotion is a move of the new piece.
    #[inline(always)]
    pub fn replies_to_check(&self, piece: Piece, from: Square, to: Square) -> i32 {
        let king = self.their_king;
        let attacked = self.attacked_after(piece, from, to, king.bitboard());
        let (from, to) = (from.bitboard(), to.bitboard());
        let theirs = self.theirs - to;
        let occupied = (self.occupied - from) | to;
        let steps = (attacks::king(king) - theirs - attacked).len() as i32;

        // The checker and the squares between it and the king.
        let mut targets = to
            & match piece {
                Piece::Pawn => attacks::pawn(Self::THEM, king),
                Piece::Knight => attacks::knight(king),
                _ => Bitboard::EMPTY,
            };
        let mut checkers = targets;
        let mut pinned = Bitboard::EMPTY;
        let [orthogonal, diagonal] = self.sliders_after(piece, from, to);
        for line in attacks::slider_lines(king, orthogonal, diagonal, occupied) {
            if line.blockers.is_empty() {
                checkers |= line.slider.bitboard();
                targets |= line.with_slider();
            } else if !line.blockers.more_than_one() {
                pinned |= line.blockers;
            }
        }
        if checkers.more_than_one() {
            return steps;
        }
        steps + self.answers(theirs - pinned, occupied, targets, checkers)
    }

    /// The number of moves of pieces other than the king to `targets`, one of which is the checker.
    #[inline(always)]
    fn answers(
        &self,
        pieces: Bitboard,
        occupied: Bitboard,
        targets: Bitboard,
        checker: Bitboard,
    ) -> i32 {
        let last = Bitboard::rank(Self::THEM.promotion_rank());
        let third = Bitboard::rank(Self::THEM.third_rank());
        let front = (pieces & self.board.pieces(Piece::Pawn)).forward(Self::THEM);
        let single = front - occupied;
        let double = (single & third).forward(Self::THEM) - occupied;
        let (single, double) = (single & targets, double & targets);
        let captures = [front.east() & checker, front.west() & checker];
        let mut count = single.len() + double.len() + captures[0].len() + captures[1].len();
        if targets.intersects(last) {
            let promoted = [single, captures[0], captures[1]].map(|to| (to & last).len());
            count += 3 * (promoted[0] + promoted[1] + promoted[2]);
        }
        let knights = pieces & self.board.pieces(Piece::Knight);
        let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & pieces);
        for target in targets {
            let from = (attacks::knight(target) & knights)
                | (self.target.rook(target, occupied) & orthogonal)
                | (self.target.bishop(target, occupied) & diagonal);
            count += from.len();
        }
        count as i32
    }
}

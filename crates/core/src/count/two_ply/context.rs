//! The position with two plies left.

use std::marker::PhantomData;

use super::super::target::Target;
use super::rays::Open;
use crate::attacks;
use crate::board::Board;
use crate::types::{Bitboard, Color, Piece, Side, Square};

/// The sets that every part of the kernel needs. `Us` is to move.
pub(super) struct Context<'a, T: Target, Us> {
    pub board: &'a Board,
    pub ours: Bitboard,
    pub theirs: Bitboard,
    pub occupied: Bitboard,
    pub empty: Bitboard,
    pub target: T,
    pub open: Open<T>,
    pub our_king: Square,
    pub their_king: Square,
    side: PhantomData<Us>,
}

impl<'a, T: Target, Us: Side> Context<'a, T, Us> {
    pub const US: Color = Us::COLOR;
    pub const THEM: Color = Us::COLOR.opponent();

    #[inline(always)]
    pub fn new(target: T, board: &'a Board) -> Self {
        let (ours, theirs) = (board.colors(Self::US), board.colors(Self::THEM));
        let occupied = ours | theirs;
        Self {
            board,
            ours,
            theirs,
            occupied,
            empty: !occupied,
            target,
            open: Open::new(target, !occupied),
            our_king: board.king(Self::US),
            their_king: board.king(Self::THEM),
            side: PhantomData,
        }
    }

    /// Our pieces of a kind.
    #[inline(always)]
    pub fn our(&self, piece: Piece) -> Bitboard {
        self.ours & self.board.pieces(piece)
    }

    /// Their pieces of a kind.
    #[inline(always)]
    pub fn their(&self, piece: Piece) -> Bitboard {
        self.theirs & self.board.pieces(piece)
    }

    /// Rooks and queens, and bishops and queens, of both sides.
    #[inline(always)]
    pub fn sliders(&self) -> [Bitboard; 2] {
        let queens = self.board.pieces(Piece::Queen);
        [self.board.pieces(Piece::Rook) | queens, self.board.pieces(Piece::Bishop) | queens]
    }

    /// The squares that they attack, given the attacks of their sliders. Our king shields no
    /// square unless it is in check.
    #[inline(always)]
    pub fn danger(&self, their_sliders: Bitboard) -> Bitboard {
        their_sliders
            | attacks::pawns(Self::THEM, self.their(Piece::Pawn))
            | attacks::knights(self.their(Piece::Knight))
            | attacks::king(self.their_king)
    }

    /// Our pinned pieces; we are not in check.
    #[inline(always)]
    pub fn our_pinned(&self) -> Bitboard {
        let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & self.theirs);
        let lines = attacks::slider_lines(self.our_king, orthogonal, diagonal, self.occupied);
        lines.only_blockers() & self.ours
    }
}

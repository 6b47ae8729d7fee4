//! The position with two plies left, as the kernel looks at it.

use std::marker::PhantomData;

use super::lanes::Lanes;
use super::rays::Open;
use crate::attacks;
use crate::board::Board;
use crate::sliders::Sliders;
use crate::types::{Bitboard, Color, Piece, Side, Square};

/// The sets that every part of the kernel asks for. `Us` is to move.
pub(super) struct Scene<'a, S, L, Us> {
    pub board: &'a Board,
    pub ours: Bitboard,
    pub theirs: Bitboard,
    pub occupied: Bitboard,
    pub empty: Bitboard,
    pub open: Open<L>,
    pub our_king: Square,
    pub their_king: Square,
    side: PhantomData<(S, Us)>,
}

impl<'a, S: Sliders, L: Lanes, Us: Side> Scene<'a, S, L, Us> {
    pub const US: Color = Us::COLOR;
    pub const THEM: Color = Us::COLOR.opponent();

    #[inline(always)]
    pub fn new(board: &'a Board) -> Self {
        let (ours, theirs) = (board.color(Self::US), board.color(Self::THEM));
        let occupied = ours | theirs;
        Self {
            board,
            ours,
            theirs,
            occupied,
            empty: !occupied,
            open: Open::new(!occupied),
            our_king: board.king(Self::US),
            their_king: board.king(Self::THEM),
            side: PhantomData,
        }
    }

    /// Our men of a kind.
    #[inline(always)]
    pub fn our(&self, piece: Piece) -> Bitboard {
        self.ours & self.board.pieces(piece)
    }

    /// Their men of a kind.
    #[inline(always)]
    pub fn their(&self, piece: Piece) -> Bitboard {
        self.theirs & self.board.pieces(piece)
    }

    /// Both sides' men that go along ranks and files, and those that go along diagonals.
    #[inline(always)]
    pub fn sliders(&self) -> [Bitboard; 2] {
        let queens = self.board.pieces(Piece::Queen);
        [self.board.pieces(Piece::Rook) | queens, self.board.pieces(Piece::Bishop) | queens]
    }

    /// All that they attack, given what their sliders see. Our king hides nothing from them
    /// unless it is in check.
    #[inline(always)]
    pub fn danger(&self, their_sliders: Bitboard) -> Bitboard {
        their_sliders
            | attacks::pawns(Self::THEM, self.their(Piece::Pawn))
            | attacks::knights(self.their(Piece::Knight))
            | attacks::king(self.their_king)
    }

    /// Our men that their sliders pin, we not being in check.
    #[inline(always)]
    pub fn our_pinned(&self) -> Bitboard {
        let [orthogonal, diagonal] = self.sliders();
        let king = self.our_king;
        let aligned = attacks::aligned(king, orthogonal, diagonal);
        let mut pinned = Bitboard::EMPTY;
        for slider in aligned & self.theirs {
            let men = attacks::between(king, slider) & self.occupied;
            if !men.has_many() {
                pinned |= men & self.ours;
            }
        }
        pinned
    }
}

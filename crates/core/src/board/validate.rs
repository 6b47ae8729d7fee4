//! Positions that can be played on.
//!
//! A position is refused only where play from it is not defined: one king a side, no pawns on the
//! back ranks, the side not to move not in check, castling rights with their king and rook. Whether
//! a game reaches it is the question of `impossible`.

use super::{Board, Impossibility};
use crate::attacks::magic::Magic;
use crate::types::{Bitboard, CastlingMode, CastlingSide, Color, File, Piece, Rank, Square};

/// The reason why a well-formed position cannot be played on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A side has no king, or several.
    #[error("{color} has {found} kings, not one")]
    Kings {
        /// The side.
        color: Color,
        /// The number found.
        found: u32,
    },
    /// A pawn stands where none can.
    #[error("a pawn on {square}: no pawn can stand on rank 1 or 8")]
    PawnOnBackRank {
        /// The square of the pawn.
        square: Square,
    },
    /// The side that has just moved left its king in check.
    #[error("{color} is in check from {checker} but it is not {color}'s move")]
    OpponentInCheck {
        /// The side of the attacked king.
        color: Color,
        /// One of the attackers.
        checker: Square,
    },
    /// A castling right without its king on the back rank.
    #[error("castling right '{right}' but {color}'s king is on {king}")]
    CastlingKing {
        /// The letter in the FEN.
        right: char,
        /// The side.
        color: Color,
        /// The square of the king.
        king: Square,
    },
    /// A castling right without its rook.
    #[error("castling right '{right}' but {color} has no rook to castle with there")]
    CastlingRook {
        /// The letter in the FEN.
        right: char,
        /// The side.
        color: Color,
    },
    /// Two rights on one side of the king.
    #[error("castling right '{right}' is the second on its side of the king")]
    CastlingTwice {
        /// The letter in the FEN.
        right: char,
    },
    /// A right that only Chess960 has.
    #[error("castling right '{right}' is one of Chess960, not of standard chess")]
    CastlingNeedsChess960 {
        /// The letter in the FEN.
        right: char,
    },
    /// No game reaches it: an error only if that is asked for.
    #[error("no game reaches the position: {0}")]
    Impossible(#[from] Impossibility),
}

impl Board {
    /// Checks the pieces: everything that [`PositionError`] lists but castling rights.
    pub(super) fn validate(&self) -> Result<(), PositionError> {
        for color in Color::ALL {
            let found = self.colored_pieces(color, Piece::King).len();
            if found != 1 {
                return Err(PositionError::Kings { color, found });
            }
        }
        let back_ranks = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        if let Some(square) = (self.pieces(Piece::Pawn) & back_ranks).first() {
            return Err(PositionError::PawnOnBackRank { square });
        }
        let them = !self.side_to_move;
        let checkers = self.attackers(Magic, self.king(them), self.occupied());
        match (checkers & self.colors(self.side_to_move)).first() {
            Some(checker) => Err(PositionError::OpponentInCheck { color: them, checker }),
            None => Ok(()),
        }
    }

    /// Adds the right to castle with a rook; `right` is its letter, for errors.
    pub(super) fn add_castling_right(
        &mut self,
        color: Color,
        rook: Option<Square>,
        right: char,
    ) -> Result<(), PositionError> {
        let king = self.king(color);
        if king.rank() != color.back_rank() {
            return Err(PositionError::CastlingKing { right, color, king });
        }
        let rooks = self.colored_pieces(color, Piece::Rook) & Bitboard::rank(color.back_rank());
        let no_rook = PositionError::CastlingRook { right, color };
        let rook = rook.filter(|&rook| rooks.contains(rook)).ok_or(no_rook.clone())?;
        if self.castling().rook(color, king, CastlingSide::of(king, rook)).is_some() {
            return Err(PositionError::CastlingTwice { right });
        }
        self.set_castling(self.castling().with(rook));
        if self.mode == CastlingMode::Standard && !self.has_standard_castling() {
            return Err(match king.file() {
                File::E => no_rook,
                _ => PositionError::CastlingKing { right, color, king },
            });
        }
        Ok(())
    }

    /// Sets the en-passant square if a legal capture exists there. Returns whether it is honored:
    /// whether a double push can have left it.
    pub(super) fn add_en_passant(&mut self, square: Square) -> bool {
        let is_honored = self.not_left_by_a_push(square).is_none();
        if is_honored && self.en_passant_is_possible(Magic, square) {
            self.set_en_passant(Some(square));
        }
        is_honored
    }

    /// The reason why no double push can have left an en-passant square.
    pub(super) fn not_left_by_a_push(&self, square: Square) -> Option<Impossibility> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        if square.rank() != them.third_rank() {
            return Some(Impossibility::EnPassantRank { square, side: us });
        }
        let pawn = square.forward(them);
        if !self.colored_pieces(them, Piece::Pawn).contains(pawn) {
            return Some(Impossibility::EnPassantWithoutPawn { square, color: them, pawn });
        }
        let blocked = [square, square.forward(us)].into_iter();
        let mut blocked = blocked.filter(|&empty| self.occupied().contains(empty));
        blocked.next().map(|occupied| Impossibility::EnPassantBlocked { square, occupied })
    }
}

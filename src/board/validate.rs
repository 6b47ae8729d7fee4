//! Positions that can be played on.
//!
//! The check is about what can arise, as far as the position alone shows it: one king a side, the
//! side not to move not in check, no more pieces than a game has. It does not ask whether a game
//! leads to the position.

use super::Board;
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
    /// A side has more than sixteen pieces.
    #[error("{color} has {found} pieces and pawns, more than 16")]
    TooManyPieces {
        /// The side.
        color: Color,
        /// The number found.
        found: u32,
    },
    /// More pieces than the missing pawns could have become.
    #[error(
        "{color} has {promoted} promoted pieces at least and {pawns} pawns, \
         more than 8 pawns could have become"
    )]
    TooManyPromotions {
        /// The side.
        color: Color,
        /// Pieces beyond those of the start position.
        promoted: u32,
        /// Pawns still on the board.
        pawns: u32,
    },
    /// The side that has just moved left its king in check.
    #[error("{color} is in check from {checker} but it is not {color}'s move")]
    OpponentInCheck {
        /// The side of the attacked king.
        color: Color,
        /// One of the attackers.
        checker: Square,
    },
    /// No single move gives these checks.
    #[error("{found} pieces give check at once ({list}), which no move can bring about", list = list(*checkers), found = checkers.len())]
    ImpossibleCheck {
        /// The pieces that give check.
        checkers: Bitboard,
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
    /// An en-passant square on the wrong rank for the side to move.
    #[error("en-passant square {square} with {side} to move")]
    EnPassantRank {
        /// The square.
        square: Square,
        /// The side to move.
        side: Color,
    },
    /// There is no pawn that could have crossed the en-passant square.
    #[error("en-passant square {square} but no {color} pawn on {pawn}")]
    EnPassantWithoutPawn {
        /// The square in the FEN.
        square: Square,
        /// The color of the missing pawn.
        color: Color,
        /// Its square.
        pawn: Square,
    },
    /// A piece stands where the pawn crossed or came from.
    #[error("en-passant square {square} but {occupied} is occupied")]
    EnPassantBlocked {
        /// The square in the FEN.
        square: Square,
        /// The square that should be empty.
        occupied: Square,
    },
}

fn list(squares: Bitboard) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    names.join(", ")
}

impl Board {
    /// Checks the pieces: everything that [`PositionError`] lists but castling rights and en
    /// passant.
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
        for color in Color::ALL {
            self.validate_pieces(color)?;
        }
        self.validate_checks()
    }

    fn validate_pieces(&self, color: Color) -> Result<(), PositionError> {
        let found = self.colors(color).len();
        if found > 16 {
            return Err(PositionError::TooManyPieces { color, found });
        }
        let beyond = |pieces: Bitboard, at_start: u32| pieces.len().saturating_sub(at_start);
        let bishops = self.colored_pieces(color, Piece::Bishop);
        let promoted = beyond(self.colored_pieces(color, Piece::Knight), 2)
            + beyond(bishops & Bitboard::LIGHT, 1)
            + beyond(bishops - Bitboard::LIGHT, 1)
            + beyond(self.colored_pieces(color, Piece::Rook), 2)
            + beyond(self.colored_pieces(color, Piece::Queen), 1);
        let pawns = self.colored_pieces(color, Piece::Pawn).len();
        if promoted + pawns > 8 {
            return Err(PositionError::TooManyPromotions { color, promoted, pawns });
        }
        Ok(())
    }

    fn validate_checks(&self) -> Result<(), PositionError> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let attackers_of = |color: Color| {
            self.attackers(Magic, self.king(color), self.occupied()) & self.colors(!color)
        };
        if let Some(checker) = attackers_of(them).first() {
            return Err(PositionError::OpponentInCheck { color: them, checker });
        }
        // A move can check and discover one more check; en passant, which removes two pieces, can
        // discover two. Of two checkers one is discovered, so it slides.
        let checkers = attackers_of(us);
        let sliders = self.orthogonal(them) | self.diagonal(them);
        if checkers.len() > 2 || (checkers.len() == 2 && !checkers.intersects(sliders)) {
            return Err(PositionError::ImpossibleCheck { checkers });
        }
        Ok(())
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

    /// Sets the en-passant square if a legal capture exists there.
    pub(super) fn add_en_passant(&mut self, square: Square) -> Result<(), PositionError> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        if square.rank() != them.third_rank() {
            return Err(PositionError::EnPassantRank { square, side: us });
        }
        for empty in [square, square.forward(us)] {
            if self.occupied().contains(empty) {
                return Err(PositionError::EnPassantBlocked { square, occupied: empty });
            }
        }
        let pawn = square.forward(them);
        if !self.colored_pieces(them, Piece::Pawn).contains(pawn) {
            return Err(PositionError::EnPassantWithoutPawn { square, color: them, pawn });
        }
        if self.en_passant_is_possible(Magic, square) {
            self.set_en_passant(Some(square));
        }
        Ok(())
    }
}

//! Which positions can be played on.
//!
//! The check is about what can arise, as far as it can be told from the position alone:
//! one king a side, nobody in check who is not to move, no more men than there ever were.
//! It does not ask whether a game leads here.

use super::Board;
use crate::sliders::Fancy;
use crate::types::{Bitboard, Color, Piece, Rank, Square};

/// Why a position that is well written cannot be played on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A side has no king, or several.
    #[error("{color} has {found} kings, not one")]
    Kings {
        /// Whose kings.
        color: Color,
        /// How many there are.
        found: u32,
    },
    /// A pawn stands where none can.
    #[error("a pawn on {square}: no pawn can stand on rank 1 or 8")]
    PawnOnBackRank {
        /// Where it stands.
        square: Square,
    },
    /// A side has more than sixteen men.
    #[error("{color} has {found} pieces and pawns, more than 16")]
    TooManyMen {
        /// Whose men.
        color: Color,
        /// How many there are.
        found: u32,
    },
    /// More pieces than the missing pawns could have become.
    #[error(
        "{color} has {promoted} promoted pieces at least and {pawns} pawns, \
         more than 8 pawns could have become"
    )]
    TooManyPromotions {
        /// Whose men.
        color: Color,
        /// Pieces beyond those of the start position.
        promoted: u32,
        /// Pawns still on the board.
        pawns: u32,
    },
    /// The side that has just moved left its king in check.
    #[error("{color} is in check from {checker} but it is not {color}'s move")]
    OpponentInCheck {
        /// Whose king is attacked.
        color: Color,
        /// One of the attackers.
        checker: Square,
    },
    /// No single move gives these checks.
    #[error("{found} pieces give check at once ({list}), which no move can bring about", list = list(*checkers), found = checkers.len())]
    ImpossibleCheck {
        /// The men that give check.
        checkers: Bitboard,
    },
    /// A castling right without its king on the back rank.
    #[error("castling right '{right}' but {color}'s king is on {king}")]
    CastlingKing {
        /// The letter in the FEN.
        right: char,
        /// Whose right.
        color: Color,
        /// Where the king is.
        king: Square,
    },
    /// A castling right without its rook.
    #[error("castling right '{right}' but {color} has no rook to castle with there")]
    CastlingRook {
        /// The letter in the FEN.
        right: char,
        /// Whose right.
        color: Color,
    },
    /// Two rights for one wing.
    #[error("castling right '{right}' is the second for its wing")]
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
    /// There is no pawn that could have passed over the en-passant square.
    #[error("en-passant square {square} but no {color} pawn on {pawn}")]
    EnPassantWithoutPawn {
        /// The square in the FEN.
        square: Square,
        /// Whose pawn is missing.
        color: Color,
        /// Where it should stand.
        pawn: Square,
    },
    /// A man stands where the pawn passed over or came from.
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
    /// Checks what [`PositionError`] lists, castling rights and en passant apart: the
    /// reader of FEN sees to those.
    pub(super) fn validate(&self) -> Result<(), PositionError> {
        for color in Color::ALL {
            let found = self.men(color, Piece::King).len();
            if found != 1 {
                return Err(PositionError::Kings { color, found });
            }
        }
        let back_ranks = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        if let Some(square) = (self.pieces(Piece::Pawn) & back_ranks).first() {
            return Err(PositionError::PawnOnBackRank { square });
        }
        for color in Color::ALL {
            self.validate_men(color)?;
        }
        self.validate_checks()
    }

    fn validate_men(&self, color: Color) -> Result<(), PositionError> {
        let found = self.color(color).len();
        if found > 16 {
            return Err(PositionError::TooManyMen { color, found });
        }
        let beyond = |men: Bitboard, at_start: u32| men.len().saturating_sub(at_start);
        let bishops = self.men(color, Piece::Bishop);
        let promoted = beyond(self.men(color, Piece::Knight), 2)
            + beyond(bishops & Bitboard::LIGHT, 1)
            + beyond(bishops - Bitboard::LIGHT, 1)
            + beyond(self.men(color, Piece::Rook), 2)
            + beyond(self.men(color, Piece::Queen), 1);
        let pawns = self.men(color, Piece::Pawn).len();
        if promoted + pawns > 8 {
            return Err(PositionError::TooManyPromotions { color, promoted, pawns });
        }
        Ok(())
    }

    fn validate_checks(&self) -> Result<(), PositionError> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let attackers_of = |color: Color| {
            self.attackers::<Fancy>(self.king(color), self.occupied()) & self.color(!color)
        };
        if let Some(checker) = attackers_of(them).first() {
            return Err(PositionError::OpponentInCheck { color: them, checker });
        }
        // One man can move into check and discover one more; en passant, which takes away
        // two, can discover two. Of two checkers one is discovered, so it slides.
        let checkers = attackers_of(us);
        let sliders = self.orthogonal(them) | self.diagonal(them);
        if checkers.len() > 2 || (checkers.len() == 2 && !checkers.meets(sliders)) {
            return Err(PositionError::ImpossibleCheck { checkers });
        }
        Ok(())
    }
}

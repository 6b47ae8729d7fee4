//! FEN: reading, strictly, and writing.
//!
//! A FEN has six fields: men, side, castling, en passant, halfmove clock, move number. The
//! clocks may be left out together and are then `0 1`.
//!
//! The reader refuses whatever is not a position, and names the culprit. It is lenient in
//! three points, which do not change what is counted:
//! - fields may be separated by any amount of white space;
//! - an en-passant square behind a pawn that could have just moved is accepted even if no
//!   pawn can take there, and left out of the board: FEN (always given), X-FEN (given if a
//!   pawn stands beside) and the strict convention (given if a capture is legal) read alike;
//! - castling letters may come in any order, and the clocks may be any number up to 65535.
//!
//! ```
//! use perft::{Board, Variant};
//!
//! let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2";
//! let board = Board::from_fen(fen, Variant::Standard)?;
//! assert_eq!(board.en_passant(), None);
//!
//! let error = Board::from_fen("8/8/8/8/8/8/8/8 w - -", Variant::Standard).unwrap_err();
//! assert_eq!(error.to_string(), "White has 0 kings, not one");
//! # Ok::<(), perft::BoardError>(())
//! ```

use std::fmt::Write;

use super::{Board, PositionError};
use crate::sliders::Fancy;
use crate::types::{Bitboard, CastlingRights, Color, File, Piece, Rank, Square, Variant, Wing};

/// A text that is not a FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// The text ends too early.
    #[error(
        "the FEN has no {field} field (it needs pieces, side to move, castling and en passant)"
    )]
    MissingField {
        /// The first field that is missing.
        field: &'static str,
    },
    /// One of the two clocks, without the other.
    #[error("the FEN has a halfmove clock ({halfmove:?}) and no move number (both or neither)")]
    MissingMoveNumber {
        /// The field before it.
        halfmove: String,
    },
    /// Something follows the last field.
    #[error("{found:?} after the FEN's six fields")]
    ExtraField {
        /// The first word too many.
        found: String,
    },
    /// Not eight ranks.
    #[error("{found} ranks in {men:?}, not 8")]
    RankCount {
        /// The field.
        men: String,
        /// How many ranks it has.
        found: usize,
    },
    /// A rank that is not eight squares wide.
    #[error("rank {} ({text:?}) is {width} squares wide, not 8", rank.digit())]
    RankWidth {
        /// Which rank.
        rank: Rank,
        /// How FEN spells it.
        text: String,
        /// How wide it is.
        width: u32,
    },
    /// Two numbers of empty squares side by side.
    #[error("rank {} ({text:?}) has two digits in a row", rank.digit())]
    AdjacentDigits {
        /// Which rank.
        rank: Rank,
        /// How FEN spells it.
        text: String,
    },
    /// A letter that is no man.
    #[error("{found:?} on rank {} is not a piece (PNBRQK or pnbrqk) or a digit 1 to 8", rank.digit())]
    BadPiece {
        /// The letter.
        found: char,
        /// Which rank.
        rank: Rank,
    },
    /// Neither White nor Black.
    #[error("{found:?} is not a side to move (w or b)")]
    BadSide {
        /// The field.
        found: String,
    },
    /// A letter that is no castling right.
    #[error("{found:?} in {field:?} is not a castling right (KQkq, A-H, a-h, or - for none)")]
    BadCastling {
        /// The letter.
        found: char,
        /// The field.
        field: String,
    },
    /// Not a square that a pawn can pass over.
    #[error("{found:?} is not an en-passant square with {side} to move ({rank} or -)", rank = match side { Color::White => "a6 to h6", Color::Black => "a3 to h3" })]
    BadEnPassant {
        /// The field.
        found: String,
        /// Who is to move.
        side: Color,
    },
    /// Not a number.
    #[error("{found:?} is not a {field} (0 to 65535)")]
    BadClock {
        /// Which of the clocks.
        field: &'static str,
        /// The field.
        found: String,
    },
}

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// It is not written as FEN wants it.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// It is well written, but not a position that can be played on.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// The en-passant square that a FEN names.
pub(crate) fn passed_square(fen: &str) -> Option<Square> {
    fen.split_whitespace().nth(3).and_then(|field| field.parse().ok())
}

impl Board {
    /// Reads a position; see the [module](self) for what is accepted.
    ///
    /// # Errors
    /// The first thing that is found wrong: a field that is missing, then what cannot be read, then
    /// what cannot be a position.
    pub fn from_fen(text: &str, variant: Variant) -> Result<Self, BoardError> {
        let mut fields = text.split_whitespace();
        let mut field = |field| fields.next().ok_or(FenError::MissingField { field });
        let (men, side) = (field("piece")?, field("side to move")?);
        let (castling, en_passant) = (field("castling")?, field("en passant")?);

        let side = match side {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::BadSide { found: side.to_owned() }.into()),
        };
        let mut board = Self::empty(side);
        board.read_men(men)?;
        if let Some(halfmove) = fields.next() {
            board.state.halfmove_clock = clock("halfmove clock", halfmove)?;
            let fullmove = fields
                .next()
                .ok_or_else(|| FenError::MissingMoveNumber { halfmove: halfmove.to_owned() })?;
            board.state.fullmove_number = clock("move number", fullmove)?;
        }
        if let Some(extra) = fields.next() {
            return Err(FenError::ExtraField { found: extra.to_owned() }.into());
        }

        board.validate()?;
        board.read_castling(castling, variant)?;
        board.read_en_passant(en_passant)?;
        board.state.key = board.key_from_scratch();
        debug_assert_eq!(board.check_invariants(), Ok(()));
        Ok(board)
    }

    fn read_men(&mut self, men: &str) -> Result<(), FenError> {
        let ranks: Vec<&str> = men.split('/').collect();
        if ranks.len() != 8 {
            return Err(FenError::RankCount { men: men.to_owned(), found: ranks.len() });
        }
        for (text, rank) in ranks.into_iter().zip(Rank::ALL.into_iter().rev()) {
            let mut width = 0;
            let mut after_digit = false;
            for letter in text.chars() {
                if let Some(empty @ 1..=8) = letter.to_digit(10) {
                    if after_digit {
                        return Err(FenError::AdjacentDigits { rank, text: text.to_owned() });
                    }
                    width += empty;
                    after_digit = true;
                    continue;
                }
                let bad_piece = FenError::BadPiece { found: letter, rank };
                let piece = Piece::from_letter(letter).ok_or(bad_piece)?;
                let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
                if let Some(&file) = File::ALL.get(width as usize) {
                    self.toggle(color, piece, Square::new(file, rank));
                }
                width += 1;
                after_digit = false;
            }
            if width != 8 {
                return Err(FenError::RankWidth { rank, text: text.to_owned(), width });
            }
        }
        Ok(())
    }

    fn read_castling(&mut self, field: &str, variant: Variant) -> Result<(), BoardError> {
        if field == "-" {
            return Ok(());
        }
        for letter in field.chars() {
            let bad_letter = || FenError::BadCastling { found: letter, field: field.to_owned() };
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let king = self.king(color);
            let rooks = self.men(color, Piece::Rook) & Bitboard::rank(color.back_rank());
            let rook = match letter.to_ascii_lowercase() {
                // X-FEN: the outermost rook of the wing.
                'k' => rooks.last().filter(|&rook| Wing::of(king, rook) == Wing::King),
                'q' => rooks.first().filter(|&rook| Wing::of(king, rook) == Wing::Queen),
                _ => {
                    let file = File::from_letter(letter).ok_or_else(bad_letter)?;
                    if variant == Variant::Standard {
                        return Err(PositionError::CastlingNeedsChess960 { right: letter }.into());
                    }
                    Some(Square::new(file, color.back_rank())).filter(|&sq| rooks.contains(sq))
                }
            };
            if king.rank() != color.back_rank() {
                return Err(PositionError::CastlingKing { right: letter, color, king }.into());
            }
            let rook = rook.ok_or(PositionError::CastlingRook { right: letter, color })?;
            if self.castling().rook(color, king, Wing::of(king, rook)).is_some() {
                return Err(PositionError::CastlingTwice { right: letter }.into());
            }
            self.set_castling(self.castling().with(rook));
            if variant == Variant::Standard && !self.has_standard_castling() {
                return Err(match king.file() {
                    File::E => PositionError::CastlingRook { right: letter, color },
                    _ => PositionError::CastlingKing { right: letter, color, king },
                }
                .into());
            }
        }
        Ok(())
    }

    fn read_en_passant(&mut self, field: &str) -> Result<(), BoardError> {
        if field == "-" {
            return Ok(());
        }
        let (us, them) = (self.side_to_move, !self.side_to_move);
        let square = field
            .parse::<Square>()
            .ok()
            .filter(|square| square.rank() == them.third_rank())
            .ok_or_else(|| FenError::BadEnPassant { found: field.to_owned(), side: us })?;
        for empty in [square, square.forward(us)] {
            if self.occupied().contains(empty) {
                return Err(PositionError::EnPassantBlocked { square, occupied: empty }.into());
            }
        }
        let pawn = square.forward(them);
        if !self.men(them, Piece::Pawn).contains(pawn) {
            return Err(PositionError::EnPassantWithoutPawn { square, color: them, pawn }.into());
        }
        if self.en_passant_is_possible::<Fancy>(square) {
            self.set_en_passant(Some(square));
        }
        Ok(())
    }

    /// Writes the position with all six fields.
    ///
    /// What was written is read back to an equal board, as long as the variant can express
    /// the castling rights (see [`Board::variant`]).
    pub fn fen(&self, variant: Variant) -> String {
        let mut text = String::with_capacity(90);
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.man_on(Square::new(file, rank)) {
                    None => empty += 1,
                    Some((color, piece)) => {
                        push_number(&mut text, empty);
                        empty = 0;
                        text.push(piece.fen_letter(color));
                    }
                }
            }
            push_number(&mut text, empty);
            if rank != Rank::First {
                text.push('/');
            }
        }
        text.push_str(match self.side_to_move {
            Color::White => " w ",
            Color::Black => " b ",
        });
        self.write_castling(&mut text, variant);
        match self.en_passant() {
            Some(square) => _ = write!(text, " {square}"),
            None => text.push_str(" -"),
        }
        _ = write!(text, " {} {}", self.halfmove_clock(), self.fullmove_number());
        text
    }

    fn write_castling(&self, text: &mut String, variant: Variant) {
        if self.castling() == CastlingRights::NONE {
            text.push('-');
        }
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling().rook(color, self.king(color), wing) else {
                    continue;
                };
                text.push(match (variant, color) {
                    (Variant::Standard, _) => wing.fen_letter(color),
                    (Variant::Chess960, Color::White) => rook.file().letter().to_ascii_uppercase(),
                    (Variant::Chess960, Color::Black) => rook.file().letter(),
                });
            }
        }
    }
}

fn clock(field: &'static str, text: &str) -> Result<u16, FenError> {
    // `parse` would take a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| FenError::BadClock { field, found: text.to_owned() })
}

fn push_number(text: &mut String, empty: u8) {
    if empty > 0 {
        text.push((b'0' + empty) as char);
    }
}

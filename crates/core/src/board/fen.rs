//! FEN: reading and writing.
//!
//! A FEN has six fields: pieces, side to move, castling, en passant, halfmove clock, move number.
//! The clocks may be left out together and are then `0 1`.
//!
//! The reader refuses anything that is not a position to play on and names the culprit. It is
//! lenient in these points, which do not change what is counted:
//! - fields may be separated by any amount of white space;
//! - an en-passant square behind a pawn that could have just moved is accepted even if no
//!   pawn can capture there, and left out of the board: FEN (always given), X-FEN (given if a
//!   pawn stands beside) and the strict convention (given if a capture is legal) read alike;
//! - one that no double push can have left is ignored: see [`Position::ignored_en_passant`];
//! - operations of EPD and the counts of a suite may follow: `bm e4; id "x";`, `;D1 20`;
//! - castling letters may come in any order;
//! - the clocks may be any number up to 65535.
//!
//! A board is written as its [castling mode](Board::castling_mode) has it; the alternate form
//! `{:#}` is always Shredder-FEN.
//!
//! ```
//! use perft_core::Board;
//!
//! let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2";
//! let board: Board = fen.parse()?;
//! assert_eq!(board.en_passant(), None);
//! assert_eq!(format!("{board:#}").split(' ').nth(2), Some("HAha"));
//!
//! let error = "8/8/8/8/8/8/8/8 w - -".parse::<Board>().unwrap_err();
//! assert_eq!(error.to_string(), "White has 0 kings, not one");
//! # Ok::<(), perft_core::FenError>(())
//! ```

use std::fmt::{self, Write};
use std::str::FromStr;

#[cfg(doc)]
use super::Position;
use super::{Board, BoardBuilder, PositionError};
use crate::types::{
    Bitboard, CastlingMode, CastlingRights, CastlingSide, Color, File, Piece, Rank, Square,
};

/// The reason why a text is not a FEN of a position that can be played on.
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
        /// The first extra field.
        found: String,
    },
    /// Not eight ranks.
    #[error("{found} ranks in {pieces:?}, not 8")]
    RankCount {
        /// The field.
        pieces: String,
        /// The number of ranks.
        found: usize,
    },
    /// A rank that is not eight squares wide.
    #[error("rank {} ({text:?}) is {width} squares wide, not 8", rank.digit())]
    RankWidth {
        /// The rank.
        rank: Rank,
        /// Its text.
        text: String,
        /// Its width.
        width: u32,
    },
    /// Two numbers of empty squares side by side.
    #[error("rank {} ({text:?}) has two digits in a row", rank.digit())]
    AdjacentDigits {
        /// The rank.
        rank: Rank,
        /// Its text.
        text: String,
    },
    /// A letter that is not a piece.
    #[error("{found:?} on rank {} is not a piece (PNBRQK or pnbrqk) or a digit 1 to 8", rank.digit())]
    BadPiece {
        /// The letter.
        found: char,
        /// The rank.
        rank: Rank,
    },
    /// Not a side to move.
    #[error("{found:?} is not a side to move (w or b)")]
    BadSide {
        /// The field.
        found: String,
    },
    /// A letter that is not a castling right.
    #[error("{found:?} in {field:?} is not a castling right (KQkq, A-H, a-h, or - for none)")]
    BadCastling {
        /// The letter.
        found: char,
        /// The field.
        field: String,
    },
    /// Not a square.
    #[error("{found:?} is not an en-passant square with {side} to move ({rank} or -)", rank = match side { Color::White => "a6 to h6", Color::Black => "a3 to h3" })]
    BadEnPassant {
        /// The field.
        found: String,
        /// The side to move.
        side: Color,
    },
    /// Not a number.
    #[error("{found:?} is not a {field} (0 to 65535)")]
    BadClock {
        /// The clock.
        field: &'static str,
        /// The field.
        found: String,
    },
    /// Well-formed, but not a position that can be played on.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// Whether a word names an operation of EPD. Operations may follow the fields of a FEN.
pub fn is_epd_opcode(word: &str) -> bool {
    const OPCODES: [&str; 25] = [
        "acd",
        "acn",
        "acs",
        "am",
        "bm",
        "ce",
        "dm",
        "draw_accept",
        "draw_claim",
        "draw_offer",
        "draw_reject",
        "eco",
        "fmvn",
        "hmvc",
        "id",
        "nic",
        "noop",
        "pm",
        "pv",
        "rc",
        "resign",
        "sm",
        "tcgs",
        "tcri",
        "tcsi",
    ];
    OPCODES.contains(&word) || matches!(word.as_bytes(), [b'c' | b'v', b'0'..=b'9'])
}

/// The text up to its operations: those of EPD, or the counts of a suite.
fn without_operations(text: &str) -> &str {
    let is_operation = |word: &str| {
        let is_count = word.strip_prefix(['D', 'd']).is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        is_count || is_epd_opcode(word)
    };
    let end = text.find(';').unwrap_or(text.len());
    let mut rest = &text[..end];
    for number in 0.. {
        let word_and_rest = rest.trim_start();
        let word = word_and_rest.split_whitespace().next().unwrap_or_default();
        if word.is_empty() || (number >= 4 && is_operation(word)) {
            return &text[..end - word_and_rest.len()];
        }
        rest = &word_and_rest[word.len()..];
    }
    text
}

/// The en-passant square that a FEN names.
pub(super) fn en_passant_field(fen: &str) -> Option<Square> {
    without_operations(fen).split_whitespace().nth(3).and_then(|field| field.parse().ok())
}

impl Board {
    /// Reads a position; see the [module](self) for what is accepted.
    ///
    /// # Errors
    /// The first error found: a missing field, then a malformed field, then a position that cannot
    /// be played on.
    pub fn from_fen(text: &str, mode: CastlingMode) -> Result<Self, FenError> {
        let mut fields = without_operations(text).split_whitespace();
        let mut field = |field| fields.next().ok_or(FenError::MissingField { field });
        let (pieces, side) = (field("piece")?, field("side to move")?);
        let (castling, en_passant) = (field("castling")?, field("en passant")?);

        let mut builder = Self::builder();
        builder.castling_mode(mode);
        builder.side_to_move(match side {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(FenError::BadSide { found: side.to_owned() }),
        });
        read_pieces(&mut builder, pieces)?;
        if let Some(halfmove) = fields.next() {
            let halfmove_clock = clock("halfmove clock", halfmove)?;
            let fullmove = fields
                .next()
                .ok_or_else(|| FenError::MissingMoveNumber { halfmove: halfmove.to_owned() })?;
            builder.clocks(halfmove_clock, clock("move number", fullmove)?);
        }
        if let Some(extra) = fields.next() {
            return Err(FenError::ExtraField { found: extra.to_owned() });
        }

        let mut board = builder.build_pieces()?;
        board.read_castling(castling)?;
        board.read_en_passant(en_passant)?;
        debug_assert_eq!(board.check_invariants(), Ok(()));
        Ok(board)
    }

    fn read_castling(&mut self, field: &str) -> Result<(), FenError> {
        if field == "-" {
            return Ok(());
        }
        for letter in field.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let king = self.king(color);
            let rooks = self.colored_pieces(color, Piece::Rook) & Bitboard::rank(color.back_rank());
            let on_side = |side| move |&rook: &Square| CastlingSide::of(king, rook) == side;
            let rook = match letter.to_ascii_lowercase() {
                // X-FEN: the outermost rook of the side.
                'k' => rooks.last().filter(on_side(CastlingSide::King)),
                'q' => rooks.first().filter(on_side(CastlingSide::Queen)),
                _ => {
                    let bad = FenError::BadCastling { found: letter, field: field.to_owned() };
                    let file = File::from_letter(letter).ok_or(bad)?;
                    if self.mode == CastlingMode::Standard {
                        return Err(PositionError::CastlingNeedsChess960 { right: letter }.into());
                    }
                    Some(Square::new(file, color.back_rank()))
                }
            };
            self.add_castling_right(color, rook, letter)?;
        }
        Ok(())
    }

    fn read_en_passant(&mut self, field: &str) -> Result<(), FenError> {
        if field == "-" {
            return Ok(());
        }
        let bad = |_| FenError::BadEnPassant { found: field.to_owned(), side: self.side_to_move };
        let square = field.parse::<Square>().map_err(bad)?;
        self.add_en_passant(square);
        Ok(())
    }
}

/// Castling is read as standard chess has it where that is possible, else as Chess960.
impl FromStr for Board {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        match Self::from_fen(text, CastlingMode::Standard) {
            Err(FenError::Position(
                PositionError::CastlingNeedsChess960 { .. }
                | PositionError::CastlingRook { .. }
                | PositionError::CastlingKing { .. },
            )) => {
                // Shredder-FEN rights may be those of standard chess.
                let board = Self::from_fen(text, CastlingMode::Chess960)?;
                Ok(board.with_castling_mode(CastlingMode::Standard).unwrap_or(board))
            }
            result => result,
        }
    }
}

/// The FEN with all six fields. It is read back to an equal board.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, self.en_passant())
    }
}

/// Writes a FEN with an en-passant square of the caller's choice.
pub(super) fn write(
    f: &mut fmt::Formatter<'_>,
    board: &Board,
    en_passant: Option<Square>,
) -> fmt::Result {
    for rank in Rank::ALL.into_iter().rev() {
        let mut empty = 0;
        for file in File::ALL {
            match board.colored_piece_on(Square::new(file, rank)) {
                None => empty += 1,
                Some((color, piece)) => {
                    write_empty(f, empty)?;
                    empty = 0;
                    f.write_char(piece.fen_letter(color))?;
                }
            }
        }
        write_empty(f, empty)?;
        if rank != Rank::First {
            f.write_char('/')?;
        }
    }
    f.write_str(match board.side_to_move {
        Color::White => " w ",
        Color::Black => " b ",
    })?;
    write_castling(f, board)?;
    match en_passant {
        Some(square) => write!(f, " {square}")?,
        None => f.write_str(" -")?,
    }
    write!(f, " {} {}", board.halfmove_clock(), board.fullmove_number())
}

fn write_empty(f: &mut fmt::Formatter<'_>, squares: u8) -> fmt::Result {
    if squares > 0 { write!(f, "{squares}") } else { Ok(()) }
}

fn write_castling(f: &mut fmt::Formatter<'_>, board: &Board) -> fmt::Result {
    if board.castling() == CastlingRights::NONE {
        return f.write_char('-');
    }
    let shredder = f.alternate() || board.mode == CastlingMode::Chess960;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if let Some(rook) = board.castling().rook(color, board.king(color), side) {
                f.write_char(match shredder {
                    true => rook.file().fen_letter(color),
                    false => side.fen_letter(color),
                })?;
            }
        }
    }
    Ok(())
}

fn read_pieces(builder: &mut BoardBuilder, pieces: &str) -> Result<(), FenError> {
    let ranks: Vec<&str> = pieces.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::RankCount { pieces: pieces.to_owned(), found: ranks.len() });
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
                builder.put(Square::new(file, rank), color, piece);
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

fn clock(field: &'static str, text: &str) -> Result<u16, FenError> {
    // `parse` would accept a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| FenError::BadClock { field, found: text.to_owned() })
}

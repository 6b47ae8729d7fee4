//! The vocabulary: squares, sets of squares, pieces, colors, moves.
//!
//! Everything here is small, `Copy` and free of chess rules; the rules live in
//! [`board`](crate::board) and [`movegen`](crate::movegen).

mod bitboard;
mod castling;
mod castling_mode;
mod color;
mod moves;
mod names;
mod piece;
mod square;
mod square_set;

pub(crate) use bitboard::next_subset;
pub use bitboard::{Bitboard, Squares, Subsets};
pub use castling::{CastlingRights, CastlingSide};
pub use castling_mode::CastlingMode;
pub(crate) use color::by_side;
pub use color::{Black, Color, Side, White};
pub use moves::{MAX_GAME_MOVES, MAX_MOVES, Move, MoveKind, MoveList};
pub use names::UnknownName;
pub(crate) use names::named_enum;
pub use piece::Piece;
pub use square::{File, ParseSquareError, Rank, Square};
pub use square_set::SquareSet;

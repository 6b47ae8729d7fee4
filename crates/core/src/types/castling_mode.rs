//! Conventions for castling in text.

/// The convention by which castling is read and written. The rules of the game are the same:
/// standard chess is the Chess960 array in which the king starts on the e-file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CastlingMode {
    /// `KQkq` in FEN, with the king on the e-file and rooks in the corners; castling moves are
    /// the king's two steps, `e1g1`.
    #[default]
    Standard,
    /// X-FEN (`KQkq` is the outermost rook) and Shredder-FEN (`HAha`) are read, Shredder-FEN is
    /// written; castling moves are king-takes-rook, `e1h1`.
    Chess960,
}

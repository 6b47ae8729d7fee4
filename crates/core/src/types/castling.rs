//! Castling rights, as the squares of the rooks that may still castle.

use super::{Bitboard, Color, File, Square};

/// The side of the king on which it castles: that of the rook. It decides where both land.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastlingSide {
    /// Towards the h-file: king to g, rook to f.
    King,
    /// Towards the a-file: king to c, rook to d.
    Queen,
}

impl CastlingSide {
    /// Both sides, the king's first, as FEN orders them.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// The side of the king on which the rook stands, both on one rank.
    #[inline(always)]
    pub const fn of(king: Square, rook: Square) -> Self {
        if rook.index() > king.index() { Self::King } else { Self::Queen }
    }

    /// The file of the castled king.
    #[inline(always)]
    pub const fn king_file(self) -> File {
        match self {
            Self::King => File::G,
            Self::Queen => File::C,
        }
    }

    /// The file of the castled rook.
    #[inline(always)]
    pub const fn rook_file(self) -> File {
        match self {
            Self::King => File::F,
            Self::Queen => File::D,
        }
    }

    /// The file of the rook in standard chess before castling.
    pub const fn corner_file(self) -> File {
        match self {
            Self::King => File::H,
            Self::Queen => File::A,
        }
    }

    /// The letter in FEN, upper case for White.
    pub const fn fen_letter(self, color: Color) -> char {
        match (color, self) {
            (Color::White, Self::King) => 'K',
            (Color::White, Self::Queen) => 'Q',
            (Color::Black, Self::King) => 'k',
            (Color::Black, Self::Queen) => 'q',
        }
    }
}

/// Castling rights, as the squares of the rooks that may castle.
///
/// A right is lost when its rook moves or is captured or its king moves, so making a
/// move only ever removes squares from the set. A color has at most one right on each
/// side of its king, which stands on its back rank while it has any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(Bitboard);

impl CastlingRights {
    /// No rights.
    pub const NONE: Self = Self(Bitboard::EMPTY);

    /// The rights of rooks on back ranks, at most one on each side of a king.
    #[inline(always)]
    pub(crate) const fn of_rooks(rooks: Bitboard) -> Self {
        Self(rooks)
    }

    /// The squares of all rooks that may castle.
    #[inline(always)]
    pub const fn rooks(self) -> Bitboard {
        self.0
    }

    /// The squares of the rooks with which `color` may castle.
    #[inline(always)]
    pub fn rooks_of(self, color: Color) -> Bitboard {
        self.0 & Bitboard::rank(color.back_rank())
    }

    /// The rook with which `color`, its king on `king`, may castle on a side.
    pub fn rook(self, color: Color, king: Square, side: CastlingSide) -> Option<Square> {
        self.rooks_of(color).into_iter().find(|&rook| CastlingSide::of(king, rook) == side)
    }

    /// The same rights with one more.
    #[must_use]
    pub fn with(self, rook: Square) -> Self {
        Self(self.0 | rook.bitboard())
    }

    /// The same rights less those of the rooks on `squares`.
    #[inline(always)]
    #[must_use]
    pub fn without(self, squares: Bitboard) -> Self {
        Self(self.0 - squares)
    }
}

//! Castling rights, as the squares of the rooks that may still castle.

use super::{Bitboard, Color, File, Square};

/// A side of the board, as castling names it. In Chess960 it says where the rook stands
/// relative to the king and where both will land, not how far they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wing {
    /// Towards the h-file: king to g, rook to f.
    King,
    /// Towards the a-file: king to c, rook to d.
    Queen,
}

impl Wing {
    /// Both wings, the king's first, as FEN orders them.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// The wing on which the rook stands as seen from the king, both on one rank.
    #[inline(always)]
    pub const fn of(king: Square, rook: Square) -> Self {
        if rook.index() > king.index() { Self::King } else { Self::Queen }
    }

    /// The file on which the castled king stands.
    #[inline(always)]
    pub const fn king_file(self) -> File {
        match self {
            Self::King => File::G,
            Self::Queen => File::C,
        }
    }

    /// The file on which the castled rook stands.
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

    /// The letter that FEN uses, upper case for White.
    pub const fn fen_letter(self, color: Color) -> char {
        match (color, self) {
            (Color::White, Self::King) => 'K',
            (Color::White, Self::Queen) => 'Q',
            (Color::Black, Self::King) => 'k',
            (Color::Black, Self::Queen) => 'q',
        }
    }
}

/// Who may still castle with which rook: the set of those rooks' squares.
///
/// A right is lost when its rook moves or is captured or its king moves, so making a
/// move only ever removes squares from the set. Each side has at most one right on each
/// wing, and its king stands on its back rank while it has any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(Bitboard);

impl CastlingRights {
    /// Nobody may castle.
    pub const NONE: Self = Self(Bitboard::EMPTY);

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

    /// The rook with which `color`, its king on `king`, may castle on `wing`.
    pub fn rook(self, color: Color, king: Square, wing: Wing) -> Option<Square> {
        self.rooks_of(color).into_iter().find(|&rook| Wing::of(king, rook) == wing)
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

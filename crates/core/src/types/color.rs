//! White and Black, as values and as compile-time markers.

use std::fmt;
use std::ops::Not;

use super::{Rank, Square};

/// The color of a piece or of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that starts on ranks 1 and 2.
    White,
    /// The side that starts on ranks 7 and 8.
    Black,
}

impl Color {
    /// Both colors, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The rank on which this side's king and rooks start.
    #[inline(always)]
    pub const fn back_rank(self) -> Rank {
        match self {
            Self::White => Rank::First,
            Self::Black => Rank::Eighth,
        }
    }

    /// The rank on which this side's pawns promote.
    #[inline(always)]
    pub const fn promotion_rank(self) -> Rank {
        self.opponent().back_rank()
    }

    /// The rank on which this side's pawn lands after a single push from home.
    #[inline(always)]
    pub const fn third_rank(self) -> Rank {
        match self {
            Self::White => Rank::Third,
            Self::Black => Rank::Sixth,
        }
    }

    /// The other color; `!color` in code that need not be `const`.
    #[inline(always)]
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// The difference in square index of one pawn step.
    #[inline(always)]
    pub const fn up(self) -> i8 {
        match self {
            Self::White => Square::NORTH,
            Self::Black => -Square::NORTH,
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.opponent()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// A side known at compile time, so that hot code has no branch on color.
pub trait Side: Copy + Send + Sync + 'static {
    /// The color of the marker.
    const COLOR: Color;
    /// The marker of the other color.
    type Them: Side<Them = Self>;
}

/// Marker for [`Color::White`].
#[derive(Clone, Copy, Debug)]
pub struct White;

/// Marker for [`Color::Black`].
#[derive(Clone, Copy, Debug)]
pub struct Black;

impl Side for White {
    const COLOR: Color = Color::White;
    type Them = Black;
}

impl Side for Black {
    const COLOR: Color = Color::Black;
    type Them = White;
}

/// An expression in which a type, the marker of the color, is known at compile time:
/// `by_side!(color, Us => count::<Us>(board))`.
macro_rules! by_side {
    ($color:expr, $side:ident => $result:expr) => {
        match $color {
            $crate::types::Color::White => {
                type $side = $crate::types::White;
                $result
            }
            $crate::types::Color::Black => {
                type $side = $crate::types::Black;
                $result
            }
        }
    };
}
pub(crate) use by_side;

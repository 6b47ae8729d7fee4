//! Sets of squares of one position, or of several at once.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{Bitboard, File};

/// The squares of one position, or of several: what is written for it is compiled for both.
pub trait SquareSet:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// No squares.
    #[must_use]
    fn none(self) -> Self;

    /// Those that are in `squares`, in each position.
    #[must_use]
    fn within(self, squares: Bitboard) -> Self;

    /// Every square with a number higher by `N`. Squares wrap around the sides of the board.
    #[must_use]
    fn up<const N: u32>(self) -> Self;

    /// Every square with a number lower by `N`. Squares wrap around the sides of the board.
    #[must_use]
    fn down<const N: u32>(self) -> Self;

    /// Every square one step east; the h-file falls off.
    #[inline(always)]
    #[must_use]
    fn one_east(self) -> Self {
        self.up::<1>().within(!Bitboard::file(File::A))
    }

    /// Every square one step west; the a-file falls off.
    #[inline(always)]
    #[must_use]
    fn one_west(self) -> Self {
        self.down::<1>().within(!Bitboard::file(File::H))
    }
}

impl SquareSet for Bitboard {
    #[inline(always)]
    fn none(self) -> Self {
        Self::EMPTY
    }

    #[inline(always)]
    fn within(self, squares: Self) -> Self {
        self & squares
    }

    #[inline(always)]
    fn up<const N: u32>(self) -> Self {
        Self(self.0 << N)
    }

    #[inline(always)]
    fn down<const N: u32>(self) -> Self {
        Self(self.0 >> N)
    }
}

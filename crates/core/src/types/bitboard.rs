//! Sets of squares in 64 bits.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

use super::{Color, File, Rank, Square};

/// A set of squares: bit `n` is the square with index `n`.
///
/// It is printed with the eighth rank on top:
///
/// ```
/// use perft_core::{Square, attacks};
///
/// assert_eq!(attacks::knight(Square::D4).to_string(), "\
/// . . . . . . . .
/// . . . . . . . .
/// . . X . X . . .
/// . X . . . X . .
/// . . . . . . . .
/// . X . . . X . .
/// . . X . X . . .
/// . . . . . . . .");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 64 squares.
    pub const FULL: Self = Self(!0);
    /// The light squares.
    pub const LIGHT: Self = Self(0x55AA_55AA_55AA_55AA);

    const A_FILE: u64 = 0x0101_0101_0101_0101;
    const H_FILE: u64 = Self::A_FILE << 7;

    /// All squares of a file.
    #[inline(always)]
    pub const fn file(file: File) -> Self {
        Self(Self::A_FILE << file.index())
    }

    /// All squares of a rank.
    #[inline(always)]
    pub const fn rank(rank: Rank) -> Self {
        Self(0xFF << (8 * rank.index()))
    }

    /// Whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of squares in the set.
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether two or more squares are in the set.
    #[inline(always)]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether every square of `other` is in the set.
    #[inline(always)]
    pub const fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether the sets share a square.
    #[inline(always)]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The square with the lowest index, if any.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.is_empty() { None } else { Some(self.first_unchecked()) }
    }

    /// The square with the highest index, if any.
    #[inline(always)]
    pub const fn last(self) -> Option<Square> {
        if self.is_empty() {
            None
        } else {
            Some(Square::from_low_bits(63 - self.0.leading_zeros()))
        }
    }

    /// The square with the lowest index of a set known not to be empty; a1 otherwise.
    #[inline(always)]
    pub(crate) const fn first_unchecked(self) -> Square {
        Square::from_low_bits(self.0.trailing_zeros())
    }

    /// Every square one step north; the eighth rank falls off.
    #[inline(always)]
    pub const fn north(self) -> Self {
        Self(self.0 << 8)
    }

    /// Every square one step south; the first rank falls off.
    #[inline(always)]
    pub const fn south(self) -> Self {
        Self(self.0 >> 8)
    }

    /// Every square one step east; the h-file falls off.
    #[inline(always)]
    pub const fn east(self) -> Self {
        Self((self.0 & !Self::H_FILE) << 1)
    }

    /// Every square one step west; the a-file falls off.
    #[inline(always)]
    pub const fn west(self) -> Self {
        Self((self.0 & !Self::A_FILE) >> 1)
    }

    /// Every square one pawn step ahead for `color`.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => self.north(),
            Color::Black => self.south(),
        }
    }

    /// Every square a difference in index away. The caller makes sure that all stay on the board;
    /// they wrap otherwise.
    #[inline(always)]
    pub(crate) const fn shift(self, delta: i8) -> Self {
        Self(self.0.rotate_left(delta as u32))
    }

    /// All subsets of the set, the empty one first, each greater than the one before.
    ///
    /// ```
    /// use perft_core::Bitboard;
    ///
    /// let subsets: Vec<u64> = Bitboard(0b1010).subsets().map(|set| set.0).collect();
    /// assert_eq!(subsets, [0b0000, 0b0010, 0b1000, 0b1010]);
    /// ```
    pub const fn subsets(self) -> Subsets {
        Subsets { set: self, next: Some(Self::EMPTY) }
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Self {
        square.bitboard()
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.bitboard())
    }
}

macro_rules! set_operator {
    ($($trait:ident $method:ident, $assign_trait:ident $assign_method:ident:
        |$a:ident, $b:ident| $result:expr;)*) => {$(
        impl $trait for Bitboard {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($result)
            }
        }

        impl $assign_trait for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = $trait::$method(*self, other);
            }
        }
    )*};
}

set_operator! {
    BitAnd bitand, BitAndAssign bitand_assign: |a, b| a & b;
    BitOr bitor, BitOrAssign bitor_assign: |a, b| a | b;
    BitXor bitxor, BitXorAssign bitxor_assign: |a, b| a ^ b;
    Sub sub, SubAssign sub_assign: |a, b| a & !b;
}

impl Not for Bitboard {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a [`Bitboard`], lowest index first.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0.0 &= self.0.0.wrapping_sub(1);
        Some(square)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Squares {}
impl FusedIterator for Squares {}

/// The subsets of a [`Bitboard`]; see [`Bitboard::subsets`].
#[derive(Clone, Debug)]
pub struct Subsets {
    set: Bitboard,
    next: Option<Bitboard>,
}

impl Iterator for Subsets {
    type Item = Bitboard;

    fn next(&mut self) -> Option<Bitboard> {
        let subset = self.next?;
        let after = next_subset(subset.0, self.set.0);
        self.next = (after != 0).then_some(Bitboard(after));
        Some(subset)
    }
}

impl FusedIterator for Subsets {}

/// The carry-rippler: the next larger subset of `set`, 0 after the last.
///
/// Subtracting `set` adds one at its lowest bit with all bits outside it filled, so that
/// the carry ripples over the gaps.
pub(crate) const fn next_subset(subset: u64, set: u64) -> u64 {
    subset.wrapping_sub(set) & set
}

impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let mark = if self.contains(Square::new(file, rank)) { 'X' } else { '.' };
                write!(f, "{}{mark}", if file == File::A { "" } else { " " })?;
            }
            if rank != Rank::First {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bitboard({:#018x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_do_not_wrap_around_the_board() {
        assert_eq!(Bitboard::file(File::H).east(), Bitboard::EMPTY);
        assert_eq!(Bitboard::file(File::A).west(), Bitboard::EMPTY);
        assert_eq!(Bitboard::rank(Rank::Eighth).north(), Bitboard::EMPTY);
        assert_eq!(Bitboard::rank(Rank::First).south(), Bitboard::EMPTY);
        assert_eq!(Square::E4.bitboard().north().east(), Square::F5.bitboard());
    }

    #[test]
    fn squares_are_named_and_numbered_rank_by_rank() {
        assert_eq!(Square::A1.index(), 0);
        assert_eq!(Square::H8.index(), 63);
        for (index, square) in Square::all().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for wrong in ["", "e", "e9", "i4", "E4", "e44", "é4"] {
            assert!(wrong.parse::<Square>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_set_has_two_to_the_size_subsets() {
        let set = Bitboard(0x8100_0000_0024_0081);
        let subsets: Vec<_> = set.subsets().collect();
        assert_eq!(subsets.len(), 1 << set.len());
        assert!(subsets.is_sorted_by_key(|subset| subset.0));
        assert!(subsets.iter().all(|&subset| set.contains_all(subset)));
        assert_eq!(Bitboard::EMPTY.subsets().count(), 1);
    }

    #[test]
    fn e4_is_a_light_square() {
        assert!(Bitboard::LIGHT.contains(Square::E4));
        assert!(!Bitboard::LIGHT.contains(Square::A1));
    }
}

//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

use super::{Bitboard, Color};

/// A file, `a` to `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All files, `a` first.
    pub const ALL: [Self; 8] =
        [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F, Self::G, Self::H];

    /// 0 for the a-file to 7 for the h-file.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file of a letter `a` to `h`, in either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_lowercase() {
            lower @ 'a'..='h' => Some(Self::ALL[lower as usize - 'a' as usize]),
            _ => None,
        }
    }

    /// The lower-case letter of the file.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }

    /// The letter of a castling right in Shredder-FEN: upper case for White.
    pub const fn fen_letter(self, color: Color) -> char {
        match color {
            Color::White => self.letter().to_ascii_uppercase(),
            Color::Black => self.letter(),
        }
    }
}

/// A rank, 1 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rank {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Rank {
    /// All ranks, the first first.
    pub const ALL: [Self; 8] = [
        Self::First,
        Self::Second,
        Self::Third,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::Eighth,
    ];

    /// 0 for the first rank to 7 for the eighth.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The rank of a digit `1` to `8`.
    pub const fn from_digit(digit: char) -> Option<Self> {
        match digit {
            '1'..='8' => Some(Self::ALL[digit as usize - '1' as usize]),
            _ => None,
        }
    }

    /// The digit of the rank, `1` to `8`.
    pub const fn digit(self) -> char {
        (b'1' + self as u8) as char
    }
}

/// A square, numbered rank by rank: A1 = 0, B1 = 1, ... H8 = 63.
///
/// The number is always below 64; [`Square::index`] says so to the compiler, so a
/// lookup in a table of 64 needs no bounds check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// The difference in index of one step north.
    pub const NORTH: i8 = 8;
    /// The difference in index of one step east.
    pub const EAST: i8 = 1;

    /// The square on a file and a rank.
    #[inline(always)]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self((rank as u8) << 3 | file as u8)
    }

    /// The square of an index.
    ///
    /// # Panics
    /// If the index is not below 64.
    ///
    /// ```should_panic
    /// perft_core::Square::from_index(64);
    /// ```
    #[inline(always)]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < 64, "no square has this index");
        Self(index as u8)
    }

    /// The square of the index in the lowest six bits.
    #[inline(always)]
    pub(super) const fn from_low_bits(bits: u32) -> Self {
        Self((bits & 63) as u8)
    }

    /// The number of the square, below 64.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The file that the square is on.
    #[inline(always)]
    pub const fn file(self) -> File {
        File::ALL[self.index() & 7]
    }

    /// The rank that the square is on.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self.index() >> 3]
    }

    /// The set that holds only this square.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.index())
    }

    /// The square a difference in index away. The caller makes sure that it is on the
    /// board; the index wraps otherwise.
    #[inline(always)]
    pub const fn offset(self, delta: i8) -> Self {
        Self(self.0.wrapping_add_signed(delta) & 63)
    }

    /// The square in front of this one for a pawn of `color`; see [`Square::offset`].
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Self {
        self.offset(color.up())
    }

    /// All squares, A1 to H8.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..64).map(Self)
    }
}

/// Names every square, so that code can say `Square::E4`.
macro_rules! name_squares {
    ($($name:ident)*) => {
        #[allow(missing_docs)]
        impl Square {
            $(pub const $name: Self = Self::named(stringify!($name));)*
        }
    };
}

name_squares! {
    A1 B1 C1 D1 E1 F1 G1 H1
    A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3
    A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5
    A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7
    A8 B8 C8 D8 E8 F8 G8 H8
}

impl Square {
    const fn named(name: &str) -> Self {
        match Self::from_ascii(name.as_bytes()) {
            Some(square) => square,
            None => panic!("not a square"),
        }
    }

    const fn from_ascii(text: &[u8]) -> Option<Self> {
        let [file, rank] = text else { return None };
        match (File::from_letter(*file as char), Rank::from_digit(*rank as char)) {
            (Some(file), Some(rank)) => Some(Self::new(file, rank)),
            _ => None,
        }
    }
}

/// A text that is not a square's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a square (a1 to h8)")]
pub struct ParseSquareError(pub String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_ascii(text.as_bytes())
            .filter(|_| text.bytes().all(|b| !b.is_ascii_uppercase()))
            .ok_or_else(|| ParseSquareError(text.to_owned()))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().digit())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

//! Attacks of bishops, rooks and queens: from the ray walk to black magics.
//!
//! A slider system answers one question: which squares does a rook or bishop on a square
//! see, given all occupied squares? Each system is a zero-sized type that implements
//! [`Sliders`]; code that moves men is generic over it, and the choice is made once, at
//! the entry, from a [`System`]. All are checked against the first.
//!
//! # The walk
//! [`Rays`] steps along each ray until something is in the way. It is the truth, and slow:
//! a rook's look-up takes up to fourteen steps, each with a test.
//!
//! ```
//! use perft::sliders::{Fancy, Rays, Sliders};
//! use perft::{Bitboard, Square};
//!
//! let occupied = Bitboard::from_iter([Square::D6, Square::B4, Square::H4, Square::D4]);
//! let seen = Fancy::rook(Square::D4, occupied);
//! assert_eq!(seen, Rays::rook(Square::D4, occupied));
//! assert_eq!(seen.to_string(), "\
//! . . . . . . . .
//! . . . . . . . .
//! . . . X . . . .
//! . . . X . . . .
//! . X X . X X X X
//! . . . X . . . .
//! . . . X . . . .
//! . . . X . . . .");
//! ```
//!
//! # Which squares matter
//! Most of the board has no say in it. On its own lines a rook cares for blockers only where
//! the ray goes on behind them: the last square of a ray is seen whether or not it is
//! occupied. That leaves 10 to 12 relevant squares for a rook, 5 to 9 for a bishop, and a
//! table with an entry for each way to occupy them, if only those scattered bits were an
//! index.
//!
//! ```
//! use perft::sliders::Slider;
//! use perft::Square;
//!
//! let all = |slider: Slider| -> u32 {
//!     Square::all().map(|square| 1 << slider.relevant(square).len()).sum()
//! };
//! assert_eq!((all(Slider::Rook), all(Slider::Bishop)), (102_400, 5_248));
//! ```
//!
//! # Magics
//! A multiplication adds shifted copies of the blockers. With the right factor one copy of
//! each relevant bit lands in the top bits and nothing important lands on it, so the top
//! bits are the index. Which factor? [`finder`] tries until it has one. Sets of blockers that
//! leave the same attacks may share an index, and that is what makes magics common enough to
//! be found.
//!
//! - [`Plain`] gives every square a table of the largest size.
//! - [`Fancy`] gives each square the size that it needs.
//! - [`Shared`] puts both pieces into one array.
//! - [`Fold32`] does with two 32-bit products what the others do with one of 64 bits.
//!
//! ```
//! use perft::sliders::{Slider, explain};
//! use perft::{Bitboard, Square};
//!
//! let steps = explain(Slider::Bishop, Square::C1, Square::E3.bitboard());
//! assert_eq!(steps.blockers, Square::E3.bitboard());
//! assert_eq!(steps.product >> (64 - steps.index_bits), steps.index as u64);
//! assert_eq!(steps.attacks.len(), 4);
//! ```
//!
//! # Shorter tables
//! An index is a sum of the blockers' shares, rounded down to whole slots. Where the rounding
//! falls is up to what the sum starts from. White keys start from 0. [`Black`] keys, with
//! every irrelevant square taken as occupied, start from somewhere else, and there magics
//! exist whose shares are three quarters of powers of two: the two squares of the finest ray
//! then need three slots where they needed four, and the whole table is a quarter shorter.
//! [`Packed`] adds the start as a bias instead. Both lay their tables over each other, so
//! that what one square leaves empty another uses.
//!
//! # Without magics
//! - [`Pext`](System::Pext) has the CPU close up the blockers' bits.
//! - [`Lines`] hashes each line alone; six bits need next to no table.
//! - [`Hyperbola`] subtracts: the borrow runs along the line until a blocker stops it.

use std::fmt;

use crate::types::{Bitboard, Square};

pub mod bench;
mod black;
mod fancy;
pub mod finder;
mod fold32;
mod fold32_magics;
mod hyperbola;
mod lines;
mod magics;
mod packed;
mod pext;
mod plain;
pub mod rays;
mod shared;
mod squeezed_magics;
mod system;
mod tables;

pub use black::Black;
pub use fancy::Fancy;
pub use fold32::Fold32;
pub use hyperbola::Hyperbola;
pub use lines::Lines;
pub use packed::Packed;
#[cfg(target_arch = "x86_64")]
pub(crate) use pext::HardPext;
pub use pext::SoftPext;
pub use plain::Plain;
pub use rays::Rays;
pub use shared::Shared;
pub(crate) use system::with_sliders;
pub use system::{Mismatch, System, UnknownSystem};

/// A way to look up what sliders attack.
///
/// The first blocker on each ray is part of the attack set, whoever owns it. The square
/// of the slider itself makes no difference in `occupied`.
pub trait Sliders: Copy + Default + Send + Sync + 'static {
    /// The name by which a user chooses the system.
    const NAME: &'static str;
    /// What it does, in a few words.
    const ABOUT: &'static str;
    /// The size of its tables.
    const TABLE_BYTES: usize;

    /// What a rook on `square` attacks.
    fn rook(square: Square, occupied: Bitboard) -> Bitboard;

    /// What a bishop on `square` attacks.
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard;

    /// What a queen on `square` attacks: what a rook and a bishop there would.
    #[inline(always)]
    fn queen(square: Square, occupied: Bitboard) -> Bitboard {
        Self::rook(square, occupied) | Self::bishop(square, occupied)
    }
}

/// The slider pieces whose attacks have to be looked up; a queen is both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slider {
    /// Along ranks and files.
    Rook,
    /// Along diagonals.
    Bishop,
}

impl Slider {
    /// Both, the rook first.
    pub const ALL: [Self; 2] = [Self::Rook, Self::Bishop];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rook => "rook",
            Self::Bishop => "bishop",
        }
    }

    /// What the piece attacks, by the slow walk.
    pub const fn attacks(self, square: Square, occupied: Bitboard) -> Bitboard {
        match self {
            Self::Rook => rays::rook(square, occupied),
            Self::Bishop => rays::bishop(square, occupied),
        }
    }

    /// The squares on which a blocker makes a difference: the attacks on an empty board
    /// less the last square of each ray, behind which there is nothing to hide.
    ///
    /// ```
    /// use perft::sliders::Slider;
    /// use perft::Square;
    ///
    /// assert_eq!(Slider::Rook.relevant(Square::A1).len(), 12);
    /// assert_eq!(Slider::Bishop.relevant(Square::D4).len(), 9);
    /// ```
    pub const fn relevant(self, square: Square) -> Bitboard {
        rays::relevant(self, square)
    }
}

impl fmt::Display for Slider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The steps of a look-up by fancy magics, for people to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The squares on which a blocker makes a difference.
    pub mask: Bitboard,
    /// The blockers there.
    pub blockers: Bitboard,
    /// The factor.
    pub magic: u64,
    /// Blockers times factor, the low 64 bits.
    pub product: u64,
    /// How many of the product's top bits are the index.
    pub index_bits: u32,
    /// The index.
    pub index: usize,
    /// What the slot holds.
    pub attacks: Bitboard,
}

/// Takes a look-up by fancy magics apart.
pub fn explain(slider: Slider, square: Square, occupied: Bitboard) -> Explained {
    let (magic, attacks) = match slider {
        Slider::Rook => (magics::ROOK[square.index()], Fancy::rook(square, occupied)),
        Slider::Bishop => (magics::BISHOP[square.index()], Fancy::bishop(square, occupied)),
    };
    let mask = slider.relevant(square);
    let blockers = occupied & mask;
    let product = blockers.0.wrapping_mul(magic);
    let index_bits = mask.len();
    let index = (product >> (64 - index_bits)) as usize;
    Explained { mask, blockers, magic, product, index_bits, index, attacks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queen_is_rook_and_bishop() {
        let occupied = Bitboard(0x00FF_0010_2400_FF81);
        for square in Square::all() {
            let both = rays::rook(square, occupied) | rays::bishop(square, occupied);
            assert_eq!(Fancy::queen(square, occupied), both);
        }
    }
}

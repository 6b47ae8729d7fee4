//! The reference: step along each ray up to the first blocker.
//!
//! Every faster lookup is tested against it.

use std::fmt;

use super::{Sliders, directions};
use crate::types::{Bitboard, File, Rank, Square};

/// The two pieces whose attacks are looked up; a queen is both.
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

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rook => "rook",
            Self::Bishop => "bishop",
        }
    }

    /// Attacks of the piece.
    pub const fn attacks(self, square: Square, occupied: Bitboard) -> Bitboard {
        let mut attacked = Bitboard::EMPTY;
        let mut direction = 0;
        while direction < 8 {
            if directions::kind(direction) == self as usize {
                attacked.0 |= ray(square, direction, occupied).0;
            }
            direction += 1;
        }
        attacked
    }

    /// The squares on which a blocker makes a difference: the attacks on an empty board
    /// without the last square of each ray, which hides nothing behind it.
    ///
    /// ```
    /// use perft_core::Square;
    /// use perft_core::attacks::rays::Slider;
    ///
    /// assert_eq!(Slider::Rook.relevant(Square::A1).len(), 12);
    /// assert_eq!(Slider::Bishop.relevant(Square::D4).len(), 9);
    /// ```
    pub const fn relevant(self, square: Square) -> Bitboard {
        let ranks = Bitboard::rank(Rank::First).0 | Bitboard::rank(Rank::Eighth).0;
        let files = Bitboard::file(File::A).0 | Bitboard::file(File::H).0;
        // The last square of a ray is on an edge that the slider is not on.
        let last = ranks & !Bitboard::rank(square.rank()).0;
        let last = last | files & !Bitboard::file(square.file()).0;
        Bitboard(self.attacks(square, Bitboard::EMPTY).0 & !last)
    }
}

impl fmt::Display for Slider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The square some files east and ranks north, if it is on the board.
pub(super) const fn step(square: Square, east: i8, north: i8) -> Option<Square> {
    let file = square.file() as i8 + east;
    let rank = square.rank() as i8 + north;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        return None;
    }
    Some(Square::new(File::ALL[file as usize], Rank::ALL[rank as usize]))
}

/// The squares of one direction up to the first blocker, which is included.
pub(super) const fn ray(from: Square, direction: usize, occupied: Bitboard) -> Bitboard {
    let (east, north) = directions::STEPS[direction];
    let mut attacked = Bitboard::EMPTY;
    let mut square = from;
    while let Some(next) = step(square, east, north) {
        attacked.0 |= next.bitboard().0;
        if occupied.contains(next) {
            break;
        }
        square = next;
    }
    attacked
}

/// The reference as a value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rays;

impl Sliders for Rays {
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        slider.attacks(square, occupied)
    }
}

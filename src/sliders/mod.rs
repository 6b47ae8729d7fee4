//! Attacks of bishops, rooks and queens.
//!
//! A slider system answers one question: which squares does a rook or bishop on a square
//! see, given all occupied squares? Each system is a zero-sized type that implements
//! [`Sliders`]; code that moves men is generic over it, and the choice is made once, at
//! the entry. [`Rays`] is the slow truth that the others are tested against.
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

use crate::types::{Bitboard, Square};

mod fancy;
pub mod finder;
mod hyperbola;
mod magics;
pub mod rays;

pub use fancy::Fancy;
pub use rays::Rays;

/// A way to look up what sliders attack.
///
/// The first blocker on each ray is part of the attack set, whoever owns it. The square
/// of the slider itself makes no difference in `occupied`.
pub trait Sliders: Copy + Default + Send + Sync + 'static {
    /// The name by which a user chooses the system.
    const NAME: &'static str;

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

#[cfg(test)]
mod tests {
    use super::*;

    type LookUp = fn(Square, Bitboard) -> Bitboard;

    /// Every square, every subset of the relevant squares, with and without noise on
    /// squares that must not matter.
    fn agrees_with_the_rays<S: Sliders>() {
        for square in Square::all() {
            let looked_up: [(Slider, LookUp); 2] =
                [(Slider::Rook, S::rook), (Slider::Bishop, S::bishop)];
            for (slider, attacks) in looked_up {
                let mask = slider.relevant(square);
                for blockers in mask.subsets() {
                    let expected = slider.attacks(square, blockers);
                    assert_eq!(attacks(square, blockers), expected, "{square} {blockers:?}");
                    assert_eq!(
                        attacks(square, blockers | !mask),
                        expected,
                        "{square} {blockers:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn fancy_agrees_with_the_rays_everywhere() {
        agrees_with_the_rays::<Fancy>();
    }

    #[test]
    fn the_queen_is_rook_and_bishop() {
        let occupied = Bitboard(0x00FF_0010_2400_FF81);
        for square in Square::all() {
            let both = rays::rook(square, occupied) | rays::bishop(square, occupied);
            assert_eq!(Fancy::queen(square, occupied), both);
        }
    }
}

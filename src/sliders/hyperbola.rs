//! Hyperbola quintessence: attacks by subtraction, a line at a time.
//!
//! Take twice the slider from the blockers of a line, and the borrow runs up to the first
//! blocker above it; the bits that changed are the squares seen. The same on the mirrored
//! board gives the squares below. It needs no table but the lines themselves.

use super::{Slider, Sliders, rays};
use crate::types::{Bitboard, Square};

/// The lines through each square, less the square: file, rank, diagonal, antidiagonal.
static LINES: [[Bitboard; 4]; 64] = lines();

const fn lines() -> [[Bitboard; 4]; 64] {
    let mut table = [[Bitboard::EMPTY; 4]; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::from_index(index);
        let mut i = 0;
        while i < 4 {
            // Directions come in fours: i and i + 2 of each four are opposite.
            let (east, north) = rays::DIRECTIONS[i / 2 * 4 + i % 2];
            table[index][i].0 = rays::ray(square, east, north, Bitboard::EMPTY).0
                | rays::ray(square, -east, -north, Bitboard::EMPTY).0;
            i += 1;
        }
        index += 1;
    }
    table
}

/// One of the two lines on which a slider sees.
#[inline(always)]
pub(super) const fn line(slider: Slider, square: Square, which: usize) -> Bitboard {
    LINES[square.index()][match slider {
        Slider::Rook => which,
        Slider::Bishop => 2 + which,
    }]
}

/// What is seen along one line.
#[inline(always)]
pub(super) const fn line_attacks(square: Square, occupied: Bitboard, line: Bitboard) -> u64 {
    let slider = square.bitboard().0;
    let blockers = occupied.0 & line.0;
    let above = blockers.wrapping_sub(slider << 1);
    let mirrored = blockers.reverse_bits().wrapping_sub(slider.reverse_bits() << 1);
    (above ^ mirrored.reverse_bits()) & line.0
}

#[inline(always)]
fn attacks(slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
    let [first, second] = [line(slider, square, 0), line(slider, square, 1)];
    Bitboard(line_attacks(square, occupied, first) | line_attacks(square, occupied, second))
}

/// Hyperbola quintessence as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hyperbola;

impl Sliders for Hyperbola {
    const NAME: &'static str = "hyperbola";
    const ABOUT: &'static str = "subtraction on each line and on its mirror image";
    const TABLE_BYTES: usize = size_of_val(&LINES);

    #[inline(always)]
    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        attacks(Slider::Rook, square, occupied)
    }

    #[inline(always)]
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        attacks(Slider::Bishop, square, occupied)
    }
}

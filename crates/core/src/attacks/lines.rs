//! Attacks along one line, by subtraction (hyperbola quintessence).
//!
//! Subtract twice the slider from the blockers of a line, and the borrow runs up to the first
//! blocker above it: the bits that changed are attacked. The same on the mirrored board gives
//! the squares below.

use super::directions::opposite;
use super::rays::{self, Slider};
use crate::types::{Bitboard, Square};

/// The lines through each square, without the square: file, rank, diagonal, antidiagonal.
pub static LINES: [[Bitboard; 4]; 64] = {
    let mut table = [[Bitboard::EMPTY; 4]; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::from_index(index);
        let mut i = 0;
        while i < 4 {
            let ahead = rays::ray(square, i, Bitboard::EMPTY).0;
            table[index][i].0 = ahead | rays::ray(square, opposite(i), Bitboard::EMPTY).0;
            i += 1;
        }
        index += 1;
    }
    table
};

/// One of the two lines of a slider.
#[inline(always)]
pub const fn line(slider: Slider, square: Square, which: usize) -> Bitboard {
    LINES[square.index()][2 * slider as usize + which]
}

/// Attacks along one line.
#[inline(always)]
pub const fn line_attacks(square: Square, occupied: Bitboard, line: Bitboard) -> u64 {
    let slider = square.bitboard().0;
    let blockers = occupied.0 & line.0;
    let above = blockers.wrapping_sub(slider << 1);
    let mirrored = blockers.reverse_bits().wrapping_sub(slider.reverse_bits() << 1);
    (above ^ mirrored.reverse_bits()) & line.0
}

//! The slow walk: step along each ray until something is in the way.
//!
//! It is the truth that every faster system is tested against, and it builds their tables
//! while compiling.

use super::{Slider, Sliders};
use crate::types::{Bitboard, File, Rank, Square};

/// The eight directions as (files east, ranks north): the rook's four, then the bishop's.
pub(crate) const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

/// The square some files east and ranks north, if it is on the board.
pub(crate) const fn step(square: Square, east: i8, north: i8) -> Option<Square> {
    let file = square.file() as i8 + east;
    let rank = square.rank() as i8 + north;
    if file < 0 || file > 7 || rank < 0 || rank > 7 {
        return None;
    }
    Some(Square::new(File::ALL[file as usize], Rank::ALL[rank as usize]))
}

/// The squares seen in one direction, the first blocker included.
pub(crate) const fn ray(from: Square, east: i8, north: i8, occupied: Bitboard) -> Bitboard {
    let mut seen = Bitboard::EMPTY;
    let mut square = from;
    while let Some(next) = step(square, east, north) {
        seen.0 |= next.bitboard().0;
        if occupied.contains(next) {
            break;
        }
        square = next;
    }
    seen
}

const fn walk(from: Square, occupied: Bitboard, first_direction: usize) -> Bitboard {
    let mut seen = Bitboard::EMPTY;
    let mut i = first_direction;
    while i < first_direction + 4 {
        let (east, north) = DIRECTIONS[i];
        seen.0 |= ray(from, east, north, occupied).0;
        i += 1;
    }
    seen
}

/// What a rook on `square` attacks.
pub const fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    walk(square, occupied, 0)
}

/// What a bishop on `square` attacks.
pub const fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    walk(square, occupied, 4)
}

/// See [`Slider::relevant`].
pub(super) const fn relevant(slider: Slider, square: Square) -> Bitboard {
    let first_direction = match slider {
        Slider::Rook => 0,
        Slider::Bishop => 4,
    };
    let mut mask = Bitboard::EMPTY;
    let mut i = first_direction;
    while i < first_direction + 4 {
        let (east, north) = DIRECTIONS[i];
        let mut current = square;
        while let Some(next) = step(current, east, north) {
            // A square counts only if the ray goes on behind it.
            if step(next, east, north).is_some() {
                mask.0 |= next.bitboard().0;
            }
            current = next;
        }
        i += 1;
    }
    mask
}

/// The slow walk as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rays;

impl Sliders for Rays {
    const NAME: &'static str = "rays";
    const ABOUT: &'static str = "the slow walk along each ray: the truth for all others";
    const TABLE_BYTES: usize = 0;

    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        rook(square, occupied)
    }

    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        bishop(square, occupied)
    }
}

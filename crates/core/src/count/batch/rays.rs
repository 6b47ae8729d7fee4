//! Steps and rays of whole sets, in eight positions at once.
//!
//! A direction is a number, so that code for each is compiled apart. We move north.

use super::words::Words8;
use crate::attacks::directions::*;
use crate::types::{Bitboard, File, SquareSet};

const FILE_A: u64 = Bitboard::file(File::A).0;
const FILE_B: u64 = Bitboard::file(File::B).0;
const FILE_G: u64 = Bitboard::file(File::G).0;
const FILE_H: u64 = Bitboard::file(File::H).0;

/// Runs code for each direction of those kinds that are asked for, as a constant.
macro_rules! directions {
    (@ $d:ident $body:block $($direction:ident)*) => {
        $({
            const $d: usize = crate::attacks::directions::$direction;
            $body
        })*
    };
    ($d:ident in $kinds:expr => $body:block) => {{
        let [orthogonal, diagonal]: [bool; 2] = $kinds;
        if orthogonal {
            directions!(@ $d $body NORTH SOUTH EAST WEST);
        }
        if diagonal {
            directions!(@ $d $body NORTH_EAST SOUTH_WEST NORTH_WEST SOUTH_EAST);
        }
    }};
}
pub(super) use directions;

/// All squares but those that a step reaches only by wrapping around the edge.
const fn inside(direction: usize) -> u64 {
    match direction {
        NORTH | SOUTH => !0,
        EAST | NORTH_EAST | SOUTH_EAST => !FILE_A,
        _ => !FILE_H,
    }
}

/// Every square `N` steps on, around the edges of the board.
#[inline(always)]
fn steps<const D: usize, const N: u32>(set: Words8) -> Words8 {
    match (D, N) {
        (NORTH, 1) => set.up::<8>(),
        (NORTH, 2) => set.up::<16>(),
        (NORTH, _) => set.up::<32>(),
        (SOUTH, 1) => set.down::<8>(),
        (SOUTH, 2) => set.down::<16>(),
        (SOUTH, _) => set.down::<32>(),
        (EAST, 1) => set.up::<1>(),
        (EAST, 2) => set.up::<2>(),
        (EAST, _) => set.up::<4>(),
        (WEST, 1) => set.down::<1>(),
        (WEST, 2) => set.down::<2>(),
        (WEST, _) => set.down::<4>(),
        (NORTH_EAST, 1) => set.up::<9>(),
        (NORTH_EAST, 2) => set.up::<18>(),
        (NORTH_EAST, _) => set.up::<36>(),
        (SOUTH_WEST, 1) => set.down::<9>(),
        (SOUTH_WEST, 2) => set.down::<18>(),
        (SOUTH_WEST, _) => set.down::<36>(),
        (NORTH_WEST, 1) => set.up::<7>(),
        (NORTH_WEST, 2) => set.up::<14>(),
        (NORTH_WEST, _) => set.up::<28>(),
        (_, 1) => set.down::<7>(),
        (_, 2) => set.down::<14>(),
        (..) => set.down::<28>(),
    }
}

/// One step.
#[inline(always)]
pub(super) fn step<const D: usize>(set: Words8) -> Words8 {
    let stepped = steps::<D, 1>(set);
    if line(D) == line(NORTH) { stepped } else { stepped & inside(D) }
}

/// The empty squares, prepared for filling in a direction by doubling: runs of one, two and four
/// that end here.
#[derive(Clone, Copy)]
pub(super) struct Open8([Words8; 3]);

impl Open8 {
    /// No rays: for directions in which nothing slides.
    #[inline(always)]
    pub fn closed(zero: Words8) -> Self {
        Self([zero; 3])
    }

    #[inline(always)]
    pub fn new<const D: usize>(empty: Words8) -> Self {
        let one = if line(D) == line(NORTH) { empty } else { empty & inside(D) };
        let two = one & steps::<D, 1>(one);
        Self([one, two, two & steps::<D, 2>(two)])
    }

    /// Attacks in the direction from all squares of a set, the first piece included. Rays of one
    /// direction never overlap: the second piece blocks the first.
    #[inline(always)]
    pub fn attacks<const D: usize>(&self, from: Words8) -> Words8 {
        let [one, two, four] = self.0;
        if D == EAST {
            // Subtraction borrows up to the next square that is not open. File A is never open
            // here, so that no ray wraps around.
            let stops = !one | from;
            return (stops ^ (stops - from - from)) & !FILE_A;
        }
        let filled = from | (one & steps::<D, 1>(from));
        let filled = filled | (two & steps::<D, 2>(filled));
        step::<D>(filled | (four & steps::<D, 4>(filled)))
    }

    /// For each square, the number of squares that a slider there could reach in the direction: the
    /// empty ones up to the first piece, and that piece if it is a target. At most seven, in binary.
    #[inline(always)]
    pub fn runs<const D: usize>(&self, targets: Words8) -> [Words8; 3] {
        let [open, ..] = self.0;
        // At least one square is left, at least two, and so on; each set contains the next.
        let one = back::<D>(if line(D) == line(NORTH) { targets } else { targets & inside(D) });
        let two = back::<D>(open & one);
        let three = back::<D>(open & two);
        let four = back::<D>(open & three);
        let five = back::<D>(open & four);
        let six = back::<D>(open & five);
        let seven = back::<D>(open & six);
        [one ^ two ^ three ^ (four ^ five ^ six) ^ seven, two ^ four ^ six, four]
    }
}

/// One step in the opposite direction, around the edges of the board.
#[inline(always)]
fn back<const D: usize>(set: Words8) -> Words8 {
    match D {
        NORTH => steps::<SOUTH, 1>(set),
        SOUTH => steps::<NORTH, 1>(set),
        EAST => steps::<WEST, 1>(set),
        WEST => steps::<EAST, 1>(set),
        NORTH_EAST => steps::<SOUTH_WEST, 1>(set),
        SOUTH_WEST => steps::<NORTH_EAST, 1>(set),
        NORTH_WEST => steps::<SOUTH_EAST, 1>(set),
        _ => steps::<NORTH_WEST, 1>(set),
    }
}

/// The distances of the eight knight moves, in the order of [`knight_moves`].
pub(super) const KNIGHT_STEPS: [i32; 8] = [17, 15, -15, -17, 10, 6, -6, -10];

/// The eight knight moves from all squares of a set.
#[inline(always)]
pub(super) fn knight_moves(from: Words8) -> [Words8; 8] {
    const AB: u64 = FILE_A | FILE_B;
    const GH: u64 = FILE_G | FILE_H;
    [
        from.shl::<17>() & !FILE_A,
        from.shl::<15>() & !FILE_H,
        from.shr::<15>() & !FILE_A,
        from.shr::<17>() & !FILE_H,
        from.shl::<10>() & !AB,
        from.shl::<6>() & !GH,
        from.shr::<6>() & !AB,
        from.shr::<10>() & !GH,
    ]
}

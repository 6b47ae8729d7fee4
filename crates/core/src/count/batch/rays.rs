//! Steps and rays of whole sets, in eight positions at once.
//!
//! A direction is a number, so that code for each is compiled apart. We move north.

use super::words::Words8;
use crate::attacks::directions::*;
use crate::types::{Bitboard, File};

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

/// Every square some steps on, around the edges of the board.
#[inline(always)]
fn steps(set: Words8, direction: usize, number: u64) -> Words8 {
    let distance = number * DISTANCES[line(direction)];
    if direction < 4 { set.up_by(distance) } else { set.down_by(distance) }
}

/// One step.
#[inline(always)]
pub(super) fn step<const D: usize>(set: Words8) -> Words8 {
    let stepped = steps(set, D, 1);
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
        let two = one & steps(one, D, 1);
        Self([one, two, two & steps(two, D, 2)])
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
        let filled = from | (one & steps(from, D, 1));
        let filled = filled | (two & steps(filled, D, 2));
        step::<D>(filled | (four & steps(filled, D, 4)))
    }

    /// For each square, the number of squares that a slider there could reach in the direction: the
    /// empty ones up to the first piece, and that piece if it is a target. At most seven, in binary.
    #[inline(always)]
    pub fn runs<const D: usize>(&self, targets: Words8) -> [Words8; 3] {
        let [open, ..] = self.0;
        // At least one square is left, at least two, and so on; each set contains the next.
        let back = |set: Words8| steps(set, opposite(D), 1);
        let one = back(if line(D) == line(NORTH) { targets } else { targets & inside(D) });
        let two = back(open & one);
        let three = back(open & two);
        let four = back(open & three);
        let five = back(open & four);
        let six = back(open & five);
        let seven = back(open & six);
        [one ^ two ^ three ^ (four ^ five ^ six) ^ seven, two ^ four ^ six, four]
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

//! The eight directions, numbered, and the rays along them.
//!
//! The first four go up the four lines through a square, to squares with higher numbers; the others
//! go down the same lines. So `direction % 4` is the line: file, rank, diagonal, antidiagonal.

use super::rays::ray;
use crate::types::{Bitboard, Square};

pub(crate) const NORTH: usize = 0;
pub(crate) const EAST: usize = 1;
pub(crate) const NORTH_EAST: usize = 2;
pub(crate) const NORTH_WEST: usize = 3;
pub(crate) const SOUTH: usize = 4;
pub(crate) const WEST: usize = 5;
pub(crate) const SOUTH_WEST: usize = 6;
pub(crate) const SOUTH_EAST: usize = 7;

/// The steps of the directions: files east and ranks north.
pub(super) const STEPS: [(i8, i8); 8] = {
    let mut steps = [(0, 0); 8];
    steps[NORTH] = (0, 1);
    steps[EAST] = (1, 0);
    steps[NORTH_EAST] = (1, 1);
    steps[NORTH_WEST] = (-1, 1);
    steps[SOUTH] = (0, -1);
    steps[WEST] = (-1, 0);
    steps[SOUTH_WEST] = (-1, -1);
    steps[SOUTH_EAST] = (1, -1);
    steps
};

/// The difference in the numbers of squares of one step up each line.
pub(crate) const DISTANCES: [u64; 4] = [8, 1, 9, 7];

/// The line of a direction: file, rank, diagonal or antidiagonal.
#[inline(always)]
pub(crate) const fn line(direction: usize) -> usize {
    direction % 4
}

/// The kind of a direction's line: 0 if it is orthogonal, 1 if it is diagonal.
#[inline(always)]
pub(crate) const fn kind(direction: usize) -> usize {
    line(direction) / 2
}

/// The opposite direction.
#[inline(always)]
pub(crate) const fn opposite(direction: usize) -> usize {
    direction ^ 4
}

/// All squares after one in a direction, whatever stands there, by direction and square.
pub(crate) static RAYS: [[Bitboard; 64]; 8] = {
    let mut table = [[Bitboard::EMPTY; 64]; 8];
    let mut index = 0;
    while index < 8 * 64 {
        let (direction, square) = (index / 64, Square::from_index(index % 64));
        table[direction][square.index()] = ray(square, direction, Bitboard::EMPTY);
        index += 1;
    }
    table
};

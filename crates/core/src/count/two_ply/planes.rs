//! A small number for each square, in binary, each digit a set of squares.
//!
//! Numbers are added as in hardware, 64 squares at a time. Their sum over a set of squares takes
//! one population count for each digit, however many squares there are.

use std::ops::{BitAnd, BitOr, BitXor};

use super::super::lanes::Lanes;
use super::rays::Runs;
use crate::types::{Bitboard, Square};

/// One binary digit of many numbers.
pub(in crate::count) trait Digit:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}

impl<D: Copy + BitAnd<Output = D> + BitOr<Output = D> + BitXor<Output = D>> Digit for D {}

/// The two digits of the sum of two digits.
#[inline(always)]
pub(in crate::count) fn half_add<D: Digit>(a: D, b: D) -> (D, D) {
    (a ^ b, a & b)
}

/// The two digits of the sum of three digits.
#[inline(always)]
pub(in crate::count) fn full_add<D: Digit>(a: D, b: D, c: D) -> (D, D) {
    let half = a ^ b;
    (half ^ c, (a & b) | (half & c))
}

/// A number below 32 for each square.
#[derive(Clone, Copy)]
pub(super) struct Planes([Bitboard; 5]);

impl Planes {
    pub const ZERO: Self = Self([Bitboard::EMPTY; 5]);

    /// Adds one on each square of a set.
    #[inline(always)]
    pub fn add_one(&mut self, set: Bitboard) {
        let [ones, twos, fours, eights, sixteens] = &mut self.0;
        let mut carry = set;
        for plane in [ones, twos, fours] {
            (*plane, carry) = half_add(*plane, carry);
        }
        // Numbers above 7 are rare.
        if !carry.is_empty() {
            (*eights, carry) = half_add(*eights, carry);
            (*sixteens, carry) = half_add(*sixteens, carry);
            debug_assert!(carry.is_empty());
        }
    }

    /// For each square, the number of the four sets that contain it.
    #[inline(always)]
    pub fn of_four(sets: [Bitboard; 4]) -> Self {
        let [a, b, c, d] = sets;
        let (sum, carry) = full_add(a, b, c);
        let (ones, carry2) = half_add(sum, d);
        let (twos, fours) = half_add(carry, carry2);
        Self([ones, twos, fours, Bitboard::EMPTY, Bitboard::EMPTY])
    }

    /// The sum of the numbers of all eight directions. The two of a line add up to at most six,
    /// because sliders that attack a square from both sides leave less to each other.
    #[inline(always)]
    pub fn of_runs<L: Lanes>(runs: &Runs<L>) -> Self {
        let (ones, carry) = half_add(runs.ones.up, runs.ones.down);
        let (twos, carry) = full_add(runs.twos.up, runs.twos.down, carry);
        let fours = runs.fours.up ^ runs.fours.down ^ carry;

        let [ones, twos, fours] = [ones, twos, fours].map(|plane| plane.words().map(Bitboard));
        let line = |lane: usize| {
            Self([ones[lane], twos[lane], fours[lane], Bitboard::EMPTY, Bitboard::EMPTY])
        };
        line(0).plus(line(1)).plus(line(2).plus(line(3)))
    }

    /// The sum, square by square; it must stay below 32.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let mut carry = Bitboard::EMPTY;
        let mut sum = Self::ZERO;
        for ((sum, a), b) in sum.0.iter_mut().zip(self.0).zip(other.0) {
            (*sum, carry) = full_add(a, b, carry);
        }
        debug_assert!(carry.is_empty());
        sum
    }

    /// The number of one square.
    #[inline(always)]
    pub fn at(&self, square: Square) -> i32 {
        self.over(square.bitboard())
    }

    /// The sum over a set of squares.
    #[inline(always)]
    pub fn over(&self, set: Bitboard) -> i32 {
        let [low @ .., sixteens] = self.0;
        let [ones, twos, fours, eights] = low.map(|plane| (plane & set).len() as i32);
        let mut sum = ones + 2 * twos + 4 * fours + 8 * eights;
        // Numbers above 15 are rare.
        if !sixteens.is_empty() {
            sum += 16 * (sixteens & set).len() as i32;
        }
        sum
    }

    /// The sum, over a set of squares, of the products of two numbers.
    #[inline(always)]
    pub fn times(&self, other: &Self, set: Bitboard) -> i32 {
        let [ones, twos, fours, eights, sixteens] = self.0.map(|plane| plane & set);
        let [low @ .., high] = other.0;
        let over = |set: Bitboard| {
            let [ones, twos, fours, eights] = low.map(|plane| (plane & set).len() as i32);
            ones + 2 * twos + 4 * fours + 8 * eights
        };
        let mut sum = over(ones) + 2 * over(twos) + 4 * over(fours);
        if !(eights | sixteens).is_empty() {
            sum += 8 * over(eights) + 16 * over(sixteens);
        }
        if !high.is_empty() {
            let [ones, twos, fours, eights, sixteens] =
                self.0.map(|plane| (plane & set & high).len() as i32);
            sum += 16 * (ones + 2 * twos + 4 * fours + 8 * eights + 16 * sixteens);
        }
        sum
    }

    /// The squares whose number is not zero.
    #[inline(always)]
    pub fn any(&self) -> Bitboard {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] | self.0[4]
    }
}

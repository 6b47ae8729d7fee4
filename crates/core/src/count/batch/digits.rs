//! Adding sets of squares as binary digits, many at a time.

use super::super::two_ply::planes::{full_add, half_add};
use super::words::Words8;

/// Adds digits of one value: the digit of the sum, and the carries, half as many rounded down.
#[inline(always)]
pub(super) fn add<const N: usize, const CARRIES: usize>(
    digits: [Words8; N],
) -> (Words8, [Words8; CARRIES]) {
    const { assert!(CARRIES == N / 2) };
    let mut sum = digits[0];
    let mut carries = [sum.zero(); CARRIES];
    let mut i = 1;
    while i < N {
        if i + 1 < N {
            (sum, carries[i / 2]) = full_add(sum, digits[i], digits[i + 1]);
        } else {
            (sum, carries[i / 2]) = half_add(sum, digits[i]);
        }
        i += 2;
    }
    (sum, carries)
}

/// Two lists of digits in one.
#[inline(always)]
pub(super) fn join<const A: usize, const B: usize, const N: usize>(
    a: [Words8; A],
    b: [Words8; B],
) -> [Words8; N] {
    const { assert!(A + B == N) };
    std::array::from_fn(|i| if i < A { a[i] } else { b[i - A] })
}

/// For each square, the number of eight sets that contain it.
#[inline(always)]
pub(super) fn count8(sets: [Words8; 8]) -> [Words8; 4] {
    let (ones, carries): (_, [_; 4]) = add(sets);
    let (twos, carries): (_, [_; 2]) = add(carries);
    let (fours, [eights]) = add(carries);
    [ones, twos, fours, eights]
}

/// A number from its binary digits, each a number itself.
#[inline(always)]
pub(super) fn weighted<const N: usize>(digits: [Words8; N]) -> Words8 {
    // Horner's rule, from the highest digit down.
    let mut sum = digits[N - 1];
    for digit in digits.into_iter().rev().skip(1) {
        sum = sum + sum + digit;
    }
    sum
}

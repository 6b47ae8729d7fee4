//! Vectors of eight words, one for each position.
#![allow(unsafe_code)]
// SAFETY, for every block of this module: the instructions are those of AVX-512. `Words8::splat`,
// `load` and the two functions at the end take the proof that the CPU has them, and every other
// vector is made from one. Gain: see `Cpu`.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm_srli_si128, _mm512_add_epi8, _mm512_add_epi64,
    _mm512_and_si512, _mm512_castsi512_si128, _mm512_cvtepu8_epi64, _mm512_i64gather_epi64,
    _mm512_loadu_si512, _mm512_lzcnt_epi64, _mm512_mask_blend_epi64, _mm512_maskz_compress_epi8,
    _mm512_maskz_mov_epi64, _mm512_mul_epu32, _mm512_or_si512, _mm512_permutexvar_epi64,
    _mm512_popcnt_epi64, _mm512_rolv_epi64, _mm512_set1_epi8, _mm512_set1_epi64, _mm512_slli_epi64,
    _mm512_sllv_epi64, _mm512_srli_epi64, _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
    _mm512_test_epi64_mask, _mm512_testn_epi64_mask, _mm512_xor_si512,
};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Sub, SubAssign,
};

use crate::sys::cpu::Avx512;
use crate::types::{Bitboard, SquareSet};

/// The number of positions in a vector.
pub(super) const LANES: usize = 8;

/// A set of lanes, the first lane lowest.
pub(super) type LaneSet = u8;

/// Eight words, one for each position. A plain `u64` as an operand stands for eight equal ones.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::count) struct Words8(__m512i);

impl Words8 {
    /// Eight equal words.
    #[inline(always)]
    pub fn splat(_: Avx512, word: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    pub fn load(_: Avx512, words: &[u64; LANES]) -> Self {
        // SAFETY: see above; there are 64 bytes to read, and no alignment is asked for.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    pub fn store(self, words: &mut [u64; LANES]) {
        // SAFETY: see above; there are 64 bytes to write, and no alignment is asked for.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    pub fn words(self) -> [u64; LANES] {
        let mut words = [0; LANES];
        self.store(&mut words);
        words
    }

    /// The word of a lane. Stored whole and read in parts it would wait for the memory.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> u64 {
        let first = self.permuted(self.with_all(lane as u64));
        // SAFETY: see above.
        unsafe { _mm_cvtsi128_si64(_mm512_castsi512_si128(first.0)) as u64 }
    }

    /// Eight words, where there is a vector already.
    #[cfg(test)]
    pub fn like(self, words: &[u64; LANES]) -> Self {
        // SAFETY: see above; there are 64 bytes to read, and no alignment is asked for.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    /// Eight equal words, where there is a vector already.
    #[inline(always)]
    pub fn with_all(self, word: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    pub fn zero(self) -> Self {
        self.with_all(0)
    }

    #[inline(always)]
    pub fn shl<const N: u32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    pub fn shr<const N: u32>(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_srli_epi64::<N>(self.0) })
    }

    /// Shifted by a number of bits below 64, which is best a constant.
    #[inline(always)]
    pub fn up_by(self, bits: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sllv_epi64(self.0, self.with_all(bits).0) })
    }

    #[inline(always)]
    pub fn down_by(self, bits: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_srlv_epi64(self.0, self.with_all(bits).0) })
    }

    /// Each word rotated up by the number in the same lane.
    #[inline(always)]
    pub fn rotated(self, by: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_rolv_epi64(self.0, by.0) })
    }

    /// The number of squares of each set.
    #[inline(always)]
    pub fn len(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_popcnt_epi64(self.0) })
    }

    /// The lanes with an empty set.
    #[inline(always)]
    pub fn is_empty(self) -> LaneSet {
        // SAFETY: see above.
        unsafe { _mm512_testn_epi64_mask(self.0, self.0) }
    }

    /// The lanes in which two sets share a square.
    #[inline(always)]
    pub fn intersects(self, other: Self) -> LaneSet {
        // SAFETY: see above.
        unsafe { _mm512_test_epi64_mask(self.0, other.0) }
    }

    /// The lanes with a set that is not empty.
    #[inline(always)]
    pub fn lanes(self) -> LaneSet {
        self.intersects(self)
    }

    /// Whether any set has a square.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.lanes() != 0
    }

    /// Zero in all other lanes.
    #[inline(always)]
    pub fn only(self, lanes: LaneSet) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_maskz_mov_epi64(lanes, self.0) })
    }

    /// The words of another vector in some lanes.
    #[inline(always)]
    pub fn replaced(self, lanes: LaneSet, by: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mask_blend_epi64(lanes, self.0, by.0) })
    }

    /// The set of the square with this number.
    #[inline(always)]
    pub fn bit(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_sllv_epi64(_mm512_set1_epi64(1), self.0) })
    }

    /// The lowest square of each set.
    #[inline(always)]
    pub fn first(self) -> Self {
        self & (self.zero() - self)
    }

    /// The highest square of each set.
    #[inline(always)]
    pub fn last(self) -> Self {
        // SAFETY: see above. The shift by 64 for an empty set gives 0.
        Self(unsafe { _mm512_srlv_epi64(_mm512_set1_epi64(i64::MIN), _mm512_lzcnt_epi64(self.0)) })
    }

    /// The entries of a table, by the lowest nine bits of each word.
    #[inline(always)]
    pub fn look_up(self, table: &[[Bitboard; 64]; 8]) -> Self {
        let index = self & 511;
        // SAFETY: see above; every index is below 512, a set is a word, and the scale is its size.
        Self(unsafe { _mm512_i64gather_epi64::<8>(index.0, table.as_ptr().cast()) })
    }

    /// For each lane the word of another one: that with the number in the lowest bits of `from`.
    #[inline(always)]
    pub fn permuted(self, from: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_permutexvar_epi64(from.0, self.0) })
    }

    /// The products of the lower halves.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mul_epu32(self.0, other.0) })
    }
}

impl SquareSet for Words8 {
    #[inline(always)]
    fn none(self) -> Self {
        self.zero()
    }

    #[inline(always)]
    fn within(self, squares: Bitboard) -> Self {
        self & squares.0
    }

    #[inline(always)]
    fn up<const N: u32>(self) -> Self {
        self.shl::<N>()
    }

    #[inline(always)]
    fn down<const N: u32>(self) -> Self {
        self.shr::<N>()
    }
}

/// Implements an operation of two vectors, and of a vector and a word.
macro_rules! operations {
    ($($trait:ident $method:ident $instruction:ident,)*) => {$(
        impl $trait for Words8 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }

        impl $trait<u64> for Words8 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, word: u64) -> Self {
                self.$method(self.with_all(word))
            }
        }
    )*};
}

operations! {
    BitAnd bitand _mm512_and_si512,
    BitOr bitor _mm512_or_si512,
    BitXor bitxor _mm512_xor_si512,
    Add add _mm512_add_epi64,
    Sub sub _mm512_sub_epi64,
}

impl Not for Words8 {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self ^ !0
    }
}

macro_rules! assignments {
    ($($trait:ident $method:ident $operator:tt,)*) => {$(
        impl $trait for Words8 {
            #[inline(always)]
            fn $method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        }
    )*};
}

assignments! {
    BitAndAssign bitand_assign &,
    BitOrAssign bitor_assign |,
    AddAssign add_assign +,
    SubAssign sub_assign -,
}

/// The numbers from 0 to 63.
const NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut i = 0;
    while i < 64 {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};

/// The numbers of the bits of a word, plus `offset`, packed together. The rest is 0.
#[inline(always)]
pub(super) fn packed_bits(_: Avx512, word: u64, offset: u8) -> [u8; 64] {
    // SAFETY: see above; arrays of 64 bytes and vectors have the same size, and any bits are valid.
    unsafe {
        let numbers = std::mem::transmute::<[u8; 64], __m512i>(NUMBERS);
        let numbers = _mm512_add_epi8(numbers, _mm512_set1_epi8(offset as i8));
        std::mem::transmute::<__m512i, [u8; 64]>(_mm512_maskz_compress_epi8(word, numbers))
    }
}

/// The first sixteen squares of a set, in two vectors.
#[inline(always)]
pub(super) fn squares16(_: Avx512, set: u64) -> [Words8; 2] {
    // SAFETY: see above; an array of 64 bytes and a vector have the same size, and any bits are
    // valid.
    unsafe {
        let numbers = std::mem::transmute::<[u8; 64], __m512i>(NUMBERS);
        let squares = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(set, numbers));
        [squares, _mm_srli_si128::<8>(squares)].map(|low| Words8(_mm512_cvtepu8_epi64(low)))
    }
}

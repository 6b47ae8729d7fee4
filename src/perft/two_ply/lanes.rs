//! Four sets of squares worked on at once, each with a step of its own.
//!
//! A line has two directions: up, where square numbers grow, and down. Four lines go through
//! a square, so four words side by side hold one direction of each line. A CPU with vectors
//! of 256 bits does a step on all four in one instruction.

use std::ops::{BitAnd, BitOr, BitXor};

#[cfg(target_arch = "x86_64")]
use crate::cpu::Cpu;

/// How far one step goes on each line: file, rank, and the two diagonals.
const STEPS: [u64; 4] = [8, 1, 9, 7];

/// Four words, one for each line.
pub(crate) trait Lanes:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// The word of each line.
    fn new(words: [u64; 4]) -> Self;

    /// The same word for all lines.
    fn splat(word: u64) -> Self;

    /// The words of the lines.
    fn words(self) -> [u64; 4];

    /// Every square `N` steps up its line, with no regard to the edge of the board.
    fn up<const N: u64>(self) -> Self;

    /// Every square `N` steps down its line, with no regard to the edge of the board.
    fn down<const N: u64>(self) -> Self;

    /// The lanes whose word has a bit, the first lane lowest.
    fn having(self, bit: usize) -> u32;

    /// Runs code out of line, compiled for the same CPU as these lanes. What is not inlined
    /// would otherwise be compiled for any CPU.
    fn apart<R>(run: impl FnOnce() -> R) -> R;
}

/// Lanes for any CPU, one word after the other; `POPCNT` if it has that instruction.
#[derive(Clone, Copy)]
pub(crate) struct Words<const POPCNT: bool>([u64; 4]);

impl<const POPCNT: bool> Words<POPCNT> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl<const POPCNT: bool> Lanes for Words<POPCNT> {
    #[inline(always)]
    fn new(words: [u64; 4]) -> Self {
        Self(words)
    }

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self([word; 4])
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        self.0
    }

    #[inline(always)]
    fn up<const N: u64>(self) -> Self {
        self.zip(Self(STEPS), |word, step| word << (N * step))
    }

    #[inline(always)]
    fn down<const N: u64>(self) -> Self {
        self.zip(Self(STEPS), |word, step| word >> (N * step))
    }

    #[inline(always)]
    fn having(self, bit: usize) -> u32 {
        let [a, b, c, d] = self.0.map(|word| (word >> bit & 1) as u32);
        a | b << 1 | c << 2 | d << 3
    }

    #[inline(always)]
    fn apart<R>(run: impl FnOnce() -> R) -> R {
        #[cfg(target_arch = "x86_64")]
        if POPCNT {
            debug_assert!(Cpu::detect() >= Cpu::V2);
            // SAFETY: `true` is named in one place, `V2` in `serial.rs`, in code that is
            // entered only after the CPU was seen to have the instruction.
            #[allow(unsafe_code)]
            return unsafe { apart_popcnt(run) };
        }
        apart_portable(run)
    }
}

#[inline(never)]
fn apart_portable<R>(run: impl FnOnce() -> R) -> R {
    run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
#[inline(never)]
fn apart_popcnt<R>(run: impl FnOnce() -> R) -> R {
    run()
}

impl<const POPCNT: bool> BitAnd for Words<POPCNT> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const POPCNT: bool> BitOr for Words<POPCNT> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const POPCNT: bool> BitXor for Words<POPCNT> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2 {
    // SAFETY, for every block of this module: the instructions are those of AVX2, and of the
    // features that `apart` is compiled for, which are those of `Cpu::V3`. Outside of tests the
    // type is named in one place, `V3` in `serial.rs`, in code that is compiled for the same
    // features and entered only after `Cpu::detect` has seen every one of them. Gain: see `Cpu`.

    use std::arch::x86_64::{
        __m256i, _mm_cvtsi64_si128, _mm256_and_si256, _mm256_castsi256_pd, _mm256_movemask_pd,
        _mm256_or_si256, _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_sllv_epi64,
        _mm256_srlv_epi64, _mm256_xor_si256,
    };
    use std::ops::{BitAnd, BitOr, BitXor};

    use super::{Lanes, STEPS};
    use crate::cpu::Cpu;

    /// Lanes in one vector of AVX2.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256i);

    impl Avx2 {
        /// `N` steps on each line.
        #[inline(always)]
        fn steps<const N: u64>() -> __m256i {
            Self::new(STEPS.map(|step| N * step)).0
        }
    }

    impl Lanes for Avx2 {
        #[inline(always)]
        fn new(words: [u64; 4]) -> Self {
            // SAFETY: four words and a vector have the same size, and any bits are valid.
            Self(unsafe { std::mem::transmute::<[u64; 4], __m256i>(words) })
        }

        #[inline(always)]
        fn splat(word: u64) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_set1_epi64x(word as i64) })
        }

        #[inline(always)]
        fn words(self) -> [u64; 4] {
            // SAFETY: four words and a vector have the same size, and any bits are valid.
            unsafe { std::mem::transmute::<__m256i, [u64; 4]>(self.0) }
        }

        #[inline(always)]
        fn up<const N: u64>(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_sllv_epi64(self.0, Self::steps::<N>()) })
        }

        #[inline(always)]
        fn down<const N: u64>(self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_srlv_epi64(self.0, Self::steps::<N>()) })
        }

        #[inline(always)]
        fn having(self, bit: usize) -> u32 {
            // SAFETY: see above. The bit goes to the top of each word, where the mask of four
            // signs is taken from.
            unsafe {
                let top = _mm256_sll_epi64(self.0, _mm_cvtsi64_si128(63 - bit as i64));
                _mm256_movemask_pd(_mm256_castsi256_pd(top)) as u32
            }
        }

        #[inline(always)]
        fn apart<R>(run: impl FnOnce() -> R) -> R {
            debug_assert!(Cpu::detect() >= Cpu::V3);
            // SAFETY: see above.
            unsafe { apart(run) }
        }
    }

    #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2")]
    #[inline(never)]
    fn apart<R>(run: impl FnOnce() -> R) -> R {
        run()
    }

    impl BitAnd for Avx2 {
        type Output = Self;

        #[inline(always)]
        fn bitand(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_and_si256(self.0, other.0) })
        }
    }

    impl BitOr for Avx2 {
        type Output = Self;

        #[inline(always)]
        fn bitor(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_or_si256(self.0, other.0) })
        }
    }

    impl BitXor for Avx2 {
        type Output = Self;

        #[inline(always)]
        fn bitxor(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_xor_si256(self.0, other.0) })
        }
    }
}

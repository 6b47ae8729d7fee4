//! Four sets of squares processed at once, one for each line through a square.
//!
//! A line has two directions: up, where square numbers grow, and down. Four words side by side hold
//! one direction of each line; a CPU with vectors of 256 bits shifts all four in one instruction.

use std::ops::{BitAnd, BitOr, BitXor};

use crate::attacks::directions::DISTANCES;

/// Four words, one for each line.
pub(crate) trait Lanes:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// The words of the lines.
    fn words(self) -> [u64; 4];

    /// Every square `N` steps up its line. Squares wrap around the edge of the board.
    fn up<const N: u64>(self) -> Self;

    /// Every square `N` steps down its line. Squares wrap around the edge of the board.
    fn down<const N: u64>(self) -> Self;

    /// The lanes whose word has a bit, the first lane lowest.
    fn with_bit(self, bit: usize) -> u32;

    /// The number of bits in eight words.
    fn total_len(a: Self, b: Self) -> u32;
}

/// Lanes for any CPU, one word after the other.
#[derive(Clone, Copy)]
pub(crate) struct Words(pub [u64; 4]);

impl Words {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

impl Lanes for Words {
    #[inline(always)]
    fn words(self) -> [u64; 4] {
        self.0
    }

    #[inline(always)]
    fn up<const N: u64>(self) -> Self {
        self.zip(Self(DISTANCES), |word, step| word << (N * step))
    }

    #[inline(always)]
    fn down<const N: u64>(self) -> Self {
        self.zip(Self(DISTANCES), |word, step| word >> (N * step))
    }

    #[inline(always)]
    fn with_bit(self, bit: usize) -> u32 {
        let [a, b, c, d] = self.0.map(|word| (word >> bit & 1) as u32);
        a | b << 1 | c << 2 | d << 3
    }

    #[inline(always)]
    fn total_len(a: Self, b: Self) -> u32 {
        a.0.into_iter().chain(b.0).map(u64::count_ones).sum()
    }
}

/// Implements the three set operations.
macro_rules! set_operations {
    ($lanes:ty, |$a:ident, $b:ident| $and:expr, $or:expr, $xor:expr) => {
        set_operations!(@ BitAnd bitand, $lanes, |$a, $b| $and);
        set_operations!(@ BitOr bitor, $lanes, |$a, $b| $or);
        set_operations!(@ BitXor bitxor, $lanes, |$a, $b| $xor);
    };
    (@ $trait:ident $method:ident, $lanes:ty, |$a:ident, $b:ident| $result:expr) => {
        impl $trait for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $result
            }
        }
    };
}

set_operations!(
    Words,
    |a, b| a.zip(b, |a, b| a & b),
    a.zip(b, |a, b| a | b),
    a.zip(b, |a, b| a ^ b)
);

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
pub(crate) use avx2::Avx2Lanes;

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
#[allow(unsafe_code)]
mod avx2 {
    // SAFETY, for every block of this module: the instructions are those of AVX2. `Avx2Lanes::new`
    // takes the proof that the CPU has them, and every other vector is made from one. Gain: see
    // `Cpu`.

    use std::arch::x86_64::{
        __m256i, _mm_add_epi64, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_extract_epi64,
        _mm256_add_epi8, _mm256_and_si256, _mm256_castsi256_pd, _mm256_castsi256_si128,
        _mm256_extracti128_si256, _mm256_movemask_pd, _mm256_or_si256, _mm256_sad_epu8,
        _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sll_epi64, _mm256_sllv_epi64,
        _mm256_srli_epi64, _mm256_srlv_epi64, _mm256_xor_si256,
    };
    use std::ops::{BitAnd, BitOr, BitXor};

    use super::{DISTANCES, Lanes};
    use crate::sys::cpu::Avx2;

    /// Lanes in one vector of AVX2.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2Lanes(__m256i);

    impl Avx2Lanes {
        #[inline(always)]
        pub fn new(_: Avx2, words: [u64; 4]) -> Self {
            Self(vector(words))
        }

        /// `N` steps on each line.
        #[inline(always)]
        fn steps<const N: u64>() -> __m256i {
            vector(DISTANCES.map(|step| N * step))
        }
    }

    #[inline(always)]
    fn vector(words: [u64; 4]) -> __m256i {
        // SAFETY: four words and a vector have the same size, and any bits are valid.
        unsafe { std::mem::transmute::<[u64; 4], __m256i>(words) }
    }

    impl Lanes for Avx2Lanes {
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
        fn with_bit(self, bit: usize) -> u32 {
            // SAFETY: see above. The bit goes to the top of each word, where the mask of four
            // signs is taken from.
            unsafe {
                let top = _mm256_sll_epi64(self.0, _mm_cvtsi64_si128(63 - bit as i64));
                _mm256_movemask_pd(_mm256_castsi256_pd(top)) as u32
            }
        }

        /// By the number of bits of each half of a byte.
        #[inline(always)]
        fn total_len(a: Self, b: Self) -> u32 {
            const LENGTHS: [u64; 2] = [0x0302_0201_0201_0100, 0x0403_0302_0302_0201];
            let lengths = vector([LENGTHS[0], LENGTHS[1], LENGTHS[0], LENGTHS[1]]);
            let low = vector([0x0F0F_0F0F_0F0F_0F0F; 4]);
            // SAFETY: see above.
            unsafe {
                let len = |words: __m256i| {
                    let high = _mm256_and_si256(_mm256_srli_epi64::<4>(words), low);
                    let low = _mm256_and_si256(words, low);
                    _mm256_add_epi8(
                        _mm256_shuffle_epi8(lengths, low),
                        _mm256_shuffle_epi8(lengths, high),
                    )
                };
                let bytes = _mm256_add_epi8(len(a.0), len(b.0));
                let sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
                let sums = _mm_add_epi64(
                    _mm256_castsi256_si128(sums),
                    _mm256_extracti128_si256::<1>(sums),
                );
                (_mm_cvtsi128_si64(sums) + _mm_extract_epi64::<1>(sums)) as u32
            }
        }
    }

    // SAFETY: see above.
    set_operations!(
        Avx2Lanes,
        |a, b| Self(unsafe { _mm256_and_si256(a.0, b.0) }),
        Self(unsafe { _mm256_or_si256(a.0, b.0) }),
        Self(unsafe { _mm256_xor_si256(a.0, b.0) })
    );
}

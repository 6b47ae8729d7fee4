//! A small seeded generator of random numbers.
//!
//! Suites, magics, Zobrist keys and random positions must be the same on every machine and in every
//! version, so they do not depend on another crate's stream.

/// The splitmix64 generator: a counter whose values are mixed.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero. The bias is below `bound` in 2^64.
    pub const fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0");
        ((self.next_u64() as u128 * bound as u128) >> 64) as usize
    }

    /// One of `items`; `None` if there is none.
    pub const fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.below(items.len())]) }
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// A checksum of numbers. Each step is a bijection, so that one changed number always gives another
/// sum.
pub fn checksum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0, |sum, part| Rng::new(sum ^ part).next_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // The reference values of splitmix64 for seed 1234567.
        let mut rng = Rng::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([rng.next_u64(), rng.next_u64()], expected);
    }

    #[test]
    fn every_number_below_the_bound_comes_up() {
        let mut rng = Rng::new(1);
        let mut counts = [0_u32; 7];
        for _ in 0..7_000 {
            counts[rng.below(7)] += 1;
        }
        assert!(counts.iter().all(|&count| (800..1_200).contains(&count)), "{counts:?}");
    }
}

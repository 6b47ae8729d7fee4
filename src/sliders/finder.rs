//! The search for magics.
//!
//! A magic is a factor that gathers a square's relevant blockers into the top bits of a
//! product, so that `(blockers * magic) >> shift` can index a table of attack sets. It is
//! found by trial and error: draw a sparse number, fill a table with it, give up at the
//! first *harmful* collision. Two sets of blockers may share a slot when they leave the
//! slider the same attacks.

use super::Slider;
use crate::random::Rng;
use crate::types::{Bitboard, Square};

/// The seed from which the constants that this crate ships were found.
pub const SHIPPED_SEED: u64 = 1;

/// A magic found for one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The factor.
    pub magic: u64,
    /// How many candidates were tried, this one included.
    pub tries: u64,
}

/// The blockers of a square with the attacks that they leave, in the order of
/// [`Bitboard::subsets`].
pub fn blockers_and_attacks(slider: Slider, square: Square) -> Vec<(Bitboard, Bitboard)> {
    let subsets = slider.relevant(square).subsets();
    subsets.map(|blockers| (blockers, slider.attacks(square, blockers))).collect()
}

/// The top `index_bits` of the product.
const fn index(blockers: Bitboard, magic: u64, index_bits: u32) -> usize {
    (blockers.0.wrapping_mul(magic) >> (64 - index_bits)) as usize
}

/// Whether `magic` keeps different attacks apart in a table of `2^index_bits` slots.
///
/// # Panics
/// If `index_bits` is not in 1 to 24.
pub fn is_magic(pairs: &[(Bitboard, Bitboard)], magic: u64, index_bits: u32) -> bool {
    assert!((1..=24).contains(&index_bits), "a table of 2^{index_bits} slots");
    // No slider attacks nothing, so an empty set marks a free slot.
    let mut table = vec![Bitboard::EMPTY; 1 << index_bits];
    pairs.iter().all(|&(blockers, attacks)| {
        let slot = &mut table[index(blockers, magic, index_bits)];
        let harmless = slot.is_empty() || *slot == attacks;
        *slot = attacks;
        harmless
    })
}

/// Draws sparse candidates, three random words ANDed, until one is a magic for as many
/// index bits as the square has relevant ones.
///
/// Each square has a stream of its own, so the result does not depend on what was searched
/// before it.
///
/// ```
/// use perft::sliders::{finder, Slider};
/// use perft::Square;
///
/// let found = finder::find(Slider::Bishop, Square::D4, 1);
/// let pairs = finder::blockers_and_attacks(Slider::Bishop, Square::D4);
/// assert!(finder::is_magic(&pairs, found.magic, 9));
/// ```
pub fn find(slider: Slider, square: Square, seed: u64) -> Found {
    let pairs = blockers_and_attacks(slider, square);
    let index_bits = slider.relevant(square).len();
    let stream = 64 * slider as u64 + square.index() as u64;
    let mut rng = Rng::new(seed.wrapping_mul(0x1_0000).wrapping_add(stream));
    let mut tries = 0;
    loop {
        tries += 1;
        let magic = rng.next_u64() & rng.next_u64() & rng.next_u64();
        if is_magic(&pairs, magic, index_bits) {
            return Found { magic, tries };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sliders::magics;

    #[test]
    fn the_shipped_magics_are_the_ones_the_finder_finds() {
        for square in Square::all() {
            let of = |slider| find(slider, square, SHIPPED_SEED).magic;
            assert_eq!(magics::ROOK[square.index()], of(Slider::Rook), "rook on {square}");
            assert_eq!(magics::BISHOP[square.index()], of(Slider::Bishop), "bishop on {square}");
        }
    }

    #[test]
    fn a_harmful_collision_is_no_magic() {
        let pairs = blockers_and_attacks(Slider::Rook, Square::A1);
        assert!(!is_magic(&pairs, 0, 12));
        assert!(!is_magic(&pairs, 1, 12));
    }
}

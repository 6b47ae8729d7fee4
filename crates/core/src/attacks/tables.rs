//! Filling attack tables at compile time.
//!
//! The attacks of a slider along one of its two lines do not depend on the other, so the sets of
//! blockers are made line by line, at most 64 each, and a table is filled by pairing them. The
//! index is linear: that of a set of blockers is the sum of the shares of its lines,
//! shifted down. That keeps the inner loop short enough for a `const fn`.

use super::lines;
use super::rays::Slider;
use crate::types::{Bitboard, Square, next_subset};

/// All sets of relevant blockers on one line through a square, and the attacks they leave.
struct LineSets {
    len: usize,
    blockers: [u64; 64],
    attacks: [u64; 64],
}

impl LineSets {
    const fn new(slider: Slider, square: Square, which: usize) -> Self {
        let mut sets = Self { len: 0, blockers: [0; 64], attacks: [0; 64] };
        let line = lines::line(slider, square, which);
        let mask = line.0 & slider.relevant(square).0;
        let mut blockers = 0;
        loop {
            sets.blockers[sets.len] = blockers;
            sets.attacks[sets.len] = lines::line_attacks(square, Bitboard(blockers), line);
            sets.len += 1;
            blockers = next_subset(blockers, mask);
            if blockers == 0 {
                return sets;
            }
        }
    }
}

/// Writes the attacks of one slider on one square into `slots`, from `offset` on. A collision of
/// different attacks does not compile.
pub(super) const fn fill(
    slots: &mut [Bitboard],
    slider: Slider,
    square: Square,
    magic: u64,
    offset: u32,
) {
    let shift = 64 - slider.relevant(square).len();
    let first = LineSets::new(slider, square, 0);
    let second = LineSets::new(slider, square, 1);
    let mut second_shares = [0; 64];
    let mut j = 0;
    while j < second.len {
        second_shares[j] = second.blockers[j].wrapping_mul(magic);
        j += 1;
    }
    let mut i = 0;
    while i < first.len {
        let share = first.blockers[i].wrapping_mul(magic);
        let attacks = first.attacks[i];
        let mut j = 0;
        while j < second.len {
            // In 128 bits and truncated: this compiles faster than `wrapping_add`.
            let product = (share as u128 + second_shares[j] as u128) as u64;
            let at = offset as usize + (product >> shift) as usize;
            let both = attacks | second.attacks[j];
            let held = slots[at].0;
            assert!(held == 0 || held == both, "a magic has a harmful collision");
            slots[at].0 = both;
            j += 1;
        }
        i += 1;
    }
}

//! The search for magics.
//!
//! A magic is a factor that gathers the relevant blockers of a square in the top bits of a product,
//! so that `(blockers * magic) >> shift` indexes a table of attack sets. Two sets of blockers may
//! share a slot if they leave the slider the same attacks; any other collision is *harmful*, and a
//! candidate is dropped at its first one.
//!
//! - [`find`] draws candidates at random until one fits;
//! - [`search`] guesses the magic bit by bit, each guess checked at once;
//! - [`squeeze`] improves a magic until its table is short or regular, and [`pack`] lays the tables
//!   of all squares over each other; [`state`] is the text by which that search goes on later;
//! - [`bitscan`] is the same trial and error, small enough to follow by hand.

pub mod bitscan;
pub mod pack;
pub mod search;
pub mod squeeze;
pub mod state;
mod trial;

pub use trial::{Method, TRIES_PER_CALL, find};

use perft_core::attacks::rays::Slider;
use perft_core::types::{Bitboard, Square};

/// The key that is multiplied, made from the blockers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyKind {
    /// The blockers on relevant squares, all else empty: `occupied & mask`.
    #[default]
    White,
    /// All else occupied: `occupied | !mask`. The lowest index need not be 0 then.
    Black,
    /// 32-bit words: `lo * magic_lo + hi * magic_hi`, both factors in one 64-bit magic.
    Fold32,
}

impl KeyKind {
    /// The product whose top bits are the index.
    #[inline(always)]
    pub(super) const fn product(self, key: u64, magic: u64) -> u64 {
        match self {
            Self::White | Self::Black => key.wrapping_mul(magic),
            Self::Fold32 => fold32(key, magic),
        }
    }
}

/// A slider on a square, the kind of key and the table size that a magic is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MagicTarget {
    /// Rook or bishop.
    pub slider: Slider,
    /// Its square.
    pub square: Square,
    /// The kind of key.
    pub key_kind: KeyKind,
    /// The table has `2^index_bits` slots; 1 to [`MagicTarget::MAX_INDEX_BITS`].
    pub index_bits: u32,
}

impl MagicTarget {
    /// The highest number of index bits that is worth a search.
    pub const MAX_INDEX_BITS: u32 = 16;

    /// A table with a slot for every set of blockers, as in *fancy*.
    pub const fn of_mask_width(slider: Slider, square: Square, key_kind: KeyKind) -> Self {
        Self { slider, square, key_kind, index_bits: slider.relevant(square).len() }
    }

    /// The seed of a stream for this target alone, so that the result does not depend on earlier
    /// searches.
    const fn stream(&self, seed: u64) -> u64 {
        let place = 64 * self.slider as u64 + self.square.index() as u64;
        seed.wrapping_mul(0x1_0000).wrapping_add(place)
    }
}

pub(super) fn check_index_bits(index_bits: u32) {
    let max = MagicTarget::MAX_INDEX_BITS;
    assert!((1..=max).contains(&index_bits), "{index_bits} index bits, not 1 to {max}");
}

/// A magic found for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The factor.
    pub magic: u64,
    /// The width of its index. After a [`squeeze`] it may be wider than the mask: only the span
    /// counts.
    pub index_bits: u32,
    /// The number of candidates tried, this one included.
    pub tries: u64,
    /// The slots that it uses.
    pub span: Span,
}

/// The part of a table that a magic uses, without slot 0 of no blockers, which every white magic
/// uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lowest index.
    pub min: u32,
    /// From the lowest to the highest index, both included.
    pub len: u32,
}

/// All keys of a slider on a square, with their attacks, and a table to try magics in.
#[derive(Clone, Debug)]
pub struct Keys {
    key_kind: KeyKind,
    /// Key and number of the attacks; keys that are likely to collide come first.
    pairs: Vec<(u64, u8)>,
    /// The round that filled a slot, and the number of the attacks in its low byte: a new round
    /// leaves nothing to clear.
    slots: Vec<u32>,
    round: u32,
}

impl Keys {
    /// Lists the keys.
    pub fn new(slider: Slider, square: Square, key_kind: KeyKind) -> Self {
        let mask = slider.relevant(square);
        let pair = |blockers: Bitboard| {
            let key = if key_kind == KeyKind::Black { blockers | !mask } else { blockers };
            (key.0, slider.attacks(square, blockers))
        };
        let mut attack_sets: Vec<Bitboard> = Vec::new();
        let mut numbered = |(key, attacks)| {
            let known = attack_sets.iter().position(|&known| known == attacks);
            let number = known.unwrap_or_else(|| {
                attack_sets.push(attacks);
                attack_sets.len() - 1
            });
            // The rook on d4 has 144 attack sets, more than any other.
            (key, number as u8)
        };
        let mut pairs: Vec<_> = mask.subsets().map(|blockers| numbered(pair(blockers))).collect();
        // With few or nearly all blockers, a bad range or a collision is found soonest.
        pairs.sort_by_key(|&(key, _)| {
            let blockers = (Bitboard(key) & mask).len();
            blockers.min(mask.len() - blockers)
        });
        Self { key_kind, pairs, slots: Vec::new(), round: 0 }
    }

    /// The slots that `magic` uses of a table of `2^index_bits`; `None` as soon as two keys
    /// collide harmfully or the span gets longer than `limit`.
    ///
    /// # Panics
    /// If there is no index bit, or more than [`MagicTarget::MAX_INDEX_BITS`].
    pub fn span(&mut self, magic: u64, index_bits: u32, limit: u32) -> Option<Span> {
        // The loop is compiled for each kind of product.
        match self.key_kind {
            KeyKind::Fold32 => self.span_by(index_bits, limit, |key| fold32(key, magic)),
            _ => self.span_by(index_bits, limit, |key| key.wrapping_mul(magic)),
        }
    }

    #[inline(always)]
    fn span_by(
        &mut self,
        index_bits: u32,
        limit: u32,
        product: impl Fn(u64) -> u64,
    ) -> Option<Span> {
        let round = self.next_round(index_bits);
        let (mut min, mut max) = (u32::MAX, 0);
        for &(key, attacks) in &self.pairs {
            let index = (product(key) >> (64 - index_bits)) as u32;
            let attacks = round | u32::from(attacks);
            // Without blockers a white index is 0 with any magic; that slot may lie elsewhere.
            if key != 0 {
                min = min.min(index);
                max = max.max(index);
            }
            let slot = &mut self.slots[index as usize];
            if *slot < round {
                *slot = attacks;
            }
            if *slot != attacks || max.saturating_sub(min) >= limit {
                return None;
            }
        }
        Some(Span { min, len: max - min + 1 })
    }

    /// The round, above a byte for the number of attacks.
    fn next_round(&mut self, index_bits: u32) -> u32 {
        check_index_bits(index_bits);
        if self.slots.len() < 1 << index_bits || self.round == u32::MAX >> 8 {
            self.slots = vec![0; 1 << index_bits];
            self.round = 0;
        }
        self.round += 1;
        self.round << 8
    }

    /// The slots that a magic takes from others in a good layout: its span or, if the table uses
    /// only a few neighbors of every 8, 16, 32, 64 or 128 slots, that part of its span. Tables of
    /// other squares can use the rest. `None` as soon as two keys collide harmfully or more than
    /// `limit` are used.
    ///
    /// # Panics
    /// If there is no index bit, or more than [`MagicTarget::MAX_INDEX_BITS`].
    pub fn area(&mut self, magic: u64, index_bits: u32, limit: u32) -> Option<(Span, u32)> {
        let round = self.next_round(index_bits);
        let (mut min, mut max, mut used, mut residues) = (u32::MAX, 0, 0, 0_u128);
        for &(key, attacks) in &self.pairs {
            let index = (self.key_kind.product(key, magic) >> (64 - index_bits)) as u32;
            let attacks = round | u32::from(attacks);
            let slot = &mut self.slots[index as usize];
            if *slot < round {
                *slot = attacks;
                used += 1;
                residues |= 1 << (index % 128);
                min = min.min(index);
                max = max.max(index);
            }
            if *slot != attacks || used > limit {
                return None;
            }
        }
        let len = max - min + 1;
        let mut area = len;
        for period in [128, 64, 32, 16, 8] {
            // The ring is folded to half its length.
            residues |= residues.checked_shr(period).unwrap_or(0);
            let part = period - longest_gap(residues, period);
            area = area.min((len * part).div_ceil(period));
        }
        Some((Span { min, len }, area))
    }

    /// The indices of a magic, each once, ascending.
    pub(super) fn indices(&self, magic: u64, index_bits: u32) -> Vec<u32> {
        let product = |&(key, _): &(u64, u8)| self.key_kind.product(key, magic);
        let indices = self.pairs.iter().map(product);
        let mut indices: Vec<u32> =
            indices.map(|product| (product >> (64 - index_bits)) as u32).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }

    /// Whether `magic` has no harmful collision in a table of `2^index_bits` slots.
    ///
    /// # Panics
    /// If there is no index bit, or more than [`MagicTarget::MAX_INDEX_BITS`].
    pub fn accept(&mut self, magic: u64, index_bits: u32) -> bool {
        self.span(magic, index_bits, u32::MAX).is_some()
    }
}

/// The longest run of zeros in a ring of bits, the low `period` of a word.
fn longest_gap(residues: u128, period: u32) -> u32 {
    let ring = u128::MAX >> (128 - period);
    let mut zeros = !residues & ring;
    let mut len = 0;
    while zeros != 0 && len < period {
        len += 1;
        zeros &= (zeros << 1 | zeros >> (period - 1)) & ring;
    }
    len
}

/// The 32-bit hash, in the top half of the result so that it is shifted like the others.
///
/// The key is shifted down by one first: the corners are never relevant, so nothing is lost, and
/// the factors gain a bit of room at the top. Without it no pair was found for the rook on h8.
#[inline(always)]
pub(super) const fn fold32(key: u64, magic: u64) -> u64 {
    let key = key >> 1;
    let low = (key as u32).wrapping_mul(magic as u32);
    let high = ((key >> 32) as u32).wrapping_mul((magic >> 32) as u32);
    (low.wrapping_add(high) as u64) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmful_collision_is_no_magic() {
        for key_kind in [KeyKind::White, KeyKind::Black, KeyKind::Fold32] {
            let mut keys = Keys::new(Slider::Rook, Square::A1, key_kind);
            assert!(!keys.accept(0, 12));
            assert!(!keys.accept(1, 12));
        }
    }

    #[test]
    fn one_slot_short_is_too_long() {
        let target = MagicTarget::of_mask_width(Slider::Bishop, Square::D4, KeyKind::Black);
        let found = find(&target, Method::Random, 1, || true).unwrap();
        let mut keys = Keys::new(target.slider, target.square, target.key_kind);
        let len = found.span.len;
        assert_eq!(keys.span(found.magic, 9, len), Some(found.span));
        assert_eq!(keys.span(found.magic, 9, len - 1), None);
    }

    #[test]
    fn the_area_is_the_part_of_the_span_that_others_cannot_use() {
        assert_eq!(longest_gap(0b0001_0001, 8), 3);
        // Around the end.
        assert_eq!(longest_gap(0b0001_1000, 8), 6);
        assert_eq!(longest_gap(u128::MAX, 128), 0);
        assert_eq!(longest_gap(0, 128), 128);
        let target = MagicTarget::of_mask_width(Slider::Bishop, Square::D4, KeyKind::Black);
        let found = find(&target, Method::Random, 1, || true).unwrap();
        let mut keys = Keys::new(target.slider, target.square, target.key_kind);
        let used = keys.indices(found.magic, 9).len() as u32;
        let (span, area) = keys.area(found.magic, 9, used).unwrap();
        assert_eq!(span, found.span);
        assert!((used..=span.len).contains(&area));
        assert_eq!(keys.area(found.magic, 9, used - 1), None);
        // With more index bits, tables get longer but not their area.
        let mut keys = Keys::new(Slider::Rook, Square::E4, KeyKind::Black);
        let (span, area) = keys.area(SPARSE_E4, 11, 1024).unwrap();
        assert!(area * 5 < span.len * 2, "{area} of {span:?}");
    }

    /// Uses 6 neighbors of every 16 slots.
    const SPARSE_E4: u64 = 0x20e5_ffd9_fffd_2001;
}

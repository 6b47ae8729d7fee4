//! Magic systems: one table for all, filled when it is first used.
//!
//! A product gathers the relevant blockers in its top bits, which index the slots. The systems
//! differ in their [`Key`] and in the layout of the slots:
//! - *plain*: as many slots for each square as the largest needs, most of them unused;
//! - *shared*: fancy magics with both pieces in one array, their entries side by side;
//! - *packed*: short tables laid over each other, an unused slot of one square holding the attacks
//!   of another. A bias added to each product makes the tables short: it moves the point at which
//!   indices are rounded down;
//! - *black*: the layout of packed, the bias coming from squares outside the mask, which are all
//!   taken as occupied;
//! - *fold32*: two 32-bit products, for machines whose multiplier is that narrow.

use std::array;
use std::sync::LazyLock;

use super::trace::Hashing;
use super::{finder, fold32_magics, squeezed_magics};
use perft_core::attacks::rays::Slider;
use perft_core::attacks::{Sliders, magics};
use perft_core::types::{Bitboard, Square};

/// The factor of a square, and how it meets the occupied squares.
pub(super) trait Key: Copy {
    fn new(mask: Bitboard, magic: u64) -> Self;

    /// The product whose top bits are the index.
    fn product(self, occupied: Bitboard) -> u64;

    fn magic(self) -> u64;
}

/// `(occupied & mask) * magic`
#[derive(Clone, Copy)]
pub(super) struct WhiteKey {
    mask: Bitboard,
    magic: u64,
}

impl Key for WhiteKey {
    fn new(mask: Bitboard, magic: u64) -> Self {
        Self { mask, magic }
    }

    #[inline(always)]
    fn product(self, occupied: Bitboard) -> u64 {
        (occupied & self.mask).0.wrapping_mul(self.magic)
    }

    fn magic(self) -> u64 {
        self.magic
    }
}

/// `(occupied | !mask) * magic`
#[derive(Clone, Copy)]
pub(super) struct BlackKey {
    not_mask: Bitboard,
    magic: u64,
}

impl Key for BlackKey {
    fn new(mask: Bitboard, magic: u64) -> Self {
        Self { not_mask: !mask, magic }
    }

    #[inline(always)]
    fn product(self, occupied: Bitboard) -> u64 {
        (occupied | self.not_mask).0.wrapping_mul(self.magic)
    }

    fn magic(self) -> u64 {
        self.magic
    }
}

/// `(occupied & mask) * magic + bias`, with the bias that makes it the product of [`BlackKey`].
#[derive(Clone, Copy)]
pub(super) struct BiasedKey {
    white: WhiteKey,
    bias: u64,
}

impl Key for BiasedKey {
    fn new(mask: Bitboard, magic: u64) -> Self {
        Self { white: WhiteKey { mask, magic }, bias: (!mask).0.wrapping_mul(magic) }
    }

    #[inline(always)]
    fn product(self, occupied: Bitboard) -> u64 {
        self.white.product(occupied).wrapping_add(self.bias)
    }

    fn magic(self) -> u64 {
        self.white.magic
    }
}

/// Two 32-bit products, both factors in one magic.
#[derive(Clone, Copy)]
pub(super) struct Fold32Key(WhiteKey);

impl Key for Fold32Key {
    fn new(mask: Bitboard, magic: u64) -> Self {
        Self(WhiteKey { mask, magic })
    }

    #[inline(always)]
    fn product(self, occupied: Bitboard) -> u64 {
        finder::fold32((occupied & self.0.mask).0, self.0.magic)
    }

    fn magic(self) -> u64 {
        self.0.magic
    }
}

#[derive(Clone, Copy)]
struct MagicEntry<K> {
    key: K,
    /// Added to the index, wrapping: the lowest index of a square need not be 0.
    offset: u32,
    shift: u32,
}

impl<K: Key> MagicEntry<K> {
    #[inline(always)]
    fn slot(self, occupied: Bitboard) -> usize {
        let index = (self.key.product(occupied) >> self.shift) as u32;
        self.offset.wrapping_add(index) as usize
    }
}

/// Magic, index bits and offset of each square, rooks first.
type Layout = [[(u64, u32, u32); 64]; 2];

/// The attacks of rooks and bishops, looked up by magics.
pub(super) struct MagicTable<K> {
    /// Rook and bishop of each square.
    entries: [[MagicEntry<K>; 2]; 64],
    slots: Vec<Bitboard>,
}

impl<K: Key> MagicTable<K> {
    /// Fills `len` slots.
    ///
    /// # Panics
    /// If different attacks fall on one slot, or a slot is out of range.
    fn new((layout, len): (Layout, usize)) -> Self {
        let entries = array::from_fn(|index| {
            Slider::ALL.map(|slider| {
                let (magic, index_bits, offset) = layout[slider as usize][index];
                let key = K::new(slider.relevant(Square::from_index(index)), magic);
                MagicEntry { key, offset, shift: 64 - index_bits }
            })
        });
        let mut table = Self { entries, slots: vec![Bitboard::EMPTY; len] };
        for (slider, square) in (0..128).map(finder::pack::place) {
            let entry = table.entries[square.index()][slider as usize];
            for blockers in slider.relevant(square).subsets() {
                let attacks = slider.attacks(square, blockers);
                let slot = &mut table.slots[entry.slot(blockers)];
                let is_free = slot.is_empty() || *slot == attacks;
                assert!(is_free, "the magic of the {slider} on {square} has a harmful collision");
                *slot = attacks;
            }
        }
        table
    }

    /// The size of entries and slots.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.entries) + size_of_val(&self.slots[..])
    }

    /// The lookup of a square, to be shown.
    pub(super) fn hashing(&self, slider: Slider, square: Square) -> Hashing<'_> {
        let MagicEntry { key, offset, shift } = self.entries[square.index()][slider as usize];
        Hashing {
            magic: Some(key.magic()),
            index_bits: 64 - shift,
            offset,
            product: Box::new(move |occupied| key.product(occupied)),
        }
    }
}

impl<K: Key> Sliders for MagicTable<K> {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        self.slots[self.entries[square.index()][slider as usize].slot(occupied)]
    }
}

/// Tables one behind the other, each with all slots of its index bits; and the sum of their slots.
fn in_sequence(magics: [[u64; 64]; 2], index_bits: fn(Slider, Square) -> u32) -> (Layout, usize) {
    let mut end = 0;
    let layout = Slider::ALL.map(|slider| {
        array::from_fn(|index| {
            let index_bits = index_bits(slider, Square::from_index(index));
            let offset = end;
            end += 1 << index_bits;
            (magics[slider as usize][index], index_bits, offset)
        })
    });
    (layout, end as usize)
}

const SQUEEZED: (Layout, usize) =
    ([squeezed_magics::ROOK, squeezed_magics::BISHOP], squeezed_magics::LEN);

fn mask_width(slider: Slider, square: Square) -> u32 {
    slider.relevant(square).len()
}

pub(super) static PLAIN: LazyLock<MagicTable<WhiteKey>> = LazyLock::new(|| {
    // The widest masks. A magic for fewer bits is one for more: different indices stay different.
    let index_bits = |slider, _| if slider == Slider::Rook { 12 } else { 9 };
    MagicTable::new(in_sequence([magics::ROOK, magics::BISHOP], index_bits))
});
pub(super) static SHARED: LazyLock<MagicTable<WhiteKey>> =
    LazyLock::new(|| MagicTable::new(in_sequence([magics::ROOK, magics::BISHOP], mask_width)));
pub(super) static PACKED: LazyLock<MagicTable<BiasedKey>> =
    LazyLock::new(|| MagicTable::new(SQUEEZED));
pub(super) static BLACK: LazyLock<MagicTable<BlackKey>> =
    LazyLock::new(|| MagicTable::new(SQUEEZED));
pub(super) static FOLD32: LazyLock<MagicTable<Fold32Key>> = LazyLock::new(|| {
    MagicTable::new(in_sequence([fold32_magics::ROOK, fold32_magics::BISHOP], mask_width))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the magic of the rook on b1 has a harmful collision")]
    fn a_table_refuses_a_magic_that_is_none() {
        let mut magics = [magics::ROOK, magics::BISHOP];
        magics[0][1] = 0;
        MagicTable::<WhiteKey>::new(in_sequence(magics, mask_width));
    }
}

//! The 32-bit form: two 32-bit products in place of one of 64 bits, for machines whose
//! multiplier is that narrow. It needs magics of its own, a pair for each square.

use super::tables::{Indexing, Magic, SLOTS, fill};
use super::{Slider, Sliders, finder, fold32_magics};
use crate::types::{Bitboard, Square};

struct Table {
    entries: [[Magic; 64]; 2],
    attacks: [Bitboard; SLOTS],
}

#[allow(long_running_const_eval)]
static TABLE: Table = build();

const fn build() -> Table {
    let mut table = Table { entries: [[Magic::UNSET; 64]; 2], attacks: [Bitboard::EMPTY; SLOTS] };
    let mut offset = 0;
    let mut index = 0;
    while index < 128 {
        let magic =
            if index < 64 { fold32_magics::ROOK[index] } else { fold32_magics::BISHOP[index - 64] };
        let entry = Magic::of_mask_width(index, magic, offset);
        table.entries[index / 64][index % 64] = entry;
        fill(&mut table.attacks, index, Indexing::Fold32(magic), entry.shift, offset);
        offset += 1 << entry.mask.len();
        index += 1;
    }
    assert!(offset as usize == SLOTS, "the tables do not fill the array");
    table
}

#[inline(always)]
fn look_up(slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
    let entry = TABLE.entries[slider as usize][square.index()];
    let product = finder::fold32((occupied & entry.mask).0, entry.magic);
    TABLE.attacks[entry.offset as usize + (product >> entry.shift) as usize]
}

/// The 32-bit form as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fold32;

impl Sliders for Fold32 {
    const NAME: &'static str = "fold32";
    const ABOUT: &'static str = "two 32-bit multiplications, with their own magics";
    const TABLE_BYTES: usize = size_of_val(&TABLE);

    #[inline(always)]
    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        look_up(Slider::Rook, square, occupied)
    }

    #[inline(always)]
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        look_up(Slider::Bishop, square, occupied)
    }
}

//! Black magics: every square that does not matter is taken as occupied.
//!
//! With no blockers a white key is 0, and so is its index, whatever the magic. A black key
//! `occupied | !mask` is never 0, and the indices of a square may lie anywhere: only the
//! stretch from the lowest to the highest is stored, its start taken off in the offset. That
//! leaves the fraction of a slot that all keys begin with to be chosen, and with it tables
//! of three quarters of their size.

use super::squeezed_magics::{BISHOP, LEN, ROOK};
use super::tables::{Indexing, fill};
use super::{Slider, Sliders};
use crate::types::{Bitboard, Square};

#[derive(Clone, Copy)]
struct Entry {
    not_mask: Bitboard,
    magic: u64,
    /// Where the lowest index lies, less that index: it may wrap.
    offset: u32,
    shift: u32,
}

struct Table {
    entries: [[Entry; 64]; 2],
    attacks: [Bitboard; LEN],
}

#[allow(long_running_const_eval)]
static TABLE: Table = build();

const fn build() -> Table {
    const UNSET: Entry = Entry { not_mask: Bitboard::EMPTY, magic: 0, offset: 0, shift: 0 };
    let mut table = Table { entries: [[UNSET; 64]; 2], attacks: [Bitboard::EMPTY; LEN] };
    let mut index = 0;
    while index < 128 {
        let (magic, bits, offset) = if index < 64 { ROOK[index] } else { BISHOP[index - 64] };
        let mask = super::tables::slider(index).relevant(Square::from_index(index));
        let shift = 64 - bits;
        table.entries[index / 64][index % 64] =
            Entry { not_mask: Bitboard(!mask.0), magic, offset, shift };
        let bias = (!mask.0).wrapping_mul(magic);
        fill(&mut table.attacks, index, Indexing::Biased(magic, bias), shift, offset);
        index += 1;
    }
    table
}

#[inline(always)]
fn look_up(slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
    let entry = TABLE.entries[slider as usize][square.index()];
    let product = (occupied | entry.not_mask).0.wrapping_mul(entry.magic);
    TABLE.attacks[entry.offset.wrapping_add((product >> entry.shift) as u32) as usize]
}

/// Black magics as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Black;

impl Sliders for Black {
    const NAME: &'static str = "black";
    const ABOUT: &'static str = "black magics, from each table's lowest index, packed";
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

//! Shared magics: rooks and bishops in a single array, behind one kind of entry.
//!
//! The look-up is that of fancy magics. Both pieces' entries lie side by side, so a queen
//! finds its two in one cache line, and there is one array to build, verify and count.

use super::tables::{Indexing, Magic, SLOTS, fill};
use super::{Slider, Sliders, magics};
use crate::types::{Bitboard, Square};

struct Table {
    /// Rook and bishop of each square.
    entries: [[Magic; 2]; 64],
    attacks: [Bitboard; SLOTS],
}

#[allow(long_running_const_eval)]
static TABLE: Table = build();

const fn build() -> Table {
    let mut table = Table { entries: [[Magic::UNSET; 2]; 64], attacks: [Bitboard::EMPTY; SLOTS] };
    let mut offset = 0;
    let mut index = 0;
    while index < 128 {
        let magic = if index < 64 { magics::ROOK[index] } else { magics::BISHOP[index - 64] };
        let entry = Magic::of_mask_width(index, magic, offset);
        table.entries[index % 64][index / 64] = entry;
        fill(&mut table.attacks, index, Indexing::White(magic), entry.shift, offset);
        offset += 1 << entry.mask.len();
        index += 1;
    }
    assert!(offset as usize == SLOTS, "the tables do not fill the array");
    table
}

#[inline(always)]
fn look_up(slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
    TABLE.attacks[TABLE.entries[square.index()][slider as usize].slot(occupied)]
}

/// Shared magics as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared;

impl Sliders for Shared {
    const NAME: &'static str = "shared";
    const ABOUT: &'static str = "fancy magics of both pieces in a single array";
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

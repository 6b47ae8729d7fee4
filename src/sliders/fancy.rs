//! Fancy magics: each square has a table as large as its relevant blockers need, and the
//! tables of a piece lie one behind the other.

use super::tables::{Indexing, Magic, fill};
use super::{Slider, Sliders, magics};
use crate::types::{Bitboard, Square};

/// All sets of relevant blockers of all squares.
const ROOK_SLOTS: usize = 102_400;
const BISHOP_SLOTS: usize = 5_248;

struct Table<const SLOTS: usize> {
    entries: [Magic; 64],
    attacks: [Bitboard; SLOTS],
}

#[allow(long_running_const_eval)]
static ROOK: Table<ROOK_SLOTS> = build(Slider::Rook, magics::ROOK);
#[allow(long_running_const_eval)]
static BISHOP: Table<BISHOP_SLOTS> = build(Slider::Bishop, magics::BISHOP);

const fn build<const SLOTS: usize>(slider: Slider, magics: [u64; 64]) -> Table<SLOTS> {
    let mut table = Table { entries: [Magic::UNSET; 64], attacks: [Bitboard::EMPTY; SLOTS] };
    let mut offset = 0;
    let mut index = 0;
    while index < 64 {
        let place = slider as usize * 64 + index;
        let entry = Magic::of_mask_width(place, magics[index], offset);
        table.entries[index] = entry;
        fill(&mut table.attacks, place, Indexing::White(entry.magic), entry.shift, offset);
        offset += 1 << entry.mask.len();
        index += 1;
    }
    assert!(offset as usize == SLOTS, "the tables do not fill the array");
    table
}

impl<const SLOTS: usize> Table<SLOTS> {
    #[inline(always)]
    fn look_up(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attacks[self.entries[square.index()].slot(occupied)]
    }
}

/// Fancy magics as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fancy;

impl Sliders for Fancy {
    const NAME: &'static str = "fancy";
    const ABOUT: &'static str = "magics, each square's table as wide as it needs";
    const TABLE_BYTES: usize = size_of_val(&ROOK) + size_of_val(&BISHOP);

    #[inline(always)]
    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        ROOK.look_up(square, occupied)
    }

    #[inline(always)]
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        BISHOP.look_up(square, occupied)
    }
}

//! Fancy magics: a product gathers the relevant blockers in its top bits, which index a table.
//!
//! Each square has a table as large as its relevant blockers need; the tables of a piece lie one
//! behind the other.

use super::rays::Slider;
use super::tables::fill;
use super::{Sliders, magics};
use crate::types::{Bitboard, Square};

/// All sets of relevant blockers of all squares.
const ROOK_SLOTS: usize = 102_400;
const BISHOP_SLOTS: usize = 5_248;

#[derive(Clone, Copy)]
struct Entry {
    mask: Bitboard,
    magic: u64,
    /// The first slot of the square.
    offset: u32,
    shift: u32,
}

struct MagicAttacks<const SLOTS: usize> {
    entries: [Entry; 64],
    slots: [Bitboard; SLOTS],
}

#[allow(long_running_const_eval)]
static ROOK: MagicAttacks<ROOK_SLOTS> = MagicAttacks::new(Slider::Rook, magics::ROOK);
#[allow(long_running_const_eval)]
static BISHOP: MagicAttacks<BISHOP_SLOTS> = MagicAttacks::new(Slider::Bishop, magics::BISHOP);

impl<const SLOTS: usize> MagicAttacks<SLOTS> {
    const fn new(slider: Slider, magics: [u64; 64]) -> Self {
        const UNSET: Entry = Entry { mask: Bitboard::EMPTY, magic: 0, offset: 0, shift: 0 };
        let mut table = Self { entries: [UNSET; 64], slots: [Bitboard::EMPTY; SLOTS] };
        let mut offset = 0;
        let mut index = 0;
        while index < 64 {
            let square = Square::from_index(index);
            let (mask, magic) = (slider.relevant(square), magics[index]);
            table.entries[index] = Entry { mask, magic, offset, shift: 64 - mask.len() };
            fill(&mut table.slots, slider, square, magic, offset);
            offset += 1 << mask.len();
            index += 1;
        }
        assert!(offset as usize == SLOTS, "the tables do not fill the array");
        table
    }

    #[inline(always)]
    fn attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let entry = self.entries[square.index()];
        let product = (occupied & entry.mask).0.wrapping_mul(entry.magic);
        self.slots[entry.offset as usize + (product >> entry.shift) as usize]
    }
}

/// Fancy magics, for any CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Magic;

impl Magic {
    /// The size of its tables.
    pub const TABLE_BYTES: usize = size_of_val(&ROOK) + size_of_val(&BISHOP);
}

impl Sliders for Magic {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        match slider {
            Slider::Rook => ROOK.attacks(square, occupied),
            Slider::Bishop => BISHOP.attacks(square, occupied),
        }
    }
}

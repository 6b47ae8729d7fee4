//! Fancy magics: each square has a table as large as its relevant blockers need, and all
//! tables lie one behind the other in a single array.

use super::{Slider, Sliders, hyperbola, magics};
use crate::types::{Bitboard, Square};

/// What it takes to look one square up.
#[derive(Clone, Copy)]
struct Entry {
    mask: Bitboard,
    magic: u64,
    offset: u32,
    shift: u32,
}

/// All sets of relevant blockers of all squares: 102,400 of the rooks, 5,248 of the bishops.
const SLOTS: usize = 107_648;

struct Tables {
    rook: [Entry; 64],
    bishop: [Entry; 64],
    attacks: [Bitboard; SLOTS],
}

#[allow(long_running_const_eval)]
static TABLES: Tables = build();

/// Fills the tables while compiling; a magic with a harmful collision does not compile.
const fn build() -> Tables {
    let unset = Entry { mask: Bitboard::EMPTY, magic: 0, offset: 0, shift: 0 };
    let mut tables =
        Tables { rook: [unset; 64], bishop: [unset; 64], attacks: [Bitboard::EMPTY; SLOTS] };
    let mut offset = 0;
    let mut index = 0;
    while index < 128 {
        let square = Square::from_index(index);
        let (slider, magic) = if index < 64 {
            (Slider::Rook, magics::ROOK[index])
        } else {
            (Slider::Bishop, magics::BISHOP[index - 64])
        };
        let mask = slider.relevant(square);
        let entry = Entry { mask, magic, offset, shift: 64 - mask.len() };
        match slider {
            Slider::Rook => tables.rook[square.index()] = entry,
            Slider::Bishop => tables.bishop[square.index()] = entry,
        }
        let mut blockers = 0;
        loop {
            let attacks = hyperbola::attacks(slider, square, Bitboard(blockers));
            let slot = &mut tables.attacks[entry.slot(Bitboard(blockers))];
            assert!(slot.is_empty() || slot.0 == attacks.0, "a magic has a harmful collision");
            *slot = attacks;
            blockers = crate::types::next_subset(blockers, mask.0);
            if blockers == 0 {
                break;
            }
        }
        offset += 1 << mask.len();
        index += 1;
    }
    assert!(offset as usize == SLOTS, "the tables do not fill the array");
    tables
}

impl Entry {
    #[inline(always)]
    const fn slot(self, occupied: Bitboard) -> usize {
        let product = (occupied.0 & self.mask.0).wrapping_mul(self.magic);
        self.offset as usize + (product >> self.shift) as usize
    }
}

/// Fancy magics as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fancy;

impl Sliders for Fancy {
    const NAME: &'static str = "fancy";

    #[inline(always)]
    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        TABLES.attacks[TABLES.rook[square.index()].slot(occupied)]
    }

    #[inline(always)]
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        TABLES.attacks[TABLES.bishop[square.index()].slot(occupied)]
    }
}

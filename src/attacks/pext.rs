//! PEXT: the relevant blockers, packed together, are the index.
//!
//! The instruction takes the bits of a word under a mask and moves them together, which is what a
//! magic does by a product. No constant has to be found.

use super::Sliders;
use super::rays::Slider;
use super::tables::{Indexing, fill};
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::cpu::Avx2;
use crate::types::{Bitboard, Square};

/// All sets of relevant blockers of all squares, of rooks and bishops.
const SLOTS: usize = 107_648;

#[derive(Clone, Copy)]
struct Entry {
    mask: Bitboard,
    /// The first slot of the square.
    offset: u32,
}

struct PextAttacks {
    entries: [[Entry; 64]; 2],
    slots: [Bitboard; SLOTS],
}

#[allow(long_running_const_eval)]
static ATTACKS: PextAttacks = {
    const UNSET: Entry = Entry { mask: Bitboard::EMPTY, offset: 0 };
    let mut table = PextAttacks { entries: [[UNSET; 64]; 2], slots: [Bitboard::EMPTY; SLOTS] };
    let mut offset = 0;
    let mut index = 0;
    while index < 128 {
        let (slider, square) = (Slider::ALL[index / 64], Square::from_index(index));
        let mask = slider.relevant(square);
        table.entries[index / 64][index % 64] = Entry { mask, offset };
        fill(&mut table.slots, slider, square, Indexing::Pext, offset);
        offset += 1 << mask.len();
        index += 1;
    }
    assert!(offset as usize == SLOTS, "the tables do not fill the array");
    table
};

/// The size of the tables.
pub const TABLE_BYTES: usize = size_of_val(&ATTACKS);

/// PEXT without the instruction: the bits of `source` under `mask`, packed together.
pub(super) const fn software(source: u64, mask: u64) -> u64 {
    let mut result = 0;
    let mut left = mask;
    let mut to = 0;
    while left != 0 {
        let from = left.trailing_zeros();
        result |= (source >> from & 1) << to;
        to += 1;
        left &= left - 1;
    }
    result
}

#[inline(always)]
fn attacks(
    slider: Slider,
    square: Square,
    occupied: Bitboard,
    pext: impl Fn(u64, u64) -> u64,
) -> Bitboard {
    let entry = ATTACKS.entries[slider as usize][square.index()];
    ATTACKS.slots[entry.offset as usize + pext(occupied.0, entry.mask.0) as usize]
}

/// PEXT by the CPU's instruction.
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
#[derive(Clone, Copy, Debug)]
pub struct Pext(pub Avx2);

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Sliders for Pext {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        attacks(slider, square, occupied, |source, mask| self.0.pext(source, mask))
    }
}

/// PEXT in software: slow, for CPUs without the instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoftwarePext;

impl Sliders for SoftwarePext {
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        attacks(slider, square, occupied, software)
    }
}

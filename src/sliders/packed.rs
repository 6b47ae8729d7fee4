//! Packed magics: tables laid over each other.
//!
//! Two savings over `shared`. First, short tables: a bias is added to every product, so that
//! all indices of a square are rounded at a better place, and magics were climbed to whose
//! indices then end early; many tables have three quarters of their size. Second, no table
//! uses all its slots, and the unused ones of one square hold another's attacks. What each
//! slot is asked for, by whichever square, is checked while compiling.
//!
//! The biases are those that make the index the same as that of the [black
//! magics](super::Black): both systems read the same layout.

use super::squeezed_magics::{BISHOP, LEN, ROOK};
use super::tables::{Indexing, fill};
use super::{Slider, Sliders};
use crate::types::{Bitboard, Square};

#[derive(Clone, Copy)]
struct Entry {
    mask: Bitboard,
    magic: u64,
    bias: u64,
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
    const UNSET: Entry = Entry { mask: Bitboard::EMPTY, magic: 0, bias: 0, offset: 0, shift: 0 };
    let mut table = Table { entries: [[UNSET; 64]; 2], attacks: [Bitboard::EMPTY; LEN] };
    let mut index = 0;
    while index < 128 {
        let (magic, bits, offset) = if index < 64 { ROOK[index] } else { BISHOP[index - 64] };
        let mask = super::tables::slider(index).relevant(Square::from_index(index));
        let bias = (!mask.0).wrapping_mul(magic);
        let shift = 64 - bits;
        table.entries[index / 64][index % 64] = Entry { mask, magic, bias, offset, shift };
        fill(&mut table.attacks, index, Indexing::Biased(magic, bias), shift, offset);
        index += 1;
    }
    table
}

#[inline(always)]
fn look_up(slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
    let entry = TABLE.entries[slider as usize][square.index()];
    let product = (occupied & entry.mask).0.wrapping_mul(entry.magic).wrapping_add(entry.bias);
    TABLE.attacks[entry.offset.wrapping_add((product >> entry.shift) as u32) as usize]
}

/// Packed magics as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packed;

impl Sliders for Packed {
    const NAME: &'static str = "packed";
    const ABOUT: &'static str = "biased magics whose tables fill each other's gaps";
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

//! Plain magics: each square has a table of the same size, the largest that any needs.
//!
//! A fixed size makes the look-up the simplest there is, `table[square][index]`, and the
//! memory the largest: most squares leave most of their table empty.

use super::tables::{Indexing, fill};
use super::{Slider, Sliders, magics};
use crate::types::{Bitboard, Square};

/// Twelve relevant squares at most for a rook, nine for a bishop.
const ROOK_SLOTS: usize = 1 << 12;
const BISHOP_SLOTS: usize = 1 << 9;

struct Table<const SLOTS: usize> {
    masks: [Bitboard; 64],
    magics: [u64; 64],
    attacks: [[Bitboard; SLOTS]; 64],
}

#[allow(long_running_const_eval)]
static ROOK: Table<ROOK_SLOTS> = build(Slider::Rook, magics::ROOK);
#[allow(long_running_const_eval)]
static BISHOP: Table<BISHOP_SLOTS> = build(Slider::Bishop, magics::BISHOP);

const fn build<const SLOTS: usize>(slider: Slider, magics: [u64; 64]) -> Table<SLOTS> {
    let mut table =
        Table { masks: [Bitboard::EMPTY; 64], magics, attacks: [[Bitboard::EMPTY; SLOTS]; 64] };
    let mut index = 0;
    while index < 64 {
        table.masks[index] = slider.relevant(Square::from_index(index));
        // A magic for fewer bits is one for more: what differs above still differs.
        let indexing = Indexing::White(magics[index]);
        let shift = 64 - SLOTS.trailing_zeros();
        fill(&mut table.attacks[index], slider as usize * 64 + index, indexing, shift, 0);
        index += 1;
    }
    table
}

impl<const SLOTS: usize> Table<SLOTS> {
    #[inline(always)]
    fn look_up(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let index = square.index();
        let product = (occupied & self.masks[index]).0.wrapping_mul(self.magics[index]);
        self.attacks[index][(product >> (64 - SLOTS.trailing_zeros())) as usize]
    }
}

/// Plain magics as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Sliders for Plain {
    const NAME: &'static str = "plain";
    const ABOUT: &'static str = "magics, a table of fixed size for each square";
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

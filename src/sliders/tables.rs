//! Filling attack tables while compiling.
//!
//! A slider sees along two lines, and what it sees on one does not depend on the other. So
//! the sets of blockers are made line by line, at most 64 on each, and a table is filled by
//! pairing them. Every index here is linear: a key's index is its two lines' shares added
//! up and shifted down. That keeps the inner loop short enough for a `const fn`.

use super::{Slider, hyperbola};
use crate::types::{Bitboard, Square, next_subset};

/// The blockers that matter on one line through a square, with what is seen then.
pub(super) struct Line {
    pub len: usize,
    pub blockers: [u64; 64],
    attacks: [u64; 64],
}

/// Both lines of every rook, then of every bishop.
pub(super) static LINES: [[Line; 2]; 128] = lines();

/// A slot for each set of relevant blockers of each square, rooks and bishops together.
pub(super) const SLOTS: usize = {
    let (mut slots, mut index) = (0, 0);
    while index < 128 {
        slots += 1 << slider(index).relevant(Square::from_index(index)).len();
        index += 1;
    }
    slots
};

const fn lines() -> [[Line; 2]; 128] {
    const UNSET: Line = Line { len: 0, blockers: [0; 64], attacks: [0; 64] };
    let mut table = [const { [UNSET; 2] }; 128];
    let mut index = 0;
    while index < 128 {
        let square = Square::from_index(index);
        let slider = slider(index);
        let mut i = 0;
        while i < 2 {
            let line = hyperbola::line(slider, square, i);
            let mask = line.0 & slider.relevant(square).0;
            let into = &mut table[index][i];
            let mut blockers = 0;
            loop {
                into.blockers[into.len] = blockers;
                into.attacks[into.len] = hyperbola::line_attacks(square, Bitboard(blockers), line);
                into.len += 1;
                blockers = next_subset(blockers, mask);
                if blockers == 0 {
                    break;
                }
            }
            i += 1;
        }
        index += 1;
    }
    table
}

/// Rooks come first, then bishops.
pub(super) const fn slider(index: usize) -> Slider {
    if index < 64 { Slider::Rook } else { Slider::Bishop }
}

/// What makes an index of blockers.
#[derive(Clone, Copy)]
pub(super) enum Indexing {
    /// `(blockers * magic) >> shift`
    White(u64),
    /// `(blockers * magic + bias) >> shift`, magic and bias. A black key is of this kind: the
    /// squares that it adds, all off the mask, add `!mask * magic` to the product.
    Biased(u64, u64),
    /// The 32-bit form, two factors in one.
    Fold32(u64),
    /// The blockers' bits, closed up.
    Pext,
}

impl Indexing {
    /// The share of one line's blockers in the product, before the shift.
    const fn share(self, blockers: u64, mask: Bitboard) -> u64 {
        match self {
            Self::White(magic) | Self::Biased(magic, _) => blockers.wrapping_mul(magic),
            Self::Fold32(magic) => super::finder::fold32(blockers, magic),
            Self::Pext => {
                let bits = mask.len();
                if bits == 0 { 0 } else { super::pext::software(blockers, mask.0) << (64 - bits) }
            }
        }
    }
}

/// Writes one square's attacks into `slots`, each at `offset + (product >> shift)`,
/// wrapping. A collision of different attacks does not compile.
pub(super) const fn fill(
    slots: &mut [Bitboard],
    index: usize,
    indexing: Indexing,
    shift: u32,
    offset: u32,
) {
    let mask = slider(index).relevant(Square::from_index(index));
    let [first, second] = &LINES[index];
    let base = match indexing {
        Indexing::Biased(_, bias) => bias,
        _ => 0,
    };
    let mut second_shares = [0; 64];
    let mut j = 0;
    while j < second.len {
        second_shares[j] = indexing.share(second.blockers[j], mask);
        j += 1;
    }
    let mut i = 0;
    while i < first.len {
        let share = base.wrapping_add(indexing.share(first.blockers[i], mask));
        let attacks = first.attacks[i];
        let mut j = 0;
        while j < second.len {
            // In 128 bits and cut off, since this compiles faster than `wrapping_add`.
            let product = (share as u128 + second_shares[j] as u128) as u64;
            let at = (offset as u64 + (product >> shift)) as u32 as usize;
            let both = attacks | second.attacks[j];
            let held = slots[at].0;
            assert!(held == 0 || held == both, "a magic has a harmful collision");
            slots[at].0 = both;
            j += 1;
        }
        i += 1;
    }
}

/// A square's magic in a table that it shares with others.
#[derive(Clone, Copy)]
pub(super) struct Magic {
    pub mask: Bitboard,
    pub magic: u64,
    /// Where the square's table starts.
    pub offset: u32,
    pub shift: u32,
}

impl Magic {
    pub const UNSET: Self = Self { mask: Bitboard::EMPTY, magic: 0, offset: 0, shift: 0 };

    /// A magic of the mask's width.
    pub const fn of_mask_width(index: usize, magic: u64, offset: u32) -> Self {
        let mask = slider(index).relevant(Square::from_index(index));
        Self { mask, magic, offset, shift: 64 - mask.len() }
    }

    #[inline(always)]
    pub const fn slot(self, occupied: Bitboard) -> usize {
        let product = (occupied.0 & self.mask.0).wrapping_mul(self.magic);
        self.offset as usize + (product >> self.shift) as usize
    }
}

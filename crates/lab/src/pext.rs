//! PEXT: the relevant blockers, packed together, are the index.
//!
//! The instruction takes the bits of a word under a mask and moves them together, which is what a
//! magic does by a product. No constant has to be found.

use std::sync::LazyLock;

use perft_core::attacks::Sliders;
use perft_core::attacks::rays::Slider;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use perft_core::sys::cpu::Avx2;
use perft_core::types::{Bitboard, Square};

/// All sets of relevant blockers of all squares, of rooks and bishops.
const SLOTS: usize = 107_648;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    mask: Bitboard,
    /// The first slot of the square.
    offset: usize,
}

#[derive(Debug)]
struct PextAttacks {
    entries: [[Entry; 64]; 2],
    slots: Vec<Bitboard>,
}

static ATTACKS: LazyLock<PextAttacks> = LazyLock::new(|| {
    let mut table = PextAttacks { entries: [[Entry::default(); 64]; 2], slots: Vec::new() };
    for slider in Slider::ALL {
        for square in Square::all() {
            let (mask, offset) = (slider.relevant(square), table.slots.len());
            table.entries[slider as usize][square.index()] = Entry { mask, offset };
            // In the order of the packed bits.
            table.slots.extend(mask.subsets().map(|blockers| slider.attacks(square, blockers)));
        }
    }
    table
});

/// The size of the tables.
pub(super) const TABLE_BYTES: usize = SLOTS * size_of::<Bitboard>() + 128 * size_of::<Entry>();

/// PEXT without the instruction: the bits of `source` under `mask`, packed together.
fn software(source: u64, mask: u64) -> u64 {
    let places = (0..).zip(Bitboard(mask));
    places.map(|(place, square)| (source >> square.index() & 1) << place).sum()
}

impl PextAttacks {
    #[inline(always)]
    fn attacks(
        &self,
        slider: Slider,
        square: Square,
        occupied: Bitboard,
        pext: impl Fn(u64, u64) -> u64,
    ) -> Bitboard {
        let entry = self.entries[slider as usize][square.index()];
        self.slots[entry.offset + pext(occupied.0, entry.mask.0) as usize]
    }
}

/// PEXT by the CPU's instruction.
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Pext {
    level: Avx2,
    table: &'static PextAttacks,
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Pext {
    /// The lookups, if the CPU has the instruction.
    pub fn detect() -> Option<Self> {
        Avx2::detect().map(|level| Self { level, table: &ATTACKS })
    }
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Sliders for Pext {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        self.table.attacks(slider, square, occupied, |source, mask| self.level.pext(source, mask))
    }
}

/// PEXT in software: slow, for CPUs without the instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SoftwarePext;

impl Sliders for SoftwarePext {
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        ATTACKS.attacks(slider, square, occupied, software)
    }
}

//! Compilation targets of hot code: a CPU level and slider lookups.
//!
//! A level above the baseline is the proof that the CPU has its instructions, so a wrong choice
//! does not compile. Kernels are compiled for the few targets that `walk` names.

use super::Backend;
use super::two_ply::{Lanes, Words};
use crate::attacks::Sliders;
use crate::attacks::magic::Magic;
use crate::attacks::rays::Slider;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::Cpu;
use crate::sys::cpu::Code;
use crate::types::{Bitboard, Move, Square};

/// A CPU level.
pub(super) trait Level: Copy {
    /// Vectors of four words.
    type Lanes: Lanes;

    /// A vector.
    fn lanes(self, words: [u64; 4]) -> Self::Lanes;

    /// Runs code in a function of its own, compiled for the level. Code that is neither inlined nor
    /// run this way is compiled for the baseline.
    fn outlined<C: Code>(self, code: C) -> C::Output;
}

/// The compilation target's baseline.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

impl Level for Baseline {
    type Lanes = Words;

    #[inline(always)]
    fn lanes(self, words: [u64; 4]) -> Words {
        Words(words)
    }

    #[inline(never)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        code.run()
    }
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
impl Level for crate::sys::cpu::Avx2 {
    type Lanes = super::two_ply::Avx2Lanes;

    #[inline(always)]
    fn lanes(self, words: [u64; 4]) -> Self::Lanes {
        Self::Lanes::new(self, words)
    }

    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        self.outlined(code)
    }
}

/// A CPU level and slider lookups. It is zero-sized unless the lookups are chosen at run time.
#[derive(Clone, Copy)]
pub(super) struct Compiled<L, S> {
    pub level: L,
    pub sliders: S,
}

/// A [`Compiled`], whatever its level and lookups.
pub(super) trait Target: Level + Sliders {
    /// Called by the two-ply kernel with each move that it makes, or that gives check.
    #[inline(always)]
    fn on_made(self, _: Move) {}
}

impl<L: Level, S: Sliders + Copy> Target for Compiled<L, S> {}

/// Code that can be compiled for any target.
pub(super) trait Targeted {
    /// The result.
    type Output;

    /// Runs the code, compiled for a target.
    fn run<T: Target>(self, target: T) -> Self::Output;
}

/// Runs code compiled for the CPU level of a backend, with magics.
pub(super) fn run_for<C: Targeted>(backend: &Backend, code: C) -> C::Output {
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    if backend.cpu >= Cpu::V3
        && let Some(level) = crate::sys::cpu::Avx2::detect()
    {
        return code.run(Compiled { level, sliders: Magic });
    }
    _ = backend;
    code.run(Compiled { level: Baseline, sliders: Magic })
}

impl<L: Level, S: Copy> Level for Compiled<L, S> {
    type Lanes = L::Lanes;

    #[inline(always)]
    fn lanes(self, words: [u64; 4]) -> L::Lanes {
        self.level.lanes(words)
    }

    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        self.level.outlined(code)
    }
}

impl<L, S: Sliders> Sliders for Compiled<L, S> {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        self.sliders.attacks(slider, square, occupied)
    }
}

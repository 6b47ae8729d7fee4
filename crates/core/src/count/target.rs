//! Compilation targets of hot code: a CPU level and slider lookups.
//!
//! A level above the baseline is the proof that the CPU has its instructions, so a wrong choice
//! does not compile. All levels look sliders up by magics.

use std::cell::RefCell;

use super::lanes::{Lanes, Words};
use crate::attacks::Sliders;
use crate::attacks::magic::Magic;
use crate::attacks::rays::Slider;
use crate::board::Board;
use crate::movegen;
use crate::sys::Cpu;
use crate::sys::cpu::{Baseline, Code, Level, outlined};
use crate::types::{Bitboard, Move, MoveList, Side, Square};

/// What kernels are compiled for.
pub(super) trait Target: Level + Sliders {
    /// Vectors of four words.
    type Lanes: Lanes;

    /// A vector.
    fn lanes(self, words: [u64; 4]) -> Self::Lanes;

    /// Called by the two-ply kernel with each move that it makes, or that gives check.
    #[inline(always)]
    fn on_made(self, _: Move) {}
}

impl Target for Baseline {
    type Lanes = Words;

    #[inline(always)]
    fn lanes(self, words: [u64; 4]) -> Words {
        Words(words)
    }

    #[inline(always)]
    fn on_made(self, mv: Move) {
        MADE.with_borrow_mut(|made| made.as_mut().map(|made| made.push(mv)));
    }
}

thread_local! {
    /// The moves that the two-ply kernel has made on this thread for the baseline, if they are
    /// asked for. A target of its own would be a whole copy of the kernel.
    static MADE: RefCell<Option<Vec<Move>>> = const { RefCell::new(None) };
}

/// The moves of [`Target::on_made`] while `count` runs the kernel for the baseline.
pub(super) fn record_made(count: impl FnOnce()) -> Vec<Move> {
    MADE.set(Some(Vec::new()));
    count();
    MADE.take().unwrap_or_default()
}

outlined! {
    /// The legal moves, listed by one copy of the generator for all who ask.
    pub(super) fn list_moves<T: Target, Us: Side>(target: T, board: &Board) -> MoveList {
        movegen::list_moves::<T, Us>(target, board)
    }
}

impl Sliders for Baseline {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        Magic.attacks(slider, square, occupied)
    }
}

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
mod avx2 {
    use super::*;
    use crate::count::lanes::Avx2Lanes;
    use crate::sys::cpu::Avx2;

    impl Target for Avx2 {
        type Lanes = Avx2Lanes;

        #[inline(always)]
        fn lanes(self, words: [u64; 4]) -> Avx2Lanes {
            Avx2Lanes::new(self, words)
        }
    }

    impl Sliders for Avx2 {
        #[inline(always)]
        fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
            Magic.attacks(slider, square, occupied)
        }
    }
}

/// The baseline with lookups that are called through a pointer.
#[derive(Clone, Copy)]
pub(super) struct OtherSliders(pub &'static (dyn Sliders + Sync));

impl Level for OtherSliders {
    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        Baseline.outlined(code)
    }
}

impl Target for OtherSliders {
    type Lanes = Words;

    #[inline(always)]
    fn lanes(self, words: [u64; 4]) -> Words {
        Baseline.lanes(words)
    }
}

impl Sliders for OtherSliders {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        self.0.attacks(slider, square, occupied)
    }
}

/// One of the targets with magics.
pub(super) enum AnyTarget {
    Baseline(Baseline),
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    Avx2(crate::sys::cpu::Avx2),
}

impl AnyTarget {
    /// The highest up to a CPU level. AVX-512 is none: see `batch`.
    pub fn of(cpu: Cpu) -> Self {
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        if let Some(level) = crate::sys::cpu::Avx2::detect().filter(|_| cpu >= Cpu::V3) {
            return Self::Avx2(level);
        }
        _ = cpu;
        Self::Baseline(Baseline)
    }
}

/// An expression that is compiled for each target, and run for that of a CPU level:
/// `with_target!(cpu, target => count(target, board))`.
macro_rules! with_target {
    ($cpu:expr, $target:ident => $result:expr) => {
        match $crate::count::target::AnyTarget::of($cpu) {
            $crate::count::target::AnyTarget::Baseline($target) => $result,
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            $crate::count::target::AnyTarget::Avx2($target) => $result,
        }
    };
}
pub(super) use with_target;

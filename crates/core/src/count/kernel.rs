//! The code that a count runs.

use std::fmt;

use super::two_ply;
use crate::attacks::Sliders;
use crate::board::Board;
use crate::sys::Cpu;
use crate::types::{Move, named_enum};

named_enum! {
    /// The way in which the last plies are counted, the fastest first.
    #[derive(Default)]
    pub enum Kernel("kernel") {
        /// The last two plies are counted at once; most moves of either are never made.
        #[default]
        TwoPly = "two-ply",
        /// The last ply is counted without making its moves.
        Simple = "simple",
        /// Every move is made and taken back, down to the leaves: slow, and a test of making moves.
        Full = "full",
    }
}

impl Kernel {
    /// The moves that the kernel makes to count the leaves two plies ahead, and those that give
    /// check, whose replies it counts one by one. It counts the leaves behind the others in sets.
    ///
    /// ```
    /// use perft_core::{Board, Kernel};
    ///
    /// let board: Board = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1".parse()?;
    /// // The check.
    /// let made = Kernel::TwoPly.moves_made(&board);
    /// assert!(made.contains(&board.parse_uci("a1a8").unwrap()));
    /// assert_eq!(Kernel::Simple.moves_made(&board).len(), board.legal_moves().len());
    /// # Ok::<(), perft_core::FenError>(())
    /// ```
    pub fn moves_made(self, board: &Board) -> Vec<Move> {
        match self {
            Self::TwoPly => two_ply::moves_made(board),
            Self::Simple | Self::Full => board.legal_moves().into_iter().collect(),
        }
    }
}

/// The slider lookups of a count.
#[derive(Clone, Copy, Default)]
pub enum SliderChoice {
    /// Fancy magics, compiled into the kernels. PEXT was measured too: less than 2 % faster.
    #[default]
    Magic,
    /// Any other lookups, with their name. Slower: they are called through a pointer.
    Other(&'static str, &'static (dyn Sliders + Sync)),
}

impl SliderChoice {
    /// The name in arguments and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Magic => "fancy",
            Self::Other(name, _) => name,
        }
    }
}

impl fmt::Debug for SliderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Two choices of other lookups are equal if they have the same name.
impl PartialEq for SliderChoice {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.name() == other.name()
    }
}

impl Eq for SliderChoice {}

/// The code that a count runs: kernel, slider lookups and CPU level. Counts do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The kernel.
    pub kernel: Kernel,
    /// The slider lookups.
    pub sliders: SliderChoice,
    /// The CPU level.
    pub cpu: Cpu,
}

impl Default for Backend {
    /// The fastest on this machine.
    fn default() -> Self {
        Self { kernel: Kernel::default(), sliders: SliderChoice::Magic, cpu: Cpu::detect() }
    }
}

impl Backend {
    /// The backend that really runs in place of the requested one: not above the level of the
    /// machine, and one that is compiled.
    ///
    /// All kernels are compiled for magics. Other lookups run through one portable copy of the simple
    /// and of the full kernel. Only the two-ply kernel uses AVX-512.
    #[must_use]
    pub fn available(&self) -> Self {
        let Self { kernel, sliders, cpu } = *self;
        let cpu = cpu.min(Cpu::detect());
        match (kernel, sliders) {
            (Kernel::Full, _) => Self { kernel, sliders, cpu: Cpu::Portable },
            (_, SliderChoice::Other(..)) => {
                Self { kernel: Kernel::Simple, sliders, cpu: Cpu::Portable }
            }
            (Kernel::TwoPly, _) => Self { kernel, sliders, cpu },
            (Kernel::Simple, _) => Self { kernel, sliders, cpu: cpu.min(Cpu::V3) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_has_compiled_code_for_every_kernel_and_level() {
        for kernel in Kernel::ALL {
            for cpu in Cpu::ALL {
                let used = Backend { kernel, cpu, ..Backend::default() }.available();
                assert_eq!(used.kernel, kernel, "{cpu}");
                assert_eq!(used.sliders, SliderChoice::Magic, "{kernel} {cpu}");
            }
        }
    }
}

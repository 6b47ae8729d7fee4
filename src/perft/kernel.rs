//! The code that a count runs.

use std::fmt;
use std::str::FromStr;

use super::two_ply;
use crate::attacks::Sliders;
use crate::attacks::pext::SoftwarePext;
use crate::board::Board;
use crate::sys::Cpu;
use crate::types::Move;

/// The way in which the last plies are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernel {
    /// The last two plies are counted at once; most moves of either are never made.
    #[default]
    TwoPly,
    /// The last ply is counted without making its moves.
    Simple,
    /// Every move is made and taken back, down to the leaves: slow, and a test of making moves.
    Full,
}

/// Not the name of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kernel {0:?} (two-ply, simple or full)")]
pub struct UnknownKernel(pub String);

impl FromStr for Kernel {
    type Err = UnknownKernel;

    fn from_str(text: &str) -> Result<Self, UnknownKernel> {
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == text);
        found.ok_or_else(|| UnknownKernel(text.to_owned()))
    }
}

impl Kernel {
    /// All kernels, the fastest first.
    pub const ALL: [Self; 3] = [Self::TwoPly, Self::Simple, Self::Full];

    /// The name in arguments and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoPly => "two-ply",
            Self::Simple => "simple",
            Self::Full => "full",
        }
    }

    /// The moves that the kernel makes to count the leaves two plies ahead, and those that give
    /// check, whose replies it counts one by one. It counts the leaves behind the others in sets.
    ///
    /// ```
    /// use perft::{Board, Kernel};
    ///
    /// let board: Board = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1".parse()?;
    /// // The check.
    /// let made = Kernel::TwoPly.moves_made(&board);
    /// assert!(made.contains(&board.parse_uci("a1a8").unwrap()));
    /// assert_eq!(Kernel::Simple.moves_made(&board).len(), board.legal_moves().len());
    /// # Ok::<(), perft::FenError>(())
    /// ```
    pub fn moves_made(self, board: &Board) -> Vec<Move> {
        match self {
            Self::TwoPly => two_ply::moves_made(board),
            Self::Simple | Self::Full => board.legal_moves().into_iter().collect(),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The slider lookups of a count.
#[derive(Clone, Copy)]
pub enum SliderChoice {
    /// PEXT where the kernel has code for it and the CPU does it in a few cycles, else magics.
    Fastest,
    /// Fancy magics, for any CPU.
    Magic,
    /// The PEXT instruction, in software where the CPU lacks it.
    Pext,
    /// Any other lookups, with their name. Slower: they are called through a pointer.
    Other(&'static str, &'static (dyn Sliders + Sync)),
}

impl SliderChoice {
    /// The fastest that a kernel has code for at a level.
    fn fastest(kernel: Kernel, cpu: Cpu) -> Self {
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        {
            use std::sync::LazyLock;
            // CPUID takes longer than a small count.
            static HAS_FAST_PEXT: LazyLock<bool> = LazyLock::new(|| {
                crate::sys::cpu::Avx2::detect().is_some_and(|level| level.has_fast_pext())
            });
            if kernel != Kernel::Full && cpu >= Cpu::V3 && *HAS_FAST_PEXT {
                return Self::Pext;
            }
        }
        _ = (kernel, cpu);
        Self::Magic
    }

    /// The name in arguments and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fastest => "fastest",
            Self::Magic => "fancy",
            Self::Pext => "pext",
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
        Self { kernel: Kernel::default(), sliders: SliderChoice::Fastest, cpu: Cpu::detect() }
    }
}

impl Backend {
    /// The backend that really runs in place of the requested one: not above the level of the
    /// machine, and one that is compiled.
    ///
    /// All kernels are compiled for magics. For PEXT from [`Cpu::V3`] on so are two of them; all
    /// other lookups run through one portable copy of the simple and of the full kernel. Only the
    /// two-ply kernel uses AVX-512.
    #[must_use]
    pub fn available(&self) -> Self {
        let Self { kernel, mut sliders, cpu } = *self;
        let highest = if kernel == Kernel::TwoPly { Cpu::Avx512 } else { Cpu::V3 };
        let cpu = cpu.min(Cpu::detect()).min(highest);
        if sliders == SliderChoice::Fastest {
            sliders = SliderChoice::fastest(kernel, cpu);
        }
        match (kernel, sliders, cpu) {
            (Kernel::Full, _, _) => Self { kernel, sliders, cpu: Cpu::Portable },
            (_, SliderChoice::Magic, _) | (_, SliderChoice::Pext, Cpu::V3 | Cpu::Avx512) => {
                Self { kernel, sliders, cpu }
            }
            _ => Self { kernel: Kernel::Simple, sliders, cpu: Cpu::Portable },
        }
    }

    /// The lookups to call through a pointer, for a backend without a compiled copy of its own.
    pub(super) fn dyn_sliders(&self) -> Option<&'static (dyn Sliders + Sync)> {
        match (self.sliders, self.cpu) {
            (SliderChoice::Other(_, sliders), _) => Some(sliders),
            (SliderChoice::Pext, Cpu::Portable | Cpu::V2) => Some(&SoftwarePext),
            _ => None,
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
                assert!(used.dyn_sliders().is_none(), "{kernel} {cpu}");
            }
        }
    }
}

//! The code that a count runs.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::attacks::Sliders;
use crate::attacks::pext::SoftwarePext;
use crate::sys::Cpu;

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
#[error("no kernel {0:?}: two-ply, simple and full are the kernels")]
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
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The slider look-ups of a count.
#[derive(Clone, Copy)]
pub enum SliderChoice {
    /// Fancy magics, for any CPU.
    Magic,
    /// The PEXT instruction, in software where the CPU lacks it.
    Pext,
    /// Any other look-ups, with their name. Slower: they are called through a pointer.
    Other(&'static str, &'static (dyn Sliders + Sync)),
}

impl SliderChoice {
    /// The fastest on this machine: PEXT where the CPU does it in a few cycles, else magics.
    pub fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if crate::sys::cpu::Avx2::detect().is_some_and(|level| level.has_fast_pext()) {
            return Self::Pext;
        }
        Self::Magic
    }

    /// The name in arguments and reports.
    pub const fn name(self) -> &'static str {
        match self {
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

impl PartialEq for SliderChoice {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for SliderChoice {}

/// The code that a count runs: kernel, slider look-ups and CPU level. Counts do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The kernel.
    pub kernel: Kernel,
    /// The slider look-ups.
    pub sliders: SliderChoice,
    /// The CPU level.
    pub cpu: Cpu,
}

impl Default for Backend {
    /// The fastest on this machine.
    fn default() -> Self {
        // CPUID takes longer than a small count.
        static FASTEST: LazyLock<Backend> = LazyLock::new(|| Backend {
            kernel: Kernel::default(),
            sliders: SliderChoice::fastest(),
            cpu: Cpu::detect(),
        });
        *FASTEST
    }
}

impl Backend {
    /// The backend that really runs in place of the requested one: not above the level of the
    /// machine, and one that is compiled.
    ///
    /// All kernels are compiled for magics. For PEXT at [`Cpu::V3`] so are two of them; all
    /// other look-ups run through one portable copy of the simple and of the full kernel.
    #[must_use]
    pub fn available(&self) -> Self {
        let cpu = self.cpu.min(Cpu::detect());
        match (self.kernel, self.sliders, cpu) {
            (Kernel::Full, _, _) => Self { cpu: Cpu::Portable, ..*self },
            (_, SliderChoice::Magic, _) | (_, SliderChoice::Pext, Cpu::V3) => Self { cpu, ..*self },
            _ => Self { kernel: Kernel::Simple, cpu: Cpu::Portable, ..*self },
        }
    }

    /// The look-ups to call through a pointer, for a backend without a compiled copy of its own.
    pub(super) fn dyn_sliders(&self) -> Option<&'static (dyn Sliders + Sync)> {
        match (self.sliders, self.cpu) {
            (SliderChoice::Other(_, sliders), _) => Some(sliders),
            (SliderChoice::Pext, Cpu::Portable | Cpu::V2) => Some(&SoftwarePext),
            _ => None,
        }
    }
}

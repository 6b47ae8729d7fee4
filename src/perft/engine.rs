//! What a count is made with, and the entry to all drivers.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use super::serial::{self, Walk};
use super::{Depth, Divide, PerftError, divide_with};
use crate::board::Board;
use crate::cpu::Cpu;
use crate::sliders::System;
use crate::types::Variant;

/// How the last plies are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernel {
    /// The last two plies are counted at once, most moves of either never being made.
    #[default]
    TwoPly,
    /// The last ply is counted without making its moves.
    Simple,
    /// Every move is made and taken back, down to the leaves: slow, and a test of making
    /// moves.
    Full,
}

/// The text names no kernel.
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

    /// What users and reports call it.
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

/// Nobody asks to stop.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);

/// What a count is made with. The counts are the same whatever is chosen.
///
/// ```
/// use perft::sliders::System;
/// use perft::{Board, Engine};
///
/// let engine = Engine { sliders: System::Hyperbola, ..Engine::default() };
/// assert_eq!(engine.count(&Board::startpos(), 3)?, 8_902);
/// # Ok::<(), perft::PerftError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// How the last plies are counted.
    pub kernel: Kernel,
    /// How sliders' attacks are looked up.
    pub sliders: System,
    /// The most that may be asked of the CPU; see [`Engine::used`].
    pub cpu: Cpu,
}

impl Default for Engine {
    /// The fastest on this machine.
    fn default() -> Self {
        Self { kernel: Kernel::default(), sliders: System::fastest(), cpu: Cpu::detect() }
    }
}

impl Engine {
    /// What is really used: no more of the CPU than the machine has, and what there is code for,
    /// since code for everything would take minutes to build.
    ///
    /// The two-ply kernel hardly reads sliders' tables. It has code for fancy magics at all
    /// levels and for PEXT at [`Cpu::V3`]; other sliders count with the simple kernel, which has
    /// code for all of them at [`Cpu::V3`] and [`Cpu::Portable`].
    #[must_use]
    pub fn used(&self) -> Self {
        let cpu = match (self.cpu.min(Cpu::detect()), self.sliders, self.kernel) {
            (_, _, Kernel::Full) => Cpu::Portable,
            (level, System::Fancy, _) => level,
            (Cpu::V3, _, _) => Cpu::V3,
            _ => Cpu::Portable,
        };
        let kernel = match (self.kernel, self.sliders, cpu) {
            (Kernel::TwoPly, System::Fancy, _) => Kernel::TwoPly,
            (Kernel::TwoPly, System::Pext, Cpu::V3) => Kernel::TwoPly,
            (Kernel::TwoPly, _, _) => Kernel::Simple,
            (kernel, _, _) => kernel,
        };
        Self { kernel, cpu, ..*self }
    }

    /// The number of leaves, counted with one thread and without a table; see
    /// [`Job`](crate::Job) for more.
    ///
    /// # Errors
    /// If the total does not fit into 128 bits.
    pub fn count(&self, board: &Board, depth: Depth) -> Result<u128, PerftError> {
        serial::count(self, board, depth, &Walk::new(None, &NEVER, &NEVER))
    }

    /// The count of each root move; see [`divide`](crate::divide()).
    ///
    /// # Errors
    /// If the total does not fit into 128 bits.
    pub fn divide(
        &self,
        board: &Board,
        depth: Depth,
        variant: Variant,
    ) -> Result<Divide, PerftError> {
        divide_with(board, depth, variant, |child, depth| self.count(child, depth))
    }
}

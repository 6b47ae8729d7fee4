//! What a count is made with, and the entry to all drivers.

use super::{Depth, Divide, PerftError, divide_with, serial};
use crate::board::Board;
use crate::cpu::Cpu;
use crate::sliders::System;
use crate::types::Variant;

/// How the last plies are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kernel {
    /// The last ply is counted without making its moves.
    #[default]
    Bulk,
    /// Every move is made and taken back, down to the leaves: slow, and a test of making
    /// moves.
    Full,
}

impl Kernel {
    /// What reports call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Full => "full",
        }
    }
}

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
    /// The CPU features in use.
    pub cpu: Cpu,
}

impl Default for Engine {
    /// The fastest on this machine.
    fn default() -> Self {
        Self { kernel: Kernel::default(), sliders: System::default(), cpu: Cpu::detect() }
    }
}

impl Engine {
    /// The number of leaves, counted with one thread and without a table.
    ///
    /// # Errors
    /// If the total does not fit into 128 bits.
    pub fn count(&self, board: &Board, depth: Depth) -> Result<u128, PerftError> {
        serial::count(self, board, depth)
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

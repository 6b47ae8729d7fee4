//! The leaves two plies ahead of many positions.

use super::part::Settings;
use crate::board::PackedBoard;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::perft::batch::{Batch, Total};
use crate::perft::target::Target;
use crate::perft::walk::count_leaves;
use crate::perft::{CountError, Kernel};
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::{Cpu, cpu};
use crate::types::{CastlingMode, Side};

/// The sum of the leaves two plies ahead of positions, each times its multiplicity.
pub(super) struct Leaves {
    kernel: Kernel,
    mode: CastlingMode,
    /// No sum of so few positions exceeds 128 bits: a position has less than 2^22 leaves, and a
    /// multiplicity has 64 bits.
    nodes: u128,
    /// Positions that are counted eight at once.
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    batch: Option<Box<Batch<Total>>>,
}

impl Leaves {
    /// No positions.
    pub fn new(settings: &Settings) -> Self {
        let Settings { backend, root, .. } = settings;
        Self {
            kernel: backend.kernel,
            mode: root.castling_mode(),
            nodes: 0,
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            batch: cpu::Avx512::detect()
                .filter(|_| backend.cpu == Cpu::Avx512)
                .map(|level| Batch::new(level, root, settings.last_side, Total::new(level))),
        }
    }

    /// Adds a position.
    #[inline(always)]
    pub fn add<T: Target, Us: Side>(&mut self, target: T, position: &PackedBoard, times: u64) {
        let board = position.unpack_as::<Us>(self.mode);
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        if let Some(batch) = &mut self.batch {
            return batch.add(&board, times);
        }
        let leaves = count_leaves::<T, Us>(target, self.kernel, &board);
        self.nodes += u128::from(leaves) * u128::from(times);
    }

    /// The sum, which starts again at 0.
    pub fn take(&mut self) -> Result<u128, CountError> {
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        if let Some(batch) = &mut self.batch {
            return batch.finish().take().ok_or(CountError::Overflow);
        }
        Ok(std::mem::take(&mut self.nodes))
    }
}

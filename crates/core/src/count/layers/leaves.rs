//! The leaves behind many positions.

use std::mem;

use super::job::Settings;
use crate::board::PackedBoard;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::count::batch::{Batch, WeightedSum};
use crate::count::stats::count_ply;
use crate::count::target::Target;
use crate::count::walk::count_leaves;
use crate::count::{CountError, Depth, Kernel, Stats};
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::{Cpu, cpu};
use crate::types::{CastlingMode, Side};

/// What is counted behind the positions of the last layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::count) enum Leaf {
    /// The leaves two plies ahead.
    Nodes,
    /// The leaves one ply ahead, by the kinds of the moves to them.
    Moves,
}

impl Leaf {
    /// The plies from the last layer to the leaves.
    pub const fn plies(self) -> Depth {
        match self {
            Self::Nodes => 2,
            Self::Moves => 1,
        }
    }
}

/// The sum of the leaves behind positions, each times its multiplicity.
pub(super) struct Leaves {
    leaf: Leaf,
    kernel: Kernel,
    mode: CastlingMode,
    /// No sum of so few positions exceeds 128 bits: a position has less than 2^22 leaves, a
    /// multiplicity has 64 bits, and a pass has less than 2^42 positions.
    nodes: u128,
    /// The leaves of a pass by the moves to them, if they are told apart.
    kinds: Stats,
    /// Positions that are counted eight at once.
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    batch: Option<Box<Batch<WeightedSum>>>,
}

impl Leaves {
    /// No positions.
    pub fn new(settings: &Settings) -> Self {
        let Settings { backend, root, leaf, .. } = *settings;
        Self {
            leaf,
            kernel: backend.kernel,
            mode: root.castling_mode(),
            nodes: 0,
            kinds: Stats::default(),
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            batch: cpu::Avx512::detect()
                .filter(|_| leaf == Leaf::Nodes && backend.cpu == Cpu::Avx512)
                .map(|level| Batch::new(level, &root, settings.last_side, WeightedSum::new(level))),
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
        match self.leaf {
            Leaf::Nodes => {
                let leaves = count_leaves::<T, Us>(target, self.kernel, &board);
                self.nodes += u128::from(leaves) * u128::from(times);
            }
            Leaf::Moves => {
                let ply = count_ply::<T, Us>(target, &board);
                self.nodes += u128::from(ply.nodes()) * u128::from(times);
                self.kinds.add_ply(&ply, times);
            }
        }
    }

    /// The sum, which starts again at 0.
    pub fn take(&mut self) -> Result<u128, CountError> {
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        if let Some(batch) = &mut self.batch {
            return batch.finish().take().ok_or(CountError::Overflow);
        }
        Ok(mem::take(&mut self.nodes))
    }

    /// The leaves by the moves to them, which start again at 0.
    pub fn take_kinds(&mut self) -> Stats {
        mem::take(&mut self.kinds)
    }
}

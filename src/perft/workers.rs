//! Who counts: an engine, on so many threads, with or without a table, until told to stop.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;

use super::engine::NEVER;
use super::serial::{self, Walk};
use super::{Depth, Divide, Engine, Job, PerftError, Table};
use crate::board::Board;
use crate::types::Variant;

/// What counts of many positions are made with.
#[derive(Clone, Copy, Debug)]
pub struct Workers<'a> {
    /// The engine.
    pub engine: Engine,
    /// How many threads.
    pub threads: NonZero<usize>,
    /// A table that all of them share, if any.
    pub table: Option<&'a Table>,
    /// Set to give up.
    pub stop: &'a AtomicBool,
}

impl Default for Workers<'_> {
    /// One thread without a table, that goes on to the end.
    fn default() -> Self {
        let (engine, threads) = (Engine::default(), NonZero::<usize>::MIN);
        Self { engine, threads, table: None, stop: &NEVER }
    }
}

impl Workers<'_> {
    /// The count of each root move; `None` if it was stopped.
    ///
    /// # Errors
    /// If the total does not fit into 128 bits.
    pub fn divide(
        &self,
        board: &Board,
        depth: Depth,
        variant: Variant,
    ) -> Result<Option<Divide>, PerftError> {
        /// Below this, starting threads takes longer than counting.
        const DEEP: Depth = 4;
        if depth < DEEP {
            return self.engine.divide(board, depth, variant).map(Some);
        }
        let &Self { engine, threads, table, stop } = self;
        let job = Job { board: *board, depth, variant, engine, threads, table, stop };
        let counted = job.run(|_| {})?;
        let divide = Divide { branches: counted.branches, nodes: counted.nodes };
        Ok(counted.complete.then_some(divide))
    }

    /// The leaves of one position, on one thread. What it returns if it is stopped, or if another
    /// part of the work failed, is no count.
    pub(crate) fn count(
        &self,
        board: &Board,
        depth: Depth,
        failed: &AtomicBool,
    ) -> Result<u128, PerftError> {
        serial::count(&self.engine, board, depth, &Walk::new(self.table, self.stop, failed))
    }

    /// The leaves of one position, on one thread, given up soon after it passes a limit; what is
    /// known from a table, or takes a moment, is told whatever the limit. What it returns if it is
    /// stopped is no count.
    ///
    /// # Errors
    /// [`PerftError::Above`] if it was given up.
    pub fn count_up_to(
        &self,
        board: &Board,
        depth: Depth,
        limit: u128,
    ) -> Result<u128, PerftError> {
        let walk = Walk::new(self.table, self.stop, &NEVER).up_to(limit);
        serial::count(&self.engine, board, depth, &walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_above_its_limit_is_given_up() {
        const NODES: u128 = 197_281;
        let board = Board::startpos();
        for kernel in crate::perft::Kernel::ALL {
            let table = Table::new(1 << 20).expect("some memory");
            for table in [None, Some(&table)] {
                let engine = Engine { kernel, ..Engine::default() };
                let workers = Workers { engine, table, ..Workers::default() };
                let up_to = |limit| workers.count_up_to(&board, 4, limit);
                assert_eq!(up_to(NODES - 1), Err(PerftError::Above(NODES - 1)), "{kernel}");
                assert_eq!(up_to(0), Err(PerftError::Above(0)), "{kernel}");
                // What was given up is not in the table.
                assert_eq!(up_to(NODES), Ok(NODES), "{kernel}");
            }
        }
    }
}

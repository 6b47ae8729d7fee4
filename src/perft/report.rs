//! A count and how it was made: what text and JSON are printed from.

use std::time::Duration;

use super::{Branch, Depth, Engine};
use crate::board::Board;
use crate::types::Variant;

/// A count, with all that there is to say about it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The position that was counted.
    pub board: Board,
    /// How its moves and its FEN are written.
    pub variant: Variant,
    /// How deep.
    pub depth: Depth,
    /// The number of leaves; behind the finished root moves, if it was stopped.
    pub nodes: u128,
    /// The count of each root move that is finished, if it was asked for.
    pub branches: Option<Vec<Branch>>,
    /// How long it took.
    pub elapsed: Duration,
    /// What it was counted with.
    pub engine: Engine,
    /// On how many threads.
    pub threads: usize,
    /// The table that was used, if any.
    pub table: Option<TableUse>,
}

/// How a table was used.
#[derive(Clone, Copy, Debug)]
pub struct TableUse {
    /// Its size in bytes.
    pub bytes: usize,
    /// How many counts it knew.
    pub hits: u64,
    /// The share of its entries in use at the end.
    pub fill: f64,
}

impl Report {
    /// Nodes a second, `None` where the clock saw no time pass.
    pub fn nodes_per_second(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 0.0).then(|| self.nodes as f64 / seconds)
    }
}

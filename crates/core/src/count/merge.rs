//! The ways to merge equal positions.

use super::Depth;
use super::split::Layer;
use crate::board::Board;
use crate::types::named_enum;

named_enum! {
    /// The way in which positions that several lines lead to are counted once. Counts do not depend
    /// on it.
    #[derive(Default)]
    pub enum Merge("way to merge") {
        /// The way that should be the fastest for the count.
        #[default]
        Auto = "auto",
        /// Ply by ply, as sets of distinct positions, which are compared whole.
        Layers = "layers",
        /// A table of known counts, found by their keys.
        Table = "table",
        /// Not at all, but for the first plies of counts on several threads.
        None = "none",
    }
}

/// The way and the memory of a count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The way; never [`Merge::Auto`].
    pub merge: Merge,
    /// The bytes of the table, or those that were used for layers.
    pub bytes: usize,
    /// The counts that were found in the table.
    pub hits: u64,
    /// The share of the entries of the table in use, from a sample.
    pub fill: f64,
}

/// The growth of the number of distinct positions from ply to ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// The positions of the last three plies.
    sizes: [f64; 3],
}

impl Growth {
    /// The growth at the root, which has so many moves.
    pub fn new(moves: u32) -> Self {
        // As if the root had been reached by as many moves.
        let moves = f64::from(moves.max(1));
        Self { sizes: [1.0 / (moves * moves), 1.0 / moves, 1.0] }
    }

    /// Adds the number of positions of the next ply.
    pub fn add(&mut self, positions: usize) {
        self.sizes = [self.sizes[1], self.sizes[2], positions as f64];
    }

    /// The positions of a ply for each of the ply before: the mean of the last two plies, since
    /// one side may have many more moves than the other.
    pub fn rate(&self) -> f64 {
        let [before, _, last] = self.sizes;
        if last > 0.0 { (last / before).sqrt() } else { 0.0 }
    }

    /// The number of positions some plies on. Rates fall, so it is on the high side.
    pub fn predict(&self, plies: Depth) -> f64 {
        self.sizes[2] * self.rate().powi(plies.into())
    }

    /// The growth of the first plies, at most `plies`, until there are enough positions to tell.
    pub fn measure(board: &Board, plies: Depth) -> (Self, Depth) {
        const ENOUGH: usize = 3_000;
        let mut growth = Self::new(board.count_legal_moves());
        let mut layer = Layer::<u128>::new(board.castling_mode());
        let mut ply = 0;
        if layer.add(board, &1).is_err() {
            return (growth, ply);
        }
        while ply < plies && (1..ENOUGH).contains(&layer.len()) {
            let Ok(next) = layer.next_ply(|_, _, _| Ok(()), |_| {}) else { break };
            layer = next;
            growth.add(layer.len());
            ply += 1;
        }
        (growth, ply)
    }
}

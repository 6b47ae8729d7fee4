//! Counts too deep for one machine, cut into units of work.
//!
//! A [`Plan`] is what is left to count after some plies: each position once, with the number of
//! ways that lead to it. Its units can be counted in any order, anywhere, by [`work`]; the sum of
//! their counts, each times its ways, is the count of the whole. With the `json` feature the
//! submodule `lines` reads and writes plans and results as lines of JSON.
//!
//! ```
//! use perft::plan::Plan;
//! use perft::{Board, Variant};
//!
//! let plan = Plan::new(&Board::startpos(), 5, 3, |_| {})?;
//! // 8,902 ways lead to 5,362 positions.
//! assert_eq!((plan.units.len(), plan.ways()), (5_362, 8_902));
//! let nodes: u128 = plan
//!     .units
//!     .iter()
//!     .map(|unit| perft::perft(&unit.position.board(), plan.rest()).map(|nodes| nodes * u128::from(unit.ways)))
//!     .sum::<Result<_, _>>()?;
//! assert_eq!(nodes, 4_865_609);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "json")]
pub mod lines;
mod work;

pub use work::work;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::board::{Board, Identity};
use crate::perft::{Depth, Engine, PerftError, available_memory};
use crate::random::Rng;
use crate::types::MAX_MOVES;

/// A count cut into units.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The position to count from.
    pub root: Board,
    /// How deep.
    pub depth: Depth,
    /// After how many plies it is cut.
    pub ply: Depth,
    /// The positions there, each once, sorted.
    pub units: Vec<Unit>,
}

/// A position of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The position.
    pub position: Identity,
    /// In how many ways it comes up.
    pub ways: u64,
}

/// A plan that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There would be nothing left to count.
    #[error("ply {ply} is not below the depth, {depth}")]
    TooDeep {
        /// Where to cut.
        ply: Depth,
        /// The depth of the whole.
        depth: Depth,
    },
    /// The ways might not fit.
    #[error("ply {0} is above {most}, and no memory holds so many positions", most = Plan::DEEPEST)]
    TooManyPositions(Depth),
    /// The memory is full.
    #[error("the memory does not hold the positions after {0} plies; cut earlier")]
    NoMemory(Depth),
}

impl Plan {
    /// The deepest cut: up to here ways fit into 64 bits, since a position has at most 218 moves.
    pub const DEEPEST: Depth = 8;

    /// Plays out the first plies, and puts positions that come up in several ways together. Calls
    /// `tell` with the ply and the share of it that is done.
    ///
    /// # Errors
    /// If the cut is too deep, or there is not the memory for it.
    pub fn new(
        root: &Board,
        depth: Depth,
        ply: Depth,
        mut tell: impl FnMut((Depth, f64)),
    ) -> Result<Self, PlanError> {
        if ply >= depth {
            return Err(PlanError::TooDeep { ply, depth });
        }
        if ply > Self::DEEPEST {
            return Err(PlanError::TooManyPositions(ply));
        }
        let mut layer: FxHashMap<Identity, u64> = FxHashMap::default();
        layer.insert(root.identity(), 1);
        for played in 1..=ply {
            let mut next: FxHashMap<Identity, u64> = FxHashMap::default();
            let all = layer.len() as f64;
            for (done, (position, ways)) in layer.into_iter().enumerate() {
                let mut board = position.board();
                if !has_room(&mut next) {
                    return Err(PlanError::NoMemory(played));
                }
                for mv in board.legal_moves() {
                    let undo = board.make(mv);
                    *next.entry(board.identity()).or_default() += ways;
                    board.unmake(mv, undo);
                }
                tell((played, done as f64 / all));
            }
            layer = next;
        }
        let units = layer.into_iter().map(|(position, ways)| Unit { position, ways });
        let mut units: Vec<Unit> = units.collect();
        // The same on every machine; and positions that are alike are close to each other, so
        // that a table knows much of the next one.
        units.sort_unstable_by_key(|unit| unit.position);
        Ok(Self { root: *root, depth, ply, units })
    }

    /// How deep each unit is to be counted.
    pub const fn rest(&self) -> Depth {
        self.depth.saturating_sub(self.ply)
    }

    /// All ways together: the count of the root at the depth of the cut.
    pub fn ways(&self) -> u128 {
        self.units.iter().map(|unit| u128::from(unit.ways)).sum()
    }

    /// A checksum of the root and of all units, whatever their order.
    pub fn checksum(&self) -> u64 {
        let sum = |sum: u64, unit: &Unit| {
            sum.wrapping_add(checksum(unit.position.board().key(), self.rest(), unit.ways))
        };
        self.units.iter().fold(root_checksum(&self.root, self.depth, self.ply), sum)
    }
}

/// Makes room for the positions behind one more, as long as there is memory.
fn has_room(positions: &mut FxHashMap<Identity, u64>) -> bool {
    if positions.capacity() - positions.len() >= MAX_MOVES {
        return true;
    }
    // The map grows to twice its size, and the old one is there until it is moved.
    let bytes = 2 * positions.capacity() * size_of::<(Identity, u64)>();
    available_memory().is_none_or(|available| bytes < available)
        && positions.try_reserve(MAX_MOVES).is_ok()
}

/// What the root adds to the checksum of its plan.
pub(crate) fn root_checksum(root: &Board, depth: Depth, ply: Depth) -> u64 {
    checksum(root.key(), depth, ply.into())
}

/// What a unit adds to the checksum of its plan.
pub(crate) fn checksum(key: u128, depth: Depth, ways: u64) -> u64 {
    let parts = [key as u64, (key >> 64) as u64, depth.into(), ways];
    parts.into_iter().fold(0, |hash, part| Rng::new(hash ^ part).next_u64())
}

/// The count of the whole: the leaves of each unit, and the ways that lead to it.
///
/// # Errors
/// If it does not fit into 128 bits.
pub fn total(units: impl IntoIterator<Item = (u128, u64)>) -> Result<u128, PerftError> {
    let mut units = units.into_iter();
    let total = units.try_fold(0_u128, |sum, (nodes, ways)| {
        nodes.checked_mul(ways.into()).and_then(|product| sum.checked_add(product))
    });
    total.ok_or(PerftError::Overflow)
}

/// About how many leaves a position has: as if every ply had as many moves as the first two.
pub fn estimate(board: &Board, depth: Depth) -> f64 {
    // Finding out what the CPU can do takes longer than the count.
    static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
    let two_plies = ENGINE.count(board, 2).unwrap_or(u128::MAX);
    // JSON has no infinity.
    (two_plies as f64).sqrt().powi(depth.into()).min(1e300)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of different positions after so many plies, as published.
    #[test]
    fn positions_are_put_together_exactly() {
        for (ply, units, ways) in
            [(0, 1, 1), (1, 20, 20), (2, 400, 400), (3, 5_362, 8_902), (4, 72_078, 197_281)]
        {
            let plan = Plan::new(&Board::startpos(), 9, ply, |_| {}).unwrap();
            assert_eq!((plan.units.len(), plan.ways()), (units, ways), "ply {ply}");
        }
    }

    #[test]
    fn a_cut_leaves_something_to_count() {
        let plan = |depth, ply| Plan::new(&Board::startpos(), depth, ply, |_| {}).map(|_| ());
        assert_eq!(plan(3, 3), Err(PlanError::TooDeep { ply: 3, depth: 3 }));
        assert_eq!(plan(20, 9), Err(PlanError::TooManyPositions(9)));
    }

    #[test]
    fn the_checksum_sees_every_change_but_order() {
        let plan = Plan::new(&Board::startpos(), 5, 2, |_| {}).unwrap();
        let mut other = plan.clone();
        other.units.reverse();
        assert_eq!(other.checksum(), plan.checksum());
        other.units[7].ways += 1;
        assert_ne!(other.checksum(), plan.checksum());
        other.units[7].ways -= 1;
        other.units.pop();
        assert_ne!(other.checksum(), plan.checksum());
    }
}

//! The size of a tree, from its first plies.

use super::Depth;
use super::split::Frontier;
use crate::board::Board;

/// A rough number of leaves: as if every ply had as many moves as the first two or, where those are
/// few, as the next two.
pub fn estimate(board: &Board, depth: Depth) -> f64 {
    /// Positions with fewer leaves after two plies are not like those that follow: a king in a
    /// corner, or a check.
    const FEW: f64 = 50.0;
    let mut two_plies = leaves(board, 2);
    if depth > 2 && (1.0..FEW).contains(&two_plies) {
        two_plies = two_plies.max(leaves(board, 4) / two_plies);
    }
    // JSON has no infinity.
    two_plies.sqrt().powi(depth.into()).min(1e300)
}

/// The number of leaves some plies on, from one on.
fn leaves(board: &Board, plies: Depth) -> f64 {
    if plies <= 1 {
        return f64::from(board.count_legal_moves());
    }
    let after = |mv| {
        let mut child = *board;
        child.make(mv);
        leaves(&child, plies - 1)
    };
    board.legal_moves().into_iter().map(after).sum()
}

/// The growth of the number of distinct positions from ply to ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// The positions of the last three plies.
    sizes: [f64; 3],
    /// The last ply.
    ply: Depth,
}

impl Growth {
    /// The growth at the root, which has so many moves.
    pub fn new(moves: u32) -> Self {
        // As if the root had been reached by as many moves.
        let moves = f64::from(moves.max(1));
        Self { sizes: [1.0 / (moves * moves), 1.0 / moves, 1.0], ply: 0 }
    }

    /// Adds the number of positions of the next ply.
    pub fn add(&mut self, positions: usize) {
        self.sizes = [self.sizes[1], self.sizes[2], positions as f64];
        self.ply += 1;
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

    /// [`Self::predict`] for a ply from the last one on, and all between them together.
    pub fn predict_up_to(&self, ply: Depth) -> f64 {
        (0..=ply.saturating_sub(self.ply)).map(|plies| self.predict(plies)).sum()
    }

    /// The growth of the first plies, at most `plies`, until there are enough positions to tell.
    pub fn measure(board: &Board, plies: Depth) -> Self {
        const ENOUGH: usize = 3_000;
        let mut growth = Self::new(board.count_legal_moves());
        let mut positions = Frontier::<u128>::new(board.castling_mode());
        if positions.add(board, &1).is_err() {
            return growth;
        }
        while growth.ply < plies && (1..ENOUGH).contains(&positions.len()) {
            let Ok(next) = positions.next_ply(|_, _, _| Ok(()), |_| {}) else { break };
            positions = next;
            growth.add(positions.len());
        }
        growth
    }
}

//! Walking the tree with the last two plies of many positions counted at a time.

use std::cell::RefCell;

use arrayvec::ArrayVec;

use super::{Bulk, Depth, Table, Walk, in_bulk, mover};
use crate::board::Board;
use crate::count::batch::{Batch, WeightedSum};
use crate::count::target::list_moves;
use crate::sys::cpu::{Avx2, Avx512, outlined};
use crate::types::{MAX_MOVES, Side, by_side};

/// The number of leaves at a depth from 3 on.
pub(super) fn count(level: Avx512, board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    by_side!(mover(board, depth - 2), Us => match walk.table {
        None => count_all::<Us>(level, board, depth, walk),
        Some(table) => count_misses::<Us>(level, board, depth, walk, table),
    })
}

/// Without a table: all children of nodes with three plies left go to one batch. `Us` is to move
/// with two plies left.
fn count_all<Us: Side>(level: Avx512, board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    let batch = RefCell::new(Batch::new(level, board, Us::COLOR, WeightedSum::new(level)));
    let count = |target: Avx2, board: &Board| {
        add_children::<Us>(target, board, &mut batch.borrow_mut());
        0
    };
    in_bulk(level.avx2(), board, depth, Bulk { plies: 3, count: &count }, walk);
    in_64_bits(batch.into_inner().finish().take())
}

/// A sum that fits: [`Walk::count_u64`] is only asked for depths up to `MAX_DEPTH_IN_64_BITS`.
fn in_64_bits(sum: Option<u128>) -> u64 {
    sum.and_then(|sum| sum.try_into().ok()).expect("the depth is too great for 64 bits")
}

outlined! {
    /// Adds the children of a node with three plies left to a batch.
    fn add_children<Us: Side>(target: Avx2, board: &Board, batch: &mut Batch<WeightedSum>) {
        let moves = list_moves::<Avx2, Us::Them>(target, board);
        batch.add_children::<Us::Them>(target, board, moves, 1);
    }
}

/// With a table: the grandchildren of a node with four plies left that the table does not have go to
/// a batch, so that vectors are mostly full. They differ, because each side has made one move.
fn count_misses<Us: Side>(
    level: Avx512,
    board: &Board,
    depth: Depth,
    walk: &Walk<'_>,
    table: &Table,
) -> u64 {
    let misses = RefCell::new(Misses {
        batch: Batch::new(level, board, Us::COLOR, Vec::new()),
        parents: Vec::new(),
        pending: Vec::new(),
        table,
        walk,
    });
    let count = |target: Avx2, board: &Board| {
        count_four_plies::<Us>(target, board, &mut misses.borrow_mut())
    };
    if depth > 3 {
        return in_bulk(level.avx2(), board, depth, Bulk { plies: 4, count: &count }, walk);
    }
    count_three_plies::<Us>(level.avx2(), board, &mut misses.borrow_mut())
}

/// The positions that are not in the table.
struct Misses<'a> {
    batch: Box<Batch<Vec<u64>>>,
    /// Nodes with three plies left, by their hash, and the leaves behind them.
    parents: Vec<(u128, u64)>,
    /// Nodes with two plies left, by their hash, and the index of their parent. The index of each
    /// is its tag in the batch.
    pending: Vec<(u128, usize)>,
    table: &'a Table,
    walk: &'a Walk<'a>,
}

impl Misses<'_> {
    /// Adds a node with three plies left.
    #[inline(always)]
    fn add<Us: Side>(&mut self, target: Avx2, board: &Board) {
        let parent = self.parents.len();
        let mut nodes = 0;
        let mut children = ArrayVec::new();
        make_children::<Us::Them>(target, board, self.table, 2, &mut children);
        for child in &children {
            match self.walk.get(self.table, child.hash(), 2) {
                Some(known) => nodes += known,
                None => {
                    self.pending.push((child.hash(), parent));
                    self.batch.add_counted(child);
                }
            }
        }
        self.parents.push((board.hash(), nodes));
    }

    /// Counts all nodes that were added, and returns the leaves behind them.
    #[inline(always)]
    fn finish(&mut self) -> u64 {
        let Self { batch, parents, pending, table, walk } = self;
        let counts = batch.finish();
        for (&(hash, parent), &nodes) in pending.iter().zip(counts.iter()) {
            walk.put(table, hash, 2, nodes);
            parents[parent].1 += nodes;
        }
        counts.clear();
        pending.clear();
        let mut nodes = 0;
        for (hash, leaves) in parents.drain(..) {
            walk.put(table, hash, 3, leaves);
            nodes += leaves;
        }
        nodes
    }
}

/// Makes the children of a position. The cache lines of the table arrive meanwhile.
#[inline(always)]
fn make_children<Us: Side>(
    target: Avx2,
    board: &Board,
    table: &Table,
    depth: Depth,
    children: &mut ArrayVec<Board, MAX_MOVES>,
) {
    for mv in list_moves::<Avx2, Us>(target, board) {
        let mut child = *board;
        child.make_as::<Us>(target, mv);
        table.prefetch(child.hash(), depth);
        children.push(child);
    }
}

outlined! {
    /// The leaves of a node with four plies left.
    fn count_four_plies<Us: Side>(
        target: Avx2,
        board: &Board,
        misses: &mut Misses<'_>,
    ) -> u64 {
        let (table, walk) = (misses.table, misses.walk);
        let mut nodes = 0;
        let mut children = ArrayVec::new();
        make_children::<Us>(target, board, table, 3, &mut children);
        for child in &children {
            if walk.cancel.is_cancelled() {
                break;
            }
            match walk.get(table, child.hash(), 3) {
                Some(known) => nodes += known,
                None => misses.add::<Us>(target, child),
            }
        }
        nodes + misses.finish()
    }
}

outlined! {
    /// The leaves of a node with three plies left.
    fn count_three_plies<Us: Side>(
        target: Avx2,
        board: &Board,
        misses: &mut Misses<'_>,
    ) -> u64 {
        misses.add::<Us>(target, board);
        misses.finish()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_sum_that_does_not_fit_is_not_a_number() {
        assert_eq!(super::in_64_bits(Some(7)), 7);
        for sum in [None, Some(1 << 64)] {
            assert!(std::panic::catch_unwind(|| super::in_64_bits(sum)).is_err());
        }
    }
}

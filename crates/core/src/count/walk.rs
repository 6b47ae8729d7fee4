//! Walking the tree on one thread.

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
mod batched;

use std::cell::Cell;
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;

use super::table::MIN_TABLE_DEPTH;
use super::target::{OtherSliders, Target, list_moves, with_target};
use super::{Backend, CountError, Depth, Kernel, SliderChoice, Table, two_ply};
use crate::board::Board;
use crate::movegen;
use crate::sys::CancelToken;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::Cpu;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::cpu::Avx512;
use crate::sys::cpu::{Baseline, outlined};
use crate::types::{Color, MAX_GAME_MOVES, MAX_MOVES, Side, by_side};

/// Counts up to this depth fit into 64 bits if the position has the pieces of a game:
/// [`MAX_GAME_MOVES`]^8 < 2^63.
const MAX_DEPTH_IN_64_BITS: Depth = 8;

/// The same for any number of pieces: [`MAX_MOVES`]^6 < 2^63.
const MAX_CROWDED_DEPTH_IN_64_BITS: Depth = 6;
const _: () = assert!((MAX_MOVES as u64).pow(6) < 1 << 63);
const _: () = assert!((MAX_GAME_MOVES as u64).pow(8) < 1 << 63);

/// With a limit, nodes above this depth check it after each move. Below them are at most 218^3
/// leaves, a second for the slowest kernel, or some seconds with more pieces than a game has.
const LIMIT_CHECK_DEPTH: Depth = 3;

/// If parts are reported, nodes above this depth are walked one by one: those below take
/// milliseconds in ordinary positions.
const MAX_PART_DEPTH: Depth = 5;

/// The same if the last part took longer than [`LONG_PART`], as the first ones do with a large
/// table, whose pages the system clears.
const SMALL_PART_DEPTH: Depth = 3;

const LONG_PART: Duration = Duration::from_millis(200);

/// From this depth on a node checks for cancellation. Below it a node takes microseconds; above it,
/// one may touch hundreds of fresh pages of a table.
const CANCEL_CHECK_DEPTH: Depth = 3;

/// The surroundings of a walk: the table, the token that cancels it, and its limit.
pub(super) struct Walk<'a> {
    backend: Backend,
    table: Option<&'a Table>,
    cancel: &'a CancelToken,
    /// Larger counts are given up, unless the table has them or they take a moment.
    limit: Option<u128>,
    /// Called with the share of the walk and the leaves of each part that is finished.
    on_part: Option<&'a dyn Fn(f64, u128)>,
    last_part: Cell<Option<Instant>>,
    hits: Cell<u64>,
}

impl<'a> Walk<'a> {
    pub fn new(
        backend: Backend,
        table: Option<&'a Table>,
        cancel: &'a CancelToken,
        limit: Option<u128>,
    ) -> Self {
        let backend = backend.available();
        let (last_part, hits) = (Cell::new(None), Cell::new(0));
        Self { backend, table, cancel, limit, on_part: None, last_part, hits }
    }

    /// The same walk with its parts reported as they are finished.
    pub fn on_part(self, on_part: Option<&'a dyn Fn(f64, u128)>) -> Self {
        Self { on_part, ..self }
    }

    /// The number of leaves; `None` if the walk was cancelled.
    pub fn count(&self, board: &Board, depth: Depth) -> Result<Option<u128>, CountError> {
        let nodes = self.count_any(board, depth, 1.0)?;
        if let Some(table) = self.table {
            table.add_hits(self.hits.take());
        }
        Ok((!self.cancel.is_cancelled()).then_some(nodes))
    }

    /// The number of leaves; if the walk was cancelled, any number. `share` is the position's share
    /// of the walk, as if all moves had equal trees.
    fn count_any(&self, board: &Board, depth: Depth, share: f64) -> Result<u128, CountError> {
        if depth == 0 {
            return Ok(1);
        }
        let max_depth = match self.limit {
            Some(_) => LIMIT_CHECK_DEPTH,
            None if self.on_part.is_some() => {
                let last = self.last_part.get();
                let is_soon = last.is_some_and(|last| last.elapsed() < LONG_PART);
                if is_soon { MAX_PART_DEPTH } else { SMALL_PART_DEPTH }
            }
            None if board.has_game_material() => MAX_DEPTH_IN_64_BITS,
            None => MAX_CROWDED_DEPTH_IN_64_BITS,
        };
        if depth <= max_depth {
            let nodes = self.count_u64(board, depth).into();
            self.report_part(share, nodes);
            return Ok(nodes);
        }
        if self.cancel.is_cancelled() {
            return Ok(0);
        }
        if let Some(nodes) = self.table.and_then(|table| table.get_u128(board.hash(), depth)) {
            self.hits.set(self.hits.get() + 1);
            self.report_part(share, nodes);
            return Ok(nodes);
        }
        let mut nodes = 0_u128;
        let moves = board.legal_moves();
        let share = share / moves.len() as f64;
        for mv in moves {
            let mut child = *board;
            child.make(mv);
            let below = self.count_any(&child, depth - 1, share)?;
            nodes = nodes.checked_add(below).ok_or(CountError::Overflow)?;
            if let Some(limit) = self.limit.filter(|&limit| nodes > limit) {
                return Err(CountError::LimitExceeded(limit));
            }
        }
        if let Some(table) = self.table.filter(|_| !self.cancel.is_cancelled()) {
            table.put_u128(board.hash(), depth, nodes);
        }
        Ok(nodes)
    }

    fn report_part(&self, share: f64, nodes: u128) {
        if let Some(on_part) = self.on_part.filter(|_| !self.cancel.is_cancelled()) {
            self.last_part.set(Some(Instant::now()));
            on_part(share, nodes);
        }
    }

    /// The number of leaves at a depth from 1 on at which it fits, with the code of the backend.
    fn count_u64(&self, board: &Board, depth: Depth) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        if depth > 2
            && self.backend.cpu == Cpu::Avx512
            && let Some(level) = Avx512::detect()
        {
            // Only the two-ply kernel has it: see `Backend::available`.
            return batched::count(level, board, depth, self);
        }
        match (self.backend.kernel, self.backend.sliders) {
            (Kernel::Full, SliderChoice::Magic) => full_count(Baseline, board, depth, self),
            (Kernel::Full, SliderChoice::Other(_, sliders)) => {
                full_count(OtherSliders(sliders), board, depth, self)
            }
            (_, SliderChoice::Other(_, sliders)) => {
                one_ply(OtherSliders(sliders), board, depth, self)
            }
            (_, SliderChoice::Magic) => {
                with_target!(self.backend.cpu, target => self.bulk(target, board, depth))
            }
        }
    }

    /// Counts with the last one or two plies in bulk.
    fn bulk<T: Target>(&self, target: T, board: &Board, depth: Depth) -> u64 {
        match self.backend.kernel {
            Kernel::TwoPly if depth >= 2 => two_plies(target, board, depth, self),
            _ => one_ply(target, board, depth, self),
        }
    }

    /// The count, if the table has it.
    #[inline(always)]
    fn get(&self, table: &Table, hash: u128, depth: Depth) -> Option<u64> {
        let found = table.get(hash, depth);
        self.hits.set(self.hits.get() + u64::from(found.is_some()));
        found
    }

    /// Puts a count into the table.
    #[inline(always)]
    fn put(&self, table: &Table, hash: u128, depth: Depth, nodes: u64) {
        // A count that was cancelled half-way is not one.
        if depth < CANCEL_CHECK_DEPTH || !self.cancel.is_cancelled() {
            table.put(hash, depth, nodes);
        }
    }
}

/// A function that counts the last plies without making their moves. One walk serves both kernels
/// of that kind, which halves the code to compile.
#[derive(Clone, Copy)]
struct Bulk<'a, T> {
    /// The number of plies.
    plies: Depth,
    /// The number of leaves that many plies ahead, for the side that is to move there.
    count: &'a dyn Fn(T, &Board) -> u64,
}

/// Counts with the last two plies in bulk.
fn two_plies<T: Target>(target: T, board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    let count: &dyn Fn(T, &Board) -> u64 =
        by_side!(mover(board, depth - 2), Us => &two_ply::count::<T, Us>);
    in_bulk(target, board, depth, Bulk { plies: 2, count }, walk)
}

/// Counts with the last ply in bulk.
fn one_ply<T: Target>(target: T, board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    let count: &dyn Fn(T, &Board) -> u64 =
        by_side!(mover(board, depth - 1), Us => &count_one_ply::<T, Us>);
    in_bulk(target, board, depth, Bulk { plies: 1, count }, walk)
}

/// The side to move after some plies.
pub(super) fn mover(board: &Board, plies: Depth) -> Color {
    if plies.is_multiple_of(2) { board.side_to_move() } else { !board.side_to_move() }
}

outlined! {
    /// The number of legal moves.
    fn count_one_ply<T: Target, Us: Side>(target: T, board: &Board) -> u64 {
        movegen::count_moves::<T, Us>(target, board).into()
    }
}

outlined! {
    /// The number of leaves two plies ahead, by the simple kernel.
    fn count_by_simple<T: Target, Us: Side>(target: T, board: &Board) -> u64 {
        let mut nodes = 0;
        for mv in list_moves::<T, Us>(target, board) {
            let mut child = *board;
            child.make_as::<Us>(target, mv);
            nodes += count_one_ply::<T, Us::Them>(target, &child);
        }
        nodes
    }
}

/// The number of leaves two plies ahead, by a kernel that counts in bulk.
#[inline(always)]
pub(super) fn count_leaves<T: Target, Us: Side>(target: T, kernel: Kernel, board: &Board) -> u64 {
    match kernel {
        Kernel::TwoPly => two_ply::count::<T, Us>(target, board),
        _ => count_by_simple::<T, Us>(target, board),
    }
}

fn in_bulk<T: Target>(
    target: T,
    board: &Board,
    depth: Depth,
    bulk: Bulk<'_, T>,
    walk: &Walk<'_>,
) -> u64 {
    if depth == bulk.plies {
        return (bulk.count)(target, board);
    }
    by_side!(board.side_to_move(), Us => subtree::<T, Us>(target, board, depth, bulk, walk))
}

outlined! {
    /// The leaves of a tree that is deeper than the plies counted in bulk. Copying the board is
    /// faster than unmaking moves.
    fn subtree<T: Target, Us: Side>(
        target: T,
        board: &Board,
        depth: Depth,
        bulk: Bulk<'_, T>,
        walk: &Walk<'_>,
    ) -> u64 {
        if depth >= CANCEL_CHECK_DEPTH && walk.cancel.is_cancelled() {
            return 0;
        }
        let below = |child: &Board| {
            if depth - 1 == bulk.plies {
                (bulk.count)(target, child)
            } else {
                subtree::<T, Us::Them>(target, child, depth - 1, bulk, walk)
            }
        };
        let moves = list_moves::<T, Us>(target, board);
        let mut nodes = 0;
        let Some(table) = walk.table.filter(|_| depth > MIN_TABLE_DEPTH) else {
            for mv in moves {
                let mut child = *board;
                child.make_as::<Us>(target, mv);
                nodes += below(&child);
            }
            return nodes;
        };
        // The cache lines of the table arrive while the other children are made.
        let mut children: ArrayVec<Board, MAX_MOVES> = ArrayVec::new();
        for mv in moves {
            let mut child = *board;
            child.make_as::<Us>(target, mv);
            table.prefetch(child.hash(), depth - 1);
            children.push(child);
        }
        for child in &children {
            nodes += walk.get(table, child.hash(), depth - 1).unwrap_or_else(|| {
                let nodes = below(child);
                walk.put(table, child.hash(), depth - 1, nodes);
                nodes
            });
        }
        nodes
    }
}

/// Makes and unmakes every move down to the leaves.
fn full_count<T: Target>(target: T, board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    fn count<T: Target, Us: Side>(
        target: T,
        board: &mut Board,
        depth: Depth,
        walk: &Walk<'_>,
    ) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth >= CANCEL_CHECK_DEPTH && walk.cancel.is_cancelled() {
            return 0;
        }
        let mut nodes = 0;
        for mv in list_moves::<T, Us>(target, board) {
            let undo = board.make_as::<Us>(target, mv);
            nodes += count::<T, Us::Them>(target, board, depth - 1, walk);
            board.unmake(undo);
        }
        nodes
    }
    let mut board = *board;
    by_side!(board.side_to_move(), Us => count::<T, Us>(target, &mut board, depth, walk))
}

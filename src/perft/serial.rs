//! One thread: walk the tree and count.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use arrayvec::ArrayVec;

#[cfg(target_arch = "x86_64")]
use super::two_ply::Avx2;
use super::two_ply::{self, Words};
use super::{Depth, Engine, Kernel, PerftError, Table};
use crate::board::Board;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Cpu;
use crate::movegen;
use crate::sliders::{Fancy, Sliders, with_sliders};
#[cfg(target_arch = "x86_64")]
use crate::sliders::{HardPext, System};
use crate::types::{Black, Color, MAX_MOVES, MoveList, Side, White};

/// Up to this depth no count can pass 64 bits: a position has at most 218 moves, and
/// 218^8 < 2^63.
const DEPTH_IN_64_BITS: Depth = 8;

/// With a limit, a node above this depth looks at it after each move. What is below is at most
/// 218^3 leaves, a second for the slowest kernel.
const ASK_ABOUT_LIMIT: Depth = 3;

/// Up to this depth a node's children are faster counted than looked up: start 8 with 1 GiB
/// takes 4.4 s so and 5.9 s with one more, alternating, best of three.
const WORTH_REMEMBERING: Depth = 2;

/// From this depth on a node asks whether to stop. Below it a node takes microseconds; above it, one
/// may touch hundreds of fresh pages of a table.
const ASK_WHETHER_TO_STOP: Depth = 3;

/// What a walk through the tree remembers, and whether it is to go on.
pub(super) struct Walk<'a> {
    table: Option<&'a Table>,
    /// Set by whoever has had enough.
    stop: &'a AtomicBool,
    /// Set where another part of the work failed, so that this one is of no use.
    failed: &'a AtomicBool,
    /// Larger counts are given up, unless they are known or are done in a moment.
    limit: Option<u128>,
    hits: Cell<u64>,
}

impl<'a> Walk<'a> {
    pub fn new(table: Option<&'a Table>, stop: &'a AtomicBool, failed: &'a AtomicBool) -> Self {
        Self { table, stop, failed, limit: None, hits: Cell::new(0) }
    }

    /// Gives up a count that passes the limit, soon after it does.
    pub fn up_to(self, limit: u128) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// How many counts the table knew.
    pub fn hits(&self) -> u64 {
        self.hits.get()
    }

    /// Whether to give up; what is counted then does not matter.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    /// The count, if the table knows it.
    #[inline(always)]
    fn get(&self, table: &Table, board: &Board, depth: Depth) -> Option<u64> {
        let found = table.get(board.key(), depth);
        self.hits.set(self.hits.get() + u64::from(found.is_some()));
        found
    }

    /// Puts a count into the table.
    #[inline(always)]
    fn put(&self, table: &Table, board: &Board, depth: Depth, nodes: u64) {
        // What was given up half-way must not be believed later.
        if depth < ASK_WHETHER_TO_STOP || !self.stopped() {
            table.put(board.key(), depth, nodes);
        }
    }
}

/// The number of leaves.
pub(super) fn count(
    engine: &Engine,
    board: &Board,
    depth: Depth,
    walk: &Walk<'_>,
) -> Result<u128, PerftError> {
    if depth == 0 {
        return Ok(1);
    }
    if depth > walk.limit.map_or(DEPTH_IN_64_BITS, |_| ASK_ABOUT_LIMIT) {
        if walk.stopped() {
            return Ok(0);
        }
        if let Some(nodes) = walk.table.and_then(|table| walk.get(table, board, depth)) {
            return Ok(nodes.into());
        }
        let mut nodes = 0_u128;
        for mv in board.legal_moves() {
            let mut child = *board;
            let _ = child.make(mv);
            let below = count(engine, &child, depth - 1, walk)?;
            nodes = nodes.checked_add(below).ok_or(PerftError::Overflow)?;
            if let Some(limit) = walk.limit.filter(|&limit| nodes > limit) {
                return Err(PerftError::Above(limit));
            }
        }
        if let (Some(table), Ok(nodes)) = (walk.table, u64::try_from(nodes)) {
            walk.put(table, board, depth, nodes);
        }
        return Ok(nodes);
    }
    Ok(in_64_bits(engine, board, depth, walk).into())
}

/// The same with the code that there is for the engine, at a depth from 1 on at which no count is
/// too large.
fn in_64_bits(engine: &Engine, board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    let Engine { kernel, sliders, cpu } = engine.used();
    match (kernel, cpu) {
        (Kernel::Full, _) => {
            with_sliders!(soft sliders, S => full_count::<S>(board, depth, walk))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V3) if sliders == System::Pext => {
            two_plies::<V3, HardPext>(board, depth, walk)
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V3) => two_plies::<V3, Fancy>(board, depth, walk),
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V2) => two_plies::<V2, Fancy>(board, depth, walk),
        (Kernel::TwoPly, _) => two_plies::<Portable, Fancy>(board, depth, walk),
        #[cfg(target_arch = "x86_64")]
        (Kernel::Simple, Cpu::V3) => {
            with_sliders!(sliders, S => one_ply::<V3, S>(board, depth, walk))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::Simple, Cpu::V2) => one_ply::<V2, Fancy>(board, depth, walk),
        (Kernel::Simple, _) => {
            with_sliders!(soft sliders, S => one_ply::<Portable, S>(board, depth, walk))
        }
    }
}

/// What counts the last plies without making their moves. One walk serves all kernels that
/// way, which halves the code to build.
#[derive(Clone, Copy)]
struct Bulk {
    /// How many plies.
    plies: Depth,
    /// Their leaves, for the side that is to move there.
    count: fn(&Board) -> u64,
}

/// Counts with the last two plies in bulk.
fn two_plies<V: Level, S: Sliders>(board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    if depth < 2 {
        return one_ply::<V, S>(board, depth, walk);
    }
    let count = match mover(board, depth - 2) {
        Color::White => V::two_plies::<S, White>,
        Color::Black => V::two_plies::<S, Black>,
    };
    in_bulk::<V, S>(board, depth, Bulk { plies: 2, count }, walk)
}

/// Counts with the last ply in bulk.
fn one_ply<V: Level, S: Sliders>(board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    let count = match mover(board, depth - 1) {
        Color::White => V::one_ply::<S, White>,
        Color::Black => V::one_ply::<S, Black>,
    };
    in_bulk::<V, S>(board, depth, Bulk { plies: 1, count }, walk)
}

/// Who is to move after some plies.
fn mover(board: &Board, plies: Depth) -> Color {
    if plies.is_multiple_of(2) { board.side_to_move() } else { !board.side_to_move() }
}

fn in_bulk<V: Level, S: Sliders>(board: &Board, depth: Depth, bulk: Bulk, walk: &Walk<'_>) -> u64 {
    if depth == bulk.plies {
        return (bulk.count)(board);
    }
    match board.side_to_move() {
        Color::White => V::walk::<S, White>(board, depth, bulk, walk),
        Color::Black => V::walk::<S, Black>(board, depth, bulk, walk),
    }
}

/// The same code, compiled for each level of instructions.
trait Level {
    /// Counts the leaves of a tree that is deeper than what is counted in bulk.
    fn walk<S: Sliders, Us: Side>(board: &Board, depth: Depth, bulk: Bulk, walk: &Walk<'_>) -> u64;

    /// The leaves two plies ahead.
    fn two_plies<S: Sliders, Us: Side>(board: &Board) -> u64;

    /// The leaves one ply ahead: the number of moves.
    fn one_ply<S: Sliders, Us: Side>(board: &Board) -> u64;
}

struct Portable;

impl Level for Portable {
    fn walk<S: Sliders, Us: Side>(board: &Board, depth: Depth, bulk: Bulk, walk: &Walk<'_>) -> u64 {
        node::<S, Us>(board, depth, bulk, walk, |child, depth| {
            Self::walk::<S, Us::Them>(child, depth, bulk, walk)
        })
    }

    fn two_plies<S: Sliders, Us: Side>(board: &Board) -> u64 {
        two_ply::count::<S, Words<false>, Us>(board)
    }

    fn one_ply<S: Sliders, Us: Side>(board: &Board) -> u64 {
        movegen::count_moves::<S, Us>(board).into()
    }
}

/// A level for CPUs with some features beyond what the target always has.
#[cfg(target_arch = "x86_64")]
macro_rules! level {
    ($level:ident, $features:literal, $lanes:ty) => {
        struct $level;

        // SAFETY: the type is named in `count` above, where `Engine::used` has seen every
        // feature that the functions are compiled for. Gain: see `Cpu`.
        #[allow(unsafe_code)]
        impl Level for $level {
            fn walk<S: Sliders, Us: Side>(
                board: &Board,
                depth: Depth,
                bulk: Bulk,
                walk: &Walk<'_>,
            ) -> u64 {
                #[target_feature(enable = $features)]
                fn compiled<S: Sliders, Us: Side>(
                    board: &Board,
                    depth: Depth,
                    bulk: Bulk,
                    walk: &Walk<'_>,
                ) -> u64 {
                    node::<S, Us>(board, depth, bulk, walk, |child, depth| {
                        compiled::<S, Us::Them>(child, depth, bulk, walk)
                    })
                }
                unsafe { compiled::<S, Us>(board, depth, bulk, walk) }
            }

            fn two_plies<S: Sliders, Us: Side>(board: &Board) -> u64 {
                #[target_feature(enable = $features)]
                fn compiled<S: Sliders, Us: Side>(board: &Board) -> u64 {
                    two_ply::count::<S, $lanes, Us>(board)
                }
                unsafe { compiled::<S, Us>(board) }
            }

            fn one_ply<S: Sliders, Us: Side>(board: &Board) -> u64 {
                #[target_feature(enable = $features)]
                fn compiled<S: Sliders, Us: Side>(board: &Board) -> u64 {
                    movegen::count_moves::<S, Us>(board).into()
                }
                unsafe { compiled::<S, Us>(board) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
level!(V2, "popcnt", Words<true>);
#[cfg(target_arch = "x86_64")]
level!(V3, "popcnt,bmi1,bmi2,lzcnt,avx2", Avx2);

/// One node above those counted in bulk; `below` counts a child of the same kind. Copying the
/// board is cheaper than taking moves back.
#[inline(always)]
fn node<S: Sliders, Us: Side>(
    board: &Board,
    depth: Depth,
    bulk: Bulk,
    walk: &Walk<'_>,
    below: impl Fn(&Board, Depth) -> u64,
) -> u64 {
    if depth >= ASK_WHETHER_TO_STOP && walk.stopped() {
        return 0;
    }
    let below = |child: &Board| {
        if depth - 1 == bulk.plies { (bulk.count)(child) } else { below(child, depth - 1) }
    };
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    let Some(table) = walk.table.filter(|_| depth > WORTH_REMEMBERING) else {
        for mv in moves {
            let mut child = *board;
            let _ = child.make_as::<S, Us>(mv);
            nodes += below(&child);
        }
        return nodes;
    };
    // The table's lines are on their way while the other children are made.
    let mut children: ArrayVec<Board, MAX_MOVES> = ArrayVec::new();
    for mv in moves {
        let mut child = *board;
        let _ = child.make_as::<S, Us>(mv);
        table.prefetch(child.key(), depth - 1);
        children.push(child);
    }
    for child in &children {
        nodes += walk.get(table, child, depth - 1).unwrap_or_else(|| {
            let nodes = below(child);
            walk.put(table, child, depth - 1, nodes);
            nodes
        });
    }
    nodes
}

/// Makes and takes back every move down to the leaves.
fn full_count<S: Sliders>(board: &Board, depth: Depth, walk: &Walk<'_>) -> u64 {
    fn count<S: Sliders, Us: Side>(board: &mut Board, depth: Depth, walk: &Walk<'_>) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth >= ASK_WHETHER_TO_STOP && walk.stopped() {
            return 0;
        }
        let mut moves = MoveList::new();
        movegen::list_moves::<S, Us>(board, &mut moves);
        let mut nodes = 0;
        for mv in moves {
            let undo = board.make_as::<S, Us>(mv);
            nodes += count::<S, Us::Them>(board, depth - 1, walk);
            board.unmake(mv, undo);
        }
        nodes
    }
    let mut board = *board;
    match board.side_to_move() {
        Color::White => count::<S, White>(&mut board, depth, walk),
        Color::Black => count::<S, Black>(&mut board, depth, walk),
    }
}

//! One thread: walk the tree and count.

use std::sync::atomic::{AtomicBool, Ordering};

use arrayvec::ArrayVec;

#[cfg(target_arch = "x86_64")]
use super::two_ply::Avx2;
use super::two_ply::{self, Lanes, Words};
use super::{Depth, Engine, Kernel, PerftError};
use crate::board::Board;
use crate::cpu::Cpu;
use crate::movegen;
#[cfg(target_arch = "x86_64")]
use crate::sliders::{Fancy, HardPext, System};
use crate::sliders::{Sliders, with_sliders};
use crate::types::{Black, Color, MAX_MOVES, MoveList, Side, White};

/// Up to this depth no count can pass 64 bits: a position has at most 218 moves, and
/// 218^8 < 2^63.
const DEPTH_IN_64_BITS: Depth = 8;

/// Up to this depth a node's children are faster counted than looked up: start 8 with 1 GiB
/// takes 4.4 s so and 5.9 s with one more, alternating, best of three.
const WORTH_REMEMBERING: Depth = 2;

/// From this depth on a node asks whether to stop: a few thousand times a second.
pub(super) const ASK_WHETHER_TO_STOP: Depth = 5;

/// What a walk through the tree remembers, and whether it is to go on.
pub(super) trait Memory {
    /// Whether it remembers anything.
    const REMEMBERS: bool;
    /// The count, if it is known.
    fn get(&self, board: &Board, depth: Depth) -> Option<u64>;
    /// Remembers a count.
    fn put(&self, board: &Board, depth: Depth, nodes: u64);
    /// A position will be asked for.
    fn expect(&self, board: &Board, depth: Depth);
    /// Whether to give up; what is counted then does not matter.
    fn stopped(&self) -> bool;
}

/// Remembers nothing, and goes on until it is told to stop.
pub(super) struct Watch<'a>(pub &'a AtomicBool);

impl Memory for Watch<'_> {
    const REMEMBERS: bool = false;

    #[inline(always)]
    fn get(&self, _: &Board, _: Depth) -> Option<u64> {
        None
    }

    #[inline(always)]
    fn put(&self, _: &Board, _: Depth, _: u64) {}

    #[inline(always)]
    fn expect(&self, _: &Board, _: Depth) {}

    #[inline(always)]
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The number of leaves.
pub(super) fn count<M: Memory>(
    engine: &Engine,
    board: &Board,
    depth: Depth,
    memory: &M,
) -> Result<u128, PerftError> {
    if depth == 0 {
        return Ok(1);
    }
    if depth > DEPTH_IN_64_BITS {
        if memory.stopped() {
            return Ok(0);
        }
        if let Some(nodes) = memory.get(board, depth) {
            return Ok(nodes.into());
        }
        let mut nodes = 0_u128;
        for mv in board.legal_moves() {
            let mut child = *board;
            let _ = child.make(mv);
            let below = count(engine, &child, depth - 1, memory)?;
            nodes = nodes.checked_add(below).ok_or(PerftError::Overflow)?;
        }
        if let Ok(nodes) = u64::try_from(nodes) {
            memory.put(board, depth, nodes);
        }
        return Ok(nodes);
    }
    let sliders = engine.sliders;
    let nodes = match (engine.kernel, engine.level()) {
        (Kernel::Full, _) => {
            with_sliders!(soft sliders, S => full_count::<S>(board, depth, &|| memory.stopped()))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V3) if sliders == System::Pext => {
            fast_count::<V3, HardPext, M, true>(board, depth, memory)
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V3) => fast_count::<V3, Fancy, M, true>(board, depth, memory),
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V2) => fast_count::<V2, Fancy, M, true>(board, depth, memory),
        (Kernel::TwoPly, _) => {
            with_sliders!(soft sliders, S => fast_count::<Portable, S, M, true>(board, depth, memory))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::Simple, Cpu::V3) => {
            with_sliders!(sliders, S => fast_count::<V3, S, M, false>(board, depth, memory))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::Simple, Cpu::V2) => fast_count::<V2, Fancy, M, false>(board, depth, memory),
        (Kernel::Simple, _) => {
            with_sliders!(soft sliders, S => fast_count::<Portable, S, M, false>(board, depth, memory))
        }
    };
    Ok(nodes.into())
}

/// The same code, compiled for each level of instructions.
trait Level {
    /// What works on four sets of squares at once.
    type Lanes: Lanes;

    /// Counts with the last ply or, if `TWO_PLY`, the last two in bulk.
    fn count<S: Sliders, Us: Side, M: Memory, const TWO_PLY: bool>(
        board: &Board,
        depth: Depth,
        memory: &M,
    ) -> u64;

    /// The leaves two plies ahead, out of line: the code is large, and one copy is enough.
    fn leaves<S: Sliders, Us: Side>(board: &Board) -> u64;
}

fn fast_count<V: Level, S: Sliders, M: Memory, const TWO_PLY: bool>(
    board: &Board,
    depth: Depth,
    memory: &M,
) -> u64 {
    match board.side_to_move() {
        Color::White => V::count::<S, White, M, TWO_PLY>(board, depth, memory),
        Color::Black => V::count::<S, Black, M, TWO_PLY>(board, depth, memory),
    }
}

struct Portable;

impl Level for Portable {
    type Lanes = Words<false>;

    fn count<S: Sliders, Us: Side, M: Memory, const TWO_PLY: bool>(
        board: &Board,
        depth: Depth,
        memory: &M,
    ) -> u64 {
        let below =
            |child: &Board, depth| Self::count::<S, Us::Them, M, TWO_PLY>(child, depth, memory);
        node::<Self, S, Us, M, TWO_PLY>(board, depth, memory, below)
    }

    #[inline(never)]
    fn leaves<S: Sliders, Us: Side>(board: &Board) -> u64 {
        two_ply::count::<S, Self::Lanes, Us>(board)
    }
}

/// A level for CPUs with some features beyond what the target always has.
#[cfg(target_arch = "x86_64")]
macro_rules! level {
    ($level:ident, $features:literal, $lanes:ty) => {
        struct $level;

        impl Level for $level {
            type Lanes = $lanes;

            fn count<S: Sliders, Us: Side, M: Memory, const TWO_PLY: bool>(
                board: &Board,
                depth: Depth,
                memory: &M,
            ) -> u64 {
                #[target_feature(enable = $features)]
                fn count<S: Sliders, Us: Side, M: Memory, const TWO_PLY: bool>(
                    board: &Board,
                    depth: Depth,
                    memory: &M,
                ) -> u64 {
                    node::<$level, S, Us, M, TWO_PLY>(board, depth, memory, |child, depth| {
                        count::<S, Us::Them, M, TWO_PLY>(child, depth, memory)
                    })
                }
                // SAFETY: the type is named in `count` above, where `Engine::level` has seen
                // every feature that the function is compiled for. Gain: see the README's
                // section on speed.
                #[allow(unsafe_code)]
                unsafe {
                    count::<S, Us, M, TWO_PLY>(board, depth, memory)
                }
            }

            #[inline(always)]
            fn leaves<S: Sliders, Us: Side>(board: &Board) -> u64 {
                #[target_feature(enable = $features)]
                #[inline(never)]
                fn leaves<S: Sliders, Us: Side>(board: &Board) -> u64 {
                    two_ply::count::<S, $lanes, Us>(board)
                }
                // SAFETY: as for `count`.
                #[allow(unsafe_code)]
                unsafe {
                    leaves::<S, Us>(board)
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
level!(V2, "popcnt", Words<true>);
#[cfg(target_arch = "x86_64")]
level!(V3, "popcnt,bmi1,bmi2,lzcnt,avx2", Avx2);

/// One node; `below` counts a child. Copying the board is cheaper than taking moves back.
#[inline(always)]
fn node<V: Level, S: Sliders, Us: Side, M: Memory, const TWO_PLY: bool>(
    board: &Board,
    depth: Depth,
    memory: &M,
    below: impl Fn(&Board, Depth) -> u64,
) -> u64 {
    if TWO_PLY && depth == 2 {
        return V::leaves::<S, Us>(board);
    }
    if depth == 1 {
        return movegen::count_moves::<S, Us>(board).into();
    }
    if depth >= ASK_WHETHER_TO_STOP && memory.stopped() {
        return 0;
    }
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    if !M::REMEMBERS || depth <= WORTH_REMEMBERING {
        for mv in moves {
            let mut child = *board;
            let _ = child.make_as::<S, Us>(mv);
            nodes += below(&child, depth - 1);
        }
        return nodes;
    }
    // The table's lines are on their way while the other children are made.
    let mut children: ArrayVec<Board, MAX_MOVES> = ArrayVec::new();
    for mv in moves {
        let mut child = *board;
        let _ = child.make_as::<S, Us>(mv);
        memory.expect(&child, depth - 1);
        children.push(child);
    }
    for child in &children {
        nodes += memory.get(child, depth - 1).unwrap_or_else(|| {
            let nodes = below(child, depth - 1);
            memory.put(child, depth - 1, nodes);
            nodes
        });
    }
    nodes
}

/// Makes and takes back every move down to the leaves.
fn full_count<S: Sliders>(board: &Board, depth: Depth, stopped: &dyn Fn() -> bool) -> u64 {
    fn count<S: Sliders, Us: Side>(
        board: &mut Board,
        depth: Depth,
        stopped: &dyn Fn() -> bool,
    ) -> u64 {
        if depth == 0 {
            return 1;
        }
        if depth >= ASK_WHETHER_TO_STOP && stopped() {
            return 0;
        }
        let mut moves = MoveList::new();
        movegen::list_moves::<S, Us>(board, &mut moves);
        let mut nodes = 0;
        for mv in moves {
            let undo = board.make_as::<S, Us>(mv);
            nodes += count::<S, Us::Them>(board, depth - 1, stopped);
            board.unmake(mv, undo);
        }
        nodes
    }
    let mut board = *board;
    match board.side_to_move() {
        Color::White => count::<S, White>(&mut board, depth, stopped),
        Color::Black => count::<S, Black>(&mut board, depth, stopped),
    }
}

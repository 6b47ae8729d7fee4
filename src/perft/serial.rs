//! One thread, no table: walk the tree and count.

#[cfg(target_arch = "x86_64")]
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
use crate::types::{Black, Color, MoveList, Side, White};

/// Up to this depth no count can pass 64 bits: a position has at most 218 moves, and
/// 218^8 < 2^63.
const DEPTH_IN_64_BITS: Depth = 8;

/// The number of leaves.
pub(super) fn count(engine: &Engine, board: &Board, depth: Depth) -> Result<u128, PerftError> {
    if depth == 0 {
        return Ok(1);
    }
    if depth > DEPTH_IN_64_BITS {
        let mut nodes = 0_u128;
        for mv in board.legal_moves() {
            let mut child = *board;
            let _ = child.make(mv);
            let below = count(engine, &child, depth - 1)?;
            nodes = nodes.checked_add(below).ok_or(PerftError::Overflow)?;
        }
        return Ok(nodes);
    }
    let sliders = engine.sliders;
    let nodes = match (engine.kernel, engine.level()) {
        (Kernel::Full, _) => with_sliders!(soft sliders, S => full_count::<S>(board, depth)),
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V3) if sliders == System::Pext => {
            fast_count::<V3, HardPext, true>(board, depth)
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V3) => fast_count::<V3, Fancy, true>(board, depth),
        #[cfg(target_arch = "x86_64")]
        (Kernel::TwoPly, Cpu::V2) => fast_count::<V2, Fancy, true>(board, depth),
        (Kernel::TwoPly, _) => {
            with_sliders!(soft sliders, S => fast_count::<Portable, S, true>(board, depth))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::Simple, Cpu::V3) => {
            with_sliders!(sliders, S => fast_count::<V3, S, false>(board, depth))
        }
        #[cfg(target_arch = "x86_64")]
        (Kernel::Simple, Cpu::V2) => fast_count::<V2, Fancy, false>(board, depth),
        (Kernel::Simple, _) => {
            with_sliders!(soft sliders, S => fast_count::<Portable, S, false>(board, depth))
        }
    };
    Ok(nodes.into())
}

/// The same code, compiled for each level of instructions.
trait Level {
    /// Counts with the last ply or, if `TWO_PLY`, the last two in bulk.
    fn count<S: Sliders, Us: Side, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64;
}

fn fast_count<V: Level, S: Sliders, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64 {
    match board.side_to_move() {
        Color::White => V::count::<S, White, TWO_PLY>(board, depth),
        Color::Black => V::count::<S, Black, TWO_PLY>(board, depth),
    }
}

struct Portable;

impl Level for Portable {
    fn count<S: Sliders, Us: Side, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64 {
        node::<S, Words<false>, Us, TWO_PLY>(board, depth, Self::count::<S, Us::Them, TWO_PLY>)
    }
}

#[cfg(target_arch = "x86_64")]
struct V2;

#[cfg(target_arch = "x86_64")]
impl Level for V2 {
    fn count<S: Sliders, Us: Side, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64 {
        #[target_feature(enable = "popcnt")]
        fn count<S: Sliders, Us: Side, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64 {
            let below = |child: &Board, depth| count::<S, Us::Them, TWO_PLY>(child, depth);
            node::<S, Words<true>, Us, TWO_PLY>(board, depth, below)
        }
        // SAFETY: the type is named in `count` above, where `Engine::level` has seen every
        // feature that the function is compiled for. Gain: see the README's section on speed.
        #[allow(unsafe_code)]
        unsafe {
            count::<S, Us, TWO_PLY>(board, depth)
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct V3;

#[cfg(target_arch = "x86_64")]
impl Level for V3 {
    fn count<S: Sliders, Us: Side, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64 {
        #[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt,avx2")]
        fn count<S: Sliders, Us: Side, const TWO_PLY: bool>(board: &Board, depth: Depth) -> u64 {
            let below = |child: &Board, depth| count::<S, Us::Them, TWO_PLY>(child, depth);
            node::<S, Avx2, Us, TWO_PLY>(board, depth, below)
        }
        // SAFETY: as for `V2`.
        #[allow(unsafe_code)]
        unsafe {
            count::<S, Us, TWO_PLY>(board, depth)
        }
    }
}

/// One node; `below` counts a child. Copying the board is cheaper than taking moves back.
#[inline(always)]
fn node<S: Sliders, L: Lanes, Us: Side, const TWO_PLY: bool>(
    board: &Board,
    depth: Depth,
    below: impl Fn(&Board, Depth) -> u64,
) -> u64 {
    if TWO_PLY && depth == 2 {
        return two_ply::count::<S, L, Us>(board);
    }
    if depth == 1 {
        return movegen::count_moves::<S, Us>(board).into();
    }
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    for mv in moves {
        let mut child = *board;
        let _ = child.make_as::<S, Us>(mv);
        nodes += below(&child, depth - 1);
    }
    nodes
}

/// Makes and takes back every move down to the leaves.
fn full_count<S: Sliders>(board: &Board, depth: Depth) -> u64 {
    fn count<S: Sliders, Us: Side>(board: &mut Board, depth: Depth) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut moves = MoveList::new();
        movegen::list_moves::<S, Us>(board, &mut moves);
        let mut nodes = 0;
        for mv in moves {
            let undo = board.make_as::<S, Us>(mv);
            nodes += count::<S, Us::Them>(board, depth - 1);
            board.unmake(mv, undo);
        }
        nodes
    }
    let mut board = *board;
    match board.side_to_move() {
        Color::White => count::<S, White>(&mut board, depth),
        Color::Black => count::<S, Black>(&mut board, depth),
    }
}

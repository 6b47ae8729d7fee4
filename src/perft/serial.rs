//! One thread, no table: walk the tree and count.

use super::{Depth, Engine, Kernel, PerftError};
use crate::board::Board;
use crate::cpu::Cpu;
use crate::movegen;
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
    let nodes = with_sliders!(engine.sliders, S => count_in_64_bits::<S>(engine, board, depth));
    Ok(nodes.into())
}

fn count_in_64_bits<S: Sliders>(engine: &Engine, board: &Board, depth: Depth) -> u64 {
    match (engine.kernel, board.side_to_move()) {
        (Kernel::Full, Color::White) => full_count::<S, White>(&mut { *board }, depth),
        (Kernel::Full, Color::Black) => full_count::<S, Black>(&mut { *board }, depth),
        (Kernel::Bulk, Color::White) => bulk_count::<S, White>(engine.cpu, board, depth),
        (Kernel::Bulk, Color::Black) => bulk_count::<S, Black>(engine.cpu, board, depth),
    }
}

/// Counts with the last ply in bulk, with what the CPU has.
fn bulk_count<S: Sliders, Us: Side>(cpu: Cpu, board: &Board, depth: Depth) -> u64 {
    #[cfg(target_arch = "x86_64")]
    // A level above what the machine has would be unsound, so it is asked again.
    if cpu == Cpu::V3 && Cpu::detect() >= Cpu::V3 {
        // SAFETY: `detect` has just seen every feature that the function is compiled for.
        // Gain: 1.60 times portable on kiwipete 5, alternating, best of nine.
        #[allow(unsafe_code)]
        return unsafe { bulk_count_v3::<S, Us>(board, depth) };
    }
    _ = cpu;
    bulk_count_portable::<S, Us>(board, depth)
}

fn bulk_count_portable<S: Sliders, Us: Side>(board: &Board, depth: Depth) -> u64 {
    bulk_node::<S, Us>(board, depth, bulk_count_portable::<S, Us::Them>)
}

/// The same code, compiled for more instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
fn bulk_count_v3<S: Sliders, Us: Side>(board: &Board, depth: Depth) -> u64 {
    bulk_node::<S, Us>(board, depth, |child, depth| bulk_count_v3::<S, Us::Them>(child, depth))
}

/// One node; `below` counts a child. Copying the board is cheaper than taking moves back.
#[inline(always)]
fn bulk_node<S: Sliders, Us: Side>(
    board: &Board,
    depth: Depth,
    below: impl Fn(&Board, Depth) -> u64,
) -> u64 {
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
fn full_count<S: Sliders, Us: Side>(board: &mut Board, depth: Depth) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    for mv in moves {
        let undo = board.make_as::<S, Us>(mv);
        nodes += full_count::<S, Us::Them>(board, depth - 1);
        board.unmake(mv, undo);
    }
    nodes
}

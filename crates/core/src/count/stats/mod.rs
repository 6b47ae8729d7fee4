//! Kinds of moves, ply by ply.
//!
//! `ply` counts the moves of a position without making most of them. Here the tree is walked, as
//! far as equal positions are not merged; [`super::layers`] merges them.

mod ply;
#[cfg(test)]
mod tests;

use super::machine::Machine;
use super::split::Frontier;
use super::target::Target;
use super::{CountError, Depth, Divide, Stats};
use crate::board::{Board, Undo, castled_squares};
use crate::movegen;
use crate::sys::CancelToken;
use crate::sys::cpu::Baseline;
use crate::types::{Move, MoveKind, Side, by_side};
pub(super) use ply::count_ply;
use ply::ply_stats;

/// A node with at least so many plies below its children checks for cancellation.
const CANCEL_CHECK_DEPTH: usize = 3;

impl Stats {
    /// Counts a move; `after` is the position after it.
    fn count(&mut self, mv: Move, is_capture: bool, after: &Board) {
        let add = |number: &mut u128, holds: bool| *number += u128::from(holds);
        let kind = mv.kind();
        add(&mut self.nodes, true);
        add(&mut self.captures, is_capture);
        add(&mut self.en_passants, kind == MoveKind::EnPassant);
        add(&mut self.castles, kind == MoveKind::Castle);
        add(&mut self.promotions, kind.promotion().is_some());
        let check = Check::of(mv, after);
        add(&mut self.checks, check.is_some());
        add(&mut self.discovered_checks, check == Some(Check::Discovered));
        add(&mut self.double_checks, check == Some(Check::Double));
        add(&mut self.checkmates, check == Some(Check::Mate));
    }
}

/// Counts kinds of moves at each depth from 1 to `depth`. The first plies are played out until
/// there are `enough` tasks. Calls `on_progress` with the finished share of the tasks and the moves
/// counted so far, and ends with its error.
pub(super) fn stats(
    machine: &Machine,
    board: &Board,
    depth: Depth,
    enough: usize,
    mut on_progress: impl FnMut(f64, u128) -> Result<(), CountError>,
) -> Result<Vec<Stats>, CountError> {
    let mut rows = Vec::new();
    let mut finished = first_plies(machine, board, depth, enough, &mut rows)?;
    if let Some(starts) = &finished {
        let played = rows.len() as Depth;
        let before = rows.iter().fold(0, |sum: u128, row| sum.saturating_add(row.nodes));
        let rest = depth - played;
        // The last two plies take nearly all of the time. All before them are counted first, so that
        // they are finished if that is interrupted.
        let first = rest.checked_sub(2).filter(|&rest| rest > 0);
        for rest in first.into_iter().chain([rest]) {
            let progress = |share, nodes: u128| on_progress(share, before.saturating_add(nodes));
            match walk_all(machine, starts, rest, progress)? {
                Some(below) => {
                    rows.truncate(played.into());
                    rows.extend(below);
                }
                None => {
                    finished = None;
                    break;
                }
            }
        }
    }
    if finished.is_some() { Ok(rows) } else { Err(CountError::CancelledStats(rows)) }
}

/// Plays out the first plies, and adds a row for each. Returns the positions after them; `None` if it
/// was cancelled.
fn first_plies(
    machine: &Machine,
    board: &Board,
    depth: Depth,
    enough: usize,
    rows: &mut Vec<Stats>,
) -> Result<Option<Vec<Start>>, CountError> {
    let mut positions = Frontier::<u128>::new(board.castling_mode());
    positions.add(board, &1)?;
    while rows.len() + 1 < depth.into() && (1..enough).contains(&positions.len()) {
        let mut row = Stats::default();
        let count = |undo: &Undo, after: &Board, lines: &u128| {
            let mut one = Stats::default();
            one.count(undo.mv(), undo.captured().is_some(), after);
            row.add_times(one, *lines)?;
            let is_cancelled = machine.cancel.is_cancelled();
            if is_cancelled { Err(CountError::Cancelled(Divide::default())) } else { Ok(()) }
        };
        positions = match positions.next_ply(count, |_| {}) {
            Err(CountError::Cancelled(_)) => return Ok(None),
            positions => positions?,
        };
        rows.push(row);
    }
    let tasks = positions.into_sorted().into_iter();
    Ok(Some(
        tasks.map(|(position, lines)| (position.unpack(board.castling_mode()), lines)).collect(),
    ))
}

/// A position to walk from, and the lines to it.
type Start = (Board, u128);

/// A row for each of the plies below all positions; `None` if it was cancelled. Calls `on_progress`
/// with the share of them and the moves counted so far.
fn walk_all(
    machine: &Machine,
    starts: &[Start],
    plies: Depth,
    mut on_progress: impl FnMut(f64, u128) -> Result<(), CountError>,
) -> Result<Option<Vec<Stats>>, CountError> {
    let mut rows = vec![Stats::default(); plies.into()];
    let (mut done, mut nodes) = (0, 0_u128);
    let work = |&(mut board, lines): &Start, cancel: &CancelToken| {
        let mut part = vec![Stats::default(); plies.into()];
        walk(&mut board, &mut part, cancel);
        (!cancel.is_cancelled()).then_some((part, lines))
    };
    machine.run(false, starts.iter(), work, |result| {
        if let Some((part, lines)) = result.flatten() {
            for (row, part) in rows.iter_mut().zip(part) {
                row.add_times(part, lines)?;
                nodes = nodes.saturating_add(part.nodes.saturating_mul(lines));
            }
            done += 1;
        }
        on_progress(done as f64 / starts.len().max(1) as f64, nodes)
    })?;
    Ok((done == starts.len()).then_some(rows))
}

/// Counts all moves; `rows` has a row for each ply to go.
fn walk(board: &mut Board, rows: &mut [Stats], cancel: &CancelToken) {
    let Some((row, deeper)) = rows.split_first_mut() else { return };
    if deeper.len() >= CANCEL_CHECK_DEPTH && cancel.is_cancelled() {
        return;
    }
    row.add_ply(&ply_stats(board), 1);
    if deeper.is_empty() {
        return;
    }
    for mv in board.legal_moves() {
        let undo = board.make(mv);
        walk(board, deeper, cancel);
        board.unmake(undo);
    }
}

/// A check, as the published tables tell them apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// By the piece that moved.
    Direct,
    /// By a piece that did not move.
    Discovered,
    /// By two pieces.
    Double,
    /// One of any kind that ends the game.
    Mate,
}

impl Check {
    /// The check that a move gives; `after` is the position after it.
    fn of(mv: Move, after: &Board) -> Option<Self> {
        by_side!(!after.side_to_move(), Us => Self::of_move::<_, Us>(Baseline, mv, after))
    }

    /// [`Self::of`] a move of `Us`.
    #[inline(always)]
    fn of_move<T: Target, Us: Side>(target: T, mv: Move, after: &Board) -> Option<Self> {
        let king = after.king(Us::COLOR.opponent());
        let checkers = after.attackers(target, king, after.occupied()) & after.colors(Us::COLOR);
        if checkers.is_empty() {
            return None;
        }
        let moved = match mv.kind() {
            MoveKind::Castle => castled_squares(Us::COLOR, mv.from(), mv.to()).1,
            _ => mv.to(),
        };
        Some(match () {
            () if movegen::count_moves::<T, Us::Them>(target, after) == 0 => Self::Mate,
            () if checkers.more_than_one() => Self::Double,
            () if checkers.contains(moved) => Self::Direct,
            () => Self::Discovered,
        })
    }
}

//! Kinds of moves, ply by ply.
//!
//! `ply` counts the moves of a position without making most of them. Here the tree is walked, as
//! far as equal positions are not merged; [`super::layers`] merges them.

mod ply;
#[cfg(test)]
mod tests;

use std::num::NonZero;

use super::split::Layer;
use super::target::Target;
use super::{CountError, Depth, Divide};
use crate::board::{Board, PackedBoard, Undo, castled_squares};
use crate::movegen;
use crate::sys::cpu::Baseline;
use crate::sys::{CancelToken, pool};
use crate::types::{Move, MoveKind, Side, by_side};
pub(super) use ply::count_ply;
use ply::ply_stats;

/// A node with at least so many plies below its children checks for cancellation.
const CANCEL_CHECK_DEPTH: usize = 3;

/// The number of moves of each kind that lead to the positions of one depth, by the definitions of
/// the published tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All moves, which is the count of leaves.
    pub nodes: u128,
    /// Captures, en passant among them.
    pub captures: u128,
    /// En-passant captures.
    pub en_passants: u128,
    /// Castlings.
    pub castles: u128,
    /// Promotions, captures among them.
    pub promotions: u128,
    /// Moves that give check, checkmates among them.
    pub checks: u128,
    /// Single checks by a piece that did not move, without checkmates.
    pub discovered_checks: u128,
    /// Checks by two pieces at once, without checkmates.
    pub double_checks: u128,
    /// Checks that end the game.
    pub checkmates: u128,
}

impl Stats {
    /// The numbers in their usual order, with their names.
    pub const fn columns(&self) -> [(&'static str, u128); 9] {
        [
            ("nodes", self.nodes),
            ("captures", self.captures),
            ("en_passants", self.en_passants),
            ("castles", self.castles),
            ("promotions", self.promotions),
            ("checks", self.checks),
            ("discovered_checks", self.discovered_checks),
            ("double_checks", self.double_checks),
            ("checkmates", self.checkmates),
        ]
    }

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

    /// Adds another count, several times.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn add_times(&mut self, mut other: Self, times: u128) -> Result<(), CountError> {
        for (sum, number) in self.numbers().into_iter().zip(other.numbers()) {
            let product = number.checked_mul(times).ok_or(CountError::Overflow)?;
            *sum = sum.checked_add(product).ok_or(CountError::Overflow)?;
        }
        Ok(())
    }

    fn numbers(&mut self) -> [&mut u128; 9] {
        [
            &mut self.nodes,
            &mut self.captures,
            &mut self.en_passants,
            &mut self.castles,
            &mut self.promotions,
            &mut self.checks,
            &mut self.discovered_checks,
            &mut self.double_checks,
            &mut self.checkmates,
        ]
    }
}

/// Counts kinds of moves at each depth from 1 to `depth`. The first plies are played out until
/// there are `enough` tasks. Calls `on_progress` with the finished share of the tasks and the moves
/// counted so far, and ends with its error.
pub(super) fn stats(
    board: &Board,
    depth: Depth,
    threads: NonZero<usize>,
    enough: usize,
    cancel: &CancelToken,
    mut on_progress: impl FnMut(f64, u128) -> Result<(), CountError>,
) -> Result<Vec<Stats>, CountError> {
    let mut rows = vec![Stats::default(); depth.into()];
    let mut layer = Layer::<u128>::new(board.castling_mode());
    layer.add(board, &1)?;
    let mut ply = 0;
    while ply + 1 < depth && layer.len() < enough && layer.len() > 0 {
        let row = &mut rows[usize::from(ply)];
        let count = |undo: &Undo, after: &Board, multiplicity: &u128| {
            let mut one = Stats::default();
            one.count(undo.mv(), undo.captured().is_some(), after);
            row.add_times(one, *multiplicity)?;
            if cancel.is_cancelled() {
                Err(CountError::Cancelled(Divide::default()))
            } else {
                Ok(())
            }
        };
        layer = match layer.next_ply(count, |_| {}) {
            Err(CountError::Cancelled(_)) => {
                rows.truncate(ply.into());
                return Err(CountError::CancelledStats(rows));
            }
            layer => layer?,
        };
        ply += 1;
    }

    let (tasks, rest) = (layer.into_sorted(), depth - ply);
    let (all, mode) = (tasks.len(), board.castling_mode());
    let cancel = cancel.child();
    let before = rows.iter().fold(0, |sum: u128, row| sum.saturating_add(row.nodes));
    let mut finished = usize::from(ply);
    // The last two plies take nearly all of the time. All before them are counted first, so that
    // they are finished if that is interrupted.
    let first = rest.checked_sub(2).filter(|&rest| rest > 0);
    for rest in first.into_iter().chain([rest]) {
        let mut round = vec![Stats::default(); rest.into()];
        let (mut done, mut nodes) = (0, before);
        let work = |(position, multiplicity): (PackedBoard, u128)| {
            let mut part = vec![Stats::default(); rest.into()];
            walk(&mut position.unpack(mode), &mut part, &cancel);
            (!cancel.is_cancelled()).then_some((part, multiplicity))
        };
        pool::run(threads, tasks.iter().copied(), &cancel, work, |result| {
            if let Some((part, multiplicity)) = result {
                for (row, part) in round.iter_mut().zip(part) {
                    row.add_times(part, multiplicity)?;
                    nodes = nodes.saturating_add(part.nodes.saturating_mul(multiplicity));
                }
                done += 1;
            }
            on_progress(done as f64 / all.max(1) as f64, nodes)
        })?;
        if done < all {
            break;
        }
        finished = usize::from(ply + rest);
        rows[usize::from(ply)..finished].copy_from_slice(&round);
    }
    if finished == rows.len() {
        return Ok(rows);
    }
    rows.truncate(finished);
    Err(CountError::CancelledStats(rows))
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

//! Kinds of moves, ply by ply.

use std::num::NonZero;

use super::split::Layer;
use super::{CountError, Depth};
use crate::attacks::magic::Magic;
use crate::attacks::{self, Sliders};
use crate::board::{Board, PackedBoard, Undo, castled_squares};
use crate::sys::CancelToken;
use crate::sys::pool;
use crate::types::{Bitboard, Move, MoveKind, Piece};

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
        let checkers = after.checkers();
        if checkers.is_empty() {
            return;
        }
        let moved = match kind {
            MoveKind::Castle => {
                castled_squares(!after.side_to_move(), mv.from(), mv.to()).1.bitboard()
            }
            _ => mv.to().bitboard(),
        };
        let is_mate = after.count_legal_moves() == 0;
        let is_double = checkers.more_than_one();
        add(&mut self.checks, true);
        add(&mut self.checkmates, is_mate);
        add(&mut self.double_checks, is_double && !is_mate);
        add(&mut self.discovered_checks, !is_double && !is_mate && !checkers.intersects(moved));
    }

    /// Adds another count, several times.
    fn add_times(&mut self, mut other: Self, times: u128) -> Result<(), CountError> {
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
/// counted so far.
pub(super) fn stats(
    board: &Board,
    depth: Depth,
    threads: NonZero<usize>,
    enough: usize,
    cancel: &CancelToken,
    mut on_progress: impl FnMut(f64, u128),
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
            row.add_times(one, *multiplicity)
        };
        layer = layer.next_ply(count, |_| {})?;
        ply += 1;
    }

    let (tasks, rest) = (layer.into_sorted(), depth - ply);
    let (all, mode) = (tasks.len(), board.castling_mode());
    let cancel = cancel.child();
    let mut finished = usize::from(ply);
    // The last two plies take nearly all of the time. All before them are counted first, so that
    // they are finished if that is interrupted.
    let first = rest.checked_sub(2).filter(|&rest| rest > 0);
    for rest in first.into_iter().chain([rest]) {
        let mut round = vec![Stats::default(); rest.into()];
        let (mut done, mut nodes) = (0, 0_u128);
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
            on_progress(done as f64 / all.max(1) as f64, nodes);
            Ok(())
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
    let watch = deeper.is_empty().then(|| CheckWatch::new(board));
    for mv in board.legal_moves() {
        if watch.as_ref().is_some_and(|watch| !watch.may_check(mv)) {
            row.nodes += 1;
            row.captures += u128::from(board.occupied().contains(mv.to()));
            continue;
        }
        let undo = board.make(mv);
        row.count(mv, undo.captured().is_some(), board);
        walk(board, deeper, cancel);
        board.unmake(undo);
    }
}

/// Recognizes most moves that give no check without making them.
struct CheckWatch {
    /// The squares from which a piece of each kind would give check.
    squares: [Bitboard; 6],
    /// The only pieces between one of our sliders and their king.
    screens: Bitboard,
}

impl CheckWatch {
    fn new(board: &Board) -> Self {
        let us = board.side_to_move();
        let king = board.king(!us);
        let occupied = board.occupied();
        let (orthogonal, diagonal) = (Magic.rook(king, occupied), Magic.bishop(king, occupied));
        let squares = Piece::ALL.map(|piece| match piece {
            Piece::Pawn => attacks::pawn(!us, king),
            Piece::Knight => attacks::knight(king),
            Piece::Bishop => diagonal,
            Piece::Rook => orthogonal,
            Piece::Queen => orthogonal | diagonal,
            Piece::King => Bitboard::EMPTY,
        });
        let mut screens = Bitboard::EMPTY;
        for slider in attacks::aligned(king, board.orthogonal(us), board.diagonal(us)) {
            let between = attacks::between(king, slider) & occupied;
            if !between.more_than_one() {
                screens |= between;
            }
        }
        Self { squares, screens }
    }

    /// Whether a move may give check or is of a special kind. A plain move gives no check if its
    /// piece gives none from its target and opens no line.
    fn may_check(&self, mv: Move) -> bool {
        let is_plain = match mv.kind() {
            MoveKind::EnPassant | MoveKind::Castle => false,
            kind => kind.promotion().is_none(),
        };
        !is_plain
            || self.squares[mv.piece().index()].contains(mv.to())
            || self.screens.contains(mv.from())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::Counter;
    use crate::positions;
    use crate::positions::random::{random_placement, special};
    use crate::random::Rng;
    use crate::types::CastlingMode;

    /// The rows that circulate, each of nodes, captures, en passants, castles, promotions,
    /// checks, discovered checks, double checks and checkmates.
    #[test]
    fn the_published_tables_are_reproduced() {
        for (name, depth, published) in [
            ("startpos", 5, [4_865_609, 82_719, 258, 0, 0, 27_351, 6, 0, 347]),
            ("kiwipete", 4, [4_085_603, 757_163, 1_929, 128_013, 15_172, 25_523, 42, 6, 43]),
            ("position3", 6, [11_030_083, 940_350, 33_325, 0, 7_552, 452_473, 26_067, 0, 2_733]),
        ] {
            let board = positions::by_name(name).expect("it has a name");
            for threads in [1, 3] {
                let threads = NonZero::new(threads).expect("it is not zero");
                let rows = Counter::new().threads(threads).stats(&board, depth);
                let rows = rows.expect("it fits");
                let last = rows.last().expect("a row for each depth");
                assert_eq!(last.columns().map(|(_, number)| number), published, "{name}");
                for (row, depth) in rows.iter().zip(1..) {
                    assert_eq!(Ok(row.nodes), crate::perft(&board, depth), "{name} {depth}");
                }
            }
        }
    }

    #[test]
    fn the_smallest_and_the_largest_trees() {
        let counter = Counter::new();
        assert_eq!(counter.stats(&Board::startpos(), 0), Ok(Vec::new()));
        let mated: Board = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
        assert_eq!(counter.stats(&mated, 3), Ok(vec![Stats::default(); 3]));
        let kings: Board = "8/8/8/8/8/8/8/K1k5 w - - 0 1".parse().unwrap();
        let many = NonZero::new(64).unwrap();
        assert_eq!(counter.threads(many).stats(&kings, 49), Err(CountError::Overflow));
    }

    /// Every move made, against those that are known without.
    #[test]
    fn a_move_without_check_is_recognized_before_it_is_made() {
        let mut rng = Rng::new(1);
        let mut known = 0;
        for round in 0..20_000 {
            let mut board = match round % 2 {
                0 => special(&mut rng, CastlingMode::Chess960),
                _ => random_placement(&mut rng),
            };
            let watch = CheckWatch::new(&board);
            for mv in board.legal_moves().into_iter().filter(|&mv| !watch.may_check(mv)) {
                let undo = board.make(mv);
                assert!(!board.in_check(), "{mv:?} gives check in {board:?}");
                board.unmake(undo);
                known += 1;
            }
        }
        assert!(known > 100_000, "{known}");
    }

    #[test]
    fn a_cancelled_count_brings_the_depths_that_are_finished() {
        let board = Board::startpos();
        let rows = Counter::new().stats(&board, 4).expect("it fits");
        let finished = |counter: Counter| match counter.stats(&board, 6) {
            Err(CountError::CancelledStats(finished)) => finished,
            other => panic!("{other:?}"),
        };
        let counter = Counter::new();
        counter.cancel_token().cancel();
        let at_once = finished(counter);
        assert_eq!(at_once[..], rows[..at_once.len()]);
        assert!(at_once.len() < 4, "{}", at_once.len());
        // Depths 1 to 4 have fewer moves.
        let token = CancelToken::new();
        let counter = Counter::new().cancel(token.clone());
        let counter = counter.on_progress(move |progress| {
            if progress.nodes > 1_000_000 {
                token.cancel();
            }
        });
        assert_eq!(finished(counter), rows);
    }
}

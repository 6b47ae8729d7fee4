//! What kinds of moves a tree has, ply by ply.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use rustc_hash::FxHashMap;

use super::{Depth, PerftError};
use crate::attacks;
use crate::board::{Board, Identity, castled_squares};
use crate::sliders::{Fancy, Sliders};
use crate::threads;
use crate::types::{Bitboard, Move, MoveKind, Piece};

/// So many positions for each thread at least before they are shared out.
const TASKS_PER_THREAD: usize = 100;

/// With so many plies behind the next a node asks whether to stop.
const ASK_WHETHER_TO_STOP: usize = 3;

/// How many moves of each kind lead to the positions of one depth, in the definitions of the
/// tables that circulate.
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
    /// Moves that give check in any way, checkmates among them.
    pub checks: u128,
    /// Single checks by a man that did not move itself, no checkmates.
    pub discovered_checks: u128,
    /// Checks by two men at once, no checkmates.
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

    /// Takes in a move; `after` is the position after it.
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
        let is_double = checkers.has_many();
        add(&mut self.checks, true);
        add(&mut self.checkmates, is_mate);
        add(&mut self.double_checks, is_double && !is_mate);
        add(&mut self.discovered_checks, !is_double && !is_mate && !checkers.meets(moved));
    }

    /// Adds what comes up in so many ways.
    fn add_times(&mut self, mut other: Self, ways: u128) -> Result<(), PerftError> {
        for (sum, number) in self.numbers().into_iter().zip(other.numbers()) {
            let product = number.checked_mul(ways).ok_or(PerftError::Overflow)?;
            *sum = sum.checked_add(product).ok_or(PerftError::Overflow)?;
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

/// Counts the kinds of moves at each depth from 1 to `depth`, in this order, and calls `tell`
/// with the share that is done. `None` if it was stopped.
///
/// # Errors
/// If a number does not fit into 128 bits.
///
/// ```
/// use std::num::NonZero;
/// use std::sync::atomic::AtomicBool;
///
/// use perft::Board;
///
/// let (threads, stop) = (NonZero::<usize>::MIN, AtomicBool::new(false));
/// let rows = perft::stats(&Board::startpos(), 4, threads, &stop, |_| {})?.unwrap();
/// assert_eq!((rows[3].nodes, rows[3].checks, rows[3].checkmates), (197_281, 469, 8));
/// # Ok::<(), perft::PerftError>(())
/// ```
pub fn stats(
    board: &Board,
    depth: Depth,
    threads: NonZero<usize>,
    stop: &AtomicBool,
    mut tell: impl FnMut(f64),
) -> Result<Option<Vec<Stats>>, PerftError> {
    let mut rows = vec![Stats::default(); depth.into()];
    // The first plies, positions that come up in several ways put together.
    let mut layer = vec![(*board, 1)];
    let mut ply = 0;
    let enough = TASKS_PER_THREAD * threads.get().min(threads::MOST);
    while ply + 1 < depth && layer.len() < enough && !layer.is_empty() {
        layer = next_ply(&layer, &mut rows[usize::from(ply)])?;
        ply += 1;
    }

    let (tasks, rest) = (layer, depth - ply);
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let is_over = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    let mut done = 0;
    thread::scope(|scope| {
        threads::start(scope, threads.get().min(tasks.len()), || {
            let (sender, next, tasks, is_over) = (sender.clone(), &next, &tasks, &is_over);
            move || {
                while let Some((board, ways)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut rows = vec![Stats::default(); rest.into()];
                    walk(*board, &mut rows, is_over);
                    if is_over() || sender.send((rows, *ways)).is_err() {
                        return;
                    }
                }
            }
        });
        drop(sender);
        for (part, ways) in receiver {
            let mut rows = rows[usize::from(ply)..].iter_mut().zip(part);
            let added = rows.try_for_each(|(row, part)| row.add_times(part, ways));
            // What the others are at is of no use then.
            failed.store(added.is_err(), Ordering::Relaxed);
            added?;
            done += 1;
            tell(done as f64 / tasks.len() as f64);
        }
        Ok(())
    })?;
    Ok((done == tasks.len()).then_some(rows))
}

fn next_ply(layer: &[(Board, u128)], row: &mut Stats) -> Result<Vec<(Board, u128)>, PerftError> {
    let mut places: FxHashMap<Identity, usize> = FxHashMap::default();
    let mut next: Vec<(Board, u128)> = Vec::new();
    for &(mut board, ways) in layer {
        for mv in board.legal_moves() {
            let undo = board.make(mv);
            let mut one = Stats::default();
            one.count(mv, undo.captured().is_some(), &board);
            row.add_times(one, ways)?;
            let place = *places.entry(board.identity()).or_insert_with(|| {
                next.push((board, 0));
                next.len() - 1
            });
            let sum = next[place].1.checked_add(ways);
            next[place].1 = sum.ok_or(PerftError::Overflow)?;
            board.unmake(mv, undo);
        }
    }
    Ok(next)
}

/// Goes through all moves; `rows` has a place for each ply to go.
fn walk(mut board: Board, rows: &mut [Stats], is_over: &impl Fn() -> bool) {
    let Some((row, deeper)) = rows.split_first_mut() else { return };
    if deeper.len() >= ASK_WHETHER_TO_STOP && is_over() {
        return;
    }
    let moves = board.legal_moves();
    let watch = CheckWatch::new(&board);
    for mv in moves {
        if deeper.is_empty() && !watch.may_check(mv) {
            row.nodes += 1;
            row.captures += u128::from(board.occupied().contains(mv.to()));
            continue;
        }
        let undo = board.make(mv);
        row.count(mv, undo.captured().is_some(), &board);
        walk(board, deeper, is_over);
        board.unmake(mv, undo);
    }
}

/// Knows most moves that give no check without making them.
struct CheckWatch {
    /// From where a man of each kind would give check.
    squares: [Bitboard; 6],
    /// Men behind which one of our sliders looks at their king.
    screens: Bitboard,
}

impl CheckWatch {
    fn new(board: &Board) -> Self {
        let us = board.side_to_move();
        let king = board.king(!us);
        let occupied = board.occupied();
        let (straight, slanted) = (Fancy::rook(king, occupied), Fancy::bishop(king, occupied));
        let squares = Piece::ALL.map(|piece| match piece {
            Piece::Pawn => attacks::pawn(!us, king),
            Piece::Knight => attacks::knight(king),
            Piece::Bishop => slanted,
            Piece::Rook => straight,
            Piece::Queen => straight | slanted,
            Piece::King => Bitboard::EMPTY,
        });
        let mut screens = Bitboard::EMPTY;
        for slider in attacks::aligned(king, board.orthogonal(us), board.diagonal(us)) {
            let between = attacks::between(king, slider) & occupied;
            if !between.has_many() {
                screens |= between;
            }
        }
        Self { squares, screens }
    }

    /// Whether a move may be more than a quiet move or a capture without check. A plain move
    /// that neither arrives where its man gives check nor leaves a line open gives none.
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
    use crate::positions;
    use crate::positions::random::{random_placement, special};
    use crate::random::Rng;
    use crate::types::Variant;

    /// The rows that circulate, each of nodes, captures, en passants, castles, promotions,
    /// checks, discovered checks, double checks and checkmates.
    #[test]
    fn the_published_tables_are_reproduced() {
        let never = AtomicBool::new(false);
        for (name, depth, published) in [
            ("startpos", 5, [4_865_609, 82_719, 258, 0, 0, 27_351, 6, 0, 347]),
            ("kiwipete", 4, [4_085_603, 757_163, 1_929, 128_013, 15_172, 25_523, 42, 6, 43]),
            ("position3", 6, [11_030_083, 940_350, 33_325, 0, 7_552, 452_473, 26_067, 0, 2_733]),
        ] {
            let board = positions::by_name(name).expect("it has a name");
            for threads in [1, 3] {
                let threads = NonZero::new(threads).expect("it is not zero");
                let rows = stats(&board, depth, threads, &never, |_| {});
                let rows = rows.expect("it fits").expect("not stopped");
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
        let never = AtomicBool::new(false);
        let one = NonZero::<usize>::MIN;
        assert_eq!(stats(&Board::startpos(), 0, one, &never, |_| {}), Ok(Some(Vec::new())));
        let fen = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
        let mated = Board::from_fen(fen, Variant::Standard).unwrap();
        assert_eq!(stats(&mated, 3, one, &never, |_| {}), Ok(Some(vec![Stats::default(); 3])));
        let fen = "8/8/8/8/8/8/8/K1k5 w - - 0 1";
        let kings = Board::from_fen(fen, Variant::Standard).unwrap();
        let many = NonZero::new(64).unwrap();
        assert_eq!(stats(&kings, 49, many, &never, |_| {}), Err(PerftError::Overflow));
    }

    /// Every move made, against those that are known without.
    #[test]
    fn a_move_without_check_is_known_beforehand() {
        let mut rng = Rng::new(1);
        let mut known = 0;
        for round in 0..20_000 {
            let mut board = match round % 2 {
                0 => special(&mut rng, Variant::Chess960),
                _ => random_placement(&mut rng),
            };
            let watch = CheckWatch::new(&board);
            for mv in board.legal_moves().into_iter().filter(|&mv| !watch.may_check(mv)) {
                let undo = board.make(mv);
                assert!(!board.in_check(), "{mv:?} gives check in {board:?}");
                board.unmake(mv, undo);
                known += 1;
            }
        }
        assert!(known > 100_000, "{known}");
    }

    #[test]
    fn it_can_be_stopped() {
        let stop = AtomicBool::new(true);
        assert_eq!(stats(&Board::startpos(), 6, NonZero::<usize>::MIN, &stop, |_| {}), Ok(None));
    }
}

//! Counting on several threads, with or without a table.
//!
//! The first plies are played out, positions that come up in several ways are put together
//! with their number of ways, and the threads take one position after the other. Every
//! position is counted once, so the result does not depend on the number of threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::serial::{self, Walk};
use super::{Branch, Depth, Engine, PerftError, Table};
use crate::board::{Board, Identity};
use crate::threads;
use crate::types::Variant;

/// So many positions for each thread at least, where the tree has them: the last ones to
/// finish then take little of the time.
const TASKS_PER_THREAD: usize = 100;

/// Positions are not split so far that less than this is left to count.
const LEAST_LEFT: Depth = 3;

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// A count to be made, on several threads and with a table.
///
/// ```
/// use std::num::NonZero;
/// use std::sync::atomic::AtomicBool;
///
/// use perft::{Board, Engine, Job, Table, Variant};
///
/// let table = Table::new(1 << 20)?;
/// let counted = Job {
///     board: Board::startpos(),
///     depth: 5,
///     variant: Variant::Standard,
///     engine: Engine::default(),
///     threads: NonZero::new(2).expect("two is not zero"),
///     table: Some(&table),
///     stop: &AtomicBool::new(false),
/// }
/// .run(|progress| assert!(progress.nodes <= 4_865_609))?;
/// assert_eq!(counted.nodes, 4_865_609);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The position.
    pub board: Board,
    /// How deep.
    pub depth: Depth,
    /// In which spelling the root moves are sorted.
    pub variant: Variant,
    /// What to count with.
    pub engine: Engine,
    /// How many threads.
    pub threads: NonZero<usize>,
    /// The table, if any.
    pub table: Option<&'a Table>,
    /// Set to give up.
    pub stop: &'a AtomicBool,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// The share of the tree that is done, by an estimate from two plies.
    pub share: f64,
    /// The leaves counted so far.
    pub nodes: u128,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The root moves that are counted whole, sorted as text.
    pub branches: Vec<Branch>,
    /// The leaves behind them.
    pub nodes: u128,
    /// Whether these are all root moves; not if it was stopped.
    pub complete: bool,
    /// How many counts the table knew.
    pub hits: u64,
}

/// A position and the ways in which it comes up.
struct Task {
    board: Board,
    /// Root moves, each with the number of ways behind it.
    ways: Vec<(usize, u128)>,
    /// An estimate of its share of the tree.
    weight: f64,
}

impl Job<'_> {
    /// Counts, and tells how far it is every now and then.
    ///
    /// # Errors
    /// If the total does not fit into 128 bits.
    pub fn run(&self, mut tell: impl FnMut(&Progress)) -> Result<Counted, PerftError> {
        let Some(rest) = self.depth.checked_sub(1) else {
            return Ok(Counted { branches: Vec::new(), nodes: 1, complete: true, hits: 0 });
        };
        let mut moves = self.board.legal_moves();
        moves.sort_by_cached_key(|mv| mv.uci(self.variant));
        let mut branches: Vec<Branch> = moves.iter().map(|&mv| Branch { mv, nodes: 0 }).collect();
        let (tasks, rest) = self.split(&branches, rest)?;

        // For each root move, how many tasks are still to come.
        let mut pending = vec![0_usize; branches.len()];
        for &(root, _) in tasks.iter().flat_map(|task| &task.ways) {
            pending[root] += 1;
        }
        let whole: f64 = tasks.iter().map(|task| task.weight).sum();
        let mut progress = Progress::default();
        let hits = AtomicU64::new(0);
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            threads::start(scope, self.threads.get().min(tasks.len()), || {
                let (sender, next, tasks, hits) = (sender.clone(), &next, &tasks, &hits);
                let failed = &failed;
                move || self.work(tasks, next, rest, hits, failed, &sender)
            });
            drop(sender);
            let mut add_up = |(task, nodes): (usize, Result<u128, PerftError>)| {
                let (task, nodes): (&Task, u128) = (&tasks[task], nodes?);
                for &(root, ways) in &task.ways {
                    let nodes = nodes.checked_mul(ways).ok_or(PerftError::Overflow)?;
                    let add = |sum: u128| sum.checked_add(nodes).ok_or(PerftError::Overflow);
                    branches[root].nodes = add(branches[root].nodes)?;
                    progress.nodes = add(progress.nodes)?;
                    pending[root] -= 1;
                }
                progress.share += task.weight / whole;
                Ok(progress)
            };
            let mut last = Progress::default();
            loop {
                match receiver.recv_timeout(TELL_EVERY) {
                    Ok(counted) => match add_up(counted) {
                        Ok(progress) => last = progress,
                        Err(error) => {
                            failed.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                    },
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
                tell(&last);
            }
        })?;
        let complete = pending.iter().all(|&tasks| tasks == 0);
        let mut finished = pending.iter().map(|&tasks| tasks == 0);
        branches.retain(|_| finished.next().unwrap_or_default());
        let nodes = branches.iter().map(|branch| branch.nodes).sum();
        Ok(Counted { branches, nodes, complete, hits: hits.into_inner() })
    }

    /// What one thread does: take tasks until there are none.
    fn work(
        &self,
        tasks: &[Task],
        next: &AtomicUsize,
        rest: Depth,
        hits: &AtomicU64,
        failed: &AtomicBool,
        sender: &mpsc::Sender<(usize, Result<u128, PerftError>)>,
    ) {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(index) else { return };
            let walk = Walk::new(self.table, self.stop, failed);
            let nodes = serial::count(&self.engine, &task.board, rest, &walk);
            hits.fetch_add(walk.hits(), Ordering::Relaxed);
            // A count that was given up half-way is none.
            if walk.stopped() || sender.send((index, nodes)).is_err() {
                return;
            }
        }
    }

    /// Plays out the first plies until there are enough positions; what is left to count
    /// behind each comes second.
    fn split(&self, roots: &[Branch], mut rest: Depth) -> Result<(Vec<Task>, Depth), PerftError> {
        let mut tasks: Vec<Task> = roots
            .iter()
            .enumerate()
            .map(|(root, branch)| {
                let mut board = self.board;
                let _ = board.make(branch.mv);
                Task { board, ways: vec![(root, 1)], weight: 0.0 }
            })
            .collect();
        let enough = TASKS_PER_THREAD * self.threads.get().min(threads::MOST);
        while tasks.len() < enough && rest > LEAST_LEFT && !tasks.is_empty() {
            tasks = next_ply(&tasks)?;
            rest -= 1;
        }
        for task in &mut tasks {
            let ways: f64 = task.ways.iter().map(|&(_, ways)| ways as f64).sum();
            let two_plies = self.engine.count(&task.board, rest.min(2)).unwrap_or_default();
            // Positions without moves weigh a little, so that all is done in the end.
            task.weight = ways * (two_plies as f64 + 1e-3);
        }
        Ok((tasks, rest))
    }
}

/// The positions one ply on, each with all its ways. A root move without a reply drops out;
/// its count is 0.
fn next_ply(tasks: &[Task]) -> Result<Vec<Task>, PerftError> {
    let mut places: FxHashMap<Identity, usize> = FxHashMap::default();
    let mut next: Vec<Task> = Vec::new();
    for task in tasks {
        for mv in task.board.legal_moves() {
            let mut board = task.board;
            let _ = board.make(mv);
            let place = *places.entry(board.identity()).or_insert_with(|| {
                next.push(Task { board, ways: Vec::new(), weight: 0.0 });
                next.len() - 1
            });
            let ways = &mut next[place].ways;
            for &(root, number) in &task.ways {
                match ways.iter_mut().find(|(known, _)| *known == root) {
                    Some((_, known)) => {
                        *known = known.checked_add(number).ok_or(PerftError::Overflow)?;
                    }
                    None => ways.push((root, number)),
                }
            }
        }
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::super::Kernel;
    use super::*;
    use crate::positions;

    fn job(board: Board, depth: Depth, stop: &AtomicBool) -> Job<'_> {
        let threads = NonZero::new(2).expect("two is not zero");
        let (variant, engine) = (Variant::Standard, Engine::default());
        Job { board, depth, variant, engine, threads, table: None, stop }
    }

    #[test]
    fn a_count_that_is_stopped_says_so() {
        let stop = AtomicBool::new(true);
        let counted = job(Board::startpos(), 7, &stop).run(|_| {}).unwrap();
        assert_eq!((counted.complete, counted.branches, counted.nodes), (false, Vec::new(), 0));
    }

    #[test]
    fn progress_ends_at_the_whole_tree() {
        let stop = AtomicBool::new(false);
        let mut last = Progress::default();
        let counted = job(Board::startpos(), 5, &stop).run(|progress| {
            assert!(progress.share >= last.share && progress.nodes >= last.nodes);
            last = *progress;
        });
        assert_eq!((last.nodes, counted.unwrap().nodes), (4_865_609, 4_865_609));
        assert!((last.share - 1.0).abs() < 1e-6, "{}", last.share);
    }

    #[test]
    fn positions_that_come_up_twice_are_counted_once() {
        let stop = AtomicBool::new(false);
        let board = Board::startpos();
        let roots: Vec<Branch> =
            board.legal_moves().into_iter().map(|mv| Branch { mv, nodes: 0 }).collect();
        let threads = NonZero::new(50).expect("fifty is not zero");
        let (tasks, rest) = Job { threads, ..job(board, 7, &stop) }.split(&roots, 6).unwrap();
        // 8,902 ways lead to 5,362 positions after three plies, as is well known.
        assert_eq!((tasks.len(), rest), (5_362, 4));
        let ways: u128 = tasks.iter().flat_map(|task| &task.ways).map(|&(_, ways)| ways).sum();
        assert_eq!(ways, 8_902);
    }

    /// Few positions in very many ways: the ways do not fit into 64 bits.
    #[test]
    fn a_tree_of_few_positions_is_counted_exactly() {
        let stop = AtomicBool::new(false);
        let fen = "8/8/8/8/8/8/8/K1k5 w - - 0 1";
        let board = Board::from_fen(fen, Variant::Standard).unwrap();
        let count = |depth, threads| {
            let threads = NonZero::new(threads).expect("it is not zero");
            Job { threads, ..job(board, depth, &stop) }.run(|_| {}).map(|counted| counted.nodes)
        };
        assert_eq!(count(32, 64), crate::perft_memo(&board, 32));
        assert!(count(32, 64).unwrap() > u64::MAX.into());
        assert_eq!(
            (count(49, 64), crate::perft_memo(&board, 49)),
            (Err(PerftError::Overflow), Err(PerftError::Overflow))
        );
    }

    /// With a table as without, and with every kernel, a count gives up when it is told to.
    #[test]
    fn a_hopeless_count_gives_up() {
        let table = Table::new(1 << 20).unwrap();
        for kernel in Kernel::ALL {
            for depth in [12, 40] {
                for table in [None, Some(&table)] {
                    let stop = AtomicBool::new(false);
                    let engine = Engine { kernel, ..Engine::default() };
                    let job = Job { engine, table, ..job(Board::startpos(), depth, &stop) };
                    let counted = thread::scope(|scope| {
                        let counting = scope.spawn(|| job.run(|_| {}));
                        thread::sleep(Duration::from_millis(100));
                        stop.store(true, Ordering::Relaxed);
                        counting.join().expect("no panic").unwrap()
                    });
                    assert!(!counted.complete);
                }
            }
        }
    }

    /// With ever shorter checks, positions are taken for others; a second count with the
    /// halves of the keys exchanged shows it.
    #[test]
    fn false_hits_are_caught_by_counting_again() {
        let stop = AtomicBool::new(false);
        let board = positions::by_name("kiwipete").expect("it has a name");
        let count = |table: &Table| {
            job(board, 5, &stop).with_table(table).run(|_| {}).expect("it fits").nodes
        };
        const RIGHT: u128 = 193_690_690;
        let whole = Table::new(1 << 20).unwrap();
        assert_eq!(count(&whole), RIGHT);
        let caught = (1..=16).rev().any(|bits| {
            let table = Table::new(1 << 20).unwrap().with_check_bits(bits);
            let first = count(&table);
            let second = count(&table.swapped().unwrap());
            assert!(first == RIGHT || first != second, "{bits} bits: twice the same mistake");
            first != RIGHT
        });
        assert!(caught, "even a check of one bit made no mistake");
    }

    impl<'a> Job<'a> {
        fn with_table(self, table: &'a Table) -> Self {
            Self { table: Some(table), ..self }
        }
    }
}

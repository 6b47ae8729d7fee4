//! Running suites on all cores.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::Suite;
use crate::board::Board;
use crate::perft::{Depth, PerftError, Workers};
use crate::threads;

/// A count that passes the limit so many times is wrong, whatever it comes to.
const TOO_MANY: u128 = 10;

/// How to run suites.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Counts that are expected to be above this are left out. One that passes ten times as much, and
    /// ten times [`Options::DEFAULT_MAX_NODES`], is given up.
    pub max_nodes: u128,
    /// What to count with: each thread counts a position of its own.
    pub workers: Workers<'a>,
}

impl Options<'_> {
    /// Low enough for our own suites to take about a second.
    pub const DEFAULT_MAX_NODES: u128 = 20_000_000;

    /// Where a count is given up. What takes a moment is counted to its end, even if only smaller
    /// counts were asked for.
    pub const fn limit(max_nodes: u128) -> u128 {
        let most =
            if max_nodes > Self::DEFAULT_MAX_NODES { max_nodes } else { Self::DEFAULT_MAX_NODES };
        most.saturating_mul(TOO_MANY)
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let workers = Workers { threads, ..Workers::default() };
        Self { max_nodes: Self::DEFAULT_MAX_NODES, workers }
    }
}

/// The result of one count of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which of the suites.
    pub suite: usize,
    /// Which of its positions.
    pub entry: usize,
    /// How deep.
    pub depth: Depth,
    /// The count that the suite has.
    pub expected: u128,
    /// The count that we have; [`PerftError::Above`] if it was given up.
    pub got: Result<u128, PerftError>,
}

impl Outcome {
    /// Whether both counts agree.
    pub fn is_right(&self) -> bool {
        self.got == Ok(self.expected)
    }
}

/// A count to be made.
struct Count {
    suite: usize,
    entry: usize,
    board: Board,
    depth: Depth,
    expected: u128,
}

/// Counts what is within the limit and calls `progress` with each result as it comes.
/// Returns all results in the order of the suites: those that were finished, if the workers are
/// told to stop.
pub fn run(
    suites: &[Suite],
    options: &Options<'_>,
    mut progress: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let mut counts = counts(suites, options.max_nodes);
    counts.sort_by_key(|count| count.expected);
    let all = counts.len();
    let counts = Mutex::new(VecDeque::from(counts));
    let workers = &options.workers;
    let limit = Options::limit(options.max_nodes);
    let (sender, receiver) = mpsc::channel();
    let mut is_next_first = true;
    let mut outcomes: Vec<Outcome> = thread::scope(|scope| {
        threads::start(scope, workers.threads.get().min(all), || {
            let (sender, counts) = (sender.clone(), &counts);
            // The first thread takes the shortest, so that there is soon something to tell, and the
            // others the longest, so that all finish together.
            let is_first = std::mem::take(&mut is_next_first);
            let next = move || {
                let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                if is_first { counts.pop_front() } else { counts.pop_back() }
            };
            move || {
                while let Some(Count { suite, entry, board, depth, expected }) = next() {
                    let got = workers.count_up_to(&board, depth, limit);
                    if workers.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // The receiver outlives the threads.
                    _ = sender.send(Outcome { suite, entry, depth, expected, got });
                }
            }
        });
        drop(sender);
        receiver.into_iter().inspect(|outcome| progress(outcome)).collect()
    });
    outcomes.sort_by_key(|outcome| (outcome.suite, outcome.entry, outcome.depth));
    outcomes
}

fn counts(suites: &[Suite], max_nodes: u128) -> Vec<Count> {
    let mut counts = Vec::new();
    for (suite, entries) in suites.iter().enumerate() {
        for (entry, known) in entries.entries.iter().enumerate() {
            let within = known.counts.iter().filter(|&&(_, expected)| expected <= max_nodes);
            counts.extend(within.map(|&(depth, expected)| Count {
                suite,
                entry,
                board: known.board,
                depth,
                expected,
            }));
        }
    }
    counts
}

//! Running suites on all cores.

use std::num::NonZero;
use std::thread;

use super::Suite;
use perft_core::board::Board;
use perft_core::sys::pool;
use perft_core::{CountError, Counter, Depth};

/// A count is given up at this multiple of the highest expected count.
const LIMIT_FACTOR: u128 = 10;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Expected counts above this are skipped. A count is given up when it passes ten times this
    /// and ten times [`Options::DEFAULT_MAX_NODES`].
    pub max_nodes: u128,
    /// The counter; each of its threads counts a position of its own. Its
    /// [memory](Counter::memory) is that of each thread, for counts of at least
    /// [`Options::MIN_MEMORY_NODES`].
    pub counter: Counter,
}

impl Options {
    /// Low enough for our own suites to take about a second.
    pub const DEFAULT_MAX_NODES: u128 = 20_000_000;

    /// Smaller counts are made before merging equal positions pays.
    pub const MIN_MEMORY_NODES: u128 = 100_000_000;

    /// The size at which a count is given up. Small counts are finished even if only smaller ones
    /// were asked for.
    pub const fn limit(max_nodes: u128) -> u128 {
        let max_nodes =
            if max_nodes > Self::DEFAULT_MAX_NODES { max_nodes } else { Self::DEFAULT_MAX_NODES };
        max_nodes.saturating_mul(LIMIT_FACTOR)
    }
}

impl Default for Options {
    fn default() -> Self {
        let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self { max_nodes: Self::DEFAULT_MAX_NODES, counter: Counter::new().threads(threads) }
    }
}

/// The result of one count of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The index of the suite.
    pub suite: usize,
    /// The index of the position in it.
    pub entry: usize,
    /// The depth.
    pub depth: Depth,
    /// The count of the suite.
    pub expected: u128,
    /// Our count; [`CountError::LimitExceeded`] if it was given up.
    pub got: Result<u128, CountError>,
}

impl Outcome {
    /// Whether both counts agree.
    pub fn is_right(&self) -> bool {
        self.got == Ok(self.expected)
    }
}

/// A count to be made.
struct Task {
    suite: usize,
    entry: usize,
    board: Board,
    depth: Depth,
    expected: u128,
}

/// Makes the counts of suites that are within the limit, and calls `on_result` with each result as
/// it comes. Returns the results in the order of the suites; those that were finished, if the
/// counter is cancelled.
pub fn run(
    suites: &[Suite],
    options: &Options,
    mut on_result: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let threads = options.counter.get_threads();
    let tasks = tasks(suites, options.max_nodes, threads);
    let counter = options.counter.clone().threads(NonZero::<usize>::MIN);
    let counter = counter.limit(Options::limit(options.max_nodes));
    let without_memory = counter.clone().memory(0);
    let work = |Task { suite, entry, board, depth, expected }: Task| {
        let is_large = expected >= Options::MIN_MEMORY_NODES;
        let counter = if is_large { &counter } else { &without_memory };
        match counter.count(&board, depth) {
            Err(CountError::Cancelled(_)) => None,
            got => Some(Outcome { suite, entry, depth, expected, got }),
        }
    };
    let mut outcomes: Vec<Outcome> = Vec::new();
    let threads = threads.min(NonZero::new(tasks.len()).unwrap_or(NonZero::<usize>::MIN));
    let cancel = counter.cancel_token();
    let Ok(()) = pool::run(threads, tasks.into_iter(), cancel, work, |outcome| {
        outcome.iter().for_each(&mut on_result);
        outcomes.extend(outcome);
        Ok::<(), std::convert::Infallible>(())
    });
    outcomes.sort_by_key(|outcome| (outcome.suite, outcome.entry, outcome.depth));
    outcomes
}

/// The counts within the limit, the smallest first, so that there is soon a result to report. On
/// several threads, the larger half comes with the largest first, so that all finish together.
fn tasks(suites: &[Suite], max_nodes: u128, threads: NonZero<usize>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (suite, entries) in suites.iter().enumerate() {
        for (entry, known) in entries.entries.iter().enumerate() {
            let board = *known.position.board();
            let within = known.counts.iter().filter(|&&(_, expected)| expected <= max_nodes);
            tasks.extend(within.map(|&(depth, expected)| Task {
                suite,
                entry,
                board,
                depth,
                expected,
            }));
        }
    }
    tasks.sort_by_key(|task| task.expected);
    if threads.get() > 1 {
        let half = tasks.len() / 2;
        tasks[half..].reverse();
    }
    tasks
}

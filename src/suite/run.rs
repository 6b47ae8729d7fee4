//! Running suites on all cores.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::Suite;
use crate::board::Board;
use crate::perft::{Depth, PerftError, Workers};
use crate::threads;

/// A count that is so many times as large as any that is expected is wrong, whatever it comes to.
const TOO_MANY: u128 = 10;

/// How to run suites.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Counts above this are left out.
    pub max_nodes: u128,
    /// What to count with: each thread counts a position of its own.
    pub workers: Workers<'a>,
}

impl Options<'_> {
    /// Low enough for our own suites to take a few seconds.
    pub const DEFAULT_MAX_NODES: u128 = 20_000_000;
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
    /// The count that we have; [`PerftError::Above`] if it is far larger than what is expected.
    pub got: Result<u128, PerftError>,
}

impl Outcome {
    /// Whether both counts agree.
    pub fn is_right(&self) -> bool {
        self.got == Ok(self.expected)
    }
}

struct Job {
    board: Board,
    outcome: Outcome,
}

/// Counts what is within the limit and calls `progress` with each result as it comes.
/// Returns all results in the order of the suites: those that were finished, if the workers are
/// told to stop.
pub fn run(
    suites: &[Suite],
    options: &Options<'_>,
    mut progress: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let mut jobs = jobs(suites, options.max_nodes);
    jobs.sort_by_key(|job| job.outcome.expected);
    let all = jobs.len();
    let jobs = Mutex::new(VecDeque::from(jobs));
    let workers = &options.workers;
    let started = AtomicUsize::new(0);
    let limit = TOO_MANY.saturating_mul(options.max_nodes.max(Options::DEFAULT_MAX_NODES));
    let (sender, receiver) = mpsc::channel();
    let mut outcomes: Vec<Outcome> = thread::scope(|scope| {
        threads::start(scope, workers.threads.get().min(all), || {
            let (sender, jobs) = (sender.clone(), &jobs);
            // The first thread takes the shortest, so that there is soon something to tell, and the
            // others the longest, so that all finish together.
            let is_first = started.fetch_add(1, Ordering::Relaxed) == 0;
            let next = move || {
                let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
                if is_first { jobs.pop_front() } else { jobs.pop_back() }
            };
            move || {
                while let Some(job) = next() {
                    let got = workers.count_up_to(&job.board, job.outcome.depth, limit);
                    if workers.stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // The receiver outlives the threads.
                    _ = sender.send(Outcome { got, ..job.outcome });
                }
            }
        });
        drop(sender);
        receiver.into_iter().inspect(|outcome| progress(outcome)).collect()
    });
    outcomes.sort_by_key(|outcome| (outcome.suite, outcome.entry, outcome.depth));
    outcomes
}

fn jobs(suites: &[Suite], max_nodes: u128) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (suite, entries) in suites.iter().enumerate() {
        for (entry, known) in entries.entries.iter().enumerate() {
            for &(depth, expected) in &known.counts {
                if expected <= max_nodes {
                    let outcome = Outcome { suite, entry, depth, expected, got: Ok(0) };
                    jobs.push(Job { board: known.board, outcome });
                }
            }
        }
    }
    jobs
}

//! Running suites on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::Suite;
use crate::board::Board;
use crate::perft::{Depth, Engine, PerftError, Table};
use crate::threads;

/// How to run suites.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Counts above this are left out.
    pub max_nodes: u128,
    /// How many positions are counted at once.
    pub threads: NonZero<usize>,
    /// What to count with.
    pub engine: Engine,
    /// A table that all counts share, if any.
    pub table: Option<&'a Table>,
}

impl Options<'_> {
    /// Low enough for our own suites to take a few seconds.
    pub const DEFAULT_MAX_NODES: u128 = 20_000_000;
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            max_nodes: Self::DEFAULT_MAX_NODES,
            threads: thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            engine: Engine::default(),
            table: None,
        }
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
    /// The count that we have.
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
/// Returns all results in the order of the suites.
pub fn run(
    suites: &[Suite],
    options: &Options<'_>,
    mut progress: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let mut jobs = jobs(suites, options.max_nodes);
    // The longest first, so that the cores finish together.
    jobs.sort_by_key(|job| std::cmp::Reverse(job.outcome.expected));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut outcomes: Vec<Outcome> = thread::scope(|scope| {
        threads::start(scope, options.threads.get().min(jobs.len()), || {
            let (sender, next, jobs) = (sender.clone(), &next, &jobs);
            move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (board, depth) = (&job.board, job.outcome.depth);
                    let got = match options.table {
                        Some(table) => options.engine.count_with(table, board, depth),
                        None => options.engine.count(board, depth),
                    };
                    // The receiver outlives the threads.
                    _ = sender.send(Outcome { got, ..job.outcome.clone() });
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

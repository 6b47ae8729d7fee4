//! Comparing the positions of suites.

use super::{CompareError, Diff, Finder};
use crate::suite::{Entry, Options, Suite};
use crate::uci::{Divider, Query};
use perft_core::board::Position;
use perft_core::types::CastlingMode;
use perft_core::{CountError, Depth, estimate};

/// Options of [`Finder::compare_suites`].
#[derive(Clone, Copy, Debug)]
pub struct SuiteOptions<E> {
    /// Expected counts above this are skipped.
    pub max_nodes: u128,
    /// Whether positions of Chess960 are compared.
    pub chess960: bool,
    /// Whether an error of the divider says that it does not know Chess960. Its positions are then
    /// skipped.
    pub lacks_chess960: fn(&E) -> bool,
}

/// The result of [`Finder::compare_suites`].
#[derive(Clone, Debug)]
pub struct SuitesResult<E> {
    /// One for each suite.
    pub tallies: Vec<SuiteTally>,
    /// The positions whose divides differ.
    pub mismatches: Vec<EntryMismatch>,
    /// The number of positions that were skipped because they are of Chess960.
    pub skipped_chess960: usize,
    /// Counts of the suites that cannot be right. Their positions are skipped.
    pub impossible: Vec<ImpossibleCount>,
    /// The error that ended the comparison early.
    pub error: Option<CompareError<E>>,
}

/// The comparison of one suite in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteTally {
    /// The name of the suite.
    pub name: String,
    /// Positions that were compared.
    pub compared: usize,
    /// Positions that were skipped.
    pub skipped: usize,
    /// Positions that were not reached before an error.
    pub unfinished: usize,
    /// The sum of our counts.
    pub nodes: u128,
    /// Positions whose divides differ.
    pub wrong: usize,
}

/// A position of a suite whose divides differ.
#[derive(Clone, Debug)]
pub struct EntryMismatch {
    /// The name of the suite.
    pub suite: String,
    /// The line of the position, from 1.
    pub line: usize,
    /// The position.
    pub position: Position,
    /// The depth, the greatest of the entry within the limit.
    pub depth: Depth,
    /// The difference.
    pub diff: Diff,
}

/// A count of a suite that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{suite}:{line}: depth {depth} has more than {limit} leaves, not {expected}")]
pub struct ImpossibleCount {
    /// The name of the suite.
    pub suite: String,
    /// The line of the position, from 1.
    pub line: usize,
    /// The depth.
    pub depth: Depth,
    /// The count of the suite.
    pub expected: u128,
    /// A limit that the count passes.
    pub limit: u128,
}

impl<E> SuitesResult<E> {
    /// Whether the divider is right about all positions. `None` if it is right about those that
    /// were compared before an error.
    pub fn is_equal(&self) -> Option<bool> {
        let is_finished = self.tallies.iter().all(|tally| tally.unfinished == 0);
        (is_finished || !self.mismatches.is_empty()).then_some(self.mismatches.is_empty())
    }
}

/// The outcome of one position.
enum Outcome<E> {
    Compared(Depth, Diff),
    Skipped,
    SkippedChess960,
    Impossible { depth: Depth, expected: u128, limit: u128 },
    Failed(CompareError<E>),
}

impl<D: Divider> Finder<D> {
    /// Compares each position of the suites at the greatest depth whose count is within the limit.
    /// `on_progress` is called before each position with its number, from 1, and the number of
    /// mismatches.
    pub fn compare_suites(
        &mut self,
        suites: &[Suite],
        options: &SuiteOptions<D::Error>,
        mut on_progress: impl FnMut(usize, usize),
    ) -> SuitesResult<D::Error> {
        let mut result = SuitesResult {
            tallies: Vec::new(),
            mismatches: Vec::new(),
            skipped_chess960: 0,
            impossible: Vec::new(),
            error: None,
        };
        let mut number = 0;
        for suite in suites {
            let mut tally = SuiteTally { name: suite.name.clone(), ..SuiteTally::default() };
            for entry in &suite.entries {
                number += 1;
                on_progress(number, result.mismatches.len());
                let (suite, line, position) = (suite.name.clone(), entry.line, entry.position);
                let deepest = deepest_count(entry, options.max_nodes);
                if deepest.is_some() && result.error.is_some() {
                    tally.unfinished += 1;
                    continue;
                }
                match self.compare_entry(&position, deepest, options) {
                    Outcome::Compared(depth, diff) => {
                        tally.compared += 1;
                        tally.nodes = tally.nodes.saturating_add(diff.ours);
                        if !diff.is_equal() {
                            tally.wrong += 1;
                            let mismatch = EntryMismatch { suite, line, position, depth, diff };
                            result.mismatches.push(mismatch);
                        }
                    }
                    Outcome::Skipped => tally.skipped += 1,
                    Outcome::SkippedChess960 => {
                        tally.skipped += 1;
                        result.skipped_chess960 += 1;
                    }
                    Outcome::Impossible { depth, expected, limit } => {
                        tally.skipped += 1;
                        let count = ImpossibleCount { suite, line, depth, expected, limit };
                        result.impossible.push(count);
                    }
                    Outcome::Failed(error) => {
                        tally.unfinished += 1;
                        result.error = Some(error);
                    }
                }
            }
            result.tallies.push(tally);
        }
        result
    }

    fn compare_entry(
        &mut self,
        position: &Position,
        deepest: Option<(Depth, u128)>,
        options: &SuiteOptions<D::Error>,
    ) -> Outcome<D::Error> {
        let Some((depth, expected)) = deepest else { return Outcome::Skipped };
        if position.castling_mode() == CastlingMode::Chess960 && !options.chess960 {
            return Outcome::SkippedChess960;
        }
        // A wrong depth would ask for a count without end.
        let limit = Options::limit(options.max_nodes);
        if estimate(position.board(), depth) > limit as f64
            && let Err(CountError::LimitExceeded(_)) =
                self.counter().clone().limit(limit).count(position.board(), depth)
        {
            return Outcome::Impossible { depth, expected, limit };
        }
        match self.diff(&Query { root: position, line: &[], depth }) {
            Ok(diff) => Outcome::Compared(depth, diff),
            Err(CompareError::Divider(error)) if (options.lacks_chess960)(&error) => {
                Outcome::SkippedChess960
            }
            Err(error) => Outcome::Failed(error),
        }
    }
}

/// The greatest depth of an entry, above 0, whose count is within the limit; and that count.
fn deepest_count(entry: &Entry, max_nodes: u128) -> Option<(Depth, u128)> {
    let counts = entry.counts.iter().copied();
    counts.filter(|&(depth, nodes)| depth > 0 && nodes <= max_nodes).max()
}

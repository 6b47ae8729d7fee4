//! Following a difference down to the position where a divider goes wrong.

use std::time::{Duration, Instant};

use super::evidence::Evidence;
use super::{Case, Diff, diff_output};
use crate::uci::{Divider, Query};
use perft_core::board::{Impossibility, Position};
use perft_core::sys::CancelToken;
use perft_core::{CountError, Counter, Depth};

/// The reason why two generators could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError<E> {
    /// The divider failed.
    #[error("{0}")]
    Divider(E),
    /// The moves belong to another position.
    #[error("its divide is for another position: the query was {fen}, it lists {moves}")]
    AnotherPosition {
        /// The position of the query.
        fen: String,
        /// Some of the moves.
        moves: String,
    },
    /// The number of this line is not a count.
    #[error("{0:?} is not a count (does its counter overflow?)")]
    NoCount(String),
    /// This line has a move that seems to be missing.
    #[error("{0:?} is not understood: it has a legal move and no count (lines such as `e2e4: 20`)")]
    NotUnderstood(String),
    /// Our own count failed.
    #[error(transparent)]
    Count(CountError),
    /// The divide is that of another depth.
    #[error("it is a divide of depth {actual}, not {depth}")]
    AnotherDepth {
        /// The depth at which it is right.
        actual: Depth,
        /// The depth that was expected.
        depth: Depth,
    },
    /// The comparison was cancelled.
    #[error("interrupted")]
    Cancelled,
    /// The deadline has passed.
    #[error("time is up")]
    OutOfTime,
}

impl<E> From<CountError> for CompareError<E> {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Cancelled(_) => Self::Cancelled,
            error => Self::Count(error),
        }
    }
}

/// The position where a divider goes wrong.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The position, as the root and the moves that the divider was given, and the depth of the
    /// last query: 1 where the lists of moves differ.
    pub case: Case,
    /// The difference there.
    pub diff: Diff,
    /// The number of moves that came with the first query; the other moves lead to the mismatch.
    pub given_moves: usize,
    /// The depth of the first query whose counts differ.
    pub first_depth: Depth,
    /// The difference of the first query.
    pub first_diff: Diff,
    /// Whether the divider is right if it is given the position itself and no moves: it then goes
    /// wrong in making moves. `None` if there are no moves, or the divider failed.
    pub right_without_moves: Option<bool>,
    /// The reason why no game reaches the root, if there is one: the divider need not be right
    /// about it.
    pub impossible: Option<Impossibility>,
    /// The error that ended the descent early.
    pub aborted: Option<String>,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All counts are equal; the one at the greatest depth.
    Equal(u128),
    /// Some count differs.
    Different(Box<Mismatch>),
}

impl Verdict {
    /// The mismatch, if there is one.
    pub fn mismatch(self) -> Option<Mismatch> {
        match self {
            Self::Equal(_) => None,
            Self::Different(mismatch) => Some(*mismatch),
        }
    }
}

/// The end of all work on a comparison: a cancel token and a deadline.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Cancels the work.
    pub cancel: CancelToken,
    /// The time at which the work ends.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// Whether to go on.
    ///
    /// # Errors
    /// [`CompareError::Cancelled`] or [`CompareError::OutOfTime`].
    pub fn check<E>(&self) -> Result<(), CompareError<E>> {
        match self.deadline {
            _ if self.cancel.is_cancelled() => Err(CompareError::Cancelled),
            Some(deadline) if Instant::now() >= deadline => Err(CompareError::OutOfTime),
            _ => Ok(()),
        }
    }
}

/// The work of a divider.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// The sum of its counts.
    pub nodes: u128,
    /// The time of its divides.
    pub time: Duration,
}

/// Compares a divider with our own counts.
#[derive(Debug)]
pub struct Finder<D> {
    divider: D,
    counter: Counter,
    pub(super) limits: Limits,
    pub(super) evidence: Evidence,
    usage: Usage,
}

impl<D: Divider> Finder<D> {
    /// A finder. The cancel token of the counter cancels comparisons too.
    pub fn new(divider: D, counter: Counter) -> Self {
        let limits = Limits { cancel: counter.cancel_token().clone(), deadline: None };
        Self { divider, counter, limits, evidence: Evidence::default(), usage: Usage::default() }
    }

    /// The counter of our own counts.
    pub fn counter(&self) -> &Counter {
        &self.counter
    }

    /// The divider.
    pub fn divider(&self) -> &D {
        &self.divider
    }

    /// Sets the time after which no query is made.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.limits.deadline = deadline;
    }

    /// The work of the divider since the last call.
    pub fn take_usage(&mut self) -> Usage {
        std::mem::take(&mut self.usage)
    }

    /// Compares at every depth from 1 to `depth`, and follows the first difference down. The
    /// mismatch is as few moves from the root as possible.
    ///
    /// # Errors
    /// If the divider fails, or its output is not a divide of the position.
    pub fn find(
        &mut self,
        root: &Position,
        depth: Depth,
    ) -> Result<Verdict, CompareError<D::Error>> {
        self.find_after(&Query { root, line: &[], depth }, |_, _| {})
    }

    /// [`Finder::find`] after the moves of a query, which the divider makes. `on_equal` is called
    /// with each depth that is equal, and its count.
    ///
    /// # Errors
    /// See [`Finder::find`].
    pub fn find_after(
        &mut self,
        query: &Query<'_>,
        mut on_equal: impl FnMut(Depth, u128),
    ) -> Result<Verdict, CompareError<D::Error>> {
        let mut nodes = 1;
        for depth in 1..=query.depth {
            let query = Query { depth, ..*query };
            let diff = self.diff(&query)?;
            if !diff.is_equal() {
                let (query, diff) = self.before_refused(&query, diff);
                return Ok(Verdict::Different(Box::new(self.descend(&query, diff))));
            }
            nodes = diff.ours;
            on_equal(depth, nodes);
            if nodes == 0 {
                break;
            }
        }
        Ok(Verdict::Equal(nodes))
    }

    /// Compares at one depth.
    ///
    /// # Errors
    /// See [`Finder::find`].
    pub fn diff(&mut self, query: &Query<'_>) -> Result<Diff, CompareError<D::Error>> {
        self.limits.check()?;
        let start = Instant::now();
        let output = self.divider.divide(query).map_err(CompareError::Divider)?;
        self.usage.time += start.elapsed();
        self.usage.nodes = self.usage.nodes.saturating_add(output.sum());
        let position = query.position();
        let compared = diff_output(&self.counter, &position, query.depth, &output);
        let ours = match &compared {
            Ok(diff) if !diff.is_equal() => diff.ours,
            Err(CompareError::AnotherPosition { .. }) => {
                self.counter.count(position.board(), query.depth)?
            }
            _ => return compared,
        };
        self.refused_move(query, &output, ours).map_or(compared, Ok)
    }

    pub(super) fn divider_mut(&mut self) -> &mut D {
        &mut self.divider
    }

    /// Whether the divider is wrong at the depth of the query.
    pub(super) fn differs(&mut self, query: &Query<'_>) -> Result<bool, CompareError<D::Error>> {
        Ok(!self.diff(query)?.is_equal())
    }

    /// Follows a difference to where the lists of moves differ, or as deep as it goes.
    pub(super) fn descend(&mut self, first: &Query<'_>, first_diff: Diff) -> Mismatch {
        let mut line = first.line.to_vec();
        let (mut depth, mut diff) = (first.depth, first_diff.clone());
        let mut aborted = None;
        'down: while diff.same_moves() && depth > 1 {
            let mut wrong = diff.counts.clone();
            // The smallest trees first.
            wrong.sort_by_key(|count| count.ours.max(count.theirs));
            for count in wrong {
                line.push(count.mv);
                match self.diff(&Query { root: first.root, line: &line, depth: depth - 1 }) {
                    Ok(Diff { refused: Some(refused), .. }) => {
                        line.pop();
                        aborted = Some(format!(
                            "its divide after {refused} is for another position: it lists \
                             {refused}, but does not play it"
                        ));
                        break 'down;
                    }
                    Ok(deeper) if !deeper.is_equal() => {
                        (diff, depth) = (deeper, depth - 1);
                        continue 'down;
                    }
                    Ok(_) => _ = line.pop(),
                    // The mismatch found so far is kept.
                    Err(error) => {
                        line.pop();
                        aborted = Some(error.to_string());
                        break 'down;
                    }
                }
            }
            // Every move is equal when it is queried alone.
            break;
        }
        let case = Case { root: *first.root, line, depth };
        let right_without_moves = if case.line.is_empty() || aborted.is_some() {
            None
        } else {
            let root = &case.query().position();
            self.differs(&Query { root, line: &[], depth }).ok().map(|differs| !differs)
        };
        Mismatch {
            impossible: case.root.impossibility(),
            case,
            diff,
            given_moves: first.line.len(),
            first_depth: first.depth,
            first_diff,
            right_without_moves,
            aborted,
        }
    }
}

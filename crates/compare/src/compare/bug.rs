//! A mismatch with its cause.

use super::{
    Case, Cause, CompareError, Diff, Limits, MAX_DIVIDE_NODES, Mismatch, depth_of_output,
    diff_output, explain_divide,
};
use crate::uci::DivideOutput;
use perft_core::board::Position;
use perft_core::{Counter, Depth};

/// A mismatch, the smallest one with the same cause, and the cause.
#[derive(Clone, Debug)]
pub struct Bug {
    /// The name of the stage that found it.
    pub stage: String,
    /// The position as it was found: a line of a suite, the number of a random position, a FEN.
    pub place: String,
    /// Further positions with the same cause.
    pub more: usize,
    /// The mismatch as it was found.
    pub found: Mismatch,
    /// The smallest mismatch, if it was looked for and found.
    pub smallest: Option<Mismatch>,
    /// The reason why there is no smallest mismatch, or a smaller one is possible.
    pub not_shrunk: Option<String>,
    /// The cause.
    pub cause: Option<Cause>,
    /// The reason why the cause was not looked for to the end. `None` without a cause: no known
    /// rule explains it.
    pub unexplained: Option<String>,
    /// A line for a suite; `None` if a count does not fit into 128 bits.
    pub epd: Option<String>,
    /// For a divide that cannot be queried again, the move whose divide to look at next.
    pub next: Option<String>,
}

impl Bug {
    /// A mismatch as it was found, without an explanation.
    pub(super) fn new(found: Mismatch) -> Self {
        Self {
            stage: String::new(),
            place: String::new(),
            more: 0,
            found,
            smallest: None,
            not_shrunk: None,
            cause: None,
            unexplained: None,
            epd: None,
            next: None,
        }
    }

    /// The same with its cause, or with the reason why that is not known.
    pub(super) fn explained(self, explained: Result<Option<Cause>, String>) -> Self {
        let (cause, unexplained) = match explained {
            Ok(cause) => (cause, None),
            Err(reason) => (None, Some(reason)),
        };
        let entry = self.mismatch().case.entry(cause.as_ref().map(Cause::name));
        Self { epd: entry.ok().map(|entry| entry.to_string()), cause, unexplained, ..self }
    }

    /// The smallest mismatch, or else the one that was found.
    pub fn mismatch(&self) -> &Mismatch {
        self.smallest.as_ref().unwrap_or(&self.found)
    }

    /// The name of the cause.
    pub fn title(&self) -> String {
        self.cause.as_ref().map_or_else(|| "no known rule".to_owned(), Cause::name)
    }
}

/// The comparison of a divide that cannot be queried again.
#[derive(Clone, Debug)]
pub struct CheckedOutput {
    /// The difference.
    pub diff: Diff,
    /// The bug, if there is a difference.
    pub bug: Option<Bug>,
}

/// Compares a divide output whose generator cannot be queried again, and explains the difference.
///
/// # Errors
/// If the output is not a divide of the position and the depth, or our own count fails.
pub fn check_output<E: std::fmt::Display>(
    counter: &Counter,
    deadline: Option<std::time::Instant>,
    position: &Position,
    depth: Depth,
    output: &DivideOutput,
) -> Result<CheckedOutput, CompareError<E>> {
    let limits = Limits { cancel: counter.cancel_token().clone(), deadline };
    let diff = diff_output(counter, position, depth, output)?;
    if diff.is_equal() {
        return Ok(CheckedOutput { diff, bug: None });
    }
    if let Some(actual) = depth_of_output(counter, position.board(), depth, output, &diff)? {
        return Err(CompareError::AnotherDepth { actual, depth });
    }
    let is_large = diff.ours.max(diff.theirs) > MAX_DIVIDE_NODES;
    let explained = match explain_divide::<E>(&limits, position, depth, &diff) {
        Err(CompareError::Cancelled) => return Err(CompareError::Cancelled),
        Ok(None) if diff.same_moves() && is_large => {
            Err("the tree is too large to try the rules; give a smaller depth".to_owned())
        }
        explained => explained.map_err(|error| error.to_string()),
    };
    // The smallest tree among those whose counts differ.
    let smallest = diff.counts.iter().min_by_key(|count| count.ours.max(count.theirs));
    let next = smallest.filter(|_| diff.same_moves() && depth > 1).map(|count| count.uci.clone());
    let found = Mismatch {
        case: Case { root: *position, line: Vec::new(), depth },
        diff: diff.clone(),
        given_moves: 0,
        first_depth: depth,
        first_diff: diff.clone(),
        right_without_moves: None,
        impossible: position.impossibility(),
        aborted: None,
    };
    let bug = Bug { next, place: position.to_string(), ..Bug::new(found) };
    Ok(CheckedOutput { diff, bug: Some(bug.explained(explained)) })
}

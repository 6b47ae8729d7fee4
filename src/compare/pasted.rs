//! Comparing a divide output whose generator cannot be queried again.

use super::{CompareError, Diff};
use crate::board::{Board, Position};
use crate::perft::{CountError, Counter, Depth};
use crate::uci::DivideOutput;

/// Compares a divide output with our own divide.
///
/// # Errors
/// If the output is not a divide of the position, or our own count fails.
pub fn diff_output<E>(
    counter: &Counter,
    position: &Position,
    depth: Depth,
    output: &DivideOutput,
) -> Result<Diff, CompareError<E>> {
    if let Some(line) = &output.unreadable {
        return Err(CompareError::NoCount(line.clone()));
    }
    if output.is_for_another(position.board()) {
        let moves: Vec<&str> = output.moves.iter().map(|(text, _)| text.as_str()).take(5).collect();
        let (fen, moves) = (position.to_string(), moves.join(" "));
        return Err(CompareError::AnotherPosition { fen, moves });
    }
    let ours = counter.divide(position.board(), depth)?;
    Ok(Diff::new(position.board(), &ours, output))
}

/// The depth at which a divide output is right, if it is not the `depth` at which it differs by
/// `diff`. Only a depth that makes all counts differ is looked for: each smaller one, or the next
/// greater one.
///
/// # Errors
/// If our own count fails.
pub fn depth_of_output(
    counter: &Counter,
    board: &Board,
    depth: Depth,
    output: &DivideOutput,
    diff: &Diff,
) -> Result<Option<Depth>, CountError> {
    /// Greater counts take too long to make for this.
    const MAX_NODES: u128 = 10_000_000_000;
    if !diff.same_moves() || diff.counts.len() != board.legal_moves().len() {
        return Ok(None);
    }
    let deeper = depth.saturating_add(1);
    let candidates: Vec<Depth> = if diff.theirs < diff.ours {
        (1..depth).rev().collect()
    } else if diff.theirs < MAX_NODES
        && counter.clone().limit(diff.theirs).count(board, deeper) == Ok(diff.theirs)
    {
        vec![deeper]
    } else {
        Vec::new()
    };
    for candidate in candidates {
        let ours = counter.divide(board, candidate)?;
        if Diff::new(board, &ours, output).is_equal() {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

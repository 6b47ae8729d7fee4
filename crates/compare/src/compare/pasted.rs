//! Comparing a divide output whose generator cannot be queried again.

use super::{CompareError, Diff};
use crate::uci::{DivideOutput, squares_of};
use perft_core::board::{Board, Position};
use perft_core::{CountError, Counter, Depth};

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
    let diff = Diff::new(position.board(), &ours, output);
    match not_understood(position.board(), &diff, output) {
        Some(line) => Err(CompareError::NotUnderstood(line)),
        None => Ok(diff),
    }
}

/// A line by which a move that seems to be missing may be there.
fn not_understood(board: &Board, diff: &Diff, output: &DivideOutput) -> Option<String> {
    diff.missing.iter().find_map(|uci| {
        if let Some(line) = output.line_about(board, uci) {
            return Some(line.to_owned());
        }
        // A listed move that may be any of several legal ones.
        let to = uci.get(2..4)?;
        let piece = board.piece_on(uci.get(..2)?.parse().ok()?)?.letter().to_ascii_uppercase();
        let is_about = |text: &&String| {
            text.starts_with(piece) && text.contains(to) && squares_of(board, text).is_none()
        };
        diff.extra.iter().find(is_about).cloned()
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::Transcript;

    type Compared = Result<Diff, CompareError<std::convert::Infallible>>;

    fn compare(fen: &str, lines: &str) -> Compared {
        let position: Position = fen.parse().unwrap();
        let mut transcript = Transcript::of_depth(1);
        lines.lines().for_each(|line| _ = transcript.push(line));
        diff_output(&Counter::new(), &position, 1, &transcript.output())
    }

    #[test]
    fn every_notation_is_the_same_divide() {
        let fen = "1r2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6 0 1";
        let position: Position = fen.parse().unwrap();
        let board = position.board();
        let moves = board.legal_moves();
        let spellings: [fn(&Board, perft_core::types::Move) -> String; 4] = [
            |board, mv| board.uci(mv),
            |board, mv| board.san(mv),
            |board, mv| format!("{} ({})", board.uci(mv), board.san(mv)),
            |board, mv| {
                let letter = mv.piece().letter().to_ascii_uppercase();
                let uci = board.uci(mv);
                format!("{letter}{}-{}", &uci[..2], &uci[2..].replace('q', "(Q)"))
            },
        ];
        for spelling in spellings {
            let lines: Vec<String> =
                moves.iter().map(|&mv| format!("{}: 1\n", spelling(board, mv))).collect();
            let diff = compare(fen, &lines.concat()).unwrap();
            assert!(diff.is_equal(), "{lines:?} {diff:?}");
        }
        // An illegal move is named by its squares.
        let lines: String = moves.iter().map(|&mv| format!("{} 1\n", board.san(mv))).collect();
        let diff = compare(fen, &(lines + "Kb5 1\n")).unwrap();
        assert_eq!((diff.extra, diff.missing), (vec!["e1b5".to_owned()], Vec::new()));
    }

    /// No move is called missing if a line about it was not understood.
    #[test]
    fn a_line_that_is_not_understood_is_quoted() {
        let fen = "7k/8/8/8/8/8/8/K7 w - - 0 1";
        let others = "a1a2: 1\na1b2: 1\n";
        for line in ["a1b1 : one", "king a1b1: 1", "Kb1 many", "a1b1"] {
            let error = compare(fen, &format!("{others}{line}")).unwrap_err();
            assert_eq!(error, CompareError::NotUnderstood(line.to_owned()));
        }
        for line in ["", "bestmove a1b1", "a1c1 : one"] {
            let diff = compare(fen, &format!("{others}{line}")).unwrap();
            assert_eq!(diff.missing, ["a1b1"], "{line}");
        }
        // Two knights can go to d2.
        let two = "7k/8/8/8/8/5N2/8/KN6 w - - 0 1";
        let error = compare(two, "Ka2: 1\nKb2: 1\nNa3: 1\nNc3: 1\nNd2: 1\nNd2: 1").unwrap_err();
        assert_eq!(error, CompareError::NotUnderstood("Nd2".to_owned()));
    }
}

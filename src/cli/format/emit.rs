//! Mismatches as tests to paste, in the languages of engines.

use std::collections::BTreeMap;

use perft_compare::{Case, Diff};
use perft_core::{CastlingMode, Depth, Move, perft};

use crate::cli::args::Language;

/// The longest list of moves in a comment.
const MAX_MOVES: usize = 10;

/// The smallest case of a mismatch: a count that the engine gets wrong.
pub struct Reproduction {
    /// The rule that is broken, if it is known: `castle-rook-captured`.
    name: Option<String>,
    /// Lines for the reader.
    remarks: Vec<String>,
    fen: String,
    moves: Vec<String>,
    depth: Depth,
    nodes: u128,
    /// A line for a suite.
    epd: Option<String>,
}

impl Reproduction {
    /// `cause` is its name and a sentence.
    pub fn new(
        case: &Case,
        diff: &Diff,
        cause: Option<(String, String)>,
        epd: Option<String>,
    ) -> Self {
        let mode = case.root.castling_mode();
        let mut remarks = match &cause {
            Some((name, text)) => vec![format!("{name}: {text}")],
            None => vec!["No known rule explains this mismatch.".to_owned()],
        };
        if mode == CastlingMode::Chess960 {
            remarks.push("Chess960: castling is written as king-takes-rook.".to_owned());
        }
        for (word, list) in
            [("Missing", &diff.missing), ("Extra", &diff.extra), ("Twice", &diff.repeated)]
        {
            if !list.is_empty() && list.len() <= MAX_MOVES {
                remarks.push(format!("{word}: {}", list.join(" ")));
            }
        }
        let uci = |mv: &Move| mv.uci(mode);
        let mut reproduction = Self {
            name: cause.map(|(name, _)| name),
            remarks,
            fen: case.root.to_string(),
            moves: case.line.iter().map(uci).collect(),
            depth: case.depth,
            nodes: diff.ours,
            epd,
        };
        // Totals can be equal by chance, such as with one move too few and another too many. The
        // count behind one of the moves is then the test.
        if diff.ours == diff.theirs {
            let board = *case.query().position().board();
            let wrong = diff.missing.first().or(diff.counts.first().map(|count| &count.uci));
            let wrong = wrong.and_then(|text| Some((text, board.parse_uci(text).ok()?)));
            if let Some((text, mv)) = wrong {
                let mut after = board;
                after.make(mv);
                let depth = case.depth.saturating_sub(1).max(1);
                if let Ok(nodes) = perft(&after, depth) {
                    reproduction.moves.push(text.clone());
                    (reproduction.depth, reproduction.nodes) = (depth, nodes);
                }
            }
        }
        reproduction
    }

    /// The name of the test: `castle_rook_captured`.
    fn function(&self, number: usize) -> String {
        let name = self.name.as_deref().unwrap_or("perft_mismatch").replace('-', "_");
        if number == 1 { name } else { format!("{name}_{number}") }
    }
}

/// The tests, one below the other.
pub fn tests(cases: &[&Reproduction], language: Language) -> String {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: Vec<String> = Vec::new();
    for case in cases {
        if language == Language::Epd {
            texts.extend(case.epd.as_ref().map(|epd| format!("{epd}\n")));
            continue;
        }
        let number = names.entry(case.function(1)).or_default();
        *number += 1;
        let name = case.function(*number);
        let test = match language {
            Language::Epd | Language::Rust => rust(case, &name),
            Language::Cpp => cpp(case, &name),
            Language::Python => python(case, &name),
        };
        texts.push(test);
    }
    texts.join(if language == Language::Epd { "" } else { "\n" })
}

/// The remarks as comments.
fn comments(case: &Reproduction, start: &str) -> String {
    case.remarks.iter().map(|remark| format!("{start} {remark}\n")).collect()
}

/// The moves as the elements of a list.
fn quoted(moves: &[String]) -> String {
    moves.iter().map(|mv| format!("\"{mv}\"")).collect::<Vec<_>>().join(", ")
}

fn rust(case: &Reproduction, name: &str) -> String {
    let Reproduction { fen, moves, depth, nodes, .. } = case;
    let (comments, moves) = (comments(case, "//"), quoted(moves));
    format!(
        "{comments}#[test]
fn {name}() {{
    // Yours: fn perft(fen: &str, moves: &[&str], depth: u32) -> u64
    assert_eq!(perft(\"{fen}\", &[{moves}], {depth}), {nodes});
}}
"
    )
}

fn cpp(case: &Reproduction, name: &str) -> String {
    let Reproduction { fen, moves, depth, nodes, .. } = case;
    let (comments, moves) = (comments(case, "//"), quoted(moves));
    format!(
        "{comments}void test_{name}() {{
    // Yours: uint64_t perft(const std::string& fen, const std::vector<std::string>& moves, int depth);
    assert(perft(\"{fen}\", {{{moves}}}, {depth}) == {nodes});
}}
"
    )
}

fn python(case: &Reproduction, name: &str) -> String {
    let Reproduction { fen, moves, depth, nodes, .. } = case;
    let (comments, moves) = (comments(case, "#"), quoted(moves));
    format!(
        "{comments}def test_{name}():
    # Yours: def perft(fen: str, moves: list[str], depth: int) -> int
    assert perft(\"{fen}\", [{moves}], {depth}) == {nodes}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use perft_compare::uci::DivideOutput;
    use perft_core::{Board, Counter, Position};

    /// A king that may go to c1 in place of b1.
    #[test]
    fn equal_totals_are_tested_behind_a_move() {
        let board: Board = "k7/8/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
        let case = Case { root: Position::from(board), line: Vec::new(), depth: 1 };
        let ours = Counter::new().divide(&board, 1).unwrap();
        let theirs = ["a1a2", "a1b2", "a1c1"].map(|text| (text.to_owned(), 1));
        let diff = Diff::new(&board, &ours, &DivideOutput::new(theirs));
        assert_eq!(diff.ours, diff.theirs);
        let test = tests(&[&Reproduction::new(&case, &diff, None, None)], Language::Python);
        let expected = "\
# No known rule explains this mismatch.
# Missing: a1b1
# Extra: a1c1
def test_perft_mismatch():
    # Yours: def perft(fen: str, moves: list[str], depth: int) -> int
    assert perft(\"k7/8/8/8/8/8/8/K7 w - - 0 1\", [\"a1b1\"], 1) == 3
";
        assert_eq!(test, expected);
    }
}

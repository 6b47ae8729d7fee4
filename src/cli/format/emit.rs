//! Mismatches as tests to paste, in the languages of engines.

use perft_compare::{Bug, Cause, Mismatch};
use perft_core::{CastlingMode, Depth, perft};

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
    pub fn new(bug: &Bug) -> Self {
        let Mismatch { case, diff, .. } = bug.mismatch();
        let mut remarks = match &bug.cause {
            Some(cause) => vec![format!("{}: {}", cause.name(), cause.text())],
            None => vec!["No known rule explains this mismatch.".to_owned()],
        };
        if case.root.castling_mode() == CastlingMode::Chess960 {
            remarks.push("Chess960: castling is written as king-takes-rook.".to_owned());
        }
        for (word, list) in
            [("Missing", &diff.missing), ("Extra", &diff.extra), ("Twice", &diff.repeated)]
        {
            if !list.is_empty() && list.len() <= MAX_MOVES {
                remarks.push(format!("{word}: {}", list.join(" ")));
            }
        }
        let mut reproduction = Self {
            name: bug.cause.as_ref().map(Cause::name),
            remarks,
            fen: case.root.to_string(),
            moves: case.uci_moves(),
            depth: case.depth,
            nodes: diff.ours,
            epd: bug.epd.clone(),
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
    fn function(&self) -> String {
        self.name.as_deref().unwrap_or("perft_mismatch").replace('-', "_")
    }
}

/// The tests, one below the other, each of another rule.
pub fn tests(cases: &[&Reproduction], language: Language) -> String {
    let test = |case: &Reproduction| match language {
        Language::Epd => case.epd.as_ref().map_or(String::new(), |epd| format!("{epd}\n")),
        Language::Rust => rust(case),
        Language::Cpp => cpp(case),
        Language::Python => python(case),
    };
    let texts: Vec<String> = cases.iter().map(|case| test(case)).collect();
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

fn rust(case: &Reproduction) -> String {
    let Reproduction { fen, moves, depth, nodes, .. } = case;
    let name = case.function();
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

fn cpp(case: &Reproduction) -> String {
    let Reproduction { fen, moves, depth, nodes, .. } = case;
    let name = case.function();
    let (comments, moves) = (comments(case, "//"), quoted(moves));
    format!(
        "{comments}void test_{name}() {{
    // Yours: uint64_t perft(const std::string& fen, const std::vector<std::string>& moves, int depth);
    assert(perft(\"{fen}\", {{{moves}}}, {depth}) == {nodes});
}}
"
    )
}

fn python(case: &Reproduction) -> String {
    let Reproduction { fen, moves, depth, nodes, .. } = case;
    let name = case.function();
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
    use perft_compare::check_output;
    use perft_compare::uci::DivideOutput;
    use perft_core::{Counter, Position};

    /// A king that may go to c1 in place of b1.
    #[test]
    fn equal_totals_are_tested_behind_a_move() {
        let position: Position = "k7/8/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
        let theirs = DivideOutput::new(["a1a2", "a1b2", "a1c1"].map(|text| (text.to_owned(), 1)));
        let checked =
            check_output::<std::convert::Infallible>(&Counter::new(), None, &position, 1, &theirs);
        let bug = checked.unwrap().bug.expect("a difference");
        assert_eq!(bug.found.diff.ours, bug.found.diff.theirs);
        let test = tests(&[&Reproduction::new(&bug)], Language::Python);
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

//! The results of comparisons. The names of JSON keys are a contract with scripts.

use std::fmt;

use perft::compare::{self, Diff, Explanation, Mismatch};
use perft::rules::Rule;
use perft::uci::Query;
use perft::{Bitboard, Depth, Move, Position, Square};
use serde::{Serialize, Serializer};

use super::super::output;
use super::{EngineFinder, is_cancelled};

/// One position without a difference.
#[derive(Serialize)]
pub struct EqualReport {
    equal: bool,
    fen: String,
    moves_before: Vec<String>,
    depth: Depth,
    nodes: u128,
}

impl EqualReport {
    pub fn new(query: &Query<'_>, nodes: u128) -> Self {
        Self {
            equal: true,
            fen: query.root.to_string(),
            moves_before: uci_moves(query.root, query.line),
            depth: query.depth,
            nodes,
        }
    }
}

impl fmt::Display for EqualReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Equal to depth {}: {} nodes", self.depth, self.nodes)
    }
}

/// One position that is equal up to the depth at which the comparison was interrupted. It has no
/// text: a note says the same.
#[derive(Serialize)]
pub struct InterruptedReport {
    equal: Option<bool>,
    fen: String,
    moves_before: Vec<String>,
    depth: Depth,
    interrupted: bool,
}

impl InterruptedReport {
    /// `query.depth` is the greatest depth that is equal.
    pub fn new(query: &Query<'_>) -> Self {
        Self {
            equal: None,
            fen: query.root.to_string(),
            moves_before: uci_moves(query.root, query.line),
            depth: query.depth,
            interrupted: true,
        }
    }
}

impl fmt::Display for InterruptedReport {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// A mismatch and its cause.
#[derive(Serialize)]
pub struct MismatchReport {
    equal: bool,
    fen: String,
    moves_before: Vec<String>,
    depth: Depth,
    nodes: u128,
    their_nodes: u128,
    moves: Vec<String>,
    #[serde(rename = "fault")]
    at: MismatchPosition,
    #[serde(rename = "rule")]
    cause: Cause,
    #[serde(rename = "broken_off")]
    aborted: Option<String>,
    #[serde(skip)]
    totals: String,
    #[serde(skip)]
    pub is_interrupted: bool,
}

/// The position of a mismatch.
#[derive(Serialize)]
struct MismatchPosition {
    fen: String,
    depth: Depth,
    right_without_moves: Option<bool>,
    #[serde(flatten)]
    difference: Difference,
}

impl MismatchReport {
    /// Looks for the cause. If the engine fails, the mismatch is reported without it.
    pub fn explained(finder: &mut EngineFinder, mismatch: Mismatch) -> Self {
        let is_interrupted = finder.counter().cancel_token().is_cancelled();
        if let Some(reason) = mismatch.aborted.clone() {
            return Self::new(mismatch, Cause::NotFound(reason), is_interrupted);
        }
        match finder.explain(&mismatch) {
            Ok(Some(cause)) => Self::new(mismatch, Cause::from(cause), false),
            Ok(None) if mismatch.diff.same_moves() => {
                let reason =
                    "the moves are right, and the tree is too large or no rule gives its counts";
                Self::new(mismatch, Cause::NotFound(reason.to_owned()), false)
            }
            Ok(None) => Self::new(mismatch, Cause::NoRule, false),
            Err(error) if is_cancelled(&error) => Self::interrupted(mismatch),
            Err(error) => Self::new(mismatch, Cause::NotFound(error.to_string()), false),
        }
    }

    /// Interrupted before the cause is found.
    pub fn interrupted(mismatch: Mismatch) -> Self {
        Self::new(mismatch, Cause::NotFound("interrupted".to_owned()), true)
    }

    fn new(mismatch: Mismatch, cause: Cause, is_interrupted: bool) -> Self {
        let Mismatch { case, diff, given_moves, first_depth, first_diff, .. } = mismatch;
        let position = case.query().position();
        let moves = uci_moves(&case.root, &case.line);
        Self {
            equal: false,
            fen: case.root.to_string(),
            moves_before: moves[..given_moves].to_vec(),
            depth: first_depth,
            nodes: first_diff.ours,
            their_nodes: first_diff.theirs,
            moves,
            at: MismatchPosition {
                fen: position.to_string(),
                depth: case.depth,
                right_without_moves: mismatch.right_without_moves,
                difference: Difference { position, diff },
            },
            cause,
            aborted: mismatch.aborted,
            totals: totals(&first_diff),
            is_interrupted,
        }
    }

    /// The rule that is broken, if it is known.
    pub fn rule(&self) -> Option<Rule> {
        match &self.cause {
            Cause::Rule(explanation) => Some(explanation.rule()),
            Cause::NoRule | Cause::NotFound(_) => None,
        }
    }
}

impl fmt::Display for MismatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Different at depth {}", self.depth)?;
        if !self.moves_before.is_empty() {
            write!(f, " after {}", self.moves_before.join(" "))?;
        }
        writeln!(f, ": {}", self.totals)?;
        if !self.moves.is_empty() {
            writeln!(f, "From: {}\nMoves: {}", self.fen, self.moves.join(" "))?;
        }
        let at = &self.at;
        write!(f, "FEN: {}\n{}", at.fen, at.difference)?;
        let diff = &at.difference.diff;
        if diff.only_total_differs() {
            return f.write_str(NOT_THE_SUM);
        }
        if diff.same_moves() && self.aborted.is_none() {
            match at.depth {
                1 => writeln!(f, "The moves are the same, but their counts at depth 1 are not 1.")?,
                depth => writeln!(
                    f,
                    "The moves are the same, and so is each count if it is asked for alone: \
                     at depth {depth} the engine adds up wrongly, or remembers wrongly."
                )?,
            }
        }
        write!(f, "{}", self.cause)?;
        if at.right_without_moves == Some(true) {
            f.write_str(
                "Given this FEN without the moves, the engine is right: the bug is in making \
                 moves, not in generating them.\n",
            )?;
        }
        Ok(())
    }
}

/// The text for a divide in which only the total is wrong.
pub const NOT_THE_SUM: &str = "The total is not the sum of the lines.\n";

/// Both totals, and the sum of their lines where their total is another number.
pub fn totals(diff: &Diff) -> String {
    let Diff { ours, theirs, .. } = diff;
    let sum = diff.their_sum();
    let remark = if sum == *theirs || diff.only_total_differs() {
        String::new()
    } else {
        format!(" (where the moves add up to {sum})")
    };
    format!("{ours} here, {theirs} there{remark}")
}

/// The difference at a position: moves and counts, and a drawing.
pub struct Difference {
    pub position: Position,
    pub diff: Diff,
}

/// Without totals, which reports have at other places.
impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            missing: &'a [String],
            extra: &'a [String],
            repeated: &'a [String],
            counts: Vec<Count<'a>>,
        }
        #[derive(Serialize)]
        struct Count<'a> {
            r#move: &'a str,
            nodes: u128,
            their_nodes: u128,
        }
        let Diff { missing, extra, repeated, counts, .. } = &self.diff;
        let counts = counts.iter().map(|count| Count {
            r#move: &count.uci,
            nodes: count.ours,
            their_nodes: count.theirs,
        });
        Fields { missing, extra, repeated, counts: counts.collect() }.serialize(serializer)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diff = &self.diff;
        for (name, moves) in [
            ("Missing", &diff.missing),
            ("Extra", &diff.extra),
            ("Listed more than once", &diff.repeated),
        ] {
            if !moves.is_empty() {
                writeln!(f, "{name}: {}", moves.join(" "))?;
            }
        }
        for (castling, step) in &diff.castling_as_step {
            writeln!(
                f,
                "{step} comes twice: the engine reads the castling right as Chess960 and writes \
                 {castling} as {step} (its option UCI_Chess960 is off)"
            )?;
        }
        // Where the lists of moves differ, counts say little.
        if diff.same_moves() {
            for count in &diff.counts {
                writeln!(f, "{}: {} here, {} there", count.uci, count.ours, count.theirs)?;
            }
        }
        if diff.only_total_differs() {
            writeln!(
                f,
                "Total: {} here, {} there, although each move's count is the same",
                diff.ours, diff.theirs
            )?;
        }
        writeln!(f, "\n{}", self.drawing())
    }
}

impl Difference {
    /// The board, with marks on the squares of the wrong moves.
    fn drawing(&self) -> String {
        let Diff { missing, extra, repeated, counts, .. } = &self.diff;
        let lists = missing.iter().chain(extra).chain(repeated);
        let wrong: Vec<&String> = lists.chain(counts.iter().map(|count| &count.uci)).collect();
        let squares = |range: std::ops::Range<usize>| -> Bitboard {
            wrong.iter().filter_map(|mv| mv.get(range.clone())?.parse::<Square>().ok()).collect()
        };
        let (from, to) = (squares(0..2), squares(2..4));
        let mut text = output::drawing(self.position.board(), |square| {
            match (from.contains(square), to.contains(square)) {
                (true, _) => Some(['[', ']']),
                (false, true) => Some(['(', ')']),
                (false, false) => None,
            }
        });
        if !from.is_empty() {
            text += "\n[ ] where the wrong moves start, ( ) where they end\n";
        }
        text
    }
}

/// The cause of a mismatch.
pub enum Cause {
    Rule(Explanation),
    /// No rule explains it.
    NoRule,
    /// The cause was not found, for this reason.
    NotFound(String),
}

impl From<compare::Cause> for Cause {
    fn from(cause: compare::Cause) -> Self {
        match cause {
            compare::Cause::Rule(explanation) => Self::Rule(explanation),
            _ => Self::NoRule,
        }
    }
}

/// The rule, or null.
impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            name: &'a str,
            text: &'a str,
            exact: bool,
            others: Vec<&'a str>,
        }
        let Self::Rule(explanation) = self else { return serializer.serialize_none() };
        let rule = explanation.rule();
        let fields = Fields {
            name: rule.name(),
            text: rule.text(),
            exact: explanation.is_exact,
            others: explanation.others().iter().map(|rule| rule.name()).collect(),
        };
        fields.serialize(serializer)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanation = match self {
            Self::Rule(explanation) => explanation,
            Self::NoRule => {
                return writeln!(f, "Rule: no single known rule explains it.");
            }
            Self::NotFound(reason) => return writeln!(f, "Rule: not determined: {reason}."),
        };
        let rule = explanation.rule();
        writeln!(f, "Rule: {rule}. {}", rule.text())?;
        f.write_str(if explanation.is_exact {
            "With this rule switched off, our generator makes exactly the same mistake.\n"
        } else {
            "With this rule switched off, our generator makes some of these mistakes and no \
             others.\n"
        })?;
        if !explanation.others().is_empty() {
            let others: Vec<&str> = explanation.others().iter().map(|rule| rule.name()).collect();
            writeln!(f, "Other rules that fit equally well: {}.", others.join(", "))?;
        }
        Ok(())
    }
}

/// Moves in UCI notation, in the castling mode of the position.
pub fn uci_moves(root: &Position, line: &[Move]) -> Vec<String> {
    line.iter().map(|mv| mv.uci(root.castling_mode())).collect()
}

//! The results of comparisons. The names of JSON keys are a contract with scripts.

use std::fmt;

use perft_compare::uci::Query;
use perft_compare::{Diff, Mismatch};
use perft_core::{Bitboard, CastlingMode, Depth, Move, Position, Square};
use serde::{Serialize, Serializer};

use super::super::format::{Outcome, Report, Reproduction, TestCase};
use super::super::output;
use super::COMMAND;
use super::cause::Cause;
use super::engine::{EngineFinder, is_cancelled};

/// One position without a difference.
#[derive(Serialize)]
pub struct PositionReport {
    /// Unknown if the comparison was interrupted.
    equal: Option<bool>,
    fen: String,
    moves_before: Vec<String>,
    /// The greatest depth that is equal.
    depth: Depth,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u128>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
}

impl PositionReport {
    pub fn equal(query: &Query<'_>, nodes: u128) -> Self {
        let nodes = Some(nodes);
        Self { equal: Some(true), nodes, interrupted: false, ..Self::interrupted(query) }
    }

    /// Equal to the depth of the query.
    pub fn interrupted(query: &Query<'_>) -> Self {
        Self {
            equal: None,
            fen: query.root.to_string(),
            moves_before: uci_moves(query.root, query.line),
            depth: query.depth,
            nodes: None,
            interrupted: true,
        }
    }
}

impl fmt::Display for PositionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nodes {
            Some(nodes) => writeln!(f, "Equal to depth {}: {nodes} nodes", self.depth),
            // A note says that it was interrupted.
            None => Ok(()),
        }
    }
}

impl Report for PositionReport {
    fn cases(&self) -> Vec<TestCase> {
        let outcome = match self.nodes {
            Some(_) => Outcome::Passed(self.to_string()),
            None => Outcome::Error(format!("interrupted: equal to depth {}", self.depth)),
        };
        vec![TestCase::new(COMMAND, &self.fen, outcome)]
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
    #[serde(flatten)]
    cause: Cause,
    /// The reason why no game reaches the position.
    impossible: Option<String>,
    #[serde(rename = "broken_off")]
    aborted: Option<String>,
    /// A line for a suite; `None` if a count does not fit into 128 bits.
    pub epd: Option<String>,
    #[serde(skip)]
    reproduction: Reproduction,
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
        let name_and_text = cause.name_and_text();
        let title = name_and_text.as_ref().map(|(name, _)| name.clone());
        let epd = case.entry(title).ok().map(|entry| entry.to_string());
        Self {
            reproduction: Reproduction::new(&case, &diff, name_and_text, epd.clone()),
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
            impossible: mismatch.impossible.map(|reason| reason.to_string()),
            aborted: mismatch.aborted,
            epd,
            totals: totals(&first_diff),
            is_interrupted,
        }
    }

    /// The name of the cause.
    pub fn title(&self) -> String {
        self.cause.title()
    }

    pub fn reproduction(&self) -> &Reproduction {
        &self.reproduction
    }

    /// The arguments of `perft compare` that show it again.
    pub fn as_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.at.difference.position.castling_mode() == CastlingMode::Chess960 {
            arguments.push("--chess960".to_owned());
        }
        if !self.moves_before.is_empty() {
            arguments.extend(["--moves".to_owned(), self.moves_before.join(" ")]);
        }
        arguments.extend([self.fen.clone(), self.depth.to_string()]);
        arguments
    }

    /// The mismatch as CI shows it.
    pub fn outcome(&self) -> Outcome {
        let epd = self.epd.as_deref().unwrap_or_default();
        Outcome::Failed(self.title(), format!("{self}\n{epd}\n"))
    }
}

impl Report for MismatchReport {
    fn cases(&self) -> Vec<TestCase> {
        vec![TestCase::new(COMMAND, &self.fen, self.outcome())]
    }

    fn reproductions(&self) -> Vec<&Reproduction> {
        vec![&self.reproduction]
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
        if let Some(remark) = diff.total_remark() {
            return writeln!(f, "{remark}");
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
        if let Some(reason) = &self.impossible {
            writeln!(
                f,
                "No game reaches this position: {reason}. An engine need not be right about it."
            )?;
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

/// Both totals, and the sum of their lines where their total is another number.
pub fn totals(diff: &Diff) -> String {
    let Diff { ours, theirs, .. } = diff;
    let sum = diff.their_sum();
    let is_sum = sum == *theirs || diff.refused.is_some();
    let remark = if is_sum || diff.only_total_differs() {
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
            #[serde(skip_serializing_if = "Option::is_none")]
            refused: Option<&'a str>,
        }
        #[derive(Serialize)]
        struct Count<'a> {
            r#move: &'a str,
            nodes: u128,
            their_nodes: u128,
        }
        let Diff { missing, extra, repeated, counts, refused, .. } = &self.diff;
        let refused = refused.as_deref();
        let counts = counts.iter().map(|count| Count {
            r#move: &count.uci,
            nodes: count.ours,
            their_nodes: count.theirs,
        });
        Fields { missing, extra, repeated, counts: counts.collect(), refused }.serialize(serializer)
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
        // Where the lists of moves differ, counts say little.
        if diff.same_moves() {
            for count in &diff.counts {
                writeln!(f, "{}: {} here, {} there", count.uci, count.ours, count.theirs)?;
            }
        }
        diff.remarks().iter().try_for_each(|remark| writeln!(f, "{remark}"))?;
        if diff.only_total_differs() && !diff.only_totals {
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

/// Moves in UCI notation, in the castling mode of the position.
pub fn uci_moves(root: &Position, line: &[Move]) -> Vec<String> {
    line.iter().map(|mv| mv.uci(root.castling_mode())).collect()
}

//! `perft compare --stdin`: a divide on standard input, compared with ours.

use std::convert::Infallible;
use std::fmt;
use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use perft_compare::uci::{DivideOutput, Transcript};
use perft_compare::{
    Case, CompareError, Diff, MAX_DIVIDE_NODES, depth_of_output, diff_output, explain_divide,
};
use perft_core::{Counter, Depth, Position};
use serde::Serialize;

use super::super::DIFFERENT;
use super::super::args::CompareArgs;
use super::super::format::{Outcome, Output, Report, Reproduction, TestCase};
use super::super::position::{Start, start_and_depth};
use super::COMMAND;
use super::cause::Cause;
use super::engine::interrupted;
use super::report::{Difference, totals, uci_moves};
use crate::command_line::CommandLine;

/// The most that is read of standard input, in bytes.
const MAX_INPUT: u64 = 1 << 20;

/// Compares the divide with ours.
pub fn compare(args: &CompareArgs, output: &Output) -> Result<ExitCode> {
    if args.tokens.first().is_some_and(|token| token == "-") {
        bail!("standard input is the divide with --stdin; give the position as an argument");
    }
    let (start, depth) = start_and_depth(&args.tokens, &args.position, args.output.quiet)?;
    let position = start.end();
    let theirs = read_divide(&position, depth)?;
    let counter = args.counting.counter(0)?;
    let (diff, actual_depth) = match diff(&counter, &position, depth, &theirs) {
        Ok(compared) => compared,
        Err(CompareError::Cancelled) => return Ok(interrupted()),
        Err(CompareError::AnotherPosition { fen, moves }) => {
            bail!("standard input is for another position than {fen}: {moves}")
        }
        Err(error @ (CompareError::NoCount(_) | CompareError::NotUnderstood(_))) => {
            bail!("standard input: {error}")
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(actual) = actual_depth {
        bail!("standard input is a divide of depth {actual}, not {depth}");
    }
    let is_equal = diff.is_equal();
    let report = PastedReport {
        equal: is_equal,
        fen: position.to_string(),
        depth,
        nodes: diff.ours,
        difference: (!is_equal).then(|| PastedDifference::new(args, &start, depth, diff)),
    };
    output.print(&report)?;
    Ok(if is_equal { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// The difference, and the depth at which there is none if it is another one.
fn diff(
    counter: &Counter,
    position: &Position,
    depth: Depth,
    output: &DivideOutput,
) -> Result<(Diff, Option<Depth>), CompareError<Infallible>> {
    let diff = diff_output(counter, position, depth, output)?;
    let actual_depth = match diff.is_equal() {
        true => None,
        false => depth_of_output(counter, position.board(), depth, output, &diff)?,
    };
    Ok((diff, actual_depth))
}

/// Reads standard input.
fn read_divide(position: &Position, depth: Depth) -> Result<DivideOutput> {
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(MAX_INPUT + 1);
    input.read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.len() as u64 > MAX_INPUT {
        bail!("standard input is longer than {MAX_INPUT} bytes; give one divide");
    }
    let mut transcript = Transcript::of_depth(depth);
    for line in String::from_utf8_lossy(&bytes).lines() {
        transcript.push(line);
    }
    let has_moves = depth > 0 && position.board().count_legal_moves() > 0;
    if transcript.is_empty() || (transcript.move_count() == 0 && has_moves) {
        let found = if transcript.is_empty() { "no lines" } else { "a total, but no lines" };
        let quoted = transcript.not_understood().map(|line| format!("; {line:?} is not one"));
        bail!(
            "standard input has {found} such as `e2e4: 20` (go perft N or perft divide print \
             them){}",
            quoted.unwrap_or_default()
        );
    }
    Ok(transcript.output())
}

/// The comparison of a divide on standard input.
#[derive(Serialize)]
struct PastedReport {
    equal: bool,
    fen: String,
    depth: Depth,
    nodes: u128,
    #[serde(flatten)]
    difference: Option<PastedDifference>,
}

#[derive(Serialize)]
struct PastedDifference {
    their_nodes: u128,
    #[serde(flatten)]
    difference: Difference,
    #[serde(flatten)]
    cause: Cause,
    /// The command for one ply deeper.
    next: Option<String>,
    #[serde(skip)]
    reproduction: Reproduction,
}

impl PastedDifference {
    fn new(args: &CompareArgs, start: &Start, depth: Depth, diff: Diff) -> Self {
        let position = start.end();
        let is_large = diff.ours.max(diff.theirs) > MAX_DIVIDE_NODES;
        let cause = match explain_divide(&position, depth, &diff) {
            Some(cause) => Cause::from(cause),
            None if diff.same_moves() && is_large => Cause::NotFound(
                "the tree is too large to try the rules; give a smaller depth".to_owned(),
            ),
            None => Cause::NoRule,
        };
        let case = Case { root: position, line: Vec::new(), depth };
        let name_and_text = cause.name_and_text();
        let title = name_and_text.as_ref().map(|(name, _)| name.clone());
        let epd = case.entry(title).ok().map(|entry| entry.to_string());
        Self {
            reproduction: Reproduction::new(&case, &diff, name_and_text, epd),
            their_nodes: diff.theirs,
            cause,
            next: next_command(args, start, depth, &diff),
            difference: Difference { position, diff },
        }
    }
}

/// The command for the move with the smallest tree among those whose counts differ.
fn next_command(args: &CompareArgs, start: &Start, depth: Depth, diff: &Diff) -> Option<String> {
    if !diff.same_moves() || depth <= 1 {
        return None;
    }
    let smallest = diff.counts.iter().min_by_key(|count| count.ours.max(count.theirs))?;
    let mut moves = uci_moves(&start.root, &start.line);
    moves.push(smallest.uci.clone());
    let (_, position) = args.tokens.split_last()?;
    let mut position = position.join(" ");
    // `--moves` does not go with a position that has moves of its own.
    if position.contains(" moves") {
        position = start.root.to_string();
    }
    let command = CommandLine::new(["compare", "--stdin"]);
    let after = (depth - 1).to_string();
    Some(command.position(&position, &after, start.root.castling_mode(), &moves).to_string())
}

impl Report for PastedReport {
    fn cases(&self) -> Vec<TestCase> {
        let text = self.to_string();
        let outcome = match &self.difference {
            Some(difference) => Outcome::Failed(difference.cause.title(), text),
            None => Outcome::Passed(text),
        };
        vec![TestCase::new(COMMAND, &self.fen, outcome)]
    }

    fn reproductions(&self) -> Vec<&Reproduction> {
        self.difference.iter().map(|difference| &difference.reproduction).collect()
    }
}

impl fmt::Display for PastedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fen, depth, nodes, .. } = self;
        let Some(PastedDifference { difference, cause, next, .. }) = &self.difference else {
            return writeln!(f, "Equal at depth {depth}: {nodes} nodes");
        };
        let diff = &difference.diff;
        write!(f, "Different at depth {depth}: {}\nFEN: {fen}\n{difference}", totals(diff))?;
        match cause {
            _ if diff.only_total_differs() => {
                writeln!(f, "{}", diff.total_remark().unwrap_or_default())?;
            }
            // The mistake is deeper: the rule shows where the lists of moves differ.
            Cause::NoRule if next.is_some() => {}
            cause => write!(f, "{cause}")?,
        }
        match next {
            Some(next) => writeln!(f, "Next, with the divide of that position: {next}"),
            None => Ok(()),
        }
    }
}

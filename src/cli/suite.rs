//! `perft suite`: counts compared with known ones.

use std::fmt;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use perft_compare::Suite;
use perft_compare::suite::{Entry, Options, Outcome, run};
use perft_core::{CountError, Depth};
use serde::Serialize;

use super::args::SuiteArgs;
use super::columns::Columns;
use super::format::{Outcome as CaseOutcome, Output, Report, TestCase};
use super::output::{self, ProgressLine, SetupReport, grouped, timing, visible};
use super::suite_files::{SuiteFiles, other_variant};
use super::{DIFFERENT, interrupted};
use crate::command_line::CommandLine;

/// The memory for the layers of a large count. Those that need more are made in passes.
const POSITION_BYTES: usize = 32 << 20;

/// Runs the suites and prints the results.
pub fn suite(args: &SuiteArgs) -> Result<ExitCode> {
    let output = Output::new(&args.output, None)?;
    let files = SuiteFiles::open(&args.files, args.strict)?;
    if let Some(format) = args.write {
        files.write(format)?;
        return Ok(files.finish(args, ExitCode::SUCCESS));
    }
    if !output.quiet {
        files.warn_of_impossible();
    }
    let suites = &files.suites;
    let counter = args.counting.counter_of_threads(POSITION_BYTES)?;
    let options = Options { max_nodes: args.max_nodes, counter };

    let mut progress = ProgressLine::new(output.quiet);
    let within = || suites.iter().flat_map(counts).filter(|&nodes| nodes <= args.max_nodes);
    let (all, total) = (within().count(), within().fold(0_u128, u128::saturating_add));
    let start = Instant::now();
    let mut done = 0_u128;
    let outcomes = run(suites, &options, |outcome| {
        done = done.saturating_add(outcome.expected);
        progress.show(|| bar(done, total));
    });
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();

    // A run can end before the signal that would interrupt it.
    let is_interrupted = outcomes.len() < all;
    let is_wrong = outcomes.iter().any(|outcome| !outcome.is_right());
    let right = (is_wrong || (!is_interrupted && all > 0)).then_some(!is_wrong);
    let report = SuitesReport::new(args, &files, &options, &outcomes, right, seconds);
    let is_read = output.print(&report)?;
    if is_read && output.is_text() && !output.quiet {
        output::note(format_args!("{}", timing(report.nodes, "nodes", seconds)));
    }
    if all == 0 && !output.quiet {
        let limit = grouped(args.max_nodes);
        output::note(format_args!(
            "perft: nothing was counted: every count is above --max-nodes {limit}"
        ));
    }
    if is_interrupted {
        let done = outcomes.len();
        return Ok(interrupted(format_args!("{done} of {all} counts are finished")));
    }
    for suite in report.suites.iter().zip(suites).filter(|(report, _)| report.is_doubtful()) {
        if let Some(variant) = other_variant(suite.1) {
            let name = &suite.1.name;
            output::note(format_args!(
                "perft: {name}: by its name a suite of {variant}; perft counts chess and Chess960"
            ));
        }
    }
    let code = if is_wrong { ExitCode::from(DIFFERENT) } else { ExitCode::SUCCESS };
    Ok(files.finish(args, code))
}

fn counts(suite: &Suite) -> impl Iterator<Item = u128> {
    suite.entries.iter().flat_map(|entry| entry.counts.iter().map(|&(_, nodes)| nodes))
}

fn bar(done: u128, total: u128) -> String {
    const WIDTH: usize = 40;
    let share = done as f64 / total.max(1) as f64;
    let filled = ((share * WIDTH as f64) as usize).min(WIDTH);
    let bar: String = (0..WIDTH).map(|index| if index < filled { '#' } else { '.' }).collect();
    format!("[{bar}] {:3.0} %, {} nodes", share * 100.0, grouped(done))
}

/// The results of all suites.
#[derive(Serialize)]
struct SuitesReport<'a> {
    suites: Vec<SuiteReport<'a>>,
    /// Unknown if no count is wrong and some are unfinished, or none was made.
    right: Option<bool>,
    nodes: u128,
    seconds: f64,
    #[serde(flatten)]
    setup: SetupReport,
}

/// The results of one suite.
#[derive(Serialize)]
struct SuiteReport<'a> {
    name: &'a str,
    positions: usize,
    counts: usize,
    /// Counts above the limit.
    skipped: usize,
    /// Counts that were interrupted, or not begun.
    unfinished: usize,
    nodes: u128,
    failures: Vec<Failure<'a>>,
    /// Lines that cannot be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bad_lines: Vec<BadLine>,
    /// With `--verbose`, a line for each position.
    #[serde(skip)]
    lines: Vec<String>,
}

/// A line that cannot be used.
#[derive(Serialize)]
struct BadLine {
    line: usize,
    error: String,
}

/// A wrong count.
#[derive(Serialize)]
struct Failure<'a> {
    line: usize,
    fen: String,
    depth: Depth,
    expected: u128,
    got: Option<u128>,
    /// The limit at which the count was given up.
    got_more_than: Option<u128>,
    /// The command that investigates it.
    next: String,
    #[serde(skip)]
    title: Option<&'a str>,
    #[serde(skip)]
    got_text: String,
}

impl<'a> SuitesReport<'a> {
    fn new(
        args: &SuiteArgs,
        files: &'a SuiteFiles,
        options: &Options,
        outcomes: &[Outcome],
        right: Option<bool>,
        seconds: f64,
    ) -> Self {
        let suites: Vec<_> = files
            .suites
            .iter()
            .enumerate()
            .map(|(index, suite)| {
                let outcomes: Vec<_> =
                    outcomes.iter().filter(|outcome| outcome.suite == index).collect();
                let report = SuiteReport::new(suite, &outcomes, args.max_nodes, args.verbose);
                let bad_lines = files.bad_lines[index].iter();
                let bad_lines = bad_lines
                    .map(|error| BadLine { line: error.line, error: error.kind.to_string() });
                SuiteReport { bad_lines: bad_lines.collect(), ..report }
            })
            .collect();
        let nodes = suites.iter().map(|suite| suite.nodes).fold(0, u128::saturating_add);
        let asked = args.counting.machine.asked_bytes();
        let setup = SetupReport::with_memory(&options.counter, asked.unwrap_or(0));
        Self { suites, right, nodes, seconds, setup }
    }
}

impl Report for SuitesReport<'_> {
    /// For each suite, its wrong counts and the rest.
    fn cases(&self) -> Vec<TestCase> {
        let mut cases = Vec::new();
        for suite in &self.suites {
            for failure in &suite.failures {
                let Failure { line, depth, .. } = failure;
                let title = format!("expected {}, got {}", failure.expected, failure.got_text);
                let text = format!("{}:{failure}", suite.name);
                let name = format!("{}:{line}: depth {depth}", suite.name);
                let outcome = CaseOutcome::Failed(title, text);
                cases.push(TestCase::new(suite.name, name, outcome).at_line(suite.name, *line));
            }
            let right = suite.counts - suite.failures.len();
            let outcome = match suite {
                SuiteReport { unfinished: 1.., .. } => {
                    CaseOutcome::Error(format!("interrupted: {} unfinished", suite.unfinished))
                }
                SuiteReport { counts: 0, skipped, .. } => {
                    CaseOutcome::Skipped(format!("{skipped} counts above --max-nodes"))
                }
                _ => CaseOutcome::Passed(format!("{right} counts, {} nodes", grouped(suite.nodes))),
            };
            cases.push(TestCase::new(suite.name, "other counts", outcome));
        }
        if let Some(first) = cases.first_mut() {
            first.seconds = self.seconds;
        }
        cases
    }
}

impl<'a> SuiteReport<'a> {
    /// `outcomes` are those of this suite, in the order of its positions.
    fn new(suite: &'a Suite, outcomes: &[&Outcome], max_nodes: u128, verbose: bool) -> Self {
        let skipped = counts(suite).filter(|&nodes| nodes > max_nodes).count();
        let wrong = outcomes.iter().filter(|outcome| !outcome.is_right());
        let nodes = outcomes.iter().filter_map(|outcome| outcome.got.as_ref().ok());
        Self {
            name: &suite.name,
            positions: suite.entries.len(),
            counts: outcomes.len(),
            skipped,
            unfinished: counts(suite).count() - skipped - outcomes.len(),
            nodes: nodes.fold(0, |sum, &nodes| sum.saturating_add(nodes)),
            failures: wrong
                .map(|outcome| Failure::new(&suite.entries[outcome.entry], outcome))
                .collect(),
            bad_lines: Vec::new(),
            lines: if verbose { lines(suite, outcomes, max_nodes) } else { Vec::new() },
        }
    }

    /// Whether something in it is wrong.
    fn is_doubtful(&self) -> bool {
        !self.failures.is_empty() || !self.bad_lines.is_empty()
    }
}

impl<'a> Failure<'a> {
    fn new(entry: &'a Entry, outcome: &Outcome) -> Self {
        let &Outcome { depth, expected, .. } = outcome;
        let fen = entry.position.to_string();
        let mode = entry.position.castling_mode();
        let next = CommandLine::new(["divide"]).position(&fen, &depth.to_string(), mode, &[]);
        let (got, got_more_than, got_text) = match &outcome.got {
            &Ok(nodes) => (Some(nodes), None, nodes.to_string()),
            &Err(CountError::LimitExceeded(limit)) => {
                (None, Some(limit), format!("more than {limit}"))
            }
            Err(CountError::Overflow) => (None, None, "more than 2^128".to_owned()),
            Err(error) => (None, None, format!("no count: {error}")),
        };
        Self {
            line: entry.line,
            depth,
            expected,
            got,
            got_more_than,
            next: next.to_string(),
            fen,
            title: entry.title.as_deref(),
            got_text,
        }
    }
}

/// A line for each position: its deepest count, and the result.
fn lines(suite: &Suite, outcomes: &[&Outcome], max_nodes: u128) -> Vec<String> {
    let mut rest = outcomes;
    let entries = suite.entries.iter().enumerate();
    let line = |(index, entry): (usize, &Entry)| {
        let end = rest.iter().position(|outcome| outcome.entry != index).unwrap_or(rest.len());
        let outcomes;
        (outcomes, rest) = rest.split_at(end);
        let result = match outcomes.last() {
            None if entry.counts.iter().any(|&(_, nodes)| nodes <= max_nodes) => {
                "unfinished".to_owned()
            }
            None => "skipped".to_owned(),
            Some(_) if outcomes.iter().any(|outcome| !outcome.is_right()) => "WRONG".to_owned(),
            Some(last) => format!("ok to depth {}, {}", last.depth, grouped(last.expected)),
        };
        format!("{}:{}: {}: {result}", suite.name, entry.line, entry.position)
    };
    entries.map(line).collect()
}

impl fmt::Display for SuitesReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for SuiteReport { name, failures, lines, .. } in &self.suites {
            for line in lines {
                writeln!(f, "{line}")?;
            }
            for failure in failures {
                write!(f, "{name}:{failure}")?;
            }
        }
        let mut table = Columns::new("<>>>><");
        table.row(&[&"suite", &"positions", &"counts", &"skipped", &"nodes", &"result"]);
        for suite in &self.suites {
            let SuiteReport { name, positions, counts, skipped, unfinished, .. } = suite;
            let wrong = suite.failures.len();
            let result = output::result_of_suite(["ok", "WRONG"], *counts, wrong, *unfinished);
            table.row(&[name, positions, counts, skipped, &grouped(suite.nodes), &result]);
        }
        table.fmt(f)
    }
}

/// The lines of a failure, without the name of the suite.
impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, fen, depth, expected, next, title, got_text, .. } = self;
        writeln!(f, "{line}: depth {depth}: expected {expected}, got {got_text}\n  {fen}")?;
        if let Some(title) = title {
            writeln!(f, "  # {}", visible(title))?;
        }
        writeln!(f, "  next: {next}")
    }
}

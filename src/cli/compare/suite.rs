//! `perft compare --suite`: the positions of suites.

use std::fmt;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use perft_compare::Suite;
use perft_compare::uci::{CHESS960_OPTION, EngineError, EngineSettings};
use perft_compare::{CompareError, EntryMismatch, SuiteOptions, SuiteTally, Verdict};
use perft_core::Depth;
use serde::Serialize;

use super::super::args::{CompareArgs, Protocol};
use super::super::format::{Outcome, Output, Report, Reproduction, TestCase};
use super::super::output::{self, ProgressLine, grouped};
use super::super::{DIFFERENT, fail};
use super::engine::{EngineFinder, describe, interrupted, is_cancelled};
use super::report::{MismatchReport, totals};

/// Compares all positions, and explains the first that differ.
pub fn compare(
    args: &CompareArgs,
    suites: &[Suite],
    settings: &EngineSettings,
    finder: &mut EngineFinder,
    output: &Output,
) -> Result<ExitCode> {
    let start = Instant::now();
    let options = SuiteOptions {
        max_nodes: args.max_nodes,
        // A script cannot be queried for its options.
        chess960: args.engine.protocol == Protocol::Uci || args.position.chess960,
        lacks_chess960: EngineError::lacks_chess960,
    };
    let all: usize = suites.iter().map(|suite| suite.entries.len()).sum();
    let mut progress = ProgressLine::new(output.quiet);
    let result = finder.compare_suites(suites, &options, |number, wrong| {
        progress.show(|| format!("{number} of {all} positions, {wrong} wrong"));
    });
    drop(progress);

    let equal = result.is_equal();
    let skipped_chess960 = result.skipped_chess960;
    let impossible: Vec<String> = result.impossible.iter().map(ToString::to_string).collect();
    let impossible = (!impossible.is_empty()).then(|| impossible.join("; "));
    let mut error = result.error;
    if result.tallies.iter().all(|tally| tally.compared == 0) {
        if let Some(error) = error {
            return Err(error.into());
        }
        if let Some(impossible) = impossible {
            bail!(impossible);
        }
        if skipped_chess960 == 0 {
            bail!("nothing to compare: no count is within --max-nodes {}", args.max_nodes);
        }
    }
    if skipped_chess960 > 0 {
        let reason = match args.engine.protocol {
            Protocol::Uci => format!("the engine has no option {CHESS960_OPTION}"),
            Protocol::Script => "--chess960 says that the script knows it".to_owned(),
        };
        output::note(format_args!(
            "perft: {skipped_chess960} positions of Chess960 are skipped: {reason}"
        ));
    }

    let mut failures = Vec::new();
    for (number, mismatch) in result.mismatches.iter().enumerate() {
        let mut failure = FailureReport::new(mismatch);
        if number < args.failures && error.is_none() {
            match finder.find(&mismatch.position, mismatch.depth).map(Verdict::mismatch) {
                Ok(Some(found)) => {
                    let report = MismatchReport::explained(finder, found);
                    error = report.is_interrupted.then_some(CompareError::Cancelled);
                    failure.found = Some(report);
                }
                Ok(None) => {}
                Err(failed) => error = Some(failed),
            }
        }
        failures.push(failure);
    }
    let is_wrong = !failures.is_empty();
    let suites = result.tallies.into_iter().map(SuiteRow::from).collect();
    let failed = error.is_some();
    let is_interrupted = error.as_ref().is_some_and(is_cancelled);
    let error = error.map(|error| describe(&error, settings)).or(impossible);
    let seconds = start.elapsed().as_secs_f64();
    let report = ComparedSuites { equal, suites, failures, error, seconds };
    output.print(&report)?;
    Ok(match report.error {
        _ if is_interrupted => interrupted(),
        Some(error) if !is_wrong || failed => fail(&error),
        error => {
            if let Some(error) = error {
                output::note(format_args!("perft: {error}"));
            }
            if is_wrong { ExitCode::from(DIFFERENT) } else { ExitCode::SUCCESS }
        }
    })
}

/// The comparison of all suites.
#[derive(Serialize)]
struct ComparedSuites {
    /// Unknown if the comparison ended early without a difference.
    equal: Option<bool>,
    suites: Vec<SuiteRow>,
    failures: Vec<FailureReport>,
    /// The error that ended the comparison early, or a count that cannot be right.
    #[serde(skip)]
    error: Option<String>,
    #[serde(skip)]
    seconds: f64,
}

impl Report for ComparedSuites {
    /// For each suite, its failures and the rest.
    fn cases(&self) -> Vec<TestCase> {
        let mut cases = Vec::new();
        for row in &self.suites {
            let failures = self.failures.iter().filter(|failure| failure.suite == row.name);
            cases.extend(failures.map(FailureReport::case));
            let SuiteRow { positions, skipped, unfinished, wrong, nodes, .. } = row;
            let figures = format!("{} positions, {} nodes", positions - wrong, grouped(*nodes));
            let outcome = match &self.error {
                Some(error) if *unfinished > 0 => Outcome::Error(error.clone()),
                _ if *positions == 0 => Outcome::Skipped(format!("{skipped} positions")),
                _ => Outcome::Passed(figures),
            };
            cases.push(TestCase::new(&row.name, "other positions", outcome));
        }
        if let Some(first) = cases.first_mut() {
            first.seconds = self.seconds;
        }
        cases
    }

    fn reproductions(&self) -> Vec<&Reproduction> {
        let found = self.failures.iter().filter_map(|failure| failure.found.as_ref());
        found.map(MismatchReport::reproduction).collect()
    }
}

/// The comparison of one suite.
#[derive(Serialize)]
struct SuiteRow {
    name: String,
    positions: usize,
    skipped: usize,
    unfinished: usize,
    nodes: u128,
    wrong: usize,
}

impl From<SuiteTally> for SuiteRow {
    fn from(tally: SuiteTally) -> Self {
        let SuiteTally { name, compared: positions, skipped, unfinished, nodes, wrong } = tally;
        Self { name, positions, skipped, unfinished, nodes, wrong }
    }
}

impl fmt::Display for ComparedSuites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            write!(f, "{failure}")?;
        }
        let widths = self.suites.iter().map(|row| row.name.chars().count());
        let width = widths.chain(["suite".len()]).max().unwrap_or_default();
        writeln!(
            f,
            "{:width$}  {:>9}  {:>7}  {:>16}  result",
            "suite", "positions", "skipped", "nodes"
        )?;
        for row in &self.suites {
            let SuiteRow { name, positions, skipped, unfinished, nodes, wrong } = row;
            let words = ["equal", "DIFFERENT"];
            let result = output::result_of_suite(words, *positions, *wrong, *unfinished);
            let nodes = grouped(*nodes);
            writeln!(f, "{name:width$}  {positions:>9}  {skipped:>7}  {nodes:>16}  {result}")?;
        }
        Ok(())
    }
}

/// A position that differs.
#[derive(Serialize)]
struct FailureReport {
    suite: String,
    line: usize,
    fen: String,
    depth: Depth,
    nodes: u128,
    their_nodes: u128,
    /// For the first failures only.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<MismatchReport>,
    #[serde(skip)]
    totals: String,
}

impl FailureReport {
    fn new(mismatch: &EntryMismatch) -> Self {
        Self {
            suite: mismatch.suite.clone(),
            line: mismatch.line,
            fen: mismatch.position.to_string(),
            depth: mismatch.depth,
            nodes: mismatch.diff.ours,
            their_nodes: mismatch.diff.theirs,
            found: None,
            totals: totals(&mismatch.diff),
        }
    }
}

impl FailureReport {
    fn case(&self) -> TestCase {
        let outcome = match &self.found {
            Some(found) => found.outcome(),
            None => Outcome::Failed(self.totals.clone(), format!("{self}{}\n", self.fen)),
        };
        TestCase::new(&self.suite, format!("{}:{}", self.suite, self.line), outcome)
            .at_line(self.line)
    }
}

impl fmt::Display for FailureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}: depth {}: {}", self.suite, self.line, self.depth, self.totals)?;
        match &self.found {
            Some(found) => writeln!(f, "{found}"),
            None => Ok(()),
        }
    }
}

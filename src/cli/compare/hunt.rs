//! `perft compare --hunt`: random positions until one differs, reduced to the pieces that matter.

use std::fmt;
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use perft_compare::{Coverage, Hunt, Mismatch};
use perft_core::Depth;
use serde::Serialize;

use super::super::args::CompareArgs;
use super::super::format::{Outcome, Output, Report, Reproduction, TestCase};
use super::super::output::{self, ProgressLine, grouped};
use super::engine::{EngineFinder, interrupted, is_cancelled};
use super::report::MismatchReport;
use super::{COMMAND, exit_code};

/// Hunts, shrinks and explains.
pub fn compare(args: &CompareArgs, finder: &mut EngineFinder, output: &Output) -> Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(seed_from_clock);
    let start = Instant::now();
    let mut progress = ProgressLine::new(output.quiet);
    let mut positions = 0;
    let mut hunt = Hunt::new(seed, args.position.castling_mode());
    let hunted = finder.hunt(&mut hunt, |number| {
        let time = start.elapsed();
        progress.show(|| format!("{} positions, {} s", grouped(number.into()), time.as_secs()));
        let goes_on = args.seconds.is_none_or(|limit| time < limit);
        positions = if goes_on { number } else { number - 1 };
        goes_on
    });
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    // Interrupting is the way to end a hunt without a limit. The last position is not compared.
    let is_interrupted = hunted.as_ref().is_err_and(is_cancelled);
    if is_interrupted {
        positions = positions.saturating_sub(1);
    }
    let hunted = if is_interrupted { Ok(None) } else { hunted };
    let place = || format!("position {positions} of the hunt with seed {seed}");
    let found = hunted.with_context(place)?;
    let coverage = CoverageReport::from(hunt.coverage());
    let Some(mismatch) = found else {
        let interrupted = is_interrupted;
        let report =
            NoMismatchReport { equal: true, positions, seed, seconds, interrupted, coverage };
        if output.print(&report)? && output.is_text() && !output.quiet {
            output::note(format_args!("covered: {}", report.coverage));
        }
        return Ok(if is_interrupted { self::interrupted() } else { ExitCode::SUCCESS });
    };
    if !output.quiet {
        output::note(format_args!(
            "different after {positions} positions and {seconds:.1} s (seed {seed}); shrinking"
        ));
    }
    let (mismatch, not_shrunk) = investigate(finder, mismatch);
    let report = HuntReport { mismatch, seed, positions, not_shrunk, coverage };
    output.print(&report)?;
    Ok(exit_code(&report.mismatch))
}

pub fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or_default()
}

/// The smallest mismatch and its cause; and, if it is not the smallest, the reason.
pub fn investigate(
    finder: &mut EngineFinder,
    mismatch: Mismatch,
) -> (MismatchReport, Option<String>) {
    let shrunk = finder.shrink(&mismatch);
    let is_interrupted = shrunk.as_ref().is_err_and(is_cancelled);
    let (mismatch, not_shrunk) = match shrunk {
        Ok(Some(smallest)) => (smallest, None),
        Ok(None) => (mismatch, Some("The engine did not give the same answer again.".to_owned())),
        Err(_) if is_interrupted => {
            (mismatch, Some("Interrupted: it is not made smaller.".to_owned()))
        }
        Err(error) => (mismatch, Some(format!("It could not be made smaller: {error}."))),
    };
    let report = match is_interrupted {
        true => MismatchReport::interrupted(mismatch),
        false => MismatchReport::explained(finder, mismatch),
    };
    (report, not_shrunk)
}

/// The positions, depths, nodes and rules of a hunt.
#[derive(Serialize)]
pub struct CoverageReport {
    positions: u64,
    nodes: u128,
    depths: Vec<DepthRow>,
    rules: Vec<RuleRow>,
}

#[derive(Serialize)]
struct DepthRow {
    depth: Depth,
    positions: u64,
}

/// The positions that exercise a rule.
#[derive(Serialize)]
struct RuleRow {
    name: &'static str,
    positions: u64,
}

impl From<&Coverage> for CoverageReport {
    fn from(coverage: &Coverage) -> Self {
        let Coverage { positions, nodes, depths, rules } = coverage;
        let depths = depths.iter().map(|(&depth, &positions)| DepthRow { depth, positions });
        let rules = rules.iter().map(|(rule, &positions)| RuleRow { name: rule.name(), positions });
        let (depths, rules) = (depths.collect(), rules.collect());
        Self { positions: *positions, nodes: *nodes, depths, rules }
    }
}

impl fmt::Display for CoverageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The most rules that are listed.
        const MAX_NAMES: usize = 8;
        let missing = self.rules.iter().filter(|rule| rule.positions == 0);
        let missing: Vec<&str> = missing.map(|rule| rule.name).collect();
        let (all, nodes) = (self.rules.len(), grouped(self.nodes));
        if let (Some(least), Some(greatest)) = (self.depths.first(), self.depths.last()) {
            write!(f, "depths {} to {}, ", least.depth, greatest.depth)?;
        }
        write!(f, "{nodes} nodes, {} of {all} rules", all - missing.len())?;
        match missing.len() {
            0 => Ok(()),
            1..=MAX_NAMES => write!(f, "; not {}", missing.join(", ")),
            _ => write!(f, "; not {} and others", missing[..MAX_NAMES].join(", ")),
        }
    }
}

/// A hunt without a mismatch.
#[derive(Serialize)]
struct NoMismatchReport {
    equal: bool,
    positions: u64,
    seed: u64,
    seconds: f64,
    interrupted: bool,
    coverage: CoverageReport,
}

impl fmt::Display for NoMismatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, seed, .. } = self;
        writeln!(f, "No difference in {positions} positions (seed {seed})")
    }
}

impl Report for NoMismatchReport {
    fn cases(&self) -> Vec<TestCase> {
        let outcome = match self.interrupted {
            true => Outcome::Error(format!("interrupted: {self}")),
            false => Outcome::Passed(format!("{self}covered: {}", self.coverage)),
        };
        vec![TestCase { seconds: self.seconds, ..hunt_case(self.seed, outcome) }]
    }
}

/// A hunt as CI shows it.
fn hunt_case(seed: u64, outcome: Outcome) -> TestCase {
    TestCase::new(COMMAND, format!("hunt, seed {seed}"), outcome)
}

/// A mismatch that a hunt found.
#[derive(Serialize)]
struct HuntReport {
    #[serde(flatten)]
    mismatch: MismatchReport,
    seed: u64,
    positions: u64,
    /// The reason why it is not the smallest mismatch.
    not_shrunk: Option<String>,
    coverage: CoverageReport,
}

impl fmt::Display for HuntReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = &self.not_shrunk {
            write!(f, "{reason}\n\n")?;
        }
        writeln!(f, "{}\n{}", self.mismatch, self.mismatch.epd.as_deref().unwrap_or_default())
    }
}

impl Report for HuntReport {
    fn cases(&self) -> Vec<TestCase> {
        vec![hunt_case(self.seed, self.mismatch.outcome())]
    }

    fn reproductions(&self) -> Vec<&Reproduction> {
        vec![self.mismatch.reproduction()]
    }
}

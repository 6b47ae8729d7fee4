//! `perft compare --hunt`: random positions until one differs, reduced to the pieces that matter.

use std::fmt;
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use perft::compare::Hunt;
use serde::Serialize;

use super::super::args::CompareArgs;
use super::super::output::{self, ProgressLine, grouped};
use super::report::MismatchReport;
use super::{EngineFinder, exit_code, interrupted, is_cancelled};

/// Hunts, shrinks and explains.
pub fn compare(args: &CompareArgs, finder: &mut EngineFinder) -> Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(seed_from_clock);
    let start = Instant::now();
    let mut progress = ProgressLine::new(args.output.quiet);
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
    let Some(mismatch) = hunted.with_context(place)? else {
        let report =
            NoMismatchReport { equal: true, positions, seed, seconds, interrupted: is_interrupted };
        output::print_verdict(&report, args.output.json)?;
        return Ok(if is_interrupted { interrupted() } else { ExitCode::SUCCESS });
    };
    if !args.output.quiet {
        output::note(format_args!(
            "different after {positions} positions and {seconds:.1} s (seed {seed}); shrinking"
        ));
    }
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
    let case = mismatch.case.clone();
    let mismatch = match is_interrupted {
        true => MismatchReport::interrupted(mismatch),
        false => MismatchReport::explained(finder, mismatch),
    };
    let title = mismatch.rule().map(|rule| rule.name().to_owned());
    let epd = case.entry(title)?.to_string();
    let report = HuntReport { mismatch, epd, seed, positions, not_shrunk };
    output::print_verdict(&report, args.output.json)?;
    Ok(exit_code(&report.mismatch))
}

fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or_default()
}

/// A hunt without a mismatch.
#[derive(Serialize)]
struct NoMismatchReport {
    equal: bool,
    positions: u64,
    seed: u64,
    seconds: f64,
    interrupted: bool,
}

impl fmt::Display for NoMismatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "No difference in {} positions (seed {})", self.positions, self.seed)
    }
}

/// A mismatch that a hunt found.
#[derive(Serialize)]
struct HuntReport {
    #[serde(flatten)]
    mismatch: MismatchReport,
    /// A line for a suite.
    epd: String,
    seed: u64,
    positions: u64,
    /// The reason why it is not the smallest mismatch.
    not_shrunk: Option<String>,
}

impl fmt::Display for HuntReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = &self.not_shrunk {
            write!(f, "{reason}\n\n")?;
        }
        writeln!(f, "{}\n{}", self.mismatch, self.epd)
    }
}

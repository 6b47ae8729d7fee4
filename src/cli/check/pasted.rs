//! `perft check -`: a divide on standard input, compared with ours.

use std::convert::Infallible;
use std::io::Read;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use perft_compare::uci::{DivideOutput, Transcript};
use perft_compare::{CompareError, check_output};
use perft_core::{Depth, Position};

use super::report::CheckReport;
use super::{interrupted, position};
use crate::cli::DIFFERENT;
use crate::cli::args::CheckArgs;
use crate::cli::format::Output;

/// The most that is read of standard input, in bytes.
const MAX_INPUT: u64 = 1 << 20;

/// Compares the divide with ours.
pub fn check(args: &CheckArgs, output: &Output) -> Result<ExitCode> {
    if args.suite.is_some() || args.hunt || !args.arguments.is_empty() {
        bail!("- is a divide on standard input, of one position (perft check - startpos 3)");
    }
    if !args.engine.are_defaults() {
        bail!("- is a divide on standard input; leave out the options of an engine");
    }
    if args.tokens.first().is_some_and(|token| token == "-") {
        bail!("standard input is the divide; give the position as an argument");
    }
    let start_time = Instant::now();
    let (start, depth) = position(args)?;
    let (end, counter) = (start.end(), args.counting.counter(0)?);
    let theirs = read_divide(&end, depth)?;
    let deadline = args.seconds.map(|time| start_time + time);
    let checked = match check_output::<Infallible>(&counter, deadline, &end, depth, &theirs) {
        Err(CompareError::Cancelled) => return Ok(interrupted("")),
        checked => checked.context("standard input")?,
    };
    let is_equal = checked.bug.is_none();
    let seconds = start_time.elapsed().as_secs_f64();
    output.print(&CheckReport::pasted(args, &start, depth, checked, seconds))?;
    Ok(if is_equal { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
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

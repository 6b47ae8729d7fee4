//! `perft compare`: the position where another engine goes wrong, and the rule that it breaks.
//!
//! One position (this file), the positions of suites ([`suite`]), random positions ([`hunt`]), or a
//! divide on standard input ([`pasted`]). [`engine`] starts the engine; results are in [`report`].

mod cause;
pub mod engine;
pub mod hunt;
mod pasted;
pub mod report;
mod suite;

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use perft_compare::Suite;
use perft_compare::Verdict;
use perft_compare::uci::Query;
use perft_core::Depth;

use self::engine::{EngineFinder, interrupted, is_cancelled, with_engine};
use self::report::{MismatchReport, PositionReport};
use super::args::CompareArgs;
use super::format::Output;
use super::output::{self, ProgressLine, grouped};
use super::position::{Start, start_and_depth};
use super::suite_files::open_suites;
use super::{DIFFERENT, INTERRUPTED};

/// The command, as CI shows it.
const COMMAND: &str = "perft compare";

/// The positions to compare.
enum Task {
    Position(Start, Depth),
    Suites(Vec<Suite>),
    Hunt,
}

/// Compares as the arguments say.
pub fn compare(args: &CompareArgs) -> Result<ExitCode> {
    let output = Output::new(&args.output, args.emit.emit)?;
    if args.stdin {
        return pasted::compare(args, &output);
    }
    // Bad arguments are reported before an engine is started.
    let task = task(args)?;
    let Some(program) = &args.program else { bail!("no engine is named (--engine CMD)") };
    let settings = &args.engine.settings(split_command(program)?)?;
    with_engine(COMMAND, &args.engine, settings, &args.counting, &output, |finder, _| match &task {
        Task::Position(start, depth) => position(start, *depth, finder, &output),
        Task::Suites(suites) => suite::compare(args, suites, settings, finder, &output),
        Task::Hunt => hunt::compare(args, finder, &output),
    })
}

fn task(args: &CompareArgs) -> Result<Task> {
    if (args.hunt || args.suite.is_some()) && args.position.moves.is_some() {
        bail!("--moves is for one position, not for --suite or --hunt");
    }
    Ok(match &args.suite {
        Some(files) => Task::Suites(open_suites(files)?),
        None if args.hunt => Task::Hunt,
        None => {
            let (start, depth) = start_and_depth(&args.tokens, &args.position, args.output.quiet)?;
            Task::Position(start, depth)
        }
    })
}

/// The program and its arguments.
pub fn split_command(text: &str) -> Result<Vec<String>> {
    match shlex::split(text) {
        Some(command) if !command.is_empty() => Ok(command),
        _ => bail!("--engine {text:?} is no command: a quote is open, or it is empty"),
    }
}

/// Compares one position, depth by depth.
fn position(
    start: &Start,
    depth: Depth,
    finder: &mut EngineFinder,
    output: &Output,
) -> Result<ExitCode> {
    if depth == 0 {
        bail!("depth 0 has nothing to compare (perft compare --engine CMD startpos 4)");
    }
    let query = Query { root: &start.root, line: &start.line, depth };
    let mut progress = ProgressLine::new(output.quiet);
    let mut equal_to = 0;
    let found = finder.find_after(&query, |depth, nodes| {
        equal_to = depth;
        progress.show_at_once(|| format!("equal to depth {depth}, {} nodes", grouped(nodes)));
    });
    drop(progress);
    let mismatch = match found {
        Ok(Verdict::Different(mismatch)) => mismatch,
        Ok(Verdict::Equal(nodes)) => {
            output.print(&PositionReport::equal(&query, nodes))?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) if is_cancelled(&error) => {
            let query = Query { depth: equal_to, ..query };
            output.print(&PositionReport::interrupted(&query))?;
            output::note(format_args!("perft: interrupted: equal to depth {equal_to}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) if equal_to > 0 => {
            return Err(anyhow!(error).context(format!("equal to depth {equal_to}")));
        }
        Err(error) => return Err(error.into()),
    };
    let report = MismatchReport::explained(finder, *mismatch);
    output.print(&report)?;
    Ok(exit_code(&report))
}

fn exit_code(report: &MismatchReport) -> ExitCode {
    if report.is_interrupted { interrupted() } else { ExitCode::from(DIFFERENT) }
}

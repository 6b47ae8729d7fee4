//! `perft compare`: the position where another engine goes wrong, and the rule that it breaks.
//!
//! One position (this file), the positions of suites ([`suite`]), random positions ([`hunt`]), or a
//! divide on standard input ([`pasted`]). Results are in [`report`].

mod hunt;
mod pasted;
mod report;
mod suite;

use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use perft::compare::{CompareError, Finder, Verdict};
use perft::uci::{CHESS960_OPTION, Divider, EngineError, EngineSettings, Query, Script, UciEngine};
use perft::{Depth, Suite};

use self::report::{EqualReport, InterruptedReport, MismatchReport};
use super::args::{CompareArgs, Protocol};
use super::interrupt::cancel_on_interrupt;
use super::output::{self, ProgressLine, grouped};
use super::position::{Start, start_and_depth};
use super::suite_files::open_suites;
use super::{DIFFERENT, INTERRUPTED};

/// An engine of either protocol.
type Engine = Box<dyn Divider<Error = EngineError>>;

/// Compares an engine with our own counts.
type EngineFinder = Finder<Engine>;

/// The positions to compare.
enum Task {
    Position(Start, Depth),
    Suites(Vec<Suite>),
    Hunt,
}

/// Compares as the arguments say.
pub fn compare(args: &CompareArgs) -> Result<ExitCode> {
    if args.stdin {
        return pasted::compare(args);
    }
    // Bad arguments are reported before an engine is started.
    let task = task(args)?;
    let settings = engine_settings(args)?;
    match args.protocol {
        Protocol::Uci => match UciEngine::start(&settings) {
            Ok(engine) => run(args, &task, Box::new(engine), &settings),
            Err(error) if error.is_cancelled() => Ok(interrupted()),
            Err(error) => Err(error.into()),
        },
        Protocol::Script if !args.options.is_empty() => {
            bail!("--option is for UCI engines, not for --protocol script")
        }
        Protocol::Script => run(args, &task, Box::new(Script::new(&settings)), &settings),
    }
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

fn engine_settings(args: &CompareArgs) -> Result<EngineSettings> {
    if args.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(CHESS960_OPTION)) {
        bail!("--option {CHESS960_OPTION} is what --chess960 sets; use that");
    }
    let Some(program) = &args.program else { bail!("no engine is named (--engine CMD)") };
    let command = match shlex::split(program) {
        Some(command) if !command.is_empty() => command,
        _ => bail!("--engine {program:?} is no command: a quote is open, or it is empty"),
    };
    if args.perft_command.contains(['\n', '\r']) || !args.perft_command.contains("{depth}") {
        bail!(
            "--perft-command {:?} is not one line with {{depth}} in it (go perft {{depth}})",
            args.perft_command
        );
    }
    Ok(EngineSettings {
        command,
        options: args.options.clone(),
        perft_command: args.perft_command.clone(),
        timeout: args.timeout,
        cancel: cancel_on_interrupt(),
    })
}

fn run(
    args: &CompareArgs,
    task: &Task,
    engine: Engine,
    settings: &EngineSettings,
) -> Result<ExitCode> {
    // Most counts are small and do not pay for a table; `--hash` makes one.
    let mut finder = Finder::new(engine, args.counting.counter(0)?);
    let result = match task {
        Task::Position(start, depth) => position(args, start, *depth, &mut finder),
        Task::Suites(suites) => suite::compare(args, suites, &mut finder),
        Task::Hunt => hunt::compare(args, &mut finder),
    };
    result.or_else(|error| match error.downcast_ref::<CompareError<EngineError>>() {
        Some(cause) if is_cancelled(cause) => Ok(interrupted()),
        Some(CompareError::AnotherPosition { .. } | CompareError::NoCount(_)) => {
            Err(error.context(format!("engine {:?}", settings.command.join(" "))))
        }
        _ => Err(error),
    })
}

/// Compares one position, depth by depth.
fn position(
    args: &CompareArgs,
    start: &Start,
    depth: Depth,
    finder: &mut EngineFinder,
) -> Result<ExitCode> {
    if depth == 0 {
        bail!("depth 0 has nothing to compare (perft compare --engine CMD startpos 4)");
    }
    let query = Query { root: &start.root, line: &start.line, depth };
    let mut progress = ProgressLine::new(args.output.quiet);
    let mut equal_to = 0;
    let found = finder.find_after(&query, |depth, nodes| {
        equal_to = depth;
        progress.show_at_once(|| format!("equal to depth {depth}, {} nodes", grouped(nodes)));
    });
    drop(progress);
    let mismatch = match found {
        Ok(Verdict::Different(mismatch)) => mismatch,
        Ok(Verdict::Equal(nodes)) => {
            output::print_verdict(&EqualReport::new(&query, nodes), args.output.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) if is_cancelled(&error) => {
            let query = Query { depth: equal_to, ..query };
            output::print_verdict(&InterruptedReport::new(&query), args.output.json)?;
            output::note(format_args!("perft: interrupted: equal to depth {equal_to}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) if equal_to > 0 => {
            return Err(anyhow!(error).context(format!("equal to depth {equal_to}")));
        }
        Err(error) => return Err(error.into()),
    };
    let report = MismatchReport::explained(finder, *mismatch);
    output::print_verdict(&report, args.output.json)?;
    Ok(exit_code(&report))
}

fn exit_code(report: &MismatchReport) -> ExitCode {
    if report.is_interrupted { interrupted() } else { ExitCode::from(DIFFERENT) }
}

fn is_cancelled(error: &CompareError<EngineError>) -> bool {
    match error {
        CompareError::Cancelled => true,
        CompareError::Divider(error) => error.is_cancelled(),
        _ => false,
    }
}

fn interrupted() -> ExitCode {
    output::note(format_args!("perft: interrupted"));
    ExitCode::from(INTERRUPTED)
}

//! `perft check`: finds the position and the rule that an engine gets wrong.
//!
//! Arguments become a [`Session`] of the library, or a comparison with a [pasted] divide. [`report`]
//! has the result, [`text`] its words.

mod pasted;
mod report;
mod text;

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};
use perft_compare::Suite;
use perft_compare::uci::{EngineError, EngineSettings, Query};
use perft_compare::{CompareError, Effort, Event, Session, SessionOptions, SessionResult};
use perft_core::Depth;

use self::report::CheckReport;
use super::args::CheckArgs;
use super::format::Output;
use super::output::{self, ProgressLine, grouped};
use super::position::{Start, start_and_depth};
use super::suite_files::open_suites;
use super::{DIFFERENT, INCOMPLETE, INTERRUPTED, fail};

/// The command, as CI shows it.
const COMMAND: &str = "perft check";

/// The time for everything, if none is given.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The positions to compare.
enum Task {
    Everything,
    Position(Start, Depth),
    Suites(Vec<Suite>),
    Hunt,
}

impl Task {
    fn new(args: &CheckArgs) -> Result<Self> {
        if args.tokens.is_empty() && args.position.moves.is_some() {
            bail!("--moves is for one position (perft check ./engine startpos 4 --moves e2e4)");
        }
        Ok(match &args.suite {
            Some(files) => Self::Suites(open_suites(files)?),
            None if args.hunt => Self::Hunt,
            None if args.tokens.is_empty() => Self::Everything,
            None => {
                let (start, depth) = position(args)?;
                if depth == 0 {
                    bail!("depth 0 has nothing to compare (perft check ./engine startpos 4)");
                }
                Self::Position(start, depth)
            }
        })
    }

    fn options(&self, args: &CheckArgs) -> SessionOptions {
        let has_end = matches!(self, Self::Position(..) | Self::Suites(_));
        SessionOptions {
            time: args.seconds.or((!has_end).then_some(DEFAULT_TIME)),
            max_nodes: args.max_nodes,
            chess960: args.position.chess960,
            keep_going: args.keep_going,
            effort: match self {
                Self::Position(..) => Effort::Explain,
                _ => Effort::Shrink,
            },
        }
    }
}

/// The position of the arguments. Something else is rather an argument of the engine.
fn position(args: &CheckArgs) -> Result<(Start, Depth)> {
    let read = start_and_depth(&args.tokens, &args.position, args.output.quiet);
    let is_one = args.tokens.len() == 1;
    let hint = "arguments of the engine come after --: perft check ./engine -- ARGS";
    read.map_err(|error| if is_one { anyhow!("{error} ({hint})") } else { error })
}

/// Checks the engine, or the pasted divide.
pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    let output = Output::new(&args.output, args.emit.emit)?;
    if args.is_pasted() {
        return pasted::check(args, &output);
    }
    // Bad arguments are reported before an engine is started.
    let task = Task::new(args)?;
    let settings = args.engine.settings(args.command()?)?;
    match run(args, &task, &settings, &output) {
        Ok(code) => Ok(code),
        Err(error) => {
            output.print_error(COMMAND, &error)?;
            Err(error)
        }
    }
}

fn run(
    args: &CheckArgs,
    task: &Task,
    settings: &EngineSettings,
    output: &Output,
) -> Result<ExitCode> {
    // Most counts are small and do not pay for a table; `--hash` makes one.
    let counter = args.counting.counter(0)?;
    let engine = match args.engine.protocol.start(settings) {
        Err(error) if error.is_cancelled() => return Ok(interrupted("")),
        engine => engine?,
    };
    let seed = args.seed.unwrap_or_else(seed_from_clock);
    let mut progress = ProgressLine::new(output.quiet);
    let session = Session::new(engine, counter, task.options(args));
    let mut session = session.on_event(|event| show(&mut progress, event));
    match task {
        Task::Everything => session.everything(seed),
        Task::Position(Start { root, line, .. }, depth) => {
            session.position(&Query { root, line, depth: *depth });
        }
        Task::Suites(suites) => suites.iter().for_each(|suite| session.suite(suite)),
        Task::Hunt => session.hunt(seed, args.position.castling_mode()),
    }
    let result = session.finish();
    drop(progress);
    refuse_without_result(args, &result, settings)?;

    let equal_to = match task {
        Task::Position(..) => Some(result.stages.first().and_then(|stage| stage.max_depth)),
        _ => None,
    };
    let error = result.error.as_ref().map(|error| describe(error, settings));
    let report = CheckReport::new(args, settings, seed, &result, error);
    output.print(&report)?;
    let impossible = text::joined(&result.impossible, "; ");
    Ok(match (report.equal(), report.error()) {
        _ if result.cancelled => interrupted(&match equal_to {
            Some(depth) if !report.is_different() => {
                format!(": equal to depth {}", depth.unwrap_or_default())
            }
            _ => String::new(),
        }),
        (_, Some(error)) => fail(error),
        (Some(false), None) => {
            if !impossible.is_empty() {
                output::note(format_args!("perft: {impossible}"));
            }
            ExitCode::from(DIFFERENT)
        }
        _ if !impossible.is_empty() => fail(&impossible),
        (Some(true), None) => ExitCode::SUCCESS,
        (None, None) => {
            output::note(format_args!("perft: time is up (--seconds gives it longer)"));
            ExitCode::from(INCOMPLETE)
        }
    })
}

/// An error if nothing was compared.
fn refuse_without_result(
    args: &CheckArgs,
    result: &SessionResult<EngineError>,
    settings: &EngineSettings,
) -> Result<()> {
    if result.positions() > 0 || result.cancelled {
        return Ok(());
    }
    if let Some(error) = &result.error {
        let error = anyhow!(describe(error, settings));
        let depth = result.stages.first().and_then(|stage| stage.max_depth);
        return Err(match depth {
            Some(depth) => error.context(format!("equal to depth {depth}")),
            None => error,
        });
    }
    if !result.impossible.is_empty() {
        bail!(text::joined(&result.impossible, "; "));
    }
    let is_skipped = result.stages.iter().any(|stage| stage.skip_reason.is_some());
    if args.suite.is_some() && !is_skipped && !result.out_of_time {
        bail!("nothing to compare: no count is within --max-nodes {}", args.max_nodes);
    }
    Ok(())
}

/// Shows an event on the terminal.
fn show(progress: &mut ProgressLine, event: Event<'_>) {
    match event {
        Event::Position { stage, number, all } => progress.show(|| {
            let (name, wrong, number) = (&stage.name, stage.wrong, grouped(number.into()));
            match all {
                Some(all) => format!("{name}: {number} of {all} positions, {wrong} wrong"),
                None => format!("{name}: {number} positions, {wrong} wrong"),
            }
        }),
        Event::Equal { depth, nodes } => {
            progress.show_at_once(|| format!("equal to depth {depth}, {} nodes", grouped(nodes)));
        }
        Event::Shrinking(_) => progress.show_at_once(|| "different; shrinking".to_owned()),
        Event::Explaining(_) => progress.show_at_once(|| "different; naming the rule".to_owned()),
        _ => {}
    }
}

/// An error of a comparison, in one line that names the engine.
fn describe(error: &CompareError<EngineError>, settings: &EngineSettings) -> String {
    match error {
        CompareError::AnotherPosition { .. }
        | CompareError::NoCount(_)
        | CompareError::NotUnderstood(_) => {
            format!("engine {:?}: {error}", settings.command.join(" "))
        }
        _ => error.to_string(),
    }
}

fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or_default()
}

/// Says that the work was interrupted.
fn interrupted(details: &str) -> ExitCode {
    output::note(format_args!("perft: interrupted{details}"));
    ExitCode::from(INTERRUPTED)
}

//! The engine under test, started as the arguments say.

use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use perft_compare::uci::{
    DivideOutput, Divider, EngineError, EngineSettings, Query, Script, UciEngine,
};
use perft_compare::{CompareError, Finder};

use super::super::INTERRUPTED;
use super::super::args::{CountingArgs, EngineArgs, Protocol};
use super::super::format::Output;
use super::super::output;

/// Compares an engine with our own counts.
pub type EngineFinder = Finder<MeteredEngine>;

/// The work of an engine.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    pub nodes: u128,
    pub time: Duration,
}

/// The work of an engine so far.
#[derive(Clone, Default)]
pub struct Meter(Rc<Cell<Usage>>);

impl Meter {
    /// The work since the last call.
    pub fn take(&self) -> Usage {
        self.0.take()
    }
}

/// An engine of either protocol, with a meter.
pub struct MeteredEngine {
    engine: Box<dyn Divider<Error = EngineError>>,
    meter: Meter,
}

impl Divider for MeteredEngine {
    type Error = EngineError;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        let start = Instant::now();
        let output = self.engine.divide(query)?;
        let Usage { nodes, time } = self.meter.take();
        self.meter
            .0
            .set(Usage { nodes: nodes.saturating_add(output.sum()), time: time + start.elapsed() });
        Ok(output)
    }
}

/// Starts the engine and works with it. An interrupt is not an error; other errors are reported to
/// CI too, as those of `command`.
pub fn with_engine(
    command: &str,
    args: &EngineArgs,
    settings: &EngineSettings,
    counting: &CountingArgs,
    output: &Output,
    work: impl FnOnce(&mut EngineFinder, &Meter) -> Result<ExitCode>,
) -> Result<ExitCode> {
    let counter = counting.counter(0)?;
    let start = || -> Result<Box<dyn Divider<Error = EngineError>>, EngineError> {
        Ok(match args.protocol {
            Protocol::Uci => Box::new(UciEngine::start(settings)?),
            Protocol::Script => Box::new(Script::new(settings)),
        })
    };
    let meter = Meter::default();
    let result = match start() {
        Ok(engine) => {
            let engine = MeteredEngine { engine, meter: meter.clone() };
            // Most counts are small and do not pay for a table; `--hash` makes one.
            work(&mut Finder::new(engine, counter), &meter)
        }
        Err(error) => Err(CompareError::Divider(error).into()),
    };
    let error = match result {
        Ok(code) => return Ok(code),
        Err(error) => match error.downcast_ref::<CompareError<EngineError>>() {
            Some(cause) if is_cancelled(cause) => return Ok(interrupted()),
            Some(cause) => match needs_engine(cause) {
                true => error.context(engine_name(settings)),
                false => error,
            },
            None => error,
        },
    };
    output.print_error(command, &error)?;
    Err(error)
}

/// An error of a comparison, in one line that names the engine.
pub fn describe(error: &CompareError<EngineError>, settings: &EngineSettings) -> String {
    match needs_engine(error) {
        true => format!("{}: {error}", engine_name(settings)),
        false => error.to_string(),
    }
}

/// Whether the error does not name the engine itself.
fn needs_engine(error: &CompareError<EngineError>) -> bool {
    matches!(
        error,
        CompareError::AnotherPosition { .. }
            | CompareError::NoCount(_)
            | CompareError::NotUnderstood(_)
    )
}

fn engine_name(settings: &EngineSettings) -> String {
    format!("engine {:?}", settings.command.join(" "))
}

pub fn is_cancelled(error: &CompareError<EngineError>) -> bool {
    match error {
        CompareError::Cancelled => true,
        CompareError::Divider(error) => error.is_cancelled(),
        _ => false,
    }
}

/// Says that the work was interrupted.
pub fn interrupted() -> ExitCode {
    output::note(format_args!("perft: interrupted"));
    ExitCode::from(INTERRUPTED)
}

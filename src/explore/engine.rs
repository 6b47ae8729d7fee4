//! The other engine: its divides, and the search for its bug, as events for the page.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use perft_compare::Suite;
use perft_compare::suite::Entry;
use perft_compare::uci::{DivideOutput, Divider, EngineError, Query};
use perft_compare::{
    Bug, CompareError, Diff, Effort, Event, Finder, Session, SessionOptions, Stage,
};
use perft_core::{CancelToken, CastlingMode, Counter, Depth};
use serde::{Deserialize, Serialize};

use super::api::State;
use super::divide::{DivideInput, counter};
use super::jobs::Events;
use super::position::check_depth;
use crate::command_line::CommandLine;

/// An engine of either protocol.
pub type Engine = Box<dyn Divider<Error = EngineError> + Send>;

type StartEngine = dyn Fn(CancelToken) -> Result<Engine, EngineError> + Send + Sync;

/// The engine of the command line.
pub struct EngineConfig {
    /// The command, to be shown.
    pub name: String,
    /// The start of a command that checks it.
    pub check: CommandLine,
    /// Whether it is given positions of Chess960 although it does not say that it knows them.
    pub chess960: bool,
    /// Starts it. The token ends it.
    pub start: Box<StartEngine>,
}

/// The engine, started when it is first needed. After a failure or a cancelled query it is started
/// again.
pub struct EngineSlot {
    config: EngineConfig,
    running: Mutex<Option<(Engine, CancelToken)>>,
}

impl EngineSlot {
    pub fn new(config: EngineConfig) -> Self {
        Self { config, running: Mutex::new(None) }
    }

    /// The command, to be shown.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// Ends the engine, if no job uses it; a job that does is cancelled and ends it.
    pub fn end(&self) {
        if let Ok(mut running) = self.running.try_lock() {
            *running = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Engine, CancelToken)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a job with the engine.
    fn with<T>(
        &self,
        state: &State,
        events: &Events,
        job: impl FnOnce(&mut Engine) -> Result<T, Failure>,
    ) -> Result<Option<T>, String> {
        let mut running = self.lock();
        let (mut engine, cancel) = match running.take() {
            Some((engine, cancel)) => (engine, cancel),
            None => {
                let cancel = state.counter.cancel_token().child();
                events.set_engine(Some(cancel.clone()));
                match (self.config.start)(cancel.clone()) {
                    Ok(engine) => (engine, cancel),
                    Err(error) if error.is_cancelled() => return Ok(None),
                    Err(error) => return Err(error.to_string()),
                }
            }
        };
        events.set_engine(Some(cancel.clone()));
        let result = job(&mut engine);
        events.set_engine(None);
        let is_usable = !matches!(result, Err(CompareError::Divider(_)));
        if is_usable && !cancel.is_cancelled() {
            *running = Some((engine, cancel));
        }
        match result {
            Ok(value) => Ok(Some(value)),
            Err(CompareError::Cancelled) => Ok(None),
            Err(CompareError::Divider(error)) if error.is_cancelled() => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

type Failure = CompareError<EngineError>;

/// An event for the page.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum PageEvent<'a> {
    /// The engine divides the position of the FEN.
    Query {
        number: u64,
        moves: String,
        depth: Depth,
        fen: String,
    },
    /// The engine's divide.
    Engine {
        depth: Depth,
        equal: bool,
        diff: &'a Diff,
        moves: &'a [(String, u128)],
        only_totals: bool,
        command: String,
    },
    /// A position of a suite or of a hunt is compared.
    Position {
        name: &'a str,
        number: u64,
        all: Option<usize>,
        wrong: usize,
    },
    /// Equal to a depth.
    Equal {
        depth: Depth,
        nodes: u128,
    },
    Phase {
        text: &'a str,
    },
    /// The result: equal, or a mismatch.
    Verdict {
        stage: Option<&'a Stage>,
        mismatch: Option<&'a Bug>,
        command: &'a str,
    },
    Suite {
        stage: &'a Stage,
        failures: &'a [Failed],
    },
    /// The comparison of a pasted divide.
    Compared {
        depth: Depth,
        diff: &'a Diff,
        mismatch: Option<&'a Bug>,
        command: String,
    },
    End {
        wrong: usize,
        command: String,
    },
}

/// A position of a suite that differs.
#[derive(Serialize)]
pub struct Failed {
    fen: String,
    chess960: bool,
    line: usize,
    depth: Depth,
    diff: Diff,
}

impl Failed {
    fn new(entry: &Entry, depth: Depth, diff: &Diff) -> Self {
        let (position, diff) = (entry.position, diff.clone());
        let chess960 = position.castling_mode() == CastlingMode::Chess960;
        Self { fen: position.to_string(), chess960, line: entry.line, depth, diff }
    }
}

/// The engine, each query of which is reported.
struct Watched<'a> {
    engine: &'a mut Engine,
    events: &'a Events,
    queries: u64,
}

impl Divider for Watched<'_> {
    type Error = EngineError;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        self.queries += 1;
        self.events.send_progress(&PageEvent::Query {
            number: self.queries,
            moves: query.uci_moves(),
            depth: query.depth,
            fen: query.position().to_string(),
        });
        self.engine.divide(query)
    }

    fn lacks_chess960(&self) -> Option<&'static str> {
        self.engine.lacks_chess960()
    }
}

/// A counter without progress: other events have it.
fn quiet_counter(state: &State, events: &Events) -> Counter {
    state.counter.clone().cancel(events.cancel_token().clone())
}

fn slot(state: &State) -> Result<&EngineSlot, String> {
    state
        .engine
        .as_ref()
        .ok_or_else(|| "no engine: start perft explore with --engine CMD".to_owned())
}

/// The engine's divide beside ours, depth by depth.
pub fn divide(input: DivideInput, state: &State, events: &Events) -> Result<(), String> {
    let depth = check_depth(input.depth)?;
    let place = input.at.read()?;
    let slot = slot(state)?;
    slot.with(state, events, |engine| {
        for depth in 1..=depth {
            let counter = counter(state, events, depth);
            let query = Query { root: &place.root, line: &place.line, depth };
            let watched = Watched { engine, events, queries: 0 };
            let diff = Finder::new(watched, counter).diff(&query)?;
            events.send(&PageEvent::Engine {
                depth,
                equal: diff.is_equal(),
                diff: &diff,
                moves: diff.their_moves(),
                only_totals: diff.only_totals,
                command: place.command(slot.config.check.clone(), &depth.to_string()),
            });
        }
        events.send(&PageEvent::End { wrong: 0, command: String::new() });
        Ok(())
    })?;
    Ok(())
}

/// Runs a session with the engine, and sends its events and its verdict.
fn check(
    state: &State,
    events: &Events,
    options: SessionOptions,
    command: &str,
    work: impl FnOnce(&mut Session<'_, Watched<'_>>),
) -> Result<(), String> {
    let slot = slot(state)?;
    let options = SessionOptions { chess960: slot.config.chess960, ..options };
    let has_verdict = options.effort != Effort::Report;
    slot.with(state, events, |engine| {
        let watched = Watched { engine, events, queries: 0 };
        let mut failures = Vec::new();
        let session = Session::new(watched, quiet_counter(state, events), options);
        let mut session = session.on_event(|event| match event {
            Event::Stage(_) if has_verdict => {}
            event => send(event, events, &mut failures),
        });
        work(&mut session);
        let result = session.finish();
        if result.cancelled {
            return Err(CompareError::Cancelled);
        }
        if let Some(error) = result.error {
            return Err(error);
        }
        if has_verdict {
            let (stage, mismatch) = (result.stages.first(), result.bugs.first());
            events.send(&PageEvent::Verdict { stage, mismatch, command });
        } else {
            let wrong = result.stages.iter().map(|stage| stage.wrong).sum();
            events.send(&PageEvent::End { wrong, command: command.to_owned() });
        }
        Ok(())
    })?;
    Ok(())
}

/// Failures that are shown of each suite.
const MAX_FAILURES: usize = 12;

/// Sends an event of a session to the page.
fn send(event: Event<'_>, events: &Events, failures: &mut Vec<Failed>) {
    match event {
        Event::Position { stage, number, all } => {
            let (name, wrong) = (&*stage.name, stage.wrong);
            events.send_progress(&PageEvent::Position { name, number, all, wrong });
        }
        Event::Equal { depth, nodes } => events.send(&PageEvent::Equal { depth, nodes }),
        Event::Different { entry, depth, diff } if failures.len() < MAX_FAILURES => {
            failures.push(Failed::new(entry, depth, diff));
        }
        Event::Shrinking(_) => {
            events.send(&PageEvent::Phase { text: "Making the position smaller" })
        }
        Event::Explaining(_) => events.send(&PageEvent::Phase { text: "Naming the rule" }),
        Event::Stage(stage) => {
            events.send(&PageEvent::Suite { stage, failures });
            failures.clear();
        }
        _ => {}
    }
}

/// Finds the smallest position that the engine gets wrong.
pub fn find(input: DivideInput, state: &State, events: &Events) -> Result<(), String> {
    let depth = check_depth(input.depth)?;
    let place = input.at.read()?;
    let command = place.command(slot(state)?.config.check.clone(), &depth.to_string());
    check(state, events, SessionOptions::default(), &command, |session| {
        session.position(&Query { root: &place.root, line: &place.line, depth });
    })
}

/// Options of a hunt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HuntInput {
    #[serde(default)]
    chess960: bool,
    seconds: u64,
}

/// The longest hunt.
const MAX_HUNT: Duration = Duration::from_secs(3600);

/// Tries random positions until the engine gets one wrong.
pub fn hunt(input: HuntInput, state: &State, events: &Events) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = u64::try_from(now.as_micros()).unwrap_or_default();
    let (mode, flag) = match input.chess960 {
        true => (CastlingMode::Chess960, " --chess960"),
        false => (CastlingMode::Standard, ""),
    };
    let command = format!("{} --hunt --seed {seed}{flag}", slot(state)?.config.check);
    let time = Some(Duration::from_secs(input.seconds).min(MAX_HUNT));
    let options = SessionOptions { time, ..SessionOptions::default() };
    check(state, events, options, &command, |session| session.hunt(seed, mode))
}

/// No options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteInput {}

/// Compares the positions of the built-in suites.
pub fn suite(_: SuiteInput, state: &State, events: &Events) -> Result<(), String> {
    let command = format!("{} --suite", slot(state)?.config.check);
    let options = SessionOptions {
        max_nodes: 1_000_000,
        effort: Effort::Report,
        ..SessionOptions::default()
    };
    check(state, events, options, &command, |session| {
        Suite::embedded().iter().for_each(|suite| session.suite(suite));
    })
}

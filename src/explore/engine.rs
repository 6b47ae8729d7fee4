//! The other engine: its divides, and the search for its bug.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use perft_compare::Suite;
use perft_compare::uci::{DivideOutput, Divider, EngineError, Query};
use perft_compare::{
    Case, Cause, CompareError, Coverage, Diff, Finder, Hunt, Mismatch, SuiteOptions, Verdict,
};
use perft_core::{CancelToken, CastlingMode, Counter};
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::State;
use super::divide::{DivideInput, counter};
use super::jobs::Events;
use super::position::{check_depth, pieces};

/// An engine of either protocol.
pub type Engine = Box<dyn Divider<Error = EngineError> + Send>;

type StartEngine = dyn Fn(CancelToken) -> Result<Engine, EngineError> + Send + Sync;

/// The engine of the command line.
pub struct EngineConfig {
    /// The command, to be shown.
    pub name: String,
    /// The options of `perft compare` that name the engine.
    pub options: String,
    /// Whether positions of Chess960 are given to it.
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
        self.events.send_progress(json!({
            "event": "query",
            "number": self.queries,
            "moves": query.uci_moves(),
            "depth": query.depth,
            "pieces": pieces(query.position().board()),
        }));
        self.engine.divide(query)
    }
}

fn finder<'a>(engine: &'a mut Engine, counter: Counter, events: &'a Events) -> Finder<Watched<'a>> {
    Finder::new(Watched { engine, events, queries: 0 }, counter)
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
            let diff = finder(engine, counter, events).diff(&query)?;
            let is_equal = diff.is_equal();
            events.send(json!({
                "event": "engine",
                "depth": depth,
                "equal": is_equal,
                "diff": diff_value(&diff),
                "command": compare_command(slot, &place.command("compare", &depth.to_string())),
            }));
        }
        events.send(json!({ "event": "end" }));
        Ok(())
    })?;
    Ok(())
}

/// `perft compare` with the options of the engine.
fn compare_command(slot: &EngineSlot, command: &str) -> String {
    command.replacen("compare", &format!("compare {}", slot.config.options), 1)
}

/// Finds the smallest position that the engine gets wrong.
pub fn find(input: DivideInput, state: &State, events: &Events) -> Result<(), String> {
    let depth = check_depth(input.depth)?;
    let place = input.at.read()?;
    let slot = slot(state)?;
    let command = compare_command(slot, &place.command("compare", &depth.to_string()));
    slot.with(state, events, |engine| {
        let query = Query { root: &place.root, line: &place.line, depth };
        let mut finder = finder(engine, quiet_counter(state, events), events);
        let verdict = finder.find_after(&query, |depth, nodes| {
            events.send(json!({ "event": "equal", "depth": depth, "nodes": nodes.to_string() }));
        })?;
        match verdict {
            Verdict::Equal(nodes) => events.send(json!({
                "event": "verdict", "equal": true, "depth": depth, "nodes": nodes.to_string(), "command": command,
            })),
            Verdict::Different(mismatch) => {
                events.send(mismatch_value(&mut finder, &mismatch, events, &command));
            }
        }
        Ok(())
    })?;
    Ok(())
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
    let limit = Duration::from_secs(input.seconds).min(MAX_HUNT);
    let mode = if input.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let slot = slot(state)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = u64::try_from(now.as_micros()).unwrap_or_default();
    let flag = if input.chess960 { " --chess960" } else { "" };
    let command = format!("perft compare {} --hunt --seed {seed}{flag}", slot.config.options);
    slot.with(state, events, |engine| {
        let start = Instant::now();
        let mut finder = finder(engine, quiet_counter(state, events), events);
        let mut hunt = Hunt::new(seed, mode);
        let mismatch = finder.hunt(&mut hunt, |number| {
            events.send_progress(json!({ "event": "hunted", "positions": number - 1 }));
            start.elapsed() < limit
        })?;
        events.send(match mismatch {
            None => {
                let Coverage { positions, nodes, rules, .. } = hunt.coverage();
                json!({
                    "event": "verdict",
                    "equal": true,
                    "positions": positions,
                    "nodes": nodes.to_string(),
                    "rules": rules.values().filter(|&&positions| positions > 0).count(),
                    "all_rules": rules.len(),
                    "command": command,
                })
            }
            Some(mismatch) => mismatch_value(&mut finder, &mismatch, events, &command),
        });
        Ok(())
    })?;
    Ok(())
}

/// No options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteInput {}

/// Failures that are shown of each suite.
const MAX_FAILURES: usize = 12;

/// Compares the positions of the built-in suites.
pub fn suite(_: SuiteInput, state: &State, events: &Events) -> Result<(), String> {
    let slot = slot(state)?;
    let suites = Suite::embedded();
    let all: usize = suites.iter().map(|suite| suite.entries.len()).sum();
    slot.with(state, events, |engine| {
        let options = SuiteOptions {
            max_nodes: 1_000_000,
            chess960: slot.config.chess960,
            lacks_chess960: EngineError::lacks_chess960,
        };
        let mut finder = finder(engine, quiet_counter(state, events), events);
        let (mut before, mut wrong) = (0, 0);
        for suite in &suites {
            let result =
                finder.compare_suites(std::slice::from_ref(suite), &options, |number, more| {
                    let number = before + number;
                    events.send_progress(json!({
                        "event": "suites", "number": number, "all": all, "wrong": wrong + more,
                    }));
                });
            before += suite.entries.len();
            wrong += result.mismatches.len();
            let failures = result.mismatches.iter().take(MAX_FAILURES).map(|mismatch| {
                json!({
                    "fen": mismatch.position.to_string(),
                    "chess960": mismatch.position.castling_mode() == CastlingMode::Chess960,
                    "pieces": pieces(mismatch.position.board()),
                    "line": mismatch.line,
                    "depth": mismatch.depth,
                    "diff": diff_value(&mismatch.diff),
                })
            });
            let tally = result.tallies.first();
            events.send(json!({
                "event": "suite",
                "name": suite.name,
                "compared": tally.map(|tally| tally.compared),
                "skipped": tally.map(|tally| tally.skipped),
                "wrong": result.mismatches.len(),
                "failures": failures.collect::<Vec<_>>(),
            }));
            if let Some(error) = result.error {
                return Err(error);
            }
        }
        let command = format!("perft compare {} --suite", slot.config.options);
        events.send(json!({ "event": "end", "wrong": wrong, "command": command }));
        Ok(())
    })?;
    Ok(())
}

/// A difference.
pub fn diff_value(diff: &Diff) -> Value {
    let counts = diff.counts.iter().map(|count| {
        json!({ "uci": count.uci, "ours": count.ours.to_string(), "theirs": count.theirs.to_string() })
    });
    let theirs: Vec<(&str, String)> =
        diff.their_moves().iter().map(|(text, nodes)| (text.as_str(), nodes.to_string())).collect();
    let remarks: Vec<String> =
        diff.remarks().into_iter().chain(diff.total_remark().map(str::to_owned)).collect();
    json!({
        "missing": diff.missing,
        "extra": diff.extra,
        "repeated": diff.repeated,
        "counts": counts.collect::<Vec<_>>(),
        "ours": diff.ours.to_string(),
        "theirs": diff.theirs.to_string(),
        "moves": theirs,
        "only_totals": diff.only_totals,
        "remarks": remarks,
    })
}

/// The cause in words.
pub fn cause_value(cause: Option<&Cause>) -> Value {
    cause.map_or(Value::Null, |cause| {
        json!({
            "name": cause.name(),
            "text": cause.text(),
            "is_rule": cause.rule().is_some(),
            "remarks": cause.remarks(),
        })
    })
}

/// A mismatch, its cause, and the smallest position that shows it.
fn mismatch_value(
    finder: &mut Finder<Watched<'_>>,
    mismatch: &Mismatch,
    events: &Events,
    command: &str,
) -> Value {
    let phase = |text: &str| events.send(json!({ "event": "phase", "text": text }));
    let (mut cause, mut unexplained, mut smallest) = (None, None, None);
    if let Some(reason) = &mismatch.aborted {
        unexplained = Some(reason.clone());
    } else {
        phase("Naming the rule");
        match finder.explain(mismatch) {
            Ok(found) => cause = found,
            Err(error) => unexplained = Some(error.to_string()),
        }
        phase("Making the position smaller");
        smallest = finder.shrink(mismatch).ok().flatten();
    }
    let smallest = smallest.as_ref().unwrap_or(mismatch);
    let epd = smallest.case.entry(cause.as_ref().map(Cause::name)).map(|entry| entry.to_string());
    json!({
        "event": "verdict",
        "equal": false,
        "depth": mismatch.first_depth,
        "ours": mismatch.first_diff.ours.to_string(),
        "theirs": mismatch.first_diff.theirs.to_string(),
        "found": case_value(mismatch),
        "smallest": case_value(smallest),
        "cause": cause_value(cause.as_ref()),
        "unexplained": unexplained,
        "impossible": mismatch.impossible.map(|reason| reason.to_string()),
        "right_without_moves": mismatch.right_without_moves,
        "epd": epd.ok(),
        "command": command,
    })
}

/// A test of a case in UCI.
pub fn test(case: &Case, expected: u128) -> String {
    let query = case.query();
    format!("{}\ngo perft {}\n# expect {expected}", query.uci_position(), case.depth)
}

/// The position of a mismatch, and a test of it in UCI.
fn case_value(mismatch: &Mismatch) -> Value {
    let Mismatch { case, diff, .. } = mismatch;
    let query = case.query();
    let moves = query.uci_moves();
    let position = query.position();
    json!({
        "root": case.root.to_string(),
        "chess960": case.root.castling_mode() == CastlingMode::Chess960,
        "moves": moves.split_whitespace().collect::<Vec<_>>(),
        "fen": position.to_string(),
        "pieces": pieces(position.board()),
        "depth": case.depth,
        "diff": diff_value(diff),
        "test": test(case, diff.ours),
    })
}

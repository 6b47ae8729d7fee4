//! `perft check`: everything that finds a bug in an engine, in one word.
//!
//! The built-in suites, then random positions for the rest of the time, in stages. [`report`] has
//! the result.

mod report;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use perft_compare::Suite;
use perft_compare::suite::Entry;
use perft_compare::uci::{CHESS960_OPTION, EngineError, EngineSettings, Query};
use perft_compare::{CompareError, Hunt, Mismatch};
use perft_core::{CastlingMode, Depth};

use self::report::{CheckReport, Found, Stage};
use super::args::{CheckArgs, Protocol};
use super::compare::engine::{
    EngineFinder, Meter, Usage, describe, interrupted, is_cancelled, with_engine,
};
use super::compare::hunt::{investigate, seed_from_clock};
use super::compare::report::MismatchReport;
use super::compare::split_command;
use super::format::Output;
use super::output::{self, ProgressLine, grouped};
use super::{DIFFERENT, fail};
use crate::command_line::{CommandLine, quoted};

/// The command, as CI shows it.
const COMMAND: &str = "perft check";

/// The suites in their order, the one that finds most bugs first.
const SUITES: [&str; 3] = ["tricky.epd", "standard.epd", "chess960.epd"];

/// Checks the engine.
pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    let output = &Output::new(&args.output, args.emit.emit)?;
    let command = match args.command.as_slice() {
        // As for `perft compare --engine`.
        [one] => split_command(one)?,
        several => several.to_vec(),
    };
    let settings = &args.engine.settings(command)?;
    with_engine(COMMAND, &args.engine, settings, &args.counting, output, |finder, meter| {
        let mut check = Check {
            args,
            settings,
            finder,
            meter,
            progress: ProgressLine::new(output.quiet),
            start: Instant::now(),
            seed: args.seed.unwrap_or_else(seed_from_clock),
            stages: Vec::new(),
            found: Vec::new(),
        };
        let ended = check.run();
        let report = check.into_report(&ended);
        match ended {
            // The first divide failed: there is no result.
            Err(error) if report.stages.iter().all(|stage| stage.positions == 0) => {
                Err(error.into())
            }
            _ => {
                output.print(&report)?;
                Ok(match (&report.error, report.equal) {
                    _ if report.interrupted => interrupted(),
                    (Some(error), _) => fail(error),
                    (None, Some(false)) => ExitCode::from(DIFFERENT),
                    (None, _) => ExitCode::SUCCESS,
                })
            }
        }
    })
}

type Ended = Result<(), CompareError<EngineError>>;

/// A check in progress.
struct Check<'a> {
    args: &'a CheckArgs,
    settings: &'a EngineSettings,
    finder: &'a mut EngineFinder,
    meter: &'a Meter,
    progress: ProgressLine,
    start: Instant,
    seed: u64,
    stages: Vec<Stage>,
    found: Vec<Found>,
}

impl Check<'_> {
    /// The stages, up to the first mismatch unless `--keep-going`.
    fn run(&mut self) -> Ended {
        // At least half of the time is for the hunt.
        let time_for_suites = self.args.seconds / 2;
        let embedded = Suite::embedded();
        for name in SUITES {
            let suite = embedded.iter().find(|suite| suite.name == name);
            let entries = suite.map_or(&[][..], |suite| &suite.entries);
            self.stage(name, |check, stage| check.suite(entries, time_for_suites, stage))?;
            if self.is_done() {
                return Ok(());
            }
        }
        let (all, seed) = (self.args.seconds, self.seed);
        let has_chess960 = self.args.chess960 || self.stages.iter().any(|stage| stage.has_chess960);
        let half = if has_chess960 { (self.start.elapsed() + all) / 2 } else { all };
        let (standard, chess960) = (CastlingMode::Standard, CastlingMode::Chess960);
        let name = format!("hunt, seed {seed}");
        self.stage(&name, |check, stage| check.hunt(standard, half, stage))?;
        if self.is_done() || !has_chess960 {
            return Ok(());
        }
        let name = format!("hunt in Chess960, seed {seed}");
        self.stage(&name, |check, stage| check.hunt(chess960, all, stage))
    }

    fn is_done(&self) -> bool {
        !self.args.keep_going && !self.found.is_empty()
    }

    /// Runs a stage and keeps its result.
    fn stage(&mut self, name: &str, run: impl FnOnce(&mut Self, &mut Stage) -> Ended) -> Ended {
        let start = Instant::now();
        self.meter.take();
        let mut stage = Stage::new(name);
        let ended = run(self, &mut stage);
        let Usage { nodes, time } = self.meter.take();
        stage.set_speed(nodes, time);
        stage.seconds = start.elapsed().as_secs_f64();
        let error = ended.as_ref().err();
        stage.error = error.map(|error| describe(error, self.settings));
        self.stages.push(stage);
        ended
    }

    fn suite(&mut self, entries: &[Entry], limit: Duration, stage: &mut Stage) -> Ended {
        for (number, entry) in (0..).zip(entries) {
            let counts = entry.counts.iter().copied();
            let within =
                |&(depth, nodes): &(Depth, u128)| depth > 0 && nodes <= self.args.max_nodes;
            let Some((depth, _)) = counts.filter(within).max() else {
                stage.skipped += 1;
                continue;
            };
            let time = self.start.elapsed();
            if self.is_done() || time >= limit {
                stage.unfinished += 1;
                continue;
            }
            let (all, wrong) = (entries.len(), stage.wrong);
            self.progress
                .show(|| format!("{}: {number} of {all} positions, {wrong} wrong", stage.name));
            let compared = self.entry(entry, depth, stage);
            if compared.is_err() {
                stage.unfinished = entries.len() - number;
            }
            compared?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry, depth: Depth, stage: &mut Stage) -> Ended {
        let root = &entry.position;
        let is_chess960 = root.castling_mode() == CastlingMode::Chess960;
        // A script cannot be queried for its options.
        if is_chess960 && self.args.engine.protocol == Protocol::Script && !self.args.chess960 {
            stage.skip("--chess960 says that the script knows it");
            return Ok(());
        }
        let diff = match self.finder.diff(&Query { root, line: &[], depth }) {
            Err(CompareError::Divider(error)) if error.lacks_chess960() && !self.args.chess960 => {
                stage.skip(&format!("the engine has no option {CHESS960_OPTION}"));
                return Ok(());
            }
            diff => diff?,
        };
        stage.add(depth, diff.ours);
        stage.has_chess960 |= is_chess960;
        if !diff.is_equal() {
            stage.wrong += 1;
            let place = format!("{}:{}", stage.name, entry.line);
            match self.finder.find(root, depth)?.mismatch() {
                Some(mismatch) => self.investigate(place, mismatch, stage),
                None => output::note(format_args!(
                    "perft: {place}: different, but not when the engine was asked again"
                )),
            }
        }
        Ok(())
    }

    fn hunt(&mut self, mode: CastlingMode, limit: Duration, stage: &mut Stage) -> Ended {
        let mut hunt = Hunt::new(self.seed, mode);
        let mut before = 0;
        let ended = loop {
            let mut number = before;
            let (start, progress, wrong) = (self.start, &mut self.progress, stage.wrong);
            let hunted = self.finder.hunt(&mut hunt, |next| {
                let time = start.elapsed();
                progress.show(|| {
                    let number = grouped((before + next).into());
                    format!("hunt: {number} positions, {wrong} wrong, {} s", time.as_secs())
                });
                number = before + next;
                time < limit
            });
            before = number;
            match hunted {
                Ok(Some(mismatch)) => {
                    stage.wrong += 1;
                    self.investigate(
                        format!("position {number} of the {}", stage.name),
                        mismatch,
                        stage,
                    );
                    if self.is_done() {
                        break Ok(());
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        stage.set_coverage(hunt.coverage());
        ended
    }

    /// Shrinks and explains a mismatch, unless another one has the same cause.
    fn investigate(&mut self, place: String, mismatch: Mismatch, stage: &Stage) {
        if !self.found.is_empty() {
            let title = MismatchReport::explained(self.finder, mismatch.clone()).title();
            if self.is_known(&title) {
                return;
            }
        }
        let (mismatch, not_shrunk) = investigate(self.finder, mismatch);
        // The smallest one can have another cause.
        if !self.is_known(&mismatch.title()) {
            let again = self.command(&mismatch);
            let stage = stage.name.clone();
            self.found.push(Found { stage, place, more: 0, again, mismatch, not_shrunk });
        }
    }

    /// Whether a mismatch with this cause was found before, to which this one is added.
    fn is_known(&mut self, title: &str) -> bool {
        let known = self.found.iter_mut().find(|found| found.title() == title);
        let is_known = known.is_some();
        known.into_iter().for_each(|known| known.more += 1);
        is_known
    }

    /// The command that shows a mismatch again.
    fn command(&self, mismatch: &MismatchReport) -> String {
        CommandLine::new(["compare".to_owned(), "--engine".to_owned()])
            .args([quoted(&self.settings.command)])
            .args(self.args.engine.as_args())
            .args(mismatch.as_arguments())
            .to_string()
    }

    fn into_report(self, ended: &Ended) -> CheckReport {
        let is_wrong = self.stages.iter().any(|stage| stage.wrong > 0);
        let interrupted = ended.as_ref().is_err_and(is_cancelled)
            || self.finder.counter().cancel_token().is_cancelled();
        let place = self.stages.last().map_or("", |stage| &stage.name);
        let error = ended.as_ref().err().filter(|_| !interrupted);
        CheckReport {
            equal: (is_wrong || (ended.is_ok() && !interrupted)).then_some(!is_wrong),
            engine: quoted(&self.settings.command),
            seed: self.seed,
            seconds: self.start.elapsed().as_secs_f64(),
            interrupted,
            error: error.map(|error| format!("{place}: {}", describe(error, self.settings))),
            stages: self.stages,
            mismatches: self.found,
        }
    }
}

//! The result of a check. The names of JSON keys are a contract with scripts.

use std::fmt;

use perft_compare::uci::{EngineError, EngineSettings};
use perft_compare::{Bug, CheckedOutput, SessionResult, Stage};
use perft_core::Depth;
use serde::Serialize;

use super::{COMMAND, text};
use crate::cli::args::CheckArgs;
use crate::cli::format::{Outcome, Report, Reproduction, TestCase};
use crate::cli::output::grouped;
use crate::cli::position::Start;
use crate::command_line::{CommandLine, quoted};

/// The result of a check.
#[derive(Serialize)]
pub struct CheckReport {
    /// Unknown if the check ended early without a difference.
    equal: Option<bool>,
    /// The command of the engine.
    engine: Option<String>,
    /// The seed of the random positions.
    seed: Option<u64>,
    seconds: f64,
    interrupted: bool,
    /// The error that ended the check.
    error: Option<String>,
    stages: Vec<Stage>,
    mismatches: Vec<Found>,
    /// Whether one position was compared: there is no table of what was tried.
    #[serde(skip)]
    is_one_position: bool,
}

/// A mismatch, and how to see it again.
#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    bug: Bug,
    /// The command that shows it again.
    again: String,
    #[serde(skip)]
    reproduction: Reproduction,
}

impl Found {
    fn new(bug: &Bug, again: String) -> Self {
        Self { bug: bug.clone(), again, reproduction: Reproduction::new(bug) }
    }
}

impl CheckReport {
    pub fn new(
        args: &CheckArgs,
        settings: &EngineSettings,
        seed: u64,
        result: &SessionResult<EngineError>,
        error: Option<String>,
    ) -> Self {
        let is_one_position = !args.tokens.is_empty();
        let place = result.stages.last().filter(|_| !is_one_position);
        let found = |bug: &Bug| {
            let mismatch = bug.mismatch();
            let before = &mismatch.case.uci_moves()[..mismatch.given_moves];
            let (root, depth) = (&mismatch.case.root, mismatch.first_depth.to_string());
            let command = args.engine.check_command(&settings.command);
            let command = command.position(&root.to_string(), &depth, root.castling_mode(), before);
            Found::new(bug, command.to_string())
        };
        Self {
            equal: result.is_equal(),
            engine: Some(quoted(&settings.command)),
            seed: (args.suite.is_none() && !is_one_position).then_some(seed),
            seconds: result.time.as_secs_f64(),
            interrupted: result.cancelled,
            error: error.map(|error| match place {
                Some(stage) => format!("{}: {error}", stage.name),
                None => error,
            }),
            stages: result.stages.clone(),
            mismatches: result.bugs.iter().map(found).collect(),
            is_one_position,
        }
    }

    /// The result for a divide on standard input.
    pub fn pasted(
        args: &CheckArgs,
        start: &Start,
        depth: Depth,
        checked: CheckedOutput,
        seconds: f64,
    ) -> Self {
        let CheckedOutput { diff, bug } = checked;
        let stage = Stage {
            name: "standard input".to_owned(),
            positions: 1,
            wrong: bug.iter().len(),
            min_depth: Some(depth),
            max_depth: Some(depth),
            nodes: diff.ours,
            seconds,
            ..Stage::default()
        };
        let found = |bug: Bug| {
            let bug = Bug { stage: stage.name.clone(), ..bug };
            // The next divide to paste, or the same again.
            let mut moves: Vec<String> =
                start.line.iter().map(|mv| mv.uci(start.root.castling_mode())).collect();
            moves.extend(bug.next.clone());
            let depth = (depth - u8::from(bug.next.is_some())).to_string();
            // A name is easier to read than its FEN.
            let name = args.tokens.split_last().map_or(String::new(), |(_, name)| name.join(" "));
            let name = if name.contains(" moves") { start.root.to_string() } else { name };
            let mode = start.root.castling_mode();
            let command = CommandLine::new(["check", "-"]).position(&name, &depth, mode, &moves);
            Found::new(&bug, command.to_string())
        };
        Self {
            equal: Some(bug.is_none()),
            engine: None,
            seed: None,
            seconds,
            interrupted: false,
            error: None,
            mismatches: bug.map(found).into_iter().collect(),
            stages: vec![stage],
            is_one_position: true,
        }
    }

    pub fn equal(&self) -> Option<bool> {
        self.equal
    }

    pub fn is_different(&self) -> bool {
        self.equal == Some(false)
    }

    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// A mismatch as CI shows it.
    fn case(&self, found: &Found) -> TestCase {
        let Bug { place, stage, epd, .. } = &found.bug;
        let mut text = self.text(found);
        if let Some(epd) = epd.as_ref().filter(|_| self.is_one_position) {
            text += &format!("\n{epd}\n");
        }
        let case = TestCase::new(COMMAND, place, Outcome::Failed(found.bug.title(), text));
        let line = place.strip_prefix(stage.as_str()).and_then(|rest| rest.strip_prefix(':'));
        match line.and_then(|line| line.parse().ok()) {
            Some(line) => case.at_line(stage, line),
            None => case,
        }
    }

    /// A mismatch in words.
    fn text(&self, found: &Found) -> String {
        let Found { bug, again, .. } = found;
        let mut text = String::new();
        // Writing to a string does not fail.
        _ = self.write_found(&mut text, bug, again);
        text
    }

    fn write_found(&self, f: &mut impl fmt::Write, bug: &Bug, again: &str) -> fmt::Result {
        if self.is_one_position {
            text::write_bug(f, bug)?;
            return match &bug.next {
                Some(_) => writeln!(f, "Next, with the divide of that position: {again}"),
                None => Ok(()),
            };
        }
        match bug.more {
            0 => writeln!(f, "Found at {}", bug.place)?,
            more => writeln!(f, "Found at {}, and in {more} more positions", bug.place)?,
        }
        if let Some(reason) = &bug.not_shrunk {
            writeln!(f, "{reason}")?;
        }
        text::write_bug(f, bug)?;
        writeln!(f)?;
        if let Some(epd) = &bug.epd {
            writeln!(f, "For a suite: {epd}")?;
        }
        writeln!(f, "To see it again: {again}")
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.mismatches {
            f.write_str(&self.text(found))?;
            if !self.is_one_position {
                writeln!(f)?;
            }
        }
        if self.is_one_position {
            return match self.stages.first() {
                Some(Stage { max_depth: Some(depth), nodes, .. }) if self.equal == Some(true) => {
                    let word = if self.engine.is_some() { "to" } else { "at" };
                    writeln!(f, "Equal {word} depth {depth}: {nodes} nodes")
                }
                // A note says why it ended early.
                _ => Ok(()),
            };
        }
        text::write_stages(f, &self.stages)?;
        let positions: u64 = self.stages.iter().map(|stage| stage.positions).sum();
        match self.equal {
            Some(true) => writeln!(f, "No difference in {} positions.", grouped(positions.into())),
            Some(false) => {
                let titles: Vec<String> =
                    self.mismatches.iter().map(|found| found.bug.title()).collect();
                writeln!(f, "Different: {}.", titles.join(", "))
            }
            None => Ok(()),
        }
    }
}

impl Report for CheckReport {
    /// The mismatches of each stage, or the stage.
    fn cases(&self) -> Vec<TestCase> {
        let mut cases = Vec::new();
        for stage in &self.stages {
            let outcome = match (&stage.error, &stage.skip_reason) {
                (Some(error), _) => Outcome::Error(error.clone()),
                (None, Some(reason)) if stage.positions == 0 => Outcome::Skipped(reason.clone()),
                (None, _) if self.equal.is_none() && stage.unfinished > 0 => {
                    Outcome::Error(format!("ended early: {}", text::figures(stage)))
                }
                (None, _) if stage.positions == 0 => Outcome::Skipped(text::verdict(stage)),
                (None, _) => Outcome::Passed(text::figures(stage)),
            };
            let found = self.mismatches.iter().filter(|found| found.bug.stage == stage.name);
            let mut found: Vec<TestCase> = found.map(|found| self.case(found)).collect();
            if found.is_empty() || stage.error.is_some() {
                found.push(TestCase::new(COMMAND, &stage.name, outcome));
            }
            found[0].seconds = stage.seconds;
            cases.extend(found);
        }
        cases
    }

    fn reproductions(&self) -> Vec<&Reproduction> {
        self.mismatches.iter().map(|found| &found.reproduction).collect()
    }
}

//! The result of a check. The names of JSON keys are a contract with scripts.

use std::fmt;
use std::time::Duration;

use perft_compare::Coverage;
use perft_core::Depth;
use serde::Serialize;

use super::super::compare::hunt::CoverageReport;
use super::super::compare::report::MismatchReport;
use super::super::format::{Outcome, Report, Reproduction, TestCase};
use super::super::output::{grouped, result_of_suite};
use super::COMMAND;

/// The result of a check.
#[derive(Serialize)]
pub struct CheckReport {
    /// Unknown if the check ended early without a difference.
    pub equal: Option<bool>,
    pub engine: String,
    pub seed: u64,
    pub seconds: f64,
    pub interrupted: bool,
    /// The error that ended the check.
    pub error: Option<String>,
    pub stages: Vec<Stage>,
    pub mismatches: Vec<Found>,
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.mismatches {
            writeln!(f, "{found}")?;
        }
        let widths = self.stages.iter().map(|stage| stage.name.chars().count());
        let width = widths.chain(["tried".len()]).max().unwrap_or_default();
        writeln!(
            f,
            "{:width$}  {:>9}  {:>6}  {:>14}  {:>18}  verdict",
            "tried", "positions", "depths", "nodes", "million nodes/s"
        )?;
        for stage in &self.stages {
            let speed = stage.speed().map_or("-".to_owned(), |speed| format!("{:.1}", speed / 1e6));
            let (name, positions, depths) =
                (&stage.name, grouped(stage.positions.into()), stage.depths());
            let (nodes, verdict) = (grouped(stage.nodes), stage.verdict());
            writeln!(
                f,
                "{name:width$}  {positions:>9}  {depths:>6}  {nodes:>14}  {speed:>18}  {verdict}"
            )?;
        }
        for stage in &self.stages {
            if let Some(coverage) = &stage.coverage {
                writeln!(f, "Covered by the {}: {coverage}", stage.name)?;
            }
        }
        let positions: u64 = self.stages.iter().map(|stage| stage.positions).sum();
        match self.equal {
            Some(true) => writeln!(f, "No difference in {} positions.", grouped(positions.into())),
            Some(false) => {
                let titles: Vec<String> = self.mismatches.iter().map(Found::title).collect();
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
                (None, None) if stage.positions == 0 => Outcome::Skipped(stage.verdict()),
                (None, _) => Outcome::Passed(stage.figures()),
            };
            let found = self.mismatches.iter().filter(|found| found.stage == stage.name);
            let mut found: Vec<TestCase> = found.map(Found::case).collect();
            if found.is_empty() || stage.error.is_some() {
                found.push(TestCase::new(COMMAND, &stage.name, outcome));
            }
            found[0].seconds = stage.seconds;
            cases.extend(found);
        }
        cases
    }

    fn reproductions(&self) -> Vec<&Reproduction> {
        self.mismatches.iter().map(|found| found.mismatch.reproduction()).collect()
    }
}

/// A suite, or a hunt.
#[derive(Default, Serialize)]
pub struct Stage {
    pub name: String,
    /// Positions that were compared.
    pub positions: u64,
    pub skipped: usize,
    pub unfinished: usize,
    /// Positions whose divides differ.
    pub wrong: usize,
    pub min_depth: Option<Depth>,
    pub max_depth: Option<Depth>,
    /// The sum of our counts.
    pub nodes: u128,
    /// The time of the whole stage.
    pub seconds: f64,
    /// The speed of the engine.
    nps: Option<u64>,
    #[serde(skip)]
    speed: Option<f64>,
    pub skip_reason: Option<String>,
    /// The rules of a hunt.
    pub coverage: Option<CoverageReport>,
    pub error: Option<String>,
    #[serde(skip)]
    pub has_chess960: bool,
}

impl Stage {
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds a position that was compared.
    pub fn add(&mut self, depth: Depth, nodes: u128) {
        self.positions += 1;
        self.nodes = self.nodes.saturating_add(nodes);
        self.add_depth(depth);
    }

    fn add_depth(&mut self, depth: Depth) {
        self.min_depth = Some(self.min_depth.map_or(depth, |least| least.min(depth)));
        self.max_depth = Some(self.max_depth.map_or(depth, |greatest| greatest.max(depth)));
    }

    pub fn skip(&mut self, reason: &str) {
        self.skipped += 1;
        self.skip_reason = Some(reason.to_owned());
    }

    pub fn set_coverage(&mut self, coverage: &Coverage) {
        (self.positions, self.nodes) = (coverage.positions, coverage.nodes);
        coverage.depths.keys().for_each(|&depth| self.add_depth(depth));
        self.coverage = Some(coverage.into());
    }

    /// Sets what the engine counted, and in which time.
    pub fn set_speed(&mut self, nodes: u128, time: Duration) {
        let seconds = time.as_secs_f64();
        self.speed = (seconds > 0.0 && nodes > 0).then(|| nodes as f64 / seconds);
        self.nps = self.speed.map(|speed| speed as u64);
    }

    fn speed(&self) -> Option<f64> {
        self.speed
    }

    /// The depths that were compared: `1-4`.
    fn depths(&self) -> String {
        match (self.min_depth, self.max_depth) {
            (Some(least), Some(greatest)) if least < greatest => format!("{least}-{greatest}"),
            (Some(depth), _) => depth.to_string(),
            _ => "-".to_owned(),
        }
    }

    fn figures(&self) -> String {
        let (positions, nodes) = (grouped(self.positions.into()), grouped(self.nodes));
        let (depths, verdict) = (self.depths(), self.verdict());
        let speed = match self.speed {
            Some(speed) => format!(", {:.1} million nodes/s", speed / 1e6),
            None => String::new(),
        };
        format!("{positions} positions, depths {depths}, {nodes} nodes{speed}: {verdict}")
    }

    fn verdict(&self) -> String {
        let Self { wrong, unfinished, .. } = *self;
        let compared = usize::try_from(self.positions).unwrap_or(usize::MAX);
        let verdict = result_of_suite(["equal", "DIFFERENT"], compared, wrong, unfinished);
        let reason = match (&self.error, &self.skip_reason) {
            (Some(_), _) => "; ended by an error".to_owned(),
            (None, Some(reason)) if self.positions == 0 => format!(": {reason}"),
            (None, Some(reason)) => format!("; {} skipped: {reason}", self.skipped),
            (None, None) => String::new(),
        };
        verdict + &reason
    }
}

/// A mismatch: the smallest position, its cause, and where it was found.
#[derive(Serialize)]
pub struct Found {
    /// The name of the stage.
    pub stage: String,
    /// The position as it was found: a line of a suite, or the number of a random position.
    pub place: String,
    /// Further positions with the same cause, which were not reduced.
    pub more: usize,
    /// The command that shows it again.
    pub again: String,
    #[serde(flatten)]
    pub mismatch: MismatchReport,
    /// The reason why it is not the smallest mismatch.
    pub not_shrunk: Option<String>,
}

impl Found {
    pub fn title(&self) -> String {
        self.mismatch.title()
    }

    fn case(&self) -> TestCase {
        let outcome = Outcome::Failed(self.title(), self.to_string());
        TestCase::new(COMMAND, &self.place, outcome)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, more, again, mismatch, .. } = self;
        match more {
            0 => writeln!(f, "Found at {place}")?,
            more => writeln!(f, "Found at {place}, and in {more} more positions")?,
        }
        if let Some(reason) = &self.not_shrunk {
            writeln!(f, "{reason}")?;
        }
        writeln!(f, "{mismatch}")?;
        if let Some(epd) = &mismatch.epd {
            writeln!(f, "For a suite: {epd}")?;
        }
        writeln!(f, "To see it again: {again}")
    }
}

//! Results in the formats of `--format` and `--json`: text, JSON, and for CI [GitHub annotations](github) and
//! [JUnit XML](junit); and [tests to paste](emit).

mod emit;
mod github;
mod junit;

use std::fmt;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::Serialize;

pub use self::emit::Reproduction;
use super::args::{FormatArgs, Language, ReportFormat as Format};
use super::files::{refuse_to_overwrite, write_whole};
use super::output;

/// The result of a command that checks something.
pub trait Report: fmt::Display + Serialize {
    /// The result as CI shows it.
    fn cases(&self) -> Vec<TestCase>;

    /// The mismatches as `--emit` prints them.
    fn reproductions(&self) -> Vec<&Reproduction> {
        Vec::new()
    }
}

/// A part of a result as CI shows it.
pub struct TestCase {
    /// The command, or the file that it read.
    pub group: String,
    pub name: String,
    pub seconds: f64,
    pub outcome: Outcome,
    /// The file and the line that it is about.
    pub place: Option<(String, usize)>,
}

pub enum Outcome {
    /// With the figures.
    Passed(String),
    /// With the reason.
    Skipped(String),
    /// With the name of the mistake, and the whole report.
    Failed(String, String),
    /// It could not be decided, for this reason.
    Error(String),
}

impl TestCase {
    pub fn new(group: impl Into<String>, name: impl Into<String>, outcome: Outcome) -> Self {
        let (group, name) = (group.into(), name.into());
        Self { group, name, seconds: 0.0, outcome, place: None }
    }

    /// Names the place, if it is in a file.
    pub fn at_line(self, file: &str, line: usize) -> Self {
        let place = std::path::Path::new(file).is_file().then(|| (file.to_owned(), line));
        Self { place, ..self }
    }
}

/// The format of a result, and the places where it goes.
pub struct Output {
    format: Format,
    json: bool,
    pub quiet: bool,
    junit_file: Option<PathBuf>,
    language: Option<Language>,
}

impl Output {
    /// # Errors
    /// If `--emit` and a format are asked for, or `--junit` names a file of another kind.
    pub fn new(args: &FormatArgs, language: Option<Language>) -> Result<Self> {
        let FormatArgs { format, json, quiet, .. } = *args;
        if language.is_some() && (json || format != Format::Text) {
            bail!("--emit prints a test and no other format; leave out --json or --format");
        }
        let junit_file = args.junit.clone();
        if let Some(path) = &junit_file {
            refuse_to_overwrite(path, junit::START, "JUnit file")?;
        }
        Ok(Self { format, json, quiet, junit_file, language })
    }

    pub fn is_text(&self) -> bool {
        !self.json && self.format == Format::Text
    }

    /// Prints a result that the exit code repeats: a closed pipe is not an error. Returns whether
    /// the pipe is still open.
    pub fn print(&self, report: &impl Report) -> Result<bool> {
        let text = match (self.format, self.language) {
            _ if self.json => serde_json::to_string(report)? + "\n",
            (Format::Text, None) => report.to_string(),
            (Format::Text, Some(language)) => {
                if !self.quiet {
                    output::note(format_args!("{}", report.to_string().trim_end()));
                }
                emit::tests(&report.reproductions(), language)
            }
            (Format::Github | Format::Junit, _) => self.for_ci(&report.cases())?,
        };
        let is_read = output::result_unless_closed(&text)?;
        self.write_junit_file(|| report.cases())?;
        Ok(is_read)
    }

    /// Reports to CI that there is no result, and why.
    pub fn print_error(&self, command: &str, error: &anyhow::Error) -> Result<()> {
        let cases = || vec![TestCase::new(command, command, Outcome::Error(format!("{error:#}")))];
        if matches!(self.format, Format::Github | Format::Junit) {
            output::result_unless_closed(&self.for_ci(&cases())?)?;
        }
        self.write_junit_file(cases)
    }

    fn for_ci(&self, cases: &[TestCase]) -> Result<String> {
        if self.format == Format::Junit {
            return junit::xml(cases);
        }
        github::append_summary(cases);
        Ok(github::annotations(cases))
    }

    fn write_junit_file(&self, cases: impl FnOnce() -> Vec<TestCase>) -> Result<()> {
        match &self.junit_file {
            Some(path) => {
                let xml = junit::xml(&cases())?;
                write_whole(path, |out| out.write_all(xml.as_bytes()))
            }
            None => Ok(()),
        }
    }
}

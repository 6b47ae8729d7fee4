//! The files of suites: their bad lines, positions that no game reaches, and other formats.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use perft_compare::Suite;
use perft_compare::suite::{Format, SuiteError, SuiteErrorKind};

use super::BAD_INPUT;
use super::args::{SuiteArgs, SuiteFormat};
use super::output::{self, number_of, visible};

/// More bad lines are not listed: a file that is no suite has no end of them.
const MAX_LISTED: usize = 100;

/// Suites, and the lines of each that cannot be used.
pub struct SuiteFiles {
    pub suites: Vec<Suite>,
    pub bad_lines: Vec<Vec<SuiteError>>,
}

impl SuiteFiles {
    /// Opens suites; if none is named, the built-in ones.
    pub fn open(files: &[PathBuf], strict: bool) -> Result<Self> {
        let (mut suites, mut bad_lines) = (Suite::embedded(), Vec::new());
        if !files.is_empty() {
            suites.clear();
        }
        for file in files {
            let (mut suite, mut bad) = Suite::open_lossy(file)?;
            suite.name = visible(&suite.name);
            bad.iter_mut().for_each(|error| error.suite.clone_from(&suite.name));
            suites.push(suite);
            bad_lines.push(bad);
        }
        bad_lines.resize_with(suites.len(), Vec::new);
        for (suite, bad) in suites.iter_mut().zip(&mut bad_lines).filter(|_| strict) {
            suite.entries.retain(|entry| {
                let reason = entry.position.impossibility();
                bad.extend(reason.map(|reason| SuiteError {
                    suite: suite.name.clone(),
                    line: entry.line,
                    kind: SuiteErrorKind::Impossible(reason),
                }));
                reason.is_none()
            });
            bad.sort_by_key(|error| error.line);
        }
        let mut bad = bad_lines.iter().flatten();
        if suites.iter().all(|suite| suite.entries.is_empty())
            && let Some(first) = bad.next()
        {
            match bad.count() {
                0 => bail!("{first}"),
                more => bail!("{first} (and {more} more)"),
            }
        }
        Ok(Self { suites, bad_lines })
    }

    /// Warns of positions that no game reaches, in one line for each suite that is not built in.
    pub fn warn_of_impossible(&self) {
        let is_built_in = |name: &str| {
            !Path::new(name).exists() && Suite::embedded().iter().any(|suite| suite.name == name)
        };
        for suite in self.suites.iter().filter(|suite| !is_built_in(&suite.name)) {
            let reasons = suite.entries.iter();
            let mut reasons =
                reasons.filter_map(|entry| Some((entry.line, entry.position.impossibility()?)));
            if let Some((line, reason)) = reasons.next() {
                let others = match reasons.count() {
                    0 => String::new(),
                    more => format!(" (and {more} more)"),
                };
                let name = &suite.name;
                output::note(format_args!(
                    "perft: warning: {name}:{line}: no game reaches the position: {reason}{others}"
                ));
            }
        }
    }

    /// Lists the lines that cannot be used. The exit code is that of the run unless there are any
    /// and the run found nothing wrong.
    pub fn finish(&self, args: &SuiteArgs, code: ExitCode) -> ExitCode {
        let all = self.bad_lines.iter().flatten().count();
        if all == 0 || (args.skip_bad && args.output.quiet) {
            return code;
        }
        for error in self.bad_lines.iter().flatten().take(MAX_LISTED) {
            let skipped = if args.skip_bad { "skipped " } else { "" };
            output::note(format_args!("perft: {skipped}{error}"));
        }
        if let Some(more) = all.checked_sub(MAX_LISTED).filter(|&more| more > 0) {
            output::note(format_args!("perft: and {more} more"));
        }
        if args.skip_bad {
            return code;
        }
        let lines = number_of(all as u128, "line");
        output::note(format_args!("perft: {lines} cannot be used (--skip-bad skips them)"));
        if code == ExitCode::SUCCESS { ExitCode::from(BAD_INPUT) } else { code }
    }

    /// Prints all positions in a format.
    pub fn write(&self, format: SuiteFormat) -> Result<()> {
        let entries = self.suites.iter().flat_map(|suite| suite.entries.clone()).collect();
        let all = Suite { name: String::new(), entries };
        let format = match format {
            SuiteFormat::Epd => Format::Epd,
            SuiteFormat::Json => Format::Json,
        };
        output::result(&all.written(format))
    }
}

/// Suites to compare an engine on. Lines that cannot be used are skipped, with a note for each.
pub fn open_suites(files: &[PathBuf]) -> Result<Vec<Suite>> {
    let SuiteFiles { suites, bad_lines } = SuiteFiles::open(files, false)?;
    for error in bad_lines.into_iter().flatten().take(MAX_LISTED) {
        output::note(format_args!("perft: skipped {error}"));
    }
    Ok(suites)
}

/// The variant that a suite is for, if its name says that it is another one than ours.
pub fn other_variant(suite: &Suite) -> Option<&'static str> {
    const VARIANTS: [(&str, &str); 13] = [
        ("antichess", "antichess"),
        ("giveaway", "antichess"),
        ("suicide", "antichess"),
        ("atomic", "atomic chess"),
        ("crazyhouse", "crazyhouse"),
        ("bughouse", "bughouse"),
        ("horde", "horde"),
        ("kingofthehill", "king of the hill"),
        ("racingkings", "racing kings"),
        ("3check", "three-check"),
        ("threecheck", "three-check"),
        ("shogi", "shogi"),
        ("xiangqi", "xiangqi"),
    ];
    let name = suite.name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    VARIANTS.into_iter().find_map(|(word, variant)| name.contains(word).then_some(variant))
}

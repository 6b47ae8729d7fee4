//! Files and pipes of lines: bounded reading, units and results.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::lines::{Header, LineError, ResultLine, UnitId, UnitLine, VERSION};
use crate::perft::Depth;
use crate::sys::lines::{LineEnd, read_line};
use crate::sys::{CancelToken, pool};

/// The limit of a line; no line of a plan or of results comes near it.
pub(super) const MAX_LINE: usize = 1 << 16;

/// Interval between cancellation checks while waiting for input.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Lines that the reader of a pipe may be ahead.
const PIPE_LINES: usize = 1000;

/// An error in a file of lines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refuses something; the text says what.
    #[error("{0}")]
    Io(String, #[source] io::Error),
    /// A directory has no lines.
    #[error("{0:?} is a directory, not a file")]
    Directory(String),
    /// A device or a pipe cannot be a journal.
    #[error("{0} is not a plain file")]
    NotPlain(String),
    /// Another process has the journal.
    #[error("{0} is in use by another perft")]
    InUse(String),
    /// A line is too long.
    #[error("{0}: a line of more than {MAX_LINE} bytes")]
    TooLong(Place),
    /// A line is not text.
    #[error("{0}: not UTF-8 text")]
    NotUtf8(Place),
    /// A line is wrong.
    #[error("{0}: {1}")]
    Line(Place, LineError),
    /// A result of another version, which would not be added up in the end.
    #[error("{0}: a result of version {1}, not {VERSION}")]
    Version(Place, String),
    /// Units and results do not belong together.
    #[error(
        "there are results of depth {0}, and unit {1} is of depth {2}: they are of another plan"
    )]
    OtherPlan(Depth, UnitId, Depth),
}

/// A line of a file, for messages: `results.jsonl:7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file.
    pub file: Arc<str>,
    /// The number of the line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The lines of a file, or of standard input for `-`, that are not blank. Ends early if it is
/// cancelled.
pub struct LineReader {
    source: Source,
    cancel: CancelToken,
}

/// A line without the white space around it.
pub struct TextLine {
    /// Its place.
    pub place: Place,
    /// The text.
    pub text: String,
    /// Whether it ends with a newline.
    pub is_ended: bool,
}

enum Source {
    File(Input<File>),
    /// Read by another thread, so that waiting for an idle pipe can be cancelled.
    Pipe(Receiver<Result<TextLine, FileError>>),
}

impl LineReader {
    /// Opens a file or pipe.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path, cancel: &CancelToken) -> Result<Self, FileError> {
        let name = path.display().to_string();
        let source = if name == "-" {
            pipe(Input::new("standard input".into(), io::stdin()))?
        } else {
            let error = |action| {
                let message = format!("cannot {action} {name:?}");
                move |error| FileError::Io(message, error)
            };
            let file = File::open(path).map_err(error("open"))?;
            let kind = file.metadata().map_err(error("read"))?;
            if kind.is_dir() {
                return Err(FileError::Directory(name));
            }
            let input = Input::new(name, file);
            if kind.is_file() { Source::File(input) } else { pipe(input)? }
        };
        Ok(Self { source, cancel: cancel.clone() })
    }
}

fn pipe(mut input: Input<impl Read + Send + 'static>) -> Result<Source, FileError> {
    let (sender, receiver) = mpsc::sync_channel(PIPE_LINES);
    let name = input.name.clone();
    let started = pool::spawn(move || {
        while let Some(line) = input.read().transpose() {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let message = || format!("the system gives no thread to read {name} with");
    started.map_err(|error| FileError::Io(message(), error))?;
    Ok(Source::Pipe(receiver))
}

impl Iterator for LineReader {
    type Item = Result<TextLine, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.cancel.is_cancelled() {
            match &mut self.source {
                Source::File(input) => return input.read().transpose(),
                Source::Pipe(lines) => match lines.recv_timeout(POLL_INTERVAL) {
                    Ok(line) => return Some(line),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                },
            }
        }
        None
    }
}

struct Input<R> {
    name: Arc<str>,
    input: BufReader<R>,
    line: usize,
}

impl<R: Read> Input<R> {
    fn new(name: String, input: R) -> Self {
        Self { name: name.into(), input: BufReader::with_capacity(1 << 16, input), line: 0 }
    }

    /// The next line that is not blank.
    fn read(&mut self) -> Result<Option<TextLine>, FileError> {
        let mut bytes = Vec::new();
        loop {
            let end = read_line(&mut self.input, &mut bytes, MAX_LINE);
            let end =
                end.map_err(|error| FileError::Io(format!("cannot read {}", self.name), error))?;
            self.line += 1;
            let place = Place { file: self.name.clone(), line: self.line };
            match end {
                LineEnd::Eof => return Ok(None),
                LineEnd::TooLong => return Err(FileError::TooLong(place)),
                LineEnd::Newline | LineEnd::Unterminated => {}
            }
            let Ok(text) = str::from_utf8(&bytes) else { return Err(FileError::NotUtf8(place)) };
            let text = text.trim_start_matches('\u{feff}').trim().to_owned();
            if !text.is_empty() {
                return Ok(Some(TextLine { place, text, is_ended: end == LineEnd::Newline }));
            }
        }
    }
}

/// Opens a plan, or a part of one. Headers are checked and skipped.
///
/// # Errors
/// If it cannot be read.
pub fn read_units(
    path: &Path,
    cancel: &CancelToken,
) -> Result<impl Iterator<Item = Result<UnitLine, FileError>> + Send + use<>, FileError> {
    let parse = |TextLine { place, text, .. }| {
        let unit = if Header::is_header(&text) {
            Header::parse(&text).map(|_| None)
        } else {
            UnitLine::parse(&text).map(Some)
        };
        unit.map_err(|error| FileError::Line(place, error))
    };
    let lines = LineReader::open(path, cancel)?;
    Ok(lines.filter_map(move |line| line.and_then(parse).transpose()))
}

/// A line of results that a killed program left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLine {
    /// The line is cut off, and skipped. If it has no newline, it is the last.
    #[error("{0}: a line is cut off{end}; not counted", end = if *.1 { "" } else { ", the last" })]
    Torn(Place, bool),
    /// Another line was appended to one that is cut off; it is read.
    #[error("{0}: a line is cut off or runs into another; its last result counts")]
    Joined(Place),
}

/// Opens a file of results. Calls `on_bad_line` with each line that is cut off.
///
/// # Errors
/// If it cannot be read.
pub fn read_results<F: FnMut(BadLine)>(
    path: &Path,
    cancel: &CancelToken,
    mut on_bad_line: F,
) -> Result<impl Iterator<Item = Result<(Place, ResultLine), FileError>> + use<F>, FileError> {
    let mut parse = move |TextLine { place, text, is_ended }| {
        // A power cut leaves zeros.
        match ResultLine::parse(text.trim_matches('\0')) {
            Ok(result) => Ok(Some((place, result))),
            Err(LineError::NotAnObject) if let Some(result) = last_result(&text) => {
                on_bad_line(BadLine::Joined(place.clone()));
                Ok(Some((place, result)))
            }
            Err(LineError::Torn) => {
                on_bad_line(BadLine::Torn(place, is_ended));
                Ok(None)
            }
            Err(error) => Err(FileError::Line(place, error)),
        }
    };
    let lines = LineReader::open(path, cancel)?;
    Ok(lines.filter_map(move |line| line.and_then(&mut parse).transpose()))
}

/// The result at the end of a line that begins with something else.
fn last_result(text: &str) -> Option<ResultLine> {
    let start = text.rfind("{\"id\":\"").filter(|&start| start > 0)?;
    ResultLine::parse(&text[start..]).ok()
}

/// The units that have a result already.
#[derive(Debug, Default)]
pub struct Finished {
    ids: FxHashSet<UnitId>,
    depths: BTreeSet<Depth>,
}

impl Finished {
    /// Adds a unit.
    ///
    /// # Errors
    /// If its result is of another version.
    pub fn add(&mut self, place: Place, result: ResultLine) -> Result<(), FileError> {
        if result.version != VERSION {
            return Err(FileError::Version(place, result.version));
        }
        self.ids.insert(result.id);
        self.depths.insert(result.depth);
        Ok(())
    }

    /// Whether a unit has a result.
    ///
    /// # Errors
    /// If there are results of another depth, that is, of another plan.
    pub fn contains(&self, unit: &UnitLine) -> Result<bool, FileError> {
        match self.depths.iter().find(|&&depth| depth != unit.depth) {
            Some(&depth) => Err(FileError::OtherPlan(depth, unit.id(), unit.depth)),
            None => Ok(self.ids.contains(&unit.id())),
        }
    }
}

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

use super::PlanError;
use super::lines::{Header, LineError, ResultLine, UnitId, UnitLine, VERSION};
use super::verify::Disagreement;
use perft_core::sys::lines::{LineEnd, read_line};
use perft_core::sys::{CancelToken, pool};
use perft_core::{CountError, Depth};

/// The limit of a line; no line of a plan or of results comes near it.
const MAX_LINE: usize = 1 << 16;

/// Interval between cancellation checks while waiting for input.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Lines that the reader of a pipe may be ahead.
const PIPE_LINES: usize = 1000;

/// The reason why files of units and results are refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refuses something; the text says what.
    #[error("{0}")]
    Io(String, #[source] io::Error),
    /// A file cannot be used; the text says which and why.
    #[error("{0}")]
    File(String),
    /// A line is wrong.
    #[error("{0}: {1}")]
    Line(Place, String),
    /// Results contradict each other.
    #[error(transparent)]
    Disagreement(Box<Disagreement>),
    /// The count cannot be cut into units.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A count failed.
    #[error(transparent)]
    Count(#[from] CountError),
}

/// A line of a file, for messages: `results.jsonl:7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file.
    pub file: Arc<str>,
    /// The number of the line, from 1.
    pub line: usize,
}

impl Place {
    /// An error in this line.
    pub fn error(&self, error: impl fmt::Display) -> FileError {
        FileError::Line(self.clone(), error.to_string())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The lines of a file, or of standard input for `-`, that are not blank. Ends early if it is
/// cancelled.
pub(super) struct LineReader {
    source: Source,
    cancel: CancelToken,
}

enum Source {
    File(Input<File>),
    /// Read by another thread, so that waiting for an idle pipe can be cancelled.
    Pipe(Receiver<Result<TextLine, FileError>>),
}

impl LineReader {
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
                return Err(FileError::File(format!("{name:?} is a directory, not a file")));
            }
            let input = Input::new(name.into(), file);
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

/// A line without the white space around it.
pub(super) struct TextLine {
    pub place: Place,
    pub text: String,
    /// Its first byte in the file.
    pub start: u64,
    /// Whether it ends with a newline.
    pub is_ended: bool,
}

/// Lines and their places.
pub(super) struct Input<R> {
    pub name: Arc<str>,
    input: BufReader<R>,
    /// The number of lines read.
    pub line: usize,
    /// The number of bytes read.
    pub end: u64,
}

impl<R: Read> Input<R> {
    pub fn new(name: Arc<str>, input: R) -> Self {
        Self { name, input: BufReader::with_capacity(1 << 16, input), line: 0, end: 0 }
    }

    /// The next line that is not blank.
    pub fn read(&mut self) -> Result<Option<TextLine>, FileError> {
        let mut bytes = Vec::new();
        loop {
            let line_end = read_line(&mut self.input, &mut bytes, MAX_LINE)
                .map_err(|error| FileError::Io(format!("cannot read {}", self.name), error))?;
            if line_end == LineEnd::Eof {
                return Ok(None);
            }
            let start = self.end;
            self.line += 1;
            self.end += bytes.len() as u64;
            let place = Place { file: self.name.clone(), line: self.line };
            if line_end == LineEnd::TooLong {
                return Err(place.error(format!("a line of more than {MAX_LINE} bytes")));
            }
            let text = str::from_utf8(&bytes).map_err(|_| place.error("not UTF-8 text"))?;
            let text = text.trim_start_matches('\u{feff}').trim().to_owned();
            if !text.is_empty() {
                let is_ended = line_end == LineEnd::Newline;
                return Ok(Some(TextLine { place, text, start, is_ended }));
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
        unit.map_err(|error| place.error(error))
    };
    let lines = LineReader::open(path, cancel)?;
    Ok(lines.filter_map(move |line| line.and_then(parse).transpose()))
}

/// Reads a file of results, each with its place. Lines that a kill has cut off are skipped, and
/// given to `on_bad_line` as an error. Ends early if it is cancelled.
///
/// # Errors
/// If the file cannot be read, at the first line that is wrong otherwise, or the first from
/// `on_result`.
pub fn read_results(
    path: &Path,
    cancel: &CancelToken,
    mut on_bad_line: impl FnMut(FileError),
    mut on_result: impl FnMut(Place, ResultLine) -> Result<(), FileError>,
) -> Result<(), FileError> {
    for line in LineReader::open(path, cancel)? {
        let TextLine { place, text, is_ended, .. } = line?;
        // A power cut leaves zeros.
        match ResultLine::parse(text.trim_matches('\0')) {
            Ok(result) => on_result(place, result)?,
            Err(LineError::NotAnObject) if let Some(result) = last_result(&text) => {
                let message = "a line is cut off or runs into another; its last result counts";
                on_bad_line(place.error(message));
                on_result(place, result)?;
            }
            Err(LineError::Torn) => {
                let last = if is_ended { "" } else { ", the last" };
                on_bad_line(place.error(format!("a line is cut off{last}; not counted")));
            }
            Err(error) => return Err(place.error(error)),
        }
    }
    Ok(())
}

/// The result at the end of a line that begins with something else.
fn last_result(text: &str) -> Option<ResultLine> {
    let start = text.rfind("{\"id\":\"").filter(|&start| start > 0)?;
    ResultLine::parse(&text[start..]).ok()
}

/// The units that have a result already.
#[derive(Debug, Default)]
pub struct Finished {
    /// Whether results without statistics do not count.
    needs_stats: bool,
    ids: FxHashSet<UnitId>,
    depths: BTreeSet<Depth>,
}

impl Finished {
    /// No units. Results without statistics are not enough if they are needed.
    pub fn new(needs_stats: bool) -> Self {
        Self { needs_stats, ..Self::default() }
    }

    /// Adds a unit.
    ///
    /// # Errors
    /// If its result is of another version, which would not be added up in the end.
    pub fn add(&mut self, place: &Place, result: &ResultLine) -> Result<(), FileError> {
        let version = &result.version;
        if version != VERSION {
            return Err(place.error(format!("a result of version {version}, not {VERSION}")));
        }
        if !self.needs_stats || result.stats().is_some() {
            self.ids.insert(result.id);
        }
        self.depths.insert(result.depth);
        Ok(())
    }

    /// Whether a unit has a result.
    ///
    /// # Errors
    /// If there are results of another depth, that is, of another plan.
    pub fn contains(&self, unit: &UnitLine) -> Result<bool, FileError> {
        let (id, depth) = (unit.id(), unit.depth);
        match self.depths.iter().find(|&&known| known != depth) {
            Some(known) => Err(FileError::File(format!(
                "there are results of depth {known}, and unit {id} is of depth {depth}: they are of \
                 another plan"
            ))),
            None => Ok(self.ids.contains(&id)),
        }
    }
}

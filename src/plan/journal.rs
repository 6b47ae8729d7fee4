//! A file that grows line by line: a kill loses no more than the line being written, and what is
//! not ours is never touched.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lines::is_torn;
use super::reader::{FileError, Input, Place};

/// Interval between syncs of appended lines to disk.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

/// A file of lines that belongs to one process at a time.
pub struct Journal {
    file: File,
    name: Arc<str>,
    /// The number of lines.
    lines: usize,
    /// The end of the last whole line.
    end: u64,
    synced: Instant,
}

impl Journal {
    /// Opens a file or creates it. Calls `check` with each line that is there; if one does not pass,
    /// the file is left as it is. A last line of ours that was cut off by a kill is removed.
    ///
    /// # Errors
    /// The first from `check`, or if the file cannot be opened, read, locked or repaired.
    pub fn open(
        path: &Path,
        mut check: impl FnMut(Place, &str) -> Result<(), FileError>,
    ) -> Result<Self, FileError> {
        let name: Arc<str> = path.display().to_string().into();
        let file = open_locked(path, &name)?;
        let mut journal = Self { file, name, lines: 0, end: 0, synced: Instant::now() };
        let lengths = lengths(&journal.file);
        let (used, len) = lengths.map_err(|error| journal.error("cannot read", error))?;
        let mut input = Input::new(journal.name.clone(), (&journal.file).take(used));
        let mut is_whole = true;
        while let Some(line) = input.read()? {
            if let Err(error) = check(line.place, &line.text) {
                if line.is_ended || !is_cut_off(&line.text, line.start > 0) {
                    return Err(error);
                }
                (input.line, input.end) = (input.line - 1, line.start);
                break;
            }
            is_whole = line.is_ended;
        }
        (journal.lines, journal.end) = (input.line, input.end);
        if journal.end < len {
            let cut = journal.cut_off();
            cut.map_err(|error| journal.error("cannot cut off the torn end of", error))?;
        }
        if !is_whole {
            journal.write(b"\n")?;
        }
        Ok(journal)
    }

    /// Whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Appends a line in one go, and returns its place.
    ///
    /// # Errors
    /// If it cannot be written; no half line stays behind.
    pub fn append(&mut self, line: &str) -> Result<Place, FileError> {
        self.write(format!("{line}\n").as_bytes())?;
        self.lines += 1;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(Place { file: self.name.clone(), line: self.lines })
    }

    /// Removes all lines.
    ///
    /// # Errors
    /// If the system refuses it.
    pub fn clear(&mut self) -> Result<(), FileError> {
        (self.lines, self.end) = (0, 0);
        self.cut_off().map_err(|error| self.error("cannot write to", error))
    }

    /// Secures the appended lines against a power cut.
    ///
    /// # Errors
    /// If the system cannot write them.
    pub fn sync(&mut self) -> Result<(), FileError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|error| self.error("cannot write to", error))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes);
        if written.is_ok() {
            self.end += bytes.len() as u64;
        } else {
            // If this fails too, the next opening cuts it off.
            _ = self.cut_off();
        }
        written.map_err(|error| self.error("cannot write to", error))
    }

    /// Removes everything after the whole lines.
    fn cut_off(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end)).map(drop)
    }

    fn error(&self, action: &str, error: io::Error) -> FileError {
        FileError::Io(format!("{action} {}", self.name), error)
    }
}

/// Opens a plain file for appending, or creates it, and locks it.
fn open_locked(path: &Path, name: &str) -> Result<File, FileError> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(FileError::File(format!("{name} is not a plain file")));
    }
    let mut options = OpenOptions::new();
    options.read(true).create(true).truncate(false);
    // On Windows a handle for appending cannot cut off a torn end.
    if cfg!(windows) {
        options.write(true)
    } else {
        options.append(true)
    };
    let file = options.open(path);
    let file = file.map_err(|error| FileError::Io(format!("cannot open {name}"), error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(FileError::File(format!("{name} is in use by another perft")))
        }
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The length of a file without the zeros that a power cut leaves at its end, and with them. A file
/// of nothing but zeros is not ours, and they stay.
fn lengths(mut file: &File) -> io::Result<(u64, u64)> {
    let len = file.seek(SeekFrom::End(0))?;
    let (mut end, mut last, mut chunk) = (len, None, [0; 1 << 12]);
    while end > 0 && last.is_none() {
        let start = end.saturating_sub(chunk.len() as u64);
        let bytes = &mut chunk[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(bytes)?;
        last = bytes.iter().rposition(|&byte| byte != 0).map(|last| start + last as u64);
        end = start;
    }
    file.rewind()?;
    Ok((last.map_or(len, |last| last + 1), len))
}

/// Whether a last line is the start of one of ours and may be removed: it has the start of a header
/// or a whole id, and stops in the middle; or it has less than that, and follows lines of ours.
fn is_cut_off(text: &str, is_after_ours: bool) -> bool {
    const HEADER: &str = "{\"perft_checkpoint\":";
    const ID: &str = "{\"id\":\"";
    const AFTER_ID: &str = "\",\"depth\":";
    let id = text.strip_prefix(ID).map(|rest| {
        let is_digit = |letter: char| matches!(letter, '0'..='9' | 'a'..='f');
        rest.split_at(rest.find(|letter| !is_digit(letter)).unwrap_or(rest.len()))
    });
    let is_begun = text.starts_with(HEADER)
        || id.is_some_and(|(id, rest)| {
            id.len() == 32 && (rest.starts_with(AFTER_ID) || AFTER_ID.starts_with(rest))
        });
    let is_remnant = ID.starts_with(text)
        || HEADER.starts_with(text)
        || id.is_some_and(|(id, rest)| id.len() < 32 && rest.is_empty());
    is_torn(text) && (is_begun || (is_after_ours && is_remnant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_our_lines_is_cut_off() {
        let result = "{\"id\":\"00000000000000000000000000000001\",\"depth\":4,\"nodes\":20}";
        for end in 0..result.len() {
            let torn = &result[..end];
            assert_eq!(is_cut_off(torn, false), end >= 39, "{torn}");
            assert!(is_cut_off(torn, true), "{torn}");
        }
        for other in [result, "my notes", "{\"id\":\"tt0111161\",\"data\":[1,2,", "\0x", "\"half"] {
            assert!(!is_cut_off(other, true), "{other}");
        }
    }
}

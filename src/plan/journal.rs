//! A file that grows line by line: a kill loses no more than the line being written, and what is
//! not ours is never touched.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lines::is_torn;
use super::reader::{FileError, MAX_LINE, Place};
use crate::sys::lines::{LineEnd, read_line};

/// Interval between syncs of appended lines to disk.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

/// A file of lines that belongs to one process at a time.
pub struct Journal {
    file: File,
    name: Arc<str>,
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
    pub fn open<E: From<FileError>>(
        path: &Path,
        mut check: impl FnMut(Place, &str) -> Result<(), E>,
    ) -> Result<Self, E> {
        let name: Arc<str> = path.display().to_string().into();
        let file = open_locked(path, &name)?;
        let mut journal = Self { file, name, end: 0, synced: Instant::now() };
        let mut input = BufReader::with_capacity(1 << 16, &journal.file);
        let cannot_read = |error| journal.error("cannot read", error);
        let mut bytes = Vec::new();
        let (mut end, mut is_whole, mut is_cut) = (0, true, false);
        for line in 1.. {
            let place = || Place { file: journal.name.clone(), line };
            let line_end = read_line(&mut input, &mut bytes, MAX_LINE).map_err(cannot_read)?;
            match line_end {
                LineEnd::Eof => break,
                // What a power cut leaves may be long, but nothing follows it.
                LineEnd::TooLong
                    if !bytes.ends_with(b"\0")
                        || !ends_in_zeros(&mut input).map_err(cannot_read)? =>
                {
                    return Err(FileError::TooLong(place()).into());
                }
                _ => {}
            }
            let is_ended = line_end == LineEnd::Newline;
            let text = str::from_utf8(&bytes).map_err(|_| FileError::NotUtf8(place()))?;
            if !text.trim().is_empty()
                && let Err(error) = check(place(), text.trim())
            {
                if is_ended || !is_cut_off(text, end > 0) {
                    return Err(error);
                }
                is_cut = true;
                break;
            }
            (end, is_whole) = (end + bytes.len() as u64, is_ended);
        }
        journal.end = end;
        if is_cut {
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

    /// Appends a line in one go.
    ///
    /// # Errors
    /// If it cannot be written; no half line stays behind.
    pub fn append(&mut self, line: &str) -> Result<(), FileError> {
        self.write(format!("{line}\n").as_bytes())?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(())
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
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.end += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // If this fails too, the next opening cuts it off.
                _ = self.cut_off();
                Err(self.error("cannot write to", error))
            }
        }
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
        return Err(FileError::NotPlain(name.to_owned()));
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
        Err(TryLockError::WouldBlock) => Err(FileError::InUse(name.to_owned())),
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Whether only zeros are left to read.
fn ends_in_zeros(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        let read = bytes.len();
        if read == 0 || bytes.iter().any(|&byte| byte != 0) {
            return Ok(read == 0);
        }
        input.consume(read);
    }
}

/// Whether a last line is the start of one of ours and may be removed: it has the start of a header
/// or a whole id, and stops in the middle; or it has less than that, and follows lines of ours. A
/// power cut may leave zeros at its end.
fn is_cut_off(text: &str, is_after_ours: bool) -> bool {
    const HEADER: &str = "{\"perft_checkpoint\":";
    const ID: &str = "{\"id\":\"";
    const AFTER_ID: &str = "\",\"depth\":";
    let text = text.trim_end_matches('\0');
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
            assert!(is_cut_off(torn, true) && is_cut_off(&format!("{torn}\0\0"), true), "{torn}");
        }
        for other in [result, "my notes", "{\"id\":\"tt0111161\",\"data\":[1,2,", "\0x", "\"half"] {
            assert!(!is_cut_off(other, true), "{other}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no files")]
    fn a_torn_end_is_removed_and_lines_are_appended() {
        let path = std::env::temp_dir().join(format!("perft-journal-{}", std::process::id()));
        let open = || {
            let mut lines = 0;
            let journal = Journal::open(&path, |place, line| match is_torn(line) {
                true => Err(FileError::NotUtf8(place)),
                false => {
                    lines += 1;
                    Ok(())
                }
            });
            journal.map(|journal| (journal, lines))
        };
        fs::write(&path, "{}\n{\"id\":\"0").unwrap();
        let (mut journal, lines) = open().unwrap();
        assert_eq!((lines, journal.is_empty()), (1, false));
        assert!(matches!(open(), Err(FileError::InUse(_))));
        journal.append("[]").unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n[]\n");
        fs::write(&path, "{\"precious\"").unwrap();
        assert!(matches!(open(), Err(FileError::NotUtf8(Place { line: 1, .. }))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"precious\"");
        fs::remove_file(&path).unwrap();
    }
}

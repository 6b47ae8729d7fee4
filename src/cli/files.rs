//! Files of lines: reading them with bounds, and appending so that a kill loses no more than the
//! line being written.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// No line of ours is longer.
const LONGEST_LINE: u64 = 1 << 16;

/// How often what was appended is made sure to survive a power cut.
const SYNC_EVERY: Duration = Duration::from_millis(500);

/// The lines of a file, or of standard input for `-`, that say something, with their numbers.
pub struct Lines {
    name: String,
    reader: Box<dyn BufRead + Send>,
    number: usize,
}

/// A line and where it stands.
pub struct Line {
    pub number: usize,
    pub text: String,
    /// Whether it ends as a line does.
    pub is_ended: bool,
}

impl Lines {
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if name == "-" {
            let reader = Box::new(BufReader::new(io::stdin()));
            return Ok(Self { name: "standard input".to_owned(), reader, number: 0 });
        }
        let file = File::open(path).with_context(|| format!("cannot open {name:?}"))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            bail!("{name:?} is a folder, not a file");
        }
        Ok(Self { reader: Box::new(BufReader::with_capacity(1 << 16, file)), name, number: 0 })
    }

    /// The file and the number of a line, for messages.
    pub fn place(&self, line: &Line) -> String {
        format!("{}:{}", self.name, line.number)
    }

    fn read(&mut self) -> Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let limited = &mut (&mut self.reader).take(LONGEST_LINE);
            let read = limited.read_until(b'\n', &mut bytes);
            let number = self.number + 1;
            self.number = number;
            let name = &self.name;
            if read.with_context(|| format!("cannot read {name}"))? == 0 {
                return Ok(None);
            }
            let is_ended = bytes.last() == Some(&b'\n');
            if !is_ended && bytes.len() as u64 == LONGEST_LINE {
                bail!("{name}:{number}: a line of more than {LONGEST_LINE} bytes");
            }
            let Ok(text) = String::from_utf8(bytes) else {
                bail!("{name}:{number}: not UTF-8 text");
            };
            if !text.trim().is_empty() {
                return Ok(Some(Line { number, text: text.trim().to_owned(), is_ended }));
            }
        }
    }
}

impl Iterator for Lines {
    type Item = Result<Line>;

    fn next(&mut self) -> Option<Result<Line>> {
        self.read().transpose()
    }
}

/// A file that grows line by line and belongs to one program at a time.
pub struct Journal {
    file: File,
    path: PathBuf,
    synced: Instant,
}

impl Journal {
    /// Opens a file or makes it, and cuts off a last line that is not whole; `is_whole` says of a
    /// last line without its end whether it is. Returns the lines that are there.
    pub fn open(path: &Path, is_whole: impl Fn(&str) -> bool) -> Result<(Self, Vec<String>)> {
        let name = path.display();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).with_context(|| format!("cannot open {name}"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{name} is in use by another perft"),
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut lines = Vec::new();
        let mut end = 0;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let is_ended = line.last() == Some(&b'\n');
            let Ok(text) = std::str::from_utf8(line) else {
                bail!("{name}:{}: not UTF-8 text", lines.len() + 1);
            };
            if !is_ended && !is_whole(text) {
                break;
            }
            end += line.len() as u64;
            lines.push(text.trim().to_owned());
        }
        file.set_len(end).with_context(|| format!("cannot cut off the torn end of {name}"))?;
        file.seek(SeekFrom::End(0)).with_context(|| format!("cannot append to {name}"))?;
        let mut journal = Self { file, path: path.to_owned(), synced: Instant::now() };
        if end > 0 && bytes[end as usize - 1] != b'\n' {
            journal.write(b"\n")?;
        }
        Ok((journal, lines))
    }

    /// Appends a line in one go.
    pub fn append(&mut self, line: &str) -> Result<()> {
        self.write(format!("{line}\n").as_bytes())?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that what was appended survives a power cut.
    pub fn sync(&mut self) -> Result<()> {
        self.synced = Instant::now();
        let path = self.path.display();
        self.file.sync_data().with_context(|| format!("cannot write to {path}"))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let path = self.path.display();
        self.file.write_all(bytes).with_context(|| format!("cannot write to {path}"))
    }
}

/// Writes a file that is there whole or not at all.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = File::create(&partial).and_then(|file| {
        let mut file = io::BufWriter::with_capacity(1 << 20, file);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&partial, path)
    });
    if written.is_err() {
        _ = std::fs::remove_file(&partial);
    }
    written.with_context(|| format!("cannot write {:?}", path.display().to_string()))
}

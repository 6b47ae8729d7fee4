//! Files of lines: reading them with bounds, and appending so that a kill loses no more than the
//! line being written.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use perft::threads;
use serde_json::Value;

use super::interrupt::stop_on_interrupt;

/// How often a wait for input looks whether the user has had enough.
const GLANCE: Duration = Duration::from_millis(50);

/// No line of ours is longer.
const LONGEST_LINE: u64 = 1 << 16;

/// How often what was appended is made sure to survive a power cut.
const SYNC_EVERY: Duration = Duration::from_millis(500);

/// The lines of a file, or of standard input for `-`, that say something, with their numbers.
pub struct Lines {
    name: String,
    source: Source,
}

enum Source {
    File(Reader),
    /// Read by another thread, so that an idle pipe keeps nobody from stopping.
    Pipe(Receiver<Result<Line>>, &'static AtomicBool),
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
            return Self::of_a_pipe("standard input".to_owned(), io::stdin());
        }
        let file = File::open(path).with_context(|| format!("cannot open {name:?}"))?;
        let kind = file.metadata().with_context(|| format!("cannot read {name:?}"))?;
        if kind.is_dir() {
            bail!("{name:?} is a folder, not a file");
        }
        if !kind.is_file() {
            return Self::of_a_pipe(name, file);
        }
        let input = Box::new(BufReader::with_capacity(1 << 16, file));
        let reader = Reader { name: name.clone(), input, number: 0 };
        Ok(Self { name, source: Source::File(reader) })
    }

    fn of_a_pipe(name: String, input: impl Read + Send + 'static) -> Result<Self> {
        let stop = stop_on_interrupt();
        let (sender, receiver) = mpsc::sync_channel(1000);
        let mut reader =
            Reader { name: name.clone(), input: Box::new(BufReader::new(input)), number: 0 };
        let started = threads::beside(move || {
            while let Some(line) = reader.read().transpose() {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        started.with_context(|| format!("the system gives no thread to read {name} with"))?;
        Ok(Self { name, source: Source::Pipe(receiver, stop) })
    }

    /// The file and the number of a line, for messages.
    pub fn place(&self, line: &Line) -> String {
        format!("{}:{}", self.name, line.number)
    }
}

struct Reader {
    name: String,
    input: Box<dyn BufRead + Send>,
    number: usize,
}

impl Reader {
    fn read(&mut self) -> Result<Option<Line>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            self.number += 1;
            let (name, number) = (&self.name, self.number);
            if read.with_context(|| format!("cannot read {name}"))? == 0 {
                return Ok(None);
            }
            let is_ended = bytes.last() == Some(&b'\n');
            if !is_ended && bytes.len() as u64 == LONGEST_LINE {
                bail!("{name}:{number}: a line of more than {LONGEST_LINE} bytes");
            }
            let Ok(text) = std::str::from_utf8(&bytes) else {
                bail!("{name}:{number}: not UTF-8 text");
            };
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                return Ok(Some(Line { number, text: text.to_owned(), is_ended }));
            }
        }
    }
}

impl Iterator for Lines {
    type Item = Result<Line>;

    /// The next line; none if the user has had enough.
    fn next(&mut self) -> Option<Result<Line>> {
        match &mut self.source {
            Source::File(reader) => reader.read().transpose(),
            Source::Pipe(lines, stop) => loop {
                match lines.recv_timeout(GLANCE) {
                    Ok(line) => return Some(line),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            },
        }
    }
}

/// A file that grows line by line and belongs to one program at a time.
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Up to here it is whole lines.
    end: u64,
    synced: Instant,
}

impl Journal {
    /// Opens a file or makes it. `check` is called with the number and the text of each line that
    /// is there, and a file that does not pass is left as it is. A last line that was cut off, as a
    /// kill leaves it, is taken away.
    pub fn open(path: &Path, mut check: impl FnMut(usize, &str) -> Result<()>) -> Result<Self> {
        let name = path.display();
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            bail!("{name} is not a plain file");
        }
        let mut options = OpenOptions::new();
        options.read(true).create(true).truncate(false);
        // On Windows a handle for appending has no right to cut off a torn end.
        if cfg!(windows) {
            options.write(true)
        } else {
            options.append(true)
        };
        let file = options.open(path).with_context(|| format!("cannot open {name}"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{name} is in use by another perft"),
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut input = BufReader::with_capacity(1 << 16, &file);
        let mut bytes = Vec::new();
        let (mut end, mut is_whole, mut is_torn) = (0, true, false);
        for number in 1.. {
            bytes.clear();
            let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            if read.with_context(|| format!("cannot read {name}"))? == 0 {
                break;
            }
            let is_ended = bytes.last() == Some(&b'\n');
            let is_too_long = !is_ended && bytes.len() as u64 == LONGEST_LINE;
            // What a power cut leaves may be long, but it is the end.
            if is_too_long && !(bytes.ends_with(b"\0") && ends_in_zeros(&mut input)?) {
                bail!("{name}:{number}: a line of more than {LONGEST_LINE} bytes");
            }
            let Ok(text) = std::str::from_utf8(&bytes) else {
                bail!("{name}:{number}: not UTF-8 text");
            };
            let checked = if text.trim().is_empty() { Ok(()) } else { check(number, text.trim()) };
            match checked.with_context(|| format!("{name}:{number}")) {
                Err(_) if !is_ended && is_cut_off(text, end > 0) => {
                    is_torn = true;
                    break;
                }
                checked => checked?,
            }
            (end, is_whole) = (end + bytes.len() as u64, is_ended);
        }
        let path = path.to_owned();
        let mut journal = Self { file, path, end, synced: Instant::now() };
        if is_torn {
            let cut = || format!("cannot cut off the torn end of {name}");
            journal.cut_off().with_context(cut)?;
        }
        if !is_whole {
            journal.write(b"\n")?;
        }
        Ok(journal)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.end == 0
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
        let written = self.file.write_all(bytes);
        match &written {
            Ok(()) => self.end += bytes.len() as u64,
            // No half lines; if this fails too, the next opening sees to it.
            Err(_) => _ = self.cut_off(),
        }
        let path = self.path.display();
        written.with_context(|| format!("cannot write to {path}"))
    }

    /// Takes away what comes after the whole lines.
    fn cut_off(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end)).map(drop)
    }
}

/// Whether nothing but zeros is left to read.
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

/// Whether a last line is one of ours that was cut off, and nothing that somebody may miss: it begins
/// as one of ours, id and all, and stops in the middle; or, after lines of ours, it is less than
/// that. A power cut may leave zeros at its end.
fn is_cut_off(text: &str, is_after_ours: bool) -> bool {
    const HEADER: &str = "{\"perft_checkpoint\":";
    const ID: &str = "{\"id\":\"";
    const AFTER_ID: &str = "\",\"depth\":";
    let text = text.trim_end_matches('\0');
    let stops = serde_json::from_str::<Value>(text).is_err_and(|error| error.is_eof());
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
    stops && (is_begun || (is_after_ours && is_remnant))
}

/// Sees that a file that is there already begins as one of ours does: anything else is not ours to
/// overwrite.
pub fn spare(path: &Path, start: &str, kind: &str) -> Result<()> {
    if !fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0) {
        return Ok(());
    }
    let mut found = vec![0; start.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut found));
    if read.is_err() || found != start.as_bytes() {
        bail!("{:?} is there and is no {kind}; remove it first", path.display().to_string());
    }
    Ok(())
}

/// Writes a file that is there whole or not at all; or to a device or pipe as it comes.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    // Through links, to what they point at.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(_) if path.is_symlink() => {
            bail!("cannot write {:?}: it is a link to nothing", path.display().to_string())
        }
        Err(_) => path.to_owned(),
    };
    let there = fs::metadata(&target);
    let is_plain = there.as_ref().map_or(true, fs::Metadata::is_file);
    let permissions = there.ok().filter(|_| is_plain).map(|there| there.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        bail!("cannot write {:?}: it is read-only", path.display().to_string());
    }
    let mut partial = target.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = if is_plain { PathBuf::from(partial) } else { target.clone() };
    // A new one: what bears that name already is somebody's.
    let opened = File::options().write(true).create_new(is_plain).open(&partial);
    let is_ours = is_plain && opened.is_ok();
    let written = opened.and_then(|file| {
        let mut file = io::BufWriter::with_capacity(1 << 20, file);
        write(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if is_plain {
            // Where that is not possible, it is as any new file is.
            _ = permissions.map(|permissions| file.set_permissions(permissions));
            file.sync_all()?;
            fs::rename(&partial, &target)?;
        }
        Ok(())
    });
    if written.is_err() && is_ours {
        _ = fs::remove_file(&partial);
    }
    written.with_context(|| format!("cannot write {:?}", path.display().to_string()))
}

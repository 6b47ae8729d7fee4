//! Layers in memory, or in the files of a directory.
//!
//! A directory belongs to one position: [`HEAD_FILE`] names it. Each file has a range of keys: a
//! `layer` file has the positions of a ply, a `count` file only their tally. A file gets its name
//! when it is whole, so that after a kill everything that has a name can be used again.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::range::ALL_KEYS;
use super::run::{
    BlockReader, END_BYTES, Encoder, RunError, Tally, checksum_of_bytes, end_block, read_end_block,
};
use super::{EnPassant, UniqueError};
use crate::board::Board;
use crate::count::Depth;
use crate::count::distinct::Record;
use crate::types::CastlingMode;

/// The distinct positions of a ply.
#[derive(Default)]
pub(super) struct StoredPly {
    pub ply: Depth,
    pub runs: Vec<Run>,
}

impl StoredPly {
    /// The number of positions.
    pub fn positions(&self) -> u64 {
        self.runs.iter().map(|run| run.tally.positions).sum()
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes).sum()
    }

    /// Removes the files.
    pub fn remove(&mut self) -> Result<(), UniqueError> {
        for mut run in self.runs.drain(..) {
            if let Data::File(path) = &run.data {
                remove(path)?;
                run.is_kept = false;
            }
        }
        Ok(())
    }
}

/// The use of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Positions to go on from.
    Layer,
    /// A number of positions.
    Count(EnPassant),
}

impl Kind {
    const ALL: [Self; 4] = [
        Self::Layer,
        Self::Count(EnPassant::Any),
        Self::Count(EnPassant::Legal),
        Self::Count(EnPassant::None),
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Count(EnPassant::Any) => "count-any",
            Self::Count(EnPassant::Legal) => "count-legal",
            Self::Count(EnPassant::None) => "count-none",
        }
    }
}

enum Data {
    Memory(Vec<u8>),
    File(PathBuf),
}

/// The positions of a ply whose keys are in a range.
pub(super) struct Run {
    pub keys: Range<u64>,
    pub tally: Tally,
    pub bytes: u64,
    data: Data,
    /// A file that stays.
    is_kept: bool,
    space: Arc<Space>,
}

impl Run {
    /// Reads the positions.
    pub fn reader(&self) -> Result<RunReader<'_>, UniqueError> {
        let (input, name): (Box<dyn Read>, _) = match &self.data {
            Data::Memory(bytes) => (Box::new(&bytes[..]), None),
            Data::File(path) => {
                let opened = File::open(path).and_then(|mut file| {
                    file.seek(SeekFrom::Start(FILE_HEAD_BYTES as u64))?;
                    Ok(io::BufReader::with_capacity(1 << 18, file))
                });
                (
                    Box::new(opened.map_err(|error| io_error("cannot read", path, error))?),
                    Some(path),
                )
            }
        };
        Ok(RunReader { blocks: BlockReader::new(input), name: name.map(PathBuf::as_path) })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.is_kept {
            self.space.give(self.bytes);
        }
    }
}

/// Reads the positions of a run.
pub(super) struct RunReader<'a> {
    blocks: BlockReader<Box<dyn Read + 'a>>,
    /// The file.
    name: Option<&'a Path>,
}

impl RunReader<'_> {
    /// See [`BlockReader::read`].
    pub fn read(&mut self, records: &mut Vec<Record<u128>>) -> Result<(), UniqueError> {
        let name = self.name.unwrap_or(Path::new("memory"));
        self.blocks.read(records).map_err(|error| match error {
            RunError::Io(error) => io_error("cannot read", name, error),
            RunError::Corrupted => UniqueError::File(format!(
                "{} is corrupted: its checksum is wrong; remove it, and the same command makes it \
                 again",
                name.display()
            )),
        })
    }
}

fn io_error(action: &str, path: &Path, error: io::Error) -> UniqueError {
    UniqueError::Io(format!("{action} {}", path.display()), error)
}

fn remove(path: &Path) -> Result<(), UniqueError> {
    fs::remove_file(path).map_err(|error| io_error("cannot remove", path, error))
}

/// The bytes that all runs may take.
#[derive(Default)]
pub(super) struct Space {
    limit: AtomicU64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Space {
    pub fn new(limit: u64) -> Self {
        Self { limit: AtomicU64::new(limit), ..Self::default() }
    }

    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    pub fn set_limit(&self, limit: u64) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The most that was ever used.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> bool {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let fits = used <= self.limit();
        if fits {
            self.peak.fetch_max(used, Ordering::Relaxed);
        }
        fits
    }

    fn give(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Makes a run.
pub(super) struct RunWriter {
    encoder: Encoder,
    block: Vec<u8>,
    run: Run,
    /// The file, while it has no name of its own.
    file: Option<(File, PathBuf)>,
}

impl RunWriter {
    /// A run in memory, or in a directory.
    pub fn new(
        dir: Option<&Dir>,
        (kind, ply, keys): (Kind, Depth, Range<u64>),
        space: &Arc<Space>,
    ) -> Result<Self, UniqueError> {
        let mut run = Run {
            keys: keys.clone(),
            tally: Tally::default(),
            bytes: 0,
            data: Data::Memory(Vec::new()),
            is_kept: false,
            space: Arc::clone(space),
        };
        let (mut block, mut file) = (Vec::new(), None);
        if let Some(dir) = dir {
            let path = dir.path.join(file_name(kind, ply, &keys));
            let partial = path.with_extension(PARTIAL);
            let created = File::create(&partial);
            let created = created.map_err(|error| io_error("cannot write", &partial, error))?;
            block = file_head(dir.root, kind, ply, &keys);
            run.data = Data::File(path);
            file = Some((created, partial));
        }
        let mut writer = Self { encoder: Encoder::default(), block, run, file };
        writer.flush()?;
        Ok(writer)
    }

    /// Adds records.
    pub fn write(&mut self, records: &[Record<u128>]) -> Result<(), UniqueError> {
        for record in records {
            if self.encoder.push(record, &mut self.block) {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// The run, whose positions are these.
    pub fn finish(mut self, tally: Tally) -> Result<Run, UniqueError> {
        self.encoder.finish(&mut self.block);
        self.flush()?;
        self.block = end_block(tally);
        self.flush()?;
        self.run.tally = tally;
        if let (Some((file, partial)), Data::File(path)) = (self.file.take(), &self.run.data) {
            let named = file.sync_data().and_then(|()| fs::rename(&partial, path));
            named.map_err(|error| {
                _ = fs::remove_file(&partial);
                io_error("cannot write", path, error)
            })?;
            self.run.is_kept = true;
        }
        Ok(std::mem::replace(&mut self.run, Run::none()))
    }

    fn flush(&mut self) -> Result<(), UniqueError> {
        let bytes = self.block.len() as u64;
        self.run.bytes += bytes;
        let (fits, limit) = (self.run.space.take(bytes), self.run.space.limit());
        match (&mut self.run.data, &mut self.file) {
            (Data::Memory(data), _) => {
                if !fits || data.try_reserve(self.block.len()).is_err() {
                    return Err(UniqueError::OutOfMemory(limit));
                }
                data.append(&mut self.block);
            }
            (Data::File(_), _) if !fits => return Err(UniqueError::OutOfDisk(limit)),
            (Data::File(path), Some((file, _))) => {
                let written = file.write_all(&self.block);
                written.map_err(|error| io_error("cannot write", path, error))?;
                self.block.clear();
            }
            (Data::File(_), None) => {}
        }
        Ok(())
    }
}

impl Drop for RunWriter {
    /// Removes a file that is not finished. If that fails, the next start does.
    fn drop(&mut self) {
        if let Some((_, partial)) = &self.file {
            _ = fs::remove_file(partial);
        }
    }
}

impl Run {
    fn none() -> Self {
        Self {
            keys: 0..0,
            tally: Tally::default(),
            bytes: 0,
            data: Data::Memory(Vec::new()),
            is_kept: false,
            space: Arc::default(),
        }
    }
}

/// The file that says to which position a directory belongs.
const HEAD_FILE: &str = "perft-unique.txt";

const EXTENSION: &str = "run";
const PARTIAL: &str = "partial";

/// The first bytes of every file.
const MAGIC: [u8; 16] = *b"perft unique 1\n\0";

const FILE_HEAD_BYTES: usize = 64;

fn file_name(kind: Kind, ply: Depth, keys: &Range<u64>) -> String {
    format!("{}-{ply:03}-{:09x}-{:09x}.{EXTENSION}", kind.name(), keys.start, keys.end)
}

/// The meaning of a name that [`file_name`] makes.
fn parse_name(name: &str) -> Option<(Kind, Depth, Range<u64>)> {
    let stem = name.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let kind = Kind::ALL.into_iter().find(|kind| stem.starts_with(kind.name()))?;
    let mut fields = stem[kind.name().len()..].strip_prefix('-')?.split('-');
    let ply = fields.next()?.parse().ok()?;
    let mut key = || u64::from_str_radix(fields.next()?, 16).ok();
    let keys = key()?..key()?;
    let is_range = keys.start < keys.end && keys.end <= ALL_KEYS.end;
    (is_range && file_name(kind, ply, &keys) == name).then_some((kind, ply, keys))
}

fn file_head(root: u128, kind: Kind, ply: Depth, keys: &Range<u64>) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.extend(root.to_le_bytes());
    let kind = Kind::ALL.iter().position(|&other| other == kind).unwrap_or_default();
    head.extend(
        [kind as u64 | u64::from(ply) << 8, keys.start, keys.end].map(u64::to_le_bytes).concat(),
    );
    head.extend(checksum_of_bytes(&head).to_le_bytes());
    head
}

/// A directory for the files of a position.
pub(super) struct Dir {
    path: PathBuf,
    /// The hash of the position.
    root: u128,
    /// Locked as long as the directory is in use.
    _head: File,
}

impl Dir {
    /// Opens a directory of a position or makes it, and removes what a kill left unfinished.
    pub fn open(path: &Path, root: &Board) -> Result<Self, UniqueError> {
        let name = path.display();
        fs::create_dir_all(path).map_err(|error| io_error("cannot make", path, error))?;
        let head_path = path.join(HEAD_FILE);
        let fen = root.to_string();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let mode = if root.castling_mode() == CastlingMode::Chess960 { " (Chess960)" } else { "" };
        let head = format!("Positions of perft unique from {}{mode}\n", fields.join(" "));
        if !head_path.exists() {
            let partial = head_path.with_extension(PARTIAL);
            let mut others = entries(path)?;
            others.retain(|other| *other != partial);
            if let Some(other) = others.first() {
                let other = other.file_name().unwrap_or_default().display();
                return Err(UniqueError::File(format!(
                    "{name} is not empty and not of perft unique (it has {other}); give --dir a \
                     new directory"
                )));
            }
            let written = fs::write(&partial, &head);
            let written = written.and_then(|()| fs::rename(&partial, &head_path));
            written.map_err(|error| io_error("cannot write to", path, error))?;
        }
        let mut file =
            File::open(&head_path).map_err(|error| io_error("cannot read", &head_path, error))?;
        // Not every file system has locks.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(UniqueError::File(format!("{name} is in use by another perft")));
        }
        let mut found = Vec::new();
        let read = Read::by_ref(&mut file).take(1 << 12).read_to_end(&mut found);
        read.map_err(|error| io_error("cannot read", &head_path, error))?;
        if found != head.as_bytes() {
            let found = String::from_utf8_lossy(&found);
            return Err(UniqueError::File(format!(
                "{name} is of another position: {:?}, not {:?}; give --dir another directory",
                found.trim_end(),
                head.trim_end()
            )));
        }
        let dir = Self { path: path.to_owned(), root: root.hash(), _head: file };
        for entry in entries(path)? {
            if entry.extension().is_some_and(|extension| extension == PARTIAL) {
                remove(&entry)?;
            }
        }
        Ok(dir)
    }

    /// The files of a kind and a ply that have keys of a range and no others, without overlaps.
    /// Torn ones are removed.
    pub fn runs(
        &self,
        (kind, ply, within): (Kind, Depth, &Range<u64>),
        space: &Arc<Space>,
    ) -> Result<Vec<Run>, UniqueError> {
        let mut found = Vec::new();
        for path in entries(&self.path)? {
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some((of, at, keys)) = name.and_then(parse_name)
                && (of, at) == (kind, ply)
                && within.start <= keys.start
                && keys.end <= within.end
            {
                let checked = self.check((kind, ply, &keys), &path)?;
                found.extend(checked.map(|(tally, bytes)| (keys, tally, bytes, path)));
            }
        }
        found.sort_unstable_by_key(|(keys, ..)| (keys.start, std::cmp::Reverse(keys.end)));
        let mut end = 0;
        found.retain(|(keys, ..)| {
            let follows = keys.start >= end;
            end = if follows { keys.end } else { end };
            follows
        });
        let run = |(keys, tally, bytes, path)| {
            space.take(bytes);
            let data = Data::File(path);
            Run { keys, tally, bytes, data, is_kept: true, space: Arc::clone(space) }
        };
        Ok(found.into_iter().map(run).collect())
    }

    /// The tally and the bytes of a file. If it is cut off, it is removed.
    fn check(
        &self,
        (kind, ply, keys): (Kind, Depth, &Range<u64>),
        path: &Path,
    ) -> Result<Option<(Tally, u64)>, UniqueError> {
        let read = || -> io::Result<_> {
            let mut file = File::open(path)?;
            let (mut head, mut end) = (Vec::new(), Vec::new());
            Read::by_ref(&mut file).take(FILE_HEAD_BYTES as u64).read_to_end(&mut head)?;
            let len = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(len.saturating_sub(END_BYTES as u64)))?;
            file.read_to_end(&mut end)?;
            Ok((head, end, len))
        };
        let (head, end, len) = read().map_err(|error| io_error("cannot read", path, error))?;
        let expected = file_head(self.root, kind, ply, keys);
        if !expected.starts_with(&head) {
            return Err(UniqueError::File(format!(
                "{} is not a file of this count, or is corrupted; remove it",
                path.display()
            )));
        }
        match read_end_block(&end).filter(|_| len >= (FILE_HEAD_BYTES + END_BYTES) as u64) {
            Some(tally) => Ok(Some((tally, len))),
            None => {
                remove(path)?;
                Ok(None)
            }
        }
    }

    /// Removes the layers.
    pub fn remove_layers(&self) -> Result<(), UniqueError> {
        for path in entries(&self.path)? {
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some((Kind::Layer, ..)) = name.and_then(parse_name) {
                remove(&path)?;
            }
        }
        Ok(())
    }
}

/// The paths in a directory.
fn entries(path: &Path) -> Result<Vec<PathBuf>, UniqueError> {
    let entries = fs::read_dir(path).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()
    });
    entries.map_err(|error| io_error("cannot read", path, error))
}

/// The keys of a range that none of the runs has. They are sorted, and within the range.
pub(super) fn gaps(keys: &Range<u64>, runs: &[Run]) -> Vec<Range<u64>> {
    let (mut gaps, mut start) = (Vec::new(), keys.start);
    for run in runs {
        if run.keys.start > start {
            gaps.push(start..run.keys.start);
        }
        start = run.keys.end;
    }
    if start < keys.end {
        gaps.push(start..keys.end);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for kind in Kind::ALL {
            for (ply, keys) in [(0, ALL_KEYS), (255, 1..2), (8, 0x8000_0000..0x9000_0000)] {
                let name = file_name(kind, ply, &keys);
                assert_eq!(parse_name(&name), Some((kind, ply, keys)), "{name}");
            }
        }
        for other in ["", "layer.run", "layer-1-0-1.run", "layer-008-000000001-000000001.run"] {
            assert_eq!(parse_name(other), None, "{other}");
        }
    }

    #[test]
    fn gaps_are_what_no_run_has() {
        let runs = [10..20, 30..40].map(|keys| {
            let mut run = Run::none();
            run.keys = keys;
            run
        });
        let expected = [0..10, 20..30, 40..50];
        assert_eq!(gaps(&(0..50), &runs), expected);
        assert_eq!(gaps(&(10..40), &runs).len(), 1);
        assert_eq!(gaps(&(0..50), &[]).len(), 1);
        assert!(gaps(&(10..20), &runs[..1]).is_empty());
    }
}

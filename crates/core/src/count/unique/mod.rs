//! The number of different positions after some plies.
//!
//! Two lines lead to the same position if the same pieces stand on the same squares, the same side
//! is to move, the same castling rights are left, and the same captures en passant are possible.
//! [`EnPassant`] has other definitions of the last. The fifty-move clock, the move number and
//! repetitions do not count.
//!
//! Each ply is a layer of distinct positions with their multiplicities, made from the one before, a
//! range of keys at a time (`range`). Only one layer is kept, as bytes (`run`), in memory or in files
//! from which the work can be resumed (`store`); that of the last ply is counted and not kept.
//! Positions are compared whole, and the sum of the multiplicities has to be the number of lines.

mod range;
mod run;
mod store;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, mem};

use super::growth::Growth;
use super::machine::{Machine, machine_options};
use super::walk::mover;
use super::{CountError, Counter, Depth};
use crate::board::Board;
use crate::sys::CancelToken;
use crate::types::named_enum;
use range::{ALL_KEYS, RangeError, RangeWork, key, max_records};
use run::Tally;
use store::{Dir, Kind, Run, RunWriter, Space, StoredPly, gaps};

named_enum! {
    /// The part that the right to capture en passant has in a position.
    #[derive(Default)]
    pub enum EnPassant("definition") {
        /// Positions after a double push differ from all others, whether or not there is a capture.
        Any = "any",
        /// The square counts where a capture is legal.
        #[default]
        Legal = "legal",
        /// It does not count.
        None = "none",
    }
}

/// The different positions after a number of plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UniqueCount {
    /// The plies.
    pub ply: Depth,
    /// The different positions.
    pub positions: u64,
    /// The lines that lead to them: perft, if it is the whole.
    pub multiplicity: u128,
    /// The most bytes of positions that were stored at once, in memory or in files.
    pub stored_bytes: u64,
}

/// The reason why different positions are not counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UniqueError {
    /// The work was cancelled.
    #[error("interrupted")]
    Cancelled,
    /// The lines are too many.
    #[error("the lines exceed 2^128")]
    Overflow,
    /// The memory, of so many bytes, does not hold the positions.
    #[error("{0} bytes of memory do not hold the positions")]
    OutOfMemory(u64),
    /// The files would take more bytes than they may.
    #[error("{0} bytes of disk do not hold the positions")]
    OutOfDisk(u64),
    /// Fewer bytes of memory than the threads need at least.
    #[error("{threads} threads need {least} bytes of memory at least")]
    TooLittleMemory {
        /// The threads.
        threads: usize,
        /// The bytes.
        least: usize,
    },
    /// The sum of the multiplicities is wrong: a bug, or a broken machine.
    #[error(
        "the lines to the positions after {ply} plies are {multiplicity}, and perft is {nodes}"
    )]
    Mismatch {
        /// The plies.
        ply: Depth,
        /// The sum of the multiplicities.
        multiplicity: u128,
        /// The number of lines.
        nodes: u128,
    },
    /// A file is not as it should be.
    #[error("{0}")]
    File(String),
    /// A file cannot be read or written; the text says which.
    #[error("{0}")]
    Io(String, #[source] io::Error),
}

impl From<CountError> for UniqueError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::OutOfMemory => Self::OutOfMemory(0),
            CountError::Cancelled(_) | CountError::CancelledStats(_) => Self::Cancelled,
            CountError::Overflow | CountError::LimitExceeded(_) => Self::Overflow,
        }
    }
}

/// The progress of counting different positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniqueProgress {
    /// The ply that is made.
    pub ply: Depth,
    /// The share of it that is done, roughly.
    pub share: f64,
}

type OnProgress = Arc<dyn Fn(&UniqueProgress) + Send + Sync>;

/// Counts different positions.
///
/// ```
/// use perft_core::{Board, Unique};
///
/// let count = Unique::new().count(&Board::startpos(), 4)?;
/// assert_eq!((count.positions, count.multiplicity), (72_078, 197_281));
/// # Ok::<(), perft_core::UniqueError>(())
/// ```
#[derive(Clone)]
pub struct Unique {
    machine: Machine,
    dir: Option<PathBuf>,
    disk: u64,
    en_passant: EnPassant,
    on_progress: Option<OnProgress>,
}

/// The needs of a count, by the growth of the first plies. Rates fall, so they are on the high side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniqueNeed {
    /// The different positions.
    pub positions: f64,
    /// The bytes that are stored at once, in memory or in files.
    pub bytes: f64,
}

/// A range of keys: a part of the positions of a ply, of about the same size as every other part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniquePart {
    /// The number of the part, from 0.
    pub part: u32,
    /// The number of parts.
    pub parts: u32,
}

impl UniquePart {
    /// The whole.
    const ALL: Self = Self { part: 0, parts: 1 };

    fn keys(self) -> Range<u64> {
        let edge = |part: u32| ALL_KEYS.end * u64::from(part) / u64::from(self.parts.max(1));
        edge(self.part)..edge(self.part.saturating_add(1).min(self.parts))
    }
}

impl fmt::Debug for Unique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, dir, disk, en_passant, .. } = self;
        let mut debug = f.debug_struct("Unique");
        debug.field("machine", machine).field("dir", dir);
        debug.field("disk", disk).field("en_passant", en_passant).finish_non_exhaustive()
    }
}

impl Default for Unique {
    fn default() -> Self {
        Self::new()
    }
}

impl Unique {
    /// The least memory for each thread.
    pub const MIN_THREAD_MEMORY: usize = 4 << 20;

    /// One thread and 1 GiB of memory.
    pub fn new() -> Self {
        Self {
            machine: Machine::new(1 << 30),
            dir: None,
            disk: u64::MAX,
            en_passant: EnPassant::default(),
            on_progress: None,
        }
    }

    machine_options!(threads, memory, backend, cancel);

    /// Keeps positions in files of a directory, at most so many bytes at once. After a kill the same
    /// count goes on from there. The directory is made, or it is one of the same position.
    #[must_use]
    pub fn dir(self, dir: impl Into<PathBuf>, disk: u64) -> Self {
        Self { dir: Some(dir.into()), disk, ..self }
    }

    /// Sets the part of en passant in a position.
    #[must_use]
    pub fn en_passant(self, en_passant: EnPassant) -> Self {
        Self { en_passant, ..self }
    }

    /// Calls `f` about ten times a second with the progress.
    #[must_use]
    pub fn on_progress(self, f: impl Fn(&UniqueProgress) + Send + Sync + 'static) -> Self {
        Self { on_progress: Some(Arc::new(f)), ..self }
    }

    /// The different positions after a number of plies.
    ///
    /// # Errors
    /// See [`UniqueError`].
    pub fn count(&self, board: &Board, ply: Depth) -> Result<UniqueCount, UniqueError> {
        let mut maker = self.maker(board)?;
        let count = maker.count(ply)?;
        maker.finish()?;
        Ok(count)
    }

    /// The different positions after each number of plies from 1 to `ply`.
    ///
    /// # Errors
    /// See [`UniqueError`].
    pub fn count_each(&self, board: &Board, ply: Depth) -> Result<Vec<UniqueCount>, UniqueError> {
        let mut maker = self.maker(board)?;
        let counts = (1..=ply).map(|ply| maker.count(ply)).collect::<Result<_, _>>()?;
        maker.finish()?;
        Ok(counts)
    }

    /// Counts parts of the positions after a number of plies, for many machines, and calls
    /// `on_result` with the positions of each part and with the lines that lead to them. The sum of
    /// the lines of all parts is perft: [`Unique::verify`]. The files of a directory stay.
    ///
    /// # Errors
    /// The first from `parts` or `on_result`, or see [`UniqueError`].
    pub fn count_parts<E: From<UniqueError>>(
        &self,
        board: &Board,
        ply: Depth,
        parts: impl IntoIterator<Item = Result<UniquePart, E>>,
        mut on_result: impl FnMut(UniquePart, UniqueCount) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut maker = self.maker(board)?;
        for part in parts {
            let part = part?;
            let Tally { positions, multiplicity } = maker.tally(ply, part)?;
            let stored_bytes = maker.space.peak();
            on_result(part, UniqueCount { ply, positions, multiplicity, stored_bytes })?;
        }
        Ok(())
    }

    /// Checks that the lines of a count are those of perft.
    ///
    /// # Errors
    /// If they are not, or see [`UniqueError`].
    pub fn verify(&self, board: &Board, count: &UniqueCount) -> Result<(), UniqueError> {
        let Machine { backend, threads, memory, ref cancel } = self.machine;
        let &UniqueCount { ply, multiplicity, .. } = count;
        let memory = Counter::recommended_memory(board, ply).min(memory);
        let counter = Counter::new().threads(threads).memory(memory).cancel(cancel.clone());
        let counter = counter.backend(backend);
        let nodes = counter.count(board, ply)?;
        let is_right = multiplicity == nodes;
        if is_right { Ok(()) } else { Err(UniqueError::Mismatch { ply, multiplicity, nodes }) }
    }

    /// The needs of a count, after a trial of a second or less.
    ///
    /// # Errors
    /// See [`UniqueError`].
    pub fn need(&self, board: &Board, ply: Depth) -> Result<UniqueNeed, UniqueError> {
        const ENOUGH: u64 = 300_000;
        let trial = Self { dir: None, on_progress: None, ..self.clone() };
        let mut maker = trial.maker(board)?;
        maker.make_layer(0)?;
        while maker.layer.ply + 1 < ply && maker.layer.positions() < ENOUGH {
            // If the memory does not hold the next ones, these have to do.
            if maker.make_layer(maker.layer.ply + 1).is_err() {
                break;
            }
        }
        if self.machine.cancel.is_cancelled() {
            return Err(UniqueError::Cancelled);
        }
        let made = maker.layer.ply;
        let layer_bytes = maker.layer.bytes() as f64;
        let each = layer_bytes / (maker.layer.positions().max(1) as f64);
        let positions = |at: Depth| match at.checked_sub(made) {
            Some(plies) => maker.growth.predict(plies),
            None => 0.0,
        };
        // Multiplicities grow.
        let bytes =
            1.1 * each * (positions(ply.saturating_sub(1)) + positions(ply.saturating_sub(2)));
        Ok(UniqueNeed { positions: positions(ply), bytes: bytes.max(layer_bytes) })
    }

    fn maker(&self, board: &Board) -> Result<PlyMaker<'_>, UniqueError> {
        let threads = self.machine.threads.get();
        let least = threads.saturating_mul(Self::MIN_THREAD_MEMORY);
        if self.machine.memory < least {
            return Err(UniqueError::TooLittleMemory { threads, least });
        }
        let dir = self.dir.as_deref().map(|path| Dir::open(path, board)).transpose()?;
        let limit = if dir.is_some() { self.disk } else { self.machine.memory as u64 };
        Ok(PlyMaker {
            unique: self,
            root: *board,
            dir,
            space: Arc::new(Space::new(limit)),
            layer: StoredPly::default(),
            growth: Growth::new(board.count_legal_moves()),
        })
    }
}

/// Layers with fewer positions are worked on before threads have started.
const MIN_PARALLEL: u64 = 5_000;

/// A layer is worked on in so many ranges for each thread, if it is not small.
const RANGES_PER_THREAD: f64 = 2.0;

/// Records of a range for each position of the layer before: itself, and captures.
const RECORDS_PER_POSITION: f64 = 2.5;

/// Makes the positions of one ply after the other.
struct PlyMaker<'a> {
    unique: &'a Unique,
    root: Board,
    dir: Option<Dir>,
    /// For layers.
    space: Arc<Space>,
    /// The last layer that was made.
    layer: StoredPly,
    growth: Growth,
}

impl PlyMaker<'_> {
    /// The different positions after a number of plies; their lines have to be those of perft.
    fn count(&mut self, ply: Depth) -> Result<UniqueCount, UniqueError> {
        let Tally { positions, multiplicity } = self.tally(ply, UniquePart::ALL)?;
        let stored_bytes = self.space.peak();
        let count = UniqueCount { ply, positions, multiplicity, stored_bytes };
        let in_memory = if self.dir.is_none() { self.space.used() as usize } else { 0 };
        let memory = self.unique.machine.memory.saturating_sub(in_memory);
        self.unique.clone().memory(memory).verify(&self.root, &count)?;
        Ok(count)
    }

    /// Removes the layers from the directory; the counts stay.
    fn finish(mut self) -> Result<(), UniqueError> {
        self.layer.remove()?;
        self.dir.as_ref().map_or(Ok(()), Dir::remove_layers)
    }

    /// The files of a kind and a ply with keys of a range.
    fn known(&self, kind: Kind, ply: Depth, keys: &Range<u64>) -> Result<Vec<Run>, UniqueError> {
        match &self.dir {
            Some(dir) => dir.runs((kind, ply, keys), &self.space),
            None => Ok(Vec::new()),
        }
    }

    /// The positions of a part after a number of plies.
    fn tally(&mut self, ply: Depth, part: UniquePart) -> Result<Tally, UniqueError> {
        let keys = part.keys();
        let Some(before) = ply.checked_sub(1) else {
            // The one position has a key in one of the parts.
            let positions =
                u64::from(keys.contains(&key(&self.root.pack(), self.root.side_to_move())));
            return Ok(Tally { positions, multiplicity: positions.into() });
        };
        let kind = Kind::Count(self.unique.en_passant);
        let mut runs = self.known(kind, ply, &keys)?;
        let missing = gaps(&keys, &runs);
        if !missing.is_empty() {
            self.make_layer(before)?;
            runs.extend(self.make_runs(kind, missing)?);
        }
        let sum = runs.iter().try_fold(Tally::default(), |sum, run| sum.plus(run.tally));
        sum.ok_or(UniqueError::Overflow)
    }

    /// Makes the layer of a ply in place of that of an earlier one.
    fn make_layer(&mut self, ply: Depth) -> Result<(), UniqueError> {
        if self.layer.ply == ply && !self.layer.runs.is_empty() {
            return Ok(());
        }
        let mut runs = Vec::new();
        if let Some(before) = ply.checked_sub(1) {
            runs = self.known(Kind::Layer, ply, &ALL_KEYS)?;
            let missing = gaps(&ALL_KEYS, &runs);
            if !missing.is_empty() {
                self.make_layer(before)?;
                runs.extend(self.make_runs(Kind::Layer, missing)?);
                runs.sort_unstable_by_key(|run| run.keys.start);
            }
        } else {
            // In memory even if there is a directory.
            let mut root = RunWriter::new(None, (Kind::Layer, 0, ALL_KEYS), &self.space)?;
            root.write(&[(self.root.pack(), 1)])?;
            runs.push(root.finish(Tally { positions: 1, multiplicity: 1 })?);
        }
        self.layer.remove()?;
        self.layer = StoredPly { ply, runs };
        if ply > 0 {
            self.growth.add(self.layer.positions() as usize);
        }
        Ok(())
    }

    /// The memory of each thread for the next ply; the rest is for layers, if they are in memory.
    fn thread_memory(&self, kind: Kind) -> usize {
        let memory = self.unique.machine.memory as u64;
        let mut work = memory;
        if self.dir.is_none() {
            let bytes = self.layer.bytes();
            // Rates fall, so it is on the high side.
            let next = match kind {
                Kind::Layer => (bytes as f64 * self.growth.rate()) as u64,
                // Some bytes for each range.
                Kind::Count(_) => memory / 64,
            };
            // A quarter at least for either.
            work = memory.saturating_sub(bytes).saturating_sub(next);
            work = work.clamp(memory / 4, memory / 4 * 3);
            self.space.set_limit(memory - work);
        }
        work as usize / self.unique.machine.threads
    }

    /// Makes the positions one ply after the layer whose keys are in some ranges, or only counts
    /// them.
    fn make_runs(&self, kind: Kind, ranges: Vec<Range<u64>>) -> Result<Vec<Run>, UniqueError> {
        let Unique { ref machine, ref on_progress, .. } = *self.unique;
        let (ply, dir) = (self.layer.ply + 1, self.dir.as_ref());
        let (bytes, positions) = (self.thread_memory(kind), self.layer.positions());
        let all: u64 = ranges.iter().map(|keys| keys.end - keys.start).sum();
        let share = all as f64 / ALL_KEYS.end as f64;
        let records = share * positions as f64 * RECORDS_PER_POSITION;
        let is_small = positions < MIN_PARALLEL;
        let least = match machine.threads.get() as f64 {
            _ if is_small => 1.0,
            threads => (RANGES_PER_THREAD * threads * share).max(threads),
        };
        let parts = (records / max_records(bytes) as f64).max(least).ceil() as u64;

        let done = Mutex::new(0.0_f64);
        let done = || done.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |keys: Range<u64>, cancel: &CancelToken| {
            let share = (keys.end - keys.start) as f64 / all as f64;
            let made = RunWriter::new(dir, (kind, ply, keys.clone()), &self.space);
            let made = made.map_err(RangeError::Failed).and_then(|mut writer| {
                let work = RangeWork {
                    parents: &self.layer,
                    mode: self.root.castling_mode(),
                    keys: keys.clone(),
                    kind,
                    bytes,
                    cancel,
                    on_step: &|step| *done() += share * step,
                    out: &mut writer,
                };
                let cpu = machine.backend.available().cpu;
                let tally = work.run(cpu, mover(&self.root, ply - 1))?;
                Ok(writer.finish(tally)?)
            });
            (keys, made)
        };
        // A small range is not worth as many parts as all keys are.
        let parts = |keys: &Range<u64>| (parts * (keys.end - keys.start)).div_ceil(all.max(1));
        let mut pending: Vec<_> = ranges.iter().flat_map(|keys| split(keys, parts(keys))).collect();
        let mut runs = Vec::new();
        while !pending.is_empty() {
            let tasks = mem::take(&mut pending).into_iter();
            let receive = |finished: Option<(Range<u64>, Result<Run, RangeError>)>| {
                if let Some(report) = on_progress {
                    report(&UniqueProgress { ply, share: done().min(1.0) });
                }
                match finished {
                    None => {}
                    Some((_, Ok(run))) => runs.push(run),
                    Some((keys, Err(RangeError::TooLarge(parts)))) if keys.end - keys.start > 1 => {
                        pending.extend(split(&keys, parts));
                    }
                    Some((_, Err(RangeError::Failed(error)))) => return Err(error),
                    Some((_, Err(RangeError::TooLarge(_) | RangeError::LargeGroup))) => {
                        return Err(UniqueError::OutOfMemory(machine.memory as u64));
                    }
                }
                Ok(())
            };
            machine.run(is_small, tasks, work, receive)?;
            if machine.cancel.is_cancelled() {
                return Err(UniqueError::Cancelled);
            }
        }
        runs.sort_unstable_by_key(|run| run.keys.start);
        Ok(runs)
    }
}

/// Cuts a range into a number of parts, or fewer if it has fewer keys.
fn split(keys: &Range<u64>, parts: u64) -> Vec<Range<u64>> {
    let len = keys.end - keys.start;
    let parts = parts.clamp(1, len);
    let edge = |part| keys.start + (u128::from(len) * u128::from(part) / u128::from(parts)) as u64;
    (0..parts).map(|part: u64| edge(part)..edge(part + 1)).collect()
}

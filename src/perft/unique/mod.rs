//! The number of different positions after some plies.
//!
//! Two lines lead to the same position if the same pieces stand on the same squares, the same side
//! is to move, the same castling rights are left, and the same captures en passant are possible.
//! [`EnPassant`] has other definitions of the last. The fifty-move clock, the move number and
//! repetitions do not count.
//!
//! Each ply is a layer of distinct positions with their multiplicities, made from the one before, a
//! range of keys at a time (`range`). Only one layer is kept, as bytes (`run`, `store`); that of the
//! last ply is counted and not kept. Positions are compared whole, and the sum of the
//! multiplicities has to be the number of lines.

mod range;
mod run;
mod store;
#[cfg(test)]
mod tests;

use std::fmt;
use std::num::NonZero;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, mem};

use super::merge::Growth;
use super::target::run_for;
use super::walk::mover;
use super::{Backend, CountError, Counter, Depth};
use crate::board::Board;
use crate::sys::{CancelToken, pool};
use range::{ALL_KEYS, RangeError, RangeWork, max_records};
use run::Tally;
use store::{Layer, Run, RunWriter, Space};

/// The part that the right to capture en passant has in a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnPassant {
    /// Positions after a double push differ from all others, whether or not there is a capture.
    Any,
    /// The square counts where a capture is legal.
    #[default]
    Legal,
    /// It does not count.
    None,
}

/// Not the name of a definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown definition {0:?} (any, legal or none)")]
pub struct UnknownEnPassant(pub String);

impl FromStr for EnPassant {
    type Err = UnknownEnPassant;

    fn from_str(text: &str) -> Result<Self, UnknownEnPassant> {
        let found = Self::ALL.into_iter().find(|definition| definition.name() == text);
        found.ok_or_else(|| UnknownEnPassant(text.to_owned()))
    }
}

impl EnPassant {
    /// All definitions.
    pub const ALL: [Self; 3] = [Self::Any, Self::Legal, Self::None];

    /// The name in arguments and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Legal => "legal",
            Self::None => "none",
        }
    }
}

impl fmt::Display for EnPassant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The different positions after a number of plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniqueCount {
    /// The plies.
    pub ply: Depth,
    /// The different positions.
    pub positions: u64,
    /// The lines that lead to them, which are those of perft.
    pub multiplicity: u128,
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
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
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
/// use perft::{Board, Unique};
///
/// let count = Unique::new().count(&Board::startpos(), 4)?;
/// assert_eq!((count.positions, count.multiplicity), (72_078, 197_281));
/// # Ok::<(), perft::UniqueError>(())
/// ```
#[derive(Clone)]
pub struct Unique {
    threads: NonZero<usize>,
    memory: usize,
    en_passant: EnPassant,
    cancel: CancelToken,
    on_progress: Option<OnProgress>,
}

impl fmt::Debug for Unique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, memory, en_passant, .. } = self;
        let mut debug = f.debug_struct("Unique");
        debug.field("threads", threads).field("memory", memory).field("en_passant", en_passant);
        debug.finish_non_exhaustive()
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
            threads: NonZero::<usize>::MIN,
            memory: 1 << 30,
            en_passant: EnPassant::default(),
            cancel: CancelToken::new(),
            on_progress: None,
        }
    }

    /// Sets the number of threads. Counts do not depend on it.
    #[must_use]
    pub fn threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }

    /// Sets the bytes of memory that may be used.
    #[must_use]
    pub fn memory(self, bytes: usize) -> Self {
        Self { memory: bytes, ..self }
    }

    /// Sets the part of en passant in a position.
    #[must_use]
    pub fn en_passant(self, en_passant: EnPassant) -> Self {
        Self { en_passant, ..self }
    }

    /// Sets the token that cancels the work, with [`UniqueError::Cancelled`].
    #[must_use]
    pub fn cancel(self, cancel: CancelToken) -> Self {
        Self { cancel, ..self }
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
        self.work(board)?.count(ply)
    }

    /// The different positions after each number of plies from 1 to `ply`.
    ///
    /// # Errors
    /// See [`UniqueError`].
    pub fn count_each(&self, board: &Board, ply: Depth) -> Result<Vec<UniqueCount>, UniqueError> {
        let mut work = self.work(board)?;
        (1..=ply).map(|ply| work.count(ply)).collect()
    }

    fn work(&self, board: &Board) -> Result<Work<'_>, UniqueError> {
        let threads = self.threads.get();
        let least = threads.saturating_mul(Self::MIN_THREAD_MEMORY);
        if self.memory < least {
            return Err(UniqueError::TooLittleMemory { threads, least });
        }
        Ok(Work {
            unique: self,
            root: *board,
            backend: Backend::default().available(),
            space: Arc::new(Space::new(self.memory as u64)),
            layer: Layer::default(),
            growth: Growth::new(board.count_legal_moves()),
        })
    }
}

/// Layers with fewer positions are worked on before threads have started.
const MIN_PARALLEL: u64 = 5_000;

/// A layer is worked on in so many ranges for each thread, if it is not small.
const RANGES_PER_THREAD: u64 = 2;

/// Records of a range for each position of the layer before: itself, and captures.
const RECORDS_PER_POSITION: f64 = 2.5;

/// The state of the work.
struct Work<'a> {
    unique: &'a Unique,
    root: Board,
    backend: Backend,
    space: Arc<Space>,
    /// The last layer that was made.
    layer: Layer,
    growth: Growth,
}

impl Work<'_> {
    /// The different positions after a number of plies; their lines have to be those of perft.
    fn count(&mut self, ply: Depth) -> Result<UniqueCount, UniqueError> {
        let Tally { positions, multiplicity } = self.tally(ply)?;
        let Unique { threads, ref cancel, .. } = *self.unique;
        let recommended = Counter::recommended_memory(&self.root, ply);
        let memory = recommended.min(self.unique.memory - self.space.used() as usize);
        let counter = Counter::new().threads(threads).memory(memory).cancel(cancel.clone());
        let nodes = counter.count(&self.root, ply)?;
        if multiplicity != nodes {
            return Err(UniqueError::Mismatch { ply, multiplicity, nodes });
        }
        Ok(UniqueCount { ply, positions, multiplicity })
    }

    fn tally(&mut self, ply: Depth) -> Result<Tally, UniqueError> {
        let Some(before) = ply.checked_sub(1) else {
            return Ok(Tally { positions: 1, multiplicity: 1 });
        };
        self.make_layer(before)?;
        let runs = self.make_runs(false)?;
        let sum = runs.iter().try_fold(Tally::default(), |sum, run| sum.plus(run.tally));
        sum.ok_or(UniqueError::Overflow)
    }

    /// Makes the layer of a ply in place of that of an earlier one.
    fn make_layer(&mut self, ply: Depth) -> Result<(), UniqueError> {
        if self.layer.runs.is_empty() {
            let mut writer = RunWriter::new(ALL_KEYS, &self.space);
            writer.write(&[(self.root.pack(), 1)])?;
            self.layer.runs = vec![writer.finish(Tally { positions: 1, multiplicity: 1 })?];
        }
        while self.layer.ply < ply {
            let runs = self.make_runs(true)?;
            self.layer = Layer { ply: self.layer.ply + 1, runs };
            self.growth.add(self.layer.positions() as usize);
        }
        Ok(())
    }

    /// The memory of each thread for the next ply; the rest is for layers.
    fn thread_memory(&self, is_stored: bool) -> usize {
        let (memory, bytes) = (self.unique.memory as u64, self.layer.bytes());
        // Rates fall, so it is on the high side.
        let next = if is_stored { (bytes as f64 * self.growth.rate()) as u64 } else { 0 };
        // A quarter at least for either.
        let work = memory.saturating_sub(bytes).saturating_sub(next);
        let work = work.clamp(memory / 4, memory / 4 * 3);
        self.space.set_limit(memory - work);
        work as usize / self.unique.threads
    }

    /// Makes the positions one ply after the layer, or only counts them.
    fn make_runs(&self, is_stored: bool) -> Result<Vec<Run>, UniqueError> {
        let Unique { threads, en_passant, ref cancel, ref on_progress, .. } = *self.unique;
        // Positions that differ only in what is not counted have different moves.
        let en_passant = if is_stored { EnPassant::Legal } else { en_passant };
        let side = mover(&self.root, self.layer.ply);
        let bytes = self.thread_memory(is_stored);
        let positions = self.layer.positions();
        let records = positions as f64 * RECORDS_PER_POSITION;
        let is_small = positions < MIN_PARALLEL;
        let least = if is_small { 1 } else { RANGES_PER_THREAD * threads.get() as u64 };
        let parts = ((records / max_records(bytes) as f64).ceil() as u64).max(least);

        let child = cancel.child();
        let done = Mutex::new(0.0_f64);
        let work = |keys: Range<u64>| {
            let share = (keys.end - keys.start) as f64 / ALL_KEYS.end as f64;
            let mut writer = is_stored.then(|| RunWriter::new(keys.clone(), &self.space));
            let made = run_for(
                &self.backend,
                RangeWork {
                    parents: &self.layer,
                    side,
                    mode: self.root.castling_mode(),
                    keys: keys.clone(),
                    en_passant,
                    bytes,
                    cancel: &child,
                    on_step: &|step| {
                        *done.lock().unwrap_or_else(PoisonError::into_inner) += share * step;
                    },
                    out: writer.as_mut(),
                },
            );
            let finished = made.and_then(|tally| match writer {
                Some(writer) => Ok(writer.finish(tally)?),
                None => Ok(Run::counted(keys.clone(), tally, &self.space)),
            });
            Some((keys, finished))
        };
        let (mut runs, mut pending) = (Vec::new(), split(&ALL_KEYS, parts));
        while !pending.is_empty() {
            let tasks = mem::take(&mut pending).into_iter();
            let receive = |finished: Option<(Range<u64>, Result<Run, RangeError>)>| {
                if let Some(report) = on_progress {
                    let share = *done.lock().unwrap_or_else(PoisonError::into_inner);
                    report(&UniqueProgress { ply: self.layer.ply + 1, share: share.min(1.0) });
                }
                match finished {
                    None => {}
                    Some((_, Ok(run))) => runs.push(run),
                    Some((_, Err(RangeError::Failed(error)))) => return Err(error),
                    Some((keys, Err(RangeError::TooLarge(parts)))) => {
                        if keys.end - keys.start == 1 {
                            return Err(UniqueError::OutOfMemory(self.unique.memory as u64));
                        }
                        pending.extend(split(&keys, parts));
                    }
                }
                Ok(())
            };
            if is_small || threads.get() == 1 {
                pool::run_here(tasks, &child, work, receive)?;
            } else {
                pool::run(threads, tasks, &child, work, receive)?;
            }
            if cancel.is_cancelled() {
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
    let edge =
        |part: u64| keys.start + (u128::from(len) * u128::from(part) / u128::from(parts)) as u64;
    (0..parts).map(|part| edge(part)..edge(part + 1)).collect()
}

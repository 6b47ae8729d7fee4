//! Layers in memory.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::Depth;
use super::UniqueError;
use super::run::{BlockReader, Encoder, Record, RunError, Tally, end_block};

/// The distinct positions of a ply.
#[derive(Default)]
pub(super) struct Layer {
    pub ply: Depth,
    pub runs: Vec<Run>,
}

impl Layer {
    /// The number of positions.
    pub fn positions(&self) -> u64 {
        self.runs.iter().map(|run| run.tally.positions).sum()
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes).sum()
    }
}

/// The positions of a ply whose keys are in a range.
pub(super) struct Run {
    pub keys: Range<u64>,
    pub tally: Tally,
    pub bytes: u64,
    data: Vec<u8>,
    space: Arc<Space>,
}

impl Run {
    /// Positions that were counted and are not stored.
    pub fn counted(keys: Range<u64>, tally: Tally, space: &Arc<Space>) -> Self {
        Self { keys, tally, bytes: 0, data: Vec::new(), space: Arc::clone(space) }
    }

    /// Reads the positions.
    pub fn reader(&self) -> Result<RunReader<'_>, UniqueError> {
        Ok(RunReader(BlockReader::new(Box::new(&self.data[..]))))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.space.give(self.bytes);
    }
}

pub(super) struct RunReader<'a>(BlockReader<Box<dyn Read + 'a>>);

impl RunReader<'_> {
    /// See [`BlockReader::read`].
    pub fn read(&mut self, records: &mut Vec<Record>) -> Result<(), UniqueError> {
        self.0.read(records).map_err(|error| match error {
            RunError::Io(error) => UniqueError::Io("cannot read".to_owned(), error),
            RunError::Corrupted => UniqueError::File("the memory is corrupted".to_owned()),
        })
    }
}

/// The bytes that all runs may take.
pub(super) struct Space {
    limit: AtomicU64,
    used: AtomicU64,
}

impl Space {
    pub fn new(limit: u64) -> Self {
        Self { limit: AtomicU64::new(limit), used: AtomicU64::new(0) }
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

    fn take(&self, bytes: u64) -> bool {
        self.used.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.limit()
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
}

impl RunWriter {
    pub fn new(keys: Range<u64>, space: &Arc<Space>) -> Self {
        let run = Run::counted(keys, Tally::default(), space);
        Self { encoder: Encoder::default(), block: Vec::new(), run }
    }

    /// Adds records.
    pub fn write(&mut self, records: &[Record]) -> Result<(), UniqueError> {
        for record in records {
            if self.encoder.push(record, &mut self.block) {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// The run, which has so many positions.
    pub fn finish(mut self, tally: Tally) -> Result<Run, UniqueError> {
        self.encoder.finish(&mut self.block);
        self.flush()?;
        self.block = end_block(tally);
        self.flush()?;
        self.run.tally = tally;
        Ok(self.run)
    }

    fn flush(&mut self) -> Result<(), UniqueError> {
        let bytes = self.block.len() as u64;
        self.run.bytes += bytes;
        let fits =
            self.run.space.take(bytes) && self.run.data.try_reserve(self.block.len()).is_ok();
        if !fits {
            return Err(UniqueError::OutOfMemory(self.run.space.limit()));
        }
        self.run.data.append(&mut self.block);
        Ok(())
    }
}

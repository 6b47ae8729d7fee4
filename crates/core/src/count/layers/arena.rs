//! Memory for the positions of layers, in chunks that are used again.

use std::slice;
use std::sync::{Mutex, PoisonError};

use crate::board::PackedBoard;
use crate::count::distinct::Record;

/// Small, since each thread has a chunk begun for each part of a layer.
pub const CHUNK_BYTES: usize = 2048;

const RECORD_BYTES: usize = 40;

/// The records of a chunk.
pub const RECORDS: usize = CHUNK_BYTES / RECORD_BYTES;

pub type Chunk = [u8; CHUNK_BYTES];

/// Memory that is handed out in chunks.
pub struct Arena<'a>(Mutex<Chunks<'a>>);

struct Chunks<'a> {
    /// Never used, so that the system need not have provided their memory.
    fresh: slice::IterMut<'a, Chunk>,
    freed: Vec<&'a mut Chunk>,
    size: usize,
}

impl<'a> Arena<'a> {
    pub fn new(memory: &'a mut [u8]) -> Self {
        let (chunks, _) = memory.as_chunks_mut();
        let size = chunks.len();
        Self(Mutex::new(Chunks { fresh: chunks.iter_mut(), freed: Vec::new(), size }))
    }

    fn chunks(&self) -> std::sync::MutexGuard<'_, Chunks<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes that were ever used.
    pub fn used_bytes(&self) -> usize {
        let chunks = self.chunks();
        (chunks.size - chunks.fresh.len()) * CHUNK_BYTES
    }

    /// All bytes.
    pub fn bytes(&self) -> usize {
        self.chunks().size * CHUNK_BYTES
    }

    /// The number of chunks that were never used.
    pub fn fresh(&self) -> usize {
        self.chunks().fresh.len()
    }

    /// Takes a chunk. So many of those that were never used are left.
    fn take(&self, reserve: usize) -> Option<&'a mut Chunk> {
        let mut chunks = self.chunks();
        let freed = chunks.freed.pop();
        if freed.is_some() || chunks.fresh.len() <= reserve { freed } else { chunks.fresh.next() }
    }

    /// Takes back the memory of parts.
    pub fn free(&self, parts: impl IntoIterator<Item = Part<'a>>) {
        let freed = &mut self.chunks().freed;
        for part in parts {
            freed.extend(part.chunks);
        }
    }
}

/// Records in chunks of an arena.
#[derive(Default)]
pub struct Part<'a> {
    chunks: Vec<&'a mut Chunk>,
    len: usize,
}

impl<'a> Part<'a> {
    /// The number of records.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// The chunks, each with its number of records.
    pub fn chunks(&self) -> impl Iterator<Item = (&Chunk, usize)> {
        let chunks = self.chunks.iter().enumerate();
        chunks.map(|(index, chunk)| (&**chunk, (self.len - index * RECORDS).min(RECORDS)))
    }

    /// Adds a record, if the arena has room.
    #[inline(always)]
    #[must_use]
    pub fn push(&mut self, arena: &Arena<'a>, record: Record<u64>) -> bool {
        self.push_leaving(0, arena, record)
    }

    /// [`Self::push`], but `reserve` chunks that were never used are no room.
    #[inline(always)]
    #[must_use]
    pub fn push_leaving(&mut self, reserve: usize, arena: &Arena<'a>, record: Record<u64>) -> bool {
        let index = self.len % RECORDS;
        if index == 0 {
            match arena.take(reserve) {
                Some(chunk) => self.chunks.push(chunk),
                None => return false,
            }
        }
        if let Some(chunk) = self.chunks.last_mut() {
            write(chunk, index, record);
        }
        self.len += 1;
        true
    }
}

#[inline(always)]
fn write(chunk: &mut Chunk, index: usize, (position, multiplicity): Record<u64>) {
    let [a, b, c, d] = position.to_words();
    let record = &mut chunk.as_chunks_mut::<RECORD_BYTES>().0[index];
    for (bytes, word) in record.as_chunks_mut().0.iter_mut().zip([a, b, c, d, multiplicity]) {
        *bytes = word.to_ne_bytes();
    }
}

/// A record of a chunk.
#[inline(always)]
pub fn read(chunk: &Chunk, index: usize) -> Record<u64> {
    let record = &chunk.as_chunks::<RECORD_BYTES>().0[index];
    let word = |index: usize| u64::from_ne_bytes(record.as_chunks().0[index]);
    (PackedBoard::from_words([word(0), word(1), word(2), word(3)]), word(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_until_the_memory_is_used_up() {
        let record = |number: u64| {
            (PackedBoard::from_words([number, 1, 2, u64::MAX - number]), u64::MAX / (number + 1))
        };
        let mut memory = vec![0; 3 * CHUNK_BYTES + 100];
        let arena = Arena::new(&mut memory);
        for _ in 0..2 {
            let mut part = Part::default();
            let fits = (0..).take_while(|&number| part.push(&arena, record(number))).count();
            assert_eq!((fits, part.len()), (3 * RECORDS, fits));
            let read = |(chunk, len)| (0..len).map(move |index| read(chunk, index));
            assert!(part.chunks().flat_map(read).eq((0..fits as u64).map(record)));
            arena.free([part]);
            assert_eq!((arena.bytes(), arena.used_bytes()), (3 * CHUNK_BYTES, 3 * CHUNK_BYTES));
        }
    }

    #[test]
    fn a_reserve_is_left() {
        let record = (PackedBoard::from_words([1, 2, 3, 4]), 5);
        let mut memory = vec![0; 3 * CHUNK_BYTES];
        let arena = Arena::new(&mut memory);
        let mut part = Part::default();
        let fits = (0..).take_while(|_| part.push_leaving(2, &arena, record)).count();
        assert_eq!((fits, arena.fresh()), (RECORDS, 2));
        // Chunks that were used before are room.
        arena.free([part]);
        assert!(Part::default().push_leaving(2, &arena, record));
        assert!(!Part::default().push_leaving(2, &arena, record));
        assert!(Part::default().push(&arena, record));
    }
}

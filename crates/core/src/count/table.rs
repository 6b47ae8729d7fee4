//! A table of known counts, shared by all threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use memmap2::MmapRaw;
use rustc_hash::FxHashMap;

use super::Depth;
use super::growth::{Growth, estimate};
use crate::board::Board;
use crate::sys::{available_memory, memory};
use crate::types::Piece;

/// The size of a cache line.
const BUCKET_BYTES: usize = 64;

/// The size of an entry.
const ENTRY_BYTES: f64 = 16.0;

/// Positions with this depth left are looked up; nearer the leaves counting is faster: start 8 with
/// 1 GiB takes 4.4 s so and 5.9 s with one more, alternating, best of three.
pub(super) const MIN_TABLE_DEPTH: Depth = 2;

/// Counts that look up fewer positions are done before the system has given the memory.
const MIN_POSITIONS: f64 = 300_000.0;

/// Nothing is saved by smaller tables.
const MIN_BYTES: usize = 1 << 20;

#[repr(C, align(64))]
struct Bucket([Entry; 4]);

/// The count, and the check with the count's bits flipped in.
#[repr(C)]
struct Entry {
    mixed: AtomicU64,
    nodes: AtomicU64,
}

/// The reason why there is no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// More than the machine can give without swapping.
    #[error("a table of {asked} bytes does not fit: {available} bytes of memory are free")]
    TooLarge {
        /// The size that was asked for.
        asked: usize,
        /// The free memory.
        available: usize,
    },
    /// The system refused.
    #[error("cannot allocate a table of {asked} bytes: {error}")]
    Refused {
        /// The size that was asked for.
        asked: usize,
        /// Its error.
        error: std::io::Error,
    },
}

/// A table of known counts, shared by all threads.
///
/// # How it works
/// A bucket is a cache line of four entries, an entry is two words: the count, and a check
/// combined with the count. Both words are written and read without a lock. If two threads
/// write an entry at once, or one reads what another is in the middle of writing, the two words
/// do not fit each other, the check fails, and the entry counts as absent: a torn entry is never
/// used.
///
/// A position's key has two words of 64 bits and takes in how deep is counted. One chooses the
/// bucket, the other is the check. A new count takes the place of the smallest in its bucket,
/// so that three of four entries keep the most expensive counts and one takes the rest.
///
/// Counts above 64 bits are few, near the root of a deep tree, and are kept in a map beside it.
///
/// # Why it can be trusted
/// A wrong count is used only if two positions share a bucket and all 64 bits of the check.
/// Each probe looks at four entries, so its chance is below 2^-62; for 10^12 probes, more than
/// perft(10) of the start position takes, that is below one in four million. [`Table::with_swapped_keys`]
/// exchanges the words of the key: what is mistaken one way is not mistaken the other way
/// unless all 128 bits agree. Counting twice, once each way, shows any mistake.
pub struct Table {
    memory: MmapRaw,
    buckets: usize,
    swapped: bool,
    /// The bits of the check that are used: all of them, but fewer in tests.
    check_mask: u64,
    /// Counts above 64 bits, by hash and depth.
    large: Mutex<FxHashMap<(u128, Depth), u128>>,
    hits: AtomicU64,
}

/// The highest number of counts above 64 bits: some 64 MB.
const MAX_LARGE: usize = 1 << 20;

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} bytes)", self.bytes())
    }
}

impl Table {
    /// An empty table of at most `bytes` bytes, at least one bucket. Its memory is taken as it
    /// is used, in huge pages where the system has them.
    ///
    /// # Errors
    /// If there is not that much memory.
    pub fn new(bytes: usize) -> Result<Self, TableError> {
        Self::check_size(bytes)?;
        let buckets = (bytes / BUCKET_BYTES).max(1);
        let asked = buckets * BUCKET_BYTES;
        let memory = memory::map(asked).map_err(|error| TableError::Refused { asked, error })?;
        let memory = MmapRaw::from(memory);
        let (large, hits) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self { memory, buckets, swapped: false, check_mask: !0, large, hits })
    }

    /// Checks that the machine can give so many bytes without swapping.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check_size(asked: usize) -> Result<(), TableError> {
        if asked == 0 {
            return Ok(());
        }
        match available_memory() {
            Some(available) if asked > available => Err(TableError::TooLarge { asked, available }),
            _ => Ok(()),
        }
    }

    /// The size in bytes that pays for a tree of about so many leaves, at most half of the free
    /// memory; 0 if none does.
    pub fn recommended_bytes(leaves: f64) -> usize {
        const MIB: usize = 1 << 20;
        // A small count is done before the system has given the memory.
        let bytes = match leaves {
            ..1e9 => 0,
            ..1e10 => 256 * MIB,
            ..1e11 => 1024 * MIB,
            ..2e12 => 4096 * MIB,
            _ => 16_384 * MIB,
        };
        bytes.min(available_memory().map_or(256 * MIB, |free| free / 2))
    }

    /// The size in bytes that pays for a count.
    pub fn recommended_bytes_for(board: &Board, depth: Depth) -> usize {
        match Self::recommended_bytes(estimate(board, depth)) {
            0 => 0,
            bytes => bytes.min(Self::max_bytes_for(board, depth)),
        }
    }

    /// The size in bytes that has room for all positions that a count looks up, by the growth of
    /// the first plies.
    pub fn max_bytes_for(board: &Board, depth: Depth) -> usize {
        Self::bytes_for_positions(board, depth).1
    }

    /// [`Self::max_bytes_for`], or 0 if so few positions are looked up that a table does not pay.
    pub(super) fn worthwhile_bytes_for(board: &Board, depth: Depth) -> usize {
        let (positions, bytes) = Self::bytes_for_positions(board, depth);
        if positions < MIN_POSITIONS { 0 } else { bytes }
    }

    /// The positions that a count looks up, and the bytes that have room for them.
    fn bytes_for_positions(board: &Board, depth: Depth) -> (f64, usize) {
        // A piece is on one of 64 squares or captured; a pawn may be one of four pieces too.
        let pieces = 65_f64.powi(board.occupied().len() as i32);
        let promotions = 5_f64.powi(board.pieces(Piece::Pawn).len() as i32);
        let entries = 2.0 * pieces * promotions * f64::from(depth);
        // Half again as many entries as positions, so that few take each other's place.
        let last = depth.saturating_sub(MIN_TABLE_DEPTH);
        let positions = Growth::measure(board, last).predict_up_to(last);
        let bytes = ENTRY_BYTES * entries.min(1.5 * positions);
        (positions, (bytes as usize).max(MIN_BYTES))
    }

    /// Uses the two words of keys the other way round: what one table mistakes for something else the
    /// other does not. For an empty table.
    #[must_use]
    pub fn with_swapped_keys(self) -> Self {
        Self { swapped: !self.swapped, ..self }
    }

    /// Uses only some bits of the check, so that mistakes happen.
    #[cfg(test)]
    pub(crate) fn with_check_bits(self, bits: u32) -> Self {
        Self { check_mask: (1 << bits) - 1, ..self }
    }

    /// The number of counts that were found in the table.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    pub(super) fn add_hits(&self, hits: u64) {
        self.hits.fetch_add(hits, Ordering::Relaxed);
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets * BUCKET_BYTES
    }

    /// The share of entries in use, from a sample.
    pub fn fill(&self) -> f64 {
        let sample = &self.buckets()[..self.buckets.min(4_096)];
        let used = sample.iter().flat_map(|bucket| &bucket.0).filter(|entry| {
            entry.mixed.load(Ordering::Relaxed) != 0 || entry.nodes.load(Ordering::Relaxed) != 0
        });
        used.count() as f64 / (4 * sample.len()) as f64
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn buckets(&self) -> &[Bucket] {
        // SAFETY: the mapping is `buckets` times the size of a bucket long and lives as long as
        // `self`; a page's start is aligned to a cache line; any bits are valid atomics, and
        // all access is through them, since a raw mapping is never borrowed as bytes. Gain:
        // without it the memory would have to be written before use, which takes seconds for
        // large tables.
        unsafe {
            std::slice::from_raw_parts(self.memory.as_mut_ptr().cast::<Bucket>(), self.buckets)
        }
    }

    /// The bucket and the check of a position counted to a depth.
    #[inline(always)]
    fn place(&self, key: u128, depth: Depth) -> (&Bucket, u64) {
        // A multiple of an odd number for each depth, in both words.
        let key = key ^ u128::from(depth).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let key = if self.swapped { key.rotate_left(64) } else { key };
        let index = ((u128::from(key as u64) * self.buckets as u128) >> 64) as usize;
        let check = (key >> 64) as u64 & self.check_mask;
        // An empty entry has no check.
        (&self.buckets()[index], check.max(1))
    }

    /// [`Table::get`] for a count that may be above 64 bits.
    pub(super) fn get_u128(&self, hash: u128, depth: Depth) -> Option<u128> {
        let large = || self.large.lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.get(hash, depth).map(u128::from);
        found.or_else(|| large().get(&(hash, depth)).copied())
    }

    /// [`Table::put`] for a count that may be above 64 bits.
    pub(super) fn put_u128(&self, hash: u128, depth: Depth, nodes: u128) {
        if let Ok(nodes) = u64::try_from(nodes) {
            return self.put(hash, depth, nodes);
        }
        let mut large = self.large.lock().unwrap_or_else(PoisonError::into_inner);
        if large.len() < MAX_LARGE {
            large.insert((hash, depth), nodes);
        }
    }

    /// The count, if it is known.
    #[inline(always)]
    pub(super) fn get(&self, key: u128, depth: Depth) -> Option<u64> {
        let (bucket, check) = self.place(key, depth);
        bucket.0.iter().find_map(|entry| {
            let nodes = entry.nodes.load(Ordering::Relaxed);
            (entry.mixed.load(Ordering::Relaxed) ^ nodes == check).then_some(nodes)
        })
    }

    /// Stores a count in place of the smallest one of its bucket.
    #[inline(always)]
    pub(super) fn put(&self, key: u128, depth: Depth, nodes: u64) {
        let (bucket, check) = self.place(key, depth);
        let mut place = &bucket.0[0];
        let mut least = u64::MAX;
        for entry in &bucket.0 {
            let held = entry.nodes.load(Ordering::Relaxed);
            if entry.mixed.load(Ordering::Relaxed) ^ held == check {
                return;
            }
            if held < least {
                (place, least) = (entry, held);
            }
        }
        place.nodes.store(nodes, Ordering::Relaxed);
        place.mixed.store(nodes ^ check, Ordering::Relaxed);
    }

    /// Fetches the cache line of a position ahead of its lookup.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u128, depth: Depth) {
        memory::prefetch(self.place(key, depth).0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_again_by_key_and_depth() {
        let table = Table::new(1 << 16).unwrap();
        let mut rng = crate::random::Rng::new(5);
        let mut key = || u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let (a, b) = (key(), key());
        assert_eq!(table.get(a, 3), None);
        table.put(a, 3, 42);
        table.put(a, 4, 43);
        table.put(b, 3, 0);
        assert_eq!((table.get(a, 3), table.get(a, 4)), (Some(42), Some(43)));
        assert_eq!((table.get(b, 3), table.get(b, 4)), (Some(0), None));
        let large = u128::from(u64::MAX) + 1;
        table.put_u128(a, 20, large);
        table.put_u128(a, 10, 5);
        assert_eq!((table.get_u128(a, 20), table.get_u128(a, 10)), (Some(large), Some(5)));
        let swapped = Table::new(1 << 16).unwrap().with_swapped_keys();
        swapped.put(a, 3, 42);
        assert_eq!((swapped.get(a, 3), swapped.with_swapped_keys().get(a, 3)), (Some(42), None));
    }

    #[test]
    fn the_largest_counts_stay() {
        let table = Table::new(0).unwrap();
        assert_eq!(table.bytes(), 64);
        for nodes in 1..=100 {
            table.put(u128::from(nodes) << 64, 3, nodes);
        }
        for nodes in [98, 99, 100] {
            assert_eq!(table.get(u128::from(nodes) << 64, 3), Some(nodes));
        }
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused() {
        let error = Table::new(usize::MAX / 2).unwrap_err();
        // Where the system does not report how much is free, it refuses by itself.
        let is_reported = available_memory().is_some();
        assert_eq!(error.to_string().contains("does not fit"), is_reported, "{error}");
    }
}

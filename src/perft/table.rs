//! A table of counts that are already known, shared by all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{MmapMut, MmapRaw};

use super::{Depth, available_memory};

/// The size of a cache line.
const BUCKET_BYTES: usize = 64;

#[repr(C, align(64))]
struct Bucket([Entry; 4]);

/// The count, and the check with the count's bits flipped in.
#[repr(C)]
struct Entry {
    mixed: AtomicU64,
    nodes: AtomicU64,
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// More than the machine can give without swapping.
    #[error("a table of {asked} bytes does not fit: {available} bytes of memory are free")]
    TooLarge {
        /// The size that was asked for.
        asked: usize,
        /// What is free.
        available: usize,
    },
    /// The system refused.
    #[error("the system gives no {asked} bytes for a table: {error}")]
    Refused {
        /// The size that was asked for.
        asked: usize,
        /// What it said.
        error: std::io::Error,
    },
}

/// A table of counts that are already known, shared by all threads.
///
/// # How it works
/// A bucket is a cache line of four entries, an entry is two words: the count, and a check
/// combined with the count. Both words are written and read without a lock. If two threads
/// write an entry at once, or one reads what another is half through writing, the two words
/// do not fit each other, the check fails, and the entry is as good as absent: nothing torn
/// is ever believed.
///
/// A position's key has 128 bits and takes in how deep is counted. One half chooses the
/// bucket, the other is the check. A new count takes the place of the smallest in its bucket,
/// so that three of four entries keep what was costly and one takes what comes.
///
/// # Why it can be trusted
/// A wrong count is believed only if two positions share a bucket and all 64 bits of the check.
/// Each probe looks at four entries, so its chance is below 2^-62; for 10^12 probes, more than
/// perft(10) of the start position takes, that is below one in four million. [`Table::swapped`]
/// exchanges the halves of the key: what is mistaken one way is not mistaken the other way
/// unless all 128 bits agree. Counting twice, once each way, shows any mistake.
pub struct Table {
    memory: MmapRaw,
    buckets: usize,
    swapped: bool,
    /// The bits of the check that are used: all of them, but fewer in tests.
    check_mask: u64,
}

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
        let buckets = (bytes / BUCKET_BYTES).max(1);
        let asked = buckets * BUCKET_BYTES;
        if let Some(available) = available_memory()
            && asked > available
        {
            return Err(TableError::TooLarge { asked, available });
        }
        let memory =
            MmapMut::map_anon(asked).map_err(|error| TableError::Refused { asked, error })?;
        let memory = MmapRaw::from(memory);
        // Only advice: without huge pages the table works as well, if slower. Miri cannot take it.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self { memory, buckets, swapped: false, check_mask: !0 })
    }

    /// An empty table of the same size that uses the halves of keys the other way round: what
    /// one mistakes for something else the other does not.
    ///
    /// # Errors
    /// If the system takes the memory back and does not give it again.
    pub fn swapped(self) -> Result<Self, TableError> {
        let (bytes, swapped, check_mask) = (self.bytes(), !self.swapped, self.check_mask);
        drop(self);
        Ok(Self { swapped, check_mask, ..Self::new(bytes)? })
    }

    /// Uses only some bits of the check, so that mistakes happen.
    #[cfg(test)]
    pub(crate) fn with_check_bits(self, bits: u32) -> Self {
        Self { check_mask: (1 << bits) - 1, ..self }
    }

    /// The size.
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
        // A multiple of an odd number for each depth, in both halves.
        let key = key ^ u128::from(depth).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let key = if self.swapped { key.rotate_left(64) } else { key };
        let index = ((u128::from(key as u64) * self.buckets as u128) >> 64) as usize;
        let check = (key >> 64) as u64 & self.check_mask;
        // An empty entry has no check.
        (&self.buckets()[index], check.max(1))
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

    /// Remembers a count, in place of the smallest one of its bucket.
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

    /// Tells the CPU that a position will be asked for.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u128, depth: Depth) {
        let (bucket, _) = self.place(key, depth);
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing, whatever the address, and SSE is part of
            // x86-64. Gain: start 8 with 1 GiB takes 4.9 s with it and 6.7 s without, on one
            // thread, alternating, best of four.
            #[allow(unsafe_code)]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(bucket).cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bucket;
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
        let swapped = table.swapped().unwrap();
        assert_eq!((swapped.bytes(), swapped.get(a, 3)), (1 << 16, None));
    }

    #[test]
    fn the_costly_stay() {
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
        // Where the system does not tell how much is free, it refuses by itself.
        let is_told = available_memory().is_some();
        assert_eq!(error.to_string().contains("does not fit"), is_told, "{error}");
    }
}

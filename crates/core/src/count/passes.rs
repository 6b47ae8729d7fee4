//! Counts by layers that keep what is finished.

use std::fmt;
use std::ops::Range;

use super::layers::{self, Leaf, Ranges};
use super::{CountError, Counter, Depth, Divide, Merge, Progress};
use crate::board::Board;

/// The passes of a count, if each is large enough: a stop loses no more than one.
const MIN_PASSES: u32 = 16;

/// A part of a count by layers that is finished.
///
/// The positions of the last stored layer are put in order by a hash of the pieces of the side that
/// is not to move, their half. A pass is over a range of it. Its leaves depend on the count and on the
/// range only, not on memory, threads or code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The range, within 0 and [`Passes::HALVES`].
    pub halves: Range<u32>,
    /// Its leaves.
    pub nodes: u128,
}

/// The reason why a pass is not one of a count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PassError {
    /// The range is empty, or leads beyond the end.
    #[error("halves {} to {} are not a range within 0 to {max}", .0.start, .0.end, max = Passes::HALVES)]
    NoRange(Range<u32>),
    /// The range, first, overlaps that of another pass.
    #[error("halves {} to {} are not apart from {} to {}", .0.start, .0.end, .1.start, .1.end)]
    Overlap(Range<u32>, Range<u32>),
}

/// A count by layers whose finished passes are known.
///
/// ```
/// use perft_core::{Board, CountError, Counter, Pass, Passes};
///
/// let counter = Counter::new().memory(150 << 10);
/// let new = || Passes::new(&counter, &Board::startpos(), 6).expect("it is made by layers");
/// let mut saved: Vec<Pass> = Vec::new();
/// // The count ends after its first pass.
/// let ended = new().count(|_| {}, |pass, _| {
///     saved.push(pass.clone());
///     Err(CountError::LimitExceeded(0))
/// });
/// assert!(ended.is_err());
/// // Later it goes on.
/// let mut passes: Passes = new();
/// for pass in saved {
///     passes.add(pass)?;
/// }
/// assert_eq!(passes.count(|_| {}, |_, _| Ok::<(), CountError>(()))?, 119_060_324);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Passes {
    counter: Counter,
    board: Board,
    depth: Depth,
    /// By their ranges.
    finished: Vec<Pass>,
}

impl fmt::Debug for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, finished, .. } = self;
        let mut debug = f.debug_struct("Passes");
        debug.field("depth", depth).field("finished", finished).finish_non_exhaustive()
    }
}

impl Passes {
    /// The end of the range of all halves.
    pub const HALVES: u32 = layers::HALVES;

    /// The passes of a count, none of them finished, if it is made by layers.
    pub fn new(counter: &Counter, board: &Board, depth: Depth) -> Option<Self> {
        let passes = Self { counter: counter.clone(), board: *board, depth, finished: Vec::new() };
        counter.uses_layers(board, depth).then_some(passes)
    }

    /// The ply, in a count of some depth, of the positions that are divided among passes.
    pub const fn ply(depth: Depth) -> Depth {
        depth.saturating_sub(Leaf::Nodes.plies() + 1)
    }

    /// Adds a pass that is known. One that is there already changes nothing.
    ///
    /// # Errors
    /// If it is not a part of what is missing.
    pub fn add(&mut self, pass: Pass) -> Result<(), PassError> {
        let Range { start, end } = pass.halves;
        if start >= end || end > Self::HALVES {
            return Err(PassError::NoRange(pass.halves));
        }
        let place = self.finished.partition_point(|other| other.halves.end <= start);
        match self.finished.get(place) {
            Some(other) if *other == pass => Ok(()),
            Some(other) if other.halves.start < end => {
                Err(PassError::Overlap(pass.halves, other.halves.clone()))
            }
            _ => {
                self.finished.insert(place, pass);
                Ok(())
            }
        }
    }

    /// The passes that are finished, in the order of their ranges.
    pub fn finished(&self) -> &[Pass] {
        &self.finished
    }

    /// The ranges that are missing, in their order.
    pub fn missing(&self) -> Vec<Range<u32>> {
        let ends = self.finished.iter().map(|pass| pass.halves.end);
        let starts = self.finished.iter().map(|pass| pass.halves.start);
        let gaps = [0].into_iter().chain(ends).zip(starts.chain([Self::HALVES]));
        gaps.map(|(start, end)| start..end).filter(|gap| !gap.is_empty()).collect()
    }

    /// The sum of the passes that are finished.
    fn nodes(&self) -> Result<u128, CountError> {
        let mut nodes = self.finished.iter().map(|pass| pass.nodes);
        nodes.try_fold(0, u128::checked_add).ok_or(CountError::Overflow)
    }

    /// Counts what is missing and returns the whole count. Calls `on_progress` about ten times a
    /// second with the share of what was missing and with all leaves so far, and `on_pass` with each
    /// pass that is finished and the number of those that are left. Its first error ends the count.
    ///
    /// If a pass is finished, the rest is counted in as many passes as it takes, whatever the way to
    /// merge.
    ///
    /// # Errors
    /// Those of `on_pass`, and of the count: [`CountError::OutOfMemory`] or [`CountError::Overflow`]
    /// if layers do not fit into the memory, or a multiplicity into 64 bits. The finished passes are
    /// kept.
    pub fn count<E: From<CountError>>(
        &mut self,
        mut on_progress: impl FnMut(&Progress),
        mut on_pass: impl FnMut(&Pass, usize) -> Result<(), E>,
    ) -> Result<u128, E> {
        let (missing, known) = (self.missing(), self.nodes()?);
        if missing.is_empty() {
            return Ok(known);
        }
        let mut counter = self.counter.clone();
        if !self.finished.is_empty() {
            counter = counter.merge(Merge::Layers);
        }
        let mut failed = None;
        let mut finished = Vec::new();
        let mut on_end = |halves, nodes, left| {
            let pass = Pass { halves, nodes };
            let kept = on_pass(&pass, left);
            finished.push(pass);
            kept.map_err(|error| {
                failed = Some(error);
                CountError::Cancelled(Divide::default())
            })
        };
        let ranges = Ranges { missing, min_passes: MIN_PASSES, on_end: Some(&mut on_end) };
        let whole = |now: Progress| {
            let now = Progress { nodes: known.saturating_add(now.nodes), ..now };
            on_progress(&now);
            now
        };
        let counted = counter.count_layers(&self.board, self.depth, ranges, whole);
        self.finished.extend(finished);
        self.finished.sort_by_key(|pass| pass.halves.start);
        match (failed, counted) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(_)) => Ok(self.nodes()?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: u128 = 119_060_324;

    fn passes(bytes: usize) -> Passes {
        let counter = Counter::new().memory(bytes).merge(Merge::Layers);
        Passes::new(&counter, &Board::startpos(), 6).expect("layers are made")
    }

    /// All passes of a count with this memory.
    fn all_passes(bytes: usize) -> Vec<Pass> {
        let mut left = None;
        let mut passes = passes(bytes);
        let nodes = passes.count(
            |_| {},
            |_, now| {
                left = Some(now);
                Ok::<(), CountError>(())
            },
        );
        assert_eq!((nodes, left), (Ok(NODES), Some(0)));
        assert!(passes.missing().is_empty());
        passes.finished().to_vec()
    }

    /// A count that ends after any number of passes goes on from there, with any memory.
    #[test]
    fn a_count_goes_on_after_any_pass() {
        let all = all_passes(120 << 10);
        assert!(all.len() > 2, "{} passes", all.len());
        for known in 0..=all.len() {
            for bytes in [120 << 10, 200 << 10, 64 << 20] {
                let mut rest = passes(bytes);
                // Every third is missing, so that there are gaps.
                for (index, pass) in all[..known].iter().enumerate() {
                    if index % 3 != 1 || known == all.len() {
                        rest.add(pass.clone()).expect("it is missing");
                        rest.add(pass.clone()).expect("it is the same");
                    }
                }
                let before = rest.finished().len();
                let mut counted = 0;
                let nodes = rest.count(
                    |_| {},
                    |_, _| {
                        counted += 1;
                        Ok::<(), CountError>(())
                    },
                );
                assert_eq!(nodes, Ok(NODES), "{known} {bytes}");
                assert_eq!(rest.finished().len(), before + counted, "{known} {bytes}");
                assert_eq!(counted == 0, known == all.len(), "{known} {bytes}");
            }
        }
    }

    #[test]
    fn the_error_of_a_pass_ends_the_count_and_keeps_the_pass() {
        let mut passes = passes(120 << 10);
        let ended = passes.count(|_| {}, |_, _| Err(CountError::LimitExceeded(7)));
        assert_eq!(ended, Err(CountError::LimitExceeded(7)));
        assert_eq!(passes.finished().len(), 1);
        assert_eq!(passes.count(|_| {}, |_, _| Ok::<(), CountError>(())), Ok(NODES));
    }

    #[test]
    fn passes_that_are_not_missing_are_refused() {
        let mut passes = passes(1 << 20);
        let pass = |halves: Range<u32>| Pass { halves, nodes: 1 };
        passes.add(pass(100..200)).expect("it is missing");
        passes.add(pass(300..400)).expect("it is missing");
        assert_eq!(passes.missing(), [0..100, 200..300, 400..Passes::HALVES]);
        #[expect(clippy::reversed_empty_ranges)]
        for wrong in [0..0, 9..8, 50..101, 150..160, 199..300, 299..301, 0..Passes::HALVES] {
            assert!(passes.add(pass(wrong.clone())).is_err(), "{wrong:?}");
        }
        assert!(passes.add(pass(400..Passes::HALVES + 1)).is_err());
        assert!(passes.add(Pass { nodes: 2, ..pass(100..200) }).is_err());
        assert_eq!(passes.finished().len(), 2);
    }
}

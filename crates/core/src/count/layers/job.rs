//! The work on one part of a layer.

use std::ops::Range;

use super::arena::{Arena, Chunk, Part, RECORDS, read};
use super::leaves::{Leaf, Leaves};
use super::sums::{self, Below, Sums};
use crate::board::Board;
use crate::count::distinct::{Distinct, Record};
use crate::count::expand::{Child, HalfHash, Job, Limits, Moved, Scratch, expand};
use crate::count::target::Target;
use crate::count::{Backend, CountError};
use crate::types::{CastlingMode, Color, Side};

/// The destination of the positions after each move.
pub(super) enum Step<'s> {
    /// The next layer: the groups of it whose halves are in a range.
    Store { halves: Range<u32>, by_pieces: bool },
    /// None: their leaves are counted. Those after captures are stored if there is room, since equal
    /// ones come from other groups. So many chunks of memory that were never used are left.
    Count { reserve: usize },
    /// None: the leaves behind each position are summed over its moves.
    Sum(Below<'s>),
}

/// The settings of all steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub backend: Backend,
    pub root: Board,
    pub leaf: Leaf,
    /// The side to move in the positions whose leaves are counted.
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    pub last_side: Color,
    /// The number of parts of a layer, or of those of its halves with a number of pieces.
    pub parts: usize,
    pub limits: Limits,
}

impl Settings {
    /// The highest number of pieces of a side: no move adds any.
    pub fn max_pieces(&self) -> u32 {
        Color::ALL.map(|color| self.root.colors(color).len()).into_iter().max().unwrap_or_default()
    }
}

impl Step<'_> {
    /// Whether positions with a half of the side that moved are in the range of the step.
    #[inline(always)]
    fn wants(&self, ours: HalfHash) -> bool {
        let halves = match self {
            Self::Store { halves, .. } => halves,
            Self::Sum(Below::Layer { halves, .. }) => *halves,
            Self::Count { .. } | Self::Sum(Below::Leaves) => return true,
        };
        *halves == super::ALL_HALVES || halves.contains(&ours.order())
    }

    /// The number of parts of the stored positions.
    pub fn stored_parts(&self, settings: &Settings) -> usize {
        match self {
            Self::Store { by_pieces: true, .. } => settings.max_pieces() as usize * settings.parts,
            Self::Sum(_) => 0,
            _ => settings.parts,
        }
    }
}

/// The destination of a thread's results.
pub(super) struct Results<'a> {
    pub leaves: Leaves,
    pub sums: Sums,
    pub stored: Vec<Part<'a>>,
}

impl Results<'_> {
    pub fn new(settings: &Settings) -> Self {
        Self { leaves: Leaves::new(settings), sums: Sums::default(), stored: Vec::new() }
    }
}

/// The place of a record: a chunk, and an index into it.
const INDEX_BITS: u32 = RECORDS.next_power_of_two().trailing_zeros();

/// A part of a layer, and what is done with it.
pub(super) struct PartJob<'w, 'a> {
    arena: &'w Arena<'a>,
    settings: &'w Settings,
    step: &'w Step<'w>,
    results: &'w mut Results<'a>,
    /// The leaves behind each position, if they are summed.
    values: Option<&'w mut Distinct<u64>>,
    /// Of the positions to move from, and of those after captures of the same halves.
    chunks: Vec<(&'w Chunk, usize)>,
    first_capture: u32,
}

impl<'w, 'a> PartJob<'w, 'a> {
    /// # Errors
    /// If the places of all records do not fit into 32 bits.
    pub fn new(
        arena: &'w Arena<'a>,
        settings: &'w Settings,
        step: &'w Step<'w>,
        results: &'w mut Results<'a>,
        values: Option<&'w mut Distinct<u64>>,
        [parents, captures]: &[Vec<&'w Part<'a>>; 2],
    ) -> Result<Self, CountError> {
        let mut chunks: Vec<_> = parents.iter().flat_map(|part| part.chunks()).collect();
        let first_capture = first_place(chunks.len())?;
        chunks.extend(captures.iter().flat_map(|part| part.chunks()));
        first_place(chunks.len())?;
        results.sums.clear();
        results.stored.resize_with(step.stored_parts(settings), Part::default);
        Ok(Self { arena, settings, step, results, values, chunks, first_capture })
    }
}

/// The place of the first record of a chunk.
fn first_place(chunk: usize) -> Result<u32, CountError> {
    let chunk = u32::try_from(chunk).ok().filter(|&chunk| chunk >> (32 - INDEX_BITS) == 0);
    chunk.map(|chunk| chunk << INDEX_BITS).ok_or(CountError::OutOfMemory)
}

impl Job for PartJob<'_, '_> {
    type Lines = u64;
    type Error = CountError;

    const ARE_DISTINCT: bool = false;

    #[inline(always)]
    fn mode(&self) -> CastlingMode {
        self.settings.root.castling_mode()
    }

    #[inline(always)]
    fn limits(&self) -> Limits {
        self.settings.limits
    }

    #[inline(always)]
    fn places(&self) -> impl Iterator<Item = u32> {
        let places = |(chunk, &(_, len)): (usize, &(&Chunk, usize))| {
            let first = (chunk as u32) << INDEX_BITS;
            first..first + len as u32
        };
        self.chunks.iter().enumerate().flat_map(places)
    }

    #[inline(always)]
    fn first_capture(&self) -> u32 {
        self.first_capture
    }

    #[inline(always)]
    fn record(&self, place: u32) -> Record<u64> {
        let (chunk, index) = (place >> INDEX_BITS, place % (1 << INDEX_BITS));
        read(self.chunks[chunk as usize].0, index as usize)
    }

    #[inline(always)]
    fn wants(&self, ours: HalfHash) -> bool {
        self.step.wants(ours)
    }

    /// Stores or counts a position.
    #[inline(always)]
    fn receive<T: Target, Us: Side>(
        &mut self,
        target: T,
        child: &Child<u64>,
    ) -> Result<(), CountError> {
        let &Child { ref position, ours, lines, is_capture } = child;
        let (parts, Results { leaves, stored, .. }) = (self.settings.parts, &mut *self.results);
        match *self.step {
            Step::Store { by_pieces, .. } => {
                let mut part = ours.part(parts);
                if by_pieces {
                    let missing = self.settings.max_pieces() - position.colors(Us::COLOR).len();
                    part += missing as usize * parts;
                }
                if !stored[part].push(self.arena, (*position, lines)) {
                    return Err(CountError::OutOfMemory);
                }
            }
            Step::Count { reserve } => {
                let is_stored = is_capture && {
                    let part = &mut stored[HalfHash::new::<Us::Them>(position).part(parts)];
                    part.push_leaving(reserve, self.arena, (*position, lines))
                };
                // Without room it is counted here, and equal ones elsewhere again.
                if !is_stored {
                    leaves.add::<T, Us::Them>(target, position, lines);
                }
            }
            Step::Sum(_) => {}
        }
        Ok(())
    }

    #[inline(always)]
    fn is_by_parent(&self) -> bool {
        matches!(self.step, Step::Sum(_))
    }

    #[inline(always)]
    fn receive_moves<T: Target, Us: Side>(
        &mut self,
        target: T,
        parent: &Record<u64>,
        moved: Moved<'_, u64>,
    ) -> Result<(), CountError> {
        let (step, sums) = (self.step, &mut self.results.sums);
        sums.add::<Us>(parent, moved, |ours| step.wants(ours))?;
        if sums.are_too_many(self.settings.limits.set) {
            self.finish_sums::<T, Us>(target)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn end_group<T: Target, Us: Side>(&mut self, target: T) -> Result<(), CountError> {
        self.results.sums.end_group();
        if self.results.sums.are_many() { self.finish_sums::<T, Us>(target) } else { Ok(()) }
    }
}

impl PartJob<'_, '_> {
    /// Sums the leaves behind the positions so far, in which `Us` was to move.
    fn finish_sums<T: Target, Us: Side>(&mut self, target: T) -> Result<(), CountError> {
        let Self { settings, step, results, values, .. } = self;
        match (step, values) {
            (Step::Sum(below), Some(values)) => {
                sums::finish::<T, Us>(target, settings, below, &mut results.sums, values)
            }
            _ => Ok(()),
        }
    }

    /// Does the work, with `Us` to move, and returns the leaves, if they are counted.
    pub fn run<T: Target, Us: Side>(
        mut self,
        target: T,
        scratch: &mut Scratch<u64>,
    ) -> Result<u128, CountError> {
        expand::<T, Us, Self>(target, &mut self, scratch)?;
        self.finish_sums::<T, Us>(target)?;
        match self.step {
            Step::Sum(_) => Ok(self.results.sums.take_nodes()),
            _ => self.results.leaves.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With very much memory, a part may have more records than there are places.
    #[test]
    fn places_that_do_not_fit_are_refused() {
        let last = (1_usize << (32 - INDEX_BITS)) - 1;
        assert_eq!(first_place(last), Ok((last as u32) << INDEX_BITS));
        assert_eq!(first_place(last + 1), Err(CountError::OutOfMemory));
        assert_eq!(first_place(usize::MAX), Err(CountError::OutOfMemory));
    }
}

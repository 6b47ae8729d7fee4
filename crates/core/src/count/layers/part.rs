//! The work on one part of a layer.

use std::marker::PhantomData;
use std::ops::Range;

use super::Half;
use super::arena::{Arena, Chunk, Part, RECORDS, read};
use super::halves::{HalfId, Halves, Numbered};
use super::leaves::{Leaf, Leaves};
use crate::board::{Board, PackedBoard, PackedHalf};
use crate::count::distinct::Distinct;
use crate::count::target::{Target, with_target};
use crate::count::{Backend, CountError, Stats};
use crate::sys::cpu::outlined;
use crate::types::{Color, Side, by_side};

/// The destination of the positions after each move.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The next layer: the groups of it whose halves are in a range.
    Store { halves: Range<u32>, by_pieces: bool },
    /// None: their leaves are counted. Those after captures are stored if there is room, since equal
    /// ones come from other groups. So many chunks of memory that were never used are left.
    Count { reserve: usize },
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
    /// The highest number of positions of a set.
    pub max_set: usize,
    /// The memory for the halves of a thread.
    pub max_halves_bytes: usize,
}

impl Settings {
    /// The highest number of pieces of a side: no move adds any.
    pub fn max_pieces(&self) -> u32 {
        Color::ALL.map(|color| self.root.colors(color).len()).into_iter().max().unwrap_or_default()
    }
}

impl Step {
    /// The number of parts of the stored positions.
    pub fn stored_parts(&self, settings: &Settings) -> usize {
        match self {
            Self::Store { by_pieces: true, .. } => settings.max_pieces() as usize * settings.parts,
            _ => settings.parts,
        }
    }
}

/// The memory of a thread.
pub(super) struct Worker<'a> {
    /// The group of each position, and its place.
    order: Vec<u64>,
    /// The positions of a group.
    group: Distinct<u64>,
    /// The halves after its moves.
    halves: Halves,
    /// The numbers of the halves of a block.
    ids: Vec<Numbered>,
    /// The positions after the few moves that change more than a half and the square of arrival.
    others: Distinct<u64>,
    leaves: Leaves,
    pub stored: Vec<Part<'a>>,
}

impl Worker<'_> {
    pub fn new(settings: &Settings) -> Self {
        Self {
            order: Vec::new(),
            group: Distinct::default(),
            halves: Halves::new(),
            ids: Vec::new(),
            others: Distinct::default(),
            leaves: Leaves::new(settings),
            stored: Vec::new(),
        }
    }
}

/// A part of a layer, and what is done with it.
pub(super) struct PartWork<'w, 'a> {
    pub worker: &'w mut Worker<'a>,
    pub arena: &'w Arena<'a>,
    pub settings: Settings,
    pub step: &'w Step,
    /// The side to move.
    pub side: Color,
    /// The positions to move from.
    pub parents: &'w [&'w Part<'a>],
    /// The positions after captures of the same halves.
    pub captures: &'w [&'w Part<'a>],
}

impl PartWork<'_, '_> {
    /// Does the work. The result is the leaves, if they are counted.
    pub fn run(self) -> Result<Stats, CountError> {
        let (cpu, side) = (self.settings.backend.cpu, self.side);
        with_target!(cpu, target => by_side!(side, Us => work_on_part::<_, Us>(target, self)))
    }
}

/// So many positions are looked up together, and moved from before memory is looked at.
const BLOCK: usize = 128;

/// The place of a record: a chunk, and an index into it.
const INDEX_BITS: u32 = RECORDS.next_power_of_two().trailing_zeros();

outlined! {
    /// The work on a part in which `Us` is to move.
    fn work_on_part<T: Target, Us: Side>(
        target: T,
        work: PartWork<'_, '_>,
    ) -> Result<Stats, CountError> {
        let PartWork { worker, arena, settings, step, parents, captures, .. } = work;
        let Worker { order, group, halves, ids, others, leaves, stored } = worker;
        // An error may have left something.
        halves.start(Us::COLOR);
        others.clear(0);
        let parents = parents.iter().flat_map(|part| part.chunks());
        let captures = captures.iter().flat_map(|part| part.chunks());
        let mut chunks: Vec<(&Chunk, usize)> = parents.collect();
        let first_capture = chunks.len();
        chunks.extend(captures);
        let record = |place: u64| {
            let place = place as u32;
            let (chunk, index) = (place >> INDEX_BITS, place % (1 << INDEX_BITS));
            read(chunks[chunk as usize].0, index as usize)
        };
        let is_capture = |place: u64| (place as u32 >> INDEX_BITS) as usize >= first_capture;
        order.clear();
        for (chunk, &(bytes, len)) in chunks.iter().enumerate() {
            for index in 0..len {
                let half = Half::new::<Us::Them>(&read(bytes, index).0);
                order.push(half.group() << 32 | (chunk << INDEX_BITS | index) as u64);
            }
        }
        order.sort_unstable();

        let mut out = Out::<T, Us> {
            target,
            arena,
            settings,
            step,
            leaves,
            stored,
            theirs: PackedHalf::EMPTY,
            side: PhantomData,
        };
        let their_half = |place: u64| record(place).0.half(Us::Them::COLOR);
        for mut members in order.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
            while let Some(&mut first) = members.first_mut() {
                out.theirs = their_half(first);
                let len = bring_forward(members, |place| their_half(place) == out.theirs);
                let same;
                (same, members) = members.split_at_mut(len);
                // Parents come before captures.
                let parents = same.partition_point(|&place| !is_capture(place));
                let (parents, captures) = same.split_at(parents);
                for &place in captures {
                    let (position, multiplicity) = record(place);
                    halves.add_position(&position.half(Us::COLOR), multiplicity);
                    out.finish_if_full(halves, others)?;
                }
                for parents in parents.chunks(settings.max_set) {
                    group.clear(parents.len());
                    for &place in parents {
                        let (position, multiplicity) = record(place);
                        group.add(position, &multiplicity)?;
                    }
                    for block in group.positions().chunks(BLOCK) {
                        halves.ids_of(block.iter().map(|(of, _)| of.half(Us::COLOR)), ids);
                        for (index, (position, multiplicity)) in block.iter().enumerate() {
                            if let Some(ahead) = ids.get(index + 2) {
                                halves.prefetch_moves(ahead.id);
                            }
                            let id = ids[index].id;
                            out.move_from(position, id, *multiplicity, halves, others)?;
                        }
                        out.finish_if_full(halves, others)?;
                    }
                }
                out.finish(halves, others)?;
            }
        }
        leaves.take()
    }
}

/// Brings the members of a set that `belongs` accepts to its front, in their order. Returns their
/// number. As a rule these are all.
fn bring_forward(members: &mut [u64], belongs: impl Fn(u64) -> bool) -> usize {
    if members.iter().all(|&member| belongs(member)) {
        return members.len();
    }
    members.sort_by_key(|&member| !belongs(member));
    members.partition_point(|&member| belongs(member))
}

/// The positions after moves of `Us` in one group, and their destination.
struct Out<'w, 'a, T, Us> {
    target: T,
    arena: &'w Arena<'a>,
    settings: Settings,
    step: &'w Step,
    leaves: &'w mut Leaves,
    stored: &'w mut Vec<Part<'a>>,
    /// The other side's half, which all positions of the group have before captures.
    theirs: PackedHalf,
    side: PhantomData<Us>,
}

impl<T: Target, Us: Side> Out<'_, '_, T, Us> {
    /// Adds the positions after all moves.
    #[inline(always)]
    fn move_from(
        &self,
        position: &PackedBoard,
        id: HalfId,
        multiplicity: u64,
        halves: &mut Halves,
        others: &mut Distinct<u64>,
    ) -> Result<(), CountError> {
        let board = position.unpack_as::<Us>(self.settings.root.castling_mode());
        let moves = halves.add_moves::<T, Us>(self.target, &board, id, multiplicity);
        for mv in moves {
            let packed = position.without_en_passant();
            let child = board.pack_after::<Us>(self.target, &packed, mv);
            if self.wants(Half::new::<Us>(&child)) {
                others.add(child, &multiplicity)?;
            }
        }
        Ok(())
    }

    /// True if positions with a half of ours are in the range of the step.
    #[inline(always)]
    fn wants(&self, half: Half) -> bool {
        match self.step {
            Step::Store { halves, .. } => *halves == Half::RANGE || halves.contains(&half.range()),
            Step::Count { .. } => true,
        }
    }

    /// Finishes the group so far if it takes as much memory as it may.
    #[inline(always)]
    fn finish_if_full(
        &mut self,
        halves: &mut Halves,
        others: &mut Distinct<u64>,
    ) -> Result<(), CountError> {
        let max_halves = halves.bytes() > self.settings.max_halves_bytes;
        if max_halves || others.positions().len() >= self.settings.max_set {
            self.finish(halves, others)?;
            if max_halves {
                halves.clear();
            }
        }
        Ok(())
    }

    /// Stores or counts the positions, and removes them.
    #[inline(always)]
    fn finish(
        &mut self,
        halves: &mut Halves,
        others: &mut Distinct<u64>,
    ) -> Result<(), CountError> {
        for index in 0..halves.len()? {
            let (ours, multiplicity) = halves.take(index);
            if self.wants(Half(ours.hash)) {
                let position = PackedBoard::of_halves::<Us::Them>(&self.theirs, &ours.half);
                self.receive(&position, Half(ours.hash), multiplicity, false)?;
            }
        }
        for (ours, on, multiplicity) in halves.captures() {
            if self.wants(Half(ours.hash)) {
                let theirs = self.theirs.without(on.bitboard());
                let position = PackedBoard::of_halves::<Us::Them>(&theirs, &ours.half);
                self.receive(&position, Half(ours.hash), multiplicity, true)?;
            }
        }
        halves.end_group();
        if !others.positions().is_empty() {
            for (position, multiplicity) in others.positions() {
                let is_capture = position.half(Us::Them::COLOR) != self.theirs;
                self.receive(position, Half::new::<Us>(position), *multiplicity, is_capture)?;
            }
            others.clear(0);
        }
        Ok(())
    }

    /// Stores or counts a position, given our half.
    #[inline(always)]
    fn receive(
        &mut self,
        position: &PackedBoard,
        ours: Half,
        multiplicity: u64,
        is_capture: bool,
    ) -> Result<(), CountError> {
        let parts = self.settings.parts;
        match *self.step {
            Step::Store { by_pieces, .. } => {
                let mut part = ours.part(parts);
                if by_pieces {
                    let missing = self.settings.max_pieces() - position.colors(Us::COLOR).len();
                    part += missing as usize * parts;
                }
                if !self.stored[part].push(self.arena, (*position, multiplicity)) {
                    return Err(CountError::OutOfMemory);
                }
            }
            Step::Count { reserve } => {
                let is_stored = is_capture && {
                    let part = &mut self.stored[Half::new::<Us::Them>(position).part(parts)];
                    part.push_leaving(reserve, self.arena, (*position, multiplicity))
                };
                // Without room it is counted here, and equal ones elsewhere again.
                if !is_stored {
                    self.leaves.add::<T, Us::Them>(self.target, position, multiplicity);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_one_half_come_first_in_their_order() {
        let mut members = [5, 2, 8, 3, 1];
        assert_eq!(bring_forward(&mut members, |member| member > 0), 5);
        assert_eq!(members, [5, 2, 8, 3, 1]);
        assert_eq!(bring_forward(&mut members, |member| member % 2 == 1), 3);
        assert_eq!(members, [5, 3, 1, 2, 8]);
    }
}

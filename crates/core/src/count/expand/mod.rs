//! One ply on: all moves from the positions of a layer, with equal positions after them merged. Counts,
//! divides, statistics and different positions all go on this way, and differ in their [`Job`].
//!
//! Positions are worked on in groups: those in which the side that is *not* to move has the same
//! pieces and castling rights, its half. A quiet move leaves that half as it is, so that equal
//! positions after quiet moves come from one group, and differ in the half of the side that moved
//! only: see [`halves`]. Captures change the half, and are handed to the job.
//!
//! Positions are compared whole. Hashes only bring equal ones together.

mod halves;

use std::marker::PhantomData;

use super::CountError;
use super::distinct::{Distinct, Record};
use super::target::Target;
use crate::board::{PackedBoard, PackedHalf};
use crate::sys::cpu::outlined;
use crate::types::{CastlingMode, Move, MoveKind, Side};
use halves::Numbered;
pub(super) use halves::{HalfId, Halves, Lines};

/// The hash of a half. Each use has bits of its own.
#[derive(Clone, Copy)]
pub(super) struct HalfHash(pub u64);

impl HalfHash {
    /// Of the half of a side.
    #[inline(always)]
    pub fn new<S: Side>(position: &PackedBoard) -> Self {
        Self(position.half(S::COLOR).hash())
    }

    /// The place in the order that passes are ranges of.
    pub const fn order(self) -> u32 {
        (self.0 >> 48) as u32
    }

    /// The part of a layer.
    pub const fn part(self, parts: usize) -> usize {
        (self.0 >> 32) as usize % parts
    }

    const fn group(self) -> u64 {
        self.0 & 0xFFFF_FFFF
    }
}

/// A position after a move.
pub(super) struct Child<L> {
    pub position: PackedBoard,
    /// The half of the side that moved.
    pub ours: HalfHash,
    pub lines: L,
    /// Whether the last move to it was a capture of this ply.
    pub is_capture: bool,
}

/// The memory that an expansion may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The highest number of positions of a set.
    pub set: usize,
    /// The bytes of the halves of a thread.
    pub halves_bytes: usize,
    /// The same for one group, if groups may not be cut.
    pub group_bytes: usize,
}

/// The positions that an expansion moves from, and what becomes of those after the moves.
pub(super) trait Job {
    /// The multiplicity of a position.
    type Lines: Lines;
    type Error: From<CountError>;

    /// Whether the positions to move from are known to be distinct.
    const ARE_DISTINCT: bool;

    fn mode(&self) -> CastlingMode;

    fn limits(&self) -> Limits;

    /// The places of all records: those to move from, and positions after captures of this ply that
    /// are merged with those after quiet moves.
    fn places(&self) -> impl Iterator<Item = u32>;

    /// Places from this one on are of positions after captures.
    fn first_capture(&self) -> u32;

    fn record(&self, place: u32) -> Record<Self::Lines>;

    /// Called before each group, with the number of its records.
    fn begin_group(&mut self, _records: usize) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Whether all double pushes are handed to [`Self::after_double_push`], and not only those that
    /// may leave a right to capture en passant.
    fn wants_double_pushes(&self) -> bool {
        false
    }

    /// The position after a double push, as the job tells it from others.
    fn after_double_push(&self, child: PackedBoard, _mv: Move) -> PackedBoard {
        child
    }

    /// Whether positions after moves are wanted, given the half of the side that moved.
    fn wants(&self, _ours: HalfHash) -> bool {
        true
    }

    /// Takes a position after moves: each that is distinct, once for each part of a group if the
    /// group does not fit into the memory.
    fn receive<T: Target, Us: Side>(
        &mut self,
        target: T,
        child: &Child<Self::Lines>,
    ) -> Result<(), Self::Error>;

    /// Whether the job takes the moves of each position apart, by [`Self::receive_moves`].
    fn is_by_parent(&self) -> bool {
        false
    }

    /// Takes the positions after all moves of one.
    fn receive_moves<T: Target, Us: Side>(
        &mut self,
        _target: T,
        _parent: &Record<Self::Lines>,
        _moved: Moved<'_, Self::Lines>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Called after each group, or a part of it.
    fn end_group<T: Target, Us: Side>(&mut self, _target: T) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Whether a group may be cut into parts, so that equal positions may come from each.
    fn may_cut_groups(&self) -> bool {
        true
    }
}

/// The positions after the moves of one position.
pub(super) struct Moved<'h, L> {
    /// The other side's half before captures.
    pub theirs: &'h PackedHalf,
    pub halves: &'h Halves<L>,
    /// Those that change more than a half and the square of arrival.
    pub others: &'h [Record<L>],
}

/// The memory of a thread.
pub(super) struct Scratch<L> {
    /// The group of each record, and its place.
    order: Vec<u64>,
    /// The positions of a group.
    group: Distinct<L>,
    /// The halves after its moves.
    halves: Halves<L>,
    /// The numbers of the halves of a block.
    ids: Vec<Numbered>,
    /// The positions after the few moves that change more than a half and the square of arrival.
    others: Distinct<L>,
}

impl<L: Lines> Default for Scratch<L> {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            group: Distinct::default(),
            halves: Halves::new(),
            ids: Vec::new(),
            others: Distinct::default(),
        }
    }
}

/// So many positions are looked up together, and moved from before memory is looked at.
const BLOCK: usize = 128;

outlined! {
    /// Makes all moves of the positions of a job, in which `Us` is to move.
    pub(super) fn expand<T: Target, Us: Side, J: Job>(
        target: T,
        job: &mut J,
        scratch: &mut Scratch<J::Lines>,
    ) -> Result<(), J::Error> {
        let Scratch { order, group, halves, ids, others } = scratch;
        // An error may have left something.
        halves.start(Us::COLOR);
        others.clear(0);
        order.clear();
        for place in job.places() {
            let half = HalfHash::new::<Us::Them>(&job.record(place).0);
            order.push(half.group() << 32 | u64::from(place));
        }
        order.sort_unstable();
        for mut members in order.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
            while let Some(&mut first) = members.first_mut() {
                let their_half = |place: u64| job.record(place as u32).0.half(Us::Them::COLOR);
                let theirs = their_half(first);
                let len = bring_forward(members, |place| their_half(place) == theirs);
                let same;
                (same, members) = members.split_at_mut(len);
                let mut of_half = Group::<T, Us, J> {
                    target,
                    job: &mut *job,
                    halves: &mut *halves,
                    others: &mut *others,
                    theirs,
                    side: PhantomData,
                };
                of_half.run(same, group, ids)?;
            }
        }
        Ok(())
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
struct Group<'e, T, Us, J: Job> {
    target: T,
    job: &'e mut J,
    halves: &'e mut Halves<J::Lines>,
    others: &'e mut Distinct<J::Lines>,
    /// The other side's half, which all positions of the group have before captures.
    theirs: PackedHalf,
    side: PhantomData<Us>,
}

impl<T: Target, Us: Side, J: Job> Group<'_, T, Us, J> {
    /// Moves from all positions of the group, given the places of its records.
    #[inline(always)]
    fn run(
        &mut self,
        members: &[u64],
        group: &mut Distinct<J::Lines>,
        ids: &mut Vec<Numbered>,
    ) -> Result<(), J::Error> {
        self.job.begin_group(members.len())?;
        // Captures come last.
        let first_capture = self.job.first_capture();
        let parents = members.partition_point(|&place| (place as u32) < first_capture);
        let (parents, captures) = members.split_at(parents);
        for &place in captures {
            let (position, lines) = self.job.record(place as u32);
            self.halves.add_position(&position.half(Us::COLOR), lines);
            self.finish_if_full()?;
        }
        for parents in parents.chunks(self.job.limits().set) {
            group.clear(if J::ARE_DISTINCT { 0 } else { parents.len() });
            for &place in parents {
                let (position, lines) = self.job.record(place as u32);
                if J::ARE_DISTINCT {
                    group.push_distinct(position, lines);
                } else {
                    group.add(position, &lines)?;
                }
            }
            for block in group.positions().chunks(BLOCK) {
                self.halves.ids_of(block.iter().map(|(of, _)| of.half(Us::COLOR)), ids);
                for (index, parent) in block.iter().enumerate() {
                    if let Some(ahead) = ids.get(index + 2) {
                        self.halves.prefetch_moves(ahead.id);
                    }
                    self.move_from(parent, ids[index].id)?;
                }
                self.finish_if_full()?;
            }
        }
        self.finish()
    }

    /// Adds the positions after all moves of one, given the number of our half.
    #[inline(always)]
    fn move_from(&mut self, parent: &Record<J::Lines>, id: HalfId) -> Result<(), J::Error> {
        let Self { target, job, halves, others, .. } = self;
        let (position, lines) = parent;
        let board = position.unpack_as::<Us>(job.mode());
        let is_by_parent = job.is_by_parent();
        // Without lines nothing is merged.
        let lines = if is_by_parent { J::Lines::NONE } else { *lines };
        let all_double_pushes = job.wants_double_pushes();
        let moves = halves.add_moves::<T, Us>(*target, &board, id, lines, all_double_pushes);
        for mv in moves {
            let packed = position.without_en_passant();
            let mut child = board.pack_after::<Us>(*target, &packed, mv);
            if mv.kind() == MoveKind::DoublePush {
                child = job.after_double_push(child, mv);
                if child == child.without_en_passant() {
                    halves.add_position(&child.half(Us::COLOR), lines);
                    continue;
                }
            }
            if job.wants(HalfHash::new::<Us>(&child)) {
                others.add(child, &lines)?;
            }
        }
        if is_by_parent {
            let moved = Moved { theirs: &self.theirs, halves, others: others.positions() };
            job.receive_moves::<T, Us>(*target, parent, moved)?;
            halves.end_group();
            if !others.positions().is_empty() {
                others.clear(0);
            }
        }
        Ok(())
    }

    /// Finishes the group so far if it takes as much memory as it may.
    #[inline(always)]
    fn finish_if_full(&mut self) -> Result<(), J::Error> {
        let Limits { set, halves_bytes, group_bytes } = self.job.limits();
        let bytes = self.halves.bytes();
        if bytes <= halves_bytes && self.others.positions().len() < set {
            return Ok(());
        }
        match self.job.may_cut_groups() {
            true => self.finish(),
            false if bytes <= group_bytes => Ok(()),
            false => Err(CountError::OutOfMemory.into()),
        }
    }

    /// Hands the positions to the job, and removes them.
    #[inline(always)]
    fn finish(&mut self) -> Result<(), J::Error> {
        let Self { target, ref mut job, ref mut halves, ref mut others, theirs, .. } = *self;
        for index in 0..halves.len()? {
            let (half, lines) = halves.take(index);
            let ours = HalfHash(half.hash);
            if job.wants(ours) {
                let position = PackedBoard::of_halves::<Us::Them>(&theirs, &half.half);
                let child = Child { position, ours, lines, is_capture: false };
                job.receive::<T, Us>(target, &child)?;
            }
        }
        for (half, on, lines) in halves.captures() {
            let ours = HalfHash(half.hash);
            if job.wants(ours) {
                let theirs = theirs.without(on.bitboard());
                let position = PackedBoard::of_halves::<Us::Them>(&theirs, &half.half);
                let child = Child { position, ours, lines, is_capture: true };
                job.receive::<T, Us>(target, &child)?;
            }
        }
        halves.end_group();
        if !others.positions().is_empty() {
            for &(position, lines) in others.positions() {
                let is_capture = position.half(Us::Them::COLOR) != theirs;
                let ours = HalfHash::new::<Us>(&position);
                let child = Child { position, ours, lines, is_capture };
                job.receive::<T, Us>(target, &child)?;
            }
            others.clear(0);
        }
        job.end_group::<T, Us>(target)?;
        if halves.bytes() > job.limits().halves_bytes {
            halves.clear();
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

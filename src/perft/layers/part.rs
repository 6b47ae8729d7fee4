//! The work on one part of a layer.

use std::marker::PhantomData;
use std::ops::Range;

use arrayvec::ArrayVec;

use super::Half;
use super::arena::{Arena, Chunk, Part, RECORDS, Record, read};
use super::leaves::{Leaf, Leaves};
use crate::board::{Board, PackedBoard};
use crate::movegen;
use crate::perft::distinct::Distinct;
use crate::perft::target::{Target, Targeted};
use crate::perft::{Backend, CountError, Stats};
use crate::sys::cpu::Code;
use crate::types::{Black, Color, MAX_MOVES, Side, White};

/// The destination of the positions after each move.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The next layer: the groups of it whose halves are in a range.
    Store { halves: Range<u32>, by_pieces: bool },
    /// None: their leaves are counted. Those after captures of one of so many
    /// pieces are stored, since equal ones come from other groups.
    Count { pieces: u32 },
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
    /// The positions after its moves.
    children: Distinct<u64>,
    leaves: Leaves,
    pub stored: Vec<Part<'a>>,
}

impl Worker<'_> {
    pub fn new(settings: &Settings) -> Self {
        Self {
            order: Vec::new(),
            group: Distinct::default(),
            children: Distinct::default(),
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

/// The result is the leaves, if they are counted.
impl Targeted for PartWork<'_, '_> {
    type Output = Result<Stats, CountError>;

    fn run<T: Target>(self, target: T) -> Result<Stats, CountError> {
        match self.side {
            Color::White => target.outlined(PartCode::<T, White>(target, self, PhantomData)),
            Color::Black => target.outlined(PartCode::<T, Black>(target, self, PhantomData)),
        }
    }
}

/// The work on a part in which `Us` is to move, to be compiled for a target.
struct PartCode<'w, 'a, T, Us>(T, PartWork<'w, 'a>, PhantomData<Us>);

/// The place of a record: a chunk, and an index into it.
const INDEX_BITS: u32 = RECORDS.next_power_of_two().trailing_zeros();

impl<T: Target, Us: Side> Code for PartCode<'_, '_, T, Us> {
    type Output = Result<Stats, CountError>;

    #[inline(always)]
    fn run(self) -> Result<Stats, CountError> {
        let Self(target, work, _) = self;
        let PartWork { worker, arena, settings, step, parents, captures, .. } = work;
        let Worker { order, group, children, leaves, stored } = worker;
        let mode = settings.root.castling_mode();
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
        let mut made: ArrayVec<(PackedBoard, u64), MAX_MOVES> = ArrayVec::new();

        for members in order.chunk_by(|a, b| a >> 32 == b >> 32) {
            // Parents come before captures.
            let parents = members.partition_point(|&place| !is_capture(place));
            let (parents, captures) = members.split_at(parents);
            // A position has a dozen distinct children, as a rule.
            children.clear((12 * parents.len() + captures.len()).min(settings.max_set));
            let mut out =
                Out::<T, Us> { target, arena, settings, step, leaves, stored, side: PhantomData };
            for &place in captures {
                let (position, multiplicity) = record(place);
                children.add(position, &multiplicity)?;
                if children.positions().len() >= settings.max_set {
                    out.finish(children)?;
                }
            }
            for parents in parents.chunks(settings.max_set) {
                group.clear(parents.len());
                for &place in parents {
                    let (position, multiplicity) = record(place);
                    group.add(position, &multiplicity)?;
                }
                for (position, multiplicity) in group.positions() {
                    let board = position.unpack_as::<Us>(mode);
                    let packed = position.without_en_passant();
                    // The cache lines of the set arrive while the other children are packed.
                    made.clear();
                    for mv in movegen::list_moves::<T, Us>(target, &board) {
                        let child = board.pack_after::<Us>(target, &packed, mv);
                        if out.wants(&child) {
                            let hash = child.hash();
                            children.prefetch_slot(hash);
                            made.push((child, hash));
                        }
                    }
                    for &(_, hash) in &made {
                        children.prefetch_position(hash);
                    }
                    for &(child, hash) in &made {
                        children.add_hashed(child, hash, multiplicity)?;
                    }
                    if children.positions().len() >= settings.max_set {
                        out.finish(children)?;
                    }
                }
            }
            out.finish(children)?;
        }
        leaves.take()
    }
}

/// The destination of the positions after moves of `Us`.
struct Out<'w, 'a, T, Us> {
    target: T,
    arena: &'w Arena<'a>,
    settings: Settings,
    step: &'w Step,
    leaves: &'w mut Leaves,
    stored: &'w mut Vec<Part<'a>>,
    side: PhantomData<Us>,
}

impl<T: Target, Us: Side> Out<'_, '_, T, Us> {
    /// Whether a position is in the range of the step.
    #[inline(always)]
    fn wants(&self, child: &PackedBoard) -> bool {
        match self.step {
            Step::Store { halves, .. } if *halves != Half::RANGE => {
                halves.contains(&Half::new::<Us>(child).range())
            }
            _ => true,
        }
    }

    /// Stores or counts distinct positions, and removes them.
    #[inline(always)]
    fn finish(&mut self, children: &mut Distinct<u64>) -> Result<(), CountError> {
        match *self.step {
            Step::Store { by_pieces, .. } => self.store(children.positions(), by_pieces)?,
            Step::Count { pieces } => self.count(children.positions(), pieces),
        }
        children.clear(0);
        Ok(())
    }

    #[inline(always)]
    fn store(&mut self, children: &[Record], by_pieces: bool) -> Result<(), CountError> {
        let (parts, max_pieces) = (self.settings.parts, self.settings.max_pieces());
        for &(position, multiplicity) in children {
            let part = Half::new::<Us>(&position).part(parts);
            let level = if by_pieces { max_pieces - position.colors(Us::COLOR).len() } else { 0 };
            let part = &mut self.stored[level as usize * parts + part];
            if !part.push(self.arena, (position, multiplicity)) {
                return Err(CountError::OutOfMemory);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn count(&mut self, children: &[Record], pieces: u32) {
        for &(position, multiplicity) in children {
            if position.colors(Us::Them::COLOR).len() < pieces {
                let part = Half::new::<Us::Them>(&position).part(self.settings.parts);
                // Without room it is counted here, and equal ones elsewhere again.
                if self.stored[part].push(self.arena, (position, multiplicity)) {
                    continue;
                }
            }
            self.leaves.add::<T, Us::Them>(self.target, &position, multiplicity);
        }
    }
}

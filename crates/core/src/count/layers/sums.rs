//! The leaves behind each position of a layer, as the sum over its moves.
//!
//! Those behind the positions after the moves are counted or, in layers above the last stored one,
//! are the sums of the layer below. Equal positions are counted once for each group, and those after
//! captures once for several groups.

use std::ops::Range;

use super::job::Settings;
use crate::board::PackedBoard;
use crate::count::CountError;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::count::batch::Batch;
use crate::count::distinct::{Distinct, Record};
use crate::count::expand::{HalfHash, HalfId, Moved};
use crate::count::target::Target;
use crate::count::walk::count_leaves;
use crate::sys::cpu::outlined;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::{Cpu, cpu};
use crate::types::Side;

/// The leaves behind each position of a layer, by part.
pub(super) type Values = Vec<Distinct<u64>>;

/// What is below the positions of a layer.
pub(super) enum Below<'s> {
    /// Positions whose leaves are counted.
    Leaves,
    /// A layer whose leaves are known, or those of its groups whose halves are in a range.
    Layer { values: &'s Values, halves: &'s Range<u32> },
}

/// So many positions at least are counted together, to fill vectors.
const MIN_CHILDREN: usize = 1 << 12;

/// An index of [`Sums::others`].
const OTHER: u32 = 1 << 31;

/// The mark of a half that is not wanted.
const UNWANTED: u32 = u32::MAX;

/// Positions and those after their moves, to be counted together.
#[derive(Default)]
pub(super) struct Sums {
    /// For each half of ours, one more than the index of the position of the group that has it.
    marks: Vec<u32>,
    marked: Vec<HalfId>,
    /// The positions after quiet moves.
    children: Vec<PackedBoard>,
    /// The positions after captures and other moves.
    others: Distinct<()>,
    /// The index of the position after each move.
    moves: Vec<u32>,
    /// Each position with the number of moves up to its last one.
    parents: Vec<(Record<u64>, usize)>,
    /// The leaves behind each position after moves.
    counts: Vec<u64>,
    /// The leaves of all lines.
    nodes: u128,
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    batch: Option<Box<Batch<Vec<u64>>>>,
}

impl Sums {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.end_group();
        self.children.clear();
        self.others.clear(0);
        self.moves.clear();
        self.parents.clear();
    }

    /// The leaves of all lines, which start again at 0.
    pub fn take_nodes(&mut self) -> u128 {
        std::mem::take(&mut self.nodes)
    }

    /// Ends the group: halves get other numbers, or stand for other positions.
    #[inline(always)]
    pub fn end_group(&mut self) {
        for id in self.marked.drain(..) {
            self.marks[id as usize] = 0;
        }
    }

    /// Whether there are enough positions to fill vectors.
    #[inline(always)]
    pub fn are_many(&self) -> bool {
        self.children.len() >= MIN_CHILDREN
    }

    /// Whether there are as many moves as the memory is for, given the size of a set.
    #[inline(always)]
    pub fn are_too_many(&self, max_set: usize) -> bool {
        self.moves.len() >= (4 * max_set).min(OTHER as usize)
    }

    /// Adds a position and those after its moves of `Us` that are wanted.
    #[inline(always)]
    pub fn add<Us: Side>(
        &mut self,
        parent: &Record<u64>,
        moved: Moved<'_, u64>,
        wants: impl Fn(HalfHash) -> bool,
    ) -> Result<(), CountError> {
        let Moved { theirs, halves, others } = moved;
        if self.marks.len() < halves.known_len() {
            self.marks.resize(2 * halves.known_len(), 0);
        }
        for &id in halves.group() {
            let mark = &mut self.marks[id as usize];
            if *mark == 0 {
                let known = halves.known(id);
                self.marked.push(id);
                *mark = UNWANTED;
                if wants(HalfHash(known.hash)) {
                    self.children.push(PackedBoard::of_halves::<Us::Them>(theirs, &known.half));
                    *mark = self.children.len() as u32;
                }
            }
            if *mark != UNWANTED {
                self.moves.push(*mark - 1);
            }
        }
        let captures = halves.captures().filter(|(half, ..)| wants(HalfHash(half.hash)));
        let captures = captures.map(|(half, on, _)| {
            PackedBoard::of_halves::<Us::Them>(&theirs.without(on.bitboard()), &half.half)
        });
        for position in captures.chain(others.iter().map(|&(position, _)| position)) {
            let index = self.others.index_of(position, position.hash())?;
            self.moves.push(OTHER | index as u32);
        }
        self.parents.push((*parent, self.moves.len()));
        Ok(())
    }

    /// Adds the leaves behind each position to its value.
    fn add_up(&mut self, values: &mut Distinct<u64>) -> Result<(), CountError> {
        let (quiet, mut start) = (self.children.len(), 0);
        for ((position, lines), end) in self.parents.drain(..) {
            let mut sum = 0_u64;
            for &index in &self.moves[start..end] {
                let place = (index & !OTHER) as usize;
                let place = if index & OTHER == 0 { place } else { quiet + place };
                sum = sum.checked_add(self.counts[place]).ok_or(CountError::Overflow)?;
            }
            start = end;
            values.add(position, &sum)?;
            let nodes = u128::from(lines) * u128::from(sum);
            self.nodes = self.nodes.checked_add(nodes).ok_or(CountError::Overflow)?;
        }
        Ok(())
    }
}

outlined! {
    /// Adds the leaves behind positions in which `Us` was to move to their values, and removes them.
    pub(super) fn finish<T: Target, Us: Side>(
        target: T,
        settings: &Settings,
        below: &Below<'_>,
        sums: &mut Sums,
        values: &mut Distinct<u64>,
    ) -> Result<(), CountError> {
        let Sums {
            children,
            others,
            counts,
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            batch,
            ..
        } = &mut *sums;
        let children = children.iter().chain(others.positions().iter().map(|(position, ())| position));
        counts.clear();
        match below {
            Below::Leaves => {
                let mode = settings.root.castling_mode();
                let boards = children.map(|position| position.unpack_as::<Us::Them>(mode));
                #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
                if settings.backend.cpu == Cpu::Avx512
                    && let Some(level) = cpu::Avx512::detect()
                {
                    let batch = batch.get_or_insert_with(|| {
                        Batch::new(level, &settings.root, settings.last_side, Vec::new())
                    });
                    boards.clone().for_each(|board| batch.add_counted(&board));
                    std::mem::swap(batch.finish(), counts);
                }
                if counts.is_empty() {
                    let kernel = settings.backend.kernel;
                    let leaves = |board| count_leaves::<T, Us::Them>(target, kernel, &board);
                    counts.extend(boards.map(leaves));
                }
            }
            Below::Layer { values: below, .. } => {
                // The cache lines of each arrive while others are looked up.
                const AHEAD: usize = 8;
                let find = |position: &PackedBoard| {
                    let part = HalfHash::new::<Us>(position).part(settings.parts);
                    (&below[part], position.hash())
                };
                let (mut slots, mut positions) = (children.clone(), children.clone());
                let mut fetch_slot = || {
                    if let Some((part, hash)) = slots.next().map(find) {
                        part.prefetch_slot(hash);
                    }
                };
                let mut fetch_position = || {
                    if let Some((part, hash)) = positions.next().map(find) {
                        part.prefetch_position(hash);
                    }
                };
                (0..2 * AHEAD).for_each(|_| fetch_slot());
                (0..AHEAD).for_each(|_| fetch_position());
                for position in children {
                    fetch_slot();
                    fetch_position();
                    let (part, hash) = find(position);
                    counts.push(*part.get(position, hash).expect("the layer below has all moves"));
                }
            }
        }
        sums.add_up(values)?;
        sums.clear();
        Ok(())
    }
}

//! The leaves behind each root move, by layers.
//!
//! The leaves behind each position of the last stored layer are counted, and those of the layers
//! above are the sums over the moves of their positions, up to the root moves. Equal positions
//! after captures are merged if they come from one group only.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use arrayvec::ArrayVec;

use super::part::{Settings, Step};
use super::{Half, Last, Layer, OnPass, PassPart, Run, len};
use crate::board::{Board, PackedBoard};
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::count::batch::Batch;
use crate::count::distinct::{Distinct, Multiplicity};
use crate::count::target::{Target, with_target};
use crate::count::walk::count_leaves;
use crate::count::{CountError, Stats};
use crate::movegen;
use crate::sys::cpu::outlined;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use crate::sys::{Cpu, cpu};
use crate::types::{Color, MAX_MOVES, Move, Side, by_side};

/// The lines to a position, and the leaves behind it.
#[derive(Clone, Debug, Default)]
struct Lines {
    lines: u64,
    leaves: u64,
}

impl Multiplicity for Lines {
    #[inline(always)]
    fn add(&mut self, other: &Self) -> Result<(), CountError> {
        self.lines.add(&other.lines)
    }
}

/// The distinct positions of a layer, by part.
struct Values {
    /// The side to move.
    side: Color,
    parts: Vec<Distinct<Lines>>,
    bytes: usize,
}

impl Values {
    fn len(&self) -> usize {
        self.parts.iter().map(|part| part.positions().len()).sum()
    }
}

/// Counts the leaves behind each root move.
pub(super) struct ByMove {
    /// All layers above the last stored one.
    layers: Vec<Values>,
    /// The memory for values, and that in use.
    room: usize,
    used: usize,
    pub max_used: usize,
}

impl ByMove {
    /// The share of the memory that is for values; the rest is for the layers.
    pub const MEMORY: f64 = 0.625;

    pub fn new(room: usize) -> Self {
        Self { layers: Vec::new(), room, used: 0, max_used: 0 }
    }

    /// The distinct positions of a layer with `side` to move.
    fn values(
        &mut self,
        run: &Run<'_, '_>,
        side: Color,
        layer: &Layer<'_>,
    ) -> Result<Values, CountError> {
        let records = |index: usize| layer.iter().filter_map(move |parts| parts.get(index));
        let record_count = |index: usize| records(index).map(|part| part.len()).sum::<usize>();
        let indices = 0..run.settings.parts;
        let bytes =
            indices.clone().map(|index| Distinct::<Lines>::bytes(record_count(index))).sum();
        self.used += bytes;
        self.max_used = self.max_used.max(self.used);
        let parts = indices.clone().map(|_| Distinct::default()).collect();
        let mut values = Values { side, parts, bytes };
        if self.used > self.room {
            return Err(CountError::OutOfMemory);
        }
        let work = |index: usize| {
            let mut distinct = Distinct::default();
            distinct.clear(record_count(index));
            distinct.try_reserve(record_count(index)).map_err(|_| CountError::OutOfMemory)?;
            for (position, lines) in records(index).flat_map(|part| part.records()) {
                distinct.add(position, &Lines { lines, leaves: 0 })?;
            }
            Ok((index, distinct))
        };
        run.on_threads(len(layer), indices, work, |finished| {
            if let Some((index, distinct)) = finished {
                values.parts[index] = distinct;
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// The leaves behind moves of the root, once all passes are finished.
    pub fn leaves(
        &mut self,
        run: &Run<'_, '_>,
        board: &Board,
        moves: &[Move],
    ) -> Result<Vec<u64>, CountError> {
        // The root itself is not needed.
        for above in (1..self.layers.len() - 1).rev() {
            let (layers, below) = self.layers.split_at_mut(above + 1);
            sum_back(run, &mut layers[above], &below[0], &Half::RANGE)?;
        }
        let of_move = |&mv: &Move| {
            let mut child = *board;
            child.make(mv);
            let child = child.pack();
            let half = Half(child.half(board.side_to_move()).hash());
            let part = &self.layers[1].parts[half.part(run.settings.parts)];
            part.get(&child, child.hash()).expect("the layer has all root moves").leaves
        };
        Ok(moves.iter().map(of_move).collect())
    }
}

impl<'m> Last<'m> for ByMove {
    fn add_layer(
        &mut self,
        run: &Run<'_, 'm>,
        side: Color,
        layer: &Layer<'m>,
    ) -> Result<(), CountError> {
        let values = self.values(run, side, layer)?;
        self.layers.push(values);
        Ok(())
    }

    fn pass(
        &mut self,
        run: &Run<'_, 'm>,
        side: Color,
        layer: &Layer<'m>,
        halves: &Range<u32>,
        on_progress: OnPass<'_>,
    ) -> Result<Stats, CountError> {
        let step = Step::Store { halves: halves.clone(), by_pieces: false };
        let above = len(layer).max(1) as f64;
        let mut made = 0;
        let last = run.expand(side, &step, layer, |parents| {
            made += parents;
            on_progress(PassPart::Made(made as f64 / above), 0)
        })?;
        let used = self.used;
        let values = self.values(run, !side, &last);
        run.arena.free(last.into_iter().flatten());
        let mut values = values.inspect_err(|_| self.used = used)?;
        let nodes = count_values(run, &mut values, on_progress)?;
        if let Some(above) = self.layers.last_mut() {
            sum_back(run, above, &values, halves)?;
        }
        self.used -= values.bytes;
        Ok(Stats { nodes, ..Stats::default() })
    }
}

/// Counts the leaves behind each position of the last stored layer. Returns the leaves of all lines.
fn count_values(
    run: &Run<'_, '_>,
    values: &mut Values,
    on_progress: OnPass<'_>,
) -> Result<u128, CountError> {
    let (all, side) = (values.len(), values.side);
    let (mut nodes, mut done) = (0_u128, 0);
    let workers: Mutex<Vec<Worker>> = Mutex::default();
    let idle = || workers.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |values: &mut Distinct<Lines>| {
        let mut worker = idle().pop().unwrap_or_else(|| Worker::new(&run.settings));
        let work = CountWork { worker: &mut worker, settings: run.settings, values };
        let cpu = run.settings.backend.cpu;
        let counted =
            with_target!(cpu, target => by_side!(side, Us => count_part::<_, Us>(target, work)));
        idle().push(worker);
        counted?;
        let leaves = values.positions().iter();
        let leaves = leaves.map(|(_, of)| u128::from(of.lines) * u128::from(of.leaves));
        let sum = leaves.fold(0, u128::saturating_add);
        Ok((sum, values.positions().len()))
    };
    run.on_threads(all, values.parts.iter_mut(), work, |finished| {
        if let Some((leaves, positions)) = finished {
            nodes = nodes.checked_add(leaves).ok_or(CountError::Overflow)?;
            done += positions;
        }
        on_progress(PassPart::Counted(done as f64 / all.max(1) as f64), nodes)
    })?;
    Ok(nodes)
}

/// Adds to the leaves of positions those behind their moves, which are in the layer below.
fn sum_back(
    run: &Run<'_, '_>,
    values: &mut Values,
    below: &Values,
    halves: &Range<u32>,
) -> Result<(), CountError> {
    let (all, side) = (values.len(), values.side);
    let work = |values: &mut Distinct<Lines>| {
        let (settings, below) = (&run.settings, &below.parts);
        with_target!(settings.backend.cpu, target => by_side!(side, Us => {
            sum_part::<_, Us>(target, settings, values, below, halves)
        }))
    };
    run.on_threads(all, values.parts.iter_mut(), work, |_| Ok(()))
}

/// The memory of a thread.
struct Worker {
    /// The group of each position, and its index.
    order: Vec<u64>,
    /// The positions after moves.
    children: Distinct<()>,
    /// The index of each position that has moves, and that of a child.
    edges: Vec<(u32, u32)>,
    counts: Vec<u64>,
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    batch: Option<Box<Batch<Vec<u64>>>>,
}

impl Worker {
    /// So many children at least are counted together, to fill vectors.
    const MIN_CHILDREN: usize = 1 << 12;

    fn new(settings: &Settings) -> Self {
        _ = settings;
        Self {
            order: Vec::new(),
            children: Distinct::default(),
            edges: Vec::new(),
            counts: Vec::new(),
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            batch: cpu::Avx512::detect()
                .filter(|_| settings.backend.cpu == Cpu::Avx512)
                .map(|level| Batch::new(level, &settings.root, settings.last_side, Vec::new())),
        }
    }

    /// Counts the leaves behind all children, in which `Us` is to move, adds them to the positions
    /// that they come from, and removes the children.
    #[inline(always)]
    fn finish<T: Target, Us: Side>(
        &mut self,
        target: T,
        settings: &Settings,
        values: &mut Distinct<Lines>,
    ) {
        let mode = settings.root.castling_mode();
        let boards = self.children.positions().iter();
        let boards = boards.map(|(position, ())| position.unpack_as::<Us>(mode));
        self.counts.clear();
        #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
        if let Some(batch) = &mut self.batch {
            for board in boards.clone() {
                batch.add_counted(&board);
            }
            mem::swap(batch.finish(), &mut self.counts);
        }
        if self.counts.is_empty() {
            for board in boards {
                self.counts.push(count_leaves::<T, Us>(target, settings.backend.kernel, &board));
            }
        }
        for (parent, child) in self.edges.drain(..) {
            values.at_mut(parent as usize).leaves += self.counts[child as usize];
        }
        self.children.clear(0);
    }
}

/// The positions of a part of the last stored layer, whose leaves are counted.
struct CountWork<'w> {
    worker: &'w mut Worker,
    settings: Settings,
    values: &'w mut Distinct<Lines>,
}

outlined! {
    /// Counts the leaves behind positions in which `Us` is to move.
    fn count_part<T: Target, Us: Side>(
        target: T,
        work: CountWork<'_>,
    ) -> Result<(), CountError> {
        let CountWork { worker, settings, values } = work;
        let mut order = mem::take(&mut worker.order);
        order.clear();
        for (index, (position, _)) in values.positions().iter().enumerate() {
            order.push(Half::new::<Us::Them>(position).group() << 32 | index as u64);
        }
        order.sort_unstable();
        let mut made = ArrayVec::new();
        for group in order.chunk_by(|a, b| a >> 32 == b >> 32) {
            if worker.children.positions().is_empty() {
                let expected = (12 * group.len()).min(settings.max_set);
                worker.children.clear(expected.max(Worker::MIN_CHILDREN));
            }
            for &parent in group {
                let parent = parent as u32;
                let position = values.positions()[parent as usize].0;
                make_children::<T, Us>(target, &settings, &position, &mut made);
                for &(_, hash) in &made {
                    worker.children.prefetch_slot(hash);
                }
                for &(_, hash) in &made {
                    worker.children.prefetch_position(hash);
                }
                for &(child, hash) in &made {
                    let child = worker.children.index_of(child, hash)?;
                    worker.edges.push((parent, child as u32));
                }
                if worker.edges.len() >= 4 * settings.max_set {
                    worker.finish::<T, Us::Them>(target, &settings, values);
                }
            }
            if worker.children.positions().len() >= Worker::MIN_CHILDREN {
                worker.finish::<T, Us::Them>(target, &settings, values);
            }
        }
        worker.finish::<T, Us::Them>(target, &settings, values);
        worker.order = order;
        Ok(())
    }
}

outlined! {
    /// Adds the leaves behind their moves to the positions of a part of a layer.
    fn sum_part<T: Target, Us: Side>(
        target: T,
        settings: &Settings,
        values: &mut Distinct<Lines>,
        below: &[Distinct<Lines>],
        halves: &Range<u32>,
    ) -> Result<(), CountError> {
        let mut made = ArrayVec::new();
        let part = |half: &Half| &below[half.part(settings.parts)];
        for (position, of) in values.iter_mut() {
            make_children::<T, Us>(target, settings, position, &mut made);
            made.retain(|(child, _)| halves.contains(&Half::new::<Us>(child).range()));
            for (child, hash) in &made {
                part(&Half::new::<Us>(child)).prefetch_slot(*hash);
            }
            for (child, hash) in &made {
                part(&Half::new::<Us>(child)).prefetch_position(*hash);
            }
            for (child, hash) in &made {
                let below = part(&Half::new::<Us>(child)).get(child, *hash);
                let leaves = below.expect("the layer below has all moves").leaves;
                of.leaves = of.leaves.checked_add(leaves).ok_or(CountError::Overflow)?;
            }
        }
        Ok(())
    }
}

/// The positions after the moves of `Us`, with their hashes.
#[inline(always)]
fn make_children<T: Target, Us: Side>(
    target: T,
    settings: &Settings,
    position: &PackedBoard,
    made: &mut ArrayVec<(PackedBoard, u64), MAX_MOVES>,
) {
    let board = position.unpack_as::<Us>(settings.root.castling_mode());
    let packed = position.without_en_passant();
    made.clear();
    for mv in movegen::list_moves::<T, Us>(target, &board) {
        let child = board.pack_after::<Us>(target, &packed, mv);
        made.push((child, child.hash()));
    }
}

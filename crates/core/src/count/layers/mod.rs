//! Counting ply by ply: each ply as a layer of distinct positions with their multiplicities.
//!
//! All moves from a layer are made by [`expand`](super::expand), in groups of positions that share a
//! half. In all layers but the last, equal positions after captures meet in a group of the next
//! layer. In the last one, which is not stored, groups are taken by falling number of pieces of the
//! half, and positions after captures are handed down to the group with one piece less.
//!
//! If the last stored layer does not fit into the memory, it is made and counted in passes, each
//! over a range of halves.
//!
//! A divide keeps all layers. The leaves behind each position of the last stored one are counted, and
//! those of the layers above are the sums over the moves of their positions, up to the root moves:
//! see [`sums`].

mod arena;
mod job;
mod leaves;
mod sums;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{iter, mem};

use super::distinct::Distinct;
use super::expand::{HalfHash, Halves, Limits, Scratch};
use super::growth::{Growth, estimate};
use super::machine::Machine;
use super::target::with_target;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use super::walk::mover;
use super::{Backend, CountError, Depth, Divide, Kernel, SliderChoice, Stats};
use crate::board::Board;
use crate::sys::{CancelToken, memory};
use crate::types::{Bitboard, Color, Move, by_side};
use arena::{Arena, CHUNK_BYTES, Part, RECORDS};
use job::{PartJob, Results, Settings, Step};
pub(super) use leaves::Leaf;
use sums::{Below, Values};

/// The ply of the first positions whose leaves are counted: there is a layer to store before it.
const MIN_LAST_PLY: Depth = 2;

/// Less depth has no layer to store: the root is the last one.
pub(super) const fn min_depth(leaf: Leaf) -> Depth {
    MIN_LAST_PLY + leaf.plies()
}

/// Less depth has no layer between that of the root moves and the last stored one.
pub(super) const MIN_DIVIDE_DEPTH: Depth = 5;

/// With more parts, threads begin more chunks than fit into their caches.
const MAX_PARTS: usize = 1 << 10;

/// The bytes of a position in a set, with its slots at their sparsest.
const SET_BYTES: usize = 40 + 4 * 8;

/// The least number of positions of a set that is worked on at once.
const MIN_SET: usize = 256;

/// Fewer positions are worked on before threads have started.
const MIN_PARALLEL: usize = 5_000;

/// To move from a position of the last stored layer and count the leaves takes about so many times
/// as long as to move from one of another layer.
const COUNT_WORK: f64 = 1.5;

/// So much memory that was never used is taken for positions after captures. Merging more of them
/// takes no less time than to count equal ones again, and twice the memory.
const CAPTURE_CHUNKS: usize = (64 << 20) / CHUNK_BYTES;

/// The growth of each further ply may be predicted too high by this factor.
const GROWTH_ERROR: f64 = 2.0;

/// Passes that are made without need, so that a stop loses little, have at least so many positions
/// of the last stored layer: about a second on two cores.
const MIN_PASS_POSITIONS: f64 = (1 << 20) as f64;

/// The share of the memory of a divide that is for the leaves behind positions; the rest is for the
/// layers.
const VALUES_MEMORY: f64 = 0.6;

/// The number of values that halves are put in order by. Passes are over ranges of them.
pub(super) const HALVES: u32 = 1 << 16;

const ALL_HALVES: Range<u32> = 0..HALVES;

/// The positions of a ply: the parts of each thread that made some.
type Layer<'a> = Vec<Vec<Part<'a>>>;

fn len(layer: &Layer<'_>) -> usize {
    layer.iter().flatten().map(Part::len).sum()
}

/// Whether there is code for a backend and the position: one that has an empty square.
pub(super) fn are_available(backend: &Backend, board: &Board) -> bool {
    let backend = backend.available();
    board.occupied() != Bitboard::FULL
        && backend.kernel != Kernel::Full
        && backend.sliders == SliderChoice::Magic
}

/// More bytes than the positions of a ply need, if it has no more lines than a rough estimate.
pub(super) fn max_bytes(board: &Board, ply: Depth) -> usize {
    const BYTES: f64 = 200.0;
    (BYTES * estimate(board, ply)) as usize
}

/// The ranges of halves that are counted.
pub(super) struct Ranges<'p> {
    /// In their order, and apart from each other.
    pub missing: Vec<Range<u32>>,
    /// The passes to make over all halves even if fewer fit into the memory, unless they are small.
    pub min_passes: u32,
    pub on_end: Option<OnPassEnd<'p>>,
}

/// Receives the range of a finished pass, its leaves, and the number of passes that are left.
type OnPassEnd<'p> = &'p mut dyn FnMut(Range<u32>, u128, usize) -> Result<(), CountError>;

impl Ranges<'_> {
    /// All halves, in as few passes as the memory allows.
    pub fn all() -> Self {
        Self { missing: vec![ALL_HALVES], min_passes: 1, on_end: None }
    }

    /// The ranges cut into parts, as many as if all halves were cut into `passes`.
    fn cut(&self, passes: u32) -> Vec<Range<u32>> {
        let parts = |range: &Range<u32>| {
            let (start, len) = (range.start, range.end - range.start);
            // The ends of earlier parts were rounded.
            let parts = (len.saturating_sub(1) * passes).div_ceil(HALVES).clamp(1, len.max(1));
            (0..parts).map(move |part| start + len * part / parts..start + len * (part + 1) / parts)
        };
        self.missing.iter().flat_map(parts).collect()
    }
}

/// A count by layers.
pub(super) struct Layers<'a> {
    /// Its memory is all that may be used.
    pub machine: &'a Machine,
    pub board: &'a Board,
    /// At least [`min_depth`], and [`MIN_DIVIDE_DEPTH`] for a divide.
    pub depth: Depth,
    pub leaf: Leaf,
    /// The highest number of passes that are begun.
    pub max_passes: f64,
    /// Called with the finished share and the leaves so far.
    pub on_progress: OnProgress<'a>,
}

/// Receives the finished share and the leaves so far.
type OnProgress<'p> = &'p mut dyn FnMut(f64, u128) -> Result<(), CountError>;

/// A result, and the bytes that were used for positions.
type Used<R> = Result<(R, usize), CountError>;

impl Layers<'_> {
    /// The leaves of ranges of halves.
    ///
    /// # Errors
    /// [`CountError::OutOfMemory`] if, by the growth of the first plies, there would be too many
    /// passes, or if not even one of many fits; [`CountError::Overflow`] if
    /// a multiplicity exceeds 64 bits, although the count may fit; those of `on_progress`.
    pub fn count(self, ranges: Ranges<'_>) -> Used<u128> {
        self.on_layers(0, |run, progress| {
            let (layer, growth) = run.make_layers(None, progress)?;
            run.in_passes(&layer, &growth, ranges, progress, |run, halves, progress| {
                run.count_pass(&layer, halves, progress)
            })
        })
    }

    /// The leaves by the moves to them, with [`Leaf::Moves`]. Otherwise as [`Self::count`].
    ///
    /// # Errors
    /// As those of [`Self::count`].
    pub fn stats(self) -> Used<Stats> {
        self.on_layers(0, |run, progress| {
            let mut stats = Stats::default();
            let (layer, growth) = run.make_layers(None, progress)?;
            run.in_passes(&layer, &growth, Ranges::all(), progress, |run, halves, progress| {
                run.take_kinds()?;
                let nodes = run.count_pass(&layer, halves, progress)?;
                stats.add_times(run.take_kinds()?, 1)?;
                Ok(nodes)
            })?;
            Ok(stats)
        })
    }

    /// The leaves behind each of all root moves. Otherwise as [`Self::count`].
    ///
    /// # Errors
    /// As those of [`Self::count`].
    pub fn divide(self, moves: &[Move]) -> Used<Vec<u64>> {
        let for_values = (self.machine.memory as f64 * VALUES_MEMORY) as usize;
        let board = self.board;
        self.on_layers(for_values, |run, progress| {
            let mut above = Vec::new();
            let (layer, growth) = run.make_layers(Some(&mut above), progress)?;
            let mut values = run.no_values();
            run.in_passes(&layer, &growth, Ranges::all(), progress, |run, halves, progress| {
                run.sum_pass(&layer, halves, &mut values, progress)
            })?;
            // The root itself is not needed.
            for layer in above.drain(1..).rev() {
                values = run.sum_layer(&layer, &values)?;
            }
            let of_move = |&mv: &Move| {
                let mut child = *board;
                child.make(mv);
                let child = child.pack();
                let half = HalfHash(child.half(board.side_to_move()).hash());
                let part = &values[half.part(run.settings.parts)];
                *part.get(&child, child.hash()).expect("the layer has all root moves")
            };
            Ok(moves.iter().map(of_move).collect())
        })
    }

    /// Does work with memory for layers, all but so many bytes.
    fn on_layers<R>(
        self,
        for_values: usize,
        work: impl FnOnce(&LayerWork<'_, '_>, &mut Share<'_>) -> Result<R, CountError>,
    ) -> Used<R> {
        let (settings, bytes) = self.settings();
        let bytes = bytes - for_values.min(bytes);
        let mut memory = memory::map(bytes).map_err(|_| CountError::OutOfMemory)?;
        let work_on = LayerWork {
            machine: self.machine,
            last_ply: self.depth - self.leaf.plies(),
            max_passes: self.max_passes,
            settings,
            arena: Arena::new(&mut memory),
            for_values,
            value_peak: AtomicUsize::new(0),
            idle: Mutex::default(),
        };
        let result = work(&work_on, &mut Share { shown: 0.0, on_progress: self.on_progress })?;
        Ok((result, work_on.arena.used_bytes() + work_on.value_peak.into_inner()))
    }

    /// The settings of all steps, and the memory for positions.
    fn settings(&self) -> (Settings, usize) {
        let Machine { backend, threads, memory, .. } = self.machine;
        let threads = threads.get();
        // An eighth is for the sets and the halves of the threads.
        let sets = memory / 8;
        let halves_bytes = (sets / (2 * threads)).min(Halves::<u64>::MAX_BYTES);
        let begun_chunks = 8 * threads * CHUNK_BYTES;
        let settings = Settings {
            backend: backend.available(),
            root: *self.board,
            leaf: self.leaf,
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            last_side: mover(self.board, self.depth - self.leaf.plies()),
            parts: (memory / begun_chunks).next_power_of_two().clamp(1, MAX_PARTS),
            limits: Limits {
                set: (sets / (4 * SET_BYTES * threads)).max(MIN_SET),
                halves_bytes,
                group_bytes: halves_bytes,
            },
        };
        (settings, memory - sets)
    }
}

/// The share that is shown. Shares are estimates, and never seem to go back.
struct Share<'p> {
    shown: f64,
    on_progress: OnProgress<'p>,
}

impl Share<'_> {
    fn show(&mut self, share: f64, nodes: u128) -> Result<(), CountError> {
        self.shown = self.shown.max(share.min(1.0));
        (self.on_progress)(self.shown, nodes)
    }
}

/// The layer above the last stored one, or any above that.
struct Above<'m> {
    /// The side to move.
    side: Color,
    layer: Layer<'m>,
}

/// The growth up to the layer above the last stored one.
struct Grown {
    growth: Growth,
    /// The positions that were moved from.
    work: f64,
}

/// The shares of a pass.
enum PassPart {
    /// Of the positions above the last stored layer, those that were moved from.
    Made(f64),
    /// Of the last stored layer, the positions whose leaves are counted.
    Counted(f64),
}

/// Receives the progress of a pass: its share, and its leaves so far.
type OnPass<'p> = &'p mut dyn FnMut(PassPart, u128) -> Result<(), CountError>;

/// The state of a count.
struct LayerWork<'a, 'm> {
    machine: &'a Machine,
    /// The ply of the positions whose leaves are counted.
    last_ply: Depth,
    max_passes: f64,
    settings: Settings,
    arena: Arena<'m>,
    /// The memory for values.
    for_values: usize,
    /// The most of it that was ever used.
    value_peak: AtomicUsize,
    /// The memory of threads that do not use it at the moment.
    idle: Mutex<Vec<(Scratch<u64>, Results<'m>)>>,
}

impl<'m> LayerWork<'_, 'm> {
    /// Makes the layers up to the one above the last stored one. Those above it are kept if that is
    /// asked for.
    fn make_layers(
        &self,
        mut keep: Option<&mut Vec<Above<'m>>>,
        progress: &mut Share<'_>,
    ) -> Result<(Above<'m>, Grown), CountError> {
        let board = &self.settings.root;
        let mut root = Part::default();
        if !root.push(&self.arena, (board.pack(), 1)) {
            return Err(CountError::OutOfMemory);
        }
        let mut above = Above { side: board.side_to_move(), layer: vec![vec![root]] };
        let mut growth = Growth::new(board.count_legal_moves());
        let mut work = 0.0;
        for plies in (1..=self.last_ply - MIN_LAST_PLY).rev() {
            let step = Step::Store { halves: ALL_HALVES, by_pieces: false };
            let whole = work + self.work_left(&growth, plies);
            let mut finished = 0;
            let layer = self.expand(&step, &above, |parents| {
                finished += parents;
                progress.show((work + finished as f64) / whole, 0)
            })?;
            work += len(&above.layer) as f64;
            growth.add(len(&layer));
            let next = Above { side: !above.side, layer };
            let done = mem::replace(&mut above, next);
            match &mut keep {
                Some(kept) => kept.push(done),
                None => self.free(done.layer),
            }
            // Growth falls where lines meet, all the more over several plies.
            let positions = growth.predict(plies - 1) / GROWTH_ERROR.powi((plies - 1).into());
            if self.passes(positions, growth.rate()) > self.max_passes {
                return Err(CountError::OutOfMemory);
            }
        }
        Ok((above, Grown { growth, work }))
    }

    /// Makes the last stored layer in passes, as many as the memory needs, and sums their leaves.
    fn in_passes(
        &self,
        above: &Above<'m>,
        &Grown { growth, work }: &Grown,
        mut ranges: Ranges<'_>,
        progress: &mut Share<'_>,
        mut pass: impl FnMut(&Self, &Range<u32>, OnPass<'_>) -> Result<u128, CountError>,
    ) -> Result<u128, CountError> {
        let positions = len(&above.layer) as f64;
        let worth =
            (positions * growth.rate() / MIN_PASS_POSITIONS).min(f64::from(ranges.min_passes));
        let passes = self.passes(positions, growth.rate()).ceil().max(worth.floor());
        let mut left = ranges.cut(passes.clamp(1.0, 1e4) as u32);
        left.reverse();
        let all: u32 = left.iter().map(|halves| halves.end - halves.start).sum();
        let (mut nodes, mut finished) = (0_u128, 0);
        let before = work / (work + self.work_left(&growth, 0));
        while let Some(halves) = left.pop() {
            let share = |halves: u32| f64::from(halves) / f64::from(all);
            let (done, this) = (share(finished), share(halves.end - halves.start));
            let work = COUNT_WORK * growth.rate() * this * f64::from(all) / f64::from(HALVES);
            let counted = pass(self, &halves, &mut |part, counted| {
                let part = match part {
                    PassPart::Made(share) => share / (1.0 + work),
                    PassPart::Counted(share) => (1.0 + work * share) / (1.0 + work),
                };
                let share = before + (1.0 - before) * (done + this * part);
                progress.show(share, nodes.saturating_add(counted))
            });
            match counted {
                Ok(counted) => {
                    nodes = nodes.checked_add(counted).ok_or(CountError::Overflow)?;
                    finished += halves.end - halves.start;
                    if let Some(on_end) = &mut ranges.on_end {
                        on_end(halves, counted, left.len())?;
                    }
                }
                Err(CountError::OutOfMemory) if halves.len() > 1 => {
                    let middle = halves.start.midpoint(halves.end);
                    left.extend([middle..halves.end, halves.start..middle]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(nodes)
    }

    /// The expected number of positions to move from, given the growth so far and the number of
    /// plies to the layer above the last stored one. Those of the last one take longer, and those
    /// above it are moved from in each pass.
    fn work_left(&self, growth: &Growth, plies: Depth) -> f64 {
        let above = growth.predict(plies);
        let passes = self.passes(above, growth.rate()).ceil().clamp(1.0, 1e4);
        let before: f64 = (0..plies).map(|ply| growth.predict(ply)).sum();
        before + passes * above + COUNT_WORK * above * growth.rate()
    }

    /// The number of passes for the last stored layer, by the size of the one above it and by its
    /// growth.
    fn passes(&self, above: f64, growth: f64) -> f64 {
        const RECORD_BYTES: f64 = CHUNK_BYTES as f64 / RECORDS as f64;
        // Some positions are stored twice until they are merged, and chunks are begun.
        let bytes = |positions: f64| 1.2 * positions * RECORD_BYTES;
        let room = self.arena.bytes() as f64 - bytes(above);
        if room > 0.0 { bytes(above * growth) / room } else { f64::INFINITY }
    }

    /// Makes the last stored layer, or those of its groups whose halves are in a range.
    fn make_last(
        &self,
        above: &Above<'m>,
        (halves, by_pieces): (&Range<u32>, bool),
        on_progress: OnPass<'_>,
    ) -> Result<Above<'m>, CountError> {
        let step = Step::Store { halves: halves.clone(), by_pieces };
        let (all, mut made) = (len(&above.layer).max(1) as f64, 0);
        let layer = self.expand(&step, above, |parents| {
            made += parents;
            on_progress(PassPart::Made(made as f64 / all), 0)
        })?;
        Ok(Above { side: !above.side, layer })
    }

    /// Makes the last stored layer and counts its leaves.
    fn count_pass(
        &self,
        above: &Above<'m>,
        halves: &Range<u32>,
        on_progress: OnPass<'_>,
    ) -> Result<u128, CountError> {
        let Above { side, layer: mut last } = self.make_last(above, (halves, true), on_progress)?;
        let all = len(&last).max(1) as f64;
        let (mut nodes, mut done) = (0_u128, 0);
        let mut captures = Vec::new();
        let step = Step::Count { reserve: self.arena.fresh().saturating_sub(CAPTURE_CHUNKS) };
        for pieces in (1..=self.settings.max_pieces()).rev() {
            let level = self.take_level(&mut last, pieces);
            let work =
                Expansion { side, step: &step, layers: [&level, &captures], values: &mut [] };
            let next = self.run(work, |finished| {
                if let Some((counted, parents)) = finished {
                    nodes = nodes.checked_add(counted).ok_or(CountError::Overflow)?;
                    done += parents;
                }
                on_progress(PassPart::Counted(done as f64 / all), nodes)
            })?;
            self.free(mem::replace(&mut captures, next));
            self.free(level);
        }
        debug_assert_eq!(len(&captures), 0, "no king is captured");
        Ok(nodes)
    }

    /// Takes the positions whose halves have a number of pieces.
    fn take_level(&self, layer: &mut Layer<'m>, pieces: u32) -> Layer<'m> {
        let Settings { parts, .. } = self.settings;
        let first = (self.settings.max_pieces() - pieces) as usize * parts;
        let of_thread = |all: &mut Vec<Part<'m>>| {
            let level = all.get_mut(first..first + parts).unwrap_or_default();
            level.iter_mut().map(mem::take).collect()
        };
        layer.iter_mut().map(of_thread).collect()
    }

    /// Makes the last stored layer, sums the leaves behind each of its positions, and adds them to
    /// the values of the layer above.
    fn sum_pass(
        &self,
        above: &Above<'m>,
        halves: &Range<u32>,
        values_above: &mut Values,
        on_progress: OnPass<'_>,
    ) -> Result<u128, CountError> {
        let last = self.make_last(above, (halves, false), on_progress)?;
        let bytes = self.value_bytes(&above.layer) + self.value_bytes(&last.layer);
        if bytes > self.for_values {
            self.free(last.layer);
            return Err(CountError::OutOfMemory);
        }
        self.value_peak.fetch_max(bytes, Ordering::Relaxed);
        let all = len(&last.layer).max(1) as f64;
        let (mut nodes, mut done) = (0_u128, 0);
        let mut values = self.no_values();
        let summed = self.sum(&last, &Step::Sum(Below::Leaves), &mut values, |finished| {
            if let Some((counted, parents)) = finished {
                nodes = nodes.checked_add(counted).ok_or(CountError::Overflow)?;
                done += parents;
            }
            on_progress(PassPart::Counted(done as f64 / all), nodes)
        });
        self.free(last.layer);
        summed?;
        let step = Step::Sum(Below::Layer { values: &values, halves });
        self.sum(above, &step, values_above, |_| Ok(()))?;
        Ok(nodes)
    }

    /// The values of a layer, given those of the layer below.
    fn sum_layer(&self, above: &Above<'m>, below: &Values) -> Result<Values, CountError> {
        let mut values = self.no_values();
        let step = Step::Sum(Below::Layer { values: below, halves: &ALL_HALVES });
        self.sum(above, &step, &mut values, |_| Ok(()))?;
        Ok(values)
    }

    fn no_values(&self) -> Values {
        (0..self.settings.parts).map(|_| Distinct::default()).collect()
    }

    /// The bytes that the values of a layer take.
    fn value_bytes(&self, layer: &Layer<'m>) -> usize {
        let parts = (0..self.settings.parts).map(|index| parts_at(layer, index));
        parts.map(|parts| Distinct::<u64>::bytes(records(&parts))).sum()
    }

    /// Adds the leaves behind each position of a layer to its value.
    fn sum(
        &self,
        above: &Above<'m>,
        step: &Step<'_>,
        values: &mut Values,
        receive: impl FnMut(Option<(u128, usize)>) -> Result<(), CountError>,
    ) -> Result<(), CountError> {
        let Above { side, ref layer } = *above;
        self.run(Expansion { side, step, layers: [layer, &Vec::new()], values }, receive).map(drop)
    }

    /// Makes all moves of a layer. Returns the positions that the step stores. Calls `receive` with
    /// numbers of positions that are finished.
    fn expand(
        &self,
        step: &Step<'_>,
        above: &Above<'m>,
        mut receive: impl FnMut(usize) -> Result<(), CountError>,
    ) -> Result<Layer<'m>, CountError> {
        let Above { side, ref layer } = *above;
        let work = Expansion { side, step, layers: [layer, &Vec::new()], values: &mut [] };
        self.run(work, |finished| receive(finished.map_or(0, |(_, parents)| parents)))
    }

    /// Does work, part by part. Returns the positions that the step stores. Calls `receive` with the
    /// leaves and the number of positions of each finished part, and now and then without.
    fn run(
        &self,
        work: Expansion<'_, 'm>,
        mut receive: impl FnMut(Option<(u128, usize)>) -> Result<(), CountError>,
    ) -> Result<Layer<'m>, CountError> {
        let Self { machine, settings, arena, .. } = self;
        let Expansion { side, step, layers, values } = work;
        let values = values.iter_mut().map(Some).chain(iter::repeat_with(|| None));
        let tasks = (0..settings.parts).zip(values).filter_map(|(index, values)| {
            let parts = layers.map(|layer| parts_at(layer, index));
            let is_empty = parts.iter().all(Vec::is_empty);
            (!is_empty).then_some((parts, values))
        });
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |(parts, mut values): PartTask<'_, 'm>, _: &CancelToken| {
            let parents = records(&parts[0]);
            if let Some(values) = &mut values
                && values.positions().is_empty()
            {
                values.clear(parents);
                values.try_reserve(parents).map_err(|_| CountError::OutOfMemory)?;
            }
            let new = || (Scratch::default(), Results::new(settings));
            let (mut scratch, mut results) = idle().pop().unwrap_or_else(new);
            let job = PartJob::new(arena, settings, step, &mut results, values, &parts);
            let counted = job.and_then(|job| {
                with_target!(settings.backend.cpu, target => by_side!(side, Us => {
                    job.run::<_, Us>(target, &mut scratch)
                }))
            });
            idle().push((scratch, results));
            counted.map(|nodes| (nodes, parents))
        };
        let is_small = layers.map(len).iter().sum::<usize>() < MIN_PARALLEL;
        let finished = machine.run(is_small, tasks, work, |result| receive(result.transpose()?));
        let stored = idle().iter_mut().map(|(_, results)| mem::take(&mut results.stored)).collect();
        let is_cancelled = machine.cancel.is_cancelled();
        let cancelled = is_cancelled.then(|| CountError::Cancelled(Divide::default()));
        match finished.err().or(cancelled) {
            None => Ok(stored),
            Some(error) => {
                self.free(stored);
                Err(error)
            }
        }
    }

    /// The leaves of all threads by the moves to them, which start again at 0.
    fn take_kinds(&self) -> Result<Stats, CountError> {
        let mut sum = Stats::default();
        for (_, results) in &mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner) {
            sum.add_times(results.leaves.take_kinds(), 1)?;
        }
        Ok(sum)
    }

    /// Takes back the memory of a layer.
    fn free(&self, layer: Layer<'m>) {
        self.arena.free(layer.into_iter().flatten());
    }
}

/// Moves from the positions of a layer, and what is done with those after them.
struct Expansion<'w, 'm> {
    /// The side to move.
    side: Color,
    step: &'w Step<'w>,
    /// The positions to move from, and positions after captures of this ply.
    layers: [&'w Layer<'m>; 2],
    /// The leaves behind each position, if they are summed, by part.
    values: &'w mut [Distinct<u64>],
}

/// A part of both layers, and its values.
type PartTask<'t, 'm> = ([Vec<&'t Part<'m>>; 2], Option<&'t mut Distinct<u64>>);

/// The parts of all threads with an index that have records.
fn parts_at<'l, 'm>(layer: &'l Layer<'m>, index: usize) -> Vec<&'l Part<'m>> {
    let parts = layer.iter().filter_map(|parts| parts.get(index));
    parts.filter(|part| part.len() > 0).collect()
}

fn records(parts: &[&Part<'_>]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

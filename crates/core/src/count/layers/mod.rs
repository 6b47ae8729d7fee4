//! Counting ply by ply: each ply as a layer of distinct positions with their multiplicities.
//!
//! A layer is worked on in groups: the positions in which the side that is *not* to move has the
//! same pieces and castling rights, its half. A quiet move leaves that half as it is, so that equal
//! positions after quiet moves come from one group, and have the same half of the side that moved:
//! see [`halves`]. Captures change the half. In all layers but the last, equal positions after captures meet in a
//! group of the next layer. In the last one, which is not stored, groups are taken by falling
//! number of pieces of the half, and positions after captures are handed down to the group with
//! one piece less.
//!
//! Positions are compared whole. Hashes only bring equal ones together.
//!
//! If the last stored layer does not fit into the memory, it is made and counted in passes, each
//! over a range of halves.

mod arena;
mod divide;
mod halves;
mod leaves;
mod part;
#[cfg(test)]
mod tests;

use std::mem;
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::merge::Growth;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use super::walk::mover;
use super::{Backend, CountError, Depth, Divide, Kernel, SliderChoice, Stats, estimate};
use crate::board::{Board, PackedBoard};
use crate::sys::{CancelToken, memory, pool};
use crate::types::{Bitboard, Color, Move, Side};
use arena::{Arena, CHUNK_BYTES, Part, RECORDS};
use divide::ByMove;
pub(super) use leaves::Leaf;
use part::{PartWork, Settings, Step, Worker};

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

/// The number of values that halves are put in order by. Passes are over ranges of them.
pub(super) const HALVES: u32 = 1 << 16;

/// The half of a position, by its hash. Each use has bits of its own.
struct Half(u64);

impl Half {
    /// All ranges.
    const RANGE: Range<u32> = 0..HALVES;

    /// The half of a side.
    #[inline(always)]
    fn new<S: Side>(position: &PackedBoard) -> Self {
        Self(position.half(S::COLOR).hash())
    }

    const fn range(&self) -> u32 {
        (self.0 >> 48) as u32
    }

    const fn part(&self, parts: usize) -> usize {
        (self.0 >> 32) as usize % parts
    }

    const fn group(&self) -> u64 {
        self.0 & 0xFFFF_FFFF
    }
}

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

/// A count by layers.
pub(super) struct Layers<'a> {
    pub backend: Backend,
    pub leaf: Leaf,
    pub threads: NonZero<usize>,
    /// The memory that may be used.
    pub bytes: usize,
    /// The highest number of passes that are begun.
    pub max_passes: f64,
    pub cancel: &'a CancelToken,
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
        Self { missing: vec![Half::RANGE], min_passes: 1, on_end: None }
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

impl Layers<'_> {
    /// The leaves of ranges of halves at a depth of at least [`min_depth`], and the bytes that were
    /// used for positions. Without [`Leaf::Moves`] only their number is counted. Calls `on_progress`
    /// with the finished share and the leaves so far.
    ///
    /// # Errors
    /// [`CountError::OutOfMemory`] if, by the growth of the first plies, there would be too many
    /// passes, or if not even one of many fits; [`CountError::Overflow`] if
    /// a multiplicity exceeds 64 bits, although the count may fit; those of `on_progress`.
    pub fn count(
        &self,
        board: &Board,
        depth: Depth,
        ranges: Ranges<'_>,
        on_progress: impl FnMut(f64, u128) -> Result<(), CountError>,
    ) -> Result<(Stats, usize), CountError> {
        let (settings, bytes) = self.settings(board, depth);
        let mut memory = memory::map(bytes).map_err(|_| CountError::OutOfMemory)?;
        let run = Run::new(self, settings, &mut memory);
        let last_ply = depth - self.leaf.plies();
        let leaves = run.count(board, last_ply, &mut Total, ranges, on_progress)?;
        Ok((leaves, run.arena.used_bytes()))
    }

    /// The number of leaves behind each of all root moves, otherwise as [`Self::count`]. The depth
    /// is at least [`MIN_DIVIDE_DEPTH`].
    ///
    /// # Errors
    /// As those of [`Self::count`].
    pub fn divide(
        &self,
        board: &Board,
        moves: &[Move],
        depth: Depth,
        on_progress: impl FnMut(f64, u128) -> Result<(), CountError>,
    ) -> Result<(Vec<u64>, usize), CountError> {
        let (settings, bytes) = self.settings(board, depth);
        let for_values = (bytes as f64 * ByMove::MEMORY) as usize;
        let mut memory = memory::map(bytes - for_values).map_err(|_| CountError::OutOfMemory)?;
        let run = Run::new(self, settings, &mut memory);
        let mut by_move = ByMove::new(for_values);
        let last_ply = depth - self.leaf.plies();
        let leaves = run.count(board, last_ply, &mut by_move, Ranges::all(), on_progress)?;
        let of_moves = by_move.leaves(&run, board, moves)?;
        let sum: u128 = of_moves.iter().map(|&leaves| u128::from(leaves)).sum();
        debug_assert_eq!(sum, leaves.nodes);
        Ok((of_moves, run.arena.used_bytes() + by_move.max_used))
    }

    /// The settings of all steps, and the memory for positions.
    fn settings(&self, board: &Board, depth: Depth) -> (Settings, usize) {
        _ = depth;
        let (backend, threads) = (self.backend.available(), self.threads.get());
        // An eighth is for the sets and the halves of the threads.
        let sets = self.bytes / 8;
        let begun_chunks = 8 * threads * CHUNK_BYTES;
        let settings = Settings {
            backend,
            root: *board,
            leaf: self.leaf,
            #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
            last_side: mover(board, depth - self.leaf.plies()),
            parts: (self.bytes / begun_chunks).next_power_of_two().clamp(1, MAX_PARTS),
            max_set: (sets / (4 * SET_BYTES * threads)).max(MIN_SET),
            max_halves_bytes: sets / (2 * threads),
        };
        (settings, self.bytes - sets)
    }
}

/// The state of a count.
struct Run<'a, 'm> {
    layers: &'a Layers<'a>,
    settings: Settings,
    arena: Arena<'m>,
    /// Those that no thread uses at the moment.
    workers: Mutex<Vec<Worker<'m>>>,
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

/// What is done with the layers.
trait Last<'m> {
    /// Takes note of a layer above the last stored one, with `side` to move.
    fn add_layer(
        &mut self,
        run: &Run<'_, 'm>,
        side: Color,
        layer: &Layer<'m>,
    ) -> Result<(), CountError>;

    /// Makes the last stored layer from the one above it, or those of its groups whose halves are in
    /// a range, and counts its leaves.
    fn pass(
        &mut self,
        run: &Run<'_, 'm>,
        side: Color,
        layer: &Layer<'m>,
        halves: &Range<u32>,
        on_progress: OnPass<'_>,
    ) -> Result<Stats, CountError>;
}

/// Counts the leaves of all lines together.
struct Total;

impl<'m> Last<'m> for Total {
    fn add_layer(&mut self, _: &Run<'_, 'm>, _: Color, _: &Layer<'m>) -> Result<(), CountError> {
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
        run.pass(side, layer, halves, on_progress)
    }
}

impl<'a, 'm> Run<'a, 'm> {
    fn new(layers: &'a Layers<'a>, settings: Settings, memory: &'m mut [u8]) -> Self {
        Self { layers, settings, arena: Arena::new(memory), workers: Mutex::default() }
    }

    /// The leaves behind the root, given the ply whose positions' leaves are counted.
    fn count(
        &self,
        board: &Board,
        last_ply: Depth,
        last: &mut impl Last<'m>,
        mut ranges: Ranges<'_>,
        mut on_progress: impl FnMut(f64, u128) -> Result<(), CountError>,
    ) -> Result<Stats, CountError> {
        // Shares are estimates, and never seem to go back.
        let mut shown = 0.0_f64;
        let mut on_progress = |share: f64, nodes: u128| {
            shown = shown.max(share.min(1.0));
            on_progress(shown, nodes)
        };
        let mut root = Part::default();
        if !root.push(&self.arena, (board.pack(), 1)) {
            return Err(CountError::OutOfMemory);
        }
        let mut side = board.side_to_move();
        let mut layer = vec![vec![root]];
        let mut growth = Growth::new(board.count_legal_moves());
        last.add_layer(self, side, &layer)?;
        // The positions that were moved from.
        let mut work = 0.0;
        for plies in (1..=last_ply - MIN_LAST_PLY).rev() {
            let step = Step::Store { halves: Half::RANGE, by_pieces: false };
            let whole = work + self.work_left(&growth, plies);
            let mut finished = 0;
            let next = self.expand(side, &step, &layer, |parents| {
                finished += parents;
                on_progress((work + finished as f64) / whole, 0)
            })?;
            work += len(&layer) as f64;
            growth.add(len(&next));
            self.arena.free(mem::replace(&mut layer, next).into_iter().flatten());
            side = !side;
            last.add_layer(self, side, &layer)?;
            // Growth falls where lines meet, all the more over several plies.
            let above = growth.predict(plies - 1) / GROWTH_ERROR.powi((plies - 1).into());
            self.check_passes(self.passes(above, growth.rate()))?;
        }
        let above = len(&layer) as f64;
        let worth = (above * growth.rate() / MIN_PASS_POSITIONS).min(f64::from(ranges.min_passes));
        let passes = self.passes(above, growth.rate()).ceil().max(worth.floor());
        let mut left = ranges.cut(passes.clamp(1.0, 1e4) as u32);
        left.reverse();
        let all: u32 = left.iter().map(|halves| halves.end - halves.start).sum();
        let (mut leaves, mut finished) = (Stats::default(), 0);
        let before = work / (work + self.work_left(&growth, 0));
        while let Some(halves) = left.pop() {
            let share = |halves: u32| f64::from(halves) / f64::from(all);
            let (done, this) = (share(finished), share(halves.end - halves.start));
            let work = COUNT_WORK * growth.rate() * this * f64::from(all) / f64::from(HALVES);
            let counted = last.pass(self, side, &layer, &halves, &mut |part, counted| {
                let part = match part {
                    PassPart::Made(share) => share / (1.0 + work),
                    PassPart::Counted(share) => (1.0 + work * share) / (1.0 + work),
                };
                let share = before + (1.0 - before) * (done + this * part);
                on_progress(share, leaves.nodes.saturating_add(counted))
            });
            match counted {
                Ok(counted) => {
                    leaves.add_times(counted, 1)?;
                    finished += halves.end - halves.start;
                    if let Some(on_end) = &mut ranges.on_end {
                        on_end(halves, counted.nodes, left.len())?;
                    }
                }
                Err(CountError::OutOfMemory) if halves.len() > 1 => {
                    let middle = halves.start.midpoint(halves.end);
                    left.extend([middle..halves.end, halves.start..middle]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(leaves)
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

    fn check_passes(&self, passes: f64) -> Result<(), CountError> {
        let is_too_many = passes > self.layers.max_passes;
        if is_too_many { Err(CountError::OutOfMemory) } else { Ok(()) }
    }

    /// [`Last::pass`] of [`Total`].
    fn pass(
        &self,
        side: Color,
        layer: &Layer<'m>,
        halves: &Range<u32>,
        on_progress: OnPass<'_>,
    ) -> Result<Stats, CountError> {
        let step = Step::Store { halves: halves.clone(), by_pieces: true };
        let (above, mut made) = (len(layer).max(1) as f64, 0);
        let mut last = self.expand(side, &step, layer, |parents| {
            made += parents;
            on_progress(PassPart::Made(made as f64 / above), 0)
        })?;
        let all = len(&last).max(1) as f64;
        let (mut leaves, mut done) = (Stats::default(), 0);
        let mut captures = Vec::new();
        let step = Step::Count { reserve: self.arena.fresh().saturating_sub(CAPTURE_CHUNKS) };
        for pieces in (1..=self.settings.max_pieces()).rev() {
            let level = self.take_level(&mut last, pieces);
            let next = self.expand_with(!side, &step, &level, &captures, |finished| {
                if let Some((counted, parents)) = finished {
                    leaves.add_times(counted, 1)?;
                    done += parents;
                }
                on_progress(PassPart::Counted(done as f64 / all), leaves.nodes)
            })?;
            let finished = mem::replace(&mut captures, next).into_iter().chain(level);
            self.arena.free(finished.flatten());
        }
        debug_assert_eq!(len(&captures), 0, "no king is captured");
        Ok(leaves)
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

    /// [`Self::expand_with`] for a layer without captures handed down. Calls `receive` with numbers
    /// of positions that are finished.
    fn expand(
        &self,
        side: Color,
        step: &Step,
        layer: &Layer<'m>,
        mut receive: impl FnMut(usize) -> Result<(), CountError>,
    ) -> Result<Layer<'m>, CountError> {
        self.expand_with(side, step, layer, &Vec::new(), |finished| {
            receive(finished.map_or(0, |(_, parents)| parents))
        })
    }

    /// Makes all moves of a layer, in which `side` is to move. Returns the positions that the step
    /// stores. Calls `receive` with the leaves and the number of positions of each finished part,
    /// and now and then without.
    fn expand_with(
        &self,
        side: Color,
        step: &Step,
        layer: &Layer<'m>,
        captures: &Layer<'m>,
        receive: impl FnMut(Option<(Stats, usize)>) -> Result<(), CountError>,
    ) -> Result<Layer<'m>, CountError> {
        let of_part = |layer: &'_ Layer<'m>, index: usize| -> Vec<usize> {
            let has_some =
                |parts: &Vec<Part<'m>>| parts.get(index).is_some_and(|part| part.len() > 0);
            (0..layer.len()).filter(|&thread| has_some(&layer[thread])).collect()
        };
        let tasks = (0..self.settings.parts).filter_map(|index| {
            let (parents, captures_of_part) = (of_part(layer, index), of_part(captures, index));
            let is_empty = parents.is_empty() && captures_of_part.is_empty();
            (!is_empty).then_some((index, parents, captures_of_part))
        });
        let idle = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |(index, parents, from_captures): (usize, Vec<usize>, Vec<usize>)| {
            let parents: Vec<&Part<'m>> = parents.iter().map(|&t| &layer[t][index]).collect();
            let captures: Vec<&Part<'m>> =
                from_captures.iter().map(|&t| &captures[t][index]).collect();
            let mut worker = idle().pop().unwrap_or_else(|| Worker::new(&self.settings));
            worker.stored.resize_with(step.stored_parts(&self.settings), Part::default);
            let Self { settings, arena, .. } = self;
            let leaves = PartWork {
                worker: &mut worker,
                arena,
                settings: *settings,
                step,
                side,
                parents: &parents,
                captures: &captures,
            }
            .run();
            idle().push(worker);
            let records = parents.iter().map(|part| part.len()).sum();
            leaves.map(|leaves| (leaves, records))
        };
        let positions = len(layer) + len(captures);
        let finished = self.on_threads(positions, tasks, work, receive);
        let stored: Layer<'m> =
            idle().iter_mut().map(|worker| mem::take(&mut worker.stored)).collect();
        match finished {
            Ok(()) => Ok(stored),
            Err(error) => {
                self.arena.free(stored.into_iter().flatten());
                Err(error)
            }
        }
    }

    /// Does tasks about so many positions on the threads. Calls `receive` with each result, and now
    /// and then without.
    fn on_threads<T, R: Send>(
        &self,
        positions: usize,
        tasks: impl Iterator<Item = T> + Send,
        work: impl Fn(T) -> Result<R, CountError> + Sync,
        mut receive: impl FnMut(Option<R>) -> Result<(), CountError>,
    ) -> Result<(), CountError> {
        let Layers { threads, cancel, .. } = *self.layers;
        let child = cancel.child();
        let work = |task: T| Some(work(task));
        let receive = |result: Option<Result<R, _>>| receive(result.transpose()?);
        if threads.get() == 1 || positions < MIN_PARALLEL {
            pool::run_here(tasks, &child, work, receive)?;
        } else {
            pool::run(threads, tasks, &child, work, receive)?;
        }
        if cancel.is_cancelled() { Err(CountError::Cancelled(Divide::default())) } else { Ok(()) }
    }
}

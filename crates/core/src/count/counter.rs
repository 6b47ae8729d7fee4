//! The one way to count.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::growth::estimate;
use super::layers::{self, Layers, Leaf, Ranges};
use super::machine::{Machine, machine_options};
use super::split::{Frontier, RootMultiplicities};
use super::stats;
use super::walk::Walk;
use super::{Branch, CountError, Depth, Divide, Kernel, Merge, SliderChoice, Stats, Table, Usage};
use crate::board::Board;
use crate::sys::pool::{self, MAX_THREADS};
use crate::sys::{CancelToken, Cpu};
use crate::types::MoveList;

/// Tasks for each thread, where the tree has as many: the last ones to finish then take little of
/// the time.
const TASKS_PER_THREAD: usize = 100;

/// The tree is not split further than to tasks of this depth.
const MIN_TASK_DEPTH: Depth = 3;

/// Below this depth, starting threads takes longer than counting.
const MIN_PARALLEL_DEPTH: Depth = 4;

/// Layers are faster than no merging from this depth on: before, two lines to one position are rare.
const MIN_LAYERS_DEPTH: Depth = 5;

/// With more passes a table is faster. Each repeats the moves of the layer above the last one, for a
/// fiftieth of the whole time.
const MAX_PASSES: f64 = 16.0;

/// Statistics have this much memory in any case, if it is allowed.
const MIN_STATS_BYTES: usize = 1 << 20;

/// Counts leaves, with configurable threads, table and limits.
///
/// ```
/// use std::num::NonZero;
/// use std::sync::Arc;
///
/// use perft_core::{Board, Counter, Table};
///
/// let counter = Counter::new()
///     .threads(NonZero::new(2).expect("two is not zero"))
///     .table(Arc::new(Table::new(1 << 20)?));
/// assert_eq!(counter.count(&Board::startpos(), 5)?, 4_865_609);
/// let divide = counter.divide(&Board::startpos(), 3)?;
/// assert_eq!((divide.branches.len(), divide.nodes), (20, 8_902));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Counter {
    machine: Machine,
    table: Option<Arc<Table>>,
    merge: Merge,
    limit: Option<u128>,
    on_progress: Option<OnProgress>,
    /// Shared by clones.
    usage: Arc<Mutex<Usage>>,
}

type OnProgress = Arc<dyn Fn(&Progress) + Send + Sync>;

/// The progress of a count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// The finished share of the tree, by an estimate from two plies of each task.
    pub share: f64,
    /// The leaves counted so far.
    pub nodes: u128,
}

impl Progress {
    fn plus(self, other: Self) -> Self {
        let nodes = self.nodes.saturating_add(other.nodes);
        Self { share: self.share + other.share, nodes }
    }

    fn minus(self, other: Self) -> Self {
        let nodes = self.nodes.saturating_sub(other.nodes);
        Self { share: (self.share - other.share).max(0.0), nodes }
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, table, merge, limit, .. } = self;
        let mut debug = f.debug_struct("Counter");
        debug.field("machine", machine).field("table", table).field("merge", merge);
        debug.field("limit", limit).finish_non_exhaustive()
    }
}

impl Counter {
    /// One thread, no table, no memory, the fastest code for this machine.
    pub fn new() -> Self {
        Self {
            machine: Machine::new(0),
            table: None,
            merge: Merge::default(),
            limit: None,
            on_progress: None,
            usage: Arc::default(),
        }
    }

    machine_options!(threads, memory, backend, cancel);

    /// Sets a table of known counts, in place of one that each count makes for itself within its
    /// memory. Counters can share one.
    #[must_use]
    pub fn table(self, table: Arc<Table>) -> Self {
        Self { table: Some(table), ..self }
    }

    /// The table that was set.
    pub fn get_table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    /// The [memory](Self::memory) that pays for a count, at most half of the free memory. It is
    /// taken only as it is used.
    pub fn recommended_memory(board: &Board, depth: Depth) -> usize {
        Table::recommended_bytes(estimate(board, depth).max(1e9))
    }

    /// Sets the way to merge equal positions. Layers need [memory](Self::memory).
    #[must_use]
    pub fn merge(self, merge: Merge) -> Self {
        Self { merge, ..self }
    }

    /// The way to merge equal positions that was asked for.
    pub fn get_merge(&self) -> Merge {
        self.merge
    }

    /// Gives up counts soon after they exceed a limit, with [`CountError::LimitExceeded`]. A count
    /// of at most three plies, or one that the table has, is returned whatever the limit.
    #[must_use]
    pub fn limit(self, limit: u128) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Calls `f` about ten times a second with the progress. Counts of up to three plies do not call
    /// it; divides do.
    #[must_use]
    pub fn on_progress(self, f: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self { on_progress: Some(Arc::new(f)), ..self }
    }

    /// Sets the kernel.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.machine.backend.kernel = kernel;
        self
    }

    /// Sets the slider lookups.
    #[must_use]
    pub fn sliders(mut self, sliders: impl Into<SliderChoice>) -> Self {
        self.machine.backend.sliders = sliders.into();
        self
    }

    /// Sets the highest CPU level to use.
    #[must_use]
    pub fn cpu(mut self, cpu: Cpu) -> Self {
        self.machine.backend.cpu = cpu;
        self
    }

    /// The way and the memory of the last count of this counter or of a clone of it.
    pub fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_usage(&self, usage: Usage) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = usage;
    }

    /// The number of leaves.
    ///
    /// # Errors
    /// See [`CountError`].
    pub fn count(&self, board: &Board, depth: Depth) -> Result<u128, CountError> {
        if self.uses_layers(board, depth) {
            let counted = self.count_layers(board, depth, Ranges::all(), |now| now);
            if !self.can_do_without_layers(counted.as_ref().err()) {
                return counted;
            }
        }
        self.for_tree(board, depth).count_tree(board, depth)
    }

    /// The number of leaves behind each root move; at depth 0 there is none.
    ///
    /// # Errors
    /// See [`CountError`].
    pub fn divide(&self, board: &Board, depth: Depth) -> Result<Divide, CountError> {
        if self.uses_layers(board, depth) && depth >= layers::MIN_DIVIDE_DEPTH {
            let divide = self.divide_layers(board, depth);
            if !self.can_do_without_layers(divide.as_ref().err()) {
                return divide;
            }
        }
        self.for_tree(board, depth).divide_tree(board, depth)
    }

    /// The counter for the units that a count is cut into: they share a table, if there is one or if
    /// it pays.
    #[must_use]
    pub fn for_units(&self, board: &Board, depth: Depth) -> Self {
        self.for_tree(board, depth).memory(0).merge(Merge::Auto)
    }

    /// Whether a count is made by layers.
    pub(super) fn uses_layers(&self, board: &Board, depth: Depth) -> bool {
        let min_depth = match self.merge {
            Merge::Layers => layers::min_depth(Leaf::Nodes),
            Merge::Auto if self.table.is_none() && self.machine.memory > 0 => MIN_LAYERS_DEPTH,
            _ => return false,
        };
        depth >= min_depth && layers::are_available(&self.machine.backend, board)
    }

    /// Whether a count by layers failed and is made another way.
    fn can_do_without_layers(&self, error: Option<&CountError>) -> bool {
        match error {
            // A multiplicity of 64 bits overflowed; the count may fit.
            Some(CountError::Overflow) => true,
            Some(CountError::OutOfMemory) => self.merge == Merge::Auto,
            _ => false,
        }
    }

    /// The counter that walks the tree, with a table of its own if it needs one and if it pays.
    fn for_tree(&self, board: &Board, depth: Depth) -> Self {
        let (memory, by_layers) = (self.machine.memory, self.uses_layers(board, depth));
        let own_table = |bytes: usize| match bytes.min(memory) {
            0 => None,
            // Without a table the count is slower.
            bytes => Table::new(bytes).ok().map(Arc::new),
        };
        let table = match self.merge {
            Merge::None => None,
            Merge::Layers if !by_layers => None,
            _ if self.table.is_some() || memory == 0 => self.table.clone(),
            Merge::Auto if !by_layers => own_table(Table::worthwhile_bytes_for(board, depth)),
            _ => own_table(Table::max_bytes_for(board, depth)),
        };
        Self { table, ..self.clone() }
    }

    /// Counts by layers. `whole` turns the progress of this count into that of the whole.
    pub(super) fn count_layers(
        &self,
        board: &Board,
        depth: Depth,
        ranges: Ranges<'_>,
        whole: impl FnMut(Progress) -> Progress,
    ) -> Result<u128, CountError> {
        self.on_layers(Leaf::Nodes, board, depth, whole, |layers| layers.count(ranges))
    }

    /// Divides by layers.
    fn divide_layers(&self, board: &Board, depth: Depth) -> Result<Divide, CountError> {
        let moves = sorted_moves(board);
        let divide = |layers: Layers<'_>| layers.divide(&moves);
        let leaves = self.on_layers(Leaf::Nodes, board, depth, |now| now, divide)?;
        let branches = moves.iter().zip(leaves);
        let branches = branches.map(|(&mv, nodes)| Branch { mv, nodes: nodes.into() });
        let branches: Vec<Branch> = branches.collect();
        let nodes = branches.iter().map(|branch| branch.nodes).sum();
        Ok(Divide { branches, nodes })
    }

    /// Does work by layers. `whole` turns its progress into that of the whole.
    fn on_layers<R>(
        &self,
        leaf: Leaf,
        board: &Board,
        depth: Depth,
        mut whole: impl FnMut(Progress) -> Progress,
        work: impl FnOnce(Layers<'_>) -> Result<(R, usize), CountError>,
    ) -> Result<R, CountError> {
        // A table has no kinds of leaves, and walking the tree without one takes longer.
        let has_other_way = self.merge == Merge::Auto && leaf == Leaf::Nodes;
        let max_passes = if has_other_way { MAX_PASSES } else { f64::INFINITY };
        let mut machine = self.machine.clone();
        if leaf == Leaf::Moves {
            // Small units of a plan take longer with many parts.
            let bytes = MIN_STATS_BYTES.saturating_add(layers::max_bytes(board, depth - 2));
            machine.memory = machine.memory.min(bytes);
        }
        self.set_usage(Usage { merge: Merge::Layers, ..Usage::default() });
        let on_progress = &mut |share, nodes| {
            let progress = whole(Progress { share, nodes });
            self.report(&progress);
            self.check_limit(progress.nodes)
        };
        let machine = &machine;
        let (result, bytes) =
            work(Layers { machine, board, depth, leaf, max_passes, on_progress })?;
        self.set_usage(Usage { merge: Merge::Layers, bytes, ..Usage::default() });
        Ok(result)
    }

    /// Counts by walking the tree.
    fn count_tree(&self, board: &Board, depth: Depth) -> Result<u128, CountError> {
        let is_split = self.machine.threads.get() > 1 || self.on_progress.is_some();
        if is_split && depth >= MIN_PARALLEL_DEPTH {
            return self.divide_tree(board, depth).map(|divide| divide.nodes);
        }
        let nodes = self.walk(&self.machine.cancel).count(board, depth);
        self.set_usage_of_table();
        let nodes = nodes?;
        nodes.ok_or_else(|| CountError::Cancelled(Divide::default()))
    }

    fn set_usage_of_table(&self) {
        self.set_usage(match self.table.as_deref() {
            None => Usage { merge: Merge::None, ..Usage::default() },
            Some(table) => Usage {
                merge: Merge::Table,
                bytes: table.bytes(),
                hits: table.hits(),
                fill: table.fill(),
            },
        });
    }

    /// Divides by walking the tree.
    fn divide_tree(&self, board: &Board, depth: Depth) -> Result<Divide, CountError> {
        let Some(rest) = depth.checked_sub(1) else {
            return Ok(Divide { branches: Vec::new(), nodes: 1 });
        };
        let branches = sorted_moves(board).into_iter().map(|mv| Branch { mv, nodes: 0 });
        let mut branches: Vec<Branch> = branches.collect();
        // For each root move, the number of unfinished tasks.
        let mut pending = vec![1_usize; branches.len()];
        if depth < MIN_PARALLEL_DEPTH {
            let walk = self.walk(&self.machine.cancel);
            for (branch, pending) in branches.iter_mut().zip(&mut pending) {
                let mut child = *board;
                child.make(branch.mv);
                if let Some(nodes) = walk.count(&child, rest)? {
                    (branch.nodes, *pending) = (nodes, 0);
                }
            }
        } else {
            self.divide_on_threads(board, rest, &mut branches, &mut pending)
                .inspect_err(|_| self.set_usage_of_table())?;
        }
        self.set_usage_of_table();
        let is_complete = pending.iter().all(|&tasks| tasks == 0);
        let mut finished = pending.iter().map(|&tasks| tasks == 0);
        branches.retain(|_| finished.next().unwrap_or_default());
        let sum = branches.iter().try_fold(0, |sum: u128, branch| sum.checked_add(branch.nodes));
        let divide = Divide { branches, nodes: sum.ok_or(CountError::Overflow)? };
        if is_complete { Ok(divide) } else { Err(CountError::Cancelled(divide)) }
    }

    /// Moves of each kind at each depth from 1 to `depth`. Equal positions are merged as layers if
    /// there is [memory](Self::memory), unless the way to merge is [`Merge::None`]. The limit is for
    /// the moves of all depths.
    ///
    /// ```
    /// use perft_core::{Board, Counter};
    ///
    /// let rows = Counter::new().memory(1 << 24).stats(&Board::startpos(), 4)?;
    /// assert_eq!((rows[3].nodes, rows[3].checks, rows[3].checkmates), (197_281, 469, 8));
    /// # Ok::<(), perft_core::CountError>(())
    /// ```
    ///
    /// # Errors
    /// See [`CountError`].
    pub fn stats(&self, board: &Board, depth: Depth) -> Result<Vec<Stats>, CountError> {
        let enough = self.enough_tasks();
        if !self.merges_stats(board, depth) {
            return self.stats_of_tree(board, depth, enough);
        }
        let mut rows = Vec::new();
        match self.stats_of_layers(board, depth, &mut rows) {
            Ok(()) => return Ok(rows),
            Err(CountError::Cancelled(_)) => return Err(CountError::CancelledStats(rows)),
            Err(error) if error != CountError::Overflow && error != CountError::OutOfMemory => {
                return Err(error);
            }
            // A multiplicity of 64 bits overflowed: there are few positions, and many lines to each.
            Err(CountError::Overflow) => self.stats_of_tree(board, depth, usize::MAX),
            Err(_) => self.stats_of_tree(board, depth, enough),
        }
        .map_err(|error| match error {
            CountError::CancelledStats(other) if other.len() < rows.len() => {
                CountError::CancelledStats(rows)
            }
            error => error,
        })
    }

    /// Moves of each kind at one depth, as the last row of [`Self::stats`].
    ///
    /// # Errors
    /// See [`CountError`].
    pub fn stats_at(&self, board: &Board, depth: Depth) -> Result<Stats, CountError> {
        let mut enough = self.enough_tasks();
        if self.merges_stats(board, depth) {
            match self.on_layers(Leaf::Moves, board, depth, |now| now, |layers| layers.stats()) {
                Err(CountError::Overflow) => enough = usize::MAX,
                Err(CountError::OutOfMemory) => {}
                leaves => return leaves,
            }
        }
        let rows = self.stats_of_tree(board, depth, enough)?;
        // Depth 0 has one leaf, and no move leads to it.
        Ok(rows.last().copied().unwrap_or(Stats { nodes: 1, ..Stats::default() }))
    }

    /// Whether kinds of moves are counted by layers.
    fn merges_stats(&self, board: &Board, depth: Depth) -> bool {
        let may_merge = self.machine.memory > 0 && self.merge != Merge::None;
        may_merge
            && depth >= layers::min_depth(Leaf::Moves)
            && layers::are_available(&self.machine.backend, board)
    }

    /// The positions of the first plies that keep all threads busy.
    fn enough_tasks(&self) -> usize {
        TASKS_PER_THREAD * self.machine.threads.get().min(MAX_THREADS)
    }

    /// Counts kinds of moves by walking the tree, below `enough` positions of the first plies.
    fn stats_of_tree(
        &self,
        board: &Board,
        depth: Depth,
        enough: usize,
    ) -> Result<Vec<Stats>, CountError> {
        self.set_usage(Usage { merge: Merge::None, ..Usage::default() });
        stats::stats(&self.machine, board, depth, enough, |share, nodes| {
            self.report(&Progress { share, nodes });
            self.check_limit(nodes)
        })
    }

    /// Adds a row of kinds of moves for each depth, each by layers of its own: all rows before the
    /// last take a tenth of the time.
    fn stats_of_layers(
        &self,
        board: &Board,
        depth: Depth,
        rows: &mut Vec<Stats>,
    ) -> Result<(), CountError> {
        /// The time of a depth, in times of the one before.
        const GROWTH: f64 = 10.0;
        *rows = self.stats_of_tree(board, layers::min_depth(Leaf::Moves) - 1, 1)?;
        let mut before = rows.iter().map(|row| row.nodes).sum::<u128>();
        for depth_of_row in layers::min_depth(Leaf::Moves)..=depth {
            // The shares of the depths up to this one, and up to the one before.
            let end = GROWTH.powi(i32::from(depth_of_row) - i32::from(depth));
            let start = end / GROWTH;
            let whole = |now: Progress| {
                let share = start + (end - start) * now.share;
                Progress { share, nodes: before.saturating_add(now.nodes) }
            };
            let stats = |layers: Layers<'_>| layers.stats();
            let row = self.on_layers(Leaf::Moves, board, depth_of_row, whole, stats)?;
            before = before.saturating_add(row.nodes);
            rows.push(row);
        }
        Ok(())
    }

    /// Whether a number of leaves is within the limit.
    fn check_limit(&self, nodes: u128) -> Result<(), CountError> {
        match self.limit.filter(|&limit| nodes > limit) {
            Some(limit) => Err(CountError::LimitExceeded(limit)),
            None => Ok(()),
        }
    }

    fn report(&self, progress: &Progress) {
        if let Some(on_progress) = &self.on_progress {
            on_progress(progress);
        }
    }

    fn walk<'a>(&'a self, cancel: &'a CancelToken) -> Walk<'a> {
        Walk::new(self.machine.backend, self.table.as_deref(), cancel, self.limit)
    }

    /// Splits the tree into tasks and counts them. `pending` ends as the number of tasks of each
    /// root move that were cancelled.
    fn divide_on_threads(
        &self,
        board: &Board,
        rest: Depth,
        branches: &mut [Branch],
        pending: &mut [usize],
    ) -> Result<(), CountError> {
        let (tasks, rest) = self.split(board, branches, rest)?;
        pending.fill(0);
        for &(root, _) in tasks.iter().flat_map(|task| &task.multiplicities.0) {
            pending[root] += 1;
        }
        let whole: f64 = tasks.iter().map(|task| task.weight).sum();
        let cancel = self.machine.cancel.child();
        // The progress of unfinished tasks, which take hours in deep counts.
        let parts = Mutex::new(Progress::default());
        let parts = || parts.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |(index, task): (usize, &Task)| {
            let own = Cell::new(Progress::default());
            let on_part = |share: f64, nodes: u128| {
                let part = Progress {
                    share: share * task.weight / whole,
                    nodes: nodes.saturating_mul(task.multiplicity()),
                };
                own.set(own.get().plus(part));
                let mut parts = parts();
                *parts = parts.plus(part);
            };
            let on_part = self.on_progress.is_some().then_some(&on_part as &dyn Fn(f64, u128));
            let walk = self.walk(&cancel).on_part(on_part);
            let nodes = walk.count(&task.board, rest).transpose();
            nodes.map(|nodes| (index, own.get(), nodes))
        };
        let [mut progress, mut shown] = [Progress::default(); 2];
        pool::run(self.machine.threads, tasks.iter().enumerate(), &cancel, work, |result| {
            if let Some((index, own, nodes)) = result {
                let (task, nodes): (&Task, u128) = (&tasks[index], nodes?);
                {
                    let mut parts = parts();
                    *parts = parts.minus(own);
                }
                for &(root, multiplicity) in &task.multiplicities.0 {
                    let nodes = nodes.checked_mul(multiplicity).ok_or(CountError::Overflow)?;
                    let add = |sum: u128| sum.checked_add(nodes).ok_or(CountError::Overflow);
                    branches[root].nodes = add(branches[root].nodes)?;
                    progress.nodes = add(progress.nodes)?;
                    pending[root] -= 1;
                }
                progress.share += task.weight / whole;
                self.check_limit(progress.nodes)?;
            }
            let now = progress.plus(*parts());
            // Shares are rounded, and never seem to go back.
            shown.share = shown.share.max(now.share.min(1.0));
            shown.nodes = shown.nodes.max(now.nodes);
            self.report(&shown);
            Ok(())
        })
    }

    /// Plays out the first plies until there are enough positions. Returns them with the depth that
    /// is left.
    fn split(
        &self,
        board: &Board,
        roots: &[Branch],
        mut rest: Depth,
    ) -> Result<(Vec<Task>, Depth), CountError> {
        let mut layer = Frontier::new(board.castling_mode());
        for (root, branch) in roots.iter().enumerate() {
            let mut child = *board;
            child.make(branch.mv);
            layer.add(&child, &RootMultiplicities(vec![(root, 1)]))?;
        }
        let enough = self.enough_tasks();
        while layer.len() < enough && rest > MIN_TASK_DEPTH && layer.len() > 0 {
            layer = layer.next_ply(|_, _, _| Ok(()), |_| {})?;
            rest -= 1;
        }
        let two_plies = Counter::new().backend(self.machine.backend);
        let tasks = layer.into_sorted().into_iter().map(|(position, multiplicities)| {
            let board = position.unpack(board.castling_mode());
            let multiplicity: f64 = multiplicities.0.iter().map(|&(_, times)| times as f64).sum();
            let leaves = two_plies.count(&board, rest.min(2)).unwrap_or_default();
            // Positions without moves weigh a little, so that the shares add up to the whole.
            let weight = multiplicity * (leaves as f64 + 1e-3);
            Task { board, multiplicities, weight }
        });
        Ok((tasks.collect(), rest))
    }
}

/// The number of leaves, counted with one thread and without a table.
///
/// ```
/// use perft_core::{Board, perft};
///
/// let board = Board::startpos();
/// assert_eq!(perft(&board, 4)?, 197_281);
/// assert_eq!(perft(&board, 0)?, 1);
/// # Ok::<(), perft_core::CountError>(())
/// ```
///
/// # Errors
/// If the total does not fit into 128 bits.
pub fn perft(board: &Board, depth: Depth) -> Result<u128, CountError> {
    Counter::new().count(board, depth)
}

/// The legal moves, sorted by their UCI notation.
fn sorted_moves(board: &Board) -> MoveList {
    let mut moves = board.legal_moves();
    moves.sort_by_cached_key(|&mv| board.uci(mv));
    moves
}

/// A position of the split.
struct Task {
    board: Board,
    multiplicities: RootMultiplicities,
    /// An estimate of its share of the tree.
    weight: f64,
}

impl Task {
    /// The number of lines that lead to it.
    fn multiplicity(&self) -> u128 {
        self.multiplicities.0.iter().fold(0, |sum, &(_, times)| sum.saturating_add(times))
    }
}

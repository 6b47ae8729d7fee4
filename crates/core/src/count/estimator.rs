//! Estimates of counts that are too deep to make.
//!
//! The distinct positions of the first plies are known with their multiplicities. A sample is a
//! random path from one of them: each position on it is chosen by the number of its leaves
//! [`LOOKAHEAD`] plies on, which is counted, and the last plies are counted exactly. The leaves at the
//! end, divided by the probability of the path, are an unbiased estimate of the whole count: what is
//! more likely to be chosen weighs less.
//!
//! A batch of samples starts at one position of each of [`BATCH`] strata, which have equal weights and
//! hold similar positions, so that no batch has too many of one kind. Batches are independent, and
//! their spread gives the confidence interval.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;

use super::growth::estimate as rough_estimate;
use super::machine::{Machine, machine_options};
use super::split::Frontier;
use super::walk::Walk;
use super::{CountError, Depth};
use crate::board::{Board, PackedBoard};
use crate::random::Rng;
use crate::sys::CancelToken;
use crate::sys::pool;
use crate::types::{CastlingMode, MAX_MOVES};

/// The plies to the leaves by which positions are chosen. For start 12, paths from one position spread
/// by 46 % with one ply, 22 % with two and 22 % with three, and take 20 µs, 51 µs and 645 µs.
const LOOKAHEAD: Depth = 2;

/// The samples of a batch.
const BATCH: u64 = 64;

/// Fewer batches do not tell how far their mean is off.
const MIN_BATCHES: u64 = 20;

/// The moves of the first plies that are played out: a second or two.
const FIRST_MOVES: usize = 2_000_000;

/// Rough estimates end here.
const MAX_NODES: f64 = 1e300;

/// The time between reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The reason why there is no estimate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// The count does not fit into a floating-point number.
    #[error("the count may exceed 10^300")]
    TooLarge,
    /// It was cancelled before there were enough samples.
    #[error("interrupted")]
    Cancelled,
    /// The first plies cannot be counted.
    #[error(transparent)]
    Count(#[from] CountError),
}

/// An estimate of a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the samples.
    pub nodes: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
    /// The distance from the mean to the ends of the 95 % confidence interval; 0 if the count is
    /// exact.
    pub half_width: f64,
    /// The number of samples; none if the count is exact.
    pub samples: u64,
}

impl Estimate {
    /// The ends of the 95 % confidence interval.
    pub fn interval(&self) -> [f64; 2] {
        [(self.nodes - self.half_width).max(0.0), self.nodes + self.half_width]
    }

    /// Of the numbers and means of batches.
    fn of_batches(means: &[(u64, f64)]) -> Self {
        let batches = means.len() as f64;
        let nodes = means.iter().map(|(_, mean)| mean).sum::<f64>() / batches;
        let squares = means.iter().map(|(_, mean)| (mean - nodes).powi(2)).sum::<f64>();
        let standard_error = (squares / (batches - 1.0) / batches).sqrt();
        let half_width = student_t(batches - 1.0) * standard_error;
        Self { nodes, standard_error, half_width, samples: means.len() as u64 * BATCH }
    }
}

/// The 97.5 % quantile of Student's distribution, by the expansion of Cornish and Fisher. It is off by
/// less than 1e-4 with [`MIN_BATCHES`] and more.
fn student_t(freedom: f64) -> f64 {
    const Z: f64 = 1.959_963_984_540_054;
    let (z3, z5, z7) = (Z.powi(3), Z.powi(5), Z.powi(7));
    Z + (z3 + Z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / (384.0 * freedom.powi(3))
}

/// The end of the samples.
#[derive(Clone, Copy, Debug)]
enum Stop {
    AfterBatches(u64),
    AfterTime(Duration),
}

/// Estimates counts from random samples.
///
/// ```
/// use perft_core::{Board, Estimator};
///
/// let estimate = Estimator::new().samples(5_000).estimate(&Board::startpos(), 9)?;
/// assert!((estimate.nodes / 2_439_530_234_167.0 - 1.0).abs() < 0.1, "{estimate:?}");
/// # Ok::<(), perft_core::EstimateError>(())
/// ```
#[derive(Clone)]
pub struct Estimator {
    machine: Machine,
    seed: u64,
    stop: Stop,
    /// The first plies are played out as far as they have no more moves than this.
    first_moves: usize,
    on_progress: Option<OnProgress>,
}

type OnProgress = Arc<dyn Fn(&Estimate) + Send + Sync>;

impl Default for Estimator {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Estimator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { machine, seed, stop, .. } = self;
        let mut debug = f.debug_struct("Estimator");
        debug
            .field("machine", machine)
            .field("seed", seed)
            .field("stop", stop)
            .finish_non_exhaustive()
    }
}

impl Estimator {
    /// One thread, the fewest samples that give an interval, seed 1.
    pub fn new() -> Self {
        Self {
            machine: Machine::new(0),
            seed: 1,
            stop: Stop::AfterBatches(MIN_BATCHES),
            first_moves: FIRST_MOVES,
            on_progress: None,
        }
    }

    machine_options!(threads, backend, cancel);

    /// Sets the seed. The same seed and number of samples give the same estimate on every machine.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Ends after a number of samples, rounded up to whole batches.
    #[must_use]
    pub fn samples(self, samples: u64) -> Self {
        let batches = samples.div_ceil(BATCH).max(MIN_BATCHES);
        Self { stop: Stop::AfterBatches(batches), ..self }
    }

    /// Ends with the batches that are begun within a time, or with the fewest that give an interval.
    #[must_use]
    pub fn time(self, time: Duration) -> Self {
        Self { stop: Stop::AfterTime(time), ..self }
    }

    /// Calls `f` about ten times a second with the estimate so far, once there is one.
    #[must_use]
    pub fn on_progress(self, f: impl Fn(&Estimate) + Send + Sync + 'static) -> Self {
        Self { on_progress: Some(Arc::new(f)), ..self }
    }

    /// An estimate of the number of leaves, which is unbiased for a given number of samples. Trees
    /// of few plies are counted exactly. If it is cancelled, it is made from the samples that there are.
    ///
    /// # Errors
    /// See [`EstimateError`].
    pub fn estimate(&self, board: &Board, depth: Depth) -> Result<Estimate, EstimateError> {
        let start = Instant::now();
        if rough_estimate(board, depth) >= MAX_NODES {
            return Err(EstimateError::TooLarge);
        }
        // Batches that are begun are finished, so that those of a time are the first ones.
        let finish = CancelToken::new();
        let walk = || Walk::new(self.machine.backend, None, &finish, None);
        let strata = Strata::new(board, depth, self.first_moves, &walk())?;
        if strata.rest == LOOKAHEAD.min(depth) || strata.total == 0.0 {
            let nodes = strata.total;
            return Ok(Estimate { nodes, standard_error: 0.0, half_width: 0.0, samples: 0 });
        }
        let batches = (0..).take_while(|&batch| match self.stop {
            Stop::AfterBatches(batches) => batch < batches,
            Stop::AfterTime(time) => batch < MIN_BATCHES || start.elapsed() < time,
        });
        let work = |batch| Some((batch, strata.batch(self.seed, batch, &walk())?));
        let mut means = Vec::new();
        let mut due = Instant::now();
        pool::run(self.machine.threads, batches, &self.machine.cancel.child(), work, |result| {
            means.extend(result);
            if means.len() as u64 >= MIN_BATCHES && due <= Instant::now() {
                due = Instant::now() + REPORT_INTERVAL;
                if let Some(on_progress) = &self.on_progress {
                    on_progress(&Estimate::of_batches(&means));
                }
            }
            Ok::<(), EstimateError>(())
        })?;
        if (means.len() as u64) < MIN_BATCHES {
            return Err(EstimateError::Cancelled);
        }
        // Sums of floating-point numbers depend on their order.
        means.sort_unstable_by_key(|&(batch, _)| batch);
        let estimate = Estimate::of_batches(&means);
        if estimate.half_width.is_finite() { Ok(estimate) } else { Err(EstimateError::TooLarge) }
    }
}

/// The positions of the first plies, in which paths start.
struct Strata {
    /// Sorted by their leaves: samples of start 12 spread by 48 % in any order, by 36 % if sorted by
    /// their pieces, and by 25 % so.
    positions: Vec<Start>,
    /// The sum of all weights.
    total: f64,
    /// The plies from the positions to the leaves.
    rest: Depth,
    mode: CastlingMode,
}

struct Start {
    position: PackedBoard,
    /// The leaves [`LOOKAHEAD`] plies on.
    leaves: f64,
    /// The weights of the positions up to this one: leaves times multiplicity.
    end: f64,
}

impl Strata {
    fn new(
        board: &Board,
        depth: Depth,
        first_moves: usize,
        walk: &Walk<'_>,
    ) -> Result<Self, CountError> {
        let mode = board.castling_mode();
        let mut layer = Frontier::<f64>::new(mode);
        layer.add(board, &1.0)?;
        let mut rest = depth;
        while rest > LOOKAHEAD && layer.len() > 0 && layer.count_moves() <= first_moves {
            layer = layer.next_ply(|_, _, _| Ok(()), |_| {})?;
            rest -= 1;
        }
        let mut positions = Vec::with_capacity(layer.len());
        for (position, multiplicity) in layer.into_sorted() {
            let leaves = walk.count(&position.unpack(mode), rest.min(LOOKAHEAD))?;
            let leaves = leaves.unwrap_or_default() as f64;
            positions.push(Start { position, leaves, end: leaves * multiplicity });
        }
        positions.sort_by(|a, b| a.leaves.total_cmp(&b.leaves));
        let mut total = 0.0;
        for start in &mut positions {
            total += start.end;
            start.end = total;
        }
        Ok(Self { positions, total, rest, mode })
    }

    /// The mean of a batch; `None` if the walk is cancelled.
    fn batch(&self, seed: u64, batch: u64, walk: &Walk<'_>) -> Option<f64> {
        let mut rng = Rng::new(Rng::new(seed).next_u64() ^ Rng::new(batch).next_u64());
        let mut sum = 0.0;
        for stratum in 0..BATCH {
            let place = (stratum as f64 + unit(&mut rng)) / BATCH as f64 * self.total;
            let start = self.positions.partition_point(|start| start.end <= place);
            let start = self.positions.get(start).or(self.positions.last())?;
            sum += self.sample(start, &mut rng, walk)?;
        }
        Some(sum / BATCH as f64)
    }

    /// A random path from a position: an estimate of the whole count.
    fn sample(&self, start: &Start, rng: &mut Rng, walk: &Walk<'_>) -> Option<f64> {
        let (mut board, mut leaves) = (start.position.unpack(self.mode), start.leaves);
        // The estimate for the ply that is [`LOOKAHEAD`] plies on.
        let mut nodes = self.total;
        for rest in (LOOKAHEAD + 1..=self.rest).rev() {
            let moves = board.legal_moves();
            let mut ends: ArrayVec<f64, MAX_MOVES> = ArrayVec::new();
            let mut sum = 0.0;
            for &mv in &moves {
                let mut child = board;
                child.make(mv);
                sum += walk.count(&child, LOOKAHEAD).ok()?? as f64;
                ends.push(sum);
            }
            nodes *= sum / leaves;
            if rest == LOOKAHEAD + 1 || sum == 0.0 {
                break;
            }
            let place = unit(rng) * sum;
            let index = ends.partition_point(|&end| end <= place).min(ends.len() - 1);
            leaves = ends[index] - if index > 0 { ends[index - 1] } else { 0.0 };
            board.make(moves[index]);
        }
        Some(nodes)
    }
}

/// A number from 0 to 1, without 1.
fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::count::tests::{perft_memo, two_kings};
    use crate::positions;

    /// An estimator that plays out few plies.
    fn estimator() -> Estimator {
        Estimator { first_moves: 100, ..Estimator::new() }
    }

    fn position3() -> Board {
        positions::by_name("position3").expect("it has a name")
    }

    #[test]
    fn nineteen_of_twenty_intervals_cover_the_count() {
        const SEEDS: u64 = 200;
        const NODES: f64 = 11_030_083.0;
        let (mut covered, mut sum, mut variance) = (0, 0.0, 0.0);
        for seed in 0..SEEDS {
            let estimate = estimator().seed(seed).estimate(&position3(), 6).expect("an estimate");
            let [low, high] = estimate.interval();
            covered += u32::from((low..=high).contains(&NODES));
            sum += estimate.nodes;
            variance += estimate.standard_error * estimate.standard_error;
            assert!((1e-4..0.1).contains(&(estimate.half_width / NODES)), "{estimate:?}");
        }
        assert!((180..=198).contains(&covered), "{covered}");
        // Nor do all estimates together lean to one side.
        let (mean, error) = (sum / SEEDS as f64, variance.sqrt() / SEEDS as f64);
        assert!((mean - NODES).abs() < 3.5 * error, "{mean} {error}");
    }

    #[test]
    fn an_estimate_is_repeated_by_its_seed_and_samples() {
        let timed = estimator().time(Duration::from_millis(30)).seed(5);
        let first = timed.estimate(&position3(), 8).expect("an estimate");
        assert!(first.samples >= MIN_BATCHES * BATCH && first.samples.is_multiple_of(BATCH));
        for threads in [1, 3] {
            let threads = NonZero::new(threads).expect("it is not zero");
            let again = estimator().seed(5).samples(first.samples).threads(threads);
            assert_eq!(again.estimate(&position3(), 8), Ok(first));
            let other = again.seed(6).estimate(&position3(), 8).expect("an estimate");
            assert!(other.nodes != first.nodes && other.samples == first.samples);
        }
    }

    #[test]
    fn small_trees_are_counted() {
        let exact = |board: &Board, depth| {
            let estimate = Estimator::new().estimate(board, depth).expect("an estimate");
            assert_eq!((estimate.half_width, estimate.samples), (0.0, 0), "{board} {depth}");
            estimate.nodes
        };
        for depth in 0..=4 {
            let nodes = crate::perft(&position3(), depth).expect("it fits");
            assert_eq!(exact(&position3(), depth), nodes as f64, "{depth}");
        }
        let mated: Board = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().expect("a legal position");
        assert_eq!((exact(&mated, 0), exact(&mated, 1), exact(&mated, 9)), (1.0, 0.0, 0.0));
        // More lines than 64 bits hold, to few positions.
        let nodes = perft_memo(&two_kings(), 38).expect("it fits") as f64;
        assert!((exact(&two_kings(), 38) / nodes - 1.0).abs() < 1e-12);
        assert!(exact(&two_kings(), 200) > 1e100);
    }

    #[test]
    fn what_cannot_be_estimated_is_refused() {
        let kiwipete = positions::by_name("kiwipete").expect("it has a name");
        assert_eq!(estimator().estimate(&kiwipete, 255), Err(EstimateError::TooLarge));
        let cancelled = estimator();
        cancelled.cancel_token().cancel();
        assert_eq!(cancelled.estimate(&kiwipete, 8), Err(EstimateError::Cancelled));
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, t) in [(19.0, 2.093_02), (30.0, 2.042_27), (1e9, 1.959_96)] {
            assert!((student_t(freedom) - t).abs() < 1e-4, "{freedom}");
        }
    }
}

//! Testing a generator: suites, random positions and single positions, one stage after the other.
//!
//! Each step is small: a stage compares positions; one that differs is followed down to the
//! [`Mismatch`] ([`Finder::find`]), made smaller ([`Finder::shrink`]) and explained
//! ([`Finder::explain`]). [`Event`]s report all of it as it happens, a [`SessionResult`] at the end.
//! One cancel token and one deadline end everything.

use std::time::{Duration, Instant};

use super::{Bug, CompareError, Coverage, Diff, Finder, Hunt, Mismatch, Verdict};
use crate::suite::{Entry, Options, Suite};
use crate::uci::{Divider, Query};
use perft_core::types::CastlingMode;
use perft_core::{CountError, Counter, Depth, estimate};

/// The built-in suites of [`Session::everything`] in their order, the one that finds most bugs first.
const SUITES: [&str; 3] = ["tricky.epd", "standard.epd", "chess960.epd"];

/// The least time for each step after a position that differs: following it down, making it smaller,
/// explaining it.
const MIN_STEP_TIME: Duration = Duration::from_secs(30);

/// Options of a [`Session`].
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The time for all stages. Each step of the work on a mismatch may go on for half a minute
    /// after it.
    pub time: Option<Duration>,
    /// Expected counts of suites above this are skipped.
    pub max_nodes: u128,
    /// Whether positions of Chess960 are compared even if the divider [does not know
    /// it](Divider::lacks_chess960).
    pub chess960: bool,
    /// Whether to go on after the first mismatch, for one of each cause.
    pub keep_going: bool,
    /// The work on a position that differs.
    pub effort: Effort,
}

impl Default for SessionOptions {
    /// All steps of the first mismatch, without a deadline; counts of suites up to 100,000.
    fn default() -> Self {
        Self {
            time: None,
            max_nodes: 100_000,
            chess960: false,
            keep_going: false,
            effort: Effort::Shrink,
        }
    }
}

/// The work on a position that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// It is reported, and the next position compared.
    Report,
    /// The mismatch is found and explained.
    Explain,
    /// The mismatch is found, made smaller, and explained.
    Shrink,
}

/// Something that happens in a session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The next position of a stage is compared.
    Position {
        /// The stage so far.
        stage: &'a Stage,
        /// The number of the position, from 1.
        number: u64,
        /// The number of positions, if there is an end.
        all: Option<usize>,
    },
    /// A single position is equal at this depth.
    Equal {
        /// The depth.
        depth: Depth,
        /// The count.
        nodes: u128,
    },
    /// A position of a suite differs.
    Different {
        /// The position.
        entry: &'a Entry,
        /// The depth, the greatest of the entry within the limit.
        depth: Depth,
        /// The difference.
        diff: &'a Diff,
    },
    /// A mismatch is found, and made smaller.
    Shrinking(&'a Mismatch),
    /// A mismatch is explained.
    Explaining(&'a Mismatch),
    /// A mismatch is explained, and its cause was not found before.
    Bug(&'a Bug),
    /// A stage has ended.
    Stage(&'a Stage),
}

/// The comparisons of a stage in numbers.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Stage {
    /// The name of the suite, or of the kind of stage.
    pub name: String,
    /// Positions that were compared.
    pub positions: u64,
    /// Positions that were skipped.
    pub skipped: usize,
    /// Positions that were not reached.
    pub unfinished: usize,
    /// Positions whose divides differ.
    pub wrong: usize,
    /// The least depth that was compared.
    pub min_depth: Option<Depth>,
    /// The greatest depth that was compared; for a single position, the greatest that is equal.
    pub max_depth: Option<Depth>,
    /// The sum of our counts; for a single position, the last.
    pub nodes: u128,
    /// The time of the stage.
    pub seconds: f64,
    /// The leaves that the divider counted a second.
    pub nps: Option<u64>,
    /// The reason why positions were skipped, if it is not the size of their counts.
    pub skip_reason: Option<String>,
    /// The rules that a hunt covered.
    pub coverage: Option<Coverage>,
    /// The error that ended the stage.
    pub error: Option<String>,
}

impl Stage {
    fn add(&mut self, depth: Depth, nodes: u128) {
        self.positions += 1;
        self.nodes = self.nodes.saturating_add(nodes);
        self.add_depth(depth);
    }

    fn add_depth(&mut self, depth: Depth) {
        self.min_depth = Some(self.min_depth.map_or(depth, |least| least.min(depth)));
        self.max_depth = Some(self.max_depth.map_or(depth, |greatest| greatest.max(depth)));
    }
}

/// A count of a suite that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{suite}:{line}: depth {depth} has more than {limit} leaves, not {expected}")]
pub struct ImpossibleCount {
    /// The name of the suite.
    pub suite: String,
    /// The line of the position, from 1.
    pub line: usize,
    /// The depth.
    pub depth: Depth,
    /// The count of the suite.
    pub expected: u128,
    /// A limit that the count passes.
    pub limit: u128,
}

/// The result of a [`Session`].
#[derive(Clone, Debug)]
pub struct SessionResult<E> {
    /// What was tried.
    pub stages: Vec<Stage>,
    /// The first mismatch, or one for each cause.
    pub bugs: Vec<Bug>,
    /// Counts of suites that cannot be right. Their positions are skipped.
    pub impossible: Vec<ImpossibleCount>,
    /// The error that ended the session.
    pub error: Option<CompareError<E>>,
    /// Whether the session was cancelled.
    pub cancelled: bool,
    /// Whether the time was up before all was compared that was asked for.
    pub out_of_time: bool,
    /// The time of the session.
    pub time: Duration,
}

impl<E> SessionResult<E> {
    /// Whether the divider is right about all positions. `None` if it is right about those that
    /// were compared before the session ended early.
    pub fn is_equal(&self) -> Option<bool> {
        let is_wrong = self.stages.iter().any(|stage| stage.wrong > 0);
        let is_whole = self.error.is_none() && !self.cancelled && !self.out_of_time;
        (is_wrong || is_whole).then_some(!is_wrong)
    }

    /// The number of positions that were compared.
    pub fn positions(&self) -> u64 {
        self.stages.iter().map(|stage| stage.positions).sum()
    }
}

type Ended<E> = Result<(), CompareError<E>>;

/// Tests a divider.
///
/// ```
/// use perft_compare::{Session, SessionOptions};
/// use perft_core::{Board, CastlingMode, Counter, Position};
/// # use perft_compare::uci::{DivideOutput, Divider, Query};
/// #
/// # struct MyGenerator;
/// #
/// # impl Divider for MyGenerator {
/// #     type Error = std::convert::Infallible;
/// #
/// #     fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
/// #         let mut game = perft_compare::rules::Game::new(query.root.board(), Some(perft_compare::rules::Rule::Promotion));
/// #         for &mv in query.line {
/// #             game = game.after(mv);
/// #         }
/// #         let moves = game.divide(query.depth).into_iter();
/// #         Ok(DivideOutput::new(moves.map(|(text, nodes)| (text, nodes.into()))))
/// #     }
/// # }
///
/// let mut session = Session::new(MyGenerator, Counter::new(), SessionOptions::default());
/// session.hunt(7, CastlingMode::Standard);
/// let result = session.finish();
/// assert_eq!(result.is_equal(), Some(false));
/// assert_eq!(result.bugs[0].title(), "promotion");
/// ```
pub struct Session<'a, D: Divider> {
    finder: Finder<D>,
    options: SessionOptions,
    on_event: Box<dyn FnMut(Event<'_>) + 'a>,
    start: Instant,
    result: SessionResult<D::Error>,
}

impl<'a, D: Divider> Session<'a, D> {
    /// A session, whose time begins. The cancel token of the counter cancels it.
    pub fn new(divider: D, counter: Counter, options: SessionOptions) -> Self {
        let result = SessionResult {
            stages: Vec::new(),
            bugs: Vec::new(),
            impossible: Vec::new(),
            error: None,
            cancelled: false,
            out_of_time: false,
            time: Duration::ZERO,
        };
        let on_event = Box::new(|_: Event<'_>| {});
        let finder = Finder::new(divider, counter);
        Self { finder, options, on_event, start: Instant::now(), result }
    }

    /// Calls a function for each event.
    pub fn on_event(self, on_event: impl FnMut(Event<'_>) + 'a) -> Self {
        Self { on_event: Box::new(on_event), ..self }
    }

    /// Everything that finds a bug: the built-in suites, for half of the time at most, and random
    /// positions for the rest of it, half of them in Chess960 if the divider knows that.
    pub fn everything(&mut self, seed: u64) {
        let suites = Suite::embedded();
        let until = self.options.time.map(|time| self.start + time / 2);
        for name in SUITES {
            if let Some(suite) = suites.iter().find(|suite| suite.name == name) {
                self.stage(name, |it, stage| it.suite_until(suite, until, stage));
            }
        }
        let has_chess960 = self.chess960_lack().is_none();
        let half = self.deadline().map(|end| match has_chess960 {
            true => end - end.saturating_duration_since(Instant::now()) / 2,
            false => end,
        });
        self.hunt_until(seed, CastlingMode::Standard, half);
        if has_chess960 {
            self.hunt(seed, CastlingMode::Chess960);
        }
    }

    /// Compares each position of a suite at the greatest depth whose count is within the limit.
    pub fn suite(&mut self, suite: &Suite) {
        let until = self.deadline();
        self.stage(&suite.name, |it, stage| it.suite_until(suite, until, stage));
        let unfinished = self.result.stages.last().is_some_and(|stage| stage.unfinished > 0);
        self.result.out_of_time |= unfinished && self.is_late();
    }

    /// Compares random positions until one differs, or until the time is up.
    pub fn hunt(&mut self, seed: u64, mode: CastlingMode) {
        self.hunt_until(seed, mode, self.deadline());
    }

    /// Compares one position, depth by depth.
    pub fn position(&mut self, query: &Query<'_>) {
        self.stage("position", |it, stage| {
            stage.unfinished = 1;
            it.finder.set_deadline(it.deadline());
            let Self { finder, on_event, .. } = it;
            let verdict = finder.find_after(query, |depth, nodes| {
                stage.add_depth(depth);
                stage.nodes = nodes;
                on_event(Event::Equal { depth, nodes });
            });
            if matches!(verdict, Err(CompareError::OutOfTime)) {
                it.result.out_of_time = true;
            }
            let verdict = verdict?;
            (stage.positions, stage.unfinished) = (1, 0);
            if let Verdict::Different(mismatch) = verdict {
                stage.wrong = 1;
                it.investigate(query.root.to_string(), *mismatch, stage);
            }
            Ok(())
        });
    }

    /// The result.
    pub fn finish(self) -> SessionResult<D::Error> {
        SessionResult { time: self.start.elapsed(), ..self.result }
    }

    fn deadline(&self) -> Option<Instant> {
        self.options.time.map(|time| self.start + time)
    }

    fn is_late(&self) -> bool {
        self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The reason why positions of Chess960 are skipped.
    fn chess960_lack(&self) -> Option<&'static str> {
        self.finder.divider().lacks_chess960().filter(|_| !self.options.chess960)
    }

    /// Whether no more positions are to be compared.
    fn is_done(&self) -> bool {
        let SessionResult { bugs, error, cancelled, .. } = &self.result;
        error.is_some() || *cancelled || (!self.options.keep_going && !bugs.is_empty())
    }

    /// Runs a stage and keeps its result.
    fn stage(&mut self, name: &str, run: impl FnOnce(&mut Self, &mut Stage) -> Ended<D::Error>) {
        if self.is_done() {
            return;
        }
        let start = Instant::now();
        self.finder.take_usage();
        self.finder.set_deadline(self.deadline());
        let mut stage = Stage { name: name.to_owned(), ..Stage::default() };
        let ended = run(self, &mut stage);
        let usage = self.finder.take_usage();
        let seconds = usage.time.as_secs_f64();
        stage.nps =
            (seconds > 0.0 && usage.nodes > 0).then(|| (usage.nodes as f64 / seconds) as u64);
        stage.seconds = start.elapsed().as_secs_f64();
        match ended {
            Ok(()) | Err(CompareError::OutOfTime) => {}
            Err(_) if self.is_cancelled() => self.result.cancelled = true,
            Err(error) => {
                stage.error = Some(error.to_string());
                self.result.error = Some(error);
            }
        }
        self.result.cancelled |= self.is_cancelled();
        (self.on_event)(Event::Stage(&stage));
        self.result.stages.push(stage);
    }

    fn is_cancelled(&self) -> bool {
        self.finder.counter().cancel_token().is_cancelled()
    }

    fn suite_until(
        &mut self,
        suite: &Suite,
        until: Option<Instant>,
        stage: &mut Stage,
    ) -> Ended<D::Error> {
        let mut ended = Ok(());
        for (number, entry) in (1..).zip(&suite.entries) {
            let counts = entry.counts.iter().copied();
            let is_within =
                |&(depth, nodes): &(Depth, u128)| depth > 0 && nodes <= self.options.max_nodes;
            let Some((depth, expected)) = counts.filter(is_within).max() else {
                stage.skipped += 1;
                continue;
            };
            let is_late = until.is_some_and(|until| Instant::now() >= until);
            if ended.is_err() || is_late || self.is_done() {
                stage.unfinished += 1;
                continue;
            }
            let all = Some(suite.entries.len());
            (self.on_event)(Event::Position { stage, number, all });
            ended = self.entry(entry, depth, expected, stage);
            stage.unfinished += usize::from(ended.is_err());
        }
        ended
    }

    fn entry(
        &mut self,
        entry: &Entry,
        depth: Depth,
        expected: u128,
        stage: &mut Stage,
    ) -> Ended<D::Error> {
        let root = &entry.position;
        if root.castling_mode() == CastlingMode::Chess960
            && let Some(reason) = self.chess960_lack()
        {
            stage.skipped += 1;
            stage.skip_reason = Some(reason.to_owned());
            return Ok(());
        }
        // A wrong depth would ask for a count without end.
        let limit = Options::limit(self.options.max_nodes);
        if estimate(root.board(), depth) > limit as f64
            && let Err(CountError::LimitExceeded(_)) =
                self.finder.counter().clone().limit(limit).count(root.board(), depth)
        {
            stage.skipped += 1;
            let (suite, line) = (stage.name.clone(), entry.line);
            self.result.impossible.push(ImpossibleCount { suite, line, depth, expected, limit });
            return Ok(());
        }
        let diff = self.finder.diff(&Query { root, line: &[], depth })?;
        stage.add(depth, diff.ours);
        if diff.is_equal() {
            return Ok(());
        }
        stage.wrong += 1;
        (self.on_event)(Event::Different { entry, depth, diff: &diff });
        if self.options.effort == Effort::Report {
            return Ok(());
        }
        self.begin_step();
        let query = Query { root, line: &[], depth };
        // A divider may be right if it is queried again.
        let mismatch = match self.finder.find(root, depth)?.mismatch() {
            Some(mismatch) => mismatch,
            None => self.finder.descend(&query, diff),
        };
        self.investigate(format!("{}:{}", stage.name, entry.line), mismatch, stage);
        Ok(())
    }

    fn hunt_until(&mut self, seed: u64, mode: CastlingMode, until: Option<Instant>) {
        let in_mode = if mode == CastlingMode::Chess960 { " in Chess960" } else { "" };
        self.stage(&format!("hunt{in_mode}, seed {seed}"), |it, stage| {
            let mut hunt = Hunt::new(seed, mode);
            let ended = it.hunt_with(&mut hunt, until, stage);
            let coverage = hunt.coverage();
            (stage.positions, stage.nodes) = (coverage.positions, coverage.nodes);
            coverage.depths.keys().for_each(|&depth| stage.add_depth(depth));
            stage.coverage = Some(coverage.clone());
            ended
        });
    }

    fn hunt_with(
        &mut self,
        hunt: &mut Hunt,
        until: Option<Instant>,
        stage: &mut Stage,
    ) -> Ended<D::Error> {
        for number in 1.. {
            if self.is_done() || until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            (self.on_event)(Event::Position { stage, number, all: None });
            if let Some((case, diff)) = self.finder.next_different(hunt)? {
                stage.wrong += 1;
                if self.options.effort != Effort::Report {
                    self.begin_step();
                    let mismatch = self.finder.first_mismatch(&case, diff)?;
                    let place = format!("position {number} of the {}", stage.name);
                    self.investigate(place, mismatch, stage);
                }
            }
        }
        Ok(())
    }

    /// Gives the next step its time.
    fn begin_step(&mut self) {
        let deadline = self.deadline().map(|end| end.max(Instant::now() + MIN_STEP_TIME));
        self.finder.set_deadline(deadline);
    }

    /// Makes a mismatch smaller and explains it, unless another one has the same cause.
    fn investigate(&mut self, place: String, found: Mismatch, stage: &Stage) {
        if !self.result.bugs.is_empty() {
            let bug = self.explain(Bug::new(found.clone()));
            if self.is_known(&bug) {
                return;
            }
        }
        let mut bug = Bug { stage: stage.name.clone(), place, ..Bug::new(found) };
        if self.options.effort == Effort::Shrink {
            bug = self.shrink(bug);
        }
        bug = self.explain(bug);
        // The smallest one can have another cause.
        if !self.is_known(&bug) {
            (self.on_event)(Event::Bug(&bug));
            self.result.bugs.push(bug);
        }
        self.finder.set_deadline(self.deadline());
    }

    /// Adds a bug to one with the same cause, if there is one.
    fn is_known(&mut self, bug: &Bug) -> bool {
        let known = self.result.bugs.iter_mut().find(|known| known.title() == bug.title());
        known.map(|known| known.more += 1).is_some()
    }

    fn shrink(&mut self, bug: Bug) -> Bug {
        (self.on_event)(Event::Shrinking(&bug.found));
        self.begin_step();
        let (smallest, not_shrunk) = match self.finder.shrink(&bug.found) {
            Ok(Some(smallest)) => {
                let is_late = self.finder.limits.check::<D::Error>().is_err();
                (Some(smallest), is_late.then_some("Time is up: it may not be the smallest."))
            }
            Ok(None) => (None, Some("The engine did not give the same answer again.")),
            Err(_) if self.is_cancelled() => (None, Some("Interrupted: it is not made smaller.")),
            Err(error) => {
                let reason = format!("It could not be made smaller: {error}.");
                return Bug { not_shrunk: Some(reason), ..bug };
            }
        };
        Bug { smallest, not_shrunk: not_shrunk.map(str::to_owned), ..bug }
    }

    fn explain(&mut self, bug: Bug) -> Bug {
        let mismatch = bug.mismatch();
        (self.on_event)(Event::Explaining(mismatch));
        self.begin_step();
        let explained = match &mismatch.aborted {
            Some(reason) => Err(reason.clone()),
            None => match self.finder.explain(mismatch) {
                Ok(None) if mismatch.diff.same_moves() => Err(
                    "the moves are right, and the tree is too large or no rule gives its counts"
                        .to_owned(),
                ),
                Err(_) if self.is_cancelled() => Err("interrupted".to_owned()),
                explained => explained.map_err(|error| error.to_string()),
            },
        };
        bug.explained(explained)
    }
}

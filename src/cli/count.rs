//! `perft POSITION DEPTH` and `perft divide`.

use std::fmt::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use perft_core::{
    Board, CountError, Counter, Depth, Divide, Kernel, Merge, Progress, Table, Usage,
};
use serde::Serialize;

use super::args::CountArgs;
use super::forecast;
use super::output::{self, BackendReport, ProgressLine, grouped, speed, timing};
use super::{DIFFERENT, interrupted};

/// Up to this depth the root is counted whole, by the requested kernel, and not split into its
/// moves.
const MAX_WHOLE_DEPTH: Depth = 3;

/// The time between lines of `--progress json`.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Counts the leaves.
pub fn perft(args: &CountArgs) -> Result<ExitCode> {
    run(args, false)
}

/// Counts the leaves behind each root move.
pub fn divide(args: &CountArgs) -> Result<ExitCode> {
    run(args, true)
}

fn run(args: &CountArgs, with_moves: bool) -> Result<ExitCode> {
    let (board, depth) = args.target.read(args.output.quiet)?;
    let memory = || Counter::recommended_memory(&board, depth);
    let counter = args.merge.counter(&args.counting, memory)?;
    let is_full = counter.get_backend().available().kernel == Kernel::Full;
    if args.verify && (is_full || counter.get_memory() == 0) {
        bail!("--verify counts again with other keys of a table, and there is none (--hash 512M)");
    }
    if !args.output.quiet && args.progress.is_none() {
        forecast::warn_of_long_count(&counter, &board, depth);
    }
    let start = Instant::now();
    let counted = count(args, &counter, &board, depth, with_moves);
    let mut report = CountReport::new(&counter, &board, depth, start.elapsed().as_secs_f64());
    let divide = match counted {
        Ok(divide) => divide,
        Err(CountError::Cancelled(finished)) => {
            return print_finished(args, &board, report, &finished);
        }
        Err(error) => return Err(error.into()),
    };
    report.nodes = Some(divide.nodes);
    report.nps = report.nodes_per_second().map(|speed| speed as u64);
    report.moves = with_moves.then(|| move_counts(&board, &divide));
    if args.verify {
        verify(args, counter, &board, &divide, report, with_moves)
    } else {
        print(args, &report)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Counts and shows the progress. Without moves, the divide has only the sum.
fn count(
    args: &CountArgs,
    counter: &Counter,
    board: &Board,
    depth: Depth,
    with_moves: bool,
) -> Result<Divide, CountError> {
    if with_moves {
        return with_progress(args, counter).divide(board, depth);
    }
    let counter = if depth > MAX_WHOLE_DEPTH {
        with_progress(args, counter)
    } else {
        counter.clone().threads(NonZero::<usize>::MIN)
    };
    counter.count(board, depth).map(|nodes| Divide { branches: Vec::new(), nodes })
}

/// Prints the root moves that are finished. By layers none is: they are finished together.
fn print_finished(
    args: &CountArgs,
    board: &Board,
    mut report: CountReport,
    finished: &Divide,
) -> Result<ExitCode> {
    report.moves = Some(move_counts(board, finished));
    (report.nodes_finished, report.interrupted) = (Some(finished.nodes), Some(true));
    output::print(&report, args.output.json)?;
    let (done, all) = (finished.branches.len(), board.count_legal_moves());
    let why = match report.merge == Merge::Layers.name() {
        true => "; layers finish all of them together",
        false => "",
    };
    Ok(interrupted(format_args!("{done} of {all} root moves are finished{why}")))
}

/// Counts a second time in another way, compares and prints. Without a second count the first one
/// is printed all the same.
fn verify(
    args: &CountArgs,
    counter: Counter,
    board: &Board,
    divide: &Divide,
    mut report: CountReport,
    with_moves: bool,
) -> Result<ExitCode> {
    let (counter, way) = match in_another_way(counter) {
        Ok(other) => other,
        Err(error) => {
            print(args, &report)?;
            return Err(error).context("counted once, and not a second time");
        }
    };
    match count(args, &counter, board, report.depth, with_moves) {
        Ok(again) if again == *divide => {
            report.verified = Some(true);
            print(args, &report)?;
            Ok(ExitCode::SUCCESS)
        }
        Ok(again) => {
            (report.verified, report.nodes_again) = (Some(false), Some(again.nodes));
            if args.output.json {
                output::print_verdict(&report, true)?;
            }
            output::note(format_args!("{}", difference(board, divide, &again, way)));
            Ok(ExitCode::from(DIFFERENT))
        }
        Err(CountError::Cancelled(_)) => {
            print(args, &report)?;
            Ok(interrupted(format_args!("counted once, and not a second time")))
        }
        Err(error) => Err(error.into()),
    }
}

/// Prints a count and, to standard error, its time and the code that made it.
fn print(args: &CountArgs, report: &CountReport) -> Result<()> {
    output::print(report, args.output.json)?;
    if args.output.quiet {
        return Ok(());
    }
    if !args.output.json {
        let timing = timing(report.nodes.unwrap_or_default(), "nodes", report.seconds);
        let verified =
            if report.verified == Some(true) { ", and the same a second time" } else { "" };
        output::note(format_args!("{timing}{verified}"));
    }
    let CountReport { backend, threads, hash_bytes, hash_hits, hash_fill, merge, .. } = report;
    if backend.kernel != args.counting.backend.backend().kernel.name() {
        let BackendReport { kernel, sliders, .. } = backend;
        output::note(format_args!(
            "counted with the {kernel} kernel: the faster one has no code for {sliders} sliders"
        ));
    }
    if args.verbose {
        let table = match *hash_bytes {
            bytes if *merge == Merge::Layers.name() => {
                format!("layers of {} bytes", grouped(bytes as u128))
            }
            0 => "no table".to_owned(),
            bytes => {
                let (bytes, hits) = (grouped(bytes as u128), grouped((*hash_hits).into()));
                format!("table of {bytes} bytes, {:.1} % full, {hits} hits", hash_fill * 100.0)
            }
        };
        output::note(format_args!("{backend}, threads {threads}, {table}"));
    }
    Ok(())
}

/// The same counter with another way, and its name: with a table if the first count used none, or
/// else with a table of the same size in which the halves of keys are swapped.
fn in_another_way(counter: Counter) -> Result<(Counter, &'static str)> {
    let (usage, counter) = (counter.usage(), counter.merge(Merge::Table));
    if usage.merge != Merge::Table {
        return Ok((counter, "with a table"));
    }
    let table = Table::new(usage.bytes)?.with_swapped_keys();
    Ok((counter.table(Arc::new(table)), "with other keys"))
}

/// The counts that differ, in one line.
fn difference(board: &Board, first: &Divide, second: &Divide, way: &str) -> String {
    let (nodes, again) = (first.nodes, second.nodes);
    let mut line = format!("perft: counts differ: {nodes} and, {way}, {again}");
    for (first, second) in first.branches.iter().zip(&second.branches) {
        if first != second {
            let mv = board.uci(first.mv);
            _ = write!(line, "; {mv}: {} and {}", first.nodes, second.nodes);
        }
    }
    line
}

/// The counter with its progress shown, as a line on the terminal or as lines of JSON.
fn with_progress(args: &CountArgs, counter: &Counter) -> Counter {
    let is_json = args.progress.is_some();
    let start = Instant::now();
    let shown =
        Mutex::new((ProgressLine::new(args.output.quiet || is_json), start + PROGRESS_INTERVAL));
    // The line on the terminal is dropped with the counter.
    counter.clone().on_progress(move |progress| {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (line, json_due) = &mut *shown;
        let progress = ProgressReport::new(progress, start.elapsed());
        if is_json && *json_due <= Instant::now() {
            *json_due = Instant::now() + PROGRESS_INTERVAL;
            if let Ok(json) = serde_json::to_string(&progress) {
                output::note(format_args!("{json}"));
            }
        }
        line.show(|| progress.to_string());
    })
}

/// The time left is estimated from this share of the work on: before it, the table is empty and the
/// estimate may be wrong by orders of magnitude.
const MIN_SHARE: f64 = 0.005;

/// The progress of a count.
#[derive(Serialize)]
struct ProgressReport {
    share: f64,
    nodes: u128,
    seconds: f64,
    nps: u64,
    /// Unknown below [`MIN_SHARE`].
    seconds_left: Option<f64>,
}

impl ProgressReport {
    fn new(&Progress { share, nodes }: &Progress, elapsed: Duration) -> Self {
        let seconds = elapsed.as_secs_f64();
        let seconds_left = (share >= MIN_SHARE).then(|| (seconds / share - seconds).max(0.0));
        Self { share, nodes, seconds, nps: (nodes as f64 / seconds) as u64, seconds_left }
    }
}

impl fmt::Display for ProgressReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (share, nodes) = (self.share * 100.0, grouped(self.nodes));
        match self.nodes {
            0 => write!(f, "{share:.1} %, no leaves counted yet")?,
            _ => write!(f, "{share:.1} %, {nodes} nodes, {}", speed(self.nps as f64, "nodes"))?,
        }
        match self.seconds_left {
            Some(left) => write!(f, ", {} left", rough_time(left)),
            None => Ok(()),
        }
    }
}

/// A time in a unit that suits it: `72 s`, `21 min`, `5 h`, `12 days`.
fn rough_time(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

/// A count and the circumstances in which it was made.
#[derive(Serialize)]
struct CountReport {
    fen: String,
    depth: Depth,
    /// `None` if interrupted: the sum of some root moves would be taken for the count.
    nodes: Option<u128>,
    seconds: f64,
    nps: Option<u64>,
    threads: NonZero<usize>,
    hash_bytes: usize,
    hash_hits: u64,
    hash_fill: f64,
    /// The way in which equal positions were found.
    merge: &'static str,
    #[serde(flatten)]
    backend: BackendReport,
    /// The root moves of a divide; those that are finished, if interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveCount>>,
    /// The result of `--verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    /// The second count, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes_again: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes_finished: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted: Option<bool>,
}

/// A root move and the number of leaves behind it.
#[derive(Serialize)]
struct MoveCount {
    #[serde(rename = "move")]
    mv: String,
    nodes: u128,
}

fn move_counts(board: &Board, divide: &Divide) -> Vec<MoveCount> {
    let branches = divide.branches.iter();
    branches.map(|branch| MoveCount { mv: board.uci(branch.mv), nodes: branch.nodes }).collect()
}

impl CountReport {
    /// The report of a count whose result is still to be filled in.
    fn new(counter: &Counter, board: &Board, depth: Depth, seconds: f64) -> Self {
        let Usage { merge, bytes, hits, fill } = counter.usage();
        Self {
            fen: board.to_string(),
            depth,
            nodes: None,
            seconds,
            nps: None,
            threads: counter.get_threads(),
            hash_bytes: bytes,
            hash_hits: hits,
            hash_fill: fill,
            merge: merge.name(),
            backend: BackendReport::new(counter),
            moves: None,
            verified: None,
            nodes_again: None,
            nodes_finished: None,
            interrupted: None,
        }
    }

    /// `None` if the clock did not advance.
    fn nodes_per_second(&self) -> Option<f64> {
        self.nodes.filter(|_| self.seconds > 0.0).map(|nodes| nodes as f64 / self.seconds)
    }
}

/// Stockfish's format: a line for each root move, an empty line, the total.
impl fmt::Display for CountReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for MoveCount { mv, nodes } in self.moves.iter().flatten() {
            writeln!(f, "{mv}: {nodes}")?;
        }
        let Some(nodes) = self.nodes else { return Ok(()) };
        if self.moves.is_some() {
            writeln!(f)?;
        }
        writeln!(f, "Nodes searched: {nodes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_differ_are_named_by_their_root_moves() {
        let board = Board::startpos();
        let first = Counter::new().divide(&board, 2).unwrap();
        let mut second = first.clone();
        (second.branches[1].nodes, second.nodes) = (21, 401);
        let line = "perft: counts differ: 400 and, with other keys, 401; a2a4: 20 and 21";
        assert_eq!(difference(&board, &first, &second, "with other keys"), line);
    }

    #[test]
    fn keys_that_do_not_apply_are_left_out_of_the_json() {
        let board = Board::startpos();
        let mut report = CountReport::new(&Counter::new(), &board, 2, 0.5);
        (report.nodes, report.nps) = (Some(400), Some(800));
        let keys = |report: &CountReport| -> Vec<String> {
            let object = serde_json::to_value(report).unwrap();
            object.as_object().unwrap().keys().cloned().collect()
        };
        let always = [
            "fen",
            "depth",
            "nodes",
            "seconds",
            "nps",
            "threads",
            "hash_bytes",
            "hash_hits",
            "hash_fill",
            "merge",
            "kernel",
            "sliders",
            "cpu",
        ];
        assert_eq!(keys(&report), always);
        (report.verified, report.nodes_again) = (Some(false), Some(401));
        assert_eq!(keys(&report)[always.len()..], ["verified", "nodes_again"]);
    }

    #[test]
    fn the_time_left_is_given_once_it_can_be_estimated() {
        let line = |share, nodes, seconds| {
            ProgressReport::new(&Progress { share, nodes }, Duration::from_secs(seconds))
                .to_string()
        };
        assert_eq!(line(0.001, 0, 5), "0.1 %, no leaves counted yet");
        assert_eq!(line(0.01, 0, 2), "1.0 %, no leaves counted yet, 3 min left");
        let counted = "50.0 %, 4,000,000 nodes, 1.0 million nodes a second, 4 s left";
        assert_eq!(line(0.5, 4_000_000, 4), counted);
    }

    #[test]
    fn a_rough_time_has_a_unit_that_suits_it() {
        let times = [72.4, 1260.0, 18_000.0, 1e6].map(rough_time);
        assert_eq!(times, ["72 s", "21 min", "5 h", "12 days"]);
    }
}

//! `perft suite`: known counts, compared.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use perft::compare::Root;
use perft::suite::{Entry, Options, Outcome, run};
use perft::{PerftError, Suite, Variant, Workers};
use serde_json::{Value, json};

use super::args::SuiteArgs;
use super::interrupt::stop_on_interrupt;
use super::output::{self, Progress, grouped, speed, visible};
use super::{DIFFERENT, INTERRUPTED};

/// Longer than any suite; what has no end, such as a device, is given up there.
const LONGEST_SUITE: u64 = 1 << 26;

/// Runs the suites and prints what came out.
pub fn suite(args: &SuiteArgs) -> Result<ExitCode> {
    let suites = open_suites(&args.files)?;
    let engine = args.engine.engine();
    // Most counts are small, so that a table has to be asked for.
    let table = args.machine.table(0.0, engine.kernel)?;
    let (threads, stop) = (args.machine.threads(), stop_on_interrupt());
    let workers = Workers { engine, threads, table: table.as_ref(), stop };
    let options = Options { max_nodes: args.max_nodes, workers };

    let mut progress = Progress::new(args.output.quiet);
    let within = || counts(&suites).filter(|&nodes| nodes <= args.max_nodes);
    let (all, total) = (within().count(), within().fold(0_u128, u128::saturating_add));
    let start = Instant::now();
    let mut done = 0_u128;
    let outcomes = run(&suites, &options, |outcome| {
        done = done.saturating_add(outcome.expected);
        progress.show(|| bar(done, total));
    });
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();

    let tables: Vec<Table> = (0..suites.len())
        .map(|index| Table::new(&suites[index], index, &outcomes, args.max_nodes))
        .collect();
    // All that was asked for may have been done by then.
    let is_interrupted = outcomes.len() < all;
    let wrong = outcomes.iter().any(|outcome| !outcome.is_right());
    let right = (wrong || (!is_interrupted && all > 0)).then_some(!wrong);
    let nodes = tables.iter().map(|table| table.nodes).fold(0, u128::saturating_add);
    if args.output.json {
        let suites: Vec<Value> = tables.iter().map(Table::json).collect();
        let object = json!({
            "suites": suites,
            "right": right,
            "nodes": nodes,
            "seconds": seconds,
            "threads": threads,
            "hash_bytes": table.as_ref().map_or(0, perft::Table::bytes),
            "kernel": engine.used().kernel.name(),
            "sliders": engine.sliders.name(),
            "cpu": engine.used().cpu.name(),
        });
        output::verdict(&format!("{object}\n"))?;
    } else {
        let is_read = output::verdict(&text(&tables, args.verbose))?;
        if is_read && !args.output.quiet {
            let speed = speed((seconds > 0.0).then_some(nodes as f64 / seconds));
            output::note(format_args!("{} nodes in {seconds:.3} s, {speed}", grouped(nodes)));
        }
    }
    if all == 0 && !args.output.quiet {
        let limit = grouped(args.max_nodes);
        output::note(format_args!(
            "perft: nothing was counted: every count is above --max-nodes {limit}"
        ));
    }
    if is_interrupted {
        let done = outcomes.len();
        output::note(format_args!("perft: interrupted: {done} of {all} counts are finished"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(if wrong { ExitCode::from(DIFFERENT) } else { ExitCode::SUCCESS })
}

fn counts(suites: &[Suite]) -> impl Iterator<Item = u128> {
    let entries = suites.iter().flat_map(|suite| &suite.entries);
    entries.flat_map(|entry| entry.counts.iter().map(|&(_, nodes)| nodes))
}

/// Reads suites; if none is named, our own.
pub fn open_suites(files: &[PathBuf]) -> Result<Vec<Suite>> {
    if files.is_empty() {
        return Ok(Suite::embedded());
    }
    files.iter().map(|file| open(file)).collect()
}

/// Reads a suite from a file, from standard input for `-`, or from our own by name.
fn open(path: &Path) -> Result<Suite> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        read_bounded(std::io::stdin().lock(), "standard input")?
    } else {
        let ours = |suite: &Suite| suite.name == name || suite.name == format!("{name}.epd");
        if !path.exists()
            && let Some(suite) = Suite::embedded().into_iter().find(ours)
        {
            return Ok(suite);
        }
        let file = File::open(path).with_context(|| {
            let ours: Vec<String> = Suite::embedded().into_iter().map(|suite| suite.name).collect();
            format!("cannot open suite {name:?} (ours are {})", ours.join(", "))
        })?;
        read_bounded(file, &format!("suite {name:?}"))?
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            bail!("{name}:{line}: not UTF-8 text");
        }
    };
    let suite = Suite::parse(&visible(&name), text)?;
    if suite.entries.is_empty() {
        bail!("{name}: no positions (a line is: FEN ;D1 20 ;D2 400)");
    }
    Ok(suite)
}

/// Reads all there is, unless it has no end.
fn read_bounded(input: impl Read, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.take(LONGEST_SUITE + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > LONGEST_SUITE {
        bail!("{name} is longer than {} MiB; split it", LONGEST_SUITE >> 20);
    }
    Ok(bytes)
}

fn bar(done: u128, total: u128) -> String {
    const WIDTH: usize = 40;
    let share = done as f64 / total.max(1) as f64;
    let filled = ((share * WIDTH as f64) as usize).min(WIDTH);
    let bar: String = (0..WIDTH).map(|index| if index < filled { '#' } else { '.' }).collect();
    format!("[{bar}] {:3.0} %, {} nodes", share * 100.0, grouped(done))
}

/// What came out for one suite.
struct Table<'a> {
    suite: &'a Suite,
    outcomes: Vec<&'a Outcome>,
    nodes: u128,
    /// Counts above the limit.
    skipped: usize,
    max_nodes: u128,
    /// Counts that were interrupted, or not begun.
    unfinished: usize,
}

impl<'a> Table<'a> {
    fn new(suite: &'a Suite, index: usize, outcomes: &'a [Outcome], max_nodes: u128) -> Self {
        let outcomes: Vec<_> = outcomes.iter().filter(|outcome| outcome.suite == index).collect();
        let nodes = outcomes
            .iter()
            .filter_map(|outcome| outcome.got.clone().ok())
            .fold(0, u128::saturating_add);
        let (within, skipped): (Vec<u128>, Vec<u128>) =
            counts(std::slice::from_ref(suite)).partition(|&nodes| nodes <= max_nodes);
        let unfinished = within.len() - outcomes.len();
        Self { suite, outcomes, nodes, skipped: skipped.len(), max_nodes, unfinished }
    }

    fn entry(&self, outcome: &Outcome) -> &'a Entry {
        &self.suite.entries[outcome.entry]
    }

    fn wrong(&self) -> impl Iterator<Item = &'a Outcome> {
        self.outcomes.iter().copied().filter(|outcome| !outcome.is_right())
    }

    fn json(&self) -> Value {
        let failures: Vec<Value> = self
            .wrong()
            .map(|outcome| {
                let entry = self.entry(outcome);
                json!({
                    "line": entry.line,
                    "fen": fen(entry),
                    "depth": outcome.depth,
                    "expected": outcome.expected,
                    "got": outcome.got.clone().ok(),
                    "got_more_than": more_than(outcome),
                    "next": next(entry, outcome),
                })
            })
            .collect();
        json!({
            "name": self.suite.name,
            "positions": self.suite.entries.len(),
            "counts": self.outcomes.len(),
            "skipped": self.skipped,
            "unfinished": self.unfinished,
            "nodes": self.nodes,
            "failures": failures,
        })
    }
}

/// The position as the suite has it, with an en-passant square that nobody can use: others may
/// go wrong there.
fn fen(entry: &Entry) -> String {
    Root::with_passed(entry.board, entry.board.variant(), entry.passed).fen()
}

/// The command that looks into a wrong count.
fn next(entry: &Entry, outcome: &Outcome) -> String {
    let flag = match entry.board.variant() {
        Variant::Standard => "",
        Variant::Chess960 => "--chess960 ",
    };
    format!("perft divide {flag}\"{}\" {}", fen(entry), outcome.depth)
}

/// What the count passed when it was given up.
fn more_than(outcome: &Outcome) -> Option<u128> {
    match outcome.got {
        Err(PerftError::Above(limit)) => Some(limit),
        _ => None,
    }
}

fn got(outcome: &Outcome) -> String {
    match &outcome.got {
        Ok(nodes) => nodes.to_string(),
        Err(PerftError::Above(limit)) => format!("more than {limit}"),
        Err(PerftError::Overflow) => "more than 2^128".to_owned(),
        Err(error) => format!("no count: {error}"),
    }
}

fn text(tables: &[Table], verbose: bool) -> String {
    let mut text = String::new();
    for table in tables {
        if verbose {
            positions(&mut text, table);
        }
        for outcome in table.wrong() {
            let entry = table.entry(outcome);
            _ = writeln!(
                text,
                "{}:{}: depth {}: expected {}, got {}\n  {}",
                table.suite.name,
                entry.line,
                outcome.depth,
                outcome.expected,
                got(outcome),
                fen(entry)
            );
            if let Some(title) = &entry.title {
                _ = writeln!(text, "  # {}", visible(title));
            }
            _ = writeln!(text, "  next: {}", next(entry, outcome));
        }
    }
    let width = tables.iter().map(|table| table.suite.name.chars().count()).max().unwrap_or(0);
    let width = width.max("suite".len());
    _ = writeln!(
        text,
        "{:width$}  {:>9}  {:>6}  {:>7}  {:>16}  result",
        "suite", "positions", "counts", "skipped", "nodes"
    );
    for table in tables {
        let (counted, wrong) = (table.outcomes.len(), table.wrong().count());
        let result = output::result_of_suite(["ok", "WRONG"], counted, wrong, table.unfinished);
        _ = writeln!(
            text,
            "{:width$}  {:>9}  {:>6}  {:>7}  {:>16}  {result}",
            table.suite.name,
            table.suite.entries.len(),
            table.outcomes.len(),
            table.skipped,
            grouped(table.nodes)
        );
    }
    text
}

/// A line for each position: the deepest count that was made, and how it came out.
fn positions(text: &mut String, table: &Table) {
    // In the order of the positions.
    let mut rest = &table.outcomes[..];
    for (index, entry) in table.suite.entries.iter().enumerate() {
        let end = rest.iter().position(|outcome| outcome.entry != index).unwrap_or(rest.len());
        let outcomes;
        (outcomes, rest) = rest.split_at(end);
        let result = match outcomes.last() {
            None if entry.counts.iter().any(|&(_, nodes)| nodes <= table.max_nodes) => {
                "unfinished".to_owned()
            }
            None => "skipped".to_owned(),
            Some(_) if outcomes.iter().any(|outcome| !outcome.is_right()) => "WRONG".to_owned(),
            Some(last) => format!("ok to depth {}, {}", last.depth, grouped(last.expected)),
        };
        _ = writeln!(text, "{}:{}: {}: {result}", table.suite.name, entry.line, fen(entry));
    }
}

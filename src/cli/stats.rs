//! `perft stats`: kinds of moves at each depth.

use std::fmt;
use std::iter;
use std::ops::Not;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use perft_core::{CountError, Counter, Depth, Progress, Stats, Usage};
use serde::{Serialize, Serializer};

use super::args::StatsArgs;
use super::columns::Columns;
use super::interrupted;
use super::output::{self, shown, timing};

/// Counts and prints a row for each depth.
pub fn stats(args: &StatsArgs) -> Result<ExitCode> {
    let (board, depth) = args.target.read(args.output.quiet)?;
    let (fen, threads) = (board.to_string(), args.machine.threads());
    let memory = args.machine.memory(|| Counter::recommended_memory(&board, depth))?;
    let counter = args.machine.without_memory().memory(memory);
    let percent = |progress: &Progress| format!("{:.1} %", progress.share * 100.0);
    let counter = counter.on_progress(shown(args.output.quiet, percent));
    let start = Instant::now();
    let rows = counter.stats(&board, depth);
    let Usage { merge, bytes, .. } = counter.usage();
    // Erases the progress line.
    drop(counter);
    let numbered = |rows: Vec<Stats>| {
        (1..).zip(rows).map(|(depth, stats)| StatsRow { depth, stats }).collect()
    };
    let rows = match rows {
        Err(CountError::CancelledStats(rows)) => {
            let (finished, rows) = (rows.len(), numbered(rows));
            let table = StatsTable { fen, depth, rows, interrupted: true, ..StatsTable::default() };
            if args.output.json || finished > 0 {
                output::print(&table, args.output.json)?;
            }
            return Ok(interrupted(format_args!("{finished} of {depth} depths are finished")));
        }
        rows => rows?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let nodes = rows.iter().map(|row| row.nodes).fold(0, u128::saturating_add);
    let rows = numbered(rows);
    let table = StatsTable {
        fen,
        depth,
        seconds: Some(seconds),
        threads: Some(threads.get()),
        hash_bytes: Some(bytes),
        merge: Some(merge.name()),
        rows,
        interrupted: false,
    };
    output::print(&table, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        output::note(format_args!("{}", timing(nodes, "moves", seconds)));
    }
    Ok(ExitCode::SUCCESS)
}

/// The rows; those that were finished if the count was interrupted.
#[derive(Default, Serialize)]
struct StatsTable {
    fen: String,
    depth: Depth,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<&'static str>,
    rows: Vec<StatsRow>,
    #[serde(skip_serializing_if = "Not::not")]
    interrupted: bool,
}

/// The moves of one depth.
pub struct StatsRow {
    pub depth: u128,
    pub stats: Stats,
}

impl StatsRow {
    const HEADS: [&str; 10] = [
        "depth",
        "nodes",
        "captures",
        "e.p.",
        "castles",
        "promotions",
        "checks",
        "discovered",
        "double",
        "mates",
    ];

    fn columns(&self) -> impl Iterator<Item = (&'static str, u128)> {
        iter::once(("depth", self.depth)).chain(self.stats.columns())
    }
}

impl Serialize for StatsRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns())
    }
}

impl fmt::Display for StatsTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        StatsRows(&self.rows).fmt(f)
    }
}

/// A row for each depth, below the names of the columns.
pub struct StatsRows<'a>(pub &'a [StatsRow]);

impl fmt::Display for StatsRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Columns::new(">");
        table.row(&StatsRow::HEADS.each_ref().map(|head| head as &dyn fmt::Display));
        for row in self.0 {
            let cells: Vec<u128> = row.columns().map(|(_, number)| number).collect();
            table.row(&cells.iter().map(|cell| cell as &dyn fmt::Display).collect::<Vec<_>>());
        }
        table.fmt(f)
    }
}

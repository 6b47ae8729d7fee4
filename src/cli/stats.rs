//! `perft stats`: kinds of moves, depth by depth.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use perft::Stats;
use serde_json::{Map, Value, json};

use super::INTERRUPTED;
use super::args::StatsArgs;
use super::interrupt::stop_on_interrupt;
use super::output::{self, Progress, grouped, speed};
use super::position::position_and_depth;

/// Counts and prints a row for each depth.
pub fn stats(args: &StatsArgs) -> Result<ExitCode> {
    let (board, depth) = position_and_depth(&args.target.words, &args.target.position)?;
    let threads = args.threads.threads();
    let stop = stop_on_interrupt();
    let start = Instant::now();
    let mut progress = Progress::new(args.output.quiet);
    let rows = perft::stats(&board, depth, threads, stop, |share| {
        progress.show(|| format!("{:.1} %", share * 100.0));
    })?;
    drop(progress);
    let Some(rows) = rows else {
        if args.output.json {
            let fen = board.fen(args.target.position.variant());
            let object = json!({ "fen": fen, "depth": depth, "rows": [], "interrupted": true });
            output::result(&format!("{object}\n"))?;
        }
        output::note(format_args!("perft: interrupted"));
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let seconds = start.elapsed().as_secs_f64();
    if args.output.json {
        let object = json!({
            "fen": board.fen(args.target.position.variant()),
            "depth": depth,
            "seconds": seconds,
            "threads": threads,
            "rows": rows.iter().zip(1..).map(|(row, depth)| json(depth, row)).collect::<Vec<_>>(),
        });
        output::result(&format!("{object}\n"))?;
    } else {
        output::result(&text(&rows))?;
        if !args.output.quiet {
            let nodes = rows.iter().map(|row| row.nodes).fold(0, u128::saturating_add);
            let speed = speed((seconds > 0.0).then_some(nodes as f64 / seconds));
            output::note(format_args!("{} moves in {seconds:.3} s, {speed}", grouped(nodes)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn json(depth: usize, row: &Stats) -> Value {
    let mut object = Map::new();
    object.insert("depth".to_owned(), json!(depth));
    for (name, number) in row.columns() {
        object.insert(name.to_owned(), json!(number));
    }
    Value::Object(object)
}

/// A table, its columns as wide as they need to be.
fn text(rows: &[Stats]) -> String {
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
    let mut table = vec![HEADS.map(str::to_owned)];
    for (depth, row) in rows.iter().enumerate() {
        let mut cells = std::iter::once(depth as u128 + 1)
            .chain(row.columns().map(|(_, number)| number))
            .map(|number| number.to_string());
        table.push(std::array::from_fn(|_| cells.next().unwrap_or_default()));
    }
    let widths: [usize; 10] =
        std::array::from_fn(|column| table.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut text = String::new();
    for row in &table {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        _ = writeln!(text, "{}", cells.join("  "));
    }
    text
}

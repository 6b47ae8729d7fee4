//! `perft POSITION DEPTH` and `perft divide`.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use perft::plan::estimate;
use perft::{Counted, Depth, Engine, Job, Kernel, Report, Table, TableUse};
use serde_json::{Map, Value, json};

use super::args::CountArgs;
use super::interrupt::stop_on_interrupt;
use super::output::{self, grouped, speed};
use super::position::position_and_depth;
use super::{DIFFERENT, INTERRUPTED};

/// Counts the leaves.
pub fn perft(args: &CountArgs) -> Result<ExitCode> {
    run(args, false)
}

/// Counts the leaves behind each root move.
pub fn divide(args: &CountArgs) -> Result<ExitCode> {
    run(args, true)
}

/// Up to this depth the root is counted as it is, by the kernel that was asked for, and not
/// split into its moves.
const SHALLOW: Depth = 3;

fn run(args: &CountArgs, divide: bool) -> Result<ExitCode> {
    let (board, depth) = position_and_depth(&args.target.words, &args.target.position)?;
    let variant = args.target.position.variant();
    let engine = args.engine.engine();
    let threads = args.machine.threads();
    let mut table = args.machine.table(estimate(&board, depth), engine.kernel)?;
    if args.verify && table.is_none() {
        table = Some(table_to_verify_with(args, &engine)?);
    }
    let stop = stop_on_interrupt();
    let job = Job { board, depth, variant, engine, threads, table: None, stop };
    let start = Instant::now();
    let job_with_table = Job { table: table.as_ref(), ..job };
    let counted = if divide || args.verify || depth > SHALLOW {
        count(args, &job_with_table, start)?
    } else {
        let nodes = engine.count(&board, depth)?;
        Counted { branches: Vec::new(), nodes, complete: true, hits: 0 }
    };
    let elapsed = start.elapsed();
    let used = table.as_ref().map(|table| TableUse {
        bytes: table.bytes(),
        hits: counted.hits,
        fill: table.fill(),
    });
    let threads = threads.get();
    let Counted { branches, nodes, complete, .. } = counted;
    let shown = (divide || !complete).then(|| branches.clone());
    let report = Report {
        board,
        variant,
        depth,
        nodes,
        branches: shown,
        elapsed,
        engine,
        threads,
        table: used,
    };
    if !complete {
        return interrupted(args, &report);
    }
    if args.verify {
        // The first count is not lost if there is no second.
        let once = CountArgs { verify: false, ..args.clone() };
        let table = match table.map(Table::swapped).transpose() {
            Ok(table) => table,
            Err(error) => {
                print(&once, &report)?;
                return Err(error).context("counted once, and not a second time");
            }
        };
        let again = count(args, &Job { table: table.as_ref(), ..job }, Instant::now())?;
        if !again.complete {
            print(&once, &report)?;
            output::note(format_args!("perft: interrupted: counted once, and not a second time"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if again.branches != branches {
            let mut lines =
                format!("perft: counts differ: {nodes} and, with other keys, {}", again.nodes);
            for (first, second) in branches.iter().zip(&again.branches) {
                if first != second {
                    let mv = first.mv.uci(variant);
                    _ = write!(lines, "; {mv}: {} and {}", first.nodes, second.nodes);
                }
            }
            if args.output.json {
                let mut object = json(&report);
                (object["verified"], object["nodes_again"]) = (json!(false), json!(again.nodes));
                output::verdict(&format!("{object}\n"))?;
            }
            output::note(format_args!("{lines}"));
            return Ok(ExitCode::from(DIFFERENT));
        }
    }
    print(args, &report)
}

/// What is counted twice without a table is the same twice over, and shows nothing.
fn table_to_verify_with(args: &CountArgs, engine: &Engine) -> Result<Table> {
    const BYTES: usize = 16 << 20;
    if engine.kernel == Kernel::Full || args.machine.hash.is_some() {
        bail!("--verify counts again with other keys of a table, and there is none (--hash 512M)");
    }
    Ok(Table::new(BYTES)?)
}

/// Counts once, and shows how far it is.
fn count(args: &CountArgs, job: &Job<'_>, start: Instant) -> Result<Counted> {
    let mut line = output::Progress::new(args.output.quiet || args.progress.is_some());
    let mut due = start + Duration::from_millis(500);
    let counted = job.run(|progress| {
        let seconds = start.elapsed().as_secs_f64();
        // Nothing is known before the first part is done.
        let left = (progress.share > 0.0).then(|| (seconds / progress.share - seconds).max(0.0));
        let speed = progress.nodes as f64 / seconds;
        if args.progress.is_some() && due <= Instant::now() {
            due = Instant::now() + Duration::from_millis(500);
            output::note(format_args!(
                "{}",
                json!({
                    "share": progress.share,
                    "nodes": progress.nodes,
                    "seconds": seconds,
                    "nps": speed as u64,
                    "seconds_left": left,
                })
            ));
        }
        line.show(|| {
            let (share, nodes) = (progress.share * 100.0, grouped(progress.nodes));
            let speed = output::speed(Some(speed));
            let left = left.map_or(String::new(), |left| format!(", {left:.0} s left"));
            format!("{share:.1} %, {nodes} nodes, {speed}{left}")
        });
    })?;
    Ok(counted)
}

/// Prints the root moves that are done.
fn interrupted(args: &CountArgs, report: &Report) -> Result<ExitCode> {
    if args.output.json {
        // No total, since it would be taken for the count.
        let mut object = json(report);
        (object["nodes"], object["nps"]) = (Value::Null, Value::Null);
        object["nodes_finished"] = json!(report.nodes);
        object["interrupted"] = json!(true);
        output::result(&format!("{object}\n"))?;
    } else {
        output::result(&branches(report))?;
    }
    let done = report.branches.as_ref().map_or(0, Vec::len);
    let all = report.board.count_legal_moves();
    output::note(format_args!("perft: interrupted: {done} of {all} root moves are finished"));
    Ok(ExitCode::from(INTERRUPTED))
}

fn print(args: &CountArgs, report: &Report) -> Result<ExitCode> {
    if args.output.json {
        let mut object = json(report);
        if args.verify {
            object["verified"] = json!(true);
        }
        output::result(&format!("{object}\n"))?;
    } else {
        output::result(&text(report))?;
        if !args.output.quiet {
            let verified = if args.verify { ", and the same a second time" } else { "" };
            output::note(format_args!(
                "{} nodes in {:.3} s, {}{verified}",
                grouped(report.nodes),
                report.elapsed.as_secs_f64(),
                speed(report.nodes_per_second())
            ));
        }
    }
    let used = report.engine.used();
    if used.kernel != report.engine.kernel && !args.output.quiet {
        let (sliders, kernel) = (used.sliders.name(), used.kernel.name());
        output::note(format_args!(
            "counted with the {kernel} kernel: the faster one has no code for {sliders} sliders"
        ));
    }
    if args.verbose && !args.output.quiet {
        let threads = report.threads;
        let table = report.table.map_or("no table".to_owned(), |used| {
            let TableUse { bytes, hits, fill } = used;
            let (bytes, hits) = (grouped(bytes as u128), grouped(hits.into()));
            format!("table of {bytes} bytes, {:.1} % full, {hits} hits", fill * 100.0)
        });
        let made_with = output::made_with(&report.engine);
        output::note(format_args!("{made_with}, threads {threads}, {table}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A line for each root move that is known.
fn branches(report: &Report) -> String {
    let mut text = String::new();
    for branch in report.branches.iter().flatten() {
        _ = writeln!(text, "{}: {}", branch.mv.uci(report.variant), branch.nodes);
    }
    text
}

/// Stockfish's format: a line for each root move, an empty line, the total.
fn text(report: &Report) -> String {
    let mut text = branches(report);
    if report.branches.is_some() {
        text.push('\n');
    }
    _ = writeln!(text, "Nodes searched: {}", report.nodes);
    text
}

fn json(report: &Report) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| _ = object.insert(name.to_owned(), value);
    put("fen", json!(report.board.fen(report.variant)));
    put("depth", json!(report.depth));
    put("nodes", json!(report.nodes));
    put("seconds", json!(report.elapsed.as_secs_f64()));
    put("nps", json!(report.nodes_per_second().map(|speed| speed as u64)));
    put("threads", json!(report.threads));
    put("hash_bytes", json!(report.table.map_or(0, |used| used.bytes)));
    put("hash_hits", json!(report.table.map_or(0, |used| used.hits)));
    put("hash_fill", json!(report.table.map_or(0.0, |used| used.fill)));
    put("kernel", json!(report.engine.used().kernel.name()));
    put("sliders", json!(report.engine.sliders.name()));
    put("cpu", json!(report.engine.used().cpu.name()));
    if let Some(branches) = &report.branches {
        let moves: Vec<Value> = branches
            .iter()
            .map(|branch| json!({ "move": branch.mv.uci(report.variant), "nodes": branch.nodes }))
            .collect();
        put("moves", json!(moves));
    }
    Value::Object(object)
}

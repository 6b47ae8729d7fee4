//! `perft POSITION DEPTH --checkpoint FILE`: a count that can be killed and taken up again.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use perft::plan::lines::{Id, ResultLine, UnitLine};
use perft::plan::{Plan, total, work};
use perft::{Board, Depth, Variant, Workers};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

use super::INTERRUPTED;
use super::args::CountArgs;
use super::files::Journal;
use super::interrupt::stop_on_interrupt;
use super::output::{self, Progress, grouped};
use super::position::position_and_depth;
use super::work::{VERSION, as_work, keys, result_line};

/// With so many units a kill costs little.
const UNITS_ENOUGH: usize = 2000;

/// Units of less than this are not worth a line.
const LEAST_LEFT: Depth = 4;

/// Counts what the file does not know yet.
pub fn count(args: &CountArgs, path: &Path) -> Result<ExitCode> {
    let (board, depth) = position_and_depth(&args.target.words, &args.target.position)?;
    let board = &board;
    let variant = args.target.position.variant();
    if depth == 0 {
        bail!("a count of depth 0 needs no --checkpoint");
    }
    if path == Path::new("-") {
        bail!("--checkpoint wants a file, not standard output");
    }
    let plan = cut(board, depth)?;
    let engine = args.engine.engine();
    let leaves = perft::plan::estimate(board, depth);
    let table = args.machine.table(leaves, engine.kernel)?;
    let header = header(board, variant, &plan);
    let ids: FxHashSet<Id> =
        plan.units.iter().map(|unit| Id(unit.position.board().key())).collect();
    let mut known: FxHashMap<Id, u128> = FxHashMap::default();
    let mut has_header = false;
    let mut journal = Journal::open(path, |_, line| {
        if !has_header {
            has_header = true;
            return same_count(&header, line);
        }
        let result = ResultLine::parse(line)?;
        let id = result.id;
        if !ids.contains(&result.id) || result.depth != plan.rest() || result.version != VERSION {
            bail!("unit {id} is not one of this count");
        }
        match known.insert(result.id, result.nodes) {
            Some(other) if other != result.nodes => {
                bail!("unit {id} has two counts, {other} and {}", result.nodes)
            }
            _ => Ok(()),
        }
    })?;
    if journal.is_empty() {
        journal.append(&header.to_string())?;
        journal.sync()?;
    }
    let name = path.display();

    let units = || plan.units.iter().map(|unit| UnitLine::new(unit, variant, plan.rest()));
    let before = known.len();
    let all = plan.units.len();
    let stop = stop_on_interrupt();
    let threads = args.machine.threads();
    let workers = Workers { engine, threads, table: table.as_ref(), stop };
    let start = Instant::now();
    let mut progress = Progress::new(args.output.quiet);
    let missing: Vec<UnitLine> = units().filter(|unit| !known.contains_key(&unit.id())).collect();
    let keys = keys(false);
    let told =
        work(&workers, missing.into_iter().map(|unit| Ok(as_work(unit))), |unit, nodes, time| {
            journal.append(&result_line(&unit, nodes, time, &keys).to_string())?;
            known.insert(unit.id(), nodes);
            progress.show(|| format!("{} of {all} units", known.len()));
            anyhow::Ok(())
        });
    drop(progress);
    journal.sync()?;
    told?;
    let seconds = start.elapsed().as_secs_f64();
    // All may have been done by the time that it was asked to stop.
    if known.len() < all {
        let done = known.len();
        if args.output.json {
            let object = json!({ "fen": board.fen(variant), "depth": depth, "nodes": Value::Null,
                "units": all, "units_known": done, "interrupted": true });
            output::result(&format!("{object}\n"))?;
        }
        output::note(format_args!(
            "perft: interrupted: {done} of {all} units are in {name}; the same command goes on"
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let nodes = total(units().filter_map(|unit| Some((*known.get(&unit.id())?, unit.ways))))?;
    if args.output.json {
        let object = json!({
            "fen": board.fen(variant),
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
            "threads": threads,
            "hash_bytes": table.as_ref().map_or(0, perft::Table::bytes),
            "kernel": engine.used().kernel.name(),
            "sliders": engine.sliders.name(),
            "cpu": engine.used().cpu.name(),
            "units": all,
            "units_known": before,
        });
        output::result(&format!("{object}\n"))?;
    } else {
        output::result(&format!("Nodes searched: {nodes}\n"))?;
        if !args.output.quiet {
            output::note(format_args!(
                "{} nodes; {} of {all} units counted in {seconds:.3} s, {before} known before",
                grouped(nodes),
                all - before,
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Cuts where there are enough units, and enough left to count behind each.
fn cut(board: &Board, depth: Depth) -> Result<Plan> {
    let mut ply = 0;
    loop {
        let plan = Plan::new(board, depth, ply, |_| {})?;
        let is_enough = plan.units.len() >= UNITS_ENOUGH || plan.units.is_empty();
        if is_enough || depth - ply <= LEAST_LEFT || ply == Plan::DEEPEST {
            return Ok(plan);
        }
        ply += 1;
    }
}

/// Sees that the first line of a checkpoint is that of this count.
fn same_count(header: &Value, line: &str) -> Result<()> {
    let found: Value = serde_json::from_str(line).unwrap_or_default();
    if found.get("perft_checkpoint").is_none() {
        bail!("not a checkpoint of this count or of any; --checkpoint wants a file of its own");
    }
    for (field, wanted) in header.as_object().into_iter().flatten() {
        let there = &found[field];
        if there != wanted {
            bail!("not a checkpoint of this count: its {field} is {there}, not {wanted}");
        }
    }
    Ok(())
}

/// What has to be the same for a checkpoint to go on.
fn header(board: &Board, variant: Variant, plan: &Plan) -> Value {
    json!({
        "perft_checkpoint": 1,
        "fen": board.fen(variant),
        "chess960": variant == Variant::Chess960,
        "depth": plan.depth,
        "ply": plan.ply,
        "version": VERSION,
        "keys": keys(false),
        "checksum": format!("{:016x}", plan.checksum()),
    })
}

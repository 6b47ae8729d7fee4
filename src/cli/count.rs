//! `perft POSITION DEPTH` and `perft divide`.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use perft::{Divide, Report, divide_with};
use serde_json::{Map, Value, json};

use super::args::CountArgs;
use super::output::{self, Progress, grouped, speed};
use super::position::position_and_depth;

/// Counts the leaves.
pub fn perft(args: &CountArgs) -> Result<ExitCode> {
    let report = counted(args)?;
    print(args, &Report { branches: None, ..report })
}

/// Counts the leaves behind each root move.
pub fn divide(args: &CountArgs) -> Result<ExitCode> {
    print(args, &counted(args)?)
}

fn counted(args: &CountArgs) -> Result<Report> {
    let (board, depth) = position_and_depth(&args.words, &args.position)?;
    let variant = args.position.variant();
    let engine = args.engine.engine();
    let mut progress = Progress::new(args.output.quiet);
    let roots = board.count_legal_moves();
    let start = Instant::now();
    let (mut done, mut nodes) = (0_u32, 0_u128);
    let Divide { branches, nodes } = divide_with(&board, depth, variant, |child, rest| {
        progress.show(|| format!("{done} of {roots} root moves, {} nodes", grouped(nodes)));
        let below = engine.count(child, rest)?;
        done += 1;
        nodes = nodes.saturating_add(below);
        Ok(below)
    })?;
    let elapsed = start.elapsed();
    Ok(Report { board, variant, depth, nodes, branches: Some(branches), elapsed, engine })
}

fn print(args: &CountArgs, report: &Report) -> Result<ExitCode> {
    if args.output.json {
        output::result(&format!("{}\n", json(report)))?;
    } else {
        output::result(&text(report))?;
        if !args.output.quiet {
            output::note(format_args!(
                "{} nodes in {:.3} s, {}",
                grouped(report.nodes),
                report.elapsed.as_secs_f64(),
                speed(report.nodes_per_second())
            ));
        }
    }
    if args.verbose && !args.output.quiet {
        output::note(format_args!("{}", output::made_with(&report.engine)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Stockfish's format: a line for each root move, an empty line, the total.
fn text(report: &Report) -> String {
    let mut text = String::new();
    if let Some(branches) = &report.branches {
        for branch in branches {
            _ = writeln!(text, "{}: {}", branch.mv.uci(report.variant), branch.nodes);
        }
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
    put("threads", json!(1));
    put("hash_bytes", json!(0));
    put("kernel", json!(report.engine.kernel.name()));
    put("sliders", json!(report.engine.sliders.name()));
    put("cpu", json!(report.engine.level().name()));
    if let Some(branches) = &report.branches {
        let moves: Vec<Value> = branches
            .iter()
            .map(|branch| json!({ "move": branch.mv.uci(report.variant), "nodes": branch.nodes }))
            .collect();
        put("moves", json!(moves));
    }
    Value::Object(object)
}

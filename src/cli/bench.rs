//! `perft bench`: speed, with every count checked.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use perft::Engine;
use perft::bench::{WORK, Work};
use serde_json::{Value, json};

use super::DIFFERENT;
use super::args::BenchArgs;
use super::output::{self, Progress, grouped};

/// The rounds of one position.
struct Measured {
    work: Work,
    best: Duration,
    worst: Duration,
}

impl Measured {
    /// Nodes a second in the best round.
    fn speed(&self) -> f64 {
        self.work.nodes as f64 / self.best.as_secs_f64()
    }

    /// How far the slowest round lay below the best, as a share of the best.
    fn spread(&self) -> f64 {
        1.0 - self.best.as_secs_f64() / self.worst.as_secs_f64()
    }
}

/// Measures all positions in turn, several rounds.
pub fn bench(args: &BenchArgs) -> Result<ExitCode> {
    let engine = args.engine.engine();
    let mut progress = Progress::new(args.output.quiet);
    let mut measured =
        WORK.map(|work| Measured { work, best: Duration::MAX, worst: Duration::ZERO });
    // A round to warm up, then those that count.
    for round in 0..=args.rounds.get() {
        for Measured { work, best, worst } in &mut measured {
            progress.show(|| format!("round {round} of {}, {}", args.rounds, work.name));
            match work.measure(&engine) {
                Err(wrong) => {
                    drop(progress);
                    output::note(format_args!("perft: wrong count: {wrong}"));
                    return Ok(ExitCode::from(DIFFERENT));
                }
                Ok(_) if round == 0 => {}
                Ok(time) => {
                    *best = time.min(*best);
                    *worst = time.max(*worst);
                }
            }
        }
    }
    drop(progress);
    let total = measured.iter().map(|position| position.best.as_secs_f64()).sum::<f64>();
    let nodes = measured.iter().map(|position| position.work.nodes).sum::<u64>();
    if args.output.json {
        let object = json(&measured, nodes, total, args.rounds.get(), &engine);
        output::result(&format!("{object}\n"))?;
    } else {
        output::result(&text(&measured, nodes, total))?;
        if !args.output.quiet {
            output::note(format_args!(
                "best of {} rounds; {}",
                args.rounds,
                output::made_with(&engine)
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text(measured: &[Measured], nodes: u64, total: f64) -> String {
    let mut text = format!(
        "{:<12} {:>5} {:>13} {:>9} {:>8} {:>7}\n",
        "position", "depth", "nodes", "seconds", "Mnps", "spread"
    );
    for position in measured {
        _ = writeln!(
            text,
            "{:<12} {:>5} {:>13} {:>9.4} {:>8.1} {:>5.0} %",
            position.work.name,
            position.work.depth,
            grouped(position.work.nodes.into()),
            position.best.as_secs_f64(),
            position.speed() / 1e6,
            position.spread() * 100.0
        );
    }
    _ = writeln!(
        text,
        "{:<12} {:>5} {:>13} {total:>9.4} {:>8.1}",
        "total",
        "",
        grouped(nodes.into()),
        nodes as f64 / total / 1e6
    );
    text
}

fn json(measured: &[Measured], nodes: u64, total: f64, rounds: usize, engine: &Engine) -> Value {
    let positions: Vec<Value> = measured
        .iter()
        .map(|position| {
            json!({
                "name": position.work.name,
                "fen": position.work.fen,
                "depth": position.work.depth,
                "nodes": position.work.nodes,
                "seconds": position.best.as_secs_f64(),
                "nps": position.speed() as u64,
                "spread": position.spread(),
            })
        })
        .collect();
    json!({
        "rounds": rounds,
        "threads": 1,
        "hash_bytes": 0,
        "kernel": engine.used().kernel.name(),
        "sliders": engine.sliders.name(),
        "cpu": engine.used().cpu.name(),
        "positions": positions,
        "nodes": nodes,
        "seconds": total,
        "nps": (nodes as f64 / total) as u64,
    })
}

//! `perft bench`: speed, with every count checked.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use perft::bench::{WORK, Work};
use perft::{Counter, Depth};
use serde::Serialize;

use super::DIFFERENT;
use super::args::BenchArgs;
use super::output::{self, ProgressLine, SetupReport, grouped};

/// Measures all positions in turn, in several rounds.
pub fn bench(args: &BenchArgs) -> Result<ExitCode> {
    let counter = Counter::new().backend(args.backend.backend());
    let mut progress = ProgressLine::new(args.output.quiet);
    let mut times = WORK.map(|work| (work, Duration::MAX, Duration::ZERO));
    // Round 0 warms up.
    for round in 0..=args.rounds.get() {
        for (work, best, worst) in &mut times {
            progress.show(|| format!("round {round} of {}, {}", args.rounds, work.name));
            match work.measure(&counter) {
                Err(wrong) => {
                    drop(progress);
                    output::note(format_args!("perft: wrong count: {wrong}"));
                    return Ok(ExitCode::from(DIFFERENT));
                }
                Ok(_) if round == 0 => {}
                Ok(time) => (*best, *worst) = (time.min(*best), time.max(*worst)),
            }
        }
    }
    drop(progress);
    let positions = times.map(|(work, best, worst)| PositionSpeed::new(&work, best, worst));
    let nodes = positions.iter().map(|position| position.nodes).sum::<u64>();
    let seconds = positions.iter().map(|position| position.seconds).sum::<f64>();
    let result = BenchResult {
        rounds: args.rounds.get(),
        setup: SetupReport::new(&counter),
        positions: positions.into(),
        nodes,
        seconds,
        nps: (nodes as f64 / seconds) as u64,
    };
    output::print(&result, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        let backend = &result.setup.backend;
        output::note(format_args!("best of {} rounds; {backend}", args.rounds));
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct BenchResult {
    rounds: usize,
    #[serde(flatten)]
    setup: SetupReport,
    positions: Vec<PositionSpeed>,
    nodes: u64,
    seconds: f64,
    nps: u64,
}

/// The best round of a position.
#[derive(Serialize)]
struct PositionSpeed {
    name: &'static str,
    fen: &'static str,
    depth: Depth,
    nodes: u64,
    seconds: f64,
    nps: u64,
    /// The distance of the slowest round from the best, as a share of the best speed.
    spread: f64,
}

impl PositionSpeed {
    fn new(&Work { name, fen, depth, nodes }: &Work, best: Duration, worst: Duration) -> Self {
        let (seconds, worst) = (best.as_secs_f64(), worst.as_secs_f64());
        let nps = (nodes as f64 / seconds) as u64;
        Self { name, fen, depth, nodes, seconds, nps, spread: 1.0 - seconds / worst }
    }
}

impl fmt::Display for BenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>5} {:>13} {:>9} {:>8} {:>7}",
            "position", "depth", "nodes", "seconds", "Mnps", "spread"
        )?;
        for PositionSpeed { name, depth, nodes, seconds, spread, .. } in &self.positions {
            let (speed, spread) = (*nodes as f64 / seconds / 1e6, spread * 100.0);
            let nodes = grouped((*nodes).into());
            writeln!(
                f,
                "{name:<12} {depth:>5} {nodes:>13} {seconds:>9.4} {speed:>8.1} {spread:>5.0} %"
            )?;
        }
        let Self { nodes, seconds, .. } = *self;
        let speed = nodes as f64 / seconds / 1e6;
        let nodes = grouped(nodes.into());
        writeln!(f, "{:<12} {:>5} {nodes:>13} {seconds:>9.4} {speed:>8.1}", "total", "")
    }
}

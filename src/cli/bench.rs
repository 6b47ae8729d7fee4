//! `perft bench`: speed, with every count checked.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use perft_core::bench::{BenchError, WORK, Work};
use perft_core::{Counter, Depth, Merge};
use serde::Serialize;

use super::DIFFERENT;
use super::args::BenchArgs;
use super::columns::Columns;
use super::output::{self, ProgressLine, SetupReport, grouped};

/// The memory of the counts with merging: enough for all of them.
const MEMORY: usize = 256 << 20;

/// Measures all positions in turn, each without merging, with a table and by layers, in several
/// rounds.
pub fn bench(args: &BenchArgs) -> Result<ExitCode> {
    let counter = Counter::new().backend(args.backend.backend());
    let ways = [Merge::None, Merge::Table, Merge::Layers]
        .map(|merge| counter.clone().memory(MEMORY).merge(merge));
    let mut progress = ProgressLine::new(args.output.quiet);
    let mut times = WORK.map(|work| (work, [(Duration::MAX, Duration::ZERO); 3]));
    // Round 0 warms up.
    for round in 0..=args.rounds.get() {
        for (work, times) in &mut times {
            progress.show(|| format!("round {round} of {}, {}", args.rounds, work.name));
            for (counter, (best, worst)) in ways.iter().zip(times) {
                match work.measure(counter) {
                    Err(wrong @ BenchError::WrongCount { .. }) => {
                        drop(progress);
                        output::note(format_args!("perft: wrong count: {wrong}"));
                        return Ok(ExitCode::from(DIFFERENT));
                    }
                    Err(error) => return Err(error.into()),
                    Ok(_) if round == 0 => {}
                    Ok(time) => (*best, *worst) = (time.min(*best), time.max(*worst)),
                }
            }
        }
    }
    drop(progress);
    let positions = times.map(|(work, times)| PositionSpeed::new(&work, times));
    let nodes = positions.iter().map(|position| position.nodes).sum::<u64>();
    let sum = |seconds: fn(&PositionSpeed) -> f64| {
        Speed::new(nodes, positions.iter().map(seconds).sum::<f64>())
    };
    let result = BenchResult {
        rounds: args.rounds.get(),
        setup: SetupReport::new(&counter),
        nodes,
        speed: sum(|position| position.speed.seconds),
        table: sum(|position| position.table.seconds),
        layers: sum(|position| position.layers.seconds),
        positions: positions.into(),
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
    #[serde(flatten)]
    speed: Speed,
    table: Speed,
    layers: Speed,
}

/// The time of a count.
#[derive(Serialize)]
struct Speed {
    seconds: f64,
    nps: u64,
}

impl Speed {
    fn new(nodes: u64, seconds: f64) -> Self {
        Self { seconds, nps: (nodes as f64 / seconds) as u64 }
    }
}

/// The best round of a position: without merging, and with a new table and by layers.
#[derive(Serialize)]
struct PositionSpeed {
    name: &'static str,
    fen: &'static str,
    depth: Depth,
    nodes: u64,
    #[serde(flatten)]
    speed: Speed,
    /// The distance of the slowest round from the best, as a share of the best speed.
    spread: f64,
    table: Speed,
    layers: Speed,
}

impl PositionSpeed {
    fn new(work: &Work, times: [(Duration, Duration); 3]) -> Self {
        let Work { name, fen, depth, nodes } = *work;
        let [speed, table, layers] = times.map(|(best, _)| Speed::new(nodes, best.as_secs_f64()));
        let spread = 1.0 - speed.seconds / times[0].1.as_secs_f64();
        Self { name, fen, depth, nodes, speed, spread, table, layers }
    }
}

impl fmt::Display for BenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Columns::new("<>");
        table.row(&[
            &"position",
            &"depth",
            &"nodes",
            &"seconds",
            &"Mnps",
            &"spread",
            &"table Mnps",
            &"layers Mnps",
        ]);
        let mut row = |[name, depth, spread]: [&str; 3], nodes: u64, speeds: [&Speed; 3]| {
            let (nodes, seconds) = (grouped(nodes.into()), format!("{:.4}", speeds[0].seconds));
            let [speed, table_speed, layers] =
                speeds.map(|speed| format!("{:.1}", speed.nps as f64 / 1e6));
            table.row(&[&name, &depth, &nodes, &seconds, &speed, &spread, &table_speed, &layers]);
        };
        for position in &self.positions {
            let PositionSpeed { name, depth, nodes, speed, spread, table, layers, .. } = position;
            let (depth, spread) = (depth.to_string(), format!("{:.0} %", spread * 100.0));
            row([name, &depth, &spread], *nodes, [speed, table, layers]);
        }
        row(["total", "", ""], self.nodes, [&self.speed, &self.table, &self.layers]);
        table.fmt(f)
    }
}

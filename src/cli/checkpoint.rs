//! `perft POSITION DEPTH --checkpoint FILE`: a count that can be killed and resumed.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use perft::plan::checkpoint::Checkpoint;
use perft::{Depth, Table};
use serde::Serialize;

use super::INTERRUPTED;
use super::args::CountArgs;
use super::output::{self, ProgressLine, SetupReport, grouped};
use super::position::position_and_depth;

/// A count that is finished.
#[derive(Serialize)]
struct Resumed {
    fen: String,
    depth: Depth,
    nodes: u128,
    seconds: f64,
    #[serde(flatten)]
    setup: SetupReport,
    units: usize,
    units_known: usize,
}

impl fmt::Display for Resumed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Nodes searched: {}", self.nodes)
    }
}

/// A count that was interrupted.
#[derive(Serialize)]
struct Unfinished {
    fen: String,
    depth: Depth,
    /// Not known yet.
    nodes: Option<u128>,
    units: usize,
    units_known: usize,
    interrupted: bool,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} units", self.units_known, self.units)
    }
}

/// Counts the units that the file does not have yet.
pub fn count(args: &CountArgs, path: &Path) -> Result<ExitCode> {
    let (board, depth) =
        position_and_depth(&args.target.tokens, &args.target.position, args.output.quiet)?;
    if depth == 0 {
        bail!("a count of depth 0 needs no --checkpoint");
    }
    if path == Path::new("-") {
        bail!("--checkpoint wants a file, not standard output");
    }
    // Made first: if there is no memory for the table, no file is made.
    let counter = args.counting.counter(Table::recommended_bytes_for(&board, depth))?;
    let mut checkpoint = Checkpoint::open(path, &board, depth)?;
    let (units, known_before) = (checkpoint.units(), checkpoint.known());
    let start = Instant::now();
    let mut progress = ProgressLine::new(args.output.quiet);
    let nodes = checkpoint.count(&counter, |known| {
        progress.show(|| format!("{known} of {units} units"));
    })?;
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    let fen = board.to_string();
    let Some(nodes) = nodes else {
        let units_known = checkpoint.known();
        let unfinished =
            Unfinished { fen, depth, nodes: None, units, units_known, interrupted: true };
        if args.output.json {
            output::print(&unfinished, true)?;
        }
        let file = path.display();
        output::note(format_args!(
            "perft: interrupted: {unfinished} are in {file}; the same command goes on"
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let resumed = Resumed {
        fen,
        depth,
        nodes,
        seconds,
        setup: SetupReport::new(&counter),
        units,
        units_known: known_before,
    };
    output::print(&resumed, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        output::note(format_args!(
            "{} nodes; {} of {units} units counted in {seconds:.3} s, {known_before} known before",
            grouped(nodes),
            units - known_before,
        ));
    }
    Ok(ExitCode::SUCCESS)
}

//! `perft POSITION DEPTH --checkpoint FILE`: a count that can be killed and resumed.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use crate::plan::checkpoint::{Checkpoint, CheckpointProgress, PartKind};
use anyhow::{Result, bail};
use perft_core::{Counter, Depth};
use serde::Serialize;

use super::args::CountArgs;
use super::interrupted;
use super::output::{self, ProgressLine, SetupReport, grouped};

/// A count that is finished.
#[derive(Serialize)]
struct Resumed {
    fen: String,
    depth: Depth,
    nodes: u128,
    seconds: f64,
    #[serde(flatten)]
    setup: SetupReport,
    #[serde(flatten)]
    parts: PartsReport,
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
    #[serde(flatten)]
    parts: PartsReport,
    interrupted: bool,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self.parts {
            PartsReport::Units { units, units_known } => {
                parts_known(units_known, units, PartKind::Units)
            }
            PartsReport::Passes { passes, passes_known } => {
                parts_known(passes_known, passes, PartKind::Passes)
            }
        })
    }
}

/// The parts of a count, and those that the file has.
#[derive(Serialize)]
#[serde(untagged)]
enum PartsReport {
    Units {
        units: Option<usize>,
        units_known: usize,
    },
    Passes {
        /// Not known before the layers above are made.
        passes: Option<usize>,
        passes_known: usize,
    },
}

impl PartsReport {
    fn new(checkpoint: &Checkpoint, known: usize) -> Self {
        match checkpoint.kind() {
            PartKind::Units => Self::Units { units: checkpoint.parts(), units_known: known },
            PartKind::Passes => Self::Passes { passes: checkpoint.parts(), passes_known: known },
        }
    }
}

/// The parts that are known: `3 of 16 passes`, or `3 passes` if the number of all is not.
fn parts_known(known: usize, parts: Option<usize>, kind: PartKind) -> String {
    match parts {
        Some(parts) => format!("{known} of {parts} {kind}"),
        None if known == 1 => "1 pass".to_owned(),
        None => format!("{known} {kind}"),
    }
}

/// Counts the parts that the file does not have yet.
pub fn count(args: &CountArgs, path: &Path) -> Result<ExitCode> {
    let (board, depth) = args.target.read(args.output.quiet)?;
    if depth == 0 {
        bail!("a count of depth 0 needs no --checkpoint");
    }
    if path == Path::new("-") {
        bail!("--checkpoint wants a file, not standard output");
    }
    // Made first: if there is not the memory that was asked for, no file is made.
    let memory = || Counter::recommended_memory(&board, depth);
    let counter = args.merge.counter(&args.counting, memory)?;
    let mut checkpoint = Checkpoint::open(path, &board, depth, &counter)?;
    let (kind, known_before) = (checkpoint.kind(), checkpoint.known());
    let start = Instant::now();
    let mut progress = ProgressLine::new(args.output.quiet);
    let nodes = checkpoint.count(|now| progress.show(|| progress_line(now)))?;
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    let fen = board.to_string();
    let (known, parts) = (checkpoint.known(), checkpoint.parts());
    let kind_now = checkpoint.kind();
    if kind_now != kind && !args.output.quiet {
        output::note(format_args!(
            "perft: counted in units: layers do not fit into the memory, or the lines to a \
             position into 64 bits"
        ));
    }
    let Some(nodes) = nodes else {
        let report = PartsReport::new(&checkpoint, known);
        let unfinished = Unfinished { fen, depth, nodes: None, parts: report, interrupted: true };
        if args.output.json {
            output::print(&unfinished, true)?;
        }
        let file = path.display();
        return Ok(interrupted(format_args!("{file} has {unfinished}; the same command goes on")));
    };
    let resumed = Resumed {
        fen,
        depth,
        nodes,
        seconds,
        setup: SetupReport::with_memory(&counter, counter.usage().bytes),
        parts: PartsReport::new(&checkpoint, known_before),
    };
    output::print(&resumed, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        let counted = parts_known(known - known_before, parts, kind_now);
        output::note(format_args!(
            "{} nodes; {counted} counted in {seconds:.3} s, {known_before} known before",
            grouped(nodes),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// `3 of 16 passes, 21.7 %`.
fn progress_line(now: &CheckpointProgress) -> String {
    let &CheckpointProgress { kind, parts, known, share } = now;
    match kind {
        PartKind::Units => parts_known(known, parts, kind),
        PartKind::Passes => {
            format!("{}, {:.1} % of the rest", parts_known(known, parts, kind), share * 100.0)
        }
    }
}

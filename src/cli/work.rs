//! `perft work`: units in, results out.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use crate::plan::journal::Journal;
use crate::plan::lines::{ResultLine, UnitLine};
use crate::plan::reader::{Finished, read_results, read_units};
use crate::plan::work_with;
use anyhow::{Result, bail};
use perft_core::{Board, Counter, Depth, Stats, Table};

use super::args::WorkArgs;
use super::interrupt::cancel_on_interrupt;
use super::interrupted;
use super::output::{self, ProgressLine, grouped, number_of};

/// The table is made for so many units like the first.
pub const UNITS_PER_TABLE: f64 = 1000.0;

/// The memory for the layers of a unit, for statistics. Layers that need more are made in passes.
const UNIT_LAYERS_BYTES: usize = 64 << 20;

/// Counts the units of a file or of standard input.
pub fn run(args: &WorkArgs) -> Result<ExitCode> {
    let cancel = cancel_on_interrupt();
    let units = read_units(args.file.as_deref().unwrap_or(Path::new("-")), &cancel)?;
    let mut units = units.peekable();
    // Checked before a file for results is made.
    if let Some(Err(error)) = units.next_if(Result::is_err) {
        return Err(error.into());
    }
    let mut finished = Finished::new(args.stats);
    for path in &args.resume {
        let on_bad_line = |bad| output::note(format_args!("perft: {bad}"));
        read_results(path, &cancel, on_bad_line, |place, result| finished.add(&place, &result))?;
    }
    let mut journal = None;
    if let Some(path) = args.results.as_deref().filter(|&path| path != Path::new("-")) {
        journal = Some(Journal::open(path, |place, line| {
            let result = ResultLine::parse(line).map_err(|error| place.error(error))?;
            finished.add(&place, &result)
        })?);
    }

    let mut skipped = 0_u64;
    let mut units = units
        .filter_map(|unit| match unit.and_then(|unit| Ok((finished.contains(&unit)?, unit))) {
            Ok((true, _)) => {
                skipped += 1;
                None
            }
            Ok((false, unit)) => Some(Ok(unit)),
            Err(error) => Some(Err(error)),
        })
        .peekable();
    let leaves = units.peek().and_then(|unit| unit.as_ref().ok()).map_or(0.0, |unit| unit.cost);
    let counter = if args.stats {
        args.counting.counter_of_threads(UNIT_LAYERS_BYTES)?
    } else {
        let bytes = Table::recommended_bytes(leaves * UNITS_PER_TABLE);
        args.counting.counter_with_keys(bytes, args.other_keys)?
    };
    let count = |counter: &Counter, board: &Board, depth: Depth| match args.stats {
        true => counter.stats_at(board, depth),
        false => counter.count(board, depth).map(|nodes| Stats { nodes, ..Stats::default() }),
    };

    let start = Instant::now();
    let mut progress = ProgressLine::new(args.output.quiet);
    let (mut counted, mut nodes_so_far) = (0_u64, 0_u128);
    let tasks = units.map(|unit| Ok(unit?.into_task()));
    let worked = work_with(&counter, count, tasks, |unit: UnitLine, stats, time| {
        let nodes = stats.nodes;
        let result = ResultLine::new(unit.id(), unit.depth, nodes, time, args.other_keys);
        let result = if args.stats { result.with_stats(stats) } else { result };
        match &mut journal {
            Some(journal) => drop(journal.append(&result.to_string())?),
            None => output::print(&result, true)?,
        }
        counted += 1;
        nodes_so_far = nodes_so_far.saturating_add(nodes);
        progress.show(|| {
            format!("{}, {} nodes", number_of(counted.into(), "unit"), grouped(nodes_so_far))
        });
        Ok(())
    });
    drop(progress);
    if let Some(journal) = &mut journal {
        journal.sync()?;
    }
    match worked {
        // The results are lost, so this is not a success.
        Err(error) if super::is_closed_pipe(&error) => {
            let units = number_of(counted.into(), "unit");
            bail!("standard output was closed after {units}; -o FILE keeps results")
        }
        worked => worked?,
    }
    if cancel.is_cancelled() {
        let units = number_of(counted.into(), "unit");
        let are = if counted == 1 { "is" } else { "are" };
        return Ok(interrupted(format_args!("{units} {are} finished")));
    }
    if !args.output.quiet {
        let seconds = start.elapsed().as_secs_f64();
        let nodes = grouped(nodes_so_far);
        let known = if skipped > 0 { format!(", {skipped} known before") } else { String::new() };
        let units = number_of(counted.into(), "unit");
        output::note(format_args!("{units}, {nodes} nodes in {seconds:.1} s{known}"));
    }
    Ok(ExitCode::SUCCESS)
}

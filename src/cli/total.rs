//! `perft total`: results verified and added up.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::plan::lines::UnitId;
use crate::plan::reader::{FileError, read_results, read_units};
use crate::plan::verify::Tally;
use anyhow::Result;
use perft_core::{CancelToken, Depth, Table, estimate};
use serde::Serialize;

use super::args::TotalArgs;
use super::interrupt::cancel_on_interrupt;
use super::output::{self, grouped, number_of};
use super::stats::{StatsRow, StatsRows};
use super::work::UNITS_PER_TABLE;
use super::{DIFFERENT, interrupted};
use crate::plan::lines::StatsObject;

/// The count of a plan.
#[derive(Serialize)]
struct Total<'a> {
    fen: String,
    depth: Depth,
    nodes: u128,
    /// The kinds of moves, if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<StatsObject>,
    units: u64,
    audited: u64,
    version: Option<&'a str>,
}

impl fmt::Display for Total<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stats {
            Some(StatsObject(stats)) => {
                StatsRows(&[StatsRow { depth: self.depth.into(), stats }]).fmt(f)
            }
            None => writeln!(f, "Nodes searched: {}", self.nodes),
        }
    }
}

/// The units without a result.
#[derive(Serialize)]
struct Missing {
    units: u64,
    missing: Vec<UnitId>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_SHOWN: usize = 20;
        let (missing, all) = (grouped(self.missing.len() as u128), grouped(self.units.into()));
        write!(f, "{missing} of {all} units have no result (--missing makes a plan of them):")?;
        for id in self.missing.iter().take(MAX_SHOWN) {
            write!(f, " {id}")?;
        }
        if self.missing.len() > MAX_SHOWN { f.write_str(" ...") } else { Ok(()) }
    }
}

/// Verifies and adds up.
pub fn total(args: &TotalArgs) -> Result<ExitCode> {
    let mut tally = Tally::open(&args.plan)?;
    let cancel = cancel_on_interrupt();
    for path in &args.results {
        let on_bad_line = |bad| output::note(format_args!("perft: {bad}"));
        let add = |place, result| tally.add(place, result);
        if let Err(error) = read_results(path, &cancel, on_bad_line, add) {
            return no_total(args, error);
        }
    }
    if cancel.is_cancelled() {
        return Ok(interrupted(format_args!("not all results were read")));
    }
    if args.missing {
        return print_missing(args, &tally);
    }
    let header = tally.header();
    let Some(nodes) = tally.total()? else {
        return different(args, &Missing { units: header.units, missing: tally.missing() });
    };
    let stats = if args.stats { Some(tally.stats()?) } else { None };
    let mut audited = 0;
    if let Some(share) = args.audit {
        let unit = estimate(&header.root, header.rest());
        let bytes = Table::recommended_bytes(unit * UNITS_PER_TABLE);
        let counter = args.machine.with_table(args.machine.without_memory(), bytes, true)?;
        audited = match tally.audit(&args.plan, &counter, share, args.seed) {
            Ok(audited) => audited,
            Err(error) => return no_total(args, error),
        };
        if cancel.is_cancelled() {
            let units = number_of(audited as u128, "unit");
            return Ok(interrupted(format_args!("audited {units}")));
        }
    }
    let (fen, depth, units) = (header.root.to_string(), header.depth, header.units);
    let stats = stats.map(StatsObject);
    let total = Total { fen, depth, nodes, stats, units, audited, version: tally.version() };
    output::print(&total, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        let units = number_of(units.into(), "unit");
        let audit = match audited {
            0 => String::new(),
            _ => format!(", {audited} counted again with other keys"),
        };
        output::note(format_args!("{units}{audit}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Results that disagree are an outcome; everything else is an error.
fn no_total(args: &TotalArgs, error: FileError) -> Result<ExitCode> {
    match error {
        FileError::Disagreement(disagreement) => different(args, &*disagreement),
        error => Err(error.into()),
    }
}

/// Reports why there is no total: an object on standard output, a message on standard error.
fn different<T: fmt::Display + Serialize>(args: &TotalArgs, reason: &T) -> Result<ExitCode> {
    if args.output.json {
        output::print_verdict(reason, true)?;
    }
    output::note(format_args!("perft: {reason}"));
    Ok(ExitCode::from(DIFFERENT))
}

/// Prints the units without a result, as a plan.
fn print_missing(args: &TotalArgs, tally: &Tally) -> Result<ExitCode> {
    let header = tally.missing_header();
    let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
    output::checked(writeln!(out, "{header}"))?;
    for unit in read_units(&args.plan, &CancelToken::new())? {
        let unit = unit?;
        if tally.is_missing(unit.id()) {
            output::checked(writeln!(out, "{unit}"))?;
        }
    }
    output::checked(out.flush())?;
    if !args.output.quiet {
        let (missing, all) = (grouped(header.units.into()), grouped(tally.header().units.into()));
        output::note(format_args!("{missing} of {all} units have no result"));
    }
    Ok(ExitCode::SUCCESS)
}

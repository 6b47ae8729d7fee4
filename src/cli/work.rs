//! `perft work`: units in, results out.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use perft::plan::lines::{Header, Id, LineError, ResultLine, UnitLine};
use perft::plan::work;
use perft::{Board, Depth, Table, Workers};
use rustc_hash::FxHashMap;

use super::INTERRUPTED;
use super::args::WorkArgs;
use super::files::{Journal, Lines};
use super::interrupt::stop_on_interrupt;
use super::output::{self, Progress, grouped};

/// What our results carry, so that those that do not belong together are told apart.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Counts the units of a file or of standard input.
pub fn run(args: &WorkArgs) -> Result<ExitCode> {
    // What cannot be read is no reason to make a file for results.
    let lines = Lines::open(args.file.as_deref().unwrap_or(Path::new("-")))?;
    let mut done: FxHashMap<Id, Depth> = FxHashMap::default();
    for path in &args.resume {
        for result in Results::open(path)? {
            let (line, result) = result?;
            check_version(&result).with_context(|| format!("{}:{line}", path.display()))?;
            done.insert(result.id, result.depth);
        }
    }
    let mut journal = None;
    if let Some(path) = args.results.as_deref().filter(|&path| path != Path::new("-")) {
        let check = |_, line: &str| {
            let result = ResultLine::parse(line)?;
            check_version(&result)?;
            done.insert(result.id, result.depth);
            Ok(())
        };
        journal = Some(Journal::open(path, check)?);
    }
    let mut other_depths: Vec<Depth> = done.values().copied().collect();
    other_depths.sort_unstable();
    other_depths.dedup();

    let mut skipped = 0_u64;
    let mut units = Units(lines)
        .map(|unit| {
            let unit = unit?;
            if let Some(other) = other_depths.iter().find(|&&depth| depth != unit.depth) {
                bail!(
                    "there are results of depth {other}, and unit {} is of depth {}: they are of another plan",
                    unit.id(),
                    unit.depth
                );
            }
            Ok(unit)
        })
        .filter(|unit| {
            let is_done = unit.as_ref().is_ok_and(|unit| done.contains_key(&unit.id()));
            skipped += u64::from(is_done);
            !is_done
        })
        .peekable();
    let engine = args.engine.engine();
    // As much as pays for many units like the first.
    let leaves = units.peek().and_then(|unit| unit.as_ref().ok()).map_or(0.0, |unit| unit.cost);
    let table = args.machine.table(leaves * 1000.0, engine.kernel)?;
    let table = if args.other_keys { table.map(Table::swapped).transpose()? } else { table };
    let stop = stop_on_interrupt();
    let workers = Workers { engine, threads: args.machine.threads(), table: table.as_ref(), stop };
    let keys = keys(args.other_keys);

    let start = Instant::now();
    let mut progress = Progress::new(args.output.quiet);
    let (mut finished, mut nodes_so_far) = (0_u64, 0_u128);
    let told = work(&workers, units.map(|unit| unit.map(as_work)), |unit, nodes, time| {
        let line = result_line(&unit, nodes, time, &keys).to_string();
        match &mut journal {
            Some(journal) => journal.append(&line)?,
            None => output::result(&format!("{line}\n"))?,
        }
        finished += 1;
        nodes_so_far = nodes_so_far.saturating_add(nodes);
        progress.show(|| format!("{finished} units, {} nodes", grouped(nodes_so_far)));
        Ok(())
    });
    drop(progress);
    if let Some(journal) = &mut journal {
        journal.sync()?;
    }
    match told {
        // Whoever was to have the results is gone, and they with it.
        Err(error) if super::is_closed_pipe(&error) => {
            bail!("standard output was closed after {finished} units; -o FILE keeps results")
        }
        told => told?,
    }
    if stop.load(Ordering::Relaxed) {
        output::note(format_args!("perft: interrupted: {finished} units are finished"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if !args.output.quiet {
        let seconds = start.elapsed().as_secs_f64();
        let nodes = grouped(nodes_so_far);
        let known = if skipped > 0 { format!(", {skipped} known before") } else { String::new() };
        output::note(format_args!("{finished} units, {nodes} nodes in {seconds:.1} s{known}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Results of several versions would not be summed up in the end.
fn check_version(result: &ResultLine) -> Result<()> {
    if result.version != VERSION {
        bail!("a result of version {}, not {VERSION}", result.version);
    }
    Ok(())
}

/// A unit as [`work`] wants it.
pub fn as_work(unit: UnitLine) -> (Board, Depth, UnitLine) {
    (unit.board, unit.depth, unit)
}

/// The names of the keys: their seed, and whether their halves change places.
pub fn keys(others: bool) -> String {
    format!("{:016x}{}", Board::KEY_SEED, if others { "-swapped" } else { "" })
}

/// The result of a unit.
pub fn result_line(unit: &UnitLine, nodes: u128, time: Duration, keys: &str) -> ResultLine {
    ResultLine {
        id: unit.id(),
        depth: unit.depth,
        nodes,
        seconds: time.as_secs_f64(),
        version: VERSION.to_owned(),
        keys: keys.to_owned(),
    }
}

/// The units of a plan; headers are passed over.
pub struct Units(pub Lines);

impl Iterator for Units {
    type Item = Result<UnitLine>;

    fn next(&mut self) -> Option<Result<UnitLine>> {
        loop {
            let line = match self.0.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            let place = || self.0.place(&line);
            if !Header::is_one(&line.text) {
                let unit = UnitLine::parse(&line.text).map_err(|error| {
                    let is_result = ResultLine::parse(&line.text).is_ok();
                    if is_result {
                        anyhow!("a result, not a unit of a plan")
                    } else {
                        anyhow!(error)
                    }
                });
                return Some(unit.with_context(place));
            }
            if let Err(error) = Header::parse(&line.text) {
                return Some(Err(anyhow!(error).context(place())));
            }
        }
    }
}

/// The results of a file, each with the number of its line. A line that is cut off, as a killed
/// worker leaves it, is told of and passed over.
pub struct Results {
    lines: Lines,
}

impl Results {
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { lines: Lines::open(path)? })
    }
}

impl Iterator for Results {
    type Item = Result<(usize, ResultLine)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            let place = self.lines.place(&line);
            // A power cut leaves zeros.
            match ResultLine::parse(line.text.trim_matches('\0')) {
                Ok(result) => return Some(Ok((line.number, result))),
                // One that was cut off, and what was appended to it later.
                Err(LineError::NotAnObject) if let Some(result) = last_in_line(&line.text) => {
                    output::note(format_args!(
                        "perft: {place}: a line is cut off or runs into another; its last result \
                         counts"
                    ));
                    return Some(Ok((line.number, result)));
                }
                Err(LineError::Torn) => {
                    let end = if line.is_ended { "" } else { ", the last" };
                    output::note(format_args!(
                        "perft: {place}: a line is cut off{end}; not counted"
                    ));
                }
                Err(error) => return Some(Err(anyhow!(error).context(place))),
            }
        }
    }
}

/// The result at the end of a line that does not begin with it.
fn last_in_line(text: &str) -> Option<ResultLine> {
    let place = text.rfind("{\"id\":\"").filter(|&place| place > 0)?;
    ResultLine::parse(&text[place..]).ok()
}

//! `perft total`: results checked and summed up.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail};
use perft::plan::lines::{Header, Id, UnitLine};
use perft::plan::{Plan, work};
use perft::random::Rng;
use perft::{Depth, PerftError, Table, Workers};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::args::TotalArgs;
use super::files::Lines;
use super::interrupt::stop_on_interrupt;
use super::output::{self, grouped, visible};
use super::work::{Results, Units, as_work};
use super::{DIFFERENT, INTERRUPTED};

/// A unit of the plan and what is known of it.
struct Known {
    depth: Depth,
    ways: u64,
    checksum: u64,
    result: Option<Found>,
}

/// A count, and where it was found.
#[derive(Clone, Copy)]
struct Found {
    nodes: u128,
    file: usize,
    line: usize,
}

impl Found {
    fn json(self, args: &TotalArgs) -> Value {
        let file = args.results[self.file].display().to_string();
        json!({ "file": file, "line": self.line, "nodes": self.nodes })
    }
}

/// Checks and sums up.
pub fn total(args: &TotalArgs) -> Result<ExitCode> {
    let (header, mut units) = read_plan(&args.plan)?;
    let stop = stop_on_interrupt();
    let mut version: Option<(String, usize, usize)> = None;
    for (file, path) in args.results.iter().enumerate() {
        for result in Results::open(path)?.take_while(|_| !stop.load(Ordering::Relaxed)) {
            let (line, result) = result?;
            let place = format!("{}:{line}", path.display());
            match &version {
                None => version = Some((result.version.clone(), file, line)),
                Some((first, file, line)) if *first != result.version => {
                    let other = args.results[*file].display();
                    let versions = [first, &result.version].map(|version| visible(version));
                    let message = format!(
                        "results of two versions: {} in {other}:{line}, {} in {place}",
                        versions[0], versions[1]
                    );
                    let object = json!({ "versions": [first, result.version] });
                    return disagreement(args, &object, &message);
                }
                Some(_) => {}
            }
            let Some(unit) = units.get_mut(&result.id) else {
                bail!("{place}: unit {} is not in {}", result.id, args.plan.display());
            };
            if unit.depth != result.depth {
                let (id, wanted, got) = (result.id, unit.depth, result.depth);
                bail!("{place}: unit {id} is counted to depth {got}, not {wanted}");
            }
            let found = Found { nodes: result.nodes, file, line };
            match unit.result {
                None => unit.result = Some(found),
                Some(known) if known.nodes == found.nodes => {}
                Some(known) => return conflict(args, result.id, known, found),
            }
        }
    }
    // An interrupted pipe ends as if it had no more.
    if stop.load(Ordering::Relaxed) {
        output::note(format_args!("perft: interrupted: not all results were read"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if args.missing {
        return print_missing(args, &header, &units);
    }
    let mut missing: Vec<Id> =
        units.iter().filter(|(_, unit)| unit.result.is_none()).map(|(&id, _)| id).collect();
    missing.sort_unstable();
    if !missing.is_empty() {
        return tell_missing(args, &missing, units.len());
    }
    let found = units.values().filter_map(|unit| Some((unit.result?.nodes, unit.ways)));
    let nodes = perft::plan::total(found)?;
    let mut audited = 0;
    if let Some(share) = args.audit {
        match audit(args, share, &units)? {
            Audit::Agrees(number) => audited = number,
            Audit::Ended(code) => return Ok(code),
        }
    }
    if args.output.json {
        let object = json!({
            "fen": header.root.fen(header.variant),
            "depth": header.depth,
            "nodes": nodes,
            "units": units.len(),
            "audited": audited,
            "version": version.map(|(version, ..)| version),
        });
        output::result(&format!("{object}\n"))?;
    } else {
        output::result(&format!("Nodes searched: {nodes}\n"))?;
        if !args.output.quiet {
            let audit = if audited > 0 {
                format!(", {audited} counted again with other keys")
            } else {
                String::new()
            };
            output::note(format_args!("{} units{audit}", grouped(units.len() as u128)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Says why there is no total: to programs by an object, and to people by a message.
fn disagreement(args: &TotalArgs, object: &Value, message: &str) -> Result<ExitCode> {
    if args.output.json {
        output::verdict(&format!("{object}\n"))?;
    }
    output::note(format_args!("perft: {message}"));
    Ok(ExitCode::from(DIFFERENT))
}

/// Reads a plan, and sees that it is whole.
fn read_plan(path: &Path) -> Result<(Header, FxHashMap<Id, Known>)> {
    let name = path.display();
    // What is no file, such as a pipe, would be empty the second time.
    if path == Path::new("-") || fs::metadata(path).is_ok_and(|kind| !kind.is_file()) {
        bail!("{name}: a plan is read twice and has to be a plain file");
    }
    let mut lines = Lines::open(path)?;
    let Some(first) = lines.next().transpose()? else { bail!("{name}: empty, not a plan") };
    let header = Header::parse(&first.text).with_context(|| {
        format!("{}: not the header of a plan (perft total PLAN RESULTS)", lines.place(&first))
    })?;
    if header.ply > Plan::DEEPEST {
        bail!("{name}:1: a cut after {} plies, {} at most", header.ply, Plan::DEEPEST);
    }
    let mut units: FxHashMap<Id, Known> = FxHashMap::default();
    let (mut sum, mut ways) = (header.root_checksum(), 0_u128);
    let rest = header.depth - header.ply;
    for line in lines.by_ref() {
        let line = line?;
        let place = || format!("{name}:{}", line.number);
        let unit = UnitLine::parse(&line.text).with_context(place)?;
        if unit.depth != rest {
            bail!("{}: a unit of depth {}, not {rest} as the header has it", place(), unit.depth);
        }
        sum = sum.wrapping_add(unit.checksum());
        ways += u128::from(unit.ways);
        let known =
            Known { depth: unit.depth, ways: unit.ways, checksum: unit.checksum(), result: None };
        if units.insert(unit.id(), known).is_some() {
            bail!("{}: unit {} is there twice", place(), unit.id());
        }
    }
    let found = (units.len() as u64, ways, sum);
    if found != (header.units, header.ways, header.checksum) {
        bail!(
            "{name}: the units are not those of the header: {} of {} units, {ways} of {} ways, \
             checksum {sum:016x}, not {:016x}",
            units.len(),
            header.units,
            header.ways,
            header.checksum
        );
    }
    let all = ways_to_the_cut(&header)?;
    if all != Some(ways) {
        let all = all.map_or(format!("more than {ways}"), |all| all.to_string());
        bail!("{name} has units for {ways} of {all} ways: it is a part of a plan; give the whole");
    }
    Ok((header, units))
}

/// The ways that there are to the cut; `None` if they are more than the header says.
fn ways_to_the_cut(header: &Header) -> Result<Option<u128>> {
    /// As much as helps with the deepest cut that a plan was ever made for.
    const TABLE: usize = 64 << 20;
    let table = if header.ply > 6 { Table::new(TABLE).ok() } else { None };
    let workers = Workers { table: table.as_ref(), ..Workers::default() };
    match workers.count_up_to(&header.root, header.ply, header.ways) {
        Ok(ways) => Ok(Some(ways)),
        Err(PerftError::Above(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Shows two results that do not agree.
fn conflict(args: &TotalArgs, id: Id, first: Found, second: Found) -> Result<ExitCode> {
    let mut text = format!("unit {id} has two counts, {} and {}:", first.nodes, second.nodes);
    for found in [first, second] {
        let path = &args.results[found.file];
        // A pipe cannot be read again.
        let is_plain = fs::metadata(path).is_ok_and(|kind| kind.is_file());
        let again = is_plain.then(|| Lines::open(path).ok()).flatten();
        let line = again
            .and_then(|mut lines| {
                lines.find_map(|line| line.ok().filter(|line| line.number == found.line))
            })
            .map_or(format!("{} nodes", found.nodes), |line| visible(&line.text));
        _ = write!(text, "\n{}:{}: {line}", path.display(), found.line);
    }
    let object = conflict_json(id, &[first.json(args), second.json(args)]);
    disagreement(args, &object, &text)
}

fn conflict_json(id: Id, results: &[Value]) -> Value {
    json!({ "conflict": { "id": id.to_string(), "results": results } })
}

fn tell_missing(args: &TotalArgs, missing: &[Id], all: usize) -> Result<ExitCode> {
    const SHOWN: usize = 20;
    let ids: Vec<String> = missing.iter().map(Id::to_string).collect();
    let message = format!(
        "{} of {} units have no result (--missing makes a plan of them): {}{}",
        grouped(ids.len() as u128),
        grouped(all as u128),
        ids[..ids.len().min(SHOWN)].join(" "),
        if ids.len() > SHOWN { " ..." } else { "" }
    );
    disagreement(args, &json!({ "units": all, "missing": ids }), &message)
}

/// Prints the units without a result, as a plan.
fn print_missing(
    args: &TotalArgs,
    header: &Header,
    units: &FxHashMap<Id, Known>,
) -> Result<ExitCode> {
    let mut header = header.clone();
    (header.units, header.ways, header.checksum) = (0, 0, header.root_checksum());
    for unit in units.values().filter(|unit| unit.result.is_none()) {
        header.units += 1;
        header.ways += u128::from(unit.ways);
        header.checksum = header.checksum.wrapping_add(unit.checksum);
    }
    let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
    output::checked(writeln!(out, "{header}"))?;
    for unit in Units(Lines::open(&args.plan)?) {
        let unit = unit?;
        if units.get(&unit.id()).is_some_and(|known| known.result.is_none()) {
            output::checked(writeln!(out, "{unit}"))?;
        }
    }
    output::checked(out.flush())?;
    if !args.output.quiet {
        let (missing, all) = (grouped(header.units.into()), grouped(units.len() as u128));
        output::note(format_args!("{missing} of {all} units have no result"));
    }
    Ok(ExitCode::SUCCESS)
}

enum Audit {
    /// So many units agree.
    Agrees(u64),
    /// Others do not, or it was interrupted.
    Ended(ExitCode),
}

/// Counts a sample again, with other keys.
fn audit(args: &TotalArgs, share: f64, units: &FxHashMap<Id, Known>) -> Result<Audit> {
    let chosen = |unit: &UnitLine| {
        let key = unit.board.key();
        let mut rng = Rng::new(args.seed ^ (key >> 64) as u64 ^ key as u64);
        (rng.next_u64() as f64) < share * 2_f64.powi(64)
    };
    let engine = args.engine.engine();
    // As much as pays for many units like the first.
    let leaves = Units(Lines::open(&args.plan)?).next().transpose()?.map_or(0.0, |unit| unit.cost);
    let table = args.machine.table(leaves * 1000.0, engine.kernel)?;
    let table = table.map(Table::swapped).transpose()?;
    let stop = stop_on_interrupt();
    let workers = Workers { engine, threads: args.machine.threads(), table: table.as_ref(), stop };
    let sample = Units(Lines::open(&args.plan)?).filter(|unit| unit.as_ref().map_or(true, chosen));
    let (mut number, mut wrong) = (0, None);
    work(&workers, sample.map(|unit| unit.map(as_work)), |unit: UnitLine, nodes, _| {
        number += 1;
        let found = units.get(&unit.id()).and_then(|known| known.result);
        if let Some(found) = found.filter(|found| found.nodes != nodes) {
            wrong = Some((unit.id(), found, nodes));
        }
        anyhow::Ok(())
    })?;
    if let Some((id, found, nodes)) = wrong {
        let place = format!("{}:{}", args.results[found.file].display(), found.line);
        let text = format!(
            "unit {id} has {} nodes in {place} and, counted again with other keys, {nodes}",
            found.nodes
        );
        let again = json!({ "audit": true, "nodes": nodes });
        let object = conflict_json(id, &[found.json(args), again]);
        return disagreement(args, &object, &text).map(Audit::Ended);
    }
    if stop.load(Ordering::Relaxed) {
        output::note(format_args!("perft: interrupted: {number} units were audited"));
        return Ok(Audit::Ended(ExitCode::from(INTERRUPTED)));
    }
    if number == 0 {
        bail!("no unit falls into an audit of so few; give a larger percentage");
    }
    Ok(Audit::Agrees(number))
}

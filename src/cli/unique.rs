//! `perft unique`: different positions.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::plan::unique::{UniqueResult, UniqueTotal, UniqueUnit, read_unique_units};
use anyhow::{Error, Result, anyhow, bail};
use perft_core::sys::available_memory;
use perft_core::{
    Board, Depth, EnPassant, Unique, UniqueCount, UniqueError, UniquePart, UniqueProgress, estimate,
};
use serde::Serialize;

use super::args::UniqueArgs;
use super::interrupt::cancel_on_interrupt;
use super::output::{self, grouped, number_of, shown};
use super::position::position_and_depth;
use super::{DIFFERENT, interrupted};

/// The memory where the system does not say how much is free.
const DEFAULT_MEMORY: usize = 1 << 30;

/// Counts of fewer lines need little, and nothing is said of it.
const MIN_LINES_TO_TELL: f64 = 1e8;

/// A ply and its positions.
#[derive(Serialize)]
struct Row {
    ply: Depth,
    positions: u64,
    multiplicity: u128,
}

impl Row {
    fn new(&UniqueCount { ply, positions, multiplicity, .. }: &UniqueCount) -> Self {
        Self { ply, positions, multiplicity }
    }
}

/// The count of the last ply and, if asked for, of those before.
#[derive(Serialize)]
struct UniqueReport {
    fen: String,
    en_passant: &'static str,
    #[serde(flatten)]
    last: Row,
    seconds: f64,
    threads: usize,
    memory_bytes: usize,
    /// In memory or in files.
    stored_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<Vec<Row>>,
}

impl fmt::Display for UniqueReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.plies {
            Some(rows) => {
                rows.iter().try_for_each(|row| writeln!(f, "{}: {}", row.ply, row.positions))
            }
            None => writeln!(f, "Unique positions: {}", self.last.positions),
        }
    }
}

/// The sum of the results of all parts.
#[derive(Serialize)]
struct UniqueTotalReport {
    fen: String,
    en_passant: &'static str,
    #[serde(flatten)]
    total: Row,
    parts: u32,
}

impl fmt::Display for UniqueTotalReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Unique positions: {}", self.total.positions)
    }
}

/// Counts and prints.
pub fn unique(args: &UniqueArgs) -> Result<ExitCode> {
    if let Some(plan) = &args.work {
        return work(args, plan);
    }
    if !args.total.is_empty() {
        return total(args);
    }
    let (board, ply) = position_and_depth(&args.tokens, &args.position, args.output.quiet)?;
    if let Some(parts) = args.plan {
        let en_passant = args.en_passant;
        let part = |part| UniquePart { part, parts };
        let units = (0..parts).map(|number| UniqueUnit {
            root: board,
            ply,
            en_passant,
            part: part(number),
        });
        return print_units(units);
    }
    let (counter, memory) = counter(args, args.en_passant)?;
    if let Err(error) = announce(args, &counter, memory, &board, ply) {
        return failed(args, error);
    }
    let start = Instant::now();
    let counts = match args.each {
        true => counter.count_each(&board, ply),
        false => counter.count(&board, ply).map(|count| vec![count]),
    };
    // Erases the progress line.
    drop(counter);
    let counts = match counts {
        Ok(counts) => counts,
        Err(error) => return failed(args, error.into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let root = UniqueCount { ply, positions: 1, multiplicity: 1, ..UniqueCount::default() };
    let last = counts.last().copied().unwrap_or(root);
    let report = UniqueReport {
        fen: board.to_string(),
        en_passant: args.en_passant.name(),
        last: Row::new(&last),
        seconds,
        threads: args.threads.threads().get(),
        memory_bytes: memory,
        stored_bytes: last.stored_bytes,
        plies: args.each.then(|| counts.iter().map(Row::new).collect()),
    };
    output::print(&report, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        let (positions, lines) = (grouped(last.positions.into()), grouped(last.multiplicity));
        output::note(format_args!(
            "{positions} positions by {lines} lines, as many as perft counts, in {seconds:.3} s"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts the parts of a plan.
fn work(args: &UniqueArgs, plan: &Path) -> Result<ExitCode> {
    let mut units = read_unique_units(plan, &cancel_on_interrupt())?.peekable();
    let first = match units.next_if(|_| true) {
        None => bail!("{}: no units", plan.display()),
        Some(first) => first?,
    };
    let (counter, memory) = counter(args, first.en_passant)?;
    if let Err(error) = announce(args, &counter, memory, &first.root, first.ply) {
        return failed(args, error);
    }
    let mut start = Instant::now();
    let parts = std::iter::once(Ok(first)).chain(units);
    let parts = parts.map(|unit| unit.map(|unit| unit.part).map_err(Error::from));
    let counted = counter.count_parts(&first.root, first.ply, parts, |part, count| {
        let result = UniqueResult::new(UniqueUnit { part, ..first }, &count, start.elapsed());
        start = Instant::now();
        output::result(&format!("{result}\n"))
    });
    drop(counter);
    match counted {
        Ok(()) if cancel_on_interrupt().is_cancelled() => {
            failed(args, UniqueError::Cancelled.into())
        }
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => failed(args, error),
    }
}

/// Adds up the results of all parts.
fn total(args: &UniqueArgs) -> Result<ExitCode> {
    let cancel = cancel_on_interrupt();
    let mut total = UniqueTotal::default();
    for path in &args.total {
        total.read(path, &cancel, |bad| output::note(format_args!("perft: {bad}")))?;
    }
    let Some(unit) = total.unit() else { bail!("no results") };
    let missing = total.missing();
    if args.missing {
        return print_units(missing.into_iter());
    }
    if !missing.is_empty() {
        let parts = unit.part.parts;
        output::note(format_args!(
            "perft: {} of {parts} parts have no result (--missing makes a plan of them)",
            missing.len()
        ));
        return Ok(ExitCode::from(DIFFERENT));
    }
    let (counter, _) = counter(args, unit.en_passant)?;
    let count = total.total()?;
    let verified = counter.verify(&unit.root, &count);
    drop(counter);
    if let Err(error) = verified {
        return failed(args, error.into());
    }
    let report = UniqueTotalReport {
        fen: unit.root.to_string(),
        en_passant: unit.en_passant.name(),
        total: Row::new(&count),
        parts: unit.part.parts,
    };
    output::print(&report, args.output.json)?;
    if !args.output.json && !args.output.quiet {
        let lines = grouped(count.multiplicity);
        let parts = number_of(unit.part.parts.into(), "part");
        output::note(format_args!("{parts}, {lines} lines, as many as perft counts"));
    }
    Ok(ExitCode::SUCCESS)
}

fn print_units(units: impl Iterator<Item = UniqueUnit>) -> Result<ExitCode> {
    let lines: String = units.map(|unit| format!("{unit}\n")).collect();
    output::result(&lines)?;
    Ok(ExitCode::SUCCESS)
}

/// The counter that was asked for, and its memory.
fn counter(args: &UniqueArgs, en_passant: EnPassant) -> Result<(Unique, usize)> {
    let (threads, free) = (args.threads.threads(), available_memory());
    let least = threads.get().saturating_mul(Unique::MIN_THREAD_MEMORY);
    let memory = match args.memory {
        Some(size) => size.0,
        None => free.map_or(DEFAULT_MEMORY, |free| free / 2).max(least),
    };
    if memory < least {
        let threads = number_of(threads.get() as u128, "thread");
        let (memory, least) = (in_bytes(memory as u64), in_bytes(least as u64));
        bail!("--memory {memory} is too little: {threads} need {least} at least");
    }
    if let Some(free) = free.filter(|&free| memory > free) {
        let (memory, free) = (in_bytes(memory as u64), in_bytes(free as u64));
        bail!("--memory {memory} is more than the {free} that are free");
    }
    let mut counter = Unique::new()
        .threads(threads)
        .memory(memory)
        .en_passant(en_passant)
        .cancel(cancel_on_interrupt())
        .on_progress(shown(args.output.quiet, |progress: &UniqueProgress| {
            format!("ply {}, {:.0} %", progress.ply, progress.share * 100.0)
        }));
    if let Some(dir) = &args.dir {
        counter = counter.dir(dir, args.disk.map_or(u64::MAX, |size| size.0 as u64));
    }
    Ok((counter, memory))
}

/// Says what a large count needs, and refuses one that does not fit.
fn announce(
    args: &UniqueArgs,
    counter: &Unique,
    memory: usize,
    board: &Board,
    ply: Depth,
) -> Result<()> {
    if args.dir.is_none() && estimate(board, ply) < MIN_LINES_TO_TELL {
        return Ok(());
    }
    let need = counter.need(board, ply)?;
    let bytes = need.bytes as u64;
    let (needed, positions) = (in_bytes(bytes), grouped(rounded(need.positions)));
    let store = match &args.dir {
        None if bytes > memory as u64 => bail!(
            "about {needed} of memory are needed, and {} are allowed; --dir DIR uses the disk \
             instead",
            in_bytes(memory as u64)
        ),
        None => "memory".to_owned(),
        Some(dir) => {
            if let Some(disk) = args.disk.filter(|disk| bytes > disk.0 as u64) {
                let disk = in_bytes(disk.0 as u64);
                bail!("about {needed} of disk are needed, and --disk allows {disk}");
            }
            // What is there already is not needed again.
            let free = free_disk(dir).map(|free| free + used_disk(dir));
            if let Some(free) = free.filter(|&free| bytes > free) {
                let (dir, free) = (dir.display(), in_bytes(free));
                bail!("about {needed} of disk are needed, and {dir} has {free}");
            }
            format!("disk in {}", dir.display())
        }
    };
    if !args.output.quiet {
        output::note(format_args!(
            "at most about {positions} positions; needs {needed} of {store}, and works with {} of \
             memory",
            in_bytes(memory as u64)
        ));
    }
    Ok(())
}

/// Two digits, and zeros.
fn rounded(number: f64) -> u128 {
    let number = number as u128;
    let unit = 10_u128.pow(number.checked_ilog10().unwrap_or_default().saturating_sub(1));
    number.div_ceil(unit) * unit
}

/// The bytes that are free where a directory is or will be made.
fn free_disk(dir: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let there = std::path::absolute(dir).ok()?;
        let there: PathBuf = there.ancestors().find(|dir| dir.exists())?.to_owned();
        let free = nix::sys::statvfs::statvfs(&there).ok()?;
        // The types differ between systems.
        #[allow(clippy::useless_conversion)]
        u64::from(free.blocks_available()).checked_mul(u64::from(free.fragment_size()))
    }
    #[cfg(not(unix))]
    {
        _ = dir;
        None
    }
}

/// The bytes of the files in a directory.
fn used_disk(dir: &Path) -> u64 {
    let files = fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

/// Reports why there is no count.
fn failed(args: &UniqueArgs, error: Error) -> Result<ExitCode> {
    let error = error.downcast::<UniqueError>()?;
    match (error, &args.dir) {
        (UniqueError::Cancelled, Some(dir)) => {
            let dir = dir.display();
            Ok(interrupted(format_args!("what is finished is in {dir}; the same command goes on")))
        }
        (UniqueError::Cancelled, None) => {
            Ok(interrupted(format_args!("--dir DIR would save what is finished")))
        }
        (error @ UniqueError::Mismatch { .. }, _) => {
            output::note(format_args!("perft: {error}"));
            Ok(ExitCode::from(DIFFERENT))
        }
        (UniqueError::OutOfMemory(_), None) => Err(anyhow!(
            "the memory does not hold the positions; allow more with --memory, or use the disk \
             with --dir DIR"
        )),
        (UniqueError::OutOfMemory(bytes), Some(_)) => {
            Err(anyhow!("--memory {} is too little for this count; allow more", in_bytes(bytes)))
        }
        (UniqueError::OutOfDisk(bytes), _) => Err(anyhow!(
            "--disk {} does not hold the positions; allow more, and the same command goes on",
            in_bytes(bytes)
        )),
        (error, _) => Err(error.into()),
    }
}

/// A number of bytes in the units of arguments: `512M`, `1.5G`.
fn in_bytes(bytes: u64) -> String {
    let units = [(40, 'T'), (30, 'G'), (20, 'M'), (10, 'K')];
    let unit = units.into_iter().find(|&(shift, _)| bytes >> shift > 0);
    let Some((shift, letter)) = unit else { return format!("{bytes}B") };
    let tenths = (u128::from(bytes) * 10) >> shift;
    match tenths % 10 {
        0 => format!("{}{letter}", tenths / 10),
        tenth => format!("{}.{tenth}{letter}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_they_are_given() {
        let shown = [0, 1023, 1024, 3 << 19, 512 << 20, 3 << 29, 40 << 30].map(in_bytes);
        assert_eq!(shown, ["0B", "1023B", "1K", "1.5M", "512M", "1.5G", "40G"]);
    }

    #[test]
    fn large_numbers_are_rounded_up() {
        assert_eq!(
            [0.0, 7.0, 99.0, 1234.0, 126_123_456.0].map(rounded),
            [0, 7, 99, 1300, 130_000_000]
        );
    }
}

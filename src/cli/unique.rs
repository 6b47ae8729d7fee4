//! `perft unique`: different positions.

use std::fmt;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, bail};
use perft::sys::available_memory;
use perft::{Depth, Unique, UniqueCount, UniqueError};
use serde::Serialize;

use super::args::UniqueArgs;
use super::interrupt::cancel_on_interrupt;
use super::output::{self, ProgressLine, grouped, number_of};
use super::position::position_and_depth;
use super::{DIFFERENT, INTERRUPTED};

/// The memory where the system does not say how much is free.
const DEFAULT_MEMORY: usize = 1 << 30;

/// A ply and its positions.
#[derive(Serialize)]
struct Row {
    ply: Depth,
    positions: u64,
    multiplicity: u128,
}

impl Row {
    fn new(&UniqueCount { ply, positions, multiplicity }: &UniqueCount) -> Self {
        Self { ply, positions, multiplicity }
    }
}

/// The count of the last ply and, if asked for, of those before.
#[derive(Serialize)]
struct Report {
    fen: String,
    en_passant: &'static str,
    #[serde(flatten)]
    last: Row,
    seconds: f64,
    threads: usize,
    memory_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<Vec<Row>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.plies.iter().flatten() {
            writeln!(f, "{}: {}", row.ply, row.positions)?;
        }
        match self.plies {
            Some(_) => Ok(()),
            None => writeln!(f, "Unique positions: {}", self.last.positions),
        }
    }
}

/// Counts and prints.
pub fn unique(args: &UniqueArgs) -> Result<ExitCode> {
    let (board, ply) =
        position_and_depth(&args.target.tokens, &args.target.position, args.output.quiet)?;
    let (threads, en_passant) = (args.threads.threads(), args.en_passant);
    let free = available_memory();
    let least = threads.get().saturating_mul(Unique::MIN_THREAD_MEMORY);
    let memory = match args.memory {
        Some(size) => size.0,
        None => free.map_or(DEFAULT_MEMORY, |free| free / 2).max(least),
    };
    if let Some(free) = free.filter(|&free| memory > free) {
        let (memory, free) = (in_bytes(memory as u64), in_bytes(free as u64));
        bail!("--memory {memory} is more than the {free} that are free");
    }
    let line = Mutex::new(ProgressLine::new(args.output.quiet));
    let counter = Unique::new()
        .threads(threads)
        .memory(memory)
        .en_passant(en_passant)
        .cancel(cancel_on_interrupt())
        .on_progress(move |progress| {
            let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
            line.show(|| format!("ply {}, {:.0} %", progress.ply, progress.share * 100.0));
        });
    let start = Instant::now();
    let counts = match args.each {
        true => counter.count_each(&board, ply),
        false => counter.count(&board, ply).map(|count| vec![count]),
    };
    // Erases the progress line.
    drop(counter);
    let counts = match counts {
        Err(UniqueError::Cancelled) => {
            output::note(format_args!("perft: interrupted: nothing is saved"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error @ UniqueError::Mismatch { .. }) => {
            output::note(format_args!("perft: {error}; this is a bug, or the machine is broken"));
            return Ok(ExitCode::from(DIFFERENT));
        }
        Err(UniqueError::OutOfMemory(_)) => {
            let memory = in_bytes(memory as u64);
            bail!("{memory} of memory do not hold the positions; allow more with --memory")
        }
        Err(UniqueError::TooLittleMemory { threads, least }) => {
            let (memory, least) = (in_bytes(memory as u64), in_bytes(least as u64));
            let threads = number_of(threads as u128, "thread");
            bail!("--memory {memory} is too little for {threads}, which need {least} at least")
        }
        counts => counts?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let none = UniqueCount { ply, positions: 1, multiplicity: 1 };
    let last = counts.last().copied().unwrap_or(none);
    let report = Report {
        fen: board.to_string(),
        en_passant: en_passant.name(),
        last: Row::new(&last),
        seconds,
        threads: threads.get(),
        memory_bytes: memory,
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

/// A number of bytes in the units of arguments: `512M`, `1.5G`.
fn in_bytes(bytes: u64) -> String {
    let units = [(30, 'G'), (20, 'M'), (10, 'K')];
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
}

//! The command line: arguments in, typed results out.
//!
//! Each command is one file: it reads its arguments ([`args`], [`position`]), runs the library, and
//! hands a value with `Display` and `Serialize` to [`output`]. Nothing else prints.

use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::Parser;

mod args;
mod bench;
mod board;
mod check;
mod checkpoint;
mod columns;
mod count;
mod estimate;
#[cfg(feature = "explore")]
mod explore;
mod files;
mod find;
mod forecast;
mod format;
mod interrupt;
mod manual;
mod output;
mod plan;
mod position;
mod sliders;
mod stats;
mod suite;
mod suite_files;
mod total;
mod uci;
mod unique;
mod usage;
mod work;

use args::{Cli, Command};

/// Counts differ.
const DIFFERENT: u8 = 1;
/// Bad input or usage, or output that cannot be written.
const BAD_INPUT: u8 = 2;
/// Not enough was tried: the time was up.
const INCOMPLETE: u8 = 3;
/// Stopped by Ctrl-C or a signal.
const INTERRUPTED: u8 = 130;

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(args::program_arguments()) {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error),
    };
    let result = match cli.command {
        None => match &cli.checkpoint {
            Some(path) => checkpoint::count(&cli.count, path),
            None => count::perft(&cli.count),
        },
        Some(Command::Divide(args)) => count::divide(&args),
        Some(Command::Stats(args)) => stats::stats(&args),
        Some(Command::Unique(args)) => unique::unique(&args),
        Some(Command::Estimate(args)) => estimate::estimate(&args),
        Some(Command::Check(args)) => check::check(&args),
        #[cfg(feature = "explore")]
        Some(Command::Explore(args)) => explore::explore(args),
        Some(Command::Uci) => uci::uci(),
        Some(Command::Suite(args)) => suite::suite(&args),
        Some(Command::Board(args)) => board::board(&args),
        Some(Command::Plan(args)) => plan::plan(&args),
        Some(Command::Work(args)) => work::run(&args),
        Some(Command::Total(args)) => total::total(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Man { dir }) => manual::pages(dir.as_deref()),
        Some(Command::Sliders { command }) => sliders::sliders(&command),
    };
    match result {
        Ok(code) => code,
        // Closed pipe (`| head`): not an error.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}")),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Reports what an interrupt leaves.
fn interrupted(message: fmt::Arguments<'_>) -> ExitCode {
    output::note(format_args!("perft: interrupted: {message}"));
    ExitCode::from(INTERRUPTED)
}

/// Reports an error in one line.
fn fail(message: &str) -> ExitCode {
    output::note(format_args!("perft: {}", one_line(message)));
    ExitCode::from(BAD_INPUT)
}

/// Folds white space and control characters, which a hostile argument may hold, and cuts the middle
/// out of a long message: the culprit stands at its start and the remedy at its end.
fn one_line(text: &str) -> String {
    let line: Vec<char> =
        output::visible(text).split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    const HALF: usize = 200;
    if line.len() <= 2 * HALF {
        return line.into_iter().collect();
    }
    let (start, end) = (&line[..HALF], &line[line.len() - HALF..]);
    start.iter().chain(&[' ', '.', '.', '.', ' ']).chain(end).collect()
}

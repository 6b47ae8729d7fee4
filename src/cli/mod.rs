//! The command line: what a user can type, and all that is printed.

use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

mod args;
mod bench;
mod board;
mod checkpoint;
mod compare;
mod count;
mod engine;
mod files;
mod find;
mod interrupt;
mod manual;
mod output;
mod plan;
mod position;
mod sliders;
mod stats;
mod suite;
mod total;
mod uci;
mod work;

use args::{Cli, Command};

/// Counts differ.
const DIFFERENT: u8 = 1;
/// Bad input or usage, or output that cannot be written.
const BAD_INPUT: u8 = 2;

/// Stopped by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        None => match &cli.checkpoint {
            Some(path) => checkpoint::count(&cli.count, path),
            None => count::perft(&cli.count),
        },
        Some(Command::Divide(args)) => count::divide(&args),
        Some(Command::Stats(args)) => stats::stats(&args),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Uci) => uci::uci(),
        Some(Command::Suite(args)) => suite::suite(&args),
        Some(Command::Board(args)) => board::board(&args),
        Some(Command::Plan(args)) => plan::plan(&args),
        Some(Command::Work(args)) => work::run(&args),
        Some(Command::Total(args)) => total::total(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Man { folder }) => manual::pages(folder.as_deref()),
        Some(Command::Sliders { command }) => sliders::sliders(&command),
    };
    match result {
        Ok(code) => code,
        // Whoever read our output has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}")),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Says what is wrong, in one line.
fn fail(message: &str) -> ExitCode {
    output::note(format_args!("perft: {}", one_line(message)));
    ExitCode::from(BAD_INPUT)
}

/// Help and version are results; every other complaint of clap's is folded into one line.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => fail(&format!("cannot write to standard output: {error}")),
        };
    }
    let text = error.render().to_string();
    let complaint = text.split("\n\nUsage:").next().unwrap_or(&text);
    let complaint = complaint.split("\n\nFor more information").next().unwrap_or(complaint);
    // How to pass a flag as a value is not what anybody wanted to know.
    let complaint = complaint.split("\n\n  tip: to pass").next().unwrap_or(complaint);
    let complaint = complaint.trim_start_matches("error: ");
    fail(&format!("{complaint} (see {} --help)", command_given()))
}

/// The program and the commands that were typed, as far as they are known.
fn command_given() -> String {
    let mut command = Cli::command();
    let mut path = "perft".to_owned();
    for word in std::env::args_os().skip(1) {
        let Some(sub) = word.to_str().and_then(|word| command.find_subcommand(word)) else { break };
        path = format!("{path} {}", sub.get_name());
        command = sub.clone();
    }
    path
}

/// Folds white space and control characters, which a hostile argument may hold, so that a
/// message stays on its line, and leaves out the middle of one that is too long: what was given
/// stands at its start, and what to do about it at its end.
fn one_line(text: &str) -> String {
    let shown: String =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let line: Vec<char> = shown.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    const HALF: usize = 200;
    if line.len() <= 2 * HALF {
        return line.into_iter().collect();
    }
    let (start, end) = (&line[..HALF], &line[line.len() - HALF..]);
    start.iter().chain(&[' ', '.', '.', '.', ' ']).chain(end).collect()
}

//! The `perft` program: parse arguments, run a command, turn an error into an exit code.

use std::process::ExitCode;

mod cli;
#[cfg(feature = "explore")]
mod explore;

fn main() -> ExitCode {
    cli::main()
}

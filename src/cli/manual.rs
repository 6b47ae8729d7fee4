//! `perft completions` and `perft man`: what the command line says of itself.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Cli;
use super::output;

/// Prints a completion script.
pub fn completions(shell: Shell) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "perft", &mut text);
    output::result(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes one for each command into a folder.
pub fn pages(folder: Option<&Path>) -> Result<ExitCode> {
    match folder {
        Some(folder) => {
            let write = || format!("cannot write manual pages into {}", folder.display());
            std::fs::create_dir_all(folder).with_context(write)?;
            clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder)
                .with_context(write)?;
        }
        None => {
            let mut text = Vec::new();
            Man::new(Cli::command().disable_help_subcommand(true))
                .render(&mut text)
                .context("cannot write the manual")?;
            output::result(&String::from_utf8_lossy(&text))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

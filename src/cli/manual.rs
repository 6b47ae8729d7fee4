//! `perft completions` and `perft man`: what the command line says of itself.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Cli;
use super::files::{spare, write_whole};
use super::output;

/// How a page begins.
const PAGE: &str = ".ie \\n(.g .ds Aq";

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
            fs::create_dir_all(folder).with_context(write)?;
            for command in with_sub_commands(described()) {
                let path = folder.join(format!("{}.1", title(&command)));
                let page = page(command)?;
                spare(&path, PAGE, "manual page")?;
                write_whole(&path, |out| out.write_all(page.as_bytes())).with_context(write)?;
            }
        }
        None => output::result(&page(described())?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The program with all its commands, each called by its full name.
fn described() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

/// The command, and all that is below it.
fn with_sub_commands(command: Command) -> Vec<Command> {
    let below: Vec<Command> =
        command.get_subcommands().cloned().flat_map(with_sub_commands).collect();
    [command].into_iter().chain(below).collect()
}

/// What its page is called: `perft-sliders-show`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn page(command: Command) -> Result<String> {
    let title = title(&command);
    let command = command.version(env!("CARGO_PKG_VERSION"));
    let mut text = Vec::new();
    let page = Man::new(command).title(title).source(concat!("perft ", env!("CARGO_PKG_VERSION")));
    page.render(&mut text).context("cannot write the manual")?;
    // What comes after the help of a command are examples, and at its end exit codes.
    let text = String::from_utf8_lossy(&text);
    let text = text.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    let text = text.replace(".SH EXTRA\nExample:\n", ".SH EXAMPLES\n");
    Ok(text.replace("\nExit codes: ", "\n.SH \"EXIT STATUS\"\n"))
}

//! `perft completions` and `perft man`: completion scripts and manual pages.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use perft_compare::Suite;
use perft_core::positions;

use super::args::Cli;
use super::files::{refuse_to_overwrite, write_whole};
use super::output;

/// Prints a completion script.
pub fn completions(shell: Shell) -> Result<ExitCode> {
    output::result(&script(shell))?;
    Ok(ExitCode::SUCCESS)
}

/// Clap's script, with additions: it offers the names of positions and suites in bash alone. Other
/// shells lack those at the first argument, a position or a command, and fish at every argument.
fn script(shell: Shell) -> String {
    let mut command = match shell {
        Shell::Bash => Cli::command(),
        _ => with_positions_as_commands(&Cli::command()),
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "perft", &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        Shell::Fish => script += &fish_arguments(&command, ""),
        Shell::Zsh => {
            // Clap's script offers names or files; suites can be either.
            let names: Vec<String> =
                Suite::embedded().into_iter().map(|suite| suite.name).collect();
            let names = format!("({})", names.join(" "));
            let either = r#"{_alternative "suites\:suite\:NAMES" "files\:file\:_files"}"#;
            script = script.replace(&names, &either.replace("NAMES", &names));
        }
        _ => {}
    }
    script
}

/// The program as if each named position were a command with the options of a count.
fn with_positions_as_commands(program: &Command) -> Command {
    let options: Vec<Arg> =
        program.get_arguments().filter(|arg| !arg.is_positional()).cloned().collect();
    let positions = positions::NAMED
        .iter()
        .map(|named| Command::new(named.name).about(named.about).args(&options));
    Command::new("perft")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(&options)
        .subcommands(program.get_subcommands().cloned())
        .subcommands(positions)
}

/// Lines of a fish script that offer the names of positional arguments. `condition` is true where
/// the command has been typed; it is empty for the program.
fn fish_arguments(command: &Command, condition: &str) -> String {
    let mut lines = String::new();
    for arg in command.get_positionals() {
        let names = arg.get_possible_values().into_iter().map(|value| {
            let about = value.get_help().map(ToString::to_string).unwrap_or_default();
            format!("{}\\t'{}'", value.get_name(), about.replace('\'', "\\'"))
        });
        let names = names.collect::<Vec<_>>().join("\n");
        let no_files = if arg.get_value_hint() == ValueHint::AnyPath { "" } else { " -f" };
        if !names.is_empty() {
            _ = writeln!(lines, "complete -c perft -n \"{condition}\"{no_files} -a \"{names}\"");
        }
    }
    for below in command.get_subcommands() {
        let name = below.get_name();
        let condition = match condition {
            "" => format!("__fish_perft_using_subcommand {name}"),
            above => format!("{above}; and __fish_seen_subcommand_from {name}"),
        };
        lines += &fish_arguments(below, &condition);
    }
    lines
}

/// The start of a manual page of ours, which may be overwritten.
const PAGE_START: &str = ".ie \\n(.g .ds Aq";

/// Prints the manual page, or writes one for each command into a directory.
pub fn pages(dir: Option<&Path>) -> Result<ExitCode> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Gives each command its full name.
    program.build();
    let Some(dir) = dir else {
        output::result(&page(program)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let write = || format!("cannot write manual pages into {}", dir.display());
    fs::create_dir_all(dir).with_context(write)?;
    for command in with_subcommands(program) {
        let path = dir.join(format!("{}.1", title(&command)));
        let page = page(command)?;
        refuse_to_overwrite(&path, PAGE_START, "manual page")?;
        write_whole(&path, |out| out.write_all(page.as_bytes())).with_context(write)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command and all below it.
fn with_subcommands(command: Command) -> Vec<Command> {
    let below: Vec<Command> =
        command.get_subcommands().cloned().flat_map(with_subcommands).collect();
    [command].into_iter().chain(below).collect()
}

/// The title of a page: `perft-sliders-show`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn page(command: Command) -> Result<String> {
    let title = title(&command);
    let command = command.version(env!("CARGO_PKG_VERSION"));
    let mut text = Vec::new();
    let page = Man::new(command).title(title).source(concat!("perft ", env!("CARGO_PKG_VERSION")));
    page.render(&mut text).context("cannot write the manual")?;
    // The text after a command's help is examples and, at its end, exit codes.
    let text = String::from_utf8_lossy(&text);
    let text = text.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    let text = text.replace(".SH EXTRA\nExample:\n", ".SH EXAMPLES\n");
    Ok(text.replace("\nExit codes: ", "\n.SH \"EXIT STATUS\"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_offers_positions_and_suites() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = script(shell);
            for name in ["kiwipete", "standard.epd"] {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
        let suites = r#":{_alternative "suites\:suite\:(standard.epd chess960.epd tricky.epd)" "#;
        assert!(script(Shell::Zsh).contains(suites));
        let divide = "-n \"__fish_perft_using_subcommand divide\" -f -a \"startpos\\t'";
        assert!(script(Shell::Fish).contains(divide));
    }
}

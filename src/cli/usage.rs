//! Help, and errors of usage in one line each.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use super::args::{Cli, program_arguments};
use super::position::{hint, is_known};
use super::{BAD_INPUT, fail, output};

/// The reply to `perft` without arguments.
const BARE: &str = "\
perft: no POSITION and DEPTH given
Usage: perft [OPTIONS] <POSITION> <DEPTH>
       perft <COMMAND>

Examples:
  perft startpos 6                              count the leaves of six plies
  perft divide kiwipete 4                       count them for each root move
  perft check ./engine                          find what an engine gets wrong

perft --help lists the commands and options.";

/// Prints help and version, which are results, or reports the error.
pub fn report(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => fail(&format!("cannot write to standard output: {error}")),
        };
    }
    let tokens = program_arguments().into_iter().skip(1);
    let tokens: Vec<String> = tokens.map(|token| token.to_string_lossy().into_owned()).collect();
    if tokens.is_empty() {
        output::note(format_args!("{BARE}"));
        return ExitCode::from(BAD_INPUT);
    }
    fail(&message(error, &tokens))
}

/// The error and its remedy.
fn message(error: &clap::Error, tokens: &[String]) -> String {
    let (path, command) = command_given(tokens);
    let text = error.render().to_string();
    // The first paragraph; the others are about usage in general.
    let text = text.split("\n\n").next().unwrap_or(&text).trim_start_matches("error: ");
    let culprit = values(error, ContextKind::InvalidArg);
    let remedy = match error.kind() {
        ErrorKind::UnknownArgument if command.get_name() == "perft" && !is_position(tokens) => {
            let first = tokens.first().map_or("", String::as_str);
            return format!(
                "{first:?} is neither a command nor a position ({}see perft --help)",
                hint(first)
            );
        }
        ErrorKind::UnknownArgument => {
            let is_plain_count = command.get_name() == "perft";
            culprit.first().and_then(|option| remedy_for_option(option, is_plain_count))
        }
        ErrorKind::ArgumentConflict => {
            let mut both = culprit.into_iter().chain(values(error, ContextKind::PriorArg));
            both.find_map(|name| help_of(&command, &name))
        }
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => example(&command),
        _ => None,
    };
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
            .into_iter()
            .flat_map(|kind| values(error, kind))
            .next()
            .map(|name| format!("did you mean {name}?"));
    // An unknown option may be one of the engine.
    let is_check = command.get_name() == "check" && error.kind() == ErrorKind::UnknownArgument;
    let for_engine = is_check
        .then(|| "options of the engine come after --: perft check ./engine -- --uci;".to_owned());
    let remedies = [remedy.or(suggested), for_engine].into_iter().flatten();
    let remedy: String = remedies.map(|remedy| format!("{remedy} ")).collect();
    format!("{text} ({remedy}see {path} --help)")
}

/// The values of an error's context.
fn values(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(value)) => vec![value.clone()],
        Some(ContextValue::Strings(values)) => values.clone(),
        _ => Vec::new(),
    }
}

/// The known commands at the start of the tokens, as text, and the last of them.
fn command_given(tokens: &[String]) -> (String, Command) {
    let mut command = Cli::command();
    let mut path = "perft".to_owned();
    for token in tokens {
        let Some(sub) = command.find_subcommand(token) else { break };
        path = format!("{path} {}", sub.get_name());
        command = sub.clone();
    }
    (path, command)
}

/// Whether the first token may be part of a position, so that an option is wrong.
fn is_position(tokens: &[String]) -> bool {
    let first = tokens.first().and_then(|token| token.split_whitespace().next());
    first.is_none_or(|token| {
        token.starts_with('-')
            || token.contains('/')
            || is_known(token)
            || ["fen", "position"].contains(&token)
    })
}

/// A remedy for an option of other programs, or of another command.
fn remedy_for_option(option: &str, is_plain_count: bool) -> Option<String> {
    let name = option.trim_start_matches('-');
    match option {
        "--engine" | "--stdin" if !is_plain_count => {
            return Some(
                "the engine comes first: perft check ./engine, or - for a divide;".to_owned(),
            );
        }
        "-d" | "--depth" => return Some("the depth comes last: perft startpos 6;".to_owned()),
        "--fen" => return Some("the position comes first: perft \"FEN\" 6;".to_owned()),
        _ if !is_plain_count => return None,
        _ => {}
    }
    let all = Cli::command();
    if all.find_subcommand(name).is_some() {
        return Some(format!("it is a command: perft {name};"));
    }
    let known: Vec<String> = all
        .get_subcommands()
        .filter(|command| command.get_arguments().any(|arg| arg.get_long() == Some(name)))
        .map(|command| format!("perft {}", command.get_name()))
        .collect();
    (!known.is_empty()).then(|| format!("it is an option of {};", known.join(", ")))
}

/// The help of an option, if the culprit is one.
fn help_of(command: &Command, culprit: &str) -> Option<String> {
    let name = culprit.split_whitespace().next()?.strip_prefix("--")?;
    let is_it = |arg: &&Arg| arg.get_long() == Some(name);
    let help = command.get_arguments().find(is_it)?.get_help()?.to_string();
    Some(format!("--{name}: {};", help.trim_end_matches('.')))
}

/// The first example of the command's help.
fn example(command: &Command) -> Option<String> {
    let help = command.get_after_help()?.to_string();
    let line = help.lines().find(|line| line.trim_start().starts_with("perft "))?;
    Some(format!("for example {};", line.trim()))
}

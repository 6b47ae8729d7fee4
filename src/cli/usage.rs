//! What is wrong with the words of a command, in one line.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use super::args::Cli;
use super::fail;
use super::position::{hint, is_known};

/// Help and version are results; every other complaint of clap's is folded into one line.
pub fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) => fail(&format!("cannot write to standard output: {error}")),
        };
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    fail(&complaint(error, &words))
}

/// What is wrong, and what to do about it.
fn complaint(error: &clap::Error, words: &[String]) -> String {
    let (path, command) = command_given(words);
    let text = error.render().to_string();
    // What follows is about usage in general.
    let text = text.split("\n\n").next().unwrap_or(&text).trim_start_matches("error: ");
    let culprit = values(error, ContextKind::InvalidArg);
    let remedy = match error.kind() {
        ErrorKind::UnknownArgument if command.get_name() == "perft" && !is_position(words) => {
            let first = words.first().map_or("", String::as_str);
            return format!(
                "{first:?} is neither a command nor a position ({}see perft --help)",
                hint(first)
            );
        }
        ErrorKind::UnknownArgument => {
            let is_plain_count = command.get_name() == "perft";
            culprit.first().and_then(|option| as_it_is_here(option, is_plain_count))
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
    let remedy = remedy.or(suggested).map_or(String::new(), |remedy| format!("{remedy} "));
    format!("{text} ({remedy}see {path} --help)")
}

/// What clap says about a complaint.
fn values(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(value)) => vec![value.clone()],
        Some(ContextValue::Strings(values)) => values.clone(),
        _ => Vec::new(),
    }
}

/// The program and the commands that were typed, as far as they are known, and the last of them.
fn command_given(words: &[String]) -> (String, Command) {
    let mut command = Cli::command();
    let mut path = "perft".to_owned();
    for word in words {
        let Some(sub) = command.find_subcommand(word) else { break };
        path = format!("{path} {}", sub.get_name());
        command = sub.clone();
    }
    (path, command)
}

/// Whether the first word may be one of a position, and an option is what is wrong.
fn is_position(words: &[String]) -> bool {
    let first = words.first().and_then(|word| word.split_whitespace().next());
    first.is_none_or(|word| {
        word.starts_with('-')
            || word.contains('/')
            || is_known(word)
            || ["fen", "position"].contains(&word)
    })
}

/// What to write in place of an option that others have, or where it is known.
fn as_it_is_here(option: &str, is_plain_count: bool) -> Option<String> {
    let name = option.trim_start_matches('-');
    match option {
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

/// What an option is for, if the complaint is about one.
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

//! The arguments of `perft check`, and those for engines.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum, ValueHint};
use perft_compare::uci::{
    CHESS960_OPTION, Divider, EngineError, EngineSettings, Script, UciEngine,
};

use super::parsers::{name_and_value, number_of_nodes, seconds};
use super::shared::{ADVANCED, POSITION_HELP, position_names};
use super::{CountingArgs, EmitArgs, FormatArgs, PositionArgs};
use crate::cli::interrupt::cancel_on_interrupt;
use crate::command_line::{CommandLine, quoted};

#[derive(Args)]
pub struct CheckArgs {
    /// The engine: a program, in quotes if it has arguments; - for a divide on standard input
    #[arg(value_name = "ENGINE", required_unless_present = "arguments",
        value_hint = ValueHint::CommandString)]
    pub program: Option<String>,
    /// One position and, last, the number of plies [default: suites, then random positions]
    #[arg(value_name = "POSITION DEPTH", num_args = 1.., long_help = POSITION_HELP,
        allow_negative_numbers = true, value_parser = position_names(),
        hide_possible_values = true, conflicts_with_all = ["suite", "hunt"])]
    pub tokens: Vec<String>,
    /// Arguments of the engine, or the engine and its arguments
    #[arg(value_name = "ARGS", last = true)]
    pub arguments: Vec<String>,
    /// Only the positions of suites [default: the built-in suites]
    #[arg(long, value_name = "FILES", num_args = 0.., conflicts_with = "hunt")]
    pub suite: Option<Vec<PathBuf>>,
    /// Only random positions, rich in special cases
    #[arg(long)]
    pub hunt: bool,
    /// Time for everything [default: 60; no limit for one position and for --suite]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Seed of the random positions [default: from the clock]
    #[arg(long, value_name = "N", conflicts_with_all = ["tokens", "suite"])]
    pub seed: Option<u64>,
    /// Go on after the first mismatch, and report each broken rule once
    #[arg(long, conflicts_with = "tokens")]
    pub keep_going: bool,
    /// In suites, skip counts above this
    #[arg(long, value_name = "N", value_parser = number_of_nodes, default_value_t = 100_000,
        conflicts_with_all = ["tokens", "hunt"])]
    pub max_nodes: u128,
    #[command(flatten)]
    pub position: PositionArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub output: FormatArgs,
    #[command(flatten)]
    pub emit: EmitArgs,
}

impl CheckArgs {
    /// Whether a divide is on standard input in place of an engine.
    pub fn is_pasted(&self) -> bool {
        self.program.as_deref() == Some("-")
    }

    /// The program and its arguments.
    pub fn command(&self) -> Result<Vec<String>> {
        match (&self.program, &self.arguments[..]) {
            (Some(program), arguments) => Ok([&split_command(program)?, arguments].concat()),
            (None, [program]) => split_command(program),
            (None, arguments) => Ok(arguments.to_vec()),
        }
    }
}

/// The program and its arguments.
pub fn split_command(text: &str) -> Result<Vec<String>> {
    match shlex::split(text) {
        Some(command) if !command.is_empty() => Ok(command),
        _ => bail!("the engine {text:?} is no command: a quote is open, or it is empty"),
    }
}

/// The arguments of the program: those of `perft compare`, the former name of `perft check`, are
/// turned into its own (`--engine CMD` into the first argument, `--stdin` into `-`).
pub fn program_arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_none_or(|command| command != "compare") {
        return arguments;
    }
    let mut engine = Vec::new();
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let text = |argument: &OsString| argument.to_string_lossy().into_owned();
    if let Some(at) = arguments[..end].iter().position(|argument| argument == "--stdin") {
        arguments.remove(at);
        engine.push("-".into());
    } else if let Some(at) = arguments[..end].iter().position(|argument| argument == "--engine") {
        engine.extend(arguments.drain(at..(at + 2).min(arguments.len())).skip(1));
    } else if let Some(at) =
        arguments[..end].iter().position(|argument| text(argument).starts_with("--engine="))
    {
        engine.push(text(&arguments.remove(at))["--engine=".len()..].into());
    }
    // Without an engine, the position is not taken for one.
    if engine.is_empty() && !arguments.iter().any(|it| it == "--help" || it == "-h") {
        arguments.truncate(2);
    }
    arguments[1] = "check".into();
    arguments.splice(2..2, engine);
    arguments
}

pub const DEFAULT_PERFT_COMMAND: &str = "go perft {depth}";

/// The protocol and the settings of an engine.
#[derive(Args)]
pub struct EngineArgs {
    /// Set an option of the engine
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub options: Vec<(String, String)>,
    /// Protocol of the engine
    #[arg(long, value_enum, default_value_t = Protocol::Uci)]
    pub protocol: Protocol,
    /// Command that makes a UCI engine divide
    #[arg(long, value_name = "TEXT", default_value = DEFAULT_PERFT_COMMAND, help_heading = ADVANCED)]
    pub perft_command: String,
    /// Seconds that the engine may be silent
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

impl EngineArgs {
    /// The settings of the engine that this command starts.
    pub fn settings(&self, command: Vec<String>) -> Result<EngineSettings> {
        let Self { options, perft_command, .. } = self;
        if options.iter().any(|(name, _)| name.eq_ignore_ascii_case(CHESS960_OPTION)) {
            bail!("--option {CHESS960_OPTION} is what --chess960 sets; use that");
        }
        if self.protocol == Protocol::Script && !options.is_empty() {
            bail!("--option is for UCI engines, not for --protocol script");
        }
        if perft_command.contains(['\n', '\r']) || !perft_command.contains("{depth}") {
            bail!(
                "--perft-command {perft_command:?} is not one line with {{depth}} in it (go perft \
                 {{depth}})"
            );
        }
        Ok(EngineSettings {
            command,
            options: options.clone(),
            perft_command: perft_command.clone(),
            timeout: self.timeout,
            cancel: cancel_on_interrupt(),
        })
    }

    /// Whether none of the options is given.
    pub fn are_defaults(&self) -> bool {
        self.options.is_empty()
            && self.protocol == Protocol::Uci
            && self.perft_command == DEFAULT_PERFT_COMMAND
    }

    /// The start of a command that checks the same engine: `perft check`, the engine, its options.
    pub fn check_command(&self, command: &[String]) -> CommandLine {
        let mut arguments = Vec::new();
        if self.protocol == Protocol::Script {
            arguments.extend(["--protocol", "script"].map(str::to_owned));
        }
        for (name, value) in &self.options {
            arguments.extend(["--option".to_owned(), format!("{name}={value}")]);
        }
        if self.perft_command != DEFAULT_PERFT_COMMAND {
            arguments.extend(["--perft-command".to_owned(), self.perft_command.clone()]);
        }
        CommandLine::new(["check".to_owned(), quoted(command)]).args(arguments)
    }
}

/// An engine of either protocol.
pub type Engine = Box<dyn Divider<Error = EngineError> + Send>;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// A UCI engine that knows `go perft N`
    Uci,
    /// A program called as PROGRAM DEPTH FEN MOVES
    Script,
}

impl Protocol {
    /// Starts an engine.
    pub fn start(self, settings: &EngineSettings) -> Result<Engine, EngineError> {
        Ok(match self {
            Self::Uci => Box::new(UciEngine::start(settings)?),
            Self::Script => Box::new(Script::new(settings)),
        })
    }
}

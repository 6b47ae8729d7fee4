//! The arguments of `perft compare`, and those for engines.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum, ValueHint};
use perft_compare::uci::{CHESS960_OPTION, EngineSettings};

use super::parsers::{name_and_value, number_of_nodes, seconds};
use super::shared::{ADVANCED, POSITION_HELP, position_names};
use super::{CountingArgs, EmitArgs, FormatArgs, PositionArgs};
use crate::cli::interrupt::cancel_on_interrupt;

#[derive(Args)]
pub struct CompareArgs {
    /// The position and, last, the number of plies
    #[arg(value_name = "POSITION DEPTH", num_args = 1.., long_help = POSITION_HELP,
        allow_negative_numbers = true,
        value_parser = position_names(), hide_possible_values = true,
        required_unless_present_any = ["suite", "hunt"], conflicts_with_all = ["suite", "hunt"])]
    pub tokens: Vec<String>,
    /// The other engine: a program, with its arguments if it has any
    #[arg(long = "engine", value_name = "CMD", required_unless_present = "stdin",
        value_hint = ValueHint::CommandString)]
    pub program: Option<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Compare all positions of suites [default: the built-in suites]
    #[arg(long, value_name = "FILES", num_args = 0.., conflicts_with_all = ["hunt", "stdin"])]
    pub suite: Option<Vec<PathBuf>>,
    /// With --suite, skip counts above this
    #[arg(long, value_name = "N", value_parser = number_of_nodes, default_value_t = 1_000_000,
        conflicts_with_all = ["tokens", "hunt", "stdin"])]
    pub max_nodes: u128,
    /// With --suite, explain at most this many wrong positions
    #[arg(long, value_name = "N", default_value_t = 3,
        conflicts_with_all = ["tokens", "hunt", "stdin"])]
    pub failures: usize,
    /// Try random positions, rich in special cases, until the engine gets one wrong, and shrink
    /// that one
    #[arg(long, conflicts_with = "stdin")]
    pub hunt: bool,
    /// The start of --hunt's random positions [default: from the clock]
    #[arg(long, conflicts_with_all = ["tokens", "suite", "stdin"])]
    pub seed: Option<u64>,
    /// Stop a --hunt after this time
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["tokens", "suite", "stdin"],
        value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Read a divide from standard input instead of starting an engine
    #[arg(long, conflicts_with_all = ["program", "options", "protocol", "perft_command", "timeout"])]
    pub stdin: bool,
    #[command(flatten)]
    pub position: PositionArgs,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub output: FormatArgs,
    #[command(flatten)]
    pub emit: EmitArgs,
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
    /// The arguments that are not as by default.
    pub fn as_args(&self) -> Vec<String> {
        let mut args = Vec::new();
        if self.protocol == Protocol::Script {
            args.extend(["--protocol", "script"].map(str::to_owned));
        }
        for (name, value) in &self.options {
            args.extend(["--option".to_owned(), format!("{name}={value}")]);
        }
        if self.perft_command != DEFAULT_PERFT_COMMAND {
            args.extend(["--perft-command".to_owned(), self.perft_command.clone()]);
        }
        args
    }

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
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// A UCI engine that knows `go perft N`
    Uci,
    /// A program called as PROGRAM DEPTH FEN MOVES
    Script,
}

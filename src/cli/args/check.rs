//! The arguments of `perft check`.

use std::time::Duration;

use clap::{Args, ValueHint};

use super::parsers::{number_of_nodes, seconds};
use super::{CountingArgs, EmitArgs, EngineArgs, FormatArgs};

#[derive(Args)]
pub struct CheckArgs {
    /// The engine: a program and its arguments; options of its own come after --, or in quotes
    #[arg(value_name = "ENGINE", required = true, num_args = 1..,
        value_hint = ValueHint::CommandString)]
    pub command: Vec<String>,
    /// Time for everything
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub seconds: Duration,
    /// Seed of the random positions [default: from the clock]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Require Chess960. It is tried without this too if a UCI engine has the option UCI_Chess960
    #[arg(long)]
    pub chess960: bool,
    /// Go on after the first mismatch, and report each broken rule once
    #[arg(long)]
    pub keep_going: bool,
    /// In suites, skip counts above this
    #[arg(long, value_name = "N", value_parser = number_of_nodes, default_value_t = 100_000)]
    pub max_nodes: u128,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub output: FormatArgs,
    #[command(flatten)]
    pub emit: EmitArgs,
}

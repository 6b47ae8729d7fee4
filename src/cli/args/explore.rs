//! The arguments of `perft explore`.

use clap::{Args, ValueHint};

use super::shared::{POSITION_HELP, position_names};
use super::{EngineArgs, PositionArgs, QuietArgs, ThreadsArgs};
use crate::explore::MAX_DEPTH;

#[derive(Args)]
pub struct ExploreArgs {
    /// The position, or a link copied from the page [default: startpos]
    #[arg(value_name = "POSITION", long_help = POSITION_HELP,
        value_parser = position_names(), hide_possible_values = true)]
    pub tokens: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
    /// Number of plies to divide at first
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_DEPTH)))]
    pub depth: u8,
    /// Port to serve on [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Print the address only, and start no browser
    #[arg(long)]
    pub no_open: bool,
    /// An engine to compare with: a program, with its arguments if it has any
    #[arg(long = "engine", value_name = "CMD", value_hint = ValueHint::CommandString)]
    pub program: Option<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub threads: ThreadsArgs,
    #[command(flatten)]
    pub output: QuietArgs,
}

//! The arguments of `perft plan`, `perft work` and `perft total`.

use std::path::PathBuf;

use clap::Args;
use perft_core::Depth;

use super::parsers::percent;
use super::shared::ADVANCED;
use super::{CountingArgs, MachineArgs, OutputArgs, QuietArgs, TargetArgs};

#[derive(Args)]
pub struct PlanArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Plies before the cut
    #[arg(long, value_name = "P")]
    pub ply: Depth,
    /// The file to write [default: standard output]
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub output: QuietArgs,
}

#[derive(Args)]
pub struct WorkArgs {
    /// The plan, or part of it [default: standard input]
    pub file: Option<PathBuf>,
    /// Leave out units that have a result in this file
    #[arg(long, value_name = "FILE")]
    pub resume: Vec<PathBuf>,
    /// Append results to this file instead of standard output, and leave out units that have a
    /// result there
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Count the kinds of moves too, as perft stats does for the last depth, without a table
    #[arg(long)]
    pub stats: bool,
    /// Use other keys in the table, for a second count
    #[arg(long, conflicts_with = "stats", help_heading = ADVANCED)]
    pub other_keys: bool,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub output: QuietArgs,
}

#[derive(Args)]
pub struct TotalArgs {
    /// The plan
    pub plan: PathBuf,
    /// Files of results
    #[arg(required = true)]
    pub results: Vec<PathBuf>,
    /// Print the units that have no result, as a plan
    #[arg(long, conflicts_with_all = ["audit", "json"])]
    pub missing: bool,
    /// Print the kinds of moves, from results of perft work --stats
    #[arg(long, conflicts_with = "missing")]
    pub stats: bool,
    /// Count a share of the units again, with other keys
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub audit: Option<f64>,
    /// Seed that chooses the audited units
    #[arg(long, default_value_t = 1, requires = "audit")]
    pub seed: u64,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

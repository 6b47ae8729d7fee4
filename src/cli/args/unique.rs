//! The arguments of `perft unique`.

use std::path::PathBuf;

use crate::plan::unique::MAX_PARTS;
use clap::builder::TypedValueParser;
use clap::{Args, ValueHint};
use perft_core::EnPassant;

use super::parsers::Size;
use super::shared::{POSITION_HELP, one_of, position_names};
use super::{OutputArgs, PositionArgs, ThreadsArgs};

#[derive(Args)]
pub struct UniqueArgs {
    /// The position and, last, the number of plies
    #[arg(value_name = "POSITION PLY", required_unless_present_any = ["work", "total"],
        num_args = 1.., long_help = POSITION_HELP, value_parser = position_names(),
        hide_possible_values = true, allow_negative_numbers = true)]
    pub tokens: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
    /// Count every ply up to PLY
    #[arg(long)]
    pub each: bool,
    /// When the en-passant square tells positions apart: any (after every double push), legal (if
    /// a capture is legal) or none (never)
    #[arg(long, value_name = "WHEN", default_value = EnPassant::default().name(),
        value_parser = definitions())]
    pub en_passant: EnPassant,
    /// The most memory to use: 512M, 4G [default: half of the free memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// Keep positions in files of this directory instead of memory, and resume from them
    #[arg(long, value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// The most disk to use [default: all that is free]
    #[arg(long, value_name = "SIZE", requires = "dir")]
    pub disk: Option<Size>,
    /// Cut the count into so many parts for many machines, and print them
    #[arg(long, value_name = "PARTS", conflicts_with_all = ["each", "memory", "dir", "json"],
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PARTS)))]
    pub plan: Option<u32>,
    /// Count the parts of a plan, - for standard input, and print their results
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::FilePath, conflicts_with_all =
        ["tokens", "moves", "chess960", "strict", "each", "en_passant", "plan", "total", "json"])]
    pub work: Option<PathBuf>,
    /// Add up the results of all parts
    #[arg(long, value_name = "RESULTS", num_args = 1.., value_hint = ValueHint::FilePath,
        conflicts_with_all =
        ["tokens", "moves", "chess960", "strict", "each", "en_passant", "plan", "dir"])]
    pub total: Vec<PathBuf>,
    /// Print the parts that have no result, as a plan
    #[arg(long, requires = "total", conflicts_with = "json")]
    pub missing: bool,
    #[command(flatten)]
    pub threads: ThreadsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

fn definitions() -> impl TypedValueParser<Value = EnPassant> {
    one_of(EnPassant::ALL.map(EnPassant::name))
}

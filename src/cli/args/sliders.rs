//! The arguments of `perft sliders`.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use perft_core::Square;
use perft_lab::System;
use perft_lab::finder::MagicTarget;

use super::parsers::{number_of_64_bits, seconds};
use super::shared::{POSITION_HELP, position_names, systems};
use super::{OutputArgs, PositionArgs, ThreadsArgs};

#[derive(Subcommand)]
pub enum SlidersCommand {
    /// List the systems and the size of their tables
    #[command(after_help = "Example:\n  perft sliders list")]
    List(ListArgs),
    /// Show a lookup step by step, as diagrams
    #[command(after_help = "Example:\n  perft sliders show d4 kiwipete --piece rook")]
    Show(ShowArgs),
    /// Find magics
    #[command(after_help = "\
Examples:
  perft sliders find --piece rook --square a1 --bits 12 --method random --seed 1
  perft sliders find --method search
  perft sliders find --piece bishop --square g7 --bits 4 --method search
  perft sliders find --method squeeze --key black --pack --tries 1000000

Exit codes: 0 done, 1 some squares have no magic yet, 2 bad input.")]
    Find(FindArgs),
    /// Compare every system with the reference
    #[command(after_help = "\
Examples:
  perft sliders verify --random 100000
  perft sliders verify --magic 0x0080001020400080 --piece rook --square a1

Exit codes: 0 right, 1 a system or the magic is wrong, 2 bad input.")]
    Verify(VerifyArgs),
    /// Measure the speed of every system
    #[command(after_help = "Example:\n  perft sliders bench --rounds 7")]
    Bench(SlidersBenchArgs),
    /// Find the constant of the magic bitscan, step by step
    #[command(after_help = "Example:\n  perft sliders bitscan --width 8")]
    Bitscan(BitscanArgs),
}

#[derive(Args)]
pub struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ShowArgs {
    /// The slider's square
    pub square: Square,
    /// The position [default: startpos]
    #[arg(value_name = "POSITION", long_help = POSITION_HELP,
        value_parser = position_names(), hide_possible_values = true)]
    pub tokens: Vec<String>,
    /// Which slider
    #[arg(long, value_enum, default_value_t = PieceArg::Both)]
    pub piece: PieceArg,
    /// The slider system
    #[arg(long, value_name = "NAME", default_value = System::Fancy.name(), value_parser = systems())]
    pub system: System,
    /// Squares of pieces to capture, instead of a position: d6,b4
    #[arg(long, value_name = "SQUARES", value_delimiter = ',', num_args = 0..=1,
        conflicts_with_all = ["tokens", "moves", "chess960"])]
    pub enemies: Option<Vec<Square>>,
    /// Squares of pieces of the slider's side, instead of a position
    #[arg(long, value_name = "SQUARES", value_delimiter = ',', num_args = 0..=1,
        conflicts_with_all = ["tokens", "moves", "chess960"])]
    pub friends: Option<Vec<Square>>,
    #[command(flatten)]
    pub position: PositionArgs,
}

#[derive(Args)]
pub struct FindArgs {
    /// Which slider
    #[arg(long, value_enum, default_value_t = PieceArg::Both)]
    pub piece: PieceArg,
    /// Which square [default: all]
    #[arg(long)]
    pub square: Option<Square>,
    /// Index bits, fewer than relevant squares for an optimal magic [default: the number of
    /// relevant squares]
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MagicTarget::MAX_INDEX_BITS)))]
    pub bits: Option<u32>,
    /// Search method
    #[arg(long, value_enum, default_value_t = MethodArg::Random)]
    pub method: MethodArg,
    /// Key that is multiplied by the magic
    #[arg(long, value_enum, default_value_t = KeyArg::White)]
    pub key: KeyArg,
    /// Seed of the random numbers: the same seed finds the same magics
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Candidates for each square, with --method squeeze
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub tries: u64,
    /// Seeds to try, from --seed on, with --method squeeze; the shortest table of each square
    /// is kept
    #[arg(long, value_name = "N", default_value = "1")]
    pub seeds: NonZero<u64>,
    /// Overlap the tables of all squares
    #[arg(long)]
    pub pack: bool,
    /// Rounds of laying some of the tables anew, with --pack
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub rounds: u64,
    /// File from which the search goes on and to which it is saved, with --pack
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Stop after this time and print the magics found so far
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<Duration>,
    #[command(flatten)]
    pub threads: ThreadsArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    pub format: Format,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// Random occupancies for each system, besides every subset of every mask
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
        value_parser = clap::value_parser!(u32).range(..=BILLION))]
    pub random: u32,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Check a magic instead, of --piece on --square
    #[arg(long, value_name = "NUMBER", value_parser = number_of_64_bits,
        requires_all = ["piece", "square"], conflicts_with_all = ["random", "seed"])]
    pub magic: Option<u64>,
    /// Which slider, with --magic
    #[arg(long, value_enum, requires = "magic")]
    pub piece: Option<SliderArg>,
    /// Which square, with --magic
    #[arg(long, requires = "magic")]
    pub square: Option<Square>,
    /// Index bits, with --magic [default: the number of relevant squares]
    #[arg(long, value_name = "N", requires = "magic",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MagicTarget::MAX_INDEX_BITS)))]
    pub bits: Option<u32>,
    /// Key that is multiplied by the magic, with --magic
    #[arg(long, value_enum, default_value_t = KeyArg::White, requires = "magic")]
    pub key: KeyArg,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct SlidersBenchArgs {
    /// Measurements of each system
    #[arg(long, value_name = "N", default_value = "5")]
    pub rounds: NonZero<usize>,
    /// Lookups in each measurement
    #[arg(long, value_name = "N", default_value_t = 4_000_000,
        value_parser = clap::value_parser!(u32).range(1..=BILLION))]
    pub look_ups: u32,
    #[command(flatten)]
    pub output: OutputArgs,
}

const BILLION: i64 = 1_000_000_000;

#[derive(Args)]
pub struct BitscanArgs {
    /// Width of the word in bits
    #[arg(long, value_enum, default_value_t = Width::W64)]
    pub width: Width,
    /// Print only the constant
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Width {
    #[value(name = "8")]
    W8,
    #[value(name = "16")]
    W16,
    #[value(name = "32")]
    W32,
    #[value(name = "64")]
    W64,
}

impl Width {
    pub fn bits(self) -> u32 {
        8 << self as u32
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PieceArg {
    Rook,
    Bishop,
    Both,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SliderArg {
    Rook,
    Bishop,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodArg {
    /// Three random words ANDed
    Random,
    /// Six to ten bits at random places
    Bits,
    /// Bit by bit, with a check after each
    Search,
    /// Hill climbing to short tables
    Squeeze,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyArg {
    /// occupied & mask
    White,
    /// occupied | !mask
    Black,
    /// Two 32-bit products
    Fold32,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Rust,
    Cpp,
    Python,
}

//! What a user can type.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use perft::{Bulk, Variant};

const ABOUT: &str = "Count the leaves of the tree of legal chess moves";

const POSITION_HELP: &str = "\
POSITION is a FEN, quoted or as separate words, its first four fields being enough; or a \
name (see `perft board --list`); or - for a FEN on standard input.";

const EXAMPLES: &str = "\
Examples:
  perft startpos 6
  perft \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\" 4
  perft 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 5
  perft startpos 5 --moves \"e2e4 e7e5\"
  perft divide kiwipete 3
  perft suite

Exit codes: 0 done, 1 counts differ, 2 bad input or usage.";

#[derive(Parser)]
#[command(
    name = "perft",
    version,
    about = ABOUT,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "perft [OPTIONS] <POSITION> <DEPTH>\n       perft <COMMAND>"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub count: CountArgs,
}

#[derive(Subcommand)]
pub enum Command {
    /// Count the leaves behind each root move
    #[command(
        override_usage = "perft divide [OPTIONS] <POSITION> <DEPTH>",
        after_help = "Example:\n  perft divide kiwipete 4 | sort > ours"
    )]
    Divide(CountArgs),
    /// Run suites of known counts and compare
    #[command(after_help = "\
Examples:
  perft suite
  perft suite --max-nodes 1000000000 perft_suites/standard.epd
  perft suite my.epd --verbose

A file has lines `FEN ;D1 20 ;D2 400`, or blocks of `id`, `epd FEN` and `perft 1 20` lines.")]
    Suite(SuiteArgs),
    /// Draw a position and list its legal moves
    #[command(
        override_usage = "perft board [OPTIONS] <POSITION>\n       perft board --list",
        after_help = "Example:\n  perft board startpos --moves \"e2e4 c7c5\""
    )]
    Board(BoardArgs),
}

#[derive(Args)]
pub struct CountArgs {
    /// The position and, last, the number of plies
    #[arg(value_name = "POSITION DEPTH", required = true, num_args = 1.., long_help = POSITION_HELP)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
    /// Make every move down to the leaves instead of counting the last ply in bulk
    #[arg(long)]
    pub no_bulk: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl CountArgs {
    pub fn bulk(&self) -> Bulk {
        bulk(self.no_bulk)
    }
}

#[derive(Args)]
pub struct SuiteArgs {
    /// Suite files, - for standard input, or names of our own suites [default: all of ours]
    pub files: Vec<PathBuf>,
    /// Leave out counts above this
    #[arg(long, value_name = "N", default_value_t = perft::suite::Options::DEFAULT_MAX_NODES)]
    pub max_nodes: u128,
    /// How many positions to count at once [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZero<usize>>,
    /// Show a line for each position
    #[arg(long, short)]
    pub verbose: bool,
    /// Make every move down to the leaves instead of counting the last ply in bulk
    #[arg(long)]
    pub no_bulk: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl SuiteArgs {
    pub fn bulk(&self) -> Bulk {
        bulk(self.no_bulk)
    }
}

fn bulk(no_bulk: bool) -> Bulk {
    if no_bulk { Bulk::No } else { Bulk::Yes }
}

#[derive(Args)]
pub struct BoardArgs {
    /// The position
    #[arg(value_name = "POSITION", required_unless_present = "list", long_help = POSITION_HELP)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
    /// List the positions that have a name
    #[arg(long, conflicts_with_all = ["words", "moves", "chess960"])]
    pub list: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct PositionArgs {
    /// Moves to play first, in UCI notation, separated by spaces
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
    /// Read X-FEN and Shredder-FEN castling, and write castling as king-takes-rook
    #[arg(long)]
    pub chess960: bool,
}

impl PositionArgs {
    pub fn variant(&self) -> Variant {
        if self.chess960 { Variant::Chess960 } else { Variant::Standard }
    }
}

#[derive(Args)]
pub struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the result (and errors)
    #[arg(long, short)]
    pub quiet: bool,
}

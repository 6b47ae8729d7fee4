//! Arguments, as clap derives them, and their conversion to values of the library.
//!
//! `shared` has the options that mean the same everywhere, `parsers` the formats of values.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

mod check;
#[cfg(feature = "explore")]
mod explore;
mod parsers;
mod plan;
mod shared;
mod sliders;
mod unique;

pub use check::{CheckArgs, EngineArgs, program_arguments};
#[cfg(feature = "explore")]
pub use check::{Protocol, split_command};
#[cfg(feature = "explore")]
pub use explore::ExploreArgs;
pub use parsers::number_of_threads;
pub use plan::{PlanArgs, TotalArgs, WorkArgs};
pub use shared::{
    BackendArgs, CountingArgs, EmitArgs, FormatArgs, Language, MachineArgs, MergeArgs, OutputArgs,
    PositionArgs, QuietArgs, ReportFormat, TargetArgs, ThreadsArgs,
};
pub use sliders::{
    BitscanArgs, FindArgs, Format, KeyArg, ListArgs, MethodArg, PieceArg, ShowArgs, SliderArg,
    SlidersBenchArgs, SlidersCommand, VerifyArgs,
};
pub use unique::UniqueArgs;

use super::output::colors;
use parsers::{number_of_nodes, seconds};
use shared::{ADVANCED, POSITION_HELP, position_names, suite_names};

const ABOUT: &str = "Count perft, and find the position where a chess move generator goes wrong";

const EXAMPLES: &str = "\
Examples:
  perft startpos 6
  perft \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\" 4
  perft 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 5
  perft startpos 5 --moves \"e2e4 e7e5\"
  perft divide kiwipete 3
  perft check stockfish
  perft check stockfish kiwipete 5
  perft suite

Exit codes: 0 done, 1 counts differ, 2 bad input or usage, 3 not enough was tried, 130 stopped by \
Ctrl-C or a signal.";

#[derive(Parser)]
#[command(
    name = "perft",
    version,
    about = ABOUT,
    after_help = EXAMPLES,
    color = colors(),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "perft [OPTIONS] <POSITION> <DEPTH>\n       perft <COMMAND>"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub count: CountArgs,
    /// Save progress to FILE and resume from it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "progress", "verbose"])]
    pub checkpoint: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Count the leaves behind each root move
    #[command(
        override_usage = "perft divide [OPTIONS] <POSITION> <DEPTH>",
        after_help = "Example:\n  perft divide kiwipete 4 | sort > ours"
    )]
    Divide(CountArgs),
    /// Count kinds of moves at each depth: captures, castles, checks, mates, ...
    #[command(
        override_usage = "perft stats [OPTIONS] <POSITION> <DEPTH>",
        after_help = "Example:\n  perft stats kiwipete 5"
    )]
    Stats(StatsArgs),
    /// Count the different positions after a number of plies
    #[command(
        override_usage = "\
perft unique [OPTIONS] <POSITION> <PLY>
       perft unique --plan <PARTS> <POSITION> <PLY>
       perft unique --work <PLAN>
       perft unique --total <RESULTS>...",
        after_help = "\
Examples:
  perft unique startpos 6
  perft unique startpos 5 --each
  perft unique startpos 4 --en-passant any
  perft unique startpos 8 --dir positions --memory 4G    (after a stop the same command resumes)

Positions are the same if they have the same pieces, side to move, castling rights and en-passant \
square; clocks do not count. The sum of the lines that lead to them is checked against perft.

Exit codes: 0 done, 1 the sum is not that of perft, 2 bad input, or not enough memory or disk."
    )]
    Unique(UniqueArgs),
    /// Estimate a count that is too deep to make, with a confidence interval
    #[command(
        override_usage = "perft estimate [OPTIONS] <POSITION> <DEPTH>",
        after_help = "\
Examples:
  perft estimate startpos 12 --seconds 60
  perft estimate startpos 16 --samples 100000 --seed 7"
    )]
    Estimate(EstimateArgs),
    /// Find the position and the rule that an engine gets wrong
    #[command(
        override_usage = "\
perft check [OPTIONS] <ENGINE> [-- ARGS...]
       perft check [OPTIONS] <ENGINE> <POSITION> <DEPTH>
       perft check [OPTIONS] <ENGINE> --suite [FILES...]
       perft check [OPTIONS] <ENGINE> --hunt
       perft check [OPTIONS] - <POSITION> <DEPTH>",
        after_help = "\
Examples:
  perft check ./engine
  perft check stockfish kiwipete 5
  perft check \"./engine --quiet\" --option Hash=16 --suite my.epd
  perft check stockfish --hunt --chess960 --seconds 300
  perft check --protocol script ./perft.sh --emit rust
  ./engine divide 3 | perft check - startpos 3

Without a position, --suite or --hunt it compares the built-in suites tricky, standard and \
chess960, for half of the time at most, then random positions. It ends at the first mismatch, which \
it shrinks and explains. Chess960 is tried if the engine has the option UCI_Chess960; with \
--chess960 it is required, and a script is given it too.

An engine is any UCI engine that knows `go perft N` (or the --perft-command). With \
--protocol script it is any program that prints `move count` lines when it is called as \
PROGRAM DEPTH FEN MOVES.

Exit codes: 0 no difference, 1 different, 2 bad input, or an engine that does not respond, 3 the \
time was up before the position or the suites were compared."
    )]
    Check(CheckArgs),
    /// Walk the tree of moves in the browser, beside another engine
    #[cfg(feature = "explore")]
    #[command(
        override_usage = "perft explore [OPTIONS] [POSITION | LINK]",
        after_help = "\
Examples:
  perft explore
  perft explore kiwipete --depth 4
  perft explore --engine ./engine --option Hash=16
  perft explore \"http://127.0.0.1:8000/?position=kiwipete&moves=e1g1&depth=4\"

The page is served on this machine only, to whoever has the printed address. Ctrl-C ends it."
    )]
    Explore(ExploreArgs),
    /// Serve as a UCI engine: position, go perft N, d
    #[command(after_help = "\
Example:
  printf 'position startpos moves e2e4\\ngo perft 3\\n' | perft uci

Options: Hash (MB, 0 for no table), Threads, UCI_Chess960. `stop` cancels a count; `quit` and the \
end of input let it finish.")]
    Uci,
    /// Run suites of known counts
    #[command(after_help = "\
Examples:
  perft suite
  perft suite --max-nodes 1G perft_suites/standard.epd
  perft suite my.epd --verbose
  perft suite --write json my.epd > my.json

A file has lines `FEN ;D1 20 ;D2 400` or `FEN,20,400`, blocks of `id`, `epd FEN` and `perft 1 20` \
lines, or a JSON list of {\"fen\": FEN, \"depth\": 1, \"nodes\": 20}.

Exit codes: 0 all counts are right, 1 some are wrong, 2 bad input, or lines that cannot be used.")]
    Suite(SuiteArgs),
    /// Draw a position and list its legal moves
    #[command(
        override_usage = "perft board [OPTIONS] <POSITION>\n       perft board --list",
        after_help = "Example:\n  perft board startpos --moves \"e2e4 c7c5\""
    )]
    Board(BoardArgs),
    /// Cut a deep count into units of work, for many machines
    #[command(
        override_usage = "perft plan [OPTIONS] --ply <P> <POSITION> <DEPTH>",
        after_help = "\
Examples:
  perft plan startpos 9 --ply 4 -o plan.jsonl
  parallel --pipe -N 1000 perft work < plan.jsonl > results.jsonl
  perft total plan.jsonl results.jsonl"
    )]
    Plan(PlanArgs),
    /// Count the units of a plan
    #[command(after_help = "\
Examples:
  perft work plan.jsonl > results.jsonl
  perft work plan.jsonl -o results.jsonl       (after a stop the same command resumes)
  parallel --pipe -N 1000 perft work < plan.jsonl > results.jsonl")]
    Work(WorkArgs),
    /// Check the results of a plan and add them up
    #[command(after_help = "\
Examples:
  perft total plan.jsonl results.jsonl
  perft total plan.jsonl results-*.jsonl --missing > rest.jsonl
  perft total plan.jsonl results.jsonl --audit 1%

Exit codes: 0 done, 1 units are missing or results do not agree, 2 bad input.")]
    Total(TotalArgs),
    /// Measure speed, with every count checked
    #[command(after_help = "\
Examples:
  perft bench
  perft bench --kernel simple --cpu v3

The positions take turns, round by round; the best round of each counts. The spread is the \
distance of the slowest round from the best. A wrong count ends it with exit code 1.")]
    Bench(BenchArgs),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = "\
Examples:
  perft completions bash > ~/.local/share/bash-completion/completions/perft
  perft completions fish > ~/.config/fish/completions/perft.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command
    #[command(after_help = "\
Examples:
  perft man | man -l -
  perft man --dir ~/.local/share/man/man1")]
    Man {
        /// Write a page for each command into this directory
        #[arg(long, value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
    /// Slider systems: list, show, find magics, verify, measure
    #[command(
        arg_required_else_help = false,
        after_help = "Example:\n  perft sliders show d4 kiwipete"
    )]
    Sliders {
        #[command(subcommand)]
        command: SlidersCommand,
    },
}

#[derive(Args, Clone)]
pub struct CountArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Count a second time in another way and compare
    #[arg(long, help_heading = ADVANCED)]
    pub verify: bool,
    /// Report progress as lines of JSON on standard error, terminal or not
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = ADVANCED)]
    pub progress: Option<ProgressFormat>,
    /// Report kernel, sliders, CPU level, threads, and table or layers
    #[arg(long, short)]
    pub verbose: bool,
    #[command(flatten)]
    pub merge: MergeArgs,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ProgressFormat {
    Json,
}

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct EstimateArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Time for the samples
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub seconds: Duration,
    /// Number of samples in place of a time, rounded up to whole batches
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    pub samples: Option<u64>,
    /// Seed of the samples; the same seed and number of samples give the same estimate
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub threads: ThreadsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct SuiteArgs {
    /// Suite files, - for standard input, or names of built-in suites [default: the built-in
    /// suites]
    #[arg(value_parser = suite_names(), hide_possible_values = true)]
    pub files: Vec<PathBuf>,
    /// Skip counts above this
    #[arg(long, value_name = "N", value_parser = number_of_nodes,
        default_value_t = perft_compare::suite::Options::DEFAULT_MAX_NODES)]
    pub max_nodes: u128,
    /// Show a line for each position
    #[arg(long, short)]
    pub verbose: bool,
    /// Skip lines that cannot be used, instead of ending with exit code 2
    #[arg(long)]
    pub skip_bad: bool,
    /// Refuse positions that no game reaches
    #[arg(long)]
    pub strict: bool,
    /// Print the suites in another format, and count nothing
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["verbose", "json"])]
    pub write: Option<SuiteFormat>,
    #[command(flatten)]
    pub counting: CountingArgs,
    #[command(flatten)]
    pub output: FormatArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum SuiteFormat {
    Epd,
    Json,
}

#[derive(Args)]
pub struct BoardArgs {
    /// The position
    #[arg(value_name = "POSITION", required_unless_present = "list", long_help = POSITION_HELP,
        value_parser = position_names(), hide_possible_values = true)]
    pub tokens: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
    /// Show sets of squares that decide which moves are legal
    #[arg(long, value_enum, value_name = "SETS", value_delimiter = ',')]
    pub show: Vec<SquareSet>,
    /// List the named positions
    #[arg(long, conflicts_with_all = ["tokens", "moves", "chess960", "strict", "show"])]
    pub list: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SquareSet {
    /// The squares that each color attacks
    Attacks,
    /// Pinned pieces and their lines
    Pins,
    /// In check, the targets of all pieces but the king
    Check,
    /// The squares that the king may not go to
    Danger,
    /// The squares that castling needs empty, and the en-passant square
    Castling,
    /// The moves that the two-ply kernel makes; it counts behind the others without making them
    Kernel,
}

#[derive(Args)]
pub struct BenchArgs {
    /// Measured counts of each position, after one to warm up
    #[arg(long, value_name = "N", default_value = "5")]
    pub rounds: NonZero<usize>,
    #[command(flatten)]
    pub backend: BackendArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

//! What a user can type.

use std::iter;
use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use perft::sliders::System;
use perft::{Cpu, Depth, Engine, Kernel, Square, Table, Variant, threads};

use super::output::colours;

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
  perft compare --engine stockfish kiwipete 5
  perft suite

Exit codes: 0 done, 1 counts differ, 2 bad input or usage, 130 stopped by Ctrl-C.";

#[derive(Parser)]
#[command(
    name = "perft",
    version,
    about = ABOUT,
    after_help = EXAMPLES,
    color = colours(),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "perft [OPTIONS] <POSITION> <DEPTH>\n       perft <COMMAND>"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub count: CountArgs,
    /// Keep what is finished in a file, and go on from there if it is killed
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
    /// Find the position and the rule that another engine gets wrong
    #[command(
        override_usage = "\
perft compare --engine CMD [OPTIONS] <POSITION> <DEPTH>
       perft compare --engine CMD --suite [FILES...]
       perft compare --engine CMD --hunt [--seconds T]
       perft compare --stdin <POSITION> <DEPTH>",
        after_help = "\
Examples:
  perft compare --engine stockfish kiwipete 5
  perft compare --engine \"./engine --quiet\" --option Hash=16 --suite
  perft compare --engine ./engine --hunt --seconds 60 --chess960
  perft compare --protocol script --engine ./perft.sh kiwipete 4
  ./engine divide 3 | perft compare --stdin startpos 3

An engine is any UCI engine that knows `go perft N` (or what --perft-command says). With \
--protocol script it is any program that prints `move count` lines when it is called as \
PROGRAM DEPTH FEN MOVES.

Exit codes: 0 equal, 1 different, 2 bad input, or an engine that does not answer."
    )]
    Compare(CompareArgs),
    /// Speak UCI: position, go perft N, d
    #[command(after_help = "\
Example:
  printf 'position startpos moves e2e4\\ngo perft 3\\n' | perft uci

Options: Hash (MB, 0 for no table), Threads, UCI_Chess960. `stop` ends a count early; `quit` and \
the end of input let it finish.")]
    Uci,
    /// Run suites of known counts and compare
    #[command(after_help = "\
Examples:
  perft suite
  perft suite --max-nodes 1G perft_suites/standard.epd
  perft suite my.epd --verbose

A file has lines `FEN ;D1 20 ;D2 400`, or blocks of `id`, `epd FEN` and `perft 1 20` lines.")]
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
    /// Count units of a plan: units in, results out
    #[command(after_help = "\
Examples:
  perft work plan.jsonl > results.jsonl
  perft work plan.jsonl -o results.jsonl       (killed? the same command goes on)
  parallel --pipe -N 1000 perft work < plan.jsonl > results.jsonl")]
    Work(WorkArgs),
    /// Check the results of a plan and sum them up
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
  perft bench --kernel simple --cpu v2

The positions take turns, round by round; the best round of each counts. The spread is how far \
the slowest round lay below the best. Counts that differ end it with exit code 1.")]
    Bench(BenchArgs),
    /// Print a script that completes commands and options in a shell
    #[command(after_help = "\
Examples:
  perft completions bash > ~/.local/share/bash-completion/completions/perft
  perft completions fish > ~/.config/fish/completions/perft.fish")]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of perft or, with a folder, write one for each command
    #[command(after_help = "\
Examples:
  perft man | man -l -
  perft man --folder ~/.local/share/man/man1")]
    Man {
        /// Write a page for each command into this folder
        #[arg(long)]
        folder: Option<PathBuf>,
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

#[derive(Subcommand)]
pub enum SlidersCommand {
    /// The systems and the size of their tables
    #[command(after_help = "Example:\n  perft sliders list")]
    List(ListArgs),
    /// A look-up step by step, as diagrams
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
    /// Compare every system with the slow walk
    #[command(after_help = "Example:\n  perft sliders verify --random 100000")]
    Verify(VerifyArgs),
    /// Measure every system
    #[command(after_help = "Example:\n  perft sliders bench --rounds 7")]
    Bench(SlidersBenchArgs),
    /// Find the constant of the magic bitscan, step by step
    #[command(after_help = "Example:\n  perft sliders bitscan --width 8")]
    Bitscan(BitscanArgs),
}

#[derive(Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct ShowArgs {
    /// Where the slider stands
    pub square: Square,
    /// The position [default: startpos]
    #[arg(value_name = "POSITION", conflicts_with = "fen", long_help = POSITION_HELP)]
    pub words: Vec<String>,
    /// Which slider
    #[arg(long, value_enum, default_value_t = PieceArg::Both)]
    pub piece: PieceArg,
    /// The position, as an option
    #[arg(long, value_name = "POSITION")]
    pub fen: Option<String>,
    #[command(flatten)]
    pub position: PositionArgs,
    #[command(flatten)]
    pub output: QuietArgs,
}

#[derive(Args)]
pub struct FindArgs {
    /// Which slider
    #[arg(long, value_enum, default_value_t = PieceArg::Both)]
    pub piece: PieceArg,
    /// Which square [default: all]
    #[arg(long)]
    pub square: Option<Square>,
    /// Width of the index, fewer than the relevant squares for an optimal magic [default: as
    /// many as the square has relevant ones]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(perft::sliders::finder::Target::MAX_INDEX_BITS)))]
    pub bits: Option<u32>,
    /// How to search
    #[arg(long, value_enum, default_value_t = MethodArg::Random)]
    pub method: MethodArg,
    /// How blockers become the key that is multiplied
    #[arg(long, value_enum, default_value_t = KeyArg::White)]
    pub key: KeyArg,
    /// The start of the random numbers: the same seed finds the same magics
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Candidates for each square with --method squeeze
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub tries: u64,
    /// Seeds to try with --method squeeze, from --seed on; the shortest table of each square
    /// counts
    #[arg(long, value_name = "N", default_value = "1")]
    pub seeds: NonZero<u64>,
    /// Lay the tables of all squares over each other
    #[arg(long)]
    pub pack: bool,
    /// Orders of laying tables down to try with --pack
    #[arg(long, value_name = "N", default_value = "24")]
    pub orders: NonZero<u64>,
    /// Stop after this time with what was found
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<Duration>,
    #[command(flatten)]
    pub threads: ThreadsArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "json")]
    format: Format,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl FindArgs {
    pub fn format(&self) -> Format {
        if self.output.json { Format::Json } else { self.format }
    }
}

#[derive(Args)]
pub struct VerifyArgs {
    /// Random occupancies for each system, besides every subset of every mask
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
        value_parser = clap::value_parser!(u32).range(..=A_BILLION))]
    pub random: u32,
    /// The start of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct SlidersBenchArgs {
    /// How often each system is measured
    #[arg(long, value_name = "N", default_value = "5")]
    pub rounds: NonZero<usize>,
    /// Look-ups in a measurement
    #[arg(long, value_name = "N", default_value_t = 4_000_000,
        value_parser = clap::value_parser!(u32).range(1..=A_BILLION))]
    pub look_ups: u32,
    #[command(flatten)]
    pub output: OutputArgs,
}

const A_BILLION: i64 = 1_000_000_000;

#[derive(Args)]
pub struct BitscanArgs {
    /// Width of the word
    #[arg(long, value_enum, default_value_t = Width::W64)]
    pub width: Width,
    /// Only the constant, not the steps
    #[arg(long)]
    pub brief: bool,
    #[command(flatten)]
    pub output: QuietArgs,
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
pub enum MethodArg {
    /// Three random words ANDed
    Random,
    /// Six to ten bits at random places
    Bits,
    /// Bit by bit, each guess checked
    Search,
    /// Climb to magics with short tables
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
    Json,
}

#[derive(Args)]
pub struct QuietArgs {
    /// Print nothing but the result (and errors)
    #[arg(long, short)]
    pub quiet: bool,
}

/// What to count.
#[derive(Args, Clone)]
pub struct TargetArgs {
    /// The position and, last, the number of plies
    #[arg(value_name = "POSITION DEPTH", required = true, num_args = 1.., long_help = POSITION_HELP,
        allow_negative_numbers = true)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
}

#[derive(Args, Clone)]
pub struct CountArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// Count a second time with other keys and compare
    #[arg(long)]
    pub verify: bool,
    /// Tell progress as lines of JSON on standard error, terminal or not
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub progress: Option<ProgressFormat>,
    /// Say what the count was made with
    #[arg(long, short)]
    pub verbose: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct SuiteArgs {
    /// Suite files, - for standard input, or names of our own suites [default: all of ours]
    pub files: Vec<PathBuf>,
    /// Leave out counts above this
    #[arg(long, value_name = "N", value_parser = number_of_nodes,
        default_value_t = perft::suite::Options::DEFAULT_MAX_NODES)]
    pub max_nodes: u128,
    /// Show a line for each position
    #[arg(long, short)]
    pub verbose: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct StatsArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub threads: ThreadsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub struct CompareArgs {
    /// The position and, last, the number of plies
    #[arg(value_name = "POSITION DEPTH", num_args = 1.., long_help = POSITION_HELP,
        allow_negative_numbers = true,
        required_unless_present_any = ["suite", "hunt"], conflicts_with_all = ["suite", "hunt"])]
    pub words: Vec<String>,
    /// The other engine: a program, with arguments if it needs any
    #[arg(long = "engine", value_name = "CMD", required_unless_present = "stdin")]
    pub program: Option<String>,
    /// Set an option of the engine
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub options: Vec<(String, String)>,
    /// How to speak with it
    #[arg(long, value_enum, default_value_t = Protocol::Uci)]
    pub protocol: Protocol,
    /// What asks a UCI engine for a divide
    #[arg(long, value_name = "TEXT", default_value = "go perft {depth}")]
    pub perft_command: String,
    /// How many seconds the engine may be silent
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
    /// Compare all positions of suites [default: all of ours]
    #[arg(long, value_name = "FILES", num_args = 0.., conflicts_with_all = ["hunt", "stdin"])]
    pub suite: Option<Vec<PathBuf>>,
    /// With --suite, leave out counts above this
    #[arg(long, value_name = "N", value_parser = number_of_nodes, default_value_t = 1_000_000,
        conflicts_with_all = ["words", "hunt", "stdin"])]
    pub max_nodes: u128,
    /// With --suite, look into so many wrong positions
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with_all = ["words", "hunt", "stdin"])]
    pub failures: usize,
    /// Make random positions, rich in special cases, until the engine gets one wrong; then
    /// shrink it
    #[arg(long, conflicts_with = "stdin")]
    pub hunt: bool,
    /// The start of --hunt's random positions [default: from the clock]
    #[arg(long, conflicts_with_all = ["words", "suite", "stdin"])]
    pub seed: Option<u64>,
    /// Stop a --hunt after this time
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["words", "suite", "stdin"], value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Read a divide from standard input instead of starting an engine
    #[arg(long, conflicts_with_all = ["program", "options", "protocol", "perft_command", "timeout"])]
    pub stdin: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub position: PositionArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// A UCI engine that knows `go perft N`
    Uci,
    /// A program called as PROGRAM DEPTH FEN MOVES
    Script,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !text.contains(['\n', '\r']) => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "write a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if !time.is_zero() && time <= YEAR => Ok(time),
        _ => Err("write a number of seconds above 0, a year at most".to_owned()),
    }
}

#[derive(Args)]
pub struct PlanArgs {
    #[command(flatten)]
    pub target: TargetArgs,
    /// After how many plies to cut
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
    /// Append results to this file instead of standard output, and leave out units that have one
    /// there
    #[arg(long = "output", short = 'o', value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Use other keys in the table, for a second count
    #[arg(long)]
    pub other_keys: bool,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
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
    /// Count a share of the units again, with other keys
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub audit: Option<f64>,
    /// Which units are audited
    #[arg(long, default_value_t = 1, requires = "audit")]
    pub seed: u64,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `1%` or `0.5%`, as a share.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    match number {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("write a percentage above 0%, 100% at most".to_owned()),
    }
}

#[derive(Args)]
pub struct BenchArgs {
    /// How often each position is counted, after a round to warm up
    #[arg(long, value_name = "N", default_value = "5")]
    pub rounds: NonZero<usize>,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ProgressFormat {
    Json,
}

#[derive(Args, Clone)]
pub struct ThreadsArgs {
    /// How many threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = number_of_threads, allow_negative_numbers = true)]
    threads: Option<NonZero<usize>>,
}

impl ThreadsArgs {
    pub fn threads(&self) -> NonZero<usize> {
        self.threads.unwrap_or_else(all_cores)
    }
}

/// A number of threads that can be asked for.
pub fn number_of_threads(text: &str) -> Result<NonZero<usize>, String> {
    let number = text.parse().ok().filter(|number: &NonZero<usize>| number.get() <= threads::MOST);
    number.ok_or_else(|| format!("write a number from 1 to {}", threads::MOST))
}

/// A number of nodes as people write it: `20000000`, `20,000,000`, `20M` or `2e7`.
fn number_of_nodes(text: &str) -> Result<u128, String> {
    let wrong = || "write a number of nodes, as 20000000, 20,000,000, 20M or 2e7".to_owned();
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let zeros: u32 = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 3,
        "M" => 6,
        "G" | "B" => 9,
        "T" => 12,
        power => power.strip_prefix('E').and_then(|zeros| zeros.parse().ok()).ok_or_else(wrong)?,
    };
    if digits.starts_with('+') {
        return Err(wrong());
    }
    let number: u128 = digits.replace([',', '_'], "").parse().map_err(|_| wrong())?;
    10_u128.checked_pow(zeros).and_then(|unit| number.checked_mul(unit)).ok_or_else(wrong)
}

#[derive(Args, Clone)]
pub struct MachineArgs {
    #[command(flatten)]
    pub threads: ThreadsArgs,
    /// The size of the table of known counts: 512M, 4G, or 0 for none [default: what helps
    /// with a tree of this size, at most half of the free memory; none for suite and compare]
    #[arg(long, value_name = "SIZE")]
    pub hash: Option<Size>,
}

/// As many threads as there are cores.
fn all_cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

impl MachineArgs {
    pub fn threads(&self) -> NonZero<usize> {
        self.threads.threads()
    }

    /// The table, if one was asked for or helps with about so many leaves. The full kernel uses
    /// none.
    pub fn table(&self, leaves: f64, kernel: Kernel) -> Result<Option<Table>> {
        const MIB: u64 = 1 << 20;
        if kernel == Kernel::Full {
            if self.hash.is_some_and(|size| size != Size(0)) {
                bail!("--kernel full makes every move and uses no table; leave out --hash");
            }
            return Ok(None);
        }
        // A small count is done before the system has given the memory.
        let helps = match leaves {
            ..1e9 => 0,
            ..1e10 => 256 * MIB,
            ..1e11 => 1024 * MIB,
            ..2e12 => 4096 * MIB,
            _ => 16_384 * MIB,
        };
        let most = perft::available_memory().map_or(256 * MIB, |free| free as u64 / 2);
        match self.hash {
            Some(Size(0)) => Ok(None),
            Some(Size(bytes)) => {
                let table = Table::new(bytes);
                table.map(Some).context("--hash takes a smaller size, or 0 for none")
            }
            // Nobody asked for one: it is a help, and not a need.
            None if helps == 0 => Ok(None),
            None => {
                Ok(usize::try_from(helps.min(most)).ok().and_then(|bytes| Table::new(bytes).ok()))
            }
        }
    }
}

/// A number of bytes, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write it with a unit, as 512M or 4G, or 0 for none".to_owned();
        let upper = text.to_ascii_uppercase();
        let digits = upper.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let shift = match &upper[digits.len()..] {
            // Other programs count in megabytes; better to ask than to guess.
            "" if digits.trim_start_matches('0').is_empty() && !digits.is_empty() => 0,
            "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            "T" | "TB" | "TIB" => 40,
            _ => return Err(wrong()),
        };
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        let bytes = number.checked_mul(1_u64 << shift).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(wrong)
    }
}

#[derive(Args, Clone)]
pub struct EngineArgs {
    /// How the last plies are counted: both at once, the last in bulk, or every move made
    #[arg(long, value_name = "NAME", default_value = Kernel::default().name(), value_parser = kernels())]
    pub kernel: Kernel,
    /// The same as --kernel full
    #[arg(long, conflicts_with = "kernel")]
    pub no_bulk: bool,
    /// How sliders' attacks are looked up: see `perft sliders list` [default: pext where the CPU
    /// is fast at it, else fancy]
    #[arg(long, value_name = "NAME", value_parser = systems())]
    pub sliders: Option<System>,
    /// The most that is asked of the CPU
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels())]
    pub cpu: Cpu,
}

/// Reads one of several names, which help and completions then show.
fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

fn kernels() -> impl TypedValueParser<Value = Kernel> {
    one_of(Kernel::ALL.map(Kernel::name))
}

fn systems() -> impl TypedValueParser<Value = System> {
    one_of(System::ALL.map(System::name))
}

fn levels() -> impl TypedValueParser<Value = Cpu> {
    one_of(iter::once("auto").chain(Cpu::ALL.map(Cpu::name)))
}

impl EngineArgs {
    pub fn engine(&self) -> Engine {
        let kernel = if self.no_bulk { Kernel::Full } else { self.kernel };
        let sliders = self.sliders.unwrap_or_else(|| match (self.cpu, kernel) {
            (Cpu::V3, Kernel::TwoPly | Kernel::Simple) => System::fastest(),
            _ => System::default(),
        });
        Engine { kernel, sliders, cpu: self.cpu }
    }
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

#[derive(Args, Clone)]
pub struct PositionArgs {
    /// Moves to play first, as e2e4 or Nf3, separated by spaces
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

#[derive(Args, Clone)]
pub struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the result (and errors)
    #[arg(long, short)]
    pub quiet: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_nodes_are_read_as_people_write_them() {
        for text in ["20000000", "20,000,000", "20_000_000", "20M", "20m", "20000k", "2e7", "2E7"] {
            assert_eq!(number_of_nodes(text), Ok(20_000_000), "{text}");
        }
        assert_eq!(number_of_nodes("0"), Ok(0));
        assert_eq!(number_of_nodes("10G"), number_of_nodes("10B"));
        assert_eq!(number_of_nodes(&u128::MAX.to_string()), Ok(u128::MAX));
        let too_large = format!("{}0", u128::MAX);
        for wrong in
            ["", "M", "e7", "2e", "-1", "+1", "1.5G", "20X", "2e39", "2e99999999999", &too_large]
        {
            assert!(number_of_nodes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<Size>().ok().map(|size| size.0);
        assert_eq!(read("0"), Some(0));
        assert_eq!(read("4096B"), Some(4096));
        assert_eq!(read("512M"), Some(512 << 20));
        assert_eq!(read("4g"), Some(4 << 30));
        assert_eq!(read("64KiB"), Some(64 << 10));
        for wrong in ["", "16", "M", "-1", "1.5G", "4X", "99999999999999999999", "99999999T", "G4"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}

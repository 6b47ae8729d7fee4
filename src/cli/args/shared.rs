//! Arguments that several commands share.

use std::ffi::OsStr;
use std::iter;
use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::builder::{
    PathBufValueParser, PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser,
};
use clap::{Args, ValueEnum, ValueHint};
use perft_compare::Suite;
use perft_core::positions::NAMED;
use perft_core::{Backend, CastlingMode, Counter, Cpu, Kernel, Merge, Table};
use perft_lab::System;

use super::parsers::{Size, number_of_threads};
use crate::cli::interrupt::cancel_on_interrupt;

/// The heading of options that few need.
pub const ADVANCED: &str = "Advanced options";

pub const POSITION_HELP: &str = "\
POSITION is a FEN, quoted or as separate arguments, its first four fields being enough; or a \
name (see `perft board --list`), also chess960:N and dfrc:W:B; or - for a FEN on standard input.";

/// A position and a depth.
#[derive(Args, Clone)]
pub struct TargetArgs {
    /// The position and, last, the number of plies
    #[arg(value_name = "POSITION DEPTH", required = true, num_args = 1.., long_help = POSITION_HELP,
        value_parser = position_names(), hide_possible_values = true,
        allow_negative_numbers = true)]
    pub tokens: Vec<String>,
    #[command(flatten)]
    pub position: PositionArgs,
}

#[derive(Args, Clone)]
pub struct PositionArgs {
    /// Moves to play first, as e2e4 or Nf3, separated by spaces
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
    /// Read X-FEN and Shredder-FEN castling, and write castling as king-takes-rook
    #[arg(long)]
    pub chess960: bool,
    /// Refuse positions that no game reaches
    #[arg(long)]
    pub strict: bool,
}

impl PositionArgs {
    pub fn castling_mode(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }
}

/// The way to merge equal positions.
#[derive(Args, Clone)]
pub struct MergeArgs {
    /// How equal positions are found: layers (ply by ply, compared whole), table (by their keys),
    /// none, or auto (the way that should be the fastest)
    #[arg(long, value_name = "WAY", default_value = Merge::default().name(),
        value_parser = merges(), help_heading = ADVANCED)]
    pub merge: Merge,
}

impl MergeArgs {
    /// A counter that Ctrl-C cancels, for one count. It may use the memory that was asked for, or
    /// else the recommended one.
    pub fn counter(
        &self,
        counting: &CountingArgs,
        recommended_bytes: impl FnOnce() -> usize,
    ) -> Result<Counter> {
        let Self { merge } = *self;
        if matches!(merge, Merge::Layers | Merge::Table) {
            if counting.backend.kernel == Kernel::Full {
                bail!("--kernel full makes every move and merges none; leave out --merge");
            }
            if counting.machine.hash == Some(Size(0)) {
                bail!("--merge {merge} needs memory, and --hash 0 allows none");
            }
        }
        let bytes = counting.machine.memory(recommended_bytes)?;
        Ok(counting.without_memory()?.memory(bytes).merge(merge))
    }
}

/// The remedy if the memory is not there.
const SMALLER_SIZE: &str = "--hash takes a smaller size, or 0 for none";

/// Threads, table and code of a count.
#[derive(Args, Clone)]
pub struct CountingArgs {
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub backend: BackendArgs,
}

impl CountingArgs {
    /// A counter that Ctrl-C cancels, without a table and without memory.
    fn without_memory(&self) -> Result<Counter> {
        let backend = self.backend.backend();
        if backend.kernel == Kernel::Full && matches!(self.machine.hash, Some(Size(1..))) {
            bail!("--kernel full makes every move and uses no table; leave out --hash");
        }
        Ok(self.machine.without_memory().backend(backend))
    }

    /// A counter that Ctrl-C cancels. Its table has the size that was asked for, or else the
    /// recommended one.
    pub fn counter(&self, recommended_bytes: usize) -> Result<Counter> {
        self.counter_with_keys(recommended_bytes, false)
    }

    /// A counter that Ctrl-C cancels, each of whose threads makes a count of its own. They share the
    /// memory that was asked for, or else each has the recommended one.
    pub fn counter_of_threads(&self, recommended_bytes: usize) -> Result<Counter> {
        let threads = self.machine.threads().get();
        let bytes = self.machine.memory(|| threads.saturating_mul(recommended_bytes))?;
        Ok(self.without_memory()?.memory(bytes / threads))
    }

    /// [`Self::counter`] with [swapped keys](Table::with_swapped_keys) or without. The full kernel
    /// uses no table.
    pub fn counter_with_keys(
        &self,
        recommended_bytes: usize,
        swapped_keys: bool,
    ) -> Result<Counter> {
        let counter = self.without_memory()?;
        let is_full = self.backend.kernel == Kernel::Full;
        self.machine.with_table(counter, if is_full { 0 } else { recommended_bytes }, swapped_keys)
    }
}

#[derive(Args, Clone)]
pub struct MachineArgs {
    #[command(flatten)]
    pub threads: ThreadsArgs,
    /// Memory for finding equal positions, as a table of known counts or as layers: 512M, 4G, or 0
    /// for none [default: by the size of the tree, at most half of the free memory; 32M a thread for
    /// suite, none for check]
    #[arg(long, value_name = "SIZE")]
    pub hash: Option<Size>,
}

impl MachineArgs {
    pub fn threads(&self) -> NonZero<usize> {
        self.threads.threads()
    }

    /// The bytes that were asked for.
    pub fn asked_bytes(&self) -> Option<usize> {
        self.hash.map(|Size(bytes)| bytes)
    }

    /// The bytes that were asked for, or else the recommended ones.
    pub fn memory(&self, recommended_bytes: impl FnOnce() -> usize) -> Result<usize> {
        let Some(Size(bytes)) = self.hash else { return Ok(recommended_bytes()) };
        Table::check_size(bytes).context(SMALLER_SIZE)?;
        Ok(bytes)
    }

    /// A counter that Ctrl-C cancels, without a table and without memory.
    pub fn without_memory(&self) -> Counter {
        Counter::new().threads(self.threads()).cancel(cancel_on_interrupt())
    }

    /// The counter with a table of the size that was asked for, or else of the recommended one.
    pub fn with_table(
        &self,
        counter: Counter,
        recommended_bytes: usize,
        swapped_keys: bool,
    ) -> Result<Counter> {
        let table = match (self.asked_bytes(), recommended_bytes) {
            (Some(0), _) | (None, 0) => None,
            (Some(bytes), _) => Some(Table::new(bytes).context(SMALLER_SIZE)?),
            // Only a recommendation: without a table the count is slower.
            (None, bytes) => Table::new(bytes).ok(),
        };
        let keyed = |table: Table| if swapped_keys { table.with_swapped_keys() } else { table };
        Ok(match table.map(keyed) {
            Some(table) => counter.table(Arc::new(table)),
            None => counter,
        })
    }
}

#[derive(Args, Clone)]
pub struct ThreadsArgs {
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = number_of_threads, allow_negative_numbers = true)]
    threads: Option<NonZero<usize>>,
}

impl ThreadsArgs {
    pub fn threads(&self) -> NonZero<usize> {
        let all_cores = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        self.threads.unwrap_or_else(all_cores)
    }
}

#[derive(Args, Clone)]
pub struct BackendArgs {
    /// How the last plies are counted: two-ply (two at once), simple (the last in bulk) or full
    /// (every move made)
    #[arg(long, value_name = "NAME", default_value = Kernel::default().name(),
        value_parser = kernels(), help_heading = ADVANCED)]
    kernel: Kernel,
    /// Slider lookups: see `perft sliders list`
    #[arg(long, value_name = "NAME", default_value = System::default().name(),
        value_parser = systems(), help_heading = ADVANCED)]
    sliders: System,
    /// Highest instruction-set level to use
    #[arg(long, value_name = "LEVEL", default_value = "auto", value_parser = levels(),
        help_heading = ADVANCED)]
    cpu: Cpu,
}

impl BackendArgs {
    pub fn backend(&self) -> Backend {
        let kernel = self.kernel;
        Backend { kernel, sliders: self.sliders.into(), cpu: self.cpu }
    }
}

#[derive(Args, Clone)]
pub struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print only the result and errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// The output of commands that CI runs.
#[derive(Args)]
pub struct FormatArgs {
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text,
        conflicts_with = "json")]
    pub format: ReportFormat,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Write JUnit XML to FILE, besides the output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = ADVANCED)]
    pub junit: Option<PathBuf>,
    /// Print only the result, errors and warnings
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Text,
    /// Annotations of GitHub Actions, and a step summary
    Github,
    /// JUnit XML
    Junit,
}

#[derive(Args)]
pub struct EmitArgs {
    /// Print the smallest case of a mismatch as a test to paste; the report goes to standard error
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub emit: Option<Language>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// A line for a suite
    Epd,
    /// A function with #[test]
    Rust,
    /// A function with assert
    Cpp,
    /// A function for pytest
    Python,
}

#[derive(Args)]
pub struct QuietArgs {
    /// Print only the result, errors and warnings
    #[arg(long, short)]
    pub quiet: bool,
}

/// Reads one of several names, which help and completion show.
pub fn one_of<T>(
    names: impl IntoIterator<Item: Into<PossibleValue>>,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

fn kernels() -> impl TypedValueParser<Value = Kernel> {
    one_of(Kernel::ALL.map(Kernel::name))
}

fn merges() -> impl TypedValueParser<Value = Merge> {
    one_of(Merge::ALL.map(Merge::name))
}

pub fn systems() -> impl TypedValueParser<Value = System> {
    one_of(System::ALL.map(System::name))
}

fn levels() -> impl TypedValueParser<Value = Cpu> {
    one_of(iter::once("auto").chain(Cpu::ALL.map(Cpu::name)))
}

/// Reads any value, and offers some names to completion.
#[derive(Clone)]
struct Offering<P> {
    parser: P,
    names: fn() -> Vec<PossibleValue>,
}

impl<P: TypedValueParser> TypedValueParser for Offering<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter()))
    }
}

/// Reads a token of a position; completion offers the named ones.
pub fn position_names() -> impl TypedValueParser<Value = String> {
    let names =
        || NAMED.iter().map(|named| PossibleValue::new(named.name).help(named.about)).collect();
    Offering { parser: StringValueParser::new(), names }
}

/// Reads the name of a suite file; completion offers the built-in suites.
pub fn suite_names() -> impl TypedValueParser<Value = PathBuf> {
    let names = || {
        let names = Suite::embedded().into_iter().map(|suite| suite.name.leak());
        names.map(|name| PossibleValue::new(&*name)).collect()
    };
    Offering { parser: PathBufValueParser::new(), names }
}

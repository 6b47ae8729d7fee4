//! The arguments of `perft unique`.

use clap::Args;
use clap::builder::TypedValueParser;
use perft::EnPassant;

use super::parsers::Size;
use super::shared::one_of;
use super::{OutputArgs, TargetArgs, ThreadsArgs};

#[derive(Args)]
pub struct UniqueArgs {
    #[command(flatten)]
    pub target: TargetArgs,
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
    #[command(flatten)]
    pub threads: ThreadsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

fn definitions() -> impl TypedValueParser<Value = EnPassant> {
    one_of(EnPassant::ALL.map(EnPassant::name))
}

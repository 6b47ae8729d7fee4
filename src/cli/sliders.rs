//! `perft sliders`: list, show, verify and bench.

use std::fmt;
use std::process::ExitCode;

use anyhow::Result;
use perft::attacks::rays::Slider;
use perft::lab::bench::{Queries, Sample};
use perft::lab::{Explained, System, explain};
use perft::{Bitboard, Board, Cpu, Square, positions};
use serde::Serialize;

use super::DIFFERENT;
use super::args::{ListArgs, PieceArg, ShowArgs, SlidersBenchArgs, SlidersCommand, VerifyArgs};
use super::output::{self, ProgressLine, grouped};
use super::position::read_position;

/// Runs one of the sub-commands.
pub fn sliders(command: &SlidersCommand) -> Result<ExitCode> {
    match command {
        SlidersCommand::List(args) => list(args),
        SlidersCommand::Show(args) => show(args),
        SlidersCommand::Find(args) => super::find::find(args),
        SlidersCommand::Verify(args) => verify(args),
        SlidersCommand::Bench(args) => bench(args),
        SlidersCommand::Bitscan(args) => super::find::bitscan(args),
    }
}

/// All systems.
#[derive(Serialize)]
struct SystemList(Vec<ListedSystem>);

#[derive(Serialize)]
struct ListedSystem {
    name: &'static str,
    table_bytes: usize,
    about: &'static str,
}

impl fmt::Display for SystemList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10} {:>11}", "system", "table bytes")?;
        for ListedSystem { name, table_bytes, about } in &self.0 {
            writeln!(f, "{name:<10} {:>11}  {about}", grouped(*table_bytes as u128))?;
        }
        Ok(())
    }
}

fn list(args: &ListArgs) -> Result<ExitCode> {
    let systems = System::ALL.map(|system| ListedSystem {
        name: system.name(),
        table_bytes: system.table_bytes(),
        about: system.about(),
    });
    output::print(&SystemList(systems.into()), args.output.json)?;
    Ok(ExitCode::SUCCESS)
}

/// A lookup, step by step.
struct ShownLookup<'a> {
    slider: Slider,
    square: Square,
    board: &'a Board,
}

impl fmt::Display for ShownLookup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slider, square, board } = *self;
        let occupied = board.occupied();
        let Explained { mask, blockers, magic, product, index_bits, index, attacks } =
            explain(slider, square, occupied);
        // The color of the piece on the square, else the side to move.
        let us = board.color_on(square).unwrap_or(board.side_to_move());
        let (targets, captures) = (attacks - board.colors(us), attacks & board.colors(!us));
        let color = us.to_string().to_lowercase();
        writeln!(f, "A {color} {slider} on {square}\n")?;
        writeln!(f, "1. Only blockers on relevant squares count.\n")?;
        side_by_side(f, [("occupied", occupied), ("& relevant", mask), ("= blockers", blockers)])?;
        writeln!(f, "2. A product gathers them in its top bits.\n")?;
        let factors = [("blockers", blockers), ("* magic", Bitboard(magic))];
        side_by_side(f, [factors[0], factors[1], ("= product", Bitboard(product))])?;
        let blockers = blockers.0;
        writeln!(f, "   {blockers:#018x} * {magic:#018x} = {product:#018x} (low 64 bits)\n")?;
        let (shift, width) = (64 - index_bits, index_bits as usize);
        write!(f, "3. The top {index_bits} bits are the index: {product:#018x} >> {shift} = ")?;
        writeln!(f, "{index} ({index:0width$b})\n")?;
        writeln!(f, "4. The slot holds the attacks; friends are removed, captures stay.\n")?;
        side_by_side(f, [("attacks", attacks), ("& !friends", targets), ("captures", captures)])
    }
}

fn side_by_side(f: &mut fmt::Formatter<'_>, boards: [(&str, Bitboard); 3]) -> fmt::Result {
    let titles = boards.map(|(title, _)| format!("{title:<18}"));
    writeln!(f, "   {}", titles.concat().trim_end())?;
    let drawn = boards.map(|(_, board)| board.to_string());
    for row in 0..8 {
        let rows = drawn.each_ref().map(|board| board.lines().nth(row).unwrap_or_default());
        writeln!(f, "   {}", rows.join("   "))?;
    }
    writeln!(f)
}

fn show(args: &ShowArgs) -> Result<ExitCode> {
    let mut tokens = args.tokens.clone();
    tokens.extend(args.fen.clone());
    if tokens.is_empty() {
        tokens.push("startpos".to_owned());
    }
    let board = read_position(&tokens, &args.position, true)?;
    let (square, board) = (args.square, &board);
    let sliders = Slider::ALL.into_iter().filter(|&slider| args.piece.includes(slider));
    let look_ups = sliders.map(|slider| ShownLookup { slider, square, board }.to_string());
    output::result(&look_ups.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

impl PieceArg {
    /// Whether the choice includes a slider.
    pub fn includes(self, slider: Slider) -> bool {
        match self {
            Self::Rook => slider == Slider::Rook,
            Self::Bishop => slider == Slider::Bishop,
            Self::Both => true,
        }
    }
}

/// All systems compared with the reference.
#[derive(Serialize)]
struct Verification {
    right: bool,
    systems: Vec<VerifiedSystem>,
}

#[derive(Serialize)]
struct VerifiedSystem {
    name: &'static str,
    right: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    look_ups: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<String>,
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for VerifiedSystem { name, look_ups, mismatch, .. } in &self.systems {
            match mismatch {
                Some(mismatch) => writeln!(f, "{name:<10} WRONG: {mismatch}")?,
                None => {
                    let look_ups = grouped(look_ups.unwrap_or_default().into());
                    writeln!(f, "{name:<10} ok, {look_ups} look-ups")?;
                }
            }
        }
        Ok(())
    }
}

fn verify(args: &VerifyArgs) -> Result<ExitCode> {
    let mut progress = ProgressLine::new(args.output.quiet);
    let systems = System::ALL.map(|system| {
        let name = system.name();
        progress.show(|| format!("verifying {name}"));
        let (look_ups, mismatch) = match system.verify(args.random as usize, args.seed) {
            Ok(look_ups) => (Some(look_ups), None),
            Err(wrong) => (None, Some(wrong.to_string())),
        };
        VerifiedSystem { name, right: mismatch.is_none(), look_ups, mismatch }
    });
    drop(progress);
    let right = systems.iter().all(|system| system.right);
    output::print(&Verification { right, systems: systems.into() }, args.output.json)?;
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// The speed of all systems.
#[derive(Serialize)]
struct Bench {
    cpu: &'static str,
    systems: Vec<MeasuredSystem>,
}

/// The best of several rounds.
#[derive(Serialize)]
struct MeasuredSystem {
    name: &'static str,
    table_bytes: usize,
    chained_per_second: u64,
    streamed_per_second: u64,
    replayed_per_second: u64,
    /// The distance of the slowest replay from the fastest, as a share of the fastest.
    spread: f64,
}

impl MeasuredSystem {
    fn new(system: System, samples: &[Sample]) -> Self {
        let best = |rate: fn(&Sample) -> f64| samples.iter().map(rate).fold(0.0, f64::max);
        let replayed = best(|sample| sample.replayed);
        let slowest = samples.iter().map(|sample| sample.replayed).fold(f64::INFINITY, f64::min);
        Self {
            name: system.name(),
            table_bytes: system.table_bytes(),
            chained_per_second: best(|sample| sample.chained) as u64,
            streamed_per_second: best(|sample| sample.streamed) as u64,
            replayed_per_second: replayed as u64,
            spread: 1.0 - slowest / replayed,
        }
    }

    fn rates(&self) -> [f64; 3] {
        [self.chained_per_second, self.streamed_per_second, self.replayed_per_second]
            .map(|rate| rate as f64)
    }
}

impl fmt::Display for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<10} {:>11} {:>14} ", "system", "table bytes", "chained M/s")?;
        writeln!(f, "{:>14} {:>14} {:>7}", "streamed M/s", "replayed M/s", "spread")?;
        let base = self.systems[System::Fancy as usize].rates();
        for system in &self.systems {
            write!(f, "{:<10} {:>11}", system.name, grouped(system.table_bytes as u128))?;
            for (rate, base) in system.rates().into_iter().zip(base) {
                write!(f, " {:>14}", format!("{:.1} ({:.2})", rate / 1e6, rate / base))?;
            }
            writeln!(f, " {:>5.0} %", system.spread * 100.0)?;
        }
        Ok(())
    }
}

fn bench(args: &SlidersBenchArgs) -> Result<ExitCode> {
    let board = positions::by_name("kiwipete").unwrap_or_else(Board::startpos);
    let queries = Queries::record(&board, 3);
    let mut progress = ProgressLine::new(args.output.quiet);
    // A round to warm up, then rounds in which the systems take turns.
    let mut rounds: [Vec<Sample>; System::ALL.len()] = Default::default();
    for round in 0..=args.rounds.get() {
        for (samples, system) in rounds.iter_mut().zip(System::ALL) {
            progress.show(|| format!("round {round} of {}, {system}", args.rounds));
            let sample = system.measure(&queries, args.look_ups as usize);
            if round > 0 {
                samples.push(sample);
            }
        }
    }
    drop(progress);
    let systems = System::ALL.into_iter().zip(&rounds);
    let systems = systems.map(|(system, samples)| MeasuredSystem::new(system, samples)).collect();
    let cpu = Cpu::detect().name();
    output::print(&Bench { cpu, systems }, args.output.json)?;
    if !args.output.quiet {
        output::note(format_args!(
            "best of {} rounds; replayed are the look-ups of kiwipete 3; cpu level {cpu}",
            args.rounds
        ));
    }
    Ok(ExitCode::SUCCESS)
}

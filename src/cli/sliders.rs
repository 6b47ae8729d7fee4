//! `perft sliders`: list, show, verify and bench.

use std::fmt;
use std::process::ExitCode;

use anyhow::{Result, bail};
use perft_core::attacks::rays::Slider;
use perft_core::{Bitboard, Board, Color, Cpu, Square, positions};
use perft_lab::bench::{Queries, Sample};
use perft_lab::finder::MagicTarget;
use perft_lab::{Collision, HashTrace, LineTrace, System, Trace, collision};
use serde::Serialize;

use super::DIFFERENT;
use super::args::{
    ListArgs, PieceArg, ShowArgs, SliderArg, SlidersBenchArgs, SlidersCommand, VerifyArgs,
};
use super::columns::Columns;
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
        let mut table = Columns::new("<><");
        table.row(&[&"system", &"table bytes"]);
        for ListedSystem { name, table_bytes, about } in &self.0 {
            table.row(&[name, &grouped(*table_bytes as u128), about]);
        }
        table.fmt(f)
    }
}

fn list(args: &ListArgs) -> Result<ExitCode> {
    let systems = System::ALL.map(|system| ListedSystem {
        name: system.name(),
        table_bytes: system.table_bytes(),
        about: system.about(),
    });
    output::print(&SystemList(systems.into()), args.json)?;
    Ok(ExitCode::SUCCESS)
}

/// A lookup, step by step.
struct ShownLookup {
    slider: Slider,
    square: Square,
    us: Color,
    occupied: Bitboard,
    system: System,
    trace: Trace,
    attacks: Bitboard,
    friends: Bitboard,
}

impl ShownLookup {
    fn new(slider: Slider, square: Square, pieces: &Pieces, system: System) -> Self {
        let Pieces { us, friends, enemies } = *pieces;
        let occupied = friends | enemies;
        let trace = system.trace(slider, square, occupied);
        let attacks = slider.attacks(square, occupied);
        Self { slider, square, us, occupied, system, trace, attacks, friends }
    }

    /// From the blockers to the slot.
    fn write_index(&self, f: &mut fmt::Formatter<'_>, trace: &HashTrace) -> fmt::Result {
        let HashTrace { mask, blockers, magic, start, product, index_bits, index, .. } = *trace;
        writeln!(f, "1. Only blockers on relevant squares count.\n")?;
        let occupied = self.occupied;
        boards(f, &[("occupied", occupied), ("& relevant", mask), ("= blockers", blockers)])?;
        match magic {
            Some(magic) => {
                writeln!(f, "2. A product gathers them in its top bits.\n")?;
                let factors = [("blockers", blockers), ("* magic", Bitboard(magic))];
                boards(f, &[factors[0], factors[1], ("= product", Bitboard(product))])?;
                let start = if start == 0 { String::new() } else { format!("{start:#018x} + ") };
                let blockers = blockers.0;
                let remark = match self.system {
                    System::Fold32 => "two products of 32 bits, added",
                    _ => "low 64 bits",
                };
                writeln!(
                    f,
                    "   {start}{blockers:#018x} * {magic:#018x} = {product:#018x} ({remark})\n"
                )?;
            }
            None => {
                writeln!(f, "2. PEXT closes them up, here in the top bits.\n")?;
                boards(f, &[("blockers", blockers), ("closed up", Bitboard(product))])?;
            }
        }
        let (shift, width) = (64 - index_bits, index_bits as usize);
        write!(f, "3. The top {index_bits} bits are the index: {product:#018x} >> {shift} = ")?;
        write!(f, "{index} ({index:0width$b})")?;
        match self.system {
            System::Fancy => writeln!(f, "\n"),
            _ => writeln!(f, ", and the slot is {}\n", trace.slot),
        }
    }
}

impl fmt::Display for ShownLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slider, square, us, occupied, attacks, friends, .. } = *self;
        let color = us.to_string().to_lowercase();
        writeln!(f, "A {color} {slider} on {square}\n")?;
        match &self.trace {
            Trace::Hashed(trace) => {
                self.write_index(f, trace)?;
                writeln!(
                    f,
                    "4. The slot holds the attacks; friends are removed, captures stay.\n"
                )?;
            }
            Trace::ByLines(lines) => {
                for (number, line) in (1..).zip(lines) {
                    writeln!(f, "{number}. Only blockers on the line count.\n")?;
                    let LineTrace { line, blockers, attacks, .. } = *line;
                    boards(f, &[("line", line), ("blockers", blockers), ("attacks", attacks)])?;
                }
                writeln!(f, "3. Friends are removed, captures stay.\n")?;
            }
        }
        let (targets, captures) = (attacks - friends, attacks & (occupied - friends));
        boards(f, &[("attacks", attacks), ("& !friends", targets), ("captures", captures)])
    }
}

/// Boards side by side.
fn boards(f: &mut fmt::Formatter<'_>, boards: &[(&str, Bitboard)]) -> fmt::Result {
    let titles: String = boards.iter().map(|(title, _)| format!("{title:<18}")).collect();
    writeln!(f, "   {}", titles.trim_end())?;
    let drawn: Vec<String> = boards.iter().map(|(_, board)| board.to_string()).collect();
    for row in 0..8 {
        let rows = drawn.iter().map(|board| board.lines().nth(row).unwrap_or_default());
        writeln!(f, "   {}", rows.collect::<Vec<_>>().join("   "))?;
    }
    writeln!(f)
}

/// The pieces around a slider.
struct Pieces {
    us: Color,
    friends: Bitboard,
    enemies: Bitboard,
}

impl Pieces {
    fn new(args: &ShowArgs) -> Result<Self> {
        if args.enemies.is_some() || args.friends.is_some() {
            let set = |squares: &Option<Vec<Square>>| -> Bitboard {
                squares.iter().flatten().copied().filter(|&square| square != args.square).collect()
            };
            let (friends, enemies) = (set(&args.friends), set(&args.enemies));
            return Ok(Self { us: Color::White, friends, enemies: enemies - friends });
        }
        let board = match &args.tokens[..] {
            [] => Board::startpos(),
            tokens => read_position(tokens, &args.position, true)?,
        };
        // The color of the piece on the square, else the side to move.
        let us = board.color_on(args.square).unwrap_or(board.side_to_move());
        Ok(Self { us, friends: board.colors(us), enemies: board.colors(!us) })
    }
}

fn show(args: &ShowArgs) -> Result<ExitCode> {
    let pieces = Pieces::new(args)?;
    let sliders = Slider::ALL.into_iter().filter(|&slider| args.piece.includes(slider));
    let look_ups = sliders
        .map(|slider| ShownLookup::new(slider, args.square, &pieces, args.system).to_string());
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
        let mut table = Columns::new("<");
        for VerifiedSystem { name, look_ups, mismatch, .. } in &self.systems {
            let look_ups = grouped(look_ups.unwrap_or_default().into());
            match mismatch {
                Some(mismatch) => table.row(&[name, &format!("WRONG: {mismatch}")]),
                None => table.row(&[name, &format!("ok, {look_ups} look-ups")]),
            }
        }
        table.fmt(f)
    }
}

/// A magic that was checked.
#[derive(Serialize)]
struct CheckedMagic {
    magic: String,
    piece: &'static str,
    square: String,
    bits: u32,
    right: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    collision: Option<ShownCollision>,
}

/// Two sets of blockers with different attacks and the same index.
#[derive(Serialize)]
struct ShownCollision {
    index: u32,
    blockers: [Vec<String>; 2],
    #[serde(skip)]
    found: Collision,
}

impl fmt::Display for CheckedMagic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { magic, piece, square, bits, collision, .. } = self;
        let Some(collision) = collision else {
            return writeln!(f, "{magic} is a magic of the {piece} on {square} for {bits} bits");
        };
        let index = collision.index;
        writeln!(f, "{magic} is no magic of the {piece} on {square} for {bits} bits:")?;
        writeln!(f, "two sets of blockers with different attacks have the index {index}\n")?;
        let Collision { blockers, attacks, .. } = collision.found;
        for (blockers, attacks) in blockers.into_iter().zip(attacks) {
            boards(f, &[("blockers", blockers), ("attacks", attacks)])?;
        }
        Ok(())
    }
}

/// Checks a magic of the user.
fn check_magic(args: &VerifyArgs, magic: u64) -> Result<ExitCode> {
    let (Some(piece), Some(square)) = (args.piece, args.square) else {
        bail!("--magic needs --piece and --square");
    };
    let slider = match piece {
        SliderArg::Rook => Slider::Rook,
        SliderArg::Bishop => Slider::Bishop,
    };
    let target = MagicTarget::of_mask_width(slider, square, args.key.into());
    let target = MagicTarget { index_bits: args.bits.unwrap_or(target.index_bits), ..target };
    let names = |set: Bitboard| set.into_iter().map(|square| square.to_string()).collect();
    let collision = collision(&target, magic).map(|found| ShownCollision {
        index: found.index,
        blockers: found.blockers.map(names),
        found,
    });
    let right = collision.is_none();
    let checked = CheckedMagic {
        magic: format!("{magic:#018x}"),
        piece: slider.name(),
        square: square.to_string(),
        bits: target.index_bits,
        right,
        collision,
    };
    output::print(&checked, args.output.json)?;
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

fn verify(args: &VerifyArgs) -> Result<ExitCode> {
    if let Some(magic) = args.magic {
        return check_magic(args, magic);
    }
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
        let mut table = Columns::new("<>");
        table.row(&[
            &"system",
            &"table bytes",
            &"chained M/s",
            &"streamed M/s",
            &"replayed M/s",
            &"spread",
        ]);
        let base = self.systems[System::Fancy as usize].rates();
        for system in &self.systems {
            let (bytes, rates) = (grouped(system.table_bytes as u128), system.rates());
            let [chained, streamed, replayed] = std::array::from_fn(|kind| {
                format!("{:.1} ({:.2})", rates[kind] / 1e6, rates[kind] / base[kind])
            });
            let spread = format!("{:.0} %", system.spread * 100.0);
            table.row(&[&system.name, &bytes, &chained, &streamed, &replayed, &spread]);
        }
        table.fmt(f)
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

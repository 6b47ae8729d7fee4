//! `perft sliders find`, the search for magics, and `perft sliders bitscan`.

use std::fmt::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use perft_core::attacks::rays::Slider;
use perft_core::sys::{CancelToken, pool};
use perft_lab::finder::bitscan::{self as scan, Bitscan, Step};
use perft_lab::finder::pack::{Candidate, Packing, place};
use perft_lab::finder::search::search;
use perft_lab::finder::squeeze::{candidates, squeeze};
use perft_lab::finder::state;
use perft_lab::finder::{self, Found, KeyKind, MagicTarget, Method};
use serde::Serialize;

use super::args::{BitscanArgs, FindArgs, Format, KeyArg, MethodArg, PieceArg};
use super::files::{refuse_to_overwrite, write_whole};
use super::interrupt::cancel_on_interrupt;
use super::output::{self, ProgressLine, grouped};
use super::{DIFFERENT, interrupted};

/// The magics found, and their layout if they are packed.
#[derive(Serialize)]
struct FoundMagics {
    magics: Vec<FoundMagic>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    packed_length: Option<u32>,
    /// Whether the search ended early.
    #[serde(skip)]
    stopped: bool,
}

/// The magic of a square, without values if none was found.
#[derive(Serialize)]
struct FoundMagic {
    piece: &'static str,
    square: String,
    magic: Option<String>,
    bits: Option<u32>,
    slots: Option<u32>,
    tries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i32>,
}

impl FoundMagics {
    /// Constants of a language, if it is one and every square has a magic. Those for Rust are as in
    /// the sources of this crate.
    fn as_source(&self, format: Format) -> Option<String> {
        let language = Language::of(format)?;
        let mut text = String::new();
        if let Some(len) = self.packed_length {
            text += &match format {
                Format::Cpp => format!("constexpr std::size_t LEN = {len};\n"),
                Format::Python => format!("LEN = {len}\n"),
                _ => format!("pub(super) const LEN: usize = {len};\n"),
            };
        }
        let is_packed = self.packed_length.is_some();
        for slider in Slider::ALL {
            let of_piece = self.magics.iter().filter(|magic| magic.piece == slider.name());
            let cells = of_piece.map(|magic| magic.as_source(&language));
            let cells: Vec<String> = cells.collect::<Option<_>>()?;
            if cells.is_empty() {
                continue;
            }
            let columns = if is_packed { 2 } else { 4 };
            let (name, len) = (slider.name().to_uppercase(), cells.len());
            _ = match (format, is_packed) {
                (Format::Cpp, false) => {
                    writeln!(text, "\nconstexpr std::uint64_t {name}[{len}] = {{")
                }
                (Format::Cpp, true) => writeln!(
                    text,
                    "\nconstexpr struct {{ std::uint64_t magic; std::uint32_t bits, offset; }} \
                     {name}[{len}] = {{"
                ),
                (Format::Python, _) => writeln!(text, "\n{name} = ["),
                (_, is_packed) => {
                    let kind = if is_packed { "(u64, u32, u32)" } else { "u64" };
                    writeln!(
                        text,
                        "\n#[rustfmt::skip]\npub(super) const {name}: [{kind}; {len}] = ["
                    )
                }
            };
            for row in cells.chunks(columns) {
                _ = writeln!(text, "    {},", row.join(", "));
            }
            _ = writeln!(text, "{}", language.end);
        }
        Some(text)
    }
}

/// The notation of constants.
struct Language {
    /// After a number of 64 bits.
    suffix: &'static str,
    /// Around the parts of a packed magic.
    parts: [char; 2],
    /// After the last constant of an array.
    end: &'static str,
}

impl Language {
    fn of(format: Format) -> Option<Self> {
        match format {
            Format::Rust => Some(Self { suffix: "", parts: ['(', ')'], end: "];" }),
            Format::Cpp => Some(Self { suffix: "ULL", parts: ['{', '}'], end: "};" }),
            Format::Python => Some(Self { suffix: "", parts: ['(', ')'], end: "]" }),
            Format::Text => None,
        }
    }
}

impl FoundMagic {
    fn new(target: &MagicTarget, found: Option<Found>) -> Self {
        Self {
            piece: target.slider.name(),
            square: target.square.to_string(),
            magic: found.map(|found| format!("{:#018x}", found.magic)),
            bits: found.map(|found| found.index_bits),
            slots: found.map(|found| found.span.len),
            tries: found.map(|found| found.tries),
            offset: None,
        }
    }

    /// The magic of a square in a layout.
    fn packed(target: &MagicTarget, packing: &Packing, index: usize) -> Self {
        let placed = packing.placed(index);
        Self {
            magic: placed.map(|placed| format!("{:#018x}", placed.candidate.magic)),
            bits: placed.map(|placed| placed.candidate.index_bits),
            slots: placed.map(|placed| placed.len),
            tries: Some(packing.tries(index)),
            offset: placed.map(|placed| placed.offset as i32),
            ..Self::new(target, None)
        }
    }

    fn as_source(&self, language: &Language) -> Option<String> {
        let Language { suffix, parts: [open, close], .. } = language;
        let (magic, bits) = (format!("{}{suffix}", self.magic.as_ref()?), self.bits?);
        let packed = |offset| format!("{open}{magic}, {bits}, {:#x}{close}", offset as u32);
        Some(self.offset.map_or_else(|| magic.clone(), packed))
    }
}

impl fmt::Display for FoundMagics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = if self.stopped { "none yet" } else { "none found" };
        for FoundMagic { piece, square, magic, bits, slots, tries, offset } in &self.magics {
            write!(f, "{piece:<6} {square}  ")?;
            let (Some(magic), Some(bits), Some(slots), Some(tries)) = (magic, bits, slots, tries)
            else {
                writeln!(f, "{none}")?;
                continue;
            };
            write!(f, "{magic}  {bits:>2} bits, {slots:>4} slots")?;
            if let Some(offset) = offset {
                write!(f, ", offset {offset}")?;
            }
            writeln!(f, ", {} tries", grouped((*tries).into()))?;
        }
        self.packed_length.map_or(Ok(()), |len| writeln!(f, "packed length: {len}"))
    }
}

/// Finds magics and prints them.
pub fn find(args: &FindArgs) -> Result<ExitCode> {
    let targets = targets(args)?;
    let interrupt = cancel_on_interrupt();
    let stop = interrupt.child();
    let start = Instant::now();
    let go_on = || {
        if args.seconds.is_some_and(|limit| start.elapsed() >= limit) {
            stop.cancel();
        }
        !stop.is_cancelled()
    };
    let (magics, packed_length) = if args.pack {
        let packing = pack(&targets, args, &stop, &go_on)?;
        let rows = targets.iter().enumerate();
        let rows = rows.map(|(index, target)| FoundMagic::packed(target, &packing, index));
        (rows.collect(), packing.array_len())
    } else {
        let mut magics = vec![None; targets.len()];
        let work = |_, target: &MagicTarget| find_one(target, args, &go_on);
        run(&targets, args, &stop, &go_on, work, |index, magic| {
            magics[index] = magic;
            Ok(())
        })?;
        let rows = targets.iter().zip(magics);
        (rows.map(|(target, magic)| FoundMagic::new(target, magic)).collect::<Vec<_>>(), None)
    };
    let seconds = start.elapsed().as_secs_f64();
    let left = magics.iter().filter(|magic| magic.magic.is_none()).count();
    let found = FoundMagics { magics, seconds, packed_length, stopped: stop.is_cancelled() };
    match found.as_source(args.format) {
        Some(source) => output::result(&source)?,
        None => output::print(&found, args.output.json)?,
    }
    if !args.output.quiet {
        let all = targets.len();
        output::note(format_args!("{} of {all} found in {seconds:.2} s", all - left));
    }
    if interrupt.is_cancelled() {
        return Ok(interrupted(format_args!("{left} squares have no magic yet")));
    }
    if left > 0 {
        output::note(format_args!(
            "perft: {left} squares have no magic yet (more --seconds, or another --seed)"
        ));
        return Ok(ExitCode::from(DIFFERENT));
    }
    Ok(ExitCode::SUCCESS)
}

impl From<KeyArg> for KeyKind {
    fn from(key: KeyArg) -> Self {
        match key {
            KeyArg::White => Self::White,
            KeyArg::Black => Self::Black,
            KeyArg::Fold32 => Self::Fold32,
        }
    }
}

fn targets(args: &FindArgs) -> Result<Vec<MagicTarget>> {
    let key_kind = KeyKind::from(args.key);
    if args.method == MethodArg::Search && key_kind == KeyKind::Black {
        bail!(
            "--method search finds white and fold32 magics; use random, bits or squeeze for black ones"
        );
    }
    if args.pack && (args.method != MethodArg::Squeeze || key_kind == KeyKind::Fold32) {
        bail!("--pack lays out what --method squeeze finds, with --key white or black");
    }
    if args.state.is_some() && !args.pack {
        bail!("--state is for --pack");
    }
    if args.pack && (args.square.is_some() || args.piece != PieceArg::Both) {
        bail!("--pack needs all squares of both pieces; leave out --square and --piece");
    }
    if args.method == MethodArg::Squeeze && args.bits.is_some() {
        bail!("--method squeeze chooses the index bits itself; leave out --bits");
    }
    let places = (0..128).map(place).filter(|&(slider, square)| {
        args.piece.includes(slider) && args.square.is_none_or(|wanted| wanted == square)
    });
    Ok(places
        .map(|(slider, square)| {
            let target = MagicTarget::of_mask_width(slider, square, key_kind);
            MagicTarget { index_bits: args.bits.unwrap_or(target.index_bits), ..target }
        })
        .collect())
}

/// Searches for all targets, one on each thread at a time, and hands on what `work` finds, but for
/// those not begun in time.
fn run<R: Send>(
    targets: &[MagicTarget],
    args: &FindArgs,
    stop: &CancelToken,
    go_on: &(dyn Fn() -> bool + Sync),
    work: impl Fn(usize, &MagicTarget) -> R + Sync,
    mut receive: impl FnMut(usize, R) -> Result<()>,
) -> Result<()> {
    let mut done = 0;
    let mut progress = ProgressLine::new(args.output.quiet);
    let threads = args.threads.threads();
    let threads = NonZero::new(targets.len()).map_or(threads, |all| threads.min(all));
    let work = |(index, target): (usize, &MagicTarget)| {
        Some(go_on().then(|| (index, work(index, target))))
    };
    pool::run(threads, targets.iter().enumerate(), stop, work, |result| {
        if let Some(Some((index, found))) = result {
            done += 1;
            receive(index, found)?;
        }
        progress.show(|| format!("{done} of {} squares", targets.len()));
        Ok(())
    })
}

fn find_one(target: &MagicTarget, args: &FindArgs, go_on: &dyn Fn() -> bool) -> Option<Found> {
    match args.method {
        MethodArg::Random => finder::find(target, Method::Random, args.seed, go_on),
        MethodArg::Bits => finder::find(target, Method::Bits, args.seed, go_on),
        MethodArg::Search => search(target, args.seed, go_on),
        MethodArg::Squeeze => (0..args.seeds.get())
            .take_while(|_| go_on())
            .filter_map(|more| squeeze(target, args.seed.wrapping_add(more), args.tries, go_on))
            .min_by_key(|found| found.span.len),
    }
}

/// Searches for several magics of each square and lays their tables over each other, from where the
/// state file says that the search was. There is no layout if it was stopped before it had one.
fn pack(
    targets: &[MagicTarget],
    args: &FindArgs,
    stop: &CancelToken,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<Packing> {
    let begun = read_state(args)?;
    let mut packing = begun.clone();
    let save = |packing: &Packing| match &args.state {
        Some(path) => write_whole(path, |file| write!(file, "{packing}")),
        None => Ok(()),
    };
    let work = |index: usize, target: &MagicTarget| {
        let spent = begun.tries(index);
        if spent >= args.tries {
            return (Vec::new(), 0);
        }
        let mut known: Vec<Candidate> = begun.candidates(index).collect();
        if known.is_empty() {
            let found = find_one(target, args, go_on);
            known.extend(
                found.map(|found| Candidate { magic: found.magic, index_bits: found.index_bits }),
            );
        }
        let more = args.tries - spent;
        let seed = args.seed.wrapping_add(spent);
        let found = candidates(target, &known, seed, more, go_on);
        // A search that is saved goes on as if it had not stopped: this square is begun again.
        if go_on() || args.state.is_none() { (found, more) } else { (Vec::new(), 0) }
    };
    run(targets, args, stop, go_on, work, |index, (found, tries)| {
        packing.add(index, &found, tries);
        if found.is_empty() { Ok(()) } else { save(&packing) }
    })?;
    let is_complete = (0..targets.len()).all(|index| packing.candidates(index).next().is_some());
    if is_complete && (go_on() || args.state.is_none()) {
        packing.lay();
        let mut progress = ProgressLine::new(args.output.quiet);
        let mut saved = Instant::now();
        while packing.rounds() < args.rounds && go_on() {
            packing.round();
            progress.show(|| {
                let len = packing.array_len().unwrap_or_default();
                format!("round {} of {}, {len} slots", packing.rounds(), args.rounds)
            });
            if saved.elapsed() > Duration::from_secs(10) {
                save(&packing)?;
                saved = Instant::now();
            }
        }
        save(&packing)?;
    }
    Ok(packing)
}

/// The packing of the state file, or an empty one.
fn read_state(args: &FindArgs) -> Result<Packing> {
    let new = Packing::new(args.key.into(), args.seed);
    let Some(path) = args.state.as_deref().filter(|path| path.exists()) else { return Ok(new) };
    refuse_to_overwrite(path, state::FIRST_LINE, "state of a search for magics")?;
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown:?}"))?;
    let packing: Packing = text.parse().with_context(|| format!("cannot go on from {shown:?}"))?;
    if (packing.key_kind(), packing.seed()) != (new.key_kind(), new.seed()) {
        bail!("{shown:?} was made with another --key or --seed ({})", packing.seed());
    }
    Ok(packing)
}

/// The search for the constant of the magic bitscan.
struct ShownBitscan {
    found: Bitscan,
    /// The width of the word.
    bits: u32,
    /// Without the steps.
    brief: bool,
}

impl fmt::Display for ShownBitscan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found: Bitscan { magic, steps }, bits, brief } = self;
        let window_bits = bits.trailing_zeros() as usize;
        for (number, step) in (1..).zip(steps).take_while(|_| !brief) {
            let Step { bit, value, window, collides_with } = *step;
            write!(f, "{number:>4}  bit {bit:>2} = {}  ", u8::from(value))?;
            write!(f, "window {window:0window_bits$b}")?;
            match collides_with {
                None => writeln!(f)?,
                Some(bit) => writeln!(f, "  the window of bit {bit} too")?,
            }
        }
        let width = *bits as usize / 4 + 2;
        writeln!(f, "magic: {magic:#0width$x} after {} guesses", steps.len())
    }
}

/// Prints the search for the constant of the magic bitscan.
pub fn bitscan(args: &BitscanArgs) -> Result<ExitCode> {
    let bits = args.width.bits();
    let found = scan::find(bits.trailing_zeros());
    output::result(&ShownBitscan { found, bits, brief: args.quiet }.to_string())?;
    Ok(ExitCode::SUCCESS)
}

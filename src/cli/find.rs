//! `perft sliders find`: the search for magics, and `perft sliders bitscan`.

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, bail};
use perft::sliders::Slider;
use perft::sliders::finder::pack::{Layout, pack, place};
use perft::sliders::finder::squeeze::{Squeezed, squeeze};
use perft::sliders::finder::{Found, Hash, Method, Target, bitscan as scan, find_while, search};
use perft::{Square, threads};
use serde_json::{Value, json};

use super::args::{BitscanArgs, FindArgs, Format, KeyArg, MethodArg, PieceArg};
use super::interrupt::stop_on_interrupt;
use super::output::{self, Progress, grouped};
use super::{DIFFERENT, INTERRUPTED};

/// What came out for one square; `None` if nothing did in time.
type Answer = (Target, Option<Squeezed>);

/// Finds magics and prints them.
pub fn find(args: &FindArgs) -> Result<ExitCode> {
    let targets = targets(args)?;
    let stopped = AtomicBool::new(false);
    let interrupted = stop_on_interrupt();
    let deadline = args.seconds.map(|time| Instant::now() + time);
    let go_on = || {
        let over = deadline.is_some_and(|deadline| deadline <= Instant::now());
        if over || interrupted.load(Ordering::Relaxed) {
            stopped.store(true, Ordering::Relaxed);
        }
        !stopped.load(Ordering::Relaxed)
    };
    let start = Instant::now();
    let answers = run(&targets, args, &go_on);
    let seconds = start.elapsed().as_secs_f64();

    let found = answers.iter().filter(|(_, found)| found.is_some()).count();
    // What is not whole can be neither packed nor compiled; what was found is shown all the same.
    let is_whole = found == answers.len();
    let layout = if args.pack { packed(&answers, args, go_on) } else { None };
    let none = if stopped.load(Ordering::Relaxed) { "none yet" } else { "none found" };
    let as_text = || as_text(&answers, layout.as_ref(), none);
    let text = match args.format() {
        Format::Text => as_text(),
        Format::Rust => as_rust(&answers, layout.as_ref()).unwrap_or_else(as_text),
        Format::Json => as_json(&answers, layout.as_ref(), seconds),
    };
    output::result(&text)?;
    if !args.output.quiet {
        output::note(format_args!("{found} of {} found in {seconds:.2} s", answers.len()));
    }
    if interrupted.load(Ordering::Relaxed) {
        output::note(format_args!("perft: interrupted"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if !is_whole {
        let left = answers.len() - found;
        output::note(format_args!(
            "perft: {left} squares have no magic yet (more --seconds, or another --seed)"
        ));
        return Ok(ExitCode::from(DIFFERENT));
    }
    Ok(ExitCode::SUCCESS)
}

fn targets(args: &FindArgs) -> Result<Vec<Target>> {
    let hash = match args.key {
        KeyArg::White => Hash::White,
        KeyArg::Black => Hash::Black,
        KeyArg::Fold32 => Hash::Fold32,
    };
    if args.method == MethodArg::Search && hash == Hash::Black {
        bail!(
            "--method search finds white and fold32 magics; use random, bits or squeeze for black ones"
        );
    }
    if args.pack && (args.method != MethodArg::Squeeze || hash == Hash::Fold32) {
        bail!("--pack lays out what --method squeeze finds, with --key white or black");
    }
    if args.pack && (args.square.is_some() || args.piece != PieceArg::Both) {
        bail!("--pack needs all squares of both pieces; leave out --square and --piece");
    }
    if args.method == MethodArg::Squeeze && args.bits.is_some() {
        bail!("--method squeeze chooses the index bits itself; leave out --bits");
    }
    let chosen = |(slider, square): (Slider, Square)| {
        let piece = match args.piece {
            PieceArg::Rook => slider == Slider::Rook,
            PieceArg::Bishop => slider == Slider::Bishop,
            PieceArg::Both => true,
        };
        piece && args.square.is_none_or(|wanted| wanted == square)
    };
    let places = (0..128).map(place).filter(|&place| chosen(place));
    Ok(places
        .map(|(slider, square)| {
            let target = Target::of_mask_width(slider, square, hash);
            Target { index_bits: args.bits.unwrap_or(target.index_bits), ..target }
        })
        .collect())
}

/// Searches for all targets, as many at once as there are threads.
fn run(targets: &[Target], args: &FindArgs, go_on: &(dyn Fn() -> bool + Sync)) -> Vec<Answer> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<(usize, Answer)>> = Mutex::default();
    let progress = Mutex::new(Progress::new(args.output.quiet));
    let threads = args.threads.threads().get().min(targets.len());
    std::thread::scope(|scope| {
        threads::start(scope, threads, || {
            || {
                while let Some((index, target)) = take(&next, targets) {
                    let found = if go_on() { one(&target, args, go_on) } else { None };
                    let Ok(mut answers) = answers.lock() else { break };
                    answers.push((index, (target, found)));
                    if let Ok(mut progress) = progress.lock() {
                        progress.show(|| format!("{} of {} squares", answers.len(), targets.len()));
                    }
                }
            }
        });
    });
    let mut answers = answers.into_inner().unwrap_or_default();
    answers.sort_by_key(|&(index, _)| index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn take(next: &AtomicUsize, targets: &[Target]) -> Option<(usize, Target)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    targets.get(index).map(|&target| (index, target))
}

fn one(target: &Target, args: &FindArgs, go_on: &(dyn Fn() -> bool + Sync)) -> Option<Squeezed> {
    let with_bits = |found: Found| Squeezed { found, index_bits: target.index_bits };
    let Target { slider, square, hash, .. } = *target;
    match args.method {
        MethodArg::Random => {
            find_while(target, Method::Random, args.seed, u64::MAX, go_on).map(with_bits)
        }
        MethodArg::Bits => {
            find_while(target, Method::Bits, args.seed, u64::MAX, go_on).map(with_bits)
        }
        MethodArg::Search => search::search(target, args.seed, go_on).map(with_bits),
        MethodArg::Squeeze => {
            let seeds = (0..args.seeds.get()).map(|more| args.seed.wrapping_add(more));
            seeds
                .take_while(|_| go_on())
                .filter_map(|seed| squeeze(slider, square, hash, seed, args.tries, go_on))
                .min_by_key(|squeezed| squeezed.found.span.len)
        }
    }
}

/// Packs the tables, if every square has one.
fn packed(answers: &[Answer], args: &FindArgs, go_on: impl Fn() -> bool) -> Option<Layout> {
    let magics: Vec<Squeezed> = answers.iter().map(|&(_, found)| found).collect::<Option<_>>()?;
    let hash = if args.key == KeyArg::Black { Hash::Black } else { Hash::White };
    Some(pack(&magics, hash, 0..args.orders.get(), go_on))
}

fn as_text(answers: &[Answer], layout: Option<&Layout>, none: &str) -> String {
    let mut text = String::new();
    for (index, (target, found)) in answers.iter().enumerate() {
        _ = write!(text, "{:<6} {}  ", target.slider, target.square);
        _ = match found {
            None => writeln!(text, "{none}"),
            Some(Squeezed { found, index_bits }) => {
                let Found { magic, tries, span } = found;
                _ = write!(text, "{magic:#018x}  {index_bits:>2} bits, {:>4} slots", span.len);
                if let Some(layout) = layout {
                    _ = write!(text, ", offset {}", layout.placed[index].offset as i32);
                }
                writeln!(text, ", {} tries", grouped((*tries).into()))
            }
        };
    }
    if let Some(layout) = layout {
        _ = writeln!(text, "packed length: {}", layout.len);
    }
    text
}

/// Constant tables as this crate's own sources have them, if every square has a magic.
fn as_rust(answers: &[Answer], layout: Option<&Layout>) -> Option<String> {
    let mut text = String::new();
    if let Some(layout) = layout {
        _ = writeln!(text, "pub(super) const LEN: usize = {};", layout.len);
        _ = writeln!(text, "pub(super) const ORDER: u64 = {};", layout.order);
    }
    for slider in Slider::ALL {
        let of_piece: Vec<(usize, &Answer)> =
            answers.iter().enumerate().filter(|(_, (target, _))| target.slider == slider).collect();
        if of_piece.is_empty() {
            continue;
        }
        let name = slider.name().to_uppercase();
        let len = of_piece.len();
        let (kind, columns) = if layout.is_some() { ("(u64, u32, u32)", 2) } else { ("u64", 4) };
        _ = writeln!(text, "\n#[rustfmt::skip]\npub(super) const {name}: [{kind}; {len}] = [");
        for row in of_piece.chunks(columns) {
            let mut cells = Vec::new();
            for (index, (_, found)) in row {
                let Squeezed { found, index_bits } = found.as_ref()?;
                cells.push(match layout {
                    Some(layout) => {
                        let offset = layout.placed[*index].offset;
                        format!("({:#018x}, {index_bits}, {offset:#x})", found.magic)
                    }
                    None => format!("{:#018x}", found.magic),
                });
            }
            _ = writeln!(text, "    {},", cells.join(", "));
        }
        _ = writeln!(text, "];");
    }
    Some(text)
}

fn as_json(answers: &[Answer], layout: Option<&Layout>, seconds: f64) -> String {
    let magics: Vec<Value> = answers
        .iter()
        .enumerate()
        .map(|(index, (target, found))| {
            let mut object = json!({
                "piece": target.slider.name(),
                "square": target.square.to_string(),
                "magic": found.map(|found| format!("{:#018x}", found.found.magic)),
                "bits": found.map(|found| found.index_bits),
                "slots": found.map(|found| found.found.span.len),
                "tries": found.map(|found| found.found.tries),
            });
            if let Some(layout) = layout {
                object["offset"] = json!(layout.placed[index].offset as i32);
            }
            object
        })
        .collect();
    let mut object = json!({ "magics": magics, "seconds": seconds });
    if let Some(layout) = layout {
        object["packed_length"] = json!(layout.len);
    }
    format!("{object}\n")
}

/// Shows how the magic bitscan's constant is found.
pub fn bitscan(args: &BitscanArgs) -> Result<ExitCode> {
    let bits = args.width.bits();
    let found = scan::find(bits.trailing_zeros());
    let digits = bits as usize / 4;
    let mut text = String::new();
    if !args.brief {
        let window_bits = bits.trailing_zeros() as usize;
        for (number, step) in (1..).zip(&found.steps) {
            let window = format!("{:0window_bits$b}", step.window);
            let verdict = match step.collides_with {
                None => String::new(),
                Some(bit) => format!("  the window of bit {bit} too"),
            };
            _ = writeln!(
                text,
                "{number:>4}  bit {:>2} = {}  window {window}{verdict}",
                step.bit,
                u8::from(step.value)
            );
        }
    }
    _ = writeln!(
        text,
        "magic: {:#0width$x} after {} guesses",
        found.magic,
        found.steps.len(),
        width = digits + 2
    );
    output::result(&text)?;
    Ok(ExitCode::SUCCESS)
}

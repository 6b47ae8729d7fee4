//! Slider lookups step by step, and the search for magics.

use std::cell::Cell;
use std::time::Instant;

use perft_core::attacks::rays::Slider;
use perft_core::{Bitboard, Square};
use perft_lab::finder::{KeyKind, MagicTarget, Method, TRIES_PER_CALL, find as find_magic};
use perft_lab::{Collision, LineTrace, System, Trace, collision};
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::State;
use super::jobs::Events;

/// A slider on a square.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookupInput {
    /// `rook` or `bishop`; a queen is both.
    piece: String,
    square: String,
    system: String,
    /// Occupied squares.
    occupied: Vec<String>,
    /// Those of them that the slider may not capture.
    friends: Vec<String>,
}

/// The steps of a lookup.
pub fn show(input: LookupInput) -> Result<Value, String> {
    let (slider, square) = (slider(&input.piece)?, self::square(&input.square)?);
    let system: System = input.system.parse().map_err(|error| format!("{error}"))?;
    let occupied = set(&input.occupied)? - square.bitboard();
    let friends = set(&input.friends)? & occupied;
    let attacks = slider.attacks(square, occupied);
    let steps = match system.trace(slider, square, occupied) {
        Trace::Hashed(trace) => {
            let table = system.slot_use(slider, square);
            let letters = (0..).zip(&trace.terms).map(|(place, term)| {
                json!({
                    "letter": letter(place),
                    "square": term.square.to_string(),
                    "value": hex(term.value),
                    "sum": hex(term.sum),
                    "carries": hex(term.carries),
                })
            });
            json!({
                "kind": "hashed",
                "mask": bits(trace.mask),
                "blockers": bits(trace.blockers),
                "magic": trace.magic.map(hex),
                "start": hex(trace.start),
                "terms": letters.collect::<Vec<_>>(),
                "product": hex(trace.product),
                "index_bits": trace.index_bits,
                "index": trace.index,
                "offset": trace.offset as i32,
                "slot": trace.slot,
                "table": table.map(|table| json!({
                    "min": table.min,
                    "used": table.sets.iter().filter(|&&sets| sets > 0).count(),
                    "shared": table.sets.iter().filter(|&&sets| sets > 1).count(),
                    "sets": table.sets,
                })),
            })
        }
        Trace::ByLines(lines) => json!({ "kind": "lines", "lines": lines.map(line_value) }),
    };
    Ok(json!({
        "piece": slider.name(),
        "square": square.to_string(),
        "system": system.name(),
        "about": system.about(),
        "table_bytes": system.table_bytes(),
        "relevant": bits(slider.relevant(square)),
        "attacks": bits(attacks),
        "targets": bits(attacks - friends),
        "captures": bits(attacks & (occupied - friends)),
        "steps": steps,
        "command": format!(
            "perft sliders show {square} --piece {slider} --system {system} --enemies {} --friends {}",
            names(occupied - friends),
            names(friends),
        ),
    }))
}

fn line_value(line: LineTrace) -> Value {
    json!({
        "line": bits(line.line),
        "blockers": bits(line.blockers),
        "above": hex(line.above),
        "below": hex(line.below),
        "attacks": bits(line.attacks),
    })
}

/// A factor to try.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckInput {
    piece: String,
    square: String,
    magic: String,
    bits: u32,
    key: String,
}

/// Whether a factor is a magic, with a collision if it is not.
pub fn check(input: CheckInput) -> Result<Value, String> {
    let target = target(&input.piece, &input.square, &input.key, input.bits)?;
    let text = input.magic.trim().to_lowercase();
    let text = text.trim_end_matches(['u', 'l']).replace(['_', '\''], "");
    let magic = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let magic =
        magic.map_err(|_| format!("{:?} is not a number of 64 bits (0x...)", input.magic))?;
    let found = collision(&target, magic);
    let collision = found.map(|Collision { blockers, attacks, index }| {
        json!({ "blockers": blockers.map(bits), "attacks": attacks.map(bits), "index": index })
    });
    let command = format!(
        "perft sliders verify --magic {magic:#018x} --piece {} --square {} --bits {} --key {}",
        target.slider, target.square, target.index_bits, input.key,
    );
    Ok(json!({
        "magic": hex(magic),
        "valid": collision.is_none(),
        "collision": collision,
        "constants": constants(&target, magic),
        "command": command,
    }))
}

/// A magic to search for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindInput {
    piece: String,
    square: String,
    bits: u32,
    key: String,
}

/// Draws candidates until one is a magic.
pub fn find(input: FindInput, _: &State, events: &Events) -> Result<(), String> {
    let target = target(&input.piece, &input.square, &input.key, input.bits)?;
    let seed = getrandom::u32().map_err(|error| error.to_string())?.into();
    let start = Instant::now();
    let (rounds, due) = (Cell::new(0_u64), Cell::new(0.1));
    let per_second = |tries: u64| tries as f64 / start.elapsed().as_secs_f64().max(1e-9);
    let found = find_magic(&target, Method::Random, seed, || {
        rounds.set(rounds.get() + 1);
        if start.elapsed().as_secs_f64() > due.get() {
            due.set(start.elapsed().as_secs_f64() + 0.1);
            let tries = rounds.get() * TRIES_PER_CALL;
            events.send_progress(
                &json!({ "event": "tries", "tries": tries, "per_second": per_second(tries) }),
            );
        }
        !events.cancel_token().is_cancelled()
    });
    if let Some(found) = found {
        let (slider, square, bits) = (target.slider, target.square, target.index_bits);
        events.send(&json!({
            "event": "found",
            "magic": hex(found.magic),
            "tries": found.tries,
            "per_second": per_second(found.tries),
            "slots": found.span.len,
            "constants": constants(&target, found.magic),
            "command": format!(
                "perft sliders find --piece {slider} --square {square} --bits {bits} --key {} --seed {seed}",
                input.key,
            ),
        }));
    }
    Ok(())
}

fn target(piece: &str, square: &str, key: &str, index_bits: u32) -> Result<MagicTarget, String> {
    let key_kind = match key {
        "white" => KeyKind::White,
        "black" => KeyKind::Black,
        "fold32" => KeyKind::Fold32,
        _ => return Err(format!("{key:?} is not a key: white, black or fold32")),
    };
    let max = MagicTarget::MAX_INDEX_BITS;
    if !(1..=max).contains(&index_bits) {
        return Err(format!("{index_bits} index bits, not 1 to {max}"));
    }
    Ok(MagicTarget { slider: slider(piece)?, square: self::square(square)?, key_kind, index_bits })
}

/// The magic as a constant of each language.
fn constants(target: &MagicTarget, magic: u64) -> Value {
    let MagicTarget { slider, square, .. } = target;
    let name = format!("{}_{}", slider.name().to_uppercase(), square.to_string().to_uppercase());
    json!({
        "rust": format!("const {name}: u64 = {magic:#018x};"),
        "cpp": format!("constexpr std::uint64_t {name} = {magic:#018x}ULL;"),
        "python": format!("{name} = {magic:#018x}"),
    })
}

fn slider(name: &str) -> Result<Slider, String> {
    let mut sliders = Slider::ALL.into_iter();
    sliders
        .find(|slider| slider.name() == name)
        .ok_or_else(|| format!("{name:?} is not rook or bishop"))
}

fn square(name: &str) -> Result<Square, String> {
    name.parse().map_err(|error| format!("{error}"))
}

fn set(names: &[String]) -> Result<Bitboard, String> {
    names.iter().map(|name| square(name)).collect()
}

/// The names of squares, as an argument.
fn names(set: Bitboard) -> String {
    set.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(",")
}

fn letter(place: u8) -> char {
    (b'A' + place % 26) as char
}

/// A word as text: numbers of JavaScript are exact up to 2^53 only.
fn hex(word: u64) -> String {
    format!("{word:#018x}")
}

fn bits(set: Bitboard) -> String {
    hex(set.0)
}

//! Sets of squares that decide which moves are legal.

use perft_core::Kernel;
use perft_core::movegen::Constraints;
use serde::Deserialize;
use serde_json::{Value, json};

use super::position::{PositionInput, squares};
use crate::command_line::CommandLine;

/// A position, and the overlays that the page shows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverlayInput {
    at: PositionInput,
    show: Vec<String>,
}

/// The overlays of the page, and the sets of `perft board --show`.
const SETS: [(&str, &str); 7] = [
    ("white", "attacks"),
    ("black", "attacks"),
    ("pins", "pins"),
    ("check", "check"),
    ("danger", "danger"),
    ("special", "castling"),
    ("kernel", "kernel"),
];

/// The sets of a position.
pub fn show(input: OverlayInput) -> Result<Value, String> {
    let place = input.at.read()?;
    let shown = SETS.iter().filter(|(overlay, _)| input.show.iter().any(|show| show == overlay));
    let mut sets: Vec<&str> = shown.map(|&(_, set)| set).collect();
    sets.dedup();
    let option = if sets.is_empty() { String::new() } else { format!("--show {}", sets.join(",")) };
    let position = place.position();
    let board = position.board();
    let made = Kernel::TwoPly.moves_made(board).into_iter();
    let made: Vec<String> = made.map(|mv| board.uci(mv)).collect();
    let Constraints { attacks, checkers, check_mask, pins, danger, en_passant, castling } =
        board.constraints();
    let pins = pins
        .iter()
        .map(|pin| json!({ "pinned": pin.pinned.to_string(), "line": squares(pin.line) }));
    let castling = castling.iter().map(|castling| json!({
        "rook": castling.rook.to_string(), "safe": squares(castling.safe), "empty": squares(castling.empty),
    }));
    Ok(json!({
        "white": squares(attacks[0]),
        "black": squares(attacks[1]),
        "checkers": squares(checkers),
        "check": check_mask.map(squares),
        "pins": pins.collect::<Vec<_>>(),
        "danger": squares(danger),
        "en_passant": en_passant.map(|square| square.to_string()),
        "castling": castling.collect::<Vec<_>>(),
        "made": made,
        "command": place.command(CommandLine::new(["board"]), &option),
    }))
}

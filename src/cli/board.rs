//! `perft board`: a position and its legal moves.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use perft::{Board, Move, Variant, notation, positions};
use serde_json::{Value, json};

use super::args::BoardArgs;
use super::output;
use super::position::read_position;

/// Draws the board, or lists the named positions.
pub fn board(args: &BoardArgs) -> Result<ExitCode> {
    let json = args.output.json;
    let text = if args.list {
        if json { format!("{}\n", names_as_json()) } else { names() }
    } else {
        let board = read_position(&args.words, &args.position)?;
        let variant = args.position.variant();
        if json { format!("{}\n", as_json(&board, variant)) } else { drawing(&board, variant) }
    };
    output::result(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn names() -> String {
    let mut text = String::new();
    for named in positions::NAMED {
        _ = writeln!(text, "{:<11} {}\n{:<11} {}", named.name, named.about, "", named.fen);
    }
    text
}

fn names_as_json() -> Value {
    let named = positions::NAMED.iter();
    named
        .map(|named| json!({ "name": named.name, "fen": named.fen, "about": named.about }))
        .collect()
}

/// The legal moves with their two spellings, sorted by the first.
fn moves(board: &Board, variant: Variant) -> Vec<(String, String)> {
    let spell = |mv: Move| (mv.uci(variant), notation::san(board, mv));
    let mut moves: Vec<_> = board.legal_moves().into_iter().map(spell).collect();
    moves.sort();
    moves
}

/// What the position comes to for the side to move.
fn verdict(board: &Board) -> &'static str {
    match (board.in_check(), board.count_legal_moves()) {
        (true, 0) => "checkmate",
        (true, _) => "yes",
        (false, 0) => "no, stalemate",
        (false, _) => "no",
    }
}

fn drawing(board: &Board, variant: Variant) -> String {
    let mut text = format!("{}\n", output::drawing(board, |_| None));
    let checkers: Vec<String> = board.checkers().into_iter().map(|sq| sq.to_string()).collect();
    _ = writeln!(text, "FEN: {}", board.fen(variant));
    _ = writeln!(text, "Key: {:032x}", board.key());
    _ = write!(text, "In check: {}", verdict(board));
    if !checkers.is_empty() {
        _ = write!(text, ", from {}", checkers.join(" and "));
    }
    let moves = moves(board, variant);
    _ = writeln!(text, "\nLegal moves: {}", moves.len());
    for row in moves.chunks(5) {
        let row: Vec<String> = row.iter().map(|(uci, san)| format!("{uci:<5} {san:<8}")).collect();
        _ = writeln!(text, "  {}", row.join(" ").trim_end());
    }
    text
}

fn as_json(board: &Board, variant: Variant) -> Value {
    let checkers: Vec<String> = board.checkers().into_iter().map(|sq| sq.to_string()).collect();
    let moves: Vec<Value> = moves(board, variant)
        .into_iter()
        .map(|(uci, san)| json!({ "uci": uci, "san": san }))
        .collect();
    json!({
        "fen": board.fen(variant),
        "key": format!("{:032x}", board.key()),
        "in_check": board.in_check(),
        "checkers": checkers,
        "moves": moves,
    })
}

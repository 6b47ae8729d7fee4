//! Our own divide, depth by depth; and the comparison of a pasted one.

use std::convert::Infallible;
use std::time::Instant;

use perft_compare::uci::{OutputLine, Transcript};
use perft_compare::{CompareError, check_output};
use perft_core::{Board, CountError, Counter, Depth, Divide};
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::State;
use super::engine::PageEvent;
use super::jobs::Events;
use super::position::{PositionInput, check_depth};
use crate::command_line::CommandLine;

/// A position and a depth.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DivideInput {
    pub at: PositionInput,
    pub depth: Depth,
}

/// Divides at each depth up to the one asked for.
pub fn run(input: DivideInput, state: &State, events: &Events) -> Result<(), String> {
    let depth = check_depth(input.depth)?;
    let place = input.at.read()?;
    let position = place.position();
    let start = Instant::now();
    for depth in 1..=depth {
        let counter = counter(state, events, depth);
        match counter.divide(position.board(), depth) {
            Ok(divide) => events.send(&json!({
                "event": "divide",
                "depth": depth,
                "nodes": divide.nodes.to_string(),
                "moves": counts(position.board(), &divide),
                "seconds": start.elapsed().as_secs_f64(),
                "command": place.command(CommandLine::new(["divide"]), &depth.to_string()),
            })),
            Err(CountError::Cancelled(_)) => return Ok(()),
            Err(error) => return Err(format!("depth {depth}: {error}")),
        }
    }
    events.send(&json!({ "event": "end" }));
    Ok(())
}

/// A counter for a job, which reports its progress.
pub fn counter(state: &State, events: &Events, depth: Depth) -> Counter {
    let reader = events.clone();
    state.counter.clone().cancel(events.cancel_token().clone()).on_progress(move |progress| {
        reader.send_progress(&json!({
            "event": "progress",
            "depth": depth,
            "share": progress.share,
            "nodes": progress.nodes.to_string(),
        }));
    })
}

/// Moves and counts. Counts are text: numbers of JavaScript are exact up to 2^53 only.
fn counts(board: &Board, divide: &Divide) -> Vec<(String, String)> {
    let branches = divide.branches.iter();
    branches.map(|branch| (board.uci(branch.mv), branch.nodes.to_string())).collect()
}

/// A divide as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PasteInput {
    at: PositionInput,
    depth: Depth,
    text: String,
}

/// Compares a pasted divide with ours.
pub fn paste(input: PasteInput, state: &State, events: &Events) -> Result<(), String> {
    let depth = check_depth(input.depth)?;
    let place = input.at.read()?;
    let position = place.position();
    let mut transcript = Transcript::of_depth(depth);
    let lines: Vec<Value> = input
        .text
        .lines()
        .map(|line| {
            let meaning = match transcript.push(line) {
                OutputLine::Move(..) | OutputLine::Moves(_) => "move",
                OutputLine::Total(_) | OutputLine::TotalAt(..) => "total",
                OutputLine::BadMove(..) | OutputLine::BadTotal(_) => "not a count",
                _ if line.trim().is_empty() => "empty",
                _ => "not understood",
            };
            json!({ "text": line, "meaning": meaning })
        })
        .collect();
    let moves = transcript.move_count();
    events.send(&json!({ "event": "lines", "lines": lines, "moves": moves }));
    if moves == 0 && position.board().count_legal_moves() > 0 {
        return Err("no line such as `e2e4: 20`".to_owned());
    }
    let counter = counter(state, events, depth);
    let output = transcript.output();
    let checked = match check_output::<Infallible>(&counter, None, &position, depth, &output) {
        Err(CompareError::Cancelled) => return Ok(()),
        checked => checked.map_err(|error| error.to_string())?,
    };
    events.send(&PageEvent::Compared {
        depth,
        diff: &checked.diff,
        mismatch: checked.bug.as_ref(),
        command: place.command(CommandLine::new(["check", "-"]), &depth.to_string()),
    });
    Ok(())
}

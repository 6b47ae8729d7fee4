//! A count on one machine that can be killed and resumed.
//!
//! Its file is a [`Journal`]: a line that says of which count it is, and a result for each unit that
//! is finished.

use std::path::Path;

use serde_json::Value;

use super::journal::Journal;
use super::lines::{Header, ResultLine, UnitId, VERSION, is_chess960, key_names};
use super::reader::{FileError, Place};
use super::verify::Tally;
use super::{Plan, PlanError, work};
use crate::board::Board;
use crate::perft::{Counter, Depth};

/// With so many units a kill costs little.
const ENOUGH_UNITS: usize = 2000;

/// Units of less depth are not worth a line.
const MIN_UNIT_DEPTH: Depth = 4;

/// A count whose finished units are in a file.
pub struct Checkpoint {
    plan: Plan,
    journal: Journal,
    tally: Tally,
}

impl Checkpoint {
    /// Opens the checkpoint of a count, or creates it.
    ///
    /// # Errors
    /// If the file is not a checkpoint of this count. It is left as it is then.
    pub fn open(path: &Path, root: &Board, depth: Depth) -> Result<Self, FileError> {
        let plan = cut(root, depth)?;
        let first = Place { file: path.display().to_string().into(), line: 1 };
        let mut tally = Tally::of_plan(&plan, first);
        let header = header(tally.header());
        let mut has_header = false;
        let mut journal = Journal::open(path, |place, line| {
            if !has_header {
                has_header = true;
                return check_header(&header, &place, line);
            }
            let result = ResultLine::parse(line).map_err(|error| place.error(error))?;
            tally.add(place, result)
        })?;
        if journal.is_empty() {
            let fields = header.map(|(field, value)| format!("\"{field}\":{value}"));
            journal.append(&format!("{{{}}}", fields.join(",")))?;
            journal.sync()?;
        }
        Ok(Self { plan, journal, tally })
    }

    /// The number of units.
    pub fn units(&self) -> usize {
        self.plan.units.len()
    }

    /// The number of units whose count is known.
    pub fn known(&self) -> usize {
        self.tally.known()
    }

    /// Counts the other units, and calls `on_result` after each with the number of those that are
    /// known. Returns the total, or `None` if the counter is cancelled before the last.
    ///
    /// # Errors
    /// If a result cannot be written, or a count does not fit into 128 bits.
    pub fn count(
        &mut self,
        counter: &Counter,
        mut on_result: impl FnMut(usize),
    ) -> Result<Option<u128>, FileError> {
        let Self { plan, journal, tally } = self;
        let rest = plan.rest();
        let mut missing: Vec<Board> = plan.units.iter().map(|unit| plan.board(unit)).collect();
        missing.retain(|board| tally.is_missing(UnitId(board.hash())));
        let tasks = missing.into_iter().map(|board| Ok((board, rest, UnitId(board.hash()))));
        let worked = work(counter, tasks, |id, nodes, time| {
            let result = ResultLine::new(id, rest, nodes, time, false);
            let place = journal.append(&result.to_string())?;
            tally.add(place, result)?;
            on_result(tally.known());
            Ok::<(), FileError>(())
        });
        journal.sync()?;
        worked?;
        Ok(tally.total()?)
    }
}

/// Cuts where there are enough units, or else as late as units are deep enough.
fn cut(root: &Board, depth: Depth) -> Result<Plan, PlanError> {
    let mut ply = 0;
    loop {
        let plan = Plan::new(root, depth, ply, |_, _| {})?;
        let is_enough = plan.units.len() >= ENOUGH_UNITS || plan.units.is_empty();
        if is_enough || plan.rest() <= MIN_UNIT_DEPTH || ply == Plan::MAX_PLY {
            return Ok(plan);
        }
        ply += 1;
    }
}

/// The field of every first line of a checkpoint, whatever its format.
const FORMAT: &str = "perft_checkpoint";

/// The first line of a checkpoint: all that has to be the same for a count to be resumed.
fn header(plan: &Header) -> [(&'static str, Value); 8] {
    [
        (FORMAT, 1.into()),
        ("fen", plan.root.to_string().into()),
        ("chess960", is_chess960(&plan.root).into()),
        ("depth", plan.depth.into()),
        ("ply", plan.ply.into()),
        ("version", VERSION.into()),
        ("keys", key_names(false).into()),
        ("checksum", format!("{:016x}", plan.checksum).into()),
    ]
}

/// Checks that a line is this header.
fn check_header(header: &[(&str, Value)], place: &Place, line: &str) -> Result<(), FileError> {
    let found: Value = serde_json::from_str(line).unwrap_or_default();
    if found.get(FORMAT).is_none() {
        return Err(place.error("not a checkpoint; give --checkpoint a new file"));
    }
    match header.iter().find(|(field, expected)| found[field] != *expected) {
        None => Ok(()),
        Some((field, expected)) => Err(place.error(format!(
            "not a checkpoint of this count: its {field} is {}, not {expected}",
            found[field]
        ))),
    }
}

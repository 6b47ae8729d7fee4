//! A count on one machine that can be killed and resumed.
//!
//! Its file is a [`Journal`]: a line that says of which count it is, and a result for each unit that
//! is finished.

use std::fmt;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::journal::Journal;
use super::lines::{ResultLine, UnitId, VERSION, is_chess960, key_names, write_json};
use super::reader::{FileError, Place};
use super::{Plan, PlanError, total, work};
use crate::board::Board;
use crate::perft::{CountError, Counter, Depth};

/// With so many units a kill costs little.
const ENOUGH_UNITS: usize = 2000;

/// Units of less depth are not worth a line.
const MIN_UNIT_DEPTH: Depth = 4;

/// The reason why a count cannot be made with a checkpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The count cannot be cut into units.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The file cannot be read or written, or has a wrong line.
    #[error(transparent)]
    File(#[from] FileError),
    /// The count failed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// The file is something else.
    #[error("{0}: not a checkpoint; give --checkpoint a new file")]
    NotACheckpoint(Place),
    /// The file is of another count.
    #[error("{place}: not a checkpoint of this count: its {field} is {found}, not {expected}")]
    OtherCount {
        /// The place of the header.
        place: Place,
        /// The first field that differs.
        field: &'static str,
        /// Its value, as JSON.
        found: String,
        /// The value for this count, as JSON.
        expected: String,
    },
    /// A result of a unit of another count.
    #[error("{0}: unit {1} is not one of this count")]
    OtherUnit(Place, UnitId),
    /// A unit has two counts.
    #[error("{0}: unit {1} has two counts, {2} and {3}")]
    Conflict(Place, UnitId, u128, u128),
}

/// A count whose finished units are in a file.
pub struct Checkpoint {
    plan: Plan,
    journal: Journal,
    /// The count of each unit, once it is known.
    counts: Vec<Option<u128>>,
}

impl Checkpoint {
    /// Opens the checkpoint of a count, or creates it.
    ///
    /// # Errors
    /// If the file is not a checkpoint of this count. It is left as it is then.
    pub fn open(path: &Path, root: &Board, depth: Depth) -> Result<Self, CheckpointError> {
        let plan = cut(root, depth)?;
        let header = CheckpointHeader::new(&plan);
        let index_of: FxHashMap<UnitId, usize> =
            (0..plan.units.len()).map(|index| (id(&plan, index), index)).collect();
        let mut counts = vec![None; plan.units.len()];
        let mut has_header = false;
        let mut journal = Journal::open(path, |place, line| {
            if !has_header {
                has_header = true;
                return header.check(place, line);
            }
            let ResultLine { id, depth, nodes, version, .. } = match ResultLine::parse(line) {
                Ok(result) => result,
                Err(error) => return Err(FileError::Line(place, error).into()),
            };
            match index_of.get(&id).filter(|_| depth == plan.rest() && version == VERSION) {
                None => Err(CheckpointError::OtherUnit(place, id)),
                Some(&index) => match counts[index].replace(nodes) {
                    Some(first) if first != nodes => {
                        Err(CheckpointError::Conflict(place, id, first, nodes))
                    }
                    _ => Ok(()),
                },
            }
        })?;
        if journal.is_empty() {
            journal.append(&header.to_string())?;
            journal.sync()?;
        }
        Ok(Self { plan, journal, counts })
    }

    /// The number of units.
    pub fn units(&self) -> usize {
        self.counts.len()
    }

    /// The number of units whose count is known.
    pub fn known(&self) -> usize {
        self.counts.iter().flatten().count()
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
    ) -> Result<Option<u128>, CheckpointError> {
        let mut known = self.known();
        let Self { plan, journal, counts } = self;
        let rest = plan.rest();
        let missing: Vec<usize> =
            (0..counts.len()).filter(|&index| counts[index].is_none()).collect();
        let tasks =
            missing.into_iter().map(|index| Ok((plan.board(&plan.units[index]), rest, index)));
        let worked = work(counter, tasks, |index, nodes, time| {
            let result = ResultLine::new(id(plan, index), rest, nodes, time, false);
            journal.append(&result.to_string())?;
            counts[index] = Some(nodes);
            known += 1;
            on_result(known);
            Ok::<(), CheckpointError>(())
        });
        journal.sync()?;
        worked?;
        let counts = counts.iter().zip(&plan.units);
        let counts = counts.map(|(nodes, unit)| Some(((*nodes)?, unit.multiplicity)));
        Ok(counts.collect::<Option<Vec<_>>>().map(total).transpose()?)
    }
}

fn id(plan: &Plan, index: usize) -> UnitId {
    UnitId(plan.board(&plan.units[index]).hash())
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

/// The first line of a checkpoint: all that has to be the same for a count to be resumed.
struct CheckpointHeader([(&'static str, Value); 8]);

impl CheckpointHeader {
    /// Every header of a checkpoint has this field, whatever its format.
    const FORMAT: &str = "perft_checkpoint";

    fn new(plan: &Plan) -> Self {
        Self([
            (Self::FORMAT, 1.into()),
            ("fen", plan.root.to_string().into()),
            ("chess960", is_chess960(&plan.root).into()),
            ("depth", plan.depth.into()),
            ("ply", plan.ply.into()),
            ("version", VERSION.into()),
            ("keys", key_names(false).into()),
            ("checksum", format!("{:016x}", plan.checksum()).into()),
        ])
    }

    /// Checks that a line is this header.
    fn check(&self, place: Place, line: &str) -> Result<(), CheckpointError> {
        let found: Value = serde_json::from_str(line).unwrap_or_default();
        if found.get(Self::FORMAT).is_none() {
            return Err(CheckpointError::NotACheckpoint(place));
        }
        match self.0.iter().find(|(field, expected)| found[field] != *expected) {
            None => Ok(()),
            Some((field, expected)) => Err(CheckpointError::OtherCount {
                place,
                field,
                found: found[field].to_string(),
                expected: expected.to_string(),
            }),
        }
    }
}

impl Serialize for CheckpointHeader {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(field, value)| (field, value)))
    }
}

impl fmt::Display for CheckpointHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(f, self)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no files")]
    fn a_count_is_resumed() {
        let path = std::env::temp_dir().join(format!("perft-checkpoint-{}", std::process::id()));
        _ = fs::remove_file(&path);
        let open = |depth| Checkpoint::open(&path, &Board::startpos(), depth);
        let mut checkpoint = open(6).unwrap();
        let counter = Counter::new();
        let stopped = checkpoint.count(&counter, |known| {
            if known == 3 {
                counter.cancel_token().cancel();
            }
        });
        assert_eq!((stopped.unwrap(), checkpoint.units()), (None, 400));
        let known = checkpoint.known();
        drop(checkpoint);
        assert!(matches!(open(5), Err(CheckpointError::OtherCount { field: "depth", .. })));
        let mut checkpoint = open(6).unwrap();
        assert_eq!(checkpoint.known(), known);
        let mut calls = 0;
        let nodes = checkpoint.count(&Counter::new(), |_| calls += 1).unwrap();
        assert_eq!((nodes, calls), (Some(119_060_324), 400 - known));
        fs::remove_file(&path).unwrap();
    }
}

//! A count on one machine that can be killed and resumed.
//!
//! Its file is a [`Journal`]: a line that says of which count it is and into which parts it is cut,
//! and a line for each part that is finished. A count by layers is cut into passes, any other into
//! units.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::path::Path;

use serde_json::Value;

use super::journal::Journal;
use super::lines::{Header, PassLine, ResultLine, UnitId, VERSION, is_chess960, key_names};
use super::reader::{FileError, Place};
use super::verify::Tally;
use super::{Plan, PlanError, work};
use perft_core::board::Board;
use perft_core::{CountError, Counter, Depth, Merge, Passes};

/// With so many units a kill costs little.
const ENOUGH_UNITS: usize = 2000;

/// Units of less depth are not worth a line.
const MIN_UNIT_DEPTH: Depth = 4;

/// The parts into which a count is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The positions after some plies, which share a table.
    Units,
    /// The passes of a count by layers.
    Passes,
}

impl PartKind {
    const ALL: [Self; 2] = [Self::Units, Self::Passes];

    /// The name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Units => "units",
            Self::Passes => "passes",
        }
    }
}

impl fmt::Display for PartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The progress of a count.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointProgress {
    /// The parts.
    pub kind: PartKind,
    /// Their number, if it is known: that of passes is not before the layers above are made.
    pub parts: Option<usize>,
    /// Those that are in the file.
    pub known: usize,
    /// The finished share of the parts that were missing.
    pub share: f64,
}

/// A count whose finished parts are in a file.
pub struct Checkpoint {
    counter: Counter,
    root: Board,
    depth: Depth,
    journal: Journal,
    parts: Parts,
}

/// The parts, and those that are finished.
enum Parts {
    Units(Units),
    Passes {
        passes: Passes,
        /// Those that the last count did not finish, if it came so far.
        left: Option<usize>,
    },
}

struct Units {
    plan: Plan,
    tally: Tally,
}

impl Checkpoint {
    /// Opens the checkpoint of a count, or creates it. A new one has passes if the counter counts by
    /// layers.
    ///
    /// # Errors
    /// If the file is not a checkpoint of this count, or not one that this counter can go on with. It
    /// is left as it is then.
    pub fn open(
        path: &Path,
        root: &Board,
        depth: Depth,
        counter: &Counter,
    ) -> Result<Self, FileError> {
        let mut parts = None;
        let journal = Journal::open(path, |place, line| match &mut parts {
            None => {
                parts = Some(Parts::of_header(root, depth, counter, &place, line)?);
                Ok(())
            }
            Some(parts) => parts.add(root, depth, place, line),
        })?;
        let is_new = journal.is_empty();
        let parts = match parts.filter(|_| !is_new) {
            Some(parts) => parts,
            None => match Passes::new(counter, root, depth) {
                Some(passes) => Parts::Passes { passes, left: None },
                None => Parts::units(root, depth, journal.name())?,
            },
        };
        let mut checkpoint = Self { counter: counter.clone(), root: *root, depth, journal, parts };
        if is_new {
            checkpoint.write_header()?;
        }
        Ok(checkpoint)
    }

    fn write_header(&mut self) -> Result<(), FileError> {
        let header = match &self.parts {
            Parts::Units(units) => header_of_units(units.tally.header()),
            Parts::Passes { .. } => header_of_passes(&self.root, self.depth),
        };
        let fields = header.iter().map(|(field, value)| format!("\"{field}\":{value}"));
        self.journal.append(&format!("{{{}}}", fields.collect::<Vec<_>>().join(",")))?;
        self.journal.sync()
    }

    /// The parts into which the count is cut.
    pub fn kind(&self) -> PartKind {
        self.parts.kind()
    }

    /// The number of parts, if it is known: that of passes is not before the layers above are made.
    pub fn parts(&self) -> Option<usize> {
        match &self.parts {
            Parts::Units(units) => Some(units.plan.units.len()),
            Parts::Passes { passes, .. } if passes.missing().is_empty() => {
                Some(passes.finished().len())
            }
            Parts::Passes { passes, left } => left.map(|left| passes.finished().len() + left),
        }
    }

    /// The number of parts that are finished.
    pub fn known(&self) -> usize {
        match &self.parts {
            Parts::Units(units) => units.tally.known(),
            Parts::Passes { passes, .. } => passes.finished().len(),
        }
    }

    /// Counts the other parts, and calls `on_progress` after each and about ten times a second
    /// during passes. Returns the total, or `None` if the counter is cancelled before the last.
    ///
    /// If layers fail before a pass is finished, and no way to merge was asked for, the count is cut
    /// into units, and the file is begun anew.
    ///
    /// # Errors
    /// If a line cannot be written, a count does not fit into 128 bits, or the passes cannot be
    /// finished; the file keeps those that are.
    pub fn count(
        &mut self,
        mut on_progress: impl FnMut(&CheckpointProgress),
    ) -> Result<Option<u128>, FileError> {
        let counted = self.count_parts(&mut on_progress);
        self.journal.sync()?;
        let error = match counted {
            Err(FileError::Count(error)) => error,
            counted => return counted,
        };
        let why = match error {
            CountError::Cancelled(_) => return Ok(None),
            CountError::OutOfMemory if self.kind() == PartKind::Passes => {
                "the memory does not hold its passes; give a larger --hash, or a new file and \
                 --merge table"
            }
            CountError::Overflow if self.kind() == PartKind::Passes => {
                "more than 2^64 lines lead to a position of a pass; give a new file and --merge \
                 table"
            }
            error => return Err(error.into()),
        };
        if self.known() > 0 || self.counter.get_merge() != Merge::Auto {
            return Err(FileError::File(format!("{}: {why}", self.journal.name())));
        }
        self.parts = Parts::units(&self.root, self.depth, self.journal.name())?;
        self.journal.clear()?;
        self.write_header()?;
        let counted = self.count_parts(&mut on_progress);
        self.journal.sync()?;
        counted
    }

    fn count_parts(
        &mut self,
        on_progress: &mut dyn FnMut(&CheckpointProgress),
    ) -> Result<Option<u128>, FileError> {
        let Self { ref counter, ref root, depth, ref mut journal, ref mut parts } = *self;
        match parts {
            Parts::Units(units) => {
                units.count(&counter.for_units(root, depth), journal, on_progress)
            }
            Parts::Passes { passes, left } => {
                *left = None;
                let now = Cell::new(CheckpointProgress {
                    kind: PartKind::Passes,
                    parts: None,
                    known: passes.finished().len(),
                    share: 0.0,
                });
                let on_progress = RefCell::new(on_progress);
                let counted = passes.count(
                    |progress| {
                        now.set(CheckpointProgress { share: progress.share, ..now.get() });
                        on_progress.borrow_mut()(&now.get());
                    },
                    |pass, now_left| {
                        journal.append(&PassLine::new(root, depth, pass).to_string())?;
                        let known = now.get().known + 1;
                        *left = Some(now_left);
                        let parts = Some(known + now_left);
                        now.set(CheckpointProgress { parts, known, ..now.get() });
                        on_progress.borrow_mut()(&now.get());
                        Ok::<(), FileError>(())
                    },
                );
                counted.map(Some)
            }
        }
    }
}

impl Parts {
    fn kind(&self) -> PartKind {
        match self {
            Self::Units(_) => PartKind::Units,
            Self::Passes { .. } => PartKind::Passes,
        }
    }

    /// The units of a count, none of them finished, for a file of this name.
    fn units(root: &Board, depth: Depth, file: &str) -> Result<Self, FileError> {
        let plan = cut(root, depth)?;
        let tally = Tally::of_plan(&plan, Place { file: file.into(), line: 1 });
        Ok(Self::Units(Units { plan, tally }))
    }

    /// The parts by the first line of a file.
    fn of_header(
        root: &Board,
        depth: Depth,
        counter: &Counter,
        place: &Place,
        line: &str,
    ) -> Result<Self, FileError> {
        let found: Value = serde_json::from_str(line).unwrap_or_default();
        if found.get(FORMAT).is_none() {
            return Err(place.error("not a checkpoint; give --checkpoint a new file"));
        }
        let kind = PartKind::ALL.into_iter().find(|kind| found[PARTS] == kind.name());
        let by_layers = counter.clone().merge(Merge::Layers);
        let passes = Passes::new(counter, root, depth);
        let passes = passes.or_else(|| Passes::new(&by_layers, root, depth));
        let asked = counter.get_merge();
        let refuse = |why: &str| {
            Err(place.error(format!("a checkpoint of {why}, or give --checkpoint a new file")))
        };
        match kind {
            None => {
                let parts = &found[PARTS];
                Err(place.error(format!(
                    "not a checkpoint of this version: its {PARTS} are {parts}; give --checkpoint \
                     a new file"
                )))
            }
            Some(PartKind::Units) => {
                let units = Self::units(root, depth, &place.file)?;
                if let Self::Units(units) = &units {
                    check_header(&header_of_units(units.tally.header()), &found, place)?;
                }
                match asked == Merge::Layers && passes.is_some() {
                    true => refuse("units, not of passes; leave out --merge layers"),
                    false => Ok(units),
                }
            }
            Some(PartKind::Passes) => {
                check_header(&header_of_passes(root, depth), &found, place)?;
                match passes {
                    _ if matches!(asked, Merge::Table | Merge::None) => {
                        refuse(&format!("passes, not of units; leave out --merge {asked}"))
                    }
                    _ if counter.get_memory() == 0 => {
                        refuse("passes, which need memory; leave out --hash 0")
                    }
                    Some(passes) => Ok(Self::Passes { passes, left: None }),
                    None => refuse(
                        "passes, for which this kernel or these sliders have no code; leave out \
                         --kernel and --sliders",
                    ),
                }
            }
        }
    }

    /// Adds a part that is in the file.
    fn add(
        &mut self,
        root: &Board,
        depth: Depth,
        place: Place,
        line: &str,
    ) -> Result<(), FileError> {
        match self {
            Self::Units(units) => {
                let result = ResultLine::parse(line).map_err(|error| place.error(error))?;
                units.tally.add(place, result)
            }
            Self::Passes { passes, .. } => {
                let found = PassLine::parse(line).map_err(|error| place.error(error))?;
                let again = "remove the line, and its pass is counted again";
                if found != PassLine::new(root, depth, &found.pass()) {
                    return Err(place
                        .error(format!("a pass of another position, depth or version; {again}")));
                }
                let added = passes.add(found.pass());
                added.map_err(|error| place.error(format!("{error}; {again}")))
            }
        }
    }
}

impl Units {
    /// Counts the units that are missing. Returns `None` if the counter is cancelled before the last.
    fn count(
        &mut self,
        counter: &Counter,
        journal: &mut Journal,
        on_progress: &mut dyn FnMut(&CheckpointProgress),
    ) -> Result<Option<u128>, FileError> {
        let Self { plan, tally } = self;
        let rest = plan.rest();
        let mut missing: Vec<Board> = plan.units.iter().map(|unit| plan.board(unit)).collect();
        missing.retain(|board| tally.is_missing(UnitId(board.hash())));
        let (before, all) = (tally.known(), missing.len());
        let tasks = missing.into_iter().map(|board| Ok((board, rest, UnitId(board.hash()))));
        work(counter, tasks, |id, nodes, time| {
            let result = ResultLine::new(id, rest, nodes, time, false);
            let place = journal.append(&result.to_string())?;
            tally.add(place, result)?;
            let known = tally.known();
            on_progress(&CheckpointProgress {
                kind: PartKind::Units,
                parts: Some(plan.units.len()),
                known,
                share: (known - before) as f64 / all as f64,
            });
            Ok::<(), FileError>(())
        })?;
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

/// The field that says into which parts a count is cut.
const PARTS: &str = "parts";

/// The fields of the first line of a checkpoint: all that has to be the same for a count to be
/// resumed.
type CheckpointHeader = Vec<(&'static str, Value)>;

fn header_of_units(plan: &Header) -> CheckpointHeader {
    vec![
        (FORMAT, 1.into()),
        (PARTS, PartKind::Units.name().into()),
        ("fen", plan.root.to_string().into()),
        ("chess960", is_chess960(&plan.root).into()),
        ("depth", plan.depth.into()),
        ("ply", plan.ply.into()),
        ("version", VERSION.into()),
        ("keys", key_names(false).into()),
        ("checksum", format!("{:016x}", plan.checksum).into()),
    ]
}

fn header_of_passes(root: &Board, depth: Depth) -> CheckpointHeader {
    vec![
        (FORMAT, 2.into()),
        (PARTS, PartKind::Passes.name().into()),
        ("fen", root.to_string().into()),
        ("chess960", is_chess960(root).into()),
        ("depth", depth.into()),
        ("ply", Passes::ply(depth).into()),
        ("halves", Passes::HALVES.into()),
        ("version", VERSION.into()),
    ]
}

/// Checks that a line is this header.
fn check_header(header: &CheckpointHeader, found: &Value, place: &Place) -> Result<(), FileError> {
    match header.iter().find(|(field, expected)| found[field] != *expected) {
        None => Ok(()),
        Some((field, expected)) => Err(place.error(format!(
            "not a checkpoint of this count: its {field} is {}, not {expected}",
            found[field]
        ))),
    }
}

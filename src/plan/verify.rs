//! Verification of a plan and its results, and their total.
//!
//! A [`Tally`] holds the units of a plan and merges results. It has a total once every unit has a
//! result. An audit counts a sample of the units again.

use std::fs;
use std::ops::Not;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::lines::{Header, ResultLine, UnitId, UnitLine, VERSION};
use super::reader::{FileError, LineReader, Place, TextLine, read_units};
use super::{Plan, total, work};
use perft_core::random::Rng;
use perft_core::sys::CancelToken;
use perft_core::{CountError, Counter, Stats, Table};

/// Results that contradict each other.
#[derive(Debug, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Disagreement {
    /// Two versions of the program made the results.
    #[error(
        "results of two versions: {} in {}, {} in {}",
        .0[0].version.escape_debug(), .0[0].place, .0[1].version.escape_debug(), .0[1].place
    )]
    Versions([VersionAt; 2]),
    /// A unit has two counts.
    #[error(
        "unit {id} has two counts, {} and {}:\n{}\n{}",
        results[0].nodes, results[1].nodes, results[0].text, results[1].text
    )]
    Conflict {
        /// The unit.
        id: UnitId,
        /// Its counts.
        results: [CountAt; 2],
    },
}

impl From<Disagreement> for FileError {
    fn from(disagreement: Disagreement) -> Self {
        Self::Disagreement(Box::new(disagreement))
    }
}

/// The version of a result.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct VersionAt {
    /// The version.
    pub version: String,
    /// The place of the result.
    #[serde(skip)]
    pub place: Place,
}

/// A count and its origin: a line of a file, or an audit.
#[derive(Clone, Debug, Serialize)]
pub struct CountAt {
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The number of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Whether it was counted again.
    #[serde(skip_serializing_if = "Not::not")]
    pub audit: bool,
    /// The count.
    pub nodes: u128,
    /// The place and the line there, or the count where it cannot be read again.
    #[serde(skip)]
    pub text: String,
}

impl CountAt {
    fn new(&Found { nodes, ref place, .. }: &Found) -> Self {
        let line = read_again(place).unwrap_or_else(|| format!("{nodes} nodes"));
        let text = format!("{place}: {line}");
        let (file, line) = (Some(place.file.to_string()), Some(place.line));
        Self { file, line, audit: false, nodes, text }
    }

    fn of_audit(nodes: u128) -> Self {
        let text = format!("counted again with other keys: {nodes} nodes");
        Self { file: None, line: None, audit: true, nodes, text }
    }
}

/// A line of a file. A pipe cannot be read again.
fn read_again(place: &Place) -> Option<String> {
    let path = Path::new(&*place.file);
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let lines = LineReader::open(path, &CancelToken::new()).ok()?;
    let mut lines = lines.map_while(Result::ok);
    lines.find(|line| line.place == *place).map(|line| line.text)
}

/// The units of a plan, and their results.
pub struct Tally {
    /// The name of the plan, for messages.
    name: String,
    header: Header,
    units: FxHashMap<UnitId, UnitTally>,
    /// The number of units that have a result.
    known: usize,
    version: Option<VersionAt>,
}

struct UnitTally {
    multiplicity: u64,
    result: Option<Found>,
}

/// A result and its place.
struct Found {
    nodes: u128,
    stats: Option<Box<Stats>>,
    place: Place,
}

impl Found {
    /// Whether two results of a unit do not contradict each other.
    fn agrees(&self, other: &Self) -> bool {
        let same_stats = match (&self.stats, &other.stats) {
            (Some(stats), Some(others)) => stats == others,
            _ => true,
        };
        self.nodes == other.nodes && same_stats
    }
}

impl Tally {
    /// Reads a plan, and checks that it is whole.
    ///
    /// # Errors
    /// If it is not.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let name = path.display().to_string();
        let refuse = |why| Err(FileError::File(format!("{name}{why}")));
        if path == Path::new("-") || fs::metadata(path).is_ok_and(|kind| !kind.is_file()) {
            return refuse(": a plan is read twice and has to be a plain file".to_owned());
        }
        let mut lines = LineReader::open(path, &CancelToken::new())?;
        let Some(first) = lines.next().transpose()? else {
            return refuse(": empty, not a plan".to_owned());
        };
        let header = Header::parse(&first.text).map_err(|error| {
            let message = format!("not the header of a plan (perft total PLAN RESULTS): {error}");
            first.place.error(message)
        })?;
        if header.ply > Plan::MAX_PLY {
            let (ply, max) = (header.ply, Plan::MAX_PLY);
            return Err(first.place.error(format!("a cut after {ply} plies, {max} at most")));
        }
        let mut tally = Self::new(name.clone(), header);
        for line in lines {
            tally.read_unit(line?)?;
        }
        let found = tally.header_of(tally.units.iter());
        if found != header {
            return refuse(format!(
                ": the units are not those of the header: {} of {} units, total multiplicity {} of \
                 {}, checksum {:016x}, not {:016x}",
                found.units,
                header.units,
                found.multiplicity,
                header.multiplicity,
                found.checksum,
                header.checksum
            ));
        }
        let (found, whole) = (header.multiplicity, lines_to_cut(&header)?);
        if whole != Some(found) {
            let whole = whole.map_or(format!("more than {found}"), |whole| whole.to_string());
            return refuse(format!(
                " has units of total multiplicity {found} of {whole}: it is a part of a plan; \
                 give the whole"
            ));
        }
        Ok(tally)
    }

    fn new(name: String, header: Header) -> Self {
        Self { name, header, units: FxHashMap::default(), known: 0, version: None }
    }

    /// The units of a plan that this version counts; `place` has the version.
    pub(super) fn of_plan(plan: &Plan, place: Place) -> Self {
        let mut tally = Self::new("this count".to_owned(), Header::new(plan));
        tally.version = Some(VersionAt { version: VERSION.to_owned(), place });
        tally.units.extend(plan.units.iter().map(|unit| {
            let tally = UnitTally { multiplicity: unit.multiplicity, result: None };
            (UnitId(plan.board(unit).hash()), tally)
        }));
        tally
    }

    fn read_unit(&mut self, TextLine { place, text, .. }: TextLine) -> Result<(), FileError> {
        let unit = UnitLine::parse(&text).map_err(|error| place.error(error))?;
        let (id, depth, rest) = (unit.id(), unit.depth, self.header.rest());
        if depth != rest {
            let message = format!("a unit of depth {depth}, not {rest} as the header has it");
            return Err(place.error(message));
        }
        let tally = UnitTally { multiplicity: unit.multiplicity, result: None };
        match self.units.insert(id, tally) {
            Some(_) => Err(place.error(format!("unit {id} is listed twice"))),
            None => Ok(()),
        }
    }

    /// The header of a plan of some of the units.
    fn header_of<'a>(&self, units: impl Iterator<Item = (&'a UnitId, &'a UnitTally)>) -> Header {
        let Header { root, depth, ply, .. } = self.header;
        Header::of(root, depth, ply, units.map(|(&id, unit)| (id, unit.multiplicity)))
    }

    /// The header of the plan.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The number of units that have a result.
    pub fn known(&self) -> usize {
        self.known
    }

    /// The version of the results, if there are any.
    pub fn version(&self) -> Option<&str> {
        self.version.as_ref().map(|first| &*first.version)
    }

    /// Adds a result.
    ///
    /// # Errors
    /// If it does not belong to the plan, or contradicts an earlier one.
    pub fn add(&mut self, place: Place, result: ResultLine) -> Result<(), FileError> {
        let (id, rest) = (result.id, self.header.rest());
        let version = VersionAt { version: result.version.clone(), place: place.clone() };
        let first = self.version.get_or_insert_with(|| version.clone());
        if first.version != version.version {
            return Err(Disagreement::Versions([first.clone(), version]).into());
        }
        let Some(unit) = self.units.get_mut(&id) else {
            return Err(place.error(format!("unit {id} is not in {}", self.name)));
        };
        if result.depth != rest {
            let message = format!("unit {id} is counted to depth {}, not {rest}", result.depth);
            return Err(place.error(message));
        }
        let stats = result.stats().copied().map(Box::new);
        let found = Found { nodes: result.nodes, stats, place };
        match &mut unit.result {
            Some(first) if !first.agrees(&found) => {
                let results = [first, &found].map(CountAt::new);
                return Err(Disagreement::Conflict { id, results }.into());
            }
            Some(first) if first.stats.is_none() => *first = found,
            Some(_) => {}
            None => {
                unit.result = Some(found);
                self.known += 1;
            }
        }
        Ok(())
    }

    /// Whether a unit of the plan has no result.
    pub fn is_missing(&self, id: UnitId) -> bool {
        self.units.get(&id).is_some_and(|unit| unit.result.is_none())
    }

    /// The units without a result, sorted.
    pub fn missing(&self) -> Vec<UnitId> {
        let mut missing: Vec<UnitId> = self.units.keys().copied().collect();
        missing.retain(|&id| self.is_missing(id));
        missing.sort_unstable();
        missing
    }

    /// The header of a plan of the units without a result.
    pub fn missing_header(&self) -> Header {
        self.header_of(self.units.iter().filter(|(_, unit)| unit.result.is_none()))
    }

    /// The count of the root; `None` while units have no result.
    ///
    /// # Errors
    /// If it does not fit into 128 bits.
    pub fn total(&self) -> Result<Option<u128>, CountError> {
        let count = |unit: &UnitTally| Some((unit.result.as_ref()?.nodes, unit.multiplicity));
        let counts: Option<Vec<_>> = self.units.values().map(count).collect();
        counts.map(total).transpose()
    }

    /// The leaves of the root by the kinds of the moves to them.
    ///
    /// # Errors
    /// If a unit has no statistics, or a number does not fit into 128 bits.
    pub fn stats(&self) -> Result<Stats, FileError> {
        let mut sum = Stats::default();
        for (id, unit) in &self.units {
            match unit.result.as_ref().and_then(|found| found.stats.as_deref()) {
                Some(stats) => sum.add_times(*stats, unit.multiplicity.into())?,
                None => {
                    let message =
                        format!("unit {id} has no statistics; count it with work --stats");
                    return Err(FileError::File(message));
                }
            }
        }
        Ok(sum)
    }

    /// Counts a share of the units in the file of the plan again, chosen by a seed. Returns the
    /// number of units counted, fewer if the counter is cancelled.
    ///
    /// # Errors
    /// If a count is not that of the result, or no unit is chosen.
    pub fn audit(
        &self,
        plan: &Path,
        counter: &Counter,
        share: f64,
        seed: u64,
    ) -> Result<u64, FileError> {
        let is_chosen = |unit: &UnitLine| {
            let hash = unit.board.hash();
            let mut rng = Rng::new(seed ^ (hash >> 64) as u64 ^ hash as u64);
            (rng.next_u64() as f64) < share * 2_f64.powi(64)
        };
        let sample = read_units(plan, counter.cancel_token())?;
        let sample = sample.filter(|unit| unit.as_ref().map_or(true, is_chosen));
        let tasks = sample.map(|unit| Ok(unit?.into_task()));
        let mut audited = 0;
        work(counter, tasks, |unit: UnitLine, nodes, _| {
            audited += 1;
            let id = unit.id();
            match self.units.get(&id).and_then(|unit| unit.result.as_ref()) {
                Some(found) if found.nodes != nodes => {
                    let results = [CountAt::new(found), CountAt::of_audit(nodes)];
                    Err(Disagreement::Conflict { id, results }.into())
                }
                _ => Ok::<(), FileError>(()),
            }
        })?;
        if audited == 0 && !counter.cancel_token().is_cancelled() {
            let message = "the audit selects no unit; give a larger percentage";
            return Err(FileError::File(message.to_owned()));
        }
        Ok(audited)
    }
}

/// The number of lines to the cut; `None` if they are more than the header says.
fn lines_to_cut(header: &Header) -> Result<Option<u128>, CountError> {
    let mut counter = Counter::new().limit(header.multiplicity);
    let bytes = Table::recommended_bytes_for(&header.root, header.ply);
    if bytes > 0
        && let Ok(table) = Table::new(bytes)
    {
        counter = counter.table(Arc::new(table));
    }
    match counter.count(&header.root, header.ply) {
        Ok(lines) => Ok(Some(lines)),
        Err(CountError::LimitExceeded(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

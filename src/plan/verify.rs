//! Verification of a plan and its results, and their total.
//!
//! A [`Tally`] reads a plan and checks that it is whole, then merges files of results. It has a
//! total once every unit has a result. An audit counts a sample of the units again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::lines::{Header, LineError, UnitId, UnitLine};
use super::reader::{BadLine, FileError, LineReader, Place, TextLine, read_results, read_units};
use super::{Plan, checksum, total, work};
use crate::perft::{CountError, Counter, Depth, Table};
use crate::random::Rng;
use crate::sys::CancelToken;

/// The reason why results have no total.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TotalError {
    /// A file cannot be read, or has a wrong line.
    #[error(transparent)]
    File(#[from] FileError),
    /// A count failed.
    #[error(transparent)]
    Count(#[from] CountError),
    /// Results contradict each other.
    #[error(transparent)]
    Disagreement(Box<Disagreement>),
    /// The plan is not a plain file.
    #[error("{0}: a plan is read twice and has to be a plain file")]
    NotPlain(String),
    /// The plan is empty.
    #[error("{0}: empty, not a plan")]
    Empty(String),
    /// The first line of the plan is not a header.
    #[error("{0}: not the header of a plan (perft total PLAN RESULTS): {1}")]
    NotAHeader(Place, LineError),
    /// The cut is above [`Plan::MAX_PLY`].
    #[error("{0}: a cut after {1} plies, {max} at most", max = Plan::MAX_PLY)]
    TooDeep(Place, Depth),
    /// A unit of another depth than the header gives.
    #[error("{0}: a unit of depth {1}, not {2} as the header has it")]
    UnitDepth(Place, Depth, Depth),
    /// A unit that comes up twice.
    #[error("{0}: unit {1} is listed twice")]
    Twice(Place, UnitId),
    /// The units are not those of the header: their number, total multiplicity and checksum, each
    /// as it is and as it should be.
    #[error(
        "{}: the units are not those of the header: {} of {} units, total multiplicity {} of {}, \
         checksum {:016x}, not {:016x}", .0, .1[0], .1[1], .2[0], .2[1], .3[0], .3[1]
    )]
    OtherUnits(String, [u64; 2], [u128; 2], [u64; 2]),
    /// Units and header are those of a part of a plan: the total multiplicity, and that of the
    /// whole plan if it is known.
    #[error(
        "{} has units of total multiplicity {} of {}: it is a part of a plan; give the whole",
        .0, .1, .2.map_or(format!("more than {}", .1), |whole| whole.to_string())
    )]
    Part(String, u128, Option<u128>),
    /// A result of a unit that is not in the plan.
    #[error("{0}: unit {1} is not in {2}")]
    UnknownUnit(Place, UnitId, String),
    /// A result of another depth than its unit.
    #[error("{0}: unit {1} is counted to depth {2}, not {3}")]
    ResultDepth(Place, UnitId, Depth, Depth),
    /// The share chooses no unit.
    #[error("the audit selects no unit; give a larger percentage")]
    EmptyAudit,
}

impl From<Disagreement> for TotalError {
    fn from(disagreement: Disagreement) -> Self {
        Self::Disagreement(Box::new(disagreement))
    }
}

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
        "unit {id} has two counts, {} and {}:\n{}:{}: {}\n{}:{}: {}",
        results[0].nodes, results[1].nodes,
        results[0].file, results[0].line, results[0].text,
        results[1].file, results[1].line, results[1].text
    )]
    Conflict {
        /// The unit.
        id: UnitId,
        /// Its results.
        results: [ResultAt; 2],
    },
    /// A unit has another count in an audit.
    #[error(
        "unit {id} has {} nodes in {}:{} and, counted again with other keys, {}",
        results.0.nodes, results.0.file, results.0.line, results.1.nodes
    )]
    #[serde(rename = "conflict")]
    Audit {
        /// The unit.
        id: UnitId,
        /// Its result, and the count of the audit.
        results: (ResultAt, Recount),
    },
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

/// A result and its place.
#[derive(Clone, Debug, Serialize)]
pub struct ResultAt {
    /// The file.
    pub file: String,
    /// The number of the line.
    pub line: usize,
    /// The count.
    pub nodes: u128,
    /// The line, or the count where it cannot be read again.
    #[serde(skip)]
    pub text: String,
}

impl ResultAt {
    fn new(&(nodes, ref place): &(u128, Place)) -> Self {
        let text = read_again(place).unwrap_or_else(|| format!("{nodes} nodes"));
        Self { file: place.file.to_string(), line: place.line, nodes, text }
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

/// The count of a unit in an audit.
#[derive(Clone, Debug, Serialize)]
pub struct Recount {
    /// Always true; marks a recount.
    pub audit: bool,
    /// The count.
    pub nodes: u128,
}

/// A whole plan and the results of its units.
pub struct Tally {
    path: PathBuf,
    header: Header,
    units: FxHashMap<UnitId, UnitTally>,
    unit_cost: f64,
    version: Option<VersionAt>,
}

struct UnitTally {
    multiplicity: u64,
    result: Option<(u128, Place)>,
}

impl Tally {
    /// Reads a plan, and checks that it is whole.
    ///
    /// # Errors
    /// If it is not.
    pub fn open(path: &Path) -> Result<Self, TotalError> {
        let name = || path.display().to_string();
        if path == Path::new("-") || fs::metadata(path).is_ok_and(|kind| !kind.is_file()) {
            return Err(TotalError::NotPlain(name()));
        }
        let mut lines = LineReader::open(path, &CancelToken::new())?;
        let first = lines.next().ok_or_else(|| TotalError::Empty(name()))??;
        let (place, text) = (first.place, first.text);
        let header = match Header::parse(&text) {
            Ok(header) if header.ply > Plan::MAX_PLY => {
                return Err(TotalError::TooDeep(place, header.ply));
            }
            Ok(header) => header,
            Err(error @ LineError::Format(_)) => return Err(FileError::Line(place, error).into()),
            Err(error) => return Err(TotalError::NotAHeader(place, error)),
        };
        let mut tally = Self {
            path: path.to_owned(),
            units: FxHashMap::default(),
            unit_cost: 0.0,
            version: None,
            header,
        };
        tally.read_units(lines)?;
        tally.check_units()?;
        Ok(tally)
    }

    fn read_units(&mut self, lines: LineReader) -> Result<(), TotalError> {
        for line in lines {
            let TextLine { place, text, .. } = line?;
            let unit = match UnitLine::parse(&text) {
                Ok(unit) => unit,
                Err(error) => return Err(FileError::Line(place, error).into()),
            };
            if unit.depth != self.header.rest() {
                return Err(TotalError::UnitDepth(place, unit.depth, self.header.rest()));
            }
            if self.units.is_empty() {
                self.unit_cost = unit.cost;
            }
            let known = UnitTally { multiplicity: unit.multiplicity, result: None };
            if self.units.insert(unit.id(), known).is_some() {
                return Err(TotalError::Twice(place, unit.id()));
            }
        }
        Ok(())
    }

    /// Checks the units against the header, and the header against the root.
    fn check_units(&self) -> Result<(), TotalError> {
        let plan = || self.path.display().to_string();
        let (found, header) = (self.header_of(self.units.iter()), &self.header);
        if found != *header {
            let units = [found.units, header.units];
            let multiplicity = [found.multiplicity, header.multiplicity];
            let checksum = [found.checksum, header.checksum];
            return Err(TotalError::OtherUnits(plan(), units, multiplicity, checksum));
        }
        let found = header.multiplicity;
        match lines_to_cut(header)? {
            Some(all) if all == found => Ok(()),
            whole => Err(TotalError::Part(plan(), found, whole)),
        }
    }

    /// The header of a plan of some of the units.
    fn header_of<'a>(&self, units: impl Iterator<Item = (&'a UnitId, &'a UnitTally)>) -> Header {
        let root_checksum = self.header.root_checksum();
        let empty = Header { units: 0, multiplicity: 0, checksum: root_checksum, ..self.header };
        units.fold(empty, |header, (id, unit)| Header {
            units: header.units + 1,
            multiplicity: header.multiplicity + u128::from(unit.multiplicity),
            checksum: header.checksum.wrapping_add(checksum(
                id.0,
                header.rest(),
                unit.multiplicity,
            )),
            ..header
        })
    }

    /// The header of the plan.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// An estimate of the leaves of one unit.
    pub fn unit_cost(&self) -> f64 {
        self.unit_cost
    }

    /// The version of the results, if there are any.
    pub fn version(&self) -> Option<&str> {
        self.version.as_ref().map(|first| &*first.version)
    }

    /// Merges a file of results. Calls `on_bad_line` with lines that are cut off. Ends early if it
    /// is cancelled.
    ///
    /// # Errors
    /// If a result does not belong to the plan, or contradicts an earlier one.
    pub fn add(
        &mut self,
        path: &Path,
        cancel: &CancelToken,
        on_bad_line: impl FnMut(BadLine),
    ) -> Result<(), TotalError> {
        let rest = self.header.rest();
        for result in read_results(path, cancel, on_bad_line)? {
            let (place, result) = result?;
            let id = result.id;
            let version = VersionAt { version: result.version, place: place.clone() };
            match &self.version {
                None => self.version = Some(version),
                Some(first) if first.version != version.version => {
                    return Err(Disagreement::Versions([first.clone(), version]).into());
                }
                Some(_) => {}
            }
            let Some(unit) = self.units.get_mut(&id) else {
                return Err(TotalError::UnknownUnit(place, id, self.path.display().to_string()));
            };
            if result.depth != rest {
                return Err(TotalError::ResultDepth(place, id, result.depth, rest));
            }
            let found = (result.nodes, place);
            match &unit.result {
                None => unit.result = Some(found),
                Some(first) if first.0 == found.0 => {}
                Some(first) => {
                    let results = [first, &found].map(ResultAt::new);
                    return Err(Disagreement::Conflict { id, results }.into());
                }
            }
        }
        Ok(())
    }

    /// The units without a result, sorted.
    pub fn missing(&self) -> Vec<UnitId> {
        let mut missing: Vec<UnitId> = self.missing_units().map(|(&id, _)| id).collect();
        missing.sort_unstable();
        missing
    }

    fn missing_units(&self) -> impl Iterator<Item = (&UnitId, &UnitTally)> {
        self.units.iter().filter(|(_, unit)| unit.result.is_none())
    }

    /// The units without a result, as the header and the lines of a plan.
    ///
    /// # Errors
    /// If the plan cannot be read again.
    pub fn missing_plan(
        &self,
    ) -> Result<(Header, impl Iterator<Item = Result<UnitLine, FileError>>), FileError> {
        let is_missing =
            |unit: &UnitLine| self.units.get(&unit.id()).is_some_and(|unit| unit.result.is_none());
        let units = read_units(&self.path, &CancelToken::new())?;
        let units = units.filter(move |unit| unit.as_ref().map_or(true, is_missing));
        Ok((self.header_of(self.missing_units()), units))
    }

    /// The count of the root; `None` while units have no result.
    ///
    /// # Errors
    /// If it does not fit into 128 bits.
    pub fn total(&self) -> Result<Option<u128>, CountError> {
        let count = |unit: &UnitTally| Some((unit.result.as_ref()?.0, unit.multiplicity));
        let counts: Option<Vec<_>> = self.units.values().map(count).collect();
        counts.map(total).transpose()
    }

    /// Counts a share of the units again, chosen by a seed. Returns the number of units counted,
    /// fewer if the counter is cancelled.
    ///
    /// # Errors
    /// If a count is not that of the result, or no unit is chosen.
    pub fn audit(&self, counter: &Counter, share: f64, seed: u64) -> Result<u64, TotalError> {
        let is_chosen = |unit: &UnitLine| {
            let hash = unit.board.hash();
            let mut rng = Rng::new(seed ^ (hash >> 64) as u64 ^ hash as u64);
            (rng.next_u64() as f64) < share * 2_f64.powi(64)
        };
        let sample = read_units(&self.path, counter.cancel_token())?;
        let sample = sample.filter(|unit| unit.as_ref().map_or(true, is_chosen));
        let tasks = sample.map(|unit| Ok(unit?.into_task()));
        let mut audited = 0;
        work(counter, tasks, |unit: UnitLine, nodes, _| {
            audited += 1;
            let (id, recount) = (unit.id(), Recount { audit: true, nodes });
            match self.units.get(&id).and_then(|unit| unit.result.as_ref()) {
                Some(found) if found.0 != nodes => {
                    Err(Disagreement::Audit { id, results: (ResultAt::new(found), recount) }.into())
                }
                _ => Ok::<(), TotalError>(()),
            }
        })?;
        if audited == 0 && !counter.cancel_token().is_cancelled() {
            return Err(TotalError::EmptyAudit);
        }
        Ok(audited)
    }
}

/// The number of lines to the cut; `None` if they are more than the header says.
fn lines_to_cut(header: &Header) -> Result<Option<u128>, CountError> {
    /// Enough for the deepest cuts.
    const TABLE_BYTES: usize = 64 << 20;
    /// Up to this ply a table does not pay.
    const MAX_PLY_WITHOUT_TABLE: Depth = 6;
    let mut counter = Counter::new().limit(header.multiplicity);
    if header.ply > MAX_PLY_WITHOUT_TABLE
        && let Ok(table) = Table::new(TABLE_BYTES)
    {
        counter = counter.table(Arc::new(table));
    }
    match counter.count(&header.root, header.ply) {
        Ok(lines) => Ok(Some(lines)),
        Err(CountError::LimitExceeded(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Board;
    use crate::plan::lines::ResultLine;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no files")]
    fn results_are_merged_verified_and_added_up() {
        let dir = std::env::temp_dir().join(format!("perft-tally-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let write = |name: &str, lines: &[String]| {
            let path = dir.join(name);
            fs::write(&path, lines.join("\n")).unwrap();
            path
        };
        let plan = Plan::new(&Board::startpos(), 4, 2, |_, _| {}).unwrap();
        let units: Vec<_> = plan.units.iter().map(|unit| UnitLine::new(&plan, unit)).collect();
        let mut lines = vec![Header::new(&plan).to_string()];
        lines.extend(units.iter().map(UnitLine::to_string));
        let result = |unit: &UnitLine, wrong: u128| {
            let nodes = crate::perft::perft(&unit.board, unit.depth).unwrap() + wrong;
            ResultLine::new(unit.id(), unit.depth, nodes, Duration::ZERO, false).to_string()
        };
        let results: Vec<String> = units.iter().map(|unit| result(unit, 0)).collect();

        let path = write("plan", &lines);
        let mut tally = Tally::open(&path).unwrap();
        let (cancel, counter) = (CancelToken::new(), Counter::new());
        let add = |tally: &mut Tally, lines: &[String]| {
            tally.add(&write("results", lines), &cancel, |bad| panic!("{bad}"))
        };
        add(&mut tally, &results[1..]).unwrap();
        assert_eq!((tally.total(), tally.missing()), (Ok(None), vec![units[0].id()]));
        let (header, missing) = tally.missing_plan().unwrap();
        assert_eq!((header.units, header.multiplicity), (1, 1));
        assert!(missing.map(|unit| unit.unwrap().id()).eq([units[0].id()]));
        add(&mut tally, &results).unwrap();
        assert_eq!((tally.total(), tally.missing()), (Ok(Some(197_281)), vec![]));
        assert_eq!(tally.audit(&counter, 1.0, 1).unwrap(), 400);
        assert!(matches!(tally.audit(&counter, 0.0, 1), Err(TotalError::EmptyAudit)));

        let disagreement = |added| match added {
            Err(TotalError::Disagreement(disagreement)) => {
                serde_json::to_string(&disagreement).unwrap()
            }
            _ => panic!("they agree"),
        };
        let json = disagreement(add(&mut tally, &[result(&units[7], 1)]));
        assert!(
            json.starts_with("{\"conflict\":{\"id\":\"") && json.contains("\"line\":7"),
            "{json}"
        );
        let other = results[7].replace("\"version\":\"", "\"version\":\"9");
        let json = disagreement(add(&mut tally, &[other]));
        assert!(json.starts_with("{\"versions\":[\""), "{json}");

        for (number, unit) in [(0, "{}"), (5, "{}"), (5, &lines[6]), (400, "")] {
            let mut wrong = lines.clone();
            wrong[number] = unit.to_owned();
            assert!(Tally::open(&write("wrong", &wrong)).is_err(), "{number}: {unit}");
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}

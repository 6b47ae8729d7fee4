//! Plans and results as lines of JSON.
//!
//! A plan is a [`Header`] and a [`UnitLine`] for each position; results are [`ResultLine`]s. A
//! [`PassLine`] is a finished part of a count by layers. Unknown fields are accepted.

use std::borrow::Cow;
use std::fmt;
use std::ops::Not;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Plan, Unit};
use perft_core::board::Board;
use perft_core::random::checksum;
use perft_core::types::CastlingMode;
use perft_core::{Depth, Pass, Stats, estimate};

/// The version that results carry. Results of different versions are not added up.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line stops in the middle, as the last one of a killed program does.
    #[error("the line is cut off")]
    Torn,
    /// The line is not a JSON object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A field is missing or has a wrong value.
    #[error("{0}")]
    Field(String),
}

/// The name of a unit: the hash of its position, the same in every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub u128);

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for UnitId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UnitId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let is_id = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = u128::from_str_radix(&text, 16).ok().filter(|_| is_id);
        id.map(Self).ok_or_else(|| D::Error::custom("an id has 32 hexadecimal digits"))
    }
}

/// The first line of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The position to count from.
    pub root: Board,
    /// The depth of the whole count.
    pub depth: Depth,
    /// The ply of the cut.
    pub ply: Depth,
    /// The number of units that follow.
    pub units: u64,
    /// The sum of their multiplicities.
    pub multiplicity: u128,
    /// A checksum of the root and of all units in any order.
    pub checksum: u64,
}

/// A header as it is written.
#[derive(Serialize, Deserialize)]
struct HeaderJson<'a> {
    perft_plan: u64,
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(default)]
    chess960: bool,
    depth: Depth,
    ply: Depth,
    units: u64,
    multiplicity: u128,
    #[serde(borrow)]
    checksum: Cow<'a, str>,
}

impl Header {
    /// The number of the format.
    const FORMAT: u64 = 2;

    /// The header of a plan.
    pub fn new(plan: &Plan) -> Self {
        let units = plan.units.iter();
        let units = units.map(|unit| (UnitId(plan.board(unit).hash()), unit.multiplicity));
        Self::of(plan.root, plan.depth, plan.ply, units)
    }

    /// The header of a plan with these units and their multiplicities.
    pub(super) fn of(
        root: Board,
        depth: Depth,
        ply: Depth,
        units: impl Iterator<Item = (UnitId, u64)>,
    ) -> Self {
        let checksum = checksum_of(root.hash(), depth, ply.into());
        let empty = Self { root, depth, ply, units: 0, multiplicity: 0, checksum };
        units.fold(empty, |header, (id, multiplicity)| Self {
            units: header.units + 1,
            multiplicity: header.multiplicity + u128::from(multiplicity),
            checksum: header.checksum.wrapping_add(checksum_of(id.0, header.rest(), multiplicity)),
            ..header
        })
    }

    /// The depth to which each unit is counted.
    pub fn rest(&self) -> Depth {
        self.depth.saturating_sub(self.ply)
    }

    /// Whether a line is a header: no other line has this field.
    pub fn is_header(line: &str) -> bool {
        line.contains("\"perft_plan\"")
    }

    /// Parses a header.
    ///
    /// # Errors
    /// See [`LineError`].
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let HeaderJson { perft_plan, fen, chess960, depth, ply, units, multiplicity, checksum } =
            parse(line)?;
        if perft_plan != Self::FORMAT {
            let message = format!(
                "plan format {perft_plan} is not that of this version, {}; make the plan again",
                Self::FORMAT
            );
            return Err(LineError::Field(message));
        }
        if ply >= depth {
            return Err(LineError::Field(format!("ply {ply} is not below the depth, {depth}")));
        }
        let checksum = u64::from_str_radix(&checksum, 16)
            .map_err(|_| LineError::Field("the checksum is not hexadecimal".to_owned()))?;
        let root = board(&fen, chess960)?;
        Ok(Self { root, depth, ply, units, multiplicity, checksum })
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { root, depth, ply, units, multiplicity, checksum } = self;
        let json = HeaderJson {
            perft_plan: Self::FORMAT,
            fen: root.to_string().into(),
            chess960: is_chess960(&root),
            depth,
            ply,
            units,
            multiplicity,
            checksum: format!("{checksum:016x}").into(),
        };
        write_json(f, &json)
    }
}

/// A unit of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitLine {
    /// The position; its hash is the unit's id.
    pub board: Board,
    /// The depth to which it is counted.
    pub depth: Depth,
    /// The number of lines that lead to it.
    pub multiplicity: u64,
    /// An estimate of its leaves, 0 if there is none.
    pub cost: f64,
}

/// A unit as it is written.
#[derive(Serialize, Deserialize)]
struct UnitJson<'a> {
    id: UnitId,
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Not::not")]
    chess960: bool,
    depth: Depth,
    multiplicity: u64,
    #[serde(default, serialize_with = "rounded::<4, _>")]
    cost: f64,
}

impl UnitLine {
    /// A unit of a plan.
    pub fn new(plan: &Plan, unit: &Unit) -> Self {
        let (board, depth) = (plan.board(unit), plan.rest());
        Self { board, depth, multiplicity: unit.multiplicity, cost: estimate(&board, depth) }
    }

    /// The name of the unit.
    pub fn id(&self) -> UnitId {
        UnitId(self.board.hash())
    }

    /// The arguments of the unit for [`work`](super::work()).
    pub fn into_task(self) -> (Board, Depth, Self) {
        (self.board, self.depth, self)
    }

    /// Parses a unit, and checks that its id is that of its position.
    ///
    /// # Errors
    /// See [`LineError`].
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let json: UnitJson<'_> = parse(line).map_err(|error| match error {
            LineError::Field(_) if ResultLine::parse(line).is_ok() => {
                LineError::Field("a result, not a unit of a plan".to_owned())
            }
            error => error,
        })?;
        let UnitJson { id, fen, chess960, depth, multiplicity, cost } = json;
        let unit = Self { board: board(&fen, chess960)?, depth, multiplicity, cost };
        if id != unit.id() {
            let right = unit.id();
            return Err(LineError::Field(format!("id {id} is not that of the position, {right}")));
        }
        Ok(unit)
    }
}

impl fmt::Display for UnitLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { board, depth, multiplicity, cost } = self;
        let json = UnitJson {
            id: self.id(),
            fen: board.to_string().into(),
            chess960: is_chess960(&board),
            depth,
            multiplicity,
            cost,
        };
        write_json(f, &json)
    }
}

/// The fields of [`Stats`] in JSON.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Stats")]
struct StatsFields {
    nodes: u128,
    captures: u128,
    en_passants: u128,
    castles: u128,
    promotions: u128,
    checks: u128,
    discovered_checks: u128,
    double_checks: u128,
    checkmates: u128,
}

/// [`Stats`] as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatsObject(#[serde(with = "StatsFields")] pub Stats);

/// The count of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultLine {
    /// The unit.
    pub id: UnitId,
    /// The depth to which it was counted.
    pub depth: Depth,
    /// Its leaves, not times its multiplicity.
    pub nodes: u128,
    /// Its leaves by the kinds of the moves to them, if they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stats: Option<Box<StatsObject>>,
    /// The time that the count took.
    #[serde(default, serialize_with = "rounded::<6, _>")]
    pub seconds: f64,
    /// The version of the program.
    pub version: String,
    /// The keys of the table.
    pub keys: String,
    /// A checksum of the line in which this field is empty.
    line_checksum: String,
}

impl ResultLine {
    /// The result of a unit, counted by this version with a table whose keys are
    /// [swapped](perft_core::Table::with_swapped_keys) or not.
    pub fn new(id: UnitId, depth: Depth, nodes: u128, time: Duration, swapped_keys: bool) -> Self {
        let (version, keys) = (VERSION.to_owned(), key_names(swapped_keys));
        let seconds = time.as_secs_f64();
        let line_checksum = String::new();
        Self { id, depth, nodes, stats: None, seconds, version, keys, line_checksum }.sealed()
    }

    /// The same with the kinds of the leaves, whose number is that of the result.
    #[must_use]
    pub fn with_stats(self, stats: Stats) -> Self {
        Self { nodes: stats.nodes, stats: Some(Box::new(StatsObject(stats))), ..self }.sealed()
    }

    /// The kinds of the leaves, if they were counted.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_deref().map(|stats| &stats.0)
    }

    /// Parses a result, and checks that it is as it was written.
    ///
    /// # Errors
    /// See [`LineError`].
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let result: Self = parse(line)?;
        if result == result.clone().sealed() {
            return match result.stats() {
                Some(stats) if stats.nodes != result.nodes => {
                    let (nodes, others) = (result.nodes, stats.nodes);
                    Err(LineError::Field(format!("{nodes} nodes, and {others} in the statistics")))
                }
                _ => Ok(result),
            };
        }
        Err(LineError::Field(format!("{CHANGED}; remove the line, and its unit is counted again")))
    }

    /// The same with the right checksum.
    fn sealed(mut self) -> Self {
        self.line_checksum.clear();
        self.line_checksum = checksum_of_text(&self.to_string());
        self
    }
}

impl fmt::Display for ResultLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(f, self)
    }
}

/// The reason why a line with a wrong checksum is refused.
const CHANGED: &str = "the checksum is not that of the line, which was changed";

/// A finished pass of a count by layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassLine {
    /// The position of the count.
    pub id: UnitId,
    /// The depth of the count.
    pub depth: Depth,
    /// The first half of the range, and the first one after it.
    halves: [u32; 2],
    /// The leaves of the range.
    nodes: u128,
    /// The version of the program.
    pub version: String,
    /// A checksum of the line in which this field is empty.
    line_checksum: String,
}

impl PassLine {
    /// A pass of a count, made by this version.
    pub fn new(root: &Board, depth: Depth, pass: &Pass) -> Self {
        let halves = [pass.halves.start, pass.halves.end];
        let (version, line_checksum) = (VERSION.to_owned(), String::new());
        let id = UnitId(root.hash());
        Self { id, depth, halves, nodes: pass.nodes, version, line_checksum }.sealed()
    }

    /// The pass.
    pub fn pass(&self) -> Pass {
        let [start, end] = self.halves;
        Pass { halves: start..end, nodes: self.nodes }
    }

    /// Parses a pass, and checks that it is as it was written.
    ///
    /// # Errors
    /// See [`LineError`].
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let parsed: Self = parse(line)?;
        if parsed == parsed.clone().sealed() {
            return Ok(parsed);
        }
        Err(LineError::Field(format!("{CHANGED}; remove the line, and its pass is counted again")))
    }

    /// The same with the right checksum.
    fn sealed(mut self) -> Self {
        self.line_checksum.clear();
        self.line_checksum = checksum_of_text(&self.to_string());
        self
    }
}

impl fmt::Display for PassLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(f, self)
    }
}

/// The checksum of a line.
pub(super) fn checksum_of_text(text: &str) -> String {
    format!("{:016x}", checksum(text.bytes().map(u64::from)))
}

/// A part of the checksum of a plan: that of its root, or of a unit.
fn checksum_of(hash: u128, depth: Depth, multiplicity: u64) -> u64 {
    checksum([hash as u64, (hash >> 64) as u64, depth.into(), multiplicity])
}

/// The name of the keys of a table: their seed, and a mark if they are swapped.
pub(super) fn key_names(swapped: bool) -> String {
    format!("{:016x}{}", Board::HASH_SEED, if swapped { "-swapped" } else { "" })
}

/// Whether a line stops in the middle.
pub(super) fn is_torn(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_err_and(|error| error.is_eof())
}

pub(super) fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, LineError> {
    // A struct would also be read from an array.
    let is_object = line.trim_start().starts_with('{');
    let error = match serde_json::from_str(line) {
        Ok(parsed) if is_object => return Ok(parsed),
        Ok(_) => return Err(LineError::NotAnObject),
        Err(error) => error,
    };
    match serde_json::from_str::<Value>(line) {
        Err(error) if error.is_eof() => Err(LineError::Torn),
        Ok(_) if is_object => {
            Err(LineError::Field(error.to_string().replace(" at line 1 column ", ", column ")))
        }
        _ => Err(LineError::NotAnObject),
    }
}

pub(super) fn write_json(f: &mut fmt::Formatter<'_>, json: &impl Serialize) -> fmt::Result {
    f.write_str(&serde_json::to_string(json).map_err(|_| fmt::Error)?)
}

/// Writes a number with so many digits, or 0 in place of infinity, which JSON lacks.
fn rounded<const DIGITS: usize, S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    let rounded: f64 = format!("{number:.*e}", DIGITS - 1).parse().unwrap_or_default();
    to.serialize_f64(if rounded.is_finite() { rounded } else { 0.0 })
}

pub(super) fn board(fen: &str, chess960: bool) -> Result<Board, LineError> {
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    Board::from_fen(fen, mode).map_err(|error| LineError::Field(error.to_string()))
}

pub(super) fn is_chess960(board: &Board) -> bool {
    board.castling_mode() == CastlingMode::Chess960
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let board = perft_core::positions::by_name("kiwipete").expect("it has a name");
        Plan::new(&board, 5, 2, |_, _| {}).unwrap()
    }

    fn unit() -> UnitLine {
        let plan = plan();
        UnitLine::new(&plan, &plan.units[0])
    }

    fn result() -> ResultLine {
        ResultLine::new(UnitId(1), 1, u128::MAX, Duration::from_millis(1500), true)
    }

    fn result_with_stats() -> ResultLine {
        result().with_stats(Stats { nodes: u128::MAX, captures: 7, ..Stats::default() })
    }

    #[test]
    fn lines_are_read_back() {
        for chess960 in [false, true] {
            let mut plan = plan();
            if chess960 {
                plan.root = plan.root.with_chess960();
            }
            let header = Header::new(&plan);
            assert!(Header::is_header(&header.to_string()));
            assert_eq!(Header::parse(&header.to_string()).as_ref(), Ok(&header));
            let units: Vec<(UnitId, u64)> = plan
                .units
                .iter()
                .map(|unit| {
                    let line = UnitLine::new(&plan, unit).to_string();
                    assert!(!Header::is_header(&line));
                    let again = UnitLine::parse(&line).expect(&line);
                    assert_eq!((again.board, again.depth), (plan.board(unit), 3));
                    (again.id(), again.multiplicity)
                })
                .collect();
            // The checksum changes with everything but the order.
            let header_of = |units: &[(UnitId, u64)]| {
                Header::of(header.root, header.depth, header.ply, units.iter().rev().copied())
            };
            assert_eq!(header_of(&units), header);
            assert_ne!(header_of(&units[1..]).checksum, header.checksum);
            let mut other = units;
            other[7].1 += 1;
            assert_ne!(header_of(&other).checksum, header.checksum);
        }
        for result in [result(), result_with_stats()] {
            assert_eq!(ResultLine::parse(&result.to_string()).as_ref(), Ok(&result));
        }
    }

    fn pass() -> PassLine {
        PassLine::new(&Board::startpos(), 9, &Pass { halves: 7_000..65_536, nodes: u128::MAX })
    }

    #[test]
    fn a_pass_is_read_back_as_it_was_written_or_not_at_all() {
        let line = pass().to_string();
        assert_eq!(PassLine::parse(&line), Ok(pass()));
        for end in 1..line.len() {
            assert_eq!(PassLine::parse(&line[..end]), Err(LineError::Torn));
        }
        for (at, digit) in line.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
            let mut changed = line.clone();
            changed.replace_range(at..=at, if digit == '1' { "2" } else { "1" });
            assert!(PassLine::parse(&changed).is_err(), "{changed}");
        }
        assert!(PassLine::parse(&result().to_string()).is_err());
        assert!(ResultLine::parse(&line).is_err());
    }

    #[test]
    fn every_cut_off_line_is_found() {
        let (unit, result) = (unit().to_string(), result().to_string());
        for end in 1..unit.len() {
            assert_eq!(UnitLine::parse(&unit[..end]), Err(LineError::Torn), "{}", &unit[..end]);
        }
        for end in 1..result.len() {
            assert_eq!(ResultLine::parse(&result[..end]), Err(LineError::Torn));
        }
    }

    #[test]
    fn every_changed_digit_of_a_result_is_found() {
        let result = result_with_stats().to_string();
        for (at, digit) in result.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
            for other in (b'0'..=b'9').filter(|&other| other != digit) {
                let mut changed = result.clone().into_bytes();
                changed[at] = other;
                let changed = String::from_utf8(changed).unwrap();
                assert!(ResultLine::parse(&changed).is_err(), "{changed}");
            }
        }
        let mut other_sum = result_with_stats();
        other_sum.nodes = 1;
        let error = ResultLine::parse(&other_sum.sealed().to_string()).expect_err("two sums");
        assert!(error.to_string().contains("in the statistics"), "{error}");
        // Other white space is not a change.
        assert!(ResultLine::parse(&result.replace(',', ", ")).is_ok());
    }

    #[test]
    fn errors_name_the_culprit() {
        let unit = unit().to_string();
        for (from, to, message) in [
            ("\"depth\":3", "\"depth\":-3", "integer `-3`, expected u8, column "),
            ("\"depth\":3", "\"depth\":3.5", "floating point `3.5`"),
            ("\"depth\":3", "\"depth\":256", "integer `256`, expected u8"),
            ("\"depth\":3", "\"death\":3", "missing field `depth`"),
            ("\"multiplicity\":", "\"multiplicity\":99999999999999999999", "expected u64"),
            ("\"fen\":\"", "\"fen\":\"x", "'x'"),
            ("\"id\":\"", "\"id\":\"0", "an id has 32 hexadecimal digits"),
            (&unit[..10], "{\"id\":\"000", "is not that of the position, "),
            ("{", "[{", "the line is cut off"),
            ("{", "", "not a JSON object"),
            (&unit, &result().to_string(), "a result, not a unit of a plan"),
        ] {
            let wrong = unit.replacen(from, to, 1);
            let error = UnitLine::parse(&wrong).expect_err(&wrong).to_string();
            assert!(error.contains(message), "{error}");
        }
        let fields = "[\"00000000000000000000000000000001\",1,20,0.0,\"1\",\"1\"]";
        assert_eq!(ResultLine::parse(fields), Err(LineError::NotAnObject));
    }

    #[test]
    fn every_number_is_written_as_json() {
        for cost in [0.0, 193_612.3, 1e300, f64::MAX, f64::INFINITY, f64::NAN] {
            let line = UnitLine { cost, ..unit() }.to_string();
            let again = UnitLine::parse(&line).expect(&line);
            assert_eq!(again.to_string(), line);
        }
    }
}

//! Different positions over many machines, as lines of JSON.
//!
//! A unit is a part of the keys of a count. Its line has everything that a machine needs, and so
//! has that of its result, so that a plan has no other lines, and results can be added up without
//! it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Not;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::lines::{LineError, VERSION, board, checksum_of_text, is_chess960, parse, write_json};
use super::reader::{FileError, LineReader, Place, TextLine};
use perft_core::board::Board;
use perft_core::sys::CancelToken;
use perft_core::{Depth, EnPassant, UniqueCount, UniqueError, UniquePart};

/// The highest number of parts.
pub const MAX_PARTS: u32 = 1 << 16;

/// A part of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniqueUnit {
    /// The position to count from.
    pub root: Board,
    /// The plies.
    pub ply: Depth,
    /// The definition of a position.
    pub en_passant: EnPassant,
    /// The part.
    pub part: UniquePart,
}

/// A part that is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueResult {
    /// The part.
    pub unit: UniqueUnit,
    /// Its positions.
    pub positions: u64,
    /// The lines that lead to them.
    pub multiplicity: u128,
    /// The time that it took.
    pub seconds: f64,
    /// The version of the program.
    pub version: String,
}

/// A unit or a result as it is written.
#[derive(Clone, Serialize, Deserialize)]
struct UniqueJson<'a> {
    perft_unique: u64,
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Not::not")]
    chess960: bool,
    ply: Depth,
    #[serde(borrow)]
    en_passant: Cow<'a, str>,
    part: u32,
    parts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    multiplicity: Option<u128>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line_checksum: Option<String>,
}

impl UniqueJson<'_> {
    const FORMAT: u64 = 1;

    fn new(unit: &UniqueUnit) -> Self {
        Self {
            perft_unique: Self::FORMAT,
            fen: unit.root.to_string().into(),
            chess960: is_chess960(&unit.root),
            ply: unit.ply,
            en_passant: unit.en_passant.name().into(),
            part: unit.part.part,
            parts: unit.part.parts,
            positions: None,
            multiplicity: None,
            seconds: None,
            version: None,
            line_checksum: None,
        }
    }

    fn unit(&self) -> Result<UniqueUnit, LineError> {
        let field = |message: String| Err(LineError::Field(message));
        let &Self { perft_unique: format, ply, part, parts, .. } = self;
        if format != Self::FORMAT {
            return field(format!("format {format} is not that of this version; plan again"));
        }
        if parts > MAX_PARTS || part >= parts {
            return field(format!(
                "part {part} of {parts}: it is below their number, {MAX_PARTS} at most"
            ));
        }
        let en_passant = self.en_passant.parse::<EnPassant>();
        let en_passant = en_passant.map_err(|error| LineError::Field(error.to_string()))?;
        let root = board(&self.fen, self.chess960)?;
        Ok(UniqueUnit { root, ply, en_passant, part: UniquePart { part, parts } })
    }
}

impl fmt::Display for UniqueJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(f, self)
    }
}

impl UniqueUnit {
    /// Parses a unit.
    ///
    /// # Errors
    /// See [`LineError`].
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let json: UniqueJson<'_> = parse(line)?;
        if json.positions.is_some() {
            return Err(LineError::Field("a result, not a unit of a plan".to_owned()));
        }
        json.unit()
    }

    /// Whether another unit is a part of the same count.
    pub fn is_of_same_count(&self, other: &Self) -> bool {
        let whole = |unit: &Self| {
            let part = UniquePart { part: 0, ..unit.part };
            Self { part, ..*unit }
        };
        whole(self) == whole(other)
    }
}

impl fmt::Display for UniqueUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        UniqueJson::new(self).fmt(f)
    }
}

impl UniqueResult {
    /// The result of a unit, by this version.
    pub fn new(unit: UniqueUnit, count: &UniqueCount, time: Duration) -> Self {
        let &UniqueCount { positions, multiplicity, .. } = count;
        let seconds = (time.as_secs_f64() * 1e6).round() / 1e6;
        Self { unit, positions, multiplicity, seconds, version: VERSION.to_owned() }
    }

    /// Parses a result, and checks that it is as it was written.
    ///
    /// # Errors
    /// See [`LineError`].
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let json: UniqueJson<'_> = parse(line)?;
        let unit = json.unit()?;
        let UniqueJson { positions, multiplicity, seconds, version, line_checksum, .. } = json;
        let (Some(positions), Some(multiplicity), Some(seconds), Some(version), Some(found)) =
            (positions, multiplicity, seconds, version, line_checksum)
        else {
            return Err(LineError::Field("a unit of a plan, not a result".to_owned()));
        };
        let result = Self { unit, positions, multiplicity, seconds, version };
        if result.json().line_checksum != Some(found) {
            return Err(LineError::Field(
                "the checksum is not that of the line, which was changed; remove the line, and \
                 count its unit again"
                    .to_owned(),
            ));
        }
        Ok(result)
    }

    fn json(&self) -> UniqueJson<'_> {
        let mut json = UniqueJson {
            positions: Some(self.positions),
            multiplicity: Some(self.multiplicity),
            seconds: Some(self.seconds),
            version: Some(self.version.clone()),
            ..UniqueJson::new(&self.unit)
        };
        json.line_checksum = Some(checksum_of_text(&json.to_string()));
        json
    }
}

impl fmt::Display for UniqueResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.json().fmt(f)
    }
}

/// Opens a plan, or a part of one. All units are of one count.
///
/// # Errors
/// If it cannot be read.
pub fn read_unique_units(
    path: &Path,
    cancel: &CancelToken,
) -> Result<impl Iterator<Item = Result<UniqueUnit, FileError>> + use<>, FileError> {
    let mut first = None;
    let parse = move |TextLine { place, text, .. }: TextLine| {
        let unit = UniqueUnit::parse(&text).map_err(|error| place.error(error))?;
        let first = first.get_or_insert(unit);
        if unit.is_of_same_count(first) {
            Ok(unit)
        } else {
            Err(place.error("a unit of another count than the first"))
        }
    };
    let mut parse = parse;
    Ok(LineReader::open(path, cancel)?.map(move |line| line.and_then(&mut parse)))
}

/// The results of a count.
#[derive(Default)]
pub struct UniqueTotal {
    first: Option<(UniqueResult, Place)>,
    /// The result of each part.
    parts: Vec<Option<(u64, u128, Place)>>,
}

impl UniqueTotal {
    /// Reads a file of results. Lines that a kill has cut off are skipped, and given to
    /// `on_bad_line` as an error.
    ///
    /// # Errors
    /// If the file cannot be read, at the first line that is wrong otherwise, or if results are of
    /// two counts or versions, or do not agree.
    pub fn read(
        &mut self,
        path: &Path,
        cancel: &CancelToken,
        mut on_bad_line: impl FnMut(FileError),
    ) -> Result<(), FileError> {
        for line in LineReader::open(path, cancel)? {
            let TextLine { place, text, .. } = line?;
            match UniqueResult::parse(text.trim_matches('\0')) {
                Ok(result) => self.add(place, result)?,
                Err(LineError::Torn) => on_bad_line(place.error("a line is cut off; not counted")),
                Err(error) => return Err(place.error(error)),
            }
        }
        Ok(())
    }

    fn add(&mut self, place: Place, result: UniqueResult) -> Result<(), FileError> {
        let (first, first_place) =
            self.first.get_or_insert_with(|| (result.clone(), place.clone()));
        if !result.unit.is_of_same_count(&first.unit) {
            return Err(place.error(format!("a result of another count than in {first_place}")));
        }
        if result.version != first.version {
            let (this, other) = (&result.version, &first.version);
            return Err(
                place.error(format!("a result of version {this}, and {other} in {first_place}"))
            );
        }
        let UniquePart { part, parts } = result.unit.part;
        self.parts.resize(parts as usize, None);
        let found = (result.positions, result.multiplicity);
        match &self.parts[part as usize] {
            Some((positions, multiplicity, other)) if (*positions, *multiplicity) != found => {
                Err(place.error(format!(
                    "part {part} has {} positions, and {positions} in {other}",
                    found.0
                )))
            }
            Some(_) => Ok(()),
            None => {
                self.parts[part as usize] = Some((found.0, found.1, place));
                Ok(())
            }
        }
    }

    /// A unit of the count; `None` if there is no result.
    pub fn unit(&self) -> Option<UniqueUnit> {
        self.first.as_ref().map(|(result, _)| result.unit)
    }

    /// The units without a result.
    pub fn missing(&self) -> Vec<UniqueUnit> {
        let Some(unit) = self.unit() else { return Vec::new() };
        let missing = (0..).zip(&self.parts).filter(|(_, result)| result.is_none());
        let part = |part| UniquePart { part, ..unit.part };
        missing.map(|(number, _)| UniqueUnit { part: part(number), ..unit }).collect()
    }

    /// The sum of all results so far.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn total(&self) -> Result<UniqueCount, UniqueError> {
        let ply = self.unit().map_or(0, |unit| unit.ply);
        let mut total = UniqueCount { ply, ..UniqueCount::default() };
        for (positions, multiplicity, _) in self.parts.iter().flatten() {
            let positions = total.positions.checked_add(*positions);
            let multiplicity = total.multiplicity.checked_add(*multiplicity);
            let (Some(positions), Some(multiplicity)) = (positions, multiplicity) else {
                return Err(UniqueError::Overflow);
            };
            total = UniqueCount { positions, multiplicity, ..total };
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(part: u32) -> UniqueUnit {
        let root = perft_core::positions::by_name("chess960:5").unwrap_or_else(Board::startpos);
        let part = UniquePart { part, parts: 3 };
        UniqueUnit { root, ply: 4, en_passant: EnPassant::Any, part }
    }

    fn result(part: u32) -> UniqueResult {
        let count = UniqueCount {
            ply: 4,
            positions: 7,
            multiplicity: u128::MAX / 4,
            ..UniqueCount::default()
        };
        UniqueResult::new(unit(part), &count, Duration::from_micros(1_234_567))
    }

    #[test]
    fn lines_are_read_back() {
        assert_eq!(UniqueUnit::parse(&unit(2).to_string()), Ok(unit(2)));
        assert_eq!(UniqueResult::parse(&result(2).to_string()), Ok(result(2)));
        assert!(UniqueResult::parse(&unit(2).to_string()).is_err());
        assert!(UniqueUnit::parse(&result(2).to_string()).is_err());
        let line = unit(2).to_string();
        for (from, to) in [
            ("\"part\":2", "\"part\":3"),
            ("\"parts\":3", "\"parts\":999999"),
            (":1,", ":2,"),
            ("any", "some"),
        ] {
            assert!(UniqueUnit::parse(&line.replacen(from, to, 1)).is_err(), "{to}");
        }
    }

    #[test]
    fn every_changed_digit_of_a_result_is_noticed() {
        let line = result(1).to_string();
        for (place, digit) in line.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
            let mut changed = line.clone();
            let other = if digit == '1' { "0" } else { "1" };
            changed.replace_range(place..=place, other);
            assert!(UniqueResult::parse(&changed).is_err(), "{changed}");
        }
    }

    #[test]
    fn results_are_added_up_once() {
        let place = |line| Place { file: "results".into(), line };
        let mut total = UniqueTotal::default();
        total.add(place(1), result(2)).unwrap();
        total.add(place(2), result(2)).unwrap();
        assert_eq!(total.missing(), [unit(0), unit(1)]);
        total.add(place(3), result(0)).unwrap();
        total.add(place(4), result(1)).unwrap();
        assert!(total.missing().is_empty());
        assert_eq!(total.total().unwrap().positions, 21);
        let other = UniqueResult { positions: 8, ..result(1) };
        assert!(total.add(place(5), other).is_err());
        let mut deeper = result(1);
        deeper.unit.ply = 5;
        assert!(total.add(place(6), deeper).is_err());
        assert!(
            total.add(place(7), UniqueResult { version: "0".to_owned(), ..result(1) }).is_err()
        );
    }
}

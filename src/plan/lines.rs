//! Plans and results as lines of JSON.
//!
//! A plan is a [`Header`] and a [`UnitLine`] for each position; results are [`ResultLine`]s. A
//! unit's id is the key of its position, so that it means the same in every file.

use std::fmt;

use serde_json::Value;

use super::{Plan, Unit, checksum, estimate, root_checksum};
use crate::board::Board;
use crate::perft::Depth;
use crate::types::Variant;

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line stops in the middle, as one of a killed program does.
    #[error("the line is cut off")]
    Torn,
    /// The line is no JSON object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A field is missing or has no fitting value.
    #[error("no field {0:?} with {1}")]
    Field(&'static str, &'static str),
    /// The position is none.
    #[error("{0}")]
    Position(String),
    /// The id is not that of the position.
    #[error("id {0} is not that of the position, {1}")]
    Id(Id, Id),
    /// A header of a format that this version does not know.
    #[error("plan format {0} is not known to this version")]
    Format(u64),
}

/// The name of a unit: the key of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u128);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The first line of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The position to count from.
    pub root: Board,
    /// In which variant its FEN is written.
    pub variant: Variant,
    /// How deep.
    pub depth: Depth,
    /// After how many plies it is cut.
    pub ply: Depth,
    /// How many units follow.
    pub units: u64,
    /// Their ways together.
    pub ways: u128,
    /// A checksum of the root and of all units, whatever their order.
    pub checksum: u64,
}

impl Header {
    const FORMAT: u64 = 1;

    /// The header of a plan.
    pub fn new(plan: &Plan, variant: Variant) -> Self {
        Self {
            root: plan.root,
            variant,
            depth: plan.depth,
            ply: plan.ply,
            units: plan.units.len() as u64,
            ways: plan.ways(),
            checksum: plan.checksum(),
        }
    }

    /// What the root adds to the checksum.
    pub fn root_checksum(&self) -> u64 {
        root_checksum(&self.root, self.depth, self.ply)
    }

    /// Whether a line is one: headers alone have this field.
    pub fn is_one(line: &str) -> bool {
        line.contains("\"perft_plan\"")
    }

    /// Reads a header.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let object = object(line)?;
        match number(&object, "perft_plan")? {
            Self::FORMAT => {}
            other => return Err(LineError::Format(other)),
        }
        let variant = variant(&object)?;
        let hex = text(&object, "checksum")?;
        let checksum = u64::from_str_radix(hex, 16)
            .map_err(|_| LineError::Field("checksum", "a hexadecimal number"))?;
        let (depth, ply): (Depth, Depth) = (number(&object, "depth")?, number(&object, "ply")?);
        if ply >= depth {
            return Err(LineError::Field("ply", "a number below the depth"));
        }
        Ok(Self {
            root: board(text(&object, "fen")?, variant)?,
            variant,
            depth,
            ply,
            units: number(&object, "units")?,
            ways: number(&object, "ways")?,
            checksum,
        })
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variant, depth, ply, units, ways, checksum, .. } = self;
        let (fen, chess960) = (self.root.fen(*variant), *variant == Variant::Chess960);
        write!(
            f,
            "{{\"perft_plan\":{},\"fen\":\"{fen}\",\"chess960\":{chess960},\"depth\":{depth},\
             \"ply\":{ply},\"units\":{units},\"ways\":{ways},\"checksum\":\"{checksum:016x}\"}}",
            Self::FORMAT
        )
    }
}

/// A unit of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitLine {
    /// The position; its key is the unit's id.
    pub board: Board,
    /// In which variant its FEN is written.
    pub variant: Variant,
    /// How deep to count it.
    pub depth: Depth,
    /// In how many ways it comes up.
    pub ways: u64,
    /// About how many leaves it has.
    pub cost: f64,
}

impl UnitLine {
    /// A unit of a plan.
    pub fn new(unit: &Unit, variant: Variant, depth: Depth) -> Self {
        let board = unit.position.board();
        Self { board, variant, depth, ways: unit.ways, cost: estimate(&board, depth) }
    }

    /// The name of the unit.
    pub fn id(&self) -> Id {
        Id(self.board.key())
    }

    /// What it adds to the checksum of its plan.
    pub fn checksum(&self) -> u64 {
        checksum(self.board.key(), self.depth, self.ways)
    }

    /// Reads a unit, and sees that its id is that of its position.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let object = object(line)?;
        let variant = variant(&object)?;
        let unit = Self {
            board: board(text(&object, "fen")?, variant)?,
            variant,
            depth: number(&object, "depth")?,
            ways: number(&object, "ways")?,
            cost: object.get("cost").and_then(Value::as_f64).unwrap_or_default(),
        };
        let id = id(&object)?;
        if id != unit.id() {
            return Err(LineError::Id(id, unit.id()));
        }
        Ok(unit)
    }
}

impl fmt::Display for UnitLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { board, variant, depth, ways, cost } = self;
        let (id, fen) = (self.id(), board.fen(*variant));
        let chess960 = match variant {
            Variant::Standard => "",
            Variant::Chess960 => ",\"chess960\":true",
        };
        write!(
            f,
            "{{\"id\":\"{id}\",\"fen\":\"{fen}\"{chess960},\"depth\":{depth},\"ways\":{ways},\
             \"cost\":{cost:.3e}}}"
        )
    }
}

/// What came out for a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultLine {
    /// Which unit.
    pub id: Id,
    /// How deep it was counted.
    pub depth: Depth,
    /// Its count, once, whatever its ways.
    pub nodes: u128,
    /// How long it took.
    pub seconds: f64,
    /// The version of the program.
    pub version: String,
    /// The keys that the table used.
    pub keys: String,
}

impl ResultLine {
    /// Reads a result.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let object = object(line)?;
        Ok(Self {
            id: id(&object)?,
            depth: number(&object, "depth")?,
            nodes: number(&object, "nodes")?,
            seconds: object.get("seconds").and_then(Value::as_f64).unwrap_or_default(),
            version: text(&object, "version")?.to_owned(),
            keys: text(&object, "keys")?.to_owned(),
        })
    }
}

impl fmt::Display for ResultLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, depth, nodes, seconds, version, keys } = self;
        let (version, keys) = (Value::from(version.as_str()), Value::from(keys.as_str()));
        write!(
            f,
            "{{\"id\":\"{id}\",\"depth\":{depth},\"nodes\":{nodes},\"seconds\":{seconds:.6},\
             \"version\":{version},\"keys\":{keys}}}"
        )
    }
}

type Object = serde_json::Map<String, Value>;

fn object(line: &str) -> Result<Object, LineError> {
    match serde_json::from_str(line) {
        Ok(Value::Object(object)) => Ok(object),
        Err(error) if error.is_eof() => Err(LineError::Torn),
        _ => Err(LineError::NotAnObject),
    }
}

fn text<'a>(object: &'a Object, name: &'static str) -> Result<&'a str, LineError> {
    object.get(name).and_then(Value::as_str).ok_or(LineError::Field(name, "a text"))
}

/// A whole number of the size that is wanted.
fn number<T: std::str::FromStr>(object: &Object, name: &'static str) -> Result<T, LineError> {
    let number = object.get(name).and_then(Value::as_number);
    let number = number.and_then(|number| number.to_string().parse().ok());
    number.ok_or(LineError::Field(name, "a whole number in its range"))
}

fn variant(object: &Object) -> Result<Variant, LineError> {
    match object.get("chess960") {
        None | Some(Value::Bool(false)) => Ok(Variant::Standard),
        Some(Value::Bool(true)) => Ok(Variant::Chess960),
        Some(_) => Err(LineError::Field("chess960", "true or false")),
    }
}

fn board(fen: &str, variant: Variant) -> Result<Board, LineError> {
    Board::from_fen(fen, variant).map_err(|error| LineError::Position(error.to_string()))
}

fn id(object: &Object) -> Result<Id, LineError> {
    let text = text(object, "id")?;
    let wrong = LineError::Field("id", "32 hexadecimal digits");
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong);
    }
    u128::from_str_radix(text, 16).map(Id).map_err(|_| wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let board = crate::positions::by_name("kiwipete").expect("it has a name");
        Plan::new(&board, 5, 2, |_| {}).unwrap()
    }

    #[test]
    fn lines_are_read_back() {
        for variant in [Variant::Standard, Variant::Chess960] {
            let plan = plan();
            let header = Header::new(&plan, variant);
            assert!(Header::is_one(&header.to_string()));
            assert_eq!(Header::parse(&header.to_string()).as_ref(), Ok(&header));
            let mut sum = header.root_checksum();
            for unit in &plan.units {
                let unit = UnitLine::new(unit, variant, plan.rest());
                let line = unit.to_string();
                assert!(!Header::is_one(&line));
                let again =
                    UnitLine::parse(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                assert_eq!((again.board, again.depth, again.ways), (unit.board, 3, unit.ways));
                sum = sum.wrapping_add(again.checksum());
            }
            assert_eq!(sum, header.checksum);
        }
        let result = ResultLine {
            id: Id(7),
            depth: 3,
            nodes: u128::MAX,
            seconds: 0.5,
            version: "0.1.0".to_owned(),
            keys: "\"odd\"".to_owned(),
        };
        assert_eq!(ResultLine::parse(&result.to_string()).as_ref(), Ok(&result));
    }

    #[test]
    fn every_cut_off_line_is_found() {
        let unit = UnitLine::new(&plan().units[0], Variant::Standard, 3).to_string();
        let result = ResultLine {
            id: Id(1),
            depth: 1,
            nodes: 20,
            seconds: 1.0,
            version: "1".to_owned(),
            keys: "1".to_owned(),
        };
        for end in 1..unit.len() {
            assert_eq!(UnitLine::parse(&unit[..end]), Err(LineError::Torn), "{}", &unit[..end]);
        }
        let result = result.to_string();
        for end in 1..result.len() {
            assert_eq!(ResultLine::parse(&result[..end]), Err(LineError::Torn));
        }
    }

    #[test]
    fn what_is_no_unit_is_refused() {
        let unit = UnitLine::new(&plan().units[0], Variant::Standard, 3).to_string();
        for (from, to) in [
            ("\"depth\":3", "\"depth\":-3"),
            ("\"depth\":3", "\"depth\":3.5"),
            ("\"depth\":3", "\"depth\":256"),
            ("\"depth\":3", "\"death\":3"),
            ("\"ways\":", "\"ways\":99999999999999999999"),
            ("\"fen\":\"", "\"fen\":\"x"),
            ("\"id\":\"", "\"id\":\"0"),
            ("{", "[{"),
        ] {
            let wrong = unit.replacen(from, to, 1);
            assert_ne!(wrong, unit);
            assert!(UnitLine::parse(&wrong).is_err(), "{wrong}");
        }
        let digit = unit.find("\"id\":\"").unwrap() + 6;
        let mut other = unit.clone();
        let changed = if &unit[digit..=digit] == "0" { "1" } else { "0" };
        other.replace_range(digit..=digit, changed);
        assert!(matches!(UnitLine::parse(&other), Err(LineError::Id(..))), "{other}");
    }
}

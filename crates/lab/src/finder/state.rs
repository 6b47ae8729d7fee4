//! A packing as text, by which the search goes on later as if it had never stopped.
//!
//! ```text
//! perft magics 1
//! key black
//! seed 1
//! rounds 250
//! rook a1 tries 400000
//! rook a1 0x0060010930000665 12
//! rook a1 0xc9400111b3990001 13 at -1704
//! ...
//! ```
//!
//! A square has a line with the tries spent on it, and a line for each magic: the factor and the
//! width of the index; the one whose table is laid down has its offset too.

use std::fmt;
use std::str::FromStr;

use super::pack::{Candidate, Packing, TABLES, place};
use super::{KeyKind, MagicTarget};
use perft_core::attacks::rays::Slider;
use perft_core::types::Square;

/// The first line of the text.
pub const FIRST_LINE: &str = "perft magics 1\n";

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.key_kind() == KeyKind::Black { "black" } else { "white" };
        write!(f, "{FIRST_LINE}key {key}\nseed {}\nrounds {}\n", self.seed(), self.rounds())?;
        for index in 0..TABLES {
            let (slider, square) = place(index);
            writeln!(f, "{slider} {square} tries {}", self.tries(index))?;
            let placed = self.placed(index);
            for candidate in self.candidates(index) {
                let Candidate { magic, index_bits } = candidate;
                write!(f, "{slider} {square} {magic:#018x} {index_bits}")?;
                match placed.filter(|placed| placed.candidate == candidate) {
                    Some(placed) => writeln!(f, " at {}", placed.offset as i32)?,
                    None => writeln!(f)?,
                }
            }
        }
        Ok(())
    }
}

/// A text that is not a packing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {text:?} is not expected there")]
pub struct BadState {
    /// The line, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
}

impl FromStr for Packing {
    type Err = BadState;

    fn from_str(text: &str) -> Result<Self, BadState> {
        let mut lines = (1..).zip(text.lines());
        let mut head = |name: &str| {
            let (line, text) = lines.next().unwrap_or((1, ""));
            let value = text.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            value.ok_or_else(|| BadState { line, text: text.to_owned() }).map(|value| (line, value))
        };
        let number = |(line, value): (usize, &str)| {
            value.parse().map_err(|_| BadState { line, text: value.to_owned() })
        };
        let (line, version) = head("perft magics")?;
        if version != "1" {
            return Err(BadState { line, text: version.to_owned() });
        }
        let key_kind = match head("key")? {
            (_, "black") => KeyKind::Black,
            (_, "white") => KeyKind::White,
            (line, other) => return Err(BadState { line, text: other.to_owned() }),
        };
        let seed = number(head("seed")?)?;
        let rounds = number(head("rounds")?)?;
        let mut packing = Self::new(key_kind, seed);
        packing.set_rounds(rounds);
        let mut squares: Vec<ReadSquare> = (0..TABLES).map(|_| ReadSquare::default()).collect();
        for (line, text) in lines {
            let words: Vec<&str> = text.split(' ').collect();
            read_line(&mut squares, line, &words)
                .ok_or_else(|| BadState { line, text: text.to_owned() })?;
        }
        for (index, ReadSquare { tries, magics }) in squares.into_iter().enumerate() {
            let candidates: Vec<_> = magics.iter().map(|&(_, candidate, _)| candidate).collect();
            packing.add(index, &candidates, tries);
            for (line, candidate, offset) in magics {
                // A magic with a harmful collision was not added.
                let is_magic = packing.candidates(index).any(|known| known == candidate);
                let is_right =
                    is_magic && offset.is_none_or(|offset| packing.put(index, candidate, offset));
                if !is_right {
                    let text = text.lines().nth(line - 1).unwrap_or_default().to_owned();
                    return Err(BadState { line, text });
                }
            }
        }
        Ok(packing)
    }
}

/// The lines of one square.
#[derive(Default)]
struct ReadSquare {
    tries: u64,
    /// Line, magic, and offset if its table is laid down.
    magics: Vec<(usize, Candidate, Option<u32>)>,
}

fn read_line(squares: &mut [ReadSquare], line: usize, words: &[&str]) -> Option<()> {
    let [slider, square, rest @ ..] = words else { return None };
    let slider = Slider::ALL.into_iter().find(|known| known.name() == *slider)?;
    let index = 64 * slider as usize + square.parse::<Square>().ok()?.index();
    let read = &mut squares[index];
    match *rest {
        ["tries", tries] => read.tries = tries.parse().ok()?,
        [magic, bits] => read.magics.push((line, read_candidate(magic, bits)?, None)),
        [magic, bits, "at", offset] => {
            let offset = offset.parse::<i32>().ok()? as u32;
            read.magics.push((line, read_candidate(magic, bits)?, Some(offset)));
        }
        _ => return None,
    }
    Some(())
}

fn read_candidate(magic: &str, bits: &str) -> Option<Candidate> {
    let magic = u64::from_str_radix(magic.strip_prefix("0x")?, 16).ok()?;
    let index_bits = bits.parse().ok()?;
    (1..=MagicTarget::MAX_INDEX_BITS)
        .contains(&index_bits)
        .then_some(Candidate { magic, index_bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From which the shipped layout was reached.
    const START: &str = include_str!("../../../../docs/magics.state");

    #[test]
    fn a_search_goes_on_as_if_it_had_not_stopped() {
        let mut straight: Packing = START.parse().unwrap();
        straight.lay();
        let mut stopped = straight.clone();
        for _ in 0..30 {
            straight.round();
        }
        for _ in 0..10 {
            stopped.round();
        }
        let mut resumed: Packing = stopped.to_string().parse().unwrap();
        assert_eq!(resumed.to_string(), stopped.to_string());
        for _ in 0..20 {
            resumed.round();
        }
        assert_eq!(resumed.to_string(), straight.to_string());
    }

    #[test]
    fn a_bad_line_is_named() {
        let last = START.lines().count();
        for text in [
            "rook a1 0x0000000000000000 12",
            "rook a1 0x0060010930000665 17",
            "rook a9 tries 1",
            "queen a1 tries 1",
            "",
        ] {
            let error = format!("{START}{text}\n").parse::<Packing>().unwrap_err();
            assert_eq!(error, BadState { line: last + 1, text: text.to_owned() });
        }
        // Two tables on one slot.
        let there = "rook a1 0x0060010930000665 12 at 0\n";
        let error = format!("{START}{there}{there}").parse::<Packing>().unwrap_err();
        assert_eq!(error.line, last + 2);
        for head in ["", "perft magics 2\n", "perft magics 1\nkey red\n"] {
            assert!(head.parse::<Packing>().is_err(), "{head:?}");
        }
    }
}

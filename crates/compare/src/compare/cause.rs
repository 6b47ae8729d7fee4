//! The cause of a mismatch, and how far it is confirmed.

use std::fmt;

use crate::rules::Rule;

/// The cause of a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The generator breaks a rule, always or in a special case.
    Rule(Explanation),
    /// The generator lists legal moves more than once.
    RepeatedMoves(RepeatedMoves),
    /// The generator keeps counts in a table and takes those of other positions from it.
    TableKey(TableKey),
}

impl Cause {
    /// The rule, if it is one.
    pub fn rule(&self) -> Option<Rule> {
        self.explanation().map(Explanation::rule)
    }

    /// The rules that explain the mismatch, if they do.
    pub fn explanation(&self) -> Option<&Explanation> {
        match self {
            Self::Rule(explanation) => Some(explanation),
            _ => None,
        }
    }

    /// The name: that of the rule, or `repeated-moves`, or `table-key-` and the part.
    pub fn name(&self) -> String {
        match self {
            Self::Rule(explanation) => explanation.rule().name().to_owned(),
            Self::RepeatedMoves(_) => "repeated-moves".to_owned(),
            Self::TableKey(key) => format!("table-key-{}", key.part),
        }
    }

    /// The rule, or the mistake, in a sentence.
    pub fn text(&self) -> String {
        match self {
            Self::Rule(explanation) => explanation.rule().text().to_owned(),
            Self::RepeatedMoves(repeated) => {
                let mut letters = repeated.moves.chars();
                let first = letters.next().map(|first| first.to_uppercase().to_string());
                let first = first.unwrap_or_default();
                format!("{first}{} are listed more than once.", letters.as_str())
            }
            Self::TableKey(key) => key.part.text().to_owned(),
        }
    }

    /// Sentences that say how well the cause explains the mismatch, and how far it is confirmed.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.explanation().map(Explanation::remarks).unwrap_or_default();
        remarks.push(match self.confirmation() {
            Some(Confirmation { positions, separating }) => format!(
                "Confirmed on {positions} other positions ({separating} chosen to separate it from \
                 neighboring rules)."
            ),
            None => "Not confirmed on other positions.".to_owned(),
        });
        remarks
    }

    /// The fresh positions that agree with the cause. `None` if it is not confirmed.
    pub fn confirmation(&self) -> Option<Confirmation> {
        match self {
            Self::Rule(explanation) => explanation.confirmation,
            Self::RepeatedMoves(repeated) => repeated.confirmation,
            Self::TableKey(key) => key.confirmation,
        }
    }
}

/// The rules that explain a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The likeliest first; never empty.
    rules: Vec<Rule>,
    /// Whether the removal of the rule, in the [narrower](Self::narrower) case if there is one,
    /// gives exactly the divide output. If not, it gives some of the difference and nothing else.
    pub is_exact: bool,
    /// The special case in which alone the rule is broken, as a sentence that names the piece, the
    /// capture or the flag: "Broken only if the pawn is pinned."
    pub narrower: Option<String>,
    /// The fresh positions that agree with the rule, or with the narrower case. `None` if the rule
    /// is not confirmed.
    pub confirmation: Option<Confirmation>,
}

impl Explanation {
    /// An explanation that is not confirmed; `None` without rules.
    pub(super) fn new(rules: Vec<Rule>, is_exact: bool) -> Option<Self> {
        (!rules.is_empty()).then_some(Self { rules, is_exact, narrower: None, confirmation: None })
    }

    /// The same, confirmed.
    pub(super) fn confirmed(self, confirmation: Confirmation) -> Self {
        Self { confirmation: Some(confirmation), ..self }
    }

    /// The rule that is most likely broken.
    pub fn rule(&self) -> Rule {
        self.rules[0]
    }

    /// Other rules that explain the mismatch as well.
    pub fn others(&self) -> &[Rule] {
        &self.rules[1..]
    }

    /// Sentences that say how well the rules explain the mismatch.
    fn remarks(&self) -> Vec<String> {
        let case = if self.narrower.is_some() { " in that case" } else { "" };
        let mistake = if self.is_exact {
            "exactly the same mistake"
        } else {
            "some of these mistakes and no others"
        };
        let fit = format!("With this rule switched off{case}, our generator makes {mistake}.");
        let mut remarks: Vec<String> = self.narrower.iter().cloned().chain([fit]).collect();
        if !self.others().is_empty() {
            let others: Vec<&str> = self.others().iter().map(|rule| rule.name()).collect();
            remarks.push(format!("Other rules that fit equally well: {}.", others.join(", ")));
        }
        remarks
    }
}

/// The positions, made for a cause, on which the generator did what the cause predicts: some where
/// it must be wrong and some where it must be right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Confirmation {
    /// All positions.
    pub positions: usize,
    /// Those on which a similar cause predicts another divide output.
    pub separating: usize,
}

/// Moves that are listed more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedMoves {
    /// The moves in words, such as "en-passant captures"; "some moves" if they have nothing in
    /// common.
    pub moves: String,
    /// The fresh positions that agree. `None` if that is not confirmed.
    pub confirmation: Option<Confirmation>,
}

/// A part that the keys of a table lack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableKey {
    /// The part.
    pub part: KeyPart,
    /// The fresh positions that agree. `None` if that is not confirmed.
    pub confirmation: Option<Confirmation>,
}

/// A part of the key of a table of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyPart {
    /// The en-passant square.
    EnPassant,
    /// The castling rights.
    Castling,
    /// The side to move.
    Side,
    /// The depth that is left.
    Depth,
}

impl KeyPart {
    /// All parts.
    pub const ALL: [Self; 4] = [Self::EnPassant, Self::Castling, Self::Side, Self::Depth];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EnPassant => "en-passant",
            Self::Castling => "castling",
            Self::Side => "side",
            Self::Depth => "depth",
        }
    }

    /// The missing part in a sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::EnPassant => {
                "The key of the table of counts lacks the en-passant square: positions with and \
                 without the capture share an entry."
            }
            Self::Castling => {
                "The key of the table of counts lacks the castling rights: positions with and \
                 without a right share an entry."
            }
            Self::Side => {
                "The key of the table of counts lacks the side to move: positions with White and \
                 with Black to move share an entry."
            }
            Self::Depth => {
                "The key of the table of counts lacks the depth: counts of different depths share \
                 an entry."
            }
        }
    }
}

impl fmt::Display for KeyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

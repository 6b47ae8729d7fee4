//! The cause of a mismatch: a broken rule, moves listed twice, a table with incomplete keys.

use std::fmt;

use perft::compare::{self, Confirmation, Explanation};
use serde::{Serialize, Serializer};

/// The cause of a mismatch.
pub enum Cause {
    Found(compare::Cause),
    /// No rule explains it.
    NoRule,
    /// The cause was not found, for this reason.
    NotFound(String),
}

impl From<compare::Cause> for Cause {
    fn from(cause: compare::Cause) -> Self {
        Self::Found(cause)
    }
}

impl Cause {
    /// The name and the text of what is broken, if it is known.
    pub fn name_and_text(&self) -> Option<(String, String)> {
        let Self::Found(cause) = self else { return None };
        Some(match cause {
            compare::Cause::Rule(explanation) => {
                let rule = explanation.rule();
                (rule.name().to_owned(), rule.text().to_owned())
            }
            compare::Cause::RepeatedMoves(repeated) => {
                let text = format!("{} are listed more than once.", repeated.moves);
                ("repeated-moves".to_owned(), sentence(&text))
            }
            compare::Cause::TableKey(key) => {
                (format!("table-key-{}", key.part.name()), key.part.text().to_owned())
            }
            other => ("another-cause".to_owned(), format!("{other:?}")),
        })
    }

    /// The name, for a title.
    pub fn title(&self) -> String {
        self.name_and_text().map_or_else(|| "no known rule".to_owned(), |(name, _)| name)
    }
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The keys `rule`, which is null for other causes, and `cause`, which is null if there is none.
impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            rule: Option<RuleFields<'a>>,
            cause: Option<CauseFields<'a>>,
        }
        #[derive(Serialize)]
        struct RuleFields<'a> {
            name: &'a str,
            text: &'a str,
            exact: bool,
            others: Vec<&'a str>,
        }
        #[derive(Serialize)]
        struct CauseFields<'a> {
            name: String,
            text: String,
            narrower: Option<&'a str>,
            confirmation: Option<Confirmation>,
        }
        let found = match self {
            Self::Found(cause) => Some(cause),
            Self::NoRule | Self::NotFound(_) => None,
        };
        let explanation = found.and_then(compare::Cause::explanation);
        let rule = explanation.map(|explanation| RuleFields {
            name: explanation.rule().name(),
            text: explanation.rule().text(),
            exact: explanation.is_exact,
            others: explanation.others().iter().map(|rule| rule.name()).collect(),
        });
        let cause = self.name_and_text().map(|(name, text)| CauseFields {
            name,
            text,
            narrower: explanation.and_then(|explanation| explanation.narrower.as_deref()),
            confirmation: found.and_then(compare::Cause::confirmation),
        });
        Fields { rule, cause }.serialize(serializer)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self {
            Self::Found(cause) => cause,
            Self::NoRule => return writeln!(f, "Rule: no single known rule explains it."),
            Self::NotFound(reason) => return writeln!(f, "Rule: not determined: {reason}."),
        };
        let (name, text) = self.name_and_text().unwrap_or_default();
        match cause.explanation() {
            Some(explanation) => {
                writeln!(f, "Rule: {name}. {text}")?;
                write_fit(f, explanation)?;
            }
            None => writeln!(f, "Cause: {name}. {text}")?,
        }
        match cause.confirmation() {
            Some(Confirmation { positions, separating }) => writeln!(
                f,
                "Confirmed on {positions} other positions ({separating} chosen to separate it from \
                 neighboring rules)."
            ),
            None => writeln!(f, "Not confirmed on other positions."),
        }
    }
}

/// How well the rules explain the mismatch.
fn write_fit(f: &mut fmt::Formatter<'_>, explanation: &Explanation) -> fmt::Result {
    let switched_off = match &explanation.narrower {
        Some(narrower) => {
            writeln!(f, "{narrower}")?;
            "With this rule switched off in that case"
        }
        None => "With this rule switched off",
    };
    f.write_str(switched_off)?;
    f.write_str(if explanation.is_exact {
        ", our generator makes exactly the same mistake.\n"
    } else {
        ", our generator makes some of these mistakes and no others.\n"
    })?;
    if !explanation.others().is_empty() {
        let others: Vec<&str> = explanation.others().iter().map(|rule| rule.name()).collect();
        writeln!(f, "Other rules that fit equally well: {}.", others.join(", "))?;
    }
    Ok(())
}

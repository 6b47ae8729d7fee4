//! The cause of a mismatch: a broken rule, moves listed twice, a table with incomplete keys.

use std::fmt;

use perft_compare::Confirmation;
use serde::{Serialize, Serializer};

/// The cause of a mismatch.
pub enum Cause {
    Found(perft_compare::Cause),
    /// No rule explains it.
    NoRule,
    /// The cause was not found, for this reason.
    NotFound(String),
}

impl From<perft_compare::Cause> for Cause {
    fn from(cause: perft_compare::Cause) -> Self {
        Self::Found(cause)
    }
}

impl Cause {
    /// The name and the text of what is broken, if it is known.
    pub fn name_and_text(&self) -> Option<(String, String)> {
        let Self::Found(cause) = self else { return None };
        Some((cause.name(), cause.text()))
    }

    /// The name, for a title.
    pub fn title(&self) -> String {
        self.name_and_text().map_or_else(|| "no known rule".to_owned(), |(name, _)| name)
    }
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
        let explanation = found.and_then(perft_compare::Cause::explanation);
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
            confirmation: found.and_then(perft_compare::Cause::confirmation),
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
        let kind = if cause.rule().is_some() { "Rule" } else { "Cause" };
        writeln!(f, "{kind}: {}. {}", cause.name(), cause.text())?;
        cause.remarks().iter().try_for_each(|remark| writeln!(f, "{remark}"))
    }
}

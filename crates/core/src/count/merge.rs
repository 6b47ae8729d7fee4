//! The ways to merge equal positions.

use std::fmt;
use std::str::FromStr;


/// The way in which positions that several lines lead to are counted once. Counts do not depend on
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// The way that should be the fastest for the count.
    #[default]
    Auto,
    /// Ply by ply, as sets of distinct positions, which are compared whole.
    Layers,
    /// A table of known counts, found by their keys.
    Table,
    /// Not at all, but for the first plies of counts on several threads.
    None,
}

/// Not the name of a way to merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown way to merge {0:?} (auto, layers, table or none)")]
pub struct UnknownMerge(pub String);

impl FromStr for Merge {
    type Err = UnknownMerge;

    fn from_str(text: &str) -> Result<Self, UnknownMerge> {
        let found = Self::ALL.into_iter().find(|merge| merge.name() == text);
        found.ok_or_else(|| UnknownMerge(text.to_owned()))
    }
}

impl Merge {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Layers, Self::Table, Self::None];

    /// The name in arguments and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Layers => "layers",
            Self::Table => "table",
            Self::None => "none",
        }
    }
}

impl fmt::Display for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The way and the memory of a count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// The way; never [`Merge::Auto`].
    pub merge: Merge,
    /// The bytes of the table, or those that were used for layers.
    pub bytes: usize,
    /// The counts that were found in the table.
    pub hits: u64,
    /// The share of the entries of the table in use, from a sample.
    pub fill: f64,
}

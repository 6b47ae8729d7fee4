//! Suites: positions with known counts, in the EPD form that circulates among engines.
//!
//! ```
//! use perft::suite::{self, Suite};
//!
//! let suite = Suite::parse("mine", "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92")?;
//! let results = suite::run(&[suite], &suite::Options::default(), |_| {});
//! assert!(results.iter().all(suite::Outcome::is_right));
//! # Ok::<(), perft::suite::SuiteError>(())
//! ```

mod read;
mod run;

pub use read::{SuiteError, SuiteErrorKind};
pub use run::{Options, Outcome, run};

use crate::board::Board;
use crate::perft::Depth;
use crate::types::Square;

/// Positions with known counts.
///
/// ```
/// use perft::Suite;
///
/// let suite = Suite::parse("mine", "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92")?;
/// let entry = &suite.entries[0];
/// for &(depth, nodes) in &entry.counts {
///     assert_eq!(perft::perft(&entry.board, depth), Ok(nodes));
/// }
/// # Ok::<(), perft::suite::SuiteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name of the file, or of whatever it came from.
    pub name: String,
    /// Its positions, in their order.
    pub entries: Vec<Entry>,
}

/// A position with known counts.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The line on which the position stands, from 1.
    pub line: usize,
    /// The position.
    pub board: Board,
    /// The en-passant square of its FEN, which the board keeps only if a capture there is legal.
    pub passed: Option<Square>,
    /// What the suite calls it: its `id`, or the comment on the line above.
    pub title: Option<String>,
    /// The known counts, by depth.
    pub counts: Vec<(Depth, u128)>,
}

impl Suite {
    /// The suites that come with the program.
    pub fn embedded() -> Vec<Self> {
        EMBEDDED
            .iter()
            .map(|(name, text)| Self::parse(name, text).expect("our own suites are well formed"))
            .collect()
    }
}

/// Name and text of each suite of ours.
const EMBEDDED: [(&str, &str); 3] = [
    ("standard.epd", include_str!("../../perft_suites/standard.epd")),
    ("chess960.epd", include_str!("../../perft_suites/chess960.epd")),
    ("tricky.epd", include_str!("../../perft_suites/tricky.epd")),
];

//! Suites: positions with known counts, in the formats that engines use.
//!
//! A [`Suite`] is opened (`open`) and parsed (`read`, which lists the formats), and its counts are
//! made again (`run`). It is written as EPD or JSON (`write`).
//!
//! ```
//! use perft_compare::suite::{Suite, self};
//!
//! let suite = Suite::parse("mine", "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92")?;
//! let results = suite::run(&[suite], &suite::Options::default(), |_| {});
//! assert!(results.iter().all(suite::Outcome::is_right));
//! # Ok::<(), perft_compare::suite::SuiteError>(())
//! ```

mod json;
mod open;
mod read;
mod run;
mod write;

pub use open::OpenError;
pub use read::{SuiteError, SuiteErrorKind};
pub use run::{Options, Outcome, run};
pub use write::Format;

use perft_core::Depth;
use perft_core::board::Position;

/// Positions with known counts.
///
/// ```
/// use perft_compare::Suite;
///
/// let suite = Suite::parse("mine", "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92")?;
/// let entry = &suite.entries[0];
/// for &(depth, nodes) in &entry.counts {
///     assert_eq!(perft_core::perft(entry.position.board(), depth), Ok(nodes));
/// }
/// # Ok::<(), perft_compare::suite::SuiteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name of the file; `-` for standard input.
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
    pub position: Position,
    /// Its `id`, or the comment on the line above.
    pub title: Option<String>,
    /// Depths and counts, in the order of the suite.
    pub counts: Vec<(Depth, u128)>,
}

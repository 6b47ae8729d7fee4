//! Finding the position where another move generator goes wrong, and the rule that it breaks.
//!
//! - A [`Finder`] divides positions with a [`Divider`](crate::uci::Divider), the generator under
//!   test, and with our own [`Counter`](perft_core::Counter). It follows the first [`Diff`] down to
//!   the [`Mismatch`], the position where the lists of moves differ.
//! - [`Finder::explain`] names the [`Rule`](crate::rules::Rule) whose removal from our own slow
//!   generator gives the same divide output.
//! - [`Finder::hunt`] tries random positions, and [`Finder::shrink`] reduces a mismatch to the few
//!   pieces that it needs.
//! - A [`Session`] does all of that, and reports it as it happens: suites, random positions, single
//!   positions.
//! - [`check_output`] compares a divide whose generator cannot be queried again.
//!
//! ```
//! use perft_compare::compare::Finder;
//! use perft_compare::rules::{Game, Rule};
//! use perft_compare::uci::{DivideOutput, Divider, Query};
//! use perft_core::{Counter, Position};
//!
//! /// A generator with a bug: it captures en passant even if that exposes its king.
//! struct Theirs;
//!
//! impl Divider for Theirs {
//!     type Error = std::convert::Infallible;
//!
//!     fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
//!         let mut game = Game::new(query.root.board(), Some(Rule::EnPassantRankPin));
//!         for &mv in query.line {
//!             game = game.after(mv);
//!         }
//!         let moves = game.divide(query.depth).into_iter();
//!         Ok(DivideOutput::new(moves.map(|(text, nodes)| (text, nodes.into()))))
//!     }
//! }
//!
//! let root: Position = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1".parse()?;
//! let mut finder = Finder::new(Theirs, Counter::new());
//! let mismatch = finder.find(&root, 3)?.mismatch().expect("they differ");
//! assert_eq!(mismatch.case.query().uci_moves(), "e2e4");
//! assert_eq!(mismatch.diff.extra, ["f4e3"]);
//! let cause = finder.explain(&mismatch)?.expect("a rule fits");
//! assert_eq!(cause.rule(), Some(Rule::EnPassantRankPin));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bug;
mod case;
mod cause;
mod confirm;
mod coverage;
mod diff;
mod explainer;
mod facts;
mod finder;
mod hunter;
mod json;
mod pasted;
mod probe;
mod refused;
mod session;
mod shrinker;
mod table_key;
#[cfg(test)]
mod tests;

pub use bug::{Bug, CheckedOutput, check_output};
pub use case::Case;
pub use cause::{Cause, Confirmation, Explanation, KeyPart, RepeatedMoves, TableKey};
pub use coverage::Coverage;
pub use diff::{Diff, WrongCount};
pub use explainer::{MAX_DIVIDE_NODES, explain_divide};
pub use finder::{CompareError, Finder, Limits, Mismatch, Usage, Verdict};
pub use hunter::Hunt;
pub use pasted::{depth_of_output, diff_output};
pub use session::{Effort, Event, ImpossibleCount, Session, SessionOptions, SessionResult, Stage};

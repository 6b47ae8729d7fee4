//! The `perft` program, and counts too deep for one machine.
//!
//! The move generator and its counts are in [`perft_core`], the search for bugs in other engines in
//! [`perft_compare`], the slider systems in [`perft_lab`].
//!
//! | module | contents |
//! |---|---|
//! | [`plan`] | deep counts in units: cutting, counting, lines of JSON, totals |
//! | `command_line` | commands to paste into a shell |
//! | `explore` | the page in the browser and its server |
//! | `cli` | arguments in, typed results out; nothing else prints |

mod cli;
mod command_line;
#[cfg(feature = "explore")]
mod explore;
pub mod plan;

pub use cli::main;

/// The examples of the README, run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples of the page on finding bugs, run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../docs/finding-bugs.md")]
struct FindingBugs;

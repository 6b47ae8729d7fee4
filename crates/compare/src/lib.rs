//! Other move generators: suites of known counts, engines, and the bugs in them.
//!
//! | module | contents |
//! |---|---|
//! | [`suite`] | positions with known counts |
//! | [`uci`] | other engines as processes, their divide output, the [`Divider`](uci::Divider) trait |
//! | [`rules`] | a slow second generator that can leave out any rule |
//! | [`compare`] | finding the position where another generator is wrong, and the rule it breaks |
//!
//! A module uses only modules above its own in this list.

pub mod compare;
pub mod rules;
pub mod suite;
pub mod uci;

pub use compare::*;
pub use suite::Suite;

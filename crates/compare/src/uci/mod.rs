//! Other engines, and the part of the Universal Chess Interface that counting needs.
//!
//! - [`Command`]: the commands that an engine receives.
//! - [`Divider`]: a move generator under test. [`UciEngine`] and [`Script`] are other programs
//!   (feature `engines`).
//! - [`Transcript`]: reads the divide output of an engine, in the formats that engines print.

mod command;
mod divider;
#[cfg(feature = "engines")]
mod engine;
#[cfg(feature = "engines")]
mod error;
mod output;
#[cfg(feature = "engines")]
mod process;
mod token;
mod transcript;

pub use command::{CHESS960_OPTION, Command, Setup, SetupError, depth};
pub(crate) use divider::squares_of;
pub use divider::{DivideOutput, Divider, Query};
#[cfg(feature = "engines")]
pub use engine::{EngineSettings, Script, UciEngine};
#[cfg(feature = "engines")]
pub use error::{EngineError, EngineFailure};
pub use output::OutputLine;
pub use transcript::Transcript;

//! Errors of other programs.

use std::fmt;
use std::time::Duration;

use super::process::MAX_OUTPUT;

/// A failed query: the program, the failure, the lines that were sent, and the last line that the
/// program printed after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineError {
    pub(super) engine: String,
    pub(super) failure: EngineFailure,
    /// The lines that were sent.
    pub(super) query: Vec<String>,
    pub(super) last_line: Option<String>,
}

/// The way in which a program failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineFailure {
    /// It cannot be started, for this reason.
    #[error(
        "cannot be started: {0} (ENGINE is a program on the path, or its path, with its arguments in quotes)"
    )]
    NotStarted(String),
    /// It ended, with this status.
    #[error("ended ({0})")]
    Ended(String),
    /// It closed its output without ending.
    #[error("closed its output and went on running")]
    ClosedOutput,
    /// It printed nothing for this long.
    #[error("printed nothing for {} s (--timeout gives it longer)", .0.as_secs_f64())]
    Timeout(Duration),
    /// It printed other lines than those of a divide for this long.
    #[error("printed no line of a divide for {} s (--timeout gives it longer)", .0.as_secs_f64())]
    NoProgress(Duration),
    /// Its output is too long.
    #[error("printed more than {} MiB for one query", MAX_OUTPUT >> 20)]
    TooMuchOutput,
    /// It printed neither moves nor a total.
    #[error("printed no counts (lines such as `e2e4: 20`)")]
    NoCounts,
    /// It printed a total and no moves.
    #[error("printed a total, but no count of each root move (lines such as `e2e4: 20`)")]
    TotalOnly,
    /// It searched for a move.
    #[error(
        "searched for a move instead of counting (--perft-command sets its command for perft, \
         --protocol script is for other programs)"
    )]
    Searched,
    /// It does not know the command.
    #[error("does not know the command (--perft-command sets another)")]
    UnknownCommand,
    /// It lacks an option.
    #[error("has no option {0:?}")]
    NoOption(String),
    /// It did not complete the handshake.
    #[error("did not print uciok (for programs that are not UCI engines, use --protocol script)")]
    NotUci,
    /// The query was cancelled.
    #[error("was interrupted")]
    Cancelled,
}

impl EngineError {
    /// The failure.
    pub fn failure(&self) -> &EngineFailure {
        &self.failure
    }

    /// Whether the query was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.failure == EngineFailure::Cancelled
    }
}

impl std::error::Error for EngineError {}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {:?} {}", self.engine, self.failure)?;
        let query: Vec<String> = self.query.iter().map(|line| format!("{line:?}")).collect();
        if query.is_empty() {
            return Ok(());
        }
        write!(f, ", asked {}", query.join(" and "))?;
        match &self.last_line {
            Some(line) => write!(f, "; its last line was {line:?}"),
            None => f.write_str("; it printed nothing"),
        }
    }
}

//! Counts, and the reasons why there is none.

use crate::types::Move;

/// A number of plies.
pub type Depth = u8;

/// The reason why a count has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// The total does not fit.
    #[error("the count exceeds 2^128")]
    Overflow,
    /// The total passes a limit that was given.
    #[error("the count exceeds {0}")]
    LimitExceeded(u128),
    /// The count was cancelled. If the tree was walked, with a table or without merging, `divide`, and
    /// `count` on several threads, bring the root moves that are finished. Layers finish all root
    /// moves at once, in the end, and bring none.
    #[error("interrupted")]
    Cancelled(Divide),
    /// [`Counter::stats`](super::Counter::stats) was cancelled; the rows of the depths that are finished.
    #[error("interrupted")]
    CancelledStats(Vec<Stats>),
    /// The memory does not hold the distinct positions of a ply.
    #[error("not enough memory for the positions of the first plies")]
    OutOfMemory,
}

/// A root move and the number of leaves behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// The leaves behind it.
    pub nodes: u128,
}

/// The count of each root move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divide {
    /// The root moves, sorted by their UCI notation.
    pub branches: Vec<Branch>,
    /// The sum.
    pub nodes: u128,
}

/// The number of moves of each kind that lead to the positions of one depth, by the definitions of
/// the published tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All moves, which is the count of leaves.
    pub nodes: u128,
    /// Captures, en passant among them.
    pub captures: u128,
    /// En-passant captures.
    pub en_passants: u128,
    /// Castlings.
    pub castles: u128,
    /// Promotions, captures among them.
    pub promotions: u128,
    /// Moves that give check, checkmates among them.
    pub checks: u128,
    /// Single checks by a piece that did not move, without checkmates.
    pub discovered_checks: u128,
    /// Checks by two pieces at once, without checkmates.
    pub double_checks: u128,
    /// Checks that end the game.
    pub checkmates: u128,
}

impl Stats {
    /// The numbers in their usual order, with their names.
    pub const fn columns(&self) -> [(&'static str, u128); 9] {
        [
            ("nodes", self.nodes),
            ("captures", self.captures),
            ("en_passants", self.en_passants),
            ("castles", self.castles),
            ("promotions", self.promotions),
            ("checks", self.checks),
            ("discovered_checks", self.discovered_checks),
            ("double_checks", self.double_checks),
            ("checkmates", self.checkmates),
        ]
    }

    /// Adds another count, several times.
    ///
    /// # Errors
    /// If a sum does not fit.
    pub fn add_times(&mut self, mut other: Self, times: u128) -> Result<(), CountError> {
        for (sum, number) in self.numbers().into_iter().zip(other.numbers()) {
            let product = number.checked_mul(times).ok_or(CountError::Overflow)?;
            *sum = sum.checked_add(product).ok_or(CountError::Overflow)?;
        }
        Ok(())
    }

    fn numbers(&mut self) -> [&mut u128; 9] {
        [
            &mut self.nodes,
            &mut self.captures,
            &mut self.en_passants,
            &mut self.castles,
            &mut self.promotions,
            &mut self.checks,
            &mut self.discovered_checks,
            &mut self.double_checks,
            &mut self.checkmates,
        ]
    }
}

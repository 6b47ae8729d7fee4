//! UCI notation: `e2e4`, `a7a8q`, castling as `e1g1` or, in Chess960, `e1h1`.

use crate::board::Board;
use crate::types::{CastlingMode, Move};

/// A text that is not a legal move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a legal move in {fen}")]
pub struct ParseMoveError {
    /// The text.
    pub text: String,
    /// The position.
    pub fen: String,
}

impl ParseMoveError {
    pub(super) fn new(board: &Board, text: &str) -> Self {
        Self { text: text.to_owned(), fen: board.to_string() }
    }
}

impl Board {
    /// A move of this board in UCI notation, castling as the board's mode has it.
    pub fn uci(&self, mv: Move) -> String {
        mv.uci(self.castling_mode())
    }

    /// The legal move that UCI writes as `text`. Castling is read in both conventions, `e1g1` and
    /// king-takes-rook `e1h1`; where they name different moves, the board's mode decides.
    ///
    /// # Errors
    /// If no legal move is written so.
    pub fn parse_uci(&self, text: &str) -> Result<Move, ParseMoveError> {
        let mode = self.castling_mode();
        let other = match mode {
            CastlingMode::Standard => CastlingMode::Chess960,
            CastlingMode::Chess960 => CastlingMode::Standard,
        };
        let moves = self.legal_moves();
        [mode, other]
            .into_iter()
            .find_map(|mode| moves.iter().find(|mv| mv.uci(mode) == text))
            .copied()
            .ok_or_else(|| ParseMoveError::new(self, text))
    }
}

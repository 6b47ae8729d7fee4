//! A board, and what its FEN said of en passant.

use std::fmt;
use std::str::FromStr;

use super::{Board, FenError, PositionError, fen};
use crate::attacks;
use crate::types::{CastlingMode, Move, MoveKind, Piece, Square};

/// A position as it is given to an engine.
///
/// A [`Board`] drops an en-passant square on which no capture is legal. An engine must be given
/// it: rejecting the capture is its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    board: Board,
    en_passant: Option<Square>,
    /// An en-passant square that no double push can have left.
    ignored_en_passant: Option<Square>,
}

impl Position {
    /// Reads a FEN and keeps its en-passant square. The position need not be one that a game
    /// reaches: see [`Position::impossibility`].
    ///
    /// # Errors
    /// If the FEN is malformed or its position cannot be played on.
    pub fn from_fen(text: &str, mode: CastlingMode) -> Result<Self, FenError> {
        Ok(Self::with_en_passant(Board::from_fen(text, mode)?, fen::en_passant_field(text)))
    }

    /// Reads a FEN of a position that a game may reach.
    ///
    /// # Errors
    /// If the FEN is malformed, its position cannot be played on, or no game reaches it.
    pub fn from_fen_strict(text: &str, mode: CastlingMode) -> Result<Self, FenError> {
        Ok(Self::from_fen(text, mode)?.strict()?)
    }

    /// The position, if a game may reach it.
    pub(super) fn strict(self) -> Result<Self, PositionError> {
        self.impossibility().map_or(Ok(self), |reason| Err(reason.into()))
    }

    /// The position with an en-passant square on which no capture need be legal. One that no double
    /// push can have left is ignored.
    pub fn with_en_passant(board: Board, en_passant: Option<Square>) -> Self {
        let ignored_en_passant =
            en_passant.filter(|&square| board.not_left_by_a_push(square).is_some());
        let en_passant = if ignored_en_passant.is_none() { en_passant } else { None };
        Self { board, en_passant: board.en_passant().or(en_passant), ignored_en_passant }
    }

    /// The board.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The en-passant square, with or without a legal capture there.
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// The en-passant square that was given and ignored, because no double push can have left it.
    pub const fn ignored_en_passant(&self) -> Option<Square> {
        self.ignored_en_passant
    }

    /// The castling convention.
    pub const fn castling_mode(&self) -> CastlingMode {
        self.board.castling_mode()
    }

    /// The position after legal moves. A double push leaves an en-passant square if a pawn stands
    /// ready to capture there, legally or not.
    #[must_use]
    pub fn after(&self, moves: &[Move]) -> Self {
        let Some((&last, before)) = moves.split_last() else { return *self };
        let mut board = self.board;
        for &mv in before {
            board.make(mv);
        }
        let us = board.side_to_move();
        board.make(last);
        let en_passant = (last.kind() == MoveKind::DoublePush)
            .then(|| last.from().forward(us))
            .filter(|&target| {
                let pawns = board.colored_pieces(!us, Piece::Pawn);
                attacks::pawn(us, target).intersects(pawns)
            });
        Self::with_en_passant(board, en_passant)
    }
}

impl From<Board> for Position {
    fn from(board: Board) -> Self {
        Self::with_en_passant(board, None)
    }
}

/// Reads a FEN as [`Board`] does, and keeps its en-passant square.
impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Ok(Self::with_en_passant(text.parse()?, fen::en_passant_field(text)))
    }
}

/// The FEN, with the en-passant square of the position.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fen::write(f, &self.board, self.en_passant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_en_passant_square_without_a_legal_capture_is_kept() {
        let fen = "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1";
        let position: Position = fen.parse().unwrap();
        assert_eq!(position.to_string(), fen);
        assert_eq!(position.board().en_passant(), None);
        let before: Position = "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1".parse().unwrap();
        let push = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
        assert_eq!(before.after(&[push]), position);
    }
}

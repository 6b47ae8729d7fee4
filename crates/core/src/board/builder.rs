//! Putting a position together piece by piece.

use super::{Board, Position, PositionError};
use crate::types::{Bitboard, CastlingMode, CastlingSide, Color, Piece, Square};

/// A position under construction. Nothing is checked before [`build`](Self::build).
///
/// ```
/// use perft_core::{Board, Color, Piece, Square};
///
/// let board = Board::builder()
///     .put(Square::E1, Color::White, Piece::King)
///     .put(Square::H1, Color::White, Piece::Rook)
///     .put(Square::E8, Color::Black, Piece::King)
///     .castle_with(Square::H1)
///     .build()?;
/// assert_eq!(board.to_string(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
/// # Ok::<(), perft_core::board::PositionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardBuilder {
    pieces: [Option<(Color, Piece)>; 64],
    side_to_move: Color,
    castling: Bitboard,
    en_passant: Option<Square>,
    halfmove_clock: u16,
    fullmove_number: u16,
    mode: CastlingMode,
}

impl Default for BoardBuilder {
    fn default() -> Self {
        Self {
            pieces: [None; 64],
            side_to_move: Color::White,
            castling: Bitboard::EMPTY,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
            mode: CastlingMode::Standard,
        }
    }
}

impl From<&Board> for BoardBuilder {
    fn from(board: &Board) -> Self {
        let mut pieces = [None; 64];
        for square in Square::all() {
            pieces[square.index()] = board.colored_piece_on(square);
        }
        Self {
            pieces,
            side_to_move: board.side_to_move(),
            castling: board.castling().rooks(),
            en_passant: board.en_passant(),
            halfmove_clock: board.halfmove_clock(),
            fullmove_number: board.fullmove_number(),
            mode: board.castling_mode(),
        }
    }
}

impl BoardBuilder {
    /// Puts a piece on a square, in place of any other.
    pub fn put(&mut self, square: Square, color: Color, piece: Piece) -> &mut Self {
        self.pieces[square.index()] = Some((color, piece));
        self
    }

    /// Empties a square, and drops the castling right of a rook there.
    pub fn clear(&mut self, square: Square) -> &mut Self {
        self.pieces[square.index()] = None;
        self.castling -= square.bitboard();
        self
    }

    /// The piece on a square.
    pub fn piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        self.pieces[square.index()]
    }

    /// Sets the side to move.
    pub fn side_to_move(&mut self, side: Color) -> &mut Self {
        self.side_to_move = side;
        self
    }

    /// The side to move.
    pub fn side(&self) -> Color {
        self.side_to_move
    }

    /// Adds the right to castle with the rook on a square.
    pub fn castle_with(&mut self, rook: Square) -> &mut Self {
        self.castling |= rook.bitboard();
        self
    }

    /// Removes the right to castle with the rook on a square.
    pub fn never_castle_with(&mut self, rook: Square) -> &mut Self {
        self.castling -= rook.bitboard();
        self
    }

    /// The rooks that may castle.
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// Sets or removes the en-passant square. As in FEN, it may be one on which no capture is
    /// legal.
    pub fn en_passant(&mut self, square: Option<Square>) -> &mut Self {
        self.en_passant = square;
        self
    }

    /// The en-passant square.
    pub fn en_passant_square(&self) -> Option<Square> {
        self.en_passant
    }

    /// Sets the halfmove clock and the move number.
    pub fn clocks(&mut self, halfmove_clock: u16, fullmove_number: u16) -> &mut Self {
        (self.halfmove_clock, self.fullmove_number) = (halfmove_clock, fullmove_number);
        self
    }

    /// Sets the castling convention.
    pub fn castling_mode(&mut self, mode: CastlingMode) -> &mut Self {
        self.mode = mode;
        self
    }

    /// Checks that the position can be played on. An en-passant square that no double push can
    /// have left is ignored.
    ///
    /// # Errors
    /// The first reason why it cannot be played on.
    pub fn build(&self) -> Result<Board, PositionError> {
        let mut board = self.build_pieces()?;
        for rook in self.castling {
            let color = if rook.index() < 32 { Color::White } else { Color::Black };
            let right = match self.mode {
                CastlingMode::Standard => {
                    CastlingSide::of(board.king(color), rook).fen_letter(color)
                }
                CastlingMode::Chess960 => rook.file().fen_letter(color),
            };
            board.add_castling_right(color, Some(rook), right)?;
        }
        if let Some(square) = self.en_passant {
            board.add_en_passant(square);
        }
        debug_assert_eq!(board.check_invariants(), Ok(()));
        Ok(board)
    }

    /// Checks that a game may reach the position, as far as [`Position::impossibility`] shows it.
    ///
    /// ```
    /// use perft_core::board::{BoardBuilder, Impossibility, PositionError};
    /// use perft_core::{Board, Color};
    ///
    /// let board: Board = "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq -".parse()?;
    /// let reason = Impossibility::TooManyPieces { color: Color::White, found: 17 };
    /// assert_eq!(BoardBuilder::from(&board).build_strict(), Err(PositionError::Impossible(reason)));
    /// # Ok::<(), perft_core::FenError>(())
    /// ```
    ///
    /// # Errors
    /// The first reason why it cannot be played on, or why no game reaches it.
    pub fn build_strict(&self) -> Result<Board, PositionError> {
        let position = Position::with_en_passant(self.build()?, self.en_passant).strict()?;
        Ok(*position.board())
    }

    /// The board without castling rights and en passant, its pieces checked.
    pub(super) fn build_pieces(&self) -> Result<Board, PositionError> {
        let mut board = Board::empty(self.side_to_move, self.mode);
        for square in Square::all() {
            if let Some((color, piece)) = self.pieces[square.index()] {
                board.toggle(color, piece, square);
            }
        }
        board.state.halfmove_clock = self.halfmove_clock;
        board.state.fullmove_number = self.fullmove_number;
        board.validate()?;
        Ok(board)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Impossibility;
    use super::*;
    use crate::positions::random::{random_game, random_placement};
    use crate::random::Rng;

    #[test]
    fn a_board_is_rebuilt_from_its_parts() {
        let mut rng = Rng::new(3);
        let mut boards = random_game(&mut rng, Board::startpos(), 200);
        boards.extend((0..500).map(|_| random_placement(&mut rng)));
        for board in boards {
            let rebuilt = BoardBuilder::from(&board).build();
            assert_eq!(rebuilt.as_ref(), Ok(&board));
            assert_eq!(rebuilt.map(|board| board.hash()), Ok(board.hash()));
        }
    }

    #[test]
    fn a_position_that_cannot_be_played_on_is_refused() {
        let kings = |builder: &mut BoardBuilder| {
            builder.put(Square::E1, Color::White, Piece::King);
            builder.put(Square::E8, Color::Black, Piece::King);
        };
        let mut builder = Board::builder();
        assert_eq!(builder.build(), Err(PositionError::Kings { color: Color::White, found: 0 }));
        kings(&mut builder);
        assert!(builder.build().is_ok());
        let no_rook = PositionError::CastlingRook { right: 'K', color: Color::White };
        assert_eq!(builder.clone().castle_with(Square::H1).build(), Err(no_rook));
        let rank = Impossibility::EnPassantRank { square: Square::E3, side: Color::White };
        let rank = PositionError::Impossible(rank);
        assert_eq!(builder.clone().en_passant(Some(Square::E3)).build_strict(), Err(rank));
        builder.put(Square::G1, Color::White, Piece::Rook).castle_with(Square::G1);
        assert!(builder.build().is_err());
        assert!(builder.castling_mode(CastlingMode::Chess960).build().is_ok());
    }
}

//! A whole position in 32 bytes, for maps that must never mistake one position for another.

use super::Board;
use crate::types::{Bitboard, CastlingRights, Color, Piece};

/// What makes two positions the same for counting: all but the clocks.
///
/// Each square has a number of four bits: 0 if it is empty, 1 to 6 for White's men, 7 to 12 for
/// Black's, and three more for what is special about a man. The bits of one place of all
/// squares make a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity([u64; 4]);

/// A rook that may castle; its colour is that of its rank.
const CASTLING_ROOK: usize = 13;
/// A pawn that may be taken en passant; its colour is that of its rank.
const PASSING_PAWN: usize = 14;
/// The white king, if White is to move.
const WHITE_TO_MOVE: usize = 15;

const fn number(color: Color, piece: Piece) -> usize {
    1 + 6 * color.index() + piece.index()
}

impl Identity {
    /// Adds men that have nothing yet.
    fn mark(&mut self, squares: Bitboard, number: usize) {
        for (bit, word) in self.0.iter_mut().enumerate() {
            if number >> bit & 1 == 1 {
                *word |= squares.0;
            }
        }
    }

    /// The squares that have a number.
    fn marked(&self, number: usize) -> Bitboard {
        let bits = self.0.iter().enumerate();
        bits.fold(Bitboard::FULL, |squares, (bit, &word)| {
            squares & Bitboard(if number >> bit & 1 == 1 { word } else { !word })
        })
    }

    /// The position, with its clocks at the start.
    pub fn board(&self) -> Board {
        let to_move = self.marked(WHITE_TO_MOVE);
        let side = if to_move.is_empty() { Color::Black } else { Color::White };
        let mut board = Board::empty(side);
        let (rooks, passing) = (self.marked(CASTLING_ROOK), self.marked(PASSING_PAWN));
        for color in Color::ALL {
            for piece in Piece::ALL {
                let special = match piece {
                    Piece::Rook => rooks & Bitboard::rank(color.back_rank()),
                    Piece::Pawn if color != side => passing,
                    Piece::King if color == Color::White => to_move,
                    _ => Bitboard::EMPTY,
                };
                for square in self.marked(number(color, piece)) | special {
                    board.toggle(color, piece, square);
                }
            }
        }
        let rights = rooks.into_iter().fold(CastlingRights::NONE, CastlingRights::with);
        board.set_castling(rights);
        board.set_en_passant(passing.first().map(|pawn| pawn.forward(side)));
        board.state.key = board.key_from_scratch();
        debug_assert_eq!(board.check_invariants(), Ok(()));
        board
    }
}

impl Board {
    /// The position without its clocks.
    pub fn identity(&self) -> Identity {
        let rooks = self.castling().rooks();
        let side = self.side_to_move();
        let passing = match self.en_passant() {
            Some(passed) => passed.forward(!side).bitboard(),
            None => Bitboard::EMPTY,
        };
        let to_move = match side {
            Color::White => self.king(side).bitboard(),
            Color::Black => Bitboard::EMPTY,
        };
        let mut identity = Identity([0; 4]);
        let special = rooks | passing | to_move;
        for color in Color::ALL {
            for piece in Piece::ALL {
                identity.mark(self.men(color, piece) - special, number(color, piece));
            }
        }
        identity.mark(rooks, CASTLING_ROOK);
        identity.mark(passing, PASSING_PAWN);
        identity.mark(to_move, WHITE_TO_MOVE);
        identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::{random_game, random_placement};
    use crate::random::Rng;
    use crate::types::Variant;

    #[test]
    fn a_position_comes_back_but_for_its_clocks() {
        let mut rng = Rng::new(1);
        let mut with_en_passant = 0;
        for _ in 0..300 {
            let mut boards = random_game(&mut rng, Board::startpos(), 100);
            boards.extend((0..20).map(|_| random_placement(&mut rng)));
            for board in boards {
                let again = board.identity().board();
                let fields = |board: &Board| {
                    let fen = board.fen(Variant::Chess960);
                    fen.split(' ').take(4).map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(fields(&again), fields(&board));
                assert_eq!((again.key(), again.identity()), (board.key(), board.identity()));
                with_en_passant += u32::from(board.en_passant().is_some());
            }
        }
        assert!(with_en_passant > 10, "{with_en_passant}");
    }
}

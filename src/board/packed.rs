//! A whole position in 32 bytes, for exact maps.

use super::Board;
use crate::types::{Bitboard, CastlingMode, CastlingRights, Color, Piece};

/// A position without its clocks: equal for two positions exactly if they have the same play.
///
/// Each square has a number of four bits: 0 if it is empty, 1 to 6 for White's pieces, 7 to 12 for
/// Black's, and three more for special pieces. One bit of all squares makes a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedBoard([u64; 4]);

/// A rook that may castle; its rank gives its color.
const CASTLING_ROOK: usize = 13;
/// A pawn that may be captured en passant; its rank gives its color.
const EN_PASSANT_PAWN: usize = 14;
/// The white king, if White is to move.
const WHITE_TO_MOVE: usize = 15;

const fn number(color: Color, piece: Piece) -> usize {
    1 + 6 * color.index() + piece.index()
}

impl PackedBoard {
    /// Sets the number of squares that have none.
    fn mark(&mut self, squares: Bitboard, number: usize) {
        for (bit, word) in self.0.iter_mut().enumerate() {
            if number >> bit & 1 == 1 {
                *word |= squares.0;
            }
        }
    }

    /// The squares with a number.
    fn marked(&self, number: usize) -> Bitboard {
        let bits = self.0.iter().enumerate();
        bits.fold(Bitboard::FULL, |squares, (bit, &word)| {
            squares & Bitboard(if number >> bit & 1 == 1 { word } else { !word })
        })
    }

    /// The position, with its clocks at the start.
    ///
    /// The mode must be able to express the castling rights, as that of the packed board can.
    pub fn unpack(&self, mode: CastlingMode) -> Board {
        let to_move = self.marked(WHITE_TO_MOVE);
        let side = if to_move.is_empty() { Color::Black } else { Color::White };
        let mut board = Board::empty(side, mode);
        let (rooks, en_passant_pawn) = (self.marked(CASTLING_ROOK), self.marked(EN_PASSANT_PAWN));
        for color in Color::ALL {
            for piece in Piece::ALL {
                let special = match piece {
                    Piece::Rook => rooks & Bitboard::rank(color.back_rank()),
                    Piece::Pawn if color != side => en_passant_pawn,
                    Piece::King if color == Color::White => to_move,
                    _ => Bitboard::EMPTY,
                };
                board.put_all(color, piece, self.marked(number(color, piece)) | special);
            }
        }
        let rights = rooks.into_iter().fold(CastlingRights::NONE, CastlingRights::with);
        board.set_castling(rights);
        board.set_en_passant(en_passant_pawn.first().map(|pawn| pawn.forward(side)));
        debug_assert_eq!(board.check_invariants(), Ok(()));
        board
    }
}

impl Board {
    /// The position without its clocks, in 32 bytes.
    pub fn pack(&self) -> PackedBoard {
        let rooks = self.castling().rooks();
        let side = self.side_to_move();
        let en_passant_pawn = match self.en_passant() {
            Some(target) => target.forward(!side).bitboard(),
            None => Bitboard::EMPTY,
        };
        let to_move = match side {
            Color::White => self.king(side).bitboard(),
            Color::Black => Bitboard::EMPTY,
        };
        let mut packed = PackedBoard([0; 4]);
        let special = rooks | en_passant_pawn | to_move;
        for color in Color::ALL {
            for piece in Piece::ALL {
                packed.mark(self.colored_pieces(color, piece) - special, number(color, piece));
            }
        }
        packed.mark(rooks, CASTLING_ROOK);
        packed.mark(en_passant_pawn, EN_PASSANT_PAWN);
        packed.mark(to_move, WHITE_TO_MOVE);
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::{random_game, random_placement};
    use crate::random::Rng;

    #[test]
    fn a_position_comes_back_without_its_clocks() {
        let mut rng = Rng::new(1);
        let mut with_en_passant = 0;
        for _ in 0..300 {
            let mut boards = random_game(&mut rng, Board::startpos(), 100);
            boards.extend((0..20).map(|_| random_placement(&mut rng)));
            for board in boards {
                let again = board.pack().unpack(board.castling_mode());
                let fields = |board: &Board| {
                    let fen = board.to_string();
                    fen.split(' ').take(4).map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(fields(&again), fields(&board));
                assert_eq!((again.hash(), again.pack()), (board.hash(), board.pack()));
                with_en_passant += u32::from(board.en_passant().is_some());
            }
        }
        assert!(with_en_passant > 10, "{with_en_passant}");
    }
}

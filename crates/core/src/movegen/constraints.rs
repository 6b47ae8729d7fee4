//! The constraints on the side to move, to be shown.

use super::masks::Masks;
use crate::attacks;
use crate::attacks::magic::Magic;
use crate::board::{Board, CastlingPath};
use crate::types::{Bitboard, Color, Piece, Square, by_side};

/// The sets of squares that decide which moves are legal, as the generator uses them.
///
/// ```
/// use perft_core::{Board, Square};
///
/// let board: Board = "4k3/8/8/8/4r3/8/4B3/4K3 w - - 0 1".parse()?;
/// let constraints = board.constraints();
/// assert_eq!(constraints.pins[0].pinned, Square::E2);
/// assert_eq!(constraints.pins[0].line.len(), 3);
/// # Ok::<(), perft_core::FenError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// The squares that each color attacks, White first.
    pub attacks: [Bitboard; 2],
    /// The pieces that give check.
    pub checkers: Bitboard,
    /// In check, the targets of all pieces but the king: the checker and the squares between. Empty
    /// in double check. Not applied to en passant.
    pub check_mask: Option<Bitboard>,
    /// The pinned pieces of the side to move.
    pub pins: Vec<Pin>,
    /// The squares that are attacked once the king is lifted from the board: it may not go there.
    pub danger: Bitboard,
    /// The target square of a legal en-passant capture.
    pub en_passant: Option<Square>,
    /// The castling rights of the side to move.
    pub castling: Vec<CastlingSquares>,
}

/// A pinned piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its square.
    pub pinned: Square,
    /// The squares from the king, excluded, to the pinning piece, included.
    pub line: Bitboard,
}

/// The squares that matter to a castling right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CastlingSquares {
    /// The square of the rook.
    pub rook: Square,
    /// The squares that the king crosses or lands on: none may be attacked.
    pub safe: Bitboard,
    /// The squares that king or rook crosses or lands on: no other piece may stand there.
    pub empty: Bitboard,
}

impl Board {
    /// The sets of squares that decide which moves are legal.
    pub fn constraints(&self) -> Constraints {
        let us = self.side_to_move();
        let masks = by_side!(us, Us => Masks::new::<Us>(&Magic, self));
        let king = self.king(us);
        let pins = self.lines_to_king(us).filter_map(|line| {
            let pinned = (line.blockers & self.colors(us)).first()?;
            let line = (!line.blockers.more_than_one()).then(|| line.with_slider())?;
            Some(Pin { pinned, line })
        });
        let castling = self.castling().rooks_of(us).into_iter().map(|rook| {
            let CastlingPath { safe, empty } = CastlingPath::new(us, king, rook);
            CastlingSquares { rook, safe, empty }
        });
        let check_mask = match masks.checkers.len() {
            0 => None,
            1 => Some(masks.targets),
            _ => Some(Bitboard::EMPTY),
        };
        Constraints {
            attacks: Color::ALL.map(|color| self.attacked_by(color)),
            checkers: masks.checkers,
            check_mask,
            pins: pins.collect(),
            danger: masks.danger,
            en_passant: self.en_passant(),
            castling: castling.collect(),
        }
    }

    /// The squares that a color attacks.
    fn attacked_by(&self, color: Color) -> Bitboard {
        let occupied = self.occupied();
        let mut attacked = Bitboard::EMPTY;
        for piece in Piece::ALL {
            for square in self.colored_pieces(color, piece) {
                attacked |= attacks::of(Magic, color, piece, square, occupied);
            }
        }
        attacked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::special;
    use crate::random::Rng;
    use crate::types::{CastlingMode, MoveKind};

    #[test]
    fn the_sets_agree_with_attackers_and_with_the_legal_moves() {
        let mut rng = Rng::new(1);
        for _ in 0..2_000 {
            let board = special(&mut rng, CastlingMode::Chess960);
            let shown = board.constraints();
            for color in Color::ALL {
                let attacked: Bitboard = Square::all()
                    .filter(|&square| {
                        let attackers = board.attackers(Magic, square, board.occupied());
                        attackers.intersects(board.colors(color))
                    })
                    .collect();
                assert_eq!(shown.attacks[color.index()], attacked, "{board:?}");
            }
            assert_eq!(shown.checkers, board.checkers());
            let pinned: Bitboard = shown.pins.iter().map(|pin| pin.pinned).collect();
            assert_eq!(pinned, board.pinned(), "{board:?}");
            let lines = shown.pins.iter().fold(Bitboard::EMPTY, |lines, pin| lines | pin.line);
            let masks = by_side!(board.side_to_move(), Us => Masks::new::<Us>(&Magic, &board));
            assert_eq!(lines, masks.pinned(), "{board:?}");
            for mv in board.legal_moves() {
                let (from, to) = (mv.from(), mv.to());
                match mv.kind() {
                    MoveKind::Castle | MoveKind::EnPassant => {}
                    MoveKind::King => assert!(!shown.danger.contains(to), "{mv:?} {board:?}"),
                    _ => {
                        let is_answer = shown.check_mask.is_none_or(|mask| mask.contains(to));
                        assert!(is_answer, "{mv:?} {board:?}");
                        let pin = shown.pins.iter().find(|pin| pin.pinned == from);
                        assert!(pin.is_none_or(|pin| pin.line.contains(to)), "{mv:?} {board:?}");
                    }
                }
            }
        }
    }
}

//! Moves in 16 bits, and lists of them.

use std::fmt;

use arrayvec::ArrayVec;

use super::{CastlingMode, CastlingSide, Piece, Square};

/// Room for all moves of any placement with one king a side, however many other pieces it has.
///
/// - Along lines: on a line of `n` squares with `p` pieces of ours, each of the others is entered
///   from at most two directions, so there are at most `2 (n - p)` moves, and `n - 1` if `p` is 1:
///   no more than `max(n - 1, 2 (n - 2))`. The sum over all ranks, files and diagonals is 340. It
///   includes kings, pawns and en passant.
/// - Knights: each of the 168 pairs of squares a knight's move apart allows one move at most.
/// - A step to the last rank counts four times: three more for each of the 22 steps of eight pawns.
/// - Castling: two.
///
/// 270 are known: `kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - -`.
pub const MAX_MOVES: usize = 340 + 168 + 3 * 22 + 2;

/// The most moves of a position with no more pieces than a game has:
/// `R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -`. A computer-assisted proof by integer
/// programming (Tobs40, on Lichess, 2024) found none with more.
pub const MAX_GAME_MOVES: usize = 218;

/// A list of moves on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// The moving piece and, for pawns and kings, the special rule.
///
/// With the kind in the move, making it needs no lookup of the moving piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum MoveKind {
    /// A pawn's single step or plain capture.
    Pawn,
    DoublePush,
    EnPassant,
    PromoteKnight,
    PromoteBishop,
    PromoteRook,
    PromoteQueen,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
    /// The king takes its own rook.
    Castle,
}

impl MoveKind {
    const ALL: [Self; 16] = [
        Self::Pawn,
        Self::DoublePush,
        Self::EnPassant,
        Self::PromoteKnight,
        Self::PromoteBishop,
        Self::PromoteRook,
        Self::PromoteQueen,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
        Self::Castle,
        // Never stored: they fill the table up to four bits.
        Self::Castle,
        Self::Castle,
        Self::Castle,
    ];

    /// The four promotions, in the order knight, bishop, rook, queen.
    pub const PROMOTIONS: [Self; 4] =
        [Self::PromoteKnight, Self::PromoteBishop, Self::PromoteRook, Self::PromoteQueen];

    /// The plain move of a piece: for a pawn a single step or a capture.
    #[inline(always)]
    pub const fn of(piece: Piece) -> Self {
        match piece {
            Piece::Pawn => Self::Pawn,
            Piece::Knight => Self::Knight,
            Piece::Bishop => Self::Bishop,
            Piece::Rook => Self::Rook,
            Piece::Queen => Self::Queen,
            Piece::King => Self::King,
        }
    }

    /// The piece that moves.
    #[inline(always)]
    pub const fn piece(self) -> Piece {
        match self {
            Self::Knight => Piece::Knight,
            Self::Bishop => Piece::Bishop,
            Self::Rook => Piece::Rook,
            Self::Queen => Piece::Queen,
            Self::King | Self::Castle => Piece::King,
            _ => Piece::Pawn,
        }
    }

    /// The piece that a pawn becomes.
    #[inline(always)]
    pub const fn promotion(self) -> Option<Piece> {
        match self {
            Self::PromoteKnight => Some(Piece::Knight),
            Self::PromoteBishop => Some(Piece::Bishop),
            Self::PromoteRook => Some(Piece::Rook),
            Self::PromoteQueen => Some(Piece::Queen),
            _ => None,
        }
    }
}

/// A move: from, to and [kind](MoveKind), in 16 bits.
///
/// Castling is the king taking its own rook, in standard chess too; [`Move::uci`] writes
/// it in either convention.
///
/// ```
/// use perft_core::{Board, CastlingMode, MoveKind, Square};
///
/// let board: Board = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1".parse()?;
/// let castle = board.parse_uci("e1g1")?;
/// assert_eq!((castle.from(), castle.to()), (Square::E1, Square::H1));
/// assert_eq!(castle.kind(), MoveKind::Castle);
/// assert_eq!(castle.uci(CastlingMode::Standard), "e1g1");
/// assert_eq!(castle.uci(CastlingMode::Chess960), "e1h1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    /// Puts a move together. Nothing is checked.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12)
    }

    /// The origin square, the target square and the kind, from the lowest bit on.
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    #[inline(always)]
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// The origin square.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::from_low_bits(self.0 as u32)
    }

    /// The target square; for castling, that of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::from_low_bits((self.0 >> 6) as u32)
    }

    /// The kind of move.
    #[inline(always)]
    pub const fn kind(self) -> MoveKind {
        MoveKind::ALL[(self.0 >> 12) as usize]
    }

    /// The piece that moves; a promoting pawn is a pawn.
    #[inline(always)]
    pub const fn piece(self) -> Piece {
        self.kind().piece()
    }

    /// The piece that a pawn becomes.
    #[inline(always)]
    pub const fn promotion(self) -> Option<Piece> {
        self.kind().promotion()
    }

    /// The side of a castling move, `None` for any other.
    pub const fn castling_side(self) -> Option<CastlingSide> {
        match self.kind() {
            MoveKind::Castle => Some(CastlingSide::of(self.from(), self.to())),
            _ => None,
        }
    }

    /// The move as UCI writes it: `e2e4`, `a7a8q`, `e1g1` (`e1h1` in Chess960).
    pub fn uci(self, mode: CastlingMode) -> String {
        let to = match self.castling_side() {
            Some(side) if mode == CastlingMode::Standard => {
                Square::new(side.king_file(), self.from().rank())
            }
            _ => self.to(),
        };
        let mut text = format!("{}{to}", self.from());
        text.extend(self.promotion().map(Piece::letter));
        text
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?})", self.uci(CastlingMode::Chess960), self.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_two_bytes() {
        assert_eq!(size_of::<Move>(), 2);
    }

    #[test]
    fn a_move_keeps_its_parts() {
        for kind in MoveKind::ALL {
            let mv = Move::new(Square::E7, Square::H8, kind);
            assert_eq!((mv.from(), mv.to(), mv.kind()), (Square::E7, Square::H8, kind));
        }
    }

    #[test]
    fn castling_is_written_as_the_variant_wants_it() {
        let mv = Move::new(Square::E1, Square::A1, MoveKind::Castle);
        assert_eq!(mv.uci(CastlingMode::Standard), "e1c1");
        assert_eq!(mv.uci(CastlingMode::Chess960), "e1a1");
        let mv = Move::new(Square::A7, Square::B8, MoveKind::PromoteKnight);
        assert_eq!(mv.uci(CastlingMode::Standard), "a7b8n");
    }
}

//! Legal move generation: no move is made to find out whether it is legal.
//!
//! `masks` holds the constraints of checks and pins, `pieces`, `pawns` and `king` turn them into
//! sets of moves, and a `MoveSink` receives the sets: one sink lists the moves, another only counts
//! them. The rules are written once for both.

mod constraints;
mod king;
mod masks;
mod pawns;
mod pieces;

pub use constraints::{CastlingSquares, Constraints, Pin};
pub(crate) use king::castling;

use crate::attacks::Sliders;
use crate::attacks::magic::Magic;
use crate::board::Board;
use crate::types::{Bitboard, Move, MoveKind, MoveList, Piece, Side, Square, by_side};
use masks::Masks;

/// A move that is not legal in the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mv:?} is not a legal move in {fen}")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// The position.
    pub fen: String,
}

impl Board {
    /// All legal moves, in no particular order.
    ///
    /// ```
    /// use perft_core::Board;
    ///
    /// assert_eq!(Board::startpos().legal_moves().len(), 20);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        legal_moves_with(self, Magic)
    }

    /// The number of legal moves, without a list of them.
    pub fn count_legal_moves(&self) -> u32 {
        by_side!(self.side_to_move(), Us => count_moves::<_, Us>(Magic, self))
    }

    /// Whether the move is legal.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.legal_moves().contains(&mv)
    }

    /// Whether a legal move captures, en passant included.
    ///
    /// ```
    /// use perft_core::Board;
    ///
    /// let board: Board = "4k3/8/8/3pP3/8/8/8/R3K3 w Q d6 0 1".parse()?;
    /// let is_capture = |mv| board.is_capture(board.parse_uci(mv).unwrap());
    /// assert!(is_capture("e5d6"));
    /// // Castling goes to the square of a rook of one's own.
    /// assert!(!is_capture("e1c1"));
    /// # Ok::<(), perft_core::FenError>(())
    /// ```
    #[inline(always)]
    pub fn is_capture(&self, mv: Move) -> bool {
        mv.kind() == MoveKind::EnPassant || self.colors(!self.side_to_move()).contains(mv.to())
    }

    /// Plays a move if it is legal.
    ///
    /// ```
    /// use perft_core::{Board, Move, MoveKind, Square};
    ///
    /// let mut board = Board::startpos();
    /// assert!(board.try_play(Move::new(Square::E2, Square::E4, MoveKind::DoublePush)).is_ok());
    /// assert!(board.try_play(Move::new(Square::E2, Square::E4, MoveKind::DoublePush)).is_err());
    /// ```
    ///
    /// # Errors
    /// If it is not; the board is unchanged then.
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.is_legal(mv) {
            return Err(IllegalMove { mv, fen: self.to_string() });
        }
        self.make(mv);
        Ok(())
    }
}

/// [`Board::legal_moves`] with the given slider lookups.
pub fn legal_moves_with(board: &Board, sliders: impl Sliders + Copy) -> MoveList {
    by_side!(board.side_to_move(), Us => list_moves::<_, Us>(sliders, board))
}

/// [`Board::legal_moves`] with the side known at compile time.
#[inline(always)]
pub(crate) fn list_moves<S: Sliders + Copy, Us: Side>(sliders: S, board: &Board) -> MoveList {
    let mut list = MoveList::new();
    generate::<S, Us>(sliders, board, &mut list);
    list
}

/// The legal captures, en passant among them.
#[inline(always)]
pub(crate) fn list_captures<S: Sliders + Copy, Us: Side>(sliders: S, board: &Board) -> MoveList {
    let mut sink = CaptureList { list: MoveList::new(), them: board.colors(Us::COLOR.opponent()) };
    generate::<S, Us>(sliders, board, &mut sink);
    sink.list
}

/// [`Board::count_legal_moves`] with the side known at compile time.
#[inline(always)]
pub(crate) fn count_moves<S: Sliders + Copy, Us: Side>(sliders: S, board: &Board) -> u32 {
    let mut sink = MoveCounter(0);
    generate::<S, Us>(sliders, board, &mut sink);
    sink.0
}

/// Receives the moves that the generator finds, many at a time.
pub(crate) trait MoveSink {
    /// A piece, not a pawn, may go from one square to any of `targets`.
    fn piece(&mut self, kind: MoveKind, from: Square, targets: Bitboard);

    /// Pawns may go to each of `targets`, each from the square `delta` behind.
    fn pawns(&mut self, kind: MoveKind, targets: Bitboard, delta: i8);

    /// Pawns may promote on each of `targets`, to four pieces.
    fn promotions(&mut self, targets: Bitboard, delta: i8);

    /// A single move: castling or en passant.
    fn single(&mut self, mv: Move);
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn piece(&mut self, kind: MoveKind, from: Square, targets: Bitboard) {
        self.extend(targets.into_iter().map(|to| Move::new(from, to, kind)));
    }

    #[inline(always)]
    fn pawns(&mut self, kind: MoveKind, targets: Bitboard, delta: i8) {
        self.extend(targets.into_iter().map(|to| Move::new(to.offset(-delta), to, kind)));
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8) {
        for kind in MoveKind::PROMOTIONS {
            self.pawns(kind, targets, delta);
        }
    }

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Lists captures only.
struct CaptureList {
    list: MoveList,
    them: Bitboard,
}

impl MoveSink for CaptureList {
    #[inline(always)]
    fn piece(&mut self, kind: MoveKind, from: Square, targets: Bitboard) {
        self.list.piece(kind, from, targets & self.them);
    }

    #[inline(always)]
    fn pawns(&mut self, kind: MoveKind, targets: Bitboard, delta: i8) {
        self.list.pawns(kind, targets & self.them, delta);
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8) {
        self.list.promotions(targets & self.them, delta);
    }

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        if mv.kind() == MoveKind::EnPassant {
            self.list.push(mv);
        }
    }
}

/// Counts moves without storing them.
struct MoveCounter(u32);

impl MoveSink for MoveCounter {
    #[inline(always)]
    fn piece(&mut self, _kind: MoveKind, _from: Square, targets: Bitboard) {
        self.0 += targets.len();
    }

    #[inline(always)]
    fn pawns(&mut self, _kind: MoveKind, targets: Bitboard, _delta: i8) {
        self.0 += targets.len();
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _delta: i8) {
        self.0 += 4 * targets.len();
    }

    #[inline(always)]
    fn single(&mut self, _mv: Move) {
        self.0 += 1;
    }
}

/// A board, the constraints on its side to move, and slider lookups.
struct Generator<'a, S, Us> {
    board: &'a Board,
    masks: Masks,
    sliders: S,
    side: std::marker::PhantomData<Us>,
}

/// Finds all legal moves.
#[inline(always)]
pub(crate) fn generate<S: Sliders + Copy, Us: Side>(
    sliders: S,
    board: &Board,
    sink: &mut impl MoveSink,
) {
    debug_assert_eq!(board.side_to_move(), Us::COLOR);
    let masks = Masks::new::<Us>(&sliders, board);
    let generator = Generator::<S, Us> { board, masks, sliders, side: std::marker::PhantomData };
    generator.king_steps(sink);
    // Only king moves answer a double check or, where no game has it, en passant, which captures
    // one checker and blocks the other.
    if generator.masks.checkers.more_than_one() {
        generator.en_passant(sink);
        return;
    }
    generator.castling(sink);
    generator.pawns(sink);
    generator.pieces(sink);
}

impl<S: Sliders, Us: Side> Generator<'_, S, Us> {
    #[inline(always)]
    fn ours(&self, piece: Piece) -> Bitboard {
        self.board.colored_pieces(Us::COLOR, piece)
    }

    #[inline(always)]
    fn us(&self) -> Bitboard {
        self.board.colors(Us::COLOR)
    }

    #[inline(always)]
    fn them(&self) -> Bitboard {
        self.board.colors(Us::COLOR.opponent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::rays::Rays;
    use crate::types::CastlingMode;

    /// The same list at every node of the suites' trees, whichever lookups are used.
    #[test]
    fn moves_do_not_depend_on_slider_look_ups() {
        fn walk(board: &Board, depth: u8) {
            let moves = board.legal_moves();
            assert_eq!(legal_moves_with(board, Rays), moves, "{board}");
            assert_eq!(board.count_legal_moves() as usize, moves.len(), "{board}");
            let us = board.side_to_move();
            let captures = by_side!(us, Us => list_captures::<_, Us>(Magic, board));
            let is_capture = |&mv: &Move| board.is_capture(mv);
            assert!(moves.iter().copied().filter(is_capture).eq(captures), "{board}");
            for &mv in &moves {
                assert_eq!(is_capture(&mv), board.clone().make(mv).captured().is_some(), "{board}");
            }
            for mv in moves.into_iter().filter(|_| depth > 0) {
                let mut child = *board;
                child.make(mv);
                walk(&child, depth - 1);
            }
        }
        let suites = [
            (CastlingMode::Standard, include_str!("../../../../perft_suites/standard.epd")),
            (CastlingMode::Chess960, include_str!("../../../../perft_suites/tricky.epd")),
            (CastlingMode::Chess960, include_str!("../../../../perft_suites/chess960.epd")),
        ];
        for (mode, suite) in suites {
            for line in suite.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let (fen, _) = line.split_once(" ;").expect("counts follow the FEN");
                walk(&Board::from_fen(fen, mode).expect("the FEN is good"), 2);
            }
        }
    }
}

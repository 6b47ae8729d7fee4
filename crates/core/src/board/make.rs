//! Making a move and taking it back.

use super::{Board, State};
use crate::attacks::magic::Magic;
use crate::attacks::{self, Sliders};
use crate::types::{Bitboard, CastlingSide, Color, Move, MoveKind, Piece, Side, Square, by_side};

/// A move and what it takes to unmake it.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    mv: Move,
    captured: Option<Piece>,
    state: State,
}

impl Undo {
    /// The move.
    pub const fn mv(&self) -> Move {
        self.mv
    }

    /// The captured piece, by en passant too.
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Board {
    /// Makes a legal move. What it returns takes the move back.
    ///
    /// The move must be one of [`Board::legal_moves`]; any other leaves a board that is not a legal
    /// position (debug builds panic). [`Board::try_play`] checks.
    ///
    /// ```
    /// use perft_core::Board;
    ///
    /// let mut board = Board::startpos();
    /// let before = board;
    /// let undo = board.make(board.parse_uci("g1f3")?);
    /// assert_eq!(
    ///     board.to_string(),
    ///     "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    /// );
    /// board.unmake(undo);
    /// assert_eq!(board, before);
    /// # Ok::<(), perft_core::notation::ParseMoveError>(())
    /// ```
    pub fn make(&mut self, mv: Move) -> Undo {
        by_side!(self.side_to_move, Us => self.make_as::<Us>(Magic, mv))
    }

    /// [`Board::make`] with the side known at compile time, and the given slider lookups.
    #[inline(always)]
    pub(crate) fn make_as<Us: Side>(&mut self, sliders: impl Sliders + Copy, mv: Move) -> Undo {
        debug_assert_eq!(self.side_to_move, Us::COLOR);
        let (us, them) = (Us::COLOR, Us::COLOR.opponent());
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let mut undo = Undo { mv, captured: None, state: self.state };

        self.set_en_passant(None);
        self.state.halfmove_clock = self.state.halfmove_clock.saturating_add(1);
        if us == Color::Black {
            self.state.fullmove_number = self.state.fullmove_number.saturating_add(1);
        }

        if kind == MoveKind::Castle {
            let (king_to, rook_to) = castled_squares(us, from, to);
            self.toggle(us, Piece::King, from);
            self.toggle(us, Piece::Rook, to);
            self.toggle(us, Piece::King, king_to);
            self.toggle(us, Piece::Rook, rook_to);
        } else {
            let capture_on = if kind == MoveKind::EnPassant { to.forward(them) } else { to };
            if self.colors(them).contains(capture_on) {
                undo.captured = self.piece_on(capture_on);
                if let Some(piece) = undo.captured {
                    self.toggle(them, piece, capture_on);
                }
                self.state.halfmove_clock = 0;
            }
            self.toggle(us, kind.piece(), from);
            self.toggle(us, kind.promotion().unwrap_or(kind.piece()), to);
        }

        // A right is lost when its rook moves or is captured, both when the king moves.
        let touched = match kind.piece() {
            Piece::King => Bitboard::rank(us.back_rank()) | to.bitboard(),
            _ => from.bitboard() | to.bitboard(),
        };
        self.set_castling(self.state.castling.without(touched));

        self.switch_side();
        if kind.piece() == Piece::Pawn {
            self.state.halfmove_clock = 0;
            if kind == MoveKind::DoublePush {
                let target = from.forward(us);
                let pawns = attacks::pawn(us, target) & self.colored_pieces(them, Piece::Pawn);
                if !pawns.is_empty() && self.en_passant_is_possible(sliders, target) {
                    self.set_en_passant(Some(target));
                }
            }
        }
        debug_assert_eq!(self.check_invariants(), Ok(()), "after {mv:?}");
        undo
    }

    /// Takes back the last move made.
    #[inline(always)]
    pub fn unmake(&mut self, undo: Undo) {
        let mv = undo.mv;
        let them = self.side_to_move;
        let us = !them;
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        self.side_to_move = us;
        if kind == MoveKind::Castle {
            let (king_to, rook_to) = castled_squares(us, from, to);
            self.toggle(us, Piece::King, king_to);
            self.toggle(us, Piece::Rook, rook_to);
            self.toggle(us, Piece::King, from);
            self.toggle(us, Piece::Rook, to);
        } else {
            self.toggle(us, kind.promotion().unwrap_or(kind.piece()), to);
            self.toggle(us, kind.piece(), from);
            if let Some(piece) = undo.captured {
                let capture_on = if kind == MoveKind::EnPassant { to.forward(them) } else { to };
                self.toggle(them, piece, capture_on);
            }
        }
        // Last, because it restores the hash that the toggles changed.
        self.state = undo.state;
        debug_assert_eq!(self.check_invariants(), Ok(()), "after taking back {mv:?}");
    }
}

/// The squares of king and rook after castling.
#[inline(always)]
pub fn castled_squares(us: Color, king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::of(king, rook);
    let rank = us.back_rank();
    (Square::new(side.king_file(), rank), Square::new(side.rook_file(), rank))
}

/// The squares that matter to castling.
#[derive(Clone, Copy)]
pub(crate) struct CastlingPath {
    /// The squares that the king crosses or lands on: none may be attacked.
    pub safe: Bitboard,
    /// The squares that king or rook crosses or lands on: no other piece may stand there.
    pub empty: Bitboard,
}

impl CastlingPath {
    #[inline(always)]
    pub fn new(us: Color, king: Square, rook: Square) -> Self {
        let (king_to, rook_to) = castled_squares(us, king, rook);
        let safe = attacks::between(king, king_to) | king_to.bitboard();
        let rook_path = attacks::between(rook, rook_to) | rook_to.bitboard();
        Self { safe, empty: safe | rook_path }
    }
}

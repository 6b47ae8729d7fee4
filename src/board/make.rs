//! Making a move and taking it back.

use super::{Board, State};
use crate::attacks;
use crate::sliders::{Fancy, Sliders};
use crate::types::{Bitboard, Black, Color, Move, MoveKind, Piece, Side, Square, White, Wing};

/// What [`Board::unmake`] needs besides the move.
#[derive(Clone, Copy, Debug)]
#[must_use = "without it the move cannot be taken back"]
pub struct Undo {
    state: State,
    captured: Option<Piece>,
}

impl Undo {
    /// The man that was taken, en passant included.
    pub const fn captured(&self) -> Option<Piece> {
        self.captured
    }
}

impl Board {
    /// Makes a legal move.
    ///
    /// The move must be one of [`Board::legal_moves`]; with any other the board is no
    /// longer a legal position (debug builds panic).
    ///
    /// ```
    /// use perft::{Board, Variant};
    ///
    /// let mut board = Board::startpos();
    /// let before = board;
    /// let mv = board.parse_uci("g1f3", Variant::Standard)?;
    /// let undo = board.make(mv);
    /// assert_eq!(
    ///     board.fen(Variant::Standard),
    ///     "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    /// );
    /// board.unmake(mv, undo);
    /// assert_eq!(board, before);
    /// # Ok::<(), perft::board::IllegalMove>(())
    /// ```
    pub fn make(&mut self, mv: Move) -> Undo {
        match self.side_to_move {
            Color::White => self.make_as::<Fancy, White>(mv),
            Color::Black => self.make_as::<Fancy, Black>(mv),
        }
    }

    /// [`Board::make`] with the side and the sliders known while compiling.
    #[inline(always)]
    pub(crate) fn make_as<S: Sliders, Us: Side>(&mut self, mv: Move) -> Undo {
        debug_assert_eq!(self.side_to_move, Us::COLOR);
        let (us, them) = (Us::COLOR, Us::COLOR.opponent());
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let mut undo = Undo { state: self.state, captured: None };

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
            let taken_on = if kind == MoveKind::EnPassant { to.forward(them) } else { to };
            if self.color(them).contains(taken_on) {
                undo.captured = self.piece_on(taken_on);
                if let Some(piece) = undo.captured {
                    self.toggle(them, piece, taken_on);
                }
                self.state.halfmove_clock = 0;
            }
            self.toggle(us, kind.piece(), from);
            self.toggle(us, kind.promotion().unwrap_or(kind.piece()), to);
        }

        // A right goes when its rook leaves or is taken, and both when the king moves.
        let touched = match kind.piece() {
            Piece::King => Bitboard::rank(us.back_rank()) | to.bitboard(),
            _ => from.bitboard() | to.bitboard(),
        };
        self.set_castling(self.state.castling.without(touched));

        self.pass_the_move();
        if kind.piece() == Piece::Pawn {
            self.state.halfmove_clock = 0;
            if kind == MoveKind::DoublePush {
                let target = from.forward(us);
                let takers = attacks::pawn(us, target) & self.men(them, Piece::Pawn);
                if !takers.is_empty() && self.en_passant_is_possible::<S>(target) {
                    self.set_en_passant(Some(target));
                }
            }
        }
        debug_assert_eq!(self.check_invariants(), Ok(()), "after {mv:?}");
        undo
    }

    /// Takes back `mv`, the last move made, with what making it returned.
    #[inline(always)]
    pub fn unmake(&mut self, mv: Move, undo: Undo) {
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
                let taken_on = if kind == MoveKind::EnPassant { to.forward(them) } else { to };
                self.toggle(them, piece, taken_on);
            }
        }
        // Last, because the key in it overrules what the toggles did.
        self.state = undo.state;
        debug_assert_eq!(self.check_invariants(), Ok(()), "after taking back {mv:?}");
    }
}

/// Where king and rook stand after castling.
#[inline(always)]
pub(crate) fn castled_squares(us: Color, king: Square, rook: Square) -> (Square, Square) {
    let wing = Wing::of(king, rook);
    let rank = us.back_rank();
    (Square::new(wing.king_file(), rank), Square::new(wing.rook_file(), rank))
}

/// The squares that castling asks about, king and rook going to fixed squares from wherever
/// they stand.
#[derive(Clone, Copy)]
pub(crate) struct CastlingPath {
    /// What the king passes or lands on: none may be attacked.
    pub safe: Bitboard,
    /// What king or rook passes or lands on: nobody but the two may stand there.
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

//! Legal moves, directly: no move is made to see whether it was legal.
//!
//! `masks` says what checks and pins leave, `pieces`, `pawns` and `king` turn that into sets of
//! moves, and a `Sink` takes the sets: one sink lists the moves, another only counts them. The
//! rules are written once for both.

use crate::board::Board;
use crate::sliders::Sliders;
use crate::types::{Bitboard, Black, Color, Move, MoveKind, MoveList, Piece, Side, Square, White};

mod king;
mod masks;
mod pawns;
mod pieces;

pub(crate) use king::castling;
use masks::Masks;

/// All legal moves, in no particular order.
pub fn legal_moves<S: Sliders>(board: &Board) -> MoveList {
    let mut list = MoveList::new();
    match board.side_to_move() {
        Color::White => list_moves::<S, White>(board, &mut list),
        Color::Black => list_moves::<S, Black>(board, &mut list),
    }
    list
}

/// The number of legal moves, without a list of them.
pub fn count_legal_moves<S: Sliders>(board: &Board) -> u32 {
    match board.side_to_move() {
        Color::White => count_moves::<S, White>(board),
        Color::Black => count_moves::<S, Black>(board),
    }
}

/// [`legal_moves`] with the side known while compiling.
#[inline(always)]
pub(crate) fn list_moves<S: Sliders, Us: Side>(board: &Board, list: &mut MoveList) {
    generate::<S, Us>(board, list);
}

/// [`count_legal_moves`] with the side known while compiling.
#[inline(always)]
pub(crate) fn count_moves<S: Sliders, Us: Side>(board: &Board) -> u32 {
    let mut counter = Counter(0);
    generate::<S, Us>(board, &mut counter);
    counter.0
}

/// Whether the pawn of `us` on `from` may take en passant on `to`: whether the king is safe
/// once the pawn has moved and the taken pawn is gone.
///
/// Looking at the position after the capture covers every case at once: two men leave a
/// rank together, a pinned pawn, a check that the capture ends, one that it does not.
#[inline(always)]
pub(crate) fn en_passant_is_legal<S: Sliders>(
    board: &Board,
    us: Color,
    from: Square,
    to: Square,
) -> bool {
    let taken = to.forward(!us).bitboard();
    let occupied = (board.occupied() ^ from.bitboard() ^ taken) | to.bitboard();
    let them = board.color(!us) - taken;
    !board.attackers::<S>(board.king(us), occupied).meets(them)
}

/// Takes the moves that the generator finds, many at a time.
trait Sink {
    /// A piece, not a pawn, may go from one square to any of `targets`.
    fn piece(&mut self, kind: MoveKind, from: Square, targets: Bitboard);

    /// Pawns may go to each of `targets`, each from the square `delta` behind.
    fn pawns(&mut self, kind: MoveKind, targets: Bitboard, delta: i8);

    /// Pawns may promote, in four ways each.
    fn promotions(&mut self, targets: Bitboard, delta: i8);

    /// A single move: castling or en passant.
    fn single(&mut self, mv: Move);
}

impl Sink for MoveList {
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

/// Counts moves and forgets them.
struct Counter(u32);

impl Sink for Counter {
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

/// A board with the side to move known while compiling, and what it takes to know its
/// legal moves.
struct Generator<'a, S, Us> {
    board: &'a Board,
    masks: Masks,
    side: std::marker::PhantomData<(S, Us)>,
}

#[inline(always)]
fn generate<S: Sliders, Us: Side>(board: &Board, sink: &mut impl Sink) {
    debug_assert_eq!(board.side_to_move(), Us::COLOR);
    let generator = Generator::<S, Us> {
        board,
        masks: Masks::new::<S, Us>(board),
        side: std::marker::PhantomData,
    };
    generator.king_steps(sink);
    // Nothing but the king answers two checks.
    if generator.masks.checkers.has_many() {
        return;
    }
    generator.castling(sink);
    generator.pawns(sink);
    generator.pieces(sink);
}

impl<S: Sliders, Us: Side> Generator<'_, S, Us> {
    #[inline(always)]
    fn ours(&self, piece: Piece) -> Bitboard {
        self.board.men(Us::COLOR, piece)
    }

    #[inline(always)]
    fn us(&self) -> Bitboard {
        self.board.color(Us::COLOR)
    }

    #[inline(always)]
    fn them(&self) -> Bitboard {
        self.board.color(Us::COLOR.opponent())
    }
}

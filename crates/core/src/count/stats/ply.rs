//! The kinds of the moves of one position, most of which are not made.

use std::marker::PhantomData;

use super::Check;
use crate::attacks;
use crate::board::Board;
use crate::count::Stats;
use crate::count::target::Target;
use crate::movegen::{self, MoveSink};
use crate::sys::cpu::{Baseline, outlined};
use crate::types::{Bitboard, Move, MoveKind, Piece, Side, Square, by_side};

/// The moves of a position by their kinds: at most [`crate::types::MAX_MOVES`] of each.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::count) struct PlyStats {
    nodes: u32,
    captures: u32,
    en_passants: u32,
    castles: u32,
    promotions: u32,
    checks: u32,
    discovered_checks: u32,
    double_checks: u32,
    checkmates: u32,
}

impl PlyStats {
    /// All moves.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Adds the kinds of a move that was made.
    fn add_check(&mut self, check: Option<Check>) {
        self.checks += u32::from(check.is_some());
        match check {
            None | Some(Check::Direct) => {}
            Some(Check::Discovered) => self.discovered_checks += 1,
            Some(Check::Double) => self.double_checks += 1,
            Some(Check::Mate) => self.checkmates += 1,
        }
    }
}

impl Stats {
    /// Adds the moves of a position, several times. The sums must fit.
    #[inline(always)]
    pub(in crate::count) fn add_ply(&mut self, ply: &PlyStats, times: u64) {
        let times = u128::from(times);
        let add = |sum: &mut u128, number: u32| *sum += u128::from(number) * times;
        add(&mut self.nodes, ply.nodes);
        add(&mut self.captures, ply.captures);
        // The others are rare.
        if ply.castles | ply.promotions | ply.en_passants != 0 {
            add(&mut self.en_passants, ply.en_passants);
            add(&mut self.castles, ply.castles);
            add(&mut self.promotions, ply.promotions);
        }
        if ply.checks != 0 {
            add(&mut self.checks, ply.checks);
            add(&mut self.discovered_checks, ply.discovered_checks);
            add(&mut self.double_checks, ply.double_checks);
            add(&mut self.checkmates, ply.checkmates);
        }
    }
}

/// The moves of a position, with code for any machine.
pub(in crate::count) fn ply_stats(board: &Board) -> PlyStats {
    by_side!(board.side_to_move(), Us => count_ply::<Baseline, Us>(Baseline, board))
}

outlined! {
    /// The moves of a position in which `Us` is to move.
    pub(in crate::count) fn count_ply<T: Target, Us: Side>(target: T, board: &Board) -> PlyStats {
        let mut sink = KindSink::<T, Us>::new(target, board);
        movegen::generate::<T, Us>(target, board, &mut sink);
        sink.ply
    }
}

outlined! {
    /// The check that a move gives.
    fn check_by_making<T: Target, Us: Side>(target: T, board: &Board, mv: Move) -> Option<Check> {
        let mut child = *board;
        child.make_as::<Us>(target, mv);
        Check::of_move::<T, Us>(target, mv, &child)
    }
}

/// Counts moves by their kinds. Those that may give check are made, and so are all of rare kinds.
pub(super) struct KindSink<'a, T, Us> {
    target: T,
    board: &'a Board,
    their_king: Square,
    /// The squares from which a piece of each kind would give check.
    squares: [Bitboard; 6],
    /// Our pieces that are the only ones between one of our sliders and their king.
    screens: Bitboard,
    pub ply: PlyStats,
    side: PhantomData<Us>,
}

impl<'a, T: Target, Us: Side> KindSink<'a, T, Us> {
    #[inline(always)]
    pub fn new(target: T, board: &'a Board) -> Self {
        let us = Us::COLOR;
        let their_king = board.king(!us);
        let occupied = board.occupied();
        let orthogonal = target.rook(their_king, occupied);
        let diagonal = target.bishop(their_king, occupied);
        let squares = Piece::ALL.map(|piece| match piece {
            Piece::Pawn => attacks::pawn(!us, their_king),
            Piece::Knight => attacks::knight(their_king),
            Piece::Bishop => diagonal,
            Piece::Rook => orthogonal,
            Piece::Queen => orthogonal | diagonal,
            Piece::King => Bitboard::EMPTY,
        });
        let screens = board.lines_to_king(!us).only_blockers() & board.colors(us);
        let ply = PlyStats::default();
        Self { target, board, their_king, squares, screens, ply, side: PhantomData }
    }

    /// The targets of a piece from which it gives check, itself or by opening a line.
    #[inline(always)]
    fn checks(&self, piece: Piece, from: Square, targets: Bitboard) -> Bitboard {
        let mut checks = targets & self.squares[piece.index()];
        if self.screens.contains(from) {
            checks |= targets - attacks::line(self.their_king, from);
        }
        checks
    }

    /// The targets of pawns from which one may give check, itself or by opening a line.
    #[inline(always)]
    fn pawn_checks(&self, targets: Bitboard, delta: i8) -> Bitboard {
        // No target is reached around the edge of the board.
        let from_screens = Bitboard(self.screens.0.rotate_left(delta as u32 & 63));
        targets & (self.squares[Piece::Pawn.index()] | from_screens)
    }

    /// Counts moves, most of which give no check.
    #[inline(always)]
    fn count(&mut self, targets: Bitboard) {
        self.ply.nodes += targets.len();
        self.ply.captures += (targets & self.board.colors(Us::COLOR.opponent())).len();
    }

    /// Makes a move to count it as a check, if it is one.
    #[inline(always)]
    fn make(&mut self, mv: Move) {
        let Self { target, board, .. } = *self;
        self.ply.add_check(check_by_making::<T, Us>(target, board, mv));
    }
}

impl<T: Target, Us: Side> MoveSink for KindSink<'_, T, Us> {
    #[inline(always)]
    fn piece(&mut self, kind: MoveKind, from: Square, targets: Bitboard) {
        self.count(targets);
        for to in self.checks(kind.piece(), from, targets) {
            self.make(Move::new(from, to, kind));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, kind: MoveKind, targets: Bitboard, delta: i8) {
        self.count(targets);
        for to in self.pawn_checks(targets, delta) {
            self.make(Move::new(to.offset(-delta), to, kind));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8) {
        for to in targets {
            for kind in MoveKind::PROMOTIONS {
                self.count(to.bitboard());
                self.ply.promotions += 1;
                self.make(Move::new(to.offset(-delta), to, kind));
            }
        }
    }

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        let is_castle = mv.kind() == MoveKind::Castle;
        self.ply.nodes += 1;
        self.ply.castles += u32::from(is_castle);
        self.ply.captures += u32::from(!is_castle);
        self.ply.en_passants += u32::from(!is_castle);
        self.make(mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::{random_placement, special};
    use crate::random::Rng;
    use crate::types::CastlingMode;

    /// The moves that a sink does not make, against the same moves made.
    #[test]
    fn a_move_without_check_is_recognized_before_it_is_made() {
        fn check<Us: Side>(board: &mut Board, known: &mut u32) {
            let sink = KindSink::<_, Us>::new(Baseline, board);
            let (squares, screens) = (sink.squares, sink.screens);
            let made = |mv: Move| match mv.kind() {
                MoveKind::EnPassant | MoveKind::Castle => true,
                kind => {
                    kind.promotion().is_some()
                        || squares[mv.piece().index()].contains(mv.to())
                        || screens.contains(mv.from())
                }
            };
            for mv in board.legal_moves().into_iter().filter(|&mv| !made(mv)) {
                let undo = board.make(mv);
                assert!(!board.in_check(), "{mv:?} gives check in {board:?}");
                board.unmake(undo);
                *known += 1;
            }
        }
        let (mut rng, mut known) = (Rng::new(1), 0);
        for round in 0..20_000 {
            let mut board = match round % 2 {
                0 => special(&mut rng, CastlingMode::Chess960),
                _ => random_placement(&mut rng),
            };
            by_side!(board.side_to_move(), Us => check::<Us>(&mut board, &mut known));
        }
        assert!(known > 100_000, "{known}");
    }
}

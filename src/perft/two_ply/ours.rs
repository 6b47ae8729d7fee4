//! Our moves: which of them are counted together, and what each adds to the sum.

use super::count_replies;
use super::lanes::Lanes;
use super::planes::Planes;
use super::replies::Replies;
use super::rules::{Rule, by};
use super::scene::Scene;
use super::their_king::{Lines, TheirKing};
use crate::attacks;
use crate::board::castled_squares;
use crate::movegen;
use crate::sliders::Sliders;
use crate::types::{Bitboard, Move, MoveKind, Piece, Side, Square};

/// Everything that is known about the position before our moves are looked at.
pub(super) struct Node<'a, S, L, Us> {
    pub scene: &'a Scene<'a, S, L, Us>,
    pub lines: &'a Lines,
    pub replies: &'a Replies<L>,
    pub their_king: &'a TheirKing,
}

impl<S, L, Us> Clone for Node<'_, S, L, Us> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, L, Us> Copy for Node<'_, S, L, Us> {}

/// What some of our moves add to the sum.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    /// How many men go to each square, not counting moves that were made.
    landings: Planes,
    /// What these change besides landing, and all replies to moves that were made.
    change: i32,
}

impl Sum {
    pub const ZERO: Self = Self { landings: Planes::ZERO, change: 0 };
}

impl<S: Sliders, L: Lanes, Us: Side> Node<'_, S, L, Us> {
    /// The sum over all our moves, we not being in check.
    #[inline(always)]
    pub fn sum(self, danger: Bitboard) -> u64 {
        let scene = self.scene;
        let mut sum = Sum::ZERO;
        let pinned = scene.our_pinned();
        let may_go = !scene.ours;

        let king = scene.our_king;
        self.man(&mut sum, Piece::King, king, attacks::king(king) & (may_go - danger));
        for from in scene.our(Piece::Knight) - pinned {
            self.man(&mut sum, Piece::Knight, from, attacks::knight(from) & may_go);
        }
        self.sliders(&mut sum, Piece::Bishop, pinned, S::bishop);
        self.sliders(&mut sum, Piece::Rook, pinned, S::rook);
        self.sliders(&mut sum, Piece::Queen, pinned, S::queen);
        self.pawns(&mut sum, pinned);
        movegen::castling::<Us>(scene.board, pinned, danger, |mv| {
            self.castling(&mut sum, mv);
        });

        self.total(&sum)
    }

    /// All replies to the moves that were summed up.
    #[inline(always)]
    pub fn total(self, sum: &Sum) -> u64 {
        let Self { scene, replies, their_king, .. } = self;
        let unchanged = replies.count + their_king.count;
        (sum.change + replies.to_landings(scene, &sum.landings, unchanged)) as u64
    }

    /// The moves of our sliders of a kind; one that is pinned stays on its line.
    #[inline(always)]
    fn sliders(
        self,
        sum: &mut Sum,
        piece: Piece,
        pinned: Bitboard,
        attacks: impl Fn(Square, Bitboard) -> Bitboard,
    ) {
        let scene = self.scene;
        for from in scene.our(piece) {
            let mut to = attacks(from, scene.occupied) - scene.ours;
            if pinned.contains(from) {
                to &= attacks::line(scene.our_king, from);
            }
            self.man(sum, piece, from, to);
        }
    }

    /// The moves of one man, none of them a special one.
    #[inline(always)]
    fn man(self, sum: &mut Sum, piece: Piece, from: Square, to: Bitboard) {
        let Self { scene, replies, their_king, .. } = self;
        let mut to = to;
        let notice = their_king.notice_to[piece.index()].meets(to);
        if notice || (their_king.notice_from | replies.anchors).contains(from) {
            if notice || their_king.notice_from.contains(from) {
                let kind = MoveKind::of(piece);
                let (landings, change) = L::apart(|| self.noticed_man(kind, from, to));
                to = landings;
                sum.change += change;
            }
            if replies.anchors.contains(from) {
                sum.change += L::apart(|| replies.change_by_leaving(scene, piece, from, to));
            }
        }
        sum.landings.add_one(to);
    }

    /// The moves of a man some of which their king notices: those that were not made, and
    /// what they change besides leaving and landing.
    #[inline(always)]
    fn noticed_man(self, kind: MoveKind, from: Square, to: Bitboard) -> (Bitboard, i32) {
        let Self { scene, lines, their_king, .. } = self;
        let piece = kind.promotion().unwrap_or(kind.piece());
        let checks = scene.checks(lines, their_king, piece, from, to);
        let mut to = to - checks;
        let mut change = 0;
        for to in checks {
            change += self.replies_to(Move::new(from, to, kind));
        }
        for pin in scene.pin_moves(lines, their_king, piece, from, to) {
            match scene.change_by_pins(lines, piece, from, pin) {
                Some(by_pins) => change += by_pins,
                None => {
                    to -= pin.bitboard();
                    change += self.replies_to(Move::new(from, pin, kind));
                }
            }
        }
        let steps = scene.step_moves(their_king, piece, from, to);
        if !steps.is_empty() {
            change += scene.change_by_steps(their_king, piece, from, steps);
        }
        (to, change)
    }

    #[inline(always)]
    fn pawns(self, sum: &mut Sum, pinned: Bitboard) {
        let Self { scene, replies, their_king, .. } = self;
        let us = Us::COLOR;
        let pawns = scene.our(Piece::Pawn);
        let seventh = Bitboard::rank(us.promotion_rank()).forward(!us);
        let single_out = pinned | seventh | their_king.notice_from | replies.anchors;

        let front = (pawns - single_out).forward(us);
        let single = front & scene.empty;
        let double = (single & Bitboard::rank(us.third_rank())).forward(us) & scene.empty;
        self.pawn_set(sum, single, us.up(), MoveKind::Pawn);
        self.pawn_set(sum, double, 2 * us.up(), MoveKind::DoublePush);
        let takes = (front.east() | front.west()) & scene.theirs;
        if !takes.is_empty() {
            let (east, west) = (front.east() & takes, front.west() & takes);
            self.pawn_set(sum, east, us.up() + Square::EAST, MoveKind::Pawn);
            self.pawn_set(sum, west, us.up() - Square::EAST, MoveKind::Pawn);
        }
        for from in pawns & single_out {
            self.single_pawn(sum, from, pinned);
        }
        if let Some(to) = scene.board.en_passant() {
            for from in attacks::pawn(!us, to) & pawns {
                if movegen::en_passant_is_legal::<S>(scene.board, us, from, to) {
                    sum.change += self.replies_to(Move::new(from, to, MoveKind::EnPassant));
                }
            }
        }
    }

    /// The moves of one pawn, en passant apart.
    #[inline(always)]
    fn single_pawn(self, sum: &mut Sum, from: Square, pinned: Bitboard) {
        let scene = self.scene;
        let us = Us::COLOR;
        let single = from.bitboard().forward(us) & scene.empty;
        let double = (single & Bitboard::rank(us.third_rank())).forward(us) & scene.empty;
        let takes = attacks::pawn(us, from) & scene.theirs;
        let mut to = single | takes | double;
        if pinned.contains(from) {
            to &= attacks::line(scene.our_king, from);
        }
        if Bitboard::rank(us.promotion_rank()).meets(to) {
            for to in to {
                for kind in MoveKind::PROMOTIONS {
                    self.promotion(sum, from, to, kind);
                }
            }
            return;
        }
        let allows = to & double & self.en_passant_makers();
        for to in allows {
            self.pawn(sum, from, to, MoveKind::DoublePush);
        }
        self.man(sum, Piece::Pawn, from, to - allows);
    }

    /// A promotion: a new piece lands where a pawn goes. The rules for a piece that goes to a
    /// square take it that it did not see through the square that it left; the new piece may,
    /// and then the move is made.
    #[inline(always)]
    fn promotion(self, sum: &mut Sum, from: Square, to: Square, kind: MoveKind) {
        let Self { scene, replies, their_king, .. } = self;
        if their_king.cares_for(scene.their_king).meets(attacks::line(from, to)) {
            sum.change += self.replies_to(Move::new(from, to, kind));
            return;
        }
        let mut landings = to.bitboard();
        let piece = kind.promotion().unwrap_or(Piece::Pawn);
        if their_king.notice_from.contains(from) || their_king.notice_to[piece.index()].contains(to)
        {
            let change;
            (landings, change) = L::apart(|| self.noticed_man(kind, from, landings));
            sum.change += change;
        }
        if replies.anchors.contains(from) {
            sum.change +=
                L::apart(|| replies.change_by_leaving(scene, Piece::Pawn, from, landings));
        }
        sum.landings.add_one(landings);
    }

    /// One move of a pawn that is noticed or allows en passant.
    #[inline(always)]
    fn pawn(self, sum: &mut Sum, from: Square, to: Square, kind: MoveKind) {
        if kind == MoveKind::DoublePush && self.en_passant_makers().contains(to) {
            let Self { scene, lines, their_king, .. } = self;
            let bit = to.bitboard();
            if scene.checks(lines, their_king, Piece::Pawn, from, bit).meets(bit) {
                sum.change += self.replies_to(Move::new(from, to, kind));
                return;
            }
            sum.change += L::apart(|| self.en_passant_replies(from));
        }
        self.man(sum, Piece::Pawn, from, to.bitboard());
    }

    /// How many of their pawns may take en passant after a double push.
    #[inline(always)]
    fn en_passant_replies(self, from: Square) -> i32 {
        let scene = self.scene;
        let target = from.forward(Us::COLOR);
        let ours = scene.ours - from.bitboard();
        let mut replies = 0;
        for taker in attacks::pawn(Us::COLOR, target) & scene.their(Piece::Pawn) {
            let theirs = (scene.theirs - taker.bitboard()) | target.bitboard();
            let attackers = scene.board.attackers::<S>(scene.their_king, ours | theirs);
            replies += !attackers.meets(ours) as i32;
        }
        replies
    }

    /// Our castling. King and rook mostly leave and land where nothing of theirs looks; then
    /// it changes nothing, else it is made.
    #[inline(always)]
    fn castling(self, sum: &mut Sum, mv: Move) {
        let Self { scene, replies, their_king, .. } = self;
        let (king_to, rook_to) = castled_squares(Us::COLOR, mv.from(), mv.to());
        let (king_to, rook_to) = (king_to.bitboard(), rook_to.bitboard());
        let left = mv.from().bitboard() | mv.to().bitboard();
        // Where their king is near, king and rook may leave one line to it at once, or stop
        // guarding one square of the second rank together.
        let back_rank = Bitboard::rank(Us::COLOR.back_rank());
        let near = by(Rule::CastlingNear, back_rank | back_rank.forward(Us::COLOR));
        let touched = by(Rule::CastlingTouched, replies.touched);
        let noticed = (their_king.notice_from & left)
            | (their_king.notice_to[Piece::King.index()] & king_to)
            | (their_king.notice_to[Piece::Rook.index()] & rook_to);
        let unnoticed = !touched.meets(left | king_to | rook_to)
            && by(Rule::CastlingNoticed, noticed).is_empty()
            && !attacks::king(scene.their_king).meets(near)
            && !near.contains(scene.their_king);
        sum.change +=
            if unnoticed { replies.count + their_king.count } else { self.replies_to(mv) };
    }

    /// Where a double push of ours comes to stand beside a pawn of theirs.
    #[inline(always)]
    fn en_passant_makers(self) -> Bitboard {
        let pawns = self.scene.their(Piece::Pawn);
        by(Rule::EnPassant, pawns.east() | pawns.west())
    }

    /// Pawns that leave nothing behind go to `to`, each from the square `delta` behind.
    #[inline(always)]
    fn pawn_set(self, sum: &mut Sum, to: Bitboard, delta: i8, kind: MoveKind) {
        let mut notice = self.their_king.notice_to[Piece::Pawn.index()];
        if kind == MoveKind::DoublePush {
            notice |= self.en_passant_makers();
        }
        for to in to & notice {
            self.pawn(sum, to.offset(-delta), to, kind);
        }
        sum.landings.add_one(to - notice);
    }

    /// The number of replies to a move, the slow way.
    #[inline(always)]
    pub fn replies_to(self, mv: Move) -> i32 {
        let board = self.scene.board;
        L::apart(|| count_replies::<S, Us>(board, mv))
    }
}

#[cfg(test)]
impl<S: Sliders, L: Lanes, Us: Side> Node<'_, S, L, Us> {
    /// One move by itself, on the way that it takes among all.
    pub fn single_move(self, sum: &mut Sum, mv: Move) {
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        match kind {
            MoveKind::Pawn | MoveKind::DoublePush => self.pawn(sum, from, to, kind),
            MoveKind::Castle => self.castling(sum, mv),
            MoveKind::EnPassant => sum.change += self.replies_to(mv),
            _ if kind.promotion().is_some() => self.promotion(sum, from, to, kind),
            _ => self.man(sum, kind.piece(), from, to.bitboard()),
        }
    }
}

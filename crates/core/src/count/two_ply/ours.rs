//! Our moves, in sets that are counted together, and what each adds to the sum.

use super::super::target::Target;
use super::context::Context;
use super::count_replies;
use super::planes::Planes;
use super::replies::Replies;
use super::rules::{KernelRule, by};
use super::their_king::{KingLines, TheirKing};
use crate::attacks;
use crate::board::castled_squares;
use crate::movegen;
use crate::sys::cpu::{Code, Level, outlined};
use crate::types::{Bitboard, Move, MoveKind, Piece, Side, Square};

/// The facts about the position, before any move of ours.
#[derive(Clone, Copy)]
pub(super) struct Node<'a, T: Target, Us> {
    pub context: &'a Context<'a, T, Us>,
    pub lines: &'a KingLines,
    pub replies: &'a Replies<T>,
    pub their_king: &'a TheirKing,
}

/// The contribution of some of our moves to the sum.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    /// The number of moves to each square, without moves that were made.
    landings: Planes,
    /// The changes by these moves other than by landing, and all replies to moves that were made.
    change: i32,
}

impl Sum {
    pub const ZERO: Self = Self { landings: Planes::ZERO, change: 0 };
}

/// The level is that of the target.
impl<T: Target, Us: Side> Level for Node<'_, T, Us> {
    #[inline(always)]
    fn outlined<C: Code>(self, code: C) -> C::Output {
        self.context.target.outlined(code)
    }
}

outlined! {
    /// Moves of a piece, some of which affect their king. Returns the targets of those that were
    /// not made, and the changes other than by leaving and landing.
    fn sensitive_moves<T: Target, Us: Side>(
        node: Node<'_, T, Us>,
        kind: MoveKind,
        from: Square,
        to: Bitboard,
    ) -> (Bitboard, i32) {
        let Node { context, lines, their_king, .. } = node;
        let piece = kind.promotion().unwrap_or(kind.piece());
        let checks = context.checks(lines, their_king, piece, from, to);
        let mut to = to - checks;
        let mut change = 0;
        for to in checks {
            change += node.replies_to_check(Move::new(from, to, kind));
        }
        let mut pins = context.pin_moves(lines, their_king, piece, from, to);
        if lines.is_on_line(from) && pins.more_than_one() {
            let (alike, each) =
                context.change_by_leaving_line(lines, their_king, piece, from, pins);
            pins -= alike;
            change += each * alike.len() as i32;
        }
        for pin in pins {
            match context.change_by_pins(lines, piece, from, pin) {
                Some(by_pins) => change += by_pins,
                None => {
                    to -= pin.bitboard();
                    change += node.replies_to(Move::new(from, pin, kind));
                }
            }
        }
        let steps = context.step_moves(their_king, piece, from, to);
        if !steps.is_empty() {
            change += context.change_by_steps(their_king, piece, from, steps);
        }
        (to, change)
    }
}

outlined! {
    /// The change by moves of a piece from a square: see [`Replies::change_by_leaving`].
    fn change_by_leaving<T: Target, Us: Side>(
        node: Node<'_, T, Us>,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        node.replies.change_by_leaving(node.context, piece, from, to)
    }
}

outlined! {
    /// The number of legal en-passant captures after a double push.
    fn en_passant_replies<T: Target, Us: Side>(node: Node<'_, T, Us>, from: Square) -> i32 {
        let context = node.context;
        let target = from.forward(Us::COLOR);
        let ours = context.ours - from.bitboard();
        let mut replies = 0;
        for pawn in attacks::pawn(Us::COLOR, target) & context.their(Piece::Pawn) {
            let theirs = (context.theirs - pawn.bitboard()) | target.bitboard();
            let attackers =
                context.board.attackers(context.target, context.their_king, ours | theirs);
            replies += !attackers.intersects(ours) as i32;
        }
        replies
    }
}

outlined! {
    /// The number of replies to a move that gives check, by a piece, which may be new.
    fn replies_to_check<T: Target, Us: Side>(
        node: Node<'_, T, Us>,
        piece: Piece,
        from: Square,
        to: Square,
    ) -> i32 {
        node.context.replies_to_check(piece, from, to)
    }
}

impl<T: Target, Us: Side> Node<'_, T, Us> {
    /// The sum over all our moves; we are not in check.
    #[inline(always)]
    pub fn sum(self, danger: Bitboard) -> u64 {
        let context = self.context;
        let target = context.target;
        let mut sum = Sum::ZERO;
        let pinned = context.our_pinned();
        let may_go = !context.ours;

        let king = context.our_king;
        self.piece_moves(&mut sum, Piece::King, king, attacks::king(king) & (may_go - danger));
        for from in context.our(Piece::Knight) - pinned {
            self.piece_moves(&mut sum, Piece::Knight, from, attacks::knight(from) & may_go);
        }
        self.sliders(&mut sum, Piece::Bishop, pinned, |from, occupied| {
            target.bishop(from, occupied)
        });
        self.sliders(&mut sum, Piece::Rook, pinned, |from, occupied| target.rook(from, occupied));
        self.sliders(&mut sum, Piece::Queen, pinned, |from, occupied| target.queen(from, occupied));
        self.pawns(&mut sum, pinned);
        movegen::castling::<Us>(context.board, pinned, danger, |mv| {
            self.castling(&mut sum, mv);
        });

        self.total(&sum)
    }

    /// All replies to the moves of a sum.
    #[inline(always)]
    pub fn total(self, sum: &Sum) -> u64 {
        let Self { context, replies, their_king, .. } = self;
        let unchanged = replies.count + their_king.count;
        (sum.change + replies.to_landings(context, &sum.landings, unchanged)) as u64
    }

    /// Moves of our sliders of a kind; a pinned one stays on its line.
    #[inline(always)]
    fn sliders(
        self,
        sum: &mut Sum,
        piece: Piece,
        pinned: Bitboard,
        attacks: impl Fn(Square, Bitboard) -> Bitboard,
    ) {
        let context = self.context;
        for from in context.our(piece) {
            let mut to = attacks(from, context.occupied) - context.ours;
            if pinned.contains(from) {
                to &= attacks::line(context.our_king, from);
            }
            self.piece_moves(sum, piece, from, to);
        }
    }

    /// Plain moves of one piece.
    #[inline(always)]
    fn piece_moves(self, sum: &mut Sum, piece: Piece, from: Square, to: Bitboard) {
        // Blocked pieces are common.
        if to.is_empty() {
            return;
        }
        let Self { replies, their_king, .. } = self;
        let mut to = to;
        let is_sensitive = their_king.sensitive_to[piece.index()].intersects(to);
        if is_sensitive || (their_king.sensitive_from | replies.anchors).contains(from) {
            if is_sensitive || their_king.sensitive_from.contains(from) {
                let kind = MoveKind::of(piece);
                let (landings, change) = sensitive_moves(self, kind, from, to);
                to = landings;
                sum.change += change;
            }
            if replies.anchors.contains(from) {
                sum.change += change_by_leaving(self, piece, from, to);
            }
        }
        sum.landings.add_one(to);
    }

    #[inline(always)]
    fn pawns(self, sum: &mut Sum, pinned: Bitboard) {
        let Self { context, replies, their_king, .. } = self;
        let us = Us::COLOR;
        let pawns = context.our(Piece::Pawn);
        let seventh = Bitboard::rank(us.promotion_rank()).forward(!us);
        // Pawns that may move along the line on which a slider attacks them.
        let capturers = attacks::pawns(!us, context.theirs);
        let along = replies.attacked_on_files | (replies.attacked_diagonally & capturers);
        let single_pawns = pinned | seventh | their_king.sensitive_from | along;

        let front = (pawns - single_pawns).forward(us);
        let single = front & context.empty;
        let double = (single & Bitboard::rank(us.third_rank())).forward(us) & context.empty;
        let anchors = (pawns - single_pawns) & replies.anchors;
        self.pawn_set(sum, anchors, single, us.up(), MoveKind::Pawn);
        self.pawn_set(sum, anchors, double, 2 * us.up(), MoveKind::DoublePush);
        let captures = (front.east() | front.west()) & context.theirs;
        if !captures.is_empty() {
            let (east, west) = (front.east() & captures, front.west() & captures);
            self.pawn_set(sum, anchors, east, us.up() + Square::EAST, MoveKind::Pawn);
            self.pawn_set(sum, anchors, west, us.up() - Square::EAST, MoveKind::Pawn);
        }
        for from in pawns & single_pawns {
            self.single_pawn(sum, from, pinned);
        }
        if let Some(to) = context.board.en_passant() {
            for from in attacks::pawn(!us, to) & pawns {
                if context.board.en_passant_is_legal(context.target, us, from, to) {
                    sum.change += self.replies_to(Move::new(from, to, MoveKind::EnPassant));
                }
            }
        }
    }

    /// Moves of one pawn, without en passant.
    #[inline(always)]
    fn single_pawn(self, sum: &mut Sum, from: Square, pinned: Bitboard) {
        let context = self.context;
        let us = Us::COLOR;
        let single = from.bitboard().forward(us) & context.empty;
        let double = (single & Bitboard::rank(us.third_rank())).forward(us) & context.empty;
        let captures = attacks::pawn(us, from) & context.theirs;
        let mut to = single | captures | double;
        if pinned.contains(from) {
            to &= attacks::line(context.our_king, from);
        }
        if Bitboard::rank(us.promotion_rank()).intersects(to) {
            for to in to {
                self.promotions(sum, from, to, &MoveKind::PROMOTIONS);
            }
            return;
        }
        let allows = to & double & self.en_passant_targets();
        for to in allows {
            self.pawn(sum, from, to, MoveKind::DoublePush);
        }
        self.piece_moves(sum, Piece::Pawn, from, to - allows);
    }

    /// Promotions: a new piece lands where the pawn goes. The rules for a piece that moves assume
    /// that it does not attack through the square that it left. The new piece may; then the moves
    /// are made.
    #[inline(always)]
    fn promotions(self, sum: &mut Sum, from: Square, to: Square, kinds: &[MoveKind]) {
        let Self { context, replies, their_king, .. } = self;
        if their_king.watched(context.their_king).intersects(attacks::line(from, to)) {
            for &kind in kinds {
                sum.change += self.replies_to(Move::new(from, to, kind));
            }
            return;
        }
        let to = to.bitboard();
        let mut landings = 0;
        for &kind in kinds {
            let piece = kind.promotion().unwrap_or(Piece::Pawn);
            let sensitive_to = their_king.sensitive_to[piece.index()];
            let mut landed = to;
            if their_king.sensitive_from.contains(from) || sensitive_to.intersects(to) {
                let change;
                (landed, change) = sensitive_moves(self, kind, from, to);
                sum.change += change;
            }
            sum.landings.add_one(landed);
            landings += landed.len() as i32;
        }
        if replies.anchors.contains(from) {
            let leaving = change_by_leaving(self, Piece::Pawn, from, to);
            sum.change += landings * leaving;
        }
    }

    /// One move of a pawn that may affect their king or allow en passant.
    #[inline(always)]
    fn pawn(self, sum: &mut Sum, from: Square, to: Square, kind: MoveKind) {
        if kind == MoveKind::DoublePush && self.en_passant_targets().contains(to) {
            let Self { context, lines, their_king, .. } = self;
            let bit = to.bitboard();
            if context.checks(lines, their_king, Piece::Pawn, from, bit).intersects(bit) {
                sum.change += self.replies_to(Move::new(from, to, kind));
                return;
            }
            sum.change += en_passant_replies(self, from);
        }
        self.piece_moves(sum, Piece::Pawn, from, to.bitboard());
    }

    /// Our castling. It mostly changes nothing, because no piece of theirs reaches the squares of
    /// king and rook; else it is made.
    #[inline(always)]
    fn castling(self, sum: &mut Sum, mv: Move) {
        let Self { context, replies, their_king, .. } = self;
        let (king_to, rook_to) = castled_squares(Us::COLOR, mv.from(), mv.to());
        let (king_to, rook_to) = (king_to.bitboard(), rook_to.bitboard());
        let left = mv.from().bitboard() | mv.to().bitboard();
        // Near their king, king and rook may leave one line to it at once, or stop attacking one
        // square of the second rank together.
        let back_rank = Bitboard::rank(Us::COLOR.back_rank());
        let near = by(KernelRule::CastlingNear, back_rank | back_rank.forward(Us::COLOR));
        let touched = by(KernelRule::CastlingTouched, replies.touched);
        let sensitive = (their_king.sensitive_from & left)
            | (their_king.sensitive_to[Piece::King.index()] & king_to)
            | (their_king.sensitive_to[Piece::Rook.index()] & rook_to);
        let is_neutral = !touched.intersects(left | king_to | rook_to)
            && by(KernelRule::CastlingSensitive, sensitive).is_empty()
            && !attacks::king(context.their_king).intersects(near)
            && !near.contains(context.their_king);
        sum.change +=
            if is_neutral { replies.count + their_king.count } else { self.replies_to(mv) };
    }

    /// Squares beside pawns of theirs: a double push that ends there allows en passant.
    #[inline(always)]
    fn en_passant_targets(self) -> Bitboard {
        let pawns = self.context.their(Piece::Pawn);
        by(KernelRule::EnPassant, pawns.east() | pawns.west())
    }

    /// Moves of pawns that change nothing of their king's by leaving, and are not attacked along
    /// their way: to each of `to`, from the square `delta` behind it. Some are anchors.
    #[inline(always)]
    fn pawn_set(self, sum: &mut Sum, anchors: Bitboard, to: Bitboard, delta: i8, kind: MoveKind) {
        let mut sensitive = self.their_king.sensitive_to[Piece::Pawn.index()];
        if kind == MoveKind::DoublePush {
            sensitive |= self.en_passant_targets();
        }
        for to in to & sensitive {
            self.pawn(sum, to.offset(-delta), to, kind);
        }
        let to = to - sensitive;
        if !anchors.is_empty() {
            let from = to.shift(-delta) & anchors;
            sum.change += self.replies.change_by_leaving_pawns::<Us>(from, from.shift(delta));
        }
        sum.landings.add_one(to);
    }

    /// The number of replies to a move that gives check.
    #[inline(always)]
    fn replies_to_check(self, mv: Move) -> i32 {
        let context = self.context;
        context.target.on_made(mv);
        let (kind, from, to) = (mv.kind(), mv.from(), mv.to());
        let piece = kind.promotion().unwrap_or(kind.piece());
        replies_to_check(self, piece, from, to)
    }

    /// The number of replies to a move, by making it.
    #[inline(always)]
    pub fn replies_to(self, mv: Move) -> i32 {
        let Context { board, target, .. } = *self.context;
        count_replies::<T, Us>(target, board, mv)
    }
}

#[cfg(test)]
impl<T: Target, Us: Side> Node<'_, T, Us> {
    /// One move alone, by the same code as among all moves.
    pub fn single_move(self, sum: &mut Sum, mv: Move) {
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        match kind {
            MoveKind::Pawn | MoveKind::DoublePush => self.pawn(sum, from, to, kind),
            MoveKind::Castle => self.castling(sum, mv),
            MoveKind::EnPassant => sum.change += self.replies_to(mv),
            _ if kind.promotion().is_some() => self.promotions(sum, from, to, &[kind]),
            _ => self.piece_moves(sum, kind.piece(), from, to.bitboard()),
        }
    }
}

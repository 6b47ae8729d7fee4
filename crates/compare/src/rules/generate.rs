//! The moves of each piece before king safety is considered; castling whole.

use super::steps::{DIAGONAL, KNIGHT, ORTHOGONAL, Step, ahead, around_the_edge, leap, step, walk};
use super::{Game, Rule};
use perft_core::board::castled_squares;
use perft_core::types::{CastlingSide, Color, Move, MoveKind, Piece, Rank, Square};

impl Game {
    /// The moves of all pieces without castling. They may leave the king attacked.
    pub(super) fn pseudo_legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for from in Square::all() {
            match self.piece_on(from) {
                Some((color, Piece::Pawn)) if color == self.side_to_move => {
                    self.pawn_moves(from, &mut moves);
                }
                Some((color, piece)) if color == self.side_to_move => {
                    self.piece_moves(from, piece, &mut moves);
                }
                _ => {}
            }
        }
        moves
    }

    /// The squares that a piece other than a pawn attacks.
    fn targets(&self, from: Square, piece: Piece) -> Vec<Square> {
        let (orthogonal, diagonal) = (ORTHOGONAL.as_slice(), DIAGONAL.as_slice());
        match piece {
            Piece::Pawn => Vec::new(),
            Piece::Knight => leap(from, &KNIGHT).collect(),
            Piece::Bishop => self.slide(from, diagonal).collect(),
            Piece::Rook => self.slide(from, orthogonal).collect(),
            Piece::Queen => {
                self.slide(from, orthogonal).chain(self.slide(from, diagonal)).collect()
            }
            Piece::King => leap(from, orthogonal).chain(leap(from, diagonal)).collect(),
        }
    }

    fn slide(&self, from: Square, steps: &'static [Step]) -> impl Iterator<Item = Square> {
        steps.iter().flat_map(move |&direction| {
            let mut open = true;
            walk(from, direction)
                .take_while(move |&at| std::mem::replace(&mut open, self.is_empty(at)))
        })
    }

    fn piece_moves(&self, from: Square, piece: Piece, moves: &mut Vec<Move>) {
        let us = self.side_to_move;
        let mut targets = self.targets(from, piece);
        if piece == Piece::Knight && self.lacks(Rule::KnightEdge) {
            targets.extend(around_the_edge(from, &KNIGHT));
        }
        let is_slider = matches!(piece, Piece::Bishop | Piece::Rook | Piece::Queen);
        if is_slider && self.lacks(Rule::SliderBlocked) {
            let mut empty = *self;
            empty.pieces = [None; 64];
            targets = empty.targets(from, piece);
        }
        for to in targets {
            let captures_own =
                self.lacks(Rule::OwnPiece) && self.piece_on(to) != Some((us, Piece::King));
            if !self.is_of(us, to) || captures_own {
                moves.push(Move::new(from, to, MoveKind::of(piece)));
            }
        }
    }

    fn pawn_moves(&self, from: Square, moves: &mut Vec<Move>) {
        let us = self.side_to_move;
        let Some(one) = step(from, (0, ahead(us))) else { return };
        let is_enemy = |to: Square| self.is_of(!us, to);

        if self.is_empty(one) || (self.lacks(Rule::PushEmpty) && is_enemy(one)) {
            self.pawn_arrives(from, one, moves);
        }
        let home = if us == Color::White { Rank::Second } else { Rank::Seventh };
        if from.rank() == home || self.lacks(Rule::DoublePushHome) {
            let is_free = self.is_empty(one) || self.lacks(Rule::DoublePushWay);
            let two = step(one, (0, ahead(us))).filter(|&two| {
                let captures = self.lacks(Rule::DoublePushLanding) && is_enemy(two);
                two.rank() != us.promotion_rank() && (self.is_empty(two) || captures)
            });
            if is_free && !self.lacks(Rule::DoublePush) {
                moves.extend(two.map(|two| Move::new(from, two, MoveKind::DoublePush)));
            }
        }

        let captures = [(-1, ahead(us)), (1, ahead(us))];
        if !self.lacks(Rule::PawnCaptures) {
            let mut targets: Vec<Square> = leap(from, &captures).collect();
            if self.lacks(Rule::PawnEdge) {
                targets.extend(around_the_edge(from, &captures));
            }
            for to in targets {
                if is_enemy(to) || (self.lacks(Rule::PawnVictim) && self.is_empty(to)) {
                    self.pawn_arrives(from, to, moves);
                }
            }
        }
        if !self.lacks(Rule::EnPassant)
            && let Some(target) = self.en_passant
            && self.is_empty(target)
            && self.piece_on(target.forward(!us)) == Some((!us, Piece::Pawn))
            && leap(from, &captures).any(|to| to == target)
        {
            moves.push(Move::new(from, target, MoveKind::EnPassant));
        }
    }

    /// A pawn's step or capture, with promotion on the last rank.
    fn pawn_arrives(&self, from: Square, to: Square, moves: &mut Vec<Move>) {
        if to.rank() != self.side_to_move.promotion_rank() || self.lacks(Rule::Promotion) {
            moves.push(Move::new(from, to, MoveKind::Pawn));
            return;
        }
        for kind in MoveKind::PROMOTIONS {
            let is_forgotten = match self.missing_rule {
                Some(Rule::PromotionChoice) => kind != MoveKind::PromoteQueen,
                Some(Rule::PromotionByCapture) => {
                    kind != MoveKind::PromoteQueen && from.file() != to.file()
                }
                Some(Rule::PromotionKnight) => kind == MoveKind::PromoteKnight,
                Some(Rule::PromotionBishop) => kind == MoveKind::PromoteBishop,
                Some(Rule::PromotionRook) => kind == MoveKind::PromoteRook,
                _ => false,
            };
            if !is_forgotten {
                moves.push(Move::new(from, to, kind));
            }
        }
    }

    /// Adds castling by the rules of Chess960: no other piece stands on the path of king and rook,
    /// and the king is attacked on no square of its path, the ends included.
    pub(super) fn add_castling(&self, moves: &mut Vec<Move>, checkers: &[Square]) {
        let us = self.side_to_move;
        let Some(king) = self.king(us) else { return };
        let is_forgotten = |side: CastlingSide| match self.missing_rule {
            Some(Rule::Castle) => true,
            Some(Rule::CastleKingSide) => side == CastlingSide::King,
            Some(Rule::CastleQueenSide) => side == CastlingSide::Queen,
            _ => false,
        };
        if self.king_homes[us.index()] != king {
            return;
        }
        for rook in self.castling.rooks_of(us) {
            if !is_forgotten(CastlingSide::of(king, rook))
                && self.may_castle(king, rook, checkers)
                && rook.rank() == king.rank()
            {
                moves.push(Move::new(king, rook, MoveKind::Castle));
            }
        }
    }

    fn may_castle(&self, king: Square, rook: Square, checkers: &[Square]) -> bool {
        let us = self.side_to_move;
        let (king_to, rook_to) = castled_squares(us, king, rook);
        let path = |a: Square, b: Square| {
            Square::all().filter(move |&square| a.min(b) <= square && square <= a.max(b))
        };
        let is_on_kings_path = |square: Square| path(king, king_to).any(|on| on == square);
        let mut blockers = path(king, king_to)
            .chain(path(rook, rook_to))
            .filter(|&square| square != king && square != rook && !self.is_empty(square));
        let is_free = self.lacks(Rule::CastleWay)
            || blockers.all(|square| {
                let is_rooks_only = !is_on_kings_path(square) && square != rook_to;
                is_rooks_only && self.lacks(Rule::CastleRookWay)
            });
        if !is_free || (!checkers.is_empty() && !self.lacks(Rule::CastleOutOfCheck)) {
            return false;
        }
        // Without the king, which does not block attacks on its own path.
        let mut lifted = *self;
        lifted.pieces[king.index()] = None;
        let is_attacked = |square: Square| !lifted.attackers(square, !us).is_empty();
        let mut crossed = path(king, king_to).filter(|&square| square != king && square != king_to);
        if !self.lacks(Rule::CastleThroughAttack) && crossed.any(is_attacked) {
            return false;
        }
        if self.lacks(Rule::CastleRookAttacked)
            && path(rook, rook_to).any(|square| !is_on_kings_path(square) && is_attacked(square))
        {
            return false;
        }
        if king_to != king && is_attacked(king_to) && !self.lacks(Rule::CastleIntoAttack) {
            return false;
        }
        // Attacks that the rook blocked before it castled.
        let after = self.after(Move::new(king, rook, MoveKind::Castle));
        let is_opened =
            after.attackers(king_to, !us).into_iter().any(|from| !lifted.attacks(from, king_to));
        !is_opened || self.lacks(Rule::CastlePinnedRook)
    }
}

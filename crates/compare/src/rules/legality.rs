//! King safety: moves that leave the king attacked, and what a missing rule changes about them.

use super::{Game, Rule};
use perft_core::attacks;
use perft_core::types::{Move, MoveKind, Piece, Square};

impl Game {
    /// Whether a move other than castling is allowed: the missing rule overlooks every attack on
    /// the king after it.
    pub(super) fn is_allowed(&self, mv: Move, checkers: &[Square]) -> bool {
        let (us, after) = (self.side_to_move, self.after(mv));
        if self.is_overstrict(mv, checkers) {
            return false;
        }
        let Some(king) = after.king(us) else { return true };
        let mut attackers = after.attackers(king, !us).into_iter();
        if mv.piece() == Piece::King {
            attackers.all(|attacker| self.overlooks_attack(mv, attacker))
        } else {
            let remaining = checkers.iter().filter(|&&checker| after.attacks(checker, king));
            let answers_one = remaining.count() < checkers.len();
            attackers.all(|attacker| {
                if checkers.contains(&attacker) {
                    self.overlooks_check(checkers.len() > 1 && answers_one)
                } else {
                    self.overlooks_discovered_check(mv, attacker, king)
                }
            })
        }
    }

    /// Whether an attack on the target square of a king move is overlooked.
    fn overlooks_attack(&self, mv: Move, attacker: Square) -> bool {
        let piece = self.piece_on(attacker).map(|(_, piece)| piece);
        // The attack exists only once the king has left its square, or has captured.
        let is_opened = !self.attacks(attacker, mv.to());
        match self.missing_rule {
            Some(Rule::KingSafe | Rule::SelfCheck) => true,
            Some(Rule::KingsApart) => piece == Some(Piece::King),
            Some(Rule::KingAlongLine) => is_opened,
            Some(Rule::KingCapturesGuarded) => !self.is_empty(mv.to()) && !is_opened,
            Some(Rule::KingPawnAttack) => piece == Some(Piece::Pawn),
            _ => false,
        }
    }

    /// Whether a check that is not answered is overlooked.
    fn overlooks_check(&self, one_of_two_is_answered: bool) -> bool {
        match self.missing_rule {
            Some(Rule::CheckAnswered | Rule::SelfCheck) => true,
            Some(Rule::DoubleCheck) => one_of_two_is_answered,
            _ => false,
        }
    }

    /// Whether a check that the move opens on its own king is overlooked.
    fn overlooks_discovered_check(&self, mv: Move, attacker: Square, king: Square) -> bool {
        let is_diagonal = king.file() != attacker.file() && king.rank() != attacker.rank();
        if mv.kind() == MoveKind::EnPassant {
            let captured = mv.to().forward(!self.side_to_move);
            if attacks::between(king, attacker).contains(captured) {
                return self.lacks(Rule::EnPassantRankPin) || self.lacks(Rule::SelfCheck);
            }
        }
        match self.missing_rule {
            Some(Rule::Pinned | Rule::SelfCheck) => true,
            Some(Rule::PinnedPawn) => mv.piece() == Piece::Pawn,
            Some(Rule::PinnedOnDiagonal) => is_diagonal,
            Some(Rule::PinnedOnLine) => !is_diagonal,
            _ => false,
        }
    }

    /// Whether a legal move is lost with the missing rule.
    fn is_overstrict(&self, mv: Move, checkers: &[Square]) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(king) = self.king(self.side_to_move).filter(|_| mv.piece() != Piece::King) else {
            return false;
        };
        match self.missing_rule {
            Some(Rule::PinnedSlides) => self.is_pinned(from),
            Some(Rule::CheckCapture) => checkers.contains(&to),
            Some(Rule::CheckBlock) => {
                checkers.iter().any(|&checker| attacks::between(king, checker).contains(to))
            }
            _ => false,
        }
    }

    /// Drops the en-passant captures that are lost with the missing rule.
    pub(super) fn drop_en_passant(&self, moves: &mut Vec<Move>, checkers: &[Square]) {
        let is_capture = |mv: &Move| mv.kind() == MoveKind::EnPassant;
        if self.lacks(Rule::EnPassantBoth)
            && let Some(first) = moves.iter().position(is_capture)
        {
            let mut index = 0..;
            moves.retain(|mv| index.next() <= Some(first) || !is_capture(mv));
        }
        if self.lacks(Rule::EnPassantEvasion) {
            let captured = |mv: &Move| mv.to().forward(!self.side_to_move);
            moves.retain(|mv| !is_capture(mv) || !checkers.contains(&captured(mv)));
        }
    }
}

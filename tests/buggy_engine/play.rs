//! The moves of `position`: what a move's text means, and playing it.

use crate::board::{
    BISHOP, BLACK, Board, EMPTY, KING, KNIGHT, Move, MoveKind, NO_SQUARE, PAWN, QUEEN, ROOK,
    Square, WHITE, at, file, home, rank,
};
use crate::bugs::Bug;

impl Board {
    /// Plays the moves of `position`, up to the first that is none.
    pub fn play(&mut self, moves: &[&str]) {
        let root_side = self.side;
        let mut moves = moves;
        if self.has(Bug::MovesLastIgnored) {
            moves = &moves[..moves.len().saturating_sub(1)];
        }
        if self.has(Bug::MovesFirstTwo) {
            moves = &moves[..moves.len().min(2)];
        }
        for text in moves {
            let Some(mv) = self.parse(text) else { return };
            self.play_move(mv);
        }
        if self.has(Bug::MovesSideParity) && root_side == BLACK && !moves.is_empty() {
            self.side = (moves.len() % 2) as u8;
        }
    }

    fn parse(&self, text: &str) -> Option<Move> {
        let bytes = text.as_bytes();
        let (from, to) = (square(bytes.get(..2)?)?, square(bytes.get(2..4)?)?);
        let mut promotion = match bytes.get(4) {
            None => EMPTY,
            Some(b'n') => KNIGHT,
            Some(b'b') => BISHOP,
            Some(b'r') => ROOK,
            Some(b'q') => QUEEN,
            Some(b'k') => KING,
            Some(_) => PAWN,
        };
        if promotion != EMPTY && self.has(Bug::MovesPromotionQueen) {
            promotion = QUEEN;
        }
        if promotion == KNIGHT && self.has(Bug::MovesPromotionKnight) {
            promotion = KING;
        }
        if self.has(Bug::MovesPromotionLost) {
            promotion = EMPTY;
        }
        let piece = self.kind_on(from);
        let mut kind = match piece {
            PAWN if from.abs_diff(to) == 32 => MoveKind::DoublePush,
            PAWN if file(from) != file(to) && self.kind_on(to) == EMPTY => MoveKind::EnPassant,
            KING => self.castling(from, to),
            _ => MoveKind::Plain,
        };
        let is_lost = kind == MoveKind::EnPassant && self.has(Bug::MovesEp)
            || kind == MoveKind::Castle(1) && self.has(Bug::MovesCastleLong)
            || matches!(kind, MoveKind::Castle(_)) && self.has(Bug::MovesCastle)
            || self.chess960
                && matches!(kind, MoveKind::Castle(_))
                && self.has(Bug::MovesCastle960);
        let to = match kind {
            MoveKind::Castle(wing) if !(is_lost && self.has(Bug::MovesCastle960)) => {
                home(self.side) + if wing == 0 { 6 } else { 2 }
            }
            _ => to,
        };
        if is_lost {
            kind = MoveKind::Plain;
        }
        (piece != EMPTY).then_some(Move { from, to, promotion, kind })
    }

    fn castling(&self, from: Square, to: Square) -> MoveKind {
        let wing = u8::from(to < from);
        let takes_rook = self.is(to, ROOK, self.side);
        let goes_two = !self.chess960 && rank(from) == rank(to) && from.abs_diff(to) == 2;
        if takes_rook || goes_two { MoveKind::Castle(wing) } else { MoveKind::Plain }
    }

    fn play_move(&mut self, mv: Move) {
        let us = self.side;
        let (rights, ep, key, king) = (self.rights, self.ep, self.key, self.kings[us as usize]);
        let piece = self.kind_on(mv.from);
        let captured = self.kind_on(mv.to);
        self.make(mv);
        if self.has(Bug::MovesRights)
            || piece == ROOK && self.has(Bug::MovesRightsRook)
            || captured == ROOK && self.has(Bug::MovesRightsCaptured)
        {
            self.rights = rights;
        }
        if mv.kind == MoveKind::DoublePush
            && (self.has(Bug::MovesEpUnset) || us == WHITE && self.has(Bug::MovesEpUnsetWhite))
        {
            self.ep = NO_SQUARE;
        }
        if mv.kind != MoveKind::DoublePush && self.has(Bug::MovesEpKept) {
            self.ep = ep;
        }
        if self.has(Bug::MovesKey) {
            self.key = key;
        }
        if piece == KING && self.has(Bug::MovesKing) {
            self.kings[us as usize] = king;
        }
    }
}

/// The square of a name, if it is one.
fn square(name: &[u8]) -> Option<Square> {
    match name {
        &[column @ b'a'..=b'h', row @ b'1'..=b'8'] => Some(at(&[column, row])),
        _ => None,
    }
}

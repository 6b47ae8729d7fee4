//! A position played on with or without all rules: pieces, attacks, making moves.

use super::Rule;
use super::steps::{DIAGONAL, KNIGHT, ORTHOGONAL, Step, ahead, leap, walk};
use perft_core::Depth;
use perft_core::board::{Board, castled_squares};
use perft_core::types::{CastlingMode, CastlingRights, Color, Move, MoveKind, Piece, Square};

/// A position that is played on by all rules of chess, or by all but one.
///
/// Without a rule it can reach positions that chess does not have, without a king for example; the
/// other rules are then applied as far as they make sense.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    pub(super) pieces: [Option<(Color, Piece)>; 64],
    pub(super) side_to_move: Color,
    pub(super) castling: CastlingRights,
    /// The squares from which the kings may castle.
    pub(super) king_homes: [Square; 2],
    /// The en-passant square, with or without a legal capture there.
    pub(super) en_passant: Option<Square>,
    pub(super) missing_rule: Option<Rule>,
    mode: CastlingMode,
}

impl Game {
    /// The position, played on without a rule. Moves are read and written in the castling mode of
    /// the board.
    pub fn new(board: &Board, missing_rule: Option<Rule>) -> Self {
        let mut pieces = [None; 64];
        for square in Square::all() {
            pieces[square.index()] = board.colored_piece_on(square);
        }
        Self {
            pieces,
            side_to_move: board.side_to_move(),
            castling: board.castling(),
            king_homes: Color::ALL.map(|color| board.king(color)),
            en_passant: board.en_passant().filter(|_| missing_rule != Some(Rule::EnPassantRead)),
            missing_rule,
            mode: board.castling_mode(),
        }
    }

    /// The same with an en-passant square that a [`Board`] drops because no capture there is
    /// legal.
    #[must_use]
    pub fn with_en_passant(mut self, square: Option<Square>) -> Self {
        if !self.lacks(Rule::EnPassantRead) {
            self.en_passant = self.en_passant.or(square);
        }
        self
    }

    /// The same position, played on without another rule.
    #[must_use]
    pub const fn with_missing_rule(self, missing_rule: Option<Rule>) -> Self {
        Self { missing_rule, ..self }
    }

    /// Whether pieces, rights and en-passant square are the same.
    pub fn has_same_state(&self, other: &Self) -> bool {
        self.pieces == other.pieces
            && self.castling == other.castling
            && self.en_passant == other.en_passant
    }

    /// The pieces that attack the king of the side to move after its move, with their squares.
    pub fn attackers_after(&self, mv: Move) -> Vec<(Square, Piece)> {
        let (us, after) = (self.side_to_move, self.after(mv));
        let attackers = after.king(us).map(|king| after.attackers(king, !us)).unwrap_or_default();
        let piece = |at: Square| Some((at, after.piece_on(at)?.1));
        attackers.into_iter().filter_map(piece).collect()
    }

    /// The moves that the rules allow, sorted.
    pub fn moves(&self) -> Vec<Move> {
        let checkers = self.checkers();
        let mut moves = self.pseudo_legal_moves();
        moves.retain(|&mv| self.is_allowed(mv, &checkers));
        self.drop_en_passant(&mut moves, &checkers);
        self.add_castling(&mut moves, &checkers);
        moves.sort_unstable();
        moves
    }

    /// The number of lines of `depth` moves.
    pub fn perft(&self, depth: Depth) -> u64 {
        match depth {
            0 => 1,
            1 => self.moves().len() as u64,
            _ => self.moves().into_iter().map(|mv| self.after(mv).perft(depth - 1)).sum(),
        }
    }

    /// The moves in UCI notation, sorted, with the number of lines behind each.
    pub fn divide(&self, depth: Depth) -> Vec<(String, u64)> {
        let rest = depth.saturating_sub(1);
        let count = |mv: Move| (mv.uci(self.mode), self.after(mv).perft(rest));
        let mut branches: Vec<_> = self.moves().into_iter().map(count).collect();
        branches.sort();
        branches
    }

    /// The move that UCI writes as `text`. Castling may be written as in Chess960 in any mode.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let moves = self.moves();
        let is_written = |mv: &&Move| mv.uci(self.mode) == text;
        let is_castling =
            |mv: &&Move| mv.kind() == MoveKind::Castle && mv.uci(CastlingMode::Chess960) == text;
        moves.iter().find(is_written).or_else(|| moves.iter().find(is_castling)).copied()
    }

    /// The position after a move.
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut next = *self;
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        if mv.kind() == MoveKind::Castle {
            let (king_to, rook_to) = castled_squares(us, from, to);
            next.pieces[from.index()] = None;
            let rook_is_there = self.piece_on(to) == Some((us, Piece::Rook));
            if rook_is_there && !self.lacks(Rule::CastleMovesRook) {
                next.pieces[to.index()] = None;
                next.pieces[rook_to.index()] = Some((us, Piece::Rook));
            }
            next.pieces[king_to.index()] = Some((us, Piece::King));
        } else {
            next.pieces[to.index()] = next.pieces[from.index()].take();
            if let Some(piece) = mv.promotion() {
                next.pieces[to.index()] = Some((us, piece));
            }
            if mv.kind() == MoveKind::EnPassant && !self.lacks(Rule::EnPassantRemoves) {
                next.pieces[to.forward(!us).index()] = None;
            }
        }

        for rook in self.castling.rooks() {
            let is_lost = if rook == from {
                !self.lacks(Rule::CastleRookMoved)
            } else if rook == to && mv.kind() != MoveKind::Castle {
                !self.lacks(Rule::CastleRookCaptured)
            } else {
                let king_moved = mv.piece() == Piece::King && rook.rank() == us.back_rank();
                king_moved && !(self.lacks(Rule::CastleKingMoved) && mv.kind() == MoveKind::King)
            };
            if is_lost {
                next.castling = next.castling.without(rook.bitboard());
            }
        }
        next.en_passant = match mv.kind() {
            MoveKind::DoublePush => Some(from.forward(us)),
            _ if self.lacks(Rule::EnPassantExpires) => self.en_passant,
            _ => None,
        };
        next.side_to_move = !us;
        next
    }

    pub(super) fn lacks(&self, rule: Rule) -> bool {
        self.missing_rule == Some(rule)
    }

    /// The side to move.
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The castling rights.
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Whether the king of the side to move is attacked.
    pub fn is_in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Whether the piece on a square, of the side to move, shields its king from an attack.
    pub fn is_pinned(&self, square: Square) -> bool {
        // A pinned piece opens a line to its king when it is lifted off the board.
        let mut lifted = *self;
        lifted.pieces[square.index()] = None;
        let checkers = self.checkers();
        lifted.checkers().iter().any(|at| !checkers.contains(at))
    }

    /// The piece on a square.
    pub const fn piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        self.pieces[square.index()]
    }

    pub(super) fn is_empty(&self, square: Square) -> bool {
        self.piece_on(square).is_none()
    }

    pub(super) fn is_of(&self, color: Color, square: Square) -> bool {
        self.piece_on(square).is_some_and(|(other, _)| other == color)
    }

    pub(super) fn king(&self, color: Color) -> Option<Square> {
        Square::all().find(|&square| self.piece_on(square) == Some((color, Piece::King)))
    }

    /// The squares of the pieces of `by` that attack `square`.
    pub(super) fn attackers(&self, square: Square, by: Color) -> Vec<Square> {
        let first = |&direction: &Step| walk(square, direction).find(|&at| !self.is_empty(at));
        let is = |kinds: &'static [Piece]| {
            move |from: &Square| {
                let piece = self.piece_on(*from);
                piece.is_some_and(|(color, piece)| color == by && kinds.contains(&piece))
            }
        };
        let behind = [(-1, -ahead(by)), (1, -ahead(by))];
        let mut found = Vec::new();
        let orthogonal = ORTHOGONAL.iter().filter_map(first);
        found.extend(orthogonal.filter(is(&[Piece::Rook, Piece::Queen])));
        let diagonal = DIAGONAL.iter().filter_map(first);
        found.extend(diagonal.filter(is(&[Piece::Bishop, Piece::Queen])));
        found.extend(leap(square, &KNIGHT).filter(is(&[Piece::Knight])));
        found.extend(leap(square, &ORTHOGONAL).filter(is(&[Piece::King])));
        found.extend(leap(square, &DIAGONAL).filter(is(&[Piece::King])));
        found.extend(leap(square, &behind).filter(is(&[Piece::Pawn])));
        found
    }

    /// Whether the piece on `from` attacks `square`.
    pub(super) fn attacks(&self, from: Square, square: Square) -> bool {
        let piece = self.piece_on(from);
        piece.is_some_and(|(color, _)| self.attackers(square, color).contains(&from))
    }

    fn checkers(&self) -> Vec<Square> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        self.king(us).map_or_else(Vec::new, |king| self.attackers(king, them))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perft_core::positions::random::{random_game, random_placement, special};
    use perft_core::random::Rng;

    /// Positions of games and random placements.
    fn positions(rng: &mut Rng, number: usize) -> Vec<Board> {
        let mut boards = Vec::new();
        while boards.len() < number {
            let game = random_game(rng, Board::startpos(), 120);
            boards.extend((0..4).filter_map(|_| rng.pick(&game).copied()));
            boards.extend((0..8).map(|_| random_placement(rng)));
        }
        boards
    }

    #[test]
    fn with_all_rules_it_is_chess() {
        for board in positions(&mut Rng::new(1), 3_000) {
            let mut moves = board.legal_moves();
            moves.sort_unstable();
            assert_eq!(Game::new(&board, None).moves(), moves.to_vec(), "{board:?}");
        }
        let game = Game::new(&Board::startpos(), None);
        assert_eq!(game.perft(4), 197_281);
    }

    /// Without a rule some count differs from chess, and from that without any other rule.
    #[test]
    fn every_rule_matters_in_its_own_way() {
        let mut rng = Rng::new(2);
        let rules: Vec<Option<Rule>> =
            [None].into_iter().chain(Rule::ALL.iter().map(|&rule| Some(rule))).collect();
        let mut alike: Vec<(Option<Rule>, Option<Rule>)> = Vec::new();
        for (index, &rule) in rules.iter().enumerate() {
            alike.extend(rules[..index].iter().map(|&other| (other, rule)));
        }
        // It takes five plies to show: out, back, and castle.
        let late = (None, Some(Rule::CastleKingMoved));
        alike.retain(|&pair| pair != late);
        let board: Board = "7k/8/8/8/8/p1p2p1p/P1P2P1P/4K2R w K - 0 1".parse().unwrap();
        assert_ne!(Game::new(&board, late.0).perft(5), Game::new(&board, late.1).perft(5));

        for round in 0..10_000 {
            let mode = [CastlingMode::Standard, CastlingMode::Chess960][round % 2];
            let board = special(&mut rng, mode);
            let depth = if board.count_legal_moves() < 10 { 3 } else { 2 };
            let counts: Vec<u64> = match alike.len() {
                // First all at once, then the few pairs that are left.
                100.. => rules.iter().map(|&rule| Game::new(&board, rule).perft(depth)).collect(),
                _ => Vec::new(),
            };
            let place = |rule| rules.iter().position(|&other| other == rule).unwrap();
            let count = |rule| match counts.get(place(rule)) {
                Some(&count) => count,
                None => Game::new(&board, rule).perft(depth),
            };
            alike.retain(|&(rule, other)| count(rule) == count(other));
            if alike.is_empty() {
                return;
            }
        }
        panic!("not distinguished: {alike:?}");
    }
}

//! A game with or without all of its rules.

use super::Rule;
use crate::attacks;
use crate::board::Board;
use crate::board::castled_squares;
use crate::perft::Depth;
use crate::types::{
    CastlingRights, Color, File, Move, MoveKind, Piece, Rank, Square, Variant, Wing,
};

type Men = [Option<(Color, Piece)>; 64];
type Step = (i8, i8);

const STRAIGHT: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const SLANTED: [Step; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const JUMPS: [Step; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// A position that is played on by all rules of chess, or by all but one.
///
/// A broken rule can lead to positions that chess does not have, without a king, say; the other
/// rules then go as far as they make sense.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    men: Men,
    side: Color,
    castling: CastlingRights,
    /// From where each king may castle.
    homes: [Square; 2],
    /// Where a pawn has just passed, whether or not one can take it.
    passed: Option<Square>,
    broken: Option<Rule>,
}

impl Game {
    /// The position, played on without the rule `broken`.
    pub fn new(board: &Board, broken: Option<Rule>) -> Self {
        let mut men: Men = [None; 64];
        for square in Square::all() {
            men[square.index()] = board.man_on(square);
        }
        Self {
            men,
            side: board.side_to_move(),
            castling: board.castling(),
            homes: Color::ALL.map(|color| board.king(color)),
            passed: board.en_passant().filter(|_| broken != Some(Rule::EnPassantRead)),
            broken,
        }
    }

    /// The same with an en-passant square that a [`Board`] drops because no capture there is
    /// legal.
    #[must_use]
    pub fn with_passed(mut self, passed: Option<Square>) -> Self {
        if self.broken != Some(Rule::EnPassantRead) {
            self.passed = self.passed.or(passed);
        }
        self
    }

    fn breaks(&self, rule: Rule) -> bool {
        self.broken == Some(rule)
    }

    fn at(&self, square: Square) -> Option<(Color, Piece)> {
        self.men[square.index()]
    }

    fn is_empty(&self, square: Square) -> bool {
        self.at(square).is_none()
    }

    fn is_of(&self, color: Color, square: Square) -> bool {
        self.at(square).is_some_and(|(other, _)| other == color)
    }

    fn king(&self, color: Color) -> Option<Square> {
        Square::all().find(|&square| self.at(square) == Some((color, Piece::King)))
    }

    /// All moves that the rules in force allow, sorted.
    pub fn moves(&self) -> Vec<Move> {
        let checkers = self.checkers();
        let mut moves = Vec::new();
        for from in Square::all() {
            match self.at(from) {
                Some((color, Piece::Pawn)) if color == self.side => self.pawn(from, &mut moves),
                Some((color, piece)) if color == self.side => self.piece(from, piece, &mut moves),
                _ => {}
            }
        }
        moves.retain(|&mv| self.is_allowed(mv, &checkers));
        self.en_passant_losses(&mut moves, &checkers);
        self.castle(&checkers, &mut moves);
        moves.sort_unstable();
        moves
    }

    /// The number of ways to play `depth` moves.
    pub fn perft(&self, depth: Depth) -> u64 {
        match depth {
            0 => 1,
            1 => self.moves().len() as u64,
            _ => self.moves().into_iter().map(|mv| self.after(mv).perft(depth - 1)).sum(),
        }
    }

    /// The moves as UCI writes them, sorted, each with the ways behind it.
    pub fn divide(&self, depth: Depth, variant: Variant) -> Vec<(String, u64)> {
        let rest = depth.saturating_sub(1);
        let count = |mv: Move| (mv.uci(variant), self.after(mv).perft(rest));
        let mut lines: Vec<_> = self.moves().into_iter().map(count).collect();
        lines.sort();
        lines
    }

    /// The move of this game that UCI writes as `text`, in whichever spelling of castling.
    pub fn parse_uci(&self, text: &str, variant: Variant) -> Option<Move> {
        let spelled = |mv: &&Move| mv.uci(variant) == text;
        let castle =
            |mv: &&Move| mv.kind() == MoveKind::Castle && mv.uci(Variant::Chess960) == text;
        let moves = self.moves();
        moves.iter().find(spelled).or_else(|| moves.iter().find(castle)).copied()
    }

    /// The position after a move.
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut next = *self;
        let (us, from, to) = (self.side, mv.from(), mv.to());
        if mv.kind() == MoveKind::Castle {
            let (king_to, rook_to) = castled_squares(us, from, to);
            next.men[from.index()] = None;
            let rook_is_there = self.at(to) == Some((us, Piece::Rook));
            if rook_is_there && !self.breaks(Rule::CastleMovesRook) {
                next.men[to.index()] = None;
                next.men[rook_to.index()] = Some((us, Piece::Rook));
            }
            next.men[king_to.index()] = Some((us, Piece::King));
        } else {
            next.men[to.index()] = next.men[from.index()].take();
            if let Some(piece) = mv.promotion() {
                next.men[to.index()] = Some((us, piece));
            }
            if mv.kind() == MoveKind::EnPassant && !self.breaks(Rule::EnPassantRemoves) {
                next.men[to.forward(!us).index()] = None;
            }
        }

        for rook in self.castling.rooks() {
            let gone = if rook == from {
                !self.breaks(Rule::CastleRookMoved)
            } else if rook == to && mv.kind() != MoveKind::Castle {
                !self.breaks(Rule::CastleRookCaptured)
            } else {
                let king_moved = mv.piece() == Piece::King && rook.rank() == us.back_rank();
                king_moved && !(self.breaks(Rule::CastleKingMoved) && mv.kind() == MoveKind::King)
            };
            if gone {
                next.castling = next.castling.without(rook.bitboard());
            }
        }
        let two_steps = mv.kind() == MoveKind::DoublePush;
        next.passed = match two_steps {
            true => Some(from.forward(us)),
            false if self.breaks(Rule::EnPassantExpires) => self.passed,
            false => None,
        };
        next.side = !us;
        next
    }

    /// Where the men of `by` stand that attack `square`.
    fn attackers(&self, square: Square, by: Color) -> Vec<Square> {
        let first = |&direction: &Step| walk(square, direction).find(|&at| !self.is_empty(at));
        let is = |pieces: &'static [Piece]| {
            move |from: &Square| {
                self.at(*from).is_some_and(|(color, piece)| color == by && pieces.contains(&piece))
            }
        };
        let behind = [(-1, -ahead(by)), (1, -ahead(by))];
        let straight = STRAIGHT.iter().filter_map(first);
        let slanted = SLANTED.iter().filter_map(first);
        let mut found = Vec::new();
        found.extend(straight.filter(is(&[Piece::Rook, Piece::Queen])));
        found.extend(slanted.filter(is(&[Piece::Bishop, Piece::Queen])));
        found.extend(leap(square, &JUMPS).filter(is(&[Piece::Knight])));
        found.extend(leap(square, &STRAIGHT).filter(is(&[Piece::King])));
        found.extend(leap(square, &SLANTED).filter(is(&[Piece::King])));
        found.extend(leap(square, &behind).filter(is(&[Piece::Pawn])));
        found
    }

    fn checkers(&self) -> Vec<Square> {
        self.king(self.side).map_or_else(Vec::new, |king| self.attackers(king, !self.side))
    }

    /// The squares on which a piece, not a pawn, could take, whoever stands there.
    fn reach(&self, from: Square, piece: Piece) -> Vec<Square> {
        let (straight, slanted) = (STRAIGHT.as_slice(), SLANTED.as_slice());
        match piece {
            Piece::Pawn => Vec::new(),
            Piece::Knight => leap(from, &JUMPS).collect(),
            Piece::Bishop => self.slide(from, slanted).collect(),
            Piece::Rook => self.slide(from, straight).collect(),
            Piece::Queen => self.slide(from, straight).chain(self.slide(from, slanted)).collect(),
            Piece::King => leap(from, straight).chain(leap(from, slanted)).collect(),
        }
    }

    fn slide(&self, from: Square, steps: &'static [Step]) -> impl Iterator<Item = Square> {
        steps.iter().flat_map(move |&direction| {
            let mut open = true;
            walk(from, direction)
                .take_while(move |&at| std::mem::replace(&mut open, self.is_empty(at)))
        })
    }

    fn piece(&self, from: Square, piece: Piece, moves: &mut Vec<Move>) {
        let mut targets = self.reach(from, piece);
        if piece == Piece::Knight && self.breaks(Rule::KnightEdge) {
            targets.extend(around_the_edge(from, &JUMPS));
        }
        if self.breaks(Rule::SliderBlocked) {
            // The men in the way are seen through.
            let lone = Self { men: [None; 64], ..*self };
            if matches!(piece, Piece::Bishop | Piece::Rook | Piece::Queen) {
                targets = lone.reach(from, piece);
            }
        }
        for to in targets {
            let own = self.is_of(self.side, to);
            let own_is_fair =
                self.breaks(Rule::OwnMan) && self.at(to) != Some((self.side, Piece::King));
            if !own || own_is_fair {
                moves.push(Move::new(from, to, MoveKind::of(piece)));
            }
        }
    }

    fn pawn(&self, from: Square, moves: &mut Vec<Move>) {
        let us = self.side;
        let Some(one) = step(from, (0, ahead(us))) else { return };
        let victim = |to: Square| self.is_of(!us, to);

        if self.is_empty(one) || (self.breaks(Rule::PushEmpty) && victim(one)) {
            self.pawn_arrives(from, one, moves);
        }
        let home = if us == Color::White { Rank::Second } else { Rank::Seventh };
        let at_home = from.rank() == home;
        if at_home || self.breaks(Rule::DoublePushHome) {
            let free = self.is_empty(one) || self.breaks(Rule::DoublePushWay);
            let two = step(one, (0, ahead(us))).filter(|&two| {
                let lands = self.breaks(Rule::DoublePushLanding) && victim(two);
                let stays_below = two.rank() != us.promotion_rank();
                stays_below && (self.is_empty(two) || lands)
            });
            if free && !self.breaks(Rule::DoublePush) {
                moves.extend(two.map(|two| Move::new(from, two, MoveKind::DoublePush)));
            }
        }

        if !self.breaks(Rule::PawnTakes) {
            let sides = [(-1, ahead(us)), (1, ahead(us))];
            let mut targets: Vec<Square> = leap(from, &sides).collect();
            if self.breaks(Rule::PawnEdge) {
                targets.extend(around_the_edge(from, &sides));
            }
            for to in targets {
                if victim(to) || (self.breaks(Rule::PawnVictim) && self.is_empty(to)) {
                    self.pawn_arrives(from, to, moves);
                }
            }
        }
        if !self.breaks(Rule::EnPassant)
            && let Some(passed) = self.passed
            && self.is_empty(passed)
            && self.at(passed.forward(!us)) == Some((!us, Piece::Pawn))
            && leap(from, &[(-1, ahead(us)), (1, ahead(us))]).any(|to| to == passed)
        {
            moves.push(Move::new(from, passed, MoveKind::EnPassant));
        }
    }

    /// A pawn steps or takes, and promotes where it must.
    fn pawn_arrives(&self, from: Square, to: Square, moves: &mut Vec<Move>) {
        if to.rank() != self.side.promotion_rank() || self.breaks(Rule::Promotion) {
            moves.push(Move::new(from, to, MoveKind::Pawn));
            return;
        }
        for kind in MoveKind::PROMOTIONS {
            let forgotten = match self.broken {
                Some(Rule::PromotionChoice) => kind != MoveKind::PromoteQueen,
                Some(Rule::PromotionByCapture) => {
                    kind != MoveKind::PromoteQueen && from.file() != to.file()
                }
                Some(Rule::PromotionKnight) => kind == MoveKind::PromoteKnight,
                Some(Rule::PromotionBishop) => kind == MoveKind::PromoteBishop,
                Some(Rule::PromotionRook) => kind == MoveKind::PromoteRook,
                _ => false,
            };
            if !forgotten {
                moves.push(Move::new(from, to, kind));
            }
        }
    }

    /// Whether a move of one man, not castling, is allowed: whether every attack on the king
    /// after it is one that the broken rule overlooks.
    fn is_allowed(&self, mv: Move, checkers: &[Square]) -> bool {
        let (us, after) = (self.side, self.after(mv));
        if self.is_overstrict(mv, checkers) {
            return false;
        }
        let Some(king) = after.king(us) else { return true };
        let mut attackers = after.attackers(king, !us).into_iter();
        if mv.piece() == Piece::King {
            attackers.all(|attacker| self.overlooks_step(mv, attacker))
        } else {
            let remaining = checkers.iter().filter(|&&checker| after.is_attacker(checker, king));
            let answers_one = remaining.count() < checkers.len();
            attackers.all(|attacker| {
                if checkers.contains(&attacker) {
                    self.overlooks_check(checkers.len() > 1 && answers_one)
                } else {
                    self.overlooks_discovery(mv, attacker, king)
                }
            })
        }
    }

    fn is_attacker(&self, from: Square, square: Square) -> bool {
        self.at(from).is_some_and(|(color, _)| self.attackers(square, color).contains(&from))
    }

    /// Whether an attack on the square that the king steps onto is overlooked.
    fn overlooks_step(&self, mv: Move, attacker: Square) -> bool {
        let piece = self.at(attacker).map(|(_, piece)| piece);
        // Seen only once the king is off its square, or has taken what stood there.
        let through_the_king = !self.is_attacker(attacker, mv.to());
        match self.broken {
            Some(Rule::KingSafe | Rule::SelfCheck) => true,
            Some(Rule::KingsApart) => piece == Some(Piece::King),
            Some(Rule::KingAlongLine) => through_the_king,
            Some(Rule::KingTakesGuarded) => !self.is_empty(mv.to()) && !through_the_king,
            Some(Rule::KingPawnAttack) => piece == Some(Piece::Pawn),
            _ => false,
        }
    }

    /// Whether a check that stays is overlooked.
    fn overlooks_check(&self, one_of_two_is_answered: bool) -> bool {
        match self.broken {
            Some(Rule::CheckAnswered | Rule::SelfCheck) => true,
            Some(Rule::DoubleCheck) => one_of_two_is_answered,
            _ => false,
        }
    }

    /// Whether a check that a man opens on its own king is overlooked.
    fn overlooks_discovery(&self, mv: Move, attacker: Square, king: Square) -> bool {
        let diagonal = king.file() != attacker.file() && king.rank() != attacker.rank();
        if mv.kind() == MoveKind::EnPassant {
            let taken = mv.to().forward(!self.side);
            if attacks::between(king, attacker).contains(taken) {
                return self.breaks(Rule::EnPassantRankPin) || self.breaks(Rule::SelfCheck);
            }
        }
        match self.broken {
            Some(Rule::Pinned | Rule::SelfCheck) => true,
            Some(Rule::PinnedPawn) => mv.piece() == Piece::Pawn,
            Some(Rule::PinnedOnDiagonal) => diagonal,
            Some(Rule::PinnedOnLine) => !diagonal,
            _ => false,
        }
    }

    /// Whether a legal move is not seen.
    fn is_overstrict(&self, mv: Move, checkers: &[Square]) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let by_king = mv.piece() == Piece::King;
        match self.broken {
            Some(Rule::PinnedSlides) if !by_king => {
                // Lifted off the board, the man opens a line to its king.
                let Some(king) = self.king(self.side) else { return false };
                let mut lifted = *self;
                lifted.men[from.index()] = None;
                lifted.attackers(king, !self.side).iter().any(|at| !checkers.contains(at))
            }
            Some(Rule::CheckCapture) if !by_king => checkers.contains(&to),
            Some(Rule::CheckBlock) if !by_king => {
                let king = self.king(self.side);
                king.is_some_and(|king| {
                    checkers.iter().any(|&checker| attacks::between(king, checker).contains(to))
                })
            }
            _ => false,
        }
    }

    /// Takes away en-passant captures that the broken rule does not see.
    fn en_passant_losses(&self, moves: &mut Vec<Move>, checkers: &[Square]) {
        let is_capture = |mv: &Move| mv.kind() == MoveKind::EnPassant;
        if self.breaks(Rule::EnPassantBoth)
            && let Some(first) = moves.iter().position(is_capture)
        {
            let mut place = 0..;
            moves.retain(|mv| place.next() <= Some(first) || !is_capture(mv));
        }
        if self.breaks(Rule::EnPassantEvasion) {
            let taken = |mv: &Move| mv.to().forward(!self.side);
            moves.retain(|mv| !is_capture(mv) || !checkers.contains(&taken(mv)));
        }
    }

    /// Castling as the Chess960 rules word it: the way is free of other men, and the king is
    /// not attacked where it stands, on any square of its way, or where it lands.
    fn castle(&self, checkers: &[Square], moves: &mut Vec<Move>) {
        let us = self.side;
        let Some(king) = self.king(us) else { return };
        let forgotten = |wing: Wing| match self.broken {
            Some(Rule::Castle) => true,
            Some(Rule::CastleKingSide) => wing == Wing::King,
            Some(Rule::CastleQueenSide) => wing == Wing::Queen,
            _ => false,
        };
        if self.homes[us.index()] != king {
            return;
        }
        for rook in self.castling.rooks_of(us) {
            if !forgotten(Wing::of(king, rook))
                && self.may_castle(king, rook, checkers)
                && rook.rank() == king.rank()
            {
                moves.push(Move::new(king, rook, MoveKind::Castle));
            }
        }
    }

    fn may_castle(&self, king: Square, rook: Square, checkers: &[Square]) -> bool {
        let us = self.side;
        let (king_to, rook_to) = castled_squares(us, king, rook);
        let way = |a: Square, b: Square| {
            Square::all().filter(move |&square| a.min(b) <= square && square <= a.max(b))
        };
        let is_on_kings_way = |square: Square| way(king, king_to).any(|on| on == square);
        let blocked = way(king, king_to)
            .chain(way(rook, rook_to))
            .filter(|&square| square != king && square != rook && !self.is_empty(square));
        let way_is_free = self.breaks(Rule::CastleWay)
            || blocked.clone().all(|square| {
                let only_rooks = !is_on_kings_way(square) && square != rook_to;
                only_rooks && self.breaks(Rule::CastleRookWay)
            });
        if !way_is_free || (!checkers.is_empty() && !self.breaks(Rule::CastleOutOfCheck)) {
            return false;
        }
        // On its way the king does not hide behind itself.
        let mut lifted = *self;
        lifted.men[king.index()] = None;
        let attacked = |square: Square| !lifted.attackers(square, !us).is_empty();
        let passes = way(king, king_to).filter(|&square| square != king && square != king_to);
        if !self.breaks(Rule::CastleThroughAttack) && passes.clone().any(attacked) {
            return false;
        }
        if self.breaks(Rule::CastleRookAttacked)
            && way(rook, rook_to).any(|square| !is_on_kings_way(square) && attacked(square))
        {
            return false;
        }
        if king_to != king && attacked(king_to) && !self.breaks(Rule::CastleIntoAttack) {
            return false;
        }
        // What is seen only now looks through where the rook stood.
        let after = self.after(Move::new(king, rook, MoveKind::Castle));
        let opened = after
            .attackers(king_to, !us)
            .into_iter()
            .any(|from| !lifted.is_attacker(from, king_to));
        !opened || self.breaks(Rule::CastlePinnedRook)
    }
}

fn step(square: Square, (east, north): Step) -> Option<Square> {
    let file = square.file().index().checked_add_signed(east.into())?;
    let rank = square.rank().index().checked_add_signed(north.into())?;
    Some(Square::new(*File::ALL.get(file)?, *Rank::ALL.get(rank)?))
}

/// The squares in a direction, up to the edge.
fn walk(from: Square, direction: Step) -> impl Iterator<Item = Square> {
    std::iter::successors(step(from, direction), move |&at| step(at, direction))
}

fn leap(from: Square, steps: &[Step]) -> impl Iterator<Item = Square> {
    steps.iter().filter_map(move |&direction| step(from, direction))
}

/// Where steps lead that leave the board to the left or right, if the edges met: the square of
/// the same index.
fn around_the_edge(from: Square, steps: &[Step]) -> Vec<Square> {
    let off = steps.iter().filter(|&&direction| step(from, direction).is_none());
    let wrapped = off.filter_map(|&(east, north)| {
        let delta = isize::from(east) + 8 * isize::from(north);
        from.index().checked_add_signed(delta).filter(|&index| index < 64)
    });
    wrapped.map(Square::from_index).collect()
}

fn ahead(color: Color) -> i8 {
    if color == Color::White { 1 } else { -1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::{random_game, random_placement, special};
    use crate::random::Rng;

    /// Positions from play and from nowhere.
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
        let board = Board::from_fen("7k/8/8/8/8/p1p2p1p/P1P2P1P/4K2R w K - 0 1", Variant::Standard);
        let board = board.unwrap();
        assert_ne!(Game::new(&board, late.0).perft(5), Game::new(&board, late.1).perft(5));

        for round in 0..10_000 {
            let variant = [Variant::Standard, Variant::Chess960][round % 2];
            let board = special(&mut rng, variant);
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
        panic!("not told apart: {alike:?}");
    }

    #[test]
    fn names_are_read_back() {
        for &rule in Rule::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
        }
    }
}

//! Moves: all that the pieces can make, and which of them leave the king safe.

use arrayvec::ArrayVec;

use crate::board::{
    BISHOP, BLACK, Board, EMPTY, KING, KING_STEPS, KNIGHT, KNIGHT_STEPS, Move, MoveKind, PAWN,
    QUEEN, ROOK, Square, WHITE, at, color, file, home, is_off, kind, rank, up,
};
use crate::bugs::Bug;

/// More than any position has.
pub type MoveList = ArrayVec<Move, 512>;

impl Board {
    /// The moves of the pieces, those that leave the king attacked among them.
    pub fn generate(&self) -> MoveList {
        let mut list = MoveList::new();
        if self.is_over() {
            return list;
        }
        let us = self.side;
        for &from in &self.lists[us as usize][..self.counts[us as usize]] {
            let piece = self.squares[from as usize];
            if color(piece) != us {
                continue;
            }
            match kind(piece) {
                PAWN => self.pawn_moves(from, &mut list),
                KNIGHT => self.knight_moves(from, &mut list),
                BISHOP => self.slider_moves(from, &KING_STEPS[4..], &mut list),
                ROOK => self.slider_moves(from, &KING_STEPS[..4], &mut list),
                QUEEN => self.slider_moves(from, &KING_STEPS, &mut list),
                KING => self.king_moves(from, &mut list),
                _ => {}
            }
        }
        if self.bugs.any() {
            self.cut(&mut list);
        }
        list
    }

    fn cut(&self, list: &mut MoveList) {
        let cuts = [
            (Bug::ListCut32, 32),
            (Bug::ListCut48, 48),
            (Bug::ListCut64, 64),
            (Bug::ListCut100, 100),
            (Bug::ListCut127, 127),
        ];
        for (_, length) in cuts.into_iter().filter(|&(bug, _)| self.has(bug)) {
            list.truncate(length);
        }
        if self.has(Bug::CapturesCut8) {
            let mut captures = 0;
            list.retain(|mv| {
                captures += usize::from(self.is_capture(*mv));
                !self.is_capture(*mv) || captures <= 8
            });
        }
        if self.has(Bug::PromotionsCut12) {
            let mut promotions = 0;
            list.retain(|mv| {
                promotions += usize::from(mv.promotion != EMPTY);
                mv.promotion == EMPTY || promotions <= 12
            });
        }
    }

    pub fn is_capture(&self, mv: Move) -> bool {
        mv.kind == MoveKind::EnPassant
            || !matches!(mv.kind, MoveKind::Castle(_)) && self.kind_on(mv.to) != EMPTY
    }

    fn add(&self, from: Square, to: Square, list: &mut MoveList) {
        push(list, Move { from, to, promotion: EMPTY, kind: MoveKind::Plain });
    }

    /// Whether a piece can go to a square, as far as its occupant matters.
    fn is_open(&self, from: Square, to: Square) -> bool {
        let piece = self.squares[to as usize];
        piece == EMPTY
            || color(piece) != self.side
            || kind(piece) == PAWN
                && self.kind_on(from) == KNIGHT
                && self.has(Bug::KnightTakesOwnPawn)
    }

    fn knight_moves(&self, from: Square, list: &mut MoveList) {
        for step in KNIGHT_STEPS {
            let to = from.wrapping_add_signed(step);
            if !is_off(to) && self.is_open(from, to) && !self.lacks(from, to) {
                self.add(from, to, list);
            }
        }
        if from == at(b"f6") && self.has(Bug::KnightF6) && self.is_open(from, at(b"f4")) {
            self.add(from, at(b"f4"), list);
        }
    }

    /// Whether a table of targets lacks one.
    fn lacks(&self, from: Square, to: Square) -> bool {
        let missing = [
            (Bug::KnightB8, KNIGHT, b"b8", b"d7"),
            (Bug::KnightE5, KNIGHT, b"e5", b"g4"),
            (Bug::KingC3, KING, b"c3", b"b2"),
            (Bug::KingG8, KING, b"g8", b"h7"),
            (Bug::RookA1, ROOK, b"a1", b"a8"),
            (Bug::RookH8, ROOK, b"h8", b"f8"),
            (Bug::BishopC1, BISHOP, b"c1", b"h6"),
            (Bug::QueenD4, QUEEN, b"d4", b"g7"),
            (Bug::PawnG5, PAWN, b"g5", b"h6"),
            (Bug::PawnD4, PAWN, b"d4", b"c3"),
        ];
        self.bugs.any()
            && missing.into_iter().any(|(bug, piece, a, b)| {
                self.has(bug) && self.kind_on(from) == piece && from == at(a) && to == at(b)
            })
    }

    fn slider_moves(&self, from: Square, steps: &[i8], list: &mut MoveList) {
        for &step in steps {
            let mut to = from.wrapping_add_signed(step);
            while !is_off(to) {
                if self.is_open(from, to) && !self.lacks(from, to) {
                    self.add(from, to, list);
                }
                if self.kind_on(to) != EMPTY && !self.sees_through(from, to) {
                    break;
                }
                to = to.wrapping_add_signed(step);
            }
        }
    }

    /// Whether a slider goes on behind a piece.
    fn sees_through(&self, from: Square, blocker: Square) -> bool {
        let is_full = |name: &[u8; 2]| self.kind_on(at(name)) != EMPTY;
        let is_rook_like = self.kind_on(from) != BISHOP;
        let own_king = self.is(blocker, KING, self.side);
        own_king && self.has(Bug::SliderOwnKing)
            || self.has(Bug::RookD4Occupancy)
                && from == at(b"d4")
                && blocker == at(b"f4")
                && is_rook_like
                && is_full(b"d6")
            || self.has(Bug::BishopE4Occupancy)
                && from == at(b"e4")
                && blocker == at(b"f5")
                && !is_full(b"d5")
            || self.has(Bug::RookE1Occupancy)
                && from == at(b"e1")
                && blocker == at(b"e2")
                && is_rook_like
                && is_full(b"d1")
                && is_full(b"f1")
    }

    fn king_moves(&self, from: Square, list: &mut MoveList) {
        for step in KING_STEPS {
            let to = from.wrapping_add_signed(step);
            if !is_off(to) && self.is_open(from, to) && !self.lacks(from, to) {
                self.add(from, to, list);
            }
        }
        if from == at(b"h4") && self.has(Bug::KingH4) && self.is_open(from, at(b"a5")) {
            self.add(from, at(b"a5"), list);
        }
        if self.king_homes[self.side as usize] == from {
            self.castling_moves(from, list);
        }
    }

    fn castling_moves(&self, king: Square, list: &mut MoveList) {
        let us = self.side;
        let row = home(us);
        for wing in 0..2 {
            let right = 2 * us + wing;
            let rook = self.rook_homes[right as usize];
            if self.rights & (1 << right) == 0 || !self.is_rook_there(rook) {
                continue;
            }
            let (to, rook_to) = if wing == 0 { (row + 6, row + 5) } else { (row + 2, row + 3) };
            let squares = [king, rook, to, rook_to];
            let (low, high) = (squares.into_iter().min(), squares.into_iter().max());
            let is_rook_only = |square: Square| square < king.min(to) || square > king.max(to);
            let is_empty = |square: Square| {
                square == king
                    || square == rook
                    || self.kind_on(square) == EMPTY
                    || is_rook_only(square) && us == BLACK && self.has(Bug::CastleRookWayBlack)
            };
            let is_free = (low.unwrap_or(king)..=high.unwrap_or(king)).all(is_empty);
            let mut path = king.min(to)..=king.max(to);
            let is_safe = path.all(|square| !self.is_castling_attacked(square, king, to));
            if is_free && is_safe && !self.refuses_castling(wing, king, rook, to) {
                let kind = MoveKind::Castle(wing);
                push(list, Move { from: king, to, promotion: EMPTY, kind });
            }
        }
    }

    /// Whether castling finds its rook. Nobody asks, unless the rook may have left.
    fn is_rook_there(&self, rook: Square) -> bool {
        !self.has(Bug::RookMoved) || self.is(rook, ROOK, self.side)
    }

    /// Whether a square that the king crosses is attacked.
    fn is_castling_attacked(&self, square: Square, king: Square, to: Square) -> bool {
        let them = self.side ^ 1;
        if !self.bugs.any() {
            return self.attacked(square, them);
        }
        let is_between = square != king && square != to;
        self.attackers(square, them).into_iter().any(|from| {
            let attacker = self.kind_on(from);
            let is_target = square == to && square != king;
            let is_unseen = is_between && self.has(Bug::CastleThrough)
                || is_target && self.has(Bug::CastleInto)
                || is_target && file(to) == 2 && self.has(Bug::CastleIntoLong)
                || is_between && self.side == BLACK && self.has(Bug::CastleThroughBlack)
                || is_between && attacker == KNIGHT && self.has(Bug::CastleThroughKnight)
                || is_between && attacker == PAWN && self.has(Bug::CastleThroughPawn)
                || attacker == KING && self.has(Bug::CastleNearKing)
                || square == king && self.has(Bug::CastleCheck)
                || square == king && attacker == KNIGHT && self.has(Bug::CastleCheckKnight)
                || square == king && file(to) == 2 && self.has(Bug::CastleCheckLong);
            !is_unseen
        })
    }

    /// Whether castling is wrongly left out.
    fn refuses_castling(&self, wing: u8, king: Square, rook: Square, to: Square) -> bool {
        let them = self.side ^ 1;
        let is_attacked = |square| self.attacked(square, them);
        let is_standard = file(king) == 4 && file(rook) == if wing == 0 { 7 } else { 0 };
        wing == 1 && is_standard && self.has(Bug::CastleBFile) && is_attacked(home(self.side) + 1)
            || self.has(Bug::CastleRookAttacked) && is_attacked(rook)
            || self.has(Bug::CastleShortRookAttacked) && wing == 0 && is_attacked(rook)
            || self.has(Bug::Castle960Target) && rook == to
            || self.has(Bug::Castle960Stays) && king == to
            || self.has(Bug::CastleBothWings)
                && wing == 1
                && self.rights & (1 << (2 * self.side)) != 0
            || self.has(Bug::CastleEpSquare) && !is_off(self.ep)
    }

    fn pawn_moves(&self, from: Square, list: &mut MoveList) {
        let us = self.side;
        let step = up(us);
        let to = from.wrapping_add_signed(step);
        if is_off(to) {
            return;
        }
        let is_last = rank(to) == rank(home(us ^ 1));
        let takes_ahead = is_last && self.has(Bug::PushTakesLast) && self.is_open(from, to);
        let is_lost = from == at(b"h7") && us == WHITE && self.has(Bug::PawnH7);
        if (self.kind_on(to) == EMPTY || takes_ahead) && !is_lost {
            self.add_pawn_move(from, to, list);
        }
        self.double_push(from, to, list);
        for side in [-1, 1] {
            let mut to = to.wrapping_add_signed(side);
            if is_off(to) {
                if !self.wraps(from, to) {
                    continue;
                }
                to = to.wrapping_add_signed(-8 * side);
                if is_off(to) {
                    continue;
                }
            }
            let piece = self.squares[to as usize];
            if piece != EMPTY {
                let is_open = color(piece) != us && !self.lacks(from, to);
                if is_open {
                    self.add_pawn_move(from, to, list);
                }
            } else if to == self.ep && !self.refuses_ep(side) {
                push(list, Move { from, to, promotion: EMPTY, kind: MoveKind::EnPassant });
            }
        }
    }

    fn wraps(&self, from: Square, to: Square) -> bool {
        let file_to = to & 15;
        let around = to.wrapping_add_signed(if file_to == 8 { -8 } else { 8 });
        let is_ep = around == self.ep;
        file(from) == 0 && self.side == BLACK && !is_ep && self.has(Bug::PawnWrapsBlack)
            || is_ep && self.has(Bug::EpWraps)
    }

    fn refuses_ep(&self, side: i8) -> bool {
        self.has(Bug::Ep)
            || side == -1 && self.has(Bug::EpFromRight)
            || self.side == BLACK && self.has(Bug::EpBlack)
            || self.has(Bug::EpFFile) && file(self.ep) == 5
    }

    fn double_push(&self, from: Square, over: Square, list: &mut MoveList) {
        let us = self.side;
        let home_rank = if us == WHITE { 1 } else { 6 };
        let is_home = rank(from) == home_rank
            || us == BLACK && rank(from) == 5 && self.has(Bug::DoublePushBlackSixth);
        let to = over.wrapping_add_signed(up(us));
        let jumps = file(from) == 7 && self.has(Bug::DoublePushJumpsH);
        let is_open = is_home
            && self.kind_on(to) == EMPTY
            && (jumps || self.kind_on(over) == EMPTY)
            && !(from == at(b"c2") && self.has(Bug::DoublePushC2))
            && !(self.has(Bug::DoublePushAttacked) && self.attacked(over, us ^ 1));
        if is_open {
            push(list, Move { from, to, promotion: EMPTY, kind: MoveKind::DoublePush });
        }
    }

    fn add_pawn_move(&self, from: Square, to: Square, list: &mut MoveList) {
        if rank(to) != rank(home(self.side ^ 1)) {
            return self.add(from, to, list);
        }
        for promotion in [QUEEN, ROOK, BISHOP, KNIGHT, KING, PAWN] {
            let is_other = promotion != QUEEN;
            let is_lost = is_other && self.side == BLACK && self.has(Bug::PromotionBlack)
                || promotion == BISHOP && file(to) == 7 && self.has(Bug::PromotionBishopH)
                || is_other && self.kind_on(to) == QUEEN && self.has(Bug::PromotionTakesQueen)
                || promotion == KNIGHT && self.has(Bug::PromotionKnight)
                || promotion == ROOK && self.has(Bug::PromotionRook)
                || promotion == ROOK
                    && self.has(Bug::PromotionRookCapture)
                    && file(from) != file(to);
            let is_piece = (KNIGHT..=QUEEN).contains(&promotion)
                || promotion == KING && self.has(Bug::PromotionKing)
                || promotion == PAWN && self.has(Bug::PromotionPawn);
            if is_piece && !is_lost {
                push(list, Move { from, to, promotion, kind: MoveKind::Plain });
            }
        }
    }

    /// Whether a move leaves the king safe. `in_check` is the state before it.
    pub fn is_legal(&mut self, mv: Move, in_check: bool) -> bool {
        let us = self.side;
        if self.bugs.any() && self.refuses(mv, in_check) {
            return false;
        }
        let is_king = self.kind_on(mv.from) == KING;
        let is_plain = !is_king && mv.kind != MoveKind::EnPassant;
        if is_plain && !in_check && !self.is_aligned(mv.from) {
            return true;
        }
        let checkers: Vec<(Square, u8)> = if self.bugs.any() && in_check {
            let squares = self.attackers(self.kings[us as usize], us ^ 1);
            squares.into_iter().map(|from| (from, self.kind_on(from))).collect()
        } else {
            Vec::new()
        };
        let is_capture = self.is_capture(mv);
        self.make(mv);
        let king = self.kings[us as usize];
        let mut is_safe = !self.attacked(king, us ^ 1);
        if !is_safe && self.bugs.any() {
            let attackers = self.attackers(king, us ^ 1);
            is_safe = attackers.iter().all(|&from| self.overlooks(mv, is_capture, from, &checkers));
        }
        self.unmake();
        is_safe
    }

    /// Whether a piece is on a line with its king.
    fn is_aligned(&self, from: Square) -> bool {
        let king = self.kings[self.side as usize];
        let files = file(king) as i8 - file(from) as i8;
        let ranks = rank(king) as i8 - rank(from) as i8;
        let is_missing = king == at(b"a1") && files == ranks && self.has(Bug::LineA1H8)
            || king == at(b"g1") && files == 0 && self.has(Bug::LineG1G8);
        (files == 0 || ranks == 0 || files.abs() == ranks.abs()) && !is_missing
    }

    /// Whether a legal move is wrongly taken for illegal.
    fn refuses(&mut self, mv: Move, in_check: bool) -> bool {
        let us = self.side;
        let king = self.kings[us as usize];
        let piece = self.kind_on(mv.from);
        let is_capture = self.is_capture(mv);
        if in_check {
            let takes_checker = || self.attackers(king, us ^ 1).contains(&mv.to);
            let is_block = !is_capture && piece != KING;
            return piece == PAWN && is_capture && self.has(Bug::CheckPawnTakes)
                || mv.promotion != EMPTY && self.has(Bug::CheckPromotion)
                || mv.kind == MoveKind::EnPassant && self.has(Bug::CheckEp)
                || piece == KING && is_capture && self.has(Bug::CheckKingTakes) && takes_checker()
                || piece == KNIGHT && is_block && self.has(Bug::CheckKnightBlocks)
                || is_block && king == at(b"e8") && mv.to == at(b"e6") && self.has(Bug::BetweenE8)
                || is_block && king == at(b"g1") && mv.to == at(b"e3") && self.has(Bug::BetweenG1);
        }
        if piece == KING || mv.kind == MoveKind::EnPassant {
            return false;
        }
        let takes_slider = matches!(self.kind_on(mv.to), BISHOP | ROOK | QUEEN);
        let sees_pin = takes_slider && self.has(Bug::PinnedTakes)
            || piece == ROOK && self.has(Bug::PinnedRookStuck)
            || piece == PAWN && file(mv.from) == file(king) && self.has(Bug::PinnedPawnStuck);
        sees_pin && self.is_pinned(mv.from)
    }

    fn is_pinned(&mut self, square: Square) -> bool {
        let piece = std::mem::take(&mut self.squares[square as usize]);
        let is_pinned = self.attacked(self.kings[self.side as usize], self.side ^ 1);
        self.squares[square as usize] = piece;
        is_pinned
    }

    /// Whether a piece that attacks the king after a move is overlooked. `checkers` gave check
    /// before it, with their kinds.
    fn overlooks(
        &self,
        mv: Move,
        is_capture: bool,
        from: Square,
        checkers: &[(Square, u8)],
    ) -> bool {
        let us = self.side ^ 1;
        let king = self.kings[us as usize];
        let attacker = self.kind_on(from);
        let moved = if mv.promotion == EMPTY { self.kind_on(mv.to) } else { PAWN };
        let is_king = moved == KING;
        let is_diagonal = file(from) != file(king) && rank(from) != rank(king);
        let is_ep = mv.kind == MoveKind::EnPassant;
        let is_new = checkers.iter().all(|&(checker, _)| checker != from);
        let is_pin = is_new && !is_king && !is_ep;
        let by_knight = || checkers.iter().any(|&(_, kind)| kind == KNIGHT);
        let is_castling = matches!(mv.kind, MoveKind::Castle(_));
        // The king that steps back along a rank is still taken for a shield.
        let along_rank = is_king
            && !is_castling
            && rank(mv.from) == rank(mv.to)
            && rank(from) == rank(mv.to)
            && (from < mv.from) == (mv.from < mv.to)
            && attacker != KING;

        is_pin && moved == QUEEN && self.has(Bug::PinnedQueen)
            || is_pin && attacker == QUEEN && self.has(Bug::PinByQueen)
            || is_pin && is_diagonal && self.has(Bug::PinDiagonal)
            || is_pin && moved == PAWN && us == BLACK && self.has(Bug::PinnedPawnBlack)
            || is_pin && is_capture && self.has(Bug::PinnedTakesAway)
            || is_pin && moved == KNIGHT && is_diagonal && self.has(Bug::PinnedKnightDiagonal)
            || is_ep && self.has(Bug::EpSelfCheck)
            || is_ep && is_diagonal && self.has(Bug::EpDiagonal)
            || is_ep && rank(from) == rank(king) && self.has(Bug::EpRankPin)
            || is_king && attacker == PAWN && file(from) == 7 && self.has(Bug::KingPawnH)
            || is_king && attacker == PAWN && is_capture && self.has(Bug::KingTakesByPawnGuarded)
            || is_king && attacker == PAWN && self.has(Bug::KingPawn)
            || is_king && attacker == ROOK && us == BLACK && self.has(Bug::KingRookBlack)
            || is_king && attacker == KING && is_capture && self.has(Bug::KingsApartTakes)
            || is_king && is_capture && is_new && self.has(Bug::KingTakesGuarded)
            || along_rank && self.has(Bug::KingAlongRank)
            || along_rank && attacker == QUEEN && self.has(Bug::KingAlongRankQueen)
            || is_castling && file(mv.to) == 2 && self.has(Bug::CastleIntoLong)
            || is_castling && self.has(Bug::CastleInto)
            || is_castling && attacker == KING && self.has(Bug::CastleNearKing)
            || !is_king
                && checkers.len() == 2
                && attacker != KNIGHT
                && by_knight()
                && self.has(Bug::DoubleCheckKnight)
            || !is_king && checkers.len() == 2 && self.has(Bug::DoubleCheck)
            || !is_king && attacker == PAWN && self.has(Bug::CheckByPawn)
            || !is_king
                && is_capture
                && !is_new
                && attacker == KNIGHT
                && self.has(Bug::CheckByKnightTakes)
    }
}

/// Adds a move; a list that is full stays as it is.
fn push(list: &mut MoveList, mv: Move) {
    list.try_push(mv).ok();
}

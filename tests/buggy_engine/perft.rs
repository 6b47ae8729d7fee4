//! Counting: the tree, its last ply, a table of counts, and lines that end early.

use crate::board::{
    BISHOP, BLACK, Board, EMPTY, KING, KNIGHT, Move, MoveKind, NO_SQUARE, PAWN, QUEEN, Undo, file,
    random,
};
use crate::bugs::Bug;
use crate::generate::MoveList;

/// Counts by key, the last one of each slot.
pub struct Table(Vec<(u64, u32, u64)>);

impl Table {
    const SLOTS: usize = 1 << 18;

    pub fn new() -> Self {
        Self(vec![(0, 0, 0); Self::SLOTS])
    }
}

/// Moves that are generated at once.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    All,
    Pieces,
    Pawns,
}

impl Board {
    /// What is generated at once below the root. An en-passant square that is not restored matters
    /// only if the moves of pawns are generated after others were made and unmade.
    fn stages(&self) -> &'static [Stage] {
        let is_staged = self.has(Bug::UnmakeEp) || self.has(Bug::UnmakeEpBlack);
        if is_staged { &[Stage::Pieces, Stage::Pawns] } else { &[Stage::All] }
    }

    fn generate_stage(&self, stage: Stage) -> MoveList {
        let mut list = self.generate();
        if stage != Stage::All {
            let is_of_pawn = |mv: &Move| self.kind_on(mv.from) == PAWN;
            list.retain(|mv| is_of_pawn(mv) == (stage == Stage::Pawns));
        }
        list
    }

    /// The legal moves and the number of leaves below each.
    pub fn divide(&mut self, depth: u32, table: &mut Option<Table>) -> Vec<(String, u64)> {
        let in_check = self.in_check();
        let mut branches = Vec::new();
        for mv in self.generate() {
            if !self.lists(mv, in_check) {
                continue;
            }
            let text = self.text(mv);
            self.make(mv);
            let mut nodes = self.count(depth.saturating_sub(1), table);
            self.unmake();
            if self.has(Bug::Branch16Bits) {
                nodes &= 0xFFFF;
            }
            branches.push((text, nodes));
        }
        branches
    }

    /// What is printed as the total.
    pub fn total(&self, branches: &[(String, u64)]) -> u64 {
        let counts = branches.iter().map(|&(_, nodes)| nodes);
        if self.has(Bug::TotalFloat) {
            return counts.map(|nodes| nodes as f32).sum::<f32>() as u64;
        }
        let total: u64 = counts.sum();
        if self.has(Bug::Total16Bits) {
            total & 0xFFFF
        } else if self.has(Bug::Total20Bits) {
            total & 0xF_FFFF
        } else {
            total
        }
    }

    /// Whether a move counts as legal where it is made.
    fn lists(&mut self, mv: Move, in_check: bool) -> bool {
        self.has(Bug::LegalityNextPly) || self.is_legal(mv, in_check)
    }

    fn count(&mut self, depth: u32, table: &mut Option<Table>) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.bugs.any()
            && let Some(nodes) = self.early_end(depth)
        {
            return nodes;
        }
        let key = self.table_key(depth);
        if let Some(table) = table {
            let (known, stored_depth, nodes) = table.0[key as usize % Table::SLOTS];
            let is_same =
                if self.has(Bug::KeyShort) { known as u16 == key as u16 } else { known == key };
            let is_deep = stored_depth == depth
                || stored_depth > depth && self.has(Bug::KeyDeeper)
                || self.has(Bug::KeyDepth);
            if is_same && is_deep && nodes != 0 {
                return nodes;
            }
        }
        let nodes = if depth == 1 { self.count_leaves() } else { self.count_below(depth, table) };
        if let Some(table) = table {
            table.0[key as usize % Table::SLOTS] = (key, depth, nodes);
        }
        nodes
    }

    fn count_below(&mut self, depth: u32, table: &mut Option<Table>) -> u64 {
        let in_check = self.in_check();
        let mut nodes = 0;
        for &stage in self.stages() {
            for mv in self.generate_stage(stage) {
                if self.lists(mv, in_check) {
                    self.make(mv);
                    nodes += self.count(depth - 1, table);
                    self.unmake();
                }
            }
        }
        self.or_mate(nodes, in_check)
    }

    /// The number of legal moves, none of which is made.
    fn count_leaves(&mut self) -> u64 {
        let in_check = self.in_check();
        let mut nodes = 0;
        let mut has_ep = false;
        for mv in self.generate() {
            if self.bugs.any() {
                let is_ep = mv.kind == MoveKind::EnPassant;
                if self.is_leaf_lost(mv, in_check) || is_ep && has_ep && self.has(Bug::LeafEpOnce) {
                    continue;
                }
                if self.is_leaf_granted(mv, in_check) || self.has(Bug::LegalityNextPly) {
                    nodes += 1;
                    continue;
                }
                has_ep |= is_ep;
            }
            nodes += u64::from(self.is_legal(mv, in_check));
            let is_castling = matches!(mv.kind, MoveKind::Castle(_));
            nodes += u64::from(is_castling && self.has(Bug::LeafCastlingTwice));
        }
        self.or_mate(nodes, in_check)
    }

    fn or_mate(&self, nodes: u64, in_check: bool) -> u64 {
        let bug = if in_check { Bug::MateCounts } else { Bug::StalemateCounts };
        if nodes == 0 && self.has(bug) { 1 } else { nodes }
    }

    /// Whether the count of the last ply leaves a move out.
    fn is_leaf_lost(&self, mv: Move, in_check: bool) -> bool {
        let is_capture = self.is_capture(mv);
        let is_castling = matches!(mv.kind, MoveKind::Castle(_));
        let is_other = mv.promotion != EMPTY && mv.promotion != QUEEN;
        is_other && self.has(Bug::LeafPromotionsOnce)
            || is_other && is_capture && self.has(Bug::LeafPromotionCapturesOnce)
            || mv.promotion == KNIGHT && self.has(Bug::LeafPromotionsThree)
            || is_castling && self.has(Bug::LeafNoCastling)
            || mv.kind == MoveKind::Castle(1) && self.has(Bug::LeafNoLongCastling)
            || mv.kind == MoveKind::EnPassant && self.has(Bug::LeafNoEp)
            || mv.kind == MoveKind::DoublePush && self.has(Bug::LeafNoDoublePush)
            || in_check && self.kind_on(mv.from) != KING && self.has(Bug::LeafCheckKingOnly)
            || in_check
                && !is_capture
                && self.kind_on(mv.from) != KING
                && self.has(Bug::LeafCheckNoBlock)
    }

    /// Whether the count of the last ply takes a move for legal without a test.
    fn is_leaf_granted(&self, mv: Move, in_check: bool) -> bool {
        let is_king = self.kind_on(mv.from) == KING;
        let is_ep = mv.kind == MoveKind::EnPassant;
        self.has(Bug::LeafPseudoLegal)
            || !in_check && !is_king && !is_ep && self.has(Bug::LeafPins)
            || !in_check && is_ep && self.has(Bug::LeafEpLegality)
            || in_check && !is_king && self.has(Bug::LeafCheckUnanswered)
            || is_king && self.has(Bug::LeafKingUnsafe)
    }

    /// The key of the position, and of the depth.
    fn table_key(&self, depth: u32) -> u64 {
        let mut key = self.key;
        if !self.has(Bug::KeySide) && self.side == BLACK {
            key ^= random(10_000);
        }
        if !self.has(Bug::KeyCastling) {
            let mut rights = self.rights;
            if self.has(Bug::KeyAnyCastling) {
                rights = u8::from(rights != 0);
            }
            if self.has(Bug::KeyCastlingTwins) {
                // The two rights of a color have the same number, and cancel out.
                rights = (rights ^ rights >> 1) & 5;
            }
            if self.has(Bug::KeyBlackCastling) {
                rights &= 3;
            }
            key ^= random(20_000 + u64::from(rights));
        }
        if self.ep != NO_SQUARE && !self.has(Bug::KeyEp) {
            let mut name = file(self.ep);
            if self.has(Bug::KeyEpFile) {
                name = 0;
            }
            key ^= random(30_000 + u64::from(name));
        }
        key ^ if self.has(Bug::KeyDepth) || self.has(Bug::KeyDeeper) {
            0
        } else {
            random(40_000 + u64::from(depth))
        }
    }

    /// Whether a game counts as over, so that there are no moves.
    pub fn is_over(&self) -> bool {
        self.bugs.any()
            && (self.clock >= 100 && (self.has(Bug::FiftyMoves) || self.has(Bug::UnmakeClock))
                || self.clock >= 50 && self.has(Bug::FiftyPlies)
                || self.clock >= 150 && self.has(Bug::SeventyFiveMoves)
                || self.has(Bug::Material) && self.lacks_material()
                || self.has(Bug::BareKings) && self.counts == [1, 1]
                || self.has(Bug::ThirdTime) && self.times_before() >= 2)
    }

    /// The count of a line that ends before its depth.
    fn early_end(&self, depth: u32) -> Option<u64> {
        if self.has(Bug::LegalityNextPly) {
            let king = self.kings[usize::from(self.side ^ 1)];
            if self.attacked(king, self.side) {
                return Some(0);
            }
        }
        let is_over = self.has(Bug::Repetition) && self.times_before() >= 1
            || self.has(Bug::RepetitionNotInCheck) && self.times_before() >= 1 && !self.in_check();
        if is_over {
            return Some(0);
        }
        let is_promotion = self.undos.last().is_some_and(Undo::is_promotion);
        let is_leaf = self.has(Bug::PromotionEnds) && is_promotion
            || self.has(Bug::MaterialCounts) && self.lacks_material()
            || self.has(Bug::BareKingEnds) && self.counts.contains(&1) && depth > 1;
        is_leaf.then_some(1)
    }

    /// How often the position occurred before.
    fn times_before(&self) -> usize {
        let earlier = self.undos.iter().rev().skip(1).step_by(2);
        earlier.filter(|undo| undo.key == self.key && undo.has_rights(self.rights)).count()
    }

    /// Bare kings, or one more bishop or knight.
    fn lacks_material(&self) -> bool {
        let pieces = |of: usize| {
            self.lists[of][..self.counts[of]].iter().map(|&square| self.kind_on(square))
        };
        let others = pieces(0).chain(pieces(1)).filter(|&piece| piece != KING);
        let others: Vec<u8> = others.take(2).collect();
        match others[..] {
            [] => true,
            [piece] => matches!(piece, BISHOP | KNIGHT),
            _ => false,
        }
    }
}

//! The positions, depths and rules that a hunt covered.

use std::collections::BTreeMap;

use super::Case;
use super::explainer::game_after;
use super::probe::is_about_making;
use crate::rules::{Game, Rule};
use perft_core::Depth;
use perft_core::board::Position;
use perft_core::types::{Bitboard, Move, MoveKind, Piece, Rank};

/// The number of positions whose rules are all counted, and the interval of those after them. A rule
/// that no position has exercised yet is looked for in every position.
const ALL_COUNTED: u64 = 256;
const SAMPLE_INTERVAL: u64 = 16;

/// The comparisons of a hunt in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Positions that were compared.
    pub positions: u64,
    /// The sum of our counts.
    pub nodes: u128,
    /// The number of positions that were compared at each depth.
    pub depths: BTreeMap<Depth, u64>,
    /// Positions whose rules were counted.
    pub sampled: u64,
    /// For each rule, the number of positions in the sample that show within a few plies that a
    /// generator does without it; 0 only if no position at all does.
    pub rules: BTreeMap<Rule, u64>,
}

impl Default for Coverage {
    /// No positions.
    fn default() -> Self {
        let rules = Rule::ALL.iter().map(|&rule| (rule, 0)).collect();
        Self { positions: 0, nodes: 0, depths: BTreeMap::new(), sampled: 0, rules }
    }
}

impl Coverage {
    /// Adds a case that was compared.
    pub(super) fn add(&mut self, case: &Case, nodes: u128) {
        self.positions += 1;
        self.nodes = self.nodes.saturating_add(nodes);
        *self.depths.entry(case.depth).or_default() += 1;
        let is_sampled =
            self.positions <= ALL_COUNTED || self.positions.is_multiple_of(SAMPLE_INTERVAL);
        self.count_rules(case, is_sampled);
    }

    /// Counts the rules that a case exercises: all, or those that none has exercised before.
    fn count_rules(&mut self, case: &Case, all: bool) {
        self.sampled += u64::from(all);
        if !all && self.unexercised_rules().next().is_none() {
            return;
        }
        let Some(legal) = game_after(&case.query(), None) else { return };
        let moves = legal.moves();
        let end = case.query().position();
        // The moves after which some rules show, one ply deeper.
        let leaves_en_passant = |mv: &Move| {
            mv.kind() == MoveKind::DoublePush && end.after(&[*mv]).en_passant().is_some()
        };
        let is_deep = case.depth > 1;
        let pushes: Vec<Move> =
            moves.iter().copied().filter(|mv| is_deep && leaves_en_passant(mv)).collect();
        for (&rule, positions) in &mut self.rules {
            if (!all && *positions > 0) || !can_matter(rule, case, &end, &pushes) {
                continue;
            }
            let next = match rule {
                _ if !is_deep => &[],
                _ if is_about_making(rule) => &moves[..],
                _ if rule <= Rule::EnPassant => &pushes[..],
                _ => &[],
            };
            *positions += u64::from(is_exercised(rule, case, &legal, &moves, next));
        }
    }

    /// The rules that no position exercised.
    pub fn unexercised_rules(&self) -> impl Iterator<Item = Rule> {
        self.rules.iter().filter(|&(_, &positions)| positions == 0).map(|(&rule, _)| rule)
    }
}

/// Whether a generator without the rule lists other moves after the moves of the case, or after one
/// more of `next`.
fn is_exercised(rule: Rule, case: &Case, legal: &Game, moves: &[Move], next: &[Move]) -> bool {
    let Some(broken) = game_after(&case.query(), Some(rule)) else { return true };
    broken.moves() != moves
        || next.iter().any(|&mv| {
            let (legal, broken) = (legal.after(mv), broken.after(mv));
            let may_differ = !is_about_making(rule) || !legal.has_same_state(&broken);
            may_differ && legal.moves() != broken.moves()
        })
}

/// Whether the rule may matter, by what is quick to see. `end` is the position after the line, and
/// `pushes` leave an en-passant square there.
fn can_matter(rule: Rule, case: &Case, end: &Position, pushes: &[Move]) -> bool {
    let (root, board) = (&case.root, end.board());
    match rule {
        _ if rule <= Rule::EnPassant => {
            let is_double = |mv: &Move| mv.kind() == MoveKind::DoublePush;
            root.en_passant().is_some() || case.line.iter().any(is_double) || !pushes.is_empty()
        }
        _ if rule <= Rule::Castle => !root.board().castling().rooks().is_empty(),
        _ if rule <= Rule::Promotion => {
            let ranks = Bitboard::rank(Rank::Second) | Bitboard::rank(Rank::Seventh);
            let pawns = root.board().pieces(Piece::Pawn) | board.pieces(Piece::Pawn);
            pawns.intersects(ranks)
        }
        Rule::PinnedPawn
        | Rule::PinnedOnDiagonal
        | Rule::PinnedOnLine
        | Rule::Pinned
        | Rule::PinnedSlides => !board.pinned().is_empty(),
        Rule::DoubleCheck => board.checkers().more_than_one(),
        Rule::CheckBlock | Rule::CheckCapture | Rule::CheckAnswered => board.in_check(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Hunt;
    use perft_core::types::CastlingMode;

    /// The sample misses no rule that some position exercises, and little of the others.
    #[test]
    fn a_sample_covers_the_rules_that_all_positions_cover() {
        let (mut all, mut sample) = (Coverage::default(), Coverage::default());
        for case in Hunt::new(3, CastlingMode::Standard).take(1_500) {
            all.count_rules(&case, true);
            sample.add(&case, 0);
        }
        assert_eq!((sample.positions, all.sampled), (1_500, 1_500));
        assert!(sample.sampled < 400, "{}", sample.sampled);
        let unexercised = |coverage: &Coverage| coverage.unexercised_rules().collect::<Vec<_>>();
        assert_eq!(unexercised(&sample), unexercised(&all));
        // Rules that only a later position exercises are among them.
        let mut first = Coverage::default();
        Hunt::new(3, CastlingMode::Standard).take(256).for_each(|case| first.add(&case, 0));
        assert!(unexercised(&first).len() > unexercised(&sample).len());
        for (rule, &positions) in &sample.rules {
            assert!(positions <= all.rules[rule], "{rule}");
        }
    }
}

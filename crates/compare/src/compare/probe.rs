//! Positions made to test a rule, and what the removal of the rule changes there.

use std::collections::BTreeSet;

use super::Case;
use super::explainer::game;
use super::facts::{Fact, Trait, facts, traits};
use crate::rules::Rule;
use perft_core::board::{Board, Position};
use perft_core::positions::random::{Theme, special_about, variation};
use perft_core::random::Rng;
use perft_core::types::{Bitboard, Move, MoveKind, Piece};

/// A case of depth 1, and the moves that are wrong there without a rule.
pub struct Probe {
    pub case: Case,
    pub changes: Vec<Change>,
}

/// A move that is missing or extra without a rule.
pub struct Change {
    pub uci: String,
    pub is_extra: bool,
    pub facts: BTreeSet<Fact>,
}

/// Whether the rule is about making moves: without it a wrong move comes later than the move that
/// was made wrongly.
pub fn is_about_making(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::CastleKingMoved
            | Rule::CastleRookMoved
            | Rule::CastleRookCaptured
            | Rule::CastleMovesRook
            | Rule::EnPassantExpires
            | Rule::EnPassantRemoves
    )
}

impl Probe {
    /// The changes at a position; `None` if a move of the line is not possible without the rule, or
    /// no move is left.
    pub fn new(rule: Rule, case: Case) -> Option<Self> {
        let mode = case.root.castling_mode();
        let (mut legal, mut broken) = (game(&case.root, None), game(&case.root, Some(rule)));
        let mut causes = Vec::new();
        let mut board = *case.root.board();
        for &mv in &case.line {
            if !broken.moves().contains(&mv) {
                return None;
            }
            let (right, wrong) = (broken.with_missing_rule(None).after(mv), broken.after(mv));
            if !right.has_same_state(&wrong) {
                let rights = right.castling().rooks() ^ wrong.castling().rooks();
                causes.push((rights, traits(&board, mv)));
            }
            (legal, broken) = (legal.after(mv), wrong);
            board.make(mv);
        }
        let is_from_fen = case.line.last().is_none_or(|mv| mv.kind() != MoveKind::DoublePush);
        let facts = |mv: Move| {
            let mut facts = facts(&board, &legal, mv);
            if mv.kind() == MoveKind::EnPassant {
                facts.insert(Fact::EnPassantFromFen(is_from_fen));
            }
            // All moves that were made wrongly count, or those that matter to castling.
            let matters = |rights: Bitboard| {
                mv.kind() != MoveKind::Castle || rights.is_empty() || rights.contains(mv.to())
            };
            let mut traits = causes.iter().filter(|(rights, _)| matters(*rights)).map(|it| &it.1);
            if let Some(first) = traits.next() {
                let mut common = first.clone();
                traits.for_each(|traits| common.retain(|it| traits.contains(it)));
                facts.extend(common.into_iter().map(Fact::Cause));
            }
            facts
        };
        let (ours, theirs) = (legal.moves(), broken.moves());
        // A process that has no moves to list is taken for one that hangs.
        if theirs.is_empty() {
            return None;
        }
        let mut changes: Vec<Change> = Vec::new();
        for (list, other, is_extra) in [(&ours, &theirs, false), (&theirs, &ours, true)] {
            // In Chess960 two moves may be written alike.
            let texts: BTreeSet<String> = other.iter().map(|mv| mv.uci(mode)).collect();
            for &mv in list {
                let uci = mv.uci(mode);
                if !texts.contains(&uci) && changes.iter().all(|change| change.uci != uci) {
                    changes.push(Change { uci, is_extra, facts: facts(mv) });
                }
            }
        }
        Some(Self { case, changes })
    }

    /// A position where any legal move may be listed twice.
    pub fn of_repeated(case: Case) -> Self {
        let legal = game(&case.root, None);
        let legal = case.line.iter().fold(legal, |game, &mv| game.after(mv));
        let end = case.query().position();
        let is_from_fen = case.line.last().is_none_or(|mv| mv.kind() != MoveKind::DoublePush);
        let change = |mv: Move| {
            let mut facts = facts(end.board(), &legal, mv);
            if mv.kind() == MoveKind::EnPassant {
                facts.insert(Fact::EnPassantFromFen(is_from_fen));
            }
            Change { uci: end.board().uci(mv), is_extra: false, facts }
        };
        let changes = end.board().legal_moves().into_iter().map(change).collect();
        Self { case, changes }
    }

    /// Whether the changes come from a move of the line that was made wrongly.
    pub fn has_cause(&self) -> bool {
        let mut facts = self.changes.iter().flat_map(|change| &change.facts);
        facts.any(|fact| matches!(fact, Fact::Cause(_)))
    }

    /// The texts of the moves that the removal adds or takes away.
    pub fn texts(&self, is_extra: bool) -> BTreeSet<&str> {
        let changes = self.changes.iter().filter(|change| change.is_extra == is_extra);
        changes.map(|change| change.uci.as_str()).collect()
    }

    /// Whether a similar rule shows here in another way; and whether it does so in moves for which
    /// `holds`, which this rule does not change.
    pub fn separates(&self, rule: Rule, holds: impl Fn(&BTreeSet<Fact>) -> bool) -> (bool, bool) {
        let (mut separates, mut is_near) = (false, false);
        for other in rule.neighbors() {
            let Some(probe) = Self::new(other, self.case.clone()) else { continue };
            separates |= !probe.changes.is_empty()
                && [true, false].iter().any(|&extra| probe.texts(extra) != self.texts(extra));
            is_near |= probe.changes.iter().any(|change| {
                let is_ours = self.texts(change.is_extra).contains(change.uci.as_str());
                !is_ours && holds(&change.facts)
            });
        }
        (separates, is_near)
    }
}

/// Positions made to test a rule, some like a given one.
pub struct Probes<'a> {
    pub rng: Rng,
    pub rule: Rule,
    pub like: &'a Position,
    /// The theme of the move that is wrong there.
    pub theme: Theme,
}

impl Probes<'_> {
    pub fn case(&mut self) -> Case {
        const THEMES: [Theme; 4] =
            [Theme::EnPassant, Theme::Castling, Theme::Promotion, Theme::Lines];
        let rng = &mut self.rng;
        let (theme, other) = (theme(self.rule), THEMES[rng.below(4)]);
        let mode = self.like.castling_mode();
        let root = match rng.below(8) {
            0..3 => variation(rng, self.like),
            3 => special_about(rng, mode, [theme, other]),
            4 => special_about(rng, mode, [theme, self.theme]),
            5..7 => special_about(rng, mode, [theme, Theme::Mixed]),
            // For positions where the rule does not matter.
            _ => special_about(rng, mode, [other, Theme::Mixed]),
        };
        let plies = match self.rule {
            Rule::CastleKingMoved => 4,
            Rule::CastleRookMoved | Rule::EnPassantExpires => 2 + rng.below(3),
            Rule::CastleRookCaptured | Rule::CastleMovesRook | Rule::EnPassantRemoves => {
                1 + rng.below(3)
            }
            _ => [0, 0, 0, 1, 1, 2][rng.below(6)],
        };
        let mut line = Vec::new();
        let mut end = *root.board();
        for _ in 0..plies {
            let Some(mv) = self.pick(&end, &line) else { break };
            end.make(mv);
            line.push(mv);
        }
        Case { root, line, depth: 1 }
    }

    /// A random move, more often one that changes rights or goes back.
    fn pick(&mut self, board: &Board, line: &[Move]) -> Option<Move> {
        let rights = board.castling().rooks();
        let last = line.len().checked_sub(2).map(|ply| line[ply]);
        let weight = |mv: &Move| {
            let goes_back =
                last.is_some_and(|last| (last.from(), last.to()) == (mv.to(), mv.from()));
            let moves_king = mv.piece() == Piece::King
                && !board.castling().rooks_of(board.side_to_move()).is_empty();
            match mv.kind() {
                _ if goes_back => 30,
                MoveKind::Castle | MoveKind::EnPassant => 10,
                _ if rights.contains(mv.to()) => 30,
                _ if rights.contains(mv.from()) || moves_king => 5,
                MoveKind::DoublePush => 5,
                _ => 1,
            }
        };
        let moves = board.legal_moves();
        let all: usize = moves.iter().map(weight).sum();
        let mut rest = if all == 0 { return None } else { self.rng.below(all) };
        moves.into_iter().find(|mv| {
            let is_found = rest < weight(mv);
            rest = rest.saturating_sub(weight(mv));
            is_found
        })
    }
}

fn theme(rule: Rule) -> Theme {
    match rule {
        _ if rule <= Rule::EnPassant => Theme::EnPassant,
        _ if rule <= Rule::Castle => Theme::Castling,
        _ if rule <= Rule::Promotion => Theme::Promotion,
        _ if rule <= Rule::OwnPiece => Theme::Mixed,
        _ => Theme::Lines,
    }
}

/// The theme of a move.
pub fn theme_of(facts: &BTreeSet<Fact>) -> Theme {
    let has =
        |wanted: Trait| facts.contains(&Fact::Move(wanted)) || facts.contains(&Fact::Cause(wanted));
    if has(Trait::EnPassant) || has(Trait::DoublePush) {
        Theme::EnPassant
    } else if has(Trait::Promotes) {
        Theme::Promotion
    } else if has(Trait::CastlesKingSide(true)) || has(Trait::CastlesKingSide(false)) {
        Theme::Castling
    } else {
        Theme::Mixed
    }
}

//! The rule that a generator breaks: the one whose removal gives the same divide output.

use super::{Cause, CompareError, Diff, Explanation, Finder, Mismatch};
use crate::board::Position;
use crate::perft::Depth;
use crate::positions::random::special;
use crate::random::Rng;
use crate::rules::{Game, Rule};
use crate::types::Move;
use crate::uci::{Divider, Query};

/// The greatest tree whose divide by the slow generator is compared, rule by rule.
const MAX_NODES: u128 = 30_000;

/// The same for a divide without its generator, by which alone the rule is found: for one that has
/// the right moves and is larger, [`explain_divide`] tries no rules.
pub const MAX_DIVIDE_NODES: u128 = 1_000_000;

/// The most queries that are made to distinguish rules.
const MAX_QUERIES: usize = 40;

/// The rule whose removal gives this divide, for a generator that cannot be queried again.
pub fn explain_divide(position: &Position, depth: Depth, diff: &Diff) -> Option<Cause> {
    // No rule of chess is about the total.
    if diff.only_total_differs() {
        return None;
    }
    let query = Query { root: position, line: &[], depth };
    if diff.ours.max(diff.theirs) > MAX_DIVIDE_NODES {
        return partial_explanation(&query, diff).map(Cause::Rule);
    }
    let fits = |&rule: &Rule| gives_divide(&query, rule, &diff.their_moves);
    let rules = Rule::ALL.iter().copied().filter(fits).collect();
    let explanation = Explanation::new(rules, true).or_else(|| partial_explanation(&query, diff));
    explanation.map(Cause::Rule)
}

impl<D: Divider> Finder<D> {
    /// The rule that the divider most likely breaks: one whose removal gives its moves at the
    /// mismatch, its counts at the root, and its divide output for positions that distinguish the
    /// remaining rules. `None` if no rule fits.
    ///
    /// # Errors
    /// If the divider fails, or its output is not a divide of the position.
    pub fn explain(
        &mut self,
        mismatch: &Mismatch,
    ) -> Result<Option<Cause>, CompareError<D::Error>> {
        if mismatch.diff.only_total_differs() {
            return Ok(None);
        }
        let query = Query { depth: 1, ..mismatch.case.query() };
        let diff = match mismatch.case.depth {
            1 => mismatch.diff.clone(),
            _ => self.diff(&query)?,
        };
        // The whole tree too, if it is small enough.
        let whole = &mismatch.first_diff;
        let is_small = whole.ours.max(whole.theirs) <= MAX_NODES;
        let first_query = Query {
            line: &query.line[..mismatch.given_moves],
            depth: mismatch.first_depth,
            ..query
        };
        let fits_whole = |rule| gives_divide(&first_query, rule, &whole.their_moves);
        let mut rules: Vec<Rule> = Rule::ALL.to_vec();
        if diff.same_moves() {
            rules.retain(|&rule| is_small && fits_whole(rule));
        } else {
            let mut theirs: Vec<&String> = diff.their_moves.iter().map(|(text, _)| text).collect();
            theirs.dedup();
            rules.retain(|&rule| {
                let moves = moves_after(&query, Some(rule));
                moves.is_some_and(|moves| moves.iter().eq(theirs.iter().copied()))
            });
            if rules.is_empty() {
                return Ok(partial_explanation(&query, &diff).map(Cause::Rule));
            }
            if is_small {
                keep_if_any(&mut rules, fits_whole);
            }
        }
        self.distinguish(&mut rules, query.root)?;
        Ok(Explanation::new(rules, true).map(Cause::Rule))
    }

    /// Drops rules by queries of random positions whose divides differ from rule to rule.
    fn distinguish(
        &mut self,
        rules: &mut Vec<Rule>,
        root: &Position,
    ) -> Result<(), CompareError<D::Error>> {
        let mut rng = Rng::new(1);
        let mut queries = 0;
        for round in 0..3_000 {
            // Sometimes two plies, where that is not too slow.
            let depth = if round % 10 == 9 { 2 } else { 1 };
            if rules.len() < 2 || queries == MAX_QUERIES {
                break;
            }
            let root = Position::from(special(&mut rng, root.castling_mode()));
            if depth == 2 && root.board().count_legal_moves() > 15 {
                continue;
            }
            let divides: Vec<Vec<(String, u64)>> =
                rules.iter().map(|&rule| game(&root, Some(rule)).divide(depth)).collect();
            if divides.iter().all(|divide| *divide == divides[0]) {
                continue;
            }
            queries += 1;
            let query = Query { root: &root, line: &[], depth };
            let diff = self.diff(&query)?;
            keep_if_any(rules, |rule| gives_divide(&query, rule, &diff.their_moves));
        }
        Ok(())
    }
}

/// The rules whose removal gives some of the missing and extra moves and no others, those that give
/// the most.
fn partial_explanation(query: &Query<'_>, diff: &Diff) -> Option<Explanation> {
    let legal = moves_after(query, None)?;
    let mut found: Vec<(usize, Rule)> = Vec::new();
    for &rule in Rule::ALL {
        let Some(moves) = moves_after(query, Some(rule)) else { continue };
        let extra = moves.iter().filter(|text| !legal.contains(text));
        let missing = legal.iter().filter(|text| !moves.contains(text));
        let fits = extra.clone().all(|text| diff.extra.contains(text))
            && missing.clone().all(|text| diff.missing.contains(text));
        let explained = extra.count() + missing.count();
        if fits && explained > 0 {
            found.push((explained, rule));
        }
    }
    let most = found.iter().map(|&(explained, _)| explained).max()?;
    found.retain(|&(explained, _)| explained == most);
    Explanation::new(found.into_iter().map(|(_, rule)| rule).collect(), false)
}

/// The game that goes on from a position without a rule.
pub(super) fn game(position: &Position, missing_rule: Option<Rule>) -> Game {
    Game::new(position.board(), missing_rule).with_en_passant(position.en_passant())
}

/// The game without a rule after the moves of a query, if the game allows them.
fn game_after(query: &Query<'_>, missing_rule: Option<Rule>) -> Option<Game> {
    let mut game = game(query.root, missing_rule);
    for &mv in query.line {
        if !game.moves().contains(&mv) {
            return None;
        }
        game = game.after(mv);
    }
    Some(game)
}

/// The moves of that game in UCI notation, sorted.
fn moves_after(query: &Query<'_>, missing_rule: Option<Rule>) -> Option<Vec<String>> {
    let moves = game_after(query, missing_rule)?.moves();
    let mode = query.root.castling_mode();
    let mut moves: Vec<String> = moves.into_iter().map(|mv| mv.uci(mode)).collect();
    moves.sort();
    // In Chess960 a king that captures its own rook and one that castles are written alike.
    moves.dedup();
    Some(moves)
}

/// Whether the game without a rule gives this divide.
fn gives_divide(query: &Query<'_>, missing_rule: Rule, theirs: &[(String, u128)]) -> bool {
    let Some(game) = game_after(query, Some(missing_rule)) else { return false };
    let mode = query.root.castling_mode();
    let mut moves: Vec<(String, Move)> =
        game.moves().into_iter().map(|mv| (mv.uci(mode), mv)).collect();
    moves.sort();
    let rest = query.depth.saturating_sub(1);
    moves.len() == theirs.len()
        && moves.iter().zip(theirs).all(|((text, mv), (their_text, nodes))| {
            text == their_text && u128::from(game.after(*mv).perft(rest)) == *nodes
        })
}

/// Keeps the rules that fit, unless none does.
fn keep_if_any(rules: &mut Vec<Rule>, mut fits: impl FnMut(Rule) -> bool) {
    let kept: Vec<Rule> = rules.iter().copied().filter(|&rule| fits(rule)).collect();
    if !kept.is_empty() {
        *rules = kept;
    }
}

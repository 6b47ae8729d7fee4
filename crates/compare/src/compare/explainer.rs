//! The rule that a generator breaks: the one whose removal gives the same divide output.

use std::time::{Duration, Instant};

use super::confirm::{Finding, MAX_TIME, Narrower, Suspicion};
use super::evidence::Agreement;
use super::probe::{Probe, is_about_making};
use super::{
    Case, Cause, CompareError, Diff, Explanation, Finder, Leftover, Limits, Mismatch, RepeatedMoves,
};
use crate::rules::{Game, Rule};
use crate::uci::{Divider, Query};
use perft_core::Depth;
use perft_core::board::Position;
use perft_core::positions::random::special;
use perft_core::random::Rng;
use perft_core::types::{Move, MoveKind};

/// The greatest tree whose divide by the slow generator is compared, rule by rule.
const MAX_NODES: u128 = 30_000;

/// The same for a divide without its generator, by which alone the rule is found: for one that has
/// the right moves and is larger, [`explain_divide`] tries no rules.
pub const MAX_DIVIDE_NODES: u128 = 1_000_000;

/// The most queries that are made to distinguish rules.
const MAX_QUERIES: usize = 40;

/// The rule whose removal gives this divide, for a generator that cannot be queried again.
///
/// # Errors
/// If the limits end the search for it.
pub fn explain_divide<E>(
    limits: &Limits,
    position: &Position,
    depth: Depth,
    diff: &Diff,
) -> Result<Option<Cause>, CompareError<E>> {
    // No rule of chess is about the total.
    if diff.only_total_differs() {
        return Ok(None);
    }
    if !diff.repeated.is_empty() && diff.missing.is_empty() && diff.extra.is_empty() {
        let moves = diff.repeated.join(" ");
        return Ok(Some(Cause::RepeatedMoves(RepeatedMoves { moves, confirmation: None })));
    }
    let query = Query { root: position, line: &[], depth };
    let mut rules = Vec::new();
    if diff.ours.max(diff.theirs) <= MAX_DIVIDE_NODES {
        rules = rules_that_give(limits, Rule::ALL, &query, &diff.their_moves)?;
    }
    let explanation = Explanation::new(rules, true).or_else(|| partial_explanation(&query, diff));
    Ok(explanation.map(Cause::Rule))
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
        let case = Case { depth: 1, ..mismatch.case.clone() };
        if !diff.repeated.is_empty() && diff.missing.is_empty() && diff.extra.is_empty() {
            return self.explain_repeated(&case, &diff).map(Some);
        }
        if diff.same_moves() {
            return self.explain_same_moves(mismatch, &query, &diff);
        }
        if let Some(cause) = self.explain_missing(&case, &diff, true)? {
            return Ok(Some(cause));
        }
        let mut rules = self.exact_rules(mismatch, &query, &diff)?;
        let mut time = Duration::ZERO;
        self.distinguish(&mut rules, query.root, &mut time)?;
        let mut narrower: Option<(Rule, Narrower)> = None;
        // The first explanation that other positions contradict.
        let mut contradicted: Option<Explanation> = None;
        let exact = rules.len();
        let candidates = self.candidates(&rules, &case, &diff);
        for (index, &rule) in candidates.iter().enumerate() {
            // A special case of a rule that gives exactly the difference is preferred.
            if index == exact && narrower.is_some() {
                break;
            }
            let finding = self.examine(Suspicion::Broken(rule), &case, &diff, &mut time)?;
            let condition = match &finding {
                Finding::Confirmed(_) => None,
                Finding::Narrower(found) => Some(&found.condition),
                Finding::Unclear => continue,
            };
            self.gather(&candidates, query.root)?;
            match (self.evidence.agreement(rule, condition), finding) {
                (Agreement::Full, Finding::Confirmed(confirmation)) => {
                    let explanation = Explanation::new(vec![rule], true);
                    return Ok(explanation.map(|it| Cause::Rule(it.confirmed(confirmation))));
                }
                (Agreement::Full, Finding::Narrower(found)) => {
                    let cost = |found: &Narrower| found.condition.cost();
                    if narrower.as_ref().is_none_or(|(_, known)| cost(&found) < cost(known)) {
                        narrower = Some((rule, found));
                    }
                }
                (Agreement::Against(case), _) if contradicted.is_none() => {
                    contradicted = Explanation::new(vec![rule], index < exact)
                        .map(|explanation| explanation.contradicted(case));
                }
                _ => {}
            }
        }
        if let Some((rule, found)) = narrower {
            let explanation = Explanation::new(vec![rule], true).map(|mut explanation| {
                explanation.narrower = Some(found.condition.text(rule));
                Cause::Rule(explanation.confirmed(found.confirmation))
            });
            return Ok(explanation);
        }
        self.gather(&candidates, query.root)?;
        if self.evidence.is_enough()
            && let Some(cause) = self.explain_missing(&case, &diff, false)?
        {
            return Ok(Some(cause));
        }
        let explanation = contradicted
            .or_else(|| Explanation::new(rules, true))
            .or_else(|| partial_explanation(&query, &diff));
        Ok(explanation.map(Cause::Rule))
    }

    /// The cause of a mismatch whose moves are the right ones, each with the right count if it is
    /// queried alone.
    fn explain_same_moves(
        &mut self,
        mismatch: &Mismatch,
        query: &Query<'_>,
        diff: &Diff,
    ) -> Result<Option<Cause>, CompareError<D::Error>> {
        if let Some(cause) = self.explain_counts(mismatch)? {
            return Ok(Some(cause));
        }
        let (case, mode) = (&mismatch.case, query.root.castling_mode());
        let right_alone = self.is_right_alone(case)?;
        if right_alone != Some(false)
            && let Some(key) = self.key_part_between_queries(mode)?
        {
            return Ok(Some(Cause::TableKey(key)));
        }
        if right_alone == Some(true) {
            return Ok(Some(Cause::Leftover(Leftover::Queries)));
        }
        let rules = self.exact_rules(mismatch, query, diff)?;
        if let Some(explanation) = Explanation::new(rules, true) {
            return Ok(Some(Cause::Rule(explanation)));
        }
        let cause = match case.depth {
            2 => self.leftover(case, &mismatch.diff)?.map(Cause::Leftover),
            _ => self.key_part_in_trees(mode)?.map(Cause::TableKey),
        };
        Ok(cause)
    }

    /// The kind of moves that are listed more than once.
    fn explain_repeated(
        &mut self,
        case: &Case,
        diff: &Diff,
    ) -> Result<Cause, CompareError<D::Error>> {
        let position = case.query().position();
        let is_repeated = |mv: &&Move| diff.repeated.contains(&position.board().uci(**mv));
        let moves = position.board().legal_moves();
        let rule = match moves.iter().find(is_repeated).map(|mv| mv.kind()) {
            Some(MoveKind::EnPassant) => Rule::EnPassant,
            Some(MoveKind::Castle) => Rule::Castle,
            Some(kind) if kind.promotion().is_some() => Rule::Promotion,
            _ => Rule::OwnPiece,
        };
        let finding =
            self.examine(Suspicion::Repeated(rule), case, diff, &mut Duration::default())?;
        let (moves, confirmation) = match finding {
            Finding::Confirmed(confirmation) => ("all moves".to_owned(), Some(confirmation)),
            Finding::Narrower(found) => (found.condition.moves(), Some(found.confirmation)),
            Finding::Unclear => ("some moves".to_owned(), None),
        };
        Ok(Cause::RepeatedMoves(RepeatedMoves { moves, confirmation }))
    }

    /// The rules to examine: those that give exactly the difference, and then others that include
    /// it.
    fn candidates(&self, exact: &[Rule], case: &Case, diff: &Diff) -> Vec<Rule> {
        let includes = |&rule: &Rule| {
            !exact.contains(&rule)
                && Probe::new(rule, case.clone()).is_some_and(|probe| {
                    if is_about_making(rule) && !probe.has_cause() {
                        return false;
                    }
                    let is_in = |texts: &[String], is_extra| {
                        let changed = probe.texts(is_extra);
                        texts.iter().all(|text| changed.contains(text.as_str()))
                    };
                    is_in(&diff.missing, false) && is_in(&diff.extra, true)
                })
        };
        if diff.same_moves() {
            return Vec::new();
        }
        exact.iter().copied().chain(Rule::ALL.iter().copied().filter(includes)).collect()
    }

    /// The rules whose removal gives the moves at the mismatch and, if the tree is small enough,
    /// the counts at the root.
    fn exact_rules(
        &self,
        mismatch: &Mismatch,
        query: &Query<'_>,
        diff: &Diff,
    ) -> Result<Vec<Rule>, CompareError<D::Error>> {
        let whole = &mismatch.first_diff;
        let is_small = whole.ours.max(whole.theirs) <= MAX_NODES;
        let first_query = Query {
            line: &query.line[..mismatch.given_moves],
            depth: mismatch.first_depth,
            ..*query
        };
        let fitting_whole =
            |rules: &[Rule]| rules_that_give(&self.limits, rules, &first_query, &whole.their_moves);
        if diff.same_moves() {
            return if is_small { fitting_whole(Rule::ALL) } else { Ok(Vec::new()) };
        }
        let mut rules: Vec<Rule> = Rule::ALL.to_vec();
        let mut theirs: Vec<&String> = diff.their_moves.iter().map(|(text, _)| text).collect();
        theirs.dedup();
        rules.retain(|&rule| {
            let moves = moves_after(query, Some(rule));
            moves.is_some_and(|moves| moves.iter().eq(theirs.iter().copied()))
        });
        if is_small {
            keep_if_any(&mut rules, fitting_whole)?;
        }
        Ok(rules)
    }

    /// Drops rules by queries of random positions whose divides differ from rule to rule.
    fn distinguish(
        &mut self,
        rules: &mut Vec<Rule>,
        root: &Position,
        time: &mut Duration,
    ) -> Result<(), CompareError<D::Error>> {
        let mut rng = Rng::new(1);
        let mut queries = 0;
        for round in 0..3_000 {
            // Sometimes two plies, where that is not too slow.
            let depth = if round % 10 == 9 { 2 } else { 1 };
            if rules.len() < 2 || queries == MAX_QUERIES || *time > MAX_TIME {
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
            let start = Instant::now();
            let diff = self.diff(&query)?;
            *time += start.elapsed();
            let limits = &self.limits;
            keep_if_any(rules, |rules| rules_that_give(limits, rules, &query, &diff.their_moves))?;
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
pub(super) fn game_after(query: &Query<'_>, missing_rule: Option<Rule>) -> Option<Game> {
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

/// Those of the rules without which the game gives this divide.
fn rules_that_give<E>(
    limits: &Limits,
    rules: &[Rule],
    query: &Query<'_>,
    theirs: &[(String, u128)],
) -> Result<Vec<Rule>, CompareError<E>> {
    let mut fitting = Vec::new();
    for &rule in rules {
        if gives_divide(limits, query, rule, theirs)? {
            fitting.push(rule);
        }
    }
    Ok(fitting)
}

/// Whether the game without a rule gives this divide.
fn gives_divide<E>(
    limits: &Limits,
    query: &Query<'_>,
    missing_rule: Rule,
    theirs: &[(String, u128)],
) -> Result<bool, CompareError<E>> {
    let Some(game) = game_after(query, Some(missing_rule)) else { return Ok(false) };
    let mode = query.root.castling_mode();
    let mut moves: Vec<(String, Move)> =
        game.moves().into_iter().map(|mv| (mv.uci(mode), mv)).collect();
    moves.sort();
    let rest = query.depth.saturating_sub(1);
    if moves.len() != theirs.len() {
        return Ok(false);
    }
    for ((text, mv), (their_text, nodes)) in moves.iter().zip(theirs) {
        limits.check()?;
        if text != their_text || u128::from(game.after(*mv).perft(rest)) != *nodes {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Keeps the rules that fit, unless none does.
fn keep_if_any<E>(
    rules: &mut Vec<Rule>,
    fitting: impl FnOnce(&[Rule]) -> Result<Vec<Rule>, CompareError<E>>,
) -> Result<(), CompareError<E>> {
    let kept = fitting(rules)?;
    if !kept.is_empty() {
        *rules = kept;
    }
    Ok(())
}

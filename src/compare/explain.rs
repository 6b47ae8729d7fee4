//! Which rule was forgotten: the one whose loss gives the opponent's answers.

use super::find::{CompareError, Fault, Finder};
use super::{Contrast, Opponent, Root};
use crate::perft::Depth;
use crate::positions::random::special;
use crate::random::Rng;
use crate::rules::{Game, Rule};
use crate::types::Move;

/// The rules that explain a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The likeliest first; never empty.
    rules: Vec<Rule>,
    /// Whether a game without the rule gives exactly the opponent's moves. If not, the rule
    /// explains some of the difference and contradicts nothing.
    pub is_exact: bool,
}

impl Explanation {
    /// The rule that was most likely forgotten.
    pub fn rule(&self) -> Rule {
        self.rules[0]
    }

    /// Other rules whose loss could not be told from it.
    pub fn others(&self) -> &[Rule] {
        &self.rules[1..]
    }

    fn new(rules: Vec<Rule>, is_exact: bool) -> Option<Self> {
        (!rules.is_empty()).then_some(Self { rules, is_exact })
    }
}

/// Trees larger than this are not walked through by slow games.
const MOST_NODES: u128 = 30_000;

/// The same for a divide that is all there is to go by: for one whose moves are right and that is
/// larger, [`explain_divide`] looks for no rule.
pub const MOST_NODES_OF_A_DIVIDE: u128 = 1_000_000;

/// The game without a rule after a line; `None` if the line is not one of its own.
fn game_after(root: &Root, line: &[Move], broken: Option<Rule>) -> Option<Game> {
    let mut game = root.game(broken);
    for &mv in line {
        if !game.moves().contains(&mv) {
            return None;
        }
        game = game.after(mv);
    }
    Some(game)
}

/// The moves of such a game in words, sorted.
fn list_after(root: &Root, line: &[Move], broken: Option<Rule>) -> Option<Vec<String>> {
    let moves = game_after(root, line, broken)?.moves();
    let mut list: Vec<String> = moves.into_iter().map(|mv| mv.uci(root.variant())).collect();
    list.sort();
    // In Chess960 a king that takes its own rook and one that castles are spelled alike.
    list.dedup();
    Some(list)
}

/// Whether the game without a rule gives this divide.
fn divides_alike(
    root: &Root,
    line: &[Move],
    depth: Depth,
    rule: Rule,
    theirs: &[(String, u128)],
) -> bool {
    let Some(game) = game_after(root, line, Some(rule)) else { return false };
    let mut moves: Vec<(String, Move)> =
        game.moves().into_iter().map(|mv| (mv.uci(root.variant()), mv)).collect();
    moves.sort();
    let rest = depth.saturating_sub(1);
    moves.len() == theirs.len()
        && moves.iter().zip(theirs).all(|((text, mv), (their_text, nodes))| {
            text == their_text && u128::from(game.after(*mv).perft(rest)) == *nodes
        })
}

/// The rule whose loss gives exactly this divide, for an opponent that cannot be asked again.
pub fn explain_divide(root: &Root, depth: Depth, contrast: &Contrast) -> Option<Explanation> {
    // No rule of chess is about adding up.
    if contrast.is_in_the_total_only() {
        return None;
    }
    if contrast.ours.max(contrast.theirs) > MOST_NODES_OF_A_DIVIDE {
        return partly(root, &[], contrast);
    }
    let fits = |&rule: &Rule| divides_alike(root, &[], depth, rule, &contrast.list);
    let rules = Rule::ALL.iter().copied().filter(fits).collect();
    Explanation::new(rules, true).or_else(|| partly(root, &[], contrast))
}

/// The rules whose loss gives some of the missing and extra moves and no others, those that give
/// most first.
fn partly(root: &Root, line: &[Move], contrast: &Contrast) -> Option<Explanation> {
    let right = list_after(root, line, None)?;
    let mut found: Vec<(usize, Rule)> = Vec::new();
    for &rule in Rule::ALL {
        let Some(list) = list_after(root, line, Some(rule)) else { continue };
        let extra = list.iter().filter(|text| !right.contains(text));
        let missing = right.iter().filter(|text| !list.contains(text));
        let fits = extra.clone().all(|text| contrast.extra.contains(text))
            && missing.clone().all(|text| contrast.missing.contains(text));
        let number = extra.count() + missing.count();
        if fits && number > 0 {
            found.push((number, rule));
        }
    }
    // Stable, so that of two that explain as much the special one comes first.
    found.sort_by_key(|&(number, _)| std::cmp::Reverse(number));
    let most = found.first()?.0;
    found.retain(|&(number, _)| number == most);
    Explanation::new(found.into_iter().map(|(_, rule)| rule).collect(), false)
}

impl<O: Opponent> Finder<'_, O> {
    /// The rule that was most likely forgotten: one whose loss gives the opponent's moves here,
    /// its counts at the root, and its answers about positions made to tell the remaining rules
    /// apart. `None` if no rule fits.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn explain(
        &mut self,
        fault: &Fault,
    ) -> Result<Option<Explanation>, CompareError<O::Error>> {
        if fault.contrast.is_in_the_total_only() {
            return Ok(None);
        }
        let (root, line) = (&fault.root, fault.line.as_slice());
        let contrast = match fault.depth {
            1 => fault.contrast.clone(),
            _ => self.contrast(root, line, 1)?,
        };
        // The whole tree too, where it is small enough.
        let (whole, start) = (&fault.start_contrast, &line[..fault.start]);
        let is_small = whole.ours.max(whole.theirs) <= MOST_NODES;
        let fits_whole = |rule| divides_alike(root, start, fault.start_depth, rule, &whole.list);
        let mut rules: Vec<Rule> = Rule::ALL.to_vec();
        if contrast.lists_agree() {
            rules.retain(|&rule| is_small && fits_whole(rule));
        } else {
            let mut theirs: Vec<&String> = contrast.list.iter().map(|(text, _)| text).collect();
            theirs.dedup();
            rules.retain(|&rule| {
                let list = list_after(root, line, Some(rule));
                list.is_some_and(|list| list.iter().eq(theirs.iter().copied()))
            });
            if rules.is_empty() {
                return Ok(partly(root, line, &contrast));
            }
            if is_small {
                keep_if_any(&mut rules, fits_whole);
            }
        }
        self.tell_apart(&mut rules, root)?;
        Ok(Explanation::new(rules, true))
    }

    /// Asks about positions in which the remaining rules make a difference.
    fn tell_apart(
        &mut self,
        rules: &mut Vec<Rule>,
        root: &Root,
    ) -> Result<(), CompareError<O::Error>> {
        let mut rng = Rng::new(1);
        let mut questions = 0;
        for round in 0..3_000 {
            // At first one ply, for some time two, where that is not too slow.
            let depth = if round % 10 == 9 { 2 } else { 1 };
            if rules.len() < 2 || questions == 40 {
                break;
            }
            let root = Root::new(special(&mut rng, root.variant()), root.variant());
            if depth == 2 && root.board().count_legal_moves() > 15 {
                continue;
            }
            let divides: Vec<Vec<(String, u64)>> = rules
                .iter()
                .map(|&rule| root.game(Some(rule)).divide(depth, root.variant()))
                .collect();
            if divides.iter().all(|divide| *divide == divides[0]) {
                continue;
            }
            questions += 1;
            let answer = self.contrast(&root, &[], depth)?;
            let fits = |rule: Rule| divides_alike(&root, &[], depth, rule, &answer.list);
            keep_if_any(rules, fits);
        }
        Ok(())
    }
}

/// Keeps what fits, unless nothing does.
fn keep_if_any(rules: &mut Vec<Rule>, mut fits: impl FnMut(Rule) -> bool) {
    let kept: Vec<Rule> = rules.iter().copied().filter(|&rule| fits(rule)).collect();
    if !kept.is_empty() {
        *rules = kept;
    }
}

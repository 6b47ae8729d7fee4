//! A generator's divides of random positions of every kind. A rule explains a bug only if its removal
//! gives all of them.

use std::time::{Duration, Instant};

use super::confirm::Condition;
use super::explainer::game_after;
use super::probe::{Probe, Probes};
use super::{Case, CompareError, Finder};
use crate::rules::Rule;
use crate::uci::Divider;
use perft_core::board::{Board, Position};
use perft_core::random::Rng;
use perft_core::types::CastlingMode;

/// The number of divides, and the least number without which nothing is confirmed.
const DIVIDES: usize = 420;
const MIN_DIVIDES: usize = 100;

/// The most time for them, so that a slow generator is not waited for.
const MAX_TIME: Duration = Duration::from_secs(4);

/// The divide of a case by a generator.
#[derive(Debug)]
struct Observation {
    case: Case,
    /// Its moves with their counts, sorted.
    moves: Vec<(String, u128)>,
}

/// Divides of random positions.
#[derive(Debug, Default)]
pub struct Evidence {
    observations: Vec<Observation>,
    /// The castling mode of those that were gathered.
    mode: Option<CastlingMode>,
}

/// The agreement of a rule with the evidence.
pub enum Agreement {
    /// All divides are as the rule predicts.
    Full,
    /// Too few divides can be predicted.
    TooFew,
    /// This one is not.
    Against(Box<Case>),
}

impl Evidence {
    /// Compares the divides with those of our generator without a rule, or without it where a
    /// condition holds.
    pub fn agreement(&self, rule: Rule, condition: Option<&Condition>) -> Agreement {
        self.agreement_with(|observation| is_predicted(observation, rule, condition))
    }

    /// Whether there are enough divides to confirm anything.
    pub fn is_enough(&self) -> bool {
        self.observations.len() >= MIN_DIVIDES
    }

    /// Whether the lists of moves of one ply are those of a function, sorted.
    pub fn has_lists(&self, list: impl Fn(&Board) -> Vec<String>) -> bool {
        let agreement = self.agreement_with(|Observation { case, moves }| {
            let expected = list(case.query().position().board());
            (case.depth == 1).then(|| expected.iter().eq(moves.iter().map(|(text, _)| text)))
        });
        !matches!(agreement, Agreement::Against(_))
    }

    fn agreement_with(&self, is_predicted: impl Fn(&Observation) -> Option<bool>) -> Agreement {
        let mut predicted = 0;
        for observation in &self.observations {
            match is_predicted(observation) {
                Some(false) => return Agreement::Against(Box::new(observation.case.clone())),
                Some(true) => predicted += 1,
                None => {}
            }
        }
        if predicted < MIN_DIVIDES { Agreement::TooFew } else { Agreement::Full }
    }
}

/// Whether a divide is that of our generator without a rule; `None` if it cannot be predicted.
fn is_predicted(
    Observation { case, moves }: &Observation,
    rule: Rule,
    condition: Option<&Condition>,
) -> Option<bool> {
    let Some(condition) = condition else {
        let mut divide = game_after(&case.query(), Some(rule))?.divide(case.depth);
        divide.sort();
        let divide = divide.into_iter().map(|(text, nodes)| (text, u128::from(nodes)));
        return Some(divide.eq(moves.iter().cloned()));
    };
    let expected = moves_without(case, rule, condition)?;
    let is_listed = expected.iter().eq(moves.iter().map(|(text, _)| text));
    if case.depth == 1 || !is_listed {
        return Some(is_listed);
    }
    let board = *case.query().position().board();
    let mut is_right = true;
    for &mv in &board.legal_moves() {
        let text = board.uci(mv);
        let Some((_, nodes)) = moves.iter().find(|(other, _)| *other == text) else { continue };
        let line = [&case.line[..], &[mv]].concat();
        let child = Case { root: case.root, line, depth: 1 };
        is_right &= match moves_without(&child, rule, condition) {
            Some(replies) => replies.len() as u128 == *nodes,
            // The game goes on where our generator cannot follow.
            None => true,
        };
    }
    Some(is_right)
}

/// The moves of our generator without a rule where a condition holds, sorted.
fn moves_without(case: &Case, rule: Rule, condition: &Condition) -> Option<Vec<String>> {
    let probe = Probe::new(rule, case.clone())?;
    let board = *case.query().position().board();
    let mut moves: Vec<String> = board.legal_moves().iter().map(|&mv| board.uci(mv)).collect();
    for change in probe.changes.iter().filter(|change| condition.holds(&change.facts)) {
        match change.is_extra {
            true => moves.push(change.uci.clone()),
            false => moves.retain(|text| *text != change.uci),
        }
    }
    moves.sort();
    Some(moves)
}

impl<D: Divider> Finder<D> {
    /// Gathers the evidence, unless there is some. Lines that a generator without one of the suspected
    /// rules cannot play are left out.
    pub(super) fn gather(
        &mut self,
        suspected: &[Rule],
        like: &Position,
    ) -> Result<(), CompareError<D::Error>> {
        if self.evidence.mode == Some(like.castling_mode()) {
            return Ok(());
        }
        self.evidence = Evidence { mode: Some(like.castling_mode()), ..Evidence::default() };
        let mut time = Duration::ZERO;
        let mut rng = Rng::new(4);
        let standard = Position::from(Board::startpos());
        for number in 0..DIVIDES {
            // As soon as it is clear that too few can be made.
            if time > MAX_TIME || (number == 10 && time * 10 > MAX_TIME) {
                break;
            }
            // Of each rule some positions in which it matters.
            let rule = Rule::ALL[number % Rule::ALL.len()];
            // A divider may be right in standard chess, and wrong in Chess960.
            let like = if number % 2 == 0 { like } else { &standard };
            let case = Probes::about(Rng::new(rng.next_u64()), rule, like).case();
            // Some by the tree alone: a generator may make moves there that it does not make when
            // it is given them.
            let case = match number % 3 {
                0 => Case { line: Vec::new(), depth: 2, ..case },
                1 => Case { depth: 2, ..case },
                _ => case,
            };
            let is_playable = |&rule: &Rule| game_after(&case.query(), Some(rule)).is_some();
            if !suspected.iter().all(is_playable) {
                continue;
            }
            let start = Instant::now();
            let diff = self.diff(&case.query());
            time += start.elapsed();
            match diff {
                Ok(diff) => {
                    let moves = diff.their_moves;
                    self.evidence.observations.push(Observation { case, moves });
                }
                Err(error @ (CompareError::Cancelled | CompareError::OutOfTime)) => {
                    self.evidence = Evidence::default();
                    return Err(error);
                }
                // A divider that fails here is no evidence. A process that has ended is started again.
                Err(CompareError::Divider(_)) => _ = self.restart()?,
                Err(_) => {}
            }
        }
        Ok(())
    }
}

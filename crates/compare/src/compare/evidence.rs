//! A generator's divides of random positions of every kind. A rule explains a bug only if its removal
//! gives all of them.

use std::time::{Duration, Instant};

use super::confirm::{Condition, MAX_TIME};
use super::explainer::game_after;
use super::hunter::depth_within;
use super::probe::{Probe, Probes};
use super::{Case, CompareError, Finder};
use crate::rules::Rule;
use crate::uci::Divider;
use perft_core::board::Position;
use perft_core::positions::random::special;
use perft_core::random::Rng;

/// The number of divides, and the least number without which nothing is confirmed.
const DIVIDES: usize = 160;
const MIN_DIVIDES: usize = 60;

/// The greatest tree of those that are more than one ply deep.
const MAX_NODES: u128 = 1_500;

/// The divide of a case by a generator.
struct Observation {
    case: Case,
    /// Its moves with their counts, sorted.
    moves: Vec<(String, u128)>,
}

/// Divides of random positions.
#[derive(Default)]
pub struct Evidence {
    observations: Vec<Observation>,
    is_gathered: bool,
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
        let mut predicted = 0;
        for Observation { case, moves } in &self.observations {
            match prediction(case, rule, condition) {
                Some(divide) if divide != *moves => {
                    return Agreement::Against(Box::new(case.clone()));
                }
                Some(_) => predicted += 1,
                None => {}
            }
        }
        if predicted < MIN_DIVIDES { Agreement::TooFew } else { Agreement::Full }
    }
}

/// The divide of our generator without a rule, sorted; `None` if it cannot be predicted.
fn prediction(
    case: &Case,
    rule: Rule,
    condition: Option<&Condition>,
) -> Option<Vec<(String, u128)>> {
    let mut divide: Vec<(String, u128)> = match condition {
        None => {
            let divide = game_after(&case.query(), Some(rule))?.divide(case.depth);
            divide.into_iter().map(|(text, nodes)| (text, nodes.into())).collect()
        }
        Some(condition) if case.depth == 1 => {
            let probe = Probe::new(rule, case.clone())?;
            let board = *case.query().position().board();
            let mut moves: Vec<String> =
                board.legal_moves().iter().map(|&mv| board.uci(mv)).collect();
            for change in probe.changes.iter().filter(|change| condition.holds(&change.facts)) {
                match change.is_extra {
                    true => moves.push(change.uci.clone()),
                    false => moves.retain(|text| *text != change.uci),
                }
            }
            moves.into_iter().map(|text| (text, 1)).collect()
        }
        Some(_) => return None,
    };
    divide.sort();
    Some(divide)
}

impl<D: Divider> Finder<D> {
    /// Gathers the evidence, unless that is done. Adds the time of its queries to `time`.
    pub(super) fn gather(
        &mut self,
        evidence: &mut Evidence,
        like: &Position,
        time: &mut Duration,
    ) -> Result<(), CompareError<D::Error>> {
        if std::mem::replace(&mut evidence.is_gathered, true) {
            return Ok(());
        }
        let mut rng = Rng::new(4);
        for number in 0..DIVIDES {
            if *time > MAX_TIME {
                break;
            }
            // Of each rule some positions in which it matters.
            let rule = Rule::ALL[number % Rule::ALL.len()];
            let case = match number % 4 {
                0 => {
                    let root = Position::from(special(&mut rng, like.castling_mode()));
                    let depth = depth_within(root.board(), 3, MAX_NODES);
                    Case { root, line: Vec::new(), depth }
                }
                _ => Probes::about(Rng::new(rng.next_u64()), rule, like).case(),
            };
            let start = Instant::now();
            let diff = self.diff(&case.query());
            *time += start.elapsed();
            match diff {
                Ok(diff) => {
                    evidence.observations.push(Observation { case, moves: diff.their_moves });
                }
                Err(error @ (CompareError::Cancelled | CompareError::OutOfTime)) => {
                    return Err(error);
                }
                // A divider that fails here is no evidence.
                Err(_) => {}
            }
        }
        Ok(())
    }
}

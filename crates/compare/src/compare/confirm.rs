//! Testing a rule on fresh positions, and describing the special case in which alone it is broken.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::facts::{Fact, Trait};
use super::probe::{Change, Probe, Probes, theme_of};
use super::{Case, CompareError, Confirmation, Diff, Finder};
use crate::rules::Rule;
use crate::uci::Divider;
use perft_core::positions::random::Theme;
use perft_core::random::Rng;

/// The most positions that are made, most of which are not queried.
const MAX_PROBES: usize = 20_000;

/// The most queries.
const MAX_QUERIES: usize = 200;

/// The time of queries after which no more than necessary are made.
const SLOW: Duration = Duration::from_secs(5);

/// The most time of queries for one explanation, so that a slow generator is not waited for.
pub(super) const MAX_TIME: Duration = Duration::from_secs(8);

/// The least number of positions that confirm.
const MIN_POSITIONS: usize = 20;

/// The least number of them where the bug must show, and where it must not.
const MIN_OF_EACH: usize = 5;

/// The number of each that are queried in any case, and the most that are queried because they
/// differ from those before.
const ENOUGH: usize = 12;
const MAX_OF_EACH: usize = 60;

/// The least number of positions to choose from where the rule matters, and where it is broken in a
/// special case only: other pieces and files have to occur among them.
const MIN_PROBES: usize = 300;
const MIN_NARROWER_PROBES: usize = 1_500;

/// The result of testing a rule.
pub enum Finding {
    /// The generator breaks the rule in all fresh positions.
    Confirmed(Confirmation),
    /// The generator breaks the rule in a special case.
    Narrower(Narrower),
    /// It does something else, or too few positions were found.
    Unclear,
}

/// A special case of a rule.
pub struct Narrower {
    pub condition: Condition,
    pub confirmation: Confirmation,
}

/// A condition on the facts about a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All of these hold.
    All(Vec<Fact>),
    /// This does not hold.
    Not(Fact),
}

impl Condition {
    pub fn holds(&self, facts: &BTreeSet<Fact>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|fact| facts.contains(fact)),
            Self::Not(fact) => !facts.contains(fact),
        }
    }

    fn facts(&self) -> &[Fact] {
        match self {
            Self::All(all) => all,
            Self::Not(fact) => std::slice::from_ref(fact),
        }
    }

    /// The number of facts, and how far-fetched they are.
    pub fn cost(&self) -> (usize, u32) {
        match self {
            Self::All(all) => (all.len(), all.iter().map(|fact| fact.cost()).sum()),
            Self::Not(fact) => (1, 1 + fact.cost()),
        }
    }

    /// The moves that meet the condition.
    pub fn moves(&self) -> String {
        match self {
            Self::All(all) => match all[..] {
                [Fact::Move(Trait::EnPassant)] => "en-passant captures".to_owned(),
                [Fact::Move(Trait::Promotes)] => "promotions".to_owned(),
                [Fact::Move(Trait::DoublePush)] => "double steps of pawns".to_owned(),
                [Fact::Move(Trait::Captures(true))] => "captures".to_owned(),
                _ => {
                    let facts: Vec<String> = all.iter().map(|fact| fact.text("")).collect();
                    format!("moves for which {}", facts.join(" and "))
                }
            },
            Self::Not(fact) => format!("moves except if {}", fact.text("")),
        }
    }

    /// The condition as a sentence about a rule.
    pub fn text(&self, rule: Rule) -> String {
        let cause = match rule {
            Rule::CastleRookCaptured => "the move that captures the rook",
            Rule::CastleRookMoved => "the move of the rook",
            Rule::CastleKingMoved => "the move of the king",
            Rule::CastleMovesRook => "castling",
            Rule::EnPassantRemoves => "the capture",
            Rule::EnPassantExpires => "the move after which it expires",
            _ => "an earlier move",
        };
        match self {
            Self::All(all) => {
                let facts: Vec<String> = all.iter().map(|fact| fact.text(cause)).collect();
                format!("Broken only if {}.", facts.join(" and "))
            }
            Self::Not(fact) => format!("Broken except if {}.", fact.text(cause)),
        }
    }
}

/// A move that is wrong without a rule, and whether the generator has it wrong.
pub struct Sample {
    pub facts: BTreeSet<Fact>,
    pub is_wrong: bool,
}

/// The conditions that hold for all wrong samples and for no others, the simplest first.
pub fn conditions(samples: &[Sample]) -> Vec<Condition> {
    let mut wrong = samples.iter().filter(|sample| sample.is_wrong);
    let right: Vec<&Sample> = samples.iter().filter(|sample| !sample.is_wrong).collect();
    let Some(first) = wrong.next() else { return Vec::new() };
    let mut common = first.facts.clone();
    wrong.for_each(|sample| common.retain(|fact| sample.facts.contains(fact)));
    let excludes = |facts: &[Fact]| {
        right.iter().all(|sample| facts.iter().any(|fact| !sample.facts.contains(fact)))
    };
    let common: Vec<Fact> = common.into_iter().collect();
    let mut found: Vec<Condition> = Vec::new();
    for (index, &fact) in common.iter().enumerate() {
        if excludes(&[fact]) {
            found.push(Condition::All(vec![fact]));
            continue;
        }
        for (next, &second) in common.iter().enumerate().skip(index + 1) {
            if excludes(&[fact, second]) && !excludes(&[second]) {
                found.push(Condition::All(vec![fact, second]));
                continue;
            }
            for &third in &common[next + 1..] {
                let triple = [fact, second, third];
                let has_part = [[fact, third], [second, third]].iter().any(|pair| excludes(pair))
                    || excludes(&[second]);
                if !has_part && excludes(&triple) {
                    found.push(Condition::All(triple.to_vec()));
                }
            }
        }
    }
    if let Some((first, rest)) = right.split_first() {
        let is_in_all = |fact: &&Fact| rest.iter().all(|sample| sample.facts.contains(fact));
        let is_in_no_wrong = |fact: &&Fact| {
            samples.iter().all(|sample| !sample.is_wrong || !sample.facts.contains(fact))
        };
        let facts = first.facts.iter().filter(is_in_all).filter(is_in_no_wrong);
        found.extend(facts.map(|&fact| Condition::Not(fact)));
    }
    found.sort_by_key(Condition::cost);
    found
}

/// Whether two of the facts have not been seen together. Files are too many to count.
fn has_new_pair(seen: &BTreeSet<(Fact, Fact)>, facts: &BTreeSet<Fact>) -> bool {
    pairs(facts).any(|pair| !seen.contains(&pair))
}

fn pairs(facts: &BTreeSet<Fact>) -> impl Iterator<Item = (Fact, Fact)> {
    let common = |fact: &&Fact| fact.cost() < 4;
    facts
        .iter()
        .filter(common)
        .flat_map(move |&first| facts.iter().filter(common).map(move |&second| (first, second)))
}

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// The rule is broken.
    Broken(Rule),
    /// Moves are listed more than once. The rule is about such moves.
    Repeated(Rule),
}

impl Suspicion {
    fn rule(self) -> Rule {
        let (Self::Broken(rule) | Self::Repeated(rule)) = self;
        rule
    }

    fn probe(self, case: Case) -> Option<Probe> {
        match self {
            Self::Broken(rule) => Probe::new(rule, case),
            Self::Repeated(_) => Some(Probe::of_repeated(case)),
        }
    }

    /// The samples that a divide output gives, if nothing else is wrong with it.
    fn samples(self, probe: &Probe, diff: &Diff) -> Option<Vec<Sample>> {
        match self {
            Self::Broken(_) => samples(probe, diff),
            Self::Repeated(_) => {
                let sample = |change: &Change| Sample {
                    facts: change.facts.clone(),
                    is_wrong: diff.repeated.contains(&change.uci),
                };
                let is_explained = diff.missing.is_empty() && diff.extra.is_empty();
                is_explained.then(|| probe.changes.iter().map(sample).collect())
            }
        }
    }
}

/// The samples that a divide output gives, if it does nothing but break the rule somewhere.
fn samples(probe: &Probe, diff: &Diff) -> Option<Vec<Sample>> {
    let is_changed = |text: &String, is_extra: bool| {
        probe.changes.iter().any(|change| change.uci == *text && change.is_extra == is_extra)
    };
    let is_explained = diff.missing.iter().all(|text| is_changed(text, false))
        && diff.extra.iter().all(|text| is_changed(text, true))
        && diff.repeated.is_empty()
        && diff.counts.is_empty();
    is_explained.then(|| {
        let sample = |change: &Change| {
            let list = if change.is_extra { &diff.extra } else { &diff.missing };
            Sample { facts: change.facts.clone(), is_wrong: list.contains(&change.uci) }
        };
        probe.changes.iter().map(sample).collect()
    })
}

impl<D: Divider> Finder<D> {
    /// Tests a suspicion on fresh positions, given a case of depth 1 that raised it. Adds the time
    /// of its queries to `time`.
    pub(super) fn examine(
        &mut self,
        suspicion: Suspicion,
        case: &Case,
        diff: &Diff,
        time: &mut Duration,
    ) -> Result<Finding, CompareError<D::Error>> {
        let rule = suspicion.rule();
        let first = suspicion.probe(case.clone());
        let Some(known) = first.and_then(|probe| suspicion.samples(&probe, diff)) else {
            return Ok(Finding::Unclear);
        };
        let wrong = known.iter().find(|sample| sample.is_wrong);
        let theme = wrong.map_or(Theme::Mixed, |sample| theme_of(&sample.facts));
        let mut probes = Probes { rng: Rng::new(2), rule, like: &case.root, theme };
        let mut examination = Examination::new(known);
        let mut queries = 0;
        for _ in 0..MAX_PROBES {
            let is_slow = *time > SLOW && examination.tally.confirmation().is_some();
            if examination.is_enough() || is_slow || *time > MAX_TIME || queries == MAX_QUERIES {
                break;
            }
            let Some(probe) = suspicion.probe(probes.case()) else { continue };
            let Some(separates) = examination.wants(suspicion, &probe) else { continue };
            queries += 1;
            let start = Instant::now();
            let diff = self.diff(&probe.case.query());
            *time += start.elapsed();
            let diff = match diff {
                Err(error @ (CompareError::Cancelled | CompareError::OutOfTime)) => {
                    return Err(error);
                }
                // A generator whose pieces stand elsewhere after the line.
                Err(CompareError::AnotherPosition { .. }) => continue,
                // A generator that fails here says nothing of the rule.
                Err(_) => return Ok(Finding::Unclear),
                Ok(diff) => diff,
            };
            let new = suspicion.samples(&probe, &diff);
            if !new.is_some_and(|new| examination.learn(&probe, new, separates)) {
                return Ok(Finding::Unclear);
            }
        }
        Ok(examination.finding())
    }
}

/// The samples so far, and what they say.
struct Examination {
    samples: Vec<Sample>,
    /// The conditions that fit the samples, the simplest first. They count only if some sample is
    /// right.
    conditions: Vec<Condition>,
    tally: Tally,
    /// Facts that were queried together.
    seen: BTreeSet<(Fact, Fact)>,
    /// Facts about changes of all positions, queried or not.
    met: BTreeSet<Fact>,
    /// The number of positions where the rule matters, and of others that were tried.
    sensitive: usize,
    silent: usize,
}

impl Examination {
    fn new(samples: Vec<Sample>) -> Self {
        let conditions = conditions(&samples);
        let tally = Tally::default();
        let (seen, met) = (BTreeSet::new(), BTreeSet::new());
        Self { samples, conditions, tally, seen, met, sensitive: 0, silent: 0 }
    }

    /// Facts in place of those of the condition that occur and have not been tried: of a condition
    /// that names a bishop, the queen.
    fn untried(&self) -> impl Iterator<Item = Fact> {
        let first = self.conditions.first().filter(|_| self.is_narrower());
        let facts = first.map_or(&[][..], Condition::facts).iter();
        let siblings = facts.flat_map(|fact| fact.siblings());
        siblings.filter(|fact| {
            self.met.contains(fact)
                && self.samples.iter().all(|sample| !sample.facts.contains(fact))
        })
    }

    fn is_narrower(&self) -> bool {
        self.samples.iter().any(|sample| !sample.is_wrong)
    }

    /// Whether a move with these facts should be wrong.
    fn predicts(&self, facts: &BTreeSet<Fact>) -> bool {
        !self.is_narrower() || self.conditions.first().is_some_and(|first| first.holds(facts))
    }

    fn is_enough(&self) -> bool {
        let min_probes = if self.is_narrower() { MIN_NARROWER_PROBES } else { MIN_PROBES };
        self.tally.confirmation().is_some()
            && self.sensitive >= min_probes
            && (self.tally.silent >= ENOUGH || self.silent >= MIN_PROBES)
    }

    /// Whether to query a position: `None` if not, or else whether it separates the rule from
    /// similar ones.
    fn wants(&mut self, suspicion: Suspicion, probe: &Probe) -> Option<bool> {
        let is_silent = probe.changes.is_empty();
        self.sensitive += usize::from(!is_silent);
        let mut facts = probe.changes.iter().map(|change| &change.facts);
        self.met.extend(facts.clone().flatten());
        let is_untried =
            self.untried().any(|fact| facts.clone().any(|facts| facts.contains(&fact)));
        let (tally, conditions) = (&self.tally, &self.conditions);
        let is_wanted = if is_untried {
            true
        } else if is_silent {
            tally.silent < ENOUGH || tally.lacks_separating()
        } else {
            let is_undecided = |facts: &BTreeSet<Fact>| {
                let mut verdicts = conditions.iter().map(|condition| condition.holds(facts));
                verdicts.next().is_some_and(|first| verdicts.any(|verdict| verdict != first))
            };
            let is_new = facts.clone().any(|facts| has_new_pair(&self.seen, facts));
            let shows = facts.clone().any(|facts| self.predicts(facts));
            let known = if shows { tally.wrong } else { tally.right };
            known < ENOUGH
                || (is_new && known < MAX_OF_EACH)
                || (self.is_narrower() && facts.any(is_undecided))
        };
        if !is_wanted {
            return None;
        }
        self.silent += usize::from(is_silent);
        let (separates, is_near) = match suspicion {
            Suspicion::Broken(rule) => probe.separates(rule, |facts| self.predicts(facts)),
            Suspicion::Repeated(_) => (false, false),
        };
        // Other positions where the rule does not matter say little, if there are better ones.
        let is_plain = is_silent && !is_near;
        let has_better = self.sensitive < MIN_PROBES || self.tally.silent >= MIN_OF_EACH;
        (!is_plain || !has_better).then_some(separates)
    }

    /// Adds the samples of a position. False if no condition fits any more.
    fn learn(&mut self, probe: &Probe, new: Vec<Sample>, separates: bool) -> bool {
        let was_narrower = self.is_narrower();
        let is_predicted = new.iter().all(|sample| self.predicts(&sample.facts) == sample.is_wrong);
        let shows = new.iter().any(|sample| sample.is_wrong);
        let has_right = new.iter().any(|sample| !sample.is_wrong);
        self.seen.extend(probe.changes.iter().flat_map(|change| pairs(&change.facts)));
        self.samples.extend(new);
        let before = std::mem::replace(&mut self.conditions, conditions(&self.samples));
        if !is_predicted || (was_narrower && before.first() != self.conditions.first()) {
            // Only positions after this one test the new condition.
            self.tally = Tally::default();
        } else {
            let tally = &mut self.tally;
            *(if shows { &mut tally.wrong } else { &mut tally.right }) += 1;
            tally.silent += usize::from(probe.changes.is_empty());
            tally.separating += usize::from(separates || (was_narrower && has_right));
        }
        !self.is_narrower() || !self.conditions.is_empty()
    }

    fn finding(self) -> Finding {
        let is_narrower = self.is_narrower();
        if self.untried().next().is_some() {
            return Finding::Unclear;
        }
        match (self.tally.confirmation(), self.conditions.into_iter().next()) {
            (Some(confirmation), _) if !is_narrower => Finding::Confirmed(confirmation),
            // Three facts fit by chance.
            (Some(confirmation), Some(condition)) if condition.facts().len() < 3 => {
                Finding::Narrower(Narrower { condition, confirmation })
            }
            _ => Finding::Unclear,
        }
    }
}

/// Positions that agree with the present condition.
#[derive(Default)]
struct Tally {
    wrong: usize,
    right: usize,
    /// Of those, where the rule does not matter at all.
    silent: usize,
    separating: usize,
}

impl Tally {
    fn lacks_separating(&self) -> bool {
        2 * self.separating < self.wrong + self.right
    }

    fn confirmation(&self) -> Option<Confirmation> {
        let positions = self.wrong + self.right;
        let is_enough = positions >= MIN_POSITIONS
            && !self.lacks_separating()
            && self.wrong >= MIN_OF_EACH
            && self.right >= MIN_OF_EACH;
        is_enough.then_some(Confirmation { positions, separating: self.separating })
    }
}

//! The positions, depths and rules that a hunt covered.

use std::collections::BTreeMap;

use crate::perft::Depth;
use crate::rules::Rule;

/// The comparisons of a hunt in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Coverage {
    /// Positions that were compared.
    pub positions: u64,
    /// The sum of our counts.
    pub nodes: u128,
    /// The number of positions that were compared at each depth.
    pub depths: BTreeMap<Depth, u64>,
    /// For each rule, the number of positions that show within a few plies that a generator does
    /// without it.
    pub rules: BTreeMap<Rule, u64>,
}

impl Default for Coverage {
    /// No positions.
    fn default() -> Self {
        let rules = Rule::ALL.iter().map(|&rule| (rule, 0)).collect();
        Self { positions: 0, nodes: 0, depths: BTreeMap::new(), rules }
    }
}

impl Coverage {
    /// The rules that no position exercised.
    pub fn unexercised_rules(&self) -> impl Iterator<Item = Rule> {
        self.rules.iter().filter(|&(_, &positions)| positions == 0).map(|(&rule, _)| rule)
    }
}

//! The lines of a divide, put together.

use std::collections::{BTreeMap, BTreeSet};

use super::{DivideOutput, OutputLine};

/// The output of an engine from the start of a divide, line by line.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    moves: Vec<(String, u128)>,
    /// The moves that have a count.
    counted: BTreeSet<String>,
    /// The totals after the last move.
    totals: Vec<u128>,
    has_running_totals: bool,
    /// Moves without a readable count, with their lines.
    bad_moves: BTreeMap<String, String>,
    bad_total: Option<String>,
}

impl Transcript {
    /// Adds a line, and returns its meaning.
    pub fn push(&mut self, line: &str) -> OutputLine {
        let line = OutputLine::parse(line);
        match &line {
            OutputLine::Move(text, nodes) => {
                // A total before the last move is not the total of all moves.
                self.has_running_totals |= !self.moves.is_empty() && !self.totals.is_empty();
                self.totals.clear();
                self.bad_moves.remove(text);
                self.moves.push((text.clone(), *nodes));
                self.counted.insert(text.clone());
            }
            OutputLine::Total(nodes) => self.totals.push(*nodes),
            // A second number of a counted move is a time or a score.
            OutputLine::BadMove(text, line) if !self.counted.contains(text) => {
                self.bad_moves.insert(text.clone(), line.clone());
            }
            OutputLine::BadTotal(line) => self.bad_total = Some(line.clone()),
            _ => {}
        }
        line
    }

    /// Whether there is no move and no total yet.
    pub fn is_empty(&self) -> bool {
        self.move_count() == 0 && !self.has_total()
    }

    /// A line whose number cannot be a count, if the same move or total has no other line.
    pub fn unreadable(&self) -> Option<&str> {
        let total = self.bad_total.as_ref().filter(|_| self.totals.is_empty());
        self.bad_moves.values().next().or(total).map(String::as_str)
    }

    /// The number of moves so far, with or without a readable count.
    pub fn move_count(&self) -> usize {
        self.moves.len() + self.bad_moves.len()
    }

    /// The last total, if it came after the last move.
    pub fn total(&self) -> Option<u128> {
        self.totals.last().copied()
    }

    /// Whether a total came after the last move, readable or not.
    pub fn has_total(&self) -> bool {
        !self.totals.is_empty() || self.bad_total.is_some()
    }

    /// Whether a total came between two moves.
    pub fn has_running_totals(&self) -> bool {
        self.has_running_totals
    }

    /// The whole divide. Of several totals it has the one that is the sum of the moves, else the
    /// last.
    pub fn output(self) -> DivideOutput {
        let unreadable = self.unreadable().map(str::to_owned);
        let mut output = DivideOutput { moves: self.moves, total: None, unreadable };
        let sum = output.sum();
        let is_sum = self.totals.contains(&sum);
        output.total = if is_sum { Some(sum) } else { self.totals.last().copied() };
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_be_counts_are_kept() {
        let mut transcript = Transcript::default();
        for (line, unreadable) in [
            ("a2a3: 1", None),
            ("a2a3: 0.5", None),
            ("Nodes: 1.2", Some("Nodes: 1.2")),
            ("Total: 1", None),
            ("a2a4: -1", Some("a2a4: -1")),
            ("a2a4: 1", Some("Nodes: 1.2")),
            ("a2a4: -1", Some("Nodes: 1.2")),
            ("Total: 2", None),
            ("b2b3: -1", Some("b2b3: -1")),
        ] {
            transcript.push(line);
            assert_eq!(transcript.unreadable(), unreadable, "{line}");
        }
        assert_eq!(transcript.move_count(), 3);
        assert_eq!(transcript.output().unreadable.as_deref(), Some("b2b3: -1"));
    }

    #[test]
    fn of_several_totals_the_sum_counts() {
        let mut transcript = Transcript::default();
        for line in ["a2a3: 1", "b2b3: 1", "Nodes: 2", "Total: 21"] {
            transcript.push(line);
        }
        assert_eq!(transcript.output().total, Some(2));
    }
}

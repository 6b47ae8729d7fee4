//! The lines of a divide, put together.

use std::collections::{BTreeMap, BTreeSet};

use super::output::mentioned_moves;
use super::{DivideOutput, OutputLine};
use perft_core::Depth;

/// The most lines that are kept because they were not understood.
const MAX_NOT_UNDERSTOOD: usize = 1_000;

/// The output of an engine from the start of a divide, line by line.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// The depth of the query, if it is known.
    depth: Option<Depth>,
    moves: Vec<(String, u128)>,
    /// The moves that have a count.
    counted: BTreeSet<String>,
    /// The numbers of moves after which a total came.
    boundaries: Vec<usize>,
    /// The totals after the last move.
    totals: Vec<u128>,
    /// Moves without a readable count, with their lines.
    bad_moves: BTreeMap<String, String>,
    bad_total: Option<String>,
    not_understood: Vec<String>,
}

impl Transcript {
    /// The output for a query of this depth. In a table of depths, only its row is a total.
    pub fn of_depth(depth: Depth) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Adds a line, and returns its meaning.
    pub fn push(&mut self, line: &str) -> OutputLine {
        let meaning = OutputLine::parse(line);
        match &meaning {
            OutputLine::Move(text, nodes) => self.push_move(text, *nodes),
            OutputLine::Moves(moves) => {
                moves.iter().for_each(|(text, nodes)| self.push_move(text, *nodes));
            }
            OutputLine::Total(nodes) => self.totals.push(*nodes),
            OutputLine::TotalAt(depth, nodes) => {
                if self.depth.is_none_or(|asked| asked == *depth) {
                    self.totals.push(*nodes);
                } else {
                    self.boundaries.push(self.moves.len());
                }
            }
            // A second number of a counted move is a time or a score.
            OutputLine::BadMove(text, line) if !self.counted.contains(text) => {
                self.bad_moves.insert(text.clone(), line.clone());
            }
            OutputLine::BadTotal(line) => self.bad_total = Some(line.clone()),
            OutputLine::Other
                if self.not_understood.len() < MAX_NOT_UNDERSTOOD
                    && !mentioned_moves(line).is_empty() =>
            {
                self.not_understood.push(line.trim().to_owned());
            }
            _ => {}
        }
        meaning
    }

    fn push_move(&mut self, text: &str, nodes: u128) {
        // A total before the last move is not the total of all moves.
        if !self.totals.is_empty() {
            self.boundaries.push(self.moves.len());
            self.totals.clear();
        }
        self.bad_moves.remove(text);
        self.moves.push((text.to_owned(), nodes));
        self.counted.insert(text.to_owned());
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

    /// The first line that mentions a move and was not understood.
    pub fn not_understood(&self) -> Option<&str> {
        self.not_understood.first().map(String::as_str)
    }

    /// The number of different moves so far, with or without a readable count.
    pub fn move_count(&self) -> usize {
        self.counted.len() + self.bad_moves.len()
    }

    /// The last total, if it came after the last move.
    pub fn total(&self) -> Option<u128> {
        self.totals.last().copied()
    }

    /// Whether a total came after the last move, readable or not.
    pub fn has_total(&self) -> bool {
        !self.totals.is_empty() || self.bad_total.is_some()
    }

    /// Whether a total came between two moves of one divide.
    pub fn has_running_totals(&self) -> bool {
        let start = self.moves.len() - self.last_divide().len();
        self.boundaries.iter().any(|&place| place > start && place < self.moves.len())
    }

    /// The number of divides: more than 1 if the engine divides at each smaller depth first.
    pub fn divide_count(&self) -> usize {
        self.moves.len() / self.last_divide().len().max(1)
    }

    /// The moves of the last divide. Several divides list the same moves, in any order with a total
    /// between them, or else in the same order with other counts; anything else is one divide in
    /// which moves are repeated.
    fn last_divide(&self) -> &[(String, u128)] {
        let moves = &self.moves[..];
        // Moves that are all different are one divide.
        if moves.len() == self.counted.len() {
            return moves;
        }
        let by_totals: Vec<&[_]> = parts(moves, &self.boundaries).collect();
        let first = |place: &usize| moves[*place].0 == moves[0].0;
        let starts: Vec<usize> = (1..moves.len()).filter(first).collect();
        let by_first: Vec<&[_]> = parts(moves, &starts).collect();
        let differ = |pair: &[&[(String, u128)]]| pair[0] != pair[1];
        let texts = |part: &[(String, u128)]| -> Vec<String> {
            part.iter().map(|(text, _)| text.clone()).collect()
        };
        let same_order = by_first.windows(2).all(|pair| texts(pair[0]) == texts(pair[1]));
        let sorted = |part: &[(String, u128)]| {
            let mut texts = texts(part);
            texts.sort();
            texts
        };
        let same_moves = by_totals.windows(2).all(|pair| sorted(pair[0]) == sorted(pair[1]));
        if by_totals.len() > 1 && same_moves {
            by_totals[by_totals.len() - 1]
        } else if same_order && by_first.windows(2).all(differ) {
            by_first[by_first.len() - 1]
        } else {
            moves
        }
    }

    /// The whole divide. Of several totals it has the one that is the sum of the moves, else the
    /// last.
    pub fn output(self) -> DivideOutput {
        let mut output = DivideOutput {
            moves: self.last_divide().to_vec(),
            unreadable: self.unreadable().map(str::to_owned),
            not_understood: self.not_understood,
            ..DivideOutput::default()
        };
        let sum = output.sum();
        let is_sum = self.totals.contains(&sum);
        output.total = if is_sum { Some(sum) } else { self.totals.last().copied() };
        output
    }
}

/// The parts of a list that places cut it into; none is empty.
fn parts<'a, T>(list: &'a [T], places: &[usize]) -> impl Iterator<Item = &'a [T]> {
    let starts = std::iter::once(0).chain(places.iter().copied());
    let ends = places.iter().copied().chain([list.len()]);
    starts.zip(ends).map(|(start, end)| &list[start..end]).filter(|part| !part.is_empty())
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

    fn output(depth: Depth, lines: &str) -> DivideOutput {
        let mut transcript = Transcript::of_depth(depth);
        lines.lines().for_each(|line| _ = transcript.push(line));
        transcript.output()
    }

    fn moves(list: &[(&str, u128)]) -> Vec<(String, u128)> {
        list.iter().map(|&(text, nodes)| (text.to_owned(), nodes)).collect()
    }

    #[test]
    fn of_several_divides_the_last_counts() {
        let last = moves(&[("a2a3", 20), ("b2b3", 21)]);
        for lines in [
            "a2a3 1\nb2b3 1\nTotal: 2\na2a3 20\nb2b3 21\nTotal: 41",
            // In another order.
            "b2b3 1\na2a3 1\nTotal: 2\na2a3 20\nb2b3 21\nTotal: 41",
            // With rows of a table.
            "a2a3 1 1\nb2b3 1 2\n1 2 0.0\na2a3 20 20\nb2b3 21 41\n2 41 0.0",
        ] {
            let output = output(2, lines);
            assert_eq!((output.moves, output.total), (last.clone(), Some(41)), "{lines}");
        }
        assert_eq!(output(2, "a2a3 1\nb2b3 1\na2a3 20\nb2b3 21").moves, last);
    }

    #[test]
    fn repeated_moves_of_one_divide_are_kept() {
        for lines in [
            "a2a3 1\na2a3 1\nb2b3 1\nTotal: 3",
            "a2a3 1\nb2b3 1\na2a3 1\nTotal: 3",
            // Every move twice.
            "a2a3 1\nb2b3 1\na2a3 1\nb2b3 1\nTotal: 4",
            // With running totals.
            "a2a3 1\nTotal: 1\na2a3 1\nTotal: 2\nb2b3 1\nTotal: 3",
        ] {
            let output = output(1, lines);
            assert_eq!(output.total, Some(output.sum()), "{lines}");
        }
    }

    #[test]
    fn the_row_of_the_depth_is_the_total() {
        let table = "depth nodes\n1 20 0\n2 400 0\n3 8902 1";
        assert_eq!(
            [1, 2, 3, 4].map(|depth| output(depth, table).total),
            [Some(20), Some(400), Some(8902), None]
        );
    }
}

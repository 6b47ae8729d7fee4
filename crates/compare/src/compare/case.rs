//! A position, moves, and a depth to compare at.

use crate::suite::Entry;
use crate::uci::Query;
use perft_core::board::Position;
use perft_core::types::Move;
use perft_core::{CountError, Depth, perft};

/// A [`Query`] that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position before the moves.
    pub root: Position,
    /// Legal moves from the root, so that errors in making moves show.
    pub line: Vec<Move>,
    /// The depth to compare at after the moves.
    pub depth: Depth,
}

impl Case {
    /// The case as a query.
    pub fn query(&self) -> Query<'_> {
        Query { root: &self.root, line: &self.line, depth: self.depth }
    }

    /// The moves in UCI notation, in the castling mode of the root.
    pub fn uci_moves(&self) -> Vec<String> {
        self.line.iter().map(|mv| mv.uci(self.root.castling_mode())).collect()
    }

    /// The depth of the whole tree: the moves and the depth after them.
    pub fn depth_from_root(&self) -> Depth {
        let plies = Depth::try_from(self.line.len()).unwrap_or(Depth::MAX);
        self.depth.saturating_add(plies)
    }

    /// The case as an entry of a suite, with our counts up to [`Case::depth_from_root`]. A suite
    /// has no moves before its positions: the entry starts at the first position of the line that is
    /// fast to count, or else at the last.
    ///
    /// # Errors
    /// If a count does not fit into 128 bits.
    pub fn entry(&self, title: Option<String>) -> Result<Entry, CountError> {
        let last = self.line.len();
        let mut cases = (0..last).map(|plies| self.after_first(plies));
        let case = cases.find(Self::is_quick).unwrap_or_else(|| self.after_first(last));
        let counts = (1..=case.depth_from_root())
            .map(|depth| Ok((depth, perft(case.root.board(), depth)?)))
            .collect::<Result<Vec<_>, CountError>>()?;
        Ok(Entry::new(case.root, title, counts))
    }

    /// The case from a later position of its line.
    pub(super) fn after_first(&self, plies: usize) -> Self {
        let (before, line) = self.line.split_at(plies);
        Self { root: self.root.after(before), line: line.to_vec(), depth: self.depth }
    }

    /// The case from another root, if its moves are legal there.
    pub(super) fn with_root(&self, root: Position) -> Option<Self> {
        let mut board = *root.board();
        for &mv in &self.line {
            board.try_play(mv).ok()?;
        }
        Some(Self { root, ..self.clone() })
    }

    /// Whether the tree from the root is fast to count.
    fn is_quick(&self) -> bool {
        /// The last ply multiplies this by some dozens.
        const MAX_NODES_BEFORE_LAST_PLY: u128 = 20_000_000;
        (1..self.depth_from_root()).all(|depth| {
            let nodes = perft(self.root.board(), depth);
            nodes.is_ok_and(|nodes| nodes <= MAX_NODES_BEFORE_LAST_PLY)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perft_core::board::Board;

    #[test]
    fn an_entry_starts_at_the_root_if_it_is_fast_to_count() {
        let root = Position::from(Board::startpos());
        let mv = root.board().parse_uci("e2e4").unwrap();
        let case = Case { root, line: vec![mv], depth: 1 };
        let entry = case.entry(Some("double-push".to_owned())).unwrap();
        let line = format!("{} ;D1 20 ;D2 400 ;id \"double-push\"", Board::STARTPOS_FEN);
        assert_eq!(entry.to_string(), line);

        let kiwipete = Position::from(perft_core::positions::by_name("kiwipete").unwrap());
        let mv = kiwipete.board().parse_uci("e1g1").unwrap();
        let deep = Case { root: kiwipete, line: vec![mv], depth: 5 };
        assert!(!deep.is_quick());
    }
}

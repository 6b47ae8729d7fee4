//! Moves before a position that a divider does not play.
//!
//! Many engines stop reading the moves of `position` at one that they take for illegal. Their divide
//! is then for an earlier position, and the move is the mismatch.

use super::{Diff, Finder};
use crate::uci::{DivideOutput, Divider, Query};
use perft_core::board::Board;
use perft_core::{Counter, Depth};

impl<D: Divider> Finder<D> {
    /// The difference for output that is that of an earlier position: the first move that the
    /// divider does not play. `None` if it plays them all, as far as it can be asked.
    pub(super) fn refused_move(
        &mut self,
        query: &Query<'_>,
        output: &DivideOutput,
        ours: u128,
    ) -> Option<Diff> {
        if output.only_totals || !fits_earlier_position(query, output) {
            return None;
        }
        // Where a move is not played, the same moves are listed again.
        let mut before = self.listed_moves(query, 0)?;
        for plies in 1..=query.line.len() {
            let after = self.listed_moves(query, plies)?;
            if after == before {
                let refused = query.line[plies - 1].uci(query.root.castling_mode());
                let theirs = output.total.unwrap_or_else(|| output.sum());
                return Some(Diff::refused(plies, refused, ours, theirs));
            }
            before = after;
        }
        None
    }

    /// The moves that the divider lists after the first moves of the line, sorted.
    fn listed_moves(&mut self, query: &Query<'_>, plies: usize) -> Option<Vec<String>> {
        let query = Query { line: &query.line[..plies], depth: 1, ..*query };
        let moves = self.divider_mut().divide(&query).ok()?.moves;
        let mut moves: Vec<String> = moves.into_iter().map(|(text, _)| text).collect();
        moves.sort();
        (!moves.is_empty()).then_some(moves)
    }

    /// The query to report for a difference. For a refused move it is the position before it, if
    /// the move is missing there, or else the position after it.
    pub(super) fn before_refused<'a>(
        &mut self,
        query: &Query<'a>,
        diff: Diff,
    ) -> (Query<'a>, Diff) {
        const DEPTH: Depth = 1;
        let Some(plies) = diff.refused_ply else { return (*query, diff) };
        let before = Query { line: &query.line[..plies - 1], depth: DEPTH, ..*query };
        if let Ok(diff) = self.diff(&before)
            && !diff.is_equal()
        {
            return (before, diff);
        }
        let after = Query { line: &query.line[..plies], depth: DEPTH, ..*query };
        let diff = self.diff(&after).unwrap_or(diff);
        (after, diff)
    }
}

/// Whether the moves of a divide are rather those of an earlier position of the line.
fn fits_earlier_position(query: &Query<'_>, output: &DivideOutput) -> bool {
    let distance = |board: &Board| {
        let ours = Counter::new().divide(board, 1).unwrap_or_default();
        let diff = Diff::new(board, &ours, output);
        diff.missing.len() + diff.extra.len()
    };
    let last = distance(query.position().board());
    let mut earlier = (0..query.line.len()).map(|plies| query.root.after(&query.line[..plies]));
    earlier.any(|position| distance(position.board()) < last)
}

#[cfg(test)]
mod tests {
    use crate::compare::{Finder, Verdict};
    use crate::uci::{DivideOutput, Divider, Query};
    use perft_core::Counter;
    use perft_core::board::Position;

    /// Reads the moves of a query up to one that it does not play, as Stockfish does.
    struct Refuses {
        uci: &'static str,
        /// Whether it lists that move all the same.
        lists: bool,
    }

    impl Divider for Refuses {
        type Error = std::convert::Infallible;

        fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
            let mode = query.root.castling_mode();
            let played = query.line.iter().take_while(|mv| mv.uci(mode) != self.uci).count();
            let position = query.root.after(&query.line[..played]);
            let board = position.board();
            let divide = Counter::new().divide(board, query.depth).unwrap();
            let moves = divide.branches.iter().map(|branch| (board.uci(branch.mv), branch.nodes));
            Ok(DivideOutput::new(moves.filter(|(uci, _)| self.lists || uci != self.uci)))
        }
    }

    fn find(divider: Refuses, moves: &str) -> Verdict {
        let root: Position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse().unwrap();
        let mut board = *root.board();
        let mut line = Vec::new();
        for uci in moves.split_whitespace() {
            line.push(board.parse_uci(uci).unwrap());
            board.make(line[line.len() - 1]);
        }
        let query = Query { root: &root, line: &line, depth: 2 };
        Finder::new(divider, Counter::new()).find_after(&query, |_, _| {}).unwrap()
    }

    #[test]
    fn a_refused_move_is_missing_where_it_is_not_listed() {
        // The line goes on by an odd and by an even number of moves.
        for moves in ["a1b1 e8g8", "a1b1 e8g8 b1a1", "a1b1 e8g8 b1a1 a8b8"] {
            let divider = Refuses { uci: "e8g8", lists: false };
            let mismatch = find(divider, moves).mismatch().expect("a mismatch");
            assert_eq!(mismatch.case.query().uci_moves(), "a1b1", "{moves}");
            assert_eq!((mismatch.given_moves, mismatch.case.depth), (1, 1));
            assert_eq!(mismatch.diff.missing, ["e8g8"]);
            assert_eq!((mismatch.diff.refused, mismatch.diff.extra.len()), (None, 0));
        }
    }

    #[test]
    fn a_listed_move_that_is_not_played_is_named() {
        for moves in ["a1b1 e8g8", "a1b1 e8g8 b1a1", "a1b1 e8g8 b1a1 a8b8"] {
            let divider = Refuses { uci: "e8g8", lists: true };
            let mismatch = find(divider, moves).mismatch().expect("a mismatch");
            assert_eq!(mismatch.case.query().uci_moves(), "a1b1 e8g8", "{moves}");
            assert_eq!(mismatch.diff.refused.as_deref(), Some("e8g8"));
            assert!(mismatch.diff.missing.is_empty() && mismatch.diff.extra.is_empty());
        }
        let divider = Refuses { uci: "e8g8", lists: true };
        assert!(find(divider, "a1b1 e8f8").mismatch().is_none());
    }
}

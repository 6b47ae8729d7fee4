//! The difference between two divides of a position.

use std::collections::BTreeMap;

use crate::board::Board;
use crate::perft::Divide;
use crate::types::{CastlingMode, CastlingSide, File, Move, MoveKind, Piece, Square};
use crate::uci::DivideOutput;

/// A move whose counts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongCount {
    /// The move.
    pub mv: Move,
    /// The move in UCI notation.
    pub uci: String,
    /// Our count.
    pub ours: u128,
    /// Their count.
    pub theirs: u128,
}

/// The difference between their divide and ours. Moves are in UCI notation, in the castling mode
/// of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Legal moves that they do not list, sorted.
    pub missing: Vec<String>,
    /// Listed moves that are not legal, sorted, each once.
    pub extra: Vec<String>,
    /// Moves that are listed more than once.
    pub repeated: Vec<String>,
    /// Moves of both lists with different counts, in our order.
    pub counts: Vec<WrongCount>,
    /// Our total.
    pub ours: u128,
    /// Their total, as printed, or else the sum.
    pub theirs: u128,
    /// Their moves with their counts, sorted.
    pub(super) their_moves: Vec<(String, u128)>,
}

impl Diff {
    /// Compares their divide output with our divide of the same position and depth.
    pub fn new(board: &Board, ours: &Divide, theirs: &DivideOutput) -> Self {
        let mut their_counts: BTreeMap<String, Vec<u128>> = BTreeMap::new();
        for (text, nodes) in &theirs.moves {
            their_counts.entry(normalize_castling(board, text)).or_default().push(*nodes);
        }
        let with_counts = |(text, counts): (&String, &Vec<u128>)| {
            counts.iter().map(|&nodes| (text.clone(), nodes)).collect::<Vec<_>>()
        };
        let their_moves = their_counts.iter().flat_map(with_counts).collect();
        let mut diff = Self {
            missing: Vec::new(),
            extra: Vec::new(),
            repeated: Vec::new(),
            counts: Vec::new(),
            ours: ours.nodes,
            theirs: theirs.total.unwrap_or_else(|| theirs.sum()),
            their_moves,
        };
        for branch in &ours.branches {
            let uci = board.uci(branch.mv);
            let Some(counts) = their_counts.remove(&uci) else {
                diff.missing.push(uci);
                continue;
            };
            if counts.len() > 1 {
                diff.repeated.push(uci.clone());
            }
            let (mv, ours) = (branch.mv, branch.nodes);
            if let Some(&theirs) = counts.first().filter(|&&theirs| theirs != ours) {
                diff.counts.push(WrongCount { mv, uci, ours, theirs });
            }
        }
        for (text, counts) in their_counts {
            if counts.len() > 1 {
                diff.repeated.push(text.clone());
            }
            diff.extra.push(text);
        }
        diff
    }

    /// Whether there is no difference.
    pub fn is_equal(&self) -> bool {
        self.same_moves() && self.counts.is_empty() && self.ours == self.theirs
    }

    /// Whether the lists of moves are the same.
    pub fn same_moves(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.repeated.is_empty()
    }

    /// Whether the moves and their counts are the same and their total is wrong.
    pub fn only_total_differs(&self) -> bool {
        self.same_moves() && self.counts.is_empty() && self.ours != self.theirs
    }

    /// Their moves with their counts, sorted.
    pub fn their_moves(&self) -> &[(String, u128)] {
        &self.their_moves
    }

    /// The sum of their counts, which may not be their total.
    pub fn their_sum(&self) -> u128 {
        self.their_moves.iter().map(|&(_, nodes)| nodes).fold(0, u128::saturating_add)
    }
}

/// The move with castling as the board writes it. It may come as `O-O`, as the steps of the king,
/// or as king-takes-rook.
fn normalize_castling(board: &Board, text: &str) -> String {
    let mode = board.castling_mode();
    let us = board.side_to_move();
    let king = board.king(us);
    let uci = |rook: Square| Move::new(king, rook, MoveKind::Castle).uci(mode);
    let rook = |side: CastlingSide| board.castling().rook(us, king, side);
    let side = match text {
        "O-O" => Some(CastlingSide::King),
        "O-O-O" => Some(CastlingSide::Queen),
        _ => None,
    };
    if let Some(side) = side {
        let king_to = Square::new(side.king_file(), king.rank());
        return rook(side).map_or_else(|| format!("{king}{king_to}"), uci);
    }
    let square = |text: Option<&str>| text.and_then(|text| text.parse::<Square>().ok());
    let (Some(from), Some(to)) = (square(text.get(..2)), square(text.get(2..))) else {
        return text.to_owned();
    };
    if from != king || from.rank() != to.rank() || from == to {
        return text.to_owned();
    }
    let side = CastlingSide::of(from, to);
    let is_own_rook = board.colored_piece_on(to) == Some((us, Piece::Rook));
    let has_right = board.castling().rooks().contains(to);
    // An engine may use a right that is lost.
    let is_home =
        mode == CastlingMode::Standard && (from.file(), to.file()) == (File::E, side.corner_file());
    let is_far = from.file().index().abs_diff(to.file().index()) > 1;
    let castled_with = if is_own_rook && (has_right || is_home) {
        Some(to)
    } else if is_far && to.file() == side.king_file() {
        rook(side)
    } else {
        None
    };
    castled_with.map_or_else(|| text.to_owned(), uci)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::Counter;

    fn diff(fen: &str, lines: &[(&str, u128)]) -> Diff {
        let board: Board = fen.parse().unwrap();
        let ours = Counter::new().divide(&board, 1).unwrap();
        let theirs = DivideOutput::new(lines.iter().map(|&(text, nodes)| (text.to_owned(), nodes)));
        Diff::new(&board, &ours, &theirs)
    }

    #[test]
    fn castling_is_the_same_in_every_notation() {
        let fen = "7k/8/8/8/8/p6p/P2PPP1P/3QK2R w K - 0 1";
        let others = ["d1c1", "d1b1", "d1a1", "d1c2", "d1b3", "d1a4", "d2d3", "d2d4", "e2e3"];
        let more = ["e2e4", "f2f3", "f2f4", "e1f1", "h1g1", "h1f1"];
        for castle in ["e1g1", "e1h1", "O-O"] {
            let lines: Vec<(&str, u128)> =
                others.iter().chain(&more).chain([&castle]).map(|&text| (text, 1)).collect();
            let diff = diff(fen, &lines);
            assert!(diff.is_equal(), "{castle}: {diff:?}");
        }
    }

    #[test]
    fn castling_is_written_as_the_board_writes_it() {
        let standard: Board = "r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1".parse().unwrap();
        let chess960 = standard.with_chess960();
        for (board, text, expected) in [
            (&standard, "O-O", "e1g1"),
            (&standard, "e1h1", "e1g1"),
            (&chess960, "e1g1", "e1h1"),
            (&chess960, "O-O", "e1h1"),
            // Without the right.
            (&standard, "O-O-O", "e1c1"),
            (&standard, "e1a1", "e1c1"),
            (&standard, "e1c1", "e1c1"),
            (&chess960, "e1a1", "e1a1"),
            (&chess960, "O-O-O", "e1c1"),
            // Other moves.
            (&standard, "e1d1", "e1d1"),
            (&standard, "e1f1", "e1f1"),
            (&standard, "a1c1", "a1c1"),
            (&standard, "a7a8q", "a7a8q"),
            (&standard, "0000", "0000"),
        ] {
            assert_eq!(normalize_castling(board, text), expected, "{text} on {board:?}");
        }
    }

    #[test]
    fn every_difference_is_reported() {
        let fen = "k7/8/8/8/8/8/8/K7 w - - 0 1";
        let diff = diff(fen, &[("a1a2", 2), ("a1b2", 1), ("a1b2", 1), ("a1c3", 1)]);
        assert_eq!(diff.missing, ["a1b1"]);
        assert_eq!(diff.extra, ["a1c3"]);
        assert_eq!(diff.repeated, ["a1b2"]);
        assert_eq!((diff.counts.len(), diff.counts[0].theirs), (1, 2));
        assert_eq!((diff.ours, diff.theirs, diff.their_sum()), (3, 5, 5));
    }
}

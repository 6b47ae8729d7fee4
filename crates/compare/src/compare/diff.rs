//! The difference between two divides of a position.

use std::collections::BTreeMap;

use crate::uci::{DivideOutput, squares_of};
use perft_core::Divide;
use perft_core::board::{Board, castled_squares};
use perft_core::types::{CastlingMode, CastlingSide, File, Move, MoveKind, Piece, Square};

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
    /// Listed moves that are not legal, sorted, each once. Some engines list all moves that their
    /// pieces can make and count 0 for illegal ones: those are left out.
    pub extra: Vec<String>,
    /// Moves that are listed more than once.
    pub repeated: Vec<String>,
    /// Castling moves that they list as a king's step, and that step: they read a castling right as
    /// one of Chess960 and write the move as standard chess does, so that the step comes twice.
    pub castling_as_step: Vec<(String, String)>,
    /// Moves of both lists with different counts, in our order.
    pub counts: Vec<WrongCount>,
    /// Our total.
    pub ours: u128,
    /// Their total, as printed, or else the sum.
    pub theirs: u128,
    /// A move before the position that they do not play, in UCI notation. Nothing else is compared
    /// then: their output is for the position before it.
    pub refused: Option<String>,
    /// Whether they print totals only. Their moves are taken to be the legal ones then: if the
    /// total differs and the counts do not, their list of moves is another one.
    pub only_totals: bool,
    /// The number of moves up to and with the refused one.
    pub(super) refused_ply: Option<usize>,
    /// Their moves with their counts, sorted.
    pub(super) their_moves: Vec<(String, u128)>,
}

impl Diff {
    /// Compares their divide output with our divide of the same position and depth.
    pub fn new(board: &Board, ours: &Divide, theirs: &DivideOutput) -> Self {
        let mut their_counts: BTreeMap<String, Vec<u128>> = BTreeMap::new();
        for (text, nodes) in &theirs.moves {
            their_counts.entry(to_uci(board, text)).or_default().push(*nodes);
        }
        let mut diff = Self {
            missing: Vec::new(),
            extra: Vec::new(),
            repeated: Vec::new(),
            castling_as_step: Vec::new(),
            counts: Vec::new(),
            ours: ours.nodes,
            theirs: theirs.total.unwrap_or_else(|| theirs.sum()),
            refused: None,
            only_totals: theirs.only_totals,
            refused_ply: None,
            their_moves: Vec::new(),
        };
        // At depth 1, a legal move counts 1: an illegal one with 0 is listed and not counted.
        if ours.branches.iter().all(|branch| branch.nodes == 1) {
            let legal =
                |text: &str| ours.branches.iter().any(|branch| board.uci(branch.mv) == text);
            their_counts
                .retain(|text, counts| counts.iter().any(|&nodes| nodes > 0) || legal(text));
        }
        for (text, counts) in &their_counts {
            diff.their_moves.extend(counts.iter().map(|&nodes| (text.clone(), nodes)));
        }
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
        // At any depth, illegal moves that are not counted do no harm.
        their_counts.retain(|_, counts| counts.iter().any(|&nodes| nodes > 0));
        for (text, counts) in their_counts {
            if counts.len() > 1 {
                diff.repeated.push(text.clone());
            }
            diff.extra.push(text);
        }
        for mv in ours.branches.iter().map(|branch| branch.mv) {
            let (castling, us) = (board.uci(mv), board.side_to_move());
            if mv.kind() == MoveKind::Castle && diff.missing.contains(&castling) {
                let step = format!("{}{}", mv.from(), castled_squares(us, mv.from(), mv.to()).0);
                if diff.repeated.contains(&step) {
                    diff.castling_as_step.push((castling, step));
                }
            }
        }
        diff
    }

    /// The difference of a move before the position that they do not play.
    pub(super) fn refused(ply: usize, refused: String, ours: u128, theirs: u128) -> Self {
        Self {
            missing: Vec::new(),
            extra: Vec::new(),
            repeated: Vec::new(),
            castling_as_step: Vec::new(),
            counts: Vec::new(),
            ours,
            theirs,
            refused: Some(refused),
            only_totals: false,
            refused_ply: Some(ply),
            their_moves: Vec::new(),
        }
    }

    /// Whether there is no difference.
    pub fn is_equal(&self) -> bool {
        self.same_moves() && self.counts.is_empty() && self.ours == self.theirs
    }

    /// Whether the lists of moves are the same.
    pub fn same_moves(&self) -> bool {
        let lists = [&self.missing, &self.extra, &self.repeated];
        lists.iter().all(|list| list.is_empty()) && self.refused.is_none()
    }

    /// Whether the moves and their counts are the same and their total is wrong.
    pub fn only_total_differs(&self) -> bool {
        self.same_moves() && self.counts.is_empty() && self.ours != self.theirs
    }

    /// Sentences about moves that are not in the lists: castling written as a step, a move that is
    /// not played.
    pub fn remarks(&self) -> Vec<String> {
        let steps = self.castling_as_step.iter().map(|(castling, step)| {
            format!(
                "{step} comes twice: the engine reads the castling right as Chess960 and writes \
                 {castling} as {step} (its option UCI_Chess960 is off)"
            )
        });
        let refused = self.refused.iter().map(|refused| {
            format!(
                "Not played: {refused}. The engine lists it, but when it is given the move it \
                 shows the position before it."
            )
        });
        steps.chain(refused).collect()
    }

    /// A sentence about a total that is wrong although the counts of the moves are right.
    pub fn total_remark(&self) -> Option<&'static str> {
        self.only_total_differs().then_some(match self.only_totals {
            true => {
                "The engine prints totals only: its list of moves is another one here, but which \
                 moves are wrong cannot be seen."
            }
            false => "The total is not the sum of the lines.",
        })
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

/// The move in UCI notation, with castling as the board writes it. Castling may come as `O-O`, as
/// the steps of the king, or as king-takes-rook; other moves in standard algebraic notation.
fn to_uci(board: &Board, text: &str) -> String {
    let text = &squares_of(board, text).unwrap_or_else(|| text.to_owned());
    let mode = board.castling_mode();
    let us = board.side_to_move();
    let king = board.king(us);
    let uci = |rook: Square| Move::new(king, rook, MoveKind::Castle).uci(mode);
    let rook = |side: CastlingSide| board.castling().rook(us, king, side);
    let side = match text.as_str() {
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
    use perft_core::Counter;

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
    fn castling_that_is_written_as_a_step_is_named() {
        let fen = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
        let moves = ["f1e1", "f1g1", "f1e2", "f1f2", "f1g2", "h1g1", "f1g1"];
        let rook = ["h1h2", "h1h3", "h1h4", "h1h5", "h1h6", "h1h7", "h1h8"];
        let lines: Vec<(&str, u128)> = moves.iter().chain(&rook).map(|&text| (text, 1)).collect();
        let found = diff(fen, &lines);
        assert_eq!(found.castling_as_step, [("f1h1".to_owned(), "f1g1".to_owned())]);
        assert_eq!(diff(fen, &lines[1..]).castling_as_step, found.castling_as_step);
        let without: Vec<_> = lines.iter().copied().filter(|&(text, _)| text != "f1g1").collect();
        assert!(diff(fen, &without).castling_as_step.is_empty());
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
            assert_eq!(to_uci(board, text), expected, "{text} on {board:?}");
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

    /// As sjaakii prints them.
    #[test]
    fn illegal_moves_that_count_nothing_are_not_extra() {
        let fen = "k7/8/8/8/8/8/8/K7 w - - 0 1";
        let moves = [("a1a2", 1), ("a1b1", 1), ("a1b2", 1), ("a1c3", 0)];
        let equal = diff(fen, &moves);
        assert!(equal.is_equal() && equal.their_moves.len() == 3, "{equal:?}");
        // A legal one must count.
        let wrong = diff(fen, &[("a1a2", 1), ("a1b1", 1), ("a1b2", 0)]);
        assert_eq!((wrong.counts.len(), wrong.missing.len()), (1, 0));
    }
}

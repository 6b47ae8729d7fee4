//! Mistakes in counting: every list of moves is right, and counts of two or more plies are wrong.
//!
//! A [`Counting`] is a generator with such a mistake. It predicts the whole divide of any query, so
//! that numbers confirm or refute it.

use super::hunter::depth_within;
use super::probe::{Probes, is_about_making};
use super::{Case, Cause, CompareError, Confirmation, Diff, Finder, Mismatch};
use crate::rules::{Game, Rule};
use crate::uci::Divider;
use perft_core::Depth;
use perft_core::board::{Board, BoardBuilder, Position};
use perft_core::positions::random::special;
use perft_core::random::Rng;
use perft_core::types::{CastlingMode, Color, Move, MoveKind, Piece, Square};

/// The greatest trees that are counted to tell mistakes apart; those in which positions repeat are
/// larger.
const MAX_NODES: u128 = 4_000;
const MAX_REPEATING_NODES: u128 = 60_000;

/// The most positions that are made, and the most that are queried.
const MAX_CASES: usize = 1_500;
const MAX_QUERIES: usize = 60;

/// The least number of positions where the mistake must show, and where it must not.
const MIN_OF_EACH: usize = 8;

/// The number of each that are enough.
const ENOUGH: usize = 16;

/// A mistake in counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Moves of the last ply are counted without being made, and some of them wrongly.
    Leaf(Leaf),
    /// Lines end early, and count so much.
    End(LineEnd, EndValue),
    /// Counts are kept in so many bits.
    Overflow(u32),
}

/// Moves of the last ply that are counted wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Promotions to several pieces count once.
    PromotionsOnce,
    /// Captures are not counted.
    NoCaptures,
    /// A rule is left out.
    Rule(Rule),
}

/// The end of a line that is none in perft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LineEnd {
    Checkmate,
    Stalemate,
    NoMoves,
    FiftyMoves,
    Repetition,
    ThreefoldRepetition,
    Material,
    Promotion,
}

/// The count of a line that ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndValue {
    /// None, if it ends before the last ply.
    Zero,
    /// None, at the last ply too.
    ZeroAtLeaf,
    /// One.
    One,
}

impl Counting {
    fn all() -> Vec<Self> {
        use EndValue::{One, Zero, ZeroAtLeaf};
        let rules = Rule::ALL.iter().filter(|&&rule| !is_about_making(rule));
        let leaves = [Leaf::PromotionsOnce, Leaf::NoCaptures].into_iter();
        let leaves = leaves.chain(rules.map(|&rule| Leaf::Rule(rule)));
        // Without moves a line counts nothing in any case.
        let without_moves = [LineEnd::Checkmate, LineEnd::Stalemate, LineEnd::NoMoves];
        let draws = [
            LineEnd::FiftyMoves,
            LineEnd::Repetition,
            LineEnd::ThreefoldRepetition,
            LineEnd::Material,
            LineEnd::Promotion,
        ];
        let of_draw = |end| [Zero, ZeroAtLeaf, One].map(|value| Self::End(end, value));
        let mut all: Vec<Self> = leaves.map(Self::Leaf).collect();
        all.extend(without_moves.map(|end| Self::End(end, One)));
        all.extend(draws.into_iter().flat_map(of_draw));
        all.extend([16, 32].map(Self::Overflow));
        all
    }

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leaf(_) => "leaf-counting",
            Self::End(..) => "line-ended-early",
            Self::Overflow(_) => "counter-overflow",
        }
    }

    /// The mistake in a sentence.
    pub fn text(self) -> String {
        match self {
            Self::Leaf(Leaf::PromotionsOnce) => {
                "Promotions are counted once at the last ply, not once for each piece.".to_owned()
            }
            Self::Leaf(Leaf::NoCaptures) => "Captures are not counted at the last ply.".to_owned(),
            Self::Leaf(Leaf::Rule(rule)) => {
                format!(
                    "The moves of the last ply are counted without the rule {rule}: {}",
                    rule.text()
                )
            }
            Self::End(end, value) => {
                let end = match end {
                    LineEnd::Checkmate => "checkmate",
                    LineEnd::Stalemate => "stalemate",
                    LineEnd::NoMoves => "checkmate or stalemate",
                    LineEnd::FiftyMoves => "the fifty-move rule",
                    LineEnd::Repetition => "a position that has occurred before",
                    LineEnd::ThreefoldRepetition => "a position that occurs for the third time",
                    LineEnd::Material => "insufficient material",
                    LineEnd::Promotion => "a promotion",
                };
                let counts = if value == EndValue::One { "counts 1" } else { "counts nothing" };
                format!(
                    "A line that reaches {end} ends there and {counts}. Perft goes on to the full depth."
                )
            }
            Self::Overflow(bits) => {
                format!("Counts of 2^{bits} and more overflow: they are kept in {bits} bits.")
            }
        }
    }

    /// The divide of a case by a generator that makes the mistake, sorted.
    fn predict(self, case: &Case) -> Vec<(String, u128)> {
        let mut board = *case.root.board();
        let mut path = vec![board.hash()];
        for &mv in &case.line {
            board.make(mv);
            path.push(board.hash());
        }
        let mut divide = Vec::new();
        for mv in board.legal_moves() {
            let mut child = board;
            child.make(mv);
            let nodes = match self {
                _ if case.depth == 1 => 1,
                Self::Overflow(bits) => true_count(&child, case.depth - 1) & ((1 << bits) - 1),
                _ => self.count(&child, case.depth - 1, mv.promotion().is_some(), &mut path),
            };
            divide.push((board.uci(mv), nodes));
        }
        divide.sort();
        divide
    }

    fn count(self, board: &Board, depth: Depth, promoted: bool, path: &mut Vec<u128>) -> u128 {
        if let Self::End(end, value) = self
            && (depth > 0 || value == EndValue::ZeroAtLeaf)
            && end.is_reached(board, promoted, path)
        {
            return u128::from(value == EndValue::One);
        }
        match (self, depth) {
            (_, 0) => 1,
            (Self::Leaf(leaf), 1) => leaf.count(board),
            _ => {
                path.push(board.hash());
                let mut nodes = 0;
                for mv in board.legal_moves() {
                    let mut child = *board;
                    child.make(mv);
                    nodes += self.count(&child, depth - 1, mv.promotion().is_some(), path);
                }
                path.pop();
                nodes
            }
        }
    }
}

/// The right divide, sorted.
fn right_divide(case: &Case) -> Vec<(String, u128)> {
    // A count of 128 bits does not overflow.
    Counting::Overflow(127).predict(case)
}

fn true_count(board: &Board, depth: Depth) -> u128 {
    perft_core::perft(board, depth).unwrap_or(u128::MAX)
}

impl Leaf {
    fn count(self, board: &Board) -> u128 {
        let moves = board.legal_moves();
        let moves = moves.iter();
        let is_promoted_queen = |piece: Piece| piece == Piece::Queen;
        match self {
            Self::Rule(rule) => Game::new(board, Some(rule)).moves().len() as u128,
            Self::PromotionsOnce => {
                moves.filter(|mv| mv.promotion().is_none_or(is_promoted_queen)).count() as u128
            }
            Self::NoCaptures => {
                let is_quiet = |mv: &&Move| {
                    mv.kind() == MoveKind::Castle || !board.occupied().contains(mv.to())
                };
                moves.filter(is_quiet).count() as u128
            }
        }
    }
}

impl LineEnd {
    fn is_reached(self, board: &Board, promoted: bool, path: &[u128]) -> bool {
        let has_no_moves = || board.count_legal_moves() == 0;
        let occurred = || path.iter().filter(|&&hash| hash == board.hash()).count();
        match self {
            Self::Checkmate => board.in_check() && has_no_moves(),
            Self::Stalemate => !board.in_check() && has_no_moves(),
            Self::NoMoves => has_no_moves(),
            Self::FiftyMoves => board.halfmove_clock() >= 100,
            Self::Repetition => occurred() >= 1,
            Self::ThreefoldRepetition => occurred() >= 2,
            Self::Material => {
                let minor = board.pieces(Piece::Knight) | board.pieces(Piece::Bishop);
                let others = board.occupied() - board.pieces(Piece::King);
                others.is_empty() || (others == minor && others.len() == 1)
            }
            Self::Promotion => promoted,
        }
    }
}

/// Positions in which some mistake in counting shows.
fn case(rng: &mut Rng, mode: CastlingMode) -> Option<Case> {
    let kind = rng.below(6);
    let board = match kind {
        // Few pieces, some with a pawn.
        0 | 1 => {
            let mut builder = Board::builder();
            let pieces = [
                (Color::White, Piece::King),
                (Color::Black, Piece::King),
                (
                    [Color::White, Color::Black][rng.below(2)],
                    [Piece::Knight, Piece::Bishop][rng.below(2)],
                ),
            ];
            for (color, piece) in pieces {
                builder.put(Square::from_index(rng.below(64)), color, piece);
            }
            if kind == 1 {
                let pawn = Square::from_index(8 + rng.below(48));
                builder.put(pawn, Color::ALL[rng.below(2)], Piece::Pawn);
            }
            builder.castling_mode(mode).side_to_move(Color::ALL[rng.below(2)]);
            builder.build().ok()?
        }
        _ => special(rng, mode),
    };
    let clock = if rng.below(3) == 0 { 96 + rng.below(4) } else { rng.below(60) };
    let mut builder = BoardBuilder::from(&board);
    builder.clocks(clock as u16, 80);
    let root = Position::from(builder.build().ok()?);
    if root.impossibility().is_some() {
        return None;
    }
    let line =
        if kind < 2 && rng.below(2) == 0 { out_and_back(rng, root.board())? } else { Vec::new() };
    let max_nodes = if kind < 2 { MAX_REPEATING_NODES } else { MAX_NODES };
    let depth = depth_within(root.board(), 6, max_nodes);
    (depth > 1).then_some(Case { root, line, depth })
}

/// A move of each side and both back, after which the position is the same.
fn out_and_back(rng: &mut Rng, root: &Board) -> Option<Vec<Move>> {
    let mut board = *root;
    let mut line: Vec<Move> = Vec::new();
    for ply in 0..4 {
        let moves = board.legal_moves();
        let goes_back = |mv: &&Move| {
            ply < 2 || (mv.from(), mv.to()) == (line[ply - 2].to(), line[ply - 2].from())
        };
        let moves: Vec<Move> = moves.iter().filter(goes_back).copied().collect();
        let mv = *rng.pick(&moves)?;
        board.make(mv);
        line.push(mv);
    }
    Some(line)
}

impl<D: Divider> Finder<D> {
    /// The mistake in counting that gives all divides of the divider: those of the mismatch, and those
    /// of fresh positions.
    pub(super) fn explain_counts(
        &mut self,
        mismatch: &Mismatch,
    ) -> Result<Option<Cause>, CompareError<D::Error>> {
        let first = Case {
            line: mismatch.case.line[..mismatch.given_moves].to_vec(),
            depth: mismatch.first_depth,
            ..mismatch.case.clone()
        };
        let is_small = |diff: &Diff| diff.ours <= 50 * MAX_REPEATING_NODES;
        let mut left = Counting::all();
        for (case, diff) in [(&mismatch.case, &mismatch.diff), (&first, &mismatch.first_diff)] {
            if is_small(diff) {
                left.retain(|model| model.predict(case) == diff.their_moves);
            }
        }
        if left.is_empty() || !is_small(&mismatch.diff) {
            return Ok(None);
        }
        let mut rng = Rng::new(5);
        let (mut wrong, mut right, mut queries) = (0, 0, 0);
        for _ in 0..MAX_CASES {
            if queries == MAX_QUERIES || (left.len() == 1 && wrong >= ENOUGH && right >= ENOUGH) {
                break;
            }
            let case = match left[0] {
                Counting::Leaf(Leaf::Rule(rule)) if rng.below(4) > 0 => {
                    let rng = Rng::new(rng.next_u64());
                    let case = Probes::about(rng, rule, &mismatch.case.root).case();
                    let depth = 2 + Depth::from(case.root.board().count_legal_moves() < 8);
                    Some(Case { line: Vec::new(), depth, ..case })
                }
                _ => case(&mut rng, mismatch.case.root.castling_mode()),
            };
            let Some(case) = case else { continue };
            let truth = right_divide(&case);
            let divides: Vec<_> = left.iter().map(|model| model.predict(&case)).collect();
            let separates = divides.iter().any(|divide| *divide != divides[0]);
            let shows = divides[0] != truth;
            let known = if shows { wrong } else { right };
            if !separates && known >= ENOUGH {
                continue;
            }
            queries += 1;
            let diff = self.diff(&case.query())?;
            let mut divides = divides.into_iter();
            left.retain(|_| divides.next().is_some_and(|divide| divide == diff.their_moves));
            if left.is_empty() {
                return Ok(None);
            }
            *(if diff.is_equal() { &mut right } else { &mut wrong }) += 1;
        }
        let is_confirmed = left.len() == 1 && wrong >= MIN_OF_EACH && right >= MIN_OF_EACH;
        let confirmation =
            is_confirmed.then_some(Confirmation { positions: wrong + right, separating: right });
        Ok(Some(Cause::Counting { mistake: left[0], confirmation }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mistake_predicts_the_right_divide_everywhere() {
        let mut rng = Rng::new(1);
        let cases: Vec<Case> = std::iter::repeat_with(|| case(&mut rng, CastlingMode::Standard))
            .flatten()
            .take(400)
            .collect();
        for mistake in Counting::all() {
            // Large counts, and rare positions.
            if matches!(mistake, Counting::Overflow(_) | Counting::Leaf(Leaf::Rule(_))) {
                continue;
            }
            let shows = cases.iter().any(|case| mistake.predict(case) != right_divide(case));
            assert!(shows, "{mistake:?}");
        }
    }
}

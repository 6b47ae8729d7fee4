//! The interface of move generators under test.

use std::collections::BTreeSet;

use crate::board::{Board, Position};
use crate::perft::Depth;
use crate::types::{CastlingMode, Move};

/// A request to divide the position after some moves.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The position before the moves.
    pub root: &'a Position,
    /// Legal moves from the root.
    pub line: &'a [Move],
    /// The depth of the divide, at least 1.
    pub depth: Depth,
}

impl Query<'_> {
    /// The position to divide.
    pub fn position(&self) -> Position {
        self.root.after(self.line)
    }

    /// The moves of the line in UCI notation, separated by spaces.
    pub fn uci_moves(&self) -> String {
        let mode = self.root.castling_mode();
        let moves: Vec<String> = self.line.iter().map(|mv| mv.uci(mode)).collect();
        moves.join(" ")
    }
}

/// A move generator under test: another engine or library.
///
/// ```
/// use perft::uci::{DivideOutput, Divider, Query};
/// use perft::{Board, CountError, Counter, Position};
///
/// /// This library as the generator under test.
/// struct Ours(Counter);
///
/// impl Divider for Ours {
///     type Error = CountError;
///
///     fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, CountError> {
///         let mut board = *query.root.board();
///         for &mv in query.line {
///             board.make(mv);
///         }
///         let divide = self.0.divide(&board, query.depth)?;
///         let moves = divide.branches.iter().map(|branch| (board.uci(branch.mv), branch.nodes));
///         Ok(DivideOutput::new(moves))
///     }
/// }
///
/// let root = Position::from(Board::startpos());
/// let output = Ours(Counter::new()).divide(&Query { root: &root, line: &[], depth: 2 })?;
/// assert_eq!((output.moves.len(), output.sum()), (20, 400));
/// # Ok::<(), CountError>(())
/// ```
pub trait Divider {
    /// The reason why there is no output.
    type Error: std::error::Error + 'static;

    /// Divides the position. The moves should be made one by one from the root, so that errors in
    /// making moves show.
    ///
    /// # Errors
    /// If there is no output.
    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error>;
}

impl<D: Divider + ?Sized> Divider for Box<D> {
    type Error = D::Error;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        (**self).divide(query)
    }
}

/// The output of a divide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DivideOutput {
    /// The root moves, as in [`OutputLine::Move`](super::OutputLine::Move), with their counts.
    pub moves: Vec<(String, u128)>,
    /// The total, if one was printed.
    pub total: Option<u128>,
    /// A line of a move or a total whose number cannot be a count, if there was one.
    pub unreadable: Option<String>,
}

impl DivideOutput {
    /// Output without a total.
    pub fn new(moves: impl IntoIterator<Item = (String, u128)>) -> Self {
        Self { moves: moves.into_iter().collect(), total: None, unreadable: None }
    }

    /// The sum of the counts.
    pub fn sum(&self) -> u128 {
        self.moves.iter().map(|&(_, nodes)| nodes).fold(0, u128::saturating_add)
    }

    /// Whether this must be the output for another position: most of the moves do not start on a
    /// piece of the side to move, or they are exactly those of the start position and `board` has
    /// others.
    pub fn is_for_another(&self, board: &Board) -> bool {
        let legal = |board: &Board| -> BTreeSet<String> {
            board.legal_moves().into_iter().map(|mv| mv.uci(CastlingMode::Standard)).collect()
        };
        let listed: BTreeSet<String> = self.moves.iter().map(|(text, _)| text.clone()).collect();
        if listed == legal(&Board::startpos()) && listed != legal(board) {
            return true;
        }
        let ours = board.colors(board.side_to_move());
        let is_foreign = |text: &str| {
            let from = text.get(..2).and_then(|from| from.parse().ok());
            from.is_some_and(|from| !ours.contains(from))
        };
        self.moves.iter().filter(|(text, _)| is_foreign(text)).count() * 2 > self.moves.len()
    }
}

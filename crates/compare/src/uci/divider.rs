//! The interface of move generators under test.

use std::collections::BTreeSet;

use super::output::mentioned_moves;
use perft_core::Depth;
use perft_core::board::{Board, Position};
use perft_core::types::{CastlingMode, CastlingSide, Move, Piece, Square};

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

    /// The `position` command of UCI that sets up the position.
    pub fn uci_position(&self) -> String {
        let moves = if self.line.is_empty() { "" } else { " moves " };
        format!("position fen {}{moves}{}", self.root, self.uci_moves())
    }
}

/// A move generator under test: another engine or library.
///
/// ```
/// use perft_compare::uci::{DivideOutput, Divider, Query};
/// use perft_core::{Board, CountError, Counter, Position};
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

    /// The reason why it is not given positions of Chess960 unless that is asked for; `None` if it
    /// knows Chess960.
    fn lacks_chess960(&self) -> Option<&'static str> {
        Some("it does not say that it knows Chess960")
    }
}

impl<D: Divider + ?Sized> Divider for Box<D> {
    type Error = D::Error;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        (**self).divide(query)
    }

    fn lacks_chess960(&self) -> Option<&'static str> {
        (**self).lacks_chess960()
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
    /// Lines that mention moves and were not understood.
    pub not_understood: Vec<String>,
    /// Whether the generator prints totals only. The moves are then the legal ones, each with the
    /// total after it.
    pub only_totals: bool,
}

impl DivideOutput {
    /// Output without a total.
    pub fn new(moves: impl IntoIterator<Item = (String, u128)>) -> Self {
        Self { moves: moves.into_iter().collect(), ..Self::default() }
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
        let is_foreign = |text: &str| match squares_of(board, text) {
            Some(squares) => {
                let from = squares.get(..2).and_then(|from| from.parse().ok());
                from.is_some_and(|from| !ours.contains(from))
            }
            None => true,
        };
        self.moves.iter().filter(|(text, _)| is_foreign(text)).count() * 2 > self.moves.len()
    }

    /// A line that was not understood and mentions a legal move.
    pub fn line_about(&self, board: &Board, uci: &str) -> Option<&str> {
        let mv = board.parse_uci(uci).ok()?;
        let castling = mv.castling_side().map(|side| match side {
            CastlingSide::King => "O-O",
            CastlingSide::Queen => "O-O-O",
        });
        let spellings = [CastlingMode::Standard, CastlingMode::Chess960].map(|mode| mv.uci(mode));
        let is_about = |line: &&String| {
            mentioned_moves(line)
                .iter()
                .filter_map(|text| squares_of(board, text))
                .any(|text| castling == Some(text.as_str()) || spellings.contains(&text))
        };
        self.not_understood.iter().find(is_about).map(String::as_str)
    }
}

/// A listed move with both squares. One in standard algebraic notation is looked up: the legal move,
/// or else the move of the only piece that it can mean. `None` if there is none.
pub(crate) fn squares_of(board: &Board, text: &str) -> Option<String> {
    let is_square = |text: Option<&str>| text.is_some_and(|text| text.parse::<Square>().is_ok());
    if text == "0000"
        || text.starts_with('O')
        || (is_square(text.get(..2)) && is_square(text.get(2..4)))
    {
        return Some(text.to_owned());
    }
    if let Ok(mv) = board.parse_san(text) {
        return Some(board.uci(mv));
    }
    let (body, promotion) = match text.split_once('=') {
        Some((body, piece)) => (body, piece.to_ascii_lowercase()),
        None => (text, String::new()),
    };
    let piece = body.chars().next().filter(char::is_ascii_uppercase).and_then(Piece::from_letter);
    let (origin, to) = body.split_at_checked(body.len().checked_sub(2)?)?;
    let to: Square = to.parse().ok()?;
    let origin = if piece.is_some() { origin.get(1..)? } else { origin };
    let origin = origin.strip_suffix('x').unwrap_or(origin);
    let us = board.side_to_move();
    let fits = |&from: &Square| {
        let (file, rank) = (from.file().letter(), from.rank().digit());
        let is_origin = origin.chars().all(|letter| letter == file || letter == rank);
        let is_pawn_of_file = piece.is_some() || !origin.is_empty() || from.file() == to.file();
        is_origin && is_pawn_of_file
    };
    let pieces = board.colored_pieces(us, piece.unwrap_or(Piece::Pawn));
    let mut pieces = pieces.into_iter().filter(fits);
    let from = pieces.next().filter(|_| pieces.next().is_none())?;
    Some(format!("{from}{to}{promotion}"))
}

//! Finding the move that another generator gets wrong.
//!
//! An [`Opponent`] is anybody who can divide: another program, or another library in your own
//! tests. A [`Finder`] asks it for the same divides that we make, deeper and deeper, follows the
//! counts that differ to the position where the lists of moves do, and works out which
//! [`Rule`] was forgotten, by forgetting them one by one in a game of our
//! own. It [hunts](Finder::hunt) for positions that show a fault, and [shrinks](Finder::shrink)
//! them to the few men that matter.
//!
//! ```
//! use perft::compare::{Answer, Finder, Opponent, Question, Root};
//! use perft::rules::{Game, Rule};
//! use perft::{Board, Variant, Workers};
//!
//! /// A generator that takes en passant without a look at the rank.
//! struct Theirs;
//!
//! impl Opponent for Theirs {
//!     type Error = std::convert::Infallible;
//!
//!     fn divide(&mut self, question: &Question<'_>) -> Result<Answer, Self::Error> {
//!         let variant = question.root.variant();
//!         let mut game = Game::new(question.root.board(), Some(Rule::EnPassantRankPin));
//!         for &mv in question.line {
//!             game = game.after(mv);
//!         }
//!         let moves = game.divide(question.depth, variant).into_iter();
//!         Ok(Answer::new(moves.map(|(text, nodes)| (text, nodes.into()))))
//!     }
//! }
//!
//! let board = Board::from_fen("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", Variant::Standard)?;
//! let root = Root::new(board, Variant::Standard);
//! let mut finder = Finder::new(Theirs, Workers::default());
//! let fault = finder.find(&root, 3)?.fault().expect("they differ");
//! assert_eq!((fault.line[0].uci(Variant::Standard), fault.contrast.extra.join(" ")),
//!     ("e2e4".to_owned(), "f4e3".to_owned()));
//! assert_eq!(finder.explain(&fault)?.map(|why| why.rule()), Some(Rule::EnPassantRankPin));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contrast;
mod explain;
mod find;
mod hunt;
mod read;
#[cfg(test)]
mod tests;

pub use contrast::{Contrast, WrongCount};
pub use explain::{Explanation, MOST_NODES_OF_A_DIVIDE, explain_divide};
pub use find::{CompareError, Fault, Finder, Verdict};
pub use hunt::{Case, Hunt};
pub use read::{Line, Transcript, read_line};

use std::collections::BTreeSet;

use crate::attacks;
use crate::board::fen::passed_square;
use crate::board::{Board, BoardError};
use crate::perft::Depth;
use crate::rules::{Game, Rule};
use crate::types::{File, Move, MoveKind, Piece, Square, Variant, Wing};

/// A position as it is told to an engine.
///
/// A [`Board`] forgets an en-passant square on which no capture is legal; an engine must be told
/// of it, since seeing that the capture is not legal is its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    board: Board,
    variant: Variant,
    passed: Option<Square>,
}

impl Root {
    /// The position, in the words of a variant.
    pub const fn new(board: Board, variant: Variant) -> Self {
        Self { board, variant, passed: board.en_passant() }
    }

    /// Reads a FEN and keeps its en-passant square.
    ///
    /// # Errors
    /// If the FEN is none.
    pub fn from_fen(fen: &str, variant: Variant) -> Result<Self, BoardError> {
        let board = Board::from_fen(fen, variant)?;
        Ok(Self { board, variant, passed: passed_square(fen) })
    }

    /// The position with the square that a pawn has just passed.
    pub fn with_passed(board: Board, variant: Variant, passed: Option<Square>) -> Self {
        Self { board, variant, passed: board.en_passant().or(passed) }
    }

    /// The position.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The variant.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The FEN, with the square that a pawn has just passed: as a FEN that was read has it, and
    /// after moves if a pawn stands ready to take there, legally or not.
    pub fn fen(&self) -> String {
        let fen = self.board.fen(self.variant);
        let Some(passed) = self.passed else { return fen };
        let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
        if let Some(field) = fields.get_mut(3) {
            *field = passed.to_string();
        }
        fields.join(" ")
    }

    /// The position after a line of legal moves.
    #[must_use]
    pub fn after(&self, line: &[Move]) -> Self {
        let Some((&last, before)) = line.split_last() else { return *self };
        let mut board = self.board;
        for &mv in before {
            let _ = board.make(mv);
        }
        let us = board.side_to_move();
        let _ = board.make(last);
        let passed = (last.kind() == MoveKind::DoublePush)
            .then(|| last.from().forward(us))
            .filter(|&target| attacks::pawn(us, target).meets(board.men(!us, Piece::Pawn)));
        Self { board, variant: self.variant, passed: board.en_passant().or(passed) }
    }

    /// The game that goes on from here without a rule.
    pub(crate) fn game(&self, broken: Option<Rule>) -> Game {
        Game::new(&self.board, broken).with_passed(self.passed)
    }
}

/// What an opponent is asked: to divide the position after some moves.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Where the line starts.
    pub root: &'a Root,
    /// The legal moves that were played from there.
    pub line: &'a [Move],
    /// How deep to divide, 1 at least.
    pub depth: Depth,
}

/// Somebody whose move generator is to be tested.
pub trait Opponent {
    /// Why there is no answer.
    type Error: std::error::Error + 'static;

    /// Divides the position. The moves are to be made one by one from the root, so that faults
    /// in making moves show.
    ///
    /// # Errors
    /// If there is no answer.
    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, Self::Error>;
}

/// What an opponent says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The moves as [`read_line`] spells them, with their counts.
    pub moves: Vec<(String, u128)>,
    /// The total, if one was given.
    pub total: Option<u128>,
    /// A line of a move or a total whose count is none, if there was one.
    pub unreadable: Option<String>,
}

impl Answer {
    /// An answer whose total is the sum.
    pub fn new(moves: impl IntoIterator<Item = (String, u128)>) -> Self {
        Self { moves: moves.into_iter().collect(), total: None, unreadable: None }
    }

    /// The sum of the counts.
    pub fn sum(&self) -> u128 {
        self.moves.iter().map(|&(_, nodes)| nodes).fold(0, u128::saturating_add)
    }

    /// Whether this cannot be an answer for the position: most of its moves are not moves of a
    /// man of the side to move, or they are exactly those of the start position, which is another.
    pub fn is_for_another(&self, board: &Board) -> bool {
        let ours = board.color(board.side_to_move());
        let sorted = |board: &Board| {
            let moves = board.legal_moves().into_iter();
            moves.map(|mv| mv.uci(Variant::Standard)).collect::<BTreeSet<String>>()
        };
        let listed: BTreeSet<String> = self.moves.iter().map(|(text, _)| text.clone()).collect();
        if listed == sorted(&Board::startpos()) && listed != sorted(board) {
            return true;
        }
        let from_elsewhere = |(text, _): &&(String, u128)| {
            text.get(..2)
                .and_then(|from| from.parse().ok())
                .is_some_and(|from| !ours.contains(from))
        };
        self.moves.iter().filter(from_elsewhere).count() * 2 > self.moves.len()
    }
}

/// The move in the spelling that we use, whichever spelling of castling it came in.
pub(crate) fn respelled(board: &Board, variant: Variant, text: &str) -> String {
    let us = board.side_to_move();
    let king = board.king(us);
    let castle = |wing: Wing| {
        let rook = board.castling().rook(us, king, wing)?;
        Some(Move::new(king, rook, MoveKind::Castle).uci(variant))
    };
    let wing = match text {
        "O-O" => Some(Wing::King),
        "O-O-O" => Some(Wing::Queen),
        _ => None,
    };
    if let Some(wing) = wing {
        let to = Square::new(wing.king_file(), king.rank());
        return castle(wing).unwrap_or_else(|| format!("{king}{to}"));
    }
    let squares = (text.get(..2).map(str::parse), text.get(2..).map(str::parse));
    let (Some(Ok(from)), Some(Ok(to))) = squares else { return text.to_owned() };
    let (from, to): (Square, Square) = (from, to);
    if from != king || from.rank() != to.rank() || from == to {
        return text.to_owned();
    }
    let wing = Wing::of(from, to);
    let takes_rook = board.man_on(to) == Some((us, Piece::Rook));
    let far = from.file().index().abs_diff(to.file().index()) > 1;
    if takes_rook && board.castling().rooks().contains(to) {
        return castle(wing).unwrap_or_else(|| text.to_owned());
    }
    // A right that is lost may be used all the same.
    let from_home = from.file() == File::E && to.file() == wing.corner_file();
    if takes_rook && variant == Variant::Standard && from_home {
        return Move::new(from, to, MoveKind::Castle).uci(variant);
    }
    if far && to.file() == wing.king_file() {
        return castle(wing).unwrap_or_else(|| text.to_owned());
    }
    text.to_owned()
}

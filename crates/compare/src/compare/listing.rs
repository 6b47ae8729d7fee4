//! Moves that are missing for another reason than a rule: the list is cut off, or one entry of an
//! attack table is wrong.

use super::{Case, Cause, CompareError, Confirmation, Diff, Finder, facts};
use crate::uci::{Divider, Query};
use perft_core::board::{Board, Position};
use perft_core::positions::random::special;
use perft_core::random::Rng;
use perft_core::types::{CastlingMode, Color, Move, MoveKind, Piece, Square};

/// Positions where moves must be missing, and where none may be.
const OF_EACH: usize = 12;

/// The most random positions that are made to find those.
const MAX_TRIES: usize = 40_000;

/// Shorter lists are not taken to be cut off.
const MIN_CUT: usize = 16;

/// A reason for missing moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The list ends after so many moves.
    CutOff(usize),
    /// This piece on this square does not reach that one.
    Entry(Piece, Square, Square),
}

impl Listing {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CutOff(_) => "move-list-cut",
            Self::Entry(..) => "one-table-entry",
        }
    }

    /// The mistake in a sentence.
    pub fn text(self) -> String {
        match self {
            Self::CutOff(moves) => format!("The list of moves is cut off after {moves}."),
            Self::Entry(piece, from, to) => {
                let piece = facts::name(piece);
                format!(
                    "The {piece} on {from} misses {to} in every position: look at that entry of its attack table."
                )
            }
        }
    }

    /// Whether a list of moves is the one that the mistake gives.
    fn gives(self, board: &Board, diff: &Diff) -> bool {
        let only_missing = diff.extra.is_empty() && diff.repeated.is_empty();
        only_missing
            && match self {
                Self::CutOff(moves) => {
                    let missing = board.legal_moves().len().saturating_sub(moves);
                    diff.missing.len() == missing
                }
                Self::Entry(..) => {
                    self.list(board).iter().eq(diff.their_moves.iter().map(|(text, _)| text))
                }
            }
    }

    /// The moves that are left, sorted.
    fn list(self, board: &Board) -> Vec<String> {
        let moves = board.legal_moves();
        let left = moves.iter().filter(|&&mv| !self.misses(mv));
        let mut left: Vec<String> = left.map(|&mv| board.uci(mv)).collect();
        left.sort();
        left
    }

    fn misses(self, mv: Move) -> bool {
        let Self::Entry(piece, from, to) = self else { return false };
        mv.kind() != MoveKind::Castle && (mv.piece(), mv.from(), mv.to()) == (piece, from, to)
    }

    fn shows(self, board: &Board) -> bool {
        match self {
            Self::CutOff(moves) => board.legal_moves().len() > moves,
            Self::Entry(..) => board.legal_moves().iter().any(|&mv| self.misses(mv)),
        }
    }

    /// A random position: for a list that is cut off, one with many moves.
    fn position(self, rng: &mut Rng, mode: CastlingMode) -> Option<Position> {
        let us = Color::ALL[rng.below(2)];
        let mut builder = Board::builder();
        builder.castling_mode(mode).side_to_move(us);
        let mut put = |color, piece| {
            let square = Square::from_index(rng.below(64));
            let is_pawn_rank = (8..56).contains(&square.index());
            if builder.piece_on(square).is_none() && (piece != Piece::Pawn || is_pawn_rank) {
                builder.put(square, color, piece);
            }
        };
        put(us, Piece::King);
        put(!us, Piece::King);
        match self {
            Self::CutOff(moves) => {
                for _ in 0..moves / 12 + 1 {
                    put(us, [Piece::Queen, Piece::Rook, Piece::Bishop][moves % 3]);
                    put(us, Piece::Queen);
                }
            }
            Self::Entry(piece, from, _) => {
                put(!us, Piece::Pawn);
                put(us, Piece::Knight);
                if piece != Piece::King {
                    builder.put(from, us, piece);
                } else {
                    let at = builder.piece_on(from);
                    if at.is_some() {
                        return None;
                    }
                    let king = Square::all()
                        .find(|&it| builder.piece_on(it) == Some((us, Piece::King)))?;
                    builder.clear(king).put(from, us, Piece::King);
                }
            }
        }
        let position = Position::from(builder.build().ok()?);
        position.impossibility().is_none().then_some(position)
    }
}

impl<D: Divider> Finder<D> {
    /// The reason for missing moves that gives the lists of a case of depth 1 and of fresh positions.
    pub(super) fn explain_missing(
        &mut self,
        case: &Case,
        diff: &Diff,
        is_cut: bool,
    ) -> Result<Option<Cause>, CompareError<D::Error>> {
        let board = *case.query().position().board();
        let legal = board.legal_moves();
        let missing: Vec<Move> =
            legal.iter().copied().filter(|&mv| diff.missing.contains(&board.uci(mv))).collect();
        let left = legal.len().saturating_sub(missing.len());
        let mistake = match (is_cut, missing.first()) {
            (true, Some(_)) if left >= MIN_CUT => Listing::CutOff(left),
            (false, Some(mv)) => Listing::Entry(mv.piece(), mv.from(), mv.to()),
            _ => return Ok(None),
        };
        if !mistake.gives(&board, diff) {
            return Ok(None);
        }
        let mode = case.root.castling_mode();
        let mut rng = Rng::new(6);
        let (mut wrong, mut right) = (0, 0);
        for number in 0..MAX_TRIES {
            if wrong == OF_EACH && right == OF_EACH {
                let is_whole = is_cut || self.evidence.has_lists(|board| mistake.list(board));
                let confirmation = Confirmation { positions: wrong + right, separating: right };
                let confirmation = is_whole.then_some(confirmation);
                return Ok(Some(Cause::Listing { mistake, confirmation }));
            }
            let root = match number % 4 {
                0 => Position::from(special(&mut rng, mode)),
                _ => match mistake.position(&mut rng, mode) {
                    Some(root) => root,
                    None => continue,
                },
            };
            let shows = mistake.shows(root.board());
            let known = if shows { &mut wrong } else { &mut right };
            if *known == OF_EACH || root.board().count_legal_moves() == 0 {
                continue;
            }
            *known += 1;
            let diff = self.diff(&Query { root: &root, line: &[], depth: 1 })?;
            if !mistake.gives(root.board(), &diff) {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

//! Shrinking a mismatch to the few pieces that it needs.

use super::hunter::depth_within;
use super::{Case, CompareError, Finder, Mismatch};
use crate::uci::Divider;
use perft_core::board::{BoardBuilder, Position};
use perft_core::types::{CastlingSide, Color, Piece, Square};

impl<D: Divider> Finder<D> {
    /// The smallest mismatch that can be reached from this one: the fewest moves, pieces and
    /// rights, the least depth. `None` if the divider does not go wrong again. At the deadline, the
    /// smallest so far.
    ///
    /// # Errors
    /// If the divider fails, or its output is not a divide of the position.
    pub fn shrink(
        &mut self,
        mismatch: &Mismatch,
    ) -> Result<Option<Mismatch>, CompareError<D::Error>> {
        let Some(mut case) = self.without_first_moves(mismatch)? else { return Ok(None) };
        match self.reduce(&mut case) {
            Err(CompareError::OutOfTime) => {}
            reduced => reduced?,
        }
        // The last descent is short.
        let deadline = self.limits.deadline.take();
        let found = self.find_after(&case.query(), |_, _| {});
        self.limits.deadline = deadline;
        Ok(found?.mismatch())
    }

    /// Makes a case smaller step by step, as long as it is wrong.
    fn reduce(&mut self, case: &mut Case) -> Result<(), CompareError<D::Error>> {
        loop {
            let before = case.clone();
            for reduction in Reduction::all(&case.root) {
                // A reduction of an earlier root may not apply to this one.
                if let Some(root) = reduction.apply(&case.root)
                    && let Some(smaller) = case.with_root(root)
                    && self.differs(&smaller.query())?
                {
                    *case = smaller;
                }
            }
            for depth in 1..case.depth {
                let smaller = Case { depth, ..case.clone() };
                if self.differs(&smaller.query())? {
                    *case = smaller;
                    break;
                }
            }
            if *case == before {
                match self.with_shorter_line(case)? {
                    Some(shorter) => *case = shorter,
                    None => return Ok(()),
                }
            }
        }
    }

    /// The mismatch from the latest position of its line from which it shows.
    fn without_first_moves(
        &mut self,
        mismatch: &Mismatch,
    ) -> Result<Option<Case>, CompareError<D::Error>> {
        let case = &mismatch.case;
        for plies in (0..=case.line.len()).rev() {
            let later = case.after_first(plies);
            if self.differs(&later.query())? {
                return Ok(Some(later));
            }
        }
        Ok(None)
    }

    /// A mismatch after fewer moves, if the tree is small enough to search.
    fn with_shorter_line(&mut self, case: &Case) -> Result<Option<Case>, CompareError<D::Error>> {
        const MAX_NODES: u128 = 50_000;
        let depth = case.depth_from_root();
        if case.line.is_empty() || depth_within(case.root.board(), depth, MAX_NODES) < depth {
            return Ok(None);
        }
        let Some(mismatch) = self.find(&case.root, depth)?.mismatch() else { return Ok(None) };
        let shorter = self.without_first_moves(&mismatch)?;
        Ok(shorter.filter(|shorter| shorter.depth_from_root() < depth))
    }
}

/// A way to make a position simpler.
enum Reduction {
    CastlingRight(Square),
    EnPassant,
    Piece(Square),
    /// A weaker piece in place of a queen.
    Queen(Square, Piece),
}

impl Reduction {
    fn all(position: &Position) -> Vec<Self> {
        let board = position.board();
        let mut list = Vec::new();
        for color in Color::ALL {
            let rook = |side| board.castling().rook(color, board.king(color), side);
            list.extend(CastlingSide::ALL.into_iter().filter_map(rook).map(Self::CastlingRight));
        }
        list.push(Self::EnPassant);
        let pieces = board.occupied() - board.pieces(Piece::King);
        list.extend(pieces.into_iter().map(Self::Piece));
        for queen in board.pieces(Piece::Queen) {
            list.extend([Piece::Rook, Piece::Bishop].map(|weaker| Self::Queen(queen, weaker)));
        }
        list
    }

    /// The reduced position, if it is another one, legal, and not impossible.
    fn apply(&self, position: &Position) -> Option<Position> {
        let board = position.board();
        let mut builder = BoardBuilder::from(board);
        let mut en_passant = position.en_passant();
        match *self {
            Self::CastlingRight(rook) => _ = builder.never_castle_with(rook),
            Self::EnPassant => en_passant = None,
            Self::Piece(square) => _ = builder.clear(square),
            Self::Queen(square, weaker) => {
                let (color, Piece::Queen) = board.colored_piece_on(square)? else { return None };
                builder.put(square, color, weaker);
            }
        }
        let board = builder.en_passant(en_passant).build().ok()?;
        let reduced = Position::with_en_passant(board, en_passant);
        let is_possible = reduced.impossibility().is_none() || position.impossibility().is_some();
        (reduced != *position && is_possible).then_some(reduced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_remove_rights_squares_and_pieces() {
        let position: Position = "4k3/8/8/K1pP3r/8/8/8/Q7 w - c6 0 1".parse().unwrap();
        let reduced = |reduction: Reduction| reduction.apply(&position).map(|it| it.to_string());
        let fen = |text: &str| Some(text.to_owned());
        assert_eq!(reduced(Reduction::EnPassant), fen("4k3/8/8/K1pP3r/8/8/8/Q7 w - - 0 1"));
        let without_rook = fen("4k3/8/8/K1pP4/8/8/8/Q7 w - c6 0 1");
        assert_eq!(reduced(Reduction::Piece(Square::H5)), without_rook);
        let with_rook = fen("4k3/8/8/K1pP3r/8/8/8/R7 w - c6 0 1");
        assert_eq!(reduced(Reduction::Queen(Square::A1, Piece::Rook)), with_rook);
        // The pawn that has just made its double step is needed.
        assert_eq!(reduced(Reduction::Piece(Square::C5)), None);
        assert_eq!(reduced(Reduction::Queen(Square::D5, Piece::Rook)), None);
        assert_eq!(reduced(Reduction::CastlingRight(Square::A1)), None);
        // The rook behind the pawn would have given check before its double step.
        let shielded: Position = "4k3/8/8/3Pp3/8/2K2b1q/8/8 w - e6 0 1".parse().unwrap();
        assert_eq!(Reduction::Piece(Square::F3).apply(&shielded), None);
        let castling: Position = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1".parse().unwrap();
        let reduced = Reduction::CastlingRight(Square::A1).apply(&castling).unwrap();
        assert_eq!(reduced.to_string(), "4k3/8/8/8/8/8/8/R3K2R w K - 0 1");
    }
}

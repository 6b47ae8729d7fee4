//! Positions that no game reaches.
//!
//! [`validate`](super::validate) refuses positions that cannot be played on. These can, and are
//! read and counted, but an engine need not be right about them: it may rely on what games have.

use super::Position;
use crate::attacks::magic::Magic;
use crate::attacks::{self, Sliders};
use crate::types::{Bitboard, Color, Piece, Square};

/// The reason why no game reaches a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Impossibility {
    /// The king of the side to move was in check before the double push that the en-passant
    /// square stands for.
    #[error(
        "the en-passant square {square} means a double push from {from}, and {checker} gave check \
         before it"
    )]
    CheckBeforeDoublePush {
        /// The en-passant square.
        square: Square,
        /// The square from which the pawn was pushed.
        from: Square,
        /// A piece that gave check before.
        checker: Square,
    },
    /// No single move gives both checks.
    #[error("{first} and {second} both give check, which no single move brings about")]
    DoubleCheck {
        /// One of the pieces that give check.
        first: Square,
        /// The other.
        second: Square,
    },
    /// An en-passant square on the wrong rank for the side to move; it is ignored.
    #[error("the en-passant square {square} with {side} to move is ignored")]
    EnPassantRank {
        /// The square.
        square: Square,
        /// The side to move.
        side: Color,
    },
    /// There is no pawn that could have crossed the en-passant square, which is ignored.
    #[error("the en-passant square {square} is ignored, no {color} pawn is on {pawn}")]
    EnPassantWithoutPawn {
        /// The square in the FEN.
        square: Square,
        /// The color of the missing pawn.
        color: Color,
        /// Its square.
        pawn: Square,
    },
    /// A piece stands where the pawn crossed or came from; the en-passant square is ignored.
    #[error("the en-passant square {square} is ignored, {occupied} is occupied")]
    EnPassantBlocked {
        /// The square in the FEN.
        square: Square,
        /// The square that should be empty.
        occupied: Square,
    },
    /// A side has more than sixteen pieces.
    #[error("{color} has {found} pieces and pawns, more than 16")]
    TooManyPieces {
        /// The side.
        color: Color,
        /// The number found.
        found: u32,
    },
    /// More pieces than the missing pawns could have become.
    #[error(
        "{color} has {promoted} promoted pieces at least and {pawns} pawns, \
         more than 8 pawns could have become"
    )]
    TooManyPromotions {
        /// The side.
        color: Color,
        /// Pieces beyond those of the start position.
        promoted: u32,
        /// Pawns still on the board.
        pawns: u32,
    },
    /// Pawns stand where no eight pawns can have got.
    #[error("the {color} pawns cannot have got where they are")]
    Pawns {
        /// The side.
        color: Color,
    },
    /// Pawns that have changed files more often than there are captured pieces.
    #[error(
        "the {color} pawns are {captures} captures or more from their files, and the other side \
         lacks {captured}"
    )]
    TooManyCaptures {
        /// The side.
        color: Color,
        /// The least number of captures that brings the pawns where they are.
        captures: u32,
        /// The pieces that the other side has lost.
        captured: u32,
    },
}

impl Position {
    /// A reason why no game reaches the position, as far as the number of pieces, pawns, en passant
    /// and checks show it.
    ///
    /// ```
    /// use perft_core::Position;
    ///
    /// // The rook gave check before the pawn was pushed.
    /// let position: Position = "8/8/8/8/3pP3/3k2R1/K7/8 b - e3 0 1".parse()?;
    /// let reason = position.impossibility().expect("no game has it");
    /// assert_eq!(
    ///     reason.to_string(),
    ///     "the en-passant square e3 means a double push from e2, and g3 gave check before it"
    /// );
    /// # Ok::<(), perft_core::FenError>(())
    /// ```
    pub fn impossibility(&self) -> Option<Impossibility> {
        if let Some(square) = self.ignored_en_passant() {
            return self.board().not_left_by_a_push(square);
        }
        if let Some(reason) = self.board().impossible_material() {
            return Some(reason);
        }
        match self.en_passant() {
            // The last move is known.
            Some(square) => self.check_before_double_push(square),
            None => self.impossible_double_check(),
        }
    }

    fn check_before_double_push(&self, square: Square) -> Option<Impossibility> {
        let board = self.board();
        let them = !board.side_to_move();
        let (from, to) = (square.forward(!them), square.forward(them));
        let before = Before { position: self, moved: to, from, is_pawn: true };
        let checkers = before.checkers(board.occupied() - to.bitboard());
        let checker = (checkers - from.bitboard()).first().or(checkers.first())?;
        Some(Impossibility::CheckBeforeDoublePush { square, from, checker })
    }

    fn impossible_double_check(&self) -> Option<Impossibility> {
        let mut checkers = self.board().checkers().into_iter();
        let (first, second) = (checkers.next()?, checkers.next()?);
        let is_given = |moved, discovered| self.is_discovered_by(moved, discovered);
        let is_possible =
            is_given(first, second) || is_given(second, first) || self.is_given_by_en_passant();
        (!is_possible).then_some(Impossibility::DoubleCheck { first, second })
    }

    /// Whether the checker on `moved` can have come from a square between the king and the other
    /// checker.
    fn is_discovered_by(&self, moved: Square, discovered: Square) -> bool {
        let board = self.board();
        let us = board.side_to_move();
        let occupied = board.occupied();
        let between = attacks::between(board.king(us), discovered) - occupied;
        between.into_iter().any(|from| {
            self.arrivals(moved, from).any(|(is_pawn, is_capture)| {
                let before = Before { position: self, moved, from, is_pawn };
                let captured = if is_capture { moved.bitboard() } else { Bitboard::EMPTY };
                before.checkers((occupied - moved.bitboard()) | captured).is_empty()
            })
        })
    }

    /// The ways in which the piece on `to` can have come from the empty square `from`: as a pawn or
    /// as it is, by a capture or not.
    fn arrivals(&self, to: Square, from: Square) -> impl Iterator<Item = (bool, bool)> {
        let board = self.board();
        let them = !board.side_to_move();
        let piece = board.piece_on(to);
        let as_is = match piece {
            Some(Piece::Knight) => attacks::knight(from),
            Some(Piece::Bishop) => Magic.bishop(from, board.occupied()),
            Some(Piece::Rook) => Magic.rook(from, board.occupied()),
            Some(Piece::Queen) => {
                Magic.bishop(from, board.occupied()) | Magic.rook(from, board.occupied())
            }
            _ => Bitboard::EMPTY,
        };
        let promotes = to.rank() == them.promotion_rank() && piece != Some(Piece::King);
        let is_pawn = piece == Some(Piece::Pawn) || promotes;
        let can_be_pawn = ![them.back_rank(), them.promotion_rank()].contains(&from.rank());
        let is_pushed = can_be_pawn && {
            let one = from.forward(them);
            let is_double = one.rank() == them.third_rank() && !board.occupied().contains(one);
            one == to || (is_double && one.forward(them) == to)
        };
        let captures = can_be_pawn && attacks::pawn(them, from).contains(to);
        [
            (as_is.contains(to), (false, true)),
            (is_pawn && is_pushed, (true, false)),
            (is_pawn && captures, (true, true)),
        ]
        .into_iter()
        .filter_map(|(is_possible, way)| is_possible.then_some(way))
    }

    /// Whether the last move can have been an en-passant capture, which opens two lines.
    fn is_given_by_en_passant(&self) -> bool {
        let board = self.board();
        let (us, occupied) = (board.side_to_move(), board.occupied());
        let them = !us;
        let pawns = board.colored_pieces(them, Piece::Pawn);
        let arrived = pawns & Bitboard::rank(us.third_rank());
        arrived.into_iter().any(|to| {
            let (captured, home) = (to.forward(us), to.forward(them));
            let is_free = !occupied.contains(captured) && !occupied.contains(home);
            let froms = attacks::pawn(us, to) - occupied;
            is_free
                && froms.into_iter().any(|from| {
                    let before = Before { position: self, moved: to, from, is_pawn: true };
                    let occupied = (occupied - to.bitboard()) | captured.bitboard();
                    before.checkers(occupied).is_empty()
                })
        })
    }
}

/// The position before the last move, by `moved` from an empty square.
struct Before<'a> {
    position: &'a Position,
    moved: Square,
    from: Square,
    /// Whether the piece was a pawn.
    is_pawn: bool,
}

impl Before<'_> {
    /// The pieces that gave check to the side that is now to move, when `occupied` and the square
    /// that the piece came from were occupied.
    fn checkers(&self, occupied: Bitboard) -> Bitboard {
        let board = self.position.board();
        let us: Color = board.side_to_move();
        let (king, from) = (board.king(us), self.from);
        let occupied = occupied | from.bitboard();
        let others = board.attackers(Magic, king, occupied)
            & (board.colors(!us) - self.moved.bitboard())
            & occupied;
        let attacked = match board.piece_on(self.moved) {
            _ if self.is_pawn => attacks::pawn(!us, from),
            Some(Piece::Knight) => attacks::knight(from),
            Some(Piece::Bishop) => Magic.bishop(from, occupied),
            Some(Piece::Rook) => Magic.rook(from, occupied),
            Some(Piece::Queen) => Magic.bishop(from, occupied) | Magic.rook(from, occupied),
            _ => Bitboard::EMPTY,
        };
        if attacked.contains(king) { others | from.bitboard() } else { others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::chess960_start;
    use crate::random::Rng;

    #[test]
    fn a_check_before_the_double_push_is_impossible() {
        for (fen, checker) in [
            ("8/8/8/8/3pP3/3k2R1/K7/8 b - e3 0 1", Some("g3")),
            ("rr2k3/6p1/1Rpq4/B1r1pP2/Qb6/6r1/Q2p1R2/R3KnRR w KQq e6 0 1", Some("d2")),
            // No push opens this file, or a line that ends behind the pawn's way.
            ("4k3/8/8/8/3pP3/8/8/K3R3 b - e3 0 1", None),
            ("8/8/8/3k4/3pP3/8/8/K2R4 b - e3 0 1", None),
            ("8/8/3k4/8/3pP3/8/8/K2R4 b - e3 0 1", None),
            // Given by the pawn, or opened by it.
            ("8/8/8/3k4/3pP3/8/8/K7 b - e3 0 1", None),
            ("8/8/8/7k/3pP3/8/8/K2B4 b - e3 0 1", None),
            // Given by another piece.
            ("8/8/8/3k3R/3pP3/8/8/K7 b - e3 0 1", Some("h5")),
            ("8/8/8/8/3pP2k/5N2/8/K7 b - e3 0 1", Some("f3")),
        ] {
            let position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
            let reason = position.impossibility().map(|reason| match reason {
                Impossibility::CheckBeforeDoublePush { checker, .. } => checker.to_string(),
                other => panic!("{fen}: {other}"),
            });
            assert_eq!(reason.as_deref(), checker, "{fen}");
        }
    }

    #[test]
    fn two_checks_that_no_move_gives_are_impossible() {
        for (fen, is_possible) in [
            // Two rooks on one line, a rook and a queen from two sides.
            ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", true),
            ("R3k2R/8/8/8/8/8/8/4K3 b - - 0 1", false),
            ("4k3/8/8/8/4R3/8/8/R3K2R b - - 0 1", true),
            ("R3k3/8/8/8/4R3/8/8/4K3 b - - 0 1", false),
            // The knight left the file; one that cannot have.
            ("4k3/2N5/8/8/4R3/8/8/4K3 b - - 0 1", true),
            ("4k3/2N1p3/8/8/4R3/8/8/4K3 b - - 0 1", true),
            ("4k3/2N5/4R3/8/8/8/8/4K3 b - - 0 1", false),
            // A promotion on the file opens it only by a capture.
            ("3Nk3/8/2N5/8/8/8/8/4K3 b - - 0 1", true),
            ("4kR2/8/8/8/4R3/8/8/4K3 b - - 0 1", true),
            ("4k1R1/8/8/8/4R3/8/8/4K3 b - - 0 1", false),
            // En passant opens two lines.
            ("2R5/5B2/3P4/8/2k5/8/8/K7 b - - 0 1", true),
            ("2R5/3p1B2/3P4/8/2k5/8/8/K7 b - - 0 1", false),
        ] {
            let position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert_eq!(position.impossibility().is_none(), is_possible, "{fen}");
        }
    }

    /// Positions of games have no reason.
    #[test]
    fn games_reach_no_impossible_position() {
        let mut rng = Rng::new(1);
        let mut double_checks = 0;
        for number in 0..400 {
            let start = chess960_start(if number % 2 == 0 { 518 } else { rng.below(960) });
            let mut position = Position::from(start);
            for _ in 0..150 {
                let moves = position.board().legal_moves();
                let Some(&mv) = rng.pick(&moves) else { break };
                position = position.after(&[mv]);
                assert_eq!(position.impossibility(), None, "{position}");
                double_checks += u32::from(position.board().checkers().more_than_one());
            }
        }
        assert!(double_checks > 10, "{double_checks}");
    }
}

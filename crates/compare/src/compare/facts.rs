//! Facts about a move that a generator gets wrong, by which a special case is described.

use std::collections::BTreeSet;
use std::fmt;

use crate::rules::Game;
use perft_core::board::Board;
use perft_core::types::{CastlingSide, Color, File, Move, MoveKind, Piece, Square};

/// A fact about a move and its position. Those by which a bug is described best come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// About the move itself.
    Move(Trait),
    /// About an earlier move, which the generator made wrongly.
    Cause(Trait),
    /// The moving piece is pinned, or not.
    Pinned(bool),
    /// The number of checks.
    Checks(u8),
    /// A piece that gives check.
    Checker(Piece),
    /// A piece that attacks the king after the move.
    Attacker(Piece),
    /// That attack is on a diagonal, or on a rank or file.
    AttackOnDiagonal(bool),
    /// The en-passant square comes from the FEN, or from a move.
    EnPassantFromFen(bool),
    /// The king has both castling rights, or one.
    BothRights(bool),
    /// White is to move, or Black.
    WhiteToMove(bool),
}

/// A fact about a move alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// It is an en-passant capture.
    EnPassant,
    /// It castles king side, or queen side.
    CastlesKingSide(bool),
    /// It promotes.
    Promotes,
    /// It promotes to this piece.
    PromotesTo(Piece),
    /// It is a double push.
    DoublePush,
    /// The piece that moves.
    Piece(Piece),
    /// It is a capture, or not.
    Captures(bool),
    /// It captures this piece.
    Captured(Piece),
    /// It starts on this file.
    From(File),
    /// It ends on this file.
    To(File),
    /// It goes toward the h-file, or toward the a-file.
    TowardH(bool),
}

/// The facts about `mv`, legal or not, on `board` and in the same position of `game`.
pub fn facts(board: &Board, game: &Game, mv: Move) -> BTreeSet<Fact> {
    let us = board.side_to_move();
    let mut facts: BTreeSet<Fact> = traits(board, mv).into_iter().map(Fact::Move).collect();
    facts.insert(Fact::WhiteToMove(us == Color::White));
    facts.insert(Fact::Pinned(board.pinned().contains(mv.from())));
    let checkers = board.checkers();
    facts.insert(Fact::Checks(checkers.len() as u8));
    let checkers = checkers.into_iter().filter_map(|square| board.piece_on(square));
    facts.extend(checkers.map(Fact::Checker));
    let king_to = if mv.piece() == Piece::King { mv.to() } else { board.king(us) };
    for (square, piece) in game.attackers_after(mv) {
        facts.insert(Fact::Attacker(piece));
        facts.insert(Fact::AttackOnDiagonal(is_diagonal(king_to, square)));
    }
    if mv.kind() == MoveKind::Castle {
        facts.insert(Fact::BothRights(board.castling().rooks_of(us).more_than_one()));
    }
    facts
}

fn is_diagonal(a: Square, b: Square) -> bool {
    a.file() != b.file() && a.rank() != b.rank()
}

/// The facts about a move alone, legal or not.
pub fn traits(board: &Board, mv: Move) -> Vec<Trait> {
    let mut traits = vec![Trait::Piece(mv.piece())];
    if let Some(side) = mv.castling_side() {
        traits.push(Trait::CastlesKingSide(side == CastlingSide::King));
        return traits;
    }
    let captured = match mv.kind() {
        MoveKind::EnPassant => Some(Piece::Pawn),
        _ => board.piece_on(mv.to()),
    };
    traits.push(Trait::Captures(captured.is_some()));
    traits.extend(captured.map(Trait::Captured));
    match mv.kind() {
        MoveKind::EnPassant => traits.push(Trait::EnPassant),
        MoveKind::DoublePush => traits.push(Trait::DoublePush),
        _ => {}
    }
    if let Some(piece) = mv.promotion() {
        traits.extend([Trait::Promotes, Trait::PromotesTo(piece)]);
    }
    traits.extend([Trait::From(mv.from().file()), Trait::To(mv.to().file())]);
    if mv.from().file() != mv.to().file() {
        traits.push(Trait::TowardH(mv.to().file() > mv.from().file()));
    }
    traits
}

fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

impl Fact {
    /// The fact as a clause. `cause` names the earlier move that was made wrongly.
    pub fn text(self, cause: &str) -> String {
        let text = match self {
            Self::Move(fact) => return format!("the move {fact}"),
            Self::Cause(fact) => return format!("{cause} {fact}"),
            Self::Checker(piece) => return format!("a {} gives check", name(piece)),
            Self::Attacker(piece) => return format!("a {} attacks the king after it", name(piece)),
            Self::Pinned(true) => "the moving piece is pinned",
            Self::Pinned(false) => "the moving piece is not pinned",
            Self::Checks(0) => "the king is not in check",
            Self::Checks(1) => "the king is in check from one piece",
            Self::Checks(_) => "the king is in double check",
            Self::AttackOnDiagonal(true) => "the king is attacked on a diagonal after it",
            Self::AttackOnDiagonal(false) => "the king is attacked on a rank or file after it",
            Self::EnPassantFromFen(true) => "the en-passant square comes from the FEN",
            Self::EnPassantFromFen(false) => "the en-passant square comes from a move just made",
            Self::BothRights(true) => "the king has both castling rights",
            Self::BothRights(false) => "the king has only one castling right",
            Self::WhiteToMove(true) => "White is to move",
            Self::WhiteToMove(false) => "Black is to move",
        };
        text.to_owned()
    }

    /// How far-fetched it is that a bug depends on the fact.
    pub fn cost(self) -> u32 {
        match self {
            Self::Move(fact) | Self::Cause(fact) => match fact {
                Trait::From(_) | Trait::To(_) => 4,
                Trait::TowardH(_) => 3,
                Trait::Captured(_) | Trait::PromotesTo(_) => 2,
                _ => 1,
            },
            Self::Checker(_) | Self::Attacker(_) => 2,
            Self::Checks(_) | Self::Pinned(_) | Self::AttackOnDiagonal(_) => 2,
            Self::EnPassantFromFen(_) | Self::BothRights(_) | Self::WhiteToMove(_) => 3,
        }
    }
}

/// Follows "the move".
impl fmt::Display for Trait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::EnPassant => f.write_str("is an en-passant capture"),
            Self::CastlesKingSide(true) => f.write_str("castles king side"),
            Self::CastlesKingSide(false) => f.write_str("castles queen side"),
            Self::Promotes => f.write_str("is a promotion"),
            Self::PromotesTo(piece) => write!(f, "is a promotion to a {}", name(piece)),
            Self::DoublePush => f.write_str("is a double step of a pawn"),
            Self::Piece(piece) => write!(f, "is made by a {}", name(piece)),
            Self::Captures(true) => f.write_str("is a capture"),
            Self::Captures(false) => f.write_str("is not a capture"),
            Self::Captured(piece) => write!(f, "captures a {}", name(piece)),
            Self::From(file) => write!(f, "starts on the {}-file", file.letter()),
            Self::To(file) => write!(f, "ends on the {}-file", file.letter()),
            Self::TowardH(true) => f.write_str("goes toward the h-file"),
            Self::TowardH(false) => f.write_str("goes toward the a-file"),
        }
    }
}

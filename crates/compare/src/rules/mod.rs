//! The rules of chess one by one, and a slow generator that can leave any of them out.
//!
//! A [`Game`] is a second move generator, as simple as possible: pieces in an array, no bitboards,
//! tables or pins. Each piece goes wherever its kind may, and a move that leaves the king attacked
//! is dropped after it is made. With all rules it is the reference that the fast generator is
//! tested against. Without one [`Rule`] it is an engine with a known bug:
//! [`compare`](crate::compare) names the bug of another engine by finding the rule whose removal
//! gives the same divide output.
//!
//! ```
//! use perft_core::Board;
//! use perft_compare::rules::{Game, Rule};
//!
//! let board: Board = "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1".parse()?;
//! assert_eq!(Game::new(&board, None).moves().len(), board.legal_moves().len());
//! // White is in check from e2 and may not castle.
//! let buggy = Game::new(&board, Some(Rule::CastleOutOfCheck));
//! assert_eq!(buggy.moves().len(), board.legal_moves().len() + 2);
//! # Ok::<(), perft_core::FenError>(())
//! ```

mod game;
mod generate;
mod legality;
mod steps;

pub use game::Game;

use std::fmt;
use std::str::FromStr;

/// Defines [`Rule`]: variant, name and text of each rule.
macro_rules! rules {
    ($($variant:ident $name:literal $text:literal)*) => {
        /// A rule that a move generator can get wrong. Special rules come before the general ones
        /// that include them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Rule {
            $(#[doc = $text] $variant,)*
        }

        impl Rule {
            /// All rules, in their order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The rule in a sentence.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

rules! {
    EnPassantRankPin "en-passant-rank-pin"
        "En passant removes two pawns from a rank at once and must not expose the king there."
    EnPassantEvasion "en-passant-evasion"
        "A pawn that gives check by its double step may be captured en passant."
    EnPassantBoth "en-passant-both"
        "Where two pawns can capture en passant, either may."
    EnPassantExpires "en-passant-expires"
        "En passant is possible only on the next move."
    EnPassantRemoves "en-passant-removes"
        "The pawn captured en passant leaves the board."
    EnPassantRead "en-passant-read"
        "The en-passant square of a FEN allows the capture there."
    EnPassant "en-passant"
        "A pawn may capture en passant."

    CastlePinnedRook "castle-pinned-rook"
        "In Chess960 a rook that shields its king on the back rank may not castle."
    CastleThroughAttack "castle-through-attack"
        "The king may not castle through an attacked square."
    CastleIntoAttack "castle-into-attack"
        "The king may not castle onto an attacked square."
    CastleOutOfCheck "castle-out-of-check"
        "The king may not castle out of check."
    CastleRookWay "castle-rook-way"
        "Castling needs the squares that only the rook crosses to be empty."
    CastleWay "castle-way"
        "Castling needs the squares that king and rook cross to be empty."
    CastleRookAttacked "castle-rook-attacked"
        "The rook, and squares that only the rook crosses, may be attacked when castling."
    CastleRookCaptured "castle-rook-captured"
        "The right to castle is lost when the rook is captured."
    CastleRookMoved "castle-rook-moved"
        "The right to castle is lost when the rook moves."
    CastleKingMoved "castle-king-moved"
        "Both rights to castle are lost when the king moves."
    CastleMovesRook "castle-moves-rook"
        "Castling moves the rook too."
    CastleKingSide "castle-king-side"
        "The king may castle toward the h-file."
    CastleQueenSide "castle-queen-side"
        "The king may castle toward the a-file."
    Castle "castle"
        "The king may castle if the castling field of the FEN says so."

    PromotionByCapture "promotion-by-capture"
        "A pawn that promotes by capturing has the choice of four pieces."
    PromotionKnight "promotion-knight"
        "A pawn may promote to a knight."
    PromotionBishop "promotion-bishop"
        "A pawn may promote to a bishop."
    PromotionRook "promotion-rook"
        "A pawn may promote to a rook."
    PromotionChoice "promotion-choice"
        "A pawn may promote to a queen, rook, bishop or knight."
    Promotion "promotion"
        "A pawn that reaches the last rank must promote."

    DoublePushWay "double-push-way"
        "A pawn does not jump over a piece in its double step."
    DoublePushLanding "double-push-landing"
        "A pawn's double step ends on an empty square."
    DoublePushHome "double-push-home"
        "Only a pawn on its starting square may make a double step."
    DoublePush "double-push"
        "A pawn on its starting square may make a double step."
    PushEmpty "push-empty"
        "A pawn does not capture straight ahead."
    PawnVictim "pawn-victim"
        "A pawn moves diagonally only to capture."
    PawnEdge "pawn-edge"
        "A pawn does not capture around the edge of the board."
    PawnCaptures "pawn-captures"
        "A pawn captures diagonally."
    KnightEdge "knight-edge"
        "A knight does not jump around the edge of the board."
    SliderBlocked "slider-blocked"
        "A bishop, rook or queen goes no further than the first piece in its way."
    OwnPiece "own-piece"
        "No piece captures one of its own side."

    KingAlongLine "king-along-line"
        "A king in check from a slider may not step back along the line of the check."
    KingCapturesGuarded "king-captures-guarded"
        "A king does not capture a guarded piece."
    KingsApart "kings-apart"
        "A king does not step next to the other king."
    KingPawnAttack "king-pawn-attack"
        "A king does not step onto a square that a pawn attacks."
    KingSafe "king-safe"
        "A king does not step onto an attacked square."

    PinnedPawn "pinned-pawn"
        "A pinned pawn stays on the line of its pin."
    PinnedOnDiagonal "pinned-on-diagonal"
        "A piece pinned on a diagonal stays on it."
    PinnedOnLine "pinned-on-line"
        "A piece pinned on a rank or file stays on it."
    Pinned "pinned"
        "A pinned piece stays on the line of its pin."
    PinnedSlides "pinned-slides"
        "A pinned piece may move along the line of its pin."

    DoubleCheck "double-check"
        "Only a king move answers a double check."
    CheckBlock "check-block"
        "A check may be answered by a piece that moves in between."
    CheckCapture "check-capture"
        "A check may be answered by capturing the piece that gives it."
    CheckAnswered "check-answered"
        "A check must be answered."
    SelfCheck "self-check"
        "No move may leave one's own king attacked."
}

impl Rule {
    /// Other rules that are about the same kind of move, and so easily taken for this one.
    pub fn neighbors(self) -> impl Iterator<Item = Self> {
        // The last of each group in the list.
        const LAST: [Rule; 4] = [Rule::EnPassant, Rule::Castle, Rule::Promotion, Rule::OwnPiece];
        let group = |rule: Self| LAST.iter().filter(|&&last| rule > last).count();
        let exposes_king = matches!(self, Self::EnPassantRankPin | Self::EnPassantEvasion);
        Self::ALL.iter().copied().filter(move |&other| {
            let is_alike = group(other) == group(self);
            other != self && (is_alike || (exposes_king && group(other) == LAST.len()))
        })
    }
}

/// The text is not the name of a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule {0:?}")]
pub struct UnknownRule(pub String);

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        let found = Self::ALL.iter().copied().find(|rule| rule.name() == text);
        found.ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &rule in Rule::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
        }
    }
}

//! The rules of chess one by one, and a game that can forget any of them.
//!
//! A [`Game`] is a second move generator, without any cleverness: men in an array, no bitboards,
//! tables or pins; each man goes wherever its kind may, and what leaves the king attacked is
//! thrown out after a look at the resulting squares. With all rules in force it is the slow truth
//! that the fast generator is tested with. With one [`Rule`] forgotten it is an engine with a
//! known bug: [`compare`](crate::compare) names the bug of another engine by looking for the rule
//! whose loss gives that engine's answers.
//!
//! ```
//! use perft::rules::{Game, Rule};
//! use perft::{Board, Variant};
//!
//! let fen = "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1";
//! let board = Board::from_fen(fen, Variant::Standard)?;
//! assert_eq!(Game::new(&board, None).moves().len(), board.legal_moves().len());
//! // White is in check from e2 and may not castle.
//! let careless = Game::new(&board, Some(Rule::CastleOutOfCheck));
//! assert_eq!(careless.moves().len(), board.legal_moves().len() + 2);
//! # Ok::<(), perft::BoardError>(())
//! ```

mod game;

pub use game::Game;

use std::fmt;
use std::str::FromStr;

/// Names the rules: for each its variant, what users call it, and the rule.
macro_rules! rules {
    ($($variant:ident $name:literal $text:literal)*) => {
        /// A rule that a move generator can get wrong, the special ones before those that
        /// contain them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Rule {
            $(#[doc = $text] $variant,)*
        }

        impl Rule {
            /// All rules, in their order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// What users call it.
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
        "En passant takes two men off a rank at once, and must not open it to the king."
    EnPassantEvasion "en-passant-evasion"
        "A pawn that gives check by its double step may be taken en passant."
    EnPassantBoth "en-passant-both"
        "Where two pawns can take en passant, either may."
    EnPassantExpires "en-passant-expires"
        "En passant is possible at once or never."
    EnPassantRemoves "en-passant-removes"
        "The pawn that is taken en passant leaves the board."
    EnPassantRead "en-passant-read"
        "The en-passant square of a FEN gives the right to take there."
    EnPassant "en-passant"
        "A pawn takes en passant."

    CastlePinnedRook "castle-pinned-rook"
        "In Chess960 a rook that shields its king on the back rank must not castle away."
    CastleThroughAttack "castle-through-attack"
        "The king does not castle through an attacked square."
    CastleIntoAttack "castle-into-attack"
        "The king does not castle onto an attacked square."
    CastleOutOfCheck "castle-out-of-check"
        "The king does not castle out of check."
    CastleRookWay "castle-rook-way"
        "Castling needs the squares free that only the rook passes."
    CastleWay "castle-way"
        "Castling needs the way of king and rook free."
    CastleRookAttacked "castle-rook-attacked"
        "Castling asks for no safety of the rook, nor of squares that only the rook passes."
    CastleRookCaptured "castle-rook-captured"
        "The right to castle goes when the rook is captured."
    CastleRookMoved "castle-rook-moved"
        "The right to castle goes when the rook moves."
    CastleKingMoved "castle-king-moved"
        "Both rights to castle go when the king moves."
    CastleMovesRook "castle-moves-rook"
        "In castling the rook moves too."
    CastleKingSide "castle-king-side"
        "The king castles towards the h-file."
    CastleQueenSide "castle-queen-side"
        "The king castles towards the a-file."
    Castle "castle"
        "The king castles, if the castling field of a FEN says so."

    PromotionByCapture "promotion-by-capture"
        "A pawn that promotes by capturing has the choice of four pieces."
    PromotionKnight "promotion-knight"
        "A pawn may become a knight."
    PromotionBishop "promotion-bishop"
        "A pawn may become a bishop."
    PromotionRook "promotion-rook"
        "A pawn may become a rook."
    PromotionChoice "promotion-choice"
        "A pawn becomes a queen, rook, bishop or knight, as it likes."
    Promotion "promotion"
        "A pawn does not stay a pawn on the last rank."

    DoublePushWay "double-push-way"
        "A pawn does not jump over a man in its double step."
    DoublePushLanding "double-push-landing"
        "A pawn's double step ends on an empty square."
    DoublePushHome "double-push-home"
        "Only a pawn on its first square goes two steps."
    DoublePush "double-push"
        "A pawn on its first square may go two steps."
    PushEmpty "push-empty"
        "A pawn does not take straight ahead."
    PawnVictim "pawn-victim"
        "A pawn goes diagonally only to take."
    PawnEdge "pawn-edge"
        "A pawn does not take around the edge of the board."
    PawnTakes "pawn-takes"
        "A pawn takes diagonally."
    KnightEdge "knight-edge"
        "A knight does not jump around the edge of the board."
    SliderBlocked "slider-blocked"
        "Bishop, rook and queen go no further than the first man in their way."
    OwnMan "own-man"
        "No man takes one of its own side."

    KingAlongLine "king-along-line"
        "A king in check from a slider cannot step back along the line of the check."
    KingTakesGuarded "king-takes-guarded"
        "A king does not take a man that is guarded."
    KingsApart "kings-apart"
        "A king does not step next to the other king."
    KingPawnAttack "king-pawn-attack"
        "A king does not step onto a square that a pawn attacks."
    KingSafe "king-safe"
        "A king does not step onto an attacked square."

    PinnedPawn "pinned-pawn"
        "A pinned pawn stays on the line of its pin."
    PinnedOnDiagonal "pinned-on-diagonal"
        "A man pinned on a diagonal stays on it."
    PinnedOnLine "pinned-on-line"
        "A man pinned on a rank or file stays on it."
    Pinned "pinned"
        "A pinned man stays on the line of its pin."
    PinnedSlides "pinned-slides"
        "A pinned man may move along the line of its pin."

    DoubleCheck "double-check"
        "Two checks at once are answered by the king alone."
    CheckBlock "check-block"
        "A check may be answered by a man that steps between."
    CheckCapture "check-capture"
        "A check may be answered by taking the man that gives it."
    CheckAnswered "check-answered"
        "A check must be answered."
    SelfCheck "self-check"
        "No move may leave the own king attacked."
}

/// The text names no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rule {0:?}")]
pub struct UnknownRule(pub String);

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Self, UnknownRule> {
        let found = Self::ALL.iter().find(|rule| rule.name() == text);
        found.copied().ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

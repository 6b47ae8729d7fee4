//! The rules by name, and a switch with which tests break one at a time.

use crate::types::Bitboard;

/// A rule of the kernel: left out, some count is wrong, and a test shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// A man goes to where it gives check.
    Check,
    /// A slider goes to where it pins.
    NewPin,
    /// A man goes onto the line of a pin.
    PinLine,
    /// The man that pins moves.
    Pinner,
    /// A man that hides a check moves.
    Discoverer,
    /// One of two men on a line, ours, leaves the other, theirs, pinned.
    HalfPin,
    /// A double push beside their pawn allows en passant.
    EnPassant,
    /// A promoted piece sees through the square that the pawn left.
    PromotionThrough,
    /// Our castling leaves or reaches squares that their men look at.
    CastlingTouched,
    /// Our castling is noticed by their king.
    CastlingNoticed,
    /// Our castling happens near their king.
    CastlingNear,
    /// A man goes next to their king.
    Ring,
    /// A man attacks a square that was safe for their king.
    NewAttack,
    /// The only man that attacked a square moves.
    SoleAttacker,
    /// A man leaves the way of a slider to a square that was safe for their king.
    OpensAttack,
    /// A man goes between a slider and a square that it attacks.
    BlocksAttack,
    /// A man goes onto a castling path, or takes the rook.
    CastlingTo,
    /// A man leaves a castling path.
    CastlingFrom,
    /// Castling crosses squares beyond the ring.
    CastlingZone,
    /// A man goes onto the ray of their slider.
    SliderCut,
    /// A man leaves the ray of their slider.
    SliderFreed,
    /// A man goes beyond its square on the ray of their slider.
    AlongBeyond,
    /// A man goes nearer on the ray of their slider.
    AlongNearer,
    /// A man goes in front of their pawn.
    PushStopped,
    /// A man goes where their pawn's double push ends, or ends it by stopping the single one.
    DoubleStopped,
    /// A man goes to, or leaves, a square that their pawn attacks.
    PawnTarget,
    /// Their pawn's move to the last rank counts four times.
    Promotion,
    /// A man leaves the square in front of their pawn.
    PushFreed,
    /// A man leaves the square where their pawn's double push would end.
    DoubleFreed,
    /// A man goes from one of the two squares before their pawn to the other.
    FilePair,
    /// A man takes the pawn that attacks it or that it stops.
    TakesItsPawn,
    /// A taken man's replies go.
    TakenReplies,
    /// A man that takes can be taken back.
    Recapture,
    /// A pinned man's replies stay on its line.
    PinnedReplies,
}

#[cfg(test)]
impl Rule {
    /// All rules.
    pub const ALL: [Self; 34] = [
        Self::Check,
        Self::NewPin,
        Self::PinLine,
        Self::Pinner,
        Self::Discoverer,
        Self::HalfPin,
        Self::EnPassant,
        Self::PromotionThrough,
        Self::CastlingTouched,
        Self::CastlingNoticed,
        Self::CastlingNear,
        Self::Ring,
        Self::NewAttack,
        Self::SoleAttacker,
        Self::OpensAttack,
        Self::BlocksAttack,
        Self::CastlingTo,
        Self::CastlingFrom,
        Self::CastlingZone,
        Self::SliderCut,
        Self::SliderFreed,
        Self::AlongBeyond,
        Self::AlongNearer,
        Self::PushStopped,
        Self::DoubleStopped,
        Self::PawnTarget,
        Self::Promotion,
        Self::PushFreed,
        Self::DoubleFreed,
        Self::FilePair,
        Self::TakesItsPawn,
        Self::TakenReplies,
        Self::Recapture,
        Self::PinnedReplies,
    ];
}

#[cfg(test)]
thread_local! {
    /// The rule that this thread leaves out.
    pub(super) static BROKEN: std::cell::Cell<Option<Rule>> = const { std::cell::Cell::new(None) };
}

/// Whether the rule is in force; only tests break one.
#[inline(always)]
pub(super) fn holds(rule: Rule) -> bool {
    #[cfg(test)]
    return BROKEN.get() != Some(rule);
    #[cfg(not(test))]
    {
        _ = rule;
        true
    }
}

/// The squares on which a rule bears.
#[inline(always)]
pub(super) fn by(rule: Rule, squares: Bitboard) -> Bitboard {
    if holds(rule) { squares } else { Bitboard::EMPTY }
}

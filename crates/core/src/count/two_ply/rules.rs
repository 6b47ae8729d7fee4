//! The rules by name, and a switch by which tests break one at a time.

use crate::types::SquareSet;

/// Lists the rules, for the type and for tests.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident,)*) => {
        /// A rule of the kernel. Without it some count is wrong, and a test shows it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::count) enum KernelRule {
            $($(#[$doc])* $rule,)*
        }

        #[cfg(test)]
        impl KernelRule {
            pub const ALL: &[Self] = &[$(Self::$rule),*];
        }
    };
}

rules! {
    /// A piece moves to where it gives check.
    Check,
    /// A slider moves to where it pins.
    NewPin,
    /// A piece moves onto the line of a pin.
    PinLine,
    /// The pinning piece moves.
    Pinner,
    /// A piece moves and discovers a check.
    Discoverer,
    /// Of two pieces on a line ours leaves, and theirs is pinned.
    LeavesPin,
    /// A double push beside their pawn allows en passant.
    EnPassant,
    /// A promoted piece attacks through the square that the pawn left.
    PromotionThrough,
    /// Our castling leaves or reaches squares that their pieces attack.
    CastlingTouched,
    /// Our castling affects their king.
    CastlingSensitive,
    /// Our castling happens near their king.
    CastlingNear,
    /// A piece moves next to their king.
    Ring,
    /// A piece attacks a square that was safe for their king.
    NewAttack,
    /// The only attacker of a square moves.
    SoleAttacker,
    /// A piece stops blocking a slider that then attacks a safe square.
    OpensAttack,
    /// A piece moves between a slider and a square that it attacks.
    BlocksAttack,
    /// A piece moves onto a castling path, or captures the rook.
    CastlingTo,
    /// A piece leaves a castling path.
    CastlingFrom,
    /// Castling crosses squares beyond the ring.
    CastlingZone,
    /// A piece moves onto the ray of their slider.
    SliderCut,
    /// A piece leaves the ray of their slider.
    SliderFreed,
    /// A piece moves beyond its square on the ray of their slider.
    AlongBeyond,
    /// A piece moves nearer on the ray of their slider.
    AlongNearer,
    /// A piece moves in front of their pawn.
    PushStopped,
    /// A piece blocks the double push of their pawn.
    DoubleStopped,
    /// A piece moves to, or leaves, a square that their pawn attacks.
    PawnTarget,
    /// Their pawn's move to the last rank counts four times.
    Promotion,
    /// A piece leaves the square in front of their pawn.
    PushFreed,
    /// A piece leaves the square where their pawn's double push would end.
    DoubleFreed,
    /// A piece moves from one of the two squares before their pawn to the other.
    FilePair,
    /// A piece captures the pawn that attacks it or that it blocks.
    CapturesItsPawn,
    /// The replies of a captured piece are lost.
    CapturedReplies,
    /// A capturing piece can be recaptured.
    Recapture,
    /// A pinned piece stays on its line.
    PinnedReplies,
}

#[cfg(test)]
thread_local! {
    /// The rule that this thread leaves out.
    pub(in crate::count) static BROKEN: std::cell::Cell<Option<KernelRule>> = const { std::cell::Cell::new(None) };
}

/// Whether the rule is in force. Only tests break one.
#[inline(always)]
pub(in crate::count) fn holds(rule: KernelRule) -> bool {
    #[cfg(test)]
    return BROKEN.get() != Some(rule);
    #[cfg(not(test))]
    {
        _ = rule;
        true
    }
}

/// The squares of a rule.
#[inline(always)]
pub(in crate::count) fn by<S: SquareSet>(rule: KernelRule, squares: S) -> S {
    if holds(rule) { squares } else { squares.none() }
}

/// A set, part of which is there by a rule.
#[cfg_attr(not(all(target_arch = "x86_64", not(perft_portable))), allow(dead_code))]
#[inline(always)]
pub(in crate::count) fn without<S: SquareSet>(rule: KernelRule, squares: S, part: S) -> S {
    if holds(rule) { squares } else { squares & !part }
}

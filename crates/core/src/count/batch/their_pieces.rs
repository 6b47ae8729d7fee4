//! Replies of their pieces other than the king, and how they change where our pieces arrive and
//! leave.

use super::super::two_ply::rules::{KernelRule, by, holds, without};
use super::boards::Boards;
use super::digits::{self, add, join};
use super::node::Node8;
use super::rays::{directions, knight_moves, step};
use super::replies::{LAST, THIRD};
use super::their_king::TheirKing8;
use super::words::Words8;
use crate::attacks::directions::{
    NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, kind, line,
};
use crate::types::{Bitboard, Rank};

/// The rank from which their pawns promote.
const SEVENTH: u64 = Bitboard::rank(Rank::Second).0;

/// Their replies to a null move, and the changes by our moves.
pub(super) struct Replies8 {
    /// The number of replies to a null move, without those of the king.
    pub count: Words8,
    /// For each square, in binary, the replies that are lost when a piece of ours arrives there,
    /// capturing or not, and that are won when one leaves: at most 28, of a queen that is
    /// captured; elsewhere the two directions of a line add up to six at most, and pushes to two.
    pub blocked: [Words8; 5],
    /// The opposite: captures of a piece that is there. At most 16: one for each direction, and
    /// eight knights. Without protectors, on squares without a piece of theirs, at most 2.
    pub captures: [Words8; 5],
    /// Attacks of their sliders that are not pinned, and how far sliders reach from each square.
    pub attacked: [Words8; 8],
    pub runs: [[Words8; 3]; 8],
    pub pawns: Pawns8,
    /// Moves to and from squares on which their pawns promote: these are made.
    pub promotion_to: Words8,
    pub promotion_from: Words8,
}

/// Their pawns that are not pinned.
pub(super) struct Pawns8 {
    pub pawns: Words8,
    /// The first and the second square in front of pawns on their home rank.
    pub first: Words8,
    pub second: Words8,
}

/// Attacks and replies of their sliders.
struct SliderReplies {
    count: Words8,
    /// Attacks of those that are not pinned.
    attacked: [Words8; 8],
}

/// Replies of their knights, which are not pinned.
struct KnightReplies {
    count: Words8,
    /// For each square, in binary, the number of replies of a knight there.
    moves: [Words8; 4],
    /// Their attacks, by the direction of the move.
    attacks: [Words8; 8],
}

/// Replies of their pawns, and the steps of those that are not pinned.
struct PawnReplies {
    count: Words8,
    unpinned: Words8,
    /// The squares in front, and those of them that are empty.
    front: Words8,
    single: Words8,
    /// The targets of double pushes.
    double: Words8,
    east: Words8,
    west: Words8,
    promotion_to: Words8,
    promotion_from: Words8,
}

impl Node8<'_> {
    #[inline(always)]
    pub fn replies(&self, their_king: &TheirKing8) -> Replies8 {
        let TheirKing8 { pins, pinned, .. } = *their_king;
        // Pinned pieces move along the line of their pin.
        let movable = pins.map(|along| !(pinned ^ by(KernelRule::PinnedReplies, along)));
        let sliders = self.slider_replies(pinned, &movable);
        let knights = self.knight_replies(pinned);
        let pawns = self.pawn_replies(pinned, &movable);
        let runs = self.runs();
        let first = pawns.front & THIRD;
        Replies8 {
            count: sliders.count + knights.count + pawns.count,
            blocked: self.blocked(pinned, &sliders, &knights, &pawns, &runs),
            captures: self.captures(&sliders, &knights, &pawns),
            attacked: sliders.attacked,
            runs,
            pawns: Pawns8 { pawns: pawns.unpinned, first, second: first.shr::<8>() },
            promotion_to: pawns.promotion_to,
            promotion_from: pawns.promotion_from,
        }
    }

    #[inline(always)]
    fn slider_replies(&self, pinned: Words8, movable: &[Words8; 4]) -> SliderReplies {
        let targets = !self.boards.theirs;
        let mut count = self.zero;
        let mut attacked = self.their_rays;
        if (pinned & (self.their_sliders[0] | self.their_sliders[1])).any() {
            directions!(D in self.they_slide => {
                let sliders = self.their_sliders[kind(D)];
                attacked[D] = self.open[D].attacks::<D>(sliders & !pinned);
                count += (self.open[D].attacks::<D>(sliders & movable[line(D)]) & targets).len();
            });
        } else {
            directions!(D in self.they_slide => {
                count += (attacked[D] & targets).len();
            });
        }
        SliderReplies { count, attacked }
    }

    #[inline(always)]
    fn knight_replies(&self, pinned: Words8) -> KnightReplies {
        let Boards { knights, theirs, .. } = self.boards;
        let knights = knights & theirs & !pinned;
        if !knights.any() {
            let zero = self.zero;
            return KnightReplies { count: zero, moves: [zero; 4], attacks: [zero; 8] };
        }
        let moves = digits::count8(knight_moves(!theirs).map(|to| to & knights));
        let count = digits::weighted(moves.map(Words8::len));
        KnightReplies { count, moves, attacks: knight_moves(knights) }
    }

    #[inline(always)]
    fn pawn_replies(&self, pinned: Words8, movable: &[Words8; 4]) -> PawnReplies {
        let Self { empty, zero, .. } = *self;
        let Boards { ours, theirs, pawns, .. } = self.boards;
        let pawns = pawns & theirs;
        let push = (pawns & movable[line(SOUTH)]).shr::<8>() & empty;
        let double = (push & THIRD).shr::<8>() & empty;
        // Next to a pawn on the diagonal of its pin, any piece of ours is the one that pins.
        let east_captures = step::<SOUTH_EAST>(pawns & movable[line(SOUTH_EAST)]) & ours;
        let west_captures = step::<SOUTH_WEST>(pawns & movable[line(SOUTH_WEST)]) & ours;
        let mut count = push.len() + double.len() + east_captures.len() + west_captures.len();

        let unpinned = pawns & !pinned;
        let front = unpinned.shr::<8>();
        let single = front & empty;
        let (east, west) = (step::<SOUTH_EAST>(unpinned), step::<SOUTH_WEST>(unpinned));
        let (mut promotion_to, mut promotion_from) = (zero, zero);
        let promoting = pawns & SEVENTH;
        if promoting.any() && holds(KernelRule::Promotion) {
            let three_more =
                (push & LAST).len() + (east_captures & LAST).len() + (west_captures & LAST).len();
            count += three_more + three_more + three_more;
            let last = (front | east | west) & LAST;
            promotion_to = last | promoting;
            promotion_from = last & ours;
        }
        let double = (single & THIRD).shr::<8>() & empty;
        PawnReplies {
            count,
            unpinned,
            front,
            single,
            double,
            east,
            west,
            promotion_to,
            promotion_from,
        }
    }

    /// For each direction and square, how far a slider there reaches.
    #[inline(always)]
    fn runs(&self) -> [[Words8; 3]; 8] {
        let mut runs = [[self.zero; 3]; 8];
        directions!(D in self.they_slide => {
            runs[D] = self.open[D].runs::<D>(!self.boards.theirs);
        });
        runs
    }

    /// See [`Replies8::blocked`].
    #[inline(always)]
    fn blocked(
        &self,
        pinned: Words8,
        sliders: &SliderReplies,
        knights: &KnightReplies,
        pawns: &PawnReplies,
        runs: &[[Words8; 3]; 8],
    ) -> [Words8; 5] {
        let Self { empty, zero, .. } = *self;
        let Boards { ours, theirs, .. } = self.boards;
        let PawnReplies { unpinned, front, single, double, .. } = *pawns;
        let targets = !theirs;
        let [mut ones, mut twos, mut fours] = [[zero; 8]; 3];
        directions!(D in self.they_slide => {
            let captured = self.their_sliders[kind(D)] & !pinned;
            let mut within = (sliders.attacked[D] & targets) | captured;
            within = without(KernelRule::SliderCut, within, empty);
            within = without(KernelRule::SliderFreed, within, ours);
            within = without(KernelRule::CapturedReplies, within, theirs);
            [ones[D], twos[D], fours[D]] = runs[D].map(|digit| digit & within);
        });
        // A square has a knight or a slider, so that there is room among the digits of any
        // direction. Captures are lost with their pawn, which is no slider either.
        let [one, two, four, eights] =
            knights.moves.map(|digit| by(KernelRule::CapturedReplies, digit));
        ones[2] |= one;
        twos[2] |= two;
        fours[2] |= four;
        ones[0] |= by(KernelRule::CapturedReplies, step::<NORTH_WEST>(ours) & unpinned);
        ones[1] |= by(KernelRule::CapturedReplies, step::<NORTH_EAST>(ours) & unpinned);

        // A push is lost on its target and with its pawn.
        let push = (front & targets) | single.shl::<8>();
        let push = without(KernelRule::PushStopped, push, empty);
        let push = without(KernelRule::PushFreed, push, ours);
        let push = without(KernelRule::CapturedReplies, push, theirs);
        // So is a double push, and on the square that it crosses.
        let crossed = front & targets & THIRD;
        let double_push = (crossed & empty.shl::<8>())
            | ((crossed & empty).shr::<8>() & targets)
            | double.shl::<16>();
        let double_push = without(KernelRule::DoubleStopped, double_push, empty);
        let double_push = without(KernelRule::DoubleFreed, double_push, ours);
        let double_push = without(KernelRule::CapturedReplies, double_push, theirs);

        let (plane1, carries): (_, [_; 5]) = add(join::<8, 2, 10>(ones, [push, double_push]));
        let (plane2, carries): (_, [_; 6]) = add(join::<8, 5, 13>(twos, carries));
        let (plane4, carries): (_, [_; 7]) = add(join::<8, 6, 14>(fours, carries));
        let (plane8, [a, b, c, d]) = add(join::<7, 1, 8>(carries, [eights]));
        [plane1, plane2, plane4, plane8, a ^ b ^ c ^ d]
    }

    /// See [`Replies8::captures`].
    #[inline(always)]
    fn captures(
        &self,
        sliders: &SliderReplies,
        knights: &KnightReplies,
        pawns: &PawnReplies,
    ) -> [Words8; 5] {
        let theirs = self.boards.theirs;
        let by_pawns = [pawns.east, pawns.west].map(|captures| {
            let captures = without(KernelRule::PawnTarget, captures, !theirs);
            without(KernelRule::Recapture, captures, theirs)
        });
        let protected = join::<8, 8, 16>(sliders.attacked, knights.attacks)
            .map(|attacked| by(KernelRule::Recapture, attacked & theirs));
        let (plane1, carries): (_, [_; 9]) = add(join::<16, 2, 18>(protected, by_pawns));
        let (plane2, carries): (_, [_; 4]) = add(carries);
        let (plane4, carries): (_, [_; 2]) = add(carries);
        let (plane8, [plane16]) = add(carries);
        [plane1, plane2, plane4, plane8, plane16]
    }
}

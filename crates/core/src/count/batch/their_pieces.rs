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
use crate::attacks::directions::{NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST, kind, line};
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

impl Node8<'_> {
    #[inline(always)]
    pub fn replies(&self, their_king: &TheirKing8) -> Replies8 {
        let Self { empty, zero, .. } = *self;
        let Boards { ours, theirs, knights, pawns, .. } = self.boards;
        let TheirKing8 { pins, pinned, .. } = *their_king;
        let (free, targets) = (!pinned, !theirs);
        // Pinned pieces move along the line of their pin.
        let movable = pins.map(|along| !(pinned ^ by(KernelRule::PinnedReplies, along)));

        let mut count = zero;
        let mut attacked = self.their_rays;
        if (pinned & (self.their_sliders[0] | self.their_sliders[1])).any() {
            directions!(D in self.they_slide => {
                let sliders = self.their_sliders[kind(D)];
                attacked[D] = self.open[D].attacks::<D>(sliders & free);
                count += (self.open[D].attacks::<D>(sliders & movable[line(D)]) & targets).len();
            });
        } else {
            directions!(D in self.they_slide => {
                count += (attacked[D] & targets).len();
            });
        }
        let mut runs = [[zero; 3]; 8];
        let [mut ones, mut twos, mut fours] = [[zero; 8]; 3];
        directions!(D in self.they_slide => {
            let sliders = self.their_sliders[kind(D)] & free;
            let mut within = (attacked[D] & targets) | sliders;
            within = without(KernelRule::SliderCut, within, empty);
            within = without(KernelRule::SliderFreed, within, ours);
            within = without(KernelRule::CapturedReplies, within, theirs);
            runs[D] = self.open[D].runs::<D>(targets);
            [ones[D], twos[D], fours[D]] = runs[D].map(|digit| digit & within);
        });

        let knights = knights & theirs & free;
        let mut eights = zero;
        let mut knight_attacks = [zero; 8];
        if knights.any() {
            let moves = digits::count8(knight_moves(targets).map(|to| to & knights));
            count += digits::weighted(moves.map(Words8::len));
            // A square has a knight or a slider, so that there is room among the digits of any
            // direction.
            let moves = moves.map(|digit| by(KernelRule::CapturedReplies, digit));
            ones[2] |= moves[0];
            twos[2] |= moves[1];
            fours[2] |= moves[2];
            eights = moves[3];
            knight_attacks = knight_moves(knights);
        }

        let pawns = pawns & theirs;
        let unpinned = pawns & free;
        let front = unpinned.shr::<8>();
        let single = front & empty;
        let double = (single & THIRD).shr::<8>() & empty;
        let (east, west) = (step::<SOUTH_EAST>(unpinned), step::<SOUTH_WEST>(unpinned));
        let (mut promotion_to, mut promotion_from) = (zero, zero);
        {
            let push = (pawns & movable[0]).shr::<8>() & empty;
            let double = (push & THIRD).shr::<8>() & empty;
            // Next to a pawn on the diagonal of its pin, any piece of ours is the one that pins.
            let east_captures = step::<SOUTH_EAST>(pawns & movable[line(SOUTH_EAST)]) & ours;
            let west_captures = step::<SOUTH_WEST>(pawns & movable[line(SOUTH_WEST)]) & ours;
            count += push.len() + double.len() + east_captures.len() + west_captures.len();
            let promoting = pawns & SEVENTH;
            if promoting.any() && holds(KernelRule::Promotion) {
                let three_more = (push & LAST).len()
                    + (east_captures & LAST).len()
                    + (west_captures & LAST).len();
                count += three_more + three_more + three_more;
                let last = (front | east | west) & LAST;
                promotion_to = last | promoting;
                promotion_from = last & ours;
            }
        }

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
        // Captures are lost with their pawn. A pawn is no slider, so that there is room.
        ones[0] |= by(KernelRule::CapturedReplies, step::<NORTH_WEST>(ours) & unpinned);
        ones[1] |= by(KernelRule::CapturedReplies, step::<NORTH_EAST>(ours) & unpinned);

        let (plane1, carries): (_, [_; 5]) = add(join::<8, 2, 10>(ones, [push, double_push]));
        let (plane2, carries): (_, [_; 6]) = add(join::<8, 5, 13>(twos, carries));
        let (plane4, carries): (_, [_; 7]) = add(join::<8, 6, 14>(fours, carries));
        let (plane8, [a, b, c, d]) = add(join::<7, 1, 8>(carries, [eights]));
        let blocked = [plane1, plane2, plane4, plane8, a ^ b ^ c ^ d];

        let pawn_captures = [east, west].map(|captures| {
            let captures = without(KernelRule::PawnTarget, captures, targets);
            without(KernelRule::Recapture, captures, theirs)
        });
        let protected = join::<8, 8, 16>(attacked, knight_attacks)
            .map(|attacked| by(KernelRule::Recapture, attacked & theirs));
        let (plane1, carries): (_, [_; 9]) = add(join::<16, 2, 18>(protected, pawn_captures));
        let (plane2, carries): (_, [_; 4]) = add(carries);
        let (plane4, carries): (_, [_; 2]) = add(carries);
        let (plane8, [plane16]) = add(carries);
        let captures = [plane1, plane2, plane4, plane8, plane16];

        let first = front & THIRD;
        Replies8 {
            count,
            blocked,
            captures,
            attacked,
            runs,
            pawns: Pawns8 { pawns: unpinned, first, second: first.shr::<8>() },
            promotion_to,
            promotion_from,
        }
    }
}

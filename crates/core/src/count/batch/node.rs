//! Eight positions with two plies left, and the limits on our moves.

use super::boards::{Boards, Castlings};
use super::rays::{Open8, directions, step};
use super::words::{LaneSet, Words8};
use crate::attacks;
use crate::attacks::directions::{kind, line, opposite};
use crate::types::Color;

/// The sets that every part of the kernel needs.
pub(super) struct Node8<'a> {
    pub boards: Boards<Words8>,
    pub castlings: &'a Castlings,
    pub occupied: Words8,
    pub empty: Words8,
    pub zero: Words8,
    pub our_king: Words8,
    pub their_king: Words8,
    /// Orthogonal and diagonal sliders.
    pub our_sliders: [Words8; 2],
    pub their_sliders: [Words8; 2],
    /// Whether any position has them.
    pub we_slide: [bool; 2],
    pub they_slide: [bool; 2],
    /// The empty squares and the attacks of the sliders, for each direction.
    pub open: [Open8; 8],
    pub our_rays: [Words8; 8],
    pub their_rays: [Words8; 8],
}

/// The limits on our moves.
pub(super) struct Limits {
    /// The squares that they attack.
    pub danger: Words8,
    pub in_check: LaneSet,
    /// Targets of pieces other than the king.
    pub targets: Words8,
    /// Our pinned pieces, by the line of the pin.
    pub pins: [Words8; 4],
    pub pinned: Words8,
}

impl<'a> Node8<'a> {
    #[inline(always)]
    pub fn new(boards: Boards<Words8>, castlings: &'a Castlings) -> Self {
        let Boards { ours, theirs, orthogonal, diagonal, kings, .. } = boards;
        let occupied = ours | theirs;
        let (empty, zero) = (!occupied, ours.zero());
        let our_sliders = [orthogonal & ours, diagonal & ours];
        let their_sliders = [orthogonal & theirs, diagonal & theirs];
        let (we_slide, they_slide) = (our_sliders.map(Words8::any), their_sliders.map(Words8::any));
        let mut open = [Open8::closed(zero); 8];
        let [mut our_rays, mut their_rays] = [[zero; 8]; 2];
        directions!(D in [we_slide[0] | they_slide[0], we_slide[1] | they_slide[1]] => {
            open[D] = Open8::new::<D>(empty);
        });
        directions!(D in they_slide => {
            their_rays[D] = open[D].attacks::<D>(their_sliders[kind(D)]);
        });
        directions!(D in we_slide => {
            our_rays[D] = open[D].attacks::<D>(our_sliders[kind(D)]);
        });
        Self {
            boards,
            castlings,
            occupied,
            empty,
            zero,
            our_king: kings & ours,
            their_king: kings & theirs,
            our_sliders,
            their_sliders,
            we_slide,
            they_slide,
            open,
            our_rays,
            their_rays,
        }
    }

    #[inline(always)]
    pub fn limits(&self) -> Limits {
        let Boards { pawns, knights: all_knights, ours, theirs, .. } = self.boards;
        let mut danger = attacks::pawns(Color::Black, pawns & theirs)
            | attacks::knights(all_knights & theirs)
            | attacks::kings(self.their_king);
        let mut pins = [self.zero; 4];
        directions!(D in self.they_slide => {
            danger |= self.their_rays[D];
            let facing = self.open[D].attacks::<D>(self.our_king) & self.their_rays[opposite(D)];
            pins[line(D)] |= facing & ours;
        });
        let pinned = pins[0] | pins[1] | pins[2] | pins[3];
        let in_check = danger.intersects(self.our_king);
        let mut targets = !ours;
        if in_check != 0 {
            let mut between = self.zero;
            let mut view = [self.zero; 2];
            directions!(D in self.they_slide => {
                // The square behind our king is attacked through it.
                danger |= step::<D>(self.their_rays[D] & self.our_king);
                let ray = self.open[D].attacks::<D>(self.our_king);
                between |= ray & self.their_rays[opposite(D)];
                view[kind(D)] |= ray;
            });
            let checkers = (view[0] & self.their_sliders[0])
                | (view[1] & self.their_sliders[1])
                | (attacks::knights(self.our_king) & all_knights & theirs)
                | (attacks::pawns(Color::White, self.our_king) & pawns & theirs);
            let single = (checkers & (checkers - 1)).is_empty();
            let evasions = (targets & (checkers | (between & self.empty))).only(single);
            targets = targets.replaced(in_check, evasions);
        }
        Limits { danger, in_check, targets, pins, pinned }
    }
}

//! Our moves that affect their king: those that may change checks, pins or the king's own replies.
//!
//! They are all made. A cheap superset is enough, unlike in the kernel for one position, which
//! counts again only what changes.

use super::super::two_ply::rules::{KernelRule, by};
use super::boards::Boards;
use super::node::{Limits, Node8};
use super::rays::{directions, knight_moves, step};
use super::words::Words8;
use crate::attacks;
use crate::attacks::directions::{NORTH_EAST, NORTH_WEST, kind, line, opposite};
use crate::types::Color;

/// The moves of ours that affect their king, and its replies to all others.
pub(super) struct TheirKing8 {
    /// The number of replies of the king, castling included, to a null move.
    pub count: Words8,
    /// Their pinned pieces, by the line of the pin.
    pub pins: [Words8; 4],
    pub pinned: Words8,
    /// Our pieces all of whose moves are sensitive.
    pub from: Words8,
    /// Targets on which a piece of any kind is sensitive.
    pub to: Words8,
    /// The same for each kind: orthogonal and diagonal sliders, knights, pawns, the king.
    pub to_slider: [Words8; 2],
    pub to_knight: Words8,
    pub to_pawn: Words8,
    pub to_king: Words8,
}

impl Node8<'_> {
    #[inline(always)]
    pub fn their_king(&self, limits: &Limits) -> TheirKing8 {
        let Self { empty, zero, occupied, their_king, our_king, .. } = *self;
        let Boards { ours, theirs, castling, .. } = self.boards;
        let (our_pawns, our_knights) = (self.boards.pawns & ours, self.boards.knights & ours);

        // The lines of the king, to the first piece and on to the second.
        let mut pins = [zero; 4];
        let mut from = zero;
        // A king in check has few moves: all of them are made.
        let mut to = zero.with_all(!0).only(limits.in_check);
        let mut to_slider = [zero; 2];
        directions!(D in self.we_slide => {
            let first_ray = self.open[D].attacks::<D>(their_king);
            let first = first_ray & occupied;
            let second_ray = self.open[D].attacks::<D>(first);
            let facing = self.our_rays[opposite(D)];
            let is_theirs = first.intersects(theirs);
            let pinned = first & theirs & facing;
            let is_pinned = pinned.lanes();
            pins[line(D)] |= pinned;
            from |= by(KernelRule::Discoverer, first & ours & facing);
            from |= by(KernelRule::Pinner, (second_ray & ours).only(is_pinned));
            to |= by(KernelRule::PinLine, (first_ray | second_ray).only(is_pinned));
            // One piece of each side, in either order: ours leaving makes a pin.
            let second = second_ray & occupied & facing;
            let pinner = first.only(second.intersects(theirs)).replaced(is_theirs, second & ours);
            from |= by(KernelRule::LeavesPin, pinner);
            to_slider[kind(D)] |= by(KernelRule::Check, first_ray)
                | by(KernelRule::NewPin, second_ray.only(is_theirs));
        });
        let pinned = pins[0] | pins[1] | pins[2] | pins[3];

        // The squares that we attack, and those that we attack at least twice.
        let (mut once, mut twice) = (zero, zero);
        let mut add = |attacked: Words8| {
            twice |= once & attacked;
            once |= attacked;
        };
        directions!(D in self.we_slide => { add(self.our_rays[D]); });
        add(step::<NORTH_EAST>(our_pawns));
        add(step::<NORTH_WEST>(our_pawns));
        add(attacks::kings(our_king));
        for attacked in knight_moves(our_knights) {
            add(attacked);
        }

        // The squares whose attack matters to the king: those next to it without a piece of its
        // own, and those that it crosses in castling.
        let ring = attacks::kings(their_king);
        let steps = ring & !theirs;
        let mut zone = steps;
        to |= by(KernelRule::Ring, ring);
        let mut count = (steps & !once).len();
        for side in self.castlings.theirs {
            if (castling & side.rook).any() {
                let blocked = (!castling & side.rook) | (pinned & side.rook) | (theirs & side.path);
                let live = blocked.is_empty();
                zone |= by(KernelRule::CastlingZone, zero.with_all(side.safe).only(live));
                to |= by(KernelRule::CastlingTo, zero.with_all(side.path | side.rook).only(live));
                from |= by(KernelRule::CastlingFrom, (ours & side.path).only(live));
                let obstacles = (ours & side.path) | (once & side.safe);
                count += zero.with_all(1).only(live & obstacles.is_empty());
            }
        }
        let (safe, held) = (zone & !once, zone & once);
        // A safe square becomes attacked: by a piece that moves to attack it, or by a slider that
        // another piece blocked.
        directions!(D in self.we_slide => {
            let ray = self.open[D].attacks::<D>(safe);
            to_slider[kind(D)] |= by(KernelRule::NewAttack, ray);
            from |= by(KernelRule::OpensAttack, ray & self.our_rays[opposite(D)] & ours);
        });
        // An attacked square becomes safe: its only attacker leaves, or a piece moves in between.
        // With two attackers both must happen: one leaves and blocks the other.
        if held.any() {
            let sole = held & !twice;
            let mut attackers = (attacks::pawns(Color::Black, sole) & our_pawns)
                | (attacks::knights(sole) & our_knights)
                | (attacks::kings(sole) & our_king);
            directions!(D in self.we_slide => {
                attackers |= self.open[D].attacks::<D>(sole) & self.our_sliders[kind(D)];
                let blocks = self.open[D].attacks::<D>(held) & self.our_rays[opposite(D)] & empty;
                to |= by(KernelRule::BlocksAttack, blocks);
            });
            from |= by(KernelRule::SoleAttacker, attackers);
        }

        let check = |squares: Words8| by(KernelRule::Check, squares);
        let attack = |squares: Words8| by(KernelRule::NewAttack, squares);
        TheirKing8 {
            count,
            pins,
            pinned,
            from,
            to,
            to_slider,
            to_knight: check(attacks::knights(their_king)) | attack(attacks::knights(safe)),
            to_pawn: check(attacks::pawns(Color::Black, their_king))
                | attack(attacks::pawns(Color::Black, safe)),
            to_king: attack(attacks::kings(safe)),
        }
    }
}

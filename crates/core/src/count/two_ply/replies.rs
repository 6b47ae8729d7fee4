//! Replies of their pieces other than the king, and the changes by one move of ours.

use super::super::target::Target;
use super::context::Context;
use super::planes::Planes;
use super::rays::{RaySets, Runs, directions_of};
use super::rules::{KernelRule, by, holds};
use super::their_king::KingLines;
use crate::attacks;
use crate::attacks::directions::{RAYS, opposite};
use crate::types::{Bitboard, Piece, Side, Square};

/// Added to every number of [`Replies::field`], so that none is negative: a capture that a pawn
/// gains is a loss of minus one, and two pawns can gain one.
pub(super) const FIELD_ZERO: i32 = 2;

/// Their replies to a null move, and the squares where a piece of ours that arrives or leaves
/// changes them.
pub(super) struct Replies<T: Target> {
    /// The number of replies to a null move, without those of the king.
    pub count: i32,
    /// Our pieces whose leaving changes that number.
    pub anchors: Bitboard,
    /// Squares on which a piece of ours that comes or goes may change that number.
    pub touched: Bitboard,
    /// On an empty square, the replies lost when a piece of ours goes there; on a piece of ours,
    /// the replies gained when it leaves, less the captures of it by pawns. All plus
    /// [`FIELD_ZERO`]. A move of a pawn to the last rank counts once.
    pub field: Planes,
    /// Our pieces whose leaving and landing may not be independent, if they move along ranks and
    /// files, and if they move along diagonals.
    pairs: [Bitboard; 2],
    /// The squares that their sliders attack along files, and along diagonals.
    pub attacked_on_files: Bitboard,
    pub attacked_diagonally: Bitboard,
    /// Our pieces whose leaving changes the promotions of their pawns.
    promotions: Bitboard,
    /// Attacks of their sliders that are not pinned.
    attacked: RaySets<T::Lanes>,
    /// The reach of those beyond each square.
    runs: Runs<T::Lanes>,
    pinned: Bitboard,
    pawns: Pawns,
}

/// Their pawns that are not pinned.
struct Pawns {
    pawns: Bitboard,
    /// Their single pushes, and their attacks to the east and to the west.
    single: Bitboard,
    attacks: [Bitboard; 2],
    /// Our pieces directly in front of one.
    stops: Bitboard,
    /// Our pieces two squares in front of one that could otherwise go there.
    double_stops: Bitboard,
}

impl<T: Target, Us: Side> Context<'_, T, Us> {
    /// Attacks of all their sliders.
    #[inline(always)]
    pub fn their_rays(&self) -> RaySets<T::Lanes> {
        let [orthogonal, diagonal] = self.sliders();
        self.open.attacks(orthogonal & self.theirs, diagonal & self.theirs)
    }

    #[inline(always)]
    pub fn replies(&self, their_rays: RaySets<T::Lanes>, lines: &KingLines) -> Replies<T> {
        let pinned = lines.pinned;
        let free = self.theirs - pinned;
        let [orthogonal, diagonal] = self.sliders();
        let attacked = if (pinned & (orthogonal | diagonal)).is_empty() {
            their_rays
        } else {
            self.open.attacks(orthogonal & free, diagonal & free)
        };
        let runs = Runs::new(&self.open, !self.theirs);
        let sliders = Planes::of_runs(&runs.within(attacked));
        let mut count = attacked.size_within(self.target, !self.theirs) as i32;
        for knight in free & self.board.pieces(Piece::Knight) {
            count += (attacks::knight(knight) - self.theirs).len() as i32;
        }

        let pawns = free & self.board.pieces(Piece::Pawn);
        let front = pawns.forward(Self::THEM);
        let single = front & self.empty;
        let third = Bitboard::rank(Self::THEM.third_rank());
        let before_double = (single & third).forward(Self::THEM);
        let double = before_double & self.empty;
        let pawn_attacks = [front.east(), front.west()];
        let last = Bitboard::rank(Self::THEM.promotion_rank());
        let captured = pawn_attacks.map(|attacked| attacked & self.ours);
        count += (single.len() + double.len() + captured[0].len() + captured[1].len()) as i32;
        if front.intersects(last) {
            let promoted = [single, captured[0], captured[1]].map(|to| (to & last).len() as i32);
            count += 3 * (promoted[0] + promoted[1] + promoted[2]);
        }
        count += lines.pinned_replies;

        // A piece of ours on the first square stops the double push too.
        let doubles = double | double.forward(Self::US);
        let stops = by(KernelRule::PushFreed, front & self.ours);
        let double_stops = by(KernelRule::DoubleFreed, before_double & self.ours);
        let frees_double = (stops & third & self.empty.forward(Self::US)) | double_stops;
        let by_pawns = Planes::of_four([
            by(KernelRule::PushStopped, single) | stops,
            by(KernelRule::DoubleStopped, doubles) | frees_double,
            !by(KernelRule::PawnTarget, pawn_attacks[0]),
            !by(KernelRule::PawnTarget, pawn_attacks[1]),
        ]);
        let sliders = if holds(KernelRule::SliderCut) { sliders } else { Planes::ZERO };
        let field = sliders.plus(by_pawns);
        let pawns = Pawns { pawns, single, attacks: pawn_attacks, stops, double_stops };
        let [on_files, on_ranks, on_diagonals] = attacked.by_line();
        let [pushes, captures] = [front | before_double, pawn_attacks[0] | pawn_attacks[1]];
        let attacked_any = on_files | on_ranks | on_diagonals;
        let touched = by(KernelRule::SliderFreed, attacked_any) | captures | pushes;
        Replies {
            count,
            anchors: touched & self.ours,
            touched,
            field,
            pairs: [on_files | on_ranks | pushes, on_diagonals | captures],
            attacked_on_files: on_files,
            attacked_diagonally: on_diagonals,
            promotions: (pushes | captures) & last & self.ours,
            attacked,
            runs,
            pinned,
            pawns,
        }
    }

    /// The number of replies of their piece on a square to squares of `within`, with the pieces
    /// of both sides on `ours` and `theirs`.
    #[inline(always)]
    pub fn replies_of(
        &self,
        square: Square,
        ours: Bitboard,
        theirs: Bitboard,
        within: Bitboard,
    ) -> i32 {
        let occupied = ours | theirs;
        let within = within - theirs;
        if self.board.pieces(Piece::Pawn).contains(square) {
            let single = square.bitboard().forward(Self::THEM) - occupied;
            let third = Bitboard::rank(Self::THEM.third_rank());
            let double = (single & third).forward(Self::THEM) - occupied;
            let captures = attacks::pawn(Self::THEM, square) & ours;
            let to = (single | double | captures) & within;
            let last = Bitboard::rank(Self::THEM.promotion_rank());
            return (to.len() + 3 * (to & last).len()) as i32;
        }
        if self.board.pieces(Piece::Knight).contains(square) {
            return (attacks::knight(square) & within).len() as i32;
        }
        (self.slider_attacks(square, occupied) & within).len() as i32
    }
}

impl<T: Target, Us: Side> Context<'_, T, Us> {
    /// The squares on which a piece of ours may change the number of replies of theirs on a square.
    #[inline(always)]
    pub fn reach_of(&self, square: Square, occupied: Bitboard) -> Bitboard {
        if self.board.pieces(Piece::Pawn).contains(square) {
            let ahead = square.bitboard().forward(Self::THEM);
            return attacks::pawn(Self::THEM, square) | ahead | ahead.forward(Self::THEM);
        }
        if self.board.pieces(Piece::Knight).contains(square) {
            return attacks::knight(square);
        }
        self.slider_attacks(square, occupied)
    }

    /// Attacks of a slider of either side.
    #[inline(always)]
    fn slider_attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [orthogonal, diagonal] = self.sliders();
        let mut attacked = Bitboard::EMPTY;
        if orthogonal.contains(square) {
            attacked |= self.target.rook(square, occupied);
        }
        if diagonal.contains(square) {
            attacked |= self.target.bishop(square, occupied);
        }
        attacked
    }
}

impl<T: Target> Replies<T> {
    /// The replies to all landings, each as often as `landings` has it, without the changes by
    /// leaving. To a landing that changes nothing there are `unchanged` replies.
    #[inline(always)]
    pub fn to_landings<Us: Side>(
        &self,
        context: &Context<'_, T, Us>,
        landings: &Planes,
        unchanged: i32,
    ) -> i32 {
        let quiet = context.empty;
        let mut sum = (unchanged + FIELD_ZERO) * landings.over(quiet);
        sum -= landings.times(&self.field, quiet);
        let [east, west] = self.pawns.attacks;
        let last = Bitboard::rank(Context::<T, Us>::THEM.promotion_rank());
        // Each of the three sets is in the field once and counts four times.
        if (self.pawns.single | east | west).intersects(last) && holds(KernelRule::Promotion) {
            let last = last & quiet;
            sum += 3
                * (landings.over(east & last) + landings.over(west & last)
                    - landings.over(self.pawns.single & last));
        }
        for to in landings.any() & context.theirs {
            sum += landings.at(to) * (unchanged + self.change_by_capture(context, to));
        }
        sum
    }

    /// The change in the number of replies by a capture on a square: the replies of the captured
    /// piece are lost, and the pieces that protect it can recapture.
    #[inline(always)]
    fn change_by_capture<Us: Side>(&self, context: &Context<'_, T, Us>, to: Square) -> i32 {
        let knights = context.board.pieces(Piece::Knight);
        let mut change = 0;
        // Replies of a pinned piece are counted with the pins.
        if holds(KernelRule::CapturedReplies) && !self.pinned.contains(to) {
            change -= context.replies_of(to, context.ours, context.theirs, Bitboard::FULL);
        }
        if holds(KernelRule::Recapture) {
            let protectors = attacks::knight(to) & knights & (context.theirs - self.pinned);
            change += (protectors.len() + self.attacked.directions_to(to).count_ones()) as i32;
            let pawns = self.pawns.attacks.map(|attacked| attacked.contains(to) as i32);
            change += (pawns[0] + pawns[1]) * weight::<Us>(to);
        }
        change
    }

    /// The change in the number of replies by an anchor that leaves, without the changes by
    /// landing: the sum over `to`.
    #[inline(always)]
    pub fn change_by_leaving<Us: Side>(
        &self,
        context: &Context<'_, T, Us>,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        let mut change = to.len() as i32 * (self.field.at(from) - FIELD_ZERO);
        let [orthogonal, diagonal] = self.pairs;
        let pairs = match piece {
            Piece::Knight => Bitboard::EMPTY,
            Piece::Bishop => diagonal,
            // No slider and no pawn attacks our king.
            Piece::Rook | Piece::King => orthogonal,
            Piece::Queen | Piece::Pawn => orthogonal | diagonal,
        };
        if (pairs | self.promotions).contains(from) {
            change += self.change_by_pairs(context, piece, from, to);
        }
        change
    }

    /// The same for a set of pawns that move to the empty squares or the captures `to`, each from
    /// its square in `from`. No slider attacks them along their way.
    #[inline(always)]
    pub fn change_by_leaving_pawns<Us: Side>(&self, from: Bitboard, to: Bitboard) -> i32 {
        let mut change = self.field.over(from) - FIELD_ZERO * from.len() as i32;
        if holds(KernelRule::CapturesItsPawn) {
            change += (to & self.pawns.pawns).len() as i32;
        }
        let pairs = (from & self.pawns.double_stops).forward(Us::COLOR);
        change - by(KernelRule::FilePair, to & pairs).len() as i32
    }

    /// Changes that are not in the field: leaving and landing that concern the same piece of theirs,
    /// and promotions, which the field has once.
    #[inline(always)]
    fn change_by_pairs<Us: Side>(
        &self,
        context: &Context<'_, T, Us>,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        let mut change = 0;
        let stops = self.pawns.stops.contains(from);
        let attackers = attacks::pawn(Us::COLOR, from) & self.pawns.pawns;
        if weight::<Us>(from) > 1 {
            change += to.len() as i32 * 3 * (stops as i32 - attackers.len() as i32);
        }
        // A knight does not move along lines.
        if piece == Piece::Knight {
            return change;
        }
        change += self.change_along_lines(piece, from, to, context.empty);
        // The capture of our piece by the pawn that it captures, and the pushes of that pawn that
        // it frees, must not be counted twice.
        if holds(KernelRule::CapturesItsPawn) {
            change += weight::<Us>(from) * (to & attackers).len() as i32;
        }
        if stops || self.pawns.double_stops.contains(from) {
            change += self.change_along_file(context, from, to);
        }
        change
    }

    /// The same for a piece that blocks pushes of a pawn.
    #[inline(always)]
    fn change_along_file<Us: Side>(
        &self,
        context: &Context<'_, T, Us>,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        let mut change = 0;
        if holds(KernelRule::CapturesItsPawn) {
            let behind = from.bitboard().forward(Us::COLOR);
            let behind = behind | (behind & context.empty).forward(Us::COLOR);
            if to.intersects(behind & self.pawns.pawns) {
                change -= self.pushes_freed(context, from);
            }
        }
        if to.intersects(by(KernelRule::FilePair, self.file_partner(context, from))) {
            change -= 1;
        }
        change
    }

    /// The number of pushes of their pawn that a piece of ours blocks.
    #[inline(always)]
    fn pushes_freed<Us: Side>(&self, context: &Context<'_, T, Us>, from: Square) -> i32 {
        let bit = from.bitboard();
        let third = Bitboard::rank(Context::<T, Us>::THEM.third_rank());
        let single = self.pawns.stops & bit;
        let double = (single & third).forward(Us::Them::COLOR) & context.empty;
        let mut pushes = double.len() + (self.pawns.double_stops & bit).len();
        if !single.is_empty() {
            pushes += weight::<Us>(from) as u32;
        }
        pushes as i32
    }

    /// The other of the two squares in front of their pawn on its home rank, if `from` is one
    /// of them and blocks the double push: a move from one to the other still blocks it.
    #[inline(always)]
    fn file_partner<Us: Side>(&self, context: &Context<'_, T, Us>, from: Square) -> Bitboard {
        let bit = from.bitboard();
        let third = Bitboard::rank(Context::<T, Us>::THEM.third_rank());
        let ahead = (bit & self.pawns.stops & third).forward(Context::<T, Us>::THEM);
        let back = (bit & self.pawns.double_stops).forward(Us::COLOR);
        (ahead | back) & context.empty
    }

    /// Leaving and landing are independent unless the piece moves along the line on which a
    /// slider attacks it. Beyond its square it blocks the slider further off, or captures a piece
    /// that the slider then protects; nearer it blocks what leaving would have opened, or captures
    /// the slider.
    #[inline(always)]
    fn change_along_lines(&self, piece: Piece, from: Square, to: Bitboard, empty: Bitboard) -> i32 {
        let bit = from.bitboard();
        let [ones, twos, fours] =
            [&self.runs.ones, &self.runs.twos, &self.runs.fours].map(|digit| digit.all());
        let mut change = 0;
        let mut directions = self.attacked.directions_to(from) & directions_of(piece);
        while directions != 0 {
            let direction = directions.trailing_zeros() as usize;
            directions &= directions - 1;
            let run = |set: Bitboard| {
                ((ones[direction] & set).len()
                    + 2 * (twos[direction] & set).len()
                    + 4 * (fours[direction] & set).len()) as i32
            };
            let farther = to & RAYS[direction][from.index()];
            if holds(KernelRule::AlongBeyond) {
                change += (farther - empty).len() as i32 - run(farther & empty);
            }
            let nearer = to & RAYS[opposite(direction)][from.index()];
            if holds(KernelRule::AlongNearer) {
                change -= nearer.len() as i32 * run(bit);
            }
        }
        change
    }
}

/// The number of moves that a pawn's step of theirs to a square counts as.
#[inline(always)]
fn weight<Us: Side>(to: Square) -> i32 {
    let promotes = to.rank() == Us::COLOR.opponent().promotion_rank();
    if promotes && holds(KernelRule::Promotion) { 4 } else { 1 }
}

//! Their replies, all but the king's, and how one move of ours changes their number.

use super::lanes::Lanes;
use super::planes::Planes;
use super::rays::{Rays, Runs, beyond};
use super::rules::{Rule, by, holds};
use super::scene::Scene;
use super::their_king::Lines;
use crate::attacks;
use crate::sliders::Sliders;
use crate::types::{Bitboard, Piece, Side, Square};

/// Contained in every number of [`Replies::field`]: a capture that a pawn gains is a loss of
/// minus one, and two pawns can gain one.
const FIELD_ZERO: i32 = 2;

/// What they could answer if we passed the move, and where our coming and going matters.
pub(super) struct Replies<L> {
    /// The number of their replies after a null move, the king's left out.
    pub count: i32,
    /// Our men whose leaving changes that number.
    pub anchors: Bitboard,
    /// Squares where a man of ours coming or going may change that number.
    pub touched: Bitboard,
    /// For an empty square, how many replies are lost when a man of ours goes there; for a
    /// man of ours, how many replies sliders win when it leaves, less what pawns lose. All
    /// plus [`FIELD_ZERO`].
    field: Planes,
    /// What their sliders that are not pinned see.
    seen: Rays<L>,
    /// The same for all directions together.
    seen_any: Bitboard,
    /// How far those go beyond each square.
    runs: Runs<L>,
    pinned: Bitboard,
    pawns: Pawns,
}

/// Their pawns that are not pinned.
struct Pawns {
    men: Bitboard,
    /// Where they may step, and what they attack to the east and to the west.
    single: Bitboard,
    attacks: [Bitboard; 2],
    /// Our men directly in front of one.
    stops: Bitboard,
    /// Our men two squares in front of one that could otherwise go there.
    double_stops: Bitboard,
}

impl<S: Sliders, L: Lanes, Us: Side> Scene<'_, S, L, Us> {
    /// Their sliders' view with all of them taking part.
    #[inline(always)]
    pub fn their_view(&self) -> Rays<L> {
        let [orthogonal, diagonal] = self.sliders();
        self.open.see(orthogonal & self.theirs, diagonal & self.theirs)
    }

    #[inline(always)]
    pub fn replies(&self, their_view: Rays<L>, lines: &Lines) -> Replies<L> {
        let pinned = lines.pinned;
        let free = self.theirs - pinned;
        let [orthogonal, diagonal] = self.sliders();
        let seen = if (pinned & (orthogonal | diagonal)).is_empty() {
            their_view
        } else {
            self.open.see(orthogonal & free, diagonal & free)
        };
        let runs = Runs::new(&self.open, !self.theirs);
        let sliders = Planes::of_runs(&runs.within(seen));
        let mut count = 0;
        for ray in seen.all() {
            count += (ray - self.theirs).len() as i32;
        }
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
        let taken = pawn_attacks.map(|attacked| attacked & self.ours);
        count += (single.len() + double.len() + taken[0].len() + taken[1].len()) as i32;
        if front.meets(last) {
            let promoted = [single, taken[0], taken[1]].map(|to| (to & last).len() as i32);
            count += 3 * (promoted[0] + promoted[1] + promoted[2]);
        }
        count += lines.pinned_replies;

        // A man of ours on the first square takes the double push too.
        let doubles = double | double.forward(Self::US);
        let by_pawns = Planes::of_four([
            by(Rule::PushStopped, single),
            by(Rule::DoubleStopped, doubles),
            !by(Rule::PawnTarget, pawn_attacks[0]),
            !by(Rule::PawnTarget, pawn_attacks[1]),
        ]);
        let sliders = if holds(Rule::SliderCut) { sliders } else { Planes::ZERO };
        let field = sliders.plus(by_pawns);
        let pawns = Pawns {
            men: pawns,
            single,
            attacks: pawn_attacks,
            stops: by(Rule::PushFreed, front & self.ours),
            double_stops: by(Rule::DoubleFreed, before_double & self.ours),
        };
        let seen_any = seen.union();
        let touched = by(Rule::SliderFreed, seen_any)
            | pawn_attacks[0]
            | pawn_attacks[1]
            | front
            | before_double;
        Replies {
            count,
            anchors: touched & self.ours,
            touched,
            field,
            seen,
            seen_any,
            runs,
            pinned,
            pawns,
        }
    }

    /// How many replies their man on a square has to squares of `within`, with the men where
    /// `ours` and `theirs` say.
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
            let takes = attacks::pawn(Self::THEM, square) & ours;
            let to = (single | double | takes) & within;
            let last = Bitboard::rank(Self::THEM.promotion_rank());
            return (to.len() + 3 * (to & last).len()) as i32;
        }
        if self.board.pieces(Piece::Knight).contains(square) {
            return (attacks::knight(square) & within).len() as i32;
        }
        let [orthogonal, diagonal] = self.sliders();
        let mut to = Bitboard::EMPTY;
        if orthogonal.contains(square) {
            to |= S::rook(square, occupied);
        }
        if diagonal.contains(square) {
            to |= S::bishop(square, occupied);
        }
        (to & within).len() as i32
    }
}

impl<L: Lanes> Replies<L> {
    /// The replies to all landings, each as often as `landings` says, of men that come from
    /// nowhere; to one that changes nothing there are `unchanged` replies.
    #[inline(always)]
    pub fn to_landings<S: Sliders, Us: Side>(
        &self,
        scene: &Scene<'_, S, L, Us>,
        landings: &Planes,
        unchanged: i32,
    ) -> i32 {
        let quiet = scene.empty;
        let mut sum = (unchanged + FIELD_ZERO) * landings.over(quiet);
        sum -= landings.times(&self.field, quiet);
        let [east, west] = self.pawns.attacks;
        let last = Bitboard::rank(Scene::<S, L, Us>::THEM.promotion_rank());
        // Each of the three sets is in the field once and counts four times.
        if (self.pawns.single | east | west).meets(last) && holds(Rule::Promotion) {
            let last = last & quiet;
            sum += 3
                * (landings.over(east & last) + landings.over(west & last)
                    - landings.over(self.pawns.single & last));
        }
        for to in landings.any() & scene.theirs {
            sum += landings.at(to) * (unchanged + self.change_by_capture(scene, to));
        }
        sum
    }

    /// By how much taking on a square changes the number of replies: the taken man's go, and
    /// the men that protect it take back.
    #[inline(always)]
    fn change_by_capture<S: Sliders, Us: Side>(
        &self,
        scene: &Scene<'_, S, L, Us>,
        to: Square,
    ) -> i32 {
        let [orthogonal, diagonal] = scene.sliders();
        let knights = scene.board.pieces(Piece::Knight);
        let rook_view = S::rook(to, scene.occupied);
        let bishop_view = S::bishop(to, scene.occupied);
        let knight_view = attacks::knight(to);
        let mut change = 0;
        if holds(Rule::TakenReplies) {
            if self.pawns.men.contains(to) {
                change -= scene.replies_of(to, scene.ours, scene.theirs, Bitboard::FULL);
            } else if !self.pinned.contains(to) {
                // A pinned man's replies are counted with the pins.
                let reach = rook_view.only_if(orthogonal.contains(to))
                    | bishop_view.only_if(diagonal.contains(to))
                    | knight_view.only_if(knights.contains(to));
                change -= (reach - scene.theirs).len() as i32;
            }
        }
        if holds(Rule::Recapture) {
            let men = (knight_view & knights) | (rook_view & orthogonal) | (bishop_view & diagonal);
            change += (men & (scene.theirs - self.pinned)).len() as i32;
            let pawns = self.pawns.attacks.map(|attacked| attacked.contains(to) as i32);
            change += (pawns[0] + pawns[1]) * weight::<Us>(to);
        }
        change
    }

    /// By how much moves of an anchor change the number of replies besides their landings:
    /// the sum over `to`.
    #[inline(always)]
    pub fn change_by_leaving<S: Sliders, Us: Side>(
        &self,
        scene: &Scene<'_, S, L, Us>,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        let pushes = self.pushes_freed(scene, from);
        let mut change = to.len() as i32 * (self.field.at(from) - FIELD_ZERO + pushes);
        let attackers = attacks::pawn(Us::COLOR, from) & self.pawns.men;
        if weight::<Us>(from) > 1 {
            // The field has each capture once.
            change -= to.len() as i32 * 3 * attackers.len() as i32;
        }
        // A knight does not move along lines.
        if piece == Piece::Knight {
            return change;
        }
        if self.seen_any.contains(from) {
            change += self.change_along_lines(from, to, scene.empty);
        }
        // A taken pawn's capture of the man that takes it, and its pushes freed by that, are
        // not to be counted twice.
        if holds(Rule::TakesItsPawn) {
            change += weight::<Us>(from) * (to & attackers).len() as i32;
            if pushes > 0 {
                let behind = from.bitboard().forward(Us::COLOR);
                let behind = behind | (behind & scene.empty).forward(Us::COLOR);
                change -= pushes * (to & behind & self.pawns.men).len() as i32;
            }
        }
        if pushes > 0 && to.meets(by(Rule::FilePair, self.file_partner(scene, from))) {
            change -= 1;
        }
        change
    }

    /// How many pushes of their pawns a man of ours keeps them from.
    #[inline(always)]
    fn pushes_freed<S: Sliders, Us: Side>(&self, scene: &Scene<'_, S, L, Us>, from: Square) -> i32 {
        let bit = from.bitboard();
        let third = Bitboard::rank(Scene::<S, L, Us>::THEM.third_rank());
        let single = self.pawns.stops & bit;
        let double = (single & third).forward(Us::Them::COLOR) & scene.empty;
        let mut pushes = double.len() + (self.pawns.double_stops & bit).len();
        if !single.is_empty() {
            pushes += weight::<Us>(from) as u32;
        }
        pushes as i32
    }

    /// The other of the two squares in front of their pawn on its home rank, if `from` is one
    /// of them and keeps the pawn from a double push: going from one to the other frees
    /// nothing, and stops what is left.
    #[inline(always)]
    fn file_partner<S: Sliders, Us: Side>(
        &self,
        scene: &Scene<'_, S, L, Us>,
        from: Square,
    ) -> Bitboard {
        let bit = from.bitboard();
        let third = Bitboard::rank(Scene::<S, L, Us>::THEM.third_rank());
        let ahead = (bit & self.pawns.stops & third).forward(Scene::<S, L, Us>::THEM);
        let back = (bit & self.pawns.double_stops).forward(Us::COLOR);
        (ahead | back) & scene.empty
    }

    /// A man's leaving and landing are independent unless it moves along the line on which a
    /// slider sees it. Beyond its square it stops the slider further off, or takes a man
    /// that the slider then protects; nearer it stops what leaving would have freed, or takes
    /// the slider.
    #[inline(always)]
    fn change_along_lines(&self, from: Square, to: Bitboard, empty: Bitboard) -> i32 {
        let bit = from.bitboard();
        let [ones, twos, fours] =
            [&self.runs.ones, &self.runs.twos, &self.runs.fours].map(|digit| digit.all());
        let mut change = 0;
        let mut directions = self.seen.seeing(from);
        while directions != 0 {
            let direction = directions.trailing_zeros() as usize;
            directions &= directions - 1;
            let run = |set: Bitboard| {
                ((ones[direction] & set).len()
                    + 2 * (twos[direction] & set).len()
                    + 4 * (fours[direction] & set).len()) as i32
            };
            let farther = to & beyond(direction, from);
            if holds(Rule::AlongBeyond) {
                change += (farther - empty).len() as i32 - run(farther & empty);
            }
            let nearer = to & beyond((direction + 4) % 8, from);
            if holds(Rule::AlongNearer) {
                change -= nearer.len() as i32 * run(bit);
            }
        }
        change
    }
}

/// How often a pawn's move of theirs to a square counts.
#[inline(always)]
fn weight<Us: Side>(to: Square) -> i32 {
    let promotes = to.rank() == Us::COLOR.opponent().promotion_rank();
    if promotes && holds(Rule::Promotion) { 4 } else { 1 }
}

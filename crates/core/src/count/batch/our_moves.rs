//! Our moves: those to be made, and the sum of the replies to all others.
//!
//! Moves are summed in families, a family being the moves of one kind in one direction, so that
//! the square of arrival says which piece moved.

use super::super::two_ply::rules::{KernelRule, by, holds};
use super::boards::Boards;
use super::digits::{self, add};
use super::exceptions::{Exceptions, Family};
use super::node::{Limits, Node8};
use super::rays::{directions, knight_moves, step};
use super::their_king::TheirKing8;
use super::their_pieces::Replies8;
use super::words::Words8;
use crate::attacks;
use crate::attacks::directions::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST, kind, line, opposite,
};
use crate::types::{Bitboard, Rank};

/// The rank that our single pushes reach from the home rank.
const THIRD: u64 = Bitboard::rank(Rank::Third).0;
/// The rank on which our pawns promote.
const LAST: u64 = Bitboard::rank(Rank::Eighth).0;
/// Ranks on which their king is next to our back rank or to the rank in front of it.
const NEAR: u64 = LAST >> 56 | LAST >> 48 | LAST >> 40;

/// Our moves that are not made.
struct Neutral {
    sliders: [Words8; 8],
    knights: [Words8; 8],
    /// The targets of knights that are not sensitive where they are.
    knight_targets: Words8,
    king: Words8,
    pawns: PawnMoves,
}

/// Targets of pawns by the kind of move.
#[derive(Clone, Copy)]
struct PawnMoves {
    push: Words8,
    double: Words8,
    east: Words8,
    west: Words8,
}

/// Our pieces by what they may do: sliders by line, knights, and pawns by the kind of move.
struct Movers {
    sliders: [Words8; 4],
    knights: Words8,
    king: Words8,
    push: Words8,
    east: Words8,
    west: Words8,
}

impl Movers {
    #[inline(always)]
    fn new(node: &Node8<'_>, limits: &Limits) -> Self {
        let Limits { pins, pinned, .. } = *limits;
        let ours = only_movers(node.boards.ours);
        let along = |line: usize| ours & !(pinned ^ pins[line]);
        let pawns = node.boards.pawns;
        let [orthogonal, diagonal] = node.our_sliders;
        Self {
            sliders: [
                orthogonal & along(0),
                orthogonal & along(1),
                diagonal & along(2),
                diagonal & along(3),
            ],
            knights: node.boards.knights & ours & !pinned,
            king: node.our_king & ours,
            push: pawns & along(line(NORTH)),
            east: pawns & along(line(NORTH_EAST)),
            west: pawns & along(line(NORTH_WEST)),
        }
    }
}

impl Node8<'_> {
    /// The sum of the replies to all our moves that need not be made; the others go to
    /// `exceptions`. The sum is not negative: each move adds the number of its replies.
    #[inline(always)]
    pub fn sum(
        &self,
        limits: &Limits,
        their_king: &TheirKing8,
        replies: &Replies8,
        exceptions: &mut Exceptions,
    ) -> Words8 {
        let movers = Movers::new(self, limits);
        let neutral = self.split(limits, their_king, replies, &movers, exceptions);
        let unchanged = replies.count + their_king.count;
        let changes = self.along_lines(replies, &movers, &neutral)
            + self.pawn_pairs(replies, &movers, &neutral)
            + self.leavings(their_king, replies, &movers, &neutral)
            + self.castling(limits, their_king, replies, unchanged, exceptions);
        let (moves, landings) = landings(replies, &neutral);
        moves.times(unchanged) + changes + landings
    }

    /// Splits our moves, without castling and en passant, into those to be made and the others.
    #[inline(always)]
    fn split(
        &self,
        limits: &Limits,
        their_king: &TheirKing8,
        replies: &Replies8,
        movers: &Movers,
        exceptions: &mut Exceptions,
    ) -> Neutral {
        let Self { zero, empty, .. } = *self;
        let Boards { ours, theirs, .. } = self.boards;
        let targets = only_targets(limits.targets);
        let from = their_king.from | replies.promotion_from;
        let to = their_king.to | replies.promotion_to;
        let their_pawns = by(KernelRule::CapturesItsPawn, replies.pawns.pawns);

        let [to_rook, to_bishop] = their_king.to_slider.map(|squares| squares | to);
        let to_queen = to_rook | to_bishop;
        let queens = self.our_sliders[0] & self.our_sliders[1];
        let is_limited = (ours & !only_movers(ours) | limits.pinned)
            .intersects(self.our_sliders[0] | self.our_sliders[1]);
        let mut reach = self.our_rays;
        if is_limited != 0 {
            directions!(D in self.we_slide => {
                reach[D] = self.open[D].attacks::<D>(movers.sliders[line(D)]);
            });
        }
        let [mut by_queens, mut by_sensitive] = [[zero; 8]; 2];
        if queens.any() {
            directions!(D in self.we_slide => {
                by_queens[D] = self.open[D].attacks::<D>(movers.sliders[line(D)] & queens);
            });
        }
        if ((self.our_sliders[0] | self.our_sliders[1]) & from).any() {
            directions!(D in self.we_slide => {
                by_sensitive[D] = self.open[D].attacks::<D>(movers.sliders[line(D)] & from);
            });
        }
        let mut sliders = [zero; 8];
        directions!(D in self.we_slide => {
            let all = reach[D] & targets;
            let mut made = if kind(D) == 0 { to_rook } else { to_bishop };
            made |= (by_queens[D] & to_queen) | by_sensitive[D];
            if D == NORTH {
                // A slider that captures the pawn that it blocks.
                made |= their_pawns;
            }
            exceptions.set(Family::slider(D), all & made);
            sliders[D] = all & !made;
        });

        let mut knights = [zero; 8];
        let made = their_king.to_knight | to;
        let knight_targets = targets & !made;
        if movers.knights.any() {
            let all = knight_moves(movers.knights);
            let mut by_sensitive = [zero; 8];
            if (movers.knights & from).any() {
                by_sensitive = knight_moves(movers.knights & from);
            }
            for (hop, (all, by_sensitive)) in all.into_iter().zip(by_sensitive).enumerate() {
                let (all, made) = (all & targets, made | by_sensitive);
                exceptions.set(Family::knight(hop), all & made);
                knights[hop] = all & !made;
            }
        }

        // The king is not limited by checks, only by attacks.
        let steps = only_targets((attacks::kings(movers.king) & !ours) & !limits.danger);
        let mut made = their_king.to_king | to | (their_pawns & movers.king.shl::<8>());
        made |= made.with_all(!0).only(movers.king.intersects(from));
        exceptions.set(Family::KING, steps & made);
        let king = steps & !made;

        let push = movers.push.shl::<8>() & empty;
        let double = (push & THIRD).shl::<8>() & empty & targets;
        let push = push & targets;
        let east = step::<NORTH_EAST>(movers.east) & theirs & targets;
        let west = step::<NORTH_WEST>(movers.west) & theirs & targets;
        let to = their_king.to_pawn | to;
        let pawns = self.boards.pawns & theirs;
        let beside = by(KernelRule::EnPassant, step::<EAST>(pawns) | step::<WEST>(pawns));
        let made = PawnMoves {
            push: push & !LAST & (to | from.shl::<8>()),
            double: double & (to | from.shl::<16>()),
            east: east & !LAST & (to | step::<NORTH_EAST>(from)),
            west: west & !LAST & (to | step::<NORTH_WEST>(from)),
        };
        exceptions.set(Family::PUSH, made.push);
        exceptions.set(Family::DOUBLE_PUSH, made.double);
        exceptions.set(Family::EN_PASSANT, double & beside);
        exceptions.set(Family::EAST_CAPTURE, made.east);
        exceptions.set(Family::WEST_CAPTURE, made.west);
        if ((push | east | west) & LAST).any() {
            exceptions.set(Family::PROMOTION, push & LAST);
            exceptions.set(Family::EAST_PROMOTION, east & LAST);
            exceptions.set(Family::WEST_PROMOTION, west & LAST);
        }
        let pawns = PawnMoves {
            push: push & !made.push & !LAST,
            double: double & !made.double,
            east: east & !made.east & !LAST,
            west: west & !made.west & !LAST,
        };
        Neutral { sliders, knights, knight_targets, king, pawns }
    }

    /// Leaving and landing are independent unless the piece moves along the line on which a slider
    /// attacks it. Beyond its square it blocks the slider further off, or captures a piece that
    /// the slider then protects; nearer it blocks what leaving would have opened.
    #[inline(always)]
    fn along_lines(&self, replies: &Replies8, movers: &Movers, neutral: &Neutral) -> Words8 {
        let Self { empty, .. } = *self;
        let theirs = self.boards.theirs;
        let Replies8 { attacked, runs, .. } = replies;
        let mut change = self.zero;
        let both = |kind: usize| self.we_slide[kind] & self.they_slide[kind];
        directions!(D in [both(0), both(1)] => {
            let from = movers.sliders[line(D)];
            let (away, towards) = (from & attacked[D], from & attacked[opposite(D)]);
            if away.any() && holds(KernelRule::AlongBeyond) {
                let to = self.open[D].attacks::<D>(away) & neutral.sliders[D];
                change += (to & theirs).len();
                change -= digits::weighted(runs[D].map(|digit| (to & empty & digit).len()));
            }
            if towards.any() && holds(KernelRule::AlongNearer) {
                change -= digits::weighted(runs[opposite(D)].map(|digit| {
                    (self.open[D].attacks::<D>(towards & digit) & neutral.sliders[D]).len()
                }));
            }
        });

        let PawnMoves { push, double, east, west } = neutral.pawns;
        let along = (movers.push & (attacked[NORTH] | attacked[SOUTH]))
            | (movers.east & (attacked[NORTH_EAST] | attacked[SOUTH_WEST]))
            | (movers.west & (attacked[NORTH_WEST] | attacked[SOUTH_EAST]));
        if along.any() {
            if holds(KernelRule::AlongBeyond) {
                let one = (movers.push & attacked[NORTH]).shl::<8>();
                let (to_one, to_two) = (one & push, one.shl::<8>() & double);
                change -= digits::weighted(
                    runs[NORTH].map(|digit| (to_one & digit).len() + (to_two & digit).len()),
                );
                change += (step::<NORTH_EAST>(movers.east & attacked[NORTH_EAST]) & east).len()
                    + (step::<NORTH_WEST>(movers.west & attacked[NORTH_WEST]) & west).len();
            }
            if holds(KernelRule::AlongNearer) {
                let from = movers.push & attacked[SOUTH];
                let from_east = movers.east & attacked[SOUTH_WEST];
                let from_west = movers.west & attacked[SOUTH_EAST];
                change -= digits::weighted(std::array::from_fn::<_, 3, _>(|digit| {
                    let from = (from & runs[SOUTH][digit]).shl::<8>();
                    let from_east = from_east & runs[SOUTH_WEST][digit];
                    let from_west = from_west & runs[SOUTH_EAST][digit];
                    (from & push).len()
                        + (from.shl::<8>() & double).len()
                        + (step::<NORTH_EAST>(from_east) & east).len()
                        + (step::<NORTH_WEST>(from_west) & west).len()
                }));
            }
        }
        change
    }

    /// Leaving and landing that concern the same pawn of theirs: a capture of the pawn that attacks
    /// the piece, and a move between the two squares in front of a pawn on its home rank.
    #[inline(always)]
    fn pawn_pairs(&self, replies: &Replies8, movers: &Movers, neutral: &Neutral) -> Words8 {
        let (pawns, first, second) =
            (replies.pawns.pawns, replies.pawns.first, replies.pawns.second);
        let Neutral { sliders, king, pawns: ours, .. } = *neutral;
        let mut change = self.zero;
        if holds(KernelRule::CapturesItsPawn) {
            let [_, _, diagonal, anti] = movers.sliders;
            change += ((step::<NORTH_EAST>(diagonal) & sliders[NORTH_EAST]) & pawns).len()
                + ((step::<NORTH_WEST>(anti) & sliders[NORTH_WEST]) & pawns).len()
                + (ours.east & pawns).len()
                + (ours.west & pawns).len();
        }
        if holds(KernelRule::FilePair) {
            let up = (movers.sliders[0] & second).shl::<8>() & sliders[NORTH] & first;
            let down = (movers.sliders[0] & first).shr::<8>() & sliders[SOUTH] & second;
            let king_up = (movers.king & second).shl::<8>() & king & first;
            let king_down = (movers.king & first).shr::<8>() & king & second;
            let pairs = (up & self.empty).len()
                + (down & self.empty).len()
                + ((king_up | king_down) & self.empty).len()
                + (ours.push & first).len();
            change -= pairs;
        }
        change
    }

    /// The number of neutral moves of sliders and pawns from a set of squares.
    #[inline(always)]
    fn moves_from(&self, squares: Words8, movers: &Movers, neutral: &Neutral) -> Words8 {
        let mut moves = self.zero;
        let [a, b, c, d] = movers.sliders;
        if (squares & (a | b | c | d)).any() {
            directions!(D in self.we_slide => {
                let from = movers.sliders[line(D)] & squares;
                moves += (self.open[D].attacks::<D>(from) & neutral.sliders[D]).len();
            });
        }
        if (squares & (movers.push | movers.east | movers.west)).any() {
            let one = (movers.push & squares).shl::<8>();
            moves += (one & neutral.pawns.push).len()
                + (one.shl::<8>() & neutral.pawns.double).len()
                + (step::<NORTH_EAST>(movers.east & squares) & neutral.pawns.east).len()
                + (step::<NORTH_WEST>(movers.west & squares) & neutral.pawns.west).len();
        }
        moves
    }

    /// The changes by leaving, without those by landing.
    #[inline(always)]
    fn leavings(
        &self,
        their_king: &TheirKing8,
        replies: &Replies8,
        movers: &Movers,
        neutral: &Neutral,
    ) -> Words8 {
        let Replies8 { blocked, captures, .. } = replies;
        let mut moves = [self.zero; 5];
        for (moves, &squares) in moves.iter_mut().zip(blocked) {
            *moves = self.moves_from(squares, movers, neutral);
        }
        let mut change = digits::weighted(moves);
        // At most two pawns capture our piece.
        let one = self.moves_from(captures[0], movers, neutral);
        let two = self.moves_from(captures[1], movers, neutral);
        change -= one + two + two;

        // No slider attacks our king: only pushes of pawns are freed, two at most.
        let steps = neutral.king.len();
        change += steps.only(movers.king.intersects(blocked[0]))
            + (steps + steps).only(movers.king.intersects(blocked[1]));

        let knights = movers.knights & !their_king.from & !replies.promotion_from;
        let any = blocked.iter().fold(captures[0] | captures[1], |a, &b| a | b);
        if (knights & any).any() {
            // The number of neutral moves of each knight.
            let origins = knight_moves(neutral.knight_targets);
            let moves = digits::count8(origins.map(|from| from & knights));
            change += product(moves, *blocked) - product(moves, [captures[0], captures[1]]);
        }
        change
    }

    /// Our castling. It mostly changes nothing; else it is made.
    ///
    /// No reply changes by leaving or landing but promotions: nothing is behind the back rank, and a
    /// slider on it that reaches one of the four squares gives check or pins the rook, because all
    /// squares between them are empty.
    #[inline(always)]
    fn castling(
        &self,
        limits: &Limits,
        their_king: &TheirKing8,
        replies: &Replies8,
        unchanged: Words8,
        exceptions: &mut Exceptions,
    ) -> Words8 {
        let Boards { castling, ours, .. } = self.boards;
        let mut sum = self.zero;
        for (side, family) in self.castlings.ours.iter().zip(Family::CASTLINGS) {
            if !(castling & side.rook).any() {
                continue;
            }
            let obstacles = (!castling & side.rook)
                | (limits.pinned & side.rook)
                | (self.occupied & side.path)
                | (limits.danger & (self.our_king | side.safe))
                | (only_targets(ours) ^ ours) & side.rook
                | (only_movers(ours) ^ ours) & self.our_king;
            let left = self.our_king | side.rook;
            let sensitive = ((their_king.from | replies.promotion_from) & left)
                | ((their_king.to | replies.promotion_to) & (side.king_to | side.rook_to))
                | (their_king.to_king & side.king_to)
                | (their_king.to_slider[0] & side.rook_to);
            // Near their king, king and rook may leave one line to it at once, or stop attacking
            // one square of the second rank together.
            let affected = by(KernelRule::CastlingSensitive, sensitive)
                | by(KernelRule::CastlingNear, self.their_king & NEAR);
            let (possible, neutral) = (obstacles.is_empty(), affected.is_empty());
            sum += unchanged.only(possible & neutral);
            exceptions.set(family, self.zero.with_all(side.king_to).only(possible & !neutral));
        }
        sum
    }
}

/// The number of neutral moves, and the changes by their landings.
#[inline(always)]
fn landings(replies: &Replies8, neutral: &Neutral) -> (Words8, Words8) {
    let Replies8 { blocked, captures, .. } = replies;
    let Neutral { sliders, knights, king, pawns, .. } = neutral;
    let mut sets = [*king; 21];
    sets[..8].copy_from_slice(sliders);
    sets[8..16].copy_from_slice(knights);
    sets[17..].copy_from_slice(&[pawns.push, pawns.double, pawns.east, pawns.west]);
    // At most 16 moves end on a square: one from each direction, and eight of knights.
    let (ones, carries): (_, [_; 10]) = add(sets);
    let (twos, carries): (_, [_; 5]) = add(carries);
    let (fours, carries): (_, [_; 2]) = add(carries);
    let (eights, [sixteens]) = add(carries);
    let moves = digits::weighted([ones, twos, fours, eights, sixteens].map(Words8::len));

    let low = [ones, twos, fours];
    let [captures_low @ .., c8, c16] = *captures;
    let [blocked_low @ .., b16] = *blocked;
    let mut change = product(low, captures_low) - product(low, blocked_low);
    if (eights | sixteens | b16 | c8 | c16).any() {
        let high = [eights, sixteens];
        let by_eight = product(high, *captures) - product(high, *blocked) + product(low, [c8, c16]);
        change += by_eight.shl::<3>() - product(low, [b16]).shl::<4>();
    }
    (moves, change)
}

/// The sum, over all squares, of the products of two numbers in binary.
#[inline(always)]
fn product<const A: usize, const B: usize>(a: [Words8; A], b: [Words8; B]) -> Words8 {
    let mut digits = [a[0].zero(); 9];
    for i in 0..A {
        for j in 0..B {
            digits[i + j] += (a[i] & b[j]).len();
        }
    }
    digits::weighted(digits)
}

/// Tests count the moves of one piece alone.
#[inline(always)]
fn only_movers(ours: Words8) -> Words8 {
    #[cfg(test)]
    if let Some([from, _]) = super::tests::ONLY.get() {
        return ours & ours.like(&from);
    }
    ours
}

/// Tests count the moves to one square alone; for castling, that of the rook.
#[inline(always)]
fn only_targets(targets: Words8) -> Words8 {
    #[cfg(test)]
    if let Some([_, to]) = super::tests::ONLY.get() {
        return targets & targets.like(&to);
    }
    targets
}

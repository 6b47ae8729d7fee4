//! Magics with short tables.
//!
//! A magic may use fewer slots than its table has: a wider index of which only a part is ever
//! reached. Such magics are too rare to draw, but they have neighbors that are nearly as good, so
//! they can be climbed to: change a few bits, keep the magic if it is not worse.
//!
//! A table need not be short to take little room in an array of many tables. If it uses, say, six
//! neighbors of every sixteen slots, other tables can have the other ten. [`candidates`] climbs to
//! such tables, by their [area](Keys::area).

use std::collections::BTreeMap;

use super::pack::Candidate;
use super::{Found, Keys, MagicTarget, Method, find};
use perft_core::random::Rng;
use perft_core::types::{Bitboard, Square};

/// The number of steps without improvement after which a climb ends.
const PATIENCE: u64 = 30_000;

/// Searches for a magic whose span is short, with a fixed number of tries, from the target's stream
/// of `seed`. If that finds none, any magic of the target's width is the result. When `go_on`,
/// called now and then, returns `false`, the search ends early with the best so far, if there is
/// one.
///
/// # Panics
/// If there is no index bit, or not less than [`MagicTarget::MAX_INDEX_BITS`].
pub fn squeeze(
    target: &MagicTarget,
    seed: u64,
    tries: u64,
    go_on: impl Fn() -> bool,
) -> Option<Found> {
    let mut climber = Climber::new(target, Goal::Span, seed, tries, &go_on);
    let width = target.index_bits;
    let full = 1_u32 << width;
    let mut best: Option<Point> = None;
    while climber.tries < climber.max_tries {
        let start = match best {
            Some(best) if climber.rng.below(3) == 0 => climber.shaken(&best, full),
            // Short magics are not neighbors of long ones: a start must be a little short itself.
            Some(_) => climber.drawn(width, true, full - full / 16),
            None => climber.drawn(width, false, full),
        };
        let Some(start) = start else { continue };
        let reached = climber.climb(start, |_| ());
        if best.is_none_or(|best| reached.cost < best.cost) {
            best = Some(reached);
        }
    }
    best.map(|best| best.found).or_else(|| find(target, Method::Random, seed, &go_on))
}

/// The number of magics that [`candidates`] returns at most for each width.
const KEPT: usize = 64;

/// Searches for magics whose tables have a small area, from the target's stream of `seed` and from
/// `known` magics of the square. The index is as wide as the target's, then a bit wider; each gets
/// half of the tries. Those found have different tables. When `go_on`, called now and then, returns
/// `false`, the search ends early.
///
/// # Panics
/// If there is no index bit, or not less than [`MagicTarget::MAX_INDEX_BITS`].
pub fn candidates(
    target: &MagicTarget,
    known: &[Candidate],
    seed: u64,
    tries: u64,
    go_on: impl Fn() -> bool,
) -> Vec<Candidate> {
    let full = 1_u32 << target.index_bits;
    let mut known = known.to_vec();
    let mut climber = Climber::new(target, Goal::Area, seed, 0, &go_on);
    for index_bits in [target.index_bits, target.index_bits + 1] {
        climber.max_tries = climber.tries + tries / 2;
        let mut kept: BTreeMap<Vec<u32>, Point> = BTreeMap::new();
        let mut best: Option<Point> = None;
        while climber.tries < climber.max_tries {
            let start = match best {
                _ if !known.is_empty() && climber.rng.below(2) == 0 => {
                    let magic = known[climber.rng.below(known.len())].magic;
                    climber.attempt(magic, index_bits, full)
                }
                Some(best) if climber.rng.below(3) == 0 => climber.shaken(&best, full),
                _ => climber.drawn(index_bits, false, full),
            };
            let Some(start) = start else { continue };
            let mut points = vec![start];
            let reached = climber.climb(start, |point| points.push(point));
            if best.is_none_or(|best| reached.cost < best.cost) {
                best = Some(reached);
            }
            let enough = best.map_or(0, |best| best.cost + best.cost / 32);
            for point in points.into_iter().filter(|point| point.cost <= enough) {
                let mut slots = climber.keys.indices(point.found.magic, index_bits);
                let lowest = slots[0];
                slots.iter_mut().for_each(|slot| *slot -= lowest);
                kept.entry(slots).or_insert(point);
            }
            if kept.len() > 4 * KEPT {
                kept = best_of(kept);
            }
        }
        let kept = best_of(kept).into_values();
        known.extend(kept.map(|Point { found: Found { magic, index_bits, .. }, .. }| Candidate {
            magic,
            index_bits,
        }));
    }
    known
}

/// The [`KEPT`] that cost least.
fn best_of(kept: BTreeMap<Vec<u32>, Point>) -> BTreeMap<Vec<u32>, Point> {
    let mut points: Vec<_> = kept.into_iter().collect();
    points.sort_by_key(|(_, point)| point.cost);
    points.truncate(KEPT);
    points.into_iter().collect()
}

/// What a climb makes small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Span,
    Area,
}

/// A magic on a climb.
#[derive(Clone, Copy, Debug)]
struct Point {
    found: Found,
    /// Its span or area.
    cost: u32,
}

struct Climber<'a> {
    goal: Goal,
    /// The squares whose shares of the index are drawn.
    levers: Vec<Square>,
    keys: Keys,
    rng: Rng,
    tries: u64,
    max_tries: u64,
    go_on: &'a dyn Fn() -> bool,
}

impl<'a> Climber<'a> {
    fn new(
        target: &MagicTarget,
        goal: Goal,
        seed: u64,
        max_tries: u64,
        go_on: &'a dyn Fn() -> bool,
    ) -> Self {
        let MagicTarget { slider, square, key_kind, .. } = *target;
        let mask = slider.relevant(square);
        let same_rank = mask & Bitboard::rank(square.rank());
        Self {
            goal,
            levers: (mask - same_rank).into_iter().chain(same_rank.first()).collect(),
            keys: Keys::new(slider, square, key_kind),
            rng: Rng::new(target.stream(seed)),
            tries: 0,
            max_tries,
            go_on,
        }
    }

    /// The magic as a point, if it is one and costs no more than `limit`.
    fn attempt(&mut self, magic: u64, index_bits: u32, limit: u32) -> Option<Point> {
        self.tries += 1;
        if self.tries.is_multiple_of(4096) && !(self.go_on)() {
            self.max_tries = self.tries;
        }
        let (span, cost) = match self.goal {
            Goal::Span => {
                let span = self.keys.span(magic, index_bits, limit)?;
                (span, span.len)
            }
            Goal::Area => {
                self.keys.area(magic, index_bits, limit).filter(|&(_, area)| area <= limit)?
            }
        };
        Some(Point { found: Found { magic, index_bits, tries: self.tries, span }, cost })
    }

    /// A magic drawn by its effect instead of its bits: each relevant square gets a share of the
    /// index, a few quarters of a power of two of slots, to add or to subtract. On a rank one
    /// square is enough, since the shares of its neighbors are its own doubled.
    ///
    /// The short tables found are mostly of one kind: all shares are three quarters of different
    /// powers of two, so that the two squares of the finest ray take three slots in place of four.
    /// Half of the draws aim at those.
    fn drawn(&mut self, width: u32, wider: bool, limit: u32) -> Option<Point> {
        let end = match self.goal {
            Goal::Span => self.max_tries,
            // Other ways to start may be better.
            Goal::Area => self.max_tries.min(self.tries + PATIENCE),
        };
        while self.tries < end.min(self.max_tries) {
            let (magic, index_bits) = if self.rng.below(2) == 0 {
                (self.drawn_distinct(width), width)
            } else {
                let index_bits = if wider { width + self.rng.below(2) as u32 } else { width };
                (self.drawn_freely(index_bits), index_bits)
            };
            let point = self.attempt(magic, index_bits, limit);
            if point.is_some() {
                return point;
            }
        }
        None
    }

    /// Shares of different sizes, mostly of three quarters.
    fn drawn_distinct(&mut self, index_bits: u32) -> u64 {
        const QUARTERS: [u64; 6] = [3, 3, 3, 1, 5, 7];
        let (uniform, positive) = (self.rng.below(2) == 0, self.rng.below(2) == 0);
        let mut places: Vec<usize> = (0..=index_bits as usize).collect();
        self.rng.shuffle(&mut places);
        self.sum_of_shares(index_bits, |rng, lever| {
            let quarters = if uniform { 3 } else { QUARTERS[rng.below(QUARTERS.len())] };
            (quarters, places[lever % places.len()], !positive && rng.below(4) == 0)
        })
    }

    /// Shares of any size.
    fn drawn_freely(&mut self, index_bits: u32) -> u64 {
        const QUARTERS: [u64; 7] = [1, 1, 1, 3, 3, 5, 7];
        self.sum_of_shares(index_bits, |rng, _| {
            let quarters = QUARTERS[rng.below(QUARTERS.len())];
            (quarters, rng.below(index_bits as usize + 1), rng.below(3) == 0)
        })
    }

    /// The factor with a share for each lever: quarters, place, and whether to subtract it.
    fn sum_of_shares(
        &mut self,
        index_bits: u32,
        draw: impl Fn(&mut Rng, usize) -> (u64, usize, bool),
    ) -> u64 {
        let levers = self.levers.iter().enumerate();
        levers.fold(0, |magic: u64, (lever, &square)| {
            let (quarters, place, negative) = draw(&mut self.rng, lever);
            let share = share(square, quarters, place, index_bits);
            if negative { magic.wrapping_sub(share) } else { magic.wrapping_add(share) }
        })
    }

    /// A magic some bits away from a good one, perhaps rotated.
    fn shaken(&mut self, best: &Point, limit: u32) -> Option<Point> {
        let rounds = PATIENCE.min(self.max_tries.saturating_sub(self.tries));
        (0..rounds).find_map(|_| {
            let mut magic = best.found.magic;
            for _ in 0..2 + self.rng.below(6) {
                magic ^= 1 << self.rng.below(64);
            }
            if self.rng.below(2) == 0 {
                magic = magic.rotate_left(self.rng.below(64) as u32);
            }
            self.attempt(magic, best.found.index_bits, limit)
        })
    }

    /// Steps to neighbors that are at least as good until none has been better for long. `visit`
    /// sees each.
    fn climb(&mut self, mut here: Point, mut visit: impl FnMut(Point)) -> Point {
        let mut since = 0;
        while since < PATIENCE && self.tries < self.max_tries {
            since += 1;
            let mut magic = here.found.magic;
            for _ in 0..=self.rng.below(3) {
                magic = self.step(magic);
            }
            let limit = here.cost;
            if let Some(next) = self.attempt(magic, here.found.index_bits, limit) {
                if next.cost < limit {
                    since = 0;
                }
                here = next;
                visit(here);
            }
        }
        here
    }

    fn step(&mut self, magic: u64) -> u64 {
        let bit = 1_u64 << self.rng.below(64);
        match self.rng.below(4) {
            0 => magic ^ bit,
            1 => magic.wrapping_add(bit),
            2 => magic.wrapping_sub(bit),
            _ => {
                let run = (1_u64 << (1 + self.rng.below(16))) - 1;
                magic ^ (run.wrapping_mul(bit) & self.rng.next_u64())
            }
        }
    }
}

/// The factor that gives a blocker on `square` this many quarters of `2^place` slots.
fn share(square: Square, quarters: u64, place: usize, index_bits: u32) -> u64 {
    let slot = 62 - index_bits as usize + place;
    match slot.checked_sub(square.index()) {
        Some(shift) => quarters << shift,
        None => quarters >> (square.index() - slot),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finder::KeyKind;
    use perft_core::attacks::rays::Slider;

    #[test]
    fn a_climb_ends_with_a_magic_and_a_shorter_table() {
        let target = MagicTarget::of_mask_width(Slider::Bishop, Square::A1, KeyKind::Black);
        let squeezed = squeeze(&target, 1, 200_000, || true).unwrap();
        let mut keys = Keys::new(Slider::Bishop, Square::A1, KeyKind::Black);
        assert!(keys.accept(squeezed.magic, squeezed.index_bits));
        assert!(squeezed.span.len < 40, "{squeezed:?}");
        assert_eq!(squeeze(&target, 1, 200_000, || true), Some(squeezed));
    }

    #[test]
    fn candidates_are_magics_with_small_areas_and_different_tables() {
        let target = MagicTarget::of_mask_width(Slider::Bishop, Square::C3, KeyKind::Black);
        let found = candidates(&target, &[], 1, 60_000, || true);
        let mut keys = Keys::new(Slider::Bishop, Square::C3, KeyKind::Black);
        let mut tables = std::collections::HashSet::new();
        for &Candidate { magic, index_bits } in &found {
            let (_, area) = keys.area(magic, index_bits, u32::MAX).unwrap();
            assert!(area < 128, "{area} slots of {magic:#x}");
            let slots = keys.indices(magic, index_bits);
            let table: Vec<u32> = slots.iter().map(|slot| slot - slots[0]).collect();
            assert!(tables.insert((index_bits, table)));
        }
        for index_bits in [7, 8] {
            assert!(found.iter().any(|candidate| candidate.index_bits == index_bits));
        }
        assert_eq!(candidates(&target, &[], 1, 60_000, || true), found);
    }
}

//! The systematic search: a magic guessed bit by bit, each guess checked at once.
//!
//! The product of a key and a magic is known up to a bit as soon as the magic is known up to that
//! bit, since carries only go up. For a key whose lowest blocker is on square `p`, the bits of the
//! magic above `63 - p` fall off: its index is exact once the magic is known up to there. The
//! search therefore guesses from low to high, in one stage for each relevant square from the
//! highest down: the bits that decide all keys whose lowest blocker is on that square. These keys
//! are compared with all before them. Keys with the same attacks form a group that may share slots;
//! a slot wanted by two groups is a harmful collision, and the last guess is taken back.
//!
//! Bits below the first window can reach an index only by a carry. They stay 0: no search has
//! needed them.
//!
//! Guesses with few bits tend to come first, since they disturb the least. The order is drawn from
//! the seed, and a search that finds nothing for long starts over with another order.

use super::{Found, KeyKind, Keys, MagicTarget};
use perft_core::random::Rng;
use perft_core::types::{Bitboard, Square};

/// The number of guesses before the next order is tried.
const GUESSES_PER_ORDER: u64 = 1_000;

/// The highest number of bits that a stage guesses at once; a wider window is split.
const MAX_WINDOW: u32 = 8;

/// Bits of the magic to guess, and the keys that they decide.
struct Stage {
    first_bit: u32,
    /// Keys and the number of their collision group.
    keys: Vec<(u64, u16)>,
    /// The values of the window in the order in which they are tried.
    values: Vec<u16>,
}

/// Searches until a magic is found, or `go_on`, called now and then, returns `false`.
///
/// ```
/// use perft_core::Square;
/// use perft_core::attacks::rays::Slider;
/// use perft_lab::finder::{KeyKind, Keys, MagicTarget, search};
///
/// let target = MagicTarget::of_mask_width(Slider::Bishop, Square::A1, KeyKind::White);
/// let found = search::search(&target, 1, || true).unwrap();
/// assert!(Keys::new(Slider::Bishop, Square::A1, KeyKind::White).accept(found.magic, 6));
/// ```
///
/// # Panics
/// If the target's keys are [`KeyKind::Black`]: they have no lowest blocker. If there is no index
/// bit, or more than [`MagicTarget::MAX_INDEX_BITS`].
pub fn search(target: &MagicTarget, seed: u64, go_on: impl Fn() -> bool) -> Option<Found> {
    assert_ne!(target.key_kind, KeyKind::Black, "black magics cannot be guessed from low to high");
    super::check_index_bits(target.index_bits);
    let mut stages = stages(target);
    let mut rng = Rng::new(target.stream(seed));
    let mut tries = 0;
    loop {
        for stage in &mut stages {
            // One more bit makes a value eight times less likely to come before another.
            stage.values.sort_by_cached_key(|value| {
                3 * value.count_ones() as i32 - rng.next_u64().leading_zeros() as i32
            });
        }
        let mut guesser = Guesser {
            stages: &stages,
            key_kind: target.key_kind,
            index_bits: target.index_bits,
            slots: vec![None; 1 << target.index_bits],
            guesses: 0,
        };
        let magic = guesser.guess(0, 0);
        tries += guesser.guesses;
        if let Some(magic) = magic {
            let mut keys = Keys::new(target.slider, target.square, target.key_kind);
            let span = keys.span(magic, target.index_bits, u32::MAX);
            let span = span.expect("a magic proved by the search has no harmful collision");
            return Some(Found { magic, index_bits: target.index_bits, tries, span });
        }
        // Every value was tried, or the search is to end.
        if guesser.guesses < GUESSES_PER_ORDER || !go_on() {
            return None;
        }
    }
}

fn stages(target: &MagicTarget) -> Vec<Stage> {
    let mask = target.slider.relevant(target.square);
    let mut groups: Vec<Bitboard> = Vec::new();
    let mut stages = Vec::new();
    let mut above = Bitboard::EMPTY;
    // Each word has its own factor, at the same place in the magic; 32-bit keys are shifted down
    // by one.
    let (words, shifted): (&[(u32, u32)], u32) = match target.key_kind {
        KeyKind::Fold32 => (&[(32, 32), (0, 32)], 1),
        _ => (&[(0, 64)], 0),
    };
    let position = |square: Square| square.index() as u32 - shifted;
    for &(start, width) in words {
        let word = Bitboard((u64::MAX >> (64 - width)) << start << shifted);
        let mut squares: Vec<_> = (mask & word).into_iter().collect();
        squares.reverse();
        // Lower bits reach an index of the first stage only by a carry.
        let highest = squares.first().map_or(0, |&square| position(square) - start);
        let mut known = (width - target.index_bits).saturating_sub(highest);
        for square in squares {
            let keys = above
                .subsets()
                .map(|higher| {
                    let blockers = higher | square.bitboard();
                    let attacks = target.slider.attacks(target.square, blockers);
                    let group = groups.iter().position(|&known| known == attacks);
                    let group = group.unwrap_or_else(|| {
                        groups.push(attacks);
                        groups.len() - 1
                    });
                    (blockers.0, group as u16)
                })
                .collect();
            let end = width - (position(square) - start);
            while end - known > MAX_WINDOW {
                stages.push(Stage::new(start + known, MAX_WINDOW, Vec::new()));
                known += MAX_WINDOW;
            }
            stages.push(Stage::new(start + known, end - known, keys));
            known = end;
            above |= square.bitboard();
        }
    }
    // The index of the empty board is 0 with any magic; its slot is taken from the start.
    let open = target.slider.attacks(target.square, Bitboard::EMPTY);
    let group = groups.iter().position(|&known| known == open).unwrap_or(groups.len());
    if let Some(stage) = stages.first_mut() {
        stage.keys.insert(0, (0, group as u16));
    }
    stages
}

impl Stage {
    fn new(first_bit: u32, bits: u32, keys: Vec<(u64, u16)>) -> Self {
        Self { first_bit, keys, values: (0..1 << bits).collect() }
    }
}

struct Guesser<'a> {
    stages: &'a [Stage],
    key_kind: KeyKind,
    index_bits: u32,
    /// The collision group that holds each slot.
    slots: Vec<Option<u16>>,
    guesses: u64,
}

impl Guesser<'_> {
    fn guess(&mut self, stage: usize, magic: u64) -> Option<u64> {
        let Some(Stage { first_bit, keys, values }) = self.stages.get(stage) else {
            return Some(magic);
        };
        let mut taken = Vec::new();
        for &value in values {
            if self.guesses >= GUESSES_PER_ORDER {
                return None;
            }
            self.guesses += 1;
            let magic = magic | u64::from(value) << first_bit;
            if self.place(keys, magic, &mut taken)
                && let Some(found) = self.guess(stage + 1, magic)
            {
                return Some(found);
            }
            for slot in taken.drain(..) {
                self.slots[slot] = None;
            }
        }
        None
    }

    /// Gives each key its slot; `false` at the first harmful collision. The slots that were free
    /// before are added to `taken`.
    fn place(&mut self, keys: &[(u64, u16)], magic: u64, taken: &mut Vec<usize>) -> bool {
        keys.iter().all(|&(key, group)| {
            let index = (self.key_kind.product(key, magic) >> (64 - self.index_bits)) as usize;
            match self.slots[index] {
                None => {
                    self.slots[index] = Some(group);
                    taken.push(index);
                    true
                }
                Some(held) => held == group,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold32_magics;
    use perft_core::attacks::rays::Slider;

    #[test]
    fn the_shipped_pairs_are_found_again_from_their_seed() {
        for square in Square::all() {
            for (slider, shipped) in
                [(Slider::Rook, fold32_magics::ROOK), (Slider::Bishop, fold32_magics::BISHOP)]
            {
                let target = MagicTarget::of_mask_width(slider, square, KeyKind::Fold32);
                let found = search(&target, fold32_magics::SEED, || true).unwrap();
                assert_eq!(found.magic, shipped[square.index()], "{slider:?} on {square}");
            }
        }
    }

    #[test]
    fn an_impossible_target_is_given_up() {
        // Seven attack sets do not fit into two slots.
        let target = MagicTarget {
            index_bits: 1,
            ..MagicTarget::of_mask_width(Slider::Bishop, Square::A1, KeyKind::White)
        };
        assert_eq!(search(&target, 1, || true), None);
    }
}

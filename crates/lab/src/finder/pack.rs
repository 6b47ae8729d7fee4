//! Laying the tables of all squares over each other.
//!
//! No table fills its span: some indices do not occur. The table of another square may use them, as
//! long as no slot has to hold two different attack sets. (Different squares have different attack
//! sets, so a slot is used once or not at all.)
//!
//! Each square has a choice of magics with different tables. All tables are laid down one by one,
//! each with the magic and at the place that bring its slots lowest. Then, round after round, a
//! few tables are taken out and laid down again in another order; what came of it is kept if it
//! brings the slots lower. The slots sink like sand, and the array gets shorter.

use std::cmp::Reverse;

use super::{KeyKind, Keys};
use perft_core::attacks::rays::Slider;
use perft_core::random::Rng;
use perft_core::types::Square;

/// Rooks from a1 to h8, then bishops.
pub const TABLES: usize = 128;

/// The slider and the square of one of the tables.
pub fn place(index: usize) -> (Slider, Square) {
    (Slider::ALL[index / 64], Square::from_index(index % 64))
}

/// A magic, and the width of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The factor.
    pub magic: u64,
    /// The number of top bits of the product that are the index.
    pub index_bits: u32,
}

/// A magic and where its table lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The magic.
    pub candidate: Candidate,
    /// Added to an index, wrapping: the lowest index need not be 0, so this may be below the start
    /// of the array.
    pub offset: u32,
    /// From the first slot of the table to its last, both included.
    pub len: u32,
}

/// The magics of all squares, and a layout once there is one.
#[derive(Clone, Debug)]
pub struct Packing {
    key_kind: KeyKind,
    seed: u64,
    rounds: u64,
    squares: Vec<Choice>,
    free: FreeSlots,
}

/// What one square has to choose from.
#[derive(Clone, Debug, Default)]
struct Choice {
    tables: Vec<Table>,
    /// The tries that were spent to find them.
    tries: u64,
    /// Which table was chosen, and its first slot.
    placed: Option<(usize, u32)>,
}

impl Choice {
    fn placed(&self) -> Option<(&Table, u32)> {
        self.placed.map(|(table, start)| (&self.tables[table], start))
    }

    fn end(&self) -> u32 {
        self.placed().map_or(0, |(table, start)| start + table.len())
    }
}

impl Packing {
    /// Without any magics.
    pub fn new(key_kind: KeyKind, seed: u64) -> Self {
        let squares = vec![Choice::default(); TABLES];
        Self { key_kind, seed, rounds: 0, squares, free: FreeSlots::default() }
    }

    /// The key that all magics are for.
    pub const fn key_kind(&self) -> KeyKind {
        self.key_kind
    }

    /// The seed of the rounds.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The rounds that were made.
    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The tries that were spent on a square.
    pub fn tries(&self, index: usize) -> u64 {
        self.squares[index].tries
    }

    /// The magics of a square.
    pub fn candidates(&self, index: usize) -> impl Iterator<Item = Candidate> {
        self.squares[index].tables.iter().map(|table| table.candidate)
    }

    /// Adds magics to a square, found with some more tries. Those that are there already and those
    /// with a harmful collision are left out.
    ///
    /// # Panics
    /// If a magic has no index bits, or more than
    /// [`MAX_INDEX_BITS`](super::MagicTarget::MAX_INDEX_BITS).
    pub fn add(&mut self, index: usize, candidates: &[Candidate], tries: u64) {
        let (slider, square) = place(index);
        let mut keys = Keys::new(slider, square, self.key_kind);
        let choice = &mut self.squares[index];
        choice.tries += tries;
        for &candidate in candidates {
            let is_known = choice.tables.iter().any(|table| table.candidate == candidate);
            if !is_known && keys.accept(candidate.magic, candidate.index_bits) {
                choice.tables.push(Table::new(candidate, &keys));
            }
        }
    }

    /// The length of the array; `None` without a layout.
    pub fn array_len(&self) -> Option<u32> {
        let is_laid = self.squares.iter().all(|choice| choice.placed.is_some());
        is_laid.then(|| self.squares.iter().map(Choice::end).max().unwrap_or(0))
    }

    /// Where a table lies; `None` without a layout.
    pub fn placed(&self, index: usize) -> Option<Placed> {
        let (table, start) = self.squares[index].placed()?;
        let offset = start.wrapping_sub(table.lowest);
        Some(Placed { candidate: table.candidate, offset, len: table.len() })
    }

    /// Puts a table where it was; `false` if it is in the way of another, or if its square has no
    /// such magic or is laid down already.
    pub(super) fn put(&mut self, index: usize, candidate: Candidate, offset: u32) -> bool {
        let choice = &mut self.squares[index];
        let found = choice.tables.iter().position(|table| table.candidate == candidate);
        let (Some(which), None) = (found, choice.placed) else { return false };
        let table = &choice.tables[which];
        let start = table.lowest.wrapping_add(offset);
        if start > MAX_START || !self.free.has(table, start) {
            return false;
        }
        self.free.take(table, start);
        choice.placed = Some((which, start));
        true
    }

    pub(super) const fn set_rounds(&mut self, rounds: u64) {
        self.rounds = rounds;
    }

    /// Lays the tables down that are not yet, those that need the most slots first.
    ///
    /// # Panics
    /// If a square has no magic.
    pub fn lay(&mut self) {
        let least = |choice: &Choice| choice.tables.iter().map(|table| table.slots.len()).min();
        let mut order: Vec<usize> =
            (0..TABLES).filter(|&index| self.squares[index].placed.is_none()).collect();
        order.sort_by_cached_key(|&index| Reverse(least(&self.squares[index])));
        for index in order {
            let all = 0..self.squares[index].tables.len();
            self.lay_one(index, 0, all);
        }
    }

    /// Lays one table down where its slots are lowest and, if possible, below `limit`.
    fn lay_one(&mut self, index: usize, limit: u32, which: impl Iterator<Item = usize>) {
        let choice = &mut self.squares[index];
        let mut best: Option<(Height, usize, u32)> = None;
        for table in which {
            let bound = best.map(|(height, ..)| height);
            let found = self.free.lowest(&choice.tables[table], limit, bound);
            if let Some((height, start)) = found {
                best = Some((height, table, start));
            }
        }
        let (_, table, start) = best.expect("a table fits at the end of the array");
        self.free.take(&choice.tables[table], start);
        choice.placed = Some((table, start));
    }

    /// Takes a few tables out and lays them down again; the old layout stays if it was better.
    ///
    /// # Panics
    /// If there is no layout.
    pub fn round(&mut self) {
        let len = self.array_len().expect("the tables are laid down");
        let mut rng = Rng::new(self.seed.wrapping_mul(0x1_0000_0000).wrapping_add(self.rounds));
        self.rounds += 1;
        let chosen = self.choose(len, &mut rng);
        let old: Vec<_> = chosen.iter().map(|&index| self.squares[index].placed).collect();
        let before = self.height(&chosen);
        self.take_out(&chosen);
        for &index in &chosen {
            let all = self.squares[index].tables.len();
            let some: Vec<usize> = (0..all.min(TABLES_OF_ROUND)).map(|_| rng.below(all)).collect();
            self.lay_one(index, len, some.into_iter());
        }
        let after = self.height(&chosen);
        let end = chosen.iter().map(|&index| self.squares[index].end()).max();
        // A little higher is allowed now and then, to get out of a dead end.
        let is_better = end <= Some(len)
            && (after <= before + rng.below((before / 2_000) as usize + 1) as u64
                || self.array_len() < Some(len));
        if !is_better {
            self.take_out(&chosen);
            for (&index, old) in chosen.iter().zip(old) {
                let choice = &mut self.squares[index];
                choice.placed = old;
                if let Some((table, start)) = choice.placed() {
                    self.free.take(table, start);
                }
            }
        }
    }

    /// The tables of a round, in the order in which they are laid down: one near the end of the
    /// array half of the time, and a few at random or near each other.
    fn choose(&self, len: u32, rng: &mut Rng) -> Vec<usize> {
        let mut all: Vec<usize> = (0..TABLES).collect();
        let mut chosen = Vec::new();
        if rng.below(2) == 0 {
            all.sort_by_key(|&index| Reverse(self.squares[index].end()));
            chosen.push(all[rng.below(4)]);
        }
        let more = 1 + rng.below(5);
        if rng.below(2) == 0 {
            let center = rng.below(len as usize) as u32;
            all.sort_by_key(|&index| self.squares[index].end().abs_diff(center));
        } else {
            rng.shuffle(&mut all);
        }
        let more: Vec<_> =
            all.into_iter().filter(|index| !chosen.contains(index)).take(more).collect();
        chosen.extend(more);
        rng.shuffle(&mut chosen);
        if rng.below(2) == 0 {
            chosen.sort_by_key(|&index| Reverse(self.squares[index].end()));
        }
        chosen
    }

    fn take_out(&mut self, chosen: &[usize]) {
        for &index in chosen {
            let choice = &mut self.squares[index];
            if let Some((table, start)) = choice.placed() {
                self.free.give_back(table, start);
            }
            choice.placed = None;
        }
    }

    fn height(&self, chosen: &[usize]) -> u64 {
        let placed = chosen.iter().filter_map(|&index| self.squares[index].placed());
        placed.map(|(table, start)| table.height(start)).sum()
    }
}

/// How many magics of a square a round looks at.
const TABLES_OF_ROUND: usize = 64;

/// No table starts behind this slot: more than all tables together can take.
const MAX_START: u32 = 1 << 20;

/// How far a table would make the array longer, and then the height of its slots.
type Height = (u32, u64);

/// The slots that a magic uses.
#[derive(Clone, Debug)]
struct Table {
    candidate: Candidate,
    /// The lowest index.
    lowest: u32,
    /// Counted from the lowest, in an order in which a slot that is taken is found soon.
    slots: Vec<u32>,
    last: u32,
    /// The sum of `slots`, and of their squares.
    sum: u64,
    sum_of_squares: u64,
}

impl Table {
    fn new(candidate: Candidate, keys: &Keys) -> Self {
        let mut slots = keys.indices(candidate.magic, candidate.index_bits);
        let (lowest, highest) = (slots[0], slots[slots.len() - 1]);
        for slot in &mut slots {
            *slot -= lowest;
        }
        // Neighbors are often free together.
        Rng::new(candidate.magic).shuffle(&mut slots);
        let sum = slots.iter().copied().map(u64::from).sum();
        let sum_of_squares = slots.iter().map(|&slot| u64::from(slot).pow(2)).sum();
        Self { candidate, lowest, slots, last: highest - lowest, sum, sum_of_squares }
    }

    const fn len(&self) -> u32 {
        self.last + 1
    }

    /// The sum of the squares of the places of its slots.
    const fn height(&self, start: u32) -> u64 {
        let start = start as u64;
        self.slots.len() as u64 * start * start + 2 * start * self.sum + self.sum_of_squares
    }
}

/// A bit for each slot of the array that is taken; it has no end.
#[derive(Clone, Debug, Default)]
struct FreeSlots {
    taken: Vec<u64>,
}

impl FreeSlots {
    /// Which of the 64 slots from `first` on are taken.
    #[inline(always)]
    fn taken(&self, first: u32) -> u64 {
        let (word, bit) = (first as usize / 64, first % 64);
        let word_at = |word: usize| self.taken.get(word).copied().unwrap_or(0);
        // Shifted twice: a shift by 64 is none.
        word_at(word) >> bit | word_at(word + 1) << 1 << (63 - bit)
    }

    fn has(&self, table: &Table, start: u32) -> bool {
        table.slots.iter().all(|slot| self.taken(start + slot) & 1 == 0)
    }

    /// The lowest start at which a table fits, if it is lower than `bound`. 64 starts are tried at a
    /// time.
    fn lowest(&self, table: &Table, limit: u32, bound: Option<Height>) -> Option<(Height, u32)> {
        let height =
            |start: u32| ((start + table.len()).saturating_sub(limit), table.height(start));
        let is_lower = |start| bound.is_none_or(|bound| height(start) < bound);
        (0..=MAX_START)
            .step_by(64)
            .take_while(|&first| is_lower(first))
            .find_map(|first| {
                let mut taken = 0;
                for slot in &table.slots {
                    taken |= self.taken(first + slot);
                    if taken == u64::MAX {
                        return None;
                    }
                }
                let start = first + taken.trailing_ones();
                Some((height(start), start))
            })
            .filter(|&(_, start)| is_lower(start))
    }

    fn take(&mut self, table: &Table, start: u32) {
        let words = (start + table.last) as usize / 64 + 1;
        self.taken.resize(self.taken.len().max(words), 0);
        self.flip(table, start);
    }

    fn give_back(&mut self, table: &Table, start: u32) {
        self.flip(table, start);
    }

    fn flip(&mut self, table: &Table, start: u32) {
        for slot in &table.slots {
            let place = start + slot;
            self.taken[place as usize / 64] ^= 1 << (place % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::squeezed_magics::{BISHOP, LEN, ROOK};

    /// The shipped magics, not laid down.
    fn shipped() -> (Packing, Vec<(Candidate, u32)>) {
        let mut packing = Packing::new(KeyKind::Black, 1);
        let magics = [ROOK, BISHOP].concat().into_iter();
        let magics: Vec<_> = magics
            .map(|(magic, index_bits, offset)| (Candidate { magic, index_bits }, offset))
            .collect();
        for (index, &(candidate, _)) in magics.iter().enumerate() {
            packing.add(index, &[candidate], 0);
        }
        (packing, magics)
    }

    fn used(packing: &Packing) -> usize {
        let placed = packing.squares.iter().filter_map(Choice::placed);
        placed.map(|(table, _)| table.slots.len()).sum()
    }

    fn taken(packing: &Packing) -> usize {
        packing.free.taken.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[test]
    fn the_shipped_layout_fits_and_is_shorter_than_the_shortest_published() {
        let (mut packing, magics) = shipped();
        for (index, (candidate, offset)) in magics.into_iter().enumerate() {
            assert!(packing.put(index, candidate, offset), "{:?}", place(index));
        }
        assert_eq!(packing.array_len(), Some(LEN as u32));
        const { assert!(LEN < 87_988) };
        assert_eq!(taken(&packing), used(&packing));
    }

    #[test]
    fn a_round_keeps_tables_apart_and_makes_the_array_no_longer() {
        let (mut packing, _) = shipped();
        packing.lay();
        let mut len = packing.array_len();
        for _ in 0..50 {
            packing.round();
            assert!(packing.array_len() <= len);
            len = packing.array_len();
            assert_eq!(taken(&packing), used(&packing));
        }
        let spans: u32 =
            (0..TABLES).filter_map(|index| packing.placed(index)).map(|it| it.len).sum();
        assert!(len < Some(spans));
    }

    #[test]
    fn a_table_is_put_once_and_not_over_another() {
        let (mut packing, magics) = shipped();
        let (candidate, offset) = magics[0];
        assert!(packing.put(0, candidate, offset));
        assert!(!packing.put(0, candidate, offset));
        // The lowest slot of b1 on that of a1.
        let lowest = |index: usize| packing.squares[index].tables[0].lowest;
        let clash = offset.wrapping_add(lowest(0)).wrapping_sub(lowest(1));
        assert!(!packing.put(1, magics[1].0, clash));
    }
}

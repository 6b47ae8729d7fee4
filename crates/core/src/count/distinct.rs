//! A set of distinct positions with their multiplicities.
//!
//! The multiplicity of a position is the number of lines that lead to it. Positions are compared
//! whole, so that no two are ever mistaken for each other.

use std::collections::TryReserveError;

use super::CountError;
use crate::board::PackedBoard;
use crate::sys::memory::prefetch;

/// A position and its multiplicity.
pub(crate) type Record<M> = (PackedBoard, M);

/// A number of lines, or several.
pub(crate) trait Multiplicity: Clone {
    /// Adds the lines through another position.
    fn add(&mut self, other: &Self) -> Result<(), CountError>;
}

impl Multiplicity for u64 {
    #[inline(always)]
    fn add(&mut self, other: &Self) -> Result<(), CountError> {
        *self = self.checked_add(*other).ok_or(CountError::Overflow)?;
        Ok(())
    }
}

impl Multiplicity for u128 {
    fn add(&mut self, other: &Self) -> Result<(), CountError> {
        *self = self.checked_add(*other).ok_or(CountError::Overflow)?;
        Ok(())
    }
}

/// Rounded above 2^53.
impl Multiplicity for f64 {
    fn add(&mut self, other: &Self) -> Result<(), CountError> {
        *self += other;
        Ok(())
    }
}

/// Positions alone.
impl Multiplicity for () {
    #[inline(always)]
    fn add(&mut self, (): &Self) -> Result<(), CountError> {
        Ok(())
    }
}

/// Distinct positions in the order in which they came, found by open addressing.
#[derive(Clone, Debug)]
pub(crate) struct Distinct<M> {
    positions: Vec<Record<M>>,
    /// The lower half of a hash, and one more than the index of its position; 0 if empty. Their
    /// number is a power of two.
    slots: Vec<u64>,
}

impl<M> Default for Distinct<M> {
    fn default() -> Self {
        Self { positions: Vec::new(), slots: vec![0; Self::MIN_SLOTS] }
    }
}

impl<M> Distinct<M> {
    const MIN_SLOTS: usize = 64;

    /// The highest number of positions for a number of slots: with more, searches take long.
    const fn max_positions(slots: usize) -> usize {
        slots / 8 * 5
    }

    /// The positions.
    pub fn positions(&self) -> &[Record<M>] {
        &self.positions
    }

    /// The positions, in the order in which they came.
    pub fn into_positions(self) -> Vec<Record<M>> {
        self.positions
    }

    /// The bytes of memory in use after [`Self::try_reserve`], both the old and the new ones.
    pub fn bytes_to_reserve(&self, more: usize) -> usize {
        if self.positions.len() + more <= self.positions.capacity() {
            return 0;
        }
        let positions = (self.positions.len() + more).max(2 * self.positions.capacity());
        positions * (size_of::<Record<M>>() + 2 * size_of::<u64>())
    }

    /// The bytes of memory for a number of positions, after [`Self::clear`] and
    /// [`Self::try_reserve`].
    pub fn bytes(positions: usize) -> usize {
        positions * size_of::<Record<M>>() + Self::slots(positions) * size_of::<u64>()
    }

    /// The number of slots for a number of positions.
    fn slots(positions: usize) -> usize {
        (2 * positions).next_power_of_two().max(Self::MIN_SLOTS)
    }

    /// Makes room for more positions.
    pub fn try_reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.positions.try_reserve(more)
    }

    /// Removes all positions, and makes room for a number of them.
    pub fn clear(&mut self, expected: usize) {
        self.positions.clear();
        self.set_slots(Self::slots(expected));
    }

    /// Empties the slots and sets their number.
    fn set_slots(&mut self, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, 0);
    }

    /// The entry of a slot, without the index.
    #[inline(always)]
    const fn tag(hash: u64) -> u64 {
        hash << 32
    }

    /// The entry of a slot. Its index has 32 bits: a set of more positions is refused, as if there were
    /// no memory for it.
    #[inline(always)]
    fn entry(hash: u64, index: usize) -> Result<u64, CountError> {
        match u32::try_from(index + 1) {
            Ok(index) => Ok(Self::tag(hash) | u64::from(index)),
            Err(_) => Err(CountError::OutOfMemory),
        }
    }

    /// The slot at which the search for a hash starts.
    #[inline(always)]
    fn first_slot(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// Fetches the slot of a hash ahead of [`Self::add_hashed`].
    #[inline(always)]
    pub fn prefetch_slot(&self, hash: u64) {
        prefetch(&self.slots[self.first_slot(hash)]);
    }

    /// Fetches the position that its slot names, if it may have the hash.
    #[inline(always)]
    pub fn prefetch_position(&self, hash: u64) {
        let entry = self.slots[self.first_slot(hash)];
        let index = (entry as u32).wrapping_sub(1) as usize;
        if let Some(position) = self.positions.get(index)
            && (entry ^ Self::tag(hash)) >> 32 == 0
        {
            prefetch(position);
        }
    }

    /// The index of a position, or the slot for it.
    #[inline(always)]
    fn find(&self, position: &PackedBoard, hash: u64) -> Result<usize, usize> {
        let mut slot = self.first_slot(hash);
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            let index = (entry as u32 as usize) - 1;
            if (entry ^ Self::tag(hash)) >> 32 == 0 && self.positions[index].0 == *position {
                return Ok(index);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Inserts a position at the slot that [`Self::find`] found. Returns its index.
    #[inline(always)]
    fn insert(
        &mut self,
        slot: usize,
        position: PackedBoard,
        hash: u64,
        multiplicity: M,
    ) -> Result<usize, CountError> {
        let index = self.positions.len();
        self.slots[slot] = Self::entry(hash, index)?;
        self.positions.push((position, multiplicity));
        if index >= Self::max_positions(self.slots.len()) {
            self.grow();
        }
        Ok(index)
    }

    /// The multiplicity of a position with this hash.
    #[inline(always)]
    pub fn get(&self, position: &PackedBoard, hash: u64) -> Option<&M> {
        self.find(position, hash).ok().map(|index| &self.positions[index].1)
    }

    /// Twice as many slots.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.set_slots(2 * self.slots.len());
        for (index, (position, _)) in self.positions.iter().enumerate() {
            let hash = position.hash();
            let mut slot = self.first_slot(hash);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = Self::tag(hash) | (index + 1) as u64;
        }
    }
}

impl<M: Multiplicity> Distinct<M> {
    /// Adds a position that is known to be new, and is not looked for before the next [`Self::clear`].
    #[inline(always)]
    pub fn push_distinct(&mut self, position: PackedBoard, multiplicity: M) {
        self.positions.push((position, multiplicity));
    }

    /// Adds a position, or its multiplicity to that of an equal one.
    ///
    /// # Errors
    /// If the multiplicity does not fit.
    #[inline(always)]
    pub fn add(&mut self, position: PackedBoard, multiplicity: &M) -> Result<(), CountError> {
        self.add_hashed(position, position.hash(), multiplicity)
    }

    /// [`Self::add`] with the hash of the position.
    #[inline(always)]
    pub fn add_hashed(
        &mut self,
        position: PackedBoard,
        hash: u64,
        multiplicity: &M,
    ) -> Result<(), CountError> {
        match self.find(&position, hash) {
            Ok(index) => self.positions[index].1.add(multiplicity),
            Err(slot) => self.insert(slot, position, hash, multiplicity.clone()).map(|_| ()),
        }
    }
}

impl Distinct<()> {
    /// The index of a position, which is added if it is new.
    ///
    /// # Errors
    /// If there are too many positions.
    #[inline(always)]
    pub fn index_of(&mut self, position: PackedBoard, hash: u64) -> Result<usize, CountError> {
        match self.find(&position, hash) {
            Ok(index) => Ok(index),
            Err(slot) => self.insert(slot, position, hash, ()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set of more positions would take two of them for one.
    #[test]
    fn an_index_that_does_not_fit_is_refused() {
        let last = u32::MAX as usize - 1;
        let entry = |index| Distinct::<u64>::entry(0xABCD << 32 | 0x1234, index);
        assert_eq!(entry(0), Ok(0x1234 << 32 | 1));
        assert_eq!(entry(last), Ok(0x1234 << 32 | u64::from(u32::MAX)));
        assert_eq!(entry(last + 1), Err(CountError::OutOfMemory));
    }
}

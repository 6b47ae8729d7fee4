//! The distinct positions of a ply, with their multiplicities: the one place where equal positions
//! are merged.
//!
//! The multiplicity of a position is the number of lines that lead to it. Positions are compared
//! whole, so that no two are ever mistaken for each other.

use rustc_hash::FxHashMap;

use super::CountError;
use crate::board::{Board, PackedBoard, Undo};
use crate::sys::available_memory;
use crate::types::{CastlingMode, MAX_MOVES};

/// A number of lines, or several.
pub(crate) trait Multiplicity: Clone + Default {
    /// Adds the lines through another position.
    fn add(&mut self, other: &Self) -> Result<(), CountError>;
}

impl Multiplicity for u64 {
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

/// The multiplicity behind each root move, by its index.
#[derive(Clone, Debug, Default)]
pub(crate) struct RootMultiplicities(pub Vec<(usize, u128)>);

impl Multiplicity for RootMultiplicities {
    fn add(&mut self, other: &Self) -> Result<(), CountError> {
        for (root, lines) in &other.0 {
            match self.0.iter_mut().find(|(known, _)| known == root) {
                Some((_, known)) => known.add(lines)?,
                None => self.0.push((*root, *lines)),
            }
        }
        Ok(())
    }
}

/// The distinct positions of a ply.
#[derive(Clone, Debug)]
pub(crate) struct Layer<M> {
    positions: FxHashMap<PackedBoard, M>,
    mode: CastlingMode,
}

impl<M: Multiplicity> Layer<M> {
    /// No positions; all will be of one castling mode.
    pub fn new(mode: CastlingMode) -> Self {
        Self { positions: FxHashMap::default(), mode }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Adds a position, or its multiplicity to that of an equal one.
    pub fn add(&mut self, board: &Board, multiplicity: &M) -> Result<(), CountError> {
        self.positions.entry(board.pack()).or_default().add(multiplicity)
    }

    /// The positions one ply on. Calls `on_move` with each move, the position after it and its
    /// multiplicity, and `on_progress` with the number of positions done.
    pub fn next_ply(
        &self,
        mut on_move: impl FnMut(&Undo, &Board, &M) -> Result<(), CountError>,
        mut on_progress: impl FnMut(usize),
    ) -> Result<Self, CountError> {
        let mut next = Self::new(self.mode);
        for (done, (position, multiplicity)) in self.positions.iter().enumerate() {
            if !next.has_room() {
                return Err(CountError::OutOfMemory);
            }
            let board = position.unpack(self.mode);
            for mv in board.legal_moves() {
                let mut child = board;
                let undo = child.make(mv);
                on_move(&undo, &child, multiplicity)?;
                next.add(&child, multiplicity)?;
            }
            on_progress(done);
        }
        Ok(next)
    }

    /// Makes room for the positions behind one more, as long as there is memory.
    fn has_room(&mut self) -> bool {
        if self.positions.capacity() - self.positions.len() >= MAX_MOVES {
            return true;
        }
        // The map grows to twice its size, and the old one is there until it is moved.
        let bytes = 2 * self.positions.capacity() * size_of::<(PackedBoard, M)>();
        available_memory().is_none_or(|available| bytes < available)
            && self.positions.try_reserve(MAX_MOVES).is_ok()
    }

    /// The positions, sorted: the same on every machine, and similar ones close to each other, so
    /// that a table knows much of the next one.
    pub fn into_sorted(self) -> Vec<(PackedBoard, M)> {
        let mut positions: Vec<_> = self.positions.into_iter().collect();
        positions.sort_unstable_by_key(|&(position, _)| position);
        positions
    }
}

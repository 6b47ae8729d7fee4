//! The distinct positions of the first plies, from which tasks are made.

use super::distinct::{Distinct, Multiplicity};
use super::{CountError, Depth};
use crate::board::{Board, PackedBoard, Undo};
use crate::sys::available_memory;
use crate::types::{CastlingMode, MAX_MOVES};

/// So little memory is taken without asking how much there is, which takes longer than making the
/// positions.
const SMALL_BYTES: usize = 1 << 20;

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

/// The distinct positions some plies on, sorted, with the number of lines to each. Calls
/// `on_progress` with the ply and the share of it that is done.
///
/// # Errors
/// [`CountError::OutOfMemory`] if the memory does not hold them, [`CountError::Overflow`] if a number
/// of lines does not fit.
pub fn distinct_positions(
    root: &Board,
    ply: Depth,
    mut on_progress: impl FnMut(Depth, f64),
) -> Result<Vec<(PackedBoard, u64)>, CountError> {
    let mut positions = Frontier::<u64>::new(root.castling_mode());
    positions.add(root, &1)?;
    for played in 1..=ply {
        let all = positions.len() as f64;
        positions =
            positions.next_ply(|_, _, _| Ok(()), |done| on_progress(played, done as f64 / all))?;
    }
    Ok(positions.into_sorted())
}

/// The distinct positions of a ply.
#[derive(Clone, Debug)]
pub(crate) struct Frontier<M> {
    positions: Distinct<M>,
    mode: CastlingMode,
}

impl<M: Multiplicity> Frontier<M> {
    /// No positions; all will be of one castling mode.
    pub fn new(mode: CastlingMode) -> Self {
        Self { positions: Distinct::default(), mode }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.positions().len()
    }

    /// The number of moves from all positions.
    pub fn count_moves(&self) -> usize {
        let positions = self.positions.positions().iter();
        positions.map(|(position, _)| position.unpack(self.mode).count_legal_moves() as usize).sum()
    }

    /// Adds a position, or its multiplicity to that of an equal one.
    pub fn add(&mut self, board: &Board, multiplicity: &M) -> Result<(), CountError> {
        self.positions.add(board.pack(), multiplicity)
    }

    /// The positions one ply on. Calls `on_move` with each move, the position after it and its
    /// multiplicity, and `on_progress` with the number of positions done.
    pub fn next_ply(
        &self,
        mut on_move: impl FnMut(&Undo, &Board, &M) -> Result<(), CountError>,
        mut on_progress: impl FnMut(usize),
    ) -> Result<Self, CountError> {
        let mut next = Self::new(self.mode);
        for (done, (position, multiplicity)) in self.positions.positions().iter().enumerate() {
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
        match self.positions.bytes_to_reserve(MAX_MOVES) {
            0 => true,
            bytes => {
                let is_small = bytes < SMALL_BYTES;
                (is_small || available_memory().is_none_or(|available| bytes < available))
                    && self.positions.try_reserve(MAX_MOVES).is_ok()
            }
        }
    }

    /// The positions, sorted: the same on every machine, and similar ones close to each other, so
    /// that a table knows much of the next one.
    pub fn into_sorted(self) -> Vec<(PackedBoard, M)> {
        let mut positions = self.positions.into_positions();
        positions.sort_unstable_by_key(|&(position, _)| position);
        positions
    }
}

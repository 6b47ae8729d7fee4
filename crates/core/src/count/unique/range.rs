//! The distinct positions of a ply whose keys are in a range.
//!
//! The key of a position is a hash of the pieces and castling rights of the side to move, its half.
//! A quiet move leaves that half as it was before the move. So equal positions after quiet moves
//! come from parents with one key, and a set for one key at a time finds them all. Captures change
//! the half: those of all parents are made first, and kept if they are in the range.

use std::marker::PhantomData;
use std::ops::Range;

use arrayvec::ArrayVec;

use super::run::{Record, Tally};
use super::store::{Kind, Layer, RunWriter};
use super::{EnPassant, UniqueError};
use crate::board::{Board, PackedBoard};
use crate::count::distinct::Distinct;
use crate::count::target::{Target, with_target};
use crate::movegen;
use crate::sys::cpu::outlined;
use crate::sys::memory::prefetch;
use crate::sys::{CancelToken, Cpu};
use crate::types::{
    Bitboard, CastlingMode, Color, MAX_MOVES, Move, MoveKind, Piece, Side, by_side,
};

/// All keys.
pub(super) const ALL_KEYS: Range<u64> = 0..1 << 32;

/// A record, and its place in the order of keys.
const RECORD_BYTES: usize = size_of::<Record>() + size_of::<u64>();

/// A position in a set, whose memory grows by doubling, with its slots, and again to be sorted.
const SET_BYTES: usize = 3 * size_of::<Record>() + 32 + 32;

/// The least number of positions of a set.
const MIN_SET: usize = 1 << 10;

/// The place of a record has 31 bits.
const MAX_RECORDS: usize = (1 << 31) - 1;

/// Of the memory of a thread, a half is for records, and a quarter for a set.
pub(super) const fn max_records(bytes: usize) -> usize {
    let records = bytes / 2 / RECORD_BYTES;
    if records < MAX_RECORDS { records } else { MAX_RECORDS }
}

/// The reason why a range has no result.
pub(super) enum RangeError {
    /// The memory does not hold it; it should in so many parts.
    TooLarge(u64),
    Failed(UniqueError),
}

impl<E: Into<UniqueError>> From<E> for RangeError {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// The work on a range.
pub(super) struct RangeWork<'w> {
    /// The positions to move from.
    pub parents: &'w Layer,
    pub side: Color,
    pub mode: CastlingMode,
    pub keys: Range<u64>,
    /// A layer takes the positions; a count only takes their number.
    pub kind: Kind,
    /// The memory that may be used.
    pub bytes: usize,
    pub cancel: &'w CancelToken,
    /// Called with each share of the work that is done.
    pub on_step: &'w (dyn Fn(f64) + Sync),
    pub out: &'w mut RunWriter,
}

impl RangeWork<'_> {
    /// Does the work.
    pub fn run(self, cpu: Cpu) -> Result<Tally, RangeError> {
        with_target!(cpu, target => by_side!(self.side, Us => work_on_range::<_, Us>(target, self)))
    }
}

/// The work on a range where `Us` is to move.
struct RangeOf<'w, T, Us>(T, RangeWork<'w>, PhantomData<Us>);

outlined! {
    fn work_on_range<T: Target, Us: Side>(
        target: T,
        work: RangeWork<'_>,
    ) -> Result<Tally, RangeError> {
        RangeOf::<T, Us>(target, work, PhantomData).distinct()
    }
}

/// The key of the half of a side.
#[inline(always)]
pub(super) fn key(position: &PackedBoard, side: Color) -> u64 {
    position.half(side).hash() >> 32
}

/// The position after a move, told from others as asked for.
#[inline(always)]
fn child<T: Target, Us: Side>(
    target: T,
    board: &Board,
    packed: &PackedBoard,
    mv: Move,
    kind: Kind,
) -> PackedBoard {
    let child = if board.occupied() == Bitboard::FULL {
        let mut child = *board;
        child.make_as::<Us>(target, mv);
        child.pack()
    } else {
        board.pack_after::<Us>(target, packed, mv)
    };
    match kind {
        // Positions that differ in the right have different moves.
        Kind::Layer | Kind::Count(EnPassant::Legal) => child,
        Kind::Count(EnPassant::None) => child.without_en_passant(),
        Kind::Count(EnPassant::Any) if mv.kind() == MoveKind::DoublePush => {
            child.with_en_passant(mv.to())
        }
        Kind::Count(EnPassant::Any) => child,
    }
}

/// The parents and the captures of a range.
#[derive(Default)]
struct Records {
    records: Vec<Record>,
    /// The key, a bit that is set for captures, and the place of each record.
    order: Vec<u64>,
}

impl Records {
    /// Adds a record, as long as there is memory.
    #[inline(always)]
    fn push(&mut self, key: u64, is_capture: bool, record: Record, max: usize) -> bool {
        let place = self.records.len();
        if place >= max
            || self.records.try_reserve(1).is_err()
            || self.order.try_reserve(1).is_err()
        {
            return false;
        }
        self.records.push(record);
        self.order.push(key << 32 | u64::from(is_capture) << 31 | place as u64);
        true
    }

    #[inline(always)]
    fn at(&self, entry: u64) -> &Record {
        &self.records[entry as usize % (MAX_RECORDS + 1)]
    }
}

/// A part of a set, by the lowest bits of the hashes.
#[derive(Clone, Copy, Default)]
struct HashPart {
    mask: u64,
    value: u64,
}

impl HashPart {
    #[inline(always)]
    const fn contains(self, hash: u64) -> bool {
        hash & self.mask == self.value
    }

    /// Two parts in place of one.
    const fn halves(self) -> [Self; 2] {
        let (mask, bit) = (self.mask << 1 | 1, self.mask + 1);
        [Self { mask, value: self.value }, Self { mask, value: self.value | bit }]
    }
}

/// The share of the time that the parents take to be read, roughly.
const SCAN_SHARE: f64 = 0.2;

/// Progress is reported after so many records.
const REPORTED: usize = 1 << 12;

impl<T: Target, Us: Side> RangeOf<'_, T, Us> {
    /// Finds the distinct positions.
    #[inline(always)]
    fn distinct(self) -> Result<Tally, RangeError> {
        let records = self.collect()?;
        let max_set = (self.1.bytes / 4 / SET_BYTES).max(MIN_SET);
        let (mut set, mut sorted, mut tally) = (Distinct::default(), Vec::new(), Tally::default());
        let (mut done, all) = (0, records.order.len().max(1) as f64);
        for members in records.order.chunk_by(|a, b| a >> 32 == b >> 32) {
            if self.1.cancel.is_cancelled() {
                return Err(UniqueError::Cancelled.into());
            }
            let mut parts = vec![HashPart::default()];
            while let Some(part) = parts.pop() {
                if !self.fill(&records, members, part, max_set, &mut set)? {
                    parts.extend(part.halves());
                    continue;
                }
                for (_, multiplicity) in set.positions() {
                    let one = Tally { positions: 1, multiplicity: *multiplicity };
                    tally = tally.plus(one).ok_or(UniqueError::Overflow)?;
                }
                if self.1.kind == Kind::Layer {
                    sorted.clear();
                    sorted.extend_from_slice(set.positions());
                    sorted.sort_unstable_by_key(|&(position, _)| position);
                    self.1.out.write(&sorted)?;
                }
            }
            done += members.len();
            // The keys of a range are many: not each is worth a report.
            if done >= REPORTED {
                (self.1.on_step)((1.0 - SCAN_SHARE) * done as f64 / all);
                done = 0;
            }
        }
        Ok(tally)
    }

    /// Reads all parents, keeps those in the range and makes the captures that lead to it.
    #[inline(always)]
    fn collect(&self) -> Result<Records, RangeError> {
        let Self(target, RangeWork { parents, mode, keys, kind, bytes, .. }, _) = self;
        let them = Us::Them::COLOR;
        let (max, all) = (max_records(*bytes), parents.positions().max(1) as f64);
        let mut kept = Records::default();
        // As they grow, old and new memory would be in use at once.
        let room = max.min(parents.positions().saturating_mul(4) as usize);
        if kept.records.try_reserve_exact(room).is_err()
            || kept.order.try_reserve_exact(room).is_err()
        {
            return Err(UniqueError::OutOfMemory(*bytes as u64).into());
        }
        let mut read = 0;
        let mut block = Vec::new();
        for run in &parents.runs {
            let mut reader = run.reader()?;
            loop {
                if self.1.cancel.is_cancelled() {
                    return Err(UniqueError::Cancelled.into());
                }
                reader.read(&mut block)?;
                if block.is_empty() {
                    break;
                }
                for &(position, multiplicity) in &block {
                    let key_before = key(&position, them);
                    let mut fits = !keys.contains(&key_before)
                        || kept.push(key_before, false, (position, multiplicity), max);
                    let board = self.unpack(&position, *mode);
                    let packed = position.without_en_passant();
                    // The packed form of a full board may leave a king out, and so may its half.
                    let moves = if board.occupied() == Bitboard::FULL {
                        movegen::list_moves::<T, Us>(*target, &board)
                    } else {
                        movegen::list_captures::<T, Us>(*target, &board)
                    };
                    for mv in moves {
                        let child = child::<T, Us>(*target, &board, &packed, mv, *kind);
                        let key = key(&child, them);
                        fits &= !keys.contains(&key)
                            || kept.push(key, true, (child, multiplicity), max);
                    }
                    if !fits {
                        let share = (read as f64 / all).max(1e-3);
                        // A little more, since keys are not evenly used.
                        return Err(RangeError::TooLarge((1.3 / share).ceil().max(2.0) as u64));
                    }
                    read += 1;
                }
                (self.1.on_step)(SCAN_SHARE * block.len() as f64 / all);
            }
        }
        kept.order.sort_unstable();
        Ok(kept)
    }

    /// The board of a position with `Us` to move, full or not.
    #[inline(always)]
    fn unpack(&self, position: &PackedBoard, mode: CastlingMode) -> Board {
        let board = position.unpack_as::<Us>(mode);
        if board.pieces(Piece::King).len() == 2 { board } else { position.unpack(mode) }
    }

    /// Fills a set with a part of the positions that have one key. The result is false if they are
    /// too many.
    #[inline(always)]
    fn fill(
        &self,
        records: &Records,
        members: &[u64],
        part: HashPart,
        max_set: usize,
        set: &mut Distinct<u128>,
    ) -> Result<bool, RangeError> {
        let Self(target, RangeWork { mode, kind, .. }, _) = self;
        // Parents come before captures.
        let parents = members.partition_point(|&entry| entry >> 31 & 1 == 0);
        let (parents, captures) = members.split_at(parents);
        // A position has a dozen distinct children, as a rule.
        set.clear((12 * parents.len() + captures.len()).min(max_set));
        for &entry in captures {
            let (position, multiplicity) = records.at(entry);
            let hash = position.hash();
            if part.contains(hash) {
                set.add_hashed(*position, hash, multiplicity)?;
                if set.positions().len() > max_set {
                    return Ok(false);
                }
            }
        }
        let mut made: ArrayVec<(PackedBoard, u64), MAX_MOVES> = ArrayVec::new();
        for (place, &entry) in parents.iter().enumerate() {
            const AHEAD: usize = 8;
            if let Some(&ahead) = parents.get(place + AHEAD) {
                prefetch(records.at(ahead));
            }
            let (position, multiplicity) = records.at(entry);
            let board = self.unpack(position, *mode);
            if board.occupied() == Bitboard::FULL {
                continue;
            }
            let (packed, them) = (position.without_en_passant(), board.colors(Us::Them::COLOR));
            // The cache lines of the set arrive while the other children are packed.
            made.clear();
            for mv in movegen::list_moves::<T, Us>(*target, &board) {
                let is_capture = mv.kind() == MoveKind::EnPassant || them.contains(mv.to());
                if !is_capture {
                    let child = child::<T, Us>(*target, &board, &packed, mv, *kind);
                    let hash = child.hash();
                    if part.contains(hash) {
                        set.prefetch_slot(hash);
                        made.push((child, hash));
                    }
                }
            }
            for &(_, hash) in &made {
                set.prefetch_position(hash);
            }
            for &(child, hash) in &made {
                set.add_hashed(child, hash, multiplicity)?;
            }
            if set.positions().len() > max_set {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

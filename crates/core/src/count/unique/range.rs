//! The distinct positions of a ply whose keys are in a range.
//!
//! The key of a position is a hash of the pieces and castling rights of the side to move, its half.
//! A quiet move leaves that half as it was before the move. So equal positions after quiet moves
//! come from parents with one key: from one group of an [expansion](crate::count::expand). Captures
//! change the half: those of all parents are made first, kept if they are in the range, and merged
//! with the quiet moves of their groups.

use std::ops::Range;

use super::run::Tally;
use super::store::{Kind, RunWriter, StoredPly};
use super::{EnPassant, UniqueError};
use crate::board::{Board, PackedBoard};
use crate::count::CountError;
use crate::count::distinct::Record;
use crate::count::expand::{Child, Halves, Job, Limits, Scratch, expand};
use crate::count::target::{Target, with_target};
use crate::movegen;
use crate::sys::cpu::outlined;
use crate::sys::{CancelToken, Cpu};
use crate::types::{Bitboard, CastlingMode, Color, Move, Piece, Side, by_side};

/// All keys.
pub(super) const ALL_KEYS: Range<u64> = 0..1 << 32;

/// A record, and its place in the order of groups.
const RECORD_BYTES: usize = size_of::<Record<u128>>() + size_of::<u64>();

/// The place of the first position after a capture.
const FIRST_CAPTURE: u32 = 1 << 31;

/// The halves of a few groups: more memory is not faster.
const HALVES_BYTES: usize = 16 << 20;

/// The share of the time that the parents take to be read, roughly.
const SCAN_SHARE: f64 = 0.2;

/// Progress is reported after so many records.
const REPORTED: usize = 1 << 12;

/// Of the memory of a thread, a half is for records, and an eighth for the halves of
/// positions; the rest is for large groups.
pub(super) const fn max_records(bytes: usize) -> usize {
    let (records, max) = (bytes / 2 / RECORD_BYTES, FIRST_CAPTURE as usize - 1);
    if records < max { records } else { max }
}

/// The reason why a range has no result.
pub(super) enum RangeError {
    /// The memory does not hold it; it should in so many parts.
    TooLarge(u64),
    /// The memory does not hold the positions of one key.
    LargeGroup,
    Failed(UniqueError),
}

impl From<UniqueError> for RangeError {
    fn from(error: UniqueError) -> Self {
        Self::Failed(error)
    }
}

impl From<CountError> for RangeError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::OutOfMemory => Self::LargeGroup,
            error => Self::Failed(error.into()),
        }
    }
}

/// The work on a range.
pub(super) struct RangeWork<'w> {
    /// The positions to move from.
    pub parents: &'w StoredPly,
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
    /// The distinct positions after the moves of a side, with code for a CPU level.
    pub fn run(self, cpu: Cpu, side: Color) -> Result<Tally, RangeError> {
        with_target!(cpu, target => by_side!(side, Us => {
            let mut job = RangeJob::new(self)?;
            collect::<_, Us>(target, &mut job)?;
            expand::<_, Us, RangeJob<'_>>(target, &mut job, &mut Scratch::default())?;
            Ok(job.tally)
        }))
    }
}

/// The key of the half of a side.
#[inline(always)]
pub(super) fn key(position: &PackedBoard, side: Color) -> u64 {
    position.half(side).hash() >> 32
}

/// The positions of a range, before and after moves.
struct RangeJob<'w> {
    work: RangeWork<'w>,
    parents: Vec<Record<u128>>,
    captures: Vec<Record<u128>>,
    /// The positions after moves of a group, if they are kept.
    group: Vec<Record<u128>>,
    tally: Tally,
    /// Records that are not reported yet.
    done: usize,
}

impl<'w> RangeJob<'w> {
    fn new(work: RangeWork<'w>) -> Result<Self, RangeError> {
        let max = max_records(work.bytes);
        let (mut parents, mut captures) = (Vec::new(), Vec::new());
        // As they grow, old and new memory would be in use at once.
        let room = max.min(usize::try_from(work.parents.positions()).unwrap_or(max));
        if parents.try_reserve_exact(room).is_err()
            || captures.try_reserve_exact(max.min(3 * room)).is_err()
        {
            return Err(UniqueError::OutOfMemory(work.bytes as u64).into());
        }
        let (group, tally, done) = (Vec::new(), Tally::default(), 0);
        Ok(Self { work, parents, captures, group, tally, done })
    }

    /// Whether there is memory for one more record.
    #[inline(always)]
    fn has_room(&mut self) -> bool {
        self.parents.len() + self.captures.len() < max_records(self.work.bytes)
            && self.parents.try_reserve(1).is_ok()
            && self.captures.try_reserve(1).is_ok()
    }
}

outlined! {
    /// Reads all parents, keeps those in the range and makes the captures that lead to it.
    fn collect<T: Target, Us: Side>(target: T, job: &mut RangeJob<'_>) -> Result<(), RangeError> {
        let (them, mode, keys) = (Us::Them::COLOR, job.work.mode, job.work.keys.clone());
        let all = job.work.parents.positions().max(1) as f64;
        let (mut read, mut block) = (0_u64, Vec::new());
        for run in &job.work.parents.runs {
            let mut reader = run.reader()?;
            loop {
                if job.work.cancel.is_cancelled() {
                    return Err(UniqueError::Cancelled.into());
                }
                reader.read(&mut block)?;
                if block.is_empty() {
                    break;
                }
                for &(position, lines) in &block {
                    let mut board = position.unpack_as::<Us>(mode);
                    if board.pieces(Piece::King).len() < 2 {
                        board = position.unpack(mode);
                    }
                    let is_full = board.occupied() == Bitboard::FULL;
                    let mut fits = true;
                    if !is_full && keys.contains(&key(&position, them)) {
                        fits = job.has_room();
                        if fits {
                            job.parents.push((position, lines));
                        }
                    }
                    // The packed form of a full board may leave a king out, and so may its half.
                    let moves = match is_full {
                        true => movegen::list_moves::<T, Us>(target, &board),
                        false => movegen::list_captures::<T, Us>(target, &board),
                    };
                    let packed = position.without_en_passant();
                    for mv in moves {
                        let child = after::<T, Us>(target, &board, &packed, mv);
                        if keys.contains(&key(&child, them)) {
                            fits &= job.has_room();
                            if fits {
                                job.captures.push((child, lines));
                            }
                        }
                    }
                    if !fits {
                        let share = (read as f64 / all).max(1e-3);
                        // A little more, since keys are not evenly used.
                        return Err(RangeError::TooLarge((1.3 / share).ceil().max(2.0) as u64));
                    }
                    read += 1;
                }
                (job.work.on_step)(SCAN_SHARE * block.len() as f64 / all);
            }
        }
        Ok(())
    }
}

/// The packed position after a move, on a full board too.
#[inline(always)]
fn after<T: Target, Us: Side>(
    target: T,
    board: &Board,
    packed: &PackedBoard,
    mv: Move,
) -> PackedBoard {
    if board.occupied() != Bitboard::FULL {
        return board.pack_after::<Us>(target, packed, mv);
    }
    let mut child = *board;
    child.make_as::<Us>(target, mv);
    child.pack()
}

impl Job for RangeJob<'_> {
    type Lines = u128;
    type Error = RangeError;

    const ARE_DISTINCT: bool = true;

    #[inline(always)]
    fn mode(&self) -> CastlingMode {
        self.work.mode
    }

    #[inline(always)]
    fn limits(&self) -> Limits {
        let halves_bytes = (self.work.bytes / 8).min(HALVES_BYTES);
        let group_bytes = self.work.bytes.min(Halves::<u128>::MAX_BYTES);
        Limits { set: usize::MAX, halves_bytes, group_bytes }
    }

    fn places(&self) -> impl Iterator<Item = u32> {
        let captures = FIRST_CAPTURE..FIRST_CAPTURE + self.captures.len() as u32;
        (0..self.parents.len() as u32).chain(captures)
    }

    #[inline(always)]
    fn first_capture(&self) -> u32 {
        FIRST_CAPTURE
    }

    #[inline(always)]
    fn record(&self, place: u32) -> Record<u128> {
        match place.checked_sub(FIRST_CAPTURE) {
            None => self.parents[place as usize],
            Some(place) => self.captures[place as usize],
        }
    }

    fn begin_group(&mut self, records: usize) -> Result<(), RangeError> {
        if self.work.cancel.is_cancelled() {
            return Err(UniqueError::Cancelled.into());
        }
        self.done += records;
        // The groups of a range are many: not each is worth a report.
        if self.done >= REPORTED {
            let all = (self.parents.len() + self.captures.len()) as f64;
            (self.work.on_step)((1.0 - SCAN_SHARE) * self.done as f64 / all);
            self.done = 0;
        }
        Ok(())
    }

    #[inline(always)]
    fn wants_double_pushes(&self) -> bool {
        self.work.kind == Kind::Count(EnPassant::Any)
    }

    #[inline(always)]
    fn after_double_push(&self, child: PackedBoard, mv: Move) -> PackedBoard {
        match self.work.kind {
            // Positions that differ in the right have different moves.
            Kind::Layer | Kind::Count(EnPassant::Legal) => child,
            Kind::Count(EnPassant::None) => child.without_en_passant(),
            Kind::Count(EnPassant::Any) => child.with_en_passant(mv.to()),
        }
    }

    #[inline(always)]
    fn receive<T: Target, Us: Side>(
        &mut self,
        _: T,
        child: &Child<u128>,
    ) -> Result<(), RangeError> {
        // All captures that lead to the range are known.
        if child.is_capture {
            return Ok(());
        }
        let one = Tally { positions: 1, multiplicity: child.lines };
        self.tally = self.tally.plus(one).ok_or(CountError::Overflow)?;
        if self.work.kind == Kind::Layer {
            self.group.push((child.position, child.lines));
        }
        Ok(())
    }

    fn end_group<T: Target, Us: Side>(&mut self, _: T) -> Result<(), RangeError> {
        self.group.sort_unstable_by_key(|&(position, _)| position);
        self.work.out.write(&self.group)?;
        self.group.clear();
        Ok(())
    }

    fn may_cut_groups(&self) -> bool {
        false
    }
}

//! The last two plies of eight positions at once, in vectors of AVX-512.
//!
//! Each vector holds one word of eight positions. The rules are those of [`super::two_ply`], and so
//! are their names, but sets take the place of loops over pieces: most moves are summed without
//! being made, whatever piece they are of, and the others are made in vectors and their replies
//! counted in vectors.
//!
//! - `words` is the vector, `rays` its steps and rays, `digits` its sums, `boards` lists of positions;
//! - `node`, `their_king`, `their_pieces` and `our_moves` are the sums over our moves at eight nodes;
//! - `exceptions` makes our other moves, and `replies` counts the replies to them;
//! - a [`Batch`] collects positions until vectors are full, and passes the counts to a [`Receiver`].

mod boards;
mod digits;
mod en_passant;
mod exceptions;
mod node;
mod our_moves;
mod rays;
mod replies;
#[cfg(test)]
pub(super) mod tests;
mod their_king;
mod their_pieces;
mod words;

use crate::attacks::Sliders;
use crate::board::Board;
use crate::sys::cpu::{Avx512, outlined};
use crate::types::{Bitboard, Color, Move, MoveKind, MoveList, Piece, Side};
use boards::{BoardList, Boards, Castlings};
use exceptions::{Exceptions, MoveBuffer};
use node::Node8;
use words::{LANES, LaneSet, Words8};

/// Room for the nodes that wait, and for the positions after exceptional moves. What was just
/// written in parts is slow to read whole, so the lists are longer than a vector.
const NODES: usize = 64 + LANES;
const EXCEPTIONAL: usize = 128 + LANES;

/// Receives the counts. Each position has a tag, which says what becomes of its count.
pub(super) trait Receiver {
    /// Adds the counts of some lanes to those of their tags.
    fn add8(&mut self, counts: Words8, tags: Words8, lanes: LaneSet);

    /// Adds a count.
    fn add(&mut self, count: u64, tag: u64);
}

/// The sum of all counts, each multiplied by its tag.
pub(super) struct WeightedSum {
    /// Products with the lower and the upper half of tags that are not yet part of the sum.
    low: Words8,
    high: Words8,
    pending: u32,
    sum: Option<u128>,
}

impl WeightedSum {
    /// A count has less than 22 bits: at most 16 moves end on a square, and a promotion is four.
    /// So products have less than 54, and so many add up to less than 64.
    const MAX_PENDING: u32 = 1 << 10;

    pub fn new(level: Avx512) -> Self {
        let zero = Words8::splat(level, 0);
        Self { low: zero, high: zero, pending: 0, sum: Some(0) }
    }

    /// The sum so far, `None` if it does not fit.
    pub fn take(&mut self) -> Option<u128> {
        self.drain();
        self.sum.replace(0)
    }

    fn drain(&mut self) {
        let zero = self.low.zero();
        let low = std::mem::replace(&mut self.low, zero).words();
        let high = std::mem::replace(&mut self.high, zero).words();
        for (low, high) in low.into_iter().zip(high) {
            let words = u128::from(low) + (u128::from(high) << 32);
            self.sum = self.sum.and_then(|sum| sum.checked_add(words));
        }
        self.pending = 0;
    }
}

impl Receiver for WeightedSum {
    #[inline(always)]
    fn add8(&mut self, counts: Words8, tags: Words8, lanes: LaneSet) {
        let counts = counts.only(lanes);
        self.low += counts.times(tags);
        self.high += counts.times(tags.shr::<32>());
        self.pending += 1;
        if self.pending == Self::MAX_PENDING {
            self.drain();
        }
    }

    #[inline(always)]
    fn add(&mut self, count: u64, tag: u64) {
        let count = u128::from(count) * u128::from(tag);
        self.sum = self.sum.and_then(|sum| sum.checked_add(count));
    }
}

/// A count for each tag.
impl Receiver for Vec<u64> {
    #[inline(always)]
    fn add8(&mut self, counts: Words8, tags: Words8, lanes: LaneSet) {
        let (counts, tags) = (counts.only(lanes).words(), tags.words());
        for (count, tag) in counts.into_iter().zip(tags) {
            if let Some(sum) = self.get_mut(tag as usize) {
                *sum += count;
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, count: u64, tag: u64) {
        self[tag as usize] += count;
    }
}

/// Positions of one tree with two plies left, one side to move in all of them.
pub(super) struct Batch<R> {
    level: Avx512,
    us: Color,
    castlings: Castlings,
    nodes: BoardList<NODES>,
    exceptional: BoardList<EXCEPTIONAL>,
    exceptions: Exceptions,
    moves: MoveBuffer,
    receiver: R,
}

impl<R: Receiver> Batch<R> {
    /// No positions. Those to come are behind `root`, with `us` to move.
    pub fn new(level: Avx512, root: &Board, us: Color, receiver: R) -> Box<Self> {
        Box::new(Self {
            level,
            us,
            castlings: Castlings::new(root, us),
            nodes: BoardList::EMPTY,
            exceptional: BoardList::EMPTY,
            exceptions: Exceptions::NONE,
            moves: MoveBuffer::EMPTY,
            receiver,
        })
    }

    /// Adds a position with two plies left.
    #[inline(always)]
    pub fn add(&mut self, board: &Board, tag: u64) {
        debug_assert_eq!(board.side_to_move(), self.us);
        if self.nodes.is_full() {
            self.run(false);
        }
        self.nodes.push(&Boards::new(board, self.us, tag));
    }

    /// Adds all children of a position with three plies left, given its legal moves.
    #[inline(always)]
    pub fn add_children<Them: Side>(
        &mut self,
        sliders: impl Sliders + Copy,
        board: &Board,
        mut moves: MoveList,
        tag: u64,
    ) {
        debug_assert_eq!(Them::COLOR, !self.us);
        let our_pawns = board.colored_pieces(self.us, Piece::Pawn);
        let beside = our_pawns.east() | our_pawns.west();
        let is_plain = |mv: &Move| match mv.kind() {
            MoveKind::Castle | MoveKind::EnPassant => false,
            MoveKind::DoublePush => !beside.contains(mv.to()),
            _ => true,
        };
        for &mv in moves.iter().filter(|mv| !is_plain(mv)) {
            let mut child = *board;
            child.make_as::<Them>(sliders, mv);
            self.add(&child, tag);
        }
        moves.retain(|mv| is_plain(mv));
        add_plain_children(self.level, self, board, &moves, tag);
    }

    /// Counts what is left, and returns the receiver.
    pub fn finish(&mut self) -> &mut R {
        self.run(true);
        &mut self.receiver
    }

    /// Counts what fills vectors or, at the end, everything.
    #[inline(always)]
    fn run(&mut self, to_the_end: bool) {
        count_nodes(self.level, self, to_the_end);
    }

    /// Counts the replies to exceptional moves that fill vectors or, at the end, to all.
    #[inline(always)]
    fn count_replies(&mut self, to_the_end: bool) {
        count_replies(self.level, self, to_the_end);
    }
}

impl Batch<Vec<u64>> {
    /// Adds a position with two plies left whose count is the next one of the receiver.
    pub fn add_counted(&mut self, board: &Board) {
        let tag = self.receiver.len() as u64;
        self.receiver.push(0);
        self.add(board, tag);
    }
}

outlined! {
    /// Adds the children of a position after plain moves.
    fn add_plain_children<R: Receiver>(
        level: Avx512,
        batch: &mut Batch<R>,
        board: &Board,
        moves: &[Move],
        tag: u64,
    ) {
        let us = batch.us;
        let parent = Boards::new(board, us, tag);
        let parents = parent.map(|word| Words8::splat(level, word));
        // Their squares as seen by us.
        let flip = if us == Color::White { 0 } else { 56 };
        for moves in moves.chunks(LANES) {
            if batch.nodes.is_full() {
                batch.run(false);
            }
            let mut codes = [0; LANES];
            for (code, mv) in codes.iter_mut().zip(moves) {
                *code = u64::from(mv.bits());
            }
            let codes = Words8::load(level, &codes);
            let (from, to) = (((codes & 63) ^ flip).bit(), ((codes.shr::<6>() & 63) ^ flip).bit());
            batch.nodes.push8(&parents.after(from, to, codes.shr::<12>()), moves.len());
        }
    }
}

outlined! {
    /// Counts the nodes that fill vectors or, at the end, all.
    fn count_nodes<R: Receiver>(level: Avx512, batch: &mut Batch<R>, to_the_end: bool) {
        let len = batch.nodes.len();
        let mut at = 0;
        while len - at >= LANES || (to_the_end && len > at) {
            let count = (len - at).min(LANES);
            batch.run8(at, count);
            at += count;
        }
        batch.nodes.remove_first(level, at);
        if to_the_end {
            batch.count_replies(true);
        }
    }
}

impl<R: Receiver> Batch<R> {
    /// Counts the nodes from an index on, at most eight.
    #[inline(always)]
    fn run8(&mut self, at: usize, count: usize) {
        let level = self.level;
        let boards = self.nodes.load(level, at);
        let live = first_lanes(count);
        let sums = sum8(level, &boards, &self.castlings, &mut self.exceptions);
        self.receiver.add8(sums, boards.tag, live);
        for lane in Bitboard((boards.en_passant.lanes() & live).into()) {
            let board = boards.map(|words| words.lane(lane.index()));
            for after in board.after_en_passant() {
                self.add_exceptional(&after);
            }
        }
        self.make_exceptions(&boards, live);
    }
}

/// The first `count` of eight lanes.
fn first_lanes(count: usize) -> LaneSet {
    ((1_u32 << count) - 1) as LaneSet
}

outlined! {
    /// Counts the replies to exceptional moves that fill vectors or, at the end, to all.
    fn count_replies<R: Receiver>(level: Avx512, batch: &mut Batch<R>, to_the_end: bool) {
        let len = batch.exceptional.len();
        let mut at = 0;
        while len - at >= LANES || (to_the_end && len > at) {
            let count = (len - at).min(LANES);
            let boards = batch.exceptional.load(level, at);
            let replies = replies8(level, &boards, &batch.castlings);
            batch.receiver.add8(replies, boards.tag, first_lanes(count));
            at += count;
        }
        batch.exceptional.remove_first(level, at);
    }
}

outlined! {
    /// The number of replies in eight positions.
    fn replies8(_level: Avx512, boards: &Boards<Words8>, castlings: &Castlings) -> Words8 {
        replies::count(boards, &castlings.theirs)
    }
}

outlined! {
    /// The sums over our moves at eight nodes.
    fn sum8(
        _level: Avx512,
        boards: &Boards<Words8>,
        castlings: &Castlings,
        exceptions: &mut Exceptions,
    ) -> Words8 {
        let node = Node8::new(*boards, castlings);
        let limits = node.limits();
        let their_king = node.their_king(&limits);
        let replies = node.replies(&their_king);
        exceptions.clear();
        node.sum(&limits, &their_king, &replies, exceptions)
    }
}

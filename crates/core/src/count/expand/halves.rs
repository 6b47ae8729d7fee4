//! The halves of one side, each stored once, and the moves between them.
//!
//! The half after a move depends on the half before it alone, whatever the other side has. So it is
//! looked up by the move, once any position has had it, and positions of a group are merged by the
//! number of their half: nothing is hashed or compared.

use crate::attacks::{self, Sliders};
use crate::board::{Board, PackedHalf};
use crate::count::CountError;
use crate::count::distinct::Multiplicity;
use crate::movegen::{self, MoveSink};
use crate::sys::memory::prefetch;
use crate::types::{
    Bitboard, CastlingSide, Color, MAX_MOVES, Move, MoveKind, MoveList, Piece, Side, Square,
};

/// A number of lines that lead to a position.
pub(in crate::count) trait Lines: Multiplicity + Copy + PartialEq {
    const NONE: Self;

    /// The sum, and whether it does not fit.
    fn overflowing_add(self, other: Self) -> (Self, bool);
}

impl Lines for u64 {
    const NONE: Self = 0;

    #[inline(always)]
    fn overflowing_add(self, other: Self) -> (Self, bool) {
        self.overflowing_add(other)
    }
}

impl Lines for u128 {
    const NONE: Self = 0;

    #[inline(always)]
    fn overflowing_add(self, other: Self) -> (Self, bool) {
        self.overflowing_add(other)
    }
}

/// The number of a half.
pub(in crate::count) type HalfId = u32;

/// The half after a move that no position has had yet, or the moves of a half that had none.
const UNKNOWN: u32 = u32::MAX;

/// A half.
#[derive(Clone, Copy)]
pub(in crate::count) struct KnownHalf {
    pub half: PackedHalf,
    pub hash: u64,
    /// The index of its first [`Moves`], and that of the half after the first of them.
    first_moves: u32,
    first_after: u32,
}

/// A half whose number is looked up.
pub(super) struct Numbered {
    half: PackedHalf,
    hash: u64,
    pub id: HalfId,
}

/// The moves of one piece, or of all pawns in one direction.
#[derive(Clone, Copy)]
struct Moves {
    /// The targets on a board without the other side, captures of pawns included.
    targets: Bitboard,
    /// The index in [`Halves::after`] of the half after the move to the lowest target.
    first: u32,
}

/// The moves of a half, in the order of [`Halves::moves`]. Those of the pieces other than pawns
/// follow, by square.
mod of {
    pub const PUSHES: usize = 0;
    pub const DOUBLE_PUSHES: usize = 1;
    pub const EAST_CAPTURES: usize = 2;
    pub const WEST_CAPTURES: usize = 3;
    /// To four pieces each.
    pub const PROMOTIONS: [usize; 3] = [4, 5, 6];
    /// To two sides; not by target.
    pub const CASTLING: usize = 7;
    pub const PIECES: usize = 8;
}

/// A position after a capture.
#[derive(Clone, Copy)]
struct Capture<L> {
    /// Our half after it.
    half: HalfId,
    /// The square of the captured piece.
    on: Square,
    lines: L,
}

/// The halves of one side, and of a group of positions the lines to them.
pub(in crate::count) struct Halves<L> {
    side: Color,
    halves: Vec<KnownHalf>,
    moves: Vec<Moves>,
    after: Vec<HalfId>,
    /// Numbers of halves, [`UNKNOWN`] if empty, found by open addressing. Their number is a power of
    /// two.
    slots: Vec<HalfId>,
    /// For each half the lines to the position of the group that has it.
    lines: Vec<L>,
    /// The halves of the group. There is room for all, and for all moves of one position.
    group: Vec<HalfId>,
    len: usize,
    /// The positions of the group after captures.
    captures: Vec<Capture<L>>,
    /// Set if a number of lines did not fit.
    overflowed: bool,
}

impl<L: Lines> Halves<L> {
    const MIN_SLOTS: usize = 1 << 10;

    /// The room of an empty group.
    const MIN_GROUP: usize = MAX_MOVES + 1;

    /// The most memory of which no index exceeds 32 bits: less than half of those that would, since
    /// the memory is looked at now and then only.
    pub const MAX_BYTES: usize = match (u32::MAX as usize / 2).checked_mul(size_of::<HalfId>()) {
        Some(bytes) => bytes,
        None => usize::MAX,
    };

    pub fn new() -> Self {
        Self {
            side: Color::White,
            halves: Vec::new(),
            moves: Vec::new(),
            after: Vec::new(),
            slots: vec![UNKNOWN; Self::MIN_SLOTS],
            lines: Vec::new(),
            group: vec![UNKNOWN; Self::MIN_GROUP],
            len: 0,
            captures: Vec::new(),
            overflowed: false,
        }
    }

    /// The memory in use.
    pub fn bytes(&self) -> usize {
        let of_half = size_of::<KnownHalf>() + size_of::<HalfId>() + size_of::<L>();
        self.halves.len() * of_half
            + self.slots.len() * size_of::<HalfId>()
            + self.moves.len() * size_of::<Moves>()
            + self.after.len() * size_of::<HalfId>()
            + self.captures.len() * size_of::<Capture<L>>()
    }

    /// Ends the group, whatever is left of it.
    #[inline(always)]
    pub fn end_group(&mut self) {
        for &id in &self.group[..self.len] {
            self.lines[id as usize] = L::NONE;
        }
        self.len = 0;
        self.captures.clear();
        self.overflowed = false;
    }

    /// Starts with a side. Forgets the halves of the other one.
    pub fn start(&mut self, side: Color) {
        self.end_group();
        if self.side != side {
            self.clear();
            self.side = side;
        }
    }

    /// Forgets all halves; the group must be empty.
    pub fn clear(&mut self) {
        debug_assert!(self.len == 0 && self.captures.is_empty());
        self.halves.clear();
        self.moves.clear();
        self.after.clear();
        self.slots.truncate(Self::MIN_SLOTS);
        self.slots.fill(UNKNOWN);
        self.lines.clear();
        self.group.truncate(Self::MIN_GROUP);
    }

    /// The half with a number.
    #[inline(always)]
    pub fn known(&self, id: HalfId) -> &KnownHalf {
        &self.halves[id as usize]
    }

    #[inline(always)]
    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// The numbers of halves. The cache lines of each arrive while others are looked up.
    #[inline(always)]
    pub(super) fn ids_of(
        &mut self,
        halves: impl Iterator<Item = PackedHalf>,
        ids: &mut Vec<Numbered>,
    ) {
        ids.clear();
        ids.extend(halves.map(|half| Numbered { half, hash: half.hash(), id: UNKNOWN }));
        for Numbered { hash, .. } in &*ids {
            prefetch(&self.slots[self.first_slot(*hash)]);
        }
        for Numbered { hash, .. } in &*ids {
            let id = self.slots[self.first_slot(*hash)];
            if let Some(known) = self.halves.get(id as usize) {
                prefetch(known);
            }
        }
        for Numbered { half, hash, id } in ids {
            *id = self.id_of_hashed(half, *hash);
        }
    }

    /// Fetches the moves of a half ahead of [`Self::add_moves`].
    #[inline(always)]
    pub fn prefetch_moves(&self, id: HalfId) {
        let known = self.known(id);
        if let Some(moves) = self.moves.get(known.first_moves as usize..) {
            for moves in moves.iter().step_by(4).take(4) {
                prefetch(moves);
            }
        }
        if let Some(after) = self.after.get(known.first_after as usize..) {
            for after in after.iter().step_by(16).take(3) {
                prefetch(after);
            }
        }
    }

    /// The number of a half.
    #[inline(always)]
    pub fn id_of(&mut self, half: &PackedHalf) -> HalfId {
        self.id_of_hashed(half, half.hash())
    }

    /// [`Self::id_of`] with the hash of the half.
    #[inline(always)]
    fn id_of_hashed(&mut self, half: &PackedHalf, hash: u64) -> HalfId {
        let mut slot = self.first_slot(hash);
        loop {
            let id = self.slots[slot];
            if id == UNKNOWN {
                return self.insert(slot, half, hash);
            }
            if self.known(id).half == *half {
                return id;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&mut self, slot: usize, half: &PackedHalf, hash: u64) -> HalfId {
        let id = self.halves.len() as HalfId;
        self.slots[slot] = id;
        let (half, first_moves, first_after) = (*half, UNKNOWN, UNKNOWN);
        self.halves.push(KnownHalf { half, hash, first_moves, first_after });
        self.group.push(UNKNOWN);
        self.lines.push(L::NONE);
        if 2 * self.halves.len() > self.slots.len() {
            let slots = 2 * self.slots.len();
            self.slots.clear();
            self.slots.resize(slots, UNKNOWN);
            for (id, known) in self.halves.iter().enumerate() {
                let mut slot = known.hash as usize & (slots - 1);
                while self.slots[slot] != UNKNOWN {
                    slot = (slot + 1) & (slots - 1);
                }
                self.slots[slot] = id as HalfId;
            }
        }
        id
    }

    /// Adds a position with a half of ours to the group.
    #[inline(always)]
    pub fn add_position(&mut self, half: &PackedHalf, lines: L) {
        let id = self.id_of(half);
        self.add(id, lines);
    }

    /// Adds a position to the group, or its lines to those of an equal one. Without lines nothing is
    /// merged: the group then lists every move.
    #[inline(always)]
    fn add(&mut self, id: HalfId, lines: L) {
        let sum = &mut self.lines[id as usize];
        // No branch: it would be mispredicted as often as not.
        self.group[self.len] = id;
        self.len += usize::from(*sum == L::NONE);
        let overflows;
        (*sum, overflows) = sum.overflowing_add(lines);
        self.overflowed |= overflows;
    }

    /// The number of positions of the group, without those after captures.
    ///
    /// # Errors
    /// If a number of lines did not fit.
    pub fn len(&self) -> Result<usize, CountError> {
        if self.overflowed { Err(CountError::Overflow) } else { Ok(self.len) }
    }

    /// The numbers of the halves of the group.
    pub fn group(&self) -> &[HalfId] {
        &self.group[..self.len]
    }

    /// The number of halves that are known.
    pub fn known_len(&self) -> usize {
        self.halves.len()
    }

    /// Our half in a position of the group, and the lines to it, which are none from then on.
    #[inline(always)]
    pub fn take(&mut self, index: usize) -> (KnownHalf, L) {
        if let Some(&ahead) = self.group[..self.len].get(index + 8) {
            prefetch(self.known(ahead));
        }
        let id = self.group[index];
        let lines = &mut self.lines[id as usize];
        (self.halves[id as usize], std::mem::replace(lines, L::NONE))
    }

    /// The positions of the group after captures: our half, the square of the captured piece, and
    /// the lines.
    #[inline(always)]
    pub fn captures(&self) -> impl Iterator<Item = (KnownHalf, Square, L)> {
        self.captures.iter().map(|of| (*self.known(of.half), of.on, of.lines))
    }

    /// Adds the positions after all moves of `Us` to the group or to the captures, but for those
    /// that change more than our half and the square of arrival: they are returned, and so are all
    /// double pushes if they are asked for.
    ///
    /// The board has the half with this number.
    #[inline(always)]
    pub fn add_moves<S: Sliders + Copy, Us: Side>(
        &mut self,
        sliders: S,
        board: &Board,
        id: HalfId,
        lines: L,
        all_double_pushes: bool,
    ) -> MoveList {
        if self.known(id).first_moves == UNKNOWN {
            self.list_moves::<S, Us>(sliders, id);
        }
        let first = self.known(id).first_moves as usize;
        let us = Us::COLOR;
        debug_assert_eq!(us, self.side);
        let their_pawns = board.colored_pieces(us.opponent(), Piece::Pawn);
        let mut adder = Adder {
            us,
            halves: self,
            id,
            first,
            pieces: board.colors(us) - board.pieces(Piece::Pawn),
            theirs: board.colors(us.opponent()),
            apart: match all_double_pushes {
                true => Bitboard::FULL,
                false => their_pawns.east() | their_pawns.west(),
            },
            lines,
            others: MoveList::new(),
        };
        movegen::generate::<S, Us>(sliders, board, &mut adder);
        adder.others
    }

    /// Lists the moves of a half.
    #[cold]
    #[inline(never)]
    fn list_moves<S: Sliders + Copy, Us: Side>(&mut self, sliders: S, id: HalfId) {
        let us = Us::COLOR;
        let half = self.known(id).half;
        let ours = half.squares();
        let pawns = half.pieces(Piece::Pawn);
        let last = Bitboard::rank(us.promotion_rank());
        let front = pawns.forward(us);
        let push = front - ours;
        let double = (push & Bitboard::rank(us.third_rank())).forward(us) - ours;
        let (east, west) = (front.east() - ours, front.west() - ours);
        let known = &mut self.halves[id as usize];
        known.first_moves = self.moves.len() as u32;
        known.first_after = self.after.len() as u32;
        let mut add = |targets: Bitboard, halves: u32| {
            let first = self.after.len();
            self.moves.push(Moves { targets, first: first as u32 });
            self.after.resize(first + halves as usize, UNKNOWN);
        };
        for targets in [push - last, double, east - last, west - last] {
            add(targets, targets.len());
        }
        for targets in [push & last, east & last, west & last] {
            add(targets, 4 * targets.len());
        }
        add(Bitboard::EMPTY, 2);
        for from in ours - pawns {
            let is = |piece: Piece| half.pieces(piece).contains(from);
            let targets = if is(Piece::Knight) {
                attacks::knight(from)
            } else if is(Piece::King) {
                attacks::king(from)
            } else if is(Piece::Bishop) {
                sliders.bishop(from, ours)
            } else if is(Piece::Rook) {
                sliders.rook(from, ours)
            } else {
                sliders.queen(from, ours)
            };
            let targets = targets - ours;
            add(targets, targets.len());
        }
    }
}

/// The number of squares of a set below one.
#[inline(always)]
fn rank_in(set: Bitboard, square: Square) -> usize {
    (set.0 & (square.bitboard().0 - 1)).count_ones() as usize
}

/// Adds positions after moves to the group.
struct Adder<'a, L> {
    us: Color,
    halves: &'a mut Halves<L>,
    /// Our half before the move, and the index of its moves.
    id: HalfId,
    first: usize,
    /// Ours, without pawns.
    pieces: Bitboard,
    theirs: Bitboard,
    /// Double pushes to these squares are not added: as a rule those next to their pawns.
    apart: Bitboard,
    lines: L,
    others: MoveList,
}

impl<L: Lines> Adder<'_, L> {
    /// The half after a move, given its index.
    #[inline(always)]
    fn after(&mut self, index: usize, mv: Move) -> HalfId {
        let id = self.halves.after[index];
        if id == UNKNOWN { self.learn(index, mv) } else { id }
    }

    /// The half after a move that no position has had yet.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, index: usize, mv: Move) -> HalfId {
        let half = self.halves.known(self.id).half.after(self.us, mv);
        let id = self.halves.id_of(&half);
        self.halves.after[index] = id;
        id
    }

    /// Adds the moves of a piece, or of pawns, to each of `targets`.
    #[inline(always)]
    fn add(&mut self, of: usize, targets: Bitboard, mv: impl Fn(Square) -> Move) {
        if targets.is_empty() {
            return;
        }
        let Moves { targets: all, first } = self.halves.moves[self.first + of];
        let index = |to: Square| first as usize + rank_in(all, to);
        for to in targets - self.theirs {
            let id = self.after(index(to), mv(to));
            self.halves.add(id, self.lines);
        }
        for to in targets & self.theirs {
            let half = self.after(index(to), mv(to));
            self.halves.captures.push(Capture { half, on: to, lines: self.lines });
        }
    }
}

impl<L: Lines> MoveSink for Adder<'_, L> {
    #[inline(always)]
    fn piece(&mut self, kind: MoveKind, from: Square, targets: Bitboard) {
        let of = of::PIECES + rank_in(self.pieces, from);
        self.add(of, targets, |to| Move::new(from, to, kind));
    }

    #[inline(always)]
    fn pawns(&mut self, kind: MoveKind, targets: Bitboard, delta: i8) {
        let mv = |to: Square| Move::new(to.offset(-delta), to, kind);
        if kind == MoveKind::DoublePush {
            self.others.extend((targets & self.apart).into_iter().map(mv));
            self.add(of::DOUBLE_PUSHES, targets - self.apart, mv);
            return;
        }
        let of = match delta - self.us.up() {
            0 => of::PUSHES,
            Square::EAST => of::EAST_CAPTURES,
            _ => of::WEST_CAPTURES,
        };
        self.add(of, targets, mv);
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8) {
        let [push, east, west] = of::PROMOTIONS;
        let of = match delta - self.us.up() {
            0 => push,
            Square::EAST => east,
            _ => west,
        };
        for to in targets {
            let Moves { targets: all, first } = self.halves.moves[self.first + of];
            let first = first as usize + 4 * rank_in(all, to);
            for (piece, kind) in MoveKind::PROMOTIONS.into_iter().enumerate() {
                let half = self.after(first + piece, Move::new(to.offset(-delta), to, kind));
                if self.theirs.contains(to) {
                    self.halves.captures.push(Capture { half, on: to, lines: self.lines });
                } else {
                    self.halves.add(half, self.lines);
                }
            }
        }
    }

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        if mv.kind() != MoveKind::Castle {
            self.others.push(mv);
            return;
        }
        let first = self.halves.moves[self.first + of::CASTLING].first as usize;
        let id = self.after(first + CastlingSide::of(mv.from(), mv.to()) as usize, mv);
        self.halves.add(id, self.lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::magic::Magic;
    use crate::board::PackedBoard;
    use crate::positions::random::{
        chess960_start, crowded_placement, random_game, random_placement,
    };
    use crate::random::Rng;
    use crate::types::by_side;

    /// The positions after all moves, by halves.
    fn children<Us: Side>(halves: &mut Halves<u64>, board: &Board) -> Vec<PackedBoard> {
        let packed = board.pack();
        let theirs = packed.half(Us::Them::COLOR);
        halves.start(Us::COLOR);
        let mut ids = Vec::new();
        halves.ids_of([packed.half(Us::COLOR)].into_iter(), &mut ids);
        assert_eq!(halves.id_of(&packed.half(Us::COLOR)), ids[0].id);
        let others = halves.add_moves::<_, Us>(Magic, board, ids[0].id, 3, false);
        let without = packed.without_en_passant();
        let others = others.into_iter().map(|mv| board.pack_after::<Us>(Magic, &without, mv));
        let mut children: Vec<PackedBoard> = others.collect();
        for index in 0..halves.len().expect("multiplicities are small") {
            let (known, multiplicity) = halves.take(index);
            assert_eq!((known.hash, multiplicity), (known.half.hash(), 3));
            children.push(PackedBoard::of_halves::<Us::Them>(&theirs, &known.half));
        }
        for (known, on, multiplicity) in halves.captures() {
            assert_eq!(multiplicity, 3);
            let theirs = theirs.without(on.bitboard());
            children.push(PackedBoard::of_halves::<Us::Them>(&theirs, &known.half));
        }
        halves.end_group();
        children.sort_unstable();
        children
    }

    #[test]
    fn halves_after_moves_are_those_of_made_moves() {
        let mut rng = Rng::new(5);
        let mut halves = [Halves::new(), Halves::new()];
        let mut boards = Vec::new();
        for number in 0..40 {
            boards.extend(random_game(&mut rng, Board::startpos(), 100));
            boards.extend(random_game(&mut rng, chess960_start(number * 24), 100));
            boards.extend((0..50).map(|_| random_placement(&mut rng)));
            boards.extend((0..5).map(|_| crowded_placement(&mut rng)));
        }
        // Each twice: the second time all halves are known.
        for board in boards.iter().flat_map(|board| [board, board]) {
            if board.occupied() == Bitboard::FULL {
                continue;
            }
            let made = board.legal_moves().into_iter().map(|mv| {
                let mut child = *board;
                child.make(mv);
                child.pack()
            });
            let mut made: Vec<PackedBoard> = made.collect();
            made.sort_unstable();
            let us = board.side_to_move();
            let found = by_side!(us, Us => children::<Us>(&mut halves[us.index()], board));
            assert_eq!(found, made, "{board}");
        }
    }

    #[test]
    fn equal_halves_are_merged_until_they_do_not_fit() {
        let mut halves = Halves::<u64>::new();
        halves.start(Color::White);
        let half = Board::startpos().pack().half(Color::White);
        let other = half.without(Square::A2.bitboard());
        let take_all = |halves: &mut Halves<u64>| {
            let group: Vec<_> = (0..halves.len()?).map(|index| halves.take(index)).collect();
            Ok(group.into_iter().map(|(known, multiplicity)| (known.half, multiplicity)).collect())
        };
        for (half, multiplicity) in [(half, 1), (other, u64::MAX), (half, 5)] {
            halves.add_position(&half, multiplicity);
        }
        assert_eq!(take_all(&mut halves), Ok(vec![(half, 6), (other, u64::MAX)]));
        halves.end_group();
        assert_eq!(take_all(&mut halves), Ok(Vec::new()));
        halves.add_position(&other, u64::MAX);
        halves.add_position(&other, 1);
        assert_eq!(take_all(&mut halves), Err(CountError::Overflow));
        // Nothing is left of it, nor of a group that was not taken.
        halves.start(Color::White);
        halves.add_position(&half, 1);
        halves.end_group();
        halves.add_position(&half, 2);
        assert_eq!(take_all(&mut halves), Ok(vec![(half, 2)]));
    }

    #[test]
    fn many_halves_are_found_again() {
        let mut halves = Halves::<u64>::new();
        let full = Board::startpos().pack().half(Color::White);
        let all = (0_u64..5000).map(|set| full.without(Bitboard(set)));
        let ids: Vec<HalfId> = all.clone().map(|half| halves.id_of(&half)).collect();
        let bytes = halves.bytes();
        assert!(all.clone().zip(&ids).all(|(half, &id)| halves.id_of(&half) == id));
        assert_eq!(halves.bytes(), bytes);
        halves.clear();
        assert!(halves.bytes() < bytes / 10);
        assert!(all.map(|half| halves.id_of(&half)).eq(ids));
    }
}

//! Our moves that are made, eight at a time.

use super::boards::{Boards, Promotion, THEIR_BACK_RANK};
use super::rays::KNIGHT_STEPS;
use super::words::{LANES, LaneSet, Words8, packed_bits, squares16};
use super::{Batch, Receiver};
use crate::attacks::directions::{RAYS, opposite};
use crate::sys::cpu::{Avx512, outlined};
use crate::types::Bitboard;

/// The moves of one kind of piece in one direction: the target square gives the origin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Family(usize);

impl Family {
    pub const KING: Self = Self(16);
    pub const PUSH: Self = Self(17);
    pub const EAST_CAPTURE: Self = Self(18);
    pub const WEST_CAPTURE: Self = Self(19);
    pub const DOUBLE_PUSH: Self = Self(20);
    /// The families from here on are rare, and not only pieces that move.
    pub const PROMOTION: Self = Self(21);
    pub const EAST_PROMOTION: Self = Self(22);
    pub const WEST_PROMOTION: Self = Self(23);
    pub const CASTLINGS: [Self; 2] = [Self(24), Self(25)];
    /// Double pushes that they may capture en passant. These are not made: the captures are added
    /// to the other replies.
    pub const EN_PASSANT: Self = Self(26);

    pub const fn slider(direction: usize) -> Self {
        Self(direction)
    }

    pub const fn knight(hop: usize) -> Self {
        Self(8 + hop)
    }
}

/// The number of families.
const FAMILIES: usize = 27;
/// The number of those whose moves are listed together.
const COMMON: usize = 21;

/// A move of one of eight positions, in bits: the target square; the rotation from there to the
/// origin; the lane; the flags below; and the index of the ray on which a slider came.
struct MoveCode;

impl MoveCode {
    const ROTATION: u32 = 8;
    const LANE: u32 = 16;
    const TO_KNIGHT: u64 = 1 << 24;
    const TO_DIAGONAL: u64 = 1 << 25;
    const TO_ORTHOGONAL: u64 = 1 << 26;
    const PROMOTES: u64 = 1 << 27;
    /// The origin is the first piece on a ray up a line.
    const FROM_ABOVE: u64 = 1 << 28;
    /// The origin is the first piece on a ray down a line.
    const FROM_BELOW: u64 = 1 << 29;
    const KING: u64 = 1 << 30;
    const RAY: u32 = 32;

    const PROMOTIONS: [u64; 4] = [
        Self::PROMOTES | Self::TO_KNIGHT,
        Self::PROMOTES | Self::TO_DIAGONAL,
        Self::PROMOTES | Self::TO_ORTHOGONAL,
        Self::PROMOTES | Self::TO_DIAGONAL | Self::TO_ORTHOGONAL,
    ];

    /// All but the target square and the lane.
    const fn of(family: usize) -> u64 {
        const PAWNS: [i32; 7] = [8, 9, 7, 16, 8, 9, 7];
        let distance = match family {
            0..8 => {
                let back = opposite(family);
                let side = if back < family { Self::FROM_ABOVE } else { Self::FROM_BELOW };
                return side | (back as u64) << 6 << Self::RAY;
            }
            8..16 => KNIGHT_STEPS[family - 8],
            16 => return Self::KING,
            17..24 => PAWNS[family - 17],
            _ => 0,
        };
        ((64 - distance) as u64 & 63) << Self::ROTATION
    }
}

/// What all moves of a family have in common.
static CODES: [u64; FAMILIES] = {
    let mut codes = [0; FAMILIES];
    let mut family = 0;
    while family < FAMILIES {
        codes[family] = MoveCode::of(family);
        family += 1;
    }
    codes
};

/// Sets of our moves that are to be made, by family.
pub(super) struct Exceptions {
    targets: [[u64; LANES]; FAMILIES],
    /// The positions whose set is not empty. Else it is left from another time.
    lanes: [LaneSet; 32],
}

impl Exceptions {
    pub const NONE: Self = Self { targets: [[0; LANES]; FAMILIES], lanes: [0; 32] };

    #[inline(always)]
    pub fn clear(&mut self) {
        self.lanes = [0; 32];
    }

    #[inline(always)]
    pub fn set(&mut self, family: Family, targets: Words8) {
        targets.store(&mut self.targets[family.0]);
        self.lanes[family.0] = targets.lanes();
    }

    /// The sets of families that are not rare, as family times eight plus lane, and their number.
    #[inline(always)]
    fn common(&self, level: Avx512, live: LaneSet) -> ([u8; 256], usize) {
        let mut list = [0; 256];
        let mut len = 0;
        for (word, families) in self.lanes.chunks_exact(8).take(3).enumerate() {
            let lanes = families.try_into().map(u64::from_le_bytes).unwrap_or_default();
            let mut lanes = lanes & (u64::from(live) * 0x0101_0101_0101_0101);
            if word == COMMON / 8 {
                lanes &= (1 << (8 * (COMMON % 8))) - 1;
            }
            let place = &mut list[len..][..64];
            place.copy_from_slice(&packed_bits(level, lanes, 64 * word as u8));
            len += lanes.count_ones() as usize;
        }
        (list, len)
    }
}

/// Moves of eight positions that are to be made.
pub(super) struct MoveBuffer {
    codes: [u64; Self::ROOM],
    len: usize,
}

impl MoveBuffer {
    /// One set of moves at a time is added, and vectors are stored whole.
    const ROOM: usize = 512;
    const MAX_LEN: usize = Self::ROOM - 64 - LANES;

    pub const EMPTY: Self = Self { codes: [0; Self::ROOM], len: 0 };

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.len > Self::MAX_LEN
    }

    #[inline(always)]
    fn push(&mut self, code: u64) {
        self.codes[self.len] = code;
        self.len += 1;
    }

    /// Adds the moves to all squares of a set.
    #[inline(always)]
    fn push_set(&mut self, level: Avx512, code: u64, targets: u64) {
        let len = targets.count_ones() as usize;
        if len > 16 {
            for to in Bitboard(targets) {
                self.push(code | to.index() as u64);
            }
            return;
        }
        let [low, high] = squares16(level, targets);
        let place = &mut self.codes[self.len..];
        (low | code).store(place.first_chunk_mut().expect("the buffer is not full"));
        if len > 8 {
            (high | code).store(place[8..].first_chunk_mut().expect("the buffer is not full"));
        }
        self.len += len;
    }
}

/// Makes moves in the eight positions, one of each code. Returns positions with them to move.
#[inline(always)]
fn make8(boards: &Boards<Words8>, codes: Words8) -> Boards<Words8> {
    let has = |flag: u64| codes.intersects(codes.with_all(flag));
    let lane = codes.shr::<{ MoveCode::LANE }>();
    let parents = boards.map(|words| words.permuted(lane));
    let target = codes & 63;
    let to = target.bit();
    let ray = (codes.shr::<{ MoveCode::RAY }>() | target).look_up(&RAYS)
        & (parents.ours | parents.theirs);
    let from = to
        .rotated(codes.shr::<{ MoveCode::ROTATION }>() & 63)
        .replaced(has(MoveCode::FROM_ABOVE), ray.first())
        .replaced(has(MoveCode::FROM_BELOW), ray.last())
        .replaced(has(MoveCode::KING), parents.kings & parents.ours);
    let promotion = Promotion {
        any: has(MoveCode::PROMOTES),
        knight: has(MoveCode::TO_KNIGHT),
        diagonal: has(MoveCode::TO_DIAGONAL),
        orthogonal: has(MoveCode::TO_ORTHOGONAL),
    };
    Boards {
        ours: (parents.ours & !from) | to,
        theirs: parents.theirs & !to,
        // Only their rights matter from here on.
        castling: parents.castling & !to & THEIR_BACK_RANK,
        ..parents.moved(from, to, promotion)
    }
}

impl<R: Receiver> Batch<R> {
    /// Makes the exceptional moves of eight positions.
    #[inline(always)]
    pub(super) fn make_exceptions(&mut self, boards: &Boards<Words8>, live: LaneSet) {
        let (list, len) = self.exceptions.common(self.level, live);
        for &set in &list[..len] {
            let (family, lane) = (usize::from(set) / LANES, usize::from(set) % LANES);
            if self.moves.is_full() {
                self.make_moves(boards);
            }
            let code = CODES[family] | (lane as u64) << MoveCode::LANE;
            self.moves.push_set(self.level, code, self.exceptions.targets[family][lane]);
        }
        if self.exceptions.lanes[COMMON..].iter().any(|&lanes| lanes & live != 0) {
            make_rare(self.level, self, boards, live);
        }
        self.make_moves(boards);
    }

    /// Makes the moves of the buffer.
    #[inline(always)]
    fn make_moves(&mut self, boards: &Boards<Words8>) {
        let len = std::mem::take(&mut self.moves.len);
        for at in (0..len).step_by(LANES) {
            let codes = self.moves.codes[at..].first_chunk().expect("there is room for a vector");
            let made = make8(boards, Words8::load(self.level, codes));
            if self.exceptional.is_full() {
                self.count_replies(false);
            }
            self.exceptional.push8(&made, LANES.min(len - at));
        }
    }

    /// Adds a position with them to move.
    #[inline(always)]
    pub(super) fn add_exceptional(&mut self, board: &Boards<u64>) {
        if self.exceptional.is_full() {
            self.count_replies(false);
        }
        self.exceptional.push(board);
    }
}

outlined! {
    /// Makes promotions and castling of eight positions, and counts the replies en passant.
    fn make_rare<R: Receiver>(
        _level: Avx512,
        batch: &mut Batch<R>,
        boards: &Boards<Words8>,
        live: LaneSet,
    ) {
        for (family, &code) in CODES.iter().enumerate().skip(COMMON) {
            for lane in Bitboard((batch.exceptions.lanes[family] & live).into()) {
                let lane = lane.index();
                let targets = batch.exceptions.targets[family][lane];
                let code = code | (lane as u64) << MoveCode::LANE;
                let parent = boards.map(|words| words.lane(lane));
                if let Some(side) = Family::CASTLINGS.iter().position(|&Family(f)| f == family) {
                    let castled = parent.castled(&batch.castlings.ours[side]);
                    batch.add_exceptional(&castled);
                    continue;
                }
                for to in Bitboard(targets) {
                    if batch.moves.is_full() {
                        batch.make_moves(boards);
                    }
                    if family == Family::EN_PASSANT.0 {
                        let captures = parent.en_passant_replies(to.bitboard().0);
                        batch.receiver.add(captures, parent.tag);
                        continue;
                    }
                    for promotion in MoveCode::PROMOTIONS {
                        batch.moves.push(code | promotion | to.index() as u64);
                    }
                }
            }
        }
    }
}

//! Attacks of sets of sliders, all at once, direction by direction.

use super::super::lanes::Lanes;
use super::super::target::Target;
use crate::types::{Bitboard, File, Piece, Square};

const FILE_A: u64 = Bitboard::file(File::A).0;
const FILE_H: u64 = Bitboard::file(File::H).0;

/// All squares but those that a step up, or down, the line reaches only by wrapping around the edge.
const fn inside(up: bool) -> [u64; 4] {
    if up { [!0, !FILE_A, !FILE_A, !FILE_H] } else { [!0, !FILE_H, !FILE_H, !FILE_A] }
}

/// Every square `N` steps up its line, or down.
#[inline(always)]
fn steps<L: Lanes, const UP: bool, const N: u64>(lanes: L) -> L {
    if UP { lanes.up::<N>() } else { lanes.down::<N>() }
}

/// Every square one step back.
#[inline(always)]
fn back<L: Lanes, const UP: bool>(lanes: L) -> L {
    if UP { lanes.down::<1>() } else { lanes.up::<1>() }
}

/// A set of squares for each of the eight [`directions`](crate::attacks::directions): the four up
/// their lines, and in the same lanes the four down.
#[derive(Clone, Copy)]
pub(super) struct RaySets<L> {
    pub up: L,
    pub down: L,
}

impl<L: Lanes> RaySets<L> {
    /// The intersection, direction by direction.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { up: self.up & other.up, down: self.down & other.down }
    }

    /// The squares that one attacks in a direction and the other in the opposite one: those
    /// between a square of one and a square of the other.
    #[inline(always)]
    pub fn facing(self, other: Self) -> Bitboard {
        let [file, rank, diagonal, anti] =
            ((self.up & other.down) | (self.down & other.up)).words();
        Bitboard(file | rank | diagonal | anti)
    }

    /// Attacks along ranks and files, and along diagonals.
    #[inline(always)]
    pub fn by_kind(self) -> [Bitboard; 2] {
        let [file, rank, diagonal, anti] = (self.up | self.down).words();
        [Bitboard(file | rank), Bitboard(diagonal | anti)]
    }

    /// Attacks along files, along ranks, and along diagonals.
    #[inline(always)]
    pub fn by_line(self) -> [Bitboard; 3] {
        let [file, rank, diagonal, anti] = (self.up | self.down).words();
        [Bitboard(file), Bitboard(rank), Bitboard(diagonal | anti)]
    }

    /// Attacks in any direction.
    #[inline(always)]
    pub fn union(self) -> Bitboard {
        let [orthogonal, diagonal] = self.by_kind();
        orthogonal | diagonal
    }

    /// Squares attacked in at least one direction, and in at least two.
    #[inline(always)]
    pub fn once_and_twice(self) -> [Bitboard; 2] {
        let [a, b, c, d] = (self.up | self.down).words();
        let [e, f, g, h] = (self.up & self.down).words();
        let (ab, cd) = (a | b, c | d);
        [Bitboard(ab | cd), Bitboard(e | f | g | h | (a & b) | (c & d) | (ab & cd))]
    }

    /// The directions in which a square is attacked, as bits.
    #[inline(always)]
    pub fn directions_to(self, square: Square) -> u32 {
        self.up.with_bit(square.index()) | self.down.with_bit(square.index()) << 4
    }

    /// The number of squares of a set that are attacked, each as often as it is.
    #[inline(always)]
    pub fn size_within<T: Target<Lanes = L>>(self, target: T, set: Bitboard) -> u32 {
        let set = target.lanes([set.0; 4]);
        L::total_len(self.up & set, self.down & set)
    }

    /// The eight sets, by direction.
    #[inline(always)]
    pub fn all(self) -> [Bitboard; 8] {
        let [a, b, c, d] = self.up.words();
        let [e, f, g, h] = self.down.words();
        [a, b, c, d, e, f, g, h].map(Bitboard)
    }
}

/// The empty squares, prepared for filling along all lines by doubling.
#[derive(Clone, Copy)]
pub(super) struct Open<T: Target> {
    target: T,
    /// Runs of one, two and four empty squares that end here, going up.
    up: [T::Lanes; 3],
    /// The same going down.
    down: [T::Lanes; 3],
}

impl<T: Target> Open<T> {
    #[inline(always)]
    pub fn new(target: T, empty: Bitboard) -> Self {
        let empty = target.lanes([empty.0; 4]);
        let up = Self::runs::<true>(empty & target.lanes(inside(true)));
        let down = Self::runs::<false>(empty & target.lanes(inside(false)));
        Self { target, up, down }
    }

    #[inline(always)]
    fn runs<const UP: bool>(one: T::Lanes) -> [T::Lanes; 3] {
        let two = one & steps::<_, UP, 1>(one);
        [one, two, two & steps::<_, UP, 2>(two)]
    }

    /// Attacks of two sets of pieces, the first along ranks and files, the second along diagonals;
    /// the first piece on each ray is included.
    #[inline(always)]
    pub fn attacks(&self, orthogonal: Bitboard, diagonal: Bitboard) -> RaySets<T::Lanes> {
        let Self { target, up, down } = *self;
        let from = target.lanes([orthogonal.0, orthogonal.0, diagonal.0, diagonal.0]);
        RaySets {
            up: Self::fill::<true>(up, from) & target.lanes(inside(true)),
            down: Self::fill::<false>(down, from) & target.lanes(inside(false)),
        }
    }

    #[inline(always)]
    fn fill<const UP: bool>([one, two, four]: [T::Lanes; 3], from: T::Lanes) -> T::Lanes {
        let filled = from | (one & steps::<_, UP, 1>(from));
        let filled = filled | (two & steps::<_, UP, 2>(filled));
        let filled = filled | (four & steps::<_, UP, 4>(filled));
        steps::<_, UP, 1>(filled)
    }
}

/// For each direction and square, the number of squares beyond it that a slider could still reach:
/// the empty ones up to the first piece, and that piece if it may be captured. In binary; at most
/// six are left beyond the first square of a ray.
#[derive(Clone, Copy)]
pub(super) struct Runs<L> {
    pub ones: RaySets<L>,
    pub twos: RaySets<L>,
    pub fours: RaySets<L>,
}

impl<L: Lanes> Runs<L> {
    /// `targets` are the squares that may be moved to, empty or by a capture.
    #[inline(always)]
    pub fn new<T: Target<Lanes = L>>(open: &Open<T>, targets: Bitboard) -> Self {
        let target = open.target;
        let targets = target.lanes([targets.0; 4]);
        let up = Self::digits::<true>(open.up[0], targets & target.lanes(inside(true)));
        let down = Self::digits::<false>(open.down[0], targets & target.lanes(inside(false)));
        Self {
            ones: RaySets { up: up[0], down: down[0] },
            twos: RaySets { up: up[1], down: down[1] },
            fours: RaySets { up: up[2], down: down[2] },
        }
    }

    /// The binary digits of one direction of each line.
    #[inline(always)]
    fn digits<const UP: bool>(empty: L, targets: L) -> [L; 3] {
        // At least one square is left, at least two, and so on.
        let one = back::<L, UP>(targets);
        let two = back::<L, UP>(empty & one);
        let three = back::<L, UP>(empty & two);
        let four = back::<L, UP>(empty & three);
        let five = back::<L, UP>(empty & four);
        let six = back::<L, UP>(empty & five);
        // Each set contains the next, so binary digits are parities.
        [one ^ two ^ three ^ (four ^ five ^ six), two ^ four ^ six, four]
    }

    /// The same numbers, and 0 on squares that are not in `attacked`.
    #[inline(always)]
    pub fn within(&self, attacked: RaySets<L>) -> Self {
        Self {
            ones: self.ones.and(attacked),
            twos: self.twos.and(attacked),
            fours: self.fours.and(attacked),
        }
    }
}

/// The directions in which a piece moves, as bits. No slider
/// attacks our king, and knights do not move along lines.
#[inline(always)]
pub(super) fn directions_of(piece: Piece) -> u32 {
    const FILE: u32 = 0b0001_0001;
    const RANK: u32 = 0b0010_0010;
    const DIAGONALS: u32 = 0b1100_1100;
    match piece {
        Piece::Pawn => FILE | DIAGONALS,
        Piece::Bishop => DIAGONALS,
        Piece::Rook => FILE | RANK,
        Piece::Queen => FILE | RANK | DIAGONALS,
        Piece::Knight | Piece::King => 0,
    }
}

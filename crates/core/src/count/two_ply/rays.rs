//! Attacks of sets of sliders, all at once, direction by direction.

use super::super::lanes::Lanes;
use super::super::target::Target;
use crate::types::{Bitboard, File, Piece, Square};

/// All squares but those that a step up the line reaches only by wrapping around the edge.
const UP: [u64; 4] =
    [!0, !Bitboard::file(File::A).0, !Bitboard::file(File::A).0, !Bitboard::file(File::H).0];
/// The same for a step down.
const DOWN: [u64; 4] =
    [!0, !Bitboard::file(File::H).0, !Bitboard::file(File::H).0, !Bitboard::file(File::A).0];

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
        let up1 = empty & target.lanes(UP);
        let up2 = up1 & up1.up::<1>();
        let up4 = up2 & up2.up::<2>();
        let down1 = empty & target.lanes(DOWN);
        let down2 = down1 & down1.down::<1>();
        let down4 = down2 & down2.down::<2>();
        Self { target, up: [up1, up2, up4], down: [down1, down2, down4] }
    }

    /// Attacks of two sets of pieces, the first along ranks and files, the second along diagonals;
    /// the first piece on each ray is included.
    #[inline(always)]
    pub fn attacks(&self, orthogonal: Bitboard, diagonal: Bitboard) -> RaySets<T::Lanes> {
        let target = self.target;
        let from = target.lanes([orthogonal.0, orthogonal.0, diagonal.0, diagonal.0]);
        let [one, two, four] = self.up;
        let up = from | (one & from.up::<1>());
        let up = up | (two & up.up::<2>());
        let up = up | (four & up.up::<4>());
        let [one, two, four] = self.down;
        let down = from | (one & from.down::<1>());
        let down = down | (two & down.down::<2>());
        let down = down | (four & down.down::<4>());
        RaySets { up: up.up::<1>() & target.lanes(UP), down: down.down::<1>() & target.lanes(DOWN) }
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
        // At least one square is left, at least two, and so on.
        let empty = open.up[0];
        let up1 = (targets & target.lanes(UP)).down::<1>();
        let up2 = (empty & up1).down::<1>();
        let up3 = (empty & up2).down::<1>();
        let up4 = (empty & up3).down::<1>();
        let up5 = (empty & up4).down::<1>();
        let up6 = (empty & up5).down::<1>();
        let empty = open.down[0];
        let down1 = (targets & target.lanes(DOWN)).up::<1>();
        let down2 = (empty & down1).up::<1>();
        let down3 = (empty & down2).up::<1>();
        let down4 = (empty & down3).up::<1>();
        let down5 = (empty & down4).up::<1>();
        let down6 = (empty & down5).up::<1>();
        // Each set contains the next, so binary digits are parities.
        Self {
            ones: RaySets {
                up: up1 ^ up2 ^ up3 ^ (up4 ^ up5 ^ up6),
                down: down1 ^ down2 ^ down3 ^ (down4 ^ down5 ^ down6),
            },
            twos: RaySets { up: up2 ^ up4 ^ up6, down: down2 ^ down4 ^ down6 },
            fours: RaySets { up: up4, down: down4 },
        }
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

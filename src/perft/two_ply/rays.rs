//! What sets of sliders see, all at once, direction by direction.

use super::lanes::Lanes;
use crate::types::{Bitboard, File, Square};

/// Not the squares that a step up the line can only reach by wrapping around the edge.
const UP: [u64; 4] =
    [!0, !Bitboard::file(File::A).0, !Bitboard::file(File::A).0, !Bitboard::file(File::H).0];
/// The same for a step down.
const DOWN: [u64; 4] =
    [!0, !Bitboard::file(File::H).0, !Bitboard::file(File::H).0, !Bitboard::file(File::A).0];

/// A set of squares for each of the eight directions: north, east, north-east and north-west
/// are up; south, west, south-west and south-east, in the same lanes, are down.
#[derive(Clone, Copy)]
pub(super) struct Rays<L> {
    pub up: L,
    pub down: L,
}

impl<L: Lanes> Rays<L> {
    /// What is in both, direction by direction.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { up: self.up & other.up, down: self.down & other.down }
    }

    /// The squares that one sees in a direction and the other in the opposite one: those
    /// between a square of one and a square of the other, with what stands on them.
    #[inline(always)]
    pub fn facing(self, other: Self) -> Bitboard {
        let [file, rank, diagonal, anti] =
            ((self.up & other.down) | (self.down & other.up)).words();
        Bitboard(file | rank | diagonal | anti)
    }

    /// What is seen on ranks and files, and what on diagonals.
    #[inline(always)]
    pub fn by_kind(self) -> [Bitboard; 2] {
        let [file, rank, diagonal, anti] = (self.up | self.down).words();
        [Bitboard(file | rank), Bitboard(diagonal | anti)]
    }

    /// What is seen in any direction.
    #[inline(always)]
    pub fn union(self) -> Bitboard {
        let [orthogonal, diagonal] = self.by_kind();
        orthogonal | diagonal
    }

    /// What is seen in at least one direction, and in at least two.
    #[inline(always)]
    pub fn once_and_twice(self) -> [Bitboard; 2] {
        let [a, b, c, d] = (self.up | self.down).words();
        let [e, f, g, h] = (self.up & self.down).words();
        let (ab, cd) = (a | b, c | d);
        [Bitboard(ab | cd), Bitboard(e | f | g | h | (a & b) | (c & d) | (ab & cd))]
    }

    /// The directions in which a square is seen, numbered as in [`Rays::all`], as a set of bits.
    #[inline(always)]
    pub fn seeing(self, square: Square) -> u32 {
        self.up.having(square.index()) | self.down.having(square.index()) << 4
    }

    /// The eight sets; a direction and its opposite are four apart.
    #[inline(always)]
    pub fn all(self) -> [Bitboard; 8] {
        let [a, b, c, d] = self.up.words();
        let [e, f, g, h] = self.down.words();
        [a, b, c, d, e, f, g, h].map(Bitboard)
    }
}

/// Where rays run on: the empty squares, prepared for filling along all lines by doubling.
#[derive(Clone, Copy)]
pub(super) struct Open<L> {
    /// Runs of one, two and four empty squares that end here, going up.
    up: [L; 3],
    /// The same going down.
    down: [L; 3],
}

impl<L: Lanes> Open<L> {
    #[inline(always)]
    pub fn new(empty: Bitboard) -> Self {
        let empty = L::splat(empty.0);
        let up1 = empty & L::new(UP);
        let up2 = up1 & up1.up::<1>();
        let up4 = up2 & up2.up::<2>();
        let down1 = empty & L::new(DOWN);
        let down2 = down1 & down1.down::<1>();
        let down4 = down2 & down2.down::<2>();
        Self { up: [up1, up2, up4], down: [down1, down2, down4] }
    }

    /// What the men of two sets see, the first along ranks and files, the second along
    /// diagonals; the first man on each ray included.
    #[inline(always)]
    pub fn see(&self, orthogonal: Bitboard, diagonal: Bitboard) -> Rays<L> {
        let from = L::new([orthogonal.0, orthogonal.0, diagonal.0, diagonal.0]);
        let [one, two, four] = self.up;
        let up = from | (one & from.up::<1>());
        let up = up | (two & up.up::<2>());
        let up = up | (four & up.up::<4>());
        let [one, two, four] = self.down;
        let down = from | (one & from.down::<1>());
        let down = down | (two & down.down::<2>());
        let down = down | (four & down.down::<4>());
        Rays { up: up.up::<1>() & L::new(UP), down: down.down::<1>() & L::new(DOWN) }
    }
}

/// For each direction and square, how many squares a slider could still go to beyond it: the
/// empty ones up to the first man, and that man if it may be taken. In binary; up to six, the
/// most that are left beyond the first square of a ray.
#[derive(Clone, Copy)]
pub(super) struct Runs<L> {
    pub ones: Rays<L>,
    pub twos: Rays<L>,
    pub fours: Rays<L>,
}

impl<L: Lanes> Runs<L> {
    /// `targets` are the squares that may be gone to, empty or taken.
    #[inline(always)]
    pub fn new(open: &Open<L>, targets: Bitboard) -> Self {
        let targets = L::splat(targets.0);
        // Whether at least one square is left, at least two, and so on.
        let empty = open.up[0];
        let up1 = (targets & L::new(UP)).down::<1>();
        let up2 = (empty & up1).down::<1>();
        let up3 = (empty & up2).down::<1>();
        let up4 = (empty & up3).down::<1>();
        let up5 = (empty & up4).down::<1>();
        let up6 = (empty & up5).down::<1>();
        let empty = open.down[0];
        let down1 = (targets & L::new(DOWN)).up::<1>();
        let down2 = (empty & down1).up::<1>();
        let down3 = (empty & down2).up::<1>();
        let down4 = (empty & down3).up::<1>();
        let down5 = (empty & down4).up::<1>();
        let down6 = (empty & down5).up::<1>();
        // Each set contains the next, so that binary digits are parities.
        Self {
            ones: Rays {
                up: up1 ^ up2 ^ up3 ^ (up4 ^ up5 ^ up6),
                down: down1 ^ down2 ^ down3 ^ (down4 ^ down5 ^ down6),
            },
            twos: Rays { up: up2 ^ up4 ^ up6, down: down2 ^ down4 ^ down6 },
            fours: Rays { up: up4, down: down4 },
        }
    }

    /// The same, with nothing where `seen` has no square.
    #[inline(always)]
    pub fn within(&self, seen: Rays<L>) -> Self {
        Self { ones: self.ones.and(seen), twos: self.twos.and(seen), fours: self.fours.and(seen) }
    }
}

/// All squares after one in a direction, numbered as in [`Rays::all`], whatever stands there.
#[inline(always)]
pub(super) fn beyond(direction: usize, square: Square) -> Bitboard {
    static BEYOND: [[Bitboard; 64]; 8] = {
        // File and rank steps in the order of the directions.
        const STEPS: [(i8, i8); 8] =
            [(0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1)];
        let mut table = [[Bitboard::EMPTY; 64]; 8];
        let mut index = 0;
        while index < 512 {
            let (file_step, rank_step) = STEPS[index / 64];
            let mut file = (index % 8) as i8 + file_step;
            let mut rank = (index / 8 % 8) as i8 + rank_step;
            while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[index / 64][index % 64].0 |= 1 << (8 * rank + file);
                file += file_step;
                rank += rank_step;
            }
            index += 1;
        }
        table
    };
    BEYOND[direction][square.index()]
}

//! Attack sets of all pieces, and `between` and `line` masks.
//!
//! An attack set does not depend on whose pieces stand where: friends are removed with
//! `attacks - us`, captures are `attacks & them`.
//!
//! Knights, kings and pawns have tables here. For rooks and bishops, [`rays`] is the slow
//! reference and [`magic`] the fast way; both implement [`Sliders`]. All tables are computed at
//! compile time.
//!
//! ```
//! use perft_core::attacks::Sliders;
//! use perft_core::attacks::magic::Magic;
//! use perft_core::attacks::rays::Rays;
//! use perft_core::{Bitboard, Square};
//!
//! let occupied = Bitboard::from_iter([Square::D6, Square::B4, Square::H4, Square::D4]);
//! let attacks = Magic.rook(Square::D4, occupied);
//! assert_eq!(attacks, Rays.rook(Square::D4, occupied));
//! assert_eq!(attacks.to_string(), "\
//! . . . . . . . .
//! . . . . . . . .
//! . . . X . . . .
//! . . . X . . . .
//! . X X . X X X X
//! . . . X . . . .
//! . . . X . . . .
//! . . . X . . . .");
//! ```

pub(crate) mod directions;
pub mod lines;
pub mod magic;
pub mod magics;
pub mod rays;
mod tables;

use crate::types::{Bitboard, Color, File, Piece, Square, SquareSet, Squares};
use rays::Slider;

/// Attacks of rooks, bishops and queens.
///
/// The first blocker on each ray belongs to the attack set, whatever its color. It makes no
/// difference whether the slider's own square is in `occupied`.
pub trait Sliders {
    /// Attacks of a rook or bishop on `square`.
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard;

    /// Attacks of a rook on `square`.
    #[inline(always)]
    fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attacks(Slider::Rook, square, occupied)
    }

    /// Attacks of a bishop on `square`.
    #[inline(always)]
    fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attacks(Slider::Bishop, square, occupied)
    }

    /// Attacks of a queen on `square`: those of a rook and a bishop.
    #[inline(always)]
    fn queen(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.rook(square, occupied) | self.bishop(square, occupied)
    }
}

impl<S: Sliders + ?Sized> Sliders for &S {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        (**self).attacks(slider, square, occupied)
    }
}

type BySquare = [Bitboard; 64];

static KNIGHT: BySquare =
    steps(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: BySquare =
    steps(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
static PAWN: [BySquare; 2] = [steps(&[(-1, 1), (1, 1)]), steps(&[(-1, -1), (1, -1)])];
static ROOK_LINES: BySquare = lines(Slider::Rook);
static BISHOP_LINES: BySquare = lines(Slider::Bishop);
static BETWEEN: [BySquare; 64] = between_and_line()[0];
static LINE: [BySquare; 64] = between_and_line()[1];

/// Attacks of a knight on `square`.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Attacks of a king on `square`.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Attacks of a pawn of `color` on `square`.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Attacks of a piece of `color` on `square`.
#[inline(always)]
pub fn of(
    sliders: impl Sliders,
    color: Color,
    piece: Piece,
    square: Square,
    occupied: Bitboard,
) -> Bitboard {
    match piece {
        Piece::Pawn => pawn(color, square),
        Piece::Knight => knight(square),
        Piece::Bishop => sliders.bishop(square, occupied),
        Piece::Rook => sliders.rook(square, occupied),
        Piece::Queen => sliders.queen(square, occupied),
        Piece::King => king(square),
    }
}

/// Attacks of a set of pawns of `color`.
#[inline(always)]
pub fn pawns<S: SquareSet>(color: Color, pawns: S) -> S {
    let (not_a, not_h) = (!Bitboard::file(File::A), !Bitboard::file(File::H));
    match color {
        Color::White => pawns.up::<9>().within(not_a) | pawns.up::<7>().within(not_h),
        Color::Black => pawns.down::<7>().within(not_a) | pawns.down::<9>().within(not_h),
    }
}

/// Attacks of a set of knights.
#[inline(always)]
pub fn knights<S: SquareSet>(knights: S) -> S {
    let not_ab = !(Bitboard::file(File::A) | Bitboard::file(File::B));
    let not_gh = !(Bitboard::file(File::G) | Bitboard::file(File::H));
    let near = knights.one_east() | knights.one_west();
    let far = knights.up::<2>().within(not_ab) | knights.down::<2>().within(not_gh);
    near.up::<16>() | near.down::<16>() | far.up::<8>() | far.down::<8>()
}

/// Attacks of a set of kings.
#[inline(always)]
pub fn kings<S: SquareSet>(kings: S) -> S {
    let beside = kings.one_east() | kings.one_west();
    let row = kings | beside;
    beside | row.up::<8>() | row.down::<8>()
}

/// The squares strictly between two squares on a common rank, file or diagonal; empty if
/// they share none.
///
/// ```
/// use perft_core::{Bitboard, Square, attacks};
///
/// let between = attacks::between(Square::B2, Square::E5);
/// assert_eq!(between, Bitboard::from_iter([Square::C3, Square::D4]));
/// assert!(attacks::between(Square::A1, Square::B3).is_empty());
/// ```
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two squares, edge to edge and with both of
/// them; empty if they share none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The line from a square to a slider that would attack it on an empty board.
#[derive(Clone, Copy, Debug)]
pub struct SliderLine {
    /// The square of the slider.
    pub slider: Square,
    /// The squares strictly between.
    pub between: Bitboard,
    /// The pieces among them.
    pub blockers: Bitboard,
}

impl SliderLine {
    /// The squares between, and that of the slider.
    #[inline(always)]
    pub fn with_slider(&self) -> Bitboard {
        self.between | self.slider.bitboard()
    }
}

/// The lines from a square to the members of `orthogonal` on its rank or file, and of `diagonal` on
/// its diagonals.
#[inline(always)]
pub fn slider_lines(
    square: Square,
    orthogonal: Bitboard,
    diagonal: Bitboard,
    occupied: Bitboard,
) -> SliderLines {
    let sliders =
        (ROOK_LINES[square.index()] & orthogonal) | (BISHOP_LINES[square.index()] & diagonal);
    SliderLines { square, sliders: sliders.into_iter(), occupied }
}

/// See [`slider_lines`].
#[derive(Clone, Debug)]
pub struct SliderLines {
    square: Square,
    sliders: Squares,
    occupied: Bitboard,
}

impl SliderLines {
    /// The pieces that are alone between the square and a slider.
    #[inline(always)]
    pub fn only_blockers(self) -> Bitboard {
        let mut alone = Bitboard::EMPTY;
        for SliderLine { blockers, .. } in self {
            if !blockers.more_than_one() {
                alone |= blockers;
            }
        }
        alone
    }
}

impl Iterator for SliderLines {
    type Item = SliderLine;

    #[inline(always)]
    fn next(&mut self) -> Option<SliderLine> {
        let slider = self.sliders.next()?;
        let between = between(self.square, slider);
        Some(SliderLine { slider, between, blockers: between & self.occupied })
    }
}

const fn lines(slider: Slider) -> BySquare {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = slider.attacks(Square::from_index(index), Bitboard::EMPTY);
        index += 1;
    }
    table
}

const fn steps(deltas: &[(i8, i8)]) -> BySquare {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let mut i = 0;
        while i < deltas.len() {
            if let Some(to) = rays::step(Square::from_index(index), deltas[i].0, deltas[i].1) {
                table[index].0 |= to.bitboard().0;
            }
            i += 1;
        }
        index += 1;
    }
    table
}

/// The tables of [`between`] and [`line`].
const fn between_and_line() -> [[BySquare; 64]; 2] {
    let mut tables = [[[Bitboard::EMPTY; 64]; 64]; 2];
    let mut index = 0;
    while index < 64 * 8 {
        let (from, direction) = (Square::from_index(index / 8), index % 8);
        let (east, north) = directions::STEPS[direction];
        let behind = rays::ray(from, directions::opposite(direction), Bitboard::EMPTY).0;
        let ahead = rays::ray(from, direction, Bitboard::EMPTY).0;
        let mut crossed = Bitboard::EMPTY;
        let mut square = from;
        while let Some(next) = rays::step(square, east, north) {
            tables[0][from.index()][next.index()] = crossed;
            tables[1][from.index()][next.index()].0 = behind | from.bitboard().0 | ahead;
            crossed.0 |= next.bitboard().0;
            square = next;
        }
        index += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leapers_attack_what_the_geometry_says() {
        for square in Square::all() {
            for other in Square::all() {
                let files = square.file().index().abs_diff(other.file().index());
                let ranks = square.rank().index().abs_diff(other.rank().index());
                assert_eq!(knight(square).contains(other), files * ranks == 2);
                assert_eq!(king(square).contains(other), files.max(ranks) == 1);
                for color in Color::ALL {
                    let ahead = other.index() as i32 - square.index() as i32;
                    let up = if color == Color::White { ahead > 0 } else { ahead < 0 };
                    assert_eq!(pawn(color, square).contains(other), files == 1 && ranks == 1 && up);
                    assert_eq!(pawn(color, square), pawns(color, square.bitboard()));
                }
                assert_eq!(knight(square), knights(square.bitboard()));
                assert_eq!(king(square), kings(square.bitboard()));
            }
        }
    }

    #[test]
    fn between_and_line_agree_with_the_rays() {
        for a in Square::all() {
            for b in Square::all() {
                let (only_a, only_b) = (a.bitboard(), b.bitboard());
                let (mut expected_between, mut expected_line) = (Bitboard::EMPTY, Bitboard::EMPTY);
                for slider in Slider::ALL {
                    if slider.attacks(a, only_b).contains(b) {
                        let common = |[from_a, from_b]: [Bitboard; 2]| {
                            slider.attacks(a, from_a) & slider.attacks(b, from_b)
                        };
                        expected_between = common([only_b, only_a]);
                        expected_line = common([Bitboard::EMPTY; 2]) | only_a | only_b;
                    }
                }
                assert_eq!(between(a, b), expected_between, "{a} {b}");
                assert_eq!(line(a, b), expected_line, "{a} {b}");
            }
        }
    }
}

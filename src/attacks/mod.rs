//! Attack sets of all pieces, and `between` and `line` masks.
//!
//! An attack set does not depend on whose pieces stand where: friends are removed with
//! `attacks - us`, captures are `attacks & them`.
//!
//! Knights, kings and pawns have tables here. For rooks and bishops, [`rays`] is the slow
//! reference, [`magic`] works on any CPU and [`pext`] needs one instruction; each has the same two
//! functions, as an implementation of [`Sliders`]. All tables are computed at compile time.
//!
//! ```
//! use perft::attacks::{Sliders, magic::Magic, rays::Rays};
//! use perft::{Bitboard, Square};
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

pub(crate) mod lines;
pub mod magic;
pub(crate) mod magics;
pub mod pext;
pub mod rays;
mod tables;

use crate::types::{Bitboard, Color, Square};
use rays::Slider;

/// Attacks of rooks, bishops and queens.
///
/// The first blocker on each ray belongs to the attack set, whatever its color. It makes no
/// difference whether the slider's own square is in `occupied`.
pub trait Sliders {
    /// Attacks of a rook on `square`.
    fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard;

    /// Attacks of a bishop on `square`.
    fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard;

    /// Attacks of a queen on `square`: those of a rook and a bishop.
    #[inline(always)]
    fn queen(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.rook(square, occupied) | self.bishop(square, occupied)
    }
}

impl<S: Sliders + ?Sized> Sliders for &S {
    #[inline(always)]
    fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (**self).rook(square, occupied)
    }

    #[inline(always)]
    fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (**self).bishop(square, occupied)
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
static BETWEEN: [BySquare; 64] = between_table();
static LINE: [BySquare; 64] = line_table();

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

/// Attacks of a set of pawns of `color`.
#[inline(always)]
pub const fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(color);
    Bitboard(ahead.east().0 | ahead.west().0)
}

/// Attacks of a set of knights.
#[inline(always)]
pub const fn knights(knights: Bitboard) -> Bitboard {
    let (near_east, near_west) = (knights.east(), knights.west());
    let (far_east, far_west) = (near_east.east(), near_west.west());
    let near = Bitboard(near_east.0 | near_west.0);
    let far = Bitboard(far_east.0 | far_west.0);
    Bitboard(near.0 << 16 | near.0 >> 16 | far.north().0 | far.south().0)
}

/// Attacks of a set of kings.
#[inline(always)]
pub const fn kings(kings: Bitboard) -> Bitboard {
    let row = kings.0 | kings.east().0 | kings.west().0;
    Bitboard(row << 8 | row >> 8 | kings.east().0 | kings.west().0)
}

/// The squares strictly between two squares on a common rank, file or diagonal; empty if
/// they share none.
///
/// ```
/// use perft::{attacks, Bitboard, Square};
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

/// Members of `orthogonal` on the rank or file of `square`, and of `diagonal` on its diagonals,
/// whatever stands between.
#[inline(always)]
pub fn aligned(square: Square, orthogonal: Bitboard, diagonal: Bitboard) -> Bitboard {
    (ROOK_LINES[square.index()] & orthogonal) | (BISHOP_LINES[square.index()] & diagonal)
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

const fn between_table() -> [BySquare; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < 8 {
            let (east, north) = rays::DIRECTIONS[i];
            let mut crossed = Bitboard::EMPTY;
            let mut square = Square::from_index(from);
            while let Some(next) = rays::step(square, east, north) {
                table[from][next.index()] = crossed;
                crossed.0 |= next.bitboard().0;
                square = next;
            }
            i += 1;
        }
        from += 1;
    }
    table
}

const fn line_table() -> [BySquare; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let origin = Square::from_index(from);
        let mut i = 0;
        while i < 8 {
            let (east, north) = rays::DIRECTIONS[i];
            let whole = Bitboard(
                rays::ray(origin, east, north, Bitboard::EMPTY).0
                    | rays::ray(origin, -east, -north, Bitboard::EMPTY).0
                    | origin.bitboard().0,
            );
            let mut square = origin;
            while let Some(next) = rays::step(square, east, north) {
                table[from][next.index()] = whole;
                square = next;
            }
            i += 1;
        }
        from += 1;
    }
    table
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
            }
        }
    }

    #[test]
    fn between_and_line_agree_with_the_rays() {
        for a in Square::all() {
            for b in Square::all() {
                let rook = rays::rook(a, b.bitboard()).contains(b);
                let bishop = rays::bishop(a, b.bitboard()).contains(b);
                let attacked_from_both = |slide: fn(Square, Bitboard) -> Bitboard| {
                    slide(a, b.bitboard()) & slide(b, a.bitboard())
                };
                let full = |slide: fn(Square, Bitboard) -> Bitboard| {
                    (slide(a, Bitboard::EMPTY) & slide(b, Bitboard::EMPTY))
                        | a.bitboard()
                        | b.bitboard()
                };
                let (expected_between, expected_line) = if rook {
                    (attacked_from_both(rays::rook), full(rays::rook))
                } else if bishop {
                    (attacked_from_both(rays::bishop), full(rays::bishop))
                } else {
                    (Bitboard::EMPTY, Bitboard::EMPTY)
                };
                assert_eq!(between(a, b), expected_between, "{a} {b}");
                assert_eq!(line(a, b), expected_line, "{a} {b}");
            }
        }
    }
}

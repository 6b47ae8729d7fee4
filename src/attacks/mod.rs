//! What the men that do not slide attack, and the geometry of lines.
//!
//! All tables are computed while compiling. Attacks are sets without regard to whose men
//! stand there: friends are removed with `attacks & !us`, captures are `attacks & them`.

use crate::sliders::{Slider, rays};
use crate::types::{Bitboard, Color, Square};

type Table = [Bitboard; 64];

static KNIGHT: Table =
    steps(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
static KING: Table = steps(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
static PAWN: [Table; 2] = [steps(&[(-1, 1), (1, 1)]), steps(&[(-1, -1), (1, -1)])];
static ROOK_LINES: Table = lines(Slider::Rook);
static BISHOP_LINES: Table = lines(Slider::Bishop);
static BETWEEN: [Table; 64] = between_table();
static LINE: [Table; 64] = line_table();

/// The squares that a knight on `square` attacks.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares that a king on `square` attacks.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares that a pawn of `color` on `square` attacks.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// The squares that the pawns of `color` attack, all at once.
#[inline(always)]
pub const fn pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = pawns.forward(color);
    Bitboard(ahead.east().0 | ahead.west().0)
}

/// What a set of knights attacks.
#[inline(always)]
pub const fn knights(knights: Bitboard) -> Bitboard {
    let (near_east, near_west) = (knights.east(), knights.west());
    let (far_east, far_west) = (near_east.east(), near_west.west());
    let near = Bitboard(near_east.0 | near_west.0);
    let far = Bitboard(far_east.0 | far_west.0);
    Bitboard(near.0 << 16 | near.0 >> 16 | far.north().0 | far.south().0)
}

/// What a set of kings attacks.
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

/// The men of two sets that are on a line with a square: the first on its rank or file, the
/// second on its diagonals; whatever stands between.
#[inline(always)]
pub fn aligned(square: Square, orthogonal: Bitboard, diagonal: Bitboard) -> Bitboard {
    (ROOK_LINES[square.index()] & orthogonal) | (BISHOP_LINES[square.index()] & diagonal)
}

const fn lines(slider: Slider) -> Table {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = slider.attacks(Square::from_index(index), Bitboard::EMPTY);
        index += 1;
    }
    table
}

const fn steps(deltas: &[(i8, i8)]) -> Table {
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

const fn between_table() -> [Table; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < 8 {
            let (east, north) = rays::DIRECTIONS[i];
            let mut passed = Bitboard::EMPTY;
            let mut square = Square::from_index(from);
            while let Some(next) = rays::step(square, east, north) {
                table[from][next.index()] = passed;
                passed.0 |= next.bitboard().0;
                square = next;
            }
            i += 1;
        }
        from += 1;
    }
    table
}

const fn line_table() -> [Table; 64] {
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
                let seen_from_both = |slide: fn(Square, Bitboard) -> Bitboard| {
                    slide(a, b.bitboard()) & slide(b, a.bitboard())
                };
                let full = |slide: fn(Square, Bitboard) -> Bitboard| {
                    (slide(a, Bitboard::EMPTY) & slide(b, Bitboard::EMPTY))
                        | a.bitboard()
                        | b.bitboard()
                };
                let (expected_between, expected_line) = if rook {
                    (seen_from_both(rays::rook), full(rays::rook))
                } else if bishop {
                    (seen_from_both(rays::bishop), full(rays::bishop))
                } else {
                    (Bitboard::EMPTY, Bitboard::EMPTY)
                };
                assert_eq!(between(a, b), expected_between, "{a} {b}");
                assert_eq!(line(a, b), expected_line, "{a} {b}");
            }
        }
    }
}

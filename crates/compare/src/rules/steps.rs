//! Steps over an array of squares.

use perft_core::types::{Color, File, Rank, Square};

/// Files to the east and ranks to the north.
pub type Step = (i8, i8);

pub const ORTHOGONAL: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub const DIAGONAL: [Step; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
pub const KNIGHT: [Step; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The direction of a color's pawns.
pub fn ahead(color: Color) -> i8 {
    if color == Color::White { 1 } else { -1 }
}

pub fn step(square: Square, (east, north): Step) -> Option<Square> {
    let file = square.file().index().checked_add_signed(east.into())?;
    let rank = square.rank().index().checked_add_signed(north.into())?;
    Some(Square::new(*File::ALL.get(file)?, *Rank::ALL.get(rank)?))
}

/// The squares in a direction, up to the edge.
pub fn walk(from: Square, direction: Step) -> impl Iterator<Item = Square> {
    std::iter::successors(step(from, direction), move |&at| step(at, direction))
}

/// The squares that are one of the steps away.
pub fn leap(from: Square, steps: &[Step]) -> impl Iterator<Item = Square> {
    steps.iter().filter_map(move |&direction| step(from, direction))
}

/// The targets of steps off the left or right edge if the edges met: the square of that index.
pub fn around_the_edge(from: Square, steps: &[Step]) -> Vec<Square> {
    let off = steps.iter().filter(|&&direction| step(from, direction).is_none());
    let wrapped = off.filter_map(|&(east, north)| {
        let delta = isize::from(east) + 8 * isize::from(north);
        from.index().checked_add_signed(delta).filter(|&index| index < 64)
    });
    wrapped.map(Square::from_index).collect()
}

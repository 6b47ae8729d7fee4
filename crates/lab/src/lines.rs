//! Split by direction: rank, file and the two diagonals, each looked up alone.
//!
//! A line has at most six relevant squares and eight places for the slider, so 8 times 64 sets
//! cover every line of the board. A table of bytes holds them for a rank; a file has a table of its
//! own, a diagonal is projected onto a rank by a multiplication. About 5 KiB in all, for two
//! lookups for a piece and four for a queen.

use super::hyperbola::Hyperbola;
use perft_core::attacks::Sliders;
use perft_core::attacks::lines::{line, line_attacks};
use perft_core::attacks::rays::Slider;
use perft_core::types::{Bitboard, File, Rank, Square};

const A_FILE: u64 = Bitboard::file(File::A).0;
const B_FILE: u64 = Bitboard::file(File::B).0;

/// Gathers the inner squares of the a-file, A2 to A7, in the top six bits: the bit of rank r, 8r,
/// must move to 57 + r. The other products of the sum fall below or off.
const FILE_MAGIC: u64 = {
    let mut magic = 0;
    let mut rank = 1;
    while rank <= 6 {
        magic |= 1 << (57 + rank - 8 * rank);
        rank += 1;
    }
    magic
};

/// Attacks from each file of the first rank, by the six inner squares.
static RANK_ATTACKS: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut index = 0;
    while index < 8 * 64 {
        let (square, inner) = (Square::from_index(index / 64), index % 64);
        let line = Bitboard(0xFF & !square.bitboard().0);
        let occupied = Bitboard((inner as u64) << 1);
        table[index / 64][inner] = line_attacks(square, occupied, line) as u8;
        index += 1;
    }
    table
};

/// The same on the a-file, from each rank.
static FILE_ATTACKS: [[Bitboard; 64]; 8] = {
    let mut table = [[Bitboard::EMPTY; 64]; 8];
    let mut index = 0;
    while index < 8 * 64 {
        let row = RANK_ATTACKS[index / 64][index % 64];
        let mut bit = 0;
        while bit < 8 {
            table[index / 64][index % 64].0 |= ((row >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        index += 1;
    }
    table
};

#[inline(always)]
fn rank(square: Square, occupied: Bitboard) -> Bitboard {
    let first = 8 * square.rank().index();
    let inner = (occupied.0 >> (first + 1)) as usize & 63;
    Bitboard(u64::from(RANK_ATTACKS[square.file().index()][inner]) << first)
}

#[inline(always)]
fn file(square: Square, occupied: Bitboard) -> Bitboard {
    const INNER: u64 = A_FILE & !(Bitboard::rank(Rank::First).0 | Bitboard::rank(Rank::Eighth).0);
    let file = square.file().index();
    let inner = ((occupied.0 >> file) & INNER).wrapping_mul(FILE_MAGIC) >> 58;
    Bitboard(FILE_ATTACKS[square.rank().index()][inner as usize].0 << file)
}

/// The squares of a diagonal are on different files: times the a-file they all arrive on the top
/// rank, and times the b-file their inner six arrive as the index.
#[inline(always)]
fn diagonal(square: Square, occupied: Bitboard, which: usize) -> Bitboard {
    let line = line(Slider::Bishop, square, which);
    let inner = (occupied & line).0.wrapping_mul(B_FILE) >> 58;
    let row = u64::from(RANK_ATTACKS[square.file().index()][inner as usize]);
    // A copy on every rank; the line selects one square of each.
    Bitboard(row.wrapping_mul(A_FILE)) & line
}

/// Split by direction as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines;

impl Lines {
    /// Of the table of lines only the diagonals are used.
    pub(super) const TABLE_BYTES: usize =
        size_of_val(&RANK_ATTACKS) + size_of_val(&FILE_ATTACKS) + Hyperbola::TABLE_BYTES / 2;
}

impl Sliders for Lines {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        match slider {
            Slider::Rook => rank(square, occupied) | file(square, occupied),
            Slider::Bishop => diagonal(square, occupied, 0) | diagonal(square, occupied, 1),
        }
    }
}

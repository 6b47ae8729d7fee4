//! Split by direction: rank, file and the two diagonals, each hashed alone.
//!
//! A line has at most six squares that matter, and eight places to stand: 64 times 8 sets
//! cover every line of the board. One table of bytes holds them for a rank; a file is turned
//! into one and back by a table of its own, a diagonal by a multiplication. About 5 KiB in
//! all, in exchange for two hashes a piece and four a queen.

use super::{Slider, Sliders, hyperbola};
use crate::types::{Bitboard, File, Rank, Square};

const A_FILE: u64 = Bitboard::file(File::A).0;
const B_FILE: u64 = Bitboard::file(File::B).0;

/// Gathers the inner squares of the a-file, A2 to A7, into the top six bits: the bit of rank
/// r, 8r, must move to 57 + r. The other products of the sum fall below or off.
const FILE_MAGIC: u64 = {
    let mut magic = 0;
    let mut rank = 1;
    while rank <= 6 {
        magic |= 1 << (57 + rank - 8 * rank);
        rank += 1;
    }
    magic
};

/// What is seen from each file of the first rank, by the six inner squares.
static RANK_ATTACKS: [[u8; 64]; 8] = rank_attacks();

/// The same turned onto the a-file, from each rank.
static FILE_ATTACKS: [[Bitboard; 64]; 8] = file_attacks();

const fn rank_attacks() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let line = 0xFF;
    let mut file = 0;
    while file < 8 {
        let square = Square::from_index(file);
        let mut inner = 0;
        while inner < 64 {
            let line = Bitboard(line & !square.bitboard().0);
            let occupied = Bitboard((inner as u64) << 1);
            table[file][inner] = hyperbola::line_attacks(square, occupied, line) as u8;
            inner += 1;
        }
        file += 1;
    }
    table
}

const fn file_attacks() -> [[Bitboard; 64]; 8] {
    let mut table = [[Bitboard::EMPTY; 64]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut inner = 0;
        while inner < 64 {
            let row = RANK_ATTACKS[rank][inner];
            let mut bit = 0;
            while bit < 8 {
                table[rank][inner].0 |= ((row >> bit & 1) as u64) << (8 * bit);
                bit += 1;
            }
            inner += 1;
        }
        rank += 1;
    }
    table
}

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

/// The squares of a diagonal are on different files: times a file of ones, they all arrive
/// on the top rank, and times the b-file their inner six arrive as the index.
#[inline(always)]
fn diagonal(square: Square, occupied: Bitboard, which: usize) -> Bitboard {
    let line = hyperbola::line(Slider::Bishop, square, which);
    let inner = (occupied & line).0.wrapping_mul(B_FILE) >> 58;
    let row = u64::from(RANK_ATTACKS[square.file().index()][inner as usize]);
    // A copy on every rank; the line picks the right one of each.
    Bitboard(row.wrapping_mul(A_FILE)) & line
}

/// Split by direction as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl Sliders for Lines {
    const NAME: &'static str = "lines";
    const ABOUT: &'static str = "each line hashed alone into tiny tables";
    const TABLE_BYTES: usize =
        size_of_val(&RANK_ATTACKS) + size_of_val(&FILE_ATTACKS) + super::Hyperbola::TABLE_BYTES / 2;

    #[inline(always)]
    fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        rank(square, occupied) | file(square, occupied)
    }

    #[inline(always)]
    fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        diagonal(square, occupied, 0) | diagonal(square, occupied, 1)
    }
}

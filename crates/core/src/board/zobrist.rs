//! 128-bit Zobrist hashes.
//!
//! A hash is the exclusive or of one random number for each piece on its square, for each
//! castling right, for the file of an en-passant right and for Black to move. Positions
//! with the same play have the same hash: clocks are not part of it, and an
//! en-passant right only exists when a legal capture does.

use crate::random::Rng;
use crate::types::{Bitboard, Color, File, Piece, Square};

/// The seed of the random numbers; another seed gives other, equally good hashes.
pub(super) const SEED: u64 = 0x7065_7266_7400_0001;

struct Keys {
    pieces: [[[u128; 64]; 6]; 2],
    /// By the file of the rook, for each color.
    castling: [[u128; 8]; 2],
    en_passant: [u128; 8],
    black_to_move: u128,
}

static KEYS: Keys = build(SEED);

const fn build(seed: u64) -> Keys {
    let mut rng = Rng::new(seed);
    let mut keys = Keys {
        pieces: [[[0; 64]; 6]; 2],
        castling: [[0; 8]; 2],
        en_passant: [0; 8],
        black_to_move: draw(&mut rng),
    };
    let mut color = 0;
    while color < 2 {
        let mut piece = 0;
        while piece < 6 {
            let mut square = 0;
            while square < 64 {
                keys.pieces[color][piece][square] = draw(&mut rng);
                square += 1;
            }
            piece += 1;
        }
        let mut file = 0;
        while file < 8 {
            keys.castling[color][file] = draw(&mut rng);
            file += 1;
        }
        color += 1;
    }
    let mut file = 0;
    while file < 8 {
        keys.en_passant[file] = draw(&mut rng);
        file += 1;
    }
    keys
}

const fn draw(rng: &mut Rng) -> u128 {
    (rng.next_u64() as u128) << 64 | rng.next_u64() as u128
}

#[inline(always)]
pub(super) fn piece(color: Color, piece: Piece, square: Square) -> u128 {
    KEYS.pieces[color.index()][piece.index()][square.index()]
}

/// The hash of a set of rooks that may castle.
#[inline(always)]
pub(super) fn castling(rooks: Bitboard) -> u128 {
    rooks.into_iter().fold(0, |hash, rook| {
        let color = rook.index() >> 5;
        hash ^ KEYS.castling[color][rook.file().index()]
    })
}

#[inline(always)]
pub(super) fn en_passant(file: File) -> u128 {
    KEYS.en_passant[file.index()]
}

#[inline(always)]
pub(super) fn black_to_move() -> u128 {
    KEYS.black_to_move
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_differ_in_both_halves() {
        let mut halves: Vec<u64> = KEYS
            .pieces
            .as_flattened()
            .as_flattened()
            .iter()
            .chain(KEYS.castling.as_flattened())
            .chain(&KEYS.en_passant)
            .chain([&KEYS.black_to_move])
            .flat_map(|&key| [key as u64, (key >> 64) as u64])
            .collect();
        assert_eq!(halves.len(), 2 * (2 * 6 * 64 + 16 + 8 + 1));
        halves.sort_unstable();
        halves.dedup();
        assert_eq!(halves.len(), 2 * (2 * 6 * 64 + 16 + 8 + 1));
    }
}

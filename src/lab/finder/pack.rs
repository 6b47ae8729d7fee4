//! Laying the tables of all squares over each other.
//!
//! No table fills its span: some indices do not occur. The table of another square may use them,
//! as long as no slot has to hold two different attack sets.

use std::ops::Range;

use super::{Found, KeyKind, Keys};
use crate::attacks::rays::Slider;
use crate::random::Rng;
use crate::types::{Bitboard, Square};

/// All tables in one array.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Added to an index of each table, wrapping: the lowest index need not be 0, so this may be
    /// below the start of the array. Rooks from a1 to h8, then bishops.
    pub offsets: Vec<u32>,
    /// The length of the array.
    pub len: usize,
    /// The order in which the tables were laid down.
    pub order: u64,
}

/// Lays the tables of all 128 squares, rooks first, into one array by first-fit, each table as low
/// as it fits. Order 0 takes the longest first, the others are drawn at random near that one; the
/// order with the shortest array is the result. No more are tried when `go_on`, called after each,
/// returns `false`.
///
/// # Panics
/// If there are not 128 magics, or no orders.
pub fn pack(
    magics: &[Found],
    key_kind: KeyKind,
    orders: Range<u64>,
    go_on: impl Fn() -> bool,
) -> Layout {
    assert_eq!(magics.len(), 128, "a rook and a bishop for each square");
    let tables: Vec<Vec<(u32, Bitboard)>> =
        magics.iter().enumerate().map(|(index, magic)| table(index, magic, key_kind)).collect();
    let first = orders.start;
    let layouts = orders
        .take_while(|&order| order == first || go_on())
        .map(|order| (order, lay(&tables, &order_of(&tables, order))));
    let (order, (starts, len)) =
        layouts.min_by_key(|&(_, (_, len))| len).expect("there are orders");
    let offsets = starts.iter().zip(magics);
    let offsets = offsets.map(|(start, magic)| start.wrapping_sub(lowest(magic, key_kind)));
    Layout { offsets: offsets.collect(), len, order }
}

/// The longest first; in orders other than the first, lengths are up to a third off.
fn order_of(tables: &[Vec<(u32, Bitboard)>], order: u64) -> Vec<usize> {
    let mut rng = Rng::new(order);
    let mut indices: Vec<usize> = (0..tables.len()).collect();
    indices.sort_by_cached_key(|&index| {
        let noise = if order == 0 { 0 } else { rng.below(512) };
        std::cmp::Reverse(tables[index].len() * (1024 + noise))
    });
    indices
}

/// Lays tables down in an order: the start of each, and the length of the array.
fn lay(tables: &[Vec<(u32, Bitboard)>], order: &[usize]) -> (Vec<u32>, usize) {
    let mut array: Vec<Bitboard> = Vec::new();
    let mut starts = vec![0_u32; tables.len()];
    // No slot below this one is free.
    let mut full = 0;
    for &index in order {
        let table = &tables[index];
        let first = table.first().map_or(0, |&(slot, _)| slot as usize);
        let fits = |start: usize| {
            table.iter().all(|&(slot, attacks)| {
                let held = array.get(start + slot as usize);
                held.is_none_or(|held| held.is_empty() || *held == attacks)
            })
        };
        // At the end of the array every table fits.
        let start = (full - first.min(full)..array.len()).find(|&start| fits(start));
        let start = start.unwrap_or(array.len());
        let end = start + 1 + table.last().map_or(0, |&(slot, _)| slot as usize);
        array.resize(array.len().max(end), Bitboard::EMPTY);
        for &(slot, attacks) in table {
            array[start + slot as usize] = attacks;
        }
        starts[index] = start as u32;
        while array.get(full).is_some_and(|held| !held.is_empty()) {
            full += 1;
        }
    }
    (starts, array.len())
}

/// The index of the first slot of a table.
fn lowest(found: &Found, key_kind: KeyKind) -> u32 {
    match key_kind {
        KeyKind::Black => found.span.min,
        // The index of no blockers.
        KeyKind::White | KeyKind::Fold32 => 0,
    }
}

/// The slider and the square of one of the 128 tables.
pub fn place(index: usize) -> (Slider, Square) {
    (Slider::ALL[index / 64], Square::from_index(index))
}

/// The slots that a magic uses, counted from its lowest.
fn table(index: usize, found: &Found, key_kind: KeyKind) -> Vec<(u32, Bitboard)> {
    let (slider, square) = place(index);
    let keys = Keys::new(slider, square, key_kind);
    let mut slots: Vec<(u32, Bitboard)> = keys
        .pairs
        .iter()
        .map(|&(key, attacks)| {
            let index = key_kind.product(key, found.magic) >> (64 - found.index_bits);
            (index as u32 - lowest(found, key_kind), attacks)
        })
        .collect();
    slots.sort_unstable_by_key(|&(slot, _)| slot);
    slots.dedup();
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::squeezed_magics::{BISHOP, LEN, ORDER, ROOK};

    #[test]
    fn the_shipped_magics_are_laid_out_as_shipped() {
        let shipped: Vec<(u64, u32, u32)> = [ROOK, BISHOP].concat();
        let magics: Vec<Found> = shipped
            .iter()
            .enumerate()
            .map(|(index, &(magic, index_bits, _))| {
                let (slider, square) = place(index);
                let mut keys = Keys::new(slider, square, KeyKind::Black);
                let span = keys.span(magic, index_bits, u32::MAX);
                let span = span.expect("shipped magics have no harmful collision");
                Found { magic, index_bits, tries: 0, span }
            })
            .collect();
        let layout = pack(&magics, KeyKind::Black, ORDER..ORDER + 1, || true);
        assert_eq!(layout.len, LEN);
        assert!(layout.offsets.into_iter().eq(shipped.iter().map(|shipped| shipped.2)));
        // Laid over each other they take less than one behind the other.
        let spans: u32 = magics.iter().map(|magic| magic.span.len).sum();
        assert!(layout.len < spans as usize);
    }
}

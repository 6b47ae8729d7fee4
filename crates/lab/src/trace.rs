//! A lookup of any system step by step, and the use of a square's table.

use super::finder::{KeyKind, MagicTarget};
use super::magic_table::{BLACK, FOLD32, PACKED, PLAIN, SHARED};
use super::{System, finder};
use perft_core::attacks::lines::{line, line_attacks};
use perft_core::attacks::magics;
use perft_core::attacks::rays::Slider;
use perft_core::types::{Bitboard, Square};

/// The steps of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Blockers are gathered into an index: magics and PEXT.
    Hashed(HashTrace),
    /// Each of the two lines is looked up alone: lines, hyperbola and rays.
    ByLines([LineTrace; 2]),
}

/// A lookup by an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashTrace {
    /// The relevant squares.
    pub mask: Bitboard,
    /// The blockers on them.
    pub blockers: Bitboard,
    /// The factor; `None` for PEXT.
    pub magic: Option<u64>,
    /// The sum before the first blocker: 0, or the bias of packed and black magics.
    pub start: u64,
    /// One for each blocker, from a1 to h8.
    pub terms: Vec<Term>,
    /// The last sum. PEXT has its index in the top bits too.
    pub product: u64,
    /// The number of top bits that are the index.
    pub index_bits: u32,
    /// The index.
    pub index: u32,
    /// Added to the index, wrapping.
    pub offset: u32,
    /// The slot of the table.
    pub slot: u32,
    /// The attacks that it holds.
    pub attacks: Bitboard,
}

/// The share of a blocker in the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The square of the blocker.
    pub square: Square,
    /// The shifted copy of the factor.
    pub value: u64,
    /// The sum up to this term.
    pub sum: u64,
    /// The bits into which the addition carried.
    pub carries: u64,
}

/// The lookup along one line, by subtraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTrace {
    /// The line without the slider.
    pub line: Bitboard,
    /// The blockers on it.
    pub blockers: Bitboard,
    /// The blockers minus twice the slider.
    pub above: u64,
    /// The same on the mirrored board, mirrored back.
    pub below: u64,
    /// The attacks along the line.
    pub attacks: Bitboard,
}

/// The use of the table of one square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotUse {
    /// The lowest index that is used.
    pub min: u32,
    /// For each index from the lowest to the highest, the number of sets of blockers that have it.
    pub sets: Vec<u32>,
}

/// Two sets of blockers with different attacks and the same index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The sets.
    pub blockers: [Bitboard; 2],
    /// Their attacks.
    pub attacks: [Bitboard; 2],
    /// Their index.
    pub index: u32,
}

/// The way from blockers to a slot.
pub(super) struct Hashing<'a> {
    pub(super) magic: Option<u64>,
    pub(super) index_bits: u32,
    pub(super) offset: u32,
    pub(super) product: Box<dyn Fn(Bitboard) -> u64 + 'a>,
}

impl Hashing<'_> {
    fn index(&self, blockers: Bitboard) -> u32 {
        ((self.product)(blockers) >> (64 - self.index_bits)) as u32
    }
}

impl System {
    /// The steps of a lookup.
    ///
    /// ```
    /// use perft_core::attacks::rays::Slider;
    /// use perft_lab::{System, Trace};
    /// use perft_core::{Bitboard, Square};
    ///
    /// let occupied = Square::D6.bitboard() | Square::B4.bitboard();
    /// let Trace::Hashed(trace) = System::Black.trace(Slider::Rook, Square::D4, occupied) else {
    ///     panic!("black is a magic system");
    /// };
    /// assert_eq!((trace.terms.len(), trace.attacks.len()), (2, 11));
    /// ```
    pub fn trace(self, slider: Slider, square: Square, occupied: Bitboard) -> Trace {
        let Some(hashing) = self.hashing(slider, square) else {
            return Trace::ByLines(
                [0, 1].map(|which| LineTrace::new(slider, square, occupied, which)),
            );
        };
        let mask = slider.relevant(square);
        let blockers = occupied & mask;
        let start = (hashing.product)(Bitboard::EMPTY);
        let mut product = start;
        let mut terms = Vec::new();
        // Every product is linear in the blockers, apart from where it starts.
        for square in blockers {
            let value = (hashing.product)(square.bitboard()).wrapping_sub(start);
            let sum = product.wrapping_add(value);
            terms.push(Term { square, value, sum, carries: product ^ value ^ sum });
            product = sum;
        }
        let index = hashing.index(blockers);
        Trace::Hashed(HashTrace {
            mask,
            blockers,
            magic: hashing.magic,
            start,
            terms,
            product,
            index_bits: hashing.index_bits,
            index,
            offset: hashing.offset,
            slot: hashing.offset.wrapping_add(index),
            attacks: match slider {
                Slider::Rook => self.sliders().rook(square, occupied),
                Slider::Bishop => self.sliders().bishop(square, occupied),
            },
        })
    }

    /// The use of a square's table; `None` for a system without one.
    pub fn slot_use(self, slider: Slider, square: Square) -> Option<SlotUse> {
        let hashing = self.hashing(slider, square)?;
        let indices: Vec<u32> =
            slider.relevant(square).subsets().map(|blockers| hashing.index(blockers)).collect();
        let (min, max) = (*indices.iter().min()?, *indices.iter().max()?);
        let mut sets = vec![0; (max - min) as usize + 1];
        for index in indices {
            sets[(index - min) as usize] += 1;
        }
        Some(SlotUse { min, sets })
    }

    fn hashing(self, slider: Slider, square: Square) -> Option<Hashing<'static>> {
        let mask = slider.relevant(square);
        let index_bits = mask.len();
        let shift = 64 - index_bits;
        // The tables of a piece lie one behind the other.
        let before = Square::all().take(square.index());
        let offset = before.map(|square| 1 << slider.relevant(square).len()).sum();
        Some(match self {
            Self::Plain => PLAIN.hashing(slider, square),
            Self::Shared => SHARED.hashing(slider, square),
            Self::Packed => PACKED.hashing(slider, square),
            Self::Black => BLACK.hashing(slider, square),
            Self::Fold32 => FOLD32.hashing(slider, square),
            Self::Fancy => {
                let magic = [magics::ROOK, magics::BISHOP][slider as usize][square.index()];
                let product = move |occupied: Bitboard| (occupied & mask).0.wrapping_mul(magic);
                Hashing { magic: Some(magic), index_bits, offset, product: Box::new(product) }
            }
            Self::Pext => {
                let product = move |occupied: Bitboard| {
                    let places = (0..).zip(mask).filter(|&(_, square)| occupied.contains(square));
                    places.map(|(place, _)| 1_u64 << place << shift).sum()
                };
                Hashing { magic: None, index_bits, offset, product: Box::new(product) }
            }
            Self::Rays | Self::Lines | Self::Hyperbola => return None,
        })
    }
}

impl LineTrace {
    fn new(slider: Slider, square: Square, occupied: Bitboard, which: usize) -> Self {
        let line = line(slider, square, which);
        let blockers = occupied & line;
        let bit = square.bitboard().0;
        let mirrored = blockers.0.reverse_bits().wrapping_sub(bit.reverse_bits() << 1);
        Self {
            line,
            blockers,
            above: blockers.0.wrapping_sub(bit << 1),
            below: mirrored.reverse_bits(),
            attacks: Bitboard(line_attacks(square, occupied, line)),
        }
    }
}

/// The first harmful collision of a factor, `None` if it is a magic of the target.
///
/// # Panics
/// If there is no index bit, or more than [`MagicTarget::MAX_INDEX_BITS`].
pub fn collision(target: &MagicTarget, magic: u64) -> Option<Collision> {
    let MagicTarget { slider, square, key_kind, index_bits } = *target;
    finder::check_index_bits(index_bits);
    let mask = slider.relevant(square);
    let mut slots: Vec<Option<Bitboard>> = vec![None; 1 << index_bits];
    for blockers in mask.subsets() {
        let key = if key_kind == KeyKind::Black { blockers | !mask } else { blockers };
        let index = (key_kind.product(key.0, magic) >> (64 - index_bits)) as u32;
        let attacks = slider.attacks(square, blockers);
        let slot = &mut slots[index as usize];
        let Some(first) = *slot else {
            *slot = Some(blockers);
            continue;
        };
        let held = slider.attacks(square, first);
        if held != attacks {
            return Some(Collision {
                blockers: [first, blockers],
                attacks: [held, attacks],
                index,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finder::{Keys, Method, find};
    use perft_core::random::Rng;

    #[test]
    fn every_trace_ends_in_the_product_and_the_attacks_of_its_system() {
        let mut rng = Rng::new(1);
        for _ in 0..300 {
            let occupied = Bitboard(rng.next_u64() & rng.next_u64());
            let square = Square::from_index(rng.below(64));
            for (system, slider) in System::ALL
                .into_iter()
                .flat_map(|system| Slider::ALL.map(|slider| (system, slider)))
            {
                let expected = slider.attacks(square, occupied);
                match system.trace(slider, square, occupied) {
                    Trace::Hashed(trace) => {
                        let shift = 64 - trace.index_bits;
                        assert_eq!(trace.attacks, expected, "{system}");
                        assert_eq!(trace.product >> shift, u64::from(trace.index), "{system}");
                        assert_eq!(trace.terms.len() as u32, trace.blockers.len());
                        let used = system.slot_use(slider, square).unwrap();
                        assert!(used.sets[(trace.index - used.min) as usize] > 0, "{system}");
                        let sets: u32 = used.sets.iter().sum();
                        assert_eq!(sets, 1 << trace.mask.len(), "{system}");
                    }
                    Trace::ByLines(lines) => {
                        assert_eq!(lines[0].attacks | lines[1].attacks, expected, "{system}");
                        for line in lines {
                            assert_eq!((line.above ^ line.below) & line.line.0, line.attacks.0);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_factor_without_a_collision_is_a_magic() {
        for (slider, square) in [(Slider::Rook, Square::A1), (Slider::Bishop, Square::D4)] {
            for key_kind in [KeyKind::White, KeyKind::Black, KeyKind::Fold32] {
                let target = MagicTarget::of_mask_width(slider, square, key_kind);
                let mut keys = Keys::new(slider, square, key_kind);
                let found = find(&target, Method::Random, 1, || true).unwrap();
                assert_eq!(collision(&target, found.magic), None);
                let mut rng = Rng::new(3);
                for _ in 0..200 {
                    let magic = rng.next_u64() & rng.next_u64() & rng.next_u64();
                    let collision = collision(&target, magic);
                    assert_eq!(collision.is_none(), keys.accept(magic, target.index_bits));
                    if let Some(Collision { blockers, attacks, .. }) = collision {
                        assert_ne!(attacks[0], attacks[1]);
                        assert_eq!(attacks, blockers.map(|set| slider.attacks(square, set)));
                    }
                }
            }
        }
    }
}

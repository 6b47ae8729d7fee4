//! Magics by trial and error.

use super::{Found, Keys, MagicTarget};
use perft_core::random::Rng;

/// The distribution of candidates. Both are sparse: a factor with few bits moves blockers without
/// piling them on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Three random words ANDed: eight bits on average.
    #[default]
    Random,
    /// Six to ten bits at random places.
    Bits,
}

impl Method {
    fn draw(self, rng: &mut Rng) -> u64 {
        match self {
            Self::Random => rng.next_u64() & rng.next_u64() & rng.next_u64(),
            Self::Bits => {
                let bits = 6 + rng.below(5) as u32;
                let mut magic = 0_u64;
                while magic.count_ones() < bits {
                    magic |= 1 << rng.below(64);
                }
                magic
            }
        }
    }
}

/// The number of candidates between two calls of `go_on`.
pub const TRIES_PER_CALL: u64 = 4096;

/// Draws candidates from the target's stream of `seed` until one is a magic, or `go_on`, called
/// every [`TRIES_PER_CALL`] candidates, returns `false`.
///
/// ```
/// use perft_core::Square;
/// use perft_core::attacks::rays::Slider;
/// use perft_lab::finder::{KeyKind, Keys, MagicTarget, Method, find};
///
/// let target = MagicTarget::of_mask_width(Slider::Bishop, Square::D4, KeyKind::White);
/// let found = find(&target, Method::Random, 1, || true).unwrap();
/// assert!(Keys::new(Slider::Bishop, Square::D4, KeyKind::White).accept(found.magic, 9));
/// ```
///
/// # Panics
/// If there is no index bit, or more than [`MagicTarget::MAX_INDEX_BITS`].
pub fn find(
    target: &MagicTarget,
    method: Method,
    seed: u64,
    go_on: impl Fn() -> bool,
) -> Option<Found> {
    let mut keys = Keys::new(target.slider, target.square, target.key_kind);
    let mut rng = Rng::new(target.stream(seed));
    let index_bits = target.index_bits;
    for tries in 1_u64.. {
        let magic = method.draw(&mut rng);
        if let Some(span) = keys.span(magic, index_bits, u32::MAX) {
            return Some(Found { magic, index_bits, tries, span });
        }
        if tries.is_multiple_of(TRIES_PER_CALL) && !go_on() {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finder::KeyKind;
    use perft_core::attacks::magics;
    use perft_core::attacks::rays::Slider;
    use perft_core::types::Square;

    #[test]
    fn the_shipped_magics_are_found_again_from_their_seed() {
        for square in Square::all() {
            for (slider, shipped) in
                [(Slider::Rook, magics::ROOK), (Slider::Bishop, magics::BISHOP)]
            {
                let target = MagicTarget::of_mask_width(slider, square, KeyKind::White);
                let found = find(&target, Method::Random, magics::SEED, || true).unwrap();
                assert_eq!(found.magic, shipped[square.index()], "{slider:?} on {square}");
            }
        }
    }

    #[test]
    fn every_method_and_hash_finds_what_its_keys_accept() {
        for method in [Method::Random, Method::Bits] {
            for key_kind in [KeyKind::White, KeyKind::Black, KeyKind::Fold32] {
                let target = MagicTarget::of_mask_width(Slider::Bishop, Square::C6, key_kind);
                let found = find(&target, method, 3, || true).unwrap();
                let mut keys = Keys::new(target.slider, target.square, key_kind);
                assert!(keys.accept(found.magic, target.index_bits), "{method:?} {key_kind:?}");
            }
        }
    }
}

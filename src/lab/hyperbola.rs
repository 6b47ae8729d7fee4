//! Hyperbola quintessence: attacks by subtraction, one line at a time, without a table of attacks.

use crate::attacks::Sliders;
use crate::attacks::lines::{LINES, line, line_attacks};
use crate::attacks::rays::Slider;
use crate::types::{Bitboard, Square};

/// Hyperbola quintessence as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hyperbola;

impl Hyperbola {
    pub(super) const TABLE_BYTES: usize = size_of_val(&LINES);

    #[inline(always)]
    fn attacks(slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        let along = |which| line_attacks(square, occupied, line(slider, square, which));
        Bitboard(along(0) | along(1))
    }
}

impl Sliders for Hyperbola {
    #[inline(always)]
    fn rook(&self, square: Square, occupied: Bitboard) -> Bitboard {
        Self::attacks(Slider::Rook, square, occupied)
    }

    #[inline(always)]
    fn bishop(&self, square: Square, occupied: Bitboard) -> Bitboard {
        Self::attacks(Slider::Bishop, square, occupied)
    }
}

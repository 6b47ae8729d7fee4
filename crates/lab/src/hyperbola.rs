//! Hyperbola quintessence: attacks by subtraction, one line at a time, without a table of attacks.

use perft_core::attacks::Sliders;
use perft_core::attacks::lines::{LINES, line, line_attacks};
use perft_core::attacks::rays::Slider;
use perft_core::types::{Bitboard, Square};

/// Hyperbola quintessence as a slider system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hyperbola;

impl Hyperbola {
    pub(super) const TABLE_BYTES: usize = size_of_val(&LINES);
}

impl Sliders for Hyperbola {
    #[inline(always)]
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        let along = |which| line_attacks(square, occupied, line(slider, square, which));
        Bitboard(along(0) | along(1))
    }
}

//! En passant, one position at a time: it is rare.

use super::boards::Boards;
use crate::attacks::magic::Magic;
use crate::attacks::{self, Sliders};
use crate::types::{Bitboard, Color};

impl Boards<u64> {
    /// The positions after our legal captures.
    #[inline(always)]
    pub fn after_en_passant(&self) -> impl Iterator<Item = Self> {
        let to = self.en_passant;
        let captured = to >> 8;
        let pawns = Bitboard(self.pawns & self.ours);
        let origins = Bitboard(to).into_iter().flat_map(|to| attacks::pawn(Color::Black, to));
        let origins = origins.filter(move |&from| pawns.contains(from));
        origins.filter_map(move |from| {
            let from = from.bitboard().0;
            let after = Self {
                pawns: (self.pawns & !(from | captured)) | to,
                ours: (self.ours & !from) | to,
                theirs: self.theirs & !captured,
                en_passant: 0,
                ..*self
            };
            (!after.attacks_king(Color::Black)).then_some(after)
        })
    }

    /// The number of their legal captures after our double push to a square.
    #[inline(always)]
    pub fn en_passant_replies(&self, pushed: u64) -> u64 {
        let to = pushed >> 8;
        let beside = Bitboard(pushed).east() | Bitboard(pushed).west();
        let captures = beside & Bitboard(self.pawns & self.theirs);
        let mut legal = 0;
        for from in captures {
            let from = from.bitboard().0;
            let ours = self.ours & !(pushed >> 16);
            let theirs = (self.theirs & !from) | to;
            let pawns = (self.pawns & !(from | pushed >> 16)) | to;
            let after = Self { pawns, ours, theirs, ..*self };
            legal += u64::from(!after.attacks_king(Color::White));
        }
        legal
    }

    /// Whether a side attacks the king of the other. We are White here.
    #[inline(always)]
    fn attacks_king(&self, by: Color) -> bool {
        let (attackers, others) = match by {
            Color::White => (self.ours, self.theirs),
            Color::Black => (self.theirs, self.ours),
        };
        let occupied = Bitboard(self.ours | self.theirs);
        let Some(king) = Bitboard(self.kings & others).first() else { return false };
        let reach = (attacks::pawn(!by, king).0 & self.pawns)
            | (attacks::knight(king).0 & self.knights)
            | (attacks::king(king).0 & self.kings)
            | (Magic.rook(king, occupied).0 & self.orthogonal)
            | (Magic.bishop(king, occupied).0 & self.diagonal);
        reach & attackers != 0
    }
}

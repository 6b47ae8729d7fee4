//! Numbers of pieces and places of pawns that no game has.

use super::{Board, Impossibility};
use crate::types::{Bitboard, Color, Piece, Rank};

impl Board {
    /// A reason why no game has these pieces, as far as their numbers and the pawns show it.
    pub(super) fn impossible_material(&self) -> Option<Impossibility> {
        let of = |check: fn(&Self, Color) -> Option<Impossibility>| {
            Color::ALL.into_iter().find_map(|color| check(self, color))
        };
        of(Self::too_many_pieces).or_else(|| of(Self::impossible_pawns))
    }

    /// Whether both sides have no more pieces than the start position has and its pawns can have
    /// become. No move changes that.
    pub fn has_game_material(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.too_many_pieces(color).is_none())
    }

    fn too_many_pieces(&self, color: Color) -> Option<Impossibility> {
        let found = self.colors(color).len();
        if found > 16 {
            return Some(Impossibility::TooManyPieces { color, found });
        }
        let beyond = |pieces: Bitboard, at_start: u32| pieces.len().saturating_sub(at_start);
        let bishops = self.colored_pieces(color, Piece::Bishop);
        let promoted = beyond(self.colored_pieces(color, Piece::Knight), 2)
            + beyond(bishops & Bitboard::LIGHT, 1)
            + beyond(bishops - Bitboard::LIGHT, 1)
            + beyond(self.colored_pieces(color, Piece::Rook), 2)
            + beyond(self.colored_pieces(color, Piece::Queen), 1);
        let pawns = self.colored_pieces(color, Piece::Pawn).len();
        let too_many = Impossibility::TooManyPromotions { color, promoted, pawns };
        (promoted + pawns > 8).then_some(too_many)
    }

    /// A pawn changes its file by a capture only, one file a step.
    fn impossible_pawns(&self, color: Color) -> Option<Impossibility> {
        let captured = 16_u32.saturating_sub(self.colors(!color).len());
        match self.least_captures(color) {
            None => Some(Impossibility::Pawns { color }),
            Some(captures) if captures > captured => {
                Some(Impossibility::TooManyCaptures { color, captures, captured })
            }
            Some(_) => None,
        }
    }

    /// The least number of captures by which the pawns can have come from different squares of
    /// their home rank; `None` if they cannot.
    fn least_captures(&self, color: Color) -> Option<u32> {
        // For each set of files, the least number for the pawns so far to have come from them.
        let mut least: [Option<u32>; 256] = [None; 256];
        least[0] = Some(0);
        for pawn in self.colored_pieces(color, Piece::Pawn) {
            let home = if color == Color::White { Rank::Second } else { Rank::Seventh };
            let steps = pawn.rank().index().abs_diff(home.index());
            let mut next = [None; 256];
            for (files, captures) in least.iter().enumerate() {
                let Some(captures) = captures else { continue };
                for file in (0..8).filter(|file| files >> file & 1 == 0) {
                    let distance = pawn.file().index().abs_diff(file);
                    if distance <= steps {
                        let captures = captures + distance as u32;
                        let best = &mut next[files | 1 << file];
                        *best = Some(best.map_or(captures, |best: u32| best.min(captures)));
                    }
                }
            }
            least = next;
        }
        least.into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_need_captures_to_change_files() {
        for (fen, reason) in [
            ("4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", None),
            // A doubled pawn took something.
            (
                "rnbqkbnr/pppppppp/8/8/8/4P3/PPP1PPPP/RNBQKBNR w KQkq - 0 1",
                Some("1 captures or more"),
            ),
            ("rnbqkbnr/1ppppppp/8/8/8/4P3/PPP1PPPP/RNBQKBNR w KQkq - 0 1", None),
            // Five pawns on a file came by 0 + 1 + 1 + 2 + 2 captures.
            ("4k3/P7/P7/P7/P7/P7/8/4K3 w - - 0 1", None),
            ("rnbqkbn1/pppppppp/8/P7/P7/P7/8/4K3 w - - 0 1", Some("3 captures")),
            // Two pawns on a3 and a2 have only two squares to come from, and three do not.
            ("4k3/8/8/8/8/P7/P7/4K3 w - - 0 1", None),
            ("4k3/8/8/8/8/PP6/PP6/4K3 w - - 0 1", Some("White pawns cannot")),
            ("4k3/p7/p7/1p6/8/8/8/4K3 w - - 0 1", None),
            ("4k3/pp6/pp6/8/8/8/8/4K3 w - - 0 1", Some("Black pawns cannot")),
        ] {
            let board: Board = fen.parse().unwrap();
            let found = board.impossible_material().map(|reason| reason.to_string());
            match reason {
                None => assert_eq!(found, None, "{fen}"),
                Some(part) => assert!(
                    found.as_ref().is_some_and(|found| found.contains(part)),
                    "{fen}: {found:?}"
                ),
            }
        }
    }
}

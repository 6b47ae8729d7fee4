//! The moves that the kernel makes, recorded while it counts.

use super::super::target::record_made;
use crate::board::Board;
use crate::sys::cpu::Baseline;
use crate::types::{Move, by_side};

/// The moves that the kernel makes, and those that give check, whose replies it counts afresh. The
/// replies to all others follow from those to a null move.
pub(in crate::count) fn moves_made(board: &Board) -> Vec<Move> {
    let made = record_made(|| {
        by_side!(board.side_to_move(), Us => super::count::<_, Us>(Baseline, board));
    });
    // A double push that allows no en passant is made as a single one.
    let squares = |mv: Move| (mv.from(), mv.to(), mv.promotion());
    let is_made = |mv: &Move| made.iter().any(|&made| squares(made) == squares(*mv));
    board.legal_moves().into_iter().filter(is_made).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::random::special;
    use crate::random::Rng;
    use crate::types::{CastlingMode, MoveKind};

    #[test]
    fn checks_and_en_passant_captures_are_made_and_few_others() {
        assert_eq!(moves_made(&Board::startpos()), []);
        let mut rng = Rng::new(1);
        let (mut all, mut made_otherwise) = (0, 0);
        for _ in 0..2_000 {
            let board = special(&mut rng, CastlingMode::Chess960);
            let (moves, made) = (board.legal_moves(), moves_made(&board));
            for &mv in &moves {
                let mut child = board;
                child.make(mv);
                let is_needed =
                    board.in_check() || child.in_check() || mv.kind() == MoveKind::EnPassant;
                let is_made = made.contains(&mv);
                assert!(is_made || !is_needed, "{mv:?} {board:?}");
                made_otherwise += usize::from(is_made && !is_needed);
            }
            all += moves.len();
        }
        assert!(made_otherwise * 10 < all, "{made_otherwise} of {all}");
    }
}

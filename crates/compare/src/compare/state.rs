//! Wrong counts that no rule and no mistake in counting predicts: state that is left over, from
//! earlier queries or from moves that were taken back.

use super::{Case, CompareError, Diff, Finder};
use crate::uci::{Divider, Query};
use perft_core::attacks::Sliders;
use perft_core::attacks::magic::Magic;
use perft_core::board::{Board, BoardBuilder, Position};
use perft_core::types::{Bitboard, Move, MoveKind, Piece};

/// The most other positions before the same move.
const MAX_PARENTS: usize = 6;

/// State that is left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Of earlier queries.
    Queries,
    /// Of moves that were taken back.
    Unmake,
    /// None is left: the count of the last ply is wrong, whatever came before.
    Leaf,
}

impl Leftover {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queries => "table-key",
            Self::Unmake => "unmake",
            Self::Leaf => "leaf-counting",
        }
    }

    /// The cause in a sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Queries => {
                "The count depends on earlier queries: in a fresh process it is right. The engine \
                 keeps a table or a history that it does not clear, or whose keys lack something."
            }
            Self::Unmake => {
                "Taking back a move does not restore everything: counts are wrong at depth 2, and \
                 right at depth 1 after each move."
            }
            Self::Leaf => {
                "Moves of the last ply are counted wrongly, whichever move leads to the position."
            }
        }
    }
}

impl<D: Divider> Finder<D> {
    /// The state that a divider leaves over within one query, given a case of depth 2 with right
    /// moves and wrong counts.
    pub(super) fn leftover(
        &mut self,
        case: &Case,
        diff: &Diff,
    ) -> Result<Option<Leftover>, CompareError<D::Error>> {
        let position = case.query().position();
        let (mut same, mut right) = (0, 0);
        for count in &diff.counts {
            for (root, mv) in other_parents(position.board(), count.mv) {
                let diff = self.diff(&Query { root: &root, line: &[], depth: 2 })?;
                let uci = root.board().uci(mv);
                match diff.counts.iter().find(|other| other.uci == uci) {
                    None => right += 1,
                    Some(other) if other.theirs == count.theirs => same += 1,
                    Some(_) => {}
                }
            }
        }
        Ok(match (same, right) {
            (0, 1..) => Some(Leftover::Unmake),
            (1.., 0) => Some(Leftover::Leaf),
            _ => None,
        })
    }
}

/// Other positions from which the same piece reaches the same position.
fn other_parents(board: &Board, mv: Move) -> Vec<(Position, Move)> {
    let (us, piece) = (board.side_to_move(), mv.piece());
    let mut child = *board;
    child.make(mv);
    let is_quiet = mv.kind() != MoveKind::Castle && !board.occupied().contains(mv.to());
    if !is_quiet || piece == Piece::Pawn || child.castling() != board.castling() {
        return Vec::new();
    }
    let occupied = child.occupied();
    let origins: Bitboard = match piece {
        Piece::Bishop => Magic.bishop(mv.to(), occupied),
        Piece::Rook => Magic.rook(mv.to(), occupied),
        Piece::Queen => Magic.queen(mv.to(), occupied),
        Piece::Knight => perft_core::attacks::knight(mv.to()),
        Piece::King | Piece::Pawn => return Vec::new(),
    };
    let mut parents = Vec::new();
    for from in origins - occupied {
        if from == mv.from() || parents.len() == MAX_PARENTS {
            continue;
        }
        let mut builder = BoardBuilder::from(&child);
        builder.clear(mv.to()).put(from, us, piece).side_to_move(us).en_passant(None);
        let Ok(parent) = builder.build() else { continue };
        let position = Position::from(parent);
        let moves = parent.legal_moves();
        if position.impossibility().is_none()
            && let Some(&same) = moves.iter().find(|it| (it.from(), it.to()) == (from, mv.to()))
        {
            parents.push((position, same));
        }
    }
    parents
}

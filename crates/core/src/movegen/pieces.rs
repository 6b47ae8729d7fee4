//! Knights, bishops, rooks and queens.

use super::{Generator, MoveSink};
use crate::attacks::{self, Sliders};
use crate::types::{MoveKind, Piece, Side};

impl<S: Sliders, Us: Side> Generator<'_, S, Us> {
    /// A pinned slider may move along its pin. It is enough to keep a rook on *some* line of
    /// an orthogonal pin: pinned on the king's file, it leaves the file only along ranks that
    /// never meet the king's own, and likewise for bishops on diagonals. A queen could change
    /// from one diagonal pin to another along a rank, so it moves as the piece of its pin.
    #[inline(always)]
    pub(super) fn pieces(&self, sink: &mut impl MoveSink) {
        let occupied = self.board.occupied();
        let pinned = self.masks.pinned();
        // Targets of any piece: friends are removed, captures stay in.
        let allowed = self.masks.targets - self.us();

        for from in self.ours(Piece::Knight) - pinned {
            sink.piece(MoveKind::Knight, from, attacks::knight(from) & allowed);
        }

        let queens = self.ours(Piece::Queen);
        for from in queens - pinned {
            sink.piece(MoveKind::Queen, from, self.sliders.queen(from, occupied) & allowed);
        }
        for from in self.ours(Piece::Rook) - pinned {
            sink.piece(MoveKind::Rook, from, self.sliders.rook(from, occupied) & allowed);
        }
        for from in self.ours(Piece::Bishop) - pinned {
            sink.piece(MoveKind::Bishop, from, self.sliders.bishop(from, occupied) & allowed);
        }

        let along = allowed & self.masks.pin_orthogonal;
        for from in (self.ours(Piece::Rook) | queens) & self.masks.pin_orthogonal {
            let kind = if queens.contains(from) { MoveKind::Queen } else { MoveKind::Rook };
            sink.piece(kind, from, self.sliders.rook(from, occupied) & along);
        }
        let along = allowed & self.masks.pin_diagonal;
        for from in (self.ours(Piece::Bishop) | queens) & self.masks.pin_diagonal {
            let kind = if queens.contains(from) { MoveKind::Queen } else { MoveKind::Bishop };
            sink.piece(kind, from, self.sliders.bishop(from, occupied) & along);
        }
    }
}

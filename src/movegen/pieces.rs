//! Knights, bishops, rooks and queens.

use super::{Generator, Sink};
use crate::attacks;
use crate::sliders::Sliders;
use crate::types::{MoveKind, Piece, Side};

impl<S: Sliders, Us: Side> Generator<'_, S, Us> {
    /// A pinned slider may move along its pin. It is enough to keep it on *some* pin line of
    /// its own kind: no rook's line from a square off the king's rank and file meets those
    /// again but on the king's other lines where it cannot stand pinned, and likewise for
    /// bishops. A queen could change lines, so a pinned queen moves as the piece of its pin.
    #[inline(always)]
    pub(super) fn pieces(&self, sink: &mut impl Sink) {
        let occupied = self.board.occupied();
        let pinned = self.masks.pinned();
        // Where any man may go: friends are removed, captures stay in.
        let allowed = self.masks.targets - self.us();

        for from in self.ours(Piece::Knight) - pinned {
            sink.piece(MoveKind::Knight, from, attacks::knight(from) & allowed);
        }

        let queens = self.ours(Piece::Queen);
        for from in queens - pinned {
            sink.piece(MoveKind::Queen, from, S::queen(from, occupied) & allowed);
        }
        for from in self.ours(Piece::Rook) - pinned {
            sink.piece(MoveKind::Rook, from, S::rook(from, occupied) & allowed);
        }
        for from in self.ours(Piece::Bishop) - pinned {
            sink.piece(MoveKind::Bishop, from, S::bishop(from, occupied) & allowed);
        }

        let along = allowed & self.masks.pin_orthogonal;
        for from in (self.ours(Piece::Rook) | queens) & self.masks.pin_orthogonal {
            let kind = if queens.contains(from) { MoveKind::Queen } else { MoveKind::Rook };
            sink.piece(kind, from, S::rook(from, occupied) & along);
        }
        let along = allowed & self.masks.pin_diagonal;
        for from in (self.ours(Piece::Bishop) | queens) & self.masks.pin_diagonal {
            let kind = if queens.contains(from) { MoveKind::Queen } else { MoveKind::Bishop };
            sink.piece(kind, from, S::bishop(from, occupied) & along);
        }
    }
}

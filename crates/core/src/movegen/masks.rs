//! The constraints that checks and pins put on the side to move.

use crate::attacks::{self, Sliders};
use crate::board::Board;
use crate::types::{Bitboard, Piece, Side};

/// The facts about a position that decide which moves are legal.
pub(super) struct Masks {
    /// Their pieces that give check.
    pub checkers: Bitboard,
    /// Targets of all pieces but the king: everything or, in check, the checker and the squares
    /// between it and the king. Not applied to en passant: the captured pawn is not on the
    /// target square.
    pub targets: Bitboard,
    /// The rank and file lines from our king to a pinning rook or queen, the pinner
    /// included.
    pub pin_orthogonal: Bitboard,
    /// The same along diagonals.
    pub pin_diagonal: Bitboard,
    /// The squares that they attack once our king is lifted from the board.
    pub danger: Bitboard,
}

impl Masks {
    #[inline(always)]
    pub fn new<Us: Side>(sliders: &impl Sliders, board: &Board) -> Self {
        let (us, them) = (Us::COLOR, Us::COLOR.opponent());
        let king = board.king(us);
        let (ours, theirs) = (board.colors(us), board.colors(them));
        let occupied = ours | theirs;
        let their_orthogonal = board.orthogonal(them);
        let their_diagonal = board.diagonal(them);

        let leapers = (attacks::pawn(us, king) & board.pieces(Piece::Pawn))
            | (attacks::knight(king) & board.pieces(Piece::Knight));
        let mut checkers = leapers & theirs;
        let mut targets = Bitboard::FULL;
        let [mut pin_orthogonal, mut pin_diagonal] = [Bitboard::EMPTY; 2];

        // No piece between is a check, one of ours is a pin.
        let none = Bitboard::EMPTY;
        for (orthogonal, diagonal, pins) in [
            (their_orthogonal, none, &mut pin_orthogonal),
            (none, their_diagonal, &mut pin_diagonal),
        ] {
            for line in attacks::slider_lines(king, orthogonal, diagonal, occupied) {
                if line.blockers.is_empty() {
                    checkers |= line.slider.bitboard();
                    targets = line.between;
                } else if !line.blockers.more_than_one() && line.blockers.intersects(ours) {
                    *pins |= line.with_slider();
                }
            }
        }
        if !checkers.is_empty() {
            // A leaper's check cannot be blocked. In double check `targets` does not matter:
            // only the king moves.
            let between = if targets == Bitboard::FULL { Bitboard::EMPTY } else { targets };
            targets = between | checkers;
        }

        // The king is lifted so that sliders attack through it.
        let lifted = occupied ^ king.bitboard();
        let mut danger = attacks::pawns(them, board.colored_pieces(them, Piece::Pawn))
            | attacks::king(board.king(them));
        for knight in board.colored_pieces(them, Piece::Knight) {
            danger |= attacks::knight(knight);
        }
        for slider in their_orthogonal {
            danger |= sliders.rook(slider, lifted);
        }
        for slider in their_diagonal {
            danger |= sliders.bishop(slider, lifted);
        }
        Self { checkers, targets, pin_orthogonal, pin_diagonal, danger }
    }

    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pin_orthogonal | self.pin_diagonal
    }
}

//! What checks and pins leave to the side to move.

use crate::attacks;
use crate::board::Board;
use crate::sliders::Sliders;
use crate::types::{Bitboard, Piece, Side};

/// The facts about a position that every legal move hangs on.
pub(super) struct Masks {
    /// Their men that give check.
    pub checkers: Bitboard,
    /// Where a man other than the king must go: anywhere, or, in check, onto the checker or
    /// between it and the king. En passant, which takes beside where it goes, does not ask.
    pub targets: Bitboard,
    /// The rank and file lines from our king to a pinning rook or queen, the pinner
    /// included.
    pub pin_orthogonal: Bitboard,
    /// The same along diagonals.
    pub pin_diagonal: Bitboard,
    /// All that they attack once our king is lifted from the board.
    pub danger: Bitboard,
}

impl Masks {
    #[inline(always)]
    pub fn new<S: Sliders, Us: Side>(board: &Board) -> Self {
        let (us, them) = (Us::COLOR, Us::COLOR.opponent());
        let king = board.king(us);
        let (ours, theirs) = (board.color(us), board.color(them));
        let occupied = ours | theirs;
        let their_orthogonal = board.orthogonal(them);
        let their_diagonal = board.diagonal(them);

        let leapers = (attacks::pawn(us, king) & board.pieces(Piece::Pawn))
            | (attacks::knight(king) & board.pieces(Piece::Knight));
        let mut checkers = leapers & theirs;
        let mut targets = Bitboard::FULL;
        let [mut pin_orthogonal, mut pin_diagonal] = [Bitboard::EMPTY; 2];

        // Their sliders that would see the king if our men were not there: no man of ours
        // between is a check, exactly one is a pin.
        let aligned = (S::rook(king, theirs) & their_orthogonal, &mut pin_orthogonal);
        let aligned_diagonally = (S::bishop(king, theirs) & their_diagonal, &mut pin_diagonal);
        for (sliders, pins) in [aligned, aligned_diagonally] {
            for slider in sliders {
                let line = attacks::between(king, slider);
                let blockers = line & ours;
                if blockers.is_empty() {
                    checkers |= slider.bitboard();
                    targets = line;
                } else if !blockers.has_many() {
                    *pins |= line | slider.bitboard();
                }
            }
        }
        if !checkers.is_empty() {
            // With a leaper's check there is nothing between; `targets` of a second check
            // does not matter, only the king moves then.
            let between = if targets == Bitboard::FULL { Bitboard::EMPTY } else { targets };
            targets = between | checkers;
        }

        // The king is lifted so that sliders see through it.
        let lifted = occupied ^ king.bitboard();
        let mut danger =
            attacks::pawns(them, board.men(them, Piece::Pawn)) | attacks::king(board.king(them));
        for knight in board.men(them, Piece::Knight) {
            danger |= attacks::knight(knight);
        }
        for slider in their_orthogonal {
            danger |= S::rook(slider, lifted);
        }
        for slider in their_diagonal {
            danger |= S::bishop(slider, lifted);
        }
        Self { checkers, targets, pin_orthogonal, pin_diagonal, danger }
    }

    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pin_orthogonal | self.pin_diagonal
    }
}

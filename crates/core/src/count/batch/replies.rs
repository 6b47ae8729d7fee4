//! Their legal moves in eight positions.
//!
//! There is no loop over pieces: rays of one direction never overlap, so the size of a filled
//! direction is the sum over the pieces; a pinned slider moves along the line of its pin only.

use super::boards::{Boards, RelativeCastling};
use super::rays::{Open8, directions, knight_moves, step};
use super::words::Words8;
use crate::attacks;
use crate::attacks::directions::{SOUTH_EAST, SOUTH_WEST, kind, line, opposite};
use crate::types::{Bitboard, Color, Rank};

/// The rank that their single pushes reach from the home rank.
pub(super) const THIRD: u64 = Bitboard::rank(Rank::Sixth).0;
/// The rank on which their pawns promote.
pub(super) const LAST: u64 = Bitboard::rank(Rank::First).0;

/// The number of their legal moves without en passant; they are to move.
#[inline(always)]
pub(super) fn count(boards: &Boards<Words8>, castlings: &[RelativeCastling; 2]) -> Words8 {
    let Boards { ours, theirs, .. } = *boards;
    let occupied = ours | theirs;
    let empty = !occupied;
    let zero = ours.zero();
    let their_king = boards.kings & theirs;
    let our_sliders = [boards.orthogonal & ours, boards.diagonal & ours];
    let sliders = [boards.orthogonal & theirs, boards.diagonal & theirs];
    let [our_orthogonal, our_diagonal] = our_sliders.map(Words8::any);
    let [orthogonal, diagonal] = sliders.map(Words8::any);

    let mut open = [Open8::closed(zero); 8];
    directions!(D in [our_orthogonal | orthogonal, our_diagonal | diagonal] => {
        open[D] = Open8::new::<D>(empty);
    });

    // Our attacks; the square behind their king on a line of check too.
    let our_pawns_here = boards.pawns & ours;
    let mut danger = attacks::pawns(Color::White, our_pawns_here)
        | attacks::knights(boards.knights & ours)
        | attacks::kings(boards.kings & ours);
    let mut our_rays = [zero; 8];
    directions!(D in [our_orthogonal, our_diagonal] => {
        our_rays[D] = open[D].attacks::<D>(our_sliders[kind(D)]);
        danger |= our_rays[D] | step::<D>(our_rays[D] & their_king);
    });

    // The lines of their king: squares that it and a slider of ours attack from two sides are one
    // pinned piece or, if there is a check, the empty squares between.
    let mut pins = [zero; 4];
    let mut between = zero;
    let mut view = [zero; 2];
    directions!(D in [our_orthogonal, our_diagonal] => {
        let ray = open[D].attacks::<D>(their_king);
        let facing = ray & our_rays[opposite(D)];
        pins[line(D)] |= facing & theirs;
        between |= facing;
        view[kind(D)] |= ray;
    });
    let pinned = pins[0] | pins[1] | pins[2] | pins[3];
    let checkers = (view[0] & our_sliders[0])
        | (view[1] & our_sliders[1])
        | (attacks::knights(their_king) & boards.knights & ours)
        | (attacks::pawns(Color::Black, their_king) & our_pawns_here);
    let single = (checkers & (checkers - 1)).is_empty();
    let evasions = (!theirs & (checkers | (between & empty))).only(single);
    let targets = evasions.replaced(checkers.is_empty(), !theirs);

    let mut sum = (attacks::kings(their_king) & !(theirs | danger)).len();
    directions!(D in [orthogonal, diagonal] => {
        let from = sliders[kind(D)] & !(pinned ^ pins[line(D)]);
        sum += (open[D].attacks::<D>(from) & targets).len();
    });
    let free_knights = boards.knights & theirs & !pinned;
    if free_knights.any() {
        for to in knight_moves(free_knights) {
            sum += (to & targets).len();
        }
    }

    let pawns = boards.pawns & theirs;
    let push = (pawns & !(pinned ^ pins[0])).shr::<8>() & empty;
    let double = (push & THIRD).shr::<8>() & empty & targets;
    let push = push & targets;
    let victims = ours & targets;
    let east = step::<SOUTH_EAST>(pawns & !(pinned ^ pins[line(SOUTH_EAST)])) & victims;
    let west = step::<SOUTH_WEST>(pawns & !(pinned ^ pins[line(SOUTH_WEST)])) & victims;
    sum += push.len() + double.len() + east.len() + west.len();
    if ((push | east | west) & LAST).any() {
        let promotions = (push & LAST).len() + (east & LAST).len() + (west & LAST).len();
        sum += promotions + promotions + promotions;
    }

    for castling in castlings {
        if (boards.castling & castling.rook).any() {
            let obstacles = (!boards.castling & castling.rook)
                | (pinned & castling.rook)
                | (occupied & castling.path)
                | (danger & (their_king | castling.safe));
            sum += zero.with_all(1).only(obstacles.is_empty());
        }
    }
    sum
}

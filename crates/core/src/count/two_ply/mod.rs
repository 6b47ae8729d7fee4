//! The last two plies, counted without making most of the moves.
//!
//! `us` is to move, `them` is the other side. The result is the sum, over our legal moves, of the
//! number of their legal replies. They are not in check, so their replies to a null move are well
//! defined. One move of ours changes few of them: the kernel counts the replies to a null move once
//! ([`replies`], [`their_king`]) and then, for sets of our moves at a time ([`ours`]), only the
//! changes.
//!
//! - **Replies of pieces other than the king** change where our pieces arrive and leave. A piece of ours on a
//!   new square blocks rays and pushes and can be captured by pawns; a piece that leaves its square
//!   opens rays and pushes. Both numbers depend on one square only, so the change by many moves is
//!   a sum over sets of squares: see [`planes`].
//! - **Replies of the king** change only if a square next to it, or on its castling path, becomes
//!   attacked, safe, occupied or empty. For our moves that may do so they are counted again.
//! - Moves that pin or unpin pieces of theirs change the replies of those pieces, which are counted
//!   again.
//! - Moves that give check leave few replies, which are counted afresh ([`checks`]).
//! - Our en-passant captures and the few castling moves and promotions that affect their king are
//!   made, and the replies counted.
//!
//! Each rule is explained where its set of squares is computed; [`rules`] names them all.
//!
//! # An example
//!
//! ```text
//! 8  0 . . . . . . k      White, us, is to move. To a null move Black's king has 3 replies and
//! 7  1 . . . . . . .      its rook 14, which is 17.
//! 6  2 . . . . . . .
//! 5  r 6 5 4 3 2 1 0      The numbers are the replies of the rook that are lost when a piece of
//! 4  3 . . . . . . .      ours lands there: on b5 those to c5 ... h5. On b5 itself the rook can
//! 3  2 . . . . . . .      capture.
//! 2  1 R . . . . . .
//! 1  0 . . . . . . K
//!    a b c d e f g h
//! ```
//!
//! These numbers, the *field*, are kept in binary, each digit a set of squares: 6 on b5 is a bit in
//! the sets of twos and fours. Our moves are kept in the same way, as the number of moves that land
//! on each square. The sum of the products of the two is a few population counts of intersections:
//! here one move to b5 and one to a2 lose 6 + 1.
//!
//! - Neutral are 13 moves: of the rook to b1, b3, b4, b5, b6, a2, c2, d2, e2 and f2, and all three
//!   of the king. They have `13 * 17 - 7 = 214` replies.
//! - Rb7 and Rg2 attack two of the three squares of the king: `14 + 1` replies each.
//! - Rb8 and Rh2 give check, with 2 and 3 replies.
//!
//! The sum is `214 + 30 + 5 = 249`.

mod checks;
mod context;
mod made;
mod ours;
pub(super) mod planes;
mod rays;
mod replies;
pub(super) mod rules;
#[cfg(test)]
pub(super) mod tests;
mod their_king;

pub(super) use made::moves_made;

use super::target::{Target, list_moves};
use crate::board::Board;
use crate::movegen;
use crate::sys::cpu::outlined;
use crate::types::{Move, Side};
use context::Context;
use ours::Node;

outlined! {
    /// The number of leaves two plies ahead.
    pub(super) fn count<T: Target, Us: Side>(target: T, board: &Board) -> u64 {
        let context = Context::<T, Us>::new(target, board);
        let their_rays = context.their_rays();
        let danger = context.danger(their_rays.union());
        if danger.contains(context.our_king) {
            return count_by_making::<T, Us>(target, board);
        }
        let lines = context.lines();
        let replies = context.replies(their_rays, &lines);
        let their_king = context.their_king(&lines);
        let node =
            Node { context: &context, lines: &lines, replies: &replies, their_king: &their_king };
        node.sum(danger)
    }
}

outlined! {
    /// Makes each move and counts the replies: for positions in check, which have few moves.
    fn count_by_making<T: Target, Us: Side>(target: T, board: &Board) -> u64 {
        let mut nodes = 0;
        for mv in list_moves::<T, Us>(target, board) {
            nodes += count_replies::<T, Us>(target, board, mv) as u64;
        }
        nodes
    }
}

outlined! {
    /// The number of their replies to a move, by making it.
    fn count_replies<T: Target, Us: Side>(target: T, board: &Board, mv: Move) -> i32 {
        target.on_made(mv);
        let mut child = *board;
        child.make_as::<Us>(target, mv);
        movegen::count_moves::<T, Us::Them>(target, &child) as i32
    }
}

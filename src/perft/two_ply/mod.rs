//! The last two plies, counted without making most of the moves.
//!
//! `us` is to move, `them` is the other side; wanted is the sum, over our legal moves, of the
//! number of their legal replies. They are not in check, so the replies after a null move, if
//! we just passed, are well defined. One move of ours changes little of them: this kernel
//! counts the replies to a null move once ([`replies`], [`their_king`]) and then, for sets of
//! our moves at a time ([`ours`]), only what changes.
//!
//! A reply is the king's or another man's.
//!
//! - **Another man's replies** change where we come and go. A man of ours on a new square
//!   stops rays and pushes and offers itself to pawns; a man that leaves its square lets
//!   rays and pushes through. Both are numbers that hang on one square only, so that the
//!   change by many moves is a sum over sets of squares: see [`planes`].
//! - **The king's replies** change only if a square next to it, or on its castling path,
//!   becomes attacked, safe, occupied or free. For moves that may do so the king's replies are
//!   counted again.
//! - Moves that change which of their men are pinned change those men's replies, which are
//!   counted again.
//! - Moves that give check leave few replies: they are made, and the replies counted. So are
//!   our captures en passant and the few castlings and promotions that their side notices.
//!
//! What each rule says and why is at the place where its set of squares is made; [`rules`]
//! names them all.

mod lanes;
mod ours;
mod planes;
mod rays;
mod replies;
mod rules;
mod scene;
#[cfg(test)]
mod tests;
mod their_king;

#[cfg(target_arch = "x86_64")]
pub(super) use lanes::Avx2;
pub(super) use lanes::{Lanes, Words};

use crate::board::Board;
use crate::movegen;
use crate::sliders::Sliders;
use crate::types::{Move, MoveList, Side};
use ours::Node;
use scene::Scene;

/// The number of leaves two plies ahead.
#[inline(always)]
pub(super) fn count<S: Sliders, L: Lanes, Us: Side>(board: &Board) -> u64 {
    let scene = Scene::<S, L, Us>::new(board);
    let their_view = scene.their_view();
    let danger = scene.danger(their_view.union());
    if danger.contains(scene.our_king) {
        return L::apart(|| count_by_making::<S, Us>(board));
    }
    let lines = scene.lines();
    let replies = scene.replies(their_view, &lines);
    let their_king = scene.their_king(&lines);
    let node = Node { scene: &scene, lines: &lines, replies: &replies, their_king: &their_king };
    node.sum(danger)
}

/// Makes each move and counts the replies: for us in check, where few moves are left.
#[inline(always)]
fn count_by_making<S: Sliders, Us: Side>(board: &Board) -> u64 {
    let mut moves = MoveList::new();
    movegen::list_moves::<S, Us>(board, &mut moves);
    let mut nodes = 0;
    for mv in moves {
        nodes += count_replies::<S, Us>(board, mv) as u64;
    }
    nodes
}

/// The number of their replies to a move, the slow way.
#[inline(always)]
fn count_replies<S: Sliders, Us: Side>(board: &Board, mv: Move) -> i32 {
    let mut child = *board;
    let _ = child.make_as::<S, Us>(mv);
    movegen::count_moves::<S, Us::Them>(&child) as i32
}

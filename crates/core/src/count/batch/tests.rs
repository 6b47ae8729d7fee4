//! The kernel for eight positions, for the test of all kernels in `two_ply`.

use std::cell::Cell;

use super::super::two_ply::tests::{Subject, by_making};
use super::words::LANES;
use super::{Batch, Receiver, WeightedSum};
use crate::board::{Board, BoardBuilder};
use crate::positions::random::{chess960_start, random_game, random_placement};
use crate::random::Rng;
use crate::sys::Cpu;
use crate::sys::cpu::Avx512;
use crate::types::{Bitboard, Color, Move, MoveKind, Square};
use perft_needs::needs;

thread_local! {
    /// The origin and the target of the only move that counts, in each lane.
    pub(super) static ONLY: Cell<Option<[[u64; LANES]; 2]>> = const { Cell::new(None) };
}

/// The kernel for eight positions.
pub(in crate::count) struct EightPositions(pub Avx512);

impl EightPositions {
    fn batch<R: Receiver>(&self, board: &Board, receiver: R) -> Box<Batch<R>> {
        Batch::new(self.0, board, board.side_to_move(), receiver)
    }
}

impl Subject for EightPositions {
    fn level(&self) -> Cpu {
        Cpu::Avx512
    }

    /// One move in each lane. En passant is not part of the sums: it is always made.
    fn replies(&self, board: &Board) -> Vec<(Vec<Move>, u64)> {
        let mut groups: Vec<Vec<Move>> = Vec::new();
        let mut replies = Vec::new();
        for mv in board.legal_moves() {
            let is_same = |other: &Move| (other.from(), other.to()) == (mv.from(), mv.to());
            if mv.kind() == MoveKind::EnPassant {
                replies.push((vec![mv], by_making(board, mv)));
            } else if let Some(group) = groups.iter_mut().find(|group| is_same(&group[0])) {
                group.push(mv);
            } else {
                groups.push(vec![mv]);
            }
        }
        let plain = BoardBuilder::from(board).en_passant(None).build().expect("it is legal");
        for moves in groups.chunks(LANES) {
            let mut batch = self.batch(&plain, vec![0; LANES]);
            let mut only = [[0; LANES]; 2];
            for (lane, group) in moves.iter().enumerate() {
                batch.add(&plain, lane as u64);
                only[0][lane] = relative(board, group[0].from());
                only[1][lane] = relative(board, group[0].to());
            }
            ONLY.set(Some(only));
            let counts = batch.finish();
            ONLY.set(None);
            replies.extend(moves.iter().cloned().zip(counts.iter().copied()));
        }
        replies
    }

    fn count(&self, board: &Board) -> u64 {
        let mut batch = self.batch(board, WeightedSum::new(self.0));
        batch.add(board, 1);
        batch.finish().take().expect("it fits") as u64
    }
}

/// The bit of a square as the side to move sees it.
fn relative(board: &Board, square: Square) -> u64 {
    let Bitboard(bit) = square.bitboard();
    if board.side_to_move() == Color::White { bit } else { bit.swap_bytes() }
}

/// The counts of positions of one tree, many of them in one batch.
fn counts_of(level: Avx512, root: &Board, boards: &[Board]) -> Vec<u64> {
    let mut counts = vec![0; boards.len()];
    for us in Color::ALL {
        let mut batch = Batch::new(level, root, us, counts);
        for (tag, board) in boards.iter().enumerate() {
            if board.side_to_move() == us {
                batch.add(board, tag as u64);
            }
        }
        counts = std::mem::take(batch.finish());
    }
    counts
}

/// Positions from play and placements, as many as `PERFT_RANDOM_POSITIONS` says.
#[needs(avx512)]
#[test]
fn positions_that_share_vectors_keep_their_counts() {
    let Some(level) = Avx512::for_test() else { return };
    let number = std::env::var("PERFT_RANDOM_POSITIONS").ok().and_then(|text| text.parse().ok());
    let number: usize = number.unwrap_or(20_000);
    let mut rng = Rng::new(17);
    let (mut done, mut most) = (0, 0);
    for round in 0.. {
        let boards: Vec<Board> = match round % 3 {
            0 => random_game(&mut rng, Board::startpos(), 120),
            1 => {
                let start = chess960_start(rng.below(960));
                random_game(&mut rng, start, 120)
            }
            _ => {
                let boards = (0..150).map(|_| random_placement(&mut rng));
                boards.filter(|board| board.castling().rooks().is_empty()).collect()
            }
        };
        for (board, count) in boards.iter().zip(counts_of(level, &boards[0], &boards)) {
            let reference: u64 =
                board.legal_moves().into_iter().map(|mv| by_making(board, mv)).sum();
            assert_eq!(count, reference, "{board:#}");
            most = most.max(board.occupied().len());
        }
        done += boards.len();
        if done >= number {
            println!("{done} positions with up to {most} pieces, none wrong");
            return;
        }
    }
}

/// A sum of products, not a product of sums, and beyond 64 bits.
#[needs(avx512)]
#[test]
fn counts_are_multiplied_by_multiplicities() {
    let Some(level) = Avx512::for_test() else { return };
    let boards = random_game(&mut Rng::new(3), Board::startpos(), 40);
    let boards: Vec<&Board> = boards.iter().step_by(2).collect();
    let mut rng = Rng::new(4);
    let mut batch = Batch::new(level, boards[0], Color::White, WeightedSum::new(level));
    let mut sum = 0_u128;
    for board in boards {
        let multiplicity = rng.next_u64();
        let count: u64 = board.legal_moves().into_iter().map(|mv| by_making(board, mv)).sum();
        batch.add(board, multiplicity);
        sum += u128::from(count) * u128::from(multiplicity);
    }
    assert_eq!(batch.finish().take(), Some(sum));
    assert!(sum > u64::MAX.into());
    assert_eq!(batch.finish().take(), Some(0));
}

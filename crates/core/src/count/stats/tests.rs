//! Statistics against published rows and against every move made.

use std::num::NonZero;
use std::sync::{Arc, Mutex};

use super::*;
use crate::count::tests::{perft_memo, two_kings};
use crate::count::{Counter, Merge, Progress};
use crate::positions;
use crate::positions::random::{
    chess960_start, crowded_placement, random_game, random_placement, special,
};
use crate::random::Rng;
use crate::sys::Cpu;
use crate::types::CastlingMode;

/// The rows that circulate, each of nodes, captures, en passants, castles, promotions,
/// checks, discovered checks, double checks and checkmates.
#[test]
fn the_published_tables_are_reproduced() {
    for (name, depth, published) in [
        ("startpos", 5, [4_865_609, 82_719, 258, 0, 0, 27_351, 6, 0, 347]),
        ("kiwipete", 4, [4_085_603, 757_163, 1_929, 128_013, 15_172, 25_523, 42, 6, 43]),
        ("position3", 6, [11_030_083, 940_350, 33_325, 0, 7_552, 452_473, 26_067, 0, 2_733]),
    ] {
        let board = positions::by_name(name).expect("it has a name");
        for (threads, bytes) in [(1, 0), (3, 0), (2, 1 << 24)] {
            let threads = NonZero::new(threads).expect("it is not zero");
            let counter = Counter::new().threads(threads).memory(bytes);
            let rows = counter.stats(&board, depth).expect("it fits");
            let last = rows.last().expect("a row for each depth");
            assert_eq!(last.columns().map(|(_, number)| number), published, "{name}");
            for (row, depth) in rows.iter().zip(1..) {
                assert_eq!(Ok(row.nodes), crate::perft(&board, depth), "{name} {depth}");
            }
        }
    }
}

#[test]
fn the_smallest_and_the_largest_trees() {
    let counter = Counter::new();
    assert_eq!(counter.stats(&Board::startpos(), 0), Ok(Vec::new()));
    let mated: Board = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1".parse().unwrap();
    assert_eq!(counter.stats(&mated, 3), Ok(vec![Stats::default(); 3]));
    let kings: Board = "8/8/8/8/8/8/8/K1k5 w - - 0 1".parse().unwrap();
    let many = NonZero::new(64).unwrap();
    assert_eq!(counter.threads(many).stats(&kings, 49), Err(CountError::Overflow));
}

/// The slow reference: every move is made, and no two positions are merged.
fn every_move_made(board: &mut Board, rows: &mut [Stats]) {
    let Some((row, deeper)) = rows.split_first_mut() else { return };
    for mv in board.legal_moves() {
        let undo = board.make(mv);
        row.count(mv, undo.captured().is_some(), board);
        every_move_made(board, deeper);
        board.unmake(undo);
    }
}

#[test]
fn all_ways_count_the_same_kinds_as_every_move_made() {
    let mut rng = Rng::new(23);
    let rounds = if cfg!(debug_assertions) { 2 } else { 40 };
    let mut sum = Stats::default();
    for round in 0..rounds {
        let start = chess960_start(rng.next_u64() as usize % 960);
        let mut boards = random_game(&mut rng, start, 120);
        boards.extend(random_game(&mut rng, Board::startpos(), 120));
        let mut boards: Vec<Board> = boards.into_iter().step_by(25).collect();
        boards.extend((0..10).map(|_| random_placement(&mut rng)));
        boards.extend((0..10).map(|_| special(&mut rng, CastlingMode::Chess960)));
        let crowds = std::iter::repeat_with(|| crowded_placement(&mut rng));
        boards.extend(crowds.filter(|board| board.count_legal_moves() < 15).take(1));
        for mut board in boards {
            let depth = if board.count_legal_moves() > 15 { 3 } else { 4 };
            let mut expected = vec![Stats::default(); depth.into()];
            every_move_made(&mut board, &mut expected);
            // Little memory makes many passes.
            for bytes in [0, 100 << 10, 1 << 20] {
                let threads = NonZero::new(1 + round % 3).expect("it is not zero");
                let counter = Counter::new().threads(threads).memory(bytes);
                assert_eq!(counter.stats(&board, depth).as_ref(), Ok(&expected), "{board} {bytes}");
            }
            sum.add_times(expected[usize::from(depth) - 1], 1).expect("it fits");
        }
    }
    assert!(sum.columns().iter().all(|&(_, number)| number > 10), "{sum:?}");
}

#[test]
fn each_way_counts_what_the_memory_allows() {
    let board = positions::by_name("kiwipete").expect("it has a name");
    let expected = Counter::new().stats(&board, 5).expect("it fits");
    for (bytes, way) in [(0, Merge::None), (10 << 10, Merge::None), (1 << 22, Merge::Layers)] {
        let counter = Counter::new().memory(bytes);
        assert_eq!(counter.stats(&board, 5).as_ref(), Ok(&expected), "{bytes}");
        assert_eq!(counter.usage().merge, way, "{bytes}");
        assert_eq!(counter.merge(Merge::None).stats(&board, 4).as_deref(), Ok(&expected[..4]));
    }
    let cpus = [Cpu::Portable, Cpu::V3];
    for counter in cpus.map(|cpu| Counter::new().memory(1 << 22).cpu(cpu)) {
        assert_eq!(counter.stats(&board, 4).as_deref(), Ok(&expected[..4]));
    }
    // Multiplicities above 64 bits.
    let few = Counter::new().memory(1 << 22).stats(&two_kings(), 38).expect("it fits");
    assert_eq!(Ok(few[37].nodes), perft_memo(&two_kings(), 38));
}

#[test]
fn progress_and_limits_are_for_the_moves_of_all_depths() {
    let board = Board::startpos();
    let all: u128 = [20, 400, 8_902, 197_281, 4_865_609].iter().sum();
    for bytes in [0, 1 << 22] {
        let reported = Arc::new(Mutex::new(Vec::<Progress>::new()));
        let progress = Arc::clone(&reported);
        let counter = Counter::new().memory(bytes);
        let reporting = counter.clone().on_progress(move |now| progress.lock().unwrap().push(*now));
        assert_eq!(reporting.stats(&board, 5).map(|rows| rows.len()), Ok(5));
        let reported = reported.lock().unwrap();
        let last = reported.last().expect("some progress");
        assert!(last.nodes == all && (last.share - 1.0).abs() < 1e-6, "{last:?}");
        let up_to = |limit| counter.clone().limit(limit).stats(&board, 5).map(|rows| rows.len());
        assert_eq!(up_to(all - 1), Err(CountError::LimitExceeded(all - 1)), "{bytes}");
        assert_eq!(up_to(all), Ok(5), "{bytes}");
    }
}

#[test]
fn a_cancelled_count_brings_the_depths_that_are_finished() {
    let board = Board::startpos();
    let rows = Counter::new().stats(&board, 4).expect("it fits");
    let finished = |counter: Counter| match counter.stats(&board, 6) {
        Err(CountError::CancelledStats(finished)) => finished,
        other => panic!("{other:?}"),
    };
    let counter = Counter::new();
    counter.cancel_token().cancel();
    let at_once = finished(counter);
    assert_eq!(at_once[..], rows[..at_once.len()]);
    assert!(at_once.len() < 4, "{}", at_once.len());
    // Depths 1 to 4 have fewer moves.
    for bytes in [0, 1 << 24] {
        let token = CancelToken::new();
        let counter = Counter::new().memory(bytes).cancel(token.clone());
        let counter = counter.on_progress(move |progress| {
            if progress.nodes > 1_000_000 {
                token.cancel();
            }
        });
        assert_eq!(finished(counter), rows, "{bytes}");
    }
}

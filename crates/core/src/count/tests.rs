//! Counting on threads and with tables, against an exact memo.

use std::num::NonZero;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::split::Frontier;
use super::{CountError, Counter, Depth, Divide, Kernel, Progress, Table};
use crate::board::{Board, PackedBoard};
use crate::positions;

/// The number of leaves, each position counted once for each depth. Positions are compared whole,
/// so there are no false hits.
pub(crate) fn perft_memo(board: &Board, depth: Depth) -> Result<u128, CountError> {
    fn count(
        memo: &mut FxHashMap<(PackedBoard, Depth), u128>,
        board: &Board,
        depth: Depth,
    ) -> Result<u128, CountError> {
        if depth == 0 {
            return Ok(1);
        }
        let key = (board.pack(), depth);
        if let Some(&nodes) = memo.get(&key) {
            return Ok(nodes);
        }
        let mut nodes = 0_u128;
        for mv in board.legal_moves() {
            let mut child = *board;
            child.make(mv);
            let below = count(memo, &child, depth - 1)?;
            nodes = nodes.checked_add(below).ok_or(CountError::Overflow)?;
        }
        memo.insert(key, nodes);
        Ok(nodes)
    }
    count(&mut FxHashMap::default(), board, depth)
}

fn threads(number: usize) -> NonZero<usize> {
    NonZero::new(number).expect("it is not zero")
}

pub(crate) fn two_kings() -> Board {
    "8/8/8/8/8/8/8/K1k5 w - - 0 1".parse().expect("a legal position")
}

#[test]
fn a_cancelled_count_reports_the_finished_root_moves() {
    let counter = Counter::new().threads(threads(2));
    counter.cancel_token().cancel();
    let none = Err(CountError::Cancelled(Divide::default()));
    assert_eq!(counter.divide(&Board::startpos(), 7), none);
    assert_eq!(counter.count(&Board::startpos(), 7).err(), none.err());
}

#[test]
fn progress_ends_at_the_whole_tree() {
    let last = Arc::new(Mutex::new(Progress::default()));
    let reported = Arc::clone(&last);
    let counter = Counter::new().threads(threads(2)).on_progress(move |progress| {
        let mut last = reported.lock().unwrap();
        assert!(progress.share >= last.share && progress.nodes >= last.nodes);
        *last = *progress;
    });
    assert_eq!(counter.count(&Board::startpos(), 5), Ok(4_865_609));
    let last = last.lock().unwrap();
    assert_eq!(last.nodes, 4_865_609);
    assert!((last.share - 1.0).abs() < 1e-6, "{}", last.share);
}

#[test]
fn equal_positions_are_merged() {
    let board = Board::startpos();
    let mut layer = Frontier::<u128>::new(board.castling_mode());
    layer.add(&board, &1).unwrap();
    // The published numbers of distinct positions.
    for (distinct, lines) in [(20, 20), (400, 400), (5_362, 8_902), (72_078, 197_281)] {
        layer = layer.next_ply(|_, _, _| Ok(()), |_| {}).unwrap();
        assert_eq!(layer.len(), distinct);
        let sum: u128 = layer.clone().into_sorted().iter().map(|&(_, lines)| lines).sum();
        assert_eq!(sum, lines);
    }
}

/// Few positions with large multiplicities, which do not fit into 64 bits.
#[test]
fn a_tree_of_few_positions_is_counted_exactly() {
    let count = |depth| Counter::new().threads(threads(64)).count(&two_kings(), depth);
    assert_eq!(count(32), perft_memo(&two_kings(), 32));
    assert!(count(32).unwrap() > u64::MAX.into());
    assert_eq!(count(49), Err(CountError::Overflow));
    assert_eq!(perft_memo(&two_kings(), 49), Err(CountError::Overflow));
}

/// Without a memory for counts above 64 bits this would take years.
#[test]
fn counts_above_64_bits_are_remembered() {
    let table = Arc::new(Table::new(1 << 24).unwrap());
    let counter = Counter::new().threads(threads(2)).table(table);
    assert_eq!(counter.count(&two_kings(), 45), perft_memo(&two_kings(), 45));
}

/// With a table as without, and with every kernel, a count can be cancelled.
#[test]
fn an_endless_count_is_cancelled() {
    let table = Arc::new(Table::new(1 << 20).unwrap());
    for kernel in Kernel::ALL {
        for depth in [12, 40] {
            for table in [None, Some(&table)] {
                let mut counter = Counter::new().threads(threads(2)).kernel(kernel);
                if let Some(table) = table {
                    counter = counter.table(Arc::clone(table));
                }
                let counted = thread::scope(|scope| {
                    let counting = scope.spawn(|| counter.divide(&Board::startpos(), depth));
                    thread::sleep(Duration::from_millis(100));
                    counter.cancel_token().cancel();
                    counting.join().expect("no panic")
                });
                assert!(matches!(counted, Err(CountError::Cancelled(_))), "{counted:?}");
            }
        }
    }
}

#[test]
fn a_count_above_its_limit_is_given_up() {
    const NODES: u128 = 197_281;
    let board = Board::startpos();
    for kernel in Kernel::ALL {
        let table = Arc::new(Table::new(1 << 20).expect("some memory"));
        for (table, number) in [(None, 1), (Some(&table), 1), (None, 2), (Some(&table), 2)] {
            let mut counter = Counter::new().threads(threads(number)).kernel(kernel);
            if let Some(table) = table {
                counter = counter.table(Arc::clone(table));
            }
            let up_to = |limit| counter.clone().limit(limit).count(&board, 4);
            assert_eq!(up_to(NODES - 1), Err(CountError::LimitExceeded(NODES - 1)), "{kernel}");
            assert_eq!(up_to(0), Err(CountError::LimitExceeded(0)), "{kernel}");
            // A count that was given up is not in the table.
            assert_eq!(up_to(NODES), Ok(NODES), "{kernel}");
        }
    }
}

/// With ever shorter checks, positions are taken for others; a second count with the halves of the
/// keys exchanged shows it.
#[test]
fn false_hits_are_caught_by_counting_again() {
    const RIGHT: u128 = 193_690_690;
    let board = positions::by_name("kiwipete").expect("it has a name");
    let count = |table: Table| {
        let counter = Counter::new().threads(threads(2)).table(Arc::new(table));
        counter.count(&board, 5).expect("it fits")
    };
    let table = || Table::new(1 << 20).expect("some memory");
    assert_eq!(count(table()), RIGHT);
    let caught = (1..=16).rev().any(|bits| {
        let first = count(table().with_check_bits(bits));
        let second = count(table().with_check_bits(bits).with_swapped_keys());
        assert!(first == RIGHT || first != second, "{bits} bits: twice the same mistake");
        first != RIGHT
    });
    assert!(caught, "even a check of one bit made no mistake");
}

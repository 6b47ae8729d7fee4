//! Counts by layers, against those by other ways.

use std::num::NonZero;
use std::sync::Arc;

use super::super::tests::{perft_memo, two_kings};
use super::super::{CountError, Counter, Divide, Kernel, Merge, Progress};
use super::*;
use crate::positions::random::{chess960_start, crowded_placement, random_game, random_placement};
use crate::random::Rng;

fn counter(threads: usize, bytes: usize) -> Counter {
    let threads = NonZero::new(threads).expect("it is not zero");
    Counter::new().threads(threads).memory(bytes).merge(Merge::Layers)
}

/// Positions from games of standard chess and of Chess960, and placements of all kinds.
fn boards(rng: &mut Rng) -> Vec<Board> {
    let chess960 = chess960_start(rng.next_u64() as usize % 960);
    let mut boards = Vec::new();
    for root in [Board::startpos(), chess960] {
        boards.extend(random_game(rng, root, 120).into_iter().step_by(15));
    }
    boards.extend((0..10).map(|_| random_placement(rng)));
    // More pieces than a game has, but trees that are not too large.
    let crowds = std::iter::repeat_with(|| crowded_placement(rng));
    boards.extend(crowds.filter(|board| board.count_legal_moves() < 15).take(3));
    boards
}

#[test]
fn all_ways_count_the_same() {
    let mut rng = Rng::new(17);
    // Checking the invariants after every move takes long.
    let (rounds, few) = if cfg!(debug_assertions) { (1, 10) } else { (8, 25) };
    for round in 0..rounds {
        for board in boards(&mut rng) {
            let depth = if board.count_legal_moves() > few { 4 } else { 5 };
            let simple = Counter::new().kernel(Kernel::Simple);
            let expected = simple.divide(&board, depth);
            let nodes = expected.as_ref().map(|divide| divide.nodes).map_err(Clone::clone);
            for merge in Merge::ALL {
                let counter = counter(1 + round % 3, 1 << 20).merge(merge);
                assert_eq!(counter.count(&board, depth), nodes, "{merge}: {board}");
                assert_eq!(counter.divide(&board, depth), expected, "{merge}: {board}");
                assert_eq!(counter.kernel(Kernel::Simple).count(&board, depth), nodes);
            }
            // At depths without layers too.
            let counter = counter(2, 1 << 20);
            assert_eq!(counter.divide(&board, 3), simple.divide(&board, 3), "{board}");
            assert_eq!(counter.count(&board, 3), simple.count(&board, 3), "{board}");
        }
    }
}

/// Little memory makes many passes, small parts and small sets.
#[test]
fn passes_add_up() {
    for (name, depth, nodes) in
        [("startpos", 6, 119_060_324), ("kiwipete", 5, 193_690_690), ("promotions", 5, 3_605_103)]
    {
        let board = crate::positions::by_name(name).expect("it has a name");
        let by_moves = Counter::new().divide(&board, depth);
        for kib in [100, 500, 2_000] {
            let counter = counter(1 + kib % 3, kib << 10);
            match counter.count(&board, depth) {
                Ok(counted) => assert_eq!(counted, nodes, "{name} {kib}"),
                Err(error) => assert_eq!((error, kib), (CountError::OutOfMemory, 100), "{name}"),
            }
            match counter.divide(&board, depth) {
                Err(CountError::OutOfMemory) => assert!(kib < 2_000, "{name} {kib}"),
                divide => assert_eq!(divide, by_moves, "{name} {kib}"),
            }
            // With too little memory for any pass, another way.
            assert_eq!(counter.clone().merge(Merge::Auto).divide(&board, depth), by_moves);
            assert_eq!(counter.merge(Merge::Auto).count(&board, depth), Ok(nodes), "{name} {kib}");
        }
    }
}

/// Kings alone: few groups, each with large sets, and multiplicities above 64 bits.
#[test]
fn few_positions_with_large_multiplicities_are_counted() {
    for depth in [8, 20] {
        let expected = perft_memo(&two_kings(), depth);
        let counter = counter(2, 1 << 20);
        assert_eq!(counter.count(&two_kings(), depth), expected);
        assert_eq!(counter.usage().merge, Merge::Layers);
        // All layers are kept.
        let counter = self::counter(2, 1 << 24);
        let nodes = counter.divide(&two_kings(), depth).map(|divide| divide.nodes);
        assert_eq!(nodes, expected);
    }
    // The table takes over.
    let counter = counter(2, 1 << 24);
    assert_eq!(counter.count(&two_kings(), 38), perft_memo(&two_kings(), 38));
    assert_eq!(counter.usage().merge, Merge::Table);
    assert_eq!(counter.count(&two_kings(), 49), Err(CountError::Overflow));
}

#[test]
fn mates_and_stalemates_have_no_leaves() {
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "k7/8/1K6/8/8/8/8/7R w - - 0 1"] {
        let board: Board = fen.parse().expect("a legal position");
        for depth in 4..8 {
            let expected = Counter::new().count(&board, depth);
            assert_eq!(counter(1, 1 << 20).count(&board, depth), expected, "{fen} {depth}");
        }
    }
}

#[test]
fn a_cancelled_count_stops() {
    let counter = counter(2, 64 << 20);
    let kiwipete = crate::positions::by_name("kiwipete").expect("it has a name");
    // After a share of the count.
    let cancelled = |by_moves: bool, share: f64| {
        let token = CancelToken::new();
        let counter = counter.clone().cancel(token.clone()).on_progress(move |now| {
            if now.share > share {
                token.cancel();
            }
        });
        match by_moves {
            true => counter.divide(&kiwipete, 6),
            false => counter.count(&kiwipete, 6).map(|_| Divide::default()),
        }
    };
    for share in [0.0, 0.5] {
        for by_moves in [false, true] {
            let stopped = Err(CountError::Cancelled(Divide::default()));
            assert_eq!(cancelled(by_moves, share), stopped, "{by_moves} {share}");
        }
    }
}

#[test]
fn progress_and_limits_are_those_of_other_ways() {
    const NODES: u128 = 119_060_324;
    let board = Board::startpos();
    let reported = Arc::new(Mutex::new(Vec::<Progress>::new()));
    let progress = Arc::clone(&reported);
    let counter = counter(2, 1 << 20);
    let reporting = counter.clone().on_progress(move |now| progress.lock().unwrap().push(*now));
    assert_eq!(reporting.count(&board, 6), Ok(NODES));
    let reported = reported.lock().unwrap();
    assert!(reported.is_sorted_by(|a, b| a.share <= b.share + 1e-9 && a.nodes <= b.nodes));
    let moved = reported.iter().any(|now| now.nodes == 0 && now.share > 0.0 && now.share < 0.5);
    assert!(moved, "the share moves while the first layers are made");
    let last = reported.last().expect("some progress");
    assert!(last.nodes == NODES && (last.share - 1.0).abs() < 1e-6, "{last:?}");
    let up_to = |limit| counter.clone().limit(limit).count(&board, 6);
    assert_eq!(up_to(NODES - 1), Err(CountError::LimitExceeded(NODES - 1)));
    assert_eq!(up_to(NODES), Ok(NODES));
}

/// Halves and their moves have numbers of 32 bits, however much memory there is.
#[test]
fn halves_do_not_outgrow_their_numbers() {
    let machine = Machine::new(usize::MAX / 2);
    let layers = Layers {
        machine: &machine,
        board: &Board::startpos(),
        depth: 6,
        leaf: Leaf::Nodes,
        max_passes: 1.0,
        on_progress: &mut |_, _| Ok(()),
    };
    let (settings, _) = layers.settings();
    let numbers = settings.limits.halves_bytes / size_of::<u32>();
    assert!(u32::try_from(2 * numbers).is_ok(), "{numbers}");
}

//! Counts against known ones, against other libraries and Stockfish, and with every backend,
//! number of threads and table.

use std::num::NonZero;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use perft_compare::Suite;
use perft_compare::rules::Game;
use perft_compare::suite::{Options, Outcome, run};
use perft_core::bench::WORK;
use perft_core::positions::random::{
    crowded_placement, random_chess960_start, random_game, random_placement,
};
use perft_core::random::Rng;
use perft_core::{
    Board, CancelToken, CastlingMode, Color, CountError, Counter, Cpu, Kernel, Table, perft,
    positions,
};
use perft_lab::System;
use perft_needs::needs;
use perft_oracles::{Stockfish, amount, cozy_board, cozy_perft, perft_memo};

#[test]
fn our_suites_are_right() {
    let suites = Suite::embedded();
    let outcomes = run(&suites, &Options::default(), |_| {});
    let counts: usize =
        suites.iter().flat_map(|suite| &suite.entries).map(|entry| entry.counts.len()).sum();
    assert!(outcomes.len() > counts - 20, "{} of {counts}", outcomes.len());
    let wrong: Vec<_> = outcomes.iter().filter(|outcome| !outcome.is_right()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn our_suites_are_right_with_every_slider_system() {
    let suites = Suite::embedded();
    for sliders in System::ALL {
        let counter = Options::default().counter.sliders(sliders);
        let options = Options { max_nodes: 100_000, counter };
        let outcomes = run(&suites, &options, |_| {});
        assert!(outcomes.len() > 1_000);
        let wrong: Vec<_> = outcomes.iter().filter(|outcome| !outcome.is_right()).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", sliders.name());
    }
}

#[test]
fn our_suites_have_what_they_promise() {
    let [standard, chess960, tricky] = <[Suite; 3]>::try_from(Suite::embedded()).unwrap();
    assert!(standard.entries.len() >= 36 + 120);
    assert!(chess960.entries.len() >= 120);
    assert!(tricky.entries.len() >= 40);
    let needs_chess960 = |suite: &Suite| {
        let modes = suite.entries.iter().map(|entry| entry.position.castling_mode());
        modes.filter(|&mode| mode == CastlingMode::Chess960).count()
    };
    assert_eq!(needs_chess960(&standard), 0);
    assert!(needs_chess960(&chess960) > 60 && needs_chess960(&tricky) > 10);
}

#[test]
fn a_cancelled_suite_returns_the_finished_counts() {
    let options = Options::default();
    let suites = Suite::embedded();
    let outcomes = run(&suites, &options, |_| options.counter.cancel_token().cancel());
    assert!((1..1_900).contains(&outcomes.len()), "{}", outcomes.len());
    assert!(outcomes.iter().all(Outcome::is_right));
    assert!(run(&suites, &options, |_| {}).is_empty());
}

#[test]
fn a_wrong_count_is_reported() {
    let suite = Suite::parse("wrong", "8/8/8/8/k1p4R/8/3P4/3K4 w - - ;D1 18 ;D2 93").unwrap();
    let outcomes = run(&[suite], &Options::default(), |_| {});
    assert_eq!(outcomes.iter().map(Outcome::is_right).collect::<Vec<_>>(), [true, false]);
    assert_eq!(outcomes[1].got, Ok(92));
}

#[test]
fn all_backends_agree() {
    let mut rng = Rng::new(41);
    for game in 0..60 {
        let start = if game % 2 == 0 { Board::startpos() } else { random_chess960_start(&mut rng) };
        let positions = random_game(&mut rng, start, 100);
        let board = rng.pick(&positions).unwrap();
        for depth in 0..=3 {
            let expected = perft(board, depth).unwrap();
            for kernel in Kernel::ALL {
                for cpu in Cpu::ALL {
                    for sliders in [System::Fancy, System::Pext, System::Rays] {
                        let counter = Counter::new().kernel(kernel).sliders(sliders).cpu(cpu);
                        let nodes = counter.count(board, depth);
                        assert_eq!(nodes, Ok(expected), "{counter:?} on {board:?}");
                    }
                }
            }
            assert_eq!(perft_memo(board, depth), Ok(expected), "{board:?}");
            assert_eq!(Counter::new().divide(board, depth).unwrap().nodes, expected);
        }
    }
}

#[test]
fn deep_counts_go_past_64_bits() {
    // Two kings behind a wall of locked pawns: few positions, so deep counts are quick.
    let board: Board = "4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 w - -".parse().unwrap();
    assert_eq!(perft(&board, 9), perft_memo(&board, 9));
    let nodes = perft_memo(&board, 40).unwrap();
    assert!(nodes > u128::from(u64::MAX), "{nodes}");
    // A count above 128 bits is an error, not a wrong count.
    assert_eq!(perft_memo(&board, 255), Err(CountError::Overflow));
}

#[test]
fn known_counts_of_the_start_position() {
    let board = positions::by_name("startpos").unwrap();
    let counts = [1, 20, 400, 8_902, 197_281, 4_865_609, 119_060_324];
    for (depth, expected) in (0..).zip(counts) {
        assert_eq!(perft(&board, depth), Ok(expected));
    }
}

/// Runs a check on each item, on two threads.
fn on_two_threads<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let (left, right) = items.split_at(items.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| left.iter().for_each(&check));
        right.iter().for_each(&check);
    });
}

/// Random positions at depth 4: from standard and Chess960 games, and from placements.
#[test]
fn random_positions_have_the_counts_of_cozy_chess() {
    let mut rng = Rng::new(43);
    let mut positions = Vec::new();
    while positions.len() < amount(1_500, 5_000) {
        let board = match positions.len() % 5 {
            0 => random_placement(&mut rng),
            number => {
                let start = if number % 2 == 0 {
                    Board::startpos()
                } else {
                    random_chess960_start(&mut rng)
                };
                let plies = rng.below(150);
                *random_game(&mut rng, start, plies).last().unwrap()
            }
        };
        if let Ok(cozy) = cozy_board(&board) {
            positions.push((board, cozy));
        }
    }
    on_two_threads(&positions, |(board, cozy)| {
        let expected = u128::from(cozy_perft(cozy, 4));
        assert_eq!(perft(board, 4), Ok(expected), "{board}");
    });
}

/// At length with their whole depth.
#[test]
fn bench_positions_have_the_counts_of_cozy_chess() {
    on_two_threads(&WORK, |work| {
        let board: Board = work.fen.parse().unwrap();
        assert_eq!(perft(&board, work.depth), Ok(work.nodes.into()), "{}", work.name);
        let depth = work.depth - amount(1, 0) as u8;
        let of_cozy = cozy_perft(&cozy_board(&board).unwrap(), depth);
        assert_eq!(perft(&board, depth), Ok(of_cozy.into()), "{}", work.name);
    });
}

/// Many threads and a table so small that they overwrite each other's entries all the time.
#[test]
fn threads_and_a_tiny_table_never_change_a_count() {
    let mut rng = Rng::new(44);
    for number in 0..amount(500, 2_000) {
        let board = match number % 3 {
            0 => random_placement(&mut rng),
            _ => {
                let plies = rng.below(100);
                *random_game(&mut rng, Board::startpos(), plies).last().unwrap()
            }
        };
        let table = Arc::new(Table::new([64, 256, 4_096][number % 3]).unwrap());
        let threads = NonZero::new(1 + number % 16).unwrap();
        let counter = Counter::new().threads(threads).table(table);
        let divide = Counter::new().divide(&board, 4);
        assert!(divide.is_ok());
        assert_eq!(counter.divide(&board, 4), divide, "{board}");
    }
}

/// The first of all tasks would take days.
#[test]
fn the_progress_of_a_deep_count_moves_soon() {
    let token = CancelToken::new();
    let (cancel, start, moved) = (token.clone(), Instant::now(), Arc::new(Mutex::new(None)));
    let seen = Arc::clone(&moved);
    let table = Arc::new(Table::new(1 << 24).unwrap());
    let counter = Counter::new().threads(NonZero::new(2).unwrap()).table(table).cancel(token);
    let counter = counter.on_progress(move |progress| {
        if progress.nodes > 0 {
            *seen.lock().unwrap() = Some(*progress);
        }
        // Long enough for a loaded machine.
        if progress.nodes > 0 || start.elapsed() > Duration::from_secs(60) {
            cancel.cancel();
        }
    });
    assert!(matches!(counter.divide(&Board::startpos(), 15), Err(CountError::Cancelled(_))));
    let moved = moved.lock().unwrap().expect("the progress has moved");
    assert!(moved.share > 0.0 && moved.share < 0.001, "{moved:?}");
}

/// Small depths, few moves, and depths beyond 64 bits, with a table.
#[test]
fn every_depth_is_counted_with_a_table() {
    let table = Arc::new(Table::new(1 << 24).unwrap());
    let counter = Counter::new().threads(NonZero::new(3).unwrap()).table(table);
    for fen in [
        "4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 w - -",
        "7k/5Q2/6K1/8/8/8/8/8 b - -",
        "R6k/6pp/8/8/8/8/8/K7 b - -",
    ] {
        let board: Board = fen.parse().unwrap();
        for depth in [0, 1, 2, 3, 5, 9, 12, 40] {
            let divide = counter.divide(&board, depth).map(|divide| divide.nodes);
            assert_eq!(divide, perft_memo(&board, depth), "{fen} {depth}");
            assert_eq!(counter.count(&board, depth), divide, "{fen} {depth}");
        }
    }
}

/// 1,000 random positions, half of them Chess960, at depth 3.
#[needs(stockfish)]
#[test]
fn divides_are_those_of_stockfish() {
    let mut stockfish = Stockfish::start();
    let mut rng = Rng::new(42);
    for number in 0..1_000 {
        let start =
            if number % 2 == 0 { Board::startpos() } else { random_chess960_start(&mut rng) };
        let plies = rng.below(120);
        let board = *random_game(&mut rng, start, plies).last().unwrap();
        let (theirs, total) = stockfish.divide(&board, 3);
        let ours = Counter::new().divide(&board, 3).unwrap();
        let branches: Vec<(String, u64)> = ours
            .branches
            .iter()
            .map(|branch| (board.uci(branch.mv), branch.nodes as u64))
            .collect();
        assert_eq!(branches, theirs, "{board}");
        assert_eq!(ours.nodes as u64, total, "{board}");
    }
}

/// Placements of 17 to 64 pieces, most of them with more than 16 a side, at depth 2.
#[test]
fn crowded_placements_have_the_counts_of_the_slow_generator() {
    let mut rng = Rng::new(45);
    let number = amount(5_000, 20_000);
    let boards: Vec<Board> = (0..number).map(|_| crowded_placement(&mut rng)).collect();
    let pieces = |board: &Board| Color::ALL.map(|color| board.colors(color).len());
    let numbers = boards.iter().map(|board| pieces(board).iter().sum());
    assert!(numbers.clone().all(|number: u32| number >= 17));
    assert!((17..=64).all(|number| numbers.clone().any(|found| found == number)));
    let over_16 = boards.iter().filter(|board| pieces(board).iter().any(|&found| found > 16));
    assert!(over_16.count() > number * 3 / 5);
    assert!(boards.iter().filter(|board| board.en_passant().is_some()).count() > number / 1_000);
    assert!(boards.iter().filter(|board| board.checkers().len() > 2).count() > number / 1_000);
    on_two_threads(&boards, |board| {
        let expected = Game::new(board, None).perft(2).into();
        assert_eq!(perft(board, 2), Ok(expected), "{board}");
        let simple = Counter::new().kernel(Kernel::Simple);
        assert_eq!(simple.count(board, 2), Ok(expected), "{board}");
        assert_eq!(board.pack().unpack(board.castling_mode()), *board);
    });
}

/// Threads, tables and depths, with more moves than any game has.
#[test]
fn crowded_placements_are_counted_in_every_way() {
    let full = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - -";
    let mut boards: Vec<Board> = vec![full.parse().unwrap()];
    assert_eq!(boards[0].legal_moves().len(), 270);
    let mut rng = Rng::new(46);
    boards.extend((0..40).map(|_| crowded_placement(&mut rng)));
    for (number, board) in boards.iter().enumerate() {
        let depth = if board.count_legal_moves() > 100 { 2 } else { 3 };
        let expected = perft_memo(board, depth);
        for kernel in Kernel::ALL {
            assert_eq!(Counter::new().kernel(kernel).count(board, depth), expected, "{board}");
        }
        let table = Arc::new(Table::new([256, 4_096][number % 2]).unwrap());
        let counter = Counter::new().threads(NonZero::new(3).unwrap()).table(table);
        assert_eq!(counter.divide(board, depth).map(|divide| divide.nodes), expected, "{board}");
    }
    // Nine pawns, few moves, and deeper than 64 bits are sure to hold for so many.
    let locked = "4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/P7/4K3 w - -";
    let board: Board = locked.parse().unwrap();
    for depth in 1..=9 {
        assert_eq!(perft(&board, depth), perft_memo(&board, depth), "{depth}");
    }
}

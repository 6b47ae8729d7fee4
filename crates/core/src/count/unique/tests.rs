//! Different positions, against published numbers and sets of positions made by the slow rules.

use std::collections::HashMap;
use std::num::NonZero;

use super::*;
use crate::positions::random::{
    chess960_start, crowded_placement, random_game, random_placement, special,
};
use crate::random::Rng;
use crate::types::{CastlingMode, MoveKind};

fn unique(threads: usize, bytes: usize) -> Unique {
    Unique::new().threads(NonZero::new(threads).expect("it is not zero")).memory(bytes)
}

#[test]
fn published_numbers_of_the_start_position() {
    let counts = unique(2, 64 << 20).count_each(&Board::startpos(), 6).expect("it is counted");
    let expected = [
        (1, 20, 20),
        (2, 400, 400),
        (3, 5_362, 8_902),
        (4, 72_078, 197_281),
        (5, 822_518, 4_865_609),
        (6, 9_417_681, 119_060_324),
    ];
    let counts: Vec<_> =
        counts.iter().map(|count| (count.ply, count.positions, count.multiplicity)).collect();
    assert_eq!(counts, expected);
    for (en_passant, ply, positions) in
        [(EnPassant::Any, 3, 7_602), (EnPassant::Any, 4, 101_240), (EnPassant::None, 4, 71_852)]
    {
        let counter = unique(1, 64 << 20).en_passant(en_passant);
        let count = counter.count(&Board::startpos(), ply).expect("it is counted");
        assert_eq!(count.positions, positions, "{en_passant} {ply}");
    }
}

/// The FEN of a board as a definition tells positions apart, without clocks.
fn name(board: &Board, last: Option<MoveKind>, en_passant: EnPassant, to: &str) -> String {
    let fen = board.to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let square = match (en_passant, last) {
        (EnPassant::Legal, _) => fields[3],
        (EnPassant::Any, Some(MoveKind::DoublePush)) => to,
        _ => "-",
    };
    format!("{} {} {} {square}", fields[0], fields[1], fields[2])
}

/// The different positions and their lines, by playing every line with the slow rules.
fn by_rules(root: &Board, plies: Depth, en_passant: EnPassant) -> (u64, u128) {
    fn walk(
        board: &Board,
        last: Option<(MoveKind, String)>,
        plies: Depth,
        en_passant: EnPassant,
        found: &mut HashMap<String, u128>,
    ) {
        if plies == 0 {
            let (kind, to) = last.unzip();
            let name = name(board, kind, en_passant, &to.unwrap_or_default());
            *found.entry(name).or_default() += 1;
            return;
        }
        for mv in board.legal_moves() {
            let mut child = *board;
            child.make(mv);
            walk(&child, Some((mv.kind(), mv.to().to_string())), plies - 1, en_passant, found);
        }
    }
    let mut found = HashMap::new();
    walk(root, None, plies, en_passant, &mut found);
    (found.len() as u64, found.values().sum())
}

/// Boards of all kinds; full ones too, on which kings and rooks castle past each other.
fn boards(rng: &mut Rng) -> Vec<Board> {
    let chess960 = chess960_start(rng.below(960));
    let mut boards = Vec::new();
    for root in [Board::startpos(), chess960] {
        boards.extend(random_game(rng, root, 120).into_iter().step_by(30));
    }
    boards.extend((0..6).map(|_| random_placement(rng)));
    boards.extend([CastlingMode::Standard, CastlingMode::Chess960].map(|mode| special(rng, mode)));
    let crowds = std::iter::repeat_with(|| crowded_placement(rng));
    boards.extend(crowds.filter(|board| board.count_legal_moves() < 12).take(3));
    boards
}

#[test]
fn positions_are_those_of_the_slow_rules() {
    let mut rng = Rng::new(23);
    let rounds = if cfg!(debug_assertions) { 1 } else { 6 };
    for round in 0..rounds {
        for board in boards(&mut rng) {
            let plies = if board.count_legal_moves() > 14 { 2 } else { 3 };
            for en_passant in EnPassant::ALL {
                let counter = unique(1 + round % 2, 16 << 20).en_passant(en_passant);
                let counts = counter.count_each(&board, plies).expect("it is counted");
                for count in counts {
                    let found = (count.positions, count.multiplicity);
                    let expected = by_rules(&board, count.ply, en_passant);
                    assert_eq!(found, expected, "{en_passant} {} {board}", count.ply);
                }
            }
        }
    }
}

#[test]
fn a_full_board_is_counted() {
    let fen = "rkrnnqbb/pppppppp/pppppppp/pppppppp/PPPPPPPP/PPPPPPPP/PPPPPPPP/RKRNNQBB w - - 0 1";
    let fens = [
        fen.to_owned(),
        fen.replace(" w ", " b "),
        fen.replace("RKRNNQBB w - ", "RNNQBBKR b H ").replace("rkrnnqbb", "rnnqbbkr"),
    ];
    for fen in fens {
        let Ok(board) = Board::from_fen(&fen, CastlingMode::Chess960) else { panic!("{fen}") };
        for count in unique(1, 16 << 20).count_each(&board, 3).expect("it is counted") {
            let expected = by_rules(&board, count.ply, EnPassant::Legal);
            assert_eq!((count.positions, count.multiplicity), expected, "{} {fen}", count.ply);
        }
    }
}

/// Little memory makes many ranges, and sets in parts.
#[test]
fn counts_do_not_depend_on_memory_and_threads() {
    let kiwipete = crate::positions::by_name("kiwipete").expect("it has a name");
    let expected = unique(1, 1 << 30).count(&kiwipete, 4).expect("it is counted");
    assert_eq!(expected.multiplicity, 4_085_603);
    for (threads, bytes) in [(1, 4 << 20), (3, 12 << 20), (2, 20 << 20)] {
        let count = unique(threads, bytes).count(&kiwipete, 4).expect("it is counted");
        let found = (count.positions, count.multiplicity);
        assert_eq!(found, (expected.positions, expected.multiplicity), "{threads} {bytes}");
        assert!(count.stored_bytes < bytes as u64, "{}", count.stored_bytes);
    }
    // The layer before the last takes more than half of the memory.
    let count = unique(1, 14 << 20).count(&Board::startpos(), 6).expect("it is counted");
    assert_eq!(count.positions, 9_417_681);
    assert!(count.stored_bytes > 7 << 20, "{}", count.stored_bytes);
}

/// Two kings: few positions, and more lines than 64 bits hold.
#[test]
fn few_positions_with_many_lines_are_counted() {
    let board: Board = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().expect("a legal position");
    let count = unique(1, 16 << 20).count(&board, 38).expect("it is counted");
    assert_eq!(count.multiplicity, 29_230_164_208_626_141_106_497_864_699_348);
    assert!(count.positions < 64 * 64, "{count:?}");
    let error = unique(1, 16 << 20).count(&board, 60).expect_err("too many lines");
    assert!(matches!(error, UniqueError::Overflow), "{error}");
}

#[test]
fn no_plies_and_no_moves() {
    let mated: Board = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse().expect("a legal position");
    for (ply, positions) in [(0, 1), (1, 0), (5, 0)] {
        let count = unique(2, 16 << 20).count(&mated, ply).expect("it is counted");
        assert_eq!((count.positions, count.multiplicity), (positions, positions.into()));
    }
}

#[test]
fn the_memory_is_a_bound() {
    let error = unique(2, 1 << 20).count(&Board::startpos(), 3).expect_err("no memory");
    assert_eq!(error.to_string(), "2 threads need 8388608 bytes of memory at least");
    let error = unique(1, 4 << 20).count(&Board::startpos(), 7).expect_err("no memory");
    assert!(matches!(error, UniqueError::OutOfMemory(_)), "{error}");
}

#[test]
fn a_cancelled_count_stops() {
    let token = CancelToken::new();
    let stop = token.clone();
    let counter = unique(2, 256 << 20).cancel(token).on_progress(move |progress| {
        if progress.ply == 5 {
            stop.cancel();
        }
    });
    let error = counter.count(&Board::startpos(), 9).expect_err("it is cancelled");
    assert!(matches!(error, UniqueError::Cancelled), "{error}");
}

#[test]
fn ranges_are_cut_without_gaps() {
    for (keys, parts) in [(ALL_KEYS, 7), (5..6, 3), (10..20, 10), (10..20, 100), (0..1 << 32, 1)] {
        let cut = split(&keys, parts);
        assert_eq!((cut[0].start, cut[cut.len() - 1].end), (keys.start, keys.end));
        assert!(cut.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(cut.iter().all(|part| part.start < part.end));
    }
}

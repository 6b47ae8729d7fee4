//! The move generator against the slow reference in `perft_compare::rules` and against other libraries.

use std::collections::{HashMap, HashSet};

use perft_compare::Suite;
use perft_compare::rules::Game;
use perft_core::positions::random::{random_chess960_start, random_game};
use perft_core::random::Rng;
use perft_core::{Board, CastlingMode, Counter, MoveKind, Piece, positions};
use perft_lab::System;
use perft_oracles::{cozy_board, cozy_moves, our_moves, shakmaty_board, shakmaty_moves};

fn board(fen: &str) -> Board {
    Board::from_fen(fen, CastlingMode::Chess960).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn has_move(fen: &str, uci: &str) -> bool {
    our_moves(&board(fen)).iter().any(|mv| mv == uci)
}

/// Every node of a small tree: list, count, slow reference, make and unmake, hash, invariants,
/// FEN round trip.
fn check_tree(board: &mut Board, depth: u8, by_rays: &Counter, nodes: &mut u64) {
    *nodes += 1;
    let fen = format!("{board:#}");
    assert_eq!(board.check_invariants(), Ok(()), "{fen}");
    let again = Board::from_fen(&fen, CastlingMode::Chess960);
    assert_eq!(again.as_ref(), Ok(&*board), "{fen} is not read back");

    let mut moves = board.legal_moves();
    assert_eq!(board.count_legal_moves() as usize, moves.len(), "count and list in {fen}");
    assert_eq!(by_rays.count(board, 1), Ok(moves.len() as u128), "sliders in {fen}");
    moves.sort_unstable();
    assert!(moves.windows(2).all(|pair| pair[0] != pair[1]), "a move twice in {fen}");
    assert_eq!(moves.to_vec(), Game::new(board, None).moves(), "slow generator in {fen}");
    if depth == 0 {
        return;
    }
    for mv in moves {
        let before = *board;
        assert_eq!(board.piece_on(mv.from()), Some(mv.piece()), "{mv:?} in {fen}");
        let undo = board.make(mv);
        check_tree(board, depth - 1, by_rays, nodes);
        board.unmake(undo);
        assert_eq!(*board, before, "{mv:?} in {fen} is not taken back");
        assert_eq!(board.hash(), before.hash());
    }
}

#[test]
fn every_node_of_the_suites_trees_is_right() {
    let by_rays = Counter::new().sliders(System::Rays);
    let mut nodes = 0;
    for entry in Suite::embedded().iter().flat_map(|suite| &suite.entries) {
        check_tree(&mut entry.position.board().clone(), 2, &by_rays, &mut nodes);
    }
    assert!(nodes > 200_000, "{nodes} nodes were checked");
}

#[test]
fn random_walks_keep_every_invariant_and_can_be_taken_back() {
    let mut rng = Rng::new(11);
    for game in 0..200 {
        let start = if game % 2 == 0 { Board::startpos() } else { random_chess960_start(&mut rng) };
        let mut board = start;
        let mut history = Vec::new();
        for _ in 0..250 {
            let moves = board.legal_moves();
            let Some(&mv) = rng.pick(&moves) else { break };
            let before = board;
            let undo = board.make(mv);
            assert_eq!(board.check_invariants(), Ok(()), "{mv:?} in {before:?}");
            history.push((before, undo));
        }
        for (before, undo) in history.into_iter().rev() {
            board.unmake(undo);
            assert_eq!(board, before);
        }
        assert_eq!(board, start);
    }
}

/// Positions from random games, standard and Chess960 in turn.
fn random_positions(seed: u64, games: usize) -> Vec<Board> {
    let mut rng = Rng::new(seed);
    let mut positions = Vec::new();
    for game in 0..games {
        let start = if game % 2 == 0 { Board::startpos() } else { random_chess960_start(&mut rng) };
        positions.extend(random_game(&mut rng, start, 160));
    }
    positions
}

#[test]
fn moves_are_those_of_cozy_chess() {
    let positions = random_positions(21, 120);
    assert!(positions.len() > 10_000);
    for board in positions {
        let board = board.with_chess960();
        let cozy = cozy_board(&board).unwrap();
        assert_eq!(our_moves(&board), cozy_moves(&cozy), "{board}");
    }
}

#[test]
fn moves_are_those_of_shakmaty() {
    let positions = random_positions(22, 120);
    assert!(positions.len() > 10_000);
    for board in positions {
        let standard = board.with_castling_mode(CastlingMode::Standard);
        for board in standard.into_iter().chain([board.with_chess960()]) {
            let mode = board.castling_mode();
            let shakmaty = shakmaty_board(&board.to_string(), mode).unwrap();
            assert_eq!(our_moves(&board), shakmaty_moves(&shakmaty, mode), "{board}");
        }
    }
}

#[test]
fn equal_positions_reached_by_different_moves_have_equal_hashes() {
    let play = |moves: &str| {
        let mut board = Board::startpos();
        for text in moves.split(' ') {
            board.make(board.parse_uci(text).unwrap());
        }
        board
    };
    let one = play("g1f3 g8f6 b1c3 b8c6");
    let other = play("b1c3 b8c6 g1f3 g8f6");
    assert_eq!((one.hash(), one.pack()), (other.hash(), other.pack()));
    // A double push sets no en-passant square where no capture is legal.
    let pushed = play("e2e4 e7e6 d2d4 d7d5");
    let stepped = play("e2e3 e7e6 e3e4 d7d6 d2d4 d6d5");
    assert_eq!((pushed.hash(), pushed.pack()), (stepped.hash(), stepped.pack()));
    assert_eq!(pushed.en_passant(), None);
    // Where one is legal, it does.
    let en_passant = play("e2e4 a7a6 e4e5 d7d5");
    let without = play("e2e4 d7d6 e4e5 a7a6 g1f3 d6d5 f3g1");
    assert_eq!(en_passant.en_passant().map(|square| square.to_string()).as_deref(), Some("d6"));
    assert_ne!(en_passant.hash(), without.hash());
}

#[test]
fn packed_boards_and_hashes_distinguish_the_same_positions() {
    let mut by_hash = HashMap::new();
    let mut packed = HashSet::new();
    for board in random_positions(23, 300) {
        let known = *by_hash.entry(board.hash()).or_insert(board.pack());
        assert_eq!(known, board.pack(), "{board:?}");
        packed.insert(board.pack());
    }
    assert_eq!(by_hash.len(), packed.len());
}

#[test]
fn en_passant_is_illegal_when_it_exposes_the_king() {
    // Both pawns leave the rank; a pin on a diagonal, on a file; the captured pawn was a shield.
    assert!(!has_move("8/8/8/K2pP2q/8/8/8/7k w - d6 0 1", "e5d6"));
    assert!(!has_move("4k3/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1", "e5d6"));
    assert!(!has_move("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"));
    assert!(!has_move("4k3/1b6/8/3pP3/8/8/6K1/8 w - d6 0 1", "e5d6"));
    assert!(!has_move("k3b3/8/8/1K1pP3/8/8/8/8 w - d6 0 1", "e5d6"));
}

#[test]
fn en_passant_is_legal_along_a_pin_and_against_the_checking_pawn() {
    assert!(has_move("1b2k3/8/8/3pP3/8/6K1/8/8 w - d6 0 1", "e5d6"));
    assert!(has_move("4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", "e5d6"));
}

#[test]
fn castling_is_illegal_out_of_through_and_into_attack() {
    for fen in [
        "4k3/8/8/8/4r3/8/8/4K2R w H - 0 1",
        "4kr2/8/8/8/8/8/8/4K2R w H - 0 1",
        "4k1r1/8/8/8/8/8/8/4K2R w H - 0 1",
        "8/8/8/8/8/8/6k1/4K2R w H - 0 1",
    ] {
        assert!(!has_move(fen, "e1h1"), "{fen}");
    }
    assert!(has_move("4k2r/8/8/8/8/8/8/4K2R w H - 0 1", "e1h1"));
    assert!(has_move("1r2k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1a1"));
}

#[test]
fn chess960_castling_goes_to_the_fixed_squares_from_anywhere() {
    for (fen, uci, after) in [
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/R1K5 w A - 0 1", "c1a1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/1K5R w H - 0 1", "b1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
        ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ] {
        let mut board = board(fen);
        let mv = board.parse_uci(uci).unwrap();
        assert_eq!(mv.kind(), MoveKind::Castle, "{fen}");
        let before = board;
        let undo = board.make(mv);
        assert_eq!(board.to_string(), after);
        board.unmake(undo);
        assert_eq!(board, before);
    }
}

#[test]
fn a_castling_rook_that_shields_its_king_stays() {
    assert!(!has_move("4k3/8/8/8/8/8/8/qRK5 w B - 0 1", "c1b1"));
    assert!(!has_move("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", "d1b1"));
    assert!(has_move("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1"));
}

#[test]
fn a_right_is_gone_once_its_rook_was_captured() {
    let mut board = board("r3k2r/8/8/8/8/8/6b1/R3K2R b HAha - 0 1");
    let undo = board.make(board.parse_uci("g2h1").unwrap());
    assert_eq!(undo.captured(), Some(Piece::Rook));
    assert_eq!(board.to_string(), "r3k2r/8/8/8/8/8/8/R3K2b w Aha - 0 2");
}

#[test]
fn the_king_may_not_step_back_along_the_line_of_a_check() {
    assert!(!has_move("4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "e1f1"));
    assert!(!has_move("4k3/8/8/b7/8/8/3K4/8 w - - 0 1", "d2e1"));
}

#[test]
fn the_position_with_the_most_moves_has_218() {
    let board = positions::by_name("most-moves").unwrap();
    assert_eq!(board.legal_moves().len(), 218);
    assert_eq!(board.count_legal_moves(), 218);
}

#[test]
fn uci_moves_are_read_in_both_castling_spellings() {
    let chess960 = board("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1");
    let standard = chess960.with_castling_mode(CastlingMode::Standard).unwrap();
    for board in [standard, chess960] {
        let castle = board.parse_uci("e1g1").unwrap();
        assert_eq!(castle, board.parse_uci("e1h1").unwrap());
        assert_eq!(castle.kind(), MoveKind::Castle);
        for wrong in ["", "e1", "e1e3", "e2e4", "e1g1q", "0000", "E1G1", "é1g1"] {
            assert!(board.parse_uci(wrong).is_err(), "{wrong}");
        }
    }
}

//! The engine is right without a bug, and wrong with each.

// The tests use some of the engine.
#![allow(dead_code)]

mod board;
mod bugs;
mod generate;
mod perft;
mod play;
mod uci;

use std::collections::HashSet;

use bugs::{Class, Entry};
use perft_compare::Suite;
use perft_core::{Board, CastlingMode, Counter, Depth, Position};
use uci::Engine;

/// The `position` of a root, with the mode that it needs.
fn set_up(engine: &mut Engine, root: &Position, moves: &str) {
    engine.set_chess960(root.castling_mode() == CastlingMode::Chess960);
    let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
    engine.set_position(&format!("fen {root}{moves}")).expect("a FEN");
}

/// The total at a depth.
fn count(engine: &mut Engine, depth: Depth) -> u128 {
    engine.divide(depth.into()).1.into()
}

/// A position that the engine gets wrong, among all counts of the suites up to a number of nodes, and after each
/// first move at depth 1.
fn wrong_position(engine: &mut Engine, max_nodes: u128) -> Option<String> {
    for suite in Suite::embedded() {
        for entry in &suite.entries {
            let root = &entry.position;
            for &(depth, nodes) in entry.counts.iter().filter(|(_, nodes)| *nodes <= max_nodes) {
                set_up(engine, root, "");
                if count(engine, depth) != nodes {
                    return Some(format!("{root} depth {depth}"));
                }
            }
            for mv in root.board().legal_moves() {
                let uci = root.board().uci(mv);
                set_up(engine, root, &uci);
                let right = root.after(&[mv]).board().legal_moves().len() as u128;
                if count(engine, 1) != right {
                    return Some(format!("{root} {uci}"));
                }
            }
        }
    }
    None
}

/// Counts by the engine and by `perft-core` for a query as an [`Entry`] has it.
fn both_counts(engine: &mut Engine, query: &str) -> (u128, u128) {
    let (position, depth) = query.trim().rsplit_once(" go ").expect("a depth");
    let depth = depth.parse().expect("a number");
    let (root, moves) = position.split_once(" moves ").unwrap_or((position, ""));
    let fen = root.strip_prefix("fen ").unwrap_or(uci::START);
    let mut board: Board = fen.parse().expect("a FEN");
    for uci in moves.split_whitespace() {
        let mut legal = board.legal_moves().into_iter();
        let mv = legal.find(|&mv| board.uci(mv) == uci).expect("a legal move");
        board.make(mv);
    }
    engine.set_chess960(false);
    engine.set_position(position).expect("a position");
    let right = Counter::new().count(&board, depth).expect("a count");
    (count(engine, depth), right)
}

#[test]
fn without_a_bug_the_engine_is_right() {
    for with_table in [false, true] {
        let mut engine = Engine::new(&[], with_table);
        assert_eq!(wrong_position(&mut engine, 100_000), None);
        for entry in Entry::all() {
            for query in entry.queries.split(';').filter(|query| !query.is_empty()) {
                let (theirs, right) = both_counts(&mut engine, query);
                assert_eq!(theirs, right, "{query}");
            }
        }
    }
}

#[test]
fn without_a_bug_the_engine_is_right_at_depth_4() {
    let mut engine = Engine::new(&[], false);
    let suite = &Suite::embedded()[0];
    for entry in &suite.entries[..36] {
        for &(depth, nodes) in entry.counts.iter().filter(|(depth, _)| *depth <= 4) {
            set_up(&mut engine, &entry.position, "");
            assert_eq!(count(&mut engine, depth), nodes, "{}", entry.position);
        }
    }
}

#[test]
fn each_bug_changes_a_count() {
    let mut invisible = Vec::new();
    for entry in Entry::all() {
        let mut engine = Engine::new(&entry.bugs, false);
        let is_visible = if entry.queries.is_empty() {
            wrong_position(&mut engine, 5_000).is_some()
        } else {
            entry.queries.split(';').any(|query| {
                let (theirs, right) = both_counts(&mut engine, query);
                theirs != right
            })
        };
        if !is_visible {
            invisible.push(entry.name);
        }
    }
    assert_eq!(invisible, Vec::<String>::new());
}

#[test]
fn no_bug_crashes_the_engine() {
    let queries = [
        "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 go 3",
        "fen n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1 go 3",
        "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 go 3",
        "fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 go 4",
        "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1 e8c8 f1d1 d8d1 go 3",
    ];
    for entry in Entry::all() {
        let mut engine = Engine::new(&entry.bugs, false);
        for query in queries {
            both_counts(&mut engine, query);
        }
    }
}

#[test]
fn each_bug_of_a_pair_is_one_of_the_others() {
    let entries = Entry::all();
    let names: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), entries.len());
    for entry in entries.iter().filter(|entry| entry.class == Class::TwoBugs) {
        let [a, b] = entry.bugs[..] else { panic!("{entry:?}") };
        assert_ne!(a, b);
    }
    assert!(entries.iter().filter(|entry| entry.class == Class::TwoBugs).count() >= 15);
}

#[test]
fn verdicts_have_known_names() {
    const CAUSES: [&str; 9] = [
        "leaf-counting",
        "unmake",
        "fen-reading",
        "moves-handling",
        "one-table-entry",
        "table-key",
        "line-ended-early",
        "counter-overflow",
        "move-list-cut",
    ];
    let rules: Vec<&str> = perft_compare::rules::Rule::ALL.iter().map(|rule| rule.name()).collect();
    for entry in Entry::all() {
        for pattern in entry.right.iter().chain(&entry.part) {
            let name = pattern.split('/').next().unwrap_or(pattern);
            let is_cause = CAUSES.iter().any(|cause| name.trim_end_matches('*').starts_with(cause));
            assert!(is_cause || rules.contains(&name) || NEW.contains(&name), "{pattern}");
        }
    }
}

/// Rules that a verdict should be able to name.
const NEW: [&str; 12] = [
    "castle-rook-way-attacked",
    "castle-b-file*",
    "castle-after-check*",
    "castle-after-check",
    "castle-right-lost*",
    "castle-other-rook*",
    "en-passant-double*",
    "en-passant-after*",
    "promotion-piece*",
    "promotion-king",
    "promotion-pawn",
    "self-check",
];

//! The verdicts of `perft check` about bugs that are not a whole rule.

use perft_compare::rules::Rule;
use perft_compare::{Cause, Confirmation, Finder, Hunt, KeyPart};
use perft_core::{CastlingMode, Counter, MoveKind, Position};

use crate::faults::{NARROW, Repeats, TABLES, TableFault};

fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Each is named with its rule, or with another rule of which it is a special case, and with what
/// makes the case.
#[test]
fn a_rule_that_is_broken_in_a_special_case_is_described() {
    // Position, depth, and verdicts that are right: a rule and words of the special case.
    type Verdict = (Rule, &'static [&'static str]);
    let expected: [(&str, u8, &[Verdict]); 12] = [
        (
            "r3k2r/1P4P1/8/8/8/8/8/1R2K1R1 w kq - 0 1",
            2,
            &[(Rule::CastleRookCaptured, &["the move that captures the rook is a promotion."])],
        ),
        (
            "b3k3/8/8/2pP4/8/5K2/8/8 w - c6 0 1",
            1,
            &[(Rule::EnPassant, &["pinned"]), (Rule::PinnedSlides, &["en-passant"])],
        ),
        ("3r1rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1", 1, &[(Rule::CastleThroughAttack, &["queen side"])]),
        (
            "1n5k/P7/8/8/8/8/8/K7 w - - 0 1",
            1,
            &[
                (Rule::PromotionKnight, &["a capture", "a-file"]),
                (Rule::PromotionByCapture, &["knight", "a-file"]),
            ],
        ),
        ("4k3/8/8/8/8/8/r6r/R3K2R w KQ - 0 1", 3, &[(Rule::CastleRookMoved, &["a capture"])]),
        ("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", 1, &[(Rule::EnPassantRankPin, &["Black"])]),
        ("4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1", 1, &[(Rule::Pinned, &["knight"])]),
        (
            "7k/8/8/8/8/b7/1n6/K7 w - - 0 1",
            1,
            &[(Rule::KingCapturesGuarded, &["captures a knight"])],
        ),
        (
            "7k/8/8/8/r6K/8/3P4/8 w - - 0 1",
            1,
            &[(Rule::DoublePush, &["in check"]), (Rule::CheckBlock, &["double step"])],
        ),
        ("7k/8/8/8/8/r6K/3P4/8 w - - 0 1", 1, &[(Rule::CheckBlock, &["pawn"])]),
        ("7k/8/8/8/1p6/8/P7/4K3 w - - 0 1", 4, &[(Rule::EnPassantExpires, &["king"])]),
        ("7k/8/8/8/8/2b5/1K6/8 w - - 0 1", 1, &[(Rule::KingAlongLine, &["diagonal"])]),
    ];
    let mut failures = Vec::new();
    for (fault, (fen, depth, verdicts)) in NARROW.into_iter().zip(expected) {
        let name = fault.name;
        let mut finder = Finder::new(fault, Counter::new());
        let found = finder.find(&position(fen), depth).expect("it divides").mismatch();
        let Some(mismatch) = found else {
            failures.push(format!("{name}: no mismatch"));
            continue;
        };
        let cause = finder.explain(&mismatch).expect("it divides");
        let Some(explanation) = cause.as_ref().and_then(Cause::explanation) else {
            failures.push(format!("{name}: {cause:?}"));
            continue;
        };
        let narrower = explanation.narrower.as_deref().unwrap_or_default();
        let fits = |&(rule, words): &Verdict| {
            explanation.rule() == rule && words.iter().all(|word| narrower.contains(word))
        };
        let is_confirmed = explanation.confirmation.is_some_and(|confirmation| {
            confirmation.positions >= 20 && 2 * confirmation.separating >= confirmation.positions
        });
        if !verdicts.iter().any(fits) || !is_confirmed {
            failures.push(format!("{name}: {explanation:?}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// They are not taken for a broken rule.
#[test]
fn moves_that_are_listed_twice_are_a_verdict_of_their_own() {
    // The last cannot be described.
    let cases: [(Repeats, &str, &str); 3] = [
        (
            Repeats(|_, mv| mv.kind() == MoveKind::EnPassant),
            "8/8/8/K1pP4/8/8/8/7k w - c6 0 1",
            "en-passant captures",
        ),
        (Repeats(|_, mv| mv.promotion().is_some()), "7k/P7/8/8/8/8/8/K7 w - - 0 1", "promotions"),
        (
            Repeats(|board, mv| board.piece_on(mv.to()).is_some() && mv.promotion().is_none()),
            "7k/8/8/8/8/8/1r6/K7 w - - 0 1",
            "some moves",
        ),
    ];
    for (repeats, fen, moves) in cases {
        let mut finder = Finder::new(repeats, Counter::new());
        let found = finder.find(&position(fen), 2).expect("it divides").mismatch();
        let mismatch = found.unwrap_or_else(|| panic!("{moves}: no mismatch"));
        match finder.explain(&mismatch).expect("it divides") {
            Some(Cause::RepeatedMoves(found)) => {
                assert_eq!(found.moves, moves, "{found:?}");
                assert_eq!(found.confirmation.is_some(), moves != "some moves", "{found:?}");
            }
            other => panic!("{moves}: {other:?}"),
        }
    }
}

/// A table whose keys lack a part, found by a hunt of bounded nodes.
#[test]
fn a_part_that_the_keys_of_a_table_lack_is_found_and_named() {
    /// What an engine of a million nodes a second counts in 60 seconds.
    const MAX_NODES: u128 = 60_000_000;
    for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
        for name in TABLES {
            let fault = TableFault::new(name).expect("a table");
            let part = fault.part();
            let mut finder = Finder::new(fault, Counter::new());
            let mut hunt = Hunt::new(1, mode);
            let found = finder.hunt(&mut hunt, |number| number < 5_000).expect("it divides");
            let mismatch = found.unwrap_or_else(|| panic!("{name} is not found"));
            let nodes = hunt.coverage().nodes;
            assert!(nodes < MAX_NODES, "{name}: {nodes}");
            let cause = finder.explain(&mismatch).expect("it divides");
            let Some(Cause::TableKey(key)) = cause else { panic!("{name}: {cause:?}") };
            assert_eq!(key.part, part, "{name}");
            // Within one query the counts depend on the order of moves, and so they do if sides
            // are mixed up.
            let is_predicted = !name.ends_with("cleared") && part != KeyPart::Side;
            assert_eq!(key.confirmation.is_some(), is_predicted, "{name}: {key:?}");
            if let Some(Confirmation { positions, separating }) = key.confirmation {
                assert!(positions >= 20 && 2 * separating >= positions, "{name}: {key:?}");
            }
        }
    }
}

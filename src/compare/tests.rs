//! Opponents with a known fault, and with none.

use super::*;
use crate::perft::{Depth, Workers};

/// A generator without a rule, or with all.
struct Without(Option<Rule>);

impl Opponent for Without {
    type Error = std::convert::Infallible;

    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, Self::Error> {
        let mut game = question.root.game(self.0);
        for mv in question.line {
            game = game.after(*mv);
        }
        let moves = game.divide(question.depth, question.root.variant()).into_iter();
        Ok(Answer::new(moves.map(|(text, nodes)| (text, nodes.into()))))
    }
}

fn root(fen: &str) -> Root {
    Root::from_fen(fen, Variant::Standard).unwrap()
}

fn men(root: &Root) -> u32 {
    root.board().occupied().len()
}

#[test]
fn an_opponent_without_fault_is_equal() {
    let mut finder = Finder::new(Without(None), Workers::default());
    let verdict = finder.find(&Root::new(Board::startpos(), Variant::Standard), 3).unwrap();
    assert!(matches!(verdict, Verdict::Equal(8_902)), "{verdict:?}");
    let mut hunt = Hunt::new(1, Variant::Chess960);
    assert!(finder.hunt(&mut hunt, |number| number < 60).unwrap().is_none());
}

/// Every rule that is forgotten is found by hunting, named, and shown with few men.
#[test]
fn every_forgotten_rule_is_hunted_down() {
    for &rule in Rule::ALL {
        let variant = match rule {
            Rule::CastlePinnedRook => Variant::Chess960,
            _ => Variant::Standard,
        };
        let mut finder = Finder::new(Without(Some(rule)), Workers::default());
        let fault = finder.hunt(&mut Hunt::new(1, variant), |number| number < 20_000).unwrap();
        let fault = fault.unwrap_or_else(|| panic!("{rule} is not found"));
        let case = finder.shrink(&fault).unwrap().expect("it is wrong again");
        assert!(men(&case.root) <= 8, "{rule}: {}", case.root.fen());
        let fault = finder.find_in(&case);
        let fault = fault.unwrap().fault().expect("still wrong");
        let why = finder.explain(&fault).unwrap().unwrap_or_else(|| panic!("{rule} is not named"));
        assert_eq!(why.rule(), rule, "{} {why:?}", case.root.fen());
        if case.whole_depth() < 4 {
            let whole = finder.contrast(&case.root, &[], case.whole_depth()).unwrap();
            assert!(!whole.agrees(), "{rule}: the position alone does not show it");
        }
        assert!(why.is_exact, "{rule}");
    }
}

/// The right position and the right move, as few plies from the root as can be.
#[test]
fn the_fault_is_where_the_lists_differ() {
    let rank_pin = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let rook_taken = "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1";
    let promotion = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
    for (rule, fen, line, missing, extra, without_moves) in [
        (Rule::EnPassantRankPin, rank_pin, "e2e4", "", "f4e3", Some(true)),
        (Rule::CastleRookCaptured, rook_taken, "g2a8", "", "e8c8", Some(false)),
        (Rule::PromotionChoice, promotion, "", "a7a8b a7a8n a7a8r", "", None),
    ] {
        let mut finder = Finder::new(Without(Some(rule)), Workers::default());
        let fault = finder.find(&root(fen), 4).unwrap().fault().expect("they differ");
        let found: Vec<String> = fault.line.iter().map(|mv| mv.uci(Variant::Standard)).collect();
        assert_eq!(found.join(" "), line, "{rule}");
        assert_eq!(fault.contrast.missing.join(" "), missing, "{rule}");
        assert_eq!(fault.contrast.extra.join(" "), extra, "{rule}");
        assert_eq!(fault.without_moves, without_moves, "{rule}");
        let why = finder.explain(&fault).unwrap().expect("a rule");
        assert_eq!((why.rule(), why.is_exact), (rule, true));
    }
}

/// A generator whose counts are wrong although its moves are right: a broken table, say.
struct Miscounts;

impl Opponent for Miscounts {
    type Error = std::convert::Infallible;

    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, Self::Error> {
        let mut answer = Without(None).divide(question)?;
        if question.depth == 3 {
            answer.moves[0].1 += 1;
        }
        Ok(answer)
    }
}

#[test]
fn wrong_counts_of_right_moves_are_told_as_such() {
    let mut finder = Finder::new(Miscounts, Workers::default());
    let start = Root::new(Board::startpos(), Variant::Standard);
    let fault = finder.find(&start, 4).unwrap().fault().expect("they differ");
    assert_eq!((fault.line.len(), fault.depth), (0, 3));
    assert!(fault.contrast.lists_agree());
    assert_eq!(fault.contrast.counts.len(), 1);
    assert_eq!(finder.explain(&fault).unwrap(), None);
}

/// A generator with two faults at once.
struct TwoFaults;

impl Opponent for TwoFaults {
    type Error = std::convert::Infallible;

    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, Self::Error> {
        let mut answer = Without(Some(Rule::PromotionChoice)).divide(question)?;
        answer.moves.retain(|(text, _)| text != "a2a4");
        Ok(answer)
    }
}

#[test]
fn one_of_two_faults_is_named_and_said_not_to_be_all() {
    let mut finder = Finder::new(TwoFaults, Workers::default());
    let fault = finder.find(&root("7k/1P6/8/8/8/8/P7/K7 w - - 0 1"), 1).unwrap().fault().unwrap();
    let why = finder.explain(&fault).unwrap().expect("a rule");
    assert_eq!((why.rule(), why.is_exact), (Rule::PromotionChoice, false));
}

/// Answers as if it had never heard of the position, or of the moves.
struct Deaf(bool);

impl Opponent for Deaf {
    type Error = std::convert::Infallible;

    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, Self::Error> {
        let start = Root::new(Board::startpos(), Variant::Standard);
        let root = if self.0 { &start } else { question.root };
        let mut answer = Without(None).divide(&Question { root, line: &[], ..*question })?;
        // So that there is something to look into.
        answer.moves[0].1 += u128::from(question.depth == 3);
        Ok(answer)
    }
}

#[test]
fn answers_for_another_position_are_refused() {
    let kiwipete = root(crate::positions::NAMED[1].fen);
    let error = Finder::new(Deaf(true), Workers::default()).find(&kiwipete, 3).unwrap_err();
    assert!(matches!(error, CompareError::AnotherPosition { .. }), "{error}");
    // What is found before they come to light is kept.
    let fault = Finder::new(Deaf(false), Workers::default()).find(&kiwipete, 3).unwrap().fault();
    let fault = fault.expect("a difference at depth 3");
    assert_eq!((fault.depth, fault.contrast.counts.len()), (3, 1));
    assert!(fault.broken_off.expect("a reason").contains("another position"));
}

#[test]
fn a_divide_alone_names_the_rule() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let root = root(fen);
    let depth: Depth = 3;
    for rule in [Rule::CastleThroughAttack, Rule::EnPassant, Rule::Pinned, Rule::DoublePush] {
        let theirs = Without(Some(rule)).divide(&Question { root: &root, line: &[], depth });
        let ours = crate::divide(root.board(), depth, Variant::Standard).unwrap();
        let contrast = Contrast::new(root.board(), Variant::Standard, &ours, &theirs.unwrap());
        let why = explain_divide(&root, depth, &contrast).expect("a rule");
        // What a divide cannot tell apart is told: kiwipete has no pins on ranks and files.
        assert!(why.rule() == rule || why.others().contains(&rule), "{rule}: {why:?}");
    }
}

#[test]
fn an_en_passant_square_without_a_legal_capture_is_passed_on() {
    let fen = "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1";
    let root = root(fen);
    assert_eq!(root.board().en_passant(), None);
    assert_eq!(root.fen(), fen);
    let mut finder = Finder::new(Without(Some(Rule::EnPassantRankPin)), Workers::default());
    let fault = finder.find(&root, 1).unwrap().fault().expect("they differ");
    assert_eq!(fault.contrast.extra, ["d5c6"]);
}

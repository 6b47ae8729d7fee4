//! Dividers with a known bug, and without one.

use super::explainer::game;
use super::*;
use crate::rules::Rule;
use crate::suite::Suite;
use crate::uci::{DivideOutput, Divider, Query};
use perft_core::board::{Board, Position};
use perft_core::types::CastlingMode;
use perft_core::{Counter, Depth};

/// A generator without a rule, or with all.
struct Without(Option<Rule>);

impl Divider for Without {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        let mut game = game(query.root, self.0);
        for &mv in query.line {
            game = game.after(mv);
        }
        let moves = game.divide(query.depth).into_iter();
        Ok(DivideOutput::new(moves.map(|(text, nodes)| (text, nodes.into()))))
    }
}

fn finder<D: Divider>(divider: D) -> Finder<D> {
    Finder::new(divider, Counter::new())
}

fn position(fen: &str) -> Position {
    fen.parse().unwrap()
}

fn startpos() -> Position {
    Position::from(Board::startpos())
}

fn kiwipete() -> Position {
    Position::from(perft_core::positions::by_name("kiwipete").unwrap())
}

#[test]
fn a_divider_without_bugs_is_equal() {
    let mut finder = finder(Without(None));
    let verdict = finder.find(&startpos(), 3).unwrap();
    assert!(matches!(verdict, Verdict::Equal(8_902)), "{verdict:?}");
    let mut hunt = Hunt::new(1, CastlingMode::Chess960);
    assert!(finder.hunt(&mut hunt, |number| number < 60).unwrap().is_none());
}

#[test]
fn a_hunt_reports_its_coverage() {
    let mut hunt = Hunt::new(1, CastlingMode::Chess960);
    assert_eq!(hunt.coverage().unexercised_rules().count(), Rule::ALL.len());
    assert!(finder(Without(None)).hunt(&mut hunt, |number| number <= 120).unwrap().is_none());
    let coverage = hunt.coverage();
    assert_eq!(coverage.positions, 120);
    assert_eq!(coverage.depths.values().sum::<u64>(), 120);
    assert!(coverage.nodes > 10_000, "{}", coverage.nodes);
    let unexercised: Vec<Rule> = coverage.unexercised_rules().collect();
    assert!(unexercised.len() < 20, "{unexercised:?}");
    assert!(coverage.rules[&Rule::SelfCheck] > 30);

    // A generator without a rule is wrong in a position that exercises it.
    let mut hunt = Hunt::new(1, CastlingMode::Standard);
    finder(Without(Some(Rule::Promotion))).hunt(&mut hunt, |_| true).unwrap().expect("a mismatch");
    assert_eq!(hunt.coverage().rules[&Rule::Promotion], 1);
}

/// No game reaches them, and so no generator need be right about them.
#[test]
fn a_hunt_makes_no_impossible_position() {
    for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
        for seed in 1..=8 {
            for case in Hunt::new(seed, mode).take(1_500) {
                assert_eq!(case.root.impossibility(), None, "{}", case.root);
                let end = case.query().position();
                assert_eq!(end.impossibility(), None, "{end}");
            }
        }
    }
}

#[test]
fn a_mismatch_in_an_impossible_position_says_so() {
    let mut finder = finder(Without(Some(Rule::EnPassant)));
    for (fen, is_possible) in
        [("8/8/8/8/3pP3/3k2R1/K7/8 b - e3 0 1", false), ("8/8/8/8/2kpP3/8/K7/8 b - e3 0 1", true)]
    {
        let mismatch = finder.find(&position(fen), 1).unwrap().mismatch();
        if let Some(mismatch) = mismatch {
            assert_eq!(mismatch.impossible.is_none(), is_possible, "{fen}");
        } else {
            panic!("{fen} is not different");
        }
    }
}

/// Each rule, when it is removed, is found by a hunt, shown with few pieces, and named.
#[test]
fn every_removed_rule_is_hunted_down() {
    for &rule in Rule::ALL {
        let mode = match rule {
            Rule::CastlePinnedRook => CastlingMode::Chess960,
            _ => CastlingMode::Standard,
        };
        let mut finder = finder(Without(Some(rule)));
        let mismatch = finder.hunt(&mut Hunt::new(1, mode), |number| number < 20_000).unwrap();
        let mismatch = mismatch.unwrap_or_else(|| panic!("{rule} is not found"));
        let mismatch = finder.shrink(&mismatch).unwrap().expect("it is wrong again");
        let case = &mismatch.case;
        assert!(case.root.board().occupied().len() <= 8, "{rule}: {}", case.root);
        let explanation = finder.explain(&mismatch).unwrap();
        let explanation = explanation.unwrap_or_else(|| panic!("{rule} is not named"));
        let explanation = explanation.explanation().expect("a rule");
        assert_eq!(explanation.rule(), rule, "{} {explanation:?}", case.root);
        assert!(explanation.is_exact, "{rule}");
        assert_eq!(explanation.narrower, None, "{rule}");
        let confirmation =
            explanation.confirmation.unwrap_or_else(|| panic!("{rule}: unconfirmed"));
        let Confirmation { positions, separating } = confirmation;
        assert!(positions >= 20 && 2 * separating >= positions, "{rule}: {confirmation:?}");
        let depth = case.depth_from_root();
        if depth < 4 {
            let whole = finder.diff(&Query { root: &case.root, line: &[], depth }).unwrap();
            assert!(!whole.is_equal(), "{rule}: the position alone does not show it");
        }
    }
}

/// The right position and the right move, as few plies from the root as possible.
#[test]
fn the_mismatch_is_where_the_lists_of_moves_differ() {
    let rank_pin = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    let rook_captured = "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1";
    let promotion = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
    for (rule, fen, line, missing, extra, right_without_moves) in [
        (Rule::EnPassantRankPin, rank_pin, "e2e4", "", "f4e3", Some(false)),
        (Rule::CastleRookCaptured, rook_captured, "g2a8", "", "e8c8", Some(true)),
        (Rule::PromotionChoice, promotion, "", "a7a8b a7a8n a7a8r", "", None),
    ] {
        let mut finder = finder(Without(Some(rule)));
        let mismatch = finder.find(&position(fen), 4).unwrap().mismatch().expect("they differ");
        assert_eq!(mismatch.case.query().uci_moves(), line, "{rule}");
        assert_eq!(mismatch.diff.missing.join(" "), missing, "{rule}");
        assert_eq!(mismatch.diff.extra.join(" "), extra, "{rule}");
        assert_eq!(mismatch.right_without_moves, right_without_moves, "{rule}");
        let cause = finder.explain(&mismatch).unwrap().expect("a rule");
        let explanation = cause.explanation().expect("a rule");
        assert_eq!((explanation.rule(), explanation.is_exact), (rule, true));
    }
}

/// A generator whose counts are wrong although its moves are right: a broken table, say.
struct Miscounts;

impl Divider for Miscounts {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        let mut output = Without(None).divide(query)?;
        if query.depth == 3 {
            output.moves[0].1 += 1;
        }
        Ok(output)
    }
}

#[test]
fn wrong_counts_of_right_moves_are_reported_as_such() {
    let mut finder = finder(Miscounts);
    let mismatch = finder.find(&startpos(), 4).unwrap().mismatch().expect("they differ");
    assert_eq!((mismatch.case.line.len(), mismatch.case.depth), (0, 3));
    assert!(mismatch.diff.same_moves());
    assert_eq!(mismatch.diff.counts.len(), 1);
    assert_eq!(finder.explain(&mismatch).unwrap(), None);
}

/// A generator with two bugs at once.
struct TwoBugs;

impl Divider for TwoBugs {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        let mut output = Without(Some(Rule::PromotionChoice)).divide(query)?;
        output.moves.retain(|(text, _)| text != "a2a4");
        Ok(output)
    }
}

#[test]
fn one_of_two_bugs_is_named_as_a_partial_explanation() {
    let mut finder = finder(TwoBugs);
    let root = position("7k/1P6/8/8/8/8/P7/K7 w - - 0 1");
    let mismatch = finder.find(&root, 1).unwrap().mismatch().unwrap();
    let cause = finder.explain(&mismatch).unwrap().expect("a rule");
    let explanation = cause.explanation().expect("a rule");
    assert_eq!((explanation.rule(), explanation.is_exact), (Rule::PromotionChoice, false));
}

/// Ignores the position, or only the moves.
struct Ignores {
    position: bool,
}

impl Divider for Ignores {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        let start = startpos();
        let root = if self.position { &start } else { query.root };
        let mut output = Without(None).divide(&Query { root, line: &[], ..*query })?;
        // A difference to follow.
        output.moves[0].1 += u128::from(query.depth == 3);
        Ok(output)
    }
}

#[test]
fn output_for_another_position_is_refused() {
    let error = finder(Ignores { position: true }).find(&kiwipete(), 3).unwrap_err();
    assert!(matches!(error, CompareError::AnotherPosition { .. }), "{error}");
    // A mismatch that is found before that is kept.
    let mismatch = finder(Ignores { position: false }).find(&kiwipete(), 3).unwrap().mismatch();
    let mismatch = mismatch.expect("a difference at depth 3");
    assert_eq!((mismatch.case.depth, mismatch.diff.counts.len()), (3, 1));
    assert!(mismatch.aborted.expect("a reason").contains("another position"));
}

fn divide(rule: Option<Rule>, root: &Position, depth: Depth) -> DivideOutput {
    Without(rule).divide(&Query { root, line: &[], depth }).unwrap()
}

fn diff(root: &Position, depth: Depth, output: &DivideOutput) -> Diff {
    diff_output::<std::convert::Infallible>(&Counter::new(), root, depth, output).unwrap()
}

#[test]
fn a_divide_alone_names_the_rule() {
    let root = kiwipete();
    for rule in [Rule::CastleThroughAttack, Rule::EnPassant, Rule::Pinned, Rule::DoublePush] {
        let diff = diff(&root, 3, &divide(Some(rule), &root, 3));
        let limits = Limits::default();
        let cause = explain_divide::<std::convert::Infallible>(&limits, &root, 3, &diff);
        let cause = cause.unwrap().expect("a rule");
        let explanation = cause.explanation().expect("a rule");
        // Rules that a divide cannot distinguish are listed: kiwipete has no pins on ranks and
        // files.
        let is_listed = explanation.rule() == rule || explanation.others().contains(&rule);
        assert!(is_listed, "{rule}: {explanation:?}");
    }
}

#[test]
fn a_divide_at_another_depth_is_recognized() {
    let (root, counter) = (kiwipete(), Counter::new());
    let depth = |output: &DivideOutput| {
        depth_of_output(&counter, root.board(), 3, output, &diff(&root, 3, output)).unwrap()
    };
    for other in [1, 2, 4] {
        let ours = counter.divide(root.board(), other).unwrap();
        let moves = ours.branches.iter().map(|branch| (root.board().uci(branch.mv), branch.nodes));
        assert_eq!(depth(&DivideOutput::new(moves)), Some(other));
    }
    assert_eq!(depth(&divide(Some(Rule::EnPassant), &root, 3)), None);
    assert_eq!(depth(&divide(Some(Rule::EnPassant), &root, 2)), None);
}

#[test]
fn an_en_passant_square_without_a_legal_capture_is_given_to_the_divider() {
    let fen = "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1";
    let root = position(fen);
    assert_eq!(root.board().en_passant(), None);
    assert_eq!(root.to_string(), fen);
    let mut finder = finder(Without(Some(Rule::EnPassantRankPin)));
    let mismatch = finder.find(&root, 1).unwrap().mismatch().expect("they differ");
    assert_eq!(mismatch.diff.extra, ["d5c6"]);
}

/// Fails, once it has divided so many positions.
struct FailsAfter(usize);

impl Divider for FailsAfter {
    type Error = std::fmt::Error;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        self.0 = self.0.checked_sub(1).ok_or(std::fmt::Error)?;
        Ok(divide(Some(Rule::CastleKingSide), query.root, query.depth))
    }
}

#[test]
fn the_positions_of_suites_are_tallied() {
    let text = "\
        8/8/8/8/k1p4R/8/3P4/3K4 w - - ;D1 18 ;D2 92 ;D9 999999999999\n\
        r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - ;D1 48\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D60 5\n\
        bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1 ;D1 20\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D9 2439530234167\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\n";
    let suite = Suite::parse("mine", text).unwrap();
    let run = |queries| {
        let options =
            SessionOptions { max_nodes: 1_000, effort: Effort::Report, ..Default::default() };
        let mut different = Vec::new();
        let mut session =
            Session::new(FailsAfter(queries), Counter::new(), options).on_event(|event| {
                if let Event::Different { entry, depth, diff } = event {
                    different.push((entry.line, depth, diff.missing.clone()));
                }
            });
        session.suite(&suite);
        let result = session.finish();
        (result, different)
    };
    let (result, different) = run(3);
    let Stage { positions, skipped, unfinished, nodes, wrong, .. } = result.stages[0];
    assert_eq!((positions, skipped, unfinished, nodes, wrong), (3, 3, 0, 92 + 48 + 20, 1));
    assert_eq!(result.is_equal(), Some(false));
    assert!(result.stages[0].skip_reason.is_some());
    assert_eq!(different, [(2, 1, vec!["e1g1".to_owned()])]);
    let impossible = "mine:3: depth 60 has more than 200000000 leaves, not 5";
    assert_eq!(result.impossible[0].to_string(), impossible);
    assert!(result.error.is_none() && result.bugs.is_empty());

    let (result, _) = run(1);
    let Stage { positions, skipped, unfinished, nodes, wrong, .. } = result.stages[0];
    assert_eq!((positions, skipped, unfinished, nodes, wrong), (1, 1, 4, 92, 0));
    assert_eq!(result.is_equal(), None);
    assert_eq!(result.error, Some(CompareError::Divider(std::fmt::Error)));
}

/// A session in which a generator without a rule is tried.
fn session<'a>(rule: Option<Rule>, options: SessionOptions) -> Session<'a, Without> {
    Session::new(Without(rule), Counter::new(), options)
}

#[test]
fn a_session_finds_shrinks_and_explains() {
    let mut steps = Vec::new();
    let rule = Rule::CastleRookCaptured;
    let mut session = session(Some(rule), SessionOptions::default()).on_event(|event| {
        let step = match event {
            Event::Equal { depth, .. } => format!("equal {depth}"),
            Event::Shrinking(mismatch) => {
                format!("shrinking {}", mismatch.case.query().uci_moves())
            }
            Event::Explaining(_) => "explaining".to_owned(),
            Event::Bug(bug) => bug.title(),
            Event::Stage(stage) => stage.name.clone(),
            _ => return,
        };
        steps.push(step);
    });
    session.position(&Query { root: &kiwipete(), line: &[], depth: 4 });
    // The first mismatch is enough.
    session.hunt(1, CastlingMode::Standard);
    let result = session.finish();
    let expected = ["equal 1", "equal 2", "equal 3", "shrinking e5g6 b6c8 g6h8", "explaining"];
    assert_eq!(steps[..5], expected);
    assert_eq!(steps[5..], ["castle-rook-captured", "position"]);
    let bug = &result.bugs[0];
    assert!(bug.mismatch().case.root.board().occupied().len() <= 6);
    assert_eq!(bug.cause.as_ref().and_then(Cause::rule), Some(rule));
    assert!(bug.epd.as_ref().is_some_and(|epd| epd.ends_with(";id \"castle-rook-captured\"")));
}

#[test]
fn a_session_goes_on_for_one_bug_of_each_cause() {
    let options = SessionOptions { keep_going: true, max_nodes: 1_000, ..Default::default() };
    let mut session = session(Some(Rule::EnPassant), options);
    let suites = Suite::embedded();
    session.suite(suites.iter().find(|suite| suite.name == "tricky.epd").expect("it is built in"));
    let result = session.finish();
    let wrong = result.stages[0].wrong;
    assert_eq!((result.bugs.len(), result.stages[0].unfinished), (1, 0));
    assert!(wrong > 3 && result.bugs[0].more == wrong - 1, "{wrong}");
}

/// The time of a session ends its stages, and its token everything.
#[test]
fn a_session_ends_at_its_deadline() {
    let time = Some(std::time::Duration::from_millis(300));
    let start = std::time::Instant::now();
    let mut session = session(None, SessionOptions { time, ..Default::default() });
    session.everything(1);
    session.suite(&Suite::embedded()[0]);
    let result = session.finish();
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!((result.is_equal(), result.out_of_time), (None, true));
    assert_eq!(result.stages.len(), 5);

    let counter = Counter::new();
    counter.cancel_token().cancel();
    let mut session = Session::new(Without(None), counter, SessionOptions::default());
    session.everything(1);
    let result = session.finish();
    assert_eq!((result.cancelled, result.is_equal(), result.positions()), (true, None, 0));
}

/// Trying the rules on a pasted divide ends too.
#[test]
fn the_explanation_of_a_divide_can_be_cancelled() {
    let root = kiwipete();
    let diff = diff(&root, 3, &divide(Some(Rule::DoublePush), &root, 3));
    let limits = Limits::default();
    limits.cancel.cancel();
    let explained = explain_divide::<std::convert::Infallible>(&limits, &root, 3, &diff);
    assert_eq!(explained, Err(CompareError::Cancelled));
    let limits = Limits { deadline: Some(std::time::Instant::now()), ..Default::default() };
    let explained = explain_divide::<std::convert::Infallible>(&limits, &root, 3, &diff);
    assert_eq!(explained, Err(CompareError::OutOfTime));
}

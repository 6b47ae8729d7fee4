//! `perft check` and `perft uci`: with Stockfish, with engines that break a known rule, and with
//! engines that misbehave.

use std::io::Write;
use std::process::{Child, ChildStdin, Output, Stdio};
use std::time::{Duration, Instant};

use crate::driver::{
    PERFT, TestDir, command, faulty_engine, interrupt, parsed as json, refused,
    run_with_input as perft, stderr, stdout,
};
use perft_compare::Suite;
use perft_compare::rules::{Game, Rule};
use perft_core::Board;
use perft_needs::needs;
use serde_json::Value;

fn faulty(arguments: &str) -> String {
    format!("'{}' {arguments}", faulty_engine().display())
}

/// The first mismatch of a result in JSON.
fn mismatch(output: &Output) -> Value {
    let mut found = json(output);
    found["mismatches"][0].take()
}

/// A list of moves, joined by spaces.
fn moves(value: &Value) -> String {
    let list = value.as_array().expect("a list");
    list.iter().map(|mv| mv.as_str().expect("a text")).collect::<Vec<_>>().join(" ")
}

#[needs(stockfish)]
#[test]
fn stockfish_is_equal() {
    let output = perft(&["check", "stockfish", "kiwipete", "4"], "");
    assert_eq!(stdout(&output), "Equal to depth 4: 4085603 nodes\n", "{}", stderr(&output));
    let options = ["check", "stockfish", "--option", "Hash=1", "--suite"];
    let output = perft(&[&options[..], &["--max-nodes", "20000"]].concat(), "");
    let table = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{table}{}", stderr(&output));
    assert_eq!(table.lines().filter(|line| line.ends_with("  equal")).count(), 3, "{table}");
    for chess960 in [&[][..], &["--chess960"]] {
        let hunt = ["check", "stockfish", "--hunt", "--seed", "7", "--seconds", "3"];
        let output = perft(&[&hunt[..], chess960].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        assert!(stdout(&output).contains("\nNo difference in "), "{}", stdout(&output));
    }
}

#[test]
fn the_position_the_moves_and_the_rule_are_found() {
    const KIWIPETE: &str = "kiwipete";
    for (rule, position, depth, line, missing, extra) in [
        ("en-passant-rank-pin", "position3", "4", "e2e4", "", "f4e3"),
        ("en-passant", KIWIPETE, "3", "a2a4", "b4a3", ""),
        ("en-passant-evasion", "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1", "3", "d2d4", "e4d3", ""),
        ("castle-through-attack", "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "1", "", "", "e1c1"),
        ("castle-into-attack", "2r1k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "1", "", "", "e1c1"),
        ("castle-out-of-check", "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "1", "", "", "e1c1 e1g1"),
        ("castle-rook-way", "4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "1", "", "", "e1c1"),
        ("castle-rook-attacked", "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "1", "", "e1c1", ""),
        ("castle-rook-captured", "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "2", "g2a8", "", "e8c8"),
        ("promotion-choice", "7k/P7/8/8/8/8/8/K7 w - - 0 1", "2", "", "a7a8b a7a8n a7a8r", ""),
        (
            "pinned-on-line",
            "4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1",
            "1",
            "",
            "",
            "e2c1 e2c3 e2d4 e2f4 e2g1 e2g3",
        ),
        ("king-along-line", "4r2k/8/8/8/8/4K3/8/8 w - - 0 1", "1", "", "", "e3e2"),
        ("kings-apart", "8/8/8/3k4/8/3K4/8/8 w - - 0 1", "1", "", "", "d3c4 d3d4 d3e4"),
        ("double-check", "4r1k1/8/8/8/7b/8/3Q4/4K3 w - - 0 1", "1", "", "", "d2e2 d2e3 d2f2"),
        ("double-push-way", "7k/8/8/8/8/p7/P7/7K w - - 0 1", "1", "", "", "a2a4"),
        ("own-piece", "7k/8/8/8/8/8/P7/K7 w - - 0 1", "1", "", "", "a1a2"),
        ("check-block", "4r2k/8/8/8/8/8/3B4/4K3 w - - 0 1", "1", "", "d2e3", ""),
    ] {
        let engine = faulty(&format!("--without {rule}"));
        let output = perft(&["check", &engine, "--json", position, depth], "");
        let found = mismatch(&output);
        assert_eq!(output.status.code(), Some(1), "{rule}: {found}");
        assert_eq!(moves(&found["moves"]), line, "{rule}");
        assert_eq!(moves(&found["at"]["missing"]), missing, "{rule}");
        assert_eq!(moves(&found["at"]["extra"]), extra, "{rule}");
        assert_eq!(found["cause"]["name"], rule, "{found}");
        assert_eq!(found["cause"]["exact"], true, "{rule}");
    }
}

#[test]
fn the_report_shows_the_position() {
    let engine = faulty("--without castle-rook-captured");
    let fen = "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1";
    let output = perft(&["check", &engine, fen, "3"], "");
    assert_eq!(output.status.code(), Some(1));
    let report = format!(
        "\
Different at depth 2: 324 here, 325 there
From: r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1
Moves: g2a8
FEN: B3k2r/8/8/8/8/8/8/4K3 b k - 0 1
Extra: e8c8

8  B  . (.) . [k] .  .  r
7  .  .  .  .  .  .  .  .
6  .  .  .  .  .  .  .  .
5  .  .  .  .  .  .  .  .
4  .  .  .  .  .  .  .  .
3  .  .  .  .  .  .  .  .
2  .  .  .  .  .  .  .  .
1  .  .  .  .  K  .  .  .

   a  b  c  d  e  f  g  h

[ ] where the wrong moves start, ( ) where they end

Rule: castle-rook-captured. {}
With this rule switched off, our generator makes exactly the same mistake.
Given this FEN without the moves, the engine is right: it goes wrong in the moves that lead there.
",
        Rule::CastleRookCaptured.text()
    );
    let text = stdout(&output);
    let (confirmed, others): (Vec<&str>, Vec<&str>) =
        text.split_inclusive('\n').partition(|line| line.starts_with("Confirmed on "));
    assert_eq!(others.concat(), report);
    let end = " chosen to separate it from neighboring rules).\n";
    assert!(confirmed.len() == 1 && confirmed[0].ends_with(end), "{confirmed:?}");
}

/// The engine gets the moves and not the FEN after them: it may go wrong in making them.
#[test]
fn the_engine_makes_the_moves_before_the_position() {
    let engine = faulty("--without castle-rook-captured");
    let line = ["--moves", "e5g6 b6c8 g6h8"];
    let arguments = ["check", &engine, "--json", "kiwipete", "1"];
    let output = perft(&[&arguments[..], &line].concat(), "");
    let found = mismatch(&output);
    assert_eq!(output.status.code(), Some(1), "{found}");
    assert_eq!(moves(&found["moves_before"]), "e5g6 b6c8 g6h8");
    assert_eq!(moves(&found["at"]["extra"]), "e8g8");
    assert_eq!(found["at"]["right_without_moves"], true);
}

/// No rule explains a wrong sum, or output without counts.
#[test]
fn no_rule_is_named_for_other_mistakes() {
    let dir = TestDir::new("blame");
    let script = |name: &str, text: &str| {
        dir.write(name, format!("#!/bin/sh\n{text}\n"));
        format!("sh '{}'", dir.path(name).display())
    };
    let compare =
        |engine: &str| perft(&["check", engine, "--protocol", "script", "kiwipete", "2"], "");
    let wrong_total = script(
        "total.sh",
        &format!("'{PERFT}' divide \"$2\" $1 -q | grep -v searched; echo Total: 9"),
    );
    let output = compare(&wrong_total);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("not the sum of the lines"), "{}", stdout(&output));
    assert!(!stdout(&output).contains("Rule:"), "{}", stdout(&output));
    for text in ["exit 0", "echo 'usage: engine [-d depth] file'"] {
        refused(&compare(&script("silent.sh", text)), "printed no counts");
    }
    let divide = stdout(&perft(&["divide", "startpos", "2"], ""));
    let another = perft(&["check", "-", "kiwipete", "2"], &divide);
    refused(&another, "another position");
    let total = perft(&["check", "-", "startpos", "2"], divide.replace("d: 400", "d: 9"));
    assert!(stdout(&total).contains("not the sum of the lines"), "{}", stdout(&total));
}

/// A script cannot say whether it knows Chess960: only `--chess960` does.
#[test]
fn a_script_gets_no_chess960_positions_without_the_flag() {
    let engine = format!("'{}' --script", faulty_engine().display());
    let suite = ["check", &engine, "--protocol", "script", "--suite", "-"];
    let epd = "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1 ;D1 20\n\
               8/8/8/8/k1p4R/8/3P4/3K4 w - - ;D1 18\n";
    let output = perft(&suite, epd);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("equal; 1 skipped: --chess960 says"), "{output:?}");
}

#[test]
fn an_interrupted_suite_is_not_equal() {
    let engine = faulty("--act slow");
    for format in [&["--json"][..], &[]] {
        let suite = ["check", &engine, "--suite", "tricky", "--max-nodes", "100"];
        let mut compare = command(&[&suite[..], format].concat());
        let child = compare.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(1500));
        let output = interrupt(child);
        if format.is_empty() {
            assert!(stdout(&output).ends_with(" unfinished\n"), "{}", stdout(&output));
        } else {
            let found = json(&output);
            assert_eq!(found["equal"], Value::Null, "{found}");
            assert!(found["stages"][0]["unfinished"].as_u64() > Some(0), "{found}");
        }
    }
}

#[test]
fn a_difference_is_reported_even_if_the_engine_ends() {
    let dir = TestDir::new("differs");
    let script = "[ -z \"$3\" ] || exit 9";
    let wrong = "sed 's/^a2a3: 20$/a2a3: 21/; /searched/d'";
    let engine = format!("{script}\n'{PERFT}' divide \"$2\" \"$1\" --quiet | {wrong}\n");
    dir.write("engine.sh", engine);
    let compare = ["check", "sh engine.sh", "--protocol", "script", "startpos", "3"];
    let output = dir.perft(&compare);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stdout(&output);
    assert!(text.starts_with("Different at depth 2: 400 here, 401 there\n"), "{text}");
    assert!(text.contains("a2a3: 20 here, 21 there") && text.contains("exit status: 9"), "{text}");
}

#[test]
fn equal_depths_are_reported_even_if_the_engine_ends() {
    let dir = TestDir::new("equal");
    let compare = ["check", "sh engine.sh", "--protocol", "script", "startpos", "4"];
    let count = format!("'{PERFT}' divide \"$2\" \"$1\" --quiet");
    dir.write("engine.sh", format!("[ $1 -lt 3 ] || exit 9\n{count}\n"));
    refused(&dir.perft(&compare), "equal to depth 2: engine \"sh engine.sh\" ended");

    dir.write("engine.sh", format!("[ $1 -lt 3 ] || {{ touch deep; sleep 60; }}\n{count}\n"));
    let mut child = dir.command(&[&compare[..], &["--json"]].concat());
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !dir.path("deep").exists() {
        assert!(Instant::now() < deadline, "it does not reach depth 3");
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = interrupt(child);
    assert_eq!(stderr(&output), "perft: interrupted: equal to depth 2\n");
    let report = json(&output);
    let depth = &report["stages"][0]["max_depth"];
    assert_eq!((&report["equal"], depth), (&Value::Null, &2.into()), "{report}");
}

/// Some rules, with a real engine; the tests of the library hunt for all.
#[test]
fn a_hunt_ends_with_a_small_position() {
    for rule in ["en-passant-rank-pin", "castle-rook-captured", "promotion-choice", "double-check"]
    {
        let engine = faulty(&format!("--without {rule}"));
        let arguments = ["check", &engine, "--json", "--hunt", "--seed", "1", "--seconds", "30"];
        let output = perft(&arguments, "");
        let found = mismatch(&output);
        assert_eq!(output.status.code(), Some(1), "{rule}: {found}");
        assert_eq!(found["cause"]["name"], rule);
        let epd = found["epd"].as_str().expect("a line");
        let suite = Suite::parse("hunt", epd).expect("a line of a suite");
        assert!(suite.entries[0].position.board().occupied().len() <= 8, "{epd}");
        // Our counts are those of the line, and the engine's are not.
        let output = perft(&["suite", "-"], epd);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        let output = perft(&["check", &engine, "--suite", "-"], epd);
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        assert!(stdout(&output).contains(&format!("Rule: {rule}.")), "{}", stdout(&output));
    }
}

/// Bugs that are not a whole rule, with a real engine; `verdicts.rs` has all of them.
#[test]
fn a_hunt_finds_special_cases_and_bad_tables() {
    let hunt = |bug: &str| {
        let engine = faulty(bug);
        let arguments = ["check", &engine, "--json", "--hunt", "--seed", "1", "--seconds", "60"];
        let output = perft(&arguments, "");
        assert_eq!(output.status.code(), Some(1), "{bug}: {output:?}");
        mismatch(&output)
    };
    let found = hunt("--narrow castle-through-attack-queen-side");
    assert_eq!(found["cause"]["name"], "castle-through-attack", "{found}");
    for table in ["castling cleared", "side small"] {
        let found = hunt(&format!("--table '{table}'"));
        assert_ne!(found["cause"]["is_rule"], true, "{found}");
        assert_eq!(moves(&found["at"]["missing"]), "", "{found}");
    }
}

/// A mismatch is reported even if there was no time to shrink its position.
#[test]
fn an_interrupted_hunt_reports_the_mismatch() {
    let dir = TestDir::new("shrinking");
    let engine = faulty("--without double-push --act slow");
    dir.write("engine.sh", format!("tee queries | {engine}\n"));
    let child = dir
        .command(&["check", "sh engine.sh", "--hunt", "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    // A position that differs is asked about again, and then made smaller.
    let shrinks = || {
        let text = std::fs::read_to_string(dir.path("queries")).unwrap_or_default();
        let positions: Vec<&str> =
            text.lines().filter(|line| line.starts_with("position fen")).collect();
        let again = positions.windows(2).position(|pair| pair[0] == pair[1]);
        again.is_some_and(|again| positions.len() > again + 6)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !shrinks() {
        assert!(Instant::now() < deadline, "it finds nothing");
        std::thread::sleep(Duration::from_millis(10));
    }
    let text = stdout(&interrupt(child));
    assert!(text.contains("not made smaller") && text.contains("Missing: "), "{text}");
    let epd = text.lines().find_map(|line| line.strip_prefix("For a suite: "));
    let epd = epd.expect("a line for a suite");
    let output = perft(&["suite", "-", "--max-nodes", "1e12"], epd);
    assert_eq!(output.status.code(), Some(0), "{epd}");

    // Without a mismatch, what was tried is reported.
    let engine = format!("'{PERFT}' uci");
    let mut endless = command(&["check", &engine, "--hunt", "--seed", "1"]);
    let endless = endless.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(700));
    let text = stdout(&interrupt(endless));
    assert!(text.contains("\nhunt, seed 1  ") && text.contains("\nCovered by the hunt"), "{text}");
    assert!(!text.contains("No difference"), "{text}");
}

/// The time that is given ends the work on a mismatch too.
#[test]
fn a_slow_engine_does_not_make_a_check_endless() {
    let engine = faulty("--without double-push --act slow");
    let start = Instant::now();
    let output = perft(&["check", &engine, "--hunt", "--seed", "1", "--seconds", "1"], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("Missing: "), "{}", stdout(&output));
    assert!(start.elapsed() < Duration::from_secs(100), "{:?}", start.elapsed());

    let dir = TestDir::new("late");
    dir.write("engine.sh", format!("sleep 0.4; '{PERFT}' divide \"$2\" \"$1\" --quiet\n"));
    let check = ["check", "sh engine.sh", "--protocol", "script", "--seconds", "0.6"];
    let output = dir.perft(&[&check[..], &["startpos", "5", "--json"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    assert_eq!(stderr(&output), "perft: time is up (--seconds gives it longer)\n");
    let found = json(&output);
    assert_eq!((&found["equal"], &found["interrupted"]), (&Value::Null, &false.into()));
    assert!(found["stages"][0]["max_depth"].as_u64() < Some(5), "{found}");
    let output = dir.perft(&[&check[..], &["--suite", "tricky"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    assert!(stdout(&output).ends_with(" unfinished\n"), "{}", stdout(&output));
}

/// `perft compare` is a former name of `perft check`.
#[test]
fn compare_is_an_alias() {
    let engine = faulty("--without castle-king-side");
    let without_times = |arguments: &[&str], input: &str| {
        let mut found = json(&perft(&[arguments, &["--json"]].concat(), input));
        found["seconds"].take();
        for stage in found["stages"].as_array_mut().expect("a list") {
            stage["seconds"].take();
            stage["nps"].take();
        }
        found
    };
    let divide = stdout(&perft(&["divide", "kiwipete", "1"], "")).replace("e1g1: 1\n", "");
    for (alias, arguments) in [
        (
            &["compare", "--engine", &engine, "kiwipete", "2"][..],
            &["check", &engine, "kiwipete", "2"][..],
        ),
        (
            &["compare", "kiwipete", "2", &format!("--engine={engine}")],
            &["check", &engine, "kiwipete", "2"],
        ),
        (
            &["compare", "--max-nodes", "99", "--engine", &engine, "--suite", "tricky"],
            &["check", &engine, "--suite", "tricky", "--max-nodes", "99"],
        ),
        (
            &["compare", "--engine", &engine, "--hunt", "--seed", "3"],
            &["check", &engine, "--hunt", "--seed", "3"],
        ),
        (&["compare", "--stdin", "kiwipete", "1"], &["check", "-", "kiwipete", "1"]),
    ] {
        let found = without_times(arguments, &divide);
        assert_eq!(found["equal"], false, "{found}");
        assert_eq!(without_times(alias, &divide), found, "{alias:?}");
    }
    let help = stdout(&perft(&["compare", "--help"], ""));
    assert_eq!(help, stdout(&perft(&["check", "--help"], "")));
    assert!(!help.contains("compare "), "{help}");
    assert!(!stdout(&perft(&["--help"], "")).contains("  compare"));
    refused(&perft(&["compare", "startpos", "3"], ""), "perft check ./engine");
}

#[test]
fn chess960_is_set_by_its_flag_only() {
    let engine = format!("'{PERFT}' uci");
    let option = ["--option", "uci_chess960=true", "startpos", "2"];
    let output = perft(&[&["check", &engine][..], &option].concat(), "");
    refused(&output, "--chess960");
}

#[test]
fn engines_that_misbehave_get_a_line() {
    let start = Instant::now();
    for (act, culprit) in [
        ("mute", "did not print uciok"),
        ("hang", "printed nothing for 1 s"),
        ("exit", "ended (exit status: 3)"),
        ("exit", "no licence found"),
        ("die", "segmentation fault, more or less"),
        ("flood", "printed more than 16 MiB"),
        ("flood-one-line", "printed more than 16 MiB"),
        ("other-position", "its divide is for another position"),
        ("search", "searched for a move"),
        ("ignore", "printed no counts"),
        ("close-output", "closed its output and went on running"),
    ] {
        let engine = faulty(&format!("--act {act}"));
        let arguments = ["check", &engine, "--timeout", "1", "kiwipete", "3"];
        refused(&perft(&arguments, ""), culprit);
    }
    refused(&perft(&["check", "./no-such-engine", "startpos", "2"], ""), "no-such-engine");
    refused(&perft(&["check", "'open quote", "startpos", "2"], ""), "quote");
    refused(&perft(&["check", "", "startpos", "2"], ""), "empty");
    let engine = faulty("");
    let option = ["check", &engine, "--option", "Nonsense=1", "startpos", "2"];
    refused(&perft(&option, ""), "has no option \"Nonsense\"");
    refused(&perft(&["check", &engine, "startpos", "0"], ""), "depth 0");
    refused(&perft(&["check"], ""), "ENGINE");
    let mute = faulty("--act mute");
    refused(&perft(&["check", &mute, "no position", "3"], ""), "no position");
    refused(&perft(&["check", &engine, "--timeout", "1e19", "startpos", "2"], ""), "a year");
    refused(&perft(&["check", &engine, "--hunt", "--moves", "e2e4"], ""), "--moves");
    let none = ["check", &engine, "--max-nodes", "1", "--suite", "-"];
    let fen = Board::STARTPOS_FEN;
    refused(&perft(&none, format!("{fen} ;D3 8902")), "nothing to compare");
    let long = format!("Hash={}", "x".repeat(100_000));
    let unread = ["check", "sleep 3600", "--timeout", "1", "--option", &long, "startpos", "2"];
    refused(&perft(&unread, ""), "did not print uciok");
    let script = faulty("--script");
    let deep = ["check", "false", "--protocol", "script", "startpos", "2"];
    refused(&perft(&deep, ""), "exit status: 1");
    let option = ["check", &script, "--protocol", "script", "--option", "A=1", "startpos", "2"];
    refused(&perft(&option, ""), "--option");
    assert!(start.elapsed() < Duration::from_secs(300), "{:?}", start.elapsed());
}

/// It replies to `isready` at once, prints other numbers before the divide, repeats the total after
/// it, and pauses between moves.
#[test]
fn an_engine_that_counts_on_another_thread_is_understood() {
    let engine = faulty("--act beside");
    let output = perft(&["check", &engine, "kiwipete", "2"], "");
    assert_eq!(stdout(&output), "Equal to depth 2: 2039 nodes\n", "{}", stderr(&output));
    let mate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1 ;D2 0\n4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 ;D2 65\n";
    let output = perft(&["check", &engine, "--suite", "-"], mate);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

/// A missing move is not taken for one that is still to come.
#[test]
fn an_engine_that_is_wrong_at_depth_1_is_not_waited_for() {
    for style in ["stockfish", "no-total"] {
        let engine = faulty(&format!("--without double-push --style {style}"));
        let arguments = ["check", &engine, "--timeout", "100", "startpos", "1"];
        let start = Instant::now();
        let output = perft(&arguments, "");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        // Without totals each query takes so long that too few are made to confirm it.
        let doubt = if style == "no-total" { "perhaps " } else { "" };
        let rule = format!("Rule: {doubt}double-push.");
        assert!(stdout(&output).contains(&rule), "{}", stdout(&output));
        assert!(start.elapsed() < Duration::from_secs(90), "{:?}", start.elapsed());
    }
}

/// Processes that an engine starts are killed with it.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_running() {
    let engine = faulty("--act breed");
    let output = perft(&["check", &engine, "--timeout", "1", "startpos", "2"], "");
    let message = stderr(&output);
    let number = message.split("bred ").nth(1).and_then(|rest| rest.split('"').next());
    let number: u32 =
        number.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{message}"));
    // Dead, or a zombie that its new parent has not waited for yet. On a busy machine that takes time.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let status = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        if status.is_empty() || status.contains(") Z") || status.contains(") X") {
            break;
        }
        assert!(Instant::now() < deadline, "{status}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn every_output_style_is_understood() {
    for style in ["stockfish", "plain", "no-total", "numbered", "words", "king-takes-rook"] {
        let engine = faulty(&format!("--style {style}"));
        for (position, nodes) in [("kiwipete", 2_039), ("promotions", 496)] {
            let output = perft(&["check", &engine, position, "2"], "");
            let expected = format!("Equal to depth 2: {nodes} nodes\n");
            assert_eq!(stdout(&output), expected, "{style}: {}", stderr(&output));
        }
    }
    let script = faulty("--script");
    let arguments = ["check", &script, "--protocol", "script", "kiwipete", "3"];
    assert_eq!(stdout(&perft(&arguments, "")), "Equal to depth 3: 97862 nodes\n");
    let script = faulty("--without pinned-pawn --script");
    let arguments = ["check", &script, "--protocol", "script", "position3", "3"];
    let output = perft(&arguments, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("Rule: pinned-pawn."), "{}", stdout(&output));
}

#[cfg(unix)]
#[test]
fn compared_positions_are_reported_even_if_the_engine_ends() {
    let dir = TestDir::new("ending");
    let script = "echo >> calls; [ $(wc -l < calls) -le 3 ] || exit 3";
    dir.write("engine.sh", format!("{script}\nexec '{PERFT}' divide \"$2\" \"$1\" --quiet\n"));
    let arguments = ["check", "sh engine.sh", "--protocol", "script", "--suite"];
    let options = ["standard", "--max-nodes", "1000", "--quiet"];
    let output = dir.perft(&[&arguments[..], &options].concat());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let row = stdout(&output).lines().last().expect("a row").to_owned();
    let columns: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((columns[0], columns[1]), ("standard.epd", "3"));
    assert!(row.ends_with(" unfinished; ended by an error"), "{row}");
    assert!(stderr(&output).contains("sh engine.sh"), "{output:?}");
}

#[test]
fn a_divide_is_compared_without_an_engine() {
    let divide = stdout(&perft(&["divide", "kiwipete", "3"], ""));
    let compare = ["check", "-", "kiwipete", "3"];
    assert_eq!(stdout(&perft(&compare, &divide)), "Equal at depth 3: 97862 nodes\n");

    let wrong = divide.replace("a1b1: 1969", "a1b1: 1970").replace("97862", "97863");
    let output = perft(&compare, &wrong);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(text.contains("a1b1: 1969 here, 1970 there\n"), "{text}");
    assert!(text.contains("that position: perft check - --moves a1b1 kiwipete 2\n"), "{text}");
    assert!(!text.contains("Rule:"), "{text}");

    let missing: String = divide
        .lines()
        .filter(|line| !line.starts_with("e1g1"))
        .map(|line| format!("{line}\n"))
        .collect();
    let output = perft(&["check", "--json", "-", "kiwipete", "3"], &missing);
    assert_eq!(moves(&mismatch(&output)["at"]["missing"]), "e1g1");
    let text = stdout(&perft(&compare, &missing));
    let totals = "Different at depth 3: 97862 here; there the moves add up to 95803 and the total says 97862\n";
    assert!(text.starts_with(totals), "{text}");

    let marked = format!("\u{feff}{}", divide.replace('\n', "\r\n"));
    assert_eq!(perft(&compare, &marked).status.code(), Some(0));
    refused(&perft(&compare, ""), "no lines such as");
    refused(&perft(&compare, "Nodes searched: 97862"), "a total, but no lines such as");
    for (depth, other) in [("2", "2"), ("4", "4"), ("1", "1")] {
        let divide = stdout(&perft(&["divide", "kiwipete", other], ""));
        refused(&perft(&compare, &divide), &format!("a divide of depth {depth}, not 3"));
    }
    refused(&perft(&["check", "-", "position4", "3"], &divide), "another position");
    refused(&perft(&["check", "-", "-", "3"], &divide), "is the divide");
}

/// A number that overflowed in the engine is not ignored.
#[test]
fn a_number_that_is_not_a_count_is_reported() {
    let divide = stdout(&perft(&["divide", "startpos", "2"], ""));
    let compare = ["check", "-", "startpos", "2"];
    for (right, wrong) in [
        ("searched: 400", "searched: -400"),
        ("searched: 400", "searched: 4e2"),
        ("Nodes searched: 400", "-400"),
        ("e2e4: 20", "e2e4: -20"),
        ("e2e4: 20", "e2e4: 340282366920938463463374607431768211456"),
    ] {
        let wrong = divide.replace(right, wrong);
        assert_ne!(wrong, divide);
        refused(&perft(&compare, &wrong), "is not a count");
    }
    for extra in ["e2e5: -3", "0000: 1", "e7e8q2: 1"] {
        let output = perft(&compare, divide.replace("a2a3:", &format!("{extra}\na2a3:")));
        assert_ne!(output.status.code(), Some(0), "{extra}");
    }
    let colored = divide.replace("e2e4: 20", "\u{1b}[32me2e4\u{1b}[0m: \u{1b}[1m20\u{1b}[m");
    assert_eq!(perft(&compare, &colored).status.code(), Some(0));

    // With an engine it is reported at once.
    let dir = TestDir::new("overflow");
    let start = Instant::now();
    for edit in ["s/searched: /searched: -/", "s/^\\(e2e4: \\)/\\1-/"] {
        dir.write("engine.sh", format!("'{PERFT}' uci | sed -u '{edit}'\n"));
        let output = dir.perft(&["check", "sh engine.sh", "startpos", "2"]);
        refused(&output, "is not a count");
        dir.write("script.sh", format!("'{PERFT}' divide \"$2\" \"$1\" -q | sed '{edit}'\n"));
        let script = ["check", "sh script.sh", "--protocol", "script"];
        refused(&dir.perft(&[&script[..], &["startpos", "2"]].concat()), "is not a count");
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// A wrong depth in a suite could take forever: the line is reported and the others are compared.
#[test]
fn a_suite_line_that_cannot_be_right_is_named() {
    let engine = format!("'{PERFT}' uci");
    let suite = ["check", &engine, "--suite", "-"];
    let line = format!("{} ;D60 5", Board::STARTPOS_FEN);
    let bad_line = "-:1: depth 60 has more than 200000000 leaves, not 5";
    refused(&perft(&suite, &line), bad_line);
    let faulty = faulty("--without castle-king-side");
    let suite = ["check", &faulty, "--suite", "-"];
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - ;D1 48";
    let output = perft(&suite, format!("{line}\n{kiwipete}"));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stdout(&output).contains("Rule: castle-king-side."), "{output:?}");
    assert!(stderr(&output).contains(bad_line), "{output:?}");
}

fn uci(input: &str) -> String {
    let output = perft(&["uci"], input);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn uci_commands_are_handled() {
    let handshake = uci("uci\nquit\n");
    assert!(handshake.starts_with("id name perft "), "{handshake}");
    for option in ["Hash", "Threads", "UCI_Chess960"] {
        assert!(handshake.contains(&format!("option name {option} type ")), "{handshake}");
    }
    assert!(handshake.ends_with("uciok\n"));
    assert_eq!(uci("nonsense\n\nxyzzy isready\n"), "readyok\n");
    assert_eq!(uci("go perft 0\n"), "\nNodes searched: 1\n\n");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let board = fen.parse().expect("a position");
    let nodes = Game::new(&board, None).perft(4);
    // `quit` and the end of input let the count finish, as with Stockfish.
    for end in ["", "quit\n"] {
        let text = uci(&format!("position startpos moves e2e4 e7e5\ngo perft 4\n{end}"));
        assert!(text.starts_with("a2a3: ") && text.contains("\ne1e2: "), "{text}");
        assert!(text.ends_with(&format!("\n\nNodes searched: {nodes}\n\n")), "{text}");
    }
    let options = "setoption name Hash value 1\nsetoption name Threads value 2\n";
    let text = uci(&format!("{options}position fen {} \ngo perft 5\n", Board::STARTPOS_FEN));
    assert!(text.ends_with("\nNodes searched: 4865609\n\n"), "{text}");
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1";
    let text = uci(&format!(
        "setoption name UCI_Chess960 value true\nposition fen {fen}\ngo perft 1\nd\n"
    ));
    assert!(text.contains("e1h1: 1\n") && text.contains(&format!("Fen: {fen}\n")), "{text}");
    assert!(text.contains("\nCheckers: \n"), "{text}");
}

#[test]
fn uci_counts_nothing_after_a_bad_position() {
    let long = format!("position startpos moves{}", " g1f3 g8f6 f3g1 f6g8".repeat(60_000));
    for bad in [
        long.as_str(),
        "position fen 8/8 w - -",
        "position startpos moves e2e5",
        "position fem 8/8/8/8/8/8/8/K1k5 w - - 0 1",
        "position kiwipete",
        "position startpos e2e4",
    ] {
        let text = uci(&format!("position startpos\n{bad}\ngo perft 2\n"));
        assert!(text.starts_with("info string ") && !text.contains("Nodes"), "{text}");
    }
    for bad in ["Hash value -1", "Threads value 0", "Threads value x", "UCI_Chess960 value maybe"] {
        let text = uci(&format!("setoption name {bad}\nisready\n"));
        assert!(text.starts_with("info string ") && text.ends_with("readyok\n"), "{text}");
    }
    assert!(uci("go perft x\n").starts_with("info string go perft wants a depth"));
    assert!(uci("go movetime 100\n").ends_with("bestmove 0000\n"));
    // A line that is too long is ignored as a whole.
    let text = uci(&format!("{} quit\nisready\n", "x".repeat((1 << 20) - 3)));
    assert!(text.starts_with("info string a line of more than"), "{text}");
    assert!(text.ends_with("\nreadyok\n") && text.lines().count() == 2, "{text}");
}

/// A session that is running, and its input.
fn uci_session() -> (Child, ChildStdin) {
    let mut session = command(&["uci"]);
    let session = session.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = session.expect("the binary runs");
    let input = child.stdin.take().expect("a pipe");
    (child, input)
}

#[test]
fn uci_remembers_the_castling_mode_of_a_position() {
    let text = uci("setoption name UCI_Chess960 value true\n\
                    position fen 4k3/8/8/8/8/8/8/5K1R w H - 0 1\n\
                    setoption name UCI_Chess960 value false\nd\ngo perft 1\n");
    assert!(text.contains("Fen: 4k3/8/8/8/8/8/8/5K1R w H - 0 1\n"), "{text}");
    assert_eq!(text.matches("f1g1: 1\n").count(), 1, "{text}");
    assert!(text.contains("f1h1: 1\n"), "{text}");
}

#[test]
fn uci_stops_a_long_count() {
    let (child, mut input) = uci_session();
    let start = Instant::now();
    input.write_all(b"position startpos\ngo perft 14\n").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    input.write_all(b"setoption name Hash value 1\nisready\nstop\nquit\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = stdout(&output);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(text.contains("readyok\n") && text.contains("info string stopped: 0 of 20"), "{text}");
    assert!(!text.contains("Nodes searched"), "{text}");
}

#[test]
fn perft_is_equal_to_itself() {
    let engine = format!("'{PERFT}' uci");
    for arguments in
        [&["kiwipete", "4"][..], &["--chess960", "--hunt", "--seed", "1", "--seconds", "1"]]
    {
        let output = perft(&[&["check", &engine][..], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    }
}

//! Suites in every format, their bad lines, and positions that no game reaches.

use super::driver::{TestDir, refused, run, run_with_input, stderr, stdout};

const FEN: &str = "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1";
/// A check that no move gives.
const IMPOSSIBLE: &str = "1rrrrrk1/1PPPPPPP/8/8/8/8/8/6K1 b - - 0 1";

#[test]
fn a_run_goes_on_over_bad_lines_and_lists_them() {
    let bad = format!("{FEN} ;D1 18\n8/8/8/8/8/8/8/8 w - - ;D1 0\n{FEN} ;D2 92\nnonsense\n");
    let output = run_with_input(&["suite", "-"], &bad);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stdout(&output).contains("2       2        0"), "{output:?}");
    let errors = stderr(&output);
    for part in [
        "-:2: bad FEN",
        "-:4: bad FEN \"nonsense\"",
        "2 lines cannot be used (--skip-bad skips them)",
    ] {
        assert!(errors.contains(part), "{errors}");
    }

    let output = run_with_input(&["suite", "-", "--skip-bad"], &bad);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(stderr(&output).contains("skipped -:2: "), "{output:?}");
    let output = run_with_input(&["suite", "-", "--skip-bad", "--quiet"], &bad);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));

    // Wrong counts are the graver result.
    let wrong = bad.replace("92", "93");
    for option in ["--skip-bad", "--quiet"] {
        let output = run_with_input(&["suite", "-", option], &wrong);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }

    let output = run_with_input(&["suite", "-", "--json"], &bad);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let lines = json["suites"][0]["bad_lines"].as_array().unwrap();
    assert_eq!((lines.len(), lines[1]["line"].as_u64()), (2, Some(4)));
    assert_eq!(json["right"], true);
}

#[test]
fn a_suite_without_a_good_line_is_refused() {
    refused(&run_with_input(&["suite", "-"], "nonsense"), "-:1: bad FEN \"nonsense\"");
    refused(&run_with_input(&["suite", "-"], "x\ny\nz"), "-:1: bad FEN \"x\"");
    refused(&run_with_input(&["suite", "-"], "x\ny\nz"), "(and 2 more)");
    refused(&run_with_input(&["suite", "-"], "# nothing"), "no positions");
    let line = format!("{IMPOSSIBLE} ;D1 3");
    refused(&run_with_input(&["suite", "-", "--strict"], line), "-:1: no game reaches");
}

#[test]
fn every_format_is_written_and_read_again() {
    let dir = TestDir::new("suite-formats");
    let plain = run(&["suite", "--write", "epd"]);
    assert_eq!(plain.status.code(), Some(0), "{plain:?}");
    assert!(stdout(&plain).lines().count() > 400);
    for format in ["epd", "json"] {
        let name = format!("all.{format}");
        dir.write(&name, stdout(&run(&["suite", "--write", format])));
        let file = dir.path(&name);
        let file = file.to_str().unwrap();
        let again = run(&["suite", "--write", "epd", file]);
        assert_eq!(stdout(&again), stdout(&plain), "{format}");
        let output = run(&["suite", file, "--max-nodes", "1000", "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let output = run_with_input(&["suite", "--write", "json", "-"], format!("{FEN},18\nx"));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(stdout(&output), format!("[\n{{\"fen\":\"{FEN}\",\"depth\":1,\"nodes\":18}}\n]\n"));
}

#[test]
fn suites_of_other_variants_are_named() {
    let dir = TestDir::new("suite-variants");
    dir.write("atomic.perft", format!("epd {FEN}\nperft 1 17\n"));
    let output = dir.perft(&["suite", "atomic.perft"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("by its name a suite of atomic chess"), "{output:?}");
    let three_check = "epd rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3\nperft 1 20";
    let output = run_with_input(&["suite", "-"], three_check);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("a position of three-check"), "{output:?}");
}

#[test]
fn positions_that_no_game_reaches_are_counted_with_a_warning() {
    let warning = "perft: warning: no game reaches the position: f7 and h7 both give check";
    let output = run(&[IMPOSSIBLE, "3"]);
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(0), "Nodes searched: 1919\n"));
    assert!(stderr(&output).starts_with(warning), "{output:?}");
    let output = run(&[IMPOSSIBLE, "3", "--quiet"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    for command in [&[][..], &["divide"], &["stats"]] {
        let arguments = [command, &[IMPOSSIBLE, "1", "--strict"]].concat();
        let output = run(&arguments);
        assert_eq!((output.status.code(), &*stdout(&output)), (Some(2), ""), "{output:?}");
        assert!(stderr(&output).contains("(it is counted without --strict)"), "{output:?}");
    }

    let line = format!("{IMPOSSIBLE} ;D3 1919\n{FEN} ;D1 18\n");
    let output = run_with_input(&["suite", "-"], &line);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let warning = "perft: warning: -:1: no game reaches the position: f7 and h7 both give check";
    assert!(stderr(&output).starts_with(warning), "{output:?}");
    let output = run_with_input(&["suite", "-", "--strict"], &line);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("perft: -:1: no game reaches the position"), "{output:?}");
}

#[test]
fn positions_in_which_play_is_not_defined_are_refused() {
    for (fen, reason) in [
        ("8/8/8/8/8/8/8/K7 w - -", "Black has 0 kings"),
        ("8/8/8/8/8/8/8/K1k1K3 w - -", "White has 2 kings"),
        ("4k2P/8/8/8/8/8/8/4K3 w - -", "a pawn on h8"),
        ("4k2R/8/8/8/8/8/8/4K3 w - -", "Black is in check from h8"),
        ("4k3/8/8/8/8/8/8/4K3 w K -", "castling right 'K'"),
    ] {
        let output = run(&[fen, "1"]);
        assert_eq!((output.status.code(), &*stdout(&output)), (Some(2), ""), "{output:?}");
        assert!(stderr(&output).contains(reason), "{output:?}");
    }
}

#[test]
fn numbered_start_positions_have_names() {
    for (name, fen) in [
        ("chess960:518", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"),
        ("chess960:0", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"),
        ("dfrc:518:0", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAhf - 0 1"),
    ] {
        let output = run(&["board", name]);
        assert!(stdout(&output).contains(&format!("FEN: {fen}\n")), "{output:?}");
        let output = run(&[name, "2"]);
        let plain = run(&["--chess960", fen, "2"]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(0), stdout(&plain)));
    }
    for name in ["chess960:960", "chess960:", "chess960:+1", "dfrc:1", "dfrc:1:960", "dfrc:1:2:3"] {
        let output = run(&[name, "2"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains("numbers from 0 to 959 (chess960:518)"), "{output:?}");
    }
    let list = stdout(&run(&["board", "--list"]));
    assert!(list.contains("\nchess960:N") && list.contains("\ndfrc:W:B"), "{list}");
}

#[test]
fn operations_after_a_fen_are_left_out() {
    for text in
        [format!("{FEN};"), format!("{FEN} bm Kc2; id \"x\";"), format!("{FEN} ;D1 18 ;D2 92")]
    {
        let output = run(&[&text, "2"]);
        assert_eq!(stdout(&output), "Nodes searched: 92\n", "{output:?}");
    }
}

//! Arguments, output, messages and exit codes of the commands.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::driver::{
    PERFT, TestDir, command, interrupt, parsed, plain, refused, refused_with, run, run_with_input,
    stderr, stdout, succeed,
};
use perft_core::attacks::rays::Slider;
use perft_core::{Board, Counter, Cpu, Square};
use perft_lab::System;
use perft_lab::finder::{KeyKind, Keys};
use perft_needs::needs;
use perft_oracles::Stockfish;
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert_eq!(stdout(&output).lines().count(), 1, "{output:?}");
    parsed(&output)
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// All commands; the first is the plain count.
pub const COMMANDS: &[&[&str]] = &[
    &[],
    &["divide"],
    &["stats"],
    &["unique"],
    &["estimate"],
    &["check"],
    &["explore"],
    &["uci"],
    &["suite"],
    &["board"],
    &["plan"],
    &["work"],
    &["total"],
    &["bench"],
    &["completions"],
    &["man"],
    &["sliders"],
    &["sliders", "list"],
    &["sliders", "show"],
    &["sliders", "find"],
    &["sliders", "verify"],
    &["sliders", "bench"],
    &["sliders", "bitscan"],
];

#[test]
fn counts_are_printed_as_stockfish_does() {
    let output = run(&["startpos", "5"]);
    assert_eq!(stdout(&output), "Nodes searched: 4865609\n");
    assert!(stderr(&output).starts_with("4,865,609 nodes in "));
    assert_eq!(succeed(&["startpos", "0"]), "Nodes searched: 1\n");
    for options in [
        &["--kernel", "full"][..],
        &["--kernel", "simple"],
        &["--kernel", "two-ply"],
        &["--cpu", "portable"],
        &["--cpu", "auto"],
    ] {
        let arguments = [&["startpos", "4"], options].concat();
        assert_eq!(succeed(&arguments), "Nodes searched: 197281\n", "{options:?}");
    }
}

#[test]
fn quiet_silences_standard_error() {
    let output = run(&["startpos", "3", "--quiet"]);
    assert_eq!(stdout(&output), "Nodes searched: 8902\n");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_fen_is_read_as_one_argument_and_as_several() {
    let expected = "Nodes searched: 97862\n";
    assert_eq!(succeed(&[KIWIPETE, "3"]), expected);
    let mut tokens: Vec<&str> = KIWIPETE.split(' ').collect();
    tokens.push("3");
    assert_eq!(succeed(&tokens), expected);
    tokens.drain(4..6);
    assert_eq!(succeed(&tokens), expected);
    tokens.push("--quiet");
    assert_eq!(succeed(&tokens), expected);
    assert_eq!(succeed(&["kiwipete", "3"]), expected);
}

#[test]
fn a_position_comes_from_standard_input() {
    for input in [KIWIPETE, "kiwipete\n", &format!("\n{KIWIPETE}\r\n\n")] {
        let output = run_with_input(&["-", "2"], input.as_bytes());
        assert_eq!(stdout(&output), "Nodes searched: 2039\n", "{}", stderr(&output));
    }
    refused(&run_with_input(&["-", "2"], b""), "standard input is empty");
    refused(&run_with_input(&["-", "2"], b"startpos\nkiwipete\n"), "several lines");
    refused(&run_with_input(&["-", "2"], b"\xff\xfe"), "UTF-8");
    refused(&run_with_input(&["-", "2"], vec![b'x'; 3 << 20]), "longer than");
}

#[test]
fn divide_lists_root_moves_sorted() {
    let text = succeed(&["divide", "startpos", "2"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 22);
    assert_eq!(lines[0], "a2a3: 20");
    assert!(lines[..20].is_sorted());
    assert_eq!(lines[20..], ["", "Nodes searched: 400"]);
}

#[needs(stockfish)]
#[test]
fn divide_prints_the_same_as_stockfish() {
    let text = succeed(&["divide", "kiwipete", "4"]);
    assert!(text.ends_with("\n\nNodes searched: 4085603\n"));
    let mut stockfish = Stockfish::start();
    let (branches, total) = stockfish.divide(&KIWIPETE.parse().unwrap(), 4);
    let mut expected: String =
        branches.iter().map(|(mv, nodes)| format!("{mv}: {nodes}\n")).collect();
    expected.push_str(&format!("\nNodes searched: {total}\n"));
    assert_eq!(text, expected);
}

#[test]
fn moves_are_played_first() {
    let text = succeed(&["divide", "startpos", "1", "--moves", "e2e4 e7e5"]);
    assert!(text.contains("e1e2: 1\n") && text.ends_with("Nodes searched: 29\n"));
    let castled = ["board", "kiwipete", "--moves", "e1g1 e8c8"];
    assert!(
        succeed(&castled)
            .contains("FEN: 2kr3r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 w - - 2 2\n")
    );
    refused(&run(&["startpos", "1", "--moves", "e2e4 e2e4"]), "number 2: \"e2e4\"");
}

#[test]
fn chess960_reads_shredder_fen_and_writes_castling_as_king_takes_rook() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1";
    let text = succeed(&["divide", "--chess960", fen, "1"]);
    assert!(text.contains("e1h1: 1\n") && text.contains("e1a1: 1\n") && !text.contains("e1g1"));
    let text = succeed(&["divide", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "1"]);
    assert!(text.contains("e1g1: 1\n") && text.contains("e1c1: 1\n") && !text.contains("e1h1"));
    refused(&run(&[fen, "1"]), "--chess960");
    assert!(succeed(&["board", "--chess960", fen]).contains(&format!("FEN: {fen}\n")));
}

#[test]
fn json_has_every_key() {
    let report = json(&["--json", "startpos", "4"]);
    assert_eq!(report["fen"], Board::STARTPOS_FEN);
    assert_eq!(report["depth"].to_string(), "4");
    assert_eq!(report["nodes"].to_string(), "197281");
    for field in ["seconds", "nps", "threads", "hash_bytes", "kernel", "sliders", "cpu"] {
        assert!(!report[field].is_null(), "{field}");
    }
    assert!(report.get("moves").is_none());

    let report = json(&["divide", "kiwipete", "2", "--json"]);
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 48);
    let sum: u64 = moves.iter().map(|mv| mv["nodes"].to_string().parse::<u64>().unwrap()).sum();
    assert_eq!((sum, report["nodes"].to_string().as_str()), (2039, "2039"));
    assert_eq!(moves[0]["move"], "a1b1");
}

#[test]
fn board_draws_the_position_and_its_moves() {
    let text = succeed(&["board", "4k3/P7/8/8/8/8/8/4K2r w - - 0 1"]);
    assert!(text.starts_with("8  . . . . k . . .\n7  P . . . . . . .\n"), "{text}");
    assert!(text.contains("\n   a b c d e f g h\n"));
    assert!(text.contains("In check: yes, from h1\nLegal moves: 3\n"), "{text}");
    assert!(text.contains("e1d2  Kd2"));
    let text = succeed(&["board", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]);
    assert!(text.contains("In check: no, stalemate\nLegal moves: 0\n"), "{text}");

    let object = json(&["board", "startpos", "--json"]);
    assert_eq!(object["key"].as_str().unwrap().len(), 32);
    assert_eq!(object["moves"].as_array().unwrap().len(), 20);
    assert_eq!(object["in_check"], false);
}

#[test]
fn every_listed_position_can_be_counted() {
    let list = json(&["board", "--list", "--json"]);
    for named in list.as_array().unwrap() {
        let name = named["name"].as_str().unwrap();
        assert!(succeed(&["board", "--list"]).contains(name));
        assert!(succeed(&[name, "1"]).starts_with("Nodes searched: "));
    }
}

#[test]
fn broken_fens_get_one_line_each() {
    let broken = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNRR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 2",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KKkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq zz 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 x",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1",
        "rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/9/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQXBNR w KQkq - 0 1",
        "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKKBNR w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNP w Qkq - 0 1",
        "rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPQPPP/RNB1KBNR w KQkq - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/3K3R w K - 0 1",
        "/ w - - 0 1",
    ];
    for fen in broken {
        refused(&run(&[fen, "3"]), "perft: bad FEN");
    }
    let impossible = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e5 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
        "rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQ1 w Qkq - 0 1",
        "rnbqkbnr/ppppNppp/8/8/8/8/PPPPPPPP/RNBQKB1R b KQkq e3 0 1",
        "k3r3/8/8/8/1b6/3n4/8/4K3 w - - 0 1",
    ];
    for fen in impossible {
        succeed(&[fen, "3"]);
        refused(&run(&[fen, "3", "--strict"]), "perft: no game reaches the position: ");
    }
}

#[test]
fn wrong_usage_gets_one_line() {
    for (arguments, culprit) in [
        (&["startpos"][..], "\"startpos\""),
        (&["startpos", "x"], "depth \"x\""),
        (&["startpos", "256"], "depth \"256\""),
        (&["startpos", "+3"], "depth \"+3\""),
        (&["startpos", "3.0"], "depth \"3.0\""),
        (&["startpos", "-3"], "depth \"-3\""),
        (&["startpos", "3", "--moves", "e2e4", "e7e5"], "quotes around all"),
        (&["startpos", "3", "--moves", "e2e4,e7e5"], "with spaces between"),
        (&["nowhere", "3"], "\"nowhere\""),
        (&["startpos", "3", "--nonsense"], "--nonsense"),
        (&["startpos", "3", "--moves"], "--moves"),
        (&["divide"], "POSITION"),
        (&["divide", "startpos"], "\"startpos\""),
        (&["board"], "POSITION"),
        (&["board", "nowhere"], "\"nowhere\""),
        (&["suite", "no/such/file.epd"], "no/such/file.epd"),
        (&["suite", "src"], "src"),
        (&["suite", "--max-nodes", "many"], "many"),
        (&["suite", "--threads", "0"], "--threads"),
    ] {
        refused(&run(arguments), culprit);
    }
    refused(&run(&["start\npos\u{1b}[31m", "3"]), "neither a FEN nor a named position");
    refused(&run(&[&"x/".repeat(50_000), "3"]), "bad FEN");
}

#[test]
fn perft_alone_prints_a_short_usage() {
    let output = run::<&str>(&[]);
    refused_with(&output, 2, "no POSITION and DEPTH given\nUsage: perft ");
    let message = stderr(&output);
    assert_eq!(message.matches("\n  perft ").count(), 3, "{message}");
    assert!(message.contains("perft --help") && message.lines().count() < 15, "{message}");
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_text_gets_one_line() {
    use std::os::unix::ffi::OsStrExt;
    let mut command = command(&["divide"]);
    command.arg(std::ffi::OsStr::from_bytes(b"8/\xff")).arg("3");
    refused(&command.output().unwrap(), "UTF-8");
}

#[test]
fn help_and_version_go_to_standard_output() {
    for arguments in
        [&["--help"][..], &["divide", "--help"], &["suite", "--help"], &["board", "--help"]]
    {
        assert!(succeed(arguments).contains("Usage: perft"), "{arguments:?}");
    }
    assert_eq!(succeed(&["--version"]), format!("perft {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn moves_are_read_in_uci_and_in_san() {
    for moves in [
        "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1",
        "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O",
        "1. e4 e5 2.Ngf3 Nb8-c6 3. Bb5! 3... Nf6?! 4.0-0",
    ] {
        let board = json(&["board", "startpos", "--json", "--moves", moves]);
        let fen = "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4";
        assert_eq!(board["fen"], fen, "{moves}");
    }
    for promotes in ["a8=Q", "a8Q", "a7a8Q"] {
        let count = ["8/P6k/8/8/8/8/7K/8 w - - 0 1", "1", "--moves", promotes, "--quiet"];
        assert_eq!(succeed(&count), "Nodes searched: 3\n", "{promotes}");
    }
}

#[test]
fn positions_of_uci_sessions_are_read() {
    let board = |text: &str| {
        let tokens: Vec<&str> = text.split(' ').collect();
        json(&[&["board", "--json"], &tokens[..]].concat())["fen"].clone()
    };
    let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    for text in [
        "startpos moves e2e4 e7e5",
        "position startpos moves e2e4 e7e5",
        &format!("position fen {} moves e2e4 e7e5", Board::STARTPOS_FEN),
        &format!("fen {after}"),
        &format!("{after} moves"),
    ] {
        assert_eq!(board(text), after, "{text}");
    }
    assert_eq!(succeed(&["startpos", "moves", "e2e4", "1", "--quiet"]), "Nodes searched: 20\n");
    let twice = ["board", "startpos", "moves", "e2e4", "--moves", "e7e5"];
    refused(&run(&twice), "give one of them");
    refused(&run(&["startpos", "moves", "e2e5", "1"]), "perft: moves, number 1: ");
    refused(&run(&["position startpos moves e2e4 e7e5"]), "no depth after");
    let fen: Vec<&str> = ["fen"].into_iter().chain(after.split(' ')).collect();
    refused(&run(&fen), "no depth after");
    refused(&run(&["startpos moves e2e4", "3", "--foo"]), "--foo");
    let pawn = "4k3/8/8/8/4p3/3P4/8/4K3 w - -";
    refused(&run(&[pawn, "1", "--moves", "e4"]), "e4");
}

/// An en-passant square without a legal capture may be where another engine goes wrong.
#[test]
fn failures_show_the_position_as_the_suite_has_it() {
    let fen = "8/8/8/K2pP2q/8/8/8/7k w - d6 0 1";
    let output = run_with_input(&["suite", "-"], format!("{fen} ;D1 7\n"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains(&format!("next: perft divide '{fen}' 1")), "{output:?}");
}

#[test]
fn a_suite_of_skipped_counts_is_not_ok() {
    let line = format!("{} ;D9 2439530234167\n", Board::STARTPOS_FEN);
    let output = run_with_input(&["suite", "-"], &line);
    assert!(stdout(&output).ends_with("  skipped\n"), "{output:?}");
    assert!(stderr(&output).contains("--max-nodes 20,000,000"), "{output:?}");
    let output = run_with_input(&["suite", "-", "--json"], &line);
    assert_eq!(parsed(&output)["right"], Value::Null);
}

#[test]
fn suite_runs_all_embedded_suites() {
    let text = succeed(&["suite", "--max-nodes", "100000"]);
    for name in ["standard.epd", "chess960.epd", "tricky.epd"] {
        let row = text.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(row.ends_with("  ok"), "{row}");
    }
    let text = succeed(&["suite", "--max-nodes", "1000", "tricky", "--verbose"]);
    assert!(text.contains("tricky.epd:") && text.contains("ok to depth"), "{text}");
    assert!(!text.contains("standard.epd"));
}

#[test]
fn suite_reads_blocks_from_standard_input() {
    let input =
        "# comment\r\nid x\r\nepd 8/8/8/8/k1p4R/8/3P4/3K4 w - -\r\nperft 1 18\r\nperft 2 92\r\n";
    let output = run_with_input(&["suite", "-"], input.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).lines().last().unwrap().ends_with("ok"));
}

/// Large counts of a suite are made by layers, in the memory of a thread.
#[test]
fn a_large_count_of_a_suite_is_right_in_any_memory() {
    let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D6 119060324\n";
    for hash in ["0", "64K", "300K", "16M"] {
        let suite = ["suite", "-", "--max-nodes", "200000000", "--json", "--hash", hash];
        let report = parsed(&run_with_input(&suite, line));
        assert_eq!((&report["right"], &report["nodes"]), (&true.into(), &119_060_324.into()));
    }
    let wrong = line.replace("119060324", "119060325");
    let output = run_with_input(&["suite", "-", "--max-nodes", "200000000"], wrong);
    assert!(stdout(&output).contains("expected 119060325, got 119060324\n"), "{output:?}");
    refused(&run_with_input(&["suite", "-", "--kernel", "full", "--hash", "1M"], line), "--hash");
}

/// A wrong depth in a suite could take forever: a count far above the limit is given up.
#[test]
fn a_count_far_above_the_limit_is_given_up() {
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let input = &format!("{START} ;D2 400 ;D12 8902\n");
    for table in ["0", "16M"] {
        let output = run_with_input(&["suite", "-", "--hash", table], input);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = stdout(&output);
        assert!(text.contains("depth 12: expected 8902, got more than 200000000\n"), "{text}");
    }
    let report = parsed(&run_with_input(&["suite", "-", "--json"], input));
    let failure = &report["suites"][0]["failures"][0];
    assert_eq!(failure["got_more_than"], 200_000_000, "{report}");
    assert!(failure["got"].is_null(), "{report}");
    // A small count is finished.
    let output = run_with_input(&["suite", "-", "--max-nodes", "20"], format!("{START} ;D6 20"));
    assert!(stdout(&output).contains("expected 20, got 119060324\n"), "{output:?}");
}

#[test]
fn a_mismatch_names_the_next_command() {
    let input = b"8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 93\n";
    let output = run_with_input(&["suite", "-"], input);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("-:1: depth 2: expected 93, got 92\n"), "{text}");
    assert!(text.contains("next: perft divide '8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1' 2\n"), "{text}");
    assert!(text.lines().last().unwrap().ends_with("1 WRONG"));

    let input = b"4k3/8/8/8/8/8/8/6KR w H - 0 1 ;D1 99\n";
    let output = run_with_input(&["suite", "-", "--json"], input);
    assert_eq!(output.status.code(), Some(1));
    let object: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(object["right"], false);
    let failure = &object["suites"][0]["failures"][0];
    assert_eq!(
        (failure["line"].to_string(), failure["expected"].to_string()),
        ("1".into(), "99".into())
    );
    // The command works.
    let next = failure["next"].as_str().unwrap();
    assert_eq!(next, "perft divide --chess960 '4k3/8/8/8/8/8/8/6KR w H - 0 1' 1");
    succeed(&["divide", "--chess960", "4k3/8/8/8/8/8/8/6KR w H - 0 1", "1"]);
}

#[test]
fn a_malformed_suite_names_file_and_line() {
    refused(&run_with_input(&["suite", "-"], b"# x\n\n8/8 w - - ;D1 20\n"), "-:3: ");
    refused(&run_with_input(&["suite", "-"], b"8/8/8/8/k1p4R/8/3P4/3K4 w - - ;D1 x\n"), "-:1: ");
    refused(&run_with_input(&["suite", "-"], b"\n\xff\n"), "-:2: not UTF-8");
    refused(&run_with_input(&["suite", "-"], b"# nothing here\n"), "no positions");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = command(&["suite", "--verbose", "--max-nodes", "100"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&["startpos", "2"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write to standard output"));
}

#[test]
fn sliders_are_listed_shown_and_verified() {
    let list = succeed(&["sliders", "list"]);
    let names = [
        "rays",
        "plain",
        "fancy",
        "shared",
        "packed",
        "black",
        "fold32",
        "lines",
        "pext",
        "hyperbola",
    ];
    for name in names {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
    }
    let verified = succeed(&["sliders", "verify", "--random", "1000"]);
    assert_eq!(verified.lines().filter(|line| line.contains(" ok, 217,296 look-ups")).count(), 10);
    let shown = succeed(&["sliders", "show", "d4", "kiwipete", "--piece", "rook"]);
    assert!(shown.contains("3. The top 10 bits are the index"), "{shown}");
    assert!(shown.contains("captures"));
}

#[test]
fn every_slider_system_counts_the_same() {
    for system in System::ALL {
        let arguments = ["divide", "kiwipete", "3", "--sliders", system.name()];
        assert!(succeed(&arguments).ends_with("Nodes searched: 97862\n"), "{}", system.name());
        let report = json(&["kiwipete", "2", "--json", "--sliders", system.name()]);
        assert_eq!(report["sliders"], system.name());
    }
    refused(&run(&["startpos", "2", "--sliders", "magic"]), "rays, plain, fancy");
}

#[test]
fn magics_are_found_by_every_method() {
    let find = ["sliders", "find", "--piece", "rook", "--square", "a1", "--bits", "12"];
    let random = succeed(&[&find[..], &["--method", "random", "--seed", "1"]].concat());
    assert!(random.starts_with("rook   a1  0x"), "{random}");
    let found = json(&[&find[..], &["--method", "bits", "--json"]].concat());
    let magic = found["magics"][0]["magic"].as_str().unwrap().trim_start_matches("0x");
    let magic = u64::from_str_radix(magic, 16).unwrap();
    assert!(Keys::new(Slider::Rook, Square::A1, KeyKind::White).accept(magic, 12));

    let rust = succeed(&["sliders", "find", "--method", "search", "--format", "rust"]);
    assert_eq!(rust.matches("0x").count(), 128);
    let packed = succeed(&[
        "sliders", "find", "--method", "squeeze", "--key", "black", "--pack", "--tries", "20000",
    ]);
    assert!(packed.lines().last().unwrap().starts_with("packed length: "), "{packed}");
    let text = succeed(&["sliders", "bitscan", "--width", "8"]);
    assert!(text.ends_with("magic: 0x3a after 18 guesses\n"), "{text}");
}

#[test]
fn a_search_for_a_short_array_goes_on_from_its_file() {
    let dir = TestDir::new("magics");
    let start = include_str!("../../docs/magics.state");
    let find = |state: &str, rounds: &str| {
        let fixed = ["sliders", "find", "--method", "squeeze", "--key", "black", "--pack"];
        let given = ["--tries", "0", "--rounds", rounds, "--state", state, "--format", "rust"];
        dir.command(&[&fixed[..], &given].concat()).output().unwrap()
    };
    dir.write("straight", start);
    let straight = find("straight", "6");
    assert!(stdout(&straight).starts_with("pub(super) const LEN: usize = "), "{straight:?}");
    dir.write("stopped", start);
    let stopped = find("stopped", "2");
    assert_eq!(stopped.status.code(), Some(0));
    assert_eq!(stdout(&find("stopped", "6")), stdout(&straight));
    assert_eq!(dir.read("stopped"), dir.read("straight"));

    dir.write("other", "a letter\n");
    refused(&find("other", "2"), "\"other\" exists and is not a state");
    dir.write("bad", start.replacen("rook a1 0x", "rook a1 1x", 1));
    refused(&find("bad", "2"), "line 6");
    dir.write("seed", start.replacen("seed 1", "seed 2", 1));
    refused(&find("seed", "2"), "--seed");
    refused(&run(&["sliders", "find", "--state", "other"]), "--pack");
}

#[test]
fn wrong_slider_arguments_get_one_line() {
    for (arguments, culprit) in [
        (&["find", "--square", "j9"][..], "'j9'"),
        (&["find", "--bits", "70"], "'70'"),
        (&["find", "--method", "search", "--key", "black"], "--method search"),
        (&["find", "--pack"], "--pack"),
        (&["find", "--method", "guess"], "guess"),
        (&["show", "d9"], "d9"),
        (&["show", "d4", "8/8"], "bad FEN"),
        (&["bench", "--rounds", "0"], "--rounds"),
        (&["bitscan", "--width", "7"], "'7'"),
    ] {
        refused(&run(&[&["sliders"], arguments].concat()), culprit);
    }
    // Out of time: the squares without a magic are named.
    let endless = u64::MAX.to_string();
    for impossible in [
        &["--piece", "rook", "--square", "d4", "--bits", "6", "--seconds", "1"][..],
        &["--method", "squeeze", "--seconds", "0.3", "--seeds", &endless],
        &["--method", "squeeze", "--seconds", "0.3", "--tries", &endless],
    ] {
        let start = Instant::now();
        let output = run(&[&["sliders", "find"], impossible].concat());
        assert!(start.elapsed() < Duration::from_secs(10), "{impossible:?}");
        assert_eq!(output.status.code(), Some(1), "{impossible:?}");
        assert!(stdout(&output).contains("none yet"), "{output:?}");
        assert!(stderr(&output).contains("no magic yet"), "{output:?}");
    }
}

#[test]
fn slider_systems_are_measured() {
    let bench = ["sliders", "bench", "--rounds", "1", "--look-ups", "1000", "--quiet"];
    let report = json(&[&bench[..], &["--json"]].concat());
    let systems = report["systems"].as_array().unwrap();
    assert_eq!(systems.len(), System::ALL.len());
    for (measured, system) in systems.iter().zip(System::ALL) {
        assert_eq!(measured["name"], system.name());
        for rate in ["chained_per_second", "streamed_per_second", "replayed_per_second"] {
            assert!(measured[rate].as_u64().unwrap() > 0, "{rate} of {measured}");
        }
    }
    let text = succeed(&bench);
    assert_eq!(text.lines().count(), 1 + System::ALL.len(), "{text}");
    let columns = "chained M/s streamed M/s replayed M/s spread";
    let header: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert!(header.join(" ").ends_with(columns), "{text}");
}

#[test]
fn the_backend_is_chosen_and_reported() {
    let report = json(&["kiwipete", "3", "--json", "--cpu", "portable"]);
    assert_eq!((&report["cpu"], &report["sliders"]), (&"portable".into(), &"fancy".into()));
    assert_eq!(report["kernel"], "two-ply");
    let report = json(&["kiwipete", "3", "--json"]);
    assert_eq!(report["cpu"], Cpu::detect().name());
    assert_eq!(report["sliders"], Counter::new().get_backend().available().sliders.name());

    let output = run(&["kiwipete", "3", "--verbose", "--kernel", "simple", "--cpu", "portable"]);
    let backend = "simple kernel, fancy sliders, portable instructions";
    assert!(stderr(&output).contains(backend), "{output:?}");

    if Cpu::detect() == Cpu::Avx512 {
        assert_eq!(json(&["kiwipete", "3", "--json", "--cpu", "v3"])["cpu"], "v3");
    }
    refused(&run(&["startpos", "2", "--cpu", "v9"]), "auto, portable, v3, avx512");
    refused(&run(&["startpos", "2", "--kernel", "magic"]), "two-ply, simple, full");
}

#[test]
fn bench_measures_every_position() {
    let report = json(&["bench", "--rounds", "1", "--json"]);
    let positions = report["positions"].as_array().unwrap();
    assert_eq!(positions.len(), perft_core::bench::WORK.len());
    for (position, work) in positions.iter().zip(perft_core::bench::WORK) {
        assert_eq!(position["name"], work.name);
        assert_eq!(position["nodes"], work.nodes);
        for speed in [position, &position["table"], &position["layers"]] {
            assert!(speed["nps"].as_u64().unwrap() > 0);
        }
    }
    let text = succeed(&["bench", "--rounds", "1"]);
    assert_eq!(text.lines().count(), perft_core::bench::WORK.len() + 2);
    assert!(text.lines().last().unwrap().starts_with("total"), "{text}");
    refused(&run(&["bench", "--rounds", "0"]), "--rounds");
}

#[test]
fn hash_and_threads_do_not_change_counts() {
    let expected = succeed(&["divide", "kiwipete", "4"]);
    for options in [
        &["--hash", "0", "--threads", "1"][..],
        &["--hash", "64K", "--threads", "1"],
        &["--hash", "16M", "--threads", "2"],
        &["--hash", "4KB", "--threads", "7", "--verify"],
        &["--hash", "1MiB", "--kernel", "simple"],
        &["--merge", "layers"],
        &["--merge", "table"],
        &["--merge", "none", "--verify"],
    ] {
        let arguments = [&["divide", "kiwipete", "4"], options].concat();
        assert_eq!(succeed(&arguments), expected, "{options:?}");
    }
    let count = |merge| {
        let count = ["startpos", "6", "--json", "--hash", "2M", "--threads", "3", "--verify"];
        let report = json(&[&count[..], &["--merge", merge]].concat());
        assert_eq!((&report["nodes"], &report["verified"]), (&119_060_324.into(), &true.into()));
        assert_eq!(report["threads"], 3);
        report
    };
    let report = count("table");
    assert_eq!((&report["merge"], &report["hash_bytes"]), (&"table".into(), &(2 << 20).into()));
    assert!(report["hash_hits"].as_u64().unwrap() > 0);
    assert!(report["hash_fill"].as_f64().unwrap() > 0.0);
    for merge in ["layers", "auto"] {
        let report = count(merge);
        let bytes = report["hash_bytes"].as_u64().unwrap();
        assert_eq!((&report["merge"], &report["hash_hits"]), (&"layers".into(), &0.into()));
        assert!((1..2 << 20).contains(&bytes), "{report}");
    }
    assert_eq!(json(&["startpos", "6", "--json", "--hash", "0"])["merge"], "none");
    for merge in ["layers", "table"] {
        let refusal = format!("--merge {merge} needs memory, and --hash 0 allows none");
        refused(&run(&["startpos", "6", "--merge", merge, "--hash", "0"]), &refusal);
        let full = ["startpos", "6", "--merge", merge, "--kernel", "full"];
        refused(&run(&full), "leave out --merge");
    }
    let refusal = "not enough memory for the positions of the first plies";
    refused(&run(&["startpos", "9", "--merge", "layers", "--hash", "100KB"]), refusal);
    refused(&run(&["startpos", "6", "--merge", "heap"]), "--merge");

    let twice = run(&["startpos", "2", "--verify", "--hash", "1M"]);
    assert!(String::from_utf8(twice.stderr).unwrap().contains("the same a second time"));

    let text = run(&["suite", "standard.epd", "--max-nodes", "100000", "--hash", "1M"]);
    assert!(text.status.success(), "{text:?}");

    for (size, culprit) in [
        ("4X", "4X"),
        ("-1", "-1"),
        ("16", "with a unit"),
        ("9999T", "--hash takes a smaller size"),
    ] {
        refused(&run(&["startpos", "2", "--hash", size]), culprit);
    }
    refused(&run(&["startpos", "2", "--threads", "0"]), "--threads");
}

#[test]
fn progress_is_reported_as_json() {
    let arguments = ["startpos", "7", "--hash", "0", "--threads", "1", "--progress", "json"];
    let output = run(&[&arguments[..], &["--quiet", "--kernel", "simple"]].concat());
    assert_eq!(stdout(&output), "Nodes searched: 3195901860\n");
    let lines = stderr(&output);
    assert!(!lines.is_empty(), "no progress in seconds");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!((0.0..=1.001).contains(&line["share"].as_f64().unwrap()), "{line}");
        // There is no estimate before the first task is finished.
        let is_known = line["seconds_left"].is_number()
            || line["share"].as_f64().is_some_and(|share| share < 0.005);
        assert!(line["nodes"].is_number() && is_known, "{line}");
    }
}

#[test]
fn an_interrupted_count_prints_the_finished_root_moves() {
    let interrupted = |count: &[&str], message: &str| {
        let child = command(&[count, &["--quiet", "--threads", "2"]].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let output = interrupt(child);
        assert!(stderr(&output).ends_with(&format!("{message}\n")), "{output:?}");
        output
    };
    // The queen gives mate, and other moves have no end. An unfinished count has no total.
    let mates = ["divide", "k7/8/1QK5/8/8/8/8/8 w - -", "30", "--merge", "none"];
    let text = stdout(&interrupted(&mates, " of 23 root moves are finished"));
    assert!(text.starts_with("b6b7: 0\n") && !text.contains("Nodes"), "{text}");
    // Layers finish all root moves together.
    let none = "0 of 20 root moves are finished; layers finish all of them together";
    for command in [&["divide"][..], &[]] {
        let count = [command, &["startpos", "12", "--merge", "layers"]].concat();
        assert_eq!(stdout(&interrupted(&count, none)), "");
        let report = parsed(&interrupted(&[&count[..], &["--json"]].concat(), none));
        assert_eq!((&report["nodes"], &report["interrupted"]), (&Value::Null, &Value::Bool(true)));
        assert_eq!(
            (&report["nodes_finished"], &report["moves"]),
            (&0.into(), &Value::Array(vec![]))
        );
    }
}

/// With `nohup`, a count outlives its terminal. Ctrl-C still ends it.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_hang_up_stays_ignored() {
    let count = "trap '' HUP; exec \"$0\" startpos 14 --hash 0 --threads 2";
    let mut child = plain("sh")
        .args(["-c", count, PERFT])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sh is there");
    std::thread::sleep(Duration::from_millis(500));
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-HUP", &pid]).status().expect("kill is there");
    assert!(sent.success());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().expect("it can be asked"), None);
    interrupt(child);
}

#[test]
fn an_estimate_is_repeated_by_its_seed_and_samples() {
    let estimate = |more: &[&str]| {
        let arguments = ["estimate", "position3", "9", "--json", "--seed", "3"];
        json(&[&arguments, more].concat())
    };
    let first = estimate(&["--seconds", "0.01", "--threads", "2"]);
    let again = estimate(&["--samples", &first["samples"].to_string(), "--threads", "1"]);
    for key in ["estimate", "standard_error", "low", "high", "samples", "seed"] {
        assert_eq!(first[key], again[key], "{key}");
    }
    let [low, high] = ["low", "high"].map(|key| first[key].as_f64().expect("a number"));
    // Within five standard errors, although the seconds decide how many samples there are.
    let spread = (high - low) / 4.0;
    let nodes = 50_086_749_815.0; // perft(9), by layers.
    assert!((low - 3.0 * spread..high + 3.0 * spread).contains(&nodes), "{first}");
    assert_eq!(stdout(&run(&["estimate", "startpos", "4"])), "Nodes counted: 197281\n");
    refused(&run(&["estimate", "kiwipete", "250"]), "the count may exceed 10^300");
    refused(&run(&["estimate", "kiwipete", "9", "--seconds", "0"]), "seconds above 0");
    refused(&run(&["estimate", "kiwipete", "9", "--seconds", "1", "--samples", "5"]), "--samples");
}

#[test]
#[cfg(unix)]
fn an_interrupted_estimate_is_of_the_samples_so_far() {
    let child = command(&["estimate", "position3", "30", "--seconds", "1000", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_secs(3));
    let output = interrupt(child);
    assert!(stderr(&output).starts_with("perft: interrupted: "), "{output:?}");
    assert_eq!(parsed(&output)["interrupted"], true);
}

#[test]
#[cfg(unix)]
fn interrupted_stats_print_the_finished_depths() {
    let interrupted = |format: &[&str]| {
        let child = command(&[&["stats", "startpos", "12", "--threads", "2"], format].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let output = interrupt(child);
        assert!(stderr(&output).contains(" of 12 depths are finished"), "{output:?}");
        output
    };
    let text = stdout(&interrupted(&[]));
    // The columns are as wide as the last row that is finished.
    let first_row: Vec<&str> = text.lines().nth(1).unwrap_or_default().split_whitespace().collect();
    assert_eq!(first_row[..2], ["1", "20"], "{text}");
    let report = parsed(&interrupted(&["--json"]));
    assert_eq!(report["rows"][1]["nodes"], 400, "{report}");
    assert_eq!(report["interrupted"], true);
}

#[test]
#[cfg(unix)]
fn a_count_of_hours_says_so_at_once() {
    let mut child = command(&["startpos", "16", "--threads", "2", "--hash", "16M"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("perft: by an estimate this takes "), "{line}");
    assert!(line.contains("--checkpoint FILE saves progress"), "{line}");
    interrupt(child);
}

#[test]
fn an_interrupted_suite_reports_finished_and_unfinished_counts() {
    let dir = TestDir::new("interrupted-suite");
    let line = format!("{} ;D2 400 ;D3 8903 ;D12 62854969236701747\n", Board::STARTPOS_FEN);
    dir.write("long.epd", line);
    let interrupted = |format: &[&str]| {
        let suite = ["suite", "long.epd", "--max-nodes", "1e20", "--threads", "2"];
        let mut command = dir.command(&[&suite, format].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let output = interrupt(child);
        assert!(stderr(&output).contains("2 of 3 counts are finished"), "{output:?}");
        output
    };
    let text = stdout(&interrupted(&[]));
    assert!(text.contains("long.epd:1: depth 3: expected 8903, got 8902"), "{text}");
    assert!(text.contains(" 1 WRONG") && text.contains("1 unfinished"), "{text}");
    let report = parsed(&interrupted(&["--json"]));
    assert_eq!(report["right"], false, "{report}");
    assert_eq!(report["suites"][0]["unfinished"], 1, "{report}");
}

/// The output on a terminal that is both standard output and standard error.
#[cfg(unix)]
fn on_a_terminal(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    use std::fs::File;
    use std::io::Read;

    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let end = || Stdio::from(terminal.slave.try_clone().expect("a handle"));
    let mut child = command(arguments)
        .env("TERM", "xterm")
        .envs(environment.iter().copied())
        .stdout(end())
        .stderr(end())
        .spawn()
        .expect("the binary runs");
    drop(terminal.slave);
    // Once the other side is closed, reading ends with an error.
    let mut bytes = Vec::new();
    _ = File::from(terminal.master).read_to_end(&mut bytes);
    assert!(child.wait().expect("it ends").success(), "{}", String::from_utf8_lossy(&bytes));
    String::from_utf8(bytes).expect("text")
}

/// The progress line is overwritten while the count runs, and erased at its end.
#[cfg(unix)]
#[test]
fn long_counts_show_progress_on_a_terminal() {
    const ERASE: &str = "\r\x1b[K";
    // Slow, but seconds and not minutes.
    let slowly = ["--kernel", "simple", "--sliders", "rays", "--threads", "1"];
    for work in [&["startpos", "6"][..], &["suite", "--max-nodes", "1M"]] {
        let work = &[work, &slowly].concat();
        let shown = on_a_terminal(work, &[]);
        let (before, result) = shown.rsplit_once(ERASE).unwrap_or_else(|| panic!("{shown:?}"));
        let lines: Vec<&str> = before.split(ERASE).filter(|line| !line.is_empty()).collect();
        assert!(!lines.is_empty(), "{shown:?}");
        assert!(
            lines.iter().all(|line| line.contains(" %, ") && line.contains(" nodes")),
            "{lines:?}"
        );
        assert!(result.contains("Nodes searched: 119060324") || result.contains(" ok"), "{result}");
        let quiet = on_a_terminal(&[&work[..], &["--quiet"]].concat(), &[]);
        let dumb = on_a_terminal(work, &[("TERM", "dumb")]);
        assert!(!quiet.contains('\x1b') && !dumb.contains('\x1b'), "{quiet:?}{dumb:?}");
    }
}

/// An engine may be silent for long, so each finished depth is shown at once.
#[cfg(unix)]
#[test]
fn a_comparison_shows_progress_on_a_terminal() {
    let engine = format!("'{PERFT}' uci");
    let shown = on_a_terminal(&["check", &engine, "startpos", "4"], &[]);
    assert!(shown.contains("\r\x1b[Kequal to depth 3, 8,902 nodes\r\x1b[K"), "{shown:?}");
    assert!(shown.ends_with("\r\x1b[KEqual to depth 4: 197281 nodes\r\n"), "{shown:?}");
}

#[cfg(unix)]
#[test]
fn colors_are_for_terminals_that_accept_them() {
    for arguments in [&["--help"][..], &["help", "divide"], &["check", "--help"]] {
        let colored = on_a_terminal(arguments, &[]);
        assert!(colored.contains("\x1b["), "{colored:?}");
        assert!(!on_a_terminal(arguments, &[("NO_COLOR", "1")]).contains('\x1b'));
        assert!(!on_a_terminal(arguments, &[("TERM", "dumb")]).contains('\x1b'));
        assert!(!on_a_terminal(arguments, &[("TERM", "dumb"), ("CI", "true")]).contains('\x1b'));
        assert!(!succeed(arguments).contains('\x1b'));
    }
}

#[test]
fn the_command_line_describes_itself() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = succeed(&["completions", shell]);
        assert!(script.contains("perft") && script.contains("divide"), "{shell}: {script}");
    }
    refused(&run(&["completions", "cobol"]), "cobol");
    let page = succeed(&["man"]);
    assert!(page.contains(".TH perft") && page.contains("divide"), "{page}");
    let dir = TestDir::new("man");
    assert!(page.contains(".SH EXAMPLES\n  perft startpos 6\n"), "{page}");
    assert!(page.contains(".SH \"EXIT STATUS\"\n0 done, "), "{page}");
    dir.succeed(&["man", "--dir", "pages"]);
    for page in ["perft.1", "perft-divide.1", "perft-check.1", "perft-sliders-find.1"] {
        assert!(dir.path("pages").join(page).is_file(), "{page}");
    }
}

#[test]
fn every_command_has_examples() {
    for &command in COMMANDS.iter().skip(1) {
        let help = succeed(&[command, &["--help"]].concat());
        assert!(
            help.contains("Example") && (help.contains("  perft ") || help.contains("| perft ")),
            "{command:?}: {help}"
        );
    }
}

#[test]
fn misspelled_arguments_get_a_suggestion() {
    refused(&run(&["kiwipeet", "3"]), "did you mean kiwipete?");
    refused(&run(&["start", "3"]), "did you mean startpos?");
    refused(&run(&["suit"]), "did you mean the command perft suite?");
    refused(&run(&["startpos"]), "no depth after \"startpos\"");
    let mut tokens = vec!["divide"];
    tokens.extend(KIWIPETE.split(' '));
    refused(&run(&tokens), "no depth after \"r3k2r/");
    refused(&run(&["stats", "startpos", "2", "--kernel", "full"]), "(see perft stats --help)");
    refused(&run(&["sliders"]), "see perft sliders --help)");
    assert!(!stderr(&run(&["divide", "startpos", "2", "--checkpoint", "x"])).contains("tip"));
    let unused = ["check", "x", "startpos", "3", "--max-nodes", "2"];
    refused(&run(&unused), "--max-nodes");
    refused(&run(&["chekc", "startpos", "3"]), "did you mean the command perft check?");
    for (arguments, remedy) in [
        (&["chekc", "x", "--hunt"][..], "did you mean the command perft check?"),
        (&["check", "--engine", "x", "startpos", "3"], "(the engine comes first: perft check"),
        (&["suit", "--max-nodes", "10"], "did you mean the command perft suite?"),
        (&["startpos", "3", "--thread", "2"], "found (did you mean --threads? see perft --help)"),
        (&["startpos", "3", "--kernel", "smple"], "(did you mean simple? see perft --help)"),
        (&["sliders", "lst"], "(did you mean list? see perft sliders --help)"),
        (&["startpos", "--depth", "4"], "(the depth comes last: perft startpos 6;"),
        (&["startpos", "4", "--divide"], "(it is a command: perft divide;"),
        (&["startpos", "4", "--engine", "x"], "(it is an option of perft explore;"),
        (&["go", "perft", "4"], "(leave out \"go\";"),
        (&["check", "x", "startpos", "3", "--seed", "3"], "(--seed: Seed of the random positions"),
        (&["divide"], "(for example perft divide kiwipete 4"),
        (&["8/8/8/8/k1p4R/8/3P4/3K4 w - - 0", "2"], "(both or neither)"),
        (&["4k3/8/8/8/8/8/8/6KR w H -", "2"], "(--chess960 reads it)"),
        (&["4k3/8/8/8/8/8/8/6KR w K -", "2"], "(--chess960 reads it)"),
    ] {
        refused(&run(arguments), remedy);
    }
    let far = run(&["xyzzy", "3"]);
    refused(&far, "neither a FEN nor a named position");
    assert!(!stderr(&far).contains("did you mean"));
}

#[test]
fn magics_are_printed_for_three_languages_and_checked() {
    let find = ["sliders", "find", "--piece", "bishop", "--square", "d4", "--quiet", "--format"];
    for (language, expected) in [
        ("rust", "pub(super) const BISHOP: [u64; 1] = [\n    0x0004010001200880,\n];\n"),
        ("cpp", "constexpr std::uint64_t BISHOP[1] = {\n    0x0004010001200880ULL,\n};\n"),
        ("python", "BISHOP = [\n    0x0004010001200880,\n]\n"),
    ] {
        let source = succeed(&[&find[..], &[language]].concat());
        assert!(source.ends_with(expected), "{language}: {source}");
    }
    let verify = ["sliders", "verify", "--piece", "bishop", "--square", "d4", "--magic"];
    let checked = succeed(&[&verify[..], &["0x0004010001200880"]].concat());
    assert_eq!(checked, "0x0004010001200880 is a magic of the bishop on d4 for 9 bits\n");
    let output = run(&[&verify[..], &["4660"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with("0x0000000000001234 is no magic of the bishop on d4"));
    refused(&run(&[&verify[..], &["0x10000000000000000"]].concat()), "a number of 64 bits");
    refused(&run(&["sliders", "verify", "--magic", "1"]), "--piece");
}

#[test]
fn a_lookup_is_shown_in_every_system() {
    let show =
        ["sliders", "show", "d4", "--piece", "rook", "--enemies", "d6,b4", "--friends", "g4"];
    let captures = "\
   . . . . . . . .   . . . . . . . .   . . . . . . . .
   . . . . . . . .   . . . . . . . .   . . . . . . . .
   . . . X . . . .   . . . X . . . .   . . . X . . . .
   . . . X . . . .   . . . X . . . .   . . . . . . . .
   . X X . X X X .   . X X . X X . .   . X . . . . . .
";
    for system in perft_lab::System::ALL {
        let shown = succeed(&[&show[..], &["--system", system.name()]].concat());
        assert!(shown.contains(captures), "{system}: {shown}");
    }
    refused(&run(&[&show[..], &["kiwipete"]].concat()), "cannot be used with");
}

#[test]
fn sets_of_squares_are_shown_with_the_board() {
    let shown =
        succeed(&["board", "4k3/8/8/8/4r3/8/4B3/4K2R w K - 0 1", "--show", "pins,castling"]);
    let rows = shown.lines().filter(|line| line.contains('X')).collect::<Vec<_>>();
    assert!(shown.contains("Pin of e2:") && shown.contains("Castling with h1:"), "{shown}");
    assert_eq!(
        rows,
        [". . . . X . . ."; 3].into_iter().chain([". . . . . X X ."]).collect::<Vec<_>>()
    );
}

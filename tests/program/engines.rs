//! Engines of every kind: those that search, print other formats or totals only, refuse moves, or
//! leave processes behind; and `perft uci` with more commands than it can hold.

use std::io::Write;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::driver::{
    PERFT, TestDir, command, faulty_engine, parsed as json, plain, refused, run_with_input, stderr,
    stdout, succeeded,
};

/// Runs `perft check` with a shell script as the engine.
fn compare(name: &str, script: &str, arguments: &[&str]) -> Output {
    let dir = TestDir::new(name);
    dir.write("engine.sh", script);
    dir.perft(&[&["check", "sh engine.sh"], arguments].concat())
}

/// The same with a script that is called for each divide.
fn compare_script(name: &str, script: &str, arguments: &[&str]) -> Output {
    compare(name, script, &[&["--protocol", "script"], arguments].concat())
}

/// A UCI engine that does this on `go`.
fn on_go(action: &str) -> String {
    format!(
        "while read -r line; do case $line in
            uci) echo uciok;; isready) echo readyok;; quit) exit;; go*) {action};;
        esac; done"
    )
}

#[test]
fn an_engine_that_searches_is_named_at_once() {
    let start = Instant::now();
    let info = "info depth 1 seldepth 1 score cp 26 time 0 nodes 2 pv b1a3";
    let script = on_go(&format!("while echo {info}; do sleep 0.1; done"));
    let output = compare("searches", &script, &["startpos", "4"]);
    refused(&output, "searched for a move instead of counting (--perft-command");
    let sent_and_printed =
        format!("asked \"position startpos\" and \"go perft 1\"; its last line was \"{info}\"");
    assert!(stderr(&output).contains(&sent_and_printed), "{}", stderr(&output));
    // The timeout is a minute.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn only_lines_of_a_divide_restart_the_timeout() {
    let script = on_go("while echo info string thinking; do sleep 0.1; done");
    let output = compare("thinks", &script, &["--timeout", "1", "startpos", "2"]);
    refused(&output, "printed no line of a divide for 1 s");
    let script = on_go("while echo info depth 1 nodes 20; do sleep 0.1; done");
    let output = compare("thinks-on", &script, &["--timeout", "1", "startpos", "2"]);
    refused(&output, "its last line was \"info depth 1 nodes 20\"");
}

#[test]
fn errors_quote_what_came_after_the_query() {
    let ignored = compare("ignores", &on_go(":"), &["--timeout", "1", "startpos", "2"]);
    refused(&ignored, "asked \"position startpos\" and \"go perft 2\"; it printed nothing");
    let script = on_go("echo working; echo no such file: book.bin >&2; echo more; exit 4");
    let ended = compare("ends", &script, &["startpos", "2"]);
    refused(&ended, "its last line was \"no such file: book.bin\"");
    let script = on_go("echo \"Unknown command: $line\"; echo 1");
    let unknown = compare("unknown", &script, &["startpos", "2"]);
    refused(&unknown, "does not know the command");
    assert!(stderr(&unknown).contains("Unknown command: go perft 1"), "{}", stderr(&unknown));
}

/// Such an engine divides an earlier position, as Stockfish does.
#[test]
fn a_refused_move_is_the_finding() {
    let moves = ["--timeout", "2", "--moves", "e1g1 a6b5 g1h1", "kiwipete", "2"];
    let stops = format!("sed -u 's/ e1g1.*//' | '{PERFT}' uci");
    let listed = compare("refuses", &stops, &moves);
    assert_eq!(listed.status.code(), Some(1), "{}", stderr(&listed));
    let text = stdout(&listed);
    assert!(text.contains("Not played: e1g1. The engine lists it"), "{text}");
    assert!(text.contains("\nMoves: e1g1\n") && !text.contains("Missing"), "{text}");
    let found = json(&compare("refuses-json", &stops, &[&["--json"], &moves[..]].concat()));
    assert_eq!(found["mismatches"][0]["at"]["refused"], "e1g1", "{found}");

    let lacks = format!("{stops} | sed -u '/^e1g1/d; /^Nodes/d'");
    let missing = compare("lacks", &lacks, &moves);
    assert_eq!(missing.status.code(), Some(1), "{}", stderr(&missing));
    let text = stdout(&missing);
    assert!(text.contains("\nMissing: e1g1\n") && !text.contains("Extra"), "{text}");
    // Deeper counts have the move.
    assert!(text.contains("Rule: perhaps castle-king-side."), "{text}");

    let hunt = ["--hunt", "--seed", "1", "--seconds", "120", "--quiet"];
    let hunted = compare("refuses-hunt", &stops, &hunt);
    assert_eq!(hunted.status.code(), Some(1), "{}", stderr(&hunted));
    assert!(stdout(&hunted).contains("Not played: e1g1."), "{}", stdout(&hunted));
}

#[test]
fn engines_that_print_totals_only_are_compared() {
    let totals = format!("'{PERFT}' uci | sed -u '/^[a-h][1-8]/d'");
    let output = compare("totals", &totals, &["kiwipete", "3"]);
    assert_eq!(succeeded(&output), "Equal to depth 3: 97862 nodes\n");
    // With a table of depths.
    let table = "for depth in $(seq $1); do
        echo $depth $('$PERFT' \"$2\" $depth --moves \"$3\" --quiet) 0.1
    done";
    let output = compare_script("table", &table.replace("$PERFT", PERFT), &["kiwipete", "2"]);
    assert_eq!(succeeded(&output), "Equal to depth 2: 2039 nodes\n");

    let faulty = faulty_engine();
    let faulty = format!("'{}' --act total-only --without castle-king-side", faulty.display());
    let arguments = ["check", &faulty, "startpos", "2"];
    assert_eq!(succeeded(&run_with_input(&arguments, "")), "Equal to depth 2: 400 nodes\n");
    let fen = "4k2r/8/8/8/8/8/8/4K3 w k - 0 1";
    let output = run_with_input(&["check", &faulty, fen, "3"], "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("Different at depth 2: 75 here, 70 there\n"), "{text}");
    assert!(text.contains("\nMoves: e1") && text.contains("prints totals only"), "{text}");
    assert!(!text.contains("Missing") && !text.contains("Rule"), "{text}");
}

#[test]
fn an_engine_that_prints_nothing_at_depth_1_is_asked_at_depth_2() {
    let silent = format!("sed -u '/^go perft 1$/d' | '{PERFT}' uci");
    let output = compare("silent", &silent, &["kiwipete", "3"]);
    assert_eq!(succeeded(&output), "Equal to depth 3: 97862 nodes\n");
    let lacks = format!("{silent} | sed -u '/^e1g1/d; /^Nodes/d'");
    let output = compare("silent-lacks", &lacks, &["--timeout", "2", "kiwipete", "3"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("Different at depth 1: 48 here, 47 there\n"), "{text}");
    assert!(text.contains("\nMissing: e1g1\n"), "{text}");
}

/// Edits of `e2e4: 20`.
const FORMATS: [&str; 8] = [
    "s/^\\(....\\)\\([qrbn]\\): /\\1(\\2): /",
    "s/^\\(..\\)\\(..\\)\\(.*\\): \\(.*\\)/| N\\1-\\2\\/\\3 | \\4 |/; s:/ : :",
    "s/^\\([a-h]\\)/perft> \\1/",
    "s/^\\([a-h]\\)/[12:00:01] INFO \\1/",
    "s/^\\([a-h].*\\): \\(.*\\)/{\"move\":\"\\1\",\"nodes\":\\2}/",
    "s/^\\([a-h].*\\): /\\1=>/",
    "s/^\\([a-h].*\\): /│ \\1 │ /",
    "s/^\\([a-h].*\\): \\(.*\\)/\\1 \\2 99999 12 ms/",
];

#[test]
fn divides_are_read_in_every_format() {
    for (number, edit) in FORMATS.iter().enumerate() {
        let engine = format!("'{PERFT}' uci | sed -u '{edit}'");
        for (position, nodes) in [("kiwipete", 2_039), ("promotions", 496)] {
            let output = compare(&format!("format-{number}"), &engine, &[position, "2"]);
            assert_eq!(succeeded(&output), format!("Equal to depth 2: {nodes} nodes\n"), "{edit}");
        }
    }
    let divide = format!("'{PERFT}' divide \"$2\" \"$1\" --moves \"$3\" --quiet");
    for in_one_line in ["tr '\\n' ' '", "grep : | grep -v searched | tr '\\n' ','"] {
        let script = format!("{divide} | {in_one_line}");
        let output = compare_script("one-line", &script, &["promotions", "2"]);
        assert_eq!(succeeded(&output), "Equal to depth 2: 496 nodes\n", "{in_one_line}");
    }
    // In standard algebraic notation, by way of a table of both notations.
    let san = format!(
        "'{PERFT}' board \"$2\" --moves \"$3\" --json | tr '{{' '\\n' | \
         sed -n 's/.*\"uci\":\"\\([^\"]*\\)\",\"san\":\"\\([^\"]*\\)\".*/s:^\\1 :\\2 :/p' > san.sed\n\
         {divide} | tr : ' ' | sed -f san.sed"
    );
    let output = compare_script("san", &san, &["kiwipete", "2"]);
    assert_eq!(succeeded(&output), "Equal to depth 2: 2039 nodes\n");
}

#[test]
fn a_line_that_is_not_understood_is_quoted() {
    for line in ["e1g1 : one", "castles e1g1 1", "e1g1"] {
        let engine = format!("'{PERFT}' uci | sed -u 's/^e1g1: .*/{line}/'");
        let output = compare("odd", &engine, &["kiwipete", "2"]);
        refused(&output, &format!("\"{line}\" is not understood"));
        let divide = format!("'{PERFT}' divide kiwipete 1 -q | sed 's/^e1g1: .*/{line}/'");
        let divide = plain("sh").args(["-c", &divide]).output().expect("a shell");
        let output = run_with_input(&["check", "-", "kiwipete", "1"], divide.stdout);
        refused(&output, &format!("standard input: \"{line}\" is not understood"));
    }
}

#[test]
fn of_several_divides_that_of_the_depth_counts() {
    let divide = format!("'{PERFT}' divide \"$2\" $depth --moves \"$3\" --quiet");
    let depths = "for depth in $(seq $1); do echo Depth $depth; ";
    let output = compare_script("each", &format!("{depths} {divide}; done"), &["kiwipete", "3"]);
    assert_eq!(succeeded(&output), "Equal to depth 3: 97862 nodes\n");
    // Without totals.
    let script = format!("{depths} {divide} | grep -v searched; done");
    let output = compare_script("each-bare", &script, &["kiwipete", "3"]);
    assert_eq!(succeeded(&output), "Equal to depth 3: 97862 nodes\n");
    // Moves that are listed twice in one divide.
    let twice = format!("depth=$1; {divide} | sed '/^a2a3/p; /searched/d'");
    let output = compare_script("twice", &twice, &["kiwipete", "2"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("Listed more than once: a2a3"), "{}", stdout(&output));

    // On another thread, `readyok` comes before the first divide.
    let engine = format!(
        "while read -r line; do case $line in
            uci) echo uciok;; isready) echo readyok;; quit) exit;;
            position*startpos*) fen=startpos; moves=;;
            position*) line=${{line#position fen }}; fen=${{line%% moves*}}
                case $line in *moves*) moves=${{line#* moves }};; *) moves=;; esac;;
            go*) ({{ sleep 0.1; for depth in $(seq ${{line#go perft }}); do
                '{PERFT}' divide \"$fen\" $depth --moves \"$moves\" --quiet; sleep 0.1; done; }} &);;
        esac; done"
    );
    let output = compare("each-thread", &engine, &["kiwipete", "3"]);
    assert_eq!(succeeded(&output), "Equal to depth 3: 97862 nodes\n");
}

/// The process has ended, or is a zombie that its new parent has not waited for yet.
#[cfg(target_os = "linux")]
fn has_ended(number: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    status.is_empty() || status.contains(") Z") || status.contains(") X")
}

/// Waits for something that takes time on a busy machine.
#[cfg(target_os = "linux")]
fn comes_true(mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn the_engine_ends_if_perft_is_killed() {
    let dir = TestDir::new("killed");
    dir.write("engine.sh", "echo $$ > number; exec sleep 600");
    for protocol in ["uci", "script"] {
        dir.write("number", "");
        let arguments = ["check", "sh engine.sh", "--protocol", protocol, "startpos"];
        let mut child = dir.command(&[&arguments[..], &["2"]].concat());
        let mut child = child.stderr(Stdio::null()).spawn().expect("it runs");
        assert!(comes_true(|| dir.read("number").ends_with('\n')), "the engine is not started");
        let number = dir.read("number").trim().to_owned();
        assert!(!has_ended(&number));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let ended = comes_true(|| has_ended(&number));
        if !ended {
            _ = plain("kill").args(["-9", &number]).status();
        }
        assert!(ended, "{protocol}: the engine goes on");
    }
}

#[test]
fn uci_answers_every_command() {
    let pairs = "position startpos moves e2e4\ngo perft 2\n".repeat(20_000);
    let text = succeeded(&run_with_input(&["uci"], pairs));
    assert_eq!(text.matches("\nNodes searched: 600\n").count(), 20_000);
    // More than is held.
    let many = "position startpos moves e2e4 e7e5 g1f3 b8c6\n".repeat(300_000);
    let end = "position fen 4k3/8/8/8/8/8/8/5K1R w - -\ngo perft 1\n";
    let text = succeeded(&run_with_input(&["uci"], format!("go perft 5\n{many}{end}")));
    assert!(text.contains("\nNodes searched: 4865609\n"), "{text}");
    assert!(text.ends_with("\nNodes searched: 13\n\n"), "{text}");
    assert!(!text.contains("info string"), "{text}");
}

#[test]
fn uci_is_stopped_with_many_commands_waiting() {
    let mut session = command(&["uci"]);
    let session = session.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = session.expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    let pairs = "position startpos\ngo perft 2\n".repeat(20_000);
    let writer = std::thread::spawn(move || {
        write!(input, "go perft 14\n{pairs}stop\ngo perft 1\n").expect("it reads");
    });
    let text = stdout(&child.wait_with_output().expect("it ends"));
    writer.join().expect("all is written");
    assert!(text.contains("info string stopped: 0 of 20"), "{}", &text[..text.len().min(500)]);
    assert_eq!(text.matches("stopped before it began").count(), 20_000);
    assert!(text.ends_with("\nNodes searched: 20\n\n"));
}

/// The generator of a Rust library, tested with a few lines of code.
#[test]
fn the_example_of_a_divider_runs() {
    let example =
        faulty_engine().with_file_name(format!("divider{}", std::env::consts::EXE_SUFFIX));
    let output = plain(example).output().expect("cargo test builds the example");
    assert!(succeeded(&output).ends_with(" positions compared, 0 wrong\n"), "{output:?}");
}

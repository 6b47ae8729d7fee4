//! Hostile input: with any argument, file or standard input, and wherever its output goes, the
//! program ends with one of its exit codes and, if it refuses, with one line. It never panics.
//!
//! No system passes on an argument with a null byte, so that is not tested.

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::driver::{self, TestDir, feed, refused, run, stderr, stdout};

const HUGE: usize = 100_000_000;

/// Makes the content when it is needed: some are huge.
type Content = fn() -> Vec<u8>;

/// Contents of a file or of standard input.
const CONTENTS: &[(&str, Content)] = &[
    ("empty", Vec::new),
    ("noise", noise),
    ("not UTF-8", || b"\xff\xfe\xfd\n".to_vec()),
    ("null bytes", || b"a\0b\n\0\0\n".to_vec()),
    ("controls", || b"\x1b[31mred\x07\r\n".to_vec()),
    ("byte order mark", || b"\xef\xbb\xbf{}\n".to_vec()),
    ("open brackets", || b"[".repeat(50_000)),
    ("huge, one line", || vec![b'x'; HUGE]),
    ("huge, null bytes", || vec![0; HUGE]),
    ("huge, line ends", || vec![b'\n'; HUGE]),
    ("huge, lines", || b"4k3/8/8/8/8/8/8/4K3 w - - ;D1 5 ;D2 25\n".repeat(HUGE / 39)),
];

fn noise() -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    (0..100_000).map(|_| next()).collect()
}

/// Asserts an exit code of ours and a clean message; returns the exit code.
#[track_caller]
fn ends_well(what: &str, output: &Output) -> i32 {
    let message = stderr(output);
    let code = output.status.code().unwrap_or_else(|| panic!("{what}: {}", output.status));
    assert!((0..=2).contains(&code), "{what}: exit code {code}: {message}");
    for word in ["panicked", "RUST_BACKTRACE", "stack backtrace", "overflowed"] {
        assert!(!message.contains(word), "{what}: {message}");
    }
    let strange = message.chars().find(|&letter| letter.is_control() && letter != '\n');
    assert_eq!(strange, None, "{what}: {message:?}");
    if code == 2 {
        assert_eq!(stdout(output), "", "{what}");
        assert!(message.starts_with("perft: "), "{what}: {message}");
        assert_eq!(message.lines().count(), 1, "{what}: {message}");
        assert!(message.len() < 1000, "{what}: a line of {} bytes", message.len());
    }
    code
}

/// The number of [`READERS`] that get huge contents too: one for each reader in the code.
const DISTINCT_READERS: usize = 7;

/// Every command that reads, and its possible exit codes. `@` is the name of the file; without it
/// the content is on standard input.
const READERS: &[(&[&str], &[i32])] = &[
    (&["-", "3"], &[2]),
    (&["suite", "@", "--max-nodes", "0"], &[0, 2]),
    (&["check", "-", "startpos", "3"], &[2]),
    (&["uci"], &[0]),
    (&["work"], &[0, 2]),
    (&["total", "plan.jsonl", "@"], &[1, 2]),
    (&["startpos", "3", "--checkpoint", "@"], &[0, 2]),
    (&["divide", "-", "3"], &[2]),
    (&["board", "-"], &[2]),
    (&["stats", "-", "3"], &[2]),
    (&["plan", "-", "3", "--ply", "1"], &[2]),
    (&["suite", "-", "--max-nodes", "0"], &[0, 2]),
    (&["check", "no-such-engine", "--suite", "@"], &[2]),
    (&["work", "@"], &[0, 2]),
    (&["work", "plan.jsonl", "--resume", "@"], &[0, 2]),
    (&["work", "plan.jsonl", "-o", "@"], &[0, 2]),
    (&["total", "@", "results.jsonl"], &[2]),
];

#[test]
fn any_content_is_refused_or_understood() {
    let dir = TestDir::new("hostile");
    dir.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    dir.succeed(&["work", "plan.jsonl", "-o", "results.jsonl"]);
    for (name, make) in CONTENTS {
        let content = make();
        let readers = if content.len() < HUGE / 2 { READERS } else { &READERS[..DISTINCT_READERS] };
        for (arguments, codes) in readers {
            let what = format!("{name}: {arguments:?}");
            let is_file = arguments.contains(&"@");
            let start = Instant::now();
            let output = if is_file {
                dir.write("@", &content);
                dir.perft(arguments)
            } else {
                feed(&mut dir.command(arguments), &content)
            };
            let code = ends_well(&what, &output);
            assert!(codes.contains(&code), "{what}: exit code {code}: {}", stderr(&output));
            // A refused file is unchanged.
            if is_file && code == 2 {
                assert!(std::fs::read(dir.path("@")).unwrap() == content, "{what}: changed");
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{what}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let dir = TestDir::new("no-files");
    dir.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    dir.succeed(&["work", "plan.jsonl", "-o", "results.jsonl"]);
    std::fs::create_dir(dir.path("a-dir")).unwrap();
    for name in ["missing", "a-dir", "plan.jsonl/below", ""] {
        for (arguments, _) in READERS.iter().filter(|(arguments, _)| arguments.contains(&"@")) {
            let mut arguments = arguments.to_vec();
            // These two create the file.
            if name == "missing" && (arguments.contains(&"-o") || arguments[0] == "startpos") {
                continue;
            }
            let place = arguments.iter().position(|&word| word == "@").unwrap();
            arguments[place] = name;
            let output = dir.perft(&arguments);
            ends_well(&format!("{arguments:?}"), &output);
            refused(&output, name);
        }
    }
    // Input without an end is given up.
    refused(&dir.perft(&["suite", "/dev/zero"]), "/dev/zero");
    refused(&dir.perft(&["work", "/dev/zero"]), "/dev/zero");
    refused(&dir.perft(&["total", "/dev/zero", "results.jsonl"]), "/dev/zero");
    refused(&dir.perft(&["startpos", "3", "--checkpoint", "/dev/zero"]), "/dev/zero");
    let endless = std::fs::File::open("/dev/zero").unwrap();
    refused(&dir.command(&["-", "3"]).stdin(endless).output().unwrap(), "longer than");
}

/// Arguments that are empty, long, strange, at their limits and past them.
#[test]
fn arguments_are_understood_or_named() {
    let long = "9".repeat(100_000);
    let moves = "e2e4 ".repeat(20_000);
    let fens = "4k3/8/8/8/8/8/8/4K3 w - - ".repeat(4_000);
    let packed =
        ["sliders", "find", "--method", "squeeze", "--tries", "1", "--pack", "--seconds", "5"];
    let past_128_bits = "340282366920938463463374607431768211456";
    let mut wrong = Vec::new();
    for (arguments, wanted) in [
        // Empty.
        (&[""][..], Err("\"\" is not a position")),
        (&["", "3"], Err("neither a FEN nor a named position")),
        (&["startpos", ""], Err("depth \"\"")),
        (&["startpos", "3", "--moves", ""], Ok("8902")),
        (&["startpos", "3", "--hash", ""], Err("--hash")),
        (&["startpos", "3", "--sliders", ""], Err("--sliders")),
        (&["suite", ""], Err("FILES")),
        (&["check", "", "startpos", "3"], Err("the engine \"\"")),
        (&["check", "x", "--option", "", "startpos", "3"], Err("NAME=VALUE")),
        (&["completions", ""], Err("shell")),
        (&["nonsense", "--help"], Ok("Usage")),
        // Long.
        (&[&long, "3"], Err("neither a FEN nor a named position")),
        (&["startpos", &long], Err("depth")),
        (&[&fens, "3"], Err("bad FEN")),
        (&["startpos", "3", "--moves", &moves], Err("number 2")),
        (&["startpos", "3", "--moves", &long], Err("number 1")),
        (&["startpos", "3", "--threads", &long], Err("--threads")),
        (&["startpos", "3", "--hash", &long], Err("--hash")),
        (&["suite", &long], Err("suite")),
        (&["work", &long], Err("cannot open")),
        (&["startpos", "3", "--checkpoint", &long], Err("cannot open")),
        (&["check", &long, "startpos", "3"], Err("engine")),
        (&["plan", "startpos", "3", "--ply", "1", "-o", &long], Err("cannot write")),
        (&["man", "--dir", &long], Err("cannot write")),
        // Strange.
        (&["\u{1b}[31m\u{7}\n", "3"], Err("neither a FEN nor a named position")),
        (&["♔♕♖", "3"], Err("neither a FEN nor a named position")),
        (&["♔/♕/♖ w - -", "3"], Err("bad FEN")),
        (&["startpos", "٣"], Err("depth")),
        (&["startpos", "3", "--moves", "é2é4"], Err("number 1")),
        (&["startpos", "3", "--hash", "1é"], Err("--hash")),
        (&["sliders", "show", "é4"], Err("é4")),
        (&["check", "x 'y", "startpos", "3"], Err("a quote is open")),
        (&["check", "x", "--perft-command", "go\n{depth}", "startpos", "3"], Err("one line")),
        // At and past limits.
        (&["startpos", "0"], Ok("Nodes searched: 1")),
        (&["stats", "startpos", "0"], Ok("depth")),
        (&["divide", "startpos", "0"], Ok("Nodes searched: 1")),
        (&["startpos", "256"], Err("0 to 255")),
        (&["startpos", "-1"], Err("0 to 255")),
        (&["check", "-", "startpos", "-1"], Err("0 to 255")),
        (&["startpos", "3.0"], Err("0 to 255")),
        (&["startpos", "3", "--threads", "1024"], Ok("8902")),
        (&["startpos", "3", "--threads", "1025"], Err("1 to 1024")),
        (&["startpos", "3", "--threads", "-1"], Err("1 to 1024")),
        (&["stats", "startpos", "3", "--threads", "1025"], Err("1 to 1024")),
        (&["sliders", "find", "--threads", "0"], Err("1 to 1024")),
        (&["startpos", "3", "--hash", "1B"], Ok("8902")),
        (&["startpos", "3", "--hash", "18446744073709551615B"], Err("--hash")),
        (&["startpos", "3", "--hash", "18446744073709551616B"], Err("--hash")),
        (&["startpos", "3", "--hash", "16777216T"], Err("--hash")),
        (&["suite", "--max-nodes", "0"], Ok("skipped")),
        (&["suite", "--max-nodes", "2e39"], Err("--max-nodes")),
        (&["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "255"], Ok("Nodes searched: 0")),
        (&["startpos", "3", "--kernel", "full", "--hash", "1M"], Err("--hash")),
        (&["startpos", "3", "--verify", "--hash", "0"], Err("--hash")),
        (&["suite", "--max-nodes", past_128_bits], Err("--max-nodes")),
        (&["plan", "startpos", "255", "--ply", "0"], Ok("\"depth\":255")),
        (&["plan", "startpos", "255", "--ply", "254"], Err("ply 254")),
        (&["plan", "startpos", "3", "--ply", "-1"], Err("-1")),
        (&["bench", "--rounds", "0"], Err("--rounds")),
        (&["bench", "--rounds", &long], Err("--rounds")),
        (&["sliders", "bench", "--look-ups", "0"], Err("--look-ups")),
        (&["sliders", "bench", "--look-ups", "1000000001"], Err("--look-ups")),
        (&["sliders", "verify", "--random", "0"], Ok("ok")),
        (&["sliders", "verify", "--random", "1000000001"], Err("--random")),
        (&["sliders", "find", "--bits", "0"], Err("--bits")),
        (&["sliders", "find", "--bits", "4294967296"], Err("--bits")),
        (&["sliders", "find", "--square", "a1", "--seconds", "31536000"], Ok("rook")),
        (&["sliders", "find", "--square", "a1", "--seconds", "31536001"], Err("--seconds")),
        (&["sliders", "find", "--square", "a1", "--seconds", "0"], Err("--seconds")),
        (&["check", "x", "--hunt", "--seconds", "1e99"], Err("--seconds")),
        (&["sliders", "find", "--seed", "18446744073709551616"], Err("--seed")),
        (&[&packed, &["--seeds", "18446744073709551616"][..]].concat(), Err("--seeds")),
        (&[&packed, &["--rounds", "18446744073709551615"][..]].concat(), Ok("packed length")),
        (&["check", "x", "--timeout", "0", "startpos", "3"], Err("--timeout")),
        (&["check", "x", "--timeout", "nan", "startpos", "3"], Err("--timeout")),
        (&["check", "x", "--timeout", "1e300", "startpos", "3"], Err("--timeout")),
        (&["check", "x", "--timeout=-1", "startpos", "3"], Err("--timeout")),
        (&["total", "a", "b", "--audit", "101%"], Err("percentage")),
        (&["total", "a", "b", "--audit", "nan"], Err("percentage")),
    ] {
        let shown: String = format!("{arguments:?}").chars().take(200).collect();
        let output = run(arguments);
        let is_right = match (ends_well(&shown, &output), wanted) {
            (0, Ok(part)) => stdout(&output).contains(part),
            (2, Err(part)) => stderr(&output).contains(part),
            _ => false,
        };
        if !is_right {
            wrong.push(format!("{shown}: wanted {wanted:?}, got {output:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text_are_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let strange = OsStr::from_bytes(b"\xff\xfe");
    for arguments in [
        &[strange, OsStr::new("3")][..],
        &[OsStr::new("startpos"), strange],
        &[OsStr::new("startpos"), OsStr::new("3"), OsStr::new("--moves"), strange],
        &[OsStr::new("board"), strange],
        &[OsStr::new("check"), strange],
        &[OsStr::new("sliders"), OsStr::new("show"), strange],
        // Names of files need not be UTF-8.
        &[OsStr::new("suite"), strange],
        &[OsStr::new("work"), strange],
        &[OsStr::new("total"), strange, strange],
    ] {
        let what = format!("{arguments:?}");
        assert_eq!(ends_well(&what, &run(arguments)), 2, "{what}");
    }
}

/// For every command that prints.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let dir = TestDir::new("full");
    dir.succeed(&["plan", "startpos", "6", "--ply", "3", "-o", "plan.jsonl"]);
    let results = dir.succeed(&["work", "plan.jsonl"]);
    dir.write("results.jsonl", &results);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in [
        &["startpos", "3"][..],
        &["startpos", "3", "--json"],
        &["divide", "startpos", "3"],
        &["stats", "startpos", "3"],
        &["board", "startpos"],
        &["board", "--list"],
        &["suite", "--max-nodes", "10"],
        &["bench", "--rounds", "1"],
        &["plan", "startpos", "3", "--ply", "1"],
        &["work", "plan.jsonl"],
        &["total", "plan.jsonl", "results.jsonl"],
        &["completions", "bash"],
        &["man"],
        &["sliders", "list"],
        &["sliders", "show", "a1"],
        &["sliders", "find", "--square", "a1"],
        &["sliders", "verify", "--random", "0"],
        &["sliders", "bitscan"],
        &["--help"],
        &["--version"],
    ] {
        let output = dir.command(arguments).stdout(full()).output().unwrap();
        ends_well(&format!("{arguments:?}"), &output);
        refused(&output, "standard output");
    }
    dir.write("commands", "uci\nquit\n");
    let commands = std::fs::File::open(dir.path("commands")).unwrap();
    let output = dir.command(&["uci"]).stdin(commands).stdout(full()).output().unwrap();
    refused(&output, "standard output");
    // Messages that cannot be written are no failure.
    let output = dir.command(&["startpos", "3"]).stderr(full()).output().unwrap();
    assert_eq!(driver::succeeded(&output), "Nodes searched: 8902\n");

    // A limit on the size of files, for a disk that fills up in the middle.
    let limited = |blocks, arguments: &str| {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments}");
        let mut shell = driver::plain("sh");
        shell.args(["-c", &script, driver::PERFT]).current_dir(dir.root());
        shell.stdin(Stdio::null()).output().unwrap()
    };
    refused(&limited(128, "plan startpos 6 --ply 3 -o new.jsonl"), "new.jsonl");
    assert_eq!(dir.names("new.jsonl"), [""; 0], "nothing is left");
    refused(&limited(128, "work plan.jsonl -o kept.jsonl"), "kept.jsonl");
    // Complete lines were written, and the same command resumes from there.
    let kept = dir.read("kept.jsonl");
    assert!(kept.len() > 32_768 && kept.ends_with("}\n"), "{} bytes", kept.len());
    dir.succeed(&["work", "plan.jsonl", "-o", "kept.jsonl"]);
    let total = dir.succeed(&["total", "plan.jsonl", "kept.jsonl"]);
    assert_eq!(total, "Nodes searched: 119060324\n");
    let units = "startpos 6 --checkpoint checkpoint.jsonl --merge table";
    refused(&limited(16, units), "checkpoint.jsonl");
    let resumed = dir.succeed(&["startpos", "6", "--checkpoint", "checkpoint.jsonl"]);
    assert_eq!(resumed, "Nodes searched: 119060324\n");
}

/// A directory without write permission and a file without read permission. Root may use both, so
/// as root the test runs the program as the user `nobody`.
#[cfg(unix)]
#[test]
fn a_forbidden_file_is_named() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let dir = TestDir::new("forbidden");
    dir.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    dir.write("secret", "x");
    let binary = dir.path("perft");
    std::fs::copy(driver::PERFT, &binary).unwrap();
    let permit = |path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    permit(binary.clone(), 0o755);
    permit(dir.path("secret"), 0o000);
    permit(dir.path("plan.jsonl"), 0o444);
    // Root can read it.
    let as_nobody = std::fs::read(dir.path("secret")).is_ok();
    let start = |arguments: &[&str]| {
        let mut command = driver::plain(&binary);
        command.args(arguments).current_dir(dir.root()).stdin(Stdio::null());
        if as_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output()
    };
    // In some containers root cannot change its user, or the user may not enter the directory.
    if let Err(error) = start(&["--version"]) {
        let place = dir.root().display();
        panic!(
            "the user nobody cannot run {place}/perft: {error} (run as another user or set TMPDIR)"
        );
    }
    permit(dir.root().to_owned(), 0o555);
    for (arguments, culprit) in [
        (&["suite", "secret"][..], "secret"),
        (&["work", "secret"], "secret"),
        (&["total", "plan.jsonl", "secret"], "secret"),
        (&["work", "plan.jsonl", "-o", "secret"], "secret"),
        (&["check", "./secret", "startpos", "3"], "secret"),
        (&["plan", "startpos", "3", "--ply", "1", "-o", "new.jsonl"], "new.jsonl"),
        (&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"], "plan.jsonl"),
        (&["work", "plan.jsonl", "-o", "new.jsonl"], "new.jsonl"),
        (&["startpos", "3", "--checkpoint", "new.jsonl"], "new.jsonl"),
        (&["man", "--dir", "pages"], "pages"),
        (&["man", "--dir", "."], "manual pages"),
    ] {
        let output = start(arguments).unwrap();
        ends_well(&format!("{arguments:?}"), &output);
        refused(&output, culprit);
    }
    permit(dir.root().to_owned(), 0o755);
}

/// No environment variables, closed standard streams, little memory.
#[cfg(target_os = "linux")]
#[test]
fn no_environment_is_needed() {
    let dir = TestDir::new("bare");
    for arguments in [
        &["startpos", "4"][..],
        &["suite", "--max-nodes", "1000"],
        &["man"],
        &["bench", "--rounds", "1"],
    ] {
        let output = dir.command(arguments).env_clear().output().unwrap();
        assert_eq!(ends_well(&format!("{arguments:?}"), &output), 0, "{arguments:?}");
        assert!(!stdout(&output).contains('\u{1b}'));
    }
    let shell = |script: &str| {
        let mut shell = driver::plain("sh");
        shell.args(["-c", script, driver::PERFT]).current_dir(dir.root());
        shell.output().unwrap()
    };
    assert_eq!(shell("exec \"$0\" startpos 4 >&-").status.code(), Some(0));
    assert_eq!(stdout(&shell("exec \"$0\" startpos 4 2>&-")), "Nodes searched: 197281\n");
    assert_eq!(stdout(&shell("exec \"$0\" startpos 4 <&-")), "Nodes searched: 197281\n");
    assert_eq!(shell("exec \"$0\" startpos 4 <&- >&- 2>&-").status.code(), Some(0));
    refused(&shell("exec \"$0\" - 4 <&-"), "standard input is empty");
    // Little memory, without a table and with one.
    let small = "ulimit -v 1000000; exec \"$0\" startpos 6 --threads 2";
    assert_eq!(stdout(&shell(&format!("{small} --hash 0"))), "Nodes searched: 119060324\n");
    refused(&shell(&format!("{small} --hash 4G")), "--hash");
}

/// Engines whose output is not text or has no end. Engines that know UCI and misbehave are in
/// `bugs.rs`.
#[test]
fn engines_may_print_anything() {
    for program in ["cat /dev/zero", "cat /dev/urandom", "yes", "false", "cat", "no-such-program"] {
        for protocol in ["uci", "script"] {
            let arguments = ["check", program, "--protocol", protocol, "--timeout", "1"];
            let output = run(&[&arguments[..], &["startpos", "3"]].concat());
            let what = format!("{program}, {protocol}");
            assert_eq!(ends_well(&what, &output), 2, "{what}: {}", stderr(&output));
        }
    }
}

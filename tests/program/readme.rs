//! The README is true: its commands are run, and what they print is compared where it is stable.
//!
//! A block of `console` has commands after `$ ` and below each what it prints, standard output
//! before standard error. Blanks may differ in number, and so may numbers with a decimal point
//! and percentages, which are measurements; of several `--rounds` of measuring one is enough.
//! Commands of cargo are those of `.ci/run`, which runs
//! them. Commands in the text are only looked at: the program has to know their words.

#[path = "../../benches/picture.rs"]
mod picture;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::driver::{Folder, PERFT, faulty_engine, plain, run, stderr, stdout};
use serde_json::Value;

fn here(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A command of the README and what it prints there.
struct Example {
    command: String,
    prints: Vec<String>,
}

fn examples(readme: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    for line in readme.lines() {
        match (line, is_console) {
            ("```console", _) => is_console = true,
            ("```", _) => is_console = false,
            (_, false) => {}
            (line, true) => match (line.strip_prefix("$ "), examples.last_mut()) {
                (Some(command), _) => {
                    examples.push(Example { command: command.to_owned(), prints: Vec::new() });
                }
                (None, Some(example)) => example.prints.push(line.to_owned()),
                (None, None) => panic!("{line:?} is printed by no command"),
            },
        }
    }
    examples
}

/// What is stable in a line: measurements become `#`, as does what depends on the CPU, and blanks
/// become one.
fn stable(line: &str) -> String {
    let mut line = line.to_owned();
    for name in ["pext", "fancy", "portable", "v2", "v3"] {
        for (before, after) in [("", " sliders,"), ("", " instructions"), ("cpu level ", "")] {
            let place = format!("{before}{name}{after}");
            line = line.replace(&place, &format!("{before}#{after}"));
        }
    }
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
    let mut text = String::new();
    let mut rest = line.as_str();
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|letter| !is_number(letter)).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let digits = number.trim_end_matches(['.', ',']);
        let is_measured = digits.contains('.') || after.starts_with(" %");
        text.push_str(before);
        text.push_str(if is_measured { "#" } else { digits });
        text.push_str(&number[digits.len()..]);
        rest = after;
    }
    text.push_str(rest);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines that say something, as they are compared.
fn stable_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    lines.into_iter().map(stable).filter(|line| !line.is_empty()).collect()
}

#[test]
fn measurements_are_told_from_counts() {
    assert_eq!(
        stable("1,234 nodes in 0.043 s,  2748.0 a second"),
        "1,234 nodes in # s, # a second"
    );
    assert_eq!(stable("a1  43 % (1.00)"), "a1 # % (#)");
    assert_eq!(stable("Nodes searched: 20."), "Nodes searched: 20.");
    assert_ne!(stable("Nodes searched: 20"), stable("Nodes searched: 21"));
}

#[test]
fn every_example_prints_what_it_says() {
    let readme = here("README.md");
    let examples = examples(&readme);
    assert!(examples.len() > 20, "{} examples", examples.len());
    let folder = Folder::new("readme");
    let path = stand_ins(&folder);
    let parallel = Command::new("parallel").arg("--version").output();
    let has_parallel = parallel.is_ok_and(|output| output.stdout.starts_with(b"GNU parallel"));
    assert!(
        has_parallel || std::env::var_os("PERFT_REQUIRE_STOCKFISH").is_none(),
        "GNU parallel is not installed"
    );
    let mut wrong = Vec::new();
    for Example { command, prints } in &examples {
        if command.starts_with("cargo ") {
            let line = command.split('#').next().unwrap_or_default().trim();
            let is_run = here(".ci/run").lines().any(|run| run == line);
            assert!(is_run, "{line:?} is not a line of .ci/run");
            continue;
        }
        if command.starts_with("parallel") && !has_parallel {
            eprintln!("NOT RUN, for want of GNU parallel: {command}");
            continue;
        }
        let output = plain("sh")
            .args(["-c", &one_round(command, "--rounds ")])
            .current_dir(folder.root())
            .env("PATH", &path)
            .stdin(Stdio::null())
            .output()
            .expect("sh is there");
        let (result, messages) = (stdout(&output), stderr(&output));
        let says =
            |words: &[&str]| prints.iter().any(|line| words.iter().any(|word| line.contains(word)));
        let code = match () {
            () if says(&["perft: "]) => 2,
            () if says(&["Different ", "DIFFERENT", "WRONG"]) => 1,
            () => 0,
        };
        // Of several commands only the last one's is known.
        if !command.contains('|') && output.status.code() != Some(code) {
            wrong.push(format!("$ {command}\n{}, not {code}\n{result}{messages}", output.status));
        }
        if prints.iter().all(String::is_empty) {
            if !output.status.success() || !result.is_empty() {
                wrong.push(format!("$ {command}\n{}\n{result}{messages}", output.status));
            }
            continue;
        }
        let printed = stable_lines(result.lines().chain(messages.lines()));
        let prints: Vec<String> = prints.iter().map(|line| one_round(line, "best of ")).collect();
        let expected = stable_lines(prints.iter().map(String::as_str));
        if printed != expected {
            wrong.push(format!(
                "$ {command}\nexpected:\n{}\nprinted:\n{}",
                expected.join("\n"),
                printed.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The text with the number of rounds, a digit after the given words, made 1.
fn one_round(text: &str, before: &str) -> String {
    match text.split_once(before) {
        Some((start, rest)) => format!("{start}{before}1{}", rest.get(1..).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// What the examples need besides the binary: an engine with a fault, and something that takes the
/// place of ssh and runs everything here. Returns the path that leads to them.
fn stand_ins(folder: &Folder) -> String {
    let engine = faulty_engine();
    let engine = format!("exec '{}' --without castle-rook-captured", engine.display());
    // A login sets SHELL, and GNU parallel wants it there.
    let ssh = "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n\
               shift 2\n\
               SHELL=/bin/sh exec sh -c \"$*\"";
    fs::create_dir(folder.path("path")).expect("a folder for programs");
    for (name, script) in [("my-engine", &*engine), ("path/ssh", ssh)] {
        folder.write(name, format!("#!/bin/sh\n{script}\n"));
        let made = Command::new("chmod").arg("+x").arg(folder.path(name)).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    let binaries = Path::new(PERFT).parent().expect("the binary is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{}:{path}", folder.path("path").display(), binaries.display())
}

/// Commands within sentences, without those that stand for something: `perft man`, but not
/// `perft plan POSITION DEPTH`.
#[test]
fn commands_in_the_text_are_known() {
    let readme = here("README.md");
    let mut seen = 0;
    for line in readme.lines() {
        for quoted in line.split('`').skip(1).step_by(2) {
            let Some(arguments) = quoted.strip_prefix("perft ") else { continue };
            let stands_for = |word: &str| {
                word.contains(['<', '[', '|', '\\', '.', '"'])
                    || word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase())
            };
            let words: Vec<&str> = arguments.split_whitespace().collect();
            // A line of a suite begins as a command does: `perft 1 20`.
            let is_count = words[0].parse::<u8>().is_ok();
            if is_count || words.iter().any(|word| stands_for(word)) {
                continue;
            }
            let output = run(&[&words[..], &["--help"]].concat());
            assert_eq!(output.status.code(), Some(0), "`{quoted}`: {}", stderr(&output));
            let help = stdout(&output);
            let is_count = words[0].starts_with("startpos") || words[0].starts_with('-');
            let usage = format!("Usage: perft {}", words[0]);
            assert!(is_count || help.contains(&usage), "`{quoted}` is no command: {help}");
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen} commands");
}

/// The picture shows the figures that are kept beside it, and so does the table.
#[test]
fn the_picture_is_of_what_was_measured() {
    let data: Value = serde_json::from_str(&here("benches/speed.json")).expect("JSON");
    assert_eq!(picture::draw(&data), here("benches/speed.svg"), "make it again with --save");
    let readme = here("README.md");
    assert!(!data["rows"].as_array().expect("a list").is_empty());
    for row in data["rows"].as_array().expect("a list") {
        let name = format!("| {} {} |", row["position"].as_str().expect("a name"), row["depth"]);
        let line = readme.lines().find(|line| line.starts_with(&name));
        let line = line.unwrap_or_else(|| panic!("the README has no row {name}"));
        for speed in row["speeds"].as_array().expect("a list") {
            assert!(line.contains(&format!("| {speed:.1} |")), "{speed} in {line}");
        }
    }
}

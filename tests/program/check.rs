//! `perft check`, the formats for CI, tests to paste, and the action.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::driver::{
    PERFT, TestDir, command, faulty_engine, interrupt, parsed, plain, refused, refused_with, run,
    run_with_input, stderr, stdout,
};
use crate::xml::{Element, junit_cases};
use perft_needs::needs;

const RULE: &str = "castle-rook-captured";

/// The engine without a rule.
fn without(rule: &str) -> String {
    format!("'{}' --without {rule}", faulty_engine().display())
}

/// `perft uci` as an engine.
fn ourselves() -> String {
    format!("'{PERFT}' uci")
}

fn check(engine: &str, arguments: &[&str]) -> Output {
    run(&[&["check", engine, "--max-nodes", "20000"], arguments].concat())
}

/// A shell script in the directory, as a command.
fn script(dir: &TestDir, name: &str, text: &str) -> String {
    dir.write(name, format!("#!/bin/sh\n{text}\n"));
    format!("sh '{}'", dir.path(name).display())
}

/// The text of the one element in a test case, which must have this name.
#[track_caller]
fn text_of<'a>(case: &'a Element, name: &str) -> &'a str {
    assert_eq!(case.children.len(), 1, "{case:?}");
    assert_eq!(case.children[0].name, name, "{case:?}");
    &case.children[0].text
}

#[test]
fn a_check_ends_at_the_first_mismatch_and_says_how_to_see_it_again() {
    let output = check(&without(RULE), &["--seed", "42"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    assert!(text.starts_with("Found at tricky.epd:72\n"), "{text}");
    assert!(text.contains(&format!("\nRule: {RULE}. ")), "{text}");
    assert!(text.contains(&format!(" ;id \"{RULE}\"\n")), "{text}");
    assert!(text.ends_with(&format!("\nDifferent: {RULE}.\n")), "{text}");
    let row = text.lines().find(|line| line.starts_with("tricky.epd ")).expect("a row");
    assert!(row.ends_with("1 DIFFERENT, 53 unfinished"), "{row}");
    assert!(!text.contains("standard.epd"), "{text}");
    // The command shows the same mismatch.
    let again = text.lines().find_map(|line| line.strip_prefix("To see it again: "));
    let again = again.expect("a command").replacen("perft", &format!("'{PERFT}'"), 1);
    let output = plain("sh").args(["-c", &again]).output().expect("sh is there");
    assert_eq!(output.status.code(), Some(1), "{again}: {}", stderr(&output));
    assert!(stdout(&output).contains(&format!("Rule: {RULE}.")), "{}", stdout(&output));
}

#[test]
fn a_check_without_a_mismatch_tries_everything() {
    let time = ["--seconds", "2", "--max-nodes", "1000"];
    let output = run(&[&["check", &ourselves(), "--chess960", "--seed", "7"], &time[..]].concat());
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    // On a slow machine the time for suites can end before them.
    let names = ["tricky.epd ", "standard.epd ", "chess960.epd ", "hunt, seed 7 "];
    for name in names.into_iter().chain(["hunt in Chess960, seed 7 "]) {
        let row = text.lines().find(|line| line.starts_with(name));
        let is_equal = |row: &str| row.ends_with("  equal") || row.ends_with(" unfinished");
        assert!(row.is_some_and(is_equal), "{name}: {text}");
    }
    assert_eq!(text.matches("\nCovered by the hunt").count(), 2, "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("No difference in ")));

    // Arguments of the engine may come after `--`.
    let output = run(&["check", PERFT, "--seconds", "0.2", "--json", "--", "uci"]);
    let found = parsed(&output);
    assert_eq!(output.status.code(), Some(0), "{found}");
    assert_eq!((&found["equal"], &found["mismatches"]), (&true.into(), &serde_json::json!([])));
    for stage in found["stages"].as_array().expect("a list") {
        let is_hunt = stage["name"].as_str().expect("a name").starts_with("hunt");
        assert_eq!(stage["coverage"].is_object(), is_hunt, "{stage}");
    }
    let faulty = faulty_engine().display().to_string();
    let output = run(&["check", "--", &faulty, "--without", RULE]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    refused(&run(&["check", &faulty, "--without", RULE]), "come after --");
    refused(&run(&["check", &faulty, "--second", "3"]), "did you mean --seconds?");
    refused(&run(&["check"]), "for example perft check ./engine;");
    refused(&run(&["check", "'x"]), "a quote is open");
    refused(&run(&["check", "/nowhere/engine"]), "cannot be started");
}

#[test]
fn coverage_has_positions_depths_and_rules() {
    let time = ["--seconds", "2", "--max-nodes", "100", "--json"];
    let output = run(&[&["check", &ourselves(), "--chess960", "--seed", "7"], &time[..]].concat());
    let found = parsed(&output);
    let stages = found["stages"].as_array().expect("a list");
    let hunts: Vec<_> = stages.iter().filter(|stage| stage["coverage"].is_object()).collect();
    assert_eq!(hunts.len(), 2, "{found}");
    for hunt in hunts {
        let coverage = &hunt["coverage"];
        assert!(hunt["positions"].as_u64() > Some(20), "{hunt}");
        assert!(hunt["nodes"].as_u64() > Some(1000) && hunt["nps"].as_u64() > Some(0), "{hunt}");
        assert_eq!(coverage["positions"], hunt["positions"]);
        let sum = |list: &serde_json::Value| -> u64 {
            let rows = list.as_array().expect("a list").iter();
            rows.map(|row| row["positions"].as_u64().expect("a number")).sum()
        };
        assert_eq!(Some(sum(&coverage["depths"])), coverage["positions"].as_u64(), "{hunt}");
        let rules = coverage["rules"].as_array().expect("a list");
        assert_eq!(rules.len(), perft_compare::rules::Rule::ALL.len());
        assert!(sum(&coverage["rules"]) > 100, "{coverage}");
    }
    let arguments = ["check", &ourselves(), "--hunt", "--seed", "7"];
    let output = run(&[&arguments[..], &["--seconds", "0.5"]].concat());
    let text = stdout(&output);
    assert!(text.contains("\nCovered by the hunt, seed 7: depths "), "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("No difference in ")));
}

/// An engine with two bugs: the one or the other, by the castling rights of the FEN. It fails at the
/// first position of the second suite, so that the test ends there.
#[test]
fn keep_going_reports_each_rule_once() {
    let dir = TestDir::new("keep-going");
    let faulty = faulty_engine();
    let rule = |rule: &str| format!("exec '{}' --without {rule} --script \"$@\"", faulty.display());
    let text = format!(
        "case $2 in rnbqkbnr/*) exit 3;; *' - '*' '*' '*) {};; *) {};; esac",
        rule("promotion-knight"),
        rule("castle-out-of-check")
    );
    let engine = script(&dir, "two.sh", &text);
    let options = ["--protocol", "script", "--max-nodes", "500", "--json", "--seconds", "600"];
    let arguments = [&["check", &engine, "--seed", "1"], &options[..]].concat();
    let output = run(&arguments);
    let first = parsed(&output);
    assert_eq!(output.status.code(), Some(1), "{first}");
    assert_eq!(first["mismatches"].as_array().map(Vec::len), Some(1), "{first}");
    let output = run(&[&arguments[..], &["--keep-going"]].concat());
    let all = parsed(&output);
    assert_eq!((output.status.code(), &all["equal"]), (Some(2), &false.into()), "{all}");
    let mismatches = all["mismatches"].as_array().expect("a list");
    let mut rules: Vec<&str> =
        mismatches.iter().filter_map(|found| found["cause"]["name"].as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["castle-out-of-check", "promotion-knight"], "{all}");
    let more: u64 = mismatches.iter().filter_map(|found| found["more"].as_u64()).sum();
    let wrong = all["stages"][0]["wrong"].as_u64().expect("a number");
    assert!(more > 0 && wrong == more + 2, "{all}");
    // A script is not given Chess960 without the flag.
    let reason = all["stages"][0]["skip_reason"].as_str();
    assert!(reason.is_some_and(|reason| reason.contains("--chess960")), "{all}");
}

#[test]
fn chess960_is_tried_if_the_engine_knows_it() {
    let dir = TestDir::new("no-chess960");
    let engine =
        script(&dir, "old.sh", &format!("'{PERFT}' uci | sed -u '/option name UCI_Chess960/d'"));
    let output = check(&engine, &["--seconds", "2"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    let row = text.lines().find(|line| line.starts_with("chess960.epd ")).expect("a row");
    assert!(row.ends_with("skipped: the engine has no option UCI_Chess960"), "{row}");
    assert!(!text.contains("hunt in Chess960"), "{text}");
    // Required, it is an error, and what was compared before is reported.
    let output = check(&engine, &["--seconds", "2", "--chess960"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("has no option \"UCI_Chess960\""), "{}", stderr(&output));
    assert!(stdout(&output).contains("ended by an error"), "{}", stdout(&output));
}

#[test]
fn an_engine_that_fails_in_the_middle_is_an_error() {
    let dir = TestDir::new("check-ends");
    // It fails at the first position of the second suite.
    let text = "case $2 in rnbqkbnr/*) exit 3;; esac; exec";
    let text = format!("{text} '{}' --script \"$@\"", faulty_engine().display());
    let engine = script(&dir, "ends.sh", &text);
    let arguments = ["check", &engine, "--protocol", "script", "--max-nodes", "60"];
    let output = run(&[&arguments[..], &["--json", "--seconds", "600"]].concat());
    let found = parsed(&output);
    assert_eq!(output.status.code(), Some(2), "{found}");
    assert!(found["equal"].is_null(), "{found}");
    assert!(found["stages"][0]["positions"].as_u64() > Some(50), "{found}");
    assert_eq!(found["stages"][1]["skipped"], 1, "{found}");
    assert_eq!(found["stages"][1]["unfinished"], 179, "{found}");
    assert!(stderr(&output).starts_with("perft: standard.epd: engine "), "{}", stderr(&output));
    let output = run(&[&arguments[..], &["--format", "junit", "--seconds", "600"]].concat());
    let cases = junit_cases(&stdout(&output));
    assert_eq!(cases.len(), 2, "{cases:?}");
    assert!(text_of(&cases[1], "error").contains("ended (exit status: 3)"), "{cases:?}");
    // Without any result, only CI gets a report.
    let exit = format!("'{}' --act exit", faulty_engine().display());
    refused(&check(&exit, &[]), "no licence found");
    refused(&check(&exit, &["--json"]), "no licence found");
    for arguments in [&["check", &exit][..], &["check", &exit, "startpos", "2"]] {
        let output = run(&[arguments, &["--format", "junit"]].concat());
        assert_eq!(output.status.code(), Some(2));
        let cases = junit_cases(&stdout(&output));
        assert!(text_of(&cases[0], "error").contains("no licence found"), "{cases:?}");
        let output = run(&[arguments, &["--format", "github"]].concat());
        assert!(stdout(&output).starts_with("::error title=perft c"), "{}", stdout(&output));
    }
}

#[test]
fn an_interrupted_check_reports_what_it_tried() {
    let engine = format!("'{}' --act slow", faulty_engine().display());
    let mut command = command(&["check", &engine, "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(1500));
    let output = interrupt(child);
    let found = parsed(&output);
    assert_eq!((&found["equal"], &found["interrupted"]), (&().into(), &true.into()), "{found}");
    assert!(found["stages"][0]["unfinished"].as_u64() > Some(0), "{found}");
}

#[test]
fn one_format_at_a_time() {
    let suite = |arguments: &[&str]| {
        run(&[&["suite", "tricky", "--max-nodes", "100", "--threads", "1"], arguments].concat())
    };
    let json = parsed(&suite(&["--json"]));
    assert_eq!(json["right"], true);
    for two in [
        &["--json", "--format", "junit"][..],
        &["--format", "text", "--json"],
        &["--format", "github", "--format", "junit"],
    ] {
        refused(&suite(two), "--format");
    }
    for wrong in ["xml", "json"] {
        refused(&suite(&["--format", wrong]), "[possible values: text, github, junit]");
    }
    let emit = ["check", PERFT, "--emit", "rust"];
    refused(&run(&[&emit[..], &["--json"]].concat()), "--emit");
    refused(&run(&[&emit[..], &["--format", "junit"]].concat()), "--emit");
    refused(&suite(&["--emit", "rust"]), "--emit");
}

#[test]
fn junit_files_have_every_failure_and_right_totals() {
    // A suite with control characters and markup in its name.
    let dir = TestDir::new("junit");
    let epd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 21 ;D2 400 ;D3 8903\n";
    dir.write("a <&\"b\u{1b}.epd", epd);
    let output = dir.perft(&["suite", "a <&\"b\u{1b}.epd", "tricky", "--format", "junit"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let cases = junit_cases(&stdout(&output));
    assert_eq!(cases.len(), 4, "{cases:?}");
    assert_eq!(cases[0].attribute("classname"), "a <&\"b .epd");
    assert_eq!(cases[0].children[0].attribute("message"), "expected 21, got 20");
    assert!(text_of(&cases[1], "failure").contains("next: perft divide 'rnbqkbnr/"), "{cases:?}");
    assert!(cases[2].children.is_empty() && cases[3].children.is_empty(), "{cases:?}");

    let engine = without(RULE);
    let position = [engine.as_str(), "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "2"];
    let suite = [engine.as_str(), "--suite", "tricky", "--max-nodes", "20000"];
    let hunt = [engine.as_str(), "--hunt", "--seed", "42", "--quiet"];
    for arguments in [&position[..], &suite, &hunt] {
        let output = run(&[&["check", "--format", "junit"], arguments].concat());
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let cases = junit_cases(&stdout(&output));
        assert_eq!(cases.len(), 1, "{cases:?}");
        let text = text_of(&cases[0], "failure");
        assert!(text.contains(&format!("Rule: {RULE}.")), "{text}");
        assert!(text.contains(&format!(" ;id \"{RULE}\"")), "{text}");
        assert_eq!(cases[0].children[0].attribute("message"), RULE);
    }
    let equal = [engine.as_str(), "startpos", "2"];
    let output = run(&[&["check", "--format", "junit"], &equal[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    let cases = junit_cases(&stdout(&output));
    assert!(cases.len() == 1 && cases[0].children.is_empty(), "{cases:?}");
    // A divide without its engine.
    let divide = stdout(&run(&["divide", "kiwipete", "1"])).replace("e1g1: 1\n", "");
    let stdin = ["check", "-", "kiwipete", "1", "--format", "junit"];
    let cases = junit_cases(&stdout(&run_with_input(&stdin, &divide)));
    assert!(text_of(&cases[0], "failure").contains("Rule: perhaps castle-king-side."), "{cases:?}");
}

#[test]
fn a_junit_file_comes_besides_the_output() {
    let dir = TestDir::new("junit-file");
    let engine = without(RULE);
    let check = ["check", &engine, "--max-nodes", "20000", "--junit", "a.xml"];
    for _ in 0..2 {
        let output = dir.perft(&check);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stdout(&output).contains(&format!("Different: {RULE}.")));
        let cases = junit_cases(&dir.read("a.xml"));
        assert!(text_of(&cases[0], "failure").contains(RULE), "{cases:?}");
    }
    // Nothing of others is overwritten, and that is said before the work.
    dir.write("a.xml", "mine");
    refused(&dir.perft(&check), "is not a JUnit file");
    assert_eq!(dir.read("a.xml"), "mine");
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let dir = TestDir::new("github");
    dir.write("summary.md", "before\n");
    dir.write("mine.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 21\n");
    let github = |arguments: &[&str]| {
        let mut command = dir.command(&[arguments, &["--format", "github"]].concat());
        command.env("GITHUB_STEP_SUMMARY", dir.path("summary.md"));
        command.output().expect("it runs")
    };
    let output = github(&["suite", "mine.epd"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    let start = "::error file=mine.epd,line=1,title=mine.epd%3A1%3A depth 1%3A expected 21%2C got";
    assert!(text.starts_with(start), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let engine = without(RULE);
    let text = stdout(&github(&["check", &engine, "--max-nodes", "20000"]));
    let title = format!("::error title=perft check%3A tricky.epd%3A72%3A {RULE}::Found at ");
    assert!(text.starts_with(&title), "{text}");
    assert!(text.contains(&format!("%0ARule: {RULE}. ")), "{text}");
    assert!(text.contains(&format!(" ;id \"{RULE}\"%0A")), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    let text = stdout(&github(&["suite", "tricky", "--max-nodes", "100"]));
    assert!(text.starts_with("::notice title=perft::other counts: "), "{text}");
    let summary = dir.read("summary.md");
    assert!(summary.starts_with("before\n### perft\n\n| check |"), "{summary}");
    assert_eq!(summary.matches("### perft\n").count(), 3, "{summary}");
    assert!(summary.contains(&format!("| perft check: tricky.epd:72 | **FAILED** | {RULE} |")));
    assert!(summary.contains(&format!("\nRule: {RULE}. ")), "{summary}");
    // A summary that cannot be written does not hide the result.
    let mut command = command(&["suite", "tricky", "--max-nodes", "100", "--format", "github"]);
    let output = command.env("GITHUB_STEP_SUMMARY", dir.root()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("cannot write the step summary"), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("::notice "));
}

/// The emitted test, alone on standard output; the report is on standard error.
fn emitted(arguments: &[&str], language: &str) -> String {
    let output = run(&[arguments, &["--emit", language]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains(&format!("Rule: {RULE}.")), "{}", stderr(&output));
    let quiet = run(&[arguments, &["--emit", language, "--quiet"]].concat());
    assert_eq!((stdout(&quiet), stderr(&quiet)), (stdout(&output), String::new()));
    stdout(&output)
}

#[needs(cpp)]
#[test]
fn an_emitted_test_in_cpp_compiles() {
    let dir = TestDir::new("emit-cpp");
    let position = ["r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "2"];
    let cpp = emitted(&[&["check", &without(RULE)], &position[..]].concat(), "cpp");
    let start = "#include <cassert>\n#include <cstdint>\n#include <string>\n#include <vector>\n\
                 uint64_t perft(const std::string&, const std::vector<std::string>&, int);\n";
    dir.write("test.cpp", format!("{start}{cpp}"));
    let checked = plain("c++")
        .current_dir(dir.root())
        .args(["-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "test.cpp"])
        .output()
        .expect("c++ is there");
    assert!(checked.status.success(), "{cpp}{}", stderr(&checked));
}

#[test]
fn emitted_tests_compile_and_find_the_bug() {
    let dir = TestDir::new("emit");
    let engine = without(RULE);
    let check = ["check", &engine, "--max-nodes", "20000"];
    let position = ["check", &engine, "r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "2"];
    let suite = ["check", &engine, "--suite", "tricky", "--max-nodes", "20000"];
    let rust = emitted(&suite, "rust");
    assert_eq!(rust.matches("#[test]\nfn castle_rook_captured()").count(), 1, "{rust}");
    // The function of the engine: right, and wrong as the engine is.
    let rust = emitted(&check, "rust");
    for (nodes, passes) in [(5, true), (6, false)] {
        let perft = format!(
            "fn perft(fen: &str, moves: &[&str], depth: u32) -> u64 {{\n    \
             assert!(fen.ends_with(\" 1\") && moves == [\"g2h1\"] && depth == 1);\n    {nodes}\n}}"
        );
        dir.write("test.rs", format!("#![deny(warnings)]\n{rust}\n{perft}\n"));
        let built = plain("rustc").current_dir(dir.root()).args(["--test", "test.rs"]).output();
        let built = built.expect("rustc is there");
        assert!(built.status.success(), "{rust}{}", stderr(&built));
        let test = plain(dir.path("test")).output().expect("it runs");
        assert_eq!(test.status.success(), passes, "{}", stdout(&test));
    }
    let cpp = emitted(&position, "cpp");
    assert!(cpp.contains("void test_castle_rook_captured() {"), "{cpp}");
    assert!(
        cpp.contains(r#"perft("r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", {"g2a8"}, 1) == "#),
        "{cpp}"
    );
    let python = emitted(&position, "python");
    assert!(python.contains("\ndef test_castle_rook_captured():\n"), "{python}");
    let hunt = ["check", &engine, "--hunt", "--seed", "42"];
    for epd in [emitted(&hunt, "epd"), emitted(&position, "epd")] {
        dir.write("found.epd", &epd);
        assert!(stdout(&dir.perft(&["suite", "found.epd"])).ends_with("  ok\n"), "{epd}");
        let compare = ["check", &engine, "--suite", "found.epd"];
        assert_eq!(dir.perft(&compare).status.code(), Some(1), "{epd}");
    }
    // Without a mismatch there is no test.
    let output = run(&["check", &engine, "startpos", "2", "--emit", "rust"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()));
    assert_eq!(stderr(&output), "Equal to depth 2: 400 nodes\n");
}

/// The parts of `action.yml` that a runner uses.
struct Action {
    /// The defaults of its inputs; `None` for one that is required.
    inputs: BTreeMap<String, Option<String>>,
    steps: Vec<Step>,
    outputs: BTreeMap<String, String>,
}

#[derive(Default)]
struct Step {
    environment: Vec<(String, String)>,
    script: String,
}

/// Reads the action: block mappings, plain and quoted values, and literal blocks.
fn action() -> Action {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    let text = fs::read_to_string(path).expect("the action is there");
    let mut action =
        Action { inputs: BTreeMap::new(), steps: Vec::new(), outputs: BTreeMap::new() };
    let mut keys: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if let (Some(step), Some((at, "run"))) =
            (action.steps.last_mut(), keys.last().map(|(at, key)| (*at, key.as_str())))
            && (indent > at || line.is_empty())
        {
            step.script += line.get(at + 2..).unwrap_or_default();
            step.script.push('\n');
            continue;
        }
        let (indent, line) = match line.trim_start().strip_prefix("- ") {
            Some(rest) => {
                action.steps.push(Step::default());
                (indent + 2, rest)
            }
            None => (indent, line.trim_start()),
        };
        let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{line:?} has no key"));
        let value = value.trim().trim_matches('"').to_owned();
        keys.retain(|(at, _)| *at < indent);
        let path: Vec<&str> = keys.iter().map(|(_, key)| key.as_str()).collect();
        match (path.as_slice(), key) {
            (["inputs"], name) => _ = action.inputs.insert(name.to_owned(), None),
            (["inputs", name], "default") => {
                action.inputs.insert((*name).to_owned(), Some(value));
            }
            (["outputs", name], "value") => {
                action.outputs.insert((*name).to_owned(), value);
            }
            (["runs", "steps", "env"], name) => {
                let step = action.steps.last_mut().expect("a step");
                step.environment.push((name.to_owned(), value));
            }
            (["runs", "steps"], "shell") => assert_eq!(value, "bash"),
            (["runs"], "using") => assert_eq!(value, "composite"),
            _ => {}
        }
        keys.push((indent, key.to_owned()));
    }
    action
}

/// Runs the action as GitHub's runner does: each step is a file for bash, and the environment names
/// the files for outputs and the summary. `cargo` is a stand-in that installs the binary of the
/// tests.
struct Runner {
    dir: TestDir,
}

impl Runner {
    fn new() -> Self {
        let dir = TestDir::new("action");
        for name in ["path", "work space", "temp dir"] {
            fs::create_dir(dir.path(name)).expect("a directory");
        }
        let cargo = format!(
            "#!/bin/sh\n\
             [ \"$1 $2 $3 $4\" = 'install --quiet --locked --path' ] || exit 9\n\
             [ -f \"$5/Cargo.toml\" ] && [ \"$6\" = --root ] || exit 9\n\
             mkdir -p \"$7/bin\" && ln -sf '{PERFT}' \"$7/bin/perft\"\n"
        );
        dir.write("path/cargo", cargo);
        dir.write("work space/engine", format!("#!/bin/sh\nexec {} \"$@\"\n", without(RULE)));
        for name in ["path/cargo", "work space/engine"] {
            let made = Command::new("chmod").arg("+x").arg(dir.path(name)).status();
            assert!(made.is_ok_and(|status| status.success()));
        }
        Self { dir }
    }

    /// The exit code, standard output, the outputs and the summary.
    fn run(
        &self,
        given: &[(&str, &str)],
    ) -> (Option<i32>, String, BTreeMap<String, String>, String) {
        let action = action();
        for (name, _) in given {
            assert!(action.inputs.contains_key(*name), "no input {name}");
        }
        let value = |expression: &str| -> String {
            let name = expression.strip_prefix("${{ inputs.").and_then(|it| it.strip_suffix(" }}"));
            let name = name.unwrap_or_else(|| panic!("{expression:?} is not an input"));
            let given = given.iter().find(|(key, _)| *key == name);
            let default = action.inputs[name].clone();
            given.map(|(_, value)| (*value).to_owned()).or(default).expect("a value")
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.dir.path("path").display());
        self.dir.write("output", "");
        self.dir.write("summary", "");
        assert_eq!(action.steps.len(), 2);
        let mut printed = String::new();
        let mut code = None;
        for step in &action.steps {
            assert!(!step.script.is_empty() && !step.script.contains("${{"), "{}", step.script);
            self.dir.write("step.sh", &step.script);
            let environment = step.environment.iter().map(|(key, text)| (key, value(text)));
            let output = plain("bash")
                .args(["--noprofile", "--norc", "-e", "-o", "pipefail"])
                .arg(self.dir.path("step.sh"))
                .current_dir(self.dir.path("work space"))
                .envs(environment)
                .env("PATH", &path)
                .env("GITHUB_ACTIONS", "true")
                .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
                .env("RUNNER_TEMP", self.dir.path("temp dir"))
                .env("GITHUB_OUTPUT", self.dir.path("output"))
                .env("GITHUB_STEP_SUMMARY", self.dir.path("summary"))
                .stdin(Stdio::null())
                .output()
                .expect("bash is there");
            printed += &stdout(&output);
            printed += &stderr(&output);
            code = output.status.code();
            if code != Some(0) {
                break;
            }
        }
        let outputs = self.dir.read("output");
        let outputs: BTreeMap<&str, &str> =
            outputs.lines().filter_map(|line| line.split_once('=')).collect();
        let step_output = |expression: &String| {
            let name = expression.strip_prefix("${{ steps.check.outputs.");
            let name = name.and_then(|it| it.strip_suffix(" }}")).expect("an output of a step");
            outputs.get(name).copied().unwrap_or_default().to_owned()
        };
        let outputs = action.outputs.iter().map(|(name, value)| (name.clone(), step_output(value)));
        (code, printed, outputs.collect(), self.dir.read("summary"))
    }
}

#[test]
fn the_action_checks_an_engine() {
    let runner = Runner::new();
    let (code, printed, outputs, summary) =
        runner.run(&[("engine", "./engine"), ("seed", "3"), ("args", "--max-nodes\n20000")]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.starts_with("::error title=perft check%3A tricky.epd%3A72"), "{printed}");
    assert_eq!((&*outputs["verdict"], &*outputs["junit"]), ("different", "perft-junit.xml"));
    assert!(summary.contains(&format!("**FAILED** | {RULE} |")), "{summary}");
    let cases = junit_cases(&runner.dir.read("work space/perft-junit.xml"));
    assert!(text_of(&cases[0], "failure").contains(&format!(";id \"{RULE}\"")), "{cases:?}");

    let engine = format!("'{PERFT}' uci");
    let (code, printed, outputs, summary) = runner.run(&[
        ("engine", &engine),
        ("seconds", "2"),
        ("chess960", "true"),
        ("keep-going", "true"),
        ("options", "Hash=1\nThreads=1\n"),
        ("junit", "temp report.xml"),
    ]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.starts_with("::notice title=perft::tricky.epd: "), "{printed}");
    assert_eq!((&*outputs["verdict"], &*outputs["junit"]), ("equal", "temp report.xml"));
    assert!(summary.contains("\n| perft check: tricky.epd | passed | "), "{summary}");
    assert!(summary.contains("\n| perft check: chess960.epd | "), "{summary}");
    assert_eq!(junit_cases(&runner.dir.read("work space/temp report.xml")).len(), 5);

    let (code, printed, outputs, _) = runner.run(&[("engine", "./missing")]);
    assert_eq!((code, &*outputs["verdict"]), (Some(2), "error"), "{printed}");
    assert!(printed.contains("::error title=perft check::engine \"./missing\""), "{printed}");
    let (code, _, outputs, _) = runner.run(&[("engine", "./engine"), ("args", "--nonsense")]);
    assert_eq!((code, &*outputs["verdict"]), (Some(2), "error"));
}

/// The inputs in the documentation are those of the action.
#[test]
fn the_inputs_of_the_action_are_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let action = action();
    for name in action.inputs.keys() {
        assert!(page.contains(&format!("\n| `{name}` | ")), "docs/ci.md has no row for {name}");
    }
    for name in action.outputs.keys() {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let yaml = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    assert!(yaml.is_some_and(|yaml| yaml.lines().count() <= 10), "more than ten lines");
}

#[test]
fn a_bad_check_is_refused_before_the_engine_starts() {
    refused_with(&run(&["check", "x", "--seconds", "0"]), 2, "a number of seconds above 0");
    refused(&run(&["check", "x", "--perft-command", "perft"]), "{depth}");
    refused(&run(&["check", "x", "--option", "UCI_Chess960=true"]), "use that");
    let script = ["check", "x", "--protocol", "script", "--option", "Hash=1"];
    refused(&run(&script), "--option is for UCI engines");
}

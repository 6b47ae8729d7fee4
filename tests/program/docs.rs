//! The documents, `README.md` and `docs/*.md`, are true: their commands are run and their output is
//! compared, their links lead somewhere, and every command's JSON is documented.
//!
//! A block of `console` has commands after `$ ` and their output below, standard output before
//! standard error. The commands of a document run in one directory, in their order.
//!
//! - Text: the number of blanks may differ, and so may numbers with a decimal point and
//!   percentages, which are measurements.
//! - JSON, on one line or pretty-printed: the keys, their order and the types of their values are
//!   the same, and so are the values, except for [`MEASURED`] keys and numbers with a decimal point.
//!   `"..."` at the end of a list stands for further elements of the same form.
//! - A command with `--rounds N` is run for one round.
//! - Commands of cargo are lines of `.ci/run`, which runs them.
//!
//! Commands in sentences (`perft man`) are not run, but their help must exist.

#[path = "../../crates/bench/src/picture.rs"]
mod picture;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::COMMANDS;
use crate::driver::{PERFT, TestDir, faulty_engine, plain, run, stderr, stdout, succeed};
use perft_needs::needs;
use serde_json::Value;

/// Keys whose values depend on the machine.
const MEASURED: [&str; 10] = [
    "seconds",
    "nps",
    "seconds_left",
    "line_checksum",
    "chained_per_second",
    "streamed_per_second",
    "replayed_per_second",
    "kernel",
    "sliders",
    "cpu",
];

const MAX_README_LINES: usize = 200;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The name and the text of each document; the README first.
fn documents() -> Vec<(String, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let files = fs::read_dir(&docs).unwrap_or_else(|error| panic!("{}: {error}", docs.display()));
    let names = files.map(|file| file.expect("a file").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a name in UTF-8")).collect();
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    let names = names.into_iter().map(|name| format!("docs/{name}"));
    ["README.md".to_owned()]
        .into_iter()
        .chain(names)
        .map(|name| (name.clone(), read(&name)))
        .collect()
}

/// The paragraphs, headings and tables of a document, without its blocks of code.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            continue;
        } else if line.trim().is_empty() || line.starts_with('#') {
            paragraphs.extend([line.to_owned(), String::new()]);
        } else if let Some(last) = paragraphs.last_mut() {
            last.extend([line, "\n"]);
        }
    }
    paragraphs.retain(|paragraph| !paragraph.trim().is_empty());
    paragraphs
}

/// The parts of a paragraph in backticks, and the others.
fn split_code(paragraph: &str) -> (Vec<&str>, Vec<&str>) {
    let parts = paragraph.split('`').enumerate();
    let (code, text): (Vec<_>, Vec<_>) = parts.partition(|(place, _)| place % 2 == 1);
    let texts = |parts: Vec<(usize, _)>| parts.into_iter().map(|(_, text)| text).collect();
    (texts(code), texts(text))
}

/// A command of a document and its output there.
struct Example {
    command: String,
    prints: Vec<String>,
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    for line in text.lines() {
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
    for example in &mut examples {
        example.prints = joined_json(&example.prints);
    }
    examples
}

/// The lines, with JSON that is spread over several of them put on one.
fn joined_json(lines: &[String]) -> Vec<String> {
    let mut joined = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let starts = lines[at].starts_with(['{', '[']);
        let ends = if starts { at + 1..lines.len() + 1 } else { 0..0 };
        let json = ends.map(|end| (end, lines[at..end].join("\n")));
        match json.into_iter().find(|(_, text)| json_of(text).is_some()) {
            Some((end, text)) => {
                joined.push(json_of(&text).unwrap_or_default().to_string());
                at = end;
            }
            None => {
                joined.push(lines[at].clone());
                at += 1;
            }
        }
    }
    joined
}

fn json_of(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())
}

/// The reason why JSON is not as documented.
fn json_mismatch(documented: &Value, printed: &Value) -> Option<String> {
    match (documented, printed) {
        (Value::Object(documented), Value::Object(printed)) => {
            let keys = |object: &serde_json::Map<String, Value>| -> Vec<String> {
                object.keys().cloned().collect()
            };
            if keys(documented) != keys(printed) {
                return Some(format!("keys {:?}, not {:?}", keys(printed), keys(documented)));
            }
            documented.iter().find_map(|(key, value)| {
                let is_measured = MEASURED.contains(&key.as_str());
                if is_measured && kind(value) == kind(&printed[key]) {
                    return None;
                }
                json_mismatch(value, &printed[key]).map(|why| format!("{key}: {why}"))
            })
        }
        (Value::Array(documented), Value::Array(printed)) => {
            let (shown, has_more) = match documented.split_last() {
                Some((last, shown)) if last == "..." => (shown, true),
                _ => (&documented[..], false),
            };
            let is_right_length = if has_more {
                printed.len() > shown.len() && !shown.is_empty()
            } else {
                printed.len() == shown.len()
            };
            if !is_right_length {
                return Some(format!("{} elements, not {}", printed.len(), documented.len()));
            }
            let pairs = shown.iter().zip(printed).enumerate();
            let in_pairs = pairs.filter_map(|(place, (documented, printed))| {
                json_mismatch(documented, printed).map(|why| format!("[{place}]: {why}"))
            });
            let further = printed[shown.len()..]
                .iter()
                .filter(|more| shown.iter().all(|documented| shape(documented) != shape(more)));
            let further = further.map(|more| format!("{more} has another form"));
            in_pairs.chain(further).next()
        }
        (documented, printed) if kind(documented) != kind(printed) => {
            Some(format!("{printed}, not {documented}"))
        }
        (documented, printed) => {
            let is_same = documented == printed || kind(documented) == "a fraction";
            (!is_same).then(|| format!("{printed}, not {documented}"))
        }
    }
}

/// The type of a value. Whole numbers have one of their own.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.to_string().contains(['.', 'e']) => "a fraction",
        Value::Number(_) => "a whole number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The keys of a value, with the types of their values.
fn shape(value: &Value) -> BTreeMap<String, &'static str> {
    let members = value.as_object().into_iter().flatten();
    let members = members.map(|(key, value)| (key.clone(), kind(value)));
    members.chain([(String::new(), kind(value))]).collect()
}

/// A line without what differs from run to run and from machine to machine: measurements and the
/// names of backends become `#`, blanks become one.
fn stable(line: &str) -> String {
    let mut line = line.to_owned();
    for name in ["fancy", "portable", "v3", "avx512"] {
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

/// The lines that are not empty.
fn filled_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    lines.into_iter().filter(|line| !line.trim().is_empty()).collect()
}

/// The reason why output is not as documented.
fn mismatch(documented: &[&str], printed: &[&str]) -> Option<String> {
    let lines = documented.iter().zip(printed);
    let differing =
        lines.map(|(documented, printed)| match (json_of(documented), json_of(printed)) {
            (Some(documented), Some(printed)) => json_mismatch(&documented, &printed),
            _ => (stable(documented) != stable(printed))
                .then(|| format!("{printed}\nis not\n{documented}")),
        });
    let count = format!("{} lines, not {}", printed.len(), documented.len());
    differing.flatten().next().or((printed.len() != documented.len()).then_some(count))
}

#[test]
fn measurements_may_differ_and_counts_may_not() {
    assert_eq!(
        stable("1,234 nodes in 0.043 s,  2748.0 a second"),
        "1,234 nodes in # s, # a second"
    );
    assert_eq!(stable("a1  43 % (1.00)"), "a1 # % (#)");
    assert_eq!(stable("Nodes searched: 20."), "Nodes searched: 20.");
    assert_ne!(stable("Nodes searched: 20"), stable("Nodes searched: 21"));
}

#[test]
fn json_is_compared_by_keys_types_and_values() {
    for (documented, printed, is_same) in [
        (r#"{"nodes":20}"#, r#"{ "nodes": 20 }"#, true),
        (r#"{"nodes":20}"#, r#"{"nodes":21}"#, false),
        (r#"{"nodes":20}"#, r#"{"nodes":20.0}"#, false),
        (r#"{"nodes":20}"#, r#"{"nodes":null}"#, false),
        (r#"{"nodes":20}"#, r#"{"leaves":20}"#, false),
        (r#"{"nodes":20}"#, r#"{"nodes":20,"depth":1}"#, false),
        (r#"{"nodes":20,"depth":1}"#, r#"{"depth":1,"nodes":20}"#, false),
        (r#"{"share":0.5}"#, r#"{"share":0.25}"#, true),
        (r#"{"nps":7}"#, r#"{"nps":9}"#, true),
        (r#"{"nps":7}"#, r#"{"nps":null}"#, false),
        (r#"{"cpu":"v3"}"#, r#"{"cpu":"portable"}"#, true),
        (r#"{"name":"v3"}"#, r#"{"name":"portable"}"#, false),
        (r#"[{"a":1}]"#, r#"[{"a":1},{"a":1}]"#, false),
        (r#"[{"a":1},"..."]"#, r#"[{"a":1},{"a":2},{"a":3}]"#, true),
        (r#"[{"a":1},"..."]"#, r#"[{"a":2},{"a":2}]"#, false),
        (r#"[{"a":1},"..."]"#, r#"[{"a":1},{"b":2}]"#, false),
        (r#"[{"a":1},"..."]"#, r#"[{"a":1},{"a":"2"}]"#, false),
        (r#"[{"a":1},"..."]"#, r#"[{"a":1}]"#, false),
    ] {
        let found = mismatch(&[documented], &[printed]);
        assert_eq!(found.is_none(), is_same, "{documented} and {printed}: {found:?}");
    }
    let pretty = ["before", "[", "  {", "    \"a\": 1", "  }", "]", "[ ] after"].map(str::to_owned);
    assert_eq!(joined_json(&pretty), ["before", r#"[{"a":1}]"#, "[ ] after"]);
}

fn uses_parallel(command: &str) -> bool {
    command.starts_with("parallel ")
}

#[test]
fn every_example_prints_its_output() {
    let run = check_examples("example", |command| !uses_parallel(command));
    assert!(run > 40, "{run} examples");
}

/// And those that make or read the plan that it works on.
#[needs(parallel)]
#[test]
fn every_example_of_gnu_parallel_prints_its_output() {
    let run = check_examples("parallel", |command| command.contains("plan.jsonl"));
    assert!(run > 4, "{run} examples");
    let commands = |text: &str| examples(text).into_iter().map(|example| example.command);
    let all: Vec<String> = documents().iter().flat_map(|(_, text)| commands(text)).collect();
    let of_parallel = all.iter().filter(|command| uses_parallel(command));
    assert!(of_parallel.clone().count() > 0);
    assert!(of_parallel.clone().all(|command| command.contains("plan.jsonl")), "{all:?}");
}

/// Runs the examples that are wanted, in a directory for each document; returns their number.
fn check_examples(name: &str, is_wanted: impl Fn(&str) -> bool) -> usize {
    let ci = read(".ci/run");
    let (mut run, mut wrong) = (0, Vec::new());
    for (document, text) in documents() {
        let dir = TestDir::new(&format!("{name}-{}", document.replace(['/', '.'], "-")));
        let path = stand_ins(&dir);
        for example in examples(&text).iter().filter(|example| is_wanted(&example.command)) {
            let command = &example.command;
            if command.starts_with("cargo ") {
                let line = command.split('#').next().unwrap_or_default().trim();
                assert!(ci.lines().any(|run| run == line), "{line:?} is not a line of .ci/run");
            } else if let Some(why) = wrong_output(example, &dir, &path) {
                wrong.push(format!("{document}: $ {command}\n{why}"));
            }
            run += 1;
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n\n"));
    run
}

/// Runs an example; returns the reason why its output or exit code is not as documented.
fn wrong_output(example: &Example, dir: &TestDir, path: &str) -> Option<String> {
    let Example { command, prints } = example;
    let output = plain("sh")
        .args(["-c", &one_round(command, "--rounds ")])
        .current_dir(dir.root())
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("sh is there");
    let (result, messages) = (stdout(&output), stderr(&output));
    let prints: Vec<String> = prints.iter().map(|line| one_round(line, "best of ")).collect();
    let documented = filled_lines(prints.iter().map(String::as_str));
    let has =
        |parts: &[&str]| prints.iter().any(|line| parts.iter().any(|part| line.contains(part)));
    let is_error = |line: &&String| line.contains("perft: ") && !line.contains("perft: warning: ");
    let code = match () {
        () if prints.iter().any(|line| is_error(&line)) => 2,
        () if has(&["Different ", "DIFFERENT", "WRONG", "\"equal\":false", "\"right\":false"]) => 1,
        () => 0,
    };
    // Of several commands only the exit code of the last is known.
    if !command.contains(['|', ';']) && output.status.code() != Some(code) {
        return Some(format!("{}, not {code}\n{result}{messages}", output.status));
    }
    // Without documented output it must succeed and print no result; messages are not shown.
    if documented.is_empty() {
        let is_right = output.status.success() && result.is_empty();
        return (!is_right).then(|| format!("{}\n{result}{messages}", output.status));
    }
    let printed = filled_lines(result.lines().chain(messages.lines()));
    mismatch(&documented, &printed).map(|why| format!("{why}\nprinted:\n{}\n", printed.join("\n")))
}

/// The text with the number of rounds, a digit after the given text, replaced by 1.
fn one_round(text: &str, before: &str) -> String {
    match text.split_once(before) {
        Some((start, rest)) => format!("{start}{before}1{}", rest.get(1..).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Makes the programs that the examples need: an engine that breaks a rule, and an `ssh` that runs
/// everything locally. Returns the search path that leads to them.
fn stand_ins(dir: &TestDir) -> String {
    let engine = faulty_engine();
    let engine = format!("exec '{}' --without castle-rook-captured", engine.display());
    // A login sets SHELL, which GNU parallel needs.
    let ssh = "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n\
               shift 2\n\
               SHELL=/bin/sh exec sh -c \"$*\"";
    fs::create_dir(dir.path("path")).expect("a directory for programs");
    for (name, script) in [("my-engine", &*engine), ("path/ssh", ssh)] {
        dir.write(name, format!("#!/bin/sh\n{script}\n"));
        let made = Command::new("chmod").arg("+x").arg(dir.path(name)).status();
        assert!(made.is_ok_and(|status| status.success()));
    }
    let binaries = Path::new(PERFT).parent().expect("the binary is in a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{}:{path}", dir.path("path").display(), binaries.display())
}

/// Commands in sentences, but for those with placeholders: `perft man`, not
/// `perft plan POSITION DEPTH`.
#[test]
fn commands_in_sentences_are_known() {
    let mut known = BTreeSet::new();
    for (name, text) in documents() {
        for paragraph in paragraphs(&text) {
            for quoted in split_code(&paragraph).0 {
                let Some(arguments) = quoted.strip_prefix("perft ") else { continue };
                let is_placeholder = |token: &str| {
                    token.contains(['<', '[', '|', '\\', '.', '"'])
                        || token.len() > 1
                            && token.chars().all(|letter| letter.is_ascii_uppercase())
                };
                let tokens: Vec<&str> = arguments.split_whitespace().collect();
                // A line of a suite: `perft 1 20`.
                let is_suite_line = tokens[0].parse::<u8>().is_ok();
                if is_suite_line || tokens.iter().any(|token| is_placeholder(token)) {
                    continue;
                }
                let output = run(&[&tokens[..], &["--help"]].concat());
                assert_eq!(
                    output.status.code(),
                    Some(0),
                    "{name}: `{quoted}`: {}",
                    stderr(&output)
                );
                let help = stdout(&output);
                let is_count = tokens[0].starts_with("startpos") || tokens[0].starts_with('-');
                let usage = format!("Usage: perft {}", tokens[0]);
                assert!(is_count || help.contains(&usage), "{name}: `{quoted}`: {help}");
                known.insert(quoted.to_owned());
            }
        }
    }
    assert!(known.len() >= 10, "{known:?}");
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= MAX_README_LINES, "{lines} lines");
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in paragraphs(text).iter().filter(|paragraph| paragraph.starts_with('#')) {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept: String = kept
            .chars()
            .filter(|&letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'))
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect();
        let repeated = (1..).map(|number| format!("{kept}-{number}"));
        let free = [kept.clone()].into_iter().chain(repeated).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

#[test]
fn links_lead_to_files_and_headings() {
    assert_eq!(
        anchors("# A (b), c\n## x --y\n### x --y\n```\n# no\n```\n"),
        ["a-b-c", "x---y", "x---y-1"].map(str::to_owned).into()
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut linked, mut broken) = (BTreeSet::new(), Vec::new());
    for (name, text) in documents() {
        let prose: String = paragraphs(&text).iter().flat_map(|part| split_code(part).1).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let from = root.join(&name);
            let target = from.parent().expect("a directory").join(file);
            let target = if file.is_empty() { from } else { target };
            let has_anchor = |path: &Path| {
                anchor.is_empty()
                    || fs::read_to_string(path).is_ok_and(|text| anchors(&text).contains(anchor))
            };
            if !target.exists() || !has_anchor(&target) {
                broken.push(format!("{name}: {link}"));
            }
            linked.extend(target.canonicalize().ok().filter(|_| name == "README.md"));
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
    for (name, _) in documents().into_iter().skip(1) {
        let path = root.join(&name).canonicalize().expect("it exists");
        assert!(linked.contains(&path), "README.md has no link to {name}");
    }
}

/// Every command with `--json` has an example in `docs/json.md` with its whole output, and every
/// key of the examples is explained there.
#[test]
fn the_json_of_every_command_is_documented() {
    let text = read("docs/json.md");
    let explained: BTreeSet<String> = paragraphs(&text)
        .iter()
        .flat_map(|paragraph| split_code(paragraph).0)
        .map(str::to_owned)
        .collect();
    let (mut commands, mut missing) = (Vec::new(), Vec::new());
    for Example { command, prints } in examples(&text) {
        let Some(value) = prints.first().and_then(|line| json_of(line)) else { continue };
        let unexplained = keys(&value).into_iter().filter(|key| !explained.contains(key));
        missing.extend(unexplained.map(|key| format!("key `{key}` of {command}")));
        // The output is whole if it goes through no other program.
        let pipelines = command.split(';').filter_map(|pipeline| pipeline.rsplit('|').next());
        let last = pipelines.filter_map(|last| last.trim().strip_prefix("perft "));
        commands.extend(last.filter(|last| last.contains("--json")).map(str::to_owned));
    }
    for &name in COMMANDS {
        if !succeed(&[name, &["--help"]].concat()).contains("--json") {
            continue;
        }
        let name = name.join(" ");
        let is_documented = |command: &String| match name.as_str() {
            // A plain count has no name.
            "" => command.starts_with("startpos ") || command.starts_with("kiwipete "),
            name => command.starts_with(&format!("{name} ")),
        };
        if !commands.iter().any(is_documented) {
            missing.push(format!("an example of perft {name} with its whole output"));
        }
    }
    assert!(missing.is_empty(), "docs/json.md lacks\n{}\n", missing.join("\n"));
}

/// The keys of a value and of all values in it.
fn keys(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Object(object) => {
            let nested = object.values().flat_map(keys);
            nested.chain(object.keys().cloned()).collect()
        }
        Value::Array(list) => list.iter().flat_map(keys).collect(),
        _ => BTreeSet::new(),
    }
}

#[test]
fn rust_examples_of_the_documents_are_doctests() {
    let lib = read("src/lib.rs");
    for (name, text) in documents() {
        if text.contains("\n```rust\n") {
            let included = format!("include_str!(\"../{name}\")");
            assert!(lib.contains(&included), "src/lib.rs has no {included}");
        }
    }
}

/// The picture and the table of the README show the figures in `crates/bench/speed.json`.
#[test]
fn speeds_are_those_that_were_measured() {
    let data: Value = serde_json::from_str(&read("crates/bench/speed.json")).expect("JSON");
    assert_eq!(picture::draw(&data), read("crates/bench/speed.svg"), "make it again with --save");
    let readme = read("README.md");
    let rows = data["rows"].as_array().expect("a list");
    assert!(!rows.is_empty());
    for row in rows {
        let name = format!("| {} {} |", row["position"].as_str().expect("a name"), row["depth"]);
        let line = readme.lines().find(|line| line.starts_with(&name));
        let line = line.unwrap_or_else(|| panic!("README.md has no row {name}"));
        for speed in row["speeds"].as_array().expect("a list") {
            assert!(line.contains(&format!("| {speed:.1} |")), "{speed} in {line}");
        }
    }
}

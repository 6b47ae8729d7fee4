//! `perft plan`, `work`, `total` and `--checkpoint`: the parts add up to the whole count.

use std::process::Stdio;
use std::time::Duration;

use crate::driver::{
    PERFT, TestDir, interrupt, parsed, plain, refused, refused_with, stderr, succeeded,
};
use perft_core::random::Rng;
use serde_json::{Value, json};

/// A plan of perft(5) of the start position, cut after two plies, and its results.
fn start_5(dir: &TestDir) -> (String, String) {
    dir.succeed(&["plan", "startpos", "5", "--ply", "2", "-o", "plan.jsonl"]);
    let results = dir.succeed(&["work", "plan.jsonl"]);
    dir.write("results.jsonl", &results);
    (dir.read("plan.jsonl"), results)
}

/// Changes the first `from` in a result, and gives it the checksum of the changed line.
fn changed(result: &str, from: &str, to: &str) -> String {
    const KEY: &str = "\"line_checksum\":\"";
    let (line, _) = result.split_once(KEY).expect("a checksum");
    let line = line.replacen(from, to, 1);
    let bytes = format!("{line}{KEY}\"}}").into_bytes();
    let sum = bytes.iter().fold(0, |sum, &byte| Rng::new(sum ^ u64::from(byte)).next_u64());
    format!("{line}{KEY}{sum:016x}\"}}")
}

const START_5: &str = "Nodes searched: 4865609\n";

#[test]
fn the_results_of_a_plan_add_up() {
    let dir = TestDir::new("whole");
    let (plan, results) = start_5(&dir);
    assert_eq!((plan.lines().count(), results.lines().count()), (401, 400));
    assert_eq!(dir.succeed(&["total", "plan.jsonl", "results.jsonl"]), START_5);
    // In any order, in several files, some repeated, some counted with other keys.
    let mut lines: Vec<&str> = results.lines().collect();
    Rng::new(1).shuffle(&mut lines);
    dir.write("a.jsonl", &(lines[..250].join("\n") + "\n"));
    dir.write("b.jsonl", &(lines[150..].join("\n") + "\n"));
    let again = dir.succeed(&["work", "plan.jsonl", "--other-keys", "--hash", "1M"]);
    assert!(again.contains("-swapped"));
    dir.write("c.jsonl", &again);
    let total = dir.succeed(&["total", "plan.jsonl", "a.jsonl", "b.jsonl", "c.jsonl"]);
    assert_eq!(total, START_5);
    for (share, range) in [("5%", 5..60), ("100%", 400..401)] {
        let total = ["total", "--json", "--audit", share, "plan.jsonl", "results.jsonl"];
        let json = parsed(&dir.perft(&total));
        assert_eq!((&json["nodes"], &json["units"]), (&4_865_609.into(), &400.into()));
        let audited = json["audited"].as_u64().expect("a number");
        assert!(range.contains(&audited), "{audited}");
    }
}

#[test]
fn plans_of_other_positions_add_up() {
    let dir = TestDir::new("variants");
    let chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    for (position, depth, ply, nodes) in [
        ("kiwipete", "4", "2", "4085603"),
        ("position3", "5", "0", "674624"),
        (chess960, "4", "3", "326672"),
    ] {
        let plan = ["plan", "--chess960", position, depth, "--ply", ply, "-o", "plan.jsonl"];
        dir.succeed(&plan);
        let results = dir.succeed(&["work", "plan.jsonl", "--threads", "3"]);
        dir.write("results.jsonl", &results);
        let total = dir.succeed(&["total", "plan.jsonl", "results.jsonl"]);
        assert_eq!(total, format!("Nodes searched: {nodes}\n"), "{position}");
    }
    // Mate: no units, no leaves.
    dir.succeed(&["plan", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "3", "--ply", "1", "-o", "plan.jsonl"]);
    dir.write("results.jsonl", "");
    let total = dir.succeed(&["total", "plan.jsonl", "results.jsonl"]);
    assert_eq!(total, "Nodes searched: 0\n");
}

#[test]
fn statistics_of_a_plan_add_up() {
    let dir = TestDir::new("stats");
    for (position, depth, ply) in [("kiwipete", "4", "1"), ("position3", "5", "2")] {
        dir.succeed(&["plan", position, depth, "--ply", ply, "-o", "plan.jsonl"]);
        dir.succeed(&["work", "plan.jsonl", "--stats", "--threads", "2", "-o", "results.jsonl"]);
        let total = dir.succeed(&["total", "plan.jsonl", "results.jsonl", "--stats"]);
        let whole = dir.succeed(&["stats", position, depth]);
        let last = |table: &str| -> Vec<String> {
            let last = table.lines().last().expect("a row");
            last.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!((last(&total), total.lines().count()), (last(&whole), 2), "{position}");
        let json =
            parsed(&dir.perft(&["total", "--json", "--stats", "plan.jsonl", "results.jsonl"]));
        assert_eq!(json["stats"]["nodes"], json["nodes"], "{json}");
        assert_eq!(json["stats"]["checks"].to_string(), last(&whole)[6], "{json}");
        // Without memory the trees are walked.
        let walked = dir.succeed(&["work", "plan.jsonl", "--stats", "--hash", "0"]);
        dir.write("walked.jsonl", &walked);
        let again = ["total", "plan.jsonl", "results.jsonl", "walked.jsonl", "--stats"];
        assert_eq!(dir.succeed(&again), total);
        std::fs::remove_file(dir.path("results.jsonl")).expect("a file");
    }
}

#[test]
fn results_with_and_without_statistics_are_told_apart() {
    let dir = TestDir::new("some-stats");
    let (_, plain) = start_5(&dir);
    let total = ["total", "plan.jsonl", "results.jsonl", "--stats"];
    refused(&dir.perft(&total), "has no statistics; count it with work --stats");
    // Units without statistics are counted again, those with them are not.
    let count = ["work", "plan.jsonl", "--stats", "-o", "results.jsonl"];
    assert!(stderr(&dir.perft(&count)).starts_with("400 units, 4,865,609 nodes"));
    assert!(stderr(&dir.perft(&count)).contains("0 units, 0 nodes"));
    let table = dir.succeed(&total);
    assert!(table.contains("4865609") && table.contains("27351"), "{table}");
    assert_eq!(dir.succeed(&["total", "plan.jsonl", "results.jsonl"]), START_5);
    // One changed number is found, and so are results that contradict each other.
    let results = dir.read("results.jsonl").replacen(&plain, "", 1);
    let line = results.lines().next().expect("a result");
    dir.write("wrong.jsonl", line.replacen("\"checks\":", "\"checks\":1", 1));
    refused(&dir.perft(&["total", "plan.jsonl", "wrong.jsonl"]), "the checksum is not that of");
    dir.write("wrong.jsonl", changed(line, "\"checks\":", "\"checks\":1"));
    let both = dir.perft(&["total", "plan.jsonl", "results.jsonl", "wrong.jsonl"]);
    refused_with(&both, 1, "has two counts");
}

#[test]
fn plans_and_results_that_do_not_match_are_refused() {
    let dir = TestDir::new("checks");
    let (plan, results) = start_5(&dir);
    let lines: Vec<&str> = results.lines().collect();
    let total = |results: &str| {
        dir.write("other.jsonl", results);
        dir.perft(&["total", "plan.jsonl", "other.jsonl"])
    };
    let id = &lines[7][7..39];

    let without: Vec<&str> = lines.iter().copied().filter(|line| !line.contains(id)).collect();
    refused_with(&total(&without.join("\n")), 1, id);
    refused_with(&total(&without.join("\n")), 1, "1 of 400 units have no result");

    let altered = changed(lines[7], "\"nodes\":", "\"nodes\":1");
    dir.write("altered.jsonl", &altered);
    let output = dir.perft(&["total", "plan.jsonl", "results.jsonl", "altered.jsonl"]);
    refused_with(&output, 1, "has two counts");
    assert!(stderr(&output).contains(&format!("results.jsonl:8: {}", lines[7])), "{output:?}");
    assert!(stderr(&output).contains(&format!("altered.jsonl:1: {altered}")), "{output:?}");

    let as_json = |results: &[&str]| {
        let output = dir.perft(&[&["total", "--json", "plan.jsonl"], results].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        parsed(&output)
    };
    let conflict = &as_json(&["results.jsonl", "altered.jsonl"])["conflict"];
    assert_eq!((&conflict["id"], &conflict["results"][0]["line"]), (&json!(id), &json!(8)));
    assert_eq!(conflict["results"][1]["file"], "altered.jsonl");

    // A wrong result without another to compare with is found by an audit.
    let wrong = results.replace(lines[7], &altered);
    assert_eq!(total(&wrong).status.code(), Some(0));
    let output = dir.perft(&["total", "plan.jsonl", "other.jsonl", "--audit", "100%"]);
    refused_with(&output, 1, "counted again with other keys");
    let conflict = &as_json(&["other.jsonl", "--audit", "100%"])["conflict"];
    assert_eq!((&conflict["id"], &conflict["results"][1]["audit"]), (&json!(id), &json!(true)));

    let first = |from, to| results.replacen(lines[0], &changed(lines[0], from, to), 1);
    let version = first("\"version\":\"", "\"version\":\"9");
    refused_with(&total(&version), 1, "results of two versions");
    assert_eq!(as_json(&["other.jsonl"])["versions"].as_array().map(Vec::len), Some(2));
    refused(
        &total(&first(&lines[0][7..39], "00000000000000000000000000000000")),
        "is not in plan.jsonl",
    );
    refused(&total(&first("\"depth\":3", "\"depth\":4")), "is counted to depth 4, not 3");
    refused(&total("nonsense\n"), "other.jsonl:1: not a JSON object");

    let plan_lines: Vec<&str> = plan.lines().collect();
    for (number, broken) in [
        (1, plan.replacen("perft_plan", "perft_pl", 1)),
        (1, plan.replacen("\"perft_plan\":2", "\"perft_plan\":3", 1)),
        (8, plan.replacen(plan_lines[7], "{\"id\":\"x\"}", 1)),
        (401, plan[..plan.len() - 5].to_owned()),
    ] {
        dir.write("broken.jsonl", &broken);
        let output = dir.perft(&["total", "broken.jsonl", "results.jsonl"]);
        refused(&output, &format!("broken.jsonl:{number}: "));
        if number > 1 {
            let output = dir.perft(&["work", "--quiet", "broken.jsonl"]);
            assert_eq!(output.status.code(), Some(2));
            assert!(stderr(&output).contains(&format!("broken.jsonl:{number}: ")), "{output:?}");
        }
    }
    for (from, to) in [
        ("\"depth\":5", "\"depth\":9"),
        ("\"ply\":2", "\"ply\":1"),
        ("8/8/8/8/PPPP", "8/8/8/P7/1PPP"),
    ] {
        dir.write("broken.jsonl", plan.replacen(from, to, 1));
        let output = dir.perft(&["total", "broken.jsonl", "results.jsonl"]);
        refused(&output, "broken.jsonl");
    }
    dir.write("deeper.jsonl", plan.replace("\"depth\":3", "\"depth\":2"));
    let output = dir.perft(&["work", "deeper.jsonl", "--resume", "results.jsonl"]);
    refused(&output, "another plan");
    let short = plan.replacen(&format!("{}\n", plan_lines[7]), "", 1);
    dir.write("broken.jsonl", &short);
    refused(&dir.perft(&["total", "broken.jsonl", "results.jsonl"]), "399 of 400 units");
    let twice = plan.replacen(plan_lines[7], plan_lines[8], 1);
    dir.write("broken.jsonl", &twice);
    refused(&dir.perft(&["total", "broken.jsonl", "results.jsonl"]), "is listed twice");
    refused(&dir.perft(&["plan", "startpos", "3", "--ply", "3"]), "ply 3 is not below");
    refused(&dir.perft(&["plan", "startpos", "30", "--ply", "9"]), "ply 9 is above 8");
    refused(&dir.perft(&["work", "no-such-file"]), "no-such-file");
    let over = ["plan", "startpos", "3", "--ply", "1", "-o", "results.jsonl"];
    refused(&dir.perft(&over), "is not a plan");
    assert_eq!(dir.read("results.jsonl"), results);
    refused(&dir.perft(&["total", "plan.jsonl", "results.jsonl", "--audit", "0%"]), "percentage");
    let too_few = ["total", "plan.jsonl", "results.jsonl", "--audit", "0.0001%"];
    refused(&dir.perft(&too_few), "larger percentage");
    assert_eq!(dir.succeed(&["plan", "startpos", "5", "--ply", "2", "-o", "-"]), plan);
    refused(&dir.perft(&["work", "."]), "directory");
}

/// One changed digit would be a wrong total.
#[test]
fn a_changed_digit_is_refused_with_its_line() {
    let dir = TestDir::new("digit");
    let (_, results) = start_5(&dir);
    let checkpoint = ["startpos", "6", "--checkpoint", "c.jsonl", "--merge", "table"];
    dir.succeed(&checkpoint);
    let commands = [
        &["total", "plan.jsonl", "r.jsonl"][..],
        &["work", "plan.jsonl", "--resume", "r.jsonl"],
        &["work", "plan.jsonl", "-o", "r.jsonl"],
        &checkpoint,
    ];
    let text = |command: &[&str]| match command {
        ["startpos", ..] => ("c.jsonl", dir.read("c.jsonl")),
        _ => ("r.jsonl", results.clone()),
    };
    let mut rng = Rng::new(1);
    for command in commands {
        let (name, whole) = text(command);
        let line = whole.lines().nth(20).expect("a result");
        let with = |other: &str| {
            let wrong = whole.replacen(line, other, 1);
            dir.write(name, &wrong);
            let output = dir.perft(command);
            assert_eq!(dir.read(name), wrong, "it is left as it was");
            output
        };
        for (at, digit) in line.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
            // Not 0, which may not stand first in JSON.
            let others: Vec<char> = ('1'..='9').filter(|&other| other != digit).collect();
            let mut other = line.to_owned();
            other.replace_range(at..=at, &others[rng.below(others.len())].to_string());
            refused(&with(&other), &format!("{name}:21: the checksum is not that of the line"));
        }
        let (bare, _) = line.split_once(",\"line_checksum\"").expect("a checksum");
        refused(&with(&format!("{bare}}}")), &format!("{name}:21: missing field `line_checksum`"));
        // The remedy.
        dir.write(name, whole.replacen(&format!("{line}\n"), "", 1));
        if command[0] == "total" {
            refused_with(&dir.perft(command), 1, &line[7..39]);
        } else {
            dir.succeed(command);
        }
    }
    // Every field of the first line of a checkpoint is compared.
    let whole = dir.read("c.jsonl");
    let header = whole.lines().next().expect("a header");
    for (at, digit) in header.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        let mut other = header.to_owned();
        let digit = (digit.to_digit(10).unwrap_or(0) + 1) % 10;
        other.replace_range(at..=at, &digit.to_string());
        dir.write("c.jsonl", whole.replacen(header, &other, 1));
        refused(&dir.perft(&checkpoint), "c.jsonl:1: not a checkpoint");
    }
}

#[test]
fn plans_of_another_format_are_refused() {
    let dir = TestDir::new("format");
    let (plan, _) = start_5(&dir);
    assert!(plan.starts_with("{\"perft_plan\":2,"), "{plan}");
    dir.write("other.jsonl", plan.replacen("\"perft_plan\":2", "\"perft_plan\":3", 1));
    for command in [
        &["total", "other.jsonl", "results.jsonl"][..],
        &["work", "other.jsonl"],
        &["work", "other.jsonl", "-o", "new.jsonl"],
    ] {
        let output = dir.perft(command);
        refused(&output, "other.jsonl:1: ");
        refused(&output, "plan format 3");
    }
    assert!(dir.names("new").is_empty());
}

#[test]
fn the_missing_units_are_a_plan() {
    let dir = TestDir::new("missing");
    let (_, results) = start_5(&dir);
    let some: Vec<&str> = results.lines().take(123).collect();
    dir.write("some.jsonl", &(some.join("\n") + "\n"));
    let rest = dir.succeed(&["total", "plan.jsonl", "some.jsonl", "--missing"]);
    assert_eq!(rest.lines().count(), 1 + 400 - 123);
    dir.write("rest.jsonl", &rest);
    let results = dir.succeed(&["work", "rest.jsonl"]);
    dir.write("others.jsonl", &results);
    // A part of the plan is not a plan of the whole count.
    let output = dir.perft(&["total", "rest.jsonl", "others.jsonl"]);
    refused(&output, "it is a part of a plan");
    assert_eq!(dir.succeed(&["total", "plan.jsonl", "some.jsonl", "others.jsonl"]), START_5);
}

#[test]
fn work_resumes_after_it_was_killed() {
    let dir = TestDir::new("resume");
    let (_, results) = start_5(&dir);
    let lines: Vec<&str> = results.lines().collect();
    for cut in [1, 20, 40] {
        // Killed in the middle of line 101.
        let torn =
            format!("{}\n{}", lines[..100].join("\n"), &lines[100][..lines[100].len() - cut]);
        dir.write("torn.jsonl", &torn);
        dir.succeed(&["work", "plan.jsonl", "-o", "torn.jsonl"]);
        let after = dir.read("torn.jsonl");
        assert_eq!(after.lines().count(), 400, "nothing is counted twice");
        assert_eq!(dir.succeed(&["total", "plan.jsonl", "torn.jsonl"]), START_5);

        dir.write("torn.jsonl", &torn);
        let more = dir.succeed(&["work", "plan.jsonl", "--resume", "torn.jsonl"]);
        assert_eq!(more.lines().count(), 300);
        dir.write("more.jsonl", &more);
        assert_eq!(dir.succeed(&["total", "plan.jsonl", "torn.jsonl", "more.jsonl"]), START_5);
    }
    // The last line is complete but for its line end.
    dir.write("torn.jsonl", lines[..100].join("\n").as_str());
    dir.succeed(&["work", "plan.jsonl", "-o", "torn.jsonl"]);
    assert_eq!(dir.read("torn.jsonl").lines().count(), 400);
    assert_eq!(dir.succeed(&["total", "plan.jsonl", "torn.jsonl"]), START_5);
}

/// Whether no unit has two lines.
fn has_no_repeats(checkpoint: &str) -> bool {
    let mut ids: Vec<&str> =
        checkpoint.lines().skip(1).filter_map(|line| line.get(7..39)).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    ids.len() == all
}

#[test]
fn a_checkpoint_survives_kills() {
    let dir = TestDir::new("checkpoint");
    let count = [
        "startpos",
        "7",
        "--checkpoint",
        "c.jsonl",
        "--kernel",
        "simple",
        "--hash",
        "0",
        "--quiet",
    ];
    let mut rng = Rng::new(1);
    for _ in 0..6 {
        let mut child = dir.command(&count).stdout(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(30 + rng.below(200) as u64));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
    }
    assert!(dir.read("c.jsonl").lines().count() > 1, "nothing was saved");
    assert_eq!(dir.succeed(&count), "Nodes searched: 3195901860\n");
    let text = dir.read("c.jsonl");
    assert!(has_no_repeats(&text));
    assert_eq!(text.lines().count(), 1 + 5_362);
    // Nothing is left to count.
    assert_eq!(dir.succeed(&count), "Nodes searched: 3195901860\n");
    assert_eq!(dir.read("c.jsonl"), text);
}

#[test]
fn a_checkpoint_of_another_count_is_refused() {
    let dir = TestDir::new("another");
    let units = ["--checkpoint", "c.jsonl", "--merge", "table"];
    let count = |args: &[&str]| dir.perft(&[args, &units].concat());
    assert_eq!(count(&["startpos", "5"]).status.code(), Some(0));
    let text = dir.read("c.jsonl");
    refused(&count(&["startpos", "6"]), "not a checkpoint of this count: its depth is 5, not 6");
    refused(&count(&["kiwipete", "5"]), "its fen is");
    refused(&count(&["divide", "startpos", "5"]), "--checkpoint");
    refused(&count(&["startpos", "0"]), "depth 0");
    assert_eq!(dir.read("c.jsonl"), text, "it is left as it was");
    dir.write("c.jsonl", text.replacen("\"version\":\"", "\"version\":\"9", 1));
    refused(&count(&["startpos", "5"]), "its version is");
    let header = text.lines().next().expect("a header");
    let first = text.lines().nth(1).expect("a result");
    for wrong in [
        text.replacen(first, &changed(first, "\"depth\":4,", "\"depth\":1,"), 1),
        format!("{text}{}\n", changed(first, "\"nodes\":", "\"nodes\":1")),
        format!("{text}{}\n", changed(first, "\"version\":\"", "\"version\":\"9")),
        format!("{text}{}\n", changed(first, &first[7..15], "00000000")),
        format!("{header}\n\"half\n{first}\n"),
    ] {
        dir.write("c.jsonl", &wrong);
        refused(&count(&["startpos", "5"]), "c.jsonl:");
        assert_eq!(dir.read("c.jsonl"), wrong, "it is left as it was");
    }
    // Files that are not checkpoints are left alone.
    for precious in [
        "what is this\nnot a checkpoint\n",
        "my notes",
        "my notes\nunended",
        "{\"name\":\"my-app\",\"version\":\"1.2.3\"}",
        "{\"name\":\"my-app\",\"vers",
        "{",
        "\0\0\0\0",
    ] {
        dir.write("c.jsonl", precious);
        refused(&count(&["startpos", "5"]), "not a checkpoint; give --checkpoint a new file");
        assert_eq!(dir.read("c.jsonl"), precious);
        dir.succeed(&["plan", "startpos", "5", "--ply", "2", "-o", "plan.jsonl"]);
        refused(&dir.perft(&["work", "plan.jsonl", "-o", "c.jsonl"]), "c.jsonl:1: ");
        assert_eq!(dir.read("c.jsonl"), precious);
    }
    // A complete line without its line end is not a torn one.
    let other = changed(first, "\"version\":\"", "\"version\":\"9");
    for (wrong, culprit) in
        [(header.to_owned(), "depth"), (format!("{header}\n{other}"), "versions")]
    {
        dir.write("c.jsonl", &wrong);
        let deeper = if culprit == "depth" { "6" } else { "5" };
        refused(&count(&["startpos", deeper]), culprit);
        assert_eq!(dir.read("c.jsonl"), wrong);
    }
}

/// A torn line of ours is removed, with zeros after it; any other last line is kept.
#[test]
fn only_torn_lines_of_ours_are_removed() {
    let dir = TestDir::new("cut");
    dir.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    let precious = "{\"id\":\"tt0111161\",\"title\":\"my only copy\",\"data\":[1,2,";
    for writes in [&["work", "plan.jsonl", "-o"][..], &["startpos", "3", "--checkpoint"]] {
        for text in [precious.to_owned(), format!("{{\"id\":\"{}", "a".repeat(70_000))] {
            dir.write("user.json", &text);
            refused(&dir.perft(&[writes, &["user.json"]].concat()), "user.json:1: ");
            assert_eq!(dir.read("user.json"), text);
        }
    }
    dir.succeed(&["work", "plan.jsonl", "-o", "whole.jsonl"]);
    let whole = dir.read("whole.jsonl");
    let second = whole.find('\n').expect("a line") + 1;
    // Zeros in the middle of a file are kept: what follows them is not ours.
    let hole = format!("{}{}precious", &whole[..second], "\0".repeat(1 << 16));
    for text in [&whole[..20], "\0\0", &hole] {
        dir.write("kept.jsonl", text);
        refused(&dir.perft(&["work", "plan.jsonl", "-o", "kept.jsonl"]), "kept.jsonl:");
        assert_eq!(dir.read("kept.jsonl"), *text);
    }
    for cut in [39, 45, 60, second, second + 3, second + 20, second + 45] {
        for zeros in ["", "\0\0\0\0", &"\0".repeat(200_000)] {
            dir.write("kept.jsonl", format!("{}{zeros}", &whole[..cut]));
            dir.succeed(&["work", "plan.jsonl", "-o", "kept.jsonl"]);
            let total = dir.succeed(&["total", "plan.jsonl", "kept.jsonl"]);
            assert_eq!(total, "Nodes searched: 8902\n", "{cut}");
        }
    }
}

/// `>>` after a worker was killed appends a line to half of another.
#[test]
fn a_line_after_half_of_another_counts() {
    let dir = TestDir::new("fused");
    dir.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    let results = dir.succeed(&["work", "plan.jsonl", "--quiet"]);
    for cut in [1, 9, 30, 60, 100] {
        dir.write("results.jsonl", format!("{}{results}", &results[..cut]));
        let output = dir.perft(&["total", "plan.jsonl", "results.jsonl", "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{cut}: {output:?}");
        assert!(stderr(&output).contains("results.jsonl:1: a line is cut off"), "{output:?}");
    }
}

/// Even for a ply with far too many lines to count.
#[test]
fn a_header_with_too_few_units_is_refused_at_once() {
    let dir = TestDir::new("partial");
    let queens = "krq4Q/bn5Q/2qQ2q1/q2q1Q2/2Q3qQ/1Q2Q3/1qqQ2NB/3q2RK w - - 0 1";
    let header = |checksum: &str| {
        let header = json!({ "perft_plan": 2, "fen": queens, "chess960": false, "depth": 9,
            "ply": 8, "units": 0, "multiplicity": 0, "checksum": checksum });
        dir.write("plan.jsonl", format!("{header}\n"));
        dir.write("results.jsonl", "");
        dir.perft(&["total", "plan.jsonl", "results.jsonl"])
    };
    let message = stderr(&header("0"));
    let right = message.split("checksum ").nth(1).and_then(|rest| rest.split(',').next());
    refused(&header(right.expect("the right checksum")), "a part of a plan");
}

#[test]
fn escape_sequences_in_results_are_not_printed() {
    let dir = TestDir::new("escapes");
    dir.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    let results = dir.succeed(&["work", "plan.jsonl", "--quiet"]);
    let evil = "\"version\":\"\\u001b[2J\\u001b]0;x\\u0007\u{9b}\\nperft: all good\"";
    let first = results.lines().next().expect("a result");
    let other = changed(first, "\"version\":\"0.1.0\"", evil);
    dir.write("results.jsonl", results.replacen(first, &other, 1));
    refused_with(&dir.perft(&["total", "plan.jsonl", "results.jsonl"]), 1, "two versions");
    let message = stderr(&dir.perft(&["total", "plan.jsonl", "results.jsonl"]));
    assert_eq!(message.lines().count(), 1, "{message:?}");
    assert!(!message.trim_end().contains(char::is_control), "{message:?}");
}

#[test]
fn a_refused_command_creates_and_changes_no_files() {
    let dir = TestDir::new("behind");
    refused(&dir.perft(&["work", "no.jsonl", "-o", "new.jsonl"]), "no.jsonl");
    refused(&dir.perft(&["startpos", "6", "--checkpoint", "new.jsonl", "--hash", "9999T"]), "");
    refused(&dir.perft(&["startpos", "6", "--checkpoint", "-"]), "--checkpoint");
    dir.write("perft-divide.1", "my notes");
    refused(&dir.perft(&["man", "--dir", "."]), "perft-divide.1");
    assert_eq!(dir.read("perft-divide.1"), "my notes");
    assert!(dir.names("new").is_empty());
}

/// A plan is written to a file of another name first, and renamed.
#[test]
fn the_temporary_file_of_a_plan_overwrites_nothing() {
    let dir = TestDir::new("beside");
    dir.write("plan.jsonl.partial", "precious");
    let plan = "plan startpos 3 --ply 1 -o plan.jsonl";
    dir.succeed(&plan.split(' ').collect::<Vec<_>>());
    assert_eq!(dir.read("plan.jsonl.partial"), "precious");
    assert_eq!(dir.names("plan.jsonl"), ["plan.jsonl", "plan.jsonl.partial"]);

    // Not even a file of that very name: a shell knows the process number beforehand.
    let script = format!("echo precious > \"plan.jsonl.$$.partial\"; exec '{PERFT}' {plan}");
    let mut shell = plain("sh");
    let output = shell.args(["-c", &script]).current_dir(dir.root()).output().expect("sh");
    refused(&output, "plan.jsonl");
    assert_eq!(dir.names("plan.jsonl").len(), 3);
    for name in dir.names("plan.jsonl.") {
        assert!(dir.read(&name).starts_with("precious"), "{name}");
    }
}

/// `total` reads a plan twice.
#[cfg(unix)]
#[test]
fn a_plan_must_be_a_plain_file() {
    let dir = TestDir::new("pipe");
    start_5(&dir);
    let total = "cat plan.jsonl | \"$0\" total /dev/stdin results.jsonl --missing";
    let mut shell = plain("sh");
    let shell = shell.args(["-c", total, PERFT]).current_dir(dir.root()).stdin(Stdio::null());
    refused(&shell.output().expect("sh is there"), "plain file");
    let header = dir.read("plan.jsonl").lines().next().expect("a header").to_owned();
    let deep = header.replace("\"depth\":5,\"ply\":2", "\"depth\":20,\"ply\":14");
    dir.write("deep.jsonl", format!("{deep}\n"));
    refused(&dir.perft(&["total", "deep.jsonl", "results.jsonl"]), "after 14 plies, 8 at most");
    // Results are lost if standard output is closed: that is an error.
    let unread = "\"$0\" work plan.jsonl --quiet --kernel simple | head -0; exit";
    let mut shell = plain("bash");
    let unread = shell.args(["-o", "pipefail", "-c", unread, PERFT]).current_dir(dir.root());
    let output = unread.output().expect("bash is there");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("standard output was closed"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupted_checkpoint_is_resumed() {
    let dir = TestDir::new("resumed");
    let count = ["startpos", "7", "--checkpoint", "c.jsonl", "--json"];
    let mut child = dir.command(&count);
    let child = child.args(["--kernel", "simple", "--hash", "0"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(300));
    let unfinished = parsed(&interrupt(child));
    let known = dir.read("c.jsonl").lines().count() - 1;
    assert_eq!(
        (&unfinished["interrupted"], &unfinished["nodes"], &unfinished["units_known"]),
        (&json!(true), &json!(null), &json!(known))
    );
    let finished = parsed(&dir.perft(&count));
    assert_eq!(
        (&finished["nodes"], &finished["units"], &finished["units_known"]),
        (&json!(3_195_901_860_u64), &json!(5_362), &json!(known))
    );
}

/// A count of several passes.
const PASSES: [&str; 8] =
    ["startpos", "7", "--checkpoint", "c.jsonl", "--hash", "1M", "--threads", "1"];
const START_7: &str = "Nodes searched: 3195901860\n";

/// A finished checkpoint of [`PASSES`]: its first line, and those of its passes.
fn passes_of_start_7(dir: &TestDir) -> (String, Vec<String>) {
    assert_eq!(dir.succeed(&PASSES), START_7);
    let text = dir.read("c.jsonl");
    let mut lines = text.lines().map(str::to_owned);
    let header = lines.next().expect("a header");
    assert!(header.starts_with("{\"perft_checkpoint\":2,\"parts\":\"passes\","), "{header}");
    let passes: Vec<String> = lines.collect();
    assert!(passes.len() >= 3, "{text}");
    (header, passes)
}

/// The ranges of halves in a checkpoint, sorted.
fn ranges(checkpoint: &str) -> Vec<[u64; 2]> {
    let mut ranges: Vec<[u64; 2]> = checkpoint
        .lines()
        .skip(1)
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON");
            [0, 1].map(|end| line["halves"][end].as_u64().expect("a number"))
        })
        .collect();
    ranges.sort_unstable();
    ranges
}

/// True if the ranges of a checkpoint are all halves, each once.
fn is_whole(checkpoint: &str) -> bool {
    let end =
        ranges(checkpoint).iter().try_fold(0, |end, range| (range[0] == end).then_some(range[1]));
    end == Some(1 << 16)
}

/// Killed after any pass, or in the middle of any line, the count goes on with what is missing.
#[test]
fn passes_go_on_after_any_kill() {
    let dir = TestDir::new("passes");
    let (header, passes) = passes_of_start_7(&dir);
    let kept: Vec<&str> = passes.iter().map(String::as_str).collect();
    for known in 0..=passes.len() {
        let lines = [&[header.as_str()], &kept[..known]].concat().join("\n");
        let next = passes.get(known).map_or("", String::as_str);
        for torn in [0, 1, 5, 30, 60, next.len().saturating_sub(1)] {
            let Some(torn) = next.get(..torn) else { continue };
            dir.write("c.jsonl", format!("{lines}\n{torn}"));
            let report = parsed(&dir.perft(&[&PASSES[..], &["--json"]].concat()));
            let text = dir.read("c.jsonl");
            assert!(text.starts_with(&lines) && is_whole(&text), "{known} {torn:?}: {text}");
            let all = text.lines().count() - 1;
            assert_eq!(
                (&report["nodes"], &report["passes"], &report["passes_known"]),
                (&json!(3_195_901_860_u64), &json!(all), &json!(known)),
                "{known} {torn:?}"
            );
        }
    }
    // A torn first line, and passes in another order with gaps.
    dir.write("c.jsonl", &header[..header.len() - 9]);
    assert_eq!(dir.succeed(&PASSES), START_7);
    dir.write("c.jsonl", format!("{header}\n{}\n{}\n", passes[2], passes[0]));
    assert_eq!(dir.succeed(&PASSES), START_7);
    assert!(is_whole(&dir.read("c.jsonl")), "{}", dir.read("c.jsonl"));
}

#[test]
fn a_count_in_passes_survives_kills() {
    let dir = TestDir::new("killed-passes");
    let count = ["startpos", "8", "--checkpoint", "c.jsonl", "--hash", "16M", "--quiet"];
    let count = [&count[..], &["--merge", "layers"]].concat();
    let mut rng = Rng::new(2);
    for _ in 0..6 {
        let mut child = dir.command(&count).stdout(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(100 + rng.below(400) as u64));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
    }
    assert_eq!(dir.succeed(&count), "Nodes searched: 84998978956\n");
    assert!(is_whole(&dir.read("c.jsonl")), "{}", dir.read("c.jsonl"));
}

/// A range of halves does not depend on the memory.
#[test]
fn passes_go_on_with_other_memory_and_threads() {
    let dir = TestDir::new("memory");
    let (header, passes) = passes_of_start_7(&dir);
    // The last has too little for as few passes as a new count may have.
    for hash in ["64M", "2M", "500K"] {
        for threads in ["1", "2"] {
            dir.write("c.jsonl", format!("{header}\n{}\n{}\n", passes[0], passes[2]));
            let count = ["startpos", "7", "--checkpoint", "c.jsonl", "--hash", hash];
            assert_eq!(dir.succeed(&[&count[..], &["--threads", threads]].concat()), START_7);
            let text = dir.read("c.jsonl");
            assert!(is_whole(&text) && text.contains(&passes[0]), "{hash}: {text}");
        }
    }
    // If not even the layers above fit, nothing is lost.
    let some = format!("{header}\n{}\n", passes[0]);
    dir.write("c.jsonl", &some);
    let small = ["startpos", "7", "--checkpoint", "c.jsonl", "--hash", "64K"];
    refused(
        &dir.perft(&small),
        "c.jsonl: the memory does not hold its passes; give a larger --hash",
    );
    assert_eq!(dir.read("c.jsonl"), some);
    // Without a finished pass there is nothing to lose, and units need less.
    for text in [String::new(), format!("{header}\n"), format!("{header}\n{{\"id")] {
        dir.write("c.jsonl", text);
        let output = dir.perft(&small);
        assert_eq!(succeeded(&output), START_7);
        assert!(stderr(&output).contains("counted in units: layers do not fit"), "{output:?}");
        assert!(has_no_repeats(&dir.read("c.jsonl")));
        assert_eq!(dir.read("c.jsonl").lines().count(), 1 + 5_362);
        // The same command goes on with them.
        assert_eq!(dir.succeed(&small), START_7);
    }
    // Layers that were asked for are not replaced.
    dir.write("c.jsonl", "");
    let layers = [&small[..], &["--merge", "layers"]].concat();
    refused(&dir.perft(&layers), "c.jsonl: the memory does not hold its passes");
}

/// Many lines to few positions: the numbers do not fit, and units are counted.
#[test]
fn passes_with_too_many_lines_become_units() {
    let dir = TestDir::new("lines");
    let kings = ["4k3/8/8/8/8/8/8/4K3 w - -", "38", "--checkpoint", "c.jsonl"];
    let nodes = "Nodes searched: 29230164208626141106497864699348\n";
    assert_eq!(dir.succeed(&kings), nodes);
    assert!(dir.read("c.jsonl").starts_with("{\"perft_checkpoint\":1,\"parts\":\"units\","));
    assert_eq!(dir.succeed(&kings), nodes);
    let layers = ["--checkpoint", "other.jsonl", "--merge", "layers"];
    refused(
        &dir.perft(&[&kings[..2], &layers].concat()),
        "more than 2^64 lines lead to a position",
    );
}

#[test]
fn a_checkpoint_is_resumed_in_its_own_way_only() {
    let dir = TestDir::new("way");
    let (_, passes) = passes_of_start_7(&dir);
    let whole = dir.read("c.jsonl");
    let with =
        |args: &[&str]| dir.perft(&[&["startpos", "7", "--checkpoint", "c.jsonl"], args].concat());
    for (args, culprit) in [
        (&["--merge", "table"][..], "passes, not of units; leave out --merge table"),
        (&["--merge", "none"], "passes, not of units; leave out --merge none"),
        (&["--hash", "0"], "passes, which need memory; leave out --hash 0"),
        (&["--kernel", "full"], "leave out --kernel and --sliders"),
        (&["--sliders", "rays"], "leave out --kernel and --sliders"),
    ] {
        let output = with(args);
        refused(
            &output,
            &format!(
                "c.jsonl:1: a checkpoint of {}",
                if culprit.starts_with("passes") { culprit } else { "passes, " }
            ),
        );
        refused(&output, culprit);
        refused(&output, "or give --checkpoint a new file");
        assert_eq!(dir.read("c.jsonl"), whole, "it is left as it was");
    }
    for args in [&["--merge", "layers"][..], &["--kernel", "simple"], &[]] {
        assert_eq!(succeeded(&with(args)), START_7);
    }
    // Lines that are not passes of this count.
    let (first, second) = (&passes[0], &passes[1]);
    for (wrong, culprit) in [
        (
            changed(first, "\"depth\":7", "\"depth\":8"),
            "a pass of another position, depth or version",
        ),
        (changed(first, &first[7..15], "00000000"), "a pass of another position"),
        (changed(first, "\"version\":\"", "\"version\":\"9"), "a pass of another position"),
        (changed(first, "\"halves\":[0,", "\"halves\":[1,"), "are not apart from 1 to"),
        (
            changed(first, "\"halves\":[0,", "\"halves\":[65537,"),
            "are not a range within 0 to 65536",
        ),
        (first.replacen("\"nodes\":", "\"nodes\":1", 1), "the checksum is not that of the line"),
        (second.clone(), ""),
    ] {
        let text = whole.replacen(&format!("{first}\n"), &format!("{wrong}\n{first}\n"), 1);
        dir.write("c.jsonl", &text);
        if culprit.is_empty() {
            // The same pass twice.
            assert_eq!(succeeded(&with(&[])), START_7);
        } else {
            refused(&with(&[]), culprit);
            refused(&with(&[]), "remove the line, and its pass is counted again");
        }
        assert_eq!(dir.read("c.jsonl"), text, "it is left as it was");
    }
    // Every digit of the first line is compared.
    let header = whole.lines().next().expect("a header");
    for (at, digit) in header.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
        let mut other = header.to_owned();
        let digit = (digit.to_digit(10).unwrap_or(0) + 1) % 10;
        other.replace_range(at..=at, &digit.to_string());
        dir.write("c.jsonl", whole.replacen(header, &other, 1));
        refused(&with(&[]), "c.jsonl:1: not a checkpoint");
    }
    dir.write("c.jsonl", whole.replacen("\"passes\"", "\"pieces\"", 1));
    refused(&with(&[]), "its parts are \"pieces\"; give --checkpoint a new file");
}

#[test]
fn a_checkpoint_of_units_is_resumed() {
    let dir = TestDir::new("units");
    let count = ["startpos", "6", "--checkpoint", "c.jsonl"];
    let table = [&count[..], &["--merge", "table"]].concat();
    let nodes = "Nodes searched: 119060324\n";
    assert_eq!(dir.succeed(&table), nodes);
    let whole = dir.read("c.jsonl");
    let half: Vec<&str> = whole.lines().take(200).collect();
    let text = format!("{}\n", half.join("\n"));
    for args in [&[][..], &["--merge", "table"], &["--merge", "none"], &["--hash", "0"]] {
        dir.write("c.jsonl", &text);
        let report = parsed(&dir.perft(&[&count[..], args, &["--json"]].concat()));
        assert_eq!(
            (&report["nodes"], &report["units"], &report["units_known"]),
            (&json!(119_060_324), &json!(400), &json!(199)),
            "{args:?}"
        );
        assert!(dir.read("c.jsonl").starts_with(&text));
    }
    dir.write("c.jsonl", &text);
    let layers = dir.perft(&[&count[..], &["--merge", "layers"]].concat());
    refused(&layers, "c.jsonl:1: a checkpoint of units, not of passes; leave out --merge layers");
    assert_eq!(dir.read("c.jsonl"), text, "it is left as it was");
    dir.write("c.jsonl", text.replacen("\"parts\":\"units\",", "", 1));
    refused(&dir.perft(&count), "c.jsonl:1: not a checkpoint of this version");
    // Without layers at this depth the same command goes on.
    for _ in 0..2 {
        let small = ["startpos", "3", "--checkpoint", "small.jsonl", "--merge", "layers"];
        assert_eq!(dir.succeed(&small), "Nodes searched: 8902\n");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_passes_are_resumed() {
    let dir = TestDir::new("interrupted-passes");
    let count = ["startpos", "8", "--checkpoint", "c.jsonl", "--hash", "8M", "--threads", "1"];
    let count = [&count[..], &["--json", "--merge", "layers"]].concat();
    let mut child = dir.command(&count);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    // The first passes.
    let deadline = std::time::Instant::now() + Duration::from_secs(50);
    while dir.names("c.jsonl").is_empty() || dir.read("c.jsonl").lines().count() < 3 {
        assert!(std::time::Instant::now() < deadline, "no pass is saved");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = interrupt(child);
    let known = dir.read("c.jsonl").lines().count() - 1;
    let unfinished = parsed(&output);
    assert_eq!(
        (&unfinished["interrupted"], &unfinished["nodes"], &unfinished["passes_known"]),
        (&json!(true), &json!(null), &json!(known))
    );
    let all = unfinished["passes"].as_u64().expect("a number");
    let note = format!(
        "perft: interrupted: c.jsonl has {known} of {all} passes; the same command goes on"
    );
    assert!(stderr(&output).contains(&note), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_worker_keeps_finished_units() {
    let dir = TestDir::new("interrupt");
    dir.succeed(&["plan", "startpos", "8", "--ply", "3", "-o", "plan.jsonl"]);
    let work = ["work", "plan.jsonl", "-o", "r.jsonl", "--kernel", "simple", "--hash", "0"];
    let child = dir.command(&work).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(400));
    let output = interrupt(child);
    let finished = dir.read("r.jsonl").lines().count();
    assert!(stderr(&output).contains(&format!("{finished} units are finished")), "{output:?}");
    // A worker that waits for input can be interrupted too.
    let mut idle = dir.command(&["work", "--quiet"]);
    let idle = idle.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut idle = idle.expect("it runs");
    let input = idle.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    interrupt(idle);
    drop(input);
    for device in ["/dev/full", "/dev/null"] {
        refused(&dir.perft(&["work", "plan.jsonl", "-o", device]), "not a plain file");
        refused(&dir.perft(&["startpos", "5", "--checkpoint", device]), "not a plain file");
    }
    let full = dir.perft(&["plan", "startpos", "5", "--ply", "2", "-o", "/dev/full"]);
    refused(&full, "/dev/full");
    // Only one process at a time may write.
    let mut child = dir.command(&work).stderr(Stdio::null()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(300));
    refused(&dir.perft(&work), "in use by another perft");
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

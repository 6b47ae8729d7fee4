//! `perft plan`, `work`, `total` and `--checkpoint`: counts in parts come to the same.

use std::process::Stdio;
use std::time::Duration;

use crate::driver::{Folder, PERFT, interrupt, parsed, plain, refused, refused_with, stderr};
use perft::random::Rng;
use serde_json::json;

/// A plan of start 5 after two plies and its results.
fn start_5(folder: &Folder) -> (String, String) {
    folder.succeed(&["plan", "startpos", "5", "--ply", "2", "-o", "plan.jsonl"]);
    let results = folder.succeed(&["work", "plan.jsonl"]);
    folder.write("results.jsonl", &results);
    (folder.read("plan.jsonl"), results)
}

const START_5: &str = "Nodes searched: 4865609\n";

#[test]
fn the_parts_come_to_the_whole() {
    let folder = Folder::new("whole");
    let (plan, results) = start_5(&folder);
    assert_eq!((plan.lines().count(), results.lines().count()), (401, 400));
    assert_eq!(folder.succeed(&["total", "plan.jsonl", "results.jsonl"]), START_5);
    // In any order, in several files, some twice, some counted with other keys.
    let mut lines: Vec<&str> = results.lines().collect();
    Rng::new(1).shuffle(&mut lines);
    folder.write("a.jsonl", &(lines[..250].join("\n") + "\n"));
    folder.write("b.jsonl", &(lines[150..].join("\n") + "\n"));
    let again = folder.succeed(&["work", "plan.jsonl", "--other-keys", "--hash", "1M"]);
    assert!(again.contains("-swapped"));
    folder.write("c.jsonl", &again);
    let total = folder.succeed(&["total", "plan.jsonl", "a.jsonl", "b.jsonl", "c.jsonl"]);
    assert_eq!(total, START_5);
    let json = folder.succeed(&["total", "--json", "--audit", "5%", "plan.jsonl", "results.jsonl"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["nodes"], &json["units"]), (&4_865_609.into(), &400.into()));
    let audited = json["audited"].as_u64().expect("a number");
    assert!((5..60).contains(&audited), "{audited}");
}

#[test]
fn other_positions_and_variants_too() {
    let folder = Folder::new("variants");
    let chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    for (position, depth, ply, nodes) in [
        ("kiwipete", "4", "2", "4085603"),
        ("position3", "5", "0", "674624"),
        (chess960, "4", "3", "326672"),
    ] {
        let plan = ["plan", "--chess960", position, depth, "--ply", ply, "-o", "plan.jsonl"];
        folder.succeed(&plan);
        let results = folder.succeed(&["work", "plan.jsonl", "--threads", "3"]);
        folder.write("results.jsonl", &results);
        let total = folder.succeed(&["total", "plan.jsonl", "results.jsonl"]);
        assert_eq!(total, format!("Nodes searched: {nodes}\n"), "{position}");
    }
    // A mate has no units, and no leaves.
    folder.succeed(&[
        "plan",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "3",
        "--ply",
        "1",
        "-o",
        "plan.jsonl",
    ]);
    folder.write("results.jsonl", "");
    let total = folder.succeed(&["total", "plan.jsonl", "results.jsonl"]);
    assert_eq!(total, "Nodes searched: 0\n");
}

#[test]
fn whatever_does_not_fit_is_found() {
    let folder = Folder::new("checks");
    let (plan, results) = start_5(&folder);
    let lines: Vec<&str> = results.lines().collect();
    let total = |results: &str| {
        folder.write("other.jsonl", results);
        folder.perft(&["total", "plan.jsonl", "other.jsonl"])
    };
    let id = &lines[7][7..39];

    let without: Vec<&str> = lines.iter().copied().filter(|line| !line.contains(id)).collect();
    refused_with(&total(&without.join("\n")), 1, id);
    refused_with(&total(&without.join("\n")), 1, "1 of 400 units have no result");

    let altered = lines[7].replace("\"nodes\":", "\"nodes\":1");
    folder.write("altered.jsonl", &altered);
    let output = folder.perft(&["total", "plan.jsonl", "results.jsonl", "altered.jsonl"]);
    refused_with(&output, 1, "has two counts");
    assert!(stderr(&output).contains(&format!("results.jsonl:8: {}", lines[7])), "{output:?}");
    assert!(stderr(&output).contains(&format!("altered.jsonl:1: {altered}")), "{output:?}");

    let as_json = |results: &[&str]| {
        let output = folder.perft(&[&["total", "--json", "plan.jsonl"], results].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        parsed(&output)
    };
    let conflict = &as_json(&["results.jsonl", "altered.jsonl"])["conflict"];
    assert_eq!((&conflict["id"], &conflict["results"][0]["line"]), (&json!(id), &json!(8)));
    assert_eq!(conflict["results"][1]["file"], "altered.jsonl");

    // One that is altered and alone shows in an audit.
    let wrong = results.replace(lines[7], &altered);
    assert_eq!(total(&wrong).status.code(), Some(0));
    let output = folder.perft(&["total", "plan.jsonl", "other.jsonl", "--audit", "100%"]);
    refused_with(&output, 1, "counted again with other keys");
    let conflict = &as_json(&["other.jsonl", "--audit", "100%"])["conflict"];
    assert_eq!((&conflict["id"], &conflict["results"][1]["audit"]), (&json!(id), &json!(true)));

    let version = results.replacen("\"version\":\"", "\"version\":\"9", 1);
    refused_with(&total(&version), 1, "results of two versions");
    assert_eq!(as_json(&["other.jsonl"])["versions"].as_array().map(Vec::len), Some(2));
    refused(
        &total(&results.replacen(id, "00000000000000000000000000000000", 1)),
        "is not in plan.jsonl",
    );
    refused(&total(&results.replacen("\"depth\":3", "\"depth\":4", 1)), "other.jsonl:1: ");
    refused(&total("nonsense\n"), "other.jsonl:1: not a JSON object");

    let plan_lines: Vec<&str> = plan.lines().collect();
    for (number, broken) in [
        (1, plan.replacen("perft_plan", "perft_pl", 1)),
        (1, plan.replacen("\"perft_plan\":1", "\"perft_plan\":2", 1)),
        (8, plan.replacen(plan_lines[7], "{\"id\":\"x\"}", 1)),
        (401, plan[..plan.len() - 5].to_owned()),
    ] {
        folder.write("broken.jsonl", &broken);
        let output = folder.perft(&["total", "broken.jsonl", "results.jsonl"]);
        refused(&output, &format!("broken.jsonl:{number}: "));
        if number > 1 {
            let output = folder.perft(&["work", "--quiet", "broken.jsonl"]);
            assert_eq!(output.status.code(), Some(2));
            assert!(stderr(&output).contains(&format!("broken.jsonl:{number}: ")), "{output:?}");
        }
    }
    for (from, to) in [
        ("\"depth\":5", "\"depth\":9"),
        ("\"ply\":2", "\"ply\":1"),
        ("8/8/8/8/PPPP", "8/8/8/P7/1PPP"),
    ] {
        folder.write("broken.jsonl", plan.replacen(from, to, 1));
        let output = folder.perft(&["total", "broken.jsonl", "results.jsonl"]);
        refused(&output, "broken.jsonl");
    }
    folder.write("deeper.jsonl", plan.replace("\"depth\":3", "\"depth\":2"));
    let output = folder.perft(&["work", "deeper.jsonl", "--resume", "results.jsonl"]);
    refused(&output, "another plan");
    let short = plan.replacen(&format!("{}\n", plan_lines[7]), "", 1);
    folder.write("broken.jsonl", &short);
    refused(&folder.perft(&["total", "broken.jsonl", "results.jsonl"]), "399 of 400 units");
    let twice = plan.replacen(plan_lines[7], plan_lines[8], 1);
    folder.write("broken.jsonl", &twice);
    refused(&folder.perft(&["total", "broken.jsonl", "results.jsonl"]), "is there twice");
    refused(&folder.perft(&["plan", "startpos", "3", "--ply", "3"]), "ply 3 is not below");
    refused(&folder.perft(&["plan", "startpos", "30", "--ply", "9"]), "ply 9 is above 8");
    refused(&folder.perft(&["work", "no-such-file"]), "no-such-file");
    let over = ["plan", "startpos", "3", "--ply", "1", "-o", "results.jsonl"];
    refused(&folder.perft(&over), "is no plan");
    assert_eq!(folder.read("results.jsonl"), results);
    refused(
        &folder.perft(&["total", "plan.jsonl", "results.jsonl", "--audit", "0%"]),
        "percentage",
    );
    let too_few = ["total", "plan.jsonl", "results.jsonl", "--audit", "0.0001%"];
    refused(&folder.perft(&too_few), "larger percentage");
    assert_eq!(folder.succeed(&["plan", "startpos", "5", "--ply", "2", "-o", "-"]), plan);
    refused(&folder.perft(&["work", "."]), "folder");
}

#[test]
fn what_is_missing_is_a_plan() {
    let folder = Folder::new("missing");
    let (_, results) = start_5(&folder);
    let some: Vec<&str> = results.lines().take(123).collect();
    folder.write("some.jsonl", &(some.join("\n") + "\n"));
    let rest = folder.succeed(&["total", "plan.jsonl", "some.jsonl", "--missing"]);
    assert_eq!(rest.lines().count(), 1 + 400 - 123);
    folder.write("rest.jsonl", &rest);
    let results = folder.succeed(&["work", "rest.jsonl"]);
    folder.write("others.jsonl", &results);
    // It is no plan of the whole.
    let output = folder.perft(&["total", "rest.jsonl", "others.jsonl"]);
    refused(&output, "it is a part of a plan");
    assert_eq!(folder.succeed(&["total", "plan.jsonl", "some.jsonl", "others.jsonl"]), START_5);
}

#[test]
fn work_goes_on_where_it_was_killed() {
    let folder = Folder::new("resume");
    let (_, results) = start_5(&folder);
    let lines: Vec<&str> = results.lines().collect();
    for cut in [1, 20, 40] {
        // Killed in the middle of line 101.
        let torn =
            format!("{}\n{}", lines[..100].join("\n"), &lines[100][..lines[100].len() - cut]);
        folder.write("torn.jsonl", &torn);
        folder.succeed(&["work", "plan.jsonl", "-o", "torn.jsonl"]);
        let after = folder.read("torn.jsonl");
        assert_eq!(after.lines().count(), 400, "nothing is counted twice");
        assert_eq!(folder.succeed(&["total", "plan.jsonl", "torn.jsonl"]), START_5);

        folder.write("torn.jsonl", &torn);
        let more = folder.succeed(&["work", "plan.jsonl", "--resume", "torn.jsonl"]);
        assert_eq!(more.lines().count(), 300);
        folder.write("more.jsonl", &more);
        assert_eq!(folder.succeed(&["total", "plan.jsonl", "torn.jsonl", "more.jsonl"]), START_5);
    }
    // Whole but for its line end.
    folder.write("torn.jsonl", lines[..100].join("\n").as_str());
    folder.succeed(&["work", "plan.jsonl", "-o", "torn.jsonl"]);
    assert_eq!(folder.read("torn.jsonl").lines().count(), 400);
    assert_eq!(folder.succeed(&["total", "plan.jsonl", "torn.jsonl"]), START_5);
}

/// Whether no line but the header comes up twice.
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
    let folder = Folder::new("checkpoint");
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
        let mut child = folder.command(&count).stdout(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(30 + rng.below(200) as u64));
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
    }
    assert!(folder.read("c.jsonl").lines().count() > 1, "nothing was kept");
    assert_eq!(folder.succeed(&count), "Nodes searched: 3195901860\n");
    let text = folder.read("c.jsonl");
    assert!(has_no_repeats(&text));
    assert_eq!(text.lines().count(), 1 + 5_362);
    // All known: nothing is left to count.
    assert_eq!(folder.succeed(&count), "Nodes searched: 3195901860\n");
    assert_eq!(folder.read("c.jsonl"), text);
}

#[test]
fn a_checkpoint_of_another_count_is_refused() {
    let folder = Folder::new("another");
    let count = |words: &[&str]| folder.perft(&[words, &["--checkpoint", "c.jsonl"]].concat());
    assert_eq!(count(&["startpos", "5"]).status.code(), Some(0));
    let text = folder.read("c.jsonl");
    refused(&count(&["startpos", "6"]), "not a checkpoint of this count: its depth is 5, not 6");
    refused(&count(&["kiwipete", "5"]), "its fen is");
    refused(&count(&["divide", "startpos", "5"]), "--checkpoint");
    refused(&count(&["startpos", "0"]), "depth 0");
    assert_eq!(folder.read("c.jsonl"), text, "it is left as it was");
    folder.write("c.jsonl", text.replacen("\"version\":\"", "\"version\":\"9", 1));
    refused(&count(&["startpos", "5"]), "its version is");
    let header = text.lines().next().expect("a header");
    let first = text.lines().nth(1).expect("a result");
    for wrong in [
        text.replacen("\"depth\":4,\"nodes\":", "\"depth\":1,\"nodes\":", 1),
        format!("{text}{}\n", first.replace("\"nodes\":", "\"nodes\":1")),
        format!("{text}{}\n", first.replace("\"version\":\"", "\"version\":\"9")),
        format!("{text}{}\n", first.replacen(&first[7..15], "00000000", 1)),
        format!("{header}\n\"half\n{first}\n"),
    ] {
        folder.write("c.jsonl", &wrong);
        refused(&count(&["startpos", "5"]), "c.jsonl:");
        assert_eq!(folder.read("c.jsonl"), wrong, "it is left as it was");
    }
    // What is not ours is not touched.
    for precious in [
        "what is this\nnot a checkpoint\n",
        "my notes",
        "my notes\nunended",
        "{\"name\":\"my-app\",\"version\":\"1.2.3\"}",
        "{\"name\":\"my-app\",\"vers",
        "{",
        "\0\0\0\0",
    ] {
        folder.write("c.jsonl", precious);
        refused(&count(&["startpos", "5"]), "not a checkpoint of this count");
        assert_eq!(folder.read("c.jsonl"), precious);
        folder.succeed(&["plan", "startpos", "5", "--ply", "2", "-o", "plan.jsonl"]);
        refused(&folder.perft(&["work", "plan.jsonl", "-o", "c.jsonl"]), "c.jsonl:1: ");
        assert_eq!(folder.read("c.jsonl"), precious);
    }
    // Whole, if without an end, it is not one that was cut off.
    let other = first.replace("\"version\":\"", "\"version\":\"9");
    for (wrong, culprit) in [(header.to_owned(), "depth"), (format!("{header}\n{other}"), "unit")] {
        folder.write("c.jsonl", &wrong);
        let deeper = if culprit == "depth" { "6" } else { "5" };
        refused(&count(&["startpos", deeper]), culprit);
        assert_eq!(folder.read("c.jsonl"), wrong);
    }
}

/// A line that looks a little like one of ours is not cut off; one that was, is, zeros and all.
#[test]
fn only_what_is_ours_is_cut_off() {
    let folder = Folder::new("cut");
    folder.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    let precious = "{\"id\":\"tt0111161\",\"title\":\"my only copy\",\"data\":[1,2,";
    for writes in [&["work", "plan.jsonl", "-o"][..], &["startpos", "3", "--checkpoint"]] {
        for text in [precious.to_owned(), format!("{{\"id\":\"{}", "a".repeat(70_000))] {
            folder.write("user.json", &text);
            refused(&folder.perft(&[writes, &["user.json"]].concat()), "user.json:1: ");
            assert_eq!(folder.read("user.json"), text);
        }
    }
    folder.succeed(&["work", "plan.jsonl", "-o", "whole.jsonl"]);
    let whole = folder.read("whole.jsonl");
    let second = whole.find('\n').expect("a line") + 1;
    // What follows zeros is somebody's.
    let hole = format!("{}{}precious", &whole[..second], "\0".repeat(1 << 16));
    for text in [&whole[..20], "\0\0", &hole] {
        folder.write("kept.jsonl", text);
        refused(&folder.perft(&["work", "plan.jsonl", "-o", "kept.jsonl"]), "kept.jsonl:");
        assert_eq!(folder.read("kept.jsonl"), *text);
    }
    for cut in [39, 45, 60, second, second + 3, second + 20, second + 45] {
        for zeros in ["", "\0\0\0\0", &"\0".repeat(200_000)] {
            folder.write("kept.jsonl", format!("{}{zeros}", &whole[..cut]));
            folder.succeed(&["work", "plan.jsonl", "-o", "kept.jsonl"]);
            let total = folder.succeed(&["total", "plan.jsonl", "kept.jsonl"]);
            assert_eq!(total, "Nodes searched: 8902\n", "{cut}");
        }
    }
}

/// `>>` after a worker was killed puts a line behind half of another.
#[test]
fn a_line_behind_half_of_another_counts() {
    let folder = Folder::new("fused");
    folder.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    let results = folder.succeed(&["work", "plan.jsonl", "--quiet"]);
    for cut in [1, 9, 30, 60, 100] {
        folder.write("results.jsonl", format!("{}{results}", &results[..cut]));
        let output = folder.perft(&["total", "plan.jsonl", "results.jsonl", "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{cut}: {output:?}");
        assert!(stderr(&output).contains("results.jsonl:1: a line is cut off"), "{output:?}");
    }
}

/// A header that lies about its units is found out in moments.
#[test]
fn a_plan_that_is_not_whole_is_found_out() {
    let folder = Folder::new("partial");
    let queens = "krq4Q/bn5Q/2qQ2q1/q2q1Q2/2Q3qQ/1Q2Q3/1qqQ2NB/3q2RK w - - 0 1";
    let header = |checksum: &str| {
        let header = json!({ "perft_plan": 1, "fen": queens, "chess960": false, "depth": 9,
            "ply": 8, "units": 0, "ways": 0, "checksum": checksum });
        folder.write("plan.jsonl", format!("{header}\n"));
        folder.write("results.jsonl", "");
        folder.perft(&["total", "plan.jsonl", "results.jsonl"])
    };
    let message = stderr(&header("0"));
    let right = message.split("checksum ").nth(1).and_then(|rest| rest.split(',').next());
    refused(&header(right.expect("it is told")), "a part of a plan");
}

/// What others wrote commands no terminal.
#[test]
fn what_others_wrote_is_made_harmless() {
    let folder = Folder::new("escapes");
    folder.succeed(&["plan", "startpos", "3", "--ply", "1", "-o", "plan.jsonl"]);
    let results = folder.succeed(&["work", "plan.jsonl", "--quiet"]);
    let evil = "\"version\":\"\\u001b[2J\\u001b]0;x\\u0007\\u009b\\nperft: all good\"";
    let other = results.replacen("\"version\":\"0.1.0\"", evil, 1);
    folder.write("results.jsonl", other);
    refused_with(&folder.perft(&["total", "plan.jsonl", "results.jsonl"]), 1, "two versions");
    let message = stderr(&folder.perft(&["total", "plan.jsonl", "results.jsonl"]));
    assert_eq!(message.lines().count(), 1, "{message:?}");
    assert!(!message.trim_end().contains(char::is_control), "{message:?}");
}

/// A refusal leaves nothing behind.
#[test]
fn nothing_is_made_for_what_cannot_be_read() {
    let folder = Folder::new("behind");
    refused(&folder.perft(&["work", "no.jsonl", "-o", "new.jsonl"]), "no.jsonl");
    refused(&folder.perft(&["startpos", "6", "--checkpoint", "new.jsonl", "--hash", "9999T"]), "");
    refused(&folder.perft(&["startpos", "6", "--checkpoint", "-"]), "--checkpoint");
    folder.write("perft-divide.1", "my notes");
    refused(&folder.perft(&["man", "--folder", "."]), "perft-divide.1");
    assert_eq!(folder.read("perft-divide.1"), "my notes");
    assert!(folder.names("new").is_empty());
}

/// What a plan is written to first is its own.
#[test]
fn a_file_beside_a_plan_is_left_alone() {
    let folder = Folder::new("beside");
    folder.write("plan.jsonl.partial", "precious");
    let plan = "plan startpos 3 --ply 1 -o plan.jsonl";
    folder.succeed(&plan.split(' ').collect::<Vec<_>>());
    assert_eq!(folder.read("plan.jsonl.partial"), "precious");
    assert_eq!(folder.names("plan.jsonl"), ["plan.jsonl", "plan.jsonl.partial"]);

    // Even one of the very name that it would choose: a shell knows the number beforehand.
    let script = format!("echo precious > \"plan.jsonl.$$.partial\"; exec '{PERFT}' {plan}");
    let mut shell = plain("sh");
    let output = shell.args(["-c", &script]).current_dir(folder.root()).output().expect("sh");
    refused(&output, "plan.jsonl");
    assert_eq!(folder.names("plan.jsonl").len(), 3);
    for name in folder.names("plan.jsonl.") {
        assert!(folder.read(&name).starts_with("precious"), "{name}");
    }
}

/// A plan that can be read only once would have no units the second time.
#[cfg(unix)]
#[test]
fn a_plan_is_a_plain_file() {
    let folder = Folder::new("pipe");
    start_5(&folder);
    let total = "cat plan.jsonl | \"$0\" total /dev/stdin results.jsonl --missing";
    let mut shell = plain("sh");
    let shell = shell.args(["-c", total, PERFT]).current_dir(folder.root()).stdin(Stdio::null());
    refused(&shell.output().expect("sh is there"), "plain file");
    let header = folder.read("plan.jsonl").lines().next().expect("a header").to_owned();
    let deep = header.replace("\"depth\":5,\"ply\":2", "\"depth\":20,\"ply\":14");
    folder.write("deep.jsonl", format!("{deep}\n"));
    refused(&folder.perft(&["total", "deep.jsonl", "results.jsonl"]), "after 14 plies, 8 at most");
    // Results that nobody reads are lost, and that is no success.
    let unread = "\"$0\" work plan.jsonl --quiet --kernel simple | head -0; exit";
    let mut shell = plain("bash");
    let unread = shell.args(["-o", "pipefail", "-c", unread, PERFT]).current_dir(folder.root());
    let output = unread.output().expect("bash is there");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("standard output was closed"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupted_worker_keeps_what_is_finished() {
    let folder = Folder::new("interrupt");
    folder.succeed(&["plan", "startpos", "8", "--ply", "3", "-o", "plan.jsonl"]);
    let work = ["work", "plan.jsonl", "-o", "r.jsonl", "--kernel", "simple", "--hash", "0"];
    let child = folder.command(&work).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(400));
    let output = interrupt(child);
    let finished = folder.read("r.jsonl").lines().count();
    assert!(stderr(&output).contains(&format!("{finished} units are finished")), "{output:?}");
    // An idle pipe keeps nobody from stopping.
    let mut idle = folder.command(&["work", "--quiet"]);
    let idle = idle.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut idle = idle.expect("it runs");
    let input = idle.stdin.take();
    std::thread::sleep(Duration::from_millis(300));
    interrupt(idle);
    drop(input);
    for device in ["/dev/full", "/dev/null"] {
        refused(&folder.perft(&["work", "plan.jsonl", "-o", device]), "not a plain file");
        refused(&folder.perft(&["startpos", "5", "--checkpoint", device]), "not a plain file");
    }
    let full = folder.perft(&["plan", "startpos", "5", "--ply", "2", "-o", "/dev/full"]);
    refused(&full, "/dev/full");
    // Only one at a time may write.
    let mut child = folder.command(&work).stderr(Stdio::null()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(300));
    refused(&folder.perft(&work), "in use by another perft");
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
}

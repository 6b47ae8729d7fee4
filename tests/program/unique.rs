//! `perft unique`: different positions, in memory, on disk, and over machines.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::driver::{
    PERFT, TestDir, parsed, plain, refused, refused_with, run, stderr, stdout, succeed, succeeded,
};

const SIX_PLIES: &str = "Unique positions: 9417681\n";

#[test]
fn published_numbers_are_printed() {
    for (arguments, positions) in [
        (["startpos", "3", "--en-passant", "legal"], "5362"),
        (["startpos", "4", "--en-passant", "legal"], "72078"),
        (["startpos", "3", "--en-passant", "any"], "7602"),
        (["startpos", "4", "--en-passant", "any"], "101240"),
        (["startpos", "4", "--en-passant", "none"], "71852"),
    ] {
        let arguments = [&["unique"], &arguments[..], &["--quiet"]].concat();
        assert_eq!(succeed(&arguments), format!("Unique positions: {positions}\n"));
    }
    assert_eq!(
        succeed(&["unique", "startpos", "4", "--each", "--quiet"]),
        "1: 20\n2: 400\n3: 5362\n4: 72078\n"
    );
    assert_eq!(succeed(&["unique", "startpos", "0", "--quiet"]), "Unique positions: 1\n");
}

/// The lines that lead to the positions are those that perft counts.
#[test]
fn json_has_the_number_of_lines() {
    let report = parsed(&run(&["unique", "kiwipete", "3", "--each", "--json"]));
    for (ply, nodes) in [(1, 48), (2, 2_039), (3, 97_862)] {
        assert_eq!(report["plies"][ply - 1]["ply"], ply);
        assert_eq!(report["plies"][ply - 1]["multiplicity"], nodes);
    }
    assert_eq!(report["multiplicity"], 97_862);
}

#[test]
fn bad_arguments_are_refused() {
    refused(&run(&["unique", "startpos", "3", "--memory", "1K"]), "--memory 1K is too little");
    refused(&run(&["unique", "startpos", "3", "--memory", "9999T"]), "that are free");
    refused(&run(&["unique", "startpos", "3", "--disk", "1G"]), "--dir");
    refused(&run(&["unique", "startpos", "3", "--plan", "0"]), "--plan");
    refused(&run(&["unique", "startpos", "3", "--en-passant", "some"]), "some");
    refused(&run(&["unique", "startpos"]), "no depth after \"startpos\"");
    refused(&run(&["unique", "startpos", "9", "--memory", "16M"]), "--dir DIR uses the disk");
    refused(&run(&["unique", "--work", "/dev/null"]), "no units");
    refused(&run(&["unique", "--total", "/dev/null"]), "no results");
}

/// The files of layers in a directory.
fn layers(dir: &TestDir) -> Vec<PathBuf> {
    let store = TestDir::names_in(&dir.path("store"));
    store.into_iter().filter(|path| path.to_string_lossy().contains("layer-")).collect()
}

const ON_DISK: [&str; 10] =
    ["unique", "startpos", "6", "--dir", "store", "--memory", "8M", "--threads", "1", "--quiet"];

#[test]
fn a_count_on_disk_resumes_after_kills() {
    let dir = TestDir::new("unique-killed");
    for files in [1, 8, 20] {
        let mut child = dir.command(&ON_DISK).stdout(Stdio::null()).spawn().expect("it runs");
        let start = Instant::now();
        // In the middle of the work, with a file half written.
        while TestDir::names_in(&dir.path("store")).len() < files
            && start.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        assert!(dir.path("store").is_dir());
    }
    assert_eq!(dir.succeed(&ON_DISK), SIX_PLIES);
    let left = TestDir::names_in(&dir.path("store"));
    let is_small = |path: &PathBuf| fs::metadata(path).expect("a file").len() < 200;
    assert!(!left.is_empty() && left.iter().all(is_small), "{left:?}");
    // Known now: no layer is made.
    assert_eq!(dir.succeed(&ON_DISK), SIX_PLIES);
    assert_eq!(TestDir::names_in(&dir.path("store")), left);
}

#[test]
fn ctrl_c_leaves_a_count_that_goes_on() {
    let dir = TestDir::new("unique-interrupted");
    let mut command = dir.command(&ON_DISK);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let start = Instant::now();
    while layers(&dir).is_empty() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = crate::driver::interrupt(child);
    assert!(stderr(&output).contains("the same command goes on"), "{}", stderr(&output));
    assert_eq!(dir.succeed(&ON_DISK), SIX_PLIES);
}

/// Counts one part of four and leaves the layers, for what comes next.
fn one_part(dir: &TestDir) -> String {
    let plan = dir.succeed(&["unique", "startpos", "5", "--plan", "4"]);
    let lines: Vec<&str> = plan.lines().collect();
    dir.write("first", lines[0]);
    dir.write("second", lines[1]);
    let memory = ["--memory", "16M", "--threads", "1"];
    dir.succeed(
        &[&["unique", "--work", "first", "--dir", "store", "--quiet"], &memory[..]].concat(),
    )
}

const SECOND: [&str; 10] = [
    "unique",
    "--work",
    "second",
    "--dir",
    "store",
    "--memory",
    "16M",
    "--threads",
    "1",
    "--quiet",
];

/// The result without the time and the checksum, which depends on it.
fn without_time(result: &str) -> String {
    result.split(",\"seconds\"").next().expect("a first part").to_owned()
}

#[test]
fn a_torn_file_is_made_again_and_a_corrupted_one_is_named() {
    let dir = TestDir::new("unique-torn");
    let in_memory = {
        one_part(&dir);
        dir.succeed(&["unique", "--work", "second", "--quiet"])
    };
    let files = layers(&dir);
    assert!(files.len() > 1, "{files:?}");
    let whole = fs::read(&files[0]).expect("a file");
    let forget = || {
        let counts = TestDir::names_in(&dir.path("store")).into_iter();
        for path in counts.filter(|path| path.to_string_lossy().contains("count-")) {
            fs::remove_file(path).expect("it is removed");
        }
    };
    for torn in [&whole[..whole.len() - 1], &whole[..whole.len() / 2], &whole[..10], &[]] {
        forget();
        fs::write(&files[0], torn).expect("it is written");
        assert_eq!(without_time(&dir.succeed(&SECOND)), without_time(&in_memory));
        assert_eq!(fs::read(&files[0]).expect("a file"), whole, "made again");
    }
    for place in [0, 20, 63, 64, 100, whole.len() / 2] {
        forget();
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&files[0], changed).expect("it is written");
        let output = dir.perft(&SECOND);
        let name = files[0].file_name().expect("a name").to_string_lossy();
        refused(&output, &name);
        assert!(stderr(&output).contains("remove it"), "{}", stderr(&output));
    }
    fs::remove_file(&files[0]).expect("it is removed");
    assert_eq!(without_time(&dir.succeed(&SECOND)), without_time(&in_memory));
}

#[test]
fn foreign_directories_are_refused_and_left_alone() {
    let dir = TestDir::new("unique-foreign");
    let count = |place: &'static str| ["unique", "startpos", "3", "--dir", place, "--quiet"];
    fs::create_dir(dir.path("mine")).expect("a directory");
    dir.write("mine/notes.partial", "my notes");
    refused(&dir.perft(&count("mine")), "mine is not empty and not of perft unique (it has notes");
    assert_eq!(dir.read("mine/notes.partial"), "my notes");
    dir.write("file", "my notes");
    refused(&dir.perft(&count("file")), "cannot make file");
    refused(&dir.perft(&count("/dev/null/x")), "cannot make /dev/null/x");
    dir.succeed(&count("store"));
    refused(
        &dir.perft(&["unique", "kiwipete", "2", "--dir", "store", "--quiet"]),
        "store is of another position",
    );
    // The same position to other plies, and by another definition.
    dir.succeed(&["unique", "startpos", "4", "--dir", "store", "--each", "--quiet"]);
    let any = ["unique", "startpos", "3", "--en-passant", "any", "--dir", "store", "--quiet"];
    assert_eq!(dir.succeed(&any), "Unique positions: 7602\n");
}

#[test]
fn a_directory_belongs_to_one_process() {
    let dir = TestDir::new("unique-locked");
    let mut child = dir.command(&ON_DISK).stdout(Stdio::null()).spawn().expect("it runs");
    let start = Instant::now();
    while layers(&dir).is_empty() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = dir.perft(&ON_DISK);
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    refused(&output, "store is in use by another perft");
}

#[test]
fn the_disk_is_a_bound() {
    let dir = TestDir::new("unique-disk");
    let disk = |size: &'static str| {
        ["unique", "startpos", "6", "--dir", "store", "--disk", size, "--quiet"]
    };
    refused(&dir.perft(&disk("1M")), "and --disk allows 1M");
    assert_eq!(dir.succeed(&disk("64M")), SIX_PLIES);
    let announced = stderr(&dir.perft(&["unique", "startpos", "5", "--dir", "other"]));
    assert!(announced.contains("of disk in other"), "{announced}");
}

/// A limit of the size of files stands for a full disk: in both cases a write fails.
#[test]
#[cfg(unix)]
fn a_failed_write_is_named_and_leaves_nothing_half_done() {
    let dir = TestDir::new("unique-full");
    let limited = |limit: &str| {
        let script = format!(
            "trap '' XFSZ; {limit} exec {PERFT} unique startpos 5 --dir store --quiet --threads 2"
        );
        let mut shell = plain("sh");
        shell.args(["-c", &script]).current_dir(dir.root()).output().expect("a shell")
    };
    let output = limited("ulimit -f 200;");
    refused(&output, "cannot write store/layer-004-");
    assert!(stderr(&output).contains("File too large"), "{}", stderr(&output));
    let left = TestDir::names_in(&dir.path("store"));
    assert!(left.iter().all(|path| path.extension().is_some_and(|end| end != "partial")));
    assert_eq!(succeeded(&limited("")), "Unique positions: 822518\n");
}

#[test]
fn parts_of_many_machines_add_up() {
    let dir = TestDir::new("unique-parts");
    let plan = dir.succeed(&["unique", "startpos", "5", "--plan", "5"]);
    let lines: Vec<&str> = plan.lines().collect();
    assert_eq!(lines.len(), 5);
    dir.write("one.plan", lines[..2].join("\n"));
    dir.write("two.plan", lines[2..4].join("\n"));
    for machine in ["one", "two"] {
        let plan = format!("{machine}.plan");
        let work = ["unique", "--work", &plan, "--memory", "32M", "--dir", machine, "--quiet"];
        dir.write(&format!("{machine}.results"), dir.succeed(&work));
    }
    let total = |more: &[&str]| {
        dir.perft(&[&["unique", "--total", "one.results", "two.results"], more].concat())
    };
    refused_with(&total(&[]), 1, "1 of 5 parts have no result");
    let missing = succeeded(&total(&["--missing"]));
    assert_eq!(missing, format!("{}\n", lines[4]));
    dir.write("rest.plan", missing);
    dir.write("rest", dir.succeed(&["unique", "--work", "rest.plan", "--quiet"]));
    let output = total(&["rest", "--quiet"]);
    assert_eq!(succeeded(&output), "Unique positions: 822518\n", "{}", stderr(&output));
    let json = parsed(&total(&["rest", "--json"]));
    assert_eq!((&json["multiplicity"], &json["parts"]), (&4_865_609.into(), &5.into()));
    // A result twice is counted once; a line that a kill cut off is left out.
    let rest = dir.read("rest");
    dir.write("rest", format!("{rest}{rest}{}", &rest[..rest.len() / 2]));
    let output = total(&["rest"]);
    assert!(stderr(&output).contains("rest:3: a line is cut off"), "{}", stderr(&output));
    assert_eq!(stdout(&output), "Unique positions: 822518\n");
    dir.write("rest", rest.replacen("\"positions\":1", "\"positions\":2", 1));
    refused(&total(&["rest"]), "rest:1: the checksum is not that of the line");
    refused(&dir.perft(&["unique", "--work", "rest"]), "a result, not a unit of a plan");
}

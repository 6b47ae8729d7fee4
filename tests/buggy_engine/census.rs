//! What `perft check` says about each bug.
//!
//! ```console
//! $ buggy_engine --census target/release/perft results.tsv --seeds 1,2,3 --seconds 20 --minutes 3
//! ```
//!
//! Verdicts are added to the file, and those that it has are not made again, so that a census can
//! be made in parts: `--minutes` ends one. Then the table of all verdicts in the file is printed,
//! and each verdict that is not right.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bugs::{Class, Entry};

/// How good a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    RightConfirmed,
    RightHedged,
    /// A part of the bug, or more than it, and not called confirmed.
    BroadHedged,
    /// A mismatch without a cause.
    Unsure,
    WrongHedged,
    PartConfirmed,
    WrongConfirmed,
    NotFound,
    /// The check ended with an error.
    Failed,
}

const GRADES: [(Grade, &str); 9] = [
    (Grade::RightConfirmed, "right, confirmed"),
    (Grade::RightHedged, "right, hedged"),
    (Grade::BroadHedged, "part or broad, hedged"),
    (Grade::Unsure, "unsure"),
    (Grade::WrongHedged, "wrong, hedged"),
    (Grade::PartConfirmed, "part or broad, confirmed"),
    (Grade::WrongConfirmed, "wrong, confirmed"),
    (Grade::NotFound, "not found"),
    (Grade::Failed, "failed"),
];

/// What a check says about the first mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Named {
        name: String,
        /// The special case, or empty.
        narrower: String,
        is_confirmed: bool,
    },
    Unsure,
    NotFound,
    Failed(String),
}

/// Reads the output of `perft check --json`.
fn read(json: &Value) -> Verdict {
    if let Some(error) = json["error"].as_str() {
        return Verdict::Failed(error.to_owned());
    }
    let Some(mismatch) = json["mismatches"].get(0) else { return Verdict::NotFound };
    let cause =
        [&mismatch["cause"], &mismatch["rule"]].into_iter().find(|it| it["name"].is_string());
    let Some(cause) = cause else { return Verdict::Unsure };
    let text = |key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    let is_confirmed = cause["confirmation"].is_object();
    Verdict::Named { name: text("name"), narrower: text("narrower"), is_confirmed }
}

impl Verdict {
    fn to_fields(&self) -> [&str; 3] {
        match self {
            Self::Named { name, narrower, is_confirmed } => {
                [if *is_confirmed { "confirmed" } else { "hedged" }, name, narrower]
            }
            Self::Unsure => ["unsure", "", ""],
            Self::NotFound => ["not found", "", ""],
            Self::Failed(error) => ["failed", error, ""],
        }
    }

    fn from_fields(fields: [&str; 3]) -> Option<Self> {
        Some(match fields {
            [state @ ("confirmed" | "hedged"), name, narrower] => Self::Named {
                name: name.to_owned(),
                narrower: narrower.to_owned(),
                is_confirmed: state == "confirmed",
            },
            ["unsure", ..] => Self::Unsure,
            ["not found", ..] => Self::NotFound,
            ["failed", error, _] => Self::Failed(error.to_owned()),
            _ => return None,
        })
    }

    fn grade(&self, entry: &Entry) -> Grade {
        let (name, narrower, is_confirmed) = match self {
            Self::Named { name, narrower, is_confirmed } => (name, narrower, *is_confirmed),
            Self::Unsure => return Grade::Unsure,
            Self::NotFound => return Grade::NotFound,
            Self::Failed(_) => return Grade::Failed,
        };
        let is_right = entry.right.iter().any(|pattern| fits(pattern, name, narrower));
        // The right rule in the wrong case is a part of the bug, or more than it.
        let mut parts = entry.right.iter().chain(&entry.part);
        let is_part = parts.any(|pattern| fits_name(pattern, name));
        match (is_right, is_part, is_confirmed) {
            (true, _, true) => Grade::RightConfirmed,
            (true, _, false) => Grade::RightHedged,
            (_, true, true) => Grade::PartConfirmed,
            (_, true, false) => Grade::BroadHedged,
            (_, _, true) => Grade::WrongConfirmed,
            (_, _, false) => Grade::WrongHedged,
        }
    }
}

/// Whether a pattern of [`Entry`] allows a name, in whatever case.
fn fits_name(pattern: &str, name: &str) -> bool {
    let pattern = pattern.split_once('/').map_or(pattern, |(rule, _)| rule);
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// Whether a pattern of [`Entry`] allows a name and its special case.
fn fits(pattern: &str, name: &str, narrower: &str) -> bool {
    let is_case_right = match pattern.split_once('/') {
        Some((_, word)) => !narrower.is_empty() && narrower.to_lowercase().contains(word),
        None => narrower.is_empty() || pattern.ends_with('*'),
    };
    fits_name(pattern, name) && is_case_right
}

struct Options {
    perft: String,
    results: String,
    seeds: Vec<u64>,
    seconds: u32,
    minutes: u64,
}

impl Options {
    fn read(arguments: Vec<String>) -> Result<Self, Box<dyn Error>> {
        let [perft, results, rest @ ..] = &arguments[..] else {
            return Err("--census wants the perft program and a file for the results".into());
        };
        let (perft, results) = (perft.clone(), results.clone());
        let mut options =
            Self { perft, results, seeds: vec![1], seconds: 20, minutes: u64::MAX / 60 };
        for pair in rest.chunks(2) {
            let [name, value] = pair else {
                return Err(format!("{} wants a value", pair[0]).into());
            };
            match name.as_str() {
                "--seeds" => {
                    options.seeds = value.split(',').map(str::parse).collect::<Result<_, _>>()?
                }
                "--seconds" => options.seconds = value.parse()?,
                "--minutes" => options.minutes = value.parse()?,
                _ => return Err(format!("unknown argument {name:?}").into()),
            }
        }
        Ok(options)
    }
}

/// Makes the verdicts that the file lacks, and prints the table.
pub fn run(arguments: Vec<String>) -> Result<(), Box<dyn Error>> {
    let options = Options::read(arguments)?;
    let end = Duration::from_secs(60 * options.minutes);
    let begin = Instant::now();
    let mut verdicts = load(&fs::read_to_string(&options.results).unwrap_or_default())?;
    let mut file = OpenOptions::new().create(true).append(true).open(&options.results)?;
    let entries = Entry::all();
    let runs =
        options.seeds.iter().flat_map(|&seed| entries.iter().map(move |entry| (entry, seed)));
    for (entry, seed) in runs {
        let key = (entry.name.clone(), seed);
        if verdicts.contains_key(&key) || begin.elapsed() >= end {
            continue;
        }
        let verdict = check(&options, &entry.name, seed)?;
        let fields = verdict.to_fields().map(|field| field.replace(['\t', '\n'], " ")).join("\t");
        writeln!(file, "{}\t{seed}\t{fields}", entry.name)?;
        verdicts.insert(key, verdict);
    }
    print(&entries, &verdicts);
    Ok(())
}

type Verdicts = BTreeMap<(String, u64), Verdict>;

fn load(text: &str) -> Result<Verdicts, String> {
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[name, seed, state, cause, narrower] = &fields[..] else { return None };
        let verdict = Verdict::from_fields([state, cause, narrower])?;
        Some(((name.to_owned(), seed.parse().ok()?), verdict))
    };
    text.lines().map(|line| read(line).ok_or_else(|| format!("no verdict: {line:?}"))).collect()
}

fn check(options: &Options, bug: &str, seed: u64) -> Result<Verdict, Box<dyn Error>> {
    let engine = std::env::current_exe()?;
    let output = Command::new(&options.perft)
        .arg("check")
        .arg(format!("'{}' --bug {bug}", engine.display()))
        .args(["--seed", &seed.to_string(), "--seconds", &options.seconds.to_string(), "--json"])
        .stdin(Stdio::null())
        .output()?;
    Ok(match serde_json::from_slice(&output.stdout) {
        Ok(json) => read(&json),
        Err(_) => {
            let error = String::from_utf8_lossy(&output.stderr);
            Verdict::Failed(error.lines().last().unwrap_or("no output").to_owned())
        }
    })
}

fn print(entries: &[Entry], verdicts: &Verdicts) {
    let mut counts: BTreeMap<Class, [usize; GRADES.len()]> = BTreeMap::new();
    let mut lines: BTreeMap<Grade, Vec<String>> = BTreeMap::new();
    for entry in entries {
        for ((_, seed), verdict) in verdicts.iter().filter(|((name, _), _)| *name == entry.name) {
            let grade = verdict.grade(entry);
            counts.entry(entry.class).or_default()[grade as usize] += 1;
            let said = verdict.to_fields()[1..].join(" ");
            let line = format!("{} (seed {seed}): {}", entry.name, said.trim());
            lines.entry(grade).or_default().push(line);
        }
    }
    print!("| class |");
    GRADES.iter().for_each(|(_, text)| print!(" {text} |"));
    println!("\n|---|{}", "--:|".repeat(GRADES.len()));
    let mut sums = [0; GRADES.len()];
    for (class, row) in &counts {
        print_row(&format!("{class:?}"), row);
        sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
    }
    print_row("all", &sums);
    for (grade, text) in GRADES.iter().filter(|(grade, _)| *grade > Grade::RightConfirmed) {
        println!("\n{text}:");
        lines.get(grade).into_iter().flatten().for_each(|line| println!("  {line}"));
    }
}

fn print_row(name: &str, row: &[usize]) {
    print!("| {name} |");
    row.iter().for_each(|count| print!(" {count} |"));
    println!();
}

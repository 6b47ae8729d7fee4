//! Annotations and step summaries of GitHub Actions.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use super::{Outcome, TestCase};
use crate::cli::output;

/// The variable with the file of the step summary.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// A workflow command for each case that is not as it should be; for a result without such cases,
/// one that says so.
pub fn annotations(cases: &[TestCase]) -> String {
    let mut text = String::new();
    for TestCase { group, name, outcome, place, .. } in cases {
        let (title, message) = match outcome {
            Outcome::Failed(title, report) => (format!("{name}: {title}"), report),
            Outcome::Error(reason) => (name.clone(), reason),
            Outcome::Passed(_) | Outcome::Skipped(_) => continue,
        };
        let place = place.as_ref().map_or(String::new(), |(file, line)| {
            format!("file={},line={line},", escaped(file, PROPERTY))
        });
        let title = match title.starts_with(group.as_str()) {
            true => title,
            false => format!("{group}: {title}"),
        };
        let (title, message) = (escaped(&title, PROPERTY), escaped(message.trim_end(), DATA));
        _ = writeln!(text, "::error {place}title={title}::{message}");
    }
    if text.is_empty() {
        let rows: Vec<String> = cases
            .iter()
            .map(|case| format!("{}: {}", case.name, result(&case.outcome).1))
            .collect();
        _ = writeln!(text, "::notice title=perft::{}", escaped(&rows.join("\n"), DATA));
    }
    text
}

/// Appends a table, and the reports of failures, to the step summary if there is one.
pub fn append_summary(cases: &[TestCase]) {
    let Some(path) = std::env::var_os(SUMMARY).filter(|path| !path.is_empty()) else { return };
    let file = File::options().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(summary(cases).as_bytes())) {
        output::note(format_args!("perft: cannot write the step summary, {SUMMARY}: {error}"));
    }
}

fn summary(cases: &[TestCase]) -> String {
    let mut text = "### perft\n\n| check | result | |\n|---|---|---|\n".to_owned();
    for case in cases {
        let (word, details) = result(&case.outcome);
        let name = match case.name.starts_with(&case.group) {
            true => case.name.clone(),
            false => format!("{}: {}", case.group, case.name),
        };
        _ = writeln!(text, "| {} | {word} | {} |", cell(&name), cell(details));
    }
    for case in cases {
        if let Outcome::Failed(_, report) = &case.outcome {
            // A fence inside the block would end it.
            let report = report.trim_end().replace("```", "'''");
            _ = write!(text, "\n```text\n{report}\n```\n");
        }
    }
    text + "\n"
}

/// The result in a word, and its details.
fn result(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Passed(figures) => ("passed", figures),
        Outcome::Skipped(reason) => ("skipped", reason),
        Outcome::Failed(title, _) => ("**FAILED**", title),
        Outcome::Error(reason) => ("**ERROR**", reason),
    }
}

/// Text as a cell of a table, with nothing that Markdown would interpret.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_control() => cell.push(' '),
            '|' | '`' | '*' | '_' | '<' | '[' | ']' | '\\' => cell.extend(['\\', letter]),
            letter => cell.push(letter),
        }
    }
    cell
}

/// Characters to escape in the message of a workflow command.
const DATA: &[char] = &['%', '\r', '\n'];
/// Characters to escape in its properties.
const PROPERTY: &[char] = &['%', '\r', '\n', ':', ','];

/// Text in which these characters are written as `%0A`.
fn escaped(text: &str, letters: &[char]) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if letters.contains(&letter) {
            _ = write!(escaped, "%{:02X}", u32::from(letter));
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped() {
        let outcome = Outcome::Failed("a, b".to_owned(), "100 %\r\n::error::no\n".to_owned());
        let mut case = TestCase::new("my:suite.epd", "line 3", outcome);
        case.place = Some(("my:suite.epd".to_owned(), 3));
        let expected = "::error file=my%3Asuite.epd,line=3,title=my%3Asuite.epd%3A line 3%3A \
                        a%2C b::100 %25%0D%0A::error::no\n";
        assert_eq!(annotations(&[case]), expected);
        let passed = TestCase::new("x", "hunt", Outcome::Passed("9 positions".to_owned()));
        assert_eq!(annotations(&[passed]), "::notice title=perft::hunt: 9 positions\n");
    }

    #[test]
    fn summaries_are_tables() {
        let failed = Outcome::Failed("own-piece".to_owned(), "a\n```\nb\n".to_owned());
        let cases = [
            TestCase::new("x|y", "x|y:1", failed),
            TestCase::new("x|y", "rest", Outcome::Skipped("no\nreason".to_owned())),
        ];
        let expected = "### perft\n\n| check | result | |\n|---|---|---|\n\
                        | x\\|y:1 | **FAILED** | own-piece |\n\
                        | x\\|y: rest | skipped | no reason |\n\n\
                        ```text\na\n'''\nb\n```\n\n";
        assert_eq!(summary(&cases), expected);
    }
}

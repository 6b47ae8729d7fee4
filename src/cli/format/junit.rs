//! JUnit XML, which most CI systems read.

use std::fmt::{self, Write};

use super::{Outcome, TestCase};

/// The start of a file, by which it may be overwritten.
pub const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perft\"";

/// A `testsuite` for each group, with a `testcase` for each case.
pub fn xml(cases: &[TestCase]) -> String {
    let mut xml = String::new();
    // Writing to a string does not fail.
    _ = write_suites(&mut xml, cases);
    xml
}

fn write_suites(xml: &mut String, cases: &[TestCase]) -> fmt::Result {
    writeln!(xml, "{START} {}>", Totals::of(cases))?;
    for suite in cases.chunk_by(|one, next| one.group == next.group) {
        let group = &suite[0].group;
        writeln!(xml, "  <testsuite name=\"{}\" {}>", Escaped(group), Totals::of(suite))?;
        for case in suite {
            write_case(xml, case)?;
        }
        writeln!(xml, "  </testsuite>")?;
    }
    writeln!(xml, "</testsuites>")
}

fn write_case(xml: &mut String, case: &TestCase) -> fmt::Result {
    let TestCase { group, name, seconds, outcome, .. } = case;
    let (group, name) = (Escaped(group), Escaped(name));
    write!(xml, "    <testcase classname=\"{group}\" name=\"{name}\" time=\"{seconds:.3}\"")?;
    match outcome {
        Outcome::Passed(_) => return writeln!(xml, "/>"),
        Outcome::Skipped(reason) => {
            write!(xml, ">\n      <skipped message=\"{}\"/>", Escaped(reason))
        }
        Outcome::Failed(title, text) => {
            let (title, text) = (Escaped(title), Escaped(text));
            let attributes = format!("message=\"{title}\" type=\"mismatch\"");
            write!(xml, ">\n      <failure {attributes}>{text:#}</failure>")
        }
        Outcome::Error(text) => {
            let text = Escaped(text);
            write!(xml, ">\n      <error message=\"{text}\" type=\"error\">{text:#}</error>")
        }
    }?;
    writeln!(xml, "\n    </testcase>")
}

/// The attributes that sum up cases.
#[derive(Default)]
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

impl Totals {
    fn of(cases: &[TestCase]) -> Self {
        let mut totals = Self { tests: cases.len(), ..Self::default() };
        for case in cases {
            totals.seconds += case.seconds;
            match case.outcome {
                Outcome::Passed(_) => {}
                Outcome::Skipped(_) => totals.skipped += 1,
                Outcome::Failed(..) => totals.failures += 1,
                Outcome::Error(_) => totals.errors += 1,
            }
        }
        totals
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tests, failures, errors, skipped, seconds } = self;
        write!(
            f,
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" \
             time=\"{seconds:.3}\""
        )
    }
}

/// The value of an attribute or, with `{:#}`, text. Characters that XML does not allow are left out.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;"),
                '<' => f.write_str("&lt;"),
                '>' => f.write_str("&gt;"),
                '"' => f.write_str("&quot;"),
                '\n' | '\t' if f.alternate() => f.write_char(letter),
                // Readers turn them into blanks in an attribute.
                '\n' => f.write_str("&#10;"),
                '\t' => f.write_str("&#9;"),
                '\0'..=' ' if letter != ' ' => Ok(()),
                '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => Ok(()),
                _ => f.write_char(letter),
            }?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_cleaned() {
        let text = "<a href=\"x\">&\u{1b}[1m\0\u{7f}\u{ffff}\tb\r\nc</a>";
        let escaped = "&lt;a href=&quot;x&quot;&gt;&amp;[1m&#9;b&#10;c&lt;/a&gt;";
        assert_eq!(Escaped(text).to_string(), escaped);
        let escaped = escaped.replace("&#9;", "\t").replace("&#10;", "\n");
        assert_eq!(format!("{:#}", Escaped(text)), escaped);
    }
}

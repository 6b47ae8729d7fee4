//! Writing the lines of suites.

use std::collections::BTreeSet;
use std::fmt;

use super::{Entry, Suite};
use perft_core::Depth;
use perft_core::board::Position;

impl Entry {
    /// A position that is not read from a file; its line is 1.
    pub fn new(position: Position, title: Option<String>, counts: Vec<(Depth, u128)>) -> Self {
        Self { line: 1, position, title, counts }
    }
}

/// One EPD line, without its end, that [`Suite::parse`](super::Suite::parse) reads back:
/// `FEN ;D1 20 ;D2 400 ;id "title"`.
///
/// EPD has no way to write a quote in a title: double quotes become single ones, and control
/// characters spaces.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.position)?;
        for (depth, nodes) in &self.counts {
            write!(f, " ;D{depth} {nodes}")?;
        }
        if let Some(title) = &self.title {
            let title = plain(title).replace('"', "'");
            write!(f, " ;id \"{title}\"")?;
        }
        Ok(())
    }
}

/// A title without control characters and without the mark of bytes that are not UTF-8.
fn plain(title: &str) -> String {
    title.replace(char::is_control, " ").replace('\u{fffd}', "?")
}

/// A format in which a suite is written. Each is read back to the same positions, titles and
/// counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line of EPD for each position.
    Epd,
    /// A list of objects: `{"name": ..., "fen": ..., "counts": [{"depth": 1, "nodes": 20}]}`.
    Json,
    /// A header, and a row for each position with a column for each depth.
    Csv,
}

/// A suite in a format, to be displayed.
struct Written<'a> {
    entries: &'a [Entry],
    format: Format,
}

impl Suite {
    /// The suite in a format. Titles lose their control characters, and in EPD their double
    /// quotes.
    ///
    /// ```
    /// use perft_compare::Suite;
    /// use perft_compare::suite::Format;
    ///
    /// let suite = Suite::parse("mine", "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1,18,92")?;
    /// let csv = "name,fen,d1,d2\n,8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1,18,92\n";
    /// assert_eq!(suite.written(Format::Csv).to_string(), csv);
    /// # Ok::<(), perft_compare::suite::SuiteError>(())
    /// ```
    pub fn written(&self, format: Format) -> impl fmt::Display {
        Written { entries: &self.entries, format }
    }
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Epd => self.entries.iter().try_for_each(|entry| writeln!(f, "{entry}")),
            Format::Json => write_json(f, self.entries),
            Format::Csv => write_csv(f, self.entries),
        }
    }
}

fn write_json(f: &mut fmt::Formatter<'_>, entries: &[Entry]) -> fmt::Result {
    f.write_str("[\n")?;
    for (number, entry) in (1..).zip(entries) {
        f.write_str("  {")?;
        if let Some(title) = &entry.title {
            let title = plain(title).replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, "\"name\": \"{title}\", ")?;
        }
        let count = |(depth, nodes)| format!("{{\"depth\": {depth}, \"nodes\": {nodes}}}");
        let counts: Vec<String> = entry.counts.iter().copied().map(count).collect();
        write!(f, "\"fen\": \"{}\", \"counts\": [{}]}}", entry.position, counts.join(", "))?;
        f.write_str(if number < entries.len() { ",\n" } else { "\n" })?;
    }
    f.write_str("]\n")
}

fn write_csv(f: &mut fmt::Formatter<'_>, entries: &[Entry]) -> fmt::Result {
    let depths = entries.iter().flat_map(|entry| &entry.counts).map(|&(depth, _)| depth);
    let depths: BTreeSet<Depth> = depths.collect();
    f.write_str("name,fen")?;
    depths.iter().try_for_each(|depth| write!(f, ",d{depth}"))?;
    f.write_str("\n")?;
    for entry in entries {
        let title = plain(entry.title.as_deref().unwrap_or_default());
        let is_plain = !title.contains(['"', ',']) && title.trim() == title;
        let title = if is_plain { title } else { format!("\"{}\"", title.replace('"', "\"\"")) };
        write!(f, "{title},{}", entry.position)?;
        for &depth in &depths {
            match entry.counts.iter().find(|&&(known, _)| known == depth) {
                Some((_, nodes)) => write!(f, ",{nodes}")?,
                None => f.write_str(",")?,
            }
        }
        f.write_str("\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    #[test]
    fn a_written_line_is_read_back() {
        // An en-passant square without a legal capture, and castling of Chess960.
        for fen in ["8/8/8/K2pP2q/8/8/8/7k w - d6 0 1", "4k3/8/8/8/8/8/8/6KR w H - 3 7"] {
            for title in [None, Some(""), Some("ours; #1"), Some(" \"5\"\nlong\"; ")] {
                let position = fen.parse().unwrap();
                let counts = vec![(2, 400), (1, 20), (255, u128::MAX)];
                let entry = Entry::new(position, title.map(str::to_owned), counts.clone());
                let suite = Suite::parse("test", &entry.to_string()).unwrap();
                let [read] = &suite.entries[..] else { panic!("{entry}") };
                assert_eq!((read.line, read.position, &read.counts), (1, position, &counts));
                let plain = title.map(|title| title.replace('"', "'").replace('\n', " "));
                assert_eq!(read.title, plain, "{entry}");
            }
        }
    }

    #[test]
    fn every_format_is_read_back() {
        let fens = [
            "8/8/8/K2pP2q/8/8/8/7k w - d6 0 1",
            "4k3/8/8/8/8/8/8/6KR w H - 3 7",
            "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1",
        ];
        let titles =
            [None, Some("ours; #1, \\the \"best\""), Some("1:20"), Some("line\nend \u{fffd}")];
        let counts = [vec![(1, 20)], vec![(2, 1), (5, 7), (255, u128::MAX)], vec![(0, 1), (3, 1)]];
        let mut entries = Vec::new();
        for (index, fen) in fens.iter().chain(&fens).chain(&fens).enumerate() {
            let title = titles[index % titles.len()].map(str::to_owned);
            entries.push(Entry::new(
                fen.parse().unwrap(),
                title,
                counts[index % 2 + index / 6].clone(),
            ));
        }
        let suite = Suite { name: "test".to_owned(), entries };
        let of = |suite: &Suite, format| {
            let plain = |title: &String| match format {
                Format::Epd => title.replace('"', "'").replace('\n', " ").replace('\u{fffd}', "?"),
                _ => title.replace('\n', " ").replace('\u{fffd}', "?"),
            };
            let entries = suite.entries.iter();
            let entry = |entry: &Entry| {
                (entry.position, entry.title.as_ref().map(plain), entry.counts.clone())
            };
            entries.map(entry).collect::<Vec<_>>()
        };
        for format in [Format::Epd, Format::Json, Format::Csv] {
            let text = suite.written(format).to_string();
            let read =
                Suite::parse("test", &text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(of(&read, format), of(&suite, format), "{text}");
            assert_eq!(read.written(format).to_string(), text);
        }
    }

    #[test]
    fn a_line_is_written_as_suites_have_it() {
        let position = "8/8/8/8/k1p4R/8/3P4/3K4 w - -".parse().unwrap();
        let mut entry = Entry::new(position, Some("rook".to_owned()), vec![(1, 18), (2, 92)]);
        let line = "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92 ;id \"rook\"";
        assert_eq!(entry.to_string(), line);
        entry.title = None;
        assert_eq!(entry.to_string(), line.split_once(" ;id").unwrap().0);
    }
}

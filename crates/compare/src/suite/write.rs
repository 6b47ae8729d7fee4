//! Writing the lines of suites.

use std::fmt;

use super::json::CountJson;
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
    /// A list of objects: `{"name": ..., "fen": ..., "depth": 1, "nodes": 20}`.
    Json,
}

impl Suite {
    /// The suite in a format. Titles lose their control characters, and in EPD their double
    /// quotes.
    ///
    /// ```
    /// use perft_compare::Suite;
    /// use perft_compare::suite::Format;
    ///
    /// let suite = Suite::parse("mine", "8/8/8/8/k1p4R/8/3P4/3K4 w - -,18,92")?;
    /// let epd = "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92\n";
    /// assert_eq!(suite.written(Format::Epd), epd);
    /// # Ok::<(), perft_compare::suite::SuiteError>(())
    /// ```
    pub fn written(&self, format: Format) -> String {
        match format {
            Format::Epd => self.entries.iter().map(|entry| format!("{entry}\n")).collect(),
            Format::Json => {
                let lines: Vec<String> = self.entries.iter().flat_map(lines_of_json).collect();
                format!("[\n{}\n]\n", lines.join(",\n"))
            }
        }
    }
}

fn lines_of_json(entry: &Entry) -> impl Iterator<Item = String> {
    let (name, fen) = (entry.title.as_deref().map(plain), entry.position.to_string());
    entry.counts.iter().map(move |&(depth, nodes)| {
        let count = CountJson { name: name.clone(), fen: fen.clone(), depth, nodes };
        serde_json::to_string(&count).unwrap_or_default()
    })
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
        for format in [Format::Epd, Format::Json] {
            let text = suite.written(format);
            let read =
                Suite::parse("test", &text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(of(&read, format), of(&suite, format), "{text}");
            assert_eq!(read.written(format), text);
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

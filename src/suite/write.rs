//! Writing the lines of suites.

use std::fmt;

use super::Entry;
use crate::board::Position;
use crate::perft::Depth;

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
            let title = title.replace('"', "'").replace(char::is_control, " ");
            write!(f, " ;id \"{title}\"")?;
        }
        Ok(())
    }
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
    fn a_line_is_written_as_suites_have_it() {
        let position = "8/8/8/8/k1p4R/8/3P4/3K4 w - -".parse().unwrap();
        let mut entry = Entry::new(position, Some("rook".to_owned()), vec![(1, 18), (2, 92)]);
        let line = "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1 ;D1 18 ;D2 92 ;id \"rook\"";
        assert_eq!(entry.to_string(), line);
        entry.title = None;
        assert_eq!(entry.to_string(), line.split_once(" ;id").unwrap().0);
    }
}

//! Parsing suites, in the spellings that circulate.
//!
//! - One line a position (`lines`): `FEN ;D1 20 ;D2 400`, `FEN; D1 20; D2 400;`, `FEN ;1 20`,
//!   `FEN 1:20 2:400`, `FEN,20,400`, `name,FEN,20,400`, `FEN 3 8902`, with any operations of EPD
//!   between the semicolons, or `perft 1 20` in place of `D1 20`.
//! - Blocks: `id NAME`, `epd FEN` (or `fen FEN`), then lines `perft DEPTH COUNT`; or a FEN and
//!   then a number a line.
//! - Rows below a header (`table`): CSV, TSV, Markdown. Objects and lists of JSON (`json`). The
//!   names of columns and of members say what they are (`fields`).
//! - Blank lines; comments from `#` to the end of the line; lines that start with `//` or
//!   `%`; Unix and Windows line ends; zero bytes before them; a byte-order mark.
//!
//! Castling is read as standard chess has it where that is possible, else as Chess960.

use super::counts::Counts;
use super::lines::Block;
use super::table::Table;
use super::{Entry, Suite, json};
use perft_core::Depth;
use perft_core::board::{FenError, Impossibility, Position};

/// A bad line of a suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{suite}:{line}: {kind}")]
pub struct SuiteError {
    /// The name of the suite.
    pub suite: String,
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub kind: SuiteErrorKind,
}

/// The reason why a line of a suite is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteErrorKind {
    /// The text is not UTF-8.
    #[error("not UTF-8 text")]
    NotUtf8,
    /// Not a FEN of a position that can be played on.
    #[error("bad FEN {fen:?}: {error}")]
    Position {
        /// The text.
        fen: String,
        /// The error.
        error: FenError,
    },
    /// An unknown operation.
    #[error("{0:?} is not a count (D3 8902), an id or a comment (c0)")]
    Operation(String),
    /// A quote that is not closed.
    #[error("a quote is not closed")]
    OpenQuote,
    /// Not a depth and a count.
    #[error("{0:?} is not a depth (0 to 255) and a count")]
    Count(String),
    /// Two counts for one depth.
    #[error("depth {0} is given twice")]
    DepthTwice(Depth),
    /// A position without a count.
    #[error("the position has no count (;D1 20)")]
    NoCount,
    /// A count without a position.
    #[error("a count without a position (epd FEN) before it")]
    NoPosition,
    /// A line that can be read in two ways.
    #[error("can be read in two ways: {first}; or {second}")]
    Ambiguous {
        /// One reading.
        first: String,
        /// The other.
        second: String,
    },
    /// No game reaches the position: an error only if that is asked for.
    #[error("no game reaches the position: {0}")]
    Impossible(Impossibility),
    /// A position of another variant.
    #[error("a position of {0}; perft counts chess and Chess960")]
    Variant(&'static str),
    /// Not JSON.
    #[error("bad JSON: expected {expected}")]
    Json {
        /// The part that is missing.
        expected: &'static str,
    },
}

impl Suite {
    /// Parses a suite; `name` is for messages.
    ///
    /// # Errors
    /// The first line that cannot be used.
    pub fn parse(name: &str, text: &str) -> Result<Self, SuiteError> {
        let (suite, bad_lines) = Self::parse_lossy(name, text);
        bad_lines.into_iter().next().map_or(Ok(suite), Err)
    }

    /// Parses a suite without the lines that cannot be used, which come second.
    ///
    /// ```
    /// use perft_compare::Suite;
    ///
    /// let text = "8/8/8/8/8/8/8/8 w - - ;D1 0\n8/8/8/8/k1p4R/8/3P4/3K4 w - - ;D1 18";
    /// let (suite, bad_lines) = Suite::parse_lossy("mine", text);
    /// assert_eq!((suite.entries.len(), bad_lines[0].line), (1, 1));
    /// ```
    pub fn parse_lossy(name: &str, text: &str) -> (Self, Vec<SuiteError>) {
        let mut reader = Reader::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with(['{', '[']) {
            for node in json::parse(text) {
                match node {
                    Ok(node) => reader.value(&node, None),
                    Err((line, kind)) => reader.refuse(line, kind),
                }
            }
        } else {
            let mut headers = text.lines().filter_map(Table::from_header);
            reader.is_markdown = headers.any(|table| table.is_markdown());
            for (number, line) in (1..).zip(text.lines()) {
                reader.line(number, line);
            }
            reader.close_block();
        }
        let error = |(line, kind)| SuiteError { suite: name.to_owned(), line, kind };
        reader.bad_lines.sort_by_key(|&(line, _)| line);
        let bad_lines = reader.bad_lines.into_iter().map(error).collect();
        (Self { name: name.to_owned(), entries: reader.entries }, bad_lines)
    }
}

/// The entries and the bad lines so far.
#[derive(Default)]
pub(super) struct Reader {
    pub entries: Vec<Entry>,
    bad_lines: Vec<(usize, SuiteErrorKind)>,
    /// The comment on the line before, or the block's id.
    pub title: Option<String>,
    pub block: Block,
    /// The header above.
    pub table: Option<Table>,
    /// Only Markdown tables are read.
    pub is_markdown: bool,
}

impl Reader {
    pub fn refuse(&mut self, line: usize, kind: SuiteErrorKind) {
        self.bad_lines.push((line, kind));
    }

    pub fn position(fen: &str) -> Result<Position, SuiteErrorKind> {
        let bad = |error| match variant(fen) {
            Some(variant) => SuiteErrorKind::Variant(variant),
            None => SuiteErrorKind::Position { fen: fen.trim().to_owned(), error },
        };
        fen.parse().map_err(bad)
    }

    pub fn push(&mut self, line: usize, position: Position, title: Option<String>) {
        self.entries.push(Entry { line, ..Entry::new(position, title, Vec::new()) });
    }

    /// Adds a position with its counts, or the counts to the same position above: lists have one
    /// item for each depth.
    pub fn add(
        &mut self,
        line: usize,
        fen: &str,
        title: Option<String>,
        counts: Result<Counts, SuiteErrorKind>,
    ) {
        let read = || {
            let position = Self::position(fen)?;
            let counts = counts?.with_depths(position.board())?;
            Ok((position, counts))
        };
        match read() {
            Err(kind) => self.refuse(line, kind),
            Ok((position, mut counts)) => {
                let is_new = |known: &[(Depth, u128)]| {
                    counts.iter().all(|(depth, _)| known.iter().all(|(known, _)| known != depth))
                };
                match self.entries.last_mut() {
                    Some(last)
                        if last.position == position
                            && last.title == title
                            && is_new(&last.counts) =>
                    {
                        last.counts.append(&mut counts);
                    }
                    _ => self.entries.push(Entry { line, ..Entry::new(position, title, counts) }),
                }
            }
        }
    }
}

/// The variant of a FEN with more than chess has: captured pieces, or numbers of checks.
pub(super) fn variant(fen: &str) -> Option<&'static str> {
    let is_check_count = |word: &str| {
        word.contains('+') && word.bytes().all(|byte| byte == b'+' || byte.is_ascii_digit())
    };
    let pieces = fen.split_whitespace().next().unwrap_or_default();
    if pieces.contains(['[', '~']) || pieces.matches('/').count() == 8 {
        return Some("crazyhouse");
    }
    fen.split_whitespace().skip(4).any(is_check_count).then_some("three-check")
}

/// Whether a text begins like a FEN: eight ranks.
pub(super) fn is_fen(text: &str) -> bool {
    let pieces = text.split_whitespace().next().unwrap_or_default();
    pieces.matches('/').count() >= 7
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1";

    fn counts(text: &str) -> Vec<Vec<(Depth, u128)>> {
        let suite = Suite::parse("test", text).unwrap_or_else(|error| panic!("{error}"));
        suite.entries.into_iter().map(|entry| entry.counts).collect()
    }

    #[test]
    fn the_spellings_that_circulate_read_alike() {
        let expected = vec![vec![(1, 18), (2, 92)]];
        for text in [
            format!("{FEN} ;D1 18 ;D2 92"),
            format!("{FEN}; D1 18; D2 92;"),
            format!("{FEN};D1 18;D2 92;\r\n"),
            "8/8/8/8/k1p4R/8/3P4/3K4 w - - D1 18; D2 92; id \"EPD\";".to_owned(),
            "8/8/8/8/k1p4R/8/3P4/3K4 w - - hmvc 0; fmvn 1; D1 18; D2 92;".to_owned(),
            format!("{FEN} D1 18; D2 92;"),
            format!("\u{feff}# a comment\r\n\r\n{FEN} ;D1 18 ;D2 92 # another\r\n"),
            format!("{FEN} ; id \"name\"; D1 18; c0 \"comment\"; d2 92;"),
            format!("{FEN} ;D1 18 ;id \"ours; #1\" ;D2 92 # it is 5\" long"),
            format!("{FEN}; perft 1 18; perft 2 = 92;"),
            format!("epd {FEN}\nperft 1 = 18\nperft 2 = 92"),
            format!("id name\nepd {FEN}\nperft 1 18\nperft 2 92\n"),
            format!("// x\n% y\nid name;\nfen {FEN}\nperft 1 18;\n\nperft 2 92;\n"),
            format!("{FEN},18,92"),
            format!("a rook, and pawns,{FEN},18,92\n"),
            format!("\"a rook\",\"{FEN}\",18,92\n"),
            "8/8/8/8/k1p4R/8/3P4/3K4 w - -,18,92".to_owned(),
            format!("{FEN}\t18\t92"),
            format!("{FEN};18;92;"),
            format!("{FEN},1,18,92"),
            format!("{FEN} 18 92"),
            format!("{FEN} 1 18 2 92"),
            format!("{FEN} ;1 18 ;2 92"),
            format!("{FEN} 1:18 2:92"),
            format!("{FEN}, 1:18, 2:92"),
            format!("{FEN} ;D1: 18; depth 2 = 92"),
            format!("{FEN}; perft(1) = 18; perft(2) = 92"),
            format!("{FEN} bm Rh8#; acd 12; c0 \"a;b\"; id \"x\"; D1 18; D2 92;"),
            format!("{FEN}\n18\n92\n"),
            format!("{FEN}\0\0\r\n1: 18\r\n2: 92\0\r\n"),
            format!("{FEN} ;D1 18 ;D2 92\0\n\0\n"),
            format!("fen,depth,nodes\n{FEN},1,18\n{FEN},2,92"),
            format!("Name;FEN;Depth 1;Depth 2;Depth 3\nrook;{FEN};18;92;"),
            format!("FEN\tDEPTH 1\tDEPTH 2\n{FEN}\t18\t92\n"),
            format!(
                "# Counts\n\nAs published.\n\n| position | d1 | d2 |\n|:--|--:|--|\n| `{FEN}` | 18 | 92 |\n"
            ),
            format!(
                "[{{\"fen\": \"{FEN}\", \"depth\": 1, \"nodes\": 18}},\n{{\"fen\": \"{FEN}\", \"depth\": 2, \"nodes\": 92}}]"
            ),
            format!(
                "{{\"fen\": \"{FEN}\", \"depth\": 1, \"nodes\": 18}}\n{{\"fen\": \"{FEN}\", \"depth\": 2, \"nodes\": 92}}\n"
            ),
            format!("{{\"positions\": {{\"rook\": {{\"fen\": \"{FEN}\", \"perft\": [18, 92]}}}}}}"),
            format!("[{{\"epd\": \"{FEN}\", \"counts\": {{\"1\": 18, \"2\": \"92\"}}}}]"),
            format!(
                "[{{\"fen\": \"{FEN}\", \"results\": [{{\"depth\": 1, \"nodes\": 18}}, {{\"depth\": 2, \"nodes\": 92, \"checks\": 3}}]}}]"
            ),
            format!("[{{\"fen\": \"{FEN}\", \"depths\": [1, 2], \"nodes\": [18, 92]}}]"),
            format!("{{\"{FEN}\": [1, 18, 92]}}"),
            format!("[[\"rook\", \"{FEN}\", 18, 92]]"),
        ] {
            let mut counts = counts(&text);
            counts[0].retain(|&(depth, _)| depth > 0);
            assert_eq!(counts, expected, "{text}");
        }
    }

    #[test]
    fn a_depth_before_a_count_is_told_from_counts_alone() {
        for (numbers, expected) in [
            (",3,1670", vec![(3, 1670)]),
            (",4,197281", vec![(4, 197_281)]),
            (",18", vec![(1, 18)]),
            (",48,2039", vec![(1, 48), (2, 2039)]),
            (" 3 1670", vec![(3, 1670)]),
            (",3,1670,4,10138", vec![(3, 1670), (4, 10_138)]),
            (",18,91,1671", vec![(1, 18), (2, 91), (3, 1671)]),
        ] {
            assert_eq!(counts(&format!("{FEN}{numbers}")), [expected], "{numbers}");
        }
        assert_eq!(counts("8/8/8/8/k1p4R/8/3P4/3K4 w - - 4 197281"), [[(4, 197_281)]]);
    }

    #[test]
    fn a_line_with_two_readings_is_refused_with_both() {
        let four_fields = "8/8/8/8/k1p4R/8/3P4/3K4 w - -";
        for (text, readings) in [
            (
                format!("{four_fields} 3 1670"),
                "clocks 3 and 1670 and no count; or 1670 leaves at depth 3 (;D3 1670)",
            ),
            (
                format!("{FEN},5,90"),
                "5 leaves at depth 1 and 90 at depth 2; or 90 leaves at depth 5",
            ),
            (
                format!("{four_fields} 1 18 2 92"),
                "clocks 1 and 18 before the counts; or counts alone",
            ),
        ] {
            let error = Suite::parse("test", &text).unwrap_err().to_string();
            assert_eq!(error, format!("test:1: can be read in two ways: {readings}"));
        }
        // Numbers below show that they are clocks.
        assert_eq!(counts(&format!("{four_fields} 3 1670\n18\n92")), [[(1, 18), (2, 92)]]);
    }

    #[test]
    fn test_cases_with_moves_are_counts_at_depth_1() {
        let text = format!(
            "{{\"description\": \"x\", \"testCases\": [{{\"start\": {{\"description\": \"\", \"fen\": \"{FEN}\"}},\n\
             \"expected\": [{{\"move\": \"d3\", \"fen\": \"{FEN}\"}}, {{\"move\": \"d4\", \"fen\": \"{FEN}\"}}]}}]}}"
        );
        assert_eq!(counts(&text), [[(1, 2)]]);
        let text = format!("[{{\"fen\": \"{FEN}\", \"moves\": [\"d3\", \"d4\", \"dxc3\"]}}]");
        assert_eq!(counts(&text), [[(1, 3)]]);
    }

    #[test]
    fn the_lines_around_bad_ones_are_read() {
        let text = format!(
            "{FEN} ;D1 18\n8/8 w - - ;D1 5\nid a\nepd 8/8/8/8/8/8/8/8 w - -\nperft 1 0\nperft 2 0\n\
             epd {FEN}\nperft 1 x\nperft 2 92\nepd {FEN}\n\nepd {FEN}\nperft 3 y\n{FEN} ;D3 1670\n\
             # caf\u{fffd}\n{FEN} ;D1 18 ;id \"caf\u{fffd}\""
        );
        let (suite, bad_lines) = Suite::parse_lossy("test", &text);
        let lines: Vec<usize> = suite.entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 7, 14]);
        assert_eq!(suite.entries[1].counts, [(2, 92)]);
        let lines: Vec<usize> = bad_lines.iter().map(|error| error.line).collect();
        assert_eq!(lines, [2, 4, 8, 10, 13, 16]);
    }

    #[test]
    fn blocks_and_lines_may_be_mixed() {
        let text = format!("id a\nepd {FEN}\nperft 1 18\n{FEN} ;D2 92\nid b\nepd {FEN}\nperft 3 1");
        assert_eq!(counts(&text), [vec![(1, 18)], vec![(2, 92)], vec![(3, 1)]]);
    }

    #[test]
    fn a_position_is_called_by_its_id_or_the_comment_above() {
        let text =
            format!("# not this\n\n# this\n{FEN} ;D1 18\n{FEN} ;D1 18\n{FEN} ;id \"that\";D1 18");
        let titles: Vec<_> =
            Suite::parse("", &text).unwrap().entries.into_iter().map(|entry| entry.title).collect();
        assert_eq!(titles, [Some("this".to_owned()), None, Some("that".to_owned())]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (line, text) in [
            (2, format!("# x\n{FEN}")),
            (1, format!("{FEN} ;D1")),
            (1, format!("{FEN} ;D1 x")),
            (1, format!("{FEN} ;D1 18 19")),
            (1, format!("{FEN} ;D1 -18")),
            (1, format!("{FEN} ;D1 +18")),
            (1, format!("{FEN} ;D256 18")),
            (1, format!("{FEN} ;D1 18 ;D1 18")),
            (1, format!("{FEN} ;bm e4")),
            (1, format!("{FEN} ;Dl 18")),
            (1, format!("{FEN},18,x")),
            (1, format!("{FEN},1:18,92")),
            (2, format!("fen,d1\n{FEN},x")),
            (2, format!("[\n{{\"fen\": \"{FEN}\", \"depth\": 1, \"nodes\": \"x\"}}]")),
            (
                3,
                format!(
                    "[{{\"fen\": \"{FEN}\", \"depth\": 1, \"nodes\": 18}},\n\n{{\"fen\": \"{FEN}\""
                ),
            ),
            (1, format!("{FEN} ;D1 18 ;id \"open ;D2 999")),
            (1, format!("{FEN} ;D1 18 ;id \"open # ;D2 999")),
            (1, "8/8 w - - ;D1 20".to_owned()),
            (1, "perft 1 20".to_owned()),
            (3, format!("epd {FEN}\nperft 1 18\nepd {FEN}\nid next\nperft 1 18")),
            (1, format!("epd {FEN}")),
            (2, format!("epd {FEN}\nperft 1")),
            (3, format!("{FEN} ;D1 18\n\nnonsense")),
        ] {
            let error = Suite::parse("test", &text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}

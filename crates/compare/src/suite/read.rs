//! Parsing suites, in the formats that several projects use.
//!
//! - EPD: `FEN ;D1 20 ;D2 400` or `FEN; D1 20; D2 400;`, with any operations of EPD between the
//!   semicolons.
//! - Counts from depth 1 on: `FEN,20,400`.
//! - Blocks: `id NAME`, `epd FEN`, then lines `perft DEPTH COUNT`.
//! - JSON (`json`): a list of `{"fen": FEN, "depth": 1, "nodes": 20}`.
//! - Blank lines; comments from `#` to the end of the line; Unix and Windows line ends; zero bytes
//!   before them; a byte-order mark.
//!
//! Castling is read as standard chess has it where that is possible, else as Chess960.

use super::{Entry, Suite, json};
use perft_core::Depth;
use perft_core::board::{FenError, Impossibility, Position, fen};

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
    /// No game reaches the position: an error only if that is asked for.
    #[error("no game reaches the position: {0}")]
    Impossible(Impossibility),
    /// A position of another variant.
    #[error("a position of {0}; perft counts chess and Chess960")]
    Variant(&'static str),
    /// Not JSON, or not the fields of a count.
    #[error("{0}")]
    Json(String),
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
            json::read(text, &mut reader);
        } else {
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

/// The lines after `epd FEN`.
#[derive(Default)]
enum Block {
    /// No counts may follow.
    #[default]
    Closed,
    /// The last entry may get more counts.
    Open {
        /// One of its lines was refused, which is error enough.
        has_bad_line: bool,
    },
    /// The position was refused; its counts are skipped.
    Bad,
}

/// The entries and the bad lines so far.
#[derive(Default)]
pub(super) struct Reader {
    entries: Vec<Entry>,
    bad_lines: Vec<(usize, SuiteErrorKind)>,
    /// The comment on the line before, or the block's id.
    title: Option<String>,
    block: Block,
}

impl Reader {
    pub fn refuse(&mut self, line: usize, kind: SuiteErrorKind) {
        self.bad_lines.push((line, kind));
    }

    /// Adds a count to the entry above if that has the same position and title, else a new entry:
    /// lists have one item for each depth.
    pub fn add(
        &mut self,
        line: usize,
        fen: &str,
        title: Option<String>,
        count: (Depth, u128),
    ) -> Result<(), SuiteErrorKind> {
        let position = position(fen)?;
        match self.entries.last_mut() {
            Some(last)
                if last.position == position
                    && last.title == title
                    && last.counts.iter().all(|&(depth, _)| depth != count.0) =>
            {
                last.counts.push(count);
            }
            _ => self.entries.push(Entry { line, ..Entry::new(position, title, vec![count]) }),
        }
        Ok(())
    }

    /// Reads a line of a suite that is not JSON.
    fn line(&mut self, number: usize, line: &str) {
        let line = line.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
        if line.is_empty() {
            self.title = None;
        } else if let Some(comment) = line.strip_prefix('#') {
            self.title = Some(comment.trim_start_matches('#').trim().to_owned());
        } else if let Err(kind) = self.content(number, line) {
            self.refuse(number, kind);
        }
    }

    fn content(&mut self, number: usize, line: &str) -> Result<(), SuiteErrorKind> {
        let line = without_comment(line);
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if word == "perft" {
            return self.count_line(rest);
        }
        self.close_block();
        if line.contains('\u{fffd}') {
            return Err(SuiteErrorKind::NotUtf8);
        }
        if line.matches('"').count() % 2 == 1 {
            return Err(SuiteErrorKind::OpenQuote);
        }
        match word {
            "id" => self.title = Some(unquoted(rest)),
            "epd" => {
                self.block = Block::Bad;
                let entry = Entry::new(position(rest)?, self.title.take(), Vec::new());
                self.entries.push(Entry { line: number, ..entry });
                self.block = Block::Open { has_bad_line: false };
            }
            _ => {
                let title = self.title.take();
                let entry = entry(line, title)?;
                self.entries.push(Entry { line: number, ..entry });
            }
        }
        Ok(())
    }

    /// `perft 1 20`, without the word: a count of the position above.
    fn count_line(&mut self, text: &str) -> Result<(), SuiteErrorKind> {
        match (&mut self.block, self.entries.last_mut()) {
            (Block::Open { has_bad_line }, Some(entry)) => {
                let text = text.trim_end_matches(';');
                let added = pair(text).and_then(|count| push(&mut entry.counts, count));
                *has_bad_line |= added.is_err();
                added
            }
            (Block::Bad, _) => Ok(()),
            _ => Err(SuiteErrorKind::NoPosition),
        }
    }

    /// Refuses the position of a block that has no counts.
    fn close_block(&mut self) {
        if let Block::Open { has_bad_line } = std::mem::take(&mut self.block)
            && let Some(entry) = self.entries.pop_if(|entry| entry.counts.is_empty())
            && !has_bad_line
        {
            self.refuse(entry.line, SuiteErrorKind::NoCount);
        }
    }
}

/// Reads a line that has a position and its counts.
fn entry(line: &str, title: Option<String>) -> Result<Entry, SuiteErrorKind> {
    let (fen, rest) = line.split_at(fen_length(line));
    let mut entry = Entry::new(position(fen)?, title, Vec::new());
    if let Some(counts) = rest.strip_prefix(',') {
        for (depth, text) in (1..).zip(counts.split(',')) {
            let nodes = number(text.trim()).filter(|_| depth <= Depth::MAX.into());
            let nodes = nodes.ok_or_else(|| SuiteErrorKind::Count(text.to_owned()))?;
            entry.counts.push((depth as Depth, nodes));
        }
    } else {
        for item in split_operations(rest) {
            let (opcode, operand) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
            if opcode == "id" {
                entry.title = Some(unquoted(operand));
            } else if !fen::is_epd_opcode(opcode) {
                let unknown = || match variant(line) {
                    Some(variant) => SuiteErrorKind::Variant(variant),
                    None => SuiteErrorKind::Operation(item.to_owned()),
                };
                let text = item.strip_prefix(['D', 'd']).ok_or_else(unknown)?;
                push(&mut entry.counts, pair(text).map_err(|_| unknown())?)?;
            }
        }
    }
    if entry.counts.is_empty() { Err(SuiteErrorKind::NoCount) } else { Ok(entry) }
}

/// The length of the FEN with which a line begins: four fields, and the clocks if they are there.
fn fen_length(line: &str) -> usize {
    let mut end = 0;
    for field in 0..6 {
        let rest = &line[end..];
        let word = rest.trim_start();
        let len = word.find(|letter: char| letter.is_whitespace() || ",;".contains(letter));
        let word = &word[..len.unwrap_or(word.len())];
        if word.is_empty() || (field >= 4 && number(word).is_none()) {
            break;
        }
        end += rest.len() - rest.trim_start().len() + word.len();
    }
    let spaces = line[end..].len() - line[end..].trim_start().len();
    end + spaces
}

fn position(fen: &str) -> Result<Position, SuiteErrorKind> {
    let bad = |error| match variant(fen) {
        Some(variant) => SuiteErrorKind::Variant(variant),
        None => SuiteErrorKind::Position { fen: fen.trim().to_owned(), error },
    };
    fen.parse().map_err(bad)
}

fn push(counts: &mut Vec<(Depth, u128)>, count: (Depth, u128)) -> Result<(), SuiteErrorKind> {
    if counts.iter().any(|&(depth, _)| depth == count.0) {
        return Err(SuiteErrorKind::DepthTwice(count.0));
    }
    counts.push(count);
    Ok(())
}

/// A depth and a count: `1 20`.
fn pair(text: &str) -> Result<(Depth, u128), SuiteErrorKind> {
    let mut words = text.split_whitespace().map(number);
    match (words.next(), words.next(), words.next()) {
        (Some(Some(depth)), Some(Some(nodes)), None) if depth <= Depth::MAX.into() => {
            Ok((depth as Depth, nodes))
        }
        _ => Err(SuiteErrorKind::Count(text.to_owned())),
    }
}

/// A number without a sign.
fn number(text: &str) -> Option<u128> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// The operations between semicolons that are not within quotes.
fn split_operations(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let items = text.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == ';' && !is_quoted
    });
    items.map(str::trim).filter(|item| !item.is_empty())
}

/// The line without a comment: ` #` starts one, and not the `#` of a mate.
fn without_comment(line: &str) -> &str {
    let mut is_quoted = false;
    let mut before = ' ';
    let start = line.find(|letter: char| {
        is_quoted ^= letter == '"';
        let is_start = letter == '#' && !is_quoted && before.is_whitespace();
        before = letter;
        is_start
    });
    start.map_or(line, |start| &line[..start]).trim_end()
}

fn unquoted(text: &str) -> String {
    text.trim().trim_end_matches(';').trim().trim_matches('"').to_owned()
}

/// The variant of a FEN with more than chess has: captured pieces, or numbers of checks.
fn variant(fen: &str) -> Option<&'static str> {
    let is_check_count = |word: &str| {
        word.contains('+') && word.bytes().all(|byte| byte == b'+' || byte.is_ascii_digit())
    };
    let pieces = fen.split_whitespace().next().unwrap_or_default();
    if pieces.contains(['[', '~']) || pieces.matches('/').count() == 8 {
        return Some("crazyhouse");
    }
    fen.split_whitespace().skip(4).any(is_check_count).then_some("three-check")
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
            format!("{FEN} bm Rh8#; acd 12; c0 \"a;b\"; id \"x\"; D1 18; D2 92;"),
            format!("{FEN} ;D1 18 ;D2 92\0\n\0\n"),
            format!("id name\nepd {FEN}\nperft 1 18\nperft 2 92\n"),
            format!("# x\nid name;\nepd {FEN}\nperft 1 18;\n\nperft 2 92;\n"),
            format!("{FEN},18,92"),
            "8/8/8/8/k1p4R/8/3P4/3K4 w - -, 18, 92".to_owned(),
            format!(
                "[{{\"fen\": \"{FEN}\", \"depth\": 1, \"nodes\": 18}},\n{{\"nodes\": 92, \"depth\": 2, \"x\": [], \"fen\": \"{FEN}\"}}]"
            ),
        ] {
            assert_eq!(counts(&text), expected, "{text}");
        }
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
            (1, format!("{FEN},{}1", "1,".repeat(255))),
            (1, format!("{FEN} 3 8902")),
            (1, format!("name,{FEN},18")),
            (2, format!("[\n{{\"fen\": \"{FEN}\", \"nodes\": 18}}]")),
            (1, format!("{{\"fen\": \"{FEN}\", \"depth\": 1, \"nodes\": 18}}")),
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

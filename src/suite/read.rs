//! Parsing suites, in the spellings that circulate.
//!
//! - One line a position: `FEN ;D1 20 ;D2 400`, `FEN; D1 20; D2 400;`, also with
//!   `id "name"` and comment operations `c0` to `c9` between the semicolons, or `perft 1 20` in
//!   place of `D1 20`.
//! - Blocks: `id NAME`, `epd FEN` (or `fen FEN`), then lines `perft DEPTH COUNT`.
//! - Blank lines; comments from `#` to the end of the line; lines that start with `//` or
//!   `%`; Unix and Windows line ends; a byte-order mark.
//!
//! Castling is read as standard chess has it where that is possible, else as Chess960.

use super::{Entry, Suite};
use crate::board::FenError;
use crate::perft::Depth;

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
}

impl Suite {
    /// Parses a suite; `name` is for messages.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(name: &str, text: &str) -> Result<Self, SuiteError> {
        let mut reader = Reader::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let error = |(line, kind)| SuiteError { suite: name.to_owned(), line, kind };
        for (number, line) in (1..).zip(text.lines()) {
            reader.line(number, line).map_err(error)?;
        }
        reader.close_block().map_err(error)?;
        Ok(Self { name: name.to_owned(), entries: reader.entries })
    }
}

#[derive(Default)]
struct Reader {
    entries: Vec<Entry>,
    /// The comment on the line before, or the block's id.
    title: Option<String>,
    /// The last entry is a block that may still get counts.
    in_block: bool,
}

type LineResult = Result<(), (usize, SuiteErrorKind)>;

impl Reader {
    fn line(&mut self, number: usize, line: &str) -> LineResult {
        let line = line.trim();
        if line.is_empty() {
            self.title = None;
            return Ok(());
        }
        if let Some(comment) = ["#", "//", "%"].iter().find_map(|mark| line.strip_prefix(mark)) {
            self.title = Some(comment.trim().to_owned());
            return Ok(());
        }
        let line = split_unquoted(line, '#').next().unwrap_or_default().trim_end();
        let at_line = |kind| (number, kind);
        if line.matches('"').count() % 2 == 1 {
            return Err(at_line(SuiteErrorKind::OpenQuote));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "id" => {
                self.close_block()?;
                self.title = Some(unquoted(rest));
            }
            "epd" | "fen" => {
                self.close_block()?;
                self.position(number, rest)?;
                self.in_block = true;
            }
            "perft" if self.in_block => self.count(&without_equals(rest)).map_err(at_line)?,
            "perft" => return Err(at_line(SuiteErrorKind::NoPosition)),
            _ => {
                self.close_block()?;
                self.one_line(number, line)?;
            }
        }
        Ok(())
    }

    fn one_line(&mut self, number: usize, line: &str) -> LineResult {
        let (fen, operations) = fen_and_operations(line);
        self.position(number, fen)?;
        let operations = split_unquoted(operations, ';').map(str::trim);
        for operation in operations.filter(|operation| !operation.is_empty()) {
            self.operation(operation).map_err(|kind| (number, kind))?;
        }
        self.in_block = true;
        self.close_block()
    }

    fn position(&mut self, number: usize, fen: &str) -> LineResult {
        let bad = |error| SuiteErrorKind::Position { fen: fen.trim().to_owned(), error };
        let position = fen.parse().map_err(|error| (number, bad(error)))?;
        let title = self.title.take();
        self.entries.push(Entry { line: number, ..Entry::new(position, title, Vec::new()) });
        Ok(())
    }

    fn operation(&mut self, operation: &str) -> Result<(), SuiteErrorKind> {
        let (opcode, rest) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
        match opcode.as_bytes() {
            [b'D' | b'd', digit, ..] if digit.is_ascii_digit() => {
                self.count(&operation[1..]).map_err(|kind| match kind {
                    SuiteErrorKind::Count(_) => SuiteErrorKind::Operation(operation.to_owned()),
                    kind => kind,
                })
            }
            b"perft" => self.count(&without_equals(rest)),
            b"id" => {
                if let Some(entry) = self.entries.last_mut() {
                    entry.title = Some(unquoted(rest));
                }
                Ok(())
            }
            [b'c', b'0'..=b'9'] | b"hmvc" | b"fmvn" => Ok(()),
            _ => Err(SuiteErrorKind::Operation(operation.to_owned())),
        }
    }

    /// `text` is a depth and a count.
    fn count(&mut self, text: &str) -> Result<(), SuiteErrorKind> {
        let bad = || SuiteErrorKind::Count(text.to_owned());
        let text_without_end = text.trim_end_matches(';');
        let mut fields = text_without_end.split_whitespace();
        let mut number = || fields.next().filter(|field| !field.starts_with('+')).ok_or_else(bad);
        let depth: Depth = number()?.parse().map_err(|_| bad())?;
        let nodes: u128 = number()?.parse().map_err(|_| bad())?;
        if fields.next().is_some() {
            return Err(bad());
        }
        let entry = self.entries.last_mut().ok_or(SuiteErrorKind::NoPosition)?;
        if entry.counts.iter().any(|&(known, _)| known == depth) {
            return Err(SuiteErrorKind::DepthTwice(depth));
        }
        entry.counts.push((depth, nodes));
        Ok(())
    }

    /// Refuses a position without counts when the next one starts.
    fn close_block(&mut self) -> LineResult {
        let open = std::mem::take(&mut self.in_block);
        match self.entries.last() {
            Some(entry) if open && entry.counts.is_empty() => {
                Err((entry.line, SuiteErrorKind::NoCount))
            }
            _ => Ok(()),
        }
    }
}

/// The parts between marks that are not within quotes.
fn split_unquoted(text: &str, mark: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == mark && !is_quoted
    })
}

/// Splits a line where its operations begin: at the first semicolon or, as in EPD, at the first word
/// after four fields that is not a number.
fn fen_and_operations(line: &str) -> (&str, &str) {
    fn after_word(text: &str) -> &str {
        text.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
    }
    let (fen, operations) = line.split_once(';').unwrap_or((line, ""));
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = (0..4).fold(fen, |rest, _| after_word(rest));
    while rest.split_whitespace().next().is_some_and(is_number) {
        rest = after_word(rest);
    }
    match rest.trim() {
        "" => (fen, operations),
        _ => line.split_at(fen.len() - rest.len()),
    }
}

/// `1 20` for `1 = 20`.
fn without_equals(text: &str) -> String {
    text.replacen('=', " ", 1)
}

fn unquoted(text: &str) -> String {
    text.trim().trim_end_matches(';').trim().trim_matches('"').to_owned()
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
        ] {
            assert_eq!(counts(&text), expected, "{text}");
        }
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

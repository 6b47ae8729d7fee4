//! Suites line by line: EPD, blocks, and numbers after a FEN.

use super::counts::{Counts, number, pair};
use super::read::{Reader, is_fen, variant};
use super::table::Table;
use super::{SuiteErrorKind, SuiteErrorKind as Kind};
use perft_core::board::{Position, fen};

/// The reading of the lines since the last position.
#[derive(Default)]
pub(super) enum Block {
    /// No counts may follow.
    #[default]
    Closed,
    /// The last entry may get more counts.
    Open {
        counts: Counts,
        /// Two numbers at the end of the FEN.
        clocks: Option<[u128; 2]>,
        /// One of its lines was refused, which is error enough.
        has_bad_line: bool,
    },
    /// The position was refused; its counts are skipped.
    Bad,
}

impl Reader {
    /// Reads a line of a suite that is not JSON.
    pub fn line(&mut self, number: usize, line: &str) {
        let line = line.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
        if line.is_empty() {
            self.title = None;
            self.table.take_if(|table| table.is_markdown());
            return;
        }
        if let Some(comment) = ["#", "//", "%"].iter().find_map(|mark| line.strip_prefix(mark)) {
            self.title = Some(comment.trim_start_matches('#').trim().to_owned());
            return;
        }
        let result = match line.contains('\u{fffd}') {
            true => Err(Kind::NotUtf8),
            false => self.content(number, line),
        };
        if let Err(kind) = result {
            self.refuse(number, kind);
        }
    }

    fn content(&mut self, number: usize, line: &str) -> Result<(), SuiteErrorKind> {
        if !line.split([' ', ',', ';', '|', '\t', '"', '`']).any(is_fen)
            && let Some(table) = Table::from_header(line)
        {
            self.close_block();
            self.table = Some(table);
            return Ok(());
        }
        if let Some(table) = &self.table {
            if !table.is_rule(line) {
                let row = table.row(number, line);
                self.record(number, &row, None);
            }
            return Ok(());
        }
        // Text and other tables around a Markdown table.
        if self.is_markdown {
            return Ok(());
        }
        let line = without_comment(line);
        if line.matches('"').count() % 2 == 1 {
            self.close_block();
            return Err(Kind::OpenQuote);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "id" => {
                self.close_block();
                self.title = Some(unquoted(rest));
                Ok(())
            }
            "epd" | "fen" => self.position_line(number, rest),
            _ if line.split([' ', ',', ';', '|', '\t', '"', '\'']).any(is_fen) => {
                self.position_line(number, line)
            }
            _ => self.count_line(number, line),
        }
    }

    /// A line with counts for the position above.
    fn count_line(&mut self, line_number: usize, line: &str) -> Result<(), SuiteErrorKind> {
        let text = line.trim_end_matches(';').trim_end();
        let nodes = number(text);
        let pair = if nodes.is_none() { pair(text) } else { None };
        if nodes.is_none() && pair.is_none() {
            // Not a count: reported as the FEN that it is not.
            return self.position_line(line_number, line);
        }
        match &mut self.block {
            Block::Bad => Ok(()),
            Block::Closed => Err(Kind::NoPosition),
            Block::Open { counts, has_bad_line, .. } => {
                let known = |depth| counts.pairs.iter().any(|&(known, _)| known == depth);
                let added = match (nodes, pair) {
                    (Some(nodes), _) => {
                        counts.list.push(nodes);
                        Ok(())
                    }
                    (_, Some(Ok((depth, _)))) if known(depth) => Err(Kind::DepthTwice(depth)),
                    (_, Some(Ok(pair))) => {
                        counts.pairs.push(pair);
                        Ok(())
                    }
                    (_, Some(Err(kind))) => Err(kind),
                    (None, None) => Ok(()),
                };
                *has_bad_line |= added.is_err();
                added
            }
        }
    }

    /// A line with a position and, mostly, its counts.
    fn position_line(&mut self, number: usize, line: &str) -> Result<(), SuiteErrorKind> {
        self.close_block();
        self.block = Block::Bad;
        let PositionLine { name, fields, numbers, rest } = PositionLine::split(line);
        let mut title = name.or(self.title.take());
        let (items, mut counts) = self::items(&rest, &mut title)
            .map_err(|kind| variant(line).map_or(kind, Kind::Variant))?;
        let has_counts = !items.is_empty() || !counts.is_empty();
        let clocks = numbers.first_chunk::<2>().copied();
        let (position, more) = match (has_counts, &numbers[..]) {
            (true, [] | [_, _]) => (with_clocks(fields, &numbers)?, None),
            (true, _) => return Err(Kind::Count(texts(&numbers).join(" "))),
            (false, [] | [_] | [_, _]) => match with_clocks(fields, &numbers) {
                Err(error) if numbers.len() == 2 => {
                    // Too large for clocks.
                    let position = with_clocks(fields, &[]).map_err(|_| error)?;
                    (position, Some(&numbers[..]))
                }
                position => (position?, None),
            },
            (false, _) => numbers_or_clocks(fields, &numbers)?,
        };
        if !items.is_empty() {
            let read = Counts::of_numbers(position.board(), &items, false)?;
            counts.pairs.extend(read.pairs);
            counts.list = read.list;
        }
        if let Some(more) = more {
            counts = Counts::of_numbers(position.board(), more, true)?;
        }
        self.push(number, position, title);
        self.block = Block::Open { counts, clocks, has_bad_line: false };
        if has_counts || more.is_some() {
            self.close_block();
        }
        Ok(())
    }

    /// Completes the last position, or refuses it if it has no counts.
    pub fn close_block(&mut self) {
        let Block::Open { counts, clocks, has_bad_line } = std::mem::take(&mut self.block) else {
            return;
        };
        let Some(mut entry) = self.entries.pop() else { return };
        match (counts.with_depths(entry.position.board()), clocks) {
            (Ok(counts), _) => {
                entry.counts = counts;
                self.entries.push(entry);
            }
            (Err(Kind::NoCount), _) if has_bad_line => {}
            (Err(Kind::NoCount), Some([depth, nodes])) if depth > 0 => self.refuse(
                entry.line,
                Kind::Ambiguous {
                    first: format!("clocks {depth} and {nodes} and no count"),
                    second: format!("{nodes} leaves at depth {depth} (;D{depth} {nodes})"),
                },
            ),
            (Err(kind), _) => self.refuse(entry.line, kind),
        }
    }
}

/// A line, split around the four fields of a FEN.
struct PositionLine<'a> {
    /// The text before the FEN.
    name: Option<String>,
    fields: &'a str,
    /// The numbers after the fields, with only spaces between.
    numbers: Vec<u128>,
    rest: String,
}

impl<'a> PositionLine<'a> {
    fn split(line: &'a str) -> Self {
        let is_separator = |letter: char| letter.is_whitespace() || ",;|\"'".contains(letter);
        let words = line.split_inclusive(is_separator);
        let before = words.take_while(|word| !is_fen(word.trim_end_matches(is_separator)));
        let start = before.map(str::len).sum();
        // Without a FEN, the line is the wrong one.
        let (name, text) = line.split_at(if start < line.len() { start } else { 0 });
        let quote = name.chars().last().filter(|letter| "\"'".contains(*letter));
        let name = name.trim_matches(|letter: char| is_separator(letter) || letter == ':');
        let name = (!name.is_empty()).then(|| name.to_owned());
        let (text, after_quote) = match quote.and_then(|quote| text.split_once(quote)) {
            Some((fen, rest)) => (fen, rest),
            None => (text, ""),
        };

        let mut rest = text;
        for _ in 0..4 {
            let after = rest.trim_start_matches([' ', '\t']);
            rest = after.split_at(after.find(is_separator).unwrap_or(after.len())).1;
        }
        let fields = &text[..text.len() - rest.len()];
        let mut numbers = Vec::new();
        loop {
            let after = rest.trim_start_matches(' ');
            let (word, next) = after.split_at(after.find(is_separator).unwrap_or(after.len()));
            let Some(number) = number(word) else { break };
            numbers.push(number);
            rest = next;
        }
        let mut rest = format!("{rest}{after_quote}");
        if !rest.contains(';') {
            rest = rest.replace('\t', ",");
        }
        Self { name, fields, numbers, rest }
    }
}

/// The numbers and the counts with depths after a FEN. An `id` becomes the title.
fn items(rest: &str, title: &mut Option<String>) -> Result<(Vec<u128>, Counts), SuiteErrorKind> {
    let rest = rest.trim();
    let separators: &[char] = match rest.chars().next() {
        Some(separator @ (',' | '|')) if !rest.contains(';') => &[separator],
        // `1:20 2:400`
        Some('0'..='9') if !rest.contains(';') => &[' ', ','],
        _ => &[';'],
    };
    let (mut numbers, mut counts) = (Vec::new(), Counts::default());
    for item in split_unquoted(rest, separators).map(str::trim).filter(|item| !item.is_empty()) {
        let (opcode, operand) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
        if let Some(nodes) = number(item) {
            numbers.push(nodes);
        } else if fen::is_epd_opcode(opcode) {
            if opcode == "id" {
                *title = Some(unquoted(operand));
            }
        } else {
            let unknown = || Kind::Operation(item.to_owned());
            let is_count = pair(item).ok_or_else(unknown)?;
            let (depth, nodes) = is_count.map_err(|_| unknown())?;
            if counts.pairs.iter().any(|&(known, _)| known == depth) {
                return Err(Kind::DepthTwice(depth));
            }
            counts.pairs.push((depth, nodes));
        }
    }
    match numbers.is_empty() || counts.is_empty() {
        true => Ok((numbers, counts)),
        false => Err(Kind::Count(rest.to_owned())),
    }
}

/// More than two numbers after the four fields, and nothing else: clocks and counts, or counts
/// alone.
fn numbers_or_clocks<'a>(
    fields: &str,
    numbers: &'a [u128],
) -> Result<(Position, Option<&'a [u128]>), SuiteErrorKind> {
    let plain = with_clocks(fields, &[])?;
    let clocked = with_clocks(fields, &numbers[..2]);
    let moves = u128::from(plain.board().count_legal_moves());
    let is_known = |numbers: &[u128]| numbers.first() == Some(&moves);
    let is_paired = |numbers: &[u128]| {
        let counts = Counts::of_numbers(plain.board(), numbers, true);
        counts.is_ok_and(|counts| !counts.pairs.is_empty())
    };
    let [as_counts, after_clocks] = [numbers, &numbers[2..]];
    let can_be = |numbers| is_known(numbers) || is_paired(numbers);
    match clocked {
        Ok(_) if can_be(as_counts) && can_be(after_clocks) => Err(Kind::Ambiguous {
            first: format!("clocks {} and {} before the counts", numbers[0], numbers[1]),
            second: "counts alone".to_owned(),
        }),
        Ok(position) if !can_be(as_counts) => Ok((position, Some(after_clocks))),
        _ => Ok((plain, Some(as_counts))),
    }
}

fn with_clocks(fields: &str, clocks: &[u128]) -> Result<Position, SuiteErrorKind> {
    let fen = [fields.to_owned()].into_iter().chain(texts(clocks)).collect::<Vec<_>>().join(" ");
    Reader::position(&fen)
}

fn texts(numbers: &[u128]) -> Vec<String> {
    numbers.iter().map(u128::to_string).collect()
}

/// The parts between separators that are not within quotes.
fn split_unquoted<'a>(text: &'a str, separators: &[char]) -> impl Iterator<Item = &'a str> {
    let mut is_quoted = false;
    text.split(move |letter| {
        is_quoted ^= letter == '"';
        separators.contains(&letter) && !is_quoted
    })
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

//! Reading what engines print.

use std::collections::{BTreeMap, BTreeSet};

use super::Answer;

/// What a line of an engine's output says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A root move and its count. The move is in lower case, castling `O-O` or `O-O-O` if it
    /// was written so.
    Move(String, u128),
    /// The total.
    Total(u128),
    /// A root move with something in place of its count, such as a negative number; and the line.
    BadMove(String, String),
    /// The same for a total: the line.
    BadTotal(String),
    /// `readyok`.
    Ready,
    /// `bestmove`: the engine has searched.
    BestMove,
    /// Nothing that matters to a count.
    Other,
}

/// The lines of a divide, as they come.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    moves: Vec<(String, u128)>,
    /// The moves that have a count.
    listed: BTreeSet<String>,
    totals: Vec<u128>,
    has_running_totals: bool,
    /// Moves that have no count, with their lines.
    bad_moves: BTreeMap<String, String>,
    bad_total: Option<String>,
}

impl Transcript {
    /// Takes in a line, and says what it was.
    pub fn push(&mut self, line: &str) -> Line {
        let line = read_line(line);
        match &line {
            Line::Move(text, nodes) => {
                // What came before the last move is not the total of all moves.
                self.has_running_totals |= !self.moves.is_empty() && !self.totals.is_empty();
                self.totals.clear();
                self.bad_moves.remove(text);
                self.moves.push((text.clone(), *nodes));
                self.listed.insert(text.clone());
            }
            Line::Total(nodes) => self.totals.push(*nodes),
            // What has a count may have a time or a score as well.
            Line::BadMove(text, line) if !self.listed.contains(text) => {
                self.bad_moves.insert(text.clone(), line.clone());
            }
            Line::BadTotal(line) => self.bad_total = Some(line.clone()),
            _ => {}
        }
        line
    }

    /// Whether no move or total has come.
    pub fn is_empty(&self) -> bool {
        self.moves() == 0 && !self.has_total()
    }

    /// A line whose count is none, if there is no other for the same.
    pub fn unreadable(&self) -> Option<&str> {
        let total = self.bad_total.as_ref().filter(|_| self.totals.is_empty());
        self.bad_moves.values().next().or(total).map(String::as_str)
    }

    /// Whether a total has come after the last move, readable or not.
    pub fn has_total(&self) -> bool {
        !self.totals.is_empty() || self.bad_total.is_some()
    }

    /// How many moves have come, with or without a count.
    pub fn moves(&self) -> usize {
        self.moves.len() + self.bad_moves.len()
    }

    /// Whether a total came between two moves.
    pub fn has_running_totals(&self) -> bool {
        self.has_running_totals
    }

    /// The last total, if one has come after the last move.
    pub fn total(&self) -> Option<u128> {
        self.totals.last().copied()
    }

    /// The whole. Of several totals the one that is the sum of the moves counts, else the last.
    pub fn answer(self) -> Answer {
        let unreadable = self.unreadable().map(str::to_owned);
        let mut answer = Answer { moves: self.moves, total: None, unreadable };
        let sum = answer.sum();
        let fits = self.totals.iter().find(|&&total| total == sum);
        answer.total = fits.or(self.totals.last()).copied();
        answer
    }
}

/// A word of a line, as far as it is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Move(String),
    Number(u128),
    /// A whole number that is no count: negative, or too large.
    BadNumber,
    /// A number with a fraction or an exponent.
    Fraction,
    Other(String),
}

/// Reads a line of a divide, in the ways that engines print it.
///
/// ```
/// use perft::compare::{Line, read_line};
///
/// for line in ["e2e4: 20", "e2e4 20", "e2e4 - 20", "1. e2e4 20", "move e2e4 nodes 20"] {
///     assert_eq!(read_line(line), Line::Move("e2e4".to_owned(), 20));
/// }
/// assert_eq!(read_line("Nodes searched: 400"), Line::Total(400));
/// ```
pub fn read_line(line: &str) -> Line {
    let line = &without_colours(line.trim_start_matches('\u{feff}'));
    // A row of a board that is drawn.
    if line.contains('|') {
        return Line::Other;
    }
    let words = words(line);
    // A move that is none, and never legal.
    if let [Word::Number(0), Word::Number(count)] = words[..]
        && line.trim_start().starts_with("0000")
    {
        return Line::Move("0000".to_owned(), count);
    }
    match words.first() {
        Some(Word::Other(word)) if word == "readyok" => return Line::Ready,
        Some(Word::Other(word)) if word == "bestmove" => return Line::BestMove,
        _ => {}
    }
    match words.iter().position(|word| matches!(word, Word::Move(_))) {
        Some(place) => root_move(line, &words, place),
        None => total(line, &words),
    }
}

/// The line without what colours it on a terminal.
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        // Parameters, and the letter that ends them; or two characters that choose a font.
        let shown = match part.strip_prefix('[') {
            Some(rest) => rest.trim_start_matches(|letter| matches!(letter, ' '..='?')).get(1..),
            None => part.get(2..),
        };
        text + shown.unwrap_or_default()
    })
}

/// Words that may stand before the move of a line.
const BEFORE_MOVE: &[&str] =
    &["move", "root", "divide", "perft", "info", "string", "currmove", "-", "*", "#"];

/// Words that may stand between the move and its count.
const BEFORE_COUNT: &[&str] =
    &["-", "->", "=", "=>", "nodes", "node", "count", "leaf", "leaves", "has", "perft", "moves"];

fn root_move(line: &str, words: &[Word], place: usize) -> Line {
    let (before, after) = (&words[..place], &words[place + 1..]);
    let fits = before.iter().all(|word| match word {
        Word::Other(word) => BEFORE_MOVE.contains(&word.as_str()),
        Word::Number(_) => true,
        Word::Move(_) | Word::BadNumber | Word::Fraction => false,
    });
    if !fits || after.iter().any(|word| matches!(word, Word::Move(_))) {
        return Line::Other;
    }
    let Word::Move(text) = &words[place] else { return Line::Other };
    let mut rest = after.iter().skip_while(
        |word| matches!(word, Word::Other(word) if BEFORE_COUNT.contains(&word.as_str())),
    );
    match (rest.next(), before) {
        (Some(Word::Number(count)), _) | (None, [Word::Number(count)]) => {
            Line::Move(text.clone(), *count)
        }
        (Some(Word::BadNumber | Word::Fraction), _) => {
            Line::BadMove(text.clone(), line.trim().to_owned())
        }
        _ => Line::Other,
    }
}

/// Words after which a total comes.
const BEFORE_TOTAL: &[&str] =
    &["nodes", "node", "total", "leaves", "leafs", "leaf", "searched", "sum", "result", "visited"];

/// Words that may stand between such a word and the number.
const WITHIN_TOTAL: &[&str] = &["count", "is", "number", "of", "found", "-", "=", "=>", "->"];

/// What tells that a number is not one of nodes.
const UNITS: &[&str] = &[
    "ms",
    "msec",
    "msecs",
    "milliseconds",
    "us",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "nps",
    "knps",
    "mnps",
    "%",
    "moves",
    "mb",
    "threads",
];

fn total(line: &str, words: &[Word]) -> Line {
    match words {
        [Word::Number(number)] => return Line::Total(*number),
        [Word::BadNumber] => return Line::BadTotal(line.trim().to_owned()),
        _ => {}
    }
    let is = |word: &Word, list: &[&str]| matches!(word, Word::Other(word) if list.contains(&word.as_str()));
    // What a search says about its nodes is no count.
    if let [Word::Other(info), next, ..] = words
        && info == "info"
        && !is(next, &["string"])
    {
        return Line::Other;
    }
    let total_at = |place: usize| match (&words.get(place), words.get(place + 1)) {
        (Some(Word::Number(_) | Word::Fraction), Some(unit)) if is(unit, UNITS) => None,
        (Some(Word::Number(number)), _) => Some(Line::Total(*number)),
        (Some(Word::BadNumber | Word::Fraction), _) => Some(Line::BadTotal(line.trim().to_owned())),
        _ => None,
    };
    // What is no count is told only if nothing else in the line is one.
    let mut bad = None;
    // Nodes(5) = 4865609: with an equals sign the number after it is meant.
    if let Some(equals) = words.iter().position(|word| is(word, &["=", "=>", "->"]))
        && words.first().is_some_and(|word| is(word, BEFORE_TOTAL) || is(word, &["perft"]))
    {
        return total_at(equals + 1).unwrap_or(Line::Other);
    }
    for (place, word) in words.iter().enumerate() {
        if !is(word, BEFORE_TOTAL) {
            continue;
        }
        let end = words[place..]
            .iter()
            .position(|word| !is(word, BEFORE_TOTAL) && !is(word, WITHIN_TOTAL));
        match end.and_then(|end| total_at(place + end)) {
            Some(Line::BadTotal(line)) => {
                // 400 nodes 0.5: a time.
                let has_count = place > 0 && matches!(words[place - 1], Word::Number(_));
                bad = bad.or((!has_count).then_some(Line::BadTotal(line)));
            }
            Some(total) => return total,
            None => {}
        }
    }
    // perft 5 = 4865609, perft(5): 4865609, Total perft(5): 4865609
    if let Some(perft) = words.iter().position(|word| is(word, &["perft"]))
        && words[..perft].iter().all(|word| is(word, BEFORE_TOTAL))
    {
        let skipped = ["depth", "at", "-", "=", "=>", "->", "is"];
        let mut places = (perft + 1..words.len()).filter(|&place| !is(&words[place], &skipped));
        if let (Some(depth), Some(count)) = (places.next(), places.next())
            && matches!(words[depth], Word::Number(_))
            && let Some(total) = total_at(count)
        {
            return total;
        }
    }
    bad.unwrap_or(Line::Other)
}

fn words(line: &str) -> Vec<Word> {
    // The longest line that could matter is far shorter.
    const LONGEST: usize = 400;
    let line = line.get(..LONGEST).unwrap_or(if line.len() < LONGEST { line } else { "" });
    let mut words = Vec::new();
    let separates = |letter: char| {
        letter.is_whitespace() || matches!(letter, ':' | '(' | ')' | '[' | ']' | ';')
    };
    for text in line.split(separates).filter(|text| !text.is_empty()) {
        if let Some(word) =
            as_move(text).map(Word::Move).or_else(|| as_number(text).map(Word::Number))
        {
            words.push(word);
            continue;
        }
        // e2e4=20 or e2e4,20; a number of the list, 1. or 12., is no more than its number.
        let parts = text.split(['=', ',']).filter(|part| !part.is_empty());
        for part in parts {
            let part = part.strip_suffix('.').unwrap_or(part);
            words.push(match (as_move(part), as_number(part)) {
                (Some(text), _) => Word::Move(text),
                (None, Some(number)) => Word::Number(number),
                (None, None) => no_count(part),
            });
        }
        if text.chars().all(|letter| letter == '=') {
            words.push(Word::Other("=".to_owned()));
        }
    }
    words
}

/// `e2e4`, `e2-e4`, `d4xe5`, `a7a8q`, `a7a8=Q`, `O-O`, `0-0-0`.
fn as_move(text: &str) -> Option<String> {
    match text {
        "O-O" | "0-0" | "o-o" => return Some("O-O".to_owned()),
        "O-O-O" | "0-0-0" | "o-o-o" => return Some("O-O-O".to_owned()),
        _ => {}
    }
    let lower = text.to_ascii_lowercase();
    let (from, rest) = lower.split_at_checked(2)?;
    let rest = rest.strip_prefix(['-', 'x']).unwrap_or(rest);
    let (to, promotion) = rest.split_at_checked(2)?;
    let promotion = promotion.strip_prefix('=').unwrap_or(promotion);
    let is_square = |text: &str| matches!(text.as_bytes(), [b'a'..=b'h', b'1'..=b'8']);
    // Whatever it is promoted to: that may be what is wrong with it.
    let is_promotion = match promotion.as_bytes() {
        [] => true,
        [piece, rest @ ..] => {
            piece.is_ascii_alphabetic()
                && rest.len() <= 1
                && rest.iter().all(u8::is_ascii_alphanumeric)
        }
    };
    (is_square(from) && is_square(to) && is_promotion).then(|| format!("{from}{to}{promotion}"))
}

/// Digits, in groups if someone likes them so.
fn as_number(text: &str) -> Option<u128> {
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let digits: String =
        text.chars().filter(|letter| !matches!(letter, ',' | '_' | '\'')).collect();
    digits.parse().ok()
}

/// A number that is no count, as programs print that count with too few bits or in floating point;
/// or another word.
fn no_count(text: &str) -> Word {
    let lower = text.to_ascii_lowercase();
    let number = lower.strip_prefix('-').unwrap_or(&lower);
    let is_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    if is_digits(number) {
        return Word::BadNumber;
    }
    // Neither 12ms nor 0.5s, and no list of two.
    let is_fraction =
        number.starts_with(|letter: char| letter.is_ascii_digit()) && number.parse::<f64>().is_ok();
    if is_fraction || matches!(number, "nan" | "inf") { Word::Fraction } else { Word::Other(lower) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_count_is_not_passed_over() {
        for count in ["-20", "20.5", "1e9", "4.8e+06", "NaN", "-inf", &"9".repeat(40)] {
            for line in [format!("e2e4: {count}"), format!("1. e2e4 - {count} nodes")] {
                assert_eq!(read_line(&line), Line::BadMove("e2e4".to_owned(), line.clone()));
            }
            for line in [format!("Nodes searched: {count}"), format!("perft 2 = {count}")] {
                assert_eq!(read_line(&line), Line::BadTotal(line.clone()));
            }
        }
        assert_eq!(read_line("-400"), Line::BadTotal("-400".to_owned()));
        let mut transcript = Transcript::default();
        for (line, unreadable) in [
            ("a2a3: 1", None),
            ("a2a3: 0.5", None),
            ("Nodes: 1.2", Some("Nodes: 1.2")),
            ("Total: 1", None),
            ("a2a4: -1", Some("a2a4: -1")),
            ("a2a4: 1", Some("Nodes: 1.2")),
            ("a2a4: -1", Some("Nodes: 1.2")),
            ("Total: 2", None),
            ("b2b3: -1", Some("b2b3: -1")),
        ] {
            transcript.push(line);
            assert_eq!(transcript.unreadable(), unreadable, "{line}");
        }
        assert_eq!(transcript.moves(), 3);
        assert_eq!(transcript.answer().unreadable.as_deref(), Some("b2b3: -1"));
    }

    #[test]
    fn root_moves_are_read_in_every_spelling() {
        for (line, text, count) in [
            ("e2e4: 20", "e2e4", 20),
            ("e2e4 20", "e2e4", 20),
            ("e2e4 - 20", "e2e4", 20),
            ("e2e4\t20", "e2e4", 20),
            ("e2e4=20", "e2e4", 20),
            ("e2e4 = 20", "e2e4", 20),
            ("e2e4,20", "e2e4", 20),
            ("1. e2e4 20", "e2e4", 20),
            ("12) e2e4: 20", "e2e4", 20),
            ("[12] e2e4: 20", "e2e4", 20),
            ("  3 e2e4 20", "e2e4", 20),
            ("move e2e4 nodes 20", "e2e4", 20),
            ("Move: e2e4 Nodes: 20", "e2e4", 20),
            ("info string e2e4: 20", "e2e4", 20),
            ("e2e4: 20 nodes", "e2e4", 20),
            ("e2e4: 20 (5.1 %)", "e2e4", 20),
            ("e2e4: 1,234,567", "e2e4", 1_234_567),
            ("e2-e4: 20", "e2e4", 20),
            ("d4xe5: 20", "d4e5", 20),
            ("20 e2e4", "e2e4", 20),
            ("a7a8Q: 3", "a7a8q", 3),
            ("a7a8=N 3", "a7a8n", 3),
            ("E2E4: 20", "e2e4", 20),
            ("e1g1: 7", "e1g1", 7),
            ("O-O: 7", "O-O", 7),
            ("0-0-0 7", "O-O-O", 7),
            ("e2e4: 0", "e2e4", 0),
            ("0000: 20", "0000", 20),
            ("0000 a2a3 20", "a2a3", 20),
            ("e2e4 : 20 (0.01s)", "e2e4", 20),
            ("e2e4 20 0.001", "e2e4", 20),
            ("\u{1b}[?25l\u{1b}[38:5:10me2e4\u{1b}(B\u{1b}[m: 20", "e2e4", 20),
            ("e2e4q5: 20", "e2e4q5", 20),
            ("\u{1b}[32me2e4\u{1b}[0m: \u{1b}[1;31m20\u{1b}[m", "e2e4", 20),
        ] {
            assert_eq!(read_line(line), Line::Move(text.to_owned(), count), "{line}");
        }
    }

    #[test]
    fn totals_are_read_in_every_wording() {
        for (line, total) in [
            ("Nodes searched: 400", 400),
            ("Nodes searched  : 400", 400),
            ("Total: 400", 400),
            ("total 400", 400),
            ("Total nodes: 400", 400),
            ("Total Nodes Searched = 400", 400),
            ("Nodes: 400", 400),
            ("nodes 400 time 3 ms", 400),
            ("info string nodes 400", 400),
            ("Leaf nodes: 400", 400),
            ("Number of nodes: 400", 400),
            ("Sum: 400", 400),
            ("perft 2 = 400", 400),
            ("perft(2): 400", 400),
            ("Perft depth 2: 400 (0.1 s)", 400),
            ("perft 2 nodes 400", 400),
            ("400", 400),
            ("Nodes searched: 4_865_609", 4_865_609),
            ("Total: 4,865,609 nodes", 4_865_609),
            ("Total perft(3): 8902", 8_902),
            ("Nodes(3) = 8902", 8_902),
            ("Result: perft 3 = 8902", 8_902),
            ("\u{feff}Nodes: 8902", 8_902),
            ("Perft 2: 400 nodes (0.5s)", 400),
            ("Perft 2: 400 nodes 0.5s", 400),
            ("Perft 2: 400 nodes 0.5", 400),
            ("Perft(2): 400 nodes, 12ms", 400),
            ("Total 12ms, nodes 400", 400),
            ("Time: 0.5 Total: 0.6 Nodes: 400", 400),
            ("Nodes: 400 Time: 0.5s NPS: 1.2M", 400),
        ] {
            assert_eq!(read_line(line), Line::Total(total), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_mistaken() {
        for line in [
            "",
            "Stockfish 15.1 by the Stockfish developers (see AUTHORS file)",
            "id name Engine 2000",
            "option name Hash type spin default 16 min 1 max 33554432",
            "info depth 1 seldepth 1 score cp 30 nodes 20 nps 20000 pv e2e4",
            "info depth 5 nodes 400 time 3",
            "info currmove e2e4 currmovenumber 1",
            "Total time (ms) : 15",
            "Total: 12 msec",
            "Total: 0.012 s",
            "Total time: 0.012",
            "Total: 0.001s",
            "Total: 12ms",
            "Total: 1.2MB",
            "400 nodes 0.001",
            "400 nodes, 0.001s",
            "Done: 400 nodes 2.5MN/s",
            "Nodes: 3.5Mnps",
            "Searched 0.4%",
            "searched 1/20",
            "Result: 1-0",
            "Result: 3/3 passed",
            "Nodes 2nd: 400",
            "Time: 0000 ms",
            "Nodes/second: 1.2e9",
            "|   |   |   | 8",
            " | r |   | k | 8",
            "Nodes/second    : 400",
            "nodes per second: 400",
            "Time: 15",
            "Total moves: 20",
            "Moves: 20",
            "perft 5",
            "Perft depth 5:",
            "Running perft to depth 5",
            "uciok",
            "e2e4",
            "e2e4 e7e5",
            "e2e4:",
            "i9i8: 20",
            "NPS: 20",
        ] {
            assert_eq!(read_line(line), Line::Other, "{line}");
        }
        assert_eq!(read_line("readyok"), Line::Ready);
        assert_eq!(read_line("bestmove e2e4 ponder e7e5"), Line::BestMove);
    }

    #[test]
    fn of_several_totals_the_sum_counts() {
        let mut transcript = Transcript::default();
        for line in ["a2a3: 1", "b2b3: 1", "Nodes: 2", "Total: 21"] {
            transcript.push(line);
        }
        assert_eq!(transcript.answer().total, Some(2));
    }
}

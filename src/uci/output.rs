//! The meaning of a line of engine output.
//!
//! [`FORMATS`] lists the accepted formats. A new wording is a word in one of the lists below it, a
//! new format a function in the list.

use super::token::{Token, tokens};

/// The meaning of a line of engine output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputLine {
    /// A root move and its count. The move is in lower case, or castling as `O-O` or `O-O-O` if it
    /// was written so.
    Move(String, u128),
    /// The total.
    Total(u128),
    /// A root move with a number that cannot be a count, such as a negative one; and the line.
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

impl OutputLine {
    /// Reads a line.
    ///
    /// ```
    /// use perft::uci::OutputLine;
    ///
    /// for line in ["e2e4: 20", "e2e4 20", "e2e4 - 20", "1. e2e4 20", "move e2e4 nodes 20"] {
    ///     assert_eq!(OutputLine::parse(line), OutputLine::Move("e2e4".to_owned(), 20));
    /// }
    /// assert_eq!(OutputLine::parse("Nodes searched: 400"), OutputLine::Total(400));
    /// ```
    pub fn parse(line: &str) -> Self {
        let text = without_escapes(line.trim_start_matches('\u{feff}'));
        let line = TokenizedLine { text: text.trim(), tokens: tokens(&text) };
        FORMATS.iter().find_map(|format| format(&line)).unwrap_or(Self::Other)
    }
}

/// A line without escape sequences.
struct TokenizedLine<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// The formats with examples. The first function that returns a meaning decides.
const FORMATS: &[fn(&TokenizedLine<'_>) -> Option<OutputLine>] = &[
    board_row,             // | r |   | k | 8
    null_move,             // 0000: 20
    protocol,              // readyok
    root_move,             // e2e4: 20; 1. e2e4 - 20 nodes; 20 e2e4
    lone_number,           // 400
    search_info,           // info depth 5 nodes 400
    total_after_equals,    // Nodes(5) = 4865609
    total_after_label,     // Nodes searched: 400; Total: 400 nodes
    total_after_perft,     // perft 2 = 400; Perft depth 2: 400; Total perft(2): 400
    bad_total_after_label, // Nodes searched: -400
];

/// Words before the move of a line.
const BEFORE_MOVE: &[&str] =
    &["move", "root", "divide", "perft", "info", "string", "currmove", "-", "*", "#"];

/// Words between the move and its count.
const BEFORE_COUNT: &[&str] =
    &["-", "->", "=", "nodes", "node", "count", "leaf", "leaves", "has", "perft", "moves"];

/// Words that announce a total.
const TOTAL_LABELS: &[&str] =
    &["nodes", "node", "total", "leaves", "leafs", "leaf", "searched", "sum", "result", "visited"];

/// Words between such a word and the number.
const AFTER_LABEL: &[&str] = &["count", "is", "number", "of", "found", "-", "=", "->"];

/// Words around the depth in `perft depth 5 = 4865609`.
const AROUND_DEPTH: &[&str] = &["depth", "at", "-", "=", "->", "is"];

/// Signs before a number.
const EQUALS: &[&str] = &["=", "->"];

/// Units of numbers that are not nodes.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "ms", "msec", "msecs", "milliseconds", "us", "s", "sec", "secs", "second", "seconds",
    "nps", "knps", "mnps", "%", "moves", "mb", "threads",
];

fn board_row(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    line.text.contains('|').then_some(OutputLine::Other)
}

/// A move that is never legal.
fn null_move(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    match line.tokens[..] {
        [Token::Number(0), Token::Number(count)] if line.text.starts_with("0000") => {
            Some(OutputLine::Move("0000".to_owned(), count))
        }
        _ => None,
    }
}

fn protocol(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    match line.tokens.first()? {
        Token::Word(word) if word == "readyok" => Some(OutputLine::Ready),
        Token::Word(word) if word == "bestmove" => Some(OutputLine::BestMove),
        _ => None,
    }
}

/// Any line with a move. If it has two, it is not a divide.
fn root_move(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    let place = line.tokens.iter().position(Token::is_move)?;
    let (before, rest) = line.tokens.split_at(place);
    let [Token::Move(text), after @ ..] = rest else { return None };
    let fits = |token: &Token| matches!(token, Token::Number(_)) || token.is_any(BEFORE_MOVE);
    if !before.iter().all(fits) || after.iter().any(Token::is_move) {
        return Some(OutputLine::Other);
    }
    let count = after.iter().find(|token| !token.is_any(BEFORE_COUNT));
    Some(match (count, before) {
        (Some(Token::Number(count)), _) | (None, [Token::Number(count)]) => {
            OutputLine::Move(text.clone(), *count)
        }
        (Some(Token::BadNumber | Token::Fraction), _) => {
            OutputLine::BadMove(text.clone(), line.text.to_owned())
        }
        _ => OutputLine::Other,
    })
}

fn lone_number(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    match line.tokens[..] {
        [Token::Number(number)] => Some(OutputLine::Total(number)),
        [Token::BadNumber] => Some(OutputLine::BadTotal(line.text.to_owned())),
        _ => None,
    }
}

/// The nodes of a search are not a count.
fn search_info(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    match &line.tokens[..] {
        [info, next, ..] if info.is_any(&["info"]) && !next.is_any(&["string"]) => {
            Some(OutputLine::Other)
        }
        _ => None,
    }
}

/// With an equals sign, the total is the number after it.
fn total_after_equals(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    let equals = line.tokens.iter().position(|token| token.is_any(EQUALS))?;
    let first = line.tokens.first()?;
    let is_total = first.is_any(TOTAL_LABELS) || first.is_any(&["perft"]);
    is_total.then(|| line.total_at(equals + 1).unwrap_or(OutputLine::Other))
}

fn total_after_label(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    line.labeled_totals().find(|total| matches!(total, OutputLine::Total(_)))
}

/// Only if nothing else in the line is a total.
fn bad_total_after_label(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    line.labeled_totals().next()
}

fn total_after_perft(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    let perft = line.tokens.iter().position(|token| token.is_any(&["perft"]))?;
    let (before, after) = (&line.tokens[..perft], perft + 1..line.tokens.len());
    if !before.iter().all(|token| token.is_any(TOTAL_LABELS)) {
        return None;
    }
    let mut places = after.filter(|&place| !line.tokens[place].is_any(AROUND_DEPTH));
    let (depth, count) = (places.next()?, places.next()?);
    if matches!(line.tokens[depth], Token::Number(_)) { line.total_at(count) } else { None }
}

impl TokenizedLine<'_> {
    /// The number at a place, if it can be a total.
    fn total_at(&self, place: usize) -> Option<OutputLine> {
        let has_unit = self.tokens.get(place + 1).is_some_and(|token| token.is_any(UNITS));
        match self.tokens.get(place)? {
            Token::Number(_) | Token::Fraction if has_unit => None,
            Token::Number(number) => Some(OutputLine::Total(*number)),
            Token::BadNumber | Token::Fraction => Some(OutputLine::BadTotal(self.text.to_owned())),
            Token::Move(_) | Token::Word(_) => None,
        }
    }

    /// The numbers after words that announce a total, good and bad ones.
    fn labeled_totals(&self) -> impl Iterator<Item = OutputLine> {
        let labels =
            (0..self.tokens.len()).filter(|&place| self.tokens[place].is_any(TOTAL_LABELS));
        labels.filter_map(|label| {
            let is_number =
                |token: &Token| !token.is_any(TOTAL_LABELS) && !token.is_any(AFTER_LABEL);
            let number = label + self.tokens[label..].iter().position(is_number)?;
            // In `400 nodes 0.5` the fraction is a time.
            let follows_count = label > 0 && matches!(self.tokens[label - 1], Token::Number(_));
            let total = self.total_at(number)?;
            (!follows_count || matches!(total, OutputLine::Total(_))).then_some(total)
        })
    }
}

/// The line without the escape sequences that color it on a terminal.
fn without_escapes(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        // `[`, parameters and a final letter; or two characters that select a character set.
        let shown = match part.strip_prefix('[') {
            Some(rest) => rest.trim_start_matches(|letter| matches!(letter, ' '..='?')).get(1..),
            None => part.get(2..),
        };
        text + shown.unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_cannot_be_counts_are_reported() {
        let parse = OutputLine::parse;
        for count in ["-20", "20.5", "1e9", "4.8e+06", "NaN", "-inf", &"9".repeat(40)] {
            for line in [format!("e2e4: {count}"), format!("1. e2e4 - {count} nodes")] {
                assert_eq!(parse(&line), OutputLine::BadMove("e2e4".to_owned(), line.clone()));
            }
            for line in [format!("Nodes searched: {count}"), format!("perft 2 = {count}")] {
                assert_eq!(parse(&line), OutputLine::BadTotal(line.clone()));
            }
        }
        assert_eq!(parse("-400"), OutputLine::BadTotal("-400".to_owned()));
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
            ("e2e4 => 20", "e2e4", 20),
            ("e2e4 -> 20", "e2e4", 20),
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
            assert_eq!(OutputLine::parse(line), OutputLine::Move(text.to_owned(), count), "{line}");
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
            ("perft 2 => 400", 400),
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
            assert_eq!(OutputLine::parse(line), OutputLine::Total(total), "{line}");
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
            assert_eq!(OutputLine::parse(line), OutputLine::Other, "{line}");
        }
        assert_eq!(OutputLine::parse("readyok"), OutputLine::Ready);
        assert_eq!(OutputLine::parse("bestmove e2e4 ponder e7e5"), OutputLine::BestMove);
    }
}

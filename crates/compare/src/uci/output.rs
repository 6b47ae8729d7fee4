//! The meaning of a line of engine output.
//!
//! [`FORMATS`] lists the accepted formats. A new wording is a word in one of the lists below it, a
//! new format a function in the list.

use super::token::{Token, tokens};
use perft_core::Depth;

/// The meaning of a line of engine output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputLine {
    /// A root move and its count. The move is in lower case, or castling as `O-O` or `O-O-O` if it
    /// was written so, or in standard algebraic notation as it was written.
    Move(String, u128),
    /// Several such moves.
    Moves(Vec<(String, u128)>),
    /// The total.
    Total(u128),
    /// The total of a depth, in a table of depths.
    TotalAt(Depth, u128),
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
    /// use perft_compare::uci::OutputLine;
    ///
    /// for line in ["e2e4: 20", "e2e4 20", "e2e4 - 20", "1. e2e4 20", "move e2e4 nodes 20"] {
    ///     assert_eq!(OutputLine::parse(line), OutputLine::Move("e2e4".to_owned(), 20));
    /// }
    /// assert_eq!(OutputLine::parse("Nodes searched: 400"), OutputLine::Total(400));
    /// ```
    pub fn parse(line: &str) -> Self {
        let text = without_escapes(line.trim_start_matches('\u{feff}'));
        let line = TokenizedLine { text: text.trim(), tokens: with_moves_once(tokens(&text)) };
        FORMATS.iter().find_map(|format| format(&line)).unwrap_or(Self::Other)
    }
}

/// Whether a line is one of a search, of an engine that takes `go perft` for `go`.
#[cfg(feature = "engines")]
pub(super) fn is_of_search(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("info")
        && words.next() != Some("string")
        && words.any(|word| matches!(word, "score" | "pv"))
}

/// The moves that a line mentions, as in [`OutputLine::Move`]. Those of a search are left out, and
/// those of a command that the engine repeats.
pub(super) fn mentioned_moves(line: &str) -> Vec<String> {
    let tokens = tokens(&without_escapes(line));
    let is_other = tokens.iter().any(|token| token.is_any(&["bestmove", "position", "fen"]))
        || matches!(&tokens[..], [info, next, ..]
            if info.is_any(&["info"]) && !next.is_any(&["string"]));
    let moves = tokens.iter().filter_map(Token::as_move).map(str::to_owned);
    if is_other { Vec::new() } else { moves.collect() }
}

/// A line without escape sequences.
struct TokenizedLine<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// The formats with examples. The first function that returns a meaning decides.
const FORMATS: &[fn(&TokenizedLine<'_>) -> Option<OutputLine>] = &[
    table_row,             // | e2e4 | 20 |, but not | r |   | k | 8
    null_move,             // 0000: 20
    protocol,              // readyok
    root_moves,            // e2e4: 20; 1. e2e4 - 20 nodes; 20 e2e4; e2e4: 20, d2d4: 20
    lone_number,           // 400
    search_info,           // info depth 5 nodes 400
    total_after_equals,    // Nodes(5) = 4865609
    total_after_label,     // Nodes searched: 400; Total: 400 nodes
    total_after_perft,     // perft 2 = 400; Perft depth 2: 400; Total perft(2): 400
    total_after_depth,     // 2  400  0.01; depth 2: 400; D2 400
    bad_total_after_label, // Nodes searched: -400
];

/// Words before the move of a line, and those of a log.
#[rustfmt::skip]
const BEFORE_MOVE: &[&str] = &[
    "move", "moves", "root", "divide", "perft", "info", "string", "currmove", "uci", "san", "lan",
    "debug", "trace", "notice", "log", "stdout", "output", "engine", "result",
];

/// Words between the move and its count.
#[rustfmt::skip]
const BEFORE_COUNT: &[&str] = &[
    "=", "nodes", "node", "count", "leaf", "leaves", "has", "perft", "moves", "e.p", "ep",
];

/// Words between two notations of a move.
const BETWEEN_NOTATIONS: &[&str] = &["san", "uci", "lan", "="];

/// Words that announce a total.
const TOTAL_LABELS: &[&str] =
    &["nodes", "node", "total", "leaves", "leafs", "leaf", "searched", "sum", "result", "visited"];

/// Words between such a word and the number.
const AFTER_LABEL: &[&str] = &["count", "is", "number", "of", "found", "="];

/// Words around the depth in `perft depth 5 = 4865609`.
const AROUND_DEPTH: &[&str] = &["depth", "at", "=", "is"];

/// Signs before a number.
const EQUALS: &[&str] = &["="];

/// The greatest depth of a table of depths.
const MAX_TABLE_DEPTH: u128 = 99;

/// Units of numbers that are not nodes.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "ms", "msec", "msecs", "milliseconds", "us", "s", "sec", "secs", "second", "seconds",
    "nps", "knps", "mnps", "%", "moves", "mb", "threads",
];

/// In a table, a number alone is the rank of a drawn board.
fn table_row(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    let is_table = line.text.contains(|letter| matches!(letter, '|' | '\u{2500}'..='\u{257f}'));
    let formats = [root_moves, total_after_label, total_after_depth];
    is_table.then(|| formats.iter().find_map(|format| format(line)).unwrap_or(OutputLine::Other))
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

/// Any line with a move.
fn root_moves(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    let place = line.tokens.iter().position(|token| token.as_move().is_some())?;
    let (before, rest) = line.tokens.split_at(place);
    let [mv, after @ ..] = rest else { return None };
    let text = mv.as_move()?;
    let is_prompt = |token: &Token| matches!(token, Token::Word(word) if word.ends_with('>'));
    let prompt = before.iter().rposition(is_prompt).map_or(0, |place| place + 1);
    let before = &before[prompt..];
    if after.iter().any(|token| token.as_move().is_some()) {
        let moves = several_moves(&line.tokens[prompt..]);
        return Some(moves.map_or(OutputLine::Other, OutputLine::Moves));
    }
    if !before.iter().all(|token| token.is_number_like() || token.is_any(BEFORE_MOVE)) {
        return Some(OutputLine::Other);
    }
    let count = after.iter().find(|token| !token.is_any(BEFORE_COUNT));
    Some(match (count, before) {
        (Some(Token::Number(count)), _) | (None, [Token::Number(count)]) => {
            OutputLine::Move(text.to_owned(), *count)
        }
        (Some(Token::BadNumber | Token::Fraction), _) => {
            OutputLine::BadMove(text.to_owned(), line.text.to_owned())
        }
        _ => OutputLine::Other,
    })
}

/// The moves of a line that has nothing but moves with their counts, which may be numbered, and a
/// total.
fn several_moves(tokens: &[Token]) -> Option<Vec<(String, u128)>> {
    let mut moves = Vec::new();
    let mut rest = tokens;
    let is_numbered = matches!(tokens, [Token::Number(_), ..]);
    loop {
        while let [first, after @ ..] = rest
            && (first.is_any(BEFORE_MOVE) || first.is_any(&["depth"]))
        {
            // `depth 2` before the moves.
            let is_depth = first.is_any(&["depth"]) && matches!(after, [Token::Number(_), ..]);
            rest = if is_depth { &after[1..] } else { after };
        }
        if let ([Token::Number(_), after @ ..], true) = (rest, is_numbered) {
            rest = after;
        }
        match rest {
            [] => break,
            [first, ..] if first.is_any(TOTAL_LABELS) => break,
            [mv, after @ ..] => {
                let place = after.iter().position(|token| !token.is_any(BEFORE_COUNT))?;
                let Token::Number(count) = after[place] else { return None };
                moves.push((mv.as_move()?.to_owned(), count));
                rest = &after[place + 1..];
            }
        }
    }
    Some(moves)
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

/// A row of a table of depths.
fn total_after_depth(line: &TokenizedLine<'_>) -> Option<OutputLine> {
    let row = match &line.tokens[..] {
        [first, row @ ..] if first.is_any(&["depth", "ply", "perft"]) => row,
        row => row,
    };
    let [Token::Number(depth @ 0..=MAX_TABLE_DEPTH), rest @ ..] = row else { return None };
    let rest =
        if rest.first().is_some_and(|token| token.is_any(EQUALS)) { &rest[1..] } else { rest };
    let [Token::Number(total), rest @ ..] = rest else { return None };
    let fits =
        |token: &Token| token.is_number_like() || token.is_any(UNITS) || token.is_any(TOTAL_LABELS);
    let has_unit = rest.first().is_some_and(|token| token.is_any(UNITS));
    let depth = Depth::try_from(*depth).ok()?;
    (rest.iter().all(fits) && !has_unit).then_some(OutputLine::TotalAt(depth, *total))
}

/// The tokens with each move once, where it stands in two notations: `e2e4 (e4): 20`. The one with
/// both squares is kept.
fn with_moves_once(tokens: Vec<Token>) -> Vec<Token> {
    let mut once: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let is_between = |token: &&Token| token.is_any(BETWEEN_NOTATIONS);
        let words = once.iter().rev().take_while(is_between).count();
        let last = once.len().checked_sub(words + 1);
        match last.map(|last| &once[last]) {
            Some(before) if token.is_same_move(before) => {
                let kept = if matches!(before, Token::San(_)) { token } else { before.clone() };
                once.truncate(once.len() - words - 1);
                once.push(kept);
            }
            _ => once.push(token),
        }
    }
    once
}

impl TokenizedLine<'_> {
    /// The number at a place, if it can be a total.
    fn total_at(&self, place: usize) -> Option<OutputLine> {
        let has_unit = self.tokens.get(place + 1).is_some_and(|token| token.is_any(UNITS));
        match self.tokens.get(place)? {
            Token::Number(_) | Token::Fraction if has_unit => None,
            Token::Number(number) => Some(OutputLine::Total(*number)),
            Token::BadNumber | Token::Fraction => Some(OutputLine::BadTotal(self.text.to_owned())),
            Token::Move(_) | Token::San(_) | Token::Word(_) => None,
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
            ("Nb1-a3 20 20", "b1a3", 20),
            ("   a2-a4         20        260", "a2a4", 20),
            ("Rh1xh8 3 310", "h1h8", 3),
            ("nb8c6: 20", "b8c6", 20),
            ("a7a8/Q 3", "a7a8q", 3),
            ("a7a8(Q): 3", "a7a8q", 3),
            ("e5xd6ep 3", "e5d6", 3),
            ("e5d6 e.p.: 3", "e5d6", 3),
            ("h5f7# 0", "h5f7", 0),
            ("e2e4=>20", "e2e4", 20),
            ("e2e4->20", "e2e4", 20),
            ("e2e4 → 20", "e2e4", 20),
            ("e2e4 ..... 20", "e2e4", 20),
            ("perft> a1b1: 1", "a1b1", 1),
            ("#[Chess] 0w> a1b1: 1", "a1b1", 1),
            ("[12:00:01] INFO e2e4: 20", "e2e4", 20),
            ("2026-01-31T12:00:01.123Z DEBUG e2e4: 20", "e2e4", 20),
            ("| e2e4 | 20 |", "e2e4", 20),
            ("║ 12 ║ e2e4 ║ 20 ║", "e2e4", 20),
            (r#"{"move":"e2e4","nodes":20}"#, "e2e4", 20),
            (r#"{"move": "e2e4", "san": "e4", "nodes": 20, "time": 3},"#, "e2e4", 20),
            (r#"  "e2e4": 20,"#, "e2e4", 20),
            ("'e2e4': 20,", "e2e4", 20),
            ("e2e4 (e4): 20", "e2e4", 20),
            ("e4 (e2e4): 20", "e2e4", 20),
            ("e1g1 (O-O): 20", "e1g1", 20),
            ("a7a8q (a8=Q+): 20", "a7a8q", 20),
            ("e2e4: 1'234'567", "e2e4", 1_234_567),
            ("e2e4: 1_234_567", "e2e4", 1_234_567),
            // In standard algebraic notation.
            ("e4 20", "e4", 20),
            ("Nf3: 20", "Nf3", 20),
            ("R1xa3+ 20", "R1xa3", 20),
            ("B1c3 20", "B1c3", 20),
            ("exd8/N# 0", "exd8=N", 0),
            ("1. Qxf7#: 0", "Qxf7", 0),
        ] {
            assert_eq!(OutputLine::parse(line), OutputLine::Move(text.to_owned(), count), "{line}");
        }
    }

    #[test]
    fn several_moves_of_a_line_are_read() {
        let expected = [("e2e4", 20), ("a7a8q", 3), ("Nf3", 1_234)];
        let expected = expected.map(|(text, nodes)| (text.to_owned(), nodes)).to_vec();
        for line in [
            "e2e4: 20, a7a8q: 3, Nf3: 1234",
            "e2e4:20 a7a8q:3 Nf3:1,234",
            "e2e4=20;a7a8q=3;Nf3=1234",
            "1. e2e4 20   2. a7a8q 3   3. Nf3 1234",
            r#"{"e2e4":20,"a7a8q":3,"Nf3":1234}"#,
            r#"{"depth":2,"moves":{"e2e4":20,"a7a8q":3,"Nf3":1234},"nodes":1257}"#,
            r#"[{"move":"e2e4","nodes":20},{"move":"a7a8q","nodes":3},{"move":"Nf3","nodes":1234}]"#,
        ] {
            assert_eq!(OutputLine::parse(line), OutputLine::Moves(expected.clone()), "{line}");
        }
        for line in ["e2e4 20 e7e5", "e2e4 e7e5 20", "e2e4: 20, e1g1: one", "e2 e4 20"] {
            assert_eq!(OutputLine::parse(line), OutputLine::Other, "{line}");
            assert!(!mentioned_moves(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn tables_of_depths_are_read() {
        for line in [
            " 2        400  0.00   1869158.88nps",
            "2 400",
            "| 2 | 400 | 12 ms |",
            "│ 2 │ 400 │",
            "depth 2: 400",
            "Depth 2 = 400",
            "D2 400",
            "D2: 400 nodes",
        ] {
            assert_eq!(OutputLine::parse(line), OutputLine::TotalAt(2, 400), "{line}");
        }
        for line in ["| Total | 400 |", "║ Nodes ║ 400 ║"] {
            assert_eq!(OutputLine::parse(line), OutputLine::Total(400), "{line}");
        }
    }

    #[test]
    fn lines_that_may_have_a_count_are_known() {
        for line in ["e1g1 : one", "e1g1", "e1g1:", "castled> was e1g1 so 7", "O-O many"] {
            assert_eq!(OutputLine::parse(line), OutputLine::Other, "{line}");
            assert_eq!(mentioned_moves(line).len(), 1, "{line}");
        }
        for line in
            ["bestmove e1g1", "info depth 1 score cp 3 pv e1g1", "position fen x moves e1g1"]
        {
            assert_eq!(mentioned_moves(line), Vec::<String>::new(), "{line}");
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

//! Positions with named fields: objects of JSON, and rows below a header.

use super::SuiteErrorKind;
use super::counts::{Counts, number};
use super::json::{Node, Value};
use super::read::{Reader, is_fen};
use perft_core::Depth;

/// The meaning of a field, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Position,
    Title,
    Depth,
    /// A count, or several.
    Count,
    /// The count at a depth: `d3`, `Depth 3`, `perft(3)`.
    CountAt(Depth),
    /// The legal moves, whose number is the count at depth 1.
    Moves,
    Other,
}

impl Field {
    pub fn of(name: &str) -> Self {
        let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let letters = letters.to_ascii_lowercase();
        match letters.as_str() {
            "fen" | "epd" | "position" | "board" | "startfen" | "startposition" => {
                return Self::Position;
            }
            "name" | "id" | "title" | "description" | "label" | "comment" => return Self::Title,
            "depth" | "depths" | "ply" | "plies" | "d" => return Self::Depth,
            "nodes" | "node" | "count" | "counts" | "leaves" | "leafs" | "leafnodes"
            | "leafcount" | "nodecount" | "nodecounts" | "expected" | "expectednodes"
            | "expectedcount" | "expectedcounts" | "perft" | "perfts" | "perftcounts"
            | "result" | "results" | "total" => return Self::Count,
            "moves" | "legalmoves" | "expectedmoves" => return Self::Moves,
            _ => {}
        }
        let digits = letters.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let word = &letters[..letters.len() - digits.len()];
        let is_count = ["", "d", "depth", "ply", "perft", "nodes", "p"].contains(&word);
        match digits.parse() {
            Ok(depth) if is_count => Self::CountAt(depth),
            _ => Self::Other,
        }
    }
}

impl Reader {
    /// Reads the positions within a value; `title` is for those that have none of their own.
    pub fn value(&mut self, node: &Node, title: Option<&str>) {
        match &node.value {
            Value::List(items) => match position_in_list(items) {
                Some((fen, titles, counts)) => {
                    let title = titles.first().copied().or(title).map(str::to_owned);
                    self.add(node.line, fen, title, counts);
                }
                None => items.iter().for_each(|item| self.value(item, title)),
            },
            Value::Object(fields) => {
                if position_in(fields).is_some() {
                    self.record(node.line, fields, title);
                    return;
                }
                for (name, field) in fields {
                    match is_fen(name) {
                        true => {
                            let mut counts = Ok(Counts::default());
                            add_counts(&mut counts, field);
                            self.add(field.line, name, None, counts);
                        }
                        false => self.value(field, Some(name)),
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads one position with its fields.
    pub fn record(&mut self, line: usize, fields: &[(String, Node)], title: Option<&str>) {
        let Some((fen, line_of_fen)) = position_in(fields) else { return };
        let of = |wanted| fields.iter().filter(move |(name, _)| Field::of(name) == wanted);
        let title = of(Field::Title)
            .find_map(|(_, node)| text(node).filter(|title| !title.is_empty()))
            .or(title)
            .map(str::to_owned);
        let mut counts = Ok(Counts::default());
        let depths: Vec<u128> = of(Field::Depth).flat_map(|(_, node)| numbers(node)).collect();
        for (name, node) in fields {
            match Field::of(name) {
                Field::CountAt(depth) => add_count(&mut counts, depth.into(), node),
                Field::Count => match (&depths[..], &node.value) {
                    (&[depth], Value::Number(_) | Value::Text(_)) => {
                        add_count(&mut counts, depth, node);
                    }
                    ([], _) | (_, Value::Object(_)) => add_counts(&mut counts, node),
                    (depths, Value::List(items)) if items.len() == depths.len() => {
                        for (&depth, item) in depths.iter().zip(items) {
                            add_count(&mut counts, depth, item);
                        }
                    }
                    _ => add_counts(&mut counts, node),
                },
                _ => {}
            }
        }
        if counts.as_ref().is_ok_and(Counts::is_empty) {
            let lists = of(Field::Moves).chain(of(Field::Count)).map(|(_, node)| &node.value);
            let moves = lists.filter_map(|value| match value {
                Value::List(moves) => Some(moves.len() as u128),
                _ => None,
            });
            counts = Ok(Counts {
                pairs: moves.take(1).map(|len| (1, len)).collect(),
                ..Counts::default()
            });
        }
        self.add(line_of_fen.unwrap_or(line), fen, title, counts);
    }
}

type CountsResult = Result<Counts, SuiteErrorKind>;

/// The FEN among the fields of an object and its line, also within an object of its own, as in
/// `"start": {"fen": ...}`.
fn position_in(fields: &[(String, Node)]) -> Option<(&str, Option<usize>)> {
    let own = fields.iter().find(|(name, _)| Field::of(name) == Field::Position);
    if let Some((_, node)) = own {
        return text(node).map(|fen| (fen, Some(node.line)));
    }
    let start = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("start"));
    match start.map(|(_, node)| &node.value) {
        Some(Value::Object(fields)) => position_in(fields),
        Some(Value::Text(fen)) if is_fen(fen) => Some((fen, None)),
        _ => None,
    }
}

/// `["name", "FEN", 20, 400]`: the FEN, the texts before it and the counts after it.
fn position_in_list(items: &[Node]) -> Option<(&str, Vec<&str>, CountsResult)> {
    let texts: Vec<&str> = items.iter().map_while(text).collect();
    let at = texts.iter().position(|text| is_fen(text))?;
    if texts.iter().filter(|text| is_fen(text)).count() > 1 {
        return None;
    }
    let mut counts = Ok(Counts::default());
    for item in &items[at + 1..] {
        match &item.value {
            Value::Number(_) => match (number_in(item), &mut counts) {
                (Some(nodes), Ok(counts)) => counts.list.push(nodes),
                _ => counts = Err(bad_count(item)),
            },
            _ => add_counts(&mut counts, item),
        }
    }
    Some((texts[at], texts[..at].to_vec(), counts))
}

/// Adds the counts within a value: a list from depth 1 on, pairs of depth and count, or an object
/// by depth.
fn add_counts(counts: &mut CountsResult, node: &Node) {
    match &node.value {
        Value::Number(_) | Value::Text(_) => match (number_in(node), &mut *counts) {
            (Some(nodes), Ok(counts)) => counts.list.push(nodes),
            (None, Ok(_)) => *counts = Err(bad_count(node)),
            _ => {}
        },
        Value::List(items) => {
            for item in items {
                match &item.value {
                    Value::List(pair) if let [depth, nodes] = &pair[..] => {
                        if let Some(depth) = number_in(depth) {
                            add_count(counts, depth, nodes);
                        }
                    }
                    Value::Object(_) => add_counts(counts, item),
                    _ if number_in(item).is_some() => add_counts(counts, item),
                    _ => {}
                }
            }
        }
        Value::Object(fields) => {
            let depth = fields.iter().find(|(name, _)| Field::of(name) == Field::Depth);
            let depth = depth.and_then(|(_, node)| number_in(node));
            for (name, node) in fields {
                match (Field::of(name), depth) {
                    (Field::CountAt(depth), _) => add_count(counts, depth.into(), node),
                    (Field::Count, Some(depth)) => add_count(counts, depth, node),
                    _ => {}
                }
            }
        }
        Value::Word => {}
    }
}

fn add_count(counts: &mut CountsResult, depth: u128, node: &Node) {
    // An empty cell is no count.
    let is_empty = text(node).is_some_and(|text| ["", "-"].contains(&text.trim()));
    if let (Ok(found), false) = (&mut *counts, is_empty || node.value == Value::Word) {
        match (Depth::try_from(depth), number_in(node)) {
            (Ok(depth), Some(nodes)) => found.pairs.push((depth, nodes)),
            _ => *counts = Err(bad_count(node)),
        }
    }
}

fn bad_count(node: &Node) -> SuiteErrorKind {
    let text = match &node.value {
        Value::Number(text) | Value::Text(text) => text.clone(),
        _ => "a value that is not a number".to_owned(),
    };
    SuiteErrorKind::Count(text)
}

fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn number_in(node: &Node) -> Option<u128> {
    match &node.value {
        Value::Number(text) => number(text),
        // Tables group the digits.
        Value::Text(text) => number(&text.replace([',', ' ', '\u{a0}', '\''], "")),
        _ => None,
    }
}

fn numbers(node: &Node) -> Vec<u128> {
    match &node.value {
        Value::List(items) => items.iter().filter_map(number_in).collect(),
        _ => number_in(node).into_iter().collect(),
    }
}

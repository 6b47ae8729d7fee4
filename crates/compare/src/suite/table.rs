//! Rows below a header: CSV, TSV and Markdown tables.

use super::fields::Field;
use super::json::{Node, Value};

/// A header that names a column of positions.
pub(super) struct Table {
    separator: char,
    columns: Vec<String>,
}

impl Table {
    /// The table that begins with this line, if it is a header.
    pub fn from_header(line: &str) -> Option<Self> {
        ['\t', '|', ',', ';'].into_iter().find_map(|separator| {
            let columns = cells(line, separator);
            let is_position = |column: &String| Field::of(column) == Field::Position;
            let is_count = |column: &String| {
                matches!(Field::of(column), Field::Count | Field::CountAt(_) | Field::Moves)
            };
            (columns.iter().any(is_position) && columns.iter().any(is_count))
                .then_some(Self { separator, columns })
        })
    }

    /// Whether it is a table of Markdown.
    pub fn is_markdown(&self) -> bool {
        self.separator == '|'
    }

    /// Whether the line only separates the header of a Markdown table from its rows.
    pub fn is_rule(&self, line: &str) -> bool {
        self.is_markdown() && line.chars().all(|letter| "|-: \t".contains(letter))
    }

    /// The fields of a row.
    pub fn row(&self, number: usize, line: &str) -> Vec<(String, Node)> {
        let cell = |text: String| Node { line: number, value: Value::Text(text) };
        let cells = cells(line, self.separator).into_iter().map(cell);
        self.columns.iter().cloned().zip(cells).collect()
    }
}

/// The cells of a row, without their quotes.
fn cells(line: &str, separator: char) -> Vec<String> {
    let line = match separator {
        '|' => line.trim().trim_start_matches('|').trim_end_matches('|'),
        _ => line,
    };
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("there is always one");
        match letter {
            // Within quotes, two quotes stand for one.
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if is_quoted || cell.trim().is_empty() => is_quoted = !is_quoted,
            _ if letter == separator && !is_quoted => cells.push(String::new()),
            // Code in a Markdown table.
            '`' if separator == '|' => {}
            _ => cell.push(letter),
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

//! Text in columns.

use std::fmt;

/// Rows of cells, in columns as wide as their widest cell.
pub struct Columns {
    /// For each column `<` or `>`: aligned left or right. Further columns are aligned as the last.
    alignments: &'static str,
    rows: Vec<Vec<String>>,
}

impl Columns {
    pub fn new(alignments: &'static str) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: &[&dyn fmt::Display]) {
        self.rows.push(cells.iter().map(ToString::to_string).collect());
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut alignments = self.alignments.chars();
        let mut last = '<';
        let columns: Vec<(usize, char)> = widths
            .into_iter()
            .map(|width| {
                last = alignments.next().unwrap_or(last);
                (width, last)
            })
            .collect();
        for row in &self.rows {
            let cells = row.iter().zip(&columns).map(|(cell, &(width, align))| match align {
                '>' => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut columns = Columns::new("<>");
        columns.row(&[&"name", &"n", &"more"]);
        columns.row(&[&"é", &1234, &5]);
        columns.row(&[&"alone"]);
        assert_eq!(columns.to_string(), "name      n  more\né      1234     5\nalone\n");
    }
}

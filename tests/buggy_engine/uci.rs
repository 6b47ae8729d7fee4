//! The UCI commands that a count needs.

use std::io::{self, BufRead, Write};

use crate::board::Board;
use crate::bugs::{Bug, Bugs, Class, Entry};
use crate::perft::Table;

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Bugs outside their class that need a table.
const WITH_TABLE: [Bug; 2] = [Bug::MovesKey, Bug::UnmakeKeyCastled];

pub struct Engine {
    board: Board,
    table: Option<Table>,
}

impl Engine {
    pub fn new(bugs: &[Bug], with_table: bool) -> Self {
        let needs_table = |bug: &Bug| {
            let is_key = |entry: &Entry| entry.class == Class::TableKey && entry.bugs[0] == *bug;
            WITH_TABLE.contains(bug) || Entry::all().iter().any(is_key)
        };
        let table = (with_table || bugs.iter().any(needs_table)).then(Table::new);
        let mut board = Board::new(Bugs::new(bugs));
        board.set_fen(START).expect("a FEN");
        Self { board, table }
    }

    pub fn set_chess960(&mut self, is_on: bool) {
        self.board.chess960 = is_on;
    }

    /// Sets up `startpos` or `fen FEN`, and plays `moves`. A bad FEN sets up the start.
    pub fn set_position(&mut self, text: &str) -> Result<(), String> {
        let (root, moves) = text.split_once("moves").unwrap_or((text, ""));
        let fen = root.trim().strip_prefix("fen").unwrap_or(START);
        if let Err(error) = self.board.set_fen(fen) {
            self.board.set_fen(START)?;
            return Err(error);
        }
        self.board.play(&moves.split_whitespace().collect::<Vec<_>>());
        Ok(())
    }

    /// The moves with their counts, and the total.
    pub fn divide(&mut self, depth: u32) -> (Vec<(String, u64)>, u64) {
        let branches = self.board.divide(depth, &mut self.table);
        let total = self.board.total(&branches);
        (branches, total)
    }

    pub fn serve(mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for line in io::stdin().lock().lines() {
            let line = line?;
            let line = line.trim();
            let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
            match command {
                "uci" => {
                    writeln!(out, "id name buggy_engine")?;
                    writeln!(out, "option name UCI_Chess960 type check default false\nuciok")?;
                }
                "isready" => writeln!(out, "readyok")?,
                "ucinewgame" => self.table = self.table.is_some().then(Table::new),
                "setoption" if rest.contains("UCI_Chess960") => {
                    self.set_chess960(rest.ends_with("true"));
                }
                "position" => {
                    if let Err(error) = self.set_position(rest) {
                        eprintln!("{error}");
                    }
                }
                "go" => {
                    let depth = rest.split_whitespace().last().and_then(|text| text.parse().ok());
                    let (branches, total) = self.divide(depth.unwrap_or(1));
                    for (text, nodes) in branches {
                        writeln!(out, "{text}: {nodes}")?;
                    }
                    writeln!(out, "\nNodes searched: {total}\n")?;
                }
                "quit" => break,
                _ => {}
            }
            out.flush()?;
        }
        Ok(())
    }
}

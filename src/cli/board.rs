//! `perft board`: a position and its legal moves.

use std::fmt;
use std::process::ExitCode;

use anyhow::Result;
use perft_core::{Bitboard, Board, Color, Kernel, positions};
use serde::Serialize;

use super::args::{BoardArgs, SquareSet};
use super::columns::Columns;
use super::output;
use super::position::read_position;

/// Draws a position, or lists the named ones.
pub fn board(args: &BoardArgs) -> Result<ExitCode> {
    if args.list {
        let names = positions::NAMED.iter();
        let names =
            names.map(|&positions::Named { name, fen, about }| NamedPosition { name, fen, about });
        output::print(&NamedPositions(names.collect()), args.output.json)?;
    } else {
        let board = read_position(&args.tokens, &args.position, args.output.quiet)?;
        output::print(&ShownBoard::new(board, &args.show), args.output.json)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The named positions.
#[derive(Serialize)]
struct NamedPositions(Vec<NamedPosition>);

#[derive(Serialize)]
struct NamedPosition {
    name: &'static str,
    fen: &'static str,
    about: &'static str,
}

impl fmt::Display for NamedPositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Columns::new("<");
        for NamedPosition { name, fen, about } in &self.0 {
            table.row(&[name, about]);
            table.row(&[&"", fen]);
        }
        for (name, about) in positions::NUMBERED {
            table.row(&[&name, &about]);
        }
        table.fmt(f)
    }
}

/// A position with its legal moves, sorted by their UCI notation.
#[derive(Serialize)]
struct ShownBoard {
    #[serde(skip)]
    drawing: String,
    fen: String,
    key: String,
    in_check: bool,
    checkers: Vec<String>,
    moves: Vec<LegalMove>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sets: Vec<ShownSet>,
}

/// A set of squares with its name.
#[derive(Serialize)]
struct ShownSet {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    squares: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<String>>,
    #[serde(skip)]
    drawing: String,
}

impl ShownSet {
    fn new(name: impl Into<String>, set: Bitboard) -> Self {
        let squares = set.into_iter().map(|square| square.to_string()).collect();
        let (squares, drawing) = (Some(squares), set.to_string());
        Self { name: name.into(), squares, moves: None, drawing }
    }

    /// The moves that the two-ply kernel makes.
    fn of_moves(board: &Board) -> Self {
        let made = Kernel::TwoPly.moves_made(board).into_iter();
        let mut moves: Vec<String> = made.map(|mv| board.uci(mv)).collect();
        moves.sort();
        let drawing = if moves.is_empty() { "none".to_owned() } else { moves.join(" ") };
        let name = format!(
            "moves made by the two-ply kernel ({} of {})",
            moves.len(),
            board.count_legal_moves()
        );
        Self { name, squares: None, moves: Some(moves), drawing }
    }
}

/// The sets of a position, as the generator uses them.
fn sets(board: &Board, show: &[SquareSet]) -> Vec<ShownSet> {
    let constraints = board.constraints();
    let mut shown = Vec::new();
    for set in show {
        match set {
            SquareSet::Attacks => {
                for (color, attacks) in Color::ALL.into_iter().zip(constraints.attacks) {
                    shown.push(ShownSet::new(format!("attacks of {color}"), attacks));
                }
            }
            SquareSet::Pins => {
                let pins = constraints.pins.iter();
                shown.extend(
                    pins.map(|pin| ShownSet::new(format!("pin of {}", pin.pinned), pin.line)),
                );
            }
            SquareSet::Check => {
                shown.extend(constraints.check_mask.map(|mask| ShownSet::new("check mask", mask)));
            }
            SquareSet::Danger => shown.push(ShownSet::new("king danger", constraints.danger)),
            SquareSet::Kernel => shown.push(ShownSet::of_moves(board)),
            SquareSet::Castling => {
                let rights = constraints.castling.iter();
                shown.extend(rights.map(|castling| {
                    ShownSet::new(format!("castling with {}", castling.rook), castling.empty)
                }));
                let target = constraints.en_passant.map(|square| square.bitboard());
                shown.extend(target.map(|target| ShownSet::new("en passant", target)));
            }
        }
    }
    shown
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct LegalMove {
    uci: String,
    san: String,
}

impl ShownBoard {
    fn new(board: Board, show: &[SquareSet]) -> Self {
        let moves = board.legal_moves().into_iter();
        let moves = moves.map(|mv| LegalMove { uci: board.uci(mv), san: board.san(mv) });
        let mut moves: Vec<LegalMove> = moves.collect();
        moves.sort();
        Self {
            drawing: output::drawing(&board, |_| None),
            fen: board.to_string(),
            key: format!("{:032x}", board.hash()),
            in_check: board.in_check(),
            checkers: board.checkers().into_iter().map(|square| square.to_string()).collect(),
            moves,
            sets: sets(&board, show),
        }
    }

    /// The state of the side to move.
    fn verdict(&self) -> &'static str {
        match (self.in_check, self.moves.is_empty()) {
            (true, true) => "checkmate",
            (true, false) => "yes",
            (false, true) => "no, stalemate",
            (false, false) => "no",
        }
    }
}

impl fmt::Display for ShownBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.drawing)?;
        writeln!(f, "FEN: {}", self.fen)?;
        writeln!(f, "Key: {}", self.key)?;
        write!(f, "In check: {}", self.verdict())?;
        if !self.checkers.is_empty() {
            write!(f, ", from {}", self.checkers.join(" and "))?;
        }
        writeln!(f, "\nLegal moves: {}", self.moves.len())?;
        let mut table = Columns::new("<");
        for row in self.moves.chunks(5) {
            let cells = row.iter().flat_map(|LegalMove { uci, san }| [uci, san]);
            table.row(&cells.map(|cell| cell as &dyn fmt::Display).collect::<Vec<_>>());
        }
        table.fmt(f)?;
        for ShownSet { name, drawing, .. } in &self.sets {
            writeln!(f, "\n{}{}:\n{drawing}", name[..1].to_uppercase(), &name[1..])?;
        }
        Ok(())
    }
}

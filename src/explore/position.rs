//! A position with its legal moves.

use perft_core::{Board, CastlingMode, Color, Depth, Move, MoveKind, Position, Square, positions};
use serde::Deserialize;
use serde_json::{Value, json};

use super::MAX_DEPTH;
use crate::command_line::CommandLine;

/// Moves of a line.
const MAX_MOVES: usize = 1000;

/// A position as a page names it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionInput {
    /// A FEN or a name.
    position: String,
    /// Moves in UCI notation or SAN.
    #[serde(default)]
    moves: Vec<String>,
    #[serde(default)]
    chess960: bool,
}

/// A position and the moves that lead to the one that is shown.
pub struct Place {
    pub root: Position,
    pub line: Vec<Move>,
    /// The name or the FEN.
    name: String,
}

impl PositionInput {
    /// Reads the position and plays the moves.
    ///
    /// # Errors
    /// As the readers of FEN and moves give them.
    pub fn read(self) -> Result<Place, String> {
        let mode = if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let text = self.position.trim();
        let (root, name) = match positions::by_name_in_mode(text, mode) {
            Some(board) => (Position::from(board), text.to_owned()),
            None if !text.contains('/') => {
                return Err(format!("{text:?} is neither a FEN nor a named position"));
            }
            None => {
                let root = Position::from_fen(text, mode).map_err(|error| error.to_string())?;
                (root, root.to_string())
            }
        };
        if self.moves.len() > MAX_MOVES {
            return Err(format!("more than {MAX_MOVES} moves"));
        }
        let mut board = *root.board();
        let mut line = Vec::new();
        for text in &self.moves {
            let mv =
                board.parse_uci(text).or_else(|error| board.parse_san(text).map_err(|_| error));
            let mv = mv.map_err(|error| error.to_string())?;
            board.make(mv);
            line.push(mv);
        }
        Ok(Place { root, line, name })
    }
}

impl Place {
    /// The position that is shown.
    pub fn position(&self) -> Position {
        self.root.after(&self.line)
    }

    /// A command of the terminal for this position: `perft divide --moves e1g1 kiwipete 4`.
    pub fn command(&self, command: CommandLine, after: &str) -> String {
        let (mode, moves) = (self.root.castling_mode(), self.uci_moves());
        command.position(&self.name, after, mode, &moves).to_string()
    }

    /// The reason why no game reaches a position that was given by a FEN.
    fn impossibility(&self) -> Option<String> {
        let reason = self.root.impossibility().filter(|_| self.name.contains('/'));
        reason.map(|reason| reason.to_string())
    }

    /// The moves of the line.
    pub fn uci_moves(&self) -> Vec<String> {
        self.line.iter().map(|mv| mv.uci(self.root.castling_mode())).collect()
    }
}

/// A depth within the limit.
pub fn check_depth(depth: Depth) -> Result<Depth, String> {
    match depth {
        1..=MAX_DEPTH => Ok(depth),
        _ => Err(format!("depth {depth} is not a number from 1 to {MAX_DEPTH}")),
    }
}

/// The position, its legal moves, and the line to it.
pub fn show(input: PositionInput) -> Result<Value, String> {
    let place = input.read()?;
    let position = place.position();
    let board = position.board();
    let mut before = *place.root.board();
    let line: Vec<Value> = place
        .line
        .iter()
        .map(|&mv| {
            let shown = json!({ "uci": before.uci(mv), "san": before.san(mv) });
            before.make(mv);
            shown
        })
        .collect();
    let moves = moves(board);
    let status = match (board.in_check(), moves.is_empty()) {
        (true, true) => "checkmate",
        (true, false) => "check",
        (false, true) => "stalemate",
        (false, false) => "",
    };
    Ok(json!({
        "root": place.root.to_string(),
        "name": place.name,
        "fen": position.to_string(),
        "side": side(board),
        "pieces": pieces(board),
        "king": board.king(board.side_to_move()).to_string(),
        "status": status,
        "impossible": place.impossibility(),
        "checkers": squares(board.checkers()),
        "line": line,
        "moves": moves,
        "command": place.command(CommandLine::new(["board"]), ""),
    }))
}

/// The side to move.
pub fn side(board: &Board) -> &'static str {
    match board.side_to_move() {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// The letters of the pieces from a1 to h8, `.` for an empty square.
pub fn pieces(board: &Board) -> String {
    let letter = |square| {
        let piece = board.colored_piece_on(square);
        piece.map_or('.', |(color, piece)| piece.fen_letter(color))
    };
    Square::all().map(letter).collect()
}

/// The names of squares.
pub fn squares(set: perft_core::Bitboard) -> Vec<String> {
    set.into_iter().map(|square| square.to_string()).collect()
}

/// The legal moves, sorted by their UCI notation.
fn moves(board: &Board) -> Vec<Value> {
    let mut moves: Vec<(String, Move)> =
        board.legal_moves().into_iter().map(|mv| (board.uci(mv), mv)).collect();
    moves.sort();
    moves
        .into_iter()
        .map(|(uci, mv)| {
            let mut kinds = Vec::new();
            if mv.kind() == MoveKind::EnPassant {
                kinds.push("e.p.");
            } else if mv.kind() != MoveKind::Castle && board.occupied().contains(mv.to()) {
                kinds.push("capture");
            }
            if mv.kind() == MoveKind::Castle {
                kinds.push("castling");
            }
            if mv.promotion().is_some() {
                kinds.push("promotion");
            }
            let mut after = *board;
            after.make(mv);
            if after.in_check() {
                let is_mate = after.count_legal_moves() == 0;
                kinds.push(if is_mate { "mate" } else { "check" });
            }
            // Castling is also played by a click on the rook.
            let rook = (mv.kind() == MoveKind::Castle).then(|| mv.to().to_string());
            json!({
                "uci": uci,
                "san": board.san(mv),
                "from": mv.from().to_string(),
                "to": uci.get(2..4),
                "rook": rook,
                "promotion": mv.promotion().map(|piece| piece.letter().to_string()),
                "kinds": kinds,
            })
        })
        .collect()
}

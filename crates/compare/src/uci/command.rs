//! The commands of the Universal Chess Interface that matter to counting, as an engine receives
//! them.

use perft_core::Depth;
use perft_core::board::{Board, FenError};
use perft_core::notation::ParseMoveError;
use perft_core::types::CastlingMode;

/// The option that selects Chess960.
pub const CHESS960_OPTION: &str = "UCI_Chess960";

/// A command to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `uci`: print name and options.
    Uci,
    /// `isready`: print `readyok` when ready.
    IsReady,
    /// `ucinewgame`: the next position is from another game.
    NewGame,
    /// `setoption`.
    SetOption {
        /// The name, which may contain spaces.
        name: &'a str,
        /// The value; empty for a button.
        value: &'a str,
    },
    /// `position`; `None` if the line does not say which.
    Position(Option<Setup<'a>>),
    /// `go perft`, with the text of the depth; see [`depth`].
    GoPerft(&'a str),
    /// Any other `go`: search for a move.
    Go,
    /// `d`: draw the position.
    Display,
    /// `stop`.
    Stop,
    /// `quit`.
    Quit,
}

/// The arguments of `position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup<'a> {
    /// The FEN; `None` for the start position.
    pub fen: Option<&'a str>,
    /// The moves that follow, separated by spaces.
    pub moves: &'a str,
}

/// The reason why a position cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The FEN is malformed, or its position cannot be played on.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is not legal.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
}

impl<'a> Command<'a> {
    /// Reads a line. Unknown words before a command are skipped, as the protocol demands. A line
    /// without a command is `None`.
    ///
    /// ```
    /// use perft_compare::uci::Command;
    ///
    /// assert_eq!(Command::parse("go perft 5"), Some(Command::GoPerft("5")));
    /// assert_eq!(Command::parse("please isready"), Some(Command::IsReady));
    /// assert_eq!(Command::parse("xyzzy"), None);
    /// ```
    pub fn parse(line: &'a str) -> Option<Self> {
        let mut rest = line.trim();
        while !rest.is_empty() {
            let (word, after) = first_word(rest);
            rest = after;
            return Some(match word {
                "uci" => Self::Uci,
                "isready" => Self::IsReady,
                "ucinewgame" => Self::NewGame,
                "setoption" => Self::option(rest),
                "position" => Self::Position(Setup::parse(rest)),
                "go" => match first_word(rest) {
                    ("perft", depth) => Self::GoPerft(depth),
                    _ => Self::Go,
                },
                "d" => Self::Display,
                "stop" => Self::Stop,
                "quit" => Self::Quit,
                _ => continue,
            });
        }
        None
    }

    fn option(rest: &'a str) -> Self {
        let rest = rest.strip_prefix("name").unwrap_or(rest).trim_start();
        let (name, value) = split_at_word(rest, "value");
        Self::SetOption { name, value }
    }
}

impl<'a> Setup<'a> {
    fn parse(rest: &'a str) -> Option<Self> {
        let (position, moves) = split_at_word(rest, "moves");
        match first_word(position) {
            ("startpos", "") => Some(Self { fen: None, moves }),
            ("fen", fen) => Some(Self { fen: Some(fen), moves }),
            _ => None,
        }
    }

    /// The position after the moves.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn board(&self, mode: CastlingMode) -> Result<Board, SetupError> {
        let fen = self.fen.unwrap_or(Board::STARTPOS_FEN);
        let mut board = Board::from_fen(fen, mode)?;
        for text in self.moves.split_whitespace() {
            board.make(board.parse_uci(text)?);
        }
        Ok(board)
    }
}

/// The depth of a `go perft`; `None` if the text does not start with one.
pub fn depth(text: &str) -> Option<Depth> {
    text.split_whitespace().next()?.parse().ok()
}

fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

/// The text before and after the first occurrence of a whole word.
fn split_at_word<'a>(text: &'a str, word: &str) -> (&'a str, &'a str) {
    let place = text.match_indices(word).find(|&(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
    });
    match place {
        Some((start, _)) => (text[..start].trim(), text[start + word.len()..].trim()),
        None => (text.trim(), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        let fen = "8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1";
        for (line, expected) in [
            ("uci", Some(Command::Uci)),
            ("  isready\r", Some(Command::IsReady)),
            ("joho debug isready", Some(Command::IsReady)),
            ("", None),
            ("position", Some(Command::Position(None))),
            ("position nowhere moves e2e4", Some(Command::Position(None))),
            ("position startpos e2e4", Some(Command::Position(None))),
            ("go perft 5", Some(Command::GoPerft("5"))),
            ("go perft", Some(Command::GoPerft(""))),
            ("go movetime 5", Some(Command::Go)),
            ("go", Some(Command::Go)),
            (
                "setoption name UCI_Chess960 value true",
                Some(Command::SetOption { name: "UCI_Chess960", value: "true" }),
            ),
            (
                "setoption name Clear Hash",
                Some(Command::SetOption { name: "Clear Hash", value: "" }),
            ),
            (
                "position startpos moves e2e4 e7e5",
                Some(Command::Position(Some(Setup { fen: None, moves: "e2e4 e7e5" }))),
            ),
            (
                &format!("position fen {fen} moves d2d4"),
                Some(Command::Position(Some(Setup { fen: Some(fen), moves: "d2d4" }))),
            ),
            (
                &format!("position fen {fen}"),
                Some(Command::Position(Some(Setup { fen: Some(fen), moves: "" }))),
            ),
        ] {
            assert_eq!(Command::parse(line), expected, "{line}");
        }
    }

    #[test]
    fn a_position_is_set_up_or_refused() {
        let board = |line| match Command::parse(line) {
            Some(Command::Position(Some(setup))) => setup.board(CastlingMode::Standard),
            other => panic!("{other:?}"),
        };
        let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
        let same = board("position startpos moves e2e4").unwrap();
        assert_eq!(same.to_string(), after);
        assert!(matches!(board("position startpos moves e2e5"), Err(SetupError::Move(_))));
        assert!(matches!(board("position fen 8/8 w - -"), Err(SetupError::Fen(_))));
    }

    #[test]
    fn depths_are_numbers() {
        assert_eq!([depth("3"), depth("0"), depth(" 7 ")], [Some(3), Some(0), Some(7)]);
        assert_eq!([depth(""), depth("-1"), depth("256"), depth("x")], [None; 4]);
    }
}

//! Commands to paste into a shell, with which a result is seen again.

use std::fmt;

use perft_core::CastlingMode;

/// A command of `perft`, displayed as a shell reads it.
#[derive(Clone, Debug)]
pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// `perft` with some arguments.
    pub fn new<A: Into<String>>(args: impl IntoIterator<Item = A>) -> Self {
        Self(vec!["perft".to_owned()]).args(args)
    }

    /// The same with more arguments.
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.0.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same with the moves to play first, a position, and what comes after it, as a depth.
    pub fn position(self, name: &str, after: &str, mode: CastlingMode, moves: &[String]) -> Self {
        let moves = (!moves.is_empty()).then(|| ["--moves".to_owned(), moves.join(" ")]);
        let chess960 = (mode == CastlingMode::Chess960).then_some("--chess960");
        let after = after.split_whitespace();
        self.args(chess960).args(moves.into_iter().flatten()).args([name]).args(after)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(&self.0))
    }
}

/// A program and its arguments as a shell reads them.
pub fn quoted(args: &[String]) -> String {
    // Only a zero byte cannot be quoted, and no argument has one.
    shlex::try_join(args.iter().map(String::as_str)).unwrap_or_else(|_| args.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_a_shell_would_split_them() {
        let divide = CommandLine::new(["divide"]);
        let moves = ["e2e4", "e7e5"].map(str::to_owned);
        let plain = divide.clone().position("kiwipete", "4", CastlingMode::Standard, &moves[..1]);
        assert_eq!(plain.to_string(), "perft divide --moves e2e4 kiwipete 4");
        let fen = "4k3/8/8/8/8/8/8/4K2R w H -";
        let chess960 = divide.position(fen, "2", CastlingMode::Chess960, &moves);
        assert_eq!(
            chess960.to_string(),
            format!("perft divide --chess960 --moves 'e2e4 e7e5' '{fen}' 2")
        );
    }
}

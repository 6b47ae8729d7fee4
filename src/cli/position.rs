//! Tokens of the command line to positions and depths.

use std::io::Read;

use anyhow::{Context, Result, anyhow, bail};
use clap::CommandFactory;
use perft_core::{Board, CastlingMode, Depth, Move, Position, Square, positions};

use super::args::{Cli, PositionArgs, TargetArgs};
use super::output;

/// The most that is read of a position on standard input, in bytes.
const MAX_INPUT: u64 = 1 << 20;

/// A position and the moves to play first.
pub struct Start {
    pub root: Position,
    pub line: Vec<Move>,
    /// Given by its name.
    is_named: bool,
}

impl Start {
    /// The position after the moves.
    pub fn end(&self) -> Position {
        self.root.after(&self.line)
    }

    /// Warns of a FEN of a position that no game reaches, or refuses it if that is asked for.
    fn warn_if_impossible(&self, args: &PositionArgs, quiet: bool) -> Result<()> {
        if let Some(reason) = self.root.impossibility() {
            if args.strict {
                bail!("no game reaches the position: {reason} (it is counted without --strict)");
            }
            if !quiet && !self.is_named {
                output::note(format_args!(
                    "perft: warning: no game reaches the position: {reason}"
                ));
            }
        }
        Ok(())
    }
}

/// Reads `POSITION DEPTH` and plays the moves that come first.
pub fn position_and_depth(
    tokens: &[String],
    args: &PositionArgs,
    quiet: bool,
) -> Result<(Board, Depth)> {
    let (start, depth) = start_and_depth(tokens, args, quiet)?;
    Ok((*start.end().board(), depth))
}

impl TargetArgs {
    /// The position after the moves that come first, and the depth.
    pub fn read(&self, quiet: bool) -> Result<(Board, Depth)> {
        position_and_depth(&self.tokens, &self.position, quiet)
    }
}

/// Reads `POSITION DEPTH`, and keeps the moves and the en-passant square of the FEN. Unless
/// `quiet`, warns of a position that no game reaches.
pub fn start_and_depth(
    tokens: &[String],
    args: &PositionArgs,
    quiet: bool,
) -> Result<(Start, Depth)> {
    let Some((depth, position)) = tokens.split_last() else {
        bail!("no position and depth given (perft startpos 6)");
    };
    if position.is_empty() {
        if depth.contains('/') || from_text(depth, args.castling_mode()).is_ok() {
            bail!("no depth after {depth:?} (perft startpos 6)");
        }
        let hint = hint(depth);
        bail!("{depth:?} is not a position and a depth ({hint}perft startpos 6)");
    }
    let parsed = depth.parse::<Depth>().ok().filter(|_| !depth.starts_with('+'));
    let Some(parsed) = parsed else {
        if args.moves.is_some() && is_like_a_move(depth) {
            bail!("{depth:?} is a move and not a depth (quotes around all: --moves \"e2e4 e7e5\")");
        }
        bail!(
            "depth {depth:?} is not a number from 0 to {} (it comes last: perft startpos 6)",
            Depth::MAX
        );
    };
    // A FEN in separate tokens without a depth: its last field was read as the depth.
    let start = read_start(position, args);
    let is_in_tokens = position.len() > 1;
    if is_in_tokens && start.is_err() && read_start(tokens, args).is_ok() {
        bail!("no depth after {:?} (perft startpos 6)", tokens.join(" "));
    }
    let start = start?;
    start.warn_if_impossible(args, quiet)?;
    Ok((start, parsed))
}

/// Whether the text is two squares, with or without one more letter.
fn is_like_a_move(text: &str) -> bool {
    let squares = [text.get(0..2), text.get(2..4)];
    text.len() <= 5
        && squares
            .into_iter()
            .all(|square| square.is_some_and(|text| text.parse::<Square>().is_ok()))
}

/// Reads `POSITION` and plays the moves that come first.
pub fn read_position(tokens: &[String], args: &PositionArgs, quiet: bool) -> Result<Board> {
    Ok(*start(tokens, args, quiet)?.end().board())
}

/// Reads `POSITION`, and keeps the moves. Unless `quiet`, warns of a position that no game reaches.
pub fn start(tokens: &[String], args: &PositionArgs, quiet: bool) -> Result<Start> {
    let start = read_start(tokens, args)?;
    start.warn_if_impossible(args, quiet)?;
    Ok(start)
}

fn read_start(tokens: &[String], args: &PositionArgs) -> Result<Start> {
    let mut text = tokens.join(" ");
    let is_input = text.trim() == "-";
    if is_input {
        text = standard_input()?;
    }
    let read = from_text(&text, args.castling_mode());
    let (root, moves) = if is_input { read.context("standard input")? } else { read? };
    let name = if args.moves.is_some() { "--moves" } else { "moves" };
    let moves = match (&args.moves, moves) {
        (Some(given), moves) if !moves.trim().is_empty() => {
            bail!(
                "moves after the position ({:?}) and --moves {given:?}: give one of them",
                moves.trim()
            )
        }
        (given, moves) => given.clone().unwrap_or(moves),
    };
    let line = read_line(&root, &moves, name)?;
    Ok(Start { root, line, is_named: !text.contains('/') })
}

/// The position, and the text of the moves after it: `startpos moves e2e4`, as in UCI.
fn from_text(text: &str, mode: CastlingMode) -> Result<(Position, String)> {
    let (position, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let position = position.trim();
    let position = position.strip_prefix("position ").unwrap_or(position).trim_start();
    let position = position.strip_prefix("fen ").unwrap_or(position);
    Ok((named_or_fen(position.trim(), mode)?, moves.to_owned()))
}

fn named_or_fen(text: &str, mode: CastlingMode) -> Result<Position> {
    if positions::by_name(text).is_some() {
        let board = positions::by_name_in_mode(text, mode);
        return board.map(Position::from).ok_or_else(|| anyhow!("{text:?} is of Chess960"));
    }
    if text.starts_with("chess960:") || text.starts_with("dfrc:") {
        bail!("{text:?} is not chess960:N or dfrc:W:B with numbers from 0 to 959 (chess960:518)");
    }
    if !text.contains('/') {
        let hint = hint(text);
        bail!(
            "{text:?} is neither a FEN nor a named position \
             ({hint}perft board --list shows the names)"
        );
    }
    Position::from_fen(text, mode).map_err(|error| {
        let is_chess960 = Position::from_fen(text, CastlingMode::Chess960).is_ok();
        let remedy = if is_chess960 { " (--chess960 reads it)" } else { "" };
        anyhow!("bad FEN {text:?}: {error}{remedy}")
    })
}

/// Whether this is the name of a position.
pub fn is_known(name: &str) -> bool {
    positions::by_name(name).is_some()
}

/// A remedy for text that is not a position: a word to leave out, or a name with a similar spelling.
pub fn hint(text: &str) -> String {
    if let Some(word) =
        text.split_whitespace().next().filter(|word| ["go", "perft", "count"].contains(word))
    {
        return format!("leave out {word:?}; ");
    }
    nearest_name(text).map_or(String::new(), |name| format!("did you mean {name}? "))
}

/// The position or command with the most similar spelling.
fn nearest_name(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?.to_lowercase();
    // Jaro-Winkler alone rates two exchanged letters in a short word too low.
    let similarity = |name: &str| match strsim::damerau_levenshtein(name, &first) {
        0 | 1 => 1.0,
        _ => strsim::jaro_winkler(name, &first),
    };
    let commands = Cli::command();
    let commands = commands.get_subcommands().map(|command| command.get_name());
    let commands = commands.map(|name| (similarity(name), format!("the command perft {name}")));
    let named =
        positions::NAMED.iter().map(|named| (similarity(named.name), named.name.to_owned()));
    let nearest = commands.chain(named).max_by(|(a, _), (b, _)| a.total_cmp(b));
    nearest.filter(|&(similarity, _)| similarity > 0.8).map(|(_, name)| name)
}

fn standard_input() -> Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    if bytes.len() as u64 > MAX_INPUT {
        bail!("standard input is longer than {MAX_INPUT} bytes; give one FEN");
    }
    let text =
        String::from_utf8(bytes).context("standard input is not UTF-8 text; give one FEN")?;
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    match (lines.next(), lines.next()) {
        (Some(line), None) => Ok(line.to_owned()),
        (None, _) => bail!("standard input is empty; give one FEN"),
        (Some(_), Some(_)) => {
            bail!("standard input has several lines; give one FEN (perft suite reads many)")
        }
    }
}

/// A token without its move number: `e4` of `1.e4`, nothing of `1...`.
fn without_number(token: &str) -> &str {
    let after = token.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if after.starts_with('.') { after.trim_start_matches('.') } else { token }
}

/// Reads successive moves in UCI notation or in SAN. `name` is for errors.
fn read_line(root: &Position, moves: &str, name: &str) -> Result<Vec<Move>> {
    let mut board = *root.board();
    let mut line = Vec::new();
    let moves = moves.split_whitespace().map(without_number).filter(|text| !text.is_empty());
    for (number, text) in (1..).zip(moves) {
        let mv = board.parse_uci(text).or_else(|error| {
            board.parse_san(text).map_err(|_| {
                let promotes = board.parse_uci(&format!("{text}q")).is_ok();
                let hint = match is_like_a_move(text) {
                    true if promotes => " (to what? a letter at the end says so: e7e8q)",
                    true => "",
                    false => " (write e2e4, e7e8q or Nf3, with spaces between)",
                };
                anyhow!("{name}, number {number}: {error}{hint}")
            })
        })?;
        board.make(mv);
        line.push(mv);
    }
    Ok(line)
}

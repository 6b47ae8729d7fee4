//! From the words of a command to a position.

use std::io::Read;

use anyhow::{Context, Result, anyhow, bail};
use clap::CommandFactory;
use perft::compare::Root;
use perft::{Board, Depth, Move, Square, Variant, notation, positions};

use super::args::{Cli, PositionArgs};

/// The most that is read of standard input when a position is expected there.
const LONGEST_INPUT: u64 = 1 << 20;

/// A position, with what its FEN says about en passant, and the moves that come first.
pub struct Start {
    pub root: Root,
    pub line: Vec<Move>,
}

impl Start {
    /// The position after the moves.
    pub fn end(&self) -> Root {
        self.root.after(&self.line)
    }
}

/// Splits `POSITION DEPTH` and reads both.
pub fn position_and_depth(words: &[String], args: &PositionArgs) -> Result<(Board, Depth)> {
    let (start, depth) = start_and_depth(words, args)?;
    Ok((*start.end().board(), depth))
}

/// The same with all that is known of the position.
pub fn start_and_depth(words: &[String], args: &PositionArgs) -> Result<(Start, Depth)> {
    let Some((depth, position)) = words.split_last() else {
        bail!("no position and depth given (perft startpos 6)");
    };
    if position.is_empty() {
        if depth.contains('/') || from_text(depth, args.variant()).is_ok() {
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
    // A FEN in separate words without a depth: its last field was taken for one.
    let start = read_start(position, args);
    let is_in_words = position.len() > 1;
    if is_in_words && start.is_err() && read_start(words, args).is_ok() {
        bail!("no depth after {:?} (perft startpos 6)", words.join(" "));
    }
    Ok((start?, parsed))
}

/// Two squares, and perhaps a letter.
fn is_like_a_move(text: &str) -> bool {
    let squares = [text.get(0..2), text.get(2..4)];
    text.len() <= 5
        && squares
            .into_iter()
            .all(|square| square.is_some_and(|text| text.parse::<Square>().is_ok()))
}

/// Reads a position and plays the moves that come first.
pub fn read_position(words: &[String], args: &PositionArgs) -> Result<Board> {
    read_start(words, args).map(|start| *start.end().board())
}

fn read_start(words: &[String], args: &PositionArgs) -> Result<Start> {
    let text = words.join(" ");
    let (root, moves) = if text.trim() == "-" {
        from_text(&standard_input()?, args.variant()).context("standard input")?
    } else {
        from_text(&text, args.variant())?
    };
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
    let line = read_line(&root, &moves, args.variant(), name)?;
    Ok(Start { root, line })
}

/// The position, and the moves after it if they are written as UCI has them.
fn from_text(text: &str, variant: Variant) -> Result<(Root, String)> {
    let (position, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let position = position.trim();
    let position = position.strip_prefix("position ").unwrap_or(position).trim_start();
    let position = position.strip_prefix("fen ").unwrap_or(position);
    Ok((root_from_text(position, variant)?, moves.to_owned()))
}

fn root_from_text(text: &str, variant: Variant) -> Result<Root> {
    let text = text.trim();
    if let Some(board) = positions::by_name(text) {
        return Ok(Root::new(board, variant));
    }
    if !text.contains('/') {
        let hint = hint(text);
        bail!(
            "{text:?} is neither a FEN nor a named position \
             ({hint}perft board --list shows the names)"
        );
    }
    Root::from_fen(text, variant).map_err(|error| {
        let is_chess960 = Root::from_fen(text, Variant::Chess960).is_ok();
        let remedy = if is_chess960 { " (--chess960 reads it)" } else { "" };
        anyhow!("bad FEN {text:?}: {error}{remedy}")
    })
}

/// Whether this is the name of a position.
pub fn is_known(name: &str) -> bool {
    positions::by_name(name).is_some()
}

/// What may have been meant, if anything is spelled much like it.
pub fn hint(text: &str) -> String {
    if let Some(word) =
        text.split_whitespace().next().filter(|word| ["go", "perft", "count"].contains(word))
    {
        return format!("leave out {word:?}; ");
    }
    nearest_name(text).map_or(String::new(), |name| format!("did you mean {name}? "))
}

/// A position or a command that is spelled much like this.
fn nearest_name(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?.to_lowercase();
    // Two letters exchanged count much in a short word.
    let likeness = |name: &str| match strsim::damerau_levenshtein(name, &first) {
        0 | 1 => 1.0,
        _ => strsim::jaro_winkler(name, &first),
    };
    let commands = Cli::command();
    let commands = commands.get_subcommands().map(|command| command.get_name());
    let commands = commands.map(|name| (likeness(name), format!("the command perft {name}")));
    let named = positions::NAMED.iter().map(|named| (likeness(named.name), named.name.to_owned()));
    let nearest = commands.chain(named).max_by(|(a, _), (b, _)| a.total_cmp(b));
    nearest.filter(|&(likeness, _)| likeness > 0.8).map(|(_, name)| name)
}

fn standard_input() -> Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LONGEST_INPUT + 1)
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    if bytes.len() as u64 > LONGEST_INPUT {
        bail!("standard input is longer than {LONGEST_INPUT} bytes; give one FEN");
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

/// A word of a game without the number of the move: `e4` of `1.e4`, and nothing of `1...`
fn without_number(word: &str) -> &str {
    let after = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if after.starts_with('.') { after.trim_start_matches('.') } else { word }
}

/// Reads moves that are played one after the other, in UCI notation or in SAN.
fn read_line(root: &Root, moves: &str, variant: Variant, name: &str) -> Result<Vec<Move>> {
    let mut board = *root.board();
    let mut line = Vec::new();
    let moves = moves.split_whitespace().map(without_number).filter(|text| !text.is_empty());
    for (number, text) in (1..).zip(moves) {
        let mv = board.parse_uci(text, variant).or_else(|error| {
            notation::parse_san(&board, text).ok_or_else(|| {
                let promotes = board.parse_uci(&format!("{text}q"), variant).is_ok();
                let hint = match is_like_a_move(text) {
                    true if promotes => " (to what? a letter at the end says so: e7e8q)",
                    true => "",
                    false => " (write e2e4, e7e8q or Nf3, with spaces between)",
                };
                anyhow!("{name}, number {number}: {error}{hint}")
            })
        })?;
        let _ = board.make(mv);
        line.push(mv);
    }
    Ok(line)
}

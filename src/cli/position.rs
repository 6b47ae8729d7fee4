//! From the words of a command to a position.

use std::io::Read;

use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use perft::compare::Root;
use perft::{Board, Depth, Variant, positions};

use super::args::{Cli, PositionArgs};

/// The most that is read of standard input when a position is expected there.
const LONGEST_INPUT: u64 = 1 << 20;

/// Splits `POSITION DEPTH` and reads both.
pub fn position_and_depth(words: &[String], args: &PositionArgs) -> Result<(Board, Depth)> {
    let (root, depth) = root_and_depth(words, args)?;
    Ok((*root.board(), depth))
}

/// The same with what the FEN says about en passant.
pub fn root_and_depth(words: &[String], args: &PositionArgs) -> Result<(Root, Depth)> {
    let Some((depth, position)) = words.split_last() else {
        bail!("no position and depth given (perft startpos 6)");
    };
    if position.is_empty() {
        if depth.contains('/') || positions::by_name(depth).is_some() {
            bail!("no depth after {depth:?} (perft startpos 6)");
        }
        let hint = hint(depth);
        bail!("{depth:?} is not a position and a depth ({hint}perft startpos 6)");
    }
    let parsed = depth.parse::<Depth>().ok().filter(|_| !depth.starts_with('+'));
    let Some(parsed) = parsed else {
        bail!(
            "depth {depth:?} is not a number from 0 to {} (it comes last: perft startpos 6)",
            Depth::MAX
        );
    };
    // A FEN in separate words without a depth: its last field was taken for one.
    let root = read_root(position, args);
    let is_in_words = position.len() > 1;
    if is_in_words && root.is_err() && Root::from_fen(&words.join(" "), args.variant()).is_ok() {
        bail!("no depth after {:?} (perft startpos 6)", words.join(" "));
    }
    Ok((root?, parsed))
}

/// Reads a position and plays the moves that come first.
pub fn read_position(words: &[String], args: &PositionArgs) -> Result<Board> {
    read_root(words, args).map(|root| *root.board())
}

fn read_root(words: &[String], args: &PositionArgs) -> Result<Root> {
    let text = words.join(" ");
    let root = if text.trim() == "-" {
        from_text(&standard_input()?, args.variant()).context("standard input")?
    } else {
        from_text(&text, args.variant())?
    };
    play(&root, args.moves.as_deref().unwrap_or_default(), args.variant())
}

fn from_text(text: &str, variant: Variant) -> Result<Root> {
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
    Root::from_fen(text, variant).with_context(|| format!("bad FEN {text:?}"))
}

/// What may have been meant, if anything is spelled much like it.
fn hint(text: &str) -> String {
    nearest_name(text).map_or(String::new(), |name| format!("did you mean {name}? "))
}

/// A position or a command that is spelled much like this.
fn nearest_name(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(name, &first);
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

fn play(root: &Root, moves: &str, variant: Variant) -> Result<Root> {
    let mut board = *root.board();
    let mut line = Vec::new();
    for (number, text) in (1..).zip(moves.split_whitespace()) {
        let mv =
            board.parse_uci(text, variant).with_context(|| format!("--moves, number {number}"))?;
        let _ = board.make(mv);
        line.push(mv);
    }
    Ok(root.after(&line))
}

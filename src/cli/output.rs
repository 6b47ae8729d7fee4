//! Standard output, standard error, and how numbers look.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ColorChoice;
use perft::{Board, Engine, File, Rank, Square};

/// Writes the result to standard output, all at once.
pub fn result(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    checked(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// [`result`] of a check whose exit code says the same: that nobody reads it does not matter.
/// Returns whether anybody does.
pub fn verdict(text: &str) -> Result<bool> {
    match result(text) {
        Err(error) if super::is_closed_pipe(&error) => Ok(false),
        written => written.map(|()| true),
    }
}

/// What became of writing to standard output.
///
/// A closed pipe comes back as the plain [`io::Error`] that it is.
pub fn checked(written: io::Result<()>) -> Result<()> {
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(error.into()),
        Err(error) => Err(anyhow::anyhow!("cannot write to standard output: {error}")),
    }
}

/// Writes a line to standard error. If that is closed there is nobody to tell.
pub fn note(line: fmt::Arguments<'_>) {
    let line = line.to_string();
    let lines: Vec<String> = line.split('\n').map(visible).collect();
    _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// Text of others without what would command a terminal.
pub fn visible(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Whether the terminal, if there is one, says that it can neither write over a line nor show
/// colours.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// Colours for the help, if it goes to a terminal. Left to itself, clap would also give them to
/// a dumb one wherever the environment speaks of continuous integration.
pub fn colours() -> ColorChoice {
    if is_dumb() { ColorChoice::Never } else { ColorChoice::Auto }
}

/// A line on the terminal that is written over as work goes on; nothing where standard
/// error is not a terminal.
pub struct Progress {
    /// When to write next; `None` if never.
    due: Option<Instant>,
    written: bool,
}

impl Progress {
    const FIRST: Duration = Duration::from_millis(500);
    const EVERY: Duration = Duration::from_millis(100);

    /// Work that takes less than half a second shows nothing.
    pub fn new(quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal() && !is_dumb();
        Self { due: shown.then(|| Instant::now() + Self::FIRST), written: false }
    }

    /// Shows how far the work is, if it is time to.
    pub fn show(&mut self, line: impl FnOnce() -> String) {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.show_at_once(line);
        }
    }

    /// Shows how far the work is: for what may take long after it, with nothing to tell.
    pub fn show_at_once(&mut self, line: impl FnOnce() -> String) {
        if let Some(due) = &mut self.due {
            *due = Instant::now() + Self::EVERY;
            self.written = true;
            _ = write!(io::stderr().lock(), "\r\x1b[K{}", line());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.written {
            _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// The last column of a suite's row, in the words for what is right and what is not.
pub fn result_of_suite(
    [right, different]: [&str; 2],
    counted: usize,
    wrong: usize,
    unfinished: usize,
) -> String {
    match (wrong, unfinished) {
        (0, 0) if counted == 0 => "skipped".to_owned(),
        (0, 0) => right.to_owned(),
        (0, _) => format!("{unfinished} unfinished"),
        (_, 0) => format!("{wrong} {different}"),
        (_, _) => format!("{wrong} {different}, {unfinished} unfinished"),
    }
}

/// The board with its ranks and files named, and marks on either side of the men on some
/// squares. Without marks the men stand closer.
pub fn drawing(board: &Board, mark: impl Fn(Square) -> Option<[char; 2]>) -> String {
    let is_marked = Square::all().any(|square| mark(square).is_some());
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.digit());
        text.push_str(if is_marked { " " } else { "  " });
        let mut cells = Vec::new();
        for file in File::ALL {
            let square = Square::new(file, rank);
            let man = board.man_on(square);
            let man = man.map_or('.', |(color, piece)| piece.fen_letter(color));
            let [left, right] = mark(square).unwrap_or([' ', ' ']);
            cells.push(if is_marked { format!("{left}{man}{right}") } else { man.to_string() });
        }
        text.push_str(cells.join(if is_marked { "" } else { " " }).trim_end());
        text.push('\n');
    }
    let files = File::ALL.map(|file| file.letter().to_string());
    let (indent, gap) = if is_marked { ("   ", "  ") } else { ("   ", " ") };
    text + &format!("\n{indent}{}\n", files.join(gap))
}

/// A number for people: `119,060,324`.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What a count is made with, for people.
pub fn made_with(engine: &Engine) -> String {
    let Engine { kernel, sliders, cpu } = engine.used();
    format!("{} kernel, {} sliders, {cpu} instructions", kernel.name(), sliders.name())
}

/// A speed for people: `412.3 million nodes a second`.
pub fn speed(nodes_per_second: Option<f64>) -> String {
    match nodes_per_second {
        Some(speed) => format!("{:.1} million nodes a second", speed / 1e6),
        None => "too fast to measure".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0, 12, 123, 1_234, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }
}

//! Standard output, standard error, and the look of numbers and boards.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ColorChoice;
use perft_core::{Backend, Board, Counter, File, Rank, Square, Table};
use serde::Serialize;

/// Prints a result: its text, or one line of JSON.
///
/// # Errors
/// See [`checked`].
pub fn print<T: fmt::Display + Serialize>(result: &T, json: bool) -> Result<()> {
    self::result(&rendered(result, json)?)
}

/// [`print`] of a result that the exit code repeats: a closed pipe is not an error. Returns whether
/// the pipe is still open.
pub fn print_verdict<T: fmt::Display + Serialize>(result: &T, json: bool) -> Result<bool> {
    result_unless_closed(&rendered(result, json)?)
}

fn rendered<T: fmt::Display + Serialize>(result: &T, json: bool) -> Result<String> {
    Ok(if json { serde_json::to_string(result)? + "\n" } else { result.to_string() })
}

/// [`result`], where a closed pipe is not an error. Returns whether the pipe is still open.
pub fn result_unless_closed(text: &str) -> Result<bool> {
    match result(text) {
        Err(error) if super::is_closed_pipe(&error) => Ok(false),
        printed => printed.map(|()| true),
    }
}

/// Writes text to standard output, all at once.
pub fn result(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    checked(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Adds context to an error of writing to standard output. A closed pipe stays a plain
/// [`io::Error`], by which `main` knows it.
pub fn checked(written: io::Result<()>) -> Result<()> {
    match written {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(error.into()),
        Err(error) => Err(anyhow::anyhow!("cannot write to standard output: {error}")),
    }
}

/// Writes a line to standard error; errors of that have no other place to go.
pub fn note(line: fmt::Arguments<'_>) {
    let line = line.to_string();
    let lines: Vec<String> = line.split('\n').map(visible).collect();
    _ = writeln!(io::stderr().lock(), "{}", lines.join("\n"));
}

/// Foreign text without control characters, which a terminal would interpret.
pub fn visible(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Whether the terminal can neither overwrite a line nor show colors.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// The color choice of the help. Clap's own choice would color a dumb terminal in CI.
pub fn colors() -> ColorChoice {
    if is_dumb() { ColorChoice::Never } else { ColorChoice::Auto }
}

/// A line on the terminal that is overwritten as work goes on, and erased at its end. Silent where
/// standard error is not a terminal.
pub struct ProgressLine {
    /// The time of the next update; `None` if silent.
    due: Option<Instant>,
    written: bool,
}

impl ProgressLine {
    /// Shorter work shows nothing.
    const DELAY: Duration = Duration::from_millis(500);
    const INTERVAL: Duration = Duration::from_millis(100);

    /// A line that is silent if `quiet`.
    pub fn new(quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal() && !is_dumb();
        Self { due: shown.then(|| Instant::now() + Self::DELAY), written: false }
    }

    /// Updates the line if it is due.
    pub fn show(&mut self, line: impl FnOnce() -> String) {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.show_at_once(line);
        }
    }

    /// Updates the line now: before a long step without progress of its own.
    pub fn show_at_once(&mut self, line: impl FnOnce() -> String) {
        if let Some(due) = &mut self.due {
            *due = Instant::now() + Self::INTERVAL;
            self.written = true;
            _ = write!(io::stderr().lock(), "\r\x1b[K{}", line());
        }
    }
}

/// A progress line that several threads may update, for `on_progress`.
pub fn shown<P>(quiet: bool, text: impl Fn(&P) -> String) -> impl Fn(&P) {
    let line = Mutex::new(ProgressLine::new(quiet));
    move |progress| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(|| text(progress));
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.written {
            _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// The last column of a suite's row, with the words for right and wrong counts.
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

/// The board with the names of its ranks and files, and marks on either side of some squares.
/// Without marks the squares are narrower.
pub fn drawing(board: &Board, mark: impl Fn(Square) -> Option<[char; 2]>) -> String {
    let is_marked = Square::all().any(|square| mark(square).is_some());
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.digit());
        text.push_str(if is_marked { " " } else { "  " });
        let mut cells = Vec::new();
        for file in File::ALL {
            let square = Square::new(file, rank);
            let piece = board.colored_piece_on(square);
            let piece = piece.map_or('.', |(color, piece)| piece.fen_letter(color));
            let [left, right] = mark(square).unwrap_or([' ', ' ']);
            cells.push(if is_marked { format!("{left}{piece}{right}") } else { piece.to_string() });
        }
        text.push_str(cells.join(if is_marked { "" } else { " " }).trim_end());
        text.push('\n');
    }
    let files = File::ALL.map(|file| file.letter().to_string());
    let (indent, gap) = if is_marked { ("   ", "  ") } else { ("   ", " ") };
    text + &format!("\n{indent}{}\n", files.join(gap))
}

/// A number with separators: `119,060,324`.
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

/// The threads, table and code of a count.
#[derive(Serialize)]
pub struct SetupReport {
    threads: usize,
    hash_bytes: usize,
    #[serde(flatten)]
    pub backend: BackendReport,
}

impl SetupReport {
    pub fn new(counter: &Counter) -> Self {
        Self::with_memory(counter, counter.get_table().map_or(0, Table::bytes))
    }

    /// The same with the bytes that were used for finding equal positions.
    pub fn with_memory(counter: &Counter, hash_bytes: usize) -> Self {
        Self {
            threads: counter.get_threads().get(),
            hash_bytes,
            backend: BackendReport::new(counter),
        }
    }
}

/// The code of a count: `two-ply kernel, fancy sliders, v3 instructions`.
#[derive(Serialize)]
pub struct BackendReport {
    pub kernel: &'static str,
    pub sliders: &'static str,
    cpu: &'static str,
}

impl BackendReport {
    pub fn new(counter: &Counter) -> Self {
        let Backend { kernel, sliders, cpu } = counter.get_backend().available();
        Self { kernel: kernel.name(), sliders: sliders.name(), cpu: cpu.name() }
    }
}

impl fmt::Display for BackendReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, sliders, cpu } = self;
        write!(f, "{kernel} kernel, {sliders} sliders, {cpu} instructions")
    }
}

/// A speed, of `nodes` or `moves`: `412.3 million nodes a second`.
pub fn speed(per_second: f64, unit: &str) -> String {
    format!("{:.1} million {unit} a second", per_second / 1e6)
}

/// The time of a count and, unless it is too small to measure, its speed:
/// `119,060,324 nodes in 0.300 s, 396.9 million nodes a second`.
pub fn timing(count: u128, unit: &str, seconds: f64) -> String {
    /// By the count and not by the time, so that the same count reads alike every time.
    const MIN_MEASURED: u128 = 1_000_000;
    let time = format!("{} {unit} in {seconds:.3} s", grouped(count));
    match count >= MIN_MEASURED && seconds > 0.0 {
        true => format!("{time}, {}", speed(count as f64 / seconds, unit)),
        false => time,
    }
}

/// A number and its noun: `1 unit`, `20 units`.
pub fn number_of(count: u128, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let shown = [0, 12, 123, 1_234, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }
}

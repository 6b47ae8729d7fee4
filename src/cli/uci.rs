//! `perft uci`: a UCI engine that counts.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use perft_compare::uci::{CHESS960_OPTION, Command, depth};
use perft_core::sys::lines::{self, LineEnd};
use perft_core::sys::pool::{self, MAX_THREADS};
use perft_core::{Board, CancelToken, CastlingMode, CountError, Counter, Depth, Table};

use super::args::number_of_threads;
use super::output;

/// The longest line; a game of 10,000 moves is shorter.
const MAX_LINE: usize = 1 << 20;

/// The memory for commands that wait for the end of a count, in bytes. If it is full, no more are
/// read.
const MAX_HELD: usize = 16 << 20;

/// Interval between looks at the memory while it is full.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The memory of a command besides its text.
const LINE_OVERHEAD: usize = 64;

/// The number of lines that are read ahead.
const LINES_AHEAD: usize = 8;

/// The largest table in MB, as in other engines.
const MAX_HASH: usize = 33_554_432;

const NO_THREAD: &str = "cannot start a counting thread";

/// An input of the session.
enum Event {
    Line(String),
    /// A line was not read, for this reason.
    Unread(String),
    /// The input has ended.
    End(Result<()>),
    /// The count has ended and is printed.
    Counted(Result<()>),
}

impl Event {
    fn is_count(&self) -> bool {
        match self {
            Self::Line(line) => matches!(Command::parse(line), Some(Command::GoPerft(_))),
            _ => false,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Line(line) => line.len() + LINE_OVERHEAD,
            _ => LINE_OVERHEAD,
        }
    }
}

/// Events that wait for the end of a count, and their bytes, for the thread that reads.
#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    bytes: Arc<AtomicUsize>,
}

impl Waiting {
    fn push(&mut self, event: Event) {
        self.bytes.fetch_add(event.bytes(), Ordering::Relaxed);
        self.events.push_back(event);
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        self.bytes.fetch_sub(event.bytes(), Ordering::Relaxed);
        Some(event)
    }

    /// Removes the counts, and returns their number.
    fn remove_counts(&mut self) -> usize {
        let before = self.events.len();
        self.events.retain(|event| !event.is_count());
        self.bytes.store(self.events.iter().map(Event::bytes).sum(), Ordering::Relaxed);
        before - self.events.len()
    }
}

/// Handles commands until `quit` or the end of input. During a count, which runs on another thread,
/// `isready` and `stop` are handled at once; all else waits for its end, and the input waits if that
/// is more than fits.
pub fn uci() -> Result<ExitCode> {
    let mut session = Session {
        position: Ok(Board::startpos()),
        mode: CastlingMode::Standard,
        threads: NonZero::<usize>::MIN,
        hash_mb: 16,
        table: None,
    };
    let (sender, events) = mpsc::sync_channel(LINES_AHEAD);
    let mut waiting = Waiting::default();
    let (reader, held) = (sender.clone(), Arc::clone(&waiting.bytes));
    pool::spawn(move || read_events(&reader, &held)).context(NO_THREAD)?;
    // Cancels the running count.
    let mut running: Option<CancelToken> = None;
    loop {
        let event = if running.is_none() { waiting.pop() } else { None };
        let event = match event {
            Some(event) => event,
            None => events.recv().context("standard input was lost")?,
        };
        match event {
            Event::Counted(counted) => {
                counted?;
                running = None;
            }
            Event::Line(line) => match (Command::parse(&line), &running) {
                (None, _) => {}
                (Some(Command::IsReady), _) => output::result("readyok\n")?,
                (Some(Command::Stop), running) => {
                    running.iter().for_each(CancelToken::cancel);
                    for _ in 0..waiting.remove_counts() {
                        info("stopped before it began")?;
                    }
                }
                (Some(_), Some(_)) => waiting.push(Event::Line(line)),
                (Some(Command::Quit), None) => return Ok(ExitCode::SUCCESS),
                (Some(Command::GoPerft(text)), None) => match depth(text) {
                    Some(depth) => running = Some(session.start_count(depth, sender.clone())?),
                    None => info(&format!(
                        "go perft wants a depth from 0 to {}, not {text:?}",
                        Depth::MAX
                    ))?,
                },
                (Some(command), None) => session.handle(&command)?,
            },
            event if running.is_some() => waiting.push(event),
            Event::Unread(error) => {
                info(&error)?;
                // The line may have been a position. Counting the one before would mislead.
                session.position = Err(error);
            }
            Event::End(read) => return read.map(|()| ExitCode::SUCCESS),
        }
    }
}

/// Sends standard input as events, as long as there is room for those that wait.
fn read_events(sender: &mpsc::SyncSender<Event>, held: &AtomicUsize) {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        while held.load(Ordering::Relaxed) >= MAX_HELD {
            thread::sleep(POLL_INTERVAL);
        }
        let event = match read_event(&mut input, &mut bytes) {
            Ok(event) => event,
            Err(error) => {
                Event::End(Err(anyhow::Error::new(error).context("cannot read standard input")))
            }
        };
        let is_last = matches!(event, Event::End(_));
        if sender.send(event).is_err() || is_last {
            return;
        }
    }
}

/// The next line that is not blank.
fn read_event(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Event> {
    loop {
        return Ok(match lines::read_line(input, bytes, MAX_LINE)? {
            LineEnd::Newline | LineEnd::Unterminated if bytes.trim_ascii().is_empty() => continue,
            LineEnd::Newline | LineEnd::Unterminated => {
                Event::Line(String::from_utf8_lossy(bytes).into_owned())
            }
            LineEnd::TooLong => {
                lines::skip_line(input)?;
                Event::Unread(format!("a line of more than {MAX_LINE} bytes is not read"))
            }
            LineEnd::Eof => Event::End(Ok(())),
        });
    }
}

fn info(text: &str) -> Result<()> {
    output::result(&format!("info string {}\n", super::one_line(text)))
}

/// The state that options and `position` set.
struct Session {
    /// The position, or the reason why there is none.
    position: Result<Board, String>,
    /// The castling mode of the next position.
    mode: CastlingMode,
    threads: NonZero<usize>,
    hash_mb: usize,
    /// Made for the first count that needs it.
    table: Option<Arc<Table>>,
}

impl Session {
    fn handle(&mut self, command: &Command<'_>) -> Result<()> {
        match command {
            Command::Uci => output::result(&format!(
                "id name perft {}\nid author the authors of perft\n\n\
                 option name Hash type spin default 16 min 0 max {MAX_HASH}\n\
                 option name Threads type spin default 1 min 1 max {MAX_THREADS}\n\
                 option name {CHESS960_OPTION} type check default false\nuciok\n",
                env!("CARGO_PKG_VERSION"),
            )),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::Position(setup) => {
                self.position = match setup {
                    Some(setup) => setup.board(self.mode).map_err(|error| {
                        let is_chess960 = setup.board(CastlingMode::Chess960).is_ok();
                        let remedy = "(setoption name UCI_Chess960 value true reads it)";
                        if is_chess960 { format!("{error} {remedy}") } else { error.to_string() }
                    }),
                    None => {
                        Err("position wants startpos or fen FEN, and moves after the word moves"
                            .to_owned())
                    }
                };
                match &self.position {
                    Ok(_) => Ok(()),
                    Err(error) => info(error),
                }
            }
            Command::Display => match &self.position {
                Ok(board) => display(board),
                Err(error) => info(error),
            },
            // A GUI waits for the move.
            Command::Go => {
                info("this engine counts and does not play: go perft N")?;
                output::result("bestmove 0000\n")
            }
            Command::NewGame => Ok(()),
            // Handled by `uci`.
            Command::IsReady | Command::Stop | Command::Quit | Command::GoPerft(_) => Ok(()),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<()> {
        match name.to_lowercase().as_str() {
            "hash" => match value.parse().ok().filter(|&megabytes| megabytes <= MAX_HASH) {
                Some(megabytes) => (self.hash_mb, self.table) = (megabytes, None),
                None => return info(&format!("Hash is 0 to {MAX_HASH}, not {value:?}")),
            },
            "threads" => match number_of_threads(value) {
                Ok(threads) => self.threads = threads,
                Err(_) => return info(&format!("Threads is 1 to {MAX_THREADS}, not {value:?}")),
            },
            "uci_chess960" => match value {
                "true" => self.mode = CastlingMode::Chess960,
                "false" => self.mode = CastlingMode::Standard,
                _ => return info(&format!("UCI_Chess960 is true or false, not {value:?}")),
            },
            _ => return info(&format!("no option {name:?}")),
        }
        Ok(())
    }

    /// Starts a count, and returns the token that cancels it. Without a position, it prints the
    /// reason in place of a count.
    fn start_count(
        &mut self,
        depth: Depth,
        sender: mpsc::SyncSender<Event>,
    ) -> Result<CancelToken> {
        let cancel = CancelToken::new();
        let counter = self.counter()?.cancel(cancel.clone());
        let position = self.position.clone();
        let started = pool::spawn(move || {
            let counted = match position {
                Ok(board) => count(&counter, &board, depth),
                Err(error) => info(&error),
            };
            // Fails only if the session has ended.
            _ = sender.send(Event::Counted(counted));
        });
        started.context(NO_THREAD)?;
        Ok(cancel)
    }

    /// A counter with the table, if there is memory for it.
    fn counter(&mut self) -> Result<Counter> {
        if self.table.is_none() && self.hash_mb > 0 {
            match Table::new(self.hash_mb.saturating_mul(1 << 20)) {
                Ok(table) => self.table = Some(Arc::new(table)),
                Err(error) => {
                    self.hash_mb = 0;
                    info(&format!("{error}; counting without a table"))?;
                }
            }
        }
        let counter = Counter::new().threads(self.threads);
        Ok(match &self.table {
            Some(table) => counter.table(Arc::clone(table)),
            None => counter,
        })
    }
}

fn display(board: &Board) -> Result<()> {
    let checkers: Vec<String> =
        board.checkers().into_iter().map(|square| square.to_string()).collect();
    output::result(&format!(
        "\n{}\nFen: {board}\nKey: {:032X}\nCheckers: {}\n",
        output::drawing(board, |_| None),
        board.hash(),
        checkers.join(" "),
    ))
}

/// Counts, and prints as Stockfish does.
fn count(counter: &Counter, board: &Board, depth: Depth) -> Result<()> {
    let (divide, is_complete) = match counter.divide(board, depth) {
        Ok(divide) => (divide, true),
        Err(CountError::Cancelled(divide)) => (divide, false),
        Err(error) => return info(&error.to_string()),
    };
    let mut text = String::new();
    for branch in &divide.branches {
        text += &format!("{}: {}\n", board.uci(branch.mv), branch.nodes);
    }
    if is_complete {
        text += &format!("\nNodes searched: {}\n\n", divide.nodes);
    } else {
        let (done, all) = (divide.branches.len(), board.count_legal_moves());
        text += &format!("info string stopped: {done} of {all} root moves are finished\n");
    }
    output::result(&text)
}

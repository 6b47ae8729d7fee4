//! `perft uci`: a UCI engine that counts.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use anyhow::{Context, Result};
use perft::uci::{Command, depth};
use perft::{Board, Depth, Engine, Job, Table, Variant, threads};

use super::args::number_of_threads;
use super::output;

/// The longest line that is read; a game of 10,000 moves is shorter.
const LONGEST_LINE: u64 = 1 << 20;

/// So many commands may wait for the end of a count.
const MOST_WAITING: usize = 10_000;

/// And so many bytes of them.
const MOST_BYTES_WAITING: usize = 16 << 20;

/// So many lines are read ahead.
const READ_AHEAD: usize = 8;

/// The most that may be set, as other engines have it.
const MOST_HASH: usize = 33_554_432;

/// What is said then.
const NO_THREAD: &str = "the system gives no thread to count with";

/// What the options and `position` have set.
struct Session {
    /// The position and the words it was told in, or why there is none.
    position: Result<(Board, Variant), String>,
    variant: Variant,
    threads: NonZero<usize>,
    hash_mb: usize,
    table: Option<Arc<Table>>,
}

/// What there is to react to.
enum Event {
    /// A command has come.
    Line(String),
    /// Something was not read, for this reason.
    Unread(String),
    /// There will be no more.
    End(Result<()>),
    /// A count is finished and printed.
    Counted(Result<()>),
}

/// What waits for the end of a count.
#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    bytes: usize,
}

impl Waiting {
    /// Puts it behind the others. Where there is no room for a line, that something was not read
    /// takes its place, once.
    fn push(&mut self, event: Event) -> Result<()> {
        let bytes = event.bytes();
        let is_full = self.events.len() >= MOST_WAITING || self.bytes + bytes > MOST_BYTES_WAITING;
        match (event, self.events.back()) {
            (Event::Line(_), Some(Event::Unread(_))) if is_full => {}
            (Event::Line(_), _) if is_full => {
                let error = "too many commands wait for the end of a count; some are not obeyed";
                info(error)?;
                self.events.push_back(Event::Unread(error.to_owned()));
            }
            (event, _) => {
                self.bytes += bytes;
                self.events.push_back(event);
            }
        }
        Ok(())
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        self.bytes -= event.bytes();
        Some(event)
    }

    /// Takes out the counts, and says how many there were.
    fn take_counts(&mut self) -> usize {
        let before = self.events.len();
        self.events.retain(|event| !is_count(event));
        self.bytes = self.events.iter().map(Event::bytes).sum();
        before - self.events.len()
    }
}

impl Event {
    fn bytes(&self) -> usize {
        match self {
            Self::Line(line) => line.len(),
            _ => 0,
        }
    }
}

/// Obeys commands until `quit` or the end of input. A count runs beside; `isready` and `stop` are
/// heard at once, and whatever else comes waits for its end.
pub fn uci() -> Result<ExitCode> {
    let mut session = Session {
        position: Ok((Board::startpos(), Variant::Standard)),
        variant: Variant::Standard,
        threads: NonZero::<usize>::MIN,
        hash_mb: 16,
        table: None,
    };
    let (sender, events) = mpsc::sync_channel(READ_AHEAD);
    let reader = sender.clone();
    threads::beside(move || read(&reader)).context(NO_THREAD)?;
    let mut waiting = Waiting::default();
    let mut counting: Option<Arc<AtomicBool>> = None;
    loop {
        let held = if counting.is_none() { waiting.pop() } else { None };
        let event = match held {
            Some(event) => event,
            None => events.recv().context("standard input was lost")?,
        };
        match event {
            Event::Counted(counted) => {
                counted?;
                counting = None;
            }
            Event::Line(line) => match (Command::parse(&line), &counting) {
                (None, _) => {}
                (Some(Command::IsReady), _) => output::result("readyok\n")?,
                (Some(Command::Stop), stop) => {
                    stop.iter().for_each(|stop| stop.store(true, Ordering::Relaxed));
                    // Counts that were asked for before and have not begun are stopped too.
                    for _ in 0..waiting.take_counts() {
                        info("stopped before it began")?;
                    }
                }
                (Some(_), Some(_)) => waiting.push(Event::Line(line))?,
                (Some(Command::Quit), None) => return Ok(ExitCode::SUCCESS),
                (Some(Command::GoPerft(text)), None) => match depth(text) {
                    Some(depth) => counting = Some(session.start(depth, sender.clone())?),
                    None => info(&format!(
                        "go perft wants a depth from 0 to {}, not {text:?}",
                        Depth::MAX
                    ))?,
                },
                (Some(command), None) => session.obey(&command)?,
            },
            unread @ Event::Unread(_) if counting.is_some() => waiting.push(unread)?,
            Event::Unread(error) => {
                info(&error)?;
                // It may have been a position, and no answer is better than one for another.
                session.position = Err(error);
            }
            Event::End(read) if counting.is_none() => return read.map(|()| ExitCode::SUCCESS),
            end @ Event::End(_) => waiting.push(end)?,
        }
    }
}

fn is_count(event: &Event) -> bool {
    match event {
        Event::Line(line) => matches!(Command::parse(line), Some(Command::GoPerft(_))),
        _ => false,
    }
}

/// Passes on what comes in.
fn read(sender: &mpsc::SyncSender<Event>) {
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        let event = match read_line(&mut input, &mut bytes) {
            Ok(Some(Some(line))) if line.trim().is_empty() => continue,
            Ok(Some(Some(line))) => Event::Line(line),
            Ok(Some(None)) => {
                Event::Unread(format!("a line of more than {LONGEST_LINE} bytes is not read"))
            }
            Ok(None) => Event::End(Ok(())),
            Err(error) => Event::End(Err(error)),
        };
        let is_last = matches!(event, Event::End(_));
        if sender.send(event).is_err() || is_last {
            return;
        }
    }
}

/// The next line, or nothing in place of one that is too long; `None` at the end of input.
fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> Result<Option<Option<String>>> {
    bytes.clear();
    let mut is_too_long = false;
    loop {
        let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', bytes);
        let read = read.context("cannot read standard input")?;
        let is_ended = bytes.last() == Some(&b'\n');
        if read as u64 == LONGEST_LINE && !is_ended {
            is_too_long = true;
            bytes.clear();
        } else if is_too_long {
            return Ok(Some(None));
        } else if read == 0 {
            return Ok(None);
        } else {
            return Ok(Some(Some(String::from_utf8_lossy(bytes).into_owned())));
        }
    }
}

fn info(text: &str) -> Result<()> {
    output::result(&format!("info string {}\n", super::one_line(text)))
}

impl Session {
    fn obey(&mut self, command: &Command<'_>) -> Result<()> {
        match command {
            Command::Uci => output::result(&format!(
                "id name perft {}\nid author the authors of perft\n\n\
                 option name Hash type spin default 16 min 0 max {MOST_HASH}\n\
                 option name Threads type spin default 1 min 1 max {most_threads}\n\
                 option name UCI_Chess960 type check default false\nuciok\n",
                env!("CARGO_PKG_VERSION"),
                most_threads = threads::MOST,
            )),
            Command::IsReady => output::result("readyok\n"),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::Position(setup) => {
                let usage = "position wants startpos or fen FEN, and moves after the word moves";
                let variant = self.variant;
                let board = match setup {
                    Some(setup) => setup.board(variant).map_err(|error| {
                        let is_chess960 = setup.board(Variant::Chess960).is_ok();
                        let remedy = "(setoption name UCI_Chess960 value true reads it)";
                        if is_chess960 { format!("{error} {remedy}") } else { error.to_string() }
                    }),
                    None => Err(usage.to_owned()),
                };
                self.position = board.map(|board| (board, variant));
                match &self.position {
                    Ok(_) => Ok(()),
                    Err(error) => info(error),
                }
            }
            Command::Display => match &self.position {
                Ok((board, variant)) => display(board, *variant),
                Err(error) => info(error),
            },
            // Whoever asks for a move waits for one.
            Command::Go => {
                info("this engine counts and does not play: go perft N")?;
                output::result("bestmove 0000\n")
            }
            Command::NewGame | Command::Stop | Command::Quit | Command::GoPerft(_) => Ok(()),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<()> {
        let number = value.parse::<usize>().ok();
        match name.to_lowercase().as_str() {
            "hash" => match number.filter(|&megabytes| megabytes <= MOST_HASH) {
                Some(megabytes) => (self.hash_mb, self.table) = (megabytes, None),
                None => return info(&format!("Hash is 0 to {MOST_HASH}, not {value:?}")),
            },
            "threads" => match number_of_threads(value) {
                Ok(threads) => self.threads = threads,
                Err(_) => {
                    return info(&format!("Threads is 1 to {}, not {value:?}", threads::MOST));
                }
            },
            "uci_chess960" => match value {
                "true" => self.variant = Variant::Chess960,
                "false" => self.variant = Variant::Standard,
                _ => return info(&format!("UCI_Chess960 is true or false, not {value:?}")),
            },
            _ => return info(&format!("no option {name:?}")),
        }
        Ok(())
    }

    /// Makes the table when it is first needed; without the memory there is none.
    fn prepare_table(&mut self) -> Result<()> {
        if self.table.is_none() && self.hash_mb > 0 {
            match Table::new(self.hash_mb.saturating_mul(1 << 20)) {
                Ok(table) => self.table = Some(Arc::new(table)),
                Err(error) => {
                    self.hash_mb = 0;
                    return info(&format!("{error}; counting without a table"));
                }
            }
        }
        Ok(())
    }

    /// Starts a count, and returns what stops it. A position that could not be set up is not
    /// counted: no answer is better than one for another position.
    fn start(&mut self, depth: Depth, sender: mpsc::SyncSender<Event>) -> Result<Arc<AtomicBool>> {
        self.prepare_table()?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, table) = (Arc::clone(&stop), self.table.clone());
        let (threads, position) = (self.threads, self.position.clone());
        let started = threads::beside(move || {
            let counted = match position {
                Ok((board, variant)) => {
                    let (engine, table) = (Engine::default(), table.as_deref());
                    let stop = stopped.as_ref();
                    count(&Job { board, depth, variant, engine, threads, table, stop })
                }
                Err(error) => info(&error),
            };
            // Whoever listened has gone if nobody does.
            _ = sender.send(Event::Counted(counted));
        });
        started.context(NO_THREAD)?;
        Ok(stop)
    }
}

fn display(board: &Board, variant: Variant) -> Result<()> {
    let checkers: Vec<String> =
        board.checkers().into_iter().map(|square| square.to_string()).collect();
    output::result(&format!(
        "\n{}\nFen: {}\nKey: {:032X}\nCheckers: {}\n",
        output::drawing(board, |_| None),
        board.fen(variant),
        board.key(),
        checkers.join(" "),
    ))
}

/// Counts and prints as Stockfish does.
fn count(job: &Job<'_>) -> Result<()> {
    let counted = match job.run(|_| {}) {
        Ok(counted) => counted,
        Err(error) => return info(&error.to_string()),
    };
    let mut text = String::new();
    for branch in &counted.branches {
        text += &format!("{}: {}\n", branch.mv.uci(job.variant), branch.nodes);
    }
    if counted.complete {
        text += &format!("\nNodes searched: {}\n\n", counted.nodes);
    } else {
        let (done, all) = (counted.branches.len(), job.board.count_legal_moves());
        text += &format!("info string stopped: {done} of {all} root moves are finished\n");
    }
    output::result(&text)
}

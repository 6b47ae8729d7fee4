//! `perft uci`: a UCI engine that counts.

use std::io::{self, BufRead, Read};
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Context, Result};
use perft::uci::{Command, depth};
use perft::{Board, Depth, Engine, Job, Table, Variant};

use super::output;

/// The longest line that is read; a game of 10,000 moves is shorter.
const LONGEST_LINE: u64 = 1 << 20;

/// The most that may be set, as other engines have it.
const MOST_HASH: usize = 33_554_432;
const MOST_THREADS: usize = 1024;

/// What the options and `position` have set.
struct Session {
    /// The position, or why there is none.
    board: Result<Board, String>,
    variant: Variant,
    threads: NonZero<usize>,
    hash_mb: usize,
    table: Option<Table>,
}

/// Reads commands until `quit` or the end of input.
pub fn uci() -> Result<ExitCode> {
    let mut session = Session {
        board: Ok(Board::startpos()),
        variant: Variant::Standard,
        threads: NonZero::<usize>::MIN,
        hash_mb: 16,
        table: None,
    };
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    let mut held: Option<String> = None;
    loop {
        // A count runs beside the reading, until a command comes that it must not outlast.
        let stop = AtomicBool::new(false);
        let next = match held.take() {
            Some(line) => Some(line),
            None => read_line(&mut input, &mut bytes)?,
        };
        let Some(line) = next else { return Ok(ExitCode::SUCCESS) };
        match Command::parse(&line) {
            Some(Command::Quit) => return Ok(ExitCode::SUCCESS),
            Some(Command::GoPerft(text)) => {
                let Some(depth) = depth(text) else {
                    info(&format!(
                        "go perft wants a depth from 0 to {}, not {text:?}",
                        Depth::MAX
                    ))?;
                    continue;
                };
                session.prepare_table()?;
                let session = &session;
                held = thread::scope(|scope| {
                    let count = scope.spawn(|| session.count(depth, &stop));
                    let held = listen_meanwhile(&mut input, &mut bytes, &count, &stop);
                    let counted = count.join().unwrap_or(Ok(()));
                    counted.and(held)
                })?;
            }
            Some(command) => session.obey(&command)?,
            None => {}
        }
    }
}

/// Reads on while a count runs, and returns the first command that has to wait for its end.
fn listen_meanwhile(
    input: &mut impl BufRead,
    bytes: &mut Vec<u8>,
    count: &ScopedJoinHandle<'_, Result<()>>,
    stop: &AtomicBool,
) -> Result<Option<String>> {
    while !count.is_finished() {
        let Some(line) = read_line(input, bytes)? else { return Ok(None) };
        match Command::parse(&line) {
            Some(Command::IsReady) => output::result("readyok\n")?,
            Some(Command::Stop) => stop.store(true, Ordering::Relaxed),
            None => {}
            Some(_) => return Ok(Some(line)),
        }
    }
    Ok(None)
}

/// The next line; `None` at the end of input. What is too long or no text is no command.
fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>) -> Result<Option<String>> {
    bytes.clear();
    let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', bytes);
    match read.context("cannot read standard input")? {
        0 => Ok(None),
        _ => Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
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
                 option name Threads type spin default 1 min 1 max {MOST_THREADS}\n\
                 option name UCI_Chess960 type check default false\nuciok\n",
                env!("CARGO_PKG_VERSION"),
            )),
            Command::IsReady => output::result("readyok\n"),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::Position(setup) => {
                self.board = setup.board(self.variant).map_err(|error| error.to_string());
                match &self.board {
                    Ok(_) => Ok(()),
                    Err(error) => info(error),
                }
            }
            Command::Display => match &self.board {
                Ok(board) => self.display(board),
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
            "threads" => {
                let threads = number.filter(|&threads| threads <= MOST_THREADS);
                match threads.and_then(NonZero::new) {
                    Some(threads) => self.threads = threads,
                    None => return info(&format!("Threads is 1 to {MOST_THREADS}, not {value:?}")),
                }
            }
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
            match Table::new(self.hash_mb << 20) {
                Ok(table) => self.table = Some(table),
                Err(error) => {
                    self.hash_mb = 0;
                    return info(&format!("{error}; counting without a table"));
                }
            }
        }
        Ok(())
    }

    /// Counts and prints as Stockfish does. A position that could not be set up is not counted:
    /// no answer is better than one for another position.
    fn count(&self, depth: Depth, stop: &AtomicBool) -> Result<()> {
        let board = match &self.board {
            Ok(board) => *board,
            Err(error) => return info(error),
        };
        let &Self { variant, threads, .. } = self;
        let (engine, table) = (Engine::default(), self.table.as_ref());
        let counted =
            match (Job { board, depth, variant, engine, threads, table, stop }).run(|_| {}) {
                Ok(counted) => counted,
                Err(error) => return info(&error.to_string()),
            };
        let mut text = String::new();
        for branch in &counted.branches {
            text += &format!("{}: {}\n", branch.mv.uci(variant), branch.nodes);
        }
        if counted.complete {
            text += &format!("\nNodes searched: {}\n\n", counted.nodes);
        } else {
            let (done, all) = (counted.branches.len(), board.count_legal_moves());
            text += &format!("info string stopped: {done} of {all} root moves are finished\n");
        }
        output::result(&text)
    }

    fn display(&self, board: &Board) -> Result<()> {
        let checkers: Vec<String> =
            board.checkers().into_iter().map(|square| square.to_string()).collect();
        output::result(&format!(
            "\n{}\nFen: {}\nKey: {:032X}\nCheckers: {}\n",
            output::drawing(board, |_| None),
            board.fen(self.variant),
            board.key(),
            checkers.join(" "),
        ))
    }
}

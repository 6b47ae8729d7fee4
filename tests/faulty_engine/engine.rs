//! A UCI engine with a bug of choice, to test `perft check` with.
//!
//! ```console
//! $ cargo build --release --example faulty_engine
//! $ perft check "target/release/examples/faulty_engine --without castle-out-of-check" --hunt
//! ```
//!
//! `--without RULE` leaves out a rule of chess; `--list` lists them. `--narrow NAME` leaves one out
//! in a special case, and `--table NAME` counts with a table whose keys lack a part: see
//! [`faults`]. `--act WAY` misbehaves in
//! another way: see [`Act`]. `--style WAY` prints in another format: see [`Style`].
//! `--script DEPTH FEN [MOVES]` divides once and ends.

mod faults;

use std::convert::Infallible;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use perft_compare::rules::{Game, Rule};
use perft_compare::uci::{CHESS960_OPTION, Command, Divider, Query, Setup, depth};
use perft_core::{Board, CastlingMode, CastlingSide, Depth, Move, Position};

/// Ways to misbehave.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Well,
    /// Print nothing.
    Mute,
    /// Complete the handshake and hang in the first count.
    HangInCount,
    /// Exit at once, with status 3 and an error message.
    Exit,
    /// Exit in the middle of a count.
    DieInCount,
    /// Print a gigabyte.
    Flood,
    /// Print a gigabyte without a line end.
    FloodOneLine,
    /// Count another position.
    OtherPosition,
    /// Ignore the moves of `position`.
    ForgetMoves,
    /// Search in place of counting.
    Search,
    /// Start another process, and hang with it.
    Breed,
    /// Ignore `go perft`.
    Ignore,
    /// Count on another thread, slowly; print a number first, the total twice, and a best move
    /// last.
    Beside,
    /// Wait before each count.
    Slow,
    /// Print the total only.
    TotalOnly,
    /// Close the output in the first count, and go on running.
    CloseOutput,
}

/// Output formats.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// `e2e4: 20`, `Nodes searched: 400`
    Stockfish,
    /// `e2e4 20`, and the bare total
    Plain,
    /// `e2e4 - 20`, no total
    NoTotal,
    /// `1. e2e4 20`, `Total: 400`; promotions in upper case
    Numbered,
    /// `move e2e4 nodes 20`, `perft 2 = 400`; castling as O-O
    Words,
    /// Castling as king-takes-rook, in standard chess too
    KingTakesRook,
}

struct Engine {
    without: Option<Rule>,
    act: Act,
    style: Style,
    mode: CastlingMode,
    game: Game,
    /// The position as it was given, and the moves.
    root: Position,
    line: Vec<Move>,
    /// A bug that is not a whole rule.
    divider: Option<Box<dyn Divider<Error = Infallible>>>,
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(3)
        }
    }
}

fn run(arguments: Vec<String>) -> Result<(), Box<dyn std::error::Error>> {
    let mut engine = Engine {
        without: None,
        act: Act::Well,
        style: Style::Stockfish,
        mode: CastlingMode::Standard,
        game: Game::new(&Board::startpos(), None),
        root: Position::from(Board::startpos()),
        line: Vec::new(),
        divider: None,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--without" => engine.without = Some(value()?.parse()?),
            "--narrow" => engine.divider = Some(Box::new(narrow(&value()?)?)),
            "--table" => {
                let name = value()?;
                let table = faults::TableFault::new(&name).ok_or(format!("no table {name:?}"))?;
                engine.divider = Some(Box::new(table));
            }
            "--act" => engine.act = act(&value()?)?,
            "--style" => engine.style = style(&value()?)?,
            "--script" => {
                let (depth, fen) = (value()?.parse()?, value()?);
                let moves = arguments.next().unwrap_or_default();
                engine.set_up(&Setup { fen: Some(&fen), moves: &moves })?;
                return Ok(engine.divide(depth)?);
            }
            "--list" => {
                Rule::ALL.iter().for_each(|rule| println!("{rule}: {}", rule.text()));
                return Ok(());
            }
            _ => return Err(format!("unknown argument {argument:?}").into()),
        }
    }
    engine.set_up(&Setup { fen: None, moves: "" })?;
    engine.serve()
}

fn narrow(name: &str) -> Result<faults::Narrow, String> {
    let found = faults::NARROW.into_iter().find(|narrow| narrow.name == name);
    found.ok_or_else(|| format!("no narrow bug {name:?}"))
}

fn act(text: &str) -> Result<Act, String> {
    Ok(match text {
        "mute" => Act::Mute,
        "hang" => Act::HangInCount,
        "exit" => Act::Exit,
        "die" => Act::DieInCount,
        "flood" => Act::Flood,
        "flood-one-line" => Act::FloodOneLine,
        "other-position" => Act::OtherPosition,
        "forget-moves" => Act::ForgetMoves,
        "search" => Act::Search,
        "breed" => Act::Breed,
        "ignore" => Act::Ignore,
        "beside" => Act::Beside,
        "slow" => Act::Slow,
        "total-only" => Act::TotalOnly,
        "close-output" => Act::CloseOutput,
        _ => return Err(format!("no act {text:?}")),
    })
}

fn style(text: &str) -> Result<Style, String> {
    Ok(match text {
        "stockfish" => Style::Stockfish,
        "plain" => Style::Plain,
        "no-total" => Style::NoTotal,
        "numbered" => Style::Numbered,
        "words" => Style::Words,
        "king-takes-rook" => Style::KingTakesRook,
        _ => return Err(format!("no style {text:?}")),
    })
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

fn flood(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for _ in 0..(1_usize << 30) / line.len() {
        out.write_all(line)?;
    }
    out.flush()
}

impl Engine {
    fn serve(&mut self) -> Result<(), Box<dyn std::error::Error>> {
        match self.act {
            Act::Mute => hang(),
            Act::Exit => return Err("no licence found".into()),
            Act::Breed => {
                // A parent that ends only one of the two leaves the other running.
                let mut child = std::process::Command::new("sleep").arg("3600").spawn()?;
                eprintln!("bred {}", child.id());
                child.wait()?;
            }
            _ => {}
        }
        for line in io::stdin().lock().lines() {
            let line = line?;
            match Command::parse(&line) {
                Some(Command::Uci) => println!(
                    "id name faulty\noption name UCI_Chess960 type check default false\nuciok"
                ),
                Some(Command::IsReady) => println!("readyok"),
                Some(Command::SetOption { name: CHESS960_OPTION, value: "true" }) => {
                    self.mode = CastlingMode::Chess960;
                }
                Some(Command::SetOption { name: CHESS960_OPTION, .. }) => {
                    self.mode = CastlingMode::Standard;
                }
                Some(Command::Position(Some(setup))) => match self.act {
                    Act::OtherPosition => self.set_up(&Setup { fen: None, moves: "" })?,
                    Act::ForgetMoves => self.set_up(&Setup { moves: "", ..setup })?,
                    _ => self.set_up(&setup)?,
                },
                Some(Command::GoPerft(text)) => self.go(depth(text).ok_or("no depth")?)?,
                Some(Command::Quit) => return Ok(()),
                _ => {}
            }
            io::stdout().flush()?;
        }
        Ok(())
    }

    fn set_up(&mut self, setup: &Setup<'_>) -> Result<(), Box<dyn std::error::Error>> {
        let fen = setup.fen.unwrap_or(Board::STARTPOS_FEN);
        let position = Position::from_fen(fen, self.mode)?;
        let game = Game::new(position.board(), self.without);
        self.game = game.with_en_passant(position.en_passant());
        (self.root, self.line) = (position, Vec::new());
        for text in setup.moves.split_whitespace() {
            let mv = self.game.parse_uci(text).ok_or(format!("no move {text}"))?;
            self.game = self.game.after(mv);
            self.line.push(mv);
        }
        Ok(())
    }

    fn go(&mut self, depth: Depth) -> Result<(), Box<dyn std::error::Error>> {
        match self.act {
            Act::HangInCount => hang(),
            Act::DieInCount => {
                println!("a2a3: 1");
                io::stdout().flush()?;
                Err("segmentation fault, more or less".into())
            }
            Act::Flood => Ok(flood(b"info string still counting\n")?),
            Act::FloodOneLine => Ok(flood(&[b'x'; 4096])?),
            Act::Search => {
                println!("info depth 1 score cp 30 nodes 20 pv e2e4\nbestmove e2e4");
                Ok(())
            }
            Act::Ignore => Ok(()),
            Act::Beside => {
                let game = self.game;
                std::thread::spawn(move || {
                    println!("info string nodes 1");
                    let mut total = 0;
                    for (number, (text, nodes)) in game.divide(depth).into_iter().enumerate() {
                        // Longer than the silence that ends a divide without a total.
                        if number == 5 && depth > 1 {
                            std::thread::sleep(Duration::from_millis(700));
                        }
                        println!("{text}: {nodes}");
                        total += nodes;
                    }
                    println!("Nodes searched: {total}\nTotal: {total}\nbestmove 0000");
                });
                Ok(())
            }
            Act::Slow => {
                std::thread::sleep(Duration::from_millis(50));
                Ok(self.divide(depth)?)
            }
            Act::TotalOnly => {
                println!("Nodes searched: {}", self.game.perft(depth));
                Ok(())
            }
            Act::CloseOutput => {
                // Replaces this process by one without the pipes, which closes them.
                let mut sleep = std::process::Command::new("sleep");
                let null = std::process::Stdio::null;
                sleep.arg("3600").stdout(null()).stderr(null()).stdin(null());
                #[cfg(unix)]
                return Err(std::os::unix::process::CommandExt::exec(&mut sleep).into());
                #[cfg(not(unix))]
                return Ok(sleep.status().map(|_| ())?);
            }
            _ => Ok(self.divide(depth)?),
        }
    }

    fn divide(&mut self, depth: Depth) -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        if let Some(divider) = &mut self.divider {
            let query = Query { root: &self.root, line: &self.line, depth };
            let Ok(output) = divider.divide(&query);
            for (text, nodes) in &output.moves {
                writeln!(out, "{text}: {nodes}")?;
            }
            writeln!(out, "\nNodes searched: {}\n", output.sum())?;
            return out.flush();
        }
        let mode = match self.style {
            Style::KingTakesRook => CastlingMode::Chess960,
            _ => self.mode,
        };
        let mut moves: Vec<(String, Move)> =
            self.game.moves().into_iter().map(|mv| (mv.uci(mode), mv)).collect();
        moves.sort();
        let mut total = 0;
        for (number, (text, mv)) in (1..).zip(moves) {
            let nodes = self.game.after(mv).perft(depth.saturating_sub(1));
            total += nodes;
            match self.style {
                Style::Stockfish | Style::KingTakesRook => writeln!(out, "{text}: {nodes}"),
                Style::Plain => writeln!(out, "{text} {nodes}"),
                Style::NoTotal => writeln!(out, "{text} - {nodes}"),
                Style::Numbered => {
                    let (squares, promotion) = text.split_at(4);
                    let promotion = promotion.to_ascii_uppercase();
                    writeln!(out, "{number}. {squares}{promotion} {nodes}")
                }
                Style::Words => {
                    let text = match mv.castling_side() {
                        Some(CastlingSide::King) => "O-O",
                        Some(CastlingSide::Queen) => "O-O-O",
                        None => &text,
                    };
                    writeln!(out, "move {text} nodes {nodes}")
                }
            }?;
        }
        match self.style {
            Style::Stockfish | Style::KingTakesRook => writeln!(out, "\nNodes searched: {total}\n"),
            Style::Plain => writeln!(out, "\n{total}"),
            Style::NoTotal => Ok(()),
            Style::Numbered => writeln!(out, "Total: {total}"),
            Style::Words => writeln!(out, "perft {depth} = {total}"),
        }?;
        out.flush()
    }
}

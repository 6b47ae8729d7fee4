//! Other move generators, asked through one face: by FEN in, sorted UCI moves and counts
//! out. Castling is king-takes-rook on both sides unless said otherwise.

#![allow(dead_code)] // Each test uses some of them.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use perft::{Board, Variant};

/// The position as cozy-chess reads it.
pub fn cozy_board(fen: &str, variant: Variant) -> Result<cozy_chess::Board, String> {
    cozy_chess::Board::from_fen(fen, variant == Variant::Chess960)
        .map_err(|error| format!("cozy-chess refuses {fen}: {error:?}"))
}

/// The legal moves that cozy-chess finds.
pub fn cozy_moves(board: &cozy_chess::Board) -> Vec<String> {
    let mut found = Vec::new();
    board.generate_moves(|moves| {
        found.extend(moves.into_iter().map(|mv| mv.to_string()));
        false
    });
    found.sort();
    found
}

/// Bulk perft with cozy-chess. The last ply has a closure of its own because one for all
/// plies is a third slower.
pub fn cozy_perft(board: &cozy_chess::Board, depth: u8) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => nodes = 1,
        1 => {
            _ = board.generate_moves(|moves| {
                nodes += moves.len() as u64;
                false
            })
        }
        _ => {
            _ = board.generate_moves(|moves| {
                for mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    nodes += cozy_perft(&child, depth - 1);
                }
                false
            })
        }
    }
    nodes
}

/// The position as the crate `chess` reads it: standard castling only.
pub fn chess_board(fen: &str) -> Result<chess::Board, String> {
    fen.parse().map_err(|error| format!("chess refuses {fen}: {error:?}"))
}

/// The legal moves that `chess` finds; castling is `e1g1`.
pub fn chess_moves(board: &chess::Board) -> Vec<String> {
    let mut moves: Vec<String> =
        chess::MoveGen::new_legal(board).map(|mv| mv.to_string()).collect();
    moves.sort();
    moves
}

/// Bulk perft with `chess`.
pub fn chess_perft(board: &chess::Board, depth: u8) -> u64 {
    if depth == 0 {
        return 1;
    }
    chess::MoveGen::movegen_perft_test(board, depth.into()) as u64
}

/// Our legal moves, sorted.
pub fn our_moves(board: &Board, variant: Variant) -> Vec<String> {
    let mut moves: Vec<String> =
        board.legal_moves().into_iter().map(|mv| mv.uci(variant)).collect();
    moves.sort();
    moves
}

/// A running Stockfish, ended when dropped.
pub struct Stockfish {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    /// Starts Debian's or any other Stockfish on the path; `None` if there is none.
    pub fn start() -> Option<Self> {
        let places = ["stockfish", "/usr/games/stockfish"];
        let mut child = places.map(PathBuf::from).iter().find_map(|place| {
            let mut command = Command::new(place);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            command.spawn().ok()
        })?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Self { child, input, output })
    }

    /// Starts Stockfish or says loudly that there is none. `PERFT_REQUIRE_STOCKFISH=1`, as
    /// `.ci/run` sets it, makes that a failure.
    pub fn required_by_ci() -> Option<Self> {
        let found = Self::start();
        if found.is_none() {
            let message = "NOT TESTED: no stockfish found (apt-get install stockfish)";
            let required = std::env::var_os("PERFT_REQUIRE_STOCKFISH").is_some();
            assert!(!required, "{message}");
            // Past the test harness, which keeps what passing tests print to itself.
            _ = writeln!(std::io::stderr().lock(), "\n{message}\n");
        }
        found
    }

    /// The sorted lines of `go perft` and their total.
    pub fn divide(&mut self, fen: &str, variant: Variant, depth: u8) -> (Vec<(String, u64)>, u64) {
        let chess960 = variant == Variant::Chess960;
        writeln!(self.input, "setoption name UCI_Chess960 value {chess960}").unwrap();
        writeln!(self.input, "position fen {fen}\ngo perft {depth}").unwrap();
        self.input.flush().unwrap();
        let mut branches = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "stockfish ended on {fen}");
            let Some((name, count)) = line.trim().split_once(": ") else { continue };
            if name == "Nodes searched" {
                branches.sort();
                return (branches, count.parse().unwrap());
            }
            // `info string` lines may look alike.
            if !name.contains(' ')
                && let Ok(count) = count.parse()
            {
                branches.push((name.to_owned(), count));
            }
        }
    }
}

impl Drop for Stockfish {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

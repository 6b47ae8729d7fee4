//! Independent counters and move generators: other libraries, Stockfish, an exact memo. Positions
//! go in; sorted UCI moves and counts come out.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use perft_core::board::PackedBoard;
use perft_core::{Board, CastlingMode, CountError, Depth};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Position};

/// How much to test: more with `PERFT_LONG` set, as by `.ci/run --long`.
pub fn amount(short: usize, long: usize) -> usize {
    if std::env::var_os("PERFT_LONG").is_some() { long } else { short }
}

/// The number of leaves, each position counted once for each depth. Positions are compared whole,
/// not by hash, so there are no false hits. Memory grows with the number of distinct positions.
pub fn perft_memo(board: &Board, depth: Depth) -> Result<u128, CountError> {
    fn count(
        memo: &mut HashMap<(PackedBoard, Depth), u128>,
        board: &Board,
        depth: Depth,
    ) -> Result<u128, CountError> {
        match depth {
            0 => return Ok(1),
            1 => return Ok(board.count_legal_moves().into()),
            _ => {}
        }
        let key = (board.pack(), depth);
        if let Some(&nodes) = memo.get(&key) {
            return Ok(nodes);
        }
        let mut nodes = 0_u128;
        for mv in board.legal_moves() {
            let mut child = *board;
            child.make(mv);
            let below = count(memo, &child, depth - 1)?;
            nodes = nodes.checked_add(below).ok_or(CountError::Overflow)?;
        }
        memo.insert(key, nodes);
        Ok(nodes)
    }
    count(&mut HashMap::new(), board, depth)
}

/// The position for cozy-chess. It is stricter than we are about a few odd positions.
pub fn cozy_board(board: &Board) -> Result<cozy_chess::Board, String> {
    let shredder = format!("{board:#}");
    cozy_chess::Board::from_fen(&shredder, true)
        .map_err(|error| format!("cozy-chess refuses {shredder}: {error:?}"))
}

/// The legal moves that cozy-chess finds; castling is king-takes-rook.
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

/// The position for shakmaty.
pub fn shakmaty_board(fen: &str, mode: CastlingMode) -> Result<Chess, String> {
    let setup: Fen = fen.parse().map_err(|error| format!("shakmaty, {fen}: {error}"))?;
    setup.into_position(shakmaty_mode(mode)).map_err(|error| format!("shakmaty, {fen}: {error}"))
}

/// The legal moves that shakmaty finds; castling as the mode has it.
pub fn shakmaty_moves(board: &Chess, mode: CastlingMode) -> Vec<String> {
    let moves = board.legal_moves();
    let mut moves: Vec<String> =
        moves.iter().map(|mv| mv.to_uci(shakmaty_mode(mode)).to_string()).collect();
    moves.sort();
    moves
}

fn shakmaty_mode(mode: CastlingMode) -> shakmaty::CastlingMode {
    match mode {
        CastlingMode::Standard => shakmaty::CastlingMode::Standard,
        CastlingMode::Chess960 => shakmaty::CastlingMode::Chess960,
    }
}

/// Bulk perft with shakmaty.
pub fn shakmaty_perft(board: &Chess, depth: u8) -> u64 {
    shakmaty::perft(board, depth.into())
}

/// Our legal moves, sorted; castling as the board's mode has it.
pub fn our_moves(board: &Board) -> Vec<String> {
    let mut moves: Vec<String> = board.legal_moves().into_iter().map(|mv| board.uci(mv)).collect();
    moves.sort();
    moves
}

/// A running Stockfish, killed when dropped.
pub struct Stockfish {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    /// Starts the Stockfish on the path, or Debian's.
    ///
    /// # Panics
    /// If there is none.
    pub fn start() -> Self {
        let child = ["stockfish", "/usr/games/stockfish"].iter().find_map(|place| {
            let mut command = Command::new(place);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            command.spawn().ok()
        });
        let mut child = child.expect("stockfish is installed");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output }
    }

    /// The sorted lines of `go perft` and their total.
    pub fn divide(&mut self, board: &Board, depth: Depth) -> (Vec<(String, u64)>, u64) {
        let chess960 = board.castling_mode() == CastlingMode::Chess960;
        writeln!(self.input, "setoption name UCI_Chess960 value {chess960}").unwrap();
        writeln!(self.input, "position fen {board}\ngo perft {depth}").unwrap();
        self.input.flush().unwrap();
        let mut branches = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "stockfish ended on {board}");
            let Some((name, count)) = line.trim().split_once(": ") else { continue };
            if name == "Nodes searched" {
                branches.sort();
                return (branches, count.parse().unwrap());
            }
            // `info string` lines may have the same form.
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

//! A move generator in Rust, tested with a [`Session`]: `cargo run --example divider`.
//!
//! The generator is that of the crate cozy-chess; put yours in its place. It divides, and the session
//! does the rest: it compares with counts of its own, follows a difference down to the position and
//! the move, and names the rule.

use std::{fmt, io};

use cozy_chess::{Board, Move};
use perft_compare::Suite;
use perft_compare::uci::{DivideOutput, Divider, Query};
use perft_compare::{Session, SessionOptions};
use perft_core::{CastlingMode, Counter};

struct Cozy;

impl Divider for Cozy {
    type Error = io::Error;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        // Its moves castle by king-takes-rook, as Chess960 is written.
        let mut board = Board::from_fen(&query.root.to_string(), false).map_err(not_read)?;
        for mv in query.line {
            board.play_unchecked(mv.uci(CastlingMode::Chess960).parse().map_err(not_read)?);
        }
        let moves = legal_moves(&board).into_iter();
        Ok(DivideOutput::new(moves.map(|mv| (mv.to_string(), perft(&board, mv, query.depth)))))
    }
}

fn not_read(error: impl fmt::Debug) -> io::Error {
    io::Error::other(format!("{error:?}"))
}

fn legal_moves(board: &Board) -> Vec<Move> {
    let mut moves = Vec::new();
    board.generate_moves(|of_a_piece| {
        moves.extend(of_a_piece);
        false
    });
    moves
}

fn perft(board: &Board, mv: Move, depth: u8) -> u128 {
    let mut after = board.clone();
    after.play_unchecked(mv);
    if depth <= 1 {
        return 1;
    }
    legal_moves(&after).into_iter().map(|mv| perft(&after, mv, depth - 1)).sum()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = SessionOptions { max_nodes: 50_000, ..SessionOptions::default() };
    let mut session = Session::new(Cozy, Counter::new(), options);
    Suite::embedded().iter().for_each(|suite| session.suite(suite));
    let result = session.finish();
    if let Some(error) = result.error {
        return Err(error.into());
    }
    let wrong: usize = result.stages.iter().map(|stage| stage.wrong).sum();
    println!("{} positions compared, {wrong} wrong", result.positions());
    for bug in &result.bugs {
        println!("{}: {:?}", bug.mismatch().case.query().position(), bug.mismatch().diff);
        println!("{:?}", bug.cause);
    }
    std::process::exit(i32::from(wrong > 0))
}

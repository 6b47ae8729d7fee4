//! Exact perft counts for chess and Chess960.
//!
//! Perft counts the leaves of the tree of legal moves. Engine authors use it to prove a
//! move generator right, to find the position where it is wrong, and to measure its speed.
//! This crate is the library behind the `perft` program: a [`Board`], its
//! [legal moves](Board::legal_moves), [making](Board::make) and [taking back](Board::unmake)
//! moves, and drivers that [count](perft()) and [divide](divide()).
//!
//! ```
//! use perft::{Board, Variant, perft};
//!
//! let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
//! let board = Board::from_fen(fen, Variant::Standard)?;
//! assert_eq!(board.legal_moves().len(), 48);
//! assert_eq!(perft(&board, 3)?, 97_862);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//! Data flows one way: FEN text becomes a [`Board`]; [`attacks`] and [`sliders`] say what
//! men see; [`movegen`] turns that into legal moves; [`perft()`] counts them, a [`Job`] does
//! so on many threads and with a [`Table`]; [`suite`] compares counts with known ones. Nothing
//! in the library prints.

pub mod attacks;
pub mod bench;
pub mod board;
pub mod compare;
mod cpu;
pub mod movegen;
pub mod notation;
mod perft;
pub mod plan;
pub mod positions;
pub mod random;
pub mod rules;
pub mod sliders;
pub mod suite;
#[doc(hidden)]
pub mod threads;
pub mod types;
pub mod uci;

pub use board::{Board, BoardError, FenError, PositionError, Undo};
pub use cpu::{Cpu, CpuError};
pub use perft::{
    Branch, Counted, Depth, Divide, Engine, Job, Kernel, PerftError, Progress, Report, Stats,
    Table, TableError, TableUse, UnknownKernel, Workers, available_memory, divide, divide_with,
    perft, perft_memo, stats,
};
pub use suite::Suite;
pub use types::{
    Bitboard, CastlingRights, Color, File, Move, MoveKind, MoveList, ParseSquareError, Piece, Rank,
    Square, Variant, Wing,
};

// It needs the lines of plans.
#[cfg(all(test, feature = "json"))]
mod fuzzed;

/// The examples of the README, run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! A chess and Chess960 move generator that counts.
//!
//! Perft counts the leaves of the tree of legal moves. Engine authors use it to prove a
//! move generator right, to find the position where it is wrong, and to measure its speed.
//! This crate is the library behind the `perft` program.
//!
//! ```
//! use perft_core::{Board, Counter, perft};
//!
//! let mut board: Board =
//!     "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse()?;
//! assert_eq!(board.legal_moves().len(), 48);
//! assert_eq!(perft(&board, 3)?, 97_862);
//!
//! let castle = board.parse_uci("e1g1")?;
//! board.make(castle);
//! assert_eq!(Counter::new().divide(&board, 2)?.branches.len(), 43);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layers
//! A module uses only modules above its own in this list.
//!
//! | layer | modules |
//! |---|---|
//! | values | [`types`], [`random`], [`sys`] |
//! | attacks | [`attacks`] |
//! | positions | [`board`], [`movegen`], [`notation`], [`positions`] |
//! | counting | the module `count`: [`Counter`], [`Table`], the kernels |
//! | measuring | [`bench`](mod@bench) |

pub mod attacks;
pub mod bench;
pub mod board;
mod count;
pub mod movegen;
pub mod notation;
pub mod positions;
pub mod random;
pub mod sys;
pub mod types;

pub use board::{Board, FenError, Position};
pub use count::{
    Backend, Branch, CountError, Counter, Depth, Divide, EnPassant, Estimate, EstimateError,
    Estimator, Kernel, Merge, Pass, PassError, Passes, Progress, SliderChoice, Stats, Table,
    TableError, Unique, UniqueCount, UniqueError, UniqueNeed, UniquePart, UniqueProgress, Usage,
    distinct_positions, estimate, perft,
};
pub use sys::{CancelToken, Cpu};
pub use types::{
    Bitboard, CastlingMode, CastlingRights, CastlingSide, Color, File, Move, MoveKind, MoveList,
    Piece, Rank, Square, UnknownName,
};

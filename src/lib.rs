//! Exact perft counts for chess and Chess960.
//!
//! Perft counts the leaves of the tree of legal moves. Engine authors use it to prove a
//! move generator right, to find the position where it is wrong, and to measure its speed.
//! This crate is the library behind the `perft` program.
//!
//! ```
//! use perft::{Board, Counter, perft};
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
//! A module uses only modules above its own in this list; `tests/layers.rs` holds it to that.
//!
//! | layer | modules |
//! |---|---|
//! | values | [`types`], [`random`], [`sys`] |
//! | attacks | [`attacks`] |
//! | positions | [`board`], [`movegen`], [`notation`], [`positions`] |
//! | counting | the module `perft`: [`Counter`], [`Table`], the kernels |
//! | tools | [`bench`](mod@bench), [`suite`], [`rules`], [`uci`], [`compare`], [`plan`], [`lab`] |
//!
//! The program (`src/cli`, and `src/explore`, its page in the browser) is the layer above. The
//! library prints nothing.

pub mod attacks;
pub mod bench;
pub mod board;
pub mod compare;
pub mod lab;
pub mod movegen;
pub mod notation;
mod perft;
pub mod plan;
pub mod positions;
pub mod random;
pub mod rules;
pub mod suite;
pub mod sys;
pub mod types;
pub mod uci;

pub use board::{Board, FenError, Position};
pub use perft::{
    Backend, Branch, CountError, Counter, Depth, Divide, EnPassant, Estimate, EstimateError,
    Estimator, Kernel, Merge, Pass, PassError, Passes, Progress, SliderChoice, Stats, Table,
    TableError, Unique, UniqueCount, UniqueError, UniqueNeed, UniquePart, UniqueProgress,
    UnknownEnPassant, UnknownKernel, UnknownMerge, Usage, estimate, perft,
};
pub use suite::Suite;
pub use sys::{CancelToken, Cpu};
pub use types::{
    Bitboard, CastlingMode, CastlingRights, CastlingSide, Color, File, Move, MoveKind, MoveList,
    Piece, Rank, Square,
};

// Uses the JSON lines of plans.
#[cfg(all(test, feature = "json"))]
mod fuzzed;

/// The examples of the README, run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The examples of the page on finding bugs, run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../docs/finding-bugs.md")]
struct FindingBugs;

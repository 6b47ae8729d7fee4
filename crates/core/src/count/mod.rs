//! Counting the leaves of the tree of legal moves.
//!
//! `perft(board, depth)` is the number of lines of `depth` legal moves from `board`; at depth 0
//! there is one, the empty line. Lines that end early in mate or stalemate contribute 0.
//!
//! A [`Counter`] is the one way in. It counts ply by ply (`layers`), or it splits the tree into tasks
//! (`split`, which merges equal positions), runs them on threads, and walks each (`walk`) down to a
//! kernel: [`two_ply`], for eight positions at once `batch`, or the plain counting of moves. `target`
//! is what kernels are compiled for.
//!
//! # Order
//! A file uses only files above its own in this list:
//!
//! | files | what they are |
//! |---|---|
//! | `result` | counts, and the reasons why there is none |
//! | `lanes`, `target` | vectors, and what kernels are compiled for |
//! | `two_ply`, `batch` | kernels |
//! | `kernel`, `merge`, `machine` | the options of a count |
//! | `distinct`, `split`, `growth` | sets of positions, the first plies, and how they grow |
//! | `table`, `walk` | walking the tree |
//! | `expand` | all moves of a layer of positions |
//! | `stats`, `layers` | kinds of moves, and counting ply by ply |
//! | `counter` | the one way in |
//! | `passes`, `estimator`, `unique` | what is built on it |

#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
mod batch;
mod counter;
mod distinct;
mod estimator;
mod expand;
mod growth;
mod kernel;
mod lanes;
mod layers;
mod machine;
mod merge;
mod passes;
mod result;
mod split;
mod stats;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod two_ply;
mod unique;
mod walk;

pub use counter::{Counter, Progress, perft};
pub use estimator::{Estimate, EstimateError, Estimator};
pub use growth::estimate;
pub use kernel::{Backend, Kernel, SliderChoice};
pub use merge::{Merge, Usage};
pub use passes::{Pass, PassError, Passes};
pub use result::{Branch, CountError, Depth, Divide, Stats};
pub use split::distinct_positions;
pub use table::{Table, TableError};
pub use unique::{
    EnPassant, Unique, UniqueCount, UniqueError, UniqueNeed, UniquePart, UniqueProgress,
};

//! lib
pub mod attacks;
pub mod board;
pub mod movegen;
pub mod perft;
pub mod positions;
pub mod random;
pub mod sliders;
pub mod types;
pub use board::{Board,BoardError};
pub use perft::PerftError;
pub use types::*;

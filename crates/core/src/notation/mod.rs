//! Moves as text: UCI and standard algebraic notation.

mod san;
mod uci;

pub use uci::ParseMoveError;

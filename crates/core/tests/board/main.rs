//! The board and its moves: against the slow generator, other libraries, and known positions.

mod fen;
mod movegen;

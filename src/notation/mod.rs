//! Moves as people write them. UCI is on [`Move::uci`](crate::Move::uci) and
//! [`Board::parse_uci`](crate::Board::parse_uci).

mod san;

pub use san::{parse_san, san};

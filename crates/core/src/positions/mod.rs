//! Positions by name, and [random] positions.

pub mod random;

use crate::board::Board;
use crate::types::CastlingMode;
use random::{chess960_start, double_chess960_start};

/// A position with a name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The name.
    pub name: &'static str,
    /// The position.
    pub fen: &'static str,
    /// Its use, in a few words.
    pub about: &'static str,
}

const fn named(name: &'static str, fen: &'static str, about: &'static str) -> Named {
    Named { name, fen, about }
}

/// All named positions, in the order in which they are listed.
#[rustfmt::skip]
pub const NAMED: &[Named] = &[
    named("startpos", Board::STARTPOS_FEN, "the start of the game"),
    named("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "every kind of move within a few plies"),
    named("position3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "pins and en passant on the king's rank"),
    named("position4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", "promotions, and castling through attacked squares"),
    named("position4b", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", "position4 with the colors exchanged"),
    named("position5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", "a promotion by capture at once"),
    named("position6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", "a full middle game, symmetrical"),
    named("endgame", "5nk1/pp3pp1/2p4p/q7/2PPB2P/P5P1/1P5K/3Q4 w - - 1 28", "queens on an open board"),
    named("promotions", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", "promotions on both sides"),
    named("most-moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", "218 legal moves, the most there are"),
];

/// The names that stand for many positions, each with its meaning.
pub const NUMBERED: [(&str, &str); 2] = [
    ("chess960:N", "the start position of Chess960 with number N, 0 to 959; 518 is the usual one"),
    ("dfrc:W:B", "that of Double Fischer Random: White's pieces of W, Black's of B"),
];

/// The position of a name: one of [`NAMED`] or [`NUMBERED`].
///
/// ```
/// use perft_core::positions::by_name;
///
/// assert_eq!(by_name("kiwipete").unwrap().legal_moves().len(), 48);
/// assert_eq!(by_name("dfrc:518:518"), by_name("startpos"));
/// ```
pub fn by_name(name: &str) -> Option<Board> {
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|&number: &usize| is_number && number < 960)
    };
    if let Some(text) = name.strip_prefix("chess960:") {
        return number(text).map(chess960_start);
    }
    if let Some((white, black)) = name.strip_prefix("dfrc:").and_then(|text| text.split_once(':')) {
        return Some(double_chess960_start(number(white)?, number(black)?));
    }
    let named = NAMED.iter().find(|named| named.name == name)?;
    named.fen.parse().ok()
}

/// The position with this name in a castling mode. Numbered start positions are of Chess960 in any
/// mode.
pub fn by_name_in_mode(name: &str, mode: CastlingMode) -> Option<Board> {
    let board = by_name(name)?;
    if name.contains(':') { Some(board) } else { board.with_castling_mode(mode) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_position_can_be_read() {
        for named in NAMED {
            let board = by_name(named.name).unwrap_or_else(|| panic!("{}", named.name));
            assert_eq!(board.to_string(), named.fen);
        }
    }
}

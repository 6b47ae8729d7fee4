//! Standard algebraic notation.

use crate::board::Board;
use crate::types::{Bitboard, Move, MoveKind, Piece, Wing};

/// A legal move in standard algebraic notation, with `+` for check and `#` for mate.
///
/// ```
/// use perft::{Board, Variant, notation};
///
/// let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/R2R2K1 w - -", Variant::Standard)?;
/// let mv = board.parse_uci("d1d8", Variant::Standard).unwrap();
/// assert_eq!(notation::san(&board, mv), "Rd8#");
/// let mv = board.parse_uci("d1c1", Variant::Standard).unwrap();
/// assert_eq!(notation::san(&board, mv), "Rdc1");
/// # Ok::<(), perft::BoardError>(())
/// ```
pub fn san(board: &Board, mv: Move) -> String {
    let mut text = match mv.castling_wing() {
        Some(Wing::King) => "O-O".to_owned(),
        Some(Wing::Queen) => "O-O-O".to_owned(),
        None => plain(board, mv),
    };
    let mut after = *board;
    let _ = after.make(mv);
    if after.in_check() {
        text.push(if after.count_legal_moves() == 0 { '#' } else { '+' });
    }
    text
}

fn plain(board: &Board, mv: Move) -> String {
    let captures = board.occupied().contains(mv.to()) || mv.kind() == MoveKind::EnPassant;
    let mut text = String::new();
    if mv.piece() == Piece::Pawn {
        if captures {
            text.push(mv.from().file().letter());
        }
    } else {
        text.push(mv.piece().letter().to_ascii_uppercase());
        push_origin(&mut text, board, mv);
    }
    if captures {
        text.push('x');
    }
    text.push_str(&mv.to().to_string());
    if let Some(piece) = mv.promotion() {
        text.push('=');
        text.push(piece.letter().to_ascii_uppercase());
    }
    text
}

/// Says where the piece comes from if others of its kind can go there too: by its file if
/// that tells them apart, else by its rank, else by both.
fn push_origin(text: &mut String, board: &Board, mv: Move) {
    let from = mv.from();
    let rivals: Bitboard = board
        .legal_moves()
        .into_iter()
        .filter(|other| other.kind() == mv.kind() && other.to() == mv.to())
        .map(Move::from)
        .filter(|&other| other != from)
        .collect();
    if rivals.is_empty() {
        return;
    }
    let file_is_shared = rivals.meets(Bitboard::file(from.file()));
    let rank_is_shared = rivals.meets(Bitboard::rank(from.rank()));
    if !file_is_shared || rank_is_shared {
        text.push(from.file().letter());
    }
    if file_is_shared {
        text.push(from.rank().digit());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Variant;

    fn sans(fen: &str) -> Vec<String> {
        let board = Board::from_fen(fen, Variant::Chess960).unwrap();
        let mut sans: Vec<String> =
            board.legal_moves().into_iter().map(|mv| san(&board, mv)).collect();
        sans.sort();
        sans
    }

    fn has(fen: &str, expected: &[&str]) {
        let sans = sans(fen);
        for san in expected {
            assert!(sans.iter().any(|found| found == san), "{san} in {sans:?}");
        }
    }

    #[test]
    fn pieces_are_told_apart_by_file_then_rank_then_both() {
        has("4k3/8/8/8/8/8/R6R/4K3 w - -", &["Rad2", "Rhd2", "Ra8+", "Rh8+"]);
        has("R7/4k3/8/8/R7/8/8/4K3 w - -", &["R8a6", "R4a6"]);
        // Three queens see e4: of the others, one shares the mover's file, one its rank.
        has("1k6/8/8/8/Q6Q/8/8/4K2Q w - -", &["Qh4e4", "Qae4", "Q1e4"]);
    }

    #[test]
    fn pawns_castling_and_mates_are_written_as_usual() {
        has("1r2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6", &["axb8=Q+", "a8=N", "exd6", "O-O", "O-O-O"]);
        has("7k/5Q2/6K1/8/8/8/8/8 w - -", &["Qg7#", "Qf8#"]);
    }
}

//! Standard algebraic notation.

use super::ParseMoveError;
use crate::board::Board;
use crate::types::{Bitboard, CastlingSide, File, Move, Piece, Rank, Square};

impl Board {
    /// A legal move in standard algebraic notation, with `+` for check and `#` for mate.
    ///
    /// ```
    /// use perft_core::Board;
    ///
    /// let board: Board = "6k1/5ppp/8/8/8/8/8/R2R2K1 w - -".parse()?;
    /// assert_eq!(board.san(board.parse_uci("d1d8")?), "Rd8#");
    /// assert_eq!(board.san(board.parse_uci("d1c1")?), "Rdc1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let mut text = match mv.castling_side() {
            Some(CastlingSide::King) => "O-O".to_owned(),
            Some(CastlingSide::Queen) => "O-O-O".to_owned(),
            None => without_check(self, mv),
        };
        let mut after = *self;
        after.make(mv);
        if after.in_check() {
            text.push(if after.count_legal_moves() == 0 { '#' } else { '+' });
        }
        text
    }

    /// The legal move that a text names in standard algebraic notation. Check marks and annotations
    /// are optional, and so is more of the origin than needed: `Nf3`, `Ngf3` and `Ng1-f3` are the
    /// same move where one knight can go there.
    ///
    /// ```
    /// use perft_core::Board;
    ///
    /// let board = Board::startpos();
    /// let mv = board.parse_san("Nf3")?;
    /// assert_eq!(board.uci(mv), "g1f3");
    /// assert_eq!(board.parse_san("Ng1f3")?, mv);
    /// assert!(board.parse_san("Nxf3").is_err());
    /// # Ok::<(), perft_core::notation::ParseMoveError>(())
    /// ```
    ///
    /// # Errors
    /// If the text names no legal move, or several.
    pub fn parse_san(&self, text: &str) -> Result<Move, ParseMoveError> {
        parse(self, text).ok_or_else(|| ParseMoveError::new(self, text))
    }
}

fn parse(board: &Board, text: &str) -> Option<Move> {
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    let side = match text.replace(['0', 'o'], "O").as_str() {
        "O-O" => Some(CastlingSide::King),
        "O-O-O" => Some(CastlingSide::Queen),
        _ => None,
    };
    let pattern = if side.is_none() { Some(Pattern::parse(text)?) } else { None };
    let mut matching = board.legal_moves().into_iter().filter(|&mv| match &pattern {
        Some(pattern) => mv.castling_side().is_none() && pattern.matches(board, mv),
        None => mv.castling_side() == side,
    });
    matching.next().filter(|_| matching.next().is_none())
}

/// The parts of a move that a text gives.
struct Pattern {
    piece: Piece,
    file: Option<File>,
    rank: Option<Rank>,
    captures: bool,
    to: Square,
    promotion: Option<Piece>,
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        let piece = text.chars().next().filter(char::is_ascii_uppercase);
        let (piece, text) = match piece {
            Some(letter) => (Piece::from_letter(letter)?, &text[1..]),
            None => (Piece::Pawn, text),
        };
        let promoted = text.chars().next_back().filter(char::is_ascii_alphabetic);
        let (promotion, text) = match promoted {
            Some(letter) => {
                let before = &text[..text.len() - 1];
                (Some(Piece::from_letter(letter)?), before.strip_suffix('=').unwrap_or(before))
            }
            None => (None, text),
        };
        let (from, to) = text.split_at_checked(text.len().checked_sub(2)?)?;
        let captures = from.ends_with('x');
        let mut from = from.strip_suffix(['x', '-']).unwrap_or(from).chars().peekable();
        let file =
            from.peek().copied().filter(char::is_ascii_lowercase).and_then(File::from_letter);
        let mut from = from.skip(usize::from(file.is_some())).peekable();
        let rank = from.peek().copied().and_then(Rank::from_digit);
        let mut from = from.skip(usize::from(rank.is_some()));
        let pattern = Self { piece, file, rank, captures, to: to.parse().ok()?, promotion };
        from.next().is_none().then_some(pattern)
    }

    fn matches(&self, board: &Board, mv: Move) -> bool {
        mv.piece() == self.piece
            && mv.to() == self.to
            && mv.promotion() == self.promotion
            && self.file.is_none_or(|file| file == mv.from().file())
            && self.rank.is_none_or(|rank| rank == mv.from().rank())
            && (!self.captures || board.is_capture(mv))
            // A capturing pawn gives its file: e4 is not dxe4.
            && (self.piece != Piece::Pawn
                || self.file.is_some()
                || mv.from().file() == self.to.file())
    }
}

fn without_check(board: &Board, mv: Move) -> String {
    let captures = board.is_capture(mv);
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

/// Adds the origin if other pieces of the kind can go to the square too: the file if that is
/// enough, else the rank, else both.
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
    let file_is_shared = rivals.intersects(Bitboard::file(from.file()));
    let rank_is_shared = rivals.intersects(Bitboard::rank(from.rank()));
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
    use crate::positions::random::special;
    use crate::random::Rng;
    use crate::types::CastlingMode;

    fn sans(fen: &str) -> Vec<String> {
        let board = Board::from_fen(fen, CastlingMode::Chess960).unwrap();
        let mut sans: Vec<String> =
            board.legal_moves().into_iter().map(|mv| board.san(mv)).collect();
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
    fn pieces_are_disambiguated_by_file_then_rank_then_both() {
        has("4k3/8/8/8/8/8/R6R/4K3 w - -", &["Rad2", "Rhd2", "Ra8+", "Rh8+"]);
        has("R7/4k3/8/8/R7/8/8/4K3 w - -", &["R8a6", "R4a6"]);
        // Three queens attack e4: of the others, one shares the mover's file, one its rank.
        has("1k6/8/8/8/Q6Q/8/8/4K2Q w - -", &["Qh4e4", "Qae4", "Q1e4"]);
    }

    #[test]
    fn every_move_is_read_back() {
        let mut rng = Rng::new(1);
        for _ in 0..200 {
            let board = special(&mut rng, CastlingMode::Chess960);
            for mv in board.legal_moves() {
                let text = board.san(mv);
                assert_eq!(board.parse_san(&text), Ok(mv), "{text} in {board:?}");
            }
        }
    }

    #[test]
    fn spellings_are_read() {
        let read = |fen: &str, text: &str| {
            let board = Board::from_fen(fen, CastlingMode::Chess960).unwrap();
            board.parse_san(text).ok().map(|mv| mv.uci(CastlingMode::Standard))
        };
        let fen = "1r2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6";
        for (text, expected) in [
            ("axb8=Q+", "a7b8q"),
            ("axb8Q", "a7b8q"),
            ("a7xb8=n", "a7b8n"),
            ("a7a8Q", "a7a8q"),
            ("exd6", "e5d6"),
            ("0-0-0", "e1c1"),
            ("O-O", "e1g1"),
            ("Ra1-d1", "a1d1"),
            ("R1a2!?", "a1a2"),
            ("Ke1d2", "e1d2"),
        ] {
            assert_eq!(read(fen, text).as_deref(), Some(expected), "{text}");
        }
        // No capture, no promotion or no choice; no move; nothing.
        for text in
            ["Rxd1", "a8", "a8=K", "a8=P", "Qd1", "R", "=Q", "x", "e", "d6x", "é4", "", "Rd9"]
        {
            assert_eq!(read(fen, text), None, "{text}");
        }
        for text in ["e4", "xe4"] {
            assert_eq!(read("4k3/8/8/8/4p3/3P4/8/4K3 w - -", text), None, "{text}");
        }
        assert_eq!(read("4k3/8/8/8/8/8/8/R3K2R w KQ -", "Rf1").as_deref(), Some("h1f1"));
        assert_eq!(read("4k3/8/8/8/8/4K3/8/R6R w - -", "Rd1"), None);
    }

    #[test]
    fn pawns_castling_and_mates_are_written_as_usual() {
        has("1r2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6", &["axb8=Q+", "a8=N", "exd6", "O-O", "O-O-O"]);
        has("7k/5Q2/6K1/8/8/8/8/8 w - -", &["Qg7#", "Qf8#"]);
    }
}

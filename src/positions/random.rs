//! Random positions, reproducible from a seed.

use crate::board::Board;
use crate::random::Rng;
use crate::types::{Color, File, Piece, Variant};

/// Plays random legal moves from `board` and returns every position on the way, the start
/// included, until `plies` are played or the game is over.
pub fn random_game(rng: &mut Rng, board: Board, plies: usize) -> Vec<Board> {
    let mut positions = vec![board];
    let mut board = board;
    for _ in 0..plies {
        let moves = board.legal_moves();
        let Some(&mv) = rng.pick(&moves) else { break };
        let _ = board.make(mv);
        positions.push(board);
    }
    positions
}

/// Puts a random number of random men on random squares, as often as it takes to get a legal
/// position: far from any game, and so full of what games rarely show.
pub fn random_placement(rng: &mut Rng) -> Board {
    loop {
        if let Ok(board) = Board::from_fen(&random_fen(rng), Variant::Chess960) {
            return board;
        }
    }
}

fn random_fen(rng: &mut Rng) -> String {
    let mut men = [None; 64];
    let mut put = |square: usize, color: Color, piece: Piece| {
        let back_rank = !(8..56).contains(&square);
        if men[square].is_none() && !(piece == Piece::Pawn && back_rank) {
            men[square] = Some((color, piece));
        }
    };
    const PIECES: [Piece; 8] = [
        Piece::Pawn,
        Piece::Pawn,
        Piece::Pawn,
        Piece::Knight,
        Piece::Bishop,
        Piece::Rook,
        Piece::Rook,
        Piece::Queen,
    ];
    // Men anywhere; or kings and rooks at home, for castling; or one side's at home and the
    // other's king near it.
    let mode = rng.below(4);
    for color in Color::ALL {
        let at_home = mode == 1 || mode == 2 + color.index();
        for piece in [Piece::King, Piece::Rook, Piece::Rook] {
            if at_home {
                put(8 * color.back_rank().index() + rng.below(8), color, piece);
            } else if piece == Piece::King {
                let near = rng.below(24) + if color == Color::White { 32 } else { 8 };
                put(if mode == 0 { rng.below(64) } else { near }, color, piece);
            }
        }
    }
    for _ in 0..rng.below(25) {
        let (color, piece) = (Color::ALL[rng.below(2)], PIECES[rng.below(8)]);
        put(rng.below(64), color, piece);
    }
    let rows: Vec<String> = men.chunks(8).rev().map(fen_row).collect();
    let mut castling = String::new();
    for color in Color::ALL {
        let row = &men[8 * color.back_rank().index()..][..8];
        let Some(king) = row.iter().position(|&man| man == Some((color, Piece::King))) else {
            continue;
        };
        let rooks = (0..8).filter(|&file| row[file] == Some((color, Piece::Rook)));
        let (left, right): (Vec<_>, Vec<_>) = rooks.partition(|&file| file < king);
        for wing in [right, left] {
            if let Some(&file) = rng.pick(&wing)
                && rng.below(4) > 0
            {
                let letter = File::ALL[file].letter();
                let upper = letter.to_ascii_uppercase();
                castling.push(if color == Color::White { upper } else { letter });
            }
        }
    }
    let side = ["w", "b"][rng.below(2)];
    let castling = if castling.is_empty() { "-" } else { &castling };
    format!("{} {side} {castling} - 0 1", rows.join("/"))
}

/// A row of men as FEN writes it.
fn fen_row(men: &[Option<(Color, Piece)>]) -> String {
    let mut row = String::new();
    let mut gap = 0;
    for man in men {
        match man {
            None => gap += 1,
            Some((color, piece)) => {
                if gap > 0 {
                    row += &gap.to_string();
                }
                gap = 0;
                row.push(piece.fen_letter(*color));
            }
        }
    }
    if gap > 0 {
        row += &gap.to_string();
    }
    row
}

/// The start array of Chess960 with a number from 0 to 959, in the usual numbering; 518 is
/// that of standard chess.
///
/// ```
/// use perft::positions::{STARTPOS, random::chess960_start};
/// use perft::Variant;
///
/// assert_eq!(chess960_start(518).fen(Variant::Standard), STARTPOS);
/// ```
///
/// # Panics
/// If the number is above 959.
pub fn chess960_start(number: usize) -> Board {
    let pieces = chess960_pieces(number);
    let row: String = pieces.iter().map(|piece| piece.letter()).collect();
    let rooks: String = (0..8)
        .rev()
        .filter(|&file| pieces[file] == Piece::Rook)
        .map(|file| File::ALL[file].letter())
        .collect();
    let fen = format!(
        "{row}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{rooks} - 0 1",
        row.to_ascii_uppercase(),
        rooks.to_ascii_uppercase(),
    );
    Board::from_fen(&fen, Variant::Chess960).expect("every start array is legal")
}

/// The back rank of a Chess960 array, by the published direct derivation from its number.
fn chess960_pieces(number: usize) -> [Piece; 8] {
    assert!(number < 960, "there are 960 start arrays, 0 to 959");
    let mut row = [None; 8];
    let (number, light_bishop) = (number / 4, number % 4);
    row[2 * light_bishop + 1] = Some(Piece::Bishop);
    let (number, dark_bishop) = (number / 4, number % 4);
    row[2 * dark_bishop] = Some(Piece::Bishop);
    let (knights, queen) = (number / 6, number % 6);
    place(&mut row, queen, Piece::Queen);
    // The ten ways to put two knights on five free files.
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights];
    // The right one first, so that the left one's place among the free files stays.
    place(&mut row, second, Piece::Knight);
    place(&mut row, first, Piece::Knight);
    for piece in [Piece::Rook, Piece::King, Piece::Rook] {
        place(&mut row, 0, piece);
    }
    row.map(|piece| piece.expect("eight men fill eight files"))
}

/// Puts a piece on the `nth` free file.
fn place(row: &mut [Option<Piece>; 8], nth: usize, piece: Piece) {
    let free = (0..8).filter(|&file| row[file].is_none()).nth(nth);
    row[free.expect("a free file is left")] = Some(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_960_arrays_are_all_different_and_well_formed() {
        let mut rows: Vec<_> = (0..960).map(chess960_pieces).collect();
        for row in &rows {
            let of = |piece| (0..8).filter(|&file| row[file] == piece).collect::<Vec<_>>();
            let (bishops, rooks, king) = (of(Piece::Bishop), of(Piece::Rook), of(Piece::King));
            assert_eq!((bishops[0] + bishops[1]) % 2, 1);
            assert!(rooks[0] < king[0] && king[0] < rooks[1]);
        }
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), 960);
    }

    #[test]
    fn a_seed_gives_the_same_game_again() {
        let game = || random_game(&mut Rng::new(7), Board::startpos(), 200);
        assert_eq!(game(), game());
        assert!(game().len() > 20);
    }
}

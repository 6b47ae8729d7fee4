//! Random positions, reproducible from a seed.

use crate::board::Board;
use crate::random::Rng;
use crate::types::{Color, File, Piece, Square, Variant, Wing};

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
    let mut men = Placement::new();
    // Men anywhere; or kings and rooks at home, for castling; or one side's at home and the
    // other's king near it.
    let mode = rng.below(4);
    for color in Color::ALL {
        let at_home = mode == 1 || mode == 2 + color.index();
        for piece in [Piece::King, Piece::Rook, Piece::Rook] {
            if at_home {
                men.put(8 * color.back_rank().index() + rng.below(8), color, piece);
            } else if piece == Piece::King {
                let near = rng.below(24) + if color == Color::White { 32 } else { 8 };
                men.put(if mode == 0 { rng.below(64) } else { near }, color, piece);
            }
        }
    }
    let others = rng.below(25);
    men.scatter(rng, others);
    let castling = men.castling(rng, Variant::Chess960);
    let side = Color::ALL[rng.below(2)];
    men.fen(side, &castling, None)
}

/// A position with few men around something that move generators get wrong: en passant with
/// kings and sliders on the same lines, castling under fire, promotions, pins and checks. Far
/// smaller trees than in play, and far more faults in them.
pub fn special(rng: &mut Rng, variant: Variant) -> Board {
    loop {
        let board = Board::from_fen(&special_fen(rng, variant), variant);
        if let Ok(board) = board
            && board.count_legal_moves() > 0
        {
            return board;
        }
    }
}

fn special_fen(rng: &mut Rng, variant: Variant) -> String {
    let mut men = Placement::new();
    let us = Color::ALL[rng.below(2)];
    let mut side = us;
    let mut passed = None;
    match rng.below(5) {
        0 => (side, passed) = men.en_passant(rng, us),
        1 => men.castles(rng, us, variant),
        2 => men.promotes(rng, us),
        3 => {
            let king = rng.below(64);
            men.put(king, us, Piece::King);
            for _ in 0..1 + rng.below(3) {
                men.aim(rng, king, us);
            }
        }
        _ => {}
    }
    for color in Color::ALL {
        if men.king(color).is_none() {
            men.put(rng.below(64), color, Piece::King);
        }
    }
    let others = rng.below(6);
    men.scatter(rng, others);
    let castling = men.castling(rng, variant);
    men.fen(side, &castling, passed)
}

/// Men on squares, not yet a position.
struct Placement([Option<(Color, Piece)>; 64]);

impl Placement {
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

    fn new() -> Self {
        Self([None; 64])
    }

    /// Puts a man down where there is none and where one of its kind can stand.
    fn put(&mut self, square: usize, color: Color, piece: Piece) {
        let back_rank = !(8..56).contains(&square);
        if self.0[square].is_none() && !(piece == Piece::Pawn && back_rank) {
            self.0[square] = Some((color, piece));
        }
    }

    fn scatter(&mut self, rng: &mut Rng, number: usize) {
        for _ in 0..number {
            let (color, piece) = (Color::ALL[rng.below(2)], Self::PIECES[rng.below(8)]);
            self.put(rng.below(64), color, piece);
        }
    }

    fn king(&self, color: Color) -> Option<usize> {
        self.0.iter().position(|&man| man == Some((color, Piece::King)))
    }

    /// A pawn of `us` beside one of theirs that has just gone two steps or is about to. Returns
    /// who is to move and what the pawn has passed.
    fn en_passant(&mut self, rng: &mut Rng, us: Color) -> (Color, Option<Square>) {
        let relative = |rank: usize| if us == Color::White { rank } else { 7 - rank };
        let at = |file: usize, rank: usize| 8 * relative(rank) + file;
        let file = rng.below(8);
        let neighbours: Vec<usize> =
            (0..8_usize).filter(|&other| other.abs_diff(file) == 1).collect();
        for &neighbour in &neighbours {
            if neighbours.len() == 1 || rng.below(2) == 0 {
                self.put(at(neighbour, 4), us, Piece::Pawn);
            }
        }
        let king = match rng.below(3) {
            0 => at(rng.below(8), 4),
            _ => rng.below(64),
        };
        let is_way = |square: usize| (4..7).any(|rank| at(file, rank) == square);
        if !is_way(king) {
            self.put(king, us, Piece::King);
            if rng.below(2) == 0 {
                self.aim(rng, king, us);
            }
        }
        let sliders = [Piece::Rook, Piece::Queen, Piece::Bishop];
        for _ in 0..rng.below(3) {
            let square = if rng.below(2) == 0 { at(rng.below(8), 4) } else { rng.below(64) };
            if !is_way(square) {
                self.put(square, !us, sliders[rng.below(3)]);
            }
        }
        if rng.below(3) == 0 {
            self.put(at(file, 4), !us, Piece::Pawn);
            (us, Some(Square::from_index(at(file, 5))))
        } else {
            self.put(at(file, 6), !us, Piece::Pawn);
            (!us, None)
        }
    }

    /// King and rooks of `us` at home, and at times theirs too.
    fn castles(&mut self, rng: &mut Rng, us: Color, variant: Variant) {
        let sides = if rng.below(3) == 0 { &Color::ALL[..] } else { &[us] };
        for &color in sides {
            let home = 8 * color.back_rank().index();
            let files = match variant {
                Variant::Standard => [4, 0, 7],
                Variant::Chess960 => [1 + rng.below(6), rng.below(8), rng.below(8)],
            };
            for (file, piece) in files.into_iter().zip([Piece::King, Piece::Rook, Piece::Rook]) {
                self.put(home + file, color, piece);
            }
        }
    }

    /// Pawns of `us` before their last step, with something to take.
    fn promotes(&mut self, rng: &mut Rng, us: Color) {
        let back = 8 * us.promotion_rank().index();
        let before = if us == Color::White { 48 } else { 8 };
        for _ in 0..1 + rng.below(2) {
            let file = rng.below(8);
            self.put(before + file, us, Piece::Pawn);
            self.put(back + (file + 1) % 8, !us, Self::PIECES[3 + rng.below(5)]);
        }
    }

    /// Aims a slider of theirs at a square of `us`, at times with a man of ours between.
    fn aim(&mut self, rng: &mut Rng, target: usize, us: Color) {
        let (east, north) = (rng.below(3) as i32 - 1, rng.below(3) as i32 - 1);
        let ray: Vec<usize> = (1..8)
            .map(|steps| (target as i32 % 8 + steps * east, target as i32 / 8 + steps * north))
            .take_while(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank))
            .map(|(file, rank)| (8 * rank + file) as usize)
            .collect();
        if (east, north) == (0, 0) || ray.is_empty() {
            return;
        }
        let end = rng.below(ray.len());
        let straight = east == 0 || north == 0;
        let slider = match rng.below(3) {
            0 => Piece::Queen,
            _ if straight => Piece::Rook,
            _ => Piece::Bishop,
        };
        self.put(ray[end], !us, slider);
        if end > 0 && rng.below(2) == 0 {
            self.put(ray[rng.below(end)], us, Self::PIECES[rng.below(8)]);
        }
    }

    /// Rights for some of the rooks that stand by a king at home.
    fn castling(&self, rng: &mut Rng, variant: Variant) -> String {
        let mut castling = String::new();
        for color in Color::ALL {
            let row = &self.0[8 * color.back_rank().index()..][..8];
            let Some(king) = row.iter().position(|&man| man == Some((color, Piece::King))) else {
                continue;
            };
            let is_standard = |rook: usize| king == 4 && (rook == 0 || rook == 7);
            let rooks = (0..8).filter(|&file| row[file] == Some((color, Piece::Rook)));
            let rooks = rooks.filter(|&file| variant == Variant::Chess960 || is_standard(file));
            let (left, right): (Vec<_>, Vec<_>) = rooks.partition(|&file| file < king);
            for (wing, rooks) in Wing::ALL.into_iter().zip([right, left]) {
                if let Some(&file) = rng.pick(&rooks)
                    && rng.below(4) > 0
                {
                    castling.push(match (variant, color) {
                        (Variant::Standard, _) => wing.fen_letter(color),
                        (_, Color::White) => File::ALL[file].letter().to_ascii_uppercase(),
                        (_, Color::Black) => File::ALL[file].letter(),
                    });
                }
            }
        }
        castling
    }

    fn fen(&self, side: Color, castling: &str, passed: Option<Square>) -> String {
        let rows: Vec<String> = self.0.chunks(8).rev().map(fen_row).collect();
        let side = ["w", "b"][side.index()];
        let castling = if castling.is_empty() { "-" } else { castling };
        let passed = passed.map_or("-".to_owned(), |square| square.to_string());
        format!("{} {side} {castling} {passed} 0 1", rows.join("/"))
    }
}

/// A row of men as FEN writes it.
pub(crate) fn fen_row(men: &[Option<(Color, Piece)>]) -> String {
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

//! Random positions, reproducible from a seed.

use crate::board::{Board, BoardBuilder, Position};
use crate::random::Rng;
use crate::types::{CastlingMode, CastlingSide, Color, File, Piece, Square};

/// Plays random legal moves from `board` and returns every position on the way, the start
/// included, until `plies` are played or the game is over.
pub fn random_game(rng: &mut Rng, board: Board, plies: usize) -> Vec<Board> {
    let mut positions = vec![board];
    let mut board = board;
    for _ in 0..plies {
        let moves = board.legal_moves();
        let Some(&mv) = rng.pick(&moves) else { break };
        board.make(mv);
        positions.push(board);
    }
    positions
}

/// A legal position with random pieces on random squares: far from any game, and so full of what
/// games rarely show. It is of Chess960.
pub fn random_placement(rng: &mut Rng) -> Board {
    loop {
        let mut placement = Placement::new(CastlingMode::Chess960);
        placement.place_anywhere(rng);
        if let Ok(board) = placement.builder.build_strict() {
            return board;
        }
    }
}

/// A position with 17 to 64 pieces on random squares, often more than 16 a side, that can be played
/// on: what no game has. It is of Chess960.
pub fn crowded_placement(rng: &mut Rng) -> Board {
    loop {
        let mut placement = Placement::new(CastlingMode::Chess960);
        placement.place_crowd(rng);
        // Among so many pieces most kings are in check, which leaves few moves.
        if let Ok(board) = placement.builder.build()
            && (!board.in_check() || rng.below(4) == 0)
        {
            return board;
        }
    }
}

/// A random start position of Chess960, often with unlike back ranks.
pub fn random_chess960_start(rng: &mut Rng) -> Board {
    let white = rng.below(960);
    let black = if rng.below(3) == 0 { rng.below(960) } else { white };
    double_chess960_start(white, black)
}

/// A special case of move generation to make positions around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// En passant, with kings and sliders on the same lines.
    EnPassant,
    /// Castling, under attack at times.
    Castling,
    /// Pawns before their last step.
    Promotion,
    /// A king with sliders aimed at it: checks and pins.
    Lines,
    /// Nothing in particular.
    Mixed,
}

impl Theme {
    const ALL: [Self; 5] =
        [Self::EnPassant, Self::Castling, Self::Promotion, Self::Lines, Self::Mixed];
}

/// A position with few pieces around a special case of move generation: en passant with kings and
/// sliders on the same lines, castling under attack, promotions, pins and checks. Its trees are
/// smaller than those of games, and show more bugs. No position is
/// [impossible](Position::impossibility).
pub fn special(rng: &mut Rng, mode: CastlingMode) -> Board {
    let position = repeat_until_possible(|| {
        let mut placement = Placement::new(mode);
        let us = placement.choose_side(rng);
        let theme = Theme::ALL[rng.below(5)];
        placement.place_special(rng, &[(theme, us)]);
        placement
    });
    *position.board()
}

/// [`special`] around two themes, each for either side. An en-passant square may be one on which no
/// capture is legal.
pub fn special_about(rng: &mut Rng, mode: CastlingMode, themes: [Theme; 2]) -> Position {
    repeat_until_possible(|| {
        let mut placement = Placement::new(mode);
        placement.choose_side(rng);
        let themes = themes.map(|theme| (theme, Color::ALL[rng.below(2)]));
        placement.place_special(rng, &themes);
        placement
    })
}

/// A position like another one: some pieces are moved, replaced, added or removed, and at times
/// the colors or the files are exchanged.
pub fn variation(rng: &mut Rng, position: &Position) -> Position {
    const MAX_TRIES: usize = 100;
    let mut tries = 0;
    repeat_until_possible(|| {
        let mut placement = Placement::new(position.castling_mode());
        placement.builder = BoardBuilder::from(position.board());
        placement.builder.en_passant(position.en_passant());
        // A position may have no variation: others replace it.
        tries += 1;
        if tries > MAX_TRIES {
            placement = Placement::new(position.castling_mode());
            placement.place_special(rng, &[]);
            return placement;
        }
        for _ in 0..1 + rng.below(4) {
            placement.vary(rng);
        }
        let has_rights = !placement.builder.castling_rooks().is_empty();
        let mirrors = [rng.below(2) == 0, rng.below(2) == 0 && !has_rights];
        placement.mirrored(mirrors)
    })
}

/// The first placement that is a position with moves and not impossible.
fn repeat_until_possible(mut place: impl FnMut() -> Placement) -> Position {
    loop {
        let builder = place().builder;
        if let Ok(board) = builder.build_strict()
            && board.count_legal_moves() > 0
        {
            let position = Position::with_en_passant(board, builder.en_passant_square());
            if position.impossibility().is_none() {
                return position;
            }
        }
    }
}

/// Pieces on squares, not yet a position.
struct Placement {
    builder: BoardBuilder,
    mode: CastlingMode,
}

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

    fn new(mode: CastlingMode) -> Self {
        let mut builder = Board::builder();
        builder.castling_mode(mode);
        Self { builder, mode }
    }

    fn piece_on(&self, square: usize) -> Option<(Color, Piece)> {
        self.builder.piece_on(Square::from_index(square))
    }

    /// Puts a piece on an empty square on which one of its kind can stand.
    fn put(&mut self, square: usize, color: Color, piece: Piece) {
        let back_rank = !(8..56).contains(&square);
        if self.piece_on(square).is_none() && !(piece == Piece::Pawn && back_rank) {
            self.builder.put(Square::from_index(square), color, piece);
        }
    }

    fn king(&self, color: Color) -> Option<usize> {
        (0..64).find(|&square| self.piece_on(square) == Some((color, Piece::King)))
    }

    /// Random pieces anywhere; or kings and rooks at home, for castling; or those of one side at
    /// home and the other king near them.
    fn place_anywhere(&mut self, rng: &mut Rng) {
        let mode = rng.below(4);
        for color in Color::ALL {
            let at_home = mode == 1 || mode == 2 + color.index();
            for piece in [Piece::King, Piece::Rook, Piece::Rook] {
                if at_home {
                    self.put(8 * color.back_rank().index() + rng.below(8), color, piece);
                } else if piece == Piece::King {
                    let near = rng.below(24) + if color == Color::White { 32 } else { 8 };
                    self.put(if mode == 0 { rng.below(64) } else { near }, color, piece);
                }
            }
        }
        let others = rng.below(25);
        self.scatter(rng, others);
        self.grant_castling(rng);
        self.builder.side_to_move(Color::ALL[rng.below(2)]);
    }

    /// Many pieces, at times mostly of one color or of one kind.
    fn place_crowd(&mut self, rng: &mut Rng) {
        for color in Color::ALL {
            let home = 8 * color.back_rank().index();
            let square = if rng.below(2) == 0 { home + rng.below(8) } else { rng.below(64) };
            self.put(square, color, Piece::King);
        }
        let us = Color::ALL[rng.below(2)];
        self.builder.side_to_move(us);
        let (pieces, blacks) = (15 + rng.below(48), 1 + rng.below(9));
        let mut empty = Vec::new();
        // At times a pawn that has just made a double push, and one beside it.
        if rng.below(4) == 0 {
            let (file, up) = (1 + rng.below(7), if us == Color::White { 8_i32 } else { -8 });
            let pawn = if us == Color::White { 32 } else { 24 } + file;
            self.put(pawn, !us, Piece::Pawn);
            self.put(pawn - 1, us, Piece::Pawn);
            empty = [1, 2].map(|steps| (pawn as i32 + steps * up) as usize).to_vec();
            self.builder.en_passant(Some(Square::from_index(empty[0])));
        }
        let favorite =
            rng.pick(&[None, Some(Piece::Queen), Some(Piece::Knight), Some(Piece::Pawn)]);
        let mut squares: Vec<usize> = (0..64).collect();
        rng.shuffle(&mut squares);
        squares.retain(|square| self.piece_on(*square).is_none() && !empty.contains(square));
        for square in squares.into_iter().take(pieces) {
            let color = if rng.below(10) < blacks { Color::Black } else { Color::White };
            let piece = match favorite {
                Some(&Some(piece)) if rng.below(3) > 0 => piece,
                _ => Self::PIECES[rng.below(8)],
            };
            // No pawn stands on a back rank.
            let piece = if (8..56).contains(&square) { piece } else { piece.max(Piece::Knight) };
            self.put(square, color, piece);
        }
        self.grant_castling(rng);
    }

    fn choose_side(&mut self, rng: &mut Rng) -> Color {
        let us = Color::ALL[rng.below(2)];
        self.builder.side_to_move(us);
        us
    }

    /// Places themes, each for a side, and a few other pieces.
    fn place_special(&mut self, rng: &mut Rng, themes: &[(Theme, Color)]) {
        for &(theme, us) in themes {
            match theme {
                Theme::EnPassant => self.place_en_passant(rng, us),
                Theme::Castling => self.place_castling(rng, us),
                Theme::Promotion => self.place_promotion(rng, us),
                Theme::Lines => {
                    let king = self.king(us).unwrap_or_else(|| {
                        let king = rng.below(64);
                        self.put(king, us, Piece::King);
                        king
                    });
                    for _ in 0..1 + rng.below(3) {
                        self.aim(rng, king, us);
                    }
                }
                Theme::Mixed => {}
            }
        }
        for color in Color::ALL {
            if self.king(color).is_none() {
                self.put(rng.below(64), color, Piece::King);
            }
        }
        let others = rng.below(6);
        self.scatter(rng, others);
        self.grant_castling(rng);
    }

    /// The placement with the colors exchanged, the files mirrored, or both.
    fn mirrored(&self, [colors, files]: [bool; 2]) -> Self {
        let mirror = |square: Square| {
            let flips = usize::from(colors) * 56 + usize::from(files) * 7;
            Square::from_index(square.index() ^ flips)
        };
        let color = |color: Color| if colors { !color } else { color };
        let mut mirrored = Self::new(self.mode);
        for square in Square::all() {
            if let Some((of, piece)) = self.builder.piece_on(square) {
                mirrored.builder.put(mirror(square), color(of), piece);
            }
        }
        for rook in self.builder.castling_rooks() {
            mirrored.builder.castle_with(mirror(rook));
        }
        mirrored.builder.side_to_move(color(self.builder.side()));
        mirrored.builder.en_passant(self.builder.en_passant_square().map(mirror));
        mirrored
    }

    /// Moves, replaces, removes or adds a piece.
    fn vary(&mut self, rng: &mut Rng) {
        let pieces: Vec<usize> = (0..64).filter(|&at| self.piece_on(at).is_some()).collect();
        let Some(&at) = rng.pick(&pieces) else { return };
        let Some((color, piece)) = self.piece_on(at) else { return };
        let (square, to) = (Square::from_index(at), rng.below(64));
        match rng.below(5) {
            0 | 1 if self.piece_on(to).is_none() => {
                self.builder.clear(square);
                self.put(to, color, piece);
            }
            2 if piece != Piece::King => {
                self.builder.clear(square);
                self.put(at, color, Self::PIECES[rng.below(8)]);
            }
            3 if piece != Piece::King => _ = self.builder.clear(square),
            _ => self.scatter(rng, 1),
        }
    }

    fn scatter(&mut self, rng: &mut Rng, number: usize) {
        for _ in 0..number {
            let (color, piece) = (Color::ALL[rng.below(2)], Self::PIECES[rng.below(8)]);
            self.put(rng.below(64), color, piece);
        }
    }

    /// A pawn of `us` beside one of theirs that has just made a double push or is about to.
    fn place_en_passant(&mut self, rng: &mut Rng, us: Color) {
        let relative = |rank: usize| if us == Color::White { rank } else { 7 - rank };
        let at = |file: usize, rank: usize| 8 * relative(rank) + file;
        let file = rng.below(8);
        let neighbors: Vec<usize> =
            (0..8_usize).filter(|&other| other.abs_diff(file) == 1).collect();
        for &neighbor in &neighbors {
            if neighbors.len() == 1 || rng.below(2) == 0 {
                self.put(at(neighbor, 4), us, Piece::Pawn);
            }
        }
        let king = match rng.below(3) {
            0 => at(rng.below(8), 4),
            _ => rng.below(64),
        };
        let is_on_path = |square: usize| (4..7).any(|rank| at(file, rank) == square);
        if !is_on_path(king) {
            self.put(king, us, Piece::King);
            if rng.below(2) == 0 {
                self.aim(rng, king, us);
            }
        }
        let sliders = [Piece::Rook, Piece::Queen, Piece::Bishop];
        for _ in 0..rng.below(3) {
            let square = if rng.below(2) == 0 { at(rng.below(8), 4) } else { rng.below(64) };
            if !is_on_path(square) {
                self.put(square, !us, sliders[rng.below(3)]);
            }
        }
        if rng.below(3) == 0 {
            self.put(at(file, 4), !us, Piece::Pawn);
            self.builder.en_passant(Some(Square::from_index(at(file, 5))));
        } else {
            self.put(at(file, 6), !us, Piece::Pawn);
            self.builder.side_to_move(!us);
        }
    }

    /// King and rooks of `us` at home, and at times theirs too.
    fn place_castling(&mut self, rng: &mut Rng, us: Color) {
        let sides = if rng.below(3) == 0 { &Color::ALL[..] } else { &[us] };
        for &color in sides {
            let home = 8 * color.back_rank().index();
            let files = match self.mode {
                CastlingMode::Standard => [4, 0, 7],
                CastlingMode::Chess960 => [1 + rng.below(6), rng.below(8), rng.below(8)],
            };
            for (file, piece) in files.into_iter().zip([Piece::King, Piece::Rook, Piece::Rook]) {
                self.put(home + file, color, piece);
            }
        }
    }

    /// Pawns of `us` before their last step, with something to capture.
    fn place_promotion(&mut self, rng: &mut Rng, us: Color) {
        let back = 8 * us.promotion_rank().index();
        let before = if us == Color::White { 48 } else { 8 };
        for _ in 0..1 + rng.below(2) {
            let file = rng.below(8);
            self.put(before + file, us, Piece::Pawn);
            self.put(back + (file + 1) % 8, !us, Self::PIECES[3 + rng.below(5)]);
        }
    }

    /// Aims a slider of theirs at a square of `us`, at times with a piece of ours between.
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
        let is_orthogonal = east == 0 || north == 0;
        let slider = match rng.below(3) {
            0 => Piece::Queen,
            _ if is_orthogonal => Piece::Rook,
            _ => Piece::Bishop,
        };
        self.put(ray[end], !us, slider);
        if end > 0 && rng.below(2) == 0 {
            self.put(ray[rng.below(end)], us, Self::PIECES[rng.below(8)]);
        }
    }

    /// Grants rights to some of the rooks beside a king at home.
    fn grant_castling(&mut self, rng: &mut Rng) {
        for color in Color::ALL {
            let home = 8 * color.back_rank().index();
            let files = |piece| {
                let is_there = move |placement: &Self, file: usize| {
                    placement.piece_on(home + file) == Some((color, piece))
                };
                (0..8).filter(|&file| is_there(self, file)).collect::<Vec<usize>>()
            };
            let Some(&king) = files(Piece::King).first() else { continue };
            let is_standard = |rook: usize| king == 4 && (rook == 0 || rook == 7);
            let mut rooks = files(Piece::Rook);
            rooks.retain(|&file| self.mode == CastlingMode::Chess960 || is_standard(file));
            for side in CastlingSide::ALL {
                let of_side = |rook: usize| (rook > king) == (side == CastlingSide::King);
                let rooks: Vec<usize> =
                    rooks.iter().copied().filter(|&rook| of_side(rook)).collect();
                if let Some(&file) = rng.pick(&rooks)
                    && rng.below(4) > 0
                {
                    self.builder.castle_with(Square::from_index(home + file));
                }
            }
        }
    }
}

/// The start position of Chess960 with a number from 0 to 959, in the usual numbering; 518 is
/// that of standard chess.
///
/// ```
/// use perft_core::Board;
/// use perft_core::positions::random::chess960_start;
///
/// assert_eq!(chess960_start(518), Board::startpos());
/// ```
///
/// # Panics
/// If the number is above 959.
pub fn chess960_start(number: usize) -> Board {
    double_chess960_start(number, number)
}

/// The start position of Double Fischer Random: White's pieces by one number, Black's by another.
///
/// # Panics
/// If a number is above 959.
pub fn double_chess960_start(white: usize, black: usize) -> Board {
    let mut builder = Board::builder();
    builder.castling_mode(CastlingMode::Chess960);
    for (color, number) in Color::ALL.into_iter().zip([white, black]) {
        for (file, piece) in File::ALL.into_iter().zip(chess960_pieces(number)) {
            let home = Square::new(file, color.back_rank());
            builder.put(home, color, piece).put(home.forward(color), color, Piece::Pawn);
            if piece == Piece::Rook {
                builder.castle_with(home);
            }
        }
    }
    builder.build().expect("every start position is legal")
}

/// The back rank of a start position, by the published direct derivation from its number.
fn chess960_pieces(number: usize) -> [Piece; 8] {
    assert!(number < 960, "there are 960 start positions, 0 to 959");
    let mut row = [None; 8];
    let (number, light_bishop) = (number / 4, number % 4);
    row[2 * light_bishop + 1] = Some(Piece::Bishop);
    let (number, dark_bishop) = (number / 4, number % 4);
    row[2 * dark_bishop] = Some(Piece::Bishop);
    let (knights, queen) = (number / 6, number % 6);
    place(&mut row, queen, Piece::Queen);
    // The ten pairs of five free files.
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights];
    // The right one first, so that the left one's place among the free files stays.
    place(&mut row, second, Piece::Knight);
    place(&mut row, first, Piece::Knight);
    for piece in [Piece::Rook, Piece::King, Piece::Rook] {
        place(&mut row, 0, piece);
    }
    row.map(|piece| piece.expect("eight pieces fill eight files"))
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
    fn the_960_start_positions_are_all_different_and_well_formed() {
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

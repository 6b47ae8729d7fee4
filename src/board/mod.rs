//! The position: who stands where, who moves, and what may still be done.
//!
//! - [`fen`] reads and writes positions;
//! - [`validate`] says whether a position can be played on;
//! - `make` changes a position by a move and changes it back;
//! - `identity` packs a position for exact maps;
//! - `zobrist` holds the random numbers behind [`Board::key`].

use crate::attacks;
use crate::movegen;
use crate::sliders::{Fancy, Sliders};
use crate::types::{
    Bitboard, CastlingRights, Color, Move, MoveList, Piece, Rank, Square, Variant, Wing,
};

pub mod fen;
mod identity;
mod make;
pub mod validate;
mod zobrist;

pub use fen::{BoardError, FenError};
pub use identity::Identity;
pub use make::Undo;
pub(crate) use make::{CastlingPath, castled_squares};
pub use validate::PositionError;

/// A chess position.
///
/// ```
/// use perft::{Board, Color, Variant};
///
/// let mut board = Board::startpos();
/// let mv = board.parse_uci("e2e4", Variant::Standard)?;
/// let undo = board.make(mv);
/// assert_eq!(board.side_to_move(), Color::Black);
/// assert_eq!(board.legal_moves().len(), 20);
/// board.unmake(mv, undo);
/// assert_eq!(board, Board::startpos());
/// # Ok::<(), perft::board::IllegalMove>(())
/// ```
///
/// A `Board` is always legal in the sense of [`validate`]; there is no way to get an
/// illegal one but to make a move that is not legal. Beyond that, these hold and are
/// checked by [`Board::check_invariants`], in debug builds after every move:
///
/// - the six piece sets are disjoint, and so are the two colours; both unite to the same
///   set, the occupied squares;
/// - a castling right's rook stands on its square and its king on the same back rank, and a
///   side has at most one right on each wing;
/// - the en-passant square is set only while a legal en-passant capture exists, so that
///   positions with the same play compare equal and share a key;
/// - the key is the one that the position has when computed from nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    pieces: [Bitboard; 6],
    colors: [Bitboard; 2],
    state: State,
    side_to_move: Color,
}

/// What a move changes beyond the men, and what unmaking it takes back whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    key: u128,
    castling: CastlingRights,
    en_passant: Option<Square>,
    halfmove_clock: u16,
    fullmove_number: u16,
}

impl Board {
    /// The start position of standard chess.
    pub fn startpos() -> Self {
        Self::from_fen(crate::positions::STARTPOS, Variant::Standard)
            .expect("the start position is legal")
    }

    /// A board without men: not a legal position, to be filled.
    const fn empty(side_to_move: Color) -> Self {
        Self {
            pieces: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            state: State {
                key: 0,
                castling: CastlingRights::NONE,
                en_passant: None,
                halfmove_clock: 0,
                fullmove_number: 1,
            },
            side_to_move,
        }
    }

    /// All men of a kind, of both colours.
    #[inline(always)]
    pub const fn pieces(&self, piece: Piece) -> Bitboard {
        self.pieces[piece.index()]
    }

    /// All men of a colour.
    #[inline(always)]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The men of a kind and a colour.
    #[inline(always)]
    pub fn men(&self, color: Color, piece: Piece) -> Bitboard {
        self.color(color) & self.pieces(piece)
    }

    /// The rooks and queens of a colour.
    #[inline(always)]
    pub(crate) fn orthogonal(&self, color: Color) -> Bitboard {
        self.color(color) & (self.pieces(Piece::Rook) | self.pieces(Piece::Queen))
    }

    /// The bishops and queens of a colour.
    #[inline(always)]
    pub(crate) fn diagonal(&self, color: Color) -> Bitboard {
        self.color(color) & (self.pieces(Piece::Bishop) | self.pieces(Piece::Queen))
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.color(Color::White) | self.color(Color::Black)
    }

    /// The square of a king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.men(color, Piece::King).first_unchecked()
    }

    /// The kind of man on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        Piece::ALL.into_iter().find(|&piece| self.pieces(piece).contains(square))
    }

    /// The man on a square, with its colour.
    pub fn man_on(&self, square: Square) -> Option<(Color, Piece)> {
        let piece = self.piece_on(square)?;
        let color =
            if self.color(Color::White).contains(square) { Color::White } else { Color::Black };
        Some((color, piece))
    }

    /// Who is to move.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Who may still castle with which rook.
    #[inline(always)]
    pub const fn castling(&self) -> CastlingRights {
        self.state.castling
    }

    /// The square that a pawn may take en passant; set only if such a capture is legal.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        self.state.en_passant
    }

    /// Plies since the last capture or pawn move.
    pub const fn halfmove_clock(&self) -> u16 {
        self.state.halfmove_clock
    }

    /// The number of the move, up by one after each of Black's.
    pub const fn fullmove_number(&self) -> u16 {
        self.state.fullmove_number
    }

    /// The seed of the random numbers behind [`Board::key`].
    pub const KEY_SEED: u64 = zobrist::SEED;

    /// The Zobrist key: equal for positions that differ in clocks only.
    #[inline(always)]
    pub const fn key(&self) -> u128 {
        self.state.key
    }

    /// The men of both colours that attack `square` when `occupied` is occupied.
    #[inline(always)]
    pub(crate) fn attackers<S: Sliders>(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [white_pawns, black_pawns] =
            Color::ALL.map(|color| attacks::pawn(!color, square) & self.men(color, Piece::Pawn));
        let orthogonal = self.pieces(Piece::Rook) | self.pieces(Piece::Queen);
        let diagonal = self.pieces(Piece::Bishop) | self.pieces(Piece::Queen);
        white_pawns
            | black_pawns
            | (attacks::knight(square) & self.pieces(Piece::Knight))
            | (attacks::king(square) & self.pieces(Piece::King))
            | (S::rook(square, occupied) & orthogonal)
            | (S::bishop(square, occupied) & diagonal)
    }

    /// The men that give check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        self.attackers::<Fancy>(self.king(self.side_to_move), self.occupied())
            & self.color(!self.side_to_move)
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// All legal moves, in no particular order.
    ///
    /// ```
    /// use perft::Board;
    ///
    /// assert_eq!(Board::startpos().legal_moves().len(), 20);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        movegen::legal_moves::<Fancy>(self)
    }

    /// The number of legal moves, without a list of them.
    pub fn count_legal_moves(&self) -> u32 {
        movegen::count_legal_moves::<Fancy>(self)
    }

    /// Whether a right and both men's squares are those of standard chess.
    fn has_standard_castling(&self) -> bool {
        Color::ALL.into_iter().all(|color| {
            self.castling().rooks_of(color).into_iter().all(|rook| {
                let wing = Wing::of(self.king(color), rook);
                self.king(color) == Square::new(crate::types::File::E, color.back_rank())
                    && rook == Square::new(wing.corner_file(), color.back_rank())
            })
        })
    }

    /// The plainest variant whose text can express the castling rights.
    pub fn variant(&self) -> Variant {
        if self.has_standard_castling() { Variant::Standard } else { Variant::Chess960 }
    }

    /// Puts a man on an empty square or takes it away; the only place that changes men.
    #[inline(always)]
    fn toggle(&mut self, color: Color, piece: Piece, square: Square) {
        let bit = square.bitboard();
        self.pieces[piece.index()] ^= bit;
        self.colors[color.index()] ^= bit;
        self.state.key ^= zobrist::man(color, piece, square);
    }

    /// Sets or clears the en-passant square; the only place that changes it.
    #[inline(always)]
    fn set_en_passant(&mut self, square: Option<Square>) {
        for changed in [self.state.en_passant, square].into_iter().flatten() {
            self.state.key ^= zobrist::en_passant(changed.file());
        }
        self.state.en_passant = square;
    }

    /// Sets the castling rights; the only place that changes them.
    #[inline(always)]
    fn set_castling(&mut self, rights: CastlingRights) {
        let changed = self.state.castling.rooks() ^ rights.rooks();
        if !changed.is_empty() {
            self.state.key ^= zobrist::castling(changed);
            self.state.castling = rights;
        }
    }

    /// Gives the move to the other side; the only place that does.
    #[inline(always)]
    fn pass_the_move(&mut self) {
        self.side_to_move = !self.side_to_move;
        self.state.key ^= zobrist::black_to_move();
    }

    /// The key computed from nothing.
    fn key_from_scratch(&self) -> u128 {
        let mut key = zobrist::castling(self.castling().rooks());
        for square in self.occupied() {
            if let Some((color, piece)) = self.man_on(square) {
                key ^= zobrist::man(color, piece, square);
            }
        }
        if let Some(square) = self.en_passant() {
            key ^= zobrist::en_passant(square.file());
        }
        if self.side_to_move == Color::Black {
            key ^= zobrist::black_to_move();
        }
        key
    }

    /// Whether some pawn of the side to move may legally take on `target` en passant.
    fn en_passant_is_possible<S: Sliders>(&self, target: Square) -> bool {
        let us = self.side_to_move;
        let takers = attacks::pawn(!us, target) & self.men(us, Piece::Pawn);
        takers.into_iter().any(|from| movegen::en_passant_is_legal::<S>(self, us, from, target))
    }

    /// Checks every invariant of the type. It never fails on a board made by this crate's
    /// reader and legal moves; tests and fuzzers call it to see to that.
    ///
    /// # Errors
    /// Names the invariant that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        let mut seen = Bitboard::EMPTY;
        for piece in Piece::ALL {
            if seen.meets(self.pieces(piece)) {
                return Err(format!("two men on {:?}", seen & self.pieces(piece)));
            }
            seen |= self.pieces(piece);
        }
        if self.color(Color::White).meets(self.color(Color::Black)) || seen != self.occupied() {
            return Err("the colours do not match the men".to_owned());
        }
        for color in Color::ALL {
            let (king, rooks) = (self.king(color), self.castling().rooks_of(color));
            let wings = rooks.into_iter().map(|rook| Wing::of(king, rook));
            if !(rooks - self.men(color, Piece::Rook)).is_empty()
                || (!rooks.is_empty() && king.rank() != color.back_rank())
                || Wing::ALL
                    .into_iter()
                    .any(|wing| wings.clone().filter(|&of| of == wing).count() > 1)
            {
                return Err(format!("{color} cannot castle with the rooks on {rooks:?}"));
            }
        }
        let back_ranks = Color::ALL.map(|color| Bitboard::rank(color.back_rank()));
        if !(self.castling().rooks() - back_ranks[0] - back_ranks[1]).is_empty() {
            return Err("a right to castle with a rook that is not on a back rank".to_owned());
        }
        if self.key() != self.key_from_scratch() {
            return Err("the key is not that of the position".to_owned());
        }
        if let Some(target) = self.en_passant()
            && !self.en_passant_is_possible::<Fancy>(target)
        {
            return Err(format!("nothing can take en passant on {target}"));
        }
        self.validate().map_err(|error| error.to_string())
    }
}

/// By the key, which equal boards share.
impl std::hash::Hash for Board {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u128(self.key());
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::startpos()
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Board({:?})", self.fen(self.variant()))
    }
}

/// The board as it lies on the table, White below.
///
/// ```
/// use perft::Board;
///
/// assert_eq!(Board::startpos().to_string(), "\
/// r n b q k b n r
/// p p p p p p p p
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// . . . . . . . .
/// P P P P P P P P
/// R N B Q K B N R");
/// ```
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            let row: Vec<String> = crate::types::File::ALL
                .into_iter()
                .map(|file| match self.man_on(Square::new(file, rank)) {
                    Some((color, piece)) => piece.fen_letter(color).to_string(),
                    None => ".".to_owned(),
                })
                .collect();
            f.write_str(&row.join(" "))?;
            if rank != Rank::First {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// The move is not one of the legal ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a legal move in {fen}")]
pub struct IllegalMove {
    /// The move as it was given.
    pub text: String,
    /// The position in which it was to be made.
    pub fen: String,
}

impl Board {
    /// The legal move that UCI writes as `text`. Castling is understood in both
    /// spellings, `e1g1` and king-takes-rook `e1h1`, where only one of them fits; where
    /// both fit different moves, `variant` decides.
    ///
    /// # Errors
    /// If no legal move is written so.
    pub fn parse_uci(&self, text: &str, variant: Variant) -> Result<Move, IllegalMove> {
        let other = match variant {
            Variant::Standard => Variant::Chess960,
            Variant::Chess960 => Variant::Standard,
        };
        let moves = self.legal_moves();
        [variant, other]
            .into_iter()
            .find_map(|spelling| moves.iter().find(|mv| mv.uci(spelling) == text))
            .copied()
            .ok_or_else(|| IllegalMove { text: text.to_owned(), fen: self.fen(self.variant()) })
    }
}

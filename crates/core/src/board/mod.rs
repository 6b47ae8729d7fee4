//! Positions: pieces on squares, the side to move, castling rights and en passant.
//!
//! - [`fen`] reads and writes positions; [`BoardBuilder`] puts them together piece by piece;
//! - [`validate`] decides whether a position can be played on;
//! - `impossible` finds positions that no game reaches;
//! - `make` plays a move and takes it back;
//! - [`Position`] adds what a FEN said of en passant, for talking to engines;
//! - `packed` packs a position into 32 bytes for exact maps;
//! - `zobrist` holds the random numbers behind [`Board::hash`].

mod builder;
pub mod fen;
mod impossible;
mod make;
mod material;
mod packed;
mod position;
pub mod validate;
mod zobrist;

pub use builder::BoardBuilder;
pub use fen::FenError;
pub use impossible::Impossibility;
pub(crate) use make::CastlingPath;
pub use make::Undo;
pub use make::castled_squares;
pub use packed::PackedBoard;
pub(crate) use packed::PackedHalf;
pub use position::Position;
pub use validate::PositionError;

use crate::attacks::magic::Magic;
use crate::attacks::{self, SliderLines, Sliders};
use crate::types::{
    Bitboard, CastlingMode, CastlingRights, CastlingSide, Color, File, Piece, Square,
};

/// A chess position.
///
/// ```
/// use perft_core::{Board, Color};
///
/// let mut board: Board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".parse()?;
/// let undo = board.make(board.parse_uci("e2e4")?);
/// assert_eq!(board.side_to_move(), Color::Black);
/// assert_eq!(board.legal_moves().len(), 20);
/// board.unmake(undo);
/// assert_eq!(board, Board::startpos());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A `Board` can always be played on in the sense of [`validate`]: the only way to get an illegal one is
/// to make an illegal move. Beyond that, these invariants hold and are checked by
/// [`Board::check_invariants`], in debug builds after every move:
///
/// - the six piece sets are disjoint, and so are the two color sets; both unite to the same
///   set, the occupied squares;
/// - the rook of a castling right stands on its square and its king on the same back rank, and a
///   color has at most one right on each side;
/// - the rights of a board in [standard mode](CastlingMode::Standard) are those of standard chess;
/// - the en-passant square is set only while a legal en-passant capture exists, so that
///   positions with the same play compare equal and share a hash;
/// - the hash is that of the position when computed from scratch.
///
/// Boards that differ only in their [castling mode](Board::castling_mode) are equal.
#[derive(Clone, Copy)]
pub struct Board {
    pieces: [Bitboard; 6],
    colors: [Bitboard; 2],
    state: State,
    side_to_move: Color,
    mode: CastlingMode,
}

/// Everything but the pieces that a move changes. Unmaking a move restores it whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    hash: u128,
    castling: CastlingRights,
    en_passant: Option<Square>,
    halfmove_clock: u16,
    fullmove_number: u16,
}

impl Board {
    /// FEN of the start position of standard chess.
    pub const STARTPOS_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// The start position of standard chess.
    pub fn startpos() -> Self {
        Self::STARTPOS_FEN.parse().expect("the start position is legal")
    }

    /// A builder for an empty board, White to move.
    pub fn builder() -> BoardBuilder {
        BoardBuilder::default()
    }

    /// A board without pieces: not a legal position yet.
    fn empty(side_to_move: Color, mode: CastlingMode) -> Self {
        let hash = match side_to_move {
            Color::White => 0,
            Color::Black => zobrist::black_to_move(),
        };
        Self {
            pieces: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            state: State {
                hash,
                castling: CastlingRights::NONE,
                en_passant: None,
                halfmove_clock: 0,
                fullmove_number: 1,
            },
            side_to_move,
            mode,
        }
    }

    /// The pieces of a kind, of both colors.
    #[inline(always)]
    pub const fn pieces(&self, piece: Piece) -> Bitboard {
        self.pieces[piece.index()]
    }

    /// The pieces of a color.
    #[inline(always)]
    pub const fn colors(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of a color and a kind.
    #[inline(always)]
    pub fn colored_pieces(&self, color: Color, piece: Piece) -> Bitboard {
        self.colors(color) & self.pieces(piece)
    }

    /// The rooks and queens of a color.
    #[inline(always)]
    pub(crate) fn orthogonal(&self, color: Color) -> Bitboard {
        self.colors(color) & (self.pieces(Piece::Rook) | self.pieces(Piece::Queen))
    }

    /// The bishops and queens of a color.
    #[inline(always)]
    pub(crate) fn diagonal(&self, color: Color) -> Bitboard {
        self.colors(color) & (self.pieces(Piece::Bishop) | self.pieces(Piece::Queen))
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors(Color::White) | self.colors(Color::Black)
    }

    /// The square of a king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.colored_pieces(color, Piece::King).first_unchecked()
    }

    /// The kind of piece on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        Piece::ALL.into_iter().find(|&piece| self.pieces(piece).contains(square))
    }

    /// The piece on a square, with its color.
    pub fn colored_piece_on(&self, square: Square) -> Option<(Color, Piece)> {
        Some((self.color_on(square)?, self.piece_on(square)?))
    }

    /// The color of the piece on a square.
    pub fn color_on(&self, square: Square) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.colors(color).contains(square))
    }

    /// The side to move.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The castling rights.
    #[inline(always)]
    pub const fn castling(&self) -> CastlingRights {
        self.state.castling
    }

    /// The target square of an en-passant capture; set only if such a capture is legal.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        self.state.en_passant
    }

    /// Plies since the last capture or pawn move.
    pub const fn halfmove_clock(&self) -> u16 {
        self.state.halfmove_clock
    }

    /// The move number, incremented after each move of Black.
    pub const fn fullmove_number(&self) -> u16 {
        self.state.fullmove_number
    }

    /// The convention by which castling is read and written.
    pub const fn castling_mode(&self) -> CastlingMode {
        self.mode
    }

    /// The same position, read and written as Chess960.
    #[must_use]
    pub const fn with_chess960(self) -> Self {
        Self { mode: CastlingMode::Chess960, ..self }
    }

    /// The same position in a castling mode, if the mode can express its castling rights.
    #[must_use]
    pub fn with_castling_mode(self, mode: CastlingMode) -> Option<Self> {
        let fits = mode == CastlingMode::Chess960 || self.has_standard_castling();
        fits.then_some(Self { mode, ..self })
    }

    /// The seed of the random numbers behind [`Board::hash`].
    pub const HASH_SEED: u64 = zobrist::SEED;

    /// The Zobrist hash. Positions that differ only in their clocks share it.
    #[inline(always)]
    pub const fn hash(&self) -> u128 {
        self.state.hash
    }

    /// The pieces of both colors that attack `square` when `occupied` is occupied.
    #[inline(always)]
    pub(crate) fn attackers(
        &self,
        sliders: impl Sliders,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let [white_pawns, black_pawns] = Color::ALL
            .map(|color| attacks::pawn(!color, square) & self.colored_pieces(color, Piece::Pawn));
        let orthogonal = self.pieces(Piece::Rook) | self.pieces(Piece::Queen);
        let diagonal = self.pieces(Piece::Bishop) | self.pieces(Piece::Queen);
        white_pawns
            | black_pawns
            | (attacks::knight(square) & self.pieces(Piece::Knight))
            | (attacks::king(square) & self.pieces(Piece::King))
            | (sliders.rook(square, occupied) & orthogonal)
            | (sliders.bishop(square, occupied) & diagonal)
    }

    /// The pieces that give check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        self.attackers(Magic, self.king(self.side_to_move), self.occupied())
            & self.colors(!self.side_to_move)
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// The pieces of the side to move that are pinned to its king.
    pub fn pinned(&self) -> Bitboard {
        let us = self.side_to_move;
        self.lines_to_king(us).only_blockers() & self.colors(us)
    }

    /// The lines from the king of a color to the other side's sliders.
    #[inline(always)]
    pub(crate) fn lines_to_king(&self, color: Color) -> SliderLines {
        let (orthogonal, diagonal) = (self.orthogonal(!color), self.diagonal(!color));
        attacks::slider_lines(self.king(color), orthogonal, diagonal, self.occupied())
    }

    /// Whether all kings and rooks with castling rights stand as in standard chess.
    fn has_standard_castling(&self) -> bool {
        Color::ALL.into_iter().all(|color| {
            self.castling().rooks_of(color).into_iter().all(|rook| {
                let side = CastlingSide::of(self.king(color), rook);
                self.king(color) == Square::new(File::E, color.back_rank())
                    && rook == Square::new(side.corner_file(), color.back_rank())
            })
        })
    }

    /// Puts a piece on an empty square or takes it away. Only this function changes pieces.
    #[inline(always)]
    fn toggle(&mut self, color: Color, piece: Piece, square: Square) {
        let bit = square.bitboard();
        self.pieces[piece.index()] ^= bit;
        self.colors[color.index()] ^= bit;
        self.state.hash ^= zobrist::piece(color, piece, square);
    }

    /// Sets or clears the en-passant square. No other function changes it.
    #[inline(always)]
    fn set_en_passant(&mut self, square: Option<Square>) {
        for changed in [self.state.en_passant, square].into_iter().flatten() {
            self.state.hash ^= zobrist::en_passant(changed.file());
        }
        self.state.en_passant = square;
    }

    /// Sets the castling rights. No other function changes them.
    #[inline(always)]
    fn set_castling(&mut self, rights: CastlingRights) {
        let changed = self.state.castling.rooks() ^ rights.rooks();
        if !changed.is_empty() {
            self.state.hash ^= zobrist::castling(changed);
            self.state.castling = rights;
        }
    }

    /// Gives the move to the other side. No other function does.
    #[inline(always)]
    fn switch_side(&mut self) {
        self.side_to_move = !self.side_to_move;
        self.state.hash ^= zobrist::black_to_move();
    }

    /// The hash computed from scratch.
    fn hash_from_scratch(&self) -> u128 {
        let mut hash = zobrist::castling(self.castling().rooks());
        for square in self.occupied() {
            if let Some((color, piece)) = self.colored_piece_on(square) {
                hash ^= zobrist::piece(color, piece, square);
            }
        }
        if let Some(square) = self.en_passant() {
            hash ^= zobrist::en_passant(square.file());
        }
        if self.side_to_move == Color::Black {
            hash ^= zobrist::black_to_move();
        }
        hash
    }

    /// Whether the pawn of `us` on `from` may capture en passant on `to`: whether the king is
    /// safe once the pawn has moved and the captured pawn is gone.
    ///
    /// Looking at the position after the capture covers every case at once: two pieces leave a
    /// rank together, a pinned pawn, a check that the capture ends, one that it does not.
    #[inline(always)]
    pub(crate) fn en_passant_is_legal(
        &self,
        sliders: impl Sliders,
        us: Color,
        from: Square,
        to: Square,
    ) -> bool {
        let captured = to.forward(!us).bitboard();
        let occupied = (self.occupied() ^ from.bitboard() ^ captured) | to.bitboard();
        let them = self.colors(!us) - captured;
        !self.attackers(sliders, self.king(us), occupied).intersects(them)
    }

    /// Whether some pawn of the side to move may legally capture on `target` en passant.
    fn en_passant_is_possible(&self, sliders: impl Sliders + Copy, target: Square) -> bool {
        let us = self.side_to_move;
        let pawns = attacks::pawn(!us, target) & self.colored_pieces(us, Piece::Pawn);
        pawns.into_iter().any(|from| self.en_passant_is_legal(sliders, us, from, target))
    }

    /// Checks every invariant of the type. It never fails on a board made by this crate and by
    /// legal moves; tests and fuzzers call it to make sure.
    ///
    /// # Errors
    /// Names the invariant that does not hold.
    pub fn check_invariants(&self) -> Result<(), String> {
        let mut occupied = Bitboard::EMPTY;
        for piece in Piece::ALL {
            if occupied.intersects(self.pieces(piece)) {
                return Err(format!("two pieces on {:?}", occupied & self.pieces(piece)));
            }
            occupied |= self.pieces(piece);
        }
        if self.colors(Color::White).intersects(self.colors(Color::Black))
            || occupied != self.occupied()
        {
            return Err("the colors do not match the pieces".to_owned());
        }
        for color in Color::ALL {
            let (king, rooks) = (self.king(color), self.castling().rooks_of(color));
            let sides = rooks.into_iter().map(|rook| CastlingSide::of(king, rook));
            if !(rooks - self.colored_pieces(color, Piece::Rook)).is_empty()
                || (!rooks.is_empty() && king.rank() != color.back_rank())
                || CastlingSide::ALL
                    .into_iter()
                    .any(|side| sides.clone().filter(|&of| of == side).count() > 1)
            {
                return Err(format!("{color} cannot castle with the rooks on {rooks:?}"));
            }
        }
        let back_ranks = Color::ALL.map(|color| Bitboard::rank(color.back_rank()));
        if !(self.castling().rooks() - back_ranks[0] - back_ranks[1]).is_empty() {
            return Err("a castling right of a rook that is not on a back rank".to_owned());
        }
        if self.mode == CastlingMode::Standard && !self.has_standard_castling() {
            return Err("a castling right that standard chess does not have".to_owned());
        }
        if self.hash() != self.hash_from_scratch() {
            return Err("the hash is not that of the position".to_owned());
        }
        if let Some(target) = self.en_passant()
            && !self.en_passant_is_possible(Magic, target)
        {
            return Err(format!("no pawn can capture en passant on {target}"));
        }
        self.validate().map_err(|error| error.to_string())
    }
}

/// The castling mode does not count.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.pieces == other.pieces
            && self.colors == other.colors
            && self.state == other.state
            && self.side_to_move == other.side_to_move
    }
}

impl Eq for Board {}

/// By the Zobrist hash, which equal boards share.
impl std::hash::Hash for Board {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u128(self.state.hash);
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::startpos()
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Board({self})")
    }
}

//! A whole position in 32 bytes, for exact maps.

use super::{Board, castled_squares};
use crate::attacks::{self, Sliders};
use crate::types::{
    Bitboard, Black, CastlingMode, CastlingRights, Color, Move, MoveKind, Piece, Side, Square,
    White,
};

/// A position without its clocks: equal for two positions exactly if they have the same play.
///
/// Each square has a code of three bits: 0 if it is empty, 1 to 6 for the pieces, and 7 for a
/// special piece, which on a back rank is a rook that may castle and elsewhere a pawn that may be
/// captured en passant. One bit of all squares makes a word. The fourth word has Black's pieces
/// and, if Black is to move, the empty squares. If there are none, White's king is left out, so that
/// its square is one. There is none without a position:
///
/// ```compile_fail
/// perft_core::board::PackedBoard::default();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedBoard([u64; 4]);

/// The pieces of one side and its castling rights: the first three words of a [`PackedBoard`] without
/// the other side, and without a right to capture en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedHalf([u64; 3]);

/// The ranks on which the special piece is a rook.
const BACK_RANKS: u64 = 0xFF00_0000_0000_00FF;

/// The code of a piece.
const fn code(piece: Piece) -> usize {
    1 + piece.index()
}

/// The product of two words, its halves combined.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// A hash of four words. Positions are told apart by their words, not by it.
#[inline(always)]
fn hash([a, b, c, d]: [u64; 4]) -> u64 {
    // Any odd-looking numbers: digits of the golden ratio and of square roots.
    let low = mix(a ^ 0x9E37_79B9_7F4A_7C15, b ^ 0x6A09_E667_F3BC_C908);
    let high = mix(c ^ 0xBB67_AE85_84CA_A73B, d ^ 0x3C6E_F372_FE94_F82B);
    mix(low ^ 0xA54F_F53A_5F1D_36F1, high ^ 0x510E_527F_ADE6_82D1)
}

impl PackedBoard {
    /// The squares with special pieces.
    #[inline(always)]
    const fn special(&self) -> u64 {
        self.0[0] & self.0[1] & self.0[2]
    }

    /// The occupied squares.
    #[inline(always)]
    const fn occupied(&self) -> u64 {
        self.0[0] | self.0[1] | self.0[2]
    }

    /// The pieces of a color.
    #[inline(always)]
    pub(crate) const fn colors(&self, color: Color) -> Bitboard {
        Bitboard(match color {
            Color::White => self.occupied() & !self.0[3],
            Color::Black => self.occupied() & self.0[3],
        })
    }

    /// The position without the right to capture en passant.
    #[inline(always)]
    pub(crate) const fn without_en_passant(&self) -> Self {
        let [a, b, c, d] = self.0;
        let pawn = self.special() & !BACK_RANKS;
        Self([a, b & !pawn, c & !pawn, d])
    }

    /// The position after a double push to a square, with the right to capture en passant whether
    /// or not a capture is legal. It is not to be unpacked.
    #[inline(always)]
    pub(crate) const fn with_en_passant(&self, pawn: Square) -> Self {
        let ([a, b, c, d], pawn) = (self.0, pawn.bitboard().0);
        Self([a | pawn, b | pawn, c | pawn, d])
    }

    /// A hash of the position.
    #[inline(always)]
    pub(crate) fn hash(&self) -> u64 {
        hash(self.0)
    }

    /// The pieces of a color and its castling rights.
    #[inline(always)]
    pub(crate) fn half(&self, color: Color) -> PackedHalf {
        let (Self([a, b, c, _]), half) = (self.without_en_passant(), self.colors(color).0);
        PackedHalf([a & half, b & half, c & half])
    }

    /// The position with two halves and `Us` to move. It has an empty square, and no right to
    /// capture en passant.
    #[inline(always)]
    pub(crate) fn of_halves<Us: Side>(ours: &PackedHalf, theirs: &PackedHalf) -> Self {
        let ([a, b, c], [d, e, f]) = (ours.0, theirs.0);
        let black = match Us::COLOR {
            Color::White => theirs.squares().0,
            Color::Black => !theirs.squares().0,
        };
        Self([a | d, b | e, c | f, black])
    }

    /// The words.
    #[inline(always)]
    pub(crate) const fn to_words(self) -> [u64; 4] {
        self.0
    }

    /// The position with these words, which must be from [`Self::to_words`].
    #[inline(always)]
    pub(crate) const fn from_words(words: [u64; 4]) -> Self {
        Self(words)
    }

    /// The position, with its clocks at the start.
    ///
    /// The mode must be able to express the castling rights, as that of the packed board can.
    pub fn unpack(&self, mode: CastlingMode) -> Board {
        let mut board = if self.0[3] & !self.occupied() == 0 {
            self.unpack_as::<White>(mode)
        } else {
            self.unpack_as::<Black>(mode)
        };
        if !board.colors(Color::White).intersects(board.pieces(Piece::King)) {
            let king = !board.occupied();
            board.pieces[Piece::King.index()] |= king;
            board.colors[Color::White.index()] |= king;
        }
        board.state.hash = board.hash_from_scratch();
        debug_assert_eq!(board.check_invariants(), Ok(()));
        board
    }

    /// [`Self::unpack`] with the side known at compile time, and without the hash, which takes
    /// longer than all the rest. Builds that check invariants compute it.
    #[inline(always)]
    pub(crate) fn unpack_as<Us: Side>(&self, mode: CastlingMode) -> Board {
        let [a, b, c, _] = self.0;
        let special = self.special();
        let (rooks, pawn) = (Bitboard(special & BACK_RANKS), Bitboard(special & !BACK_RANKS));
        let mut board = Board::empty(Us::COLOR, mode);
        board.pieces = Piece::ALL.map(|piece| {
            let with =
                |bit: usize, word: u64| if code(piece) >> bit & 1 == 1 { word } else { !word };
            Bitboard(with(0, a) & with(1, b) & with(2, c))
        });
        board.pieces[Piece::Rook.index()] |= rooks;
        board.pieces[Piece::Pawn.index()] |= pawn;
        board.colors = Color::ALL.map(|color| self.colors(color));
        board.state.castling = CastlingRights::of_rooks(rooks);
        board.state.en_passant = pawn.first().map(|pawn| pawn.forward(Us::COLOR));
        if cfg!(debug_assertions) {
            board.state.hash = board.hash_from_scratch();
        }
        board
    }
}

impl PackedHalf {
    /// A hash. Halves are told apart by their words, not by it.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        let [a, b, c] = self.0;
        hash([a, b, c, 0])
    }

    /// The occupied squares.
    #[inline(always)]
    pub const fn squares(&self) -> Bitboard {
        Bitboard(self.0[0] | self.0[1] | self.0[2])
    }

    /// The pieces of one kind, rooks with and without the right to castle.
    #[inline(always)]
    pub fn pieces(&self, piece: Piece) -> Bitboard {
        let [a, b, c] = self.0;
        let with = |bit: usize, word: u64| if code(piece) >> bit & 1 == 1 { word } else { !word };
        let special = if piece == Piece::Rook { a & b & c } else { 0 };
        Bitboard(with(0, a) & with(1, b) & with(2, c) | special)
    }

    /// The half without the pieces on some squares.
    #[inline(always)]
    #[must_use]
    pub fn without(&self, squares: Bitboard) -> Self {
        Self(self.0.map(|word| word & !squares.0))
    }

    /// The half with one more piece.
    #[must_use]
    fn with(&self, piece: Piece, to: Square) -> Self {
        let bit = |bit: usize| to.bitboard().0 & (code(piece) as u64 >> bit & 1).wrapping_neg();
        let [a, b, c] = self.0;
        Self([a | bit(0), b | bit(1), c | bit(2)])
    }

    /// The half after a move of its side.
    #[must_use]
    pub fn after(&self, us: Color, mv: Move) -> Self {
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let mut half = self.without(from.bitboard() | to.bitboard());
        if kind.piece() == Piece::King {
            // Its rooks lose their rights.
            let [a, b, c] = half.0;
            let rooks = a & b & c;
            half.0 = [a & !rooks, b & !rooks, c];
        }
        if kind == MoveKind::Castle {
            let (king_to, rook_to) = castled_squares(us, from, to);
            return half.with(Piece::King, king_to).with(Piece::Rook, rook_to);
        }
        half.with(kind.promotion().unwrap_or(kind.piece()), to)
    }
}

impl Board {
    /// The position without its clocks, in 32 bytes.
    pub fn pack(&self) -> PackedBoard {
        let en_passant_pawn = match self.en_passant() {
            Some(target) => target.forward(!self.side_to_move()).bitboard(),
            None => Bitboard::EMPTY,
        };
        let special = self.castling().rooks() | en_passant_pawn;
        let mut words = [special.0, special.0, special.0, self.colors(Color::Black).0];
        for piece in Piece::ALL {
            for (bit, word) in words[..3].iter_mut().enumerate() {
                if code(piece) >> bit & 1 == 1 {
                    *word |= self.pieces(piece).0;
                }
            }
        }
        if self.side_to_move() == Color::Black {
            let is_full = self.occupied() == Bitboard::FULL;
            let king = if is_full { self.king(Color::White).bitboard().0 } else { 0 };
            for word in &mut words[..3] {
                *word &= !king;
            }
            words[3] |= !self.occupied().0 | king;
        }
        PackedBoard(words)
    }

    /// The packed position after a legal move. `packed` is this board
    /// [without en passant](PackedBoard::without_en_passant), which has an empty square.
    #[inline(always)]
    pub(crate) fn pack_after<Us: Side>(
        &self,
        sliders: impl Sliders + Copy,
        packed: &PackedBoard,
        mv: Move,
    ) -> PackedBoard {
        let us = Us::COLOR;
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let is_special = match kind {
            MoveKind::Castle | MoveKind::EnPassant => true,
            MoveKind::DoublePush => {
                let pawns = self.colored_pieces(us.opponent(), Piece::Pawn);
                attacks::pawn(us, from.forward(us)).intersects(pawns)
            }
            _ => false,
        };
        if is_special {
            return self.pack_made::<Us>(sliders, mv);
        }
        let (stay, target) = (!(from.bitboard() | to.bitboard()).0, to.bitboard().0);
        let code = code(kind.promotion().unwrap_or(kind.piece())) as u64;
        let plane = |bit: usize| packed.0[bit] & stay | target & (code >> bit & 1).wrapping_neg();
        let (mut a, mut b, c) = (plane(0), plane(1), plane(2));
        let black = packed.colors(Color::Black).0 & stay;
        if kind == MoveKind::King {
            // Its rooks lose their rights.
            let rooks = a & b & c & Bitboard::rank(us.back_rank()).0;
            a &= !rooks;
            b &= !rooks;
        }
        PackedBoard(match us {
            Color::White => [a, b, c, black | !(a | b | c)],
            Color::Black => [a, b, c, black | target],
        })
    }

    /// [`Self::pack_after`] for the few moves that change more than two squares or may leave an
    /// en-passant right.
    #[cold]
    #[inline(never)]
    fn pack_made<Us: Side>(&self, sliders: impl Sliders + Copy, mv: Move) -> PackedBoard {
        let mut child = *self;
        child.make_as::<Us>(sliders, mv);
        child.pack()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::magic::Magic;
    use crate::positions::random::{random_game, random_placement};
    use crate::random::Rng;
    use crate::types::by_side;

    fn boards(rng: &mut Rng) -> Vec<Board> {
        let mut boards = random_game(rng, Board::startpos(), 100);
        boards.extend((0..20).map(|_| random_placement(rng)));
        boards
    }

    #[test]
    fn a_position_comes_back_without_its_clocks() {
        let mut rng = Rng::new(1);
        let mut with_en_passant = 0;
        for _ in 0..300 {
            for board in boards(&mut rng) {
                let again = board.pack().unpack(board.castling_mode());
                let fields = |board: &Board| {
                    let fen = board.to_string();
                    fen.split(' ').take(4).map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(fields(&again), fields(&board));
                assert_eq!((again.hash(), again.pack()), (board.hash(), board.pack()));
                with_en_passant += u32::from(board.en_passant().is_some());
            }
        }
        assert!(with_en_passant > 10, "{with_en_passant}");
    }

    #[test]
    fn a_packed_move_is_the_made_move_packed() {
        let mut rng = Rng::new(2);
        let mut kinds = [0; 16];
        for _ in 0..100 {
            for board in boards(&mut rng) {
                let packed = board.pack().without_en_passant();
                for mv in board.legal_moves() {
                    let mut child = board;
                    child.make(mv);
                    let us = board.side_to_move();
                    let after = by_side!(us, Us => board.pack_after::<Us>(Magic, &packed, mv));
                    assert_eq!(after, child.pack(), "{board} {}", board.uci(mv));
                    for color in Color::ALL {
                        assert_eq!(after.colors(color), child.colors(color));
                    }
                    kinds[mv.kind() as usize] += 1;
                }
            }
        }
        assert!(kinds[..=MoveKind::Castle as usize].iter().all(|&moves| moves > 10), "{kinds:?}");
    }

    #[test]
    fn a_quiet_move_leaves_the_other_half() {
        for board in boards(&mut Rng::new(3)) {
            let (packed, them) = (board.pack(), !board.side_to_move());
            for mv in board.legal_moves() {
                let mut child = board;
                let quiet = child.make(mv).captured().is_none();
                let same = child.pack().half(them) == packed.half(them);
                assert_eq!(same, quiet, "{board} {}", board.uci(mv));
            }
        }
    }

    #[test]
    fn a_position_is_its_halves() {
        for board in boards(&mut Rng::new(4)) {
            let (packed, us) = (board.pack(), board.side_to_move());
            let (ours, theirs) = (packed.half(us), packed.half(!us));
            let joined = by_side!(us, Us => PackedBoard::of_halves::<Us>(&ours, &theirs));
            assert_eq!(joined, packed.without_en_passant(), "{board}");
            assert_eq!(ours.squares(), board.colors(us));
            for piece in Piece::ALL {
                assert_eq!(
                    ours.pieces(piece),
                    board.colored_pieces(us, piece),
                    "{board} {piece:?}"
                );
            }
            for mv in board.legal_moves() {
                let mut child = board;
                child.make(mv);
                let taken = board.colors(!us) - child.colors(!us);
                assert_eq!(ours.after(us, mv), child.pack().half(us), "{board} {}", board.uci(mv));
                assert_eq!(theirs.without(taken), child.pack().half(!us));
            }
        }
    }
}

//! Positions in structures of arrays, with the side to move at the nodes moving north.

use super::words::{LANES, LaneSet, Words8};
use crate::board::{Board, CastlingPath, castled_squares};
use crate::sys::cpu::Avx512;
use crate::types::{Bitboard, CastlingSide, Color, MoveKind, Piece, Rank, Square};

/// Declares the words of a position, with the ways to handle all alike.
macro_rules! boards {
    ($($(#[$doc:meta])* $word:ident,)*) => {
        /// The words of one position, or those of eight. `ours` are the pieces of the side to move at
        /// the node and north is its forward, so that one copy of the code serves both colors.
        #[derive(Clone, Copy)]
        pub(super) struct Boards<T> {
            $($(#[$doc])* pub $word: T,)*
        }

        /// The number of words of a position.
        const WORDS: usize = [$(stringify!($word)),*].len();

        impl<T: Copy> Boards<T> {
            #[inline(always)]
            fn from_array([$($word),*]: [T; WORDS]) -> Self {
                Self { $($word),* }
            }

            #[inline(always)]
            fn to_array(self) -> [T; WORDS] {
                [$(self.$word),*]
            }

            /// Unlike that of an array, it is always inlined, and so compiled for the CPU level of
            /// its caller.
            #[inline(always)]
            pub fn map<U>(self, f: impl Fn(T) -> U) -> Boards<U> {
                Boards { $($word: f(self.$word)),* }
            }
        }
    };
}

boards! {
    pawns,
    knights,
    /// Bishops and queens.
    diagonal,
    /// Rooks and queens.
    orthogonal,
    kings,
    ours,
    theirs,
    /// The rooks that may castle.
    castling,
    /// The target of an en-passant capture of ours.
    en_passant,
    /// Where the count goes: see [`super::Receiver`].
    tag,
}

impl Boards<u64> {
    /// A position, with `us` as the side to move at the nodes.
    #[inline(always)]
    pub fn new(board: &Board, us: Color, tag: u64) -> Self {
        let queens = board.pieces(Piece::Queen);
        let en_passant = board.en_passant().map_or(Bitboard::EMPTY, Square::bitboard);
        let sets = Boards {
            pawns: board.pieces(Piece::Pawn),
            knights: board.pieces(Piece::Knight),
            diagonal: board.pieces(Piece::Bishop) | queens,
            orthogonal: board.pieces(Piece::Rook) | queens,
            kings: board.pieces(Piece::King),
            ours: board.colors(us),
            theirs: board.colors(!us),
            castling: board.castling().rooks(),
            en_passant,
            tag: Bitboard::EMPTY,
        };
        Self { tag, ..sets.map(|set| relative(us, set)) }
    }
}

/// The rank of their castling rooks.
pub(super) const THEIR_BACK_RANK: u64 = Bitboard::rank(Rank::Eighth).0;

/// The lanes in which a pawn promotes, and to what.
pub(super) struct Promotion {
    pub any: LaneSet,
    pub knight: LaneSet,
    pub diagonal: LaneSet,
    pub orthogonal: LaneSet,
}

impl Promotion {
    /// From kinds of moves.
    #[inline(always)]
    fn of(kinds: Words8) -> Self {
        use MoveKind::{PromoteBishop, PromoteKnight, PromoteQueen, PromoteRook};
        let kinds = kinds.bit();
        let any_of = |some: &[MoveKind]| {
            let some = some.iter().fold(0, |bits, &kind| bits | 1 << kind as u64);
            kinds.intersects(kinds.with_all(some))
        };
        Self {
            any: any_of(&MoveKind::PROMOTIONS),
            knight: any_of(&[PromoteKnight]),
            diagonal: any_of(&[PromoteBishop, PromoteQueen]),
            orthogonal: any_of(&[PromoteRook, PromoteQueen]),
        }
    }
}

impl Boards<Words8> {
    /// The pieces after moves or captures; colors and castling rights are as before.
    #[inline(always)]
    pub fn moved(&self, from: Words8, to: Words8, promotion: Promotion) -> Self {
        let stays = !(from | to);
        let moved = |pieces: Words8, lanes: LaneSet| (pieces & stays) | to.only(lanes);
        let is = |pieces: Words8| pieces.intersects(from);
        Self {
            pawns: moved(self.pawns, is(self.pawns) & !promotion.any),
            knights: moved(self.knights, is(self.knights) | promotion.knight),
            diagonal: moved(self.diagonal, is(self.diagonal) | promotion.diagonal),
            orthogonal: moved(self.orthogonal, is(self.orthogonal) | promotion.orthogonal),
            kings: moved(self.kings, is(self.kings)),
            en_passant: self.en_passant.zero(),
            ..*self
        }
    }

    /// The positions after moves of theirs of the given kinds: no castling, no en passant, and no
    /// double push that allows one.
    #[inline(always)]
    pub fn after(&self, from: Words8, to: Words8, kinds: Words8) -> Self {
        let king_moves = self.kings.intersects(from);
        let lost = from | to | from.with_all(THEIR_BACK_RANK).only(king_moves);
        Self {
            ours: self.ours & !to,
            theirs: (self.theirs & !from) | to,
            castling: self.castling & !lost,
            ..self.moved(from, to, Promotion::of(kinds))
        }
    }
}

impl Boards<u64> {
    /// The position after our castling.
    pub fn castled(&self, castling: &RelativeCastling) -> Self {
        let king = self.kings & self.ours;
        let RelativeCastling { rook, king_to, rook_to, .. } = *castling;
        Self {
            kings: (self.kings & !king) | king_to,
            orthogonal: (self.orthogonal & !rook) | rook_to,
            ours: (self.ours & !(king | rook)) | king_to | rook_to,
            castling: self.castling & THEIR_BACK_RANK,
            ..*self
        }
    }
}

/// A set as seen by a side that moves north.
#[inline(always)]
fn relative(us: Color, set: Bitboard) -> u64 {
    match us {
        Color::White => set.0,
        Color::Black => set.0.swap_bytes(),
    }
}

/// A list of positions.
pub(super) struct BoardList<const N: usize> {
    words: [[u64; N]; WORDS],
    len: usize,
}

impl<const N: usize> BoardList<N> {
    /// Vectors are stored whole, so the last ones need room beyond the positions that count.
    pub const MAX_LEN: usize = N - LANES;

    pub const EMPTY: Self = Self { words: [[0; N]; WORDS], len: 0 };

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether eight more positions fit.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.len > Self::MAX_LEN
    }

    /// The eight positions from an index on.
    #[inline(always)]
    pub fn load(&self, level: Avx512, at: usize) -> Boards<Words8> {
        let mut boards = [Words8::splat(level, 0); WORDS];
        for (words, column) in boards.iter_mut().zip(&self.words) {
            let column = column[at..].first_chunk().expect("no list is read beyond its end");
            *words = Words8::load(level, column);
        }
        Boards::from_array(boards)
    }

    /// Adds the first `count` of eight positions; the list must not be full.
    #[inline(always)]
    pub fn push8(&mut self, boards: &Boards<Words8>, count: usize) {
        for (column, words) in self.words.iter_mut().zip(boards.to_array()) {
            let place = column[self.len..].first_chunk_mut().expect("the list is not full");
            words.store(place);
        }
        self.len += count;
    }

    /// Adds a position; the list must not be full.
    #[inline(always)]
    pub fn push(&mut self, board: &Boards<u64>) {
        for (column, word) in self.words.iter_mut().zip(board.to_array()) {
            column[self.len] = word;
        }
        self.len += 1;
    }

    /// Removes the first positions; less than eight are left.
    #[inline(always)]
    pub fn remove_first(&mut self, level: Avx512, count: usize) {
        let left = self.len - count;
        debug_assert!(left < LANES);
        self.len = 0;
        if left > 0 {
            let rest = self.load(level, count);
            self.push8(&rest, left);
        }
    }
}

/// A castling of one side as seen by us, possible as long as the rook has its right: then king and rook stand
/// where they stood at the root.
#[derive(Clone, Copy, Default)]
pub(super) struct RelativeCastling {
    /// The rook's square; empty if there is no such castling.
    pub rook: u64,
    /// The squares on which no other piece may stand.
    pub path: u64,
    /// The squares that must not be attacked, that of the king aside.
    pub safe: u64,
    /// The squares of king and rook afterwards.
    pub king_to: u64,
    pub rook_to: u64,
}

/// The castlings of a tree.
#[derive(Clone, Copy)]
pub(super) struct Castlings {
    pub ours: [RelativeCastling; 2],
    pub theirs: [RelativeCastling; 2],
}

impl Castlings {
    pub fn new(root: &Board, us: Color) -> Self {
        let of = |color: Color| {
            let king = root.king(color);
            CastlingSide::ALL.map(|side| {
                let Some(rook) = root.castling().rook(color, king, side) else {
                    return RelativeCastling::default();
                };
                let path = CastlingPath::new(color, king, rook);
                let (king_to, rook_to) = castled_squares(color, king, rook);
                let both = king.bitboard() | rook.bitboard();
                RelativeCastling {
                    rook: relative(us, rook.bitboard()),
                    path: relative(us, path.empty - both),
                    safe: relative(us, path.safe - king.bitboard()),
                    king_to: relative(us, king_to.bitboard()),
                    rook_to: relative(us, rook_to.bitboard()),
                }
            })
        };
        Self { ours: of(us), theirs: of(!us) }
    }
}

//! Tables whose keys lack a part: positions that then share an entry, and naming the part.
//!
//! A table shows such a bug only if it holds the count of one position when it is queried for the
//! other: in consecutive queries if it outlives a query, or else within one tree.

use super::hunter::depth_within;
use super::{Case, CompareError, Confirmation, Finder, KeyPart, TableKey, WrongCount};
use crate::uci::Divider;
use perft_core::Depth;
use perft_core::board::{Board, BoardBuilder, Position};
use perft_core::random::Rng;
use perft_core::types::{Bitboard, CastlingMode, Color, File, Move, Piece, Rank, Square};

/// The greatest tree in which positions that differ in one part are reached.
const MAX_TREE_NODES: u128 = 500_000;

/// Groups of each part when a part is named.
const GROUPS: usize = 12;

/// The least number of them that must be wrong.
const MIN_WRONG: usize = 8;

/// If so many groups are right, the others are not tried.
const ENOUGH_RIGHT: usize = 3;

/// Cases to query one after the other: some of their positions differ in one part of the key only.
pub struct Group {
    pub cases: Vec<Case>,
}

/// The way in which positions that differ in one part meet in the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// In consecutive queries.
    Queries,
    /// In one tree.
    Tree,
}

impl Group {
    /// A group of random positions. In one tree the side to move is always the same for a depth,
    /// so that [`KeyPart::Side`] has none.
    pub fn new(rng: &mut Rng, mode: CastlingMode, part: KeyPart, meeting: Meeting) -> Self {
        loop {
            if let Some(cases) = Self::cases(rng, mode, part, meeting) {
                return Self { cases };
            }
        }
    }

    fn cases(
        rng: &mut Rng,
        mode: CastlingMode,
        part: KeyPart,
        meeting: Meeting,
    ) -> Option<Vec<Case>> {
        let us = Color::ALL[rng.below(2)];
        let mut setup = Setup { builder: Board::builder(), us };
        setup.builder.castling_mode(mode).side_to_move(us);
        let roots = match part {
            KeyPart::EnPassant => setup.en_passant(rng, meeting)?,
            KeyPart::Castling => setup.castling(rng, meeting)?,
            KeyPart::Side => setup.side(rng)?,
            KeyPart::Depth => setup.few_pieces(rng, meeting)?,
        };
        let depths: &[Depth] = match (part, meeting) {
            (KeyPart::EnPassant, Meeting::Tree) => &[7],
            (KeyPart::Castling | KeyPart::Depth, Meeting::Tree) => &[6],
            (KeyPart::Depth, Meeting::Queries) => &[3, 5],
            (KeyPart::Side, _) => &[4, 4],
            _ => &[3, 3],
        };
        let roots = roots.into_iter().cycle().zip(depths);
        let cases: Vec<Case> =
            roots.map(|(root, &depth)| Case { root, line: Vec::new(), depth }).collect();
        let fits =
            |case: &Case| depth_within(case.root.board(), case.depth, MAX_TREE_NODES) == case.depth;
        cases.iter().all(fits).then_some(cases)
    }
}

/// A group under construction.
struct Setup {
    builder: BoardBuilder,
    us: Color,
}

impl Setup {
    /// A square of our point of view.
    fn at(&self, file: File, rank: Rank) -> Square {
        let rank = match self.us {
            Color::White => rank,
            Color::Black => Rank::ALL[7 - rank.index()],
        };
        Square::new(file, rank)
    }

    fn put(&mut self, square: Square, color: Color, piece: Piece) -> Option<()> {
        if self.builder.piece_on(square).is_some() {
            return None;
        }
        self.builder.put(square, color, piece);
        Some(())
    }

    /// Puts pieces on random squares.
    fn scatter(&mut self, rng: &mut Rng, pieces: &[(Color, Piece)]) -> Option<()> {
        pieces.iter().try_for_each(|&(color, piece)| {
            // No pawn has its double step before it.
            let index = if piece == Piece::Pawn { 24 + rng.below(16) } else { rng.below(64) };
            self.put(Square::from_index(index), color, piece)
        })
    }

    fn build(&self) -> Option<Position> {
        let position = Position::from(self.builder.build().ok()?);
        (position.board().count_legal_moves() > 0 && position.impossibility().is_none())
            .then_some(position)
    }

    /// A pawn that can be captured en passant after its double step, and the same pawn one step
    /// further. In one tree it takes both ways, and the king loses a move.
    fn en_passant(&mut self, rng: &mut Rng, meeting: Meeting) -> Option<Vec<Position>> {
        let (us, them) = (self.us, !self.us);
        let file = rng.below(8);
        let beside = if file == 0 || (file < 7 && rng.below(2) == 0) { file + 1 } else { file - 1 };
        let (file, beside) = (File::ALL[file], File::ALL[beside]);
        let (home, next) = (self.at(file, Rank::Second), self.at(file, Rank::Third));
        let capturer = self.at(beside, Rank::Fourth);
        self.put(home, us, Piece::Pawn)?;
        self.put(capturer, them, Piece::Pawn)?;
        let edge = [File::A, File::H];
        match meeting {
            // Kings in corners keep the tree small.
            Meeting::Tree => {
                self.put(self.at(edge[rng.below(2)], Rank::First), us, Piece::King)?;
                self.put(self.at(edge[rng.below(2)], Rank::Eighth), them, Piece::King)?;
            }
            _ => {
                self.scatter(rng, &[(us, Piece::King), (them, Piece::King), (them, Piece::Knight)])?
            }
        }
        let before = self.build()?;
        if meeting == Meeting::Tree {
            return Some(vec![before]);
        }
        self.builder.clear(home);
        self.put(next, us, Piece::Pawn)?;
        Some(vec![before, self.build()?])
    }

    /// King and rook with and without the right. In one tree the rook goes out and back, or the
    /// knight.
    fn castling(&mut self, rng: &mut Rng, meeting: Meeting) -> Option<Vec<Position>> {
        let (us, them) = (self.us, !self.us);
        let (file, far) = if rng.below(2) == 0 { (File::H, File::A) } else { (File::A, File::H) };
        let rook = self.at(file, Rank::First);
        self.put(self.at(File::E, Rank::First), us, Piece::King)?;
        self.put(rook, us, Piece::Rook)?;
        match meeting {
            // Blocked pawns keep the tree small.
            Meeting::Tree => {
                self.put(self.at(file, Rank::Second), us, Piece::Pawn)?;
                self.put(self.at(file, Rank::Third), them, Piece::Pawn)?;
                self.put(self.at(far, Rank::First), us, Piece::Knight)?;
                let king = self.at([File::A, File::H][rng.below(2)], Rank::Eighth);
                self.put(king, them, Piece::King)?;
            }
            _ => {
                self.scatter(rng, &[(them, Piece::King), (us, Piece::Knight), (them, Piece::Pawn)])?
            }
        }
        let without = self.build()?;
        self.builder.castle_with(rook);
        let with = self.build()?;
        // Castling shows in two plies at least if it is possible at once.
        let castles = |position: &Position| {
            let moves = position.board().legal_moves();
            moves.iter().any(|mv| mv.castling_side().is_some())
        };
        match meeting {
            Meeting::Tree => castles(&with).then(|| vec![with]),
            Meeting::Queries => castles(&with).then(|| vec![with, without]),
        }
    }

    /// A position with either side to move.
    fn side(&mut self, rng: &mut Rng) -> Option<Vec<Position>> {
        let (us, them) = (self.us, !self.us);
        let pieces =
            [(us, Piece::King), (them, Piece::King), (us, Piece::Rook), (them, Piece::Knight)];
        self.scatter(rng, &pieces)?;
        let first = self.build()?;
        self.builder.side_to_move(them);
        Some(vec![first, self.build()?])
    }

    /// A position that has few moves.
    fn few_pieces(&mut self, rng: &mut Rng, meeting: Meeting) -> Option<Vec<Position>> {
        let (us, them) = (self.us, !self.us);
        let kings = [(us, Piece::King), (them, Piece::King)];
        self.scatter(rng, &kings)?;
        match meeting {
            Meeting::Tree => self.scatter(rng, &[(us, Piece::Pawn), (them, Piece::Pawn)])?,
            _ => self.scatter(rng, &[(us, Piece::Knight), (them, Piece::Pawn)])?,
        }
        Some(vec![self.build()?])
    }
}

/// The groups of a part, by what the divider says about them.
#[derive(Default)]
struct Groups {
    right: usize,
    /// The last query repeats counts of the one before.
    repeating: usize,
    /// It is wrong in another way.
    wrong: usize,
}

/// The pieces of each color and kind after a move.
fn pieces_after(board: &Board, mv: Move) -> [[Bitboard; 6]; 2] {
    let mut board = *board;
    board.make(mv);
    Color::ALL.map(|color| Piece::ALL.map(|piece| board.colored_pieces(color, piece)))
}

impl<D: Divider> Finder<D> {
    /// The part that the keys of the divider's table lack, if it has a table whose keys lack one. It
    /// is confirmed if wrong counts are those of the position before that differs in this part only,
    /// and right in a fresh process.
    pub(super) fn key_part_between_queries(
        &mut self,
        mode: CastlingMode,
    ) -> Result<Option<TableKey>, CompareError<D::Error>> {
        let mut rng = Rng::new(3);
        // Without the depth, all others are wrong too.
        for part in [KeyPart::Depth, KeyPart::Side, KeyPart::Castling, KeyPart::EnPassant] {
            let Some(groups) = self.consecutive_groups(&mut rng, mode, part)? else { continue };
            let Groups { right, repeating, wrong } = groups;
            if repeating + wrong < MIN_WRONG {
                continue;
            }
            let positions = 2 * (right + repeating);
            let confirmation = (wrong == 0 && self.restart()?)
                .then_some(Confirmation { positions, separating: right + repeating });
            return Ok(Some(TableKey { part, confirmation }));
        }
        Ok(None)
    }

    /// The same for a table that does not outlive a query. It is not confirmed: the counts depend on
    /// the order of the moves.
    pub(super) fn key_part_in_trees(
        &mut self,
        mode: CastlingMode,
    ) -> Result<Option<TableKey>, CompareError<D::Error>> {
        let mut rng = Rng::new(3);
        for part in [KeyPart::Depth, KeyPart::Castling, KeyPart::EnPassant] {
            if self.is_wrong_in_trees(&mut rng, mode, part)? {
                return Ok(Some(TableKey { part, confirmation: None }));
            }
        }
        Ok(None)
    }

    /// Queries groups of a part, each in a fresh process if that is possible. `None` if a query is
    /// wrong without the one before: a table that is shared between queries is not the cause.
    fn consecutive_groups(
        &mut self,
        rng: &mut Rng,
        mode: CastlingMode,
        part: KeyPart,
    ) -> Result<Option<Groups>, CompareError<D::Error>> {
        let mut groups = Groups::default();
        for number in 0..GROUPS {
            // Most parts are not missing.
            if number == ENOUGH_RIGHT && groups.right == number {
                return Ok(None);
            }
            let cases = Group::new(rng, mode, part, Meeting::Queries).cases;
            let [first, second] = &cases[..] else { return Ok(None) };
            self.restart()?;
            if self.differs(&first.query())? {
                return Ok(None);
            }
            let diff = self.diff(&second.query())?;
            if diff.is_equal() {
                groups.right += 1;
                continue;
            }
            if self.restart()? && self.differs(&second.query())? {
                return Ok(None);
            }
            let known = self.counter().divide(first.root.board(), first.depth)?;
            let repeats = |count: &WrongCount| {
                let pieces = pieces_after(second.root.board(), count.mv);
                known.branches.iter().any(|branch| {
                    branch.nodes == count.theirs
                        && pieces_after(first.root.board(), branch.mv) == pieces
                })
            };
            let is_repeated = diff.same_moves() && diff.counts.iter().all(repeats);
            *(if is_repeated { &mut groups.repeating } else { &mut groups.wrong }) += 1;
        }
        Ok(Some(groups))
    }

    /// Whether most trees in which positions that differ in a part meet are wrong, and smaller ones
    /// of the same positions, in which they do not meet, are right.
    fn is_wrong_in_trees(
        &mut self,
        rng: &mut Rng,
        mode: CastlingMode,
        part: KeyPart,
    ) -> Result<bool, CompareError<D::Error>> {
        let mut wrong = 0;
        for number in 0..GROUPS {
            if number == ENOUGH_RIGHT && wrong == 0 {
                return Ok(false);
            }
            for case in Group::new(rng, mode, part, Meeting::Tree).cases {
                let smaller = Case { depth: 3, ..case.clone() };
                if self.differs(&smaller.query())? {
                    return Ok(false);
                }
                wrong += usize::from(self.differs(&case.query())?);
            }
        }
        Ok(wrong >= MIN_WRONG)
    }

    /// Whether a query that is wrong is right in a fresh process. `None` if there is none.
    pub(super) fn is_right_alone(
        &mut self,
        case: &Case,
    ) -> Result<Option<bool>, CompareError<D::Error>> {
        if !self.restart()? {
            return Ok(None);
        }
        Ok(Some(!self.differs(&case.query())?))
    }

    /// Starts the divider anew. False if that is not possible.
    pub(super) fn restart(&mut self) -> Result<bool, CompareError<D::Error>> {
        self.divider_mut().restart().map_err(CompareError::Divider)
    }
}

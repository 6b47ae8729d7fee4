//! Tables whose keys lack a part: positions that then share an entry, and naming the part.
//!
//! A table shows such a bug only if it holds the count of one position when it is queried for the
//! other: in consecutive queries if it outlives a query, or else within one tree.

use super::hunter::depth_within;
use super::{Case, CompareError, Confirmation, Finder, KeyPart, TableKey};
use crate::uci::Divider;
use perft_core::Depth;
use perft_core::board::{Board, BoardBuilder, Position};
use perft_core::random::Rng;
use perft_core::types::{CastlingMode, Color, File, Piece, Rank, Square};

/// The greatest tree in which positions that differ in one part are reached.
const MAX_TREE_NODES: u128 = 500_000;

/// Groups of each part when a part is named.
const GROUPS: usize = 8;

/// The least number of them that must be wrong.
const MIN_WRONG: usize = 5;

/// Groups of a part in which nothing is shared.
const CONTROLS: usize = 16;

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
    /// Nowhere: the queries are alike but share nothing.
    Nowhere,
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
        if meeting != Meeting::Nowhere {
            self.put(capturer, them, Piece::Pawn)?;
        }
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
            Meeting::Nowhere => Some(vec![without, without]),
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

impl<D: Divider> Finder<D> {
    /// The part that the keys of the divider's table lack, if it has a table whose keys lack one:
    /// queries in which that part matters are wrong, and those in which it does not are right.
    pub(super) fn missing_key_part(
        &mut self,
        mode: CastlingMode,
    ) -> Result<Option<TableKey>, CompareError<D::Error>> {
        let mut rng = Rng::new(3);
        for meeting in [Meeting::Queries, Meeting::Tree] {
            let mut wrong = Vec::new();
            for part in KeyPart::ALL {
                let has_groups = meeting == Meeting::Queries || part != KeyPart::Side;
                let groups = if has_groups { GROUPS } else { 0 };
                wrong.push(self.wrong_groups(&mut rng, mode, part, meeting, groups)?);
            }
            // Without the depth, all others are wrong too.
            let order = [KeyPart::Depth, KeyPart::Side, KeyPart::Castling, KeyPart::EnPassant];
            let found = order.into_iter().find(|&part| wrong[part as usize] >= MIN_WRONG);
            let Some(part) = found else { continue };
            let mut controls = 0;
            for part in [KeyPart::Castling, KeyPart::EnPassant] {
                let wrong =
                    self.wrong_groups(&mut rng, mode, part, Meeting::Nowhere, CONTROLS / 2)?;
                // Its counts are wrong where no key matters.
                if wrong > 0 {
                    return Ok(None);
                }
                controls += CONTROLS / 2;
            }
            let others = KeyPart::ALL.into_iter().filter(|&other| other != part);
            let others: Vec<usize> = others.map(|other| wrong[other as usize]).collect();
            let right_others = match part {
                KeyPart::Depth => 0,
                _ => others.iter().filter(|&&wrong| wrong == 0).count() * GROUPS,
            };
            let separating = controls + right_others;
            let positions = wrong[part as usize] + separating;
            let confirmation = Confirmation { positions, separating };
            return Ok(Some(TableKey {
                part,
                confirmation: (positions >= 20).then_some(confirmation),
            }));
        }
        Ok(None)
    }

    /// The number of groups of which a query is wrong.
    fn wrong_groups(
        &mut self,
        rng: &mut Rng,
        mode: CastlingMode,
        part: KeyPart,
        meeting: Meeting,
        groups: usize,
    ) -> Result<usize, CompareError<D::Error>> {
        let mut wrong = 0;
        for _ in 0..groups {
            let mut differs = false;
            for case in Group::new(rng, mode, part, meeting).cases {
                differs |= self.differs(&case.query())?;
            }
            wrong += usize::from(differs);
        }
        Ok(wrong)
    }
}

//! Hunting for a mismatch in random positions.

use super::table_key::{Group, Meeting};
use super::{Case, CompareError, Coverage, Diff, Finder, KeyPart, Mismatch};
use crate::uci::Divider;
use perft_core::board::{Board, Position};
use perft_core::positions::random::{random_chess960_start, random_game, special};
use perft_core::random::Rng;
use perft_core::types::CastlingMode;
use perft_core::{Depth, perft};

/// The number of positions between groups for tables.
const TABLE_INTERVAL: usize = 128;

/// An endless stream of random positions, rich in special cases of move generation, each with a
/// depth whose divide is fast to count.
#[derive(Clone, Debug)]
pub struct Hunt {
    rng: Rng,
    mode: CastlingMode,
    coverage: Coverage,
    number: usize,
    /// Cases of a group for tables, the last first.
    pending: Vec<Case>,
}

impl Hunt {
    /// The positions of a seed.
    pub fn new(seed: u64, mode: CastlingMode) -> Self {
        Self {
            rng: Rng::new(seed),
            mode,
            coverage: Coverage::default(),
            number: 0,
            pending: Vec::new(),
        }
    }

    /// The positions that [`Finder::hunt`] has compared.
    pub const fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

impl Hunt {
    /// Adds cases that show a table whose keys lack a part: each part in turn, in consecutive
    /// queries and then in one tree.
    fn add_group(&mut self) {
        let part = KeyPart::ALL[self.number / TABLE_INTERVAL % KeyPart::ALL.len()];
        let in_tree = self.number / TABLE_INTERVAL / KeyPart::ALL.len() % 2 == 1;
        let meeting = match in_tree && part != KeyPart::Side {
            true => Meeting::Tree,
            false => Meeting::Queries,
        };
        // From its own stream: the other positions stay the same.
        let mut rng = Rng::new(self.rng.clone().next_u64());
        self.pending = Group::new(&mut rng, self.mode, part, meeting).cases;
        self.pending.reverse();
    }
}

impl Iterator for Hunt {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        self.number += 1;
        if self.number % TABLE_INTERVAL == TABLE_INTERVAL / 4 {
            self.add_group();
        }
        if let Some(case) = self.pending.pop() {
            return Some(case);
        }
        let rng = &mut self.rng;
        let board = match rng.below(4) {
            0 => {
                let start = match self.mode {
                    CastlingMode::Standard => Board::startpos(),
                    CastlingMode::Chess960 => random_chess960_start(rng),
                };
                let plies = 8 + rng.below(150);
                let game = random_game(rng, start, plies);
                game[game.len() - 1 - rng.below(game.len().min(6))]
            }
            _ => special(rng, self.mode),
        };
        let mut root = Position::from(board);
        // By a move, so that some en-passant squares have no legal capture.
        if rng.below(4) == 0
            && let Some(&mv) = rng.pick(&board.legal_moves())
        {
            root = root.after(&[mv]);
        }
        // Long enough for a king to leave its square and return.
        let plies = if rng.below(2) == 0 { 0 } else { 1 + rng.below(6) };
        let (mut board, mut line) = (*root.board(), Vec::new());
        for _ in 0..plies {
            let Some(&mv) = rng.pick(&board.legal_moves()) else { break };
            board.make(mv);
            line.push(mv);
        }
        let max_nodes = if rng.below(32) == 0 { 50_000 } else { 2_500 };
        Some(Case { root, line, depth: depth_within(&board, 6, max_nodes) })
    }
}

/// The greatest depth from 1 to `max_depth` with at most so many leaves, or 1.
pub(super) fn depth_within(board: &Board, max_depth: Depth, max_nodes: u128) -> Depth {
    let fits = |&depth: &Depth| perft(board, depth).is_ok_and(|nodes| nodes <= max_nodes);
    (2..=max_depth).take_while(fits).last().unwrap_or(1)
}

impl<D: Divider> Finder<D> {
    /// Compares positions until one differs. `goes_on` is called before each with its number, from
    /// 1, and decides whether to go on.
    ///
    /// # Errors
    /// If the divider fails, or its output is not a divide of the position.
    pub fn hunt(
        &mut self,
        positions: &mut Hunt,
        mut goes_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<Mismatch>, CompareError<D::Error>> {
        for number in 1.. {
            if !goes_on(number) {
                break;
            }
            if let Some((case, diff)) = self.next_different(positions)? {
                return self.first_mismatch(&case, diff).map(Some);
            }
        }
        Ok(None)
    }

    /// Compares the next position, and returns it if it differs.
    pub(super) fn next_different(
        &mut self,
        positions: &mut Hunt,
    ) -> Result<Option<(Case, Diff)>, CompareError<D::Error>> {
        let Some(case) = positions.next() else { return Ok(None) };
        let diff = self.diff(&case.query())?;
        positions.coverage.add(&case, diff.ours);
        Ok((!diff.is_equal()).then_some((case, diff)))
    }

    /// The mismatch at the least depth; or, if the divider is right when it is queried again, the
    /// one that was found.
    pub(super) fn first_mismatch(
        &mut self,
        case: &Case,
        diff: Diff,
    ) -> Result<Mismatch, CompareError<D::Error>> {
        let found = self.find_after(&case.query(), |_, _| {})?.mismatch();
        Ok(match found {
            Some(mismatch) => mismatch,
            None => self.descend(&case.query(), diff),
        })
    }
}

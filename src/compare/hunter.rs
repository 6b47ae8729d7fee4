//! Hunting for a mismatch in random positions.

use super::{Case, CompareError, Coverage, Finder, Mismatch};
use crate::board::{Board, Position};
use crate::perft::{Depth, perft};
use crate::positions::random::{random_chess960_start, random_game, special};
use crate::random::Rng;
use crate::types::CastlingMode;
use crate::uci::Divider;

/// An endless stream of random positions, rich in special cases of move generation, each with a
/// depth whose divide is fast to count.
#[derive(Clone, Debug)]
pub struct Hunt {
    rng: Rng,
    mode: CastlingMode,
    coverage: Coverage,
}

impl Hunt {
    /// The positions of a seed.
    pub fn new(seed: u64, mode: CastlingMode) -> Self {
        Self { rng: Rng::new(seed), mode, coverage: Coverage::default() }
    }

    /// The positions that [`Finder::hunt`] has compared.
    pub const fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

impl Iterator for Hunt {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
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
        Some(Case { root, line, depth: depth_within(&board, max_nodes) })
    }
}

/// The greatest depth from 1 to 6 with at most so many leaves, or 1.
pub(super) fn depth_within(board: &Board, max_nodes: u128) -> Depth {
    let fits = |&depth: &Depth| perft(board, depth).is_ok_and(|nodes| nodes <= max_nodes);
    (2..=6).take_while(fits).last().unwrap_or(1)
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
        for (number, case) in (1..).zip(positions) {
            if !goes_on(number) {
                break;
            }
            if self.differs(&case.query())?
                && let Some(mismatch) = self.find_after(&case.query(), |_, _| {})?.mismatch()
            {
                return Ok(Some(mismatch));
            }
        }
        Ok(None)
    }
}

//! Hunting for a position that shows a fault, and shrinking it to what matters.

use super::find::{CompareError, Fault, Finder};
use super::{Opponent, Root};
use crate::board::Board;
use crate::perft::Depth;
use crate::positions::random::{chess960_start, fen_row, random_game, special};
use crate::random::Rng;
use crate::types::{CastlingRights, Color, Piece, Square, Variant};

/// A stream of random positions, rich in what generators get wrong, each with a depth that takes
/// little time.
#[derive(Clone, Debug)]
pub struct Hunt {
    rng: Rng,
    variant: Variant,
}

/// A position and a depth at which counts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position.
    pub root: Root,
    /// How deep.
    pub depth: Depth,
}

impl Hunt {
    /// The positions that belong to a seed.
    pub const fn new(seed: u64, variant: Variant) -> Self {
        Self { rng: Rng::new(seed), variant }
    }
}

impl Iterator for Hunt {
    type Item = Case;

    /// The next position; they never end.
    fn next(&mut self) -> Option<Case> {
        let rng = &mut self.rng;
        let board = match rng.below(4) {
            0 => {
                let start = match self.variant {
                    Variant::Standard => Board::startpos(),
                    Variant::Chess960 => chess960_start(rng.below(960)),
                };
                let plies = 8 + rng.below(150);
                let game = random_game(rng, start, plies);
                game[game.len() - 1 - rng.below(game.len().min(6))]
            }
            _ => special(rng, self.variant),
        };
        let mut root = Root::new(board, self.variant);
        // By a move, so that there are en-passant squares on which no capture is legal.
        if rng.below(4) == 0
            && let Some(&mv) = rng.pick(&board.legal_moves())
        {
            root = root.after(&[mv]);
        }
        // Mostly small trees, at times one that is deep enough for a king to go, come back and
        // castle.
        let is_sparse = root.board().occupied().len() < 7;
        let may_castle = root.board().castling() != CastlingRights::NONE;
        let one_in = if is_sparse && may_castle { 3 } else { 16 };
        let most_nodes = if rng.below(one_in) == 0 { 60_000 } else { 2_500 };
        let depth = depth_within(root.board(), most_nodes);
        Some(Case { root, depth })
    }
}

/// The greatest depth at which there are no more leaves than this, 1 at least and 6 at most.
fn depth_within(board: &Board, most_nodes: u128) -> Depth {
    let fits = |&depth: &Depth| crate::perft(board, depth).is_ok_and(|nodes| nodes <= most_nodes);
    (2..=6).take_while(fits).last().unwrap_or(1)
}

impl<O: Opponent> Finder<'_, O> {
    /// Goes through positions until one shows a fault. `go_on` is called before each with their
    /// number so far, and says whether to go on.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn hunt(
        &mut self,
        positions: &mut Hunt,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<Fault>, CompareError<O::Error>> {
        for number in 0.. {
            let Some(case) = positions.next().filter(|_| go_on(number)) else { break };
            if !self.contrast(&case.root, &[], case.depth)?.agrees()
                && let Some(fault) = self.find(&case.root, case.depth)?.fault()
            {
                return Ok(Some(fault));
            }
        }
        Ok(None)
    }

    /// The smallest case that still shows a fault: as few moves before it, as few men and rights,
    /// as little depth as it takes. `None` if the opponent does not repeat itself.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn shrink(&mut self, fault: &Fault) -> Result<Option<Case>, CompareError<O::Error>> {
        let Some(mut case) = self.without_first_moves(fault)? else { return Ok(None) };
        loop {
            let before = case;
            for smaller in reductions(&case.root) {
                // A reduction of an earlier root may no longer be one.
                if let Some(root) = smaller(&case.root)
                    && self.is_wrong(&root, case.depth)?
                {
                    case.root = root;
                }
            }
            for depth in 1..case.depth {
                if self.is_wrong(&case.root, depth)? {
                    case.depth = depth;
                    break;
                }
            }
            if case == before {
                return Ok(Some(case));
            }
        }
    }

    fn is_wrong(&mut self, root: &Root, depth: Depth) -> Result<bool, CompareError<O::Error>> {
        Ok(!self.contrast(root, &[], depth)?.agrees())
    }

    /// The latest position on the line from which the fault shows.
    fn without_first_moves(
        &mut self,
        fault: &Fault,
    ) -> Result<Option<Case>, CompareError<O::Error>> {
        for first in (0..=fault.line.len()).rev() {
            let root = fault.root.after(&fault.line[..first]);
            let plies = fault.line.len() - first;
            let depth = fault.depth.saturating_add(Depth::try_from(plies).unwrap_or(Depth::MAX));
            if self.is_wrong(&root, depth)? {
                return Ok(Some(Case { root, depth }));
            }
        }
        Ok(None)
    }
}

type Reduction = Box<dyn Fn(&Root) -> Option<Root>>;

/// What can be taken away from a position: rights, the en-passant square, men.
fn reductions(root: &Root) -> Vec<Reduction> {
    let mut list: Vec<Reduction> = Vec::new();
    let fen = root.fen();
    for letter in fen.split(' ').nth(2).unwrap_or_default().chars() {
        list.push(Box::new(move |root| {
            let castling: String =
                field(root, 2).chars().filter(|&other| other != letter).collect();
            with_field(root, 2, if castling.is_empty() { "-" } else { &castling })
        }));
    }
    list.push(Box::new(|root| with_field(root, 3, "-")));
    for square in root.board().occupied() - root.board().pieces(Piece::King) {
        list.push(Box::new(move |root| with_man(root, square, None)));
    }
    // A weaker man in place of a queen.
    for square in root.board().pieces(Piece::Queen) {
        for piece in [Piece::Rook, Piece::Bishop] {
            list.push(Box::new(move |root| {
                let (color, Piece::Queen) = root.board().man_on(square)? else { return None };
                with_man(root, square, Some((color, piece)))
            }));
        }
    }
    list
}

fn field(root: &Root, place: usize) -> String {
    root.fen().split(' ').nth(place).unwrap_or_default().to_owned()
}

/// The position with another field in its FEN, if that changes it to a legal one.
fn with_field(root: &Root, place: usize, text: &str) -> Option<Root> {
    let fen = root.fen();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    *fields.get_mut(place)? = text;
    Root::from_fen(&fields.join(" "), root.variant()).ok().filter(|other| other != root)
}

fn with_man(root: &Root, at: Square, man: Option<(Color, Piece)>) -> Option<Root> {
    let men: Vec<Option<(Color, Piece)>> = Square::all()
        .map(|square| if square == at { man } else { root.board().man_on(square) })
        .collect();
    let rows: Vec<String> = men.chunks(8).rev().map(fen_row).collect();
    with_field(root, 0, &rows.join("/"))
}

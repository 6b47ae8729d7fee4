//! Hunting for a position that shows a fault, and shrinking it to what matters.

use super::find::{CompareError, Fault, Finder};
use super::{Opponent, Root};
use crate::board::Board;
use crate::perft::Depth;
use crate::positions::random::{chess960_start, fen_row, random_game, special};
use crate::random::Rng;
use crate::types::{Color, Move, Piece, Square, Variant};

/// A stream of random positions, rich in what generators get wrong, each with a depth that takes
/// little time.
#[derive(Clone, Debug)]
pub struct Hunt {
    rng: Rng,
    variant: Variant,
}

/// A position, moves to make, and a depth at which counts are compared then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position.
    pub root: Root,
    /// Legal moves to make first, so that faults in making them show.
    pub line: Vec<Move>,
    /// How deep to compare then.
    pub depth: Depth,
}

impl Case {
    /// The depth at which the position itself shows the fault.
    pub fn whole_depth(&self) -> Depth {
        let plies = Depth::try_from(self.line.len()).unwrap_or(Depth::MAX);
        self.depth.saturating_add(plies)
    }

    /// The same from another position, if the moves are legal there.
    fn moved_to(&self, root: Root) -> Option<Self> {
        let mut board = *root.board();
        for &mv in &self.line {
            if !board.legal_moves().contains(&mv) {
                return None;
            }
            let _ = board.make(mv);
        }
        Some(Self { root, ..self.clone() })
    }
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
        // Long enough for a king to go and come back.
        let plies = if rng.below(2) == 0 { 0 } else { 1 + rng.below(6) };
        let (mut board, mut line) = (*root.board(), Vec::new());
        for _ in 0..plies {
            let Some(&mv) = rng.pick(&board.legal_moves()) else { break };
            let _ = board.make(mv);
            line.push(mv);
        }
        let most_nodes = if rng.below(32) == 0 { 50_000 } else { 2_500 };
        Some(Case { root, line, depth: depth_within(&board, most_nodes) })
    }
}

/// The greatest depth at which there are no more leaves than this, 1 at least and 6 at most.
fn depth_within(board: &Board, most_nodes: u128) -> Depth {
    let fits = |&depth: &Depth| crate::perft(board, depth).is_ok_and(|nodes| nodes <= most_nodes);
    (2..=6).take_while(fits).last().unwrap_or(1)
}

impl<O: Opponent> Finder<'_, O> {
    /// Goes through positions until one shows a fault. `go_on` is called before each with its
    /// number, from 1, and says whether to go on.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn hunt(
        &mut self,
        positions: &mut Hunt,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> Result<Option<Fault>, CompareError<O::Error>> {
        for number in 1.. {
            let Some(case) = positions.next().filter(|_| go_on(number)) else { break };
            if self.is_wrong(&case)?
                && let Some(fault) = self.find_in(&case)?.fault()
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
            let before = case.clone();
            for smaller in reductions(&case.root) {
                // A reduction of an earlier root may no longer be one.
                if let Some(root) = smaller(&case.root)
                    && let Some(smaller) = case.moved_to(root)
                    && self.is_wrong(&smaller)?
                {
                    case = smaller;
                }
            }
            for depth in 1..case.depth {
                let smaller = Case { depth, ..case.clone() };
                if self.is_wrong(&smaller)? {
                    case = smaller;
                    break;
                }
            }
            if case == before {
                match self.shorter(&case)? {
                    Some(shorter) => case = shorter,
                    None => return Ok(Some(case)),
                }
            }
        }
    }

    /// The same fault after fewer moves, if the tree is small enough to look for them.
    fn shorter(&mut self, case: &Case) -> Result<Option<Case>, CompareError<O::Error>> {
        const MOST_NODES: u128 = 50_000;
        let depth = case.whole_depth();
        let is_small = depth_within(case.root.board(), MOST_NODES) >= depth;
        if case.line.is_empty() || !is_small {
            return Ok(None);
        }
        let Some(fault) = self.find(&case.root, depth)?.fault() else { return Ok(None) };
        let shorter = self.without_first_moves(&fault)?;
        Ok(shorter.filter(|shorter| shorter.whole_depth() < depth))
    }

    fn is_wrong(&mut self, case: &Case) -> Result<bool, CompareError<O::Error>> {
        Ok(!self.contrast(&case.root, &case.line, case.depth)?.agrees())
    }

    /// The fault from the latest position on its line from which it shows.
    fn without_first_moves(
        &mut self,
        fault: &Fault,
    ) -> Result<Option<Case>, CompareError<O::Error>> {
        for first in (0..=fault.line.len()).rev() {
            let (before, line) = fault.line.split_at(first);
            let root = fault.root.after(before);
            let case = Case { root, line: line.to_vec(), depth: fault.depth };
            if self.is_wrong(&case)? {
                return Ok(Some(case));
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

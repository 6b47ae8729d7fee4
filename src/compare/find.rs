//! Descending to the position where an opponent goes wrong.

use std::sync::atomic::Ordering;

use super::{Case, Contrast, Opponent, Question, Root};
use crate::perft::{Depth, PerftError, Workers};
use crate::types::Move;

/// Why two generators could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError<E> {
    /// The opponent did not answer.
    #[error("{0}")]
    Opponent(E),
    /// The opponent's moves belong to another position.
    #[error("it answers for another position: asked about {fen}, it lists {moves}")]
    AnotherPosition {
        /// The position it was asked about.
        fen: String,
        /// Some of its moves.
        moves: String,
    },
    /// The opponent says something that is no count.
    #[error("{0:?} is no count (has its counter too few bits?)")]
    NoCount(String),
    /// Our own count failed.
    #[error(transparent)]
    Count(#[from] PerftError),
    /// It was asked to stop.
    #[error("interrupted")]
    Stopped,
}

/// Where an opponent goes wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The position that the opponent was given.
    pub root: Root,
    /// The moves from there to the fault.
    pub line: Vec<Move>,
    /// How many of them were made before the first comparison.
    pub start: usize,
    /// The depth there at which the counts first differ.
    pub start_depth: Depth,
    /// How they differ there.
    pub start_contrast: Contrast,
    /// The depth at which it was asked there: 1 where the lists of moves differ.
    pub depth: Depth,
    /// How it differs.
    pub contrast: Contrast,
    /// Whether the opponent also goes wrong if it is given the position itself and no moves. If
    /// not, it goes wrong in making the moves. `None` if there are no moves, or no answer.
    pub without_moves: Option<bool>,
    /// Why it was not followed further down, if the opponent stopped answering.
    pub broken_off: Option<String>,
}

impl Fault {
    /// The position where it goes wrong.
    pub fn position(&self) -> Root {
        self.root.after(&self.line)
    }
}

/// What came out of a comparison.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All counts are the same, this one at the depth asked.
    Equal(u128),
    /// They differ.
    Different(Box<Fault>),
}

impl Verdict {
    /// Where the opponent goes wrong, if it does.
    pub fn fault(self) -> Option<Fault> {
        match self {
            Self::Equal(_) => None,
            Self::Different(fault) => Some(*fault),
        }
    }
}

/// Compares an opponent with our own generator.
#[derive(Debug)]
pub struct Finder<'a, O> {
    opponent: O,
    ours: Workers<'a>,
}

impl<'a, O: Opponent> Finder<'a, O> {
    /// A finder that asks `opponent` and counts with `ours`.
    pub fn new(opponent: O, ours: Workers<'a>) -> Self {
        Self { opponent, ours }
    }

    /// What our own counts are made with.
    pub fn ours(&self) -> &Workers<'a> {
        &self.ours
    }

    /// Compares depth by depth, up to `depth`, and follows the first difference down. What is
    /// found is as few moves from the root as a fault can be.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn find(&mut self, root: &Root, depth: Depth) -> Result<Verdict, CompareError<O::Error>> {
        self.find_after(root, &[], depth, |_, _| {})
    }

    /// [`Finder::find`] for a case.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn find_in(&mut self, case: &Case) -> Result<Verdict, CompareError<O::Error>> {
        self.find_after(&case.root, &case.line, case.depth, |_, _| {})
    }

    /// [`Finder::find`] from the position after some legal moves, which the opponent makes. Calls
    /// `tell` with each depth that is equal, and its count.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn find_after(
        &mut self,
        root: &Root,
        line: &[Move],
        depth: Depth,
        mut tell: impl FnMut(Depth, u128),
    ) -> Result<Verdict, CompareError<O::Error>> {
        let mut nodes = 1;
        for depth in 1..=depth {
            let contrast = self.contrast(root, line, depth)?;
            if !contrast.agrees() {
                let fault = self.descend(root, line, depth, contrast);
                return Ok(Verdict::Different(Box::new(fault)));
            }
            nodes = contrast.ours;
            tell(depth, nodes);
            if nodes == 0 {
                break;
            }
        }
        Ok(Verdict::Equal(nodes))
    }

    /// Compares at one depth only.
    ///
    /// # Errors
    /// If the opponent does not answer, or not to the question.
    pub fn contrast(
        &mut self,
        root: &Root,
        line: &[Move],
        depth: Depth,
    ) -> Result<Contrast, CompareError<O::Error>> {
        let position = root.after(line);
        if self.ours.stop.load(Ordering::Relaxed) {
            return Err(CompareError::Stopped);
        }
        let theirs = self
            .opponent
            .divide(&Question { root, line, depth })
            .map_err(CompareError::Opponent)?;
        if let Some(line) = theirs.unreadable {
            return Err(CompareError::NoCount(line));
        }
        let ours = self.ours.divide(position.board(), depth, root.variant())?;
        let ours = ours.ok_or(CompareError::Stopped)?;
        let contrast = Contrast::new(position.board(), root.variant(), &ours, &theirs);
        if !contrast.lists_agree() && theirs.is_for_another(position.board()) {
            let moves: Vec<&str> =
                theirs.moves.iter().map(|(text, _)| text.as_str()).take(5).collect();
            let moves = moves.join(" ");
            return Err(CompareError::AnotherPosition { fen: position.fen(), moves });
        }
        Ok(contrast)
    }

    /// Follows a difference to where the lists of moves differ, or as deep as it goes.
    fn descend(
        &mut self,
        root: &Root,
        line: &[Move],
        start_depth: Depth,
        start_contrast: Contrast,
    ) -> Fault {
        let (start, mut line, mut depth) = (line.len(), line.to_vec(), start_depth);
        let mut contrast = start_contrast.clone();
        let mut broken_off = None;
        'down: while contrast.lists_agree() && depth > 1 {
            let mut wrong = contrast.counts.clone();
            // The smallest trees first.
            wrong.sort_by_key(|count| count.ours.max(count.theirs));
            for count in wrong {
                line.push(count.mv);
                match self.contrast(root, &line, depth - 1) {
                    Ok(deeper) if !deeper.agrees() => {
                        (contrast, depth) = (deeper, depth - 1);
                        continue 'down;
                    }
                    Ok(_) => _ = line.pop(),
                    // What is found is not given up for this.
                    Err(error) => {
                        line.pop();
                        broken_off = Some(error);
                        break 'down;
                    }
                }
            }
            // Asked about each move alone, they agree: this is as deep as it goes.
            break;
        }
        let mut without_moves = None;
        if !line.is_empty() && broken_off.is_none() {
            let alone = self.contrast(&root.after(&line), &[], depth);
            without_moves = alone.ok().map(|contrast| !contrast.agrees());
        }
        let root = *root;
        let broken_off = broken_off.map(|error| error.to_string());
        Fault {
            root,
            line,
            start,
            start_depth,
            start_contrast,
            depth,
            contrast,
            without_moves,
            broken_off,
        }
    }
}

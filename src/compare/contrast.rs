//! Two divides of one position, side by side.

use std::collections::BTreeMap;

use super::{Answer, respelled};
use crate::board::Board;
use crate::perft::Divide;
use crate::types::{Move, Variant};

/// A move whose counts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongCount {
    /// The move.
    pub mv: Move,
    /// Our count.
    pub ours: u128,
    /// Theirs.
    pub theirs: u128,
}

/// How their divide differs from ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contrast {
    /// Legal moves that they do not have, sorted.
    pub missing: Vec<String>,
    /// Moves of theirs that are not legal, sorted, each once.
    pub extra: Vec<String>,
    /// Moves that they list more than once.
    pub repeated: Vec<String>,
    /// Moves that both have with different counts, in our order.
    pub counts: Vec<WrongCount>,
    /// Our total.
    pub ours: u128,
    /// Their total: what they say, or the sum.
    pub theirs: u128,
    /// Their moves in our spelling, sorted, with their counts.
    pub(super) list: Vec<(String, u128)>,
}

impl Contrast {
    /// Puts the two side by side.
    pub fn new(board: &Board, variant: Variant, ours: &Divide, theirs: &Answer) -> Self {
        let mut their_counts: BTreeMap<String, Vec<u128>> = BTreeMap::new();
        for (text, nodes) in &theirs.moves {
            their_counts.entry(respelled(board, variant, text)).or_default().push(*nodes);
        }
        let lines = |(text, counts): (&String, &Vec<u128>)| {
            counts.iter().map(|&nodes| (text.clone(), nodes)).collect::<Vec<_>>()
        };
        let list = their_counts.iter().flat_map(lines).collect();
        let mut contrast = Self {
            missing: Vec::new(),
            extra: Vec::new(),
            repeated: Vec::new(),
            counts: Vec::new(),
            ours: ours.nodes,
            theirs: theirs.total.unwrap_or_else(|| theirs.sum()),
            list,
        };
        for branch in &ours.branches {
            let text = branch.mv.uci(variant);
            match their_counts.remove(&text).as_deref() {
                None => contrast.missing.push(text),
                Some([count]) if *count == branch.nodes => {}
                Some([count, more @ ..]) => {
                    if !more.is_empty() {
                        contrast.repeated.push(text);
                    }
                    if *count != branch.nodes {
                        let (mv, ours) = (branch.mv, branch.nodes);
                        contrast.counts.push(WrongCount { mv, ours, theirs: *count });
                    }
                }
                Some([]) => {}
            }
        }
        for (text, counts) in their_counts {
            if counts.len() > 1 {
                contrast.repeated.push(text.clone());
            }
            contrast.extra.push(text);
        }
        contrast
    }

    /// Whether the lists of moves are the same.
    pub fn lists_agree(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.repeated.is_empty()
    }

    /// The sum of their counts, which a faulty total is not.
    pub fn their_sum(&self) -> u128 {
        self.list.iter().map(|&(_, nodes)| nodes).fold(0, u128::saturating_add)
    }

    /// Whether only their total differs: it is not the sum of their counts.
    pub fn is_in_the_total_only(&self) -> bool {
        self.lists_agree() && self.counts.is_empty() && self.ours != self.theirs
    }

    /// Whether all is the same.
    pub fn agrees(&self) -> bool {
        self.lists_agree() && self.counts.is_empty() && self.ours == self.theirs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::divide;

    fn contrast(fen: &str, variant: Variant, lines: &[(&str, u128)]) -> Contrast {
        let board = Board::from_fen(fen, variant).unwrap();
        let ours = divide(&board, 1, variant).unwrap();
        let theirs = Answer::new(lines.iter().map(|&(text, nodes)| (text.to_owned(), nodes)));
        Contrast::new(&board, variant, &ours, &theirs)
    }

    #[test]
    fn castling_is_the_same_in_every_spelling() {
        let fen = "7k/8/8/8/8/p6p/P2PPP1P/3QKB1R w K - 0 1";
        let fen = fen.replace("KB1R", "K2R");
        let others = ["d1c1", "d1b1", "d1a1", "d1c2", "d1b3", "d1a4", "d2d3", "d2d4", "e2e3"];
        let more = ["e2e4", "f2f3", "f2f4", "e1f1", "h1g1", "h1f1"];
        for castle in ["e1g1", "e1h1", "O-O"] {
            let lines: Vec<(&str, u128)> =
                others.iter().chain(&more).chain([&castle]).map(|&text| (text, 1)).collect();
            let contrast = contrast(&fen, Variant::Standard, &lines);
            assert!(contrast.agrees(), "{castle}: {contrast:?}");
        }
    }

    #[test]
    fn every_difference_is_told() {
        let fen = "k7/8/8/8/8/8/8/K7 w - - 0 1";
        let contrast =
            contrast(fen, Variant::Standard, &[("a1a2", 2), ("a1b2", 1), ("a1b2", 1), ("a1c3", 1)]);
        assert_eq!(contrast.missing, ["a1b1"]);
        assert_eq!(contrast.extra, ["a1c3"]);
        assert_eq!(contrast.repeated, ["a1b2"]);
        assert_eq!((contrast.counts.len(), contrast.counts[0].theirs), (1, 2));
        assert_eq!((contrast.ours, contrast.theirs, contrast.their_sum()), (3, 5, 5));
    }
}

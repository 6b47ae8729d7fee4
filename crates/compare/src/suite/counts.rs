//! The counts of a position, with depths or without.

use super::SuiteErrorKind;
use perft_core::board::Board;
use perft_core::types::{MAX_GAME_MOVES, MAX_MOVES};
use perft_core::{Depth, perft};

/// A number before a count is taken for its depth up to this.
const MAX_LISTED_DEPTH: u128 = 32;

/// The counts of a position as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Depths and counts.
    pub pairs: Vec<(Depth, u128)>,
    /// Counts without depths, from depth 1 on, or from depth 0 on if the first is 1.
    pub list: Vec<u128>,
}

impl Counts {
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.list.is_empty()
    }

    /// All counts with their depths.
    pub fn with_depths(self, board: &Board) -> Result<Vec<(Depth, u128)>, SuiteErrorKind> {
        let mut counts = self.pairs;
        let first: u128 = if starts_at_depth_0(board, &self.list) { 0 } else { 1 };
        for (depth, nodes) in (first..).zip(self.list) {
            let bad = |_| SuiteErrorKind::Count(nodes.to_string());
            counts.push((Depth::try_from(depth).map_err(bad)?, nodes));
        }
        for (index, &(depth, _)) in counts.iter().enumerate() {
            if counts[..index].iter().any(|&(known, _)| known == depth) {
                return Err(SuiteErrorKind::DepthTwice(depth));
            }
        }
        if counts.is_empty() { Err(SuiteErrorKind::NoCount) } else { Ok(counts) }
    }

    /// Numbers side by side: counts from depth 1 on, or pairs of depth and count. Two of them that
    /// can be either are refused, unless `prefer_pairs`.
    pub fn of_numbers(
        board: &Board,
        numbers: &[u128],
        prefer_pairs: bool,
    ) -> Result<Self, SuiteErrorKind> {
        let pairs = pairs(numbers);
        let is_list =
            numbers.first() == Some(&legal_moves(board)) || starts_at_depth_0(board, numbers);
        let as_list = || Self { list: numbers.to_vec(), ..Self::default() };
        let Some(pairs) = pairs else { return Ok(as_list()) };
        let as_pairs = || Self { pairs: pairs.clone(), ..Self::default() };
        let second = numbers[1];
        if is_list && numbers[0] != 1 && perft(board, 2) == Ok(second) {
            return Ok(as_list());
        }
        let max_moves = if board.has_game_material() { MAX_GAME_MOVES } else { MAX_MOVES };
        let may_be_list = is_list || second <= numbers[0].saturating_mul(max_moves as u128);
        if numbers.len() > 2 || numbers[0] == 1 || prefer_pairs || !may_be_list {
            return Ok(as_pairs());
        }
        Err(SuiteErrorKind::Ambiguous {
            first: format!("{} leaves at depth 1 and {second} at depth 2", numbers[0]),
            second: format!("{second} leaves at depth {}", numbers[0]),
        })
    }
}

/// Pairs of depth and count, if the numbers can be that.
fn pairs(numbers: &[u128]) -> Option<Vec<(Depth, u128)>> {
    let (pairs, rest) = numbers.as_chunks();
    let are_depths = pairs.iter().all(|[depth, _]| (1..=MAX_LISTED_DEPTH).contains(depth))
        && pairs.is_sorted_by(|[a, _], [b, _]| a < b);
    let is_any = rest.is_empty() && !pairs.is_empty();
    (is_any && are_depths)
        .then(|| pairs.iter().map(|&[depth, nodes]| (depth as Depth, nodes)).collect())
}

fn legal_moves(board: &Board) -> u128 {
    board.count_legal_moves().into()
}

fn starts_at_depth_0(board: &Board, list: &[u128]) -> bool {
    let moves = legal_moves(board);
    matches!(list, &[1, second, ..] if second == moves && moves != 1)
}

/// A number as suites write it: `4865609`, `4_865_609`.
pub(super) fn number(text: &str) -> Option<u128> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let is_number = text.bytes().all(is_digit) && text.starts_with(|letter: char| letter != '_');
    if is_number { text.replace('_', "").parse().ok() } else { None }
}

/// A depth and a count: `1 20`, `1:20`, `D1 20`, `D1=20`, `perft 1 20`, `perft(1) = 20`. `None` if
/// the text does not begin like one.
pub(super) fn pair(text: &str) -> Option<Result<(Depth, u128), SuiteErrorKind>> {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let words = ["depth", "perft", "d"];
    let after_word = words.iter().find_map(|word| lower.strip_prefix(word)).unwrap_or(&lower);
    let after_word = after_word.trim_start_matches(['(', ' ', '\t']);
    if !after_word.starts_with(|letter: char| letter.is_ascii_digit()) {
        // `D` and `perft` alone are no operations of EPD.
        let is_word = words[..2].iter().any(|word| lower.starts_with(word));
        return is_word.then(|| Err(SuiteErrorKind::Count(text.to_owned())));
    }
    let mut fields =
        after_word.split(|letter: char| letter.is_whitespace() || "=:)".contains(letter));
    let mut number = || fields.by_ref().find(|field| !field.is_empty()).map(number);
    let (depth, nodes, more) = (number(), number(), number());
    let pair = match (depth, nodes, more) {
        (Some(Some(depth)), Some(Some(nodes)), None) => {
            Depth::try_from(depth).ok().map(|depth| (depth, nodes))
        }
        _ => None,
    };
    Some(pair.ok_or_else(|| SuiteErrorKind::Count(text.to_owned())))
}

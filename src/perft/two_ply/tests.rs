//! The kernel against real replies, move by move, and a check that the comparison would see
//! any rule that is wrong.

use super::ours::{Node, Sum};
use super::rules::{BROKEN, Rule};
use super::*;
use crate::positions::random::{chess960_start, random_game, random_placement};
use crate::random::Rng;
use crate::sliders::Fancy;
use crate::types::{Black, Color, Variant, White};

/// The number of replies to one move, by the kernel's rules.
fn by_rules<Us: Side>(board: &Board, mv: Move) -> u64 {
    let scene = Scene::<Fancy, Words<false>, Us>::new(board);
    let their_view = scene.their_view();
    let danger = scene.danger(their_view.union());
    if danger.contains(scene.our_king) {
        return by_making::<Us>(board, mv);
    }
    let lines = scene.lines();
    let replies = scene.replies(their_view, &lines);
    let their_king = scene.their_king(&lines);
    let node = Node { scene: &scene, lines: &lines, replies: &replies, their_king: &their_king };
    let mut sum = Sum::ZERO;
    node.single_move(&mut sum, mv);
    node.total(&sum)
}

/// The number of replies to one move that has been made.
fn by_making<Us: Side>(board: &Board, mv: Move) -> u64 {
    count_replies::<Fancy, Us>(board, mv) as u64
}

/// A count that is wrong.
struct Wrong {
    fen: String,
    /// The move, or all of them if only their sum is wrong.
    mv: Option<String>,
    by_rules: u64,
    by_making: u64,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { fen, mv, by_rules, by_making } = self;
        let mv = mv.as_deref().unwrap_or("the sum of all moves");
        write!(f, "{mv} in {fen}: {by_rules} replies by the rules, {by_making} by making it")
    }
}

fn check(board: &Board) -> Result<(), Wrong> {
    match board.side_to_move() {
        Color::White => check_as::<White>(board),
        Color::Black => check_as::<Black>(board),
    }
}

fn check_as<Us: Side>(board: &Board) -> Result<(), Wrong> {
    let wrong = |mv, by_rules, by_making| {
        let fen = board.fen(Variant::Chess960);
        Err(Wrong { fen, mv, by_rules, by_making })
    };
    let mut total = 0;
    for mv in board.legal_moves() {
        let (by_rules, by_making) = (by_rules::<Us>(board, mv), by_making::<Us>(board, mv));
        total += by_making;
        if by_rules != by_making {
            return wrong(Some(mv.uci(Variant::Chess960)), by_rules, by_making);
        }
    }
    let counted = count::<Fancy, Words<false>, Us>(board);
    if counted == total { Ok(()) } else { wrong(None, counted, total) }
}

/// Takes men off the board as long as the count stays wrong.
fn shrink(wrong: Wrong) -> Wrong {
    let smaller = without_one_man(&wrong.fen).into_iter().find_map(|board| check(&board).err());
    match smaller {
        Some(smaller) => shrink(smaller),
        None => wrong,
    }
}

/// The legal positions with one man less.
fn without_one_man(fen: &str) -> Vec<Board> {
    let (rows, rest) = fen.split_once(' ').expect("a FEN has fields");
    let without_castling: Vec<&str> =
        rest.split(' ').enumerate().map(|(i, field)| if i == 1 { "-" } else { field }).collect();
    let mut boards = Vec::new();
    for (at, letter) in rows.char_indices() {
        if letter.is_ascii_alphabetic() && !letter.eq_ignore_ascii_case(&'k') {
            let rows = format!("{}1{}", &rows[..at], &rows[at + 1..]);
            for rest in [rest, &without_castling.join(" ")] {
                boards.extend(Board::from_fen(
                    &join_gaps(&format!("{rows} {rest}")),
                    Variant::Chess960,
                ));
            }
        }
    }
    boards
}

/// Writes neighbouring gaps of a FEN as one.
fn join_gaps(fen: &str) -> String {
    let (rows, rest) = fen.split_once(' ').expect("a FEN has fields");
    let mut joined = String::new();
    let mut gap = 0;
    for letter in rows.chars().chain(['/']) {
        match letter.to_digit(10) {
            Some(digit) => gap += digit,
            None => {
                if gap > 0 {
                    joined += &gap.to_string();
                }
                gap = 0;
                joined.push(letter);
            }
        }
    }
    format!("{} {rest}", joined.trim_end_matches('/'))
}

/// The rules without which the count of the move would be another one.
fn rules_that_bear_on(wrong: &Wrong) -> Vec<Rule> {
    let board = Board::from_fen(&wrong.fen, Variant::Chess960).expect("it was legal before");
    let Some(mv) = &wrong.mv else { return Vec::new() };
    let mv = board.parse_uci(mv, Variant::Chess960).expect("it was legal before");
    let bears = |rule: &Rule| {
        BROKEN.set(Some(*rule));
        let count = match board.side_to_move() {
            Color::White => by_rules::<White>(&board, mv),
            Color::Black => by_rules::<Black>(&board, mv),
        };
        BROKEN.set(None);
        count != wrong.by_rules
    };
    Rule::ALL.into_iter().filter(bears).collect()
}

/// Positions in which a rule was once wrong.
const ONCE_WRONG: [&str; 6] = [
    // Castling takes two guards from one square at once.
    "8/8/8/8/8/3k4/2N5/1KR5 w C - 0 1",
    "2Q5/8/8/8/1p6/1k4n1/R6p/RK3Rr1 w AF - 0 1",
    "8/8/8/8/2P5/5kp1/8/1R4RK w G - 0 1",
    "rk5r/r7/1K1p4/4Rp2/1P6/1b6/3p1Br1/N7 b ha - 0 1",
    // A taken slider is not one of ours.
    "4k3/4q3/8/4n3/2B5/3NQ3/4K3/8 b - - 10 26",
    // A king that castles where it stands, and a man that leaves a line to it.
    "r1k5/8/2P5/8/8/8/8/2R3K1 w Ca - 0 1",
];

/// Those, then positions from random play and from random placements of men, without end.
fn positions(seed: u64) -> impl Iterator<Item = Board> {
    let mut rng = Rng::new(seed);
    let read = |fen| Board::from_fen(fen, Variant::Chess960).expect("it is legal");
    ONCE_WRONG.into_iter().map(read).chain((0..).flat_map(move |round| match round % 3 {
        0 => random_game(&mut rng, Board::startpos(), 120),
        1 => {
            let start = chess960_start(rng.below(960));
            random_game(&mut rng, start, 120)
        }
        _ => (0..150).map(|_| random_placement(&mut rng)).collect(),
    }))
}

#[test]
fn every_move_has_the_replies_that_making_it_leaves() {
    for board in positions(4).take(100_000) {
        if let Err(wrong) = check(&board) {
            let wrong = shrink(wrong);
            panic!("{wrong}; rules that bear on it: {:?}", rules_that_bear_on(&wrong));
        }
    }
}

#[test]
fn no_rule_can_be_left_out() {
    for rule in Rule::ALL {
        BROKEN.set(Some(rule));
        let found = positions(4).take(100_000).position(|board| check(&board).is_err());
        BROKEN.set(None);
        assert!(found.is_some(), "{rule:?} makes no difference");
    }
}

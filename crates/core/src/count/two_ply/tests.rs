//! The kernel against real replies, move by move, and a check that this finds any broken rule.

use super::ours::{Node, Sum};
use super::planes::Planes;
use super::replies::FIELD_ZERO;
use super::rules::{BROKEN, KernelRule};
use super::*;
use crate::board::BoardBuilder;
use crate::positions::random::{
    crowded_placement, random_chess960_start, random_game, random_placement,
};
use crate::random::Rng;
use crate::sys::Cpu;
use crate::sys::cpu::Baseline;
use crate::types::{CastlingMode, Piece, Square, White, by_side};

/// A kernel at a CPU level.
pub(in crate::count) trait Subject {
    /// The CPU level, for reports.
    fn level(&self) -> Cpu;

    /// The number of replies to each move by the kernel's rules. Moves that the kernel does not
    /// tell apart are together.
    fn replies(&self, board: &Board) -> Vec<(Vec<Move>, u64)>;

    /// The number of leaves two plies ahead.
    fn count(&self, board: &Board) -> u64;
}

/// The kernel for one position.
struct OnePosition<T>(Cpu, T);

impl<T: Target> OnePosition<T> {
    /// The number of replies to one move, by the kernel's rules.
    fn by_rules<Us: Side>(&self, board: &Board, mv: Move) -> u64 {
        let context = Context::<_, Us>::new(self.1, board);
        let their_rays = context.their_rays();
        let danger = context.danger(their_rays.union());
        if danger.contains(context.our_king) {
            return by_making(board, mv);
        }
        let lines = context.lines();
        let replies = context.replies(their_rays, &lines);
        let their_king = context.their_king(&lines);
        let node =
            Node { context: &context, lines: &lines, replies: &replies, their_king: &their_king };
        let mut sum = Sum::ZERO;
        node.single_move(&mut sum, mv);
        node.total(&sum)
    }
}

impl<T: Target> Subject for OnePosition<T> {
    fn level(&self) -> Cpu {
        self.0
    }

    fn replies(&self, board: &Board) -> Vec<(Vec<Move>, u64)> {
        let by_rules =
            |mv: Move| by_side!(board.side_to_move(), Us => self.by_rules::<Us>(board, mv));
        board.legal_moves().into_iter().map(|mv| (vec![mv], by_rules(mv))).collect()
    }

    fn count(&self, board: &Board) -> u64 {
        by_side!(board.side_to_move(), Us => count::<_, Us>(self.1, board))
    }
}

/// The kernels of all levels that this machine has.
fn subjects() -> Vec<Box<dyn Subject>> {
    #[allow(unused_mut)] // Other CPUs have no more.
    let mut subjects: Vec<Box<dyn Subject>> = vec![Box::new(OnePosition(Cpu::Portable, Baseline))];
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    {
        use crate::sys::cpu::{Avx2, Avx512};
        if let Some(level) = Avx2::detect() {
            subjects.push(Box::new(OnePosition(Cpu::V3, level)));
        }
        if let Some(level) = Avx512::for_test() {
            subjects.push(Box::new(super::super::batch::tests::EightPositions(level)));
        }
    }
    subjects
}

/// The number of replies to one move that has been made.
pub(in crate::count) fn by_making(board: &Board, mv: Move) -> u64 {
    let mut child = *board;
    child.make(mv);
    child.count_legal_moves().into()
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

fn check(subject: &dyn Subject, board: &Board) -> Result<(), Wrong> {
    let wrong = |mv, by_rules, by_making| {
        let fen = format!("{board:#}");
        Err(Wrong { fen, mv, by_rules, by_making })
    };
    let mut total = 0;
    for (moves, by_rules) in subject.replies(board) {
        let by_making = moves.iter().map(|&mv| by_making(board, mv)).sum();
        total += by_making;
        if by_rules != by_making {
            return wrong(Some(moves[0].uci(CastlingMode::Chess960)), by_rules, by_making);
        }
    }
    let counted = subject.count(board);
    if counted == total { Ok(()) } else { wrong(None, counted, total) }
}

/// Takes pieces off the board as long as the count stays wrong.
fn shrink(subject: &dyn Subject, wrong: Wrong) -> Wrong {
    let mut smaller = without_one_piece(&wrong.fen).into_iter();
    match smaller.find_map(|board| check(subject, &board).err()) {
        Some(smaller) => shrink(subject, smaller),
        None => wrong,
    }
}

/// The legal positions with one piece less, with and without castling rights.
fn without_one_piece(fen: &str) -> Vec<Board> {
    let board = Board::from_fen(fen, CastlingMode::Chess960).expect("it was legal before");
    let mut boards = Vec::new();
    for square in board.occupied() - board.pieces(Piece::King) {
        let mut builder = BoardBuilder::from(&board);
        builder.clear(square);
        boards.extend(builder.build());
        for rook in builder.castling_rooks() {
            builder.never_castle_with(rook);
        }
        boards.extend(builder.build());
    }
    boards
}

/// The rules without which the count of the move would differ.
fn rules_that_bear_on(subject: &dyn Subject, wrong: &Wrong) -> Vec<KernelRule> {
    let board = Board::from_fen(&wrong.fen, CastlingMode::Chess960).expect("it was legal before");
    let Some(mv) = &wrong.mv else { return Vec::new() };
    let mv = board.parse_uci(mv).expect("it was legal before");
    let bears = |rule: &KernelRule| {
        BROKEN.set(Some(*rule));
        let replies = subject.replies(&board);
        BROKEN.set(None);
        let (_, count) = replies
            .into_iter()
            .find(|(moves, _)| moves.contains(&mv))
            .expect("it was legal before");
        count != wrong.by_rules
    };
    KernelRule::ALL.iter().copied().filter(bears).collect()
}

/// Positions in which a rule was once wrong.
const ONCE_WRONG: [&str; 6] = [
    // Castling removes two attackers of one square at once.
    "8/8/8/8/8/3k4/2N5/1KR5 w C - 0 1",
    "2Q5/8/8/8/1p6/1k4n1/R6p/RK3Rr1 w AF - 0 1",
    "8/8/8/8/2P5/5kp1/8/1R4RK w G - 0 1",
    "rk5r/r7/1K1p4/4Rp2/1P6/1b6/3p1Br1/N7 b ha - 0 1",
    // A captured slider is not one of ours.
    "4k3/4q3/8/4n3/2B5/3NQ3/4K3/8 b - - 10 26",
    // A king that castles without moving, and a piece that leaves a line to it.
    "r1k5/8/2P5/8/8/8/8/2R3K1 w Ca - 0 1",
];

/// Those, then positions from random play and from random placements, without end.
fn positions(seed: u64) -> impl Iterator<Item = Board> {
    let mut rng = Rng::new(seed);
    let read = |fen| Board::from_fen(fen, CastlingMode::Chess960).expect("it is legal");
    ONCE_WRONG.into_iter().map(read).chain((0..).flat_map(move |round| match round % 4 {
        0 => random_game(&mut rng, Board::startpos(), 120),
        1 => {
            let start = random_chess960_start(&mut rng);
            random_game(&mut rng, start, 120)
        }
        2 => (0..150).map(|_| random_placement(&mut rng)).collect(),
        _ => (0..30).map(|_| crowded_placement(&mut rng)).collect(),
    }))
}

#[test]
fn every_move_has_the_replies_that_making_it_leaves() {
    for subject in subjects() {
        for board in positions(4).take(100_000) {
            if let Err(wrong) = check(&*subject, &board) {
                let wrong = shrink(&*subject, wrong);
                let rules = rules_that_bear_on(&*subject, &wrong);
                panic!("{}: {wrong}; rules that bear on it: {rules:?}", subject.level());
            }
        }
    }
}

/// The kernel for eight positions makes all promotions of ours, and moves that affect those of
/// theirs.
const NOT_FOR_EIGHT: [KernelRule; 2] = [KernelRule::PromotionThrough, KernelRule::CastlingTouched];

#[test]
fn no_rule_can_be_left_out() {
    for subject in subjects() {
        let level = subject.level();
        for &rule in KernelRule::ALL {
            if level == Cpu::Avx512 && NOT_FOR_EIGHT.contains(&rule) {
                continue;
            }
            BROKEN.set(Some(rule));
            let found =
                positions(4).take(100_000).position(|board| check(&*subject, &board).is_err());
            BROKEN.set(None);
            assert!(found.is_some(), "{rule:?} makes no difference at {level}");
        }
    }
}

/// The numbers of the example in the documentation of the module.
#[test]
fn the_example_is_true() {
    let board: Board = "7k/8/8/r7/8/8/1R6/7K w - - 0 1".parse().expect("it is legal");
    let context = Context::<_, White>::new(Baseline, &board);
    let lines = context.lines();
    let replies = context.replies(context.their_rays(), &lines);
    let their_king = context.their_king(&lines);
    assert_eq!((replies.count, their_king.count), (14, 3));

    let field = |name: &str| replies.field.at(name.parse().expect("a square")) - FIELD_ZERO;
    assert_eq!(["b5", "c5", "d5", "e5", "f5", "g5", "h5"].map(field), [6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(["a1", "a2", "a3", "a4", "a6", "a7", "a8"].map(field), [0, 1, 2, 3, 2, 1, 0]);

    let rook = ["b1", "b3", "b4", "b5", "b6", "a2", "c2", "d2", "e2", "f2"];
    let mut landings = Planes::ZERO;
    for name in rook.into_iter().chain(["g1", "g2", "h2"]) {
        landings.add_one(name.parse::<Square>().expect("a square").bitboard());
    }
    assert_eq!(landings.over(context.empty), 13);
    let lost = landings.times(&replies.field, context.empty) - 13 * FIELD_ZERO;
    assert_eq!(lost, 7);
    assert_eq!(replies.to_landings(&context, &landings, 17), 214);

    let by_making = |mv| by_making(&board, board.parse_uci(mv).expect("it is legal"));
    assert_eq!(["b2b7", "b2g2", "b2b8", "b2h2"].map(by_making), [15, 15, 2, 3]);
    assert_eq!(count::<_, White>(Baseline, &board), 249);
}

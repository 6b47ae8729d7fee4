//! Makes `perft_suites/` again from its seed:
//! `cargo run --release --features make-suites --example make_suites`.
//!
//! Every count is made by this program and by two independent generators: cozy-chess, and shakmaty
//! or Stockfish, which must be on the path. Unless all agree, nothing is written. `--check`
//! writes nothing and fails if the files differ from what it would write. Names (`tricky.epd`)
//! restrict it to those files; the deep counts of `standard.epd` take some minutes.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use perft_compare::suite::Entry;
use perft_compare::uci::{Divider, EngineSettings, Query, UciEngine};
use perft_core::positions::random::{chess960_start, double_chess960_start, random_game};
use perft_core::random::Rng;
use perft_core::sys::{CancelToken, pool};
use perft_core::{Bitboard, Board, CastlingMode, Color, Depth, MoveKind, Piece, Position, Rank};

const SEED: u64 = 2026;

/// A position to be counted.
struct Task {
    title: &'static str,
    /// The FEN as it is written: castling letters stay in the order given.
    fen: String,
    position: Position,
    /// Counts above this are left out.
    max_nodes: u128,
    max_depth: Depth,
    second: Second,
}

/// The second generator besides cozy-chess.
#[derive(Clone, Copy)]
enum Second {
    Shakmaty,
    Stockfish,
}

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let given = names.len();
    names.retain(|argument| argument != "--check");
    let check = names.len() < given;
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("perft_suites");
    let mut differs = false;
    type MakeTasks = fn() -> Vec<Task>;
    let suites: [(&str, &str, MakeTasks); 3] = [
        ("standard.epd", ABOUT_STANDARD, standard),
        ("chess960.epd", ABOUT_CHESS960, chess960),
        ("tricky.epd", ABOUT_TRICKY, tricky),
    ];
    for (name, about, tasks) in suites {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let text = format!("{about}{}", counted(&tasks()));
        let path = dir.join(name);
        if check {
            let same = std::fs::read_to_string(&path).is_ok_and(|found| found == text);
            println!("{name}: {}", if same { "as made" } else { "DIFFERS" });
            differs |= !same;
        } else {
            std::fs::write(&path, text).expect("the suite can be written");
            println!("{name}: written");
        }
    }
    if differs {
        std::process::exit(1);
    }
}

/// Counts all positions on all cores and returns the lines of the suite, with a comment above each
/// group of the same title.
fn counted(tasks: &[Task]) -> String {
    let threads = thread::available_parallelism().expect("the number of cores is known");
    let idle_engines = Mutex::new(Vec::new());
    let mut entries: Vec<Option<Entry>> = vec![None; tasks.len()];
    let work = |index: usize| Some((index, count(&tasks[index], &idle_engines)));
    let Ok(()) = pool::run(threads, 0..tasks.len(), &CancelToken::new(), work, |result| {
        if let Some((index, entry)) = result {
            entries[index] = Some(entry);
        }
        Ok::<(), Infallible>(())
    });
    let mut text = String::new();
    let mut last_title = "";
    for (entry, task) in entries.iter().zip(tasks) {
        if task.title != last_title {
            _ = write!(text, "\n# {}\n", task.title);
            last_title = task.title;
        }
        let entry = entry.as_ref().expect("every position is counted");
        let line = entry.to_string().replacen(&entry.position.to_string(), &task.fen, 1);
        _ = writeln!(text, "{line}");
    }
    text
}

/// A position with the counts on which three generators agree. The others read its FEN with the
/// en-passant square that it was given.
fn count(task: &Task, idle_engines: &Mutex<Vec<UciEngine>>) -> Entry {
    let &Task { ref fen, position, max_nodes, max_depth, second, .. } = task;
    let is_chess960 = position.castling_mode() == CastlingMode::Chess960;
    let cozy = cozy_chess::Board::from_fen(fen, is_chess960)
        .unwrap_or_else(|error| panic!("cozy-chess, {fen}: {error:?}"));
    let mut counts = Vec::new();
    for depth in 1..=max_depth {
        let ours = perft_core::perft(position.board(), depth).expect("the count fits");
        if ours > max_nodes {
            break;
        }
        let of_cozy = perft_oracles::cozy_perft(&cozy, depth);
        assert_eq!(ours, of_cozy.into(), "cozy-chess, {fen}, {depth}");
        let of_second = match second {
            Second::Shakmaty => {
                let board = perft_oracles::shakmaty_board(fen, position.castling_mode());
                let board = board.unwrap_or_else(|error| panic!("{error}"));
                perft_oracles::shakmaty_perft(&board, depth).into()
            }
            Second::Stockfish => {
                let idle_engines = || idle_engines.lock().unwrap_or_else(PoisonError::into_inner);
                let idle = idle_engines().pop();
                let mut engine = idle.unwrap_or_else(stockfish);
                let nodes = stockfish_perft(&mut engine, &position, depth);
                idle_engines().push(engine);
                nodes
            }
        };
        assert_eq!(ours, of_second, "second generator, {fen}, {depth}");
        counts.push((depth, ours));
        if ours == 0 {
            break;
        }
    }
    Entry::new(position, None, counts)
}

/// Starts the Stockfish on the path, or Debian's.
fn stockfish() -> UciEngine {
    let mut places = ["stockfish", "/usr/games/stockfish"].into_iter();
    let started = places.find_map(|place| UciEngine::start(&EngineSettings::new([place])).ok());
    started.expect("stockfish is installed")
}

fn stockfish_perft(engine: &mut UciEngine, position: &Position, depth: Depth) -> u128 {
    let output = engine.divide(&Query { root: position, line: &[], depth });
    let output = output.unwrap_or_else(|error| panic!("stockfish, {position}: {error}"));
    output.total.expect("stockfish prints a total")
}

const ABOUT_STANDARD: &str = "\
# Positions of standard chess.
#
# First the well-known ones, whose counts are published all over; then our own from random
# play with a fixed seed, by what they are rich in. All counts were made by this program and
# confirmed by the crates cozy-chess and shakmaty. Made with
# `cargo run --release --features make-suites --example make_suites`.
";

const ABOUT_CHESS960: &str = "\
# Positions of Chess960 and of Double Fischer Random, castling in Shredder-FEN: start arrays, and
# random play from them with a fixed seed. All counts were made by this program and confirmed by the crate cozy-chess
# and by Stockfish. Made with `cargo run --release --features make-suites --example make_suites`.
";

const ABOUT_TRICKY: &str = "\
# The rules that move generators get wrong, each named above its positions; some castling is
# Shredder-FEN. En-passant squares are given after every double push, also where no capture
# is legal: telling that is part of the test. All counts were made by this program and confirmed
# by the crate cozy-chess and by Stockfish. Made with
# `cargo run --release --features make-suites --example make_suites`.
";

/// The well-known positions and the depths to count; deeper counts are published too.
const WELL_KNOWN: [(&str, Depth); 36] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 7),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 6),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 8),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6),
    ("r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", 6),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 6),
    ("5nk1/pp3pp1/2p4p/q7/2PPB2P/P5P1/1P5K/3Q4 w - - 1 28", 6),
    ("3k4/3p4/8/K1P4r/8/8/8/8 b - - 0 1", 6),
    ("8/8/8/8/k1p4R/8/3P4/3K4 w - - 0 1", 6),
    ("8/8/4k3/8/2p5/8/B2P2K1/8 w - - 0 1", 6),
    ("8/b2p2k1/8/2P5/8/4K3/8/8 b - - 0 1", 6),
    ("8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 6),
    ("8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1", 6),
    ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", 6),
    ("4k2r/8/8/8/8/8/8/5K2 b k - 0 1", 6),
    ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 6),
    ("r3k3/8/8/8/8/8/8/3K4 b q - 0 1", 6),
    ("r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 4),
    ("r3k2r/7b/8/8/8/8/1B4BQ/R3K2R b KQkq - 0 1", 4),
    ("r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 4),
    ("r3k2r/8/5Q2/8/8/3q4/8/R3K2R w KQkq - 0 1", 4),
    ("2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 6),
    ("3K4/8/8/8/8/8/4p3/2k2R2 b - - 0 1", 6),
    ("8/8/1P2K3/8/2n5/1q6/8/5k2 b - - 0 1", 5),
    ("5K2/8/1Q6/2N5/8/1p2k3/8/8 w - - 0 1", 5),
    ("4k3/1P6/8/8/8/8/K7/8 w - - 0 1", 6),
    ("8/k7/8/8/8/8/1p6/4K3 b - - 0 1", 6),
    ("8/P1k5/K7/8/8/8/8/8 w - - 0 1", 6),
    ("8/8/8/8/8/k7/p1K5/8 b - - 0 1", 6),
    ("K1k5/8/P7/8/8/8/8/8 w - - 0 1", 6),
    ("8/8/8/8/8/p7/8/k1K5 b - - 0 1", 6),
    ("8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 7),
    ("8/8/8/8/1k6/8/K1p5/8 b - - 0 1", 7),
    ("8/5k2/8/5N2/5Q2/2K5/8/8 w - - 0 1", 4),
    ("8/8/2k5/5q2/5n2/8/5K2/8 b - - 0 1", 4),
];

/// The title of a group of random positions, and the test of a position and its ply for it.
type Wanted = (&'static str, fn(&Board, usize) -> bool);

const STANDARD_KINDS: [Wanted; 8] = [
    ("random play, opening", |_, ply| (4..16).contains(&ply)),
    ("random play, middle game", |_, ply| (24..60).contains(&ply)),
    ("random play, few pieces", |board, _| (4..=9).contains(&board.occupied().len())),
    ("random play, in check", |board, _| board.checkers().len() == 1),
    ("random play, in double check", |board, _| board.checkers().len() == 2),
    ("random play, a pawn can promote", |board, _| {
        board.legal_moves().iter().any(|mv| mv.promotion().is_some())
    }),
    ("random play, en passant can be played", |board, _| board.en_passant().is_some()),
    ("random play, castling can be played", |board, _| has(board, MoveKind::Castle)),
];

const CHESS960_KINDS: [Wanted; 4] = [
    ("random play, opening", |_, ply| (4..20).contains(&ply)),
    ("random play, castling can be played", |board, _| has(board, MoveKind::Castle)),
    ("random play, in check with castling rights", |board, _| {
        board.in_check() && !board.castling().rooks().is_empty()
    }),
    ("random play, a pawn next to promotion and castling rights", |board, _| {
        near_promotion(board) && !board.castling().rooks().is_empty()
    }),
];

const DOUBLE_KINDS: [Wanted; 1] =
    [("random play from those, castling can be played", |board, _| has(board, MoveKind::Castle))];

fn has(board: &Board, kind: MoveKind) -> bool {
    board.legal_moves().iter().any(|mv| mv.kind() == kind)
}

fn near_promotion(board: &Board) -> bool {
    let seventh = board.colored_pieces(Color::White, Piece::Pawn) & Bitboard::rank(Rank::Seventh);
    let second = board.colored_pieces(Color::Black, Piece::Pawn) & Bitboard::rank(Rank::Second);
    !(seventh | second).is_empty()
}

/// Plays random games until each kind has `quota` different positions.
fn chosen(
    kinds: &[Wanted],
    quota: usize,
    mut start: impl FnMut(&mut Rng) -> Board,
    second: Second,
) -> Vec<Task> {
    let mut rng = Rng::new(SEED);
    let mut chosen = HashSet::new();
    let mut tasks = Vec::new();
    for &(title, wanted) in kinds {
        let mut found = 0;
        while found < quota {
            let board = start(&mut rng);
            let game = random_game(&mut rng, board, 300);
            let fitting: Vec<_> = game
                .iter()
                .enumerate()
                .filter(|&(ply, board)| wanted(board, ply) && board.count_legal_moves() > 0)
                .map(|(_, board)| *board)
                .collect();
            // One from each game, so that no two are alike.
            let Some(&board) = rng.pick(&fitting) else { continue };
            if !chosen.insert(board.pack()) {
                continue;
            }
            found += 1;
            tasks.push(Task {
                title,
                fen: board.to_string(),
                position: board.into(),
                max_nodes: 5_000_000,
                max_depth: 6,
                second,
            });
        }
    }
    tasks
}

fn standard() -> Vec<Task> {
    let well_known = |&(fen, max_depth): &(&str, Depth)| Task {
        title: "well known",
        fen: fen.to_owned(),
        position: position(fen),
        max_nodes: 10_000_000_000,
        max_depth,
        second: Second::Shakmaty,
    };
    let mut tasks: Vec<Task> = WELL_KNOWN.iter().map(well_known).collect();
    tasks.extend(chosen(&STANDARD_KINDS, 18, |_| Board::startpos(), Second::Shakmaty));
    tasks
}

fn chess960() -> Vec<Task> {
    let mut rng = Rng::new(SEED + 1);
    let mut arrays: Vec<usize> = (0..960).collect();
    rng.shuffle(&mut arrays);
    let start_array = |&number: &usize| {
        let board = chess960_start(number);
        Task {
            title: "start arrays",
            fen: board.to_string(),
            position: board.into(),
            max_nodes: 10_000_000,
            max_depth: 5,
            second: Second::Stockfish,
        }
    };
    let mut tasks: Vec<Task> = arrays[..40].iter().map(start_array).collect();
    let start = |rng: &mut Rng| chess960_start(rng.below(960));
    tasks.extend(chosen(&CHESS960_KINDS, 25, start, Second::Stockfish));
    let mut rng = Rng::new(SEED + 2);
    let mut double_array = || loop {
        let (white, black) = (rng.below(960), rng.below(960));
        if white != black {
            return double_chess960_start(white, black);
        }
    };
    tasks.extend((0..40).map(|_| {
        let board = double_array();
        Task {
            title: "start arrays of Double Fischer Random",
            fen: board.to_string(),
            position: board.into(),
            max_nodes: 10_000_000,
            max_depth: 5,
            second: Second::Stockfish,
        }
    }));
    let start = |rng: &mut Rng| double_chess960_start(rng.below(960), rng.below(960));
    tasks.extend(chosen(&DOUBLE_KINDS, 20, start, Second::Stockfish));
    tasks
}

fn tricky() -> Vec<Task> {
    let with_title = |&(title, fens): &(&'static str, &'static [&str])| {
        fens.iter().map(move |fen| Task {
            title,
            fen: (*fen).to_owned(),
            position: position(fen),
            max_nodes: 3_000_000,
            max_depth: 6,
            second: Second::Stockfish,
        })
    };
    TRICKY.iter().flat_map(with_title).collect()
}

fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Each rule with positions that break a generator without it.
const TRICKY: &[(&str, &[&str])] = &[
    (
        "en passant: both pawns leave the king's rank",
        &[
            "8/8/8/K2pP2q/8/8/8/7k w - d6 0 1",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "4k3/8/8/r3PpK1/8/8/8/8 w - f6 0 1",
            "8/2p5/8/KP5r/8/8/8/7k b - - 0 1",
        ],
    ),
    (
        "en passant: the capturing pawn is pinned on a diagonal",
        &["4k3/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1", "8/8/5k2/8/3pP3/8/1B6/4K3 b - e3 0 1"],
    ),
    (
        "en passant: the capture goes along the pin",
        &["1b2k3/8/8/3pP3/8/6K1/8/8 w - d6 0 1", "4k3/2b5/8/3pP3/5K2/8/8/8 w - d6 0 1"],
    ),
    (
        "en passant: the capturing pawn is pinned on a file",
        &["4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/8/3Pp3/8/8/K3R3 b - d3 0 1"],
    ),
    (
        "en passant: the captured pawn was the checker",
        &["4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", "8/8/8/3k4/3pP3/8/8/4K3 b - e3 0 1"],
    ),
    (
        "en passant does not answer a discovered check",
        &["k3b3/8/8/1K1pP3/8/8/8/8 w - d6 0 1", "k3b3/3p4/8/1K2P3/8/8/8/8 b - - 0 1"],
    ),
    (
        "en passant: taking the pawn opens a diagonal onto the king",
        &["4k3/1b6/8/3pP3/8/8/6K1/8 w - d6 0 1"],
    ),
    (
        "en passant gives a discovered check",
        &["8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "7k/8/8/4pP2/8/8/1B6/K7 w - e6 0 1"],
    ),
    (
        "en passant: two pawns can take, one of them is pinned",
        &["4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", "4k3/6b1/8/2PpP3/8/2K5/8/8 w - d6 0 1"],
    ),
    (
        "en passant is for the next move only",
        &["4k3/2p5/8/1P6/6p1/8/5P2/4K3 w - - 0 1", "8/1k6/8/pPp5/8/8/8/4K3 w - a6 0 1"],
    ),
    (
        "castling through attack",
        &[
            "4kr2/8/8/8/8/8/8/4K2R w K - 0 1",
            "3rk3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "4k3/8/8/8/8/8/6p1/4K2R w K - 0 1",
            "8/8/8/8/8/8/6k1/4K2R w K - 0 1",
        ],
    ),
    (
        "castling into attack",
        &[
            "4k1r1/8/8/8/8/8/8/4K2R w K - 0 1",
            "2r1k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "4k3/8/8/8/8/4n3/8/R3K2R w KQ - 0 1",
        ],
    ),
    (
        "castling out of check",
        &["4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "r3k2r/8/3N4/8/8/8/8/4K3 b kq - 0 1"],
    ),
    (
        "castling is allowed while only the rook or its path is attacked",
        &["1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"],
    ),
    (
        "castling is blocked by a piece on the rook's path only",
        &["4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/Rn2K2R w KQ - 0 1"],
    ),
    (
        "a right is lost when the rook is captured at home",
        &[
            "r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1",
            "r3k2r/8/6N1/8/8/8/8/R3K2R w KQkq - 0 1",
            "r3k2r/1P4P1/8/8/8/8/8/R3K2R w KQkq - 0 1",
        ],
    ),
    (
        "a right does not come back with another rook, or with the king",
        &["4k3/8/8/8/8/8/7R/4K2R w K - 0 1", "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1"],
    ),
    (
        "Chess960: castling where the king does not move",
        &[
            "4k3/8/8/8/8/8/8/6KR w H - 0 1",
            "4k3/8/8/8/8/8/8/R1K5 w A - 0 1",
            "1rk5/8/8/8/8/8/8/4K3 b b - 0 1",
        ],
    ),
    (
        "Chess960: castling where the rook does not move",
        &["4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "3r1k2/8/8/8/8/8/8/4K3 b d - 0 1"],
    ),
    (
        "Chess960: castling where king and rook change places",
        &["4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "4k3/8/8/8/8/8/8/2RK4 w C - 0 1"],
    ),
    (
        "Chess960: the castling rook shields its king",
        &[
            "4k3/8/8/8/8/8/8/qRK5 w B - 0 1",
            "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
            "5krq/8/8/8/8/8/8/4K3 b g - 0 1",
        ],
    ),
    (
        "Chess960: the king's long way crosses an attack",
        &["k3r3/8/8/8/8/8/8/1K5R w H - 0 1", "7k/3r4/8/8/8/8/8/R4K2 w A - 0 1"],
    ),
    (
        "Chess960: a piece, or the other rook, stands in the rook's path",
        &["4k3/8/8/8/8/8/8/RN3K2 w A - 0 1", "4k3/8/8/8/8/8/8/1RKR4 w BD - 0 1"],
    ),
    (
        "Chess960: the inner of two rooks has the right",
        &["4k3/8/8/8/8/8/8/4K1RR w G - 0 1", "rr2k3/8/8/8/8/8/8/4K3 b b - 0 1"],
    ),
    (
        "promotion with check",
        &["7k/P7/8/8/8/8/8/K7 w - - 0 1", "3k4/1P6/8/8/8/8/1p6/3K4 b - - 0 1"],
    ),
    (
        "underpromotion: only the knight checks, or only it does not stalemate",
        &[
            "8/5P1k/8/8/8/8/8/K7 w - - 0 1",
            "8/8/8/8/8/1K6/5p1k/8 b - - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        ],
    ),
    (
        "promotion by a pinned pawn",
        &[
            "2b4k/1P6/K7/8/8/8/8/8 w - - 0 1",
            "7k/K1P4r/8/8/8/8/8/8 w - - 0 1",
            "1r5k/1P6/1K6/8/8/8/8/8 w - - 0 1",
        ],
    ),
    (
        "promotion answers a check",
        &["r6K/3P4/8/8/8/8/8/k7 w - - 0 1", "3r3K/4P3/8/8/8/8/8/k7 w - - 0 1"],
    ),
    (
        "double check: only the king moves",
        &[
            "3k4/8/8/8/4r3/2b5/1P6/Q3K3 w - - 0 1",
            "4k3/8/8/8/8/5n2/3PP3/R2QK2r w - - 0 1",
            "4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1",
        ],
    ),
    (
        "pins on every line",
        &[
            "3r3b/q6k/1P1R1B2/8/rN1K1Q1r/8/1B1R1N2/b2q2b1 w - - 0 1",
            "3R3B/Q6K/1n1r1b2/8/Rp1k1q1R/8/1b1r1n2/B2Q2B1 b - - 0 1",
        ],
    ),
    (
        "a pinned queen keeps to its line",
        &["4k3/8/8/8/1q6/8/3Q4/4K3 w - - 0 1", "4r1k1/8/8/8/8/8/4Q3/4K3 w - - 0 1"],
    ),
    (
        "the king does not step back along the line of a check",
        &["4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "4k3/8/8/b7/8/8/3K4/8 w - - 0 1"],
    ),
    (
        "the king does not capture a protected piece",
        &["4k3/8/8/8/8/2b5/3q4/4K3 w - - 0 1", "8/8/8/4k3/3rp3/3K4/8/8 w - - 0 1"],
    ),
    ("kings keep apart", &["8/8/8/3k4/8/3K4/8/8 w - - 0 1", "k7/8/K7/8/8/8/8/7R b - - 0 1"]),
    (
        "a double push answers a check where a single one does not",
        &["4k3/8/8/8/r6K/8/5P2/8 w - - 0 1", "4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1"],
    ),
    (
        "pawns do not capture around the edge",
        &["4k3/8/8/p6P/P6p/8/8/4K3 w - - 0 1", "4k3/p6p/P6P/8/8/p6p/P6P/4K3 b - - 0 1"],
    ),
    (
        "stalemate and checkmate",
        &[
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
            "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
            "8/8/8/8/8/5k2/4p3/5K2 w - - 0 1",
        ],
    ),
    (
        "218 moves, the most there are",
        &[
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
            "Kbnn1kb1/PP1q4/q4q2/2q4q/4q3/1q4q1/3q4/r6r b - - 0 1",
        ],
    ),
];

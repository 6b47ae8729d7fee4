//! Our speed beside that of other libraries: `cargo bench --bench yardsticks`.
//!
//! All programs count the same trees with one thread and without a table, in turn, several
//! rounds in one process, so that a noisy machine slows all of them alike. The best round of
//! each counts; every count is checked. For yardsticks at their fastest build with
//! `RUSTFLAGS="-C target-cpu=native"`. `--rounds N` sets the number of rounds.

use std::hint::black_box;
use std::time::Instant;

use perft::{Board, Variant};

/// Position, depth and count.
const WORK: [(&str, &str, u8, u128); 4] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119_060_324),
    (
        "kiwipete",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
        193_690_690,
    ),
    (
        "midgame",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        5,
        164_075_551,
    ),
    ("endgame", "5nk1/pp3pp1/2p4p/q7/2PPB2P/P5P1/1P5K/3Q4 w - - 1 28", 6, 849_167_880),
];

type Counter = fn(&str, u8) -> u128;

const PROGRAMS: [(&str, Counter); 3] =
    [("perft", ours), ("cozy-chess", with_cozy_chess), ("chess", with_chess)];

fn main() {
    let rounds = rounds();
    println!(
        "{:<10} {:>12} {:>12} {:>12}   best of {rounds}, million leaves a second",
        "", "perft", "cozy-chess", "chess"
    );
    let mut log_ratios = [0.0_f64; PROGRAMS.len()];
    for (name, fen, depth, nodes) in WORK {
        let mut best = [f64::INFINITY; PROGRAMS.len()];
        for _ in 0..rounds {
            for (best, (program, count)) in best.iter_mut().zip(PROGRAMS) {
                let start = Instant::now();
                let counted = black_box(count(black_box(fen), depth));
                *best = best.min(start.elapsed().as_secs_f64());
                assert_eq!(counted, nodes, "{program} on {name}");
            }
        }
        print!("{:<10}", format!("{name} {depth}"));
        for (log_ratio, time) in log_ratios.iter_mut().zip(best) {
            *log_ratio += (time / best[0]).ln();
            print!(" {:>12.1}", nodes as f64 / time / 1e6);
        }
        println!("   ratio to cozy-chess {:.2}", best[1] / best[0]);
    }
    for (log_ratio, (program, _)) in log_ratios.into_iter().zip(PROGRAMS).skip(1) {
        let mean = (log_ratio / WORK.len() as f64).exp();
        println!("geometric mean: {mean:.2} times {program}");
    }
}

/// The number after `--rounds`; cargo adds arguments of its own, which are passed over.
fn rounds() -> usize {
    let arguments: Vec<String> = std::env::args().collect();
    let given = arguments.windows(2).find(|pair| pair[0] == "--rounds");
    given.and_then(|pair| pair[1].parse().ok()).unwrap_or(5)
}

fn ours(fen: &str, depth: u8) -> u128 {
    let board = Board::from_fen(fen, Variant::Standard).expect("the position is legal");
    perft::perft(&board, depth).expect("the count fits")
}

fn with_cozy_chess(fen: &str, depth: u8) -> u128 {
    fn count(board: &cozy_chess::Board, depth: u8) -> u64 {
        let mut nodes = 0;
        board.generate_moves(|moves| {
            if depth == 1 {
                nodes += moves.len() as u64;
            } else {
                for mv in moves {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    nodes += count(&child, depth - 1);
                }
            }
            false
        });
        nodes
    }
    count(&fen.parse().expect("the position is legal"), depth).into()
}

fn with_chess(fen: &str, depth: u8) -> u128 {
    let board: chess::Board = fen.parse().expect("the position is legal");
    chess::MoveGen::movegen_perft_test(&board, depth.into()) as u128
}

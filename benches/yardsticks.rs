//! Our speed beside that of other libraries: `cargo bench --bench yardsticks`.
//!
//! All programs count the same trees with one thread and without a table, in turn, several
//! rounds in one process, so that a noisy machine slows all of them alike. The best round of
//! each counts; every count is checked. For yardsticks at their fastest:
//! `RUSTFLAGS="-C target-cpu=native" cargo bench --bench yardsticks --features cozy-chess/pext`.
//! `--rounds N` sets the number of rounds.

use std::hint::black_box;
use std::time::Instant;

use perft::bench::{WORK, Work};
use perft::{Board, Variant};

/// A start, a tactical position, a middle game and an endgame.
const NAMES: [&str; 4] = ["startpos", "kiwipete", "position6", "endgame"];

type Counter = fn(&str, u8) -> u128;

const PROGRAMS: [(&str, Counter); 3] =
    [("perft", ours), ("cozy-chess", with_cozy_chess), ("chess", with_chess)];

fn main() {
    let rounds = rounds();
    println!(
        "{:<12} {:>12} {:>12} {:>12}   best of {rounds}, million leaves a second",
        "", "perft", "cozy-chess", "chess"
    );
    let mut log_ratios = [0.0_f64; PROGRAMS.len()];
    for Work { name, fen, depth, nodes, .. } in
        WORK.into_iter().filter(|work| NAMES.contains(&work.name))
    {
        let mut best = [f64::INFINITY; PROGRAMS.len()];
        for _ in 0..rounds {
            for (best, (program, count)) in best.iter_mut().zip(PROGRAMS) {
                let start = Instant::now();
                let counted = black_box(count(black_box(fen), depth));
                *best = best.min(start.elapsed().as_secs_f64());
                assert_eq!(counted, u128::from(nodes), "{program} on {name}");
            }
        }
        print!("{:<12}", format!("{name} {depth}"));
        for (log_ratio, time) in log_ratios.iter_mut().zip(best) {
            *log_ratio += (time / best[0]).ln();
            print!(" {:>12.1}", nodes as f64 / time / 1e6);
        }
        println!("   ratio to cozy-chess {:.2}", best[1] / best[0]);
    }
    for (log_ratio, (program, _)) in log_ratios.into_iter().zip(PROGRAMS).skip(1) {
        let mean = (log_ratio / NAMES.len() as f64).exp();
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
    // The last ply apart from the others: with one closure for both it is a third slower.
    fn count(board: &cozy_chess::Board, depth: u8) -> u64 {
        let mut nodes = 0;
        if depth == 1 {
            board.generate_moves(|moves| {
                nodes += moves.len() as u64;
                false
            });
            return nodes;
        }
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                nodes += count(&child, depth - 1);
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

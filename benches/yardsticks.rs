//! Our speed beside that of other libraries: `cargo bench --bench yardsticks`.
//!
//! All libraries count the same trees with one thread and without a table, in turn, several
//! rounds in one process, so that a noisy machine slows all of them alike. The best round of
//! each is reported; every count is checked. For the other libraries at their fastest:
//! `RUSTFLAGS="-C target-cpu=native" cargo bench --bench yardsticks --features cozy-chess/pext`.
//! `--rounds N` sets the number of rounds; `--save FILE` writes the figures as JSON to FILE and a
//! picture of them beside it, as in `benches/speed.json` and `benches/speed.svg`.

#[path = "../tests/oracles/mod.rs"]
mod oracles;
mod picture;

use std::hint::black_box;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Instant;

use perft::bench::{WORK, Work};
use perft::{Board, Counter, Cpu};
use serde_json::{Value, json};

/// A start, a tactical position, a middle game and an endgame.
const NAMES: [&str; 4] = ["startpos", "kiwipete", "position6", "endgame"];

/// The number of leaves below a FEN.
type Count = fn(&str, u8) -> u128;

/// Ratios are to the third.
const PROGRAMS: [(&str, Count); 5] = [
    ("perft", ours),
    ("perft v3", ours_without_avx512),
    ("cozy-chess", with_cozy_chess),
    ("laura_core", with_laura_core),
    ("chess", with_chess),
];

fn main() {
    let rounds: usize = after("--rounds").unwrap_or(5);
    print!("{:<12}", "");
    for (program, _) in PROGRAMS {
        print!(" {program:>12}");
    }
    println!("   best of {rounds}, million leaves a second");
    let mut log_ratios = [0.0_f64; PROGRAMS.len()];
    let mut rows: Vec<Value> = Vec::new();
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
        println!("   ratio to cozy-chess {:.2}, v3 {:.2}", best[2] / best[0], best[2] / best[1]);
        let speeds = best.map(|time| (nodes as f64 / time / 1e5).round() / 10.0);
        rows.push(json!({ "position": name, "depth": depth, "nodes": nodes, "speeds": speeds }));
    }
    for (log_ratio, (program, _)) in log_ratios.into_iter().zip(PROGRAMS).skip(1) {
        let mean = (log_ratio / NAMES.len() as f64).exp();
        println!("geometric mean: {mean:.2} times {program}");
    }
    if let Some(path) = after::<PathBuf>("--save") {
        let programs = PROGRAMS.map(|(program, _)| program);
        let made = format!("{}; best of {rounds} rounds in turn", machine());
        let data = json!({ "made": made, "programs": programs, "rows": rows });
        std::fs::write(&path, format!("{data:#}\n")).expect("the figures are written");
        let picture = path.with_extension("svg");
        std::fs::write(picture, picture::draw(&data)).expect("the picture is written");
    }
}

/// The value of an option. Other arguments, such as those that cargo adds, are ignored.
fn after<T: FromStr>(option: &str) -> Option<T> {
    let arguments: Vec<String> = std::env::args().collect();
    let given = arguments.windows(2).find(|pair| pair[0] == option);
    given.and_then(|pair| pair[1].parse().ok())
}

/// The name of the CPU, on Linux.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or("an unknown CPU", |(_, name)| name.trim()).to_owned()
}

fn ours(fen: &str, depth: u8) -> u128 {
    let board: Board = fen.parse().expect("the position is legal");
    perft::perft(&board, depth).expect("the count fits")
}

/// Where the CPU has no AVX-512, the same as `ours`.
fn ours_without_avx512(fen: &str, depth: u8) -> u128 {
    let board: Board = fen.parse().expect("the position is legal");
    Counter::new().cpu(Cpu::V3).count(&board, depth).expect("the count fits")
}

fn with_laura_core(fen: &str, depth: u8) -> u128 {
    fn count(board: &laura_core::Board, depth: u8) -> u128 {
        use laura_core::{AllMoves, enumerate_legal_moves, gen_moves};
        let mut nodes = 0;
        if depth > 1 {
            enumerate_legal_moves::<AllMoves, _>(board, |mv| {
                nodes += count(&board.make_move(mv), depth - 1);
                true
            });
            return nodes;
        }
        gen_moves::<AllMoves>(board).len() as u128
    }
    count(&fen.parse().expect("the position is legal"), depth)
}

fn with_cozy_chess(fen: &str, depth: u8) -> u128 {
    let board = fen.parse().expect("the position is legal");
    oracles::cozy_perft(&board, depth).into()
}

fn with_chess(fen: &str, depth: u8) -> u128 {
    let board = fen.parse().expect("the position is legal");
    oracles::chess_perft(&board, depth).into()
}

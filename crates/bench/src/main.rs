//! Our speed beside that of other libraries: `cargo run --release -p perft-bench`.
//!
//! All libraries count with one thread and without a table, in turn, several rounds in one run, so
//! that a noisy machine slows all of them alike. We count one ply more than the others, since the
//! same tree takes us milliseconds. The best round of each is reported; every count is checked.
//! With the others at their fastest, and us as the program that everybody has:
//! `cargo build --release`, then
//! `RUSTFLAGS="-C target-cpu=native" cargo run --release -p perft-bench --target-dir target/native
//! --features cozy-chess/pext -- --program target/release/perft`. Without `--program` the library counts, built with the same
//! flags as the others.
//! `--rounds N` sets the number of rounds; `--save FILE` writes the figures as JSON to FILE and a
//! picture of them beside it, as in `crates/bench/speed.json` and `speed.svg`.

mod picture;

use std::hint::black_box;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;
use std::time::Instant;

use perft_core::bench::{WORK, Work};
use perft_core::{Board, CastlingMode, Counter, Cpu};
use serde_json::{Value, json};

/// A start, a tactical position, a middle game and an endgame, with their leaves one ply deeper than
/// in `WORK`.
const NAMES: [(&str, u128); 4] = [
    ("startpos", 3_195_901_860),
    ("kiwipete", 8_031_647_685),
    ("position6", 6_923_051_137),
    ("endgame", 24_958_831_314),
];

/// The number of leaves below a FEN.
type Count = Box<dyn Fn(&str, u8) -> u128>;

/// The first two are ours; ratios are to the third.
fn programs() -> [(&'static str, Count); 5] {
    [
        ("perft", ours(Cpu::detect())),
        ("perft v3", ours(Cpu::detect().min(Cpu::V3))),
        ("cozy-chess", Box::new(with_cozy_chess)),
        ("laura_core", Box::new(with_laura_core)),
        ("shakmaty", Box::new(with_shakmaty)),
    ]
}

fn main() {
    let rounds: usize = after("--rounds").unwrap_or(5);
    let programs = programs();
    print!("{:<12}", "");
    for (program, _) in &programs {
        print!(" {program:>12}");
    }
    println!("   best of {rounds}, million leaves a second");
    let mut log_ratios = [[0.0_f64; 5]; 2];
    let mut rows: Vec<Value> = Vec::new();
    for (name, deeper) in NAMES {
        let work = WORK.into_iter().find(|work| work.name == name);
        let Work { fen, depth, nodes, .. } = work.expect("the work has all names");
        let of = |index: usize| if index < 2 { (depth + 1, deeper) } else { (depth, nodes.into()) };
        let mut speeds = [0.0_f64; 5];
        for _ in 0..rounds {
            for (index, (program, count)) in programs.iter().enumerate() {
                let (depth, nodes) = of(index);
                let start = Instant::now();
                let counted = black_box(count(black_box(fen), depth));
                let speed = nodes as f64 / start.elapsed().as_secs_f64() / 1e6;
                speeds[index] = speeds[index].max(speed);
                assert_eq!(counted, nodes, "{program} on {name}");
            }
        }
        print!("{:<12}", format!("{name} {}", depth + 1));
        for (index, speed) in speeds.into_iter().enumerate() {
            for (ours, log_ratios) in log_ratios.iter_mut().enumerate() {
                log_ratios[index] += (speeds[ours] / speed).ln();
            }
            print!(" {speed:>12.1}");
        }
        let [ratio, v3] = [speeds[0], speeds[1]].map(|ours| ours / speeds[2]);
        println!("   ratio to cozy-chess {ratio:.2}, v3 {v3:.2}");
        let speeds = speeds.map(|speed| (speed * 10.0).round() / 10.0);
        rows.push(json!({ "position": name, "depth": depth + 1, "speeds": speeds }));
    }
    for (ours, log_ratios) in log_ratios.into_iter().enumerate() {
        for (log_ratio, (program, _)) in log_ratios.into_iter().zip(&programs).skip(2) {
            let mean = (log_ratio / NAMES.len() as f64).exp();
            println!("geometric mean: {} is {mean:.2} times {program}", programs[ours].0);
        }
    }
    if let Some(path) = after::<PathBuf>("--save") {
        let programs = programs.map(|(program, _)| program);
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

/// Our library, or the program that is given.
fn ours(cpu: Cpu) -> Count {
    let Some(program) = after::<PathBuf>("--program") else {
        return Box::new(move |fen, depth| {
            let board: Board = fen.parse().expect("the position is legal");
            Counter::new().cpu(cpu).count(&board, depth).expect("the count fits")
        });
    };
    Box::new(move |fen, depth| {
        let mut command = Command::new(&program);
        command.args([fen, &depth.to_string(), "--threads", "1", "--hash", "0", "--quiet"]);
        let output = command.args(["--cpu", cpu.name()]).output().expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let nodes = text.lines().find_map(|line| line.strip_prefix("Nodes searched: "));
        nodes.and_then(|nodes| nodes.parse().ok()).expect("the program counts")
    })
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
    perft_oracles::cozy_perft(&board, depth).into()
}

fn with_shakmaty(fen: &str, depth: u8) -> u128 {
    let board = perft_oracles::shakmaty_board(fen, CastlingMode::Standard);
    perft_oracles::shakmaty_perft(&board.expect("the position is legal"), depth).into()
}

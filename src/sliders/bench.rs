//! How fast a system answers.

use std::hint::black_box;
use std::time::Instant;

use super::{Sliders, System, with_sliders};
use crate::board::Board;
use crate::cpu::Cpu;
use crate::perft::{Depth, Engine, Kernel};
use crate::random::Rng;
use crate::types::{Bitboard, Square};

/// One measurement of a system.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Queen look-ups a second where each needs the one before: how long one takes.
    pub chained: f64,
    /// Queen look-ups a second where none needs another: how many go on at once.
    pub streamed: f64,
    /// Leaves a second of a real count.
    pub nodes: f64,
}

/// Squares and occupied squares to look up.
const QUESTIONS: usize = 4096;

/// Measures a system once: `look_ups` of both kinds, then a count.
pub fn sample(system: System, cpu: Cpu, look_ups: usize, board: &Board, depth: Depth) -> Sample {
    let questions = questions();
    let rounds = look_ups.div_ceil(QUESTIONS);
    let rate = |done: usize, start: Instant| done as f64 / start.elapsed().as_secs_f64().max(1e-9);
    let start = Instant::now();
    black_box(with_sliders!(system, S => run::<S>(cpu, &questions, rounds, true)));
    let chained = rate(rounds * QUESTIONS, start);
    let start = Instant::now();
    black_box(with_sliders!(system, S => run::<S>(cpu, &questions, rounds, false)));
    let streamed = rate(rounds * QUESTIONS, start);
    // The kernel that has code of this level for every system.
    let engine = Engine { kernel: Kernel::Simple, sliders: system, cpu };
    let start = Instant::now();
    let nodes = black_box(engine.count(board, depth)).unwrap_or_default();
    Sample { chained, streamed, nodes: rate(nodes as usize, start) }
}

fn questions() -> Vec<(Square, Bitboard)> {
    let mut rng = Rng::new(1);
    let question = |rng: &mut Rng| {
        // About a quarter of the squares, as in a middle game.
        let occupied = Bitboard(rng.next_u64() & rng.next_u64());
        (Square::from_index(rng.below(64)), occupied)
    };
    (0..QUESTIONS).map(|_| question(&mut rng)).collect()
}

fn run<S: Sliders>(
    cpu: Cpu,
    questions: &[(Square, Bitboard)],
    rounds: usize,
    chained: bool,
) -> Bitboard {
    #[cfg(target_arch = "x86_64")]
    if cpu == Cpu::V3 && Cpu::detect() >= Cpu::V3 {
        // SAFETY: `detect` has just seen every feature that the function is compiled for.
        // Gain: without it PEXT is a call and not an instruction.
        #[allow(unsafe_code)]
        return unsafe { run_v3::<S>(questions, rounds, chained) };
    }
    _ = cpu;
    ask::<S>(questions, rounds, chained)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2,lzcnt")]
fn run_v3<S: Sliders>(questions: &[(Square, Bitboard)], rounds: usize, chained: bool) -> Bitboard {
    ask::<S>(questions, rounds, chained)
}

#[inline(always)]
fn ask<S: Sliders>(questions: &[(Square, Bitboard)], rounds: usize, chained: bool) -> Bitboard {
    let mut seen = Bitboard::EMPTY;
    for _ in 0..rounds {
        for &(square, occupied) in questions {
            if chained {
                // The answer before moves the next slider, so it must be awaited.
                let square = Square::from_index(square.index() ^ (seen.0 & 1) as usize);
                seen = S::queen(square, occupied);
            } else {
                seen ^= S::queen(square, occupied);
            }
        }
    }
    seen
}

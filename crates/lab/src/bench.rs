//! The speed of lookups: of random queries, and of the queries of a real count, replayed.

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use perft_core::attacks::Sliders;
use perft_core::attacks::magic::Magic;
use perft_core::attacks::rays::Slider;
use perft_core::board::Board;
use perft_core::movegen::legal_moves_with;
use perft_core::random::Rng;
#[cfg(all(target_arch = "x86_64", not(perft_portable)))]
use perft_core::sys::cpu::{Avx2, Level};
use perft_core::types::{Bitboard, Square};

/// One measurement of a system.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Queen lookups a second, each depending on the one before: latency.
    pub chained: f64,
    /// Independent queen lookups a second: throughput.
    pub streamed: f64,
    /// Rook and bishop lookups a second, as move generation makes them.
    pub replayed: f64,
}

/// The number of random queries.
const RANDOM: usize = 4096;

/// The highest number of recorded queries: 1 MiB, so that they leave room in the cache.
const MAX_RECORDED: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Query {
    slider: Slider,
    square: Square,
    occupied: Bitboard,
}

/// The lookups that are measured, the same for every system.
#[derive(Clone, Debug)]
pub struct Queries {
    random: Vec<(Square, Bitboard)>,
    recorded: Vec<Query>,
}

impl Queries {
    /// Random queries, and those of generating all moves of a count of `board` to `depth`.
    pub fn record(board: &Board, depth: u8) -> Self {
        let mut rng = Rng::new(1);
        let mut random = || {
            // About a quarter of the squares, as in a middle game.
            let occupied = Bitboard(rng.next_u64() & rng.next_u64());
            (Square::from_index(rng.below(64)), occupied)
        };
        let random = (0..RANDOM).map(|_| random()).collect();
        let recorder = Recorder::default();
        recorder.walk(board, depth);
        let mut recorded = recorder.0.into_inner();
        recorded.truncate(MAX_RECORDED);
        Self { random, recorded }
    }
}

/// Looks up by magics and keeps the queries.
#[derive(Default)]
struct Recorder(RefCell<Vec<Query>>);

impl Recorder {
    fn walk(&self, board: &Board, depth: u8) {
        if depth == 0 || self.0.borrow().len() >= MAX_RECORDED {
            return;
        }
        for mv in legal_moves_with(board, self) {
            let mut next = *board;
            next.make(mv);
            self.walk(&next, depth - 1);
        }
    }
}

impl Sliders for Recorder {
    fn attacks(&self, slider: Slider, square: Square, occupied: Bitboard) -> Bitboard {
        self.0.borrow_mut().push(Query { slider, square, occupied });
        Magic.attacks(slider, square, occupied)
    }
}

/// Loops that are compiled for each system, behind one call that is not.
pub(super) trait Measure: Sliders + Sync {
    fn measure(&self, queries: &Queries, look_ups: usize) -> Sample;
}

impl<S: Sliders + Sync> Measure for S {
    fn measure(&self, queries: &Queries, look_ups: usize) -> Sample {
        let Queries { random, recorded } = queries;
        Sample {
            chained: rate(random, look_ups, |before, &(square, occupied)| {
                // The result before moves the next slider, so that it must be awaited.
                let square = Square::from_index(square.index() ^ (before.0 & 1) as usize);
                self.queen(square, occupied)
            }),
            streamed: rate(random, look_ups, |sum, &(square, occupied)| {
                mix(sum, self.queen(square, occupied))
            }),
            replayed: rate(recorded, look_ups, |sum, query| {
                let Query { slider, square, occupied } = *query;
                // A move generator knows the piece when it is compiled.
                let attacks = match slider {
                    Slider::Rook => self.rook(square, occupied),
                    Slider::Bishop => self.bishop(square, occupied),
                };
                mix(sum, attacks)
            }),
        }
    }
}

/// Lookups a second of going through `queries` again and again, each result given to the next.
fn rate<Q>(queries: &[Q], look_ups: usize, look_up: impl Fn(Bitboard, &Q) -> Bitboard) -> f64 {
    let rounds = look_ups.div_ceil(queries.len().max(1));
    let start = Instant::now();
    black_box(at_cpu_level(|| {
        (0..rounds).fold(Bitboard::EMPTY, |result, _| queries.iter().fold(result, &look_up))
    }));
    (rounds * queries.len()) as f64 / start.elapsed().as_secs_f64().max(1e-9)
}

/// The rotation keeps the compiler from making several lookups at once in vectors, which a move
/// generator could not do.
#[inline(always)]
fn mix(sum: Bitboard, attacks: Bitboard) -> Bitboard {
    Bitboard(sum.0.rotate_left(1)) ^ attacks
}

/// Runs `f` compiled for the highest level of this CPU: PEXT is a function call in other code.
#[inline(always)]
fn at_cpu_level<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(all(target_arch = "x86_64", not(perft_portable)))]
    if let Some(avx2) = Avx2::detect() {
        return avx2.outlined(f);
    }
    f()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_a_count_is_recorded_up_to_the_limit() {
        let recorded = |depth| Queries::record(&Board::startpos(), depth).recorded.len();
        // The queries of one position, then of 21; a count to 9 plies would take hours.
        assert!(recorded(1) > 0 && recorded(2) > 20 * recorded(1));
        assert_eq!(recorded(9), MAX_RECORDED);
    }
}

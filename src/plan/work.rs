//! Counting units on several threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::perft::{Depth, PerftError, Workers};
use crate::threads;

/// Counts units, each a position and a depth with something of the caller's, and calls `done`
/// with each count and its time as it is finished, in any order. Units are taken from the
/// iterator as they are needed; the first error from there ends the work, after the units
/// that were begun before it, and the first from `done` at once. Units that are not finished when it is stopped are not
/// reported.
///
/// # Errors
/// The first from `units` or `done`, or that a count does not fit into 128 bits.
pub fn work<U, E>(
    workers: &Workers<'_>,
    units: impl Iterator<Item = Result<(Board, Depth, U), E>> + Send,
    mut done: impl FnMut(U, u128, Duration) -> Result<(), E>,
) -> Result<(), E>
where
    U: Send,
    E: Send + From<PerftError>,
{
    let units = Mutex::new(units);
    let failed = AtomicBool::new(false);
    let is_over = || failed.load(Ordering::Relaxed) || workers.stop.load(Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        threads::start(scope, workers.threads.get(), || {
            let (sender, units, is_over) = (sender.clone(), &units, &is_over);
            move || {
                while !is_over() {
                    let next = units.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(unit) = next else { return };
                    let result = unit.and_then(|(board, depth, unit)| {
                        let start = Instant::now();
                        let nodes = workers.count(&board, depth)?;
                        Ok((unit, nodes, start.elapsed()))
                    });
                    // A count that was given up half-way is none.
                    if workers.stop.load(Ordering::Relaxed) || sender.send(result).is_err() {
                        return;
                    }
                }
            }
        });
        drop(sender);
        let mut first = Ok(());
        for result in receiver {
            match result {
                Ok((unit, nodes, time)) => {
                    let told = done(unit, nodes, time);
                    if told.is_err() {
                        failed.store(true, Ordering::Relaxed);
                        return told;
                    }
                }
                Err(error) => {
                    failed.store(true, Ordering::Relaxed);
                    first = first.and(Err(error));
                }
            }
        }
        first
    })
}

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
/// iterator as they are needed. The first error from there, or of a count, ends the work after the
/// units that are being counted; the first from `done` ends it at once, as nobody is told of more.
/// Units that are not finished when it is stopped are not reported.
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
    // No more units are taken; and those that are being counted are given up.
    let (is_last, failed) = (AtomicBool::new(false), AtomicBool::new(false));
    let is_given_up = || failed.load(Ordering::Relaxed) || workers.stop.load(Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        threads::start(scope, workers.threads.get(), || {
            let (sender, units, is_given_up) = (sender.clone(), &units, &is_given_up);
            let (is_last, failed) = (&is_last, &failed);
            move || {
                while !is_last.load(Ordering::Relaxed) && !is_given_up() {
                    let next = units.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(unit) = next else { return };
                    let result = unit.and_then(|(board, depth, unit)| {
                        let start = Instant::now();
                        let nodes = workers.count(&board, depth, failed)?;
                        Ok((unit, nodes, start.elapsed()))
                    });
                    is_last.fetch_or(result.is_err(), Ordering::Relaxed);
                    // A count that was given up half-way is none.
                    if is_given_up() || sender.send(result).is_err() {
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
                Err(error) => first = first.and(Err(error)),
            }
        }
        first
    })
}

//! Counting units on several threads.

use std::num::NonZero;
use std::time::{Duration, Instant};

use crate::board::Board;
use crate::perft::{CountError, Counter, Depth};
use crate::sys::pool;

/// Counts units, each a position and a depth with a value of the caller's, and calls `on_result`
/// with each count and its time as it is finished, in any order. Units are taken from the iterator
/// as they are needed. The first error from there, or of a count, ends the work after the units
/// that are being counted; the first from `on_result` ends it at once. Units that are not finished
/// when the counter is cancelled are not reported.
///
/// # Errors
/// The first from `units` or `on_result`, or that a count does not fit into 128 bits.
pub fn work<U, E>(
    counter: &Counter,
    units: impl Iterator<Item = Result<(Board, Depth, U), E>> + Send,
    mut on_result: impl FnMut(U, u128, Duration) -> Result<(), E>,
) -> Result<(), E>
where
    U: Send,
    E: Send + From<CountError>,
{
    let threads = counter.thread_count();
    let cancel = counter.cancel_token().child();
    let counter = counter.clone().threads(NonZero::<usize>::MIN).cancel(cancel.clone());
    // After an error no more units are taken.
    let mut failed = false;
    let units = units.take_while(move |unit| {
        let take = !failed;
        failed |= unit.is_err();
        take
    });
    let count = |unit: Result<(Board, Depth, U), E>| match unit {
        Err(error) => Some(Err(error)),
        Ok((board, depth, unit)) => {
            let start = Instant::now();
            match counter.count(&board, depth) {
                Err(CountError::Cancelled(_)) => None,
                Err(error) => Some(Err(error.into())),
                Ok(nodes) => Some(Ok((unit, nodes, start.elapsed()))),
            }
        }
    };
    let mut first = Ok(());
    pool::run(threads, units, &cancel, count, |result| match result {
        Some(Ok((unit, nodes, time))) => on_result(unit, nodes, time),
        Some(Err(error)) if first.is_ok() => {
            first = Err(error);
            Ok(())
        }
        _ => Ok(()),
    })?;
    first
}

//! Counting units on several threads.

use std::num::NonZero;
use std::time::{Duration, Instant};

use perft_core::board::Board;
use perft_core::sys::pool;
use perft_core::{CountError, Counter, Depth};

/// Counts units with [`Counter::count`]: see [`work_with`].
///
/// # Errors
/// Those of [`work_with`].
pub fn work<U, E>(
    counter: &Counter,
    units: impl Iterator<Item = Result<(Board, Depth, U), E>> + Send,
    on_result: impl FnMut(U, u128, Duration) -> Result<(), E>,
) -> Result<(), E>
where
    U: Send,
    E: Send + From<CountError>,
{
    work_with(counter, Counter::count, units, on_result)
}

/// Counts units, each a position and a depth with a value of the caller's, and calls `on_result`
/// with each count and its time as it is finished, in any order. Units are taken from the iterator
/// as they are needed. The first error from there, or of a count, ends the work after the units
/// that are being counted; the first from `on_result` ends it at once. Units that are not finished
/// when the counter is cancelled are not reported.
///
/// # Errors
/// The first from `units` or `on_result`, or that a count does not fit into 128 bits.
pub fn work_with<U, R, E>(
    counter: &Counter,
    count: impl Fn(&Counter, &Board, Depth) -> Result<R, CountError> + Sync,
    units: impl Iterator<Item = Result<(Board, Depth, U), E>> + Send,
    mut on_result: impl FnMut(U, R, Duration) -> Result<(), E>,
) -> Result<(), E>
where
    U: Send,
    R: Send,
    E: Send + From<CountError>,
{
    let threads = counter.get_threads();
    let cancel = counter.cancel_token().child();
    let counter = counter.clone().threads(NonZero::<usize>::MIN).cancel(cancel.clone());
    // After an error no more units are taken.
    let mut failed = false;
    let units = units.take_while(move |unit| {
        let take = !failed;
        failed |= unit.is_err();
        take
    });
    let count_unit = |unit: Result<(Board, Depth, U), E>| match unit {
        Err(error) => Some(Err(error)),
        Ok((board, depth, unit)) => {
            let start = Instant::now();
            match count(&counter, &board, depth) {
                Err(CountError::Cancelled(_) | CountError::CancelledStats(_)) => None,
                Err(error) => Some(Err(error.into())),
                Ok(result) => Some(Ok((unit, result, start.elapsed()))),
            }
        }
    };
    let mut first = Ok(());
    pool::run(threads, units, &cancel, count_unit, |result| match result {
        Some(Ok((unit, result, time))) => on_result(unit, result, time),
        Some(Err(error)) if first.is_ok() => {
            first = Err(error);
            Ok(())
        }
        _ => Ok(()),
    })?;
    first
}

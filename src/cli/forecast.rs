//! A warning before a count that will take hours.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perft_core::{Board, Counter, Depth, Table, estimate};

use super::output;

/// Smaller trees take minutes at most.
const MIN_LEAVES: f64 = 1e13;
/// The trial counts as deep as the tree has no more leaves than this.
const MAX_TRIAL_LEAVES: f64 = 3e8;
const TRIAL_TABLE_BYTES: usize = 64 << 20;
/// Shorter counts get no warning.
const LONG: Duration = Duration::from_secs(3600);

/// Warns of a count that takes an hour or more, by the time of two smaller depths.
pub fn warn_of_long_count(counter: &Counter, board: &Board, depth: Depth) {
    if estimate(board, depth) < MIN_LEAVES {
        return;
    }
    let trial = Counter::new()
        .threads(counter.get_threads())
        .backend(counter.get_backend().available())
        .cancel(counter.cancel_token().clone());
    let deepest = (2..depth).take_while(|&depth| estimate(board, depth) <= MAX_TRIAL_LEAVES).last();
    let Some(deepest) = deepest else { return };
    let mut times = [Duration::ZERO; 2];
    for (time, depth) in times.iter_mut().zip([deepest - 1, deepest]) {
        // A new table for each, as the count has one.
        let Ok(table) = Table::new(TRIAL_TABLE_BYTES) else { return };
        let start = Instant::now();
        if trial.clone().table(Arc::new(table)).divide(board, depth).is_err() {
            return;
        }
        *time = start.elapsed();
    }
    let time = forecast(times, depth - deepest);
    if time >= LONG.as_secs_f64() {
        output::note(format_args!(
            "perft: by an estimate this takes {}; --checkpoint FILE saves progress and resumes",
            in_words(time)
        ));
    }
}

/// The seconds of a count some plies deeper than the second of two counts, one ply apart, as if the
/// time grew evenly.
fn forecast([shorter, longer]: [Duration; 2], plies: Depth) -> f64 {
    // Equal positions are found more often the deeper a count is, and short times are not exact.
    let growth = (longer.as_secs_f64() / shorter.as_secs_f64().max(1e-6)).clamp(4.0, 30.0);
    longer.as_secs_f64() * growth.powi(plies.into())
}

/// A rough time: `about 5 hours`, `about 12 days`, `years`.
fn in_words(seconds: f64) -> String {
    let (hours, days) = (seconds / 3600.0, seconds / 86400.0);
    match () {
        () if hours < 48.0 => {
            format!("about {hours:.0} hour{}", if hours < 1.5 { "" } else { "s" })
        }
        () if days < 730.0 => format!("about {days:.0} days"),
        () => "years".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_grows_by_the_same_factor_with_each_ply() {
        let times = [Duration::from_millis(10), Duration::from_millis(100)];
        assert!((forecast(times, 0) - 0.1).abs() < 1e-9);
        assert!((forecast(times, 3) - 100.0).abs() < 1e-6);
        // Not by less than a position with few moves grows.
        assert!((forecast([times[1]; 2], 1) - 0.4).abs() < 1e-9);
    }

    #[test]
    fn a_rough_time_is_given_in_words() {
        let words = [3600.0, 5.2 * 3600.0, 86400.0 * 12.1, 1e12].map(in_words);
        assert_eq!(words, ["about 1 hour", "about 5 hours", "about 12 days", "years"]);
    }
}

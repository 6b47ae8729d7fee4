//! Ctrl-C: what is done is not lost.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::INTERRUPTED;

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// `timeout` tells the program and then its group, which is not asking twice.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// From now on Ctrl-C sets the flag that is returned. Without a handler it ends the program,
/// which is what it is for.
pub fn stop_on_interrupt() -> &'static AtomicBool {
    // Whoever asks twice does not want to wait for the next time that somebody looks.
    let asked: OnceLock<Instant> = OnceLock::new();
    _ = ctrlc::set_handler(move || {
        STOP.store(true, Ordering::Relaxed);
        if asked.get_or_init(Instant::now).elapsed() > ONE_REQUEST {
            std::process::exit(INTERRUPTED.into());
        }
    });
    &STOP
}

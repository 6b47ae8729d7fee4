//! Ctrl-C: what is done is not lost.

use std::sync::atomic::{AtomicBool, Ordering};

use super::INTERRUPTED;

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets the flag that is returned. Without a handler it ends the program,
/// which is what it is for.
pub fn stop_on_interrupt() -> &'static AtomicBool {
    // Whoever asks twice does not want to wait for the next time that somebody looks.
    _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED.into());
        }
    });
    &STOP
}

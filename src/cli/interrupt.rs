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
///
/// To be called before the first thread is started: what the main thread is deaf to, others are too.
pub fn stop_on_interrupt() -> &'static AtomicBool {
    #[cfg(target_os = "linux")]
    if hanging_up_is_ignored() {
        // The handler is for that as well; so it is to be kept away.
        let mut hanging_up = nix::sys::signal::SigSet::empty();
        hanging_up.add(nix::sys::signal::Signal::SIGHUP);
        _ = hanging_up.thread_block();
    }
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

/// Whether the program was started by `nohup` or the like.
#[cfg(target_os = "linux")]
fn hanging_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|signals| u64::from_str_radix(signals.trim(), 16).ok());
    ignored.is_some_and(|signals| signals & 1 << (nix::libc::SIGHUP - 1) != 0)
}

//! Ctrl-C cancels the work, and finished work is kept.

use std::io;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use perft_core::CancelToken;
use perft_core::sys::pool;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::INTERRUPTED;

/// Signals within this time are one request: `timeout` signals the program and then its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// The token that Ctrl-C, SIGTERM and SIGHUP cancel; a second signal exits at once. Before the
/// first call a signal ends the program.
pub fn cancel_on_interrupt() -> CancelToken {
    static TOKEN: LazyLock<CancelToken> = LazyLock::new(|| {
        let token = CancelToken::new();
        // Without a handler a signal ends the program.
        _ = install_handler(token.clone());
        token
    });
    TOKEN.clone()
}

/// The handling of signals.
fn on_signal(token: CancelToken) -> impl FnMut() {
    let mut first_request = None;
    move || {
        token.cancel();
        if first_request.get_or_insert_with(Instant::now).elapsed() > ONE_REQUEST {
            std::process::exit(INTERRUPTED.into());
        }
    }
}

#[cfg(unix)]
fn install_handler(token: CancelToken) -> io::Result<()> {
    use signal_hook::consts::SIGHUP;
    use signal_hook::iterator::Signals;

    let hangup = (!hangup_is_ignored()).then_some(SIGHUP);
    let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
    pool::spawn(move || {
        let mut on_signal = on_signal(token);
        signals.forever().for_each(|_| on_signal());
    })
}

/// Whether the program was started by `nohup` or the like.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|signals| u64::from_str_radix(signals.trim(), 16).ok());
    ignored.is_some_and(|signals| signals & 1 << (signal_hook::consts::SIGHUP - 1) != 0)
}

#[cfg(not(unix))]
fn install_handler(token: CancelToken) -> io::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Interval between looks at the flag, which is all that there is here.
    const POLL_INTERVAL: Duration = Duration::from_millis(50);
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    pool::spawn(move || {
        let mut on_signal = on_signal(token);
        loop {
            std::thread::sleep(POLL_INTERVAL);
            if flag.swap(false, Ordering::Relaxed) {
                on_signal();
            }
        }
    })
}

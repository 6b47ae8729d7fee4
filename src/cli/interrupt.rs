//! Ctrl-C cancels the work, and finished work is kept.

use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use perft_core::CancelToken;

use super::INTERRUPTED;

/// Signals within this time are one request: `timeout` signals the program and then its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// The token that Ctrl-C cancels; a second Ctrl-C exits at once. Before the first call Ctrl-C ends
/// the program.
///
/// Must be called before the first thread is started: threads inherit the blocked signals of the
/// main thread.
pub fn cancel_on_interrupt() -> CancelToken {
    static TOKEN: LazyLock<CancelToken> = LazyLock::new(|| {
        let token = CancelToken::new();
        install_handler(token.clone());
        token
    });
    TOKEN.clone()
}

fn install_handler(token: CancelToken) {
    #[cfg(target_os = "linux")]
    if hangup_is_ignored() {
        // The handler is also called for SIGHUP, which `nohup` wants ignored.
        let mut hangup = nix::sys::signal::SigSet::empty();
        hangup.add(nix::sys::signal::Signal::SIGHUP);
        _ = hangup.thread_block();
    }
    let first_request: OnceLock<Instant> = OnceLock::new();
    _ = ctrlc::set_handler(move || {
        token.cancel();
        if first_request.get_or_init(Instant::now).elapsed() > ONE_REQUEST {
            std::process::exit(INTERRUPTED.into());
        }
    });
}

/// Whether the program was started by `nohup` or the like.
#[cfg(target_os = "linux")]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|signals| u64::from_str_radix(signals.trim(), 16).ok());
    ignored.is_some_and(|signals| signals & 1 << (nix::libc::SIGHUP - 1) != 0)
}

//! Threads that share work.

use std::io;
use std::thread::{Builder, Scope};

/// The most threads that there are, as other engines have it.
pub const MOST: usize = 1024;

/// Starts threads that all do the same work, [`MOST`] of them at most, or as many as the system
/// gives. If it gives none, the work is done here and now.
pub fn start<'scope, W>(
    scope: &'scope Scope<'scope, '_>,
    number: usize,
    mut work: impl FnMut() -> W,
) where
    W: FnOnce() + Send + 'scope,
{
    for started in 0..number.min(MOST) {
        if Builder::new().spawn_scoped(scope, work()).is_err() {
            if started == 0 {
                work()();
            }
            return;
        }
    }
}

/// Starts a thread of its own.
///
/// # Errors
/// If the system gives none.
pub fn beside(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().spawn(work).map(drop)
}

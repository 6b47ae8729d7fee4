//! Threads that share work.

use std::io;
use std::thread::{Builder, Scope};

/// The most threads that a user can ask for, as other engines have it.
pub const MOST: usize = 1024;

/// Starts threads that all do the same work, or as many of them as the system gives. If it gives
/// none, the work is done here and now.
pub fn start<'scope, W>(scope: &'scope Scope<'scope, '_>, number: usize, work: impl Fn() -> W)
where
    W: FnOnce() + Send + 'scope,
{
    for started in 0..number {
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

//! Threads that share work.

use std::io;
use std::thread::{Builder, Scope};

use crate::perft::free_address_space;

/// The most threads that there are, as other engines have it.
pub const MOST: usize = 1024;

/// The address space of a thread: its stack, and what the allocator sets aside for it.
const ADDRESS_SPACE: usize = 72 << 20;

/// How many threads there is room for. Where the address space is limited, as it is in some
/// clusters, threads that take all of it would leave none for the work.
fn most() -> usize {
    let room = free_address_space().map(|bytes| bytes / 4 * 3 / ADDRESS_SPACE);
    room.map_or(MOST, |room| room.clamp(1, MOST))
}

/// Starts threads that all do the same work, [`MOST`] of them at most, or as many as there is room
/// for and the system gives. If it gives none, the work is done here and now.
pub fn start<'scope, W>(
    scope: &'scope Scope<'scope, '_>,
    number: usize,
    mut work: impl FnMut() -> W,
) where
    W: FnOnce() + Send + 'scope,
{
    for started in 0..number.min(most()) {
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

//! Threads that share a queue of tasks, and the token that cancels them.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;
use std::{io, iter};

use super::memory::free_address_space;

/// The highest number of threads, as in other engines.
pub const MAX_THREADS: usize = 1024;

/// Address space for one thread: its stack, and what the allocator reserves for it.
const THREAD_ADDRESS_SPACE: usize = 72 << 20;

/// Interval at which [`run`] calls its receiver while no result arrives.
const TICK: Duration = Duration::from_millis(100);

/// A flag that stops work early. Clones share the flag; a [child](Self::child) is also stopped by
/// its parent.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    parent: Option<Arc<CancelToken>>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops all work that watches this token or a child of it.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether work should stop.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|parent| parent.is_cancelled())
    }

    /// A token that is cancelled with this one, or alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { flag: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }
}

/// The number of threads that the address space has room for. Where it is limited, as on some
/// clusters, threads that take all of it would leave none for the work.
fn max_threads() -> usize {
    let room = free_address_space().map(|bytes| bytes / 4 * 3 / THREAD_ADDRESS_SPACE);
    room.map_or(MAX_THREADS, |room| room.clamp(1, MAX_THREADS))
}

/// Runs tasks on threads: each thread takes the next task from the iterator until there is none,
/// `work` returns `None`, or `receive` fails. `receive` is called on this thread with each result
/// as it comes, in any order, and with `None` now and then in between.
///
/// At most `threads` threads are started, fewer if the system gives fewer. If it gives none, the
/// work is done on this thread.
///
/// # Errors
/// The first from `receive`. `cancel` is cancelled then, so that `work` can stop early.
pub fn run<T, R: Send, E>(
    threads: NonZero<usize>,
    tasks: impl Iterator<Item = T> + Send,
    cancel: &CancelToken,
    work: impl Fn(T) -> Option<R> + Sync,
    mut receive: impl FnMut(Option<R>) -> Result<(), E>,
) -> Result<(), E> {
    // No more threads than tasks, where their number is known.
    let threads = threads.get().min(tasks.size_hint().1.unwrap_or(usize::MAX).max(1));
    let threads = if threads > 1 { threads.min(max_threads()) } else { threads };
    let tasks = Mutex::new(tasks);
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let (sender, receiver) = mpsc::channel();
    let worker = |sender: mpsc::Sender<R>| {
        while !cancel.is_cancelled()
            && let Some(task) = next()
        {
            let Some(result) = work(task) else { return };
            if sender.send(result).is_err() {
                return;
            }
        }
    };
    let worker = &worker;
    thread::scope(|scope| {
        let mut started = 0;
        while started < threads {
            let sender = sender.clone();
            if Builder::new().spawn_scoped(scope, move || worker(sender)).is_err() {
                break;
            }
            started += 1;
        }
        drop(sender);
        if started == 0 {
            run_here(iter::from_fn(next), cancel, &work, &mut receive)?;
        }
        loop {
            let result = match receiver.recv_timeout(TICK) {
                Ok(result) => Some(result),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            if let Err(error) = receive(result) {
                cancel.cancel();
                return Err(error);
            }
        }
    })
}

/// [`run`] on this thread alone, for work that is done sooner than threads start. `receive` is called
/// with results only.
///
/// # Errors
/// The first from `receive`. `cancel` is cancelled then.
pub fn run_here<T, R, E>(
    tasks: impl Iterator<Item = T>,
    cancel: &CancelToken,
    work: impl Fn(T) -> Option<R>,
    mut receive: impl FnMut(Option<R>) -> Result<(), E>,
) -> Result<(), E> {
    for task in tasks {
        if cancel.is_cancelled() {
            break;
        }
        let Some(result) = work(task) else { break };
        receive(Some(result)).inspect_err(|_| cancel.cancel())?;
    }
    Ok(())
}

/// Starts a thread of its own.
///
/// # Errors
/// If the system gives none.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().spawn(work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once() {
        let threads = NonZero::new(3).unwrap();
        let mut results = Vec::new();
        let run = run(threads, 0..1_000_u32, &CancelToken::new(), Some, |result| {
            results.extend(result);
            Ok::<(), ()>(())
        });
        assert_eq!(run, Ok(()));
        results.sort_unstable();
        assert!(results.into_iter().eq(0..1_000));
        let cancel = CancelToken::new();
        let mut results = Vec::new();
        let run = run_here(0..10, &cancel, Some, |result| {
            results.extend(result);
            if result == Some(4) { Err("enough") } else { Ok(()) }
        });
        assert_eq!((run, cancel.is_cancelled()), (Err("enough"), true));
        assert_eq!(results, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_error_ends_the_work() {
        let (threads, cancel) = (NonZero::new(2).unwrap(), CancelToken::new());
        let run = run(
            threads,
            0..,
            &cancel,
            |task: u64| Some(task),
            |result| match result {
                Some(100..) => Err("enough"),
                _ => Ok(()),
            },
        );
        assert_eq!((run, cancel.is_cancelled()), (Err("enough"), true));
    }

    #[test]
    fn a_child_is_cancelled_with_its_parent_or_alone() {
        let parent = CancelToken::new();
        let (first, second) = (parent.child(), parent.child());
        first.cancel();
        assert!(first.is_cancelled() && !second.is_cancelled() && !parent.is_cancelled());
        parent.cancel();
        assert!(second.is_cancelled());
    }
}

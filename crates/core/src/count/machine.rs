//! The means of a count.

use std::num::NonZero;

use super::Backend;
use crate::sys::{CancelToken, pool};

/// The means of a count: its code, threads and memory, and the token that cancels it.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub backend: Backend,
    pub threads: NonZero<usize>,
    /// The bytes that may be used.
    pub memory: usize,
    pub cancel: CancelToken,
}

impl Machine {
    /// The fastest code, one thread and some bytes of memory.
    pub fn new(memory: usize) -> Self {
        Self {
            backend: Backend::default(),
            threads: NonZero::<usize>::MIN,
            memory,
            cancel: CancelToken::new(),
        }
    }

    /// Does tasks on the threads, or on this one if they are small. Calls `receive` with each result,
    /// and now and then without. The token of `work` is cancelled after an error too.
    ///
    /// # Errors
    /// The first from `receive`.
    pub fn run<T, R: Send, E>(
        &self,
        are_small: bool,
        tasks: impl Iterator<Item = T> + Send,
        work: impl Fn(T, &CancelToken) -> R + Sync,
        receive: impl FnMut(Option<R>) -> Result<(), E>,
    ) -> Result<(), E> {
        let child = self.cancel.child();
        let work = |task| Some(work(task, &child));
        if are_small || self.threads.get() == 1 {
            pool::run_here(tasks, &child, work, receive)
        } else {
            pool::run(self.threads, tasks, &child, work, receive)
        }
    }
}

/// The options of a [`Machine`], for a builder that has one: setters with their names, and getters
/// with `get_` before them, as those of [`std::process::Command`].
macro_rules! machine_options {
    ($($option:ident),*) => {
        $($crate::count::machine::machine_options!(@ $option);)*
    };
    (@ threads) => {
        /// Sets the number of threads. Results do not depend on it.
        #[must_use]
        pub fn threads(mut self, threads: std::num::NonZero<usize>) -> Self {
            self.machine.threads = threads;
            self
        }

        /// The number of threads.
        pub fn get_threads(&self) -> std::num::NonZero<usize> {
            self.machine.threads
        }
    };
    (@ memory) => {
        /// Sets the bytes of memory that may be used for positions.
        #[must_use]
        pub fn memory(mut self, bytes: usize) -> Self {
            self.machine.memory = bytes;
            self
        }

        /// The bytes of memory that may be used for positions.
        pub fn get_memory(&self) -> usize {
            self.machine.memory
        }
    };
    (@ backend) => {
        /// Sets the code that counts. Results do not depend on it.
        #[must_use]
        pub fn backend(mut self, backend: $crate::count::Backend) -> Self {
            self.machine.backend = backend;
            self
        }

        /// The code that was asked for. [`Backend::available`](crate::Backend::available) is the one
        /// that runs.
        pub fn get_backend(&self) -> $crate::count::Backend {
            self.machine.backend
        }
    };
    (@ cancel) => {
        /// Sets the token that cancels the work.
        #[must_use]
        pub fn cancel(mut self, cancel: $crate::sys::CancelToken) -> Self {
            self.machine.cancel = cancel;
            self
        }

        /// The token that cancels the work.
        pub fn cancel_token(&self) -> &$crate::sys::CancelToken {
            &self.machine.cancel
        }
    };
}
pub(super) use machine_options;

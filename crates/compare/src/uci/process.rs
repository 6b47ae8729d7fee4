//! A child program: started, read with limits, and always ended.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{EngineError, EngineFailure};
use perft_core::sys::lines::{self, LineEnd};
use perft_core::sys::{CancelToken, pool};

/// The highest number of bytes that are read for one query.
pub(super) const MAX_OUTPUT: usize = 16 << 20;

/// Longer lines come in pieces.
const MAX_LINE: usize = 1 << 16;

/// The highest number of lines that are read ahead.
const MAX_LINES_AHEAD: usize = 1000;

/// The longest line that an error quotes, in characters.
const MAX_QUOTE: usize = 100;

/// The interval between checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time that a program has to end by itself.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// A running program. It is ended when dropped, with all programs that it has started.
#[derive(Debug)]
pub(super) struct Process {
    name: String,
    child: Child,
    /// Ends the thread that started the child when dropped, which is after the child has ended.
    _starter: Sender<()>,
    /// Lines for a thread that writes them: the program may not read them.
    input: Option<Sender<String>>,
    output: Receiver<String>,
    /// The lines of the query, which errors quote.
    query: Vec<String>,
    /// Bytes received since the last input.
    received: usize,
    /// The last line of standard output since the query.
    last_line: Option<String>,
    /// The same for standard error.
    last_stderr_line: Arc<Mutex<Option<String>>>,
    /// Disconnected at the end of standard error.
    stderr_end: Receiver<()>,
    cancel: CancelToken,
    status: Option<ExitStatus>,
    was_killed: bool,
}

/// The result of [`Process::receive`].
pub(super) enum Received {
    Line(String),
    Timeout,
    /// The output is closed.
    End,
}

impl Process {
    /// Starts a program with its own arguments and some more.
    pub(super) fn start(
        command: &[String],
        arguments: &[String],
        cancel: &CancelToken,
    ) -> Result<Self, EngineError> {
        let name = command.join(" ");
        let not_started = |reason: String| EngineError {
            engine: name.clone(),
            failure: EngineFailure::NotStarted(reason),
            query: Vec::new(),
            last_line: None,
        };
        let Some((program, first)) = command.split_first() else {
            return Err(not_started("no program is named".to_owned()));
        };
        let arguments = [first, arguments].concat();
        let started = spawn_from_thread(program.clone(), arguments);
        let (child, starter) = started.map_err(|error| not_started(error.to_string()))?;
        let (lines, output) = mpsc::sync_channel(MAX_LINES_AHEAD);
        let (stderr_open, stderr_end) = mpsc::channel();
        let mut process = Self {
            name: name.clone(),
            child,
            _starter: starter,
            input: None,
            output,
            query: Vec::new(),
            received: 0,
            last_line: None,
            last_stderr_line: Arc::default(),
            stderr_end,
            cancel: cancel.clone(),
            status: None,
            was_killed: false,
        };
        let connected = process.connect(lines, stderr_open);
        connected.map_err(|error| not_started(error.to_string()))?;
        Ok(process)
    }

    /// Starts the threads that read and write the pipes.
    fn connect(&mut self, lines: SyncSender<String>, stderr_open: Sender<()>) -> io::Result<()> {
        if let Some(pipe) = self.child.stdout.take() {
            pool::spawn(move || read_lines(pipe, |line| lines.send(line).is_ok()))?;
        }
        if let Some(pipe) = self.child.stderr.take() {
            let last_line = Arc::clone(&self.last_stderr_line);
            pool::spawn(move || {
                read_lines(pipe, |line| {
                    if let Some(line) = quotable(&line) {
                        *last_line.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
                    }
                    true
                });
                drop(stderr_open);
            })?;
        }
        if let Some(mut pipe) = self.child.stdin.take() {
            let (sender, input) = mpsc::channel::<String>();
            pool::spawn(move || {
                for text in input {
                    if writeln!(pipe, "{text}").and_then(|()| pipe.flush()).is_err() {
                        return;
                    }
                }
            })?;
            self.input = Some(sender);
        }
        Ok(())
    }

    /// Sets the lines of the query, which errors quote. They quote nothing that came before.
    pub(super) fn set_query(&mut self, lines: &[&str]) {
        // What comes before the first query may be an error at the start.
        if !self.query.is_empty() {
            self.last_line = None;
            *self.last_stderr_line.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.query = lines.iter().map(|&line| line.to_owned()).collect();
    }

    /// The number of bytes received since the last input.
    pub(super) fn received(&self) -> usize {
        self.received
    }

    /// Sends lines. A program that does not read them is detected by its missing output.
    pub(super) fn send(&mut self, lines: &str) {
        self.received = 0;
        if let Some(input) = &self.input {
            _ = input.send(lines.to_owned());
        }
    }

    /// Closes the input.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the next line.
    pub(super) fn receive(&mut self, timeout: Duration) -> Result<Received, EngineError> {
        let start = Instant::now();
        loop {
            if self.cancel.is_cancelled() {
                return Err(self.error(EngineFailure::Cancelled));
            }
            let left = timeout.saturating_sub(start.elapsed());
            match self.output.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok(line) => {
                    self.received += line.len() + 1;
                    if self.received > MAX_OUTPUT {
                        return Err(self.error(EngineFailure::TooMuchOutput));
                    }
                    // `readyok` says nothing about the query.
                    let quote = quotable(&line).filter(|line| line != "readyok");
                    self.last_line = quote.or(self.last_line.take());
                    return Ok(Received::Line(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Received::End),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(Received::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The next line; it is an error if there is none.
    pub(super) fn receive_line(&mut self, timeout: Duration) -> Result<String, EngineError> {
        match self.receive(timeout)? {
            Received::Line(line) => Ok(line),
            Received::Timeout => Err(self.error(EngineFailure::Timeout(timeout))),
            Received::End => Err(self.end_error()),
        }
    }

    /// An error that quotes the last line of standard error, else of standard output.
    pub(super) fn error(&self, failure: EngineFailure) -> EngineError {
        EngineError {
            engine: self.name.clone(),
            failure,
            query: self.query.clone(),
            last_line: self.last_stderr_line().or_else(|| self.last_line.clone()),
        }
    }

    /// An error that quotes a line.
    pub(super) fn error_quoting(&self, failure: EngineFailure, line: &str) -> EngineError {
        EngineError { last_line: quotable(line), ..self.error(failure) }
    }

    /// The error of a program that has closed its output.
    pub(super) fn end_error(&mut self) -> EngineError {
        let status = self.end(SHUTDOWN_GRACE);
        // Its last error message may come after the end of its output.
        _ = self.stderr_end.recv_timeout(SHUTDOWN_GRACE);
        if self.was_killed {
            return self.error(EngineFailure::ClosedOutput);
        }
        let status = status.map_or("without a status".to_owned(), |status| status.to_string());
        self.error(EngineFailure::Ended(status))
    }

    fn last_stderr_line(&self) -> Option<String> {
        self.last_stderr_line.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the program and all that it has started, and waits for it. For `grace` it may end by
    /// itself.
    pub(super) fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        if self.status.is_some() {
            return self.status;
        }
        self.send("quit");
        self.close_input();
        let start = Instant::now();
        let mut left = grace;
        while !left.is_zero()
            && self.output.recv_timeout(left) != Err(RecvTimeoutError::Disconnected)
        {
            left = grace.saturating_sub(start.elapsed());
        }
        let mut has_ended = self.has_ended();
        while start.elapsed() < grace && !has_ended && !self.cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
            has_ended = self.has_ended();
        }
        self.was_killed = !has_ended;
        // The id of a process that was waited for may already be that of another one. On Linux
        // `has_ended` does not wait, so that the group can always be killed.
        #[cfg(unix)]
        if (cfg!(target_os = "linux") || !has_ended)
            && let Ok(group) = i32::try_from(self.child.id()).map(nix::unistd::Pid::from_raw)
        {
            _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        }
        _ = self.child.kill();
        self.status = self.child.wait().ok();
        self.status
    }

    /// Whether the program has ended. Its id is not freed by this check.
    #[cfg(target_os = "linux")]
    fn has_ended(&mut self) -> bool {
        use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};

        let Ok(id) = i32::try_from(self.child.id()) else { return true };
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        waitid(Id::Pid(nix::unistd::Pid::from_raw(id)), flags) != Ok(WaitStatus::StillAlive)
    }

    /// Whether the program has ended.
    #[cfg(not(target_os = "linux"))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(SHUTDOWN_GRACE);
    }
}

/// Starts a program from a thread that lives until the returned sender is dropped. On Linux the
/// program is killed when that thread ends, as it does if this program is killed.
fn spawn_from_thread(program: String, arguments: Vec<String>) -> io::Result<(Child, Sender<()>)> {
    let (sender, child) = mpsc::channel();
    let (starter, end) = mpsc::channel();
    pool::spawn(move || {
        _ = sender.send(spawn(&program, &arguments));
        _ = end.recv();
    })?;
    let child = child.recv().map_err(|_| io::Error::other("the thread that starts it ended"))??;
    Ok((child, starter))
}

/// Starts a program from the path, or from the directory in which Debian keeps engines and which
/// is not on every path.
fn spawn(program: &str, arguments: &[String]) -> io::Result<Child> {
    let spawn = |program: &Path| {
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In a process group of its own, it can be ended with all that it has started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(target_os = "linux")]
        kill_with_parent(&mut command);
        command.spawn()
    };
    match spawn(Path::new(program)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            spawn(&Path::new("/usr/games").join(program)).map_err(|_| error)
        }
        child => child,
    }
}

/// Has the program killed when the thread that starts it ends, also by SIGKILL, against which
/// nothing else helps.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn kill_with_parent(command: &mut Command) {
    use nix::sys::{prctl, signal::Signal};
    use nix::unistd::{Pid, getpid, getppid};

    let parent: Pid = getpid();
    let set_signal = move || {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The parent may have ended before that.
        if getppid() == parent { Ok(()) } else { Err(nix::errno::Errno::ESRCH.into()) }
    };
    // SAFETY: between fork and exec the closure makes two system calls, both async-signal-safe. It
    // takes no lock, allocates nothing, and uses no memory but its own copy of a number.
    unsafe { std::os::unix::process::CommandExt::pre_exec(command, set_signal) };
}

/// Calls `f` with each line until the end, or until it returns false.
fn read_lines(pipe: impl Read, mut f: impl FnMut(String) -> bool) {
    let mut reader = BufReader::new(pipe);
    let mut bytes = Vec::new();
    while let Ok(LineEnd::Newline | LineEnd::Unterminated | LineEnd::TooLong) =
        lines::read_line(&mut reader, &mut bytes, MAX_LINE)
    {
        let line = String::from_utf8_lossy(&bytes);
        if !f(line.trim_end_matches(['\r', '\n']).to_owned()) {
            return;
        }
    }
}

/// The start of a line, as errors quote it; `None` if the line is blank.
fn quotable(line: &str) -> Option<String> {
    let line = line.trim();
    let mut text: String = line.chars().take(MAX_QUOTE).collect();
    if text.len() < line.len() {
        text.push_str("...");
    }
    (!line.is_empty()).then_some(text)
}

//! Runs the binary and reads its output.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The binary.
pub const PERFT: &str = env!("CARGO_BIN_EXE_perft");

/// The binary with arguments and an empty standard input.
pub fn command<A: AsRef<OsStr>>(arguments: &[A]) -> Command {
    let mut command = plain(PERFT);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A command without environment variables that could change its output, such as those for colors
/// or the width of the screen.
pub fn plain(program: impl AsRef<OsStr>) -> Command {
    const KEPT: [&str; 7] =
        ["PATH", "HOME", "TMPDIR", "TMP", "TEMP", "SystemRoot", "LD_LIBRARY_PATH"];
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| KEPT.iter().any(|kept| name == kept)));
    command
}

/// Runs the binary.
pub fn run<A: AsRef<OsStr>>(arguments: &[A]) -> Output {
    command(arguments).output().expect("the binary runs")
}

/// Runs the binary with this standard input.
pub fn run_with_input<A: AsRef<OsStr>>(arguments: &[A], input: impl AsRef<[u8]>) -> Output {
    feed(&mut command(arguments), input)
}

/// Runs a command with this standard input.
pub fn feed(command: &mut Command, input: impl AsRef<[u8]>) -> Output {
    let mut child: Child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let (mut pipe, input) = (child.stdin.take().expect("a pipe"), input.as_ref());
    std::thread::scope(|scope| {
        // A thread, since it may print before it has read everything. It may also stop reading
        // early, so errors of the pipe are ignored.
        scope.spawn(move || _ = pipe.write_all(input));
        child.wait_with_output().expect("the binary ends")
    })
}

/// Sends SIGINT, as Ctrl-C does. The program must end within seconds, with exit code 130.
#[track_caller]
pub fn interrupt(child: Child) -> Output {
    let kill = |signal: &str, pid: &str| {
        let sent = Command::new("kill").args([signal, pid]).status().expect("kill is there");
        assert!(sent.success());
    };
    let pid = child.id().to_string();
    kill("-INT", &pid);
    let start = Instant::now();
    let (sender, ended) = std::sync::mpsc::channel::<()>();
    let (kill, pid) = (&kill, &pid);
    let output = std::thread::scope(|scope| {
        // A program that ignores the signal is killed, and fails the test.
        scope.spawn(move || {
            if ended.recv_timeout(Duration::from_secs(10)) == Err(RecvTimeoutError::Timeout) {
                kill("-KILL", pid);
            }
        });
        let output = child.wait_with_output().expect("it ends");
        drop(sender);
        output
    });
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    output
}

/// Standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("the output is text")
}

/// Standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("the messages are text")
}

/// Standard output of a command that must have succeeded.
pub fn succeeded(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    stdout(output)
}

/// Runs a command that must succeed; returns its standard output.
pub fn succeed<A: AsRef<OsStr>>(arguments: &[A]) -> String {
    succeeded(&run(arguments))
}

/// Asserts a refusal: exit code 2, nothing on standard output, one line on standard error that names
/// the culprit.
#[track_caller]
pub fn refused(output: &Output, culprit: &str) {
    refused_with(output, 2, culprit);
    let message = stderr(output);
    assert_eq!(message.lines().count(), 1, "{message}");
}

/// Asserts an exit code, nothing on standard output, and a message that names the culprit.
#[track_caller]
pub fn refused_with(output: &Output, code: i32, culprit: &str) {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{message}{}", stdout(output));
    assert_eq!(stdout(output), "", "{message}");
    assert!(message.starts_with("perft: "), "{message}");
    assert!(message.contains(culprit), "{culprit:?} in {message}");
}

/// The JSON on standard output.
pub fn parsed(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The engine of `tests/faulty_engine`, which `cargo test` builds as an example.
pub fn faulty_engine() -> PathBuf {
    let dir = Path::new(PERFT).parent().expect("the binary is in a directory");
    let path = dir.join("examples").join(format!("faulty_engine{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "build it first: cargo build --release --example faulty_engine");
    path
}

/// A directory that is removed at the end of the test.
pub struct TestDir(PathBuf);

impl TestDir {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("perft-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory for the test");
        Self(path)
    }

    pub fn root(&self) -> &Path {
        &self.0
    }

    /// The names of its files that begin with `start`, sorted.
    pub fn names(&self, start: &str) -> Vec<String> {
        let files = fs::read_dir(&self.0).expect("a directory");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let mut names: Vec<String> =
            names.flatten().filter(|name| name.starts_with(start)).collect();
        names.sort();
        names
    }

    /// The paths in any directory, sorted; none if it is not there.
    pub fn names_in(dir: &Path) -> Vec<PathBuf> {
        let files = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = files.map(|file| file.path()).collect();
        paths.sort();
        paths
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("the file is written");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// The binary, run in this directory.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.current_dir(&self.0);
        command
    }

    /// Runs the binary in this directory.
    pub fn perft(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Runs the binary in this directory; it must succeed.
    pub fn succeed(&self, arguments: &[&str]) -> String {
        succeeded(&self.perft(arguments))
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

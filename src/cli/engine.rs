//! Other engines, as processes: started, asked, and always ended.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use perft::compare::{Answer, Line, Opponent, Question, Transcript};
use perft::threads;
use perft::{Board, Depth, Variant};

/// No answer is longer than this.
const MOST_BYTES: usize = 16 << 20;

/// Longer lines come in pieces.
const LONGEST_LINE: u64 = 4096;

/// How often a wait looks whether the user has had enough.
const GLANCE: Duration = Duration::from_millis(50);

/// How long an engine that prints no totals has to be quiet to be done.
const QUIET: Duration = Duration::from_millis(400);

/// The same after the first, easy question, if there should be more moves.
const EASY_QUIET: Duration = Duration::from_secs(1);

/// How long an engine has to go when it is told to.
const FAREWELL: Duration = Duration::from_millis(500);

/// The option that says which game it is.
pub const CHESS960: &str = "UCI_Chess960";

/// How to start an engine and speak with it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Options to set, by name and value.
    pub options: Vec<(String, String)>,
    /// What asks for a divide, `{depth}` standing for the depth.
    pub command: String,
    /// How long an engine may be silent.
    pub timeout: Duration,
    /// Set when the user has had enough.
    pub stop: &'static AtomicBool,
}

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wrong {
    NotStarted(String),
    Ended(String),
    ClosedItsOutput,
    Silent(Duration),
    Floods,
    NoCounts,
    TotalOnly,
    Searches,
    NoOption(String),
    NotUci,
    Stopped,
}

/// An engine that does not answer, with what it last said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineError {
    engine: String,
    wrong: Wrong,
    asked: Option<String>,
    last: Option<String>,
}

impl EngineError {
    /// Whether it is the user who gave up.
    pub fn is_stopped(&self) -> bool {
        self.wrong == Wrong::Stopped
    }

    /// Whether it does not know Chess960.
    pub fn lacks_chess960(&self) -> bool {
        matches!(&self.wrong, Wrong::NoOption(name) if name == CHESS960)
    }
}

impl std::error::Error for EngineError {}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {:?} ", self.engine)?;
        match &self.wrong {
            Wrong::NotStarted(why) => write!(
                f,
                "cannot be started: {why} (--engine takes a program on the path, or its path, with arguments)"
            ),
            Wrong::Ended(how) => write!(f, "ended ({how})"),
            Wrong::ClosedItsOutput => f.write_str("closed its output and went on running"),
            Wrong::Silent(time) => {
                write!(f, "said nothing for {} s (--timeout gives it longer)", time.as_secs_f64())
            }
            Wrong::Floods => write!(f, "printed more than {} MiB for one answer", MOST_BYTES >> 20),
            Wrong::NoCounts => f.write_str("printed no counts (lines such as `e2e4: 20`)"),
            Wrong::TotalOnly => f.write_str(
                "printed a total, but no count of each root move (lines such as `e2e4: 20`)",
            ),
            Wrong::Searches => f.write_str(
                "searched for a move instead of counting (--perft-command says how it is asked)",
            ),
            Wrong::NoOption(name) => write!(f, "has no option {name:?}"),
            Wrong::NotUci => f.write_str(
                "did not say uciok (--protocol script is for programs that are no UCI engines)",
            ),
            Wrong::Stopped => f.write_str("was interrupted"),
        }?;
        if let Some(asked) = &self.asked {
            write!(f, ", asked {asked:?}")?;
        }
        match &self.last {
            Some(last) => write!(f, "; it last said {last:?}"),
            None if matches!(self.wrong, Wrong::NotStarted(_)) => Ok(()),
            None => f.write_str("; it has said nothing"),
        }
    }
}

/// A running program.
struct Program {
    name: String,
    child: Child,
    /// What is written to it; another thread writes, since it may not read.
    input: Option<Sender<String>>,
    output: Receiver<String>,
    /// What it last said on standard output or, if that is nothing, on standard error.
    last: Option<String>,
    complaint: Arc<Mutex<Option<String>>>,
    /// Hangs up when there will be no more complaints.
    complaints: Receiver<()>,
    asked: Option<String>,
    /// Bytes heard since it was last asked.
    heard: usize,
    stop: &'static AtomicBool,
    status: Option<ExitStatus>,
    /// Whether we had to end it.
    was_killed: bool,
}

/// What was heard.
enum Heard {
    Line(String),
    /// The time is up.
    Nothing,
    /// It will say no more.
    End,
}

impl Program {
    fn start(settings: &Settings, arguments: &[String]) -> Result<Self, EngineError> {
        let not_started = |why: String| EngineError {
            engine: settings.words.join(" "),
            wrong: Wrong::NotStarted(why),
            asked: None,
            last: None,
        };
        let Some((program, first)) = settings.words.split_first() else {
            return Err(not_started("no program is named".to_owned()));
        };
        let spawn = |program: &str| {
            let mut command = Command::new(program);
            command.args(first).args(arguments);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // A group of its own, so that what it starts itself can be ended with it.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.spawn()
        };
        let mut child = spawn(program)
            .or_else(|error| {
                // Debian keeps engines where not everybody's path leads.
                let game = Path::new("/usr/games").join(program);
                match game.to_str() {
                    Some(game) if error.kind() == std::io::ErrorKind::NotFound => {
                        spawn(game).map_err(|_| error)
                    }
                    _ => Err(error),
                }
            })
            .map_err(|error| not_started(error.to_string()))?;

        let mut started = Ok(());
        let mut beside = |work: Box<dyn FnOnce() + Send>| {
            started = std::mem::replace(&mut started, Ok(())).and_then(|()| threads::beside(work));
        };
        let (sender, output) = mpsc::sync_channel(1000);
        if let Some(pipe) = child.stdout.take() {
            beside(Box::new(move || listen(pipe, |line| sender.send(line).is_ok())));
        }
        let complaint = Arc::new(Mutex::new(None));
        let (complaining, complaints) = mpsc::channel::<()>();
        if let Some(pipe) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            beside(Box::new(move || {
                listen(pipe, |line| {
                    if !line.trim().is_empty()
                        && let Ok(mut last) = complaint.lock()
                    {
                        *last = Some(shortened(&line));
                    }
                    true
                });
                drop(complaining);
            }));
        }
        let input = child.stdin.take().map(|mut pipe| {
            let (sender, lines) = mpsc::channel::<String>();
            beside(Box::new(move || {
                for line in lines {
                    if writeln!(pipe, "{line}").and_then(|()| pipe.flush()).is_err() {
                        return;
                    }
                }
            }));
            sender
        });
        let engine = Self {
            name: settings.words.join(" "),
            input,
            child,
            output,
            last: None,
            complaint,
            complaints,
            asked: None,
            heard: 0,
            stop: settings.stop,
            status: None,
            was_killed: false,
        };
        match started {
            Ok(()) => Ok(engine),
            Err(error) => Err(not_started(error.to_string())),
        }
    }

    /// Sends lines; whether anybody reads them shows in what comes back.
    fn say(&mut self, lines: &str) {
        self.heard = 0;
        if let Some(input) = &self.input {
            _ = input.send(lines.to_owned());
        }
    }

    /// The next line, for which it has so long.
    fn hear(&mut self, time: Duration) -> Result<Heard, EngineError> {
        let deadline = Instant::now() + time;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(self.error(Wrong::Stopped));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left.min(GLANCE)) {
                Ok(line) => {
                    self.heard += line.len() + 1;
                    if self.heard > MOST_BYTES {
                        return Err(self.error(Wrong::Floods));
                    }
                    if !line.trim().is_empty() {
                        self.last = Some(shortened(&line));
                    }
                    return Ok(Heard::Line(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Heard::End),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(Heard::Nothing),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The next line, or why there is none.
    fn hear_line(&mut self, time: Duration) -> Result<String, EngineError> {
        match self.hear(time)? {
            Heard::Line(line) => Ok(line),
            Heard::Nothing => Err(self.error(Wrong::Silent(time))),
            Heard::End => Err(self.ended()),
        }
    }

    fn error(&self, wrong: Wrong) -> EngineError {
        let complaint = self.complaint.lock().map_or(None, |complaint| complaint.clone());
        EngineError {
            engine: self.name.clone(),
            wrong,
            asked: self.asked.clone(),
            last: self.last.clone().or(complaint),
        }
    }

    /// It has closed its output: how it ended.
    fn ended(&mut self) -> EngineError {
        let status = self.end(FAREWELL);
        // What it complained about as it went is more to the point.
        _ = self.complaints.recv_timeout(FAREWELL);
        let complaint = self.complaint.lock().map_or(None, |complaint| complaint.clone());
        self.last = complaint.or(self.last.take());
        if self.was_killed {
            return self.error(Wrong::ClosedItsOutput);
        }
        let how = status.map_or("without a status".to_owned(), |status| status.to_string());
        self.error(Wrong::Ended(how))
    }

    /// Ends it and all that it has started, and waits for it. It has some time to go by itself.
    fn end(&mut self, time: Duration) -> Option<ExitStatus> {
        if self.status.is_some() {
            return self.status;
        }
        self.say("quit");
        self.input = None;
        // Not yet waited for, it keeps the number of its group from being used again.
        let deadline = Instant::now() + time;
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            if let Err(RecvTimeoutError::Disconnected) = self.output.recv_timeout(left) {
                break;
            }
        }
        // One that has closed its output gets the time to end by itself.
        let mut has_ended = self.has_ended();
        while Instant::now() < deadline && !has_ended && !self.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
            has_ended = self.has_ended();
        }
        self.was_killed = !has_ended;
        // Where it was waited for, its number may be another's by now.
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

    /// Whether it has ended. It is still to be waited for, so that nothing else gets its number.
    #[cfg(target_os = "linux")]
    fn has_ended(&mut self) -> bool {
        use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};

        let Ok(id) = i32::try_from(self.child.id()) else { return true };
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        waitid(Id::Pid(nix::unistd::Pid::from_raw(id)), flags) != Ok(WaitStatus::StillAlive)
    }

    /// Whether it has ended. Elsewhere there is no asking without waiting for it.
    #[cfg(not(target_os = "linux"))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end(FAREWELL);
    }
}

/// Passes on lines until there are no more or nobody wants them.
fn listen(pipe: impl Read, mut pass_on: impl FnMut(String) -> bool) {
    let mut reader = BufReader::new(pipe);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&bytes);
        if !pass_on(line.trim_end_matches(['\r', '\n']).to_owned()) {
            return;
        }
    }
}

fn shortened(line: &str) -> String {
    const LONGEST: usize = 100;
    let mut text: String = line.trim().chars().take(LONGEST).collect();
    if text.len() < line.trim().len() {
        text.push_str("...");
    }
    text
}

/// A UCI engine that knows `go perft N`, or whatever it calls that.
pub struct UciEngine {
    program: Program,
    settings: Settings,
    options: BTreeSet<String>,
    variant: Variant,
    /// Whether it ends a count with a total; unknown before the first.
    prints_totals: Option<bool>,
    /// Whether it is ready only once it has counted.
    answers_in_turn: bool,
}

impl UciEngine {
    /// Starts the engine and sets its options.
    pub fn start(settings: &Settings) -> Result<Self, EngineError> {
        let program = Program::start(settings, &[])?;
        let mut engine = Self {
            program,
            settings: settings.clone(),
            options: BTreeSet::new(),
            variant: Variant::Standard,
            prints_totals: None,
            answers_in_turn: false,
        };
        engine.greet()?;
        for (name, value) in &settings.options {
            engine.set_option(name, value)?;
        }
        engine.ask("isready");
        while engine.program.hear_line(settings.timeout)?.trim() != "readyok" {}
        // What it does with an easy question tells how to listen to it.
        engine.go("position startpos", 1);
        let legal = Board::startpos().legal_moves().len();
        let (transcript, moves_when_ready) = engine.listen(legal)?;
        engine.answers_in_turn = moves_when_ready == transcript.moves();
        engine.prints_totals = Some(transcript.has_total() && !transcript.has_running_totals());
        Ok(engine)
    }

    fn ask(&mut self, lines: &str) {
        self.program.asked = Some(lines.lines().collect::<Vec<_>>().join("; "));
        self.program.say(lines);
    }

    fn greet(&mut self) -> Result<(), EngineError> {
        self.ask("uci");
        loop {
            match self.program.hear(self.settings.timeout)? {
                Heard::Line(line) if line.trim() == "uciok" => return Ok(()),
                Heard::Line(line) => {
                    if let Some(rest) = line.trim().strip_prefix("option name ") {
                        let name = rest.split(" type ").next().unwrap_or(rest);
                        self.options.insert(name.trim().to_lowercase());
                    }
                }
                Heard::Nothing => return Err(self.program.error(Wrong::NotUci)),
                Heard::End => return Err(self.program.ended()),
            }
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        if !self.options.contains(&name.to_lowercase()) {
            self.program.asked = None;
            return Err(self.program.error(Wrong::NoOption(name.to_owned())));
        }
        self.program.say(&format!("setoption name {name} value {value}"));
        Ok(())
    }

    fn set_variant(&mut self, variant: Variant) -> Result<(), EngineError> {
        if variant != self.variant {
            let value = (variant == Variant::Chess960).to_string();
            self.set_option(CHESS960, &value)?;
            self.variant = variant;
        }
        Ok(())
    }

    fn go(&mut self, position: &str, depth: Depth) {
        let go = self.settings.command.replace("{depth}", &depth.to_string());
        self.ask(&format!("{position}\n{go}"));
        self.program.say("isready");
    }

    /// Listens until the count is whole: to its total and to `readyok`, which come in either
    /// order. From an engine that prints no totals, until it is ready and quiet, a long time if
    /// there should be more moves. `legal` is how many there are.
    ///
    /// A total before the first move belongs to something else, such as the question before.
    /// Returns also how many moves had come when it was ready.
    fn listen(&mut self, legal: usize) -> Result<(Transcript, usize), EngineError> {
        let mut transcript = Transcript::default();
        let (mut is_ready, mut moves_when_ready) = (false, 0);
        loop {
            let (moves, total) = (transcript.moves(), transcript.total());
            let is_known = self.prints_totals.is_some();
            let has_total = transcript.has_total() && self.prints_totals != Some(false);
            // Before the first answer is heard out, a total may be one of the moves so far.
            let has_all = match moves {
                0 => legal == 0 && total == Some(0),
                _ => has_total && (is_known || moves >= legal),
            };
            if is_ready && has_all {
                break;
            }
            let timeout = self.settings.timeout;
            let quiet = match moves {
                _ if !is_ready => None,
                0 if legal == 0 => Some(QUIET),
                // None where there should be some, from an engine that has answered before.
                0 if is_known && total == Some(0) => Some(QUIET),
                0 if !is_known && total.is_some() => Some(EASY_QUIET.min(timeout)),
                0 if self.prints_totals == Some(false) => Some(timeout),
                0 => None,
                _ if self.prints_totals == Some(true) => None,
                _ if moves >= legal => Some(QUIET),
                // The first question is so easy that nobody rests over it.
                _ if !is_known => Some(EASY_QUIET.min(timeout)),
                // It was ready after its moves, not before, as always.
                _ if self.answers_in_turn && moves == moves_when_ready => Some(QUIET),
                _ => Some(timeout),
            };
            let time = quiet.unwrap_or(timeout);
            match self.program.hear(time)? {
                Heard::Line(line) => match transcript.push(&line) {
                    Line::Ready => (is_ready, moves_when_ready) = (true, moves),
                    Line::BestMove if !is_known && transcript.moves() == 0 => {
                        return Err(self.program.error(Wrong::Searches));
                    }
                    _ => {}
                },
                Heard::Nothing if quiet.is_some() && (is_known || moves > 0) => break,
                Heard::Nothing if is_ready && moves == 0 => {
                    return Err(self.program.error(without_moves(total)));
                }
                Heard::Nothing => return Err(self.program.error(Wrong::Silent(time))),
                Heard::End => return Err(self.program.ended()),
            }
        }
        Ok((transcript, moves_when_ready))
    }
}

impl Opponent for UciEngine {
    type Error = EngineError;

    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, EngineError> {
        self.set_variant(question.root.variant())?;
        let fen = question.root.fen();
        let moves = moves(question);
        let moves = if moves.is_empty() { moves } else { format!(" moves {moves}") };
        self.go(&format!("position fen {fen}{moves}"), question.depth);
        let position = question.root.after(question.line);
        let (transcript, _) = self.listen(position.board().legal_moves().len())?;
        Ok(transcript.answer())
    }
}

/// What is wrong with an answer that has no moves where there are some.
fn without_moves(total: Option<u128>) -> Wrong {
    if total.is_some() { Wrong::TotalOnly } else { Wrong::NoCounts }
}

fn moves(question: &Question<'_>) -> String {
    let variant = question.root.variant();
    let moves: Vec<String> = question.line.iter().map(|mv| mv.uci(variant)).collect();
    moves.join(" ")
}

/// A program that is started for each question: `PROGRAM DEPTH FEN MOVES`.
pub struct Script {
    settings: Settings,
}

impl Script {
    pub fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone() }
    }
}

impl Opponent for Script {
    type Error = EngineError;

    fn divide(&mut self, question: &Question<'_>) -> Result<Answer, EngineError> {
        let mut arguments = vec![question.depth.to_string(), question.root.fen()];
        let moves = moves(question);
        if !moves.is_empty() {
            arguments.push(moves);
        }
        let mut program = Program::start(&self.settings, &arguments)?;
        program.input = None;
        program.asked = Some(arguments.join(" "));
        let mut transcript = Transcript::default();
        loop {
            match program.hear(self.settings.timeout)? {
                Heard::Line(line) => _ = transcript.push(&line),
                Heard::Nothing => return Err(program.error(Wrong::Silent(self.settings.timeout))),
                Heard::End => break,
            }
        }
        // Whoever has said it all may take a while to go.
        let status = program.end(self.settings.timeout);
        if !status.is_some_and(|status| status.success()) {
            return Err(program.ended());
        }
        let answer = transcript.answer();
        // Where it sees no moves it says so by a total of 0; no lines at all are an answer only
        // where there are none.
        let legal = question.root.after(question.line).board().count_legal_moves();
        let is_understood = answer.unreadable.is_none();
        if answer.moves.is_empty() && legal > 0 && answer.total != Some(0) && is_understood {
            return Err(program.error(without_moves(answer.total)));
        }
        Ok(answer)
    }
}

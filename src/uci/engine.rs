//! Other programs that divide.

use std::collections::BTreeSet;
use std::time::Duration;

use super::process::{Process, Received};
use super::{
    CHESS960_OPTION, DivideOutput, Divider, EngineError, EngineFailure, OutputLine, Query,
    Transcript,
};
use crate::board::Board;
use crate::perft::Depth;
use crate::sys::CancelToken;
use crate::types::CastlingMode;

/// The silence after which a divide without a total is whole.
const QUIET: Duration = Duration::from_millis(400);

/// The same for the first divide if moves are missing. It is so easy that no engine pauses in it.
const FIRST_QUIET: Duration = Duration::from_secs(1);

/// The program to start, and the way to talk to it.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// UCI options to set, by name and value.
    pub options: Vec<(String, String)>,
    /// The command for a divide; `{depth}` stands for the depth.
    pub perft_command: String,
    /// The longest silence.
    pub timeout: Duration,
    /// Ends all waiting with an error.
    pub cancel: CancelToken,
}

impl EngineSettings {
    /// No options, `go perft {depth}`, and a minute of silence.
    pub fn new<S: Into<String>>(command: impl IntoIterator<Item = S>) -> Self {
        Self {
            command: command.into_iter().map(S::into).collect(),
            options: Vec::new(),
            perft_command: "go perft {depth}".to_owned(),
            timeout: Duration::from_secs(60),
            cancel: CancelToken::new(),
        }
    }
}

/// A UCI engine with a command that divides, such as `go perft N`.
///
/// ```no_run
/// use perft::uci::{Divider, EngineSettings, Query, UciEngine};
/// use perft::{Board, Position};
///
/// let mut engine = UciEngine::start(&EngineSettings::new(["stockfish"]))?;
/// let root = Position::from(Board::startpos());
/// let output = engine.divide(&Query { root: &root, line: &[], depth: 3 })?;
/// assert_eq!(output.sum(), 8_902);
/// # Ok::<(), perft::uci::EngineError>(())
/// ```
#[derive(Debug)]
pub struct UciEngine {
    process: Process,
    settings: EngineSettings,
    /// The names of its options, in lower case.
    options: BTreeSet<String>,
    mode: CastlingMode,
    /// Whether a total ends its divides; unknown before the first.
    prints_totals: Option<bool>,
    /// Whether `isready` waits for the end of a divide.
    is_ready_after_divide: bool,
}

/// A divide as it is received.
struct PartialDivide {
    transcript: Transcript,
    /// The number of legal moves.
    legal: usize,
    /// The number of moves before `readyok`; `None` until that comes.
    moves_when_ready: Option<usize>,
}

impl UciEngine {
    /// Starts the engine, sets its options, and learns from an easy divide how it ends its output.
    ///
    /// # Errors
    /// See [`EngineFailure`].
    pub fn start(settings: &EngineSettings) -> Result<Self, EngineError> {
        let mut engine = Self {
            process: Process::start(&settings.command, &[], &settings.cancel)?,
            settings: settings.clone(),
            options: BTreeSet::new(),
            mode: CastlingMode::Standard,
            prints_totals: None,
            is_ready_after_divide: false,
        };
        engine.handshake()?;
        for (name, value) in &settings.options {
            engine.set_option(name, value)?;
        }
        engine.send_query("isready");
        while engine.process.receive_line(settings.timeout)?.trim() != "readyok" {}
        let start = Board::startpos();
        let divide = engine.query_divide("position startpos", 1, start.legal_moves().len())?;
        let transcript = &divide.transcript;
        engine.is_ready_after_divide = divide.moves_when_ready == Some(transcript.move_count());
        engine.prints_totals = Some(transcript.has_total() && !transcript.has_running_totals());
        Ok(engine)
    }

    fn send_query(&mut self, lines: &str) {
        self.process.set_query(Some(lines.lines().collect::<Vec<_>>().join("; ")));
        self.process.send(lines);
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.send_query("uci");
        loop {
            match self.process.receive(self.settings.timeout)? {
                Received::Line(line) if line.trim() == "uciok" => return Ok(()),
                Received::Line(line) => {
                    if let Some(rest) = line.trim().strip_prefix("option name ") {
                        let name = rest.split(" type ").next().unwrap_or(rest);
                        self.options.insert(name.trim().to_lowercase());
                    }
                }
                Received::Timeout => return Err(self.process.error(EngineFailure::NotUci)),
                Received::End => return Err(self.process.end_error()),
            }
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        if !self.options.contains(&name.to_lowercase()) {
            self.process.set_query(None);
            return Err(self.process.error(EngineFailure::NoOption(name.to_owned())));
        }
        self.process.send(&format!("setoption name {name} value {value}"));
        Ok(())
    }

    fn set_castling_mode(&mut self, mode: CastlingMode) -> Result<(), EngineError> {
        if mode != self.mode {
            self.set_option(CHESS960_OPTION, &(mode == CastlingMode::Chess960).to_string())?;
            self.mode = mode;
        }
        Ok(())
    }

    /// Sends a position that has `legal` moves, and receives its divide.
    fn query_divide(
        &mut self,
        position: &str,
        depth: Depth,
        legal: usize,
    ) -> Result<PartialDivide, EngineError> {
        let go = self.settings.perft_command.replace("{depth}", &depth.to_string());
        self.send_query(&format!("{position}\n{go}"));
        self.process.send("isready");
        let mut divide =
            PartialDivide { transcript: Transcript::default(), legal, moves_when_ready: None };
        while !self.is_whole(&divide) {
            let quiet = self.quiet_time(&divide);
            let time = quiet.unwrap_or(self.settings.timeout);
            match self.process.receive(time)? {
                Received::Line(line) => self.add_line(&mut divide, &line)?,
                Received::Timeout if quiet.is_some() && self.accepts_silence(&divide) => break,
                Received::Timeout => return Err(self.process.error(divide.timeout_failure(time))),
                Received::End => return Err(self.process.end_error()),
            }
        }
        Ok(divide)
    }

    fn add_line(&mut self, divide: &mut PartialDivide, line: &str) -> Result<(), EngineError> {
        match divide.transcript.push(line) {
            OutputLine::Ready => divide.moves_when_ready = Some(divide.transcript.move_count()),
            OutputLine::BestMove
                if self.prints_totals.is_none() && divide.transcript.move_count() == 0 =>
            {
                return Err(self.process.error(EngineFailure::Searched));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the total and `readyok` are there, which come in either order.
    ///
    /// A total before the first move belongs to something else, such as the query before.
    fn is_whole(&self, divide: &PartialDivide) -> bool {
        let transcript = &divide.transcript;
        let has_all = match (transcript.move_count(), self.prints_totals) {
            (0, _) => divide.legal == 0 && transcript.total() == Some(0),
            (_, Some(prints_totals)) => prints_totals && transcript.has_total(),
            // In the first divide, a total may be that of the moves so far.
            (moves, None) => moves >= divide.legal && transcript.has_total(),
        };
        has_all && divide.moves_when_ready.is_some()
    }

    /// The silence that ends the divide: long if moves are missing; `None` if only a total does.
    fn quiet_time(&self, divide: &PartialDivide) -> Option<Duration> {
        let moves_when_ready = divide.moves_when_ready?;
        let timeout = self.settings.timeout;
        let (legal, total) = (divide.legal, divide.transcript.total());
        match (divide.transcript.move_count(), self.prints_totals) {
            (0, _) if legal == 0 => Some(QUIET),
            (0, None) => total.map(|_| FIRST_QUIET.min(timeout)),
            // A total of 0 without moves is believed of an engine that has divided before.
            (0, Some(_)) if total == Some(0) => Some(QUIET),
            (0, Some(false)) => Some(timeout),
            (_, Some(true)) => None,
            (moves, _) if moves >= legal => Some(QUIET),
            (_, None) => Some(FIRST_QUIET.min(timeout)),
            // `readyok` has come after the moves, as in the first divide.
            (moves, Some(false)) if self.is_ready_after_divide && moves == moves_when_ready => {
                Some(QUIET)
            }
            (_, Some(false)) => Some(timeout),
        }
    }

    /// Whether silence can end the divide: not the first one without moves.
    fn accepts_silence(&self, divide: &PartialDivide) -> bool {
        self.prints_totals.is_some() || divide.transcript.move_count() > 0
    }
}

impl PartialDivide {
    fn timeout_failure(&self, time: Duration) -> EngineFailure {
        let is_ready = self.moves_when_ready.is_some();
        match self.transcript.move_count() {
            0 if is_ready => no_moves(self.transcript.total()),
            _ => EngineFailure::Timeout(time),
        }
    }
}

impl Divider for UciEngine {
    type Error = EngineError;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        self.set_castling_mode(query.root.castling_mode())?;
        let moves = query.uci_moves();
        let moves = if moves.is_empty() { moves } else { format!(" moves {moves}") };
        let position = format!("position fen {}{moves}", query.root);
        let legal = query.position().board().legal_moves().len();
        let divide = self.query_divide(&position, query.depth, legal)?;
        Ok(divide.transcript.output())
    }
}

/// The failure of output that has no moves where there are some.
fn no_moves(total: Option<u128>) -> EngineFailure {
    if total.is_some() { EngineFailure::TotalOnly } else { EngineFailure::NoCounts }
}

/// A program that is started for each query: `PROGRAM DEPTH FEN MOVES`.
#[derive(Clone, Debug)]
pub struct Script {
    settings: EngineSettings,
}

impl Script {
    /// Starts nothing yet. `options` and `perft_command` are not used.
    pub fn new(settings: &EngineSettings) -> Self {
        Self { settings: settings.clone() }
    }
}

impl Divider for Script {
    type Error = EngineError;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        let mut arguments = vec![query.depth.to_string(), query.root.to_string()];
        arguments.extend(Some(query.uci_moves()).filter(|moves| !moves.is_empty()));
        let EngineSettings { command, timeout, cancel, .. } = &self.settings;
        let mut process = Process::start(command, &arguments, cancel)?;
        process.close_input();
        process.set_query(Some(arguments.join(" ")));
        let mut transcript = Transcript::default();
        loop {
            match process.receive(*timeout)? {
                Received::Line(line) => _ = transcript.push(&line),
                Received::Timeout => return Err(process.error(EngineFailure::Timeout(*timeout))),
                Received::End => break,
            }
        }
        // After its output a program may need time to end.
        let status = process.end(*timeout);
        if !status.is_some_and(|status| status.success()) {
            return Err(process.end_error());
        }
        let output = transcript.output();
        // A program that finds no moves prints a total of 0. No output at all is right only
        // where there are no moves.
        let has_output = output.total == Some(0) || output.unreadable.is_some();
        let has_legal_moves = query.position().board().count_legal_moves() > 0;
        if output.moves.is_empty() && !has_output && has_legal_moves {
            return Err(process.error(no_moves(output.total)));
        }
        Ok(output)
    }
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;
    use crate::board::Position;

    /// A shell as the program.
    fn shell(script: &str) -> EngineSettings {
        EngineSettings::new(["sh", "-c", script, "sh"])
    }

    fn divide<D: Divider>(divider: &mut D, fen: &str) -> Result<DivideOutput, D::Error> {
        let root: Position = fen.parse().unwrap();
        divider.divide(&Query { root: &root, line: &[], depth: 1 })
    }

    #[test]
    fn a_script_is_given_depth_and_fen() {
        let fen = "7k/8/8/8/8/8/8/K7 w - - 0 1";
        let script = shell(&format!("[ \"$2\" = '{fen}' ] && echo a1a2: $1"));
        let output = divide(&mut Script::new(&script), fen);
        assert_eq!(output, Ok(DivideOutput::new([("a1a2".to_owned(), 1)])));
        let error = divide(&mut Script::new(&shell("echo oops $1 >&2; exit 3")), fen).unwrap_err();
        assert_eq!(error.failure(), &EngineFailure::Ended("exit status: 3".to_owned()));
        let text = format!(
            r#"engine "sh -c echo oops $1 >&2; exit 3 sh" ended (exit status: 3), asked "1 {fen}"; its last line was "oops 1""#
        );
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_uci_engine_divides() {
        let script = "while read -r line; do case $line in
            uci) echo uciok;; isready) echo readyok;; quit) exit;;
            go*) for file in a b c d e f g h; do
                    echo ${file}2${file}3: 1; echo ${file}2${file}4: 1
                 done
                 for jump in b1a3 b1c3 g1f3 g1h3; do echo $jump: 1; done
                 echo Nodes searched: 20;;
            esac; done";
        let mut engine = UciEngine::start(&shell(script)).unwrap();
        let output = divide(&mut engine, Board::STARTPOS_FEN).unwrap();
        assert_eq!((output.moves.len(), output.total), (20, Some(20)));
        let chess960 = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
        assert!(divide(&mut engine, chess960).unwrap_err().lacks_chess960());
    }

    #[test]
    fn waiting_can_be_cancelled() {
        let settings = shell("sleep 3600");
        settings.cancel.cancel();
        assert!(UciEngine::start(&settings).unwrap_err().is_cancelled());
    }
}

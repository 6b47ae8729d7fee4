//! Other programs that divide.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::output::is_of_search;
use super::process::{Process, Received};
use super::{
    CHESS960_OPTION, DivideOutput, Divider, EngineError, EngineFailure, OutputLine, Query,
    Transcript,
};
use perft_core::Depth;
use perft_core::sys::CancelToken;
use perft_core::types::CastlingMode;

/// The silence after which a divide without a total is whole.
const QUIET: Duration = Duration::from_millis(400);

/// The same for the first divide if moves are missing. It is so easy that no engine pauses in it.
const FIRST_QUIET: Duration = Duration::from_secs(1);

/// The same if nothing is printed, or not all moves at depth 2.
const FIRST_SILENCE: Duration = Duration::from_secs(4);

/// The limit on its output ends an engine that prints so much other than a divide, and not the
/// timeout.
const FLOOD: usize = 1 << 20;

/// The program to start, and the way to talk to it.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// UCI options to set, by name and value.
    pub options: Vec<(String, String)>,
    /// The command for a divide; `{depth}` stands for the depth.
    pub perft_command: String,
    /// The longest time without a line of a divide.
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
/// use perft_compare::uci::{Divider, EngineSettings, Query, UciEngine};
/// use perft_core::{Board, Position};
///
/// let mut engine = UciEngine::start(&EngineSettings::new(["stockfish"]))?;
/// let root = Position::from(Board::startpos());
/// let output = engine.divide(&Query { root: &root, line: &[], depth: 3 })?;
/// assert_eq!(output.sum(), 8_902);
/// # Ok::<(), perft_compare::uci::EngineError>(())
/// ```
#[derive(Debug)]
pub struct UciEngine {
    process: Process,
    settings: EngineSettings,
    /// The names of its options, in lower case.
    options: BTreeSet<String>,
    mode: CastlingMode,
    /// Unknown before the first divides.
    style: Option<OutputStyle>,
    /// Whether it has listed a move, so that it does not search in place of counting.
    has_divided: bool,
}

/// The way in which an engine prints divides.
#[derive(Clone, Copy, Debug)]
struct OutputStyle {
    /// Whether a total ends its divides.
    prints_totals: bool,
    /// Whether it prints no moves.
    only_totals: bool,
    /// The least depth at which it prints moves.
    min_depth: Depth,
    /// Whether it divides at each depth up to that of the query.
    divides_each_depth: bool,
    /// Whether `isready` waits for the end of a divide.
    is_ready_after_divide: bool,
}

/// A divide as it is received.
struct PartialDivide {
    transcript: Transcript,
    depth: Depth,
    /// The number of legal moves.
    legal: usize,
    /// The number of moves before `readyok`; `None` until that comes.
    moves_when_ready: Option<usize>,
    /// The time of the last line of the divide.
    last_progress: Instant,
    /// Whether other lines have come since.
    has_other_lines: bool,
    /// Whether nothing of the divide came after `readyok`.
    ready_is_last: bool,
    /// A line by which the engine does not know the command.
    refusal: Option<String>,
}

impl UciEngine {
    /// Starts the engine, sets its options, and learns from easy divides how it prints them.
    ///
    /// # Errors
    /// See [`EngineFailure`].
    pub fn start(settings: &EngineSettings) -> Result<Self, EngineError> {
        let mut engine = Self {
            process: Process::start(&settings.command, &[], &settings.cancel)?,
            settings: settings.clone(),
            options: BTreeSet::new(),
            mode: CastlingMode::Standard,
            style: None,
            has_divided: false,
        };
        engine.handshake()?;
        for (name, value) in &settings.options {
            engine.set_option(name, value)?;
        }
        engine.send_query(&["isready"]);
        while engine.process.receive_line(settings.timeout)?.trim() != "readyok" {}
        engine.style = Some(engine.learn_style()?);
        Ok(engine)
    }

    /// Some engines print a total only, or nothing, at depth 1, and moves from depth 2 on.
    fn learn_style(&mut self) -> Result<OutputStyle, EngineError> {
        let first = self.query_divide("position startpos", 1, 20)?;
        if let Some(line) = &first.refusal
            && !first.has_right_total()
        {
            return Err(self.process.error_quoting(EngineFailure::UnknownCommand, line));
        }
        let second = self.query_divide("position startpos", 2, 20)?;
        let min_depth = if first.transcript.move_count() > 0 { 1 } else { 2 };
        let divide = if min_depth == 1 { &first } else { &second };
        let transcript = &divide.transcript;
        let only_totals = transcript.move_count() == 0;
        if only_totals && !(first.transcript.has_total() && transcript.has_total()) {
            let error = EngineFailure::NoCounts;
            return Err(match transcript.not_understood() {
                Some(line) => self.process.error_quoting(error, line),
                None => self.process.error(error),
            });
        }
        // After `readyok` there is nothing more to come.
        let is_ready_after_divide = first.ready_is_last && second.ready_is_last;
        Ok(OutputStyle {
            prints_totals: transcript.has_total() && !transcript.has_running_totals(),
            only_totals,
            min_depth,
            divides_each_depth: !is_ready_after_divide && second.transcript.divide_count() > 1,
            is_ready_after_divide,
        })
    }

    fn send_query(&mut self, lines: &[&str]) {
        self.process.set_query(lines);
        lines.iter().for_each(|line| self.process.send(line));
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.send_query(&["uci"]);
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
            self.process.set_query(&[]);
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
        self.send_query(&[position, &go]);
        self.process.send("isready");
        let mut divide = PartialDivide::new(depth, legal);
        while !self.is_whole(&divide) {
            let quiet = self.quiet_time(&divide);
            let time = quiet.unwrap_or(self.settings.timeout).min(self.time_left(&divide));
            match self.process.receive(time)? {
                Received::Line(line) => self.add_line(&mut divide, &line)?,
                Received::Timeout if quiet.is_some() => break,
                Received::Timeout => {
                    let failure = divide.timeout_failure(self.settings.timeout);
                    return Err(self.process.error(failure));
                }
                Received::End => return Err(self.process.end_error()),
            }
        }
        Ok(divide)
    }

    /// The time until the timeout, which only lines of the divide restart.
    fn time_left(&self, divide: &PartialDivide) -> Duration {
        let timeout = self.settings.timeout;
        if self.process.received() > FLOOD {
            return timeout;
        }
        timeout.saturating_sub(divide.last_progress.elapsed())
    }

    fn add_line(&mut self, divide: &mut PartialDivide, line: &str) -> Result<(), EngineError> {
        let meaning = divide.transcript.push(line);
        self.has_divided |= divide.transcript.move_count() > 0;
        let is_first = self.style.is_none() && !self.has_divided;
        if is_first && (meaning == OutputLine::BestMove || is_of_search(line)) {
            return Err(self.process.error_quoting(EngineFailure::Searched, line));
        }
        match meaning {
            OutputLine::Ready => {
                divide.moves_when_ready = Some(divide.transcript.move_count());
            }
            OutputLine::Other | OutputLine::BestMove => {
                divide.has_other_lines = true;
                if is_first && divide.refusal.is_none() && is_refusal(line) {
                    divide.refusal = Some(line.to_owned());
                }
                return Ok(());
            }
            _ => divide.ready_is_last &= divide.moves_when_ready.is_none(),
        }
        divide.last_progress = Instant::now();
        divide.has_other_lines = false;
        Ok(())
    }

    /// Whether the total and `readyok` are there, which come in either order.
    ///
    /// A total before the first move belongs to something else, such as the query before, unless
    /// the engine prints totals only.
    fn is_whole(&self, divide: &PartialDivide) -> bool {
        if divide.moves_when_ready.is_none() {
            return false;
        }
        let transcript = &divide.transcript;
        let (moves, total) = (transcript.move_count(), transcript.total());
        match self.style {
            // In the first divides, a total may be that of the moves so far, or of less depth.
            None => {
                let has_all = moves >= divide.legal && transcript.has_total();
                divide.has_right_total() && (moves == 0 || has_all) || divide.depth == 1 && has_all
            }
            Some(style) if style.only_totals => transcript.has_total(),
            Some(_) if moves == 0 => divide.legal == 0 && total == Some(0),
            Some(style) => {
                let divides = if style.divides_each_depth { divide.depth.into() } else { 1 };
                style.prints_totals && transcript.has_total() && {
                    divides == 1 || transcript.divide_count() >= divides
                }
            }
        }
    }

    /// The silence that ends the divide: long if moves are missing; `None` if only a total does.
    fn quiet_time(&self, divide: &PartialDivide) -> Option<Duration> {
        let moves_when_ready = divide.moves_when_ready?;
        let timeout = self.settings.timeout;
        let (legal, total) = (divide.legal, divide.transcript.total());
        let Some(style) = self.style else {
            let quiet = match divide.transcript.move_count() {
                0 if total.is_none() => FIRST_SILENCE,
                // Some pause between moves, if they count on another thread.
                moves @ 1.. if moves < legal && !divide.ready_is_last && divide.depth > 1 => {
                    FIRST_SILENCE
                }
                moves if moves >= legal && divide.depth == 1 => QUIET,
                _ => FIRST_QUIET,
            };
            return Some(quiet.min(timeout));
        };
        match divide.transcript.move_count() {
            0 if legal == 0 => Some(QUIET),
            _ if style.only_totals => None,
            // A total of 0 without moves is believed of an engine that has divided before.
            0 if total == Some(0) => Some(QUIET),
            0 if !style.prints_totals => Some(timeout),
            _ if style.prints_totals => None,
            moves if moves >= legal => Some(QUIET),
            // `readyok` has come after the moves, as in the first divide.
            moves if style.is_ready_after_divide && moves == moves_when_ready => Some(QUIET),
            _ => Some(timeout),
        }
    }

    fn query(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        let legal = query.position().board().legal_moves().len();
        let divide = self.query_divide(&query.uci_position(), query.depth, legal)?;
        Ok(divide.transcript.output())
    }
}

impl PartialDivide {
    fn new(depth: Depth, legal: usize) -> Self {
        Self {
            transcript: Transcript::of_depth(depth),
            depth,
            legal,
            moves_when_ready: None,
            last_progress: Instant::now(),
            has_other_lines: false,
            ready_is_last: true,
            refusal: None,
        }
    }

    /// Whether the total is that of the start position at depth 1 or 2.
    fn has_right_total(&self) -> bool {
        self.transcript.total() == Some(if self.depth == 1 { 20 } else { 400 })
    }

    fn timeout_failure(&self, time: Duration) -> EngineFailure {
        let is_ready = self.moves_when_ready.is_some();
        match self.transcript.move_count() {
            0 if is_ready => no_moves(self.transcript.total()),
            _ if self.has_other_lines => EngineFailure::NoProgress(time),
            _ => EngineFailure::Timeout(time),
        }
    }
}

impl Divider for UciEngine {
    type Error = EngineError;

    fn lacks_chess960(&self) -> Option<&'static str> {
        let has_option = self.options.contains(&CHESS960_OPTION.to_lowercase());
        (!has_option).then_some("the engine has no option UCI_Chess960")
    }

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        self.set_castling_mode(query.root.castling_mode())?;
        let Some(style) = self.style else { return self.query(query) };
        if style.only_totals {
            return divide_by_totals(query, |query| self.query(query));
        }
        if query.depth >= style.min_depth {
            return self.query(query);
        }
        // At greater depth it lists the same moves.
        let mut output = self.query(&Query { depth: style.min_depth, ..*query })?;
        output.moves.iter_mut().for_each(|(_, nodes)| *nodes = 1);
        output.total = None;
        Ok(output)
    }
}

/// A divide of a program that prints totals only: the position itself, and the position after each
/// legal move at one ply less.
fn divide_by_totals<E>(
    query: &Query<'_>,
    mut ask: impl FnMut(&Query<'_>) -> Result<DivideOutput, E>,
) -> Result<DivideOutput, E> {
    let mut output = DivideOutput { only_totals: true, ..ask(query)? };
    let position = query.position();
    let mut line = query.line.to_vec();
    for mv in position.board().legal_moves() {
        let nodes = if query.depth <= 1 {
            1
        } else {
            line.push(mv);
            let after = ask(&Query { line: &line, depth: query.depth - 1, ..*query })?;
            line.pop();
            output.unreadable = output.unreadable.or(after.unreadable);
            after.total.unwrap_or_default()
        };
        output.moves.push((position.board().uci(mv), nodes));
    }
    Ok(output)
}

/// Whether a line says that a command is not known.
fn is_refusal(line: &str) -> bool {
    const WORDS: [&str; 6] =
        ["unknown", "unrecognized", "unrecognised", "invalid", "illegal", "error"];
    let lower = line.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
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

    /// It cannot be queried for its options.
    fn lacks_chess960(&self) -> Option<&'static str> {
        Some("--chess960 says that the script knows it")
    }

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        let output = self.run(query)?;
        // A program that finds no moves prints a total of 0.
        let only_totals = output.moves.is_empty() && output.total.is_some_and(|total| total > 0);
        if !only_totals || output.unreadable.is_some() {
            return Ok(output);
        }
        let mut output = Some(output);
        divide_by_totals(query, |query| output.take().map_or_else(|| self.run(query), Ok))
    }
}

impl Script {
    fn run(&self, query: &Query<'_>) -> Result<DivideOutput, EngineError> {
        let mut arguments = vec![query.depth.to_string(), query.root.to_string()];
        arguments.extend(Some(query.uci_moves()).filter(|moves| !moves.is_empty()));
        let EngineSettings { command, timeout, cancel, .. } = &self.settings;
        let mut process = Process::start(command, &arguments, cancel)?;
        process.close_input();
        process.set_query(&[&arguments.join(" ")]);
        let mut transcript = Transcript::of_depth(query.depth);
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
        // No output at all is right only where there are no moves.
        let has_legal_moves = query.position().board().count_legal_moves() > 0;
        if transcript.is_empty() && has_legal_moves {
            let line = transcript.not_understood();
            let error = EngineFailure::NoCounts;
            return Err(match line {
                Some(line) => process.error_quoting(error, line),
                None => process.error(error),
            });
        }
        Ok(transcript.output())
    }
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;
    use perft_core::board::{Board, Position};

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
        assert!(engine.lacks_chess960().is_some());
        let failure = divide(&mut engine, chess960).unwrap_err().failure().clone();
        assert_eq!(failure, EngineFailure::NoOption(CHESS960_OPTION.to_owned()));
    }

    #[test]
    fn waiting_can_be_cancelled() {
        let settings = shell("sleep 3600");
        settings.cancel.cancel();
        assert!(UciEngine::start(&settings).unwrap_err().is_cancelled());
    }
}

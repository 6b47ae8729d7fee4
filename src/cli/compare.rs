//! `perft compare`: where another engine goes wrong, and why.

use std::fmt::Write;
use std::io::Read;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use perft::compare::{
    Answer, Case, CompareError, Contrast, Explanation, Fault, Finder, Hunt, MOST_NODES_OF_A_DIVIDE,
    Opponent, Root, Transcript, Verdict, explain_divide,
};
use perft::plan::estimate;
use perft::rules::Rule;
use perft::suite::{Entry, Options};
use perft::{Bitboard, Depth, PerftError, Square, Suite, Variant, Workers};
use serde_json::{Value, json};

use super::args::{CompareArgs, Protocol};
use super::engine::{CHESS960, EngineError, Script, Settings, UciEngine};
use super::interrupt::stop_on_interrupt;
use super::output::{self, Progress, grouped};
use super::position::{Start, start_and_depth};
use super::suite::open_suites;
use super::{DIFFERENT, INTERRUPTED};

/// The most that is read of a divide on standard input.
const LONGEST_INPUT: u64 = 1 << 20;

/// What to compare.
enum Task {
    Position(Start, Depth),
    Suites(Vec<Suite>),
    Hunt,
}

/// Compares as the arguments say.
pub fn compare(args: &CompareArgs) -> Result<ExitCode> {
    if args.stdin {
        return pasted(args);
    }
    if (args.hunt || args.suite.is_some()) && args.position.moves.is_some() {
        bail!("--moves is for one position, not for --suite or --hunt");
    }
    // Whatever is wrong with it is said before an engine is started.
    let task = match &args.suite {
        Some(files) => Task::Suites(open_suites(files)?),
        None if args.hunt => Task::Hunt,
        None => {
            let (start, depth) = start_and_depth(&args.words, &args.position)?;
            Task::Position(start, depth)
        }
    };
    if args.options.iter().any(|(name, _)| name.eq_ignore_ascii_case(CHESS960)) {
        bail!("--option {CHESS960} is what --chess960 sets; use that");
    }
    let Some(program) = &args.program else { bail!("no engine is named (--engine CMD)") };
    let words = match shlex::split(program) {
        Some(words) if !words.is_empty() => words,
        _ => bail!("--engine {program:?} is no command: a quote is open, or it is empty"),
    };
    if args.perft_command.contains(['\n', '\r']) || !args.perft_command.contains("{depth}") {
        bail!(
            "--perft-command {:?} is not one line with {{depth}} in it (go perft {{depth}})",
            args.perft_command
        );
    }
    let settings = Settings {
        words,
        options: args.options.clone(),
        command: args.perft_command.clone(),
        timeout: args.timeout,
        stop: stop_on_interrupt(),
    };
    match args.protocol {
        Protocol::Uci => match UciEngine::start(&settings) {
            Ok(engine) => with_opponent(args, &task, engine, &settings),
            Err(error) if error.is_stopped() => Ok(interrupted()),
            Err(error) => Err(error.into()),
        },
        Protocol::Script if !args.options.is_empty() => {
            bail!("--option is for UCI engines, not for --protocol script")
        }
        Protocol::Script => with_opponent(args, &task, Script::new(&settings), &settings),
    }
}

fn with_opponent<O>(
    args: &CompareArgs,
    task: &Task,
    opponent: O,
    settings: &Settings,
) -> Result<ExitCode>
where
    O: Opponent<Error = EngineError>,
{
    let engine = args.engine.engine();
    // Most counts are small, so that a table has to be asked for.
    let table = args.machine.table(0.0, engine.kernel)?;
    let threads = args.machine.threads();
    let ours = Workers { engine, threads, table: table.as_ref(), stop: settings.stop };
    let mut finder = Finder::new(opponent, ours);
    let result = match task {
        Task::Suites(suites) => suite(args, suites, &mut finder),
        Task::Position(start, depth) => one(args, start, *depth, &mut finder),
        Task::Hunt => hunt(args, &mut finder),
    };
    match result {
        Err(error) if is_stopped(&error) => Ok(interrupted()),
        Err(error) => match error.downcast_ref::<CompareError<EngineError>>() {
            Some(CompareError::AnotherPosition { .. } | CompareError::NoCount(_)) => {
                Err(error.context(format!("engine {:?}", settings.words.join(" "))))
            }
            _ => Err(error),
        },
        result => result,
    }
}

fn is_stopped(error: &anyhow::Error) -> bool {
    error.downcast_ref::<CompareError<EngineError>>().is_some_and(is_stopped_error)
}

fn is_stopped_error(error: &CompareError<EngineError>) -> bool {
    match error {
        CompareError::Stopped => true,
        CompareError::Opponent(error) => error.is_stopped(),
        _ => false,
    }
}

fn interrupted() -> ExitCode {
    output::note(format_args!("perft: interrupted"));
    ExitCode::from(INTERRUPTED)
}

/// One position, deeper and deeper.
fn one<O>(
    args: &CompareArgs,
    start: &Start,
    depth: Depth,
    finder: &mut Finder<'_, O>,
) -> Result<ExitCode>
where
    O: Opponent<Error = EngineError>,
{
    if depth == 0 {
        bail!("depth 0 has nothing to compare (perft compare --engine CMD startpos 4)");
    }
    let Start { root, line } = start;
    let mut progress = Progress::new(args.output.quiet);
    let mut equal_to = 0;
    let found = finder.find_after(root, line, depth, |depth, nodes| {
        equal_to = depth;
        progress.show_at_once(|| format!("equal to depth {depth}, {} nodes", grouped(nodes)));
    });
    drop(progress);
    let before: Vec<String> = line.iter().map(|mv| mv.uci(root.variant())).collect();
    let found = match found {
        Err(error) if is_stopped_error(&error) => {
            if args.output.json {
                let object = json!({ "equal": Value::Null, "fen": root.fen(),
                    "moves_before": before, "depth": equal_to, "interrupted": true });
                output::verdict(&format!("{object}\n"))?;
            }
            output::note(format_args!("perft: interrupted: equal to depth {equal_to}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Err(error) if equal_to > 0 => {
            return Err(anyhow!(error).context(format!("equal to depth {equal_to}")));
        }
        found => found?,
    };
    let fault = match found {
        Verdict::Equal(nodes) => {
            let text = format!("Equal to depth {depth}: {nodes} nodes\n");
            let object = json!({ "equal": true, "fen": root.fen(), "moves_before": before,
                "depth": depth, "nodes": nodes });
            output::verdict(&if args.output.json { format!("{object}\n") } else { text })?;
            return Ok(ExitCode::SUCCESS);
        }
        Verdict::Different(fault) => fault,
    };
    let report = Report::new(finder, &fault);
    let text = if args.output.json { format!("{}\n", report.json()) } else { report.text() };
    output::verdict(&text)?;
    Ok(report.exit_code())
}

/// What there is to say where every line is right.
const NOT_THE_SUM: &str = "The total is not the sum of the lines.\n";

/// Why an opponent goes wrong, if that is known; or why it was not found out.
type Why = Result<Option<Explanation>, String>;

/// A fault and what there is to say about it.
struct Report<'a> {
    fault: &'a Fault,
    why: Why,
    is_interrupted: bool,
}

impl<'a> Report<'a> {
    /// Asks why; what is found is not given up if there is no answer.
    fn new<O>(finder: &mut Finder<'_, O>, fault: &'a Fault) -> Self
    where
        O: Opponent<Error = EngineError>,
    {
        if let Some(why) = &fault.broken_off {
            let is_interrupted = stop_on_interrupt().load(Ordering::Relaxed);
            return Self { fault, why: Err(why.clone()), is_interrupted };
        }
        let why = match finder.explain(fault) {
            Ok(None) if fault.contrast.lists_agree() => {
                Err("the moves are right, and the tree is too large or no rule gives its counts"
                    .to_owned())
            }
            Ok(why) => Ok(why),
            Err(error) if is_stopped_error(&error) => return Self::interrupted(fault),
            Err(error) => Err(error.to_string()),
        };
        Self { fault, why, is_interrupted: false }
    }

    /// Without asking why.
    fn interrupted(fault: &'a Fault) -> Self {
        Self { fault, why: Err("interrupted".to_owned()), is_interrupted: true }
    }

    fn exit_code(&self) -> ExitCode {
        if self.is_interrupted { interrupted() } else { ExitCode::from(DIFFERENT) }
    }

    fn rule(&self) -> Option<Rule> {
        self.why.as_ref().ok().and_then(|why| why.as_ref()).map(Explanation::rule)
    }

    fn line(&self) -> Vec<String> {
        self.fault.line.iter().map(|mv| mv.uci(self.fault.root.variant())).collect()
    }

    fn text(&self) -> String {
        let fault = self.fault;
        let (root, position) = (&fault.root, fault.position());
        let mut text = format!("Different at depth {}", fault.start_depth);
        if fault.start > 0 {
            _ = write!(text, " after {}", self.line()[..fault.start].join(" "));
        }
        _ = writeln!(text, ": {}", totals(&fault.start_contrast));
        if !fault.line.is_empty() {
            _ = writeln!(text, "From: {}\nMoves: {}", root.fen(), self.line().join(" "));
        }
        _ = writeln!(text, "FEN: {}", position.fen());
        text += &differences(&fault.contrast, root.variant());
        _ = write!(text, "\n{}\n", marked(&position, &fault.contrast));
        if fault.contrast.is_in_the_total_only() {
            return text + NOT_THE_SUM;
        }
        if fault.contrast.lists_agree() && fault.broken_off.is_none() {
            let said = match fault.depth {
                1 => "The moves are the same, but their counts at depth 1 are not 1.".to_owned(),
                depth => format!(
                    "The moves are the same, and so is each count if it is asked for alone: \
                     at depth {depth} the engine adds up wrongly, or remembers wrongly."
                ),
            };
            _ = writeln!(text, "{said}");
        }
        text += &because(&self.why);
        if fault.without_moves == Some(false) {
            text += "Given this FEN without the moves, the engine is right: it goes wrong in making \
                     the moves.\n";
        }
        text
    }

    fn json(&self) -> Value {
        let fault = self.fault;
        let mut object = json!({
            "equal": false,
            "fen": fault.root.fen(),
            "moves_before": self.line()[..fault.start],
            "depth": fault.start_depth,
            "nodes": fault.start_contrast.ours,
            "their_nodes": fault.start_contrast.theirs,
            "moves": self.line(),
            "fault": {
                "fen": fault.position().fen(),
                "depth": fault.depth,
                "right_without_moves": fault.without_moves.map(|wrong| !wrong),
            },
        });
        for (name, value) in json_differences(&fault.contrast, fault.root.variant()) {
            object["fault"][name] = value;
        }
        object["rule"] = json_because(&self.why);
        object["broken_off"] = json!(fault.broken_off);
        object
    }
}

/// Our total and theirs, which may hide that theirs is not the sum of their lines.
fn totals(contrast: &Contrast) -> String {
    let Contrast { ours, theirs, .. } = contrast;
    let sum = contrast.their_sum();
    let remark = if sum == *theirs || contrast.is_in_the_total_only() {
        String::new()
    } else {
        format!(" (where the moves add up to {sum})")
    };
    format!("{ours} here, {theirs} there{remark}")
}

fn differences(contrast: &Contrast, variant: Variant) -> String {
    let mut text = String::new();
    for (name, moves) in [
        ("Missing", &contrast.missing),
        ("Extra", &contrast.extra),
        ("Listed more than once", &contrast.repeated),
    ] {
        if !moves.is_empty() {
            _ = writeln!(text, "{name}: {}", moves.join(" "));
        }
    }
    // Behind another list of moves counts say little.
    if contrast.lists_agree() {
        for count in &contrast.counts {
            let mv = count.mv.uci(variant);
            _ = writeln!(text, "{mv}: {} here, {} there", count.ours, count.theirs);
        }
        if contrast.counts.is_empty() && contrast.ours != contrast.theirs {
            _ = writeln!(
                text,
                "Total: {} here, {} there, although each move's count is the same",
                contrast.ours, contrast.theirs
            );
        }
    }
    text
}

fn json_differences(contrast: &Contrast, variant: Variant) -> [(&'static str, Value); 4] {
    let counts: Vec<Value> = contrast
        .counts
        .iter()
        .map(|count| {
            json!({ "move": count.mv.uci(variant), "nodes": count.ours, "their_nodes": count.theirs })
        })
        .collect();
    [
        ("missing", json!(contrast.missing)),
        ("extra", json!(contrast.extra)),
        ("repeated", json!(contrast.repeated)),
        ("counts", json!(counts)),
    ]
}

/// The board, with the squares from which and to which the wrong moves go.
fn marked(position: &Root, contrast: &Contrast) -> String {
    let mut wrong: Vec<String> = [&contrast.missing, &contrast.extra, &contrast.repeated]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    wrong.extend(contrast.counts.iter().map(|count| count.mv.uci(position.variant())));
    let squares = |place: std::ops::Range<usize>| -> Bitboard {
        wrong.iter().filter_map(|mv| mv.get(place.clone())?.parse::<Square>().ok()).collect()
    };
    let (from, to) = (squares(0..2), squares(2..4));
    let mut text = output::drawing(position.board(), |square| {
        match (from.contains(square), to.contains(square)) {
            (true, _) => Some(['[', ']']),
            (false, true) => Some(['(', ')']),
            (false, false) => None,
        }
    });
    if !from.is_empty() {
        text += "\n[ ] where the wrong moves start, ( ) where they end\n";
    }
    text
}

fn because(why: &Why) -> String {
    let why = match why {
        Ok(Some(why)) => why,
        Ok(None) => return "Rule: none of those known here explains it alone.\n".to_owned(),
        Err(error) => return format!("Rule: not found out: {error}.\n"),
    };
    let rule = why.rule();
    let mut text = format!("Rule: {rule}. {}\n", rule.text());
    text += if why.is_exact {
        "Without this rule our own generator gives the same answer.\n"
    } else {
        "Without this rule our own generator makes some of these mistakes, and no others.\n"
    };
    if !why.others().is_empty() {
        let others: Vec<&str> = why.others().iter().map(|rule| rule.name()).collect();
        _ = writeln!(text, "Not told apart from it: {}.", others.join(", "));
    }
    text
}

fn json_because(why: &Why) -> Value {
    why.as_ref().ok().and_then(|why| why.as_ref()).map_or(Value::Null, |why| {
        let others: Vec<&str> = why.others().iter().map(|rule| rule.name()).collect();
        json!({
            "name": why.rule().name(),
            "text": why.rule().text(),
            "exact": why.is_exact,
            "others": others,
        })
    })
}

/// A wrong position of a suite.
struct Failure<'a> {
    suite: &'a Suite,
    entry: &'a Entry,
    depth: Depth,
    contrast: Contrast,
}

/// What came out for a suite.
struct Row<'a> {
    suite: &'a Suite,
    compared: usize,
    skipped: usize,
    /// Positions that it did not come to.
    unfinished: usize,
    nodes: u128,
    wrong: usize,
}

impl Row<'_> {
    fn result(&self) -> String {
        output::result_of_suite(["equal", "DIFFERENT"], self.compared, self.wrong, self.unfinished)
    }

    fn json(&self) -> Value {
        json!({ "name": self.suite.name, "positions": self.compared, "skipped": self.skipped,
            "unfinished": self.unfinished, "nodes": self.nodes, "wrong": self.wrong })
    }
}

/// What came out for all suites.
#[derive(Default)]
struct Compared<'a> {
    rows: Vec<Row<'a>>,
    failures: Vec<Failure<'a>>,
    /// Positions of Chess960 that the engine was not asked about.
    without_chess960: usize,
    /// Lines of suites whose counts cannot be right.
    slips: Vec<String>,
    /// Why it ended early: what is found so far is told all the same.
    ended: Option<anyhow::Error>,
}

/// Asks about all positions.
fn compare_all<'a, O>(
    args: &CompareArgs,
    suites: &'a [Suite],
    finder: &mut Finder<'_, O>,
) -> Compared<'a>
where
    O: Opponent<Error = EngineError>,
{
    let deepest = |entry: &Entry| {
        let within =
            entry.counts.iter().filter(|&&(depth, nodes)| depth > 0 && nodes <= args.max_nodes);
        within.max().copied()
    };
    // A script cannot be asked whether it knows the game.
    let is_for_it = |entry: &Entry| {
        args.protocol == Protocol::Uci
            || args.position.chess960
            || entry.board.variant() == Variant::Standard
    };
    let all: usize = suites.iter().map(|suite| suite.entries.len()).sum();
    let mut progress = Progress::new(args.output.quiet);
    let mut done = 0;
    let mut compared = Compared::default();
    let Compared { rows, failures, without_chess960, slips, ended } = &mut compared;
    for suite in suites {
        let mut row = Row { suite, compared: 0, skipped: 0, unfinished: 0, nodes: 0, wrong: 0 };
        for entry in &suite.entries {
            done += 1;
            progress.show(|| format!("{done} of {all} positions, {} wrong", failures.len()));
            let Some((depth, expected)) = deepest(entry) else {
                row.skipped += 1;
                continue;
            };
            if ended.is_some() {
                row.unfinished += 1;
                continue;
            }
            if !is_for_it(entry) {
                row.skipped += 1;
                *without_chess960 += 1;
                continue;
            }
            // A slip in a depth asks for a count without end.
            let limit = Options::limit(args.max_nodes);
            if estimate(&entry.board, depth) > limit as f64
                && let Err(PerftError::Above(_)) =
                    finder.ours().count_up_to(&entry.board, depth, limit)
            {
                let place = format!("{}:{}", suite.name, entry.line);
                row.skipped += 1;
                slips.push(format!(
                    "{place}: depth {depth} has more than {limit} leaves, not {expected}"
                ));
                continue;
            }
            let root = Root::with_passed(entry.board, entry.board.variant(), entry.passed);
            match finder.contrast(&root, &[], depth) {
                Ok(contrast) => {
                    row.compared += 1;
                    row.nodes = row.nodes.saturating_add(contrast.ours);
                    if !contrast.agrees() {
                        row.wrong += 1;
                        failures.push(Failure { suite, entry, depth, contrast });
                    }
                }
                Err(CompareError::Opponent(error)) if error.lacks_chess960() => {
                    row.skipped += 1;
                    *without_chess960 += 1;
                }
                Err(error) => {
                    row.unfinished += 1;
                    *ended = Some(error.into());
                }
            }
        }
        rows.push(row);
    }
    compared
}

fn suite<O>(args: &CompareArgs, suites: &[Suite], finder: &mut Finder<'_, O>) -> Result<ExitCode>
where
    O: Opponent<Error = EngineError>,
{
    let Compared { rows, failures, without_chess960, slips, mut ended } =
        compare_all(args, suites, finder);
    let slips = (!slips.is_empty()).then(|| slips.join("; "));
    if rows.iter().all(|row| row.compared == 0) {
        if let Some(error) = ended {
            return Err(error);
        }
        if let Some(slips) = slips {
            bail!(slips);
        }
        if without_chess960 == 0 {
            bail!("nothing to compare: no count is within --max-nodes {}", args.max_nodes);
        }
    }
    if without_chess960 > 0 {
        let why = match args.protocol {
            Protocol::Uci => "the engine has no option UCI_Chess960",
            Protocol::Script => "--chess960 says that the script knows it",
        };
        output::note(format_args!(
            "perft: {without_chess960} positions of Chess960 are skipped: {why}"
        ));
    }

    let mut text = String::new();
    let mut faults = Vec::new();
    for (number, failure) in failures.iter().enumerate() {
        let Failure { suite, entry, depth, contrast } = failure;
        let root = Root::with_passed(entry.board, entry.board.variant(), entry.passed);
        let place = format!("{}:{}", suite.name, entry.line);
        let Contrast { ours, theirs, .. } = contrast;
        let (mut object, mut report) = (
            json!({ "suite": suite.name, "line": entry.line, "fen": root.fen(), "depth": depth,
                "nodes": ours, "their_nodes": theirs }),
            format!("{place}: depth {depth}: {}\n", totals(contrast)),
        );
        if number < args.failures && ended.is_none() {
            match finder.find(&root, *depth).map(Verdict::fault) {
                Ok(Some(fault)) => {
                    let found = Report::new(finder, &fault);
                    report += &format!("{}\n", found.text());
                    object["found"] = found.json();
                    if found.is_interrupted {
                        ended = Some(CompareError::<EngineError>::Stopped.into());
                    }
                }
                Ok(None) => {}
                Err(error) => ended = Some(error.into()),
            }
        }
        text += &report;
        faults.push(object);
    }
    if args.output.json {
        let is_whole = rows.iter().all(|row| row.unfinished == 0);
        let suites: Vec<Value> = rows.iter().map(Row::json).collect();
        let equal = (is_whole || !failures.is_empty()).then_some(failures.is_empty());
        let object = json!({ "equal": equal, "suites": suites, "failures": faults });
        output::verdict(&format!("{object}\n"))?;
    } else {
        let width = rows.iter().map(|row| row.suite.name.chars().count()).max().unwrap_or(0);
        let width = width.max("suite".len());
        _ = writeln!(
            text,
            "{:width$}  {:>9}  {:>7}  {:>16}  result",
            "suite", "positions", "skipped", "nodes"
        );
        for row in &rows {
            let Row { suite: Suite { name, .. }, compared, skipped, nodes, .. } = row;
            let (nodes, result) = (grouped(*nodes), row.result());
            _ = writeln!(text, "{name:width$}  {compared:>9}  {skipped:>7}  {nodes:>16}  {result}");
        }
        output::verdict(&text)?;
    }
    match (ended, slips, failures.is_empty()) {
        (Some(error), _, _) => Err(error),
        (None, Some(slips), true) => Err(anyhow!(slips)),
        (None, Some(slips), false) => {
            output::note(format_args!("perft: {slips}"));
            Ok(ExitCode::from(DIFFERENT))
        }
        (None, None, true) => Ok(ExitCode::SUCCESS),
        (None, None, false) => Ok(ExitCode::from(DIFFERENT)),
    }
}

/// Random positions until one is wrong, and that one as small as it gets.
fn hunt<O>(args: &CompareArgs, finder: &mut Finder<'_, O>) -> Result<ExitCode>
where
    O: Opponent<Error = EngineError>,
{
    let from_clock = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(now.as_micros()).unwrap_or_default()
    };
    let seed = args.seed.unwrap_or_else(from_clock);
    let start = Instant::now();
    let mut progress = Progress::new(args.output.quiet);
    let mut positions = 0;
    let mut stream = Hunt::new(seed, args.position.variant());
    let hunted = finder.hunt(&mut stream, |number| {
        let time = start.elapsed();
        progress.show(|| format!("{} positions, {} s", grouped(number.into()), time.as_secs()));
        let goes_on = args.seconds.is_none_or(|limit| time < limit);
        positions = if goes_on { number } else { number - 1 };
        goes_on
    });
    drop(progress);
    let seconds = start.elapsed().as_secs_f64();
    // A hunt without a limit is ended in this way; the position that it was at is not compared.
    let is_stopped = hunted.as_ref().is_err_and(is_stopped_error);
    if is_stopped {
        positions = positions.saturating_sub(1);
    }
    let hunted = if is_stopped { Ok(None) } else { hunted };
    let place = || format!("position {positions} of the hunt with seed {seed}");
    let Some(fault) = hunted.with_context(place)? else {
        let text = format!("No difference in {positions} positions (seed {seed})\n");
        let object = json!({ "equal": true, "positions": positions, "seed": seed,
            "seconds": seconds, "interrupted": is_stopped });
        output::verdict(&if args.output.json { format!("{object}\n") } else { text })?;
        return Ok(if is_stopped { interrupted() } else { ExitCode::SUCCESS });
    };
    if !args.output.quiet {
        output::note(format_args!(
            "different after {positions} positions and {seconds:.1} s (seed {seed}); shrinking"
        ));
    }
    let shrunk = finder.shrink(&fault).and_then(|case| match case {
        Some(case) => finder.find_in(&case).map(Verdict::fault),
        None => Ok(None),
    });
    let is_stopped = shrunk.as_ref().is_err_and(is_stopped_error);
    let (fault, remark) = match shrunk {
        Ok(Some(smallest)) => (smallest, None),
        Ok(None) => (fault, Some("The engine did not give the same answer again.".to_owned())),
        Err(_) if is_stopped => (fault, Some("Interrupted: it is not made smaller.".to_owned())),
        Err(error) => (fault, Some(format!("It could not be made smaller: {error}."))),
    };
    let case = Case { root: fault.root, line: fault.line.clone(), depth: fault.depth };
    let report = if is_stopped { Report::interrupted(&fault) } else { Report::new(finder, &fault) };
    let name = report.rule().map(Rule::name);
    let epd = epd(&case, name)?;
    if args.output.json {
        let mut object = report.json();
        object["epd"] = json!(epd);
        object["seed"] = json!(seed);
        object["positions"] = json!(positions);
        object["not_shrunk"] = json!(remark);
        output::verdict(&format!("{object}\n"))?;
    } else {
        let remark = remark.map_or(String::new(), |remark| format!("{remark}\n\n"));
        output::verdict(&format!("{remark}{}\n{epd}\n", report.text()))?;
    }
    Ok(report.exit_code())
}

/// The case as a line for a suite, with our counts: from the first of its positions whose tree is
/// counted in moments, or else from the last.
fn epd(case: &Case, name: Option<&str>) -> Result<String> {
    let from = |first: usize| {
        let (before, line) = case.line.split_at(first);
        Case { root: case.root.after(before), line: line.to_vec(), depth: case.depth }
    };
    let last = case.line.len();
    let case = (0..last).map(from).find(is_counted_in_moments).unwrap_or_else(|| from(last));
    let mut text = case.root.fen();
    for depth in 1..=case.whole_depth() {
        _ = write!(text, " ;D{depth} {}", perft::perft(case.root.board(), depth)?);
    }
    if let Some(name) = name {
        _ = write!(text, " ;id \"{name}\"");
    }
    Ok(text)
}

fn is_counted_in_moments(case: &Case) -> bool {
    /// Behind each of them there are some dozens more.
    const MOST_NODES_BEFORE_THE_LAST_PLY: u128 = 20_000_000;
    (1..case.whole_depth()).all(|depth| {
        let nodes = perft::perft(case.root.board(), depth);
        nodes.is_ok_and(|nodes| nodes <= MOST_NODES_BEFORE_THE_LAST_PLY)
    })
}

/// More is not counted only to see whether somebody took one depth for another.
const MOST_TO_TRY: u128 = 10_000_000_000;

/// The depth of a divide that is right at another depth than the one that was named.
fn depth_of(
    theirs: &Answer,
    contrast: &Contrast,
    workers: &Workers<'_>,
    root: &Root,
    depth: Depth,
) -> Result<Option<Depth>> {
    let all_differ = contrast.counts.len() == root.board().legal_moves().len();
    if !contrast.lists_agree() || !all_differ {
        return Ok(None);
    }
    let deeper = depth.saturating_add(1);
    let others = if contrast.theirs < contrast.ours {
        (1..depth).rev().collect()
    } else if contrast.theirs < MOST_TO_TRY
        && workers.count_up_to(root.board(), deeper, contrast.theirs) == Ok(contrast.theirs)
    {
        vec![deeper]
    } else {
        Vec::new()
    };
    for other in others {
        if let Some(ours) = workers.divide(root.board(), other, root.variant())?
            && Contrast::new(root.board(), root.variant(), &ours, theirs).agrees()
        {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// A divide on standard input, compared with ours.
fn pasted(args: &CompareArgs) -> Result<ExitCode> {
    if args.words.first().is_some_and(|word| word == "-") {
        bail!("standard input is the divide with --stdin; give the position as an argument");
    }
    let (start, depth) = start_and_depth(&args.words, &args.position)?;
    let root = start.end();
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(LONGEST_INPUT + 1);
    input.read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.len() as u64 > LONGEST_INPUT {
        bail!("standard input is longer than {LONGEST_INPUT} bytes; give one divide");
    }
    let mut transcript = Transcript::default();
    for line in String::from_utf8_lossy(&bytes).lines() {
        transcript.push(line);
    }
    let legal = root.board().count_legal_moves();
    if transcript.is_empty() || (transcript.moves() == 0 && legal > 0 && depth > 0) {
        let found = if transcript.is_empty() { "no lines" } else { "a total, but no lines" };
        bail!(
            "standard input has {found} such as `e2e4: 20` (go perft N or perft divide print them)"
        );
    }
    let theirs = transcript.answer();
    if let Some(line) = &theirs.unreadable {
        bail!("standard input: {}", CompareError::<EngineError>::NoCount(line.clone()));
    }
    if theirs.is_for_another(root.board()) {
        let moves: Vec<&str> = theirs.moves.iter().map(|(text, _)| text.as_str()).take(5).collect();
        bail!("standard input is for another position than {}: {}", root.fen(), moves.join(" "));
    }
    let variant = root.variant();
    let engine = args.engine.engine();
    let table = args.machine.table(0.0, engine.kernel)?;
    let threads = args.machine.threads();
    let workers = Workers { engine, threads, table: table.as_ref(), stop: stop_on_interrupt() };
    let Some(ours) = workers.divide(root.board(), depth, variant)? else {
        return Ok(interrupted());
    };
    let contrast = Contrast::new(root.board(), variant, &ours, &theirs);
    if contrast.agrees() {
        let text = format!("Equal at depth {depth}: {} nodes\n", contrast.ours);
        let object =
            json!({ "equal": true, "fen": root.fen(), "depth": depth, "nodes": contrast.ours });
        output::verdict(&if args.output.json { format!("{object}\n") } else { text })?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(other) = depth_of(&theirs, &contrast, &workers, &root, depth)? {
        bail!("standard input is a divide of depth {other}, not {depth}");
    }
    let is_too_large = contrast.ours.max(contrast.theirs) > MOST_NODES_OF_A_DIVIDE;
    let why: Why = match explain_divide(&root, depth, &contrast) {
        None if contrast.lists_agree() && is_too_large => {
            Err("the tree is too large to try the rules; give a smaller depth".to_owned())
        }
        why => Ok(why),
    };
    let smallest = contrast.counts.iter().min_by_key(|count| count.ours.max(count.theirs));
    let next = smallest.filter(|_| contrast.lists_agree() && depth > 1).map(|count| {
        let flag = if variant == Variant::Chess960 { " --chess960" } else { "" };
        let moves = start.line.iter().chain([&count.mv]).map(|mv| mv.uci(variant));
        let moves: Vec<String> = moves.collect();
        let words = args.words[..args.words.len() - 1].join(" ");
        // With moves of its own, it is no position for --moves.
        let position = if words.contains(" moves") { start.root.fen() } else { words };
        format!(
            "perft compare --stdin{flag} --moves \"{}\" \"{position}\" {}",
            moves.join(" "),
            depth - 1
        )
    });
    if args.output.json {
        let mut object = json!({ "equal": false, "fen": root.fen(), "depth": depth,
            "nodes": contrast.ours, "their_nodes": contrast.theirs });
        for (name, value) in json_differences(&contrast, variant) {
            object[name] = value;
        }
        object["rule"] = json_because(&why);
        object["next"] = json!(next);
        output::verdict(&format!("{object}\n"))?;
    } else {
        let mut text = format!("Different at depth {depth}: {}\n", totals(&contrast));
        _ = writeln!(text, "FEN: {}", root.fen());
        text += &differences(&contrast, variant);
        _ = write!(text, "\n{}\n", marked(&root, &contrast));
        text += &match contrast.is_in_the_total_only() {
            true => NOT_THE_SUM.to_owned(),
            false => because(&why),
        };
        if let Some(next) = next {
            _ = writeln!(text, "Next, with the divide of that position: {next}");
        }
        output::verdict(&text)?;
    }
    Ok(ExitCode::from(DIFFERENT))
}

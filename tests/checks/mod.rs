//! Properties that hold for any bytes. Each function is a fuzz target (`fuzz/fuzz_targets`), and
//! `cargo test` runs it over the seeds (`tests/fuzzed.rs`).

use perft_cli::plan::lines::{Header, ResultLine, UnitLine};
use perft_compare::Suite;
use perft_compare::rules::Game;
use perft_compare::uci::{Command, OutputLine, Transcript, depth};
use perft_compare::{Diff, diff_output};
use perft_core::{Board, CastlingMode, Counter, Kernel, Position, positions};

/// A function that panics if a property does not hold.
pub type Check = fn(&[u8]);

/// All checks by the name of their fuzz target.
pub const ALL: [(&str, Check); 8] = [
    ("fen", fen),
    ("epd", epd),
    ("moves", moves),
    ("uci", uci),
    ("engine_output", engine_output),
    ("plan_lines", plan_lines),
    ("walk", walk),
    ("kernels", kernels),
];

const MODES: [CastlingMode; 2] = [CastlingMode::Standard, CastlingMode::Chess960];

/// Any text is read as a FEN or refused; a board that is read is written as a FEN of an equal board.
pub fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for mode in MODES {
        let Ok(board) = Board::from_fen(&text, mode) else { continue };
        assert_eq!(board.check_invariants(), Ok(()));
        let written = board.to_string();
        let again = Board::from_fen(&written, mode);
        assert_eq!(again.as_ref(), Ok(&board), "{written}");
        assert_eq!(board.pack().unpack(mode).hash(), board.hash());
        let position = Position::from_fen(&text, mode).expect("the board was read");
        let again = Position::from_fen(&position.to_string(), mode).map(written_part);
        assert_eq!(again, Ok(written_part(position)), "{position}");
    }
}

/// The position without an en-passant square that is ignored, which is not written.
fn written_part(position: Position) -> Position {
    Position::with_en_passant(*position.board(), position.en_passant())
}

/// Any text is read as a suite or refused with the number of a line; entries that are read are
/// written as lines of equal entries.
pub fn epd(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Suite::parse("fuzz", &text) {
        Ok(suite) => {
            for entry in &suite.entries {
                assert_eq!(entry.position.board().check_invariants(), Ok(()));
                assert!(!entry.counts.is_empty());
            }
            let write = |suite: &Suite| -> String {
                suite.entries.iter().map(|entry| format!("{entry}\n")).collect()
            };
            let written = write(&suite);
            let again = Suite::parse("again", &written).expect("we wrote it");
            let content = |suite: &Suite| -> Vec<_> {
                let entries = suite.entries.iter();
                entries.map(|entry| (written_part(entry.position), entry.counts.clone())).collect()
            };
            assert_eq!(content(&again), content(&suite), "{written}");
            assert_eq!(write(&again), written);
        }
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}

/// A position and texts: each is a legal move or refused, and every legal move is read back.
pub fn moves(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let mut board = match usize::from(first) {
        arrays @ 128.. => positions::random::chess960_start((arrays - 128) * 960 / 128),
        named => {
            let named = positions::NAMED[named % positions::NAMED.len()];
            Board::from_fen(named.fen, CastlingMode::Standard).expect("ours are legal")
        }
    };
    for text in String::from_utf8_lossy(rest).split_whitespace().take(40) {
        let moves = board.legal_moves();
        for &mv in &moves {
            let san = board.san(mv);
            assert_eq!(board.parse_san(&san), Ok(mv), "{san} in {board:?}");
        }
        let mut boards = MODES.into_iter().filter_map(|mode| board.with_castling_mode(mode));
        let read = boards.find_map(|board| board.parse_uci(text).ok());
        if let Some(mv) = read.or_else(|| board.parse_san(text).ok()) {
            assert!(moves.contains(&mv), "{text}");
            board.make(mv);
            assert_eq!(board.check_invariants(), Ok(()));
        }
    }
}

/// Any line is a command or ignored; positions are set up or refused.
pub fn uci(data: &[u8]) {
    for line in String::from_utf8_lossy(data).lines().take(20) {
        match Command::parse(line) {
            Some(Command::Position(Some(setup))) => {
                for mode in MODES {
                    if let Ok(board) = setup.board(mode) {
                        assert_eq!(board.check_invariants(), Ok(()));
                    }
                }
            }
            Some(Command::GoPerft(text)) => _ = depth(text),
            _ => {}
        }
    }
}

/// Any output of an engine is understood or ignored.
pub fn engine_output(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut transcript = Transcript::default();
    for line in text.lines() {
        assert_eq!(transcript.push(line), OutputLine::parse(line));
    }
    let output = transcript.output();
    let start = Board::startpos();
    _ = output.sum();
    _ = output.is_for_another(&start);
    for board in [start, start.with_chess960()] {
        let ours = Counter::new().divide(&board, 1).expect("it fits");
        let diff = Diff::new(&board, &ours, &output);
        assert!(diff.missing.len() <= 20);
        let position = Position::from(board);
        _ = diff_output::<std::convert::Infallible>(&Counter::new(), &position, 1, &output);
    }
}

/// Lines of plans and results are read or refused; those that are read are written alike.
pub fn plan_lines(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines().take(10) {
        if let Ok(header) = Header::parse(line) {
            assert_eq!(Header::parse(&header.to_string()).as_ref(), Ok(&header));
        }
        if let Ok(unit) = UnitLine::parse(line) {
            let again = UnitLine::parse(&unit.to_string()).expect("we wrote it");
            assert_eq!(again.id(), unit.id());
            assert_eq!(again.to_string(), unit.to_string());
        }
        if let Ok(result) = ResultLine::parse(line) {
            let again = ResultLine::parse(&result.to_string()).expect("we wrote it");
            assert_eq!((again.nodes, again.depth), (result.nodes, result.depth));
            assert_eq!(again.to_string(), result.to_string());
        }
    }
}

/// The position that the first two bytes name, or that of a FEN on the first line, and the other
/// bytes, which choose moves.
fn played(data: &[u8]) -> Option<(Board, &[u8])> {
    if let Some(rest) = data.strip_prefix(b"fen ") {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let (fen, bytes) = rest.split_at(end);
        let board = Board::from_fen(str::from_utf8(fen).ok()?, CastlingMode::Chess960).ok()?;
        return Some((board, bytes));
    }
    let [kind, which, bytes @ ..] = data else { return None };
    let board = match kind % 2 {
        0 => {
            let named = positions::NAMED[usize::from(*which) % positions::NAMED.len()];
            Board::from_fen(named.fen, CastlingMode::Standard).ok()?
        }
        _ => positions::random::chess960_start(usize::from(*which) * 960 / 256),
    };
    Some((board, bytes))
}

/// Moves are made and taken back with every invariant checked; the slow generator agrees.
pub fn walk(data: &[u8]) {
    let Some((mut board, bytes)) = played(data) else { return };
    let mut made = Vec::new();
    for &byte in bytes.iter().take(200) {
        let mut moves = board.legal_moves();
        moves.sort_unstable();
        assert_eq!(moves.len(), board.count_legal_moves() as usize);
        assert_eq!(Game::new(&board, None).moves(), moves.to_vec(), "{board:?}");
        let Some(&mv) = moves.get(usize::from(byte) % moves.len().max(1)) else { break };
        let before = board;
        let undo = board.make(mv);
        assert_eq!(board.check_invariants(), Ok(()), "after {mv:?} in {before:?}");
        made.push((before, undo));
    }
    while let Some((before, undo)) = made.pop() {
        let mv = undo.mv();
        board.unmake(undo);
        assert_eq!(board, before, "taking back {mv:?}");
    }
}

/// All kernels count the same.
pub fn kernels(data: &[u8]) {
    let Some((mut board, bytes)) = played(data) else { return };
    for &byte in bytes.iter().take(150) {
        let moves = board.legal_moves();
        let Some(&mv) = moves.get(usize::from(byte) % moves.len().max(1)) else { break };
        board.make(mv);
    }
    let count = |kernel, depth| Counter::new().kernel(kernel).count(&board, depth);
    for depth in [2, 3] {
        assert_eq!(count(Kernel::TwoPly, depth), count(Kernel::Simple, depth), "{board:?}");
    }
    assert_eq!(count(Kernel::Full, 2), Counter::new().count(&board, 2), "{board:?}");
}

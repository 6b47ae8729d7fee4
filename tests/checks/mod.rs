//! What must hold for any bytes. Each function is a fuzz target (`fuzz/fuzz_targets`) and is run
//! over the kept inputs by `cargo test` (`src/fuzzed.rs`).

use super::perft;

use perft::compare::{Answer, Root, Transcript, read_line};
use perft::plan::lines::{Header, ResultLine, UnitLine};
use perft::rules::Game;
use perft::uci::{Command, depth};
use perft::{Board, Engine, Kernel, Suite, Variant, notation, positions};

/// A function that panics if something does not hold.
pub type Check = fn(&[u8]);

/// All checks by the name of their target.
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

const VARIANTS: [Variant; 2] = [Variant::Standard, Variant::Chess960];

/// Any text is read as a FEN or refused; what is read prints back to an equal board.
pub fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for variant in VARIANTS {
        let Ok(board) = Board::from_fen(&text, variant) else { continue };
        assert_eq!(board.check_invariants(), Ok(()));
        let printed = board.fen(variant);
        let again = Board::from_fen(&printed, variant);
        assert_eq!(again.as_ref(), Ok(&board), "{printed}");
        assert_eq!(board.identity().board().key(), board.key());
        let root = Root::from_fen(&text, variant).expect("it was read before");
        assert!(Root::from_fen(&root.fen(), variant).is_ok(), "{}", root.fen());
    }
}

/// Any text is read as a suite or refused, with a line that is there; what is read prints back to
/// equal boards and counts.
pub fn epd(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Suite::parse("fuzz", &text) {
        Ok(suite) => {
            let mut printed = String::new();
            for entry in &suite.entries {
                assert_eq!(entry.board.check_invariants(), Ok(()));
                assert!(!entry.counts.is_empty());
                printed += &entry.board.fen(entry.board.variant());
                for (depth, nodes) in &entry.counts {
                    printed += &format!(" ;D{depth} {nodes}");
                }
                printed.push('\n');
            }
            let again = Suite::parse("again", &printed).expect("it was printed by us");
            let content = |suite: &Suite| -> Vec<_> {
                suite.entries.iter().map(|entry| (entry.board, entry.counts.clone())).collect()
            };
            assert_eq!(content(&again), content(&suite), "{printed}");
        }
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count().max(1), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}

/// A position and words: each is a legal move or refused, and every legal move is read back.
pub fn moves(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let mut board = match usize::from(first) {
        arrays @ 128.. => positions::random::chess960_start((arrays - 128) * 960 / 128),
        named => {
            let named = positions::NAMED[named % positions::NAMED.len()];
            Board::from_fen(named.fen, Variant::Standard).expect("ours are legal")
        }
    };
    for word in String::from_utf8_lossy(rest).split_whitespace().take(40) {
        let moves = board.legal_moves();
        for &mv in &moves {
            let text = notation::san(&board, mv);
            assert_eq!(notation::parse_san(&board, &text), Some(mv), "{text} in {board:?}");
        }
        let read = VARIANTS.iter().find_map(|&variant| board.parse_uci(word, variant).ok());
        if let Some(mv) = read.or_else(|| notation::parse_san(&board, word)) {
            assert!(moves.contains(&mv), "{word}");
            let _ = board.make(mv);
            assert_eq!(board.check_invariants(), Ok(()));
        }
    }
}

/// Any line is a command or none; positions are set up or refused.
pub fn uci(data: &[u8]) {
    for line in String::from_utf8_lossy(data).lines().take(20) {
        match Command::parse(line) {
            Some(Command::Position(Some(setup))) => {
                for variant in VARIANTS {
                    if let Ok(board) = setup.board(variant) {
                        assert_eq!(board.check_invariants(), Ok(()));
                    }
                }
            }
            Some(Command::GoPerft(text)) => _ = depth(text),
            _ => {}
        }
    }
}

/// Whatever an engine prints is understood or passed over.
pub fn engine_output(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut transcript = Transcript::default();
    for line in text.lines() {
        assert_eq!(transcript.push(line), read_line(line));
    }
    let answer: Answer = transcript.answer();
    _ = answer.sum();
    _ = answer.is_for_another(&Board::startpos());
    let start = Board::startpos();
    let ours = perft::divide(&start, 1, Variant::Standard).expect("it fits");
    for variant in VARIANTS {
        let contrast = perft::compare::Contrast::new(&start, variant, &ours, &answer);
        assert!(contrast.missing.len() <= 20);
    }
}

/// Lines of plans and results are read or refused; what is read prints back.
pub fn plan_lines(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines().take(10) {
        if let Ok(header) = Header::parse(line) {
            assert_eq!(Header::parse(&header.to_string()).as_ref(), Ok(&header));
        }
        if let Ok(unit) = UnitLine::parse(line) {
            let again = UnitLine::parse(&unit.to_string()).expect("it was printed by us");
            assert_eq!(again.id(), unit.id());
            assert_eq!(again.to_string(), unit.to_string());
        }
        if let Ok(result) = ResultLine::parse(line) {
            let again = ResultLine::parse(&result.to_string()).expect("it was printed by us");
            assert_eq!((again.nodes, again.depth), (result.nodes, result.depth));
            assert_eq!(again.to_string(), result.to_string());
        }
    }
}

/// The position that the first two bytes name, or a FEN on the first line, played on by the others:
/// bytes choose moves.
fn played(data: &[u8]) -> Option<(Board, &[u8])> {
    if let Some(rest) = data.strip_prefix(b"fen ") {
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let (fen, bytes) = rest.split_at(end);
        return Some((Board::from_fen(str::from_utf8(fen).ok()?, Variant::Chess960).ok()?, bytes));
    }
    let [kind, which, bytes @ ..] = data else { return None };
    let board = match kind % 2 {
        0 => {
            let named = positions::NAMED[usize::from(*which) % positions::NAMED.len()];
            Board::from_fen(named.fen, Variant::Standard).ok()?
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
        made.push((before, mv, undo));
    }
    while let Some((before, mv, undo)) = made.pop() {
        board.unmake(mv, undo);
        assert_eq!(board, before, "taking back {mv:?}");
    }
}

/// The fast kernel and the slow ones count the same.
pub fn kernels(data: &[u8]) {
    let Some((mut board, bytes)) = played(data) else { return };
    for &byte in bytes.iter().take(150) {
        let moves = board.legal_moves();
        let Some(&mv) = moves.get(usize::from(byte) % moves.len().max(1)) else { break };
        let _ = board.make(mv);
    }
    for depth in [2, 3] {
        let count = |kernel| Engine { kernel, ..Engine::default() }.count(&board, depth);
        assert_eq!(count(Kernel::TwoPly), count(Kernel::Simple), "{board:?}");
    }
    let full = Engine { kernel: Kernel::Full, ..Engine::default() };
    assert_eq!(full.count(&board, 2), Engine::default().count(&board, 2), "{board:?}");
}

//! Reading and writing FEN: accepted, refused with which error, written.

use perft_compare::Suite;
use perft_core::board::{BoardBuilder, Impossibility, PositionError};
use perft_core::positions::random::{random_chess960_start, random_game};
use perft_core::random::Rng;
use perft_core::{Board, CastlingMode, FenError, Piece, Position, Square, perft};

fn refusal(fen: &str, mode: CastlingMode) -> FenError {
    match Board::from_fen(fen, mode) {
        Ok(board) => panic!("{fen} was read as {board:?}"),
        Err(error) => error,
    }
}

/// Asserts that each FEN is refused with the given error, in one line that names the culprit.
macro_rules! refused {
    ($($fen:expr, $mode:ident, $error:pat, $culprit:expr;)*) => {$(
        let error = refusal($fen, CastlingMode::$mode);
        assert!(matches!(error, $error), "{}: {error:?}", $fen);
        let message = error.to_string();
        assert!(message.contains($culprit), "{}: {message}", $fen);
        assert!(!message.contains('\n'), "{message}");
    )*};
}

#[test]
fn syntax_errors_name_the_culprit() {
    refused! {
        "", Standard, FenError::MissingField { field: "piece" }, "no piece field";
        "8/8/8/8/8/8/8/K1k5", Standard, FenError::MissingField { .. }, "side to move";
        "8/8/8/8/8/8/8/K1k5 w", Standard, FenError::MissingField { .. }, "castling";
        "8/8/8/8/8/8/8/K1k5 w -", Standard, FenError::MissingField { .. }, "en passant";
        "8/8/8/8/8/8/8/K1k5 w - - 0", Standard, FenError::MissingMoveNumber { .. }, "no move number";
        "8/8/8/8/8/8/8/K1k5 w - - 0 1 x", Standard, FenError::ExtraField { .. }, "\"x\"";
        "8/8/8/8/8/8/K1k5 w - - 0 1", Standard, FenError::RankCount { found: 7, .. }, "7 ranks";
        "8/8/8/8/8/8/8/8/K1k5 w - - 0 1", Standard, FenError::RankCount { found: 9, .. }, "9 ranks";
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", Standard, FenError::RankWidth { width: 7, .. }, "rank 1";
        "8/8/8/8/8/8/8/K1k6 w - - 0 1", Standard, FenError::RankWidth { width: 9, .. }, "9 squares";
        "8/8/8/8/8/8/8/K1k4k1 w - - 0 1", Standard, FenError::RankWidth { .. }, "rank 1";
        "8/8//8/8/8/8/K1k5 w - - 0 1", Standard, FenError::RankWidth { width: 0, .. }, "rank 6";
        "8/8/8/8/8/8/44/K1k5 w - - 0 1", Standard, FenError::AdjacentDigits { .. }, "rank 2";
        "8/8/8/x7/8/8/8/K1k5 w - - 0 1", Standard, FenError::BadPiece { found: 'x', .. }, "'x' on rank 5";
        "9/8/8/8/8/8/8/K1k5 w - - 0 1", Standard, FenError::BadPiece { found: '9', .. }, "rank 8";
        "08/8/8/8/8/8/8/K1k5 w - - 0 1", Standard, FenError::BadPiece { found: '0', .. }, "rank 8";
        "é7/8/8/8/8/8/8/K1k5 w - - 0 1", Standard, FenError::BadPiece { found: 'é', .. }, "rank 8";
        "8/8/8/8/8/8/8/K1k5 W - - 0 1", Standard, FenError::BadSide { .. }, "\"W\"";
        "8/8/8/8/8/8/8/K1k5 white - - 0 1", Standard, FenError::BadSide { .. }, "white";
        "8/8/8/8/8/8/8/K1k5 w X - 0 1", Standard, FenError::BadCastling { found: 'X', .. }, "'X'";
        "r3k2r/8/8/8/8/8/8/R3K2R w KQ-kq - 0 1", Standard, FenError::BadCastling { found: '-', .. }, "KQ-kq";
        "8/8/8/8/8/8/8/K1k5 w - e9 0 1", Standard, FenError::BadEnPassant { .. }, "e9";
        "8/8/8/3pP3/8/8/8/K1k5 w - D6 0 1", Standard, FenError::BadEnPassant { .. }, "D6";
        "8/8/8/8/8/8/8/K1k5 w - - x 1", Standard, FenError::BadClock { .. }, "halfmove clock";
        "8/8/8/8/8/8/8/K1k5 w - - 0 -1", Standard, FenError::BadClock { .. }, "move number";
        "8/8/8/8/8/8/8/K1k5 w - - +0 1", Standard, FenError::BadClock { .. }, "+0";
        "8/8/8/8/8/8/8/K1k5 w - - 0 65536", Standard, FenError::BadClock { .. }, "65536";
    }
}

#[test]
fn illegal_positions_name_the_culprit() {
    refused! {
        "8/8/8/8/8/8/8/K7 w - - 0 1", Standard, FenError::Position(PositionError::Kings { found: 0, .. }), "Black";
        "8/8/8/8/8/8/8/K1k1K3 w - - 0 1", Standard, FenError::Position(PositionError::Kings { found: 2, .. }), "White has 2";
        "P7/8/8/8/8/8/8/K1k5 w - - 0 1", Standard, FenError::Position(PositionError::PawnOnBackRank { .. }), "a8";
        "8/8/8/8/8/8/8/K1k4p w - - 0 1", Standard, FenError::Position(PositionError::PawnOnBackRank { .. }), "h1";
        "8/8/8/8/8/8/8/K1k4R w - - 0 1", Standard, FenError::Position(PositionError::OpponentInCheck { .. }), "Black is in check from h1";
        "8/8/8/8/8/8/8/Kk6 w - - 0 1", Standard, FenError::Position(PositionError::OpponentInCheck { .. }), "Black is in check from a1";
        "4k3/8/8/8/8/8/8/4K3 w K - 0 1", Standard, FenError::Position(PositionError::CastlingRook { .. }), "'K'";
        "r3k3/8/8/8/8/8/8/4K3 w k - 0 1", Standard, FenError::Position(PositionError::CastlingRook { .. }), "'k'";
        "4k3/8/8/8/8/8/4K3/7R w K - 0 1", Standard, FenError::Position(PositionError::CastlingKing { .. }), "e2";
        "4k3/8/8/8/8/8/8/3K3R w K - 0 1", Standard, FenError::Position(PositionError::CastlingKing { .. }), "d1";
        "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", Standard, FenError::Position(PositionError::CastlingRook { .. }), "'K'";
        "4k3/8/8/8/8/8/8/4K2R w H - 0 1", Standard, FenError::Position(PositionError::CastlingNeedsChess960 { .. }), "one of Chess960";
        "4k3/8/8/8/8/8/8/4K2R w G - 0 1", Chess960, FenError::Position(PositionError::CastlingRook { .. }), "'G'";
        "4k3/8/8/8/8/8/8/4K2R w KK - 0 1", Standard, FenError::Position(PositionError::CastlingTwice { .. }), "the second on its side";
        "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1", Chess960, FenError::Position(PositionError::CastlingTwice { .. }), "'G'";
    }
}

/// Asserts that each FEN is read, and refused with the given reason by those who want games only.
macro_rules! impossible {
    ($($fen:expr, $reason:pat, $culprit:expr;)*) => {$(
        let position: Position = $fen.parse().unwrap_or_else(|error| panic!("{}: {error}", $fen));
        let reason = position.impossibility().unwrap_or_else(|| panic!("{}", $fen));
        assert!(matches!(reason, $reason), "{}: {reason:?}", $fen);
        let message = reason.to_string();
        assert!(message.contains($culprit) && !message.contains('\n'), "{}: {message}", $fen);
        let error = FenError::Position(PositionError::Impossible(reason));
        assert_eq!(Position::from_fen_strict($fen, CastlingMode::Standard), Err(error));
    )*};
}

#[test]
fn positions_that_no_game_reaches_are_read_with_a_reason() {
    impossible! {
        "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Impossibility::TooManyPieces { found: 17, .. }, "17 pieces and pawns";
        "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", Impossibility::TooManyPromotions { .. }, "Black";
        "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", Impossibility::TooManyPromotions { promoted: 1, .. }, "8 pawns";
        "4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1", Impossibility::TooManyPromotions { promoted: 1, .. }, "White";
        "4k3/8/8/8/8/8/PPPPPPPP/NNN1K3 w - - 0 1", Impossibility::TooManyPromotions { promoted: 1, .. }, "White";
        "4k3/8/8/8/8/8/PPPPPPPP/RRR1K3 w - - 0 1", Impossibility::TooManyPromotions { promoted: 1, .. }, "White";
        "4k3/8/8/8/8/PP6/PP6/4K3 w - - 0 1", Impossibility::Pawns { .. }, "White pawns";
        "rnbqkbnr/pppppppp/8/8/8/4P3/PPP1PPPP/RNBQKBNR w KQkq - 0 1", Impossibility::TooManyCaptures { captures: 1, captured: 0, .. }, "White pawns";
        "k3r3/8/8/8/1b6/3n4/8/4K3 w - - 0 1", Impossibility::DoubleCheck { .. }, "both give check";
        "k7/8/8/8/8/3n1n2/8/4K3 w - - 0 1", Impossibility::DoubleCheck { .. }, "d3 and f3";
        "8/8/8/3pP3/8/8/8/K1k5 w - d3 0 1", Impossibility::EnPassantRank { .. }, "d3";
        "8/8/8/3pP3/8/8/8/K1k5 w - e4 0 1", Impossibility::EnPassantRank { .. }, "e4";
        "4k3/8/8/8/8/8/8/4K3 w - d6 0 1", Impossibility::EnPassantWithoutPawn { .. }, "d5";
        "4k3/8/8/3PP3/8/8/8/4K3 w - d6 0 1", Impossibility::EnPassantWithoutPawn { .. }, "Black pawn";
        "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", Impossibility::EnPassantBlocked { .. }, "d6 is occupied";
        "4k3/3n4/8/3pP3/8/8/8/4K3 w - d6 0 1", Impossibility::EnPassantBlocked { .. }, "d7 is occupied";
    }
}

#[test]
fn an_ignored_en_passant_square_is_not_written() {
    let position: Position = "8/8/8/8/1R2KPpr/8/7p/7k w - g3 0 1".parse().unwrap();
    assert_eq!((position.en_passant(), position.ignored_en_passant()), (None, Some(Square::G3)));
    assert_eq!(position.to_string(), "8/8/8/8/1R2KPpr/8/7p/7k w - - 0 1");
    assert_eq!([1, 2, 3].map(|depth| perft(position.board(), depth).unwrap()), [17, 128, 2301]);
    // The builder ignores it too, and is as strict on request.
    let mut builder = BoardBuilder::from(position.board());
    builder.en_passant(Some(Square::G3));
    assert_eq!(builder.build().as_ref(), Ok(position.board()));
    assert!(matches!(
        builder.build_strict(),
        Err(PositionError::Impossible(Impossibility::EnPassantRank { .. }))
    ));
    assert!(builder.en_passant(None).clear(Square::F4).build_strict().is_ok());
    assert_eq!(builder.piece_on(Square::G4).map(|(_, piece)| piece), Some(Piece::Pawn));
}

#[test]
fn operations_after_the_fields_are_left_out() {
    let plain = "8/8/8/K2pP2q/8/8/8/7k w - d6";
    let position: Position = plain.parse().unwrap();
    for text in [
        ";",
        " ; ",
        " bm e4; id \"x\";",
        " bm Kb6",
        " 0 1;",
        " 0 1 ;D1 20 ;D2 400",
        " acd 3; c0 \"a b\";",
        " D1 5; D2 9;",
        " 0 1 c9 \"; x\";",
    ] {
        let text = format!("{plain}{text}");
        assert_eq!(text.parse::<Position>(), Ok(position), "{text}");
    }
    assert!(matches!(
        format!("{plain} 0 1 x;").parse::<Position>(),
        Err(FenError::ExtraField { .. })
    ));
}

#[test]
fn four_fields_are_enough() {
    let board = Board::from_fen("8/8/8/8/8/8/8/K1k5 b - -", CastlingMode::Standard).unwrap();
    assert_eq!(board.to_string(), "8/8/8/8/8/8/8/K1k5 b - - 0 1");
}

#[test]
fn an_en_passant_square_without_a_legal_capture_is_left_out() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "8/8/8/K2pP2q/8/8/8/7k w - d6 0 1",
        "4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    ] {
        let board = Board::from_fen(fen, CastlingMode::Standard).unwrap();
        assert_eq!(board.en_passant(), None, "{fen}");
        let without = fen.replace(" e3 ", " - ").replace(" d6 ", " - ");
        assert_eq!(board, Board::from_fen(&without, CastlingMode::Standard).unwrap());
    }
}

#[test]
fn x_fen_and_shredder_fen_read_alike() {
    for (x_fen, shredder) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"),
        ("1r1k2rr/8/8/8/8/8/8/RR1K2R1 w KQkq - 0 1", "1r1k2rr/8/8/8/8/8/8/RR1K2R1 w GAhb - 0 1"),
        ("4k3/8/8/8/8/8/8/4K1RR w K - 0 1", "4k3/8/8/8/8/8/8/4K1RR w H - 0 1"),
    ] {
        let read = |fen| Board::from_fen(fen, CastlingMode::Chess960).unwrap();
        assert_eq!(read(x_fen), read(shredder));
        assert_eq!(read(x_fen).to_string(), shredder);
    }
    let inner = Board::from_fen("4k3/8/8/8/8/8/8/4K1RR w G - 0 1", CastlingMode::Chess960).unwrap();
    assert_eq!(inner.to_string(), "4k3/8/8/8/8/8/8/4K1RR w G - 0 1");
    assert_eq!(inner.with_castling_mode(CastlingMode::Standard), None);
}

#[test]
fn every_written_fen_is_read_back() {
    let mut rng = Rng::new(31);
    for game in 0..100 {
        let start = if game % 2 == 0 { Board::startpos() } else { random_chess960_start(&mut rng) };
        for board in random_game(&mut rng, start, 120) {
            let standard = board.with_castling_mode(CastlingMode::Standard);
            assert!(standard.is_some() || game % 2 == 1, "{board}");
            for board in standard.into_iter().chain([board.with_chess960()]) {
                let fen = board.to_string();
                let again = Board::from_fen(&fen, board.castling_mode()).unwrap();
                assert_eq!(again, board, "{fen}");
                assert_eq!(again.to_string(), fen);
            }
        }
    }
}

#[test]
fn clocks_are_kept_and_never_overflow() {
    let fen = "8/8/8/8/8/8/8/K1k5 b - - 65535 65535";
    let mut board = Board::from_fen(fen, CastlingMode::Standard).unwrap();
    assert_eq!(board.to_string(), fen);
    let before = board;
    let mv = board.legal_moves()[0];
    let undo = board.make(mv);
    assert_eq!((board.halfmove_clock(), board.fullmove_number()), (65535, 65535));
    board.unmake(undo);
    assert_eq!(board, before);
}

/// Replaces, drops, inserts and swaps bytes of good FENs: the result is refused, or is a board that
/// keeps all invariants and can be counted.
#[test]
fn a_damaged_fen_is_refused_or_a_sound_board() {
    let mut rng = Rng::new(32);
    let fens: Vec<String> = Suite::embedded()
        .iter()
        .flat_map(|suite| &suite.entries)
        .map(|entry| entry.position.board().to_string())
        .collect();
    let letters = b"pnbrqkPNBRQK12345678/ wbKQkqABCDEFGHabcdefgh-0369x";
    let (mut read, mut refused) = (0, 0);
    for _ in 0..300_000 {
        let mut bytes = rng.pick(&fens).unwrap().clone().into_bytes();
        for _ in 0..=rng.below(2) {
            let at = rng.below(bytes.len());
            match rng.below(4) {
                0 => bytes[at] = letters[rng.below(letters.len())],
                1 => _ = bytes.remove(at),
                2 => bytes.insert(at, letters[rng.below(letters.len())]),
                _ => {
                    let other = rng.below(bytes.len());
                    bytes.swap(at, other);
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else { continue };
        match Board::from_fen(&text, CastlingMode::Chess960) {
            Err(_) => refused += 1,
            Ok(board) => {
                read += 1;
                assert_eq!(board.check_invariants(), Ok(()), "{text}");
                assert_eq!(board.count_legal_moves() as usize, board.legal_moves().len(), "{text}");
            }
        }
    }
    assert!(read > 10_000 && refused > 10_000, "{read} read, {refused} refused");
}

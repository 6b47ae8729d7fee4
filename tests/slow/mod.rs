//! A move generator without any cleverness: each man goes wherever its kind may, and what
//! leaves the king in check is thrown out after a look at the resulting squares.
//!
//! It keeps men in an array, knows no bitboards, attack tables or pins, and shares with the
//! engine only the types of its answer.

use perft::{Board, Color, File, Move, MoveKind, Piece, Rank, Square};

type Men = [Option<(Color, Piece)>; 64];

const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const SLANTED: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn step(square: Square, east: i32, north: i32) -> Option<Square> {
    let file = usize::try_from(square.file().index() as i32 + east).ok()?;
    let rank = usize::try_from(square.rank().index() as i32 + north).ok()?;
    Some(Square::new(*File::ALL.get(file)?, *Rank::ALL.get(rank)?))
}

fn ahead(color: Color) -> i32 {
    if color == Color::White { 1 } else { -1 }
}

/// Whether a man of `by` could take on `square`.
fn attacked(men: &Men, square: Square, by: Color) -> bool {
    Square::all().any(|from| match men[from.index()] {
        Some((color, piece)) if color == by => reach(men, from, color, piece).contains(&square),
        _ => false,
    })
}

/// The squares on which a man could take, whoever stands there.
fn reach(men: &Men, from: Square, color: Color, piece: Piece) -> Vec<Square> {
    let leap = |steps: &[(i32, i32)]| {
        steps.iter().filter_map(|&(east, north)| step(from, east, north)).collect::<Vec<_>>()
    };
    let slide = |steps: &[(i32, i32)]| {
        let mut squares = Vec::new();
        for &(east, north) in steps {
            let mut at = from;
            while let Some(next) = step(at, east, north) {
                squares.push(next);
                if men[next.index()].is_some() {
                    break;
                }
                at = next;
            }
        }
        squares
    };
    match piece {
        Piece::Pawn => leap(&[(-1, ahead(color)), (1, ahead(color))]),
        Piece::Knight => leap(&JUMPS),
        Piece::Bishop => slide(&SLANTED),
        Piece::Rook => slide(&STRAIGHT),
        Piece::Queen => [slide(&STRAIGHT), slide(&SLANTED)].concat(),
        Piece::King => [leap(&STRAIGHT), leap(&SLANTED)].concat(),
    }
}

fn king(men: &Men, color: Color) -> Square {
    Square::all().find(|square| men[square.index()] == Some((color, Piece::King))).unwrap()
}

/// The legal moves, sorted.
pub fn legal_moves(board: &Board) -> Vec<Move> {
    let us = board.side_to_move();
    let mut men: Men = [None; 64];
    for square in Square::all() {
        men[square.index()] = board.man_on(square);
    }
    let mut moves: Vec<Move> = pseudo_legal(board, &men, us)
        .into_iter()
        .filter(|&mv| {
            let after = made(&men, us, mv);
            !attacked(&after, king(&after, us), !us)
        })
        .collect();
    moves.extend(castling(board, &men, us));
    moves.sort_unstable();
    moves
}

fn pseudo_legal(board: &Board, men: &Men, us: Color) -> Vec<Move> {
    let mut moves = Vec::new();
    for from in Square::all() {
        let Some((color, piece)) = men[from.index()] else { continue };
        if color != us {
            continue;
        }
        if piece == Piece::Pawn {
            pawn_moves(board, men, us, from, &mut moves);
            continue;
        }
        let kind = match piece {
            Piece::Knight => MoveKind::Knight,
            Piece::Bishop => MoveKind::Bishop,
            Piece::Rook => MoveKind::Rook,
            Piece::Queen => MoveKind::Queen,
            _ => MoveKind::King,
        };
        for to in reach(men, from, us, piece) {
            if men[to.index()].is_none_or(|(color, _)| color != us) {
                moves.push(Move::new(from, to, kind));
            }
        }
    }
    moves
}

fn pawn_moves(board: &Board, men: &Men, us: Color, from: Square, moves: &mut Vec<Move>) {
    let push = |moves: &mut Vec<Move>, to: Square| {
        if matches!(to.rank(), Rank::First | Rank::Eighth) {
            moves.extend(MoveKind::PROMOTIONS.map(|kind| Move::new(from, to, kind)));
        } else {
            moves.push(Move::new(from, to, MoveKind::Pawn));
        }
    };
    let one = step(from, 0, ahead(us)).filter(|to| men[to.index()].is_none());
    if let Some(to) = one {
        push(moves, to);
    }
    for to in reach(men, from, us, Piece::Pawn) {
        if men[to.index()].is_some_and(|(color, _)| color != us) {
            push(moves, to);
        }
        if board.en_passant() == Some(to) {
            moves.push(Move::new(from, to, MoveKind::EnPassant));
        }
    }
    let home = if us == Color::White { Rank::Second } else { Rank::Seventh };
    if from.rank() == home && one.is_some() {
        let two = step(from, 0, 2 * ahead(us)).filter(|to| men[to.index()].is_none());
        moves.extend(two.map(|to| Move::new(from, to, MoveKind::DoublePush)));
    }
}

fn made(men: &Men, us: Color, mv: Move) -> Men {
    let mut men = *men;
    let (from, to) = (mv.from().index(), mv.to().index());
    men[to] = men[from].take();
    if let Some(piece) = mv.promotion() {
        men[to] = Some((us, piece));
    }
    if mv.kind() == MoveKind::EnPassant {
        men[step(mv.to(), 0, -ahead(us)).unwrap().index()] = None;
    }
    men
}

/// Castling as the Chess960 rules word it: the way is free of other men, and the king is
/// not attacked where it stands, on any square of its way, or where it lands.
fn castling(board: &Board, men: &Men, us: Color) -> Vec<Move> {
    let from = king(men, us);
    let mut moves = Vec::new();
    for rook in board.castling().rooks_of(us) {
        let (king_file, rook_file) =
            if rook > from { (File::G, File::F) } else { (File::C, File::D) };
        let king_to = Square::new(king_file, from.rank());
        let rook_to = Square::new(rook_file, from.rank());
        let way = |a: Square, b: Square| {
            Square::all().filter(move |&square| a.min(b) <= square && square <= a.max(b))
        };
        let free = way(from, king_to)
            .chain(way(rook, rook_to))
            .all(|square| square == from || square == rook || men[square.index()].is_none());
        // On its way the king does not hide behind itself.
        let mut without_king = *men;
        without_king[from.index()] = None;
        let safe = way(from, king_to).all(|square| !attacked(&without_king, square, !us));
        let mut after = without_king;
        after[rook.index()] = None;
        after[king_to.index()] = Some((us, Piece::King));
        after[rook_to.index()] = Some((us, Piece::Rook));
        if free && safe && !attacked(&after, king_to, !us) {
            moves.push(Move::new(from, rook, MoveKind::Castle));
        }
    }
    moves
}

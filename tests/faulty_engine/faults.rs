//! Bugs that are not a whole rule: a rule broken in a special case, moves listed twice, tables
//! whose keys lack a part. The tests and the engine use some of this each.
#![allow(dead_code)]

use std::collections::HashMap;

use perft_compare::KeyPart;
use perft_compare::rules::{Game, Rule};
use perft_compare::uci::{DivideOutput, Divider, Query};
use perft_core::{Board, CastlingSide, Color, Depth, File, Move, MoveKind, Piece, perft};

/// A rule that is broken in a special case.
#[derive(Clone, Copy)]
pub struct Narrow {
    pub name: &'static str,
    pub rule: Rule,
    /// Whether the rule is broken for a move: one that is missing or extra, or, if the rule is
    /// about making moves, one that is made.
    pub applies: fn(&Game, Move) -> bool,
}

fn is_capture(game: &Game, mv: Move) -> bool {
    mv.kind() == MoveKind::EnPassant
        || game.piece_on(mv.to()).is_some_and(|(color, _)| color != game.side_to_move())
}

fn captures(game: &Game, mv: Move, piece: Piece) -> bool {
    game.piece_on(mv.to()).is_some_and(|(_, captured)| captured == piece)
}

/// Rules that are broken in a special case.
pub const NARROW: [Narrow; 12] = [
    Narrow {
        name: "rook-captured-by-promotion",
        rule: Rule::CastleRookCaptured,
        applies: |_, mv| mv.promotion().is_some(),
    },
    Narrow {
        name: "en-passant-by-pinned-pawn",
        rule: Rule::EnPassant,
        applies: |game, mv| game.is_pinned(mv.from()),
    },
    Narrow {
        name: "castle-through-attack-queen-side",
        rule: Rule::CastleThroughAttack,
        applies: |_, mv| mv.castling_side() == Some(CastlingSide::Queen),
    },
    Narrow {
        name: "knight-promotion-by-capture-on-a-file",
        rule: Rule::PromotionKnight,
        applies: |game, mv| mv.from().file() == File::A && is_capture(game, mv),
    },
    Narrow { name: "rook-moved-by-capture", rule: Rule::CastleRookMoved, applies: is_capture },
    Narrow {
        name: "en-passant-rank-pin-black",
        rule: Rule::EnPassantRankPin,
        applies: |game, _| game.side_to_move() == Color::Black,
    },
    Narrow {
        name: "pinned-knight",
        rule: Rule::Pinned,
        applies: |_, mv| mv.piece() == Piece::Knight,
    },
    Narrow {
        name: "king-captures-guarded-knight",
        rule: Rule::KingCapturesGuarded,
        applies: |game, mv| captures(game, mv, Piece::Knight),
    },
    Narrow {
        name: "double-push-in-check",
        rule: Rule::DoublePush,
        applies: |game, _| game.is_in_check(),
    },
    Narrow {
        name: "check-block-by-pawn",
        rule: Rule::CheckBlock,
        applies: |_, mv| mv.piece() == Piece::Pawn,
    },
    Narrow {
        name: "en-passant-expires-king-moved",
        rule: Rule::EnPassantExpires,
        applies: |_, mv| mv.piece() == Piece::King,
    },
    Narrow {
        name: "king-along-diagonal",
        rule: Rule::KingAlongLine,
        applies: |game, mv| {
            let king = mv.to();
            let is_diagonal = |&(at, _): &(perft_core::Square, Piece)| {
                at.file() != king.file() && at.rank() != king.rank()
            };
            game.attackers_after(mv).iter().all(is_diagonal)
        },
    },
];

/// A position that is played on with a narrow bug.
#[derive(Clone, Copy)]
struct NarrowGame {
    game: Game,
    fault: Narrow,
}

impl NarrowGame {
    fn moves(&self) -> Vec<Move> {
        let legal = self.game.moves();
        let broken = self.game.with_missing_rule(Some(self.fault.rule)).moves();
        let applies = |mv: &Move| (self.fault.applies)(&self.game, *mv);
        let kept = legal.iter().filter(|mv| broken.contains(mv) || !applies(mv));
        let extra = broken.iter().filter(|mv| !legal.contains(mv) && applies(mv));
        kept.chain(extra).copied().collect()
    }

    fn after(&self, mv: Move) -> Self {
        let rule = (self.fault.applies)(&self.game, mv).then_some(self.fault.rule);
        let game = self.game.with_missing_rule(rule).after(mv).with_missing_rule(None);
        Self { game, ..*self }
    }

    fn perft(&self, depth: Depth) -> u128 {
        match depth {
            0 => 1,
            1 => self.moves().len() as u128,
            _ => self.moves().into_iter().map(|mv| self.after(mv).perft(depth - 1)).sum(),
        }
    }
}

impl Divider for Narrow {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        let game = Game::new(query.root.board(), None).with_en_passant(query.root.en_passant());
        let game =
            query.line.iter().fold(NarrowGame { game, fault: *self }, |game, &mv| game.after(mv));
        let mode = query.root.castling_mode();
        let branch = |mv: Move| (mv.uci(mode), game.after(mv).perft(query.depth - 1));
        Ok(DivideOutput::new(game.moves().into_iter().map(branch)))
    }
}

/// Lists moves of one kind twice.
#[derive(Clone, Copy)]
pub struct Repeats(pub fn(&Board, Move) -> bool);

impl Repeats {
    fn perft(&self, board: &Board, depth: Depth) -> u128 {
        let branch = |mv: Move| {
            let mut next = *board;
            next.make(mv);
            let nodes = if depth > 1 { self.perft(&next, depth - 1) } else { 1 };
            nodes * if (self.0)(board, mv) { 2 } else { 1 }
        };
        board.legal_moves().into_iter().map(branch).sum()
    }
}

impl Divider for Repeats {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        let position = query.position();
        let board = position.board();
        let mut moves = Vec::new();
        for mv in board.legal_moves() {
            let mut next = *board;
            next.make(mv);
            let nodes = if query.depth > 1 { self.perft(&next, query.depth - 1) } else { 1 };
            let times = if (self.0)(board, mv) { 2 } else { 1 };
            moves.extend(std::iter::repeat_n((board.uci(mv), nodes), times));
        }
        Ok(DivideOutput::new(moves))
    }
}

/// Counts with a table whose keys lack a part.
#[derive(Clone)]
pub struct TableFault {
    part: KeyPart,
    /// Whether the table is cleared before each query.
    is_cleared: bool,
    /// The number of slots, the last entry of which stays; none is lost without a number.
    slots: Option<u64>,
    entries: HashMap<u64, (u64, u128)>,
}

/// Names of tables: the missing part, and the kind of table.
pub const TABLES: [&str; 8] = [
    "en-passant small",
    "en-passant cleared",
    "castling small",
    "castling cleared",
    "side small",
    "side large",
    "depth small",
    "depth cleared",
];

impl TableFault {
    /// The table of a name.
    pub fn new(name: &str) -> Option<Self> {
        let (part, kind) = name.split_once(' ')?;
        let part = KeyPart::ALL.into_iter().find(|it| it.name() == part)?;
        let slots = (kind == "small").then_some(1 << 14);
        Some(Self { part, is_cleared: kind == "cleared", slots, entries: HashMap::new() })
    }

    /// The missing part.
    pub fn part(&self) -> KeyPart {
        self.part
    }

    fn key(&self, board: &Board, depth: Depth) -> u64 {
        let mut key = 0_u64;
        let mut mix = |value: u64| {
            key = (key ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            key ^= key >> 29;
        };
        for color in Color::ALL {
            for piece in Piece::ALL {
                mix(board
                    .colored_pieces(color, piece)
                    .into_iter()
                    .fold(0, |bits, square| bits | 1 << square.index()));
            }
        }
        if self.part != KeyPart::EnPassant {
            mix(board.en_passant().map_or(64, |square| square.index() as u64));
        }
        if self.part != KeyPart::Castling {
            mix(board
                .castling()
                .rooks()
                .into_iter()
                .fold(0, |bits, rook| bits | 1 << rook.index()));
        }
        if self.part != KeyPart::Side {
            mix(board.side_to_move().index() as u64);
        }
        if self.part != KeyPart::Depth {
            mix(depth.into());
        }
        key
    }

    fn perft(&mut self, board: &Board, depth: Depth) -> u128 {
        if depth < 2 {
            return perft(board, depth).expect("a small count");
        }
        let key = self.key(board, depth);
        let slot = self.slots.map_or(key, |slots| key % slots);
        if let Some(&(_, nodes)) = self.entries.get(&slot).filter(|entry| entry.0 == key) {
            return nodes;
        }
        let mut nodes = 0;
        for mv in board.legal_moves() {
            let mut next = *board;
            next.make(mv);
            nodes += self.perft(&next, depth - 1);
        }
        self.entries.insert(slot, (key, nodes));
        nodes
    }
}

impl Divider for TableFault {
    type Error = std::convert::Infallible;

    fn divide(&mut self, query: &Query<'_>) -> Result<DivideOutput, Self::Error> {
        if self.is_cleared {
            self.entries.clear();
        }
        let position = query.position();
        let board = position.board();
        let mut moves = Vec::new();
        for mv in board.legal_moves() {
            let mut next = *board;
            next.make(mv);
            moves.push((board.uci(mv), self.perft(&next, query.depth - 1)));
        }
        Ok(DivideOutput::new(moves))
    }

    fn restart(&mut self) -> Result<bool, Self::Error> {
        self.entries.clear();
        Ok(true)
    }
}

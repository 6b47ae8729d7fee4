//! A board of 0x88 squares with lists of pieces: reading a FEN, making and unmaking moves,
//! attacks.

use std::ops::Not;

use crate::bugs::{Bug, Bugs};

/// `16 * rank + file`; a number with a bit of 0x88 is off the board.
pub type Square = u8;

/// Off the board, and still an index of every array.
pub const NO_SQUARE: Square = 0x7F;

pub const EMPTY: u8 = 0;
pub const PAWN: u8 = 1;
pub const KNIGHT: u8 = 2;
pub const BISHOP: u8 = 3;
pub const ROOK: u8 = 4;
pub const QUEEN: u8 = 5;
pub const KING: u8 = 6;

pub const WHITE: u8 = 0;
pub const BLACK: u8 = 1;

pub const KNIGHT_STEPS: [i8; 8] = [31, 33, 14, 18, -31, -33, -14, -18];
/// Along ranks and files first, then diagonals.
pub const KING_STEPS: [i8; 8] = [1, -1, 16, -16, 15, 17, -15, -17];

/// The square of a name such as `e1`.
pub const fn at(name: &[u8; 2]) -> Square {
    (name[1] - b'1') * 16 + name[0] - b'a'
}

pub const fn file(square: Square) -> u8 {
    square & 7
}

pub const fn rank(square: Square) -> u8 {
    square >> 4
}

pub const fn is_off(square: Square) -> bool {
    square & 0x88 != 0
}

pub const fn kind(piece: u8) -> u8 {
    piece & 7
}

pub const fn color(piece: u8) -> u8 {
    piece >> 3
}

/// The rank of a color's pieces at the start.
pub const fn home(color: u8) -> u8 {
    color * 0x70
}

/// One step of a color's pawns.
pub const fn up(color: u8) -> i8 {
    if color == WHITE { 16 } else { -16 }
}

fn square_name(square: Square) -> String {
    format!("{}{}", (b'a' + file(square)) as char, rank(square) + 1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    Plain,
    DoublePush,
    EnPassant,
    /// With the rook's wing: 0 toward the h-file, 1 toward the a-file.
    Castle(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: Square,
    /// Where the king goes, if it castles.
    pub to: Square,
    /// A kind of piece, or [`EMPTY`].
    pub promotion: u8,
    pub kind: MoveKind,
}

#[derive(Clone, Copy)]
pub struct Undo {
    mv: Move,
    moved: u8,
    captured: u8,
    captured_on: Square,
    rights: u8,
    ep: Square,
    clock: u32,
    pub key: u64,
}

impl Undo {
    pub fn is_promotion(&self) -> bool {
        self.mv.promotion != EMPTY
    }

    /// Whether these were the rights before the move.
    pub fn has_rights(&self, rights: u8) -> bool {
        self.rights == rights
    }
}

pub struct Board {
    pub bugs: Bugs,
    pub chess960: bool,
    pub squares: [u8; 128],
    /// The squares of each color's pieces, their number, and the place of a square in its list.
    pub lists: [[Square; 64]; 2],
    pub counts: [usize; 2],
    slots: [u8; 128],
    pub kings: [Square; 2],
    pub side: u8,
    /// Bit `2 * color + wing`.
    pub rights: u8,
    /// The rights that stay when a piece leaves or reaches a square.
    masks: [u8; 128],
    /// Where king and rooks stand that may castle.
    pub king_homes: [Square; 2],
    pub rook_homes: [Square; 4],
    pub ep: Square,
    pub clock: u32,
    /// Of the pieces only.
    pub key: u64,
    pub undos: Vec<Undo>,
}

impl Board {
    pub fn new(bugs: Bugs) -> Self {
        Self {
            bugs,
            chess960: false,
            squares: [EMPTY; 128],
            lists: [[NO_SQUARE; 64]; 2],
            counts: [0; 2],
            slots: [NO_SQUARE; 128],
            kings: [NO_SQUARE; 2],
            side: WHITE,
            rights: 0,
            masks: [15; 128],
            king_homes: [NO_SQUARE; 2],
            rook_homes: [NO_SQUARE; 4],
            ep: NO_SQUARE,
            clock: 0,
            key: 0,
            undos: Vec::new(),
        }
    }

    pub fn has(&self, bug: Bug) -> bool {
        self.bugs.has(bug)
    }

    pub fn is(&self, square: Square, piece_kind: u8, of: u8) -> bool {
        self.squares[square as usize] == of << 3 | piece_kind
    }

    pub fn kind_on(&self, square: Square) -> u8 {
        kind(self.squares[square as usize])
    }

    fn put(&mut self, square: Square, piece: u8) {
        self.remove(square);
        if piece == EMPTY {
            return;
        }
        let of = color(piece) as usize;
        self.squares[square as usize] = piece;
        self.slots[square as usize] = self.counts[of] as u8;
        self.lists[of][self.counts[of]] = square;
        self.counts[of] += 1;
        self.key ^= number(piece, square, &self.bugs);
    }

    fn remove(&mut self, square: Square) {
        let piece = std::mem::take(&mut self.squares[square as usize]);
        if piece == EMPTY {
            return;
        }
        self.key ^= number(piece, square, &self.bugs);
        self.unlist(square, piece);
    }

    fn unlist(&mut self, square: Square, piece: u8) {
        let of = color(piece) as usize;
        let slot = std::mem::replace(&mut self.slots[square as usize], NO_SQUARE);
        if slot != NO_SQUARE {
            self.counts[of] -= 1;
            let last = self.lists[of][self.counts[of]];
            self.lists[of][slot as usize] = last;
            if last != square {
                self.slots[last as usize] = slot;
            }
        }
    }

    /// Reads a FEN. The error is a sentence.
    pub fn set_fen(&mut self, fen: &str) -> Result<(), String> {
        let bad = || format!("bad FEN {fen:?}");
        let (old_rights, old_ep) = (self.rights, self.ep);
        *self = Self { chess960: self.chess960, ..Self::new(self.bugs.clone()) };
        let mut fields = fen.split_whitespace();
        self.read_pieces(fields.next().ok_or_else(bad)?).ok_or_else(bad)?;
        self.side = u8::from(fields.next() == Some("b") && !self.has(Bug::FenSideIgnored));

        let castling = fields.next().unwrap_or("-");
        self.read_castling(castling).ok_or_else(bad)?;
        if self.has(Bug::FenRightsAdded) {
            self.add_rights(old_rights);
        }
        let ep = fields.next().unwrap_or("-");
        self.ep = self.read_ep(ep);
        if ep == "-" && self.has(Bug::FenEpStale) {
            self.ep = old_ep;
        }
        if castling == "-" && self.has(Bug::FenEpNeedsRights) {
            self.ep = NO_SQUARE;
        }
        self.clock = fields.next().and_then(|text| text.parse().ok()).unwrap_or(0);
        Ok(())
    }

    fn read_pieces(&mut self, text: &str) -> Option<()> {
        let (mut row, mut column) = (7_u8, 0);
        let mut queens = [0; 2];
        for letter in text.chars() {
            match letter {
                '/' => (row, column) = (row.checked_sub(1)?, 0),
                '1'..='8' => column += letter as u8 - b'0',
                _ if column > 7 => return None,
                _ => {
                    let piece_kind = "pnbrqk".find(letter.to_ascii_lowercase())? as u8 + 1;
                    let of = u8::from(letter.is_ascii_lowercase());
                    let square = row * 16 + column;
                    column += 1;
                    queens[of as usize] += u8::from(piece_kind == QUEEN);
                    let is_extra = piece_kind == QUEEN && queens[of as usize] > 1;
                    if is_extra && self.has(Bug::FenSecondQueen) {
                        continue;
                    }
                    self.put(square, of << 3 | piece_kind);
                    if piece_kind == KING {
                        self.kings[of as usize] = square;
                    }
                }
            }
            if column > 8 {
                return None;
            }
        }
        self.kings.contains(&NO_SQUARE).not().then_some(())
    }

    fn read_castling(&mut self, text: &str) -> Option<()> {
        if self.has(Bug::FenRightsFromBoard) {
            self.add_rights(15);
            return Some(());
        }
        for (index, letter) in text.chars().filter(|&letter| letter != '-').enumerate() {
            let of = u8::from(letter.is_ascii_lowercase());
            let king = self.kings[of as usize];
            let row = home(of);
            let is_rook = |&square: &Square| self.is(square, ROOK, of);
            let (mut wing, rook) = match letter.to_ascii_uppercase() {
                'K' => (0, (king..row + 8).rev().find(is_rook)),
                'Q' => (1, (row..king).find(is_rook)),
                name @ 'A'..='H' => {
                    let rook = row + name as u8 - b'A';
                    (u8::from(rook < king), Some(rook).filter(is_rook))
                }
                _ => return None,
            };
            let is_letter_of_file = !matches!(letter.to_ascii_uppercase(), 'K' | 'Q');
            let pair = if of == WHITE { "KQ" } else { "kq" };
            let is_lost = self.has(Bug::FenRightsIgnored)
                || index > 0 && self.has(Bug::FenRightsFirst)
                || of == BLACK && self.has(Bug::FenRightsWhite)
                || is_letter_of_file && self.has(Bug::FenShredder)
                || !is_letter_of_file && !text.contains(pair) && self.has(Bug::FenRightsPairs);
            if is_lost {
                continue;
            }
            let mut rook = rook?;
            if of == BLACK && self.has(Bug::FenRightsSwapped) {
                wing ^= 1;
                rook = row + if wing == 0 { 7 } else { 0 };
            }
            self.add_right(of, wing, rook);
        }
        Some(())
    }

    fn add_right(&mut self, of: u8, wing: u8, rook: Square) {
        let king = self.kings[of as usize];
        let right = 1 << (2 * of + wing);
        self.rights |= right;
        self.king_homes[of as usize] = king;
        self.rook_homes[(2 * of + wing) as usize] = rook;
        self.masks[king as usize] &= !right;
        self.masks[rook as usize] &= !right;
        if self.has(Bug::MaskH8) {
            self.masks[at(b"h8") as usize] = 15;
        }
        if self.has(Bug::MaskA1) && rook == at(b"a1") {
            self.masks[rook as usize] = !1;
        }
    }

    /// Adds rights for pieces on their squares of standard chess.
    fn add_rights(&mut self, rights: u8) {
        for right in (0..4).filter(|right| rights & (1 << right) != 0) {
            let (of, wing) = (right / 2, right % 2);
            let rook = home(of) + if wing == 0 { 7 } else { 0 };
            if self.kings[of as usize] == home(of) + 4 && self.is(rook, ROOK, of) {
                self.add_right(of, wing, rook);
            }
        }
    }

    fn read_ep(&self, text: &str) -> Square {
        let &[name @ b'a'..=b'h', row @ (b'3' | b'6')] = text.as_bytes() else {
            return NO_SQUARE;
        };
        let is_lost = self.has(Bug::FenEpIgnored)
            || row == b'3' && self.has(Bug::FenEpRankSix)
            || row == b'6' && self.has(Bug::FenEpRankThree);
        if is_lost {
            return NO_SQUARE;
        }
        let square = at(&[name, row]);
        if self.has(Bug::FenEpNextFile) {
            return if file(square) == 7 { square - 7 } else { square + 1 };
        }
        let pawn = square.wrapping_add_signed(-up(self.side));
        if self.is(pawn, PAWN, self.side ^ 1) { square } else { NO_SQUARE }
    }

    pub fn make(&mut self, mv: Move) {
        let us = self.side;
        let moved = self.squares[mv.from as usize];
        let captured_on = match mv.kind {
            MoveKind::EnPassant => mv.to.wrapping_add_signed(-up(us)),
            MoveKind::Castle(_) => NO_SQUARE,
            _ => mv.to,
        };
        let captured = self.squares[captured_on as usize];
        let (rights, ep, clock, key) = (self.rights, self.ep, self.clock, self.key);
        self.undos.push(Undo { mv, moved, captured, captured_on, rights, ep, clock, key });

        if let MoveKind::Castle(wing) = mv.kind {
            self.castle(mv, wing);
        } else {
            let is_kept =
                mv.kind == MoveKind::EnPassant && file(mv.to) == 7 && self.has(Bug::EpKeepsPawnOnH);
            if captured != EMPTY && !is_kept {
                self.remove(captured_on);
                if self.has(Bug::KeyCaptured) {
                    self.key ^= number(captured, captured_on, &self.bugs);
                }
            }
            self.remove(mv.from);
            let piece = if mv.promotion == EMPTY { moved } else { us << 3 | mv.promotion };
            self.put(mv.to, piece);
            if mv.promotion != EMPTY && self.has(Bug::KeyPromotion) {
                self.key ^= number(piece, mv.to, &self.bugs) ^ number(moved, mv.to, &self.bugs);
            }
        }
        if kind(moved) == KING {
            self.kings[us as usize] = mv.to;
        }
        self.ep = NO_SQUARE;
        if mv.kind == MoveKind::DoublePush {
            self.ep = mv.from.wrapping_add_signed(up(us));
        }
        let is_irreversible = kind(moved) == PAWN || captured != EMPTY;
        self.clock = if is_irreversible { 0 } else { clock + 1 };
        self.rights &= self.masks[mv.from as usize] & self.masks[mv.to as usize];
        self.side ^= 1;
        if self.bugs.any() {
            self.spoil(&self.undos[self.undos.len() - 1].clone());
        }
    }

    fn castle(&mut self, mv: Move, wing: u8) {
        let us = self.side;
        let rook = self.rook_homes[(2 * us + wing) as usize];
        let has_rook = self.is(rook, ROOK, us);
        let key = self.key;
        let goes = !(us == BLACK && self.has(Bug::CastleKeepsBlackRook));
        if has_rook && goes {
            self.remove(rook);
        }
        let rook_key = self.key ^ key;
        self.remove(mv.from);
        if has_rook && goes {
            let key = self.key;
            self.put(home(us) + if wing == 0 { 5 } else { 3 }, us << 3 | ROOK);
            if self.has(Bug::KeyCastledRook) {
                self.key = key ^ rook_key;
            }
        }
        self.put(mv.to, us << 3 | KING);
    }

    /// What bugs change in the state after a move.
    fn spoil(&mut self, undo: &Undo) {
        let Undo { mv, moved, captured, .. } = *undo;
        let them = self.side;
        let us = them ^ 1;
        let of_us = 3 << (2 * us);
        let of_them = 3 << (2 * them);
        let piece = kind(moved);

        // Rights of the captured or moved rook that stay.
        let keeps_captured = self.has(Bug::RookCaptured)
            || piece == KNIGHT && self.has(Bug::RookCapturedByKnight)
            || piece == BISHOP && self.has(Bug::RookCapturedByBishop)
            || mv.to == at(b"a8") && self.has(Bug::RookCapturedOnA8)
            || mv.promotion == KNIGHT && self.has(Bug::RookCapturedByNewKnight);
        if keeps_captured && kind(captured) == ROOK {
            self.rights |= undo.rights & of_them;
        }
        let keeps_moved = self.has(Bug::RookMoved)
            || mv.from == at(b"a1") && self.has(Bug::RookMovedFromA1)
            || us == BLACK && captured != EMPTY && self.has(Bug::RookMovedBlackCaptures);
        if piece == ROOK && keeps_moved {
            self.rights |= undo.rights & of_us;
        }
        if piece == KING && us == WHITE && self.has(Bug::KingMovedWhite) {
            self.rights |= undo.rights & of_us & 5;
        }
        // Rights that are lost.
        let is_taken_by_check = self.has(Bug::RightsLostByCheck)
            || piece == QUEEN && self.has(Bug::RightsLostByQueenCheck);
        if is_taken_by_check && self.attacked(self.kings[them as usize], us) {
            self.rights &= !of_them;
        }
        if self.has(Bug::RightsLostOtherRook) && piece == ROOK && self.rights != undo.rights {
            self.rights &= !of_us;
        }
        if self.has(Bug::RightsLostAnyRook) && kind(captured) == ROOK {
            self.rights &= !of_them;
        }
        if self.has(Bug::RightsLostAnyRookMove) && piece == ROOK {
            self.rights &= !of_us;
        }
        if self.has(Bug::RightsLostCornerPawn) && piece == PAWN && mv.from == at(b"h2") {
            self.rights &= !1;
        }
        if self.has(Bug::RightsLostAll) && matches!(mv.kind, MoveKind::Castle(_)) {
            self.rights = 0;
        }

        // The en-passant square.
        let keeps_ep = self.has(Bug::EpExpires)
            || piece == KNIGHT && self.has(Bug::EpExpiresKnight)
            || kind(captured) == QUEEN && self.has(Bug::EpExpiresQueenCaptured)
            || self.has(Bug::EpExpiresCheck) && self.attacked(self.kings[them as usize], us);
        if keeps_ep && mv.kind != MoveKind::DoublePush {
            self.ep = undo.ep;
        }
        if mv.kind == MoveKind::DoublePush {
            let is_lost = file(mv.to) == 0 && self.has(Bug::EpAFile)
                || us == BLACK && self.has(Bug::EpAfterBlackPush)
                || undo.ep != NO_SQUARE && self.has(Bug::EpTwiceRunning);
            if is_lost {
                self.ep = NO_SQUARE;
            }
        }
        let is_push = piece == PAWN && file(mv.from) == file(mv.to);
        let third = if us == WHITE { 2 } else { 5 };
        if is_push && rank(mv.from) == third && self.has(Bug::EpAfterSinglePush) {
            self.ep = mv.from;
        }
    }

    pub fn unmake(&mut self) {
        let Some(undo) = self.undos.pop() else { return };
        let Undo { mv, moved, captured, captured_on, rights, ep, clock, key } = undo;
        self.side ^= 1;
        let us = self.side;
        let made = (self.rights, self.ep, self.clock, self.key);
        let is_capture = captured != EMPTY;
        let is_castling = matches!(mv.kind, MoveKind::Castle(_));
        let is_promotion = mv.promotion != EMPTY;

        if let MoveKind::Castle(wing) = mv.kind {
            let rook_to = home(us) + if wing == 0 { 5 } else { 3 };
            let rook = self.rook_homes[(2 * us + wing) as usize];
            let stays = self.has(Bug::UnmakeCastledRook)
                || wing == 1 && self.has(Bug::UnmakeLongCastledRook);
            let is_there = self.is(rook_to, ROOK, us);
            self.remove(mv.to);
            if is_there && !stays {
                self.remove(rook_to);
                self.put(rook, us << 3 | ROOK);
            }
            self.put(mv.from, moved);
        } else {
            let piece = self.squares[mv.to as usize];
            self.remove(mv.to);
            let stays = is_promotion && self.has(Bug::UnmakePromotion)
                || is_promotion && is_capture && self.has(Bug::UnmakePromotionCapture);
            self.put(mv.from, if stays && piece != EMPTY { piece } else { moved });
            let is_ep = mv.kind == MoveKind::EnPassant;
            let is_lost = is_ep && self.has(Bug::UnmakeEpPawn)
                || is_promotion && self.has(Bug::UnmakePromotionVictim)
                || kind(moved) == KING && self.has(Bug::UnmakeKingVictim);
            if is_capture && !is_lost {
                let back_on =
                    if is_ep && self.has(Bug::UnmakeEpPawnSquare) { mv.to } else { captured_on };
                let is_queen = kind(captured) == QUEEN && self.has(Bug::UnmakeQueenAsRook);
                self.put(back_on, if is_queen { captured - 1 } else { captured });
                if self.has(Bug::UnmakeList) && kind(captured) == KNIGHT {
                    self.unlist(back_on, captured);
                }
            }
        }
        let is_king_lost = is_castling && self.has(Bug::UnmakeKingCastled)
            || is_capture && self.has(Bug::UnmakeKingCaptured)
            || self.has(Bug::UnmakeKing);
        if kind(moved) == KING && !is_king_lost {
            self.kings[us as usize] = mv.from;
        }
        (self.rights, self.ep, self.clock, self.key) = (rights, ep, clock, key);
        if !self.bugs.any() {
            return;
        }

        let is_rights_lost = self.has(Bug::UnmakeRights)
            || kind(captured) == ROOK && self.has(Bug::UnmakeRightsRookCaptured)
            || kind(moved) == KING && self.has(Bug::UnmakeRightsKing)
            || is_castling && self.has(Bug::UnmakeRightsCastled)
            || is_promotion && self.has(Bug::UnmakeRightsPromotion);
        if is_rights_lost {
            self.rights = made.0;
        }
        if self.has(Bug::UnmakeRightsOwn) {
            let of_them = 3 << (2 * (us ^ 1));
            self.rights = rights & !of_them | made.0 & of_them;
        }
        let is_ep_lost = self.has(Bug::UnmakeEp) || us == BLACK && self.has(Bug::UnmakeEpBlack);
        if is_ep_lost {
            self.ep = made.1;
        }
        if self.has(Bug::UnmakeClock) {
            self.clock = made.2;
        }
        if is_castling && self.has(Bug::UnmakeKeyCastled) {
            self.key = made.3;
        }
    }

    /// Whether a square is attacked.
    pub fn attacked(&self, square: Square, by: u8) -> bool {
        let mut found = false;
        self.each_attacker(square, by, |_| {
            found = true;
            true
        });
        found
    }

    /// The squares from which a square is attacked.
    pub fn attackers(&self, square: Square, by: u8) -> Vec<Square> {
        let mut squares = Vec::new();
        self.each_attacker(square, by, |from| {
            squares.push(from);
            false
        });
        squares
    }

    /// Calls `visit` with each attacker until it returns true.
    fn each_attacker(&self, square: Square, by: u8, mut visit: impl FnMut(Square) -> bool) {
        for side in [-1, 1] {
            let from = square.wrapping_add_signed(side - up(by));
            if !is_off(from) && self.is(from, PAWN, by) && !self.misses(from, square) && visit(from)
            {
                return;
            }
        }
        for step in KNIGHT_STEPS {
            let from = square.wrapping_add_signed(step);
            if !is_off(from)
                && self.is(from, KNIGHT, by)
                && !self.misses(from, square)
                && visit(from)
            {
                return;
            }
        }
        for (index, step) in KING_STEPS.into_iter().enumerate() {
            let slider = if index < 4 { ROOK } else { BISHOP };
            let mut from = square.wrapping_add_signed(step);
            let mut steps = 1;
            while !is_off(from) {
                let piece = self.squares[from as usize];
                if piece != EMPTY {
                    let is_attacker = color(piece) == by
                        && match kind(piece) {
                            QUEEN => !(by == BLACK && index >= 4 && self.has(Bug::AttackQueen)),
                            KING => steps == 1 && !self.has(Bug::KingsApart),
                            other => other == slider,
                        }
                        && !(steps == 7 && self.has(Bug::AttackFar));
                    if is_attacker && visit(from) {
                        return;
                    }
                    break;
                }
                from = from.wrapping_add_signed(step);
                steps += 1;
            }
        }
    }

    /// Whether a table that tells checks lacks an attack.
    fn misses(&self, from: Square, to: Square) -> bool {
        from == at(b"f2") && to == at(b"e1") && self.has(Bug::AttackPawnF2)
            || from == at(b"c7") && to == at(b"e8") && self.has(Bug::AttackKnightC7)
    }

    pub fn in_check(&self) -> bool {
        self.attacked(self.kings[self.side as usize], self.side ^ 1)
    }

    /// A move as UCI has it.
    pub fn text(&self, mv: Move) -> String {
        let to = match mv.kind {
            MoveKind::Castle(wing) if self.chess960 => {
                self.rook_homes[(2 * self.side + wing) as usize]
            }
            _ => mv.to,
        };
        let letter = [" ", "p", "n", "b", "r", "q", "k"][mv.promotion as usize];
        format!("{}{}{}", square_name(mv.from), square_name(to), letter.trim())
    }
}

/// The Zobrist number of a piece on a square.
fn number(piece: u8, square: Square, bugs: &Bugs) -> u64 {
    let (mut piece, mut square) = (piece, square);
    if bugs.any() {
        let piece_kind = kind(piece);
        if piece_kind == PAWN && bugs.has(Bug::KeyPawnColor) {
            piece = PAWN;
        }
        if piece_kind == KING && bugs.has(Bug::KeyKing)
            || piece_kind == QUEEN && bugs.has(Bug::KeyQueen)
        {
            return 0;
        }
        if piece_kind == KNIGHT && square == at(b"f3") && bugs.has(Bug::KeyKnightTwin) {
            square = at(b"d2");
        }
        if piece_kind == ROOK && bugs.has(Bug::KeyRookFile) {
            square = file(square);
        }
    }
    NUMBERS[piece as usize][square as usize]
}

/// Random numbers, by SplitMix64.
pub const fn random(index: u64) -> u64 {
    let mut value = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

static NUMBERS: [[u64; 128]; 16] = {
    let mut numbers = [[0; 128]; 16];
    let mut index = 0;
    while index < 16 * 128 {
        numbers[index / 128][index % 128] = random(index as u64);
        index += 1;
    }
    numbers
};

//! Our moves that affect their king: those that change checks, pins or the king's own replies.
//!
//! The replies to moves that give check are counted afresh. Moves that change which of their pieces
//! are pinned, or which squares the king may go to, are sensitive: the changed replies are counted
//! again and the rest stays. All other moves are neutral.

use super::super::target::Target;
use super::context::Context;
use super::rays::{Open, RaySets};
use super::rules::{KernelRule, by, holds};
use crate::attacks;
use crate::board::CastlingPath;
use crate::types::{Bitboard, Piece, Side, Square};

/// The lines between our sliders and their king.
pub(super) struct KingLines {
    /// Their pinned pieces.
    pub pinned: Bitboard,
    /// The number of replies of those, all on their lines.
    pub pinned_replies: i32,
    /// Our pieces whose leaving discovers a check.
    discoverers: Bitboard,
    /// Our pinners, and our pieces whose leaving lets another pin.
    pin_from: Bitboard,
    /// The squares between their king and our pinners.
    pin_to: Bitboard,
}

/// A castling of theirs that no piece of their own blocks.
#[derive(Clone, Copy)]
struct TheirCastling {
    rook: Bitboard,
    path: CastlingPath,
}

impl TheirCastling {
    /// One that is never possible.
    const NONE: Self = Self {
        rook: Bitboard::EMPTY,
        path: CastlingPath { safe: Bitboard::EMPTY, empty: Bitboard::FULL },
    };

    /// True if it is possible, the rook not being captured.
    #[inline(always)]
    fn is_possible(&self, king: Square, occupied: Bitboard, attacked: Bitboard) -> bool {
        let others = occupied - king.bitboard() - self.rook;
        ((others & self.path.empty) | (attacked & self.path.safe)).is_empty()
    }

    /// The squares on which a piece of ours prevents it; none if it is never possible.
    #[inline(always)]
    fn squares(&self) -> Bitboard {
        if self.rook.is_empty() { Bitboard::EMPTY } else { self.path.empty | self.rook }
    }
}

/// The sets that the castlings of theirs add to those of the king's steps. The castlings themselves
/// are kept apart, because a struct with an array that is indexed stays in memory.
struct CastlingPaths {
    /// The squares that the king crosses.
    zone: Bitboard,
    /// Our pieces in the way.
    from: Bitboard,
    /// The squares on which a piece of ours is in the way, or captures the rook.
    to: Bitboard,
}

/// The moves of ours that affect their king, and its replies to all others.
pub(super) struct TheirKing {
    /// The number of replies of the king, castling included, to a null move.
    pub count: i32,
    /// Our pieces all of whose moves are sensitive.
    pub sensitive_from: Bitboard,
    /// Targets of sensitive moves, by the moving piece.
    pub sensitive_to: [Bitboard; 6],
    /// Squares from which rooks and bishops of ours give check.
    checks: [Bitboard; 2],
    /// The same, and those behind their first piece on each line, from which rooks and bishops pin.
    pins: [Bitboard; 2],
    /// Our pieces whose moves may change the king's steps.
    step_from: Bitboard,
    /// Targets on which a piece of any kind may change the king's steps.
    step_to: Bitboard,
    /// The squares next to the king.
    ring: Bitboard,
    /// The squares whose attack matters to the king: those next to it without a piece of its own,
    /// and those that it crosses in castling.
    zone: Bitboard,
    /// The squares of the zone that we do not attack.
    safe: Bitboard,
    /// Attacks of rooks and of bishops from there.
    from_safe: [Bitboard; 2],
    /// All squares that we attack, and those that we attack at least twice.
    attacked: Bitboard,
    doubly: Bitboard,
    /// All squares that our sliders attack.
    by_sliders: Bitboard,
    /// Squares on which a piece of ours blocks an attack on the zone.
    blocks: Bitboard,
    castlings: Option<[TheirCastling; 2]>,
}

impl KingLines {
    /// True if pins may change when our piece leaves.
    #[inline(always)]
    pub fn is_on_line(&self, from: Square) -> bool {
        self.pin_from.contains(from)
    }
}

impl<T: Target, Us: Side> Context<'_, T, Us> {
    /// The lines of their king. They are not in check, so a piece stands between it and each
    /// slider of ours.
    #[inline(always)]
    pub fn lines(&self) -> KingLines {
        let mut lines = KingLines {
            pinned: Bitboard::EMPTY,
            pinned_replies: 0,
            discoverers: Bitboard::EMPTY,
            pin_from: Bitboard::EMPTY,
            pin_to: Bitboard::EMPTY,
        };
        let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & self.ours);
        for line in attacks::slider_lines(self.their_king, orthogonal, diagonal, self.occupied) {
            let (ours, theirs) = (line.blockers & self.ours, line.blockers & self.theirs);
            if ours.more_than_one() || theirs.more_than_one() {
                continue;
            }
            if ours.is_empty() {
                lines.pinned |= theirs;
                if holds(KernelRule::PinnedReplies) {
                    let (pinned, within) = (theirs.first_unchecked(), line.with_slider());
                    lines.pinned_replies += self.replies_of(pinned, self.ours, self.theirs, within);
                }
                lines.pin_from |= by(KernelRule::Pinner, line.slider.bitboard());
                lines.pin_to |= by(KernelRule::PinLine, line.between);
            } else if theirs.is_empty() {
                lines.discoverers |= by(KernelRule::Discoverer, ours);
            } else {
                // One of each, in either order: ours leaving makes a pin.
                lines.pin_from |= by(KernelRule::LeavesPin, ours);
            }
        }
        lines
    }

    #[inline(always)]
    pub fn their_king(&self, lines: &KingLines) -> TheirKing {
        let king = self.their_king;
        let ring = attacks::king(king);
        let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & self.ours);
        let our_rays = self.open.attacks(orthogonal, diagonal);
        let (attacked, doubly) = self.our_attacks(our_rays);
        let (checks, pins) = self.checks_and_pins();
        let steps = ring - self.theirs;
        let mut castlings = None;
        let paths = self.castling_paths(lines.pinned, &mut castlings);
        let count = king_replies(
            king,
            castlings.as_slice().as_flattened(),
            steps,
            attacked,
            self.occupied,
            Bitboard::EMPTY,
        );

        let zone = steps | paths.zone;
        let (safe, held) = (zone - attacked, zone & attacked);
        let (new_attacks, opened_by) = self.attacks_gained(safe, our_rays);
        let (sole_attackers, blocks) = self.attacks_lost(held, doubly, our_rays);
        let step_from = paths.from | opened_by | sole_attackers;
        let step_to = by(KernelRule::Ring, ring) | paths.to | blocks;
        TheirKing {
            count,
            sensitive_from: lines.discoverers | lines.pin_from | step_from,
            sensitive_to: self.sensitive_to(step_to | lines.pin_to, safe, pins, new_attacks),
            checks,
            pins,
            step_from,
            step_to,
            ring,
            zone,
            safe,
            from_safe: new_attacks,
            attacked,
            doubly,
            by_sliders: our_rays.union(),
            blocks,
            castlings,
        }
    }

    /// Squares from which rooks and bishops check, and from which they check or pin: behind the
    /// first piece of theirs.
    #[inline(always)]
    fn checks_and_pins(&self) -> ([Bitboard; 2], [Bitboard; 2]) {
        let (king, target) = (self.their_king, self.target);
        let [rook, bishop] = [target.rook(king, self.occupied), target.bishop(king, self.occupied)];
        let behind = |view: Bitboard| self.occupied - by(KernelRule::NewPin, view & self.theirs);
        let pins = [target.rook(king, behind(rook)), target.bishop(king, behind(bishop))];
        ([rook, bishop].map(|view| by(KernelRule::Check, view)), pins)
    }

    /// The castlings of theirs that no piece of their own blocks, which go to `castlings`, and what
    /// affects them.
    #[inline(always)]
    fn castling_paths(
        &self,
        pinned: Bitboard,
        castlings: &mut Option<[TheirCastling; 2]>,
    ) -> CastlingPaths {
        let king = self.their_king;
        let none = Bitboard::EMPTY;
        let mut paths = CastlingPaths { zone: none, from: none, to: none };
        let rooks = self.board.castling().rooks_of(Self::THEM);
        for rook in rooks - pinned {
            // King and rook pass each other, so one of them crosses each square between them.
            if attacks::between(king, rook).intersects(self.theirs) {
                continue;
            }
            let mut path = CastlingPath::new(Self::THEM, king, rook);
            // They are not in check, neither now nor after a move that is counted here.
            path.safe -= king.bitboard();
            let rook = rook.bitboard();
            if (self.theirs - king.bitboard() - rook).intersects(path.empty) {
                continue;
            }
            paths.zone |= by(KernelRule::CastlingZone, path.safe);
            paths.from |= by(KernelRule::CastlingFrom, path.empty & self.ours);
            paths.to |= by(KernelRule::CastlingTo, path.empty | rook);
            let both = castlings.get_or_insert([TheirCastling::NONE; 2]);
            both[(rook.0 > king.bitboard().0) as usize] = TheirCastling { rook, path };
        }
        paths
    }

    /// A safe square becomes attacked: by a piece that moves to attack it, or by a slider that
    /// another piece blocked. Returns the squares from which rooks and bishops would attack one,
    /// and our pieces that block.
    #[inline(always)]
    fn attacks_gained(
        &self,
        safe: Bitboard,
        our_rays: RaySets<T::Lanes>,
    ) -> ([Bitboard; 2], Bitboard) {
        if safe.is_empty() {
            return ([Bitboard::EMPTY; 2], Bitboard::EMPTY);
        }
        let from_safe = self.open.attacks(safe, safe);
        let new_attacks = from_safe.by_kind().map(|squares| by(KernelRule::NewAttack, squares));
        (new_attacks, by(KernelRule::OpensAttack, from_safe.facing(our_rays) & self.ours))
    }

    /// An attacked square becomes safe: its only attacker leaves, or a piece moves in between. With
    /// two attackers both must happen: one leaves and blocks the other. Returns the only attackers,
    /// and the squares between.
    #[inline(always)]
    fn attacks_lost(
        &self,
        held: Bitboard,
        doubly: Bitboard,
        our_rays: RaySets<T::Lanes>,
    ) -> (Bitboard, Bitboard) {
        if held.is_empty() {
            return (Bitboard::EMPTY, Bitboard::EMPTY);
        }
        let from_held = self.open.attacks(held, held);
        let blocks = by(KernelRule::BlocksAttack, from_held.facing(our_rays) & self.empty);
        let once = held - doubly;
        if once.is_empty() {
            return (Bitboard::EMPTY, blocks);
        }
        let from_once = if once == held { from_held } else { self.open.attacks(once, once) };
        let [rooks, bishops] = from_once.by_kind();
        let [orthogonal, diagonal] = self.sliders();
        let sole = (rooks & orthogonal)
            | (bishops & diagonal)
            | (attacks::pawns(Self::THEM, once) & self.board.pieces(Piece::Pawn))
            | (attacks::knights(once) & self.board.pieces(Piece::Knight))
            | (attacks::kings(once) & self.board.pieces(Piece::King));
        (by(KernelRule::SoleAttacker, sole & self.ours), blocks)
    }

    /// Targets of sensitive moves, by the moving piece; those in `common` are for any.
    #[inline(always)]
    fn sensitive_to(
        &self,
        common: Bitboard,
        safe: Bitboard,
        pins: [Bitboard; 2],
        new_attacks: [Bitboard; 2],
    ) -> [Bitboard; 6] {
        let king = self.their_king;
        let [rook, bishop] = [pins[0] | new_attacks[0], pins[1] | new_attacks[1]];
        let check = |squares: Bitboard| by(KernelRule::Check, squares);
        let attack = |squares: Bitboard| by(KernelRule::NewAttack, squares);
        [
            common
                | check(attacks::pawn(Self::THEM, king))
                | attack(attacks::pawns(Self::THEM, safe)),
            common | check(attacks::knight(king)) | attack(attacks::knights(safe)),
            common | bishop,
            common | rook,
            common | bishop | rook,
            common | attack(attacks::kings(safe)),
        ]
    }

    /// The squares that we attack, and those that we attack at least twice.
    #[inline(always)]
    fn our_attacks(&self, our_rays: RaySets<T::Lanes>) -> (Bitboard, Bitboard) {
        let pawns = self.our(Piece::Pawn).forward(Self::US);
        let [mut once, mut twice] = our_rays.once_and_twice();
        let mut add = |attacked: Bitboard| {
            twice |= once & attacked;
            once |= attacked;
        };
        add(pawns.east());
        add(pawns.west());
        add(attacks::king(self.our_king));
        for knight in self.our(Piece::Knight) {
            add(attacks::knight(knight));
        }
        (once, twice)
    }

    /// The moves of a piece that give check.
    #[inline(always)]
    pub fn checks(
        &self,
        lines: &KingLines,
        their_king: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Bitboard {
        let king = self.their_king;
        let [rook, bishop] = their_king.checks;
        let direct = match piece {
            Piece::Pawn => by(KernelRule::Check, attacks::pawn(Self::THEM, king)),
            Piece::Knight => by(KernelRule::Check, attacks::knight(king)),
            Piece::Bishop => bishop,
            Piece::Rook => rook,
            Piece::Queen => rook | bishop,
            Piece::King => Bitboard::EMPTY,
        };
        let discovered = if lines.discoverers.contains(from) {
            !attacks::line(king, from)
        } else {
            Bitboard::EMPTY
        };
        to & (direct | discovered)
    }

    /// The moves of a piece that may change which of their pieces are pinned.
    #[inline(always)]
    pub fn pin_moves(
        &self,
        lines: &KingLines,
        their_king: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Bitboard {
        if lines.pin_from.contains(from) {
            return to;
        }
        to & (lines.pin_to | their_king.pins_by(piece))
    }

    /// The moves of a piece that may change the steps of their king.
    #[inline(always)]
    pub fn step_moves(
        &self,
        their_king: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Bitboard {
        let [rook, bishop] = their_king.from_safe;
        let new_attacks = match piece {
            _ if their_king.step_from.contains(from) => return to,
            Piece::Bishop => bishop,
            Piece::Rook => rook,
            Piece::Queen => rook | bishop,
            Piece::Pawn => by(KernelRule::NewAttack, attacks::pawns(Self::THEM, their_king.safe)),
            Piece::Knight => by(KernelRule::NewAttack, attacks::knights(their_king.safe)),
            Piece::King => by(KernelRule::NewAttack, attacks::kings(their_king.safe)),
        };
        to & (their_king.step_to | new_attacks)
    }

    /// The change in the number of replies of their king by moves of one piece: the sum over `to`.
    /// None of them gives check, so no slider attacks the king or through it.
    #[inline(always)]
    pub fn change_by_steps(
        &self,
        their_king: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        let bit = from.bitboard();
        let king = self.their_king;
        let [others, blocks] = self.attacked_without(their_king, piece, from, to);
        let occupied = self.occupied - bit;
        let mut change = -their_king.count * to.len() as i32;
        let mut one_by_one = to & (their_king.ring | blocks);
        for castling in their_king.castlings() {
            one_by_one |= to & castling.squares();
        }
        for to in one_by_one {
            let bit = to.bitboard();
            let occupied = occupied | bit;
            let attacked = if blocks.contains(to) {
                self.attacked_after(piece, from, to, Bitboard::EMPTY)
            } else {
                others | attacks::of(self.target, Self::US, piece, to, occupied)
            };
            let steps = their_king.ring - (self.theirs - bit);
            change += king_replies(king, their_king.castlings(), steps, attacked, occupied, bit);
        }
        // All others: the replies that the other pieces allow, less those that the move prevents by
        // an attack.
        let together = to - one_by_one;
        if !together.is_empty() {
            let attackers =
                |square| together & attacks::of(self.target, Self::THEM, piece, square, occupied);
            let left = their_king.ring - self.theirs - others;
            change += (left.len() * together.len()) as i32;
            for square in left {
                change -= attackers(square).len() as i32;
            }
            for castling in their_king.castlings() {
                if castling.is_possible(king, occupied, others) {
                    let mut stopped = Bitboard::EMPTY;
                    for square in castling.path.safe {
                        stopped |= attackers(square);
                    }
                    change += (together - stopped).len() as i32;
                }
            }
        }
        change
    }

    /// Our attacks without a piece that moves to one of `to`, and the squares on which a piece would
    /// block those on the zone.
    #[inline(always)]
    fn attacked_without(
        &self,
        their_king: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> [Bitboard; 2] {
        // A capture next to the king lets it step where it could not before.
        let captures = to & their_king.ring & self.theirs;
        if !their_king.step_from.contains(from) && captures.is_empty() {
            // The zone stays as it is.
            return [their_king.attacked, their_king.blocks];
        }
        if !their_king.by_sliders.contains(from) && !to.intersects(their_king.blocks) {
            // It opens and blocks no line: what it attacked alone is safe, the rest is not.
            let is_pawn = self.board.pieces(Piece::Pawn).contains(from);
            let piece = if is_pawn { Piece::Pawn } else { piece };
            let own = attacks::of(self.target, Self::US, piece, from, self.occupied);
            return [their_king.attacked - (own - their_king.doubly), their_king.blocks];
        }
        let open = Open::new(self.target, self.empty | from.bitboard());
        let others = self.ours - from.bitboard();
        let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & others);
        let view = open.attacks(orthogonal, diagonal);
        let attacked = view.union()
            | attacks::pawns(Self::US, others & self.board.pieces(Piece::Pawn))
            | attacks::knights(others & self.board.pieces(Piece::Knight))
            | attacks::kings(others & self.board.pieces(Piece::King));
        let blocks = open.attacks(their_king.zone, their_king.zone).facing(view);
        [attacked, by(KernelRule::BlocksAttack, blocks)]
    }

    /// Our attacks after a move, with the squares of `lifted` empty.
    #[inline(always)]
    pub fn attacked_after(
        &self,
        piece: Piece,
        from: Square,
        to: Square,
        lifted: Bitboard,
    ) -> Bitboard {
        let (from, to) = (from.bitboard(), to.bitboard());
        let after = |of: Piece| {
            let pieces = self.our(of) - from;
            if of == piece { pieces | to } else { pieces }
        };
        let [orthogonal, diagonal] = self.sliders_after(piece, from, to);
        let empty = (self.empty | from | lifted) - to;
        Open::new(self.target, empty).attacks(orthogonal, diagonal).union()
            | attacks::pawns(Self::US, after(Piece::Pawn))
            | attacks::knights(after(Piece::Knight))
            | attacks::kings(after(Piece::King))
    }

    /// Our rooks and queens, and our bishops and queens, after a move.
    #[inline(always)]
    pub fn sliders_after(&self, piece: Piece, from: Bitboard, to: Bitboard) -> [Bitboard; 2] {
        let [mut orthogonal, mut diagonal] =
            self.sliders().map(|sliders| sliders & (self.ours - from));
        if matches!(piece, Piece::Rook | Piece::Queen) {
            orthogonal |= to;
        }
        if matches!(piece, Piece::Bishop | Piece::Queen) {
            diagonal |= to;
        }
        [orthogonal, diagonal]
    }

    /// The change in the number of replies by a move that gives no check but changes which of their
    /// pieces are pinned. `None` if it pins or unpins a rook that may castle.
    #[inline(always)]
    pub fn change_by_pins(
        &self,
        lines: &KingLines,
        piece: Piece,
        from: Square,
        to: Square,
    ) -> Option<i32> {
        if !lines.pin_from.contains(from) && !lines.pin_to.contains(to) {
            return self.change_by_new_pin(from, to);
        }
        self.change_of_pins(lines, piece, from, to.bitboard()).map(|(change, _)| change)
    }

    /// The same for a slider that pins where it arrives, and changes no other pin: the pinned piece
    /// loses its replies off the line.
    #[inline(always)]
    fn change_by_new_pin(&self, from: Square, to: Square) -> Option<i32> {
        let between = attacks::between(self.their_king, to);
        let pinned = between & self.theirs;
        if pinned.intersects(self.board.castling().rooks_of(Self::THEM)) {
            return None;
        }
        let to = to.bitboard();
        let ours = (self.ours - from.bitboard()) | to;
        let off_line = !(between | to);
        Some(-self.replies_of(pinned.first_unchecked(), ours, self.theirs - to, off_line))
    }

    /// The moves of a piece that change pins by leaving only, all in the same way, and the change
    /// in the number of replies by each.
    #[inline(always)]
    pub fn change_by_leaving_line(
        &self,
        lines: &KingLines,
        their_king: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> (Bitboard, i32) {
        let none = Bitboard::EMPTY;
        let Some((change, affected)) = self.change_of_pins(lines, piece, from, none) else {
            return (none, 0);
        };
        // The others land on a line of the king, or change the replies of the affected piece.
        let line = attacks::line(self.their_king, from);
        let mut others = line | lines.pin_to | their_king.pins_by(piece);
        for square in affected {
            others |= self.reach_of(square, self.occupied - from.bitboard());
        }
        (to - others, change)
    }

    /// The change in the number of replies by a piece of ours that leaves `from` and lands on `to`,
    /// a square or none, and their pieces that it pins or unpins. `None` if a rook that may castle
    /// is among these.
    #[inline(always)]
    fn change_of_pins(
        &self,
        lines: &KingLines,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Option<(i32, Bitboard)> {
        let from = from.bitboard();
        let ours = (self.ours - from) | to;
        let theirs = self.theirs - to;
        let king = self.their_king;
        let [orthogonal, diagonal] = self.sliders_after(piece, from, to);
        let mut pinned = Bitboard::EMPTY;
        let mut change = -lines.pinned_replies;
        for line in attacks::slider_lines(king, orthogonal, diagonal, ours | theirs) {
            if !line.blockers.intersects(ours) && !line.blockers.more_than_one() {
                pinned |= line.blockers;
                let blocker = line.blockers.first_unchecked();
                change += self.replies_of(blocker, ours, theirs, line.with_slider());
            }
        }
        let was_pinned = lines.pinned & theirs;
        if (pinned ^ was_pinned).intersects(self.board.castling().rooks_of(Self::THEM)) {
            return None;
        }
        for freed in was_pinned - pinned {
            change += self.replies_of(freed, ours, theirs, Bitboard::FULL);
        }
        for caught in pinned - was_pinned {
            change -= self.replies_of(caught, ours, theirs, Bitboard::FULL);
        }
        Some((change, pinned ^ was_pinned))
    }
}

impl TheirKing {
    #[inline(always)]
    fn castlings(&self) -> &[TheirCastling] {
        self.castlings.as_slice().as_flattened()
    }

    /// The squares on which a piece of ours gives check or pins along a line.
    #[inline(always)]
    fn pins_by(&self, piece: Piece) -> Bitboard {
        let [rook, bishop] = self.pins;
        match piece {
            Piece::Bishop => bishop,
            Piece::Rook => rook,
            Piece::Queen => rook | bishop,
            Piece::Pawn | Piece::Knight | Piece::King => Bitboard::EMPTY,
        }
    }

    /// The king's own square, and the squares whose attack matters to it.
    #[inline(always)]
    pub fn watched(&self, king: Square) -> Bitboard {
        by(KernelRule::PromotionThrough, self.zone | king.bitboard())
    }
}

/// Replies of their king: steps to squares that are not attacked, and castling moves with a free
/// path and a rook that was not `captured`.
#[inline(always)]
fn king_replies(
    king: Square,
    castlings: &[TheirCastling],
    steps: Bitboard,
    attacked: Bitboard,
    occupied: Bitboard,
    captured: Bitboard,
) -> i32 {
    let mut count = (steps - attacked).len() as i32;
    for castling in castlings {
        let possible = castling.is_possible(king, occupied, attacked);
        count += (possible & !castling.rook.intersects(captured)) as i32;
    }
    count
}

//! Their king's world: which of our moves change checks, pins or the king's own replies.
//!
//! Our moves that give check are made and counted. Those that change which of their men are
//! pinned, or which squares the king may go to, are noticed: what they change is counted again
//! and the rest stays. All others leave the king's world as it is.

use super::lanes::Lanes;
use super::rays::{Open, Rays};
use super::rules::{Rule, by, holds};
use super::scene::Scene;
use crate::attacks;
use crate::board::CastlingPath;
use crate::sliders::Sliders;
use crate::types::{Bitboard, Color, Piece, Side, Square};

/// Our sliders on a line with their king, and what stands between.
pub(super) struct Lines {
    /// Their men that are pinned.
    pub pinned: Bitboard,
    /// How many replies those have, all on their lines.
    pub pinned_replies: i32,
    /// Our men that hide a check.
    discoverers: Bitboard,
    /// Our men that pin, and those without which another would.
    from: Bitboard,
    /// The squares between their king and the men that pin.
    to: Bitboard,
}

/// A castling of theirs that nothing of their own stands in the way of.
#[derive(Clone, Copy)]
struct Castling {
    rook: Bitboard,
    path: CastlingPath,
}

impl Castling {
    /// One that is never possible.
    const NONE: Self = Self {
        rook: Bitboard::EMPTY,
        path: CastlingPath { safe: Bitboard::EMPTY, empty: Bitboard::FULL },
    };
}

/// Which of our moves their king notices, and its replies after those that it does not.
pub(super) struct TheirKing {
    /// The number of the king's replies, castling included, after a null move.
    pub count: i32,
    /// Our men any move of which may be noticed.
    pub notice_from: Bitboard,
    /// Where a man of ours is noticed, by its piece.
    pub notice_to: [Bitboard; 6],
    /// Where rooks and bishops of ours give check.
    checks: [Bitboard; 2],
    /// The same, and behind their first men on those lines, where rooks and bishops pin.
    pins: [Bitboard; 2],
    /// A move of these men may change where the king may go.
    step_from: Bitboard,
    /// A man of any kind that goes there may change where the king may go.
    step_to: Bitboard,
    /// The squares next to the king.
    ring: Bitboard,
    /// The squares that matter to the king if we attack them: those next to it that hold no
    /// man of its own, and those that it crosses in castling.
    zone: Bitboard,
    /// The squares of the zone that we do not attack.
    safe: Bitboard,
    /// What rooks and bishops there would see.
    from_safe: [Bitboard; 2],
    /// All squares that we attack.
    attacked: Bitboard,
    /// Squares on which a man of ours is in the way of an attack on the zone.
    blocks: Bitboard,
    castlings: Option<[Castling; 2]>,
}

impl<S: Sliders, L: Lanes, Us: Side> Scene<'_, S, L, Us> {
    /// Looks along the lines of their king. They are not in check, so something stands
    /// between it and each slider of ours.
    #[inline(always)]
    pub fn lines(&self) -> Lines {
        let mut lines = Lines {
            pinned: Bitboard::EMPTY,
            pinned_replies: 0,
            discoverers: Bitboard::EMPTY,
            from: Bitboard::EMPTY,
            to: Bitboard::EMPTY,
        };
        let king = self.their_king;
        let [orthogonal, diagonal] = self.sliders();
        let aligned = attacks::aligned(king, orthogonal, diagonal);
        for slider in aligned & self.ours {
            let line = attacks::between(king, slider);
            let men = line & self.occupied;
            let (ours, theirs) = (men & self.ours, men & self.theirs);
            if ours.has_many() || theirs.has_many() {
                continue;
            }
            if ours.is_empty() {
                lines.pinned |= theirs;
                if holds(Rule::PinnedReplies) {
                    let within = line | slider.bitboard();
                    lines.pinned_replies +=
                        self.replies_of(theirs.first_unchecked(), self.ours, self.theirs, within);
                }
                lines.from |= by(Rule::Pinner, slider.bitboard());
                lines.to |= by(Rule::PinLine, line);
            } else if theirs.is_empty() {
                lines.discoverers |= by(Rule::Discoverer, ours);
            } else {
                // One of each, in either order: ours leaving makes a pin.
                lines.from |= by(Rule::HalfPin, ours);
            }
        }
        lines
    }

    #[inline(always)]
    pub fn their_king(&self, lines: &Lines) -> TheirKing {
        let king = self.their_king;
        let ring = attacks::king(king);
        let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & self.ours);
        let our_view = self.open.see(orthogonal, diagonal);
        let (attacked, doubly) = self.our_attacks(our_view);

        // Where a slider checks, and where it pins: behind their first man on a line.
        let rook_view = S::rook(king, self.occupied);
        let bishop_view = S::bishop(king, self.occupied);
        let behind = |view: Bitboard| self.occupied - by(Rule::NewPin, view & self.theirs);
        let pins = [S::rook(king, behind(rook_view)), S::bishop(king, behind(bishop_view))];

        let none = Bitboard::EMPTY;
        let steps = ring - self.theirs;
        let mut zone = steps;
        let mut step_from = none;
        let mut step_to = by(Rule::Ring, ring);
        let mut castlings = None;
        let rooks = self.board.castling().rooks_of(Self::THEM);
        for rook in rooks - lines.pinned {
            // King and rook pass each other, so that one of them crosses each square between.
            if attacks::between(king, rook).meets(self.theirs) {
                continue;
            }
            let mut path = CastlingPath::new(Self::THEM, king, rook);
            // They are not in check, neither now nor after a move that is asked about.
            path.safe -= king.bitboard();
            let rook = rook.bitboard();
            if (self.theirs - king.bitboard() - rook).meets(path.empty) {
                continue;
            }
            zone |= by(Rule::CastlingZone, path.safe);
            step_from |= by(Rule::CastlingFrom, path.empty & self.ours);
            step_to |= by(Rule::CastlingTo, path.empty | rook);
            let both = castlings.get_or_insert([Castling::NONE; 2]);
            both[(rook.0 > king.bitboard().0) as usize] = Castling { rook, path };
        }
        let count = king_replies(king, &castlings, steps, attacked, self.occupied, none);

        let mut blocks = none;
        let mut new_attacks = [none; 2];
        let (safe, held) = (zone - attacked, zone & attacked);
        if !zone.is_empty() {
            // A square that is safe is attacked: by a man that goes where it sees it, or by a
            // slider that another man hid.
            let from_safe = self.open.see(safe, safe);
            new_attacks = from_safe.by_kind().map(|squares| by(Rule::NewAttack, squares));
            step_from |= by(Rule::OpensAttack, from_safe.facing(our_view) & self.ours);

            // A square that is attacked is safe: its only attacker leaves, or a man goes in
            // between. With two attackers it takes both: one leaves, into the way of the
            // other.
            let once = held - doubly;
            let [rooks, bishops] = self.open.see(once, once).by_kind();
            let [orthogonal, diagonal] = self.sliders();
            let sole = (rooks & orthogonal)
                | (bishops & diagonal)
                | (attacks::pawns(Self::THEM, once) & self.board.pieces(Piece::Pawn))
                | (attacks::knights(once) & self.board.pieces(Piece::Knight))
                | (attacks::kings(once) & self.board.pieces(Piece::King));
            step_from |= by(Rule::SoleAttacker, sole & self.ours);
            let from_held = self.open.see(held, held);
            blocks = by(Rule::BlocksAttack, from_held.facing(our_view) & self.empty);
            step_to |= blocks;
        }
        let common = step_to | lines.to;
        let rook_notice = pins[0] | new_attacks[0];
        let bishop_notice = pins[1] | new_attacks[1];
        let attackers = |squares: Bitboard| by(Rule::NewAttack, squares);
        let leaper_checks = |squares: Bitboard| by(Rule::Check, squares);
        let notice_to = [
            common
                | leaper_checks(attacks::pawn(Self::THEM, king))
                | attackers(attacks::pawns(Self::THEM, safe)),
            common | leaper_checks(attacks::knight(king)) | attackers(attacks::knights(safe)),
            common | bishop_notice,
            common | rook_notice,
            common | bishop_notice | rook_notice,
            common | attackers(attacks::kings(safe)),
        ];
        TheirKing {
            count,
            notice_from: lines.discoverers | lines.from | step_from,
            notice_to,
            checks: [rook_view, bishop_view].map(|view| by(Rule::Check, view)),
            pins,
            step_from,
            step_to,
            ring,
            zone,
            safe,
            from_safe: new_attacks,
            attacked,
            blocks,
            castlings,
        }
    }

    /// The squares that we attack, and those that at least two men of ours attack.
    #[inline(always)]
    fn our_attacks(&self, our_view: Rays<L>) -> (Bitboard, Bitboard) {
        let pawns = self.our(Piece::Pawn).forward(Self::US);
        let [mut once, mut twice] = our_view.once_and_twice();
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

    /// The moves of a man that give check.
    #[inline(always)]
    pub fn checks(
        &self,
        lines: &Lines,
        world: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Bitboard {
        let king = self.their_king;
        let [rook, bishop] = world.checks;
        let direct = match piece {
            Piece::Pawn => by(Rule::Check, attacks::pawn(Self::THEM, king)),
            Piece::Knight => by(Rule::Check, attacks::knight(king)),
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

    /// The moves of a man that may change which of their men are pinned.
    #[inline(always)]
    pub fn pin_moves(
        &self,
        lines: &Lines,
        world: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Bitboard {
        let [rook, bishop] = world.pins;
        match piece {
            _ if lines.from.contains(from) => to,
            Piece::Bishop => to & (lines.to | bishop),
            Piece::Rook => to & (lines.to | rook),
            Piece::Queen => to & (lines.to | rook | bishop),
            _ => to & lines.to,
        }
    }

    /// The moves of a man that may change where their king may go.
    #[inline(always)]
    pub fn step_moves(
        &self,
        world: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> Bitboard {
        let [rook, bishop] = world.from_safe;
        let new_attacks = match piece {
            _ if world.step_from.contains(from) => return to,
            Piece::Bishop => bishop,
            Piece::Rook => rook,
            Piece::Queen => rook | bishop,
            Piece::Pawn => by(Rule::NewAttack, attacks::pawns(Self::THEM, world.safe)),
            Piece::Knight => by(Rule::NewAttack, attacks::knights(world.safe)),
            Piece::King => by(Rule::NewAttack, attacks::kings(world.safe)),
        };
        to & (world.step_to | new_attacks)
    }

    /// By how much moves of one man change the number of their king's replies: the sum over
    /// `to`, none of which gives check, so that no slider sees the king or beyond it.
    #[inline(always)]
    pub fn change_by_steps(
        &self,
        world: &TheirKing,
        piece: Piece,
        from: Square,
        to: Bitboard,
    ) -> i32 {
        let bit = from.bitboard();
        let king = self.their_king;
        // What our other men attack with the man gone, and the squares where it would be in
        // their way.
        let (others, blocks) = if !world.step_from.meets(bit) && !to.meets(world.ring) {
            (world.attacked, world.blocks)
        } else {
            let open = Open::<L>::new(self.empty | bit);
            let men = self.ours - bit;
            let [orthogonal, diagonal] = self.sliders().map(|sliders| sliders & men);
            let view = open.see(orthogonal, diagonal);
            let attacked = view.union()
                | attacks::pawns(Self::US, men & self.board.pieces(Piece::Pawn))
                | attacks::knights(men & self.board.pieces(Piece::Knight))
                | attacks::kings(men & self.board.pieces(Piece::King));
            (attacked, by(Rule::BlocksAttack, open.see(world.zone, world.zone).facing(view)))
        };
        let occupied = self.occupied - bit;
        let mut change = -world.count * to.len() as i32;
        let one_by_one = if world.castlings.is_some() { to } else { to & (world.ring | blocks) };
        for to in one_by_one {
            let bit = to.bitboard();
            let occupied = occupied | bit;
            let attacked = if blocks.contains(to) {
                self.attacked_after(piece, from, to)
            } else {
                others | attacks_of::<S>(Self::US, piece, to, occupied)
            };
            let steps = world.ring - (self.theirs - bit);
            change += king_replies(king, &world.castlings, steps, attacked, occupied, bit);
        }
        // All others take from the squares that the other men leave those that they attack.
        let together = to - one_by_one;
        if !together.is_empty() {
            let left = world.ring - self.theirs - others;
            change += (left.len() * together.len()) as i32;
            for square in left {
                let attackers = attacks_of::<S>(Self::THEM, piece, square, occupied);
                change -= (together & attackers).len() as i32;
            }
        }
        change
    }

    /// What we attack after a move.
    #[inline(always)]
    fn attacked_after(&self, piece: Piece, from: Square, to: Square) -> Bitboard {
        let (from, to) = (from.bitboard(), to.bitboard());
        let men = |of: Piece| {
            let men = self.our(of) - from;
            if of == piece { men | to } else { men }
        };
        let queens = men(Piece::Queen);
        let sliders = Open::<L>::new((self.empty | from) - to)
            .see(men(Piece::Rook) | queens, men(Piece::Bishop) | queens);
        sliders.union()
            | attacks::pawns(Self::US, men(Piece::Pawn))
            | attacks::knights(men(Piece::Knight))
            | attacks::kings(men(Piece::King))
    }

    /// By how much a move that gives no check changes the number of replies by changing which
    /// of their men are pinned. `None` if that changes castling too, a pinned rook's.
    #[inline(always)]
    pub fn change_by_pins(
        &self,
        lines: &Lines,
        piece: Piece,
        from: Square,
        to: Square,
    ) -> Option<i32> {
        let (from, to) = (from.bitboard(), to.bitboard());
        let ours = (self.ours - from) | to;
        let theirs = self.theirs - to;
        let king = self.their_king;
        // What may have been taken is no slider of ours.
        let [mut orthogonal, mut diagonal] = self.sliders().map(|sliders| sliders - to);
        if matches!(piece, Piece::Rook | Piece::Queen) {
            orthogonal |= to;
        }
        if matches!(piece, Piece::Bishop | Piece::Queen) {
            diagonal |= to;
        }
        let aligned = attacks::aligned(king, orthogonal, diagonal);
        let mut pinned = Bitboard::EMPTY;
        let mut change = -lines.pinned_replies;
        for slider in aligned & ours {
            let line = attacks::between(king, slider);
            let man = line & theirs;
            if (line & ours).is_empty() && !man.has_many() {
                pinned |= man;
                let within = line | slider.bitboard();
                change += self.replies_of(man.first_unchecked(), ours, theirs, within);
            }
        }
        let was_pinned = lines.pinned & theirs;
        if (pinned ^ was_pinned).meets(self.board.castling().rooks_of(Self::THEM)) {
            return None;
        }
        for freed in was_pinned - pinned {
            change += self.replies_of(freed, ours, theirs, Bitboard::FULL);
        }
        for caught in pinned - was_pinned {
            change -= self.replies_of(caught, ours, theirs, Bitboard::FULL);
        }
        Some(change)
    }
}

impl TheirKing {
    /// The king's own square and those that matter to it if we attack them.
    #[inline(always)]
    pub fn cares_for(&self, king: Square) -> Bitboard {
        by(Rule::PromotionThrough, self.zone | king.bitboard())
    }
}

/// What a man of a colour attacks.
#[inline(always)]
fn attacks_of<S: Sliders>(
    color: Color,
    piece: Piece,
    square: Square,
    occupied: Bitboard,
) -> Bitboard {
    match piece {
        Piece::Pawn => attacks::pawn(color, square),
        Piece::Knight => attacks::knight(square),
        Piece::Bishop => S::bishop(square, occupied),
        Piece::Rook => S::rook(square, occupied),
        Piece::Queen => S::queen(square, occupied),
        Piece::King => attacks::king(square),
    }
}

/// Their king's replies: steps to where nobody attacks, and castlings with a free path and a
/// rook that has not been `taken`.
#[inline(always)]
fn king_replies(
    king: Square,
    castlings: &Option<[Castling; 2]>,
    steps: Bitboard,
    attacked: Bitboard,
    occupied: Bitboard,
    taken: Bitboard,
) -> i32 {
    let mut count = (steps - attacked).len() as i32;
    for Castling { rook, path } in castlings.iter().flatten() {
        let others = occupied - king.bitboard() - *rook;
        let possible =
            !others.meets(path.empty) && !attacked.meets(path.safe) && !rook.meets(taken);
        count += possible as i32;
    }
    count
}

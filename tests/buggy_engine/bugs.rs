//! The bugs: what each gets wrong, and what a verdict may call it.

/// Kinds of bugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    LeafCounting,
    Unmake,
    FenReading,
    MovesHandling,
    TableEntry,
    TableKey,
    History,
    Counter,
    /// A rule that is broken everywhere.
    Rule,
    /// A rule that is broken in a special case, or one that no engine should have.
    Condition,
    /// Two of the bugs above.
    TwoBugs,
}

/// Bugs that are on.
#[derive(Clone)]
pub struct Bugs {
    any: bool,
    on: [bool; COUNT],
}

impl Bugs {
    pub fn new(bugs: &[Bug]) -> Self {
        let mut on = [false; COUNT];
        bugs.iter().for_each(|&bug| on[bug as usize] = true);
        Self { any: !bugs.is_empty(), on }
    }

    pub fn any(&self) -> bool {
        self.any
    }

    pub fn has(&self, bug: Bug) -> bool {
        self.on[bug as usize]
    }
}

/// A bug, or two, and what is right to say about it.
///
/// Names are those of rules, or a word for a cause: `unmake`. A star stands for any ending, and
/// after a slash comes a word of the special case that the verdict must have:
/// `castle-through-attack/black`. Without a slash there must be no special case.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    pub class: Class,
    pub truth: String,
    pub bugs: Vec<Bug>,
    pub right: Vec<&'static str>,
    /// Names of a part of the bug, and names that say too much.
    pub part: Vec<&'static str>,
    /// Queries that show it, if the suites do not: `position` and `go perft` without these words,
    /// separated by semicolons.
    pub queries: &'static str,
}

impl Entry {
    /// All bugs.
    pub fn all() -> Vec<Self> {
        let pairs = PAIRS.iter().map(|(pair, right)| {
            let of = |index: usize| &singles()[pair[index] as usize];
            let (a, b) = (of(0), of(1));
            Self {
                name: format!("{}+{}", a.name, b.name),
                class: Class::TwoBugs,
                truth: format!("{} {}", a.truth, b.truth),
                bugs: pair.to_vec(),
                right: right.to_vec(),
                part: [&a.right, &a.part, &b.right, &b.part]
                    .into_iter()
                    .flatten()
                    .copied()
                    .collect(),
                queries: if a.queries.is_empty() { b.queries } else { a.queries },
            }
        });
        singles().iter().cloned().chain(pairs).collect()
    }
}

/// The bugs one by one, in the order of [`Bug`].
fn singles() -> &'static [Entry] {
    static SINGLES: std::sync::OnceLock<Vec<Entry>> = std::sync::OnceLock::new();
    SINGLES.get_or_init(make_singles)
}

/// `ListCut32` as `list-cut-32`, `KnightB8` as `knight-b8`.
fn kebab(variant: &str) -> String {
    let mut name = String::new();
    let mut last = 'A';
    for letter in variant.chars() {
        let begins_number = letter.is_ascii_digit() && last.is_ascii_lowercase();
        if begins_number || letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
        last = letter;
    }
    name
}

/// Defines [`Bug`] and the table of single bugs: the variant, the truth, the right names, the
/// others, and queries that show it.
macro_rules! bugs {
    ($($class:ident {
        $($variant:ident $truth:literal [$($right:literal)*] [$($part:literal)*] $($queries:literal)?;)*
    })*) => {
        /// A bug. Its name on the command line has hyphens: `leaf-no-ep`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Bug {
            $($(#[doc = $truth] $variant,)*)*
        }

        const COUNT: usize = [$($(Bug::$variant,)*)*].len();

        fn make_singles() -> Vec<Entry> {
            vec![$($(Entry {
                name: kebab(stringify!($variant)),
                class: Class::$class,
                truth: $truth.to_owned(),
                bugs: vec![Bug::$variant],
                right: vec![$($right),*],
                part: vec![$($part),*],
                queries: concat!($($queries)?),
            },)*)*]
        }
    };
}

bugs! {
    LeafCounting {
        LeafPromotionsOnce "The last ply counts a promotion once in place of four times."
            ["leaf-counting*"] [];
        LeafPromotionCapturesOnce "The last ply counts a promotion by capture once in place of four times."
            ["leaf-counting*"] [];
        LeafPromotionsThree "The last ply leaves out promotions to a knight."
            ["leaf-counting*"] [];
        LeafNoCastling "The last ply leaves out castling."
            ["leaf-counting*"] [];
        LeafNoLongCastling "The last ply leaves out castling toward the a-file."
            ["leaf-counting*"] [];
        LeafCastlingTwice "The last ply counts castling twice, as a move of the king and of the rook."
            ["leaf-counting*"] [];
        LeafNoEp "The last ply leaves out en passant."
            ["leaf-counting*"] [];
        LeafEpOnce "The last ply counts two en-passant captures as one."
            ["leaf-counting*"] []
            "fen 4k3/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1 go 2";
        LeafEpLegality "The last ply counts en passant without testing whether it exposes the king."
            ["leaf-counting*"] [];
        LeafNoDoublePush "The last ply leaves out double steps."
            ["leaf-counting*"] [];
        LeafPseudoLegal "The last ply counts moves that leave the king attacked."
            ["leaf-counting*"] [];
        LeafPins "The last ply ignores pins."
            ["leaf-counting*"] [];
        LeafCheckKingOnly "The last ply counts only king moves as answers to a check."
            ["leaf-counting*"] [];
        LeafCheckNoBlock "The last ply leaves out the blocks of a check."
            ["leaf-counting*"] [];
        LeafCheckUnanswered "The last ply counts moves that do not answer a check, unless the king moves."
            ["leaf-counting*"] [];
        LeafKingUnsafe "The last ply counts king moves onto attacked squares."
            ["leaf-counting*"] [];
        LegalityNextPly "Whether the king was left attacked is tested one ply later, so never for the last ply."
            ["leaf-counting*" "self-check"] [];
    }

    Unmake {
        UnmakeRights "Unmaking a move does not restore castling rights."
            ["unmake*"] [];
        UnmakeRightsRookCaptured "Unmaking the capture of a rook does not restore castling rights."
            ["unmake*"] [];
        UnmakeRightsKing "Unmaking a king move does not restore castling rights."
            ["unmake*"] [];
        UnmakeRightsCastled "Unmaking castling does not restore castling rights."
            ["unmake*"] [];
        UnmakeRightsPromotion "Unmaking a promotion does not restore castling rights."
            ["unmake*"] []
            "fen r3k3/1P6/2b5/8/8/8/8/4K3 w q - 0 1 go 4";
        UnmakeRightsOwn "Unmaking a move restores only the castling rights of the side that moved."
            ["unmake*"] [];
        UnmakeEp "Unmaking a move does not restore the en-passant square."
            ["unmake*"] [];
        UnmakeEpBlack "Unmaking a move of Black does not restore the en-passant square."
            ["unmake*"] [];
        UnmakeEpPawn "Unmaking en passant does not put the captured pawn back."
            ["unmake*"] [];
        UnmakeEpPawnSquare "Unmaking en passant puts the captured pawn on the square of the capture."
            ["unmake*"] [];
        UnmakePromotion "Unmaking a promotion leaves the new piece on the pawn's square."
            ["unmake*"] [];
        UnmakePromotionCapture "Unmaking a promotion by capture leaves the new piece on the pawn's square."
            ["unmake*"] [];
        UnmakePromotionVictim "Unmaking a promotion by capture does not put the captured piece back."
            ["unmake*"] [];
        UnmakeKingVictim "Unmaking a capture by the king does not put the captured piece back."
            ["unmake*"] [];
        UnmakeQueenAsRook "Unmaking the capture of a queen puts a rook back."
            ["unmake*"] [];
        UnmakeCastledRook "Unmaking castling leaves the rook where it went."
            ["unmake*"] [];
        UnmakeLongCastledRook "Unmaking castling toward the a-file leaves the rook where it went."
            ["unmake*"] [];
        UnmakeKing "Unmaking a king move does not restore the remembered square of the king."
            ["unmake*"] [];
        UnmakeKingCastled "Unmaking castling does not restore the remembered square of the king."
            ["unmake*"] [];
        UnmakeKingCaptured "Unmaking a capture by the king does not restore its remembered square."
            ["unmake*"] [];
        UnmakeList "Unmaking the capture of a knight does not add it to the list of pieces."
            ["unmake*"] [];
        UnmakeClock "The halfmove clock is not restored, and no moves are made from 100 on."
            ["unmake*" "line-ended-early*"] []
            "fen 4k3/8/8/8/8/8/8/R3K3 w - - 97 90 go 3";
        UnmakeKeyCastled "Unmaking castling does not restore the key of the table of counts."
            ["unmake*" "table-key" "table-key-castling-move"] []
            "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 go 4; fen 4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1 go 4";
    }

    FenReading {
        FenRightsFromBoard "The castling field is ignored: king and rook on their squares may castle."
            ["fen-reading*" "castle"] [];
        FenRightsIgnored "The castling field is not read: no castling after a FEN."
            ["fen-reading*" "castle"] [];
        FenRightsFirst "Only the first letter of the castling field is read."
            ["fen-reading*"] ["castle" "castle/" "castle-queen-side" "castle-queen-side/"];
        FenRightsPairs "Castling rights are read only where both of a side are there."
            ["fen-reading*"] ["castle" "castle/" "castle-king-side/" "castle-queen-side/"];
        FenRightsWhite "Black's letters of the castling field are not read."
            ["fen-reading*" "castle/black"] ["castle" "castle-queen-side/black" "castle-king-side/black"];
        FenRightsSwapped "Black's letters of the castling field are confused, k with q; no rook is needed."
            ["fen-reading*"] ["castle" "castle/"];
        FenRightsAdded "Castling rights of the position before stay with the next one."
            ["fen-reading*"] []
            "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 go 1; fen r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1 go 1";
        FenShredder "Castling rights given by the rook's file are not read."
            ["fen-reading*"] ["castle" "castle/"];
        FenEpIgnored "The en-passant square of a FEN is ignored."
            ["fen-reading*" "en-passant-read"] [];
        FenEpRankSix "The en-passant square of a FEN is ignored on the third rank."
            ["fen-reading*" "en-passant-read/black"] ["en-passant-read"];
        FenEpRankThree "The en-passant square of a FEN is ignored on the sixth rank."
            ["fen-reading*" "en-passant-read/white"] ["en-passant-read"];
        FenEpNextFile "The en-passant square of a FEN is read as one file to the right."
            ["fen-reading*"] ["en-passant-read"];
        FenEpStale "A FEN without en-passant square keeps that of the position before."
            ["fen-reading*"] ["en-passant-expires"]
            "fen 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1 go 1; fen 4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1 go 1";
        FenEpNeedsRights "The en-passant square of a FEN is ignored where nobody may castle."
            ["fen-reading*" "en-passant-read/castl"] ["en-passant-read"];
        FenSideIgnored "The side to move of a FEN is ignored: White moves."
            ["fen-reading*"] [];
        FenSecondQueen "A FEN's second queen of a side is left out."
            ["fen-reading*"] [];
    }

    MovesHandling {
        MovesPromotionQueen "Promotions in `position` give a queen whatever the letter."
            ["moves-handling*"] [];
        MovesPromotionLost "Promotions in `position` leave a pawn on the last rank."
            ["moves-handling*"] [];
        MovesPromotionKnight "The letter n in `position` gives a king."
            ["moves-handling*"] [];
        MovesCastle "Castling in `position` moves only the king."
            ["moves-handling*"] ["castle-moves-rook"];
        MovesCastleLong "Castling toward the a-file in `position` moves only the king."
            ["moves-handling*"] ["castle-moves-rook/"];
        MovesCastle960 "Castling in `position`, written as king takes rook, captures the rook in Chess960."
            ["moves-handling*"] [];
        MovesEp "En passant in `position` leaves the captured pawn on the board."
            ["moves-handling*"] ["en-passant-removes"];
        MovesEpUnset "A double step in `position` does not allow en passant."
            ["moves-handling*"] ["en-passant"];
        MovesEpUnsetWhite "A double step of White in `position` does not allow en passant."
            ["moves-handling*"] ["en-passant" "en-passant/"];
        MovesEpKept "Moves in `position` leave the en-passant square as it was."
            ["moves-handling*"] ["en-passant-expires"];
        MovesRights "Moves in `position` leave castling rights as they were."
            ["moves-handling*"] ["castle-rook-moved" "castle-rook-captured" "castle-king-moved"]
            "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves h1h2 a8b8 h2h1 b8a8 go 1";
        MovesRightsRook "Rook moves in `position` leave castling rights as they were."
            ["moves-handling*"] ["castle-rook-moved"]
            "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves h1h2 a8b8 h2h1 b8a8 go 1";
        MovesRightsCaptured "Captures of a rook in `position` leave castling rights as they were."
            ["moves-handling*"] ["castle-rook-captured"];
        MovesKing "King moves in `position` do not change the remembered square of the king."
            ["moves-handling*"] []
            "fen 4k3/8/8/8/8/8/P7/4K1r1 w - - 0 1 moves e1d2 g1g2 go 1";
        MovesKey "Moves in `position` do not change the key of the table of counts."
            ["moves-handling*" "table-key"] []
            "startpos go 3; startpos moves e2e4 e7e5 go 3";
        MovesLastIgnored "The last move in `position` is not played."
            ["moves-handling*"] [];
        MovesFirstTwo "Only the first two moves in `position` are played."
            ["moves-handling*"] [] "startpos moves e2e4 e7e5 d1h5 go 1";
        MovesSideParity "After moves in `position` the side is told by their number, as if White had begun."
            ["moves-handling*"] [];
    }

    TableEntry {
        KnightB8 "A knight on b8 misses d7." ["one-table-entry*"] [];
        KnightE5 "A knight on e5 misses g4." ["one-table-entry*"] [];
        KnightF6 "A knight on f6 reaches f4." ["one-table-entry*"] [];
        KingC3 "A king on c3 misses b2." ["one-table-entry*"] [];
        KingG8 "A king on g8 misses h7." ["one-table-entry*"] [];
        KingH4 "A king on h4 reaches a5." ["one-table-entry*"] [];
        PawnG5 "A white pawn on g5 does not capture on h6." ["one-table-entry*"] ["pawn-captures/"];
        PawnD4 "A black pawn on d4 does not capture on c3." ["one-table-entry*"] ["pawn-captures/"];
        PawnH7 "A white pawn on h7 does not promote by a push." ["one-table-entry*"] ["promotion/"];
        DoublePushC2 "A pawn on c2 makes no double step."
            ["one-table-entry*" "double-push/c"] ["double-push"];
        RookA1 "A rook on a1 misses a8." ["one-table-entry*"] [];
        RookH8 "A rook on h8 misses f8." ["one-table-entry*"] [];
        BishopC1 "A bishop on c1 misses h6." ["one-table-entry*"] [];
        QueenD4 "A queen on d4 misses g7." ["one-table-entry*"] [];
        RookD4Occupancy "A rook or queen on d4 passes a piece on f4 if there is one on d6."
            ["one-table-entry*"] ["slider-blocked/"];
        RookE1Occupancy "A rook or queen on e1 passes a piece on e2 if there are some on d1 and f1."
            ["one-table-entry*"] ["slider-blocked/"]
            "fen 7k/8/8/8/8/8/4P3/3NRN1K w - - 0 1 go 1";
        BishopE4Occupancy "A bishop or queen on e4 passes a piece on f5 if d5 is empty."
            ["one-table-entry*"] ["slider-blocked/"];
        AttackPawnF2 "A black pawn on f2 does not attack e1, in tests for check."
            ["one-table-entry*"] ["king-pawn-attack/" "check-answered/" "castle-out-of-check/" "self-check/"];
        AttackKnightC7 "A white knight on c7 does not attack e8, in tests for check."
            ["one-table-entry*"] ["king-safe/" "check-answered/" "castle-out-of-check/" "self-check/"];
        BetweenE8 "A check on e8 cannot be blocked on e6."
            ["one-table-entry*"] ["check-block/"]
            "fen 4k3/8/r7/8/8/8/8/4R2K b - - 0 1 go 1";
        BetweenG1 "A check on g1 cannot be blocked on e3."
            ["one-table-entry*"] ["check-block/"];
        LineA1H8 "Pieces on the diagonal from a1 are not pinned to a king on a1."
            ["one-table-entry*"] ["pinned-on-diagonal/" "pinned/"];
        LineG1G8 "Pieces on the g-file are not pinned to a king on g1."
            ["one-table-entry*"] ["pinned-on-line/" "pinned/"]
            "fen 6rk/8/8/8/8/6N1/8/6K1 w - - 0 1 go 1";
        MaskH8 "The entry of h8 in the table that takes rights away is missing."
            ["one-table-entry*"] ["castle-rook-captured/" "castle-rook-moved/"];
        MaskA1 "The entry of a1 in the table that takes rights away takes that of the other wing."
            ["one-table-entry*"] ["castle-rook-captured/" "castle-rook-moved/"];
    }

    TableKey {
        KeySide "Keys lack the side to move." ["table-key-side"] ["table-key"];
        KeyCastling "Keys lack the castling rights." ["table-key-castling"] ["table-key"];
        KeyBlackCastling "Keys lack Black's castling rights."
            ["table-key-castling"] ["table-key"]
            "fen r3k2r/8/8/8/8/8/8/4K3 w kq - 0 1 go 3; fen r3k2r/8/8/8/8/8/8/4K3 w k - 0 1 go 3";
        KeyAnyCastling "Keys have only whether anybody may castle."
            ["table-key-castling"] ["table-key"]
            "fen r3k2r/8/8/8/8/8/8/4K3 w kq - 0 1 go 3; fen r3k2r/8/8/8/8/8/8/4K3 w k - 0 1 go 3";
        KeyCastlingTwins "Keys use one number for both rights of a color, which cancel out."
            ["table-key-castling"] ["table-key"]
            "fen r3k2r/8/8/8/8/8/8/4K3 w kq - 0 1 go 3; fen r3k2r/8/8/8/8/8/8/4K3 w - - 0 1 go 3";
        KeyEp "Keys lack the en-passant square." ["table-key-en-passant"] ["table-key"];
        KeyEpFile "Keys have only whether there is an en-passant square."
            ["table-key-en-passant"] ["table-key"]
            "fen 4k3/1p1p4/8/P1P5/8/8/8/4K3 b - - 0 1 go 4";
        KeyDepth "Keys lack the depth." ["table-key-depth"] ["table-key"];
        KeyDeeper "Counts of a greater depth are used." ["table-key-depth"] ["table-key"];
        KeyPromotion "Keys have a pawn in place of the new piece after a promotion."
            ["table-key" "table-key-promotion" "table-key-piece*"] [];
        KeyCaptured "Keys still have the captured piece after a capture."
            ["table-key" "table-key-capture*" "table-key-piece*"] []
            "fen 4k3/8/8/3p4/8/8/8/3R1K2 w - - 0 1 go 5";
        KeyCastledRook "Keys still have the rook on its old square after castling."
            ["table-key" "table-key-castled-rook" "table-key-piece*"] []
            "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 go 5";
        KeyPawnColor "Keys have the same numbers for pawns of both colors."
            ["table-key" "table-key-pawn*" "table-key-color" "table-key-piece*"] []
            "fen 4k3/8/8/8/8/3P4/8/4K3 w - - 0 1 go 2; fen 4k3/8/8/8/8/3p4/8/4K3 w - - 0 1 go 2";
        KeyKing "Keys lack the kings." ["table-key" "table-key-king*" "table-key-piece*"] [];
        KeyQueen "Keys lack the queens." ["table-key" "table-key-queen*" "table-key-piece*"] [];
        KeyKnightTwin "Keys have the same number for a knight on d2 and on f3."
            ["table-key" "table-key-knight*" "table-key-piece*"] []
            "fen 4k3/8/8/8/8/5N2/8/4K3 w - - 0 1 go 3; fen 4k3/8/8/8/8/8/3N4/4K3 w - - 0 1 go 3";
        KeyRookFile "Keys have only the file of a rook."
            ["table-key" "table-key-rook*" "table-key-piece*"] [];
        KeyShort "Only 18 bits of a key are compared."
            ["table-key" "table-key-short*" "table-key-collision*" "table-key-bits"] []
            "startpos go 5";
    }

    History {
        Repetition "Lines end at the first repetition." ["line-ended-early*"] []
            "startpos moves g1f3 g8f6 f3g1 go 2";
        RepetitionNotInCheck "Lines end at the first repetition without check."
            ["line-ended-early*"] [] "startpos moves g1f3 g8f6 f3g1 go 2";
        ThirdTime "Lines end at the second repetition." ["line-ended-early*"] []
            "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 go 2";
        FiftyMoves "Lines end at halfmove clock 100." ["line-ended-early*"] []
            "fen 4k3/8/8/8/8/8/8/R3K3 w - - 99 90 go 2";
        FiftyPlies "Lines end at halfmove clock 50." ["line-ended-early*"] []
            "fen 4k3/8/8/8/8/8/8/R3K3 w - - 49 90 go 2";
        SeventyFiveMoves "Lines end at halfmove clock 150." ["line-ended-early*"] []
            "fen 4k3/8/8/8/8/8/8/R3K3 w - - 149 120 go 2";
        Material "Lines end where kings have at most one bishop or knight left."
            ["line-ended-early*"] [];
        MaterialCounts "Lines that end for lack of material count as one leaf."
            ["line-ended-early*"] [];
        BareKings "Lines end where only the kings are left." ["line-ended-early*"] [];
        BareKingEnds "Lines end as one leaf where a side has only its king, two plies or more before the depth."
            ["line-ended-early*"] [];
        MateCounts "A mate before the depth counts as one leaf." ["line-ended-early*"] [];
        StalemateCounts "A stalemate before the depth counts as one leaf."
            ["line-ended-early*"] [];
        PromotionEnds "A line ends as one leaf at a promotion." ["line-ended-early*"] [];
    }

    Counter {
        Total16Bits "The total has 16 bits." ["counter-overflow*"] []
            "startpos go 4";
        Branch16Bits "The count below a move has 16 bits." ["counter-overflow*"] []
            "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 go 4";
        Total20Bits "The total has 20 bits." ["counter-overflow*"] []
            "fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 go 4";
        TotalFloat "The total is a float of 32 bits." ["counter-overflow*"] []
            "fen qqqqq1k1/5ppp/8/8/8/8/PPP5/1K1QQQQQ w - - 0 1 go 4";
        ListCut32 "Moves after the 32nd are dropped." ["move-list-cut*"] [];
        ListCut48 "Moves after the 48th are dropped." ["move-list-cut*"] [];
        ListCut64 "Moves after the 64th are dropped." ["move-list-cut*"] [];
        ListCut100 "Moves after the 100th are dropped." ["move-list-cut*"] []
            "fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1 go 1";
        ListCut127 "Moves after the 127th are dropped." ["move-list-cut*"] []
            "fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1 go 1";
        CapturesCut8 "Captures after the eighth are dropped." ["move-list-cut*"] [];
        PromotionsCut12 "Promotions after the twelfth are dropped." ["move-list-cut*"] [];
    }

    Rule {
        Ep "No pawn captures en passant." ["en-passant"] [];
        EpExpires "En passant stays possible." ["en-passant-expires"] [];
        EpRankPin "En passant may expose the king on its rank." ["en-passant-rank-pin"] [];
        EpSelfCheck "En passant may leave the king attacked."
            ["self-check/en-passant"] ["en-passant-rank-pin"];
        CheckEp "A pawn that gives check cannot be captured en passant."
            ["en-passant-evasion"] [];
        CastleThrough "The king castles through attacked squares." ["castle-through-attack"] [];
        CastleInto "The king castles onto attacked squares."
            ["castle-into-attack"] ["castle-pinned-rook"];
        CastleCheck "The king castles out of check." ["castle-out-of-check"] [];
        CastleRookAttacked "Castling is refused where the rook is attacked."
            ["castle-rook-attacked"] [];
        RookCaptured "Capturing a rook takes no right." ["castle-rook-captured"] [];
        RookMoved "Moving a rook takes no right, and it may come back."
            ["castle-rook-moved"] []
            "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves h1h2 e8d8 h2h1 d8e8 go 1";
        PromotionKnight "No promotion to a knight." ["promotion-knight"] [];
        PromotionRook "No promotion to a rook." ["promotion-rook"] [];
        PinDiagonal "Pins on diagonals are ignored." ["pinned-on-diagonal"] ["pinned"];
        KingPawn "The king steps onto squares that a pawn attacks."
            ["king-pawn-attack"] ["king-captures-guarded/"];
        KingsApart "The king steps next to the other king." ["kings-apart"] [];
        KingTakesGuarded "The king captures guarded pieces." ["king-captures-guarded"] [];
        DoubleCheck "Capturing or blocking one of two checkers answers a double check."
            ["double-check"] ["check-answered" "check-answered/"];
    }

    Condition {
        CastleThroughBlack "Black castles through attacked squares."
            ["castle-through-attack/black"] ["castle-through-attack"];
        CastleThroughKnight "The king castles through squares that a knight attacks."
            ["castle-through-attack/knight"] ["castle-through-attack"];
        CastleThroughPawn "The king castles through squares that a pawn attacks."
            ["castle-through-attack/pawn"] ["castle-through-attack"];
        CastleNearKing "Castling ignores what the other king attacks."
            ["castle-into-attack/king" "kings-apart/castl"] ["castle-into-attack" "kings-apart"];
        CastleIntoLong "The king castles onto an attacked square toward the a-file."
            ["castle-into-attack/queen side"] ["castle-into-attack"];
        CastleCheckKnight "The king castles out of a knight's check."
            ["castle-out-of-check/knight"] ["castle-out-of-check"];
        CastleCheckLong "The king castles out of check toward the a-file."
            ["castle-out-of-check/queen side"] ["castle-out-of-check"];
        CastleRookWayBlack "Black castles with a piece where only the rook passes."
            ["castle-rook-way/black"] ["castle-rook-way" "castle-way/"];
        CastleBFile "Castling toward the a-file is refused where the square on the b-file is attacked."
            ["castle-rook-way-attacked" "castle-b-file*"]
            ["castle-rook-attacked" "castle-rook-attacked/"];
        CastleShortRookAttacked "Castling toward the h-file is refused where the rook is attacked."
            ["castle-rook-attacked/king side"] ["castle-rook-attacked"];
        Castle960Target "In Chess960 castling is refused where the rook stands on the king's target."
            ["castle/rook"] ["castle" "castle-king-side/" "castle-queen-side/"];
        Castle960Stays "In Chess960 castling is refused where the king stays on its square."
            ["castle/king"] ["castle" "castle-king-side/" "castle-queen-side/"];
        CastleBothWings "Castling toward the a-file is refused while the right to the other wing lasts."
            ["castle-queen-side/right"] ["castle-queen-side" "castle"];
        CastleEpSquare "Castling is refused right after a double step."
            ["castle/double" "castle/en-passant"] ["castle" "castle-king-side/" "castle-queen-side/"];
        CastleKeepsBlackRook "Black's castling moves only the king."
            ["castle-moves-rook/black"] ["castle-moves-rook"];
        RookCapturedByKnight "A right stays when a knight captures the rook."
            ["castle-rook-captured/knight"] ["castle-rook-captured"];
        RookCapturedByBishop "A right stays when a bishop captures the rook."
            ["castle-rook-captured/bishop"] ["castle-rook-captured"];
        RookCapturedOnA8 "The right stays when a rook is captured on a8."
            ["castle-rook-captured/a8" "castle-rook-captured/queen side"] ["castle-rook-captured"];
        RookCapturedByNewKnight "A right stays when a pawn captures the rook and promotes to a knight."
            ["castle-rook-captured/promot"] ["castle-rook-captured"];
        RookMovedFromA1 "The right stays when the rook leaves a1, and the king castles without it."
            ["castle-rook-moved/a1" "castle-rook-moved/queen side"] ["castle-rook-moved"];
        RookMovedBlackCaptures "A right of Black stays when the rook moves away by a capture."
            ["castle-rook-moved/captur"] ["castle-rook-moved" "castle-rook-moved/black"]
            "fen r3k2r/7P/8/8/8/8/8/4K3 b kq - 0 1 moves h8h7 e1e2 go 1";
        KingMovedWhite "White's right toward the h-file stays when the king moves and comes back."
            ["castle-king-moved/white"] ["castle-king-moved"]
            "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1f1 e8d8 f1e1 d8e8 go 1";
        RightsLostByCheck "A check takes the rights to castle."
            ["castle-after-check*" "castle-right-lost*"] ["castle" "castle-king-side" "castle-queen-side"]
            "fen 3qk3/8/8/8/8/8/5B2/R3K2R b KQ - 0 1 moves d8e7 f2e3 e8d7 go 1";
        RightsLostByQueenCheck "A check by a queen takes the rights to castle."
            ["castle-after-check/queen" "castle-right-lost*"] ["castle" "castle-king-side" "castle-queen-side" "castle-after-check*"]
            "fen 3qk3/8/8/8/8/8/5B2/R3K2R b KQ - 0 1 moves d8e7 f2e3 e8d7 go 1";
        RightsLostOtherRook "A rook that leaves its square takes both rights."
            ["castle-other-rook*" "castle-right-lost*"] ["castle" "castle-king-side" "castle-queen-side"];
        RightsLostAnyRook "The capture of any rook takes both rights."
            ["castle-right-lost*"] ["castle" "castle-king-side" "castle-queen-side"];
        RightsLostAnyRookMove "The move of any rook takes both rights."
            ["castle-other-rook*" "castle-right-lost*"] ["castle" "castle-king-side" "castle-queen-side"];
        RightsLostCornerPawn "A pawn that leaves h2 takes the right of h1."
            ["castle-right-lost*"] ["castle" "castle-king-side" "castle-king-side/"];
        RightsLostAll "Castling takes the rights of both sides."
            ["castle-right-lost*"] ["castle" "castle-king-side" "castle-queen-side"];

        EpExpiresKnight "En passant stays possible after a knight's move."
            ["en-passant-expires/knight"] ["en-passant-expires"];
        EpExpiresQueenCaptured "En passant stays possible after the capture of a queen."
            ["en-passant-expires/queen"] ["en-passant-expires" "en-passant-expires/captur"]
            "fen 4k3/2pp4/8/8/8/8/q7/R3K3 b - - 0 1 moves d7d5 a1a2 go 1";
        EpExpiresCheck "En passant stays possible after a check."
            ["en-passant-expires/check"] ["en-passant-expires"];
        EpAFile "A double step on the a-file does not allow en passant; that of a FEN does."
            ["en-passant/a-file"] ["en-passant"];
        EpAfterBlackPush "A double step of Black does not allow en passant; that of a FEN does."
            ["en-passant/white" "en-passant/black"] ["en-passant"];
        EpTwiceRunning "A double step right after another one does not allow en passant."
            ["en-passant/double"] ["en-passant"];
        EpAfterSinglePush "A step from the third rank to the fourth allows en passant, too."
            ["en-passant-double*" "en-passant-after*"] ["en-passant"];
        EpKeepsPawnOnH "En passant on the h-file leaves the captured pawn on the board."
            ["en-passant-removes/h-file"] ["en-passant-removes"]
            "fen 4k3/8/8/6Pp/8/8/8/4K3 w - h6 0 1 go 3";
        EpFromRight "Only the pawn to the left of the captured one captures en passant."
            ["en-passant/a-file" "en-passant/left"] ["en-passant" "en-passant-both"];
        EpBlack "Black does not capture en passant." ["en-passant/black"] ["en-passant"];
        EpFFile "Nobody captures en passant on the f-file." ["en-passant/f-file"] ["en-passant"];
        EpWraps "En passant around the edge of the board."
            ["pawn-edge/en-passant"] ["pawn-edge"];
        EpDiagonal "En passant may expose the king on a diagonal."
            ["self-check/en-passant" "pinned-on-diagonal/en-passant"] ["pinned-pawn/" "pinned/"]
            "fen 4k3/8/6b1/3pP3/4K3/8/8/8 w - - 0 1 go 1; fen 4k3/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1 go 1";

        PromotionKing "A pawn promotes to a king, too."
            ["promotion-piece*" "promotion-king"] ["promotion-choice"];
        PromotionPawn "A pawn stays a pawn on the last rank, too."
            ["promotion-piece*" "promotion-pawn"] ["promotion-choice" "promotion"];
        PromotionBlack "Black promotes only to a queen."
            ["promotion-choice/black"] ["promotion-choice" "promotion-knight/" "promotion-rook/"];
        PromotionBishopH "No promotion to a bishop on the h-file."
            ["promotion-bishop/h-file"] ["promotion-bishop"];
        PromotionTakesQueen "A pawn that captures a queen promotes only to a queen."
            ["promotion-by-capture/queen" "promotion-choice/queen"]
            ["promotion-by-capture" "promotion-choice"];
        PromotionRookCapture "No promotion to a rook by capture."
            ["promotion-rook/captur"] ["promotion-rook" "promotion-by-capture"];
        PushTakesLast "A pawn captures straight ahead on the last rank."
            ["push-empty/promot" "push-empty/last"] ["push-empty"];
        DoublePushJumpsH "A pawn on the h-file jumps over a piece in its double step."
            ["double-push-way/h-file"] ["double-push-way"];
        DoublePushBlackSixth "Black's pawns make double steps from the sixth rank, too."
            ["double-push-home/black"] ["double-push-home"];
        DoublePushAttacked "No double step over an attacked square."
            ["double-push/attack"] ["double-push"];
        PawnWrapsBlack "Black's pawns capture around the edge from the a-file."
            ["pawn-edge/black"] ["pawn-edge"];
        KnightTakesOwnPawn "Knights capture pawns of their own."
            ["own-piece/knight" "own-piece/pawn"] ["own-piece"];
        SliderOwnKing "Sliders pass their own king."
            ["slider-blocked/king"] ["slider-blocked"];

        PinnedQueen "A pinned queen goes anywhere."
            ["pinned/queen"] ["pinned" "pinned-on-line" "pinned-on-diagonal"];
        PinByQueen "Pins by a queen are ignored."
            ["pinned/queen"] ["pinned" "pinned-on-diagonal/queen" "pinned-on-line/queen"];
        PinnedPawnBlack "Black's pinned pawns go anywhere."
            ["pinned-pawn/black"] ["pinned-pawn" "pinned/"];
        PinnedTakesAway "A pinned piece captures off the line of its pin."
            ["pinned/captur"] ["pinned"];
        PinnedKnightDiagonal "A knight that is pinned on a diagonal goes anywhere."
            ["pinned-on-diagonal/knight"] ["pinned/knight" "pinned-on-diagonal"];
        PinnedTakes "A pinned piece does not capture the piece that pins it."
            ["pinned-slides/captur"] ["pinned-slides"];
        PinnedRookStuck "A pinned rook does not move." ["pinned-slides/rook"] ["pinned-slides"];
        PinnedPawnStuck "A pawn that is pinned on its file does not move."
            ["pinned-slides/pawn"] ["pinned-slides"];
        KingPawnH "The king steps onto squares that a pawn on the h-file attacks."
            ["king-pawn-attack/h-file"] ["king-pawn-attack"];
        KingTakesByPawnGuarded "The king captures pieces that only a pawn guards."
            ["king-captures-guarded/pawn" "king-pawn-attack/captur"]
            ["king-captures-guarded" "king-pawn-attack"];
        KingRookBlack "The black king steps onto squares that a rook attacks."
            ["king-safe/rook"] ["king-safe/black" "king-safe" "king-captures-guarded/" "king-along-line/"];
        KingsApartTakes "A king captures pieces that only the other king guards."
            ["kings-apart/captur" "king-captures-guarded/king"] ["kings-apart" "king-captures-guarded"];
        KingAlongRank "The king steps back along the rank of a check."
            ["king-along-line/rank"] ["king-along-line"];
        KingAlongRankQueen "The king steps back along the rank of a queen's check."
            ["king-along-line/queen"] ["king-along-line" "king-along-line/rank"];
        AttackQueen "Black queens give no check on diagonals."
            ["self-check/queen"] ["king-safe/" "pinned-on-diagonal/" "check-answered/" "pinned/"];
        AttackFar "Sliders give no check over six squares."
            ["self-check/far" "self-check/distance"]
            ["king-safe/" "pinned-on-diagonal/" "pinned-on-line/" "check-answered/" "pinned/"];
        DoubleCheckKnight "In a double check with a knight, capturing the knight is enough."
            ["double-check/knight"] ["double-check" "check-answered/" "self-check/"];
        CheckByPawn "A pawn's check need not be answered."
            ["check-answered/pawn"] ["check-answered"];
        CheckByKnightTakes "Any capture answers a knight's check."
            ["check-answered/knight"] ["check-answered" "check-answered/captur"];
        CheckPawnTakes "In check, pawns do not capture."
            ["check-capture/pawn"] ["check-capture" "pawn-captures/check"];
        CheckPromotion "In check, pawns do not promote."
            ["promotion/check"] ["check-capture/" "check-block/"];
        CheckKingTakes "A king in check does not capture the checker."
            ["check-capture/king"] ["check-capture"];
        CheckKnightBlocks "Knights do not block checks."
            ["check-block/knight"] ["check-block"];
    }
}

/// Bugs that come together, and a name that covers both.
const PAIRS: [([Bug; 2], &[&str]); 20] = [
    ([Bug::CastleThrough, Bug::CastleCheck], &[]),
    ([Bug::CastleThrough, Bug::CastleInto], &[]),
    ([Bug::CastleBFile, Bug::RookCaptured], &[]),
    ([Bug::RookMoved, Bug::RookCaptured], &[]),
    ([Bug::RightsLostByCheck, Bug::CastleShortRookAttacked], &[]),
    ([Bug::EpRankPin, Bug::CheckEp], &[]),
    ([Bug::EpRankPin, Bug::EpExpires], &[]),
    ([Bug::Ep, Bug::DoublePushJumpsH], &[]),
    ([Bug::EpFromRight, Bug::CastleThroughBlack], &[]),
    ([Bug::PromotionKnight, Bug::PromotionRook], &["promotion-choice/bishop"]),
    ([Bug::PromotionBlack, Bug::PushTakesLast], &[]),
    ([Bug::PinDiagonal, Bug::KingAlongRank], &[]),
    ([Bug::KingsApart, Bug::KingPawn], &[]),
    ([Bug::DoubleCheck, Bug::CheckKnightBlocks], &[]),
    ([Bug::KingTakesGuarded, Bug::PinnedRookStuck], &[]),
    ([Bug::KnightB8, Bug::BishopC1], &[]),
    ([Bug::PinnedQueen, Bug::CastleRookAttacked], &[]),
    ([Bug::LeafPromotionsOnce, Bug::LeafNoEp], &[]),
    ([Bug::UnmakeRights, Bug::EpExpiresKnight], &[]),
    ([Bug::KeyCastling, Bug::PromotionBishopH], &[]),
];

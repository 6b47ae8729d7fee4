//! Tokens of a line of engine output.

/// No line that matters is longer. The rest of a line is not read.
const MAX_LEN: usize = 1 << 16;

/// The spellings of castling, each list with the one that is returned.
const CASTLING: &[(&str, &[&str])] =
    &[("O-O", &["O-O", "0-0", "o-o"]), ("O-O-O", &["O-O-O", "0-0-0", "o-o-o"])];

/// A token of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A move with both squares, in lower case and without the letter of its piece; or castling as
    /// `O-O` or `O-O-O` if it was written so.
    Move(String),
    /// A move in standard algebraic notation, without marks such as `+`.
    San(String),
    /// A count.
    Number(u128),
    /// A whole number that cannot be a count: negative, or too large.
    BadNumber,
    /// A number with a fraction or an exponent.
    Fraction,
    /// Anything else, in lower case.
    Word(String),
}

impl Token {
    /// Whether this is one of some words.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        matches!(self, Self::Word(word) if words.contains(&word.as_str()))
    }

    /// Whether this is a number, a date, a time, or a number with a unit.
    pub(super) fn is_number_like(&self) -> bool {
        match self {
            Self::Number(_) | Self::Fraction => true,
            Self::Word(word) => word.starts_with(|letter: char| letter.is_ascii_digit()),
            _ => false,
        }
    }

    /// The text of a move in either notation.
    pub(super) fn as_move(&self) -> Option<&str> {
        match self {
            Self::Move(text) | Self::San(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this and another token are one move in two notations, as in `e2e4 (e4)`.
    pub(super) fn is_same_move(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Move(squares), Self::Move(castling))
            | (Self::Move(castling), Self::Move(squares))
                if castling.starts_with('O') =>
            {
                matches!(squares.as_bytes(), [_, from_rank, _, to_rank] if from_rank == to_rank)
            }
            (Self::Move(squares), Self::San(san)) | (Self::San(san), Self::Move(squares)) => {
                // `a7a8q` and `a8=Q`.
                let end = |text: &str| text.to_ascii_lowercase().replace('=', "");
                squares.get(2..).is_some_and(|to| end(san).ends_with(to))
            }
            _ => false,
        }
    }
}

/// The tokens of a line.
pub(super) fn tokens(line: &str) -> Vec<Token> {
    let line = plain_separators(&line[..line.floor_char_boundary(MAX_LEN)]);
    line.split_whitespace().flat_map(tokens_of_word).collect()
}

/// The line with spaces in place of everything else that separates: brackets, quotes, the lines of
/// tables. Arrows become `=`, and the brackets of `a7a8(Q)` are dropped.
fn plain_separators(line: &str) -> String {
    let letters: Vec<char> = line.chars().collect();
    let is_digit = |at: Option<&char>| at.is_some_and(char::is_ascii_digit);
    let mut text = String::with_capacity(line.len());
    let mut at = 0;
    while at < letters.len() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        match letters[at..] {
            ['(', piece, ')', ..] if is_digit(before) && is_promotion_piece(piece) => {
                text.push(piece);
                at += 2;
            }
            ['-' | '=', '>', ..] => {
                text.push_str(" = ");
                at += 1;
            }
            ['→' | '⇒', ..] => text.push_str(" = "),
            // Between digits, it groups them.
            ['\'', next, ..] if is_digit(before) && next.is_ascii_digit() => text.push('\''),
            [':' | '(' | ')' | '[' | ']' | '{' | '}' | ';' | '"' | '`' | '\'' | '|', ..]
            | ['\u{2500}'..='\u{257f}', ..] => text.push(' '),
            [letter, ..] => text.push(letter),
            [] => {}
        }
        at += 1;
    }
    text
}

/// The tokens of a text without white space: one, or several as in `e2e4=20` and `e2e4,20`.
fn tokens_of_word(text: &str) -> Vec<Token> {
    if let Some(token) = move_or_number(text.trim_end_matches(',')) {
        return vec![token];
    }
    // `=`, `==`.
    if text.chars().all(|letter| letter == '=') {
        return vec![Token::Word("=".to_owned())];
    }
    // Other signs between words say nothing: `-`, `*`, `...`.
    if text.chars().all(|letter| letter.is_ascii_punctuation() && letter != '%') {
        return Vec::new();
    }
    // `D2` in a table of depths.
    if let Some(depth) = text.strip_prefix('D').and_then(parse_number) {
        return vec![Token::Word("depth".to_owned()), Token::Number(depth)];
    }
    let parts = text.split(['=', ',']).filter(|part| !part.is_empty());
    let parts = parts.map(|part| {
        // The number of an item, as in `12. e2e4`.
        let part = part.strip_suffix('.').unwrap_or(part);
        move_or_number(part).unwrap_or_else(|| bad_number_or_word(part))
    });
    parts.collect()
}

fn move_or_number(text: &str) -> Option<Token> {
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    parse_move(text)
        .map(Token::Move)
        .or_else(|| is_san(text).then(|| Token::San(text.replace('/', "="))))
        .or_else(|| parse_number(text).map(Token::Number))
}

/// `e2e4`, `e2-e4`, `d4xe5`, `Ng1-f3`, `a7a8q`, `a7a8=Q`, `a7a8/Q`, `O-O`, `0-0-0`.
fn parse_move(text: &str) -> Option<String> {
    if let Some((castling, _)) = CASTLING.iter().find(|(_, spellings)| spellings.contains(&text)) {
        return Some((*castling).to_owned());
    }
    let with_letter = || {
        let rest = text.strip_prefix(['K', 'Q', 'R', 'B', 'N', 'P', 'k', 'q', 'r', 'b', 'n', 'p']);
        squares(rest?)
    };
    squares(text).or_else(with_letter)
}

fn squares(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (from, rest) = lower.split_at_checked(2)?;
    let rest = rest.strip_prefix(['-', 'x']).unwrap_or(rest);
    let (to, promotion) = rest.split_at_checked(2)?;
    let promotion = promotion.strip_prefix(['=', '/']).unwrap_or(promotion);
    let promotion = if matches!(promotion, "ep" | "e.p.") { "" } else { promotion };
    // `B1c3` is a bishop that comes from the first rank.
    let is_piece = text.starts_with('B') && text[2..].starts_with(|c: char| c.is_ascii_lowercase());
    let is_move = is_square(from) && is_square(to) && is_promotion(promotion) && !is_piece;
    is_move.then(|| format!("{from}{to}{promotion}"))
}

/// `Nf3`, `Nbd2`, `R1xa3`, `e4`, `exd5`, `e8=Q`, `exd8/N`.
fn is_san(text: &str) -> bool {
    let (body, promotion) = match text.char_indices().next_back() {
        Some((at, piece)) if at > 1 && is_promotion_piece(piece) => (&text[..at], true),
        _ => (text, false),
    };
    let body = if promotion { body.strip_suffix(['=', '/']).unwrap_or(body) } else { body };
    match body.as_bytes() {
        [b'K' | b'Q' | b'R' | b'B' | b'N', origin @ .., file, rank] if !promotion => {
            let origin = origin.strip_suffix(b"x").unwrap_or(origin);
            is_square_of(*file, *rank) && matches!(origin, [] | [b'a'..=b'h'] | [b'1'..=b'8'])
        }
        [file, rank] | [b'a'..=b'h', b'x', file, rank] => is_square_of(*file, *rank),
        _ => false,
    }
}

fn is_promotion_piece(letter: char) -> bool {
    matches!(letter, 'Q' | 'R' | 'B' | 'N' | 'q' | 'r' | 'b' | 'n')
}

fn is_square_of(file: u8, rank: u8) -> bool {
    matches!((file, rank), (b'a'..=b'h', b'1'..=b'8'))
}

fn is_square(text: &str) -> bool {
    matches!(text.as_bytes(), &[file, rank] if is_square_of(file, rank))
}

/// Any letter passes, and one character after it: a wrong promotion may be the bug to find.
fn is_promotion(text: &str) -> bool {
    match text.as_bytes() {
        [] => true,
        [piece] => piece.is_ascii_alphabetic(),
        [piece, extra] => piece.is_ascii_alphabetic() && extra.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// Digits, which may be in groups of three: `1,234`, `1_234`, `1'234`.
fn parse_number(text: &str) -> Option<u128> {
    let mut groups = text.split([',', '_', '\'']);
    let is_digits = |group: &str| group.bytes().all(|letter| letter.is_ascii_digit());
    let first = groups.next()?;
    let is_number = !first.is_empty()
        && is_digits(first)
        && groups.all(|group| group.len() == 3 && is_digits(group));
    let digits = || text.chars().filter(char::is_ascii_digit).collect::<String>();
    is_number.then(digits)?.parse().ok()
}

/// Programs print a bad number if they count with too few bits or in floating point.
fn bad_number_or_word(text: &str) -> Token {
    let lower = text.to_ascii_lowercase();
    let number = lower.strip_prefix('-').unwrap_or(&lower);
    if !number.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit()) {
        return Token::BadNumber;
    }
    // Excludes units, as in `12ms` and `0.5s`.
    let is_fraction =
        number.starts_with(|letter: char| letter.is_ascii_digit()) && number.parse::<f64>().is_ok();
    if is_fraction || matches!(number, "nan" | "inf") {
        Token::Fraction
    } else {
        Token::Word(lower)
    }
}

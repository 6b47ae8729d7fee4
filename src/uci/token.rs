//! Tokens of a line of engine output.

/// No line that matters is longer. The rest of a line is not read.
const MAX_LEN: usize = 400;

/// The spellings of castling, each list with the one that is returned.
const CASTLING: &[(&str, &[&str])] =
    &[("O-O", &["O-O", "0-0", "o-o"]), ("O-O-O", &["O-O-O", "0-0-0", "o-o-o"])];

/// A token of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A move in lower case, or castling as `O-O` or `O-O-O` if it was written so.
    Move(String),
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

    /// Whether this is a move.
    pub(super) fn is_move(&self) -> bool {
        matches!(self, Self::Move(_))
    }
}

/// The tokens of a line.
pub(super) fn tokens(line: &str) -> Vec<Token> {
    let separates = |letter: char| {
        letter.is_whitespace() || matches!(letter, ':' | '(' | ')' | '[' | ']' | ';')
    };
    let line = &line[..line.floor_char_boundary(MAX_LEN)];
    line.split(separates).filter(|text| !text.is_empty()).flat_map(tokens_of_word).collect()
}

/// The tokens of a text without white space: one, or several as in `e2e4=20` and `e2e4,20`.
fn tokens_of_word(text: &str) -> Vec<Token> {
    if let Some(token) = move_or_number(text) {
        return vec![token];
    }
    // `=`, `==`, `=>`.
    if text.starts_with('=') && text.chars().all(|letter| matches!(letter, '=' | '>')) {
        return vec![Token::Word("=".to_owned())];
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
    parse_move(text).map(Token::Move).or_else(|| parse_number(text).map(Token::Number))
}

/// `e2e4`, `e2-e4`, `d4xe5`, `a7a8q`, `a7a8=Q`, `O-O`, `0-0-0`.
fn parse_move(text: &str) -> Option<String> {
    if let Some((castling, _)) = CASTLING.iter().find(|(_, spellings)| spellings.contains(&text)) {
        return Some((*castling).to_owned());
    }
    let lower = text.to_ascii_lowercase();
    let (from, rest) = lower.split_at_checked(2)?;
    let rest = rest.strip_prefix(['-', 'x']).unwrap_or(rest);
    let (to, promotion) = rest.split_at_checked(2)?;
    let promotion = promotion.strip_prefix('=').unwrap_or(promotion);
    let is_move = is_square(from) && is_square(to) && is_promotion(promotion);
    is_move.then(|| format!("{from}{to}{promotion}"))
}

fn is_square(text: &str) -> bool {
    matches!(text.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
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

/// Digits, which may be in groups: `1,234`, `1_234`, `1'234`.
fn parse_number(text: &str) -> Option<u128> {
    if !text.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let digits: String =
        text.chars().filter(|letter| !matches!(letter, ',' | '_' | '\'')).collect();
    digits.parse().ok()
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

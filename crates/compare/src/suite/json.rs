//! A small JSON parser that keeps the line of each value and the digits of each number.

use super::SuiteErrorKind;

/// Deeper nesting is refused.
const MAX_NESTING: usize = 64;

/// A value and the line on which it starts, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub line: usize,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// `null`, `true`, `false`.
    Word,
    /// The text of a number.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// Names and values, in the order of the file.
    Object(Vec<(String, Node)>),
}

/// The values of a text, one after the other, with or without commas between: a document, or lines
/// of JSON. The last item is the error at which parsing ends.
pub(super) fn parse(text: &str) -> impl Iterator<Item = Result<Node, (usize, SuiteErrorKind)>> {
    let mut parser = Parser { rest: text, line: 1 };
    let mut is_ended = false;
    std::iter::from_fn(move || {
        while parser.take(',') {}
        if is_ended || parser.peek().is_none() {
            return None;
        }
        let node = parser.node(MAX_NESTING);
        is_ended = node.is_err();
        Some(node.map_err(|expected| {
            // What is missing at the end is missing on the last line.
            let line = parser.line.min(text.lines().count()).max(1);
            (line, SuiteErrorKind::Json { expected })
        }))
    })
}

struct Parser<'a> {
    rest: &'a str,
    line: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl<'a> Parser<'a> {
    fn node(&mut self, nesting: usize) -> Parsed<Node> {
        let deeper = nesting.checked_sub(1).ok_or("less nesting")?;
        let first = self.peek();
        let line = self.line;
        let value = match first {
            Some('"') => Value::Text(self.text()?),
            Some('[') => Value::List(self.items('[', ']', |parser| parser.node(deeper))?),
            Some('{') => Value::Object(self.items('{', '}', |parser| {
                let name = parser.text()?;
                parser.expect(':', "a colon after the name")?;
                Ok((name, parser.node(deeper)?))
            })?),
            Some('-' | '0'..='9') => Value::Number(self.word().to_owned()),
            _ => match self.word() {
                "null" | "true" | "false" => Value::Word,
                _ => return Err("a value"),
            },
        };
        Ok(Node { line, value })
    }

    /// Items between brackets, separated by commas; one more comma at the end is allowed.
    fn items<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open, "a bracket")?;
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(item(self)?);
            if !self.take(',') {
                self.expect(close, "a comma or a closing bracket")?;
                break;
            }
        }
        Ok(items)
    }

    fn text(&mut self) -> Parsed<String> {
        self.expect('"', "a quote")?;
        let mut text = String::new();
        loop {
            match self.next().ok_or("a closing quote")? {
                '"' => return Ok(text),
                '\n' => return Err("a closing quote on the same line"),
                '\\' => text.push(self.escaped()?),
                letter => text.push(letter),
            }
        }
    }

    fn escaped(&mut self) -> Parsed<char> {
        Ok(match self.next().ok_or("an escaped character")? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let unit = self.code_unit()?;
                // A pair of code units is one character.
                let units = match unit {
                    0xd800..0xdc00 if self.rest.starts_with("\\u") => {
                        self.rest = &self.rest[2..];
                        vec![unit, self.code_unit()?]
                    }
                    _ => vec![unit],
                };
                char::decode_utf16(units).next().and_then(Result::ok).unwrap_or('\u{fffd}')
            }
            letter @ ('"' | '\\' | '/') => letter,
            _ => return Err("an escaped character"),
        })
    }

    fn code_unit(&mut self) -> Parsed<u16> {
        let digits = self.rest.get(..4).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.rest = self.rest.get(4..).unwrap_or_default();
        unit.ok_or("four hexadecimal digits")
    }

    /// Takes letters and digits, and the signs of numbers.
    fn word(&mut self) -> &'a str {
        let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn expect(&mut self, letter: char, expected: &'static str) -> Parsed<()> {
        if self.take(letter) { Ok(()) } else { Err(expected) }
    }

    fn take(&mut self, letter: char) -> bool {
        let is_next = self.peek() == Some(letter);
        if is_next {
            self.next();
        }
        is_next
    }

    /// The next character after white space, which is skipped.
    fn peek(&mut self) -> Option<char> {
        while let Some(letter) = self.rest.chars().next() {
            if !letter.is_whitespace() && letter != '\0' {
                return Some(letter);
            }
            self.next();
        }
        None
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        self.line += usize::from(letter == '\n');
        Some(letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (usize, String) {
        let (line, kind) = parse(text).last().unwrap().unwrap_err();
        (line, kind.to_string())
    }

    #[test]
    fn values_keep_their_lines_and_digits() {
        let text = "{\"a\": [1,\n 340282366920938463463374607431768211455,],\n\"b\\u00e9\\ud83d\\ude00\\n\": null}\n{}";
        let nodes: Vec<Node> = parse(text).map(Result::unwrap).collect();
        let [Node { line: 1, value: Value::Object(fields) }, Node { line: 4, .. }] = &nodes[..]
        else {
            panic!("{nodes:?}")
        };
        let Value::List(items) = &fields[0].1.value else { panic!("{fields:?}") };
        let digits = Value::Number(u128::MAX.to_string());
        assert_eq!(items[1], Node { line: 2, value: digits });
        assert_eq!(fields[1], ("bé😀\n".to_owned(), Node { line: 3, value: Value::Word }));
    }

    #[test]
    fn an_error_names_its_line_and_what_was_expected() {
        for (text, line, expected) in [
            ("[1\n2]", 2, "a comma or a closing bracket"),
            ("{\"a\" 1}", 1, "a colon"),
            ("{a: 1}", 1, "a quote"),
            ("[\n\n\"open", 3, "a closing quote"),
            ("[nul]", 1, "a value"),
            ("[\"\\x\"]", 1, "an escaped character"),
            ("[\"\\u12g4\"]", 1, "hexadecimal"),
            (&"[".repeat(100), 1, "less nesting"),
        ] {
            let (found, message) = error(text);
            assert!(found == line && message.contains(expected), "{text}: {found}: {message}");
        }
    }
}

//! Reading lines of bounded length.

use std::io::{self, BufRead, Read};

/// The result of [`read_line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// The line is whole.
    Newline,
    /// The input ended without a newline.
    Unterminated,
    /// The line has at least `max` bytes without a newline; the rest is still in the input.
    TooLong,
    /// There was nothing left to read.
    Eof,
}

/// Reads one line, newline included, into `line`, which is cleared first. At most `max` bytes are
/// read.
///
/// # Errors
/// If the input cannot be read.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, max: usize) -> io::Result<LineEnd> {
    line.clear();
    let read = input.by_ref().take(max as u64).read_until(b'\n', line)?;
    Ok(match line.last() {
        None => LineEnd::Eof,
        Some(b'\n') => LineEnd::Newline,
        Some(_) if read == max => LineEnd::TooLong,
        Some(_) => LineEnd::Unterminated,
    })
}

/// Skips to the end of the line, in constant memory.
///
/// # Errors
/// If the input cannot be read.
pub fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    input.skip_until(b'\n').map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_can_be_skipped() {
        let mut input = &b"ab\nabcdef\n\ncd"[..];
        let mut line = Vec::new();
        let mut next = |input: &mut &[u8]| {
            let end = read_line(input, &mut line, 4).unwrap();
            (end, line.clone())
        };
        assert_eq!(next(&mut input), (LineEnd::Newline, b"ab\n".to_vec()));
        assert_eq!(next(&mut input), (LineEnd::TooLong, b"abcd".to_vec()));
        skip_line(&mut input).unwrap();
        assert_eq!(next(&mut input), (LineEnd::Newline, b"\n".to_vec()));
        assert_eq!(next(&mut input), (LineEnd::Unterminated, b"cd".to_vec()));
        assert_eq!(next(&mut input), (LineEnd::Eof, Vec::new()));
    }
}

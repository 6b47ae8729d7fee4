//! Opening suites: files, standard input, and those that come with the program.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{Suite, SuiteError};

/// The maximal size of a suite. Input without an end, such as a device, is given up there.
const MAX_SUITE_BYTES: u64 = 1 << 26;

/// The name and the text of each suite that comes with the program.
const EMBEDDED: [(&str, &str); 3] = [
    ("standard.epd", include_str!("../../perft_suites/standard.epd")),
    ("chess960.epd", include_str!("../../perft_suites/chess960.epd")),
    ("tricky.epd", include_str!("../../perft_suites/tricky.epd")),
];

/// The reason why a suite cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file, or it cannot be opened.
    #[error("cannot open suite {name:?} (built-in: {}): {error}", EMBEDDED.map(|(name, _)| name).join(", "))]
    Open {
        /// The name of the file.
        name: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The input cannot be read.
    #[error("cannot read {input}: {error}")]
    Read {
        /// The suite, or standard input.
        input: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The input is too long.
    #[error("{input} is longer than {} MiB; split it", MAX_SUITE_BYTES >> 20)]
    TooLong {
        /// The suite, or standard input.
        input: String,
    },
    /// A line that is not understood.
    #[error(transparent)]
    Line(#[from] SuiteError),
    /// There are no positions in it.
    #[error("{name}: no positions (a line is: FEN ;D1 20 ;D2 400)")]
    Empty {
        /// The name of the suite.
        name: String,
    },
}

impl Suite {
    /// The suites that come with the program.
    pub fn embedded() -> Vec<Self> {
        EMBEDDED.map(|(name, text)| Self::parse_embedded(name, text)).into()
    }

    /// Opens a suite: a file, standard input for `-`, or, if there is no such file, one of
    /// [`Suite::embedded`] by its name with or without `.epd`.
    ///
    /// ```
    /// use perft_compare::Suite;
    ///
    /// assert_eq!(Suite::open("tricky")?.name, "tricky.epd");
    /// # Ok::<(), perft_compare::suite::OpenError>(())
    /// ```
    ///
    /// # Errors
    /// If it cannot be read, is longer than 64 MiB, or has no positions; the first line that is not
    /// understood.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let (suite, bad_lines) = Self::open_lossy(path)?;
        bad_lines.into_iter().next().map_or(Ok(suite), |line| Err(line.into()))
    }

    /// [`Suite::open`] without the lines that cannot be used, which come second.
    ///
    /// # Errors
    /// If it cannot be read, is longer than 64 MiB, or has no positions and no bad lines.
    pub fn open_lossy(path: impl AsRef<Path>) -> Result<(Self, Vec<SuiteError>), OpenError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if path.as_os_str() == "-" {
            return Self::read(&name, "standard input", io::stdin().lock());
        }
        let is_named = |embedded: &str| {
            embedded == name || embedded.strip_suffix(".epd") == Some(name.as_str())
        };
        if let Some((name, text)) = EMBEDDED.into_iter().find(|(embedded, _)| is_named(embedded))
            && !path.exists()
        {
            return Ok((Self::parse_embedded(name, text), Vec::new()));
        }
        let file =
            File::open(path).map_err(|error| OpenError::Open { name: name.clone(), error })?;
        Self::read(&name, &format!("suite {name:?}"), file)
    }

    fn parse_embedded(name: &str, text: &str) -> Self {
        Self::parse(name, text).expect("the built-in suites are well formed")
    }

    /// Reads all of `input`, which messages call by `input_name`.
    fn read(
        name: &str,
        input_name: &str,
        input: impl Read,
    ) -> Result<(Self, Vec<SuiteError>), OpenError> {
        let input_name = || input_name.to_owned();
        let mut bytes = Vec::new();
        let read = input.take(MAX_SUITE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| OpenError::Read { input: input_name(), error })?;
        if bytes.len() as u64 > MAX_SUITE_BYTES {
            return Err(OpenError::TooLong { input: input_name() });
        }
        let (suite, bad_lines) = Self::parse_lossy(name, &String::from_utf8_lossy(&bytes));
        if suite.entries.is_empty() && bad_lines.is_empty() {
            return Err(OpenError::Empty { name: name.to_owned() });
        }
        Ok((suite, bad_lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(input: impl Read) -> String {
        match Suite::read("test", "suite \"test\"", input) {
            Ok((_, bad_lines)) => bad_lines[0].to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn embedded_suites_are_opened_by_name() {
        for suite in Suite::embedded() {
            let stem = suite.name.strip_suffix(".epd").unwrap();
            for name in [&suite.name, stem] {
                let opened = Suite::open(name).unwrap();
                assert_eq!(
                    (opened.name, opened.entries.len()),
                    (suite.name.clone(), suite.entries.len())
                );
            }
        }
        let error = Suite::open("no/such/file.epd").unwrap_err().to_string();
        let start = "cannot open suite \"no/such/file.epd\" (built-in: standard.epd, chess960.epd, tricky.epd): ";
        assert!(error.starts_with(start), "{error}");
    }

    #[test]
    fn input_that_is_not_a_suite_is_named() {
        let too_long = "suite \"test\" is longer than 64 MiB; split it";
        assert_eq!(error(io::repeat(b'\n')), too_long);
        assert_eq!(error(&b"\n\xff\n"[..]), "test:2: not UTF-8 text");
        let empty = "test: no positions (a line is: FEN ;D1 20 ;D2 400)";
        assert_eq!(error(&b"# nothing here\n"[..]), empty);
        assert_eq!(error(&b"\nnonsense"[..]).split_once(": ").unwrap().0, "test:2");
    }
}

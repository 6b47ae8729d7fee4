//! `perft explore`: the page in the browser.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use perft_compare::uci::EngineSettings;
use perft_core::{CastlingMode, Counter};

use super::INTERRUPTED;
use super::args::{ExploreArgs, Protocol, split_command};
use super::interrupt::cancel_on_interrupt;
use super::output;
use super::position;
use crate::explore::{self, Config, EngineConfig};

/// Serves the page until Ctrl-C.
pub fn explore(args: ExploreArgs) -> Result<ExitCode> {
    let query = query(&args)?;
    let engine = engine(&args)?;
    // Without a table, which would take memory for as long as the page is open.
    let counter = Counter::new().threads(args.threads.threads()).cancel(cancel_on_interrupt());
    let config = Config { port: args.port, query, engine, counter };
    let mut page = None;
    let mut printed = Ok(());
    explore::serve(config, |address| {
        printed = output::result(&format!("{address}\n"));
        if !args.no_open {
            page = open(address);
        }
        if !args.output.quiet {
            output::note(format_args!("perft: Ctrl-C ends it"));
        }
    })
    .with_context(|| format!("cannot serve on port {} (--port takes another)", args.port))?;
    printed?;
    drop(page);
    Ok(ExitCode::from(INTERRUPTED))
}

/// The query of the first address.
fn query(args: &ExploreArgs) -> Result<String> {
    if let [link] = &args.tokens[..]
        && link.contains("://")
    {
        if args.position.moves.is_some() || args.position.chess960 {
            bail!("a link has the moves and the mode; leave out --moves and --chess960");
        }
        return query_of_link(link);
    }
    let mut tokens = args.tokens.clone();
    if tokens.is_empty() {
        tokens.push("startpos".to_owned());
    }
    let start = position::start(&tokens, &args.position, args.output.quiet)?;
    let name = tokens.join(" ");
    let position = if position::is_known(&name) { name } else { start.root.to_string() };
    let mut query = format!("position={}", encoded(&position));
    if !start.line.is_empty() {
        let mode = start.root.castling_mode();
        let moves: Vec<String> = start.line.iter().map(|mv| mv.uci(mode)).collect();
        query += &format!("&moves={}", moves.join(","));
    }
    if start.root.castling_mode() == CastlingMode::Chess960 {
        query += "&chess960=1";
    }
    Ok(query + &format!("&depth={}", args.depth))
}

/// The query of a link that was copied from a page.
fn query_of_link(link: &str) -> Result<String> {
    let link = link.split('#').next().unwrap_or_default();
    let Some((address, query)) = link.split_once('?') else {
        bail!("the link {link:?} has no query (http://127.0.0.1:8000/?position=startpos)");
    };
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || "-._~%+&=,/:;*!'()@$".contains(letter);
    if !address.starts_with("http://") || !query.chars().all(is_plain) {
        bail!("{link:?} is not a link of perft explore (http://127.0.0.1:8000/?position=startpos)");
    }
    Ok(query.to_owned())
}

/// A value of a query, percent-encoded.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'/' => {
            (byte as char).to_string()
        }
        b' ' => "+".to_owned(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// The engine of the command line.
fn engine(args: &ExploreArgs) -> Result<Option<EngineConfig>> {
    let Some(program) = &args.program else {
        if !args.engine.are_defaults() {
            bail!("options of an engine, but no engine is named (--engine CMD)");
        }
        return Ok(None);
    };
    let settings = args.engine.settings(split_command(program)?)?;
    let protocol = args.engine.protocol;
    Ok(Some(EngineConfig {
        name: program.to_owned(),
        check: args.engine.check_command(&settings.command),
        chess960: protocol == Protocol::Script && args.position.chess960,
        start: Box::new(move |cancel| {
            protocol.start(&EngineSettings { cancel, ..settings.clone() })
        }),
    }))
}

/// A file that leads the browser to the address, removed at the end.
///
/// The address itself is no argument of the browser: other users can read the arguments of a
/// process, and they would have the token.
struct RedirectFile(PathBuf);

impl RedirectFile {
    fn write(address: &str) -> Option<Self> {
        let dir = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let dir = dir.filter(|dir| dir.is_dir()).unwrap_or_else(std::env::temp_dir);
        let path = dir.join(format!("perft-explore-{}.html", std::process::id()));
        _ = fs::remove_file(&path);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).ok()?;
        let address = address.replace('&', "&amp;");
        let html = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>perft explore</title>\
             <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n"
        );
        file.write_all(html.as_bytes()).ok()?;
        Some(Self(path))
    }
}

impl Drop for RedirectFile {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.0);
    }
}

/// Opens the address in the browser, where there is one.
fn open(address: &str) -> Option<RedirectFile> {
    let has_display =
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ if has_display() => "xdg-open",
        _ => return None,
    };
    let file = RedirectFile::write(address)?;
    let started = start(program, &file.0);
    started.then_some(file)
}

fn start(program: &str, path: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Waits for the launcher, so that it does not stay as a zombie.
    perft_core::sys::pool::spawn(move || _ = child.wait()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_of_a_link_is_kept_and_its_fragment_dropped() {
        let query = query_of_link("http://127.0.0.1:81/?position=kiwipete&moves=e1g1#token=1");
        assert_eq!(query.expect("a link"), "position=kiwipete&moves=e1g1");
        for wrong in
            ["http://127.0.0.1:81/", "ftp://127.0.0.1/?x", "http://a/?\"<script>", "http://a/?x y"]
        {
            assert!(query_of_link(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_encoded() {
        assert_eq!(encoded("8/8 w - - 0 1"), "8/8+w+-+-+0+1");
        assert_eq!(encoded("a&b=\"c\""), "a%26b%3D%22c%22");
    }
}

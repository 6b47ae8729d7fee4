//! A running `perft explore`, and requests to it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::driver::{PERFT, command};

/// A running server. It is killed at the end of the test.
pub struct Server {
    pub child: Child,
    /// The printed address.
    pub address: String,
    pub port: u16,
    pub token: String,
}

/// A response.
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Server {
    /// Starts `perft explore` with further arguments.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_in(Path::new("."), arguments)
    }

    /// Starts it in a directory.
    pub fn start_in(dir: &Path, arguments: &[&str]) -> Self {
        let mut child = command(&[&["explore", "--no-open", "--quiet"], arguments].concat())
            .current_dir(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut address = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut address).expect("a line");
        let address = address.trim().to_owned();
        let rest = address.strip_prefix("http://127.0.0.1:").expect("an address");
        let port = rest.split('/').next().and_then(|port| port.parse().ok()).expect("a port");
        let (_, token) = address.split_once("#token=").expect("a token");
        Self { port, token: token.to_owned(), address, child }
    }

    /// Opens a connection and sends bytes.
    pub fn send(&self, request: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a timeout");
        // The server may refuse a long request before it is sent.
        _ = stream.write_all(request);
        stream
    }

    /// Sends bytes and reads the response up to the end of the connection.
    pub fn raw(&self, request: &[u8]) -> Response {
        let mut bytes = Vec::new();
        _ = self.send(request).read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).expect("a response in UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(body) } else { body.to_owned() };
        Response { status: status.unwrap_or_default(), head: head.to_owned(), body }
    }

    /// A file of the page.
    pub fn get(&self, path: &str, host: &str) -> Response {
        self.raw(
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
        )
    }

    /// The text of a post to the API, with the right headers.
    pub fn post_text(&self, function: &str, body: &str) -> String {
        let Self { port, token, .. } = self;
        format!(
            "POST /api/{function} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\
             Origin: http://127.0.0.1:{port}\r\nX-Perft-Token: {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// A post to the API.
    pub fn post(&self, function: &str, body: &Value) -> Response {
        self.raw(self.post_text(function, &body.to_string()).as_bytes())
    }

    /// The response of a function that must succeed.
    pub fn call(&self, function: &str, body: &Value) -> Value {
        let response = self.post(function, body);
        assert_eq!(response.status, 200, "{function}: {}", response.body);
        serde_json::from_str(&response.body).expect("JSON")
    }

    /// The events of a function that must succeed.
    pub fn events(&self, function: &str, body: &Value) -> Vec<Value> {
        let response = self.post(function, body);
        assert_eq!(response.status, 200, "{function}: {}", response.body);
        response.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn unchunked(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a length");
        let Some(chunk) = rest.get(..length) else { break };
        text += chunk;
        body = rest.get(length + 2..).unwrap_or_default();
    }
    text
}

/// The names of the files of the page, sorted.
pub fn page_files() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explore/page");
    let files = fs::read_dir(dir).expect("the page is there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").file_name().into_string().expect("a name in UTF-8"))
        .collect();
    names.sort();
    names
}

/// The command of an engine that does not list White's castling on the king's side.
pub fn without_e1g1() -> String {
    format!("sh -c \"'{PERFT}' uci | sed -u '/^e1g1/d'\"")
}

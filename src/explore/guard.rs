//! Keeping other pages and other users out.
//!
//! Any page in the browser, and any user of the machine, can send requests to a port. So:
//! - every request must name this server in `Host`, which defeats DNS rebinding, and if it has an
//!   `Origin`, that must be this server too;
//! - the API takes JSON posts only, with the token of the printed address in a header. The token
//!   is in the fragment of the address, which browsers do not send;
//! - no header permits other origins anything, and the policy of the page permits it nothing but
//!   its own files and this server.

use std::io;

use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, Request, StatusCode};

/// The header of the token.
const TOKEN: HeaderName = HeaderName::from_static("x-perft-token");

/// The headers of every response.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
];

/// A refusal.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal(pub StatusCode, pub &'static str);

/// A new token: 128 random bits in hexadecimal digits.
///
/// # Errors
/// If the system gives no randomness.
pub fn new_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a request may be handled.
///
/// # Errors
/// The refusal.
pub fn check<B>(request: &Request<B>, port: u16, token: &str) -> Result<(), Refusal> {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let headers = request.headers();
    if !only(headers, &HOST).is_some_and(|host| hosts.iter().any(|own| own == host)) {
        return Err(Refusal(StatusCode::FORBIDDEN, "another host"));
    }
    let is_own = |origin: &str| {
        let host = origin.strip_prefix("http://");
        host.is_some_and(|host| hosts.iter().any(|own| own == host))
    };
    if headers.contains_key(ORIGIN) && !only(headers, &ORIGIN).is_some_and(is_own) {
        return Err(Refusal(StatusCode::FORBIDDEN, "another origin"));
    }
    if !request.uri().path().starts_with("/api/") {
        return match request.method() {
            &Method::GET => Ok(()),
            _ => Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, "files are for GET")),
        };
    }
    if request.method() != Method::POST {
        return Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, "the API takes POST"));
    }
    if !only(headers, &TOKEN).is_some_and(|given| is_same(given.as_bytes(), token.as_bytes())) {
        let remedy = "no valid token: open the address that perft explore printed";
        return Err(Refusal(StatusCode::UNAUTHORIZED, remedy));
    }
    if only(headers, &CONTENT_TYPE) != Some("application/json") {
        return Err(Refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the API takes application/json"));
    }
    Ok(())
}

/// Sets the headers of every response.
pub fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// The value of a header that must come once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Compares in a time that does not depend on where the difference is.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |bits, (a, b)| bits | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &str, path: &str, headers: &[(&str, &str)]) -> Option<u16> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        check(&request, 80, "secret").err().map(|Refusal(status, _)| status.as_u16())
    }

    #[test]
    fn requests_of_others_are_refused() {
        let host = ("host", "127.0.0.1:80");
        let (token, json) = (("x-perft-token", "secret"), ("content-type", "application/json"));
        assert_eq!(status("GET", "/", &[host]), None);
        assert_eq!(status("GET", "/", &[("host", "localhost:80")]), None);
        assert_eq!(status("POST", "/api/position", &[host, token, json]), None);
        for (expected, method, path, headers) in [
            (403, "GET", "/", &[][..]),
            (403, "GET", "/", &[("host", "evil.example:80")]),
            (403, "GET", "/", &[("host", "127.0.0.1:81")]),
            (403, "GET", "/", &[host, host]),
            (403, "GET", "/", &[host, ("origin", "null")]),
            (403, "POST", "/api/position", &[host, token, json, ("origin", "http://evil.example")]),
            (
                403,
                "POST",
                "/api/position",
                &[host, token, json, ("origin", "https://127.0.0.1:80")],
            ),
            (405, "POST", "/", &[host]),
            (405, "GET", "/api/position", &[host, token, json]),
            (405, "OPTIONS", "/api/position", &[host, token, json]),
            (401, "POST", "/api/position", &[host, json]),
            (401, "POST", "/api/position", &[host, json, ("x-perft-token", "secrex")]),
            (401, "POST", "/api/position", &[host, json, ("x-perft-token", "")]),
            (401, "POST", "/api/position", &[host, json, token, token]),
            (415, "POST", "/api/position", &[host, token]),
            (415, "POST", "/api/position", &[host, token, ("content-type", "text/plain")]),
        ] {
            assert_eq!(status(method, path, headers), Some(expected), "{method} {headers:?}");
        }
    }

    #[test]
    fn tokens_are_long_and_different() {
        let tokens = [new_token(), new_token()].map(|token| token.expect("randomness"));
        assert_eq!(tokens[0].len(), 32);
        assert_ne!(tokens[0], tokens[1]);
    }
}

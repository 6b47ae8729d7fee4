//! Requests and responses.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use perft_core::{Counter, positions};
use perft_lab::System;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::engine::{EngineConfig, EngineSlot};
use super::guard::{self, Refusal};
use super::jobs::{Events, Lane, ResponseBody};
use super::{MAX_DEPTH, divide, engine, files, magics, overlays, position};

/// Bytes of the body of a request: a pasted divide has some thousand.
const MAX_BODY: usize = 64 << 10;

/// Time for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Counts at a time. Each uses all threads; the second is for another page.
const COUNTS_AT_A_TIME: usize = 2;

/// The state of the server.
pub struct State {
    token: String,
    port: u16,
    pub counter: Counter,
    pub engine: Option<EngineSlot>,
    counts: Lane,
    queries: Lane,
    searches: Lane,
}

impl State {
    pub fn new(token: String, port: u16, counter: Counter, engine: Option<EngineConfig>) -> Self {
        let engine = engine.map(EngineSlot::new);
        let (counts, queries) = (Lane::new(COUNTS_AT_A_TIME), Lane::new(1));
        Self { token, port, counter, engine, counts, queries, searches: Lane::new(1) }
    }

    /// Ends the engine.
    pub fn end(&self) {
        if let Some(engine) = &self.engine {
            engine.end();
        }
    }
}

/// The response to a request.
pub async fn respond(state: Arc<State>, request: Request<Incoming>) -> Response<ResponseBody> {
    let mut response = match guard::check(&request, state.port, &state.token) {
        Err(Refusal(status, reason)) => error(status, reason),
        Ok(()) if request.uri().path().starts_with("/api/") => call(state, request).await,
        Ok(()) => file(request.uri().path()),
    };
    guard::protect(response.headers_mut());
    response
}

fn file(path: &str) -> Response<ResponseBody> {
    match files::find(path) {
        Some((kind, content)) => response(
            StatusCode::OK,
            kind,
            ResponseBody::Whole(Bytes::from_static(content.as_bytes())),
        ),
        None => error(StatusCode::NOT_FOUND, "no such file"),
    }
}

/// Reads the body and calls a function of the API.
async fn call(state: Arc<State>, request: Request<Incoming>) -> Response<ResponseBody> {
    let path = request.uri().path().to_owned();
    let body = Limited::new(request.into_body(), MAX_BODY).collect();
    let Ok(body) = tokio::time::timeout(BODY_TIME, body).await else {
        return error(StatusCode::REQUEST_TIMEOUT, "the request is not complete");
    };
    let Ok(body) = body else {
        return error(StatusCode::PAYLOAD_TOO_LARGE, "the request is too long");
    };
    let body = body.to_bytes();
    match path.strip_prefix("/api/").unwrap_or_default() {
        "session" => whole(session(&state)),
        "position" => value(&body, position::show),
        "overlays" => value(&body, overlays::show),
        "magics" => value(&body, magics::show),
        "magics/check" => value(&body, magics::check),
        "magics/find" => job(state, &body, Work::Search, magics::find),
        "divide" => job(state, &body, Work::Count, divide::run),
        "paste" => job(state, &body, Work::Count, divide::paste),
        "engine/divide" => job(state, &body, Work::Engine, engine::divide),
        "engine/find" => job(state, &body, Work::Engine, engine::find),
        "engine/hunt" => job(state, &body, Work::Engine, engine::hunt),
        "engine/suite" => job(state, &body, Work::Engine, engine::suite),
        _ => error(StatusCode::NOT_FOUND, "no such function"),
    }
}

/// Facts that do not change.
fn session(state: &State) -> Value {
    let names = positions::NAMED.iter();
    let names: Vec<Value> = names
        .map(|named| json!({ "name": named.name, "fen": named.fen, "about": named.about }))
        .collect();
    let systems =
        System::ALL.map(|system| json!({ "name": system.name(), "about": system.about() }));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "engine": state.engine.as_ref().map(|engine| engine.name()),
        "max_depth": MAX_DEPTH,
        "positions": names,
        "systems": systems,
    })
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| format!("bad request: {error}"))
}

/// A function that responds at once.
fn value<T: DeserializeOwned>(
    body: &[u8],
    function: fn(T) -> Result<Value, String>,
) -> Response<ResponseBody> {
    match read(body).and_then(function) {
        Ok(value) => whole(value),
        Err(message) => error(StatusCode::BAD_REQUEST, &message),
    }
}

enum Work {
    Count,
    Engine,
    Search,
}

/// A function that responds with a stream of events.
fn job<T: DeserializeOwned + Send + 'static>(
    state: Arc<State>,
    body: &[u8],
    work: Work,
    function: fn(T, &State, &Events) -> Result<(), String>,
) -> Response<ResponseBody> {
    let request = match read(body) {
        Ok(request) => request,
        Err(message) => return error(StatusCode::BAD_REQUEST, &message),
    };
    let of_job = Arc::clone(&state);
    let lane = match work {
        Work::Count => &state.counts,
        Work::Engine => &state.queries,
        Work::Search => &state.searches,
    };
    let parent = state.counter.cancel_token();
    match lane.run(parent, move |events| function(request, &of_job, events)) {
        Some(body) => response(StatusCode::OK, "application/x-ndjson", body),
        None => error(StatusCode::SERVICE_UNAVAILABLE, "busy: too many requests are waiting"),
    }
}

fn whole(value: Value) -> Response<ResponseBody> {
    let body = ResponseBody::Whole(Bytes::from(value.to_string()));
    response(StatusCode::OK, "application/json", body)
}

fn error(status: StatusCode, message: &str) -> Response<ResponseBody> {
    let body = Bytes::from(json!({ "error": message }).to_string());
    response(status, "application/json", ResponseBody::Whole(body))
}

fn response(status: StatusCode, kind: &'static str, body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

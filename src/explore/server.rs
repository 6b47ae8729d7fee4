//! Accepting connections.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::api::{self, State};
use super::{Config, guard};

/// Connections at a time. A browser opens six.
const MAX_CONNECTIONS: usize = 64;

/// Time for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Bytes of the head of a request.
const MAX_HEAD: usize = 16 << 10;

/// The interval at which the end of the program is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Time for work to notice that it is cancelled.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// Serves until the counter's token is cancelled. `on_ready` is called with the address, whose
/// fragment has the token.
///
/// # Errors
/// If the port is taken, or there is no randomness for a token.
pub fn serve(config: Config, on_ready: impl FnOnce(&str)) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(run(config, on_ready));
    runtime.shutdown_timeout(SHUTDOWN_GRACE);
    result
}

async fn run(config: Config, on_ready: impl FnOnce(&str)) -> io::Result<()> {
    let Config { port, query, engine, counter } = config;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let port = listener.local_addr()?.port();
    let token = guard::new_token()?;
    let separator = if query.is_empty() { "" } else { "?" };
    on_ready(&format!("http://127.0.0.1:{port}/{separator}{query}#token={token}"));
    let cancel = counter.cancel_token().clone();
    let state = Arc::new(State::new(token, port, counter, engine));
    let accepting = tokio::spawn(accept(listener, Arc::clone(&state)));
    while !cancel.is_cancelled() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    accepting.abort();
    state.end();
    Ok(())
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors: wait for some to be closed.
            tokio::time::sleep(POLL_INTERVAL).await;
            continue;
        };
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let state = Arc::clone(&state);
                async move { Ok::<_, Infallible>(api::respond(state, request).await) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            // Errors are those of one connection.
            _ = connection.await;
            drop(permit);
        });
    }
}

//! `perft explore`: a page and its server, on this machine only.
//!
//! - [`server`] accepts connections; [`guard`] refuses requests of other pages and other users, and
//!   sets the headers that keep the page to itself;
//! - [`api`] dispatches requests; [`jobs`] runs long work beside the server, as a stream of events
//!   that ends when its page goes away;
//! - [`position`], [`divide`], [`engine`], [`overlays`] and [`magics`] compute what the page shows.
//!   The page computes nothing about chess: [`files`] lists its files, in `page/`. `main.js` there
//!   lists its views, each a module of its own.

mod api;
mod divide;
mod engine;
mod files;
mod guard;
mod jobs;
mod magics;
mod overlays;
mod position;
mod server;

pub use engine::EngineConfig;
pub use server::serve;

use perft_core::Counter;

/// The configuration of a server.
pub struct Config {
    /// The port, 0 for a free one.
    pub port: u16,
    /// The query of the first address: what the page shows.
    pub query: String,
    /// The engine beside which the page shows its counts.
    pub engine: Option<EngineConfig>,
    /// Counts. Its token ends the server.
    pub counter: Counter,
}

/// The greatest depth that a page may ask for.
pub const MAX_DEPTH: perft_core::Depth = 12;

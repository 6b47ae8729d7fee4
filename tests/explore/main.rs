//! `perft explore`: its API by requests, and its page in a browser.

mod api;
mod browser;
#[allow(dead_code)]
#[path = "../program/driver.rs"]
mod driver;
mod page;
mod server;

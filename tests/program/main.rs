//! The binary, run as users run it. One test program, since each takes time to link.

mod cli;
mod compare;
mod docs;
mod driver;
mod hostile;
#[path = "../oracles/mod.rs"]
mod oracles;
mod plan;
mod suites;

//! The binary, driven as a user would drive it. One test program for all of it, since each takes
//! its time to link.

mod cli;
mod compare;
mod driver;
mod hostile;
#[path = "../oracles/mod.rs"]
mod oracles;
mod plan;
mod readme;

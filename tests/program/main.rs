//! The binary, run as users run it. One test program, since each takes time to link.

mod bugs;
mod check;
mod cli;
mod docs;
mod driver;
mod engines;
#[path = "../faulty_engine/faults.rs"]
mod faults;
mod hostile;
mod plan;
mod suites;
mod unique;
mod verdicts;
mod xml;

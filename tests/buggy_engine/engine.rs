//! A UCI engine of its own, with a bug of one's choice: it shares no code with `perft`, and its
//! bugs are those of engines, not rules left out.
//!
//! ```console
//! $ cargo build --release --example buggy_engine
//! $ perft check "target/release/examples/buggy_engine --bug unmake-ep"
//! ```
//!
//! `--list` lists the bugs, with queries that show those that are hard to see: see [`bugs`]. `--table` counts with a table also without a bug that
//! needs one. `--census PERFT` runs `PERFT check` on the bugs and counts the verdicts: see
//! [`census`].

mod board;
mod bugs;
mod census;
mod generate;
mod perft;
mod play;
mod uci;

use std::process::ExitCode;

use bugs::Entry;

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: Vec<String>) -> Result<(), Box<dyn std::error::Error>> {
    let mut bugs = Vec::new();
    let mut with_table = false;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bug" => {
                let name = arguments.next().ok_or("--bug wants a name; see --list")?;
                let found = Entry::all().into_iter().find(|entry| entry.name == name);
                bugs = found.ok_or(format!("no bug {name:?}; see --list"))?.bugs;
            }
            "--table" => with_table = true,
            "--list" => {
                for entry in Entry::all() {
                    let Entry { name, class, truth, queries, .. } = entry;
                    println!("{name}\t{class:?}\t{truth}\t{queries}");
                }
                return Ok(());
            }
            "--census" => return census::run(arguments.collect()),
            _ => return Err(format!("unknown argument {argument:?}").into()),
        }
    }
    Ok(uci::Engine::new(&bugs, with_table).serve()?)
}

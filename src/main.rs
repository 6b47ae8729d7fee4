//! The `perft` program.

fn main() -> std::process::ExitCode {
    perft_cli::main()
}

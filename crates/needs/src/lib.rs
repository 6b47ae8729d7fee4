//! `#[needs(stockfish)]` above `#[test]`: where Stockfish is missing when the test is compiled, the
//! test is listed as "ignored, needs Stockfish". With `PERFT_REQUIRE_TOOLS` set, as in `.ci/run`, it
//! does not compile.

use std::process::Command;

use proc_macro::TokenStream;

/// Ignores the test below where one of the named programs is missing.
#[proc_macro_attribute]
pub fn needs(programs: TokenStream, test: TokenStream) -> TokenStream {
    let programs = programs.to_string();
    let mut missing = Vec::new();
    for name in programs.split(',').map(str::trim) {
        let (title, found) = match name {
            "axe" => ("axe-core, named by PERFT_AXE", std::env::var_os("PERFT_AXE").is_some()),
            "chromium" => ("Chromium and its driver", has("chromium") && has("chromedriver")),
            "cpp" => ("a C++ compiler", has("c++")),
            "parallel" => ("GNU parallel", is_gnu_parallel()),
            "stockfish" => ("Stockfish", has("stockfish") || has("/usr/games/stockfish")),
            _ => return error(&format!("what is {name:?}?")),
        };
        if !found {
            missing.push(title);
        }
    }
    if !test.to_string().contains("#[test]") {
        return error("#[needs] stands above #[test]");
    }
    let reason = format!("needs {}", missing.join(" and "));
    let ignore = match () {
        () if missing.is_empty() => String::new(),
        () if std::env::var_os("PERFT_REQUIRE_TOOLS").is_some() => return error(&reason),
        () => format!("#[ignore = {reason:?}]"),
    };
    // The test is compiled again when these change.
    let used = r#"const _: [Option<&str>; 2] = [option_env!("PERFT_AXE"), option_env!("PERFT_REQUIRE_TOOLS")];"#;
    let before: TokenStream = format!("{used} {ignore}").parse().expect("it is Rust");
    before.into_iter().chain(test).collect()
}

/// Whether the program is on the path.
fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Debian has another program of that name.
fn is_gnu_parallel() -> bool {
    let output = Command::new("parallel").arg("--version").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"GNU parallel"))
}

fn error(message: &str) -> TokenStream {
    format!("compile_error!({message:?});").parse().expect("it is Rust")
}

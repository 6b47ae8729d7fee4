//! `#[needs(stockfish)]` above `#[test]`: where Stockfish is missing when the test is compiled, the
//! test is listed as "ignored, needs Stockfish". With `PERFT_REQUIRE_TOOLS` set, as in `.ci/run`, it
//! does not compile; with `PERFT_REQUIRE_AVX512`, neither do those that need AVX-512.

use std::process::Command;

use proc_macro::TokenStream;

const TOOLS: &str = "PERFT_REQUIRE_TOOLS";
const AVX512: &str = "PERFT_REQUIRE_AVX512";

/// Ignores the test below where one of the named programs, or AVX-512, is missing.
#[proc_macro_attribute]
pub fn needs(programs: TokenStream, test: TokenStream) -> TokenStream {
    let programs = programs.to_string();
    let (mut missing, mut is_required) = (Vec::new(), false);
    for name in programs.split(',').map(str::trim) {
        let (title, is_found) = match name {
            "avx512" => ("AVX-512", has_avx512()),
            "axe" => ("axe-core, named by PERFT_AXE", std::env::var_os("PERFT_AXE").is_some()),
            "chromium" => ("Chromium and its driver", has("chromium") && has("chromedriver")),
            "cpp" => ("a C++ compiler", has("c++")),
            "parallel" => ("GNU parallel", is_gnu_parallel()),
            "stockfish" => ("Stockfish", has("stockfish") || has("/usr/games/stockfish")),
            _ => return error(&format!("what is {name:?}?")),
        };
        if !is_found {
            missing.push(title);
            is_required |=
                std::env::var_os(if name == "avx512" { AVX512 } else { TOOLS }).is_some();
        }
    }
    if !test.to_string().contains("#[test]") {
        return error("#[needs] stands above #[test]");
    }
    let reason = format!("needs {}", missing.join(" and "));
    let ignore = match () {
        () if missing.is_empty() => String::new(),
        () if is_required => return error(&reason),
        () => format!("#[ignore = {reason:?}]"),
    };
    // The test is compiled again when these change.
    let used = ["PERFT_AXE", TOOLS, AVX512].map(|name| format!("option_env!({name:?})")).join(", ");
    let used = format!("const _: [Option<&str>; 3] = [{used}];");
    let before: TokenStream = format!("{used} {ignore}").parse().expect("it is Rust");
    before.into_iter().chain(test).collect()
}

/// Whether the program is on the path.
fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Whether this CPU has what perft's level `avx512` needs.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl")
            && has!("avx512vbmi2")
            && has!("avx512vpopcntdq")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Debian has another program of that name.
fn is_gnu_parallel() -> bool {
    let output = Command::new("parallel").arg("--version").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"GNU parallel"))
}

fn error(message: &str) -> TokenStream {
    format!("compile_error!({message:?});").parse().expect("it is Rust")
}

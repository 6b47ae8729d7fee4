//! Holds the layers: reads every path in `src` and refuses those that lead to a higher layer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first: their modules, each with the modules of its own layer that it may use.
/// Modules of lower layers may always be used. The documentation of `src/lib.rs` describes them.
const LAYERS: [&[(&str, &[&str])]; 6] = [
    &[("types", &[]), ("random", &["types"]), ("sys", &["types", "random"])],
    &[("attacks", &[])],
    &[
        ("board", &[]),
        ("movegen", &["board"]),
        ("notation", &["board", "movegen"]),
        ("positions", &["board", "movegen", "notation"]),
    ],
    &[("perft", &[])],
    &[
        ("bench", &[]),
        ("suite", &[]),
        ("uci", &[]),
        ("rules", &[]),
        ("compare", &["suite", "uci", "rules"]),
        ("plan", &["uci"]),
        ("lab", &[]),
    ],
    &[("explore", &[]), ("cli", &["explore"])],
];

fn modules() -> impl Iterator<Item = &'static str> {
    LAYERS.into_iter().flatten().map(|&(module, _)| module)
}

/// The modules that a module may use, itself included.
fn allowed(user: &str) -> Vec<&'static str> {
    let mut allowed = Vec::new();
    for layer in LAYERS {
        if let Some((module, beside)) = layer.iter().find(|(module, _)| *module == user) {
            allowed.extend(beside.iter().chain([module]));
            return allowed;
        }
        allowed.extend(layer.iter().map(|(module, _)| module));
    }
    panic!("{user} is not in LAYERS");
}

/// A word or a punctuation mark. Comments and literals are not tokens.
#[derive(Clone, Debug)]
struct Token {
    text: String,
    line: usize,
}

fn tokens(source: &str) -> Vec<Token> {
    let letters: Vec<char> = source.chars().collect();
    let (mut tokens, mut line, mut rest) = (Vec::new(), 1, &letters[..]);
    while !rest.is_empty() {
        let (length, is_token) = first_token(rest);
        let (token, after) = rest.split_at(length.clamp(1, rest.len()));
        if is_token {
            tokens.push(Token { text: token.iter().collect(), line });
        }
        line += token.iter().filter(|&&letter| letter == '\n').count();
        rest = after;
    }
    tokens
}

/// The length of the first token, comment, literal or blank, and whether it is a token.
fn first_token(rest: &[char]) -> (usize, bool) {
    let until = |from: usize, end: &str| {
        let end: Vec<char> = end.chars().collect();
        let place = rest[from..].windows(end.len()).position(|part| part == end);
        place.map_or(rest.len(), |place| from + place + end.len())
    };
    match rest {
        ['/', '/', ..] => (until(2, "\n"), false),
        ['/', '*', ..] => {
            let (mut end, mut depth) = (2, 1);
            while depth > 0 && end < rest.len() {
                let step = match rest[end..] {
                    ['/', '*', ..] => 1,
                    ['*', '/', ..] => -1,
                    _ => 0,
                };
                depth += step;
                end += if step == 0 { 1 } else { 2 };
            }
            (end, false)
        }
        ['"', ..] => {
            let mut end = 1;
            while end < rest.len() && rest[end] != '"' {
                end += if rest[end] == '\\' { 2 } else { 1 };
            }
            (end + 1, false)
        }
        ['\'', '\\', _, ..] => (until(3, "'"), false),
        ['\'', _, '\'', ..] => (3, false),
        // A lifetime.
        ['\'', ..] => (1, false),
        [':', ':', ..] => (2, true),
        [letter, ..] if letter.is_whitespace() => (1, false),
        [letter, ..] if is_word(*letter) => {
            let end = rest.iter().position(|&letter| !is_word(letter)).unwrap_or(rest.len());
            let hashes = rest[end..].iter().take_while(|&&letter| letter == '#').count();
            let is_raw = matches!(rest[..end], ['r'] | ['b' | 'c', 'r']);
            if is_raw && rest.get(end + hashes) == Some(&'"') {
                let quote = format!("\"{}", "#".repeat(hashes));
                return (until(end + hashes + 1, &quote), false);
            }
            (end, true)
        }
        _ => (1, true),
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| &token.text)
}

/// The place after the bracket that closes the one at `open`.
fn closed(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for at in open..tokens.len() {
        match text(tokens, at) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The tokens without the items that are compiled for tests only, and the names of the files among
/// them: `#[cfg(test)] mod name;`.
fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut test_files, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        let is_inner = text(tokens, at + 1) == "!";
        let bracket = at + 1 + usize::from(is_inner);
        if text(tokens, at) != "#" || text(tokens, bracket) != "[" {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let end = closed(tokens, bracket);
        if !is_cfg_test(&tokens[bracket + 1..end - 1]) {
            kept.extend_from_slice(&tokens[at..end]);
            at = end;
            continue;
        }
        if is_inner {
            return (Vec::new(), Vec::new());
        }
        let mut item = end;
        while text(tokens, item) == "#" {
            item = closed(tokens, item + 1);
        }
        at = item_end(tokens, item);
        if let [.., module, name, semicolon] = &tokens[item..at]
            && module.text == "mod"
            && semicolon.text == ";"
        {
            test_files.push(name.text.clone());
        }
    }
    (kept, test_files)
}

/// Whether an attribute is `cfg(test)`, `cfg(doctest)` or `cfg(all(..., test, ...))`.
fn is_cfg_test(attribute: &[Token]) -> bool {
    let texts: Vec<&str> = attribute.iter().map(|token| &*token.text).collect();
    let ["cfg", "(", condition @ .., ")"] = &texts[..] else { return false };
    let conditions = match condition {
        ["all", "(", all @ .., ")"] => all,
        one => one,
    };
    let mut depth = 0;
    conditions.iter().enumerate().any(|(at, &text)| {
        depth += i32::from(text == "(") - i32::from(text == ")");
        depth == 0 && conditions.get(at + 1) != Some(&"(") && matches!(text, "test" | "doctest")
    })
}

/// The place after the item, field, statement or match arm at `start`.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let is_modifier = |text: &str| matches!(text, "pub" | "unsafe" | "async" | "extern");
    let mut first = start;
    while is_modifier(text(tokens, first)) || text(tokens, first) == "(" {
        first = if text(tokens, first) == "(" { closed(tokens, first) } else { first + 1 };
    }
    let ends_with_semicolon = match text(tokens, first) {
        "const" => text(tokens, first + 1) != "fn",
        keyword => matches!(keyword, "use" | "static" | "type" | "let"),
    };
    let keywords =
        ["const", "mod", "fn", "impl", "struct", "enum", "trait", "union", "macro_rules"];
    let ends_with_comma = !ends_with_semicolon && !keywords.contains(&text(tokens, first));
    let mut at = first;
    while at < tokens.len() {
        match text(tokens, at) {
            ";" => return at + 1,
            "," if ends_with_comma => return at + 1,
            ")" | "]" | "}" => return at,
            "{" if !ends_with_semicolon => return closed(tokens, at),
            "(" | "[" | "{" => at = closed(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// A path as it is written, with the groups of `use` taken apart.
#[derive(Clone, Debug, Default)]
struct UsedPath {
    segments: Vec<String>,
    alias: Option<String>,
    line: usize,
}

/// Reads a path or a tree of `use`; returns the place after it.
fn read_tree(
    tokens: &[Token],
    mut at: usize,
    prefix: &UsedPath,
    paths: &mut Vec<UsedPath>,
) -> usize {
    let mut path = prefix.clone();
    loop {
        path.line = tokens.get(at).map_or(path.line, |token| token.line);
        if text(tokens, at) == "{" {
            at += 1;
            while at < tokens.len() && text(tokens, at) != "}" {
                at = read_tree(tokens, at, &path, paths);
                at += usize::from(text(tokens, at) == ",");
            }
            return at + 1;
        }
        path.segments.push(text(tokens, at).to_owned());
        at += 1;
        let goes_on = |text: &str| text == "{" || text == "*" || text.starts_with(is_word);
        if text(tokens, at) != "::" || !goes_on(text(tokens, at + 1)) {
            break;
        }
        at += 1;
    }
    if text(tokens, at) == "as" {
        path.alias = Some(text(tokens, at + 1).to_owned());
        at += 2;
    }
    paths.push(path);
    at
}

/// A path from the root of the crate.
struct Resolved {
    path: Vec<String>,
    written: String,
    line: usize,
}

/// The paths that start with `crate`, `super`, `self` or, in the program, `perft`.
fn resolved_paths(tokens: &[Token], file_module: &[String]) -> Vec<Resolved> {
    let is_program = file_module.first().is_some_and(|module| module == "cli");
    let is_root = |text: &str| text == "crate" || is_program && text == "perft";
    let mut found = Vec::new();
    // For each open brace, the inline module that it is the body of.
    let mut braces: Vec<Option<String>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match text(tokens, at) {
            "pub" if text(tokens, at + 1) == "(" => at = closed(tokens, at + 1),
            "{" => {
                let is_module = at >= 2 && text(tokens, at - 2) == "mod";
                braces.push(is_module.then(|| tokens[at - 1].text.clone()));
                at += 1;
            }
            "}" => {
                braces.pop();
                at += 1;
            }
            start
                if (is_root(start) || matches!(start, "super" | "self"))
                    && (at == 0 || text(tokens, at - 1) != "::")
                    && matches!(text(tokens, at + 1), "::" | "as") =>
            {
                let inline = braces.iter().flatten().cloned();
                let module: Vec<String> = file_module.iter().cloned().chain(inline).collect();
                let mut paths = Vec::new();
                at = read_tree(tokens, at, &UsedPath::default(), &mut paths);
                for UsedPath { segments, line, .. } in paths {
                    let mut path = if is_root(&segments[0]) { Vec::new() } else { module.clone() };
                    for (place, segment) in segments.iter().enumerate() {
                        match segment.as_str() {
                            "super" => _ = path.pop(),
                            "self" | "*" => {}
                            root if place == 0 && is_root(root) => {}
                            name => path.push(name.to_owned()),
                        }
                    }
                    found.push(Resolved { path, written: segments.join("::"), line });
                }
            }
            _ => at += 1,
        }
    }
    found
}

/// The names that `src/lib.rs` exports from modules.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let (tokens, _) = without_tests(&tokens(lib));
    let mut paths = Vec::new();
    for at in 0..tokens.len() {
        if text(&tokens, at) == "use" {
            read_tree(&tokens, at + 1, &UsedPath::default(), &mut paths);
        }
    }
    let named = paths.into_iter().map(|UsedPath { segments, alias, .. }| {
        let last = segments.iter().rev().find(|&segment| segment != "self").cloned();
        (alias.or(last).unwrap_or_default(), segments[0].clone())
    });
    named.collect()
}

/// The forbidden uses in a file, a message for each.
fn forbidden(
    file: &str,
    source: &str,
    module: &[String],
    exports: &BTreeMap<String, String>,
) -> Vec<String> {
    let Some(user) = module.first() else { return Vec::new() };
    let allowed = allowed(user);
    let (tokens, _) = without_tests(&tokens(source));
    let message = |Resolved { path, written, line }: Resolved| {
        let name = path.first().map_or("", |name| name);
        let used = exports.get(name).map_or(name, |module| module);
        let rule = match used {
            "" => "a use of the root hides what is used".to_owned(),
            used if allowed.contains(&used) => return None,
            used if modules().any(|module| module == used) => {
                format!("{user} may not use {used}, only {}", allowed.join(", "))
            }
            _ => "neither a module nor a name that src/lib.rs exports".to_owned(),
        };
        Some(format!("{file}:{line}: {written}: {rule} (LAYERS in tests/layers.rs)"))
    };
    resolved_paths(&tokens, module).into_iter().filter_map(message).collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every source file below a directory, in the order of their names.
fn source_files(dir: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The module of a file of `src`: `["perft", "walk"]` for `perft/walk.rs`, none for a root.
fn module_of(file: &Path) -> Vec<String> {
    let names = file.with_extension("");
    let names = names.iter().map(|name| name.to_str().expect("a name in UTF-8").to_owned());
    let mut module: Vec<String> = names.collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

#[test]
fn every_module_uses_lower_layers_only() {
    let src = root().join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    assert!(files.len() > 80, "{} files", files.len());
    let sources: Vec<(PathBuf, String)> = files
        .iter()
        .map(|file| (file.strip_prefix(&src).expect("it is below src").to_owned(), read(file)))
        .collect();
    let mut test_modules: Vec<Vec<String>> = Vec::new();
    for (file, source) in &sources {
        let (_, names) = without_tests(&tokens(source));
        let module = module_of(file);
        test_modules.extend(names.into_iter().map(|name| [&module[..], &[name]].concat()));
    }
    let exports = exports(&read(&src.join("lib.rs")));
    let mut messages = Vec::new();
    for (file, source) in &sources {
        let module = module_of(file);
        if !test_modules.iter().any(|tests| module.starts_with(tests)) {
            let name = format!("src/{}", file.display());
            messages.extend(forbidden(&name, source, &module, &exports));
        }
    }
    assert!(messages.is_empty(), "\n{}\n", messages.join("\n"));
}

#[test]
fn every_module_has_a_layer() {
    let declared = |file: &str| -> BTreeSet<String> {
        let (tokens, _) = without_tests(&tokens(&read(&root().join(file))));
        let is_module = |at: &usize| text(&tokens, *at) == "mod";
        (0..tokens.len()).filter(is_module).map(|at| tokens[at + 1].text.clone()).collect()
    };
    let declared: BTreeSet<String> = &declared("src/lib.rs") | &declared("src/main.rs");
    assert_eq!(declared, modules().map(str::to_owned).collect());
}

/// A module may use modules before it only, so there can be no cycle.
#[test]
fn layers_have_no_cycles() {
    let mut before: Vec<&str> = Vec::new();
    for &(module, beside) in LAYERS.into_iter().flatten() {
        assert!(beside.iter().all(|used| before.contains(used)), "{module} uses {beside:?}");
        assert!(!before.contains(&module), "{module} stands there twice");
        before.push(module);
    }
}

#[test]
fn the_documentation_has_the_same_layers() {
    let lib = read(&root().join("src/lib.rs"));
    let rows: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("//! | ")).skip(1).collect();
    let library = &LAYERS[..LAYERS.len() - 1];
    assert_eq!(rows.len(), library.len(), "{rows:?}");
    for (row, layer) in rows.iter().zip(library) {
        for (module, _) in *layer {
            assert!(row.contains(&format!("`{module}`")), "{module} is not in {row:?}");
        }
    }
}

/// The messages for a file of the module `uci::output`.
fn in_uci(source: &str) -> Vec<String> {
    let exports = exports("pub use board::{Board, fen::FenError as Bad};\npub use plan::Plan;");
    forbidden("x.rs", source, &["uci".to_owned(), "output".to_owned()], &exports)
}

#[test]
fn forbidden_paths_are_found() {
    for (source, line, written) in [
        ("use crate::plan;", 1, "crate::plan"),
        ("\nuse crate::plan::lines::Header;", 2, "crate::plan::lines::Header"),
        ("use crate::{board, plan};", 1, "crate::plan"),
        (
            "use crate::{\n    board::{Board, fen},\n    plan::{\n        Plan,\n    },\n};",
            4,
            "crate::plan::Plan",
        ),
        ("use {crate::board, crate::plan as other};", 1, "crate::plan"),
        ("use super::super::plan::Plan;", 1, "super::super::plan::Plan"),
        ("use super::{super::plan, output};", 1, "super::super::plan"),
        ("use self::super::super::plan;", 1, "self::super::super::plan"),
        ("mod inner { use super::super::super::plan; }", 1, "super::super::super::plan"),
        ("fn f() -> crate::plan::Plan { g() }", 1, "crate::plan::Plan"),
        ("fn f() { let x = crate::plan::work::<u8>(); }", 1, "crate::plan::work"),
        ("fn f(x: &'static str, y: char) { g('\"', '\\'', crate::plan::X) }", 1, "crate::plan::X"),
        ("macro_rules! m { () => { $crate::plan::X } }", 1, "crate::plan::X"),
        ("use crate::Plan;", 1, "crate::Plan"),
        ("use crate::cli;", 1, "crate::cli"),
        ("use crate as perft;", 1, "crate"),
        ("use crate::*;", 1, "crate::*"),
        ("use crate::nowhere;", 1, "crate::nowhere"),
        ("#[cfg(not(test))]\nuse crate::plan;", 2, "crate::plan"),
        ("#[cfg(any(test, unix))] mod a { use crate::plan; }", 1, "crate::plan"),
        ("#[cfg(test)]\nmod tests { fn f() {} }\nuse crate::plan;", 3, "crate::plan"),
        ("#[cfg(test)]\nmod tests;\nuse crate::plan;", 3, "crate::plan"),
        ("#[cfg(test)] fn f<A, B>() {} fn g() { crate::plan::x() }", 1, "crate::plan::x"),
        ("struct S { #[cfg(test)] a: u8, b: crate::plan::X }", 1, "crate::plan::X"),
        ("const X: &str = r#\"\"#; use crate::plan;", 1, "crate::plan"),
        ("#[error(\"{}\", crate::plan::X)] struct S;", 1, "crate::plan::X"),
    ] {
        let messages = in_uci(source);
        assert_eq!(messages.len(), 1, "{source}: {messages:?}");
        let start = format!("x.rs:{line}: {written}: ");
        assert!(messages[0].starts_with(&start), "{source}: {}", messages[0]);
    }
    let message = &in_uci("use crate::plan;")[0];
    assert!(message.contains("uci may not use plan, only types, random"), "{message}");
}

#[test]
fn other_paths_are_allowed() {
    for source in [
        "use crate::{board::Board, perft::{self, Counter}, uci};",
        "use crate::{Board, Bad as Error};",
        "use super::{Line, super::board::Board};",
        "use super::*;",
        "pub(crate) fn f() -> Self { Self(self.0) }",
        "pub(in crate::uci) struct S;",
        "// use crate::plan;\n/* crate::plan::x() /* */ crate::plan */",
        "//! [`x`](crate::plan)\n/// ```\n/// use crate::plan;\n/// ```\nfn f() {}",
        "const X: &str = \"crate::plan \\\" crate::plan\";",
        "const X: &str = r##\"use crate::plan; \"# crate::plan\"##;",
        "#[cfg(test)]\nmod tests { use crate::plan; mod more { use crate::plan; } }",
        "#[cfg(test)]\n#[allow(unused)]\npub(crate) use crate::{plan, plan::Plan};",
        "#[cfg(all(test, feature = \"json\"))]\nfn f() -> crate::plan::Plan { crate::plan::f() }",
        "#![cfg(test)]\nuse crate::plan;",
        "impl Trait for S { #[cfg(test)] fn f() { crate::plan::f() } fn g() {} }",
    ] {
        assert_eq!(in_uci(source), [""; 0], "{source}");
    }
}

#[test]
fn the_program_may_use_the_whole_library() {
    let cli = ["cli".to_owned(), "plan".to_owned()];
    let check = |source| forbidden("x.rs", source, &cli, &exports("pub use perft::perft;"));
    let allowed = "use perft::{lab, plan::Plan, perft};\nuse super::{args, super::cli};";
    assert_eq!(check(allowed), [""; 0]);
    assert_eq!(check("fn f() { perft::nowhere::f() }").len(), 1);
}

//! The files of the page, which are part of the program.

/// Names and contents of files in `page/`.
macro_rules! files {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("page/", $name)))),*] };
}

const FILES: &[(&str, &str)] = files![
    "index.html",
    "style.css",
    "icon.svg",
    "backend.js",
    "board.js",
    "bugs.js",
    "dom.js",
    "engine.js",
    "jobs.js",
    "magics.js",
    "main.js",
    "overlays.js",
    "position.js",
    "squares.js",
    "state.js",
    "walk.js",
];

/// The type and the content of the file at a path.
pub fn find(path: &str) -> Option<(&'static str, &'static str)> {
    let path = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    let &(name, content) = FILES.iter().find(|(name, _)| *name == path)?;
    let kind = match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    Some((kind, content))
}

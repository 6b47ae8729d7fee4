//! The API by raw requests: right results, and refusals.

use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::{faulty_engine, interrupt, refused, run};
use crate::server::{Server, page_files, without_e1g1};

fn kiwipete() -> Value {
    json!({ "position": "kiwipete" })
}

fn last<'a>(events: &'a [Value], name: &str) -> &'a Value {
    let event = events.iter().rev().find(|event| event["event"] == name);
    event.unwrap_or_else(|| panic!("no {name} in {events:?}"))
}

#[test]
fn a_position_has_its_moves_with_their_kinds() {
    let server = Server::start(&[]);
    let shown = server.call("position", &json!({ "position": "kiwipete", "moves": ["e1g1"] }));
    assert_eq!(shown["side"], "black");
    assert_eq!(shown["line"], json!([{ "uci": "e1g1", "san": "O-O" }]));
    assert_eq!(shown["moves"].as_array().map(Vec::len), Some(43));
    assert_eq!(shown["command"], "perft board --moves e1g1 kiwipete");
    let fen = "1r2k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6 0 1";
    let shown = server.call("position", &json!({ "position": fen }));
    let kinds = |uci: &str| {
        let moves = shown["moves"].as_array().expect("a list");
        moves.iter().find(|mv| mv["uci"] == uci).unwrap_or_else(|| panic!("no {uci}"))["kinds"]
            .clone()
    };
    assert_eq!(kinds("a7b8q"), json!(["capture", "promotion", "check"]));
    assert_eq!(kinds("e5d6"), json!(["e.p."]));
    assert_eq!(kinds("e1g1"), json!(["castling"]));
    assert_eq!(kinds("e1d1"), json!([]));
}

#[test]
fn a_divide_comes_depth_by_depth() {
    let server = Server::start(&[]);
    let events = server.events("divide", &json!({ "at": kiwipete(), "depth": 4 }));
    let totals: Vec<&Value> = events
        .iter()
        .filter(|event| event["event"] == "divide")
        .map(|event| &event["nodes"])
        .collect();
    assert_eq!(totals, ["48", "2039", "97862", "4085603"]);
    assert_eq!(last(&events, "divide")["moves"].as_array().map(Vec::len), Some(48));
    assert_eq!(events.last().expect("events")["event"], "end");
}

#[test]
fn two_pages_at_once_are_both_right() {
    let server = Server::start(&[]);
    std::thread::scope(|scope| {
        for (name, depth, nodes) in [("kiwipete", 5, "193690690"), ("startpos", 6, "119060324")] {
            let server = &server;
            scope.spawn(move || {
                let at = json!({ "position": name });
                let events = server.events("divide", &json!({ "at": at, "depth": depth }));
                assert_eq!(last(&events, "divide")["nodes"], nodes);
            });
        }
    });
}

#[test]
fn bad_input_is_named() {
    let server = Server::start(&[]);
    for (function, body, culprit) in [
        ("position", json!({ "position": "kiwipeet" }), "neither a FEN nor a named position"),
        ("position", json!({ "position": "8/8/8/8/8/8/8/8 w - - 0 1" }), "king"),
        (
            "position",
            json!({ "position": "startpos", "moves": ["e2e5"] }),
            "\"e2e5\" is not a legal move",
        ),
        ("position", json!({ "position": "startpos", "program": "sh" }), "unknown field `program`"),
        (
            "position",
            json!({ "position": "startpos", "moves": vec!["e2e4"; 1001] }),
            "more than 1000 moves",
        ),
        ("position", json!(7), "bad request"),
        (
            "magics",
            json!({ "piece": "king", "square": "a1", "system": "fancy", "occupied": [], "friends": [] }),
            "not rook or bishop",
        ),
        (
            "magics/check",
            json!({ "piece": "rook", "square": "a1", "magic": "0x1", "bits": 99, "key": "white" }),
            "index bits",
        ),
        (
            "magics/check",
            json!({ "piece": "rook", "square": "a1", "magic": "x", "bits": 12, "key": "white" }),
            "not a number",
        ),
        ("nothing", json!({}), "no such function"),
    ] {
        let response = server.post(function, &body);
        assert!((400..500).contains(&response.status), "{function} {body}: {}", response.status);
        assert!(
            response.body.contains(&culprit.replace('"', "\\\"")),
            "{culprit}: {}",
            response.body
        );
    }
    for (depth, culprit) in [(0, "not a number from 1"), (13, "not a number from 1")] {
        let events = server.events("divide", &json!({ "at": kiwipete(), "depth": depth }));
        assert!(
            last(&events, "error")["message"].as_str().is_some_and(|text| text.contains(culprit))
        );
    }
    assert_eq!(server.post("divide", &json!({ "at": kiwipete(), "depth": 1000 })).status, 400);
    let events = server.events("engine/divide", &json!({ "at": kiwipete(), "depth": 1 }));
    assert!(
        last(&events, "error")["message"].as_str().is_some_and(|text| text.contains("--engine"))
    );
}

#[test]
fn requests_of_others_are_refused() {
    let server = Server::start(&[]);
    let good = server.post_text("position", "{\"position\":\"startpos\"}");
    assert_eq!(server.raw(good.as_bytes()).status, 200);
    let port = server.port;
    for (from, to, status) in [
        (format!("X-Perft-Token: {}", server.token), "X-Perft-Token: 0".to_owned(), 401),
        (format!("X-Perft-Token: {}\r\n", server.token), String::new(), 401),
        (format!("Host: 127.0.0.1:{port}"), "Host: evil.example".to_owned(), 403),
        (format!("Host: 127.0.0.1:{port}"), format!("Host: evil.example:{port}"), 403),
        (format!("Origin: http://127.0.0.1:{port}"), "Origin: http://evil.example".to_owned(), 403),
        (format!("Origin: http://127.0.0.1:{port}"), "Origin: null".to_owned(), 403),
        ("POST".to_owned(), "GET".to_owned(), 405),
        ("POST".to_owned(), "OPTIONS".to_owned(), 405),
        ("application/json".to_owned(), "text/plain".to_owned(), 415),
        ("HTTP/1.1".to_owned(), "HTTP/9".to_owned(), 400),
    ] {
        assert!(good.contains(&from));
        let response = server.raw(good.replacen(&from, &to, 1).as_bytes());
        assert_eq!(response.status, status, "{to}: {}", response.body);
        assert!(!response.head.to_lowercase().contains("access-control"), "{}", response.head);
    }
}

#[test]
fn static_files_need_no_token_and_have_a_strict_policy() {
    let server = Server::start(&[]);
    let get = |path: &str, host: &str| server.get(path, host);
    let host = format!("127.0.0.1:{}", server.port);
    let files = page_files();
    let paths = files.iter().map(|name| format!("/{name}"));
    for path in paths.chain(["/", "/?position=kiwipete"].map(str::to_owned)) {
        let response = get(&path, &host);
        assert_eq!(response.status, 200, "{path}");
        let head = response.head.to_lowercase();
        let kind = match path.rsplit_once('.') {
            Some((_, "js")) => "text/javascript",
            Some((_, "css")) => "text/css",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/html",
        };
        assert!(head.contains(&format!("content-type: {kind}")), "{path}: {head}");
        assert!(head.contains("cache-control: no-store"), "{head}");
        assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
        assert!(!response.body.contains(&server.token));
        assert_eq!(get(&path, "evil.example").status, 403);
    }
    for path in ["/etc/passwd", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//", "/page/index.html"] {
        assert_eq!(get(path, &host).status, 404, "{path}");
    }
}

#[test]
fn long_bodies_and_heads_are_refused() {
    let server = Server::start(&[]);
    let long = json!({ "position": "x".repeat(100_000) });
    assert_eq!(server.post("position", &long).status, 413);
    let head = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX: {}\r\n\r\n",
        server.port,
        "x".repeat(100_000)
    );
    let status = server.raw(head.as_bytes()).status;
    // Hyper closes the connection of a head that does not fit, with or without a response.
    assert!([0, 400, 431].contains(&status), "{status}");
    assert_eq!(server.post("position", &kiwipete()).status, 200);
}

/// Requests that hang do not keep others waiting, and a full queue is refused.
#[test]
fn floods_are_bounded() {
    let server = Server::start(&["--threads", "1"]);
    let request = server.post_text("divide", &json!({ "at": kiwipete(), "depth": 12 }).to_string());
    let mut streams: Vec<_> = (0..18).map(|_| server.send(request.as_bytes())).collect();
    for stream in &mut streams {
        // The head of the response: the job has its place in the queue.
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("a response");
    }
    assert_eq!(server.raw(request.as_bytes()).status, 503);
    assert_eq!(server.post("position", &kiwipete()).status, 200);
    // Closing the streams cancels the counts, and there is room again.
    drop(streams);
    let start = Instant::now();
    let small = json!({ "at": kiwipete(), "depth": 2 });
    while server.post("divide", &small).status != 200 {
        assert!(start.elapsed() < Duration::from_secs(120), "the counts go on");
        std::thread::sleep(Duration::from_millis(50));
    }
    let events = server.events("divide", &small);
    assert_eq!(last(&events, "divide")["nodes"], "2039");
}

#[test]
fn the_bug_of_an_engine_is_found_and_named() {
    let engine = format!("{} --without castle-rook-captured", faulty_engine().display());
    let server = Server::start(&["--engine", &engine]);
    assert_eq!(server.call("session", &json!({}))["engine"], engine);
    let events = server.events("engine/divide", &json!({ "at": kiwipete(), "depth": 2 }));
    assert_eq!(last(&events, "engine")["equal"], true);
    let events = server.events("engine/find", &json!({ "at": kiwipete(), "depth": 4 }));
    assert!(
        events.iter().any(|event| event["event"] == "query" && event["moves"] == "e5g6 b6c8 g6h8")
    );
    let mismatch = &last(&events, "verdict")["mismatch"];
    assert_eq!(mismatch["cause"]["name"], "castle-rook-captured");
    let remarks = mismatch["cause"]["remarks"].to_string();
    assert!(remarks.contains("exactly the same mistake") && remarks.contains("Confirmed on"));
    assert_eq!(mismatch["found"]["at"]["extra"], json!(["e8g8"]));
    assert_eq!(mismatch["found"]["at"]["right_without_moves"], true);
    let pieces = |of: &Value| {
        let fen = of["at"]["fen"].as_str().expect("text").split(' ').next();
        fen.expect("pieces").chars().filter(char::is_ascii_alphabetic).count()
    };
    assert!(pieces(mismatch) < pieces(&mismatch["found"]));
    assert!(mismatch["epd"].as_str().is_some_and(|epd| epd.contains(";D1 ")));
    let events = server.events("engine/hunt", &json!({ "seconds": 60 }));
    assert_eq!(last(&events, "verdict")["mismatch"]["cause"]["name"], "castle-rook-captured");
}

#[test]
fn an_engine_that_prints_totals_only_has_a_count_for_each_move() {
    let engine =
        format!("{} --act total-only --without castle-king-side", faulty_engine().display());
    let server = Server::start(&["--engine", &engine]);
    let at = json!({ "position": "4k2r/8/8/8/8/8/8/4K3 w k - 0 1" });
    let events = server.events("engine/divide", &json!({ "at": at, "depth": 2 }));
    let shown = last(&events, "engine");
    assert_eq!((&shown["equal"], &shown["only_totals"]), (&json!(false), &json!(true)));
    assert_eq!(shown["moves"].as_array().map(Vec::len), Some(5));
    assert_eq!(shown["diff"]["counts"].as_array().map(Vec::len), Some(5));
    let events = server.events("engine/find", &json!({ "at": at, "depth": 2 }));
    let mismatch = &last(&events, "verdict")["mismatch"];
    assert!(mismatch["at"]["remarks"].to_string().contains("prints totals only"), "{mismatch}");
}

#[test]
fn the_failures_of_suites_come_with_their_positions() {
    let server = Server::start(&["--engine", &without_e1g1()]);
    let events = server.events("engine/suite", &json!({}));
    let suites: Vec<&Value> = events.iter().filter(|event| event["event"] == "suite").collect();
    assert_eq!(suites.len(), perft_compare::Suite::embedded().len());
    let wrong: u64 = suites.iter().filter_map(|suite| suite["stage"]["wrong"].as_u64()).sum();
    assert_eq!(last(&events, "end")["wrong"], wrong);
    let failure =
        suites.iter().find_map(|suite| suite["failures"].as_array()?.first()).expect("a failure");
    assert!(failure["fen"].as_str().is_some_and(|fen| fen.contains(" w ")), "{failure}");
    assert_eq!(failure["diff"]["missing"], json!(["e1g1"]));
}

/// The page can wait for a hung engine no longer than it wants to: closing the stream ends the
/// query, and the next one starts the engine again.
#[test]
fn a_closed_stream_ends_the_query_of_a_hung_engine() {
    let dir = crate::driver::TestDir::new("explore-hang");
    dir.write("engine.sh", "#!/bin/sh\necho start >> \"$0.log\"\n[ \"$1\" = 2 ] && exec sleep 600\necho a1a2: 1\necho a1b1: 1\necho a1b2: 1\n");
    let engine = format!("sh {}", dir.path("engine.sh").display());
    let server = Server::start(&["--engine", &engine, "--protocol", "script"]);
    let at = json!({ "position": "7k/8/8/8/8/8/8/K7 w - - 0 1" });
    let request = server.post_text("engine/divide", &json!({ "at": at, "depth": 2 }).to_string());
    let mut stream = server.send(request.as_bytes());
    let start = Instant::now();
    while !dir.path("engine.sh.log").exists() || dir.read("engine.sh.log").lines().count() < 2 {
        assert!(start.elapsed() < Duration::from_secs(120), "the engine does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    stream.read_exact(&mut [0]).expect("a response");
    drop(stream);
    let events = server.events("engine/divide", &json!({ "at": at, "depth": 1 }));
    assert_eq!(last(&events, "engine")["equal"], true);
}

#[test]
fn a_pasted_divide_is_compared_and_its_lines_echoed() {
    let server = Server::start(&[]);
    let at = json!({ "position": "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "moves": ["e2e4"] });
    let text = "Hello\nf4e3: 1\nh4g5: 1\n\nrubbish here\n";
    let events = server.events("paste", &json!({ "at": at, "depth": 1, "text": text }));
    let lines = last(&events, "lines")["lines"].clone();
    let meanings: Vec<&Value> =
        lines.as_array().expect("lines").iter().map(|line| &line["meaning"]).collect();
    assert_eq!(meanings, ["not understood", "move", "move", "empty", "not understood"]);
    let compared = last(&events, "compared");
    assert_eq!(compared["diff"]["extra"], json!(["f4e3"]));
    assert_eq!(compared["mismatch"]["at"]["extra"], json!(["f4e3"]));
}

#[test]
fn a_magic_is_checked_and_found() {
    let server = Server::start(&[]);
    let target = json!({ "piece": "bishop", "square": "d4", "bits": 9, "key": "white" });
    let events = server.events("magics/find", &target);
    let mut check = target.clone();
    check["magic"] = last(&events, "found")["magic"].clone();
    assert_eq!(server.call("magics/check", &check)["valid"], true);
    check["magic"] = "0x1234".into();
    let refused = server.call("magics/check", &check);
    assert_eq!(refused["valid"], false);
    let sets = &refused["collision"];
    assert_ne!(sets["attacks"][0], sets["attacks"][1]);
    for system in [
        "plain",
        "fancy",
        "shared",
        "packed",
        "black",
        "fold32",
        "lines",
        "pext",
        "hyperbola",
        "rays",
    ] {
        let body = json!({
            "piece": "rook", "square": "d4", "system": system, "occupied": ["d6", "b4"], "friends": ["b4"],
        });
        let shown = server.call("magics", &body);
        assert_eq!(shown["captures"], "0x0000080000000000", "{system}");
    }
}

#[test]
fn overlays_are_those_of_the_generator() {
    let server = Server::start(&[]);
    let at = json!({ "position": "4k3/8/8/8/4r3/8/4B3/4K2R w K - 0 1" });
    let show = ["white", "black", "special"];
    let shown = server.call("overlays", &json!({ "at": at, "show": show }));
    assert_eq!(shown["pins"][0]["pinned"], "e2");
    assert_eq!(shown["castling"][0]["rook"], "h1");
    assert_eq!(shown["check"], Value::Null);
    let command = shown["command"].as_str().expect("text");
    assert!(command.ends_with("--show 'attacks,castling'"), "{command}");
    // In a double check the king moves, and the kernel makes every move.
    let at = json!({ "position": "4k3/8/8/8/8/3n4/4r3/R3K3 w Q - 0 1" });
    let shown = server.call("overlays", &json!({ "at": at, "show": ["kernel"] }));
    assert_eq!(shown["check"], json!([]));
    assert_eq!(shown["made"], json!(["e1d1", "e1f1", "e1e2"]));
    let shown = server.call("overlays", &json!({ "at": { "position": "startpos" }, "show": [] }));
    assert_eq!(shown["made"], json!([]));
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_server_and_the_engine() {
    let dir = crate::driver::TestDir::new("explore-end");
    dir.write("engine.sh", "#!/bin/sh\necho $$ > \"$0.pid\"\nexec sleep 600\n");
    let engine = format!("sh {}", dir.path("engine.sh").display());
    let mut server = Server::start(&["--engine", &engine, "--protocol", "script"]);
    let request =
        server.post_text("engine/divide", &json!({ "at": kiwipete(), "depth": 1 }).to_string());
    let stream = server.send(request.as_bytes());
    let start = Instant::now();
    while !dir.path("engine.sh.pid").exists() || dir.read("engine.sh.pid").trim().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(120), "the engine does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = dir.read("engine.sh.pid").trim().to_owned();
    let placeholder = Command::new("true").spawn().expect("true is there");
    interrupt(std::mem::replace(&mut server.child, placeholder));
    drop(stream);
    let is_running =
        || Command::new("kill").args(["-0", &pid]).output().expect("kill").status.success();
    let start = Instant::now();
    while is_running() {
        assert!(start.elapsed() < Duration::from_secs(60), "the engine goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn links_are_opened_again_and_bad_arguments_refused() {
    let link = "http://127.0.0.1:9/?position=kiwipete&moves=e1g1&depth=4#token=0";
    let server = Server::start(&[link]);
    assert!(
        server.address.contains("/?position=kiwipete&moves=e1g1&depth=4#token="),
        "{}",
        server.address
    );
    assert_ne!(server.token, "0");
    let server = Server::start(&["kiwipete", "--depth", "5", "--moves", "O-O"]);
    assert!(
        server.address.contains("?position=kiwipete&moves=e1g1&depth=5#"),
        "{}",
        server.address
    );
    let port = server.port.to_string();
    for (arguments, culprit) in [
        (&["explore", "http://127.0.0.1/"][..], "no query"),
        (&["explore", "kiwipeet"], "did you mean kiwipete?"),
        (&["explore", "--depth", "99"], "99"),
        (&["explore", "--engine", "'"], "a quote is open"),
        (&["explore", "--option", "Hash=1"], "--engine"),
        (&["explore", "--no-open", "--port", &port], "--port takes another"),
    ] {
        refused(&run(arguments), culprit);
    }
}

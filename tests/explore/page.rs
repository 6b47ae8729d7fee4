//! The page in a real browser.

use std::fs;
use std::path::Path;

use crate::browser::{Browser, key};
use crate::driver::{faulty_engine, run, stdout};
use crate::server::{Server, page_files, without_e1g1};
use perft_needs::needs;

/// The count of the page, without separators.
fn nodes(browser: &Browser) -> String {
    browser.text("document.getElementById('nodes')?.textContent").replace(',', "")
}

#[track_caller]
fn wait_for_nodes(browser: &Browser, expected: &str) {
    browser.wait(&format!(
        "document.getElementById('nodes')?.textContent.replaceAll(',', '') === '{expected}'"
    ));
    assert_eq!(nodes(browser), expected);
}

fn faulty(rule: &str) -> String {
    format!("{} --without {rule}", faulty_engine().display())
}

#[needs(chromium)]
#[test]
fn the_tree_is_walked_back_and_forth_and_a_link_opens_it_again() {
    let browser = Browser::start("walk");
    let server = Server::start(&["kiwipete", "--depth", "4"]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    wait_for_nodes(&browser, "4085603");
    // The token is out of the address.
    assert!(!browser.text("location.href").contains("token"));
    browser.click("[data-move=e1g1]");
    browser.wait("location.search.includes('moves=e1g1')");
    wait_for_nodes(&browser, "4119629");
    // Two clicks, then a drag.
    browser.click("[data-square=a6]");
    browser.click("[data-square=e2]");
    browser.wait("location.search.includes('moves=e1g1,a6e2')");
    browser.drag("[data-square=f3]", "[data-square=e2]");
    browser.wait("location.search.includes('moves=e1g1,a6e2,f3e2')");
    assert!(browser.text("document.getElementById('line').innerText").contains("O-O"));
    browser.step_in_history(-1);
    browser.wait("location.search.endsWith('moves=e1g1,a6e2&depth=4')");
    browser.step_in_history(-1);
    wait_for_nodes(&browser, "4119629");
    browser.step_in_history(1);
    browser.wait("location.search.endsWith('moves=e1g1,a6e2&depth=4')");
    browser.wait("document.querySelectorAll('#line button').length === 3");
    browser.click("#back");
    browser.wait("document.querySelectorAll('#line button').length === 2");
    browser.click("#forward");
    browser.wait("document.querySelectorAll('#line button').length === 3");
    let link = browser.text("location.href");
    let again = Server::start(&[&link]);
    browser.open(&again.address);
    browser.wait("document.querySelectorAll('#line button').length === 3");
    assert_eq!(browser.console(), [""; 0]);
}

/// A module that no other imports, or that the server lacks, is not loaded.
#[needs(chromium)]
#[test]
fn every_file_of_the_page_is_loaded_without_an_error() {
    let browser = Browser::start("modules");
    let server = Server::start(&["startpos", "--depth", "3"]);
    browser.open(&server.address);
    wait_for_nodes(&browser, "8902");
    let loaded = browser.value(
        "performance.getEntries().map(({ name }) => new URL(name, location).pathname)\
         .filter((path) => /^.[a-z]+[.](js|css)$/.test(path)).map((path) => path.slice(1)).sort()",
    );
    let mut expected = page_files();
    expected.retain(|name| name.ends_with(".js") || name.ends_with(".css"));
    assert_eq!(loaded, serde_json::json!(expected));
    assert_eq!(browser.value("document.getElementById('alert').hidden"), true);
    assert_eq!(browser.console(), [""; 0]);
}

#[needs(chromium)]
#[test]
fn a_bad_fen_is_reported_and_a_page_without_the_token_says_so() {
    let browser = Browser::start("errors");
    let server = Server::start(&[]);
    browser.open(&server.address);
    browser.run("document.getElementById('fen').value = '8/8 w - -'; document.getElementById('setup').requestSubmit()");
    browser.wait("document.getElementById('fen-error').textContent.includes('rank')");
    let other = Server::start(&[]);
    let address = other.address.split('#').next().expect("an address");
    browser.run("sessionStorage.clear()");
    browser.run(&format!("location.href = '{address}'"));
    browser.wait("document.getElementById('alert')?.textContent.includes('token')");
}

#[needs(chromium)]
#[test]
fn the_bug_of_an_engine_is_found_by_the_button() {
    let browser = Browser::start("bug");
    let server =
        Server::start(&["kiwipete", "--depth", "4", "--engine", &faulty("castle-rook-captured")]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    browser.click("[data-view=bugs]");
    browser.click("#find");
    browser.wait("!document.getElementById('verdict').hidden");
    let verdict = browser.text("document.getElementById('verdict').innerText");
    for expected in [
        "Broken rule: castle-rook-captured",
        "The right to castle is lost when the rook is captured.",
        "e5g6 b6c8 g6h8",
        "our generator makes exactly the same mistake",
        "Confirmed on ",
        "Wrong only after these moves",
        ";id \"castle-rook-captured\"",
        "go perft 1",
    ] {
        assert!(verdict.contains(expected), "{expected}: {verdict}");
    }
    assert_eq!(browser.value("document.querySelectorAll('#arrows .extra').length"), 1);
    // The extra move is the first row of the walk there.
    browser.click("#verdict figure button");
    browser.wait("document.querySelector('#divide tbody tr.wrong .badge')");
    let row = browser.text("document.querySelector('#divide tbody tr').innerText");
    assert!(row.contains("e8g8") && row.contains("Extra"), "{row}");
    assert_eq!(browser.console(), [""; 0]);
}

/// Moves that an engine lacks come first; suites show their failures.
#[needs(chromium)]
#[test]
fn a_missing_move_has_a_badge_and_failures_of_suites_have_boards() {
    let browser = Browser::start("missing");
    let server = Server::start(&["kiwipete", "--depth", "2", "--engine", &without_e1g1()]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    browser.wait("document.querySelector('#divide .badge.missing')");
    let row = browser.text("document.querySelector('#divide tbody tr').innerText");
    assert!(row.contains("e1g1") && row.contains("Missing"), "{row}");
    browser.click("[data-view=bugs]");
    browser.click("#suite");
    browser.wait("document.getElementById('descent').textContent.includes('positions are wrong')");
    assert_ne!(browser.value("document.querySelectorAll('#failures svg.mini').length"), 0);
    // The board still shows the position, not that of a query.
    let label = browser.text("document.querySelector('#board [data-square=e5]').ariaLabel");
    assert_eq!(label, "e5, white knight");
    // A failure leads to its rule.
    browser.click("#failures figure button");
    browser.wait("document.getElementById('verdict').innerText.includes('castle-king-side')");
    assert_eq!(browser.console(), [""; 0]);
}

#[needs(chromium)]
#[test]
fn a_total_only_engine_stands_beside_the_board() {
    let browser = Browser::start("totals");
    let engine = faulty("castle-king-side --act total-only");
    let fen = "4k2r/8/8/8/8/8/8/4K3 w k - 0 1";
    let server = Server::start(&[fen, "--depth", "2", "--engine", &engine]);
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('#divide tr.wrong').length === 5");
    let notes = browser.text("document.getElementById('engine-notes').innerText");
    assert!(notes.contains("prints totals only"), "{notes}");
    assert_eq!(browser.console(), [""; 0]);
}

#[needs(chromium)]
#[test]
fn the_moves_that_the_kernel_makes_are_arrows() {
    let browser = Browser::start("kernel");
    let server = Server::start(&["position3", "--depth", "2"]);
    browser.resize(1280, 900);
    let address = server.address.replace("depth=2", "depth=2&show=kernel");
    browser.open(&address);
    browser.wait("!document.getElementById('kernel-note').hidden");
    let shown = stdout(&run(&["board", "position3", "--show", "kernel", "--json"]));
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let made = shown["sets"][0]["moves"].as_array().map(Vec::len).expect("moves");
    assert_eq!(browser.value("document.querySelectorAll('#arrows .made').length"), made);
    assert_ne!(browser.value("document.querySelectorAll('#board i.kernel').length"), 0);
    let note = browser.text("document.getElementById('kernel-note').textContent");
    assert!(note.contains(&format!("{} of 14 moves", 14 - made)), "{note}");
    assert_eq!(browser.console(), [""; 0]);
}

#[needs(chromium)]
#[test]
fn a_pasted_divide_is_compared() {
    let browser = Browser::start("paste");
    let server = Server::start(&["position3", "--moves", "e2e4", "--depth", "1"]);
    browser.open(&server.address);
    browser.click("[data-view=bugs]");
    browser.run("document.getElementById('paste').value = 'f4e3: 1\\nh4g5: 1\\nwhat is this'; document.getElementById('compare').click()");
    browser.wait("document.getElementById('pasted').innerText.includes('Different')");
    let pasted = browser.text("document.getElementById('pasted').innerText");
    for expected in
        ["what is this", "not understood", "f4e3", "Extra", "en-passant-rank-pin", ";D1 "]
    {
        assert!(pasted.contains(expected), "{expected}: {pasted}");
    }
}

#[needs(chromium)]
#[test]
fn a_magic_is_refused_with_its_collision_and_one_is_found() {
    let browser = Browser::start("magic");
    let server = Server::start(&[]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    browser.click("[data-view=magics]");
    browser.wait("document.getElementById('own-rook')");
    browser.run("document.getElementById('own-rook').value = '0x1234'; document.querySelector('#lab form').requestSubmit()");
    browser.wait("document.getElementById('result-rook').innerText.includes('is no magic')");
    assert_eq!(browser.value("document.querySelectorAll('#result-rook svg.bits').length"), 4);
    browser.run("document.getElementById('magic-piece').value = 'bishop'; document.getElementById('magic-piece').dispatchEvent(new Event('change'))");
    browser.wait("document.getElementById('own-bishop')");
    browser.run("document.querySelector('#lab button[type=button]').click()");
    browser.wait(
        "document.getElementById('result-bishop').innerText.includes('const BISHOP_D4: u64 = 0x')",
    );
    // A blocker on and off.
    let blockers =
        || browser.value("document.querySelectorAll('#magics [aria-label*=blocker]').length");
    let before = blockers();
    browser.click("#magics [data-square=h8]");
    browser.wait("location.search.includes('h8')");
    browser.wait("document.querySelector('#magics [data-square=h8]').ariaLabel.includes('enemy')");
    assert_ne!(blockers(), before);
    // By the keyboard too, and the square keeps the focus.
    browser.press(key::ENTER);
    browser
        .wait("document.querySelector('#magics [data-square=h8]').ariaLabel.includes('friendly')");
    assert_eq!(browser.text("document.activeElement.dataset.square"), "h8");
    for system in ["plain", "shared", "packed", "black", "fold32", "lines", "pext", "hyperbola"] {
        browser.run(&format!("document.getElementById('magic-system').value = '{system}'; document.getElementById('magic-system').dispatchEvent(new Event('change'))"));
        browser
            .wait(&format!("document.getElementById('magics').innerText.includes('{system}: ')"));
    }
    assert_eq!(browser.console(), [""; 0]);
}

#[needs(chromium)]
#[test]
fn the_keyboard_is_enough() {
    let browser = Browser::start("keyboard");
    let server = Server::start(&["startpos", "--depth", "2"]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    wait_for_nodes(&browser, "400");
    let tab_to = |expression: &str| {
        for _ in 0..60 {
            browser.press(key::TAB);
            if browser.value(&format!("Boolean({expression})")) == true {
                return;
            }
        }
        panic!("the keyboard does not reach {expression}");
    };
    // From the king on e1 to the pawn before it, and two squares on.
    tab_to("document.activeElement.dataset.square === 'e1'");
    browser.press(&[key::UP, key::ENTER, key::UP, key::UP, key::ENTER].concat());
    browser.wait("location.search.includes('moves=e2e4')");
    wait_for_nodes(&browser, "600");
    tab_to("document.activeElement.id === 'back'");
    browser.press(key::ENTER);
    browser.wait("!location.search.includes('moves=')");
    wait_for_nodes(&browser, "400");
    tab_to("document.activeElement.dataset.move === 'a2a4'");
    browser.press(key::ENTER);
    browser.wait("location.search.includes('moves=a2a4')");
    browser.run("document.activeElement.blur()");
    browser.press(key::LEFT);
    browser.wait("!location.search.includes('moves=')");
    browser.press(key::RIGHT);
    browser.wait("location.search.includes('moves=a2a4')");
    assert_eq!(browser.console(), [""; 0]);
}

#[needs(chromium)]
#[test]
fn a_pawn_promotes_to_a_piece_of_choice() {
    let browser = Browser::start("promotion");
    let server = Server::start(&["promotions", "--depth", "1"]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    browser.click("[data-square=g2]");
    browser.click("[data-square=g1]");
    browser.wait("document.getElementById('promotion').open");
    browser.click("#promotion [aria-label=knight]");
    browser.wait("location.search.includes('moves=g2g1n')");
}

#[needs(chromium)]
#[test]
fn a_deep_count_can_be_cancelled() {
    let browser = Browser::start("cancel");
    let server = Server::start(&["startpos", "--depth", "12"]);
    browser.resize(1280, 900);
    browser.open(&server.address);
    browser.wait("!document.getElementById('counting').hidden && document.getElementById('nodes')");
    browser.click("#cancel");
    browser.wait("document.getElementById('counting').hidden");
    // The page goes on, and the server is free.
    browser.click("[data-square=e2]");
    browser.click("[data-square=e4]");
    browser.wait("location.search.includes('moves=e2e4')");
    assert_eq!(browser.console(), [""; 0]);
}

/// Addresses of the four views, relative.
const VIEWS: [&str; 4] = [
    "?position=kiwipete&moves=e5g6,b6c8,g6h8&depth=3",
    "?view=bugs&position=kiwipete&depth=3",
    "?view=magics&piece=queen&square=d4&system=black",
    "?position=position4&show=white,black,pins,check,danger,special,kernel&depth=2&flip=1",
];

#[needs(chromium)]
#[test]
fn every_view_fits_both_color_schemes_and_a_small_screen() {
    let browser = Browser::start("views");
    let server = Server::start(&["--engine", &faulty("castle-rook-captured")]);
    for (width, height) in [(1280, 900), (360, 740)] {
        browser.resize(width, height);
        for scheme in ["light", "dark"] {
            browser.prefer(scheme);
            for view in VIEWS {
                browser.open(&format!(
                    "http://127.0.0.1:{}/{view}#token={}",
                    server.port, server.token
                ));
                let scrolled = browser.value("document.documentElement.scrollWidth");
                assert_eq!(scrolled, width, "{view} at {width} px");
                assert_eq!(
                    browser.value("document.getElementById('alert').hidden"),
                    true,
                    "{view}"
                );
                assert_eq!(browser.console(), [""; 0], "{view} in {scheme}");
            }
        }
    }
}

/// axe-core, where `PERFT_AXE` names its file: `.ci/run` fetches it.
#[needs(chromium, axe)]
#[test]
fn axe_finds_no_serious_violation() {
    let path = std::env::var_os("PERFT_AXE").expect("PERFT_AXE is set");
    let browser = Browser::start("axe");
    let axe = fs::read_to_string(Path::new(&path)).expect("axe.min.js");
    let server = Server::start(&["--engine", &faulty("castle-rook-captured")]);
    browser.resize(1280, 900);
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        for view in VIEWS {
            browser
                .open(&format!("http://127.0.0.1:{}/{view}#token={}", server.port, server.token));
            browser.run(&axe);
            browser.run("axe.run().then((result) => { window.axeResult = result; })");
            browser.wait("window.axeResult");
            let violations = browser.value(
                "window.axeResult.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))\
                 .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)",
            );
            assert_eq!(violations, serde_json::json!([]), "{view} in {scheme}");
        }
    }
}

/// Makes the pictures of the documentation.
#[test]
#[ignore = "writes docs/pictures: cargo test --release --test explore pictures -- --ignored"]
fn pictures_are_made_from_the_running_page() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let browser = Browser::start("pictures");
    // The name of the engine as a reader would have it.
    let server = Server::start_in(
        faulty_engine().parent().expect("a directory"),
        &["--engine", "./faulty_engine --without castle-rook-captured"],
    );
    browser.prefer("light");
    for (name, view, prepare, ready) in [
        (
            "explore-walk",
            "?position=kiwipete&moves=e5g6,b6c8,g6h8&depth=2",
            "",
            "document.querySelector('tr.wrong')",
        ),
        (
            "explore-bugs",
            "?view=bugs&position=kiwipete&depth=4",
            "document.getElementById('find').click()",
            "!document.getElementById('verdict').hidden",
        ),
        (
            "explore-magics",
            "?view=magics&square=c6&system=black&enemies=c3,f6,d7&friends=c7,a6",
            "",
            "document.getElementById('table-rook')",
        ),
        (
            "explore-overlays",
            "?position=position4&show=check,danger&depth=3",
            "",
            "document.querySelector('#board i')",
        ),
    ] {
        browser.resize(1200, 820);
        browser.open(&format!("http://127.0.0.1:{}/{view}#token={}", server.port, server.token));
        if !prepare.is_empty() {
            browser.run(prepare);
        }
        browser.wait(ready);
        browser.wait("document.getElementById('counting').hidden");
        let height = browser.value("document.documentElement.scrollHeight").as_u64().unwrap_or(820);
        browser.resize(1200, u32::try_from(height).unwrap_or(820).max(600));
        let path = dir.join(format!("{name}.png"));
        fs::write(&path, decoded(&browser.screenshot())).expect("the picture is written");
    }
}

/// The bytes of base 64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for digit in text.chars().filter_map(|letter| DIGITS.find(letter)) {
        bits = bits << 6 | u32::try_from(digit).unwrap_or_default();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    bytes
}

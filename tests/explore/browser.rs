//! Chromium without a window, driven by the WebDriver protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::TestDir;

/// One browser at a time: each takes all cores.
static TURN: Mutex<()> = Mutex::new(());

/// A browser with a profile of its own. It ends with the test.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TestDir,
    _turn: MutexGuard<'static, ()>,
}

impl Browser {
    /// Starts a browser.
    pub fn start(test: &str) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed");
        let output = BufReader::new(driver.stdout.take().expect("a pipe"));
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let profile = TestDir::new(&format!("explore-{test}"));
        let mut browser = Self {
            driver,
            port: port.expect("chromedriver prints its port"),
            session: String::new(),
            _profile: profile,
            _turn: turn,
        };
        let data = format!("--user-data-dir={}", browser._profile.root().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            &data,
        ];
        let options = json!({ "args": arguments });
        let session = browser.send(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": options,
                "goog:loggingPrefs": { "browser": "ALL" },
            } } }),
        );
        let Some(id) = session["sessionId"].as_str() else { panic!("no session: {session}") };
        browser.session = id.to_owned();
        browser
    }

    /// Sends a request that must succeed to the driver; returns its value.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let value = self.send(method, path, body);
        assert!(value["error"].is_null(), "{path} {body}: {value}");
        value
    }

    /// Sends a request to the driver; returns its value, or its error.
    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(300))).expect("a timeout");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("the driver reads");
        let mut reader = BufReader::new(stream);
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line).expect("a response") > 2 {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        let mut content = vec![0; length];
        reader.read_exact(&mut content).expect("a response");
        let response: Value = serde_json::from_slice(&content).expect("JSON");
        response["value"].clone()
    }

    fn command(&self, name: &str, body: &Value) -> Value {
        self.request("POST", &format!("/session/{}/{name}", self.session), body)
    }

    fn protocol(&self, command: &str, parameters: &Value) {
        self.command("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// Sets the size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.protocol("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets the color scheme, `light` or `dark`.
    pub fn prefer(&self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.protocol("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
    }

    /// Opens an address and waits for the page.
    pub fn open(&self, address: &str) {
        // An address that differs in the fragment only would not be loaded.
        self.command("url", &json!({ "url": "about:blank" }));
        self.command("url", &json!({ "url": address }));
        self.wait("document.body.dataset.ready");
    }

    /// Runs a script; returns its value.
    pub fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The value of an expression.
    pub fn value(&self, expression: &str) -> Value {
        self.run(&format!("return {expression}"))
    }

    /// The text of an expression.
    pub fn text(&self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn wait(&self, expression: &str) {
        let start = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            assert!(
                start.elapsed() < Duration::from_secs(180),
                "never {expression}; the page: {}",
                self.text("document.body.innerText")
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks on the element of a selector, where it is.
    pub fn click(&self, selector: &str) {
        self.drag(selector, selector);
    }

    /// Presses the mouse on one element and releases it on another.
    pub fn drag(&self, from: &str, to: &str) {
        let center = |selector: &str| {
            let script = format!(
                "const node = document.querySelector({selector:?}); \
                 node.scrollIntoView({{ block: 'center' }}); \
                 const box = node.getBoundingClientRect(); \
                 return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)"
            );
            self.run(&script)
        };
        // The second may scroll the first: both are taken again.
        center(from);
        let end = center(to);
        let start = if from == to { end.clone() } else { center(from) };
        let end = if from == to {
            end
        } else {
            self.run(&format!(
                "const box = document.querySelector({to:?}).getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)"
            ))
        };
        let step = |point: &Value, time: u32| json!({ "type": "pointerMove", "x": point[0], "y": point[1], "duration": time });
        let actions = [
            step(&start, 0),
            json!({ "type": "pointerDown", "button": 0 }),
            step(&end, 100),
            json!({ "type": "pointerUp", "button": 0 }),
        ];
        let mouse = json!({
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions,
        });
        self.command("actions", &json!({ "actions": [mouse] }));
    }

    /// Presses keys, one after the other.
    pub fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
            })
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.command("actions", &json!({ "actions": [keyboard] }));
    }

    /// One step in the history, -1 or 1.
    pub fn step_in_history(&self, step: i32) {
        self.run(&format!("history.go({step})"));
    }

    /// The errors and warnings of the console since the last call.
    pub fn console(&self) -> Vec<String> {
        let entries = self.command("se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().expect("a list").iter();
        entries.map(|entry| entry["message"].to_string()).collect()
    }

    /// A picture of the page, as PNG in base 64.
    pub fn screenshot(&self) -> String {
        let path = format!("/session/{}/screenshot", self.session);
        self.request("GET", &path, &json!({})).as_str().expect("text").to_owned()
    }
}

/// Also after a failed test: without a driver the browser would go on.
impl Drop for Browser {
    fn drop(&mut self) {
        let request = format!(
            "DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
            self.session, self.port
        );
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
            _ = stream.write_all(request.as_bytes());
            _ = stream.read(&mut [0; 64]);
        }
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}

/// Keys of WebDriver.
pub mod key {
    pub const TAB: &str = "\u{e004}";
    pub const ENTER: &str = "\u{e007}";
    pub const LEFT: &str = "\u{e012}";
    pub const UP: &str = "\u{e013}";
    pub const RIGHT: &str = "\u{e014}";
}

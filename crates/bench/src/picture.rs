//! The picture of `cargo run --release -p perft-bench`: the figures as bars in SVG.

use std::fmt::Write;

use serde_json::Value;

const WIDTH: f64 = 760.0;
/// The left edge of the bars.
const LEFT: f64 = 120.0;
/// The longest bar; its number stands to the right of it.
const MAX_LENGTH: f64 = 560.0;
const TOP: f64 = 84.0;
const BAR: f64 = 18.0;
const GAP: f64 = 16.0;

/// Draws the bars of each position, one for each program, in million leaves a second.
///
/// # Panics
/// If the data is not what the benchmark writes.
pub fn draw(data: &Value) -> String {
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let number = |value: &Value| value.as_f64().expect("a number");
    let programs: Vec<String> = list(&data["programs"]).iter().map(text).collect();
    let rows = list(&data["rows"]);
    let speeds = |row: &Value| list(&row["speeds"]).iter().map(number).collect::<Vec<f64>>();
    let fastest = rows.iter().flat_map(speeds).fold(0.0, f64::max);
    let group = BAR * programs.len() as f64 + GAP;
    let height = TOP + group * rows.len() as f64 + 26.0;

    let mut svg = String::new();
    let mut line = |text: &str| _ = writeln!(svg, "{text}");
    line(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\">"
    ));
    line("<title>perft beside other libraries: million leaves a second</title>");
    line("<style>");
    line(
        "text { fill: #1f2328 } .p0 { fill: #1a7f37 } .p1 { fill: #4ac26b } .p2 { fill: #818b98 } \
         .p3 { fill: #9ca5af } .p4 { fill: #b7bfc8 }",
    );
    line("@media (prefers-color-scheme: dark) {");
    line(
        "text { fill: #e6edf3 } .p0 { fill: #3fb950 } .p1 { fill: #238636 } .p2 { fill: #7d8590 } \
         .p3 { fill: #656c76 } .p4 { fill: #484f58 } }",
    );
    line("</style>");
    line(
        "<text x=\"0\" y=\"18\" font-size=\"16\" font-weight=\"600\">Million leaves a second, one thread, no table</text>",
    );
    line(&format!("<text x=\"0\" y=\"40\">{}</text>", escaped(&text(&data["made"]))));
    for (index, program) in programs.iter().enumerate() {
        let x = LEFT + 150.0 * index as f64;
        line(&format!("<rect class=\"p{index}\" x=\"{x}\" y=\"53\" width=\"12\" height=\"12\"/>"));
        line(&format!("<text x=\"{}\" y=\"64\">{}</text>", x + 18.0, escaped(program)));
    }
    for (index, row) in rows.iter().enumerate() {
        let top = TOP + group * index as f64;
        let middle = top + BAR * programs.len() as f64 / 2.0 + 4.5;
        let name = format!("{} {}", text(&row["position"]), row["depth"]);
        line(&format!("<text x=\"0\" y=\"{middle}\">{}</text>", escaped(&name)));
        for (program, speed) in speeds(row).into_iter().enumerate() {
            let y = top + BAR * program as f64;
            let length = MAX_LENGTH * speed / fastest;
            line(&format!(
                "<rect class=\"p{program}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{}\"/>",
                BAR - 3.0
            ));
            let x = LEFT + length + 6.0;
            line(&format!("<text x=\"{x:.1}\" y=\"{}\">{speed:.0}</text>", y + 12.5));
        }
    }
    line("</svg>");
    svg
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

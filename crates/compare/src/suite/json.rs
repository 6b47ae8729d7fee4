//! Suites of JSON: a list of objects, one for each count.

use perft_core::Depth;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::SuiteErrorKind;
use super::read::Reader;

/// A count. Other fields are ignored.
#[derive(Serialize, Deserialize)]
pub(super) struct CountJson {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub fen: String,
    pub depth: Depth,
    pub nodes: u128,
}

/// Reads a list of counts.
pub(super) fn read(text: &str, reader: &mut Reader) {
    let items: Vec<&RawValue> = match serde_json::from_str(text) {
        Ok(items) => items,
        Err(error) => {
            // What is missing at the end is missing on the last line.
            let line = error.line().clamp(1, text.lines().count().max(1));
            return reader.refuse(line, refusal(&error));
        }
    };
    let (mut line, mut read) = (1, 0);
    for item in items.into_iter().map(RawValue::get) {
        // A raw value is a part of the text.
        let start = item.as_ptr().addr() - text.as_ptr().addr();
        line += text[read..start].matches('\n').count();
        read = start;
        let added = match serde_json::from_str(item) {
            Ok(CountJson { name, fen, depth, nodes }) => {
                reader.add(line, &fen, name, (depth, nodes))
            }
            Err(error) => Err(refusal(&error)),
        };
        if let Err(kind) = added {
            reader.refuse(line, kind);
        }
    }
}

/// The error of the parser, without its place.
fn refusal(error: &serde_json::Error) -> SuiteErrorKind {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    SuiteErrorKind::Json(format!(
        "bad JSON: {text} (a list of {{\"fen\": FEN, \"depth\": 1, \"nodes\": 20}})"
    ))
}

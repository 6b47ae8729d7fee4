//! The JSON of results: one vocabulary for the command line, the page and other programs. The names
//! of the keys are a contract with scripts.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{Bug, Cause, Confirmation, Coverage, Diff, Explanation, Mismatch, WrongCount};
use perft_core::Depth;
use perft_core::types::CastlingMode;

/// Their moves and totals; the remarks are for readers.
impl Serialize for Diff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let remarks: Vec<String> =
            self.remarks().into_iter().chain(self.total_remark().map(str::to_owned)).collect();
        let mut fields = serializer.serialize_struct("Diff", 8)?;
        fields.serialize_field("nodes", &self.ours)?;
        fields.serialize_field("their_nodes", &self.theirs)?;
        fields.serialize_field("missing", &self.missing)?;
        fields.serialize_field("extra", &self.extra)?;
        fields.serialize_field("repeated", &self.repeated)?;
        fields.serialize_field("counts", &self.counts)?;
        fields.serialize_field("refused", &self.refused)?;
        fields.serialize_field("remarks", &remarks)?;
        fields.end()
    }
}

impl Serialize for WrongCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("WrongCount", 3)?;
        fields.serialize_field("move", &self.uci)?;
        fields.serialize_field("nodes", &self.ours)?;
        fields.serialize_field("their_nodes", &self.theirs)?;
        fields.end()
    }
}

impl Serialize for Mismatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            fen: String,
            chess960: bool,
            moves_before: &'a [String],
            depth: Depth,
            nodes: u128,
            their_nodes: u128,
            moves: &'a [String],
            at: At<'a>,
            impossible: Option<String>,
            aborted: &'a Option<String>,
        }
        #[derive(Serialize)]
        struct At<'a> {
            fen: String,
            depth: Depth,
            right_without_moves: Option<bool>,
            #[serde(flatten)]
            diff: &'a Diff,
        }
        let Self { case, diff, first_diff, aborted, .. } = self;
        let moves = case.uci_moves();
        let fields = Fields {
            fen: case.root.to_string(),
            chess960: case.root.castling_mode() == CastlingMode::Chess960,
            moves_before: &moves[..self.given_moves],
            depth: self.first_depth,
            nodes: first_diff.ours,
            their_nodes: first_diff.theirs,
            moves: &moves,
            at: At {
                fen: case.query().position().to_string(),
                depth: case.depth,
                right_without_moves: self.right_without_moves,
                diff,
            },
            impossible: self.impossible.map(|reason| reason.to_string()),
            aborted,
        };
        fields.serialize(serializer)
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            name: String,
            text: String,
            is_rule: bool,
            exact: Option<bool>,
            others: Vec<&'a str>,
            narrower: Option<&'a str>,
            confirmation: Option<Confirmation>,
            remarks: Vec<String>,
        }
        let explanation = self.explanation();
        let others = explanation.map(Explanation::others).unwrap_or_default();
        let fields = Fields {
            name: self.name(),
            text: self.text(),
            is_rule: explanation.is_some(),
            exact: explanation.map(|explanation| explanation.is_exact),
            others: others.iter().map(|rule| rule.name()).collect(),
            narrower: explanation.and_then(|explanation| explanation.narrower.as_deref()),
            confirmation: self.confirmation(),
            remarks: self.remarks(),
        };
        fields.serialize(serializer)
    }
}

/// The keys of the smallest mismatch, and those of the bug. `found` is the mismatch as it was found,
/// if another one is smaller.
impl Serialize for Bug {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            stage: &'a str,
            place: &'a str,
            more: usize,
            #[serde(flatten)]
            mismatch: &'a Mismatch,
            cause: &'a Option<Cause>,
            unexplained: &'a Option<String>,
            epd: &'a Option<String>,
            not_shrunk: &'a Option<String>,
            found: Option<&'a Mismatch>,
            next: &'a Option<String>,
        }
        let Self { stage, place, cause, unexplained, epd, not_shrunk, next, .. } = self;
        let found = self.smallest.as_ref().map(|_| &self.found);
        let (more, mismatch) = (self.more, self.mismatch());
        let fields = Fields {
            stage,
            place,
            more,
            mismatch,
            cause,
            unexplained,
            epd,
            not_shrunk,
            found,
            next,
        };
        fields.serialize(serializer)
    }
}

/// Lists in place of maps, for the order.
impl Serialize for Coverage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct AtDepth {
            depth: Depth,
            positions: u64,
        }
        #[derive(Serialize)]
        struct OfRule {
            name: &'static str,
            positions: u64,
        }
        let depths = self.depths.iter().map(|(&depth, &positions)| AtDepth { depth, positions });
        let rules =
            self.rules.iter().map(|(rule, &positions)| OfRule { name: rule.name(), positions });
        let mut fields = serializer.serialize_struct("Coverage", 5)?;
        fields.serialize_field("positions", &self.positions)?;
        fields.serialize_field("nodes", &self.nodes)?;
        fields.serialize_field("sampled", &self.sampled)?;
        fields.serialize_field("depths", &depths.collect::<Vec<_>>())?;
        fields.serialize_field("rules", &rules.collect::<Vec<_>>())?;
        fields.end()
    }
}

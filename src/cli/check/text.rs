//! The result of a check in words.

use std::fmt::{self, Write as _};
use std::ops::Range;

use perft_compare::{Bug, Coverage, Diff, Mismatch, Stage};
use perft_core::{Bitboard, Square};

use crate::cli::columns::Columns;
use crate::cli::output::{self, grouped, result_of_suite};

/// Values, one after the other.
pub fn joined(values: &[impl ToString], separator: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// A mismatch, its position and its cause.
pub fn write_bug(f: &mut impl fmt::Write, bug: &Bug) -> fmt::Result {
    let mismatch = bug.mismatch();
    let Mismatch { case, diff, .. } = mismatch;
    let moves = case.uci_moves();
    write!(f, "Different at depth {}", mismatch.first_depth)?;
    if mismatch.given_moves > 0 {
        write!(f, " after {}", moves[..mismatch.given_moves].join(" "))?;
    }
    writeln!(f, ": {}", totals(&mismatch.first_diff))?;
    if !moves.is_empty() {
        writeln!(f, "From: {}\nMoves: {}", case.root, moves.join(" "))?;
    }
    writeln!(f, "FEN: {}", case.query().position())?;
    write_diff(f, diff)?;
    writeln!(f, "\n{}", drawing(mismatch))?;
    if let Some(remark) = diff.total_remark() {
        return writeln!(f, "{remark}");
    }
    if diff.same_moves() && mismatch.aborted.is_none() {
        match case.depth {
            1 => writeln!(f, "The moves are the same, but their counts at depth 1 are not 1.")?,
            _ if bug.next.is_some() => {}
            depth => writeln!(
                f,
                "The moves are the same, and so is each count if it is asked for alone: \
                 at depth {depth} the engine adds up wrongly, or remembers wrongly."
            )?,
        }
    }
    if let Some(reason) = &mismatch.impossible {
        writeln!(
            f,
            "No game reaches this position: {reason}. An engine need not be right about it."
        )?;
    }
    write_cause(f, bug)?;
    if mismatch.right_without_moves == Some(true) {
        f.write_str(
            "Given this FEN without the moves, the engine is right: it goes wrong in the moves that \
             lead there.\n",
        )?;
    }
    Ok(())
}

fn write_cause(f: &mut impl fmt::Write, bug: &Bug) -> fmt::Result {
    match (&bug.cause, &bug.unexplained) {
        (Some(cause), _) => {
            let kind = if cause.rule().is_some() { "Rule" } else { "Cause" };
            writeln!(f, "{kind}: {}. {}", cause.title(), cause.text())?;
            cause.remarks().iter().try_for_each(|remark| writeln!(f, "{remark}"))
        }
        (None, Some(reason)) => writeln!(f, "Rule: not determined: {reason}."),
        // The mistake is deeper: the rule shows where the lists of moves differ.
        (None, None) if bug.next.is_some() => Ok(()),
        (None, None) => writeln!(f, "Rule: no single known rule explains it."),
    }
}

/// Both totals, and the sum of their lines where their total is another number.
fn totals(diff: &Diff) -> String {
    let Diff { ours, theirs, .. } = diff;
    let sum = diff.their_sum();
    let is_sum = sum == *theirs || diff.refused.is_some();
    let remark = if is_sum || diff.only_total_differs() {
        String::new()
    } else {
        format!(" (where the moves add up to {sum})")
    };
    if ours == theirs {
        return match is_sum {
            true => format!("{ours} here and there, by different moves"),
            false => {
                format!("{ours} here; there the moves add up to {sum} and the total says {theirs}")
            }
        };
    }
    format!("{ours} here, {theirs} there{remark}")
}

fn write_diff(f: &mut impl fmt::Write, diff: &Diff) -> fmt::Result {
    for (name, moves) in [
        ("Missing", &diff.missing),
        ("Extra", &diff.extra),
        ("Listed more than once", &diff.repeated),
    ] {
        if !moves.is_empty() {
            writeln!(f, "{name}: {}", moves.join(" "))?;
        }
    }
    // Where the lists of moves differ, counts say little.
    if diff.same_moves() {
        for count in &diff.counts {
            writeln!(f, "{}: {} here, {} there", count.uci, count.ours, count.theirs)?;
        }
    }
    diff.remarks().iter().try_for_each(|remark| writeln!(f, "{remark}"))?;
    if diff.only_total_differs() && !diff.only_totals {
        let Diff { ours, theirs, .. } = diff;
        writeln!(f, "Total: {ours} here, {theirs} there, although each move's count is the same")?;
    }
    Ok(())
}

/// The board, with marks on the squares of the wrong moves.
fn drawing(mismatch: &Mismatch) -> String {
    let Diff { missing, extra, repeated, counts, .. } = &mismatch.diff;
    let lists = missing.iter().chain(extra).chain(repeated);
    let wrong: Vec<&String> = lists.chain(counts.iter().map(|count| &count.uci)).collect();
    let squares = |range: Range<usize>| -> Bitboard {
        wrong.iter().filter_map(|mv| mv.get(range.clone())?.parse::<Square>().ok()).collect()
    };
    let (from, to) = (squares(0..2), squares(2..4));
    let position = mismatch.case.query().position();
    let mut text = output::drawing(position.board(), |square| {
        match (from.contains(square), to.contains(square)) {
            (true, _) => Some(['[', ']']),
            (false, true) => Some(['(', ')']),
            (false, false) => None,
        }
    });
    if !from.is_empty() {
        text += "\n[ ] where the wrong moves start, ( ) where they end\n";
    }
    text
}

/// A table of what was tried.
pub fn write_stages(f: &mut impl fmt::Write, stages: &[Stage]) -> fmt::Result {
    let mut table = Columns::new("<>>>><");
    table.row(&[&"tried", &"positions", &"depths", &"nodes", &"million nodes/s", &"verdict"]);
    for stage in stages {
        let speed = stage.nps.map_or("-".to_owned(), |nps| format!("{:.1}", nps as f64 / 1e6));
        let (positions, nodes) = (grouped(stage.positions.into()), grouped(stage.nodes));
        table.row(&[&stage.name, &positions, &depths(stage), &nodes, &speed, &verdict(stage)]);
    }
    write!(f, "{table}")?;
    for stage in stages {
        if let Some(coverage) = &stage.coverage {
            writeln!(f, "Covered by the {}: {}", stage.name, covered(coverage))?;
        }
    }
    Ok(())
}

/// The depths that were compared: `1-4`.
fn depths(stage: &Stage) -> String {
    match (stage.min_depth, stage.max_depth) {
        (Some(least), Some(greatest)) if least < greatest => format!("{least}-{greatest}"),
        (_, Some(depth)) => depth.to_string(),
        _ => "-".to_owned(),
    }
}

/// A stage in a line.
pub fn figures(stage: &Stage) -> String {
    let (positions, nodes) = (grouped(stage.positions.into()), grouped(stage.nodes));
    let mut text = format!("{positions} positions, depths {}, {nodes} nodes", depths(stage));
    if let Some(nps) = stage.nps {
        _ = write!(text, ", {:.1} million nodes/s", nps as f64 / 1e6);
    }
    text + ": " + &verdict(stage)
}

/// Whether the engine is right about a stage, and what was left out of it.
pub fn verdict(stage: &Stage) -> String {
    let Stage { wrong, unfinished, .. } = *stage;
    let compared = usize::try_from(stage.positions).unwrap_or(usize::MAX);
    let verdict = result_of_suite(["equal", "DIFFERENT"], compared, wrong, unfinished);
    let reason = match (&stage.error, &stage.skip_reason) {
        (Some(_), _) => "; ended by an error".to_owned(),
        (None, Some(reason)) if stage.positions == 0 => format!(": {reason}"),
        (None, Some(reason)) => format!("; {} skipped: {reason}", stage.skipped),
        (None, None) => String::new(),
    };
    verdict + &reason
}

fn covered(coverage: &Coverage) -> String {
    /// The most rules that are listed.
    const MAX_NAMES: usize = 8;
    let missing: Vec<&str> = coverage.unexercised_rules().map(|rule| rule.name()).collect();
    let (all, nodes) = (coverage.rules.len(), grouped(coverage.nodes));
    let mut text = String::new();
    let mut depths = coverage.depths.keys();
    if let Some(least) = depths.next() {
        _ = write!(text, "depths {least} to {}, ", depths.next_back().unwrap_or(least));
    }
    _ = write!(text, "{nodes} nodes, {} of {all} rules", all - missing.len());
    text + &match missing.len() {
        0 => String::new(),
        1..=MAX_NAMES => format!("; not {}", missing.join(", ")),
        _ => format!("; not {} and others", missing[..MAX_NAMES].join(", ")),
    }
}

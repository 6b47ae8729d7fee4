//! `perft sliders`: list, show, verify and bench. `find` has a file of its own.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::Result;
use perft::sliders::bench::{Sample, sample};
use perft::sliders::{Slider, System, explain};
use perft::{Bitboard, Board, Cpu, positions};
use serde_json::{Value, json};

use super::DIFFERENT;
use super::args::{ListArgs, PieceArg, ShowArgs, SlidersBenchArgs, SlidersCommand, VerifyArgs};
use super::output::{self, Progress, grouped};
use super::position::read_position;

/// Runs one of the sub-commands.
pub fn sliders(command: &SlidersCommand) -> Result<ExitCode> {
    match command {
        SlidersCommand::List(args) => list(args),
        SlidersCommand::Show(args) => show(args),
        SlidersCommand::Find(args) => super::find::find(args),
        SlidersCommand::Verify(args) => verify(args),
        SlidersCommand::Bench(args) => bench(args),
        SlidersCommand::Bitscan(args) => super::find::bitscan(args),
    }
}

fn list(args: &ListArgs) -> Result<ExitCode> {
    let text = if args.output.json {
        let systems: Vec<Value> = System::ALL
            .iter()
            .map(|system| {
                let (name, about) = (system.name(), system.about());
                json!({ "name": name, "table_bytes": system.table_bytes(), "about": about })
            })
            .collect();
        format!("{}\n", json!(systems))
    } else {
        let mut text = format!("{:<10} {:>11}\n", "system", "table bytes");
        for system in System::ALL {
            let bytes = grouped(system.table_bytes() as u128);
            _ = writeln!(text, "{:<10} {bytes:>11}  {}", system.name(), system.about());
        }
        text
    };
    output::result(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn show(args: &ShowArgs) -> Result<ExitCode> {
    let mut words = args.words.clone();
    words.extend(args.fen.clone());
    if words.is_empty() {
        words.push("startpos".to_owned());
    }
    let board = read_position(&words, &args.position)?;
    let sliders = match args.piece {
        PieceArg::Rook => &[Slider::Rook][..],
        PieceArg::Bishop => &[Slider::Bishop],
        PieceArg::Both => &Slider::ALL,
    };
    let mut text = String::new();
    for &slider in sliders {
        show_look_up(&mut text, slider, args, &board);
    }
    output::result(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn show_look_up(text: &mut String, slider: Slider, args: &ShowArgs, board: &Board) {
    let square = args.square;
    let steps = explain(slider, square, board.occupied());
    // Whose slider it is: that of the man there, or of the side to move.
    let us = board.man_on(square).map_or(board.side_to_move(), |(color, _)| color);
    let targets = steps.attacks - board.color(us);
    let captures = steps.attacks & board.color(!us);
    _ = writeln!(text, "A {slider} on {square}, {us} to use it\n");
    _ = writeln!(text, "1. Only blockers on relevant squares count.\n");
    side_by_side(
        text,
        &[
            ("occupied", board.occupied()),
            ("& relevant", steps.mask),
            ("= blockers", steps.blockers),
        ],
    );
    _ = writeln!(text, "2. A product gathers them in its top bits.\n");
    side_by_side(
        text,
        &[
            ("blockers", steps.blockers),
            ("* magic", Bitboard(steps.magic)),
            ("= product", Bitboard(steps.product)),
        ],
    );
    _ = writeln!(
        text,
        "   {:#018x} * {:#018x} = {:#018x} (low 64 bits)\n",
        steps.blockers.0, steps.magic, steps.product
    );
    _ = writeln!(
        text,
        "3. The top {bits} bits are the index: {:#018x} >> {} = {index} ({index:0width$b})\n",
        steps.product,
        64 - steps.index_bits,
        bits = steps.index_bits,
        index = steps.index,
        width = steps.index_bits as usize
    );
    _ = writeln!(text, "4. The slot holds the attacks; friends are removed, captures stay.\n");
    side_by_side(
        text,
        &[("attacks", steps.attacks), ("& !friends", targets), ("captures", captures)],
    );
}

fn side_by_side(text: &mut String, boards: &[(&str, Bitboard)]) {
    let titles: Vec<String> = boards.iter().map(|(title, _)| format!("{title:<18}")).collect();
    _ = writeln!(text, "   {}", titles.concat().trim_end());
    let drawn: Vec<String> = boards.iter().map(|(_, board)| board.to_string()).collect();
    for row in 0..8 {
        let rows: Vec<&str> = drawn.iter().filter_map(|board| board.lines().nth(row)).collect();
        _ = writeln!(text, "   {}", rows.join("   "));
    }
    text.push('\n');
}

fn verify(args: &VerifyArgs) -> Result<ExitCode> {
    let mut text = String::new();
    let mut right = true;
    let mut progress = Progress::new(args.output.quiet);
    let mut results = Vec::new();
    for system in System::ALL {
        progress.show(|| format!("verifying {}", system.name()));
        let name = system.name();
        match system.verify(args.random as usize, args.seed) {
            Ok(look_ups) => {
                _ = writeln!(text, "{name:<10} ok, {} look-ups", grouped(look_ups.into()));
                results.push(json!({ "name": name, "right": true, "look_ups": look_ups }));
            }
            Err(mismatch) => {
                right = false;
                _ = writeln!(text, "{name:<10} WRONG: {mismatch}");
                let mismatch = mismatch.to_string();
                results.push(json!({ "name": name, "right": false, "mismatch": mismatch }));
            }
        }
    }
    drop(progress);
    if args.output.json {
        text = format!("{}\n", json!({ "right": right, "systems": results }));
    }
    output::result(&text)?;
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

/// The best of several rounds, and how far they lay apart.
struct Measured {
    system: System,
    best: Sample,
    /// How far the worst round's nodes a second lay below the best's, as a share of it.
    spread: f64,
}

fn bench(args: &SlidersBenchArgs) -> Result<ExitCode> {
    let board = positions::by_name("kiwipete").unwrap_or_else(Board::startpos);
    let cpu = Cpu::detect();
    let measure = |system| sample(system, cpu, args.look_ups as usize, &board, 4);
    let mut progress = Progress::new(args.output.quiet);
    // A round to warm up, then rounds in which the systems take turns.
    let mut rounds: Vec<Vec<Sample>> = vec![Vec::new(); System::ALL.len()];
    for round in 0..=args.rounds.get() {
        for (samples, system) in rounds.iter_mut().zip(System::ALL) {
            progress.show(|| format!("round {round} of {}, {}", args.rounds, system.name()));
            let sample = measure(system);
            if round > 0 {
                samples.push(sample);
            }
        }
    }
    drop(progress);
    let measured: Vec<Measured> =
        rounds.iter().zip(System::ALL).map(|(samples, system)| best(system, samples)).collect();
    let base = measured[System::Fancy as usize].best;
    let text =
        if args.output.json { bench_json(&measured, cpu) } else { bench_text(&measured, &base) };
    output::result(&text)?;
    if !args.output.quiet {
        output::note(format_args!(
            "best of {} rounds; perft is kiwipete 4 with the simple kernel; cpu level {}",
            args.rounds,
            cpu.name()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn best(system: System, samples: &[Sample]) -> Measured {
    let best_of = |value: fn(&Sample) -> f64| samples.iter().map(value).fold(0.0, f64::max);
    let best = Sample {
        chained: best_of(|sample| sample.chained),
        streamed: best_of(|sample| sample.streamed),
        nodes: best_of(|sample| sample.nodes),
    };
    let worst = samples.iter().map(|sample| sample.nodes).fold(f64::INFINITY, f64::min);
    Measured { system, best, spread: 1.0 - worst / best.nodes }
}

fn bench_text(measured: &[Measured], base: &Sample) -> String {
    let mut text = format!(
        "{:<10} {:>11} {:>14} {:>14} {:>14} {:>7}\n",
        "system", "table bytes", "chained M/s", "streamed M/s", "perft Mnps", "spread"
    );
    for Measured { system, best, spread } in measured {
        let column = |value: f64, base: f64| format!("{:.1} ({:.2})", value / 1e6, value / base);
        _ = writeln!(
            text,
            "{:<10} {:>11} {:>14} {:>14} {:>14} {:>5.0} %",
            system.name(),
            grouped(system.table_bytes() as u128),
            column(best.chained, base.chained),
            column(best.streamed, base.streamed),
            column(best.nodes, base.nodes),
            spread * 100.0
        );
    }
    text
}

fn bench_json(measured: &[Measured], cpu: Cpu) -> String {
    let systems: Vec<Value> = measured
        .iter()
        .map(|Measured { system, best, spread }| {
            json!({
                "name": system.name(),
                "table_bytes": system.table_bytes(),
                "chained_per_second": best.chained as u64,
                "streamed_per_second": best.streamed as u64,
                "nps": best.nodes as u64,
                "spread": spread,
            })
        })
        .collect();
    format!("{}\n", json!({ "cpu": cpu.name(), "systems": systems }))
}

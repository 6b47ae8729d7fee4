//! `perft plan`: a count cut into units.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use perft::plan::Plan;
use perft::plan::lines::{Header, UnitLine};

use super::args::PlanArgs;
use super::files::write_whole;
use super::output::{self, Progress, grouped};
use super::position::position_and_depth;

/// Makes the plan and writes it.
pub fn plan(args: &PlanArgs) -> Result<ExitCode> {
    let (board, depth) = position_and_depth(&args.target.words, &args.target.position)?;
    let variant = args.target.position.variant();
    let start = Instant::now();
    let mut progress = Progress::new(args.output.quiet);
    let plan = Plan::new(&board, depth, args.ply, |(ply, share)| {
        progress.show(|| format!("ply {ply} of {}, {:.0} %", args.ply, share * 100.0));
    })?;
    let mut write = |out: &mut dyn Write| -> io::Result<()> {
        writeln!(out, "{}", Header::new(&plan, variant))?;
        for (number, unit) in plan.units.iter().enumerate() {
            writeln!(out, "{}", UnitLine::new(unit, variant, plan.rest()))?;
            progress.show(|| format!("{} of {} units written", number, plan.units.len()));
        }
        Ok(())
    };
    match args.file.as_deref().filter(|&path| path != Path::new("-")) {
        Some(path) => write_whole(path, write)?,
        None => {
            let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
            output::checked(write(&mut out).and_then(|()| out.flush()))?;
        }
    }
    drop(progress);
    if !args.output.quiet {
        let (units, ways) = (grouped(plan.units.len() as u128), grouped(plan.ways()));
        let seconds = start.elapsed().as_secs_f64();
        output::note(format_args!("{units} units for {ways} ways in {seconds:.1} s"));
    }
    Ok(ExitCode::SUCCESS)
}

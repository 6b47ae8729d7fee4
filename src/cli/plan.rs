//! `perft plan`: a count cut into units.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use crate::plan::Plan;
use crate::plan::lines::{Header, UnitLine};
use anyhow::Result;

use super::args::PlanArgs;
use super::files::{refuse_to_overwrite, write_whole};
use super::interrupt::cancel_on_interrupt;
use super::interrupted;
use super::output::{self, ProgressLine, grouped, number_of};

/// Makes the plan and writes it.
pub fn plan(args: &PlanArgs) -> Result<ExitCode> {
    let (board, depth) = args.target.read(args.output.quiet)?;
    let start = Instant::now();
    let mut progress = ProgressLine::new(args.output.quiet);
    let plan = Plan::new(&board, depth, args.ply, |ply, share| {
        progress.show(|| format!("ply {ply} of {}, {:.0} %", args.ply, share * 100.0));
    })?;
    // Up to here an interrupt may end the program: there is nothing to clean up.
    let cancel = cancel_on_interrupt();
    let mut write = |out: &mut dyn Write| -> io::Result<()> {
        writeln!(out, "{}", Header::new(&plan))?;
        for (number, unit) in plan.units.iter().enumerate() {
            if cancel.is_cancelled() {
                return Err(io::Error::other("interrupted"));
            }
            writeln!(out, "{}", UnitLine::new(&plan, unit))?;
            progress.show(|| format!("{} of {} units written", number, plan.units.len()));
        }
        Ok(())
    };
    let written = match args.file.as_deref().filter(|&path| path != Path::new("-")) {
        Some(path) => {
            refuse_to_overwrite(path, "{\"perft_plan\"", "plan")?;
            write_whole(path, write)
        }
        None => {
            let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
            output::checked(write(&mut out).and_then(|()| out.flush()))
        }
    };
    drop(progress);
    if written.is_err() && cancel.is_cancelled() {
        return Ok(interrupted(format_args!("the plan is not written")));
    }
    written?;
    if !args.output.quiet {
        let units = number_of(plan.units.len() as u128, "unit");
        let sum = grouped(plan.multiplicity());
        let seconds = start.elapsed().as_secs_f64();
        output::note(format_args!("{units}, total multiplicity {sum}, in {seconds:.1} s"));
    }
    Ok(ExitCode::SUCCESS)
}

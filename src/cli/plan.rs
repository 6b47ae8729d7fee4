//! `perft plan`: a count cut into units.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
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
        Some(path) => {
            spare(path)?;
            write_whole(path, write)?;
        }
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

/// Sees that a file that is there already is a plan: anything else is not ours to overwrite.
fn spare(path: &Path) -> Result<()> {
    const START: &[u8] = b"{\"perft_plan\"";
    if !std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0) {
        return Ok(());
    }
    let mut start = [0; START.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_err() || start != START {
        bail!("{:?} is there and is no plan; remove it first", path.display().to_string());
    }
    Ok(())
}

//! `perft estimate`: counts that are too deep to make.

use std::fmt;
use std::ops::Not;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use perft_core::{Depth, Estimate, EstimateError, Estimator};
use serde::Serialize;

use super::args::EstimateArgs;
use super::interrupt::cancel_on_interrupt;
use super::interrupted;
use super::output::{self, grouped, shown};

/// Estimates and prints a count.
pub fn estimate(args: &EstimateArgs) -> Result<ExitCode> {
    let (board, depth) = args.target.read(args.output.quiet)?;
    let (cancel, threads) = (cancel_on_interrupt(), args.threads.threads());
    let estimator = Estimator::new().threads(threads).seed(args.seed).cancel(cancel.clone());
    let estimator = estimator.on_progress(shown(args.output.quiet, |estimate: &Estimate| {
        let samples = grouped(estimate.samples.into());
        format!("{:.4e} ± {}, {samples} samples", estimate.nodes, in_percent(estimate))
    }));
    let estimator = match args.samples {
        Some(samples) => estimator.samples(samples),
        None => estimator.time(args.seconds),
    };
    let start = Instant::now();
    let estimate = estimator.estimate(&board, depth);
    // Erases the progress line.
    drop(estimator);
    let seconds = start.elapsed().as_secs_f64();
    let estimate = match estimate {
        Err(EstimateError::Cancelled) => None,
        estimate => Some(estimate?),
    };
    let is_interrupted = cancel.is_cancelled();
    let report = EstimateReport {
        fen: board.to_string(),
        depth,
        estimate: estimate.as_ref().map(Numbers::new),
        seed: args.seed,
        seconds,
        threads: threads.get(),
        interrupted: is_interrupted,
    };
    if args.output.json || report.estimate.is_some() {
        output::print(&report, args.output.json)?;
    }
    let samples = estimate.map_or(0, |estimate| estimate.samples);
    if !args.output.json && !args.output.quiet && samples > 0 {
        let (grouped, seed) = (grouped(samples.into()), args.seed);
        output::note(format_args!(
            "{grouped} samples in {seconds:.3} s; again with --samples {samples} --seed {seed}"
        ));
    }
    if !is_interrupted {
        return Ok(ExitCode::SUCCESS);
    }
    let after =
        if samples > 0 { "the estimate is of the samples so far" } else { "no estimate yet" };
    Ok(interrupted(format_args!("{after}")))
}

/// Half of the interval, as a share of the estimate.
fn in_percent(estimate: &Estimate) -> String {
    format!("{:.3} %", estimate.half_width / estimate.nodes * 100.0)
}

#[derive(Serialize)]
struct EstimateReport {
    fen: String,
    depth: Depth,
    /// `None` if interrupted too early.
    #[serde(flatten)]
    estimate: Option<Numbers>,
    seed: u64,
    seconds: f64,
    threads: usize,
    #[serde(skip_serializing_if = "Not::not")]
    interrupted: bool,
}

#[derive(Serialize)]
struct Numbers {
    estimate: f64,
    standard_error: f64,
    /// The ends of the 95 % confidence interval.
    low: f64,
    high: f64,
    samples: u64,
    #[serde(skip)]
    percent: String,
}

impl Numbers {
    fn new(estimate: &Estimate) -> Self {
        let [low, high] = estimate.interval();
        let Estimate { nodes, standard_error, samples, .. } = *estimate;
        Self { estimate: nodes, standard_error, low, high, samples, percent: in_percent(estimate) }
    }
}

impl fmt::Display for EstimateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Larger numbers are rounded.
        const MAX_EXACT: f64 = (1_u64 << 53) as f64;
        match &self.estimate {
            None => Ok(()),
            Some(Numbers { estimate, samples: 0, .. }) if *estimate <= MAX_EXACT => {
                writeln!(f, "Nodes counted: {estimate}")
            }
            Some(Numbers { estimate, samples: 0, .. }) => {
                writeln!(f, "Nodes counted: {estimate:.14e}")
            }
            Some(Numbers { estimate, low, high, percent, .. }) => {
                writeln!(f, "Nodes estimated: {estimate:.6e}")?;
                writeln!(f, "95 % confidence: {low:.6e} to {high:.6e} (± {percent})")
            }
        }
    }
}

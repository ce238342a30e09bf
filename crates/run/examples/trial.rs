//! Runs a plan and prints each second of it. Arguments after the plan are properties:
//!
//! `cargo run -p swell-run --example trial -- examples/first.jmx port=8080 users=5 seconds=3`

use std::path::Path;

use swell_run::{Trial, TrialSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = Path::new(args.first().ok_or("name a plan")?);
    let plan = swell_plan::read(&std::fs::read(path)?, Some(path)).plan.ok_or("that is not a plan")?;
    // Settings are plain fields: workers, clock, results files, log, where messages go.
    let settings = TrialSettings::of_file(path);
    for (name, value) in args.iter().skip(1).filter_map(|arg| arg.split_once('=')) {
        settings.props.set(name, value);
    }
    // What is wrong with the plan is in the error, as diagnostics.
    let trial = Trial::prepare(&plan, settings)?;
    let seconds = trial.subscribe();
    // It runs on separate threads. `running.control()` stops it from any thread.
    let running = trial.start()?;
    for second in seconds {
        println!("{} users, {} samples, {} errors", second.users().active, second.samples, second.errors);
    }
    let report = running.wait();
    println!("{} samples, {:?}", report.summary.total.samples, report.verdict.map(|verdict| verdict.grade));
    Ok(())
}

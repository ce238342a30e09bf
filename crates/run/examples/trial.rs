//! Runs a plan and shows each second of it: `cargo run -p swell-run --example trial -- examples/first.jmx users=5 seconds=3`.

use std::path::Path;

use swell_run::{Trial, TrialSettings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("name a plan")?;
    let plan =
        swell_plan::read(&std::fs::read(&path)?, Some(Path::new(&path))).plan.ok_or("that is no plan")?;
    let settings = TrialSettings::of_file(Path::new(&path));
    for (name, value) in
        args.filter_map(|arg| Some(arg.split_once('=')?).map(|(n, v)| (n.to_owned(), v.to_owned())))
    {
        settings.props.set(&name, &value);
    }
    let trial = Trial::prepare(&plan, settings)?;
    let seconds = trial.subscribe();
    let running = trial.start()?;
    for second in seconds {
        println!(
            "{} users, {} samples, {} errors",
            second.users().active,
            second.total.samples,
            second.errors
        );
    }
    let report = running.wait();
    println!("{} samples, {:?}", report.summary.total.samples, report.verdict.map(|verdict| verdict.level));
    Ok(())
}

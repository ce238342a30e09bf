//! Runs fuzz targets: `swell-fuzz run all --seconds 60`, `swell-fuzz repeat TARGET FILE`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use swell_fuzz::watch::{Ending, watch};
use swell_fuzz::work::{Runs, work};
use swell_fuzz::{TARGETS, Target};

/// Default limit for the processor time of one input, in seconds.
const LIMIT_S: u64 = 10;

#[derive(Parser)]
#[command(about = "Hostile bytes for every parser of Swell that sees foreign ones")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the targets
    List,
    /// Run a target, or `all` one after the other; write failing inputs to fuzz/failures/
    Run {
        /// Name of the target, or `all`
        target: String,
        /// Seconds per target
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Largest number of inputs per target
        #[arg(long, default_value_t = u64::MAX)]
        runs: u64,
        /// Seed of the inputs: the same seed gives the same inputs
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Run one input once
    Repeat {
        /// Name of the target
        target: String,
        /// File with the input
        file: PathBuf,
    },
    /// The worker process that `run` starts
    #[command(hide = true)]
    Work {
        target: String,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        first: u64,
        #[arg(long)]
        runs: u64,
        #[arg(long)]
        seconds: Option<u64>,
        #[arg(long)]
        current: PathBuf,
    },
}

fn main() -> ExitCode {
    let fine = match Arguments::parse().command {
        Command::List => {
            for target in TARGETS {
                println!("{}", target.name);
            }
            Ok(true)
        }
        Command::Run { target, seconds, runs, seed } => {
            let time = Some(Duration::from_secs(seconds));
            run(&target, Runs { seed, first: 0, count: runs, time })
        }
        Command::Repeat { target, file } => named(&target).and_then(|target| {
            target.run(&std::fs::read(file)?);
            println!("{}: this input is fine", target.name);
            Ok(true)
        }),
        Command::Work { target, seed, first, runs, seconds, current } => named(&target).and_then(|target| {
            let time = seconds.map(Duration::from_secs);
            work(target, Runs { seed, first, count: runs, time }, &current).map(|_| true)
        }),
    };
    match fine {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("swell-fuzz: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn named(name: &str) -> io::Result<&'static Target> {
    let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    Target::named(name)
        .ok_or_else(|| io::Error::other(format!("there is no target `{name}`; there are {}", names())))
}

/// Runs targets; returns true if no input failed.
fn run(name: &str, runs: Runs) -> io::Result<bool> {
    let targets: Vec<&Target> = if name == "all" { TARGETS.iter().collect() } else { vec![named(name)?] };
    let mut fine = true;
    for target in targets {
        match watch(&std::env::current_exe()?, target.name, runs, Duration::from_secs(LIMIT_S))? {
            Ending::Passed(count) => println!("{}: {count} inputs, none at fault", target.name),
            Ending::Failed(fault) => {
                fine = false;
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("failures");
                let path = fault.keep(target.name, &folder)?;
                println!("{}: {} (seed {}, run {})", target.name, fault.what, runs.seed, fault.current.run);
                println!("{}", fault.words.trim_end());
                println!("  repeat it: cargo run -p swell-fuzz -- repeat {} {}", target.name, path.display());
            }
        }
    }
    Ok(fine)
}

//! `swell serve`: kept runs as pages.

use std::sync::mpsc;

use swell_serve::ServedRuns;
use swell_session::runs::{self, HAS_HISTORY};

use crate::args::ServeArgs;
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};
use crate::signals;

/// Serves until it is interrupted.
pub(crate) fn serve(args: &ServeArgs) -> Result<Exit, Failure> {
    if !HAS_HISTORY {
        return Err(runs::without_history("it cannot serve runs").into());
    }
    let runs = runs::needed_runs_folder()?;
    // Uploads go there, also before the first run.
    std::fs::create_dir_all(&runs).map_err(|error| {
        Failure::settings(format!("cannot make the folder `{}`: {error}", runs.display()))
    })?;
    // Before the address is printed: a program that reads it may send a signal at once.
    let (end, ended) = mpsc::channel();
    signals::forward(end, |_| ())?;
    let served = ServedRuns::start(args.at, runs).map_err(|error| {
        Failure::settings(format!("cannot serve at {}: {error}", args.at)).hint("port 0 takes a free port")
    })?;
    let addresses = [served.address(), served.read_only_address()];
    print_stdout(&format!("Kept runs: {}\nTo look only: {}\n", addresses[0], addresses[1]))?;
    print_stderr("Ctrl-C ends it");
    // An error means that every sender is gone, which ends it as well.
    let _ = ended.recv();
    served.stop();
    Ok(Exit::Fine)
}

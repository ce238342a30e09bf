//! Tests on many machines: which machines, the broker, agents on this machine, and `swell agent`,
//! `swell fleet`.

mod agent;
mod children;
mod jmeters;
mod mode;
mod ssh;
mod starting;
mod studies;

pub(crate) use agent::agent;
pub(crate) use jmeters::serve_as_jmeter;
pub(crate) use mode::mode_of;
pub(crate) use starting::Fleet;
pub(crate) use studies::{StudyFleet, TrialPlan};

use swell_fleet::{Creds, FleetError, Join, Platform, broker, manifest};

use crate::args::{CredsArgs, FleetCommandArgs, FleetSubcommand, ManifestPlace};
use crate::exit::{Exit, Failure};
use crate::print::{print_secrets, print_stderr};

/// The same as a failure of a command.
pub(crate) fn failed(error: FleetError) -> Failure {
    let failure = Failure::settings(error.message);
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// A broker, and how to enter.
pub(crate) fn join_at(url: &str, creds: &CredsArgs) -> Result<Join, Failure> {
    let join: Join = url.parse().map_err(failed)?;
    let Some(path) = &creds.creds else { return Ok(join) };
    if join.user.is_some() {
        return Err(Failure::settings("the address of the broker has a name, and --creds has another")
            .hint("leave out one of the two"));
    }
    Ok(Join { creds: Some(Creds::read(path).map_err(failed)?), ..join })
}

/// `swell fleet`.
pub(crate) fn fleet(args: &FleetCommandArgs) -> Result<Exit, Failure> {
    match &args.command {
        FleetSubcommand::Install => {
            print_stderr("installing nats-server with `go install`; this takes a minute");
            let program = broker::install().map_err(failed)?;
            print_stderr(&format!("nats-server is {}", program.display()));
        }
        FleetSubcommand::Manifest(args) => {
            let place = match args.place {
                ManifestPlace::K8s => Platform::Kubernetes,
                ManifestPlace::Compose => Platform::Compose,
                ManifestPlace::Systemd => Platform::Systemd,
                ManifestPlace::Ssh => Platform::Ssh,
                ManifestPlace::Nats => Platform::Nats,
            };
            print_secrets(&manifest(place, args.agents, &args.image, &args.join, &args.hosts))?;
        }
    }
    Ok(Exit::Fine)
}

/// The exit status of a run that may have failed because machines were missing.
pub(crate) fn ended(exit: Exit, failure: Option<Failure>) -> Result<Exit, Failure> {
    match failure {
        None => Ok(exit),
        Some(failure) if exit == Exit::NothingRan => Err(failure),
        Some(failure) => {
            // What ran is not the test that the plan states.
            print_stderr(&failure.to_string());
            Ok(if exit == Exit::Fine { Exit::ResultsLost } else { exit })
        }
    }
}

/// What this machine is called.
pub(crate) fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".to_owned(), |name| name.trim().to_owned())
}

//! What is known before the first request and would spoil a test: too many users for this process
//! or its ports, hosts without an address, properties that nothing reads. One place for all
//! commands that make load.

mod machine;
mod names;
mod properties;
mod users;

use std::path::Path;
use std::time::Duration;

use swell_expr::Properties;
use swell_plan::Plan;
use swell_run::{PropertiesRead, Trial, TrialSettings};

use crate::args::{HitArgs, RunArgs, SettingArgs};
use crate::exit::Failure;
use crate::print::print_stderr;
use crate::subject::Subject;
use machine::Room;
pub(crate) use machine::UserCount;

/// A test without any server ends as soon as that was counted.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Looks at a test of URLs; what comes back ends it early where no host has an address: its
/// requests say so.
///
/// # Errors
/// There is no room for its users on this machine.
pub(crate) fn of_hit(args: &HitArgs, plan: &Plan, settings: TrialSettings) -> Result<TrialSettings, Failure> {
    if !args.debug && args.one.shape.shape.is_none() {
        // Streams share the connections.
        let asked = args.requests.map_or(args.users.into(), |requests| requests.min(args.users.into()));
        // With a rate, users may wait for each other's requests and never open a connection.
        let users = UserCount::of(asked, asked, args.rate.is_none());
        let destinations = if args.reach.unix.is_some() { None } else { Some(users::origins(plan)) };
        let sources = sources(args.one.source.as_deref(), &settings.props);
        check_users(users, destinations, sources.as_deref())?;
    }
    let is_routed = args.reach.unix.is_some() || !args.reach.connect_to.is_empty();
    if is_routed || args.reach.proxy.is_some() {
        return Ok(settings);
    }
    let hosts = names::of_plan(&plan.root, &[], &settings.props);
    let unknown = names::unknown(&hosts);
    if unknown.len() < hosts.len() || hosts.len() == names::MOST {
        say(&unknown);
        return Ok(settings);
    }
    let give_up = settings.give_up.map(|_| if unknown.is_empty() { args.give_up } else { AT_ONCE });
    Ok(TrialSettings { give_up, ..settings })
}

/// Looks at a plan that is to run. `is_here`: this machine makes its connections, and not agents.
///
/// # Errors
/// This machine has too little room for users that certainly start.
pub(crate) fn of_run(args: &RunArgs, trial: &Trial, is_here: bool) -> Result<(), Failure> {
    let unread = properties::unread(args.settings.in_order(), &trial.properties_read());
    say(&unread);
    if !is_here {
        return Ok(());
    }
    let root = trial.prepared().root();
    let props = trial.props();
    if trial.shape().is_none()
        && users::connect(root)
        && let Some(users) = users::of_plan(root, props)
    {
        let sources = sources(args.one.source.as_deref(), props);
        check_users(UserCount::of(users, users, false), users::destinations(root), sources.as_deref())?;
    }
    if names::are_resolved_here(root, props) {
        let hosts = names::of_plan(root, trial.prepared().variables(), props);
        say(&names::unknown(&hosts));
    }
    Ok(())
}

/// Looks at what a study loads, before its first trial, and at the fewest and the most users that
/// it will have.
///
/// # Errors
/// This machine has too little room for users that certainly start.
pub(crate) fn of_study(
    subject: &Subject,
    settings: &SettingArgs,
    users: Option<(u64, u64)>,
) -> Result<(), Failure> {
    let destinations = match subject {
        Subject::Url(_) => Some(1),
        Subject::Plan(path, plan) => {
            let root = plan.enabled_tree();
            let read = PropertiesRead::of(&root, path.parent().unwrap_or(Path::new(".")));
            say(&properties::unread(settings.in_order(), &read));
            users::destinations(&root)
        }
    };
    let sources = sources(None, &Properties::default());
    let Some((least, most)) = users else { return Ok(()) };
    let users = UserCount::of(least, most, matches!(subject, Subject::Url(_)));
    check_users(users, destinations, sources.as_deref())
}

/// Refuses users for whom there is certainly no room, and warns of others. `destinations`: how many
/// addresses they connect to; none where that is not known, or they need no ports.
///
/// # Errors
/// A part of the users cannot have a connection.
fn check_users(users: UserCount, destinations: Option<usize>, sources: Option<&str>) -> Result<(), Failure> {
    let checked = Room::of_this_machine(sources).check(users, destinations);
    let warning = checked.map_err(|shortage| Failure::settings(shortage.what).hint(shortage.hint))?;
    if let Some(shortage) = warning {
        print_stderr(&format!("warning: {}\n  hint: {}", shortage.what, shortage.hint));
    }
    Ok(())
}

fn say<T: std::fmt::Display>(lines: &[T]) {
    for line in lines {
        print_stderr(&line.to_string());
    }
}

/// Addresses that connections go out from: those of the command line, else of the property, else of
/// the environment.
fn sources(option: Option<&str>, props: &Properties) -> Option<String> {
    let others = || props.get("swell.source").or_else(|| std::env::var("SWELL_SOURCE").ok());
    option.map(str::to_owned).or_else(others).filter(|list| !list.is_empty())
}

//! `swell sweep --search`: finds the load that the server can handle with each setting.

use clap::Parser;
use swell_report::json::indented;
use swell_session::MADE_BY;
use swell_study::search::StopReason;
use swell_study::server::{Template, run_hook};
use swell_study::sweep::{Capacities, Capacity, combinations, words};

use super::driver::check_settings;
use crate::args::{Cli, Command, NumberRange, RateRange, SearchArgs, SweepArgs, VaryRange};
use crate::exit::{Exit, Failure};
use crate::print::print_stderr;
use crate::search::Searches;
use crate::study::check_property;
use crate::study_folder::show;
use crate::subject::Subject;

/// Searches each setting.
pub(super) fn capacity(args: &SweepArgs, range: &VaryRange) -> Result<Exit, Failure> {
    let search = search_args(args, range)?;
    check_settings(args, &Subject::read(&args.subject, &args.set)?)?;
    let mut searches = Searches::begin(&search)?;
    let folder = super::folder(args, "capacity.json")?;
    let mut all = Capacities {
        server: args.server.command.clone(),
        ..Capacities::new(MADE_BY, &args.subject, &range.name)
    };
    let settings = combinations(&args.settings);
    for (at, setting) in settings.iter().enumerate() {
        let told = words(setting);
        let of = format!("Search {} of {}", at + 1, settings.len());
        print_stderr(&if told.is_empty() { of } else { format!("{of}: {told}") });
        all.each.push(of_setting(args, &mut searches, setting)?);
        if let Some(folder) = &folder {
            folder.write([
                ("capacity.csv", all.csv()),
                ("capacity.json", indented(&all)),
                ("index.html", all.html()),
            ])?;
        }
        if !searches.goes_on() {
            break;
        }
    }
    show(folder.as_ref(), &all, args.json, || all.text())?;
    let exit = exit(&searches, &all);
    searches.end(exit)
}

/// One setting, between its hooks.
fn of_setting(
    args: &SweepArgs,
    searches: &mut Searches<'_>,
    settings: &[(String, String)],
) -> Result<Capacity, Failure> {
    let hook = |command: &Option<String>| {
        command.as_deref().map_or(Ok(()), |command| run_hook(&Template::new(command), settings))
    };
    let is_set = hook(&args.hooks.set_hook);
    let (found, failure) = match &is_set {
        Ok(()) => searches.search(settings, args.hooks.server_warm_up)?,
        Err(error) => (searches.nothing(), Some(error.to_string())),
    };
    // A separate hook applies the next setting, and reports a failure.
    let _ = hook(&args.hooks.reset_hook);
    Ok(Capacity { settings: settings.to_vec(), found, failure })
}

fn exit(searches: &Searches<'_>, all: &Capacities) -> Exit {
    let is_gone =
        |stopped: &StopReason| matches!(stopped, StopReason::ServerGone(_) | StopReason::NothingWorks(_));
    let is_lost = |one: &Capacity| one.failure.is_some() || one.found.stopped.as_ref().is_some_and(is_gone);
    match () {
        () if !searches.goes_on() => Exit::Interrupted,
        () if all.each.iter().any(is_lost) => Exit::NothingSucceeded,
        () => Exit::Fine,
    }
}

/// The same as options of `swell search`.
fn search_args(args: &SweepArgs, range: &VaryRange) -> Result<SearchArgs, Failure> {
    // A range that is always right; the true one takes its place.
    let cli = Cli::try_parse_from(["swell", "search", &args.subject, "--rate=1..2"]);
    let Ok(Cli { command: Command::Search(base), .. }) = cli else { unreachable!("the line says search") };
    let mut search = SearchArgs { rate: None, ..*base };
    let low = range.low;
    let high = range.high;
    match (&*range.name, is_property(args, &range.name)?) {
        ("rate", false) => search.rate = Some(RateRange(low, high)),
        ("users", false) if range.whole => search.users = Some(NumberRange(low, high)),
        ("users", false) => {
            return Err(Failure::settings(format!("users={low}..{high}: users are whole numbers")));
        }
        _ => search.vary = Some(range.clone()),
    }
    search.rules.clone_from(&args.capacity.rules);
    (search.width, search.budget, search.trial) = (args.capacity.width, args.capacity.budget, args.each);
    if let swell_study::trials::WarmUp::Time(time) = args.warm_up.0 {
        search.warm_up = time;
    }
    search.set = args.set.clone();
    search.seed = args.seed;
    search.server = args.server.clone();
    search.safety = args.safety.clone();
    search.observe = args.observe.clone();
    search.force = args.force;
    search.json = args.json;
    search.fleet = args.fleet.clone();
    search.jvm = args.jvm.clone();
    search.properties = args.properties.clone();
    Ok(search)
}

/// A plan that reads a property of that name has it varied; else `users` and `rate` are those of
/// its groups and timers.
fn is_property(args: &SweepArgs, name: &str) -> Result<bool, Failure> {
    Ok(match Subject::read(&args.subject, &args.set)? {
        Subject::Url(_) => !matches!(name, "users" | "rate"),
        Subject::Plan(path, plan) => {
            !matches!(name, "users" | "rate") || check_property(&path, &plan, name, "").is_ok()
        }
    })
}

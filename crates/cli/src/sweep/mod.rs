//! `swell sweep`: a server over a grid of settings and loads.

mod capacity;
mod driver;

use std::path::Path;
use std::time::Duration;

use swell_session::MADE_BY;
use swell_study::server::Template;
use swell_study::sweep::{self, Axis, CellEnd, Grid, Order, ServerUse, Surface, SweepOptions};

use crate::args::{SweepArgs, rate};
use crate::exit::{Exit, Failure};
use crate::print::print_stderr;
use crate::study_folder::{StudyFolder, show};
use driver::SweepDriver;

/// Cells at most: what is more is rather a mistake than a plan for a week.
const MOST_CELLS: usize = 10_000;

/// Runs the command.
pub(crate) fn sweep(args: &SweepArgs) -> Result<Exit, Failure> {
    if let Some(exit) = args.set.list(Path::new(&args.subject))? {
        return Ok(exit);
    }
    let vary = match (&args.vary, &args.capacity.search) {
        (_, Some(range)) => {
            check_time(args)?;
            return capacity::capacity(args, range);
        }
        (Some(vary), None) => vary,
        (None, None) => unreachable!("one of them is required"),
    };
    let mut surface = surface(args, vary)?;
    let subject = driver::subject(args, vary)?;
    driver::check_settings(args, &subject)?;
    let folder = folder(args, "surface.json")?;
    let mut driver = SweepDriver::new(args, subject, folder)?;
    let use_of = server_use(args);
    let options = SweepOptions {
        each: args.each,
        rounds: usize::from(args.repeats),
        order: if args.in_order { Order::Given } else { Order::Drawn(args.seed) },
        warm_up: args.warm_up.0,
        guard: args.safety.guard(),
        ceiling: args.safety.ceiling(),
    };
    let whole = sweep::run(&mut surface, &use_of, options, &mut driver)?;
    show(driver.folder.as_ref(), &surface, args.json, || sweep::text(&surface))?;
    if !whole {
        print_stderr("interrupted; what was measured before is above");
        return Ok(Exit::Interrupted);
    }
    let settings = surface.grid.combinations().len();
    let works = (0..settings).all(|setting| surface.nothing_worked(setting).is_none());
    let complete = works && surface.cells.iter().all(|cell| cell.ending == CellEnd::Measured);
    driver.study.trials.end(if complete { Exit::Fine } else { Exit::NothingSucceeded })
}

/// How long a cell or trial takes makes sense.
fn check_time(args: &SweepArgs) -> Result<(), Failure> {
    if args.each < Duration::from_millis(100) {
        return Err(Failure::settings("a cell takes at least 100ms").hint("--each 20s is a good beginning"));
    }
    Ok(())
}

/// Refuses a load above its ceiling.
fn check_ceiling(args: &SweepArgs, vary: &Axis) -> Result<(), Failure> {
    let (most, option) = match &*vary.name {
        "users" => (f64::from(args.safety.max_users), "--max-users"),
        "rate" => (args.safety.max_rate, "--max-rate"),
        _ => return Ok(()),
    };
    // An invalid number is reported when the loads are checked, or is a property of a plan.
    let read = |value: &str| if &*vary.name == "rate" { rate(value).ok() } else { value.parse().ok() };
    let above = vary.values.iter().find(|value| read(value).is_some_and(|value| value > most));
    above.map_or(Ok(()), |value| {
        Err(Failure::settings(format!("{}={value} is above the ceiling of {most}", vary.name))
            .hint(format!("raise it with {option} if the server and the network can handle that")))
    })
}

fn surface(args: &SweepArgs, vary: &Axis) -> Result<Surface, Failure> {
    check_time(args)?;
    check_ceiling(args, vary)?;
    let names: Vec<_> = args.settings.iter().chain([vary]).map(|axis| &*axis.name).collect();
    if let Some((_, name)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        return Err(
            Failure::settings(format!("`{name}` is given twice")).hint("each name has one list of values")
        );
    }
    let grid = Grid { settings: args.settings.clone(), load: vary.clone() };
    let cells =
        grid.settings.iter().try_fold(grid.load.values.len(), |all, axis| all.checked_mul(axis.values.len()));
    let cells = cells.and_then(|cells| cells.checked_mul(usize::from(args.repeats)));
    if cells.is_none_or(|cells| cells > MOST_CELLS) {
        return Err(
            Failure::settings(format!("that are more than {MOST_CELLS} cells")).hint("take fewer values")
        );
    }
    Ok(Surface {
        server: args.server.command.clone(),
        each_s: args.each.as_secs_f64(),
        seed: (!args.in_order).then_some(args.seed),
        ..Surface::new(MADE_BY, &args.subject, grid)
    })
}

/// How the server comes to its settings.
fn server_use(args: &SweepArgs) -> ServerUse {
    let hook = |command: &Option<String>| command.as_deref().map(Template::new);
    ServerUse {
        server: args.server.plan(),
        set: hook(&args.hooks.set_hook),
        reset: hook(&args.hooks.reset_hook),
        warm_up: args.hooks.server_warm_up,
    }
}

/// The folder of the sweep, where one is wanted; one that has this file is taken only by force.
fn folder(args: &SweepArgs, file: &str) -> Result<Option<StudyFolder>, Failure> {
    args.output.as_deref().map(|dir| StudyFolder::begin(dir, file, "sweep", args.force)).transpose()
}

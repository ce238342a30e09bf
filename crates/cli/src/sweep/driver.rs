//! Makes the trials of a sweep.

use std::net::IpAddr;
use std::path::Path;

use swell_plan::Plan;
use swell_report::json::indented;
use swell_run::{Starter, Trial, TrialReport, TrialSettings};
use swell_study::safety::check_address;
use swell_study::server::{PORT, Ready, Template};
use swell_study::sweep::{Axis, Driver, Say, Surface, html};

use crate::args::{ServerArgs, SettingHookArgs, SweepArgs, rate, users};
use crate::exit::Failure;
use crate::preflight;
use crate::print::print_stderr;
use crate::study::{Allowed, Study, check_property, of_hit, of_run};
use crate::study_folder::StudyFolder;
use crate::subject::Subject;
use crate::trials::{Counting, StudyOptions, TrialFacts};

pub(super) struct SweepDriver<'a> {
    args: &'a SweepArgs,
    subject: Subject,
    pub(super) folder: Option<StudyFolder>,
    pub(super) study: Study,
}

impl<'a> SweepDriver<'a> {
    /// Signals are caught from now on: one ends the sweep, a second one the process.
    pub(super) fn new(
        args: &'a SweepArgs,
        subject: Subject,
        folder: Option<StudyFolder>,
    ) -> Result<Self, Failure> {
        check_users(args, &subject)?;
        let options = StudyOptions {
            kind: "sweep",
            subject: &args.subject,
            observe: &args.observe,
            force: args.force,
            json: args.json,
            counting: Counting::All,
        };
        let study = Study::begin(&options, (&args.fleet, &args.jvm), &subject)?;
        Ok(Self { args, subject, folder, study })
    }

    fn made(&mut self, given: &[(String, String)], load: (&str, &str)) -> Result<Trial, Failure> {
        let (path, (plan, made)) = match &self.subject {
            Subject::Url(url) => (None, self.of_url(url, given, load)?),
            Subject::Plan(path, plan) => {
                (Some(&**path), ((**plan).clone(), self.of_plan(path, plan, given, load)?))
            }
        };
        let label = label(given, load);
        let is_changed = !self.args.set.sets.is_empty();
        self.study.prepare(TrialFacts { file: path, plan: &plan, is_changed, label }, made)
    }

    /// As `swell hit` makes it.
    fn of_url(
        &self,
        url: &Template,
        given: &[(String, String)],
        load: (&str, &str),
    ) -> Result<(Plan, TrialSettings), Failure> {
        let url = url.fill(given).map_err(|error| Failure::settings(error.to_string()))?;
        allowed(self.args).check_url(&url)?;
        // Longer than the cell: the sweep ends it.
        let time = format!("{}s", self.args.each.as_secs_f64() + 60.0);
        let users = self.args.users.to_string();
        let made = match load.0 {
            "rate" => of_hit(&[&url, "-d", &time, "-r", load.1, "-c", &users, "--no-monitor"]),
            _ => of_hit(&[&url, "-d", &time, "-c", load.1, "--no-monitor"]),
        };
        let (plan, made) = made.map_err(|failure| Failure {
            message: format!("{}={}: {}", load.0, load.1, failure.message),
            ..failure
        })?;
        Ok((plan, TrialSettings { ends_process: false, ..made }))
    }

    /// As `swell run` makes it, with settings and load as properties.
    fn of_plan(
        &self,
        path: &Path,
        plan: &Plan,
        given: &[(String, String)],
        load: (&str, &str),
    ) -> Result<TrialSettings, Failure> {
        let args = self.args;
        let made = of_run(path, given, &args.properties, &args.jvm)?;
        made.props.set(load.0, load.1);
        allowed(args).check_plan(plan, &made.props)?;
        Ok(TrialSettings { give_up: Some(args.each), ..made })
    }
}

impl Driver for SweepDriver<'_> {
    type Failure = Failure;

    fn trial(&mut self, given: &[(String, String)], load: (&str, &str)) -> Result<Trial, Failure> {
        self.made(given, load)
    }

    fn starter(&mut self) -> Starter {
        self.study.starter()
    }

    fn finished(&mut self, report: TrialReport) -> Result<TrialReport, Failure> {
        self.study.trials.end_trial(report)
    }

    fn ended(&mut self) -> Result<(), Failure> {
        self.study.ended()
    }

    fn goes_on(&self) -> bool {
        self.study.course.goes_on()
    }

    fn may_load(&mut self, address: IpAddr) -> Result<(), Failure> {
        let checked = check_address(address, &self.args.safety.i_may_load);
        checked.map_err(|why| refused(&address.to_string(), &why))
    }

    fn say(&mut self, how: Say) {
        if let Say::Done(.., what) = &how {
            self.study.trials.conclude(what);
        }
        print_stderr(&match how {
            Say::Starting(words) if words.is_empty() => "Starting the server".to_owned(),
            Say::Starting(words) => format!("Starting the server with {words}"),
            Say::Done(done, all, what) => format!("{done} of {all}: {what}"),
        });
    }

    fn keep(&mut self, surface: &Surface) -> Result<(), Failure> {
        self.folder.as_ref().map_or(Ok(()), |folder| {
            folder.write([
                ("surface.csv", surface.csv()),
                ("surface.json", indented(surface)),
                ("index.html", html(surface)),
            ])
        })
    }
}

/// Whether there is room for the most users that a cell has; those of a plan may be any property.
fn check_users(args: &SweepArgs, subject: &Subject) -> Result<(), Failure> {
    let vary = args.vary.as_ref().filter(|vary| &*vary.name == "users" && args.fleet.agents.is_none());
    let most = vary.and_then(|vary| vary.values.iter().filter_map(|value| value.parse().ok()).max());
    // A sweep runs all of its cells.
    preflight::of_study(subject, &args.properties, most.map(|most| (most, most)))
}

/// A cell as trials and results of thresholds are named.
fn label(given: &[(String, String)], load: (&str, &str)) -> String {
    let settings = given.iter().filter(|(name, _)| name != PORT);
    let settings = settings.map(|(name, value)| format!("{name} {value}, "));
    settings.collect::<String>() + &format!("{} {}", load.0, load.1)
}

fn allowed(args: &SweepArgs) -> Allowed<'_> {
    Allowed { hosts: &args.safety.i_may_load, refuse: refused }
}

fn refused(host: &str, why: &str) -> Failure {
    Failure::settings(format!("{why}, so it is not loaded")).hint(format!("--i-may-load {host}, if you may"))
}

/// What is loaded, if it can be with these loads and settings.
pub(super) fn subject(args: &SweepArgs, vary: &Axis) -> Result<Subject, Failure> {
    let subject = Subject::read(&args.subject, &args.set)?;
    let name = &*vary.name;
    match &subject {
        Subject::Url(_) if !matches!(name, "users" | "rate") => {
            return Err(Failure::settings(format!("a URL has no `{name}` to vary"))
                .hint("vary `users` or `rate`; a plan has more: each property that it reads"));
        }
        Subject::Url(_) => check_loads(vary)?,
        Subject::Plan(path, plan) => check_property(path, plan, name, "vary another")?,
    }
    Ok(subject)
}

/// Loads of a URL are numbers. Properties of a plan may be any text.
fn check_loads(vary: &Axis) -> Result<(), Failure> {
    for value in &vary.values {
        let read = if &*vary.name == "rate" { rate(value).map(drop) } else { users(value).map(drop) };
        read.map_err(|why| Failure::settings(format!("{}={value}: {why}", vary.name)))?;
    }
    Ok(())
}

/// Refuses a setting that has a place nowhere: all its cells would measure the same.
pub(super) fn check_settings(args: &SweepArgs, subject: &Subject) -> Result<(), Failure> {
    let ServerArgs { command, ready, .. } = &args.server;
    let SettingHookArgs { set_hook, reset_hook, .. } = &args.hooks;
    let mut places: Vec<_> = [command, set_hook, reset_hook]
        .into_iter()
        .flatten()
        .map(|text| Template::new(text.as_str()))
        .collect();
    match ready {
        Some(Ready::Url(place) | Ready::Tcp(place)) => places.push(place.clone()),
        Some(Ready::Line(_)) | None => {}
    }
    // A plan may read a property in a script or in a part that it includes, where it does not stand
    // as a function.
    let mut of_plan = String::new();
    match subject {
        Subject::Url(url) => places.push(url.clone()),
        Subject::Plan(path, _) => {
            of_plan = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        }
    }
    let ends_word = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.');
    let is_used = |name: &str| {
        of_plan.split(ends_word).any(|word| word == name)
            || of_plan.contains("IncludeController.includepath")
            || places.iter().any(|place| place.names().any(|known| known == name))
    };
    match args.settings.iter().find(|axis| !is_used(&axis.name)) {
        None => Ok(()),
        Some(Axis { name, .. }) => {
            Err(Failure::settings(format!("nothing uses the setting `{name}`")).hint(format!(
                "write {{{name}}} in --server, --set-hook or the URL; a plan reads it as ${{__P({name})}}"
            )))
        }
    }
}

//! Makes the trials of a search.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use swell_plan::Plan;
use swell_report::json::indented;
use swell_run::{Starter, Trial, TrialReport, TrialSettings, table_of_elements};
use swell_study::safety::check_address;
use swell_study::search::{Driver, LoadSetting, SearchReport, Spacing, Vary, html, with_rate};
use swell_study::server::{PORT, Template};

use crate::args::SearchArgs;
use crate::exit::Failure;
use crate::preflight;
use crate::print::print_stderr;
use crate::settings;
use crate::study::{Allowed, Study, check_property, of_hit, of_run};
use crate::study_folder::StudyFolder;
use crate::subject::Subject;
use crate::trials::{Counting, StudyOptions, TrialFacts};

pub(super) struct SearchDriver<'a> {
    args: &'a SearchArgs,
    vary: Vary,
    subject: Subject,
    /// How the load of a plan is set; none where a property sets it, or a URL is loaded.
    scaled: Option<LoadSetting>,
    /// Where what is found is kept.
    pub(super) folder: Option<StudyFolder>,
    pub(super) study: Study,
}

impl<'a> SearchDriver<'a> {
    /// Signals are caught from now on: one ends the search, a second one the process.
    pub(super) fn new(args: &'a SearchArgs, vary: Vary) -> Result<Self, Failure> {
        let subject = Subject::read(&args.subject, &args.set)?;
        let scaled = check(args, &vary, &subject)?;
        let users = args.users.filter(|_| args.fleet.agents.is_none());
        let users = users.map(|range| (range.0 as u64, range.1 as u64));
        preflight::of_study(&subject, &args.properties, users)?;
        let options = StudyOptions {
            kind: "search",
            subject: &args.subject,
            observe: &args.observe,
            force: args.force,
            json: args.json,
            counting: Counting::Settled,
        };
        let study = Study::begin(&options, (&args.fleet, &args.jvm), &subject)?;
        Ok(Self { args, vary, subject, scaled, folder: None, study })
    }

    /// Messages to print before the first trial.
    pub(super) fn notes(&self) -> Vec<String> {
        self.scaled.iter().map(|scaled| scaled.words.clone()).collect()
    }

    /// Thresholds judge the trial at the load that holds.
    pub(super) fn settle(&mut self, holds: Option<f64>) {
        let label = holds.map(|load| label(&self.vary, load));
        self.study.trials.settle(label.as_slice());
    }

    fn spacing(&self) -> Spacing {
        if self.args.even { Spacing::Even } else { Spacing::Poisson(self.args.seed) }
    }

    fn made(&mut self, given: &[(String, String)], load: f64) -> Result<Trial, Failure> {
        let (path, (plan, made)) = match &self.subject {
            Subject::Url(url) => (None, self.of_url(url, given, load)?),
            Subject::Plan(path, plan) => (Some(&**path), self.of_plan(path, plan, given, load)?),
        };
        // Users pause where no server is reached; the search itself ends such a trial.
        let settings = TrialSettings { ends_process: false, give_up: Some(Duration::MAX), ..made };
        let label = label(&self.vary, load);
        let is_changed = !self.args.set.sets.is_empty();
        self.study.prepare(TrialFacts { file: path, plan: &plan, is_changed, label }, settings)
    }

    /// As `swell hit` makes it.
    fn of_url(
        &self,
        url: &Template,
        given: &[(String, String)],
        load: f64,
    ) -> Result<(Plan, TrialSettings), Failure> {
        let url = url.fill(given).map_err(|error| Failure::settings(error.to_string()))?;
        allowed(self.args).check_url(&url)?;
        // Under open load a user is a connection: as many as are due in a second or more are always
        // enough for a server that answers.
        const LEAST_CONNECTIONS: f64 = 50.0;
        let users = match self.vary {
            Vary::Rate => load.max(LEAST_CONNECTIONS).min(f64::from(self.args.safety.max_users)),
            _ => load,
        };
        let users = format!("{}", users.ceil());
        // Longer than any trial: the search ends it.
        let mut line: Vec<String> =
            [&url, "-d", "1d", "-c", &users, "--no-monitor"].map(str::to_owned).to_vec();
        line.extend(self.args.headers.iter().map(|header| format!("--header={header}")));
        line.extend(self.args.method.iter().map(|method| format!("--method={method}")));
        line.extend(self.args.body.iter().map(|body| format!("--body={body}")));
        line.extend(self.args.send.iter().map(|text| format!("--send={text}")));
        line.extend(self.args.timeout.iter().map(|time| format!("--timeout={}ms", time.as_millis())));
        let (plan, made) = of_hit(&line.iter().map(String::as_str).collect::<Vec<_>>())?;
        if self.vary != Vary::Rate {
            return Ok((plan, made));
        }
        let plan = with_rate(plan, self.spacing());
        let scaled = LoadSetting::of(&plan, &Vary::Rate, &table_of_elements()).map_err(Failure::settings)?;
        Ok((scaled.apply(&plan, load, self.spacing()), made))
    }

    /// As `swell run` makes it.
    fn of_plan(
        &self,
        path: &Path,
        plan: &Plan,
        given: &[(String, String)],
        load: f64,
    ) -> Result<(Plan, TrialSettings), Failure> {
        let args = self.args;
        let made = of_run(path, given, &args.properties, &args.jvm)?;
        if let Vary::Property(name) = &self.vary {
            made.props.set(name, &format!("{load}"));
        }
        let scaled = self.scaled.as_ref();
        let plan = scaled.map_or_else(|| plan.clone(), |scaled| scaled.apply(plan, load, self.spacing()));
        Ok((plan, TrialSettings { seed: Some(args.seed), ..made }))
    }
}

impl Driver for SearchDriver<'_> {
    type Failure = Failure;

    fn trial(&mut self, given: &[(String, String)], load: f64) -> Result<Trial, Failure> {
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

    fn say(&mut self, line: &str) {
        self.study.trials.conclude(line);
        print_stderr(line);
    }

    fn may_load(&mut self, address: IpAddr) -> Result<(), Failure> {
        let checked = check_address(address, &self.args.safety.i_may_load);
        checked.map_err(|why| refused("", &why))
    }

    fn keep(&mut self, found: &SearchReport) -> Result<(), Failure> {
        self.folder.as_ref().map_or(Ok(()), |folder| keep(folder, found))
    }
}

/// Rewrites both files of a search.
pub(super) fn keep(folder: &StudyFolder, found: &SearchReport) -> Result<(), Failure> {
    folder.write([("search.json", indented(found)), ("index.html", html(found))])
}

/// A load as trials and results of thresholds are named.
pub(super) fn label(vary: &Vary, load: f64) -> String {
    match vary {
        Vary::Rate => format!("rate {load}"),
        Vary::Users => format!("users {load}"),
        Vary::Property(name) => format!("{name} {load}"),
    }
}

fn allowed(args: &SearchArgs) -> Allowed<'_> {
    Allowed { hosts: &args.safety.i_may_load, refuse: refused }
}

fn refused(_host: &str, why: &str) -> Failure {
    Failure::settings(why)
        .hint("a search loads a server until it breaks: --i-may-load HOST says that you may do that")
}

/// Whether the load can be varied and the host may be loaded, before a server is started; how load
/// is set in a plan.
fn check(args: &SearchArgs, vary: &Vary, subject: &Subject) -> Result<Option<LoadSetting>, Failure> {
    match (subject, vary) {
        (Subject::Url(_), Vary::Property(name)) => {
            Err(Failure::settings(format!("a URL has no property `{name}` to vary"))
                .hint("--rate A..B or --users A..B; a plan has properties"))
        }
        (Subject::Url(url), _) => {
            // The port is that of a server that does not run yet; any other name is reported when
            // the trial is made.
            let any_port = [(PORT.to_owned(), "1".to_owned())];
            url.fill(&any_port).map_or(Ok(()), |url| allowed(args).check_url(&url))?;
            Ok(None)
        }
        (Subject::Plan(path, plan), _) => {
            let props =
                settings::load(&args.properties).map_err(|error| Failure::settings(error.to_string()))?;
            allowed(args).check_plan(plan, &props)?;
            let Vary::Property(name) = vary else {
                let found = LoadSetting::of(plan, vary, &table_of_elements());
                return found.map(Some).map_err(Failure::settings);
            };
            check_property(path, plan, name, "use --users or --rate")?;
            Ok(None)
        }
    }
}

//! What searches and sweeps have in common: a URL or a plan that is loaded, trials of it, whom they
//! may load, and signals.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;
use swell_expr::{Level, Properties};
use swell_plan::Plan;
use swell_results::FileOptions;
use swell_run::{Monitor, PropertiesRead, Starter, Trial, TrialSettings};
use swell_study::safety::{check_host, hosts_of};
use swell_study::server::PORT;
use url::Url;

use crate::args::{Cli, Command, JvmArgs, SettingArgs, StudyFleetArgs};
use crate::exit::Failure;
use crate::fleet::{StudyFleet, TrialPlan};
use crate::hit;
use crate::messages;
use crate::run::setup;
use crate::settings;
use crate::signals;
use crate::subject::Subject;
use crate::trials::{ObservedTrials, StudyOptions, TrialFacts};

/// Refuses to vary a property that a plan does not read; `or` is what else the user can do.
pub(crate) fn check_property(path: &Path, plan: &Plan, name: &str, or: &str) -> Result<(), Failure> {
    let read = PropertiesRead::of(&plan.enabled_tree(), path.parent().unwrap_or(Path::new(".")));
    if read.names_property(name) {
        return Ok(());
    }
    let names: Vec<_> = read.names().collect();
    let all =
        if names.is_empty() { "it reads none".to_owned() } else { format!("it reads {}", names.join(", ")) };
    Err(Failure::settings(format!("the plan reads no property `{name}`, so nothing varies; {all}"))
        .hint(format!("write ${{__P({name},10)}} where the plan has its number, or {or}")))
}

/// Plan and settings as `swell hit` with these arguments makes them.
///
/// # Errors
/// Which argument is wrong, or that the request cannot be made.
pub(crate) fn of_hit(line: &[&str]) -> Result<(Plan, TrialSettings), Failure> {
    let cli = Cli::try_parse_from(["swell", "hit"].iter().chain(line)).map_err(|error| {
        let why = error.to_string();
        Failure::settings(why.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })?;
    let Command::Hit(args) = cli.command else { unreachable!("the line says hit") };
    hit::plan_and_settings(&args, messages::plain_sink())
}

/// Settings as `swell run` makes them, with those of the server as properties; a server that has a
/// port is on this machine.
pub(crate) fn of_run(
    path: &Path,
    given: &[(String, String)],
    properties: &SettingArgs,
    jvm: &JvmArgs,
) -> Result<TrialSettings, Failure> {
    let props = settings::load(properties).map_err(|error| Failure::settings(error.to_string()))?;
    for (name, value) in given {
        props.set(name, value);
    }
    if given.iter().any(|(name, _)| name == PORT) && props.get("host").is_none() {
        props.set("host", "127.0.0.1");
    }
    let of_file = TrialSettings::of_file(path);
    Ok(TrialSettings {
        props,
        files: FileOptions { replace: true, ..of_file.files },
        log_level: Level::Error,
        scripts: jvm.mode(),
        jvm: jvm.settings(properties, &[]),
        messages: messages::plain_sink(),
        ..of_file
    })
}

/// Hosts that a study may load besides the user's own machines.
pub(crate) struct Allowed<'a> {
    /// Hosts of `--i-may-load`.
    pub(crate) hosts: &'a [String],
    /// Makes the message for a refused host from its name and the reason.
    pub(crate) refuse: fn(&str, &str) -> Failure,
}

impl Allowed<'_> {
    fn check(&self, host: &str) -> Result<(), Failure> {
        let bare = host.trim_matches(['[', ']']);
        check_host(bare, self.hosts).map_err(|why| (self.refuse)(bare, &why))
    }

    /// Checks the host of a URL; an invalid URL is reported when the trial is made.
    pub(crate) fn check_url(&self, url: &str) -> Result<(), Failure> {
        let whole = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        Url::parse(&whole).ok().as_ref().and_then(Url::host_str).map_or(Ok(()), |host| self.check(host))
    }

    /// Checks the hosts named in a plan, and that of the property `host`. Hosts that only the
    /// running plan knows are not checked.
    pub(crate) fn check_plan(&self, plan: &Plan, props: &Properties) -> Result<(), Failure> {
        let mut hosts = hosts_of(plan);
        hosts.extend(props.get("host").filter(|host| !host.is_empty() && !host.contains("${")));
        hosts.iter().try_for_each(|host| self.check(host))
    }
}

/// A study: who watches its trials, where they are made, and whether it continues.
pub(crate) struct Study {
    monitor: Option<Monitor>,
    machines: Machines,
    pub(crate) trials: ObservedTrials,
    pub(crate) course: Course,
}

impl Study {
    /// Signals are caught from now on: one ends the study, a second one the process.
    ///
    /// # Errors
    /// An option cannot be used, or agents cannot be started.
    pub(crate) fn begin(
        options: &StudyOptions<'_>,
        (fleet, jvm): (&StudyFleetArgs, &JvmArgs),
        subject: &Subject,
    ) -> Result<Self, Failure> {
        let course = Course::begin()?;
        let monitor = options.observe.monitor.start(&messages::plain_sink())?;
        let trials = ObservedTrials::begin(options, course.interrupted())?;
        let machines = Machines::begin(fleet, jvm, subject)?;
        Ok(Self { monitor, machines, trials, course })
    }

    /// Makes a trial ready, with observers.
    ///
    /// # Errors
    /// The plan or an option cannot be used.
    pub(crate) fn prepare(
        &mut self,
        facts: TrialFacts<'_>,
        settings: TrialSettings,
    ) -> Result<Trial, Failure> {
        let settings = TrialSettings { monitor: self.monitor.clone(), ..settings };
        let trial = self.machines.prepare(facts.file, facts.plan, settings)?;
        self.trials.observe(&trial, facts)?;
        Ok(trial)
    }

    /// What starts the trial that was made ready.
    pub(crate) fn starter(&mut self) -> Starter {
        let starter = self.machines.starter();
        self.trials.starter(starter)
    }

    /// The result of the last trial on other machines.
    ///
    /// # Errors
    /// Agents were missing or lost, or could not run the plan.
    pub(crate) fn ended(&self) -> Result<(), Failure> {
        self.machines.ended()
    }
}

/// Where the trials of a study are made.
struct Machines {
    fleet: Option<StudyFleet>,
    /// Starter of the last trial, where agents make it.
    starter: Option<Starter>,
}

impl Machines {
    /// Starts agents, if they are wanted.
    fn begin(args: &StudyFleetArgs, jvm: &JvmArgs, subject: &Subject) -> Result<Self, Failure> {
        if args.agents.is_some() && matches!(subject, Subject::Url(_)) {
            return Err(Failure::settings("agents make trials of plans, and this is a URL")
                .hint("write the request into a plan, or leave out --agents"));
        }
        Ok(Self { fleet: StudyFleet::begin(args, jvm)?, starter: None })
    }

    /// Makes a trial ready; `path` is the file that the plan came from, where it did.
    fn prepare(
        &mut self,
        path: Option<&Path>,
        plan: &Plan,
        settings: TrialSettings,
    ) -> Result<Trial, Failure> {
        let seed = settings.seed;
        let trial = setup::prepare(plan, settings)?;
        if let (Some(fleet), Some(path)) = (&mut self.fleet, path) {
            self.starter = Some(fleet.starter(&TrialPlan { path, plan, seed }, &trial)?);
        }
        Ok(trial)
    }

    fn starter(&mut self) -> Starter {
        self.starter.take().unwrap_or_else(|| Box::new(Trial::start))
    }

    fn ended(&self) -> Result<(), Failure> {
        self.fleet.as_ref().map_or(Ok(()), StudyFleet::ended)
    }
}

/// Whether a study continues, and if not, why.
pub(crate) struct Course {
    interrupted: Arc<AtomicBool>,
}

impl Course {
    /// Signals are caught from now on: one ends the study, a second one the process.
    pub(crate) fn begin() -> Result<Self, Failure> {
        Ok(Self { interrupted: signals::interrupt_flag()? })
    }

    /// Set when a signal wants the end.
    pub(crate) fn interrupted(&self) -> Arc<AtomicBool> {
        self.interrupted.clone()
    }

    /// No signal has come.
    pub(crate) fn goes_on(&self) -> bool {
        !self.interrupted.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::{Element, Node};

    #[test]
    fn others_are_loaded_only_by_name() {
        let refuse = |host: &str, why: &str| Failure::settings(why).hint(format!("not {host}"));
        let none = Allowed { hosts: &[], refuse };
        for own in [
            "localhost:8080/a",
            "http://127.0.0.1:1/",
            "http://10.1.2.3/",
            "http://[::1]:8/",
            "http://[fd00::1]/",
            "http://{host}/",
        ] {
            assert!(none.check_url(own).is_ok(), "{own}");
        }
        for (other, host) in [
            ("http://93.184.216.34/", "93.184.216.34"),
            ("https://u:p@172.32.0.1:8443/a", "172.32.0.1"),
            ("http://[2606:2800:220:1::1]/", "2606:2800:220:1::1"),
            ("http://93.184.216.34?d", "93.184.216.34"),
        ] {
            let failure = none.check_url(other).expect_err(other);
            assert_eq!(failure.hint, Some(format!("not {host}")), "{other}");
        }
        assert!(none.check_url("http://[::ffff:93.184.216.34]/").is_err());
        let one = ["93.184.216.34".to_owned()];
        assert!(Allowed { hosts: &one, refuse }.check_url("http://93.184.216.34/").is_ok());
        let props = Properties::default();
        let plan = Plan::new(Node::new(Element::new("TestPlan", "TestPlanGui", "p")));
        assert!(none.check_plan(&plan, &props).is_ok());
        props.set("host", "93.184.216.34");
        assert!(none.check_plan(&plan, &props).is_err());
    }
}

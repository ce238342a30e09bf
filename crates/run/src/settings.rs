//! Settings of a trial in addition to its plan.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use swell_api::{ElementKind, Provider};
use swell_debug::KeptFailures;
use swell_engine::{DebugLoad, PlanEdit, Share};
use swell_expr::{ForeignFunctions, Level, Properties};
use swell_monitor::Monitor;
use swell_net::{Io, TimestampSource};
use swell_results::FileOptions;
use swell_shape::{Shape, Spacing};
use swell_trace::TraceSink;

use swell_jvm::JvmSettings;

use crate::{MessageSink, ScriptMode, WantedLoad, system_properties};

/// What JMeter's shipped jmeter.properties sets, as far as it changes results; so a run without
/// JMETER_HOME means the same.
const SHIPPED: [(&str, &str); 6] = [
    // The version whose behaviour is the rule.
    ("jmeter.version", "5.6.3"),
    ("sampleresult.timestamp.start", "true"),
    ("summariser.name", "summary"),
    ("remote_hosts", "127.0.0.1"),
    ("user.properties", "user.properties"),
    ("system.properties", "system.properties"),
];

/// The properties that JMeter's shipped file sets.
pub fn jmeter_defaults() -> Properties {
    let props = Properties::default();
    for (name, value) in SHIPPED {
        props.set(name, value);
    }
    system_properties::of_machine(&props);
    props
}

/// A load profile for a trial.
#[derive(Clone, Debug)]
pub struct RunShape {
    /// Its levels; the plan says of what ([`crate::Trial::shape`]).
    pub shape: Arc<Shape>,
    /// Spacing of arrivals.
    pub spacing: Spacing,
}

/// Settings of one trial. They are not shared with other trials of the process.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the trial")]
pub struct TrialSettings {
    /// JMeter properties; the trial owns them, and its plan may change them.
    pub props: Properties,
    /// File name of the plan without its folder (`__TestPlanName`).
    pub plan_name: String,
    /// How results files are treated, and the folder of the plan: files that are not in the working
    /// directory are looked up there.
    pub files: FileOptions,
    /// The log file; none: nothing is logged, and errors are counted all the same.
    pub log: Option<PathBuf>,
    /// What is at least so important is logged.
    pub log_level: Level,
    /// Additional kinds of elements of the caller; they take precedence over those of the same
    /// class in the table.
    pub elements: Vec<ElementKind>,
    /// Providers, asked for classes that no kind claims; the first is asked first.
    pub providers: Vec<Arc<dyn Provider>>,
    /// Functions of the caller, besides Swell's own.
    pub functions: ForeignFunctions,
    /// Where scripts run.
    pub scripts: ScriptMode,
    /// The JVM for scripts, if the plan needs it.
    pub jvm: JvmSettings,
    /// Worker threads; none: one a processor.
    pub workers: Option<usize>,
    /// The part of the test that this trial makes, where several make it together; its workers are
    /// as many as its slices. None: the whole.
    pub share: Option<Share>,
    /// Each phase waits until it is released ([`swell_engine::Control::release`]).
    pub holds_phases: bool,
    /// Subscribers receive counts twice a second, and rows of results are written as often: for
    /// callers that may lose this process at any moment.
    pub twice_a_second: bool,
    /// JMeter's rounding where a plan relies on it: timers in whole milliseconds.
    pub compat: bool,
    /// Makes the users' random numbers the same in each trial.
    pub seed: Option<u64>,
    /// Which clock ends a sample.
    pub timestamps: TimestampSource,
    /// The addresses that connections go out from where an element names none
    /// (`127.0.0.2-127.0.0.5`, see [`swell_net::SourceAddresses`]); none: what the property
    /// `swell.source` says, or the environment variable `SWELL_SOURCE`.
    pub source: Option<String>,
    /// The interface of the kernel that event loops use; [`Io::Auto`]: what the property `swell.io`
    /// says.
    pub io: Io,
    /// How late starts of a rate may be so that several have one wake, which takes less CPU time;
    /// none: what the property `swell.slack` says.
    pub slack: Option<Duration>,
    /// The process ends after this trial: the memory of users who still wait when it is stopped is
    /// left to the kernel. Otherwise it is freed at the end of the trial.
    pub ends_process: bool,
    /// The trial is stopped when no server was reached for so long, and until then users pause
    /// after failed connections; none: a plan does what it says.
    pub give_up: Option<Duration>,
    /// The load that is wanted, where that is a number: the verdict tells how much of it was not
    /// made.
    pub wanted: Option<WantedLoad>,
    /// Files that the plan reads are on the machines that make the load, and may be missing here.
    pub files_are_elsewhere: bool,
    /// Files that are elsewhere than their names in the plan say, by these names.
    pub moved_files: HashMap<PathBuf, PathBuf>,
    /// Edits the plan once its Module and Include Controllers are expanded.
    pub edit: Option<PlanEdit>,
    /// Duration of the main thread groups instead of the plan's ([`swell_engine::last_for`]).
    pub lasts: Option<Duration>,
    /// A load instead of that of the plan's main thread groups.
    pub shape: Option<RunShape>,
    /// Looks at the machine and processes under test; several trials, one after the other, may have
    /// the same.
    pub monitor: Option<Monitor>,
    /// Few users and iterations instead of the plan's, and no listeners (`swell debug`).
    pub debug: Option<DebugLoad>,
    /// Receives what users do, step by step (`swell debug`). Elements that are not supported do not
    /// refuse the plan then; none: nothing of that.
    pub trace: Option<Arc<dyn TraceSink>>,
    /// Keeps the first failures with the steps before them; none: no failure is kept.
    pub failures: Option<Arc<KeptFailures>>,
    /// Receives messages of the running trial; by default they are dropped. The report has all
    /// errors.
    pub messages: MessageSink,
}

impl TrialSettings {
    /// For a plan that belongs into this folder: no properties, no log.
    pub fn new(plan_dir: impl Into<PathBuf>) -> Self {
        Self {
            props: Properties::default(),
            plan_name: String::new(),
            files: FileOptions::new(plan_dir),
            log: None,
            log_level: Level::Info,
            elements: Vec::new(),
            providers: Vec::new(),
            functions: ForeignFunctions::default(),
            scripts: ScriptMode::default(),
            jvm: JvmSettings::default(),
            workers: None,
            share: None,
            holds_phases: false,
            twice_a_second: false,
            compat: false,
            seed: None,
            ends_process: false,
            timestamps: TimestampSource::default(),
            io: Io::Auto,
            slack: None,
            source: None,
            give_up: None,
            wanted: None,
            files_are_elsewhere: false,
            moved_files: HashMap::new(),
            edit: None,
            lasts: None,
            shape: None,
            monitor: None,
            debug: None,
            trace: None,
            failures: None,
            messages: Arc::new(|_| {}),
        }
    }

    /// For a plan in a file, with the properties that JMeter ships ([`jmeter_defaults`]).
    pub fn of_file(plan: &Path) -> Self {
        let plan_name = plan.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let parent = plan.parent().unwrap_or(Path::new(""));
        // Results show the whole path of a file that is missing (`FileServer.setBaseForScript`).
        let plan_dir =
            std::path::absolute(parent.join("plan")).ok().and_then(|file| file.parent().map(Path::to_owned));
        let plan_dir = plan_dir.unwrap_or_else(|| parent.to_owned());
        Self { plan_name, props: jmeter_defaults(), ..Self::new(plan_dir) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_plan_is_a_whole_path() {
        let here = std::env::current_dir().expect("a working directory");
        for (plan, folder) in
            [("p.jmx", here.clone()), ("sub/p.jmx", here.join("sub")), ("/a/p.jmx", "/a".into())]
        {
            let settings = TrialSettings::of_file(Path::new(plan));
            assert_eq!(
                (settings.files.plan_dir.as_os_str(), &*settings.plan_name),
                (folder.as_os_str(), "p.jmx")
            );
        }
    }
}

//! Prepares a trial from a plan and settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use swell_api::Registry;
use swell_debug::KeptFailures;
use swell_engine::{ElementSupport, LoadShape, PlannedSampler, Prepared, Settings, ShapeOf, Share};
use swell_expr::{FileLimits, Host as _, Properties, RunInfo};
use swell_net::{Io, SourceAddresses};
use swell_plan::{Diagnostic, Plan, Severity};
use swell_results::FileOptions;

use crate::figures::{self, CustomFigure, FIGURES};
use crate::host::Machine;
use crate::properties_read::{PropertiesRead, properties_read};
use crate::subscription::Publisher;
use crate::{
    Message, MessageSink, RunShape, Sinks, Subscription, TrialSettings, elements, system_properties,
};

/// A trial that is ready to start: its plan can run, and its results files are open. Until it
/// starts, existing files are unchanged.
pub struct Trial {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) registry: Registry,
    pub(crate) sinks: Sinks,
    pub(crate) host: Arc<Machine>,
    pub(crate) settings: TrialSettings,
    pub(crate) publisher: Arc<Publisher>,
    pub(crate) shape: Option<LoadShape>,
    pub(crate) sources: Option<SourceAddresses>,
    /// Custom figures, in the order in which their variables are watched.
    pub(crate) figures: Vec<CustomFigure>,
    diagnostics: Vec<Diagnostic>,
}

/// Why a trial cannot run.
#[derive(Debug)]
pub enum PrepareError {
    /// A property has a value that it cannot have; the text names both.
    Setting(String),
    /// The plan cannot run as it is: one of these is an error.
    Plan(Vec<Diagnostic>),
    /// The plan could run, but not all of its results files can be written: one of these is an
    /// error.
    Results(Vec<Diagnostic>),
}

impl PrepareError {
    /// Diagnostics of the plan, including warnings and notes.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Setting(_) => &[],
            Self::Plan(found) | Self::Results(found) => found,
        }
    }
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(why) => f.write_str(why)?,
            Self::Plan(_) => f.write_str("this plan cannot run as it is")?,
            Self::Results(_) => f.write_str("not all results files can be written")?,
        }
        let wrong = |found: &&Diagnostic| found.severity == Severity::Error;
        self.diagnostics().iter().filter(wrong).try_for_each(|found| write!(f, "\n{found}"))
    }
}

impl std::error::Error for PrepareError {}

/// Property: the interface of the kernel that event loops use.
const IO: &str = "swell.io";

/// What the caller wants, or else the property.
fn io_of(wanted: Io, props: &Properties) -> Result<Io, String> {
    let word = props.get(IO).filter(|word| wanted == Io::Auto && !word.is_empty());
    let Some(word) = word else { return Ok(wanted) };
    Io::of_word(&word).ok_or_else(|| {
        let right = Io::ALL.map(Io::word).join(", ");
        format!("{IO}: invalid value `{word}`; expected {right}")
    })
}

/// Property: how late starts of a rate may be.
const SLACK: &str = "swell.slack";

/// The longest slack: a rate of ten a second, which needs none.
const MOST_SLACK: Duration = Duration::from_millis(100);

/// What the caller wants, or else the property.
fn slack_of(wanted: Option<Duration>, props: &Properties) -> Result<Option<Duration>, String> {
    let text = props.get(SLACK).filter(|text| wanted.is_none() && !text.is_empty());
    let Some(text) = text else { return Ok(wanted) };
    let time = swell_net::parse_duration_ns(text.trim(), 1e9).and_then(|ns| u64::try_from(ns).ok());
    let time = time.map(Duration::from_nanos).filter(|time| *time <= MOST_SLACK);
    time.map(Some).ok_or_else(|| format!("{SLACK}: invalid time `{text}`; write 1ms, up to 100ms"))
}

/// Property and environment variable: the addresses that connections go out from.
const SOURCE: [&str; 2] = ["swell.source", "SWELL_SOURCE"];

/// Checks the properties of every run, settles the interface of the kernel, and returns the
/// addresses that connections go out from.
fn checked(settings: &mut TrialSettings, props: &Properties) -> Result<Option<SourceAddresses>, String> {
    swell_api::fallback_charset(props)?;
    swell_api::Compat::of(props)?;
    settings.io = io_of(settings.io, props)?;
    settings.slack = slack_of(settings.slack, props)?;
    sources_of(settings.source.as_deref(), props)
}

/// What the caller wants, or else the property, or else the environment.
fn sources_of(wanted: Option<&str>, props: &Properties) -> Result<Option<SourceAddresses>, String> {
    let [property, variable] = SOURCE;
    let said = [
        ("source", wanted.map(str::to_owned)),
        (property, props.get(property)),
        (variable, std::env::var(variable).ok()),
    ];
    let mut said = said.into_iter().filter_map(|(name, list)| Some((name, list.filter(|l| !l.is_empty())?)));
    let Some((name, list)) = said.next() else { return Ok(None) };
    SourceAddresses::parse(&list).map(Some).map_err(|why| format!("{name}: {why}"))
}

impl Trial {
    /// Makes a plan ready and opens its results files.
    ///
    /// # Errors
    /// A property is wrong, the plan cannot run, or a results file cannot be written.
    pub fn prepare(plan: &Plan, mut settings: TrialSettings) -> Result<Self, PrepareError> {
        let props = Arc::new(std::mem::take(&mut settings.props));
        crate::protect_secrets(&props);
        let sources = checked(&mut settings, &props).map_err(PrepareError::Setting)?;
        let host = Arc::new(host_of(&settings, &props)?);
        let options = FileOptions { writers: host.writers().clone(), ..file_options(plan, &mut settings) };
        let sinks = Sinks::new(options);
        let plan_dir = sinks.files.options().plan_dir.clone();
        let jars = swell_jvm::class_path_of_plan(plan, |name| host.find(name));
        jars.iter()
            .try_for_each(|jar| host.may_use(jar))
            .map_err(|why| PrepareError::Setting(why.to_string()))?;
        settings.jvm.class_path.extend(jars);
        settings.jvm.plan = (!settings.plan_name.is_empty()).then(|| plan_dir.join(&settings.plan_name));
        settings.jvm.is_traced = settings.trace.is_some();
        let mut registry = elements::registry_beside_jvm(
            &sinks,
            &settings.elements,
            settings.scripts,
            &settings.jvm,
            &props,
        );
        settings.providers.iter().rev().for_each(|provider| registry.add_provider(provider.clone()));
        let info = RunInfo { plan_name: settings.plan_name.clone(), plan_dir, ..RunInfo::default() };
        if system_properties::wants_java(plan) {
            props.ask_java();
        }
        let made_in = Settings {
            props,
            host: host.clone(),
            run: Arc::new(info),
            functions: settings.functions.clone(),
            edit: settings.edit.clone(),
            trace: settings.trace.clone(),
        };
        let few = settings.debug.as_ref().map(|load| swell_engine::debug_plan(plan, load, &registry));
        let few = few.transpose().map_err(PrepareError::Setting)?;
        let plan = few.as_ref().unwrap_or(plan);
        let lasting = settings.lasts.map(|time| swell_engine::last_for(plan, time, &registry));
        let lasting = lasting.transpose().map_err(PrepareError::Setting)?;
        let prepared = swell_engine::prepare(lasting.as_ref().unwrap_or(plan), &registry, made_in)
            .map_err(PrepareError::Plan)?;
        let mut diagnostics = prepared.diagnostics().to_vec();
        if !settings.files_are_elsewhere {
            diagnostics.extend(swell_engine::missing_files(&prepared, &registry));
        }
        if settings.trace.is_none() && is_wrong(&diagnostics) {
            return Err(PrepareError::Plan(diagnostics));
        }
        let shape = load_shape(&settings, &prepared, &registry).map_err(PrepareError::Setting)?;
        diagnostics.extend(sinks.files.open_all(&prepared));
        if is_wrong(&diagnostics) {
            return Err(PrepareError::Results(diagnostics));
        }
        let figures = figures::wanted(&prepared.settings().props, prepared.variables());
        let figures = figures.map_err(|why| PrepareError::Setting(format!("{FIGURES}: {why}")))?;
        let prepared = Arc::new(prepared);
        let publisher = Arc::default();
        Ok(Self {
            prepared,
            registry,
            sinks,
            host,
            settings,
            publisher,
            shape,
            sources,
            figures,
            diagnostics,
        })
    }

    /// Diagnostics of the plan; none of them is an error.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Each element of the plan and its treatment.
    pub fn survey(&self) -> Vec<ElementSupport> {
        swell_engine::survey(&self.prepared, &self.registry)
    }

    /// The samplers that the plan can get to.
    pub fn planned_samplers(&self) -> Vec<PlannedSampler> {
        swell_engine::planned_samplers(&self.prepared, &self.registry)
    }

    /// Where its first failures are kept.
    pub fn kept_failures(&self) -> Option<&Arc<KeptFailures>> {
        self.settings.failures.as_ref()
    }

    /// Listeners without a file: without a window they have nothing to do.
    pub fn listeners_without_file(&self) -> usize {
        self.sinks.files.listeners_without_file()
    }

    /// The trial makes this part of the test ([`TrialSettings::share`]), known after it was made
    /// ready.
    pub fn set_share(&mut self, share: Share) {
        self.settings.share = Some(share);
    }

    /// The plan as it runs.
    pub fn prepared(&self) -> &Arc<Prepared> {
        &self.prepared
    }

    /// The table of the elements of the plan.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Which properties the plan reads.
    pub fn properties_read(&self) -> PropertiesRead {
        properties_read(&self.prepared)
    }

    /// The properties of the trial.
    pub fn props(&self) -> &Arc<Properties> {
        &self.prepared.settings().props
    }

    /// The load shape of the trial, and what of the plan it takes the place of.
    pub fn shape(&self) -> Option<(&RunShape, ShapeOf)> {
        self.settings.shape.as_ref().zip(self.shape.as_ref().map(|shape| shape.of))
    }

    /// What the plan sees of the machine, with the trial's log.
    pub fn host(&self) -> &Arc<Machine> {
        &self.host
    }

    /// The seconds of the trial, from the first on.
    pub fn subscribe(&self) -> Subscription {
        self.publisher.subscribe(None)
    }

    /// As [`Trial::subscribe`]; `notify` is called, on a thread of the trial, when there is
    /// something new or the trial has finished. It must not wait.
    pub fn subscribe_with(&self, notify: impl Fn() + Send + Sync + 'static) -> Subscription {
        self.publisher.subscribe(Some(Box::new(notify)))
    }
}

fn load_shape(
    settings: &TrialSettings,
    prepared: &Prepared,
    registry: &Registry,
) -> Result<Option<LoadShape>, String> {
    let Some(RunShape { shape, spacing }) = settings.shape.clone() else { return Ok(None) };
    let of = swell_engine::shape_of(prepared, registry, &shape)?;
    Ok(Some(LoadShape { shape, spacing, of }))
}

fn is_wrong(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.severity == Severity::Error)
}

fn host_of(settings: &TrialSettings, props: &Properties) -> Result<Machine, PrepareError> {
    let limits = FileLimits::of(props).map_err(PrepareError::Setting)?;
    let host = Machine::new(settings.files.plan_dir.clone(), settings.messages.clone());
    let host = host.with_log(settings.log.clone(), settings.log_level).with_limits(limits);
    let host = host.traced(settings.trace.clone());
    Ok(host.confined(settings.files.confinement.clone()).with_moved_files(settings.moved_files.clone()))
}

/// The caller's settings, with those of the plan and the receiver of failures.
fn file_options(plan: &Plan, settings: &mut TrialSettings) -> FileOptions {
    let options = std::mem::replace(&mut settings.files, FileOptions::new(""));
    let messages: MessageSink = settings.messages.clone();
    let told = messages.clone();
    FileOptions {
        functional: plan.root.element.flag("TestPlan.functional_mode", false),
        on_failure: Some(Arc::new(move |failure| messages(Message::ResultsFail(failure)))),
        on_trouble: Arc::new(move |what| told(Message::Rotation(what))),
        ..options
    }
}

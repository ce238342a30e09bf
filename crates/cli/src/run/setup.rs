//! From arguments to a plan that can run.

use std::path::Path;
use std::sync::Arc;

use swell_api::Registry;
use swell_engine::{Prepared, Settings};
use swell_expr::{FileLimits, Level, Properties, RunInfo};
use swell_plan::{Diagnostic, Element, Node, Plan, Severity};
use swell_results::{FileOptions, ResultFiles};
use swell_run::host::{Machine, read_whole};
use swell_run::registry;

use crate::args::RunArgs;
use crate::exit::Failure;
use crate::output::{refuse_overlaps, results_fail, spared, words};
use crate::settings;
use crate::site::Site;

/// All that a run needs besides its plan.
pub(crate) struct Setup {
    pub(crate) plan: Plan,
    pub(crate) props: Arc<Properties>,
    pub(crate) registry: Registry,
    pub(crate) files: ResultFiles,
    pub(crate) host: Arc<Machine>,
    settings: Settings,
}

/// Starts the built-in site.
pub(crate) fn site() -> Result<Site, Failure> {
    Site::start().map_err(|error| Failure::settings(format!("cannot start the built-in site: {error}")))
}

/// Reads a plan file; what is wrong with it goes to standard error.
pub(crate) fn read_plan(path: &Path) -> Result<Plan, Failure> {
    let bytes = read_whole(path, FileLimits::default()).map_err(|error| {
        Failure::settings(format!("cannot read the plan `{}`: {error}", path.display()))
            .hint("give the path of a .jmx file, as in `swell run examples/first.jmx`")
    })?;
    let reading = swell_plan::read(&bytes, Some(path));
    say(&reading.diagnostics);
    let failed = reading.diagnostics.iter().any(|d| d.severity == Severity::Error);
    match reading.plan {
        Some(plan) if !failed => Ok(plan),
        _ => Err(Failure::settings(format!("`{}` is not a plan that can be run", path.display()))),
    }
}

/// Shows diagnostics, notes left out.
fn say<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) {
    for diagnostic in diagnostics.into_iter().filter(|d| d.severity > Severity::Note) {
        words(&diagnostic.to_string());
    }
}

/// Facts of a plan file for a run of it.
pub(crate) fn run_info(plan: &Path) -> RunInfo {
    let plan_name = plan.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = plan.parent().unwrap_or(Path::new(""));
    // Results show the whole path of a file that is missing (`FileServer.setBaseForScript`).
    let plan_dir = std::env::current_dir().map_or_else(|_| parent.to_owned(), |here| here.join(parent));
    RunInfo { plan_name, plan_dir, ..RunInfo::default() }
}

/// `-l`, as JMeter has it: a listener at the root whose columns the properties decide (`JMeter.runNonGui`).
pub(crate) fn add_results_file(plan: &mut Plan, path: &Path) {
    let collector = Element::new("ResultCollector", "SimpleDataWriter", "-l")
        .with_text("filename", &path.to_string_lossy());
    plan.root.children.push(Node::new(collector));
}

fn log_level(args: &RunArgs) -> Result<Level, Failure> {
    let mut level = Level::Info;
    for text in &args.log_levels {
        let (category, name) = text.rsplit_once('=').unwrap_or(("", text));
        let named = match name.to_ascii_uppercase().as_str() {
            "TRACE" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARN" => Level::Warn,
            "ERROR" | "FATAL" => Level::Error,
            _ => {
                return Err(Failure::settings(format!("`{name}` is no log level"))
                    .hint("levels are TRACE, DEBUG, INFO, WARN, ERROR"));
            }
        };
        // Categories are Java's packages; Swell has one log, so the most talkative level holds for all of it.
        level = if category.is_empty() { named } else { level.min(named) };
    }
    Ok(level)
}

/// The property that names the charset of bodies that name none.
const DEFAULT_CHARSET: &str = "sampleresult.default.encoding";

impl Setup {
    /// Reads settings and plan, opens nothing yet.
    pub(crate) fn new(args: &RunArgs, site: Option<&Site>) -> Result<Self, Failure> {
        let props = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
        if let Some(site) = site {
            props.set("host", &site.address.ip().to_string());
            props.set("port", &site.address.port().to_string());
        }
        let charset = props.get(DEFAULT_CHARSET).filter(|name| !name.is_empty());
        if let Some(name) = charset.filter(|name| !swell_api::set_default_charset(name)) {
            return Err(Failure::settings(format!(
                "{DEFAULT_CHARSET}: there is no charset `{name}`; `UTF-8` is one"
            )));
        }
        refuse_overlaps(args)?;
        let mut plan = read_plan(args.plan())?;
        if let Some(path) = &args.logfile {
            add_results_file(&mut plan, path);
        }
        let info = run_info(args.plan());
        let files = ResultFiles::new(FileOptions {
            replace: args.force,
            spared: spared(args),
            on_failure: Some(Arc::new(results_fail)),
            functional: plan.root.element.flag("TestPlan.functional_mode", false),
            ..FileOptions::new(&info.plan_dir)
        });
        let props = Arc::new(props);
        let host =
            Machine::new(info.plan_dir.clone(), Some(args.jmeterlogfile.clone()), log_level(args)?, words);
        let limits = FileLimits::of(&props).map_err(Failure::settings)?;
        let host = Arc::new(host.with_limits(limits));
        let settings = Settings { props: props.clone(), host: host.clone(), run: Arc::new(info) };
        let registry = registry(&files);
        Ok(Self { plan, props, registry, files, host, settings })
    }

    /// Makes the plan ready, opens its results files, and says what is wrong.
    pub(crate) fn prepare(&self) -> Result<Arc<Prepared>, Failure> {
        let prepared = prepare(&self.plan, &self.registry, self.settings.clone(), &self.files)?;
        let ignored = self.files.listeners_without_file();
        if ignored > 0 {
            words(&format!(
                "{ignored} listeners without a file are ignored: without a window they have nothing to do"
            ));
        }
        say_ignored(&prepared, &self.registry);
        say_what_differs(&prepared, &self.registry);
        let idle = settings::idle(&self.props);
        if !idle.is_empty() {
            words(&format!("these properties do nothing here: {}", idle.join(", ")));
        }
        Ok(prepared)
    }
}

/// One line for all listeners that would do something in JMeter and do nothing here.
fn say_ignored(prepared: &Prepared, registry: &Registry) {
    let mut ignored = std::collections::BTreeMap::new();
    for found in swell_engine::survey(prepared, registry) {
        let entry = swell_elements::reference::entry_of_class(&found.class);
        let is_listener = entry.is_none_or(|entry| entry.kind == swell_elements::reference::Kind::Listener);
        if let (swell_engine::Support::Ignored(why), true) = (found.support, is_listener) {
            ignored.insert(found.class, why);
        }
    }
    if !ignored.is_empty() {
        let all: Vec<_> = ignored.iter().map(|(class, why)| format!("`{class}` ({why})")).collect();
        words(&format!("ignored: {}", all.join(", ")));
    }
}

/// One line for all elements that do not run as one of their settings says.
fn say_what_differs(prepared: &Prepared, registry: &Registry) {
    let mut counts = std::collections::BTreeMap::new();
    for found in swell_engine::survey(prepared, registry) {
        if let swell_engine::Support::Differs(what) = found.support {
            let (count, _) = counts.entry(found.class).or_insert((0, what));
            *count += 1;
        }
    }
    if !counts.is_empty() {
        let all: Vec<_> =
            counts.iter().map(|(class, (count, what))| format!("{count} `{class}` ({what})")).collect();
        words(&format!("warning: not as the plan says: {}", all.join(", ")));
    }
}

/// Makes a plan ready, opens its results files, and says what is wrong.
pub(crate) fn prepare(
    plan: &Plan,
    registry: &Registry,
    settings: Settings,
    files: &ResultFiles,
) -> Result<Arc<Prepared>, Failure> {
    let refused = || {
        Failure::settings("this plan cannot run as it is")
            .hint("`swell check` lists all its elements and what becomes of them")
    };
    let prepared = swell_engine::prepare(plan, registry, settings).map_err(|diagnostics| {
        say(&diagnostics);
        refused()
    })?;
    let missing = swell_engine::missing_files(&prepared);
    let all = || prepared.diagnostics().iter().chain(&missing);
    say(all());
    if all().any(|d| d.severity == Severity::Error) {
        return Err(refused());
    }
    let found = files.open_all(&prepared);
    say(&found);
    if found.iter().any(|d| d.severity == Severity::Error) {
        return Err(Failure::settings("not all results files can be written"));
    }
    Ok(Arc::new(prepared))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_plan_is_a_whole_path() {
        let here = std::env::current_dir().unwrap();
        for (plan, folder) in
            [("p.jmx", here.clone()), ("sub/p.jmx", here.join("sub")), ("/a/p.jmx", "/a".into())]
        {
            assert_eq!(run_info(Path::new(plan)).plan_dir.join("x"), folder.join("x"));
        }
    }
}

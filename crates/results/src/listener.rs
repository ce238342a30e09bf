//! Listeners that write results files: the plan's Result Collectors and `-l`.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use swell_elements::{Needs, SampleResult};
use swell_engine::{Compile, Listener, ListenerFactory, SampleEvent};
use swell_expr::{Context, RunInfo, Template, UserIdentity, Vars};
use swell_plan::{Element, PropertyValue, Severity};
use swell_stats::{Recorder, Snapshot};

use crate::files::{ResultFile, lock};
use crate::format::SavedVariable;
use crate::rows::WorkerRows;
use crate::{ResultFiles, RowFormat, SaveConfig, Stamp, StampPattern, observe};

/// Makes the listeners of Result Collector elements (class `ResultCollector`, whatever their GUI). An element without a
/// file name has no listener and is counted in [`ResultFiles::listeners_without_file`]; a file that cannot be opened or a
/// setting that cannot be right is a diagnostic of severity error.
pub fn result_collector_factory(files: &ResultFiles) -> ListenerFactory {
    let files = files.clone();
    Arc::new(move |node, compile| {
        let name = files.name_of(node.id, || eval_at_start(&node.element, &files, compile));
        if name.is_empty() {
            files.note_without_file(node.id);
            return None;
        }
        match collector(&files, &node.element, &name, compile) {
            Ok(listener) => listener.map(|listener| Rc::new(listener) as Rc<dyn Listener>),
            Err((property, message)) => {
                compile.note(Severity::Error, &node.element, Some(property), message, None);
                None
            }
        }
    })
}

/// The listener of `-l`: all samples, in the form that the properties say. None in a dry run.
///
/// # Errors
/// What is wrong with the properties, or that the file cannot be opened.
pub fn jtl_listener(
    files: &ResultFiles,
    path: &str,
    compile: &Compile,
) -> Result<Option<Rc<dyn Listener>>, String> {
    let format = row_format(SaveConfig::from_properties(&compile.props)?, files, compile)?;
    let listener = FileListener::open(files, path, format, compile)?;
    Ok(listener.map(|listener| Rc::new(listener) as Rc<dyn Listener>))
}

fn collector(
    files: &ResultFiles,
    element: &Element,
    name: &str,
    compile: &Compile,
) -> Result<Option<FileListener>, (&'static str, String)> {
    let from_properties = SaveConfig::from_properties(&compile.props).map_err(|m| ("saveConfig", m))?;
    let config = match element.property("saveConfig") {
        Some(PropertyValue::Xml(xml)) => {
            SaveConfig::from_xml(xml, &from_properties).map_err(|m| ("saveConfig", m))?
        }
        _ => from_properties,
    };
    let format = row_format(config, files, compile).map_err(|m| ("saveConfig", m))?;
    let opened = FileListener::open(files, name, format, compile).map_err(|m| ("filename", m))?;
    let errors_only = element.flag("ResultCollector.error_logging", false);
    let successes_only = element.flag("ResultCollector.success_only_logging", false);
    Ok(opened.map(|listener| FileListener { errors_only, successes_only, ..listener }))
}

fn row_format(config: SaveConfig, files: &ResultFiles, compile: &Compile) -> Result<RowFormat, String> {
    let get = |name: &str, default: &str| compile.props.get(name).unwrap_or_else(|| default.to_owned());
    let names = get("sample_variables", "");
    let variables = names.split(',').filter(|name| !name.is_empty()).map(|name| {
        let slot = compile.expr.names.slot(name);
        SavedVariable { name: name.to_owned(), slot }
    });
    let stamp = match &config.stamp {
        Stamp::Ms => None,
        Stamp::Pattern(pattern) => Some(StampPattern::new(pattern, &compile.host.time_zone())?),
    };
    Ok(RowFormat {
        config,
        stamp,
        variables: variables.collect(),
        host_name: compile.host.machine_name(),
        default_encoding: get("sampleresult.default.encoding", "UTF-8"),
        functional: files.options().functional,
        xml_pi: get("jmeter.save.saveservice.xml_pi", ""),
    })
}

/// A file name may hold functions and variables; it is evaluated once, before any user runs.
fn eval_at_start(element: &Element, files: &ResultFiles, compile: &Compile) -> String {
    let template: Template = compile.template(element, "filename", "");
    let plan_dir = files.options().plan_dir.clone();
    let mut cx = Context {
        vars: Vars::new(compile.expr.names.clone()),
        props: compile.props.clone(),
        host: compile.host.clone(),
        run: Arc::new(RunInfo { plan_dir, ..RunInfo::default() }),
        user: UserIdentity { thread_name: "".into(), group_name: "".into(), thread_index: 0 },
        sampler_name: "".into(),
        iteration: 0,
        stop: None,
        random: rand::rngs::SmallRng::seed_from_u64(0),
        function_states: Vec::new(),
        previous: None,
    };
    template.eval(&mut cx).into_owned()
}

/// Writes samples to a file that it may share with others.
struct FileListener {
    file: Arc<ResultFile>,
    rows: Arc<Mutex<WorkerRows>>,
    number: usize,
    format: RowFormat,
    errors_only: bool,
    successes_only: bool,
}

impl FileListener {
    fn open(
        files: &ResultFiles,
        name: &str,
        format: RowFormat,
        compile: &Compile,
    ) -> Result<Option<Self>, String> {
        if files.options().dry_run {
            return Ok(None);
        }
        let file = files.open(name, &format).map_err(|error| error.to_string())?;
        let rows = file.rows_of(compile.worker);
        let number = lock(&rows).join();
        Ok(Some(Self { file, rows, number, format, errors_only: false, successes_only: false }))
    }

    /// `ResultCollector.isSampleWanted`.
    fn wants(&self, sample: &SampleResult) -> bool {
        (!self.errors_only && !self.successes_only)
            || (self.successes_only && sample.success)
            || (self.errors_only && !sample.success)
    }
}

impl Listener for FileListener {
    fn needs(&self) -> Needs {
        self.format.needs()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        if self.wants(event.sample) {
            let mut rows = lock(&self.rows);
            if rows.is_first(self.number, event.sample) {
                rows.write(&self.format, event.sample, event.cx, &self.file.output);
            }
        }
    }

    fn finish(&self) {
        lock(&self.rows).hand_over(&self.file.output);
    }
}

/// Counts the samples of a worker; the run takes the counts each second.
#[derive(Default)]
pub struct CountingListener {
    recorder: RefCell<Recorder>,
}

impl CountingListener {
    /// What was counted since the last call.
    pub fn take_interval(&self) -> Snapshot {
        self.recorder.borrow_mut().take_interval()
    }
}

impl Listener for CountingListener {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.recorder.borrow_mut().record(&observe(event.sample));
    }
}

//! Result Collector elements of a plan: what each writes, and opening their files before a run.

use std::cell::RefCell;
use std::sync::Arc;

use swell_api::CompileContext;
use swell_engine::Prepared;
use swell_expr::{Compiler, Shared};
use swell_plan::{Diagnostic, Element, Node, PropertyValue, Severity};

use crate::flexible::{self, FLEXIBLE};
use crate::format::SavedVariable;
use crate::{ResultFiles, RowFormat, SaveConfig, Stamp, StampPattern};

/// Classes of result collectors: JMeter's own, and those of plug-ins that show graphs and write the
/// same files.
pub(crate) const COLLECTORS: [&str; 5] = [
    "ResultCollector",
    "kg.apc.jmeter.vizualizers.CorrectedResultCollector",
    "kg.apc.jmeter.vizualizers.CompositeResultCollector",
    "com.blazemeter.jmeter.reporters.FlushingResultCollector",
    "se.six.jmeter.visualizer.statagg.StatAggResultCollector",
];

/// The collectors of jp@gc want the numbers of active users, whatever their configuration says
/// (`CorrectedResultCollector.setupSaving`).
fn wants_users(class: &str) -> bool {
    class.starts_with("kg.apc.")
}

/// The output of an element.
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) format: RowFormat,
    pub(crate) errors_only: bool,
    pub(crate) successes_only: bool,
}

/// A problem in a property of an element.
pub(crate) type Wrong = (&'static str, String);

impl ResultFiles {
    /// Opens the files of the listeners of a plan before anything runs, so that a bad path is
    /// reported in time, and counts those without a file. File names may hold variables of the
    /// plan, so they are known before the first user: nothing that a server sends gets into them.
    /// Returns what is wrong.
    pub fn open_all(&self, plan: &Prepared) -> Vec<Diagnostic> {
        self.start_texts().set_variables(plan.variables());
        let settings = plan.settings();
        let compile = CompileContext {
            expr: Compiler::new(Arc::new(Shared::with_functions(settings.functions.clone()))),
            props: settings.props.clone(),
            host: settings.host.clone(),
            file: plan.file().cloned(),
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        plan.root().walk(&mut |node| self.open_for(node, &compile));
        compile.diagnostics.into_inner()
    }

    fn open_for(&self, node: &Node, compile: &CompileContext) {
        let class = node.element.class.as_str();
        let opened = if COLLECTORS.contains(&class) {
            wanted(self, node, compile).and_then(|wanted| match wanted {
                Some(wanted) if !self.options().dry_run => self
                    .open(&wanted.name, &wanted.format)
                    .map(drop)
                    .map_err(|error| ("filename", error.to_string())),
                _ => Ok(()),
            })
        } else if class == FLEXIBLE && !self.options().dry_run {
            let opened = flexible::open(node, compile, self);
            opened.map(drop).map_err(|error| ("filename", error.to_string()))
        } else {
            Ok(())
        };
        if let Err(wrong) = opened {
            note(compile, &node.element, wrong);
        }
    }
}

pub(crate) fn note(compile: &CompileContext, element: &Element, (property, message): Wrong) {
    let hint = (property == "filename").then_some("name a file in a folder that this user may write to");
    compile.note(Severity::Error, element, Some(property), message, hint);
}

/// What an element wants; none if it names no file, which is counted.
pub(crate) fn wanted(
    files: &ResultFiles,
    node: &Node,
    compile: &CompileContext,
) -> Result<Option<Wanted>, Wrong> {
    let element = &node.element;
    let name = files.name_of(node.id, || files.start_texts().property(element, "filename", compile));
    if name.is_empty() {
        files.note_without_file(node.id);
        return Ok(None);
    }
    let of_config = |message| ("saveConfig", message);
    let from_properties = SaveConfig::from_properties(&compile.props).map_err(of_config)?;
    let mut config = match element.property("saveConfig") {
        Some(PropertyValue::Xml(xml)) => SaveConfig::from_xml(xml, &from_properties).map_err(of_config)?,
        _ => from_properties,
    };
    if wants_users(&element.class) {
        config.set(crate::Save::ThreadCounts, true);
    }
    Ok(Some(Wanted {
        name,
        format: row_format(config, files, compile).map_err(of_config)?,
        errors_only: element.flag("ResultCollector.error_logging", false),
        successes_only: element.flag("ResultCollector.success_only_logging", false),
    }))
}

/// A configuration with the facts of the run.
pub(crate) fn row_format(
    config: SaveConfig,
    files: &ResultFiles,
    compile: &CompileContext,
) -> Result<RowFormat, String> {
    let get = |name: &str, default: &str| compile.props.get(name).unwrap_or_else(|| default.to_owned());
    let names = get("sample_variables", "");
    let variables = names.split(',').filter(|name| !name.is_empty());
    let variables = variables.map(|name| (name.to_owned(), compile.expr.names.slot(name)));
    let variables = SavedVariable::all(variables, &config);
    let stamp = match &config.stamp {
        Stamp::Ms => None,
        Stamp::Pattern(pattern) => Some(StampPattern::new(pattern, &compile.host.time_zone())?),
    };
    Ok(RowFormat {
        config,
        stamp,
        variables,
        host_name: compile.host.machine_name(),
        default_encoding: get("sampleresult.default.encoding", "UTF-8"),
        functional: files.options().functional,
        xml_pi: get("jmeter.save.saveservice.xml_pi", ""),
    })
}

//! The listener element, which turns samples into metrics.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{CompileContext, Listener, ListenerMaker, Needs, SampleEvent, SampleResult};
use swell_expr::{Context, Level, Slot};
use swell_plan::Node;

use super::Taken;
use super::definition::{Definition, Measuring, SUFFIX};
use super::table::{Event, SEPARATOR, Table};
use crate::ListenerMetrics;

/// Makes the listeners of Prometheus Listener elements, and starts the server of the metrics with
/// the first.
pub(crate) fn prometheus_factory(metrics: &ListenerMetrics) -> ListenerMaker {
    let metrics = metrics.clone();
    Arc::new(move |node, compile| {
        if metrics.is_dry_run() {
            return None;
        }
        let counted = counted(node, compile, &metrics);
        if let Some(problem) = metrics.prometheus().serve(&compile.props) {
            compile.host.log(Level::Error, &problem);
        }
        Some(Rc::new(Prometheus { counted, scratch: RefCell::default() }) as Rc<dyn Listener>)
    })
}

/// The metrics of an element. What is wrong with one is logged, and the others count, as in the
/// plug-in.
fn counted(node: &Node, compile: &CompileContext, metrics: &ListenerMetrics) -> Vec<Counted> {
    let mut all = Vec::new();
    for element in node.element.elements("prometheus.collector_definitions") {
        let read = Definition::read(element, |element, property| {
            metrics.texts().property(element, property, compile)
        });
        let made = read.and_then(|definition| {
            let definition = Definition { has_suffix: compile.props.flag(SUFFIX, false), ..definition };
            let sources =
                definition.labels.iter().map(|label| Source::of(label, definition.assertions, compile));
            let sources = sources.collect();
            let taken = |Taken| format!("another metric has the name `{}`", definition.name);
            let (definition, table) = metrics.prometheus().table(&definition).map_err(taken)?;
            Ok(Counted { definition, table, sources })
        });
        match made {
            Ok(counted) => all.push(counted),
            Err(problem) => compile.host.log(Level::Error, &format!("{}: {problem}", node.element.name())),
        }
    }
    all
}

struct Prometheus {
    counted: Vec<Counted>,
    /// For label values.
    scratch: RefCell<String>,
}

struct Counted {
    definition: Arc<Definition>,
    table: Arc<Mutex<Table>>,
    sources: Vec<Source>,
}

/// Where the value of a label comes from.
enum Source {
    /// The label of the sample or the assertion.
    Label,
    Code,
    ThreadGroup,
    Variable(Slot),
}

impl Source {
    fn of(label: &str, of_assertions: bool, compile: &CompileContext) -> Self {
        let is = |name: &str| label.eq_ignore_ascii_case(name);
        match label {
            _ if is("label") => Self::Label,
            _ if is("code") && !of_assertions => Self::Code,
            _ if is("thread_group") && !of_assertions => Self::ThreadGroup,
            _ => Self::Variable(compile.expr.names.slot(label)),
        }
    }

    fn value<'v>(&self, label: &'v str, sample: &'v SampleResult, cx: &'v Context) -> &'v str {
        let value = match self {
            Self::Label => label,
            Self::Code => &sample.code,
            Self::ThreadGroup => &cx.user.group_name,
            Self::Variable(slot) => cx.vars.get_slot(*slot).map_or("", |value| &**value),
        };
        if value.is_empty() { "null" } else { value }
    }
}

fn measure(measuring: Measuring, sample: &SampleResult) -> i64 {
    match measuring {
        Measuring::ResponseTime => sample.timing.elapsed_ms(),
        Measuring::ResponseSize => sample.body_size as i64,
        Measuring::Latency => sample.timing.latency_ms(),
        Measuring::IdleTime => sample.timing.idle_ms(),
        Measuring::ConnectTime => sample.timing.connect_ms(),
        Measuring::Successes | Measuring::Failures | Measuring::Count | Measuring::Ratio => 0,
    }
}

impl Counted {
    fn count(&self, label: &str, success: bool, event: &SampleEvent<'_>, labels: &mut String) {
        let SampleEvent { sample, cx } = event;
        labels.clear();
        for (number, source) in self.sources.iter().enumerate() {
            if number > 0 {
                labels.push(SEPARATOR);
            }
            labels.push_str(source.value(label, sample, cx));
        }
        let value = measure(self.definition.measuring, sample);
        let event = Event { success, value, at_ns: sample.timing.end_ns };
        self.table.lock().count(labels, &self.definition, event);
    }
}

impl Listener for Prometheus {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        let labels = &mut *self.scratch.borrow_mut();
        for counted in &self.counted {
            if counted.definition.assertions {
                for assertion in &event.sample.assertions {
                    counted.count(&assertion.name, !assertion.failure, event, labels);
                }
            } else {
                counted.count(&event.sample.label, event.sample.success, event, labels);
            }
        }
    }
}

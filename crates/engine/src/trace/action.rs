//! What an element did to the variables and properties of its user.

use std::collections::BTreeMap;
use std::rc::Rc;

use swell_expr::{Context, Generation, StopRequest};
use swell_trace::{ElementRef, PropertyChange, Role};

/// A property that is set when the JVM starts.
const TEST_START: &str = "TESTSTART.MS";

/// Variables and properties before an element ran.
pub(super) struct Before {
    generation: Generation,
    variables: BTreeMap<Rc<str>, Rc<str>>,
    version: u64,
    properties: BTreeMap<String, String>,
    had_thrown: bool,
}

/// An element begins its work.
pub(super) fn begin(cx: &mut Context, element: &ElementRef, role: Role) -> Before {
    if let Some(trace) = &mut cx.trace {
        trace.begin_action(element, role);
    }
    Before {
        generation: cx.vars.generation(),
        variables: cx.vars.entries().into_iter().collect(),
        version: cx.props.version(),
        properties: cx.props.entries().into_iter().collect(),
        had_thrown: cx.thrown.is_some(),
    }
}

/// An element has done its work.
pub(super) fn end(cx: &mut Context, before: &Before) {
    let Some(mut trace) = cx.trace.take() else { return };
    let changes = changed_variables(cx, before);
    let properties = if cx.props.version() == before.version {
        Vec::new()
    } else {
        changed_properties(&before.properties, &cx.props.entries().into_iter().collect())
    };
    let thrown = cx.thrown.as_ref().filter(|_| !before.had_thrown).map(ToString::to_string);
    let error = thrown.or_else(|| cx.stop.map(|stop| stop_text(stop).to_owned()));
    let changes = changes.iter().map(|(name, value)| (&**name, value.as_deref()));
    trace.end_action(changes, properties, error);
    cx.trace = Some(trace);
}

/// Variables that were set or removed, each with its value now. Those that a hosted element changed
/// are not in the journal, and those that were set to the value that they had only there.
fn changed_variables(cx: &Context, before: &Before) -> BTreeMap<Rc<str>, Option<Rc<str>>> {
    let after: BTreeMap<Rc<str>, Rc<str>> = cx.vars.entries().into_iter().collect();
    let mut changes: BTreeMap<_, _> = cx.vars.changed_since(before.generation).into_iter().collect();
    for (name, value) in &after {
        if before.variables.get(name) != Some(value) {
            changes.insert(name.clone(), Some(value.clone()));
        }
    }
    for name in before.variables.keys().filter(|name| !after.contains_key(*name)) {
        changes.insert(name.clone(), None);
    }
    changes
}

fn stop_text(stop: StopRequest) -> &'static str {
    match stop {
        StopRequest::User => "it ends the virtual user",
        StopRequest::Test => "it stops the test",
        StopRequest::TestNow => "it stops the test at once",
    }
}

fn changed_properties(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<PropertyChange> {
    let change = |name: &String| PropertyChange {
        name: name.clone(),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    let set = after.iter().filter(|(name, value)| before.get(*name) != Some(value)).map(|(name, _)| name);
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let own = |name: &&String| **name != TEST_START;
    set.chain(removed).filter(own).map(change).collect()
}

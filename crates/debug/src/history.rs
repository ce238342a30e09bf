//! What happened in a run so far, as far as hints need it.

use std::collections::{BTreeMap, BTreeSet};

use swell_trace::{DataRead, Decision, ElementRef, Exchange, Step, Verdict};

/// What is known of the steps before.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Samplers that ran, by path and line.
    pub(crate) ran: BTreeSet<(String, u32)>,
    /// The last decision of each controller, and whether it was ever entered.
    pub(crate) decisions: BTreeMap<(String, u32), LastDecision>,
    /// Extractors that found nothing: step, element, variable.
    pub(crate) missed: Vec<(u32, ElementRef, String)>,
    /// Variables that elements of the plan set, as far as their names are in it.
    pub(crate) setters: Vec<(String, ElementRef)>,
    /// Names of variables that something set.
    pub(crate) set: BTreeSet<String>,
    /// Steps whose response set cookies that no Cookie Manager took: step and names.
    pub(crate) lost_cookies: Vec<(u32, Vec<String>)>,
    /// Data sets at the end of their file.
    pub(crate) ended_data: Vec<ElementRef>,
}

/// What a controller decided last.
#[derive(Clone, Debug)]
pub(crate) struct LastDecision {
    /// The decision.
    pub(crate) decision: Decision,
    /// It was entered at least once.
    pub(crate) entered: bool,
}

/// The key of an element.
pub(crate) fn key(element: &ElementRef) -> (String, u32) {
    (element.path.clone(), element.line)
}

/// The requests of the sample of a step and of its parts.
pub(crate) fn exchanges(step: &Step) -> impl Iterator<Item = &Exchange> {
    let sample = step.sample.iter();
    sample.flat_map(|sample| {
        sample.exchanges.iter().chain(sample.children.iter().flat_map(|child| &child.exchanges))
    })
}

impl History {
    pub(crate) fn decided(&mut self, decision: &Decision) {
        let before = self.decisions.get(&key(&decision.element)).is_some_and(|last| last.entered);
        let entered = before || matches!(decision.verdict, Verdict::Entered | Verdict::Turn);
        let last = LastDecision { decision: decision.clone(), entered };
        self.decisions.insert(key(&decision.element), last);
    }

    pub(crate) fn data_read(&mut self, data: &DataRead) {
        self.set.extend(data.action.variables.iter().map(|change| change.name.clone()));
        if data.action.data.as_ref().is_some_and(|row| row.record.is_none()) {
            self.ended_data.push(data.action.element.clone());
        }
    }

    pub(crate) fn step(&mut self, step: &Step) {
        self.ran.insert(key(&step.element));
        for action in &step.actions {
            self.set.extend(action.variables.iter().map(|change| change.name.clone()));
            for found in action.extractions.iter().filter(|found| found.taken.is_none()) {
                self.missed.push((step.number, action.element.clone(), found.variable.clone()));
            }
        }
        for exchange in exchanges(step).filter(|exchange| !exchange.cookies.managed) {
            let head =
                exchange.response.as_ref().and_then(|response| response.head.text()).unwrap_or_default();
            let names: Vec<_> = head.lines().filter_map(cookie_name).collect();
            if !names.is_empty() {
                self.lost_cookies.push((step.number, names));
            }
        }
    }
}

/// The name of the cookie that a header line sets.
fn cookie_name(line: &str) -> Option<String> {
    let (name, value) = line.split_once(':')?;
    let cookie = name.eq_ignore_ascii_case("set-cookie").then(|| value.split('=').next().unwrap_or_default());
    cookie.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

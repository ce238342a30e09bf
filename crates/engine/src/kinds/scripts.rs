//! Decides which scripts run natively if there is a JVM for the others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{READS_OBJECTS, is_set_by_property};
use swell_expr::{ElementKind as ScriptKind, Properties};
use swell_plan::Element;

/// Which scripts run natively.
#[derive(Clone, Copy, Debug)]
pub enum ScriptsNatively {
    /// Those that are understood.
    WhereUnderstood,
    /// None.
    Never,
}

/// The decision for the elements of one kind. Each script is examined once.
pub(super) struct ScriptChoice {
    kind: ScriptKind,
    natively: ScriptsNatively,
    props: Arc<Properties>,
    known: Mutex<HashMap<String, bool>>,
}

impl ScriptChoice {
    pub(super) fn new(kind: ScriptKind, natively: ScriptsNatively, props: Arc<Properties>) -> Self {
        Self { kind, natively, props, known: Mutex::default() }
    }

    pub(super) fn is_native(&self, element: &Element) -> bool {
        let is_never = matches!(self.natively, ScriptsNatively::Never);
        if is_never || element.attribute(READS_OBJECTS).is_some() || is_set_by_property(element) {
            return false;
        }
        let mut known = self.known.lock();
        let understood = || crate::script::understood(element, self.kind, &self.props).is_ok();
        *known.entry(all_of(element)).or_insert_with(understood)
    }
}

/// All that the choice may depend on.
fn all_of(element: &Element) -> String {
    format!("{} {:?}", element.class, element.properties)
}

//! Which scripts run natively where there is a JVM for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use swell_expr::{ElementKind as ScriptKind, Properties};
use swell_plan::Element;

/// Which scripts run natively.
#[derive(Clone)]
pub enum ScriptsNatively {
    /// Those that are understood. Of those whose text the run completes (`${…}`), only the run shows whether they are: natively they run
    /// where this says that there is no JVM.
    WhereUnderstood(Arc<dyn Fn() -> bool + Send + Sync>),
    /// None.
    Never,
}

/// The choice for the elements of one kind. A script is looked at once.
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
        let ScriptsNatively::WhereUnderstood(lacks_jvm) = &self.natively else { return false };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(all_of(element)).or_insert_with(|| {
            let is_complete = !crate::script::text_of(element, self.kind).contains("${");
            crate::script::understood(element, self.kind, &self.props).is_ok() && (is_complete || lacks_jvm())
        })
    }
}

/// All that the choice may depend on.
fn all_of(element: &Element) -> String {
    format!("{} {:?}", element.class, element.properties)
}

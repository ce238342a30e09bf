//! Evaluations that JMeter makes once before the test starts: the properties of beans that listen
//! to its start (`StandardJMeterEngine.notifyTestListenersOfStart`, `TestBeanHelper.prepare`).
//! Their values are discarded, but what their functions count, write or set stays.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use swell_api::{CompileContext, Registry};
use swell_expr::{Context, Names, RemoteMode, Shared, Template, Vars};
use swell_plan::Severity;

use crate::prepare::Prepared;
use crate::prepare::{context, walk_own};

/// The initial variables of users.
pub(super) type Start = Arc<OnceLock<Vec<(String, String)>>>;

/// Where the variables are kept that users start with; empty until the beans are evaluated.
pub(super) fn start(shared: &Shared) -> Start {
    shared.get("variables that users start with", OnceLock::new)
}

/// Variables as a user has them.
pub(super) fn vars_of(names: &Rc<Names>, variables: &[(String, String)]) -> Vars {
    let mut vars = Vars::new(names.clone());
    for (name, value) in variables {
        vars.put(name, value.as_str());
    }
    vars
}

/// Evaluates the beans in document order and keeps the variables. To be done on one worker, when it
/// has compiled everything else. False if a function throws: the test does not start then.
pub(super) fn evaluate_beans(prepared: &Prepared, registry: &Registry, compile: &CompileContext) -> bool {
    let vars = vars_of(&compile.expr.names, &prepared.initial);
    let cx = context(&prepared.settings, vars, rand::SeedableRng::from_os_rng(), Rc::default());
    // No user runs yet.
    let mut cx = Context { remote: RemoteMode::Waits, ..cx };
    let mut can_start = true;
    walk_own(&prepared.root, registry, &mut |node| {
        for property in registry.kind(&node.element).map_or(&[][..], |kind| kind.at_start) {
            let Some(text) = node.element.text(property).filter(|text| text.contains("${")) else { continue };
            let template: Template = compile.text(&node.element, property, text);
            drop(template.eval(&mut cx));
            if let Some(thrown) = cx.thrown.take() {
                let message = format!("a function throws before the test, so nothing can run: {thrown}");
                compile.note(Severity::Error, &node.element, Some(property), message, None);
                can_start = false;
            }
        }
    });
    let variables = cx.vars.entries().into_iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let _ = start(&compile.expr.shared).set(variables.collect());
    can_start
}

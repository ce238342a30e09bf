//! What of a plan runs natively, what is ignored, and what is not supported.

use std::borrow::Cow;

use swell_api::Registry;
use swell_elements::reference::{self, Treatment};
use swell_expr::Properties;
use swell_plan::{Diagnostic, Node, NodeId, Place, Severity};

use super::{Prepared, Role, role};
use crate::program;

/// How an element is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// It runs.
    Native,
    /// It runs, but not as one of its settings says; what differs.
    Differs(&'static str),
    /// It is known and has nothing to do in a run; why.
    Ignored(&'static str),
    /// It would change the run and only a Java machine can run it; why.
    NeedsJvm(Cow<'static, str>),
    /// It would change the run and cannot be run; why.
    Unsupported(&'static str),
}

/// An element of the plan with how it is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Identity in the plan.
    pub id: NodeId,
    /// Class.
    pub class: String,
    /// Where it is.
    pub place: Place,
    /// How it is supported.
    pub support: Support,
}

/// Every enabled element in document order, those of modules and included plans where they are used.
pub fn survey(prepared: &Prepared, registry: &Registry) -> Vec<Surveyed> {
    let mut all = Vec::new();
    prepared.root.walk(&mut |node| {
        let place = Place {
            file: prepared.file.clone(),
            line: node.element.line,
            element: node.element.path.clone(),
            property: None,
        };
        let support = support(node, registry, &prepared.settings.props);
        all.push(Surveyed { id: node.id, class: node.element.class.clone(), place, support });
    });
    all
}

/// What the table of elements says; what it does not know is native only if the command brought it.
fn support(node: &Node, registry: &Registry, props: &Properties) -> Support {
    let Some(entry) = reference::entry(&node.element) else { return unknown(node, registry) };
    match entry.treatment {
        Treatment::Native if crate::script::is_script(&node.element) && !is_brought(node, registry) => {
            match program::script_is_understood(&node.element, props) {
                Ok(()) => Support::Native,
                Err(why) => Support::NeedsJvm(format!("its script is not understood: {why}").into()),
            }
        }
        Treatment::Native if is_made(node, registry) => {
            entry.departs_for(&node.element, props).map_or(Support::Native, Support::Differs)
        }
        Treatment::Native if node.element.class == "JavaSampler" => {
            Support::NeedsJvm("it runs a Java class that is not JMeter's own".into())
        }
        Treatment::Native => Support::Unsupported("it is not supported with these settings"),
        Treatment::Ignored(why) => Support::Ignored(why),
        Treatment::NeedsJvm(why) => Support::NeedsJvm(why.into()),
        Treatment::Unsupported(why) => Support::Unsupported(why),
    }
}

fn unknown(node: &Node, registry: &Registry) -> Support {
    match role(&node.element) {
        _ if is_brought(node, registry) => Support::Native,
        Role::Listener => Support::Ignored("nothing is known of this listener"),
        _ => Support::Unsupported("this class is not supported"),
    }
}

/// Whether there is code for an element.
pub fn is_made(node: &Node, registry: &Registry) -> bool {
    let element = &node.element;
    let own = match role(element) {
        Role::TestPlan | Role::ThreadGroup(_) | Role::Variables | Role::OnError => true,
        Role::Controller => program::controller_is_native(&element.class),
        Role::Timer => program::timer_is_native(&element.class),
        Role::Sampler => program::sampler_is_native(element),
        Role::PreProcessor | Role::PostProcessor | Role::Assertion | Role::IterationElement => {
            program::element_is_native(node)
        }
        Role::Nothing | Role::ForeignThreadGroup | Role::Listener | Role::Config | Role::Unknown => false,
    };
    let script = || {
        crate::script::is_script(element)
            && program::script_is_understood(element, &Properties::default()).is_ok()
    };
    own || script() || is_brought(node, registry)
}

/// Whether the command brought code for an element.
fn is_brought(node: &Node, registry: &Registry) -> bool {
    let class = node.element.class.as_str();
    match role(&node.element) {
        Role::Sampler => registry.samplers.contains_key(class),
        Role::Listener => registry.listeners.contains_key(class),
        Role::Config => registry.sampler_configs.contains(&class),
        Role::PreProcessor => registry.pre_processors.contains_key(class),
        Role::PostProcessor => registry.post_processors.contains_key(class),
        Role::Assertion => registry.assertions.contains_key(class),
        Role::Unknown => {
            let made = registry.samplers.contains_key(class) || registry.listeners.contains_key(class);
            made || registry.sampler_configs.contains(&class)
        }
        _ => false,
    }
}

/// Diagnostics for what is not supported.
pub(super) fn unsupported(prepared: &Prepared, registry: &Registry) -> Vec<Diagnostic> {
    let all = survey(prepared, registry).into_iter();
    let bad = all.filter_map(|found| {
        let message = match found.support {
            Support::NeedsJvm(why) => {
                format!("`{}` needs the JVM, which is not there yet: {why}", found.class)
            }
            Support::Unsupported(why) => format!("`{}`: {why}", found.class),
            Support::Native | Support::Differs(_) | Support::Ignored(_) => return None,
        };
        Some((message, found.place))
    });
    bad.map(|(message, place)| Diagnostic {
        severity: Severity::Error,
        place,
        message,
        hint: Some("disable the element, or replace it by one that is supported".to_owned()),
    })
    .collect()
}

//! What of a plan runs natively, what is ignored, and what is not supported.

use swell_plan::{Diagnostic, Node, NodeId, Place, Severity};

use super::{Prepared, Role, role};
use crate::{Registry, program};

/// How an element is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// It runs.
    Native,
    /// It is known and has nothing to do in a run; why.
    Ignored(&'static str),
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
        let support = support(node, registry);
        all.push(Surveyed { id: node.id, class: node.element.class.clone(), place, support });
    });
    all
}

fn support(node: &Node, registry: &Registry) -> Support {
    let class = node.element.class.as_str();
    let native = match role(&node.element) {
        Role::TestPlan | Role::ThreadGroup(_) | Role::Variables | Role::OnError => true,
        Role::Nothing => return Support::Ignored("it is for recording and takes no part in a run"),
        Role::ForeignThreadGroup => false,
        Role::Controller => program::controller_is_native(class),
        Role::Timer => program::timer_is_native(class),
        Role::Sampler => program::sampler_is_native(&node.element) || registry.samplers.contains_key(class),
        Role::Listener | Role::Unknown if registry.listeners.contains_key(class) => true,
        Role::Listener => return Support::Ignored("no results are asked of it here"),
        Role::Config if registry.sampler_configs.contains(&class) => true,
        Role::Config => return Support::Ignored("no sampler that is supported reads it"),
        Role::PreProcessor => program::element_is_native(node) || registry.pre_processors.contains_key(class),
        Role::PostProcessor => {
            program::element_is_native(node) || registry.post_processors.contains_key(class)
        }
        Role::Assertion => program::element_is_native(node) || registry.assertions.contains_key(class),
        Role::IterationElement => program::element_is_native(node),
        Role::Unknown => registry.samplers.contains_key(class) || registry.sampler_configs.contains(&class),
    };
    if native { Support::Native } else { Support::Unsupported("this class is not supported") }
}

/// Diagnostics for what is not supported.
pub(super) fn unsupported(prepared: &Prepared, registry: &Registry) -> Vec<Diagnostic> {
    let all = survey(prepared, registry).into_iter();
    let bad = all.filter_map(|found| match found.support {
        Support::Unsupported(why) => Some((found.class, found.place, why)),
        _ => None,
    });
    bad.map(|(class, place, why)| Diagnostic {
        severity: Severity::Error,
        place,
        message: format!("`{class}`: {why}"),
        hint: Some("disable the element, or replace it by one that is supported".to_owned()),
    })
    .collect()
}

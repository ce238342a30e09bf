//! The samplers of a plan, with the controllers above them.

use swell_api::{Registry, Role};
use swell_plan::Node;
use swell_trace::ElementRef;

use super::prepared::Prepared;
use crate::kinds::{Native, native};
use crate::trace::element_ref;

/// A sampler that a run would get to, if nothing keeps it from that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSampler {
    /// The sampler.
    pub element: ElementRef,
    /// Whether its samples are known by its name: it holds no `${}`.
    pub has_constant_name: bool,
    /// Its thread group.
    pub group: ElementRef,
    /// Controllers between the two, outermost first.
    pub controllers: Vec<ElementRef>,
}

/// All samplers that give samples, in document order.
pub fn planned_samplers(prepared: &Prepared, registry: &Registry) -> Vec<PlannedSampler> {
    let mut found = Vec::new();
    for group in prepared.groups.iter().filter(|group| !group.is_external()) {
        let walk = &mut Walk { registry, group: &group.node, found: &mut found };
        walk.visit(&group.node, &mut Vec::new());
    }
    found
}

struct Walk<'w> {
    registry: &'w Registry,
    group: &'w Node,
    found: &'w mut Vec<PlannedSampler>,
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node, controllers: &mut Vec<ElementRef>) {
        for child in &node.children {
            let element = &child.element;
            match self.registry.role(element) {
                Some(Role::Sampler) => {
                    let pauses = matches!(native(self.registry, element), Some(Native::PausingSampler(_)));
                    if !pauses {
                        self.found.push(PlannedSampler {
                            element: element_ref(element),
                            has_constant_name: !element.name().contains("${"),
                            group: element_ref(&self.group.element),
                            controllers: controllers.clone(),
                        });
                    }
                }
                Some(Role::Controller) => {
                    controllers.push(element_ref(element));
                    self.visit(child, controllers);
                    controllers.pop();
                }
                _ => {}
            }
        }
    }
}

//! The samplers of a plan, with the controllers above them.

use swell_api::{Registry, Role};
use swell_plan::Node;
use swell_trace::ElementRef;

use super::async_batches;
use super::prepared::Prepared;
use crate::control::make::with_parent;
use crate::kinds::{Native, native};
use crate::trace::element_ref;

/// A sampler that a run would get to, if nothing keeps it from that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSampler {
    /// The sampler.
    pub element: ElementRef,
    /// Whether its samples are reported under its name: that holds no `${}`, nothing renames
    /// samples, and no transaction has a sample instead.
    pub has_own_label: bool,
    /// Its thread group.
    pub group: ElementRef,
    /// Controllers between the two, outermost first.
    pub controllers: Vec<ElementRef>,
}

/// All samplers that give samples, in document order.
pub fn planned_samplers(prepared: &Prepared, registry: &Registry) -> Vec<PlannedSampler> {
    let mut found = Vec::new();
    let renames = |text: &str| text.contains("setSampleLabel") || text.contains(".setName");
    let mut is_renamed = false;
    prepared.root.walk(&mut |node| is_renamed |= node.element.any_text(&renames));
    for group in prepared.groups.iter().filter(|group| !group.is_external()) {
        let walk = &mut Walk { registry, group: &group.node, found: &mut found };
        walk.visit(&group.node, &mut Vec::new(), !is_renamed);
    }
    found
}

struct Walk<'w> {
    registry: &'w Registry,
    group: &'w Node,
    found: &'w mut Vec<PlannedSampler>,
}

impl Walk<'_> {
    /// `is_reported`: samples are reported one by one.
    fn visit(&mut self, node: &Node, controllers: &mut Vec<ElementRef>, is_reported: bool) {
        for child in &node.children {
            let element = &child.element;
            match self.registry.role(element) {
                Some(Role::Sampler) => {
                    let native = native(self.registry, element);
                    if async_batches::is_batch(element) {
                        let has_sample = element.flag("PARENT_SAMPLE", false);
                        self.visit(child, controllers, is_reported && !has_sample);
                    } else if !matches!(native, Some(Native::PausingSampler(_) | Native::Parallel)) {
                        let name = element.name();
                        let is_constant = !name.is_empty() && !name.contains("${");
                        self.found.push(PlannedSampler {
                            element: element_ref(element),
                            has_own_label: is_constant && is_reported,
                            group: element_ref(&self.group.element),
                            controllers: controllers.clone(),
                        });
                    }
                }
                Some(Role::Controller) => {
                    let has_sample = matches!(native(self.registry, element), Some(Native::Transaction(_)))
                        && with_parent(element);
                    controllers.push(element_ref(element));
                    self.visit(child, controllers, is_reported && !has_sample);
                    controllers.pop();
                }
                _ => {}
            }
        }
    }
}

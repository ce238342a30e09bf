//! The elements of a plan in document order, with what is known of each.

use std::sync::Arc;

use swell_api::{ElementKind, Registry, Role};
use swell_plan::{Element, Node, Plan};

use crate::property::short;
use crate::variables::{FileText, Uses, uses};

/// An element of the tree.
#[derive(Clone)]
pub(crate) struct Entry<'p> {
    pub(crate) node: &'p Node,
    /// Position of the element above it.
    pub(crate) parent: Option<usize>,
    /// Elements above it.
    pub(crate) depth: usize,
    /// It and all elements above it are enabled.
    pub(crate) is_enabled: bool,
    /// The thread group that it is in, or that it is.
    pub(crate) group: Option<usize>,
    /// Its position after all elements below it.
    pub(crate) end: usize,
    pub(crate) role: Option<Role>,
    pub(crate) kind: Option<Arc<ElementKind>>,
}

impl Entry<'_> {
    pub(crate) fn element(&self) -> &Element {
        &self.node.element
    }

    /// The variables that it names.
    pub(crate) fn uses(&self, file: &FileText<'_>) -> Uses {
        uses(self.element(), self.kind.as_deref(), file)
    }

    /// Whether it is a list of variables with their values.
    pub(crate) fn defines_variables(&self) -> bool {
        let names = self.kind.as_ref().map_or(&[][..], |kind| kind.variables);
        names.iter().any(|(property, _)| *property == "Argument.name")
    }

    /// The name of its kind in JMeter's menus, or its class without a package where there is none
    /// or it is that of many.
    pub(crate) fn kind_name(&self) -> &str {
        let class = &self.node.element.class;
        let name = self.kind.as_ref().map(|kind| &*kind.name).filter(|name| !name.contains(','));
        name.unwrap_or(short(class))
    }
}

/// All elements of a plan; without the one that stands around a fragment.
pub(crate) fn outline<'p>(plan: &'p Plan, registry: &Registry) -> Vec<Entry<'p>> {
    let mut all = Vec::new();
    let above = Above { parent: None, depth: 0, is_enabled: true, group: None };
    if plan.root.element.tag.is_empty() {
        plan.root.children.iter().for_each(|child| take(child, above, registry, &mut all));
    } else {
        take(&plan.root, above, registry, &mut all);
    }
    all
}

#[derive(Clone, Copy)]
struct Above {
    parent: Option<usize>,
    depth: usize,
    is_enabled: bool,
    group: Option<usize>,
}

fn take<'p>(node: &'p Node, above: Above, registry: &Registry, all: &mut Vec<Entry<'p>>) {
    let at = all.len();
    let kind = registry.kind(&node.element);
    let role = kind.as_ref().map_or_else(|| Role::by_name(&node.element.class), |kind| Some(kind.role));
    let is_enabled = above.is_enabled && node.element.enabled();
    let group = if role == Some(Role::ThreadGroup) { Some(at) } else { above.group };
    let Above { parent, depth, .. } = above;
    all.push(Entry { node, parent, depth, is_enabled, group, end: 0, role, kind });
    let below = Above { parent: Some(at), depth: depth + 1, is_enabled, group };
    node.children.iter().for_each(|child| take(child, below, registry, all));
    all[at].end = all.len();
}

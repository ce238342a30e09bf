//! A thread group run by another component: only its listeners are compiled.

use std::collections::HashMap;

use swell_plan::Node;

use super::build::Listeners;
use super::external_listeners::ExternalListeners;
use super::group::GroupProgram;
use super::package::OnError;
use crate::compile_context::GroupCompileContext;
use crate::prepare::hears_from_engine;

/// Compiles such a group.
pub(super) fn compile(
    node: &Node,
    context: &GroupCompileContext<'_>,
    listeners: &mut Listeners,
) -> GroupProgram {
    let mut of_elements = HashMap::new();
    node.walk(&mut |node| {
        if hears_from_engine(node, context.registry)
            && let Some(place) = listeners.of(node, context)
        {
            of_elements.insert(node.id, place);
        }
    });
    let of_group = node.children.iter().filter_map(|child| of_elements.get(&child.id).copied()).collect();
    let roots = listeners.roots().collect();
    GroupProgram {
        controls: Vec::new(),
        packages: Vec::new(),
        transactions: Vec::new(),
        elements: Vec::new(),
        timeouts: Vec::new(),
        timers: 0,
        on_error: OnError::Continue,
        keeps_previous: false,
        reads_previous: false,
        same_user: false,
        external: Some(ExternalListeners { of_elements, of_group, roots }),
    }
}

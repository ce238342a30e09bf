//! Parallel Controllers (`com.blazemeter.jmeter.controller.ParallelSampler`): samplers that run
//! their children.

use swell_api::Role;
use swell_plan::Node;

use super::group::{GroupCompiler, Level};
use super::package::{Branch, Parallel};
use crate::control::{Child, Control, ControlId, Kind};
use crate::prepare::async_batches::is_batch;

impl<'p> GroupCompiler<'_, '_> {
    /// Gives each child a separate root that runs it once, and gives the controllers below their
    /// indexes.
    pub(super) fn number_branches(&mut self, node: &'p Node) {
        for child in self.context.runnable(node) {
            let root = self.branch_root(child);
            let root = self.add_control(root);
            if self.context.is_parallel(&child.element) {
                self.number_branches(child);
            } else if self.context.role(&child.element) == Some(Role::Controller) {
                self.number(child);
            }
            let end = ControlId(self.group.controls.len() as u32);
            self.roots.insert(std::ptr::from_ref(child), (root, end));
        }
    }

    fn branch_root(&self, child: &Node) -> Control {
        let loops = self.context.compile.text(&child.element, "LoopController.loops", "1");
        let name = self.context.name(&child.element);
        let kind = Kind::Loop { loops, forever: false };
        Control {
            kind,
            children: Vec::new(),
            listeners: Vec::new(),
            name,
            shows_index: false,
            index: None,
            traced: None,
        }
    }

    /// Compiles the children of the Parallel Controller at the end of `stack`; `None` for another
    /// sampler.
    pub(super) fn parallel(&mut self, stack: &mut Vec<Level<'p>>) -> Option<Parallel> {
        let node = stack.last().expect("holds the sampler").node;
        let element = &node.element;
        if !self.context.is_parallel(element) {
            return None;
        }
        let branches = self.context.runnable(node).map(|child| self.branch(stack, child)).collect();
        let limited = element.flag("LIMIT_MAX_THREAD_NUMBER", false);
        let at_once = limited.then(|| self.context.compile.template(element, "MAX_THREAD_NUMBER", "6"));
        let has_sample = element.flag("PARENT_SAMPLE", false);
        Some(Parallel { branches, has_sample, is_batch: is_batch(element), at_once })
    }

    /// The levels of a batch of an Async Controller, which its plan does not name: timers, steps
    /// and checks act on the samplers in it alone.
    pub(super) fn levels_of_batch(&self, stack: &[Level<'p>]) -> Vec<Level<'p>> {
        let hears = |node: &&&Node| {
            matches!(self.context.role(&node.element), Some(Role::Listener | Role::Controller))
        };
        let bare = |level: &Level<'p>| Level {
            node: level.node,
            scope: level.scope.iter().filter(hears).copied().collect(),
        };
        stack.iter().map(bare).collect()
    }

    fn branch(&mut self, stack: &mut Vec<Level<'p>>, child: &'p Node) -> Branch {
        let (root, end) = self.roots[&std::ptr::from_ref(child)];
        let below = self.places.get(&std::ptr::from_ref(child)).copied();
        stack.push(self.level(child));
        if !self.context.is_parallel(&child.element) {
            self.visit(stack, below.unwrap_or(root));
        }
        let top = match below {
            Some(below) => {
                self.control_done(stack, below, root);
                Child::Control(below)
            }
            None => Child::Sampler(self.sampler(stack)),
        };
        stack.pop();
        self.group.controls[root.0 as usize].children = vec![top];
        Branch { root, end, name: self.context.name(&child.element) }
    }
}

//! Finds the elements that a path names.

use std::collections::{BTreeMap, BTreeSet};

use swell_api::Registry;
use swell_plan::{Element, Node, Plan};

use super::{Glob, PlanPath, Segment};
use crate::property::short;

impl PlanPath {
    /// The elements that it names, in document order.
    pub(crate) fn find<'p>(&self, plan: &'p Plan, registry: &Registry) -> Vec<&'p Node> {
        let mut walk = Walk { path: self, registry, found: Vec::new() };
        if self.starts_at_root {
            walk.enter(&plan.root, BTreeSet::from([0]));
        } else {
            let start = BTreeSet::from([0]);
            walk.among(std::slice::from_ref(&plan.root), &start, true);
        }
        walk.found
    }
}

/// Whether a pattern matches a name of an element: its own, that of its class, whole or without
/// its package, or that of its kind in JMeter's menus.
pub(crate) fn is_named(element: &Element, glob: &Glob, registry: &Registry) -> bool {
    glob.matches(element.name())
        || glob.matches(&element.class)
        || glob.matches(short(&element.class))
        || registry.kind(element).is_some_and(|kind| glob.matches(&kind.name))
}

struct Walk<'a, 'p> {
    path: &'a PlanPath,
    registry: &'a Registry,
    found: Vec<&'p Node>,
}

/// How many segments of the path lead to an element; several ways are possible.
type Progress = BTreeSet<usize>;

impl<'p> Walk<'_, 'p> {
    /// An element that the path has led to.
    fn enter(&mut self, node: &'p Node, progress: Progress) {
        let progress = self.over_levels(progress);
        if progress.contains(&self.path.segments.len()) {
            self.found.push(node);
        }
        self.among(&node.children, &progress, false);
    }

    /// Elements at and below these; `is_start`: the path may start at each.
    fn among(&mut self, nodes: &'p [Node], progress: &Progress, is_start: bool) {
        let progress = self.over_levels(progress.clone());
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for node in nodes {
            let mut next = Progress::new();
            for step in &progress {
                match self.path.segments.get(*step) {
                    None if !is_start => {}
                    None | Some(Segment::Levels) => _ = next.insert(*step),
                    Some(Segment::Element { glob, is_quoted, index })
                        if self.is_named(&node.element, glob, *is_quoted) =>
                    {
                        let count = counts.entry(*step).or_default();
                        *count += 1;
                        if index.is_none_or(|index| index == *count) {
                            next.insert(step + 1);
                        }
                    }
                    Some(Segment::Element { .. }) => {}
                }
            }
            let next = self.over_levels(next);
            if next.contains(&self.path.segments.len()) {
                self.found.push(node);
            }
            if self.path.starts_at_root {
                self.among(&node.children, &next, false);
            } else {
                // The path may also start further down.
                let next: Progress = next.into_iter().chain([0]).collect();
                self.among(&node.children, &next, self.path.segments.is_empty());
            }
        }
    }

    fn is_named(&self, element: &Element, glob: &Glob, is_quoted: bool) -> bool {
        if is_quoted { glob.matches(element.name()) } else { is_named(element, glob, self.registry) }
    }

    /// `**` also stands for no level.
    fn over_levels(&self, mut progress: Progress) -> Progress {
        for step in 0..self.path.segments.len() {
            if progress.contains(&step) && self.path.segments[step] == Segment::Levels {
                progress.insert(step + 1);
            }
        }
        progress
    }
}

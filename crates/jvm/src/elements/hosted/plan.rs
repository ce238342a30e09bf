//! The hosted plan of a run: the part of the plan that the JVM receives.

use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;
use swell_api::{Make, Role, RunPlan, Treatment};
use swell_plan::{Element, Node, NodeId};

use super::super::script::family;
use crate::hosted::{ElementPart, PlanForJvm};
use crate::java_side::JavaSide;
use crate::{JvmFault, request};

/// The hosted plan, and whether the JVM has it.
pub(in super::super) struct HostedPlan {
    jmx: String,
    file: String,
    /// Thread groups that have a part in it.
    groups: HashSet<u32>,
    /// The number of the Java side that has it, and what that said; 0: none.
    defined: Mutex<(u32, Result<(), JvmFault>)>,
}

/// What an element is for the hosted plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// It is called.
    Called,
    /// It is there for those that are called.
    Config,
    /// Native, but samplers that are called read it.
    NativeConfig,
    /// An element with children.
    Above(ElementPart),
    /// Nothing.
    No,
}

impl HostedPlan {
    /// That of a plan; none if nothing of it is called. `is_hosted` says whether JMeter's element
    /// of that plan runs an element; `has_scripts`, that scripts run on the JVM, which may ask for
    /// what config elements keep (a pool of connections), or for the settings of their thread
    /// group.
    pub(in super::super) fn of(
        plan: &RunPlan<'_>,
        is_hosted: &dyn Fn(&Element) -> bool,
        has_scripts: bool,
    ) -> Option<Self> {
        let part = |node: &Node| part(node, plan, is_hosted);
        let mut calls = false;
        let mut keeps = false;
        plan.root.walk(&mut |node| match part(node) {
            Part::Called => calls = true,
            Part::Config => keeps = true,
            _ => {}
        });
        let asks = has_scripts && asks_for_group(plan.root);
        if !(calls || asks || has_scripts && keeps) {
            return None;
        }
        let mut chosen = PlanSelection { part: &part, kept: HashMap::new() };
        chosen.below(plan.root, false);
        let of_plan = plan.root.children.iter().filter(|node| chosen.kept.contains_key(&node.id));
        let of_all = of_plan.clone().any(|node| !is_group(node, plan));
        let groups = plan.root.children.iter().filter(|node| is_group(node, plan));
        let groups = groups.filter(|node| of_all || asks || chosen.kept.contains_key(&node.id));
        let groups: HashSet<u32> = groups.map(|node| node.id.0).collect();
        let kept = |node: &Node| match chosen.kept.get(&node.id) {
            Some(kept) => *kept,
            None if groups.contains(&node.id.0) => ElementPart::AsThreadGroup,
            None => ElementPart::Not,
        };
        let written = PlanForJvm { root: plan.root, variables: Some(plan.variables), kept: &kept };
        let file = plan.file.to_string_lossy().into_owned();
        Some(Self { jmx: written.write(), file, groups, defined: Mutex::new((0, Ok(()))) })
    }

    /// Whether the thread group of that number has a part in it.
    pub(in super::super) fn has_group(&self, group: u32) -> bool {
        self.groups.contains(&group)
    }

    /// Gives it to the JVM if that was not done; on a thread that may call it.
    ///
    /// # Errors
    /// JMeter refuses it, or an element of it does not start.
    pub(in super::super) fn define(&self, jvm: &JavaSide) -> Result<(), JvmFault> {
        let mut defined = self.defined.lock();
        if defined.0 != jvm.number {
            let mut message = Vec::new();
            request::plan(&mut message, self.jmx.as_bytes(), &self.file);
            *defined = (jvm.number, jvm.tell(&message));
        }
        defined.1.clone()
    }
}

/// Whether a script may ask for more of its thread group than every user knows.
fn asks_for_group(root: &Node) -> bool {
    const KNOWN: [&str; 6] = [
        ".getName()",
        ".name",
        ".getNumThreads()",
        ".numThreads",
        ".getNumberOfThreads()",
        ".numberOfThreads",
    ];
    const WORD: &str = "hreadGroup";
    let asks = |text: &str| {
        text.match_indices(WORD).any(|(place, _)| {
            let rest = &text[place + WORD.len()..];
            let rest = rest.strip_prefix("()").unwrap_or(rest);
            !KNOWN.iter().any(|known| rest.starts_with(known))
        })
    };
    let mut found = false;
    root.walk(&mut |node| {
        let is_script = family(&node.element.class).is_some();
        let may_ask = |text: &str| (is_script || text.contains("${__")) && asks(text);
        found = found || node.element.any_text(&may_ask);
    });
    found
}

fn is_group(node: &Node, plan: &RunPlan<'_>) -> bool {
    plan.registry.role(&node.element) == Some(Role::ThreadGroup)
}

fn part(node: &Node, plan: &RunPlan<'_>, is_hosted: &dyn Fn(&Element) -> bool) -> Part {
    let Some(kind) = plan.registry.kind(&node.element) else { return Part::No };
    if matches!(kind.treatment, Treatment::Jvm(_)) && is_hosted(&node.element) {
        return if kind.role == Role::Config { Part::Config } else { Part::Called };
    }
    match (kind.role, &kind.make) {
        (Role::Config, Make::Config) => Part::NativeConfig,
        (Role::ThreadGroup, _) if kind.treatment == Treatment::Native => {
            Part::Above(ElementPart::AsThreadGroup)
        }
        (Role::Controller, _) => Part::Above(ElementPart::AsController),
        (Role::Sampler, _) => Part::Above(ElementPart::AsSampler),
        _ => Part::No,
    }
}

/// What is kept of a plan.
struct PlanSelection<'a> {
    part: &'a dyn Fn(&Node) -> Part,
    kept: HashMap<NodeId, ElementPart>,
}

impl PlanSelection<'_> {
    /// Selects children of an element; returns whether any are kept. `has_sampler`: the element's
    /// siblings are in the scope of a hosted sampler.
    fn below(&mut self, node: &Node, has_sampler: bool) -> bool {
        let reads_configs = has_sampler || self.has_called_below(node);
        let mut any = false;
        for child in &node.children {
            let kept = match (self.part)(child) {
                Part::Called | Part::Config => Some(ElementPart::Whole),
                Part::NativeConfig => reads_configs.then_some(ElementPart::Whole),
                Part::Above(kept) => self.below(child, false).then_some(kept),
                Part::No => None,
            };
            if kept == Some(ElementPart::Whole) {
                self.below(child, (self.part)(child) == Part::Called);
            }
            if let Some(kept) = kept {
                self.kept.insert(child.id, kept);
                any = true;
            }
        }
        any
    }

    fn has_called_below(&self, node: &Node) -> bool {
        let mut any = false;
        node.children
            .iter()
            .for_each(|child| child.walk(&mut |node| any = any || (self.part)(node) == Part::Called));
        any
    }
}

//! Packages: who stands in a sampler's scope, in JMeter's order, and what they read (`TestCompiler.saveSamplerConfigs`).

use std::rc::Rc;

use swell_api::{CONFIG_TEST_ELEMENT, Make, Needs, Role, Sampler, SamplerInput};
use swell_plan::Node;

use super::group::GroupCompiler;
use super::steps::{After, Before, Check, Hearing};
use super::{Hearer, Package, TransactionPackage};
use crate::kinds::Native;
use crate::script::ScriptTimer;
use crate::timer::Timer;

impl<'p> GroupCompiler<'_, '_> {
    /// The package of the sampler at the end of `stack`.
    pub(super) fn package(&mut self, stack: &[&'p Node]) -> Package {
        let node = *stack.last().expect("holds the sampler");
        let before = self.outermost_first(stack, Self::before);
        let after = self.after_steps(stack);
        let checks = self.outermost_first(stack, Self::check);
        let timers = self.innermost_first(stack, Self::timer);
        let hearers = self.hearers(stack);
        let hearing = self.innermost_first(stack, Self::hearing);
        let path: Vec<_> = self.path(stack);
        let inside = self.inside(stack, &hearers);
        let needs = hearing
            .iter()
            .fold(self.needs(stack, &after, &checks, &hearers), |needs, step| needs.or(step.needs()));
        let sampler = self.make_sampler(node, stack, needs);
        let name = self.at_hand.name(&node.element);
        let constant_name = name.constant().map(Into::into);
        let named_twice = name.has_calls() && sampler.names_sample_again();
        let foreign = |step: &Rc<Before>| match &**step {
            Before::Foreign(step) => step.reads_previous(),
            Before::Native(_) => false,
        };
        let kind = self.at_hand.registry.kind(&node.element);
        let sampler_reads = kind.is_some_and(|kind| kind.needs_before.is_some());
        self.group.keeps_previous |= sampler_reads || before.iter().any(foreign);
        Package {
            name,
            constant_name,
            named_twice,
            before,
            timers,
            sampler,
            after,
            checks,
            hearing,
            hearers,
            inside,
            path,
            parallel: None,
        }
    }

    /// The package of the Transaction Controller at the end of `stack`.
    pub(super) fn transaction(&mut self, stack: &[&'p Node]) -> TransactionPackage {
        let checks = self.innermost_first(stack, Self::check);
        let hearing = self.innermost_first(stack, Self::hearing);
        TransactionPackage { checks, hearing, hearers: self.hearers(stack) }
    }

    /// Controllers above the last node, up to the root of its branch.
    fn path(&self, stack: &[&'p Node]) -> Vec<crate::control::ControlId> {
        let mut path = Vec::new();
        for node in stack.iter().rev() {
            let pointer = std::ptr::from_ref(*node);
            path.extend(self.places.get(&pointer));
            if let Some((root, _)) = self.roots.get(&pointer) {
                path.push(*root);
                break;
            }
        }
        path
    }

    /// Who hears of the samples inside of a transaction with parent sample: those who do not get the transaction's.
    fn inside(&mut self, stack: &[&'p Node], hearers: &[Hearer]) -> Option<Vec<Hearer>> {
        let with_parent = |node: &&Node| {
            let native = self.at_hand.native(&node.element);
            matches!(native, Some(Native::Transaction(_))) && super::controls::with_parent(&node.element)
        };
        let depth = stack.iter().rposition(with_parent)?;
        let covered = self.hearers(&stack[..=depth]);
        Some(hearers.iter().filter(|hearer| !covered.contains(hearer)).copied().collect())
    }

    fn needs(
        &mut self,
        stack: &[&'p Node],
        after: &[Rc<After>],
        checks: &[Rc<Check>],
        hearers: &[Hearer],
    ) -> Needs {
        let mut needs = self.read_before.or(Needs { body: self.at_hand.reads_previous, ..Needs::default() });
        // Checks of the transactions around it stand in the scope of the sampler too, so these are all.
        let checks_of = |needs: Needs, check: &Rc<Check>| needs.or(check.needs());
        needs = checks.iter().fold(needs, checks_of);
        needs = after.iter().fold(needs, |needs, step| needs.or(step.needs()));
        for hearer in hearers {
            if let Hearer::Listener(place) | Hearer::Changer(place) = hearer {
                needs = needs.or(self.listeners.get(*place).needs());
            }
        }
        debug_assert!(!stack.is_empty());
        needs
    }

    fn outermost_first<T>(
        &mut self,
        stack: &[&'p Node],
        make: fn(&mut Self, &Node) -> Option<Rc<T>>,
    ) -> Vec<Rc<T>> {
        let all = stack.iter().flat_map(|level| &level.children);
        all.filter_map(|node| make(self, node)).collect()
    }

    fn innermost_first<T: ?Sized>(
        &mut self,
        stack: &[&'p Node],
        make: fn(&mut Self, &Node) -> Option<Rc<T>>,
    ) -> Vec<Rc<T>> {
        let all = stack.iter().rev().flat_map(|level| &level.children);
        all.filter_map(|node| make(self, node)).collect()
    }

    pub(super) fn before(&mut self, node: &Node) -> Option<Rc<Before>> {
        let at_hand = self.at_hand;
        if at_hand.role(&node.element) != Some(Role::PreProcessor) {
            return None;
        }
        if let Some(known) = self.made.before.get(&node.id) {
            return known.clone();
        }
        let made = match (at_hand.make(&node.element), at_hand.native(&node.element)) {
            (Make::PreProcessor(make), _) => Some(Before::Native(make(node, at_hand.compile))),
            (Make::Step(make), _) => Some(Before::Foreign(make(node, at_hand.compile))),
            (_, Some(Native::Script(kind))) => {
                crate::script::pre_processor(node, *kind, at_hand.compile).map(Before::Foreign)
            }
            _ => None,
        };
        let made = made.map(Rc::new);
        self.made.before.insert(node.id, made.clone());
        made
    }

    fn after(&mut self, node: &Node) -> Option<Rc<After>> {
        let at_hand = self.at_hand;
        if at_hand.role(&node.element) != Some(Role::PostProcessor) {
            return None;
        }
        if let Some(known) = self.made.after.get(&node.id) {
            return known.clone();
        }
        let made = match (at_hand.make(&node.element), at_hand.native(&node.element)) {
            (Make::PostProcessor(make), _) => Some(After::Native(make(node, at_hand.compile))),
            (Make::Step(make), _) => Some(After::Foreign(make(node, at_hand.compile))),
            (_, Some(Native::Script(kind))) => {
                crate::script::post_processor(node, *kind, at_hand.compile).map(After::Native)
            }
            _ => None,
        };
        let made = made.map(Rc::new);
        self.made.after.insert(node.id, made.clone());
        made
    }

    /// Post-processors, outermost first. What shows the sampler is made for each.
    fn after_steps(&mut self, stack: &[&'p Node]) -> Vec<Rc<After>> {
        let mut steps = Vec::new();
        for node in stack.iter().flat_map(|level| &level.children) {
            if let Some(Native::DebugPostProcessor) = self.at_hand.native(&node.element) {
                let is_default = |child: &&Node| child.element.class == CONFIG_TEST_ELEMENT;
                let defaults = stack.iter().rev().flat_map(|level| level.children.iter().filter(is_default));
                let (defaults, sampler) =
                    (defaults.collect::<Vec<_>>(), *stack.last().expect("holds the sampler"));
                let step = crate::debug::post_processor(node, sampler, &defaults, self.at_hand.compile);
                steps.push(Rc::new(After::Native(step)));
            } else {
                steps.extend(self.after(node));
            }
        }
        steps
    }

    fn check(&mut self, node: &Node) -> Option<Rc<Check>> {
        let at_hand = self.at_hand;
        if at_hand.role(&node.element) != Some(Role::Assertion) {
            return None;
        }
        if let Some(known) = self.made.checks.get(&node.id) {
            return known.clone();
        }
        let made = match (at_hand.make(&node.element), at_hand.native(&node.element)) {
            (Make::Assertion(make), _) => Some(Check::Native(make(node, at_hand.compile))),
            (Make::Step(make), _) => Some(Check::Foreign(make(node, at_hand.compile))),
            (_, Some(Native::Script(kind))) => {
                crate::script::assertion(node, *kind, at_hand.compile).map(Check::Native)
            }
            _ => None,
        };
        let made = made.map(Rc::new);
        self.made.checks.insert(node.id, made.clone());
        made
    }

    fn hearing(&mut self, node: &Node) -> Option<Hearing> {
        let at_hand = self.at_hand;
        if at_hand.role(&node.element) != Some(Role::Listener) {
            return None;
        }
        let Make::Step(make) = at_hand.make(&node.element) else { return None };
        let known = self.made.hearing.entry(node.id);
        Some(known.or_insert_with(|| make(node, at_hand.compile)).clone())
    }

    fn timer(&mut self, node: &Node) -> Option<Rc<Timer>> {
        let at_hand = self.at_hand;
        if at_hand.role(&node.element) != Some(Role::Timer) {
            return None;
        }
        if let Some(known) = self.made.timers.get(&node.id) {
            return known.clone();
        }
        let made = match (at_hand.make(&node.element), at_hand.native(&node.element)) {
            (Make::Timer(make), _) => Some(Timer::Foreign(make(node, at_hand.compile))),
            (_, Some(Native::Timer(make))) => Some(make(node, at_hand, &mut self.group.timers)),
            (_, Some(Native::Script(kind))) => {
                ScriptTimer::compile(node, *kind, at_hand.compile).map(Timer::Script)
            }
            _ => None,
        };
        let made = made.map(Rc::new);
        self.made.timers.insert(node.id, made.clone());
        made
    }

    fn make_sampler(&mut self, node: &'p Node, stack: &[&'p Node], needs: Needs) -> Rc<dyn Sampler> {
        let at_hand = self.at_hand;
        let element = &node.element;
        if let Make::Sampler(make) = at_hand.make(element) {
            let is_config = |child: &&Node| matches!(at_hand.make(&child.element), Make::Config);
            let configs = stack.iter().rev().flat_map(|level| level.children.iter().filter(is_config));
            let input = SamplerInput { sampler: node, configs: configs.collect(), needs };
            return make(&input, at_hand.compile);
        }
        match at_hand.native(element) {
            Some(Native::Sampler(make) | Native::PausingSampler(make)) => make(element, at_hand),
            Some(Native::Script(kind)) => match crate::script::sampler(node, *kind, at_hand.compile) {
                Some((sampler, reads_previous)) => {
                    self.group.keeps_previous |= reads_previous;
                    sampler
                }
                None => crate::sampler::missing(element),
            },
            _ => crate::sampler::missing(element),
        }
    }
}

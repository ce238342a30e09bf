//! Packages: the elements in a sampler's scope, in JMeter's order, and their settings
//! (`TestCompiler.saveSamplerConfigs`).

use std::rc::Rc;

use swell_api::{CONFIG_TEST_ELEMENT, IS_KEPT, Make, Needs, Role, Sampler, SamplerInput};
use swell_plan::Node;

use super::group::{GroupCompiler, Level};
use super::package::{Inside, Package, SampleListener, SamplerProperties, TransactionPackage};
use super::steps::{After, Before, Check, WaitingListener};
use crate::control::make::with_parent;
use crate::kinds::Native;
use crate::script::ScriptTimer;
use crate::timer::Timer;

impl<'p> GroupCompiler<'_, '_> {
    /// The package of the sampler at the end of `stack`.
    pub(super) fn package(&mut self, stack: &[Level<'p>]) -> Package {
        let node = stack.last().expect("holds the sampler").node;
        let mut before = self.outermost_first(stack, Self::before);
        self.trace_begin(stack, &mut before);
        let after = self.after_steps(stack);
        let checks = self.outermost_first(stack, Self::check);
        let timers = self.innermost_first(stack, Self::timer);
        let sample_listeners = self.sample_listeners(stack);
        let mut waiting_listeners = self.innermost_first(stack, Self::waiting_listeners);
        let path: Vec<_> = self.path(stack);
        let mut inside = self.inside(stack, &sample_listeners, &waiting_listeners);
        if let Some(end) = self.trace_end() {
            waiting_listeners.push(end.clone());
            if let Some(inside) = &mut inside {
                inside.waiting_listeners.push(end.clone());
            }
        }
        let needs = waiting_listeners
            .iter()
            .fold(self.needs(stack, &after, &checks, &sample_listeners), |needs, step| {
                needs.or(step.needs())
            });
        let sampler = self.make_sampler(node, stack, needs);
        let sampler = self.trace_sampler(stack, sampler);
        let name = self.context.name(&node.element);
        let constant_name = name.constant().map(Into::into);
        let named_twice = name.has_calls() && sampler.names_sample_again();
        let foreign = |step: &Rc<Before>| match &**step {
            Before::Foreign(step) => step.reads_previous(),
            Before::Native(_) => false,
        };
        let kind = self.context.registry.kind(&node.element);
        let sampler_reads = kind.is_some_and(|kind| kind.needs_before.is_some());
        self.group.keeps_previous |= sampler_reads || before.iter().any(foreign);
        let reads_sampler = before.iter().any(|step| step.reads_request())
            || after.iter().any(|step| step.reads_request())
            || checks.iter().any(|check| check.reads_request())
            || waiting_listeners.iter().any(|step| step.reads_request())
            || timers.iter().any(|timer| timer.reads_request());
        let is_kept = node.element.attribute(IS_KEPT).is_some();
        let properties =
            ((reads_sampler || is_kept) && sampler.shows_properties()).then(|| self.properties(node));
        Package {
            name,
            constant_name,
            named_twice,
            before,
            timers,
            sampler,
            properties: properties.map(Box::new),
            is_kept,
            after,
            checks,
            waiting_listeners,
            sample_listeners,
            inside,
            path,
            parallel: None,
        }
    }

    /// The sampler's plain properties but its name, which is known otherwise. One with functions
    /// that can change is left out: JMeter evaluates it where a script reads it, and to do so for
    /// each step that may read it would count on.
    fn properties(&self, node: &Node) -> SamplerProperties {
        let element = &node.element;
        let is_shown = |name: &str| !name.is_empty() && name != "TestElement.name";
        let names = element.properties.iter().map(|property| &*property.name).filter(|name| is_shown(name));
        let texts = names.filter_map(|name| {
            element.text(name)?;
            let text = self.context.template(element, name);
            (!text.has_calls() || text.is_settled()).then(|| (name.into(), text))
        });
        SamplerProperties { class: (&*element.class).into(), texts: texts.collect() }
    }

    /// The package of the Transaction Controller at the end of `stack`.
    pub(super) fn transaction(&mut self, stack: &[Level<'p>]) -> TransactionPackage {
        let checks = self.innermost_first(stack, Self::check);
        let mut waiting_listeners = self.innermost_first(stack, Self::waiting_listeners);
        waiting_listeners.extend(self.trace_end());
        // They see the sample before the transaction's end, too.
        let foreign = |check: &Rc<Check>| match &**check {
            Check::Foreign(step) => step.reads_previous(),
            Check::Native(_) => false,
        };
        self.group.keeps_previous |=
            checks.iter().any(foreign) || waiting_listeners.iter().any(|step| step.reads_previous());
        TransactionPackage { checks, waiting_listeners, sample_listeners: self.sample_listeners(stack) }
    }

    /// Controllers above the last node, up to the root of its branch.
    fn path(&self, stack: &[Level<'p>]) -> Vec<crate::control::ControlId> {
        let mut path = Vec::new();
        for level in stack.iter().rev() {
            let pointer = std::ptr::from_ref(level.node);
            path.extend(self.places.get(&pointer));
            if let Some((root, _)) = self.roots.get(&pointer) {
                path.push(*root);
                break;
            }
        }
        path
    }

    /// Who hears of the samples inside of a transaction with parent sample: those who do not get
    /// the transaction's.
    fn inside(
        &mut self,
        stack: &[Level<'p>],
        sample_listeners: &[SampleListener],
        waiting_listeners: &[WaitingListener],
    ) -> Option<Inside> {
        let with_parent = |level: &Level<'p>| {
            let element = &level.node.element;
            matches!(self.context.native(element), Some(Native::Transaction(_))) && with_parent(element)
        };
        let depth = stack.iter().rposition(with_parent)?;
        let covered = self.sample_listeners(&stack[..=depth]);
        let waiting_covered = self.innermost_first(&stack[..=depth], Self::waiting_listeners);
        let is_covered = |one: &&WaitingListener| waiting_covered.iter().any(|other| Rc::ptr_eq(one, other));
        Some(Inside {
            sample_listeners: inner_listeners(sample_listeners, &covered),
            waiting_listeners: waiting_listeners.iter().filter(|one| !is_covered(one)).cloned().collect(),
        })
    }

    fn needs(
        &mut self,
        stack: &[Level<'p>],
        after: &[Rc<After>],
        checks: &[Rc<Check>],
        sample_listeners: &[SampleListener],
    ) -> Needs {
        let mut needs = self.read_before.or(Needs { body: self.context.reads_previous, ..Needs::default() });
        // Checks of the enclosing transactions are also in the sampler's scope, so these are all.
        let checks_of = |needs: Needs, check: &Rc<Check>| needs.or(check.needs());
        needs = checks.iter().fold(needs, checks_of);
        needs = after.iter().fold(needs, |needs, step| needs.or(step.needs()));
        for sample_listener in sample_listeners {
            if let SampleListener::Reading(place) | SampleListener::Mutating(place) = sample_listener {
                needs = needs.or(self.listeners.get(*place).needs());
            }
        }
        debug_assert!(!stack.is_empty());
        needs
    }

    fn outermost_first<T>(
        &mut self,
        stack: &[Level<'p>],
        make: fn(&mut Self, &Node) -> Option<Rc<T>>,
    ) -> Vec<Rc<T>> {
        let all = stack.iter().flat_map(|level| &level.scope);
        all.filter_map(|node| make(self, node)).collect()
    }

    fn innermost_first<T: ?Sized>(
        &mut self,
        stack: &[Level<'p>],
        make: fn(&mut Self, &Node) -> Option<Rc<T>>,
    ) -> Vec<Rc<T>> {
        let all = stack.iter().rev().flat_map(|level| &level.scope);
        all.filter_map(|node| make(self, node)).collect()
    }

    pub(super) fn before(&mut self, node: &Node) -> Option<Rc<Before>> {
        let context = self.context;
        // What hears of iterations and takes time for it does so before the first sample.
        let role = context.role(&node.element);
        if !matches!(role, Some(Role::PreProcessor | Role::IterationElement)) {
            return None;
        }
        if let Some(known) = self.made.before.get(&node.id) {
            return known.clone();
        }
        let made = match (context.make(&node.element), context.native(&node.element)) {
            (Make::PreProcessor(make), _) => Some(Before::Native(make(node, context.compile))),
            (Make::Step(make), _) => Some(Before::Foreign(make(node, context.compile))),
            (_, Some(Native::Script(kind))) => {
                crate::script::pre_processor(node, *kind, context.compile).map(Before::Foreign)
            }
            _ => None,
        };
        let made = self.trace_before(node, made).map(Rc::new);
        self.made.before.insert(node.id, made.clone());
        made
    }

    fn after(&mut self, node: &Node) -> Option<Rc<After>> {
        let context = self.context;
        if context.role(&node.element) != Some(Role::PostProcessor) {
            return None;
        }
        if let Some(known) = self.made.after.get(&node.id) {
            return known.clone();
        }
        let made = match (context.make(&node.element), context.native(&node.element)) {
            (Make::PostProcessor(make), _) => Some(After::Native(make(node, context.compile))),
            (Make::Step(make), _) => Some(After::Foreign(make(node, context.compile))),
            (_, Some(Native::Script(kind))) => {
                crate::script::post_processor(node, *kind, context.compile).map(After::Native)
            }
            _ => None,
        };
        let made = self.trace_after(node, made).map(Rc::new);
        self.made.after.insert(node.id, made.clone());
        made
    }

    /// Post-processors, outermost first. What shows the sampler is made for each.
    fn after_steps(&mut self, stack: &[Level<'p>]) -> Vec<Rc<After>> {
        let mut steps = Vec::new();
        for node in stack.iter().flat_map(|level| &level.scope) {
            if let Some(Native::DebugPostProcessor) = self.context.native(&node.element) {
                let is_default = |child: &&Node| child.element.class == CONFIG_TEST_ELEMENT;
                let defaults =
                    stack.iter().rev().flat_map(|level| level.scope.iter().copied().filter(is_default));
                let defaults = defaults.collect::<Vec<_>>();
                let sampler = stack.last().expect("holds the sampler").node;
                let step = crate::debug::post_processor(node, sampler, &defaults, self.context.compile);
                steps.extend(self.trace_after(node, Some(After::Native(step))).map(Rc::new));
            } else {
                steps.extend(self.after(node));
            }
        }
        steps
    }

    fn check(&mut self, node: &Node) -> Option<Rc<Check>> {
        let context = self.context;
        if context.role(&node.element) != Some(Role::Assertion) {
            return None;
        }
        if let Some(known) = self.made.checks.get(&node.id) {
            return known.clone();
        }
        let made = match (context.make(&node.element), context.native(&node.element)) {
            (Make::Assertion(make), _) => Some(Check::Native(make(node, context.compile))),
            (Make::Step(make), _) => Some(Check::Foreign(make(node, context.compile))),
            (_, Some(Native::Script(kind))) => {
                crate::script::assertion(node, *kind, context.compile).map(Check::Native)
            }
            _ => None,
        };
        let made = self.trace_check(node, made).map(Rc::new);
        self.made.checks.insert(node.id, made.clone());
        made
    }

    fn waiting_listeners(&mut self, node: &Node) -> Option<WaitingListener> {
        let context = self.context;
        if context.role(&node.element) != Some(Role::Listener) {
            return None;
        }
        let Make::Step(make) = context.make(&node.element) else { return None };
        let known = self.made.waiting_listeners.entry(node.id);
        Some(known.or_insert_with(|| make(node, context.compile)).clone())
    }

    fn timer(&mut self, node: &Node) -> Option<Rc<Timer>> {
        let context = self.context;
        if context.role(&node.element) != Some(Role::Timer) {
            return None;
        }
        if let Some(known) = self.made.timers.get(&node.id) {
            return known.clone();
        }
        let made = match (context.make(&node.element), context.native(&node.element)) {
            (Make::Timer(make), _) => Some(Timer::Foreign(make(node, context.compile))),
            (_, Some(Native::Timer(make) | Native::RateTimer(make))) => {
                Some(make(node, context, &mut self.group.timers))
            }
            (_, Some(Native::Script(kind))) => {
                ScriptTimer::compile(node, *kind, context.compile).map(Timer::Script)
            }
            _ => None,
        };
        let made = made.map(|timer| self.trace_timer(node, timer)).map(Rc::new);
        self.made.timers.insert(node.id, made.clone());
        made
    }

    fn make_sampler(&mut self, node: &'p Node, stack: &[Level<'p>], needs: Needs) -> Rc<dyn Sampler> {
        let context = self.context;
        let element = &node.element;
        if let Make::Sampler(make) = context.make(element) {
            let is_config = |child: &&Node| matches!(context.make(&child.element), Make::Config);
            let configs = stack.iter().rev().flat_map(|level| level.scope.iter().copied().filter(is_config));
            let input = SamplerInput { sampler: node, configs: configs.collect(), needs };
            return make(&input, context.compile);
        }
        match context.native(element) {
            Some(Native::Sampler(make) | Native::PausingSampler(make)) => make(element, context),
            Some(Native::Script(kind)) => crate::script::sampler(node, *kind, context.compile)
                .unwrap_or_else(|| crate::sampler::missing(element)),
            _ => crate::sampler::missing(element),
        }
    }
}

/// Listeners of a sample inside a transaction: those that `covered` contains get the transaction's
/// sample and hear of its parts.
fn inner_listeners(all: &[SampleListener], covered: &[SampleListener]) -> Vec<SampleListener> {
    let inner = all.iter().filter_map(|one| match *one {
        one if !covered.contains(&one) => Some(one),
        SampleListener::Reading(place) => Some(SampleListener::Inner(place)),
        _ => None,
    });
    inner.collect()
}

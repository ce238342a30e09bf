//! A compiled thread group.

use std::collections::HashMap;
use std::rc::Rc;

use swell_api::{IterationElement, LoopAction, Needs, Role};
use swell_expr::Template;
use swell_plan::{Element, Node, NodeId};

use super::build::Listeners;
use super::external_listeners::ExternalListeners;
use super::package::{OnError, Package, SampleListener, TransactionPackage};
use super::steps::{After, Before, Check, WaitingListener};
use crate::compile_context::GroupCompileContext;
use crate::control::make::with_parent;
use crate::control::{Child, Control, ControlId, IterationListener, SamplerId};
use crate::group_load::{GroupKind, Load};
use crate::kinds::Native;
use crate::timer::Timer;
use crate::trace::BeginIteration;

/// A thread group compiled for one worker.
pub(crate) struct GroupProgram {
    /// The root is the first.
    pub(crate) controls: Vec<Control>,
    pub(crate) packages: Vec<Package>,
    /// By controller; only those with parent sample have one.
    pub(crate) transactions: Vec<Option<TransactionPackage>>,
    pub(crate) elements: Vec<Box<dyn IterationElement>>,
    /// Sample Timeouts in milliseconds. JMeter takes all of a thread group's tree, regardless of
    /// their position (`JMeterThread.sampleMonitors`).
    pub(crate) timeouts: Vec<Template>,
    /// How many timers keep a time for each user.
    pub(crate) timers: usize,
    pub(crate) on_error: OnError,
    /// A foreign pre-processor may read the sample before (`prev`).
    pub(crate) keeps_previous: bool,
    /// A function may read the response before.
    pub(crate) reads_previous: bool,
    /// Cookies, connections and the like stay over iterations.
    pub(crate) same_user: bool,
    /// The maker of a group that foreign code runs; nothing else of it is compiled.
    pub(crate) external: Option<ExternalListeners>,
}

/// The root of a thread group.
pub(crate) const ROOT: ControlId = ControlId(0);

/// Compiles a thread group.
pub(super) fn compile(
    node: &Node,
    context: &GroupCompileContext<'_>,
    listeners: &mut Listeners,
) -> GroupProgram {
    let mut compiler = GroupCompiler {
        context,
        listeners,
        places: HashMap::new(),
        roots: HashMap::new(),
        made: SharedElements::default(),
        read_before: if context.functions_read_samples { Needs::ALL } else { Needs::default() },
        group: GroupProgram {
            controls: Vec::new(),
            packages: Vec::new(),
            transactions: Vec::new(),
            elements: Vec::new(),
            timeouts: Vec::new(),
            timers: 0,
            on_error: on_sample_error(&node.element),
            keeps_previous: context.functions_read_samples,
            reads_previous: context.reads_previous,
            same_user: same_user(&node.element, context.load),
            external: None,
        },
    };
    compiler.number(node);
    compiler.timeouts(node);
    compiler.read_before(node);
    let top = compiler.level(node);
    compiler.visit(&mut vec![top], ROOT);
    for control in &mut compiler.group.controls {
        // JMeter puts each new listener before the others.
        control.listeners.reverse();
    }
    let root = &mut compiler.group.controls[ROOT.0 as usize];
    if context.compile.traced {
        let place = compiler.group.elements.len() as u32;
        compiler.group.elements.push(Box::new(BeginIteration));
        root.listeners.insert(0, IterationListener::Element(place));
    }
    root.listeners.insert(0, IterationListener::User);
    compiler.group
}

/// Elements that are created once per group and shared by many packages.
#[derive(Default)]
pub(super) struct SharedElements {
    pub(super) before: HashMap<NodeId, Option<Rc<Before>>>,
    pub(super) after: HashMap<NodeId, Option<Rc<After>>>,
    pub(super) checks: HashMap<NodeId, Option<Rc<Check>>>,
    pub(super) timers: HashMap<NodeId, Option<Rc<Timer>>>,
    pub(super) waiting_listeners: HashMap<NodeId, WaitingListener>,
}

/// A node above or at what is compiled, with what acts on its neighbours.
pub(super) struct Level<'p> {
    pub(super) node: &'p Node,
    /// Children that can be in the scope of a sampler below, found once: a recorded plan has
    /// thousands of samplers side by side, and each would look at all.
    pub(super) scope: Box<[&'p Node]>,
}

pub(super) struct GroupCompiler<'c, 'h> {
    pub(super) context: &'c GroupCompileContext<'h>,
    pub(super) listeners: &'c mut Listeners,
    /// Controllers by the address of their node: modules can hold one element several times.
    pub(super) places: HashMap<*const Node, ControlId>,
    /// Roots of branches, with the first controller after each, by the address of the node at their
    /// top.
    pub(super) roots: HashMap<*const Node, (ControlId, ControlId)>,
    pub(super) made: SharedElements,
    /// What pre-processors of the group read of any sample before.
    pub(super) read_before: Needs,
    pub(super) group: GroupProgram,
}

impl<'p> GroupCompiler<'_, '_> {
    /// Gives every controller its place before packages ask for it.
    pub(super) fn number(&mut self, node: &'p Node) {
        let control = self.context.control(node);
        let id = self.add_control(control);
        self.places.insert(std::ptr::from_ref(node), id);
        for child in &node.children {
            if self.context.role(&child.element) == Some(Role::Controller) {
                self.number(child);
            } else if self.context.is_parallel(&child.element) {
                self.number_branches(child);
            }
        }
    }

    pub(super) fn add_control(&mut self, control: Control) -> ControlId {
        self.group.controls.push(control);
        self.group.transactions.push(None);
        ControlId(self.group.controls.len() as u32 - 1)
    }

    /// A node with its scope: all children but samplers, and controllers that hear of no samples.
    pub(super) fn level(&self, node: &'p Node) -> Level<'p> {
        let acts = |child: &&Node| match self.context.role(&child.element) {
            Some(Role::Sampler) => false,
            Some(Role::Controller) => {
                let native = self.context.native(&child.element);
                matches!(native, Some(Native::Transaction(_))) && !with_parent(&child.element)
            }
            _ => true,
        };
        Level { node, scope: node.children.iter().filter(acts).collect() }
    }

    /// Finds out what pre-processors read of the samples before, which may be any of the group.
    fn read_before(&mut self, node: &'p Node) {
        for child in &node.children {
            let context = self.context;
            let needs = match self.before(child).as_deref() {
                Some(Before::Foreign(step)) => Some(step.needs()),
                _ => context
                    .registry
                    .kind(&child.element)
                    .and_then(|kind| Some(kind.needs_before.as_ref()?(&child.element))),
            };
            self.read_before = self.read_before.or(needs.unwrap_or_default());
            self.read_before(child);
        }
    }

    fn timeouts(&mut self, node: &Node) {
        let context = self.context;
        let mut found = Vec::new();
        node.walk(&mut |node| {
            if let Some(Native::SampleTimeout) = context.native(&node.element) {
                found.push(context.compile.template(&node.element, "InterruptTimer.timeout", ""));
            }
        });
        self.group.timeouts = found;
    }

    /// Compiles the children of the last node of `stack`; `above` is the innermost controller.
    pub(super) fn visit(&mut self, stack: &mut Vec<Level<'p>>, above: ControlId) {
        let node = stack.last().expect("starts with the thread group").node;
        let is_control = self.places.contains_key(&std::ptr::from_ref(node));
        let mut children = Vec::new();
        for child in &node.children {
            let role = self.context.role(&child.element);
            let below = self.places.get(&std::ptr::from_ref(child)).copied();
            if role == Some(Role::Controller) && below.is_none() {
                // Below a sampler: it is never asked for a next sampler.
                continue;
            }
            stack.push(self.level(child));
            if !self.context.is_parallel(&child.element) {
                self.visit(stack, below.unwrap_or(above));
            }
            if let Some(below) = below {
                children.push(Child::Control(below));
                self.control_done(stack, below, above);
            } else if role == Some(Role::Sampler) && is_control {
                children.push(Child::Sampler(self.sampler(stack)));
            } else {
                self.iteration_element(child, above);
            }
            stack.pop();
        }
        if is_control {
            debug_assert_eq!(children.len(), self.context.runnable(node).count());
            self.group.controls[above.0 as usize].children = children;
        }
    }

    /// After all below a controller: it hears of iterations of the one above, and gets its package.
    pub(super) fn control_done(&mut self, stack: &[Level<'p>], id: ControlId, above: ControlId) {
        if self.group.controls[id.0 as usize].kind.listens() {
            self.group.controls[above.0 as usize].listeners.push(IterationListener::Control(id));
        }
        let node = stack.last().expect("holds the controller").node;
        let is_transaction = matches!(self.context.native(&node.element), Some(Native::Transaction(_)));
        if is_transaction && with_parent(&node.element) {
            let package = self.transaction(stack);
            self.group.transactions[id.0 as usize] = Some(package);
        }
    }

    pub(super) fn sampler(&mut self, stack: &mut Vec<Level<'p>>) -> SamplerId {
        let parallel = self.parallel(stack).map(Box::new);
        let package = match &parallel {
            Some(parallel) if parallel.is_batch => self.package(&self.levels_of_batch(stack)),
            _ => self.package(stack),
        };
        let package = Package { parallel, ..package };
        self.group.packages.push(package);
        SamplerId(self.group.packages.len() as u32 - 1)
    }

    /// Data sets, counters and the like hear of iterations of the innermost controller above.
    fn iteration_element(&mut self, node: &Node, above: ControlId) {
        let context = self.context;
        let made = if let Some(Native::DataSet(make)) = context.native(&node.element) {
            Some(make(node, context))
        } else {
            let kind = context.registry.kind(&node.element);
            kind.and_then(|kind| kind.each_iteration.as_ref()?(node, context.compile))
        };
        if let Some(element) = made {
            let element = self.trace_iteration(node, element);
            let place = self.group.elements.len() as u32;
            self.group.elements.push(element);
            self.group.controls[above.0 as usize].listeners.push(IterationListener::Element(place));
        }
    }

    /// Listeners that hear what happens below the last node of `stack`, innermost first.
    pub(super) fn sample_listeners(&mut self, stack: &[Level<'p>]) -> Vec<SampleListener> {
        let mut sample_listeners = Vec::new();
        for level in stack.iter().rev() {
            for child in &level.scope {
                sample_listeners.extend(self.sample_listener(child));
            }
        }
        sample_listeners.extend(self.listeners.roots().map(SampleListener::Reading));
        sample_listeners
    }

    fn sample_listener(&mut self, node: &Node) -> Option<SampleListener> {
        let element = &node.element;
        match self.context.native(element) {
            Some(Native::OnError) => Some(SampleListener::OnError(result_action(element))),
            Some(Native::Transaction(_)) if !with_parent(element) => {
                self.places.get(&std::ptr::from_ref(node)).copied().map(SampleListener::Transaction)
            }
            None if self.context.role(element) == Some(Role::Listener) => {
                let place = self.listeners.of(node, self.context)?;
                let changes = self.listeners.get(place).changes();
                Some(if changes { SampleListener::Mutating(place) } else { SampleListener::Reading(place) })
            }
            _ => None,
        }
    }
}

/// Whether cookies, connections and the like stay over iterations.
fn same_user(group: &Element, load: &Load) -> bool {
    match load {
        // Their users are made without saying, which means no.
        Load::Own(GroupKind::Stepping | GroupKind::Ultimate) | Load::External(_) => false,
        Load::Own(GroupKind::Concurrency | GroupKind::Arrivals | GroupKind::FreeFormArrivals) => {
            group.flag("same_user_on_next_iteration", true)
        }
        Load::Own(GroupKind::Plain | GroupKind::OpenModel) => {
            group.flag("ThreadGroup.same_user_on_next_iteration", true)
        }
        Load::Foreign(foreign) => foreign.same_user(),
    }
}

/// `ThreadGroup.on_sample_error`.
fn on_sample_error(group: &Element) -> OnError {
    let text = group.text("ThreadGroup.on_sample_error").unwrap_or("continue");
    match text.to_ascii_lowercase().as_str() {
        "startnextloop" => OnError::Loop(LoopAction::NextThreadLoop),
        "stopthread" => OnError::StopUser,
        "stoptest" => OnError::StopTest,
        "stoptestnow" => OnError::StopTestNow,
        _ => OnError::Continue,
    }
}

/// `OnErrorTestElement`.
fn result_action(element: &Element) -> OnError {
    match element.text("OnError.action").unwrap_or_default() {
        "1" => OnError::StopUser,
        "2" => OnError::StopTest,
        "3" => OnError::StopTestNow,
        "4" => OnError::Loop(LoopAction::NextThreadLoop),
        "5" => OnError::Loop(LoopAction::NextLoop),
        "6" => OnError::Loop(LoopAction::Break),
        _ => OnError::Continue,
    }
}

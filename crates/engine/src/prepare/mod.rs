//! A plan made ready to run, once, on the main thread.

mod data_files;
mod external;
pub(crate) mod load;
mod main_context;
mod mentions;
mod resolve;
mod survey;
mod texts;
mod variables;

use std::path::PathBuf;
use std::sync::Arc;

use swell_api::{ExternalGroup, Make, Phase, PlanOfRun, Registry, Role, StartMode, ThreadGroup};
use swell_expr::{Host, PlanTexts, Properties, RunInfo};
use swell_plan::{Diagnostic, Node, NodeId, Plan, Severity};

use crate::kinds::{GroupKind, Native, native};
use crate::program::INTERNALS;

pub use data_files::missing_files;
pub(crate) use external::{hears_from_engine, walk_own};
pub(crate) use main_context::{MainContext, context};
pub use survey::{Support, Surveyed, survey};

/// What a run is made in.
#[derive(Clone)]
pub struct Settings {
    /// Properties (`-J`, `-q`, `user.properties`).
    pub props: Arc<Properties>,
    /// The outside world.
    pub host: Arc<dyn Host>,
    /// Facts of the run.
    pub run: Arc<RunInfo>,
}

/// A thread group with its enabled part of the tree, elements of the Test Plan level grafted below it.
pub(crate) struct Group {
    pub(crate) node: Node,
    pub(crate) phase: Phase,
    /// Number in its phase, from 1, as it stands in thread names.
    pub(crate) number: u32,
    pub(crate) load: Load,
    /// Where something else runs it: the listeners that hear of its samples here.
    pub(crate) external_listeners: Vec<NodeId>,
}

impl Group {
    /// Something else runs it.
    pub(crate) fn is_external(&self) -> bool {
        matches!(self.load, Load::External(_))
    }
}

/// What decides when the users of a thread group come and go.
#[derive(Clone)]
pub(crate) enum Load {
    /// The engine's own.
    Own(GroupKind),
    /// One that another crate or a provider brought.
    Foreign(Arc<dyn ThreadGroup>),
    /// Something else runs its users.
    External(Arc<dyn ExternalGroup>),
}

impl Load {
    /// Users come by arrivals, at a rate, and not in a number.
    pub(crate) fn has_arrivals(&self) -> bool {
        match self {
            Self::Own(kind) => kind.has_arrivals(),
            Self::Foreign(group) => group.mode() != StartMode::Users,
            Self::External(_) => false,
        }
    }
}

/// A plan ready to run.
#[expect(clippy::struct_excessive_bools, reason = "facts of a plan, each read by itself")]
pub struct Prepared {
    pub(crate) settings: Settings,
    pub(crate) file: Option<Arc<PathBuf>>,
    /// The enabled tree, Module and Include Controllers filled.
    pub(crate) root: Node,
    pub(crate) groups: Vec<Group>,
    /// Numbers of the texts of `root` and `groups`.
    pub(crate) texts: Arc<PlanTexts>,
    /// Variables that every user starts with.
    pub(crate) initial: Vec<(String, String)>,
    pub(crate) serialized: bool,
    /// Samples start at times that the plan sets, not only when the ones before have ended.
    pub(crate) keeps_schedule: bool,
    /// Something may read the loop indexes.
    pub(crate) indexes_are_read: bool,
    /// Something may read the variables that JMeter keeps for its own work.
    pub(crate) internals_are_read: bool,
    /// A function may read the response before.
    pub(crate) reads_previous: bool,
    /// A function that a provider answers may read samples.
    pub(crate) functions_read_samples: bool,
    pub(crate) tear_down_on_shutdown: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Prepared {
    /// What is to be said about the plan. Errors here mean that it would not run as written: elements that are not
    /// supported, unknown functions.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Names of the thread groups in the order in which they start, with their phases.
    pub fn groups(&self) -> impl Iterator<Item = (&str, Phase)> {
        self.groups.iter().map(|group| (group.node.element.name(), group.phase))
    }

    /// The variables that every user starts with, user defined variables evaluated.
    pub fn variables(&self) -> &[(String, String)] {
        &self.initial
    }

    /// The enabled tree, Module and Include Controllers filled.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The file of the plan.
    pub fn file(&self) -> Option<&Arc<PathBuf>> {
        self.file.as_ref()
    }

    /// The settings it was prepared with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// Makes a plan ready: takes the enabled tree, fills Module and Include Controllers, evaluates user defined variables,
/// finds the thread groups, and compiles everything once to see what is wrong with it. Nothing is sent and no results
/// file is opened.
///
/// # Errors
/// The plan cannot run at all: a module without target, a file that cannot be included. What is wrong but lets the plan
/// run stands in [`Prepared::diagnostics`].
pub fn prepare(plan: &Plan, registry: &Registry, settings: Settings) -> Result<Prepared, Vec<Diagnostic>> {
    let settings = with_functions(settings, registry);
    let (root, mut diagnostics) = resolve::resolve(plan, &settings)?;
    let main = MainContext::new(&settings, plan.file.clone());
    let initial = variables::initial(&root, registry, &main);
    let groups = groups(&root, registry, &main);
    if groups.iter().all(Group::is_external) {
        // What runs them evaluates the variables as well, and knows functions that are not known here.
        main.compile.diagnostics.take();
    }
    for group in &groups {
        load::check_constants(&group.node.element, &group.load, &main);
    }
    diagnostics.append(&mut main.compile.diagnostics.borrow_mut());
    let keeps_schedule = keeps_schedule(&root, registry);
    let reads = |names| mentions::reads_variables(&root, &settings.props, names);
    let (indexes_are_read, internals_are_read) = (reads(mentions::INDEXES), reads(&INTERNALS));
    let reads_previous = mentions::reads_previous(&root);
    let functions_read_samples = registry.functions().is_some() && mentions::functions_read_samples(&root);
    let trees = groups.iter().map(|group| &group.node).chain([&root]);
    let texts = Arc::new(texts::number(trees));
    let run = RunInfo { variables: initial.clone(), ..(*settings.run).clone() };
    let mut prepared = Prepared {
        settings: Settings { run: Arc::new(run), ..settings },
        file: plan.file.clone(),
        indexes_are_read,
        internals_are_read,
        reads_previous,
        functions_read_samples,
        keeps_schedule,
        serialized: root.element.flag("TestPlan.serialize_threadgroups", false),
        tear_down_on_shutdown: root.element.flag("TestPlan.tearDown_on_shutdown", false),
        root,
        groups,
        texts,
        initial,
        diagnostics,
    };
    let mut found = crate::program::trial(&prepared, registry);
    prepared.diagnostics.append(&mut found);
    give_plan(&prepared, registry);
    prepared.diagnostics.extend(survey::unsupported(&prepared, registry));
    if prepared.groups.is_empty() {
        let place = swell_plan::Place { file: prepared.file.clone(), ..swell_plan::Place::default() };
        let message = "there is no enabled thread group, so nothing runs".to_owned();
        prepared.diagnostics.push(Diagnostic { severity: Severity::Warning, place, message, hint: None });
    }
    Ok(prepared)
}

/// The settings with the functions that a provider has.
fn with_functions(settings: Settings, registry: &Registry) -> Settings {
    let Some(functions) = registry.functions() else { return settings };
    let functions = settings.run.functions.clone().with_remote(functions);
    Settings { run: Arc::new(RunInfo { functions, ..(*settings.run).clone() }), ..settings }
}

/// Gives the plan to providers whose elements are in it, as far as the engine runs it itself.
fn give_plan(prepared: &Prepared, registry: &Registry) {
    if !prepared.groups.is_empty() && prepared.groups.iter().all(Group::is_external) {
        return;
    }
    let root = &external::own_tree(&prepared.root, registry);
    let run = &prepared.settings.run;
    let unsaved = run.plan_dir.join(if run.plan_name.is_empty() { "plan.jmx" } else { &run.plan_name });
    let file = prepared.file.as_deref().map_or(&*unsaved, PathBuf::as_path);
    registry.give_plan(&PlanOfRun { root, registry, variables: &prepared.initial, file });
}

/// Whether a plan has timers, pauses, or anything else that waits for a time of its own.
fn keeps_schedule(root: &Node, registry: &Registry) -> bool {
    let mut keeps = false;
    walk_own(root, registry, &mut |node| {
        let element = &node.element;
        keeps |= match native(registry, element) {
            Some(Native::PausingSampler(_) | Native::TimedController(_)) => true,
            Some(Native::ThreadGroup(_, kind)) => *kind != GroupKind::Plain,
            _ => matches!(registry.role(element), Some(Role::Timer | Role::ThreadGroup)),
        };
    });
    keeps
}

/// Thread groups by phase in document order. Elements of the Test Plan level are added below each, without what stands
/// below them (`StandardJMeterEngine.startThreadGroup`).
fn groups(root: &Node, registry: &Registry, main: &MainContext) -> Vec<Group> {
    let found: Vec<_> =
        root.children.iter().map(|node| (node, load_of(root, node, registry, main))).collect();
    let grafted = found.iter().filter(|(_, load)| load.is_none()).map(|(node, _)| Node {
        id: node.id,
        element: node.element.clone(),
        children: Vec::new(),
    });
    let grafted: Vec<_> =
        grafted.filter(|node| registry.role(&node.element) != Some(Role::Controller)).collect();
    let mut groups = Vec::new();
    for phase in [Phase::SetUp, Phase::Main, Phase::TearDown] {
        let of_phase = found.iter().filter_map(|(node, load)| Some((*node, load.as_ref()?)));
        let of_phase = of_phase.filter(|(_, (of, _))| *of == phase);
        groups.extend((1..).zip(of_phase).map(|(number, (node, (_, load)))| {
            let mut node = node.clone();
            node.children.extend(grafted.iter().cloned());
            let external_listeners = match load {
                Load::External(_) => external::listeners(&node, registry),
                _ => Vec::new(),
            };
            Group { node, phase, number, load: load.clone(), external_listeners }
        }));
    }
    groups
}

/// When a thread group runs, and what decides when its users come and go; none if it is no thread group that can run.
fn load_of(root: &Node, node: &Node, registry: &Registry, main: &MainContext) -> Option<(Phase, Load)> {
    let (phase, load) = own_load_of(node, registry, main)?;
    let taker = external::taker(root, node, registry).filter(|_| !matches!(load, Load::External(_)));
    match taker.map(|taker| taker.kind.make.clone()) {
        Some(Make::InExternalGroup(make)) => Some((phase, Load::External(make(node, phase, &main.compile)))),
        _ => Some((phase, load)),
    }
}

/// The same by its kind alone.
fn own_load_of(node: &Node, registry: &Registry, main: &MainContext) -> Option<(Phase, Load)> {
    if let Some(Native::ThreadGroup(phase, kind)) = native(registry, &node.element) {
        return Some((*phase, Load::Own(*kind)));
    }
    match &registry.kind(&node.element)?.make {
        Make::ThreadGroup(make) => Some((Phase::Main, Load::Foreign(make(node, &main.compile)))),
        Make::ExternalGroup(make) => {
            let group = make(node, &main.compile);
            Some((group.phase(), Load::External(group)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Element;

    #[test]
    fn timers_and_pauses_are_a_schedule_and_samplers_alone_are_none() {
        let registry = Registry::of(crate::kinds());
        let plan = |class: &str| {
            let group = Node::new(Element::new("ThreadGroup", "ThreadGroupGui", "g"));
            let sampler = Node::new(Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "s"));
            let below = Node::new(Element::new(class, "x", "e"));
            Node::new(Element::new("TestPlan", "TestPlanGui", "t")).with(group.with(sampler.with(below)))
        };
        for class in
            ["ConstantTimer", "ConstantThroughputTimer", "SyncTimer", "TestAction", "com.example.OtherTimer"]
        {
            assert!(keeps_schedule(&plan(class), &registry), "{class}");
        }
        let open = Node::new(Element::new("OpenModelThreadGroup", "x", "g"));
        assert!(keeps_schedule(
            &Node::new(Element::new("TestPlan", "TestPlanGui", "t")).with(open),
            &registry
        ));
        for class in ["ResponseAssertion", "HeaderManager", "RegexExtractor"] {
            assert!(!keeps_schedule(&plan(class), &registry), "{class}");
        }
    }
}

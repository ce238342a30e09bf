//! Analysis of a plan, once, on the main thread, before it runs.

pub(crate) mod async_batches;
mod data_files;
mod debug_plan;
mod duration_override;
mod external;
pub(crate) mod load;
mod main_context;
mod missing;
mod planned;
mod prepared;
mod resolve;
mod script_reads;
mod script_writes;
mod sent_by_jmeter;
mod shape;
mod survey;
mod texts;
mod variables;

use std::sync::Arc;

use swell_api::{Make, Phase, Registry, Role};
use swell_expr::RunInfo;
use swell_plan::{Diagnostic, Node, Plan};

use crate::group_load::{GroupKind, Load};
use crate::internals::INTERNALS;
use crate::kinds::{Native, native};

pub use data_files::missing_files;
pub use debug_plan::{DebugLoad, debug_plan};
pub use duration_override::last_for;
pub(crate) use external::{hears_from_engine, own_tree, walk_own};
pub(crate) use main_context::{MainContext, context};
pub use planned::{PlannedSampler, planned_samplers};
pub(crate) use prepared::Group;
pub use prepared::{PlanEdit, Prepared, Settings};
pub use shape::{LoadShape, ShapeOf, shape_of};
pub use survey::{ElementSupport, Support, survey};
pub(crate) use survey::{support, unsupported};

/// Takes the enabled tree, fills Module and Include Controllers, evaluates user defined variables,
/// and finds the thread groups.
///
/// # Errors
/// The plan cannot run at all: a module without target, a file that cannot be included. What is
/// wrong but lets the plan run is in [`Prepared::diagnostics`].
pub(crate) fn gather(
    plan: &Plan,
    registry: &Registry,
    settings: Settings,
) -> Result<Prepared, Vec<Diagnostic>> {
    let settings = with_functions(settings, registry);
    let (mut root, mut diagnostics) = resolve::resolve(plan, &settings)?;
    if let Some(edit) = &settings.edit {
        edit(&mut root);
    }
    diagnostics.extend(missing::fill(&mut root, registry, plan.file.as_ref()));
    script_writes::mark(&mut root, registry, &*settings.host);
    sent_by_jmeter::mark(&mut root, registry, &*settings.host);
    let main = MainContext::new(&settings, plan.file.clone());
    let initial = variables::initial(&root, registry, &main);
    let mut groups = groups(&root, registry, &main);
    for group in groups.iter_mut().filter(|group| !group.is_external()) {
        diagnostics.extend(async_batches::gather(
            &mut group.node,
            registry,
            &settings.props,
            plan.file.as_ref(),
        ));
    }
    if groups.iter().all(Group::is_external) {
        // What runs them evaluates the variables as well, and knows functions that are not known
        // here.
        main.compile.diagnostics.take();
    }
    for group in &groups {
        load::check_constants(&group.node.element, &group.load, &main);
    }
    diagnostics.append(&mut main.compile.diagnostics.borrow_mut());
    let keeps_schedule = keeps_schedule(&root, registry);
    let reads = |names| script_reads::reads_variables(&root, &settings.props, names);
    let indexes_are_read = reads(script_reads::INDEXES);
    let internals_are_read = reads(&INTERNALS);
    let reads_previous = script_reads::reads_previous(&root);
    let functions_read_samples =
        registry.functions().is_some() && script_reads::functions_read_samples(&root);
    let trees = groups.iter().map(|group| &group.node).chain([&root]);
    let texts = Arc::new(texts::number(trees));
    let run = RunInfo { variables: initial.clone(), ..(*settings.run).clone() };
    let prepared = Prepared {
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
    Ok(prepared)
}

/// The settings with the functions that a provider has.
fn with_functions(settings: Settings, registry: &Registry) -> Settings {
    let Some(functions) = registry.functions() else { return settings };
    let functions = settings.functions.clone().with_remote(functions);
    Settings { functions, ..settings }
}

/// Whether a plan has timers, pauses, or other elements with their own waiting times.
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

/// Thread groups by phase in document order. Elements of the Test Plan level are added below each,
/// without the elements below them (`StandardJMeterEngine.startThreadGroup`).
fn groups(root: &Node, registry: &Registry, main: &MainContext) -> Vec<Group> {
    let delegation = external::Delegation::of(root, registry);
    let nodes = root.children.iter();
    let found: Vec<_> = nodes.map(|node| (node, load_of(&delegation, node, registry, main))).collect();
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

/// When a thread group runs and what starts and stops its users; `None` if it cannot run.
fn load_of<'n>(
    delegation: &external::Delegation<'n>,
    node: &'n Node,
    registry: &Registry,
    main: &MainContext,
) -> Option<(Phase, Load)> {
    let (phase, load) = own_load_of(node, registry, main)?;
    let taker = delegation.taker(node, registry).filter(|_| !matches!(load, Load::External(_)));
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

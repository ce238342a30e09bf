//! What an element is in a plan, by its class.

use swell_elements::reference::{self, Kind};
use swell_plan::Element;

use super::Phase;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    TestPlan,
    ThreadGroup(Phase),
    /// A kind of thread group that is not supported.
    ForeignThreadGroup,
    Controller,
    Sampler,
    Timer,
    PreProcessor,
    PostProcessor,
    Assertion,
    /// Something that a controller's iterations drive and nothing else: a data set, a counter.
    IterationElement,
    /// User defined variables; done before the run.
    Variables,
    /// A config element that samplers read.
    Config,
    Listener,
    /// `ResultAction`: a listener that acts on failures.
    OnError,
    /// Known, and nothing to do for it.
    Nothing,
    Unknown,
}

/// Kinds of thread groups, by how their users come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    /// `ThreadGroup`, `SetupThreadGroup`, `PostThreadGroup`.
    Plain,
    Stepping,
    Ultimate,
    Concurrency,
    Arrivals,
    FreeFormArrivals,
    OpenModel,
}

impl GroupKind {
    /// The kind of a thread group.
    pub(crate) fn of(group: &Element) -> Self {
        match group.class.rsplit('.').next().unwrap_or_default() {
            "SteppingThreadGroup" => Self::Stepping,
            "UltimateThreadGroup" => Self::Ultimate,
            "ConcurrencyThreadGroup" => Self::Concurrency,
            "ArrivalsThreadGroup" => Self::Arrivals,
            "FreeFormArrivalsThreadGroup" => Self::FreeFormArrivals,
            "OpenModelThreadGroup" => Self::OpenModel,
            _ => Self::Plain,
        }
    }
}

/// Controllers of JMeter 5.6.3, all of which run here, and of plug-ins.
pub(crate) const CONTROLLERS: &[&str] = &[
    "GenericController",
    "RecordingController",
    "TestFragmentController",
    "ModuleController",
    "IncludeController",
    "LoopController",
    "WhileController",
    "ForeachController",
    "OnceOnlyController",
    "IfController",
    "InterleaveControl",
    "RandomController",
    "RandomOrderController",
    "SwitchController",
    "ThroughputController",
    "RunTime",
    "CriticalSectionController",
    "TransactionController",
    WEIGHTED,
];

/// bzm's Weighted Switch Controller.
pub(crate) const WEIGHTED: &str = "com.blazemeter.jmeter.control.WeightedSwitchController";

/// A controller that is a sampler: it runs what stands below it at once.
pub(crate) const PARALLEL: &str = "com.blazemeter.jmeter.controller.ParallelSampler";

/// Classes of JMeter 5.6.3 and of plug-ins by role.
const ROLES: &[(Role, &[&str])] = &[
    (Role::TestPlan, &["TestPlan"]),
    (Role::ThreadGroup(Phase::SetUp), &["SetupThreadGroup"]),
    (
        Role::ThreadGroup(Phase::Main),
        &[
            "ThreadGroup",
            "OpenModelThreadGroup",
            "org.apache.jmeter.threads.openmodel.OpenModelThreadGroup",
            "kg.apc.jmeter.threads.SteppingThreadGroup",
            "kg.apc.jmeter.threads.UltimateThreadGroup",
            "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
            "com.blazemeter.jmeter.threads.arrivals.ArrivalsThreadGroup",
            "com.blazemeter.jmeter.threads.arrivals.FreeFormArrivalsThreadGroup",
        ],
    ),
    (Role::ThreadGroup(Phase::TearDown), &["PostThreadGroup"]),
    (Role::Controller, CONTROLLERS),
    (Role::Sampler, &[PARALLEL]),
    (
        Role::Timer,
        &[
            "ConstantTimer",
            "UniformRandomTimer",
            "GaussianRandomTimer",
            "PoissonRandomTimer",
            "ConstantThroughputTimer",
            "PreciseThroughputTimer",
            "SyncTimer",
            "BeanShellTimer",
            "BSFTimer",
            "JSR223Timer",
        ],
    ),
    (Role::IterationElement, &["CSVDataSet", "CounterConfig", "RandomVariableConfig"]),
    (Role::Variables, &["Arguments"]),
    (Role::OnError, &["ResultAction"]),
    (Role::Nothing, &["WorkBench", "ProxyControl", "HttpMirrorControl"]),
];

/// The role of an element: the engine's own list, then the table of elements ([`reference`]). What neither knows goes by
/// JMeter's way of naming classes; plugins mostly keep to it.
pub(crate) fn role(element: &Element) -> Role {
    let class = element.class.as_str();
    let listed = ROLES.iter().find(|(_, classes)| classes.contains(&class)).map(|(role, _)| *role);
    let in_table = || reference::entry(element).map(|entry| by_kind(entry.kind));
    listed.or_else(in_table).unwrap_or_else(|| by_name(class))
}

fn by_kind(kind: Kind) -> Role {
    match kind {
        Kind::Plan => Role::Nothing,
        Kind::ThreadGroup => Role::ForeignThreadGroup,
        Kind::Controller => Role::Controller,
        Kind::Sampler => Role::Sampler,
        Kind::Config => Role::Config,
        Kind::IterationElement => Role::IterationElement,
        Kind::Timer => Role::Timer,
        Kind::PreProcessor => Role::PreProcessor,
        Kind::PostProcessor => Role::PostProcessor,
        Kind::Assertion => Role::Assertion,
        Kind::Listener => Role::Listener,
    }
}

fn by_name(class: &str) -> Role {
    let short = class.rsplit('.').next().unwrap_or(class);
    let ends = |endings: &[&str]| endings.iter().any(|end| short.ends_with(end));
    if ends(&["ThreadGroup"]) {
        Role::ForeignThreadGroup
    } else if ends(&["PostProcessor", "Extractor"]) {
        Role::PostProcessor
    } else if ends(&["PreProcessor", "Modifier", "UserParameters", "SampleTimeout"]) {
        Role::PreProcessor
    } else if ends(&["Assertion"]) {
        Role::Assertion
    } else if ends(&["Timer"]) {
        Role::Timer
    } else if ends(&["Controller", "Control"]) {
        Role::Controller
    } else if ends(&["Sampler", "SamplerProxy", "TestAction"]) {
        Role::Sampler
    } else if ends(&["Config", "Manager", "ConfigTestElement", "DataSource", "Element"]) {
        Role::Config
    } else if ends(&["Listener", "Collector", "Summariser", "Visualizer", "ResultSaver", "Reporter"]) {
        Role::Listener
    } else {
        Role::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_classes() {
        let table = [
            ("ThreadGroup", Role::ThreadGroup(Phase::Main)),
            ("PostThreadGroup", Role::ThreadGroup(Phase::TearDown)),
            (
                "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup",
                Role::ThreadGroup(Phase::Main),
            ),
            ("com.example.OtherThreadGroup", Role::ForeignThreadGroup),
            ("HTTPSamplerProxy", Role::Sampler),
            (PARALLEL, Role::Sampler),
            ("JavaSampler", Role::Sampler),
            ("TestAction", Role::Sampler),
            ("RegexExtractor", Role::PostProcessor),
            ("JSR223PostProcessor", Role::PostProcessor),
            ("URLRewritingModifier", Role::PreProcessor),
            ("ResponseAssertion", Role::Assertion),
            ("JSR223Timer", Role::Timer),
            ("CSVDataSet", Role::IterationElement),
            ("HeaderManager", Role::Config),
            ("ConfigTestElement", Role::Config),
            ("ResultCollector", Role::Listener),
            ("BackendListener", Role::Listener),
            ("some.plugin.Thing", Role::Unknown),
        ];
        for (class, role) in table {
            assert_eq!(by_class(class), role, "{class}");
        }
    }

    fn by_class(class: &str) -> Role {
        role(&Element::new(class, "", "x"))
    }
}

//! Plans that cannot be compared, or not in everything.

use swell_plan::{Node, Plan, write};

/// Elements that Swell runs itself or passes over.
const COMPARED: [&str; 67] = [
    "TestPlan",
    "WorkBench",
    "ThreadGroup",
    "SetupThreadGroup",
    "PostThreadGroup",
    "HTTPSamplerProxy",
    "DebugSampler",
    "TestAction",
    "GenericController",
    "RecordingController",
    "LoopController",
    "OnceOnlyController",
    "IfController",
    "WhileController",
    "ForeachController",
    "SwitchController",
    "TransactionController",
    "ThroughputController",
    "RandomController",
    "RandomOrderController",
    "InterleaveControl",
    "RunTime",
    "ModuleController",
    "TestFragmentController",
    "CriticalSectionController",
    "Arguments",
    "CSVDataSet",
    "HeaderManager",
    "CookieManager",
    "CacheManager",
    "AuthManager",
    "ConfigTestElement",
    "DNSCacheManager",
    "CounterConfig",
    "RandomVariableConfig",
    "UserParameters",
    "RegexExtractor",
    "JSONPostProcessor",
    "BoundaryExtractor",
    "JMESPathExtractor",
    "HtmlExtractor",
    "ResultAction",
    "DebugPostProcessor",
    "ResponseAssertion",
    "DurationAssertion",
    "SizeAssertion",
    "JSONPathAssertion",
    "JMESPathAssertion",
    "XMLAssertion",
    "XPathAssertion",
    "XPathExtractor",
    "XPath2Extractor",
    "XPath2Assertion",
    "MD5HexAssertion",
    "CompareAssertion",
    "ConstantTimer",
    "UniformRandomTimer",
    "GaussianRandomTimer",
    "PoissonRandomTimer",
    "ConstantThroughputTimer",
    "PreciseThroughputTimer",
    "SyncTimer",
    "ResultCollector",
    "ResultSaver",
    "Summariser",
    "BackendListener",
    "ProxyControl",
];

/// Functions that need a script engine.
const SCRIPTS: [&str; 5] = ["__groovy", "__BeanShell", "__javaScript", "__jexl2", "__jexl3"];

/// What makes runs differ from each other.
const UNSTEADY: [&str; 12] = [
    "__Random",
    "__UUID",
    "__time(",
    "__time}",
    "__timeShift",
    "__machine",
    "__counter",
    "START.MS",
    "RandomController",
    "RandomOrderController",
    "RandomVariableConfig",
    "__chooseRandom",
];

/// Takes out what takes no part in the run: JMeter refuses even disabled elements of plug-ins that it does not have. A
/// Module Controller may use what is disabled, so a plan with one is left as it is.
pub(super) fn prune(plan: &mut Plan) {
    if !holds(plan, "ModuleController") {
        plan.root = plan.enabled_tree();
        without_plugin_listeners(&mut plan.root);
    }
}

/// Listeners of plug-ins only draw.
fn without_plugin_listeners(node: &mut Node) {
    const PARTS: [&str; 4] = ["vizualizers", "visualizer", "perfmon", "istener"];
    let only_draws = |class: &str| class.contains('.') && PARTS.iter().any(|part| class.contains(part));
    node.children.retain(|child| !only_draws(&child.element.class));
    for child in &mut node.children {
        without_plugin_listeners(child);
    }
}

/// Whether an element of a class takes part in the run.
pub(super) fn holds(plan: &Plan, class: &str) -> bool {
    let mut found = false;
    visit_enabled(&plan.root, &mut |node| found |= node.element.class == class);
    found
}

/// Whether a request may be sent as multipart/form-data.
pub(super) fn sends_parts(plan: &Plan) -> bool {
    let text = write(plan);
    text.contains("\"File.paramname\"") || text.contains("DO_MULTIPART_POST\">true")
}

/// Why a plan is not run.
pub(super) fn reason(plan: &Plan) -> Option<String> {
    let mut found = None;
    visit_enabled(&plan.root, &mut |node| {
        let class = node.element.class.as_str();
        if found.is_none() && !COMPARED.contains(&class) {
            found = Some(format!("holds {class}"));
        }
    });
    let text = write(plan);
    let script = SCRIPTS.iter().find(|name| text.contains(&format!("${{{name}")));
    found.or_else(|| script.map(|name| format!("calls {name}")))
}

/// Whether two runs of a plan differ.
pub(super) fn is_unsteady(plan: &Plan) -> bool {
    let text = write(plan);
    UNSTEADY.iter().any(|name| text.contains(name))
}

fn visit_enabled(node: &Node, visit: &mut dyn FnMut(&Node)) {
    if node.element.enabled() {
        visit(node);
        node.children.iter().for_each(|child| visit_enabled(child, visit));
    }
}

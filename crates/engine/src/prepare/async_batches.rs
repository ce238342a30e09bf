//! Async Controllers of bzm's HTTP plug-in (`HTTP2Controller`, 3.0.2): the HTTP samplers of that
//! plug-in that follow each other in one start without waiting, anything else waits for them. Here
//! such a batch becomes a Parallel Controller in the tree to run.

use std::path::PathBuf;
use std::sync::Arc;

use swell_api::{BZM_HTTP_SAMPLER, Registry, Role};
use swell_expr::Properties;
use swell_plan::{Diagnostic, Element, Node, Place, Severity};

use crate::kinds::{ASYNC, PARALLEL};

/// The attribute of a Parallel Controller that is a batch.
const BATCH: &str = "swell-batch";

/// Prefixes of the controller's properties: that of 3.0, and an older one.
const PREFIXES: [&str; 2] = ["blazemeter.http.controller.", "http2AsyncController."];
const PARENT: &str = "generateParentSample";
const LIMITED: &str = "limitMaxParallel";
const LIMIT: &str = "maxConcurrentAsyncInController";

/// Names of the run's property for [`LIMIT`], the first one precedes.
const RUN_LIMITS: [&str; 3] = [
    "blazemeter.http.maxConcurrentAsyncInController",
    "HTTP2Sampler.maxConcurrentAsyncInController",
    "httpJettyClient.maxConcurrentAsyncInController",
];

/// Samples at once where nothing says how many.
const AT_ONCE: &str = "100";

/// Whether a Parallel Controller is a batch of an Async Controller.
pub(crate) fn is_batch(element: &Element) -> bool {
    element.attribute(BATCH).is_some()
}

/// A property of an Async Controller that is not known, or is an expression where it cannot be.
pub(crate) fn lacks(element: &Element) -> Option<String> {
    let names = element.properties.iter().map(|property| &*property.name);
    let mut own = names.filter_map(|name| {
        let setting = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))?;
        Some((name, setting))
    });
    own.find_map(|(name, setting)| match setting {
        PARENT | LIMITED if element.text_or_empty(name).contains("${") => {
            Some(format!("`{name}` is native only without an expression"))
        }
        LIMIT | PARENT | LIMITED => None,
        _ => Some(format!("the setting `{name}` is not native")),
    })
}

/// Puts the samplers of each Async Controller below a node into batches. An error names a controller
/// whose parent sample would span several batches.
pub(super) fn gather(
    node: &mut Node,
    registry: &Registry,
    props: &Properties,
    file: Option<&Arc<PathBuf>>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for child in &mut node.children {
        problems.append(&mut gather(child, registry, props, file));
    }
    if node.element.class != ASYNC {
        return problems;
    }
    let has_sample = has_sample(&node.element, props);
    let batches = batch_children(node, registry, &parallel(&node.element, has_sample, props));
    if has_sample && batches > 1 {
        problems.push(several_batches(&node.element, file));
    }
    problems
}

fn several_batches(element: &Element, file: Option<&Arc<PathBuf>>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        place: Place {
            file: file.cloned(),
            line: element.line,
            element: element.path.clone(),
            property: Some(PARENT.to_owned()),
        },
        message:
            "the sample of an Async Controller cannot contain HTTP samplers that another element separates"
                .to_owned(),
        hint: Some("move the other element out of the controller".to_owned()),
    }
}

/// Moves samplers that follow each other into a Parallel Controller each; how many there are.
fn batch_children(node: &mut Node, registry: &Registry, parallel: &Element) -> usize {
    let id = node.id;
    let runs = |child: &Node| matches!(registry.role(&child.element), Some(Role::Sampler | Role::Controller));
    let mut children: Vec<Node> = Vec::with_capacity(node.children.len());
    let mut batch = Vec::new();
    let mut batches = 0;
    let mut close = |batch: &mut Vec<Node>, children: &mut Vec<Node>| {
        if !batch.is_empty() {
            batches += 1;
            children.push(Node { id, element: parallel.clone(), children: std::mem::take(batch) });
        }
    };
    for child in std::mem::take(&mut node.children) {
        if child.element.class == BZM_HTTP_SAMPLER {
            batch.push(child);
            continue;
        }
        if runs(&child) {
            close(&mut batch, &mut children);
        }
        children.push(child);
    }
    close(&mut batch, &mut children);
    node.children = children;
    batches
}

/// The Parallel Controller of a batch, without samplers.
fn parallel(of: &Element, has_sample: bool, props: &Properties) -> Element {
    let limited = setting(of, LIMITED).is_some_and(|text| text == "true");
    let own = setting(of, LIMIT).filter(|_| limited);
    let run = || RUN_LIMITS.iter().find_map(|name| props.get(name));
    let limit = own.map(str::to_owned).or_else(run).unwrap_or_else(|| AT_ONCE.to_owned());
    let mut element = Element::new(PARALLEL, "", of.name())
        .with_flag("PARENT_SAMPLE", has_sample)
        .with_flag("LIMIT_MAX_THREAD_NUMBER", true)
        .with_text("MAX_THREAD_NUMBER", &limit);
    element.set_attribute(BATCH, "true");
    (element.line, element.path) = (of.line, of.path.clone());
    element
}

/// Whether the samples of a controller are in one of its name.
fn has_sample(element: &Element, props: &Properties) -> bool {
    let run = || PREFIXES.iter().find_map(|prefix| props.get(&format!("{prefix}{PARENT}")));
    setting(element, PARENT).map(str::to_owned).or_else(run).is_some_and(|text| text == "true")
}

/// A setting under either of its names.
fn setting<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    PREFIXES.iter().find_map(|prefix| element.text(&format!("{prefix}{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_api::{ElementKind, Make};

    fn node(class: &str, name: &str) -> Node {
        Node::new(Element::new(class, "", name))
    }

    fn names(node: &Node) -> Vec<String> {
        node.children.iter().map(|child| child.element.name().to_owned()).collect()
    }

    /// Names of the children, those of a batch in brackets.
    fn shown(node: &Node) -> Vec<String> {
        let shown = |child: &Node| {
            if is_batch(&child.element) {
                format!("[{}]", names(child).join(" "))
            } else {
                child.element.name().to_owned()
            }
        };
        node.children.iter().map(shown).collect()
    }

    fn gathered(controller: Element, props: &Properties) -> (Node, usize) {
        let sampler = |name: &str| node(BZM_HTTP_SAMPLER, name);
        let controller = Node::new(controller)
            .with(sampler("a"))
            .with(node("ConstantTimer", "t"))
            .with(sampler("b"))
            .with(node("GenericController", "c").with(sampler("alone")))
            .with(sampler("d"));
        let mut group = node("ThreadGroup", "users").with(controller);
        let kinds = crate::kinds().into_iter();
        let http = ElementKind::native(Role::Sampler, BZM_HTTP_SAMPLER, "", Make::Config);
        let problems = gather(&mut group, &Registry::of(kinds.chain([http])), props, None);
        (group.children.remove(0), problems.len())
    }

    #[test]
    fn samplers_that_follow_each_other_are_a_batch() {
        let (controller, problems) = gathered(Element::new(ASYNC, "", "async"), &Properties::default());
        assert_eq!(shown(&controller), ["t", "[a b]", "c", "[d]"]);
        assert_eq!(problems, 0);
        let batch = &controller.children[1].element;
        assert_eq!((batch.name(), batch.text("MAX_THREAD_NUMBER")), ("async", Some("100")));
        assert_eq!(shown(&controller.children[2]), ["alone"], "of another controller");
    }

    #[test]
    fn limits_and_samples_by_element_and_by_run() {
        let limited = Element::new(ASYNC, "", "async")
            .with_flag("http2AsyncController.limitMaxParallel", true)
            .with_int("blazemeter.http.controller.maxConcurrentAsyncInController", 7);
        let unlimited = Element::new(ASYNC, "", "async")
            .with_int("blazemeter.http.controller.maxConcurrentAsyncInController", 7);
        let props = Properties::default();
        props.set("httpJettyClient.maxConcurrentAsyncInController", "9");
        let limit = |element: &Element| {
            parallel(element, false, &props).text_or_empty("MAX_THREAD_NUMBER").to_owned()
        };
        assert_eq!([limit(&limited), limit(&unlimited)], ["7", "9"]);
        props.set("blazemeter.http.controller.generateParentSample", "true");
        assert_eq!(gathered(limited, &props).1, 1, "one sample of two batches");
    }

    #[test]
    fn settings_that_are_not_known_are_not_native() {
        let with = |name: &str, value: &str| lacks(&Element::new(ASYNC, "", "a").with_text(name, value));
        assert_eq!(with("http2AsyncController.limitMaxParallel", "true"), None);
        assert_eq!(with("blazemeter.http.controller.maxConcurrentAsyncInController", "${n}"), None);
        assert!(with("blazemeter.http.controller.generateParentSample", "${p}").is_some());
        let new = with("blazemeter.http.controller.order", "completion");
        assert_eq!(new.as_deref(), Some("the setting `blazemeter.http.controller.order` is not native"));
    }
}

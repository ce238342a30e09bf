//! Elements as JMeter's window makes them, in few words.

use swell_plan::{Element, Node, Property, PropertyValue};

/// Changes to a node in one chain.
pub(crate) trait Edit: Sized {
    /// Sets a property to a text.
    fn text(self, name: &str, value: &str) -> Self;
    /// Sets a property to a boolean.
    fn flag(self, name: &str, value: bool) -> Self;
    /// Sets a property to an integer.
    fn int(self, name: &str, value: i32) -> Self;
    /// Adds children.
    fn of(self, children: impl IntoIterator<Item = Node>) -> Self;
    /// Takes it out of the run.
    fn off(self) -> Self;
}

impl Edit for Node {
    fn text(self, name: &str, value: &str) -> Self {
        set(self, name, PropertyValue::Text(value.to_owned()))
    }

    fn flag(self, name: &str, value: bool) -> Self {
        set(self, name, PropertyValue::Bool(value.to_string()))
    }

    fn int(self, name: &str, value: i32) -> Self {
        set(self, name, PropertyValue::Int(value.to_string()))
    }

    fn of(mut self, children: impl IntoIterator<Item = Node>) -> Self {
        self.children.extend(children);
        self
    }

    fn off(mut self) -> Self {
        self.element = self.element.disabled();
        self
    }
}

/// The element with a property in the place of its old value, or at its end.
pub(crate) fn replaced(mut element: Element, name: &str, value: PropertyValue) -> Element {
    match element.properties.iter_mut().find(|p| p.name == name) {
        Some(property) => *property = Property::new(name, value),
        None => element.properties.push(Property::new(name, value)),
    }
    element
}

pub(crate) fn set(mut node: Node, name: &str, value: PropertyValue) -> Node {
    node.element = replaced(node.element, name, value);
    node
}

fn set_element(mut node: Node, name: &str, value: Element) -> Node {
    node.element.properties.retain(|p| p.name != name);
    node.element = node.element.with_element(name, value);
    node
}

/// An element with texts as properties.
pub(crate) fn element(class: &str, gui: &str, name: &str, texts: &[(&str, &str)]) -> Node {
    let element = Element::new(class, gui, name);
    Node::new(texts.iter().fold(element, |element, (name, value)| element.with_text(name, value)))
}

/// An element of the TestBean kind.
pub(crate) fn bean(class: &str, name: &str, texts: &[(&str, &str)]) -> Node {
    element(class, "TestBeanGUI", name, texts)
}

/// Texts of a collection, as assertions and module paths have them. JMeter names them by the hash of their text, which
/// nobody reads.
pub(crate) fn texts(values: &[&str]) -> PropertyValue {
    let members = values.iter().enumerate();
    let members = members.map(|(at, v)| Property::new(&at.to_string(), PropertyValue::Text((*v).to_owned())));
    PropertyValue::Collection(members.collect())
}

/// `Arguments`, of a Test Plan or of User Defined Variables.
pub(crate) fn arguments(pairs: &[(&str, &str)]) -> Element {
    let members = pairs.iter().map(|(name, value)| {
        let argument = Element::new("Argument", "", "");
        let argument = argument.with_text("Argument.name", name).with_text("Argument.value", value);
        Property::of_element(name, argument.with_text("Argument.metadata", "="))
    });
    let members = PropertyValue::Collection(members.collect());
    Element::new("Arguments", "ArgumentsPanel", "User Defined Variables").with("Arguments.arguments", members)
}

/// User Defined Variables.
pub(crate) fn variables(pairs: &[(&str, &str)]) -> Node {
    Node::new(arguments(pairs))
}

/// A thread group with one user and one loop.
pub(crate) fn users(children: impl IntoIterator<Item = Node>) -> Node {
    group("ThreadGroup", "ThreadGroupGui", "Users", children)
}

/// A thread group of any kind with one user and one loop.
pub(crate) fn group(class: &str, gui: &str, name: &str, children: impl IntoIterator<Item = Node>) -> Node {
    let node = element(class, gui, name, &[("ThreadGroup.on_sample_error", "continue")]);
    let node = node.text("ThreadGroup.num_threads", "1").text("ThreadGroup.ramp_time", "0");
    let node = node.flag("ThreadGroup.scheduler", false).text("ThreadGroup.duration", "");
    let node = node.text("ThreadGroup.delay", "").flag("ThreadGroup.same_user_on_next_iteration", true);
    loops(node, "1").of(children)
}

/// A thread group that runs `count` loops.
pub(crate) fn loops(group: Node, count: &str) -> Node {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", count);
    set_element(group, "ThreadGroup.main_controller", main)
}

/// A GET request to the recorder.
pub(crate) fn get(name: &str, path: &str) -> Node {
    request(name, "GET", path, &[])
}

/// A request with parameters that are encoded.
pub(crate) fn request(name: &str, method: &str, path: &str, parameters: &[(&str, &str)]) -> Node {
    let node = element(
        "HTTPSamplerProxy",
        "HttpTestSampleGui",
        name,
        &[
            ("HTTPSampler.domain", "127.0.0.1"),
            ("HTTPSampler.port", "${__P(parity.port,8080)}"),
            ("HTTPSampler.protocol", "http"),
            ("HTTPSampler.contentEncoding", ""),
            ("HTTPSampler.path", path),
            ("HTTPSampler.method", method),
        ],
    );
    let node = node.flag("HTTPSampler.follow_redirects", true).flag("HTTPSampler.auto_redirects", false);
    let node = node.flag("HTTPSampler.use_keepalive", true).flag("HTTPSampler.DO_MULTIPART_POST", false);
    let node = node.flag("HTTPSampler.BROWSER_COMPATIBLE_MULTIPART", false);
    with_parameters(node, parameters.iter().map(|(name, value)| parameter(name, value)))
}

/// An `HTTPArgument` that is encoded.
pub(crate) fn parameter(name: &str, value: &str) -> Element {
    Element::new("HTTPArgument", "", "")
        .with_flag("HTTPArgument.always_encode", true)
        .with_text("Argument.name", name)
        .with_text("Argument.value", value)
        .with_text("Argument.metadata", "=")
        .with_flag("HTTPArgument.use_equals", true)
}

/// Sets the parameters of a request.
pub(crate) fn with_parameters(node: Node, parameters: impl IntoIterator<Item = Element>) -> Node {
    let members = parameters.into_iter().map(|p| {
        let name = p.text_or_empty("Argument.name").to_owned();
        Property::of_element(&name, p)
    });
    let members = PropertyValue::Collection(members.collect());
    let arguments = Element::new("Arguments", "HTTPArgumentsPanel", "User Defined Variables");
    set_element(node, "HTTPsampler.Arguments", arguments.with("Arguments.arguments", members))
}

/// A request with a raw body.
pub(crate) fn raw(name: &str, method: &str, path: &str, body: &str) -> Node {
    let node = request(name, method, path, &[]).flag("HTTPSampler.postBodyRaw", true);
    let argument = Element::new("HTTPArgument", "", "")
        .with_flag("HTTPArgument.always_encode", false)
        .with_text("Argument.value", body)
        .with_text("Argument.metadata", "=");
    with_parameters(node, [argument])
}

/// HTTP Request Defaults with these properties, given without `HTTPSampler.`.
pub(crate) fn defaults(texts: &[(&str, &str)]) -> Node {
    let node = element("ConfigTestElement", "HttpDefaultsGui", "Defaults", &[]);
    let node =
        texts.iter().fold(node, |node, (name, value)| node.text(&format!("HTTPSampler.{name}"), value));
    with_parameters(node, [])
}

/// A Header Manager.
pub(crate) fn headers(name: &str, pairs: &[(&str, &str)]) -> Node {
    let members = pairs.iter().map(|(name, value)| {
        let header = Element::new("Header", "", "").with_text("Header.name", name);
        Property::of_element("", header.with_text("Header.value", value))
    });
    let members = PropertyValue::Collection(members.collect());
    set(element("HeaderManager", "HeaderPanel", name, &[]), "HeaderManager.headers", members)
}

/// A Debug Sampler that shows the variables. Its size depends on the clock and on Java's memory, so rules that use
/// it mask `bytes`.
pub(crate) fn debug(name: &str) -> Node {
    let node = bean("DebugSampler", name, &[]).flag("displayJMeterProperties", false);
    node.flag("displayJMeterVariables", true).flag("displaySystemProperties", false)
}

/// A Flow Control Action. Actions: 0 stop, 1 pause, 2 stop now, 3 next thread loop, 4 next loop, 5 break. Targets: 0
/// this thread, 2 the test.
pub(crate) fn action(name: &str, action: i32, target: i32) -> Node {
    let node = element("TestAction", "TestActionGui", name, &[]).int("ActionProcessor.action", action);
    node.int("ActionProcessor.target", target).text("ActionProcessor.duration", "0")
}

/// A Simple Controller.
pub(crate) fn simple(name: &str, children: impl IntoIterator<Item = Node>) -> Node {
    element("GenericController", "LogicControllerGui", name, &[]).of(children)
}

/// A Loop Controller.
pub(crate) fn loop_of(name: &str, count: &str, children: impl IntoIterator<Item = Node>) -> Node {
    let node = element("LoopController", "LoopControlPanel", name, &[("LoopController.loops", count)]);
    node.flag("LoopController.continue_forever", true).of(children)
}

/// An If Controller with an expression.
pub(crate) fn if_of(name: &str, condition: &str, children: impl IntoIterator<Item = Node>) -> Node {
    let node = element("IfController", "IfControllerPanel", name, &[("IfController.condition", condition)]);
    node.flag("IfController.evaluateAll", false).flag("IfController.useExpression", true).of(children)
}

/// A While Controller.
pub(crate) fn while_of(name: &str, condition: &str, children: impl IntoIterator<Item = Node>) -> Node {
    element("WhileController", "WhileControllerGui", name, &[("WhileController.condition", condition)])
        .of(children)
}

/// A Transaction Controller.
pub(crate) fn transaction(
    name: &str,
    parent: bool,
    timers: bool,
    children: impl IntoIterator<Item = Node>,
) -> Node {
    let node = element("TransactionController", "TransactionControllerGui", name, &[]);
    let node = node.flag("TransactionController.includeTimers", timers);
    node.flag("TransactionController.parent", parent).of(children)
}

/// A Counter of each user's own, from 1.
pub(crate) fn counter(name: &str, variable: &str) -> Node {
    let node = element(
        "CounterConfig",
        "CounterConfigGui",
        name,
        &[
            ("CounterConfig.start", "1"),
            ("CounterConfig.end", ""),
            ("CounterConfig.incr", "1"),
            ("CounterConfig.name", variable),
            ("CounterConfig.format", ""),
        ],
    );
    node.flag("CounterConfig.per_user", true)
}

/// A Response Assertion. Fields: `response_data`, `response_code` ...; types: 1 matches, 2 contains, 8 equals, 16
/// substring, plus 4 for not and 32 for or.
pub(crate) fn assertion(name: &str, field: &str, kind: i32, patterns: &[&str]) -> Node {
    let node = element("ResponseAssertion", "AssertionGui", name, &[]);
    let node = set(node, "Asserion.test_strings", texts(patterns));
    let node =
        node.text("Assertion.custom_message", "").text("Assertion.test_field", &format!("Assertion.{field}"));
    node.flag("Assertion.assume_success", false).int("Assertion.test_type", kind)
}

/// A Constant Timer.
pub(crate) fn pause(name: &str, ms: &str) -> Node {
    element("ConstantTimer", "ConstantTimerGui", name, &[("ConstantTimer.delay", ms)])
}

/// A Once Only Controller.
pub(crate) fn once(children: impl IntoIterator<Item = Node>) -> Node {
    element("OnceOnlyController", "OnceOnlyControllerGui", "once", &[]).of(children)
}

/// A ForEach Controller.
pub(crate) fn foreach(
    name: &str,
    input: &str,
    output: &str,
    children: impl IntoIterator<Item = Node>,
) -> Node {
    let node = element(
        "ForeachController",
        "ForeachControlPanel",
        name,
        &[("ForeachController.inputVal", input), ("ForeachController.returnVal", output)],
    );
    node.flag("ForeachController.useSeparator", true).of(children)
}

/// A Regular Expression Extractor over the body.
pub(crate) fn regex(
    name: &str,
    variable: &str,
    pattern: &str,
    template: &str,
    number: &str,
    default: &str,
) -> Node {
    let node = element(
        "RegexExtractor",
        "RegexExtractorGui",
        name,
        &[
            ("RegexExtractor.useHeaders", "false"),
            ("RegexExtractor.refname", variable),
            ("RegexExtractor.regex", pattern),
            ("RegexExtractor.template", template),
            ("RegexExtractor.default", default),
        ],
    );
    node.flag("RegexExtractor.default_empty_value", false).text("RegexExtractor.match_number", number)
}

/// A JSON Extractor.
pub(crate) fn json(variable: &str, paths: &str, numbers: &str, defaults: &str) -> Node {
    element(
        "JSONPostProcessor",
        "JSONPostProcessorGui",
        variable,
        &[
            ("JSONPostProcessor.referenceNames", variable),
            ("JSONPostProcessor.jsonPathExprs", paths),
            ("JSONPostProcessor.match_numbers", numbers),
            ("JSONPostProcessor.defaultValues", defaults),
        ],
    )
}

/// An `HTTPArgument` that goes out as it is.
pub(crate) fn plain_parameter(name: &str, value: &str) -> Element {
    Element::new("HTTPArgument", "", "")
        .with_flag("HTTPArgument.always_encode", false)
        .with_text("Argument.name", name)
        .with_text("Argument.value", value)
        .with_text("Argument.metadata", "=")
        .with_flag("HTTPArgument.use_equals", true)
}

/// Several files: path, parameter, type.
pub(crate) fn with_files(node: Node, all: &[(&str, &str, &str)]) -> Node {
    let members = all.iter().map(|(path, name, mime)| {
        let file = Element::new("HTTPFileArg", "", "").with_text("File.path", path);
        let file = file.with_text("File.paramname", name).with_text("File.mimetype", mime);
        Property::of_element(path, file)
    });
    let members = PropertyValue::Collection(members.collect());
    let files = Element::new("HTTPFileArgs", "", "").with("HTTPFileArgs.files", members);
    let mut node = node;
    node.element = node.element.with_element("HTTPsampler.Files", files);
    node
}

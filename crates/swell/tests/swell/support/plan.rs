//! Plans in a few words.

use std::net::SocketAddr;

use swell_plan::{Element, Node, Plan};

/// A plan file with these nodes below its Test Plan.
pub(crate) fn jmx(nodes: impl IntoIterator<Item = Node>) -> String {
    let root = nodes.into_iter().fold(Node::new(Element::new("TestPlan", "TestPlanGui", "Plan")), Node::with);
    swell_plan::write(&Plan::new(root))
}

/// Users that run their samplers `loops` times; -1: until they are stopped.
pub(crate) fn group(users: u32, loops: i32) -> Node {
    Node::new(group_element(&users.to_string(), loops))
}

/// The same as an element to be changed, its number of users as text.
pub(crate) fn group_element(users: &str, loops: i32) -> Element {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller")
        .with_flag("LoopController.continue_forever", false)
        .with_text("LoopController.loops", &loops.to_string());
    Element::new("ThreadGroup", "ThreadGroupGui", "Users")
        .with_text("ThreadGroup.on_sample_error", "continue")
        .with_element("ThreadGroup.main_controller", main)
        .with_text("ThreadGroup.num_threads", users)
        .with_text("ThreadGroup.ramp_time", "0")
        .with_flag("ThreadGroup.same_user_on_next_iteration", true)
}

/// A GET at that address.
pub(crate) fn get(at: SocketAddr, path: &str) -> Node {
    get_from(&at.ip().to_string(), &at.port().to_string(), path, "")
}

/// A GET that waits so long for the server.
pub(crate) fn get_from(host: &str, port: &str, path: &str, timeout_ms: &str) -> Node {
    let sampler = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", path)
        .with_text("HTTPSampler.domain", host)
        .with_text("HTTPSampler.port", port)
        .with_text("HTTPSampler.protocol", "http")
        .with_text("HTTPSampler.path", path)
        .with_text("HTTPSampler.method", "GET")
        .with_flag("HTTPSampler.follow_redirects", true)
        .with_flag("HTTPSampler.use_keepalive", true)
        .with_text("HTTPSampler.connect_timeout", timeout_ms)
        .with_text("HTTPSampler.response_timeout", timeout_ms);
    Node::new(sampler)
}

/// A sample that takes this long and connects to no server (`JavaTest`).
pub(crate) fn nap(ms: u32) -> Node {
    let arguments =
        [("Sleep_Time", ms.to_string()), ("Sleep_Mask", "0".into()), ("ResponseCode", "200".into())];
    let arguments = arguments.map(|(name, value)| {
        Element::new("Argument", "", name)
            .with_text("Argument.name", name)
            .with_text("Argument.value", &value)
    });
    let arguments =
        Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", arguments);
    let sampler = Element::new("JavaSampler", "JavaTestSamplerGui", "nap")
        .with_element("arguments", arguments)
        .with_text("classname", "org.apache.jmeter.protocol.java.test.JavaTest");
    Node::new(sampler)
}

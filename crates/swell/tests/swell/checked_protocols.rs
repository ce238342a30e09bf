//! What `swell check` says of the elements of plug-ins for HTTP/2, WebSocket, gRPC and MQTT.

use swell_plan::{Element, Node};

use crate::support::{Ended, Folder, jmeter, plan};

const BZM: &str = "com.blazemeter.jmeter.http2.sampler.HTTP2Sampler";
const LUMINIS: &str = "eu.luminis.jmeter.wssampler.";

fn with(class: &str, name: &str, texts: &[(&str, &str)]) -> Node {
    let element = Element::new(class, &format!("{class}Gui"), name);
    Node::new(texts.iter().fold(element, |element, (name, value)| element.with_text(name, value)))
}

fn bzm(name: &str, texts: &[(&str, &str)]) -> Node {
    let target =
        [("HTTPSampler.domain", "localhost"), ("HTTPSampler.path", "/"), ("HTTPSampler.method", "GET")];
    with(BZM, name, &[&target, texts].concat())
}

fn check(nodes: impl IntoIterator<Item = Node>, options: &[&str]) -> Ended {
    let group = nodes.into_iter().fold(plan::group(1, 1), Node::with);
    Folder::with_plan([group]).swell(&[&["check", "plan.jmx", "-v"], options].concat())
}

/// No Java, so that the answer is the same on all machines.
const NO_JAVA: [&str; 2] = ["--java-home", "/nowhere"];

#[test]
fn elements_of_the_plug_ins_are_native() {
    let names = [
        "OpenWebSocketSampler",
        "RequestResponseWebSocketSampler",
        "SingleWriteWebSocketSampler",
        "SingleReadWebSocketSampler",
        "PingPongSampler",
        "CloseWebSocketSampler",
        "TextFrameFilter",
        "BinaryFrameFilter",
        "PingFrameFilter",
    ];
    let mut classes: Vec<String> = names.iter().map(|name| format!("{LUMINIS}{name}")).collect();
    classes.push("eu.luminis.jmeter.assertions.BinaryContentAssertion".to_owned());
    classes.push("JMeter.plugins.functional.samplers.websocket.WebSocketSampler".to_owned());
    let mut nodes: Vec<Node> = classes.iter().map(|class| with(class, "it", &[])).collect();
    let call =
        [("GRPCSampler.host", "localhost"), ("GRPCSampler.port", "1"), ("GRPCSampler.fullMethod", "a.B/C")];
    let call = [&call[..], &[("GRPCSampler.reflection", "true")]].concat();
    nodes.push(with("vn.zalopay.benchmark.GRPCSampler", "it", &call));
    let batch = with("com.blazemeter.jmeter.http2.control.HTTP2Controller", "it", &[]);
    nodes.push(batch.with(bzm("it", &[])));
    classes.extend(
        ["vn.zalopay.benchmark.GRPCSampler", "com.blazemeter.jmeter.http2.control.HTTP2Controller", BZM]
            .map(str::to_owned),
    );
    let ended = check(nodes, &NO_JAVA).exits(0);
    for class in classes {
        let line = ended.out.lines().find(|line| line.contains(&format!("{class} `it`")));
        let line = line.unwrap_or_else(|| panic!("{class} is missing: {ended}"));
        assert!(line.trim_start().starts_with("native ") && line.ends_with('`'), "{line}");
    }
}

#[test]
fn settings_of_bzms_sampler_that_are_not_native_are_named() {
    for (texts, why) in [
        (
            &[("HTTP2Sampler.domain", "localhost")][..],
            "the setting `HTTP2Sampler.domain` is not one of version 3 of the plug-in",
        ),
        (&[("HTTP2Sampler.profile", "curl")], "invalid profile `curl`: use browser-like"),
        (
            &[("HTTP2Sampler.enableHttp1", "false"), ("HTTP2Sampler.enableHttp2", "false")],
            "HTTP/3 without another version is not native",
        ),
        (
            &[("HTTP2Sampler.enableHttp3", "${h3}")],
            "`HTTP2Sampler.enableHttp3` is native only without an expression",
        ),
        (
            &[("HTTP2Sampler.http1_upgrade", "true"), ("HTTP2Sampler.enableHttp2", "true")],
            "an upgrade from HTTP/1.1 to HTTP/2 (`HTTP2Sampler.http1_upgrade`) is not native",
        ),
    ] {
        let nodes = || [bzm("first", &[]), bzm("odd", texts)];
        check(nodes(), &NO_JAVA).exits(104).prints(&[why]);
        check(nodes(), &["--scripts", "native"]).exits(104).prints(&[why]);
        if jmeter().is_none() {
            continue;
        }
        // The JVM could run it with the jar of the plug-in, which is not there.
        let ended = check(nodes(), &[]).exits(104);
        let line = |name: &str| {
            let found = ended.out.lines().find(|line| line.contains(&format!("{BZM} `{name}`")));
            found.unwrap_or_else(|| panic!("{name} is missing: {ended}")).to_owned()
        };
        assert!(line("odd").trim_start().starts_with("jvm ") && line("odd").contains(why), "{}", line("odd"));
        // The samplers of a group share connections and cookies.
        let because = format!("because of `odd`: {why}");
        assert!(
            line("first").trim_start().starts_with("jvm ") && line("first").contains(&because),
            "{}",
            line("first")
        );
    }
}

#[test]
fn what_is_not_supported_or_cannot_be_read_is_named() {
    let mqtt = || [with("net.xmeter.samplers.ConnectSampler", "connect", &[])];
    for options in [&NO_JAVA[..], &["--scripts", "native"]] {
        check(mqtt(), options)
            .exits(104)
            .prints(&["ConnectSampler `connect`", "this class is not supported"]);
    }
    let call = with("vn.zalopay.benchmark.GRPCSampler", "call", &[("GRPCSampler.protoFolder", "none")]);
    check([call], &NO_JAVA).exits(0).prints(&[
        "GRPCSampler.protoFolder: cannot read",
        "each sample fails with code ` 400`; GRPCSampler.reflection=true asks the server instead",
    ]);
}

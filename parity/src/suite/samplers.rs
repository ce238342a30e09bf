//! Samplers besides HTTP: TCP and processes.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::parts::{Edit, action, arguments, assertion, element, get, group, loops, users};

/// A TCP Sampler that talks to the recorder.
fn tcp(name: &str, request: &str, texts: &[(&str, &str)]) -> Node {
    let node = element("TCPSampler", "TCPSamplerGui", name, &[("TCPSampler.server", "127.0.0.1")]);
    let node = node.text("TCPSampler.port", "${__P(parity.port,8080)}").text("TCPSampler.request", request);
    let node = node.flag("TCPSampler.reUseConnection", true).flag("TCPSampler.closeConnection", false);
    texts.iter().fold(node, |node, (name, value)| node.text(&format!("TCPSampler.{name}"), value))
}

/// A request that the recorder understands.
fn http(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: recorder\r\n\r\n")
}

fn process(name: &str, command: &str, values: &[&str]) -> Node {
    let pairs: Vec<_> = values.iter().map(|value| ("", *value)).collect();
    let mut node = element("SystemSampler", "SystemSamplerGui", name, &[("SystemSampler.command", command)]);
    node.element = node.element.with_element("SystemSampler.arguments", arguments(&pairs));
    node.element =
        node.element.with_element("SystemSampler.environment", arguments(&[("SWELL_CASE", "here")]));
    node.text("SystemSampler.directory", "/tmp")
}

fn hex(text: &str) -> String {
    text.bytes()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from_digit(digit.into(), 16).unwrap_or('?'))
        .collect()
}

pub(super) fn drafts() -> Vec<Draft> {
    let eol = ("EolByte", "10");
    let binary = ("classname", "BinaryTCPClientImpl");
    let prefixed = ("classname", "LengthPrefixedBinaryTCPClientImpl");
    let checked = |node: Node, code: &str| {
        node.flag("SystemSampler.checkReturnCode", true).text("SystemSampler.expectedReturnCode", code)
    };
    let timeout = |name: &str, ms: &str| {
        element("SampleTimeout", "SampleTimeoutGui", name, &[("InterruptTimer.timeout", ms)])
    };
    vec![
        Draft::new(
            "sample_timeout",
            "A Sample Timeout holds for all samplers of its thread group, and not for others.",
            [
                users([
                    get("in time", "/a"),
                    get("too late", "/delay/2500").of([timeout("far", "2000"), timeout("near", "${ms}")]),
                    get("too late elsewhere", "/delay/2500"),
                    get("after it", "/b"),
                    tcp("no more of it", &http("/delay/2500"), &[eol]),
                    action("pause", 1, 0).text("ActionProcessor.duration", "60000"),
                    get("never", "/delay/700").of([timeout("none", "0"), timeout("odd", "soon")]),
                ]),
                group("ThreadGroup", "ThreadGroupGui", "Others", [get("all the time", "/delay/700")]),
            ],
        )
        .variables(&[("ms", "400")])
        .flag("TestPlan.serialize_threadgroups", true),
        Draft::new(
            "tcp_text",
            "Texts that end with a byte or with the connection; connections kept and closed.",
            [loops(
                users([
                    tcp("kept", &http("/a"), &[eol]).of([assertion("has it", "response_data", 16, &["ok"])]),
                    tcp("kept again", &http("/b"), &[eol]),
                    tcp("closed after", &http("/c"), &[eol]).flag("TCPSampler.closeConnection", true),
                    tcp("new for each", &http("/d"), &[eol]).flag("TCPSampler.reUseConnection", false),
                    tcp("to the end", &http("/close"), &[]),
                    tcp("over", &http("/e"), &[]),
                    tcp("reset at the end", &http("/f"), &[eol, ("soLinger", "0")])
                        .flag("TCPSampler.closeConnection", true),
                    tcp(
                        "class by its whole name",
                        &http("/g"),
                        &[eol, ("classname", "org.apache.jmeter.protocol.tcp.sampler.TCPClientImpl")],
                    ),
                ]),
                "2",
            )],
        ),
        Draft::new(
            "tcp_binary",
            "Hexadecimal digits, with and without an end byte, and with a length before them.",
            [users([
                tcp("digits", &hex(&http("/a")), &[binary, eol]),
                tcp("to the end", &hex(&http("/close")), &[binary]).flag("TCPSampler.closeConnection", true),
                tcp("silence is the end", &hex(&http("/b")), &[binary, ("timeout", "300")])
                    .flag("TCPSampler.closeConnection", true),
                tcp("uneven", "123", &[binary]),
                tcp("no digits", "zz", &[binary]),
                tcp("length first", "0a0d0a0d0a", &[prefixed, ("timeout", "500")]),
                tcp("length first, an end byte too", "0a", &[prefixed, eol, ("timeout", "500")]),
            ])],
        ),
        Draft::new(
            "tcp_failures",
            "No server, no port, silence, no handler, strange numbers.",
            [users([
                tcp("nobody listens", "x", &[("port", "1")]),
                tcp("no such host", "x", &[("server", "no-such-host.invalid")]),
                tcp("port too large", "x", &[("port", "99999")]),
                tcp("silence", &http("/delay/3000"), &[("timeout", "200")]),
                tcp("silence after a part", &http("/a"), &[("timeout", "200")]),
                tcp(
                    "silence while looking",
                    &hex(&http("/a")),
                    &[binary, ("EolByte", "7"), ("timeout", "200")],
                ),
                tcp("no timeout can be", &http("/a"), &[eol, ("timeout", "-1")]),
                tcp("no connect timeout can be", &http("/a"), &[eol, ("ctimeout", "-1")]),
                tcp("no linger can be", &http("/a"), &[eol, ("soLinger", "-1")]),
            ])],
        ),
        Draft::new(
            "tcp_status",
            "A status between two texts; codes of failures count as good, as JMeter has it.",
            [users([
                tcp("found", &http("/status/404"), &[eol]),
                tcp("found, not good", &http("/a"), &[eol]),
                tcp("not found", &hex(&http("/a")), &[binary, eol]),
            ])],
        )
        .rule("property tcp.status.prefix=HTTP/1.1 ")
        .rule("property tcp.status.suffix= "),
        Draft::new(
            "tcp_defaults",
            "TCP Sampler Config and Login Config fill what is empty.",
            [users([
                element(
                    "ConfigTestElement",
                    "TCPConfigGui",
                    "TCP",
                    &[
                        ("TCPSampler.server", "127.0.0.1"),
                        ("TCPSampler.port", "${__P(parity.port,8080)}"),
                        ("TCPSampler.EolByte", "10"),
                        ("TCPSampler.request", &http("/default")),
                    ],
                )
                .flag("TCPSampler.reUseConnection", true),
                element(
                    "ConfigTestElement",
                    "LoginConfigGui",
                    "Login",
                    &[("ConfigTestElement.username", "someone"), ("ConfigTestElement.password", "secret")],
                ),
                element("TCPSampler", "TCPSamplerGui", "all from there", &[("TCPSampler.server", "")]),
                element(
                    "TCPSampler",
                    "TCPSamplerGui",
                    "its own request",
                    &[("TCPSampler.request", &http("/own"))],
                ),
                tcp("own user", &http("/c"), &[]).text("ConfigTestElement.username", "other"),
            ])],
        ),
        Draft::new(
            "process",
            "Programs with their codes, output, environment and files.",
            [users([
                process("output", "sh", &["-c", "echo $SWELL_CASE; pwd; echo bad >&2"]).of([assertion(
                    "all",
                    "response_data",
                    8,
                    &["here\n/tmp\nbad\n"],
                )]),
                process("a code", "sh", &["-c", "exit 3"]),
                checked(process("expected", "sh", &["-c", "exit 3"]), "3"),
                checked(process("not expected", "sh", &["-c", "exit 3"]), "0"),
                process("by a signal", "sh", &["-c", "kill -9 $$"]),
                process("no such program", "/no/such/program", &[]),
                process("no such folder", "sh", &["-c", "true"])
                    .text("SystemSampler.directory", "/no/such/folder"),
                process("no such input", "cat", &[]).text("SystemSampler.stdin", "/no/such/input"),
                process("input", "cat", &[]).text("SystemSampler.stdin", "/dev/null"),
                process("output elsewhere", "echo", &["x"]).text("SystemSampler.stdout", "/dev/null"),
                process("errors elsewhere", "sh", &["-c", "echo out; echo err >&2"])
                    .text("SystemSampler.stderr", "/dev/null"),
                super::parts::set(
                    process("too long", "sleep", &["20"]),
                    "SystemSampler.timeout",
                    PropertyValue::Long("300".to_owned()),
                ),
                process("a variable", "echo", &["${said}"]),
            ])],
        )
        .variables(&[("said", "hello")]),
    ]
}

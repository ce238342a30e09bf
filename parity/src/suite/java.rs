//! Java Requests with JMeter's own test classes.

use swell_plan::Node;

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{Edit, arguments, assertion, debug, element, get, loops, transaction, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![tests(), sleeps()]
}

fn java(name: &str, class: &str, pairs: &[(&str, &str)]) -> Node {
    let node = element("JavaSampler", "JavaTestSamplerGui", name, &[]);
    let mut node = node;
    node.element = node.element.with_element("arguments", arguments(pairs));
    node.text("classname", &format!("org.apache.jmeter.protocol.java.test.{class}"))
}

fn test(name: &str, pairs: &[(&str, &str)]) -> Node {
    let usual = [
        ("Sleep_Time", "1"),
        ("Sleep_Mask", "0x0"),
        ("Label", ""),
        ("ResponseCode", ""),
        ("ResponseMessage", ""),
        ("Status", "OK"),
        ("SamplerData", ""),
        ("ResultData", ""),
    ];
    let given = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let merged: Vec<(&str, &str)> =
        usual.iter().map(|(name, value)| (*name, given(name).unwrap_or(value))).collect();
    java(name, "JavaTest", &merged)
}

fn tests() -> Draft {
    Draft::new(
        "java_test",
        "What the class is told, it says.",
        [loops(
            users([
                test("plain", &[]),
                test("failed", &[("Status", "no"), ("ResponseCode", "500"), ("ResponseMessage", "broken")]),
                test("labelled", &[("Label", "own ${a}"), ("ResponseCode", "${code}")]),
                test("data", &[("SamplerData", "asked"), ("ResultData", "id=${a}&x")]).of([
                    regex("id", "id", "id=(\\w+)", "$1$", "1", "none"),
                    assertion("holds", "response_data", 16, &["id="]),
                ]),
                get("id ${id}", "/a"),
                test("empty status", &[("Status", "")]),
                test("odd numbers", &[("Sleep_Time", "x"), ("Sleep_Mask", "y")]),
                transaction("T", true, false, [test("in it", &[("ResultData", "r")])]),
                debug("variables"),
            ]),
            "2",
        )],
    )
    .variables(&[("a", "7"), ("code", "201")])
    .rule("mask bytes")
}

fn sleeps() -> Draft {
    Draft::new(
        "java_sleep",
        "A class that sleeps.",
        [users([
            java("sleeps", "SleepTest", &[("SleepTime", "2"), ("SleepMask", "0x0")]),
            java("from a variable", "SleepTest", &[("SleepTime", "${ms}"), ("SleepMask", "0")]),
            java("odd", "SleepTest", &[("SleepTime", "x"), ("SleepMask", "0x0")]),
        ])],
    )
    .variables(&[("ms", "3")])
}

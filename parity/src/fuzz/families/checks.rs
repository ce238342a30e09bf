//! What stands below or beside samplers: assertions, extractors, handlers of errors, timers, variables.

use swell_plan::{Node, PropertyValue};

use crate::fuzz::ChoiceRng;
use crate::fuzz::elements::{Edit, assertion, counter, element, headers, pause, set, texts, variables};
use crate::fuzz::elements::{json, regex};

/// What may stand anywhere. `stops` allows what ends the test.
pub(super) fn anything(rng: &mut ChoiceRng, stops: bool) -> Node {
    let number = rng.number();
    let name = format!("k{number}");
    let node = match rng.below(9) {
        0 | 1 => check(rng, &name),
        2 => json("c", "$.count", "1", "none"),
        3 => regex(
            &name,
            "r",
            "(\\w+) ?(\\d*)",
            "$1$-$2$",
            rng.word(&["1", "2", "-1", "0"]).replace('0', "1").as_str(),
            "none",
        ),
        4 => handler(rng, &name, stops),
        5 => pause(&name, rng.word(&["0", "1", "", "x"])),
        6 => variables(&[(&format!("u@group@{}", rng.below(2)), &format!("{name} ${{one}}"))]),
        7 => counter(&name, "n")
            .text("CounterConfig.end", rng.word(&["", "2"]))
            .flag("CounterConfig.reset_on_tg_iteration", rng.chance(30)),
        _ => {
            if rng.chance(50) {
                parameters(rng, &name)
            } else {
                headers(&name, &[("X-Here", &format!("{name} ${{c}} ${{n}}"))])
            }
        }
    };
    if rng.chance(8) { node.off() } else { node }
}

/// A Response Assertion that holds or not.
fn check(rng: &mut ChoiceRng, name: &str) -> Node {
    let fields = [
        ("response_data", "ok"),
        ("response_code", "200"),
        ("response_code", "500"),
        ("response_message", "OK"),
        ("sample_label", "s1"),
        ("response_headers", "parity"),
        ("request_headers", "X-Here"),
        ("request_data", "G"),
    ];
    let (field, pattern) = *rng.pick(&fields);
    let kind = rng.pick(&[1, 2, 8, 16, 2, 16]) + if rng.chance(25) { 4 } else { 0 };
    let patterns: Vec<&str> = if rng.chance(20) { vec![pattern, "count"] } else { vec![pattern] };
    let either = if patterns.len() > 1 && rng.chance(50) { 32 } else { 0 };
    let node = assertion(name, field, kind + either, &patterns);
    let node = match rng.below(6) {
        0 => node.text("Assertion.scope", "all"),
        1 => node.text("Assertion.scope", "children"),
        2 => node.text("Assertion.scope", "variable").text("Scope.variable", "c"),
        _ => node,
    };
    let node = node.flag("Assertion.assume_success", rng.chance(20));
    if rng.chance(20) { node.text("Assertion.custom_message", "not ${c}") } else { node }
}

/// A Result Status Action Handler.
fn handler(rng: &mut ChoiceRng, name: &str, stops: bool) -> Node {
    let codes: &[&str] =
        if stops { &["0", "1", "2", "3", "4", "5", "6"] } else { &["0", "1", "4", "5", "6"] };
    let node = element("ResultAction", "ResultActionGui", name, &[]);
    set(node, "OnError.action", PropertyValue::Int((*rng.pick(codes)).to_owned()))
}

/// User Parameters, of one user or two.
fn parameters(rng: &mut ChoiceRng, name: &str) -> Node {
    let node = element("UserParameters", "UserParametersGui", name, &[]);
    let node = set(node, "UserParameters.names", texts(&["c", "p"]));
    let column = texts(&[rng.word(&["1", "2", "${n}"]), name]);
    let mut columns = vec![swell_plan::Property::new("0", column)];
    if rng.chance(30) {
        columns.push(swell_plan::Property::new("1", texts(&["2"])));
    }
    let node = set(node, "UserParameters.thread_values", PropertyValue::Collection(columns));
    node.flag("UserParameters.per_iteration", rng.chance(50))
}

//! The listings of Debug Sampler and Debug PostProcessor
//! (`org.apache.jmeter.sampler.DebugSampler`).

use std::cmp::Ordering;
use std::fmt::Write;
use std::rc::Rc;

use swell_expr::Context;

/// `JMeterVariables:` with all variables of a user, one per line, followed by an empty line.
pub(super) fn variables_text(cx: &Context) -> String {
    listing("JMeterVariables", variables(cx))
}

/// All variables of a user with their values; null is `null`.
fn variables(cx: &Context) -> Vec<(Rc<str>, Rc<str>)> {
    let mut all = cx.vars.entries();
    all.extend(cx.vars.nulls().map(|name| (name.clone(), Rc::from("null"))));
    all
}

/// `JMeterProperties:` with all properties of the run.
pub(super) fn properties_text(cx: &Context) -> String {
    listing("JMeterProperties", cx.props.entries())
}

/// A title and `name=value` lines in JMeter's order: letters by code, numbers inside names by
/// value.
pub(super) fn listing<K: AsRef<str>, V: AsRef<str>>(title: &str, entries: Vec<(K, V)>) -> String {
    let mut entries = entries;
    entries.sort_by(|(a, _), (b, _)| compare_names(a.as_ref(), b.as_ref()));
    let mut out = format!("{title}:\n");
    for (name, value) in entries {
        writeln!(out, "{}={}", name.as_ref(), value.as_ref()).expect("writing to a String cannot fail");
    }
    out.push('\n');
    out
}

/// `AlphaNumericComparator`: parts of letters and parts of digits in turn.
fn compare_names(a: &str, b: &str) -> Ordering {
    let mut a = a;
    let mut b = b;
    loop {
        let (letters_a, digits_a, rest_a) = next_part(a);
        let (letters_b, digits_b, rest_b) = next_part(b);
        let by_presence = || digits_a.is_empty().cmp(&digits_b.is_empty()).reverse();
        let value_a = digits_a.trim_start_matches('0');
        let value_b = digits_b.trim_start_matches('0');
        let by_value = || value_a.len().cmp(&value_b.len()).then_with(|| value_a.cmp(value_b));
        let order = letters_a.cmp(letters_b).then_with(by_presence).then_with(by_value);
        if order != Ordering::Equal || (rest_a.is_empty() && rest_b.is_empty()) {
            return order;
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// Letters, then digits, then the rest.
fn next_part(text: &str) -> (&str, &str, &str) {
    let is_digit = |c: char| c.is_ascii_digit();
    let (letters, rest) = text.split_at(text.find(is_digit).unwrap_or(text.len()));
    let (digits, rest) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
    (letters, digits, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_jmeters_order() {
        let names = ["x_10", "x_2", "a", "B", "x_2b", "x_02", "x", "x_2a", "1", "10", "9", "x0"];
        let found = listing("JMeterVariables", names.map(|name| (name, "v")).to_vec());
        let wanted = ["1", "9", "10", "B", "a", "x", "x0", "x_2", "x_02", "x_2a", "x_2b", "x_10"];
        let wanted: String = wanted.map(|name| format!("{name}=v\n")).concat();
        assert_eq!(found, format!("JMeterVariables:\n{wanted}\n"));
    }

    #[test]
    fn no_variables_leave_the_title() {
        assert_eq!(listing("JMeterVariables", Vec::<(String, String)>::new()), "JMeterVariables:\n\n");
    }
}

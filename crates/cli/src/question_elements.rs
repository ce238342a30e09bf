//! Elements of a plan that questions about responses become.

use std::path::Path;

use swell_author::{Addition, path_of_place};
use swell_elements::{Expression, Question};
use swell_import::elements::{
    Field, Match, Scope, boundary_extractor, css_extractor, jmespath_assertion, jmespath_extractor,
    json_assertion, json_extractor, regex_extractor, response_assertion, xpath_assertion, xpath_extractor,
};
use swell_plan::Element;
use swell_run::table_of_elements;
use swell_trace::ElementRef;

use crate::exit::Failure;
use crate::plan_text;

/// Letters of a name of a variable that is proposed.
const NAME: usize = 40;

/// An extractor that takes the first match into a variable of that name.
pub(crate) fn extractor(question: &Question, name: &str) -> Element {
    let default = Question::DEFAULT;
    let scope = Scope::Sample;
    match &question.looks_for {
        Expression::Json(path) => json_extractor(name, path, 1, default, scope),
        Expression::JmesPath(path) => jmespath_extractor(name, path, 1, default),
        Expression::XPath(path) => xpath_extractor(name, (path, false), 1, default, scope),
        Expression::Css { selector, attribute } => {
            css_extractor(name, (selector, attribute), 1, default, scope)
        }
        Expression::Regex(pattern) => {
            let group = u32::from(pattern.contains('('));
            regex_extractor(name, (Field::Body, pattern, group), 1, default, scope)
        }
        Expression::Boundary { left, right } => {
            boundary_extractor(name, (Field::Body, left, right), 1, default, scope)
        }
    }
}

/// An assertion that the response has what a question looks for, with that value if there is one.
///
/// # Errors
/// JMeter has no such assertion.
pub(crate) fn assertion(question: &Question, equals: Option<&str>) -> Result<Element, Failure> {
    let wanted = equals.map(|value| format!(" is {value}")).unwrap_or_default();
    let refused = |what: &str, hint: &str| Err(Failure::settings(what.to_owned()).hint(hint.to_owned()));
    match &question.looks_for {
        Expression::Json(path) => {
            let name = format!("has {path}{wanted}");
            Ok(json_assertion(&name, path, equals.map(|value| (value, false)), false))
        }
        Expression::JmesPath(path) => Ok(jmespath_assertion(&format!("has {path}{wanted}"), path, equals)),
        Expression::XPath(_) | Expression::Regex(_) if equals.is_some() => {
            refused("--equals compares a JSON value", "write the value into the expression")
        }
        Expression::XPath(path) => Ok(xpath_assertion(&format!("has {path}"), path, false)),
        Expression::Regex(pattern) => {
            let how = (Field::Body, Match::Part, false);
            let texts = std::slice::from_ref(pattern);
            Ok(response_assertion(&format!("has {pattern}"), how, texts, true, Scope::Sample))
        }
        Expression::Css { .. } => {
            refused("JMeter has no assertion with a CSS selector", "use //xpath or re:PATTERN")
        }
        Expression::Boundary { .. } => refused("JMeter has no assertion with boundaries", "use re:PATTERN"),
    }
}

/// A name for the variable of an extractor: what the expression calls its value.
pub(crate) fn proposed_name(question: &Question) -> String {
    let text = match &question.looks_for {
        Expression::Json(text) | Expression::XPath(text) | Expression::JmesPath(text) => text.as_str(),
        Expression::Css { selector, .. } => selector,
        Expression::Regex(pattern) => pattern.split('(').next().unwrap_or_default(),
        Expression::Boundary { left, .. } => left,
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(|c| !is_part(c));
    let mut words: Vec<&str> =
        words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).collect();
    let last = words.pop().unwrap_or("value");
    // `id` alone says too little.
    let before = words.pop().filter(|_| matches!(last, "id" | "name" | "value" | "key" | "text"));
    let name = before.map_or_else(|| last.to_owned(), |before| format!("{before}_{last}"));
    name.to_ascii_lowercase().chars().take(NAME).collect()
}

/// The path of a sampler in a plan, as commands take it.
///
/// # Errors
/// The plan cannot be read, or the sampler is not in this file, or not where it was.
pub(crate) fn path_of(plan: &Path, bytes: &[u8], sampler: &ElementRef) -> Result<String, Failure> {
    let read = plan_text::plan(plan, bytes)?;
    let path = path_of_place(&read, &table_of_elements(), sampler.line, &sampler.path);
    path.ok_or_else(|| {
        let what = format!("`{}` is not in `{}` where it was", sampler.path, plan.display());
        Failure::settings(what).hint("elements are added to the plan itself, not to files that it includes")
    })
}

/// What adds an element for a question below a sampler, if `below` is its path.
pub(crate) fn addition(below: &str, element: Element, sets: Option<&str>) -> Addition {
    Addition { below: below.to_owned(), element, sets: sets.map(str::to_owned) }
}

/// The command that adds an extractor below a sampler.
pub(crate) fn command(plan: &Path, below: &str, question: &Question) -> String {
    let plan = shell_quoted(&plan.display().to_string());
    let below = shell_quoted(below);
    let extract = shell_quoted(&format!("{}={}", proposed_name(question), question.text));
    format!("swell set {plan} --below {below} --extract {extract} -i")
}

/// A text as one word of a shell.
pub(crate) fn shell_quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Question {
        Question::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_variable_is_called_as_its_value_in_the_response() {
        let cases = [
            ("$.order.id", "order_id"),
            ("$.order.items[0].price", "price"),
            ("css:input[name=csrf]@value", "csrf"),
            ("re:token=(\\w+)", "token"),
            ("bound:\"sessionId\":\"|\"", "sessionid"),
            ("//user/@name", "user_name"),
            ("jmes:order.id", "order_id"),
            ("$..*", "value"),
        ];
        for (text, name) in cases {
            assert_eq!(proposed_name(&question(text)), name, "{text}");
        }
    }

    #[test]
    fn assertions_that_jmeter_does_not_have_are_refused() {
        for (text, equals) in [("css:a", None), ("bound:a|b", None), ("re:a", Some("1")), ("//a", Some("1"))]
        {
            assert!(assertion(&question(text), equals).is_err(), "{text}");
        }
        let json = assertion(&question("$.a"), Some("1")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((json.name(), json.text("EXPECTED_VALUE")), ("has $.a is 1", Some("1")));
    }

    #[test]
    fn extractors_take_the_first_match_of_the_tested_expression() {
        // A tester asks with the same class, and the same expression in the same properties.
        for text in ["$.a.b", "//a", "css:a@href", "re:x(\\d)", "re:x", "bound:a|b", "jmes:a"] {
            let question = question(text);
            let made = extractor(&question, "v");
            assert_eq!(made.class, question.element.class, "{text}");
            for (property, value) in &question.expression {
                assert_eq!(made.text(property), Some(value.as_str()), "{text}: {property}");
            }
        }
    }
}

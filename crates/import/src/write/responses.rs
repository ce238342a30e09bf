//! Captures and checks as elements.

use swell_plan::Element;

use crate::elements::{self, Field, Match, Scope, literal};
use crate::model::{Capture, CaptureFrom, Check, CheckOf, Comparison, Script, ScriptWhen, Text, safe_name};

/// The extractor of a capture.
pub(super) fn extractor(capture: &Capture) -> Element {
    let variable = &*safe_name(&capture.variable);
    let default = &*literal(&capture.default);
    let number = capture.match_number;
    let of = capture.of.as_deref().map(safe_name);
    let scope = match &of {
        Some(variable) => Scope::Variable(variable),
        None if capture.in_redirects => Scope::All,
        None => Scope::Sample,
    };
    let regex = |field, pattern: &str, group| {
        elements::regex_extractor(variable, (field, &literal(pattern), group), number, default, scope)
    };
    let between = |field, left: &str, right: &str| {
        let left = literal(left);
        let right = literal(right);
        elements::boundary_extractor(variable, (field, &left, &right), number, default, scope)
    };
    let element = match &capture.from {
        CaptureFrom::JsonPath(path) => {
            elements::json_extractor(variable, &literal(path), number, default, scope)
        }
        CaptureFrom::JsonPathText(path) => {
            elements::json_extractor(variable, &path.to_plan(), number, default, scope)
        }
        CaptureFrom::XPath { path, is_html } => {
            elements::xpath_extractor(variable, (&literal(path), *is_html), number, default, scope)
        }
        CaptureFrom::Css { selector, attribute } => elements::css_extractor(
            variable,
            (&literal(selector), &literal(attribute)),
            number,
            default,
            scope,
        ),
        CaptureFrom::Regex(pattern, group) => regex(Field::Body, pattern, *group),
        CaptureFrom::RegexText(pattern, group) => {
            let pattern = pattern.to_plan();
            elements::regex_extractor(variable, (Field::Body, &pattern, *group), number, default, scope)
        }
        CaptureFrom::Groovy(value) => {
            elements::script_after(variable, "groovy", &format!("vars.put('{variable}', {value})\n"))
        }
        CaptureFrom::Between(left, right) => between(Field::Body, left, right),
        CaptureFrom::HeaderBetween(left, right) => between(Field::Headers, left, right),
        CaptureFrom::Header(name) => regex(Field::Headers, &header_pattern(name, r"(.*?)"), 1),
        CaptureFrom::Cookie(name) => {
            let pattern = format!(r"(?m)^{}:[ \t]*{}=([^;\n]*)", in_any_case("Set-Cookie"), quoted(name));
            regex(Field::Headers, &pattern, 1)
        }
        CaptureFrom::Status => regex(Field::Code, "(.*)", 1),
        CaptureFrom::Body => regex(Field::Body, "(?s)^(.*)$", 1),
        CaptureFrom::Url => regex(Field::Url, "(.*)", 1),
        CaptureFrom::Constant(text) => elements::constant_extractor(variable, &literal(text)),
    };
    elements::with_comment(element, &literal(&capture.comment))
}

/// A header of a response with a pattern for its value.
fn header_pattern(name: &str, value: &str) -> String {
    format!(r"(?m)^{}:[ \t]*{value}[ \t]*$", in_any_case(name))
}

/// A text as a pattern that matches it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation()
            && !matches!(c, '-' | '_' | '"' | '\'' | ',' | ':' | ';' | '=' | '<' | '>' | '%')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The name of a header as a pattern for each spelling. JMeter's expressions (Oro) know no
/// `(?i:…)`.
fn in_any_case(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_alphabetic() {
            out.extend(['[', c.to_ascii_uppercase(), c.to_ascii_lowercase(), ']']);
        } else {
            out.push_str(&quoted(c.encode_utf8(&mut [0; 4])));
        }
    }
    out
}

/// The assertion of a check.
pub(super) fn assertion(check: &Check) -> Element {
    let name = literal(&if check.name.is_empty() { name_of(&check.of) } else { check.name.clone() });
    match &check.of {
        CheckOf::Status(how) => compared(&name, Field::Code, how, false, Scope::Sample),
        CheckOf::Body(how) => compared(&name, Field::Body, how, true, Scope::Sample),
        CheckOf::Url(how) => compared(&name, Field::Url, how, true, Scope::Sample),
        CheckOf::Variable(variable, how) => {
            compared(&name, Field::Body, how, true, Scope::Variable(&safe_name(variable)))
        }
        CheckOf::Header(header, how) => header_assertion(&name, header, how),
        CheckOf::JsonPath(path, how) => json_assertion(&name, &literal(path), how),
        CheckOf::JsonPathText(path, how) => json_assertion(&name, &path.to_plan(), how),
        CheckOf::XPath(path, holds) => elements::xpath_assertion(&name, &literal(path), !holds),
        CheckOf::HtmlXPath(path, holds) => elements::html_xpath_assertion(&name, &literal(path), !holds),
        CheckOf::AtMostMs(most) => elements::duration_assertion(&name, *most),
        CheckOf::SizeOf(bytes) => elements::size_assertion(&name, *bytes),
        CheckOf::Md5(hash) => elements::md5_assertion(&name, hash),
        CheckOf::Groovy(condition) => {
            let script = format!("if (!({condition})) {{\n  AssertionResult.setFailure(true)\n}}\n");
            elements::groovy_assertion(&name, &script)
        }
    }
}

fn compared(name: &str, field: Field, how: &Comparison, keeps_status: bool, scope: Scope<'_>) -> Element {
    let (how, is_not, texts) = match how {
        Comparison::Equals(text) => (Match::Equals, false, vec![text.to_plan()]),
        Comparison::Differs(text) => (Match::Equals, true, vec![text.to_plan()]),
        Comparison::Contains(text) => (Match::Contains, false, vec![text.to_plan()]),
        Comparison::Lacks(text) => (Match::Contains, true, vec![text.to_plan()]),
        Comparison::Matches(text) => (Match::Part, false, vec![text.to_plan()]),
        Comparison::MatchesNot(text) => (Match::Part, true, vec![text.to_plan()]),
        Comparison::IsMatch(text) => (Match::Whole, false, vec![text.to_plan()]),
        Comparison::StartsWith(text) => {
            (Match::Whole, false, vec![literal(&format!("(?s){}.*", quoted(text)))])
        }
        Comparison::EndsWith(text) => {
            (Match::Whole, false, vec![literal(&format!("(?s).*{}", quoted(text)))])
        }
        Comparison::Exists => (Match::Equals, true, vec![String::new()]),
        Comparison::Missing => (Match::Equals, false, vec![String::new()]),
        Comparison::OneOf(texts) => (Match::Equals, false, texts.iter().map(Text::to_plan).collect()),
    };
    elements::response_assertion(name, (field, how, is_not), &texts, keeps_status, scope)
}

/// Headers of a response are one text, in which a line is looked for.
fn header_assertion(name: &str, header: &str, how: &Comparison) -> Element {
    // A pattern around a text whose variables are known only in the run.
    let pattern = |before: &str, text: &Text, after: &str| {
        let mut value = Text::literal(before);
        value.push(text.map_literals(&mut |data| quoted(data)));
        value.push_literal(after);
        line_of(header, &value)
    };
    let any = Text::literal(".*");
    let (is_not, patterns) = match how {
        Comparison::Equals(text) => (false, vec![pattern("", text, "")]),
        Comparison::Differs(text) => (true, vec![pattern("", text, "")]),
        Comparison::Contains(text) => (false, vec![pattern(".*", text, ".*")]),
        Comparison::Lacks(text) => (true, vec![pattern(".*", text, ".*")]),
        Comparison::Matches(text) => (false, vec![line_of(header, &around(text))]),
        Comparison::MatchesNot(text) => (true, vec![line_of(header, &around(text))]),
        Comparison::IsMatch(text) => (false, vec![line_of(header, text)]),
        Comparison::StartsWith(text) => (false, vec![pattern("", &Text::literal(text), ".*")]),
        Comparison::EndsWith(text) => (false, vec![pattern(".*", &Text::literal(text), "")]),
        Comparison::Exists => (false, vec![line_of(header, &any)]),
        Comparison::Missing => (true, vec![line_of(header, &any)]),
        Comparison::OneOf(texts) => (false, texts.iter().map(|text| pattern("", text, "")).collect()),
    };
    let texts: Vec<String> = patterns.iter().map(Text::to_plan).collect();
    elements::response_assertion(name, (Field::Headers, Match::Part, is_not), &texts, true, Scope::Sample)
}

fn around(pattern: &Text) -> Text {
    let mut out = Text::literal(".*(?:");
    out.push(pattern.clone());
    out.push_literal(").*");
    out
}

fn line_of(header: &str, value: &Text) -> Text {
    let mut out = Text::literal(format!(r"(?m)^{}:[ \t]*", in_any_case(header)));
    out.push(value.clone());
    out.push_literal(r"[ \t]*$");
    out
}

fn json_assertion(name: &str, path: &str, how: &Comparison) -> Element {
    let exact = |text: &Text| text.to_plan();
    // JMeter's pattern has to match the whole value.
    let pattern = |before: &str, text: &Text, after: &str| {
        let mut value = Text::literal(before);
        value.push(text.map_literals(&mut |data| quoted(data)));
        value.push_literal(after);
        value.to_plan()
    };
    let (value, is_regex, is_not) = match how {
        Comparison::Equals(text) => (Some(exact(text)), false, false),
        Comparison::Differs(text) => (Some(exact(text)), false, true),
        Comparison::Contains(text) => (Some(pattern("(?s).*", text, ".*")), true, false),
        Comparison::Lacks(text) => (Some(pattern("(?s).*", text, ".*")), true, true),
        Comparison::Matches(text) => (Some(around(text).to_plan()), true, false),
        Comparison::MatchesNot(text) => (Some(around(text).to_plan()), true, true),
        Comparison::IsMatch(text) => (Some(exact(text)), true, false),
        Comparison::StartsWith(text) => (Some(pattern("(?s)", &Text::literal(text), ".*")), true, false),
        Comparison::EndsWith(text) => (Some(pattern("(?s).*", &Text::literal(text), "")), true, false),
        Comparison::Exists => (None, false, false),
        Comparison::Missing => (None, false, true),
        Comparison::OneOf(texts) => {
            let mut any = Text::literal("(?:");
            for (number, text) in texts.iter().enumerate() {
                any.push_literal(if number > 0 { "|" } else { "" });
                any.push(text.map_literals(&mut |data| quoted(data)));
            }
            any.push_literal(")");
            (Some(any.to_plan()), true, false)
        }
    };
    elements::json_assertion(name, path, value.as_deref().map(|value| (value, is_regex)), is_not)
}

fn name_of(check: &CheckOf) -> String {
    match check {
        CheckOf::Status(how) => format!("Status {}", words(how)),
        CheckOf::Header(name, how) => format!("Header {name} {}", words(how)),
        CheckOf::Body(how) => format!("Body {}", words(how)),
        CheckOf::Url(how) => format!("URL {}", words(how)),
        CheckOf::Variable(name, how) => format!("{name} {}", words(how)),
        CheckOf::JsonPath(path, how) => format!("{path} {}", words(how)),
        CheckOf::JsonPathText(path, how) => format!("{} {}", shown(path), words(how)),
        CheckOf::XPath(path, true) | CheckOf::HtmlXPath(path, true) => format!("XPath {path}"),
        CheckOf::XPath(path, false) | CheckOf::HtmlXPath(path, false) => format!("not XPath {path}"),
        CheckOf::AtMostMs(most) => format!("At most {most} ms"),
        CheckOf::SizeOf(bytes) => format!("{bytes} bytes"),
        CheckOf::Md5(hash) => format!("MD5 {hash}"),
        CheckOf::Groovy(condition) => condition.clone(),
    }
}

fn words(how: &Comparison) -> String {
    let (verb, text) = match how {
        Comparison::Equals(text) => ("", text.clone()),
        Comparison::Differs(text) => ("is not ", text.clone()),
        Comparison::Contains(text) => ("contains ", text.clone()),
        Comparison::Lacks(text) => ("lacks ", text.clone()),
        Comparison::Matches(text) | Comparison::IsMatch(text) => ("matches ", text.clone()),
        Comparison::MatchesNot(text) => ("does not match ", text.clone()),
        Comparison::StartsWith(text) => ("starts with ", Text::literal(text)),
        Comparison::EndsWith(text) => ("ends with ", Text::literal(text)),
        Comparison::Exists => ("exists", Text::default()),
        Comparison::Missing => ("is missing", Text::default()),
        Comparison::OneOf(texts) => {
            ("", Text::literal(texts.iter().map(shown).collect::<Vec<_>>().join(" or ")))
        }
    };
    let shown: String = shown(&text).chars().take(60).collect();
    format!("{verb}{shown}")
}

/// A text for a name, in which a variable is only named.
fn shown(text: &Text) -> String {
    text.to_plan().replace("${", "{")
}

/// The element of a script.
pub(super) fn script(script: &Script) -> Element {
    let make = match script.when {
        ScriptWhen::Before => elements::script_before,
        ScriptWhen::After => elements::script_after,
    };
    if script.runs {
        return make("Script", &script.language, &script.text);
    }
    // A comment, so that it does nothing if it is switched on unread.
    let source = script.text.replace("*/", "* /");
    let text = format!("/* not carried over:\n{source}\n*/\n");
    make("Script of the source", "groovy", &literal(&text)).disabled()
}

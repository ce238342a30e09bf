//! The HTTP URL Re-writing Modifier (`URLRewritingModifier`), which copies a session id from the
//! last response into the request.

use std::rc::Rc;

use swell_api::{CompileContext, Needs, RequestChange, RequestTexts, Step, StepProgress, User};
use swell_expr::Charset;
use swell_expr::{Context, Template};
use swell_plan::Node;
use swell_regex::{Dialect, Reach, Regex};

use super::Sessions;
use crate::compile::Flag;
use crate::request::Parameter;
use crate::text::form;

/// The element.
pub(crate) struct UrlRewriting {
    id: u32,
    argument: Template,
    /// `path_extension`: into the path, not the parameters.
    path: Flag,
    /// `path_extension_no_equals`.
    no_equals: Flag,
    /// `path_extension_no_questionmark`: the session ends at `?`.
    no_question_mark: Flag,
    /// `cache_value`: without a session in the response, the last one is kept.
    keeps: Flag,
    encode: Flag,
}

impl UrlRewriting {
    pub(crate) fn step(node: &Node, compile: &CompileContext) -> Rc<dyn Step> {
        let flag = |name: &str, default: bool| Flag::of(&node.element, name, default, compile);
        Rc::new(Self {
            id: node.id.0,
            argument: compile.template(&node.element, "argument_name", ""),
            path: flag("path_extension", false),
            no_equals: flag("path_extension_no_equals", false),
            no_question_mark: flag("path_extension_no_questionmark", false),
            keeps: flag("cache_value", true),
            encode: flag("encode", false),
        })
    }
}

impl Step for UrlRewriting {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn run<'a>(
        &'a self,
        user: &'a mut User,
        _sample: Option<&'a mut swell_api::SampleResult>,
    ) -> StepProgress<'a> {
        let Some(previous) = &user.previous else { return StepProgress::Done(()) };
        let text = previous.body_text().into_owned();
        let cx = &mut user.cx;
        let argument = self.argument.eval_value(cx);
        let path = self.path.get(cx);
        let no_equals = self.no_equals.get(cx);
        let encode = self.encode.get(cx);
        let keeps = self.keeps.get(cx);
        let pattern = if path {
            in_path(&argument, !no_equals, self.no_question_mark.get(cx))
        } else {
            in_parameter(&argument)
        };
        let mut value = find(&pattern, &text);
        if keeps {
            let last = user.state(Sessions::default).of(self.id);
            if value.is_empty() {
                value.clone_from(last);
            } else {
                last.clone_from(&value);
            }
        }
        user.change_request(Session { argument, value, path, no_equals, encode });
        StepProgress::Done(())
    }
}

/// The first group of the first match that took part; empty if there is none.
fn find(pattern: &str, text: &str) -> String {
    let regex = Regex::new(pattern, Dialect::Oro, Reach::Anywhere).ok();
    let groups = regex.and_then(|regex| regex.groups(text).ok().flatten()).unwrap_or_default();
    groups.into_iter().skip(1).flatten().next().unwrap_or_default()
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn in_path(argument: &str, equals: bool, ends_at_question_mark: bool) -> String {
    let equals = if equals { "=" } else { "" };
    let mark = if ends_at_question_mark { "?" } else { "" };
    format!("\\;{}{equals}([^\"'<>&\\s;{mark}]*)", quoted(argument))
}

/// In a query, or in an input of a form, with name and value in any order.
fn in_parameter(argument: &str) -> String {
    let argument = quoted(argument);
    let name = "\\s[Nn][Aa][Mm][Ee]\\s*=\\s*[\"']";
    let value = "\\s[vV][Aa][Ll][Uu][Ee]\\s*=\\s*[\"']([^\"']*)[\"']";
    format!(
        "[;\\?&]{argument}=([^\"'<>&\\s;\\\\]*)|{name}{argument}[\"'][^>]*{value}|{value}[^>]*{name}{argument}[\"']"
    )
}

struct Session {
    argument: Rc<str>,
    value: String,
    path: bool,
    no_equals: bool,
    encode: bool,
}

impl RequestChange for Session {
    fn apply(&self, request: &mut RequestTexts, _cx: &mut Context) {
        let Self { argument, value, .. } = self;
        if self.path {
            let path = without_session(&request.path, argument);
            let equals = if self.no_equals { "" } else { "=" };
            request.path = format!("{path};{argument}{equals}{value}");
            return;
        }
        // Without `encode` it counts as already encoded, and is encoded again.
        let plain = |text: &str| match form::decode(text, Charset::default()) {
            Ok(decoded) if !self.encode => decoded,
            _ => text.to_owned(),
        };
        request.arguments.retain(|known| *known.name != **argument);
        request.arguments.push(Parameter::encoded(&plain(argument), &plain(value)).plain());
    }
}

/// The path without a session that is there already.
fn without_session(path: &str, argument: &str) -> String {
    let Some(at) = path.find(&format!(";{argument}")) else { return path.to_owned() };
    let query = path.find('?').map_or("", |mark| &path[mark..]);
    format!("{}{query}", &path[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_in_paths() {
        let text = "<a href=\"/x;sid=a1?b=2;c\">";
        let table = [
            (true, false, text, "a1?b=2"),
            (true, true, text, "a1"),
            (false, false, text, "=a1?b=2"),
            (false, true, "/x;sida1;y", "a1"),
            (true, true, "no session", ""),
        ];
        for (equals, mark, text, wanted) in table {
            assert_eq!(find(&in_path("sid", equals, mark), text), wanted);
        }
    }

    #[test]
    fn sessions_in_parameters() {
        // From JMeter's TestURLRewritingModifier, mostly.
        let table = [
            (
                "location: http://server.com/index.html?session_id=jfdkjdkf%20jddkfdfjkdjfdf%22;",
                "jfdkjdkf%20jddkfdfjkdjfdf%22",
            ),
            ("<input name=\"session_id\" value=\"abc\">", "abc"),
            ("<input  value='def' type=hidden name='session_id'>", "def"),
            ("<a href=\"?x=1&amp;session_id=1&y\">", "1"),
            ("session_id=none", ""),
        ];
        for (text, wanted) in table {
            assert_eq!(find(&in_parameter("session_id"), text), wanted, "{text}");
        }
        assert_eq!(find(&in_parameter("a.b$c"), "?axb$c=1&a.b$c=2"), "2");
    }

    #[test]
    fn an_old_session_goes() {
        assert_eq!(without_session("/x;sid=1?q", "sid"), "/x?q");
        assert_eq!(without_session("/x;sid=1/y", "sid"), "/x");
        assert_eq!(without_session("/x?sid=1", "sid"), "/x?sid=1");
    }
}

//! Header Managers (`HeaderManager.merge`, `HTTPHC4Impl.setConnectionHeaders`).

use std::rc::Rc;

use swell_api::Text;

use crate::compile::HeaderLine;
use crate::url::Url;

use swell_expr::{Context, Template};

/// A header.
pub(crate) type Line = (Text, Text);

/// The lines of all managers: those of the innermost as they are, of each further one those whose
/// name is not there yet. `value`: evaluates the value of a line that has that name.
pub(crate) fn merge(
    managers: &[Vec<HeaderLine>],
    cx: &mut Context,
    mut value: impl FnMut(&str, &Template, &mut Context) -> Rc<str>,
) -> Vec<(Rc<str>, Rc<str>)> {
    let mut merged: Vec<(Rc<str>, Rc<str>)> = Vec::with_capacity(managers.iter().map(Vec::len).sum());
    for (i, manager) in managers.iter().enumerate() {
        for line in manager {
            let name = line.name.eval_value(cx);
            let known = i > 0 && merged.iter().any(|(known, _)| known.eq_ignore_ascii_case(&name));
            if !known {
                let value = value(&name, &line.value, cx);
                merged.push((name, value));
            }
        }
    }
    merged
}

/// Appends the lines as they are sent to a URL: no `Content-Length`, and `Host` with a port where
/// it is not the default, unless it goes out `as_given`.
pub(super) fn apply(lines: &[(Rc<str>, Rc<str>)], url: &Url, as_given: bool, out: &mut Vec<Line>) {
    for (name, value) in lines {
        if name.eq_ignore_ascii_case("Content-Length") {
            continue;
        }
        if name.eq_ignore_ascii_case("Host") && !as_given {
            out.push((Text::Static("Host"), host(value, url).into()));
        } else {
            out.push((name.clone().into(), value.clone().into()));
        }
    }
}

/// A `Host` value: its own port, else that of the URL, and none if that is the default.
fn host(value: &Rc<str>, url: &Url) -> Rc<str> {
    let digits = value.rsplit(':').next().filter(|p| p.len() < value.len() && is_number(p));
    let port = digits.and_then(|p| p.parse().ok()).or(url.port()).filter(|p| *p != url.default_port());
    let bare = digits.map_or(&**value, |p| &value[..value.len() - p.len() - 1]);
    match port {
        None => bare.into(),
        Some(port) => format!("{bare}:{port}").into(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Sets a header as HttpClient's `setHeader`: instead of the first of that name, or at the end.
pub(crate) fn set(lines: &mut Vec<Line>, name: &'static str, value: Text) {
    match lines.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        Some(line) => *line = (Text::Static(name), value),
        None => lines.push((Text::Static(name), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_gets_the_port_that_is_not_default() {
        let of = |value: &str, url: &str| host(&value.into(), &Url::parse(url).unwrap());
        assert_eq!(&*of("foo.example:8080", "http://h:81/"), "foo.example:8080");
        assert_eq!(&*of("h2", "http://h:81/"), "h2:81");
        assert_eq!(&*of("h2", "http://h/"), "h2");
        assert_eq!(&*of("h2:80", "http://h:81/"), "h2");
        assert_eq!(&*of("h2:443", "https://h/"), "h2");
    }
}

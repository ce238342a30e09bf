//! URLs, as text or in parts.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::{Reader, is_enabled};
use crate::model::Text;
use crate::source::Place;
use crate::tree::Node;

/// What Postman encodes in a value of the query.
const IN_VALUE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'\'').add(b'<').add(b'>').add(b'&');

/// And in a name.
const IN_NAME: &AsciiSet = &IN_VALUE.add(b'=');

impl Reader<'_, '_> {
    pub(super) fn url(&mut self, url: Option<&Node>, place: &Place) -> Text {
        let Some(url) = url else { return Text::default() };
        if let Some(text) = url.as_text() {
            return self.whole(text, place);
        }
        let host = joined(url.get("host"), ".");
        if host.is_empty() {
            return self.whole(url.text("raw"), place);
        }
        let protocol = url.text("protocol").trim_end_matches("://");
        let protocol = if protocol.is_empty() && !host.starts_with("{{") { "http" } else { protocol };
        let mut start = if protocol.is_empty() { String::new() } else { format!("{protocol}://") };
        start.push_str(&host);
        if let Some(port) = url.scalar_of("port").filter(|port| !port.is_empty()) {
            start.push(':');
            start.push_str(&port);
        }
        let mut out = self.braces(&start, place);
        self.path(&mut out, url, place);
        let query = self.query(url.list("query"));
        super::super::values::add_query(&mut out, &query);
        out
    }

    /// A URL as text. One without a scheme is one of HTTP.
    fn whole(&mut self, text: &str, place: &Place) -> Text {
        let text = text.trim();
        let has_scheme = text.contains("://") || text.starts_with("{{") || text.is_empty();
        let scheme = if has_scheme { "" } else { "http://" };
        self.braces(&format!("{scheme}{text}"), place)
    }

    /// The path, with the values of `:name`.
    fn path(&mut self, out: &mut Text, url: &Node, place: &Place) {
        let Some(path) = url.get("path") else { return };
        let whole =
            path.as_text().map(|text| text.trim_start_matches('/').split('/').map(str::to_owned).collect());
        let segments: Vec<String> = whole.unwrap_or_else(|| path.items().iter().map(segment).collect());
        for segment in segments {
            out.push_literal("/");
            let value = segment.strip_prefix(':').and_then(|name| {
                let end =
                    name.find(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).unwrap_or(name.len());
                let (name, rest) = name.split_at(end);
                let is_named = |node: &&Node| node.text("key") == name || node.text("id") == name;
                let found = url.list("variable").iter().rev().find(is_named)?;
                let value = found.scalar_of("value").filter(|value| !value.is_empty())?;
                Some(format!("{value}{rest}"))
            });
            out.push(self.braces(value.as_deref().unwrap_or(&segment), place));
        }
    }

    fn query(&mut self, params: &[Node]) -> Text {
        let mut out = Text::default();
        let mut is_first = true;
        for param in params.iter().filter(|param| is_enabled(param)) {
            let place = self.place(param);
            out.push_literal(if is_first { "" } else { "&" });
            is_first = false;
            let name = self.value(param.get("key"), &place);
            out.push(name.map_literals(&mut |text| utf8_percent_encode(text, IN_NAME).to_string()));
            if param.get("value").is_some() {
                out.push_literal("=");
                let value = self.value(param.get("value"), &place);
                out.push(value.map_literals(&mut |text| utf8_percent_encode(text, IN_VALUE).to_string()));
            }
        }
        out
    }
}

/// A host as text, or as a list of its parts.
fn joined(node: Option<&Node>, separator: &str) -> String {
    let Some(node) = node else { return String::new() };
    match node.as_text() {
        Some(text) => text.to_owned(),
        None => node.items().iter().map(segment).collect::<Vec<_>>().join(separator),
    }
}

fn segment(node: &Node) -> String {
    node.scalar().unwrap_or_else(|| node.text("value").to_owned())
}

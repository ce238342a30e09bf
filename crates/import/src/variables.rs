//! Variables of all files together: hosts that they have, values in values, names without a value.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Document, Flow, Text, TextPart, Variable, safe_name};
use crate::notes::Notes;
use crate::options::Options;

/// Depth of variables in values of variables; also what ends a circle.
const MOST_NESTED: usize = 16;

/// Bytes that all values of a document may get from others.
const MOST_INLINED: usize = 1 << 20;

/// Puts known values where a URL has its host, so that the plan has its host in one place. Values
/// that a response sets stay variables. A base is the value of a variable without one at the
/// beginning of a URL.
pub(crate) fn put_hosts(document: &mut Document, options: &Options) {
    if let Some(base) = &options.base_url {
        let known = Values::of(document);
        let names: BTreeSet<String> = document
            .flows
            .iter()
            .flat_map(Flow::exchanges)
            .filter(|exchange| exchange.url.leading().is_empty())
            .filter_map(|exchange| exchange.url.variables().next().map(str::to_owned))
            .filter(|name| known.is_unset(name))
            .collect();
        let base = base.trim_end_matches('/');
        document.variables.extend(names.iter().map(|name| Variable::new(name, Text::literal(base))));
    }
    let values = Values::of(document);
    for flow in &mut document.flows {
        let of_data: BTreeSet<String> =
            flow.data.iter().flat_map(|data| &data.variables).map(|name| safe_name(name)).collect();
        flow.for_each(&mut |exchange| {
            if let Some(url) = values.with_host(&exchange.url, &of_data) {
                exchange.url = url;
            }
        });
    }
}

/// Puts values into values, as JMeter does not look into variables of the same list. A name that no
/// file defines becomes a property.
pub(crate) fn complete(document: &mut Document, notes: &mut Notes) {
    let values = Values::of(document);
    let mut room = MOST_INLINED;
    for variable in &mut document.variables {
        if variable.value.variables().next().is_some() {
            variable.value = values.inlined(&variable.value, MOST_NESTED, &mut room);
        }
    }
    let mut reported = BTreeSet::new();
    for (name, place) in std::mem::take(&mut document.used) {
        let name = safe_name(&name);
        if values.is_unset(&name) && reported.insert(name.clone()) {
            let how =
                format!("no file has a value for it: set -J{name}=…, or import with --variable {name}=…");
            notes.changed(&place, format!("variable {name}"), how);
            document.variables.push(Variable::new(&name, Text::property(&name, "")));
        }
    }
}

struct Values {
    known: BTreeMap<String, Text>,
    /// Names that requests use and that files may define.
    used: BTreeSet<String>,
    /// Names that responses set.
    set_in_run: BTreeSet<String>,
}

impl Values {
    fn of(document: &Document) -> Self {
        let known = document.variables.iter().map(|one| (safe_name(&one.name), one.value.clone())).collect();
        let exchanges = document.flows.iter().flat_map(Flow::exchanges);
        let captures = exchanges.clone().flat_map(|exchange| &exchange.captures);
        let captured = captures.map(|capture| &capture.variable);
        let set = exchanges.flat_map(|exchange| exchange.sets.iter().map(|(name, _)| name));
        Self {
            known,
            used: document.used.iter().map(|(name, _)| safe_name(name)).collect(),
            set_in_run: captured.chain(set).map(|name| safe_name(name)).collect(),
        }
    }

    fn is_unset(&self, name: &str) -> bool {
        self.used.contains(name) && !self.known.contains_key(name) && !self.set_in_run.contains(name)
    }

    /// A value with those of other variables in it. `room`: bytes that it may get by this.
    fn inlined(&self, value: &Text, depth: usize, room: &mut usize) -> Text {
        let mut out = Text::default();
        for part in value.parts() {
            out.push(match part {
                TextPart::Variable(name) if self.set_in_run.contains(name) => Text::variable(name),
                TextPart::Variable(name) => match self.known.get(name) {
                    Some(value) if depth > 0 && *room > 0 => self.inlined(value, depth - 1, room),
                    Some(_) => Text::default(),
                    None => Text::property(name, ""),
                },
                TextPart::Literal(text) => {
                    *room = room.saturating_sub(text.len());
                    Text::literal(text)
                }
                TextPart::Function(call) => Text::function(call),
            });
            *room = room.saturating_sub(1);
        }
        out
    }

    /// The URL with the values of the variables in its beginning, up to its path; none if nothing
    /// changes.
    fn with_host(&self, url: &Text, of_data: &BTreeSet<String>) -> Option<Text> {
        let mut out = Text::default();
        let mut parts = url.parts().iter();
        let mut is_changed = false;
        while !has_authority(out.leading())
            && let Some(part) = parts.next()
        {
            match part {
                TextPart::Literal(text) => out.push_literal(text),
                TextPart::Variable(name) => {
                    let value = self.constant(name).filter(|_| !of_data.contains(name));
                    is_changed |= value.is_some();
                    let value = value.unwrap_or_else(|| Text::variable(name));
                    let is_end = value.as_literal().is_none();
                    out.push(value);
                    if is_end {
                        break;
                    }
                }
                TextPart::Function(call) => {
                    out.push(Text::function(call));
                    break;
                }
            }
        }
        for part in parts {
            out.push(Text::from(part));
        }
        let has_scheme = out.leading().contains("://");
        let needs_scheme = !out.leading().is_empty() && !out.leading().starts_with('/') && !has_scheme;
        if is_changed && needs_scheme {
            let mut with_scheme = Text::literal("http://");
            with_scheme.push(out);
            return Some(with_scheme);
        }
        is_changed.then_some(out)
    }

    /// The value of a variable that a file defines and nothing changes.
    fn constant(&self, name: &str) -> Option<Text> {
        if !self.used.contains(name) || self.set_in_run.contains(name) {
            return None;
        }
        let value = self.inlined(self.known.get(name)?, MOST_NESTED, &mut 4096);
        value.as_literal().is_some().then_some(value)
    }
}

/// Whether host and port are complete.
fn has_authority(url: &str) -> bool {
    let start = url.find("://").map_or(0, |at| at + 3);
    url[start..].contains(['/', '?', '#'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Capture, CaptureFrom, Exchange};
    use crate::source::Place;

    fn document(url: &str, values: &[(&str, &str)]) -> Document {
        let braces = |text: &str| Text::with_braces(text, &mut |name| Some(Text::variable(name)));
        let mut document = Document::default();
        let url = Text::with_braces(url, &mut |name| {
            document.used.push((name.to_owned(), Place::default()));
            Some(Text::variable(name))
        });
        let mut exchange = Exchange::new("GET", url, Place::default());
        exchange.captures.push(Capture::new("token", CaptureFrom::Body));
        document.flows.push(Flow::of("f", vec![exchange]));
        document.variables = values.iter().map(|(name, value)| Variable::new(name, braces(value))).collect();
        document
    }

    #[test]
    fn hosts_in_variables_are_put_into_urls() {
        for (url, values, base, wanted) in [
            ("{{b}}/x", &[("b", "https://a.test/v1")][..], None, "https://a.test/v1/x"),
            ("{{b}}/x", &[("b", "a.test:81")], None, "http://a.test:81/x"),
            ("{{h}}:{{p}}/{{h}}", &[("h", "a.test"), ("p", "81")], None, "http://a.test:81/${h}"),
            ("http://{{h}}/x", &[("h", "a.{{d}}"), ("d", "test")], None, "http://a.test/x"),
            ("{{b}}/x", &[], None, "${b}/x"),
            ("{{b}}/x", &[], Some("http://c.test/"), "http://c.test/x"),
            ("{{token}}/x", &[("token", "http://a")], Some("http://c.test/"), "${token}/x"),
            ("{{b}}/x", &[("b", "/api")], None, "/api/x"),
            ("{{b}}/x", &[("b", "{{b}}")], None, "/x"),
            ("/x/{{b}}", &[("b", "1")], None, "/x/${b}"),
        ] {
            let mut document = document(url, values);
            let options = Options { base_url: base.map(str::to_owned), ..Options::default() };
            put_hosts(&mut document, &options);
            assert_eq!(document.flows[0].exchanges()[0].url.to_plan(), wanted, "{url} {values:?}");
        }
    }

    #[test]
    fn values_are_complete_and_names_without_one_are_properties() {
        let mut document =
            document("{{u}}/{{v}}{{token}}", &[("a", "1{{b}}"), ("b", "2{{token}}"), ("c", "{{c}}{{d}}")]);
        let mut notes = Notes::default();
        complete(&mut document, &mut notes);
        let all: Vec<_> =
            document.variables.iter().map(|one| format!("{}={}", one.name, one.value.to_plan())).collect();
        assert_eq!(all[..2], ["a=12${token}", "b=2${token}"]);
        assert_eq!(all[2..], [&format!("c={}", "${__P(d,)}".repeat(17))[..], "u=${__P(u,)}", "v=${__P(v,)}"]);
        assert_eq!(notes.all().len(), 2);
    }
}

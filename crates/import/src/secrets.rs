//! Passwords and tokens of a source become properties, so that no plan has them.

use std::collections::BTreeSet;

use swell_secrets::is_secret;

use crate::model::{Body, Document, Exchange, Header, Text, TextPart, free_name};
use crate::notes::Notes;
use crate::source::Place;

/// Replaces secrets by properties without a default, with a note for each.
pub(crate) fn to_properties(document: &mut Document, notes: &mut Notes) {
    let mut properties = Properties { known: Vec::new(), names: BTreeSet::new() };
    for variable in &mut document.variables {
        if (variable.is_secret || is_secret(&variable.name))
            && let Some(value) = variable.value.as_literal().filter(|value| !value.is_empty())
        {
            let (property, _) = properties.of(&variable.name, value);
            let what = format!("variable {}", variable.name);
            notes.changed(&Place::default(), what, moved(&property));
            variable.value = Text::property(&property, "");
        }
    }
    for flow in &mut document.flows {
        flow.for_each(&mut |exchange| of_exchange(exchange, &mut properties, notes));
    }
}

fn moved(property: &str) -> String {
    format!("its value is the property `{property}` now: give -J{property}=…")
}

struct Properties {
    /// Secret values with their properties.
    known: Vec<(String, String)>,
    names: BTreeSet<String>,
}

impl Properties {
    /// The property of a secret value, and whether it is new.
    fn of(&mut self, name: &str, value: &str) -> (String, bool) {
        if let Some((_, property)) = self.known.iter().find(|(known, _)| known == value) {
            return (property.clone(), false);
        }
        let letters =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
        let base: String = letters.collect::<String>().trim_matches('_').to_owned();
        let base = if base.is_empty() { "secret".to_owned() } else { base };
        let property = free_name(&base, |name| self.names.contains(name));
        self.names.insert(property.clone());
        self.known.push((value.to_owned(), property.clone()));
        (property, true)
    }
}

fn of_exchange(exchange: &mut Exchange, properties: &mut Properties, notes: &mut Notes) {
    let place = exchange.place.clone();
    let mut replace = |name: &str, value: &str, what: String| {
        let (property, is_new) = properties.of(name, value);
        if is_new {
            notes.changed(&place, what, moved(&property));
        }
        Text::property(&property, "")
    };
    for header in &mut exchange.headers {
        of_header(header, &mut replace);
    }
    if let Some(auth) = &mut exchange.auth
        && let Some(password) = auth.password.as_literal().filter(|password| !password.is_empty())
    {
        auth.password = replace("password", password, "password of the request".to_owned());
    }
    exchange.url = of_pairs(&exchange.url, true, &mut replace);
    match &mut exchange.body {
        Body::Form(fields) => {
            for field in fields {
                let name = field.name.as_literal().filter(|name| is_secret(name));
                let value = field.value.as_literal().filter(|value| !value.is_empty());
                if let (Some(name), Some(value)) = (name, value) {
                    field.value = replace(name, value, format!("field {name}"));
                }
            }
        }
        Body::Text(text) => {
            let is_form = text.leading().starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            *text = if is_form { of_pairs(text, false, &mut replace) } else { of_json(text, &mut replace) };
        }
        _ => {}
    }
}

/// Finds a property for a secret: name, value, what it is.
type Replace<'a> = dyn FnMut(&str, &str, String) -> Text + 'a;

/// The scheme of `Authorization` stays.
fn of_header(header: &mut Header, replace: &mut Replace<'_>) {
    if !is_secret(&header.name) || header.name.eq_ignore_ascii_case("cookie") {
        return;
    }
    let Some(value) = header.value.as_literal().filter(|value| !value.is_empty()) else { return };
    let (scheme, secret) = match value.split_once(' ') {
        Some((scheme, secret)) if !secret.trim().is_empty() => (format!("{scheme} "), secret),
        _ => (String::new(), value),
    };
    let name = match scheme.trim().to_ascii_lowercase().as_str() {
        "bearer" => "token",
        "basic" => "basic_credentials",
        _ => &header.name,
    };
    let property = replace(name, secret, format!("header {}", header.name));
    header.value = Text::literal(scheme);
    header.value.push(property);
}

/// Secrets of `name=value&name=value`, in a URL after `?`.
fn of_pairs(text: &Text, is_url: bool, replace: &mut Replace<'_>) -> Text {
    let mut is_query = !is_url;
    let mut out = Text::default();
    for part in text.parts() {
        let TextPart::Literal(data) = part else {
            out.push(Text::from(part));
            continue;
        };
        let mut rest = &**data;
        if !is_query {
            let Some(at) = rest.find('?') else {
                out.push_literal(rest);
                continue;
            };
            out.push_literal(&rest[..=at]);
            rest = &rest[at + 1..];
            is_query = true;
        }
        for (number, pair) in rest.split('&').enumerate() {
            out.push_literal(if number > 0 { "&" } else { "" });
            match pair.split_once('=') {
                Some((name, value)) if is_secret(name) && !value.is_empty() && !value.contains('#') => {
                    out.push_literal(name);
                    out.push_literal("=");
                    out.push(replace(name, value, format!("parameter {name}")));
                }
                _ => out.push_literal(pair),
            }
        }
    }
    out
}

/// Secrets of `"name": "value"` in a JSON text. Only texts without escapes are found.
fn of_json(text: &Text, replace: &mut Replace<'_>) -> Text {
    let mut out = Text::default();
    for part in text.parts() {
        let TextPart::Literal(data) = part else {
            out.push(Text::from(part));
            continue;
        };
        let mut copied = 0;
        for (name, value) in json_pairs(data) {
            if is_secret(&data[name.clone()]) && !value.is_empty() {
                out.push_literal(&data[copied..value.start]);
                let what = format!("field {}", &data[name.clone()]);
                out.push(replace(&data[name], &data[value.clone()], what));
                copied = value.end;
            }
        }
        out.push_literal(&data[copied..]);
    }
    out
}

type Range = std::ops::Range<usize>;

/// Names and text values of all objects in a JSON text, as places.
fn json_pairs(text: &str) -> Vec<(Range, Range)> {
    let mut found = Vec::new();
    let mut name: Option<Range> = None;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let Some(end) = end_of_string(bytes, at + 1) else { return found };
                let this = at + 1..end;
                at = end + 1;
                let is_name = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if is_name {
                    name = Some(this);
                } else if let Some(name) = name.take() {
                    found.push((name, this));
                }
                continue;
            }
            b'{' | b'[' | b',' => name = None,
            _ => {}
        }
        at += 1;
    }
    found
}

fn end_of_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Flow;

    #[test]
    fn secrets_become_properties_and_the_rest_stays() {
        let mut exchange = Exchange::new("POST", Text::literal("/a?token=t1&x=1"), Place::default());
        exchange.add_header("Authorization", "Bearer t1");
        exchange.add_header("X-Api-Key", "k");
        exchange.add_header("Accept", "*/*");
        exchange.body = Body::Text(Text::literal(r#"{"user":"ada","n":[{"password" : "a\"b"}],"pin":1}"#));
        let mut form = Exchange::new("POST", Text::literal("/b"), Place::default());
        form.body = Body::Text(Text::literal("user=ada&password=pw"));
        let mut document =
            Document { flows: vec![Flow::of("f", vec![exchange, form])], ..Document::default() };
        let mut notes = Notes::default();
        to_properties(&mut document, &mut notes);
        let all = document.flows[0].exchanges();
        let shown: Vec<_> = all[0].headers.iter().map(|header| header.value.to_plan()).collect();
        assert_eq!(shown, ["Bearer ${__P(token,)}", "${__P(x_api_key,)}", "*/*"]);
        assert_eq!(all[0].url.to_plan(), "/a?token=${__P(token,)}&x=1");
        let body = |exchange: &Exchange| match &exchange.body {
            Body::Text(text) => text.to_plan(),
            other => panic!("{other:?}"),
        };
        assert_eq!(body(all[0]), r#"{"user":"ada","n":[{"password" : "${__P(password,)}"}],"pin":1}"#);
        assert_eq!(body(all[1]), "user=ada&password=${__P(password_2,)}");
        let changed: Vec<_> = notes.all().iter().map(|note| &*note.what).collect();
        assert_eq!(
            changed,
            ["header Authorization", "header X-Api-Key", "field password", "parameter password"]
        );
    }
}

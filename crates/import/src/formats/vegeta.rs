//! Targets of Vegeta: as text, or as JSON, one object a line.
//!
//! ```text
//! POST http://a.test/items
//! Content-Type: application/json
//! @item.json
//!
//! {"method":"GET","url":"http://a.test/","header":{"Accept":["text/html"]},"body":"aGVsbG8="}
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{Format, ReadError};
use crate::inside::inside_path;
use crate::model::{Body, Document, Exchange, Flow, Text};
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source};

pub(super) const FORMAT: Format = Format { name: "vegeta", title: "targets of Vegeta", fits, read };

/// More requests in a file are a matter for a data file.
const MOST_REQUESTS: usize = 10_000;

/// The first line that says something is a request, or an object with method and URL. A file with
/// one request is one of these too, if nothing else takes it.
fn fits(start: &str) -> bool {
    let first = start.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = first else { return false };
    if first.starts_with('{') {
        let object = serde_json::from_str::<Value>(first);
        return object.is_ok_and(|object| object["method"].is_string() && object["url"].is_string());
    }
    request(first).is_some()
}

/// `GET http://host/path`.
fn request(line: &str) -> Option<(&str, &str)> {
    let (method, url) = line.split_once(' ')?;
    let url = url.trim();
    let is_method = !method.is_empty() && method.chars().all(|c| c.is_ascii_uppercase());
    let has_scheme = url.starts_with("http://") || url.starts_with("https://");
    (is_method && has_scheme && !url.contains(' ')).then_some((method, url))
}

fn read(source: &Source<'_>, _options: &Options, notes: &mut Notes) -> Result<Document, ReadError> {
    let text = source.text();
    let mut exchanges: Vec<Exchange> = Vec::new();
    for (number, line) in (1_u32..).zip(text.text.lines()) {
        let line = line.trim();
        let place = text.at(number, 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('{') {
            exchanges.push(of_json(line, &place, notes)?);
        } else if let Some((method, url)) = request(line) {
            let mut exchange = Exchange::new(method, Text::literal(url), place);
            exchange.follows_redirects = true;
            exchanges.push(exchange);
        } else {
            let Some(exchange) = exchanges.last_mut() else {
                return Err(ReadError::new(place, "a target begins with a method and a URL")
                    .hint("as in `GET http://localhost:8080/`"));
            };
            detail(exchange, line, &place, notes);
        }
    }
    if exchanges.len() > MOST_REQUESTS {
        let message = format!("{} targets are more than the {MOST_REQUESTS} that fit", exchanges.len());
        return Err(ReadError::new(source.whole(), message));
    }
    Ok(Document { flows: vec![Flow::of("", exchanges)], ..Document::default() })
}

/// A header, or the file of the body.
fn detail(exchange: &mut Exchange, line: &str, place: &Place, notes: &mut Notes) {
    if let Some(path) = line.strip_prefix('@') {
        match inside_path(path) {
            Ok(path) => exchange.body = Body::File { path, mime: String::new() },
            Err(reason) => notes.left_out(place, format!("file `{path}`"), reason),
        }
    } else if let Some((name, value)) = line.split_once(':') {
        exchange.add_header(name.trim(), value.trim());
    } else {
        notes.left_out(
            place,
            format!("line `{}`", line.chars().take(40).collect::<String>()),
            "it has no colon",
        );
    }
}

fn of_json(line: &str, place: &Place, notes: &mut Notes) -> Result<Exchange, ReadError> {
    let object: Value = serde_json::from_str(line).map_err(|error| {
        let column = u32::try_from(error.column()).unwrap_or(u32::MAX);
        ReadError::new(Place { column, ..place.clone() }, format!("invalid JSON: {error}"))
    })?;
    let text = |name: &str| object[name].as_str();
    let (Some(method), Some(url)) = (text("method"), text("url")) else {
        return Err(ReadError::new(place.clone(), "a target needs the texts `method` and `url`"));
    };
    let mut exchange = Exchange::new(method, Text::literal(url), place.clone());
    exchange.follows_redirects = true;
    for (name, values) in object["header"].as_object().into_iter().flatten() {
        for value in values.as_array().into_iter().flatten().filter_map(Value::as_str) {
            exchange.add_header(name, value);
        }
    }
    if let Some(body) = text("body").filter(|body| !body.is_empty()) {
        match STANDARD.decode(body).map(String::from_utf8) {
            Ok(Ok(text)) => exchange.body = Body::Text(Text::literal(text)),
            Ok(Err(bytes)) => exchange.body = Body::Bytes(bytes.into_bytes()),
            Err(_) => notes.left_out(place, "a body", "it is not base64"),
        }
    }
    Ok(exchange)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Result<(Vec<String>, Notes), ReadError> {
        let mut notes = Notes::default();
        let source = Source { name: "targets", bytes: text.as_bytes() };
        let document = read(&source, &Options::default(), &mut notes)?;
        let show = |one: &&Exchange| {
            let header =
                |header: &crate::model::Header| format!(" {}={}", header.name, header.value.to_plan());
            let headers: Vec<String> = one.headers.iter().map(header).collect();
            format!("{} {}{} {:?}", one.method, one.url.to_plan(), headers.concat(), one.body)
        };
        Ok((document.flows[0].exchanges().iter().map(show).collect(), notes))
    }

    #[test]
    fn targets_have_methods_headers_and_bodies() {
        for (text, wanted) in [
            (
                "# remark\nGET http://a.test/x\nX-A: 1\nX-A:2\n\nPOST http://a.test/y\n@b/c.json\n",
                &[
                    "GET http://a.test/x X-A=1 X-A=2 None",
                    "POST http://a.test/y File { path: \"b/c.json\", mime: \"\" }",
                ][..],
            ),
            ("GET http://a\nDELETE http://b", &["GET http://a None", "DELETE http://b None"]),
            (
                "{\"method\":\"PUT\",\"url\":\"http://a\",\"header\":{\"T\":[\"x\",\"y\"]},\"body\":\"aMOp\"}",
                &["PUT http://a T=x T=y Text(\"hé\")"],
            ),
            ("{\"method\":\"PUT\",\"url\":\"http://a\",\"body\":\"/w==\"}", &["PUT http://a Bytes([255])"]),
        ] {
            let (found, notes) = read_all(text).expect("targets");
            assert_eq!(found, wanted, "{text}");
            assert!(!notes.is_lossy() && fits(text), "{text}: {notes:?}");
        }
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, place) in [
            ("X: 1\n", "targets:1:1"),
            ("{\"method\":1}\n", "targets:1:1"),
            ("GET http://a\n\n{]", "targets:3:2"),
        ] {
            assert_eq!(read_all(text).expect_err("wrong").place.to_string(), place, "{text}");
        }
        for (text, reason) in [
            ("GET http://a\n@/etc/passwd", "relative path"),
            ("GET http://a\nhello", "no colon"),
            ("{\"method\":\"PUT\",\"url\":\"http://a\",\"body\":\"*\"}", "not base64"),
        ] {
            let (_, notes) = read_all(text).expect("targets");
            assert!(notes.is_lossy() && notes.all()[0].reason.contains(reason), "{text}: {notes:?}");
        }
    }
}

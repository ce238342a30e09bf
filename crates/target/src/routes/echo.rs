//! The request given back as JSON.

use serde_json::{Value, json};
use swell_http1::server::{RequestHead, header};

use crate::wire::{Body, Response, decode, pairs};

use super::cookies::sent;
use super::json::object;
use super::{Outcome, RouteRequest, Work};

fn headers_of(head: &RequestHead<'_>) -> Value {
    object(head.headers.iter().map(|field| (field.name, String::from_utf8_lossy(field.value))))
}

fn decoded(query: &str) -> Value {
    object(pairs(query).map(|(name, value)| (decode(name), decode(value))))
}

pub(crate) fn headers(ask: &RouteRequest<'_>) -> Outcome {
    Ok(Work::now(Response::json(&json!({ "headers": headers_of(ask.head) }))))
}

/// `/anything`: method, path, query, headers, cookies, and the body as text, as a form, and as JSON
/// where it is one.
pub(crate) fn anything(ask: &RouteRequest<'_>) -> Outcome {
    let head = ask.head;
    let mut document = json!({
        "method": head.method,
        "path": head.path,
        "query": head.query,
        "args": decoded(head.query),
        "headers": headers_of(head),
        "cookies": object(sent(head)),
    });
    let is_form = header(head.headers, "content-type")
        .is_some_and(|value| value.to_ascii_lowercase().starts_with(b"application/x-www-form-urlencoded"));
    Ok(Work::from_body(move |body, _| {
        describe(body, is_form, &mut document);
        Ok(Work::now(Response::json(&document)))
    }))
}

fn describe(body: &Body, is_form: bool, document: &mut Value) {
    let text = String::from_utf8_lossy(&body.bytes);
    document["bytes"] = body.bytes.len().into();
    document["form"] = if is_form { decoded(&text) } else { json!({}) };
    document["json"] = serde_json::from_slice(&body.bytes).unwrap_or(Value::Null);
    document["data"] = text.into();
}

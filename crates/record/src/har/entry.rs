//! One entry.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::coding::decoded;
use crate::exchange::{Content, Exchange, Message, RecordedResponse};

/// Decoded bodies are cut here.
const DECODED_BYTES: usize = 64 << 20;

/// An exchange as an entry of HAR 1.2.
pub fn entry(exchange: &Exchange) -> Value {
    let timings = &exchange.timings;
    let mut entry = json!({
        "startedDateTime": exchange.started.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
        "time": rounded(timings.total()),
        "request": request(exchange),
        "response": exchange.response.as_ref().map_or_else(|| no_response(exchange), response),
        "cache": {},
        "timings": {
            "blocked": -1,
            "dns": -1,
            "connect": timings.connect.map_or(-1.0, rounded),
            "ssl": timings.tls.map_or(-1.0, rounded),
            "send": rounded(timings.send),
            "wait": rounded(timings.wait),
            "receive": rounded(timings.receive),
        },
        "connection": exchange.connection.to_string(),
    });
    let fields = entry.as_object_mut().expect("an object");
    if let Some(page) = exchange.page {
        fields.insert("pageref".to_owned(), page_id(page).into());
    }
    if let Some(server) = exchange.server {
        fields.insert("serverIPAddress".to_owned(), server.ip().to_string().into());
    }
    if let Some(failure) = &exchange.failure {
        fields.insert("comment".to_owned(), failure.as_str().into());
    }
    entry
}

/// The name of a page in a file.
pub(super) fn page_id(page: usize) -> String {
    format!("page_{}", page + 1)
}

/// To a thousandth of a millisecond.
pub(super) fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

fn request(exchange: &Exchange) -> Value {
    let message = &exchange.request;
    let query =
        exchange.url.split('#').next().unwrap_or_default().split_once('?').map_or("", |(_, query)| query);
    let query = url::form_urlencoded::parse(query.as_bytes());
    let query: Vec<_> = query.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let cookies = message.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
    let cookies: Vec<_> = cookies.flat_map(|(_, value)| value.split(';')).filter_map(cookie).collect();
    let mut request = json!({
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": "HTTP/1.1",
        "cookies": cookies,
        "headers": headers(message),
        "queryString": query,
        "headersSize": -1,
        "bodySize": message.body.length,
    });
    if message.body.length > 0 {
        request["postData"] = post_data(message);
    }
    request
}

fn post_data(message: &Message) -> Value {
    let mut data = Map::new();
    data.insert("mimeType".to_owned(), message.header("content-type").unwrap_or_default().into());
    add_text(&message.body.bytes, &mut data);
    add_cut(&message.body, &mut data);
    Value::Object(data)
}

fn response(response: &RecordedResponse) -> Value {
    let message = &response.message;
    let codings = message.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
    let codings: Vec<_> = codings.map(|(_, value)| &**value).collect();
    let body = decoded(&message.body.bytes, &codings.join(","), DECODED_BYTES);
    let mut content = Map::new();
    let size = body.as_ref().map_or(message.body.length, |body| body.len() as u64);
    content.insert("size".to_owned(), size.into());
    content.insert("mimeType".to_owned(), message.header("content-type").unwrap_or_default().into());
    match &body {
        Some(body) if !body.is_empty() => add_text(body, &mut content),
        Some(_) => {}
        None => {
            content.insert("comment".to_owned(), "the content coding is unknown or broken".into());
        }
    }
    add_cut(&message.body, &mut content);
    let cookies = message.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let cookies: Vec<_> = cookies.filter_map(|(_, value)| cookie(value.split(';').next()?)).collect();
    json!({
        "status": response.status,
        "statusText": response.reason,
        "httpVersion": "HTTP/1.1",
        "cookies": cookies,
        "headers": headers(message),
        "content": content,
        "redirectURL": message.header("location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": message.body.length,
    })
}

/// As browsers write it.
fn no_response(exchange: &Exchange) -> Value {
    json!({
        "status": 0,
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": [],
        "content": { "size": 0, "mimeType": "x-unknown" },
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "_error": exchange.failure,
    })
}

fn headers(message: &Message) -> Vec<Value> {
    message.headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn cookie(text: &str) -> Option<Value> {
    let (name, value) = text.trim().split_once('=')?;
    Some(json!({ "name": name, "value": value }))
}

/// A body as text, in Base64 unless it is UTF-8.
fn add_text(body: &[u8], to: &mut Map<String, Value>) {
    if let Ok(text) = std::str::from_utf8(body) {
        to.insert("text".to_owned(), text.into());
    } else {
        to.insert("text".to_owned(), STANDARD.encode(body).into());
        to.insert("encoding".to_owned(), "base64".into());
    }
}

fn add_cut(body: &Content, to: &mut Map<String, Value>) {
    if body.is_cut() {
        let note = format!("cut: the first {} of {} bytes", body.bytes.len(), body.length);
        to.insert("comment".to_owned(), note.into());
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::exchange::Timings;

    fn message(headers: &[(&str, &str)], body: &[u8]) -> Message {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let body = Content { bytes: body.to_vec(), length: body.len() as u64 };
        Message { headers: headers.collect(), body }
    }

    fn exchange() -> Exchange {
        Exchange {
            started: Timestamp::from_millisecond(1_800_000_000_007).unwrap(),
            url: "https://shop.test/a?b=c%20d&e".to_owned(),
            method: "POST".to_owned(),
            request: message(&[("Content-Type", "text/plain"), ("Cookie", "a=b; c=d=e")], b"hi"),
            response: Some(RecordedResponse {
                status: 200,
                reason: "OK".to_owned(),
                message: message(&[("content-type", "image/x"), ("Set-Cookie", "s=1; Path=/")], b"\xFF\x00"),
            }),
            server: Some(([127, 0, 0, 1], 443).into()),
            connection: 3,
            timings: Timings { connect: Some(1.5), tls: None, send: 0.25, wait: 2.0, receive: 0.000_1 },
            failure: None,
            page: Some(0),
        }
    }

    #[test]
    fn entry_has_what_har_wants() {
        let made = entry(&exchange());
        assert_eq!(made["startedDateTime"], "2027-01-15T08:00:00.007Z");
        assert_eq!((made["time"].as_f64(), &made["timings"]["ssl"]), (Some(3.75), &json!(-1.0)));
        assert_eq!(made["pageref"], "page_1");
        let request = &made["request"];
        assert_eq!(request["postData"], json!({ "mimeType": "text/plain", "text": "hi" }));
        assert_eq!(request["cookies"][1], json!({ "name": "c", "value": "d=e" }));
        assert_eq!(request["queryString"][0], json!({ "name": "b", "value": "c d" }));
        let content = json!({ "size": 2, "mimeType": "image/x", "text": "/wA=", "encoding": "base64" });
        assert_eq!(made["response"]["content"], content);
        assert_eq!(made["response"]["cookies"], json!([{ "name": "s", "value": "1" }]));
    }

    #[test]
    fn cut_and_missing_bodies_say_so() {
        let mut cut = exchange();
        cut.request.body.length = 10;
        cut.response.as_mut().unwrap().message.headers.push(("Content-Encoding".into(), "zstd".into()));
        let made = entry(&cut);
        assert_eq!(made["request"]["postData"]["comment"], "cut: the first 2 of 10 bytes");
        let content = &made["response"]["content"];
        assert_eq!(content["comment"], "the content coding is unknown or broken");
        assert!(content["text"].is_null());
        let failed = entry(&Exchange { response: None, failure: Some("no".into()), ..exchange() });
        assert_eq!((&failed["response"]["status"], &failed["comment"]), (&json!(0), &json!("no")));
    }
}

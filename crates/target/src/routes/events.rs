//! Streams of events: `/sse`, and a stand-in for a language model's server.

use serde_json::{Value, json};
use swell_http1::server::Length;

use crate::delay::Wait;
use crate::wire::{Body, Response, value};

use super::websocket::duration;
use super::{Outcome, Reply, RouteRequest, Work, filler};

/// Most events of a stream.
const EVENTS_MAX: u64 = 1_000_000;
/// Largest filling of an event.
const EVENT_BYTES_MAX: u64 = 60_000;

/// A stream whose events have known times, counted from the arrival of the request.
pub(crate) struct EventStream {
    pub(crate) response: Response,
    pub(crate) events: u64,
    /// When the first is sent.
    pub(crate) first_ns: i64,
    /// From one to the next.
    pub(crate) every_ns: i64,
    pub(crate) kind: EventKind,
}

/// What the events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// Numbered, with the time at which each is sent and that number of letters.
    Numbered(u64),
    /// Pieces of a chat completion, a token each.
    Chat,
}

impl EventStream {
    /// Appends an event: `sent_ns` is the time, `done_ns` when the event before was with the kernel,
    /// so that clients can tell how exact both are; 0 for the first.
    pub(crate) fn write(&self, number: u64, (sent_ns, done_ns): (i64, i64), out: &mut Vec<u8>) {
        let document = match self.kind {
            EventKind::Numbered(bytes) => {
                let letters = filler(bytes.min(63));
                let text = String::from_utf8_lossy(letters).repeat(bytes.div_ceil(63).max(1) as usize);
                let text = &text[..(bytes as usize).min(text.len())];
                json!({ "event": number, "prior_done_ns": done_ns, "sent_ns": sent_ns, "text": text })
            }
            EventKind::Chat => {
                let delta = json!({ "content": format!("{} ", WORDS[(number % 8) as usize]) });
                chunk(&json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
            }
        };
        if matches!(self.kind, EventKind::Numbered(_)) {
            out.extend_from_slice(format!("id: {number}\n").as_bytes());
        }
        out.extend_from_slice(format!("data: {document}\n\n").as_bytes());
    }

    /// Appends what ends the stream, sent with the last event.
    pub(crate) fn write_end(&self, out: &mut Vec<u8>) {
        if self.kind == EventKind::Chat {
            let mut last = chunk(&json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]));
            last["usage"] = usage(self.events);
            out.extend_from_slice(format!("data: {last}\n\ndata: [DONE]\n\n").as_bytes());
        }
    }
}

const WORDS: [&str; 8] = ["one", "load", "test", "more", "and", "then", "another", "token"];

fn chunk(choices: &Value) -> Value {
    json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "target", "choices": choices })
}

fn usage(tokens: u64) -> Value {
    json!({ "prompt_tokens": 1, "completion_tokens": tokens, "total_tokens": tokens + 1 })
}

/// `/sse?events=10&every=100ms&delay=20ms&bytes=50`: the first event after `delay`.
pub(crate) fn events(ask: &RouteRequest<'_>) -> Outcome {
    let bytes = ask.number("bytes", 20, EVENT_BYTES_MAX)?;
    Ok(Work::events(EventStream {
        response: response(ask.head.http10),
        events: ask.number("events", 10, EVENTS_MAX)?,
        first_ns: duration(ask.head, "delay", "0")?,
        every_ns: duration(ask.head, "every", "100ms")?,
        kind: EventKind::Numbered(bytes),
    }))
}

/// `/v1/chat/completions?tokens=20&first=200ms&every=20ms`: a stream if the request's JSON has
/// `"stream": true`, otherwise one document when the last token is due.
pub(crate) fn completions(ask: &RouteRequest<'_>) -> Outcome {
    let tokens = ask.number("tokens", 20, EVENTS_MAX)?;
    let first_ns = duration(ask.head, "first", "200ms")?;
    let every_ns = duration(ask.head, "every", "20ms")?;
    let http10 = ask.head.http10;
    let streams_always = value(ask.head.query, "stream").is_some();
    Ok(Work::from_body(move |body: &Body, _| {
        let asked: Value = serde_json::from_slice(&body.bytes).unwrap_or_default();
        if streams_always || asked["stream"] == Value::Bool(true) {
            let kind = EventKind::Chat;
            return Ok(Work::events(EventStream {
                response: response(http10),
                events: tokens,
                first_ns,
                every_ns,
                kind,
            }));
        }
        let words = WORDS.iter().cycle().take(tokens.min(10_000) as usize);
        let text: String = words.flat_map(|word| [word, " "]).collect();
        let message = json!({ "role": "assistant", "content": text });
        let document = json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "target",
            "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
            "usage": usage(tokens),
        });
        let total_ns = first_ns.saturating_add(every_ns.saturating_mul(tokens.saturating_sub(1) as i64));
        Ok(Work::now(Response::json(&document)).after(total_ns))
    }))
}

fn response(http10: bool) -> Response {
    let length = if http10 { Length::UntilClose } else { Length::Chunked };
    let response = Response::new(200, "text/event-stream", &[][..]).header("Cache-Control", "no-store");
    Response { length, ..response }
}

impl Work {
    fn events(stream: EventStream) -> Self {
        Self { wait: Wait::None, reply: Reply::Events(Box::new(stream)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: EventKind) -> String {
        let stream = EventStream { response: response(false), events: 2, first_ns: 0, every_ns: 0, kind };
        let mut out = Vec::new();
        stream.write(1, (7, 6), &mut out);
        stream.write_end(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn events_are_what_browsers_and_clients_of_models_read() {
        let numbered = written(EventKind::Numbered(5));
        assert_eq!(
            numbered,
            "id: 1\ndata: {\"event\":1,\"prior_done_ns\":6,\"sent_ns\":7,\"text\":\"abcde\"}\n\n"
        );
        assert_eq!(written(EventKind::Numbered(100)).matches("abc").count(), 5);
        let chat = written(EventKind::Chat);
        assert!(
            chat.contains("\"delta\":{\"content\":\"load \"}") && chat.ends_with("data: [DONE]\n\n"),
            "{chat}"
        );
        assert!(chat.contains("\"completion_tokens\":2"), "{chat}");
    }
}

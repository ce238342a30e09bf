//! `/ws`: a WebSocket that answers each message with itself.

use swell_http1::server::{Refusal, RequestHead, header};
use swell_websocket::Compression;
use swell_websocket::handshake::{accept, has_token};

use crate::delay::parse_duration;
use crate::wire::{decode, value};

use super::{Outcome, Reply, RouteRequest, Work};

/// Most messages in answer to one.
const MESSAGES_MAX: u64 = 1_000_000;

/// The answer to an upgrade, and how messages are answered afterwards.
pub(crate) struct Upgrade {
    /// The head of the response.
    pub(crate) head: Vec<u8>,
    pub(crate) compression: Option<Compression>,
    pub(crate) echo: EchoRule,
}

/// How a message is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EchoRule {
    /// From the arrival of a message to its first answer.
    pub(crate) delay_ns: i64,
    /// Answers to each message.
    pub(crate) messages: u64,
    /// From one answer to the next.
    pub(crate) every_ns: i64,
    /// Most bytes of a frame; longer messages are sent in fragments.
    pub(crate) frame_bytes: usize,
}

/// `/ws?delay=5ms&messages=3&every=10ms&fragment=100&deflate`.
pub(crate) fn websocket(ask: &RouteRequest<'_>) -> Outcome {
    let head = ask.head;
    let field = |name| header(head.headers, name).and_then(|value| std::str::from_utf8(value).ok());
    let is_upgrade = field("Upgrade").is_some_and(|upgrade| has_token(upgrade, "websocket"));
    if head.method != "GET" || !is_upgrade {
        return Err(Refusal::new(426, "this path is a WebSocket: ask for `Upgrade: websocket`"));
    }
    if field("Sec-WebSocket-Version") != Some("13") {
        return Err(Refusal::bad("Sec-WebSocket-Version: expected 13"));
    }
    let Some(key) = field("Sec-WebSocket-Key") else {
        return Err(Refusal::bad("the header field Sec-WebSocket-Key is missing"));
    };
    let wants = value(head.query, "deflate").is_some();
    let offer = field("Sec-WebSocket-Extensions").filter(|_| wants);
    let agreed = offer.and_then(Compression::of_offer);
    let extensions = agreed.as_ref().map(|(_, answer)| format!("Sec-WebSocket-Extensions: {answer}\r\n"));
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n{}\r\n",
        accept(key),
        extensions.unwrap_or_default()
    );
    let upgrade = Upgrade {
        head: response.into_bytes(),
        compression: agreed.map(|(compression, _)| compression),
        echo: echo_rule(ask)?,
    };
    Ok(Work::upgrade(upgrade))
}

fn echo_rule(ask: &RouteRequest<'_>) -> Result<EchoRule, Refusal> {
    let frame_bytes = ask.number("fragment", u64::MAX, u64::MAX)?;
    Ok(EchoRule {
        delay_ns: duration(ask.head, "delay", "0")?,
        messages: ask.number("messages", 1, MESSAGES_MAX)?,
        every_ns: duration(ask.head, "every", "0")?,
        frame_bytes: usize::try_from(frame_bytes).unwrap_or(usize::MAX).max(1),
    })
}

/// A duration in nanoseconds from the query, or the default.
pub(super) fn duration(head: &RequestHead<'_>, name: &str, default: &str) -> Result<i64, Refusal> {
    let text = value(head.query, name).map(decode);
    parse_duration(text.as_deref().unwrap_or(default)).map_err(Refusal::bad)
}

impl Work {
    fn upgrade(upgrade: Upgrade) -> Self {
        Self { wait: crate::delay::Wait::None, reply: Reply::WebSocket(Box::new(upgrade)) }
    }
}

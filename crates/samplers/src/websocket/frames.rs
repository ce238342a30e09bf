//! Received frames as the plug-in's samplers see them.

use swell_net::Arrival;
use swell_websocket::Opcode;

use super::binary;

/// What a data frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

/// When a frame arrived.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "the unit is part of the name of each time")]
pub(super) struct FrameTimes {
    /// Arrival of its first byte.
    pub(super) first_ns: i64,
    /// Arrival of its last byte.
    pub(super) at_ns: i64,
    /// That was read then.
    pub(super) read_ns: i64,
}

impl From<Arrival> for FrameTimes {
    /// The times of bytes that arrived together.
    fn from(arrival: Arrival) -> Self {
        Self { first_ns: arrival.at_ns, at_ns: arrival.at_ns, read_ns: arrival.read_ns }
    }
}

/// A frame, its payload decompressed.
#[derive(Clone, Debug)]
pub(super) struct ReceivedFrame {
    pub(super) content: Content,
    pub(super) is_continuation: bool,
    pub(super) is_final: bool,
    pub(super) payload: Vec<u8>,
    /// Bytes on the wire, head included.
    pub(super) size: u64,
    pub(super) times: FrameTimes,
}

/// Bytes of a binary frame that messages show.
const SHOWN: usize = 16;

impl ReceivedFrame {
    pub(super) fn is_data(&self) -> bool {
        matches!(self.content, Content::Text | Content::Binary)
    }

    /// The message so far with its next fragment: one frame with the size of all.
    pub(super) fn joined(mut self, next: &Self) -> Self {
        self.payload.extend_from_slice(&next.payload);
        self.size += next.size;
        self.is_final = next.is_final;
        self.times = FrameTimes { first_ns: self.times.first_ns, ..next.times };
        self
    }

    /// The text of a text frame; bytes that are not UTF-8 become U+FFFD.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.payload).into_owned()
    }

    /// Status and reason of a close frame.
    pub(super) fn close(&self) -> (Option<u16>, Option<String>) {
        let [high, low, reason @ ..] = &self.payload[..] else { return (None, None) };
        let reason = (!reason.is_empty()).then(|| String::from_utf8_lossy(reason).into_owned());
        (Some(u16::from_be_bytes([*high, *low])), reason)
    }

    /// Its kind in response codes and labels (`Frame.getTypeAsString`).
    pub(super) fn type_name(&self) -> &'static str {
        match (self.content, self.is_continuation, self.is_final) {
            (Content::Text | Content::Binary, true, true) => "final continuation",
            (Content::Text | Content::Binary, true, false) => "continuation",
            (Content::Text, false, true) => "text",
            (Content::Text, false, false) => "non-final text",
            (Content::Binary, false, true) => "binary",
            (Content::Binary, false, false) => "non-final binary",
            (Content::Close, ..) => "close",
            (Content::Ping, ..) => "ping",
            (Content::Pong, ..) => "pong",
        }
    }

    /// The frame in response messages (`Frame.toString`).
    pub(super) fn describe(&self) -> String {
        let control = |name: &str| {
            if self.payload.is_empty() {
                return format!("{name} frame with no application data");
            }
            format!("{name} frame with application data '{}'", self.text())
        };
        match self.content {
            Content::Text => format!("Text frame with text '{}'", self.text()),
            Content::Binary if self.payload.is_empty() => "Binary frame, empty payload".to_owned(),
            Content::Binary => {
                let bytes = binary::shown(&self.payload, SHOWN, " ...");
                format!("Binary frame, payload (length {}): {bytes}", self.payload.len())
            }
            Content::Close => {
                let (status, reason) = self.close();
                let status = status.map_or("null".to_owned(), |status| status.to_string());
                let reason = reason.as_deref().unwrap_or("null");
                format!("Close frame with status code {status} and close reason '{reason}'")
            }
            Content::Ping => control("Ping"),
            Content::Pong => control("Pong"),
        }
    }
}

/// What a frame contains, given the message that is on its way; none of a continuation without one.
pub(super) fn content_of(opcode: Opcode, begun: Option<Content>) -> Option<Content> {
    match opcode {
        Opcode::Continuation => begun,
        Opcode::Text => Some(Content::Text),
        Opcode::Binary => Some(Content::Binary),
        Opcode::Close => Some(Content::Close),
        Opcode::Ping => Some(Content::Ping),
        Opcode::Pong => Some(Content::Pong),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn frame(content: Content, payload: &[u8]) -> ReceivedFrame {
        ReceivedFrame {
            content,
            is_continuation: false,
            is_final: true,
            payload: payload.to_vec(),
            size: 2 + payload.len() as u64,
            times: FrameTimes::default(),
        }
    }

    #[test]
    fn frames_are_described_as_the_plug_in_does() {
        let table = [
            (frame(Content::Text, b"a\xff"), "text", "Text frame with text 'a\u{fffd}'"),
            (frame(Content::Binary, b""), "binary", "Binary frame, empty payload"),
            (frame(Content::Binary, b"\x01\xff"), "binary", "Binary frame, payload (length 2): 0x01 0xff"),
            (
                frame(Content::Close, b""),
                "close",
                "Close frame with status code null and close reason 'null'",
            ),
            (
                frame(Content::Close, b"\x03\xe8bye"),
                "close",
                "Close frame with status code 1000 and close reason 'bye'",
            ),
            (frame(Content::Ping, b""), "ping", "Ping frame with no application data"),
            (frame(Content::Pong, b"x"), "pong", "Pong frame with application data 'x'"),
        ];
        for (frame, name, text) in table {
            assert_eq!((frame.type_name(), &*frame.describe()), (name, text));
        }
        let long = frame(Content::Binary, &[7; 17]).describe();
        assert!(long.starts_with("Binary frame, payload (length 17): 0x07 ") && long.ends_with("0x07 ..."));
        let last = ReceivedFrame { is_continuation: true, ..frame(Content::Text, b"") };
        let middle = ReceivedFrame { is_final: false, ..last.clone() };
        assert_eq!((last.type_name(), middle.type_name()), ("final continuation", "continuation"));
    }
}

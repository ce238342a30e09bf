//! WebSocket: what a server sends to a client, and what a client sends comes out at the server.

use rand::Rng as _;
use swell_websocket::{
    Compression, Conversation, ConversationLimits, Event, MaskKeys, MessageKind, ProtocolError, Role,
};

use super::{pieces, random_of};

const LIMITS: ConversationLimits = ConversationLimits { message_bytes_max: 64 << 10 };

fn end(role: Role) -> Conversation {
    Conversation::new(role, Some(Compression::default()), LIMITS, MaskKeys::new(1))
}

/// What a client makes of bytes: events, answers, and how it ends.
fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> (Vec<String>, Vec<u8>, Result<(), ProtocolError>) {
    let mut client = end(Role::Client);
    let mut events = Vec::new();
    let mut answers = Vec::new();
    for piece in pieces {
        let fed = client.feed(piece, &mut answers, &mut |event| {
            if let Event::Message(kind, content) = &event {
                assert!(content.len() <= LIMITS.message_bytes_max, "a message has a limit");
                assert!(
                    *kind != MessageKind::Text || std::str::from_utf8(content).is_ok(),
                    "a text is UTF-8"
                );
            }
            events.push(format!("{event:?}"));
        });
        if fed.is_err() {
            return (events, answers, fed);
        }
    }
    (events, answers, Ok(()))
}

/// Frames of a server, cut at any places; also any content sent and received.
pub(super) fn frames(input: &[u8]) {
    let random = &mut random_of(input);
    let whole = read([input]);
    assert_eq!(read(pieces(input, random)), whole, "cuts change nothing");
    let content = &input[..input.len().min(LIMITS.message_bytes_max)];
    let mut bytes = Vec::new();
    let mut server = end(Role::Server);
    server.fragments(MessageKind::Binary, content, random.random_range(1..100_000), &mut bytes);
    let (events, ..) = read(pieces(&bytes, random));
    let wanted = format!("{:?}", Event::Message(MessageKind::Binary, content));
    assert_eq!(events, [wanted], "a message arrives as it was sent");
}

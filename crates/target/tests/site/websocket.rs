//! `/ws`.

use swell_target::Target;
use swell_websocket::handshake::COMPRESSION_OFFER;
use swell_websocket::{
    CloseReason, Compression, Conversation, ConversationLimits, Event, MaskKeys, MessageKind, Role,
};

use super::client::{Client, site};

/// What came from the site.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Message(MessageKind, Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<u16>),
}

struct Peer {
    client: Client,
    conversation: Conversation,
}

impl Peer {
    /// Opens a WebSocket; the head of the answer.
    fn open(target: &Target, path: &str) -> (Self, String) {
        let mut client = Client::new(target);
        client.send(format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Extensions: {COMPRESSION_OFFER}\r\n\r\n"
        ));
        let head = client.head();
        let answer = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Extensions: "));
        let agreed = Compression::of_answer(answer.unwrap_or_default(), COMPRESSION_OFFER);
        let limits = ConversationLimits { message_bytes_max: 1 << 20 };
        let agreed = agreed.expect("a valid answer");
        let conversation = Conversation::new(Role::Client, agreed, limits, MaskKeys::new(1));
        (Self { client, conversation }, head)
    }

    fn send(&mut self, write: impl FnOnce(&mut Conversation, &mut Vec<u8>)) {
        let mut out = Vec::new();
        write(&mut self.conversation, &mut out);
        self.client.send(out);
    }

    fn text(&mut self, text: &str) {
        self.send(|conversation, out| conversation.message(MessageKind::Text, text.as_bytes(), out));
    }

    /// That many events.
    fn seen(&mut self, count: usize) -> Vec<Seen> {
        let mut seen = Vec::new();
        while seen.len() < count {
            let byte = self.client.take(1);
            let fed = self.conversation.feed(&byte, &mut Vec::new(), &mut |event| {
                seen.push(match event {
                    Event::Message(kind, content) => Seen::Message(kind, content.to_vec()),
                    Event::Pong(payload) => Seen::Pong(payload.to_vec()),
                    Event::Close(CloseReason { status, .. }) => Seen::Close(status),
                    Event::Ping(_) => panic!("the site sends no pings"),
                });
            });
            assert_eq!(fed, Ok(()));
        }
        seen
    }
}

fn message(text: &str) -> Seen {
    Seen::Message(MessageKind::Text, text.as_bytes().to_vec())
}

#[test]
fn a_websocket_echoes_answers_pings_and_closes() {
    let target = site();
    let (mut peer, head) = Peer::open(&target, "/ws");
    assert_eq!(
        head,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    );
    peer.text("hello");
    assert_eq!(peer.seen(1), [message("hello")]);
    peer.send(|conversation, out| conversation.message(MessageKind::Binary, &[0, 255], out));
    assert_eq!(peer.seen(1), [Seen::Message(MessageKind::Binary, vec![0, 255])]);
    peer.send(|conversation, out| conversation.ping(b"there?", out));
    assert_eq!(peer.seen(1), [Seen::Pong(b"there?".to_vec())]);
    peer.send(|conversation, out| conversation.close(3001, "enough", out));
    assert_eq!(peer.seen(1), [Seen::Close(Some(3001))]);
    assert_eq!(peer.client.rest(), b"");
    assert_eq!(target.stats().route("/ws").expect("used").residence.count, 2);
}

#[test]
fn answers_are_late_repeated_cut_and_compressed_as_asked() {
    let target = site();
    let path = "/ws?delay=20ms&messages=3&every=10ms&fragment=2&deflate";
    let (mut peer, head) = Peer::open(&target, path);
    assert!(head.contains("\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"), "{head}");
    peer.text("again and again");
    assert_eq!(
        peer.seen(3),
        [message("again and again"), message("again and again"), message("again and again")]
    );
    let stats = target.stats();
    let of_route = stats.route("/ws").expect("used");
    assert!(of_route.residence.min_ns >= 39_900_000, "{of_route:?}");
    assert_eq!((of_route.residence.count, of_route.late.count), (1, 1));
}

#[test]
fn what_breaks_the_protocol_gets_a_close_and_what_asks_for_nothing_a_refusal() {
    let target = site();
    let (mut peer, _) = Peer::open(&target, "/ws");
    peer.client.send(b"\x81\x05Hello");
    assert_eq!(peer.seen(1), [Seen::Close(Some(1002))]);
    assert_eq!(peer.client.rest(), b"");
    let refused = Client::new(&target).get("/ws");
    assert!(refused.head.starts_with("HTTP/1.1 426 "), "{}", refused.head);
}

//! A client that echoes what a scripted server sends.

use swell_websocket::handshake::COMPRESSION_OFFER;
use swell_websocket::{
    CloseReason, Compression, Conversation, ConversationLimits, Event, MaskKeys, MessageKind, Role,
};

const LIMITS: ConversationLimits = ConversationLimits { message_bytes_max: 32 << 20 };

/// What the client sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Text(String),
    Binary(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<u16>),
}

/// A frame as a server writes it, with any first byte.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    match payload.len() {
        length @ 0..=125 => out.push(length as u8),
        length @ 126..=0xffff => {
            out.push(126);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(payload);
    out
}

fn end(role: Role, compression: Option<Compression>) -> Conversation {
    Conversation::new(role, compression, LIMITS, MaskKeys::new(42))
}

/// Bytes that an echoing client sends when it gets these.
fn echo(client: &mut Conversation, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut messages = Vec::new();
    // The other side of a violation is what the tables look at.
    let _ = client.feed(bytes, &mut out, &mut |event| {
        if let Event::Message(kind, content) = event {
            messages.push((kind, content.to_vec()));
        }
    });
    let mut echoed = Vec::new();
    for (kind, content) in messages {
        client.message(kind, &content, &mut echoed);
    }
    // Answers to control frames come in the order of the wire, after what was echoed before them.
    echoed.append(&mut out);
    echoed
}

fn read(server: &mut Conversation, bytes: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut ignored = Vec::new();
    let fed = server.feed(bytes, &mut ignored, &mut |event| {
        answers.push(match event {
            Event::Message(MessageKind::Text, content) => {
                Answer::Text(String::from_utf8(content.to_vec()).expect("the client sends UTF-8"))
            }
            Event::Message(MessageKind::Binary, content) => Answer::Binary(content.to_vec()),
            Event::Pong(payload) => Answer::Pong(payload.to_vec()),
            Event::Close(CloseReason { status, .. }) => Answer::Close(status),
            Event::Ping(_) => panic!("an echoing client sends no pings"),
        });
    });
    assert_eq!(fed, Ok(()), "the client keeps to the protocol");
    answers
}

/// The client answers these bytes of the server, as a set in which messages keep their order and so
/// do control frames.
pub(crate) fn check(case: &str, bytes: &[u8], wanted: &[Answer]) {
    check_pieces(case, std::iter::once(bytes), wanted);
}

/// The same, where the bytes arrive in pieces.
pub(crate) fn check_pieces<'a>(case: &str, pieces: impl Iterator<Item = &'a [u8]>, wanted: &[Answer]) {
    let mut client = end(Role::Client, None);
    let mut server = end(Role::Server, None);
    let mut answers = Vec::new();
    for piece in pieces {
        let bytes = echo(&mut client, piece);
        answers.extend(read(&mut server, &bytes));
    }
    let split = |answers: &[Answer]| -> (Vec<Answer>, Vec<Answer>) {
        answers.iter().cloned().partition(|answer| matches!(answer, Answer::Text(_) | Answer::Binary(_)))
    };
    assert!(split(&answers) == split(wanted), "case {case}: {answers:.200?}");
}

/// A message that is sent in fragments arrives whole, in as many frames as it takes.
pub(crate) fn check_fragments(length: usize, fragment: usize) {
    let content: Vec<u8> = (0..length).map(|n| b'a' + (n % 26) as u8).collect();
    let mut bytes = Vec::new();
    end(Role::Client, None).fragments(MessageKind::Text, &content, fragment, &mut bytes);
    // Each frame has a head of 6 or 8 bytes.
    assert!(bytes.len() > length + length.div_ceil(fragment) * 6);
    let text = String::from_utf8(content).expect("letters");
    assert_eq!(read(&mut end(Role::Server, None), &bytes), [Answer::Text(text)]);
}

/// A hundred compressed messages of about that length go to the client and come back.
pub(crate) fn check_compressed(case: &str, answer: &str, length: usize, fragment: usize) {
    let agreed = Compression::of_answer(answer, COMPRESSION_OFFER).expect(case).expect(case);
    let mut client = end(Role::Client, Some(agreed));
    let mut server = end(Role::Server, Some(agreed));
    for round in 0..10 {
        let text: String =
            (0..length).map(|n| char::from(b'a' + ((n * n / 7 + n * round) % 26) as u8)).collect();
        let mut bytes = Vec::new();
        server.fragments(MessageKind::Text, text.as_bytes(), fragment, &mut bytes);
        let back = echo(&mut client, &bytes);
        assert!(read(&mut server, &back) == [Answer::Text(text)], "case {case}: {length}");
    }
}
